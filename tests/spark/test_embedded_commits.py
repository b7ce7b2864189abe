"""
The embedded commit engine and Delta Spark do the same, and both go on with the same tables.

A few cases of everything are in the suite, all others in the matrix.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.domain.features import FEATURES, REFERENCE
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import SetProperties
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.plans.embedded_executor import EmbeddedExecutor, obstacles
from deltaadm.plans.plan import propose
from deltaadm.runs.context import now
from deltaadm.spark.executor import SparkExecutor
from tests.spark.test_predictions import MAPPED, MAPPED_SCHEMA, STARTS
from tests.support import oracle
from tests.support.cases import sampled
from tests.support.executors import carry_out_case, new_commits, recorded_commits, state, verdict
from tests.support.program import Result, process, succeeds
from tests.support.tables import Table, metadata
from tools import races

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


def _recorded() -> list[Any]:
    """Cases whose statements the embedded engine may commit; the settings are the defaults."""
    found = [case for case in oracle.cases("e2e") if not verdict(case) and not case.get("conf")]
    return sampled(
        (f"{case['group']}-{case['id']}", number % 100 == 0, case)
        for number, case in enumerate(found)
    )


@pytest.mark.parametrize("case", _recorded())
def test_spark_commits_what_was_recorded_through_the_same_contract(
    executor: SparkExecutor, tmp_path: Path, case: oracle.Case
) -> None:
    """As `tests/commit/test_embedded.py` has it for the other executor."""
    outcome = carry_out_case(case, tmp_path, lambda _: executor)
    made = new_commits(case, tmp_path)
    assert made == recorded_commits(case)[: len(made)]
    assert outcome != "committed" or len(made) == len(recorded_commits(case))


def metadata_for(protocol: Protocol) -> dict[str, Any]:
    mapped = protocol.supports("columnMapping")
    return metadata(MAPPED, schemaString=MAPPED_SCHEMA) if mapped else metadata()


def _step(name: str, protocol: Protocol) -> SetProperties | None:
    """What makes a feature active, or else supported, if the embedded engine commits it."""
    body = metadata_for(protocol)["metaData"]
    before = Snapshot(
        root="t", version=1, protocol=protocol, metadata=Metadata.from_wire(body), timestamp=1
    )
    active = dict(FEATURES[name].activation.properties)
    for properties in (active, {f"delta.feature.{name}": "supported"}):
        try:
            steps = [SetProperties(properties)] if properties else []
            plan = propose("", before, steps, check_outcome=False)
        except DeltaadmError:
            continue
        if not plan.is_noop and not list(obstacles(plan)):
            return SetProperties(properties)
    return None


@cache
def changes() -> list[Any]:
    """Every feature on every start, which the tests of two modules go through."""
    rows = [
        (name, start, step)
        for name in REFERENCE
        for start, protocol in STARTS.items()
        if (step := _step(name, protocol)) is not None
    ]
    return sampled(
        (f"{name}-{start}", number % 60 == 0, step, STARTS[start])
        for number, (name, start, step) in enumerate(rows)
    )


@pytest.mark.parametrize(("step", "protocol"), changes())
def test_spark_and_deltalake_go_on_with_a_table(
    spark: "SparkSession",
    tmp_path: Path,
    step: SetProperties,
    protocol: Protocol,
    record_property: Any,
) -> None:
    path = tmp_path / "t"
    Table(path).commit(0, {"protocol": protocol.to_wire()}, metadata_for(protocol))
    _insert(spark, path, 1)
    engine = EmbeddedExecutor(SessionSettings(), now)
    for each in (step, SetProperties({"team": "web"})):
        engine.apply(str(path), each, state(path))
    _insert(spark, path, 2)
    appended = is_appended(path, 3)
    rows = [1, 2, 3] if appended else [1, 2]
    record_property("deltalake", "appended" if appended else "refused")
    engine.apply(str(path), SetProperties({"team": "mobile"}), state(path))
    found = spark.read.format("delta").load(str(path)).collect()
    assert sorted(row.a for row in found) == rows
    if appended:  # its readers of rows support fewer features than its log does
        assert len(DeltaTable(path).file_uris()) == len(rows)
    succeeds("validate", path, "--deep", "--history", "--cross-check")
    assert state(path).version == 5 + appended


def test_nothing_is_lost_while_spark_appends(spark: "SparkSession", tmp_path: Path) -> None:
    """A few changes; `tools.races` goes on for hundreds of rounds."""
    root, found = str(tmp_path), races.Round()
    races.create(root)

    def change(number: int) -> Result:
        return process("alter", root, "--set", f"team={number}", *EMBEDDED, "-o", "json")

    with ThreadPoolExecutor(4) as pool:
        appends = [pool.submit(races.append_with_spark, spark, root, n) for n in range(2)]
        changes = list(pool.map(change, range(8)))
    for written, failed in (each.result() for each in appends):
        found.appended += written
        found.failed += failed
    assert {result.code for result in changes} <= {0, 5}
    found.committed += [result.out for result in changes if result.code == 0]
    assert found.committed
    races.check(root, found)


def _insert(spark: "SparkSession", path: Path, value: int) -> None:
    frame = spark.createDataFrame([(value,)], "a INT")
    frame.write.format("delta").mode("append").save(str(path))


def is_appended(path: Path, value: int) -> bool:
    """Whether deltalake has appended a row; otherwise it does not support the table."""
    try:
        write_deltalake(path, pa.table({"a": pa.array([value], pa.int32())}), mode="append")
    except Exception as error:
        if any(word in str(error) for word in ("eature", "rotocol", "olumn mapping")):
            return False
        raise
    return True
