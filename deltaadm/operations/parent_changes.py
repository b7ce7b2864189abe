"""Altering tables of other providers than Delta, which Delta's catalog leaves to its parent's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.ddl import COMMENT, CURRENT_DEFAULT
from deltaadm.domain.metadata import Metadata
from deltaadm.domain.schema import rewrite
from deltaadm.domain.table_changes import AddColumns, ChangeColumns, SetLocation
from deltaadm.errors import CommitError, DeltaadmError
from deltaadm.operations.create import nullable_schema
from deltaadm.operations.diff import Change, ChangeKind, metadata_changes
from deltaadm.operations.parent_catalog import (
    NOTHING,
    ParentOutcome,
    require_found,
    telling,
    unredacted,
)
from deltaadm.operations.parent_rules import altered, without_collation
from deltaadm.operations.plan import require_moves_alone
from deltaadm.operations.sql import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deltaadm.domain.schema import Path, StructField
    from deltaadm.domain.table_changes import Step
    from deltaadm.operations.parent_catalog import ParentCatalog, ParentDefinition, ParentTable


class ParentStage(NamedTuple):
    """One step, and what the catalog should say after it."""

    step: Step
    after: ParentDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentChanges:
    """
    The plan that alters a table of another provider, statement by statement.

    `table` is what the user calls it, `name` its whole name as SQL spells it. `before` is the
    table on which the plan rests, `definition` what the catalog says of it in full.
    """

    table: str
    name: str
    before: ParentTable
    definition: ParentDefinition
    stages: tuple[ParentStage, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def provider(self) -> str:
        """That of the table, which stays."""
        return self.before.provider

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is asked of the catalog, in order."""
        return tuple(one.step for one in self.stages)

    @property
    def statements(self) -> tuple[str, ...]:
        """The same as SQL."""
        return tuple(statement("", one, self.name) for one in self.steps)

    @property
    def after(self) -> ParentDefinition:
        """What the catalog should say in the end."""
        return self.stages[-1].after if self.stages else self.definition

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every difference between before and after."""
        return tuple(_differences(self.definition, self.after))

    @property
    def is_noop(self) -> bool:
        """Whether the table is as it is wanted already."""
        return not self.stages

    @property
    def irreversible(self) -> tuple[str, ...]:
        """Nothing: no row is touched."""
        return ()


def plan_parent_changes(
    table: str,
    name: str,
    steps: Sequence[Step],
    *,
    before: ParentTable,
    definition: ParentDefinition,
    occupied: bool = False,
) -> ParentChanges:
    """
    The plan that takes *steps* on the table *name*; what changes nothing is left out.

    *occupied* says that there are files at the place to which the table is to be moved. Raises
    `Refused` for what Spark would refuse or ignore, and for what would spoil the table.
    """
    require_moves_alone(steps)
    state, stages = definition, []
    for step in _one_by_one(steps):
        after = altered(state, step)
        if any(_differences(state, after)):
            stages.append(ParentStage(step, after))
            state = after
    plan = ParentChanges(
        table=table, name=name, before=before, definition=definition, stages=tuple(stages)
    )
    return replace(plan, notes=tuple(_notes(plan, occupied=occupied)))


def _one_by_one(steps: Iterable[Step]) -> Iterator[Step]:
    """Spark changes one column of such a table at a time."""
    for step in steps:
        if isinstance(step, ChangeColumns):
            yield from (ChangeColumns((one,)) for one in step.changes)
        else:
            yield step


def _differences(before: ParentDefinition, after: ParentDefinition) -> Iterator[Change]:
    if before.location != after.location:
        yield Change(ChangeKind.SET, "location", before.location, after.location)
    yield from metadata_changes(_metadata(before), _metadata(after))


def _metadata(definition: ParentDefinition) -> Metadata:
    """
    What can be compared of a definition, in Delta's terms.

    Only some catalogs keep collations, and comments inside of structs; none keeps NOT NULL.
    """

    def told(path: Path, one: StructField) -> StructField:
        kept = (COMMENT, CURRENT_DEFAULT) if len(path) == 1 else ()
        metadata = {key: one.metadata[key] for key in kept if key in one.metadata}
        return replace(one, type=without_collation(one.type), metadata=metadata)

    schema = nullable_schema(rewrite(definition.schema, told))
    return Metadata(
        description=definition.comment,
        schema_string=schema.to_json(),
        partition_columns=definition.partition_by,
        configuration=definition.properties,
    )


def _notes(plan: ParentChanges, *, occupied: bool) -> Iterator[str]:
    if len(plan.stages) > 1:
        yield (
            "Each statement stands for itself: what was carried out before one that fails stays."
        )
    added = [one for step in plan.steps if isinstance(step, AddColumns) for one in step.columns]
    if added:
        yield "No file is touched: rows that are there have the default in new columns, or null."
    if added and plan.definition.partition_by:
        last = ", ".join(plan.definition.partition_by)
        yield f"New columns stand before {last}, by which the table is partitioned."
    for step in plan.steps:
        if isinstance(step, SetLocation):
            yield from _notes_on_location(plan, step.there.root, occupied=occupied)


def _notes_on_location(plan: ParentChanges, place: str, *, occupied: bool) -> Iterator[str]:
    yield (
        f"No file is touched: what is at {place} becomes the table's rows, and the files at "
        f"{plan.before.location} stay where they are."
    )
    if not occupied:
        yield f"deltaadm sees no files at {place}."
    if plan.definition.partition_by:
        yield (
            "Partitions that the catalog knows keep their own places; MSCK REPAIR TABLE finds "
            f"those at {place}."
        )
    if plan.before.is_managed:
        yield "The catalog manages the table: DROP TABLE will delete the files at the new place."


# Carrying it out


def carry_out(
    plan: ParentChanges, parent: ParentCatalog, note: Callable[[str], None]
) -> ParentOutcome:
    """
    Run one statement after the other, and compare after each what the catalog says.

    *note* hears before each statement what will be true if the run is interrupted in it. Raises
    `CommitError` where the catalog no longer has what the plan rests on, where the result of a
    statement differs and others remain, and what a statement raises, saying which were carried
    out and which were not.
    """
    if plan.is_noop:
        return ParentOutcome()
    require_found(parent, plan.name, plan.before)
    found: tuple[Change, ...] = ()
    for done, (stage, sql) in enumerate(zip(plan.stages, plan.statements, strict=True)):
        if found:
            raise CommitError(
                f"After a statement {found[0].subject} differs from the plan; "
                f"{_progress(plan, done)}.",
                remedy="Look at the table with DESCRIBE TABLE EXTENDED, then plan again.",
            )
        note(f"{_progress(plan, done, running=True)}; look at the table: {plan.name}")
        try:
            parent.run(sql)
        except DeltaadmError as error:
            raise telling(error, _after_failure(plan, parent, done)) from error
        try:
            found = _mismatches(plan, stage.after, parent.definition(plan.name))
        except DeltaadmError as error:
            raise telling(error, _progress(plan, done + 1)) from error
    note(f"all {len(plan.stages)} statements were carried out")
    return ParentOutcome(mismatches=found)


def _mismatches(
    plan: ParentChanges, planned: ParentDefinition, found: ParentDefinition
) -> tuple[Change, ...]:
    """What is not as planned; a catalog may change properties of its own."""
    before, after = plan.definition.properties, plan.after.properties
    ours = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    told = unredacted(found, planned).properties
    kept = {key: one for key, one in planned.properties.items() if key not in ours}
    compared = replace(found, properties=kept | {key: told[key] for key in ours if key in told})
    return tuple(_differences(planned, compared))


def _after_failure(plan: ParentChanges, parent: ParentCatalog, done: int) -> str:
    """What is true once a statement has failed, which may have had its effect all the same."""
    try:
        found = parent.definition(plan.name)
    except DeltaadmError:
        return _progress(plan, done, running=True)
    took_effect = not _mismatches(plan, plan.stages[done].after, found)
    return _progress(plan, done + took_effect)


def _progress(plan: ParentChanges, done: int, *, running: bool = False) -> str:
    """Which statements were carried out and which were not; *running* is the one in between."""
    if not (done or running):
        return NOTHING
    parts = (
        ("carried out", plan.statements[:done]),
        ("perhaps carried out", plan.statements[done : done + running]),
        ("not carried out", plan.statements[done + running :]),
    )
    return "; ".join(f"{what}: {' | '.join(some)}" for what, some in parts if some)
