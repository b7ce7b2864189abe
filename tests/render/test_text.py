"""Text on a terminal: narrow ones, wide characters, and what must stay one line."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from deltaadm.formats import Style, render
from deltaadm.formats.text import write_text
from deltaadm.plans.reports import PlanReport
from deltaadm.reports.inspect import describe
from deltaadm.rules.rule import Severity, ValidationReport
from tests.support import samples, tables

if TYPE_CHECKING:
    from pathlib import Path

    from deltaadm.blocks import Report


def lines(width: int | None, *reports: Report, verbose: bool = False) -> list[str]:
    out = StringIO()
    render("text", reports, out, Style(color="never", width=width, verbose=verbose))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_flows_fits_the_terminal(width: int, tmp_path: Path) -> None:
    for inspection in samples.inspections(tmp_path):
        flowing = [line for line in lines(width, inspection) if "deltaadm inspect" not in line]
        assert max(map(cell_len, flowing)) <= width


def test_a_line_goes_on_where_its_last_column_began(tmp_path: Path) -> None:
    shown = lines(94, describe("events", samples.events(tmp_path)), verbose=True)
    first = next(n for n, text in enumerate(shown) if "reader features: columnMapping" in text)
    column = shown[first].index("reader 3")
    assert shown[first + 1].startswith(" " * column + "deletionVectors")


def test_without_terminal_every_line_stays_whole(tmp_path: Path) -> None:
    report = describe("events", samples.events(tmp_path))
    narrow, whole = lines(80, report), lines(None, report)
    assert len(narrow) > len(whole)
    assert " ".join(" ".join(narrow).split()) == " ".join(" ".join(whole).split())


def test_commands_are_never_broken(tmp_path: Path) -> None:
    found = ValidationReport(table="events" * 20, version=0, findings=samples.FINDINGS[:1])
    [command] = [line for line in lines(60, found) if "fix: " in line]
    assert command.endswith(" domainMetadata --support-only --apply")
    planned = [plan for plan in samples.plans(tmp_path) if isinstance(plan, PlanReport)]
    out = StringIO()
    write_text(planned, out, Style(width=60, verbose=True))
    statements = [line for line in out.getvalue().splitlines() if "ALTER TABLE" in line]
    assert statements
    assert all(line.endswith(")") for line in statements)


def test_wide_characters_count_twice() -> None:
    text = "表" * 10
    found = samples.finding(1, Severity.ERROR, " ".join([text] * 9))
    report = ValidationReport(table="t", version=0, findings=(found,))
    shown = [line for line in lines(60, report) if text in line]
    assert [lines.count(text) for lines in shown] == [2, 2, 2, 2, 1]


def test_row_ids_are_counted_where_they_matter(tmp_path: Path) -> None:
    plain = samples.snapshot(tmp_path / "a", tables.protocol(1, 2), tables.metadata())
    assert "  without row ids" not in "\n".join(lines(None, describe("plain", plain)))
    tracked = samples.events(tmp_path / "b")
    assert "  without row ids" in "\n".join(lines(None, describe("events", tracked)))
