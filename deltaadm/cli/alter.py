"""`deltaadm alter`."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple, Self

import typer

from deltaadm.cli import catalogs, parent_plans, wiring
from deltaadm.cli.options import (
    ChangeOptions,
    FleetOptions,
    NotEnough,
    TableArguments,
    expanded,
    pairs,
    require_tables,
)
from deltaadm.cli.plans import plan_tables
from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.alter_columns import parse_column
from deltaadm.domain.ddl import (
    parse_column_list,
    parse_default,
    parse_definitions,
    parse_move,
    parse_type,
)
from deltaadm.domain.table_changes import ColumnChange
from deltaadm.operations.alter import TableChanges, plan_changes
from deltaadm.storage.store import require_no_secret

if TYPE_CHECKING:
    from deltaadm.domain.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """What is to change about the columns."""

    add_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN TYPE", help="Add a column, as in: 's.x INT COMMENT \"why\" AFTER y'."
        ),
    ] = None
    set_type: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=TYPE", help="Widen a column's type, as in: id=BIGINT."),
    ] = None
    drop_not_null: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Let a column hold nulls.")
    ] = None
    set_comment: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=TEXT", help="Set a column's comment.")
    ] = None
    set_default: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=EXPRESSION", help="Set the default of rows to come."),
    ] = None
    drop_default: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Drop a column's default.")
    ] = None
    move: Annotated[
        list[str] | None,
        typer.Option(
            "--move", metavar="COLUMN PLACE", help="Move a column: 'id FIRST', or 'b AFTER a'."
        ),
    ] = None
    rename_column: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=NAME", help="Rename a column; the rows stay."),
    ] = None
    drop_column: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Drop a column.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """What is to change about constraints, layout and properties."""

    add_constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=EXPRESSION",
            help="Add a CHECK constraint, as in: 'positive=amount > 0'. Delta reads every row.",
        ),
    ] = None
    drop_constraint: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Drop a constraint.")
    ] = None
    cluster_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN[,COLUMN...]", help="Cluster the table by these columns, at most four."
        ),
    ] = None
    no_cluster_by: Annotated[
        bool, typer.Option("--no-cluster-by", help="Cluster the table by nothing any more.")
    ] = False
    to_set: Annotated[
        list[str] | None, typer.Option("--set", metavar="PROPERTY=VALUE", help="Set a property.")
    ] = None
    to_unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="PROPERTY", help="Remove a property.")
    ] = None
    set_location: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Let the table's name in the catalog lead to another place, of a Delta table to "
            "that of another one.",
        ),
    ] = None
    checkpoint: Annotated[
        bool,
        typer.Option("--checkpoint", help="Write a checkpoint of the newest version; no Spark."),
    ] = False


@expanded
def command(
    tables: TableArguments = None,
    *,
    columns: ColumnOptions,
    rules: RuleOptions,
    many: FleetOptions,
    change: ChangeOptions,
) -> int:
    """
    Change columns, constraints, clustering or properties.

    Also lets a name lead to another location, and writes a checkpoint.

    Each kind of change is a commit of its own, in this order: properties are set, constraints
    dropped, columns added, changed, clustered by, dropped and renamed, constraints added, and
    properties unset; the checkpoint comes last. Columns are named as they are before, in new
    constraints as they are afterwards: s.x is x in the struct s, and backticks go around what
    has dots in its name.

    --set-location goes with no other change, and commits nothing: the name in the catalog leads to
    the table at the new place from then on, which must have the same columns and partitions.

    A table of another provider in Spark's own catalog, of csv or parquet say, is altered as far
    as Spark does that: properties are set and unset, columns added last, comments and defaults
    changed, and the location set. There each statement stands for itself.

    For example:

      deltaadm alter orders --add-column "country STRING" --set team=web

      deltaadm alter main.sales.orders --set-location /data/restored --apply

      deltaadm alter sales.export --set "comment=as CSV" --add-column "x INT"
    """
    if (columns, rules) == (ColumnOptions(), RuleOptions()):
        raise NotEnough("Say what is to change, as with --set PROPERTY=VALUE.")
    if rules.no_cluster_by and rules.cluster_by:
        raise typer.BadParameter(
            "cannot be combined with --cluster-by", param_hint="--no-cluster-by"
        )
    if rules.set_location is not None and (many.names_tables or len(tables or ()) > 1):
        raise typer.BadParameter("is for one table", param_hint="--set-location")
    texts = _Pairs.of(columns, rules)
    require_tables(tables, many)

    wanted = partial(_wanted, columns, rules, texts)
    return plan_tables(
        tables or (),
        many,
        lambda table, snapshot, session: plan_changes(
            snapshot,
            replace(wanted(wiring.load_there), is_managed=catalogs.is_managed(table)),
            session=session,
        ),
        change=change,
        of_parent=lambda table, catalog: parent_plans.alter(
            table, wanted(parent_plans.moved_to), catalog, change
        ),
    )


class _Pairs(NamedTuple):
    """The options that say what of what: by the left side, the right one."""

    properties: dict[str, str]
    types: dict[str, str]
    comments: dict[str, str]
    defaults: dict[str, str]
    names: dict[str, str]
    constraints: dict[str, str]

    @classmethod
    def of(cls, columns: ColumnOptions, rules: RuleOptions) -> Self:
        return cls(
            properties=pairs(rules.to_set, "--set", "PROPERTY=VALUE"),
            types=pairs(columns.set_type, "--set-type", "COLUMN=TYPE"),
            comments=pairs(columns.set_comment, "--set-comment", "COLUMN=TEXT"),
            defaults=pairs(columns.set_default, "--set-default", "COLUMN=EXPRESSION"),
            names=pairs(columns.rename_column, "--rename-column", "COLUMN=NAME"),
            constraints=pairs(rules.add_constraint, "--add-constraint", "NAME=EXPRESSION"),
        )


def _wanted(
    columns: ColumnOptions,
    rules: RuleOptions,
    texts: _Pairs,
    load_there: Callable[[str], "Snapshot"],
) -> TableChanges:
    require_no_secret(rules.set_location or "")
    clustered = [one for listed in rules.cluster_by or () for one in parse_column_list(listed)]
    return TableChanges(
        set_properties=texts.properties,
        drop_constraints=rules.drop_constraint or (),
        add=[one for text in columns.add_column or () for one in parse_definitions(text)],
        change=tuple(_changes(columns, texts)),
        cluster_by=clustered if clustered or rules.no_cluster_by else None,
        drop=[parse_column(one) for one in columns.drop_column or ()],
        rename={parse_column(column): name for column, name in texts.names.items()},
        add_constraints=texts.constraints,
        unset=rules.to_unset or (),
        checkpoint=rules.checkpoint,
        location=None if rules.set_location is None else load_there(rules.set_location),
    )


def _changes(columns: ColumnOptions, texts: _Pairs) -> Iterator[ColumnChange]:
    for column, text in texts.types.items():
        yield ColumnChange(parse_column(column), type=parse_type(text))
    for column in columns.drop_not_null or ():
        yield ColumnChange(parse_column(column), nullable=True)
    for column, text in texts.comments.items():
        yield ColumnChange(parse_column(column), comment=text)
    for column, text in texts.defaults.items():
        yield ColumnChange(parse_column(column), default=parse_default(text))
    for column in columns.drop_default or ():
        yield ColumnChange(parse_column(column), default="")
    for text in columns.move or ():
        moved, position = parse_move(text)
        yield ColumnChange(moved, position=position)
