"""
The slow way to judge a table: every file and every commit by itself, by every rule, and nothing
known from other tables.

`validate` asks by column which files of a checkpoint a rule can find something in, and adds them
up by column; of a commit it asks whether a rule can find something; like tables share what some
rules find. This is what it must agree with.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import TableError
from deltaadm.facts import ChecksumFacts, Facts, FileTotals, LiveFiles, SnapshotFacts
from deltaadm.replay.embedded import EmbeddedEngine, live_files
from deltaadm.replay.examine import Depth, examine
from deltaadm.replay.totals import TotalsBuilder
from deltaadm.reports.validate import choose_rules, unreadable, validate
from deltaadm.rules.rule import RuleSet, ValidationReport
from deltaadm.storage.store import LogStore, open_store
from tests.support.rule_cases import NOW


def both_reports(path: Path, depth: Depth) -> tuple[ValidationReport, ValidationReport]:
    """What the rules say by column, and row by row."""
    return _report(path, depth, by_row=False), _report(path, depth, by_row=True)


def _report(path: Path, depth: Depth, *, by_row: bool) -> ValidationReport:
    try:
        store = open_store(str(path))
        facts = examine(store, depth, now=NOW, engine=EmbeddedEngine() if by_row else None)
    except TableError as error:
        return unreadable(str(path), error)
    if by_row:
        return validate(str(path), _expanded(store, facts), _ALONE)
    return validate(str(path), facts, _TOGETHER)


_TOGETHER = RuleSet(choose_rules())
_ALONE = [replace(rule, shared=False, only=None) for rule in choose_rules()]


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
