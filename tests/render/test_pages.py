"""Pages of reports: what comes first, what is folded, and the timeline of the protocol."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from deltaadm.blocks import Timeline, page_blocks
from deltaadm.documents import Failure
from deltaadm.errors import TableError
from deltaadm.formats import Style, render
from deltaadm.reports.history import HistoryReport, Section, entries
from deltaadm.reports.inspect import describe
from deltaadm.reports.overview import FleetSummary, Item
from tests.support.samples import orders, snapshot, validations
from tests.support.tables import metadata, protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deltaadm.blocks import Report
    from deltaadm.domain.snapshot import Snapshot


MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def shown(*reports: Report) -> str:
    out = StringIO()
    render("html", reports, out, Style())
    return out.getvalue()


@pytest.fixture
def samples(tmp_path: Path) -> Sequence[Report]:
    return validations(tmp_path)


# several reports


def test_overview_comes_first(tmp_path: Path) -> None:
    summary = FleetSummary(tables=2, failed=1, sections={"Protocol": [Item("reader 1", 1, [])]})
    failure = Failure("s3://bucket/none", TableError("There is no table.", remedy=""))
    table = describe("orders", orders(tmp_path))
    page = shown(table, failure, summary)
    fleet, rest = page[page.index("<nav") :].split("</nav>")
    heads = re.findall(r'<th scope="col">(.*?)</th>', fleet)
    assert heads[:2] == ["table", "protocol"]
    assert re.findall(r'href="#(.*?)">', fleet) == ["report-1", "report-0"], "the worst first"
    assert f'<td class="error" colspan="{len(heads) - 1}">There is no table.</td>' in fleet
    assert page.index("2 tables, 1 failed</h1>") < page.index("<nav")
    assert rest.index("protocol") < rest.index("orders")


def test_page_of_a_fleet_stays_small(tmp_path: Path) -> None:
    """Two hundred tables: some are damaged, some lie to clients, and most are all right."""
    plain, mapped = (
        orders(tmp_path),
        snapshot(tmp_path / "mapped", protocol(2, 5), metadata(MAPPED)),
    )
    summary = FleetSummary(tables=200, failed=4, sections={})
    failures = [Failure(f"fleet/{n}", TableError("Not JSON.", remedy="")) for n in range(4)]
    tables = [describe(f"fleet/t{n:03}", mapped if n < 19 else plain) for n in range(196)]
    page = shown(summary, *tables, *failures)
    assert len(page) <= 300_000
    assert len(re.findall('<tr><th scope="row">', page[: page.index("</nav>")])) == 200


def test_every_table_with_findings_is_on_the_page(samples: Sequence[Report]) -> None:
    [bad, *_] = (each for each in samples if getattr(each, "findings", ()))
    page = shown(*(replace(bad, table=f"t{number:02}") for number in range(50)))
    assert len(set(re.findall(r'<h2 id="(report-[0-9]+)">', page))) == 50


def test_what_needs_a_script_is_made_by_it(samples: Sequence[Report]) -> None:
    page = shown(*samples)
    without = re.sub("<(script|style)>.*?</(script|style)>", "", page, flags=re.DOTALL)
    assert not re.search("<(button|input|output|label)", without)
    assert "<script>" in page


# the timeline


def history(*states: Snapshot, with_base: bool = True) -> HistoryReport:
    versions = [replace(state, version=number) for number, state in enumerate(states)]
    found = entries("t", versions[0], pairwise(versions), tuple(Section), with_base=with_base)
    return HistoryReport(
        table="t", location="/t", last=9, sections=tuple(Section), entries=tuple(found)
    )


def drawn_timeline(report: HistoryReport) -> Timeline | None:
    return next((block for block in page_blocks(report) if isinstance(block, Timeline)), None)


def bars(report: HistoryReport) -> dict[str, list[tuple[str, int, int]]]:
    found = drawn_timeline(report)
    assert found is not None
    return {name: [*bars] for name, bars in found.lanes}


def states(path: Path) -> list[Snapshot]:
    """Features come and go, one in both lists."""
    return [
        snapshot(path / "a", protocol(1, 2), metadata()),
        snapshot(path / "b", protocol(3, 7, ["columnMapping"], ["columnMapping"]), metadata()),
        snapshot(path / "b2", protocol(3, 7, ["columnMapping"], ["columnMapping"]), metadata({})),
        snapshot(
            path / "c",
            protocol(3, 7, ["columnMapping"], ["columnMapping", "rowTracking"]),
            metadata(),
        ),
        snapshot(path / "d", protocol(1, 7, None, ["rowTracking"]), metadata()),
    ]


def test_timeline_says_what_held_when(tmp_path: Path) -> None:
    report = history(*states(tmp_path))
    assert bars(report) == {
        "reader version": [("1", 0, 1), ("3", 1, 3), ("1", 3, 4)],
        "writer version": [("2", 0, 1), ("7", 1, 4)],
        "appendOnly": [("", 0, 1)],
        "invariants": [("", 0, 1)],
        "columnMapping": [("", 1, 3)],
        "rowTracking": [("", 2, 4)],
    }
    found = drawn_timeline(report)
    assert found is not None
    assert [version for version, _ in found.points] == ["up to v0", "v1", "v3", "v4"]
    page = shown(report)
    row = page[page.index('<tr><th scope="row">columnMapping</th>') :].partition("</tr>")[0]
    assert row.endswith('<td colspan="1"></td><td colspan="2" class="bar">supported</td>')


def test_timeline_begins_with_what_a_later_change_replaces(tmp_path: Path) -> None:
    report = history(*states(tmp_path)[2:], with_base=False)
    assert bars(report) == {
        "reader version": [("3", 0, 2), ("1", 2, 3)],
        "writer version": [("7", 0, 3)],
        "columnMapping": [("", 0, 2)],
        "rowTracking": [("", 1, 3)],
    }
    found = drawn_timeline(report)
    assert found is not None
    assert found.points[0] == ("earlier", "")


def test_feature_is_drawn_from_where_versions_imply_it(tmp_path: Path) -> None:
    listed = protocol(1, 7, None, ["appendOnly", "invariants", "rowTracking"])
    report = history(
        snapshot(tmp_path / "a", protocol(1, 2), metadata()),
        snapshot(tmp_path / "b", protocol(1, 4), metadata()),
        snapshot(tmp_path / "c", listed, metadata()),
    )
    found = bars(report)
    assert [found[name] for name in ("appendOnly", "invariants", "rowTracking")] == [
        [("", 0, 3)], [("", 0, 3)], [("", 2, 3)],
    ]  # fmt: skip


def test_there_is_no_timeline_without_changes_of_the_protocol(tmp_path: Path) -> None:
    same = snapshot(tmp_path, protocol(1, 2), metadata())
    assert drawn_timeline(history(same, same, with_base=False)) is None
