"""
Reports as one HTML page that needs nothing else: no font, no image, no script from elsewhere.

Every element is made by `_tag`, which escapes each text that it is given.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Final

from deltaadm import __version__
from deltaadm.blocks import (
    Cards,
    Command,
    Folded,
    Graph,
    Heading,
    Items,
    Matrix,
    Paragraph,
    Prose,
    Table,
    Timeline,
    page_blocks,
)
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import FEATURES
from deltaadm.reports.overview import FleetSummary
from deltaadm.reports.words import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

    from deltaadm.blocks import FeatureReport, Report, TimelineBar, TimelineLane
    from deltaadm.rules.rule import Finding, Severity


# The graph of features


_SUPPORT = {"explicit": "listed", "implicit": "implied", None: "not supported"}
_COLUMNS_OF_LONERS = 3


@dataclass(frozen=True, kw_only=True)
class Node:
    """
    A feature and where it stands: the column from the left, the row from the top.

    `severity` is that of the worst finding about it; `change` is + or - where a plan adds or drops
    it, else empty.
    """

    name: str
    supported: bool
    active: bool
    state: str
    severity: Severity | None
    change: str
    column: int
    row: int


@dataclass(frozen=True)
class FeatureGraph:
    """Nodes, and edges from a feature to one that it requires."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[Node, Node], ...]


def feature_graph(
    features: Collection[FeatureReport],
    findings: Collection[Finding] = (),
    before: Collection[FeatureReport] | None = None,
) -> FeatureGraph:
    """
    *features* and all that they require, whether the table has it or not.

    Where those *before* a plan are given, also those that the plan drops.
    """
    listed = {feature.name: feature for feature in features}
    now = _supported(features)
    then = now if before is None else _supported(before)
    requires = dict(_requirements({*listed, *then}))
    nodes = {}
    for name, (column, row) in _places(requires).items():
        feature = listed.get(name)
        supported = feature is not None and feature.supported is not None
        active = feature is not None and feature.active
        support = _SUPPORT[feature.supported if feature is not None else None]
        if name in then - now:
            support = "dropped"
        elif name in now - then:
            support = "added"
        nodes[name] = Node(
            name=name,
            supported=supported,
            active=active,
            state=f"{support}, active" if active else support,
            severity=_worst(name, findings),
            change="+" if name in now - then else "-" if name in then - now else "",
            column=column,
            row=row,
        )
    edges = ((nodes[name], nodes[other]) for name, needed in requires.items() for other in needed)
    return FeatureGraph(tuple(nodes.values()), tuple(edges))


def changed_part(graph: FeatureGraph) -> FeatureGraph:
    """The nodes that come, go or have findings, and those that an edge joins to one of them."""
    touched = {node for node in graph.nodes if node.change or node.severity}
    joined = {node for edge in graph.edges if touched.intersection(edge) for node in edge}
    near = {node.name: node for node in graph.nodes if node in touched | joined}
    edges = [(start.name, end.name) for start, end in graph.edges if {start, end} <= joined]
    requires = {name: tuple(end for start, end in edges if start == name) for name in near}
    nodes = {
        name: replace(near[name], column=column, row=row)
        for name, (column, row) in _places(requires).items()
    }
    return FeatureGraph(
        tuple(nodes.values()), tuple((nodes[start], nodes[end]) for start, end in edges)
    )


def _supported(features: Collection[FeatureReport]) -> set[str]:
    return {feature.name for feature in features if feature.supported is not None}


def _requirements(names: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    waiting, seen = sorted(names), set(names)
    while waiting:
        name = waiting.pop(0)
        known = FEATURES.get(name)
        needed = tuple(sorted(known.requires)) if known else ()
        yield name, needed
        waiting.extend(required for required in needed if required not in seen)
        seen.update(needed)


def _places(requires: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[int, int]]:
    """Column and row of each: what is required to the right, what stands alone at the bottom."""
    joined = {member for name, needed in requires.items() if needed for member in (name, *needed)}
    depths = {name: _depth(name, requires) for name in requires if name in joined}
    deepest = max(depths.values(), default=0)
    rows = [0] * (deepest + 1)
    places = {}
    for name, depth in sorted(depths.items(), key=lambda item: (-item[1], item[0])):
        column = deepest - depth
        places[name] = (column, rows[column])
        rows[column] += 1
    top = max(rows)
    for number, name in enumerate(sorted(set(requires) - joined)):
        row, column = divmod(number, _COLUMNS_OF_LONERS)
        places[name] = (column, top + row)
    return places


def _depth(name: str, requires: Mapping[str, tuple[str, ...]]) -> int:
    """The length of the longest way from *name* to what requires nothing."""
    return max((1 + _depth(required, requires) for required in requires[name]), default=0)


def _worst(name: str, findings: Collection[Finding]) -> Severity | None:
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    about = (
        finding.severity
        for finding in findings
        if word.search(f"{finding.where} {finding.message}")
    )
    return min(about, key=lambda severity: severity.rank, default=None)


# Style and script


STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c1e21; --faint: #5a6068; --line: #c9ced6; --head: #f2f4f7;
  --error: #b3261e; --warning: #8a5300; --info: #0b57a4; --good: #1a6b33; --node: #eef4fb;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --text: #e6e8eb; --faint: #a3abb5; --line: #444b55; --head: #22262b;
    --error: #ff8f86; --warning: #f0b45b; --info: #8ec0ff; --good: #7fd99a; --node: #202b38;
  }
}
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { border-bottom: 2px solid var(--line); margin-top: 2.5rem; }
.error { color: var(--error); } .warning { color: var(--warning); }
.info { color: var(--info); } .good { color: var(--good); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: start;
  vertical-align: top; overflow-wrap: break-word; min-width: 5rem; }
th { background: var(--head); font-weight: 600; }
pre { background: var(--head); border: 1px solid var(--line); padding: 0.6rem;
  overflow-x: auto; }
li { overflow-wrap: anywhere; }
.option { white-space: nowrap; }
.changes { list-style: none; padding: 0; }
.changes li { padding-left: 1.2em; text-indent: -1.2em; }
@media (max-width: 30rem) { .changes { font-size: 0.875rem; } }
footer, figcaption { color: var(--faint); font-size: 0.875rem; }
th.added { color: var(--good); } th.dropped { color: var(--error); }
th.changed { color: var(--warning); }
@media screen and (max-width: 40rem) {
  body { padding: 0.5rem; font-size: 0.9375rem; } th, td { padding: 0.2rem 0.35rem; }
  .matrix { font-size: 0.75rem; }
  table:not(.matrix) { display: block; }
  table:not(.matrix) :is(thead, tbody, tr, th, td) { display: block; border: 0; }
  table:not(.matrix) thead { display: none; }
  table:not(.matrix) tr { border: 1px solid var(--line); margin-bottom: 0.5rem; }
  td[data-title]::before { content: attr(data-title) ": "; color: var(--faint); }
  pre { white-space: pre-wrap; }
  figure { overflow-x: auto; } figure svg:not(.timeline) { max-width: none; }
  .fleet.scripted thead { display: block; }
  .fleet.scripted thead tr { display: flex; flex-wrap: wrap; }
  .fleet td:empty { display: none; }
}
.cards { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0.75rem 0 1.25rem; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.9rem; flex: 1 1 9rem; }
.card dt { color: var(--faint); font-size: 0.875rem; }
.card dd { margin: 0; font-size: 1.125rem; font-weight: 600; }
summary { cursor: pointer; }
.matrix { width: auto; }
.matrix th, .matrix td { min-width: 0; padding: 0.15rem 0.4rem; white-space: nowrap; }
.matrix thead th { vertical-align: bottom; }
.matrix thead span { writing-mode: vertical-rl; rotate: 180deg; }
.matrix tbody th { position: sticky; left: 0; font-weight: 400; }
.mark { font-family: ui-monospace, monospace; text-align: center; }
.mark.good { background: color-mix(in srgb, var(--good) 22%, transparent); }
.mark.info { background: transparent; color: var(--faint); }
.mark.warning { background: color-mix(in srgb, var(--warning) 22%, transparent); }
.mark.error { background: var(--error); color: var(--page); font-weight: 600; }
.legend { color: var(--faint); font-size: 0.875rem; }
figure { margin: 1rem 0; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 13px system-ui, sans-serif; }
svg .state { fill: var(--faint); font-size: 11px; }
svg rect { fill: var(--node); stroke: var(--line); stroke-width: 1.5; }
svg .active rect { stroke: var(--good); }
svg .missing rect { fill: none; stroke-dasharray: 5 4; }
svg .added rect { stroke: var(--good); stroke-width: 3; }
svg .dropped rect { stroke: var(--error); stroke-dasharray: 5 4; }
svg .dropped text { text-decoration: line-through; }
svg .error rect { stroke: var(--error); stroke-width: 3; }
svg .warning rect { stroke: var(--warning); stroke-width: 3; }
svg .info rect { stroke: var(--info); stroke-width: 3; }
svg path { fill: none; stroke: var(--faint); stroke-width: 1.5; }
svg marker path { fill: var(--faint); stroke: none; }
svg.timeline { width: 100%; max-width: none; }
svg.timeline line { stroke: var(--line); stroke-dasharray: 2 4; }
svg.timeline .feature rect { fill: color-mix(in srgb, var(--good) 22%, transparent);
  stroke: var(--good); stroke-width: 1; }
[hidden] { display: none !important; }
.fleet thead th { position: sticky; top: 0; }
.fleet-box { overflow: auto; max-height: 70vh; }
.controls { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
.controls input { flex: 1 1 10rem; max-width: 24rem; font: inherit; padding: 0.25rem 0.5rem; }
.controls output { color: var(--faint); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; }
th[aria-sort] button::after { content: " \\25B2"; }
th[aria-sort="descending"] button::after { content: " \\25BC"; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; }
  .controls { display: none; }
  .scroll, .fleet-box { overflow: visible; max-height: none; }
  .fleet thead th, .matrix tbody th { position: static; }
  details::details-content { content-visibility: visible; block-size: auto; }
  section + section { break-before: page; }
  nav { break-after: page; }
  tr, .card, figure, pre { break-inside: avoid; }
  h1, h2, h3, h4 { break-after: avoid; }
  pre { white-space: pre-wrap; }
  .mark, svg { print-color-adjust: exact; }
}
"""

FRAGMENT_CLASS = "deltaadm"


def fragment_style() -> str:
    """The same style for what stands inside another page, of which it changes nothing else."""
    own = STYLE.replace(":root", "&").replace("body {", "& {")
    return f".{FRAGMENT_CLASS} {{{own}& section > h2 {{ margin-top: 0; }}\n}}"


SCRIPT = r"""
"use strict";
for (const table of document.querySelectorAll("table.fleet")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const box = document.createElement("input"), count = document.createElement("output");
  const label = document.createElement("label");
  box.type = "search";
  label.className = "controls";
  label.append("Filter", box, count);
  table.parentElement.before(label);
  table.classList.add("scripted");
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  box.addEventListener("input", filter);
  filter();
  const { compare } = new Intl.Collator("en", { numeric: true });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      rows.sort((one, other) => {
        const [a, b] = [one, other].map((row) => row.cells[column].textContent);
        return a && b ? sign * compare(a, b) : !a - !b;
      });
      body.append(...rows);
    });
  });
}
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  for (const one of unfolded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of unfolded) one.open = false;
});
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing runs or is loaded, even if some text of a table escaped the escaping."""


def policy_with_script() -> str:
    """The same for a page with the script, and nothing but that runs."""
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    return f"{POLICY}; script-src 'sha256-{digest}'"


# The page


_MARKS = {"error": "Error", "warning": "Warning", "info": "Info"}


def write_html(reports: Sequence[Report], out: TextIO) -> None:
    """One page for all *reports*; with several, an overview of them comes first."""
    # What many tables have in common comes before each of them.
    ordered = sorted(reports, key=lambda report: not isinstance(report, FleetSummary))
    pages = [list(page_blocks(report)) for report in ordered]
    sums_up = isinstance(ordered[0], FleetSummary) if ordered else False
    main = _tag("main", *(_section(number, page) for number, page in enumerate(pages)))
    contents = [_contents(pages, sums_up=sums_up)] if len(pages) > 1 else []
    runs = any(mark in part for part in (*contents, main) for mark in _SCRIPTED)
    head = _tag(
        "head",
        _tag("meta", charset="utf-8"),
        _tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        _tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content=policy_with_script() if runs else POLICY,
        ),
        _tag("title", _title(pages, sums_up=sums_up)),
        _Html(f"<style>{STYLE}</style>"),
    )
    body = _tag(
        "body",
        _tag("header", _tag("h1", "deltaadm report")),
        *contents,
        main,
        _tag("footer", _tag("p", f"Generated by deltaadm {__version__}.")),
        *([_Html(f"<script>{SCRIPT}</script>")] if runs else []),
    )
    # ASCII alone is the same in whatever encoding the page is written and read.
    page = f"<!doctype html>\n{_tag('html', head, body, lang='en')}\n"
    out.write(page.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def html_fragment(report: Report) -> str:
    """
    What a page says of *report*, for a place in another page: with its own style, and no script.

    Ids are made of what it says, so that several of them can stand on one page.
    """
    page = list(page_blocks(report))
    body = "".join(_section(0, page))
    number = sha256(body.encode()).hexdigest()[:12]
    style = _Html(f"<style>{fragment_style()}</style>")
    return _tag("div", style, _section(number, page), class_=FRAGMENT_CLASS)


_SCRIPTED: Final = ('<table class="fleet">', "<details>")
"""Markup that needs the script; texts are escaped and cannot contain it."""


class _Html(str):
    """Text that is HTML already."""

    __slots__ = ()


_EMPTY: Final = frozenset({"meta", "rect", "path", "line"})


def _tag(name: str, /, *children: str, **attributes: str) -> _Html:
    """One element; children are texts unless they are elements themselves."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible(text))}"'
        for key, text in attributes.items()
        if text
    )
    if name in _EMPTY:
        return _Html(f"<{name}{given}>" if name == "meta" else f"<{name}{given}/>")
    inside = "".join(
        text if isinstance(text, _Html) else escape(visible(text)) for text in children
    )
    return _Html(f"<{name}{given}>{inside}</{name}>")


def _titles(pages: Iterable[Iterable[object]]) -> list[str]:
    return [next(block.text for block in page if isinstance(block, Heading)) for page in pages]


def _title(pages: Sequence[Iterable[object]], *, sums_up: bool) -> str:
    """The title of the page."""
    title = _titles(pages)[0] if len(pages) == 1 or sums_up else f"{len(pages)} reports"
    return f"{title} - deltaadm"


def _contents(pages: Sequence[Sequence[object]], *, sums_up: bool) -> _Html:
    """A link to each report; a table of them where they begin with verdicts."""
    links = [
        _tag("a", _breakable(title), href=f"#report-{number}")
        for number, title in enumerate(_titles(pages))
    ]
    verdicts = list(map(_verdicts, pages))[sums_up:]
    columns = list(dict.fromkeys(title for verdict in verdicts for title in verdict))
    if set(columns) <= {_REMARK}:
        return _tag("nav", _tag("ul", *(_tag("li", link) for link in links)), aria_label="Reports")
    columns.sort(key=_REMARK.__eq__)
    heads = (_tag("th", text, scope="col") for text in ("report", *columns))
    rows = (
        _tag("tr", _tag("th", link, scope="row"), *(_cell(verdict, title) for title in columns))
        for link, verdict in zip(links[sums_up:], verdicts, strict=True)
    )
    table = _tag(
        "table",
        _tag("caption", "Reports"),
        _tag("thead", _tag("tr", *heads)),
        _tag("tbody", *rows),
        class_="fleet",
    )
    box = _tag("div", table, class_="fleet-box", tabindex="0", role="region", aria_label="Reports")
    return _tag("nav", box, aria_label="Reports")


_REMARK: Final = "remark"


def _verdicts(page: Iterable[object]) -> dict[str, tuple[str, str]]:
    """The beginning of a report: its cards, or else the first sentence that has a tone."""
    for block in page:
        if isinstance(block, Cards):
            return {title: (text, tone) for title, text, tone in block.cards}
        if isinstance(block, Paragraph) and block.tone:
            return {_REMARK: (block.text, block.tone)}
    return {}


def _cell(cells: Mapping[str, tuple[str, str]], title: str) -> _Html:
    text, tone = cells.get(title, ("", ""))
    return _tag("td", _breakable(text), class_=tone, data_title=title)


def _section(number: int | str, page: Iterable[object]) -> _Html:
    elements = []
    for place, block in enumerate(page):
        anchor = f"report-{number}" if not place else f"part-{number}-{place}"
        elements.append(_Html("\n") + _BLOCKS[type(block)](block, anchor))
    return _tag("section", *map(_Html, elements), aria_labelledby=f"report-{number}")


def _heading(block: Heading, anchor: str) -> _Html:
    mark = f"{_MARKS[block.tone]}: " if block.level == 1 and block.tone in _MARKS else ""
    return _tag(f"h{block.level + 1}", mark + block.text, id=anchor, class_=block.tone)


def _paragraph(block: Paragraph, _: str) -> _Html:
    return _tag("p", block.text, class_=block.tone)


def _prose(block: Prose, _: str) -> _Html:
    return _tag("p", block.text)


def _items(block: Items, _: str) -> _Html:
    if not block.kinds:
        return _tag("ul", *(_tag("li", text) for text in block.texts))
    rows = zip(block.texts, block.kinds, strict=True)
    # The sign stays beside what it is about.
    items = (_tag("li", text.replace(" ", "\xa0", 1), class_=_KINDS[kind]) for text, kind in rows)
    listed = _tag("ul", *items, class_="changes")
    if len(block.texts) <= _LONGEST_TABLE:
        return listed
    return _tag("details", _tag("summary", f"{len(block.texts)} changes"), listed)


_KINDS: Final = {"+": "good", "-": "error", "~": "warning"}


def _table(block: Table, _: str) -> _Html:
    parts = [_tag("caption", block.caption)]
    if block.columns:
        heads = (_tag("th", text, scope="col") for text in block.columns)
        parts.append(_tag("thead", _tag("tr", *heads)))
    parts.append(_tag("tbody", *(_row(row, block.columns) for row in block.rows)))
    table = _tag("div", _tag("table", *parts), class_="scroll")
    if len(block.rows) <= _LONGEST_TABLE:
        return table
    return _tag("details", _tag("summary", f"{block.caption}: {len(block.rows)} rows"), table)


def _folded(block: Folded, anchor: str) -> _Html:
    tables = (_table(table, anchor) for table in block.tables)
    return _tag("details", _tag("summary", block.summary), *tables)


_LONGEST_TABLE: Final = 100
"""A table of more rows is folded up."""


def _matrix(block: Matrix, _: str) -> _Html:
    heads = (_tag("th", _tag("span", text), scope="col") for text in ("", *block.columns))
    rows = (
        _tag(
            "tr",
            _tag("th", name, scope="row"),
            *(_tag("td", mark, class_=f"mark {tone}") for mark, tone in cells),
        )
        for name, cells in block.rows
    )
    table = _tag(
        "table",
        _tag("caption", block.caption),
        _tag("thead", _tag("tr", *heads)),
        _tag("tbody", *rows),
        class_="matrix",
    )
    return _Html(_tag("div", table, class_="scroll") + _tag("p", block.legend, class_="legend"))


def _row(cells: Sequence[str], columns: Sequence[str]) -> _Html:
    first, *rest = map(_breakable, cells)
    change = _CHANGES.get(cells[0][:2], "")
    head = _tag("th", first, scope="row", class_=change)
    titles = columns[1:] or ("",) * len(rest)
    others = (_tag("td", cell, data_title=title) for cell, title in zip(rest, titles, strict=True))
    return _tag("tr", head, *others)


_CHANGES: Final = {"+ ": "added", "- ": "dropped", "~ ": "changed"}
"""The text and the class of the first cell of a change."""


def _breakable(text: str) -> _Html:
    """*text* that breaks between the parts of an identifier, and within none but endless ones."""
    shown = _PARTS.sub("\0", visible(text))
    escaped = escape(_ENDLESS.sub("\\g<0>\0", shown))
    return _Html(_OPTION.sub(r'<span class="option">\g<0></span>', escaped).replace("\0", "<wbr/>"))


_PARTS: Final = re.compile(r"(?<=[./\\\[=])(?=[^\W\d])")
_ENDLESS: Final = re.compile(r"[^\s\0]{40}")
_OPTION: Final = re.compile(r"(?<!\S)--[a-z-]{1,30}(?![^\s=])")
"""An option of the command line, which a line must not end within."""


def _cards(block: Cards, _: str) -> _Html:
    cards = (
        _tag("div", _tag("dt", title), _tag("dd", text, class_=tone), class_="card")
        for title, text, tone in block.cards
    )
    return _tag("dl", *cards, class_="cards")


def _command(block: Command, _: str) -> _Html:
    command = _tag("pre", _tag("code", block.text))
    return _Html(_tag("p", block.introduction) + command) if block.label else command


# the graph of features

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 230, 44, 70, 16, 4
_LONGEST_NAME = 30
_LEGEND_OF_PLAN = "The features after the change: + is added, - is dropped."
_LEGEND = (
    "An arrow leads from a feature to one that it requires. A dashed border means that the "
    "protocol does not have the feature; a thick one, that there are findings about it."
)


def _graph(block: Graph, anchor: str) -> _Html:
    """The features; where a plan leaves most as they are, first those that it concerns."""
    graph = feature_graph(block.features, block.findings, block.before)
    part = graph if block.before is None else changed_part(graph)
    if len(graph.nodes) - len(part.nodes) <= _MOST_UNCHANGED:
        return _figure(block, graph, anchor)
    whole = _tag(
        "details",
        _tag("summary", f"All {len(graph.nodes)} features, with those that do not change"),
        _figure(block, graph, f"{anchor}-all"),
    )
    return _Html(_figure(block, part, anchor) + whole) if part.nodes else whole


_MOST_UNCHANGED: Final = 4
"""If a plan leaves more features as they are, they are folded up."""


def _figure(block: Graph, graph: FeatureGraph, anchor: str) -> _Html:
    width = max(_left(node) for node in graph.nodes) + _WIDTH + _MARGIN
    height = max(_top(node) for node in graph.nodes) + _HEIGHT + _MARGIN
    arrow = f"{anchor}-arrow"
    head = _tag("path", d="M0 0L8 4L0 8z")
    marker = _tag(
        "marker",
        head,
        id=arrow,
        viewBox="0 0 8 8",
        refX="8",
        refY="4",
        markerWidth="8",
        markerHeight="8",
        orient="auto",
    )
    picture = _tag(
        "svg",
        _tag("title", "The features of the table and what they require", id=f"{anchor}-title"),
        _tag("desc", _description(graph.nodes), id=f"{anchor}-desc"),
        _tag("defs", marker),
        *(_edge(start, end, arrow) for start, end in graph.edges),
        *map(_node, graph.nodes),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        height=str(height),
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
    legend = _LEGEND if block.before is None else f"{_LEGEND_OF_PLAN} {_LEGEND}"
    return _tag("figure", picture, _tag("figcaption", legend))


def _description(nodes: Iterable[Node]) -> str:
    return "; ".join(f"{node.name}: {_state(node)}" for node in nodes)


def _state(node: Node) -> str:
    return f"{node.state} ({node.severity.value})" if node.severity else node.state


def _left(node: Node) -> int:
    return _MARGIN + node.column * (_WIDTH + _GAP_X)


def _top(node: Node) -> int:
    return _MARGIN + node.row * (_HEIGHT + _GAP_Y)


def _edge(start: Node, end: Node, arrow: str) -> _Html:
    x, y = _left(start) + _WIDTH, _top(start) + _HEIGHT // 2
    to_x, to_y = _left(end), _top(end) + _HEIGHT // 2
    middle = (x + to_x) // 2
    curve = f"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}"
    return _tag("path", d=curve, marker_end=f"url(#{arrow})")


def _node(node: Node) -> _Html:
    left, top = _left(node), _top(node)
    return _tag(
        "g",
        _tag("title", f"{node.name}: {_state(node)}"),
        _tag("rect", x=str(left), y=str(top), width=str(_WIDTH), height=str(_HEIGHT), rx="6"),
        _tag(
            "text", _short(f"{node.change} {node.name}".strip()), x=str(left + 10), y=str(top + 19)
        ),
        _tag("text", _state(node), x=str(left + 10), y=str(top + 35), class_="state"),
        class_=" ".join(_classes(node)),
    )


def _classes(node: Node) -> Iterator[str]:
    yield "node"
    if node.active:
        yield "active"
    if not node.supported:
        yield "missing"
    if node.change:
        yield "added" if node.change == "+" else "dropped"
    if node.severity:
        yield node.severity.value


def _short(name: str, longest: int = _LONGEST_NAME) -> str:
    shown = visible(name)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


# the timeline of the protocol: it is as wide as the page, and its text is not scaled

_LANE, _AXIS, _INSET = 26, 38, 6
_MOST_LABELS, _LAST_LABEL = 5, 0.8
_LONGEST_LANE = 44
_LEGEND_OF_TIMELINE = (
    "Each column begins with a commit that changed the protocol, at equal distances whatever the "
    "time between them. A bar that reaches the right edge has not ended."
)


def _timeline(block: Timeline, anchor: str) -> _Html:
    count = len(block.points)
    height = _AXIS + _LANE * len(block.lanes)
    description = "; ".join(
        ", ".join(_bar_words(lane, bar, block) for bar in lane.bars) for lane in block.lanes
    )
    picture = _tag(
        "svg",
        _tag("title", block.title, id=f"{anchor}-title"),
        _tag("desc", description, id=f"{anchor}-desc"),
        *(
            _tag("line", x1=_share(n, count), x2=_share(n, count), y1="0", y2=str(height))
            for n in range(count)
        ),
        *_ticks(block.points),
        *(_lane(lane, number, block) for number, lane in enumerate(block.lanes)),
        xmlns="http://www.w3.org/2000/svg",
        class_="timeline",
        width="100%",
        height=str(height),
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
    return _tag("figure", picture, _tag("figcaption", _LEGEND_OF_TIMELINE))


def _share(number: int, count: int) -> str:
    return f"{100 * number / count:.4g}%"


def _ticks(points: Sequence[tuple[str, str]]) -> Iterator[_Html]:
    """The version and the day of as many points as the narrowest page has room for."""
    step = -(-len(points) // _MOST_LABELS)
    for number in range(0, len(points), step):
        if number <= _LAST_LABEL * len(points):
            place = _share(number, len(points))
            version, day = points[number]
            yield _tag("text", version, x=place, y="13", dx="4")
            yield _tag("text", day, x=place, y="28", dx="4", class_="state")


def _lane(lane: TimelineLane, number: int, block: Timeline) -> _Html:
    top, count = _AXIS + number * _LANE, len(block.points)
    bars = (
        _tag(
            "g",
            _tag("title", _bar_words(lane, bar, block)),
            _tag(
                "rect",
                x=_share(bar.start, count),
                y=str(top),
                width=_share(bar.end - bar.start, count),
                height=str(_LANE - 4),
                rx="3",
            ),
        )
        for bar in lane.bars
    )
    names = (
        _tag("text", _short(name, _LONGEST_LANE), x=place, y=str(top + 15), dx=str(_INSET))
        for name, place in _names(lane, count)
    )
    return _tag("g", *bars, *names, class_="lane" if lane.bars[0].value else "feature")


def _names(lane: TimelineLane, count: int) -> Iterator[tuple[str, str]]:
    """The name at the left, and the values of a lane that has such where each begins."""
    first, *rest = lane.bars
    if not first.value or first.start:
        yield lane.name, "0"
    else:
        yield f"{lane.name} {first.value}", "0"
    if first.value:
        yield from ((bar.value, _share(bar.start, count)) for bar in rest)


def _bar_words(lane: TimelineLane, bar: TimelineBar, block: Timeline) -> str:
    name = f"{lane.name} {bar.value}".strip()
    since = " ".join(filter(None, block.points[bar.start]))
    if bar.end == len(block.points):
        return f"{name} since {since}"
    until = " ".join(filter(None, block.points[bar.end]))
    return f"{name} from {since} to {until}"


_BLOCKS: Final[Mapping[type, Callable[[Any, str], _Html]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Prose: _prose,
    Items: _items,
    Matrix: _matrix,
    Table: _table,
    Command: _command,
    Graph: _graph,
    Cards: _cards,
    Timeline: _timeline,
    Folded: _folded,
}
