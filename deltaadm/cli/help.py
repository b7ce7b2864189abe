"""Help and man pages of the program, commands and topics, made from what commands declare."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Sequence

from deltaadm import __version__
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import TOPICS
from deltaadm.errors import UsageError, did_you_mean
from deltaadm.formats import width_for
from deltaadm.runs.declare import Declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


SUMMARY: Final = "Inspect, upgrade and validate the protocol of Delta Lake tables."
PURPOSE: Final = "Commands that change a table only show a plan, until you add --apply."
EXAMPLES: Final = (
    "deltaadm inspect /data/events",
    "deltaadm validate /data/events",
    "deltaadm enable-feature /data/events deletionVectors",
    "deltaadm set-mapping-mode /data/events name --apply",
)
PROGRAM_OPTIONS: Final = {
    "--version": "Show the version and exit.",
    "-h, --help": "Show this help and exit.",
}
_EXAMPLES_BEGIN: Final = "For example:"


def help_asked_for(arguments: Sequence[str]) -> str:
    """The help for a command line without a command; raises `UsageError` for any other."""
    match list(arguments):
        case []:
            return short_help()
        case ["help"] | ["help", "help"] | ["-h" | "--help", *_]:
            return program_help()
        case ["help", name] if name in TOPICS:
            return topic_help(name)
        case ["help", name] if name in COMMANDS:
            return command_help(Command(name))
        case ["help", *words]:
            name = " ".join(words)
        case [name, *_]:
            if name.startswith("-") and name != "-":
                remedy = "A command's options follow it."
                raise UsageError(f"There is no option {name}.", remedy=remedy)
    near = did_you_mean(name, (*COMMANDS, *TOPICS))
    remedy = near or "To look at a table: `deltaadm inspect TABLE`."
    raise UsageError(f"There is no command {name!r}.", remedy=remedy)


def short_help() -> str:
    """The purpose of the program, in a few lines."""
    return _joined(
        _filled(f"{SUMMARY} {PURPOSE}"),
        _titled("Usage", ["deltaadm COMMAND [OPTIONS] ..."]),
        _titled("Examples", EXAMPLES),
        _titled("More", _table([
            ("deltaadm --help", "List all commands."),
            ("deltaadm COMMAND -h", "Show the options of a command; --help shows all of them."),
            (f"deltaadm help {'|'.join(TOPICS)}", "Explain a topic."),
        ])),
    )  # fmt: skip


def program_help() -> str:
    """All commands and topics."""
    url = documentation_url()
    return _joined(
        "Usage: deltaadm COMMAND [OPTIONS] ...",
        _filled(f"{SUMMARY} {PURPOSE}"),
        _titled("Examples", EXAMPLES),
        _titled("Commands", _table(COMMANDS.items())),
        _titled(
            "Topics", _table((f"help {name}", topic.summary) for name, topic in TOPICS.items())
        ),
        _titled("Options", _table(PROGRAM_OPTIONS.items())),
        url and f"Documentation: {url}",
    )


def documentation_url() -> str:
    """The home of the documentation, as the installed package names it; empty if it does not."""
    # As `importlib.metadata` would find it, which takes longer than all of the help.
    for place in sys.path:
        try:
            with open(f"{place}/deltaadm-{__version__}.dist-info/METADATA", "rb") as file:  # noqa: PTH123
                head = file.read().partition(b"\n\n")[0].decode()
        except OSError:
            continue
        urls = dict(re.findall(r"^Project-URL: (\w+), (.+)$", head, re.MULTILINE))
        return urls.get("Documentation") or urls.get("Repository") or ""
    return ""


def command_help(command: Command, *, short: bool = False) -> str:
    """The help of a command: examples first, then all options, or only its own if it is *short*."""
    text, examples = described(command)
    arguments = command.arguments
    more = _table([
        (f"deltaadm {command.name} --help", "All options, and more about the command."),
        ("deltaadm help options", "Options that commands share, like -o FORMAT."),
    ])  # fmt: skip
    return _joined(
        usage(command),
        _filled(command.summary),
        _titled("Examples", examples[: _FEW if short else None]),
        *map(_filled, () if short else text),
        _titled("Arguments", _table((option.metavar, explained(option)) for option in arguments)),
        *map(_options, grouped(command, own=True if short else None)),
        _titled("More", more) if short else "",
    )


_FEW: Final = 2  # examples in a short help


def _options(group: tuple[str, list[Declared]]) -> str:
    heading, options = group
    return _titled(heading or "Options", _table((spelled(e), explained(e)) for e in options))


def grouped(command: Command, *, own: bool | None = None) -> list[tuple[str, list[Declared]]]:
    """The options of *command* under headings; *own* chooses those of it alone, or all others."""
    groups: dict[str, list[Declared]] = {"": []}
    for option in command.declared():
        is_own = option.owner not in _SHARED or option.heading in {"Plan", "Repair"}
        if not option.is_argument and own in {None, is_own}:
            groups.setdefault(option.heading, []).append(option)
    return [(heading, options) for heading, options in groups.items() if options]


_SHARED: Final = {
    "deltaadm.cli.table", "deltaadm.runs.options", "deltaadm.runs.output",
    "deltaadm.runs.plan_options",
}  # fmt: skip
"""The modules of options that commands share."""


def described(command: Command) -> tuple[list[str], list[str]]:
    """The paragraphs about a command, and its examples."""
    text, _, examples = (command.parameters.__doc__ or "").partition(_EXAMPLES_BEGIN)
    paragraphs = [
        " ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()
    ]
    return paragraphs, [line.strip() for line in examples.splitlines() if line.strip()]


def usage(command: Command) -> str:
    """The command line in general."""
    words = (
        option.metavar if option.required or "[" in option.metavar else f"[{option.metavar}]"
        for option in command.arguments
    )
    return " ".join(("Usage: deltaadm", command.name, "[OPTIONS]", *words))


def lacks_argument(command: Command) -> UsageError:
    """The error for a command line without what *command* needs."""
    words = usage(command).removeprefix("Usage: ")
    missing = command.arguments[0].metavar.strip("[]")
    return UsageError(f"{missing} is missing.", remedy=f"Usage: `{words}`.")


def topic_help(name: str) -> str:
    """The text of a topic."""
    topic = TOPICS[name]
    groups = grouped(Command("alter"), own=False) if name == "options" else []
    parts = _table(topic.rows), *map(_options, groups), *map(_filled, topic.text)
    return _joined(_filled(topic.summary), *parts)


# Layout


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _titled(title: str, lines: Sequence[str] | str) -> str:
    if not isinstance(lines, str):
        lines = "\n".join(f"  {line}" for line in lines)
    return f"{title}:\n{lines}" if lines else ""


def spelled(option: Declared) -> str:
    """The names of an option, and what it takes."""
    names = ", ".join(sorted(option.names, key=len))
    return names if option.is_switch else f"{names} {option.metavar or 'TEXT'}"


def explained(declared: Declared) -> str:
    """The explanation of an argument or option, with its default."""
    notes = []
    default = declared.default
    if not declared.is_argument and default is not None and not declared.is_switch:
        notes.append(f" [default: {getattr(default, 'value', default)}]")
    if declared.minimum is not None:
        notes.append(f" [at least {declared.minimum}]")
    return "".join((" ".join(declared.help.split()), *notes))


_WIDEST: Final = 100
_NARROWEST: Final = 40
_COLUMN: Final = 30
"""The rightmost column at which explanations begin; longer names have a line to themselves."""


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(
        " ".join(text.split()),
        max(_NARROWEST, min(width_for(sys.stdout) or 80, _WIDEST)) - 1,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(rows: Iterable[tuple[str, str]]) -> str:
    """Words, and what they are, in two columns."""
    entries = list(rows)
    fitting = [len(word) for word, _ in entries if len(word) <= _COLUMN]
    column = max(fitting, default=0) + 4
    lines: list[str] = []
    for word, text in entries:
        first, *others = _filled(text, " " * column).splitlines() or [""]
        if len(word) + 4 > column:
            lines += [f"  {word}", *filter(None, (first, *others))]
        else:
            lines += [f"  {word}{first[len(word) + 2 :]}", *others]
    return "\n".join(lines)


def no_such_option(name: str, command: Command) -> UsageError:
    """The error for the option *name*, which *command* does not have, with what may be meant."""
    own = [spelled for option in command.declared() for spelled in option.names]
    remedy = _WISHES.get((command.name, name)) or did_you_mean(name, own)
    return UsageError(f"There is no option {name}.", remedy=remedy)


_WISHES: Final = {
    ("apply", "--apply"): "`apply` needs no --apply.",
    ("history", "--feature"): "`deltaadm inspect TABLE --why FEATURE` shows who added it.",
}


# Man pages of the program and of each command, which say what the help says


def man_pages() -> dict[str, str]:
    """The pages by the names of their files."""
    pages = {"deltaadm.1": man_page()}
    return pages | {f"deltaadm-{name}.1": man_page(name) for name in COMMANDS}


def man_page(name: str = "") -> str:
    """The page of the command called *name*, or that of the program."""
    title = _roff(f"deltaadm-{name}" if name else "deltaadm")
    summary = _roff((COMMANDS[name] if name else SUMMARY).rstrip("."))
    lines = [
        '.\\" Made from the help of the program; do not edit.',
        f'.TH "{title.upper()}" 1 "" "deltaadm {__version__}" "User Commands"',
        ".SH NAME",
        f"{title} \\- {summary}",
    ]
    texts = {"DESCRIPTION": command_help(Command(name)) if name else program_help()}
    for topic in ("exit-codes",) if name else TOPICS:
        texts["EXIT STATUS" if topic == "exit-codes" else topic.upper()] = topic_help(topic)
    for heading, text in texts.items():
        lines += [f".SH {heading}", ".nf", ".in 0", *map(_roff, text.splitlines()), ".fi"]
    return "\n".join(lines) + "\n"


def _roff(line: str) -> str:
    # roff makes typographic characters of these, which no shell understands when they are copied,
    # and takes a line that begins with a dot or an apostrophe for a request.
    for character, name in {"\\": "e", "-": "-", "`": "(ga", "^": "(ha"}.items():
        line = line.replace(character, f"\\{name}")
    return f"\\&{line}" if line[:1] in {".", "'"} else line


def main() -> None:
    """Write all pages into the directory that is the only argument."""
    from pathlib import Path  # slow, and the help does without

    directory = Path(sys.argv[1])
    for name, page in man_pages().items():
        (directory / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
