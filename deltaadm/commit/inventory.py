"""Writing rows as a table: Delta, Parquet or CSV."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    Rows = Sequence[Mapping[str, Any]]
    Columns = Mapping[str, type]


def save_rows(kind: str, path: Path, columns: Columns, rows: Rows) -> None:
    """
    Write *rows* to *path* as one of `KINDS`.

    They are added to a Delta table that is there; a file that is there is replaced as a whole.
    Raises `Refused` where that is not possible.
    """
    try:
        _WRITERS[kind](path, columns, rows)
    except Refused:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise Refused(
            f"The inventory cannot be saved to {path}: {reason.rstrip('.')}.",
            remedy="Choose another place.",
        ) from error


def _delta(path: Path, columns: Columns, rows: Rows) -> None:
    from deltalake import write_deltalake

    write_deltalake(str(path), _arrow(columns, rows), mode="append", schema_mode="merge")


def _parquet(path: Path, columns: Columns, rows: Rows) -> None:
    import pyarrow.parquet as pq

    begun = path.with_name(f".{path.name}.new")
    pq.write_table(_arrow(columns, rows), begun)
    begun.replace(path)


def _csv(path: Path, columns: Columns, rows: Rows) -> None:
    begun = path.with_name(f".{path.name}.new")
    with begun.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)
    begun.replace(path)


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


def _arrow(columns: Columns, rows: Rows) -> pa.Table:
    import pyarrow as pa

    types = {str: pa.string(), int: pa.int64(), list: pa.list_(pa.string())}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


_WRITERS: Final[Mapping[str, Callable[[Path, Columns, Rows], None]]] = {
    "delta": _delta,
    "parquet": _parquet,
    "csv": _csv,
}
KINDS: Final = tuple(_WRITERS)
"""What rows can be written as."""
