"""The command of every fix works: what it plans, Delta accepts, and the finding is gone."""

import shlex
from pathlib import Path

import pytest

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.clients import CLIENTS
from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.errors import TableError
from deltaadm.plans.fixes import plan_fixes
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
