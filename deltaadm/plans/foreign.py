"""Tables of other providers, which Delta's catalog only delegates: plans and carrying out."""

from __future__ import annotations

import os
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from deltaadm.catalog_table import DELTA, CatalogTable
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.schema import path_text
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.columns import parse_column
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
        name = self.made_as
        empty = replace(made, mode=kinds.CreationMode.CREATE, query=None)
        # By name: the catalog moves partition columns to the end.
        columns = ", ".join(ddl.identifier(column.name) for column in made.schema.fields)
        fill = () if made.query is None else (f"INSERT INTO {name} ({columns}) {made.query}",)
        in_catalog = path_text(parse_column(self.name)[1:])  # as RENAME TO takes it
        swap = (f"DROP TABLE {self.name}", f"ALTER TABLE {name} RENAME TO {in_catalog}")
        return (empty.statement(name, self.provider), *fill, *(swap if self.before else ()))

    @property
    def made_as(self) -> str:
        """The name under which a new table is made: its own, unless another one still has that."""
        *place, own = parse_column(self.name)
        return path_text((*place, f"{own}__new" if self.before else own))


def plan_foreign_changes(table: str, before: CatalogTable, steps: Sequence[Step]) -> ForeignPlan:
    """
    The plan that takes *steps* on the table *before*.

    Raises `RefusedError` for what only Delta tables have; all else is for Spark to refuse.
    """
    require_moves_alone(steps)
    single: list[Step] = []
    for step in steps:
        if not isinstance(step, _OF_ANY_PROVIDER):
            raise _only_delta(before.provider, step.words)
        # Spark changes one column of such a table at a time.
        changes = step.touches.column_changes
        single += [kinds.ChangeColumns((change,)) for change in changes] or [step]
    notes = []
    if len(steps) > 1:
        notes.append(
            "Statements are not atomic together: if one fails, those before it stay in effect."
        )
    for place in filter(None, (step.touches.destination for step in steps)):
        notes.append(
            f"No files are moved: the files at {place.root} become the table's rows, and those at "
            f"{before.location} stay where they are."
        )
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
        steps=tuple(single),
        before=before,
        notes=tuple(notes),
    )


_OF_ANY_PROVIDER: Final = (
    kinds.AddColumns,
    kinds.ChangeColumns,
    kinds.DropColumns,
    kinds.RenameColumn,
    kinds.SetLocation,
    kinds.SetProperties,
    kinds.UnsetProperties,
)
"""Steps whose statements Spark carries out or refuses: constraints it would take, and ignore."""


def _only_delta(provider: str, what: str) -> RefusedError:
    return RefusedError(
        f"The provider {provider} does not support this: {what}.",
        remedy="Only Delta tables do; create one with: `deltaadm create NAME --as QUERY`.",
    )


def _is_within(place: str, directory: str) -> bool:
    paths = [re.sub(r"^[\w+.-]+:(//[^/]*)?", "", each) or "/" for each in (place, directory)]
    with suppress(ValueError):  # no file can have such a name
        paths = [os.path.realpath(path) for path in paths]
    return f"{paths[0]}/".startswith(f"{paths[1].rstrip('/')}/")


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

    *occupied* says that there are files at *location*. Raises `RefusedError` where a table is
    there, or is not, against the mode of *step*, and for a location that is taken.
    """
    step.mode.require_fits(name, exists=before is not None)
    if step.cluster_by:
        raise _only_delta(provider, "cluster by")
    # A managed table takes its directory along when it is dropped, by whatever way it is found.
    goes = before is not None and before.is_managed and _is_within(location, before.location)
    needs_room = step.location is None or step.query is not None
    if (step.location and goes) or (occupied and needs_room and not goes):
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
                "once the new one is there, which then gets its name."
            ),
            f"The rows at {before.location} are deleted with the old table."
            if before.is_managed
            else f"The files of the old table stay at {before.location}, part of no table.",
        ]
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
        steps=(step,),
        before=before,
        notes=tuple(notes),
    )


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

    def require_unchanged(state: str) -> None:
        if catalog.find(plan.name) != plan.before:
            raise CommitError(
                f"The table {plan.name} has changed since the plan was made{state}.",
                remedy="Plan again.",
            )

    require_unchanged("; nothing was changed")
    statements = plan.statements
    done = 0
    try:
        for sql in statements:
            if sql.startswith("DROP "):  # filling the new table may have taken hours
                require_unchanged("")
            note(_progress(statements, done, "perhaps carried out"))
            catalog.run(sql)
            done += 1
        note(_progress(statements, done, ""))
        return catalog.description(plan.name)
    except DeltaadmError as error:
        told = _progress(statements, done, "failed")
        if done < len(statements) and statements[done].startswith("INSERT "):
            try:
                catalog.run(f"DROP TABLE {plan.made_as}")
                told += "; the new table was dropped again"
            except DeltaadmError as kept:
                told += f"; the new table could not be dropped again: {kept.message.rstrip('.')}"
        elif plan.irreversible and 0 < done < len(statements):
            told += f"; the new table is {plan.made_as}"
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
