"""DL5xx: domain metadata and clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.features import is_variant
from deltaadm.domain.model.schema import path_text
from deltaadm.domain.steps import ClusterBy
from deltaadm.domain.transaction.clustering import (
    CLUSTERING_DOMAIN,
    lost_clustering,
    physical_clustering,
    restored_clustering,
)
from deltaadm.domain.transaction.feature_removal import ROW_TRACKING_DOMAIN
from deltaadm.domain.transaction.metadata_checks import has_bounds
from deltaadm.validation.fixes import accepted, adding
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import Path, clustered_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deltaadm.domain.facts.facts import SnapshotFacts
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step

_SYSTEM_DOMAINS: Final = frozenset({ROW_TRACKING_DOMAIN, CLUSTERING_DOMAIN, "delta.liquid"})


@rule("DL506", Severity.ERROR, Scope.SNAPSHOT)
def domain_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has domain metadata, and the protocol lacks the feature `domainMetadata`. A warning
    where no domain is Delta's own.

    Why it matters: writers that do not know domain metadata are let in, and lose it with the
    next checkpoint. Delta Spark keeps it, and refuses to change it.

    What to do: add the feature, or find the writer that changed the protocol.

    Source: PROTOCOL.md, Domain Metadata; Delta Spark, DELTA_DOMAIN_METADATA_NOT_SUPPORTED.
    """
    names = sorted(table.snapshot.domains or ())
    if names and not table.state.supports("domainMetadata"):
        listed = ", ".join(repr(name) for name in names[:5])
        yield Problem(
            f"The table has domains ({listed}), which the protocol does not allow.",
            "protocol.writerFeatures",
            severity=None if any(name.startswith("delta.") for name in names) else Severity.WARNING,
            fix=adding(table.snapshot, "domainMetadata"),
        )


@rule("DL507", Severity.WARNING, Scope.SNAPSHOT)
def unknown_system_domain(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A domain's name begins with `delta.`, and the protocol knows no such domain.

    Why it matters: these names are reserved. A program that has taken one may find its entry
    used for something else, or a newer protocol is at work that this program does not know.

    What to do: find out who wrote it; programs of users must choose another name.

    Source: PROTOCOL.md, Domain Metadata (system-controlled domains).
    """
    for name in sorted(table.snapshot.domains or ()):
        if name.startswith("delta.") and name not in _SYSTEM_DOMAINS:
            yield Problem(f"The domain {name!r} is unknown.", f"domainMetadata[{name}]")


@rule("DL508", Severity.ERROR, Scope.SNAPSHOT)
def clustered_and_partitioned(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is clustered and partitioned at the same time.

    Why it matters: the protocol forbids it, and Delta refuses to write such a table.

    What to do: `deltaadm alter TABLE --no-cluster-by`, or rewrite the table without partitions.

    Source: PROTOCOL.md, Clustered Table.
    """
    columns = table.snapshot.metadata.partition_columns
    if (
        columns
        and table.state.supports("clustering")
        and physical_clustering(table.snapshot.domains or {})
    ):
        listed = ", ".join(repr(column) for column in columns)
        yield Problem(f"The table is clustered, and partitioned by {listed}.", "partitionColumns")


@rule("DL509", Severity.ERROR, Scope.SNAPSHOT)
def unusable_clustering_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is clustered by a column that does not exist, or whose type has no statistics.

    Why it matters: clustering works by the minimum and maximum of files. OPTIMIZE fails.

    What to do: choose the columns again: `deltaadm alter TABLE --cluster-by COLUMN`. Under column
    mapping the domain must hold physical names; Delta leaves them there when column mapping is
    removed. Where an earlier version says which columns had them, `validate --fix` plans the
    repair.

    Source: PROTOCOL.md, Clustered Table.
    """
    for path, data_type in clustered_columns(table):
        name = ".".join(path)
        if data_type is None:
            former_name = _former_name_note(table, path)
            yield Problem(
                f"The table is clustered by {name!r}, which does not exist{former_name}.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
                fix=_restore_clustering_step(table),
            )
        elif not has_bounds(data_type) and not is_variant(data_type):
            yield Problem(
                f"The table is clustered by {name!r}, whose type has no statistics.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
            )


def _former_name_note(table: SnapshotFacts, path: Path) -> str:
    """The logical name of the column with the physical *path*, if known."""
    known = table.earlier_names.get(path)
    return "" if known is None else f" (once the physical name of {path_text(known)})"


def _restore_clustering_step(table: SnapshotFacts) -> tuple[Step, ...]:
    """The step that clusters the table by the same columns, under their present names."""
    columns = restored_clustering(table.snapshot, table.earlier_names)
    if columns is None:
        return ()
    return accepted(table.snapshot, ClusterBy(columns), lambda after: not lost_clustering(after))


@rule("DL535", Severity.WARNING, Scope.SNAPSHOT)
def suspended_clustering(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table's clustering was removed temporarily by deltaadm and has not been restored.

    Why it matters: column mapping is removed from a clustered table in three steps, the last of
    which clusters it again. A run that was killed before that leaves the table without clustering:
    OPTIMIZE no longer lays out its files.

    What to do: where no run is under way, repeat the command, or run `validate --fix`. The
    columns are in the `userMetadata` of the commit that removed the clustering.

    Source: docs/guide.md, In cron.
    """
    columns = table.snapshot.suspended_clustering
    if columns:
        listed = ", ".join(map(path_text, columns))
        yield Problem(
            f"The table was clustered by {listed} until a run of deltaadm that was not completed.",
            f"domainMetadata[{CLUSTERING_DOMAIN}]",
            fix=_restore_suspended(table.snapshot, columns),
        )


def _restore_suspended(snapshot: Snapshot, columns: Sequence[Path]) -> tuple[Step, ...]:
    step = ClusterBy(tuple(columns))
    return accepted(snapshot, step, lambda after: not after.suspended_clustering)
