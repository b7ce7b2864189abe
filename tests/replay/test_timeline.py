"""The states from version to version are those that each version has when it is loaded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError
from deltaadm.plans.diff import RENAMED, Change, ChangeKind, diff, is_renaming
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.replay.timeline import timeline
from deltaadm.reports.history import Section, entries
from deltaadm.storage.store import LogStore, open_store
from tests.support import oracle
from tests.support.oracle import OracleTable
from tests.support.tables import Table, commit_info, metadata, protocol

_MOST_VERSIONS = 12
_CONTRADICTORY = {"kernel-rs/parquet_row_group_skipping"}
"""Its checkpoint is of another table than its commits."""


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """Everything that a snapshot says, by its places."""
    every = diff(no_table(snapshot.root), snapshot)
    return {change.subject: change.after for change in every if change.after != []}


def applied(facts: dict[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
    """What *facts* say of a table after *changes*: columns go, get other names, then the rest."""
    gone = [change for change in changes if change.kind is ChangeKind.REMOVE]
    names = {each.before[RENAMED]: each.after[RENAMED] for each in changes if is_renaming(each)}
    for change in gone:
        facts.pop(change.subject, None)
    facts = {_renamed(subject, names): value for subject, value in facts.items()}
    for change in changes:
        if change not in gone:
            _apply(facts, change)
    return facts


def _renamed(subject: str, names: Mapping[str, str]) -> str:
    for old in sorted(names, key=len, reverse=True):
        if subject.startswith((f"schema[{old}]", f"schema[{old}.")):
            return f"schema[{names[old]}{subject[len(f'schema[{old}') :]}"
    return subject


def _apply(facts: dict[str, Any], change: Change) -> None:
    """Carry *change* out, which removes nothing and renames nothing any more."""
    if change.after == []:
        facts.pop(change.subject, None)
    elif change.subject.startswith("schema[") and change.kind is ChangeKind.SET:
        kept = {k: v for k, v in facts[change.subject].items() if k not in change.before}
        new = {k: v for k, v in change.after.items() if k != RENAMED or not is_renaming(change)}
        facts[change.subject] = kept | new
    elif change.subject != "schema" or isinstance(change.after, str):
        facts[change.subject] = change.after


def loaded(store: LogStore, version: int) -> Snapshot:
    snapshot = load_snapshot(store, version=version)
    if snapshot.protocol.supports("clustering"):
        return load_snapshot(store, version=version, detail=Detail.STATE)
    return replace(snapshot, domains={})


def check(path: Path) -> int:
    """Hold the history of the table at *path* against its versions; how many were compared."""
    store = open_store(str(path))
    found = timeline(store)
    made = list(entries("t", found.base, found.changes(), frozenset(Section), with_base=True))
    if not made:
        return 0
    known: dict[str, Any] = {}
    compared = 0
    begins = [*(entry.origin.version for entry in made), found.last + 1]
    for entry, end in zip(made, begins[1:], strict=True):
        known = applied(known, entry.changes)
        for version in dict.fromkeys((entry.origin.version, end - 1)):
            assert known == facts(loaded(store, version)), f"{path} at version {version}"
            compared += 1
        if compared > _MOST_VERSIONS:
            break
    return compared


def test_history_leads_from_each_version_to_the_next(oracle_tables: dict[str, OracleTable]) -> None:
    assert sum(check(table.path) for table in oracle_tables.values()) > len(oracle_tables)


def test_history_of_foreign_tables_leads_from_each_version_to_the_next() -> None:
    compared = 0
    for table in oracle.corpus():
        try:
            load_snapshot(open_store(str(table.path)))
        except DeltaadmError:
            continue
        if table.name in _CONTRADICTORY:
            continue
        compared += check(table.path)
    assert compared


@pytest.mark.parametrize(("times", "with_checkpoint", "expected"), [
    ((5, 9), False, 9), ((9, 5), False, 5), ((5, 9), True, 5), ((9, 5), True, 9),
])  # fmt: skip
@pytest.mark.parametrize("detail", [Detail.PROTOCOL, Detail.STATE])
def test_the_time_of_a_commit_that_gives_several(
    times: tuple[int, int], with_checkpoint: bool, expected: int, detail: Detail, tmp_path: Path
) -> None:
    """As Delta Spark 4.4 makes the next commit a millisecond later; its history has the first."""
    ict = {"delta.enableInCommitTimestamps": "true"}
    start = [protocol(1, 7, None, ["inCommitTimestamp"]), metadata(ict)]
    made = Table(tmp_path)
    made.commit(0, commit_info(inCommitTimestamp=1), *start)
    first, second = (commit_info(inCommitTimestamp=time) for time in times)
    made.commit(1, first, metadata(ict | {"x": "1"}), second)
    if with_checkpoint:
        made.checkpoint(1, [start[0], metadata(ict | {"x": "1"})])
    store = open_store(str(tmp_path))
    assert load_snapshot(store, detail=detail).timestamp == expected
    [(_, state)] = timeline(store, since=1).changes()
    assert state.timestamp == times[0]
