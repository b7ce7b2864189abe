"""Tables of other providers: what is planned and refused, and what is told when a step fails."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from deltaadm.catalog_table import CatalogTable
from deltaadm.domain.ddl import parse_definitions
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


def altered(**wish: Any) -> ForeignPlan:
    before = MANAGED._replace(provider="csv")
    return plan_foreign_changes("s.t", before, TableChanges(**wish).steps())


def add(text: str) -> dict[str, Any]:
    return {"add": parse_definitions(text)}


def test_an_old_table_is_dropped_once_the_new_one_is_filled() -> None:
    made = created(EXTERNAL, partition_by=("P",), **QUERY)
    assert made.statements == (
        "CREATE TABLE c.s.t__new (`a` INT, `p` INT, `b` INT) USING csv PARTITIONED BY (`P`)",
        "INSERT INTO c.s.t__new (`a`, `p`, `b`) SELECT 1 AS a, 2 AS p, 3 AS b",
        "DROP TABLE c.s.t",
        "ALTER TABLE c.s.t__new RENAME TO s.t",
    )
    assert replace(made, name="c.s.`a b`").made_as == "c.s.`a b__new`"
    assert [sql.split()[0] for sql in created(**QUERY).statements] == ["CREATE", "INSERT"]
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
    assert "not atomic together" in made.notes[0]


def test_a_new_location_is_told_with_what_it_entails() -> None:
    made = altered(location=no_table("/data/there"))
    assert made.statements == ("ALTER TABLE c.s.t SET LOCATION '/data/there'",)
    assert "the files at /data/there become the table's rows" in made.notes[0]
    assert "DROP TABLE will delete" in made.notes[1]
    with pytest.raises(RefusedError, match="cannot be changed together"):
        altered(location=no_table("/data/there"), unset=["k"])


@pytest.mark.parametrize("wish", [
    {"add_constraints": {"c": "id > 0"}}, {"drop_constraints": ["c"]}, {"cluster_by": [("id",)]},
    {"checkpoint": True},
])  # fmt: skip
def test_what_only_delta_tables_have_is_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="The provider csv does not support this"):
        altered(**wish)
    assert altered(drop=[("id",)]).statements  # which Spark refuses


@pytest.mark.parametrize(("before", "more", "words"), [
    (MANAGED, {"mode": CreationMode.CREATE}, "c.s.t already exists"),
    (None, {"mode": CreationMode.REPLACE}, "no table to replace"),
    (None, {"cluster_by": (("a",),)}, "csv does not support this: cluster by"),
    (None, {"occupied": True}, "location /w/t is not empty"),
    (EXTERNAL, {"occupied": True}, "location /w/t is not empty"),
    (None, {"occupied": True, "location": "/d", **QUERY}, "location /d is not empty"),
    (MANAGED, {"location": "/w/t"}, "location /w/t is not empty"),
    (MANAGED, {"location": "s3://x/w/t/in"}, "location s3://x/w/t/in is not empty"),
    (MANAGED, {"location": "/w/u/../t"}, "location /w/u/../t is not empty"),
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


@pytest.mark.parametrize(("failing", "ran", "words"), [
    ("CREATE", "", "Oh; failed: CREATE TABLE c.s.t__new"),
    ("INSERT", "CREATE DROP", "RENAME TO s.t; the new table was dropped again."),
    ("DROP", "CREATE INSERT", "failed: DROP TABLE c.s.t; not carried out: ALTER TABLE"),
    ("ALTER", "CREATE INSERT DROP", "RENAME TO s.t; the new table is c.s.t__new."),
])  # fmt: skip
def test_an_old_table_is_there_until_the_new_one_is(failing: str, ran: str, words: str) -> None:
    shelf = Shelf(EXTERNAL, (failing,))
    with pytest.raises(CommitError) as raised:
        carry_out(created(EXTERNAL, **QUERY), shelf, lambda _: None)
    assert words in raised.value.message
    assert " ".join(sql.split()[0] for sql in shelf.ran) == ran
    if failing == "INSERT":
        assert shelf.ran[-1] == "DROP TABLE c.s.t__new"


def test_a_table_that_took_the_old_ones_name_is_not_dropped() -> None:
    shelf = Shelf(EXTERNAL)
    with pytest.raises(CommitError, match=r"changed since .*; failed: DROP TABLE c\.s\.t;"):
        carry_out(created(EXTERNAL), shelf, lambda _: setattr(shelf, "table", MANAGED))
    assert [sql.split()[0] for sql in shelf.ran] == ["CREATE"]


def test_a_new_table_that_cannot_be_dropped_again_is_told() -> None:
    shelf = Shelf(None, ("INSERT", "DROP"))
    with pytest.raises(CommitError, match="could not be dropped again: Oh"):
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
