"""
What can be planned for a table: a function for each wish, whose answer makes the plan.

Their arguments are those of the methods of `Table`, and the commands make them of their options.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.errors import UsageError
from deltaadm.runs.context import now
from deltaadm.runs.target import load_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
    from deltaadm.operations.change_texts import ChangeTexts
    from deltaadm.operations.plan import Plan
    from deltaadm.runs.plan_run import PlanInput, Planner


def plan_features(*features: str, support_only: bool = False) -> Planner:
    """A plan that makes table features active: `deltaadm enable-feature`."""
    from deltaadm.operations import enable_feature

    if not features:
        raise ValueError("Name a table feature; deltaadm.FEATURES has them all.")
    return lambda table: enable_feature.plan_features(
        table.snapshot, features, support_only=support_only, session=table.session
    )


def plan_drop(feature: str, *, truncate_history: bool = False) -> Planner:
    """A plan that drops a table feature: `deltaadm drop-feature`."""
    from deltaadm.operations import drop_feature

    def plan(table: PlanInput) -> Plan:
        name = drop_feature.official_name(feature)
        return drop_feature.plan_drop(
            table.snapshot,
            name,
            table.context.history_of(table.snapshot, name),
            truncate_history=truncate_history,
            now=now(),
            session=table.session,
        )

    return plan


def plan_upgrade(reader: int | None = None, writer: int | None = None) -> Planner:
    """
    A plan that raises the protocol: `deltaadm upgrade-protocol`.

    Without versions it plans the upgrade that the metadata needs, usually none.
    """
    from deltaadm.operations import upgrade_protocol

    return lambda table: upgrade_protocol.plan_upgrade(
        table.snapshot, reader=reader, writer=writer, session=table.session
    )


def plan_minimum() -> Planner:
    """A plan that lowers the protocol: `deltaadm upgrade-protocol --minimum`."""
    from deltaadm.operations import upgrade_protocol

    return lambda table: upgrade_protocol.plan_minimum(
        table.snapshot,
        partial(table.context.history_of, table.snapshot),
        now=now(),
        session=table.session,
    )


def plan_for_clients(
    *,
    readable_by: Sequence[str] = (),
    writable_by: Sequence[str] = (),
    skip_unreachable: bool = False,
) -> Planner:
    """
    The cheapest changes after which clients work: `upgrade-protocol --readable-by`.

    Clients are NAME or NAME@VERSION, such as trino@480. A plan that does not reach all of them
    is applied only with `skip_unreachable`.
    """
    from deltaadm.clients import Access, parse_client
    from deltaadm.operations import reach_clients
    from deltaadm.operations.plan import Goal
    from deltaadm.operations.upgrade_protocol import OPERATION

    if not readable_by and not writable_by:
        raise ValueError("Name a client, as in readable_by=['trino@480'].")
    goals = (
        *(Goal(parse_client(text), Access.READ) for text in readable_by),
        *(Goal(parse_client(text), Access.WRITE) for text in writable_by),
    )
    return lambda table: reach_clients.plan_for_clients(
        table.snapshot,
        partial(table.context.history_of, table.snapshot),
        goals,
        operation=OPERATION,
        now=now(),
        keeping=table.requirements.goals(),
        skip_unreachable=skip_unreachable,
        session=table.session,
    )


def plan_mapping_mode(mode: str | ColumnMappingMode) -> Planner:
    """A plan that turns column mapping on or off: `deltaadm set-mapping-mode`."""
    from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
    from deltaadm.operations import set_mapping_mode

    modes = {choice.value: choice for choice in ColumnMappingMode}
    chosen = modes.get(mode) if isinstance(mode, str) else mode
    if chosen is None:
        raise UsageError(f"{mode!r} is not one of {', '.join(modes)}", option="MODE")
    return lambda table: set_mapping_mode.plan_mapping_mode(
        table.snapshot, chosen, session=table.session
    )


def plan_changes(
    *,
    set_properties: Mapping[str, str] | None = None,
    unset: Sequence[str] = (),
    add_columns: Sequence[str] = (),
    set_types: Mapping[str, str] | None = None,
    drop_not_null: Sequence[str] = (),
    set_comments: Mapping[str, str] | None = None,
    set_defaults: Mapping[str, str] | None = None,
    drop_defaults: Sequence[str] = (),
    move: Sequence[str] = (),
    rename_columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    add_constraints: Mapping[str, str] | None = None,
    drop_constraints: Sequence[str] = (),
    cluster_by: Sequence[str] | None = None,
    checkpoint: bool = False,
) -> Planner:
    """
    A plan of changes of columns, constraints, clustering and properties: `deltaadm alter`.

    Columns, types and positions are written as on the command line, for example
    `add_columns=["s.x INT AFTER y"]`; an empty `cluster_by` ends clustering.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    from deltaadm.operations.change_texts import ChangeTexts

    texts = ChangeTexts(**given)
    if texts == ChangeTexts():
        raise ValueError("Name a change, as in set_properties={'team': 'web'}.")
    return changes_planner(texts)


def changes_planner(texts: ChangeTexts) -> Planner:
    """The planner for the changes in *texts*."""
    from deltaadm.operations import alter
    from deltaadm.operations.change_texts import table_changes

    def plan(table: PlanInput) -> Plan:
        changes = table_changes(texts, partial(load_at, table.context))
        changes = replace(changes, is_managed=table.target.is_managed)
        return alter.plan_changes(table.snapshot, changes, session=table.session)

    return plan
