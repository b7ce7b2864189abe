"""`deltaadm undo`."""

from __future__ import annotations

from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import TABLE_HELP, FleetOptions
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_run import plan_undo
from deltaadm.runs.plan_tables import plan_tables


class Undo(Parameters):
    """
    Plans the inverse of what one version changed in protocol, properties, columns and clustering;
    data stays as it is. Refused if the same was changed again later, or if nothing can be undone.

    For example:

      deltaadm undo /data/events

      deltaadm undo /data/events 17 --apply
    """

    # fmt: off
    table: str = argument("TABLE", TABLE_HELP)
    version: int | None = argument("[VERSION]",
        "Version to undo (default: the newest that changed more than data).")
    # fmt: on
    change: ChangeOptions

    def run(self, context: RunContext) -> int:
        planner = plan_undo(self.version)
        return plan_tables(context, [self.table], FleetOptions(), planner, self.change)
