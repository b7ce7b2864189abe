"""`alter` and `create`: new tables, and changes of columns, constraints, properties, location."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import Cost
from deltaadm.domain.properties import Key, spark_values
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    Path,
    StructType,
    folded,
    path_text,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.columns import find_column, without_column
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.column_mapping import drop_column_mapping_metadata
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.domain.transaction.constraints import (
    constraint_key,
    stored_expression,
    unjudged_expressions,
)
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.masking import quoted
from deltaadm.plans.diff import diff
from deltaadm.plans.plan import Plan, does_something, propose
from deltaadm.plans.undo import REQUESTED, places

ALTER = "alter"


@dataclass(frozen=True, kw_only=True)
class TableChanges:
    """
    The requested changes of a table.

    Columns are named as they are before, except in *add_constraints*, where the expressions see
    them as they are afterwards. *cluster_by* is None where clustering stays, empty for none.
    *location* is the table to which the name in the catalog is to lead; it goes with nothing else.
    *is_managed* says whether the catalog disposes of the files of the table with that name.
    """

    set_properties: Mapping[str, str] = field(default_factory=dict)
    drop_constraints: Sequence[str] = ()
    add: Sequence[ddl.ColumnDefinition] = ()
    change: Sequence[kinds.ColumnChange] = ()
    cluster_by: Sequence[Path] | None = None
    drop: Sequence[Path] = ()
    rename: Mapping[Path, str] = field(default_factory=dict)
    add_constraints: Mapping[str, str] = field(default_factory=dict)
    unset: Sequence[str] = ()
    checkpoint: bool = False
    location: Snapshot | None = None
    is_managed: bool = False

    def steps(self) -> list[Step]:
        """
        The steps in the order in which they are taken, which is that of the fields.

        As in Delta's own `alterTable`, properties are set first, for the features that the rest
        may need, and changes of one kind share a commit; so do changes of different columns.
        A column that others are moved behind is moved before them.
        """
        steps: list[Step] = []
        if self.set_properties:
            steps.append(kinds.SetProperties(dict(self.set_properties)))
        # Before columns change, which constraints hold fast; new ones come with the new names.
        steps += [kinds.DropConstraint(name) for name in self.drop_constraints]
        if self.add:
            steps.append(kinds.AddColumns(tuple(self.add)))
        steps += in_statements(_anchors_first(self.change))
        if self.cluster_by is not None:
            steps.append(kinds.ClusterBy(tuple(self.cluster_by)))
        if self.drop:
            steps.append(kinds.DropColumns(tuple(self.drop)))
        # Renaming an outer column first would change the paths of those inside it.
        inside_first = sorted(self.rename.items(), key=lambda pair: -len(pair[0]))
        steps += [kinds.RenameColumn(column, name) for column, name in inside_first]
        steps += [kinds.AddConstraint(name, text) for name, text in self.add_constraints.items()]
        if self.unset:
            steps.append(kinds.UnsetProperties(tuple(self.unset), if_exists=True))
        if self.checkpoint:
            steps.append(kinds.WriteCheckpoint())
        if self.location is not None:
            steps.append(kinds.SetLocation(self.location))
        return steps

    @property
    def removes_mapping(self) -> bool:
        """Whether it ends column mapping and says nothing of how the table is clustered."""
        mode = self.set_properties.get(Key.COLUMN_MAPPING_MODE)
        return self.cluster_by is None and (mode == "none" or Key.COLUMN_MAPPING_MODE in self.unset)


def plan_changes(
    snapshot: Snapshot, wanted: TableChanges, *, session: SessionSettings | None = None
) -> Plan:
    """
    The plan that makes the *wanted* changes, step by step; what changes nothing is left out.

    Unsetting an absent property changes nothing. Where a run of the same changes was interrupted
    between its steps, the plan has the rest of them. Raises `RefusedError` where Delta would, and
    for spellings of the column mapping mode under which Delta would turn mapping off without
    rewriting the files, which makes the columns unreadable.
    """
    # Delta rewrites the files for exactly this spelling, but understands all of them.
    exact = f"{Key.COLUMN_MAPPING_MODE}=none"
    given = {**dict.fromkeys(wanted.unset, "none"), **wanted.set_properties}
    for spelled in (f"{key}={value}" for key, value in given.items()):
        if spelled != exact and spelled.lower() == exact.lower():
            raise RefusedError(
                f"With the spelling {spelled}, the mode would be turned off without rewriting the "
                "files.",
                remedy=f"Write {exact}, or run set-mapping-mode none.",
            )
    plan, taken = _plan_left(snapshot, wanted, session)
    notes = [*plan.notes, *step_notes(plan, is_managed=wanted.is_managed)]
    if skipped := [quoted(word) for step in taken for word in step.options()]:
        already = "The table already has these changes, so they are skipped"
        notes.insert(0, f"{already}: {' '.join(skipped)}.")
    there = (*plan.before.metadata.configuration, *wanted.set_properties)
    spellings = {key.lower() for key in there}
    notes += [
        f"The table has no property {key}, so there is nothing to unset."
        for key in wanted.unset
        if key.lower() not in spellings
    ]
    return replace(plan, notes=tuple(notes))


def _plan_left(
    snapshot: Snapshot, wanted: TableChanges, session: SessionSettings | None
) -> tuple[Plan, list[Step]]:
    """The plan with the steps that are left, and those that the table shows as taken already."""
    steps = wanted.steps()
    keys = (key for step in steps for key in step.touches.property_values)
    because = dict.fromkeys((place for key in keys for place in places(key)), REQUESTED)
    if wanted.cluster_by is not None:
        because["clusteringColumns"] = REQUESTED
    propose_steps = partial(propose, ALTER, snapshot, because=because, session=session)
    count = 0
    try:
        plan = propose_steps(steps)
        # Such as dropping a column and adding the same one: it has been done already.
        if (
            len(plan.stages) > 1
            and not diff(plan.before, plan.after)
            and all(diff(taken.before, taken.after) for taken in plan.stages)
        ):
            count = len(steps)
    except RefusedError:
        count = _count_taken(snapshot, steps, session)
        if not count:
            raise
    taken = steps[:count]
    clusters = any(step.touches.new_clustering is not None for step in taken)
    if taken or wanted.removes_mapping:
        plan = propose_steps(steps[count:], resumes=clusters or wanted.removes_mapping)
    return plan, taken


def _count_taken(snapshot: Snapshot, steps: Sequence[Step], session: SessionSettings | None) -> int:
    """
    How many of *steps*, from the first on, the table in *snapshot* shows as taken.

    That something is absent does not count for a single step: it may never have been there.
    """
    if len(steps) == 1 and isinstance(
        steps[0], (kinds.DropColumns, kinds.DropConstraint, kinds.RenameColumn)
    ):
        return 0
    if any(step.touches.destination is not None for step in steps):
        return 0
    taken = takewhile(lambda step: _is_taken(snapshot, step, session), steps)
    return len(list(taken))


def _is_taken(state: Snapshot, step: Step, session: SessionSettings | None) -> bool:
    schema, stored, touches = state.metadata.schema, state.metadata.configuration, step.touches
    if touches.new_constraint is not None:
        name, expression = touches.new_constraint
        return stored.get(constraint_key(name)) == stored_expression(expression)
    if isinstance(step, kinds.DropConstraint):
        return constraint_key(step.name) not in stored
    if touches.drops or touches.renames:
        gone = (*touches.drops, *(old for old, _ in touches.renames))
        there = (new for _, new in touches.renames)
        return all(find_column(schema, path) is None for path in gone) and all(
            find_column(schema, path) is not None for path in there
        )
    try:
        before = schema
        for new in touches.new_columns:
            before = without_column(before, (*new.parent, new.column.name))
        base = replace(state, metadata=state.metadata.with_schema(before))
        after = evolve(base, step, session)
    except DeltaadmError:
        return False
    if touches.new_columns:
        # The ids of columns that are added again are new ones.
        return drop_column_mapping_metadata(after.metadata.schema) == drop_column_mapping_metadata(
            schema
        )
    return not does_something(state, step, after)


def _anchors_first(changes: Sequence[kinds.ColumnChange]) -> Iterator[kinds.ColumnChange]:
    """
    *changes* with the moves in such an order that each column is in the end where it is to be.

    Taken again after any of them, they lead to the same end. The last move of a column counts.
    """
    moves = {folded(change.column): change for change in changes if change.position}
    behind: dict[Path, Path] = {}
    for column, change in moves.items():
        after = change.position.after if change.position else None
        if after is not None:
            behind[column] = folded((*change.column[:-1], after))
    ordered: dict[Path, kinds.ColumnChange] = {}
    for column in moves:
        chain = [column]
        while (anchor := behind.get(chain[-1], ())) in moves and anchor not in chain:
            chain.append(anchor)
        ordered |= {path: moves[path] for path in reversed(chain) if path not in ordered}
    in_order = iter(ordered.values())
    for change in changes:
        if change.position is None:
            yield change
        elif moves.pop(folded(change.column), None):
            yield next(in_order)


def in_statements(changes: Iterable[kinds.ColumnChange]) -> list[kinds.ChangeColumns]:
    """The changes in as few statements as Spark allows."""
    # In each a column occurs once, and one moves at most: Spark carries changes out in no certain
    # order.
    rounds: list[list[kinds.ColumnChange]] = []
    columns: set[Path] = set()
    around: set[Path] = set()
    has_move = False
    for change in changes:
        column, moves = folded(change.column), change.position is not None
        above = {column[:depth] for depth in range(1, len(column) + 1)}
        # A change of a struct and one of its fields count as the same column.
        if not rounds or (moves and has_move) or column in around or above & columns:
            rounds.append([])
            columns, around, has_move = set(), set(), False
        rounds[-1].append(change)
        columns.add(column)
        around |= above
        has_move |= moves
    return [kinds.ChangeColumns(tuple(together)) for together in rounds]


def step_notes(plan: Plan, *, is_managed: bool = False) -> Iterator[str]:
    """Notes on the steps of *plan*, besides what they change."""
    size = f" ({plan.before.files})" if plan.before.files else ""
    added = [step.touches.new_constraint[0] for step in plan.steps if step.touches.new_constraint]
    if added:
        yield (
            f"For {', '.join(added)} Delta reads every row{size} and refuses if one violates it; "
            "this cannot be predicted from the log."
        )
        yield (
            f"Only Spark can check whether the expression of {', '.join(added)} is allowed in a "
            "constraint: --apply and --engine spark do so before anything is committed."
        )
    yield from expression_notes(plan)
    clusters = any(step.touches.new_clustering for step in plan.steps)
    if clusters and plan.cost is Cost.METADATA:
        yield "No data files are rewritten; OPTIMIZE clusters them by the new columns."
    if any(change.type for step in plan.steps for change in step.touches.column_changes):
        yield (
            "No data files are rewritten; files keep the old type until something rewrites them."
        )
    for step in plan.steps:
        if step.touches.destination is not None:
            here, there = plan.before, step.touches.destination
            sizes = [f", {state.files}" if state.files else "" for state in (here, there)]
            yield (
                f"Nothing is committed to either table. {here.name} then refers to the table at "
                f"{there.root} (version {there.version}{sizes[1]}); the one at {here.root} "
                f"(version {here.version}{sizes[0]}) stays where it is."
            )
            if is_managed:
                yield "It is a managed table: DROP TABLE deletes the files at the new location."


def expression_notes(plan: Plan) -> Iterator[str]:
    """A note on new defaults and generated columns that are not judged here."""
    new = unjudged_expressions(plan.before.metadata, plan.after.metadata)
    if new:
        yield (
            f"Only Spark can check the expressions of {', '.join(map(path_text, new))}: it does so "
            "when the plan is carried out, and refuses what does not fit."
        )


def table_changes(load_at: Callable[[str], Snapshot], texts: Mapping[str, Any]) -> TableChanges:
    """
    The requested changes in *texts*, parsed: each as the option of `alter` spells it.

    The names are those of the options' fields. *load_at* loads the table at another location.
    """
    given, column, change = defaultdict[str, Any](dict, texts), parse_column, kinds.ColumnChange
    if "" in given["rename_columns"].values():
        raise RefusedError(
            "The new name of a column is empty.",
            remedy="Write it as in: alter --rename-column COLUMN=NAME.",
        )
    moves = map(ddl.parse_move, given["move"])
    changes = [
        *(change(column(c), type=ddl.parse_type(t)) for c, t in given["set_types"].items()),
        *(change(column(c), nullable=True) for c in given["drop_not_null"]),
        *(change(column(c), comment=t) for c, t in given["set_comments"].items()),
        *(
            change(column(c), default=ddl.parse_default(t))
            for c, t in given["set_defaults"].items()
        ),
        *(change(column(c), default="") for c in given["drop_defaults"]),
        *(change(moved, position=position) for moved, position in moves),
    ]
    clusters, location = texts.get("cluster_by"), texts.get("location")
    return TableChanges(
        set_properties=spark_values(given["set_properties"]),
        drop_constraints=tuple(given["drop_constraints"]),
        add=[new for text in given["add_columns"] for new in ddl.parse_definitions(text)],
        change=changes,
        cluster_by=None
        if clusters is None
        else [path for text in clusters for path in ddl.parse_column_list(text)],
        drop=[column(text) for text in given["drop_columns"]],
        rename={column(text): name for text, name in given["rename_columns"].items()},
        add_constraints=given["add_constraints"],
        unset=tuple(given["unset"]),
        checkpoint=bool(given["checkpoint"]),
        location=None if location is None else load_at(location),
    )


# Creating and replacing


CREATE = "create"


def plan_create(
    snapshot: Snapshot,
    step: kinds.CreateTable,
    *,
    occupied: bool = False,
    inside: str | None = None,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that carries out *step* where *snapshot* is, which may be `no_table`.

    *occupied* says that there are files already where the new table would be, *inside* in which
    table's directory that is. Raises `RefusedError` where Delta or Spark would.
    """
    if occupied and not snapshot.exists:
        raise RefusedError(
            f"The location {snapshot.root} contains files but no table.",
            remedy="Choose an empty location; CONVERT TO DELTA makes a table from Parquet files.",
            delta_error_class="DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        )
    # As SQL takes it: CLUSTER BY minds the case of letters, and at a path a table is only replaced
    # by REPLACE TABLE, which needs one to be there.
    spelled = {folded(path): path for path, _ in step.schema.walk()}
    clusters = tuple(spelled.get(folded(path), path) for path in step.cluster_by)
    step = replace(step, cluster_by=clusters)
    if step.mode is kinds.CreationMode.CREATE_OR_REPLACE and snapshot.name is None:
        mode = kinds.CreationMode.REPLACE if snapshot.exists else kinds.CreationMode.CREATE
        step = replace(step, mode=mode)
    keys = (*step.properties, *step.write_options)
    because = dict.fromkeys((place for key in keys for place in places(key)), REQUESTED)
    plan = propose(CREATE, snapshot, [step], because=because, session=session)
    notes = [*plan.notes, *expression_notes(plan)]
    if snapshot.exists:
        notes.append(
            f"The rows of version {snapshot.version} are not in the new table; older versions "
            "keep them until VACUUM removes their files."
        )
        notes.append(
            "What the old protocol supports stays supported: replacing a table never lowers it."
        )
    if step.query is not None:
        notes.append("The rows are those that the query returns when the plan is carried out.")
    # Delta lets tables be made inside others, and then cleans up there.
    if inside is not None:
        notes.append(
            f"The location is inside another table, {inside}, whose VACUUM would delete the files "
            "of the new one: choose another location."
        )
    return replace(plan, notes=tuple(notes))


def read_schema(text: str) -> StructType:
    """
    The schema in *text*: Spark's JSON, or columns as between the brackets of CREATE TABLE.

    Raises `RefusedError` for anything else.
    """
    if not text.lstrip().startswith("{"):
        return _without_computed_defaults(ddl.parse_columns(text))
    try:
        schema = _without_computed_defaults(StructType.parse(text))
    except DeltaadmError as error:
        raise RefusedError(
            f"The schema is not Spark's JSON of a struct: {error.message}",
            remedy="Use the output of DataFrame.schema.json(), or columns as in CREATE TABLE.",
        ) from error
    for column in schema.fields:
        single = StructType((column,))
        if _without_computed_defaults(ddl.parse_columns(ddl.columns_sql(single))) != single:
            raise RefusedError(
                f"SQL cannot express the column {path_text((column.name,))} as given in the "
                "schema: arrays and maps without nulls, and metadata other than comments, "
                "defaults and generation.",
                remedy="Leave that out of the schema.",
            )
    return schema


def schema_of_query(text: str) -> StructType:
    """The schema of a table that a query fills, from the query's own in JSON: all may be null."""
    nullable = _nullable(StructType.parse(text))
    assert isinstance(nullable, StructType)  # noqa: S101 -- what a struct becomes
    return nullable


def _without_computed_defaults(schema: StructType) -> StructType:
    """Only ADD COLUMN has Spark compute what a default is for the rows that are there."""
    return schema.rewrite(lambda _, column: column.without(FieldKey.EXISTS_DEFAULT))


def _nullable(data_type: DataType) -> DataType:
    if isinstance(data_type, StructType):
        fields = data_type.fields
        return StructType(tuple(replace(f, type=_nullable(f.type), nullable=True) for f in fields))
    if isinstance(data_type, ArrayType):
        return ArrayType(_nullable(data_type.element))
    if isinstance(data_type, MapType):
        return MapType(_nullable(data_type.key), _nullable(data_type.value))
    return data_type
