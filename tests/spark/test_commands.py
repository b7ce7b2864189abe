"""The main job on tables with data: plan, commit through Spark, verify; and what stops it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from deltaadm.spark.executor import SparkExecutor
from tests.spark.test_predictions import ICEBERG
from tests.support.clients import ACCEPT_ALL
from tests.support.program import deltaadm
from tests.support.rule_cases import findings
from tests.support.tables import Table, metadata, protocol

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", "c"]})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "events"
    write_deltalake(path, ROWS)
    return path


def log_of(table: Path) -> list[str]:
    return sorted(path.name for path in (table / "_delta_log").iterdir() if path.suffix == ".json")


def answer(*arguments: str | Path) -> tuple[int, Any]:
    done = deltaadm(*arguments, "-o", "json")
    return done.code, done.document


def rows(spark: Any, table: Path) -> list[tuple[int, str]]:
    return sorted(map(tuple, spark.read.format("delta").load(str(table)).collect()))


def test_a_feature_is_planned_committed_and_verified(table: Path) -> None:
    before = log_of(table)
    code, plan = answer("enable-feature", table, "deletionVectors")
    assert (code, plan["is_noop"], plan["cost"]) == (0, False, "metadata")
    assert log_of(table) == before
    code, done = answer("enable-feature", table, "deletionVectors", "--apply", "--yes")
    assert (code, done["outcome"]["versions"], done["outcome"]["mismatches"]) == (0, [1], [])
    assert done["plan"]["after"] == plan["after"]
    code, report = answer("inspect", table)
    assert report["protocol"] == plan["after"]["protocol"]
    features = {feature["name"]: feature for feature in report["features"]}
    assert features["deletionVectors"]["active"]
    code, again = answer("enable-feature", table, "deletionVectors", "--apply", "--yes")
    assert (code, again["plan"]["is_noop"], again["outcome"]["versions"]) == (0, True, [])


@pytest.mark.parametrize("name", ICEBERG)
def test_a_feature_comes_with_what_it_needs_to_be_active(
    spark: Any, table: Path, name: str
) -> None:
    consent = ["--apply", "--yes", "--allow-backfill", *ACCEPT_ALL]
    code, done = answer("enable-feature", table, name, *consent)
    assert (code, done["outcome"]["mismatches"]) == (0, []), done
    features = {feature["name"]: feature for feature in answer("inspect", table)[1]["features"]}
    assert features[name]["active"]
    assert features["columnMapping"]["active"]
    assert rows(spark, table) == [(1, "a"), (2, "b"), (3, "c")]
    spark.createDataFrame([(4, "d")], "id BIGINT, name STRING").write.format("delta").mode(
        "append"
    ).save(str(table))
    spark.sql(f"OPTIMIZE delta.`{table}`")  # which files without row ids fail
    assert rows(spark, table) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_row_tracking_backfills_first(spark: Any, table: Path) -> None:
    code, refused = answer("enable-feature", table, "rowTracking", "--apply", "--yes")
    assert (code, refused["error"]["exit_code"]) == (7, 7)
    assert "--allow-backfill" in refused["error"]["remedy"]
    assert len(log_of(table)) == 1
    code, done = answer(
        "enable-feature", table, "rowTracking", "--apply", "--yes", "--allow-backfill"
    )
    assert code == 0, done
    assert len(done["outcome"]["versions"]) > 1
    assert done["outcome"]["mismatches"] == []
    assert rows(spark, table) == [(1, "a"), (2, "b"), (3, "c")]


def test_mapping_is_turned_on_and_off_without_losing_a_row(spark: Any, table: Path) -> None:
    files = {path.name for path in table.glob("*.parquet")}
    wish = ["set-mapping-mode", table, "name", "--apply", "--yes", *ACCEPT_ALL]
    code, done = answer(*wish)
    assert (code, done["outcome"]["mismatches"]) == (0, [])
    assert {path.name for path in table.glob("*.parquet")} == files
    spark.sql(f"ALTER TABLE delta.`{table}` RENAME COLUMN name TO label")
    assert rows(spark, table) == [(1, "a"), (2, "b"), (3, "c")]
    code, plan = answer("set-mapping-mode", table, "none")
    assert (code, plan["cost"]) == (0, "rewrite")
    assert plan["size"]["files"] == 1
    code, done = answer("set-mapping-mode", table, "none", "--apply", "--yes", "--allow-rewrite")
    assert (code, done["outcome"]["mismatches"]) == (0, [])
    assert {path.name for path in table.glob("*.parquet")} > files
    assert rows(spark, table) == [(1, "a"), (2, "b"), (3, "c")]
    code, report = answer("inspect", table, "--columns")
    columns = report["column_mapping"]["columns"]
    assert [(column["id"], column["physical_name"]) for column in columns] == [
        (None, "id"),
        (None, "label"),
    ]


def test_set_and_unset_are_two_commits(table: Path) -> None:
    deltaadm("alter", table, "--set", "team=data", "--set", "old=1", "--apply", "--yes")
    code, done = answer("alter", table, "--set", "team=web", "--unset", "old", "--apply", "--yes")
    assert (code, done["outcome"]["versions"]) == (0, [2, 3])
    _, report = answer("inspect", table)
    assert report["metadata"]["configuration"] == {"team": "web"}


SEVERAL = [
    *("--set", "delta.columnMapping.mode=name", "--set", "team=web"),
    *("--add-column", "c INT COMMENT 'new' FIRST", "--rename-column", "name=label"),
    *("--add-constraint", "known=label IS NOT NULL", "--unset", "team"),
]


def test_a_command_that_was_stopped_between_its_steps_is_run_again(spark: Any, table: Path) -> None:
    wish = ["alter", str(table), *SEVERAL, "--apply", "--yes", *ACCEPT_ALL]
    _stopped_after(table, 2, wish)
    code, done = answer(*wish)
    assert (code, done["outcome"]["mismatches"]) == (0, []), done
    assert done["outcome"]["versions"] == [3, 4, 5]
    assert "so they are skipped: --set " in done["plan"]["notes"][0]
    assert spark.read.format("delta").load(str(table)).columns == ["c", "id", "label"]
    code, again = answer(*wish)  # which sets a property anew that it has unset in the end
    assert (code, "already has a column c" in again["error"]["message"]) == (7, True)
    assert len(log_of(table)) == 6


CONSENT = ("--yes", "--allow-rewrite", *ACCEPT_ALL)


@pytest.mark.matrix
def test_a_run_that_was_stopped_while_clustering_was_away_is_run_again(
    spark: Any, tmp_path: Path
) -> None:
    table = tmp_path / "clustered"
    spark.sql(
        f"CREATE TABLE delta.`{table}` (day INT, v STRING) USING delta CLUSTER BY (day) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    wish = ["set-mapping-mode", str(table), "none", "--apply", *CONSENT]
    _stopped_after(table, 1, wish)
    assert [finding.code for finding in findings(table) if finding.code == "DL535"] == ["DL535"]
    code, done = answer(*wish)
    assert (code, done["outcome"]["mismatches"]) == (0, []), done
    detail = spark.sql(f"DESCRIBE DETAIL delta.`{table}`").first()
    assert detail["clusteringColumns"] == ["day"]
    assert not [finding for finding in findings(table) if finding.code == "DL535"]


def _stopped_after(table: Path, version: int, wish: list[str]) -> None:
    """Run `deltaadm`, and interrupt it once a step has committed *version*."""

    def stopped(*given: Any, **more: Any) -> None:
        apply(*given, **more)
        if len(log_of(table)) > version:
            raise KeyboardInterrupt

    apply = SparkExecutor.apply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparkExecutor, "apply", stopped)
        assert deltaadm(*wish).code == 130


def saved_plan(table: Path, *wish: str) -> Path:
    plan = table.parent / "plan.json"
    assert deltaadm(wish[0], table, *wish[1:], "--out", plan).code == 0
    return plan


def test_appends_after_the_plan_do_not_disturb_it(table: Path) -> None:
    plan = saved_plan(table, "enable-feature", "inCommitTimestamp")
    write_deltalake(table, ROWS, mode="append")
    code, done = answer("apply", plan, "--yes")
    assert (code, done["outcome"]["versions"], done["outcome"]["mismatches"]) == (0, [2], [])
    _, report = answer("inspect", table)
    enabled = report["metadata"]["configuration"]["delta.inCommitTimestampEnablementVersion"]
    assert enabled == "2"


@pytest.mark.parametrize(
    ("interference", "error_class"),
    [
        ({"delta.appendOnly": "true"}, "DELTA_METADATA_CHANGED"),
        ({"delta.minWriterVersion": "4"}, "DELTA_PROTOCOL_CHANGED"),
    ],
    ids=["metadata", "protocol"],
)
def test_another_change_after_the_plan_stops_it(
    table: Path, spark: Any, interference: dict[str, str], error_class: str
) -> None:
    plan = saved_plan(table, "enable-feature", "deletionVectors")
    [(key, value)] = interference.items()
    spark.sql(f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES ('{key}' = '{value}')")
    log = log_of(table)
    code, failed = answer("apply", plan, "--yes")
    assert (code, failed["error"]["exit_code"]) == (5, 5)
    assert failed["error"]["delta_error_class"] == error_class
    assert "nothing was committed" in failed["error"]["message"]
    assert log_of(table) == log


def test_a_plan_is_carried_out_once(table: Path) -> None:
    plan = saved_plan(table, "set-mapping-mode", "name")
    assert answer("apply", plan, "--yes", *ACCEPT_ALL)[0] == 0
    log = log_of(table)
    code, again = answer("apply", plan)
    assert (code, again["outcome"]["versions"]) == (0, [])
    assert log_of(table) == log


def test_what_only_delta_can_refuse_ends_as_a_failed_commit(tmp_path: Path) -> None:
    schema = (
        '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":'
        '{"delta.generationExpression":"nonsense((("}}]}'
    )
    table = Table(tmp_path / "generated")
    table.commit(0, protocol(1, 4), metadata(schemaString=schema))
    code, failed = answer("alter", table.path, "--set", "x=1", "--apply", "--yes")
    assert (code, failed["error"]["delta_error_class"]) == (5, "PARSE_SYNTAX_ERROR")
    assert "nothing was committed" in failed["error"]["message"]
    assert len(log_of(table.path)) == 1


def test_another_reader_agrees_with_the_result(table: Path) -> None:
    assert deltaadm("upgrade-protocol", table, "--writer", "4", "--apply", "--yes").code == 0
    _, report = answer("inspect", table, "--files")
    other = DeltaTable(table)
    assert other.protocol().min_writer_version == report["protocol"]["minWriterVersion"] == 4
    assert len(other.file_uris()) == report["files"]["files"]


def test_a_client_reads_the_table_after_the_plan_for_it(spark: Any, tmp_path: Path) -> None:
    table = tmp_path / "modern"
    switched = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    for statement in (
        f"CREATE TABLE {{}} (id BIGINT, name STRING) USING delta {switched}",
        "INSERT INTO {} VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "DELETE FROM {} WHERE id = 2",
    ):
        spark.sql(statement.format(f"delta.`{table}`"))
    with pytest.raises(DeltaError):
        DeltaTable(table).to_pyarrow_table()
    wish = ["upgrade-protocol", table, "--readable-by", "delta-rs@1.6.6", "--readable-by", "hive"]
    code, done = answer(
        *wish, "--apply", "--yes", "--allow-rewrite", "--allow-backfill", *ACCEPT_ALL
    )
    assert (code, done["outcome"]["mismatches"]) == (0, []), done
    assert [goal["reached"] for goal in done["plan"]["goals"]] == [True, True]
    assert answer("inspect", table)[1]["protocol"]["minReaderVersion"] == 1
    assert sorted(DeltaTable(table).to_pyarrow_table()["id"].to_pylist()) == [1, 3]
    assert rows(spark, table) == [(1, "a"), (3, "c")]
