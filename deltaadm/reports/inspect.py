"""`inspect`: what a table's protocol is, why, and how much of it is needed."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache, partial
from operator import is_

from deltaadm.blocks import (
    Cards,
    Command,
    Either,
    FeatureReport,
    Graph,
    Heading,
    Items,
    Matrix,
    Paragraph,
    Table,
)
from deltaadm.clients import Access, newest_releases
from deltaadm.clients.verdicts import JUDGEMENT
from deltaadm.dataclass import dataclass, replace
from deltaadm.documents import Document
from deltaadm.domain.features import (
    FEATURES,
    Kind,
    Status,
    dependents,
    lookup,
    mapping_mode,
    undo_feature,
)
from deltaadm.domain.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    OPEN,
    STRING,
    STRINGS,
    Json,
    array,
    maybe,
    one_of,
    record,
    shared,
)
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    checkpoint_interval,
    is_protocol_property,
)
from deltaadm.domain.protocol import PROTOCOL, Protocol, minimum_protocol, required_minimum_protocol
from deltaadm.domain.schema import path_text, type_name, walk
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.checks import check_retention
from deltaadm.domain.transaction.column_mapping import column_id, max_column_id, physical_name
from deltaadm.domain.transaction.spark_support import refusal_to_read, refusal_to_write
from deltaadm.domain.usage import usages
from deltaadm.domain.wire import Metadata, Traits
from deltaadm.errors import DeltaadmError
from deltaadm.reports.words import DOES, LEGEND, VERDICTS, WHOLE_TABLE, grouped, matrix_cell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final, TypeVar

    from deltaadm.blocks import Block
    from deltaadm.clients import ClientRelease, Verdict
    from deltaadm.documents import Failure
    from deltaadm.domain.schema import Path
    from deltaadm.domain.usage import Usage
    from deltaadm.rules.rule import Finding


if TYPE_CHECKING:
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
class MappingReport:
    """
    The column mapping of a table.

    `mode` is the property's value, also where it is wrong; `columns` is None where they were
    not asked for.
    """

    mode: str
    supported: bool
    max_column_id: int | None
    columns: tuple[ColumnReport, ...] | None


@dataclass(frozen=True)
class TableReport:
    """
    Everything `inspect` knows.

    `minimum_protocol` is the weakest one under which the metadata is legal,
    `lowest_equivalent_protocol` the weakest with the same features as the actual one; each is
    None where it cannot be determined, and a warning says why. `usage` tells of each supported
    feature whether the state uses it. `clustering_columns` is None where the whole state was not
    asked for. `clients` are the verdicts on the newest release of every client, and `client_view`
    says how they are shown. `advises` says that advice belongs to it.
    """

    table: str
    snapshot: Snapshot
    features: tuple[FeatureReport, ...]
    minimum_protocol: Protocol | None
    classic_minimum_versions: tuple[int, int] | None
    lowest_equivalent_protocol: Protocol | None
    mapping: MappingReport
    clustering_columns: tuple[Path, ...] | None
    clients: tuple[Verdict, ...]
    client_view: ClientView
    usage: Mapping[str, Usage]
    refused_to_read: DeltaadmError | None
    refused_to_write: DeltaadmError | None
    warnings: tuple[str, ...]
    advises: bool = False

    document = "inspect"
    blocks = "deltaadm.reports.inspect.show_table"

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
    advice: bool = False,
) -> TableReport:
    """
    The report on *snapshot*, for the table that the user calls *table*.

    Its *columns*, more of the *clients*, and *advice* are shown on request.

    Never fails: what cannot be determined is left out, and a warning says why.
    """
    warnings: list[str] = list(snapshot.warnings)
    attempt = _ErrorCollector(warnings)
    metadata, protocol = snapshot.metadata, snapshot.protocol
    needs = _needs(protocol, Traits.of(metadata), in_catalog=snapshot.name is not None)
    warnings.extend(warning for warning in needs.errors if warning not in warnings)
    usage = usages(snapshot)
    warnings.extend(needs.warnings)
    for refusal in (needs.refused_to_read, needs.refused_to_write):
        if refusal is not None and refusal.message not in warnings:
            warnings.append(refusal.message)
    reports = needs.features
    used = tuple(_with_usage(report, usage.get(report.name)) for report in reports)
    return TableReport(
        table=table,
        snapshot=snapshot,
        features=reports if all(map(is_, used, reports)) else used,
        minimum_protocol=needs.minimum,
        classic_minimum_versions=needs.classic,
        lowest_equivalent_protocol=needs.lowest,
        mapping=_mapping(snapshot, attempt, columns=columns),
        clustering_columns=None
        if snapshot.domains is None
        else attempt(lambda: _clustering(snapshot)),
        clients=needs.clients,
        client_view=clients,
        usage=usage,
        refused_to_read=needs.refused_to_read,
        refused_to_write=needs.refused_to_write,
        warnings=tuple(warnings),
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


def _clustering(snapshot: Snapshot) -> tuple[Path, ...] | None:
    from deltaadm.domain.transaction.columns import (  # which most runs do not need
        clustering_columns,
    )

    return clustering_columns(snapshot)


@dataclass(frozen=True)
class _Needs:
    """
    The features that protocol and traits need, and the verdicts on clients.

    `errors` say why something of it cannot be determined.
    """

    minimum: Protocol | None
    classic: tuple[int, int] | None
    lowest: Protocol | None
    features: tuple[FeatureReport, ...]
    clients: tuple[Verdict, ...]
    refused_to_read: DeltaadmError | None
    refused_to_write: DeltaadmError | None
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _needs(protocol: Protocol, traits: Traits, *, in_catalog: bool) -> _Needs:
    from deltaadm.clients import verdicts

    errors: list[str] = []
    attempt = _ErrorCollector(errors)
    metadata = traits.metadata
    name = "its name" if in_catalog else None
    alike = Snapshot(root="", version=0, protocol=protocol, metadata=metadata, name=name)
    minimum = attempt(lambda: minimum_protocol(metadata))
    classic = attempt(lambda: _classic(metadata))
    lowest = attempt(protocol.denormalized_normalized)
    features = tuple(_features(protocol, metadata, attempt))
    return _Needs(
        minimum=minimum,
        classic=classic,
        lowest=lowest,
        features=features,
        clients=verdicts(newest_releases(), protocol, metadata),
        refused_to_read=refusal_to_read(alike),
        refused_to_write=refusal_to_write(alike),
        errors=tuple(errors),
        warnings=tuple(_warnings(metadata, features)),
    )


class _ErrorCollector:
    """Calls what may fail, and notes the failure in place of an answer."""

    def __init__(self, warnings: list[str]) -> None:
        self._warnings = warnings

    def __call__(self, find: Callable[[], Result]) -> Result | None:
        try:
            return find()
        except DeltaadmError as error:
            if error.message not in self._warnings:
                self._warnings.append(error.message)
            return None


def _classic(metadata: Metadata) -> tuple[int, int]:
    protocol, _ = required_minimum_protocol(metadata)
    return max(1, protocol.min_reader_version), max(1, protocol.min_writer_version)


def _features(
    protocol: Protocol, metadata: Metadata, attempt: _ErrorCollector
) -> Iterator[FeatureReport]:
    evidence = {
        name: attempt(partial(entry.activation.evidence, metadata)) or ()
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
    implied = protocol.implicit_features
    for name in sorted(protocol.explicit_names | implied | asked):
        feature = lookup(name)
        supported = (
            "explicit"
            if name in protocol.explicit_names
            else "implicit"
            if name in implied
            else None
        )
        uses = evidence.get(feature.name, ()) if feature else ()
        yield FeatureReport(
            name=name,
            feature=feature,
            supported=supported,
            active=supported is not None
            and feature is not None
            and (bool(uses) or feature.activation.find is None),
            because=tuple(_because(protocol, name, supported, uses)),
        )


def _because(
    protocol: Protocol, name: str, supported: str | None, evidence: tuple[str, ...]
) -> Iterator[str]:
    if supported == "implicit":
        yield (
            f"implied by reader version {protocol.min_reader_version} and writer version "
            f"{protocol.min_writer_version}"
        )
    if supported == "explicit":
        lists = [
            key
            for key, names in (
                ("readerFeatures", protocol.reader_features),
                ("writerFeatures", protocol.writer_features),
            )
            if name in (names or ())
        ]
        yield f"listed in {' and '.join(lists)}"
    yield from evidence
    for other in dependents(name, protocol.explicit_names):
        yield f"required by {other}"


def _columns(metadata: Metadata) -> Iterator[ColumnReport]:
    for path, field in walk(metadata.schema):
        yield ColumnReport(
            path=path_text(path),
            id=column_id(field),
            physical_name=physical_name(field),
            type=type_name(field.type),
        )


def _mapping(snapshot: Snapshot, attempt: _ErrorCollector, *, columns: bool) -> MappingReport:
    metadata = snapshot.metadata
    mode = attempt(lambda: mapping_mode(metadata))
    return MappingReport(
        mode=mode or metadata.configuration[COLUMN_MAPPING_MODE],
        supported=snapshot.protocol.supports("columnMapping"),
        max_column_id=max_column_id(metadata),
        columns=(attempt(lambda: tuple(_columns(metadata))) or ()) if columns else None,
    )


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


# Advice


MOST: Final = 3
"""So many pieces of advice are given."""
_RETENTION: Final = ("delta.logRetentionDuration", "delta.deletedFileRetentionDuration")
_UNREAD_INTERVALS: Final = 3
_NAMED: Final = 4


@dataclass(frozen=True)
class Advice:
    """A recommendation, in a sentence, and the command line that plans it."""

    text: str
    command: str


def advice_on(report: TableReport) -> tuple[Advice, ...]:
    """The most worthwhile first; none on a table that is as it should be."""
    recommendations = (
        *_retention(report),
        *_unused(report),
        *_previews(report),
        *_checkpoint(report),
    )
    return recommendations[:MOST]


def _retention(report: TableReport) -> Iterator[Advice]:
    configuration = report.snapshot.metadata.configuration
    if not any(key in configuration for key in _RETENTION):
        return

    try:
        check_retention(report.snapshot.metadata)
    except DeltaadmError as error:
        log, deleted = _RETENTION
        interval = configuration.get(deleted, "interval 1 week")
        yield Advice(error.message, _command(report, "alter", "--set", f"{log}={interval}"))


def _unused(report: TableReport) -> Iterator[Advice]:
    """Features that nothing uses and that Delta can drop, those that concern readers first."""
    unused = [name for name in report.slack if _is_droppable(name)]
    shutting_out = [name for name in unused if FEATURES[name].kind is Kind.READER_WRITER]
    gaining = _gaining(report, frozenset(shutting_out)) if shutting_out else []
    if gaining:
        clients = ", ".join(gaining[:_NAMED])
        more = f" and {len(gaining) - _NAMED} more" if len(gaining) > _NAMED else ""
        yield Advice(
            f"Nothing uses {', '.join(shutting_out)}, without which {clients}{more} could read the "
            "table.",
            _dropping(report, shutting_out),
        )
    elif unused:
        yield Advice(
            f"Nothing uses {', '.join(unused)}: the protocol could be lower.",
            _dropping(report, unused),
        )


def _is_droppable(name: str) -> bool:
    """Whether dropping it lowers the protocol: it is listed, or Delta would list it."""
    feature = FEATURES.get(name)
    return (
        feature is not None
        and feature.removal is not None
        and not feature.removal.broken
        and feature.legacy is None
    )


def _gaining(report: TableReport, unused: frozenset[str]) -> list[str]:
    """The clients that only the *unused* features, or a version for their sake, shut out."""
    needed = report.minimum_protocol
    lowers = needed is not None and (
        needed.min_reader_version < report.snapshot.protocol.min_reader_version
    )
    removed = unused | ({"protocol.minReaderVersion"} if lowers else set())
    return [
        str(verdict.release)
        for verdict in report.clients
        if verdict.access.value == "read"
        and verdict.responsible
        and all(
            cell.subject in removed for cell in verdict.cells if cell.compatibility.value != "works"
        )
    ]


def _dropping(report: TableReport, names: list[str]) -> str:
    if len(names) == 1:
        return _command(report, "drop-feature", *names)
    return _command(report, "upgrade-protocol", "--minimum")


def _previews(report: TableReport) -> Iterator[Advice]:
    names = report.snapshot.protocol.explicit_names
    for name in sorted(names):
        feature = FEATURES.get(name)
        if feature is None or not name.endswith("-preview") or not _is_droppable(name):
            continue
        if feature.twin in names:
            text = f"{name} stands beside its final form, {feature.twin}."
        elif feature.twin is not None and name not in report.slack:
            text = (
                f"{name} has a final form: once every client knows {feature.twin}, drop the "
                "preview and enable that."
            )
        else:
            continue
        yield Advice(text, _command(report, "drop-feature", name))


def _checkpoint(report: TableReport) -> Iterator[Advice]:
    segment = report.snapshot.segment
    if segment is None or report.refused_to_read is not None:
        return
    unread = len(segment.deltas)
    interval = checkpoint_interval(report.snapshot.metadata.configuration)
    if unread > _UNREAD_INTERVALS * interval:
        base = segment.checkpoint
        since = (
            "there is no checkpoint" if base is None else f"since that of version {base.version}"
        )
        yield Advice(
            f"A checkpoint is missing: readers go through {unread} commits ({since}).",
            _command(report, "alter", "--checkpoint"),
        )


def _command(report: TableReport, command: str, *options: str) -> str:
    """The command line for the table, as a POSIX shell takes it."""
    words = ("deltaadm", command, report.table, *options)
    if all(map(_is_plain, words)) and not report.table.startswith("-"):
        return " ".join(words)
    from deltaadm.plans.undo import quoted

    place = f"./{report.table}" if report.table.startswith("-") else report.table
    return " ".join(map(quoted, ("deltaadm", command, place, *options)))


def _is_plain(word: str) -> bool:
    return word.isascii() and all(letter.isalnum() or letter in "/._-:=@+" for letter in word)


# As JSON


_FEATURE: Final = record(
    name=STRING,
    kind=(
        one_of(Kind, "unknown"),
        lambda report: report.feature.kind if report.feature else "unknown",
    ),
    supported=Json({"enum": ["explicit", "implicit", None]}),
    active=BOOLEAN,
    because=STRINGS,
    status=(
        one_of(Status, "unknown"),
        lambda report: report.feature.status if report.feature else "unknown",
    ),
    requires=(STRINGS, lambda report: sorted(report.feature.requires) if report.feature else ()),
    undo=(STRING, lambda report: undo_feature(report.feature)),
)
_MAPPING: Final = record(
    mode=STRING,
    supported=BOOLEAN,
    max_column_id=maybe(INTEGER),
    columns=maybe(array(record(path=STRING, id=maybe(INTEGER), physical_name=STRING, type=STRING))),
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
_CLIENTS: Final = array(
    record(
        client=(STRING, lambda verdicts: verdicts[0].release.client.id),
        name=(STRING, lambda verdicts: verdicts[0].release.client.name),
        version=(STRING, lambda verdicts: verdicts[0].release.version),
        read=(_VERDICT, lambda verdicts: _with(Access.READ, verdicts)),
        write=(_VERDICT, lambda verdicts: _with(Access.WRITE, verdicts)),
    )
)


def _with(access: Access, verdicts: Sequence[Verdict]) -> Verdict:
    return next(verdict for verdict in verdicts if verdict.access is access)


def _write_clients(verdicts: tuple[Verdict, ...]) -> Any:
    by_release: dict[ClientRelease, list[Verdict]] = {}
    for verdict in verdicts:
        by_release.setdefault(verdict.release, []).append(verdict)
    return _CLIENTS.write(by_release.values())


INSPECT_DOCUMENT: Final = Document.of(
    "The output of `inspect` for a table",
    table=STRING,
    location=(STRING, lambda report: report.snapshot.root),
    version=(COUNT, lambda report: report.snapshot.version),
    timestamp=(maybe(INTEGER), lambda report: report.snapshot.timestamp),
    protocol=(PROTOCOL, lambda report: report.snapshot.protocol),
    metadata=(OPEN, lambda report: report.snapshot.metadata.to_wire()),
    features=shared(array(_FEATURE)),
    minimum_protocol=maybe(PROTOCOL),
    classic_minimum_versions=maybe(
        record(
            minReaderVersion=(INTEGER, lambda versions: versions[0]),
            minWriterVersion=(INTEGER, lambda versions: versions[1]),
        )
    ),
    lowest_equivalent_protocol=maybe(PROTOCOL),
    slack=STRINGS,
    possible_slack=STRINGS,
    column_mapping=(_MAPPING, lambda report: report.mapping),
    clients=shared(Json(lambda: _CLIENTS.schema, _write_clients)),
    clustering_columns=maybe(array(STRINGS)),
    files=(maybe(_FILES), lambda report: report.snapshot.files),
    reference_client=(
        record(
            reads=(BOOLEAN, lambda report: report.refused_to_read is None),
            writes=(BOOLEAN, lambda report: report.refused_to_write is None),
            delta_error_class=(
                maybe(STRING),
                lambda report: (
                    report.refused_to_write and report.refused_to_write.delta_error_class
                ),
            ),
        ),
        lambda report: report,
    ),
    warnings=STRINGS,
)


def table_matrix(report: TableReport) -> Matrix:
    """A matrix of clients by the versions and features of a table."""
    by_client: dict[str, dict[str, dict[str, str]]] = {}
    subjects: dict[str, None] = {}
    for verdict in report.clients:
        cells = by_client.setdefault(str(verdict.release), {}).setdefault(verdict.access.value, {})
        cells[WHOLE_TABLE] = verdict.compatibility.value
        for cell in verdict.cells:
            subject = "versions" if cell.subject.startswith("protocol.") else cell.subject
            subjects[subject] = None
            # Both versions share a column, which shows the worse of them.
            worst = cells.get(subject, "works")
            cells[subject] = max(worst, cell.compatibility.value, key=VERDICTS.index)
    columns = (WHOLE_TABLE, *sorted(subjects, key=lambda name: (name != "versions", name)))
    rows = tuple(
        (
            client,
            tuple(
                matrix_cell(cells.get("read", {}).get(column), cells.get("write", {}).get(column))
                for column in columns
            ),
        )
        for client, cells in by_client.items()
    )
    return Matrix("Clients", columns, rows, LEGEND)


# As blocks


def show_table(report: TableReport) -> Iterator[Block]:
    """The description of a table."""
    yield Heading(report.table, level=1)
    yield Either([Cards(tuple(_cards(report)))])
    yield Table("Table", (), tuple(_facts(report)))
    yield Heading("Protocol")
    yield Table("Protocol", (), tuple(_protocol_rows(report)))
    if report.features:
        yield Heading("Features")
        yield Either([Graph(report.features)])
        yield feature_table(report)
    yield from _mapping_blocks(report.mapping)
    configuration = report.snapshot.metadata.configuration
    if configuration:
        yield Heading("Properties")
        rows = tuple(sorted(configuration.items()))
        yield Table("Properties", ("property", "value"), rows, plain=True)
    yield from _file_blocks(report.snapshot)
    if report.clients:
        yield Heading("Clients")
        yield _clients(report)
    if report.warnings:
        yield Heading("Warnings", tone="warning")
        yield Items(report.warnings, mark="!")
    if report.advises:
        given = advice_on(report)
        if given:
            yield Heading("Advice")
        for advice in given:
            yield Items((advice.text,))
            yield Command(advice.command)


def _cards(report: TableReport) -> Iterator[tuple[str, str, str]]:
    protocol = report.snapshot.protocol
    versions = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    yield "protocol", versions, ""
    active = sum(feature.active for feature in report.features)
    yield "features", f"{len(report.features)}, {active} active", ""
    reading = [
        verdict.compatibility.value for verdict in report.clients if verdict.access.value == "read"
    ]
    if reading:
        wrong = reading.count("silently wrong")
        words = f"{reading.count('works')} of {len(reading)} can read"
        yield "clients", f"{words}, {wrong} wrong" if wrong else words, "error" if wrong else ""
    if report.warnings:
        yield "warnings", str(len(report.warnings)), "warning"


def _mapping_blocks(mapping: MappingReport) -> Iterator[Block]:
    rows = [("mode", mapping.mode), ("supported", "yes" if mapping.supported else "no")]
    if mapping.max_column_id is not None:
        rows.append(("highest column id", str(mapping.max_column_id)))
    yield Heading("Column mapping")
    yield Table("Column mapping", (), tuple(rows))
    if mapping.columns is not None:
        columns = (
            (
                "" if column.id is None else str(column.id),
                column.path,
                column.type,
                column.physical_name,
            )
            for column in mapping.columns
        )
        yield Table("Columns", ("id", "column", "type", "physical name"), tuple(columns))


def _file_blocks(snapshot: Snapshot) -> Iterator[Block]:
    files = snapshot.files
    if files is None:
        return
    rows = [
        ("files", f"{files.files} ({files.bytes} bytes)"),
        ("with deletion vectors", str(files.with_deletion_vector)),
        ("without statistics", str(files.without_stats)),
    ]
    if snapshot.protocol.supports("rowTracking"):
        rows.append(("without row ids", str(files.without_base_row_id)))
    yield Heading("Files")
    yield Table("Files", (), tuple(rows))


def _clients(report: TableReport) -> Block:
    if report.client_view.value == "matrix":
        return table_matrix(report)
    if report.client_view.value == "summary":
        return Table("Clients", (), tuple(_client_rows(report)))
    columns = ("client", "access", "verdict", "subject", "source")
    rows: list[tuple[str, ...]] = []
    for verdict in report.clients:
        does = DOES[verdict.compatibility.value][verdict.access.value]
        for cell in verdict.responsible or verdict.cells:
            notes = [cell.note] if cell.note else []
            notes += [f"{cell.source.title}, {cell.source.date}"] if cell.source else []
            access, words = verdict.access.value, "; ".join(notes)
            rows.append((str(verdict.release), access, does, cell.subject, words))
    return Table("Clients", columns, tuple(rows), plain=True)


def feature_table(report: TableReport) -> Table:
    """The features of a table with their state."""
    columns = ("feature", "kind", "support", "activity", "because")
    words = {"explicit": "listed", "implicit": "implied", None: "NOT SUPPORTED"}
    rows = (
        (
            feature.name,
            feature.feature.kind.value if feature.feature else "unknown",
            words[feature.supported],
            "active" if feature.active else "not active",
            "; ".join(feature.because),
        )
        for feature in report.features
    )
    return Table("Features", columns, tuple(rows), plain=True)


def feature_blocks(report: TableReport, findings: tuple[Finding, ...]) -> Either:
    """The features of a table that was validated, beside the *findings* about them."""
    graph = Graph(report.features, findings)
    shown = (Heading("Features"), graph, feature_table(report)) if report.features else ()
    return Either(shown)


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


def _facts(report: TableReport) -> Iterable[tuple[str, str]]:
    from deltaadm.domain.instants import instant  # slow to import

    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield "location", snapshot.root
    yield "id", metadata.id or "none"
    if metadata.name:
        yield "name", metadata.name
    if metadata.description:
        yield "comment", metadata.description
    yield "version", str(snapshot.version)
    time = snapshot.timestamp
    yield "time", "unknown" if time is None else instant(time).replace("T", " ")
    if metadata.partition_columns:
        yield "partitioned by", ", ".join(metadata.partition_columns)
    if report.clustering_columns:
        yield "clustered by", ", ".join(map(path_text, report.clustering_columns))


def _protocol_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The protocol, and how much of it is needed."""
    protocol = report.snapshot.protocol
    yield "as written", _protocol_words(protocol)
    if report.minimum_protocol is not None:
        yield "minimum for this metadata", _protocol_words(report.minimum_protocol)
    if report.classic_minimum_versions is not None:
        reader, writer = report.classic_minimum_versions
        yield "legacy minimum (no table features)", f"reader {reader}, writer {writer}"
    if report.lowest_equivalent_protocol is not None:
        yield "lowest equivalent", _protocol_words(report.lowest_equivalent_protocol)
    unneeded = ", ".join(report.slack) or "nothing"
    if report.possible_slack:
        where = "without --files" if report.snapshot.files is None else "from the log"
        unneeded += f"; not known {where}: {', '.join(report.possible_slack)}"
    yield "not needed", unneeded
    reads = "yes" if report.refused_to_read is None else "no"
    writes = "yes" if report.refused_to_write is None else "no"
    yield "Delta Spark 4.4", f"reads: {reads}, writes: {writes}"


def _protocol_words(protocol: Protocol) -> str:
    """Versions and features in a line."""
    text = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    for what, names in (
        ("reader features", protocol.reader_features),
        ("writer features", protocol.writer_features),
    ):
        if names is not None:
            text += f", {what}: {', '.join(sorted(names)) or 'none'}"
    return text


def _client_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The clients that can and that cannot, with causes; no client twice for the same cause."""
    listed: set[tuple[ClientRelease, str]] = set()
    for access in ("read", "write"):
        for kind, does in DOES.items():
            verdicts = [
                verdict
                for verdict in report.clients
                if (verdict.access.value, verdict.compatibility.value) == (access, kind)
                and (kind == "works" or (verdict.release, kind) not in listed)
            ]
            listed |= {(verdict.release, kind) for verdict in verdicts}
            if verdicts:
                yield does[access], grouped(verdicts)
