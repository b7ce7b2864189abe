"""The states from version to version are those that each version has when it is loaded."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.plans.diff import RENAMED, Change, ChangeKind, diff, is_renaming
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.replay.timeline import timeline
from deltaadm.reports.history import Section, entries
from deltaadm.storage.store import LogStore, open_store
from tests.support import oracle, tables
from tests.support.oracle import OracleTable

_LISTS = {"partitionColumns", "clusteringColumns"}
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


def versions(path: Path, **span: int) -> list[int]:
    return [after.version for _, after in timeline(open_store(str(path)), **span).changes()]


def changing(path: Path) -> tables.Table:
    """Versions 0 to 5, of which 0, 2 and 4 change something."""
    made = tables.table(path, tables.commit(tables.protocol(), tables.metadata()))
    for version in range(1, 6):
        action = tables.metadata({"n": str(version)}) if version % 2 == 0 else tables.add("f")
        made.commit(version, tables.commit_info(), action)
    return made


def test_only_commits_with_changes_make_states(tmp_path: Path) -> None:
    changing(tmp_path)
    assert versions(tmp_path) == [0, 2, 4]
    assert versions(tmp_path, since=2, until=3) == [2]
    assert versions(tmp_path, since=3) == [4]


def test_a_truncated_log_begins_with_its_oldest_checkpoint(tmp_path: Path) -> None:
    made = changing(tmp_path)
    made.checkpoint(3, [tables.protocol(), tables.metadata({"n": "2"})])
    for version in range(3):
        (made.log / f"{version:020d}.json").unlink()
    found = timeline(open_store(str(tmp_path)))
    assert (found.base.version, found.last) == (3, 5)
    assert [after.version for _, after in found.changes()] == [4]


@pytest.mark.parametrize("damaged", [3, 4])
def test_an_unreadable_checkpoint_is_passed_over_for_a_later_one(
    tmp_path: Path, damaged: int
) -> None:
    made = changing(tmp_path)
    for version, value in ((3, "2"), (4, "4")):
        made.checkpoint(version, [tables.protocol(), tables.metadata({"n": value})])
    for version in range(3):
        (made.log / f"{version:020d}.json").unlink()
    made.write(f"{damaged:020d}.checkpoint.parquet", b"PAR1 nothing")
    assert timeline(open_store(str(tmp_path))).base.version == (4 if damaged == 3 else 3)


def test_a_gap_is_an_error_unless_a_checkpoint_follows(tmp_path: Path) -> None:
    made = changing(tmp_path)
    (made.log / f"{2:020d}.json").unlink()
    with pytest.raises(TableError, match="gap"):
        timeline(open_store(str(tmp_path)))
    made.checkpoint(3, [tables.protocol(), tables.metadata({"n": "2"})])
    assert versions(tmp_path) == [4]


def test_a_damaged_commit_shows_when_it_is_reached(tmp_path: Path) -> None:
    made = changing(tmp_path)
    made.write(f"{4:020d}.json", '{"metaData": {"id"')
    found = timeline(open_store(str(tmp_path))).changes()
    assert [next(found)[1].version, next(found)[1].version] == [0, 2]
    with pytest.raises(TableError, match=r"0004\.json"):
        next(found)


def test_a_log_without_protocol_is_an_error(tmp_path: Path) -> None:
    tables.table(tmp_path, tables.commit(tables.metadata()), tables.commit(tables.add("f")))
    with pytest.raises(TableError, match="its protocol"):
        versions(tmp_path)


def times(path: Path) -> Iterator[int | None]:
    return (after.timestamp for _, after in timeline(open_store(str(path))).changes())


def test_times_are_raised_above_those_of_all_commits_before(tmp_path: Path) -> None:
    made = changing(tmp_path)
    for version, modified in enumerate([1000, 5000, 2000, 3000, 4000, 9000]):
        made.write(
            f"{version:020d}.json", (made.log / f"{version:020d}.json").read_bytes(), modified
        )
    assert [*times(tmp_path)] == [1000, 5001, 5003]


def test_commits_with_timestamps_of_their_own_have_these(tmp_path: Path) -> None:
    switched = {"delta.enableInCommitTimestamps": "true"}
    made = tables.table(tmp_path)
    made.commit(0, tables.protocol(), tables.metadata(), modified=10_000)
    info = tables.commit_info(inCommitTimestamp=77)
    made.commit(1, info, tables.metadata(switched), modified=20_000)
    made.commit(2, info, tables.metadata(), modified=30_000)
    assert [*times(tmp_path)] == [10_000, 77, 30_000]
