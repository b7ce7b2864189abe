"""The command that plain `validate` advises for a damaged log cures it."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.program import deltaadm
from tests.support.repairs import REPAIRED, TABLES, aged, by_delta_rs

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "kind", [kind if kind == "classic" else pytest.param(kind, marks=pytest.mark.slow)
    for kind in TABLES],
)  # fmt: skip
@pytest.mark.parametrize("damage", REPAIRED)
def test_what_a_reader_cannot_bear_is_found_with_its_cure(
    damage: str, kind: str, tmp_path: Path
) -> None:
    made, path = TABLES[kind](tmp_path / "sound"), tmp_path / "table"
    whole = by_delta_rs(made.path)
    shutil.copytree(made.path, path)
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
