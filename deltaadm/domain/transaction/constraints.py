"""
CHECK constraints, DEFAULT values and generation expressions, as far as they are known without
Spark: the text that Delta stores, and the columns in it. Types are left to Spark.

The sources in delta-io/delta are `DeltaSqlBase.g4`, whose lexer cuts a constraint into tokens
that are stored with spaces between them, and `alterDeltaTableCommands.scala`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from deltaadm.domain import ddl
from deltaadm.domain.properties import Key
from deltaadm.domain.schema import DataType, FieldKey, Path, StructField, StructType, path_text
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError


def constraint_key(name: str) -> str:
    """The property that holds the constraint *name*."""
    # `Constraints.checkConstraintPropertyName` lowers the name; the statement keeps its case.
    return Key.CONSTRAINT_PREFIX + name.lower()


def constraint_names(configuration: Iterable[str]) -> list[str]:
    """The names of the constraints among the keys of *configuration*."""
    return sorted(
        key[len(Key.CONSTRAINT_PREFIX) :]
        for key in configuration
        if key.lower().startswith(Key.CONSTRAINT_PREFIX)
    )


_LEXER: Final = r"""
      (?P<space>[ \r\n\t]+ | --[^\r\n]* | /\*.*?\*/)
    | (?P<text>r?'(?:[^'\\]|\\.|'')*' | r?"(?:[^"\\]|\\.|"")*")
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<number>(?:\d+\.\d*|\.\d+)(?:E[+-]?\d+)?(?:BD|D)?(?!\w) | \d+E[+-]?\d+(?:BD|D)?(?!\w))
    | (?P<word>\w+)
    | (?P<torn>->|=>|::|<<|;|/\*)
    | (?P<sign><=>|==|<>|!=|<=|!>|>=|!<|\|\||[^'"`])
"""


def stored_expression(text: str) -> str:
    r"""
    The expression *text* as Delta stores it, which it also parses it from.

    Words with letters beyond ASCII get backticks, and quotes in texts backslashes: Delta's own
    lexer would tear them apart. Raises `RefusedError` for what it tears apart in any spelling, and
    for brackets or quotes that do not match.

    >>> stored_expression("s.x>0 -- why"), stored_expression("b<>'it''s'")
    ('s . x > 0', "b <> 'it\\'s'")
    """
    tokens = list(_tokens(text))
    depth = 0
    for sign in tokens:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
    if depth or not tokens:
        raise _unreadable(text, "its brackets do not match" if tokens else "it is empty")
    return " ".join(tokens)


def _tokens(text: str) -> Iterator[str]:
    pattern, position = re.compile(_LEXER, re.VERBOSE | re.DOTALL | re.IGNORECASE), 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            raise _unreadable(text, f"the quote at position {position + 1} is not closed")
        if match["torn"]:
            raise _unreadable(text, f"Delta's parser does not accept {match[0]} in a constraint")
        quoted, word = match["text"], match["word"]
        if quoted and (quoted[0] in "rR" or quoted[0] * 2 in quoted[1:-1]):
            yield ddl.literal(ddl.unescaped(quoted))
        elif not match["space"]:
            yield ddl.identifier(word) if word and not word.isascii() else match[0]
        position = match.end()


def _unreadable(text: str, why: str) -> RefusedError:
    return RefusedError(
        f"{text!r} cannot be a constraint: {why}.",
        remedy="Write an expression that is true for every row, for example: amount > 0.",
        delta_error_class="PARSE_SYNTAX_ERROR",
    )


# Columns


def refuse_generation(schema: StructType, field: StructField) -> None:
    """Raise `RefusedError` where the generated column *field* uses a column that it cannot use."""
    expression = str(field.metadata[FieldKey.GENERATION])
    columns = {column.name.lower(): column for column in schema.fields}
    for path in ddl.column_references(expression):
        column = columns.get(path[0].lower())
        if column is None:
            raise RefusedError(
                f"{field.name} is generated from {path_text(path)}, which the table does not have.",
                remedy="Use columns of the table.",
                delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
        if FieldKey.GENERATION in column.metadata:
            raise RefusedError(
                f"{field.name} cannot be generated from {path_text(path)}, which is generated too.",
                remedy="Use columns that are not generated.",
                delta_error_class="UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
            )


def unjudged_expressions(before: Metadata, after: Metadata) -> dict[Path, str]:
    """The expressions of columns that *after* has anew and that are no plain constants."""
    known: dict[tuple[str, str], list[DataType]] = {}
    for _, key, text, data_type in _expressions(before):
        known.setdefault((key, text), []).append(data_type)
    return {
        path: text
        for path, key, text, data_type in _expressions(after)
        if data_type not in known.get((key, text), ())
        and not (key == FieldKey.CURRENT_DEFAULT and ddl.default_fits(data_type, text))
    }


def _expressions(metadata: Metadata) -> Iterator[tuple[Path, str, str, DataType]]:
    keys = (FieldKey.CURRENT_DEFAULT, FieldKey.GENERATION)
    for path, column in metadata.schema.walk() if any(map(metadata.may_mention, keys)) else ():
        for key in keys:
            text = column.metadata.get(key)
            if isinstance(text, str):
                yield path, key, text, column.type
