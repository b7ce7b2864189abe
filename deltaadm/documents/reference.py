"""The file that `record` writes, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.documents.common import Document, read_kind
from deltaadm.domain.model.json_values import (
    ANY,
    OPEN,
    STRING,
    STRINGS,
    array,
    constant,
    mapping,
    record,
    text,
    text_map,
    texts,
)
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.protocol import PROTOCOL, Protocol
from deltaadm.domain.model.snapshot import Snapshot
from deltaadm.domain.transaction.clustering import clustering_columns, with_clustering
from deltaadm.errors import DeltaadmError, SettingsError
from deltaadm.operations.reference import RecordedTable, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-reference"

_KEPT: Final = ("id", "name", "description", "format", "partitionColumns", "configuration")
"""The fields of the metadata; the schema is JSON rather than a text that holds it."""


def _metadata(recorded: RecordedTable) -> dict[str, Any]:
    wire = recorded.snapshot.metadata.to_wire()
    kept = {key: wire[key] for key in _KEPT if wire.get(key) is not None}
    kept["configuration"] = dict(sorted(kept.get("configuration", {}).items()))
    return kept


def _schema(recorded: RecordedTable) -> Any:
    """The schema as JSON; its text where that is none."""
    schema_string = recorded.snapshot.metadata.schema_string
    try:
        return None if schema_string is None else json.loads(schema_string)
    except (ValueError, RecursionError):
        return schema_string


def _clustering(recorded: RecordedTable) -> Any:
    """Without looking into the schema of a table that is not clustered, which may be unreadable."""
    snapshot = recorded.snapshot
    return clustering_columns(snapshot) if snapshot.domains else ()


_TABLE: Final = record(
    table=STRING,
    protocol=(PROTOCOL, lambda recorded: recorded.snapshot.protocol),
    metadata=(OPEN, _metadata),
    schema=(ANY, _schema),
    clustering_columns=(array(STRINGS), _clustering),
    fingerprints=mapping(STRING),
)
_REFERENCE: Final = record(
    kind=constant(_KIND), format_version=constant(FORMAT_VERSION), tables=array(_TABLE)
)
DOCUMENT: Final = Document("A reference: what tables are like", _REFERENCE)


def write_reference(documents: Iterable[Mapping[str, Any]]) -> str:
    """The file of the tables in *documents*: the same wherever and whenever it is written."""
    tables = sorted(
        (table for document in documents for table in document["tables"]),
        key=lambda table: str(table["table"]),
    )
    head = {"kind": _KIND, "format_version": FORMAT_VERSION}
    return json.dumps({**head, "tables": tables}, indent=2) + "\n"


def read_reference(source: str) -> Reference:
    """
    The reference in *source*.

    Raises `SettingsError` for anything else, a newer format included.
    """
    document = read_kind(source, _KIND, FORMAT_VERSION, _unreadable)
    try:
        return Reference(tuple(map(_recorded, document["tables"])))
    except (KeyError, TypeError, ValueError, AttributeError, DeltaadmError) as error:
        raise _unreadable("it has an invalid entry") from error


def _recorded(entry: Mapping[str, Any]) -> RecordedTable:
    schema = entry["schema"]
    stored = schema if schema is None or isinstance(schema, str) else json.dumps(schema)
    snapshot = Snapshot(
        root=text(entry["table"]),
        version=0,
        domains={},
        protocol=Protocol.from_wire(entry["protocol"]),
        metadata=Metadata.from_wire({**entry["metadata"], "schemaString": stored}),
    )
    columns = tuple(map(texts, entry["clustering_columns"]))
    if columns:
        snapshot = with_clustering(snapshot, columns)
    return RecordedTable(entry["table"], snapshot, text_map(entry["fingerprints"]))


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"This is not a reference of deltaadm: {cause}.",
        remedy="Write one with: deltaadm record TABLE --out FILE.",
    )
