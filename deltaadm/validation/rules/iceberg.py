"""DL5xx: compatibility with Iceberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.schema import all_types, path_text
from deltaadm.domain.transaction.column_mapping import (
    ColumnMappingMode,
    physical_name,
)
from deltaadm.domain.transaction.iceberg import (
    allows_type,
    compat_key,
)
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import (
    active_compat_versions,
    fields_of,
    is_on,
    mapping_mode,
    place_of,
    top_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import SnapshotFacts


@rule("DL512", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def iceberg_without_mapping(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on without column mapping.

    Why it matters: Iceberg finds columns by field id, which only column mapping writes. Delta
    refuses every change of such a table.

    What to do: turn column mapping on, or Iceberg compatibility off.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    if mapping_mode(table.snapshot.metadata) is ColumnMappingMode.NONE:
        for version in active_compat_versions(table.snapshot):
            yield Problem(
                f"Iceberg compatibility V{version} is on, but column mapping is off.",
                f"configuration[{compat_key(version)}]",
            )


@rule("DL513", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def iceberg_forbids_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, and a column has a type that it does not allow.

    Why it matters: the table cannot be read as an Iceberg table, and Delta refuses every change
    of it.

    What to do: drop the column, or choose another version of Iceberg compatibility.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2; protocol_rfcs/iceberg-compat-v3.md.
    """
    for version in active_compat_versions(table.snapshot):
        for field in top_fields(table.snapshot.metadata):
            if not all(allows_type(version, data_type) for data_type in all_types(field.type)):
                yield Problem(
                    f"Iceberg compatibility V{version} does not allow the type of column "
                    f"{field.name!r}.",
                    place_of((field.name,)),
                )


@rule("DL514", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_with_deletion_vectors(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility V1 or V2 is on, and so are deletion vectors, or files have some.

    Why it matters: Iceberg readers do not see them, and show deleted rows.

    What to do: set delta.enableDeletionVectors to false and purge the files: REORG TABLE … APPLY
    (PURGE). V1 does not even allow the feature in the protocol; choose V2, or drop it.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    snapshot = table.snapshot
    having = 0 if table.totals is None else table.totals.deletion_vectors
    enabled = is_on(snapshot, "deletionVectors", "delta.enableDeletionVectors")
    for version in active_compat_versions(snapshot):
        if version == 1 and snapshot.protocol.supports("deletionVectors"):
            why = "the protocol supports deletion vectors"
        elif version <= 2 and enabled:  # noqa: PLR2004 -- V3 knows deletion vectors
            why = "deletion vectors are on"
        elif version <= 2 and having:  # noqa: PLR2004
            why = f"{having} files have deletion vectors"
        else:
            continue
        where = f"configuration[{compat_key(version)}]"
        yield Problem(f"Iceberg compatibility V{version} is on, and {why}.", where)


@rule("DL515", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_without_counts(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, and files do not say how many records they have.

    Why it matters: Iceberg requires the number for every file, so the table cannot be
    converted.

    What to do: rewrite those files: REORG TABLE … APPLY (UPGRADE UNIFORM …).

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    facts = None if table.totals is None else table.totals.facts
    for version in active_compat_versions(table.snapshot):
        if facts is not None and facts.without_num_records:
            yield Problem(
                f"Iceberg compatibility V{version} is on, and {facts.without_num_records} of "
                f"{facts.files} files lack numRecords.",
                f"configuration[{compat_key(version)}]",
            )


@rule("DL531", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def iceberg_writer_forbids_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's physical name is not `col-` and its id, as Iceberg writer compatibility requires.

    Why it matters: with other names, files cannot be exchanged with writers for Iceberg. It is
    an error once the property is on.

    What to do: rewrite the table; physical names never change.

    Source: protocol_rfcs/iceberg-writer-compat-v1.md; Kernel, IcebergWriterCompat.
    """
    snapshot = table.snapshot
    for version in (1, 3):
        name = f"icebergWriterCompatV{version}"
        if not snapshot.protocol.supports(name):
            continue
        text = snapshot.metadata.configuration.get(f"delta.enableIcebergWriterCompatV{version}", "")
        active = text.lower() == "true"
        for path, field in fields_of(snapshot.metadata):
            expected = f"col-{field.metadata.get('delta.columnMapping.id')}"
            if physical_name(field) != expected:
                yield Problem(
                    f"{name} requires the physical name {expected!r} for column "
                    f"{path_text(path)!r}, "
                    f"which has {physical_name(field)!r}.",
                    place_of(path),
                    severity=Severity.ERROR if active else None,
                )


@rule("DL532", Severity.ERROR, Scope.SNAPSHOT)
def adaptive_metadata_without_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has adaptive metadata, and column mapping is not by id or deletion vectors are inline.

    Why it matters: adaptive metadata is Iceberg's, which knows columns by id and deletion vectors
    in files only.

    What to do: rewrite the table; the feature can only be chosen when a table is created.

    Source: protocol_rfcs/iceberg-v4-metadata.md.
    """
    protocol = table.snapshot.protocol
    if not any(protocol.supports(f"adaptiveMetadata{suffix}") for suffix in ("", "-preview")):
        return
    mode = mapping_mode(table.snapshot.metadata)
    # None is a mode that cannot be understood, which other rules report.
    if mode not in (None, ColumnMappingMode.ID):
        yield Problem(
            f"Adaptive metadata needs column mapping by id; the mode is {mode.value}.",
            "configuration[delta.columnMapping.mode]",
        )
    inline = None if table.totals is None else table.totals.inline_vectors
    if inline is not None and inline.count:
        yield Problem(
            f"{inline.count} files have an inline deletion vector, such as {inline.paths[0]!r}.",
            inline.paths[0],
        )
