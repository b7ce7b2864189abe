"""What reports say in words, row by row: shared by every format that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import undo_feature
from deltaadm.domain.model.instants import instant
from deltaadm.domain.model.schema import path_text
from deltaadm.validation.finding import Cause, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deltaadm.clients import ClientRelease, Verdict
    from deltaadm.domain.model.features import TableFeature
    from deltaadm.domain.model.protocol import Protocol
    from deltaadm.domain.model.snapshot import FileFacts
    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.reports import Overview
    from deltaadm.validation.finding import ValidationReport


COSTS: Final = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill: rewrites file metadata in the log; no data files are rewritten",
    Cost.REWRITE: "rewrite of every data file",
}

_TRUNCATION: Final = "history older than the new checkpoint is deleted"
"""What `DROP FEATURE … TRUNCATE HISTORY` does beside its commits."""


def cost_text(cost: Cost, *, truncates: bool, files: FileFacts | None = None) -> str:
    """What a plan does to data files, *files* where they are known, and to the table's history."""
    words = COSTS[cost] if files is None else f"{COSTS[cost]} ({files})"
    if not truncates:
        return words
    kept = "no data files are rewritten" if cost is Cost.METADATA else words
    return f"{kept}; {_TRUNCATION}"


SEVERITIES: Final = {
    Severity.ERROR: ("Errors", "error"),
    Severity.WARNING: ("Warnings", "warning"),
    Severity.INFO: ("Info", "info"),
}
"""The heading over findings of a severity, and what one of them is called."""


def moment(timestamp: int | None) -> str:
    """A time in UTC, as people write it."""
    return "unknown" if timestamp is None else instant(timestamp).replace("T", " ")


def facts(report: TableReport) -> Iterable[tuple[str, str]]:
    """Which table it is."""
    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield "location", snapshot.root
    yield "id", metadata.id or "none"
    if metadata.name:
        yield "name", metadata.name
    if metadata.description:
        yield "comment", metadata.description
    yield "version", str(snapshot.version)
    yield "time", moment(snapshot.timestamp)
    if metadata.partition_columns:
        yield "partitioned by", ", ".join(metadata.partition_columns)
    if report.clustering_columns:
        yield "clustered by", ", ".join(map(path_text, report.clustering_columns))


def protocol_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """The protocol, and how much of it is needed."""
    protocol = report.snapshot.protocol
    yield "as written", protocol_words(protocol)
    if report.minimum_protocol is not None:
        yield "minimum for this metadata", protocol_words(report.minimum_protocol)
    if report.classic_minimum_versions is not None:
        reader, writer = report.classic_minimum_versions
        yield "legacy minimum (no table features)", f"reader {reader}, writer {writer}"
    if report.lowest_equivalent_protocol is not None:
        yield "lowest equivalent", protocol_words(report.lowest_equivalent_protocol)
    yield "not needed", _not_needed(report)
    reads = "yes" if report.refused_to_read is None else "no"
    writes = "yes" if report.refused_to_write is None else "no"
    yield "Delta Spark 4.4", f"reads: {reads}, writes: {writes}"


def _not_needed(report: TableReport) -> str:
    """The features that nothing uses, and those of which that is not known."""
    text = ", ".join(report.slack) or "nothing"
    if not report.possible_slack:
        return text
    where = "without --files" if report.snapshot.files is None else "from the log"
    return f"{text}; not known {where}: {', '.join(report.possible_slack)}"


def protocol_words(protocol: Protocol) -> str:
    """Versions and features in a line."""
    text = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    for what, names in (
        ("reader features", protocol.reader_features),
        ("writer features", protocol.writer_features),
    ):
        if names is not None:
            text += f", {what}: {', '.join(sorted(names)) or 'none'}"
    return text


def feature_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Name, kind, support, activity and reasons of each feature."""
    words = {"explicit": "listed", "implicit": "implied", None: "NOT SUPPORTED"}
    for one in report.features:
        yield (
            one.name,
            one.feature.kind.value if one.feature else "unknown",
            words[one.supported],
            "active" if one.active else "not active",
            "; ".join(one.because),
        )


def mapping_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """How columns are mapped."""
    mapping = report.mapping
    yield "mode", mapping.mode
    yield "supported", "yes" if mapping.supported else "no"
    if mapping.max_column_id is not None:
        yield "highest column id", str(mapping.max_column_id)


COLUMN_TITLES: Final = ("id", "column", "type", "physical name")


def column_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Id, path, type and physical name of each column, if they were asked for."""
    for one in report.mapping.columns or ():
        number = "" if one.id is None else str(one.id)
        yield (number, one.path, one.type, one.physical_name)


def file_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """How many live files there are; nothing if they were not counted."""
    files = report.snapshot.files
    if files is not None:
        yield "files", f"{files.files} ({files.bytes} bytes)"
        yield "with deletion vectors", str(files.with_deletion_vector)
        yield "without statistics", str(files.without_stats)
        if report.snapshot.protocol.supports("rowTracking"):
            yield "without row ids", str(files.without_base_row_id)


DOES = {
    "works": {"read": "can read", "write": "can write"},
    "fails loudly": {"read": "cannot read", "write": "cannot write"},
    "silently wrong": {"read": "reads wrong data silently", "write": "writes wrong data silently"},
    "unknown": {"read": "reading unknown", "write": "writing unknown"},
}


def client_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """Who does, who does not, and what shuts them out; nobody twice for the same reason."""
    told: set[tuple[ClientRelease, str]] = set()
    for access in ("read", "write"):
        for kind, does in DOES.items():
            found = [
                one
                for one in report.clients
                if (one.access.value, one.compatibility.value) == (access, kind)
                and (kind == "works" or (one.release, kind) not in told)
            ]
            told |= {(one.release, kind) for one in found}
            if found:
                yield does[access], grouped(found)


def grouped(verdicts: Iterable[Verdict]) -> str:
    """The releases, those with the same features in the way together."""
    groups: dict[str, list[str]] = {}
    for one in verdicts:
        subjects = ", ".join(cell.subject for cell in one.responsible)
        if "protocol." in subjects and one.compatibility.value == "unknown":
            subjects = ""  # nothing at all is known about it
        groups.setdefault(subjects, []).append(_release(one.release))
    return "; ".join(
        f"{', '.join(names)} ({subjects})" if subjects else ", ".join(names)
        for subjects, names in groups.items()
    )


def _release(release: ClientRelease) -> str:
    """A service has no releases; the day of the facts about it stands beside its source."""
    return release.client.id if release.client.versioned_by == "days" else str(release)


def client_cells(report: TableReport) -> Iterable[tuple[str, ...]]:
    """Client, access, verdict, subject and source of everything that decided."""
    for one in report.clients:
        shown = one.responsible or one.cells
        for cell in shown:
            told = [cell.note] if cell.note else []
            told += [f"{cell.source.title}, {cell.source.date}"] if cell.source else []
            yield (
                _release(one.release),
                one.access.value,
                one.compatibility.value,
                cell.subject,
                "; ".join(told),
            )


CATALOGUE_TITLES: Final = ("feature", "kind", "in the protocol", "status", "activated by")


def catalogue_row(feature: TableFeature) -> tuple[str, ...]:
    """Name, kind, how a protocol has it, status and what activates it."""
    legacy = feature.legacy
    return (
        feature.name,
        feature.kind.value,
        f"implied by ({legacy[0] or 1}, {legacy[1]})" if legacy else "listed",
        feature.status.value,
        " ".join(f"{key}={value}" for key, value in feature.activation.properties.items()),
    )


def recreatable(report: ValidationReport) -> str:
    """Which versions can be rebuilt, in a sentence."""
    if report.versions is None:
        return "No version can be reconstructed from the log."
    first, last = report.versions
    return (
        f"Version {first} can be reconstructed from the log."
        if first == last
        else f"Versions {first} to {last} can be reconstructed from the log."
    )


def summary(report: ValidationReport) -> str:
    """How much was found, in a sentence."""
    counts = [(report.count(one), word) for one, (_, word) in SEVERITIES.items()]
    parts = [counted(number, word) for number, word in counts if number] or ["no findings"]
    causes = [suppressed.by for suppressed in report.suppressed]
    known, ignored = causes.count(Cause.BASELINE), causes.count(Cause.SETTINGS)
    parts += [f"{known} in the baseline"] if known else []
    parts += [f"{ignored} ignored by settings"] if ignored else []
    text = ", ".join(parts)
    if not report.rules:
        return f"{text[0].upper()}{text[1:]}."
    return f"{counted(report.rules, 'rule')} checked: {text}."


def counted(number: int, word: str) -> str:
    """So many of what *word* names; info has no plural."""
    return f"{number} {word}{'' if number == 1 or word == 'info' else 's'}"


def overview_title(overview: Overview) -> str:
    """How many tables, and how many of them failed."""
    tables = counted(overview.tables, "table")
    return f"{tables}, {overview.failed} failed" if overview.failed else tables


def explained(feature: TableFeature, required_by: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """What is known of a feature."""
    yield "concerns", "writers and readers" if feature.is_reader else "writers only"
    yield "status", feature.status.value
    if feature.since:
        yield "since", f"Delta Spark {feature.since}"
    if feature.legacy:
        yield "implied by", f"reader {feature.legacy[0] or 1}, writer {feature.legacy[1]}"
    yield "requires", ", ".join(sorted(feature.requires)) or "nothing"
    if required_by:
        yield "required by", ", ".join(required_by)
    if feature.twin:
        yield "other form", feature.twin
    for key, value in feature.activation.properties.items():
        yield "activated by", f"{key} = {value}"
    if feature.not_addable:
        yield "existing tables", feature.not_addable
    yield "cost of enabling", COSTS[feature.cost]
    yield "undo", undo_feature(feature)
    if feature.caution:
        yield "caution", feature.caution
    yield "described in", feature.section
    yield "source", feature.source
