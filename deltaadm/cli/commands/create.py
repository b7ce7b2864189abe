"""`deltaadm create`."""

from __future__ import annotations

from pathlib import Path

from deltaadm.catalog_table import DELTA
from deltaadm.dataclass import replace
from deltaadm.domain.schema import StructType
from deltaadm.domain.steps import CreationMode
from deltaadm.errors import ArgumentFileError, UsageError
from deltaadm.plans.alter import read_schema, schema_of_query
from deltaadm.plans.foreign import get_provider
from deltaadm.runs import names as table_names
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.foreign_plans import (
    create,
    creation_planner,
    creation_step,
    require_name,
    require_no_clients,
)
from deltaadm.runs.options import pairs, read_file
from deltaadm.runs.output import handle_errors
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_run import (
    finish_delta_plan,
    plan_for,
    require_plan_options,
    with_engine_for,
)
from deltaadm.runs.sessions import session_settings
from deltaadm.runs.settings import load_settings
from deltaadm.runs.target import resolve_new
from deltaadm.storage.store import require_no_secret


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
        "Columns as in CREATE TABLE, or a file with them or with Spark's JSON schema.")
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

    def run(self, context: RunContext) -> int:
        require_plan_options(self.change)
        if (self.schema is None) == (self.as_query is None):
            raise UsageError("specify either --schema or --as", option="--schema")
        properties = pairs(self.properties, "--property", "PROPERTY=VALUE")
        write_options = pairs(self.write_options, "--write-option")
        commit = self.change.commit
        if commit.access.unity is not None:
            raise UsageError("knows tables that exist; Spark creates them", option="--unity")
        context = replace(
            context.with_request(commit.spark, commit.output, commit.access), unity=None
        )
        settings = session_settings(context.spark)

        def work() -> int:
            made_by = get_provider(self.provider, properties)
            if made_by != DELTA:
                require_name(self.table, made_by)
                require_no_clients(self.change.commit.clients)
            if self.location is not None and not table_names.is_name(self.table):
                raise UsageError("applies only to tables in a catalog", option="--location")
            require_no_secret(self.location or "")
            project = load_settings(context.settings)
            chosen = with_engine_for(context, self.change, project)
            places = [self.location or self.table]
            with table_names.opened(
                chosen, [self.table], places, always=self.as_query is not None
            ) as opened:
                query = None if self.as_query is None else self.as_query.strip().rstrip(";")
                columns = (
                    schema_of_query(opened.catalog.query_schema(query))
                    if query is not None and opened.catalog is not None
                    else _columns(self.schema or "")
                )
                step = creation_step(
                    columns,
                    mode=self.mode,
                    partition_by=self.partition_by or (),
                    cluster_by=self.cluster_by or (),
                    properties={
                        key: value for key, value in properties.items() if key != "provider"
                    },
                    comment=self.comment,
                    location=self.location,
                    query=query,
                    write_options=write_options,
                )
                if made_by != DELTA:
                    return create(opened, self.table, step, made_by, self.change)
                target = resolve_new(opened, self.table, step.location)
                plan, requirements = plan_for(
                    opened,
                    target,
                    creation_planner(step),
                    commit,
                    project=project,
                    session=settings,
                    missing_ok=True,
                )
                return finish_delta_plan(opened, self.table, plan, requirements, self.change)

        return handle_errors(context, self.table, work)


def _columns(text: str) -> StructType:
    """The columns that --schema gives: a definition has spaces, which file names rarely have."""
    path = Path(text)
    is_word = len(text.split()) == 1
    is_file = is_word or (len(text) < _LONGEST_PATH and path.is_file())
    if text.isidentifier() and not path.exists():
        raise ArgumentFileError(
            f"--schema {text} is neither columns nor a file that exists.",
            remedy="Columns have types: --schema 'id BIGINT, day DATE'.",
        )
    return read_schema(read_file(path) if is_file else text)


_LONGEST_PATH = 1000
