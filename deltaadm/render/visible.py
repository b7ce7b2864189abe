"""Text from tables made harmless for a terminal: shown, never interpreted."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def visible(text: str) -> str:
    r"""
    *text* with control characters, direction marks and the like as escapes.

    >>> visible("a\x1b[31m")
    'a\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(_escaped(one) if unicodedata.category(one) in _HIDDEN else one for one in text)


def _escaped(one: str) -> str:
    return one.encode("unicode_escape", "surrogatepass").decode("ascii")
