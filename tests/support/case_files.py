"""
Cases of rules as text: what a table's log has, a file a line.

    GROWING = metadata delta.appendOnly=true

    breaks DL524: data leaves a table that only grows
      0: protocol 1 2; GROWING; add f size=5
      1: remove f

The first line names the rule that a table breaks, or nearly breaks (`respects`), after it those
that it breaks besides, and in parentheses how closely it is examined. Then come commits by version;
each begins with a commit info unless it is `bare`, `1..9` are nine, `at=` gives a file's time, and
`cut=` how many bytes its end lacks. Other lines are `checkpoint`, `multipart`, `v2`, `compacted`,
`crc` and `pointer` (`_last_checkpoint`) with a version; `write` and `delete` with a file's name.

Semicolons separate actions. An action is what `tests.support.tables` makes from the words after its
kind; then `key=value` sets a field, and `-key` takes it away. A value is JSON, a word, or 'a text'.
In metadata, columns stand in parentheses, and a key that metadata does not have is a property:

    protocol 3 7 reads columnMapping writes columnMapping appendOnly
    metadata (a integer not null, s struct<x date> id=2 name=col-2) name=t delta.appendOnly=true
    {"novel": {"path": "an action as it stands"}}; 'a line as it stands'

A name in capitals, as GROWING, stands for the words that it was given.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.support import tables
from tests.support.rule_cases import Make, breaks, respects
from tests.support.tables import Action, Table

_CASE = re.compile(r"(breaks|respects) ([\w ]+?)(?: \(([\w-]+)\))?: (.+)")
_DEFINITION = re.compile(r"([A-Z][A-Z0-9_]*) = (.+)")
_NAME = re.compile(r"(?<![\w.])[A-Z][A-Z0-9_]*(?![\w.])")
_METADATA = {"id", "name", "format", "partitionColumns", "schemaString", "configuration"}
_METADATA |= {"createdTime", "description"}
_COLUMN = {"id": "delta.columnMapping.id", "name": "delta.columnMapping.physicalName"}
_FILES = {"checkpoint": Table.checkpoint, "multipart": Table.multipart, "v2": Table.v2_checkpoint}


def load(file: Path) -> None:
    """Register the cases of *file*."""
    for first, lines, names in blocks(file):
        case = _CASE.fullmatch(first)
        assert case, f"{file}: {first}"
        register = breaks if case[1] == "breaks" else respects
        register(case[2], case[4], table_of(lines, names), depth=case[3] or "default")


def blocks(file: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """The first line of each block, the others, and what names in capitals stand for."""
    names: dict[str, str] = {}
    text = re.sub(r"^#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for block in re.split(r"\n+(?=\S)", re.sub(r"\n {4,}", " ", text.strip())):
        if defined := _DEFINITION.fullmatch(block):
            names[defined[1]] = defined[2]
        else:
            first, *lines = block.split("\n")
            yield first, [line.strip() for line in lines], names


def table_of(lines: list[str], names: dict[str, str]) -> Make:
    """What makes the table whose log *lines* describe."""

    def make(path: Path) -> None:
        made = Table(path)
        for line in lines:
            _Line(line, names).write(made)

    return make


def _protocol(reader: int, writer: int, *words: str) -> Action:
    lists: dict[str, list[str]] = {}
    for word in words:
        if word in {"reads", "writes"}:
            names = lists.setdefault(word, [])
        else:
            names.append(word)
    return tables.protocol(reader, writer, lists.get("reads"), lists.get("writes"))


_ACTIONS: dict[str, Callable[..., Action]] = {
    "add": tables.add, "domain": tables.domain, "info": tables.commit_info,
    "metadata": tables.metadata, "protocol": _protocol, "remove": tables.remove, "txn": tables.txn,
}  # fmt: skip


class _Line:
    """A line, with one sign in place of each JSON document and each quoted text."""

    def __init__(self, text: str, names: dict[str, str]) -> None:
        self.text, self.values, at = "", {}, 0
        while at < len(text):
            if (name := _NAME.match(text, at)) and name[0] in names:
                text = text[:at] + names[name[0]] + text[name.end() :]
            elif text[at] not in "{[\"'":
                self.text += text[at]
                at += 1
            else:
                sign = chr(0xE000 + len(self.values))
                if text[at] == "'":
                    value, at = text[at + 1 :].partition("'")[0], text.index("'", at + 1) + 1
                else:
                    value, at = json.JSONDecoder().raw_decode(text, at)
                self.text, self.values[sign] = self.text + sign, value

    def write(self, made: Table) -> None:
        """Write the file that the line describes."""
        head, _, text = self.text.partition(":")
        kind, *words = head.split()
        more = {key: self.value(text) for key, at, text in (w.partition("=") for w in words) if at}
        given = [self.value(word) for word in words if "=" not in word]
        actions = self.actions(text)
        if kind == "delete":
            (made.log / words[0]).unlink()
        elif kind == "pointer":
            made.last_checkpoint(*given)
        elif kind == "write":
            whole = isinstance(actions[0], str)
            made.write(words[0], actions[0] if whole else tables.commit(*actions))
        elif kind == "compacted":
            made.compacted(*given, *actions)
        elif kind == "crc":
            said = {key: value for action in actions for key, value in action.items()}
            made.crc(*given, [{key.replace("metaD", "metad"): said[key] for key in said}])
        elif kind in _FILES:
            _FILES[kind](made, *given, actions, **more)
        else:
            start = [] if "bare" in words else [tables.commit_info()]
            first, _, last = kind.partition("..")
            lines = [f"{one}\n".encode() if isinstance(one, str) else tables.commit(one)
                     for one in [*start, *actions]]  # fmt: skip
            body = b"".join(lines)
            for version in range(int(first), int(last or first) + 1):
                end = len(body) - more.get("cut", 0)
                made.write(f"{version:020d}.json", body[:end], more.get("at"))

    def value(self, word: str) -> Any:
        try:
            return self.values[word] if word in self.values else json.loads(word)
        except ValueError:
            return word

    def actions(self, text: str) -> list[Any]:
        return [self.action(*_split(words, " ")) for words in _split(text, ";")]

    def action(self, kind: str, *words: str) -> Any:
        if kind in self.values:
            return self.values[kind]
        fields = [word for word in words if "=" in word or word[0] in "(-"]
        action = _ACTIONS[kind](*(self.value(word) for word in words if word not in fields))
        (body,) = action.values()
        for word in fields:
            key, _, text = word.partition("=")
            if word[0] == "(":
                body["schemaString"] = tables.schema(*self.columns(word[1:-1]))
            elif word[0] == "-":
                del body[word[1:]]
            elif kind == "metadata" and key not in _METADATA:
                body["configuration"][key] = self.values.get(text, text)
            else:
                body[key] = self.value(text)
        return action

    def columns(self, text: str) -> list[Action]:
        return [self.column(*_split(words, " ")) for words in _split(text, ",")]

    def column(self, name: str, kind: str, *words: str) -> Action:
        more: dict[str, Any] = {}
        for word in words:
            key, at, text = word.partition("=")
            more |= {_COLUMN[key]: self.value(text)} if at else self.values.get(word, {})
        return tables.column(self.value(name), self.kind(kind), nullable="not" not in words, **more)

    def kind(self, text: str) -> Any:
        outer, _, inner = text.partition("<")
        if outer == "struct":
            return {"type": outer, "fields": self.columns(inner[:-1])}
        parts = [self.kind(part) for part in _split(inner[:-1], ",")]
        if outer == "array":
            return {"type": outer, "elementType": parts[0], "containsNull": True}
        if outer == "map":
            keys = {"keyType": parts[0], "valueType": parts[1], "valueContainsNull": True}
            return {"type": outer} | keys
        return self.value(text)


def _split(text: str, at: str) -> list[str]:
    """The parts of *text* between the signs *at* that stand within no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "(<") - (sign in ")>")
        if sign == at and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]
