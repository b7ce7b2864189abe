"""
CHECK constraints: which texts Delta takes for one, and how it stores them.

The sources in delta-io/delta are `DeltaSqlBase.g4`, whose lexer cuts the expression into tokens
that are stored with spaces between them, and `alterDeltaTableCommands.scala`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from deltaadm.domain.properties import Key
from deltaadm.domain.schema import (
    FieldKey,
    PrimitiveType,
    StructField,
    StructType,
    path_text,
    type_name,
)
from deltaadm.domain.sql.conditions import (
    NUMERIC,
    Operand,
    judge_condition,
    judge_expression,
    kind_of,
)
from deltaadm.domain.sql.ddl import identifier, literal, unescaped
from deltaadm.domain.sql.expressions import column_references
from deltaadm.domain.transaction.checks import CHAR_TYPE
from deltaadm.domain.transaction.columns import is_up_cast
from deltaadm.errors import RefusedError


def constraint_key(name: str) -> str:
    """The property that holds the constraint *name*."""
    # `Constraints.checkConstraintPropertyName` lowers the name; the statement keeps its case.
    return Key.CONSTRAINT_PREFIX + name.lower()


def is_certain_condition(schema: StructType, text: str) -> bool:
    """
    Whether *text* certainly is a condition on rows with *schema*; False where only Spark can tell.

    Raises `RefusedError` with the error class of Delta or Spark where it certainly is none.
    """
    return judge_condition(list(_tokens(text)), schema)


def value_of_expression(schema: StructType, text: str) -> Operand:
    """Return the kind of value of *text* on rows of *schema*, as far as known without Spark."""
    return judge_expression(list(_tokens(text)), schema)


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
    | (?P<torn>->|=>|::|<<|;)
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
            yield literal(unescaped(quoted))
        elif not match["space"]:
            yield identifier(word) if word and not word.isascii() else match[0]
        position = match.end()


def _unreadable(text: str, why: str) -> RefusedError:
    return RefusedError(
        f"{text!r} cannot be a constraint: {why}.",
        remedy="Write an expression that is true for every row, for example: amount > 0.",
        delta_error_class="PARSE_SYNTAX_ERROR",
    )


# Generation


def refuse_generation(schema: StructType, field: StructField) -> None:
    """Raise `RefusedError` where the expression of the generated column *field* will not do."""
    expression = str(field.metadata[FieldKey.GENERATION])
    references = column_references(expression)
    columns = {column.name.lower(): column for column in schema.fields}
    for path in references:
        column = columns.get(path[0].lower())
        if column is None:
            raise RefusedError(
                f"{field.name} is generated from {path_text(path)}, which the table does not have.",
                remedy="Use columns of the table.",
                delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
        if FieldKey.GENERATION in column.metadata:
            raise _unsupported(field, "it uses a generated column")
    value = value_of_expression(schema, expression)
    kind, wanted = value.kind, kind_of(field.type)
    if value.type is not None:
        actual, declared = value.type, field.type
        if not isinstance(actual, PrimitiveType) or not isinstance(declared, PrimitiveType):
            return
        if actual == declared or any(CHAR_TYPE.fullmatch(of.name) for of in (actual, declared)):
            return
        if not is_up_cast(actual.name, declared.name):
            raise _unsupported(field, f"its type is {type_name(actual)}, not {type_name(declared)}")
        raise _mismatch(field, type_name(actual))
    # Of types within a kind only Spark can tell.
    if kind == "string" and wanted in NUMERIC | {"boolean", "date", "timestamp", "binary"}:
        raise _unsupported(field, f"its values are texts, not of the type {type_name(field.type)}")
    if kind in NUMERIC and wanted in {"boolean", "date", "binary"}:
        raise _unsupported(field, f"its values are numbers, and no {wanted} values")
    if kind in NUMERIC | {"boolean", "date", "timestamp"} and wanted == "string":
        raise _mismatch(field, f"{kind} values")


def _mismatch(field: StructField, actual: str) -> RefusedError:
    return RefusedError(
        f"{field.name} has the type {type_name(field.type)}, its expression has {actual}.",
        remedy="Declare the column with the type of its expression, or add a CAST.",
        delta_error_class="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
    )


def _unsupported(field: StructField, why: str) -> RefusedError:
    return RefusedError(
        f"{field.name} cannot be generated as {field.metadata[FieldKey.GENERATION]!r}: {why}.",
        remedy="Use columns that are not generated, and functions of Spark whose results they "
        "alone determine.",
        delta_error_class="UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
    )
