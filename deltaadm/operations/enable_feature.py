"""`enable-feature`: make features active, or merely supported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.features import find
from deltaadm.domain.properties import COLUMN_MAPPING_MODE, FEATURE_PREFIX
from deltaadm.domain.table_changes import SetProperties
from deltaadm.errors import Refused
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deltaadm.domain.features import TableFeature
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot

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

    All go into one step, so that features which need each other can be named together. Raises
    `Refused` for names that do not exist and for features that cannot be added to a table that
    exists, with the statement that can.
    """
    features = [_addable(find(name)) for name in names]
    properties: dict[str, str] = {}
    because: dict[str, str] = {}
    for feature in features:
        wish = _wish(snapshot, feature, support_only=support_only)
        properties |= wish
        because |= _asked_for(feature, wish)
    steps = [SetProperties(properties)] if properties else []
    plan = propose(OPERATION, snapshot, steps, because=because, session=session)
    return replace(plan, notes=tuple(_notes(plan, features, support_only=support_only)))


def _addable(feature: TableFeature) -> TableFeature:
    if not feature.in_reference:
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


def _wish(snapshot: Snapshot, feature: TableFeature, *, support_only: bool) -> dict[str, str]:
    """
    The properties that are missing for *feature*; none where there is nothing to do.

    Where the protocol has the feature's other form, that one does: both would only shut out
    more clients.
    """
    supported = snapshot.protocol.supports(feature.name) or (
        not support_only and feature.twin is not None and snapshot.protocol.supports(feature.twin)
    )
    support = {} if supported else {f"{FEATURE_PREFIX}{feature.name}": "supported"}
    if support_only or not feature.activation.properties:
        return support
    if feature.activation.evidence(snapshot.metadata):
        return support
    activate = dict(feature.activation.properties)
    return activate if feature.activation.asks else activate | support


def _asked_for(feature: TableFeature, wish: dict[str, str]) -> dict[str, str]:
    return {
        **{f"configuration[{key}]": f"makes {feature.name} active" for key in wish},
        **{
            f"protocol.{side}Features[{feature.name}]": "asked for" for side in ("reader", "writer")
        },
    }


def _notes(plan: Plan, features: Iterable[TableFeature], *, support_only: bool) -> Iterable[str]:
    for feature in features:
        yield from _standing(plan, feature, support_only=support_only)
        if feature.caution and not plan.is_noop:
            yield f"{feature.name}: {feature.caution}"
        if feature.name == "columnMapping" and _is_new(plan.before):
            yield from mapping_alternative(plan.before)


def _standing(plan: Plan, feature: TableFeature, *, support_only: bool) -> Iterable[str]:
    """Where the plan leaves *feature*, if that is not simply active from now on."""
    name, activation = feature.name, feature.activation
    evidence = activation.evidence(plan.before.metadata)
    active = bool(evidence) or activation.find is None
    if not plan.after.protocol.supports(name):
        yield (
            f"{name} is not added, since the table has its other form, {feature.twin}; "
            "--support-only adds it all the same."
        )
    elif plan.before.protocol.supports(name) and (active or support_only):
        yield f"{name} is supported{' and active' if active else ''} already."
    elif support_only and activation.properties and not active:
        yield f"{name} will be supported, and not active."
    elif not activation.properties and not active:
        yield f"{name} becomes active with the first column, constraint or property that uses it."


def _is_new(snapshot: Snapshot) -> bool:
    return not snapshot.protocol.supports("columnMapping")


def mapping_alternative(snapshot: Snapshot) -> Iterable[str]:
    """The other protocol with which column mapping can be had, where there is one."""
    if column_mapping_mode(snapshot.metadata) is not ColumnMappingMode.NONE:
        return
    if snapshot.protocol.supports_writer_features or snapshot.protocol.min_writer_version > 3:  # noqa: PLR2004
        return
    yield (
        "Clients older than table features (Delta 1.2 to 2.2) cannot follow a feature list. For "
        "them run `upgrade-protocol --reader 2 --writer 5` first: the protocol then stays (2, 5), "
        f"which implies more features, and {COLUMN_MAPPING_MODE} can be set on it."
    )
