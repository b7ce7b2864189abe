"""
What may come next on a command line: the answer to the scripts in `completions/`.

They run `deltaadm __complete WORD...` with the words before the cursor, the last of which is being
typed. The first line of the answer is `files` where a file's name fits as well, else empty; then
follows one candidate a line, after a tab what it means. The shell chooses those that match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from deltaadm.cli.help import PROGRAM_OPTIONS
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import TOPICS
from deltaadm.dataclass import import_module
from deltaadm.runs.declare import COMMON, Declared
from deltaadm.runs.settings_file import SettingsSources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Answer = tuple[Mapping[str, str], bool]
    """The candidates with what they mean, and whether a file's name fits as well."""

_NOTHING: Final[Answer] = ({}, False)
_NAME_TABLES: Final = frozenset({"also", "tables_from", "discover", "catalog"})
"""Options after which the first argument is what otherwise follows the table."""


def candidates(words: Sequence[str]) -> str:
    """What to tell the shell about the last of *words*."""
    *before, typed = words or [""]
    found, files = _candidates(before, typed.strip("\"'"))  # as it is typed, maybe in quotes
    lines = (f"{word}\t{text}" for word, text in found.items() if word != typed or word[-1] != "=")
    return "\n".join(("files" if files else "", *lines)) + "\n"


def _candidates(before: Sequence[str], typed: str) -> Answer:
    name, *others = [word for word in before if not word.startswith("-")] or [""]
    if name in COMMANDS:
        return _of_command(Command(name), before[before.index(name) + 1 :], typed)
    if not name:
        if typed.startswith("-"):
            return {names.split()[-1]: text for names, text in PROGRAM_OPTIONS.items()}, False
        return {**COMMANDS, "help": "Explain a command or a topic."}, False
    if name == "help" and not others:
        return {**COMMANDS, **{topic: each.summary for topic, each in TOPICS.items()}}, False
    return _NOTHING


def _of_command(command: Command, before: Sequence[str], typed: str) -> Answer:
    options = {name: each for each in command.declared() for name in each.names}
    expecting: Declared | None = None
    place, lists_tables, asks_why = 0, False, False
    for word in before:
        if expecting is not None:
            expecting = None
        elif not word.startswith("-"):
            place += 1
        elif (option := options.get(word.partition("=")[0])) is not None:
            lists_tables = lists_tables or option.field in _NAME_TABLES
            asks_why = asks_why or option.field == "why"
            expecting = None if option.is_switch or "=" in word else option
    if expecting is not None:
        return _values(command, expecting, typed)
    if typed.startswith("-"):
        name, equals, value = typed.partition("=")
        if not equals:
            return {name: " ".join(of.help.split()) for name, of in options.items()}, False
        if name not in options or options[name].is_switch:
            return _NOTHING
        found, files = _values(command, options[name], value)
        return {f"{name}={word}": text for word, text in found.items()}, files
    place += lists_tables
    if asks_why and place:  # what it is about follows the tables
        features = import_module("deltaadm.domain.features").FEATURES
        return dict.fromkeys(("reader", "writer", *features), ""), True
    arguments = command.arguments
    if arguments and (place < len(arguments) or arguments[-1].is_list):
        return _values(command, arguments[min(place, len(arguments) - 1)], typed)
    return _NOTHING


def _values(command: Command, option: Declared, typed: str) -> Answer:
    if option.names_tables and typed.startswith("@"):
        return {f"@{name}": "" for name in SettingsSources("").aliases()}, False
    kind = option.metavar.removesuffix("[:FILE]").strip("[]")
    kinds = re.findall(r"\w+", kind)
    words: Iterable[str] = option.choices
    if row := _WORDS.get(kind) or _WORDS.get("".join(kinds[:1])):
        words = row[1](import_module(row[0]), command)
    meant = words if isinstance(words, dict) else dict.fromkeys(words, "")
    return meant, not _FILES.isdisjoint(kinds)


_FILES: Final = frozenset({"TABLE", "PLAN", "FILE", "DIRECTORY", "PATH", "PLACE"})


def _clients(of: Any, _: Command) -> dict[str, str]:
    newest = {str(each): f"{each.client.name} {each.version}" for each in of.newest_releases()}
    return newest | {name: client.name for name, client in of.CLIENTS.items()}


def _features(of: Any, command: Command) -> Iterable[str]:
    changes = any("--yes" in option.names for option in command.declared())
    return (name for name, feature in of.FEATURES.items() if feature.removal or not changes)


def _properties(of: Any, _: Command) -> list[str]:
    return [entry.key for entry in of.PROPERTIES.values() if entry.editable]


_WORDS: Final[Mapping[str, tuple[str, Callable[[Any, Command], Iterable[str]]]]] = {
    "ACTION": ("deltaadm.cli", lambda *_: ("show", "aliases")),
    "CLIENT": ("deltaadm.clients", _clients),
    "CODE": ("deltaadm.reports.validate", lambda of, _: (*of.families(), *sorted(of.RULES))),
    "COMMAND": ("deltaadm.cli.table", lambda of, _: of.COMMANDS),
    "DOCUMENT": ("deltaadm.documents", lambda of, _: of.schemas()),
    "FEATURE": ("deltaadm.domain.features", _features),
    "FEATURE...": ("deltaadm.domain.features", lambda of, _: (
        each.name for each in of.FEATURES.values()
        if each.in_delta_spark and not each.not_addable)),
    "FILE|KEY=VALUE": ("deltaadm.cli", lambda _, command: (
        f"{each.key}=" for each in command.declared() if each.names and each.scope == COMMON)),
    "FORM": ("deltaadm.cli", lambda *_: ("text", "json")),
    "FORMAT": ("deltaadm.formats", lambda of, command: of.formats_for(command.parameters().shows)),
    "FORMAT PATH": ("deltaadm.cli", lambda *_: ("delta",)),
    "PROPERTY": ("deltaadm.domain.properties", _properties),
    "PROPERTY=VALUE": ("deltaadm.domain.properties",
                       lambda *of: (f"{name}=" for name in _properties(*of))),
    "SECTION": ("deltaadm.reports.history", lambda of, _: [each.value for each in of.Section]),
    "WHEN": ("deltaadm.cli", lambda *_: ("auto", "always", "never")),
    "WORD...": ("deltaadm.reports.explain",
                lambda of, _: (*sorted(of.RULES), *of.FEATURES, *of.error_classes())),
}  # fmt: skip
"""
What lists the words that a value can be, by what the help calls it or the first word of that.

Each is slow to import.
"""
