"""Steps that rules propose, held against what Delta accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.evolve import evolve
from deltaadm.domain.properties import FEATURE_PREFIX
from deltaadm.domain.table_changes import SetProperties
from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step


def accepted(snapshot: Snapshot, step: Step, mends: Callable[[Snapshot], bool]) -> tuple[Step, ...]:
    """
    *step*, if Delta accepts it on *snapshot* and the outcome satisfies *mends*; else nothing.

    Never a step that changes the schema: a repair must not decide under which names the
    columns are found in files that are already there.
    """
    try:
        after = evolve(snapshot, step)
        same = after.metadata.schema == snapshot.metadata.schema
    except DeltaadmError:
        return ()
    return (step,) if same and mends(after) else ()


def adding(snapshot: Snapshot, feature: str) -> tuple[Step, ...]:
    """The step that adds *feature* to the protocol, where Delta takes it."""
    step = SetProperties({f"{FEATURE_PREFIX}{feature}": "supported"})
    return accepted(snapshot, step, lambda after: after.protocol.supports(feature))
