"""`--save-as`: the protocols of many tables as the rows of a table, for dashboards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import UsageError
from deltaadm.plans.inventory import add_rows, require_place
from deltaadm.runs.context import now

if TYPE_CHECKING:
    Document = Mapping[str, Any]

# fmt: off
_COLUMNS: Final = {
    "table": str, "location": str, "version": int, "timestamp": datetime,
    "min_reader_version": int, "min_writer_version": int,
    "supported_features": list, "active_features": list, "unneeded_features": list,
    "column_mapping_mode": str, "cannot_read": dict, "cannot_write": dict, "warnings": list,
    "writers": dict,
    "error_kind": str, "exit_code": int, "error_message": str, "error_remedy": str,
    "delta_error_class": str, "inspected_at": datetime,
}
# fmt: on
_KEY = ("table", "inspected_at")
"""The columns by which an inventory is known, whatever else later releases add to it."""


class Inventory:
    """
    Collects a row a table, and saves them.

    Any format but `delta` is a usage error. Raises `RefusedError` for a place where the rows cannot
    be saved, or where something else is.
    """

    def __init__(self, table_format: str, path: Path) -> None:
        if table_format != "delta":
            raise UsageError(
                f"{table_format!r} is not supported; the only format is delta",
                option="--save-as",
            )
        require_place(path, _KEY, _COLUMNS)
        self._path = path
        self._begun = now() * 1000
        self._rows: list[dict[str, Any]] = []

    def add(self, document: Document) -> None:
        """Take one more table, or the error for one."""
        row = {**dict.fromkeys(_COLUMNS), "table": document["table"], "inspected_at": self._begun}
        if "error" in document:
            error = document["error"]
            row |= {"error_kind": error["kind"]}
            row |= {f"error_{name}": error[name] for name in ("message", "remedy")}
            row |= {name: error[name] for name in ("exit_code", "delta_error_class")}
        else:
            row |= _inspected(document)
        self._rows.append(row)

    def finish(self) -> None:
        """Write all of them; raises `RefusedError` where that is not possible."""
        add_rows(self._path, _COLUMNS, self._rows)


def _inspected(document: Document) -> dict[str, Any]:
    features = document["features"]
    return {
        "location": document["location"],
        "version": document["version"],
        "timestamp": document["timestamp"] and document["timestamp"] * 1000,
        "min_reader_version": document["protocol"]["minReaderVersion"],
        "min_writer_version": document["protocol"]["minWriterVersion"],
        "supported_features": [feature["name"] for feature in features if feature["supported"]],
        "active_features": [feature["name"] for feature in features if feature["active"]],
        "unneeded_features": list(document["slack"]),
        "column_mapping_mode": document["column_mapping"]["mode"],
        "cannot_read": _shut_out(document, "read"),
        "cannot_write": _shut_out(document, "write"),
        "warnings": list(document["warnings"]),
        "writers": [
            {"client": writer["client"] or writer["engine"], "version": writer["version"]}
            for writer in document.get("writers", ())
            if writer["engine"]
        ],
        "exit_code": 0,
    }


def _shut_out(document: Document, access: str) -> list[dict[str, str]]:
    return [
        {"client": client["client"], "version": client["version"]}
        for client in document["clients"]
        if client[access]["verdict"] in {"fails loudly", "silently wrong"}
    ]
