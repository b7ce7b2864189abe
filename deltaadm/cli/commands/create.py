"""The subcommands `create` and `alter`."""

from __future__ import annotations

from functools import partial
from typing import Any

from deltaadm.catalog_table import DELTA
from deltaadm.dataclass import replace
from deltaadm.domain.steps import CreationMode
from deltaadm.errors import UsageError
from deltaadm.plans.alter import read_schema, schema_of_query
from deltaadm.plans.foreign import get_provider
from deltaadm.runs import foreign_plans, plan_run
from deltaadm.runs import names as table_names
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option, path_of
from deltaadm.runs.options import TABLES_HELP, FleetOptions, pairs, read_file
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.runs.target import resolve_new
from deltaadm.storage.store import require_no_secret, table_name


class Create(Parameters):
    """
    The plan shows the protocol of the new table. If the run fails, an existing table stays as it
    was, and no half-made one is left behind. Other providers have no protocol; their tables cannot
    be replaced in one commit, so they are dropped and created again.

    For example:

      deltaadm create orders --schema "id BIGINT, day DATE" --cluster-by day

      deltaadm create main.sales.big --as "SELECT * FROM main.sales.orders"

      deltaadm create sales.export --provider csv --schema "id BIGINT"
    """

    table: str = argument("TABLE", "A path, delta.`path`, or catalog.schema.table.")
    # fmt: off
    schema: str | None = option("FILE|DDL",
        "Columns as in CREATE TABLE, or a file with them or with Spark's JSON schema, whose name "
        "has no spaces.")
    as_query: str | None = option("--as", "QUERY", "Fill the table with the result of this query.")
    provider: str | None = option("PROVIDER",
        "delta (default), or another provider that Spark supports: parquet, csv, orc, ...")
    mode: CreationMode = option("MODE",
        "create, create-or-replace or replace.", default=CreationMode.CREATE)
    partition_by: list[str] | None = option("COLUMNS",
        "Partition by these columns, separated by commas.")
    cluster_by: list[str] | None = option("COLUMNS",
        "Cluster by up to four columns, separated by commas.")
    properties: list[str] | None = option("--property", "PROPERTY=VALUE",
        "Set a table property. Repeatable.")
    comment: str | None = option("TEXT", "Comment of the table.")
    location: str | None = option("PATH", "Put the files of a table in a catalog here.")
    write_options: list[str] | None = option("--write-option", "KEY=VALUE",
        "Writer option for --as; for other providers, a table option. Repeatable.")
    # fmt: on
    change: ChangeOptions
    about = "table"

    def run(self, context: RunContext) -> int:
        plan_run.require_plan_options(self.change)
        if (self.schema is None) == (self.as_query is None):
            raise UsageError("specify either --schema or --as", option="--schema")
        properties = pairs(self.properties, "--property", "PROPERTY=VALUE")
        write_options = pairs(self.write_options, "--write-option")
        if self.change.commit.access.unity is not None:
            raise UsageError("knows tables that exist; Spark creates them", option="--unity")
        made_by = get_provider(self.provider, properties)
        if made_by != DELTA:
            foreign_plans.require_name(self.table, made_by)
            foreign_plans.require_no_clients(self.change.commit.clients)
        if self.location is not None and table_name(self.table) is None:
            raise UsageError("applies only to tables in a catalog", option="--location")
        require_no_secret(self.location or "")
        chosen = plan_run.with_engine_for(replace(context, unity=None), self.change)
        places, query = [self.location or self.table], self.as_query
        with table_names.opened(chosen, [self.table], places, always=query is not None) as opened:
            query = None if query is None else query.strip().rstrip(";")
            if query is not None and opened.catalog is not None:
                columns = schema_of_query(opened.catalog.query_schema(query))
            else:  # a definition has spaces, which the name of a file has not
                text = self.schema or ""
                columns = read_schema(read_file(path_of(text)) if len(text.split()) == 1 else text)
            step = foreign_plans.creation_step(
                columns,
                mode=self.mode,
                partition_by=self.partition_by or (),
                cluster_by=self.cluster_by or (),
                properties={key: value for key, value in properties.items() if key != "provider"},
                comment=self.comment,
                location=self.location,
                query=query,
                write_options=write_options,
            )
            if made_by != DELTA:
                return foreign_plans.create(opened, self.table, step, made_by, self.change)
            target = resolve_new(opened, self.table, step.location)
            planner = foreign_plans.creation_planner(step)
            return plan_run.plan_table(opened, target, planner, self.change)


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
    about = "tables"

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
        self.many.require_any(tables)
        planner = plan_run.changes_planner(given)
        foreign = partial(foreign_plans.alter, given, self.change)
        return plan_tables(context, tables, self.many, planner, self.change, plan_foreign=foreign)
