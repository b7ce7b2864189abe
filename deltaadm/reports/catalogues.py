"""`features` and `clients`: what is known of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from deltaadm.blocks import Block, Details, Either, Heading, Items, Paragraph, Table
from deltaadm.clients import (
    EVERY_OTHER,
    JUDGEMENT,
    Access,
    ClientRelease,
    Compatibility,
    Fact,
    Source,
    Verdict,
    feature_verdict,
    newest_releases,
    parse_client,
    verdicts,
    version_key,
)
from deltaadm.dataclass import dataclass, replace, text_beside
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES, Cost, Kind, Status, TableFeature, undo_feature
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError, some_of
from deltaadm.json_values import COUNT, Fields, array, mapping, maybe, one_of, record, within
from deltaadm.reports.words import COSTS, DOES, matrix

# Features


@dataclass(frozen=True)
class FeatureCatalogue:
    """All features of the registry."""

    features: tuple[TableFeature, ...]

    document = "features"
    blocks = "deltaadm.reports.catalogues.show_features"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `-o name` prints."""
        return tuple(feature.name for feature in self.features)


@dataclass(frozen=True)
class FeatureExplanation:
    """One feature of the registry, with those that require it."""

    feature: TableFeature
    required_by: tuple[str, ...]

    document = "feature"
    blocks = "deltaadm.reports.catalogues.show_feature"


def list_features() -> FeatureCatalogue:
    """Every feature, in alphabetical order."""
    return FeatureCatalogue(tuple(FEATURES.values()))


def explain_feature(name: str) -> FeatureExplanation:
    """The feature *name*, whatever its case; raises `UnknownNameError` for no feature."""
    feature = TableFeature.find(name)
    required_by = tuple(entry.name for entry in FEATURES.values() if feature.name in entry.requires)
    return FeatureExplanation(feature, required_by)


FEATURE: Final[Fields] = {
    "name": str,
    "kind": one_of(Kind),
    "status": one_of(Status),
    "since": (maybe(str), lambda feature: feature.since or None),
    "legacy_versions": (maybe(array(COUNT)), lambda feature: feature.legacy or None),
    "requires": (array(str), lambda feature: sorted(feature.requires)),
    "twin": maybe(str),
    "activated_by": (mapping(str), lambda feature: feature.activation.properties),
    "added_to_existing_tables": (
        bool,
        lambda feature: feature.activation.auto_enables and feature.auto_update,
    ),
    "not_addable": (maybe(str), lambda feature: feature.not_addable or None),
    "undo": (str, undo_feature),
    "cost": one_of(Cost),
    "caution": (maybe(str), lambda feature: feature.caution or None),
    "in_delta_spark": (bool, lambda feature: feature.in_delta_spark),
    "section": str,
    "source": str,
}
"""The parts of a feature of the registry."""

FEATURE_DOCUMENT: Final = Document.of(
    "The output of `features` for one feature", **within("feature", FEATURE), required_by=array(str)
)


FEATURES_DOCUMENT: Final = Document.of(
    "The output of `features`", features=array(record(**FEATURE))
)


def show_features(report: FeatureCatalogue) -> Iterator[Block]:
    """The table of all features."""
    yield Either([Heading("Table features", level=1)])
    columns = ("feature", "kind", "in the protocol", "status", "activated by")
    rows = []
    for feature in report.features:
        implied = feature.legacy and f"implied by ({feature.legacy[0] or 1}, {feature.legacy[1]})"
        properties = " ".join(f"{key}={to}" for key, to in feature.activation.properties.items())
        kind, status = feature.kind.value, feature.status.value
        rows.append((feature.name, kind, implied or "listed", status, properties))
    yield Table("Table features", columns, tuple(rows))


def show_feature(report: FeatureExplanation) -> Iterator[Block]:
    """The description of a feature."""
    feature, legacy = report.feature, report.feature.legacy
    properties = feature.activation.properties.items()
    rows = (
        ("concerns", "writers and readers" if feature.is_reader else "writers only"),
        ("status", feature.status.value),
        ("since", f"Delta Spark {feature.since}" if feature.since else None),
        ("implied by", f"reader {legacy[0] or 1}, writer {legacy[1]}" if legacy else None),
        ("requires", ", ".join(sorted(feature.requires)) or "nothing"),
        ("required by", ", ".join(report.required_by) or None),
        ("other form", feature.twin or None),
        *(("activated by", f"{key} = {value}") for key, value in properties),
        ("existing tables", feature.not_addable or None),
        ("cost of enabling", COSTS[feature.cost]),
        ("undo", undo_feature(feature)),
        ("caution", feature.caution or None),
        ("described in", feature.section),
        ("source", feature.source),
    )
    shown = tuple((what, words) for what, words in rows if words is not None)
    yield Heading(feature.name, level=1)
    yield Table(feature.name, (), shown)


# Clients


@dataclass(frozen=True)
class Support:
    """
    The behaviour of a client's release with tables that have one feature, by feature name.

    Features for writers only do not concern readers, and are left out of `reads`.
    """

    release: ClientRelease
    reads: Mapping[str, Verdict]
    writes: Mapping[str, Verdict]


@dataclass(frozen=True)
class ClientCatalogue:
    """All clients, each in its newest release."""

    clients: tuple[Support, ...]

    document = "clients"
    blocks = "deltaadm.reports.catalogues.show_clients"


@dataclass(frozen=True)
class ClientExplanation:
    """One client with the facts about its ways of access: about `every_release`, or about one."""

    support: Support
    facts: tuple[tuple[Access, Fact], ...]
    every_release: bool

    document = "client"
    blocks = "deltaadm.reports.catalogues.show_client"


def list_clients() -> ClientCatalogue:
    """Every client in its newest release, and what it does with each feature."""
    return ClientCatalogue(tuple(map(_support, newest_releases())))


def explain_client(text: str) -> ClientExplanation:
    """
    Everything known about the client that *text* names; of one release, what concerns that.

    Raises `RefusedError` with a suggestion for no client, and for what is no release of one.
    """
    release = parse_client(text)
    every_release = "@" not in text
    of = release.client if every_release else release
    sides = (Access.READ, of.reads), (Access.WRITE, of.writes)
    known = tuple((access, fact) for access, facts in sides for fact in facts)
    return ClientExplanation(_support(release), known, every_release)


def _support(release: ClientRelease) -> Support:
    reads, writes = (
        {
            name: feature_verdict(release, name, access)
            for name, feature in FEATURES.items()
            if access is Access.WRITE or feature.kind is Kind.READER_WRITER
        }
        for access in (Access.READ, Access.WRITE)
    )
    return Support(release, reads, writes)


_VERDICT: Final = one_of(Compatibility)
_FEATURE: Final = record(
    feature=(str, lambda found: found[0]),
    read=(maybe(_VERDICT), lambda found: found[1] and found[1].compatibility),
    write=(_VERDICT, lambda found: found[2].compatibility),
)
SUPPORT: Final[Fields] = {
    "client": (str, lambda support: support.release.client.id),
    "name": (str, lambda support: support.release.client.name),
    "version": (str, lambda support: support.release.version),
    "versioned_by": (str, lambda support: support.release.client.versioned_by),
    "oldest": (str, lambda support: support.release.client.oldest),
    "newest": (str, lambda support: support.release.client.newest),
    "features": (
        array(_FEATURE),
        lambda of: [(name, of.reads.get(name), written) for name, written in of.writes.items()],
    ),
}
"""The behaviour of a client with tables that have one feature."""


_FACT: Final = record(
    access=(one_of(Access), lambda pair: pair[0]),
    subjects=(array(str), lambda pair: pair[1].features),
    verdict=(_VERDICT, lambda pair: pair[1].compatibility),
    highest_version=(maybe(COUNT), lambda pair: pair[1].highest),
    since=(maybe(str), lambda pair: pair[1].since or None),
    until=(maybe(str), lambda pair: pair[1].until or None),
    in_use=(bool, lambda pair: pair[1].active),
    in_list=(bool, lambda pair: pair[1].listed),
    note=(str, lambda pair: pair[1].note),
    source=(str, lambda pair: pair[1].source.title),
    date=(str, lambda pair: pair[1].source.date),
)

CLIENT_DOCUMENT: Final = Document.of(
    "The output of `clients` for one client", **within("support", SUPPORT), facts=array(_FACT)
)


CLIENTS_DOCUMENT: Final = Document.of("The output of `clients`", clients=array(record(**SUPPORT)))


def show_clients(report: ClientCatalogue) -> Iterator[Block]:
    """A matrix of clients by features."""
    yield Either([Heading("Clients", level=1)])

    def kinds(support: Support, name: str) -> Iterator[str | None]:
        read = support.reads.get(name)
        yield None if read is None else read.compatibility.value
        yield support.writes[name].compatibility.value

    # Features stand below one another: there are more of them than a terminal is wide.
    rows = ((name, [kinds(of, name) for of in report.clients]) for name in FEATURES)
    yield matrix(tuple(str(support.release) for support in report.clients), rows)


def show_client(report: ClientExplanation) -> Iterator[Block]:
    """The facts about a client."""
    release = report.support.release
    client = release.client
    yield Heading(f"{client.name} ({client.id if report.every_release else release})", level=1)
    span = " to ".join(dict.fromkeys((client.oldest, client.newest)))
    yield Table(client.name, (), (("versions are", client.versioned_by), ("known", span)))
    if client.reference_since:
        yield Paragraph(
            f"From release {client.reference_since} on, deltaadm reproduces what the program "
            "itself refuses, and needs no facts."
        )
    if report.facts:
        sources: dict[str, int] = {}
        rows = []
        for side, fact in report.facts:
            access = side.value
            source = f"{fact.source.title} ({fact.source.date})"
            number = sources.setdefault(source, len(sources) + 1)
            bounds = (("since", fact.since), ("before", fact.until))
            span = ", ".join(f"{word} {release}" for word, release in bounds if release) or "all"
            subjects = ", ".join(fact.features).replace(EVERY_OTHER, "every other feature")
            subjects += " in use" if fact.active else ""
            subjects += " in a list" if fact.listed else ""
            verb = DOES[fact.compatibility.value][access]
            rows.append((access, subjects, verb, span, fact.note, f"[{number}]"))
        columns = ("to", "protocol", "does", "releases", "note", "source")
        yield Heading("Facts")
        yield Table("Facts", columns, tuple(rows))
        yield Heading("Sources")
        yield Items(tuple(f"[{number}] {source}" for source, number in sources.items()))
    # The features by what the client does with them, the best first; a terminal says what is known.
    groups = []
    for access, judged in (("read", report.support.reads), ("write", report.support.writes)):
        for kind, does in DOES.items():
            names = [name for name, of in judged.items() if of.compatibility.value == kind]
            if names:
                groups.append((kind, (does[access], ", ".join(names))))
    every = Table("Table features", (), tuple(row for _, row in groups))
    told = tuple(row for kind, row in groups if kind != Compatibility.UNKNOWN.value)
    yield Heading("Table features")
    yield Details([every], [replace(every, rows=told)])


# `clients CLIENT --defaults`: what tables get that a release creates or alters


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
    blocks = "deltaadm.reports.catalogues.show_forecast"


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
    is no release of a client, and for a *since* that is newer or of another client.
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
        if version_key(earlier.version) > version_key(release.version):
            raise RefusedError(
                f"{earlier} is newer than {release}.",
                remedy="--from is the release before an upgrade, CLIENT the one after it.",
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
    "features": (array(str), lambda default: sorted(default.protocol.explicit_names)),
    "properties": (mapping(str), lambda default: default.metadata.configuration),
    "note": str,
    "refused": str,
    "tried": (bool, lambda default: default.source.is_tried),
    "source": (str, lambda default: default.source.title),
    "date": (str, lambda default: default.source.date),
}
_SHUT_OUT: Final = record(
    client=(str, lambda verdict: verdict.release.client.id),
    version=(str, lambda verdict: verdict.release.version),
    access=(str, lambda verdict: verdict.access.value),
    **JUDGEMENT,
)
DEFAULTS_DOCUMENT: Final = Document.of(
    "The output of `clients CLIENT --defaults`",
    client=(str, lambda report: report.release.client.id),
    version=(str, lambda report: report.release.version),
    since=(maybe(str), lambda report: report.since and report.since.version),
    known=bool,
    changes=array(
        record(
            action=(str, lambda change: change.now.action),
            now=record(**_STATE),
            before=maybe(record(**_STATE)),
            shut_out=array(_SHUT_OUT),
        )
    ),
)


def show_forecast(report: Forecast) -> Iterator[Block]:
    """A row for each action, and the sources."""
    release, since = report.release, report.since
    what = f"since {since.version}" if since else "tables that it creates or alters"
    yield Heading(f"{release.client.name} {release.version}: {what}", level=1)
    if not report.known:
        yield Paragraph("Nobody has tried what tables get from it, and no document says.")
        return
    if not report.changes:
        yield Paragraph("Nothing that is known about new and altered tables differs.", tone="good")
        return
    sources: dict[str, int] = {}
    rows = []
    for change in report.changes:
        now, before = change.now, change.before
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
    whom = "shuts out of your clients" if report.declared else "shuts out"
    yield Table("Tables", ("what", "gets", whom, "source"), tuple(rows))
    yield Heading("Sources")
    yield Items(tuple(f"[{number}] {source}" for source, number in sources.items()))


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
