"""
Making tables of other providers than Delta, which Delta's catalog hands to its parent catalog.

No commit takes the place of another: to replace such a table is to drop it and to make a new one,
which is what Delta calls a best-effort staged table.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.schema import StructType, path_text, rewrite
from deltaadm.domain.sql.ddl import type_sql
from deltaadm.domain.sql.sql_text import identifier
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.domain.steps.create_table import check_new_columns, partition_columns
from deltaadm.domain.transaction.reserved_keys import refuse_reserved
from deltaadm.errors import DeltaadmError, Refused
from deltaadm.operations.create import OPERATION, nullable_schema
from deltaadm.operations.diff import Change, ChangeKind
from deltaadm.operations.foreign.catalog import (
    NOTHING,
    ForeignDefinition,
    Statement,
    comparable,
    refuse_keys_of_delta,
    require_found,
)
from deltaadm.operations.foreign.rules import refuse_unsupported_types, required_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import StructField
    from deltaadm.operations.foreign.catalog import ForeignCatalog, ForeignTable


@dataclass(frozen=True, kw_only=True)
class BestEffortStagedTable:
    """
    The plan for a table of a provider other than Delta, made by the parent catalog.

    `table` is what the user calls it, `name` its whole name as SQL spells it, `location` where its
    files will be, and `before` the table that it replaces.
    """

    table: str
    name: str
    provider: str
    location: str
    step: CreateTable
    before: ForeignTable | None = None
    notes: tuple[str, ...] = ()

    operation: ClassVar = OPERATION
    document: ClassVar = "best_effort"

    @property
    def steps(self) -> tuple[CreateTable, ...]:
        """The only step: creating the table."""
        return (self.step,)

    @property
    def new_columns(self) -> tuple[StructField, ...]:
        """The columns, whose types the provider must support."""
        return self.step.schema.fields

    @property
    def drop(self) -> str | None:
        """The statement that drops the existing table, if there is one."""
        return None if self.before is None else f"DROP TABLE {self.name}"

    @property
    def create(self) -> str:
        """The statement that makes the table, without rows."""
        empty = replace(self.step, mode=CreationMode.CREATE, query=None)
        return empty.statement(self.name, self.provider)

    @property
    def fill(self) -> str | None:
        """The statement that puts the rows of the query into the table, if there is one."""
        if self.step.query is None:
            return None
        # By name: the catalog moves partition columns to the end.
        columns = ", ".join(identifier(column.name) for column in self.step.schema.fields)
        return f"INSERT INTO {self.name} ({columns}) {self.step.query}"

    @property
    def statements(self) -> tuple[str, ...]:
        """All statements, in order."""
        return tuple(filter(None, (self.drop, self.create, self.fill)))

    @property
    def trial_statements(self) -> tuple[str, ...]:
        """The statements that Spark can analyze beforehand, to see whether it accepts the plan."""
        # Of the name of the old table Spark would only say that it is taken.
        free = self if self.before is None else replace(self, name=_other(self.name))
        return (free.create,)

    @property
    def is_noop(self) -> bool:
        """Never: there is always a table to create."""
        return False

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The table that is dropped for good, which needs a consent of its own."""
        return () if self.before is None else (self.name,)

    @property
    def definition(self) -> ForeignDefinition:
        """The definition that the parent catalog should have: it keeps partition columns last."""
        by = self.step.partition_by
        fields = {column.name: column for column in self.step.schema.fields}
        names = (*(name for name in fields if name not in by), *by)
        return ForeignDefinition(
            provider=self.provider,
            location=self.location,
            schema=StructType(tuple(fields[name] for name in names)),
            partition_by=by,
            properties=self.step.properties,
            comment=self.step.comment,
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """The table that is dropped, and everything that the new one has."""
        differences = tuple(
            Change(ChangeKind.ADD, subject, after=value)
            for subject, value in _facts(self.definition).items()
        )
        if self.before is None:
            return differences
        old = f"{self.before.provider} at {self.before.location}"
        return (Change(ChangeKind.REMOVE, "table", before=old), *differences)

    # Carrying it out

    def require_base(self, catalog: ForeignCatalog) -> None:
        """Raise `CommitError` or `Refused` where *catalog* lacks what the plan rests on."""
        require_found(catalog, self.name, self.before)
        if self.step.query is not None:
            catalog.check_query(self.name, self.step, self.before)

    @property
    def to_run(self) -> tuple[Statement, ...]:
        """The statements, each with what is true around it; only the last result is looked at."""
        *earlier, last = _statements(self)
        return (*earlier, last._replace(planned=self.definition))

    @property
    def completed(self) -> str:
        """The state of the table in the end, as a clause."""
        return f"{self.name} was created"

    def mismatches(
        self, planned: ForeignDefinition, definition: ForeignDefinition
    ) -> tuple[Change, ...]:
        """Mismatches with the plan; properties that a catalog adds by itself are ignored."""
        expected = _facts(planned)
        actual = _facts(comparable(definition, planned, planned.properties))
        return tuple(
            Change(ChangeKind.SET, key, expected.get(key), actual.get(key))
            for key in expected | actual
            if expected.get(key) != actual.get(key)
        )


def plan_best_effort(
    table: str,
    name: str,
    step: CreateTable,
    *,
    provider: str,
    location: str,
    before: ForeignTable | None = None,
    occupied: bool = False,
) -> BestEffortStagedTable:
    """
    The plan that makes the table *name* of *provider*, in the place of *before* if that is there.

    *occupied* says that there are files at *location*. Raises `Refused` for what the parent catalog
    would refuse, as far as that is known, and for what Delta alone has.
    """
    _require_fitting_mode(name, step, before)
    check_new_columns(step)
    _refuse_delta_only(step, provider)
    refuse_reserved(step.properties)
    for column in step.schema.fields:
        refuse_unsupported_types(provider, column)
    partitions = partition_columns(step.schema, step.partition_by)
    emptied = before is not None and before.is_managed and before.location == location
    if occupied and not emptied:
        _require_free_place(step, location)
    notes = (*_notes(provider, before), *_notes_on_rows(step, location, full=occupied))
    return BestEffortStagedTable(
        table=table,
        name=name,
        provider=provider,
        location=location,
        step=replace(step, partition_by=partitions),
        before=before,
        notes=notes,
    )


def _require_fitting_mode(name: str, step: CreateTable, before: ForeignTable | None) -> None:
    if step.mode is CreationMode.CREATE and before is not None:
        raise Refused(
            f"The table {name} already exists, with the provider {before.provider}.",
            remedy="Drop and re-create it with --mode create-or-replace, or choose another name.",
            delta_error_class="TABLE_OR_VIEW_ALREADY_EXISTS",
        )
    if step.mode is CreationMode.REPLACE and before is None:
        raise Refused(
            f"There is no table to replace: {name}.",
            remedy="Create it with --mode create or create-or-replace.",
            delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
        )


def _refuse_delta_only(step: CreateTable, provider: str) -> None:
    if step.cluster_by:
        raise Refused(
            f"A table of the provider {provider} cannot be clustered by columns; Delta's can.",
            remedy="Use --partition-by, or leave --provider out.",
        )
    refuse_keys_of_delta((*step.properties, *step.write_options), provider)


def _require_free_place(step: CreateTable, location: str) -> None:
    if step.location is None or step.query is not None:
        raise Refused(
            f"The table's location {location} is not empty.",
            remedy="Choose an empty directory with --location; without --as, files at the given "
            "location become the table's rows.",
            delta_error_class="LOCATION_ALREADY_EXISTS",
        )


def _notes(provider: str, before: ForeignTable | None) -> Iterator[str]:
    yield (
        f"A table of the provider {provider} has no Delta protocol: no versions, no features, no "
        "history, nothing for `validate` to check."
    )
    if before is not None:
        yield (
            "This is not atomic: the old table is dropped first, and cannot be recovered if the "
            "new one cannot be created or filled."
        )
        yield (
            f"The rows at {before.location} are deleted with the old table."
            if before.is_managed
            else f"The files of the old table stay at {before.location}, part of no table."
        )


def _notes_on_rows(step: CreateTable, location: str, *, full: bool) -> Iterator[str]:
    if required := required_columns(step.schema):
        yield f"NOT NULL is not kept: {', '.join(required)} can contain nulls."
    if step.query is not None:
        yield "The rows are those that the query returns when the plan is carried out."
        yield "If the table cannot be filled, it is dropped again."
    elif full and step.location is not None:
        yield f"Existing files at {location} become rows of the table."


def _facts(definition: ForeignDefinition) -> dict[str, Any]:
    """By place, what is known of a definition; types without what only some catalogs keep."""
    facts: dict[str, Any] = {"provider": definition.provider, "location": definition.location}
    if definition.comment is not None:
        facts["comment"] = definition.comment
    bare = rewrite(definition.schema, lambda _, column: replace(column, metadata={}))
    for column in nullable_schema(bare).fields:
        facts[f"schema[{path_text((column.name,))}]"] = type_sql(column.type)
    if definition.partition_by:
        facts["partitionColumns"] = list(definition.partition_by)
    return facts | {f"configuration[{key}]": value for key, value in definition.properties.items()}


def _other(name: str) -> str:
    return f"{name[:-1]}__new`" if name.endswith("`") else f"{name}__new"


# Carrying it out


def _statements(plan: BestEffortStagedTable) -> Iterator[Statement]:
    """DROP, CREATE and INSERT, as far as they are needed."""
    lost = ""
    if plan.drop is not None and plan.before is not None:
        yield Statement(
            sql=plan.drop,
            pending=f"{plan.name} may have been dropped, and no new one created",
            done=f"{plan.name} was dropped, and no new one created",
            after_failure=partial(_after_failed_drop, plan),
        )
        lost = _lost(plan.before)
    yield Statement(
        sql=plan.create,
        pending=f"{lost}{plan.name} may have been created: look for it",
        done=f"{lost}{plan.name} was created",
        after_failure=lambda _: f"{lost}no new table was created" if lost else NOTHING,
    )
    if plan.fill is not None:
        yield Statement(
            sql=plan.fill,
            pending=f"{lost}{plan.name} was created, and may lack rows: check it",
            done=f"{lost}{plan.name} was created and filled",
            after_failure=lambda catalog: lost + _after_cleanup(plan, catalog),
        )


def _lost(before: ForeignTable) -> str:
    rows = (
        f"with its rows at {before.location}"
        if before.is_managed
        else f"and its files are left at {before.location}"
    )
    return f"the old table had been dropped before, {rows}; "


def _after_failed_drop(plan: BestEffortStagedTable, catalog: ForeignCatalog) -> str:
    try:
        table = catalog.find(plan.name)
    except DeltaadmError:
        return "it is unknown whether the old table is still there"
    if table is None:
        return "the old table is gone, and no new one was created"
    return "the old table is still in the catalog, and no new one was created"


def _after_cleanup(plan: BestEffortStagedTable, catalog: ForeignCatalog) -> str:
    """The state of the table after an attempt to drop it again, as a clause."""
    try:
        catalog.run(f"DROP TABLE {plan.name}")
    except DeltaadmError as error:
        return (
            f"the new table could not be dropped again ({error.message.rstrip('.')}), and is left "
            "without rows, or with some of them"
        )
    if plan.step.location is None:
        return "the new table was dropped again"
    return f"the new table was dropped again; files may be left at {plan.location}"
