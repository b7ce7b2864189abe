"""Tables of other providers: what is planned, and what is told when a step of it fails."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from deltaadm.documents.saved_foreign_plan import (
    foreign_document,
    read_foreign_plan,
)
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.errors import CommitError, DeltaadmError, EngineError, Refused
from deltaadm.operations.create import read_schema
from deltaadm.operations.foreign.best_effort import (
    BestEffortStagedTable,
    plan_best_effort,
)
from deltaadm.operations.foreign.carry_out import carry_out
from deltaadm.operations.foreign.catalog import (
    REDACTED,
    ForeignDefinition,
    ForeignTable,
    get_provider,
)
from tests.support.foreign_plans import check_changed_files
from tests.support.plans import resealed

MANAGED = ForeignTable(provider="orc", location="/w/t", is_managed=True, fingerprint="1")
EXTERNAL = replace(MANAGED, location="/data/t", is_managed=False)


def plan(before: ForeignTable | None = None, **more: Any) -> BestEffortStagedTable:
    """A table of the provider csv, at /w/t unless a location is given."""
    occupied = more.pop("occupied", False)
    wish = {"mode": CreationMode.CREATE_OR_REPLACE, "schema": read_schema("a INT, p INT, b INT")}
    step = CreateTable(**wish | more)  # type: ignore[arg-type] -- a row of a table of tests
    return plan_best_effort(
        "s.t",
        "c.s.t",
        step,
        provider="csv",
        location=step.location or "/w/t",
        before=before,
        occupied=occupied,
    )


@dataclass
class Shelf:
    """A parent catalog with room for one table; statements that begin with `failing` fail."""

    table: ForeignTable | None
    makes: BestEffortStagedTable
    failing: tuple[str, ...] = ()
    error: type[DeltaadmError] = CommitError
    ran: list[str] = field(default_factory=list)
    reads_old: bool = False

    def find(self, name: str) -> ForeignTable | None:
        assert name == self.makes.name
        return self.table

    def definition(self, name: str) -> ForeignDefinition:
        assert self.find(name) is not None
        made = self.makes.definition
        return replace(made, properties={**made.properties, "added": "by the catalog"})

    def check_query(self, name: str, step: CreateTable, before: ForeignTable | None) -> None:
        assert (step.query, before) == (self.makes.step.query, self.makes.before)
        if self.reads_old:
            raise Refused(f"reads {name}")

    def run(self, sql: str) -> None:
        verb = sql.split(maxsplit=1)[0]
        self.ran.append(verb)
        if verb in self.failing:
            raise self.error("Oh.", remedy="Wait.")
        if verb == "DROP":
            self.table = None
        if verb == "CREATE":
            assert self.table is None
            self.table = replace(MANAGED, provider="csv", fingerprint="2")


QUERY = {"query": "SELECT 1 AS a, 2 AS p, 3 AS b"}


def test_the_statements_come_in_the_order_of_delta() -> None:
    made = plan(EXTERNAL, partition_by=("P",), **QUERY)
    assert made.statements == (
        "DROP TABLE c.s.t",
        "CREATE TABLE c.s.t (`a` INT, `p` INT, `b` INT) USING csv PARTITIONED BY (`p`)",
        "INSERT INTO c.s.t (`a`, `p`, `b`) SELECT 1 AS a, 2 AS p, 3 AS b",
    )
    assert [field.name for field in made.definition.schema.fields] == ["a", "b", "p"]
    assert made.irreversible == ("c.s.t",)
    assert plan().irreversible == ()
    assert plan(write_options={"header": "true"}).create.endswith("OPTIONS ('header' = 'true')")
    assert replace(plan(), provider="org.x.My-Source").create.endswith("USING org.x.`My-Source`")


@pytest.mark.parametrize(
    ("before", "more", "failing", "ran", "words"),
    [
        (None, QUERY, "CREATE", "CREATE", "Oh; nothing was changed."),
        (None, QUERY, "INSERT", "CREATE INSERT DROP", "Oh; the new table was dropped again."),
        (
            None,
            QUERY | {"location": "/d"},
            "INSERT",
            "CREATE INSERT DROP",
            "files may be left at /d.",
        ),
        (
            None,
            QUERY,
            "INSERT DROP",
            "CREATE INSERT DROP",
            "the new table could not be dropped again (Oh), and is left without rows",
        ),
        (MANAGED, QUERY, "DROP", "DROP", "the old table is still in the catalog"),
        (MANAGED, {}, "CREATE", "DROP CREATE", "with its rows at /w/t; no new table was created."),
        (EXTERNAL, {}, "CREATE", "DROP CREATE", "its files are left at /data/t; no new table"),
        (
            MANAGED,
            QUERY,
            "INSERT",
            "DROP CREATE INSERT DROP",
            "with its rows at /w/t; the new table was dropped again.",
        ),
    ],
)
@pytest.mark.parametrize("error", [CommitError, EngineError])
def test_what_is_lost_and_left_is_told(  # noqa: PLR0917 -- the columns of the table
    before: ForeignTable | None,
    more: dict[str, Any],
    failing: str,
    ran: str,
    words: str,
    error: type[DeltaadmError],
) -> None:
    made = plan(before, **more)
    shelf = Shelf(before, made, tuple(failing.split()), error)
    noted: list[str] = []
    with pytest.raises(error) as raised:
        carry_out(made, shelf, noted.append)
    assert words in raised.value.message
    assert raised.value.remedy == "Wait."
    assert " ".join(shelf.ran) == ran
    assert all("c.s.t" in note for note in noted)


def test_all_is_well_and_compared() -> None:
    made = plan(MANAGED, properties={"x": "1"}, **QUERY)
    noted: list[str] = []
    assert carry_out(made, Shelf(MANAGED, made), noted.append).mismatches == ()
    assert noted[-1] == "c.s.t was created"
    other = replace(made, provider="json", step=replace(made.step, properties={"x": "2"}))
    found = carry_out(other, Shelf(MANAGED, made), noted.append).mismatches
    assert [(change.subject, change.before, change.after) for change in found] == [
        ("provider", "json", "csv"),
        ("configuration[x]", "2", "1"),
    ]
    secret = plan(properties={"x": "1", "token": REDACTED})
    changed = replace(secret, step=replace(secret.step, properties={"x": "1", "token": "t"}))
    assert carry_out(changed, Shelf(None, secret), noted.append).mismatches == ()


def test_a_table_that_cannot_be_compared_was_made_all_the_same() -> None:
    class Silent(Shelf):
        def definition(self, name: str) -> ForeignDefinition:
            raise EngineError(f"No word of {name}.", remedy="")

    made = plan(EXTERNAL, **QUERY)
    with pytest.raises(EngineError) as raised:
        carry_out(made, Silent(EXTERNAL, made), lambda _: None)
    assert raised.value.message.startswith("No word of c.s.t; the old table had been dropped")
    assert raised.value.message.endswith("; c.s.t was created and filled.")
    assert "DESCRIBE TABLE EXTENDED" in raised.value.remedy


def test_nothing_is_dropped_for_a_plan_that_does_not_hold() -> None:
    made = plan(MANAGED, **QUERY)
    for shelf, words in (
        (Shelf(None, made), "has changed since the plan was made"),
        (Shelf(replace(MANAGED, fingerprint="other"), made), "nothing was changed"),
        (Shelf(MANAGED, made, reads_old=True), "reads c.s.t"),
    ):
        with pytest.raises(DeltaadmError, match=words):
            carry_out(made, shelf, lambda _: None)
        assert shelf.ran == []


@pytest.mark.parametrize(
    ("before", "more", "words"),
    [
        (MANAGED, {"mode": CreationMode.CREATE}, "c.s.t already exists, with the provider orc"),
        (None, {"mode": CreationMode.REPLACE}, "no table to replace"),
        (None, {"cluster_by": (("a",),)}, "cannot be clustered"),
        (
            None,
            {"properties": {"delta.appendOnly": "true"}},
            "Delta tables, which have no effect on csv",
        ),
        (None, {"write_options": {"delta.x": "1"}}, "Delta tables, which have no effect on csv"),
        (None, {"properties": {"owner": "me"}}, "reserved by Spark"),
        (None, {"partition_by": ("nope",)}, "partition column nope is not"),
        (None, {"schema": read_schema("a INT, A INT")}, "occur more than once"),
        (None, {"occupied": True}, "location /w/t is not empty"),
        (EXTERNAL, {"occupied": True}, "location /w/t is not empty"),
        (None, {"occupied": True, "location": "/d", **QUERY}, "location /d is not empty"),
    ],
)
def test_what_is_refused(before: ForeignTable | None, more: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(before, **more)
    assert words in refused.value.message


def test_files_of_the_old_table_are_no_hindrance() -> None:
    assert plan(MANAGED, occupied=True, **QUERY).before == MANAGED
    notes = plan(None, occupied=True, location="/d").notes
    assert any("become rows of the table" in note for note in notes)


def test_a_saved_plan_is_the_same_plan_or_none() -> None:
    made = plan(MANAGED, partition_by=("p",), properties={"x": "1"}, **QUERY)
    document = json.loads(json.dumps(foreign_document(made)))
    saved = read_foreign_plan(json.dumps(document))
    assert saved is not None
    assert (saved.table, saved.provider, saved.request) == ("s.t", "csv", made.step)
    saved.require_same(made)
    for other in (
        plan(partition_by=("p",), properties={"x": "1"}, **QUERY),
        replace(made, before=replace(MANAGED, fingerprint="2")),
        replace(made, location="/elsewhere"),
    ):
        with pytest.raises(CommitError, match="would now differ in"):
            saved.require_same(other)
    assert read_foreign_plan("[]") is None
    assert read_foreign_plan("no JSON") is None
    assert read_foreign_plan(json.dumps({"steps": []})) is None
    for key, value in (("format_version", 99), ("step", {}), ("step", 3)):
        with pytest.raises(Refused):
            read_foreign_plan(json.dumps(resealed(document | {key: value})))


def test_any_change_of_a_file_is_refused_or_the_same_plan() -> None:
    made = plan(MANAGED, partition_by=("p",), properties={"x": "1"}, **QUERY)
    check_changed_files(made, made.step)


def test_the_provider_is_what_is_said_once() -> None:
    assert get_provider("Parquet", {}) == "parquet"
    assert get_provider("CSV", {"provider": "csv"}) == "csv"
    assert get_provider(None, {"x": "csv"}) == "delta"
    with pytest.raises(Refused, match="given twice"):
        get_provider("csv", {"provider": "orc"})
