"""`set-mapping-mode`: turn column mapping on, or off by rewriting the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.features import FEATURES
from deltaadm.domain.model.properties import COLUMN_MAPPING_MODE
from deltaadm.domain.steps import SetProperties
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.operations.enable_feature import legacy_alternative
from deltaadm.operations.plan import Plan, propose, resumed, resuming

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step

OPERATION = "set-mapping-mode"


def plan_mapping_mode(
    snapshot: Snapshot, mode: ColumnMappingMode, *, session: SessionSettings | None = None
) -> Plan:
    """
    The plan that takes the table to *mode*.

    From none to name is metadata only; back to none rewrites every data file. Raises `Refused`
    for every other change.
    """
    if mode is ColumnMappingMode.NONE:
        return resumed(_plan(snapshot, mode, resuming(snapshot), session))
    return _plan(snapshot, mode, (), session)


def _plan(
    snapshot: Snapshot,
    mode: ColumnMappingMode,
    last: tuple[Step, ...],
    session: SessionSettings | None,
) -> Plan:
    current = column_mapping_mode(snapshot.metadata)
    if current is mode:
        note = f"The column mapping mode is already '{mode.value}'."
        return propose(OPERATION, snapshot, last, notes=[note], session=session)
    return propose(
        OPERATION,
        snapshot,
        [SetProperties({COLUMN_MAPPING_MODE: mode.value}), *last],
        because={f"configuration[{COLUMN_MAPPING_MODE}]": "requested"},
        notes=tuple(_notes(snapshot, mode)),
        session=session,
    )


def _notes(snapshot: Snapshot, mode: ColumnMappingMode) -> Iterable[str]:
    if mode is ColumnMappingMode.NONE:
        yield "Every data file is rewritten under its columns' own names."
        yield "The protocol keeps columnMapping; only DROP FEATURE removes it."
        return
    yield "No data files are rewritten: the columns keep their names as physical names."
    yield (
        "Readers without support for column mapping can no longer read the table, or return only "
        "nulls."
    )
    yield from legacy_alternative(snapshot, FEATURES["columnMapping"])
