"""Tables for programs and notebooks: what the commands do, as methods whose results are values."""

from deltaadm.api.results import OutcomeResult, PlanResult, Result
from deltaadm.api.table import Table, table

__all__ = ["OutcomeResult", "PlanResult", "Result", "Table", "table"]
