"""The steps of a plan: groups of table changes that Delta commits together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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


Step = SetProperties | UnsetProperties | WriteCheckpoint | DropFeature | RenameColumn | DropColumns
