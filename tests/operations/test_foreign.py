"""Tables of other providers: what is planned and refused, and what is told when a step fails."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from deltaadm.catalog_table import CatalogTable
from deltaadm.domain.ddl import Position, parse_definitions, parse_type
from deltaadm.domain.steps import ColumnChange, CreateTable, CreationMode
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import CommitError, DeltaadmError, EngineError, RefusedError
from deltaadm.plans.alter import TableChanges, read_schema
from deltaadm.plans.foreign import (
    ForeignPlan,
    carry_out,
    get_provider,
    plan_foreign_changes,
    plan_foreign_creation,
)

MANAGED = CatalogTable("c.s.t", "orc", "/w/t", is_managed=True)
EXTERNAL = MANAGED._replace(location="/data/t", is_managed=False)
QUERY = {"query": "SELECT 1 AS a, 2 AS p, 3 AS b"}


def created(before: CatalogTable | None = None, **more: Any) -> ForeignPlan:
    """A table of the provider csv, at /w/t unless a location is given."""
    occupied = more.pop("occupied", False)
    wish = {"mode": CreationMode.CREATE_OR_REPLACE, "schema": read_schema("a INT, p INT, b INT")}
    step = CreateTable(**wish | more)  # type: ignore[arg-type] -- a row of a table of tests
    return plan_foreign_creation(
        "s.t", "c.s.t", step, provider="csv", location=step.location or "/w/t", before=before,
        occupied=occupied,
    )  # fmt: skip


def altered(provider: str = "csv", *, occupied: bool = False, **wish: Any) -> ForeignPlan:
    before = MANAGED._replace(provider=provider)
    return plan_foreign_changes("s.t", before, TableChanges(**wish).steps(), occupied=occupied)


def add(text: str) -> dict[str, Any]:
    return {"add": parse_definitions(text)}


def change(column: str, **what: Any) -> dict[str, Any]:
    return {"change": [ColumnChange(tuple(column.split(".")), **what)]}


def test_a_new_table_is_dropped_made_and_filled() -> None:
    made = created(EXTERNAL, partition_by=("P",), **QUERY)
    assert made.statements == (
        "DROP TABLE c.s.t",
        "CREATE TABLE c.s.t (`a` INT, `p` INT, `b` INT) USING csv PARTITIONED BY (`p`)",
        "INSERT INTO c.s.t (`a`, `p`, `b`) SELECT 1 AS a, 2 AS p, 3 AS b",
    )
    assert made.trials[0].startswith("CREATE TABLE c.s.t__new (")
    assert made.irreversible == ("c.s.t",)
    assert created().irreversible == altered(unset=["k"]).irreversible == ()
    [made_with] = created(write_options={"header": "true"}).statements
    assert made_with.endswith("OPTIONS ('header' = 'true')")
    [of_class] = replace(created(), provider="org.x.My-Source").statements
    assert of_class.endswith("USING org.x.`My-Source`")


def test_each_change_is_a_statement_in_the_order_of_delta() -> None:
    made = altered(
        unset=["k"],
        add=parse_definitions("x INT DEFAULT 5, y VARCHAR(3) COMMENT 'it''s'"),
        change=[ColumnChange(("ID",), comment="key"), ColumnChange(("n",), default="")],
        set_properties={"team": "web", "comment": "new"},
    )
    assert [text.removeprefix("ALTER TABLE c.s.t ") for text in made.statements] == [
        "SET TBLPROPERTIES ('team' = 'web', 'comment' = 'new')",
        r"ADD COLUMNS (`x` INT DEFAULT 5, `y` VARCHAR(3) COMMENT 'it\'s')",
        "ALTER COLUMN `ID` COMMENT 'key'",
        "ALTER COLUMN `n` DROP DEFAULT",
        "UNSET TBLPROPERTIES IF EXISTS ('k')",
    ]
    assert made.trials == made.statements
    assert "not atomic together" in made.notes[0]


def test_a_new_location_is_told_with_what_it_entails() -> None:
    made = altered(location=no_table("/data/there"), occupied=True)
    assert made.statements == ("ALTER TABLE c.s.t SET LOCATION '/data/there'",)
    assert "the files at /data/there become the table's rows" in made.notes[0]
    assert "DROP TABLE will delete" in made.notes[1]
    assert "sees no files at /data/there" in altered(location=no_table("/data/there")).notes[1]
    with pytest.raises(RefusedError, match="cannot be changed together"):
        altered(location=no_table("/data/there"), unset=["k"])


@pytest.mark.parametrize(("wish", "words"), [
    ({"set_properties": {"delta.x": "true"}}, "Delta tables, which have no effect on csv"),
    ({"set_properties": {"numRows": "x"}}, "maintained by the Hive metastore"),
    ({"unset": ["EXTERNAL"]}, "maintained by the Hive metastore"),
    ({"set_properties": {"spark.sql.x": "1"}}, "is reserved by Spark"),
    ({"set_properties": {"option.header": "true"}}, "options are set when the table is"),
    ({"set_properties": {"path": "/x"}}, "would not move the table"),
    (add("x INT FIRST"), "x cannot be given a position"),
    (add("x INT AFTER id"), "x cannot be given a position"),
    (add("x INT NOT NULL"), "x cannot be NOT NULL"),
    (add("x STRUCT<a: INT NOT NULL>"), "x.a cannot be NOT NULL"),
    (add("x VARIANT"), "x cannot be VARIANT: Spark would accept it, but then could not read"),
    (change("id", type=parse_type("STRING")), "only comment and default of id"),
    (change("id", nullable=True), "only comment and default of id"),
    (change("id", position=Position()), "only comment and default of id"),
    ({"rename": {("id",): "key"}}, "columns cannot be renamed"),
    ({"drop": [("id",)]}, "columns cannot be dropped"),
    ({"add_constraints": {"c": "id > 0"}}, "Spark checks no constraints"),
    ({"drop_constraints": ["c"]}, "there are no constraints"),
    ({"cluster_by": [("id",)]}, "cannot be clustered"),
    ({"checkpoint": True}, "no log, and so no checkpoint"),
])  # fmt: skip
def test_what_spark_would_ignore_or_spoil_is_refused(wish: dict[str, Any], words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        altered(**wish)
    assert words in refused.value.message
    assert refused.value.remedy


@pytest.mark.parametrize(("provider", "text", "words"), [
    ("hive", "x STRING COLLATE UTF8_LCASE", "could not read the table"),
    ("orc", "x ARRAY<STRING COLLATE UTF8_LCASE>", "could not read what it has written"),
    ("parquet", "x STRUCT<>", "could not write rows"),
])  # fmt: skip
def test_what_only_some_providers_lack_is_refused(provider: str, text: str, words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        altered(provider, **add(text))
    assert f"of the provider {provider}" in refused.value.message
    assert words in refused.value.message
    assert altered("json", **add(text)).statements


@pytest.mark.parametrize(("before", "more", "words"), [
    (MANAGED, {"mode": CreationMode.CREATE}, "c.s.t already exists, with the provider orc"),
    (None, {"mode": CreationMode.REPLACE}, "no table to replace"),
    (None, {"cluster_by": (("a",),)}, "cannot be clustered"),
    (None, {"properties": {"delta.appendOnly": "true"}}, "Delta tables, which have no effect"),
    (None, {"write_options": {"delta.x": "1"}}, "Delta tables, which have no effect on csv"),
    (None, {"properties": {"owner": "me"}}, "reserved by Spark"),
    (None, {"partition_by": ("nope",)}, "partition column nope is not"),
    (None, {"schema": read_schema("a INT, A INT")}, "occur more than once"),
    (None, {"schema": read_schema("a VARIANT")}, "a cannot be VARIANT"),
    (None, {"occupied": True}, "location /w/t is not empty"),
    (EXTERNAL, {"occupied": True}, "location /w/t is not empty"),
    (None, {"occupied": True, "location": "/d", **QUERY}, "location /d is not empty"),
])  # fmt: skip
def test_what_cannot_be_created_is_refused(
    before: CatalogTable | None, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        created(before, **more)
    assert words in refused.value.message


def test_files_of_the_old_table_are_no_hindrance() -> None:
    assert created(MANAGED, occupied=True, **QUERY).before == MANAGED
    notes = created(None, occupied=True, location="/d").notes
    assert any("become rows of the table" in note for note in notes)


# Carrying it out


@dataclass
class Shelf:
    """A parent catalog with room for one table; statements that begin with `failing` fail."""

    table: CatalogTable | None
    failing: tuple[str, ...] = ()
    error: type[DeltaadmError] = CommitError
    ran: list[str] = field(default_factory=list)
    describe: Callable[[str], tuple[tuple[str, str], ...]] = lambda name: (("Name", name),)

    def find(self, name: str) -> CatalogTable | None:
        assert name == "c.s.t"
        return self.table

    def description(self, name: str) -> tuple[tuple[str, str], ...]:
        return self.describe(name)

    def run(self, sql: str) -> None:
        if sql.startswith(self.failing):
            raise self.error("Oh.", remedy="Wait.")
        self.ran.append(sql)


TWO = {"set_properties": {"team": "web"}, **add("x INT"), "unset": ["k"]}


def test_all_is_carried_out_and_told() -> None:
    made, noted = altered(**TWO), list[str]()
    shelf = Shelf(made.before)
    assert carry_out(made, shelf, noted.append) == (("Name", "c.s.t"),)
    assert tuple(shelf.ran) == made.statements
    assert noted[0].startswith("perhaps carried out: ALTER TABLE c.s.t SET")
    assert noted[-1] == f"carried out: {' | '.join(made.statements)}"


@pytest.mark.parametrize("error", [CommitError, EngineError])
def test_a_failure_in_the_middle_says_how_far_it_got(error: type[DeltaadmError]) -> None:
    made = altered(**TWO)
    for failing, words in enumerate(
        (
            "Oh; failed: {0}; not carried out: {1} | {2}.",
            "Oh; carried out: {0}; failed: {1}; not carried out: {2}.",
            "Oh; carried out: {0} | {1}; failed: {2}.",
        )
    ):
        shelf = Shelf(made.before, (made.statements[failing],), error)
        with pytest.raises(error) as raised:
            carry_out(made, shelf, lambda _: None)
        assert raised.value.message == words.format(*made.statements)
        assert raised.value.remedy == "Wait."


@pytest.mark.parametrize(("more", "failing", "ran", "words"), [
    (QUERY, "CREATE", "DROP", "carried out: DROP TABLE c.s.t; failed: CREATE TABLE"),
    (QUERY, "INSERT", "DROP CREATE DROP", "3 AS b; the new table was dropped again."),
    (QUERY | {"location": "/d"}, "INSERT", "DROP CREATE DROP",
        "was dropped again; files may be left at /d."),
])  # fmt: skip
def test_what_is_lost_and_left_is_told(
    more: dict[str, Any], failing: str, ran: str, words: str
) -> None:
    shelf = Shelf(EXTERNAL, (failing,))
    with pytest.raises(CommitError) as raised:
        carry_out(created(EXTERNAL, **more), shelf, lambda _: None)
    assert words in raised.value.message
    assert " ".join(sql.split()[0] for sql in shelf.ran) == ran


def test_a_new_table_that_cannot_be_dropped_again_is_told() -> None:
    shelf = Shelf(None, ("INSERT", "DROP"))
    with pytest.raises(CommitError, match=r"could not be dropped again \(Oh\), and is left"):
        carry_out(created(**QUERY), shelf, lambda _: None)


def test_a_table_that_cannot_be_described_was_changed_all_the_same() -> None:
    def silent(name: str) -> tuple[tuple[str, str], ...]:
        raise EngineError(f"No word of {name}.", remedy="")

    made = altered(unset=["k"])
    with pytest.raises(EngineError) as raised:
        carry_out(made, Shelf(made.before, describe=silent), lambda _: None)
    assert raised.value.message == f"No word of c.s.t; carried out: {made.statements[0]}."
    assert "DESCRIBE TABLE EXTENDED" in raised.value.remedy


def test_nothing_is_done_to_another_table() -> None:
    for made in (altered(**TWO), created(MANAGED)):
        shelf = Shelf(MANAGED._replace(location="/elsewhere"))
        with pytest.raises(CommitError, match="has changed since the plan was made"):
            carry_out(made, shelf, lambda _: None)
        assert shelf.ran == []


def test_the_provider_is_what_is_said_once() -> None:
    assert get_provider("Parquet", {}) == "parquet"
    assert get_provider("CSV", {"provider": "csv"}) == "csv"
    assert get_provider(None, {"x": "csv"}) == "delta"
    with pytest.raises(RefusedError, match="given twice"):
        get_provider("csv", {"provider": "orc"})
