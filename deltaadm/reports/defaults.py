"""`clients CLIENT --defaults`: what tables get that a release creates or alters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from deltaadm.blocks import Block, Heading, Items, Paragraph, Table
from deltaadm.clients import (
    JUDGEMENT,
    Access,
    ClientRelease,
    Compatibility,
    Source,
    Verdict,
    newest_releases,
    parse_client,
    verdicts,
    version_key,
)
from deltaadm.dataclass import dataclass, text_beside
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError
from deltaadm.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    Fields,
    array,
    mapping,
    maybe,
    record,
)
from deltaadm.reports.words import DOES, some_of


@dataclass(frozen=True)
class Default:
    """
    The state in which a release leaves a table that it has created or altered.

    `refused` is its answer where it does neither.
    """

    action: str
    protocol: Protocol
    metadata: Metadata
    source: Source
    note: str = ""
    refused: str = ""

    @property
    def result(self) -> tuple[object, ...]:
        """What tells it from another default."""
        metadata = self.metadata
        return self.protocol, tuple(metadata.configuration.items()), self.note, bool(self.refused)


@dataclass(frozen=True)
class Change:
    """What comes of an action, what came of it `before`, and whom it shuts out now."""

    now: Default
    before: Default | None
    shut_out: tuple[Verdict, ...]


@dataclass(frozen=True)
class Forecast:
    """The defaults of a release, or what differs from those of the release `since`."""

    release: ClientRelease
    since: ClientRelease | None
    known: bool
    declared: bool
    changes: tuple[Change, ...]

    document = "defaults"
    blocks = "deltaadm.reports.defaults.show_forecast"


@cache
def _rows() -> tuple[Mapping[str, Any], ...]:
    return tuple(map(json.loads, text_beside(__name__, "defaults.jsonl").splitlines()))


def defaults_of(release: ClientRelease) -> dict[str, Default]:
    """What *release* makes of tables, by the action; of an action, the newest row that it has."""
    key = version_key(release.version)
    found = {}
    for row in _rows():
        if row["client"] != release.client.id or version_key(row["release"]) > key:
            continue
        tried = ", ".join(row.get("tried", [row["release"]]))
        title = f"tried with {row['client']} {tried}" if row["source"] == "tried" else row["source"]
        reader, writer = row.get("protocol", (1, 1))
        names = frozenset(row.get("features", ()))
        readers = frozenset(name for name in names if FEATURES[name].is_reader)
        lists = readers if reader == 3 else None, names if writer == 7 else None  # noqa: PLR2004
        found[row["action"]] = Default(
            action=row["action"],
            protocol=Protocol(reader, writer, *lists),
            metadata=Metadata(
                configuration=row.get("properties", {}), schema_string=row.get("schema")
            ),
            source=Source(title, row["date"]),
            note=row.get("note", ""),
            refused=row.get("refused", ""),
        )
    return found


def forecast(text: str, since: str | None, declared: Iterable[ClientRelease]) -> Forecast:
    """
    What tables get from the release *text*, or differently than from its release *since*.

    Judged for the *declared* clients, or for all if there are none. Raises `RefusedError` for what
    is no release of a client, and for a *since* of another client.
    """
    release, mine = parse_client(text), tuple(dict.fromkeys(declared))
    judged, earlier = mine or newest_releases(), None
    if since is not None:
        earlier = parse_client(since if "@" in since else f"{release.client.id}@{since}")
        if earlier.client is not release.client:
            raise RefusedError(
                f"{earlier} is not a release of {release.client.name}.",
                remedy=f"Write it as in --from {release.client.oldest}.",
            )
    now, before = defaults_of(release), defaults_of(earlier) if earlier else {}
    changes = []
    for action, default in now.items():
        old = before.get(action)
        if old is None or old.result != default.result:
            # Whom such tables shut out already is no news.
            already = {(each.release, each.access) for each in _shut_out(old, judged)}
            shut_out = _shut_out(default, judged)
            news = (each for each in shut_out if (each.release, each.access) not in already)
            changes.append(Change(default, old, tuple(news)))
    known = bool(now) and (earlier is None or bool(before))
    return Forecast(release, earlier, known, bool(mine), tuple(changes))


def _shut_out(default: Default | None, releases: Iterable[ClientRelease]) -> Iterator[Verdict]:
    if default is not None and not default.refused:
        for judged in verdicts(releases, default.protocol, default.metadata):
            uses = judged.access is Access.READ or judged.release.client.writes_tables
            if uses and judged.compatibility.rank > Compatibility.UNKNOWN.rank:
                yield judged


_STATE: Final[Fields] = {
    "reader_version": (COUNT, lambda default: default.protocol.min_reader_version),
    "writer_version": (COUNT, lambda default: default.protocol.min_writer_version),
    "features": (STRINGS, lambda default: sorted(default.protocol.explicit_names)),
    "properties": (mapping(STRING), lambda default: default.metadata.configuration),
    "note": STRING,
    "refused": STRING,
    "tried": (BOOLEAN, lambda default: default.source.is_tried),
    "source": (STRING, lambda default: default.source.title),
    "date": (STRING, lambda default: default.source.date),
}
_SHUT_OUT: Final = record(
    client=(STRING, lambda verdict: verdict.release.client.id),
    version=(STRING, lambda verdict: verdict.release.version),
    access=(STRING, lambda verdict: verdict.access.value),
    **JUDGEMENT,
)
DEFAULTS_DOCUMENT: Final = Document.of(
    "The output of `clients CLIENT --defaults`",
    client=(STRING, lambda report: report.release.client.id),
    version=(STRING, lambda report: report.release.version),
    since=(maybe(STRING), lambda report: report.since and report.since.version),
    known=BOOLEAN,
    changes=array(
        record(
            action=(STRING, lambda change: change.now.action),
            now=record(**_STATE),
            before=maybe(record(**_STATE)),
            shut_out=array(_SHUT_OUT),
        )
    ),
)


def show_forecast(report: Forecast) -> Iterator[Block]:
    """A row for each action that differs from the first, and the sources."""
    release, since = report.release, report.since
    what = f"since {since.version}" if since else "tables that it creates or alters"
    yield Heading(f"{release.client.name} {release.version}: {what}", level=1)
    if not report.known:
        yield Paragraph("Nobody has tried what tables get from it, and no document says.")
        return
    if not report.changes:
        yield Paragraph("Nothing that is known about new and altered tables differs.", tone="good")
    sources: dict[str, int] = {}
    rows, same = [], []
    first = next((change.now for change in report.changes if not change.now.refused), None)
    for change in report.changes:
        now, before = change.now, change.before
        if not since and now is not first and first and now.result == first.result:
            same.append(now.action)
            continue
        title = f"{now.source.title} ({now.source.date})"
        number = sources.setdefault(title, len(sources) + 1)
        state = _words(now) if not before else f"{_words(before)} -> {_words(now)}"
        # Those shut out, by the first thing that they cannot do.
        kinds: dict[str, dict[ClientRelease, None]] = {}
        for verdict in sorted(change.shut_out, key=lambda verdict: -verdict.compatibility.rank):
            if not any(verdict.release in releases for releases in kinds.values()):
                does = DOES[verdict.compatibility.value][verdict.access.value]
                kinds.setdefault(does, {})[verdict.release] = None
        lost = (f"{does}: {some_of((of.short for of in kinds[does]), 3)}" for does in kinds)
        rows.append((now.action, state, "; ".join(lost) or "nobody", f"[{number}]"))
    wanted = len(sources) > 1
    whom = "shuts out of your clients" if report.declared else "shuts out"
    columns = ("what", "gets", whom, *(["source"] if wanted else []))
    yield Table("Tables", columns, tuple(row if wanted else row[:3] for row in rows))
    if same:
        yield Paragraph(f"Like the first: {', '.join(same)}.")
    yield Heading("Sources")
    marks = (f"[{number}] " if wanted else "" for number in sources.values())
    yield Items(tuple(map(str.__add__, marks, sources)))
    if not report.declared:
        yield Paragraph(
            "Judged for every known client; clients = [...] in deltaadm.toml names yours."
        )


def _words(default: Default) -> str:
    if default.refused:
        return "refused"
    protocol, properties = default.protocol, default.metadata.configuration
    parts = [f"({protocol.min_reader_version}, {protocol.min_writer_version})"]
    parts += [" ".join(sorted(protocol.explicit_names))]
    consequences = ("maxColumnId", "materialized", "Enablement")  # which Delta sets by itself
    parts += [
        f"{key}={value}"
        for key, value in properties.items()
        if not any(word in key for word in consequences) and key not in default.action
    ]
    text = "; ".join(filter(None, parts))
    return f"{text}: {default.note}" if default.note else text
