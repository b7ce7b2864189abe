"""`deltaadm alter`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.plans.alter import ChangeTexts, table_changes
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import TABLES_HELP, FleetOptions, pairs, require_tables
from deltaadm.runs.plan_options import ChangeOptions
from deltaadm.runs.plan_run import changes_planner
from deltaadm.runs.plan_tables import plan_tables
from deltaadm.storage.store import require_no_secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.plans.alter import TableChanges
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.names import Entry


class ColumnOptions(Parameters):
    """Changes of columns."""

    heading = "Columns"

    # fmt: off
    add_column: list[str] | None = option("COLUMN TYPE",
        "Add a column, for example 's.x INT COMMENT \"why\" AFTER y'.")
    set_type: list[str] | None = option("COLUMN=TYPE",
        "Widen a column's type, for example id=BIGINT.")
    drop_not_null: list[str] | None = option("COLUMN", "Make a column nullable.")
    set_comment: list[str] | None = option("COLUMN=TEXT", "Set a column's comment.")
    set_default: list[str] | None = option("COLUMN=EXPRESSION",
        "Set a column's default for future rows.")
    drop_default: list[str] | None = option("COLUMN", "Drop a column's default.")
    move: list[str] | None = option("COLUMN POSITION",
        "Move a column, for example 'id FIRST' or 'b AFTER a'.")
    rename_column: list[str] | None = option("COLUMN=NAME",
        "Rename a column; no data files are rewritten.")
    # fmt: on
    drop_column: list[str] | None = option("COLUMN", "Drop a column.")


class RuleOptions(Parameters):
    """Changes of constraints, layout and properties."""

    heading = "Constraints, clustering and properties"

    # fmt: off
    add_constraint: list[str] | None = option("NAME=EXPRESSION",
        "Add a CHECK constraint, for example 'positive=amount > 0'. Delta reads every row.")
    drop_constraint: list[str] | None = option("NAME", "Drop a constraint.")
    cluster_by: list[str] | None = option("COLUMN[,COLUMN...]",
        "Cluster the table by these columns, at most four.")
    no_cluster_by: bool = option("Stop clustering the table.")
    to_set: list[str] | None = option("--set", "PROPERTY=VALUE", "Set a property.")
    to_unset: list[str] | None = option("--unset", "PROPERTY", "Remove a property.")
    set_location: str | None = option("PATH",
        "Point the table's name in the catalog to another location; for a Delta table, to that of "
        "another Delta table.")
    # fmt: on
    checkpoint: bool = option("Write a checkpoint of the latest version; needs no Spark.")


class Alter(Parameters):
    """
    It can also point a table's name to another location, and write checkpoints.

    Each kind of change is a separate commit, in this order: set properties, drop constraints,
    add, change, cluster by, drop and rename columns, add constraints, unset properties; the
    checkpoint comes last. Columns have the names that they have before the change, in new
    constraints those that they have after it. s.x is the field x of the struct s; names that
    contain dots are quoted with backticks.

    --set-location cannot be combined with other changes, and commits nothing: the name in the
    catalog then points to the table at the new location, which must have the same columns and
    partitions.

    A table of another provider in Spark's own catalog, such as csv or parquet, is altered as far
    as Spark supports it: set and unset properties, add columns at the end, change comments and
    defaults, set the location. Each statement takes effect by itself.

    For example:

      deltaadm alter orders --add-column "country STRING" --set team=web

      deltaadm alter main.sales.orders --set-location /data/restored --apply

      deltaadm alter sales.export --set "comment=as CSV" --add-column "x INT"

      deltaadm alter s3://lake/orders --set team=web --apply --commit-engine embedded
    """

    tables: list[str] | None = argument("TABLE...", TABLES_HELP)
    columns: ColumnOptions
    rules: RuleOptions
    many: FleetOptions
    change: ChangeOptions


def run_alter(options: Alter, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    if (options.columns, options.rules) == (ColumnOptions(), RuleOptions()):
        raise UsageError("Specify a change, for example --set PROPERTY=VALUE.")
    if options.rules.no_cluster_by and options.rules.cluster_by:
        raise UsageError("cannot be combined with --cluster-by", option="--no-cluster-by")
    if options.rules.set_location is not None and (
        options.many.names_tables or len(options.tables or ()) > 1
    ):
        raise UsageError("takes a single table", option="--set-location")
    texts = _texts(options.columns, options.rules)
    require_tables(options.tables, options.many)

    changes = partial(table_changes, texts)
    return plan_tables(
        context,
        options.tables or (),
        options.many,
        changes_planner(texts),
        change=options.change,
        plan_foreign=lambda opened, table, entry: _alter_foreign(
            opened, table, entry, changes, options.change
        ),
    )


def _alter_foreign(
    context: RunContext,
    table: str,
    entry: Entry,
    changes: Callable[[Callable[[str], Snapshot]], TableChanges],
    change: ChangeOptions,
) -> int:
    from deltaadm.runs.foreign_plans import alter, moved_to

    return alter(context, table, entry, changes(moved_to), change)


def _texts(columns: ColumnOptions, rules: RuleOptions) -> ChangeTexts:
    """The changes as they stand on the command line."""
    require_no_secret(rules.set_location or "")
    clusters = rules.cluster_by or rules.no_cluster_by
    return ChangeTexts(
        set_properties=pairs(rules.to_set, "--set", "PROPERTY=VALUE"),
        unset=rules.to_unset or (),
        add_columns=columns.add_column or (),
        set_types=pairs(columns.set_type, "--set-type", "COLUMN=TYPE"),
        drop_not_null=columns.drop_not_null or (),
        set_comments=pairs(columns.set_comment, "--set-comment", "COLUMN=TEXT"),
        set_defaults=pairs(columns.set_default, "--set-default", "COLUMN=EXPRESSION"),
        drop_defaults=columns.drop_default or (),
        move=columns.move or (),
        rename_columns=pairs(columns.rename_column, "--rename-column", "COLUMN=NAME"),
        drop_columns=columns.drop_column or (),
        add_constraints=pairs(rules.add_constraint, "--add-constraint", "NAME=EXPRESSION"),
        drop_constraints=rules.drop_constraint or (),
        cluster_by=(rules.cluster_by or ()) if clusters else None,
        checkpoint=rules.checkpoint,
        location=rules.set_location,
    )
