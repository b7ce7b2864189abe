"""
Reports as one HTML page that needs nothing else: no font, no image, no script from elsewhere.

Every element is made by `_tag`, which escapes each text that it is given.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any, Final, TextIO

from deltaadm import __version__, blocks
from deltaadm.dataclass import text_beside
from deltaadm.domain.features import FEATURES
from deltaadm.formats import Style
from deltaadm.masking import visible
from deltaadm.reports.explain import RuleExplanation
from deltaadm.reports.overview import FleetSummary
from deltaadm.rules.rule import RULES

STYLE, SCRIPT = ("\n" + text_beside(__name__, name) for name in ("page.css", "page.js"))

FRAGMENT_CLASS = "deltaadm"

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing runs or is loaded, even if some text of a table escaped the escaping."""

_SCRIPTED: Final = ('<table class="fleet">', "<pre>")
"""Markup that needs the script; texts are escaped and cannot contain it."""


def write_html(reports: Sequence[blocks.Report], out: TextIO, style: Style) -> None:
    """One page for all *reports*, which says when it was made if that is known."""
    if len(reports) == 1:
        title, *page = blocks.page_blocks(reports[0])
        parts = [_section("report-0", page, top=1), *_rules([page])]
    else:
        title, *parts = _fleet(reports)
    main = _tag("main", *parts)
    policy, script = POLICY, []
    if any(mark in main for mark in _SCRIPTED):
        digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"  # nothing but that runs
        script = [_Html(f"<script>{SCRIPT}</script>")]
    head = _tag(
        "head",
        _tag("meta", charset="utf-8"),
        _tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        _tag("meta", http_equiv="Content-Security-Policy", content=policy),
        _tag("title", f"{_title([title])} - deltaadm"),
        _Html(f"<style>{STYLE}</style>"),
    )
    byline = _tag("p", " · ".join(filter(None, (f"deltaadm {__version__}", style.made))))
    header = _tag("header", _element(title, "report-0" if len(reports) == 1 else "top", 1), byline)
    body = _tag("body", header, main, *script)
    # ASCII alone is the same in whatever encoding the page is written and read.
    page_text = f"<!doctype html>\n{_tag('html', head, body, lang='en')}\n"
    out.write(page_text.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def html_fragment(report: blocks.Report) -> str:
    """
    What a page says of *report*, for a place in another page: with its own style, and no script.

    Ids are made of what it says, so that several of them can stand on one page. The style changes
    nothing else of the other page.
    """
    page = list(blocks.page_blocks(report))
    number = sha256(_section("", page).encode()).hexdigest()[:12]
    own = STYLE.replace(":root", "&").replace("body {", "& {")
    style = f".{FRAGMENT_CLASS} {{{own}& section > h2 {{ margin-top: 0; }}\n}}"
    # The rules are explained on whole pages alone.
    linked = _section(f"report-{number}", page)
    section = _Html(re.sub(r'<a href="#rule-[^>]*>(.*?)</a>', r"\1", linked))
    return _tag("div", _Html(f"<style>{style}</style>"), section, class_=FRAGMENT_CLASS)


# Elements


class _Html(str):
    __slots__ = ()


def _tag(name: str, /, *children: str, **attributes: str) -> _Html:
    """One element; children are texts unless they are elements themselves."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible(text))}"'
        for key, text in attributes.items()
        if text
    )
    if name == "meta":  # which holds nothing
        return _Html(f"<{name}{given}>")
    inside = "".join(
        text if isinstance(text, _Html) else escape(visible(text)) for text in children
    )
    return _Html(f"<{name}{given}>{inside}</{name}>")


def _table(caption: str, heads: Iterable[str], rows: Iterable[_Html], class_: str = "") -> _Html:
    columns = [_tag("th", text, scope="col") for text in heads]
    head = [_tag("thead", _tag("tr", *columns))] if columns else []
    return _tag("table", _tag("caption", caption), *head, _tag("tbody", *rows), class_=class_)


def _scrolled(table: _Html) -> _Html:
    return _tag("div", table, class_="scroll")


_CODE: Final = re.compile(r"(?<![\w.`])`([^`\n]+)`(?![\w`])")
"""A word of code in a sentence; identifiers of SQL are within longer ones."""


def _with_code(escaped: str) -> _Html:
    return _Html(_CODE.sub(r"<code>\1</code>", escaped))


def _prose(text: str) -> _Html:
    return _with_code(escape(visible(text)))


_PARTS: Final = re.compile(r"(?<=[./\\\[=])(?=[^\W\d])")
_ENDLESS: Final = re.compile(r"[^\s\0]{40}")


def _breakable(text: str) -> _Html:
    """*text* that breaks between the parts of an identifier, and within none but endless ones."""
    shown = _PARTS.sub("\0", visible(text))
    return _Html(escape(_ENDLESS.sub("\\g<0>\0", shown)).replace("\0", "<wbr/>"))


# Reports


_MOST_IN_FULL: Final = 40
"""So many tables have more than a row of the list, the worst first, and all with findings."""

_TONES: Final = ("error", "warning", "info", "good", "")
_REMARK: Final = "remark"


def _title(page: Iterable[blocks.Common]) -> str:
    return next(block.text for block in page if isinstance(block, blocks.Heading))


def _fleet(reports: Sequence[blocks.Report]) -> Iterator[Any]:
    pages, kinds = [], []
    common: list[blocks.Common] = []
    for report in reports:
        page = list(blocks.page_blocks(report))
        if isinstance(report, FleetSummary):
            common = page
        else:
            pages.append(page)
            kinds.append(report.document)
    title, *common = common or [blocks.Heading(f"{len(pages)} reports", level=1)]
    yield title
    verdicts = [_verdict(page) for page in pages]
    # What failed, then by the tone of the worst that a report begins with.
    calm = _TONES.index("info")
    ranks = [
        (min((calm, *(_TONES.index(tone) for _, tone in of.values()))), _REMARK not in of)
        for of in verdicts
    ]
    ordered = sorted(range(len(pages)), key=ranks.__getitem__)
    shown = dict.fromkeys(
        number
        for place, number in enumerate(ordered)
        if place < _MOST_IN_FULL
        or (ranks[number][0] < calm and kinds[number] not in {"inspect", "plan"})
    )
    # The list itself begins with the failures, each with its message.
    yield _section("tiles", [of for of in common if isinstance(of, blocks.Cards)], top=1)
    listed = []
    for number in ordered:
        name = _breakable(_title(pages[number]))
        link = _tag("a", name, href=f"#report-{number}") if number in shown else name
        listed.append((link, verdicts[number]))
    yield _contents(listed, is_complete=len(shown) == len(pages))
    yield _section("common", [of for of in common if not isinstance(of, blocks.Cards)], top=1)
    for number in shown:
        yield _section(f"report-{number}", pages[number])
    yield from _rules(pages[number] for number in shown)


def _verdict(page: Iterable[blocks.Common]) -> dict[str, tuple[str, str]]:
    """The beginning of a report: its cards, or else the first sentence that has a tone."""
    for block in page:
        if isinstance(block, blocks.Cards):
            return {title: (text, tone) for title, text, tone in block.cards}
        if isinstance(block, blocks.Paragraph) and block.tone:
            return {_REMARK: (block.text, block.tone)}
    return {}


def _contents(
    reports: Sequence[tuple[_Html, Mapping[str, tuple[str, str]]]], *, is_complete: bool
) -> _Html:
    titles = dict.fromkeys(title for _, verdict in reports for title in verdict)
    columns = [title for title in titles if title != _REMARK]
    rows = []
    for name, verdict in reports:
        cells = [
            _tag("td", _breakable(text), class_=tone, data_title=title)
            for title, (text, tone) in ((of, verdict.get(of, ("", ""))) for of in columns)
        ]
        if _REMARK in verdict:  # instead of a verdict
            text, tone = verdict[_REMARK]
            cells = [_tag("td", _breakable(text), class_=tone, colspan=str(len(columns) or 1))]
        rows.append(_tag("tr", _tag("th", name, scope="row"), *cells))
    table = _table("Reports", ("table", *columns), rows, "fleet")
    note = "The same command for one table alone tells more of tables without a link."
    notes = [] if is_complete else [_tag("p", _prose(note), class_="legend")]
    return _tag("nav", table, *notes, aria_label="Reports")


def _section(anchor: str, page: Sequence[blocks.Common], top: int = 2) -> _Html:
    elements = []
    for place, block in enumerate(page):
        own = anchor if not place and top > 1 else f"{anchor}-{place}"
        elements.append(_Html("\n" + _element(block, own, top)))
    labelled = anchor if top > 1 else ""
    return _tag("section", *elements, aria_labelledby=labelled) if elements else _Html()


def _rules(pages: Iterable[Iterable[blocks.Common]]) -> Iterator[_Html]:
    found = (block for page in pages for block in page if isinstance(block, blocks.Findings))
    codes = sorted({finding.code for block in found for finding in block.findings} & set(RULES))
    if codes:
        explained = (
            _section(f"rule-{code}", list(blocks.page_blocks(RuleExplanation(RULES[code]))), top=3)
            for code in codes
        )
        yield _tag("section", _tag("h2", "The rules"), *explained, class_="rules")


# Blocks


_MARKS = {"error": "Error", "warning": "Warning", "info": "Info", "good": "OK"}
_KINDS: Final = {"+": "good", "-": "error", "~": "warning"}
_CHANGES: Final = {"+ ": "added", "- ": "dropped", "~ ": "changed"}
"""The text and the class of the first cell of a change."""


def _element(block: blocks.Common, anchor: str, top: int) -> _Html:
    match block:
        case blocks.Heading(text, level, tone):
            # That of a report has the tone of its worst news beside it.
            mark = _MARKS.get(tone, "") if level == 1 else ""
            chip = [" ", _tag("span", mark, class_=f"chip {tone}")] if mark else []
            class_ = "" if mark else tone
            name = f"h{level + top - 1}"
            element = _tag(name, _breakable(text), *chip, id=anchor, class_=class_)
        case blocks.Paragraph(text, tone):
            element = _tag("p", _prose(text), class_=tone)
        case blocks.Findings():
            element = _findings(block, top)
        case blocks.Command(text, label):
            command = _tag("pre", _tag("code", text))
            element = _Html(_tag("p", block.introduction) + command) if label else command
        case blocks.Cards(cards):
            terms = (
                (_tag("dt", title), _tag("dd", text, class_=tone)) for title, text, tone in cards
            )
            listed = (_tag("div", *term, class_="card") for term in terms)
            element = _tag("dl", *listed, class_="cards")
        case blocks.Chips():
            element = _chips(block)
        case blocks.Table():
            element = _rows(block)
        case blocks.Items(texts):
            element = _tag("ul", *(_tag("li", _prose(item)) for item in texts))
        case blocks.Changes():
            element = _changes(block)
        case blocks.Matrix():
            element = _matrix(block)
        case blocks.Graph():
            element = _graph(block)
        case _:
            element = _timeline(block)
    return element


def _findings(block: blocks.Findings, top: int) -> _Html:
    cards = [_tag(f"h{top + 1}", block.title, class_=block.severity.value)]
    for groups, remedies in block.by_rule():
        rule = groups[0].finding
        known = rule.code in RULES
        code = _tag("a", rule.code, href=f"#rule-{rule.code}") if known else rule.code
        parts = [_tag(f"h{top + 2}", code, f" {rule.name}")]
        commands: dict[str, None] = {}
        told = ""
        for group in groups:
            places = ", ".join(filter(None, dict.fromkeys(group.places)))
            parts += (
                [_tag("p", _breakable(places), class_="place")] if places and places != told else []
            )
            told = places
            parts.append(_tag("p", _prose(group.finding.message)))
            if group.finding.remedy and len(remedies) > 1:
                parts.append(_tag("p", _prose(f"What to do: {group.finding.remedy}")))
            commands |= dict.fromkeys(filter(None, group.commands))
        if len(remedies) == 1:
            parts.append(_tag("p", _prose(f"What to do: {remedies[0]}")))
        parts += [_tag("pre", _tag("code", command)) for command in commands]
        if rule.code in block.more:
            parts.append(_tag("p", f"{block.more[rule.code]} more are not listed.", class_="place"))
        cards.append(_tag("article", *parts, class_=f"finding {block.severity.value}"))
    return _Html("".join(cards))


def _chips(block: blocks.Chips) -> _Html:
    groups = []
    for title, tone, parts in block.groups:
        chips: list[str] = []
        for reason, names in parts:
            chips += (_tag("span", name, class_=f"chip {tone}".strip()) for name in names)
            chips += [_tag("span", reason, class_="place")] if reason else []
        cell = _tag("td", _tag("div", *chips, class_="chips"))
        groups.append(_tag("tr", _tag("th", title, scope="row"), cell))
    return _table(block.caption, (), groups, "facts")


def _matrix(block: blocks.Matrix) -> _Html:
    heads = (_tag("span", text) for text in ("", *block.columns))
    rows = (
        _tag(
            "tr",
            _tag("th", name, scope="row"),
            *(_tag("td", mark, class_=f"mark {tone}") for mark, tone in cells),
        )
        for name, cells in block.rows
    )
    table = _scrolled(_table(block.caption, heads, rows, "matrix"))
    return _Html(table + _tag("p", block.legend, class_="legend"))


def _changes(block: blocks.Changes) -> _Html:
    parts = []
    for name, rows in block.named:
        items = []
        for row in rows:
            # The sign stays beside what it is about.
            text = row.text.replace(" ", "\xa0", 1)
            because = [" ", _tag("span", row.because, class_="place")] if row.because else []
            items.append(_tag("li", text, *because, class_=_KINDS.get(row.kind, "")))
        listed = _tag("ul", *items, class_="changes")
        head = _tag("th", name, scope="row")
        parts.append(_tag("tr", head, _tag("td", listed)) if name else listed)
    return _table("Changes", (), parts, "facts") if block.sections else parts[0]


def _rows(block: blocks.Table) -> _Html:
    rows = []
    for cells in block.rows:
        head, *others = map(_breakable, cells)
        others = others if block.columns else [*map(_with_code, others)]  # which are sentences
        titles = block.columns[1:] or ("",) * len(others)
        rest = (_tag("td", cell, data_title=t) for cell, t in zip(others, titles, strict=True))
        change = _CHANGES.get(cells[0][:2], "")
        rows.append(_tag("tr", _tag("th", head, scope="row", class_=change), *rest))
    class_ = "" if block.columns else "facts"
    return _scrolled(_table(block.caption, block.columns, rows, class_))


def _graph(block: blocks.Graph) -> _Html:
    """What each feature requires, and which come, go or are the subject of findings, if any."""
    listed = {feature.name for feature in block.features if feature.supported is not None}
    before = {feature.name for feature in block.before or () if feature.supported is not None}
    before = listed if block.before is None else before
    items = []
    for name in sorted({*listed, *before, *(feature.name for feature in block.features)}):
        requires = sorted(FEATURES[name].requires) if name in FEATURES else []
        change = "+ " if name in listed - before else "- " if name in before - listed else ""
        told = [of.severity for of in block.findings if name in f"{of.where} {of.message}"]
        worst = min(told, key=lambda severity: severity.rank).value if told else ""
        missing = [other for other in requires if other not in listed]
        if requires or change or worst:
            text = f"{change}{' → '.join(filter(None, (name, ', '.join(requires))))}"
            text += f" (missing: {', '.join(missing)})" if missing else ""
            tone = worst or _KINDS.get(change[:1], "")
            items.append(_tag("li", f"{text} ({worst})" if worst else text, class_=tone))
    listed_items = _tag("ul", *items, class_="changes")
    return _Html(_tag("p", "What features require:") + listed_items) if items else _Html()


def _timeline(block: blocks.Timeline) -> _Html:
    heads = ("", *(" ".join(filter(None, point)) for point in block.points))
    rows = []
    for lane, bars in block.lanes:
        cells, place = [_tag("th", lane, scope="row")], 0
        for value, start, end in bars:
            cells += [_tag("td", colspan=str(start - place))] if start > place else []
            shown = value or "supported"
            cells.append(_tag("td", shown, colspan=str(end - start), class_="bar"))
            place = end
        rows.append(_tag("tr", *cells))
    return _scrolled(_table(block.title, heads, rows, "timeline"))
