"""Command lines, for plans and findings that name one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deltaadm.domain.steps import Step


def alter_command(step: Step) -> str:
    """
    `alter` with the options for *step*, without a table, as a POSIX shell takes them.

    >>> from deltaadm.domain.steps import RenameColumn
    >>> alter_command(RenameColumn(("s", "a b"), "c"))
    "alter --rename-column 's.`a b`=c'"
    """
    return " ".join(map(quoted, ("alter", *step.options())))


def fix_command(table: str, steps: Sequence[Step]) -> str:
    """
    The command line that plans and commits *steps* on *table*; empty if there are none.

    It can be pasted into a POSIX shell, whatever stands in names and values.
    """
    if not steps:
        return ""
    # A name that begins with a dash would be taken for an option.
    place = f"./{table}" if table.startswith("-") else table
    return " ".join(map(quoted, ("deltaadm", *_arguments(place, steps), "--apply")))


def _arguments(table: str, steps: Sequence[Step]) -> Iterator[str]:
    if all(step.added_features for step in steps):
        features = dict.fromkeys(name for step in steps for name in step.added_features)
        yield from ("enable-feature", table, *features, "--support-only")
        return
    yield from ("alter", table)
    for step in steps:
        yield from step.options()


def quoted(word: str) -> str:
    r"""
    *word* for a POSIX shell, on one line and without characters that a terminal would obey.

    >>> quoted("it's")
    '\'it\'"\'"\'s\''
    >>> quoted("a\nb")
    "$'a\\x0ab'"
    """
    if word.isprintable():
        from shlex import quote  # which few findings need

        return quote(word)
    body = "".join(
        character if character.isprintable() and character not in "\\'" else _bytes(character)
        for character in word
    )
    # The quotes of bash, ksh and zsh that understand escapes; plain ones would keep the character.
    return f"$'{body}'"


def _bytes(character: str) -> str:
    """Its bytes; half a character that stands for a byte of a file's name is that byte."""
    errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", errors))
