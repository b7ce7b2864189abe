"""`enable-feature`: make features active, or merely supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.model.features import find
from deltaadm.domain.model.properties import FEATURE_PREFIX
from deltaadm.domain.steps import SetProperties
from deltaadm.errors import Refused
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deltaadm.domain.model.features import TableFeature
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot

OPERATION = "enable-feature"


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
        because |= _asked_for(feature, missing)
    steps = [SetProperties(properties)] if properties else []
    plan = propose(OPERATION, snapshot, steps, because=because, session=session)
    notes = _notes(plan, features, support_only=support_only)
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


def _asked_for(feature: TableFeature, properties: dict[str, str]) -> dict[str, str]:
    return {
        **{f"configuration[{key}]": f"makes {feature.name} active" for key in properties},
        **{
            f"protocol.{side}Features[{feature.name}]": "requested" for side in ("reader", "writer")
        },
    }


def _notes(plan: Plan, features: Iterable[TableFeature], *, support_only: bool) -> Iterable[str]:
    for feature in features:
        yield from _status_notes(plan, feature, support_only=support_only)
        if not plan.is_noop and feature.caution:
            yield feature.warning
        if not plan.before.protocol.supports(feature.name):
            yield from legacy_alternative(plan.before, feature)


def _status_notes(plan: Plan, feature: TableFeature, *, support_only: bool) -> Iterable[str]:
    """Notes on the status of *feature* after the plan, unless it is simply active."""
    name, activation = feature.name, feature.activation
    evidence = activation.evidence(plan.before.metadata)
    active = bool(evidence) or activation.find is None
    if not plan.after.protocol.supports(name):
        yield (
            f"{name} is not added because the table already has the other form of it, "
            f"{feature.twin}; --support-only adds it anyway."
        )
    elif plan.before.protocol.supports(name) and (active or support_only):
        yield f"{name} is already supported{' and active' if active else ''}."
    elif support_only and activation.properties and not active:
        yield f"{name} will be supported but not active."
    elif not activation.properties and not active:
        yield f"{name} becomes active with the first column, constraint or property that uses it."


def legacy_alternative(snapshot: Snapshot, feature: TableFeature) -> Iterable[str]:
    """The protocol without a list of features with which *feature* can be had, if there is one."""
    if not feature.legacy_alternative or feature.activation.evidence(snapshot.metadata):
        return
    if snapshot.protocol.supports_writer_features or snapshot.protocol.min_writer_version > 3:  # noqa: PLR2004
        return
    yield feature.legacy_alternative
