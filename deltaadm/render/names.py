"""Reports as names alone, one a line, for whatever takes a list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report


def write_names(reports: Sequence[Report], out: TextIO) -> None:
    """The tables that the reports are about, or what a catalogue lists."""
    for report in reports:
        names = getattr(report, "names", (getattr(report, "table", ""),))
        out.writelines(f"{visible(name)}\n" for name in names)
