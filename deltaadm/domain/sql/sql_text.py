"""Names and texts in Spark SQL: writing them so that nothing breaks out of them, and reading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def identifier(name: str) -> str:
    """*name* in backticks."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """*text* as a Spark string literal; characters that do not print are written as escapes."""
    return "'" + "".join(_escaped(character) for character in text) + "'"


def column_sql(path: Sequence[str]) -> str:
    """The column with the names of *path*, each in backticks."""
    return ".".join(map(identifier, path))


def pairs_sql(properties: Mapping[str, str]) -> str:
    """*properties* as between the brackets of TBLPROPERTIES."""
    return ", ".join(f"{literal(key)} = {literal(value)}" for key, value in properties.items())


def if_exists_sql(if_exists: bool) -> str:  # noqa: FBT001 -- the only argument
    """`IF EXISTS`, where that is asked for."""
    return "IF EXISTS " if if_exists else ""


def is_hidden(character: str) -> bool:
    """Whether a terminal would interpret it instead of showing it, or it is a lone surrogate."""
    return not character.isprintable() and not "\ud800" <= character <= "\udfff"


def unquoted(name: str) -> str:
    """The name that *name*, in backticks or not, stands for."""
    return name[1:-1].replace("``", "`") if name[:1] == "`" else name


def unescaped(text: str) -> str:
    r"""
    What the Spark string literal *text* stands for; a raw one (`r'…'`) is taken as it is.

    >>> unescaped(r"'O\'Hara\n\u0041'"), unescaped("'O''Hara'"), unescaped(r"r'\d'")
    ("O'Hara\nA", "O'Hara", '\\d')
    """
    # A raw literal has no escapes, not even for its own quote.
    if text[0] in "rR":
        return text[2:-1]
    return _ESCAPE.sub(_unescape_match, text[1:-1].replace(text[0] * 2, text[0]))


_LAST_OF_FOUR_DIGITS: Final = 0xFFFF
_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL
)
_CONTROLS: Final = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_KEPT: Final = "%_"
"""Escapes of LIKE, whose backslash stays."""


def _escaped(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    # `$` starts a variable where `spark.sql.variable.substitute` is on.
    if character != "$" and not is_hidden(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= _LAST_OF_FOUR_DIGITS else f"\\U{code:08x}"


def _unescape_match(escape: re.Match[str]) -> str:
    short, long, octal, other = escape.groups()
    if code := short or long:
        return chr(int(code, 16)) if int(code, 16) <= _LAST_CHARACTER else escape[0]
    if octal:
        return chr(int(octal, 8))
    return escape[0] if other in _KEPT else _CONTROLS.get(other, other)


_LAST_CHARACTER: Final = 0x10FFFF
