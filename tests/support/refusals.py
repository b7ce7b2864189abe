"""What Spark 4.2 with Delta 4.4 has answered to statements with two faults, and to odd ones."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from deltaadm.domain.ddl import Position, parse_column_list, parse_definitions
from deltaadm.domain.schema import PrimitiveType
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    CreateTable,
    CreationMode,
    DropColumns,
    RenameColumn,
    SetProperties,
    Step,
    UnsetProperties,
)
from deltaadm.plans.alter import read_schema

Row = tuple[str, tuple[Step, ...], str | None]


def _path(name: str) -> tuple[str, ...]:
    return tuple(name.split("."))


def _of_delta(properties: dict[str, str]) -> dict[str, str]:
    return {f"delta.{key}": value for key, value in properties.items()}


def create(
    columns: str, cluster_by: str = "", partition_by: str = "", **properties: str
) -> CreateTable:
    """CREATE TABLE, with *properties* without their `delta.`."""
    return CreateTable(
        mode=CreationMode.CREATE,
        schema=read_schema(columns),
        cluster_by=tuple(parse_column_list(cluster_by)) if cluster_by else (),
        partition_by=(partition_by,) if partition_by else (),
        properties=_of_delta(properties),
    )


def _replace(columns: str, partition_by: str = "", cluster_by: str = "", **properties: str) -> Step:
    step = create(columns, cluster_by, partition_by, **properties)
    return replace(step, mode=CreationMode.REPLACE)


def _set(**properties: str) -> Step:
    return SetProperties(_of_delta(properties))


def _add(columns: str) -> Step:
    return AddColumns(parse_definitions(columns))


def _default(column: str, text: str) -> Step:
    return ChangeColumns((ColumnChange((column,), default=text),))


def _drop(*columns: str, if_exists: bool = False) -> Step:
    return DropColumns(tuple(map(_path, columns)), if_exists=if_exists)


def _change(*columns: str, **last: Any) -> Step:
    """Comments on *columns*, but for the last one, which is changed as the arguments say."""
    if "type" in last:
        last["type"] = PrimitiveType(last["type"])
    if "position" in last:
        last["position"] = Position(last["position"])
    paths = list(map(_path, columns))
    comments = [ColumnChange(path, comment="x") for path in paths]
    return ChangeColumns(
        tuple([*comments[:-1], ColumnChange(paths[-1], **last)] if last else comments)
    )


def _again(columns: str, partition_by: str = "", cluster_by: str = "", **properties: str) -> Step:
    """CREATE OR REPLACE TABLE."""
    step = create(columns, cluster_by, partition_by, **properties)
    return replace(step, mode=CreationMode.CREATE_OR_REPLACE)


_DATA = Path(__file__).parent.parent / "data"
_MAPPED = {"columnMapping.mode": "name"}
_DEFAULTS = {"feature.allowColumnDefaults": "supported"}
_PROPERTIES = {
    "mapped": _MAPPED,
    "defaults": _DEFAULTS,
    "V3": {**_MAPPED, **_DEFAULTS, "enableIcebergCompatV3": "true"},
    "hudi": {"universalFormat.enabledFormats": "hudi"},
    "tracked": {"enableRowTracking": "true"},
    "suspended": {"rowTrackingSuspended": "true"},
}
"""Properties that rows have by name, under `with`."""

_TABLES = {
    "structs": create("a INT, b STRING, s STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<x: INT>>",
        **_MAPPED),
    "values": create(
        "i INT, s STRING, d DATE, st STRUCT<x: INT>, m MAP<STRING, INT>, ar ARRAY<SMALLINT>, "
        "ast ARRAY<STRUCT<x: INT>>, sm STRUCT<m: MAP<INT, INT>>, am ARRAY<MAP<INT, INT>>, "
        "v VARIANT, av ARRAY<VARIANT>"),
}  # fmt: skip
"""Tables that rows begin with by name."""

_STEPS: dict[str, Callable[..., Step]] = {
    "create": create, "replace": _replace, "again": _again, "set": _set, "add": _add,
    "default": _default, "drop": _drop, "change": _change, "check": AddConstraint,
    "cluster": lambda *columns: ClusterBy(tuple(map(_path, columns))),
    "rename": lambda column, name: RenameColumn(_path(column), name),
    "unset": lambda *keys: UnsetProperties(keys),
}  # fmt: skip


def step_of(given: Any) -> Step:
    """The step that a row has: a verb with its arguments, a table's name, or the step itself."""
    if isinstance(given, Step):
        return given
    if isinstance(given, str):
        return _TABLES[given]
    verb, *rest = given
    named = dict(rest.pop()) if rest and isinstance(rest[-1], dict) else {}
    known: dict[str, Any] = {}
    for name in named.pop("with", "").split():
        known |= _PROPERTIES[name]
    return _STEPS[verb](*rest, **known, **named)


def _rows(name: str) -> tuple[Row, ...]:
    """Rows of JSON: a name, the error class, and steps, the last one of which is asked about."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("[")]
    return tuple((row[0], tuple(map(step_of, row[2:])), row[1]) for row in rows)


ROWS = _rows("refusals.jsonl")
"""
Each with a name: steps on a table that the first one makes, and the error class of the last one.

It is None where Delta commits, and empty where it refuses without a class.
"""

LEFT_TO_SPARK = _rows("left_to_spark.jsonl")
"""The same, of which only Spark is asked: the plan says so, and Spark is before it commits."""

TYPES = (
    "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(3,1)", "STRING", "BOOLEAN", "DATE",
    "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY", "ARRAY<INT>", "STRUCT<x: INT>", "MAP<INT,INT>",
    "VARIANT", "VARCHAR(3)",
)  # fmt: skip
_NESTED = "ARRAY<INT> STRUCT<x:INT> MAP<INT,INT>"
_NUMBERS = "TINYINT INT BIGINT FLOAT DOUBLE DECIMAL(3,1)"
_INTEGERS = f"BOOLEAN DATE TIMESTAMP_NTZ {_NESTED}"
_WORDS = f"{_NUMBERS} BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}"
DEFAULTS = {
    "7": _INTEGERS, "-7": _INTEGERS, "7L": _INTEGERS, "300": f"TINYINT DECIMAL(3,1) {_INTEGERS}",
    "1.5": f"BINARY {_INTEGERS}", "1.5D": f"BINARY {_INTEGERS}",
    "1e3": f"TINYINT DECIMAL(3,1) BINARY {_INTEGERS}", "'x'": _WORDS, "'true'": _WORDS,
    "'7'": f"BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}",
    "'2020-01-01'": f"{_NUMBERS} BOOLEAN {_NESTED}",
    "true": f"{_NUMBERS} DATE TIMESTAMP TIMESTAMP_NTZ BINARY VARIANT {_NESTED}",
    "X'1F'": f"{_NUMBERS} BOOLEAN DATE TIMESTAMP TIMESTAMP_NTZ {_NESTED}",
    "DATE '2020-01-01'": f"{_NUMBERS} BOOLEAN BINARY {_NESTED}", "NULL": "",
}  # fmt: skip
"""Literals, and the types whose columns Spark does not let have them as default."""

UNTOUCHED: dict[str, dict[str, str]] = {
    "instruction for the protocol": {"delta.minWriterVersion": "4"},
    "instruction for the defaults": {"delta.ignoreProtocolDefaults": "false"},
    "feature asked for": {"delta.feature.appendOnly": "supported"},
    "column of row tracking": {"delta.rowTracking.materializedRowIdColumnName": "q"},
    "unknown column of statistics": {"delta.dataSkippingStatsColumns": "nosuch"},
}
"""Properties that every other change carries out, removes or refuses, on a table of (1, 3)."""
