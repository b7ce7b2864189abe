"""The subcommands: what each does, in a sentence, and where it is."""

from __future__ import annotations

import os

from deltaadm.cli.message_options import HelpOptions, MessageOptions, SettingsOptions, begin
from deltaadm.dataclass import import_module
from deltaadm.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any, Final

    from deltaadm.runs.context import RunContext
    from deltaadm.runs.declare import Declared, Parameters


_MODULES: Final[Mapping[str, Mapping[str, str]]] = {
    "inspect": {
        "inspect": "Show a table's protocol and features, with the reasons.",
    },
    "history": {
        "history": "Show what changed in a table, when, and by whom.",
    },
    "diff": {
        "diff": "Compare versions, tables, or tables with a reference file.",
        "record": "Write a reference file for `diff`.",
    },
    "validate": {
        "validate": "Check tables against the protocol and Delta's behaviour.",
    },
    "protocol": {
        "upgrade-protocol": "Upgrade a table's protocol, or lower it with --minimum.",
        "enable-feature": "Enable table features and those that they require.",
        "set-mapping-mode": "Enable column mapping, or remove it by a rewrite.",
    },
    "create": {
        "create": "Create or replace a table.",
    },
    "alter": {
        "alter": "Change columns, constraints, clustering or properties.",
    },
    "drop_feature": {
        "drop-feature": "Drop a table feature from the protocol.",
    },
    "undo": {
        "undo": "Take back what a version changed, where Delta allows it.",
    },
    "saved": {
        "apply": "Apply exactly the plan or plans saved in a file.",
        "show": "Show a saved plan or journal, and changes since.",
    },
    "catalogues": {
        "features": "List all table features, or explain one.",
        "clients": "Show what clients support, and since when.",
    },
    "explain": {
        "rules": "List the rules of `validate`.",
        "explain": "Explain a rule, a table feature or a Delta error class.",
    },
    "config": {
        "config": "Show all settings, and where each comes from.",
    },
    "doctor": {
        "doctor": "Check this machine: Java, Spark, Delta's jars, tables.",
    },
    "installation": {
        "schema": "Print the JSON Schema of a document type.",
        "completion": "Print or install a shell completion script.",
    },
}
"""The subcommands of each module of `deltaadm.cli.commands`."""
COMMANDS: Final[Mapping[str, str]] = {
    name: summary for commands in _MODULES.values() for name, summary in commands.items()
}
"""Every subcommand and its summary, in the order of the help."""


class Command:
    """
    A subcommand, imported.

    `parameters` is the class of what it takes, whose documentation is part of the help.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.summary = COMMANDS[name]
        place = next(module for module, commands in _MODULES.items() if name in commands)
        module = import_module(f"deltaadm.cli.commands.{place}")
        self.run: Callable[[Any, RunContext], int] = getattr(
            module, f"run_{name.replace('-', '_')}"
        )
        self.parameters: type[Parameters] = getattr(module, "".join(name.title().split("-")))

    @property
    def answers_alone(self) -> bool:
        """Whether it has an answer without any argument: the help has them in brackets."""
        return all(option.metavar[0] == "[" for option in self.declared() if option.is_argument)

    def declared(self) -> Iterator[Declared]:
        """All arguments and options, also those that every command has."""
        for group in (self.parameters, SettingsOptions, MessageOptions, HelpOptions):
            yield from group.declared()

    def begin(self, values: Mapping[str, Any]) -> None:
        """Show and keep messages as *values* ask; raises `UsageError` for what is no text."""
        for option in self.declared():
            if not option.names_tables and not _is_spelled(values.get(option.field)):
                name = max(option.names, key=len, default=option.metavar)
                raise UsageError("has bytes that are no text in UTF-8, or a NUL", option=name)
        if not values.keys().isdisjoint(MessageOptions.fields):
            chosen = {name: values[name] for name in MessageOptions.fields if name in values}
            begin(MessageOptions(**chosen))

    def carry_out(self, values: dict[str, Any], context: RunContext) -> int:
        """Carry out the command with *values* for its fields, settings or not; the exit code."""
        if not values.keys().isdisjoint(("json", "query")):
            several = any(option.field == "output" and option.is_list for option in self.declared())
            values = {**values, "output": _json_output(values, ["json"] if several else "json")}
        format_name, file = _chosen_output(values)
        if file is None:
            return self.run(self.parameters.of(values), context)
        from deltaadm.runs.files import answer_to_file

        values = {**values, "output": format_name, "output_file": None}
        return answer_to_file(file, lambda: self.run(self.parameters.of(values), context))


def _is_spelled(value: object) -> bool:
    """Whether a value is text, or the name of a file, and not bytes that are none."""
    if isinstance(value, list | tuple):
        return all(map(_is_spelled, value))
    if not isinstance(value, str | os.PathLike):
        return True
    try:
        return b"\0" not in (value.encode() if isinstance(value, str) else os.fsencode(value))
    except UnicodeEncodeError:
        return False


def _json_output(values: Mapping[str, Any], default: Any) -> Any:
    """The format, or formats, of documents of which the command line wants a part."""
    chosen = values.get("output") or default
    for text in chosen if isinstance(chosen, list) else [chosen]:
        if text.partition(":")[0] not in {"json", "jsonl", "yaml"}:
            option = "--json" if "json" in values else "--query"
            raise UsageError(f"requires -o json, jsonl or yaml, not {text}", option=option)
    return chosen


def _chosen_output(values: Mapping[str, Any]) -> tuple[str, Path | None]:
    """The format of a command that has one, and the file for it if any."""
    chosen, file = values.get("output", "text"), values.get("output_file")
    if not isinstance(chosen, str):  # several, which the command tells apart
        return "", None
    name, colon, path = chosen.partition(":")
    if colon:
        if not path:
            raise UsageError(f"{chosen!r} names no file", option="--output")
        if file is not None:
            raise UsageError("every format already has a file", option="--output-file")
        from pathlib import Path

        file = Path(path)
    return name, file
