"""DL3xx: metadata, schema and properties."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.ddl import column_references
from deltaadm.domain.features import FEATURES, is_geospatial
from deltaadm.domain.properties import (
    PROPERTIES,
    Key,
    foreign_value,
    interval_microseconds,
    is_protocol_property,
    is_registered,
    portable,
    similar_property,
)
from deltaadm.domain.schema import (
    HIGHEST_PRECISION,
    DataType,
    FieldKey,
    Path,
    PrimitiveType,
    StructType,
    path_text,
    slot_types,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction import checks, column_mapping
from deltaadm.domain.transaction.checks import RETENTION_KEYS, check_retention
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.spark_support import invariants, is_spark_type, refusal_to_read
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.facts import CommitFacts, SnapshotFacts
from deltaadm.masking import is_secret
from deltaadm.rules import rule as rules
from deltaadm.rules.rule import Problem, Scope, Severity, accepted, place_of, refusal, rule

REQUIRED: Final = (
    "id", "format.provider", "format.options", "schemaString", "partitionColumns", "configuration",
)  # fmt: skip
PARTITIONS: Final = "metaData.partitionColumns"
PARQUET_VERSION: Final = "delta.parquet.format.version"
PARQUET_CODEC: Final = "delta.parquet.compression.codec"
CODECS: Final = frozenset({"gzip", "lz4", "lz4_raw", "none", "snappy", "uncompressed", "zstd"})
_VOIDS: Final = (PrimitiveType("void"), PrimitiveType("null"))
_STRING: Final = PrimitiveType("string")


@rule("DL301", Severity.ERROR, Scope.COMMIT, having=["metaData"])
def missing_metadata_field(commit: CommitFacts) -> Iterator[Problem]:
    """
    A metaData action lacks a required field. It is a warning if a later metaData replaces it.

    Why it matters: clients assume different values, or do not open the table. Delta ignores a
    metaData action without `id`; it cannot query the table without `partitionColumns`,
    `configuration` or `format.options`, and finds no columns without `schemaString`.

    What to do: find the program that wrote the commit. Add the field to the commit after making a
    backup of it: when Delta Spark changes the table, it writes metaData that lacks the same field.

    Source: PROTOCOL.md, Change Metadata.
    """
    newest = commit.in_effect and commit.in_effect.metadata
    superseded = newest not in (None, commit.after.metadata)
    for action in commit.objects("metaData"):
        layout = action["format"] if isinstance(action.get("format"), dict) else {"options": {}}
        present = action | {f"format.{key}": layout.get(key) for key in ("provider", "options")}
        for key in REQUIRED:
            if present.get(key) is None:
                message = f"The metaData action has no {key}."
                yield Problem(message, severity=Severity.WARNING if superseded else None)


@rule("DL302", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unreadable_schema(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table's schema is not the JSON of a struct type.

    Why it matters: no client can read the table.

    What to do: restore the version before it, or write a metaData action with the right schema.

    Source: PROTOCOL.md, Schema Serialization Format.
    """
    stored = table.metadata.to_wire().get("schemaString")
    if stored is not None and (not isinstance(stored, str) or not stored):
        yield Problem(f"schemaString is {json.dumps(stored)[:80]}.", "metaData.schemaString")
    elif stored and (error := refusal(StructType.parse, stored)):
        yield Problem(error.message, "metaData.schemaString")


@rule("DL303", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unknown_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has a type that Spark does not know.

    Why it matters: Spark stops at such a type. Delta stops at a time of day, and at a geometry or a
    geography if the protocol lists features. It is a warning if Spark knows the type and Delta does
    not: the table can be read, but no longer altered.

    What to do: use the client that wrote the column, or restore the version before it was added.

    Source: PROTOCOL.md, Primitive Types; Delta Spark, DELTA_UNSUPPORTED_DATA_TYPES and
    DELTA_GEOSPATIAL_NOT_SUPPORTED.
    """
    refused = refusal_to_read(table.snapshot)
    geospatial = FEATURES["geospatial"].refused_when_asked
    # char, varchar and intervals are types to Spark that Delta refuses: DL315 and DL319 say why.
    for path, name in _primitive_types(table):
        if not is_spark_type(name):
            yield Problem(f"Spark does not know the type {name[:80]!r}.", place_of(path))
        elif is_geospatial(PrimitiveType(name)):
            if refused is not None and refused.delta_error_class == geospatial:
                yield Problem(f"Delta Spark cannot load a table with {name!r}.", place_of(path))
        elif re.fullmatch(checks.CHAR_TYPE, name) or name.startswith("interval"):
            continue  # they have rules of their own
        elif not checks.is_supported_type(PrimitiveType(name)):
            severity = None if name.startswith("time(") else Severity.WARNING
            message = f"Delta does not support the type {name!r}."
            yield Problem(message, place_of(path), severity=severity)


@rule("DL304", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def duplicate_column_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two columns of the table, or two fields of a struct, have the same name, ignoring case.

    Why it matters: Spark ignores case and cannot tell them apart. Delta refuses metadata changes.

    What to do: rename or drop one of them with a case-sensitive client.

    Source: PROTOCOL.md, Schema Serialization Format; Delta Spark, DELTA_DUPLICATE_COLUMNS_FOUND.
    """
    for name in checks.duplicate_columns(rules.schema_of(table.metadata)):
        yield Problem(f"The name {name!r} occurs more than once.", f"schema[{name}]")


@rule("DL305", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def bad_partition_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A partition column is not a top-level column of the schema, or is named twice.

    Why it matters: Delta Spark cannot write to the table. Readers return nulls or fail.

    What to do: find the commit that changed them, and restore the version before it.

    Source: PROTOCOL.md, Change Metadata; Delta Spark, FIELD_NOT_FOUND.
    """
    stored = table.metadata.to_wire().get("partitionColumns")
    for entry in stored if isinstance(stored, list) else ():
        if not isinstance(entry, str):
            yield Problem(f"{json.dumps(entry)[:80]} is not a column name.", PARTITIONS)
    if not _is_readable(table.metadata):
        return
    columns = table.metadata.partition_columns
    names = {field.name for field in table.metadata.schema.fields}
    for name in (name for name in columns if name not in names):
        yield Problem(f"{name!r} is not a top-level column of the table.", PARTITIONS)
    for name, times in Counter(column.lower() for column in columns).items():
        if times > 1:
            yield Problem(f"{name!r} is a partition column {times} times.", PARTITIONS)


@rule("DL306", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def partition_column_of_complex_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A partition column is a struct, an array, a map, a variant or a geometry.

    Why it matters: the log stores partition values as strings, and these types have no such form.

    What to do: copy the table into one that is partitioned by other columns.

    Source: PROTOCOL.md, Partition Value Serialization; Variant Data Type.
    """
    partitions = set(table.metadata.partition_columns)
    for field in rules.top_fields(table.metadata):
        data_type = field.type
        is_primitive = isinstance(data_type, PrimitiveType) and data_type.name != "variant"
        if field.name in partitions and (not is_primitive or is_geospatial(data_type)):
            message = f"Partition column {field.name!r} does not have a primitive type."
            yield Problem(message, place_of((field.name,)))


@rule("DL307", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def only_partition_columns(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Every column of the table is a partition column.

    Why it matters: the data files have no columns left. Clients differ in whether they can read it.

    What to do: copy the table into one with at least one column that is not for partitioning.

    Source: Delta Spark, "Cannot use all columns for partition columns".
    """
    names = {field.name for field in rules.top_fields(table.metadata)}
    if names and names <= set(table.metadata.partition_columns):
        yield Problem(f"All {len(names)} columns are partition columns.", PARTITIONS)


@rule("DL308", Severity.WARNING, Scope.SNAPSHOT)
def protocol_key_in_configuration(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The properties hold a key that belongs to the protocol.

    Why it matters: `delta.minReaderVersion`, `delta.minWriterVersion`, `delta.feature.*` and
    `delta.ignoreProtocolDefaults` are instructions that Delta never stores. The next ALTER TABLE
    carries them out, and may upgrade the protocol. It is an error if every ALTER TABLE fails.

    What to do: unset them with the fix, if one is shown, or with the program that stored them.

    Source: delta-io/delta, assertMetadataContainsNoProtocolProps; delta-io/delta-kernel-rs#508.
    """
    snapshot = table.snapshot
    keys = sorted(filter(is_protocol_property, snapshot.metadata.configuration))
    if not keys:
        return
    fix = accepted(
        snapshot,
        kinds.UnsetProperties(tuple(keys), if_exists=True),
        lambda after: (
            after.protocol == snapshot.protocol
            and not any(map(is_protocol_property, after.metadata.configuration))
        ),
    )
    severity = None if _refusal_of_changes(snapshot) is None else Severity.ERROR
    for key in keys:
        yield Problem(f"{key} is stored as a property.", _property(key), severity=severity, fix=fix)


def _refusal_of_changes(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta refuses every change of the table's properties; None where it does not."""
    return refusal(evolve, snapshot, kinds.SetProperties({"x": "1"}))


@rule("DL309", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def unknown_property(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Delta does not know a property that begins with `delta.`.

    Why it matters: a misspelled key has no effect. It is info if it resembles none of Delta's keys.

    What to do: correct the spelling, or leave it to the engine that knows it.

    Source: Delta Spark, DELTA_UNKNOWN_CONFIGURATION; delta-io/delta, DeltaConfig.scala.
    """
    for key in sorted(table.metadata.configuration):
        if key.lower().startswith("delta.") and not is_registered(key):
            hint = similar_property(key)
            yield Problem(
                f"Delta does not know the property {key!r}.",
                _property(key),
                remedy=hint,
                severity=None if hint else Severity.INFO,
            )


@rule("DL310", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def invalid_property_value(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A property has a value that Delta does not accept.

    Why it matters: Delta fails when it evaluates the property, or uses the default. It is a warning
    if only Delta Spark accepts the value ('1 days' instead of 'interval 1 days', 'TRUE' instead of
    'true'), and info if another engine, which the finding names, accepts it.

    What to do: set a valid value with `deltaadm alter TABLE --set KEY=VALUE`, or run `deltaadm
    repair TABLE` if Delta Spark cannot load the table.

    Source: delta-io/delta, DeltaConfig.scala; delta-kernel-rs, table_properties/deserialize.rs;
    delta-io/delta-rs#2180.
    """
    for key, value in sorted(table.metadata.configuration.items()):
        known, where = PROPERTIES.get(key.lower()), _property(key)
        # DL308 reports the protocol's keys, DL401 the mapping mode and DL325 the Parquet version.
        others = is_protocol_property(key) or key in (Key.COLUMN_MAPPING_MODE, PARQUET_VERSION)
        if others or known is None or known.key != key:
            continue
        error = refusal(known.check, known, value)
        other = foreign_value(key, value) if error else None
        if error is None and key == Key.FORMATS:
            refused = _refusal_of_changes(table.snapshot)
            if refused and refused.delta_error_class == "DELTA_UNIVERSAL_FORMAT_VIOLATION":
                error = refused
        if other:
            message = f"{other.engine} accepts {key} = {value[:100]!r}, Delta Spark does not"
            remedy = f"Nothing, if {other.engine} uses it."
            yield Problem(f"{message} ({other.source}).", where, remedy, Severity.INFO)
        elif error:
            yield Problem(f"{error.message} {error.remedy}".strip()[:300], where)
        elif (plain := portable(known, value)) != value:
            step = kinds.SetProperties({key: plain})
            yield Problem(
                f"{key} is {value!r}, which clients other than Delta Spark do not understand.",
                where,
                remedy=f"Write {plain!r}.",
                severity=Severity.WARNING,
                fix=accepted(table.snapshot, step, lambda of: of.protocol == table.protocol),
            )


@rule("DL311", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def property_without_prefix(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A property has the name of a Delta property, without the prefix `delta.`.

    Why it matters: Delta ignores it, and the table does not behave as its owner expects.

    What to do: set the key with the prefix if the value is intended, and unset this one.

    Source: delta-io/delta, DeltaConfig.scala.
    """
    configuration = table.metadata.configuration
    for key in sorted(configuration):
        known = PROPERTIES.get(f"delta.{key.lower()}")
        if known is not None and known.key not in configuration:
            yield Problem(f"{key!r} has no effect; the property is {known.key}.", _property(key))


@rule("DL312", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def property_in_wrong_case(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A Delta property is spelled in the wrong case.

    Why it matters: stored keys are case-sensitive, so this one has no effect.

    What to do: set the correctly spelled key if the value is intended. Delta Spark cannot unset the
    wrong one, since it corrects that spelling too.

    Source: delta-io/delta, DeltaConfig.scala, validateConfigurations.
    """
    for key in sorted(table.metadata.configuration):
        known = PROPERTIES.get(key.lower())
        if known is not None and known.key != key:
            yield Problem(f"{key!r} has no effect; the property is {known.key}.", _property(key))


@rule("DL313", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def log_kept_shorter_than_deleted_files(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Deleted files are kept longer than the log that refers to them.

    Why it matters: versions that need the files can no longer be read. Delta refuses such a pair.

    What to do: make `delta.logRetentionDuration` at least as long as
    `delta.deletedFileRetentionDuration`.

    Source: delta-io/delta, DeltaConfig.scala, validateRetentionDurations.
    """
    configuration = table.metadata.configuration
    stored = [configuration[key] for key in RETENTION_KEYS if key in configuration]
    with suppress(DeltaadmError):  # a value that is not an interval is DL310's
        # Months and years cannot be compared by length.
        comparable = None not in map(interval_microseconds, stored)
        if comparable and (error := refusal(check_retention, configuration)):
            yield Problem(error.message, _property(RETENTION_KEYS[0]))


@rule("DL314", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def unusual_file_format(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The format of the data files is not plain Parquet.

    Why it matters: Delta supports only Parquet without options. Clients refuse it, or ignore them.

    What to do: copy the table into one with the format parquet.

    Source: PROTOCOL.md, Format Specification.
    """
    stored = table.metadata.format
    if stored is None:
        return
    if stored.provider not in (None, "parquet"):
        yield Problem(f"The format is {stored.provider!r}.", "metaData.format.provider")
    if stored.options:
        names = ", ".join(repr(option) for option in sorted(stored.options))
        yield Problem(f"The format has options: {names}.", "metaData.format.options")


@rule("DL315", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def char_type_in_schema(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has the type char or varchar.

    Why it matters: the protocol lacks these types, so other clients cannot read the schema. Delta
    stores such columns as string, with the type in the field's metadata.

    What to do: any ALTER TABLE through Delta Spark stores the columns as string.

    Source: PROTOCOL.md, Primitive Types; Delta Spark, __CHAR_VARCHAR_TYPE_STRING.
    """
    for path, name in _primitive_types(table):
        if re.fullmatch(checks.CHAR_TYPE, name):
            yield Problem(f"The type is {name}, but must be string.", place_of(path))


@rule("DL316", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def column_name_unfit_for_files(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's name has characters that data files do not allow without column mapping.

    Why it matters: they have a meaning in Parquet schemas. Delta refuses to change the table.

    What to do: `deltaadm set-mapping-mode TABLE name`, or rename the column.

    Source: Delta Spark, DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES and
    DELTA_INVALID_PARTITION_COLUMN_NAME.
    """
    metadata = table.metadata
    if not _is_readable(metadata) or rules.mapping_mode(metadata) is not ColumnMappingMode.NONE:
        return
    problem = f"has one of the characters {column_mapping.INVALID_CHARACTERS!r}."
    for path in checks.columns_with_invalid_characters(metadata):
        yield Problem(f"Column {path_text(path)!r} {problem}", place_of(path))
    for name in filter(column_mapping.has_invalid_characters, metadata.partition_columns):
        yield Problem(f"Partition column {name!r} {problem}", PARTITIONS)


@rule("DL317", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def bad_decimal(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A decimal type has a precision outside of 1 to 38, or a scale outside of 0 to its precision.

    Why it matters: no client supports such a type, and most fail when they read the schema.

    What to do: restore the version before the column, or copy the table with a type that exists.

    Source: PROTOCOL.md, Primitive Types; Spark, DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION.
    """
    for path, name in _primitive_types(table):
        if not name.startswith("decimal(") or not is_spark_type(name):
            continue
        # Nine digits at most: int() refuses the thousands that a damaged schema may have.
        match = re.fullmatch(r"decimal\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)", name)
        precision, scale = map(int, match.groups()) if match else (0, 0)
        if not (scale <= precision and 1 <= precision <= HIGHEST_PRECISION):
            yield Problem(f"The type {name[:80]!r} does not exist.", place_of(path))


@rule("DL318", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def void_that_cannot_be_written(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A void is inside an array or a map, or all columns of the table or a struct are void.

    Why it matters: data files leave out void columns. With nothing left to write, writes fail.

    What to do: give the column a type: ALTER TABLE … ALTER COLUMN … TYPE.

    Source: PROTOCOL.md, Void Type; delta-kernel-rs, schema/void_utils.rs.
    """
    if _is_all_void(rules.schema_of(table.metadata)):
        yield Problem("All columns of the table have type void.", "schema")
    for path, field in rules.fields_of(table.metadata):
        for slot, inner in slot_types(field.type):
            if slot and (inner in _VOIDS or _has_void_field(inner)):
                yield Problem("An array or a map contains a void.", place_of(path))
        if _is_all_void(field.type):
            yield Problem("All fields of the struct have type void.", place_of(path))


def _has_void_field(data_type: DataType) -> bool:
    return isinstance(data_type, StructType) and any(
        field.type in _VOIDS or _has_void_field(field.type) for field in data_type.fields
    )


def _is_all_void(data_type: DataType) -> bool:
    fields = data_type.fields if isinstance(data_type, StructType) else ()
    return bool(fields) and all(field.type in _VOIDS for field in fields)


@rule("DL319", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def interval_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column has an interval type.

    Why it matters: no table feature stands for intervals, which are only a proposal: most clients
    cannot read the schema, and Delta Spark refuses to change the table. A plain `interval` without
    fields is an error: Spark cannot read it from files.

    What to do: store the interval as a number with a unit, or as a string.

    Source: protocol_rfcs/interval-types.md; Delta Spark, DELTA_UNSUPPORTED_DATA_TYPES.
    """
    for path, name in _primitive_types(table):
        if name.startswith("interval") and is_spark_type(name):
            severity = Severity.ERROR if name == "interval" else None
            yield Problem(f"The type is {name!r}.", place_of(path), severity=severity)


@rule("DL320", Severity.WARNING, Scope.COMMIT, having=["metaData"])
def table_id_changed(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit gave the table another id without replacing the table.

    Why it matters: streams and catalogs treat it as a different table, and stop or start over.

    What to do: find the program. If the table was to be replaced, restart the streams that read it.

    Source: PROTOCOL.md, Change Metadata; DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE.
    """
    before, after = commit.before.metadata, commit.after.metadata
    if before and after and before.id != after.id and not commit.replaces_table:
        yield Problem(f"The id changed from {before.id!r} to {after.id!r}.")


@rule("DL321", Severity.WARNING, Scope.SNAPSHOT)
def odd_creation_time(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table's creation time is in the future, or is missing.

    Why it matters: tools expire tables by it. A missing one is info, since the field is optional.

    What to do: fix the program that wrote it; Delta keeps the value unchanged.

    Source: PROTOCOL.md, Change Metadata.
    """
    created = table.metadata.created_time
    if created is None:
        yield Problem("createdTime is missing.", "metaData.createdTime", severity=Severity.INFO)
    elif created > table.now + rules.DAY:
        yield Problem(f"createdTime {created} is in the future.", "metaData.createdTime")


@rule("DL322", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def bad_statistics_columns(table: SnapshotFacts) -> Iterator[Problem]:
    """
    `delta.dataSkippingStatsColumns` names a column that does not exist or cannot have statistics.

    Why it matters: Delta refuses every change of the metadata.

    What to do: set the property to columns that the table has, each once, without partition
    columns; or unset it: `deltaadm alter TABLE --unset delta.dataSkippingStatsColumns`.

    Source: Delta Spark, DELTA_COLUMN_NOT_FOUND_IN_SCHEMA and
    DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE.
    """
    error = refusal(checks.check_statistics_columns, table.metadata)
    if error and _is_readable(table.metadata):
        yield Problem(error.message, _property(Key.STATISTICS_COLUMNS))


@rule("DL323", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def expression_with_unknown_column(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A constraint, a generated column, an invariant or a default refers to a missing column.

    Why it matters: writers evaluate the expression for every row, and fail. Expressions are only
    checked as far as they can be parsed without Spark.

    What to do: `deltaadm alter TABLE --drop-constraint NAME`, or restore the column.

    Source: PROTOCOL.md, CHECK Constraints; Generated Columns; Column Invariants.
    """
    if not _is_readable(table.metadata):
        return
    # Any part of a reference may be the column, and the others struct fields or a qualifier: only
    # a reference without any known name is certainly wrong.
    known = {field.name.lower() for _, field in rules.fields_of(table.metadata)}
    for where, expression in _expressions(table.metadata):
        for path in column_references(expression):
            if known.isdisjoint(part.lower() for part in path):
                column = f"{path_text(path)!r}, which the table does not have"
                yield Problem(f"{expression[:200]!r} refers to {column}.", where)


def _expressions(metadata: Metadata) -> Iterator[tuple[str, str]]:
    for key, value in sorted(metadata.configuration.items()):
        if key.lower().startswith(Key.CONSTRAINT_PREFIX):
            yield _property(key), value
    for path, field in metadata.schema.walk():
        for key in (FieldKey.GENERATION, FieldKey.CURRENT_DEFAULT):
            if isinstance(text := field.metadata.get(key), str):
                yield place_of(path), text
    for invariant in invariants(metadata):
        if invariant.expression:
            yield place_of(invariant.path), invariant.expression


@rule("DL324", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def odd_constraint(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A CHECK constraint has capitals in its key, no name or no expression.

    Why it matters: DROP CONSTRAINT uses lower case. With an empty expression, every write fails.

    What to do: unset the property with the program that set it, and add the constraint with
    `deltaadm alter TABLE --add-constraint NAME=EXPRESSION`.

    Source: PROTOCOL.md, CHECK Constraints; delta-io/delta, Constraints.scala.
    """
    for key, value in sorted(table.metadata.configuration.items()):
        lower = key.lower()
        is_constraint = lower.startswith(Key.CONSTRAINT_PREFIX)
        if is_constraint and key != lower:
            yield Problem(f"The key {key!r} is not in lower case.", _property(key))
        if lower == Key.CONSTRAINT_PREFIX:
            yield Problem("The constraint has no name.", _property(key))
        if is_constraint and not value.strip():
            yield Problem("The constraint has no expression.", _property(key))


@rule("DL325", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def unknown_parquet_setting(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table's Parquet version or compression codec is not one that Delta supports.

    Why it matters: some writers fail, and others use something else instead.

    What to do: choose version 1.0.0 or 2.x.y, and one of these codecs: uncompressed, none, snappy,
    gzip, lz4, lz4_raw, zstd.

    Source: PROTOCOL.md, Table Properties.
    """
    configuration = table.metadata.configuration
    version, codec = configuration.get(PARQUET_VERSION), configuration.get(PARQUET_CODEC)
    if version is not None and not re.fullmatch(r"1\.0\.0|2\.[0-9]+\.[0-9]+", version):
        yield Problem(f"The Parquet version is {version[:80]!r}.", _property(PARQUET_VERSION))
    if codec is not None and codec.lower() not in CODECS:
        yield Problem(f"The codec is {codec[:80]!r}.", _property(PARQUET_CODEC))


@rule("DL326", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def secret_in_properties(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A property or a format option looks like a password, a key or a token.

    Why it matters: everyone who can read the table can read its log, including every older version.
    Unsetting the property does not remove it from the history.

    What to do: revoke the secret; unset the property; let the log expire. deltaadm hides the value.

    Source: good practice; the log is plain JSON.
    """
    metadata = table.metadata
    options = metadata.format.options if metadata.format else None
    for place, entries in (("configuration", metadata.configuration), ("format", options or {})):
        for key in sorted(entry for entry, value in entries.items() if is_secret(entry, value)):
            yield Problem(f"The value of {key!r} looks like a secret.", f"{place}[{key}]")


@rule("DL327", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unfit_char_or_collation(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's metadata has a char or varchar type that Spark cannot parse or that is not the
    column's, or a collation although the column does not hold strings.

    Why it matters: Spark cannot read the column as CHAR or write it as VARCHAR; with such a
    collation it cannot read the table. In a struct, Spark stores the type without quotes around
    names: if one needs them, like `a-b`, ADD COLUMNS succeeds, but every later query and write
    fails with PARSE_SYNTAX_ERROR or INVALID_IDENTIFIER.

    What to do: drop the column, which still works: `deltaadm alter TABLE --drop-column COLUMN`. Add
    it again with STRING, or with names of ASCII letters, digits and underscores.

    Source: Delta Spark, `__CHAR_VARCHAR_TYPE_STRING` and INVALID_JSON_DATA_TYPE_FOR_COLLATIONS;
    tried on Delta Spark 4.4.
    """
    for path, field in rules.fields_of(table.metadata):
        noted = field.metadata.get(FieldKey.RAW_TYPE)
        if isinstance(noted, str):
            kind, actual = checks.noted_type(noted), checks.catalog_type(field.type)
            noted_words = f"Its metadata has the type {noted[:200]!r}"
            if kind is None:
                yield Problem(f"{noted_words}, which Spark cannot parse.", place_of(path))
            elif re.search(checks.CHAR_TYPE, noted) and checks.catalog_type(kind) != actual:
                yield Problem(f"{noted_words}, but the column is {actual[:200]!r}.", place_of(path))
        collations = field.metadata.get(FieldKey.COLLATIONS)
        # As collations name them.
        places = {".".join(path): kind for path, kind in slot_types(field.type, (field.name,))}
        for place, name in collations.items() if isinstance(collations, dict) else ():
            if isinstance(name, str) and places.get(place, _STRING) != _STRING:
                message = f"{place} has the collation {name!r}, but is not a string."
                yield Problem(message, place_of(path))
            elif isinstance(name, str) and name.partition(".")[0] not in {"icu", "spark"}:
                yield Problem(f"Spark does not know the collation {name[:80]!r}.", place_of(path))


def _is_readable(metadata: Metadata) -> bool:
    return refusal(lambda: metadata.schema) is None


def _primitive_types(table: SnapshotFacts) -> Iterator[tuple[Path, str]]:
    for path, field in rules.fields_of(table.metadata):
        for leaf in checks.leaves(field.type):
            yield path, leaf.name


def _property(key: str) -> str:
    return f"configuration[{key}]"
