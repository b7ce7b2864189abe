"""`upgrade-protocol`: raise versions, or give the metadata the protocol it needs and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.facts.usage import usages
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import dependents
from deltaadm.domain.model.instants import second
from deltaadm.domain.model.properties import MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaadm.domain.model.protocol import Protocol, minimum_protocol
from deltaadm.domain.steps import DropFeature, SetProperties
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.feature_removal import destroyed_with
from deltaadm.domain.transaction.spark_support import require_changeable
from deltaadm.errors import NotYet, Refused
from deltaadm.operations.drop_feature import (
    Phase,
    droppable_features,
    guards_history,
    truncates,
    truncation_phase,
)
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deltaadm.domain.facts.usage import Usage
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.transaction.feature_removal import FeatureHistory

OPERATION = "upgrade-protocol"


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
    plan = propose(OPERATION, snapshot, [step], session=session)
    return replace(plan, notes=(*plan.notes, *_notes(plan, reader, writer)))


def _notes(plan: Plan, reader: int | None, writer: int | None) -> Iterator[str]:
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
    needs_state = snapshot.files is None and bool(_undecided(snapshot))
    if descent.waiting and not descent.steps and not needs_state:
        raise _not_yet(descent.waiting)
    because = {
        subject: why.replace("requested", _drop_reason(step.name))
        for step in descent.steps
        for subject, why in step.reasons().items()
    }
    notes = tuple(_descent_notes(snapshot, descent))
    plan = propose(
        OPERATION, snapshot, descent.steps, because=because, notes=notes, session=session
    )
    return replace(plan, needs_state=needs_state)


def _drop_reason(name: str) -> str:
    return "only older versions need it" if guards_history(name) else _NOT_NEEDED


_NOT_NEEDED: Final = "nothing in the table needs it"


def _undecided(snapshot: Snapshot) -> set[str]:
    """The features that could be dropped if nothing used them, which is not known."""
    beyond = _beyond_minimum(snapshot)
    unknown = {name for name, usage in beyond.items() if not usage.evidence and not usage.known}
    return unknown & set(droppable_features(snapshot))


def _beyond_minimum(snapshot: Snapshot) -> Mapping[str, Usage]:
    """The use of each feature that the metadata does not need."""
    needed = minimum_protocol(snapshot.metadata).supported_features
    usage = usages(snapshot)
    return {name: usage[name] for name in snapshot.protocol.supported_features - needed}


def _usage_reason(usage: Usage) -> str:
    return "; ".join(usage.evidence) or "whether the table uses it is not known"


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
            descent.stays[name] = _usage_reason(beyond[name])
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
    destroyed = destroyed_with(snapshot, step.name)
    return "it has domains" if destroyed else ""


def _versions(protocol: Protocol) -> tuple[int, int]:
    return protocol.min_writer_version, protocol.min_reader_version


def _not_yet(waiting: dict[str, int]) -> NotYet:
    ready_at = min(waiting.values())
    listed = ", ".join(sorted(waiting, key=str.lower))
    return NotYet(
        f"Nothing can be dropped yet: older versions need {listed}; ready at {second(ready_at)}.",
        remedy="Run the same command again then.",
        delta_error_class="DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
    )


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
