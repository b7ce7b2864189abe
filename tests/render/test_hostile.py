"""Whatever a table's names are made of, each format shows it and obeys none of it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from deltaadm.documents import Failure
from deltaadm.formats import FORMATS, Style, render
from deltaadm.masking import is_hidden, visible
from deltaadm.rules.rule import ValidationReport
from tests.support.cases import each
from tests.support.samples import HOSTILE, hostile_reports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from deltaadm.blocks import Report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=HOSTILE.values(), ids=HOSTILE)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Reports(tuple["Report", ...]):  # noqa: SLOT001 -- it keeps its output
    """Reports whose output is made once for all laws on it."""

    def __init__(self, _: Iterable[Report]) -> None:
        self.output: dict[tuple[str, bool], str] = {}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, text: str) -> Reports:
    return Reports(hostile_reports(tmp_path_factory.mktemp("hostile") / "table", text))


def shown(name: str, reports: Reports, *, for_terminal: bool = False) -> str:
    key = name, for_terminal
    if key not in reports.output:
        out = StringIO()
        fitting = [report for report in reports if FORMATS[name].shows(type(report).__name__)]
        render(name, fitting, out, Style(color="always", width=100, for_terminal=for_terminal))
        reports.output[key] = out.getvalue()
    return reports.output[key]


def hidden(text: str) -> set[str]:
    return {character for character in set(text) if is_hidden(character)} - {"\n"}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, nested in value.items():
            yield key
            yield from strings(nested)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


@each("name", [name for name in FORMATS if name != "sql"])
def test_output_can_be_written_in_utf_8(name: str, reports: Reports) -> None:
    assert shown(name, reports).encode("utf-8")


@each("name", ["text", "github", "markdown", "html", "junit", "json", "jsonl", "sarif", "gitlab"])
def test_nothing_hidden_is_left(name: str, reports: Reports) -> None:
    colours = re.sub(r"\x1b\[[0-9;]*m", "", shown(name, reports)) if name == "text" else ""
    assert hidden(colours or shown(name, reports)) == set()


@each("name", list(FORMATS))
def test_nothing_hidden_is_left_on_a_terminal(name: str, reports: Reports) -> None:
    """Whatever the format, also those whose output is meant for programs."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", shown(name, reports, for_terminal=True))
    assert hidden(output) == set()


@each("name", ["text", "markdown", "html", "junit", "sarif", "gitlab", "json", "jsonl", "yaml"])
def test_no_line_is_a_workflow_command(name: str, reports: Reports) -> None:
    output = re.sub(r"\x1b\[[0-9;]*m", "", shown(name, reports))
    assert not [line for line in output.splitlines() if line.lstrip().startswith("::")]
    if name not in {"markdown", "html", "junit"}:  # which no log of a CI system shows
        assert "##[" not in output


def test_colours_come_from_deltaadm_alone(reports: Reports) -> None:
    codes = set(re.findall(r"\x1b\[([0-9;]*)m", shown("text", reports)))
    assert codes <= {"0", "1", "2", "31", "32", "33", "1;31", "1;33"}


def test_json_keeps_every_name_as_it_is(reports: Reports, text: str) -> None:
    found, table, *_ = json.loads(shown("json", reports))
    assert (found["table"], found["findings"][0]["message"]) == (text, text)
    assert table["table"] == table["location"] == text
    assert table["metadata"]["name"] == reports[1].snapshot.metadata.name  # type: ignore[union-attr]
    assert len(shown("jsonl", reports).splitlines()) == len(reports)


def test_sarif_stays_valid(reports: Reports, sarif_validator: Any) -> None:
    log = json.loads(shown("sarif", reports))
    sarif_validator.validate(log)
    assert not [string for string in strings(log) if hidden(string)]
    [run] = log["runs"]
    assert len(run["results"]) == 5
    for result in run["results"]:
        assert "](" not in result["message"]["text"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[A-Za-z0-9/:@!$&'()*+,;=~._-]|%[0-9A-F]{2})+", uri)


def test_gitlab_stays_valid(reports: Reports) -> None:
    issues = json.loads(shown("gitlab", reports))
    assert not [string for string in strings(issues) if hidden(string)]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 5


def test_junit_keeps_its_shape(reports: Reports, text: str) -> None:
    root = ET.fromstring(shown("junit", reports))  # noqa: S314 -- our own output
    suite, failed = root
    assert Counter(element.tag for element in root.iter()) == {
        "testsuites": 1, "testsuite": 2, "testcase": 6, "failure": 2, "system-out": 2, "error": 2,
    }  # fmt: skip
    assert suite.get("name") == failed.get("name") == visible(text)


def test_github_writes_one_command_for_each_finding(reports: Reports) -> None:
    lines = shown("github", reports).split("\n")
    assert lines.pop() == ""
    *found, failure = lines
    assert [bool(re.match(r"::(error|warning|notice) file=", line)) for line in found] == [True] * 4
    assert failure.startswith("::error file=")
    for line in lines:
        _, head, message = line.split("::", 2)
        assert len(re.findall("[,:]", head)) == 1
        assert not re.search(r"%(?!25|0A)", message)


MARKDOWN_TOKENS = {
    "heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close",
    "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close",
    "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "fence",
}  # fmt: skip
AUTOLINKED = re.compile(
    r"https?://|www\.|\w@(?![\d.]*\d(?![\w-]|\.\w))\w|(?:^|\W)[@#]\w|:(?!\d\d:)\w+:", re.IGNORECASE
)
"""What GitHub and GitLab make links, mentions or pictures of in plain text."""


def test_markdown_has_no_structure_but_ours(reports: Reports, text: str) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = parser.parse(shown("markdown", reports))
    assert {token.type for token in tokens} <= MARKDOWN_TOKENS
    inside = [each for token in tokens for each in token.children or ()]
    assert {token.type for token in inside} <= {"text", "text_special", "code_inline"}
    assert not AUTOLINKED.search(
        " ".join(token.content for token in inside if token.type != "code_inline")
    )
    headings = [token for token in tokens if token.type == "heading_open" and token.tag == "h2"]
    assert len(headings) == len(reports)
    for row in cells_by_row(tokens):
        assert len(row) in {2, 3, 4, 5}
    shown_texts = ["".join(each.content for each in token.children or ()) for token in tokens]
    assert visible(text).strip() in " ".join(shown_texts)


def cells_by_row(tokens: Sequence[Any]) -> Iterator[list[Any]]:
    """The cells of each row; the parser drops surplus ones, so the source is counted as well."""
    row: list[Any] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type in {"td_open", "th_open"}:
            row.append(token)
        elif token.type == "tr_close":
            yield row


def test_markdown_rows_have_as_many_cells_as_their_heading(reports: Reports) -> None:
    expected = 0
    for line in shown("markdown", reports).splitlines():
        if not line.startswith("|"):
            expected = 0
            continue
        bars = line.count("|")
        assert bars == (expected or bars)
        expected = bars


class Page(HTMLParser):
    """Every tag, attribute and text, with the elements that are open checked as they close."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        pytest.fail(f"a processing instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        pytest.fail(f"a declaration: {data}")


def read_page(source: str) -> Page:
    page = Page()
    page.feed(source)
    page.close()
    assert page.open == []
    return page


def test_html_is_made_of_our_elements(reports: Reports, tmp_path: Path, text: str) -> None:
    page = read_page(shown("html", reports))
    tame = read_page(shown("html", Reports(hostile_reports(tmp_path / "tame", "tame"))))
    assert set(page.tags) <= set(tame.tags)
    assert {key for _, key, _ in page.attributes} <= {key for _, key, _ in tame.attributes}
    assert not [key for _, key, _ in page.attributes if key.startswith("on") or key == "src"]
    assert all(value.startswith("#report-") for _, key, value in page.attributes if key == "href")
    assert visible(text) in "".join(page.texts)


def test_html_needs_nothing_from_elsewhere(reports: Reports) -> None:
    source = shown("html", reports)
    [script] = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    page = read_page(source)
    assert ("meta", "content", policy) in page.attributes
    assert page.tags["script"] == 1
    assert not re.search("https?:|innerHTML|insertAdjacent|document.write|eval", script)
    style = source[source.index("<style>") : source.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_nothing_runs_on_the_page_of_one_report(reports: Reports) -> None:
    for report in reports:
        page = read_page(shown("html", Reports([report])))
        if not page.tags["pre"]:
            assert page.tags["script"] == 0
            policy = "default-src 'none'; style-src 'unsafe-inline'"
            assert ("meta", "content", policy) in page.attributes


def test_hostile_reports_reach_every_format(reports: Reports) -> None:
    assert {ValidationReport, Failure} <= {type(report) for report in reports}
    assert all(
        any(each.shows(type(report).__name__) for report in reports) for each in FORMATS.values()
    )
