"""Schemas and one-commit tables for cases in which only protocol and metadata matter."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.tables import (
    Action,
    Table,
    column,
    commit,
    commit_info,
    drafted,
    metadata,
    protocol,
    table,
)

INFO = commit_info(txnId="6a9f")
field = column


def schema(*fields: Any) -> str:
    """A schema of fields, each a name with its type, or a whole JSON object."""
    documents = [field(*entry) if isinstance(entry, tuple) else entry for entry in fields]
    return json.dumps({"type": "struct", "fields": documents})


def mapped(name: str, number: int, kind: Any = "integer", physical: str = "", **keys: Any) -> Any:
    """A field with column mapping's metadata."""
    ids = {
        "delta.columnMapping.id": number,
        "delta.columnMapping.physicalName": physical or f"col-{number}",
    }
    return field(name, kind, **(ids | keys))


def struct(*fields: Any) -> Any:
    return json.loads(schema(*fields))


def array(element: Any) -> Any:
    return {"type": "array", "elementType": element, "containsNull": True}


def mapping(key: Any, value: Any) -> Any:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


@drafted
def one_commit(path: Path, *actions: Action) -> Table:
    return table(path, commit(INFO, *actions))


@drafted
def with_protocol(
    path: Path,
    reader: int,
    writer: int,
    readers: Sequence[str] | None = None,
    writers: Sequence[str] | None = None,
    **meta: Any,
) -> Table:
    """A table of one commit with this protocol."""
    return table(path, commit(INFO, protocol(reader, writer, readers, writers), metadata(**meta)))


@drafted
def with_columns(path: Path, *fields: Any, **meta: Any) -> Table:
    """A table of one commit with these columns."""
    return with_protocol(1, 2, schemaString=schema(*fields), **meta)(path)


@drafted
def with_properties(path: Path, **properties: str) -> Table:
    """A table of one commit with these properties, `delta.` left out and `_` for a dot."""
    configuration = {f"delta.{key.replace('_', '.')}": value for key, value in properties.items()}
    return with_protocol(1, 2, configuration=configuration)(path)
