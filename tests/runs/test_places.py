"""Finding tables below a directory."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm.runs.places import LocalDirectories, find_tables
from tests.support.discovery import DiscoveryContract
from tests.support.tables import START_BODY, table

if TYPE_CHECKING:
    from deltaadm.errors import StorageError


def found(root: Path) -> list[str]:
    errors: list[StorageError] = []
    tables = [
        str(Path(table).relative_to(root))
        for table in find_tables(str(root), errors.append, LocalDirectories())
    ]
    assert not errors
    return tables


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in ("sales/orders", "sales/b/returns", "hr/people", "z"):
        table(tmp_path / name, START_BODY)
    (tmp_path / "empty" / "deep").mkdir(parents=True)
    (tmp_path / "file").touch()
    return tmp_path


class TestLocalDirectories(DiscoveryContract):
    @pytest.fixture
    def directories(self) -> LocalDirectories:
        return LocalDirectories()


def test_links_are_followed_once(lake: Path) -> None:
    (lake / "a").symlink_to(lake / "hr")
    (lake / "sales" / "loop").symlink_to(lake)
    assert found(lake) == ["a/people", "sales/b/returns", "sales/orders", "z"]


def test_a_dangling_link_is_no_directory(lake: Path) -> None:
    (lake / "gone").symlink_to(lake / "nowhere")
    assert len(found(lake)) == 4


def test_a_link_to_itself_is_no_directory(lake: Path) -> None:
    (lake / "loop").symlink_to("loop")
    assert len(found(lake)) == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="this user may read everything")
def test_a_link_out_of_reach_costs_itself_alone(lake: Path) -> None:
    (lake / "a").symlink_to(lake / "z" / "below")
    (lake / "z").chmod(0)
    errors: list[StorageError] = []
    tables = list(find_tables(str(lake), errors.append, LocalDirectories()))
    (lake / "z").chmod(0o755)
    assert len(tables) == 3
    assert len(errors) == 2
