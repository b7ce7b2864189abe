"""Tables by their names in Spark's catalogs, for every command that takes a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltaadm.catalog_table import CatalogTable
from deltaadm.domain.ddl import literal
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.reports import Entry
from deltaadm.plans.saved import read_plans
from deltaadm.runs.many_plans import Journal
from deltaadm.spark.catalog import DeltaCatalog, open_catalog
from deltaadm.spark.errors import refusal
from deltaadm.spark.session import SparkOptions
from tests.support.clients import ACCEPT_ALL
from tests.support.program import Result, deltaadm, succeeds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = "spark_catalog.shop"


@pytest.fixture(scope="module")
def shop(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A schema with tables, a view, and what is easily taken for either."""
    place = tmp_path_factory.mktemp("shop")
    spark.sql(f"CREATE SCHEMA shop LOCATION '{place}'")
    spark.sql(
        "CREATE TABLE shop.orders (a INT, `Provider` STRING) USING delta "
        "COMMENT 'one\nLocation: /evil\nType: VIEW' TBLPROPERTIES ('x' = '1\nLocation: /worse')"
    )
    spark.sql(f"CREATE TABLE shop.elsewhere (a INT) USING delta LOCATION '{place}/far away%20'")
    spark.sql("CREATE TABLE shop.plain (a INT) USING parquet")
    spark.sql("CREATE VIEW shop.seen AS SELECT * FROM shop.orders")
    spark.sql("CREATE TEMPORARY VIEW passing AS SELECT 1 AS a")
    yield place
    spark.sql("DROP VIEW passing")
    spark.sql("DROP SCHEMA shop CASCADE")


@pytest.fixture
def catalog(spark: "SparkSession", shop: Path) -> DeltaCatalog:  # noqa: ARG001
    return DeltaCatalog(spark)


def test_a_table_is_found_by_its_name(catalog: DeltaCatalog, shop: Path) -> None:
    orders = CatalogTable(f"{HERE}.orders", "delta", str(shop / "orders"), is_managed=True)
    elsewhere = CatalogTable(f"{HERE}.elsewhere", "delta", str(shop / "far away%20"))
    plain = CatalogTable(f"{HERE}.plain", "parquet", str(shop / "plain"), is_managed=True)
    assert catalog.load_table(("shop", "orders")) == orders
    assert catalog.load_table(("spark_catalog", "SHOP", "Orders")) == orders
    assert catalog.load_table(("shop", "elsewhere")) == elsewhere
    assert catalog.load_table(("shop", "plain")) == plain
    assert catalog.load_table(("shop", "seen")).is_view
    assert catalog.list_tables("shop.*") == (elsewhere, orders)
    assert catalog.list_tables("spark_catalog.sh?p.ord*") == (orders,)
    assert catalog.list_tables("sh*.[oe]*") == ()
    assert catalog.list_tables("nothing*.*") == ()


def test_the_provider_is_the_sessions_unless_it_is_said(catalog: DeltaCatalog) -> None:
    assert catalog.get_provider({"provider": "delta"}) == "delta"
    assert catalog.get_provider({}) == "parquet"


@pytest.mark.parametrize(("name", "code", "words"), [
    ("shop.order", 3, ("Table shop.order does not exist", "Did you mean orders?")),
    ("shop.passing", 3, ("Table shop.passing does not exist",)),
    ("shops.orders", 3, ("Schema shops does not exist",)),
    ("nowhere.shop.orders", 3, ("Catalog nowhere does not exist", "spark.sql.catalog.nowhere=")),
    ("shop.seen", 3, (f"{HERE}.seen is a view",)),
    ("shop.plain", 3, (f"{HERE}.plain is not a Delta table", "parquet")),
])  # fmt: skip
def test_what_is_no_delta_table_is_said_to_be_none(
    shop: Path,  # noqa: ARG001 -- it is there
    name: str,
    code: int,
    words: tuple[str, ...],
) -> None:
    commands = (["inspect"], ["validate"], ["set-mapping-mode", "name"], ["drop-feature"])
    for command in commands:
        result = deltaadm(command[0], name, *command[1:])
        assert result.code == code
        for word in words:
            assert word in result.out + result.err


def test_tables_of_a_second_catalog_need_not_be_files(spark: "SparkSession") -> None:
    """Derby's database in Spark's JDBC catalog."""
    for key, value in DATABASE.items():
        spark.conf.set(f"spark.sql.catalog.database{key}", value)
    spark.sql("CREATE TABLE database.APP.orders (`Provider` INT, `Location: /x` INT)")
    catalog = DeltaCatalog(spark)
    listed = CatalogTable("database.APP.orders", "", "", is_managed=True)
    assert catalog.load_table(("database", "APP", "orders")) == listed
    assert catalog.list_tables("database.*.*") == ()
    result = deltaadm("inspect", "database.APP.orders")
    assert (result.code, "its catalog names no provider" in result.err) == (3, True)


DATABASE = {
    "": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    ".url": "jdbc:derby:memory:orders;create=true",
    ".driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
}


def test_a_catalog_that_cannot_work_is_said_to_be_none(spark: "SparkSession") -> None:
    spark.conf.set("spark.sql.catalog.alone", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    result = deltaadm("inspect", "alone.shop.orders")
    assert (result.code, result.out) == (4, "")
    assert "The catalog failed to look up alone.shop" in result.err


@pytest.mark.parametrize("pattern", ["orders", "a.b.c.d", "*.shop.orders", "shop..x", ""])
def test_what_is_no_pattern_is_refused(catalog: DeltaCatalog, pattern: str) -> None:
    with pytest.raises(RefusedError, match="pattern for table names"):
        catalog.list_tables(pattern)


def test_who_may_not_look_is_told_so(spark: "SparkSession", shop: Path) -> None:  # noqa: ARG001
    class Guarded:
        """A session whose catalog answers like that of a guarded metastore."""

        def sql(self, query: str) -> None:
            del query
            spark.sql("SELECT raise_error('PERMISSION_DENIED: User has no USE SCHEMA')").collect()

    with pytest.raises(DeltaadmError, match="denies this user access to shop") as caught:
        DeltaCatalog(Guarded()).load_table(("shop", "orders"))  # type: ignore[arg-type]
    assert caught.value.exit_code == 4


def test_commands_take_names(spark: "SparkSession", shop: Path, tmp_path: Path) -> None:
    found = deltaadm("inspect", "shop.orders", shop / "orders", "-o", "jsonl").lines
    assert [document["table"] for document in found] == ["shop.orders", str(shop / "orders")]
    assert {table["location"] for table in found} == {str(shop / "orders")}
    assert deltaadm("validate", "shop.orders", "shop.elsewhere").code == 0
    plan = tmp_path / "plan.json"
    wish = ("alter", "shop.orders", "--set", "team=data")
    planned = deltaadm(*wish, "--out", plan, "-o", "sql")
    assert planned.out == f"ALTER TABLE {HERE}.orders SET TBLPROPERTIES ('team' = 'data');\n"
    done = deltaadm("apply", plan, "--yes", "-o", "json").document
    assert done["plan"]["name"] == f"{HERE}.orders"
    assert done["outcome"]["mismatches"] == []
    [(_, value)] = spark.sql("SHOW TBLPROPERTIES shop.orders ('team')").collect()
    assert value == "data"
    again = deltaadm(*wish, "--apply", "--yes", "-o", "json").document
    assert (again["plan"]["is_noop"], again["outcome"]["versions"]) == (True, [])


def test_many_tables_by_the_pattern_of_their_names(shop: Path) -> None:
    found = deltaadm("inspect", "--catalog", "shop.*", "--catalog", "sh?p.orders", "-o", "jsonl")
    names = [line["table"] for line in found.lines]
    assert f"{HERE}.orders" in names
    assert not {f"{HERE}.seen", f"{HERE}.plain"} & set(names)
    assert len(names) == len(set(names))
    assert str(shop / "orders") in {line["location"] for line in found.lines}
    assert found.code == 0
    assert (
        "There is no table in shop.nothing*."
        in deltaadm("validate", "--catalog", "shop.nothing*").err
    )


def test_a_name_that_leads_elsewhere_since_then_stops_the_plan(
    spark: "SparkSession", shop: Path, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE shop.moving (a INT) USING delta")
    plan = tmp_path / "plan.json"
    deltaadm("alter", "shop.moving", "--set", "team=data", "--out", plan)
    spark.sql("DROP TABLE shop.moving")
    spark.sql(f"CREATE TABLE shop.moving (a INT) USING delta LOCATION '{shop}/moved'")
    result = deltaadm("apply", plan, "--yes")
    spark.sql("DROP TABLE shop.moving")
    assert result.code == 5
    assert f"{HERE}.moving is now at {shop}/moved" in result.err
    assert len(list((shop / "moved" / "_delta_log").glob("*.json"))) == 1


@pytest.fixture
def yard(spark: "SparkSession", tmp_path: Path) -> Iterator[Path]:
    spark.sql(f"CREATE SCHEMA yard LOCATION '{tmp_path}/yard'")
    yield tmp_path / "yard"
    spark.sql("DROP SCHEMA yard CASCADE")


PLACES = {
    "copy of it": ("a INT, b STRING", "", None),
    "mapped%20 it's": ("a INT, b STRING",
        "CLUSTER BY (a) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'x' = 'y')", None),
    "comment": ("a INT COMMENT 'x', b STRING", "", "DELTA_SET_LOCATION_SCHEMA_MISMATCH"),
    "nullability": ("a INT NOT NULL, b STRING", "", "DELTA_SET_LOCATION_SCHEMA_MISMATCH"),
    "partitions": ("a INT, b STRING", "PARTITIONED BY (b)", "DELTA_SET_LOCATION_SCHEMA_MISMATCH"),
    "nowhere": (None, "", "DELTA_MISSING_DELTA_TABLE"),
}  # fmt: skip


def derived(plan: dict[str, Any]) -> dict[str, Any]:
    """What follows from the steps of a *plan*: all but the command, its reasons and the digest."""
    changes = [{**change, "because": ""} for change in plan["changes"]]
    binding = {**plan["binding"], "document_sha256": ""}
    return {**plan, "operation": "", "changes": changes, "binding": binding}


_FILES = ", 0 files, 0 bytes"
"""What a plan says of another table's files when it is made; a plan file has no such facts."""


def test_a_name_gets_another_location_or_is_refused_as_delta_refuses(
    spark: "SparkSession", yard: Path, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE yard.roaming (a INT, b STRING) USING delta")
    plan, home, catalog = tmp_path / "plan.json", yard / "roaming", DeltaCatalog(spark)
    for name, (columns, layout, _) in PLACES.items():
        if columns is not None:
            spark.sql(f"CREATE TABLE delta.`{tmp_path}/{name}` ({columns}) USING delta {layout}")

    def move(place: Path, *more: object) -> Result:
        return deltaadm("alter", "yard.roaming", "--set-location", place, "-o", "json", *more)

    def location() -> str:
        return catalog.load_table(("yard", "roaming")).location

    for name, (_, _, error_class) in PLACES.items():
        sql = f"ALTER TABLE yard.roaming SET LOCATION {literal(str(tmp_path / name))}"
        if error_class is not None:
            with pytest.raises(Exception, match=error_class) as refused:
                spark.sql(sql)
            assert refusal(refused.value).delta_error_class == error_class
            assert move(tmp_path / name).document["error"]["delta_error_class"] == error_class
            continue
        planned = move(tmp_path / name, "--out", plan).document
        assert planned["steps"][0]["sql"] == sql.replace("yard.", "spark_catalog.yard.")
        done = succeeds("apply", plan, "--yes", "-o", "json", *ACCEPT_ALL)
        assert (done.document["outcome"]["versions"], done.document["outcome"]["mismatches"]) == (
            [],
            [],
        )
        counted = {
            "table": f"spark_catalog.{planned['table']}",
            "notes": [note.replace(_FILES, "", 1) for note in planned["notes"]],
        }
        assert derived(done.document["plan"]) == derived(planned | counted)
        assert location() == str(tmp_path / name)
        assert any("DROP TABLE deletes" in note for note in planned["notes"])
        assert catalog.load_table(("yard", "roaming")).is_managed
        assert move(tmp_path / name).document["is_noop"]
        assert "already applied" in deltaadm("apply", plan).out
        assert move(home, "--apply", "--yes").code == 0
        assert location() == str(home)

    bypass = ("--spark-conf", "spark.databricks.delta.alterLocation.bypassSchemaCheck=true")
    spark.conf.set(bypass[1].partition("=")[0], "true")
    assert move(tmp_path / "comment", *bypass, "--apply", "--yes").code == 0
    assert spark.table("yard.roaming").schema["a"].metadata["comment"] == "x"
    assert move(home, *bypass, "--apply", "--yes").code == 0
    spark.conf.unset(bypass[1].partition("=")[0])
    assert move(tmp_path / "comment", "--check").code == 7

    move(tmp_path / "copy of it", "--out", plan)
    spark.sql(f"ALTER TABLE delta.`{tmp_path}/copy of it` SET TBLPROPERTIES ('new' = '1')")
    stale = deltaadm("apply", plan, "--yes", *ACCEPT_ALL)
    assert (stale.code, location()) == (5, str(home))
    assert "copy of it changed in version 1" in stale.err
    logs = [
        len(list((directory / "_delta_log").glob("*.json")))
        for directory in (home, tmp_path / "comment")
    ]
    assert logs == [1, 1]


def test_an_interrupted_run_knows_names_that_lead_elsewhere_already(
    spark: "SparkSession", yard: Path, tmp_path: Path
) -> None:
    place, catalog = tmp_path / "place", DeltaCatalog(spark)
    for name in ("first", "second"):
        spark.sql(f"CREATE TABLE yard.{name} (a INT) USING delta")
        spark.sql(f"CREATE TABLE delta.`{place}/{name}` (a INT) USING delta")
    plans, journal = tmp_path / "plans.jsonl", tmp_path / "journal"
    lines = [
        deltaadm("alter", f"yard.{name}", "--set-location", place / name, "-o", "jsonl").out
        for name in ("first", "second")
    ]
    plans.write_text("".join(lines))
    with Journal(journal) as notes:
        notes.add(Entry(read_plans(lines[0])[0].digest, "yard.first", "begun"))
    spark.sql(f"ALTER TABLE yard.first SET LOCATION '{place}/first'")
    done = succeeds("apply", plans, "--journal", journal, "--yes", "-o", "jsonl")
    assert [line["outcome"]["versions"] for line in done.lines] == [[], []]
    again = deltaadm("apply", plans, "--journal", journal, "--yes")
    assert "2 of 2 plans were applied by an earlier run" in again.err
    assert not list(yard.glob("*/_delta_log/*1.json"))
    for name in ("first", "second"):
        assert catalog.load_table(("yard", name)).location == str(place / name)
        assert deltaadm("inspect", f"yard.{name}", "-o", "json").document["version"] == 0


def test_a_session_that_can_know_no_table_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.modules", {})
    messages: list[str] = []
    for conf, directory in (
        ({}, "/nowhere"),
        ({"spark.app.name": "x"}, "/nowhere"),
        ({}, "x" * 5000),
    ):
        monkeypatch.setenv("SPARK_CONF_DIR", directory)
        with open_catalog(SparkOptions(conf=conf), messages.append) as found:
            assert found is None
    assert messages == []
