"""
The columns that an SQL expression refers to, as far as they are known without parsing SQL.

Table constraints, generated columns and invariants are texts in Spark's SQL. Only what certainly
is a column reference counts: a missed reference is better than a false one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from deltaadm.domain.sql.sql_text import unquoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import Path


@cache
def _token() -> re.Pattern[str]:
    """Compiled when it is needed: most commands read no SQL."""
    return re.compile(
        r"""
          (?P<space>\s+)
        | (?P<text>[rR]?'(?:[^'\\]|\\.|'')*' | [rR]?"(?:[^"\\]|\\.|"")*")
        | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[LSYDFlsydf]|BD|bd)?)
        | (?P<comment>--|/\*)
        | (?P<quoted>`(?:[^`]|``)*`)
        | (?P<word>[^\W\d]\w*)
        | (?P<arrow>->|=>|:)
        | (?P<sign>[-+*/%<>=!|&^~?().,\[\];])
        """,
        re.VERBOSE | re.DOTALL,
    )


_RESERVED: Final = frozenset(
    re.findall(
        r"\w+",
        """
    all and any anti array as asc at between bigint binary boolean both by byte case cast char
    character collate cross cube current current_catalog current_database current_date
    current_schema current_time current_timestamp current_user date day dayofyear days dec
    decimal desc distinct div double else end escape except exists extract false filter first
    float following for from full group having hour hours ignore ilike in inner int integer
    intersect interval into is join last lateral leading left like localtimestamp long map
    microsecond microseconds millisecond milliseconds minus minute minutes month months
    named_struct nanosecond nanoseconds natural not null nulls numeric of on only or order outer
    over overlaps partition position preceding quarter range real regexp respect right rlike row
    rows second seconds select session_user short similar smallint some string struct substr
    substring symmetric table
    then timestamp timestamp_ltz timestamp_ntz tinyint to trailing trim true
    try_cast unbounded union unknown user using value values varchar variant void week weeks
    when where window with within year years
    """,
    )
)
"""Words in expressions that are not columns, in lower case."""


def column_references(expression: str) -> tuple[Path, ...]:
    """
    The column paths in *expression*; empty for text that is not understood.

    >>> column_references("`a b`.c > 1 AND upper(d) <> 'e'")
    (('a b', 'c'), ('d',))
    >>> column_references("exists(xs, x -> x > y)"), column_references("a alias")
    ((), ())
    """
    tokens = list(_tokens(expression))
    if any(kind in ("odd", "arrow", "comment") for kind, _ in tokens):
        return ()
    return tuple(_paths(tokens))


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(expression):
        match = _token().match(expression, position)
        if match is None or match.lastgroup is None:
            yield "odd", expression[position:]
            return
        if match.lastgroup != "space":
            yield match.lastgroup, match[0]
        position = match.end()


def _paths(tokens: list[tuple[str, str]]) -> Iterator[Path]:
    position = 0
    before = ""
    after_operand = False
    while position < len(tokens):
        parts: list[str] = []
        while position < len(tokens) and tokens[position][0] in ("word", "quoted"):
            parts.append(tokens[position][1])
            position += 1
            if position + 1 >= len(tokens) or tokens[position][1] != ".":
                break
            position += 1
        after = tokens[position] if position < len(tokens) else ("", "")
        if parts and not after_operand and _is_column(parts[0], before.lower(), after):
            yield tuple(map(unquoted, parts))
        if parts:
            before = parts[-1]
            after_operand = before.startswith("`") or before.lower() not in _RESERVED
        else:
            kind, before = tokens[position]
            after_operand = kind in ("text", "number") or before in (")", "]")
            position += 1


def _is_column(first: str, before: str, after: tuple[str, str]) -> bool:
    """Not a function, a type, a literal's prefix, a field of something computed, or a keyword."""
    kind, text = after
    if text == "(" or before in (".", "as", "collate"):
        return False
    if first.startswith("`"):
        return True
    if first.lower() in _RESERVED or kind in ("text", "quoted"):
        return False
    return kind != "word" or text.lower() in _RESERVED
