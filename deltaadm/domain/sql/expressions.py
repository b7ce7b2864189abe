"""SQL expressions, as far as they are known without Spark: their columns, and constants."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Final

from deltaadm.domain.schema import DataType, Path, PrimitiveType
from deltaadm.domain.sql.ddl import unquoted, words

_LEXER: Final = r"""
      (?P<space>\s+)
    | (?P<text>[rR]?'(?:[^'\\]|\\.|'')*' | [rR]?"(?:[^"\\]|\\.|"")*")
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[LSYDFlsydf]|BD|bd)?)
    | (?P<comment>--|/\*)
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>[^\W\d]\w*)
    | (?P<arrow>->|=>|:)
    | (?P<sign>[-+*/%<>=!|&^~?().,\[\];])
"""


RESERVED: Final = words(
    """
    all and anti any array as asc at between both by case cast collate cross cube current
    current_catalog current_database current_date current_schema current_time current_timestamp
    current_user date desc distinct div else end escape except exists extract false filter for
    from full group having ilike in inner intersect interval into is join lateral leading left
    like localtimestamp map minus natural not null of on only or order outer over overlaps
    position regexp right rlike row select session_user similar some struct table then
    timestamp timestamp_ltz timestamp_ntz to trailing trim true union unknown user using values
    when where with within
    """
)
"""Words that Spark reserves, in lower case: no column has one as its name without backticks."""
_RESERVED: Final = RESERVED | words(
    """
    bigint binary boolean byte char character day dayofyear days dec decimal double first float
    following hour hours ignore int integer last long microsecond microseconds millisecond
    milliseconds minute minutes month months named_struct nanosecond nanoseconds nulls numeric
    partition preceding quarter range real respect rows second seconds short smallint string
    substr substring symmetric tinyint try_cast unbounded value varchar variant void week weeks
    window year years
    """
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
    tokens: list[tuple[str, str]] = []
    pattern, position = re.compile(_LEXER, re.VERBOSE | re.DOTALL), 0
    while position < len(expression):
        match = pattern.match(expression, position)
        if match is None or match.lastgroup in ("arrow", "comment"):
            return ()
        if match.lastgroup != "space":
            tokens.append((match.lastgroup or "", match[0]))
        position = match.end()
    paths: list[Path] = []
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
            paths.append(tuple(map(unquoted, parts)))
        if parts:
            before = parts[-1]
            after_operand = before.startswith("`") or before.lower() not in _RESERVED
        else:
            kind, before = tokens[position]
            after_operand = kind in ("text", "number") or before in (")", "]")
            position += 1
    return tuple(paths)


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


# Constants


_BITS: Final = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def is_constant_of(data_type: DataType, text: str) -> bool:
    """
    Whether *text* is certainly a constant that a column of *data_type* can have.

    >>> [is_constant_of(PrimitiveType("byte"), text) for text in ("-128", "128", "1+1", "null")]
    [True, False, False, True]
    >>> [is_constant_of(PrimitiveType(name), "'it''s'") for name in ("string", "date")]
    [True, False]
    """
    if text.upper() == "NULL" or not isinstance(data_type, PrimitiveType):
        return text.upper() == "NULL"
    name = data_type.name
    if name == "boolean":
        return text.upper() in {"TRUE", "FALSE"}
    # Not with a backslash: Spark's settings decide whether it begins an escape.
    if name == "string":
        return re.fullmatch(r"'(?:[^'\\]|'')*'", text) is not None
    if name == "date":
        match = re.fullmatch(r"DATE\s*'(\d{4}-\d\d-\d\d)'", text, re.IGNORECASE | re.ASCII)
        with suppress(ValueError):
            return match is not None and bool(date.fromisoformat(match[1]))
        return False
    number = re.fullmatch(r"[-+]?(\d+)(?:\.(\d+))?", text, re.ASCII)
    return number is not None and _fits(name, text, *number.groups())


def is_iceberg_default(data_type: DataType, text: str) -> bool:
    """
    Whether Delta may hand *text* on to Iceberg as a default: a plain literal of the very type.

    >>> [is_iceberg_default(PrimitiveType("integer"), text) for text in ("-7", "7L", "1 + 1")]
    [True, False, False]
    """
    name = data_type.name if isinstance(data_type, PrimitiveType) else ""
    form = _ICEBERG_DEFAULTS.get(
        "decimal" if name.startswith("decimal") else name, r"(?!(?i:NULL)$).*"
    )
    return re.fullmatch(form, text.strip(), re.DOTALL) is not None


_WHOLE: Final = r"[-+]?\d+"
_ANY_NUMBER: Final = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?i:BD|D|F)?"
_ANY_TEXT: Final = r"'.*'|\".*\""
_ICEBERG_DEFAULTS: Final = {
    **dict.fromkeys(("byte", "short", "integer"), _WHOLE),
    "long": f"{_WHOLE}L?",
    **dict.fromkeys(("float", "double", "decimal"), _ANY_NUMBER),
    "boolean": "(?i:true|false)",
    "binary": r"[xX]'.*'",
    **dict.fromkeys(("string", "date", "timestamp", "timestamp_ntz"), _ANY_TEXT),
}


def refused_default(data_type: DataType, text: str) -> str | None:
    """
    The error class with which Spark certainly refuses the literal *text* as a default.

    None for what it takes, and for what only Spark can tell.

    >>> refused_default(PrimitiveType("byte"), "300"), refused_default(PrimitiveType("byte"), "3")
    ('INVALID_DEFAULT_VALUE.DATA_TYPE', None)
    """
    kind = next((kind for kind, form in _LITERALS.items() if re.fullmatch(form, text)), None)
    if kind is None:
        return None
    if kind == "word":
        constant = text.lower() in _CONSTANT_WORDS
        return None if constant else "INVALID_DEFAULT_VALUE.NOT_CONSTANT"
    fits = _takes(kind, data_type.name, text) if isinstance(data_type, PrimitiveType) else False
    return None if fits else "INVALID_DEFAULT_VALUE.DATA_TYPE"


_LITERALS: Final = {
    "cast": r"(?i:cast)\s*\((?:[^()']|'[^']*')+\s(?i:as\s+(?:tinyint|smallint|int|bigint))\s*\)",
    "integer": r"[-+]?\d+L?",
    "fraction": r"[-+]?(?:\d+\.\d*|\.\d+)D?|[-+]?\d+[eE]\d+",
    "text": r"'[^'\\]*'",
    "boolean": r"(?i:true|false)",
    "binary": r"[xX]'[0-9a-fA-F]*'",
    "date": r"(?i:date)\s*'\d{4}-\d\d-\d\d'",
    "word": r"(?!(?i:null|true|false)$)[A-Za-z_]\w*",
}
_CONSTANT_WORDS: Final = words(
    """
    current_catalog current_database current_date current_schema current_time current_timestamp
    current_user localtimestamp session_user user
    """
)
"""Functions that are called without brackets and so look like column names."""
_NEVER_NUMBERS: Final = frozenset({"boolean", "date", "timestamp_ntz"})
_STRINGS: Final = ("string", "char(", "varchar(")


def _takes(kind: str, name: str, text: str) -> bool:
    """Whether Spark may take a literal of *kind* for a column of the type *name*."""
    if name.startswith(_STRINGS) or (name not in _KNOWN and not name.startswith("decimal")):
        return True
    numeric = name in _BITS or name in {"float", "double"} or name.startswith("decimal")
    if kind == "integer":
        number = text.rstrip("L").lstrip("+")
        return name not in _NEVER_NUMBERS and _in_range(name, int(number))
    if kind in {"cast", "fraction"}:
        return name not in _NEVER_NUMBERS | ({"binary"} if kind == "fraction" else set())
    if kind == "text":
        return _is_read_as(name, text[1:-1].strip(), numeric=numeric)
    return name == kind or (kind == "date" and name in {"timestamp", "timestamp_ntz"})


_KNOWN: Final = frozenset({*_BITS, *_NEVER_NUMBERS, "float", "double", "timestamp", "binary"})


def _in_range(name: str, number: int) -> bool:
    if name in _BITS:
        most = 1 << (_BITS[name] - 1)
        return -most <= number < most
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    return decimal is None or abs(number) < 10 ** (int(decimal[1]) - int(decimal[2]))


def _is_read_as(name: str, text: str, *, numeric: bool) -> bool:
    """Whether Spark's casts may make something of *text*; they do not of most words."""
    if numeric:
        special = name in {"float", "double"} and text.lower().lstrip("+-") in _NO_FINITE_NUMBERS
        return special or re.fullmatch(_NUMBER_IN_TEXT, text, re.ASCII) is not None
    if name in {"date", "timestamp", "timestamp_ntz"}:
        # A date begins with a year of four digits or more; a time alone has colons.
        return re.search(r"\d{4}|:", text) is not None or text.lower() in _SPECIAL_TIMES
    return name == "binary"


# The words that Spark's casts of text take beside numbers, dates and times.
_NO_FINITE_NUMBERS: Final = frozenset({"nan", "inf", "infinity"})
_SPECIAL_TIMES: Final = frozenset({"epoch", "now", "today", "tomorrow", "yesterday"})
# Java's parser, which these casts use, takes a suffix d or f.
_NUMBER_IN_TEXT: Final = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[dDfF]?"


def _fits(name: str, text: str, whole: str, fraction: str | None) -> bool:
    if name in _BITS:
        return fraction is None and _in_range(name, int(text))
    if name in {"float", "double"}:
        return len(whole) + len(fraction or "") <= _EXACT
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    if decimal is None:
        return False
    precision, scale = int(decimal[1]), int(decimal[2])
    return len(whole) <= precision - scale and len(fraction or "") <= scale


_EXACT: Final = 9
"""Digits of a number of which a float has a value, whatever is before and after the point."""
