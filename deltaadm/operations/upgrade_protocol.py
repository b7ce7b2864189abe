"""`upgrade-protocol`: raise versions, or give the metadata the protocol it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.properties import MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.table_changes import SetProperties
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot

OPERATION = "upgrade-protocol"


def plan_upgrade(
    snapshot: Snapshot,
    *,
    reader: int | None = None,
    writer: int | None = None,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan for versions of at least *reader* and *writer*.

    Without either, the upgrade that the metadata needs: usually none. Delta adds it to any
    change of properties, so the current versions are asked for again. Raises `Refused` for
    versions that do not exist or do not go together.
    """
    current = snapshot.protocol
    properties = {
        MIN_READER_VERSION: current.min_reader_version if reader is None else reader,
        MIN_WRITER_VERSION: current.min_writer_version if writer is None else writer,
    }
    if reader is not None or writer is not None:
        asked = {MIN_READER_VERSION: reader, MIN_WRITER_VERSION: writer}
        properties = {key: version for key, version in asked.items() if version is not None}
    step = SetProperties({key: str(version) for key, version in properties.items()})
    plan = propose(OPERATION, snapshot, [step], session=session)
    return propose(OPERATION, snapshot, [step], session=session, notes=_notes(plan, reader, writer))


def _notes(plan: Plan, reader: int | None, writer: int | None) -> tuple[str, ...]:
    current, after = plan.before.protocol, plan.after.protocol
    if reader is None and writer is None:
        if plan.is_noop:
            return (f"The protocol {current.simple_string} has all that the metadata needs.",)
        return ("The metadata needs more than the protocol says.",)
    asked = Protocol(
        current.min_reader_version if reader is None else reader,
        current.min_writer_version if writer is None else writer,
    )
    pair = f"({asked.min_reader_version}, {asked.min_writer_version})"
    reached = (
        after.min_reader_version >= asked.min_reader_version
        and after.min_writer_version >= asked.min_writer_version
    )
    if plan.is_noop and reached:
        return (
            (
                f"The table already supports everything that {pair} stands for. Versions are never "
                "lowered this way; dropping features does that."
            ),
        )
    if not reached:
        return (
            (
                f"Delta keeps the lowest versions that support the table's features, so asking for "
                f"{pair} gives {after.simple_string}."
            ),
        )
    return ()
