"""The command that plain `validate` advises for a damaged log cures it."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.program import deltaadm
from tests.support.repairs import DAMAGED, REPAIRED, TABLES, aged, by_delta_rs
from tests.support.tables import commit, commit_info, metadata, protocol, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A table of each kind; do not write to it."""
    return {kind: make(tmp_path_factory.mktemp(kind)).path for kind, make in TABLES.items()}


@pytest.mark.parametrize(("kind", "damage"), DAMAGED)
def test_what_a_reader_cannot_bear_is_found_with_its_cure(
    kind: str, damage: str, sound: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    whole = by_delta_rs(sound[kind])
    shutil.copytree(sound[kind], path)
    REPAIRED[damage](path / "_delta_log")
    aged(path)
    report = deltaadm("validate", path)
    advised = re.search(r"deltaadm (repair|alter) (\S+)( --checkpoint)?", report.out)
    bears = by_delta_rs(path) == whole
    if bears and advised is None:
        return
    assert bears or report.code, "validate finds nothing"
    assert advised, report.out
    command, _, option = advised.groups()
    engine = ["--checkpoint", "--commit-engine", "embedded"] if option else []
    done = deltaadm(command, path, *engine, "--apply", "--yes")
    assert done.code == 0, done.out + done.err
    assert by_delta_rs(path) == whole


def test_nobody_is_told_to_repair_what_a_catalog_manages(tmp_path: Path) -> None:
    listed = ["catalogManaged", "deletionVectors", "inCommitTimestamp", "vacuumProtocolCheck"]
    table(tmp_path, commit(protocol(3, 7, listed[:1], listed), metadata(), commit_info()))
    found = deltaadm("validate", tmp_path, "-o", "json").document["findings"]
    remedies = {each["code"]: each["remedy"] for each in found}
    assert "the catalog's own tools" in remedies["DL206"]
    assert not [text for text in remedies.values() if "deltaadm repair" in text]
    assert deltaadm("repair", tmp_path).code == 7
