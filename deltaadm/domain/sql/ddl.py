"""
Columns and types as Spark SQL writes them, read to and written from Delta's schema types.

The grammar is that of Spark 4.2 (`SqlBaseParser.g4`: `colDefinition`, `dataType`) for
CREATE TABLE, and `qualifiedColTypeWithPosition` for ADD COLUMN.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.properties import did_you_mean
from deltaadm.domain.schema import ArrayType, MapType, PrimitiveType, StructField, StructType
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deltaadm.domain.schema import DataType, Path


# Names and texts


def identifier(name: str) -> str:
    """*name* in backticks."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """*text* as a Spark string literal; characters that do not print are written as escapes."""
    return "'" + "".join(_escaped(character) for character in text) + "'"


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


# Columns and types


_Read = TypeVar("_Read")

COMMENT: Final = "comment"
GENERATION: Final = "delta.generationExpression"
CURRENT_DEFAULT: Final = "CURRENT_DEFAULT"
EXISTS_DEFAULT: Final = "EXISTS_DEFAULT"
IDENTITY_START: Final = "delta.identity.start"
IDENTITY_STEP: Final = "delta.identity.step"
IDENTITY_EXPLICIT: Final = "delta.identity.allowExplicitInsert"


@dataclass(frozen=True)
class Position:
    """The position of a column: after the column called *after*, or first (None)."""

    after: str | None = None


@dataclass(frozen=True)
class ColumnDefinition:
    """
    A column as ADD COLUMN takes it.

    *parent* is the path of the struct that it goes into, empty for the table itself;
    *position* is None for the end.
    """

    column: StructField
    parent: Path = ()
    position: Position | None = None


def parse_columns(text: str) -> StructType:
    """
    The columns of a table, as between the brackets of CREATE TABLE.

    COMMENT, DEFAULT, GENERATED ALWAYS AS and AS IDENTITY become the field's metadata; Spark
    computes `EXISTS_DEFAULT`, so it is known after the commit. Raises `Refused` for what Spark
    would not parse, with the position and what would be right there.

    >>> parse_columns("id BIGINT NOT NULL").to_json()
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}}]}'
    """
    return _parse(text, lambda reader: StructType(tuple(_listed(reader, _column))))


def parse_type(text: str) -> DataType:
    """
    One data type; raises `Refused` like `parse_columns`.

    >>> parse_type("map<string, decimal(10, 2)>").value.name
    'decimal(10,2)'
    """
    return _parse(text, _type)


def parse_definitions(text: str) -> tuple[ColumnDefinition, ...]:
    """
    Columns to add: `s.x INT COMMENT 'why' AFTER y, z STRING`.

    Dots lead into structs, and into arrays and maps through `element`, `key` and `value`. Raises
    `Refused` like `parse_columns`.
    """
    return _parse(text, lambda reader: tuple(_listed(reader, _definition)))


def parse_column_list(text: str) -> list[Path]:
    """Columns with commas between them; raises `Refused` like `parse_columns`."""
    return _parse(text, lambda reader: [tuple(path) for path in _listed(reader, _path)])


def parse_move(text: str) -> tuple[Path, Position]:
    """A column and where it goes, `s.x AFTER y`; raises `Refused` like `parse_columns`."""
    return _parse(text, lambda reader: (tuple(_path(reader)), _place(reader)))


def parse_position(text: str) -> Position:
    """`FIRST`, or `AFTER` a column; raises `Refused` like `parse_columns`."""
    return _parse(text, _place)


def parse_default(text: str) -> str:
    """
    An expression for SET DEFAULT, without what surrounds it.

    Raises `Refused` for none, for brackets that do not match, and for a comma outside of them.
    """
    return _parse(text, lambda reader: _expression(reader, lambda rest: rest.ahead(",")))


def type_sql(data_type: DataType) -> str:
    """
    *data_type* as `parse_type` reads it; a name that is no type of Spark's is kept.

    SQL has no words for arrays and maps that cannot hold nulls.
    """
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
    return (
        f"{name or identifier(column.name)} {type_sql(column.type)}"
        f"{_plain_clauses(column)}{_computed_clause(column.metadata)}"
    )


def definition_sql(definition: ColumnDefinition) -> str:
    """*definition* as `parse_definitions` reads it."""
    column, position = definition.column, definition.position
    name = ".".join(map(identifier, (*definition.parent, column.name)))
    return column_sql(column, name) + (f" {position_sql(position)}" if position else "")


def position_sql(position: Position) -> str:
    """*position* as `parse_position` reads it."""
    return "FIRST" if position.after is None else f"AFTER {identifier(position.after)}"


# Writing


def _plain_clauses(column: StructField) -> str:
    comment = column.metadata.get(COMMENT)
    return ("" if column.nullable else " NOT NULL") + (
        "" if comment is None else f" COMMENT {literal(str(comment))}"
    )


def _computed_clause(metadata: Mapping[str, Any]) -> str:
    if GENERATION in metadata:
        return f" GENERATED ALWAYS AS ({metadata[GENERATION]})"
    if CURRENT_DEFAULT in metadata:
        return f" DEFAULT {metadata[CURRENT_DEFAULT]}"
    if IDENTITY_START in metadata:
        how = "BY DEFAULT" if metadata.get(IDENTITY_EXPLICIT) else "ALWAYS"
        start, step = metadata[IDENTITY_START], metadata.get(IDENTITY_STEP, 1)
        return f" GENERATED {how} AS IDENTITY (START WITH {start} INCREMENT BY {step})"
    return ""


# Reading tokens


class _Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """Its text in capitals where it may be a keyword."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


@cache
def _token() -> re.Pattern[str]:
    """Compiled when it is needed: most commands read no SQL."""
    return re.compile(
        r"""
          (?P<space>\s+ | --[^\r\n]* | /\*.*?\*/)
        | (?P<text>[rR]?'(?:[^'\\]|\\.|'')*' | [rR]?"(?:[^"\\]|\\.|"")*")
        | (?P<number>[0-9]+(?!\w))
        | (?P<quoted>`(?:[^`]|``)+`)
        | (?P<word>\w+)
        | (?P<sign>.)
        """,
        re.VERBOSE | re.DOTALL,
    )


def _tokens(text: str) -> Iterator[_Token]:
    for match in _token().finditer(text):
        if match.lastgroup and match.lastgroup != "space":
            yield _Token(match.lastgroup, match[0], match.start())
    yield _Token("end", "", len(text))


class _Reader:
    """Tokens in order, the text they are from, and what to say where they are not right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = list(_tokens(text))
        self._next = 0

    @property
    def next(self) -> _Token:
        return self._tokens[self._next]

    @property
    def previous(self) -> _Token:
        return self._tokens[self._next - 1]

    def ahead(self, *words: str) -> bool:
        """Whether *words* come next."""
        coming = self._tokens[self._next : self._next + len(words)]
        return tuple(token.word for token in coming) == words

    def take(self) -> _Token:
        taken = self.next
        self._next = min(self._next + 1, len(self._tokens) - 1)
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
    ) -> Refused:
        token = at or self.next
        token_text = repr(token.text) if token.kind != "end" else "the end of the text"
        return Refused(
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
        raise Refused(f"{_shown(text)} has types nested too deeply.") from None
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


def _path(reader: _Reader) -> list[str]:
    path = [_name(reader)]
    while reader.accept("."):
        path.append(_name(reader))
    return path


def _column(reader: _Reader) -> StructField:
    name = _name(reader)
    reader.accept(":")
    data_type = _type(reader)
    clauses = _clauses(reader, _OF_CREATE)
    if IDENTITY_START in clauses.metadata and data_type not in _TYPES_OF_IDENTITY:
        raise Refused(
            f"The identity column {name} has the type {type_sql(data_type)}.",
            remedy="Declare it as BIGINT.",
            delta_error_class="IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
        )
    return StructField(name, data_type, clauses.nullable, clauses.metadata)


_TYPES_OF_IDENTITY: Final = (PrimitiveType("long"), PrimitiveType("integer"))
"""Those of Spark's parser; Delta takes the former alone."""


def _definition(reader: _Reader) -> ColumnDefinition:
    path = _path(reader)
    data_type = _type(reader)
    clauses = _clauses(reader, _OF_ADD)
    column = StructField(path[-1], data_type, clauses.nullable, clauses.metadata)
    return ColumnDefinition(column, tuple(path[:-1]), clauses.position)


@dataclass(slots=True)
class _Clauses:
    """The clauses after a column's type, as far as they have been read."""

    nullable: bool = True
    position: Position | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def _clauses(reader: _Reader, known: Mapping[str, _Clause]) -> _Clauses:
    """The clauses that follow, in any order; of those on one subject only one."""
    read = _Clauses()
    subjects: set[str] = set()
    while reader.next.word in known:
        clause = known[reader.next.word]
        if clause.subject in subjects:
            raise reader.wrong(f"no second {clause.subject}")
        subjects.add(clause.subject)
        clause.read(reader, read)
    return read


def _not_null(reader: _Reader, read: _Clauses) -> None:
    reader.expect("NOT", "NULL")
    read.nullable = False


def _comment(reader: _Reader, read: _Clauses) -> None:
    reader.expect("COMMENT")
    if reader.next.kind != "text":
        raise reader.wrong("a quoted string")
    read.metadata[COMMENT] = unescaped(reader.take().text)


def _default(reader: _Reader, read: _Clauses) -> None:
    reader.expect("DEFAULT")
    read.metadata[CURRENT_DEFAULT] = _expression(reader, _after_default)
    # Spark evaluates the default once, for the rows that are there already.
    read.metadata[EXISTS_DEFAULT] = KNOWN_AFTER_COMMIT


def _generated(reader: _Reader, read: _Clauses) -> None:
    reader.expect("GENERATED")
    by_default = reader.accept("BY", "DEFAULT")
    if not by_default:
        reader.expect("ALWAYS")
    reader.expect("AS")
    if by_default or reader.ahead("IDENTITY"):
        reader.expect("IDENTITY")
        read.metadata |= _sequence(reader) | {IDENTITY_EXPLICIT: by_default}
        return
    reader.expect("(")
    read.metadata[GENERATION] = _expression(reader, lambda rest: rest.ahead(")"))
    reader.expect(")")


def _sequence(reader: _Reader) -> dict[str, int]:
    options: dict[str, int] = {}
    if reader.accept("("):
        while not reader.accept(")"):
            start = IDENTITY_START not in options and reader.accept("START", "WITH")
            if not start and (IDENTITY_STEP in options or not reader.accept("INCREMENT", "BY")):
                raise reader.wrong("START WITH, INCREMENT BY or )")
            sign = -1 if reader.accept("-") else 1
            token = reader.next
            # Twenty digits are too many in any case, and int() refuses thousands of them.
            number = sign * int(token.text[:20]) if token.kind == "number" else 2**63
            if not -(2**63) <= number < 2**63:
                raise reader.wrong("a 64-bit integer")
            reader.take()
            options[IDENTITY_START if start else IDENTITY_STEP] = number
    if options.get(IDENTITY_STEP) == 0:
        raise Refused(
            "An identity column cannot be incremented by 0.",
            remedy="Increment it by another number.",
            delta_error_class="IDENTITY_COLUMNS_ILLEGAL_STEP",
        )
    return {IDENTITY_START: 1, IDENTITY_STEP: 1} | options


def _expression(reader: _Reader, ends: Callable[[_Reader], bool]) -> str:
    """The text up to where, outside of all brackets, *ends* says so."""
    first = reader.next
    depth, last = 0, first.start
    while reader.next.kind != "end" and (depth or not ends(reader)):
        token = reader.take()
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        last = token.end
        if depth < 0:
            raise reader.wrong("an expression", at=token)
    if depth or last == first.start:
        raise reader.wrong("an expression" if last == first.start else "a closing bracket")
    return reader.text[first.start : last]


_OPENING: Final = ("(", "[", "{")
_CLOSING: Final = (")", "]", "}")


def _after_default(reader: _Reader) -> bool:
    """Whether another clause or column begins."""
    # NOT NULL behind IS is part of the expression.
    if reader.ahead("NOT", "NULL"):
        return reader.previous.word != "IS"
    return reader.next.word in {*_OF_CREATE, *_OF_ADD, ","} - {"NOT"}


def _position(reader: _Reader, read: _Clauses) -> None:
    read.position = _place(reader)


def _place(reader: _Reader) -> Position:
    if reader.accept("FIRST"):
        return Position()
    if not reader.accept("AFTER"):
        raise reader.wrong("FIRST or AFTER")
    return Position(_name(reader))


def _only_when_created(_reader: _Reader, _read: _Clauses) -> None:
    raise Refused(
        "A generated or identity column can only be declared when the table is created.",
        remedy="Add an ordinary column and fill it with UPDATE, or create a new table.",
        delta_error_class="PARSE_SYNTAX_ERROR",
    )


class _Clause(NamedTuple):
    subject: str
    read: Callable[[_Reader, _Clauses], None]


_OF_CREATE: Final[Mapping[str, _Clause]] = {
    "NOT": _Clause("NOT NULL", _not_null),
    "COMMENT": _Clause("COMMENT", _comment),
    "DEFAULT": _Clause("DEFAULT or GENERATED", _default),
    "GENERATED": _Clause("DEFAULT or GENERATED", _generated),
}
_OF_ADD: Final[Mapping[str, _Clause]] = {
    "NOT": _Clause("NOT NULL", _not_null),
    "COMMENT": _Clause("COMMENT", _comment),
    "DEFAULT": _Clause("DEFAULT or GENERATED", _default),
    "GENERATED": _Clause("DEFAULT or GENERATED", _only_when_created),
    "FIRST": _Clause("FIRST or AFTER", _position),
    "AFTER": _Clause("FIRST or AFTER", _position),
}
_OF_STRUCT: Final[Mapping[str, _Clause]] = {
    "NOT": _Clause("NOT NULL", _not_null),
    "COMMENT": _Clause("COMMENT", _comment),
}


# Reading types


def _type(reader: _Reader) -> DataType:
    token = reader.next
    if token.word in _TYPES_WITH_PARTS:
        reader.take()
        return _TYPES_WITH_PARTS[token.word](reader)
    if token.word not in _SIMPLE_TYPES:
        error_class = "UNSUPPORTED_DATATYPE" if token.kind == "word" else "PARSE_SYNTAX_ERROR"
        remedy = did_you_mean(token.text, _TYPE_WORDS)
        raise reader.wrong("a data type", remedy, error_class=error_class)
    reader.take()
    return PrimitiveType(_SIMPLE_TYPES[token.word])


def _array(reader: _Reader) -> DataType:
    reader.expect("<")
    element = _type(reader)
    reader.expect(">")
    return ArrayType(element)


def _map(reader: _Reader) -> DataType:
    reader.expect("<")
    key = _type(reader)
    reader.expect(",")
    value = _type(reader)
    reader.expect(">")
    return MapType(key, value)


def _struct(reader: _Reader) -> DataType:
    reader.expect("<")
    fields = () if reader.ahead(">") else tuple(_listed(reader, _struct_field))
    reader.expect(">")
    return StructType(fields)


def _struct_field(reader: _Reader) -> StructField:
    name = _name(reader, "a field name")
    reader.accept(":")
    data_type = _type(reader)
    clauses = _clauses(reader, _OF_STRUCT)
    return StructField(name, data_type, clauses.nullable, clauses.metadata)


def _decimal(reader: _Reader) -> DataType:
    precision, scale = 10, 0
    if reader.accept("("):
        precision = _number(reader, 0, 38, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION")
        if reader.accept(","):
            scale = _number(reader, 0, precision, "_LEGACY_ERROR_TEMP_1228")
        reader.expect(")")
    return PrimitiveType(f"decimal({precision},{scale})")


def _of_length(name: str) -> Callable[[_Reader], DataType]:
    def read(reader: _Reader) -> DataType:
        reader.expect("(")
        length = _number(reader, 0, 2**31 - 1)
        reader.expect(")")
        return PrimitiveType(f"{name}({length})")

    return read


def _geospatial(name: str) -> Callable[[_Reader], DataType]:
    def read(reader: _Reader) -> DataType:
        reader.expect("(")
        place = "SRID:ANY" if reader.ahead("ANY") else None
        if place is not None:
            reader.take()
        else:
            number = _number(reader, 0, 999_999)
            place = "OGC:CRS84" if number == _LONGITUDE_AND_LATITUDE else f"EPSG:{number}"
        reader.expect(")")
        return PrimitiveType(f"{name}({place})")

    return read


_LONGITUDE_AND_LATITUDE: Final = 4326


def _time(reader: _Reader) -> DataType:
    digits = 6
    if reader.accept("("):
        digits = _number(reader, 0, 6)
        reader.expect(")")
    return PrimitiveType(f"time({digits})")


def _timestamp(reader: _Reader) -> DataType:
    without_zone = reader.accept("WITHOUT", "TIME", "ZONE")
    return PrimitiveType("timestamp_ntz" if without_zone else "timestamp")


def _string(reader: _Reader) -> DataType:
    if not reader.accept("COLLATE"):
        return PrimitiveType("string")
    collation = [_name(reader, "a collation name")]
    while reader.accept("."):
        collation.append(_name(reader, "a collation name"))
    name = ".".join(collation).upper()
    return PrimitiveType("string" if name == "UTF8_BINARY" else f"string collate {name}")


def _interval(reader: _Reader) -> DataType:
    for units in (_MONTH_UNITS, _TIME_UNITS):
        for index, first in enumerate(units):
            if reader.accept(first):
                name = f"interval {first.lower()}"
                for last in units[index + 1 :]:
                    if reader.accept("TO", last):
                        return PrimitiveType(f"{name} to {last.lower()}")
                return PrimitiveType(name)
    raise reader.wrong("one of YEAR, MONTH, DAY, HOUR, MINUTE and SECOND")


_MONTH_UNITS: Final = ("YEAR", "MONTH")
_TIME_UNITS: Final = ("DAY", "HOUR", "MINUTE", "SECOND")


def _number(reader: _Reader, least: int, most: int, error_class: str = "PARSE_SYNTAX_ERROR") -> int:
    token = reader.next
    number = int(token.text[:20]) if token.kind == "number" else -1
    if not least <= number <= most:
        unread = token.kind != "number"
        raise reader.wrong(
            f"a number from {least} to {most}",
            error_class="PARSE_SYNTAX_ERROR" if unread else error_class,
        )
    reader.take()
    return number


_SIMPLE_TYPES: Final[Mapping[str, str]] = {
    "BOOLEAN": "boolean",
    "TINYINT": "byte",
    "BYTE": "byte",
    "SMALLINT": "short",
    "SHORT": "short",
    "INT": "integer",
    "INTEGER": "integer",
    "BIGINT": "long",
    "LONG": "long",
    "FLOAT": "float",
    "REAL": "float",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP_LTZ": "timestamp",
    "TIMESTAMP_NTZ": "timestamp_ntz",
    "BINARY": "binary",
    "VARIANT": "variant",
    "VOID": "void",
}
_TYPES_WITH_PARTS: Final[Mapping[str, Callable[[_Reader], DataType]]] = {
    "ARRAY": _array,
    "MAP": _map,
    "STRUCT": _struct,
    "DECIMAL": _decimal,
    "DEC": _decimal,
    "NUMERIC": _decimal,
    "CHAR": _of_length("char"),
    "CHARACTER": _of_length("char"),
    "VARCHAR": _of_length("varchar"),
    "STRING": _string,
    "GEOMETRY": _geospatial("geometry"),
    "GEOGRAPHY": _geospatial("geography"),
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "INTERVAL": _interval,
}
_TYPE_WORDS: Final = (*_SIMPLE_TYPES, *_TYPES_WITH_PARTS)
_WRITTEN: Final[Mapping[str, str]] = {
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INT",
    "long": "BIGINT",
}
"""The types whose name in a schema is not the one that Spark SQL writes."""
