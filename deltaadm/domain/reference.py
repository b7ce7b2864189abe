"""What Delta Spark 4.4 refuses before it looks at any change: tables it cannot read or write."""

from __future__ import annotations

import re

from deltaadm.domain.features import lookup
from deltaadm.domain.protocol import (
    extract_automatically_enabled_features,
    supported_protocol,
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.errors import DeltaadmError, Refused, TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.protocol import Protocol
    from deltaadm.domain.snapshot import Snapshot


def refusal_to_read(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta Spark would refuse even to load *snapshot*; None where it loads."""
    try:
        require_readable(snapshot)
    except DeltaadmError as error:
        return error
    return None


def refusal_to_write(snapshot: Snapshot) -> DeltaadmError | None:
    """Why Delta Spark would refuse any write to *snapshot*; None where it would write."""
    try:
        require_readable(snapshot)
        require_writable(snapshot)
    except DeltaadmError as error:
        return error
    return None


def require_readable(snapshot: Snapshot) -> None:
    """
    Raise what Delta raises on loading: for a malformed or unsupported protocol, and for one
    that lacks features which the metadata needs (`assertTableFeaturesMatchMetadata`).
    """
    protocol = snapshot.protocol
    if protocol.malformation is not None:
        raise Refused(
            protocol.malformation.message,
            remedy=protocol.malformation.remedy,
            delta_error_class="EXPRESSION_DECODING_FAILED",
        )
    if protocol.min_reader_version not in supported_reader_version_numbers():
        raise _unsupported_version(protocol)
    _require_known(protocol.reader_features, supported_protocol().reader_features, "read")
    _require_known_types(snapshot.metadata)
    if protocol.supports_writer_features:
        _require_features_of_metadata(snapshot)
    if protocol.supports("catalogManaged"):
        raise Refused(
            "The table is managed by a catalog, and Delta Spark does not open it by its path.",
            remedy="Use the catalog's own tools, or the table's name in the catalog.",
            delta_error_class="DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED",
        )


def require_writable(snapshot: Snapshot) -> None:
    """Raise what Delta raises on writing to a table that it could load."""
    protocol = snapshot.protocol
    if protocol.min_writer_version not in supported_writer_version_numbers():
        raise _unsupported_version(protocol)
    _require_known(protocol.writer_features, supported_protocol().writer_features, "write")
    names = {one.name for one in snapshot.metadata.schema.fields}
    missing = [one for one in snapshot.metadata.partition_columns if one not in names]
    if missing:
        raise TableError(
            f"The table is partitioned by {', '.join(missing)}, which its schema does not have.",
            remedy="Restore the version before the schema lost the column.",
            delta_error_class="FIELD_NOT_FOUND",
        )


def _unsupported_version(protocol: Protocol) -> Refused:
    return Refused(
        f"Delta Spark does not know reader version {protocol.min_reader_version} with writer "
        f"version {protocol.min_writer_version}.",
        remedy="Use a newer client, or repair the protocol if the versions are a mistake.",
        delta_error_class="DELTA_INVALID_PROTOCOL_VERSION",
    )


def _require_known(listed: frozenset[str] | None, known: frozenset[str] | None, what: str) -> None:
    unknown = sorted((listed or frozenset()) - (known or frozenset()))
    if not unknown:
        return
    spelled = [one.name for one in map(lookup, unknown) if one is not None and one.in_reference]
    raise Refused(
        f"Delta Spark cannot {what} the table: it does not know the table "
        f"feature{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}.",
        remedy=f"The right spelling is {', '.join(spelled)}."
        if spelled
        else "Use a client that knows them.",
        delta_error_class=f"DELTA_UNSUPPORTED_FEATURES_FOR_{what.upper()}",
    )


_MAX_PRECISION = 38
_SPARK_TYPES = frozenset(
    {
        *("binary", "boolean", "byte", "date", "decimal", "double", "float", "geography"),
        *("geometry", "integer", "interval", "long", "null", "short", "string", "timestamp"),
        *("timestamp_ntz", "variant", "void"),
    }
)
_SPARK_TYPES_WITH_DETAILS = (
    r"interval .*|time\(\d\)|(var)?char\(\d+\)|decimal\(\s*\d+\s*,.*\)|"
    r"(geometry|geography)\(.*\)|string collate .*"
)


def is_spark_type(name: str) -> bool:
    """Whether Spark can read the type *name* in a schema."""
    return name in _SPARK_TYPES or bool(re.fullmatch(_SPARK_TYPES_WITH_DETAILS, name))


def _require_known_types(metadata: Metadata) -> None:
    """Spark reads the schema before anything else, and stops at a type it cannot read."""
    for data_type in metadata.primitive_types:
        if not is_spark_type(data_type.name):
            raise TableError(
                f"The table's schema has a type that Spark does not know: {data_type.name}.",
                remedy="Use the client that wrote it.",
                delta_error_class="INVALID_JSON_DATA_TYPE",
            )
        if _precision(data_type.name) > _MAX_PRECISION:
            raise TableError(
                f"The table's schema has {data_type.name}; the highest precision is "
                f"{_MAX_PRECISION}.",
                remedy="Restore the version before that column came in.",
                delta_error_class="DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            )


def _precision(type_name: str) -> int:
    """How many digits values of a decimal type have; 0 for other types."""
    if not type_name.startswith("decimal("):
        return 0
    digits = re.match(r"decimal\(\s*0*(\d{1,9})", type_name)
    return int(digits[1]) if digits else 0


def _require_features_of_metadata(snapshot: Snapshot) -> None:
    listed = snapshot.protocol.writer_features or frozenset()
    needed = extract_automatically_enabled_features(snapshot.metadata, snapshot.protocol)
    missing = sorted(needed - listed)
    if missing:
        raise Refused(
            "The table's protocol lacks features that its metadata uses or that others require: "
            f"{', '.join(missing)}.",
            remedy="Delta Spark refuses such a table altogether; the client that wrote the "
            "protocol must add them.",
            delta_error_class="DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        )
