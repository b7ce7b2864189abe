"""The steps of a plan: groups of table changes that Delta commits together."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.ddl import ColumnDefinition, Position
    from deltaadm.domain.schema import DataType, Path, StructType
    from deltaadm.domain.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SetProperties:
    """
    `ALTER TABLE … SET TBLPROPERTIES`: also the way to raise versions and to add features.

    *properties* may hold `delta.minReaderVersion`, `delta.minWriterVersion` and
    `delta.feature.<name>` beside ordinary properties.
    """

    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UnsetProperties:
    """`ALTER TABLE … UNSET TBLPROPERTIES`; without *if_exists* an absent key is an error."""

    keys: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class WriteCheckpoint:
    """
    A checkpoint of the newest version, to which `_last_checkpoint` points from then on.

    No commit: the version, the protocol, the metadata and the files stay as they are.
    """


@dataclass(frozen=True, slots=True)
class DropFeature:
    """
    `ALTER TABLE … DROP FEATURE`, by the name that the registry has for it.

    With *truncate_history* the statement has to be given twice where the table still has traces
    of the feature: the first run removes them, the second one, when the log's history has
    expired, the feature.
    """

    name: str
    truncate_history: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """`ALTER TABLE … RENAME COLUMN`; *column* is a path of names, *name* replaces its last part."""

    column: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class DropColumns:
    """`ALTER TABLE … DROP COLUMNS`, by paths of names; with *if_exists* absent ones are skipped."""

    columns: tuple[tuple[str, ...], ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumns:
    """`ALTER TABLE … ADD COLUMNS`; a later one may stand after an earlier one."""

    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """
    One thing that changes about one column; all but one of the fields after *column* are None.

    An empty *default* drops the column's default.
    """

    column: Path
    type: DataType | None = None
    nullable: bool | None = None
    comment: str | None = None
    position: Position | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeColumns:
    """
    `ALTER TABLE … ALTER COLUMN` for one or several columns.

    No column, nor one inside another, occurs twice, and one at most changes its position: Spark
    refuses the former, and carries out changes in no certain order.
    """

    changes: tuple[ColumnChange, ...]


@dataclass(frozen=True, slots=True)
class AddConstraint:
    """`ALTER TABLE … ADD CONSTRAINT … CHECK`; the rows that are there are checked first."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class DropConstraint:
    """`ALTER TABLE … DROP CONSTRAINT`; with *if_exists* an absent one is skipped."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ClusterBy:
    """`ALTER TABLE … CLUSTER BY`; no columns is CLUSTER BY NONE."""

    columns: tuple[Path, ...]


class CreationMode(Enum):
    """What becomes of a table that is there already, and whether one has to be."""

    CREATE = "create"
    CREATE_OR_REPLACE = "create-or-replace"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """
    `CREATE TABLE`, `CREATE OR REPLACE TABLE` or `REPLACE TABLE`.

    With a *query* the table is filled by it and *schema* is what the query gives. *location* is
    for a table with a name in a catalog that does not choose the place itself.
    """

    mode: CreationMode
    schema: StructType
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[Path, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    write_options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    location: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class SetLocation:
    """
    `ALTER TABLE … SET LOCATION`: a name in a catalog then leads to the table that is *there*.

    No commit: the catalog's entry changes, and both tables stay as they are.
    """

    there: Snapshot


Step = (
    SetProperties
    | UnsetProperties
    | WriteCheckpoint
    | DropFeature
    | RenameColumn
    | DropColumns
    | AddColumns
    | ChangeColumns
    | AddConstraint
    | DropConstraint
    | ClusterBy
    | CreateTable
    | SetLocation
)
