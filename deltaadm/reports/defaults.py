"""`clients CLIENT --defaults`: what tables get that a release creates or alters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from deltaadm.blocks import Command, Heading, Items, Paragraph, Table
from deltaadm.clients import (
    Access,
    Client,
    ClientRelease,
    Compatibility,
    Source,
    Verdict,
    newest_releases,
    parse_client,
    verdicts,
)
from deltaadm.clients.facts import version_key
from deltaadm.clients.verdicts import JUDGEMENT
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError
from deltaadm.json_values import BOOLEAN, COUNT, STRING, STRINGS, array, mapping, maybe, record
from deltaadm.reports.words import DOES, some_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deltaadm.blocks import Block
    from deltaadm.json_values import Fields


@dataclass(frozen=True)
class Default:
    """
    The state in which a release leaves a table that it has created or altered.

    `refused` is its answer where it does neither. `tried` says that it was run to find out.
    """

    action: str
    protocol: Protocol
    metadata: Metadata
    source: Source
    tried: bool
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
    text = Path(__file__).with_name("defaults.jsonl").read_text(encoding="utf-8")
    return tuple(map(json.loads, text.splitlines()))


def defaults_of(release: ClientRelease) -> dict[str, Default]:
    """What *release* makes of tables, by the action; of an action, the newest row that it has."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in _rows():
        mine = row["client"] == release.client.id
        if mine and version_key(row["release"]) <= version_key(release.version):
            found[row["action"]] = row
    return {action: _default(release.client, row) for action, row in found.items()}


def _default(client: Client, row: Mapping[str, Any]) -> Default:
    names = frozenset(row.get("features", ()))
    reader, writer = row.get("protocol", (1, 1))
    readers = frozenset(name for name in names if name in FEATURES and FEATURES[name].is_reader)
    title = row["source"]
    if tried := title == "tried":
        title = f"tried with {client.id} {', '.join(row.get('tried', [row['release']]))}"
    listed = names if writer >= Protocol(3, 7).min_writer_version else None
    return Default(
        action=row["action"],
        protocol=Protocol(reader, writer, readers if reader > 2 else None, listed),  # noqa: PLR2004
        metadata=Metadata(configuration=row.get("properties", {}), schema_string=row.get("schema")),
        source=Source(title, row["date"]),
        tried=tried,
        note=row.get("note", ""),
        refused=row.get("refused", ""),
    )


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
        if earlier and old and old.result == default.result:
            continue
        shut_out = _shut_out(default, judged)
        if old:  # those that the tables shut out anyway are not news
            already = {(each.release, each.access) for each in _shut_out(old, judged)}
            shut_out = tuple(
                each for each in shut_out if (each.release, each.access) not in already
            )
        changes.append(Change(default, old, shut_out))
    known = bool(now) and (earlier is None or bool(before))
    return Forecast(release, earlier, known, bool(mine), tuple(changes))


def _shut_out(default: Default, releases: Iterable[ClientRelease]) -> tuple[Verdict, ...]:
    """The verdicts on those that cannot use the table, or go wrong."""
    if default.refused:
        return ()
    judged = verdicts(releases, default.protocol, default.metadata)
    return tuple(
        each
        for each in judged
        if each.compatibility.rank > Compatibility.UNKNOWN.rank
        and (each.access is Access.READ or each.release.client.writes_tables)
    )


# As JSON


_STATE: Final[Fields] = {
    "reader_version": (COUNT, lambda default: default.protocol.min_reader_version),
    "writer_version": (COUNT, lambda default: default.protocol.min_writer_version),
    "features": (STRINGS, lambda default: sorted(default.protocol.explicit_names)),
    "properties": (mapping(STRING), lambda default: default.metadata.configuration),
    "note": STRING,
    "refused": STRING,
    "tried": BOOLEAN,
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


# As blocks


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
        rows.append((now.action, state, _names(change.shut_out), f"[{number}]"))
    whom = "shuts out of your clients" if report.declared else "shuts out"
    yield Table("Tables", ("what", "gets", whom, "source"), tuple(rows))
    if same:
        yield Paragraph(f"Like the first: {', '.join(same)}.")
    yield Heading("Sources")
    yield Items(tuple(f"[{number}] {source}" for source, number in sources.items()))
    if not report.declared:
        yield Paragraph(
            "Judged for every known client; clients = [...] in deltaadm.toml names yours."
        )
    newer = release.client.newest
    if not since and version_key(newer) > version_key(release.version):
        yield Command(
            "", f"deltaadm clients {release.client.id} --defaults --from {release.version}"
        )


def _words(default: Default) -> str:
    """A state in words: versions, features, properties."""
    if default.refused:
        return "refused"
    protocol, properties = default.protocol, default.metadata.configuration
    parts = [f"({protocol.min_reader_version}, {protocol.min_writer_version})"]
    parts += [" ".join(sorted(protocol.explicit_names))]
    parts += [", ".join(f"{key}={value}" if value else key for key, value in properties.items())]
    text = "; ".join(filter(None, parts))
    return f"{text}: {default.note}" if default.note else text


def _names(shut_out: Iterable[Verdict]) -> str:
    """Those shut out, by what they cannot do."""
    kinds: dict[str, list[str]] = {}
    for verdict in shut_out:
        does = DOES[verdict.compatibility.value][verdict.access.value]
        kinds.setdefault(does, []).append(verdict.release.short)
    return "; ".join(f"{does}: {some_of(names, 3)}" for does, names in kinds.items()) or "nobody"
