"""Creating and replacing tables: Delta commits or refuses what is predicted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.plans.alter import plan_create, read_schema, schema_of_query
from deltaadm.plans.diff import mismatches
from deltaadm.replay.reconcile import Detail
from deltaadm.spark.catalog import DeltaCatalog
from deltaadm.spark.executor import SparkExecutor
from deltaadm.spark.session import SparkOptions
from tests.support.cases import sampled
from tests.support.program import deltaadm, succeeds
from tests.support.provenance import versions_made_by
from tests.support.rows import rows_of
from tests.support.spark_processes import schema_of_a_module

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AB = "a INT, b STRING"
NAME, ID = ({"delta.columnMapping.mode": mode} for mode in ("name", "id"))
ON = "TBLPROPERTIES ('delta.{}' = 'true')".format
OLD = (
    "(z INT, y INT) USING delta PARTITIONED BY (y) COMMENT 'old' TBLPROPERTIES "
    "('delta.enableDeletionVectors' = 'true', 'delta.appendOnly' = 'false', 'q' = '1', "
    "'delta.checkpointPolicy' = 'v2')"
)
MAPPED = (
    "(a INT, s STRUCT<x: INT, y: INT>, u STRUCT<x: INT NOT NULL>, l ARRAY<STRUCT<q: INT>>) "
    "USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
)


def on(key: str, value: str = "true") -> dict[str, str]:
    return {f"delta.{key}": value}


NEW = rows_of(__file__, "NEW")
REPLACED = rows_of(__file__, "REPLACED")


stall = schema_of_a_module("stall")


def _now(path: Path) -> Snapshot:
    try:
        return load_snapshot(open_store(str(path)), detail=Detail.STATE)
    except TableError:
        return no_table(str(path))


def _result(work: Callable[[], Any]) -> str | None:
    try:
        work()
    except DeltaadmError as error:
        return error.delta_error_class
    return "ok"


def _carry_out(
    spark: "SparkSession", path: Path, name: str | None, wish: dict[str, Any]
) -> tuple[str | None, str | None]:
    """What is predicted and what happens; where both go well, they are the same."""
    query = wish.get("query")
    schema = (
        read_schema(wish["schema"])
        if query is None
        else schema_of_query(DeltaCatalog(spark).query_schema(query))
    )
    defaults = wish.get("session", {})
    more = {k: value for k, value in wish.items() if k not in ("schema", "mode", "session")}
    for key in ("partition_by", "cluster_by"):
        more[key] = tuple(tuple(one) if isinstance(one, list) else one for one in more.get(key, ()))
    step = CreateTable(mode=CreationMode[wish.get("mode", "CREATE")], schema=schema, **more)
    before = replace(_now(path), name=name)
    plans = []
    session = SessionSettings(property_defaults=defaults)
    predicted = _result(lambda: plans.append(plan_create(before, step, session=session)))
    planned = plans[0].steps[0] if plans else step
    names = {str(path): name} if name else {}
    with SparkExecutor(SparkOptions(), announce=lambda _: None, names=names) as executor:
        for key, value in session.to_conf().items():
            spark.conf.set(key, value)
        found = _result(lambda: executor.apply(str(path), planned))
        for key in session.to_conf():
            spark.conf.unset(key)
    if (predicted, found) == ("ok", "ok"):
        after = _now(path)
        assert mismatches(plans[0].after, after) == (), wish
        made = versions_made_by(
            open_store(str(path)), before.version + 1, after.version, plans[0].steps[0]
        )
        assert made == (after.version,)
    return predicted, found


@pytest.mark.parametrize("what", NEW)
def test_a_new_table_is_predicted(spark: "SparkSession", tmp_path: Path, what: str) -> None:
    predicted, found = _carry_out(spark, tmp_path / "new", None, NEW[what][0])
    assert predicted == found


LIVE = {
    "nothing kept but three properties", "but not where the session says otherwise", "append-only",
    "by a query", "without times", "with row tracking", "keeping ids", "with a default",
    "by a clustered table", "a clustered table by a partitioned one", "not at all",
}  # fmt: skip
"""What is replaced outside the matrix: each kind of change once, of which more are recorded."""


@pytest.mark.parametrize("what", sampled((what, what in LIVE, what) for what in REPLACED))
def test_a_replaced_table_is_predicted(spark: "SparkSession", tmp_path: Path, what: str) -> None:
    old, wish = REPLACED[what]
    old = {"OLD": OLD, "MAPPED": MAPPED}.get(old, old)
    spark.sql(f"CREATE TABLE delta.`{tmp_path}/old` {old}")
    wish = {"mode": "REPLACE", **wish}
    predicted, found = _carry_out(spark, tmp_path / "old", None, wish)
    assert predicted == found


def test_tables_in_a_catalog(spark: "SparkSession", stall: Path) -> None:
    name = "spark_catalog.stall.cakes"
    for mode in CreationMode:
        predicted, found = _carry_out(
            spark, stall / "cakes", name, {"mode": mode.name, "query": "SELECT 1 AS a"}
        )
        assert predicted == found == "ok"
    assert spark.table(name).count() == 1
    assert _now(stall / "cakes").version == 2
    again = _carry_out(spark, stall / "cakes", name, {"schema": AB})
    assert again == ("TABLE_OR_VIEW_ALREADY_EXISTS",) * 2
    missing = {"schema": AB, "mode": "REPLACE"}
    assert _carry_out(spark, stall / "pies", "spark_catalog.stall.pies", missing) == (
        "TABLE_OR_VIEW_NOT_FOUND",
        "TABLE_OR_VIEW_NOT_FOUND",
    )


def test_a_failure_leaves_the_old_table_or_nothing(
    spark: "SparkSession", stall: Path, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE stall.bread USING delta AS SELECT 7 AS a")
    failing = "SELECT CAST(raise_error('too hot') AS INT) AS a"
    for table in ("stall.bread", "stall.buns", tmp_path / "rolls"):
        result = deltaadm(
            "create", table, "--mode", "create-or-replace", "--as", failing, "--apply", "--yes"
        )
        assert result.code == 5, result.err
        assert "nothing was committed" in result.err
    assert spark.table("stall.bread").collect() == [(7,)]
    tables = {row.tableName for row in spark.sql("SHOW TABLES IN stall").collect()}
    assert "buns" not in tables
    assert not (tmp_path / "rolls" / "_delta_log").exists() or not list(
        (tmp_path / "rolls" / "_delta_log").glob("*.json")
    )
    assert _now(stall / "bread").version == 0


def test_the_command_creates_what_it_shows(
    spark: "SparkSession", stall: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(spark.sql("SELECT 1 AS id, 'x' AS name").schema.json())
    wish = ("create", "stall.jam", "--schema", schema, "--cluster-by", "id")
    plan = deltaadm(*wish, "--check", "--out", tmp_path / "plan.json", "-o", "json")
    assert plan.code == 1
    assert plan.document["location"] == str(stall / "jam")
    assert not (stall / "jam").exists()
    done = succeeds("apply", tmp_path / "plan.json", "--yes", "-o", "json")
    assert done.document["outcome"]["versions"] == [0]
    assert done.document["plan"]["after"] == plan.document["after"]
    again = succeeds("apply", tmp_path / "plan.json")
    assert "The plan is already applied" in again.out
    succeeds(
        *("create", "stall.honey", "--as", "SELECT 1 AS id;", "--location", tmp_path / "honey"),
        *("--apply", "--yes", "-o", "json"),
    )
    assert deltaadm("inspect", "stall.honey", "-o", "json").document["location"] == str(
        tmp_path / "honey"
    )
    remote = deltaadm("create", "stall.tea", "--schema", "id INT", "--location", "s3://bucket/tea")
    assert (remote.code, "s3://bucket/tea" in remote.err) == (4, True), remote.err
    for query, words in (("SELECT nope", "nope"), ("DROP TABLE stall.jam", "Syntax error")):
        refused = deltaadm("create", tmp_path / "no", "--as", query)
        assert refused.code == 7
        assert words in refused.err
    assert spark.table("stall.jam").count() == 0
