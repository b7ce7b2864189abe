"""The interface of replay engines, which turn the log files of a version into a snapshot."""

from __future__ import annotations

from enum import Enum

from deltaadm.errors import DeltaadmError, TableError
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from deltaadm.domain.model.log_segment import LogSegment
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import LogStore
else:
    Protocol = object


class Detail(Enum):
    """How much of a snapshot to load; more costs more."""

    PROTOCOL = "protocol"
    """Protocol and metadata; reading stops when both are known."""
    STATE = "state"
    """Also transactions, domains and facts about the live files; reads the whole segment."""


class ReplayEngine(Protocol):
    """Whatever can turn a segment into a snapshot."""

    def replay(self, store: LogStore, segment: LogSegment, detail: Detail) -> Snapshot:
        """
        The state that *segment* describes, whether or not its features are supported.

        Raises `UnreadableCheckpoint` if only the segment's checkpoint is at fault, and
        `TableError` where no snapshot can be built.
        """


class UnreadableCheckpoint(TableError):  # noqa: N818 -- reads as the finding it is
    """A checkpoint that cannot be used; the table may still load from older files."""


def added_files(store: LogStore, version: int) -> int | None:
    """The number of `add` actions of *version*'s checkpoint that `_last_checkpoint` states."""
    try:
        hint = hint_of(store.read("_last_checkpoint"))
    except DeltaadmError:
        return None
    number = hint.get("numOfAddFiles") if hint.get("version") == version else None
    return number if type(number) is int else None


def hint_of(body: bytes) -> dict[str, Any]:
    """The JSON object in `_last_checkpoint`, with any content; empty if it is not an object."""
    try:
        document = load_json(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
