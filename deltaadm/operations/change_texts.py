"""Changes of a table as people write them: columns, types and positions are texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deltaadm.domain.model.properties import spark_values
from deltaadm.domain.sql.ddl import (
    parse_column_list,
    parse_default,
    parse_definitions,
    parse_move,
    parse_type,
)
from deltaadm.domain.steps import ColumnChange
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.operations.alter import TableChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deltaadm.domain.model.snapshot import Snapshot


class ChangeTexts(NamedTuple):
    """
    The requested changes, as the options of `alter` spell them.

    `cluster_by` has lists of columns, none of which ends clustering; None leaves it as it is.
    """

    set_properties: Mapping[str, str] = {}
    unset: Sequence[str] = ()
    add_columns: Sequence[str] = ()
    set_types: Mapping[str, str] = {}
    drop_not_null: Sequence[str] = ()
    set_comments: Mapping[str, str] = {}
    set_defaults: Mapping[str, str] = {}
    drop_defaults: Sequence[str] = ()
    move: Sequence[str] = ()
    rename_columns: Mapping[str, str] = {}
    drop_columns: Sequence[str] = ()
    add_constraints: Mapping[str, str] = {}
    drop_constraints: Sequence[str] = ()
    cluster_by: Sequence[str] | None = None
    checkpoint: bool = False
    location: str | None = None


def table_changes(texts: ChangeTexts, load_at: Callable[[str], Snapshot]) -> TableChanges:
    """Parse *texts*; *load_at* loads the table at another location."""
    clusters = texts.cluster_by
    return TableChanges(
        set_properties=spark_values(texts.set_properties),
        drop_constraints=texts.drop_constraints,
        add=[column for text in texts.add_columns for column in parse_definitions(text)],
        change=tuple(_changes(texts)),
        cluster_by=None
        if clusters is None
        else [column for text in clusters for column in parse_column_list(text)],
        drop=[parse_column(column) for column in texts.drop_columns],
        rename={parse_column(column): name for column, name in texts.rename_columns.items()},
        add_constraints=texts.add_constraints,
        unset=texts.unset,
        checkpoint=texts.checkpoint,
        location=None if texts.location is None else load_at(texts.location),
    )


def _changes(texts: ChangeTexts) -> Iterator[ColumnChange]:
    for column, text in texts.set_types.items():
        yield ColumnChange(parse_column(column), type=parse_type(text))
    for column in texts.drop_not_null:
        yield ColumnChange(parse_column(column), nullable=True)
    for column, text in texts.set_comments.items():
        yield ColumnChange(parse_column(column), comment=text)
    for column, text in texts.set_defaults.items():
        yield ColumnChange(parse_column(column), default=parse_default(text))
    for column in texts.drop_defaults:
        yield ColumnChange(parse_column(column), default="")
    for text in texts.move:
        moved, position = parse_move(text)
        yield ColumnChange(moved, position=position)
