"""What finding tables must do on every storage: a test module subclasses `DiscoveryContract`."""

from pathlib import Path

import pytest

from deltaadm.errors import StorageError
from deltaadm.runs.places import Directories, find_tables, nearest_table
from tests.support.tables import START_BODY, table


class DiscoveryContract:
    """The tests; a subclass has the fixture `directories`, and may write roots in its own way."""

    @pytest.fixture
    def lake(self, tmp_path: Path) -> Path:
        for name in ("sales/orders", "sales/b/returns", "hr/people", "z", "a b%20ü"):
            table(tmp_path / name, START_BODY)
        (tmp_path / "empty" / "deep").mkdir(parents=True)
        (tmp_path / "no log" / "inside").mkdir(parents=True)
        (tmp_path / "no log" / "_delta_log").touch()
        (tmp_path / "file").touch()
        return tmp_path

    def root(self, path: Path) -> str:
        """How the storage calls *path*."""
        return str(path)

    def found(self, directories: Directories, path: Path) -> list[str]:
        """The tables below *path*, relative to it; nothing is out of reach."""
        errors: list[StorageError] = []
        root = self.root(path)
        tables = list(find_tables(root, errors.append, directories))
        assert errors == []
        assert all(table == root or table.startswith(f"{root}/") for table in tables)
        return [table.removeprefix(root).removeprefix("/") for table in tables]

    def test_tables_are_found_in_the_order_of_their_paths(
        self, directories: Directories, lake: Path
    ) -> None:
        expected = ["a b%20ü", "hr/people", "sales/b/returns", "sales/orders", "z"]
        assert self.found(directories, lake) == expected

    def test_a_table_may_be_the_root_itself(self, directories: Directories, lake: Path) -> None:
        assert self.found(directories, lake / "z") == [""]

    def test_what_is_inside_a_table_belongs_to_it(
        self, directories: Directories, lake: Path
    ) -> None:
        before = self.found(directories, lake)
        table(lake / "z" / "year=2026" / "inner", START_BODY)
        assert self.found(directories, lake) == before

    def test_the_table_around_a_place(self, directories: Directories, lake: Path) -> None:
        outer, inner = lake / "z", lake / "z" / "year=2026" / "inner"
        table(inner, START_BODY)
        for place, around in (
            (inner / "new" / "er", inner),
            (inner, outer),
            (outer / "new", outer),
            (outer, None),
            (lake / "zz", None),
            (lake / "no log" / "inside", None),
        ):
            expected = None if around is None else self.root(around)
            assert nearest_table(self.root(place), directories) == expected

    def test_hidden_directories_are_passed_over(self, directories: Directories, lake: Path) -> None:
        before = self.found(directories, lake)
        for name in (".trash", "_archive"):
            table(lake / name / "old", START_BODY)
        assert self.found(directories, lake) == before

    def test_each_directory_is_looked_into_once_and_a_table_not_below(
        self, directories: Directories, lake: Path
    ) -> None:
        table(lake / "z" / "year=2026" / "inner", START_BODY)
        counted = Counting(directories)
        tables = self.found(counted, lake)
        looked = [text.removeprefix(self.root(lake)).removeprefix("/") for text in counted.looked]
        plain = ["", "empty", "empty/deep", "hr", "no log", "no log/inside", "sales", "sales/b"]
        assert sorted(looked) == sorted([*plain, *tables])

    def test_a_root_that_is_no_directory(self, directories: Directories, lake: Path) -> None:
        for name in ("nope", "file"):
            with pytest.raises(StorageError, match=r"There is no directory"):
                self.found(directories, lake / name)


class Counting:
    """Directories that note which of them were looked into."""

    def __init__(self, directories: Directories) -> None:
        self._directories = directories
        self.is_directory = directories.is_directory
        self.identity = directories.identity
        self.join = directories.join
        self.looked: list[str] = []

    def look(self, place: str) -> list[str] | None:
        self.looked.append(place)
        names = self._directories.look(place)
        return None if names is None else list(names)
