"""Altering tables of other providers: what is planned, refused, carried out and saved."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from deltaadm.documents.saved_foreign_plan import (
    foreign_document,
    read_foreign_plan,
)
from deltaadm.domain.sql.ddl import Position, parse_definitions, parse_type
from deltaadm.domain.steps import ColumnChange, Step
from deltaadm.domain.steps.create_table import no_table
from deltaadm.errors import CommitError, DeltaadmError, EngineError, Refused
from deltaadm.operations.alter import TableChanges
from deltaadm.operations.create import read_schema
from deltaadm.operations.foreign.carry_out import carry_out
from deltaadm.operations.foreign.catalog import REDACTED, ForeignDefinition, ForeignTable
from deltaadm.operations.foreign.changes import ForeignChanges, plan_foreign_changes
from tests.support.foreign_plans import check_changed_files
from tests.support.plans import resealed

TABLE = ForeignTable(provider="csv", location="/w/t", is_managed=True, fingerprint="1")
DEFINITION = ForeignDefinition(
    provider="csv",
    location="/w/t",
    schema=read_schema("id BIGINT, n STRING DEFAULT 'a', c CHAR(3), s STRUCT<a: INT>, p INT"),
    partition_by=("p",),
    properties={"k": "1", "token": REDACTED},
    comment="old",
)


def plan(provider: str = "csv", *, occupied: bool = False, **wish: Any) -> ForeignChanges:
    return plan_foreign_changes(
        "s.t",
        "spark_catalog.s.t",
        TableChanges(**wish).steps(),
        before=replace(TABLE, provider=provider),
        definition=replace(DEFINITION, provider=provider),
        occupied=occupied,
    )


def add(text: str) -> dict[str, Any]:
    return {"add": parse_definitions(text)}


def change(column: str, **what: Any) -> dict[str, Any]:
    return {"change": [ColumnChange(tuple(column.split(".")), **what)]}


def clauses(made: ForeignChanges) -> list[str]:
    return [
        statement.removeprefix("ALTER TABLE spark_catalog.s.t ") for statement in made.statements
    ]


def changed(made: ForeignChanges) -> list[str]:
    return [f"{change.kind.value} {change.subject}" for change in made.changes]


def test_a_wish_that_is_partly_fulfilled_is_planned_for_the_rest() -> None:
    """Interrupted after any of its statements, and planned again by the same command."""
    wish = TableChanges(
        unset=["k"],
        add=parse_definitions("x INT DEFAULT 5, y STRING"),
        change=[ColumnChange(("id",), comment="key"), ColumnChange(("y",), comment="why")],
        set_properties={"team": "web", "comment": "new"},
    )

    def planned(definition: ForeignDefinition) -> ForeignChanges:
        steps = wish.steps()
        return plan_foreign_changes("s.t", "c.s.t", steps, before=TABLE, definition=definition)

    whole = planned(DEFINITION)
    for taken, stage in enumerate(whole.stages, 1):
        rest = planned(stage.after)
        assert rest.steps == whole.steps[taken:]
        assert rest.after == whole.after
        assert ("so they are skipped: x, y." in "".join(rest.notes)) == (taken > 1)


def test_each_change_is_a_statement_in_the_order_of_delta() -> None:
    made = plan(
        unset=["k"],
        add=parse_definitions("x INT DEFAULT 5, y VARCHAR(3) COMMENT 'it''s'"),
        change=[ColumnChange(("ID",), comment="key"), ColumnChange(("n",), default="")],
        set_properties={"team": "web", "comment": "new"},
    )
    assert clauses(made) == [
        "SET TBLPROPERTIES ('team' = 'web', 'comment' = 'new')",
        r"ADD COLUMNS (`x` INT DEFAULT 5, `y` VARCHAR(3) COMMENT 'it\'s')",
        "ALTER COLUMN `ID` COMMENT 'key'",
        "ALTER COLUMN `n` DROP DEFAULT",
        "UNSET TBLPROPERTIES IF EXISTS ('k')",
    ]
    assert changed(made) == [
        "~ description",
        "- configuration[k]",
        "+ configuration[team]",
        "~ schema[id]",
        "~ schema[n]",
        "+ schema[x]",
        "+ schema[y]",
    ]
    assert [field.name for field in made.after.schema.fields] == [
        "id",
        "n",
        "c",
        "s",
        "x",
        "y",
        "p",
    ]
    assert "not atomic together" in made.notes[0]
    assert "before p, by which" in made.notes[2]


@pytest.mark.parametrize(
    "wish",
    [
        {"set_properties": {"k": "1"}},
        {"set_properties": {"comment": "old"}},
        {"unset": ["nothing"]},
        change("n", default="'a'"),
        change("id", default=""),
        change("c", type=parse_type("CHAR(3)")),
        {"location": no_table("/w/t")},
        {},
    ],
)
def test_what_is_so_already_is_left_out(wish: dict[str, Any]) -> None:
    made = plan(**wish)
    assert (made.is_noop, made.statements, made.changes) == (True, (), ())


def test_a_value_that_is_not_told_is_set_anew() -> None:
    assert not plan(set_properties={"token": "x"}).is_noop
    assert changed(plan(unset=["token"])) == ["- configuration[token]"]


def test_a_new_location_is_told_with_what_it_entails() -> None:
    made = plan(location=no_table("/data/there"), occupied=True)
    assert clauses(made) == ["SET LOCATION '/data/there'"]
    assert changed(made) == ["~ location"]
    assert "the files at /data/there become the table's rows" in made.notes[0]
    assert "MSCK REPAIR TABLE" in made.notes[1]
    assert "DROP TABLE will delete" in made.notes[2]
    assert "sees no files at /data/there" in plan(location=no_table("/data/there")).notes[1]
    with pytest.raises(Refused, match="cannot be changed together"):
        plan(location=no_table("/data/there"), unset=["k"])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"set_properties": {"owner": "x"}}, "'owner' is reserved by Spark"),
    ({"unset": ["provider"]}, "'provider' is reserved by Spark"),
    ({"set_properties": {"delta.appendOnly": "true"}}, "Delta tables, which have no effect on csv"),
    ({"set_properties": {"numRows": "x"}}, "maintained by the Hive metastore"),
    ({"unset": ["EXTERNAL"]}, "maintained by the Hive metastore"),
    ({"set_properties": {"spark.sql.x": "1"}}, "is reserved by Spark"),
    ({"set_properties": {"option.header": "true"}}, "would not become an option"),
    ({"set_properties": {"path": "/x"}}, "would not move the table"),
    (add("x INT FIRST"), "Spark ignores FIRST and AFTER"),
    (add("x INT AFTER id"), "Spark ignores FIRST and AFTER"),
    (add("s.b INT"), "s.b cannot be added inside another column"),
    (add("x INT NOT NULL"), "x cannot be NOT NULL"),
    (add("x STRUCT<a: INT NOT NULL>"), "x.a cannot be NOT NULL"),
    (add("ID INT"), "already has a column id"),
    (add("P INT"), "already has a column p"),
    (add("x INT, X INT"), "is added twice"),
    (add("x VARIANT"), "x cannot be VARIANT: Spark would accept it, but then could not read"),
    (change("nope", comment="x"), "no column nope"),
    (change("s.a", comment="x"), "s.a cannot be changed inside another column"),
    (change("P", comment="x"), "p cannot be changed: the table is partitioned by it"),
    (change("id", type=parse_type("STRING")), "type of id cannot be changed; it is BIGINT"),
    (change("id", nullable=True), "id can already contain nulls"),
    (change("id", position=Position()), "id cannot be moved"),
    ({"rename": {("id",): "key"}}, "columns cannot be renamed"),
    ({"drop": [("id",)]}, "columns cannot be dropped"),
    ({"add_constraints": {"c": "id > 0"}}, "Spark checks no constraints"),
    ({"drop_constraints": ["c"]}, "there are no constraints"),
    ({"cluster_by": [("id",)]}, "cannot be clustered"),
    ({"checkpoint": True}, "no log, and so no checkpoint"),
]


@pytest.mark.parametrize(("wish", "words"), REFUSED)
def test_what_spark_would_refuse_or_ignore_is_refused(wish: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(**wish)
    assert words in refused.value.message
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("provider", "text", "words"),
    [
        ("text", "x INT", "columns cannot be added"),
        ("hive", "x INT DEFAULT 5", "x cannot be added with a default"),
        ("hive", "x STRING COLLATE UTF8_LCASE", "could not read the table"),
        ("orc", "x ARRAY<STRING COLLATE UTF8_LCASE>", "could not read what it has written"),
        ("parquet", "x STRUCT<>", "could not write rows"),
    ],
)
def test_what_only_some_providers_lack_is_refused(provider: str, text: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(provider, **add(text))
    assert f"of the provider {provider}" in refused.value.message
    assert words in refused.value.message
    assert not plan("json", **add(text)).is_noop


# Carrying it out


@dataclass
class Shelf:
    """A parent catalog with one table, which becomes what the plan says, statement by statement."""

    plan: ForeignChanges
    table: ForeignTable = TABLE
    failing: int | None = None
    lost: bool = False
    error: type[DeltaadmError] = CommitError
    distort: Callable[[ForeignDefinition], ForeignDefinition] = lambda definition: definition
    ran: list[str] = field(default_factory=list)

    def find(self, name: str) -> ForeignTable | None:
        assert name == self.plan.name
        return self.table

    def definition(self, name: str) -> ForeignDefinition:
        assert name == self.plan.name
        if self.lost:
            raise EngineError("Gone.", remedy="")
        states = (self.plan.definition, *(stage.after for stage in self.plan.stages))
        return self.distort(states[len(self.ran)])

    def run(self, sql: str) -> None:
        if len(self.ran) == self.failing:
            raise self.error("Oh.", remedy="Wait.")
        self.ran.append(sql)


TWO = {"set_properties": {"team": "web"}, **add("x INT"), "unset": ["k"]}


def test_all_is_carried_out_and_compared() -> None:
    made = plan(**TWO)
    noted: list[str] = []
    shelf = Shelf(
        made,
        distort=lambda definition: replace(
            definition,
            schema=read_schema("id BIGINT COMMENT 'x'")
            if "team" not in definition.properties
            else definition.schema,
            properties={**definition.properties, "transient": "by the catalog"},
        ),
    )
    assert carry_out(made, shelf, noted.append).mismatches == ()
    assert tuple(shelf.ran) == made.statements
    assert noted[0].startswith("perhaps carried out: ALTER TABLE spark_catalog.s.t SET")
    assert noted[-1] == "all 3 statements were carried out"
    assert carry_out(plan(), Shelf(plan(), lost=True), noted.append).mismatches == ()


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        (0, "Oh; nothing was changed."),
        (1, "Oh; carried out: {0}; not carried out: {1} | {2}."),
        (2, "Oh; carried out: {0} | {1}; not carried out: {2}."),
    ],
)
@pytest.mark.parametrize("error", [CommitError, EngineError])
def test_a_failure_in_the_middle_says_how_far_it_got(
    failing: int, words: str, error: type[DeltaadmError]
) -> None:
    made = plan(**TWO)
    with pytest.raises(error) as raised:
        carry_out(made, Shelf(made, failing=failing, error=error), lambda _: None)
    assert raised.value.message == words.format(*made.statements)
    assert raised.value.remedy == "Wait."


def test_a_statement_may_have_had_its_effect_all_the_same() -> None:
    made = plan(**TWO)

    class Late(Shelf):
        def run(self, sql: str) -> None:
            self.ran.append(sql)
            raise EngineError("Lost.", remedy="")

    with pytest.raises(EngineError) as raised:
        carry_out(made, Late(made), lambda _: None)
    assert raised.value.message.startswith(f"Lost; carried out: {made.statements[0]}; not")
    with pytest.raises(EngineError) as raised:
        carry_out(made, Shelf(made, failing=0, lost=True, error=EngineError), lambda _: None)
    assert raised.value.message.startswith(f"Oh; perhaps carried out: {made.statements[0]}; not")
    with pytest.raises(EngineError) as raised:
        carry_out(made, Shelf(made, lost=True), lambda _: None)
    assert raised.value.message.startswith(f"Gone; carried out: {made.statements[0]}; not")


def test_what_spark_ignores_ends_the_run() -> None:
    def without_team(one: ForeignDefinition) -> ForeignDefinition:
        return replace(
            one, properties={key: v for key, v in one.properties.items() if key != "team"}
        )

    made = plan(**TWO)
    shelf = Shelf(made, distort=without_team)
    with pytest.raises(CommitError) as raised:
        carry_out(made, shelf, lambda _: None)
    assert "configuration[team] differs from the plan; carried out: " in raised.value.message
    assert len(shelf.ran) == 1
    last = plan(set_properties={"team": "web"})
    found = carry_out(last, Shelf(last, distort=without_team), lambda _: None).mismatches
    assert [(change.subject, change.before, change.after) for change in found] == [
        ("configuration[team]", "web", None)
    ]


def test_secrets_collations_and_nested_comments_are_taken_on_trust() -> None:
    made = plan(
        set_properties={"password": "x"},
        **add("x STRING COLLATE UTF8_LCASE, y STRUCT<a: INT COMMENT 'c'>"),
    )

    def as_spark_tells(one: ForeignDefinition) -> ForeignDefinition:
        hidden = {key: REDACTED if key == "password" else v for key, v in one.properties.items()}
        bare = read_schema(
            "id BIGINT, n STRING DEFAULT 'a', c CHAR(3), s STRUCT<a: INT>, "
            "x STRING, y STRUCT<a: INT>, p INT"
        )
        return replace(
            one, properties=hidden, schema=bare if len(one.schema.fields) > 5 else one.schema
        )

    assert carry_out(made, Shelf(made, distort=as_spark_tells), lambda _: None).mismatches == ()


def test_nothing_is_done_to_another_table() -> None:
    made = plan(**TWO)
    shelf = Shelf(made, table=replace(TABLE, fingerprint="2"))
    with pytest.raises(CommitError, match="has changed since the plan was made"):
        carry_out(made, shelf, lambda _: None)
    assert shelf.ran == []


# The document


def again(steps: tuple[Step, ...], table: ForeignTable = TABLE) -> ForeignChanges:
    return plan_foreign_changes(
        "s.t", "spark_catalog.s.t", steps, before=table, definition=DEFINITION, occupied=True
    )


@pytest.mark.parametrize(
    "wish",
    [TWO, {"location": no_table("/data/there")}, change("id", comment="c"), {}],
)
def test_a_saved_plan_is_the_same_plan_or_none(wish: dict[str, Any]) -> None:
    made = plan(**wish)
    document = json.loads(json.dumps(foreign_document(made)))
    saved = read_foreign_plan(json.dumps(document))
    assert saved is not None
    assert (saved.table, saved.provider, saved.request) == ("s.t", "csv", made.steps)
    saved.require_base(TABLE)
    with pytest.raises(CommitError, match="has changed since the plan was made"):
        saved.require_base(replace(TABLE, fingerprint="2"))
    saved.require_same(again(made.steps))
    with pytest.raises(CommitError, match="would now differ in before"):
        saved.require_same(again(made.steps, replace(TABLE, fingerprint="2")))
    for key, value in (("format_version", 99), ("steps", 3), ("steps", [{"kind": "odd"}])):
        with pytest.raises(Refused):
            read_foreign_plan(json.dumps(resealed(document | {key: value})))


def test_any_change_of_a_file_is_refused_or_the_same_plan() -> None:
    made = plan(**TWO)
    check_changed_files(made, made.steps)


def test_an_edited_plan_cannot_do_more_than_alter() -> None:
    document = foreign_document(plan(**TWO)) | {
        "steps": [{"kind": "drop_feature", "feature": "x", "truncate_history": False}]
    }
    saved = read_foreign_plan(json.dumps(resealed(document)))
    assert saved is not None
    assert isinstance(saved.request, tuple)
    with pytest.raises(Refused, match="cannot be done"):
        again(saved.request)
