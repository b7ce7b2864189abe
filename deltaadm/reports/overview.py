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
from deltaadm.masking import quoted, visible
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


def brief_line(document: Document) -> str:
    """The result for one table, in a line: its status, the table, and details."""
    status, rest = _KINDS[kind_of(document)].line(document)
    parts = (f"{status:<{STATUS_WIDTH}}", document["table"], rest)
    return visible("  ".join(part for part in parts if part))


def status_and_details(document: Document) -> tuple[str, str]:
    """The result for one table: its status, and details."""
    try:
        return _KINDS[kind_of(document)].line(document)
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration):
        return "", "cannot be understood"


def is_uneventful(document: Document) -> bool:
    """Whether there is nothing to say of a table: no error, no warning, no change."""
    return _KINDS[kind_of(document)].is_uneventful(document)


def urgency(document: Document) -> int:
    """The rank of a line on a table: 0 for errors, then warnings, then the rest."""
    kind = kind_of(document)
    if kind == "validate" and not document["stopped"]:
        return {"errors": 0, "warnings": 1}.get(_verdict(document), 2)
    return 1 if kind == "inspect" else 0


def few_listed(kind: str) -> int:
    """The number of tables without findings that are listed all the same."""
    return _FEW if kind == "inspect" else 0


_FEW: Final = 20
"""A line of `inspect` tells what a table is, so that only many are counted instead."""


def unlisted(kinds: Counter[str]) -> str:
    """The line on tables that are not listed, with the number of each kind of document."""
    lacking = " or ".join(dict.fromkeys(_KINDS[kind].lacking for kind in kinds))
    return f"{counted(kinds.total(), 'table')} without {lacking}; --all lists them"


def kind_of(document: Document) -> str:
    """The kind of *document*, by the name of its schema."""
    return str(document["document"])


def exit_code(document: Document) -> int:
    """The exit code of the error in *document*; 0 where there is none."""
    return int(document["error"]["exit_code"]) if "error" in document else 0


class FleetCounts:
    """Counts what documents say."""

    def __init__(self) -> None:
        self._tables = 0
        self._failed = 0
        self._found: dict[str, dict[str, Item]] = {}

    def add(self, document: Document) -> None:
        """Count one more table."""
        kind = kind_of(document)
        self._tables += 1
        self._failed += kind == "error"
        for heading, text in _KINDS[kind].counted(document):
            key = text
            if heading == "Failures":  # those that differ in their numbers only are one
                key = re.sub(r"(?<![\w.])\d+(?![\w.])", "N", text)
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


# inspect


def _inspected(document: Document) -> tuple[str, str]:
    protocol, warnings = document["protocol"], len(document["warnings"])
    names = (
        feature["name"]
        for feature in document["features"]
        if feature["supported"] == "explicit" or feature["active"]
    )
    listed = ", ".join(names) or "no features listed"
    note = f"  ! {counted(warnings, 'warning')}" if warnings else ""
    versions = f"({protocol['minReaderVersion']}, {protocol['minWriterVersion']})"
    return versions, f"version {document['version']}: {listed}{note}"


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


# validate


def _validated(document: Document) -> tuple[str, str]:
    counts = document["counts"]
    parts = [counted(counts[word], word) for word in _SEVERITIES if counts[word]]
    worse = [found for found in document["findings"] if found["severity"] != "info"]
    codes = list(dict.fromkeys(found["code"] for found in worse or document["findings"]))
    status = "stopped" if document["stopped"] else _verdict(document)
    return status, ": ".join(filter(None, (", ".join(parts), some_of(codes))))


_SEVERITIES: Final = ("error", "warning", "info")


def _verdict(document: Document) -> str:
    worst = next((severity for severity in _SEVERITIES if document["counts"][severity]), "")
    return {"": "clean", "info": "info"}.get(worst, f"{worst}s")


def _validation(document: Document) -> Iterator[tuple[str, str]]:
    if document["stopped"]:
        yield "Tables", "could not be checked completely"
    verdict = _verdict(document)
    words = {"clean": "without findings", "info": "with info only"}
    yield "Tables", words.get(verdict, f"with {verdict}")
    names = {
        (found["severity"] == "info", found["code"], found["name"]): None
        for found in document["findings"]
    }
    for is_info, code, name in names:
        yield "Info" if is_info else "Findings", f"{code} {name}"


# plans


def _planned(document: Document) -> tuple[str, str]:
    marks = {"add": "+", "remove": "-", "set": "~"}
    changes = (f"{marks[change['kind']]} {change['subject']}" for change in document["changes"])
    missed = [f"! {_release(client)} cannot be reached" for client in document["unreachable"]]
    status = "no changes" if document["is_noop"] else str(document["cost"])
    return status, "  ".join(filter(None, (some_of(changes), some_of(missed))))


def _plan(document: Document) -> Iterator[tuple[str, str]]:
    cost = cost_text(Cost(document["cost"]), truncates=bool(document["irreversible"]))
    yield "Plans", "no changes" if document["is_noop"] else cost
    for client in document["unreachable"]:
        yield "Clients that cannot be reached", f"{_release(client)}, to {client['access']}"


def _carried_out(document: Document) -> tuple[str, str]:
    outcome = document["outcome"]
    if outcome["mismatches"]:
        return "differs", some_of(change["subject"] for change in outcome["mismatches"])
    versions = ", ".join(map(str, outcome["versions"]))
    if any(step.get("waits") for step in document["plan"]["steps"]):
        return "waiting", "plan again later for the second of two runs"
    if versions:
        noun = "version" if len(outcome["versions"]) == 1 else "versions"
        return "committed", f"{noun} {versions}"
    return ("no changes", "") if document["plan"]["is_noop"] else ("done", "without a commit")


def _outcome(document: Document) -> Iterator[tuple[str, str]]:
    status, _ = _carried_out(document)
    yield "Outcomes", {"differs": "the result differs from the plan"}.get(status, status)


# repairs


def _repaired(document: Document) -> tuple[str, str]:
    found = [f"{each['rule'] or ''} {each['kind']}".strip() for each in document["repairs"]]
    if any(each["refusal"] for each in document["repairs"]):
        part = "in part" if document["outcome"] else ""
        return "refused", ": ".join(filter(None, (part, some_of(found))))
    if document["outcome"] is not None:
        return "repaired", some_of(found) + (
            "" if document["outcome"]["proved"] else ", not proved"
        )
    if document["is_noop"]:
        return ("broken", document["blocked"]) if document["blocked"] else ("sound", some_of(found))
    return "damaged", some_of(found)


def _damage(document: Document) -> Iterator[tuple[str, str]]:
    yield "Tables", _repaired(document)[0]
    for each in document["repairs"]:
        yield "Findings", f"{each['rule'] or ''} {each['kind']}".strip()


# the rest


def _dropping(document: Document) -> tuple[str, str]:
    phases = []
    for feature in document["features"]:
        ready = f", ready at {feature['ready_at']}" if feature["ready_at"] else ""
        phases.append(f"{feature['name']}: {feature['phase']}{ready}")
    return f"version {document['version']}", "; ".join(phases) or "nothing can be dropped"


def _explained(document: Document) -> tuple[str, str]:
    features = (
        f"{feature['name']}: {'at or before' if feature['since']['at_or_before'] else 'since'} "
        f"version {feature['since']['version']} ({feature['cause']})"
        for feature in document["features"]
    )
    return f"version {document['version']}", some_of(features) or "none of these features"


def _failed(document: Document) -> tuple[str, str]:
    """What is wrong, without the table, which stands beside it; tables alone need no remedy."""
    error = document["error"]
    message = error["message"].replace(f" at {document['table']}", "")
    if error["kind"] == "table":
        return "failed", message.partition(". ")[0].rstrip(".")
    return "failed", " ".join(filter(None, (message, error["remedy"])))


def _uses(document: Document) -> str:
    return ", ".join(DOES[document[access]["verdict"]][access] for access in ("read", "write"))


@dataclass(frozen=True)
class _Kind:
    """What of a kind of document is a line, and is counted; uneventful ones lack something."""

    line: Callable[[Document], tuple[str, str]]
    counted: Callable[[Document], Iterable[tuple[str, str]]]
    is_uneventful: Callable[[Document], bool] = lambda _: False
    lacking: str = ""


_KINDS: Final = {
    "error": _Kind(_failed, lambda of: [("Failures", _failed(of)[1])]),
    "validate": _Kind(
        _validated,
        _validation,
        lambda of: not of["stopped"] and _verdict(of) in {"clean", "info"},
        "errors or warnings",
    ),
    "repair": _Kind(
        _repaired, _damage, lambda of: not of["repairs"] and not of["blocked"], "damage"
    ),
    "outcome": _Kind(_carried_out, _outcome),
    "plan": _Kind(_planned, _plan, lambda of: of["is_noop"] and not of["unreachable"], "changes"),
    "inspect": _Kind(_inspected, _inspection, lambda of: not of["warnings"], "warnings"),
    "why": _Kind(
        _explained,
        lambda of: (
            ("Features supported", f"{at['name']}: {at['cause']}") for at in of["features"]
        ),
    ),
    "for-client": _Kind(
        lambda of: (of["read"]["verdict"], _uses(of)),
        lambda of: [("Clients affected", f"{of['client']}: {_uses(of)}")],
    ),
    "diff": _Kind(
        lambda of: (
            ("equal", "")
            if of["equal"]
            else ("differs", some_of(at["subject"] for at in of["changes"]))
        ),
        lambda of: [("Tables", "equal" if of["equal"] else "different")],
        lambda of: of["equal"],
        "differences",
    ),
    "drop-feature": _Kind(
        _dropping,
        lambda of: (
            ("Features that can be dropped", f"{at['name']}: {at['phase']}")
            for at in of["features"]
        ),
    ),
}


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
        command = f"deltaadm inspect {quoted(affected[0].tables[0])} --for-client {client}"
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
