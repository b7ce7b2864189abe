"""`features` and `clients`: what is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deltaadm.blocks import Block, Either, Heading, Items, Matrix, Paragraph, Table
from deltaadm.clients import (
    Access,
    ClientRelease,
    Compatibility,
    Fact,
    Gate,
    Verdict,
    feature_verdict,
    newest_releases,
    parse_client,
)
from deltaadm.dataclass import dataclass, replace
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES, Cost, Kind, Status, TableFeature, undo_feature
from deltaadm.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    Fields,
    array,
    mapping,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.reports.words import COSTS, DOES, LEGEND, matrix_cell

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
    "name": STRING,
    "kind": one_of(Kind),
    "status": one_of(Status),
    "since": (maybe(STRING), lambda feature: feature.since or None),
    "legacy_versions": (maybe(array(COUNT)), lambda feature: feature.legacy or None),
    "requires": (STRINGS, lambda feature: sorted(feature.requires)),
    "twin": maybe(STRING),
    "activated_by": (mapping(STRING), lambda feature: feature.activation.properties),
    "added_to_existing_tables": (
        BOOLEAN,
        lambda feature: feature.activation.auto_enables and feature.auto_update,
    ),
    "not_addable": (maybe(STRING), lambda feature: feature.not_addable or None),
    "undo": (STRING, undo_feature),
    "cost": one_of(Cost),
    "caution": (maybe(STRING), lambda feature: feature.caution or None),
    "in_delta_spark": (BOOLEAN, lambda feature: feature.in_delta_spark),
    "section": STRING,
    "source": STRING,
}
"""The parts of a feature of the registry."""

FEATURE_DOCUMENT: Final = Document.of(
    "The output of `features` for one feature", **within("feature", FEATURE), required_by=STRINGS
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
class ClientFact:
    """One fact about a client: what it concerns, and what the client does then."""

    access: Access
    subjects: tuple[str, ...]
    compatibility: Compatibility
    fact: Fact | Gate


@dataclass(frozen=True)
class ClientExplanation:
    """One client with the facts about it: about `every_release`, or about one."""

    support: Support
    facts: tuple[ClientFact, ...]
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
    client, known = release.client, []
    for access, role, gates, facts in (
        (Access.READ, "reader", client.read_gates, client.reads),
        (Access.WRITE, "writer", client.write_gates, client.writes),
    ):
        for gate in release.known(gates) if "@" in text else gates:
            subject = f"{role} version > {gate.highest}" if gate.highest else f"any {role} version"
            known.append(ClientFact(access, (subject,), gate.above, gate))
        known += [
            ClientFact(access, of.features, of.compatibility, of)
            for of in (release.known(facts) if "@" in text else facts)
        ]
    return ClientExplanation(_support(release), tuple(known), every_release="@" not in text)


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
    feature=(STRING, lambda found: found[0]),
    read=(maybe(_VERDICT), lambda found: found[1] and found[1].compatibility),
    write=(_VERDICT, lambda found: found[2].compatibility),
)
SUPPORT: Final[Fields] = {
    "client": (STRING, lambda support: support.release.client.id),
    "name": (STRING, lambda support: support.release.client.name),
    "version": (STRING, lambda support: support.release.version),
    "versioned_by": (STRING, lambda support: support.release.client.versioned_by),
    "oldest": (STRING, lambda support: support.release.client.oldest),
    "newest": (STRING, lambda support: support.release.client.newest),
    "features": (
        array(_FEATURE),
        lambda of: [(name, of.reads.get(name), written) for name, written in of.writes.items()],
    ),
}
"""The behaviour of a client with tables that have one feature."""


def _part(name: str, default: object) -> Any:
    def value(entry: ClientFact) -> object:
        return getattr(entry.fact, name, default) or default

    return value


_FACT: Final = record(
    access=one_of(Access),
    subjects=STRINGS,
    verdict=(_VERDICT, lambda found: found.compatibility),
    highest_version=(maybe(COUNT), lambda found: getattr(found.fact, "highest", None)),
    since=(maybe(STRING), _part("since", None)),
    until=(maybe(STRING), _part("until", None)),
    in_use=(BOOLEAN, _part("active", default=False)),
    in_list=(BOOLEAN, _part("listed", default=False)),
    note=(STRING, _part("note", "")),
    source=(STRING, lambda found: found.fact.source.title),
    date=(STRING, lambda found: found.fact.source.date),
)

CLIENT_DOCUMENT: Final = Document.of(
    "The output of `clients` for one client", **within("support", SUPPORT), facts=array(_FACT)
)


CLIENTS_DOCUMENT: Final = Document.of("The output of `clients`", clients=array(record(**SUPPORT)))


def show_clients(report: ClientCatalogue) -> Iterator[Block]:
    """A matrix of clients by features."""
    yield Either([Heading("Clients", level=1)])
    rows = []
    # Features stand below one another: there are more of them than a terminal is wide.
    for name in report.clients[0].writes:
        cells = []
        for support in report.clients:
            read, write = support.reads.get(name), support.writes[name]
            kind = None if read is None else read.compatibility.value
            cells.append(matrix_cell(kind, write.compatibility.value))
        rows.append((name, tuple(cells)))
    releases = tuple(str(support.release) for support in report.clients)
    yield Matrix("Clients", releases, tuple(rows), LEGEND)


def show_client(report: ClientExplanation) -> Iterator[Block]:
    """The facts about a client."""
    release = report.support.release
    client = release.client
    yield Heading(f"{client.name} ({client.id if report.every_release else release})", level=1)
    if client.versioned_by == "days":
        known = (("releases", "none: a service"), ("facts of", client.newest))
    else:
        span = f"{client.oldest} to {client.newest}"
        known = (("versions are", client.versioned_by), ("known", span))
    yield Table(client.name, (), known)
    if client.reference_since:
        yield Paragraph(
            f"From release {client.reference_since} on, deltaadm reproduces what the program "
            "itself refuses, and needs no facts."
        )
    if report.facts:
        sources: dict[str, int] = {}
        rows = []
        for entry in report.facts:
            access, fact = entry.access.value, entry.fact
            source = f"{fact.source.title} ({fact.source.date})"
            number = sources.setdefault(source, len(sources) + 1)
            since, until = fact.since, fact.until
            span = f"since {since}" if since else f"before {until}" if until else "all"
            if since and until:
                span = f"{since} up to, without, {until}"
            subjects = ", ".join(entry.subjects)
            subjects = "every other feature" if subjects == "*" else subjects
            subjects += " in use" if getattr(fact, "active", False) else ""
            subjects += " in a list" if getattr(fact, "listed", False) else ""
            verb = DOES[entry.compatibility.value][access]
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
    yield Either([every], [replace(every, rows=told)], verbose=[every])
