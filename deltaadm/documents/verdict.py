"""The behaviour of a client with a table, and its sources, as JSON."""

from __future__ import annotations

from deltaadm.clients import Compatibility
from deltaadm.domain.model.json_values import STRING, array, maybe, one_of, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.domain.model.json_values import Fields

JUDGEMENT: Final[Fields] = {
    "verdict": (one_of(Compatibility), lambda verdict: verdict.compatibility),
    "because": (
        array(
            record(
                subject=STRING,
                note=STRING,
                source=(maybe(STRING), lambda cell: cell.source and cell.source.title),
                date=(maybe(STRING), lambda cell: cell.source and cell.source.date),
            )
        ),
        lambda verdict: verdict.responsible,
    ),
}
"""The parts of a verdict."""
