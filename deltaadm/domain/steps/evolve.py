"""
What Delta Spark 4.4 will commit, in Delta's order.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; checked case by case
against the recorded engine.
"""

from __future__ import annotations

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.spark_support import require_readable
from deltaadm.errors import IllegalArgumentError, RefusedError


def evolve(snapshot: Snapshot, step: Step, session: SessionSettings | None = None) -> Snapshot:
    """
    Predict the snapshot after *step*.

    Whatever only the commit can choose is marked `<known after commit>`. Raises `RefusedError` (or
    `TableError`) with Delta's error class where Delta refuses.
    """
    # In Spark's order: it parses the statement, loads the table, and then asks Delta.
    step.require_allowed()
    if step.has_statement and snapshot.exists:
        require_readable(snapshot)
    try:
        return step.after(snapshot, session or SessionSettings())
    except IllegalArgumentError as error:
        if not step.alters:
            raise
        # Spark reports what Delta throws under ALTER TABLE as a change that is not supported.
        raise RefusedError(
            error.message, remedy=error.remedy, delta_error_class="UNSUPPORTED_TABLE_CHANGE"
        ) from error
