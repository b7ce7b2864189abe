"""The differences between two states of a table: as values, as JSON, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from typing import Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.properties import Key
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import FieldKey, Path, StructField, path_text, type_name
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.column_mapping import column_id, physical_name
from deltaadm.domain.transaction.columns import clustering_columns
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import TableError
from deltaadm.json_values import ANY, array, name_of, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deltaadm.json_values import Fields

    Identity = tuple[Callable[[StructField], Hashable], Callable[[StructField], Hashable]]


class ChangeKind(Enum):
    """The symbols that plans use; the words stand beside them wherever colour would help."""

    ADD = "+"
    REMOVE = "-"
    SET = "~"


@dataclass(frozen=True)
class Change:
    """
    One difference. `subject` is a place such as `configuration[delta.columnMapping.mode]`;
    `before` and `after` are JSON values, None where there is nothing.
    """

    kind: ChangeKind
    subject: str
    before: Any = None
    after: Any = None

    @property
    def place(self) -> str:
        """The subject without the name in its brackets, such as `configuration`."""
        return self.subject.partition("[")[0]

    @property
    def name(self) -> str:
        """The name in the brackets of the subject; empty where it has none."""
        return self.subject.partition("[")[2].removesuffix("]")


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """
    Everything in which *after* differs from *before*: protocol, metadata, schema, clustering.

    Clustering is left out where one of them was loaded without its domains.
    """
    clustering = []
    if before.domains or after.domains:
        old, new = clustering_columns(before), clustering_columns(after)
        if old is not None and new is not None and old != new:
            was, is_now = (list(map(path_text, columns)) for columns in (old, new))
            clustering.append(Change(ChangeKind.SET, "clusteringColumns", was, is_now))
    return (
        *_protocol_changes(before, after),
        *metadata_changes(before.metadata, after.metadata),
        *clustering,
    )


def relocation(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """The difference in place, which is none where *after* is the same table later on."""
    if before.root == after.root:
        return ()
    return (Change(ChangeKind.SET, "location", before.root, after.root),)


def mismatches(predicted: Snapshot, actual: Snapshot) -> tuple[Change, ...]:
    """Like `diff`, but whatever only the commit could choose is accepted."""
    return tuple(
        change for change in diff(predicted, actual) if not _accepted(change.before, change.after)
    )


def _accepted(predicted: Any, actual: Any) -> bool:
    if isinstance(predicted, str) and isinstance(actual, str):
        parts = map(re.escape, predicted.split(KNOWN_AFTER_COMMIT))
        return re.fullmatch(".+".join(parts), actual, re.DOTALL) is not None
    if isinstance(predicted, dict) and isinstance(actual, dict):
        # Physical names, which the commit may choose, are keys where nested ids are kept.
        return len(predicted) == len(actual) and all(
            any(_accepted(key, other) and _accepted(value, actual[other]) for other in actual)
            for key, value in predicted.items()
        )
    return bool(predicted == actual)


def _change(subject: str, before: Any, after: Any) -> Iterator[Change]:
    """The change at *subject*, if there is one."""
    if before != after:
        added, removed = before is None, after is None
        kind = ChangeKind.ADD if added else ChangeKind.REMOVE if removed else ChangeKind.SET
        yield Change(kind, subject, before, after)


def _protocol_changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    for entry in Protocol.ENTRIES.values():
        old, new = (
            getattr(state.protocol, entry.attribute) if state.exists else None
            for state in (before, after)
        )
        had, has = (side if isinstance(side, frozenset) else frozenset() for side in (old, new))
        for name in sorted(has - had):
            yield Change(ChangeKind.ADD, f"protocol.{entry.key}[{name}]", None, name)
        for name in sorted(had - has):
            yield Change(ChangeKind.REMOVE, f"protocol.{entry.key}[{name}]", name, None)
        if not (had or has):
            # An empty list differs from none, and has no name that would show it.
            sides = [list(side) if side == frozenset() else side for side in (old, new)]
            yield from _change(f"protocol.{entry.key}", *sides)


def metadata_changes(before: Metadata, after: Metadata) -> Iterator[Change]:
    """Everything in which the metadata *after* differs from that *before*."""
    for name in ("id", "name", "description"):
        yield from _change(name, getattr(before, name), getattr(after, name))
    if before.format != after.format:
        was, is_now = (each.format and each.format.to_wire() for each in (before, after))
        yield from _change("format", was, is_now)
    columns = list(before.partition_columns), list(after.partition_columns)
    yield from _change("partitionColumns", *columns)
    old, new = before.configuration, after.configuration
    for key in sorted(old.keys() | new.keys()):
        yield from _change(f"configuration[{key}]", old.get(key), new.get(key))
    if before.schema_string != after.schema_string:
        yield from _schema_changes(before, after)


def _schema_changes(before: Metadata, after: Metadata) -> Iterator[Change]:
    # Schemas that cannot be parsed are compared as text, so that a diff of any table works.
    try:
        old, new = dict(before.schema.walk()), dict(after.schema.walk())
    except TableError:
        yield from _change("schema", before.schema_string, after.schema_string)
        return
    # The most certain identity of a column first. With column mapping, id and physical name stay
    # whatever it is called; where that came only with *after*, its physical name is the old name.
    name = attrgetter("name")
    identities: list[Identity] = [(name, name)]
    modes = [state.configuration.get(Key.COLUMN_MAPPING_MODE, "none") for state in (before, after)]
    if before.id == after.id and modes[1] != "none":
        by_id = modes[0] != "none"
        identities.insert(0, (_in_files, _in_files) if by_id else (name, physical_name))
    later = _later_paths(old, new, identities)
    earlier = {path: former for former, path in later.items()}
    for path, column in new.items():
        former = earlier.get(path)
        if former is None:
            yield from _change(_column(path), None, _shape(column))
            continue
        was, is_now = _shape(old[former]), _shape(column)
        if former[-1] != path[-1]:
            was = {RENAMED: path_text(former)} | was
            is_now = {RENAMED: path_text(path)} | is_now
        keys = [key for key in {**was, **is_now} if was.get(key) != is_now.get(key)]
        if keys:
            yield Change(
                ChangeKind.SET,
                _column(path),
                {key: was[key] for key in keys if key in was},
                {key: is_now[key] for key in keys if key in is_now},
            )
    for path, column in old.items():
        if path not in later:
            yield from _change(_column(path), _shape(column), None)
    if [later[path] for path in old if path in later] != [path for path in new if path in earlier]:
        yield Change(ChangeKind.SET, "schema", [*map(path_text, old)], [*map(path_text, new)])


RENAMED: Final = "column"
"""In a change of a column that is renamed: the path that it had, and the one that it has."""


def is_renaming(change: Change) -> bool:
    """Whether *change* renames a column, and perhaps changes it besides."""
    if change.kind is not ChangeKind.SET or not isinstance(change.after, dict):
        return False
    return change.subject == f"schema[{change.after.get(RENAMED)}]"


def _column(path: Path) -> str:
    return f"schema[{path_text(path)}]"


def _in_files(column: StructField) -> tuple[int | None, str]:
    return column_id(column), physical_name(column)


def _later_paths(
    old: Mapping[Path, StructField], new: Mapping[Path, StructField], identities: Sequence[Identity]
) -> dict[Path, Path]:
    paths: dict[Path, Path] = {}
    inside = _by_parent(new)
    for parent, columns in _by_parent(old).items():
        column = next((end for end in range(len(parent), 0, -1) if parent[:end] in old), 0)
        if column and parent[:column] not in paths:
            continue  # what these are inside of is gone
        left = set(inside.get(paths.get(parent[:column], ()) + parent[column:], ()))
        for was, is_now in identities:
            same = {is_now(new[path]): path for path in left}
            for path in columns:
                later = None if path in paths else same.pop(was(old[path]), None)
                if later is not None:
                    paths[path] = later
                    left.remove(later)
    return paths


def _by_parent(columns: Iterable[Path]) -> dict[Path, list[Path]]:
    children: dict[Path, list[Path]] = {}
    for path in columns:
        children.setdefault(path[:-1], []).append(path)
    return children


def _shape(field: StructField) -> dict[str, Any]:
    return {"type": type_name(field.type), "nullable": field.nullable, **field.metadata}


# As JSON, and in words


CHANGE: Final[Fields] = {
    "kind": name_of(ChangeKind),
    "subject": str,
    "before": ANY,
    "after": ANY,
}
"""The parts of a change."""
CHANGES: Final = array(record(**CHANGE))


def value_words(value: Any) -> str:
    """The value of a change, as people write it."""
    if isinstance(value, dict):
        parts = {
            "nested ids" if key == FieldKey.NESTED_IDS else key.rpartition(".")[2]: part
            for key, part in value.items()
            if part not in _EMPTY
        }
        return ", ".join(f"{name} {_word(part)}" for name, part in parts.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_word, value)) or "none"
    return _word(value)


_EMPTY: Final[tuple[object, ...]] = ({}, [])
"""Parts that say nothing, such as the nested ids of a column that is neither array nor map."""


def _word(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return f"({', '.join(f'{key} {_word(part)}' for key, part in value.items())})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def change_words(change: Change) -> str:
    """The name of the changed value, with its old and new value."""
    head = f"{change.kind.value} {change.subject}"
    if is_renaming(change):
        rest = [
            {key: part for key, part in value.items() if key != RENAMED}
            for value in (change.before, change.after)
        ]
        others = f", {' -> '.join(map(value_words, rest))}" if any(rest) else ""
        return f"{head}: renamed from {change.before[RENAMED]}{others}"
    if change.kind is ChangeKind.SET:
        return f"{head}: {value_words(change.before)} -> {value_words(change.after)}"
    value = change.after if change.before is None else change.before
    if change.subject.startswith(("configuration[", "protocol.min", "description")):
        return f"{head} = {value_words(value)}"
    return f"{head}: {value_words(value)}" if change.subject.startswith("schema[") else head
