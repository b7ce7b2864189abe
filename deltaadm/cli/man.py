"""Man pages of the program and of each command, made from what the help is made of."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from deltaadm import __version__
from deltaadm.cli.help import (
    EXAMPLES,
    PROGRAM_OPTIONS,
    PURPOSE,
    SUMMARY,
    described,
    explained,
    grouped,
    spelled,
    usage_words,
)
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import TOPICS


def man_pages() -> dict[str, str]:
    """The pages by the names of their files."""
    pages = {"deltaadm.1": man_page()}
    return pages | {f"deltaadm-{name}.1": man_page(name) for name in COMMANDS}


def man_page(name: str = "") -> str:
    """The page of the command called *name*, or that of the program."""
    if not name:
        return _page("deltaadm", SUMMARY, _of_program())
    command = Command(name)
    return _page(f"deltaadm-{name}", command.summary, _of_command(command))


def _of_program() -> Iterator[str]:
    yield from ("", ".SH SYNOPSIS", ".B deltaadm", _text("COMMAND [OPTIONS] ..."))
    yield from ("", ".SH DESCRIPTION", _text(f"{SUMMARY} {PURPOSE}"))
    yield from _listed(
        "COMMANDS", ((f"deltaadm-{name}(1)", what) for name, what in COMMANDS.items())
    )
    yield from _listed("OPTIONS", PROGRAM_OPTIONS.items())
    for name, topic in TOPICS.items():
        if not topic.rows:  # the options, which the pages of commands have
            continue
        heading = _HEADINGS.get(name, name.upper().replace("-", " "))
        yield from _listed(heading, topic.rows)
        yield from (line for text in topic.text for line in (".PP", _text(" ".join(text.split()))))
    yield from _examples(EXAMPLES)


_HEADINGS: Final = {"exit-codes": "EXIT STATUS", "environment": "ENVIRONMENT"}


def _of_command(command: Command) -> Iterator[str]:
    text, examples = described(command)
    arguments = [option for option in command.declared() if option.is_argument]
    yield from (
        "",
        ".SH SYNOPSIS",
        f".B deltaadm {_escaped(command.name)}",
        _text(usage_words(command)),
    )
    yield from ("", ".SH DESCRIPTION", _text(command.summary))
    for paragraph in text:
        yield from (".PP", _text(paragraph))
    yield from _listed("ARGUMENTS", ((each.metavar, explained(each)) for each in arguments))
    yield from ("", ".SH OPTIONS")
    for heading, options in grouped(command):
        yield from [f".SS {_quoted(heading)}"] if heading else []
        for option in options:
            yield from _item(spelled(option), explained(option))
    yield from _examples(examples)
    yield from _listed("EXIT STATUS", TOPICS["exit-codes"].rows)
    yield from ("", ".SH SEE ALSO", ".BR deltaadm (1)")


def _examples(lines: Iterable[str]) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield from ("", ".SH EXAMPLES")
        for number, line in enumerate(shown):
            yield from [".PP"] if number else []
            yield from (".nf", ".RS", _text(line), ".RE", ".fi")


def _listed(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    entries = list(rows)
    if entries:
        yield from ("", f".SH {_quoted(title)}")
        for word, text in entries:
            yield from _item(word, text)


def _item(word: str, text: str) -> Iterator[str]:
    yield from (".TP", f".B {_escaped(word)}", _text(text))


def _page(title: str, summary: str, body: Iterable[str]) -> str:
    lines = (
        '.\\" Made from the help of the program; do not edit.',
        f'.TH {_quoted(title.upper())} 1 "" {_quoted(f"deltaadm {__version__}")} "User Commands"',
        # No hyphens, which would be copied along with the words.
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{_escaped(title)} \\- {_text(summary.rstrip('.'))}",
        *(line for line in body if line),
    )
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """*text* as a line of its own, which is no request."""
    # roff takes a line that begins with a dot or an apostrophe for a request.
    return re.sub(r"^(?=[.'])", r"\\&", _escaped(text))


def _escaped(text: str) -> str:
    # roff makes typographic characters of these, which no shell understands when they are copied.
    return text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("^", "\\(ha")


def _quoted(text: str) -> str:
    return '"' + _escaped(text).replace('"', '""') + '"'


def main() -> None:
    """Write all pages into the directory that is the only argument."""
    directory = Path(sys.argv[1])
    for name, page in man_pages().items():
        (directory / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
