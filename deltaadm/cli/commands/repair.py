"""`deltaadm repair`."""

from __future__ import annotations

from deltaadm.runs.context import RunContext, do_without_numpy
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import TABLES_HELP, AccessOptions, FleetOptions, TableOutputOptions
from deltaadm.runs.plan_options import RepairOptions
from deltaadm.storage.store import table_name


class Repair(Parameters):
    """
    Finds out what is wrong with the log, and mends it where nothing is lost by it. Nothing is
    deleted: what is moved out of the log is kept in _deltaadm_quarantine beside it, with a journal.
    Exit code 7 if some of the damage cannot be repaired, or 9 among several tables.

    For example:

      deltaadm repair /data/events

      deltaadm repair /data/events --apply

      deltaadm repair --discover /data

      deltaadm repair --discover /data --apply --yes -o jsonl --resume run.jsonl >> run.jsonl
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    repair: RepairOptions
    many: FleetOptions
    access: AccessOptions
    output: TableOutputOptions
    shows = "RepairPlan"
    about = "tables"

    def run(self, context: RunContext) -> int:
        self.many.require_any(self.tables)
        table = self.many.only(self.tables or ())
        if table and table_name(table) is None:  # Spark, which knows names of tables, needs it
            do_without_numpy()
        from deltaadm.runs.repair import repair_tables  # help and man pages need no pyarrow

        return repair_tables(context, self.tables or (), self.many, self.repair)
