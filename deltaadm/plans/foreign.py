"""Tables of other providers, which Delta's catalog only delegates: plans and carrying out."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from deltaadm.catalog_table import DELTA, CatalogTable
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.schema import (
    DataType,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    path_text,
)
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.table import check_new_columns, partition_columns
from deltaadm.domain.transaction.checks import refuse_reserved
from deltaadm.errors import CommitError, DeltaadmError, RefusedError
from deltaadm.plans.alter import ALTER, CREATE
from deltaadm.plans.plan import require_moves_alone, with_state


def get_provider(provider: str | None, properties: Mapping[str, str]) -> str:
    """
    The provider of a new table: that which is given, else the property `provider`, else Delta.

    Delta's catalog takes `spark.sql.sources.default` last, but whoever makes a table with
    deltaadm without a word on its provider wants one of Delta in whatever session it is made.
    Raises `RefusedError` where both are given and differ.

    >>> get_provider(None, {"provider": "CSV"}), get_provider(None, {})
    ('csv', 'delta')
    """
    by_property = properties.get("provider")
    if provider and by_property and provider.lower() != by_property.lower():
        raise RefusedError(
            f"The provider is given twice: {provider}, and {by_property} as a property.",
            remedy="Give --provider alone.",
        )
    return (provider or by_property or DELTA).lower()


@dataclass(frozen=True, kw_only=True)
class ForeignPlan:
    """
    The statements that alter a table of another provider, or make one.

    `table` is what the user calls it, `name` its whole name as SQL spells it, `location` where its
    files are or will be. `before` is the table that is altered, or dropped for the new one.
    """

    operation: str
    table: str
    name: str
    provider: str
    location: str
    steps: tuple[Step, ...]
    before: CatalogTable | None
    notes: tuple[str, ...]

    is_noop: typing.ClassVar = False

    @property
    def creation(self) -> kinds.CreateTable | None:
        """The step that makes the table, if it does not alter one."""
        [first, *_] = self.steps
        return first if isinstance(first, kinds.CreateTable) else None

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The table that is dropped for good, which needs a consent of its own."""
        return () if self.creation is None or self.before is None else (self.name,)

    @property
    def statements(self) -> tuple[str, ...]:
        """All statements, in order."""
        made = self.creation
        if made is None:
            return tuple(step.statement(self.name) for step in self.steps)
        drop = () if self.before is None else (f"DROP TABLE {self.name}",)
        empty = replace(made, mode=kinds.CreationMode.CREATE, query=None)
        # By name: the catalog moves partition columns to the end.
        columns = ", ".join(ddl.identifier(column.name) for column in made.schema.fields)
        fill = () if made.query is None else (f"INSERT INTO {self.name} ({columns}) {made.query}",)
        return (*drop, empty.statement(self.name, self.provider), *fill)

    @property
    def trials(self) -> tuple[str, ...]:
        """The statements that Spark can analyze beforehand, to see whether it accepts them."""
        if self.creation is None:
            return self.statements
        if self.before is None:
            return self.statements[:1]
        # Of the name of the table that is dropped Spark would only say that it is taken.
        free = f"{self.name[:-1]}__new`" if self.name.endswith("`") else f"{self.name}__new"
        return (self.statements[1].replace(self.name, free, 1),)

    @property
    def new_columns(self) -> tuple[StructField, ...]:
        """The columns that are new, whose types the provider must support."""
        if self.creation is not None:
            return self.creation.schema.fields
        return tuple(new.column for step in self.steps for new in step.touches.new_columns)


def plan_foreign_changes(
    table: str, before: CatalogTable, steps: Sequence[Step], *, occupied: bool = False
) -> ForeignPlan:
    """
    The plan that takes *steps* on the table *before*.

    *occupied* says that there are files at the place to which the table is to be moved. Raises
    `RefusedError` for what Spark would ignore, and for what would spoil the table.
    """
    require_moves_alone(steps)
    notes = []
    if len(steps) > 1:
        notes.append(
            "Statements are not atomic together: if one fails, those before it stay in effect."
        )
    for step in steps:
        _refuse_spoiling(before.provider, step)
        if step.touches.destination is not None:
            place = step.touches.destination.root
            notes.append(
                f"No files are moved: the files at {place} become the table's rows, and those at "
                f"{before.location} stay where they are. Partitions that the catalog knows keep "
                "their locations."
            )
            if not occupied:
                notes.append(f"deltaadm sees no files at {place}.")
            if before.is_managed:
                notes.append(
                    "The catalog manages the table: DROP TABLE will delete the files at the new "
                    "location."
                )
    return ForeignPlan(
        operation=ALTER,
        table=table,
        name=before.name,
        provider=before.provider,
        location=before.location,
        # Spark changes one column of such a table at a time.
        steps=tuple(single for step in steps for single in step.split_by_column()),
        before=before,
        notes=tuple(notes),
    )


def plan_foreign_creation(
    table: str,
    name: str,
    step: kinds.CreateTable,
    *,
    provider: str,
    location: str,
    before: CatalogTable | None = None,
    occupied: bool = False,
) -> ForeignPlan:
    """
    The plan that makes the table *name* of *provider*, in the place of *before* if that is there.

    *occupied* says that there are files at *location*. Raises `RefusedError` for what the parent
    catalog would refuse, as far as that is known, and for what Delta alone has.
    """
    if step.mode is kinds.CreationMode.CREATE and before is not None:
        raise RefusedError(
            f"The table {name} already exists, with the provider {before.provider}.",
            remedy="Drop and re-create it with --mode create-or-replace, or choose another name.",
            delta_error_class="TABLE_OR_VIEW_ALREADY_EXISTS",
        )
    if step.mode is kinds.CreationMode.REPLACE and before is None:
        raise RefusedError(
            f"There is no table to replace: {name}.",
            remedy="Create it with --mode create or create-or-replace.",
            delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
        )
    check_new_columns(step)
    if step.cluster_by:
        raise RefusedError(
            f"A table of the provider {provider} cannot be clustered by columns; Delta's can.",
            remedy="Use --partition-by, or leave --provider out.",
        )
    _refuse_keys_of_delta((*step.properties, *step.write_options), provider)
    refuse_reserved(step.properties)
    for column in step.schema.fields:
        _refuse_unsupported_types(provider, column)
    emptied = before is not None and before.is_managed and before.location == location
    if occupied and not emptied and (step.location is None or step.query is not None):
        raise RefusedError(
            f"The table's location {location} is not empty.",
            remedy="Choose an empty directory with --location; without --as, files at the given "
            "location become the table's rows.",
            delta_error_class="LOCATION_ALREADY_EXISTS",
        )
    notes = [
        (
            f"A table of the provider {provider} has no Delta protocol: no versions, no features, "
            "no history, nothing for `validate` to check."
        ),
        f"Its files are at {location}.",
    ]
    if before is not None:
        notes += [
            (
                f"This is not atomic: the old table of the provider {before.provider} is dropped "
                "first, and cannot be recovered if the new one cannot be created or filled."
            ),
            f"The rows at {before.location} are deleted with the old table."
            if before.is_managed
            else f"The files of the old table stay at {before.location}, part of no table.",
        ]
    if required := _required_columns(step.schema):
        notes.append(f"NOT NULL is not kept: {', '.join(required)} can contain nulls.")
    if step.query is not None:
        notes += [
            "The rows are those that the query returns when the plan is carried out.",
            "If the table cannot be filled, it is dropped again.",
        ]
    elif occupied and step.location is not None:
        notes.append(f"Existing files at {location} become rows of the table.")
    return ForeignPlan(
        operation=CREATE,
        table=table,
        name=name,
        provider=provider,
        location=location,
        steps=(replace(step, partition_by=partition_columns(step.schema, step.partition_by)),),
        before=before,
        notes=tuple(notes),
    )


# What Spark would ignore, and what would spoil a table


def _unsupported(provider: str, what: str, remedy: str) -> RefusedError:
    return RefusedError(f"In a table of the provider {provider} {what}.", remedy=remedy)


def _refuse_spoiling(provider: str, step: Step) -> None:
    for kind, what, remedy in _DELTA_ONLY:
        if isinstance(step, kind):
            raise _unsupported(provider, what, remedy)
    for change in step.touches.column_changes:
        if change.comment is None and change.default is None:
            name = path_text(change.column)
            raise _unsupported(
                provider, f"only comment and default of {name} can be changed", _ANEW
            )
    values = step.touches.property_values
    _refuse_keys_of_delta((key for key, value in values.items() if value is not None), provider)
    for key in values:
        for pattern, what, remedy in _KEYS:
            if re.fullmatch(pattern, key, re.DOTALL):
                raise RefusedError(f"The property {key!r} {what}.", remedy=remedy)
    for new in step.touches.new_columns:
        name = path_text((*new.parent, new.column.name))
        if new.position is not None:
            what = f"{name} cannot be given a position: Spark would ignore it, and add it last"
            raise _unsupported(provider, what, "Leave FIRST or AFTER out.")
        if required := _required_columns(StructType((new.column,))):
            what = f"{', '.join(required)} cannot be NOT NULL: Spark refuses or ignores it"
            raise _unsupported(provider, what, "Leave NOT NULL out.")
        _refuse_unsupported_types(provider, new.column)


def _refuse_keys_of_delta(keys: Iterable[str], provider: str) -> None:
    if own := [key for key in keys if key.startswith("delta.")]:
        raise RefusedError(
            f"These are properties of Delta tables, which have no effect on {provider}: "
            f"{', '.join(own)}.",
            remedy="Leave them out, or choose the provider delta.",
        )


def _required_columns(schema: StructType) -> tuple[str, ...]:
    """The columns, and parts of columns, that are declared NOT NULL."""
    return tuple(path_text(path) for path, column in schema.walk() if not column.nullable)


def _refuse_unsupported_types(provider: str, column: StructField) -> None:
    for known, spoils, fails in _TYPES:
        if known == provider and any(map(spoils, all_types(column.type))):
            raise _unsupported(
                provider,
                f"{path_text((column.name,))} cannot be {ddl.type_sql(column.type)}: Spark would "
                f"accept it, but then could not {fails}",
                "Choose another type.",
            )


_ANEW: Final = (
    "Re-create the table with the change, from a query: `deltaadm create NAME --provider PROVIDER`."
)
_OF_DELTA: Final = (
    "Only Delta tables support this; create one with: `deltaadm create NAME --as QUERY`."
)

_DELTA_ONLY: Final[tuple[tuple[type, str, str], ...]] = (
    (kinds.AddConstraint, "Spark checks no constraints, and would ignore this one", _OF_DELTA),
    (kinds.DropConstraint, "there are no constraints", "Leave --drop-constraint out."),
    (kinds.ClusterBy, "rows cannot be clustered by columns", _OF_DELTA),
    (kinds.DropColumns, "columns cannot be dropped", _ANEW),
    (kinds.RenameColumn, "columns cannot be renamed", _ANEW),
    (kinds.WriteCheckpoint, "there is no log, and so no checkpoint", "Leave --checkpoint out."),
)
_OF_HIVE: Final = (
    "numRows|rawDataSize|totalSize|numFiles|numPartitions|COLUMN_STATS_ACCURATE|"
    "DO_NOT_UPDATE_STATS|transient_lastDdlTime|EXTERNAL"
)
_KEYS: Final = (
    (
        _OF_HIVE,
        "is maintained by the Hive metastore; by hand it is lost, or the table unreadable",
        "Leave it out; ANALYZE TABLE counts rows and bytes.",
    ),
    (
        r"spark\.sql\..*",
        "is reserved by Spark, which refuses it for tables in a Hive metastore",
        "Choose a name with another prefix.",
    ),
    (
        r"option\..*",
        "is an option, and options are set when the table is created",
        "Re-create the table: `deltaadm create NAME --mode replace --write-option KEY=VALUE`.",
    ),
    ("path", "would not move the table", "Use --set-location."),
)
"""Patterns of keys that Spark takes and makes nothing good of."""


def _is_collated(data_type: DataType) -> bool:
    return isinstance(data_type, PrimitiveType) and data_type.name.lower().startswith(
        "string collate "
    )


_TYPES: Final[tuple[tuple[str, Callable[[DataType], bool], str], ...]] = (
    ("csv", lambda data_type: data_type == PrimitiveType("variant"), "read the table"),
    ("hive", _is_collated, "read the table"),
    ("orc", _is_collated, "read what it has written"),
    ("parquet", lambda data_type: data_type == StructType(()), "write rows"),
)
"""Types that Spark takes for new columns without a word, and cannot work with."""


# Carrying it out


class ForeignCatalog(typing.Protocol):
    """The catalog to which Delta's hands what is not Delta's."""

    def find(self, name: str) -> CatalogTable | None:
        """The table *name*, or None; raises `TableError` for a view."""

    def run(self, sql: str) -> object:
        """Carry a statement out; raises `CommitError` where Spark refuses."""

    def description(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalog says of the table *name*: names, and what they stand for."""


def carry_out(
    plan: ForeignPlan, catalog: ForeignCatalog, note: Callable[[str], None]
) -> tuple[tuple[str, str], ...]:
    """
    Run the statements of *plan*; what the catalog then says of the table.

    *note* hears before each statement what will be true if the run is interrupted in it. Raises
    `CommitError` where the catalog no longer has the table that the plan is for, and what a
    statement raises, saying what was carried out and what was not.
    """
    if catalog.find(plan.name) != plan.before:
        raise CommitError(
            f"The table {plan.name} has changed since the plan was made; nothing was changed.",
            remedy="Plan again.",
        )
    statements = plan.statements
    done = 0
    try:
        for sql in statements:
            note(_progress(statements, done, "perhaps carried out"))
            catalog.run(sql)
            done += 1
        note(_progress(statements, done, ""))
        return catalog.description(plan.name)
    except DeltaadmError as error:
        told = _progress(statements, done, "failed")
        if done < len(statements) and statements[done].startswith("INSERT "):
            assert plan.creation is not None  # noqa: S101 -- only a new table is filled
            try:
                catalog.run(f"DROP TABLE {plan.name}")
                told += "; the new table was dropped again"
                if plan.creation.location is not None:
                    told += f"; files may be left at {plan.location}"
            except DeltaadmError as kept:
                told += (
                    f"; the new table could not be dropped again ({kept.message.rstrip('.')}), and "
                    "is left without rows, or with some of them"
                )
        remedy = "Check the table with DESCRIBE TABLE EXTENDED, then plan again."
        raise with_state(error, told, remedy) from error


def _progress(statements: Sequence[str], done: int, pending: str) -> str:
    """Which statements were carried out, as a clause; the one after those is *pending*."""
    parts = (
        ("carried out", statements[:done]),
        (pending, statements[done : done + 1]),
        ("not carried out", statements[done + 1 :]),
    )
    return "; ".join(f"{what}: {' | '.join(listed)}" for what, listed in parts if listed)
