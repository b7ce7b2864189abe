"""What all JSON documents have in common."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deltaadm.clients import Verdict
    from deltaadm.domain.protocol import Protocol

FORMAT_VERSION = 1


def protocol_document(protocol: Protocol) -> dict[str, Any]:
    """The protocol as in the log, feature lists sorted."""
    plain = type(protocol)(
        protocol.min_reader_version,
        protocol.min_writer_version,
        protocol.reader_features,
        protocol.writer_features,
    )
    return plain.to_wire()


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """What becomes of the table in a client's hands, and who says so; nothing known is null."""
    return {
        "verdict": verdict.compatibility.value,
        "because": [
            {
                "subject": one.subject,
                "note": one.note,
                "source": one.source and one.source.title,
                "date": one.source and one.source.date,
            }
            for one in verdict.responsible
        ],
    }
