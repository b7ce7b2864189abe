"""Writing rows as a table: Delta, Parquet or CSV."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from deltaadm.errors import Refused
from deltaadm.storage.files import (
    replacing,
    require_real_directory,
    require_replaceable,
    write_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    Rows = Sequence[Mapping[str, Any]]
    Columns = Mapping[str, type]


def require_place(kind: str, path: Path, key: Collection[str]) -> None:
    """
    Raise `Refused` where rows of which *key* are columns cannot be saved to *path* as *kind*.

    So for a Delta table that lacks one of them: it is somebody else's, and rows of other columns
    would be added to it.
    """
    with _refusing(path):
        _CHECKS[kind](path, key)


def save_rows(kind: str, path: Path, columns: Columns, rows: Rows) -> None:
    """
    Write *rows* to *path* as one of `KINDS`.

    They are added to a Delta table that is there; a file that is there is replaced as a whole.
    Raises `Refused` where that is not possible.
    """
    with _refusing(path):
        _WRITERS[kind](path, columns, rows)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Trouble of whatever kind as `Refused`."""
    try:
        yield
    except Refused:
        raise
    except Exception as error:
        description = (isinstance(error, OSError) and error.strerror) or str(error)
        reason = " ".join(description.split()) or type(error).__name__
        raise Refused(
            f"The inventory cannot be saved to {path}: {reason.rstrip('.')}.",
            remedy="Choose another path.",
        ) from error


def _require_key(path: Path, key: Collection[str]) -> None:
    from deltalake import DeltaTable

    require_real_directory(path)
    if not DeltaTable.is_deltatable(str(path)):
        return
    there = {field.name for field in DeltaTable(str(path)).schema().fields}
    lacking = [column for column in key if column not in there]
    if lacking:
        raise Refused(
            f"The table at {path} is not an inventory: it has no column {lacking[0]}.",
            remedy="Choose another path; the inventory table is created if none exists there.",
        )


def _require_directory(path: Path, _: Collection[str]) -> None:
    if not path.parent.is_dir():
        raise NotADirectoryError(f"there is no directory {path.parent}")
    require_replaceable(path)


def _delta(path: Path, columns: Columns, rows: Rows) -> None:
    from deltalake import write_deltalake

    require_real_directory(path)
    write_deltalake(str(path), _arrow(columns, rows), mode="append", schema_mode="merge")


def _parquet(path: Path, columns: Columns, rows: Rows) -> None:
    import pyarrow.parquet as pq

    with replacing(path) as file:
        pq.write_table(_arrow(columns, rows), file)


def _csv(path: Path, columns: Columns, rows: Rows) -> None:
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row[name]) for name in columns] for row in rows)
    write_whole(path, text.getvalue().encode("utf-8", "backslashreplace"))


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


def _arrow(columns: Columns, rows: Rows) -> pa.Table:
    import pyarrow as pa

    types = {str: pa.string(), int: pa.int64(), list: pa.list_(pa.string())}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    plain = [{name: _unicode(value) for name, value in row.items()} for row in rows]
    return pa.Table.from_pylist(plain, schema=schema)


def _unicode(value: Any) -> Any:
    """The same without the halves of characters that stand for odd bytes in names of files."""
    if isinstance(value, list):
        return [_unicode(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value


_WRITERS: Final[Mapping[str, Callable[[Path, Columns, Rows], None]]] = {
    "delta": _delta,
    "parquet": _parquet,
    "csv": _csv,
}
_CHECKS: Final[Mapping[str, Callable[[Path, Collection[str]], None]]] = {
    "delta": _require_key,
    "parquet": _require_directory,
    "csv": _require_directory,
}
KINDS: Final = tuple(_WRITERS)
"""The forms in which rows can be written."""
