"""Which values of properties keep Delta Spark from reading and writing: the recorded answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.protocol import Protocol
from deltaadm.domain.steps import AddConstraint, SetProperties
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.spark_support import (
    obstacle_to_reading,
    obstacle_to_writing,
    refusal_to_read,
    refusal_to_write,
)
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, TableError
from tests.support.plans import snapshot
from tests.support.tables import metadata, protocol

RECORDED = Path(__file__).parent.parent / "data" / "property_effects.jsonl"
"""What SELECT, INSERT and DELETE did, with one property, on an empty table with a column a INT."""

NOT_JUDGED_BY_VALUE = frozenset(
    {
        ("delta.columnMapping.mode", "NAME"),  # the schema has no ids
        ("delta.columnMapping.mode", "id"),
        ("delta.coordinatedCommits.commitCoordinator-preview", "auto"),  # nobody of that name
        ("delta.universalFormat.enabledFormats", "iceberg"),  # without Iceberg compatibility
        ("delta.universalFormat.enabledFormats", "iceberg,hudi"),
    }
)
"""Good values that fail for what else the table lacks, which the verdict does not see yet."""


def _rows() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if (row["key"], row["value"]) not in NOT_JUDGED_BY_VALUE]


def _table(row: dict[str, Any]) -> tuple[Protocol, Metadata]:
    lists = ([], ["appendOnly", "invariants"]) if row["protocol"] == [3, 7] else ()
    proto = protocol(*row["protocol"], *lists)
    meta = metadata({row["key"]: row["value"]})
    return Protocol.from_wire(proto["protocol"]), Metadata.from_wire(meta["metaData"])


@pytest.mark.parametrize(
    ("statement", "obstacle"), [("select", obstacle_to_reading), ("insert", obstacle_to_writing)]
)
def test_values_are_judged_as_delta_judged_them(statement: str, obstacle: Any) -> None:
    wrong = [row for row in _rows() if (obstacle(*_table(row)) is None) != (row[statement] == "ok")]
    assert wrong == []


def test_the_recording_has_enough_of_both() -> None:
    answers = [row["insert"] == "ok" for row in _rows()]
    assert answers.count(True) > 40
    assert answers.count(False) > 40


@pytest.mark.parametrize("versions", [(1, 2), (1, 4), (2, 5)])
@pytest.mark.parametrize("value", ["true", "TRUE"])
def test_row_tracking_without_its_feature_stops_queries(
    versions: tuple[int, int], value: str
) -> None:
    """SELECT, INSERT and the check of a new constraint fail, other changes of metadata do not."""
    table = snapshot(versions, {"delta.enableRowTracking": value})
    assert refusal_to_read(table)
    assert refusal_to_write(table)
    with pytest.raises(TableError, match="does not support row tracking"):
        evolve(table, AddConstraint("c", "1 = 1"))
    after = evolve(table, SetProperties({"x": "1"}))
    assert after.protocol.supports("rowTracking")
    assert refusal_to_read(after) is None


@pytest.mark.parametrize(
    ("key", "value", "error_class"),
    [
        ("compatibility.symlinkFormatManifest.enabled", "auto", "UNSUPPORTED_TABLE_CHANGE"),
        ("isolationLevel", "snapshot", "DELTA_INVALID_ISOLATION_LEVEL"),
        ("coordinatedCommits.tableConf-preview", "auto", None),
        ("checkpointInterval", "auto", ...),  # Delta complains once it has committed
        ("dataSkippingNumIndexedCols", "x1", ...),
        ("isolationLevel", "WriteSerializable", ...),
    ],
)
def test_wrong_values_of_old_keep_delta_from_committing(
    key: str, value: str, error_class: object
) -> None:
    """What ALTER has done to tables that had them already, on Delta Spark 4.4.0."""
    table = snapshot((1, 2), {f"delta.{key}": value})
    if error_class is ...:
        assert evolve(table, SetProperties({"x": "1"})).metadata.configuration["x"] == "1"
        return
    with pytest.raises(DeltaadmError) as caught:
        evolve(table, SetProperties({"x": "1"}))
    assert caught.value.delta_error_class == error_class
