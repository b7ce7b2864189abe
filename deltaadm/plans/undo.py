"""Why a plan changes something, how each change is undone, and by which command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import (
    FEATURES,
    Cost,
    TableFeature,
    dependents,
    mapping_mode,
    undo_feature,
)
from deltaadm.domain.properties import PROPERTIES, Key, kept_for
from deltaadm.domain.schema import FieldKey, PrimitiveType, StructType
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.checks import RETENTION_KEYS, check_retention
from deltaadm.domain.transaction.column_mapping import COLUMN_MAPPING_KEYS
from deltaadm.domain.transaction.columns import can_be_altered, clustering_columns, parse_column
from deltaadm.domain.transaction.update import COMPAT_KEYS, enabled_versions
from deltaadm.domain.usage import usages
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.masking import argument, masked, quoted, quoted_argument
from deltaadm.plans.diff import RENAMED, Change, ChangeKind, diff, is_renaming, relocation

# Command lines


def alter_command(step: Step) -> str:
    """
    `alter` with the options for *step*, without a table, as a POSIX shell takes them.

    >>> from deltaadm.domain.steps import RenameColumn
    >>> alter_command(RenameColumn(("s", "a b"), "c"))
    "alter --rename-column 's.`a b`=c'"
    """
    return " ".join(map(quoted, ("alter", *step.options())))


def fix_command(table: str, steps: Sequence[Step]) -> str:
    """
    The command line that plans and commits *steps* on *table*; empty if there are none.

    It can be pasted into a POSIX shell, whatever stands in names and values.
    """
    if not steps:
        return ""
    place = argument(table)
    if all(step.touches.added_features for step in steps):
        features = dict.fromkeys(name for step in steps for name in step.touches.added_features)
        words = ["enable-feature", place, *features, "--support-only"]
    else:
        words = ["alter", place, *(option for step in steps for option in step.options())]
    return " ".join(map(quoted, ("deltaadm", *words, "--apply")))


def advice_for(table: str, advice: str) -> str:
    """
    *advice* with the name of the *table* in its commands.

    >>> advice_for("my table", "Run: deltaadm alter TABLE --unset a.")
    "Run: deltaadm alter 'my table' --unset a."
    """

    def named(found: re.Match[str]) -> str:
        return f"{found[1]} {quoted_argument(masked(table))}"

    return re.sub(r"(?<=deltaadm )([a-z-]+) TABLE\b", named, advice) if table else advice


# Reasons


REQUESTED: Final = "requested"
"""The reason for what somebody has asked for."""
KEPT_BY_DELTA = {
    Key.MAX_COLUMN_ID: "highest column id assigned so far",
    Key.ROW_ID_COLUMN: "name of the column in which rewritten files store their row ids",
    Key.ROW_COMMIT_VERSION_COLUMN: (
        "name of the column in which rewritten files store row commit versions"
    ),
    Key.ICT_ENABLEMENT_VERSION: "version that enabled in-commit timestamps",
    Key.ICT_ENABLEMENT_TIMESTAMP: "time at which in-commit timestamps were enabled",
    Key.PROTECTED_BEFORE: "version before which checkpoints are protected",
}
"""The properties that Delta writes by itself, each with what for."""


def places(key: str) -> Iterator[str]:
    """The places in a plan that setting the property *key* itself changes."""
    yield f"configuration[{key}]"
    if key.startswith(Key.FEATURE_PREFIX):
        name = key.removeprefix(Key.FEATURE_PREFIX)
        yield from (f"protocol.{side}Features[{name}]" for side in ("reader", "writer"))


def reason(
    change: Change, changes: Collection[tuple[ChangeKind, str]], before: Snapshot, after: Snapshot
) -> str:
    """Return the cause of *change*, one of *changes* by kind and subject, as a clause."""
    place, name = change.place, change.name
    if before.root != after.root:
        return REQUESTED if place == "location" else "as in the table at the new location"
    if place in _FEATURE_LISTS:
        return _feature_reason(change, name, before, after)
    if place.startswith("protocol."):
        if change.before is None or change.after < change.before:
            return "the lowest version that supports the features"
        side = 0 if place.endswith("minReaderVersion") else 1
        new = after.protocol.supported_features - before.protocol.supported_features
        needing = sorted(name for name in new if FEATURES[name].versions[side] > change.before)
        return f"needed by {', '.join(needing)}" if needing else "required for feature lists"
    is_new = before.metadata.id != after.metadata.id
    if place == "configuration" and name in KEPT_BY_DELTA:
        removed = change.kind is ChangeKind.REMOVE and not is_new
        return _REMOVED if removed else KEPT_BY_DELTA[name]
    if place == "clusteringColumns":
        # Besides a request, only a column that is renamed changes them.
        renamed = any(kind is ChangeKind.SET and at.startswith("schema[") for kind, at in changes)
        return "follows the columns' names" if renamed and not is_new else REQUESTED
    if is_new:
        return _OF_A_NEW_TABLE
    return _column_reason(change, changes) if place == "schema" else REQUESTED


_FEATURE_LISTS = ("protocol.readerFeatures", "protocol.writerFeatures")
_REMOVED = "removed together with the features that needed it"
_OF_A_NEW_TABLE = "defined by the new table, or its default"


def _column_reason(change: Change, changes: Collection[tuple[ChangeKind, str]]) -> str:
    before, after = change.before, change.after
    if change.kind is not ChangeKind.SET:
        parts = change.subject.split(".")
        outer = (".".join(parts[:length]) + "]" for length in range(1, len(parts)))
        done = "added" if change.kind is ChangeKind.ADD else "removed"
        if any((change.kind, subject) in changes for subject in outer):
            return f"{done} with the enclosing column"
    elif (
        isinstance(before, dict)
        and FieldKey.TYPE_CHANGES in before
        and FieldKey.TYPE_CHANGES not in after
    ):
        return "no file has the older type any longer"
    elif not is_renaming(change) and any(
        isinstance(v, dict) and COLUMN_MAPPING_KEYS & v.keys() for v in (before, after)
    ):
        return (
            "column mapping gives every column an id and a physical name"
            if after
            else "column mapping no longer needs it"
        )
    return REQUESTED


def _feature_reason(change: Change, name: str, before: Snapshot, after: Snapshot) -> str:
    if change.kind is ChangeKind.REMOVE:
        implied = after.protocol.supports(name)
        return "implied by the new versions" if implied else "no longer supported"
    if name in before.protocol.implicit_features:
        return "implied so far, now listed"
    if before.protocol.supports(name):
        return "supported already; now listed for readers as well"
    feature = FEATURES.get(name)
    evidence = feature.activation.evidence(after.metadata) if feature else ()
    if not evidence:
        needing = dependents(name, after.protocol.supported_features)
        if asking := [other for other in needing if not before.protocol.supports(other)]:
            return f"required by {', '.join(asking)}"
        usage = usages(after).get(name)
        evidence = usage.evidence if usage else ()
    if evidence:
        return f"needed: {evidence[0]}"
    return REQUESTED if before.exists else _OF_A_NEW_TABLE


# Undoing


@dataclass(frozen=True)
class Undo:
    """How one change of a step is undone, in words, and the steps that undo it."""

    words: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Stage:
    """A step, and the states before and after it."""

    before: Snapshot
    step: Step
    after: Snapshot

    @property
    def cost(self) -> Cost:
        """The effect on the data files."""
        return self.step.cost(self.before)

    @property
    def waits(self) -> bool:
        """Whether this is the first of two phases: Delta does its part and then refuses."""
        return self.step.waits(self.before)

    @property
    def several_commits(self) -> bool:
        """Whether Delta makes several commits for it: a backfill or a rewrite, then the rest."""
        return self.step.takes_several_commits(self.before)

    @property
    def obstacle(self) -> str:
        """Why the step's statement fails, so that it is carried out without it."""
        return self.step.obstacle(self.before)

    def undos(self) -> Iterator[tuple[Change, Undo]]:
        """Each change that the step makes, with how to undo it right after the step."""
        for change in (*relocation(self.before, self.after), *diff(self.before, self.after)):
            yield change, undo_change(change, self)


def undo_words(stages: Iterable[Stage]) -> dict[str, str]:
    """How to undo the changes of each subject, in words, beginning with the last step."""
    by_subject: dict[str, dict[str, None]] = {}
    final_paths: dict[str, str] = {}
    # From the last step back, which is the order in which they can be undone.
    for stage in reversed(list(stages)):
        changes = list(stage.undos())
        for change, undo in changes:
            subject, around = change.subject, ""
            if subject.startswith("schema["):
                # The renamed column around it moves it to its final path.
                path, outer = _final_path(change.name, final_paths)
                subject, around = f"schema[{path}]", f"schema[{outer}]"
            words = by_subject.setdefault(subject, {})
            words.update(by_subject.get(around, {}))
            words[undo.words] = None
        renamed = {
            change.before[RENAMED]: change.after[RENAMED]
            for change, _ in changes
            if is_renaming(change)
        }
        finals = {old: _final_path(new, final_paths)[0] for old, new in renamed.items()}
        kept = final_paths.items()
        final_paths = {path: final for path, final in kept if path not in renamed.values()} | finals
    undos = {}
    for subject, words in by_subject.items():
        # Commands in their order, and after them what nothing brings back.
        telling = [phrase for phrase in words if phrase not in WITHOUT_COMMAND] or [*words][:1]
        commands = [phrase for phrase in telling if not phrase.startswith(_NEVER)]
        never = [phrase for phrase in telling if phrase.startswith(_NEVER)]
        undos[subject] = "; ".join(["; then ".join(commands)] * bool(commands) + never)
    return undos


def _final_path(path: str, final_paths: Mapping[str, str]) -> tuple[str, str]:
    # The innermost renamed column decides: its final path has later renamings around it already.
    for old in sorted(final_paths, key=len, reverse=True):
        if path == old:
            return final_paths[old], ""
        if path.startswith(f"{old}."):
            return f"{final_paths[old]}{path[len(old) :]}", final_paths[old]
    return path, ""


UNDONE_TOGETHER: Final = "undone together with the other changes"
"""The words for a place that differs in the end although no single step has changed it."""
_NEVER: Final = "never"
_NOTHING_LOST: Final = Undo("nothing to undo")
_LOWERED_WITH_FEATURES: Final = Undo("drop the features; Delta then lowers it")
_KEPT: Final = Undo("not possible; harmless")
_REWRITTEN_WHEN_NEEDED: Final = Undo("rewritten when it is needed again")
WITHOUT_COMMAND: Final = frozenset(
    undo.words for undo in (_NOTHING_LOST, _LOWERED_WITH_FEATURES, _KEPT, _REWRITTEN_WHEN_NEEDED)
)
"""The words for changes that need no undoing."""

LEAVES_EMPTY: Final = ", which leaves an empty one"
"""The end of the words for a comment where there was none, which Delta cannot remove."""


def _by(step: Step, after: Snapshot) -> Undo:
    return Undo(f"{alter_command(step)}{_PRICES[step.cost(after)]}", (step,))


_PRICES: Final = {
    Cost.METADATA: " (metadata only)",
    Cost.BACKFILL: ", which rewrites the metadata of files without row ids",
    Cost.REWRITE: ", which rewrites data files",
}


def undo_change(change: Change, stage: Stage) -> Undo:
    """How *change*, one of those of *stage*, is undone right after it."""
    before, after, step = stage.before, stage.after, stage.step
    place = change.place
    undo = Undo("never: no command sets it")
    if not before.exists:
        undo = Undo("drop the table")
    elif before.root != after.root:
        undo = _by(kinds.SetLocation(before), after)
    elif lost := _lost_with_feature(change, stage):
        undo = Undo(f"never: {lost}")
    elif place in _FEATURE_LISTS:
        undo = _undo_listing(change, stage)
    elif place.startswith("protocol."):
        undo = _LOWERED_WITH_FEATURES
    # Another id means another table in its place, which no single change takes back.
    elif before.metadata.id != after.metadata.id:
        undo = Undo(f"RESTORE TABLE … TO VERSION AS OF {before.version}")
    elif step.kind == "drop_columns" or (place == "schema" and change.kind is ChangeKind.REMOVE):
        undo = Undo("never: only older versions still have it")
    elif is_renaming(change) or step.touches.renames:
        # As a whole: constraints, partitioning and statistics that have the name in them follow.
        [(column, new)] = step.touches.renames or [
            (parse_column(change.before[RENAMED]), parse_column(change.after[RENAMED]))
        ]
        old, _, _ = before.metadata.schema.find_place(column)
        undo = _by(kinds.RenameColumn((*old[:-1], new[-1]), old[-1]), after)
    elif place in _PLACES:
        undo = _PLACES[place](change, stage)
    return undo


def _lost_with_feature(change: Change, stage: Stage) -> str:
    """What enabling the feature that the step drops does not bring back, if *change* is of it."""
    name = stage.step.dropped_feature
    is_listing = change.subject.startswith("protocol.") and change.subject.endswith(f"[{name}]")
    if name == "rowTracking" and (is_listing or "rowtracking" in change.subject.lower()):
        return "row tracking can be enabled again, with new row ids"
    if not is_listing:
        return ""
    if stage.step.irreversible:
        return f"the history that needs {name} is deleted"
    return "the domains are deleted" if stage.step.destroys(stage.before) else ""


def _undo_listing(change: Change, stage: Stage) -> Undo:
    before, after, name = stage.before, stage.after, change.name
    if not after.protocol.supports(name):
        step = kinds.SetProperties({f"{Key.FEATURE_PREFIX}{name}": "supported"})
        return Undo(f"enable-feature {name} --support-only{_PRICES[step.cost(after)]}", (step,))
    if change.kind is ChangeKind.REMOVE or before.protocol.supports(name):
        return _NOTHING_LOST
    needing = dependents(name, after.protocol.supported_features)
    staying = [other for other in needing if _stays(other, after)]
    if staying:
        return Undo(f"never: {', '.join(staying)} needs it, and cannot be dropped")
    feature = TableFeature.lookup(name)
    if feature is None or feature.removal is None or feature.removal.only_truncating:
        return Undo(undo_feature(feature))
    used = feature.activation.evidence(before.metadata)
    if used:
        return Undo(f"never: the table has needed it before: {used[0]}")
    return Undo(undo_feature(feature), (kinds.DropFeature(name),))


def _stays(name: str, snapshot: Snapshot) -> bool:
    return FEATURES[name].removal is None or any(
        _stays(needing, snapshot)
        for needing in dependents(name, snapshot.protocol.supported_features)
    )


# Properties


def _undo_property(change: Change, stage: Stage) -> Undo:
    before, after, name = change.before, stage.after, change.name
    if name in _NEEDED_BY_V3 and _has_v3(after):
        return _NEEDED_FOR_GOOD
    if name == Key.COLUMN_MAPPING_MODE:
        return _UNDO_MAPPING if before in (None, "none") else _UNDO_UNMAPPING
    if name in KEPT_BY_DELTA:
        return _KEPT if change.after else _REWRITTEN_WHEN_NEEDED
    constraint = name[len(Key.CONSTRAINT_PREFIX) :]
    if not name.lower().startswith(Key.CONSTRAINT_PREFIX):
        never = name == COMPAT_KEYS[_LASTING] and before is None
        undo = Undo(_NEVER) if never else _set_back(name, before, stage)
        default = PROPERTIES[name.lower()].default if name.lower() in PROPERTIES else None
        was, is_now, lost = before or default or "", change.after or default or "", ""
        deletes = name == _CLEANUP and was.lower() == "false"
        if name == Key.CHANGE_DATA_FEED and was.lower() == "true":
            lost = "; changes made meanwhile are never recorded"
        elif deletes or (name in _RETENTIONS and kept_for(is_now) < kept_for(was)):
            lost = "; what is deleted meanwhile does not come back"
        undo = replace(undo, words=f"{undo.words}{lost}")
    elif before is None:
        undo = _by(kinds.DropConstraint(constraint), after)
    else:
        step = kinds.AddConstraint(constraint, before)
        undo = Undo(f"{alter_command(step)}, which reads every row", (step,))
    return undo


_CLEANUP: Final = "delta.enableExpiredLogCleanup"
_RETENTIONS: Final = (*RETENTION_KEYS, "delta.setTransactionRetentionDuration")


def _has_v3(snapshot: Snapshot) -> bool:
    return _LASTING in enabled_versions(snapshot.metadata)


_LASTING: Final = 3
"""The version of Iceberg compatibility that can never be turned off."""
_NEEDED_BY_V3: Final = frozenset({Key.COLUMN_MAPPING_MODE, Key.ROW_TRACKING})
_NEEDED_FOR_GOOD: Final = Undo("never: icebergCompatV3 needs it, and cannot be turned off")


def _set_back(key: str, before: str | None, stage: Stage) -> Undo:
    after = stage.after
    if before is None:
        return _by(kinds.UnsetProperties((key,), if_exists=True), after)
    step = kinds.SetProperties({key: before})
    together = with_other_retention(step, stage.before.metadata.configuration)
    return replace(_by(together, after), steps=(step,))


def with_other_retention(step: Step, configuration: Mapping[str, str]) -> Step:
    """
    *step*, with the other retention of *configuration* where Delta refuses to set one alone.

    Of the log's and deleted files' retention, Delta compares those that a command names, and its
    default for one that it does not.
    """
    if isinstance(step, kinds.SetProperties):
        try:
            check_retention(step.properties)
        except RefusedError:
            stored = {key: configuration[key] for key in RETENTION_KEYS if key in configuration}
            return kinds.SetProperties({**stored, **step.properties})
    return step


_UNDO_MAPPING: Final = Undo(
    "set-mapping-mode none, which rewrites every file",
    (kinds.SetProperties({Key.COLUMN_MAPPING_MODE: "none"}),),
)
_UNDO_UNMAPPING: Final = Undo(
    "set-mapping-mode name (metadata only), which gives new ids",
    (kinds.SetProperties({Key.COLUMN_MAPPING_MODE: "name"}),),
)


def _undo_clustering(_: Change, stage: Stage) -> Undo:
    # Delta may refuse the earlier columns, as they are now.
    step = kinds.ClusterBy(clustering_columns(stage.before) or ())
    try:
        evolve(stage.after, step)
    except DeltaadmError as error:
        return Undo(f"never: {error.message[:1].lower()}{error.message[1:].removesuffix('.')}")
    return _by(step, stage.after)


# Columns


def _undo_columns(change: Change, stage: Stage) -> Undo:
    before, after = stage.before.metadata, stage.after.metadata
    was, is_now = mapping_mode(before), mapping_mode(after)
    if change.kind is ChangeKind.ADD:
        # The outermost of the new columns around *name* goes, with all that is in it.
        own = parse_column(change.name)
        step = kinds.DropColumns((own[: len(before.schema.find_place(own)[0]) + 1],))
        if {was, is_now} == {"none"}:  # else what sets the mode comes first
            return Undo(f"{alter_command(step)}, which needs column mapping")
        return _by(step, stage.after)
    if not COLUMN_MAPPING_KEYS & {*change.before, *change.after}:
        # Dropping type widening forgets the types that a column had.
        forgets = change.name and change.before.keys() == {FieldKey.TYPE_CHANGES}
        return _NOTHING_LOST if forgets and not change.after else _undo_change(change, stage)
    if (was == "none") == (is_now == "none"):
        return _KEPT
    if was != "none":
        return _UNDO_UNMAPPING
    return _NEEDED_FOR_GOOD if _has_v3(stage.after) else _UNDO_MAPPING


def _undo_change(change: Change, stage: Stage) -> Undo:
    if not change.name:
        schema, moves = stage.before.metadata.schema, list[kinds.ColumnChange]()
        for each in stage.step.touches.column_changes:
            if each.position:
                path = schema.find_place(each.column)[0]
                around = schema.find_place(path[:-1])[2]
                assert isinstance(around, StructType)  # noqa: S101 -- a column is in a struct
                names = [field.name for field in around.fields]
                index = names.index(path[-1])
                position = ddl.Position(names[index - 1] if index else None)
                moves.append(kinds.ColumnChange(path, position=position))
        return _by(kinds.ChangeColumns(tuple(moves)), stage.after)
    column = parse_column(change.name)
    before, after = change.before or {}, change.after or {}
    keys, end = {*before, *after}, ""
    back: kinds.ColumnChange | None = None
    never = "no command sets it"
    if "type" in before and can_be_altered(after["type"], before["type"]):
        # What another table has may well be wider.
        back = kinds.ColumnChange(column, type=PrimitiveType(before["type"]))
    elif keys == {FieldKey.TYPE_CHANGES}:
        never = "the column has been widened"
    elif "type" in before or FieldKey.TYPE_CHANGES in after or FieldKey.RAW_TYPE in keys:
        never = "a type cannot be narrowed again"
    elif before.get("nullable"):
        back = kinds.ColumnChange(column, nullable=True)
    elif "nullable" in before:
        never = "Delta adds no NOT NULL to a column that may hold nulls"
    elif FieldKey.COMMENT in keys:
        back = kinds.ColumnChange(column, comment=before.get(FieldKey.COMMENT) or "")
        end = LEAVES_EMPTY if before.get(FieldKey.COMMENT) is None else ""
    elif FieldKey.CURRENT_DEFAULT in keys:
        back = kinds.ColumnChange(column, default=before.get(FieldKey.CURRENT_DEFAULT, ""))
    if back is None:
        return Undo(f"never: {never}")
    undo = _by(kinds.ChangeColumns((back,)), stage.after)
    return replace(undo, words=f"{undo.words}{end}")


_PLACES: Final[Mapping[str, Callable[[Change, Stage], Undo]]] = {
    "clusteringColumns": _undo_clustering,
    "configuration": _undo_property,
    "description": lambda change, at: _set_back(Key.TABLE_COMMENT, change.before, at),
    "schema": _undo_columns,
}
