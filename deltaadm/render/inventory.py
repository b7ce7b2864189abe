"""The protocols of many tables as the rows of a table, for dashboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

COLUMNS: Final = {
    "table": str,
    "location": str,
    "version": int,
    "timestamp": int,
    "min_reader_version": int,
    "min_writer_version": int,
    "supported_features": list,
    "active_features": list,
    "unneeded_features": list,
    "column_mapping_mode": str,
    "cannot_read": list,
    "cannot_write": list,
    "warnings": list,
    "error_kind": str,
    "exit_code": int,
    "error_message": str,
    "error_remedy": str,
    "delta_error_class": str,
}
"""The columns in order: texts, whole numbers, and lists of texts."""


def inventory_row(document: Document) -> dict[str, Any]:
    """The row for a document of `inspect`, or for an error; what is not known is None."""
    row = dict.fromkeys(COLUMNS)
    row["table"] = document["table"]
    return row | (_failed(document["error"]) if "error" in document else _inspected(document))


def _failed(error: Document) -> dict[str, Any]:
    return {
        "error_kind": error["kind"],
        "exit_code": error["exit_code"],
        "error_message": error["message"],
        "error_remedy": error["remedy"],
        "delta_error_class": error["delta_error_class"],
    }


def _inspected(document: Document) -> dict[str, Any]:
    features = document["features"]
    return {
        "location": document["location"],
        "version": document["version"],
        "timestamp": document["timestamp"],
        "min_reader_version": document["protocol"]["minReaderVersion"],
        "min_writer_version": document["protocol"]["minWriterVersion"],
        "supported_features": [feature["name"] for feature in features if feature["supported"]],
        "active_features": [feature["name"] for feature in features if feature["active"]],
        "unneeded_features": list(document["slack"]),
        "column_mapping_mode": document["column_mapping"]["mode"],
        "cannot_read": list(_shut_out(document, "read")),
        "cannot_write": list(_shut_out(document, "write")),
        "warnings": list(document["warnings"]),
        "exit_code": 0,
    }


def _shut_out(document: Document, access: str) -> Iterator[str]:
    for client in document["clients"]:
        if client[access]["verdict"] in {"fails loudly", "silently wrong"}:
            yield f"{client['client']} {client['version']}"
