"""Taking back what a step of a plan has done, as the undo of its changes says."""

from collections.abc import Iterable

from deltaadm.domain.features import FEATURES
from deltaadm.domain.steps import DropFeature, SetProperties, Step, UnsetProperties
from deltaadm.plans.undo import Stage


def undo_steps(transition: Stage) -> tuple[Step, ...]:
    """
    The steps that take back what can be taken back of one, in an order in which Delta takes them.

    Features go when nothing uses them any more, those that need others before these.
    """
    unset: list[str] = []
    properties: dict[str, str] = {}
    features: dict[str, Step] = {}
    others: list[Step] = []
    for step in (step for _, undo in transition.undos() for step in undo.steps):
        if isinstance(step, UnsetProperties):
            unset += step.keys
        elif isinstance(step, SetProperties):
            properties |= step.properties
        elif isinstance(step, DropFeature):
            features[step.name] = step
        elif step not in others:
            others.append(step)
    return (
        *([UnsetProperties(tuple(unset), if_exists=True)] if unset else ()),
        *([SetProperties(properties)] if properties else ()),
        *others,
        *(features[name] for name in _dependents_first(features)),
    )


def _dependents_first(names: Iterable[str]) -> list[str]:
    left, ordered = set(names), []
    while left:
        needed = {required for name in left for required in FEATURES[name].requires}
        ordered += sorted(left - needed)
        left &= needed
    return ordered
