"""
Which plans are committed without Delta Spark, and why others are not.

A commit that adds and removes no file has few of the obligations that writers have. Which feature
leaves which of them is said here, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.metadata import KNOWN_AFTER_COMMIT
from deltaadm.domain.model.properties import is_true
from deltaadm.domain.model.schema import path_text, walk
from deltaadm.domain.sql.constants import is_constant_of
from deltaadm.domain.sql.ddl import CURRENT_DEFAULT, EXISTS_DEFAULT, GENERATION
from deltaadm.domain.transaction.iceberg import ROW_TRACKING
from deltaadm.domain.transaction.transaction import COORDINATOR
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.schema import DataType, Path
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.operations.plan import Plan, Stage
    from deltaadm.storage.store import WritableStore


class Obligation(NamedTuple):
    """
    What a feature asks of a commit without data.

    `reason` says how it is fulfilled, or, where it is not `fulfilled`, why not.
    """

    fulfilled: bool
    reason: str


def _yes(reason: str) -> Obligation:
    return Obligation(fulfilled=True, reason=reason)


def _no(reason: str) -> Obligation:
    return Obligation(fulfilled=False, reason=reason)


_NO_ROWS: Final = "it is about rows that are written, and none are"
_NO_FILES: Final = "it is about data files, and none are added or removed"
_CATALOG: Final = "its commits are made by its catalog"
_REDIRECT: Final = "its writes may belong to another table"

OBLIGATIONS: Final[Mapping[str, Obligation]] = {
    "adaptiveMetadata-preview": _no("its commits are made of manifests of the table's files"),
    "allowColumnDefaults": _yes(_NO_ROWS),
    "appendOnly": _yes("nothing is removed"),
    "catalogManaged": _no(_CATALOG),
    "catalogOwned-preview": _no(_CATALOG),
    "changeDataFeed": _yes("no row changes, so there is no change to write"),
    "checkConstraints": _yes(_NO_ROWS),
    "checkpointProtection": _yes("nothing of the history is cleaned up"),
    "clustering": _yes("the domain names the columns; layout is about files"),
    "columnMapping": _yes("ids and physical names are in the predicted schema, and kept"),
    "coordinatedCommits-preview": _no("its commits are made by its coordinator"),
    "deletionVectors": _yes(_NO_FILES),
    "domainMetadata": _yes("domains stay as they are, but for the one that a step changes"),
    "generatedColumns": _yes(_NO_ROWS),
    "geospatial": _yes(_NO_ROWS),
    "geospatial-dev": _yes(_NO_ROWS),
    "icebergCompatV1": _yes("schema and properties are checked; statistics are about files"),
    "icebergCompatV2": _yes("schema and properties are checked; statistics are about files"),
    "icebergCompatV3": _yes("schema and properties are checked; statistics are about files"),
    "identityColumns": _yes(_NO_ROWS),
    "inCommitTimestamp": _yes("the timestamp comes first in the file, and always increases"),
    "invariants": _yes(_NO_ROWS),
    "materializePartitionColumns": _yes(_NO_FILES),
    "redirectReaderWriter-preview": _no(_REDIRECT),
    "redirectWriterOnly-preview": _no(_REDIRECT),
    "rowTracking": _yes("row ids are assigned to files that are added, and none are"),
    "timestampNtz": _yes(_NO_ROWS),
    "typeWidening": _yes("type changes are recorded in the predicted schema"),
    "typeWidening-preview": _yes("type changes are recorded in the predicted schema"),
    "v2Checkpoint": _yes("no checkpoint is written along with the commit"),
    "vacuumProtocolCheck": _yes("nothing is vacuumed"),
    "variantShredding": _yes(_NO_FILES),
    "variantShredding-preview": _yes(_NO_FILES),
    "variantType": _yes(_NO_ROWS),
    "variantType-preview": _yes(_NO_ROWS),
}
"""The features that Delta Spark knows; a table with any other is refused."""

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
    if store is not None and not plan.is_noop and not store.can_create:
        yield f"the store of {store.root} cannot write a file only where there is none"
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
        for name in sorted(protocol.supported_features | protocol.explicit_names):
            obligations = OBLIGATIONS.get(name) or _no("it is not known what it asks of writers")
            if not obligations.fulfilled:
                yield f"the table has the feature {name}, and {obligations.reason}"


def _of_properties(before: Snapshot, after: Snapshot) -> Iterator[str]:
    configuration = after.metadata.configuration
    begins = is_true(configuration, ROW_TRACKING) and before.exists
    if begins and not is_true(before.metadata.configuration, ROW_TRACKING):
        yield f"{ROW_TRACKING} becomes true, and Spark assigns row ids to the files that are there"
    if any(configuration.get(key) for key in COORDINATOR):
        yield "the table has coordinated commits, which are made by its coordinator"
    if configuration.get(_UNIFORM):
        yield f"{_UNIFORM} is set, and metadata of other formats is written by Spark after a commit"
