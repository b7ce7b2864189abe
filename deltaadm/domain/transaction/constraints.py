"""
CHECK constraints and generation expressions, judged without Spark: what Delta takes and stores.

The sources in delta-io/delta are `DeltaSqlBase.g4`, whose lexer cuts the expression into tokens
that are stored with spaces between them, and `alterDeltaTableCommands.scala`. The grammar of
conditions is a part of Spark's `SqlBaseParser.g4`. What this part does not have, or whose type
depends on more than literals and columns, is left to Spark: refusing what Delta accepts would be
worse than accepting what it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from deltaadm.dataclass import dataclass
from deltaadm.domain import ddl
from deltaadm.domain.properties import Key
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    parts,
    path_text,
    type_name,
)
from deltaadm.domain.transaction.checks import is_char
from deltaadm.domain.transaction.columns import is_up_cast
from deltaadm.errors import RefusedError

# The functions of Spark


AGGREGATES: Final = ddl.words(
    """
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine array_agg avg bit_and bit_or bit_xor bitmap_and_agg
    bitmap_construct_agg bitmap_or_agg bool_and bool_or collect_list collect_set corr count
    count_if count_min_sketch covar_pop covar_samp every first first_value histogram_numeric
    hll_sketch_agg hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float
    kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kurtosis last last_value
    listagg max max_by mean median min min_by mode percentile percentile_approx percentile_cont
    percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
    regr_sxy regr_syy schema_of_variant_agg skewness some std stddev stddev_pop stddev_samp
    string_agg sum theta_intersection_agg theta_sketch_agg theta_union_agg try_avg try_sum
    tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_agg_double
    tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer var_pop var_samp
    variance vector_avg vector_sum
    """
)
"""Functions of many rows."""

WINDOW_FUNCTIONS: Final = ddl.words(
    "cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number"
)
"""Functions of a row and those around it."""

SYNTAX: Final = ddl.words(
    """
    all and any array as between by case cast character collate cube dec distinct div else end
    escape except exists extract filter from group grouping having identifier ilike in intersect
    interval is join lateral like map mod not null numeric on or order over overlay partition
    position regexp rlike rollup row select sets similar some struct substr substring table then
    time timestampadd timestampdiff trim try_cast union using values varchar when where with
    within xor
    """
)
"""Words that may stand before a bracket as part of the grammar."""


# Conditions


NUMERIC: Final = frozenset({"integral", "decimal", "fractional"})
_TEMPORAL: Final = frozenset({"date", "timestamp", "timestamp_ntz"})
_CONTAINERS: Final[Mapping[type, str]] = {ArrayType: "array", MapType: "map", StructType: "struct"}
_NESTED_KINDS: Final = frozenset(_CONTAINERS.values())
_NEVER_TRUTH: Final = NUMERIC | _TEMPORAL | _NESTED_KINDS | {"binary", "interval"}
"""Kinds that neither are boolean nor become boolean where a condition is wanted."""
_KINDS: Final = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "integral"),
    **dict.fromkeys(("float", "double"), "fractional"),
}
"""The kinds of primitive types that are of one with others."""
_COMPARISONS: Final = frozenset({"=", "==", "<=>", "<>", "!=", "<", "<=", "!>", ">", ">=", "!<"})


@dataclass(frozen=True)
class Operand:
    """A part of an expression: the *kind* of its type, and the type itself where it is known."""

    kind: str | None = None
    type: DataType | None = None


_UNKNOWN: Final = Operand()
_TRUTH: Final = Operand("boolean")


class _UnjudgedError(Exception):
    """The expression has something that this grammar does not have."""


def is_certain_condition(schema: StructType, text: str) -> bool:
    """
    Whether *text* certainly is a condition on rows with *schema*; False where only Spark can tell.

    Raises `RefusedError` with the error class of Delta or Spark where it certainly is none.
    """
    tokens = list(_tokens(text))
    for before, word, after in zip(("", *tokens), tokens, (*tokens[1:], ""), strict=False):
        name = word.lower()
        if after == "(" and before != "." and name in (AGGREGATES | WINDOW_FUNCTIONS) - SYNTAX:
            error_class = "INVALID_WHERE_CONDITION"
            if any(token.lower() == "over" for token in tokens):
                error_class = "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE"
            elif name in WINDOW_FUNCTIONS:
                error_class = "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"
            raise RefusedError(
                f"A constraint cannot use the function {name}, which is computed over many rows.",
                remedy="Write a condition on the columns of one row.",
                delta_error_class=error_class,
            )
    parser = _Parser(tokens, schema)
    try:
        condition = parser.whole()
    except (_UnjudgedError, RecursionError):
        return False
    if condition.kind not in (None, "boolean"):
        raise RefusedError(
            f"The expression is not a condition: {_described(condition)} "
            "is neither true nor false.",
            remedy="Write an expression that is true for every row, for example: amount > 0.",
            delta_error_class="DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
        )
    return condition.kind == "boolean" and parser.is_sure


def _described(operand: Operand) -> str:
    kind = "null" if operand.kind == "void" else operand.kind or "unknown"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} value"


# Types


def kind_of(data_type: DataType) -> str | None:
    """The kind of *data_type*: types of one kind can stand for each other in comparisons."""
    if not isinstance(data_type, PrimitiveType):
        return _CONTAINERS[type(data_type)]
    name = data_type.name
    if name.startswith("decimal"):
        return "decimal"
    # What these compare with depends on more than the kind, so Spark is left to judge.
    if name.startswith(("interval", "geo", "char", "varchar", "time(")):
        return None
    return _KINDS.get(name, name)


def _of(data_type: DataType) -> Operand:
    return Operand(kind_of(data_type), data_type)


def _group(kind: str) -> str:
    return "number" if kind in NUMERIC else "time" if kind in _TEMPORAL else kind


_WITH_NUMBERS_AS_TRUTH: Final = frozenset({"=", "==", "<=>", "<>", "!=", "IN", "IS DISTINCT FROM"})
"""Operators by which Spark compares conditions with numbers if ANSI mode is off."""


def _has_no_order(operand: Operand) -> bool:
    """Whether values have neither order nor equality in Spark, as maps and variants have none."""
    inner = () if operand.type is None else all_types(operand.type)
    return any(isinstance(part, MapType) or kind_of(part) == "variant" for part in inner)


# The grammar

_INTEGER: Final = r"\d+[LSYlsy]?"
_NUMBER: Final = rf"(?i:{ddl.DIGITS}(E[+-]?\d+)?(BD|D|F)?)"
# Longer numbers may overflow the type that Spark gives them, which only Spark can judge.
_SAFE_DIGITS: Final = 18
_RESERVED_IN_CONDITIONS: Final = ddl.RESERVED | {"time"}


def _is_word(token: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", token) is not None


class _Parser:
    """
    One pass over the tokens, by precedence as in Spark's grammar.

    `is_sure` is False once something was read whose types were not judged.
    """

    def __init__(self, tokens: Sequence[str], schema: StructType) -> None:
        self._tokens = tokens
        self._schema = schema
        self._position = 0
        self.is_sure = True

    def whole(self) -> Operand:
        """The whole expression; raises `_UnjudgedError` where the grammar ends before it."""
        operand = self._or()
        self._take("as")
        name = self._peek()
        if name.startswith("`") or (_is_word(name) and name not in _RESERVED_IN_CONDITIONS):
            self._position += 1
        if self._position < len(self._tokens):
            raise _UnjudgedError
        return operand

    def _peek(self, ahead: int = 0) -> str:
        place = self._position + ahead
        return self._tokens[place].lower() if place < len(self._tokens) else ""

    def _take(self, *words: str) -> bool:
        if self._peek() not in words:
            return False
        self._position += 1
        return True

    def _require(self, word: str) -> None:
        if not self._take(word):
            raise _UnjudgedError

    # Conditions

    def _or(self) -> Operand:
        return self._joined(lambda: self._joined(self._not, "and"), "or")

    def _joined(self, operand: Callable[[], Operand], word: str) -> Operand:
        first = operand()
        while self._take(word):
            self._require_truth(first, word.upper())
            self._require_truth(operand(), word.upper())
            first = _TRUTH
        return first

    def _not(self) -> Operand:
        if self._take("not", "!"):
            self._require_truth(self._not(), "NOT")
            return _TRUTH
        value = self._comparison()
        negated = self._peek() == "not"
        word = self._peek(1) if negated else self._peek()
        if word not in _PREDICATES:
            return value
        self._position += 1 + negated
        if word == "is":
            self._is(value)
        elif word == "between":
            self._compare(value, self._comparison(), "BETWEEN")
            self._require("and")
            self._compare(value, self._comparison(), "BETWEEN")
        elif word == "in":
            self._require("(")
            if self._peek() in ("select", "with", "from", "values", "table"):
                raise _UnjudgedError
            self._compare(value, self._or(), "IN")
            while self._take(","):
                self._compare(value, self._or(), "IN")
            self._require(")")
        else:
            if value.kind in _NESTED_KINDS:
                raise _mismatched_argument(word.upper(), value)
            if self._peek() in ("any", "all", "some"):
                raise _UnjudgedError
            self._comparison()
            if self._take("escape"):
                self._position += 1
            self.is_sure = False
        return _TRUTH

    def _require_truth(self, operand: Operand, word: str) -> None:
        if operand.kind in _NEVER_TRUTH:
            raise RefusedError(
                f"{word} takes conditions, not {_described(operand)}.",
                remedy="Compare the value with another one, for example: amount > 0.",
                delta_error_class="DATATYPE_MISMATCH",
            )
        if operand.kind != "boolean":
            self.is_sure = False

    def _is(self, value: Operand) -> None:
        self._take("not")
        if self._take("null"):
            return
        if self._take("true", "false", "unknown"):
            self._compare(value, _TRUTH, "<=>")
            return
        self._require("distinct")
        self._require("from")
        self._compare(value, self._comparison(), "IS DISTINCT FROM")

    def _compare(self, left: Operand, right: Operand, sign: str) -> None:
        kinds = {left.kind, right.kind}
        if len(kinds) > 1 or kinds & {None, "variant", *_NESTED_KINDS}:
            self.is_sure = self.is_sure and kinds <= NUMERIC
        if left.kind is None or right.kind is None:
            return
        unordered = left if _has_no_order(left) and right.kind in (left.kind, "void") else None
        if _has_no_order(right) and left.kind == "void":
            unordered = right
        if unordered is not None:
            raise RefusedError(
                f"{sign} cannot be applied to {_described(unordered)}: Spark compares neither maps "
                "nor variants, nor what contains them.",
                remedy="Compare parts of the value, for example: m['key'] = 1.",
                delta_error_class="DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            )
        groups = {_group(left.kind), _group(right.kind)}
        # Spark may cast strings and binary values to a simple type, never to a container.
        loose = {"void", "variant", "interval"}
        if not groups & _NESTED_KINDS:
            loose |= {"string", "binary"}
        as_truth = groups == {"boolean", "number"} and sign in _WITH_NUMBERS_AS_TRUTH
        if len(groups) > 1 and not as_truth and not groups & loose:
            sub_class = ".BINARY_OP_DIFF_TYPES" if sign in _COMPARISONS else ""
            raise RefusedError(
                f"{sign} cannot be applied to {_described(left)} and {_described(right)}.",
                remedy="Compare values of the same type, with CAST where needed.",
                delta_error_class=f"DATATYPE_MISMATCH{sub_class}",
            )

    # Values

    def _comparison(self) -> Operand:
        left = self._computed()
        while (sign := self._peek()) in _COMPARISONS:
            self._position += 1
            self._compare(left, self._computed(), sign)
            left = _TRUTH
        return left

    def _computed(self, level: int = 0) -> Operand:
        """The operators on two numbers, from the weakest on; overflow is not considered."""
        if level == len(_OPERATORS):
            return self._signed()
        left = self._computed(level + 1)
        while (sign := self._peek()) in _OPERATORS[level]:
            self._position += 1
            right = self._computed(level + 1)
            self.is_sure = False
            if sign != "||" and left.kind in NUMERIC and right.kind in NUMERIC:
                left = Operand(left.kind if left.kind == right.kind else "fractional")
            else:
                left = _UNKNOWN
        return left

    def _signed(self) -> Operand:
        if self._peek() in ("-", "+", "~"):
            self._position += 1
            sign = self._tokens[self._position - 1]
            operand = self._signed()
            if sign == "-" and operand.kind in _NESTED_KINDS:
                raise _mismatched_argument(sign, operand)
            if operand.kind in NUMERIC:
                return Operand(operand.kind)
            self.is_sure = False
            return _UNKNOWN
        operand = self._primary()
        while self._peek() in (".", "[", ":", "::"):
            if not self._take("["):
                raise _UnjudgedError
            self._or()
            self._require("]")
            self.is_sure = False
            # The last part is the element of an array, or the value of a map.
            inner = parts(operand.type) if isinstance(operand.type, ArrayType | MapType) else ()
            operand = _of(inner[-1].type) if inner else _UNKNOWN
        if self._peek() in ("over", "filter", "collate", "within"):
            raise _UnjudgedError
        return operand

    def _primary(self) -> Operand:
        if self._take("("):
            operand = self._or()
            self._require(")")
            return operand
        token = self._tokens[self._position] if self._position < len(self._tokens) else ""
        self._position += 1
        if token[:1] in ("'", '"'):
            while self._peek()[:1] in ("'", '"'):
                self._position += 1
            return Operand("string")
        is_integer = re.fullmatch(_INTEGER, token) is not None
        if is_integer or re.fullmatch(_NUMBER, token):
            if len(token) > _SAFE_DIGITS:
                raise _UnjudgedError
            self.is_sure = self.is_sure and token[-1].isdecimal()
            exact = token.upper().endswith("BD") or not re.search(r"[EDF]", token.upper())
            kind = "decimal" if exact else "fractional"
            return Operand("integral" if is_integer else kind)
        word = token.lower()
        if word in _CONSTANTS:
            return Operand(_CONSTANTS[word])
        following = self._peek()
        if following[:1] in ("'", '"'):  # a literal with its type
            raise _UnjudgedError
        if following == "(":
            if word == "cast":
                return self._cast()
            if word.startswith("`") or (word in SYNTAX and word not in _CUTS):
                raise _UnjudgedError
            start = self._position
            self._require("(")
            try:
                first = self._or()
            except _UnjudgedError:
                first = _UNKNOWN
            is_text = first.kind == "string" and self._peek() in (",", ")")
            self._position = start
            self._skip()
            self.is_sure = False
            return Operand("string") if word in _CUTS and is_text else _UNKNOWN
        if token.startswith("`") or (_is_word(token) and word not in _RESERVED_IN_CONDITIONS):
            return self._column(token)
        raise _UnjudgedError

    def _cast(self) -> Operand:
        self._require("(")
        value = self._or()
        self._require("as")
        start = self._position
        while self._peek() not in ("", ")"):
            self._skip()
        try:
            data_type = ddl.parse_type(" ".join(self._tokens[start : self._position]))
        except RefusedError:
            raise _UnjudgedError from None
        self._require(")")
        self.is_sure = False
        operand = _of(data_type)
        if value.kind in _NESTED_KINDS and operand.kind in NUMERIC | _TEMPORAL:
            raise RefusedError(
                f"{_described(value)} cannot be cast to {type_name(data_type)}.".capitalize(),
                remedy="Cast a part of the value, for example values[0].",
                delta_error_class="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            )
        return operand

    def _skip(self) -> None:
        """Go past the next token, or past all between brackets."""
        depth = 0
        while self._position < len(self._tokens):
            depth += (self._peek() == "(") - (self._peek() == ")")
            self._position += 1
            if not depth:
                break

    def _column(self, token: str) -> Operand:
        """The column; unjudged where maps, variants or arrays of structs are on the way."""
        path = [ddl.unquoted(token)]
        while self._peek() == "." and self._peek(1) not in ("", "*"):
            path.append(ddl.unquoted(self._tokens[self._position + 1]))
            self._position += 2
        if self._peek() == "(":
            raise _UnjudgedError
        level: DataType = self._schema
        for depth, name in enumerate(path):
            if isinstance(level, PrimitiveType) and level.name != "variant":
                raise _no_field(path[:depth], name, "INVALID_EXTRACT_BASE_FIELD_TYPE")
            if isinstance(level, ArrayType) and not isinstance(level.element, StructType):
                raise _no_field(path[:depth], name, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE")
            if not isinstance(level, StructType):
                raise _UnjudgedError
            fields = [field for field in level.fields if field.name.lower() == name.lower()]
            if not fields and depth:
                raise _no_field(path[:depth], name, "FIELD_NOT_FOUND")
            if len(fields) != 1:
                raise _UnjudgedError
            level = fields[0].type
        return _of(level)


_CUTS: Final = frozenset({"left", "substr", "substring", "trim"})
"""Functions that give a part of a text, of which three have a syntax of their own as well."""
_OPERATORS: Final = (("&", "|", "^"), ("+", "-", "||"), ("*", "/", "%", "div"))
"""The operators on two numbers by precedence, the weakest first."""
_PREDICATES: Final = frozenset({"between", "in", "is", "like", "ilike", "regexp", "rlike"})
_CONSTANTS: Final = {
    "current_date": "date", "current_timestamp": "timestamp", "false": "boolean", "null": "void",
    "true": "boolean",
}  # fmt: skip


def _mismatched_argument(name: str, given: Operand) -> RefusedError:
    return RefusedError(
        f"{name} cannot be applied to {_described(given)}.",
        remedy="Use a part of the value, for example values[0], or another function.",
        delta_error_class="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
    )


def _no_field(path: Sequence[str], name: str, error_class: str) -> RefusedError:
    return RefusedError(
        f"The constraint uses the field {name}, which {path_text(tuple(path))} does not have.",
        remedy="List the columns with: `deltaadm inspect TABLE --columns`.",
        delta_error_class=error_class,
    )


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


# Generation


def refuse_generation(schema: StructType, field: StructField) -> None:
    """Raise `RefusedError` where the expression of the generated column *field* will not do."""
    expression = str(field.metadata[FieldKey.GENERATION])
    references = ddl.column_references(expression)
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
    parser = _Parser(list(_tokens(expression)), schema)
    try:
        value = parser.whole()
    except (_UnjudgedError, RecursionError, RefusedError):
        return  # which only Spark can judge
    kind, wanted = value.kind, kind_of(field.type)
    if value.type is not None:
        actual, declared = value.type, field.type
        if not isinstance(actual, PrimitiveType) or not isinstance(declared, PrimitiveType):
            return
        if actual == declared or is_char(actual) or is_char(declared):
            return
        if not is_up_cast(actual.name, declared.name):
            raise _unsupported(field, f"its type is {type_name(actual)}, not {type_name(declared)}")
        raise _mismatch(field, type_name(actual))
    # Of types within a kind only Spark can tell.
    texts = kind == "string" and wanted in NUMERIC | {"boolean", "date", "timestamp", "binary"}
    if texts or (kind in NUMERIC and wanted in {"boolean", "date", "binary"}):
        what = "texts" if texts else "numbers"
        raise _unsupported(field, f"its values are {what}, not of the type {type_name(field.type)}")
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
