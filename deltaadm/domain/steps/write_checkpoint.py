"""A checkpoint, which SQL has no statement for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.protocol import (
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.domain.steps.step import Step
from deltaadm.domain.transaction.obligations import obstacles_in_metadata, obstacles_in_protocol
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WriteCheckpoint(Step):
    """
    A checkpoint of the version that the plan leads to; `_last_checkpoint` points to it then.

    No commit: the version, the protocol, the metadata and the files stay as they are.
    """

    kind = "write_checkpoint"
    is_commit = False
    has_statement = False
    always_acts = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:  # noqa: ARG002
        """The same state; raises `Refused` for a table of which we may not write a checkpoint."""
        require_checkpointable(snapshot)
        return snapshot

    def statement(self, table: str) -> str:  # noqa: ARG002
        """A comment in place of a statement."""
        return "-- write a checkpoint; SQL has no statement for it"

    def options(self) -> Iterator[str]:
        """`--checkpoint`."""
        yield "--checkpoint"


def require_checkpointable(snapshot: Snapshot) -> None:
    """Raise `Refused` for a table whose checkpoints are for other writers to write."""
    for obstacle in _obstacles(snapshot):
        raise Refused(
            f"deltaadm cannot write a checkpoint of this table: {obstacle}.",
            remedy="Have a writer that supports all of the table's features write it. Delta Spark "
            "writes one every delta.checkpointInterval commits.",
        )


def _obstacles(snapshot: Snapshot) -> Iterator[str]:
    protocol = snapshot.protocol
    reader, writer = protocol.min_reader_version, protocol.min_writer_version
    if (
        reader not in supported_reader_version_numbers()
        or writer not in supported_writer_version_numbers()
    ):
        yield f"its protocol has reader version {reader} and writer version {writer}"
    if protocol.malformation is not None:
        message = protocol.malformation.message
        yield message[:1].lower() + message[1:].rstrip(".")
    yield from obstacles_in_protocol(protocol)
    yield from obstacles_in_metadata(snapshot.metadata)
