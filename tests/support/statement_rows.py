"""What Delta on Spark answered to statements about properties, constraints and columns."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from deltaadm.plans.alter import read_schema
from tests.support import oracle
from tests.support.tables import Action, metadata, protocol

DATA = Path(__file__).parent.parent / "data"
ROWS = DATA / "statements.jsonl.xz"

COLUMNS = "a INT, b STRING, s STRUCT<x: INT, y: STRING>"
CONSTRAINED = (
    "a INT, b STRING, c BOOLEAN, d DOUBLE, dec DECIMAL(10, 2), l BIGINT, sm SMALLINT, f FLOAT, "
    "dt DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, bin BINARY, arr ARRAY<INT>, m MAP<STRING, INT>, "
    "s STRUCT<x: INT, y: STRING, z: BOOLEAN>, v VARIANT, p STRING, `odd-name` INT, st STRING"
)
LISTED = CONSTRAINED.replace("odd-name", "odd name")
"""The columns under which lists of columns were recorded: refused, but after the list."""
FEATURED = ("appendOnly", "clustering", "deletionVectors", "domainMetadata", "invariants")


def _table(
    columns: str, proto: Action, configuration: dict[str, str], partitions: tuple[str, ...] = ()
) -> list[Action]:
    schema = read_schema(columns).to_json()
    return [proto, metadata(configuration, schemaString=schema, partitionColumns=list(partitions))]


def _constrained(columns: str) -> list[Action]:
    read_by = ["timestampNtz", "variantType"]
    return _table(
        columns, protocol(3, 7, read_by, ["appendOnly", "invariants", *read_by]), {}, ("p",)
    )


def _mapped() -> list[Action]:
    columns = [
        {
            "name": name,
            "type": kind,
            "nullable": True,
            "metadata": {
                "delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": name,
            },
        }
        for number, (name, kind) in enumerate([("a", "integer"), ("b", "string")], start=1)
    ]
    schema = json.dumps({"type": "struct", "fields": columns})
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    return [protocol(2, 5), metadata(mapping, schemaString=schema)]


STORED: dict[str, str] = json.loads((DATA / "stored_properties.json").read_text())
"""Properties that the table `configured` has, some of which no statement would have stored."""


def _configured() -> list[Action]:
    read_by = ["deletionVectors", "typeWidening", "v2Checkpoint", "vacuumProtocolCheck"]
    written_by = [
        *("appendOnly", "changeDataFeed", "checkConstraints", "checkpointProtection"),
        *("domainMetadata", "invariants", "rowTracking", *read_by),
    ]
    return _table(COLUMNS, protocol(3, 7, read_by, written_by), STORED)


STARTS: dict[str, Callable[[], list[Action]]] = {
    "plain": lambda: _table(COLUMNS, protocol(1, 2), {}),
    "featured": lambda: _table(COLUMNS, protocol(3, 7, ["deletionVectors"], FEATURED),
        {"delta.enableDeletionVectors": "true", "my.property": "0"}),
    "configured": _configured,
    "mapped": _mapped,
    "constrained": lambda: _constrained(CONSTRAINED),
    "listed": lambda: _constrained(LISTED),
}  # fmt: skip
"""The tables that statements start from, by name: the actions of their only commit."""


RESUMED = ("property", "combination", "registered", "unset", "featured", "layout", "variant")
"""The groups of which the statements that are in the archive are not run again."""


def question(row: Mapping[str, Any]) -> str:
    """Which statement a row is about, and on which table."""
    keys = ("statement", "start", "variant", "properties", "cluster_by", "partition_by")
    return json.dumps([row.get(key) for key in keys], sort_keys=True)


@lru_cache(maxsize=1)
def all_rows() -> tuple[dict[str, Any], ...]:
    """Every row, in the order of recording."""
    if not ROWS.exists():
        return ()
    return tuple(oracle.recorded(ROWS))


def rows(group: str) -> list[dict[str, Any]]:
    """The rows of one group: `property`, `check`, `column-list`, `function`, ..."""
    return [row for row in all_rows() if row["group"] == group]


def save(recorded: Iterable[dict[str, Any]]) -> None:
    oracle.record_rows(ROWS, recorded)
    all_rows.cache_clear()
