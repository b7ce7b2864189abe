"""Words that several reports share: of costs, of clients and of numbers."""

from __future__ import annotations

from deltaadm.domain.model.cost import Cost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from deltaadm.clients import Verdict
    from deltaadm.operations.reports import FleetSummary

COSTS: Final = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill: rewrites file metadata in the log; no data files are rewritten",
    Cost.REWRITE: "rewrite of data files",
}

COST_NAMES: Final = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill",
    Cost.REWRITE: "rewrite",
}

_FILES: Final = {Cost.BACKFILL: "file metadata in the log", Cost.REWRITE: "data files"}
"""What `COSTS` says instead of the files of a plan."""

_TRUNCATION: Final = "history older than the new checkpoint is deleted"
"""The effect of `DROP FEATURE … TRUNCATE HISTORY` besides its commits."""


def cost_text(cost: Cost, *, truncates: bool, work: str = "") -> str:
    """The effect of a plan on files, of which *work* are known, and on the table's history."""
    words = COSTS[cost].replace(_FILES[cost], work) if work else COSTS[cost]
    if not truncates:
        return words
    kept = "no data files are rewritten" if cost is Cost.METADATA else words
    return f"{kept}; {_TRUNCATION}"


DOES: Final = {
    "works": {"read": "can read", "write": "can write"},
    "fails loudly": {"read": "cannot read", "write": "cannot write"},
    "silently wrong": {"read": "reads wrong data silently", "write": "writes wrong data silently"},
    "unknown": {"read": "reading unknown", "write": "writing unknown"},
}


def grouped(verdicts: Iterable[Verdict]) -> str:
    """The releases, those with the same features in the way together."""
    groups: dict[str, list[str]] = {}
    for verdict in verdicts:
        subjects = ", ".join(cell.subject for cell in verdict.responsible)
        if "protocol." in subjects and verdict.compatibility.value == "unknown":
            subjects = ""  # nothing at all is known about it
        groups.setdefault(subjects, []).append(str(verdict.release))
    return "; ".join(
        f"{', '.join(names)} ({subjects})" if subjects else ", ".join(names)
        for subjects, names in groups.items()
    )


def counted(number: int, word: str) -> str:
    """So many of what *word* names; info has no plural."""
    return f"{number} {word}{'' if number == 1 or word == 'info' else 's'}"


def overview_title(overview: FleetSummary) -> str:
    """The number of tables, and of those that failed."""
    tables = counted(overview.tables, "table")
    return f"{tables}, {overview.failed} failed" if overview.failed else tables
