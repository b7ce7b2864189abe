"""Steps that rules propose, held against what Delta accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.properties import FEATURE_PREFIX
from deltaadm.domain.steps import SetProperties
from deltaadm.domain.steps.evolve import evolve
from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step


def accepted(
    snapshot: Snapshot, step: Step, is_fixed: Callable[[Snapshot], bool]
) -> tuple[Step, ...]:
    """
    *step*, if Delta accepts it on *snapshot* and the outcome satisfies *is_fixed*; else nothing.

    Never a step that changes the schema: a repair must not decide under which names the
    columns are found in files that are already there.
    """
    try:
        after = evolve(snapshot, step)
        same = after.metadata.schema == snapshot.metadata.schema
    except DeltaadmError:
        return ()
    return (step,) if same and is_fixed(after) else ()


def adding(snapshot: Snapshot, feature: str) -> tuple[Step, ...]:
    """The step that adds *feature* to the protocol, where Delta takes it."""
    step = SetProperties({f"{FEATURE_PREFIX}{feature}": "supported"})
    return accepted(snapshot, step, lambda after: after.protocol.supports(feature))
