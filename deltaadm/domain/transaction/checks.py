"""What Delta checks and repairs, and what statements do with reserved properties."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from deltaadm.dataclass import replace
from deltaadm.domain.features import FEATURES, mapping_mode
from deltaadm.domain.properties import Key, column_list, interval_microseconds, is_true
from deltaadm.domain.protocol import Protocol, supported_features_from_table_configs
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    folded,
    parts,
    path_text,
    slot_types,
    with_types,
)
from deltaadm.domain.transaction import column_mapping
from deltaadm.domain.transaction.column_mapping import INVALID_CHARACTERS, has_invalid_characters
from deltaadm.domain.transaction.spark_support import SPARK_TYPES
from deltaadm.domain.wire import Metadata
from deltaadm.errors import IllegalArgumentError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


RETENTION_KEYS: Final = ("delta.logRetentionDuration", "delta.deletedFileRetentionDuration")
"""Setting either of them makes Delta compare both, as the command has them or else by default."""
UNREAD_UNLESS_SUPPORTED: Final = {
    "generatedColumns": FieldKey.GENERATION,
    "identityColumns": "delta.identity.",
}
"""Features without which Delta takes no notice of a column's keys of their kind."""
CHAR_TYPE: Final = r"(var)?char\((\d+)\)"
_TYPES: Final = SPARK_TYPES - {"decimal", "geography", "geometry", "interval"}
_SKIPPABLE: Final = _TYPES - {"binary", "boolean", "null", "variant", "void"}
CDC_COLUMNS: Final = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
"""The columns that the change data feed adds."""


def fit_for_log(old: Metadata, new: Metadata, protocol: Protocol) -> Metadata:
    """
    *new* with the schema that Delta writes.

    char and varchar become string; NOT NULL inside arrays and maps, which nobody enforces, is
    refused where the schema changes; generation expressions and identity columns go where
    *protocol*, that of before, does not support them.
    """
    if new.schema_string is None:
        return new
    fields = [without_char(field) for field in new.schema.fields]
    schema = StructType(tuple(fields))
    # Delta looks at schemas that change: a table that has it already stays as it is.
    if schema.to_json() != old.schema_string:
        for path, field in schema.walk():
            slots = () if isinstance(field.type, StructType) else parts(field.type)
            if any(_has_not_null(slot.type) for slot in slots):
                raise RefusedError(
                    f"Delta cannot enforce NOT NULL in an array or a map, as in {path_text(path)}.",
                    remedy="Make the nested fields nullable first: alter --drop-not-null COLUMN.",
                    delta_error_class="DELTA_NESTED_NOT_NULL_CONSTRAINT",
                )
    features = UNREAD_UNLESS_SUPPORTED.items()
    unread = tuple(prefix for feature, prefix in features if not protocol.supports(feature))
    fields = [
        field.without(*(key for key in field.metadata if key.startswith(unread)))
        for field in fields
    ]
    return replace(new, schema_string=StructType(tuple(fields)).to_json())


def without_char(field: StructField) -> StructField:
    """A column whose type, or a part of it, is char or varchar notes the type as a whole."""
    if not any(map(is_char, all_types(field.type))):
        return field
    return replace(
        field,
        type=_with_strings(field.type),
        metadata={**field.metadata, FieldKey.RAW_TYPE: catalog_type(field.type)},
    )


def is_char(data_type: DataType) -> bool:
    """Whether *data_type* is char or varchar, which Delta stores as a string."""
    return "char(" in data_type.name and re.fullmatch(CHAR_TYPE, data_type.name) is not None


def _with_strings(data_type: DataType) -> DataType:
    if is_char(data_type):
        return PrimitiveType("string")
    return with_types(data_type, [_with_strings(part.type) for part in parts(data_type)])


def catalog_type(data_type: DataType) -> str:
    """
    *data_type* as Spark's catalogs spell it.

    >>> catalog_type(ArrayType(StructType((StructField("a", PrimitiveType("long")),))))
    'array<struct<a:bigint>>'
    """
    if isinstance(data_type, ArrayType):
        return f"array<{catalog_type(data_type.element)}>"
    if isinstance(data_type, MapType):
        return f"map<{catalog_type(data_type.key)},{catalog_type(data_type.value)}>"
    if isinstance(data_type, StructType):
        inner = ",".join(f"{field.name}:{catalog_type(field.type)}" for field in data_type.fields)
        return f"struct<{inner}>"
    return _IN_CATALOGS.get(data_type.name, data_type.name)


def require_readable_char(schema: StructType) -> None:
    """Raise `RefusedError` for char and varchar beside names that Spark cannot read back."""
    for field in schema.fields:
        if not any(map(is_char, all_types(field.type))):
            continue
        inner = [part.name for path, part in StructType((field,)).walk() if len(path) > 1]
        names = [name for name in inner if not re.fullmatch(r"(?!\d+$)\w+", name, re.ASCII)]
        if names:
            raise RefusedError(
                f"{path_text((field.name,))} has char or varchar in a struct beside "
                f"{', '.join(names)}: Spark notes such a type without quotes, and cannot parse it.",
                remedy="Use STRING there, or names of ASCII letters, digits and underscores.",
                delta_error_class="INVALID_IDENTIFIER"
                if re.fullmatch(r"[\w-]+", names[0]) and not names[0].isdigit()
                else "PARSE_SYNTAX_ERROR",
            )


def noted_type(noted: str) -> DataType | None:
    """
    The stored form of a type that Spark has noted, with the names in it unquoted; None if it
    cannot parse it.

    >>> noted_type("array<varchar(5)>"), noted_type("struct<a-b:varchar(5)>")
    (ArrayType(element=PrimitiveType(name='string'), contains_null=True), None)
    """
    from deltaadm.domain.ddl import parse_type  # rarely met

    try:
        return _with_strings(parse_type(noted)) if noted.isascii() else None
    except RefusedError:
        return None


_IN_CATALOGS: Final = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}


def _has_not_null(data_type: DataType) -> bool:
    inner = parts(data_type)
    forbidden = [part for part in inner if not part.nullable]
    # The key of a map never is null, which nobody has to declare.
    own = forbidden[1:] if isinstance(data_type, MapType) else forbidden
    return bool(own) or any(_has_not_null(part.type) for part in inner)


def check_metadata(old: Metadata, new: Metadata) -> None:
    """Raise `RefusedError` as Delta's `assertMetadata` and its check for CDF columns do."""
    # Of several violations Delta names the first, so the order is Delta's.
    schema = new.schema
    repeated = duplicate_columns(schema)
    if repeated:
        raise RefusedError(
            f"These columns occur more than once, ignoring case: {', '.join(repeated)}.",
            remedy="Rename or drop one of each with the client that wrote them.",
            delta_error_class="DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE",
        )
    if mapping_mode(new) == "none":
        check_names(new)
    else:
        column_mapping.check_column_id_and_physical_name_assignments(new)
    unknown = [
        path_text(path)
        for path, field in schema.walk()
        if _has_collation(field) or not all(map(is_supported_type, leaves(field.type)))
    ]
    if unknown:
        raise RefusedError(
            f"These columns have types that Delta Lake does not support: {', '.join(unknown)}.",
            remedy="Drop them, or use the client that made them.",
            delta_error_class="DELTA_UNSUPPORTED_DATA_TYPES",
        )
    check_property_constraints(new)
    columns = {field.name.lower() for field in schema.fields}
    for key in (Key.ROW_ID_COLUMN, Key.ROW_COMMIT_VERSION_COLUMN):
        name = new.configuration.get(key)
        if name is not None and name.lower() in columns:
            raise RefusedError(
                f"Row tracking stores its values in {name!r}, which the table already has.",
                remedy="Rename that column.",
                delta_error_class="DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
            )
    reserved = sorted(CDC_COLUMNS & columns)
    if reserved and is_true(new.configuration, "delta.enableChangeDataFeed"):
        was_on = is_true(old.configuration, "delta.enableChangeDataFeed")
        raise RefusedError(
            f"The table has columns whose names the change data feed needs: {', '.join(reserved)}.",
            remedy="Rename those columns.",
            delta_error_class="RESERVED_CDC_COLUMNS_ON_WRITE"
            if was_on
            else "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
        )


def duplicate_columns(schema: StructType) -> list[str]:
    """The columns, in lower case, that occur more than once in their struct."""
    return _repeated(path_text(folded(path)) for path, _ in schema.walk())


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, times in Counter(names).items() if times > 1)


def columns_with_invalid_characters(metadata: Metadata) -> list[Path]:
    """The columns whose names data files cannot have; partition columns are not in the files."""
    partitions = {column.lower() for column in metadata.partition_columns}
    return [
        path
        for path, field in metadata.schema.walk()
        if has_invalid_characters(field.name) and path[0].lower() not in partitions
    ]


def check_names(metadata: Metadata) -> None:
    """Raise `RefusedError` for names that data files without column mapping cannot have."""
    invalid = [path_text(path) for path in columns_with_invalid_characters(metadata)]
    if invalid:
        raise RefusedError(
            "These column names contain characters that Parquet does not allow, from "
            f"{INVALID_CHARACTERS!r}: {', '.join(invalid)}.",
            remedy="Rename them, or turn column mapping on.",
            delta_error_class="DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        )
    invalid = [column for column in metadata.partition_columns if has_invalid_characters(column)]
    if invalid:
        raise RefusedError(
            "These partition columns contain characters that Parquet does not allow, from "
            f"{INVALID_CHARACTERS!r}: {', '.join(invalid)}.",
            remedy="Turn column mapping on.",
            delta_error_class="DELTA_INVALID_PARTITION_COLUMN_NAME",
        )


def _has_collation(field: StructField) -> bool:
    collations = field.metadata.get(FieldKey.COLLATIONS)
    # Names come with a provider: spark.UTF8_BINARY.
    names = collations.values() if isinstance(collations, dict) else ()
    return any("UTF8_BINARY" not in str(name) for name in names)


def is_supported_type(leaf: PrimitiveType) -> bool:
    """Whether Delta lets a table have a column of this type."""
    return leaf.name in _TYPES or leaf.name.startswith(("decimal", "geometry", "geography"))


def leaves(data_type: DataType) -> Iterator[PrimitiveType]:
    """The primitive types in the slots of *data_type*, without those of fields inside it."""
    return (inner for _, inner in slot_types(data_type) if isinstance(inner, PrimitiveType))


def check_property_constraints(metadata: Metadata) -> None:
    """Raise `RefusedError` where deletion vectors are on together with what they exclude."""
    if not is_true(metadata.configuration, "delta.enableDeletionVectors"):
        return
    provider = metadata.format.provider if metadata.format else "parquet"
    if provider != "parquet":
        message = f"Deletion vectors need Parquet files; the table's format is {provider!r}."
        sub_class = "IN_NON_PARQUET_TABLE"
    elif is_true(metadata.configuration, "delta.compatibility.symlinkFormatManifest.enabled"):
        message = "Deletion vectors and symlink manifests cannot be on together."
        sub_class = "WITH_INCREMENTAL_MANIFEST_GENERATION"
    else:
        return
    raise RefusedError(
        message,
        remedy="Turn one of them off.",
        delta_error_class="DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
        f"PERSISTENT_DELETION_VECTORS_{sub_class}",
    )


def check_retention(properties: Mapping[str, str]) -> None:
    """
    Raise `RefusedError` where deleted files are kept longer than the log that knows of them.

    *properties* are those of a table, or those that a command names: Delta compares these alone.
    """
    log = properties.get("delta.logRetentionDuration", "interval 30 days")
    deleted = properties.get("delta.deletedFileRetentionDuration", "interval 1 week")
    if (interval_microseconds(log) or 0) < (interval_microseconds(deleted) or 0):
        raise IllegalArgumentError(
            f"delta.deletedFileRetentionDuration ({deleted}) is longer than "
            f"delta.logRetentionDuration ({log}).",
            remedy="Keep the log at least as long as deleted files, and name both in one command: "
            "of what it does not name, Delta compares the default, whatever the table has.",
        )


def check_statistics_columns(metadata: Metadata) -> None:
    """Raise `RefusedError` unless the columns named for statistics exist and can have them."""
    listed = metadata.configuration.get(Key.STATISTICS_COLUMNS)
    if listed is None:
        return
    partitions = {column.lower() for column in metadata.partition_columns}
    leaves: list[str] = []
    schema, inside = metadata.schema, dict[int, dict[str, DataType]]()
    for path in column_list(listed)[0]:
        name = ".".join(path)
        if len(path) == 1 and path[0].lower() in partitions:
            raise RefusedError(
                f"{Key.STATISTICS_COLUMNS} names {name}, which is a partition column.",
                remedy="Leave it out.",
                delta_error_class="DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN",
            )
        here: DataType = schema
        for part in path:
            if id(here) not in inside:
                inside[id(here)] = {field.name.lower(): field.type for field in parts(here)}
            inner = inside[id(here)]
            if part.lower() not in inner:
                raise RefusedError(
                    f"{Key.STATISTICS_COLUMNS} names {name}, which the table does not have.",
                    remedy="Name columns of the table.",
                    delta_error_class="DELTA_COLUMN_PATH_NOT_NESTED"
                    if here.name
                    else "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                )
            here = inner[part.lower()]
        leaves.extend(_statistics_leaves(name, here, nested=len(path) > 1))
    if _repeated(leaves):
        raise RefusedError(
            f"{Key.STATISTICS_COLUMNS} names these columns twice: {', '.join(_repeated(leaves))}.",
            remedy="Name each once.",
            delta_error_class="DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS",
        )


def _statistics_leaves(name: str, data_type: DataType, *, nested: bool) -> list[str]:
    # Delta refuses a type without statistics at the top level, and skips it where it is nested.
    if isinstance(data_type, StructType):
        return [
            leaf
            for field in data_type.fields
            for leaf in _statistics_leaves(f"{name}.{field.name}", field.type, nested=True)
        ]
    if has_bounds(data_type) or data_type == PrimitiveType("variant"):
        return [name]
    if nested:
        return []
    raise RefusedError(
        f"{Key.STATISTICS_COLUMNS} names {name}, which has a type without statistics.",
        remedy="Leave it out.",
        delta_error_class="DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE",
    )


def has_bounds(data_type: DataType) -> bool:
    """Whether files keep a minimum and a maximum of columns of this type."""
    return data_type.name in _SKIPPABLE or data_type.name.startswith("decimal")


# Reserved keys


CLUSTERING_COLUMNS: Final = "clusteringColumns"
"""The property as which Spark's catalog hands on CLUSTER BY."""
UNITY_TABLE_ID: Final = "io.unitycatalog.tableId"
SUPPORTED: Final = "supported"
"""The value of a feature's property that brings along what the feature needs."""
COORDINATOR: Final = (
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
)
COORDINATED_KEYS: Final = (*COORDINATOR, "delta.coordinatedCommits.tableConf-preview")
ICT_KEYS: Final = Key.IN_COMMIT_TIMESTAMPS, Key.ICT_ENABLEMENT_VERSION, Key.ICT_ENABLEMENT_TIMESTAMP
_CLUSTERING: Final = f"{Key.FEATURE_PREFIX}clustering"
ADAPTIVE_METADATA: Final = f"{Key.FEATURE_PREFIX}adaptivemetadata-preview"


def refuse_reserved(keys: Iterable[str]) -> None:
    """Raise `RefusedError` for keys that Spark's parser takes for something else, in any table."""
    for key in keys:
        if key in _RESERVED:
            raise RefusedError(
                f"The property {key!r} is reserved by Spark.",
                remedy="It is not a table property; leave it out.",
                delta_error_class="UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
            )


_RESERVED: Final = frozenset({
    "collation", "external", "is_managed_location", "location", "owner", "provider", "table_type",
})  # fmt: skip


def refuse_for_new_table(properties: Mapping[str, str], replaced: Protocol | None) -> None:
    """Raise `RefusedError` for what a table cannot have that is new, or replaces *replaced*."""
    if _CLUSTERING in properties:
        raise RefusedError(
            "The table feature clustering cannot be set as a property.",
            remedy="Use --cluster-by COLUMN, which adds it.",
            delta_error_class="DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        )
    # Delta looks for this feature among all that are asked for, whose values it checks.
    if "catalogManaged" in supported_features_from_table_configs(properties):
        raise RefusedError(
            "A table with catalogManaged is managed by a catalog, and cannot be created here.",
            remedy="Create it with the catalog's own tools.",
            delta_error_class="DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION",
        )
    coordinated = [key for key in COORDINATED_KEYS if key in properties]
    if coordinated and replaced is not None:
        raise _uncoordinated("DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS", coordinated)
    _require_coordinator(coordinated)
    clusters = properties.get(CLUSTERING_COLUMNS)
    # Delta reads any value as a list: one meets the check of the feature, other text a parser's
    # exception without an error class.
    is_list = clusters is not None and clusters.lstrip().startswith("[")
    has_domains = replaced is not None and replaced.supports("domainMetadata")
    if clusters is not None and not (is_list and has_domains):
        raise RefusedError(
            "The clustering columns cannot be set as a property.",
            remedy="Use --cluster-by COLUMN.",
            delta_error_class="DELTA_DOMAIN_METADATA_NOT_SUPPORTED" if is_list else None,
        )
    for key, value in properties.items():
        if key.lower().startswith(Key.CONSTRAINT_PREFIX) and not value.strip():
            raise RefusedError(
                f"The constraint {key} is empty.",
                remedy="Write an expression that is true for every row, for example: amount > 0.",
                delta_error_class="PARSE_EMPTY_STATEMENT",
            )
    if replaced is not None and UNITY_TABLE_ID in properties:
        raise RefusedError(
            f"The property {UNITY_TABLE_ID} cannot be set by a user.",
            remedy="Unity Catalog maintains it; leave it out.",
            delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        )


def refuse_to_set(properties: Mapping[str, str]) -> None:
    """Raise `RefusedError` for what SET TBLPROPERTIES does not set in any table."""
    if CLUSTERING_COLUMNS in properties:
        raise RefusedError(
            "The clustering columns cannot be set as a property.",
            remedy="Use `deltaadm alter TABLE --cluster-by COLUMN`.",
            delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        )
    for key in properties:
        if key.lower().startswith(Key.CONSTRAINT_PREFIX):
            raise RefusedError(
                f"A CHECK constraint cannot be set as a property ({key}).",
                remedy="Use alter --add-constraint NAME=EXPRESSION, which checks the rows.",
                delta_error_class="DELTA_ADD_CONSTRAINTS",
            )
    if _CLUSTERING in properties:
        feature = FEATURES["clustering"]
        raise RefusedError(
            "The table feature clustering cannot be set as a property.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
    asked = [key for key in COORDINATED_KEYS if key in properties]
    touched = [key for key in ICT_KEYS if key in properties]
    # In Delta's order, as recorded: of several mistakes the first names the error class.
    if asked and touched:
        raise _uncoordinated("DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES", touched)
    _require_coordinator(asked)


def refuse_for_coordinated(metadata: Metadata, keys: Collection[str], refusal: str) -> None:
    """Raise `RefusedError` where a coordinator is there, and *keys* are of it or what it needs."""
    if not any(key in metadata.configuration for key in COORDINATED_KEYS):
        return
    needed = "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES"
    for own, error_class in ((COORDINATED_KEYS, refusal), (ICT_KEYS, needed)):
        if touched := [key for key in own if key in keys]:
            raise _uncoordinated(error_class, touched)


def _require_coordinator(asked: list[str]) -> None:
    if COORDINATED_KEYS[-1] in asked:
        raise _uncoordinated("DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND", asked)
    if asked and len(asked) < len(COORDINATOR):
        raise _uncoordinated("DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND", asked)


def _uncoordinated(error_class: str, keys: list[str]) -> RefusedError:
    return RefusedError(
        f"Coordinated commits do not allow this change of {', '.join(keys)}.",
        remedy="Set the coordinator's name and configuration together, on a table that has none; "
        "drop the feature coordinatedCommits-preview to remove them.",
        delta_error_class=error_class,
    )


def refuse_keys_of_upgrade(configuration: Mapping[str, str], protocol: Protocol) -> None:
    """Raise `RefusedError` for features that do not join an existing table's *protocol*."""
    asked = {key.lower(): value for key, value in configuration.items()}
    feature = FEATURES["adaptiveMetadata-preview"]
    if asked.get(ADAPTIVE_METADATA, "").lower() == SUPPORTED:
        raise RefusedError(
            f"The table feature {feature.name} cannot be added to an existing table.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
    # Delta looks for these features among all that are asked for, whose values it checks.
    names = supported_features_from_table_configs(configuration)
    is_managed = not names.isdisjoint({"catalogManaged", feature.name})
    feature = FEATURES["catalogManaged"]
    if is_managed and feature.name not in protocol.explicit_names:
        raise RefusedError(
            "Delta Lake 4.4 cannot make an existing table catalog-managed.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
