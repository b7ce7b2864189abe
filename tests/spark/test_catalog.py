"""Tables by their names in Spark's catalogs, for every command that takes a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm.errors import DeltaadmError, Refused
from deltaadm.spark.catalog import CatalogTable, DeltaCatalog, open_catalog
from deltaadm.spark.session import SparkOptions
from tests.support.program import deltaadm

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
    orders = CatalogTable(f"{HERE}.orders", "delta", str(shop / "orders"))
    elsewhere = CatalogTable(f"{HERE}.elsewhere", "delta", str(shop / "far away%20"))
    plain = CatalogTable(f"{HERE}.plain", "parquet", str(shop / "plain"))
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


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("shop.order", 3, ("no table shop.order", "Did you mean orders?")),
        ("shop.passing", 3, ("no table shop.passing",)),
        ("shops.orders", 3, ("no schema shops", "Did you mean shop?")),
        ("nowhere.shop.orders", 3, ("no catalog nowhere", "spark.sql.catalog.nowhere=")),
        ("shop.seen", 3, (f"{HERE}.seen is a view",)),
        ("shop.plain", 3, (f"{HERE}.plain is not a Delta table", "parquet")),
    ],
)
def test_what_is_no_delta_table_is_said_to_be_none(
    shop: Path,  # noqa: ARG001 -- it is there
    name: str,
    code: int,
    words: tuple[str, ...],
) -> None:
    for command in (["inspect"], ["validate"], ["alter", "--set", "a=b"], ["drop-feature"]):
        result = deltaadm(command[0], name, *command[1:])
        assert result.code == code
        for one in words:
            assert one in result.out + result.err


@pytest.mark.parametrize("pattern", ["orders", "a.b.c.d", "*.shop.orders", "shop..x", ""])
def test_what_is_no_pattern_is_refused(catalog: DeltaCatalog, pattern: str) -> None:
    with pytest.raises(Refused, match="pattern of table names"):
        catalog.list_tables(pattern)


def test_who_may_not_look_is_told_so(spark: "SparkSession", shop: Path) -> None:  # noqa: ARG001
    class Guarded:
        """A session whose catalog answers like that of a guarded metastore."""

        def sql(self, query: str) -> None:
            del query
            spark.sql("SELECT raise_error('PERMISSION_DENIED: User has no USE SCHEMA')").collect()

    with pytest.raises(DeltaadmError, match="does not let this user look into shop") as caught:
        DeltaCatalog(Guarded()).load_table(("shop", "orders"))  # type: ignore[arg-type]
    assert caught.value.exit_code == 4


def test_commands_take_names(spark: "SparkSession", shop: Path, tmp_path: Path) -> None:
    found = deltaadm("inspect", "shop.orders", shop / "orders", "-o", "jsonl").lines
    assert [one["table"] for one in found] == ["shop.orders", str(shop / "orders")]
    assert {one["location"] for one in found} == {str(shop / "orders")}
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
    names = [one["table"] for one in found.lines]
    assert f"{HERE}.orders" in names
    assert not {f"{HERE}.seen", f"{HERE}.plain"} & set(names)
    assert len(names) == len(set(names))
    assert str(shop / "orders") in {one["location"] for one in found.lines}
    assert found.code == 0
    assert (
        "There is no table in shop.nothing*."
        in deltaadm("validate", "--catalog", "shop.nothing*").err
    )


def test_a_name_that_leads_elsewhere_since_then_stops_the_plan(
    spark: "SparkSession",
    shop: Path,
    tmp_path: Path,
) -> None:
    spark.sql("CREATE TABLE shop.moving (a INT) USING delta")
    plan = tmp_path / "plan.json"
    deltaadm("alter", "shop.moving", "--set", "team=data", "--out", plan)
    spark.sql("DROP TABLE shop.moving")
    spark.sql(f"CREATE TABLE shop.moving (a INT) USING delta LOCATION '{shop}/moved'")
    result = deltaadm("apply", plan, "--yes")
    spark.sql("DROP TABLE shop.moving")
    assert result.code == 5
    assert f"{HERE}.moving is at {shop}/moved now" in result.err
    assert len(list((shop / "moved" / "_delta_log").glob("*.json"))) == 1


def test_a_session_that_can_know_no_table_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.modules", {})
    told: list[str] = []
    for conf, environ in (
        ({}, {"SPARK_CONF_DIR": "/nowhere"}),
        ({"spark.app.name": "x"}, {"SPARK_CONF_DIR": "/nowhere"}),
    ):
        with open_catalog(SparkOptions(conf=conf), told.append, environ) as found:
            assert found is None
    assert told == []
