"""The command of every fix works: what it plans, Delta accepts, and the finding is gone."""

import shlex
from pathlib import Path

import pytest

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.clients import CLIENTS
from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.errors import TableError
from deltaadm.plans.goals import plan_fixes
from deltaadm.plans.undo import fix_command
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import open_store
from tests.support.cases import each
from tests.support.program import LogWriter, deltaadm
from tests.support.rule_cases import CASES, Case, findings, named, report

pytestmark = pytest.mark.slow

BREAKING = [case for case in CASES if case.breaks]
CONSENT = (
    "--yes",
    "--allow-backfill",
    "--allow-rewrite",
    *(word for name in CLIENTS for word in ("--accept-silently-wrong", name)),
)


FIXABLE = {
    "DL206": {"orphaned_column_mapping"},
    "DL212": {"change_data_feed_at_writer_3", "in_commit_timestamps_at_writer_2",
        "invariant_at_writer_1", "row_tracking_at_writer_2"},
    "DL216": {"lists_that_a_version_implies", "lists_without_features",
        "reader_2_that_means_nothing"},
    "DL308": {"versions_among_the_properties", "version_that_is_no_number",
        "ignored_defaults_among_the_properties"},
    "DL310": {"interval_without_its_word", "boolean_in_capitals"},
    "DL402": {"name_mode_at_legacy_versions"},
    "DL407": {"maximum_is_missing"},
    "DL408": {"maximum_is_too_low", "maximum_is_below_a_nested_id"},
}  # fmt: skip
"""The cases for which there is a fix, of the rules that sometimes have one."""


def loadable(path: Path) -> bool:
    try:
        load_snapshot(open_store(str(path)), detail=Detail.STATE)
    except TableError:
        return False
    return True


@each("case", named(BREAKING))
def test_the_command_of_a_fix_fixes_the_finding_and_all_are_one_plan(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    path = tmp_path / "table"
    path.mkdir()
    case.make(path)
    found = report(path, case.depth, case.demands)
    fixable = [finding for finding in found.findings if finding.fix]
    if case.code in FIXABLE:
        its = [finding.fix for finding in found.findings if finding.code == case.code]
        assert all(its) is (case.name in FIXABLE[case.code])
    if loadable(path):
        plan = plan_fixes(load_snapshot(open_store(str(path)), detail=Detail.STATE), found)
        assert plan.is_noop is not bool(fixable)
        assert plan.steps.count(WriteCheckpoint()) <= 1
        assert plan.steps[-1:] == (WriteCheckpoint(),) or WriteCheckpoint() not in plan.steps
        assert len(plan.steps) <= 3
    else:
        assert fixable == []
    for finding in fixable:
        program, *words = shlex.split(fix_command("table", finding.fix))
        done = deltaadm(*words, *CONSENT)
        assert program == "deltaadm"
        assert done.code == 0, (finding.code, words, done.err)
        left = findings(path, case.depth, case.demands)
        assert (finding.code, finding.where) not in {(each.code, each.where) for each in left}


def test_every_fixable_case_exists() -> None:
    broken = {(case.code, case.name) for case in BREAKING}
    assert {(code, name) for code, names in FIXABLE.items() for name in names} <= broken
