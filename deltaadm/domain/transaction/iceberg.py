"""The requirements of Iceberg compatibility and Universal Format for a table's metadata."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.properties import COLUMN_MAPPING_MODE, is_true
from deltaadm.domain.model.schema import (
    ArrayType,
    MapType,
    PrimitiveType,
    all_types,
    path_text,
    walk,
)
from deltaadm.domain.sql.constants import is_iceberg_default
from deltaadm.domain.sql.ddl import CURRENT_DEFAULT
from deltaadm.domain.transaction.column_mapping import (
    ColumnMappingMode,
    assign_column_id_and_physical_name,
    column_mapping_mode,
)
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.domain.model.schema import DataType
    from deltaadm.domain.model.snapshot import Snapshot

VERSIONS: Final = (1, 2, 3)
ROW_TRACKING: Final = "delta.enableRowTracking"
FORMATS: Final = "delta.universalFormat.enabledFormats"
_DELETION_VECTORS: Final = "delta.enableDeletionVectors"
_ATOMIC: Final = "delta.universalFormat.iceberg.atomicConversion.supported"
_V2_TYPES: Final = frozenset(
    {
        "byte",
        "short",
        "integer",
        "long",
        "float",
        "double",
        "string",
        "binary",
        "boolean",
        "timestamp",
        "timestamp_ntz",
        "date",
    }
)


def compat_key(version: int) -> str:
    """The property that turns Iceberg compatibility *version* on."""
    return f"delta.enableIcebergCompatV{version}"


def enabled_versions(metadata: Metadata) -> tuple[int, ...]:
    """The versions of Iceberg compatibility that are on."""
    return tuple(
        version for version in VERSIONS if is_true(metadata.configuration, compat_key(version))
    )


def required_of_new_table(old: Metadata, configuration: Mapping[str, str]) -> dict[str, str]:
    """What Delta adds to a new table, in the place of *old*, with any Iceberg compatibility on."""
    if not enabled_versions(Metadata(configuration=configuration)):
        return {}
    required = {COLUMN_MAPPING_MODE: "name", _ATOMIC: old.configuration.get(_ATOMIC, "true")}
    return {key: value for key, value in required.items() if key not in configuration}


def enforce_iceberg_compatibility(
    before: Snapshot, protocol: Protocol, metadata: Metadata, *, is_creating_new_table: bool
) -> Metadata:
    """
    *metadata* with what the formats demand; raises `Refused` where they forbid it.

    Universal Format wants some Iceberg compatibility, and goes when that goes; each version of
    it wants column mapping, which a new table gets, and V3 row tracking, which is set.
    """
    metadata = _enforce_universal_format(before.metadata, metadata)
    _require_fit_for_hudi(metadata)
    # No error class: Delta throws an UnsupportedOperationException.
    if 3 in enabled_versions(before.metadata) and 3 not in enabled_versions(metadata):  # noqa: PLR2004
        raise Refused(
            "Iceberg compatibility V3 cannot be turned off.",
            remedy="Copy the table into one without it.",
        )
    # Where the session's defaults have turned it on, nothing is mapped yet.
    required = required_of_new_table(before.metadata, metadata.configuration)
    if is_creating_new_table and required:
        metadata = metadata.with_configuration({**metadata.configuration, **required})
        if COLUMN_MAPPING_MODE in required:
            metadata = assign_column_id_and_physical_name(
                metadata, before.metadata, is_changing_mode_on_existing_table=False
            )
    for version in enabled_versions(metadata):
        if column_mapping_mode(metadata) is ColumnMappingMode.NONE:
            raise _violation(
                "WRONG_REQUIRED_TABLE_PROPERTY",
                f"Iceberg compatibility V{version} needs column mapping.",
                f"Set {compat_key(version)} to false first, or keep column mapping."
                if version in enabled_versions(before.metadata)
                else "Run `deltaadm set-mapping-mode TABLE name` first.",
            )
        if version == 3:  # noqa: PLR2004
            metadata = _with_row_tracking(before.metadata, metadata)
        _check_version(version, before, protocol, metadata)
    return metadata


def _with_row_tracking(old: Metadata, new: Metadata) -> Metadata:
    """V3 turns row tracking on by itself, and only by itself."""
    if ROW_TRACKING in new.configuration and not is_true(new.configuration, ROW_TRACKING):
        raise _violation(
            "WRONG_REQUIRED_TABLE_PROPERTY",
            "Iceberg compatibility V3 needs row tracking.",
            f"Do not change {ROW_TRACKING}.",
        )
    if 3 not in enabled_versions(old) and is_true(old.configuration, ROW_TRACKING):  # noqa: PLR2004
        raise Refused(
            "Iceberg compatibility V3 cannot be turned on while row tracking is on.",
            remedy="Create a table with both, and copy the data.",
        )
    return new.with_configuration({**new.configuration, ROW_TRACKING: "true"})


def _enforce_universal_format(old: Metadata, new: Metadata) -> Metadata:
    if "iceberg" not in _formats(new) or enabled_versions(new):
        return new
    if not enabled_versions(old):
        raise Refused(
            "Universal Format (Iceberg) needs Iceberg compatibility to be turned on as well.",
            remedy=f"Set {compat_key(2)} to true in the same command.",
            delta_error_class="DELTA_UNIVERSAL_FORMAT_VIOLATION",
        )
    rest = [name for name in _formats(new) if name != "iceberg"]
    configuration = {key: value for key, value in new.configuration.items() if key != FORMATS}
    return new.with_configuration(
        {**configuration, FORMATS: ",".join(rest)} if rest else configuration
    )


def _require_fit_for_hudi(metadata: Metadata) -> None:
    if "hudi" not in _formats(metadata):
        return
    unknown = [
        path_text((field.name,))
        for field in metadata.schema.fields
        if any(
            isinstance(part, PrimitiveType) and part.name in _NOT_IN_HUDI
            for part in all_types(field.type)
        )
    ]
    vectors = is_true(metadata.configuration, _DELETION_VECTORS)
    if vectors or unknown:
        raise Refused(
            "Universal Format (Hudi) does not allow deletion vectors."
            if vectors
            else f"Universal Format (Hudi) does not allow the types of: {', '.join(unknown)}.",
            remedy=f"Set {_DELETION_VECTORS} to false, or leave hudi out of {FORMATS}."
            if vectors
            else f"Use INT and TIMESTAMP there, or leave hudi out of {FORMATS}.",
            delta_error_class="DELTA_UNIVERSAL_FORMAT_VIOLATION",
        )


_NOT_IN_HUDI: Final = frozenset({"byte", "short", "timestamp_ntz", "void"})


def _formats(metadata: Metadata) -> tuple[str, ...]:
    return tuple(metadata.configuration.get(FORMATS, "").split(","))


def _check_version(version: int, before: Snapshot, protocol: Protocol, metadata: Metadata) -> None:
    if len(enabled_versions(metadata)) > 1:
        raise _violation(
            "VERSION_MUTUAL_EXCLUSIVE",
            "Only one version of Iceberg compatibility can be on.",
            "Turn the others off in the same command.",
        )
    for field in metadata.schema.fields:
        for data_type in all_types(field.type):
            if not allows_type(version, data_type):
                raise _violation(
                    "UNSUPPORTED_DATA_TYPE",
                    f"Iceberg compatibility V{version} does not allow the type of column "
                    f"{field.name!r}.",
                    "Drop the column, or choose another version.",
                )
    _check_partition_columns(version, before.metadata, metadata)
    if version == 3:  # noqa: PLR2004
        _check_defaults(metadata)
    _check_type_changes(version, metadata)
    if version < 3 and protocol.supports("deletionVectors"):  # noqa: PLR2004
        if is_true(metadata.configuration, _DELETION_VECTORS):
            raise _violation(
                "DELETION_VECTORS_SHOULD_BE_DISABLED",
                f"Iceberg compatibility V{version} does not allow deletion vectors.",
                _without_deletion_vectors(version, before.metadata),
            )
        if before.files is not None and before.files.with_deletion_vector:
            raise _violation(
                "DELETION_VECTORS_NOT_PURGED",
                f"{before.files.with_deletion_vector} files still have deletion vectors.",
                "Purge them: REORG TABLE … APPLY (PURGE).",
            )


def _without_deletion_vectors(version: int, before: Metadata) -> str:
    """The remedy for deletion vectors together with Iceberg compatibility."""
    if is_true(before.configuration, _DELETION_VECTORS):
        return (
            "Set delta.enableDeletionVectors to false and purge them: REORG TABLE … APPLY (PURGE)."
        )
    keys = compat_key(version)
    if "iceberg" in _formats(before):
        keys = f"{keys} and {FORMATS}"
    return (
        f"The table is kept readable as Iceberg, by {keys}: leave deletion vectors off, or turn "
        "that off first."
        if version in enabled_versions(before)
        else "Leave deletion vectors out of the command."
    )


def _check_partition_columns(version: int, old: Metadata, new: Metadata) -> None:
    """Raise `Refused` where a partitioned table is replaced by one partitioned otherwise."""
    # Iceberg keeps the old partition specs.
    if old.partition_columns and old.partition_columns != new.partition_columns:
        raise _violation(
            "REPLACE_TABLE_CHANGE_PARTITION_NAMES",
            f"Iceberg compatibility V{version} does not allow other partition columns than the "
            f"table has: {', '.join(old.partition_columns)}.",
            "Keep them, or drop the table and create it anew.",
        )


def _check_defaults(metadata: Metadata) -> None:
    """Raise `Refused` for defaults that V3 does not allow."""
    # They are handed on to Iceberg, which knows literals only.
    for path, field in walk(metadata.schema):
        default = field.metadata.get(CURRENT_DEFAULT)
        if isinstance(default, str) and not is_iceberg_default(field.type, default):
            raise _violation(
                "UNSUPPORTED_DATA_TYPE",
                f"Iceberg compatibility V3 does not allow the default {default!r} of column "
                f"{path_text(path)}, which is no plain literal of its type.",
                "Write a literal such as 7, 1.5, true or '2026-01-31', or no default.",
            )


def _check_type_changes(version: int, metadata: Metadata) -> None:
    """Columns may only have been widened in ways that Iceberg knows as well."""
    for path, field in walk(metadata.schema):
        changes = field.metadata.get("delta.typeChanges")
        for change in changes if isinstance(changes, list) else ():
            # Malformed records have a rule of their own, and must not end a plan in a traceback.
            if not isinstance(change, dict):
                continue
            old, new = str(change.get("fromType")), str(change.get("toType"))
            if not widens_in_iceberg(old, new):
                raise _violation(
                    "UNSUPPORTED_TYPE_WIDENING",
                    f"Column {path_text(path)} was changed from {old} to {new}, which Iceberg "
                    f"compatibility V{version} does not allow.",
                    "Rewrite the column with its current type in a new table.",
                )


_INTEGERS: Final = ("byte", "short", "integer", "long")
_DECIMAL: Final = re.compile(r"decimal\((\d+),(-?\d+)\)")


def widens_in_iceberg(old: str, new: str) -> bool:
    """Whether Iceberg knows the change of a column from type *old* to *new*."""
    if old in _INTEGERS and new in _INTEGERS:
        return True
    before, after = _DECIMAL.fullmatch(old), _DECIMAL.fullmatch(new)
    if before and after:
        # Iceberg widens the precision of decimals alone.
        return before[2] == after[2]
    return (old, new) == ("float", "double")


def allows_type(version: int, data_type: DataType) -> bool:
    """Whether *data_type* itself, not what is inside it, goes with Iceberg compatibility."""
    if isinstance(data_type, PrimitiveType):
        name = data_type.name
        if version == 1:
            return name != "void"
        known = name in _V2_TYPES or name.startswith("decimal")
        return known or (version == 3 and name == "variant")  # noqa: PLR2004
    # Iceberg needs ids of elements, keys and values, which only V2 and V3 assign.
    return version > 1 or not isinstance(data_type, ArrayType | MapType)


def _violation(sub_class: str, message: str, remedy: str) -> Refused:
    return Refused(
        message, remedy=remedy, delta_error_class=f"DELTA_ICEBERG_COMPAT_VIOLATION.{sub_class}"
    )
