"""What the rules about the log, checkpoints and checksums say, how bad it is, what fixes it."""

from pathlib import Path

import pytest

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.facts import LogFacts
from deltaadm.replay.examine import Depth, examine
from deltaadm.rules.rule import Finding
from deltaadm.storage.store import open_store
from tests.support.program import checkpoint_of
from tests.support.rows import with_rows
from tests.support.rule_cases import CASES, Case, findings
from tests.support.tables import START_BODY, add, commit, table


def _case(code: str, name: str) -> Case:
    (found,) = (case for case in CASES if (case.code, case.name) == (code, name))
    return found


def _found(code: str, name: str, path: Path) -> list[Finding]:
    case = _case(code, name)
    case.make(path)
    return [finding for finding in findings(path, case.depth) if finding.code == code]


@with_rows
def test_first_finding(tmp_path: Path, code: str, name: str, severity: str, words: str) -> None:
    first, *_ = _found(code, name, tmp_path)
    assert (first.severity.value, words in first.message) == (severity, True), first.message


@with_rows
def test_one_thing_is_told_once(tmp_path: Path, code: str, name: str) -> None:
    assert len(_found(code, name, tmp_path)) == 1


@with_rows
def test_a_new_checkpoint_fixes_the_pointer(tmp_path: Path, code: str, name: str) -> None:
    assert [finding.fix for finding in _found(code, name, tmp_path)] == [(WriteCheckpoint(),)]
    checkpoint_of(tmp_path)
    case = _case(code, name)
    assert [finding for finding in findings(tmp_path, case.depth) if finding.code == code] == []


def test_a_table_that_cannot_be_loaded_is_not_fixed(tmp_path: Path) -> None:
    made = _case("DL110", "the_pointer_is_empty")
    made.make(tmp_path)
    log = tmp_path / "_delta_log"
    for name in (f"{0:020d}.json", f"{1:020d}.checkpoint.parquet"):
        (log / name).unlink()
    (found,) = (finding for finding in findings(tmp_path) if finding.code == "DL110")
    assert found.fix == ()


def test_a_commit_that_comes_while_the_log_is_listed_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(tmp_path, START_BODY, commit(add("x")))
    made.crc(1, [])
    store = open_store(str(tmp_path))
    early = {name: file for name, file in store.list_log().items() if name != f"{1:020d}.json"}
    late = store.list_log
    listings = iter([early])
    monkeypatch.setattr(store, "list_log", lambda *given: next(listings, None) or late(*given))
    (log,) = (fact for fact in examine(store, Depth(), now=0) if isinstance(fact, LogFacts))
    assert not log.listing.checksums_ahead
