"""
The slow way to judge a table: every file and every commit by itself, by every rule, and nothing
known from other tables.

`validate` asks by column which files of a checkpoint a rule can find something in, and adds them
up by column; of a commit it asks whether a rule can find something; like tables share what some
rules find. This is what it must agree with.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import LogSegment, Snapshot
from deltaadm.errors import TableError
from deltaadm.facts import ChecksumFacts, Facts, FileTotals, LiveFiles, SnapshotFacts
from deltaadm.replay.embedded import Replay, live_files
from deltaadm.replay.examine import Depth, examine
from deltaadm.replay.reconcile import Detail, ExaminingEngine
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.reports.validate import choose_rules, unreadable, validate
from deltaadm.rules.rule import ValidationReport
from deltaadm.spark.fleet import unpickled
from deltaadm.storage.store import LogStore, open_store
from tests.support.rule_cases import NOW


def all_reports(path: Path, depth: Depth) -> Iterator[ValidationReport]:
    """What the rules say row by row, by column, and by column in parts."""
    yield report(path, depth, by_row=True)
    yield report(path, depth)
    yield report(path, depth, Spreading())


class Spreading:
    """An engine that has every row group looked at as if by a process of its own."""

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        return Replay(store, segment).outcome(detail)

    def looked_at(
        self, store: LogStore, paths: Sequence[str], look: Callable[[Iterable[Any]], Any]
    ) -> list[Any] | None:
        try:
            return [
                unpickled(pickle.dumps(deepcopy(look)(adds)))
                for path in paths
                for adds in _row_groups(store, path)
            ]
        except Exception:  # noqa: BLE001 -- whatever is wrong with a file
            return None


def _row_groups(store: LogStore, path: str) -> Iterator[Iterator[Any]]:
    with store.open(path) as source, pq.ParquetFile(source) as file:
        for group in range(file.num_row_groups):
            batches = file.iter_batches(7, row_groups=[group], columns=["add"])
            yield (
                adds.filter(adds.is_valid()) for adds in (each.column("add") for each in batches)
            )


def report(
    path: Path,
    depth: Depth,
    engine: ExaminingEngine | None = None,
    *,
    by_row: bool = False,
    opened: Callable[[str], LogStore] = open_store,
) -> ValidationReport:
    """What the rules say of the table at *path* as *engine* sees it in a store that is *opened*."""
    try:
        store = opened(str(path))
        facts = examine(store, depth, now=NOW, engine=engine)
    except TableError as error:
        return unreadable(str(path), error)
    if by_row:
        return validate(str(path), _expanded(store, facts), _ALONE)
    return validate(str(path), facts, _TOGETHER)


_TOGETHER = tuple(choose_rules())
_ALONE = [replace(rule, shared=False, only=None, having=frozenset()) for rule in choose_rules()]


def _expanded(store: LogStore, facts: Iterable[Facts]) -> Iterator[Facts]:
    for fact in facts:
        if isinstance(fact, LiveFiles):
            for file, _ in fact.columns.files([fact.columns.every]):
                yield file
        elif isinstance(fact, SnapshotFacts) and fact.totals is not None:
            totals = _totals(store, fact.snapshot)
            assert fact.totals == totals
            yield replace(fact, totals=totals)
        elif isinstance(fact, ChecksumFacts) and fact.totals is not None and fact.snapshot:
            yield replace(fact, totals=_totals(store, fact.snapshot))
        else:
            yield fact


def _totals(store: LogStore, snapshot: Snapshot) -> FileTotals:
    assert snapshot.files is not None
    assert snapshot.segment is not None
    files = list(live_files(store, snapshot.segment))
    builder = TotalsBuilder(snapshot.files, store.qualifier)
    for file in files:
        builder.add(file)
    return builder.totals(lambda: files)
