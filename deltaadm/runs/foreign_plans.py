"""Tables of other providers on the command line: show the statements, and carry them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltaadm.domain import ddl
from deltaadm.domain import steps as kinds
from deltaadm.domain.properties import spark_values
from deltaadm.domain.schema import Path, StructType
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError, RefusedError, UsageError, require_one_of
from deltaadm.plans.alter import plan_create, table_changes
from deltaadm.plans.foreign import (
    ForeignPlan,
    carry_out,
    plan_foreign_changes,
    plan_foreign_creation,
)
from deltaadm.plans.reports import ForeignReport
from deltaadm.runs import names as table_names
from deltaadm.runs.context import RunContext
from deltaadm.runs.names import Entry
from deltaadm.runs.options import Engine
from deltaadm.runs.output import show
from deltaadm.runs.places import chosen_place, is_occupied, table_around
from deltaadm.runs.plan_options import ChangeOptions, ClientOptions
from deltaadm.runs.plan_run import Planner, agree, foreign_consents, show_plan
from deltaadm.storage.store import is_remote, table_name


def require_name(table: str, provider: str) -> None:
    """Raise `RefusedError` for a place: only a log makes a directory a table."""
    if table_name(table) is None:
        raise RefusedError(
            f"A table of provider {provider} needs a name in a catalog, but {table!r} is a path.",
            remedy="Name it schema.table, and set the location of its files with --location.",
        )


def require_no_clients(clients: ClientOptions) -> None:
    """Turn away, as a usage error, clients that are to go on using a table without a protocol."""
    if clients.for_client or clients.for_client_writing:
        raise UsageError("applies only to Delta tables", option="--for-client")


def create(
    context: RunContext, table: str, step: kinds.CreateTable, provider: str, change: ChangeOptions
) -> int:
    """Plan the table of *provider*, then show or carry it out; the exit code."""
    catalog, parts = table_names.catalog_of(context, table), table_name(table) or ()
    name, default = catalog.whole_name(parts), catalog.default_place(parts)
    location = step.location or default
    plan = plan_foreign_creation(
        table,
        name,
        step,
        provider=provider,
        location=location,
        before=catalog.find(name),
        # Nothing is known of places that only Spark need reach.
        occupied=not is_remote(location) and is_occupied(context, location),
    )
    return _finish(context, plan, change)


def alter(
    texts: Mapping[str, Any], change: ChangeOptions, context: RunContext, table: str, entry: Entry
) -> int:
    """Plan the changes in *texts*, then show or carry them out; the exit code."""
    changes = table_changes(lambda place: no_table(chosen_place(place)), texts)
    require_no_clients(change.commit.clients)
    if isinstance(entry, DeltaadmError):
        raise entry
    return _finish(context, plan_foreign_changes(table, entry, changes.steps()), change)


def _finish(context: RunContext, plan: ForeignPlan, change: ChangeOptions) -> int:
    """Show *plan*, and carry it out if asked to; the exit code."""
    if change.planning.out is not None:
        raise RefusedError(
            "A plan for a table of another provider is not saved: nothing would show later "
            "whether the table is still as it was.",
            remedy="Carry it out with --apply, or save its statements with -o sql.",
        )
    report, consents = ForeignReport(plan), foreign_consents(plan, change.commit.consent)
    if not change.planning.apply:
        return show_plan(context, report, change.planning, consents)
    if context.commit_engine is Engine.EMBEDDED:
        raise RefusedError(
            "The embedded commit engine changes Delta tables only.",
            remedy="Change it through Spark: --commit-engine spark.",
        )
    agree(context, report, consents)
    catalog = table_names.catalog_of(context, plan.name)
    show(context, [ForeignReport(plan, carry_out(plan, catalog, context.status.set))])
    return 0


def creation_step(
    schema: StructType,
    *,
    mode: str | kinds.CreationMode,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    properties: Mapping[str, str],
    comment: str | None = None,
    location: str | None = None,
    query: str | None = None,
    write_options: Mapping[str, str] | None = None,
) -> kinds.CreateTable:
    """The step that creates a table; raises `UsageError` for a mode that there is not."""
    if isinstance(mode, str):
        require_one_of(mode, (choice.value for choice in kinds.CreationMode), "--mode")

    def columns(texts: Sequence[str]) -> Iterator[Path]:
        return (path for text in texts for path in ddl.parse_column_list(text))

    return kinds.CreateTable(
        mode=kinds.CreationMode(mode),
        schema=schema,
        partition_by=tuple(".".join(path) for path in columns(partition_by)),
        cluster_by=tuple(columns(cluster_by)),
        properties=spark_values(properties),
        write_options=write_options or {},
        comment=comment,
        location=None if location is None else chosen_place(location),
        query=query,
    )


def creation_planner(step: kinds.CreateTable) -> Planner:
    """The planner of *step* for a place where there may be a table."""
    return lambda table: plan_create(
        table.snapshot,
        step,
        occupied=is_occupied(table.context, table.target.location),
        inside=table_around(table.context, table.target.location),
        session=table.session,
    )
