"""A checkpoint, which SQL has no statement for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.steps.step import Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WriteCheckpoint(Step):
    """
    A checkpoint of the newest version, to which `_last_checkpoint` points from then on.

    No commit: the version, the protocol, the metadata and the files stay as they are.
    """

    kind = "write_checkpoint"
    is_commit = False
    has_statement = False
    always_acts = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:  # noqa: ARG002
        """The same state."""
        return snapshot

    def statement(self, table: str) -> str:  # noqa: ARG002
        """A comment in place of a statement."""
        return "-- write a checkpoint; SQL has no statement for it"

    def options(self) -> Iterator[str]:
        """`--checkpoint`."""
        yield "--checkpoint"
