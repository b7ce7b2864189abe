"""`alter`: change columns, set and unset table properties, write a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.properties import COLUMN_MAPPING_MODE
from deltaadm.domain.schema import path_text
from deltaadm.domain.table_changes import (
    DropColumns,
    RenameColumn,
    SetProperties,
    Step,
    UnsetProperties,
    WriteCheckpoint,
)
from deltaadm.errors import Refused
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deltaadm.domain.schema import Path
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot

OPERATION = "alter"


def plan_changes(
    snapshot: Snapshot,
    *,
    rename: Mapping[Path, str] | None = None,
    drop: Sequence[Path] = (),
    set_properties: Mapping[str, str] | None = None,
    unset: Sequence[str] = (),
    checkpoint: bool = False,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that drops columns, renames columns, sets properties, unsets properties and writes
    a checkpoint: a step each, and one for every column that is renamed.

    Columns are named as they are before the plan. Unsetting an absent property changes nothing.
    Raises `Refused` where Delta would, and for spellings of the column mapping mode under which
    Delta would turn mapping off without rewriting the files, which makes the columns unreadable.
    """
    wanted = dict(set_properties or {})
    _refuse_unsafe_spellings(wanted, unset)
    inside_first = sorted((rename or {}).items(), key=lambda pair: -len(pair[0]))
    steps: list[Step] = [DropColumns(tuple(drop))] if drop else []
    steps += [RenameColumn(column, name) for column, name in inside_first]
    if wanted:
        steps.append(SetProperties(wanted))
    if unset:
        steps.append(UnsetProperties(tuple(unset), if_exists=True))
    if checkpoint:
        steps.append(WriteCheckpoint())
    because = {f"configuration[{key}]": "asked for" for key in (*wanted, *unset)}
    renamed = [((*column[:-1], name), column) for column, name in (rename or {}).items()]
    for column in (*drop, *(each for pair in renamed for each in pair)):
        because[f"schema[{path_text(column)}]"] = "asked for"
    return propose(OPERATION, snapshot, steps, because=because, session=session)


def _refuse_unsafe_spellings(wanted: Mapping[str, str], unset: Iterable[str]) -> None:
    for key in (*wanted, *unset):
        value = wanted.get(key, "none")
        if key.lower() != COLUMN_MAPPING_MODE.lower() or value.lower() != "none":
            continue
        if key != COLUMN_MAPPING_MODE or value != "none":
            raise Refused(
                f"Spelled {key}={value}, the mode would be turned off without rewriting the files.",
                remedy=f"Write {COLUMN_MAPPING_MODE}=none, or run set-mapping-mode none.",
            )
