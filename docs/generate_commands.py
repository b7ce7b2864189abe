# ruff: noqa: INP001 -- a script, not a package
"""Print docs/commands.md: the help of the program, of each command and of each topic."""

from __future__ import annotations

import os
import sys

from deltaadm.cli.help import command_help, program_help, topic_help
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import TOPICS

INTRODUCTION = """\
# Commands

<!-- Written by `python3 dev.py docs` from the declarations of commands; do not edit. -->

What `--help` prints, alone and after each command, and `help` with each topic. The
[guide](guide.md) shows how the commands work together.
"""


def page() -> str:
    """The page, of the same width wherever it is made."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"
    try:
        return _page()
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before


def _page() -> str:
    helps = [("deltaadm", program_help())]
    helps += [(f"deltaadm {name}", command_help(Command(name))) for name in COMMANDS]
    helps += [(f"help {name}", topic_help(name)) for name in TOPICS]
    sections = (f"## {title}\n\n```text\n{text.strip()}\n```\n" for title, text in helps)
    return "\n".join((INTRODUCTION, *sections))


if __name__ == "__main__":
    sys.stdout.write(page())
