"""Clustering a table by columns, or by none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.json_values import STRINGS, array, record
from deltaadm.domain.model.schema import path_text
from deltaadm.domain.sql.sql_text import column_sql
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.clustering import (
    cluster_by,
    clustering_columns,
    lost_clustering,
    suspension,
)
from deltaadm.domain.transaction.columns import quoted_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.domain.model.schema import Path
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ClusterBy(Step):
    """
    `ALTER TABLE … CLUSTER BY`; no columns is CLUSTER BY NONE.

    *restored_later* are the columns by which a later step clusters the table again.
    """

    columns: tuple[Path, ...]
    restored_later: tuple[Path, ...] = ()

    kind = "cluster_by"
    json = record(columns=array(STRINGS), restored_later=array(STRINGS))
    operations = frozenset({"CLUSTER BY"})
    depends_on_state = True
    is_in_domains = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state with other clustering columns; files stay as they are until OPTIMIZE."""
        after = cluster_by(snapshot, self.columns, session)
        return replace(after, suspended_clustering=self.restored_later)

    @property
    def new_clustering(self) -> tuple[Path, ...]:
        """The columns of the statement; none of them removes the clustering."""
        return self.columns

    def obstacle(self, snapshot: Snapshot) -> str:
        """Delta looks up the old columns for the history, and fails if they are gone."""
        return _COLUMNS_GONE if lost_clustering(snapshot) else ""

    def _clause(self) -> str:
        return cluster_by_sql(self.columns) if self.columns else "CLUSTER BY NONE"

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The columns before and after."""
        columns = {
            "oldClusteringColumns": clustering_columns(before) or (),
            "newClusteringColumns": self.columns,
        }
        return Operation(
            "CLUSTER BY",
            {key: ",".join(map(quoted_name, paths)) for key, paths in columns.items()},
        )

    @property
    def annotation(self) -> str:
        """By which columns the table is to be clustered again."""
        return suspension(self.restored_later) if self.restored_later else ""

    def options(self) -> Iterator[str]:
        """`--cluster-by` or `--no-cluster-by`."""
        if not self.columns:
            yield "--no-cluster-by"
            return
        yield from ("--cluster-by", ",".join(map(path_text, self.columns)))


_COLUMNS_GONE = "Delta's own CLUSTER BY fails on a table whose clustering columns do not exist"


def cluster_by_sql(columns: Iterable[Path]) -> str:
    """The clause for some columns."""
    return f"CLUSTER BY ({', '.join(map(column_sql, columns))})"
