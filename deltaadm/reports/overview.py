"""
Many tables at a glance: a line for each, and what they have in common.

All of it is made from the JSON documents of the tables, so that results of an earlier run count
as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from deltaadm.blocks import Block, Cards, Command, Either, Heading, Table
from deltaadm.clients import CLIENTS, ClientRelease
from deltaadm.dataclass import dataclass
from deltaadm.domain.features import Cost
from deltaadm.errors import some_of
from deltaadm.masking import quoted_argument, visible
from deltaadm.reports.words import DOES, cost_text, counted, writer_name

Document = Mapping[str, Any]


@dataclass()
class Item:
    """What is true of so many tables, of which it has the first if they matter."""

    text: str
    count: int
    tables: list[str]


@dataclass(frozen=True)
class FleetSummary:
    """The number of tables and of failed ones, and what they have in common, by its heading."""

    tables: int
    failed: int
    sections: Mapping[str, Sequence[Item]]

    document = ""  # the documents of its tables say it all
    blocks = "deltaadm.reports.overview.show_overview"


def overview_title(overview: FleetSummary) -> str:
    """The number of tables, and of those that failed."""
    tables = counted(overview.tables, "table")
    return f"{tables}, {overview.failed} failed" if overview.failed else tables


STATUS_WIDTH: Final = 10
_NAMED: Final = 4


@dataclass(frozen=True)
class Told:
    """
    What is told of a table: its status, the rest of its line, and what is counted of it.

    It `is_uneventful` if there is no error, no warning and no change; the `urgency` of its line
    is 0 for errors, then come warnings, then the rest.
    """

    status: str
    rest: str
    counted: Iterable[tuple[str, str]]
    is_uneventful: bool = False
    urgency: int = 0

    def line(self, table: str) -> str:
        """All of it in a line."""
        parts = (f"{self.status:<{STATUS_WIDTH}}", table, self.rest)
        return visible("  ".join(part for part in parts if part))


def status_and_details(document: Document) -> tuple[str, str]:
    """The result for one table: its status, and details."""
    try:
        told = told_of(document)
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration):
        return "", "cannot be understood"
    return told.status, told.rest


def few_listed(kind: str) -> int:
    """The number of tables without findings that are listed all the same."""
    return _FEW if kind == "inspect" else 0


_FEW: Final = 20
"""A line of `inspect` tells what a table is, so that only many are counted instead."""


def unlisted(kinds: Counter[str]) -> str:
    """The line on tables that are not listed, with the number of each kind of document."""
    lacking = " or ".join(dict.fromkeys(_LACKING[kind] for kind in kinds))
    return f"{counted(kinds.total(), 'table')} without {lacking}; --all lists them"


_LACKING: Final = {
    "validate": "errors or warnings",
    "repair": "damage",
    "plan": "changes",
    "inspect": "warnings",
    "diff": "differences",
}
"""What an uneventful document lacks, by its kind."""


def kind_of(document: Document) -> str:
    """The kind of *document*, by the name of its schema."""
    return str(document["document"])


class FleetCounts:
    """Counts what documents say."""

    def __init__(self) -> None:
        self._tables = 0
        self._failed = 0
        self._found: dict[str, dict[str, Item]] = {}

    def add_table(self, *, is_error: bool) -> None:
        """Count one more table, of which nothing else is to be counted."""
        self._tables += 1
        self._failed += is_error

    def add(self, document: Document) -> None:
        """Count one more table, and what its document says."""
        self.add_table(is_error=kind_of(document) == "error")
        for heading, text in told_of(document).counted:
            key = text
            if heading == "Failures":  # those that differ in numbers and their table only are one
                key = re.sub(r"(?<![\w.])\d+(?![\w.])", "N", text)
                place = re.escape(quoted_argument(document["table"]))
                key = re.sub(rf"(deltaadm [a-z-]+) {place}", r"\1 TABLE", key)
            item = self._found.setdefault(heading, {}).setdefault(key, Item(text, 0, []))
            item.text = text if item.text == text else key
            item.count += 1
            if heading in _WITH_TABLES and len(item.tables) < _NAMED:
                item.tables.append(document["table"])

    @property
    def overview(self) -> FleetSummary:
        """The counts so far, the highest first."""
        sections = {
            heading: sorted(self._found[heading].values(), key=lambda of: (-of.count, of.text))
            for heading in _HEADINGS
            if heading in self._found
        }
        return FleetSummary(self._tables, self._failed, sections)


_WITH_TABLES: Final = ("Failures", "Clients affected")
"""The sections whose items name the tables that they are true of."""
# fmt: off
_HEADINGS: Final[tuple[str, ...]] = (
    "Failures", "Tables", "Plans", "Outcomes", "Protocol", "Features supported", "Features active",
    "Features not needed", "Column mapping", "Writers", "Findings", "Info", "Clients affected",
    "Clients that cannot be reached",
    "Features that can be dropped",
)
# fmt: on


# What is told of each kind of document


def _inspected(document: Document) -> Told:
    protocol, warnings = document["protocol"], len(document["warnings"])
    names = (
        feature["name"]
        for feature in document["features"]
        if feature["supported"] == "explicit" or feature["active"]
    )
    listed = ", ".join(names) or "no features listed"
    note = f"  ! {counted(warnings, 'warning')}" if warnings else ""
    versions = f"({protocol['minReaderVersion']}, {protocol['minWriterVersion']})"
    rest = f"version {document['version']}: {listed}{note}"
    return Told(versions, rest, _inspection(document), not warnings, urgency=1)


def _inspection(document: Document) -> Iterator[tuple[str, str]]:
    protocol, features = document["protocol"], document["features"]
    reader, writer = protocol["minReaderVersion"], protocol["minWriterVersion"]
    yield "Protocol", f"reader {reader}, writer {writer}"
    versions = {
        "protocol.minReaderVersion": f"reader version {reader}",
        "protocol.minWriterVersion": f"writer version {writer}",
    }
    for feature in features:
        if feature["active"]:
            yield "Features active", feature["name"]
    for name in document["slack"]:
        yield "Features not needed", name
    if document["column_mapping"]["mode"] != "none":
        yield "Column mapping", document["column_mapping"]["mode"]
    writers = (writer_name(writer["engine"] or "") for writer in document["writers"])
    yield from dict.fromkeys(("Writers", name) for name in writers)
    groups: dict[tuple[str, str], list[str]] = {}
    for client in document["declared_clients"] or document["clients"]:
        for access in ("read", "write"):
            verdict = client[access]["verdict"]
            # A client that cannot read does not write either, and some write no table at all.
            if verdict in {"fails loudly", "silently wrong"}:
                if access == "read" or CLIENTS[client["client"]].writes_tables:
                    subject = client[access]["because"][0]["subject"]
                    unused = ", which it does not use" if subject in document["slack"] else ""
                    reason = versions.get(subject, f"{subject}{unused}")
                    groups.setdefault((DOES[verdict][access], reason), []).append(_release(client))
                break
    for (does, reason), clients in groups.items():
        verb = does if len(clients) == 1 else does.replace("s wrong", " wrong")
        yield "Clients affected", f"{', '.join(clients)} {verb} ({reason})"
    if document["warnings"]:
        yield "Tables", "with warnings"


def _release(client: Document) -> str:
    """A client as everywhere else: a service, whose version is the day of a fact, by its name."""
    return ClientRelease(CLIENTS[client["client"]], client["version"]).short


def _validated(document: Document) -> Told:
    counts, findings, stopped = document["counts"], document["findings"], document["stopped"]
    severities = ("error", "warning", "info")
    worst = next((severity for severity in severities if counts[severity]), "")
    status = {"": "clean", "info": "info"}.get(worst, f"{worst}s")
    words = {"": "without findings", "info": "with info only"}
    names = {(of["severity"] == "info", of["code"], of["name"]): None for of in findings}
    facts = [("Tables", "could not be checked completely")] if stopped else []
    facts.append(("Tables", words.get(worst, f"with {status}")))
    facts += (
        ("Info" if is_info else "Findings", f"{code} {name}") for is_info, code, name in names
    )
    parts = [counted(counts[severity], severity) for severity in severities if counts[severity]]
    worse = [code for is_info, code, _ in names if not is_info]
    codes = dict.fromkeys(worse or (code for _, code, _ in names))
    rest = ": ".join(filter(None, (", ".join(parts), some_of(codes))))
    if stopped:
        return Told("stopped", rest or stopped, facts)
    urgency = {"error": 0, "warning": 1}.get(worst, 2)
    return Told(status, rest, facts, worst in words, urgency)


def _planned(document: Document) -> Told:
    marks = {"add": "+", "remove": "-", "set": "~"}
    changes = (f"{marks[change['kind']]} {change['subject']}" for change in document["changes"])
    lost = [(_release(client), client["access"]) for client in document["unreachable"]]
    missed = [f"! {name} cannot be reached" for name, _ in lost]
    missed += [f"! {left} not fixed"] if (left := document["unfixed"]) else []
    rest = "  ".join(filter(None, (some_of(changes), some_of(missed))))
    is_noop, cost = document["is_noop"], Cost(document["cost"])
    words = cost_text(cost, truncates=bool(document["irreversible"]))
    facts = [("Plans", words if not is_noop else "not fixed" if left else "no changes")]
    facts += (("Clients that cannot be reached", f"{name}, to {access}") for name, access in lost)
    return Told("no changes" if is_noop else cost.value, rest, facts, is_noop and not missed)


def _carried_out(document: Document) -> Told:
    plan, outcome = document["plan"], document["outcome"]
    status, rest = ("no changes", "") if plan["is_noop"] else ("done", "without a commit")
    if outcome["mismatches"]:
        status, rest = "differs", some_of(change["subject"] for change in outcome["mismatches"])
    elif any(step.get("waits") for step in plan["steps"]):
        status, rest = "waiting", "plan again later for the second of two runs"
    elif versions := outcome["versions"]:
        noun = "version" if len(versions) == 1 else "versions"
        left = [note.rstrip(".") for note in plan["notes"] if " stays as it is: " in note]
        listed = f"{noun} {', '.join(map(str, versions))}"
        status, rest = "committed", "; ".join((listed, *left))
    result = "the result differs from the plan" if outcome["mismatches"] else status
    return Told(status, rest, [("Outcomes", result)])


def _repaired(document: Document) -> Told:
    repairs, outcome, blocked = document["repairs"], document["outcome"], document["blocked"]
    found = [f"{each['rule'] or ''} {each['kind']}".strip() for each in repairs]
    status, rest = "damaged", some_of(found)
    if any(each["refusal"] for each in repairs):
        status, rest = "refused", ": ".join(filter(None, ("in part" if outcome else "", rest)))
    elif outcome is not None:
        status, rest = "repaired", rest + ("" if outcome["proved"] else ", not proved")
    elif document["is_noop"]:
        status, rest = ("broken", blocked) if blocked else ("sound", rest)
    facts = [("Tables", status), *(("Findings", each) for each in found)]
    return Told(status, rest, facts, not repairs and not blocked)


def _dropping(document: Document) -> Told:
    phases = [(f"{of['name']}: {of['phase']}", of["ready_at"]) for of in document["features"]]
    rest = "; ".join(f"{phase}, ready at {at}" if at else phase for phase, at in phases)
    facts = (("Features that can be dropped", phase) for phase, _ in phases)
    return Told(f"version {document['version']}", rest or "nothing can be dropped", facts)


def _explained(document: Document) -> Told:
    features = document["features"]
    told = (
        f"{feature['name']}: {'at or before' if feature['since']['at_or_before'] else 'since'} "
        f"version {feature['since']['version']} ({feature['cause']})"
        for feature in features
    )
    rest = some_of(told) or "none of these features"
    facts = (("Features supported", f"{of['name']}: {of['cause']}") for of in features)
    return Told(f"version {document['version']}", rest, facts)


def _failed(document: Document) -> Told:
    """What is wrong, without the table, which stands beside it; tables alone need no remedy."""
    error = document["error"]
    place = re.escape(document["table"].removeprefix("./"))
    words = re.sub(rf" at (\S*/)?{place}(?![\w/-])", "", error["message"])
    if error["kind"] == "table":
        words = words.partition(". ")[0].rstrip(".")
    elif error["remedy"]:
        words = f"{words} {error['remedy']}"
    return Told("failed", words, [("Failures", words)])


def _used(document: Document) -> Told:
    uses = ", ".join(DOES[document[access]["verdict"]][access] for access in ("read", "write"))
    facts = [("Clients affected", f"{document['client']}: {uses}")]
    return Told(document["read"]["verdict"], uses, facts)


def _compared(document: Document) -> Told:
    if document["equal"]:
        return Told("equal", "", [("Tables", "equal")], is_uneventful=True)
    subjects = some_of(change["subject"] for change in document["changes"])
    return Told("differs", subjects, [("Tables", "different")])


_KINDS: Final[Mapping[str, Callable[[Document], Told]]] = {
    "error": _failed,
    "validate": _validated,
    "repair": _repaired,
    "outcome": _carried_out,
    "plan": _planned,
    "inspect": _inspected,
    "why": _explained,
    "for-client": _used,
    "diff": _compared,
    "drop-feature": _dropping,
}


def told_of(document: Document) -> Told:
    """What is told of the table of a *document*, for which that has to be complete."""
    return _KINDS[kind_of(document)](document)


def show_overview(report: FleetSummary) -> Iterator[Block]:
    """The summary of the tables of a run: what they are in a few lines, what was found in full."""
    sections = report.sections
    yield Heading(overview_title(report), level=1)
    tiles = [
        ("tables", str(report.tables), ""),
        ("failed", str(report.failed), "error" if report.failed else "good"),
    ]
    for label, heading, start, tone in _TILES:
        if heading in sections:
            count = sum(of.count for of in sections[heading] if of.text.startswith(start))
            tiles.append((label, str(count), tone if count else ""))
    yield Cards(tuple(tiles))
    rows: list[tuple[str, str]] = []
    for heading, items in sections.items():
        counts = [f"{counted(item.count, 'table')}: {item.text}" for item in items]
        if heading == "Failures" and report.failed <= _FEW:
            continue  # which stand above
        if heading not in _LINE_BY_LINE:
            counts = ["; ".join(f"{item.count} x {item.text}" for item in items)]
        elif heading == "Clients affected":
            counts.sort(key=lambda text: "wrong data" not in text)
            more = counted(len(counts) - _BLOCKED, "more reason")
            counts[_BLOCKED:] = [f"and {more}"] if len(counts) > _BLOCKED else []
        label = _LABELS.get(heading, heading.lower())
        rows += [("" if number else label, text) for number, text in enumerate(counts)]
    if rows:
        yield Table("Overview", (), tuple(rows))
    if affected := sections.get("Clients affected", ()):
        client = affected[0].text.split(",")[0].split(" ")[0]
        command = f"deltaadm inspect {quoted_argument(affected[0].tables[0])} --for-client {client}"
        yield Either(text=[Command(command, label="For one client")])


_LABELS: Final = {
    "Features active": "in use",
    "Features not needed": "not needed",
    "Column mapping": "mapping mode",
    "Writers": "written by",
    "Clients affected": "blocked",
}
_LINE_BY_LINE: Final = ("Failures", "Findings", "Clients affected")
_BLOCKED: Final = 8
"""So many reasons why clients cannot use tables are told."""


_TILES: Final = (
    ("need reader version 3", "Protocol", "reader 3", ""),
    ("use change data feed", "Features active", "changeDataFeed", ""),
    ("with errors", "Tables", "with errors", "error"),
    ("with warnings", "Tables", "with warnings", "warning"),
    ("without changes", "Plans", "no changes", ""),
    ("rewrite data files", "Plans", "rewrite", "warning"),
)
"""A title, and the section and the beginning of the items that are counted under it."""
