"""Command lines, for plans and findings that name one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deltaadm.domain.steps import Step


def alter_command(step: Step) -> str:
    """
    `alter` with the options for *step*, without a table, as a POSIX shell takes them.

    >>> from deltaadm.domain.steps import RenameColumn
    >>> alter_command(RenameColumn(("s", "a b"), "c"))
    "alter --rename-column 's.`a b`=c'"
    """
    return " ".join(map(quoted, ("alter", *step.options())))


def quoted(word: str) -> str:
    r"""
    *word* for a POSIX shell, on one line and without characters that a terminal would obey.

    >>> quoted("it's")
    '\'it\'"\'"\'s\''
    >>> quoted("a\nb")
    "$'a\\x0ab'"
    """
    if word.isprintable():
        return shlex.quote(word)
    body = "".join(
        character if character.isprintable() and character not in "\\'" else _bytes(character)
        for character in word
    )
    return f"$'{body}'"


def _bytes(character: str) -> str:
    """Its bytes; half a character that stands for a byte of a file's name is that byte."""
    errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", errors))
