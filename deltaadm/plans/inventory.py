"""Adding rows to a Delta table on this machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltaadm.errors import RefusedError
from deltaadm.storage.files import require_real_directory
from deltaadm.storage.threads import panics_as_errors

if TYPE_CHECKING:
    import pyarrow as pa


def require_place(path: Path, key: Collection[str], columns: Mapping[str, type]) -> None:
    """
    Raise `RefusedError` where rows of *columns*, by *key* those of an inventory, cannot be added.

    So for a table at *path* that lacks one of the key: it is somebody else's, and rows of other
    columns would be added to it. So, too, where one of the columns has another type there.
    """
    with _refusing(path):
        from deltalake import DeltaTable, Schema

        require_real_directory(path)
        # An absolute path, or deltalake would take some names for URLs.
        if not DeltaTable.is_deltatable(str(path.absolute())):
            return
        there = {field.name: field for field in DeltaTable(str(path.absolute())).schema().fields}
        lacking = [column for column in key if column not in there]
        if lacking:
            raise RefusedError(
                f"The table at {path} is not an inventory: it has no column {lacking[0]}.",
                remedy="Choose another path; the inventory table is created if none exists there.",
            )
        for field in Schema.from_arrow(_schema(columns)).fields:
            if field.name in there and there[field.name].type != field.type:
                raise RefusedError(
                    f"The inventory at {path} was made by an earlier release: its column "
                    f"{field.name} has another type.",
                    remedy="Choose another path, or move that table away.",
                )


def add_rows(path: Path, columns: Mapping[str, type], rows: Sequence[Mapping[str, Any]]) -> None:
    """
    Add *rows* to the table at *path*, which is created if none is there.

    The type of a column is that of its values; `datetime` is for microseconds since 1970, and
    `dict` for clients, each with its version. Raises `RefusedError` where that is not possible.
    """
    with _refusing(path):
        import pyarrow as pa
        from deltalake import write_deltalake

        require_real_directory(path)
        plain = [{name: _unicode(value) for name, value in row.items()} for row in rows]
        table = pa.Table.from_pylist(plain, schema=_schema(columns))
        write_deltalake(str(path.absolute()), table, mode="append", schema_mode="merge")


def _schema(columns: Mapping[str, type]) -> pa.Schema:
    import pyarrow as pa

    client = pa.struct([("client", pa.string()), ("version", pa.string())])
    types = {
        str: pa.string(),
        int: pa.int64(),
        datetime: pa.timestamp("us", tz="UTC"),
        list: pa.list_(pa.string()),
        dict: pa.list_(client),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Trouble of whatever kind as `RefusedError`."""
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


def _unicode(value: Any) -> Any:
    """The same without the halves of characters that stand for odd bytes in names of files."""
    if isinstance(value, list):
        return [_unicode(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
