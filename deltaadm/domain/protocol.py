"""`Protocol`, the action that says which clients may read and write a table, and its algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deltaadm.domain import wire
from deltaadm.domain.wire import Entry, Loggable


@dataclass(frozen=True, slots=True)
class Protocol(Loggable):
    """
    The versions and features a client must support (PROTOCOL.md, Protocol Evolution).

    Holds whatever a log can contain; a missing list (None) differs from an empty one.
    """

    min_reader_version: int = 0
    min_writer_version: int = 0
    reader_features: frozenset[str] | None = None
    writer_features: frozenset[str] | None = None

    NAME: ClassVar[str] = "protocol"
    ENTRIES: ClassVar = (
        Entry("minReaderVersion", "min_reader_version", wire.INTEGER),
        Entry("minWriterVersion", "min_writer_version", wire.INTEGER),
        Entry("readerFeatures", "reader_features", wire.NAME_SET),
        Entry("writerFeatures", "writer_features", wire.NAME_SET),
    )
