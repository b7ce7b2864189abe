"""The planner of `deltaadm undo`: it takes back what a version of a table, or a plan, changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import FEATURES, dependents
from deltaadm.domain.properties import Key, column_list
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import FieldKey, Path, StructField, StructType, path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.column_mapping import COLUMN_MAPPING_KEYS, column_id, physical_name
from deltaadm.domain.transaction.columns import clustering_columns, parse_column
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.errors import RefusedError
from deltaadm.plans.diff import RENAMED, Change, ChangeKind, diff, is_renaming, mismatches
from deltaadm.plans.plan import Plan, propose
from deltaadm.plans.undo import (
    KEPT_BY_DELTA,
    LEAVES_EMPTY,
    WITHOUT_COMMAND,
    Stage,
    Undo,
    undo_change,
    with_other_retention,
)

UNDO: Final = "undo"
REFERENCE: Final = "diff"
_IMPLIED: Final = "features["


def plan_undo(
    before: Snapshot,
    after: Snapshot,
    current: Snapshot,
    *,
    what: str,
    session: SessionSettings | None = None,
    check_outcome: bool = True,
) -> Plan:
    """
    The plan that takes back, on the *current* table, what changed from *before* to *after*.

    *what* made the change, in words. What is as before already is left alone, and notes name what
    cannot be taken back. *check_outcome* is as for `propose`. Raises `RefusedError` where the table
    was created or replaced, where the same places have been changed again since, and where nothing
    can be taken back.
    """
    restore = (
        f"To go back to version {before.version} with its rows: RESTORE TABLE … TO VERSION AS OF "
        f"{before.version}."
    )
    if not before.exists:
        raise RefusedError(
            f"{what} created the table.", remedy="Drop the table if nobody needs it."
        )
    after = _with_chosen_names(after, current)
    changes, old, new = diff(before, after), before.metadata, after.metadata
    renamed = _renamed(changes)
    partitions = tuple(_moved((name,), renamed)[-1] for name in old.partition_columns)
    if (old.id, old.format, partitions) != (new.id, new.format, new.partition_columns):
        raise RefusedError(
            f"{what} replaced the table, which no other change undoes.", remedy=restore
        )
    changed = [change for change in changes if change.subject not in _FOLLOWING]
    if not changed and before.protocol.supported_features >= after.protocol.supported_features:
        raise RefusedError(
            f"{what} changed no protocol, property or column.",
            remedy="`deltaadm history TABLE` lists the versions that did. " + restore,
        )
    since, later = diff(before, current), mismatches(after, current)
    differing = {change.subject for change in since}
    again = differing & {change.subject for change in later} & {one.subject for one in changed}
    # Lists of columns follow those that are renamed, texts of properties do not.
    others = [
        [*_replaced(old.schema, current.metadata.schema, moved)] for moved in ({}, _renamed(since))
    ]
    again |= {
        f"schema[{path_text(path)}] (in {change.subject})"
        for change in changed
        for path in others[isinstance(change.before, list)]
        if change.subject in differing and _names(change, path, old.schema)
    }
    if again := again | {*_moved_since(changed, later, differing)}:
        raise RefusedError(
            f"{', '.join(sorted(again))} changed again after version {after.version}.",
            remedy="Undo the later change first; `deltaadm history TABLE` shows it.",
        )
    left = [change for change in changed if change.subject in differing]
    left += _lost_silently(before, after, current)
    steps, reasons = _steps(before, after, current, left, session)
    plan = propose(UNDO, current, steps, session=session, check_outcome=check_outcome)
    staying = {change.subject for change in diff(before, plan.after)}
    kept = staying & reasons.keys()
    notes = [f"{subject} {reasons[subject]}." for subject in sorted(kept)]
    if kept and plan.is_noop:
        only_protocol = all(subject.startswith("protocol.") for subject in kept)
        raise RefusedError(
            f"{what} cannot be undone. {' '.join(notes)}",
            # RESTORE never lowers the protocol.
            remedy="Copy the table to one without the features." if only_protocol else restore,
        )
    if plan.is_noop:
        notes = [f"{what} is undone already."]
    elif any(change.subject == _MAPPING for change in left) and any(
        subject.startswith("schema[") for subject in staying - kept
    ):
        notes.append("Columns get other ids than before: column mapping numbers them anew.")
    because = dict.fromkeys(
        (change.subject for change in left), f"as before version {after.version}"
    )
    return replace(plan, because=because, notes=(*plan.notes, *notes))


def _with_chosen_names(after: Snapshot, current: Snapshot) -> Snapshot:
    """
    *after* with the physical names that only the commit could choose, where *current* has them.

    A plan in a file does not know them; by its id a column is found, whatever it is called by now.
    """
    if KNOWN_AFTER_COMMIT not in (after.metadata.schema_string or ""):
        return after
    chosen = {column_id(column): column for _, column in current.metadata.schema.walk()}

    def named(_: Path, column: StructField) -> StructField:
        there = chosen.get(column_id(column))
        if there is None or KNOWN_AFTER_COMMIT not in physical_name(column):
            return column
        name = {FieldKey.PHYSICAL_NAME: physical_name(there)}
        return replace(column, metadata={**column.metadata, **name})

    return replace(after, metadata=after.metadata.with_schema(after.metadata.schema.rewrite(named)))


def _moved_since(
    changed: Iterable[Change], later: Sequence[Change], differing: Collection[str]
) -> Iterator[str]:
    """
    The places of columns among *changed* that *later* changes have renamed, dropped or added to.

    What is as before once more is in none of the *differing* places.
    """
    renamed = _renamed(later)
    gone = {each.subject for each in later if each.kind is ChangeKind.REMOVE}
    new = [each.name for each in later if each.place == "schema" and each.kind is ChangeKind.ADD]
    added = {parse_column(name): f"schema[{name}]" for name in new if name}
    for change in changed:
        if change.place != "schema" or not change.name or change.kind is ChangeKind.REMOVE:
            continue
        if change.kind is ChangeKind.SET and {*change.before, *change.after} <= COLUMN_MAPPING_KEYS:
            continue  # which goes by the mode, whatever the column is called
        now = _moved(parse_column(change.name), renamed)
        if f"schema[{path_text(now)}]" != change.subject:
            if f"schema[{path_text(now)}]" in differing:
                yield change.subject
        elif change.subject in gone and is_renaming(change):
            yield change.subject
        if change.kind is ChangeKind.ADD:
            yield from (place for at, place in added.items() if at[: len(now)] == now)


def _replaced(old: StructType, new: StructType, renamed: Mapping[Path, Path]) -> Iterator[Path]:
    """The columns of *old* in whose places, once they are *renamed*, *new* has other columns."""
    now = {path: column for path, column in new.walk() if FieldKey.PHYSICAL_NAME in column.metadata}
    for path, column in old.walk():
        there = now.get(_moved(path, renamed), column)
        if physical_name(there) != physical_name(column):
            yield path


def _names(change: Change, column: Path, schema: StructType) -> bool:
    """Whether the former value of a property or list that has changed names *column*."""
    if isinstance(change.before, list):
        return path_text(column) in change.before
    if change.place != "configuration" or not change.before:
        return False
    if change.name == Key.STATISTICS_COLUMNS:
        return any(path[: len(column)] == column for path in column_list(change.before)[0])
    is_constraint = change.name.lower().startswith(Key.CONSTRAINT_PREFIX)
    return is_constraint and ddl.mentions(change.before, column, schema)


def _renamed(changes: Iterable[Change]) -> dict[Path, Path]:
    """The later path of each column that *changes* rename."""
    return {
        parse_column(change.before[RENAMED]): parse_column(change.after[RENAMED])
        for change in changes
        if is_renaming(change)
    }


def _moved(path: Path, renamed: Mapping[Path, Path]) -> Path:
    """What the column at *path* is called once it, or what it is in, is *renamed*."""
    ends = (end for end in range(len(path), 0, -1) if path[:end] in renamed)
    end = next(ends, 0)
    return (*renamed.get(path[:end], ()), *path[end:])


def _lost_silently(before: Snapshot, after: Snapshot, current: Snapshot) -> Iterator[Change]:
    """The features that only a version implied and that went with it: no list has lost them."""
    for name in sorted(before.protocol.implicit_features - after.protocol.supported_features):
        if not current.protocol.supports(name):
            yield Change(ChangeKind.REMOVE, f"protocol.writerFeatures[{name}]", name)


def plan_reference(
    wanted: Snapshot,
    current: Snapshot,
    differences: Callable[[Snapshot], Sequence[Change]],
    *,
    unknown: Collection[str] = (),
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that brings *current* to *wanted* where *differences* finds it different.

    Of places that are *unknown* nobody says what is wanted. Notes name what cannot be reached, and
    why; so many differences are the plan's `unfixed`.
    """
    metadata = replace(wanted.metadata, id=current.metadata.id)
    reference = replace(wanted, root=current.root, name=current.name, metadata=metadata)
    left = [
        change
        for change in differences(current)
        if change.subject not in {*_FOLLOWING, *unknown} and not change.subject.startswith(_IMPLIED)
    ]
    steps, reasons = _steps(reference, current, current, left, session)
    protocol = reference.protocol
    if not protocol.supports_writer_features and (
        protocol.supported_features - current.protocol.supported_features
    ):
        versions = (protocol.min_reader_version, protocol.min_writer_version)
        keys = (Key.MIN_READER_VERSION, Key.MIN_WRITER_VERSION)
        raised = kinds.SetProperties(dict(zip(keys, map(str, versions), strict=True)))
        steps = [raised, *steps]
    plan = propose(REFERENCE, current, steps, session=session)
    staying = [change.subject for change in differences(plan.after)]
    # The versions, and what they imply, follow from features that stay.
    if any(at.startswith("protocol.") and at not in _VERSIONS for at in staying):
        staying = [at for at in staying if at not in _VERSIONS]
    if any(at.startswith("protocol.") for at in staying):
        staying = [at for at in staying if not at.startswith(_IMPLIED)]
    if wanted.metadata.id != current.metadata.id:  # another table, which may have more columns
        missing = "is missing: alter --add-column adds it, without values"
        columns = (each.subject for each in left if each.place == "schema" and each.after is None)
        reasons |= dict.fromkeys(columns, missing)
    reasons |= dict.fromkeys(unknown, "stays as it is: the reference has its fingerprint alone")
    causes = {at: why for step in plan.steps for at, why in step.reasons().items()}
    reasons = causes | reasons
    notes = (f"{at} {reasons.get(at, 'stays as it is: no command sets it')}." for at in staying)
    because = causes | dict.fromkeys((change.subject for change in left), "as in the reference")
    return replace(plan, because=because, notes=(*plan.notes, *notes), unfixed=len(staying))


def _steps(
    before: Snapshot,
    after: Snapshot,
    current: Snapshot,
    changes: Iterable[Change],
    session: SessionSettings | None,
) -> tuple[list[Step], dict[str, str]]:
    """The steps that undo *changes* as far as Delta allows, and why other places differ then."""
    inverse = [*_inverse(before, after, changes, _renamed(diff(after, current)))]
    reasons: dict[str, str] = {}
    for subject, words, step in inverse:
        if step is None:
            reasons.setdefault(subject, f"stays as it is: {words.removeprefix('never: ')}")
    steps = _merged((step for _, _, step in inverse if step is not None), current)
    try:
        state = propose(UNDO, current, steps, session=session, check_outcome=False).after
        _require_kept(before, current, state, steps)
    except RefusedError:
        # Which of them Delta refuses shows one by one; some need what comes after them.
        possible: list[Step] = []
        state, waiting, count = current, inverse, -1
        while waiting and len(possible) > count:
            count, again = len(possible), waiting
            refused: dict[str, str] = {}
            waiting = []
            for subject, words, step in again:
                if step is not None:
                    try:
                        alone = _merged([step], state)
                        plan = propose(UNDO, state, alone, session=session, check_outcome=False)
                        _require_kept(before, state, plan.after, alone)
                        state = plan.after
                        possible.append(step)
                    except RefusedError as refusal:
                        waiting.append((subject, words, step))
                        why = f"stays as it is: {refusal.message.rstrip('.')}"
                        refused.setdefault(subject, why)
        reasons = refused | reasons
        steps = _merged(possible, current)
    for subject, words, _ in inverse:
        if words.endswith(LEAVES_EMPTY):
            reasons.setdefault(subject, "keeps an empty comment: Delta removes none")
    implied = after.protocol.implicit_features - before.protocol.supported_features
    names = sorted(implied & current.protocol.implicit_features)
    lowering, reason = _lowering(names, before, state, session)
    listed = implied & current.protocol.supported_features - {*names}
    places = (f"protocol.writerFeatures[{name}]" for name in listed)
    reasons = dict.fromkeys(places, "stays as it is: a later change lists it") | reasons
    if reason:
        raised = {change.subject for change in diff(before, after)} & {*_VERSIONS}
        reasons |= dict.fromkeys(raised, f"stays as it is: {reason}")
    return [*steps, *lowering], reasons


def _require_kept(before: Snapshot, old: Snapshot, new: Snapshot, steps: Iterable[Step]) -> None:
    """Raise `RefusedError` where *steps*, from *old* to *new*, drop a column that *before* has."""
    if any(step.kind == "drop_columns" for step in steps):
        had, has = (
            {change.subject for change in diff(before, state) if change.kind is ChangeKind.REMOVE}
            for state in (old, new)
        )
        if any(subject.startswith("schema[") for subject in has - had):
            raise RefusedError("its name stands for a column that was there before.")


def _merged(steps: Iterable[Step], table: Snapshot) -> list[Step]:
    """*steps* on *table*, those of a kind together, in as few commits as Delta needs for them."""
    merged: list[Step] = []
    for kind, group in groupby(steps, key=attrgetter("kind")):
        merged += _TOGETHER.get(kind, list)(list(group))
    return [with_other_retention(step, table.metadata.configuration) for step in merged]


def _changes_together(steps: Iterable[kinds.ChangeColumns]) -> list[Step]:
    from deltaadm.plans.alter import in_statements  # which most plans do without

    changes = [change for step in steps for change in step.changes]
    # Most moves do nothing, which shows as long as each is a step of its own.
    moves = (kinds.ChangeColumns((change,)) for change in changes if change.position)
    return [*in_statements(change for change in changes if not change.position), *moves]


_TOGETHER: Final[Mapping[str, Callable[[list[Any]], list[Step]]]] = {
    "set_properties": lambda steps: [
        kinds.SetProperties(dict(pair for step in steps for pair in step.properties.items()))
    ],
    "unset_properties": lambda steps: [
        kinds.UnsetProperties(tuple(key for step in steps for key in step.keys), if_exists=True)
    ],
    "drop_columns": lambda steps: [
        kinds.DropColumns(tuple(path for step in steps for path in step.columns))
    ],
    "change_columns": _changes_together,
}
"""How steps of one kind become fewer."""


def _lowering(
    names: Sequence[str], before: Snapshot, state: Snapshot, session: SessionSettings | None
) -> tuple[list[Step], str]:
    """
    The steps that drop, in *state*, the features *names*, which only higher versions implied.

    There are none where they do not lead back to the protocol before, and the reason instead.
    """
    fixed = [name for name in names if FEATURES[name].removal is None]
    if names and not fixed:
        dropping: list[Step] = [kinds.DropFeature(name) for name in names]
        with suppress(RefusedError):
            plan = propose(UNDO, state, dropping, session=session, check_outcome=False)
            if plan.after.protocol == before.protocol:
                return dropping, ""
    listed = ", ".join(fixed or names)
    return [], f"Delta cannot drop {listed}, which the versions imply" if listed else ""


_MAPPING: Final = f"configuration[{Key.COLUMN_MAPPING_MODE}]"
_VERSIONS: Final = ("protocol.minReaderVersion", "protocol.minWriterVersion")
_FOLLOWING: Final = frozenset(
    (*_VERSIONS, "partitionColumns", *(f"configuration[{key}]" for key in KEPT_BY_DELTA))
)
"""What Delta adapts to the features, and to the names of columns, by itself."""


def _inverse(
    before: Snapshot, after: Snapshot, changes: Iterable[Change], later: Mapping[Path, Path]
) -> Iterator[tuple[str, str, Step | None]]:
    """
    The place of each change, how it is undone in words, and a step that does it, in order.

    *later* are the paths of columns that have been renamed since.
    """
    undone: list[tuple[str, str, Step | None]] = []
    changes = list(changes)
    renamed = {new: old for old, new in _renamed(changes).items()}
    # By then columns have their names of before once more, or those that they have got since.
    now = {**later, **{path: path for path in renamed.values()}}
    added = {
        parse_column(change.name)
        for change in changes
        if change.place == "schema" and change.kind is ChangeKind.ADD
    }
    for subject, change in chain.from_iterable(_parts(one, renamed, added) for one in changes):
        if change.subject == "schema":
            # All columns into their order of before: most of these moves do nothing.
            last: dict[tuple[str, ...], str] = {}
            for former, _ in before.metadata.schema.walk():
                path = _moved(former, now)
                move = kinds.ColumnChange(path, position=ddl.Position(last.get(path[:-1])))
                undone.append((change.subject, "", kinds.ChangeColumns((move,))))
                last[path[:-1]] = path[-1]
            continue
        # What kind of step has made a change shows by the change.
        undo = undo_change(change, Stage(before, kinds.SetProperties({}), after))
        if subject == "clusteringColumns" and (renamed or later):
            columns = (_moved(path, now) for path in clustering_columns(before) or ())
            undo = Undo("", (kinds.ClusterBy(tuple(columns)),))
        undone += ((subject, undo.words, step) for step in undo.steps or (None,))
    dropped = {step.name for _, _, step in undone if isinstance(step, kinds.DropFeature)}

    def rank(entry: tuple[str, str, Step | None]) -> tuple[int, int]:
        step = entry[2]
        if isinstance(step, kinds.DropFeature):
            # What others need goes after them.
            return len(_ORDER), _height(step.name, dropped)
        return (_ORDER.index(step.kind) if step is not None and step.kind in _ORDER else 0), 0

    seen: set[str] = set()
    for subject, words, step in sorted(undone, key=rank):
        if step is None and words in WITHOUT_COMMAND:
            continue
        if step is None or repr(step) not in seen:
            yield subject, words, step
            seen.add(repr(step))


_ORDER: Final = (
    "drop_constraint",
    "rename_column",
    "cluster_by",
    "drop_columns",
    "change_columns",
    "add_constraint",
    "set_properties",
    "unset_properties",
)
"""The kinds of steps in an order in which none needs what an earlier one has taken away."""


def _height(name: str, among: set[str]) -> int:
    return 1 + max((_height(other, among) for other in dependents(name, among)), default=0)


def _parts(
    change: Change, renamed: Mapping[Path, Path], added: set[Path]
) -> Iterator[tuple[str, Change]]:
    """
    What is undone of *change* by itself, and for which place.

    Columns are called as they are once the *renamed* ones have their former names.
    """
    if change.kind is ChangeKind.REMOVE or not change.subject.startswith("schema["):
        yield change.subject, change
        return
    path = parse_column(change.name)
    former = f"schema[{path_text(_moved(path, renamed))}]"
    if change.kind is ChangeKind.ADD:
        # It goes with the outermost of the new columns around it.
        whole = next(path[:end] for end in range(1, len(path) + 1) if path[:end] in added)
        gone = _moved(whole, renamed)
        yield former, replace(change, subject=f"schema[{path_text(gone)}]")
        return
    keys = {*change.before, *change.after}
    for part in (*(keys & {*group} for group in _ALONE), keys.difference(*_ALONE)):
        if part:
            was, is_now = (
                {key: value for key, value in side.items() if key in part}
                for side in (change.before, change.after)
            )
            subject = change.subject if RENAMED in part else former
            yield subject, Change(ChangeKind.SET, subject, was, is_now)


_ALONE: Final[tuple[Collection[str], ...]] = (
    COLUMN_MAPPING_KEYS,
    (RENAMED,),
    ("type", FieldKey.TYPE_CHANGES, FieldKey.RAW_TYPE),
    ("nullable",),
    (FieldKey.COMMENT,),
    (FieldKey.CURRENT_DEFAULT,),
)
"""The parts of a column that are undone each by itself."""
