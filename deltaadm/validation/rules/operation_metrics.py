"""DL128: a commit beside the metrics that its writer recorded for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.facts.statistics import num_records
from deltaadm.domain.model.properties import whole_number
from deltaadm.domain.model.wire import integer
from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deltaadm.domain.facts.facts import CommitFacts

ENGINES: Final = ("Apache-Spark/", "Databricks-Runtime/", "delta-rs:")
"""Writers whose metrics are known to count what is compared here; Delta before 1.2 has no name."""

OPERATIONS: Final = frozenset(
    {
        "CONVERT",
        "CREATE OR REPLACE TABLE AS SELECT",
        "CREATE TABLE AS SELECT",
        "DELETE",
        "MERGE",
        "OPTIMIZE",
        "REORG",
        "REPLACE TABLE AS SELECT",
        "RESTORE",
        "STREAMING UPDATE",
        "TRUNCATE",
        "UPDATE",
        "WRITE",
    }
)
"""A CLONE counts the files that it copies, which are not those that it adds."""


@rule("DL128", Severity.WARNING, Scope.COMMIT)
def operation_metrics_mismatch(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit has more or fewer files or rows than its writer counted.

    Why it matters: the writer counts what it commits. Where the numbers differ, actions were
    removed from the file, or put into it, after it was written: rows are lost or back again.

    What to do: compare the file with a backup or the store's older object versions, and with the
    data files in storage; restore it if it was changed.

    Source: Delta Spark, DeltaOperations (operationMetrics); delta-rs, operations. Tried with both.
    """
    metrics = commit.info.get("operationMetrics")
    if not isinstance(metrics, dict) or commit.operation not in OPERATIONS or not _is_known(commit):
        return
    for name in [name for name in _METRICS if name in metrics]:
        noun, count = _METRICS[name]
        claimed, counts = _number(metrics[name]), count(commit)
        if claimed is None or not counts or claimed in counts:
            continue
        if not _has_other_meaning(commit, name):  # asked last: of a long log, hardly ever
            yield Problem(
                f"{name} is {claimed}, and the commit has {counts[0]} {noun}.", commit.file.path
            )


def _is_known(commit: CommitFacts) -> bool:
    engine = commit.info.get("engineInfo", ENGINES[0])
    return isinstance(engine, str) and engine.startswith(ENGINES)


def _has_other_meaning(commit: CommitFacts, metric: str) -> bool:
    """
    Whether *metric* is about something else in this commit.

    Delta counts the rows that a replaceWhere copies, and the empty files that a stream writes and
    does not commit.
    """
    if metric == "numOutputRows":
        parameters = commit.info.get("operationParameters")
        filtered = isinstance(parameters, dict) and bool(parameters.get("predicate"))
        return filtered or commit.operation == "MERGE"
    return metric == "numAddedFiles" and commit.operation == "STREAMING UPDATE"


def _added(commit: CommitFacts) -> tuple[int, ...]:
    return (_count(commit, "add"),)


def _new(commit: CommitFacts) -> tuple[int, ...]:
    """The added files without those that only get another deletion vector."""
    return (len(_paths(commit, "add") - _paths(commit, "remove")),)


def _added_or_changed(commit: CommitFacts) -> tuple[int, ...]:
    """The number of added files, with or, as delta-rs counts them, including change data files."""
    count = _count(commit, "add")
    return count, count + len(commit.actions("cdc"))


def _vectors(name: str) -> Callable[[CommitFacts], tuple[int, ...]]:
    def count(commit: CommitFacts) -> tuple[int, ...]:
        return (sum(bool(action.get("deletionVector")) for action in _actions(commit, name)),)

    return count


def _removed(commit: CommitFacts) -> tuple[int, ...]:
    """DELETE and MERGE leave out files that get another deletion vector, UPDATE does not."""
    return _count(commit, "remove"), len(_paths(commit, "remove") - _paths(commit, "add"))


def _rows(commit: CommitFacts) -> tuple[int, ...]:
    """The rows in the files that a commit adds; empty where a file's statistics do not tell."""
    counts = [num_records(_text(action.get("stats"))) for action in _actions(commit, "add")]
    known = [count for count in counts if count is not None]
    return (sum(known),) if len(known) == len(counts) else ()


def _paths(commit: CommitFacts, name: str) -> set[str]:
    actions = commit.actions(name)
    return {str(action.get("path")) for action in actions if isinstance(action, dict)}


def _actions(commit: CommitFacts, name: str) -> Iterator[dict[str, Any]]:
    return (action for action in commit.actions(name) if isinstance(action, dict))


def _count(commit: CommitFacts, name: str) -> int:
    return sum(isinstance(action, dict) for action in commit.actions(name))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> int | None:
    """A count in the metrics of an operation."""
    # Delta writes it as text, delta-rs as a number.
    if isinstance(value, str):
        return whole_number(value)
    return integer(value)


_ADDED: Final = ("add actions", _added)
_NEW: Final = ("new files", _new)
_ADDED_OR_CHANGED: Final = ("add actions", _added_or_changed)
_REMOVED: Final = ("remove actions", _removed)
_ADDED_VECTORS: Final = ("add actions with a deletion vector", _vectors("add"))
_REMOVED_VECTORS: Final = ("remove actions with a deletion vector", _vectors("remove"))
_ROWS: Final = ("rows in the files that it adds", _rows)
_METRICS: Final = {
    "numConvertedFiles": _ADDED,
    "numRestoredFiles": _ADDED,
    "numTargetFilesAdded": _NEW,
    "numAddedFiles": _NEW,
    "numTargetFilesRemoved": _REMOVED,
    "numRemovedFiles": _REMOVED,
    "numDeletionVectorsAdded": _ADDED_VECTORS,
    "numDeletionVectorsRemoved": _REMOVED_VECTORS,
    "numTargetDeletionVectorsAdded": _ADDED_VECTORS,
    "numTargetDeletionVectorsRemoved": _REMOVED_VECTORS,
    "numOutputRows": _ROWS,
    # delta-rs
    "numRestoredFile": _ADDED,
    "numRemovedFile": _REMOVED,
    "numFilesAdded": _ADDED,
    "numFilesRemoved": _REMOVED,
    "num_added_files": _ADDED_OR_CHANGED,
    "num_removed_files": _REMOVED,
    "num_target_files_added": _ADDED_OR_CHANGED,
    "num_target_files_removed": _REMOVED,
    "num_added_rows": _ROWS,
}
"""The values allowed for each metric, by the names that Delta Spark and delta-rs use."""
