"""The JSON Schemas of all documents, and the lines of a run over many tables."""

from __future__ import annotations

from typing import Final

from deltaadm.documents import DOCUMENTS, FORMAT_VERSION, Document, document, kind_of_document
from deltaadm.json_values import Json, Schema

_KINDS: Final = (
    "inspect",
    "why",
    "for_client",
    "diff",
    "validate",
    "plan",
    "outcome",
    "repair",
    "drop_feature",
    "error",
)

LINE_DOCUMENT: Final = Document(
    "A line of a run over many tables",
    Json(lambda: {"anyOf": [kind_of_document(kind).schema for kind in _KINDS]}, document),
)


# All schemas


def _schema(name: str, kind: Document) -> Schema:
    schema = kind.schema
    if "document" in schema.get("properties", {}):
        schema = {**schema, "properties": {**schema["properties"], "document": {"const": name}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deltaadm:{name}:{FORMAT_VERSION}",
        "title": kind.title,
        **schema,
    }


SCHEMAS: Final[dict[str, Schema]] = {
    name: _schema(name, kind_of_document(of))
    for of, name in ((of, of.replace("_", "-")) for of in DOCUMENTS)
}
"""The schema of each kind of document, by its name."""
