"""The cost of a change: what applying it does to the table's files."""

from __future__ import annotations

from enum import Enum


class Cost(Enum):
    """
    From the cheapest: only the log is written, further commits rewrite the metadata of files,
    data files are rewritten.
    """

    METADATA = "metadata"
    BACKFILL = "backfill"
    REWRITE = "rewrite"

    @property
    def rank(self) -> int:
        """0 for the cheapest."""
        return list(Cost).index(self)


def max_cost(*costs: Cost) -> Cost:
    """The highest of *costs*; `METADATA` of none."""
    return max(costs, key=lambda cost: cost.rank, default=Cost.METADATA)
