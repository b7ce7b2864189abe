"""`deltaadm repair`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.reports.repair import RepairReport
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import TABLE_HELP, AccessOptions, TableOutputOptions
from deltaadm.runs.output import check_format
from deltaadm.runs.repair import RepairOptions, repair_table

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Repair(Parameters):
    """
    Finds out what is wrong with the log, and mends it where nothing is lost by it. Nothing is
    deleted: what is moved out of the log is kept in _deltaadm_quarantine beside it, with a journal.
    Exit code 7 if some of the damage cannot be repaired.

    For example:

      deltaadm repair /data/events

      deltaadm repair /data/events --apply
    """

    table: str = argument("TABLE", TABLE_HELP)
    repair: RepairOptions
    access: AccessOptions
    output: TableOutputOptions

    def run(self, context: RunContext) -> int:
        check_format(self.output, RepairReport)
        context = context.with_request(context.spark, self.output, self.access)
        return repair_table(context, self.table, self.repair)
