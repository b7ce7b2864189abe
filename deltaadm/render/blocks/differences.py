"""Blocks of what two states of tables differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.history import section_of
from deltaadm.render.blocks import Changes, Heading, Paragraph
from deltaadm.render.blocks.history import change_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.operations.compare import DiffReport
    from deltaadm.render.blocks import Block


def show_differences(report: DiffReport) -> Iterator[Block]:
    """The differences of two states, by section."""
    yield Heading(f"diff: {report.title}", level=1)
    if report.equal:
        yield Paragraph("No differences.", "good")
    for section in report.sections:
        changes = [change for change in report.changes if section_of(change) is section]
        if changes:
            yield Heading(section.value.capitalize())
            rows = tuple(change_rows(changes))
            yield Changes(rows, (rows,))
