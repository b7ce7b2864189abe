"""
Columns, types and expressions as Spark SQL writes them, read to and written from Delta's types.

The grammar is that of Spark 4.2 (`SqlBaseParser.g4`: `colDefinition`, `dataType`) for
CREATE TABLE, and `qualifiedColTypeWithPosition` for ADD COLUMN.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar

from deltaadm.dataclass import dataclass
from deltaadm.domain.schema import (
    HIGHEST_PRECISION,
    ArrayType,
    DataType,
    FieldKey,
    MapType,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    decimal_digits,
    folded,
)
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.errors import RefusedError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

# Names and texts


def identifier(name: str) -> str:
    """*name* in backticks."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """*text* as a Spark string literal; characters that do not print are written as escapes."""
    escaped = ""
    for character in text:
        # `$` starts a variable where `spark.sql.variable.substitute` is on.
        if character == "$" or is_hidden(character):
            code = ord(character)
            escaped += f"\\u{code:04x}" if code <= _LAST_OF_FOUR_DIGITS else f"\\U{code:08x}"
        else:
            escaped += f"\\{character}" if character in "\\'" else character
    return f"'{escaped}'"


def path_sql(path: Sequence[str]) -> str:
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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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

    def meant(escape: re.Match[str]) -> str:
        short, long, octal, other = escape.groups()
        if code := short or long:
            return chr(int(code, 16)) if int(code, 16) <= _LAST_CHARACTER else escape[0]
        if octal:
            return chr(int(octal, 8))
        # The backslash of the escapes of LIKE stays.
        return escape[0] if other in "%_" else _CONTROLS.get(other, other)

    return re.sub(_ESCAPE, meant, text[1:-1].replace(text[0] * 2, text[0]), flags=re.DOTALL)


_LAST_OF_FOUR_DIGITS: Final = 0xFFFF
_ESCAPE: Final = r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))"
_CONTROLS: Final = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_LAST_CHARACTER: Final = 0x10FFFF


# Columns and types


_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Position:
    """The position of a column: after the column called *after*, or first (None)."""

    after: str | None = None


@dataclass(frozen=True)
class ColumnDefinition:
    """A column for ADD COLUMN in the struct *parent*, or the table; *position* None is last."""

    column: StructField
    parent: Path = ()
    position: Position | None = None


def parse_columns(text: str) -> StructType:
    """
    The columns of a table, as between the brackets of CREATE TABLE.

    COMMENT, DEFAULT, GENERATED ALWAYS AS and AS IDENTITY become the field's metadata; Spark
    computes `EXISTS_DEFAULT`, so it is known after the commit. Raises `RefusedError` for what Spark
    would not parse, with the position and what would be right there.

    >>> parse_columns("id BIGINT NOT NULL").to_json()
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}}]}'
    """
    return _parse(text, lambda reader: StructType(tuple(_listed(reader, _column))))


def parse_type(text: str) -> DataType:
    """
    One data type; raises `RefusedError` like `parse_columns`.

    >>> parse_type("map<string, decimal(10, 2)>").value.name
    'decimal(10,2)'
    """
    return _parse(text, _type)


def parse_definitions(text: str) -> tuple[ColumnDefinition, ...]:
    """
    Columns to add: `s.x INT COMMENT 'why' AFTER y, z STRING`.

    Dots lead into structs, and into arrays and maps through `element`, `key` and `value`. Raises
    `RefusedError` like `parse_columns`.
    """
    return _parse(text, lambda reader: tuple(_listed(reader, _definition)))


def parse_column_list(text: str) -> list[Path]:
    """Columns with commas between them; raises `RefusedError` like `parse_columns`."""
    return _parse(text, lambda reader: [tuple(path) for path in _listed(reader, _path)])


def parse_move(text: str) -> tuple[Path, Position]:
    """A column and where it goes, `s.x AFTER y`; raises `RefusedError` like `parse_columns`."""
    return _parse(text, lambda reader: (tuple(_path(reader)), _place(reader)))


def parse_position(text: str) -> Position:
    """`FIRST`, or `AFTER` a column; raises `RefusedError` like `parse_columns`."""
    return _parse(text, _place)


def parse_default(text: str) -> str:
    """
    An expression for SET DEFAULT, without what surrounds it.

    Raises `RefusedError` for none, for brackets that do not match, and for a comma outside of them.
    """
    return _parse(text, lambda reader: _expression(reader, lambda rest: rest.ahead(",")))


def type_sql(data_type: DataType) -> str:
    """*data_type* as `parse_type` reads it; SQL cannot say that an array or a map has no nulls."""
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{type_sql(data_type.element)}>"
    if isinstance(data_type, MapType):
        return f"MAP<{type_sql(data_type.key)}, {type_sql(data_type.value)}>"
    if isinstance(data_type, StructType):
        inner = ", ".join(
            f"{identifier(column.name)}: {type_sql(column.type)}{_plain_clauses(column)}"
            for column in data_type.fields
        )
        return f"STRUCT<{inner}>"
    name = _WRITTEN.get(data_type.name, data_type.name.upper())
    # SQL names the places of geospatial types by numbers.
    return re.sub(r"\((EPSG|SRID):", "(", name.replace("(OGC:CRS84", "(4326"))


def columns_sql(struct: StructType) -> str:
    """The columns of *struct* as `parse_columns` reads them."""
    return ", ".join(column_sql(column) for column in struct.fields)


def column_sql(column: StructField, name: str | None = None) -> str:
    """Return the SQL of a column with all its clauses, under the already quoted *name* if given."""
    metadata, computed = column.metadata, ""
    if FieldKey.GENERATION in metadata:
        computed = f" GENERATED ALWAYS AS ({metadata[FieldKey.GENERATION]})"
    elif FieldKey.CURRENT_DEFAULT in metadata:
        computed = f" DEFAULT {metadata[FieldKey.CURRENT_DEFAULT]}"
    elif FieldKey.IDENTITY_START in metadata:
        how = "BY DEFAULT" if metadata.get(FieldKey.IDENTITY_EXPLICIT) else "ALWAYS"
        start, step = metadata[FieldKey.IDENTITY_START], metadata.get(FieldKey.IDENTITY_STEP, 1)
        computed = f" GENERATED {how} AS IDENTITY (START WITH {start} INCREMENT BY {step})"
    quoted = name or identifier(column.name)
    return f"{quoted} {type_sql(column.type)}{_plain_clauses(column)}{computed}"


def definition_sql(definition: ColumnDefinition) -> str:
    """*definition* as `parse_definitions` reads it."""
    column, position = definition.column, definition.position
    name = ".".join(map(identifier, (*definition.parent, column.name)))
    return column_sql(column, name) + (f" {position_sql(position)}" if position else "")


def position_sql(position: Position) -> str:
    """*position* as `parse_position` reads it."""
    return "FIRST" if position.after is None else f"AFTER {identifier(position.after)}"


def _plain_clauses(column: StructField) -> str:
    comment = column.metadata.get(FieldKey.COMMENT)
    return ("" if column.nullable else " NOT NULL") + (
        "" if comment is None else f" COMMENT {literal(str(comment))}"
    )


# Reading tokens


class _Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """Its text in capitals where it may be a keyword."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


_LEXER: Final = r"""
      (?P<space>\s+ | --[^\r\n]* | /\*.*?\*/)
    | (?P<text>[rR]?'(?:[^'\\]|\\.|'')*' | [rR]?"(?:[^"\\]|\\.|"")*")
    | (?P<number>[0-9]+(?!\w))
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<word>\w+)
    | (?P<open>['"].* | /\*.*)
    | (?P<sign><=>|->|=>|.)
"""
"""Of what is not closed, the rest is one token: each mark in it would look for its end again."""


class _Reader:
    """Tokens in order, the text they are from, and what to say where they are not right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            _Token("sign", match[0][0], match.start())
            if match.lastgroup == "open"
            else _Token(match.lastgroup, match[0], match.start())
            for match in re.finditer(_LEXER, text, re.VERBOSE | re.DOTALL)
            if match.lastgroup and match.lastgroup != "space"
        ]
        self.tokens.append(_Token("end", "", len(text)))
        self._next = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self._next]

    @property
    def previous(self) -> _Token:
        return self.tokens[self._next - 1]

    def ahead(self, *words: str) -> bool:
        """Whether *words* come next."""
        coming = self.tokens[self._next : self._next + len(words)]
        return tuple(token.word for token in coming) == words

    def take(self) -> _Token:
        taken = self.next
        self._next = min(self._next + 1, len(self.tokens) - 1)
        return taken

    def accept(self, *words: str) -> bool:
        """Go past *words* if they come next."""
        is_ahead = self.ahead(*words)
        for _ in words if is_ahead else ():
            self.take()
        return is_ahead

    def expect(self, *words: str) -> None:
        if not self.accept(*words):
            raise self.wrong(" ".join(words))

    def wrong(
        self,
        expected: str,
        remedy: str = "",
        at: _Token | None = None,
        error_class: str = "PARSE_SYNTAX_ERROR",
    ) -> RefusedError:
        token = at or self.next
        token_text = repr(token.text) if token.kind != "end" else "the end of the text"
        return RefusedError(
            f"Spark SQL cannot parse {_shown(self.text)}: expected {expected} at position "
            f"{token.start + 1}, found {token_text}.",
            remedy=remedy or "For example: id BIGINT NOT NULL COMMENT 'key', tags ARRAY<STRING>.",
            delta_error_class=error_class,
        )


def _shown(text: str) -> str:
    limit = 80
    return repr(text if len(text) <= limit else f"{text[:limit]}…")


def _parse(text: str, rule: Callable[[_Reader], _Read]) -> _Read:
    reader = _Reader(text)
    try:
        read = rule(reader)
    except RecursionError:
        raise RefusedError(f"{_shown(text)} has types nested too deeply.") from None
    if reader.next.kind != "end":
        raise reader.wrong("the end of the text")
    return read


# Reading columns


def _listed(reader: _Reader, rule: Callable[[_Reader], _Read]) -> Iterator[_Read]:
    yield rule(reader)
    while reader.accept(","):
        yield rule(reader)


def _name(reader: _Reader, expected: str = "a column name") -> str:
    if reader.next.kind not in ("word", "quoted"):
        raise reader.wrong(expected)
    return unquoted(reader.take().text)


def _path(reader: _Reader, expected: str = "a column name") -> list[str]:
    path = [_name(reader, expected)]
    while reader.accept("."):
        path.append(_name(reader, expected))
    return path


def _definition(reader: _Reader) -> ColumnDefinition:
    path = _path(reader)
    column, position = _described(reader, path[-1], _OF_ADD)
    return ColumnDefinition(column, tuple(path[:-1]), position)


_SUBJECTS: Final = {
    "NOT": "NOT NULL",
    "COMMENT": "COMMENT",
    "DEFAULT": "DEFAULT or GENERATED",
    "GENERATED": "DEFAULT or GENERATED",
    "FIRST": "FIRST or AFTER",
    "AFTER": "FIRST or AFTER",
}
"""What each clause is on, by its first word; of those on one subject there can be one."""
_OF_STRUCT: Final = ("NOT", "COMMENT")
_OF_CREATE: Final = (*_OF_STRUCT, "DEFAULT", "GENERATED")
_OF_ADD: Final = (*_OF_STRUCT, "DEFAULT", "FIRST", "AFTER")


def _column(
    reader: _Reader, expected: str = "a column name", known: tuple[str, ...] = _OF_CREATE
) -> StructField:
    name = _name(reader, expected)
    reader.accept(":")
    return _described(reader, name, known)[0]


def _described(
    reader: _Reader, name: str, known: tuple[str, ...]
) -> tuple[StructField, Position | None]:
    """The column *name* with the type and those of the *known* clauses that follow."""
    data_type = _type(reader)
    nullable, position = True, None
    metadata: dict[str, Any] = {}
    subjects: set[str] = set()
    while (word := reader.next.word) in known:
        if _SUBJECTS[word] in subjects:
            raise reader.wrong(f"no second {_SUBJECTS[word]}")
        subjects.add(_SUBJECTS[word])
        if word in ("FIRST", "AFTER"):
            position = _place(reader)
            continue
        if word == "NOT":
            reader.expect("NOT", "NULL")
            nullable = False
            continue
        reader.take()
        if word == "COMMENT":
            if reader.next.kind != "text":
                raise reader.wrong("a quoted string")
            metadata[FieldKey.COMMENT] = unescaped(reader.take().text)
        elif word == "DEFAULT":
            metadata[FieldKey.CURRENT_DEFAULT] = _expression(reader, _after_default)
            # Spark evaluates the default once, for the rows that are there already.
            metadata[FieldKey.EXISTS_DEFAULT] = KNOWN_AFTER_COMMIT
        else:
            metadata |= _generated(reader)
    return StructField(name, data_type, nullable, metadata), position


def _generated(reader: _Reader) -> dict[str, Any]:
    by_default = reader.accept("BY", "DEFAULT")
    if not by_default:
        reader.expect("ALWAYS")
    reader.expect("AS")
    if not by_default and not reader.ahead("IDENTITY"):
        reader.expect("(")
        expression = _expression(reader, lambda rest: rest.ahead(")"))
        reader.expect(")")
        return {FieldKey.GENERATION: expression}
    reader.expect("IDENTITY")
    options: dict[str, Any] = {}
    if reader.accept("("):
        while not reader.accept(")"):
            start = FieldKey.IDENTITY_START not in options and reader.accept("START", "WITH")
            if not start and (
                FieldKey.IDENTITY_STEP in options or not reader.accept("INCREMENT", "BY")
            ):
                raise reader.wrong("START WITH, INCREMENT BY or )")
            sign = -1 if reader.accept("-") else 1
            token = reader.next
            # Twenty digits are too many in any case, and int() refuses thousands of them.
            number = sign * int(token.text[:20]) if token.kind == "number" else 2**63
            if not -(2**63) <= number < 2**63:
                raise reader.wrong("a 64-bit integer")
            reader.take()
            options[FieldKey.IDENTITY_START if start else FieldKey.IDENTITY_STEP] = number
    if options.get(FieldKey.IDENTITY_STEP) == 0:
        raise RefusedError(
            "An identity column cannot be incremented by 0.",
            remedy="Increment it by another number.",
            delta_error_class="IDENTITY_COLUMNS_ILLEGAL_STEP",
        )
    defaults = {FieldKey.IDENTITY_START: 1, FieldKey.IDENTITY_STEP: 1}
    return {**defaults, **options, FieldKey.IDENTITY_EXPLICIT: by_default}


def _expression(reader: _Reader, ends: Callable[[_Reader], bool]) -> str:
    """The text up to where, outside of all brackets, *ends* says so."""
    first = reader.next
    depth, last = 0, first.start
    while reader.next.kind != "end" and (depth or not ends(reader)):
        token = reader.take()
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        last = token.start + len(token.text)
        if depth < 0:
            raise reader.wrong("an expression", at=token)
    if depth or last == first.start:
        raise reader.wrong("an expression" if last == first.start else "a closing bracket")
    return reader.text[first.start : last]


def _after_default(reader: _Reader) -> bool:
    # NOT NULL behind IS is part of the expression.
    if reader.ahead("NOT", "NULL"):
        return reader.previous.word != "IS"
    return reader.next.word in {*_SUBJECTS, ","} - {"NOT"}


def _place(reader: _Reader) -> Position:
    if reader.accept("FIRST"):
        return Position()
    if not reader.accept("AFTER"):
        raise reader.wrong("FIRST or AFTER")
    return Position(_name(reader))


# Reading types


def _type(reader: _Reader) -> DataType:
    token = reader.next
    if token.word in _SIMPLE_TYPES:
        reader.take()
        return PrimitiveType(_SIMPLE_TYPES[token.word])
    if token.word not in _TYPES_WITH_PARTS:
        error_class = "UNSUPPORTED_DATATYPE" if token.kind == "word" else "PARSE_SYNTAX_ERROR"
        remedy = did_you_mean(token.text, (*_SIMPLE_TYPES, *_TYPES_WITH_PARTS))
        raise reader.wrong("a data type", remedy, error_class=error_class)
    reader.take()
    read = _TYPES_WITH_PARTS[token.word](reader, token.word)
    return PrimitiveType(read) if isinstance(read, str) else read


def _container(reader: _Reader, word: str) -> DataType:
    reader.expect("<")
    read: DataType
    if word == "ARRAY":
        read = ArrayType(_type(reader))
    elif word == "MAP":
        key = _type(reader)
        reader.expect(",")
        read = MapType(key, _type(reader))
    else:
        fields = _listed(reader, lambda rest: _column(rest, "a field name", _OF_STRUCT))
        read = StructType(() if reader.ahead(">") else tuple(fields))
    reader.expect(">")
    return read


def _decimal(reader: _Reader, _: str) -> str:
    precision, scale = 10, 0
    if reader.accept("("):
        precision = _number(reader, 0, HIGHEST_PRECISION, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION")
        if reader.accept(","):
            scale = _number(reader, 0, precision, "_LEGACY_ERROR_TEMP_1228")
        reader.expect(")")
    return f"decimal({precision},{scale})"


def _sized(reader: _Reader, word: str) -> str:
    reader.expect("(")
    length = _number(reader, 0, 2**31 - 1)
    reader.expect(")")
    return f"{'varchar' if word == 'VARCHAR' else 'char'}({length})"


def _geospatial(reader: _Reader, word: str) -> str:
    reader.expect("(")
    if reader.accept("ANY"):
        place = "SRID:ANY"
    else:
        number = _number(reader, 0, 999_999)
        place = "OGC:CRS84" if number == _LONGITUDE_AND_LATITUDE else f"EPSG:{number}"
    reader.expect(")")
    return f"{word.lower()}({place})"


_LONGITUDE_AND_LATITUDE: Final = 4326


def _time(reader: _Reader, _: str) -> str:
    digits = 6
    if reader.accept("("):
        digits = _number(reader, 0, 6)
        reader.expect(")")
    return f"time({digits})"


def _string(reader: _Reader, _: str) -> str:
    if not reader.accept("COLLATE"):
        return "string"
    name = ".".join(_path(reader, "a collation name")).upper()
    return "string" if name == "UTF8_BINARY" else f"string collate {name}"


def _interval(reader: _Reader, _: str) -> str:
    for units in (("YEAR", "MONTH"), ("DAY", "HOUR", "MINUTE", "SECOND")):
        for index, first in enumerate(units):
            if reader.accept(first):
                name = f"interval {first.lower()}"
                last = next((unit for unit in units[index + 1 :] if reader.accept("TO", unit)), "")
                return f"{name} to {last.lower()}" if last else name
    raise reader.wrong("one of YEAR, MONTH, DAY, HOUR, MINUTE and SECOND")


def _number(reader: _Reader, least: int, most: int, error_class: str = "PARSE_SYNTAX_ERROR") -> int:
    token = reader.next
    if token.kind != "number":
        raise reader.wrong(f"a number from {least} to {most}")
    if not least <= (number := int(token.text[:20])) <= most:
        raise reader.wrong(f"a number from {least} to {most}", error_class=error_class)
    reader.take()
    return number


_SIMPLE_TYPES: Final = {
    "BOOLEAN": "boolean", "TINYINT": "byte", "BYTE": "byte", "SMALLINT": "short", "SHORT": "short",
    "INT": "integer", "INTEGER": "integer", "BIGINT": "long", "LONG": "long", "FLOAT": "float",
    "REAL": "float", "DOUBLE": "double", "DATE": "date", "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz", "BINARY": "binary", "VARIANT": "variant", "VOID": "void",
}  # fmt: skip
_TYPES_WITH_PARTS: Final[Mapping[str, Callable[[_Reader, str], DataType | str]]] = {
    "ARRAY": _container, "MAP": _container, "STRUCT": _container,
    "DECIMAL": _decimal, "DEC": _decimal, "NUMERIC": _decimal,
    "CHAR": _sized, "CHARACTER": _sized, "VARCHAR": _sized, "STRING": _string,
    "GEOMETRY": _geospatial, "GEOGRAPHY": _geospatial,
    "TIME": _time, "INTERVAL": _interval,
    "TIMESTAMP": lambda reader, _: (
        "timestamp_ntz" if reader.accept("WITHOUT", "TIME", "ZONE") else "timestamp"
    ),
}  # fmt: skip
_WRITTEN: Final = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}
"""The types whose name in a schema is not the one that Spark SQL writes."""


# Expressions, as far as they are known without Spark: their columns, and constants


DIGITS: Final = r"(?:\d+(?:\.\d*)?|\.\d+)"
"""The digits of a number; in one way only, or a long one that is none takes minutes."""

_RESERVED: Final = _words(
    """
    all and anti any array as asc at between both by case cast collate cross cube current
    current_catalog current_database current_date current_schema current_time current_timestamp
    current_user date desc distinct div else end escape except exists extract false filter for
    from full group having ilike in inner intersect interval into is join lateral leading left
    like localtimestamp map minus natural not null of on only or order outer over overlaps
    position regexp right rlike row select session_user similar some struct table then
    timestamp timestamp_ltz timestamp_ntz to trailing trim true union unknown user using values
    when where with within
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
    The column paths in *expression*, each once; empty for text that is not understood.

    >>> column_references("`a b`.c > 1 AND upper(d) <> 'e'")
    (('a b', 'c'), ('d',))
    >>> column_references("exists(xs, x -> x > y)"), column_references("a alias")
    ((), ())
    """
    reader, paths = _Reader(expression), list[Path]()
    if any(token.kind == "sign" and token.text not in _SIGNS for token in reader.tokens):
        return ()
    for before, name, after in _names(reader):
        first, previous = name[0], before.word.lower()
        follows_operand = (
            before.kind in ("text", "number", "quoted")
            or before.text in (")", "]")
            or (before.kind == "word" and previous not in _RESERVED)
        )
        # Not a literal's prefix or a keyword.
        if follows_operand or previous == "collate" or first[0].isdigit():
            continue
        is_plain = after.kind not in ("text", "quoted") and (
            after.kind != "word" or after.text.lower() in _RESERVED
        )
        if first.startswith("`") or (first.lower() not in _RESERVED and is_plain):
            paths.append(tuple(map(unquoted, name)))
    return tuple(dict.fromkeys(paths))


def mentions(expression: str, column: Path, schema: StructType) -> bool:
    """
    Whether *expression* uses *column* of *schema*, something in it, or something around it.

    Of what only Spark could tell, such as the names in lambdas, it is assumed.
    """
    wanted = folded(column)
    for _, name, after in _names(_Reader(expression)):
        if after.kind == "text":  # a literal's prefix
            continue
        # In arrays and maps SQL spells paths in other ways than schemas, and any part may be meant.
        path = folded(schema.find_place(tuple(map(unquoted, name)))[0])
        if path and path[: len(wanted)] == wanted[: len(path)]:
            return True
    return False


_SIGNS: Final = frozenset("-+*/%<>=!|&^~?().,[];") | {"<=>"}
"""Of what is understood: lambdas and paths into variants are not."""


def _names(reader: _Reader) -> Iterator[tuple[_Token, list[str], _Token]]:
    """What may be columns, in parts as they are written, with the tokens before and after."""
    function = ""
    while reader.next.kind != "end":
        before, token = reader.previous, reader.take()
        if token.kind in ("word", "quoted"):
            parts = [token.text]
            while reader.accept(".") and reader.next.kind in ("word", "quoted"):
                parts.append(reader.take().text)
            # EXTRACT(DOW FROM …) names a part of a time.
            is_unit = function == "extract" and before.text == "("
            function = token.text.lower() if reader.next.text == "(" else ""
            # Nor is it a type, or a field of something computed.
            if not (function or is_unit or before.word in ("AS", ".")):
                yield before, parts, reader.next


# Constants


_BITS: Final = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def default_fits(data_type: DataType, text: str) -> bool | None:
    """
    Whether Spark takes *text* as a default of a column of *data_type*; None where only it can tell.

    That is so for expressions, and for what its casts of texts and fractions decide.

    >>> [default_fits(PrimitiveType("byte"), text) for text in ("-128", "128", "'x'", "1 + 1")]
    [True, False, False, None]
    >>> [default_fits(PrimitiveType(name), "'it''s'") for name in ("string", "binary")]
    [True, None]
    """
    name, forms = data_type.name, _LITERALS.items()
    kind = next((kind for kind, form in forms if re.fullmatch(form, text, re.ASCII)), "")
    fits: bool | None = None
    if kind == "null" or (name, kind) in {("string", "text"), ("boolean", "boolean")}:
        fits = True
    elif kind and (not name or (name, kind) == ("variant", "boolean")):
        fits = False
    elif not kind or (name not in _KNOWN and not name.startswith("decimal")):
        fits = None
    elif kind in ("integer", "fraction"):
        fits = _number_fits(name, text, is_integer=kind == "integer")
    elif kind == "text":
        word = text[1:-1].strip().lower().lstrip("+-")
        is_cast = name == "binary" or word in _CAST_WORDS or re.search(r"\d", word)
        fits = None if is_cast and name != "boolean" else False
    elif name not in (_DATED if kind == "date" else (kind,)):
        fits = False
    elif name == "date":
        with suppress(ValueError):
            fits = bool(date.fromisoformat(text[-11:-1]))
    return fits


def _number_fits(name: str, text: str, *, is_integer: bool) -> bool | None:
    if name in _NEVER_NUMBERS or (name == "binary" and not is_integer):
        return False
    if is_integer and not _in_range(name, int(text.rstrip("L"))):
        return False
    number = re.fullmatch(r"[-+]?(\d+)(?:\.(\d+))?", text, re.ASCII)
    if number is None:
        return None
    whole, fraction = map(len, number.groups(""))
    if decimal := decimal_digits(name):
        is_exact = whole <= decimal[0] - decimal[1] and fraction <= decimal[1]
    else:
        is_exact = name in _FLOATS and whole + fraction <= _EXACT
    return is_exact or (name in _BITS and not fraction) or None


_EXACT: Final = 9
"""Digits of a number of which a float has a value, whatever is before and after the point."""
_LITERALS: Final = {
    "null": r"(?i:null)",
    # Of longer ones Python makes no number; they are left to Spark.
    "integer": r"[-+]?\d{1,4000}L?",
    "fraction": r"[-+]?(?:\d+\.\d*|\.\d+)D?|[-+]?\d+[eE]\d{1,4}",
    # Not with a backslash: Spark's settings decide whether it begins an escape.
    "text": r"'(?:[^'\\]|'')*'",
    "boolean": r"(?i:true|false)",
    "binary": r"[xX]'[0-9a-fA-F]*'",
    "date": r"(?i:date)\s*'\d{4}-\d\d-\d\d'",
}
_DATED: Final = ("date", "timestamp", "timestamp_ntz")
_NEVER_NUMBERS: Final = frozenset({"boolean", "date", "timestamp_ntz"})
_FLOATS: Final = ("float", "double")
_KNOWN: Final = frozenset({*_BITS, *_NEVER_NUMBERS, *_FLOATS, "timestamp", "binary"})
_CAST_WORDS: Final = _words("epoch inf infinity nan now today tomorrow yesterday")
"""The words that Spark's casts of text take beside numbers, dates and times."""


def is_iceberg_default(data_type: DataType, text: str) -> bool:
    """
    Whether Delta may hand *text* on to Iceberg as a default: a literal that Java reads as it is.

    >>> [is_iceberg_default(PrimitiveType("integer"), text) for text in ("-7", "7L", "1 + 1")]
    [True, False, False]
    >>> times = "'2026-01-31 10:00:00'", "'2026-01-31T10:00:00+02:00'", "'2026-01-31'"
    >>> [is_iceberg_default(PrimitiveType("timestamp"), text) for text in times]
    [True, True, False]
    """
    text, name = text.strip(), data_type.name
    digits = decimal_digits(name)
    form = _ICEBERG_DEFAULTS.get("decimal" if digits else name.partition("(")[0])
    if form is None or re.fullmatch(form, text, re.DOTALL | re.ASCII) is None:
        return False
    if digits is None:
        return True
    exponent = _exact(text).normalize().as_tuple().exponent
    return isinstance(exponent, int) and -exponent <= digits[1]


def _quoted(form: str) -> str:
    return f"'(?:{form})'|\"(?:{form})\""


_WHOLE: Final = r"[-+]?\d+"
_PLAIN_NUMBER: Final = rf"[-+]?{DIGITS}([eE][-+]?\d{{1,4}})?"
_ISO_DATE: Final = r"(-\d{4,9}|\d{4}|\+\d{5,9})-\d\d-\d\d"
_ISO_MINUTE: Final = rf"{_ISO_DATE}T\d\d:\d\d"
_SECONDS: Final = r":\d\d(\.\d{0,9})?"
_OFFSET: Final = r"(Z|[-+]\d\d:\d\d(:\d\d)?)?"
_SPACED: Final = rf"{_ISO_DATE} \d\d:\d\d:\d\d"
_ICEBERG_DEFAULTS: Final = {
    **dict.fromkeys(("byte", "short", "integer"), _WHOLE),
    "long": f"{_WHOLE}L?",
    **dict.fromkeys(("float", "double"), f"{_PLAIN_NUMBER}[DFdf]?"),
    "decimal": _PLAIN_NUMBER,
    **dict.fromkeys(("boolean", "binary"), ".*"),
    **dict.fromkeys(("string", "char", "varchar"), _quoted(".*")),
    "date": _quoted(_ISO_DATE),
    "timestamp": _quoted(f"{_ISO_MINUTE}({_SECONDS}{_OFFSET})?|{_SPACED}"),
    "timestamp_ntz": _quoted(f"{_ISO_MINUTE}({_SECONDS})?|{_SPACED}"),
}


def _exact(text: str) -> Decimal:
    from decimal import Decimal  # slow to import

    return Decimal(text)


def _in_range(name: str, number: int) -> bool:
    if name in _BITS:
        most = 1 << (_BITS[name] - 1)
        return -most <= number < most
    decimal = decimal_digits(name)
    return decimal is None or abs(number) < 10 ** (decimal[0] - decimal[1])
