"""The ways in which a program names a table: a path, URL, name, or another library's object."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from deltaadm.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Source(NamedTuple):
    """The name of a table, the options of its object store, and the Spark session that has it."""

    text: str
    storage_options: Mapping[str, str] = {}
    spark: Any = None


def source_of(source: object) -> Source:
    """
    What *source* leads to; of a table in another library its location or name, not its version.

    Raises `TypeError` for what is no table, `ValueError` for an empty name, and `TableError` for a
    table that Spark cannot describe.
    """
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if isinstance(source, str):
        if not source.strip():
            raise ValueError("The name of the table is empty.")
        return Source(source)
    library = type(source).__module__.partition(".")[0]
    if library == "deltalake" and hasattr(source, "table_uri"):
        options = getattr(source, "_storage_options", None) or {}
        return Source(_path_of(source.table_uri).rstrip("/") or "/", options)
    if library == "delta" and hasattr(source, "detail"):
        return _of_spark(source)
    raise TypeError(
        "A table is a path, a URL, a name, or a DeltaTable of deltalake or delta-spark, not "
        f"{type(source).__name__} ({source!r:.60})."
    )


def _path_of(url: str) -> str:
    """The path on this machine that *url* stands for, or else *url*."""
    parts = urlsplit(url)
    return url2pathname(parts.path) if parts.scheme == "file" else url


def _of_spark(source: Any) -> Source:
    from deltaadm.spark.catalog import plain_location

    try:
        row = source.detail().select("name", "location").head()
    except Exception as error:
        from deltaadm.spark.errors import refusal

        if "delta.connect" in str(error):  # the message that a server without Delta's plugin has
            raise TableError(
                "The Spark Connect server cannot describe a DeltaTable: it lacks Delta's plugin.",
                remedy="Pass the table's name or location, and the session as spark=.",
            ) from error
        raise refusal(error) from error
    if row is None:
        raise TableError("Spark does not describe this table.", remedy="Pass its location.")
    return Source(row["name"] or plain_location(row["location"]), {}, source._spark)  # noqa: SLF001
