"""Questions about the state of a table that several rules ask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.properties import switch
from deltaadm.domain.model.schema import StructType, path_text, walk
from deltaadm.domain.transaction.clustering import physical_clustering
from deltaadm.domain.transaction.column_mapping import (
    ColumnMappingMode,
    column_mapping_mode,
    physical_name,
)
from deltaadm.domain.transaction.iceberg import VERSIONS as COMPAT_VERSIONS
from deltaadm.domain.transaction.iceberg import compat_key
from deltaadm.errors import DeltaadmError
from deltaadm.validation.once import Once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import SnapshotFacts
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import DataType, StructField
    from deltaadm.domain.model.snapshot import Snapshot

Path = tuple[str, ...]


def _fields_of(metadata: Metadata) -> tuple[tuple[Path, StructField], ...]:
    try:
        return tuple(walk(metadata.schema))
    except DeltaadmError:
        return ()


fields_of: Final = Once(_fields_of)
"""All columns with their paths; none where the schema cannot be read."""


def top_fields(metadata: Metadata) -> tuple[StructField, ...]:
    """The top-level columns."""
    return tuple(field for path, field in fields_of(metadata) if len(path) == 1)


def place_of(path: Path) -> str:
    """A column as the place of a finding."""
    return f"schema[{path_text(path)}]"


def mapping_mode(metadata: Metadata) -> ColumnMappingMode | None:
    """The column mapping mode; None where its property holds no mode."""
    try:
        return column_mapping_mode(metadata)
    except DeltaadmError:
        return None


def is_on(snapshot: Snapshot, feature: str, key: str) -> bool:
    """Whether a feature is supported and its property on."""
    on = snapshot.protocol.supports(feature) and switch(snapshot.metadata.configuration, key)
    return bool(on)


def active_compat_versions(snapshot: Snapshot) -> Iterator[int]:
    """The versions of Iceberg compatibility that are active."""
    for version in COMPAT_VERSIONS:
        if is_on(snapshot, f"icebergCompatV{version}", compat_key(version)):
            yield version


def whole_number(text: str | None) -> int | None:
    """The value of a property that holds a whole number."""
    # As Java reads a long; Python's int() also takes blanks, underscores and other digits.
    if text is None or not re.fullmatch(r"[+-]?\d{1,19}", text, re.ASCII):
        return None
    return int(text)


def clustered_columns(table: SnapshotFacts) -> Iterator[tuple[Path, DataType | None]]:
    """The columns that the table is clustered by, with their types."""
    metadata, mode = table.snapshot.metadata, mapping_mode(table.snapshot.metadata)
    if mode is None or not fields_of(metadata) or not table.state.supports("clustering"):
        return
    for path in physical_clustering(table.snapshot.domains or {}):
        data_type: DataType | None = metadata.schema
        for part in path:
            inner = data_type.fields if isinstance(data_type, StructType) else ()
            data_type = next(
                (field.type for field in inner if stored_name(field, mode) == part), None
            )
        yield path, data_type


def stored_name(field: StructField, mode: ColumnMappingMode) -> str:
    """The name of a column in the data files."""
    return field.name if mode is ColumnMappingMode.NONE else physical_name(field)
