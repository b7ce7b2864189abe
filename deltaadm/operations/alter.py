"""`alter`: change columns, constraints, clustering, properties, location; write a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.constraints import constraint_key
from deltaadm.domain.properties import COLUMN_MAPPING_MODE, did_you_mean
from deltaadm.domain.schema import folded, path_text
from deltaadm.domain.table_changes import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    DropColumns,
    DropConstraint,
    RenameColumn,
    SetLocation,
    SetProperties,
    Step,
    UnsetProperties,
    WriteCheckpoint,
)
from deltaadm.errors import Refused
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deltaadm.domain.ddl import ColumnDefinition
    from deltaadm.domain.schema import Path
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import ColumnChange

OPERATION = "alter"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChanges:
    """
    What is to change about a table.

    Columns are named as they are before, except in *add_constraints*, where the expressions see
    them as they are afterwards. *cluster_by* is None where clustering stays, empty for none.
    *location* is the table to which the name in the catalog is to lead; it goes with nothing else.
    *is_managed* says whether the catalog disposes of the files of the table with that name.
    """

    set_properties: Mapping[str, str] = field(default_factory=dict)
    drop_constraints: Sequence[str] = ()
    add: Sequence[ColumnDefinition] = ()
    change: Sequence[ColumnChange] = ()
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
        """
        steps: list[Step] = []
        if self.set_properties:
            steps.append(SetProperties(dict(self.set_properties)))
        steps += [DropConstraint(name) for name in self.drop_constraints]
        if self.add:
            steps.append(AddColumns(tuple(self.add)))
        steps += _in_rounds(self.change)
        if self.cluster_by is not None:
            steps.append(ClusterBy(tuple(self.cluster_by)))
        if self.drop:
            steps.append(DropColumns(tuple(self.drop)))
        inside_first = sorted(self.rename.items(), key=lambda pair: -len(pair[0]))
        steps += [RenameColumn(column, name) for column, name in inside_first]
        steps += [AddConstraint(name, text) for name, text in self.add_constraints.items()]
        if self.unset:
            steps.append(UnsetProperties(tuple(self.unset), if_exists=True))
        if self.checkpoint:
            steps.append(WriteCheckpoint())
        if self.location is not None:
            steps.append(SetLocation(self.location))
        return steps

    def subjects(self) -> Iterator[str]:
        """The places in a plan that are themselves what was asked for."""
        yield from (f"configuration[{key}]" for key in self.set_properties)
        yield from (f"configuration[{key}]" for key in self.unset)
        for name in (*self.add_constraints, *self.drop_constraints):
            yield f"configuration[{constraint_key(name)}]"
        renamed = [((*column[:-1], name), column) for column, name in self.rename.items()]
        columns = [
            *((*one.parent, one.column.name) for one in self.add),
            *(one.column for one in self.change),
            *self.drop,
            *(each for pair in renamed for each in pair),
        ]
        yield from (f"schema[{path_text(one)}]" for one in columns)
        if any(one.position for one in self.add) or any(one.position for one in self.change):
            yield "schema"
        if self.cluster_by is not None:
            yield "clusteringColumns"
        if self.location is not None:
            yield "location"


def plan_changes(
    snapshot: Snapshot, wanted: TableChanges, *, session: SessionSettings | None = None
) -> Plan:
    """
    The plan that makes the *wanted* changes, step by step; what changes nothing is left out.

    Unsetting an absent property changes nothing. Raises `Refused` where Delta would, and for
    spellings of the column mapping mode under which Delta would turn mapping off without
    rewriting the files, which makes the columns unreadable.
    """
    _refuse_unsafe_spellings(wanted.set_properties, wanted.unset)
    plan = propose(
        OPERATION,
        snapshot,
        wanted.steps(),
        because=dict.fromkeys(wanted.subjects(), "asked for"),
        session=session,
    )
    notes = _notes(plan, is_managed=wanted.is_managed)
    return replace(plan, notes=(*notes, *_notes_on_absent(plan.before, wanted)))


def _in_rounds(changes: Iterable[ColumnChange]) -> list[ChangeColumns]:
    """As few statements as Spark allows: in each a column occurs once, and one moves at most."""
    rounds: list[list[ColumnChange]] = []
    for change in changes:
        if not rounds or any(_must_follow(change, other) for other in rounds[-1]):
            rounds.append([])
        rounds[-1].append(change)
    return [ChangeColumns(tuple(one)) for one in rounds]


def _must_follow(change: ColumnChange, other: ColumnChange) -> bool:
    mine, theirs = folded(change.column), folded(other.column)
    shared = min(len(mine), len(theirs))
    both_move = change.position is not None and other.position is not None
    return both_move or mine[:shared] == theirs[:shared]


def _notes(plan: Plan, *, is_managed: bool) -> Iterator[str]:
    size = f" ({plan.before.files})" if plan.before.files else ""
    constraints = [one.name for one in plan.steps if isinstance(one, AddConstraint)]
    if constraints:
        yield (
            f"For {', '.join(constraints)} Delta reads every row{size}, and refuses if one is not "
            "as the constraint says; that cannot be told from the log."
        )
    if any(isinstance(one, ClusterBy) and one.columns for one in plan.steps):
        yield "No data file is touched: OPTIMIZE lays them out by the new columns."
    if any(
        isinstance(one, ChangeColumns) and any(each.type for each in one.changes)
        for one in plan.steps
    ):
        yield "No data file is touched: files keep the old type until they are rewritten."
    for one in plan.steps:
        if isinstance(one, SetLocation):
            yield from _notes_on_location(plan.before, one.there)
            if is_managed:
                yield "The catalog manages it: DROP TABLE deletes the files at the new place."


def _notes_on_absent(before: Snapshot, wanted: TableChanges) -> Iterator[str]:
    there = (*before.metadata.configuration, *wanted.set_properties)
    spellings = {one.lower() for one in there}
    for key in wanted.unset:
        if key.lower() not in spellings:
            near = did_you_mean(key, there)
            nothing = f"The table has no property {key}, so there is nothing to unset."
            yield f"{nothing} {near}".rstrip()


def _notes_on_location(here: Snapshot, there: Snapshot) -> Iterator[str]:
    sizes = [f", {one.files}" if one.files else "" for one in (here, there)]
    yield (
        f"Nothing is committed to either table. {here.name} leads to the table at {there.root} "
        f"(version {there.version}{sizes[1]}) from then on; the one at {here.root} (version "
        f"{here.version}{sizes[0]}) stays where it is."
    )


def _refuse_unsafe_spellings(wanted: Mapping[str, str], unset: Iterable[str]) -> None:
    for key in (*wanted, *unset):
        value = wanted.get(key, "none")
        if key.lower() != COLUMN_MAPPING_MODE.lower() or value.lower() != "none":
            continue
        if key != COLUMN_MAPPING_MODE or value != "none":
            raise Refused(
                f"Spelled {key}={value}, the mode would be turned off without rewriting the files.",
                remedy=f"Write {COLUMN_MAPPING_MODE}=none, or run set-mapping-mode none.",
            )
