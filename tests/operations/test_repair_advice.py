"""The command that plain `validate` advises for a damaged log cures it."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from tests.support.program import deltaadm
from tests.support.repairs import REPAIRED, TABLES, aged


def read(path: Path) -> Any:
    """What delta-rs sees; None if it cannot load the table."""
    try:
        found = DeltaTable(path)
    except (DeltaError, OSError):
        return None
    return found.version(), sorted(Path(uri).name for uri in found.file_uris())


@pytest.mark.parametrize(
    "kind", [kind if kind == "classic" else pytest.param(kind, marks=pytest.mark.slow)
    for kind in TABLES],
)  # fmt: skip
@pytest.mark.parametrize("damage", REPAIRED)
def test_what_a_reader_cannot_bear_is_found_with_its_cure(
    damage: str, kind: str, tmp_path: Path
) -> None:
    made, path = TABLES[kind](tmp_path / "sound"), tmp_path / "table"
    whole = read(made.path)
    shutil.copytree(made.path, path)
    REPAIRED[damage](path / "_delta_log")
    aged(path)
    report = deltaadm("validate", path)
    advised = re.search(r"deltaadm (repair|alter) (\S+)( --checkpoint)?", report.out)
    bears = read(path) == whole
    if bears and advised is None:
        return
    assert bears or report.code, "validate finds nothing"
    assert advised, report.out
    command, _, option = advised.groups()
    engine = ["--checkpoint", "--commit-engine", "embedded"] if option else []
    done = deltaadm(command, path, *engine, "--apply", "--yes")
    assert done.code == 0, done.out + done.err
    assert read(path) == whole
