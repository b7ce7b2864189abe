"""
Reports as one HTML page that needs nothing else: no script, no font, no image from elsewhere.

Every element is made by `_tag`, which escapes each text that it is given.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from deltaadm import __version__
from deltaadm.render.blocks import (
    Cards,
    Command,
    Graph,
    Heading,
    Items,
    Matrix,
    Paragraph,
    Prose,
    Table,
    page_blocks,
)
from deltaadm.render.feature_graph import feature_graph
from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.render.feature_graph import Node

_STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c1e21; --faint: #5a6068; --line: #c9ced6; --head: #f2f4f7;
  --error: #b3261e; --warning: #8a5300; --info: #0b57a4; --good: #1a6b33; --node: #eef4fb;
}
@media (prefers-color-scheme: dark) {
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
.changes { list-style: none; padding: 0; }
.changes li { padding-left: 1.2em; text-indent: -1.2em; }
@media (max-width: 30rem) { .changes { font-size: 0.875rem; } }
footer, figcaption { color: var(--faint); font-size: 0.875rem; }
th.added { color: var(--good); } th.dropped { color: var(--error); }
th.changed { color: var(--warning); }
@media print { body { max-width: none; } section { break-before: page; } }
@media (max-width: 40rem) {
  body { padding: 0.5rem; font-size: 0.9375rem; } th, td { padding: 0.2rem 0.35rem; }
  .matrix { font-size: 0.75rem; }
  table:not(.matrix) :is(thead, tr, th, td) { display: block; border: 0; }
  table:not(.matrix) thead { display: none; }
  table:not(.matrix) tr { border: 1px solid var(--line); margin-bottom: 0.5rem; }
  td[data-title]::before { content: attr(data-title) ": "; color: var(--faint); }
  pre { white-space: pre-wrap; }
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
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing runs or is loaded, even if some text of a table escaped the escaping."""

_MARKS = {"error": "Error", "warning": "Warning", "info": "Info"}


def write_html(reports: Sequence[Report], out: TextIO) -> None:
    """One page for all *reports*; with several, a list of them leads to each."""
    pages = [list(page_blocks(report)) for report in reports]
    sections = [_section(number, page) for number, page in enumerate(pages)]
    head = _tag(
        "head",
        _tag("meta", charset="utf-8"),
        _tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        _tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        _tag("title", _title(pages)),
        _Html(f"<style>{_STYLE}</style>"),
    )
    body = _tag(
        "body",
        _tag("header", _tag("h1", "deltaadm report")),
        *([_contents(pages)] if len(pages) > 1 else []),
        _tag("main", *sections),
        _tag("footer", _tag("p", f"Generated by deltaadm {__version__}.")),
    )
    # ASCII alone is the same in whatever encoding the page is written and read.
    page = f"<!doctype html>\n{_tag('html', head, body, lang='en')}\n"
    out.write(page.encode("ascii", "xmlcharrefreplace").decode("ascii"))


class _Html(str):
    """Text that is HTML already."""

    __slots__ = ()


_EMPTY: Final = frozenset({"meta", "rect", "path"})


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


def _title(pages: Sequence[Iterable[object]]) -> str:
    """What the browser's tab says."""
    title = _titles(pages)[0] if len(pages) == 1 else f"{len(pages)} reports"
    return f"{title} - deltaadm"


def _contents(pages: Iterable[Iterable[object]]) -> _Html:
    links = (
        _tag("li", _tag("a", title, href=f"#report-{number}"))
        for number, title in enumerate(_titles(pages))
    )
    return _tag("nav", _tag("ul", *links), aria_label="Reports")


def _section(number: int, page: Iterable[object]) -> _Html:
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
    return _tag("ul", *items, class_="changes")


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
"""What the first cell of a change begins with, and its class."""


def _breakable(text: str) -> _Html:
    """*text* that breaks between the parts of an identifier, and within none but endless ones."""
    shown = _PARTS.sub("\0", visible(text))
    return _Html(escape(_ENDLESS.sub("\\g<0>\0", shown)).replace("\0", "<wbr/>"))


_PARTS: Final = re.compile(r"(?<=[./\\\[=])(?=[^\W\d])")
_ENDLESS: Final = re.compile(r"[^\s\0]{40}")


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
    graph = feature_graph(block.report, block.findings, block.before)
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


def _short(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


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
}
