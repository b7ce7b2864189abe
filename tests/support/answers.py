"""
What the program answers, as text: a log as in `tests.support.case_files`, commands, and answers.

    what it requires comes along
      0: protocol 1 2; metadata
      > enable-feature T domainMetadata
      ~ protocol.minWriterVersion 2 -> 7 | needed by domainMetadata
      > alter T --drop-column a
      refused DELTA_UNSUPPORTED_DROP_COLUMN: needs column mapping
      > inspect T ?--files
      protocol.minWriterVersion = 2

`T` is the table, a defined name of several letters what it stands for, a word that begins with `?`
stands there at the second of two runs, and `!` in place of `>` applies a plan. All changes are
listed, in their order, which may go on with the reason and with the way back; features of which the
same is said share a line, none are a line `nothing`, and `...` leaves them unsaid. What a plan
costs is said unless it is a change of metadata alone, how many `commits` unless each step is one,
and what is `irreversible`. Words of a refusal stand in its message or its remedy; if there is a
`note`, all are told by words of them. `steps`, their `sql`, the `columns` afterwards and any value
of the document may be given as well.
"""

import json
import re
import shlex
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from deltaadm.domain.ddl import columns_sql
from deltaadm.domain.schema import StructType
from tests.support import case_files
from tests.support.program import deltaadm

Block = tuple[list[str], list[list[str]], dict[str, str]]
_WORDS = ("columns", "commits", "cost", "irreversible", "note", "sql", "steps")
APPLY = ("--apply", "--yes", "--commit-engine", "embedded")


def cases(file: Path) -> Iterator[tuple[str, Block]]:
    """The log, the commands with what they come to, and the names of each block of *file*."""
    for first, lines, names in case_files.blocks(file):
        starts = [number for number, line in enumerate(lines) if line[0] in ">!"]
        ends = [*starts[1:], len(lines)]
        commands = [lines[start:end] for start, end in zip(starts, ends, strict=True)]
        yield f"{file.stem}: {first}", (lines[: starts[0]], commands, names)


def check(block: Block, path: Path) -> None:
    log, commands, names = block
    case_files.table_of(log, names)(path)
    for command, *expected in commands:
        sign, *words = shlex.split(command)
        known = {name: text for name, text in names.items() if name[1:]}
        words += [*APPLY, "-o", "json"] if sign == "!" else ["-o", "json"]
        given = [re.sub(r"^T(?=$|@|/)", str(path), known.get(word, word)) for word in words]
        for run in range(1 + any(word[:1] == "?" for word in given)):
            shown = [word.lstrip("?") for word in given if run or word[:1] != "?"]
            _check(deltaadm(*shown).document, expected, command)


def _check(document: dict[str, Any], expected: list[str], command: str) -> None:
    if "plan" in document:
        assert document["outcome"]["mismatches"] == [], command
        document = document["plan"]
    if error := document.get("error"):
        head, _, words = expected[0].partition(": ")
        assert head == f"refused {error['delta_error_class'] or ''}".strip(), (command, error)
        assert words in f"{error['message']} {error['remedy']}", command
        assert error["remedy"], command
        return
    said: dict[str, list[str]] = {kind: [] for kind in (*_WORDS, "change")}
    for line in expected:
        kind, _, words = line.partition(" ")
        if words.startswith("= "):
            assert _at(document, kind) == json.loads(words[2:]), (command, kind)
        else:
            said.get(kind, said["change"]).append(words if kind in said else line)
    if "changes" in document and said["change"] != ["..."]:
        _check_changes(document, said["change"], command)
    if document["document"] == "plan":
        _check_plan(document, said, command)


def _at(document: Any, path: str) -> Any:
    """What stands at a place: `files.files`, `configuration[delta.x]`, `entries[*].version`."""
    first, each, rest = path.partition("[*]")
    for inside, key in re.findall(r"\[([^]]+)\]|([^.\[]+)", first):
        document = document[int(inside) if isinstance(document, list) else inside or key]
    return [_at(one, rest.lstrip(".")) for one in document] if each else document


def _check_changes(document: dict[str, Any], said: list[str], command: str) -> None:
    lines = (one for line in said if line != "nothing" for one in _one_by_one(line))
    changes = [line.split(" | ") for line in lines]
    found = [[_written(one), one.get("because"), one.get("undo")] for one in document["changes"]]
    is_same = document["is_noop"] if "is_noop" in document else document["equal"]
    pairs: Iterator[tuple[Any, Any]] = zip_longest(found, changes, fillvalue=[])
    shown = [one[: len(line)] for one, line in pairs]
    assert shown == changes, command
    assert is_same is (said == ["nothing"]), command


def _one_by_one(line: str) -> list[str]:
    """The changes in *line*, which has `protocol.writerFeatures[a b]` for two."""
    found = re.match(r"(. protocol\.\w+\[)(.+?)(\].*)", line)
    return [f"{found[1]}{name}{found[3]}" for name in found[2].split()] if found else [line]


def _check_plan(document: dict[str, Any], said: dict[str, list[str]], command: str) -> None:
    assert document["cost"] == "".join(said["cost"] or ["metadata"]), command
    assert " ".join(document["irreversible"]) == "".join(said["irreversible"]), command
    commits = [step["commits"] for step in document["steps"]]
    assert " ".join(commits) in (said["commits"] or [" ".join(["one"] * len(commits))]), command
    if said["note"]:
        notes = zip_longest(said["note"], document["notes"], fillvalue="nothing more")
        assert all(words in note for words, note in notes), (command, document["notes"])
    if said["sql"]:
        statements = [step["sql"].partition("` ")[2] for step in document["steps"]]
        assert statements == said["sql"], command
    if said["steps"]:
        assert " ".join(step["kind"] for step in document["steps"]) == said["steps"][0], command
    if said["columns"]:
        schema = StructType.parse(document["after"]["metadata"]["schemaString"])
        assert columns_sql(schema).replace("`", "") == said["columns"][0], command


def _written(change: dict[str, Any]) -> str:
    subject = str(change["subject"])
    before, after = (
        json.dumps(value) if isinstance(value, dict | list) else str(value)
        for value in (change["before"], change["after"])
    )
    if change["kind"] == "set":
        return f"~ {subject} {before} -> {after}"
    sign, value = ("+", after) if change["kind"] == "add" else ("-", before)
    return f"{sign} {subject}" + f" = {value}" * subject.startswith("configuration[")
