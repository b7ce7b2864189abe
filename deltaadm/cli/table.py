"""The subcommands: what each does, in a sentence, where it is, and how it is carried out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from deltaadm.dataclass import import_module, replace
from deltaadm.errors import UsageError, require_one_of
from deltaadm.formats import formats_for
from deltaadm.masking import masked
from deltaadm.runs.declare import NEVER, Declared, Parameters, option
from deltaadm.runs.output import Messages, handle_errors, use_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from deltaadm.runs.context import RunContext


COMMANDS: Final[Mapping[str, str]] = {
    "inspect": "Show a table's protocol and features, with the reasons.",
    "history": "Show what changed in a table, when, and by whom.",
    "diff": "Compare versions, tables, or tables with a reference file.",
    "record": "Write a reference file for `diff`.",
    "validate": "Check tables against the protocol and Delta's behaviour.",
    "repair": "Repair a damaged log, with proof that nothing is lost.",
    "upgrade-protocol": "Upgrade a table's protocol, or lower it with --minimum.",
    "enable-feature": "Enable table features and those that they require.",
    "set-mapping-mode": "Enable column mapping, or remove it by a rewrite.",
    "create": "Create or replace a table.",
    "alter": "Change columns, constraints, clustering or properties.",
    "drop-feature": "Drop a table feature from the protocol.",
    "undo": "Undo what a version changed, if Delta allows it.",
    "apply": "Apply exactly the plan or plans saved in a file.",
    "show": "Show a saved plan or journal, and changes since.",
    "features": "List all table features, or explain one.",
    "clients": "Show what clients support, and since when.",
    "rules": "List the rules of `validate`.",
    "explain": "Explain a rule, a feature, or any engine's error message.",
    "config": "Show all settings, and where each comes from.",
    "doctor": "Check this machine: Java, Spark, Delta's jars, tables.",
    "schema": "Print the JSON Schema of a document type.",
    "completion": "Print or install a shell completion script.",
    "man": "Show a man page.",
}
"""Every subcommand and its summary, in the order of the help."""
_MODULES: Final[Mapping[str, str]] = {
    "record": "diff", "upgrade-protocol": "protocol", "enable-feature": "protocol",
    "set-mapping-mode": "protocol", "drop-feature": "protocol", "undo": "protocol",
    "alter": "create", "apply": "saved", "show": "saved",
    "features": "catalogues", "clients": "catalogues", "rules": "catalogues",
    "explain": "catalogues", "doctor": "config", "schema": "installation",
    "completion": "installation", "man": "installation",
}  # fmt: skip
"""The modules of `deltaadm.cli.commands` in which subcommands are that have another name."""


class SettingsOptions(Parameters):
    """The sources of settings besides the command line."""

    heading = "Settings"
    scope = NEVER

    config: list[str] | None = option("FILE|KEY=VALUE",
        "Settings file to use instead of deltaadm.toml or pyproject.toml; or one setting, for "
        "example clients=trino@480. Repeatable.")  # fmt: skip
    isolated: bool = option("Ignore settings files.")


class HelpOptions(Parameters):
    """The help, instead of an answer."""

    heading = "Help"
    scope = NEVER

    short_help: bool = option("-h", "Show what is specific to the command.")
    help: bool = option("--help", "Show all options.")


class Command:
    """
    A subcommand, imported.

    `parameters` is the class of what it takes, whose documentation is part of the help; its `run`
    carries out the command in a context, and returns the exit code.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.summary = COMMANDS[name]
        module = import_module(f"deltaadm.cli.commands.{_MODULES.get(name, name)}")
        self.parameters: type[Any] = getattr(module, "".join(name.title().split("-")))

    def declared(self) -> Iterator[Declared]:
        """All arguments and options, also those that every command has."""
        for group in (self.parameters, SettingsOptions, Messages, HelpOptions):
            yield from group.declared()

    @property
    def arguments(self) -> list[Declared]:
        """What it takes without a name."""
        return [each for each in self.parameters.declared() if each.is_argument]

    def begin(self, values: Mapping[str, Any]) -> None:
        """Show and keep messages as *values* ask; raises `UsageError` for what is no text."""
        for each in self.declared():
            if not each.names_tables and not _is_text(values.get(each.field)):
                name = max(each.names, key=len, default=each.metavar)
                raise UsageError("is not valid UTF-8 text", option=name)
        chosen = {name: values[name] for name in Messages.fields if name in values}
        if chosen:
            use_messages(Messages(**chosen))

    def work(self, values: dict[str, Any], context: RunContext) -> Callable[[], int]:
        """What carries out the command with *values* for its fields; it returns the exit code."""
        if not values.keys().isdisjoint(("json", "query")):
            values = {"output": "json", **values}
        request: Any = self.parameters.of(values)
        output, spark, access = map(request.group, ("output", "spark", "access"))
        if output is not None:
            for target in output.targets:
                require_one_of(target.format, formats_for(request.shows), "--output")
            require_one_of(output.color, ("auto", "always", "never"), "--color")
        context = context.with_request(spark, output, access)
        if output is not None and (many := request.group("many")):
            # The answers of an earlier run can stand in no other format.
            if many.resume and not {each.format for each in output.targets} <= {"text", "jsonl"}:
                raise UsageError("supports only -o jsonl and -o text", option="--resume")
            # What stands in a table's place is something else where options name the tables.
            manner = _MANNER if many.names_tables else _MANNER | {"table"}
            words = [
                str(getattr(word, "value", word))  # those of enumerations have one
                for each in self.declared()
                if each.field in values and {each.field, each.heading}.isdisjoint(manner)
                for value in (values[each.field] if each.is_list else [values[each.field]])
                for word in (each.field, value)[each.is_argument :]
            ]
            asked = masked(" ".join((self.name, *words, *request.asked)))
            context = replace(context, style=replace(context.style, request=asked))

        work = partial(handle_errors, context, _about(request), partial(request.run, context))
        if output is None or output.file is None:
            return work
        from deltaadm.runs.files import answer_to_file

        return partial(answer_to_file, output.file, work)


_MANNER: Final = frozenset({
    "Consent", "Help", "Messages", "Output", "Plan", "Settings", "Spark", "Storage and time",
    "Tables", "apply", "check", "commit_engine", "fail_on", "save_as", "statistics", "tables",
    "yes",
})  # fmt: skip
"""Options, and groups of them, that change nothing in the answer for a table."""


def _about(request: Any) -> str:
    """What the errors of a command are about, most often its table if that is the only one."""
    value = getattr(request, request.about, None) or ""
    texts = value if isinstance(value, list) else [str(value)]
    many = request.group("many")
    return many.only(texts) if many else " ".join(texts)


def _is_text(value: object) -> bool:
    """Whether a value is text, or the name of a file, and not bytes that are none."""
    if isinstance(value, list | tuple):
        return all(map(_is_text, value))
    if not isinstance(value, str | os.PathLike):
        return True
    try:
        return b"\0" not in (value.encode() if isinstance(value, str) else os.fsencode(value))
    except UnicodeEncodeError:
        return False
