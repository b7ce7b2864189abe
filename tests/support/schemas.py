"""Schemas and one-commit tables for cases in which only protocol and metadata matter."""

import json
from pathlib import Path
from typing import Any

from tests.support import tables
from tests.support.tables import Action, Table, column, commit, commit_info, drafted, table


def schema(*fields: Any) -> str:
    """A schema of fields, each a name with its type, or a whole JSON object."""
    return tables.schema(*(column(*one) if isinstance(one, tuple) else one for one in fields))


def mapped(name: str, number: int, kind: Any = "integer", physical: str = "", **keys: Any) -> Any:
    """A field with column mapping's metadata."""
    ids = {
        "delta.columnMapping.id": number,
        "delta.columnMapping.physicalName": physical or f"col-{number}",
    }
    return column(name, kind, **(ids | keys))


def struct(*fields: Any) -> Any:
    return json.loads(schema(*fields))


def array(element: Any) -> Any:
    return {"type": "array", "elementType": element, "containsNull": True}


def mapping(key: Any, value: Any) -> Any:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


@drafted
def one_commit(path: Path, *actions: Action) -> Table:
    return table(path, commit(commit_info(), *actions))
