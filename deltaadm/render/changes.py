"""Changes as people write them: what changes, to what and from what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.transaction.column_mapping import NESTED_IDS
from deltaadm.operations.diff import RENAMED, ChangeKind, is_renaming

if TYPE_CHECKING:
    from deltaadm.operations.diff import Change


def value_words(value: Any) -> str:
    """The value of a change, as people write it."""
    if isinstance(value, dict):
        parts = {_part_name(key): part for key, part in value.items() if part not in _EMPTY}
        return ", ".join(f"{name} {_word(part)}" for name, part in parts.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_word, value)) or "none"
    return _word(value)


_EMPTY: Final[tuple[object, ...]] = ({}, [])
"""Parts that say nothing, such as the nested ids of a column that is neither array nor map."""


def _part_name(key: str) -> str:
    return "nested ids" if key == NESTED_IDS else key.rpartition(".")[2]


def _word(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return f"({', '.join(f'{key} {_word(part)}' for key, part in value.items())})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _renaming(before: Any, after: Any) -> str:
    rest = [
        {key: part for key, part in value.items() if key != RENAMED} for value in (before, after)
    ]
    others = f", {' -> '.join(map(value_words, rest))}" if any(rest) else ""
    return f"renamed from {before[RENAMED]}{others}"


def change_words(change: Change) -> str:
    """The name of the changed value, with its old and new value."""
    head = f"{change.kind.value} {change.subject}"
    if is_renaming(change):
        return f"{head}: {_renaming(change.before, change.after)}"
    if change.kind is ChangeKind.SET:
        return f"{head}: {value_words(change.before)} -> {value_words(change.after)}"
    value = change.after if change.before is None else change.before
    if change.subject.startswith(("configuration[", "protocol.min", "description")):
        return f"{head} = {value_words(value)}"
    return f"{head}: {value_words(value)}" if change.subject.startswith("schema[") else head
