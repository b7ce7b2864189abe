"""`upgrade-protocol`: raise versions, or give the metadata the protocol it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deltaadm.domain.properties import MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.table_changes import SetProperties
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    return replace(plan, notes=tuple(_notes(plan, reader, writer)))


def _notes(plan: Plan, reader: int | None, writer: int | None) -> Iterator[str]:
    current, after = plan.before.protocol, plan.after.protocol
    if reader is None and writer is None:
        if plan.is_noop:
            yield f"The protocol {_shown(current)} has all that the metadata needs."
        else:
            yield "The metadata needs more than the protocol says."
        return
    asked = Protocol(
        current.min_reader_version if reader is None else reader,
        current.min_writer_version if writer is None else writer,
    )
    reached = (
        after.min_reader_version >= asked.min_reader_version
        and after.min_writer_version >= asked.min_writer_version
    )
    if not reached:
        result = "changes nothing" if plan.is_noop else f"gives {_shown(after)}"
        yield (
            "Delta keeps the lowest versions that support the table's features, so asking for "
            f"{_shown(asked)} {result}."
        )
    elif plan.is_noop:
        yield (
            f"The table already supports everything that {_shown(asked)} stands for. Versions are "
            "never lowered this way; dropping features does that."
        )


def _shown(protocol: Protocol) -> str:
    return f"({protocol.min_reader_version}, {protocol.min_writer_version})"
