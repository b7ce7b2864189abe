"""`inspect`: what a table's protocol is, why, and how much of it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache, partial
from operator import is_

from deltaadm.blocks import (
    Cards,
    Chips,
    Command,
    Details,
    Either,
    FeatureReport,
    Graph,
    Heading,
    Items,
    Matrix,
    Paragraph,
    Table,
)
from deltaadm.clients import (
    EVERYONE,
    JUDGEMENT,
    NOBODY,
    Access,
    ClientRelease,
    Observation,
    Scope,
    Verdict,
    conditions,
    damages,
    newest_releases,
    verdicts,
)
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.documents import Document, Failure
from deltaadm.domain.features import (
    FEATURES,
    Kind,
    Status,
    TableFeature,
    dependents,
    mapping_mode,
    undo_feature,
    without_plain_columns,
)
from deltaadm.domain.properties import PROPERTIES, Key, checkpoint_interval, is_protocol_property
from deltaadm.domain.protocol import PROTOCOL, Protocol
from deltaadm.domain.schema import Path, path_text, type_name
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction import column_mapping
from deltaadm.domain.transaction.checks import RETENTION_KEYS, check_retention
from deltaadm.domain.transaction.column_mapping import column_id, physical_name
from deltaadm.domain.transaction.spark_support import refusal_to_read, refusal_to_write
from deltaadm.domain.usage import Usage, usages
from deltaadm.domain.wire import Metadata, MetadataKey, moment
from deltaadm.errors import DeltaadmError, some_of
from deltaadm.json_values import COUNT, OPEN, STRINGS, Json, array, maybe, one_of, record, shared
from deltaadm.masking import argument, quoted
from deltaadm.reports.words import DOES, VERSIONS, WRITERS, matrix, writer_table, writers_in_brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeVar

    from deltaadm.blocks import Block

    Result = TypeVar("Result")


class ClientView(Enum):
    """The presentation of verdicts on clients: grouped, as a matrix, or each with its sources."""

    SUMMARY = "summary"
    MATRIX = "matrix"
    SOURCES = "sources"


@dataclass(frozen=True)
class ColumnReport:
    """One column, at any depth; `physical_name` is its name in data files."""

    path: str
    id: int | None
    physical_name: str
    type: str


@dataclass(frozen=True)
class TableReport:
    """
    Everything `inspect` knows.

    `minimum_protocol` is the weakest one under which the metadata is legal,
    `lowest_equivalent_protocol` the weakest with the features of the actual one; where one is None,
    a warning says why. `clients` are the verdicts on the newest release of every client, `declared`
    those on the user's, who are among those in `scope`. `usage` tells of each supported feature
    whether the state uses it. `columns` and `clustering_columns` are None where they, or the state,
    were not asked for. `advises` says that advice belongs to it.
    """

    table: str
    snapshot: Snapshot
    features: tuple[FeatureReport, ...]
    minimum_protocol: Protocol | None
    classic_minimum_versions: tuple[int, int] | None
    lowest_equivalent_protocol: Protocol | None
    clients: tuple[Verdict, ...]
    declared: tuple[Verdict, ...]
    refused_to_read: DeltaadmError | None
    refused_to_write: DeltaadmError | None
    warnings: tuple[str, ...]
    usage: Mapping[str, Usage] = field(default_factory=dict)
    columns: tuple[ColumnReport, ...] | None = None
    clustering_columns: tuple[Path, ...] | None = None
    client_view: ClientView = ClientView.SUMMARY
    scope: Scope = EVERYONE
    advises: bool = False

    document = "inspect"
    blocks = "deltaadm.reports.inspect.show_table"

    @property
    def mapping_mode(self) -> str:
        """The column mapping mode that the property says, also where that is none."""
        metadata = self.snapshot.metadata
        try:
            return mapping_mode(metadata)
        except DeltaadmError:
            return metadata.configuration[Key.COLUMN_MAPPING_MODE]

    @property
    def slack(self) -> tuple[str, ...]:
        """The supported features that nothing in the table uses, in alphabetical order."""
        return tuple(name for name in self._beyond_minimum if self.usage[name].is_unused)

    @property
    def possible_slack(self) -> tuple[str, ...]:
        """The supported features that may be unused: the state was not read or does not show it."""
        return tuple(
            name
            for name in self._beyond_minimum
            if not self.usage[name].evidence and not self.usage[name].known
        )

    @property
    def _beyond_minimum(self) -> tuple[str, ...]:
        if self.minimum_protocol is None:
            return ()
        needed = self.minimum_protocol.supported_features
        return tuple(sorted(self.snapshot.protocol.supported_features - needed))


def describe(
    table: str,
    snapshot: Snapshot,
    *,
    columns: bool = False,
    clients: ClientView = ClientView.SUMMARY,
    declared: tuple[ClientRelease, ...] = (),
    seen: Observation = NOBODY,
    advice: bool = False,
) -> TableReport:
    """
    The report on *snapshot*, for the table that the user calls *table*.

    *declared* are the user's clients, and *seen* says who else counts. Never fails: what cannot be
    determined is left out, and a warning says why.
    """
    metadata, protocol = snapshot.metadata, snapshot.protocol
    in_catalog, met = snapshot.name is not None, conditions(snapshot)
    key = MetadataKey.of(without_plain_columns(metadata))
    alike = _alike(protocol, key, declared, met, in_catalog=in_catalog)
    warnings = [*snapshot.warnings, *damages(snapshot)]
    warnings += [warning for warning in alike.warnings if warning not in warnings]
    usage = usages(snapshot)
    used = tuple(_with_usage(report, usage.get(report.name)) for report in alike.features)
    listed = None
    if columns:
        fields = _attempt(warnings, lambda: tuple(metadata.schema.walk())) or ()
        listed = tuple(
            ColumnReport(path_text(path), column_id(of), physical_name(of), type_name(of.type))
            for path, of in fields
        )
    clustering = None
    if snapshot.domains is not None:
        # Which most runs do not need.
        from deltaadm.domain.transaction.columns import clustering_columns

        clustering = _attempt(warnings, lambda: clustering_columns(snapshot))
    return replace(
        alike,
        table=table,
        snapshot=snapshot,
        features=alike.features if all(map(is_, used, alike.features)) else used,
        usage=usage,
        columns=listed,
        clustering_columns=clustering,
        client_view=clients,
        warnings=tuple(warnings),
        scope=Scope.of(declared, snapshot.writers, seen),
        advises=advice,
    )


def _with_usage(report: FeatureReport, usage: Usage | None) -> FeatureReport:
    feature = report.feature
    if usage is None or feature is None:
        return report
    more = tuple(trace for trace in usage.evidence if trace not in report.because)
    idle = feature.activation.find is None and usage.is_unused
    if not more and not idle:
        return report
    return replace(report, active=report.active and not idle, because=(*report.because, *more))


def _attempt(warnings: list[str], find: Callable[[], Result]) -> Result | None:
    """What *find* returns; where it fails, its error is one of the *warnings*."""
    try:
        return find()
    except DeltaadmError as error:
        if error.message not in warnings:
            warnings.append(error.message)
        return None


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _alike(
    protocol: Protocol,
    key: MetadataKey,
    declared: tuple[ClientRelease, ...],
    met: frozenset[str],
    *,
    in_catalog: bool,
) -> TableReport:
    """What the reports on all tables with this protocol and such metadata have in common."""
    warnings: list[str] = []
    metadata = key.metadata
    name = "its name" if in_catalog else None
    snapshot = Snapshot(root="", version=0, protocol=protocol, metadata=metadata, name=name)
    minimum = _attempt(warnings, lambda: Protocol.minimum(metadata))
    legacy = _attempt(warnings, lambda: Protocol.required_minimum_protocol(metadata)[0])
    classic = None
    if legacy is not None:
        classic = max(1, legacy.min_reader_version), max(1, legacy.min_writer_version)
    lowest = _attempt(warnings, protocol.denormalized_normalized)
    features = tuple(_features(protocol, metadata, warnings))
    refusals = refusal_to_read(snapshot), refusal_to_write(snapshot)
    warnings += _warnings(metadata, features)
    warnings += dict.fromkeys(
        refusal.message for refusal in refusals if refusal and refusal.message not in warnings
    )
    return TableReport(
        table="",
        snapshot=snapshot,
        features=features,
        minimum_protocol=minimum,
        classic_minimum_versions=classic,
        lowest_equivalent_protocol=lowest,
        clients=verdicts(newest_releases(), protocol, metadata, met=met),
        declared=verdicts(dict.fromkeys(declared), protocol, metadata, met=met),
        refused_to_read=refusals[0],
        refused_to_write=refusals[1],
        warnings=tuple(warnings),
    )


def _features(
    protocol: Protocol, metadata: Metadata, warnings: list[str]
) -> Iterator[FeatureReport]:
    evidence = {
        name: _attempt(warnings, partial(entry.activation.evidence, metadata)) or ()
        for name, entry in FEATURES.items()
    }
    asked = {
        name
        for name, entry in FEATURES.items()
        if evidence[name]
        and entry.activation.auto_enables
        and entry.in_delta_spark
        # Delta adds no feature beside its preview, nor the other way round.
        and (entry.twin is None or not protocol.supports(entry.twin))
    }
    explicit, implied = protocol.explicit_names, protocol.implicit_features
    implying = f"implied by {' and '.join(protocol.versions.values())}"
    lists = {"readerFeatures": protocol.reader_features, "writerFeatures": protocol.writer_features}
    for name in sorted(explicit | implied | asked):
        feature = TableFeature.lookup(name)
        uses = evidence.get(feature.name, ()) if feature else ()
        supported, because = None, list(uses)
        if name in explicit:
            supported = "explicit"
            listed = (key for key, names in lists.items() if name in (names or ()))
            because.insert(0, f"listed in {' and '.join(listed)}")
        elif name in implied:
            supported = "implicit"
            because.insert(0, implying)
        because += [f"required by {other}" for other in dependents(name, explicit)]
        is_used = feature is not None and (bool(uses) or feature.activation.find is None)
        active = supported is not None and is_used
        yield FeatureReport(name, feature, supported, active, tuple(because))


def _warnings(metadata: Metadata, features: tuple[FeatureReport, ...]) -> Iterator[str]:
    unknown = sorted(feature.name for feature in features if feature.feature is None)
    if unknown:
        yield f"Unknown table features {', '.join(unknown)}; most clients will refuse the table."
    missing = sorted(feature.name for feature in features if feature.supported is None)
    if missing:
        yield (
            f"The metadata uses {', '.join(missing)}, which the protocol does not support; clients "
            "treat such a table differently."
        )
    stored = sorted(filter(is_protocol_property, metadata.configuration))
    if stored:
        yield (
            f"The properties contain {', '.join(stored)}, which belongs in the protocol and has no "
            "effect here."
        )


MOST: Final = 3
"""So many pieces of advice are given."""


def advice_on(report: TableReport) -> tuple[tuple[str, str], ...]:
    """
    Sentences with the commands that plan what they say, the most worthwhile first.

    On a table that Delta Spark does not write, only its repair.
    """
    if refusal := report.refused_to_write:
        can_repair = "`deltaadm repair TABLE`" in refusal.remedy
        text = "Delta Spark does not write this table before it is repaired."
        return ((text, _command(report, "repair")),) if can_repair else ()
    advice: list[tuple[str, str]] = []
    log, deleted = "delta.logRetentionDuration", "delta.deletedFileRetentionDuration"
    configuration = report.snapshot.metadata.configuration
    if log in configuration or deleted in configuration:
        try:
            check_retention(configuration)
        except DeltaadmError as error:
            interval = configuration.get(deleted, "interval 1 week")
            command = _command(report, "alter", "--set", f"{log}={interval}")
            advice.append((error.message, command))
    unused = [name for name in report.slack if _is_droppable(name)]
    if unused:
        # Those that readers need to know shut most clients out.
        names = [name for name in unused if FEATURES[name].kind is Kind.READER_WRITER] or unused
        text = f"Nothing uses {', '.join(names)}: the protocol could be lower."
        words = ("drop-feature", *names) if len(names) == 1 else ("upgrade-protocol", "--minimum")
        advice.append((text, _command(report, *words)))
    for name in sorted(report.snapshot.protocol.explicit_names - set(report.slack)):
        if name.endswith("-preview") and _is_droppable(name):
            text = f"{name} has a final form, {FEATURES[name].twin}, which newer clients know."
            advice.append((text, _command(report, "drop-feature", name)))
    segment = report.snapshot.segment
    unread, base = (len(segment.deltas), segment.checkpoint) if segment else (0, None)
    if unread > 3 * checkpoint_interval(configuration):
        since = f"since that of version {base.version}" if base else "there is no checkpoint"
        text = f"A checkpoint is missing: readers go through {unread} commits ({since})."
        advice.append((text, _command(report, "alter", "--checkpoint")))
    return tuple(advice[:MOST])


def _is_droppable(name: str) -> bool:
    """Whether dropping it lowers the protocol: it is listed, or Delta would list it."""
    feature = FEATURES.get(name)
    if feature is None or feature.removal is None:
        return False
    return not feature.removal.broken and feature.legacy is None


def _command(report: TableReport, command: str, *options: str) -> str:
    return " ".join(map(quoted, ("deltaadm", command, argument(report.table), *options)))


_FEATURE: Final = record(
    name=str,
    kind=(one_of(Kind, "unknown"), lambda of: of.feature.kind if of.feature else "unknown"),
    supported=Json({"enum": ["explicit", "implicit", None]}),
    active=bool,
    because=STRINGS,
    status=(one_of(Status, "unknown"), lambda of: of.feature.status if of.feature else "unknown"),
    requires=(STRINGS, lambda of: sorted(of.feature.requires) if of.feature else ()),
    undo=(str, lambda of: undo_feature(of.feature)),
)
_MAPPING: Final = record(
    mode=(str, lambda report: report.mapping_mode),
    supported=(bool, lambda report: report.snapshot.protocol.supports("columnMapping")),
    max_column_id=(
        maybe(int),
        lambda report: column_mapping.max_column_id(report.snapshot.metadata),
    ),
    columns=maybe(array(record(path=str, id=maybe(int), physical_name=str, type=str))),
)
_FILES: Final = record(
    files=COUNT,
    bytes=COUNT,
    with_deletion_vector=COUNT,
    bytes_with_deletion_vector=COUNT,
    without_stats=COUNT,
    without_num_records=COUNT,
    without_base_row_id=COUNT,
    partition_keys=(array(STRINGS), lambda files: sorted(map(list, files.partition_keys))),
)


_VERDICT: Final = record(**JUDGEMENT)
_BY_RELEASE: Final = array(
    record(
        client=(str, lambda pair: pair[0].release.client.id),
        name=(str, lambda pair: pair[0].release.client.name),
        version=(str, lambda pair: pair[0].release.version),
        read=(_VERDICT, lambda pair: pair[0]),
        write=(_VERDICT, lambda pair: pair[1]),
    )
)
_CLIENTS: Final = shared(Json(_BY_RELEASE.described, lambda of: _BY_RELEASE.write(_pairs(of))))


_VERSIONS: Final = record(
    minReaderVersion=(int, lambda versions: versions[0]),
    minWriterVersion=(int, lambda versions: versions[1]),
)
_REFERENCE: Final = record(
    reads=(bool, lambda report: report.refused_to_read is None),
    writes=(bool, lambda report: report.refused_to_write is None),
    delta_error_class=(
        maybe(str),
        lambda report: report.refused_to_write and report.refused_to_write.delta_error_class,
    ),
)
INSPECT_DOCUMENT: Final = Document.of(
    "The output of `inspect` for a table",
    table=str,
    location=(str, lambda report: report.snapshot.root),
    version=(COUNT, lambda report: report.snapshot.version),
    timestamp=(maybe(int), lambda report: report.snapshot.timestamp),
    protocol=(PROTOCOL, lambda report: report.snapshot.protocol),
    metadata=(OPEN, lambda report: report.snapshot.metadata.to_wire()),
    features=shared(array(_FEATURE)),
    minimum_protocol=maybe(PROTOCOL),
    classic_minimum_versions=maybe(_VERSIONS),
    lowest_equivalent_protocol=maybe(PROTOCOL),
    slack=STRINGS,
    possible_slack=STRINGS,
    column_mapping=(_MAPPING, lambda report: report),
    clients=_CLIENTS,
    declared_clients=(_CLIENTS, lambda report: report.declared),
    writers=(WRITERS, lambda report: report.snapshot.writers),
    readers=(WRITERS, lambda report: report.scope.seen.readers),
    clustering_columns=maybe(array(STRINGS)),
    files=(maybe(_FILES), lambda report: report.snapshot.files),
    reference_client=(_REFERENCE, lambda report: report),
    warnings=STRINGS,
)


def _matrix(report: TableReport) -> Matrix:
    clients = {
        pair[0].release.short: [
            {"table": verdict.compatibility.value}
            | {VERSIONS.get(of.subject, of.subject): of.compatibility.value for of in verdict.cells}
            for verdict in pair
        ]
        for pair in _pairs(_in_scope(report))
    }
    names = {name for sides in clients.values() for side in sides for name in side}
    columns = ("table", *sorted(names - {"table"}))
    return matrix(
        columns,
        (
            (client, [[side.get(name) for side in sides] for name in columns])
            for client, sides in clients.items()
        ),
    )


def show_table(report: TableReport) -> Iterator[Block]:
    """The description of a table."""
    snapshot = report.snapshot
    yield Heading(report.table, level=1)
    yield from _summary(report)
    yield Details(_details(report))
    if report.features:
        yield Either([Heading("Features")])
        yield Graph(report.features)
        if (table := feature_table(report)).rows:
            yield table
    if report.columns is not None:
        columns = (
            ("" if of.id is None else str(of.id), of.path, of.type, of.physical_name)
            for of in report.columns
        )
        yield Heading("Columns")
        yield Table("Columns", ("id", "column", "type", "physical name"), tuple(columns))
    configuration = sorted(snapshot.metadata.configuration.items())
    told = {reason for feature in report.features for reason in feature.because}
    own = [
        (key, value)
        for key, value in configuration
        if not (key in _INTERNAL or f"property {key} is {value}" in told)
    ]
    page, text = (
        (Heading("Properties"), Table("Properties", ("property", "value"), tuple(rows), plain=True))
        for rows in (configuration, own)
    )
    if configuration:
        yield Details(page, text if own else ())
    if files := snapshot.files:
        counts = [
            ("files", f"{files.files:,} ({files.bytes:,} bytes)"),
            ("with deletion vectors", str(files.with_deletion_vector)),
            ("without statistics", str(files.without_stats)),
        ]
        if snapshot.protocol.supports("rowTracking"):
            counts.append(("without row ids", str(files.without_base_row_id)))
        yield Heading("Files")
        yield Table("Files", (), tuple(counts))
    writers = (*snapshot.writers, *report.scope.seen.readers)
    if any(writer.engine for writer in writers):
        listed = writer_table(writers)
        yield Details([Heading("Writers"), listed])
    if report.clients:
        yield Either([Heading("Clients")])
        yield _clients(report)
    if report.warnings:
        yield Heading("Warnings", tone="warning")
        yield Items(report.warnings, mark="!")
    given = advice_on(report) if report.advises else ()
    if given:
        yield Heading("Advice")
    for sentence, command in given:
        yield Items((sentence,))
        yield Command(command)
    if report.advises:
        yield from _next_commands(report)


_INTERNAL: Final = {Key.MAX_COLUMN_ID, Key.ROW_ID_COLUMN, Key.ROW_COMMIT_VERSION_COLUMN}
"""Properties that Delta sets and that say nothing to people."""


def _next_commands(report: TableReport) -> Iterator[Block]:
    rows = feature_table(report).rows
    if rows:
        name = max(rows, key=lambda row: row[1] == "r + w")[0]  # those shut most clients out
        yield Command(_command(report, "inspect", "--why", name), label="Why a feature")
    for place, groups in _client_rows(report):
        if place not in _FINE:
            client = next(iter(groups.values()))[0].short
            command = _command(report, "inspect", "--for-client", client)
            yield Command(command, label="For one client")
            break


def _in_scope(report: TableReport) -> tuple[Verdict, ...]:
    """The verdicts on the clients that matter, those that certainly use the table first."""
    scope, snapshot = report.scope, report.snapshot
    if not scope.own:
        return report.clients
    releases = dict.fromkeys((*scope.own, *scope.releases))
    return verdicts(releases, snapshot.protocol, snapshot.metadata, met=conditions(snapshot))


def _pairs(verdicts: Sequence[Verdict]) -> Iterator[tuple[Verdict, Verdict]]:
    """The verdicts on reading and on writing, which each release has one after the other."""
    return zip(verdicts[::2], verdicts[1::2], strict=True)


def _clients(report: TableReport) -> Block:
    if report.client_view is ClientView.MATRIX:
        return _matrix(report)
    if report.client_view is ClientView.SUMMARY:
        groups = [
            (
                place,
                "good" if place in _FINE else "" if place == _NO_SOURCE else "error",
                tuple((why, tuple(of.short for of in names)) for why, names in reasons.items()),
            )
            for place, reasons in _client_rows(report)
        ]
        if report.scope.undeclared:
            groups.append(("", "", (("", (f"+ {report.scope.undeclared} not declared",)),)))
        brief = (
            (place, tone, tuple((why, (some_of(names, 5),)) for why, names in parts))
            if place == "read only"
            else (place, tone, parts)
            for place, tone, parts in groups
        )
        return Details([Chips("Clients", tuple(groups))], [Chips("Clients", tuple(brief))])
    sources = []
    for verdict in _in_scope(report):
        release, access = str(verdict.release), verdict.access.value
        verb = DOES[verdict.compatibility.value][access]
        for cell in verdict.responsible or verdict.cells:
            source = f"{cell.source.title}, {cell.source.date}" if cell.source else ""
            words = "; ".join(filter(None, (cell.note, source)))
            sources.append((release, access, verb, cell.subject, words))
    columns = ("client", "access", "verdict", "subject", "source")
    return Table("Clients", columns, tuple(sources), plain=True)


def _client_rows(report: TableReport) -> Iterator[tuple[str, dict[str, list[ClientRelease]]]]:
    """The clients by what they do with the table, the worst first, and by what is in the way."""
    found: dict[str, dict[str, list[ClientRelease]]] = {}
    versions = report.snapshot.protocol.versions
    for read, write in _pairs(_in_scope(report)):
        kinds = read.compatibility.value, write.compatibility.value
        deciding, place = read, {"works": "", "unknown": _NO_SOURCE}.get(kinds[0], "cannot read")
        if "silently wrong" in kinds:
            deciding, place = (read if kinds[0] == "silently wrong" else write), _WRONG
        elif not place and not read.release.client.writes_tables:
            place = "read only"
        elif not place:
            deciding = write
            place = {"works": "read, write", "unknown": _NO_SOURCE}.get(kinds[1], "cannot write")
        cells = deciding.responsible
        if place == _NO_SOURCE and any(cell.depends for cell in cells):
            place = _PERHAPS
        named = [versions.get(cell.subject, cell.subject) for cell in cells]
        # Where a version is too high, features hardly matter.
        reason = ", ".join([name for name in named if name in versions.values()] or named)
        if place in {_WRONG, _PERHAPS}:
            notes = "; ".join(dict.fromkeys(cell.note for cell in cells if cell.note))
            reason = f"{deciding.access.value}s {reason}: {notes}".removesuffix(": ")
        elif deciding is write and place == _NO_SOURCE:
            reason = f"writing {reason}"
        found.setdefault(place, {}).setdefault(reason, []).append(read.release)
    yield from ((place, found[place]) for place in _PLACES if place in found)


_WRONG, _PERHAPS, _NO_SOURCE = "wrong data", "perhaps wrong", "no source"
_FINE: Final = ("read, write", "read only")
_PLACES: Final = (_WRONG, _PERHAPS, "cannot read", "cannot write", _NO_SOURCE, *_FINE)


def feature_table(report: TableReport) -> Table:
    """The features of a table with their state, but for those that are implied and not needed."""
    rows, unread = [], report.snapshot.files is None
    unused, perhaps = frozenset(report.slack), frozenset(report.possible_slack)
    for of in report.features:
        if of.supported == "implicit" and of.name in unused:
            continue
        state = "active" if of.active else "unused" if of.name in unused else "inactive"
        whom = {Kind.READER_WRITER: "r + w", Kind.WRITER: "w"}
        concerned = whom[of.feature.kind] if of.feature else "unknown"
        why = [text for text in of.because if not text.startswith(("listed in ", "implied by "))]
        words = some_of((text.removeprefix("property ") for text in why), 2, "; ")
        if not words and of.name in perhaps:
            words = "perhaps not needed: --files tells" if unread else "perhaps not needed"
        words = words if of.feature else "nobody knows this feature"
        state = state if of.supported else "NOT SUPPORTED"
        rows.append((of.name, concerned, state, words))
    return Table("Features", ("FEATURE", "FOR", "STATE", "WHY"), tuple(rows))


def show_failure(report: Failure) -> Iterator[Block]:
    """The error in the place of a report."""
    message, remedies = report.error.message, tuple(filter(None, (report.error.remedy,)))
    title = Heading(report.table, level=1, tone="error")
    told = Paragraph(f"{report.table}: {message}", "error")
    yield Either(
        (title, Paragraph(message, "error"), *map(Paragraph, remedies)),
        (told, *(Paragraph(remedy, nested=True) for remedy in remedies)),
    )


# What it says in words


def _summary(report: TableReport) -> Iterator[Block]:
    snapshot = report.snapshot
    metadata, protocol = snapshot.metadata, snapshot.protocol
    versions = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    active = sum(feature.active for feature in report.features)
    cards = [
        ("protocol", versions, ""),
        ("features", f"{len(report.features)}, {active} active", ""),
    ]
    reading = [
        verdict.compatibility.value for verdict in report.clients if verdict.access is Access.READ
    ]
    if reading:
        wrong = reading.count("silently wrong")
        words = f"{reading.count('works')} of {len(reading)} can read"
        words = f"{words}, {wrong} wrong" if wrong else words
        cards.append(("clients", words, "error" if wrong else ""))
    if report.warnings:
        cards.append(("warnings", str(len(report.warnings)), "warning"))
    yield Cards(tuple(cards))
    time = "" if snapshot.timestamp is None else f", {moment(snapshot.timestamp)}"
    rows = [("version", f"{snapshot.version}{time}"), ("protocol", versions)]
    idle = sorted(protocol.implicit_features.intersection(report.slack))
    if idle:
        rows.append(("not needed", f"{', '.join(idle)} (implied)"))
    if metadata.partition_columns:
        rows.append(("partitioned by", ", ".join(metadata.partition_columns)))
    if report.clustering_columns:
        rows.append(("clustered by", ", ".join(map(path_text, report.clustering_columns))))
    readers = report.scope.seen.readers
    for label, clients in (("written by", snapshot.writers), ("read by", readers)):
        if any(client.engine for client in clients):
            rows.append((label, writers_in_brief(clients)))
    yield Table("Table", (), tuple(rows))


def _details(report: TableReport) -> Iterable[Table | Heading]:
    metadata, protocol = report.snapshot.metadata, report.snapshot.protocol
    named = (("name", metadata.name), ("comment", metadata.description))
    yield Heading("Details")
    rows = [("location", report.snapshot.root), ("id", metadata.id or "none")]
    rows += [(title, text) for title, text in named if text]
    rows.append(("protocol", _protocol_words(protocol)))
    for title, other in (
        ("minimum for this metadata", report.minimum_protocol),
        ("lowest equivalent", report.lowest_equivalent_protocol),
    ):
        if other not in {None, protocol}:
            rows.append((title, _protocol_words(other)))
    highest = column_mapping.max_column_id(metadata)
    if protocol.supports("columnMapping") or report.mapping_mode != "none":
        most = "" if highest is None else f", highest id {highest}"
        rows.append(("column mapping", f"{report.mapping_mode}{most}"))
    for title, key in zip(("log kept for", "deleted files kept for"), RETENTION_KEYS, strict=True):
        kept = metadata.configuration.get(key) or PROPERTIES[key.lower()].default or ""
        rows.append((title, kept.removeprefix("interval ")))
    yield Table("Details", (), tuple(rows))


def _protocol_words(protocol: Protocol) -> str:
    text = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    lists = (("reader", protocol.reader_features), ("writer", protocol.writer_features))
    for whose, names in lists:
        if names is not None:
            text += f", {whose} features: {', '.join(sorted(names)) or 'none'}"
    return text
