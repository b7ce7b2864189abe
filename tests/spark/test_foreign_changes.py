"""Altering tables of other providers: what is asked for is what Spark does, or refuses."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.program import Result, deltaadm
from tests.support.spark_processes import schema_of_a_module

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = "spark_catalog.annex"
APPLY = ("--apply", "--yes", "-o", "json")


annex = schema_of_a_module("annex")


def alter(table: str, *arguments: object) -> Result:
    return deltaadm("alter", f"annex.{table}", *arguments)


def rows(spark: "SparkSession", table: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.table(f"annex.{table}").collect())


def test_statements_are_shown_asked_about_and_carried_out(
    spark: "SparkSession", tmp_path: Path
) -> None:
    spark.sql(
        "CREATE TABLE annex.days (id BIGINT, n STRING, day DATE) USING csv "
        "OPTIONS (header true) PARTITIONED BY (day) TBLPROPERTIES ('old' = '1', 'token' = 's')"
    )
    spark.sql("INSERT INTO annex.days VALUES (1, 'a', DATE'2026-01-02')")
    wish = (
        *("--set", "team=web", "--set", "comment=it's", "--set", "empty=", "--unset", "old"),
        *("--add-column", "code INT DEFAULT 5 COMMENT 'it''s', up VARCHAR(3)"),
        *("--set-comment", "ID=key", "--set-default", "n='x'"),
    )
    shown = alter("days", *wish, "--check")
    assert shown.code == 1, shown.err
    assert f"ALTER TABLE {HERE}.days SET TBLPROPERTIES ('team' = 'web'" in shown.out
    assert "Statements are not atomic together" in shown.out
    unsaved = alter("days", *wish, "--out", tmp_path / "plan")
    assert (unsaved.code, "is not saved" in unsaved.err) == (7, True)
    unasked = alter("days", *wish, "--apply")
    assert (unasked.code, "Pass --yes" in unasked.err) == (7, True)
    done = alter("days", *wish, *APPLY)
    assert done.code == 0, done.out
    description = [tuple(row.values()) for row in done.document["outcome"]["description"]]
    assert {("code", "int it's"), ("Provider", "csv"), ("Comment", "it's")} <= set(description)
    assert "team=web" in dict(description)["Table Properties"]
    assert len(done.document["statements"]) == 5
    assert spark.table("annex.days").columns == ["id", "n", "code", "up", "day"]
    assert {row[2:4] for row in rows(spark, "days")} == {(5, None)}
    properties = dict(map(tuple, spark.sql("SHOW TBLPROPERTIES annex.days").collect()))
    assert (properties["team"], properties["empty"], "old" in properties) == ("web", "", False)
    assert alter("days", "--set", "a=b", "--for-client", "trino").code == 2
    secret = alter("days", "--set", "token=other-1", *APPLY)
    assert (secret.code, "other-1" in secret.out) == (0, False)
    assert alter("days", "--set", "a=b", "-o", "sql").out == (
        f"ALTER TABLE {HERE}.days SET TBLPROPERTIES ('a' = 'b');\n"
    )


@pytest.mark.parametrize("provider", ["parquet", "orc", "json"])
def test_what_is_accepted_is_done_with_other_providers(
    spark: "SparkSession", provider: str
) -> None:
    table = f"of_{provider}"
    spark.sql(
        f"CREATE TABLE annex.{table} (id BIGINT, c CHAR(2), s STRUCT<a: INT>) USING {provider}"
    )
    _insert(spark, table, "c")
    done = alter(
        table,
        *("--set", "team=web", "--add-column", "d DECIMAL(9, 2) DEFAULT 1.5, l ARRAY<INT>"),
        *("--set-comment", "c=it's", "--set-comment", "id=key", "--set-default", "id=1 + 1"),
        *APPLY,
    )
    assert done.code == 0, done.out
    _insert(spark, table, "c")
    found = {(row[0], str(row[3])) for row in spark.table(f"annex.{table}").collect()}
    assert found == {(None, "1.50"), (2, "1.50")}
    assert alter(table, "--drop-default", "id", *APPLY).code == 0


def test_a_table_is_moved(spark: "SparkSession", annex: Path, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE annex.moved (id BIGINT) USING parquet")
    spark.sql("INSERT INTO annex.moved VALUES (1)")
    spark.sql("SELECT 2L AS id").write.parquet(str(tmp_path / "far away%20"))
    planned = alter("moved", "--set-location", tmp_path / "far away%20", "-o", "json").document
    assert len(planned["notes"]) == 2
    assert "DROP TABLE will delete" in planned["notes"][1]
    done = alter("moved", "--set-location", f"file:{tmp_path}/far away%20", *APPLY)
    assert done.code == 0, done.out
    assert rows(spark, "moved") == [(2,)]
    assert list((annex / "moved").glob("*.parquet"))


def test_what_spark_refuses_or_would_ignore_leaves_the_table(spark: "SparkSession") -> None:
    spark.sql("CREATE TABLE annex.ruled (id BIGINT) USING json")
    for options, code, words in (
        (("--add-column", "ID INT"), 5, "already exists"),
        (("--set-type", "id=STRING"), 5, "id"),
        (("--drop-column", "id"), 5, "DROP COLUMN"),
        (("--set", "owner=x"), 5, "owner"),
        (("--add-constraint", "c=id > 0"), 7, "json does not support this: add constraint"),
    ):
        refused = alter("ruled", *options, *APPLY)
        assert (refused.code, words in refused.out) == (code, True), refused.out
    assert spark.table("annex.ruled").columns == ["id"]


def _insert(spark: "SparkSession", table: str, column: str) -> None:
    spark.sql(f"INSERT INTO annex.{table} ({column}) VALUES ('y')")  # noqa: S608 -- our own names


def test_among_several_tables_one_of_another_provider_is_an_error(spark: "SparkSession") -> None:
    spark.sql("CREATE TABLE annex.other (id BIGINT) USING parquet")
    spark.sql("CREATE TABLE annex.delta (id BIGINT) USING delta")
    both = deltaadm("alter", "annex.other", "annex.delta", "--set", "a=b", "-o", "jsonl")
    assert both.code == 9
    error, plan = both.lines
    assert (
        f"{HERE}.other is not a Delta table: its provider is parquet" in error["error"]["message"]
    )
    assert "one at a time" in error["error"]["remedy"]
    assert plan["table"] == "annex.delta"
    every = deltaadm("alter", "--catalog", "annex.*", "--set", "a=b", "-o", "jsonl")
    assert [line["table"] for line in every.lines] == [f"{HERE}.delta"]
