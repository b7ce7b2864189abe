"""`deltaadm alter`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm.errors import UsageError
from deltaadm.plans.alter import ChangeTexts, table_changes
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLES_HELP, FleetOptions, pairs, require_tables
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_run import changes_planner
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.storage.store import require_no_secret

if TYPE_CHECKING:
    from deltaadm.runs.names import Entry


class ColumnOptions(Parameters):
    """Changes of columns."""

    heading = "Columns"

    # fmt: off
    add_columns: list[str] | None = option("--add-column", "COLUMN TYPE",
        "Add a column, for example 'x INT AFTER y'.")
    set_types: list[str] | None = option("--set-type", "COLUMN=TYPE",
        "Widen a column's type, for example id=BIGINT.")
    drop_not_null: list[str] | None = option("COLUMN", "Make a column nullable.")
    set_comments: list[str] | None = option("--set-comment", "COLUMN=TEXT",
        "Set a column's comment.")
    set_defaults: list[str] | None = option("--set-default", "COLUMN=EXPRESSION",
        "Set a column's default for new rows.")
    drop_defaults: list[str] | None = option("--drop-default", "COLUMN", "Drop a column's default.")
    move: list[str] | None = option("COLUMN POSITION",
        "Move a column, for example 'id FIRST' or 'b AFTER a'.")
    rename_columns: list[str] | None = option("--rename-column", "COLUMN=NAME",
        "Rename a column; no data files are rewritten.")
    # fmt: on
    drop_columns: list[str] | None = option("--drop-column", "COLUMN", "Drop a column.")


class RuleOptions(Parameters):
    """Changes of constraints, layout and properties."""

    heading = "Constraints, clustering and properties"

    # fmt: off
    add_constraints: list[str] | None = option("--add-constraint", "NAME=EXPRESSION",
        "Add a CHECK constraint, for example 'small=x < 9'. Delta reads every row.")
    drop_constraints: list[str] | None = option("--drop-constraint", "NAME", "Drop a constraint.")
    cluster_by: list[str] | None = option("COLUMN[,COLUMN...]",
        "Cluster by these columns, at most four.")
    no_cluster_by: bool = option("Stop clustering the table.")
    set_properties: list[str] | None = option("--set", "PROPERTY=VALUE", "Set a property.")
    unset: list[str] | None = option("PROPERTY", "Remove a property.")
    location: str | None = option("--set-location", "PATH",
        "Point the name in the catalog to this table.")
    # fmt: on
    checkpoint: bool = option("Write a checkpoint of the latest version.")


class Alter(Parameters):
    """
    All options are repeatable. Each kind of change is a separate commit, in this order: set
    properties; drop constraints; add, change, cluster by, drop and rename columns; add constraints;
    unset properties; write the checkpoint. Name columns as they are before the change, but in new
    constraints as they are after it. s.x is field x of struct s; put names with dots in backticks.

    --set-location cannot be combined with other changes and commits nothing: the name in the
    catalog then points to the table at the new location, which must have the same columns and
    partitions.

    For a csv, parquet or other table in Spark's own catalog, you can set and unset properties, add
    columns at the end, change comments and defaults, and set the location, as far as Spark supports
    it. Each statement takes effect by itself.

    For example:

      deltaadm alter orders --add-column "country STRING" --set team=web

      deltaadm alter main.sales.orders --set-location /data/restored --apply

      deltaadm alter sales.export --set "comment=as CSV" --add-column "x INT"

      deltaadm alter s3://lake/orders --set team=web --apply --commit-engine embedded
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    columns: ColumnOptions
    rules: RuleOptions
    many: FleetOptions
    change: ChangeOptions

    def run(self, context: RunContext) -> int:
        given: dict[str, Any] = {}
        require_no_secret(self.rules.location or "")
        for group in (self.columns, self.rules):
            for each in group.declared():
                value = getattr(group, each.field)
                if "=" in each.metavar and value:
                    value = pairs(value, each.names[0], each.metavar)
                if value is not None and value is not False:
                    given[each.field] = value
        if not given:
            raise UsageError("Nothing to change: name a change, for example --set PROPERTY=VALUE.")
        if given.pop("no_cluster_by", False) and given.setdefault("cluster_by", []):
            raise UsageError("cannot be combined with --cluster-by", option="--no-cluster-by")
        tables = self.tables or ()
        if "location" in given and (self.many.names_tables or len(tables) > 1):
            raise UsageError("can only change one table at a time", option="--set-location")
        require_tables(tables, self.many)
        texts = ChangeTexts(**given)

        def alter(opened: RunContext, table: str, entry: Entry) -> int:
            from deltaadm.runs import foreign_plans

            changes = table_changes(texts, foreign_plans.moved_to)
            return foreign_plans.alter(opened, table, entry, changes, self.change)

        planner = changes_planner(texts)
        return plan_tables(context, tables, self.many, planner, self.change, plan_foreign=alter)
