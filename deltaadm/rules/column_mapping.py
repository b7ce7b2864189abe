"""DL4xx: column mapping."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.file_facts import StatisticsError, parse_statistics
from deltaadm.domain.properties import Key
from deltaadm.domain.schema import FieldKey, Path, StructField, path_text
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction import column_mapping
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_id, physical_name
from deltaadm.domain.transaction.update import enabled_versions
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, some_of
from deltaadm.facts import CommitFacts, DataFileFacts, LiveFile, SnapshotFacts, State
from deltaadm.json_values import integer
from deltaadm.rules import rule as rules
from deltaadm.rules.rule import Problem, Scope, Severity, place_of, remembering, rule

if TYPE_CHECKING:
    from deltaadm.replay.file_columns import ArrowFiles, Rows

MODE: Final = f"configuration[{Key.COLUMN_MAPPING_MODE}]"
MAX: Final = f"configuration[{Key.MAX_COLUMN_ID}]"
DROPPED: Final = "delta.columnMapping.hasDroppedOrRenamed"


@rule("DL401", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unknown_mapping_mode(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The column mapping mode does not exist.

    Why it matters: clients cannot know the names of columns in the files, and Delta Spark fails.

    What to do: `deltaadm repair TABLE` gives it the last valid value that it had.

    Source: PROTOCOL.md, Column Mapping.
    """
    if rules.mapping_mode(table.metadata) is None:
        value = table.metadata.configuration[Key.COLUMN_MAPPING_MODE]
        yield Problem(f"The mode is {value[:80]!r}; valid modes are none, name and id.", MODE)


@rule("DL402", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def mapping_without_protocol_support(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table uses column mapping, but its protocol does not support it.

    Why it matters: Delta Spark maps the columns; clients that follow the protocol read other data.

    What to do: `deltaadm repair TABLE` adds the feature, which changes nothing else.

    Source: PROTOCOL.md, Column Mapping; Delta Spark, DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    if _mapped(table.metadata) and not table.protocol.supports("columnMapping"):
        mode = table.metadata.configuration[Key.COLUMN_MAPPING_MODE]
        message = f"The mode is {mode}, but the protocol does not support columnMapping."
        yield Problem(message, MODE, fix=rules.adding(table.snapshot, "columnMapping"))


@rule("DL403", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def column_without_id(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Column mapping is on, but a column or a nested field lacks its column id.

    Why it matters: Delta Spark refuses to read the table; in id mode, no reader finds the column.

    What to do: have the program that added the column assign an id that was never used.

    Source: PROTOCOL.md, Column Mapping.
    """
    for path, field in _mapped_fields(table):
        if field.metadata.get(FieldKey.COLUMN_ID) is None:
            yield Problem(f"Column {path_text(path)} has no id.", place_of(path))


@rule("DL404", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def column_without_physical_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Column mapping is on, but a column or a nested field lacks its physical name.

    Why it matters: only it leads to the column in name mode, and to partition values in both.

    What to do: find the column's name in a data file, and have the program that wrote the schema
    add it. Do not alter the table first: Delta would generate a new name, which no file has.

    Source: PROTOCOL.md, Column Mapping.
    """
    for path, field in _mapped_fields(table):
        name = field.metadata.get(FieldKey.PHYSICAL_NAME)
        if not isinstance(name, str) or not name:
            yield Problem(f"Column {path_text(path)} has no physical name.", place_of(path))


@rule("DL405", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def duplicate_column_id(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two columns or nested fields have the same column id.

    Why it matters: in id mode, both are read from one column. Delta refuses to change the table.

    What to do: find the commit that introduced the second one, and restore the version before it.

    Source: PROTOCOL.md, Column Mapping; delta-io/delta#3234.
    """
    paths: dict[int, list[str]] = {}
    for path, field in _mapped_fields(table):
        if (number := column_id(field)) is not None:
            paths.setdefault(number, []).append(path_text(path))
    for number, columns in sorted(paths.items()):
        if len(columns) > 1:
            yield Problem(f"{some_of(columns, 5)} share id {number}.", f"schema[{columns[1]}]")


@rule("DL406", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def duplicate_physical_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Two columns, or two fields of one struct, have the same physical name.

    Why it matters: both read the same column of the files. (The same name in different structs, or
    in a struct and in one of its own fields, is legal.)

    What to do: find the commit that introduced the second one, and restore the version before it.

    Source: PROTOCOL.md, Column Mapping, Field Path; delta-io/delta#6939.
    """
    if _mapped(table.metadata):
        for path, times in Counter(path for path, _ in _physical_fields(table.metadata)).items():
            if times > 1:
                named = f"have the physical name {path_text(path)}"
                yield Problem(f"{times} columns {named}.", "schema")


@rule("DL407", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def maximum_column_id_missing(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Column mapping is on, but `delta.columnMapping.maxColumnId` is not set.

    Why it matters: a new column could get the id of a dropped one. Delta refuses such tables.

    What to do: let Delta set it: the fix sets the mode again, which makes Delta do so.

    Source: Delta Spark, DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET; delta-io/delta#3183.
    """
    if _mapped(table.metadata) and Key.MAX_COLUMN_ID not in table.metadata.configuration:
        yield Problem(f"{Key.MAX_COLUMN_ID} is not set.", MAX, fix=_counted(table))


@rule("DL408", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def maximum_column_id_too_low(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column id, or one inside an array or a map, is above `delta.columnMapping.maxColumnId`.

    Why it matters: the next column gets an id that is already in use.

    What to do: let Delta correct it: the fix sets the mode again, which makes Delta do so.

    Source: Delta Spark, DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY; delta-io/delta#4363.
    """
    stored = column_mapping.max_column_id(table.metadata)
    highest = column_mapping.find_max_column_id(rules.schema_of(table.metadata))
    if _mapped(table.metadata) and stored is not None and stored < highest:
        message = f"{Key.MAX_COLUMN_ID} is {stored}, but id {highest} is in use."
        yield Problem(message, MAX, fix=_counted(table))


def _counted(table: SnapshotFacts) -> tuple[Step, ...]:
    """Setting the mode that is already there makes Delta count the ids."""
    key, is_counted = Key.COLUMN_MAPPING_MODE, column_mapping.max_column_id
    step = kinds.SetProperties({key: table.metadata.configuration[key]})
    return rules.accepted(table.snapshot, step, lambda of: is_counted(of.metadata) is not None)


@rule("DL409", Severity.ERROR, Scope.COMMIT, having=["metaData"])
def column_id_reused(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit lowered `delta.columnMapping.maxColumnId`, or reused the id of a dropped column.

    Why it matters: in id mode, the new column shows data of the dropped one from older files.

    What to do: find the program that wrote the commit. Drop the column and add it through Delta.

    Source: PROTOCOL.md, Column Mapping: ids are unique, and dropped ones are not used again.
    """
    for before, after in _mapped_before_and_after(commit):
        left, right = column_mapping.max_column_id(before), column_mapping.max_column_id(after)
        if left is not None and right is not None and right < left:
            yield Problem(f"{Key.MAX_COLUMN_ID} changed from {left} to {right}.")
        # An id that was in use before the commit is still that column's (changes are DL415's); one
        # that comes back after a drop points at data of another column.
        present = {column_id(field) for _, field in rules.fields_of(before)}
        for path, field in rules.fields_of(after):
            number = column_id(field)
            old = None if number is None else commit.columns.get(number)
            if number not in present and old not in (None, physical_name(field)):
                column = f"Column {path_text(path)}"
                yield Problem(f"{column} has id {number}, which belonged to {old!r}.")


@rule("DL410", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def bad_column_id(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column id is not a whole number from 0 to 2147483647.

    Why it matters: Parquet's field ids have 32 bits. Clients fail, or read another column.

    What to do: find the commit that introduced it, and restore the version before it.

    Source: PROTOCOL.md, Column Mapping; delta-kernel-rs, table_features/column_mapping.rs.
    """
    for path, field in _mapped_fields(table):
        stored = field.metadata.get(FieldKey.COLUMN_ID)
        if stored is not None and not _is_id(stored):
            yield Problem(f"Column {path_text(path)} has the id {_shown(stored)}.", place_of(path))


def _is_id(value: Any) -> bool:
    # Field ids in Parquet are signed 32-bit integers.
    number = integer(value)
    return number is not None and 0 <= number < 1 << 31


@rule("DL411", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def mapping_metadata_without_mapping(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Columns have ids or physical names, but column mapping is off.

    Why it matters: Delta refuses to turn column mapping on again, and parts of Delta still use the
    physical names. Removing them does not help if the files have those names.

    What to do: leave them unchanged; to remove them, copy the table.

    Source: Delta Spark,
    DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS;
    delta-io/delta#3487.
    """
    keys = {FieldKey.COLUMN_ID, FieldKey.PHYSICAL_NAME, FieldKey.NESTED_IDS}
    if rules.mapping_mode(table.metadata) is ColumnMappingMode.NONE:
        yield from _columns_with(table, keys, "mapping metadata")


@rule("DL412", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def bad_nested_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The ids inside an array or a map are not stored as the protocol says.

    Why it matters: Iceberg readers find elements, keys and values by these ids. The names must be
    the column's physical name followed by `element`, `key` or `value`, and the values ids.

    What to do: REORG TABLE … APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION=2)) rewrites them.

    Source: PROTOCOL.md, Writer Requirements for IcebergCompatV2.
    """
    for path, field in _mapped_fields(table):
        stored = field.metadata.get(FieldKey.NESTED_IDS)
        if stored is not None and not isinstance(stored, dict):
            yield Problem(f"The nested ids are {_shown(stored)}.", place_of(path))
        places = set(column_mapping.slot_paths(field.type, physical_name(field)))
        for place, number in sorted(stored.items()) if isinstance(stored, dict) else ():
            if place not in places:
                message = f"{place[:200]!r} has a nested id but does not exist."
                yield Problem(message, place_of(path))
            elif not _is_id(number):
                yield Problem(f"The nested id of {place!r} is {_shown(number)}.", place_of(path))


@rule("DL413", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def missing_or_clashing_nested_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, but elements, keys or values lack an id of their own.

    Why it matters: Iceberg readers find them only by their ids. They fail, or read the wrong data.

    What to do: REORG TABLE … APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION=2)) rewrites the files.

    Source: PROTOCOL.md, Writer Requirements for IcebergCompatV2.
    """
    fields = list(_mapped_fields(table))
    needed = False
    with suppress(DeltaadmError):
        # Version 1 of Iceberg compatibility forbids arrays and maps.
        needed = any(version > 1 for version in enabled_versions(table.metadata))
    taken = Counter(column_id(field) for _, field in fields)
    for _, field in fields:
        taken.update(column_mapping.nested_ids(field).values())
    for path, field in fields:
        ids = column_mapping.nested_ids(field)
        for place in column_mapping.slot_paths(field.type, physical_name(field)):
            if needed and place not in ids:
                yield Problem(f"{place!r} has no nested id.", place_of(path))
        for place, number in sorted(ids.items()):
            if taken[number] > 1:
                yield Problem(f"The nested id {number} of {place!r} is not unique.", place_of(path))


@rule("DL414", Severity.ERROR, Scope.COMMIT, having=["metaData"])
def illegal_mode_change(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit changed the column mapping mode in a way that existing files do not allow.

    Why it matters: a table goes from none to name, or back to none by rewriting its files. Any
    other change makes readers look for columns under names or ids that the files do not have.

    What to do: restore the version before it, or copy the table.

    Source: Delta Spark, DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
    """
    old, new = _mode_of(commit.before), _mode_of(commit.after)
    # A table that is replaced has new files, written under the new mode.
    if old is None or new is None or commit.replaces_table:
        return
    if not column_mapping.allow_mapping_mode_change(old, new):
        yield Problem(f"The mode changed from {old.value} to {new.value}.")


@rule("DL415", Severity.ERROR, Scope.COMMIT, having=["metaData"])
def column_identity_changed(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit changed the id or the physical name of a column.

    Why it matters: neither may ever change. In older files the column reads as null, or as another.

    What to do: find the program that wrote the commit, and restore the version before it.

    Source: PROTOCOL.md, Column Mapping.
    """
    for before, after in _mapped_before_and_after(commit):
        stored = [
            [(path, number) for path, field in each if (number := column_id(field)) is not None]
            for each in map(_physical_fields, (before, after))
        ]
        names, new_names = ({number: path[-1] for path, number in each} for each in stored)
        for number in sorted(names.keys() & new_names.keys()):
            if names[number] != new_names[number]:
                change = f"from {names[number]!r} to {new_names[number]!r}"
                yield Problem(f"The physical name of column id {number} changed {change}.")
        ids, new_ids = map(dict, stored)
        for path in sorted(ids.keys() & new_ids.keys()):
            if ids[path] != new_ids[path]:
                change = f"from {ids[path]} to {new_ids[path]}"
                yield Problem(f"The id of {path_text(path)} changed {change}.")


def _physical_fields(metadata: Metadata) -> Iterator[tuple[Path, StructField]]:
    return column_mapping.rename_columns(rules.schema_of(metadata)).walk()


@rule("DL416", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def physical_name_unfit_for_files(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A physical name has characters that data files do not allow.

    Why it matters: in Parquet schemas, in which they stand, spaces and `,;{}()=` have a meaning.

    What to do: add the column under another name through Delta, and copy the values over.

    Source: delta-io/delta, SchemaUtils.scala, findInvalidColumnNames.
    """
    for path, field in _mapped_fields(table):
        if column_mapping.has_invalid_characters(physical_name(field)):
            yield Problem(f"The physical name is {physical_name(field)!r}.", place_of(path))


@rule("DL417", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def parquet_field_ids_in_schema(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The schema stores `parquet.field.id` or `parquet.field.nested.ids`.

    Why it matters: in the log they may contradict the column ids, and prevent column mapping.

    What to do: find the program that stored them, and have it remove them.

    Source: delta-io/delta, DeltaColumnMapping.scala, COLUMN_MAPPING_METADATA_KEYS.
    """
    keys = {FieldKey.PARQUET_FIELD_ID, FieldKey.PARQUET_NESTED_IDS}
    yield from _columns_with(table, keys, "Parquet field ids")


def _columns_with(table: SnapshotFacts, keys: set[str], what: str) -> Iterator[Problem]:
    fields = rules.fields_of(table.metadata)
    columns = [path_text(path) for path, field in fields if keys & field.metadata.keys()]
    if columns:
        yield Problem(f"{some_of(columns, 5)} have {what}.", f"schema[{columns[0]}]")


@rule("DL418", Severity.ERROR, Scope.DEEP)
def data_file_without_field_ids(file: DataFileFacts) -> Iterator[Problem]:
    """
    The table finds columns by id, but a data file has columns without one.

    Why it matters: readers do not find the column in the file, and return nulls silently.

    What to do: rewrite the file under the ids of the schema, or copy the table.

    Source: PROTOCOL.md, Reader Requirements for Column Mapping; delta-io/delta#3764.
    """
    if _mode_of(file.state) is ColumnMappingMode.ID:
        # Those in which row tracking keeps its values and the change data feed sorts out rows have
        # no field id by design.
        kept_by_delta = {
            file.state.property(key) for key in (Key.ROW_ID_COLUMN, Key.ROW_COMMIT_VERSION_COLUMN)
        } | {"_change_type", "__is_cdc"}
        bare = [column for column in file.without_field_id if column not in kept_by_delta]
        if bare:
            yield Problem(f"{some_of(bare, 5)} have no field id.")


def _with_displayed_names(files: ArrowFiles) -> Rows:
    names, lost = _displayed(files.state.metadata)
    if not names:
        return files.none
    keys = files.with_partition_keys(lambda keys: not keys.isdisjoint(names))
    return keys | files.statistics.named(names) if len(names) > lost else keys


@rule("DL419", Severity.ERROR, Scope.FILE, only=_with_displayed_names)
def displayed_names_in_file_action(file: LiveFile) -> Iterator[Problem]:
    """
    Partition values or statistics of a file use displayed names instead of physical ones.

    Why it matters: readers find no values: columns read as null, and queries skip the wrong files.

    What to do: find the program that wrote the file. Write its data again through Delta.

    Source: PROTOCOL.md, Writer Requirements for Column Mapping.
    """
    names, lost = _displayed(file.state.metadata)
    if not names:
        return
    values = {value for value in file.add.partition_values or () if value in names}
    with suppress(StatisticsError):
        statistics = parse_statistics(file.add.stats or "{}")
        groups = [statistics.get(key) for key in ("minValues", "maxValues", "nullCount")]
        used = {name for group in groups if isinstance(group, dict) for name in group}
        # They may be the physical names of so many columns that have been dropped.
        if len(used & names.keys()) > lost:
            values |= used & names.keys()
    if values:
        pairs = ", ".join(f"{name!r} for {names[name]!r}" for name in sorted(values)[:5])
        yield Problem(f"The file's values use {pairs}.")


@remembering
def _displayed(metadata: Metadata | None) -> tuple[Mapping[str, str], int]:
    """
    The top-level names that differ from all physical names, with the physical name of each, and
    how many columns may have been dropped.

    There are none without column mapping.
    """
    fields = rules.top_fields(metadata) if metadata and _mapped(metadata) else ()
    physical = {physical_name(field) for field in fields}
    names = {field.name: physical_name(field) for field in fields if field.name not in physical}
    return names, column_mapping.lost_columns(metadata) if metadata and names else 0


@rule("DL420", Severity.WARNING, Scope.COMMIT, having=["metaData"])
def usage_of_mapping_forgotten(commit: CommitFacts) -> Iterator[Problem]:
    """
    `delta.columnMapping.hasDroppedOrRenamed` was true, and no longer is.

    Why it matters: older files may use other names. Clients that trust it read those wrongly.

    What to do: set it to true again with the program that maintains it.

    Source: protocol_rfcs/column-mapping-usage-tracking.md.
    """
    for before, after in _mapped_before_and_after(commit):
        stored = after.configuration.get(DROPPED, "")
        if before.configuration.get(DROPPED) == "true" and stored != "true":
            yield Problem(f"{DROPPED} changed from 'true' to {stored!r}.")


def _mapped(metadata: Metadata) -> bool:
    return rules.mapping_mode(metadata) in (ColumnMappingMode.NAME, ColumnMappingMode.ID)


def _mode_of(state: State) -> ColumnMappingMode | None:
    return None if state.metadata is None else rules.mapping_mode(state.metadata)


def _mapped_before_and_after(commit: CommitFacts) -> Iterator[tuple[Metadata, Metadata]]:
    """Both metadata, where the table is mapped before and after, and not replaced."""
    before, after = commit.before.metadata, commit.after.metadata
    if before and after and not commit.replaces_table and _mapped(before) and _mapped(after):
        yield before, after


def _mapped_fields(table: SnapshotFacts) -> Iterator[tuple[Path, StructField]]:
    """The fields at all depths that need an id and a physical name; none without mapping."""
    if _mapped(table.metadata):
        for path, field in rules.fields_of(table.metadata):
            if field.name.lower() not in column_mapping.INTERNAL_COLUMNS:
                yield path, field


def _shown(value: Any) -> str:
    return json.dumps(value)[:80]
