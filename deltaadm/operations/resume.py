"""The steps of a change that an interrupted run has already carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.model.schema import StructType, change_type, find_place, folded, rewrite, walk
from deltaadm.domain.steps import ChangeColumns, ClusterBy
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.column_mapping import (
    COLUMN_MAPPING_KEYS,
    drop_column_mapping_metadata,
)
from deltaadm.domain.transaction.columns import find_column, renamed
from deltaadm.domain.transaction.constraints import constraint_key
from deltaadm.errors import DeltaadmError
from deltaadm.operations.diff import diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deltaadm.domain.model.schema import DataType, Path, StructField
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.sql.ddl import ColumnDefinition
    from deltaadm.domain.steps import ColumnChange, Step


def count_completed_steps(
    snapshot: Snapshot, steps: Sequence[Step], session: SessionSettings | None
) -> int:
    """
    Return how many of *steps*, from the first, the table in *snapshot* shows as carried out.

    The largest such number is returned. A single step that drops or renames something does not
    count as carried out just because the thing is absent: it may never have existed.
    """
    if any(step.destination is not None for step in steps):
        return 0
    if len(steps) == 1 and not steps[0].leaves_trace:
        return 0
    # The longest beginning first: later steps may have changed what earlier ones did.
    counts = range(len(steps), 0, -1)
    return next(
        (count for count in counts if _shows_completed(snapshot, steps[:count], session)), 0
    )


def _shows_completed(
    snapshot: Snapshot, steps: Sequence[Step], session: SessionSettings | None
) -> bool:
    """Whether *steps*, repeated with the renamings undone first, lead to *snapshot* again."""
    if not all(step.has_statement for step in steps):
        return False
    try:
        state = _undo_names(snapshot, steps)
        for number, step in enumerate(steps):
            if step.new_clustering is None:
                state = _repeat_step(state, step, steps[number + 1 :], session)
        # Clustering comes last, since the table has its columns under their final names.
        for number, step in enumerate(steps):
            if step.new_clustering is not None:
                columns = _names_after(step.new_clustering, steps[number + 1 :])
                state = _repeat_clustering(state, columns, session)
    except (DeltaadmError, _NotCompleted):
        return False
    return not diff(state, snapshot)


def _repeat_clustering(
    state: Snapshot, columns: tuple[Path, ...], session: SessionSettings | None
) -> Snapshot:
    """The state clustered by *columns*, unless a later step of the same run restores that."""
    if not state.suspended_clustering:
        return evolve(state, ClusterBy(columns), session)
    if [*map(folded, columns)] != [*map(folded, state.suspended_clustering)]:
        raise _NotCompleted
    return state


def _names_after(columns: Iterable[Path], steps: Iterable[Step]) -> tuple[Path, ...]:
    """The names of *columns* after the renamings among *steps*."""
    named = tuple(columns)
    for old, new in (pair for step in steps for pair in step.renames):
        named = tuple(
            new + path[len(old) :] if folded(path[: len(old)]) == folded(old) else path
            for path in named
        )
    return named


class _NotCompleted(Exception):  # noqa: N818 -- an answer, not an error
    """The table does not show the effect of a step."""


def _undo_names(snapshot: Snapshot, steps: Sequence[Step]) -> Snapshot:
    """The table with the column names from before *steps*, without the constraints they add."""
    state = snapshot
    for step in reversed(steps):
        for old, new in step.renames:
            state = _undo_renaming(state, old, new)
        if step.new_constraint is not None:
            state = _without_constraint(state, constraint_key(step.new_constraint[0]))
    return state


def _undo_renaming(snapshot: Snapshot, old: Path, new: Path) -> Snapshot:
    if find_column(snapshot.metadata.schema, old) is not None:
        raise _NotCompleted
    return _renamed(snapshot, new, old[-1])


def _renamed(snapshot: Snapshot, column: Path, name: str) -> Snapshot:
    path = find_column(snapshot.metadata.schema, column)
    if path is None:
        raise _NotCompleted
    return replace(snapshot, metadata=renamed(snapshot.metadata, path, name))


def _without_constraint(snapshot: Snapshot, key: str) -> Snapshot:
    stored = snapshot.metadata.configuration
    if key not in stored:
        raise _NotCompleted
    kept = {other: value for other, value in stored.items() if other != key}
    return replace(snapshot, metadata=snapshot.metadata.with_configuration(kept))


def _repeat_step(
    state: Snapshot, step: Step, later: Sequence[Step], session: SessionSettings | None
) -> Snapshot:
    """The state after *step*, which may have been carried out already."""
    if step.new_columns:
        return _repeat_additions(state, step, later, session)
    if step.column_changes:
        return _repeat_changes(state, step, later, session)
    for old, new in step.renames:
        return _renamed(state, old, new[-1])  # column mapping may be gone since then
    left = step.remaining(state)
    return state if left is None else evolve(state, left, session)


def _repeat_changes(
    state: Snapshot, step: Step, later: Sequence[Step], session: SessionSettings | None
) -> Snapshot:
    """The state after the changes of *step* that *later* steps have not made impossible."""
    # Delta looks for statistics of clustering columns before a move, which can end them.
    changes = ChangeColumns(tuple(_still_possible(state, step, later)))
    if not changes.changes:
        return state
    after = evolve(replace(state, domains={}), changes, session)
    return replace(after, domains=state.domains)


def _still_possible(state: Snapshot, step: Step, later: Sequence[Step]) -> Iterator[ColumnChange]:
    """The changes of *step*, except those of dropped columns and moves after dropped columns."""
    dropped = {folded(column) for other in later for column in other.drops}
    gone = {column for column in dropped if find_column(state.metadata.schema, column) is None}
    for change in step.column_changes:
        after = change.position.after if change.position else None
        anchor = () if after is None else folded((*change.column[:-1], after))
        if anchor not in gone and folded(change.column) not in gone:
            yield change


def _repeat_additions(
    state: Snapshot, step: Step, later: Sequence[Step], session: SessionSettings | None
) -> Snapshot:
    """The state with the new columns as the step defines them, keeping their assigned ids."""
    schema = state.metadata.schema
    paths = [_there(schema, definition) for definition in step.new_columns]
    bare = schema
    for path in paths:
        bare = _without(bare, path)
    before = replace(state, metadata=state.metadata.with_schema(bare))
    added = evolve(before, step, session).metadata.schema
    if not _moves(later):
        _require_places(schema, added, step)
    for path in paths:
        schema = _with(schema, path, find_place(added, path)[1])
    return replace(state, metadata=state.metadata.with_schema(schema))


def _there(schema: StructType, definition: ColumnDefinition) -> Path:
    path = find_column(schema, (*definition.parent, definition.column.name))
    if path is None or path[-1] != definition.column.name:
        raise _NotCompleted
    return path


def _without(schema: StructType, gone: Path) -> StructType:
    def pruned(data_type: DataType) -> DataType:
        assert isinstance(data_type, StructType)  # noqa: S101 -- a column is in a struct
        return StructType(tuple(field for field in data_type.fields if field.name != gone[-1]))

    left = change_type(schema, gone[:-1], pruned)
    assert isinstance(left, StructType)  # noqa: S101 -- a struct with less inside
    return left


def _with(schema: StructType, place: Path, defined: StructField | None) -> StructType:
    """*schema* with the column at *place* as *defined*, apart from what column mapping owns."""
    own = {path: field for path, field in walk(schema) if path[: len(place)] == place}
    if defined is None:
        raise _NotCompleted
    # Adding the column again assigns new ids, which never equal those that the table has.
    (fresh,) = drop_column_mapping_metadata(StructType((defined,))).fields
    column = rewrite(
        StructType((fresh,)),
        lambda path, field: _with_ids(field, own.get((*place[:-1], *path))),
    ).fields[0]

    def replaced(data_type: DataType) -> DataType:
        assert isinstance(data_type, StructType)  # noqa: S101 -- a column is in a struct
        fields = data_type.fields
        return StructType(tuple(column if field.name == place[-1] else field for field in fields))

    changed = change_type(schema, place[:-1], replaced)
    assert isinstance(changed, StructType)  # noqa: S101 -- a struct with another field
    return changed


def _with_ids(field: StructField, existing: StructField | None) -> StructField:
    entries = existing.metadata if existing else {}
    ids = {key: value for key, value in entries.items() if key in COLUMN_MAPPING_KEYS}
    return replace(field, metadata={**field.metadata, **ids})


def _moves(steps: Sequence[Step]) -> bool:
    return any(change.position is not None for step in steps for change in step.column_changes)


def _require_places(schema: StructType, added: StructType, step: Step) -> None:
    """Raise `_NotCompleted` unless columns added at a given position are there."""
    for definition in step.new_columns:
        if definition.position is None:
            continue
        parent = folded(definition.parent)
        if _neighbour(schema, parent, definition) != _neighbour(added, parent, definition):
            raise _NotCompleted


def _neighbour(schema: StructType, parent: Path, definition: ColumnDefinition) -> str | None:
    """The name of the column before the defined one; None if that is the first."""
    around = find_place(schema, parent)[2]
    assert isinstance(around, StructType)  # noqa: S101 -- it has the column
    names = [field.name for field in around.fields]
    index = names.index(definition.column.name)
    return names[index - 1] if index else None
