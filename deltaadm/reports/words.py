"""What several reports say in the same way: of costs, of clients, of writers and of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deltaadm.blocks import Matrix, Reasons, Table
from deltaadm.clients import Access, ClientRelease, identified
from deltaadm.domain.features import Cost
from deltaadm.domain.wire import second
from deltaadm.errors import some_of
from deltaadm.json_values import COUNT, STRINGS, array, maybe, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.clients import Scope, Verdict
    from deltaadm.domain.wire import Writer


COSTS: Final = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill: rewrites file metadata in the log; no data files are rewritten",
    Cost.REWRITE: "rewrite of data files",
}
COST_NAMES: Final = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill",
    Cost.REWRITE: "rewrite",
}
_FILES: Final = {Cost.BACKFILL: "file metadata in the log", Cost.REWRITE: "data files"}
"""What `COSTS` says instead of the files of a plan."""


def cost_text(cost: Cost, *, truncates: bool, work: str = "") -> str:
    """The effect of a plan on files, of which *work* are known, and on the table's history."""
    words = COSTS[cost].replace(_FILES[cost], work) if work else COSTS[cost]
    if not truncates:
        return words
    kept = "no data files are rewritten" if cost is Cost.METADATA else words
    return f"{kept}; history older than the new checkpoint is deleted"


DOES: Final = {
    "works": {"read": "can read", "write": "can write"},
    "fails loudly": {"read": "cannot read", "write": "cannot write"},
    "silently wrong": {"read": "reads wrong data silently", "write": "writes wrong data silently"},
    "unknown": {"read": "reading unknown", "write": "writing unknown"},
}


def ago(at: int, now: int) -> str:
    """How long before *now* a moment was, both in milliseconds since 1970."""
    for size, unit in ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")):
        if now - at >= size:
            return f"{counted((now - at) // size, unit)} ago"
    return "just now"


def last_seen(verdict: Verdict, scope: Scope) -> str:
    """That the client was seen to do what the *verdict* is about, and when; empty if not."""
    release, read = verdict.release, scope.seen.read
    seen = read if verdict.access is Access.READ and release in read else scope.wrote
    if release not in seen:
        return ""
    at = seen[release]
    when = "" if at is None or not scope.seen.now else f" {ago(at, scope.seen.now)}"
    return f"{'wrote' if seen is scope.wrote else 'read'}{when}"


def grouped(verdicts: Iterable[Verdict], scope: Scope | None = None) -> Reasons:
    """The releases by the features in their way, with when *scope* has seen them."""
    groups: dict[str, list[str]] = {}
    for verdict in verdicts:
        release = verdict.release
        name, seen = release.short, last_seen(verdict, scope) if scope else ""
        name += f", which {seen}" if seen else ""
        subjects = [cell.subject for cell in verdict.responsible]
        if not VERSIONS.keys().isdisjoint(subjects) and verdict.compatibility.value == "unknown":
            subjects = []  # nothing at all is known about it
        words = ", ".join(VERSIONS.get(subject, subject) for subject in subjects)
        groups.setdefault(words, []).append(name)
    return tuple((subjects, tuple(names)) for subjects, names in groups.items())


COLUMNS_SHOWN: Final = 8
"""So many columns that change alike are shown one by one."""

VERSIONS: Final = {
    "protocol.minReaderVersion": "reader version",
    "protocol.minWriterVersion": "writer version",
}


def counted(number: int, word: str) -> str:
    """So many of what *word* names; info has no plural."""
    return f"{number:,} {word}{'' if number == 1 or word == 'info' else 's'}"


_MARKS: Final = {"works": "rw", "fails loudly": "--", "silently wrong": "!!", "unknown": "??"}
_TONES: Final = {
    "works": "good",
    "unknown": "info",
    "fails loudly": "warning",
    "silently wrong": "error",
}
VERDICTS: Final = tuple(_TONES)
"""The kinds of verdicts, the worst last."""
_LEGEND: Final = (
    "r reads, w writes, - cannot, ! wrong data silently, ? unknown, . not concerned; the first "
    "mark is for reading, the second for writing."
)


def matrix(
    columns: tuple[str, ...], rows: Iterable[tuple[str, Iterable[Iterable[str | None]]]]
) -> Matrix:
    """Rows with the kinds of verdicts on reading and on writing for each of the *columns*."""
    marked = ((name, tuple(_cell(*kinds) for kinds in cells)) for name, cells in rows)
    return Matrix("Clients", columns, tuple(marked), _LEGEND)


def _cell(read: str | None, write: str | None) -> tuple[str, str]:
    """The marks of two kinds of verdicts, None where one is not concerned, and their tone."""
    kinds = [kind for kind in (read, write) if kind is not None]
    tone = _TONES[max(kinds, key=VERDICTS.index)] if kinds else ""
    sides = enumerate((read, write))
    return "".join("." if kind is None else _MARKS[kind][side] for side, kind in sides), tone


def writer_name(engine: str) -> str:
    """The client that calls itself *engine*, with its release, or else what it calls itself."""
    client, version = identified(engine)
    release = ClientRelease(client, version) if client and version else None
    return str(release or engine or "(not recorded)")


WRITERS: Final = array(
    record(
        engine=(maybe(str), lambda writer: writer.engine or None),
        client=(maybe(str), lambda writer: (of := identified(writer.engine)[0]) and of.id),
        version=(maybe(str), lambda writer: identified(writer.engine)[1] or None),
        commits=COUNT,
        first=maybe(int),
        last=maybe(int),
        operations=STRINGS,
        applications=STRINGS,
    )
)
"""What a table's writers are in documents."""


def writer_table(writers: Iterable[Writer]) -> Table:
    """A row for each of *writers*."""
    rows = ((name, str(of.commits), last, what) for of, name, last, what in _told(writers))
    return Table("Writers", ("WRITER", "COMMITS", "LAST (UTC)", "OPERATIONS"), tuple(rows))


def writers_in_brief(writers: Iterable[Writer]) -> str:
    """The *writers* in a line, each with the time at which it wrote last, and what it does."""
    told = (f"{name}, {last}: {what or 'unknown'}" for _, name, last, what in _told(writers))
    return some_of((each.removesuffix(", unknown: unknown") for each in told), 3, "; ")


def _told(writers: Iterable[Writer]) -> Iterator[tuple[Writer, str, str, str]]:
    for writer in writers:
        last = "unknown" if writer.last is None else second(writer.last)[:16].replace("T", " ")
        streams = f"stream {some_of(writer.applications, 2)}" if writer.applications else ""
        what = ", ".join(filter(None, (some_of(writer.operations), streams)))
        yield writer, writer_name(writer.engine), last, what
