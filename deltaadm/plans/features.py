"""Planners of features and versions: enabling, upgrading, column mapping, dropping."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.features import FEATURES, Cost, dependents, find, lookup
from deltaadm.domain.instants import second
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    FEATURE_PREFIX,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    PROPERTIES,
    did_you_mean,
)
from deltaadm.domain.protocol import Protocol, minimum_protocol
from deltaadm.domain.steps import DropFeature, SetProperties
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.removal import (
    CHECKPOINT_PROTECTION,
    truncation_retention,
)
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.domain.usage import usages
from deltaadm.errors import NotYet, Refused
from deltaadm.plans.plan import Plan, propose, resumed, resuming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deltaadm.domain.features import TableFeature
    from deltaadm.domain.protocol import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.domain.transaction.removal import FeatureHistory
    from deltaadm.domain.usage import Usage


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

    `phase` is that of the way without `checkpointProtection`, by truncating history, for a
    feature that older versions may need; `keeps_history` says whether there is the other way as
    well. `ready_at` is in milliseconds since the epoch. `work` is what is done first, `refusal`
    why the feature cannot be dropped.
    """

    name: str
    phase: Phase
    truncates_history: bool = False
    keeps_history: bool = False
    ready_at: int | None = None
    work: tuple[str, ...] = ()
    refusal: Refused | None = None


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

    Raises `Refused` for a name that nobody knows, unless it is that of a property, for which
    planning has a better answer.
    """
    feature = lookup(name)
    if feature is None and name.lower() not in PROPERTIES:
        raise Refused(
            f"There is no table feature named {name!r}.",
            remedy=did_you_mean(name, FEATURES) or "`deltaadm features` lists them all.",
            delta_error_class="DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        )
    return name if feature is None else feature.name


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
    step = DropFeature(name, truncates(name))
    try:
        evolve(snapshot, step, session)
    except Refused as refusal:
        return DropStatus(name=name, phase=Phase.BLOCKED, refusal=refusal)
    phase, ready_at = Phase.READY, None
    if step.truncate_history:
        phase, ready_at = truncation_phase(snapshot, step, history, now)
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

    A feature that is gone already needs no plan. Raises `NotYet` while the history that needs
    the feature has not expired at *now* (in milliseconds), and `Refused` where Delta would.
    """
    # An earlier run may have ended before it clustered the table again, which is its last step.
    last = resuming(snapshot) if _suspends_clustering(name) else ()
    if not snapshot.protocol.supports(name) and name in FEATURES:
        note = f"The table does not support {name}, so there is nothing to drop."
        return _resumed(propose(DROP_FEATURE, snapshot, last, notes=[note], session=session), name)
    step = DropFeature(name, truncate_history)
    plan = propose(DROP_FEATURE, snapshot, [step, *last], because=step.reasons(), session=session)
    plan = _resumed(plan, name)
    if truncate_history:
        phase, ready_at = truncation_phase(snapshot, step, history, now)
        if phase is Phase.WAITING and ready_at is not None:
            raise _not_yet(
                f"{name} cannot be dropped yet: version {history.needing} needs it and has not "
                f"expired; ready at {second(ready_at)}."
            )
    return replace(plan, notes=(*plan.notes, *_dropping_notes(snapshot, step, history)))


def _resumed(plan: Plan, name: str) -> Plan:
    return resumed(plan) if _suspends_clustering(name) else plan


def _suspends_clustering(name: str) -> bool:
    feature = FEATURES.get(name)
    return bool(feature and feature.removal and feature.removal.suspends_clustering)


def next_phase(status: DropStatus) -> str:
    """The message after the first of two phases."""
    when = "at once" if status.ready_at is None else f"from {second(status.ready_at)} on"
    return f"{status.name} is not dropped yet: run the same command again {when}."


def truncates(name: str) -> bool:
    """Whether truncating history is a way to drop the feature *name*."""
    feature = lookup(name)
    removal = feature.removal if feature else None
    return removal is not None and (removal.keeps_history_out or removal.only_truncating)


def guards_history(name: str) -> bool:
    """Whether the feature *name* only protects older versions, and is dropped with them."""
    feature = lookup(name)
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
    snapshot: Snapshot, step: Step, history: FeatureHistory, now: int
) -> tuple[Phase, int | None]:
    """The phase of truncating history at *now*, and when it can continue, in milliseconds."""
    if step.waits(snapshot):
        return Phase.FIRST_OF_TWO, None
    ready_at = history.ready_at(truncation_retention(snapshot.metadata))
    if ready_at > now:
        return Phase.WAITING, ready_at
    return Phase.READY, ready_at or None


def _not_yet(message: str) -> NotYet:
    return NotYet(
        message,
        remedy="Run the same command again then.",
        delta_error_class="DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
    )


def _dropping_notes(
    snapshot: Snapshot, step: DropFeature, history: FeatureHistory
) -> Iterator[str]:
    work = step.traces(snapshot)
    if work:
        yield f"First: {'; '.join(work)}."
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
            f"{CHECKPOINT_PROTECTION} is added: older versions stay readable, and writers that do "
            "not support it are shut out."
        )
        yield (
            "With --truncate-history it is not added, but you have to wait, and history older "
            f"than {retention} is lost."
        )


# Enable feature


ENABLE_FEATURE = "enable-feature"


def plan_features(
    snapshot: Snapshot,
    names: Sequence[str],
    *,
    support_only: bool = False,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that makes the features *names* active where a property can, else supported.

    All go into one step, so that features which need each other can be named together, and with
    them what they need to be active. Raises
    `Refused` for names that do not exist and for features that cannot be added to a table that
    exists, with the statement that can.
    """
    features = [_addable(find(name)) for name in names]
    properties: dict[str, str] = {}
    because: dict[str, str] = {}
    needed = {} if support_only else _needed_by(snapshot, features)
    for name, asking in needed.items():
        missing = _missing_properties(snapshot, find(name), support_only=False)
        properties |= missing
        because |= {f"configuration[{key}]": f"needed by {asking}" for key in missing}
    for feature in features:
        missing = _missing_properties(snapshot, feature, support_only=support_only)
        properties |= missing
        because |= {f"configuration[{key}]": f"makes {feature.name} active" for key in missing}
        because |= {
            f"protocol.{side}Features[{feature.name}]": "requested" for side in ("reader", "writer")
        }
    steps = [SetProperties(properties)] if properties else []
    plan = propose(ENABLE_FEATURE, snapshot, steps, because=because, session=session)
    notes = _enabling_notes(plan, features, support_only=support_only)
    return replace(plan, notes=tuple(dict.fromkeys((*plan.notes, *notes))))


def _needed_by(snapshot: Snapshot, features: Sequence[TableFeature]) -> dict[str, str]:
    """Other features that *features* need to be active, with the names of those that need them."""
    named = {feature.name for feature in features}
    asking: dict[str, list[str]] = {}
    for feature in features:
        for name in feature.requires_active:
            asking.setdefault(name, []).append(feature.name)
    return {
        name: ", ".join(names)
        for name, names in asking.items()
        if name not in named and not find(name).activation.evidence(snapshot.metadata)
    }


def _addable(feature: TableFeature) -> TableFeature:
    if not feature.in_delta_spark:
        raise Refused(
            f"Delta Spark 4.4.0 does not know the table feature {feature.name}; "
            f"{feature.source} does.",
            remedy="Add it with the client that knows it.",
            delta_error_class="DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
        )
    if feature.not_addable:
        raise Refused(
            f"The table feature {feature.name} cannot be added to an existing table by a property.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
    return feature


def _missing_properties(
    snapshot: Snapshot, feature: TableFeature, *, support_only: bool
) -> dict[str, str]:
    """The properties that are missing for *feature*; none where there is nothing to do."""
    # A preview's twin does as well: both in the protocol would only shut out more clients.
    supported = snapshot.protocol.supports(feature.name) or (
        not support_only and feature.twin is not None and snapshot.protocol.supports(feature.twin)
    )
    support = {} if supported else {f"{FEATURE_PREFIX}{feature.name}": "supported"}
    if support_only or not feature.activation.properties:
        return support
    if feature.activation.evidence(snapshot.metadata):
        return support
    activate = dict(feature.activation.properties)
    # Delta adds the feature with the property; its name beside that would ask for feature lists.
    return activate if feature.activation.auto_enables else activate | support


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
        if not before.protocol.supports(name):
            yield from legacy_alternative(before, feature)


def legacy_alternative(snapshot: Snapshot, feature: TableFeature) -> Iterable[str]:
    """The protocol without a list of features with which *feature* can be had, if there is one."""
    if not feature.legacy_alternative or feature.activation.evidence(snapshot.metadata):
        return
    if snapshot.protocol.supports_writer_features or snapshot.protocol.min_writer_version > 3:  # noqa: PLR2004
        return
    yield feature.legacy_alternative


# Set mapping mode


SET_MAPPING_MODE = "set-mapping-mode"


def plan_mapping_mode(
    snapshot: Snapshot, mode: ColumnMappingMode, *, session: SessionSettings | None = None
) -> Plan:
    """
    The plan that takes the table to *mode*.

    From none to name is metadata only; back to none rewrites every data file. Raises `Refused`
    for every other change.
    """
    ends = mode is ColumnMappingMode.NONE
    last = resuming(snapshot) if ends else ()
    if column_mapping_mode(snapshot.metadata) is mode:
        note = f"The column mapping mode is already '{mode.value}'."
        plan = propose(SET_MAPPING_MODE, snapshot, last, notes=[note], session=session)
    else:
        plan = propose(
            SET_MAPPING_MODE,
            snapshot,
            [SetProperties({COLUMN_MAPPING_MODE: mode.value}), *last],
            because={f"configuration[{COLUMN_MAPPING_MODE}]": "requested"},
            notes=tuple(_mapping_notes(snapshot, mode)),
            session=session,
        )
    return resumed(plan) if ends else plan


def _mapping_notes(snapshot: Snapshot, mode: ColumnMappingMode) -> Iterable[str]:
    if mode is ColumnMappingMode.NONE:
        yield "Every data file is rewritten under its columns' own names."
        yield "The protocol keeps columnMapping; only DROP FEATURE removes it."
        return
    yield "No data files are rewritten: the columns keep their names as physical names."
    yield (
        "Readers without support for column mapping can no longer read the table, or return only "
        "nulls."
    )
    yield from legacy_alternative(snapshot, FEATURES["columnMapping"])


# Upgrade protocol


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
    change of properties, so the current versions are asked for again. Raises `Refused` for
    versions that do not exist or do not go together.
    """
    current = snapshot.protocol
    properties = {
        MIN_READER_VERSION: current.min_reader_version if reader is None else reader,
        MIN_WRITER_VERSION: current.min_writer_version if writer is None else writer,
    }
    if reader is not None or writer is not None:
        asked = {MIN_READER_VERSION: reader, MIN_WRITER_VERSION: writer}
        properties = {key: version for key, version in asked.items() if version is not None}
    step = SetProperties({key: str(version) for key, version in properties.items()})
    plan = propose(UPGRADE_PROTOCOL, snapshot, [step], session=session)
    return replace(plan, notes=(*plan.notes, *_versions_notes(plan, reader, writer)))


def _versions_notes(plan: Plan, reader: int | None, writer: int | None) -> Iterator[str]:
    current, after = plan.before.protocol, plan.after.protocol
    if reader is None and writer is None:
        if plan.is_noop:
            yield f"The protocol {_shown(current)} supports everything that the metadata needs."
        else:
            yield "The metadata needs more than the protocol supports."
        return
    asked = Protocol(
        current.min_reader_version if reader is None else reader,
        current.min_writer_version if writer is None else writer,
    )
    reached = (
        after.min_reader_version >= asked.min_reader_version
        and after.min_writer_version >= asked.min_writer_version
    )
    if not reached:
        result = "changes nothing" if plan.is_noop else f"gives {_shown(after)}"
        yield (
            "Delta keeps the lowest versions that support the table's features, so requesting "
            f"{_shown(asked)} {result}."
        )
    elif plan.is_noop:
        yield (
            f"The table already supports everything that {_shown(asked)} implies. Versions are "
            "never lowered this way; dropping features does that."
        )


def _shown(protocol: Protocol) -> str:
    return f"({protocol.min_reader_version}, {protocol.min_writer_version})"


# The way down


@dataclass(slots=True)
class _Descent:
    """The features that can be dropped in order, and why others stay; times in milliseconds."""

    steps: list[DropFeature] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    stays: dict[str, str] = field(default_factory=dict)


def plan_minimum(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    *,
    now: int,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that drops every feature that nothing in the table needs, dependents first.

    Features in use stay, and so do those that Delta cannot drop. History is truncated rather
    than protected, since protecting it takes a feature of its own; where older versions are
    protected already, they go together with that feature. Raises `NotYet` where only
    features are left whose history has not expired at *now* (in milliseconds), and `Refused` for
    a table that Delta cannot change.
    """
    require_changeable(snapshot)
    descent = _descend(snapshot, history_of, now, session)
    droppable = droppable_features(snapshot)
    # Those could be dropped too if nothing used them, which the metadata does not show.
    needs_state = snapshot.files is None and any(
        name in droppable and not usage.evidence and not usage.known
        for name, usage in _beyond_minimum(snapshot).items()
    )
    if descent.waiting and not descent.steps and not needs_state:
        listed = ", ".join(sorted(descent.waiting, key=str.lower))
        when = second(min(descent.waiting.values()))
        raise _not_yet(
            f"Nothing can be dropped yet: older versions need {listed}; ready at {when}."
        )
    because = {
        subject: why.replace("requested", _OLDER if guards_history(step.name) else _NOT_NEEDED)
        for step in descent.steps
        for subject, why in step.reasons().items()
    }
    notes = tuple(_descent_notes(snapshot, descent))
    plan = propose(
        UPGRADE_PROTOCOL, snapshot, descent.steps, because=because, notes=notes, session=session
    )
    return replace(plan, needs_state=needs_state)


_NOT_NEEDED: Final = "nothing in the table needs it"
_OLDER: Final = "only older versions need it"


def _beyond_minimum(snapshot: Snapshot) -> Mapping[str, Usage]:
    """The use of each feature that the metadata does not need."""
    needed = minimum_protocol(snapshot.metadata).supported_features
    usage = usages(snapshot)
    return {name: usage[name] for name in snapshot.protocol.supported_features - needed}


def _descend(
    snapshot: Snapshot,
    history_of: Callable[[str], FeatureHistory],
    now: int,
    session: SessionSettings | None,
) -> _Descent:
    beyond, droppable = _beyond_minimum(snapshot), set(droppable_features(snapshot))
    descent = _Descent()
    for name in sorted(droppable & beyond.keys(), key=str.lower):
        if not beyond[name].is_unused and not guards_history(name):
            descent.stays[name] = (
                "; ".join(beyond[name].evidence) or "whether the table uses it is not known"
            )
    state, left = snapshot, (droppable & beyond.keys()) - descent.stays.keys()
    while left:
        # Dependents first: Delta drops no feature that another one requires.
        listed = state.protocol.supported_features
        name = min(
            left, key=lambda feature: (len(dependents(feature, left & listed)), feature.lower())
        )
        left.remove(name)
        step = DropFeature(name, truncates(name))
        try:
            after = evolve(state, step, session)
        except Refused as refusal:
            descent.stays[name] = refusal.message.rstrip(".")
            continue
        why = _keep_reason(state, after, step)
        if why:
            descent.stays[name] = why
            continue
        phase, ready_at = Phase.READY, None
        if step.truncate_history:
            phase, ready_at = truncation_phase(state, step, history_of(name), now)
        if phase is Phase.WAITING and ready_at is not None:
            descent.waiting[name] = ready_at
            continue
        descent.steps.append(step)
        state = after
    return descent


def _keep_reason(snapshot: Snapshot, after: Snapshot, step: DropFeature) -> str:
    # Without one of the features that a legacy version implies, Delta lists the others by name.
    if _versions(after.protocol) > _versions(snapshot.protocol):
        return "without it the protocol must list its features, which requires writer version 7"
    if step.cost(snapshot) is not Cost.METADATA and snapshot.files is not None:
        return "the table's files still use it; drop-feature rewrites them"
    destroyed = step.destroys(snapshot)
    return "it has domains" if destroyed else ""


def _versions(protocol: Protocol) -> tuple[int, int]:
    return protocol.min_writer_version, protocol.min_reader_version


def _descent_notes(snapshot: Snapshot, descent: _Descent) -> Iterator[str]:
    if not descent.steps:
        yield f"The protocol {_shown(snapshot.protocol)} is already the lowest possible."
    if any(step.truncate_history for step in descent.steps):
        yield "History is lost: older versions that need these features can no longer be read."
    for name, ready_at in descent.waiting.items():
        yield f"{name} stays for now: older versions need it; ready at {second(ready_at)}."
    for name, why in descent.stays.items():
        yield f"{name} stays: {why}."
    beyond, droppable = _beyond_minimum(snapshot), droppable_features(snapshot)
    stuck = sorted(name for name in beyond.keys() - droppable if beyond[name].is_unused)
    if stuck:
        yield f"Not needed, but Delta cannot drop it: {', '.join(stuck)}."
