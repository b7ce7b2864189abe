"""The commands that findings offer, carried out by Delta itself."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.plans.undo import fix_command
from tests.support.clients import ACCEPT_ALL
from tests.support.program import deltaadm
from tests.support.rule_cases import CASES, Case, findings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CODES = ("DL206", "DL212", "DL216", "DL308", "DL310", "DL402", "DL407", "DL408", "DL506", "DL518",
         "DL527", "DL528", "DL903", "DL905", "DL906")  # fmt: skip
"""Rules whose fixes are commits; the first case of each stands for all."""


def first(code: str, below: Path) -> Case:
    """The first case that breaks *code* in a way that deltaadm can fix."""
    for number, broken in enumerate(case for case in CASES if case.breaks and case.code == code):
        path = below / str(number)
        path.mkdir()
        broken.make(path)
        if any(
            each.code == code and each.fix for each in findings(path, broken.depth, broken.demands)
        ):
            return broken
    pytest.fail(f"no case of {code} has a fix")


def fixed(case: Case, path: Path, *consent: str) -> set[str]:
    """Run the command of each fix that the rule offers; the codes that are found afterwards."""
    path.mkdir()
    case.make(path)
    offered = [
        finding for finding in findings(path, case.depth, case.demands) if finding.code == case.code
    ]
    assert any(finding.fix for finding in offered)
    for finding in offered:
        if finding.fix:
            words = shlex.split(fix_command(str(path), finding.fix))[1:]
            done = deltaadm(*words, "--yes", *consent)
            assert done.code == 0, (words, done.err)
    return {finding.code for finding in findings(path, case.depth, case.demands)}


@pytest.mark.parametrize("code", CODES)
def test_delta_accepts_the_fix_and_commits_what_was_planned(code: str, tmp_path: Path) -> None:
    case = first(code, tmp_path)
    assert code not in fixed(case, tmp_path / "table", "--allow-backfill", *ACCEPT_ALL)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Twelve versions and a checkpoint of the tenth, written by deltalake."""
    path = tmp_path / "written"
    for number in range(12):
        write_deltalake(path, pa.table({"id": [number]}), mode="append")
        if number == 10:
            DeltaTable(path).create_checkpoint()
    return path


@pytest.mark.parametrize(
    ("text", "code"),
    [(None, "DL107"), ('{"version":4,"size":2}', "DL108"), ("{", "DL110"), ("", "DL110")],
)
def test_delta_reads_the_table_from_the_checkpoint(
    text: str | None, code: str, spark: "SparkSession", written: Path
) -> None:
    log = written / "_delta_log"
    (log / "_last_checkpoint").unlink()
    if text is not None:
        (log / "_last_checkpoint").write_text(text)
    [found] = [finding for finding in findings(written) if finding.code == code]
    words = shlex.split(fix_command(str(written), found.fix))[1:]
    assert deltaadm(*words, "--yes").code == 0
    assert not {"DL107", "DL108", "DL109", "DL110"} & {
        finding.code for finding in findings(written)
    }
    for commit in sorted(log.glob("*.json"))[:-1]:
        commit.unlink()
    rows = spark.read.format("delta").load(str(written)).collect()
    assert sorted(row["id"] for row in rows) == list(range(12))
