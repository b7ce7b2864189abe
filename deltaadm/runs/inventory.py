"""`--save-as`: the protocols of many tables as the rows of a table, for dashboards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import DeltaTable, Schema, write_deltalake

from deltaadm.errors import RefusedError, UsageError
from deltaadm.runs.context import now
from deltaadm.storage.files import require_real_directory
from deltaadm.storage.threads import panics_as_errors

Document = Mapping[str, Any]

_TEXT, _NUMBER, _TIME = pa.string(), pa.int64(), pa.timestamp("us", tz="UTC")
_TEXTS, _CLIENTS = pa.list_(_TEXT), pa.list_(pa.struct({"client": _TEXT, "version": _TEXT}))
# fmt: off
_SCHEMA: Final = pa.schema({
    "table": _TEXT, "location": _TEXT, "version": _NUMBER, "timestamp": _TIME,
    "min_reader_version": _NUMBER, "min_writer_version": _NUMBER,
    "supported_features": _TEXTS, "active_features": _TEXTS, "unneeded_features": _TEXTS,
    "column_mapping_mode": _TEXT, "cannot_read": _CLIENTS, "cannot_write": _CLIENTS,
    "warnings": _TEXTS, "writers": _CLIENTS,
    "error_kind": _TEXT, "exit_code": _NUMBER, "error_message": _TEXT, "error_remedy": _TEXT,
    "delta_error_class": _TEXT, "inspected_at": _TIME,
})
# fmt: on
_KEY = ("table", "inspected_at")
"""The columns by which an inventory is known, whatever else later releases add to it."""


class Inventory:
    """
    Collects a row a table, and saves them in the format `delta`; any other is a usage error.

    Raises `RefusedError` for a place where they cannot be saved, or where something else is.
    """

    def __init__(self, table_format: str, path: Path) -> None:
        if table_format != "delta":
            raise UsageError(
                f"{table_format!r} is not supported; the only format is delta", option="--save-as"
            )
        _require_place(path)
        self._path = path
        self._begun = now() * 1000
        self._rows: list[dict[str, Any]] = []

    def add(self, document: Document) -> None:
        """Take one more table, or the error for one."""
        row = {"table": document["table"], "inspected_at": self._begun}
        if "error" in document:
            error = document["error"]
            row |= {"error_kind": error["kind"]}
            row |= {f"error_{name}": error[name] for name in ("message", "remedy")}
            row |= {name: error[name] for name in ("exit_code", "delta_error_class")}
        else:
            features = document["features"]
            row |= {
                "location": document["location"],
                "version": document["version"],
                "timestamp": document["timestamp"] and document["timestamp"] * 1000,
                "min_reader_version": document["protocol"]["minReaderVersion"],
                "min_writer_version": document["protocol"]["minWriterVersion"],
                "supported_features": [
                    feature["name"] for feature in features if feature["supported"]
                ],
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
        self._rows.append(row)

    def finish(self) -> None:
        """Add all of them to the table, or make it; raises `RefusedError` if that fails."""
        with _refusing(self._path):
            require_real_directory(self._path)
            rows = [{name: _storable(value) for name, value in row.items()} for row in self._rows]
            table = pa.Table.from_pylist(rows, schema=_SCHEMA)
            write_deltalake(str(self._path.absolute()), table, mode="append", schema_mode="merge")


def _shut_out(document: Document, access: str) -> list[dict[str, str]]:
    return [
        {"client": client["client"], "version": client["version"]}
        for client in document["clients"]
        if client[access]["verdict"] in {"fails loudly", "silently wrong"}
    ]


# The table on this machine


def _require_place(path: Path) -> None:
    if re.match(r"[\w+.-]{2,}:/", path.as_posix()):  # one letter is a drive
        raise RefusedError(
            f"The inventory cannot be saved to {path}: it is a URL, not a directory.",
            remedy="Choose a directory of this machine, and copy it from there.",
        )
    with _refusing(path):
        require_real_directory(path)
        # An absolute path, or deltalake would take some names for URLs.
        if not DeltaTable.is_deltatable(str(path.absolute())):
            return
        there = {field.name: field.type for field in DeltaTable(path.absolute()).schema().fields}
        types = {field.name: field.type for field in Schema.from_arrow(_SCHEMA).fields}
        if any(there.get(name) != types[name] for name in _KEY):
            raise RefusedError(
                f"The table at {path} is not an inventory: it lacks {' or '.join(_KEY)}, or has "
                "another type there.",
                remedy="Choose another path; the inventory table is created if none exists there.",
            )


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        with panics_as_errors():
            yield
    except RefusedError:
        raise
    except Exception as error:
        description = (isinstance(error, OSError) and error.strerror) or str(error)
        reason = " ".join(description.split()) or type(error).__name__
        raise RefusedError(
            f"The inventory cannot be saved to {path}: {reason.rstrip('.')}.",
            remedy="Choose another path.",
        ) from error


def _storable(value: Any) -> Any:
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, int) and value.bit_length() >= _BITS:
        return None  # as for a time that is no date
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value


_BITS: Final = 64  # of a number in the table
