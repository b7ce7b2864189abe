"""
Making tables of other providers than Delta, which Delta's catalog hands to its parent catalog.

No commit takes the place of another: to replace such a table is to drop it and to make a new one,
which is what Delta calls a best-effort staged table.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.create import check_new_columns, partition_columns
from deltaadm.domain.ddl import type_sql
from deltaadm.domain.properties import refuse_reserved
from deltaadm.domain.schema import StructType, path_text, rewrite, walk
from deltaadm.domain.sql_text import identifier
from deltaadm.domain.table_changes import CreateTable, CreationMode
from deltaadm.errors import DeltaadmError, Refused
from deltaadm.operations.create import nullable_schema
from deltaadm.operations.diff import Change, ChangeKind
from deltaadm.operations.parent_catalog import (
    NOTHING,
    ParentCatalog,
    ParentDefinition,
    ParentOutcome,
    refuse_keys_of_delta,
    require_found,
    telling,
    unredacted,
)
from deltaadm.operations.parent_rules import refuse_unfit_types
from deltaadm.operations.sql import creation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deltaadm.operations.parent_catalog import ParentTable

DELTA: Final = "delta"


def get_provider(said: str | None, properties: Mapping[str, str]) -> str:
    """
    The provider of a new table: what was *said*, else the property `provider`, else Delta.

    Delta's catalog takes `spark.sql.sources.default` last, but whoever makes a table with
    deltaadm without a word on its provider wants one of Delta in whatever session it is made.
    Raises `Refused` where both are given and differ.

    >>> get_provider(None, {"provider": "CSV"}), get_provider(None, {})
    ('csv', 'delta')
    """
    by_property = properties.get("provider")
    if said and by_property and said.lower() != by_property.lower():
        raise Refused(
            f"The provider is said twice: {said}, and {by_property} as a property.",
            remedy="Give --provider alone.",
        )
    return (said or by_property or DELTA).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
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
    before: ParentTable | None = None
    notes: tuple[str, ...] = ()

    @property
    def drop(self) -> str | None:
        """The statement that makes room, if there is a table already."""
        return None if self.before is None else f"DROP TABLE {self.name}"

    @property
    def create(self) -> str:
        """The statement that makes the table, without rows."""
        empty = replace(self.step, mode=CreationMode.CREATE, query=None)
        return creation(self.name, empty, self.provider)

    @property
    def fill(self) -> str | None:
        """The statement that puts the rows of the query into the table, if there is one."""
        if self.step.query is None:
            return None
        columns = ", ".join(identifier(one.name) for one in self.step.schema.fields)
        return f"INSERT INTO {self.name} ({columns}) {self.step.query}"

    @property
    def statements(self) -> tuple[str, ...]:
        """All of them, in order."""
        return tuple(filter(None, (self.drop, self.create, self.fill)))

    @property
    def is_noop(self) -> bool:
        """Never: there is always a table to be made."""
        return False

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The table that is dropped for good, which needs a consent of its own."""
        return () if self.before is None else (self.name,)

    @property
    def definition(self) -> ParentDefinition:
        """What the parent catalog should say of the table: it keeps partition columns last."""
        by = self.step.partition_by
        fields = self.step.schema.fields
        last = [one for name in by for one in fields if one.name == name]
        return ParentDefinition(
            provider=self.provider,
            location=self.location,
            schema=StructType((*(one for one in fields if one.name not in by), *last)),
            partition_by=by,
            properties=self.step.properties,
            comment=self.step.comment,
        )

    @property
    def changes(self) -> tuple[Change, ...]:
        """The table that goes, and everything that the new one has."""
        gone = (
            ()
            if self.before is None
            else (Change(ChangeKind.REMOVE, "table", before=_told(self.before)),)
        )
        made = _facts(self.definition).items()
        return gone + tuple(Change(ChangeKind.ADD, key, after=one) for key, one in made)


def _told(table: ParentTable) -> str:
    return f"{table.provider} at {table.location}"


def plan_best_effort(
    table: str,
    name: str,
    step: CreateTable,
    *,
    provider: str,
    location: str,
    before: ParentTable | None = None,
    occupied: bool = False,
) -> BestEffortStagedTable:
    """
    The plan that makes the table *name* of *provider*, in the place of *before* if that is there.

    *occupied* says that there are files at *location*. Raises `Refused` for what the parent catalog
    would refuse, as far as that can be told, and for what Delta alone has.
    """
    _require_fitting_mode(name, step, before)
    check_new_columns(step)
    _refuse_what_delta_alone_has(step, provider)
    refuse_reserved(step.properties)
    for one in step.schema.fields:
        refuse_unfit_types(provider, one)
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


def _require_fitting_mode(name: str, step: CreateTable, before: ParentTable | None) -> None:
    if step.mode is CreationMode.CREATE and before is not None:
        raise Refused(
            f"There is a table already: {name}, of the provider {before.provider}.",
            remedy="Drop it and make another with --mode create-or-replace, or choose another "
            "name.",
            delta_error_class="TABLE_OR_VIEW_ALREADY_EXISTS",
        )
    if step.mode is CreationMode.REPLACE and before is None:
        raise Refused(
            f"There is no table to be replaced: {name}.",
            remedy="Create it with --mode create or create-or-replace.",
            delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
        )


def _refuse_what_delta_alone_has(step: CreateTable, provider: str) -> None:
    if step.cluster_by:
        raise Refused(
            f"A table of the provider {provider} cannot be clustered by columns; Delta's can.",
            remedy="Use --partition-by, or leave --provider out.",
        )
    refuse_keys_of_delta((*step.properties, *step.write_options), provider)


def _require_free_place(step: CreateTable, location: str) -> None:
    if step.location is None or step.query is not None:
        raise Refused(
            f"There are files already at {location}, where the table would be.",
            remedy="Choose an empty place with --location; without --as, files at the place that "
            "is given become the table's rows.",
            delta_error_class="LOCATION_ALREADY_EXISTS",
        )


def _notes(provider: str, before: ParentTable | None) -> Iterator[str]:
    yield (
        f"A table of the provider {provider} has no Delta protocol: no versions, no features, no "
        "history, nothing for `validate` to check."
    )
    if before is not None:
        yield (
            "This is not atomic: the old table is dropped first, and nothing brings it back if "
            "the new one cannot be made or filled."
        )
        yield (
            f"The rows at {before.location} are deleted with the old table."
            if before.is_managed
            else f"The files of the old table stay at {before.location}; no table has them then."
        )


def _notes_on_rows(step: CreateTable, location: str, *, full: bool) -> Iterator[str]:
    strict = [path_text(path) for path, one in walk(step.schema) if not one.nullable]
    if strict:
        yield f"NOT NULL is not kept: {', '.join(strict)} may hold nulls."
    if step.query is not None:
        yield "The rows are those that the query gives when the plan is carried out."
        yield "If the table cannot be filled, it is dropped again."
    elif full and step.location is not None:
        yield f"Files that are at {location} already become rows of the table."


def _facts(one: ParentDefinition) -> dict[str, Any]:
    """By place, what can be told of a definition; types without what only some catalogs keep."""
    facts: dict[str, Any] = {"provider": one.provider, "location": one.location}
    if one.comment is not None:
        facts["comment"] = one.comment
    bare = nullable_schema(rewrite(one.schema, lambda _, each: replace(each, metadata={})))
    facts |= {f"schema[{path_text((each.name,))}]": type_sql(each.type) for each in bare.fields}
    if one.partition_by:
        facts["partitionColumns"] = list(one.partition_by)
    return facts | {f"configuration[{key}]": value for key, value in one.properties.items()}


# Carrying it out


class StagingCatalog(ParentCatalog, typing.Protocol):
    """A parent catalog that can also tell what a query would do to a table that it replaces."""

    def check_query(self, plan: BestEffortStagedTable) -> None:
        """Raise `Refused` where the query reads the old table, or gives other columns."""


def carry_out(
    plan: BestEffortStagedTable, parent: StagingCatalog, note: Callable[[str], None]
) -> ParentOutcome:
    """
    Drop the old table, make the new one and fill it; compare what the catalog then says.

    *note* hears before each step what will be true if the run is interrupted in it. Raises
    `CommitError` where the catalog no longer has what the plan rests on, and what a step raises,
    saying what is lost and what is left; a table that could not be filled is dropped again.
    """
    require_found(parent, plan.name, plan.before)
    if plan.step.query is not None:
        parent.check_query(plan)
    lost = ""
    if plan.drop is not None and plan.before is not None:
        note(f"{plan.name} may have been dropped, and no new one made")
        try:
            parent.run(plan.drop)
        except DeltaadmError as error:
            raise telling(error, _after_failed_drop(plan, parent)) from error
        lost = _lost(plan.before)
    note(f"{lost}{plan.name} may have been made: look for it")
    try:
        parent.run(plan.create)
    except DeltaadmError as error:
        raise telling(error, f"{lost}no new table was made" if lost else NOTHING) from error
    if plan.fill is not None:
        note(f"{lost}{plan.name} was made, and may lack rows: look into it")
        try:
            parent.run(plan.fill)
        except DeltaadmError as error:
            raise telling(error, lost + _undone(plan, parent)) from error
    note(f"{plan.name} was made")
    return ParentOutcome(mismatches=_mismatches(plan.definition, parent.definition(plan.name)))


def _lost(before: ParentTable) -> str:
    rows = (
        f"with its rows at {before.location}"
        if before.is_managed
        else f"and its files are left at {before.location}"
    )
    return f"the old table was dropped before that, {rows}; "


def _after_failed_drop(plan: BestEffortStagedTable, parent: ParentCatalog) -> str:
    try:
        found = parent.find(plan.name)
    except DeltaadmError:
        return "it is unknown whether the old table is still there"
    if found is None:
        return "the old table is gone, and no new one was made"
    return "the old table is still in the catalog, and no new one was made"


def _undone(plan: BestEffortStagedTable, parent: ParentCatalog) -> str:
    """What is true once it was tried to drop what was made."""
    try:
        parent.run(f"DROP TABLE {plan.name}")
    except DeltaadmError as error:
        return (
            f"the new table could not be dropped again ({error.message.rstrip('.')}), and is left "
            "without rows, or with some of them"
        )
    if plan.step.location is None:
        return "the new table was dropped again"
    return f"the new table was dropped again; files may be left at {plan.location}"


def _mismatches(planned: ParentDefinition, found: ParentDefinition) -> tuple[Change, ...]:
    """What is not as planned; properties that a catalog adds by itself are no difference."""
    wanted, there = _facts(planned), _facts(unredacted(found, planned))
    return tuple(
        Change(ChangeKind.SET, key, wanted.get(key), there.get(key))
        for key in wanted | {key: 0 for key in there if not key.startswith("configuration[")}
        if wanted.get(key) != there.get(key)
    )
