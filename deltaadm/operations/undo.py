"""How to undo the steps of a plan, each by itself and as far as Delta can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain import steps as kinds
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import (
    FEATURES,
    dependents,
    lookup,
    mapping_mode,
    undo_feature,
)
from deltaadm.domain.model.properties import (
    CHANGE_DATA_FEED,
    COLUMN_MAPPING_MODE,
    CONSTRAINT_PREFIX,
    FEATURE_PREFIX,
    PROPERTIES,
    TABLE_COMMENT,
    TYPE_CHANGES,
    kept_for,
)
from deltaadm.domain.model.schema import StructType, find_place
from deltaadm.domain.sql.ddl import COMMENT, CURRENT_DEFAULT, Position
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.clustering import clustering_columns
from deltaadm.domain.transaction.column_mapping import COLUMN_MAPPING_KEYS
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.domain.transaction.iceberg import ROW_TRACKING, compat_key, enabled_versions
from deltaadm.domain.transaction.metadata_checks import RETENTION_KEYS
from deltaadm.errors import DeltaadmError
from deltaadm.operations.commands import alter_command
from deltaadm.operations.diff import RENAMED, Change, ChangeKind, diff, is_renaming, relocation
from deltaadm.operations.reasons import KEPT_BY_DELTA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deltaadm.domain.model.schema import Path
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step


@dataclass(frozen=True)
class Undo:
    """How one change of a step is undone, in words, and the steps that undo it."""

    words: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Transition:
    """A step, and the states before and after it."""

    before: Snapshot
    step: Step
    after: Snapshot

    def undos(self) -> Iterator[tuple[Change, Undo]]:
        """Each change that the step makes, with how to undo it right after the step."""
        for change in (*relocation(self.before, self.after), *diff(self.before, self.after)):
            yield change, _undo(change, self)


def undo_words(transitions: Iterable[Transition]) -> dict[str, str]:
    """How to undo the changes of each subject, in words, beginning with the last step."""
    by_subject: dict[str, dict[str, None]] = {}
    final_paths: dict[str, str] = {}
    # From the last step back, which is the order in which they can be undone.
    for step in reversed(list(transitions)):
        undos = list(step.undos())
        for change, undo in undos:
            subject, around = _final_place(change.subject, final_paths)
            words = by_subject.setdefault(subject, {})
            words.update(by_subject.get(around, {}))
            words[undo.words] = None
        renamed = {
            change.before[RENAMED]: change.after[RENAMED]
            for change, _ in undos
            if is_renaming(change)
        }
        finals = {old: _final_path(new, final_paths)[0] for old, new in renamed.items()}
        kept = final_paths.items()
        final_paths = {path: final for path, final in kept if path not in renamed.values()} | finals
    return {subject: _joined(list(words)) for subject, words in by_subject.items()}


def _final_place(subject: str, final_paths: Mapping[str, str]) -> tuple[str, str]:
    """The final path of *subject*, and the renamed column around it that moves it there."""
    if not subject.startswith("schema["):
        return subject, ""
    path, around = _final_path(subject[len("schema[") : -1], final_paths)
    return f"schema[{path}]", f"schema[{around}]"


def _final_path(path: str, final_paths: Mapping[str, str]) -> tuple[str, str]:
    # The innermost renamed column decides: its final path has later renamings around it already.
    for old in sorted(final_paths, key=len, reverse=True):
        if path == old:
            return final_paths[old], ""
        if path.startswith(f"{old}."):
            return f"{final_paths[old]}{path[len(old) :]}", final_paths[old]
    return path, ""


def _joined(words: list[str]) -> str:
    """Commands in their order, and after them what nothing brings back."""
    telling = [phrase for phrase in words if phrase not in _WITHOUT_COMMAND] or words[:1]
    commands = [phrase for phrase in telling if not phrase.startswith(_NEVER)]
    never = [phrase for phrase in telling if phrase.startswith(_NEVER)]
    return "; ".join(["; then ".join(commands)] * bool(commands) + never)


UNDONE_TOGETHER: Final = "undone together with the other changes"
"""The words for a place that differs in the end although no single step has changed it."""
_NEVER: Final = "never"
_NOTHING_LOST: Final = Undo("nothing is lost, so nothing needs to be undone")
_LOWERED_WITH_FEATURES: Final = Undo("lowered automatically when those features are dropped")
_KEPT: Final = Undo("kept by Delta; harmless")
_REWRITTEN_WHEN_NEEDED: Final = Undo("rewritten when it is needed again")
_WITHOUT_COMMAND: Final = frozenset(
    undo.words for undo in (_NOTHING_LOST, _LOWERED_WITH_FEATURES, _KEPT, _REWRITTEN_WHEN_NEEDED)
)
_ONLY_OLDER_VERSIONS: Final = Undo("never: only older versions still have it")


def _by(step: Step, after: Snapshot) -> Undo:
    """The command of *step*, with what it costs on the state *after* the change."""
    return Undo(f"{alter_command(step)}{_PRICES[step.cost(after)]}", (step,))


_PRICES: Final = {
    Cost.METADATA: " (metadata only)",
    Cost.BACKFILL: ", which rewrites the metadata of files without row ids",
    Cost.REWRITE: ", which rewrites data files",
}


def _undo(change: Change, transition: Transition) -> Undo:
    if not transition.before.exists:
        return Undo("drop the table")
    if transition.before.root != transition.after.root:
        return _by(kinds.SetLocation(transition.before), transition.after)
    if lost := _lost_with_feature(change, transition):
        return Undo(f"never: {lost}")
    if change.subject.startswith("protocol."):
        return _undo_protocol(change, transition)
    # Another id means another table in its place, which no single change takes back.
    if transition.before.metadata.id != transition.after.metadata.id:
        return Undo(f"RESTORE TABLE … TO VERSION AS OF {transition.before.version}")
    return _undo_metadata(change, transition)


def _lost_with_feature(change: Change, transition: Transition) -> str:
    """What enabling the feature that the step drops does not bring back, if *change* is of it."""
    name = transition.step.dropped_feature
    is_listing = change.subject.startswith("protocol.") and change.subject.endswith(f"[{name}]")
    if name == "rowTracking" and (is_listing or "rowtracking" in change.subject.lower()):
        return "row tracking can be enabled again, with new row ids"
    if not is_listing:
        return ""
    if transition.step.irreversible:
        return f"the history that needs {name} is deleted"
    return "the domains are deleted" if transition.step.destroys(transition.before) else ""


def _undo_protocol(change: Change, transition: Transition) -> Undo:
    place, _, name = change.subject.partition("[")
    if place in ("protocol.readerFeatures", "protocol.writerFeatures"):
        return _undo_listing(change, name.removesuffix("]"), transition)
    return _LOWERED_WITH_FEATURES


def _undo_metadata(change: Change, transition: Transition) -> Undo:
    whole = _STEPS.get(transition.step.kind)
    if whole is not None:
        return whole(transition)
    place, _, name = change.subject.partition("[")
    undo = _PLACES.get(place)
    if undo is None:
        return Undo("set it back (metadata only)")
    return undo(change, name.removesuffix("]"), transition)


def _undo_listing(change: Change, name: str, transition: Transition) -> Undo:
    before, after = transition.before, transition.after
    if not after.protocol.supports(name):
        step = kinds.SetProperties({f"{FEATURE_PREFIX}{name}": "supported"})
        return Undo(f"enable-feature {name} --support-only{_PRICES[step.cost(after)]}", (step,))
    if change.kind is ChangeKind.REMOVE or before.protocol.supports(name):
        return _NOTHING_LOST
    staying = [
        needing
        for needing in dependents(name, after.protocol.supported_features)
        if _stays(needing, after)
    ]
    if staying:
        return Undo(f"never: {', '.join(staying)} needs it, and cannot be dropped")
    feature = lookup(name)
    if feature is None or feature.removal is None or feature.removal.only_truncating:
        return Undo(undo_feature(feature))
    used = feature.activation.evidence(before.metadata)
    if used:
        return Undo(f"never: the table has needed it before: {used[0]}")
    return Undo(undo_feature(feature), (kinds.DropFeature(name),))


def _stays(name: str, snapshot: Snapshot) -> bool:
    """Whether *name* cannot be dropped, or something that needs it cannot."""
    return FEATURES[name].removal is None or any(
        _stays(needing, snapshot)
        for needing in dependents(name, snapshot.protocol.supported_features)
    )


def _undo_renaming(transition: Transition) -> Undo:
    """How to undo the renaming of a column."""
    # As a whole: constraints, partitioning and statistics that have the name in them follow.
    [(column, new)] = transition.step.renames
    old, _, _ = find_place(transition.before.metadata.schema, column)
    return _by(kinds.RenameColumn((*old[:-1], new[-1]), old[-1]), transition.after)


# Properties


def _undo_property(change: Change, name: str, transition: Transition) -> Undo:
    if name in _NEEDED_BY_V3 and _has_v3(transition.after):
        return _NEEDED_FOR_GOOD
    if name == COLUMN_MAPPING_MODE:
        return _UNDO_MAPPING if change.before in (None, "none") else _UNDO_UNMAPPING
    if name in KEPT_BY_DELTA:
        return _KEPT if change.after else _REWRITTEN_WHEN_NEEDED
    if name == compat_key(_LASTING) and change.before is None:
        return Undo(_NEVER)
    if name.lower().startswith(CONSTRAINT_PREFIX):
        return _undo_constraint(name[len(CONSTRAINT_PREFIX) :], change.before, transition.after)
    undo = _set_back(name, change.before, transition.after)
    return Undo(f"{undo.words}{_not_restored(change, name)}", undo.steps)


def _not_restored(change: Change, name: str) -> str:
    """What setting the property back does not bring back, as a clause; empty for nothing."""
    default = PROPERTIES[name.lower()].default if name.lower() in PROPERTIES else None
    before, after = change.before or default or "", change.after or default or ""
    if name == CHANGE_DATA_FEED and before.lower() == "true":
        return "; changes made meanwhile are never recorded"
    deletes = name == _CLEANUP and before.lower() == "false"
    if deletes or (name in _RETENTIONS and kept_for(after) < kept_for(before)):
        return "; what is deleted meanwhile does not come back"
    return ""


_CLEANUP: Final = "delta.enableExpiredLogCleanup"
_RETENTIONS: Final = (*RETENTION_KEYS, "delta.setTransactionRetentionDuration")


def _has_v3(snapshot: Snapshot) -> bool:
    return _LASTING in enabled_versions(snapshot.metadata)


_LASTING: Final = 3
"""The version of Iceberg compatibility that can never be turned off."""
_NEEDED_BY_V3: Final = frozenset({COLUMN_MAPPING_MODE, ROW_TRACKING})
_NEEDED_FOR_GOOD: Final = Undo("never: icebergCompatV3 needs it, and cannot be turned off")


def _set_back(key: str, before: str | None, after: Snapshot) -> Undo:
    if before is None:
        return _by(kinds.UnsetProperties((key,), if_exists=True), after)
    return _by(kinds.SetProperties({key: before}), after)


def _undo_constraint(name: str, before: str | None, after: Snapshot) -> Undo:
    if before is None:
        return _by(kinds.DropConstraint(name), after)
    step = kinds.AddConstraint(name, before)
    return Undo(f"{alter_command(step)}, which reads every row", (step,))


_UNDO_MAPPING: Final = Undo(
    "set-mapping-mode none, which rewrites every file",
    (kinds.SetProperties({COLUMN_MAPPING_MODE: "none"}),),
)
_UNDO_UNMAPPING: Final = Undo(
    "set-mapping-mode name (metadata only), which gives new ids",
    (kinds.SetProperties({COLUMN_MAPPING_MODE: "name"}),),
)


def _undo_clustering(_: Change, __: str, transition: Transition) -> Undo:
    """How to undo a change of the clustering columns."""
    # Delta may refuse the earlier ones, as they are now.
    step = kinds.ClusterBy(clustering_columns(transition.before) or ())
    try:
        evolve(transition.after, step)
    except DeltaadmError as error:
        return Undo(f"never: {_lower(error.message)}")
    return _by(step, transition.after)


def _lower(sentence: str) -> str:
    """A sentence as a clause."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


# Columns


def _undo_columns(change: Change, name: str, transition: Transition) -> Undo:
    undo = _COLUMN_STEPS.get(transition.step.kind)
    return undo(change, name, transition) if undo else _undo_rewriting(change, transition)


def _undo_rewriting(change: Change, transition: Transition) -> Undo:
    """How to undo what a change of column mapping, or dropping type widening, does to columns."""
    before, after = (
        mapping_mode(transition.before.metadata),
        mapping_mode(transition.after.metadata),
    )
    if (before == "none") == (after == "none"):
        return _NOTHING_LOST if _forgets_types(change) else _KEPT
    if before != "none":
        return _UNDO_UNMAPPING
    return _NEEDED_FOR_GOOD if _has_v3(transition.after) else _UNDO_MAPPING


def _forgets_types(change: Change) -> bool:
    return (
        isinstance(change.before, dict)
        and TYPE_CHANGES in change.before
        and not COLUMN_MAPPING_KEYS & change.before.keys()
    )


def _undo_adding(_: Change, name: str, transition: Transition) -> Undo:
    """The outermost of the new columns around *name* goes, with all that is in it."""
    own = parse_column(name)
    known = find_place(transition.before.metadata.schema, own)[0]
    step = kinds.DropColumns((own[: len(known) + 1],))
    if mapping_mode(transition.after.metadata) == "none":
        return Undo(f"{alter_command(step)}, which needs column mapping")
    return _by(step, transition.after)


def _undo_change(change: Change, name: str, transition: Transition) -> Undo:
    """How to undo a change of a column's position, type, nullability, comment or default."""
    if not name:
        return _undo_moves(transition)
    column = parse_column(name)
    before, after = change.before or {}, change.after or {}
    if "type" in before or TYPE_CHANGES in after:
        return Undo("never: a type cannot be narrowed again")
    if "nullable" in before:
        return Undo("never: Delta adds no NOT NULL to a column that may hold nulls")
    if COMMENT in {**before, **after}:
        return _undo_comment(column, before.get(COMMENT), transition.after)
    default = before.get(CURRENT_DEFAULT, "")
    step = kinds.ChangeColumns((kinds.ColumnChange(column, default=default),))
    return _by(step, transition.after)


def _undo_comment(column: Path, before: str | None, after: Snapshot) -> Undo:
    undo = _by(kinds.ChangeColumns((kinds.ColumnChange(column, comment=before or ""),)), after)
    if before is not None:
        return undo
    return Undo(f"{undo.words}, which leaves an empty one", undo.steps)


def _undo_moves(transition: Transition) -> Undo:
    schema = transition.before.metadata.schema
    changed = (change.column for change in transition.step.column_changes if change.position)
    moved = [find_place(schema, column)[0] for column in changed]
    back = (kinds.ColumnChange(path, position=_position(schema, path)) for path in moved)
    return _by(kinds.ChangeColumns(tuple(back)), transition.after)


def _position(schema: StructType, column: Path) -> Position:
    """The position of *column* in *schema*."""
    around = find_place(schema, column[:-1])[2]
    assert isinstance(around, StructType)  # noqa: S101 -- a column is in a struct
    names = [column.name for column in around.fields]
    index = names.index(column[-1])
    return Position(names[index - 1] if index else None)


_STEPS: Final[Mapping[str, Callable[[Transition], Undo]]] = {
    "rename_column": _undo_renaming,
    "drop_columns": lambda _: _ONLY_OLDER_VERSIONS,
}
"""Kinds of steps all of whose changes are taken back alike."""
_COLUMN_STEPS: Final[Mapping[str, Callable[[Change, str, Transition], Undo]]] = {
    "add_columns": _undo_adding,
    "change_columns": _undo_change,
}
"""Kinds of steps whose changes of columns are their own."""
_PLACES: Final[Mapping[str, Callable[[Change, str, Transition], Undo]]] = {
    "clusteringColumns": _undo_clustering,
    "configuration": _undo_property,
    "description": lambda change, _, transition: _set_back(
        TABLE_COMMENT, change.before, transition.after
    ),
    "schema": _undo_columns,
}
