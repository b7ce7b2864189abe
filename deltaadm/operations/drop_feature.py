"""`drop-feature`: take a table feature out of the protocol, with or without its history."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.features import FEATURES, lookup
from deltaadm.domain.model.instants import second
from deltaadm.domain.model.properties import PROPERTIES, did_you_mean
from deltaadm.domain.steps import DropFeature
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.feature_removal import (
    CHECKPOINT_PROTECTION,
    can_truncate,
    traces,
    truncation_retention,
)
from deltaadm.errors import NotYet, Refused
from deltaadm.operations.plan import Plan, propose, resumed, resuming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.domain.transaction.feature_removal import FeatureHistory

OPERATION = "drop-feature"


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
    blocks = "plans.show_drops"


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
        work=traces(snapshot, name),
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
        return _resumed(propose(OPERATION, snapshot, last, notes=[note], session=session), name)
    step = DropFeature(name, truncate_history)
    plan = propose(OPERATION, snapshot, [step, *last], because=step.reasons(), session=session)
    plan = _resumed(plan, name)
    if truncate_history:
        phase, ready_at = truncation_phase(snapshot, step, history, now)
        if phase is Phase.WAITING and ready_at is not None:
            raise _not_yet(name, history, ready_at)
    return replace(plan, notes=(*plan.notes, *_notes(snapshot, step, history)))


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
    return feature is not None and can_truncate(feature)


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


def _not_yet(name: str, history: FeatureHistory, ready_at: int) -> NotYet:
    return NotYet(
        f"{name} cannot be dropped yet: version {history.needing} needs it and has not expired; "
        f"ready at {second(ready_at)}.",
        remedy="Run the same command again then.",
        delta_error_class="DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
    )


def _notes(snapshot: Snapshot, step: DropFeature, history: FeatureHistory) -> Iterator[str]:
    work = traces(snapshot, step.name)
    if work:
        yield f"First: {'; '.join(work)}."
    retention = _span(truncation_retention(snapshot.metadata))
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


def _span(milliseconds: int) -> str:
    hours, rest = divmod(milliseconds, 3_600_000)
    return f"{hours} hours" if not rest else f"{milliseconds // 60_000} minutes"
