"""
What each change makes of a table of another provider than Delta, and which must not be made.

It was tried on Spark 4.2, with tables of csv, json, orc, parquet and hive in its own catalog and in
a Hive metastore. Much is accepted and then ignored; what would be, or would leave a table that
cannot be read any more, is refused here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.dataclass import replace
from deltaadm.domain.model.properties import TABLE_COMMENT
from deltaadm.domain.model.schema import PrimitiveType, StructType, all_types, path_text, walk
from deltaadm.domain.sql.ddl import COMMENT, CURRENT_DEFAULT, type_sql
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    DropColumns,
    DropConstraint,
    RenameColumn,
    SetLocation,
    SetProperties,
    UnsetProperties,
    WriteCheckpoint,
)
from deltaadm.domain.transaction.columns import refuse_taken
from deltaadm.domain.transaction.reserved_keys import refuse_reserved
from deltaadm.errors import Refused
from deltaadm.operations.foreign.catalog import refuse_keys_of_delta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deltaadm.domain.model.schema import DataType, StructField
    from deltaadm.domain.sql.ddl import ColumnDefinition
    from deltaadm.domain.steps import ColumnChange, Step
    from deltaadm.operations.foreign.catalog import ForeignDefinition


def altered(definition: ForeignDefinition, step: Step) -> ForeignDefinition:
    """Return the catalog's definition after *step*; raises `Refused` if it must not be taken."""
    effect = _EFFECTS.get(type(step))
    if effect is None:
        raise _unsupported(definition.provider, *_DELTA_ONLY.get(type(step), _UNKNOWN))
    return effect(definition, step)


def _unsupported(provider: str, what: str, remedy: str) -> Refused:
    return Refused(f"In a table of the provider {provider} {what}.", remedy=remedy)


_ANEW: Final = (
    "Re-create the table with the change, from a query over the old one: deltaadm create "
    "--provider."
)
_OF_DELTA: Final = (
    "Only Delta tables support this; create one with: deltaadm create NAME --as QUERY."
)

_DELTA_ONLY: Final[Mapping[type, tuple[str, str]]] = {
    AddConstraint: ("Spark checks no constraints, and would ignore this one", _OF_DELTA),
    DropConstraint: ("there are no constraints", "Leave --drop-constraint out."),
    ClusterBy: ("rows cannot be clustered by columns", _OF_DELTA),
    DropColumns: ("columns cannot be dropped", _ANEW),
    RenameColumn: ("columns cannot be renamed", _ANEW),
    WriteCheckpoint: ("there is no log, and so no checkpoint", "Leave --checkpoint out."),
}
"""Steps that Spark always refuses or ignores, and what to do instead."""
_UNKNOWN: Final = ("this cannot be done", "Plan again.")


def _set_properties(definition: ForeignDefinition, step: SetProperties) -> ForeignDefinition:
    refuse_keys_of_delta(step.properties, definition.provider)
    _refuse_keys(step.properties, setting=True)
    properties = {**definition.properties, **step.properties}
    comment = properties.pop(TABLE_COMMENT, definition.comment) or None
    return replace(definition, properties=properties, comment=comment)


def _unset_properties(definition: ForeignDefinition, step: UnsetProperties) -> ForeignDefinition:
    _refuse_keys(step.keys, setting=False)
    left = {key: value for key, value in definition.properties.items() if key not in step.keys}
    comment = None if TABLE_COMMENT in step.keys else definition.comment
    return replace(definition, properties=left, comment=comment)


def _refuse_keys(keys: Iterable[str], *, setting: bool) -> None:
    refuse_reserved(keys)
    for key in keys:
        for row in _KEYS:
            if row.keys.fullmatch(key) and (setting or row.also_unset):
                raise Refused(f"The property {key!r} {row.what}.", remedy=row.remedy)


class _Keys(NamedTuple):
    """Keys that Spark takes and makes nothing good of."""

    keys: re.Pattern[str]
    what: str
    remedy: str
    also_unset: bool = False


_KEYS: Final = (
    _Keys(
        re.compile(
            "numRows|rawDataSize|totalSize|numFiles|numPartitions|COLUMN_STATS_ACCURATE|"
            "DO_NOT_UPDATE_STATS|transient_lastDdlTime|EXTERNAL"
        ),
        "is maintained by the Hive metastore; set by hand, it is lost or makes the table "
        "unreadable",
        "Leave it out; ANALYZE TABLE counts rows and bytes.",
        also_unset=True,
    ),
    _Keys(
        re.compile(r"spark\.sql\..*", re.DOTALL),
        "is reserved by Spark, which refuses it for tables in a Hive metastore",
        "Choose a name with another prefix.",
        also_unset=True,
    ),
    _Keys(
        re.compile(r"option\..*", re.DOTALL),
        "would not become an option: options are set when the table is created",
        "Re-create the table: deltaadm create NAME --provider PROVIDER --mode replace "
        "--write-option KEY=VALUE.",
    ),
    _Keys(
        re.compile("path"),
        "would not move the table",
        "Use --set-location.",
    ),
)


def _add_columns(definition: ForeignDefinition, step: AddColumns) -> ForeignDefinition:
    provider = definition.provider
    if provider not in _TAKING_COLUMNS:
        raise _unsupported(
            provider,
            "columns cannot be added",
            f"Spark adds them to those of {', '.join(_TAKING_COLUMNS)}. {_ANEW}",
        )
    refuse_taken(definition.schema, step.columns)
    for new in step.columns:
        _refuse_column(provider, new)
    old = definition.schema.fields
    # Spark keeps partition columns last.
    here = len(old) - len(definition.partition_by)
    fields = (*old[:here], *(new.column for new in step.columns), *old[here:])
    return replace(definition, schema=StructType(fields))


_TAKING_COLUMNS: Final = ("csv", "hive", "json", "orc", "parquet")
"""The providers of `AlterTableAddColumnsCommand`."""


def _refuse_column(provider: str, new: ColumnDefinition) -> None:
    name = path_text((*new.parent, new.column.name))
    if new.parent:
        raise _unsupported(provider, f"{name} cannot be added inside another column", _ANEW)
    if new.position is not None:
        raise _unsupported(
            provider,
            f"{name} cannot be given a position: Spark ignores FIRST and AFTER and adds it last, "
            "before partition columns",
            "Leave FIRST or AFTER out.",
        )
    if required := required_columns(StructType((new.column,))):
        raise _unsupported(
            provider,
            f"{', '.join(required)} cannot be NOT NULL: Spark refuses or ignores it",
            "Leave NOT NULL out.",
        )
    if provider == "hive" and CURRENT_DEFAULT in new.column.metadata:
        raise _unsupported(
            provider,
            f"{name} cannot be added with a default",
            "Add it without a default, then set one for new rows: alter --set-default "
            f"{name}={new.column.metadata[CURRENT_DEFAULT]}.",
        )
    refuse_unsupported_types(provider, new.column)


def required_columns(schema: StructType) -> tuple[str, ...]:
    """The columns, and parts of columns, that are declared NOT NULL."""
    return tuple(path_text(path) for path, column in walk(schema) if not column.nullable)


def refuse_unsupported_types(provider: str, column: StructField) -> None:
    """Raise `Refused` for a new column whose type Spark takes, and then cannot work with."""
    for row in _TYPES:
        if row.provider == provider and any(map(row.matches, all_types(column.type))):
            raise _unsupported(
                provider,
                f"{path_text((column.name,))} cannot be {type_sql(column.type)}: Spark would "
                f"accept it, but then could not {row.fails}",
                "Choose another type.",
            )


def without_collation(data_type: DataType) -> DataType:
    """A string whatever its collation, and any other type as it is."""
    return PrimitiveType("string") if _is_collated(data_type) else data_type


def _is_collated(data_type: DataType) -> bool:
    return isinstance(data_type, PrimitiveType) and bool(_COLLATED.match(data_type.name))


_COLLATED: Final = re.compile("string collate ", re.IGNORECASE)


class _Types(NamedTuple):
    """Types that Spark takes for new columns without a word, and cannot work with."""

    provider: str
    matches: Callable[[DataType], bool]
    fails: str


_TYPES: Final = (
    _Types("csv", lambda data_type: data_type == PrimitiveType("variant"), "read the table"),
    _Types("hive", _is_collated, "read the table"),
    _Types("orc", _is_collated, "read what it has written"),
    _Types("parquet", lambda data_type: data_type == StructType(()), "write rows"),
)


def _change_columns(definition: ForeignDefinition, step: ChangeColumns) -> ForeignDefinition:
    # There is only one: the plan takes steps apart, since Spark changes one column at a time.
    (change,) = step.changes
    column = _changeable(definition, change)
    if change.type is not None:
        if change.type == column.type:
            return definition
        raise _unsupported(
            definition.provider,
            f"the type of {column.name} cannot be changed; it is {type_sql(column.type)}",
            _ANEW,
        )
    if change.nullable is not None:
        raise _unsupported(
            definition.provider,
            f"{column.name} can already contain nulls, as all columns can",
            "Leave --drop-not-null out.",
        )
    if change.position is not None:
        raise _unsupported(definition.provider, f"{column.name} cannot be moved", _ANEW)
    changed = replace(column, metadata=_edited(column.metadata, change))
    fields = (changed if field is column else field for field in definition.schema.fields)
    return replace(definition, schema=StructType(tuple(fields)))


def _changeable(definition: ForeignDefinition, change: ColumnChange) -> StructField:
    """The column that is to change; raises `Refused` where Spark lets none be changed."""
    name, *inside = change.column
    fields = {field.name.lower(): field for field in definition.schema.fields}
    if name.lower() not in fields:
        raise Refused(
            f"The table has no column {path_text((name,))}.",
            remedy=f"Its columns are: {', '.join(field.name for field in fields.values())}.",
            delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    existing = fields[name.lower()]
    if inside:
        raise _unsupported(
            definition.provider,
            f"{path_text(change.column)} cannot be changed inside another column",
            _ANEW,
        )
    if existing.name in definition.partition_by:
        raise _unsupported(
            definition.provider,
            f"{existing.name} cannot be changed: the table is partitioned by it",
            "Change other columns.",
        )
    return existing


def _edited(metadata: Mapping[str, Any], change: ColumnChange) -> dict[str, Any]:
    edited = dict(metadata)
    if change.comment is not None:
        edited[COMMENT] = change.comment
    if change.default:
        edited[CURRENT_DEFAULT] = change.default
    elif change.default is not None:
        edited.pop(CURRENT_DEFAULT, None)
    return edited


_EFFECTS: Final[Mapping[type, Callable[[ForeignDefinition, Any], ForeignDefinition]]] = {
    SetProperties: _set_properties,
    UnsetProperties: _unset_properties,
    AddColumns: _add_columns,
    ChangeColumns: _change_columns,
    SetLocation: lambda definition, step: replace(definition, location=step.there.root),
}
