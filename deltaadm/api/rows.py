"""The rows of a document as an Arrow table, whose columns are those of its schema."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa


def arrow_table(kind: str, document: Mapping[str, Any], rows: str) -> pa.Table:
    """The field *rows* of *document*, which is one of the module called *kind*."""
    import pyarrow as pa

    schema = import_module(f"deltaadm.documents.{kind}").DOCUMENT.schema
    columns = dict(_columns(schema["properties"][rows]["items"]))
    arrays = [
        pa.array([_cell(row, path, is_json=is_json) for row in document[rows]], kind_of)
        for path, (kind_of, is_json) in columns.items()
    ]
    return pa.table(arrays, names=[".".join(path) for path in columns])


def _columns(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[pa.DataType, bool]]]:
    """The type of each field that is no object, by its path, and whether it is given as JSON."""
    import pyarrow as pa

    plain = {"string": pa.string(), "integer": pa.int64(), "boolean": pa.bool_()}
    for name, field in schema["properties"].items():
        known = _without_null(field)
        if known.get("type") == "object" and "properties" in known:
            yield from _columns(known, (*path, name))
        elif "enum" in known:
            yield (*path, name), (pa.string(), False)
        else:
            arrow_type = plain.get(known.get("type", ""))
            yield (*path, name), (arrow_type or pa.string(), arrow_type is None)


def _without_null(field: Mapping[str, Any]) -> Mapping[str, Any]:
    left = [
        alternative for alternative in field.get("anyOf", ()) if alternative != {"type": "null"}
    ]
    branch: Mapping[str, Any] = left[0] if len(left) == 1 else field
    return branch


def _cell(row: Any, path: tuple[str, ...], *, is_json: bool) -> Any:
    value = row
    for name in path:
        value = None if value is None else value.get(name)
    return json.dumps(value) if is_json and value is not None else value
