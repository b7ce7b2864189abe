"""Tables of other providers than Delta: the parent catalog makes them, and drops what fails."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.program import deltaadm, succeeds
from tests.support.spark_processes import schema_of_a_module

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = "spark_catalog.depot"


depot = schema_of_a_module("depot")


def rows(spark: "SparkSession", table: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.table(f"depot.{table}").collect())


def create(*arguments: object, mode: str = "create") -> tuple[object, ...]:
    return ("create", *arguments, "--mode", mode, "--apply", "--yes", "-o", "json")


def test_a_table_is_planned_made_filled_and_replaced(
    spark: "SparkSession", depot: Path, tmp_path: Path
) -> None:
    wish = ("depot.days", "--provider", "parquet", "--partition-by", "DAY", "--property", "x=1")
    columns = "id BIGINT NOT NULL COMMENT 'it''s', day DATE, code VARCHAR(3), l ARRAY<INT>"
    planned = deltaadm("create", *wish, "--schema", columns, "--comment", "c", "--check")
    assert planned.code == 1, planned.err
    assert "has no Delta protocol" in planned.out
    assert f"Its files are at {depot}/days." in planned.out
    assert not spark.catalog.tableExists("depot.days")

    made = succeeds(*create(*wish, "--schema", columns, "--comment", "c"))
    assert {"name": "Provider", "value": "parquet"} in made.document["outcome"]["description"]
    assert spark.table("depot.days").columns == ["id", "code", "l", "day"]
    again = deltaadm(*create(*wish, "--schema", columns))
    assert again.code == 7
    assert "The table spark_catalog.depot.days already exists" in again.out

    filling = ("--as", "SELECT DATE'2026-01-02' AS day, 5 AS n -- all")
    unasked = deltaadm(*create(*wish, *filling, mode="replace"))
    assert unasked.code == 7
    assert "Pass --accept-irreversible depot.days" in unasked.out
    agreed = ("--accept-irreversible", "depot.days")
    done = succeeds(*create(*wish, *filling, mode="replace"), *agreed)
    assert [statement.split()[0] for statement in done.document["statements"]] == [
        "CREATE",
        "INSERT",
        "DROP",
        "ALTER",
    ]
    assert {"name": "Location", "value": f"file:{depot}/days"} in done.document["outcome"][
        "description"
    ]
    assert [row[0] for row in rows(spark, "days")] == [5]

    export = ("depot.days", "--schema", "a INT, b STRING", "--location", tmp_path / "out")
    provided = ("--property", "provider=CSV", "--write-option", "header=true")
    unsaved = deltaadm("create", *export, *provided, "--out", tmp_path / "plan")
    assert (unsaved.code, "already exists" in unsaved.err) == (7, True)
    made = succeeds(*create(*export, *provided, mode="create-or-replace"), *agreed)
    spark.sql("INSERT INTO depot.days VALUES (1, 'x')")
    assert [path for path in (tmp_path / "out").glob("*.csv") if path.read_text() == "a,b\n1,x\n"]


def test_what_fails_is_told_and_dropped_again(spark: "SparkSession", depot: Path) -> None:
    failing = ("--as", "SELECT CAST(raise_error('oh') AS INT) AS a", "--provider", "parquet")
    first = deltaadm(*create("depot.fails", *failing))
    assert first.code == 5
    assert "the new table was dropped again" in first.out
    assert not spark.catalog.tableExists("depot.fails")

    spark.sql("CREATE TABLE depot.old USING delta AS SELECT 1 AS a")
    agreed = ("--accept-irreversible", "depot.old")
    replaced = ("depot.old", "--provider", "csv")
    for arguments, code, words in (
        (("--schema", "a INT", "--cluster-by", "a"), 7, "csv does not support this: cluster by"),
        (("--schema", "a INT", "--provider", "nope"), 6, "Make sure the provider name is correct"),
        (("--schema", "a ARRAY<INT>"), 5, "CSV datasource doesn't support the column `a`"),
        (("--schema", "a INT", "--location", "nosuchstore://there/t"), 5, "failed: CREATE TABLE"),
        (("--as", "SELECT CAST(raise_error('oh') AS INT) AS a"), 5, "was dropped again"),
    ):
        refused = deltaadm(*create(*replaced, *arguments, mode="replace"), *agreed)
        assert (refused.code, words in refused.out) == (code, True), refused.out
    assert rows(spark, "old") == [(1,)]
    own = f"SELECT o.a + p.a AS a FROM depot.old o, delta.`{depot}/old` p"  # noqa: S608 -- ours
    succeeds(*create(*replaced, "--as", own, mode="replace"), *agreed)
    assert not spark.catalog.tableExists("depot.old__new")
    assert rows(spark, "old") == [(2,)]

    spark.sql("CREATE VIEW depot.seen AS SELECT 1 AS a")
    view = deltaadm(*create("depot.seen", "--schema", "a INT", "--provider", "csv"))
    assert view.code == 3
    assert "is a view" in view.out


def test_files_that_are_there_already(spark: "SparkSession", depot: Path, tmp_path: Path) -> None:
    spark.sql("SELECT 3 AS a").write.parquet(str(tmp_path / "there"))
    wish = ("depot.there", "--provider", "parquet", "--location", tmp_path / "there")
    refused = deltaadm(*create(*wish, "--as", "SELECT 1 AS a"))
    assert refused.code == 7
    assert "is not empty" in refused.out
    taken = succeeds(*create(*wish, "--schema", "a INT"))
    assert any("become rows of the table" in note for note in taken.document["notes"])
    assert rows(spark, "there") == [(3,)]
    agreed = ("--accept-irreversible", "spark_catalog.depot.there")
    moved = succeeds(
        *create("depot.there", "--provider", "orc", "--as", "SELECT 4 AS a", mode="replace"),
        *agreed,
    )
    assert any("files of the old table stay" in note for note in moved.document["notes"])
    assert (moved.document["location"], rows(spark, "there")) == (f"{depot}/there", [(4,)])
    assert list((tmp_path / "there").glob("*.parquet"))
