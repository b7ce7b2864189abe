"""
Column mapping: modes, legal changes, and how columns get ids and physical names.

The functions are those of Delta's `DeltaColumnMapping` in Python spelling. Where older
descriptions of them differ, today's Delta Spark (4.4.0) is followed and the docstring says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from deltaadm.dataclass import replace
from deltaadm.domain.features import mapping_mode
from deltaadm.domain.properties import Key, is_true, whole_number
from deltaadm.domain.schema import (
    DataType,
    FieldKey,
    Path,
    StructField,
    StructType,
    folded,
    parts,
    path_text,
    slot_types,
)
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import RefusedError
from deltaadm.json_values import integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


class ColumnMappingMode(Enum):
    """The column mapping mode: how columns are found in data files."""

    NONE = "none"
    ID = "id"
    NAME = "name"


COLUMN_MAPPING_KEYS: Final = frozenset({
    FieldKey.COLUMN_ID, FieldKey.PHYSICAL_NAME, FieldKey.NESTED_IDS, FieldKey.PARQUET_FIELD_ID,
    FieldKey.PARQUET_NESTED_IDS,
})  # fmt: skip
"""All keys of a field's metadata that column mapping owns."""

# `SchemaUtils.findInvalidColumnNames`; a dot is not among them.
INVALID_CHARACTERS: Final = " ,;{}()\n\t="
"""Characters that a column name must not contain without column mapping."""

INTERNAL_COLUMNS: Final = frozenset({
    "_change_type", "_commit_version", "_commit_timestamp", "__is_cdc", "_row-id",
    "__delta_internal_row_index", "__delta_internal_is_row_deleted", "_row-commit-version",
})  # fmt: skip
"""Columns that Delta makes itself, in lower case; they carry no mapping metadata."""


def column_mapping_mode(metadata: Metadata) -> ColumnMappingMode:
    """The mode that the table's property says; raises `RefusedError` for an unknown one."""
    return ColumnMappingMode(mapping_mode(metadata))


def allow_mapping_mode_change(
    old_mode: ColumnMappingMode, new_mode: ColumnMappingMode, *, allow_removal: bool = True
) -> bool:
    """
    Whether an existing table may go from *old_mode* to *new_mode*.

    Staying is allowed, and none to name. Back to none means rewriting every data file; old
    descriptions do not have it, and *allow_removal* stands for the setting that turns it off.
    """
    if old_mode is new_mode:
        return True
    if new_mode is ColumnMappingMode.NONE:
        return allow_removal
    return old_mode is ColumnMappingMode.NONE and new_mode is ColumnMappingMode.NAME


def column_id(field: StructField) -> int | None:
    """The field's column id; None where it has none."""
    return integer(field.metadata.get(FieldKey.COLUMN_ID))


def physical_name(field: StructField) -> str:
    """The field's name in data files: its physical name if it has one, else its own."""
    # Whatever the mode, as in Delta: what an earlier mapping has left behind counts as well.
    value = field.metadata.get(FieldKey.PHYSICAL_NAME)
    return value if isinstance(value, str) else field.name


def has_column_mapping_metadata(schema: StructType) -> bool:
    """Whether a field of *schema*, at any depth, has some key that column mapping owns."""
    return any(COLUMN_MAPPING_KEYS & field.metadata.keys() for _, field in schema.walk())


def drop_column_mapping_metadata(schema: StructType) -> StructType:
    """*schema* without the keys of column mapping, at every depth."""
    return set_column_metadata(schema, ColumnMappingMode.NONE)


def set_column_metadata(schema: StructType, mode: ColumnMappingMode) -> StructType:
    """*schema* with each field's metadata as `column_mapping_metadata` gives it."""
    return schema.rewrite(
        lambda _, field: replace(field, metadata=column_mapping_metadata(field, mode))
    )


def column_mapping_metadata(field: StructField, mode: ColumnMappingMode) -> dict[str, Any]:
    """
    The field's metadata as readers and writers of data files need it in *mode*.

    Without mapping, none of mapping's keys; with it, in both modes, the Parquet field ids too.
    Raises `RefusedError` where the id or the physical name is missing.
    """
    if mode is ColumnMappingMode.NONE:
        return {k: v for k, v in field.metadata.items() if k not in COLUMN_MAPPING_KEYS}
    identifier = column_id(field)
    if identifier is None or field.metadata.get(FieldKey.PHYSICAL_NAME) is None:
        missing = "column id" if identifier is None else "physical name"
        raise RefusedError(
            f"Column {field.name!r} has no {missing} in column mapping mode '{mode.value}'.",
            remedy="Any ALTER TABLE through Delta Spark adds what is missing.",
        )
    ids = {FieldKey.PARQUET_FIELD_ID: identifier}
    if FieldKey.NESTED_IDS in field.metadata:
        ids[FieldKey.PARQUET_NESTED_IDS] = field.metadata[FieldKey.NESTED_IDS]
    return {**field.metadata, **ids}


def create_physical_schema(
    schema: StructType, reference_schema: StructType, mode: ColumnMappingMode
) -> StructType:
    """
    *schema* under the names and metadata that its columns have in data files.

    Columns are looked up in *reference_schema* by their whole path, ignoring case. Mode none
    returns *schema* as it is. Raises `RefusedError` for a column that the reference lacks, or that
    lacks an id or a physical name there.
    """
    if mode is ColumnMappingMode.NONE:
        return schema
    known = {folded(path): field for path, field in reference_schema.walk()}

    def physical(path: Path, field: StructField) -> StructField:
        if field.name.lower() in INTERNAL_COLUMNS:
            return field
        reference = known.get(folded(path))
        if reference is None:
            raise RefusedError(f"The table has no column {path_text(path)}.")
        metadata = column_mapping_metadata(reference, mode)
        return replace(field, name=physical_name(reference), metadata=metadata)

    return schema.rewrite(physical)


def rename_columns(schema: StructType) -> StructType:
    """*schema* with each field under its physical name; metadata stays as it is."""
    return schema.rewrite(lambda _, field: replace(field, name=physical_name(field)))


def stored_schema(metadata: Metadata) -> StructType:
    """The schema under the names that data files have; raises `DeltaadmError`."""
    if column_mapping_mode(metadata) is ColumnMappingMode.NONE:
        return metadata.schema
    return rename_columns(metadata.schema)


def max_column_id(metadata: Metadata) -> int | None:
    """`delta.columnMapping.maxColumnId`; None where it is absent or no number."""
    number = whole_number(metadata.configuration.get(Key.MAX_COLUMN_ID, ""))
    return number if number is not None and number >= 0 else None


def find_max_column_id(schema: StructType) -> int:
    """The highest id in *schema*, the nested ids of containers included; 0 where there is none."""
    return max(_ids(schema), default=0)


def _ids(schema: StructType) -> Iterator[int]:
    for _, field in schema.walk():
        identifier = column_id(field)
        if identifier is not None:
            yield identifier
        yield from nested_ids(field).values()


def lost_columns(metadata: Metadata) -> int:
    """How many columns may have had ids that none has any more; files may still hold them."""
    return max(0, (max_column_id(metadata) or 0) - len(set(_ids(metadata.schema))))


def nested_ids(field: StructField) -> Mapping[str, int]:
    """The ids of the parts of an array or a map, by their place; empty where there are none."""
    nested = field.metadata.get(FieldKey.NESTED_IDS)
    places = nested.items() if isinstance(nested, dict) else ()
    return {place: number for place, number in places if isinstance(number, int)}


def assign_column_id_and_physical_name(
    new_metadata: Metadata, old_metadata: Metadata, *, is_changing_mode_on_existing_table: bool
) -> Metadata:
    """
    *new_metadata* with an id and a physical name for every field that lacks one.

    Ids go on from the highest that is in use or was ever given, fields before the fields inside
    them. An existing table that turns mapping on keeps its names as physical names, so that no
    file need be rewritten; any other new field gets a name that only the commit knows. Under
    Iceberg compatibility V2 or V3 the slots of containers get ids after all columns.
    """
    changing = is_changing_mode_on_existing_table
    old = {folded(path): field for path, field in old_metadata.schema.walk()}
    # When a table is replaced; elsewhere the new schema is made from the old one and has them.
    may_reuse = (
        not changing
        and column_mapping_mode(old_metadata) is column_mapping_mode(new_metadata)
        and old_metadata.id != new_metadata.id
    )
    # Never an id twice: the files of dropped columns still have theirs.
    counter = max(
        max_column_id(new_metadata) or 0,
        max_column_id(old_metadata) or 0,
        find_max_column_id(new_metadata.schema),
    )

    def assign(path: Path, field: StructField) -> StructField:
        nonlocal counter
        same = old.get(folded(path))
        metadata = dict(field.metadata)
        # `columnMapping.reuseColumnMetadataDuringOverwrite`, which is on unless a session says no.
        if may_reuse and same is not None and fits_into(same.type, field.type):
            keys = (FieldKey.COLUMN_ID, FieldKey.PHYSICAL_NAME)
            metadata = {k: v for k, v in same.metadata.items() if k in keys} | metadata
        if FieldKey.COLUMN_ID not in metadata:
            counter += 1
            metadata[FieldKey.COLUMN_ID] = counter
        if FieldKey.PHYSICAL_NAME not in metadata:
            # In the spelling of the old schema, which the data files have.
            kept = field.name if same is None else same.name
            metadata[FieldKey.PHYSICAL_NAME] = kept if changing else f"col-{KNOWN_AFTER_COMMIT}"
        return replace(field, metadata=metadata)

    def assign_nested(_: Path, field: StructField) -> StructField:
        """Ids for the slots of containers under each field (PROTOCOL.md, nested ids)."""
        nonlocal counter
        ids = dict(nested_ids(field))
        for place in slot_paths(field.type, physical_name(field)):
            if place not in ids:
                counter += 1
                ids[place] = counter
        # Also where there are none: Delta attaches an empty object then.
        return replace(field, metadata={**field.metadata, FieldKey.NESTED_IDS: ids})

    schema = new_metadata.schema.rewrite(assign)
    # After all columns: Delta rewrites ids for Iceberg last, with the same counter.
    if names_containers(new_metadata):
        schema = schema.rewrite(assign_nested)
    return new_metadata.with_schema(schema).with_properties({Key.MAX_COLUMN_ID: str(counter)})


def fits_into(old: DataType, new: DataType) -> bool:
    """Whether all values of type *old* are of type *new*, which may allow more nulls."""
    before, after = parts(old), parts(new)
    if not before or type(old) is not type(new):
        return old == new
    return len(before) == len(after) and all(
        one.name == twin.name and twin.nullable >= one.nullable and fits_into(one.type, twin.type)
        for one, twin in zip(before, after, strict=True)
    )


def names_containers(metadata: Metadata) -> bool:
    """Whether the slots of arrays and maps get ids: Iceberg compatibility V2 or V3 is on."""
    keys = (f"delta.enableIcebergCompatV{version}" for version in (2, 3))
    return any(is_true(metadata.configuration, key) for key in keys)


def slot_paths(data_type: DataType, prefix: str) -> Iterator[str]:
    """The places under *prefix* that can have a nested id: `prefix.element.value` and the like."""
    return (".".join((prefix, *path)) for path, _ in slot_types(data_type) if path)


def try_fix_metadata(
    old_metadata: Metadata, new_metadata: Metadata, *, is_changing_mode_on_existing_table: bool
) -> Metadata:
    """
    *new_metadata* with ids and names completed where its mode wants them, else as it is.

    Today's Delta calls this `updateColumnMappingMetadata`.
    """
    if column_mapping_mode(new_metadata) is ColumnMappingMode.NONE:
        return new_metadata
    return assign_column_id_and_physical_name(
        new_metadata,
        old_metadata,
        is_changing_mode_on_existing_table=is_changing_mode_on_existing_table,
    )


def verify_and_update_metadata_change(
    old_metadata: Metadata,
    new_metadata: Metadata,
    *,
    is_creating_new_table: bool = False,
    allow_removal: bool = True,
    strip_metadata: bool = True,
) -> Metadata:
    """
    *new_metadata* as it may follow *old_metadata*, mapping metadata completed.

    Raises `RefusedError` for an illegal mode change, and for turning mapping on over leftovers of
    an earlier mapping. With *strip_metadata*, mapping keys
    that come in while the mode stays none are removed, unless the table had such keys already. The
    old protocol, which Delta's own function once took, no longer matters.
    """
    old_mode, new_mode = column_mapping_mode(old_metadata), column_mapping_mode(new_metadata)
    changing = old_mode is not new_mode and not is_creating_new_table
    if changing and not allow_mapping_mode_change(old_mode, new_mode, allow_removal=allow_removal):
        raise RefusedError(
            f"The column mapping mode cannot go from '{old_mode.value}' to '{new_mode.value}'.",
            remedy="An existing table can only go from 'none' to 'name', or back to 'none' by "
            "rewriting its files.",
            delta_error_class="DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
        )
    if changing and old_mode is ColumnMappingMode.NONE:
        fields = new_metadata.schema.walk()
        stale = [path_text(p) for p, field in fields if COLUMN_MAPPING_KEYS & field.metadata.keys()]
        if stale:
            raise RefusedError(
                "Column mapping cannot be turned on: columns still carry metadata of an earlier "
                f"mapping: {', '.join(stale[:10])}.",
                remedy="Turning it on would read the wrong columns; copy the table instead.",
                delta_error_class="DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_"
                "METADATA_ALREADY_EXISTS",
            )
    if (
        new_mode is ColumnMappingMode.NONE
        and strip_metadata
        and has_column_mapping_metadata(new_metadata.schema)
        # Keys that the table had before stay: Delta reads physical names in any mode.
        and not has_column_mapping_metadata(old_metadata.schema)
    ):
        return new_metadata.with_schema(drop_column_mapping_metadata(new_metadata.schema))
    return try_fix_metadata(old_metadata, new_metadata, is_changing_mode_on_existing_table=changing)


def check_column_id_and_physical_name_assignments(metadata: Metadata) -> None:
    """
    Raise `RefusedError` unless every column has an id and a physical name, both unique.

    Ids are unique over the whole schema, physical names along their whole path; and
    `maxColumnId` covers every id, nested ids included. Old descriptions take schema and mode.
    """
    mode = column_mapping_mode(metadata)
    ids: set[int] = set()
    paths: set[Path] = set()
    # In id mode, whatever the table's, so that all mapping metadata is kept and demanded.
    physical = create_physical_schema(metadata.schema, metadata.schema, ColumnMappingMode.ID)
    for path, field in physical.walk():
        identifier = column_id(field)
        # One of Delta's own columns; any other has raised above.
        if identifier is None:
            continue
        # A name that only the commit will choose is as good as unique.
        named_twice = path in paths and not any(KNOWN_AFTER_COMMIT in part for part in path)
        if identifier in ids or named_twice:
            of_id, of_name = f"column id {identifier}", f"physical name {path_text(path)}"
            raise RefusedError(
                f"Two columns share the {of_id if identifier in ids else of_name} in column "
                f"mapping mode '{mode.value}'.",
                remedy="Restore the version before the commit that introduced the second one.",
            )
        ids.add(identifier)
        paths.add(path)
    highest = find_max_column_id(metadata.schema)
    if Key.MAX_COLUMN_ID not in metadata.configuration:
        raise RefusedError(
            f"The table uses column mapping but has no {Key.MAX_COLUMN_ID}.",
            remedy="Any ALTER TABLE through Delta Spark sets it.",
            delta_error_class="DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET",
        )
    if (max_column_id(metadata) or 0) < highest:
        raise RefusedError(
            f"{Key.MAX_COLUMN_ID} is {metadata.configuration[Key.MAX_COLUMN_ID]}, but column id "
            f"{highest} is in use.",
            remedy="Any ALTER TABLE through Delta Spark corrects it.",
            delta_error_class="DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY",
        )


def has_invalid_characters(name: str) -> bool:
    """Whether *name* has characters that a column of a data file must not have."""
    return any(character in INVALID_CHARACTERS for character in name)


def remove_column_mapping(metadata: Metadata) -> Metadata:
    """
    *metadata* after every file was rewritten under its columns' own names.

    The mode's own property is left to the caller. Raises `RefusedError` for names that data files
    cannot have (`RemoveColumnMappingCommand`).
    """
    fields = metadata.schema.walk()
    invalid = [path_text(path) for path, field in fields if has_invalid_characters(field.name)]
    if invalid:
        raise RefusedError(
            "Column mapping cannot be removed: these columns have names that Parquet files do not "
            f"allow: {', '.join(invalid[:10])}.",
            remedy="Rename them first: alter --rename-column COLUMN=NAME.",
            delta_error_class="DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
        )
    bare = metadata.without_properties(Key.MAX_COLUMN_ID, Key.COLUMN_MAPPING_MODE)
    return bare.with_schema(drop_column_mapping_metadata(metadata.schema))
