"""DL5xx: features that columns use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.features import FEATURES, is_variant, struct_fields
from deltaadm.domain.model.properties import switch
from deltaadm.domain.model.protocol import missing_features
from deltaadm.domain.model.schema import PrimitiveType, path_text
from deltaadm.domain.model.wire import integer
from deltaadm.domain.transaction.clustering import CLUSTERING_DOMAIN
from deltaadm.domain.transaction.iceberg import widens_in_iceberg
from deltaadm.domain.transaction.invariants import invariants
from deltaadm.domain.transaction.metadata_checks import (
    CDC_COLUMNS,
)
from deltaadm.domain.transaction.type_widening import (
    TYPE_CHANGES,
    is_widening,
    record_flaws,
    type_changes,
)
from deltaadm.errors import DeltaadmError
from deltaadm.validation.among import having
from deltaadm.validation.fixes import adding
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import (
    Path,
    active_compat_versions,
    clustered_columns,
    fields_of,
    is_on,
    place_of,
    top_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import CommitFacts, SnapshotFacts, State
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import StructField
    from deltaadm.domain.transaction.invariants import Invariant

_GENERATION: Final = "delta.generationExpression"
_DEFAULT: Final = "CURRENT_DEFAULT"
_IDENTITY: Final = "delta.identity."
_IDENTITY_KEYS: Final = ("start", "step", "allowExplicitInsert")


@rule("DL516", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def illegal_type_change(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column records a type change that is not a widening, or that Iceberg does not support.

    Why it matters: readers must fail on a change that they do not support, since they cannot
    read the older files.

    What to do: rewrite the older files (ALTER TABLE … DROP FEATURE 'typeWidening' does), or find
    the writer that recorded the change.

    Source: PROTOCOL.md, Type Widening, and Iceberg Compatibility V2.
    """
    compat = max(active_compat_versions(table.snapshot), default=0)
    for path, field in fields_of(table.snapshot.metadata):
        for _, old, new in type_changes(field):
            if not old or not new:
                continue  # DL517's
            if not is_widening(old, new):
                yield Problem(f"A change from {old} to {new} is not a widening.", place_of(path))
            elif compat and not widens_in_iceberg(old, new):
                yield Problem(
                    f"Iceberg compatibility V{compat} does not allow the change from {old} to "
                    f"{new}.",
                    place_of(path),
                )


@rule("DL517", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def inconsistent_type_changes(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column records type changes without the feature, or in a way that does not lead to its type.

    Why it matters: readers decide by the record how older files are to be read.

    What to do: find the writer. A table that has dropped type widening must not keep the record.

    Source: PROTOCOL.md, Type Widening (Type Change Metadata).
    """
    supported = table.state.supports("typeWidening") or table.state.supports("typeWidening-preview")
    for path, field in fields_of(table.snapshot.metadata):
        if TYPE_CHANGES not in field.metadata:
            continue
        if not supported:
            yield Problem(
                f"Column {path_text(path)!r} records type changes, but the protocol lacks "
                "typeWidening.",
                place_of(path),
            )
        for flaw in record_flaws(field):
            yield Problem(
                f"The type changes recorded for column {path_text(path)!r} are wrong: {flaw}.",
                place_of(path),
            )


@rule("DL518", Severity.ERROR, Scope.SNAPSHOT)
def column_type_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's type needs a feature that the protocol lacks.

    Why it matters: clients that do not know the type are let in and fail, or take it for another
    one. Delta Spark refuses to load such a table where the protocol lists features.

    What to do: let Delta add the feature, which it does where the protocol lists none yet.
    Otherwise neither Delta Spark nor deltaadm can change the table: copy the data into a new one
    with a client that can read it.

    Source: PROTOCOL.md, Timestamp without timezone and Variant Data Type; Delta Spark,
    DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    snapshot = table.snapshot
    for name, evidence in missing_features(snapshot.metadata, snapshot.protocol).items():
        if FEATURES[name].activation.by_type:
            listed = snapshot.protocol.supports_writer_features
            yield Problem(
                f"The protocol lacks {name}, but {evidence[0]}.",
                "protocol.writerFeatures",
                fix=() if listed else adding(snapshot, name),
            )


@rule("DL519", Severity.ERROR, Scope.SNAPSHOT)
def misused_variant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A variant column is used for clustering, or has a default that is not null.

    Why it matters: values of a variant have no order and no literal; writers fail. (Variant
    partition columns have a rule of their own.)

    What to do: choose other columns for clustering; drop the default.

    Source: PROTOCOL.md, Variant Data Type (Compatibility with other Delta Features).
    """
    for path, data_type in clustered_columns(table):
        if is_variant(data_type):
            yield Problem(
                f"The table is clustered by {'.'.join(path)!r}, which is a variant.",
                f"domainMetadata[{CLUSTERING_DOMAIN}]",
            )
    for path, field in fields_of(table.snapshot.metadata):
        default = field.metadata.get(_DEFAULT)
        if default is not None and is_variant(field.type) and not _is_null(default):
            yield Problem(
                f"The variant column {path_text(path)!r} has the default {default!r}.",
                place_of(path),
            )


def _is_null(default: Any) -> bool:
    return isinstance(default, str) and default.strip().lower() == "null"


@rule("DL520", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def malformed_identity_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    An identity column lacks some of its settings, has step 0, is not a long, or partitions the
    table.

    Why it matters: writers cannot generate values for it, or generate the same one again and
    again.

    What to do: rewrite the table with a proper identity column.

    Source: PROTOCOL.md, Identity Columns.
    """
    metadata = table.snapshot.metadata
    for identity in _identities(table):
        where = place_of((identity.name,))
        missing = [key for key in _IDENTITY_KEYS if f"{_IDENTITY}{key}" not in identity.metadata]
        if missing:
            named = ", ".join(f"{_IDENTITY}{key}" for key in missing)
            yield Problem(f"Identity column {identity.name!r} lacks {named}.", where)
        for key in ("start", "step"):
            value = identity.metadata.get(f"{_IDENTITY}{key}", 1)
            if integer(value) is None or (key == "step" and value == 0):
                yield Problem(
                    f"The {key} of identity column {identity.name!r} is {value!r}.", where
                )
        if identity.type != PrimitiveType("long"):
            yield Problem(f"Identity column {identity.name!r} is not a long.", where)
        if identity.name in metadata.partition_columns:
            yield Problem(f"Identity column {identity.name!r} is a partition column.", where)


def _identities(table: SnapshotFacts) -> Iterator[StructField]:
    """The identity columns, whole or not, where the protocol makes their settings count."""
    if table.state.supports("identityColumns"):
        for field in top_fields(table.snapshot.metadata):
            if any(key.startswith(_IDENTITY) for key in field.metadata):
                yield field


@rule("DL521", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def identity_mark_out_of_step(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of an identity column is not one of the values that it can have.

    Why it matters: the next values do not continue from the last ones, and may repeat some.

    What to do: ALTER TABLE … ALTER COLUMN … SYNC IDENTITY.

    Source: PROTOCOL.md, Identity Columns.
    """
    for identity in _identities(table):
        start, step, mark = (
            integer(identity.metadata.get(f"{_IDENTITY}{key}"))
            for key in ("start", "step", "highWaterMark")
        )
        if start is None or mark is None or not step:
            continue
        if (mark - start) % step or (mark - start) * step < 0:
            yield Problem(
                f"The high water mark of identity column {identity.name!r} is {mark}, which cannot "
                f"be reached from {start} in steps of {step}.",
                place_of((identity.name,)),
            )


@rule("DL522", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def conflicting_generation(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column is generated and an identity column at once, or is generated from a generated one.

    Why it matters: Delta refuses to write such a table, as it cannot determine which value comes
    first.

    What to do: rewrite the table with expressions over plain columns only.

    Source: PROTOCOL.md, Generated Columns; Delta Spark, generated columns.
    """
    if not table.state.supports("generatedColumns"):
        return
    columns = top_fields(table.snapshot.metadata)
    generated = [column for column in columns if _GENERATION in column.metadata]
    names = {column.name.lower() for column in generated}
    identities = [*_identities(table)]
    for column in generated:
        if column in identities:
            message = f"Column {column.name!r} is generated and an identity column."
            yield Problem(message, place_of((column.name,)))
        for other in sorted(_names_in(str(column.metadata[_GENERATION])) & names):
            yield Problem(
                f"Column {column.name!r} is generated from {other!r}, which is generated.",
                place_of((column.name,)),
            )


_TOKEN: Final = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(\.?)\s*(?:`([^`]+)`|(\w+))(\s*\()?"
)


def _names_in(expression: str) -> set[str]:
    """The columns that an SQL expression may name, in lower case: no functions, no inner fields."""
    return {
        (match[2] or match[3]).lower()
        for match in _TOKEN.finditer(expression)
        if (match[2] or match[3]) and not match[1] and not match[4]
    }


@rule("DL523", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reserved_change_data_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The change data feed is on, and the table has a column whose name it reserves.

    Why it matters: Delta refuses to write such a table, since change data could not be
    distinguished from data.

    What to do: rename the column, or turn the change data feed off.

    Source: PROTOCOL.md, Change Data Files; Delta Spark, RESERVED_CDC_COLUMNS_ON_WRITE.
    """
    if is_on(table.snapshot, "changeDataFeed", "delta.enableChangeDataFeed"):
        for field in top_fields(table.snapshot.metadata):
            if field.name.lower() in CDC_COLUMNS:
                yield Problem(
                    f"The change data feed is on, and the table has a column {field.name!r}.",
                    place_of((field.name,)),
                )


@rule("DL524", Severity.ERROR, Scope.COMMIT, among=having("remove"))
def data_removed_from_append_only_table(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit removes data although the table is append-only.

    Why it matters: streaming readers of the table rely on nothing being removed.

    What to do: find the writer that does not honour delta.appendOnly; restore the table to the
    version before, if the rows are still wanted.

    Source: PROTOCOL.md, Append-only Tables; Delta Spark, DELTA_CANNOT_MODIFY_APPEND_ONLY.
    """
    # A commit that switches it on or off may still remove.
    if commit.replaces_table or not (_only_grows(commit.before) and _only_grows(commit.after)):
        return
    count = sum(
        isinstance(action, dict) and action.get("dataChange", True) is True
        for action in commit.actions("remove")
    )
    if count:
        yield Problem(
            f"The commit removes data ({count} files), but the table is append-only.",
            commit.file.path,
        )


def _only_grows(state: State) -> bool:
    if state.metadata is None or not state.supports("appendOnly"):
        return False
    return bool(switch(state.metadata.configuration, "delta.appendOnly"))


@rule("DL525", Severity.WARNING, Scope.SNAPSHOT)
def not_null_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column is NOT NULL, and the protocol's versions do not imply column invariants.

    Why it matters: writers that do not enforce NOT NULL are let in. (Where the protocol lists
    features, Delta Spark refuses to load the table; that has a rule of its own.)

    What to do: add the feature `invariants`, or make the column nullable.

    Source: PROTOCOL.md, Column Invariants; Delta Spark, which counts NOT NULL among them.
    """
    snapshot = table.snapshot
    protocol = snapshot.protocol
    if protocol.supports_writer_features or protocol.supports("invariants"):
        return
    for path, field in _plain_fields(snapshot.metadata):
        if not field.nullable:
            yield Problem(
                f"Column {path_text(path)!r} is NOT NULL, but versions {protocol.simple_string} "
                "do not imply invariants.",
                place_of(path),
                fix=adding(snapshot, "invariants"),
            )


def _plain_fields(metadata: Metadata) -> tuple[tuple[Path, StructField], ...]:
    """The fields outside arrays and maps, where Delta looks for invariants."""
    return tuple(struct_fields(metadata.schema)) if fields_of(metadata) else ()


@rule("DL526", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unreadable_invariant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's invariant is not the JSON that the protocol describes.

    Why it matters: Delta Spark fails to write the table, and where the protocol lists features it
    does not even load it. It is a warning where Delta Spark accepts it: it never reads the
    invariant of a NOT NULL column, and is lenient with others. delta-rs parses them all: it does
    not write a table with one that is not JSON, and ignores one that it does not recognize.

    What to do: take the invariant out of the column's metadata with the program that wrote it,
    and use a CHECK constraint.

    Source: PROTOCOL.md, Column Invariants; recorded from Delta Spark 4.4.0; tried with deltalake
    1.6.6.
    """
    try:
        unreadable = tuple(invariants(table.snapshot.metadata))
    except DeltaadmError:
        return
    for invariant in unreadable:
        if not invariant.is_described:
            fails = invariant.fails_in_delta_spark
            yield Problem(
                f"The invariant of column {path_text(invariant.path)!r} is {invariant.text!r}: "
                f"{_effect_of_invariant(invariant)}.",
                place_of(invariant.path),
                severity=None if fails else Severity.WARNING,
            )


def _effect_of_invariant(invariant: Invariant) -> str:
    if invariant.fails_in_delta_spark:
        return f"{invariant.flaw}, and Delta Spark cannot read it"
    spark = "treats it as SQL" if invariant.read else "ignores it because the column is NOT NULL"
    others = "refuses to write the table" if invariant.fails_in_delta_rs else "ignores it"
    return f"Delta Spark {spark}; delta-rs {others}"


@rule("DL527", Severity.WARNING, Scope.SNAPSHOT)
def default_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has a default value, and the protocol lacks `allowColumnDefaults`.

    Why it matters: writers that do not know defaults write null in place of the default.

    What to do: add the feature, or drop the default.

    Source: PROTOCOL.md, Default Columns; Delta Spark,
    WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED.
    """
    if table.state.supports("allowColumnDefaults"):
        return
    for path, field in fields_of(table.snapshot.metadata):
        if _DEFAULT in field.metadata:
            yield Problem(
                f"Column {path_text(path)!r} has a default, but the protocol lacks "
                "allowColumnDefaults.",
                place_of(path),
                fix=adding(table.snapshot, "allowColumnDefaults"),
            )
