"""Planners of features and versions: enabling, upgrading, column mapping, dropping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import FEATURES, Cost, TableFeature, dependents
from deltaadm.domain.properties import PROPERTIES, Key
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.removal import (
    CHECKPOINT_PROTECTION,
    FeatureHistory,
    truncation_retention,
)
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.domain.usage import usages
from deltaadm.domain.wire import second
from deltaadm.errors import NotYetError, RefusedError
from deltaadm.plans.plan import Plan, propose
from deltaadm.plans.undo import REQUESTED, places

DROP_FEATURE = "drop-feature"


class Phase(Enum):
    """The progress towards dropping a feature."""

    ABSENT = "absent"
    BLOCKED = "blocked"
    READY = "ready"
    FIRST_OF_TWO = "first of two runs"
    WAITING = "waiting"


@dataclass(frozen=True, kw_only=True)
class DropStatus:
    """
    Whether and how a feature can be dropped.

    `phase` is that of truncating history, for a feature that older versions may need;
    `keeps_history` says whether `checkpointProtection` is another way. `ready_at` is in
    milliseconds since the epoch. `work` is what is done first, `refusal` why the feature cannot be
    dropped.
    """

    name: str
    phase: Phase
    truncates_history: bool = False
    keeps_history: bool = False
    ready_at: int | None = None
    work: tuple[str, ...] = ()
    refusal: RefusedError | None = None


@dataclass(frozen=True)
class DropReport:
    """The progress towards dropping features of the table, at *version*."""

    table: str
    version: int
    features: tuple[DropStatus, ...]

    document = "drop_feature"
    blocks = "deltaadm.reports.plans.show_drops"


def droppable_features(snapshot: Snapshot) -> tuple[str, ...]:
    """The supported features that Delta Spark can drop, unless something prevents it."""
    return tuple(
        name
        for name in sorted(snapshot.protocol.supported_features, key=str.lower)
        if name in FEATURES and FEATURES[name].removal is not None
    )


def official_name(name: str) -> str:
    """
    *name* as the registry spells it.

    Raises `UnknownNameError` for a name that nobody knows, unless it is that of a property, for
    which planning has a better answer.
    """
    if TableFeature.lookup(name) is None and name.lower() in PROPERTIES:
        return name
    return TableFeature.find(name, "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE").name


def drop_status(
    snapshot: Snapshot,
    name: str,
    history: FeatureHistory,
    *,
    now: int,
    session: SessionSettings | None = None,
) -> DropStatus:
    """The progress towards dropping the feature *name* at *now*, in milliseconds."""
    if not snapshot.protocol.supports(name) and name in FEATURES:
        return DropStatus(name=name, phase=Phase.ABSENT)
    step = kinds.DropFeature(name, truncates(name))
    try:
        evolve(snapshot, step, session)
    except RefusedError as refusal:
        return DropStatus(name=name, phase=Phase.BLOCKED, refusal=refusal)
    phase, ready_at = truncation_phase(snapshot, step, lambda _: history, now)
    return DropStatus(
        name=name,
        phase=phase,
        truncates_history=step.truncate_history,
        keeps_history=not guards_history(name),
        ready_at=ready_at,
        work=step.traces(snapshot),
    )


def plan_drop(
    snapshot: Snapshot,
    name: str,
    history: FeatureHistory,
    *,
    truncate_history: bool = False,
    now: int,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that drops the feature *name*, or with *truncate_history* the next phase of that.

    A feature that is gone already needs no plan. Raises `NotYetError` while the history that needs
    the feature has not expired at *now* (in milliseconds), and `RefusedError` where Delta would.
    """
    step = kinds.DropFeature(name, truncate_history)
    removal = FEATURES[name].removal if name in FEATURES else None
    is_gone = not snapshot.protocol.supports(name) and name in FEATURES
    plan = propose(
        DROP_FEATURE,
        snapshot,
        [] if is_gone else [step],
        because=step.reasons(),
        session=session,
        # An earlier run may have ended before it clustered the table again, which is its last step.
        resumes=removal is not None and removal.suspends_clustering,
    )
    if is_gone:
        gone = f"The table does not support {name}, so there is nothing to drop."
        return replace(plan, notes=(gone, *plan.notes))
    phase, ready_at = truncation_phase(snapshot, step, lambda _: history, now)
    if phase is Phase.WAITING and ready_at is not None:
        raise not_yet(
            f"{name} cannot be dropped yet: version {history.needing} needs it and has not "
            f"expired; ready at {second(ready_at)}."
        )
    return replace(plan, notes=(*plan.notes, *_dropping_notes(snapshot, step, history)))


def next_phase(status: DropStatus) -> str:
    """The message after the first of two phases."""
    when = "at once" if status.ready_at is None else f"from {second(status.ready_at)} on"
    return f"{status.name} is not dropped yet: run the same command again {when}."


def truncates(name: str) -> bool:
    """Whether truncating history is a way to drop the feature *name*."""
    feature = TableFeature.lookup(name)
    removal = feature.removal if feature else None
    return removal is not None and (removal.keeps_history_out or removal.only_truncating)


def guards_history(name: str) -> bool:
    """Whether the feature *name* only protects older versions, and is dropped with them."""
    feature = TableFeature.lookup(name)
    return feature is not None and feature.removal is not None and feature.removal.only_truncating


def after_all_runs(
    snapshot: Snapshot, step: Step, session: SessionSettings | None = None
) -> Snapshot:
    """The state after *step*, also where that takes a second run after some time."""
    after = evolve(snapshot, step, session)
    if not step.waits(snapshot):
        return after
    # The first run has rewritten files and written a checkpoint, which no prediction shows.
    second_run = evolve(replace(after, files=None, segment=None), step, session)
    return replace(second_run, files=snapshot.files, segment=snapshot.segment)


def truncation_phase(
    snapshot: Snapshot, step: Step, history_of: Callable[[str], FeatureHistory], now: int
) -> tuple[Phase, int | None]:
    """The phase of *step* at *now*, and when it can continue, in ms, where it truncates history."""
    if not step.irreversible:
        return Phase.READY, None
    if step.waits(snapshot):
        return Phase.FIRST_OF_TWO, None
    history = history_of(step.dropped_feature)
    ready_at = history.ready_at(truncation_retention(snapshot.metadata))
    if ready_at > now:
        return Phase.WAITING, ready_at
    return Phase.READY, ready_at or None


def not_yet(message: str) -> NotYetError:
    """The error of a plan that has to wait for history to expire."""
    return NotYetError(
        message,
        remedy="Run the same command again then.",
        delta_error_class="DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
    )


Waiting = Sequence[tuple[Step, int | None]]
"""Steps that wait for history to expire: until when, in ms, or None where others come first."""


def nothing_yet(later: Waiting) -> NotYetError:
    """The error of a plan of which all steps come *later*."""
    listed = ", ".join(step.dropped_feature or step.kind for step, _ in later)
    when = second(min((ready_at for _, ready_at in later if ready_at is not None), default=0))
    return not_yet(f"Nothing can be done yet: older versions need {listed}; ready at {when}.")


def later_notes(steps: Iterable[Step], later: Waiting) -> Iterator[str]:
    """What is said of *steps* besides: history that is lost, and those that come *later*."""
    if any(step.irreversible for step in steps):
        yield "History is lost: older versions that need dropped features can no longer be read."
    for step, ready_at in later:
        when = "" if ready_at is None else f"; ready at {second(ready_at)}"
        name = step.dropped_feature or step.kind
        yield f"{name} stays for now: older versions need it{when}."


def _dropping_notes(
    snapshot: Snapshot, step: kinds.DropFeature, history: FeatureHistory
) -> Iterator[str]:
    work = step.traces(snapshot)
    if work:
        yield f"Before it is dropped: {'; '.join(work)}."
    milliseconds = truncation_retention(snapshot.metadata)
    hours, rest = divmod(milliseconds, 3_600_000)
    retention = f"{hours} hours" if not rest else f"{milliseconds // 60_000} minutes"
    if step.waits(snapshot):
        yield (
            f"This is the first of two runs. {retention} after it, the same command removes the "
            f"history that needs {step.name}, and then the feature."
        )
        yield f"Until then the protocol keeps {step.name}, and readers still need it."
    elif step.truncate_history:
        yield (
            f"History is lost: versions from {history.first} on that are older than {retention} "
            "can no longer be read."
        )
    elif step.protects_checkpoints:
        yield (
            f"History is kept, which adds {CHECKPOINT_PROTECTION}. With --truncate-history: no "
            f"{CHECKPOINT_PROTECTION}, but a wait of {retention}, and older history is deleted."
        )


ENABLE_FEATURE = "enable-feature"


def addable(names: Iterable[str]) -> list[TableFeature]:
    """The features *names*; raises `RefusedError` for what no existing table can be given."""
    features = [*map(TableFeature.find, names)]
    for feature in features:
        if not feature.in_delta_spark:
            raise RefusedError(
                f"Delta Spark 4.4.0 does not know the table feature {feature.name}; "
                f"{feature.source} does.",
                remedy="Add it with the client that knows it.",
                delta_error_class="DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
            )
        if feature.not_addable:
            raise RefusedError(
                f"The table feature {feature.name} cannot be added to an existing table by a "
                "property.",
                remedy=feature.not_addable,
                delta_error_class=feature.refusal,
            )
    return features


def plan_features(
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    support_only: bool = False,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that makes the features *names*, and what they need, active where a property can.

    Others become supported. All go into one step, since some need each other. Raises `RefusedError`
    for names that do not exist and, with the statement that can, for what no existing table can be
    given.
    """
    features = addable(names)
    causes: dict[str, str] = {}
    for feature in () if support_only else features:
        for name in feature.requires_active:
            needed = TableFeature.find(name)
            if needed not in features and not needed.activation.evidence(snapshot.metadata):
                known = causes.get(name)
                causes[name] = f"{known}, {feature.name}" if known else f"needed by {feature.name}"
    causes |= {feature.name: f"makes {feature.name} active" for feature in features}
    properties: dict[str, str] = {}
    asked = (place for of in features for place in places(f"{Key.FEATURE_PREFIX}{of.name}"))
    because = dict.fromkeys(asked, REQUESTED)
    for name, cause in causes.items():
        missing = _missing_properties(snapshot, TableFeature.find(name), support_only=support_only)
        properties |= missing
        because |= {f"configuration[{key}]": cause for key in missing}
    steps = [kinds.SetProperties(properties)] if properties else []
    plan = propose(ENABLE_FEATURE, snapshot, steps, because=because, session=session)
    notes = _enabling_notes(plan, features, support_only=support_only)
    return replace(plan, notes=tuple(dict.fromkeys((*plan.notes, *notes))))


def _missing_properties(
    snapshot: Snapshot, feature: TableFeature, *, support_only: bool
) -> dict[str, str]:
    # A preview's twin does as well: both in the protocol would only shut out more clients.
    supported = snapshot.protocol.supports(feature.name) or (
        not support_only and feature.twin is not None and snapshot.protocol.supports(feature.twin)
    )
    support = {} if supported else {f"{Key.FEATURE_PREFIX}{feature.name}": "supported"}
    activation = feature.activation
    if support_only or not activation.properties or activation.evidence(snapshot.metadata):
        return support
    # Delta adds the feature with the property; its name beside that would ask for feature lists.
    return {**activation.properties, **({} if activation.auto_enables else support)}


def _enabling_notes(
    plan: Plan, features: Iterable[TableFeature], *, support_only: bool
) -> Iterable[str]:
    before = plan.before
    for feature in features:
        name, activation = feature.name, feature.activation
        active = bool(activation.evidence(before.metadata)) or activation.find is None
        if not plan.after.protocol.supports(name):
            yield (
                f"{name} is not added because the table already has the other form of it, "
                f"{feature.twin}; --support-only adds it anyway."
            )
        elif before.protocol.supports(name) and (active or support_only):
            yield f"{name} is already supported{' and active' if active else ''}."
        elif support_only and activation.properties and not active:
            yield f"{name} will be supported but not active."
        elif not activation.properties and not active:
            yield (
                f"{name} becomes active with the first column, constraint or property that uses it."
            )
        if not plan.is_noop and feature.caution:
            yield feature.warning


SET_MAPPING_MODE = "set-mapping-mode"


def plan_mapping_mode(
    snapshot: Snapshot, mode: ColumnMappingMode, *, session: SessionSettings | None = None
) -> Plan:
    """
    The plan that takes the table to *mode*.

    From none to name is metadata only; back to none rewrites every data file. Raises `RefusedError`
    for every other change.
    """
    ends = mode is ColumnMappingMode.NONE
    steps = [kinds.SetProperties({Key.COLUMN_MAPPING_MODE: mode.value})]
    notes: list[str] = []
    if column_mapping_mode(snapshot.metadata) is mode:
        steps, notes = [], [f"The column mapping mode is already '{mode.value}'."]
    elif ends:
        notes = [
            "Every data file is rewritten under its columns' own names.",
            "The protocol keeps columnMapping; only DROP FEATURE removes it.",
        ]
    return propose(
        SET_MAPPING_MODE,
        snapshot,
        steps,
        because=dict.fromkeys(places(Key.COLUMN_MAPPING_MODE), REQUESTED),
        notes=notes,
        session=session,
        resumes=ends,
    )


UPGRADE_PROTOCOL = "upgrade-protocol"


def plan_upgrade(
    snapshot: Snapshot,
    *,
    reader: int | None = None,
    writer: int | None = None,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan for versions of at least *reader* and *writer*.

    Without either, the upgrade that the metadata needs: usually none. Delta adds it to any
    change of properties, so the current versions are asked for again. Raises `RefusedError` for
    versions that do not exist or do not go together.
    """
    current = snapshot.protocol
    asks = reader is not None or writer is not None
    asked = {
        Key.MIN_READER_VERSION: reader if asks else current.min_reader_version,
        Key.MIN_WRITER_VERSION: writer if asks else current.min_writer_version,
    }
    step = kinds.SetProperties(
        {key: str(version) for key, version in asked.items() if version is not None}
    )
    plan = propose(UPGRADE_PROTOCOL, snapshot, [step], session=session)
    after, note = plan.after.protocol, ""
    requested = Protocol(
        current.min_reader_version if reader is None else reader,
        current.min_writer_version if writer is None else writer,
    )
    if (
        after.min_reader_version < requested.min_reader_version
        or after.min_writer_version < requested.min_writer_version
    ):
        result = "changes nothing" if plan.is_noop else f"gives {_shown(after)}"
        note = (
            "Delta keeps the lowest versions that support the table's features, so requesting "
            f"{_shown(requested)} {result}."
        )
    elif plan.is_noop:
        note = (
            f"The protocol {_shown(current)} supports everything that is needed. Versions are "
            "never lowered this way; dropping features does that."
        )
    return replace(plan, notes=(*plan.notes, *filter(None, [note])))


def _shown(protocol: Protocol) -> str:
    return f"({protocol.min_reader_version}, {protocol.min_writer_version})"


def plan_minimum(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    *,
    now: int,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that drops every feature that nothing in the table needs, dependents first.

    Features in use stay, and so do those that Delta cannot drop. History is truncated rather than
    protected, which would take a feature. Raises `NotYetError` where only features are left whose
    history has not expired at *now* (in milliseconds), and `RefusedError` for a table that Delta
    cannot change.
    """
    require_changeable(snapshot)
    needed = Protocol.minimum(snapshot.metadata).supported_features
    uses = usages(snapshot)
    beyond = {name: uses[name] for name in snapshot.protocol.supported_features - needed}
    droppable = droppable_features(snapshot)
    optional = [name for name in sorted(beyond, key=str.lower) if name in droppable]
    stays = {
        name: "; ".join(beyond[name].evidence) or "whether the table uses it is not known"
        for name in optional
        if not beyond[name].is_unused and not guards_history(name)
    }
    left = {*optional} - stays.keys()
    steps, waiting, kept = _droppable_now(snapshot, left, history_of, now, session)
    stays |= kept
    # Those could be dropped too if nothing used them, which the metadata does not show.
    needs_state = snapshot.files is None and any(
        not beyond[name].evidence and not beyond[name].known for name in optional
    )
    if waiting and not steps and not needs_state:
        raise nothing_yet(waiting)
    because: dict[str, str] = {}
    for step in steps:
        older = guards_history(step.name)
        why = "only older versions need it" if older else "nothing in the table needs it"
        because |= {at: text.replace(REQUESTED, why) for at, text in step.reasons().items()}
    notes = [*later_notes(steps, waiting), *(f"{name} stays: {stays[name]}." for name in stays)]
    if not steps:
        notes.insert(0, f"The protocol {_shown(snapshot.protocol)} is already the lowest possible.")
    if stuck := sorted(name for name in beyond.keys() - droppable if beyond[name].is_unused):
        notes.append(f"Not needed, but Delta cannot drop it: {', '.join(stuck)}.")
    plan = propose(UPGRADE_PROTOCOL, snapshot, steps, because=because, notes=notes, session=session)
    return replace(plan, needs_state=needs_state)


def _droppable_now(
    state: Snapshot,
    left: set[str],
    history_of: Callable[[str], FeatureHistory],
    now: int,
    session: SessionSettings | None,
) -> tuple[list[kinds.DropFeature], Waiting, dict[str, str]]:
    """What drops those of *left* that can be; what drops others later; why the rest stays."""
    steps: list[kinds.DropFeature] = []
    waiting: list[tuple[Step, int | None]] = []
    stays: dict[str, str] = {}
    while left:
        # Dependents first: Delta drops no feature that another one requires.
        listed = left & state.protocol.supported_features
        name = min(left, key=lambda feature: (len(dependents(feature, listed)), feature.lower()))
        left = left - {name}
        step = kinds.DropFeature(name, truncates(name))
        try:
            after = evolve(state, step, session)
        except RefusedError as refusal:
            stays[name] = f"{refusal.message[:1].lower()}{refusal.message[1:]}".rstrip(".")
            continue
        old, new = state.protocol, after.protocol
        # Without one of the features that a legacy version implies, Delta lists the others by name.
        if (new.min_writer_version, new.min_reader_version) > (
            old.min_writer_version,
            old.min_reader_version,
        ):
            stays[name] = (
                "without it the protocol must list its features, which requires writer version 7"
            )
        elif step.cost(state) is not Cost.METADATA and state.files is not None:
            stays[name] = "the table's files still use it; drop-feature rewrites them"
        elif step.destroys(state):
            stays[name] = "it has domains"
        if name in stays:
            continue
        phase, ready_at = truncation_phase(state, step, history_of, now)
        if phase is Phase.WAITING:
            waiting.append((step, ready_at))
            continue
        steps.append(step)
        state = after
    return steps, waiting, stays
