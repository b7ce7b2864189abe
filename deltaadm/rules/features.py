"""DL5xx: features that columns use, domains, row tracking, timestamps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.ddl import column_references
from deltaadm.domain.features import FEATURES, is_variant, struct_fields
from deltaadm.domain.properties import Key, switch, whole_number
from deltaadm.domain.protocol import CATALOG_MANAGED
from deltaadm.domain.schema import FieldKey, Path, PrimitiveType, StructField, path_text, slot_types
from deltaadm.domain.transaction.checks import CDC_COLUMNS, has_bounds
from deltaadm.domain.transaction.column_mapping import physical_name, stored_schema
from deltaadm.domain.transaction.columns import (
    is_widening,
    lost_clustering,
    physical_clustering,
    restored_clustering,
)
from deltaadm.domain.transaction.removal import ROW_TRACKING_DOMAIN
from deltaadm.domain.transaction.spark_support import invariants
from deltaadm.domain.transaction.update import widens_in_iceberg
from deltaadm.facts import CommitFacts, SnapshotFacts
from deltaadm.json_values import integer
from deltaadm.limits import load_json
from deltaadm.rules import rule as rules
from deltaadm.rules.rule import Problem, Scope, Severity, place_of, rule

_CLUSTERING: Final = f"domainMetadata[{CLUSTERING_DOMAIN}]"
_IDENTITY: Final = "delta.identity."
_IDENTITY_KEYS: Final = tuple(
    f"{_IDENTITY}{key}" for key in ("start", "step", "allowExplicitInsert")
)
_SYSTEM_DOMAINS: Final = frozenset({ROW_TRACKING_DOMAIN, CLUSTERING_DOMAIN, "delta.liquid"})


@rule("DL516", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def illegal_type_change(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column records a type change that is not a widening, or that Iceberg does not support.

    Why it matters: readers cannot read the older files, and fail.

    What to do: rewrite the older files: ALTER TABLE … DROP FEATURE 'typeWidening' does.

    Source: PROTOCOL.md, Type Widening, and Iceberg Compatibility V2.
    """
    compat = max(rules.active_compat_versions(table.snapshot), default=0)
    for path, field in rules.fields_of(table.metadata):
        for _, old, new in _type_changes(field):
            change, is_known = f"change from {old} to {new}", old and new  # others are DL517's
            if is_known and not is_widening(old, new):
                yield Problem(f"A {change} is not a widening.", place_of(path))
            elif is_known and compat and not widens_in_iceberg(old, new):
                message = f"Iceberg compatibility V{compat} does not allow the {change}."
                yield Problem(message, place_of(path))


@rule("DL517", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def inconsistent_type_changes(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column records type changes without the feature, or changes that do not end in its type.

    Why it matters: readers use the record to read older files, and misread them.

    What to do: find the writer. A table that has dropped type widening must not keep the record.

    Source: PROTOCOL.md, Type Widening (Type Change Metadata).
    """
    supported = any(map(table.protocol.supports, ("typeWidening", "typeWidening-preview")))
    for path, field in rules.fields_of(table.metadata):
        if FieldKey.TYPE_CHANGES not in field.metadata:
            continue
        name, where = repr(path_text(path)), place_of(path)
        if not supported:
            message = f"Column {name} records type changes, but the protocol lacks typeWidening."
            yield Problem(message, where)
        if not _lead_to_its_type(field):
            yield Problem(f"The type changes of column {name} do not lead to its type.", where)


def _type_changes(field: StructField) -> Iterator[tuple[str, str, str]]:
    """
    The recorded changes of a field: path within its type (`element.key`), old type, new type.

    An entry that is no such record has empty types.
    """
    recorded = field.metadata.get(FieldKey.TYPE_CHANGES)
    for entry in recorded if isinstance(recorded, list) else ():
        document = entry if isinstance(entry, dict) else {}
        values = [document.get(key) for key in ("fieldPath", "fromType", "toType")]
        path, old, new = (value if isinstance(value, str) else "" for value in values)
        yield path, old, new


def _lead_to_its_type(field: StructField) -> bool:
    reached: dict[str, str] = {}
    for path, old, new in _type_changes(field):
        if not old or not new or reached.get(path, old) != old:
            return False
        reached[path] = new
    types = dict(slot_types(field.type))
    return isinstance(field.metadata[FieldKey.TYPE_CHANGES], list) and all(
        types.get(tuple(path.split(".")) if path else ()) == PrimitiveType(last)
        for path, last in reached.items()
    )


@rule("DL518", Severity.ERROR, Scope.SNAPSHOT)
def column_type_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's type needs a feature that the protocol lacks.

    Why it matters: nothing stops clients that do not know the type: they fail, or read it as
    another type. If the protocol lists features, Delta Spark refuses to load the table.

    What to do: let Delta add the feature, or run `deltaadm repair TABLE` where features are listed.

    Source: PROTOCOL.md, Timestamp without timezone and Variant Data Type; Delta Spark,
    DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    for name, evidence in table.protocol.missing_features(table.metadata).items():
        if FEATURES[name].activation.by_type:
            listed = table.protocol.supports_writer_features
            fix = () if listed else rules.adding(table.snapshot, name)
            message = f"The protocol lacks {name}, but {evidence[0]}."
            yield Problem(message, "protocol.writerFeatures", fix=fix)


@rule("DL519", Severity.ERROR, Scope.SNAPSHOT)
def misused_variant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A variant column is used for clustering, or has a default that is not null.

    Why it matters: writers fail: variants have neither an order nor literals.

    What to do: choose other columns for clustering; drop the default.

    Source: PROTOCOL.md, Variant Data Type (Compatibility with other Delta Features).
    """
    for path, column in _clustered_columns(table):
        if column and is_variant(column.type):
            message = f"The table is clustered by {'.'.join(path)!r}, which is a variant."
            yield Problem(message, _CLUSTERING)
    for path, field in rules.fields_of(table.metadata):
        default = field.metadata.get(FieldKey.CURRENT_DEFAULT)
        is_null = isinstance(default, str) and default.strip().lower() == "null"
        if default is not None and is_variant(field.type) and not is_null:
            message = f"The variant column {path_text(path)!r} has the default {default!r}."
            yield Problem(message, place_of(path))


@rule("DL520", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def malformed_identity_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    An identity column lacks some settings, has step 0, is not a long, or partitions the table.

    Why it matters: writers cannot generate values for it, or generate the same ones again.

    What to do: rewrite the table with a proper identity column.

    Source: PROTOCOL.md, Identity Columns.
    """
    for identity in _identities(table):
        name, where = repr(identity.name), place_of((identity.name,))
        missing = ", ".join(key for key in _IDENTITY_KEYS if key not in identity.metadata)
        if missing:
            yield Problem(f"Identity column {name} lacks {missing}.", where)
        for key in ("start", "step"):
            value = identity.metadata.get(f"{_IDENTITY}{key}", 1)
            if integer(value) is None or (key == "step" and value == 0):
                yield Problem(f"The {key} of identity column {name} is {value!r}.", where)
        if identity.type != PrimitiveType("long"):
            yield Problem(f"Identity column {name} is not a long.", where)
        if identity.name in table.metadata.partition_columns:
            yield Problem(f"Identity column {name} is a partition column.", where)


def _identities(table: SnapshotFacts) -> Iterator[StructField]:
    """The identity columns, whole or not, where the protocol makes their settings count."""
    if table.protocol.supports("identityColumns"):
        for field in rules.top_fields(table.metadata):
            if any(key.startswith(_IDENTITY) for key in field.metadata):
                yield field


@rule("DL521", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def identity_mark_out_of_step(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of an identity column is not one of the values that it can have.

    Why it matters: new values do not continue from the last ones, and may repeat some.

    What to do: ALTER TABLE … ALTER COLUMN … SYNC IDENTITY.

    Source: PROTOCOL.md, Identity Columns.
    """
    for identity in _identities(table):
        keys = (f"{_IDENTITY}{key}" for key in ("start", "step", "highWaterMark"))
        start, step, mark = (integer(identity.metadata.get(key)) for key in keys)
        if start is None or mark is None or not step:
            continue
        if (mark - start) % step or (mark - start) * step < 0:
            unfit = f"{mark}, which cannot be reached from {start} in steps of {step}"
            message = f"The high water mark of identity column {identity.name!r} is {unfit}."
            yield Problem(message, place_of((identity.name,)))


@rule("DL522", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def conflicting_generation(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A generated column is an identity column as well, or is generated from another generated one.

    Why it matters: Delta cannot tell which value to compute first, and refuses to write the table.

    What to do: rewrite the table with expressions over plain columns only.

    Source: PROTOCOL.md, Generated Columns; Delta Spark, generated columns.
    """
    if not table.protocol.supports("generatedColumns"):
        return
    columns = rules.top_fields(table.metadata)
    generated = [column for column in columns if FieldKey.GENERATION in column.metadata]
    names = {column.name.lower() for column in generated}
    identities = [*_identities(table)]
    for column in generated:
        name, where = repr(column.name), place_of((column.name,))
        if column in identities:
            yield Problem(f"Column {name} is generated and an identity column.", where)
        expression = str(column.metadata[FieldKey.GENERATION])
        named = {path[0].lower() for path in column_references(expression)}
        # A column whose name is a keyword, such as in year(date).
        named.update(re.findall(r"\w\(\s*(\w+)\s*(?:\)|as\b)", expression.lower()))
        for other in sorted(names & named):
            yield Problem(f"Column {name} is generated from {other!r}, which is generated.", where)


@rule("DL523", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reserved_change_data_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The change data feed is on, but a column of the table has a name that it reserves.

    Why it matters: Delta refuses to write the table, since it could not tell data from change data.

    What to do: rename the column, or turn the change data feed off.

    Source: PROTOCOL.md, Change Data Files; Delta Spark, RESERVED_CDC_COLUMNS_ON_WRITE.
    """
    if rules.is_on(table.snapshot, "changeDataFeed", Key.CHANGE_DATA_FEED):
        for field in rules.top_fields(table.metadata):
            if field.name.lower() in CDC_COLUMNS:
                message = f"The change data feed is on, and the table has a column {field.name!r}."
                yield Problem(message, place_of((field.name,)))


@rule("DL524", Severity.ERROR, Scope.COMMIT, having=["remove"])
def data_removed_from_append_only_table(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit removes data although the table is append-only.

    Why it matters: streams that read the table rely on it, and fail or miss changes.

    What to do: find the writer that ignores delta.appendOnly, and restore the version before.

    Source: PROTOCOL.md, Append-only Tables; Delta Spark, DELTA_CANNOT_MODIFY_APPEND_ONLY.
    """
    # A commit that switches it on or off may still remove.
    states = (commit.before, commit.after)
    if commit.replaces_table or not all(
        rules.is_on(state, "appendOnly", "delta.appendOnly") for state in states
    ):
        return
    count = sum(action.get("dataChange", True) is True for action in commit.objects("remove"))
    if count:
        yield Problem(f"The commit removes data ({count} files), but the table is append-only.")


@rule("DL525", Severity.WARNING, Scope.SNAPSHOT)
def not_null_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column is NOT NULL, but the protocol's versions do not imply column invariants.

    Why it matters: nothing stops writers that do not enforce NOT NULL. (If the protocol lists
    features, Delta Spark refuses to load the table: see DL211.)

    What to do: add the feature `invariants`, or make the column nullable.

    Source: PROTOCOL.md, Column Invariants; Delta Spark, which counts NOT NULL among them.
    """
    if table.protocol.supports_writer_features or table.protocol.supports("invariants"):
        return
    # Delta looks for invariants outside arrays and maps alone.
    for path, field in struct_fields(rules.schema_of(table.metadata)):
        if not field.nullable:
            lacking = f"versions {table.protocol.simple_string} do not imply invariants"
            message = f"Column {path_text(path)!r} is NOT NULL, but {lacking}."
            yield Problem(message, place_of(path), fix=rules.adding(table.snapshot, "invariants"))


@rule("DL526", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unreadable_invariant(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's invariant is not the JSON that the protocol describes.

    Why it matters: Delta Spark cannot write the table, nor load it if the protocol lists features.
    It is a warning if Delta Spark accepts the invariant, as it does on a NOT NULL column. delta-rs
    refuses to write a table with one that is not JSON, and ignores others.

    What to do: remove the invariant with the program that wrote it, and use a CHECK constraint.

    Source: PROTOCOL.md, Column Invariants; recorded from Delta Spark; tried with deltalake 1.6.6.
    """
    stored = invariants(table.metadata) if rules.fields_of(table.metadata) else ()
    for invariant in stored:
        if invariant.expression is not None:
            continue
        flaw, severity = "is not what the protocol describes", Severity.WARNING
        if invariant.fails_in_delta_spark:
            flaw, severity = f"cannot be read by Delta Spark: {invariant.flaw}", Severity.ERROR
        elif invariant.fails_in_delta_rs:
            flaw = "keeps delta-rs from writing the table"
        what = f"The invariant {invariant.text!r} of column {path_text(invariant.path)!r}"
        yield Problem(f"{what} {flaw}.", place_of(invariant.path), severity=severity)


@rule("DL527", Severity.WARNING, Scope.SNAPSHOT)
def default_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has a default value, but the protocol lacks `allowColumnDefaults`.

    Why it matters: writers that do not support defaults write null instead of the default.

    What to do: add the feature, or drop the default.

    Source: PROTOCOL.md, Default Columns; Delta Spark,
    WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED.
    """
    if table.protocol.supports("allowColumnDefaults"):
        return
    for path, field in rules.fields_of(table.metadata):
        if FieldKey.CURRENT_DEFAULT in field.metadata:
            flaw = "has a default, but the protocol lacks allowColumnDefaults"
            fix = rules.adding(table.snapshot, "allowColumnDefaults")
            yield Problem(f"Column {path_text(path)!r} {flaw}.", place_of(path), fix=fix)


# Domain metadata and clustering


@rule("DL506", Severity.ERROR, Scope.SNAPSHOT)
def domain_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has domain metadata, but the protocol lacks the feature `domainMetadata`. It is a
    warning if none of the domains is Delta's own.

    Why it matters: nothing stops writers that do not support domain metadata, and they lose it with
    the next checkpoint. Delta Spark keeps it, but refuses to change it.

    What to do: add the feature, or find the writer that changed the protocol.

    Source: PROTOCOL.md, Domain Metadata; Delta Spark, DELTA_DOMAIN_METADATA_NOT_SUPPORTED.
    """
    names = sorted(table.snapshot.domains or ())
    if names and not table.protocol.supports("domainMetadata"):
        listed = ", ".join(repr(name) for name in names[:5])
        yield Problem(
            f"The table has domains ({listed}), which the protocol does not allow.",
            "protocol.writerFeatures",
            severity=None if any(name.startswith("delta.") for name in names) else Severity.WARNING,
            fix=rules.adding(table.snapshot, "domainMetadata"),
        )


@rule("DL507", Severity.WARNING, Scope.SNAPSHOT)
def unknown_system_domain(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A domain's name begins with `delta.`, but the protocol does not define it.

    Why it matters: these names are reserved: a newer Delta wrote it, or may yet use the name.

    What to do: find out who wrote it; programs of users must choose another name.

    Source: PROTOCOL.md, Domain Metadata (system-controlled domains).
    """
    for name in sorted(table.snapshot.domains or ()):
        if name.startswith("delta.") and name not in _SYSTEM_DOMAINS:
            yield Problem(f"The domain {name!r} is unknown.", f"domainMetadata[{name}]")


@rule("DL508", Severity.ERROR, Scope.SNAPSHOT)
def clustered_and_partitioned(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is both clustered and partitioned.

    Why it matters: the protocol forbids it, and Delta refuses to write such a table.

    What to do: `deltaadm alter TABLE --no-cluster-by`, or rewrite the table without partitions.

    Source: PROTOCOL.md, Clustered Table.
    """
    columns, domains = table.metadata.partition_columns, table.snapshot.domains or {}
    if columns and table.protocol.supports("clustering") and physical_clustering(domains):
        listed = ", ".join(repr(column) for column in columns)
        yield Problem(f"The table is clustered, and partitioned by {listed}.", "partitionColumns")


@rule("DL509", Severity.ERROR, Scope.SNAPSHOT)
def unusable_clustering_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table is clustered by a column that does not exist, or whose type has no statistics.

    Why it matters: OPTIMIZE fails: clustering needs the minimum and maximum of each file.

    What to do: choose the columns again: `deltaadm alter TABLE --cluster-by COLUMN`. Delta leaves
    physical names behind when column mapping is removed; if an earlier version says which columns
    they belong to, `deltaadm validate TABLE --fix` restores them.

    Source: PROTOCOL.md, Clustered Table.
    """
    found, fix = [*_clustered_columns(table)], tuple[kinds.Step, ...]()
    if any(column is None for _, column in found):
        columns = restored_clustering(table.snapshot, table.earlier_names)
        if columns is not None:
            step = kinds.ClusterBy(columns)
            fix = rules.accepted(table.snapshot, step, lambda after: not lost_clustering(after))
    for path, column in found:
        name = ".".join(path)
        if column is None:
            message = f"The table is clustered by {name!r}, which does not exist."
            yield Problem(message, _CLUSTERING, fix=fix)
        elif not has_bounds(column.type) and not is_variant(column.type):
            message = f"The table is clustered by {name!r}, whose type has no statistics."
            yield Problem(message, _CLUSTERING)


def _clustered_columns(table: SnapshotFacts) -> Iterator[tuple[Path, StructField | None]]:
    """The physical paths that the table is clustered by, each with its column."""
    clustered, metadata = physical_clustering(table.snapshot.domains or {}), table.metadata
    known = rules.fields_of(metadata) and rules.mapping_mode(metadata)
    if clustered and known and table.protocol.supports("clustering"):
        columns = dict(struct_fields(stored_schema(metadata)))
        yield from ((path, columns.get(path)) for path in clustered)


@rule("DL535", Severity.WARNING, Scope.SNAPSHOT)
def suspended_clustering(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table's clustering, which deltaadm removed temporarily, has not been restored.

    Why it matters: deltaadm removes column mapping from a clustered table in three steps. A run
    that was killed before the last one leaves it without clustering: OPTIMIZE no longer lays out
    files.

    What to do: if no run is under way, repeat the command, or run `deltaadm validate TABLE --fix`.
    The columns are in the `userMetadata` of the commit that removed the clustering.

    Source: docs/guide.md, In cron.
    """
    columns = table.snapshot.suspended_clustering
    if columns:
        by, step = ", ".join(map(path_text, columns)), kinds.ClusterBy(tuple(columns))
        yield Problem(
            f"The table was clustered by {by} until a run of deltaadm that was not completed.",
            _CLUSTERING,
            fix=rules.accepted(table.snapshot, step, lambda after: not after.suspended_clustering),
        )


# Row tracking


@rule("DL501", Severity.ERROR, Scope.SNAPSHOT)
def files_without_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, but live files lack a base row id or a default row commit version.

    Why it matters: whatever tracks changes by row id fails or loses these rows.

    What to do: find the writer. Turning row tracking off and on again gives every file its ids.

    Source: PROTOCOL.md, Row Tracking.
    """
    totals = table.totals
    is_on = rules.is_on(table.snapshot, "rowTracking", Key.ROW_TRACKING)
    if totals is not None and totals.without_row_tracking.count and is_on:
        lacking = totals.without_row_tracking
        files = f"{lacking.count} of {totals.facts.files} files"
        message = f"Row tracking is on, but {files} lack row ids, for example {lacking.paths[0]!r}."
        yield Problem(message, f"configuration[{Key.ROW_TRACKING}]")


@rule("DL502", Severity.ERROR, Scope.SNAPSHOT)
def overlapping_row_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two live files share row ids.

    Why it matters: a row id must identify one row. Otherwise changes are applied to the wrong row.

    What to do: find the writer. Turning row tracking off and on again assigns new ids.

    Source: PROTOCOL.md, Row IDs.
    """
    if table.totals is not None and table.protocol.supports("rowTracking"):
        for left, right in table.totals.overlapping_row_ids:
            yield Problem(f"The files {left!r} and {right!r} share row ids.", left)


@rule("DL503", Severity.ERROR, Scope.SNAPSHOT)
def row_id_mark_too_low(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The high water mark of row ids is missing, or below a row id that is in use.

    Why it matters: the next writer gives new rows ids that other rows already have.

    What to do: find the writer. Turning row tracking off and on again assigns new ids.

    Source: PROTOCOL.md, Row IDs (domain delta.rowTracking).
    """
    highest = None if table.totals is None else table.totals.highest_row_id
    if highest is None or not table.protocol.supports("rowTracking"):
        return
    domain, mark = (table.snapshot.domains or {}).get(ROW_TRACKING_DOMAIN), None
    if domain is not None:
        with suppress(ValueError, RecursionError, AttributeError):  # no JSON object
            mark = integer(load_json(domain.configuration).get("rowIdHighWaterMark"))
    if mark is None or mark < highest:
        shown = "missing" if mark is None else str(mark)
        message = f"The high water mark of row ids is {shown}, but row id {highest} is in use."
        yield Problem(message, f"domainMetadata[{ROW_TRACKING_DOMAIN}]")


@rule("DL504", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unusable_row_tracking_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on, but a column for its values has no name, or the name of another column.

    Why it matters: rewritten rows keep their ids in these columns. They are lost or mixed up.

    What to do: rename the other column, or turn row tracking off and on again.

    Source: PROTOCOL.md, Row Tracking; DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED.
    """
    if not rules.is_on(table.snapshot, "rowTracking", Key.ROW_TRACKING):
        return
    # The column is stored in data files, which have the physical names.
    columns = rules.top_fields(table.metadata)
    taken = {name.lower() for field in columns for name in (field.name, physical_name(field))}
    for key in (Key.ROW_ID_COLUMN, Key.ROW_COMMIT_VERSION_COLUMN):
        name = table.metadata.configuration.get(key, "")
        if not name:
            yield Problem(f"Row tracking is on, but {key} is not set.", f"configuration[{key}]")
        elif name.lower() in taken:
            yield Problem(f"{key} is {name!r}, which is already in use.", f"configuration[{key}]")
        taken.add(name.lower())


@rule("DL505", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def row_tracking_on_and_suspended(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Row tracking is on and suspended at the same time.

    Why it matters: one promises that every file has row ids, the other that writers assign none.

    What to do: set one of the two properties to false.

    Source: PROTOCOL.md, Row Tracking; Delta Spark, DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION.
    """
    keys = (Key.ROW_TRACKING, "delta.rowTrackingSuspended")
    if all(switch(table.metadata.configuration, key) for key in keys):
        yield Problem(f"Both {' and '.join(keys)} are true.", f"configuration[{keys[1]}]")


# In-commit timestamps and catalog commits


@rule("DL510", Severity.ERROR, Scope.SNAPSHOT)
def inconsistent_timestamp_enablement(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The properties that say since when commits have in-commit timestamps contradict the log.

    Why it matters: readers use them to decide where a version's time comes from. Time travel by
    timestamp finds the wrong version, and with one of them alone Delta Spark commits nothing.

    What to do: find the writer that set them. If one is missing, turn
    `delta.enableInCommitTimestamps` off and on again. If both are unset, every version that is
    still in the log must have its timestamp.

    Source: PROTOCOL.md, In-Commit Timestamps.
    """
    keys = (Key.ICT_ENABLEMENT_VERSION, Key.ICT_ENABLEMENT_TIMESTAMP)
    texts = {key: table.metadata.configuration.get(key) for key in keys}
    version, time = numbers = [whole_number(text or "") for text in texts.values()]
    for key, number in zip(keys, numbers, strict=True):
        if number is not None and number < 0:
            yield Problem(f"{key} is negative: {number}.", f"configuration[{key}]")
    if not rules.is_on(table.snapshot, "inCommitTimestamp", Key.IN_COMMIT_TIMESTAMPS):
        return
    for key, text in texts.items():
        if text is None and any(texts.values()):
            message = f"{key} is not set, but the other of the two properties is."
            yield Problem(message, f"configuration[{key}]")
    newest, stated = table.snapshot.version, table.enablement_timestamp
    if version is not None and version > newest:
        start = f"version {version}, but the newest is {newest}"
        yield Problem(f"In-commit timestamps should start at {start}.", f"configuration[{keys[0]}]")
    if None not in (stated, time) and stated != time:
        actual = f"the commit of version {version} has {stated}"
        yield Problem(f"{keys[1]} is {time}, but {actual}.", f"configuration[{keys[1]}]")


@rule("DL511", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def catalog_without_timestamps(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A catalog manages the table, but in-commit timestamps are off.

    Why it matters: the files of such commits have no reliable time, and so the versions have none.

    What to do: have the catalog's client turn them on; Delta does so by itself when it commits.

    Source: PROTOCOL.md, Catalog-managed Table Enablement.
    """
    key = Key.IN_COMMIT_TIMESTAMPS
    for name in filter(table.protocol.supports, CATALOG_MANAGED):
        if switch(table.metadata.configuration, key) is False:
            yield Problem(f"The table has {name}, but {key} is not true.", f"configuration[{key}]")
