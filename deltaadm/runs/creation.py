"""Planning a table that is to be made or replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.properties import spark_values
from deltaadm.domain.sql.ddl import parse_column_list
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.errors import UsageError
from deltaadm.operations.create import plan_create
from deltaadm.runs.places import chosen_place, is_occupied, table_around
from deltaadm.runs.plan_run import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deltaadm.domain.model.schema import Path, StructType
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.operations.plan import Plan
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.requirements import ClientRequirements
    from deltaadm.runs.target import Target


def creation_step(
    schema: StructType,
    *,
    mode: str | CreationMode,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    properties: Mapping[str, str],
    comment: str | None = None,
    location: str | None = None,
    query: str | None = None,
    write_options: Mapping[str, str] | None = None,
) -> CreateTable:
    """
    The step that creates a table; lists of columns are texts.

    Raises `UsageError` for a mode that there is not.
    """
    modes = {choice.value: choice for choice in CreationMode}
    chosen = modes.get(mode) if isinstance(mode, str) else mode
    if chosen is None:
        raise UsageError(f"{mode!r} is not one of {', '.join(modes)}", option="--mode")
    return CreateTable(
        mode=chosen,
        schema=schema,
        partition_by=tuple(".".join(path) for path in _columns(partition_by)),
        cluster_by=tuple(_columns(cluster_by)),
        properties=spark_values(properties),
        write_options=write_options or {},
        comment=comment,
        location=None if location is None else chosen_place(location),
        query=query,
    )


def _columns(texts: Sequence[str]) -> Iterator[Path]:
    return (path for text in texts for path in parse_column_list(text))


def plan_creation(
    context: RunContext,
    target: Target,
    step: CreateTable,
    requirements: ClientRequirements,
    session: SessionSettings,
) -> Plan:
    """The plan of *step* for *target*, where there may be a table; raises what `make_plan` does."""
    return make_plan(
        context,
        target,
        lambda before: plan_create(
            before,
            step,
            occupied=is_occupied(context, target.location),
            inside=table_around(context, target.location),
            session=session,
        ),
        requirements,
        missing_ok=True,
    )
