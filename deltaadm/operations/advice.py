"""
What is worth doing about a table, from what `inspect` knows of it anyway.

Loaded with every `inspect`: nothing here imports what plans need.
"""

from __future__ import annotations

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import FEATURES, Kind
from deltaadm.domain.model.properties import checkpoint_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from deltaadm.operations.inspect import TableReport

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
    from deltaadm.domain.transaction.metadata_checks import check_retention
    from deltaadm.errors import DeltaadmError

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
    from deltaadm.operations.commands import quoted

    place = f"./{report.table}" if report.table.startswith("-") else report.table
    return " ".join(map(quoted, ("deltaadm", command, place, *options)))


def _is_plain(word: str) -> bool:
    return word.isascii() and all(letter.isalnum() or letter in "/._-:=@+" for letter in word)
