"""`deltaadm create`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deltaadm.cli import catalogs, parent_plans, sessions, streams, wiring
from deltaadm.cli.options import ChangeOptions, expanded, pairs
from deltaadm.cli.planning import (
    Wanted,
    conclude,
    planned,
    project_settings,
    require_plan_options,
)
from deltaadm.domain.ddl import parse_column_list
from deltaadm.domain.table_changes import CreateTable, CreationMode
from deltaadm.operations.best_effort import DELTA, get_provider
from deltaadm.operations.create import plan_create, read_schema, schema_of_query
from deltaadm.storage.store import require_no_secret

if TYPE_CHECKING:
    from deltaadm.domain.schema import Path as ColumnPath
    from deltaadm.domain.schema import StructType


@expanded
def command(  # noqa: PLR0917 -- in the order of the command line
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="A path, delta.`path`, or catalog.schema.table."),
    ],
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|DDL",
            help="The columns, as in CREATE TABLE; or a file with them, or with Spark's JSON.",
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--as", metavar="QUERY", help="Fill the table with what a query gives."),
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER",
            help="delta (default), or what the parent catalog makes: parquet, csv, orc, ...",
        ),
    ] = None,
    mode: Annotated[
        CreationMode,
        typer.Option(metavar="MODE", help="create (default), create-or-replace or replace."),
    ] = CreationMode.CREATE,
    partition_by: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Partition by these columns, with commas."),
    ] = None,
    cluster_by: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Cluster by up to four columns, with commas."),
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="PROPERTY=VALUE", help="A table property."),
    ] = None,
    comment: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the table is for.")
    ] = None,
    location: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Where a table with a name has its files."),
    ] = None,
    write_options: Annotated[
        list[str] | None,
        typer.Option(
            "--write-option",
            metavar="KEY=VALUE",
            help="An option for writing what --as gives; for other providers, of the table.",
        ),
    ] = None,
    *,
    change: ChangeOptions,
) -> int:
    """
    Make a new table, or put one in an old one's place.

    The plan shows the protocol that the table will have before there is any. A failure leaves the
    old table, or nothing. A table of another provider than Delta has no protocol, and is not
    replaced but dropped and made anew.

    For example:

      deltaadm create orders --schema "id BIGINT, day DATE" --cluster-by day

      deltaadm create main.sales.big --as "SELECT * FROM main.sales.orders"

      deltaadm create sales.export --provider csv --schema "id BIGINT"
    """
    require_plan_options(change)
    if (schema is None) == (query is None):
        raise typer.BadParameter("give either --schema or --as", param_hint="--schema")
    given, options = (
        pairs(properties, "--property", "PROPERTY=VALUE"),
        pairs(write_options, "--write-option"),
    )
    spark = change.commit.spark
    settings = sessions.session_settings(spark)

    def work() -> int:
        named = catalogs.is_name(table)
        made_by = get_provider(provider, given)
        if made_by != DELTA:
            parent_plans.require_name(table, made_by)
            parent_plans.require_no_clients(change.commit.clients)
        if location is not None and not named:
            raise typer.BadParameter("is for tables with a name", param_hint="--location")
        require_no_secret(location or "")
        with (
            wiring.reading(spark),
            catalogs.catalog([table], spark, always=query is not None) as catalog,
        ):
            text = None if query is None else query.strip().rstrip(";")
            columns = (
                schema_of_query(catalog.query_schema(text))
                if text is not None and catalog is not None
                else _columns(schema or "")
            )
            step = CreateTable(
                mode=mode,
                schema=columns,
                partition_by=tuple(".".join(path) for path in _listed(partition_by)),
                cluster_by=_listed(cluster_by),
                properties={key: one for key, one in given.items() if key != "provider"},
                write_options=options,
                comment=comment,
                location=None if location is None else parent_plans.chosen_place(location),
                query=text,
            )
            if made_by != DELTA:
                made = parent_plans.planned(table, step, made_by, catalog)
                return parent_plans.conclude(made, catalog, change)
            place = wiring.new_place(table, step.location, catalog)
            wanted = Wanted.of(change.commit, project_settings(), table, place)
            plan = planned(
                place,
                lambda before: plan_create(
                    before,
                    step,
                    occupied=wiring.is_occupied(place),
                    inside=wiring.table_around(place),
                    session=settings,
                ),
                wanted,
                name=catalogs.name_of(table),
                may_lack=True,
            )
            return conclude(table, plan, wanted, change)

    return streams.failing_well(table, change.commit.output, work)


def _listed(given: list[str] | None) -> tuple["ColumnPath", ...]:
    return tuple(path for text in given or () for path in parse_column_list(text))


def _columns(given: str) -> "StructType":
    """What --schema says: columns have spaces in them, and names of files had better not."""
    path = Path(given)
    is_file = len(given.split()) == 1 or (len(given) < _LONGEST_PATH and path.is_file())
    return read_schema(streams.read_file(path) if is_file else given)


_LONGEST_PATH = 1000
