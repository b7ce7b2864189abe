"""A change of one property of one column; a step makes several of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    STRING,
    STRINGS,
    Json,
    array,
    maybe,
    record,
    text,
)
from deltaadm.domain.model.schema import path_text
from deltaadm.domain.sql.ddl import parse_position, parse_type, position_sql, type_sql
from deltaadm.domain.sql.sql_text import column_sql, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType, Path
    from deltaadm.domain.sql.ddl import Position


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """
    A change of one property of a column; all fields after *column* but one are None.

    An empty *default* drops the column's default.
    """

    column: Path
    type: DataType | None = None
    nullable: bool | None = None
    comment: str | None = None
    position: Position | None = None
    default: str | None = None

    def clause(self) -> str:
        """The part of ALTER COLUMN for it."""
        return f"{column_sql(self.column)} {self._to()}"

    def _to(self) -> str:
        if self.type is not None:
            return f"TYPE {type_sql(self.type)}"
        if self.nullable is not None:
            return f"{'DROP' if self.nullable else 'SET'} NOT NULL"
        if self.comment is not None:
            return f"COMMENT {literal(self.comment)}"
        if self.position is not None:
            return position_sql(self.position)
        return f"SET DEFAULT {self.default}" if self.default else "DROP DEFAULT"

    def options(self) -> Iterator[str]:
        """The option with which `alter` makes the change."""
        column = path_text(self.column)
        if self.type is not None:
            yield from ("--set-type", f"{column}={type_sql(self.type)}")
        if self.nullable is not None:
            yield from ("--drop-not-null", column)
        if self.comment is not None:
            yield from ("--set-comment", f"{column}={self.comment}")
        if self.position is not None:
            yield from ("--move", f"{column} {_place(self.position)}")
        if self.default:
            yield from ("--set-default", f"{column}={self.default}")
        elif self.default is not None:
            yield from ("--drop-default", column)


def _place(position: Position) -> str:
    return "FIRST" if position.after is None else f"AFTER {path_text((position.after,))}"


_CHANGE: Final = record(
    column=STRINGS,
    type=maybe(Json(STRING.schema, type_sql, lambda value: parse_type(text(value)))),
    nullable=maybe(BOOLEAN),
    comment=maybe(STRING),
    position=maybe(Json(STRING.schema, position_sql, lambda value: parse_position(text(value)))),
    default=maybe(STRING),
)
COLUMN_CHANGES: Final = array(
    Json(_CHANGE.schema, _CHANGE.write, lambda value: ColumnChange(**_CHANGE.read(value)))
)
