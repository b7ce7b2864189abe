"""
What Spark's workers do with the commits of a log: actions become rows.

Only the standard library and the code that reads commits without Spark: workers have no more.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.domain.model.log_segment import CHECKPOINTS, FileInfo, parse
from deltaadm.errors import TableError
from deltaadm.replay import commits
from deltaadm.replay.embedded import repeated_action
from deltaadm.replay.reconcile import canonical_path, has_num_records, vector_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    Document = dict[str, Any]
    Named = tuple[str, Document]
    Row = tuple[Any, ...]

FACTS: Final = (
    "size string, with_vector boolean, without_stats boolean, without_records boolean, "
    "without_row_id boolean, partition_keys array<string>"
)
"""The columns that say what `FileFacts` counts of one file."""

ROW: Final = (
    "log string, kind string, name string, key string, vector string, age string, line int, "
    f"document string, {FACTS}"
)
"""
The columns of one action: by `kind`, `name`, `key` and `vector` it replaces older ones.

The higher its `age` the newer is its file, and the lower its `line` the newer it is in there. An
action on a file has no `document`, and all others nothing after it.
"""

QUALIFIER: Final = r"^[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*(?=/))?"
"""Scheme and authority of a qualified path, for Python and for Java."""

FILE: Final = "file"
ACTION: Final = "action"
WARNING: Final = "warning"
FAILURE: Final = "failure"

CHECKPOINTED: Final = ""
"""The age of what a checkpoint says: below that of every commit."""

_FACT_COLUMNS: Final = 6
_LAST: Final = (1 << 31) - 1
_ON_FILES: Final = frozenset({"add", "remove"})
_PASSED_OVER: Final = frozenset({"cdc", "checkpointMetadata"})
_IN_CHECKPOINTS: Final = frozenset(
    {"add", "protocol", "metaData", "txn", "domainMetadata", "sidecar"}
)
_KEYS: Final = {"txn": "appId", "domainMetadata": "domain", "sidecar": "path"}
_DOCUMENTED: Final = frozenset({"protocol", "metaData", "commitInfo", *_KEYS})
_SINGLE: Final = ("protocol", "metaData")


def age(version: int | None) -> str:
    """The age of a commit, comparable as text, whatever the number of digits."""
    return f"{version or 0:040d}"


def log_of(path: str) -> str:
    """The log that a file, or a sidecar, belongs to."""
    return path.rpartition("/")[0].removesuffix("/_sidecars")


def qualifier_of(log: str) -> str:
    """
    Scheme and authority of a log, see `LogStore`.

    >>> qualifier_of("file:/t/_delta_log"), qualifier_of("hdfs://nn:8020/t/_delta_log")
    ('file:', 'hdfs://nn:8020')
    """
    match = re.match(QUALIFIER, log)
    return match[0] if match else ""


def rows_of_file(path: str, content: bytes) -> list[Row]:
    """The rows of a JSON file of a log; where it cannot be read on, the last one says why."""
    source = _Source.of(path)
    if source.age == CHECKPOINTED:
        return list(_checkpoint_rows(source, content))
    return list(_rows(source, commits.actions_reversed(content, source.name)))


def state_rows_of_file(path: str, content: bytes) -> list[Row]:
    """Likewise for a commit, with protocol and metaData alone; other lines stay unparsed."""
    source = _Source.of(path)
    return list(_rows(source, _state_actions(content, source.name)))


class _Source(NamedTuple):
    """The file that actions come from: its log, its name there, and how new it is."""

    log: str
    name: str
    age: str

    @classmethod
    def of(cls, path: str) -> Self:
        name = path.rpartition("/")[2]
        file = parse(FileInfo(name))
        made_by = file.version if file.end is None else file.end
        return cls(log_of(path), name, CHECKPOINTED if file.kind in CHECKPOINTS else age(made_by))


def _state_actions(content: bytes, name: str) -> Iterator[Named]:
    yield from reversed(commits.state_actions(content, name))


def _checkpoint_rows(source: _Source, content: bytes) -> Iterator[Row]:
    try:
        actions = list(commits.checkpoint_actions(content, source.name))
    except TableError as error:
        yield _failure_row(source, 0, error)
    else:
        yield from _rows(
            source, (action for action in actions[::-1] if action[0] in _IN_CHECKPOINTS)
        )


def _rows(source: _Source, newest_first: Iterable[Named]) -> Iterator[Row]:
    counts: Counter[str] = Counter()
    try:
        for name, document in newest_first:
            line = counts.total()
            counts[name] += 1
            if name in _ON_FILES:
                if document.get("path") is not None:
                    yield _file_row(source, line, name, document)
            # Delta passes over metadata without an id.
            elif name not in _PASSED_OVER and (name != "metaData" or document.get("id")):
                key = str(document.get(_KEYS[name])) if name in _KEYS else ""
                text = json.dumps(document) if name in _DOCUMENTED else "null"
                yield _row(source, ACTION, name, key, line, text)
    except TableError as error:
        yield _failure_row(source, counts.total(), error)
        return
    # Behind all actions of the file: rows of a file are taken in the order of their lines.
    for place, name in enumerate(_SINGLE, start=-len(_SINGLE)):
        if counts[name] > 1 and source.age != CHECKPOINTED:
            text = json.dumps(repeated_action(source.name, counts[name], name))
            yield _row(source, WARNING, name, source.name, _LAST + place, text)


def _failure_row(source: _Source, line: int, error: TableError) -> Row:
    document = json.dumps([error.message, error.remedy, error.delta_error_class])
    return _row(source, FAILURE, "", source.name, line, document)


def _row(  # noqa: PLR0917 -- in the order of the columns
    source: _Source, kind: str, name: str, key: str, line: int, document: str
) -> Row:
    facts = [None] * _FACT_COLUMNS
    return (source.log, kind, name, key, "", source.age, line, document, *facts)


def _file_row(source: _Source, line: int, name: str, document: Document) -> Row:
    """Without its name: an `add` and a `remove` of a file replace each other."""
    stats, size = document.get("stats"), document.get("size")
    vector = document.get("deletionVector")
    key = canonical_path(str(document.get("path")), qualifier_of(source.log))
    start = (source.log, FILE, "", key, vector_id(vector) or "", source.age, line, None)
    if name == "remove":
        return (*start, *[None] * _FACT_COLUMNS)
    return (
        *start,
        # As text: a log may claim a size that no long holds.
        str(size) if isinstance(size, int) else "0",
        bool(vector),
        stats is None,
        not has_num_records(stats),
        document.get("baseRowId") is None,
        sorted(document.get("partitionValues") or ()),
    )
