"""
Which plans are committed without Delta Spark, and why others are not.

A commit that adds and removes no file has few of the obligations that writers have; `OBLIGATIONS`
says which feature leaves which of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.model.properties import is_true
from deltaadm.domain.model.schema import path_text, walk
from deltaadm.domain.sql.constants import is_constant_of
from deltaadm.domain.sql.ddl import CURRENT_DEFAULT, EXISTS_DEFAULT, GENERATION
from deltaadm.domain.transaction.iceberg import ROW_TRACKING
from deltaadm.domain.transaction.obligations import (
    obstacles_in_metadata,
    obstacles_in_protocol,
)
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType, Path
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.operations.plan import Plan, Stage
    from deltaadm.storage.store import WritableStore


_OPEN_DEFAULT: Final = f'"{EXISTS_DEFAULT}":"{KNOWN_AFTER_COMMIT}"'
_UNIFORM: Final = "delta.universalFormat.enabledFormats"


def require_committable(plan: Plan, store: WritableStore | None = None) -> None:
    """
    Raise `Refused` unless *plan* is one that is committed without Delta Spark, to *store*.

    A store is asked for only where its kind matters.
    """
    for obstacle in obstacles(plan, store):
        raise Refused(
            f"The embedded commit engine cannot commit this plan: {obstacle}.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )


def obstacles(plan: Plan, store: WritableStore | None = None) -> Iterator[str]:
    """Why *plan* is not committed without Delta Spark, as clauses; none where it is."""
    if store is not None and not plan.is_noop and store.obstacle:
        yield store.obstacle
    for before, stage in zip(plan.states, plan.stages, strict=False):
        if stage.is_commit:
            yield from _of_step(before, stage)
            yield from _of_features(before, stage.after)
            yield from _of_properties(before, stage.after)


def _of_step(before: Snapshot, stage: Stage) -> Iterator[str]:
    step = stage.step
    what = f"the step {step.kind}"
    operation = step.operation(before, stage.after)
    # Of an empty table that has no column mapping, Delta rewrites nothing to remove it.
    is_empty = operation is not None and operation.reads_files and _has_no_files(before)
    if stage.cost is not Cost.METADATA and not is_empty:
        yield f"{what} is a {stage.cost.value}, which takes Spark to read or write files"
    elif stage.several_commits or stage.waits:
        yield f"{what} takes several commits, of which some are about files or history"
    elif stage.obstacle:
        yield f"{stage.obstacle[:1].lower()}{stage.obstacle[1:]}"
    elif operation is None:
        yield f"{what} takes Spark, which reads rows or a catalog for it"
    elif _OPEN_DEFAULT in (stage.after.metadata.schema_string or ""):
        yield "a column has a default, which takes Spark to evaluate"
    else:
        yield from _of_expressions(before, stage.after)


def _has_no_files(snapshot: Snapshot) -> bool:
    return snapshot.files is not None and not snapshot.files.files


def _of_expressions(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Obstacles in new defaults and generated columns."""
    # Spark analyses them unless they are plain constants.
    if not any(
        key in (after.metadata.schema_string or "") for key in (CURRENT_DEFAULT, GENERATION)
    ):
        return
    known = [expression[1:] for expression in _expressions(before)]
    for path, key, text, data_type in _expressions(after):
        is_constant = key == CURRENT_DEFAULT and is_constant_of(data_type, text)
        if (key, text, data_type) not in known and not is_constant:
            yield f"the expression of {path_text(path)}, {text}, takes Spark to check"


def _expressions(snapshot: Snapshot) -> Iterator[tuple[Path, str, str, DataType]]:
    for path, column in walk(snapshot.metadata.schema):
        for key in (CURRENT_DEFAULT, GENERATION):
            text = column.metadata.get(key)
            if isinstance(text, str):
                yield path, key, text, column.type


def _of_features(before: Snapshot, after: Snapshot) -> Iterator[str]:
    for protocol in (before.protocol, after.protocol):
        yield from obstacles_in_protocol(protocol)


def _of_properties(before: Snapshot, after: Snapshot) -> Iterator[str]:
    configuration = after.metadata.configuration
    begins = is_true(configuration, ROW_TRACKING) and before.exists
    if begins and not is_true(before.metadata.configuration, ROW_TRACKING):
        yield f"{ROW_TRACKING} becomes true, and Spark assigns row ids to the files that are there"
    yield from obstacles_in_metadata(after.metadata)
    if configuration.get(_UNIFORM):
        yield f"{_UNIFORM} is set, and metadata of other formats is written by Spark after a commit"
