"""Text from tables made harmless for a terminal: shown, never interpreted."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_COMMAND_MARK = "::"
"""The prefix of a line that GitHub's runner takes for a command, whoever wrote it."""
OLD_COMMAND_MARK = "##["
"""The same, anywhere in a line."""


def visible(text: str) -> str:
    r"""
    *text* with control characters, direction marks and the like as escapes.

    What a CI system's log would take for a command is spelled so that it does not.

    >>> visible("a\x1b[31m")
    'a\\x1b[31m'
    >>> visible("::error::x")
    '\\x3a:error::x'
    """
    if not text.isprintable():
        text = "".join(
            _escaped(character) if is_hidden(character) else character for character in text
        )
    # CI systems look for commands at the beginning of a line, behind any blanks.
    if text.lstrip().startswith(_COMMAND_MARK):
        text = text.replace(":", "\\x3a", 1)
    return text.replace(OLD_COMMAND_MARK, "##\\x5b")


def is_hidden(character: str) -> bool:
    """Whether a character controls what is shown rather than being shown."""
    return unicodedata.category(character) in _HIDDEN or _is_noncharacter(ord(character))


def _is_noncharacter(code: int) -> bool:
    """Whether Unicode has set it aside for ever; XML allows some of them nowhere."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
