"""Altering tables of other providers than Delta, which Delta's catalog leaves to its parent's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.schema import StructType, folded, path_text, rewrite
from deltaadm.domain.sql.ddl import COMMENT, CURRENT_DEFAULT
from deltaadm.errors import DeltaadmError
from deltaadm.operations.alter import OPERATION
from deltaadm.operations.create import nullable_schema
from deltaadm.operations.diff import Change, ChangeKind, metadata_changes
from deltaadm.operations.foreign.catalog import NOTHING, Statement, comparable, require_found
from deltaadm.operations.foreign.rules import altered, without_collation
from deltaadm.operations.plan import require_moves_alone
from deltaadm.operations.sql import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deltaadm.domain.model.schema import Path, StructField
    from deltaadm.domain.sql.ddl import ColumnDefinition
    from deltaadm.domain.steps import Step
    from deltaadm.operations.foreign.catalog import ForeignCatalog, ForeignDefinition, ForeignTable


class ForeignStage(NamedTuple):
    """A step, and the definition that the catalog should have after it."""

    step: Step
    after: ForeignDefinition


@dataclass(frozen=True, kw_only=True)
class RecordedChanges:
    """
    A plan to alter a table of another provider as a file has it, to be shown and no more.

    The file does not say all that the catalog did, so that it cannot be carried out.
    """

    table: str
    name: str
    before: ForeignTable
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    operation: ClassVar = OPERATION
    document: ClassVar = "parent_changes"
    irreversible: ClassVar[tuple[str, ...]] = ()

    @property
    def provider(self) -> str:
        """The provider of the table, which does not change."""
        return self.before.provider

    @property
    def statements(self) -> tuple[str, ...]:
        """The steps as SQL."""
        return tuple(statement("", step, self.name) for step in self.steps)

    @property
    def is_noop(self) -> bool:
        """Whether there was nothing to do."""
        return not self.steps


@dataclass(frozen=True, kw_only=True)
class ForeignChanges:
    """
    The plan that alters a table of another provider, statement by statement.

    `table` is what the user calls it, `name` its whole name as SQL spells it. `before` is the
    table on which the plan rests, `definition` what the catalog says of it in full.
    """

    table: str
    name: str
    before: ForeignTable
    definition: ForeignDefinition
    stages: tuple[ForeignStage, ...] = ()
    notes: tuple[str, ...] = ()

    operation: ClassVar = OPERATION
    document: ClassVar = "parent_changes"

    @property
    def provider(self) -> str:
        """The provider of the table, which does not change."""
        return self.before.provider

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in order."""
        return tuple(stage.step for stage in self.stages)

    @property
    def statements(self) -> tuple[str, ...]:
        """The steps as SQL."""
        return tuple(statement("", step, self.name) for step in self.steps)

    @property
    def after(self) -> ForeignDefinition:
        """The definition that the catalog should have in the end."""
        return self.stages[-1].after if self.stages else self.definition

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every difference between before and after."""
        return tuple(_differences(self.definition, self.after))

    @property
    def is_noop(self) -> bool:
        """Whether the table is already as requested."""
        return not self.stages

    @property
    def irreversible(self) -> tuple[str, ...]:
        """Nothing: no row is touched."""
        return ()

    @property
    def new_columns(self) -> tuple[StructField, ...]:
        """The added columns, whose types the provider must support."""
        added = (definition for step in self.steps for definition in step.new_columns)
        return tuple(definition.column for definition in added)

    @property
    def trial_statements(self) -> tuple[str, ...]:
        """The statements that Spark can analyze beforehand, to see whether it accepts the plan."""
        return self.statements

    # Carrying it out

    def require_base(self, catalog: ForeignCatalog) -> None:
        """Raise `CommitError` unless *catalog* has what the plan rests on."""
        require_found(catalog, self.name, self.before)

    @property
    def to_run(self) -> tuple[Statement, ...]:
        """The statements, each with what is true around it."""
        return tuple(
            Statement(
                sql=sql,
                planned=stage.after,
                pending=f"{_progress(self, number, running=True)}; check the table: {self.name}",
                done=_progress(self, number + 1),
                after_failure=partial(_after_failure, self, number),
            )
            for number, (stage, sql) in enumerate(zip(self.stages, self.statements, strict=True))
        )

    @property
    def completed(self) -> str:
        """The state of the table in the end, as a clause."""
        return f"all {len(self.stages)} statements were carried out"

    def mismatches(
        self, planned: ForeignDefinition, actual: ForeignDefinition
    ) -> tuple[Change, ...]:
        """Mismatches with the plan; only properties that the plan changes are compared."""
        before, after = self.definition.properties, self.after.properties
        ours = {key for key in {**before, **after} if before.get(key) != after.get(key)}
        return tuple(_differences(planned, comparable(actual, planned, ours)))


def plan_foreign_changes(
    table: str,
    name: str,
    steps: Sequence[Step],
    *,
    before: ForeignTable,
    definition: ForeignDefinition,
    occupied: bool = False,
) -> ForeignChanges:
    """
    The plan that takes *steps* on the table *name*; what changes nothing is left out.

    *occupied* says that there are files at the place to which the table is to be moved. Raises
    `Refused` for what Spark would refuse or ignore, and for what would spoil the table.
    """
    require_moves_alone(steps)
    state, stages = definition, []
    existing: Sequence[ColumnDefinition] = ()
    # Spark changes one column of such a table at a time.
    for step in (single for several in steps for single in several.split_by_column()):
        if step.new_columns and _has_columns(state, step, steps):
            existing = step.new_columns
            continue
        after = altered(state, step)
        if any(_differences(state, after)):
            stages.append(ForeignStage(step, after))
            state = after
    plan = ForeignChanges(
        table=table, name=name, before=before, definition=definition, stages=tuple(stages)
    )
    return replace(plan, notes=(*_notes_on_columns(existing), *_notes(plan, occupied=occupied)))


def _has_columns(definition: ForeignDefinition, step: Step, steps: Sequence[Step]) -> bool:
    """Whether an interrupted run may have added the columns, which *steps* then change."""
    changed = {folded(change.column) for later in steps for change in later.column_changes}
    new = StructType(tuple(added.column for added in step.new_columns))
    expected = _metadata(replace(definition, schema=new)).schema.fields
    columns = {column.name: column for column in _metadata(definition).schema.fields}
    return not any(added.parent or added.position for added in step.new_columns) and all(
        column.name in columns
        and (columns[column.name] == column or folded((column.name,)) in changed)
        and columns[column.name].type == column.type
        for column in expected
    )


def _notes_on_columns(existing: Sequence[ColumnDefinition]) -> Iterator[str]:
    if existing:
        names = ", ".join(path_text((definition.column.name,)) for definition in existing)
        yield f"The table already has the new columns, so they are skipped: {names}."


def _differences(before: ForeignDefinition, after: ForeignDefinition) -> Iterator[Change]:
    if before.location != after.location:
        yield Change(ChangeKind.SET, "location", before.location, after.location)
    yield from metadata_changes(_metadata(before), _metadata(after))


def _metadata(definition: ForeignDefinition) -> Metadata:
    """The comparable parts of a definition, as a Delta snapshot."""
    # Only some catalogs keep collations, and comments inside of structs; none keeps NOT NULL.

    def comparable_column(path: Path, column: StructField) -> StructField:
        kept = (COMMENT, CURRENT_DEFAULT) if len(path) == 1 else ()
        metadata = {key: column.metadata[key] for key in kept if key in column.metadata}
        return replace(column, type=without_collation(column.type), metadata=metadata)

    schema = nullable_schema(rewrite(definition.schema, comparable_column))
    return Metadata(
        description=definition.comment,
        schema_string=schema.to_json(),
        partition_columns=definition.partition_by,
        configuration=definition.properties,
    )


def _notes(plan: ForeignChanges, *, occupied: bool) -> Iterator[str]:
    if len(plan.stages) > 1:
        yield ("Statements are not atomic together: if one fails, those before it stay in effect.")
    if plan.new_columns:
        yield "No files are rewritten: existing rows have the default in new columns, or null."
    if plan.new_columns and plan.definition.partition_by:
        last = ", ".join(plan.definition.partition_by)
        yield f"New columns are placed before {last}, by which the table is partitioned."
    for step in plan.steps:
        if step.destination is not None:
            yield from _notes_on_location(plan, step.destination.root, occupied=occupied)


def _notes_on_location(plan: ForeignChanges, place: str, *, occupied: bool) -> Iterator[str]:
    yield (
        f"No files are moved: the files at {place} become the table's rows, and those at "
        f"{plan.before.location} stay where they are."
    )
    if not occupied:
        yield f"deltaadm sees no files at {place}."
    if plan.definition.partition_by:
        yield (
            "Partitions that the catalog knows keep their locations; MSCK REPAIR TABLE finds "
            f"those at {place}."
        )
    if plan.before.is_managed:
        yield "The catalog manages the table: DROP TABLE will delete the files at the new location."


def _after_failure(plan: ForeignChanges, number: int, catalog: ForeignCatalog) -> str:
    """The state of the table after a failed statement, which may have had its effect."""
    try:
        actual = catalog.definition(plan.name)
    except DeltaadmError:
        return _progress(plan, number, running=True)
    took_effect = not plan.mismatches(plan.stages[number].after, actual)
    return _progress(plan, number + took_effect)


def _progress(plan: ForeignChanges, done: int, *, running: bool = False) -> str:
    """Which statements were carried out, as a clause; with *running* one is undecided."""
    if not (done or running):
        return NOTHING
    parts = (
        ("carried out", plan.statements[:done]),
        ("perhaps carried out", plan.statements[done : done + running]),
        ("not carried out", plan.statements[done + running :]),
    )
    return "; ".join(f"{what}: {' | '.join(listed)}" for what, listed in parts if listed)
