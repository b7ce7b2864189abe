"""
What only the descriptions of Delta have by themselves: nothing else in deltaadm needs it.

`docs/system-map.md` points here. Names are Delta's in Python spelling; where today's Delta Spark
(4.4.0) differs from a description, it is followed, and the docstring says so.
"""

from __future__ import annotations

from typing import Final

from deltaadm.dataclass import replace
from deltaadm.domain.actions import ACTIONS
from deltaadm.domain.features import FEATURES, TableFeature
from deltaadm.domain.properties import is_protocol_property
from deltaadm.domain.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    extract_automatically_enabled_features,
    upgrade_protocol_from_metadata_for_existing_table,
)
from deltaadm.domain.schema import FieldKey, Path, StructField, StructType
from deltaadm.domain.transaction.column_mapping import (
    ColumnMappingMode,
    column_mapping_mode,
    create_physical_schema,
)
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import RefusedError

# Action


def log_schema() -> StructType:
    """
    The schema of `SingleAction`, one nullable struct per action (Delta's `logSchema`).

    Today's Delta has more columns than the `Action` page lists; all of today's are here.
    """
    return StructType(tuple(StructField(name, kind.log_type()) for name, kind in ACTIONS.items()))


# Protocol


def for_table_feature(feature: str) -> Protocol:
    """
    A protocol with *feature* and its direct requirements alone (`forTableFeature`).

    A legacy reader-writer feature is listed for writers only.
    """
    entry = TableFeature.find(feature)
    names = {entry.name, *entry.requires}
    readers = frozenset(
        name for name in names if FEATURES[name].is_reader and not FEATURES[name].is_legacy
    )
    return Protocol(
        READER_FEATURES_VERSION if readers else 1,
        WRITER_FEATURES_VERSION,
        readers or None,
        frozenset(names),
    )


def min_protocol_components_from_metadata(metadata: Metadata) -> tuple[int, int, frozenset[str]]:
    """
    Reader version, writer version and features that a new table with *metadata* needs.

    `delta.feature.*` counts, and so do the two version properties where both are given.
    """
    protocol = Protocol.minimum(metadata)
    return protocol.min_reader_version, protocol.min_writer_version, protocol.supported_features


def min_protocol_components_from_automatically_enabled_features(
    metadata: Metadata, current: Protocol | None = None
) -> tuple[int, int, frozenset[str]]:
    """
    The highest declared versions among the automatically enabled features, and those features.

    For information: the versions start at 0 and are not normalised. Today's Delta takes the
    *current* protocol; older descriptions do not.
    """
    features = extract_automatically_enabled_features(metadata, current)
    versions = [FEATURES[name].versions for name in features]
    return (
        max((reader for reader, _ in versions), default=0),
        max((writer for _, writer in versions), default=0),
        features,
    )


def check_protocol_requirements(metadata: Metadata, current: Protocol) -> Protocol | None:
    """
    Raise `RefusedError` if a protocol key is stored in the configuration; else say what is needed.

    The result is that of `upgrade_protocol_from_metadata_for_existing_table`; today's Delta
    has split the two.
    """
    stored = sorted(key for key in metadata.configuration if is_protocol_property(key))
    if stored:
        raise RefusedError(
            f"The table's properties contain protocol settings: {', '.join(stored)}.",
            remedy="Unset them; only the protocol action defines what the table needs.",
        )
    return upgrade_protocol_from_metadata_for_existing_table(metadata, current)


# DeltaColumnMapping

MIN_READER_VERSION: Final = 2
"""The legacy reader version that implies column mapping."""
MIN_WRITER_VERSION: Final = 5
"""The legacy writer version that implies column mapping."""
MIN_PROTOCOL_VERSION: Final = Protocol(MIN_READER_VERSION, MIN_WRITER_VERSION)


def supported_modes() -> frozenset[ColumnMappingMode]:
    """All three modes; old descriptions lack `id`, which was added later."""
    return frozenset(ColumnMappingMode)


def requires_new_protocol(metadata: Metadata) -> bool:
    """Whether the mode of *metadata* needs a protocol with column mapping."""
    return column_mapping_mode(metadata) is not ColumnMappingMode.NONE


def satisfies_column_mapping_protocol(protocol: Protocol) -> bool:
    """
    Whether *protocol* supports column mapping.

    Old descriptions compare version numbers, (2, 5) or higher; today a (3, 7) protocol must
    list the feature.
    """
    return protocol.supports("columnMapping")


def change_column_mapping_mode_on_old_protocol(protocol: Protocol) -> RefusedError:
    """The error for a mode change on a protocol without column mapping; today's Delta upgrades."""
    return RefusedError(
        "The table's protocol does not support column mapping: it is "
        f"{protocol.simple_string}, and {MIN_PROTOCOL_VERSION.simple_string} is needed.",
        remedy="Run `deltaadm enable-feature TABLE columnMapping` first.",
        delta_error_class="DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL",
    )


def create_physical_attributes(
    output: tuple[StructField, ...], reference_schema: StructType, mode: ColumnMappingMode
) -> tuple[StructField, ...]:
    """The columns of a query's *output* as `create_physical_schema` renames them."""
    return create_physical_schema(StructType(output), reference_schema, mode).fields


def assign_physical_names(schema: StructType, *, reuse_logical_name: bool = False) -> StructType:
    """*schema* with a physical name for every field without one: its own name, or a new one."""

    def assign(_: Path, field: StructField) -> StructField:
        if FieldKey.PHYSICAL_NAME in field.metadata:
            return field
        name = field.name if reuse_logical_name else f"col-{KNOWN_AFTER_COMMIT}"
        return replace(field, metadata={**field.metadata, FieldKey.PHYSICAL_NAME: name})

    return schema.rewrite(assign)
