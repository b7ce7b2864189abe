"""What a plan says takes it back does so, as far as it says."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings

from deltaadm.domain.ddl import (
    Position,
    parse_column_list,
    parse_columns,
    parse_definitions,
    parse_move,
)
from deltaadm.domain.features import REFERENCE, Cost
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import Path, path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import ClusterBy, ColumnChange, DropFeature, Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.columns import (
    clustering_columns,
    lost_clustering,
    parse_column,
    with_clustering,
)
from deltaadm.errors import RefusedError
from deltaadm.formats import Style
from deltaadm.formats.ci import write_sql
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.diff import Change, diff
from deltaadm.plans.document import saved_document
from deltaadm.plans.features import plan_features, plan_upgrade
from deltaadm.plans.plan import Plan, propose, with_chosen_values
from deltaadm.plans.reports import PlanReport
from deltaadm.plans.reversal import plan_undo
from deltaadm.plans.undo import Stage, Undo
from tests.support.plans import mapped, schema, snapshot
from tests.support.undo import undo_steps
from tests.support.wishes import MODE, carried_out, possible, tables, wishes

pytestmark = pytest.mark.slow


def transitions(plan: Plan) -> Iterator[Stage]:
    states = carried_out(plan.before, plan.steps)
    for before, step, after in zip(states, plan.steps, states[1:], strict=False):
        yield Stage(before, step, after)


def differing(before: Snapshot, after: Snapshot) -> set[str]:
    """Where they differ; no mode and the mode none are the same."""
    return {change.subject for change in diff(before, after) if not _is_same_mode(change)}


def _is_same_mode(change: Change) -> bool:
    return f"configuration[{MODE}]" == change.subject and {change.before, change.after} == {
        None,
        "none",
    }


def taken_back(state: Snapshot, transition: Stage) -> Snapshot:
    for step in undo_steps(transition):
        state = evolve(state, step)
    return state


def restores(undo: Undo) -> bool:
    """Whether users are told that the place is as before once the steps of *undo* are taken."""
    exceptions = ("which gives new ids", "which leaves an empty one")
    return bool(undo.steps) and not undo.words.endswith(exceptions)


def adding(column: str, **renamed: str) -> TableChanges:
    names = {parse_column(old): new for old, new in renamed.items()}
    return TableChanges(add=parse_definitions(column), rename=names)


def _short(step: Step) -> str:
    """A step on columns, in a few words."""
    changed = [f"{path_text(old)}={new[-1]}" for old, new in step.touches.renames]
    return " ".join([step.kind.partition("_")[0], *changed, *map(path_text, step.touches.drops)])


@given(tables(), wishes())
def test_each_step_is_taken_back_as_far_as_its_undo_says(
    table: Snapshot, wish: TableChanges
) -> None:
    for step in transitions(plan_changes(table, possible(table, wish))):
        left = differing(step.before, taken_back(step.after, step))
        claimed = {change.subject for change, undo in step.undos() if restores(undo)}
        assert not left & claimed, step.step


@given(tables(), wishes())
def test_a_plan_is_taken_back_in_reverse(table: Snapshot, wish: TableChanges) -> None:
    """Back to the last step of which something cannot be brought back."""
    steps = list(transitions(plan_changes(table, possible(table, wish))))
    state = steps[-1].after if steps else table
    for step in reversed(steps):
        state = taken_back(state, step)
        claimed = {change.subject for change, undo in step.undos() if restores(undo)}
        assert not differing(step.before, state) & claimed, step.step
        if any(_loses(undo) for _, undo in step.undos()):
            break


@given(tables(), wishes())
def test_undoing_a_version_leads_back_except_for_what_its_notes_name(
    table: Snapshot, wish: TableChanges
) -> None:
    after = plan_changes(table, possible(table, wish)).after
    try:
        plan = plan_undo(table, after, after, what="Version 1")
    except RefusedError as refusal:
        assert any(word in refusal.message for word in ("replaced", "changed no", "cannot be"))  # noqa: PT017
        return
    for subject in differing(table, plan.after) & {change.subject for change in diff(table, after)}:
        starts = [f"{subject} stays as it is: ", f"{subject} keeps an empty comment: "]
        starts += ["Columns get other ids than before: "] * subject.startswith("schema[")
        kept = any(note.startswith(tuple(starts)) for note in plan.notes)
        assert kept or _follows(subject), subject


def _follows(subject: str) -> bool:
    """Whether Delta decides on this by itself: versions, implied features, its own counters."""
    return subject.startswith("protocol.") or "maxColumnId" in subject or "physicalName" in subject


def _loses(undo: Undo) -> bool:
    return undo.words.startswith("never") or bool(undo.steps and not restores(undo))


@pytest.mark.parametrize(
    ("wishes", "undone"),
    [
        ([adding("s.x INT", s="t")], ["rename t=s", "drop s.x"]),
        (
            [adding("s.x INT", s="t"), adding("s STRUCT<a: INT>")],
            ["drop s", "rename t=s", "drop s.x"],
        ),
        (
            [adding("k2 INT", **{"s.a": "c", "s": "t"}), adding("t.a INT")],
            ["rename t=s", "drop s.a k2", "rename s.c=a"],
        ),
        ([adding("n STRUCT<a: INT, b: INT>")], ["drop n"]),
        (
            [TableChanges(change=[ColumnChange(("s", "a"), comment="x")], rename={("s",): "t"})],
            ["rename t=s", "change"],
        ),
        # Two that have exchanged their names, and one in what is called as its struct was.
        (
            [adding("k2 INT", s="u", r="v"), adding("j INT", u="r", v="s"), adding("s.a INT")],
            ["drop k2 j"],
        ),
    ],
)
def test_undoing_a_plan_drops_new_columns_alone(
    wishes: list[TableChanges], undone: list[str]
) -> None:
    names = "s STRUCT<a: INT, b: INT>, r STRUCT<c: INT>, k INT"
    plain = snapshot(schemaString=parse_columns(names).to_json())
    before = after = plan_changes(plain, TableChanges(set_properties={MODE: "name"})).after
    for wish in wishes:
        after = plan_changes(after, wish).after
    plan = plan_undo(before, after, after, what="The plan")
    assert [_short(step) for step in plan.steps] == undone
    lost = {change.subject for change in diff(before, plan.after) if change.after is None}
    assert not lost


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [
        (TableChanges(change=[ColumnChange(("k",), comment="x")]), adding("j INT", k="l"), "k"),
        (
            TableChanges(change=[ColumnChange(("s", "a"), comment="x")]),
            adding("j INT", s="t"),
            "s.a",
        ),
        (adding("n INT"), adding("j INT", n="m"), "n"),
        (adding("n STRUCT<a: INT>"), adding("n.b INT"), "n.b"),
        (adding("j INT", k="l"), TableChanges(drop=[("l",)]), "l"),
        (adding("j INT", k="l"), adding("i INT", l="m"), "l"),
        (adding("j INT", k="l"), adding("i INT", l="k"), ""),
        (adding("n STRUCT<a: INT>"), adding("k2 INT", k="l"), ""),
    ],
)
def test_what_later_changes_renamed_or_dropped_or_added_to_is_not_undone_behind_their_back(
    first: TableChanges, second: TableChanges, again: str
) -> None:
    plain = snapshot(schemaString=parse_columns("s STRUCT<a: INT, b: INT>, k INT").to_json())
    before = plan_changes(plain, TableChanges(set_properties={MODE: "name"})).after
    after = plan_changes(before, first).after
    current = plan_changes(after, second).after
    chosen = with_chosen_values(current, lambda: "1", timestamp=0, now=0)
    for state in (current, chosen):  # the plan in a file has no physical names
        if again:
            with pytest.raises(RefusedError, match=re.escape(f"schema[{again}]")):
                plan_undo(before, after, state, what="The plan")
        else:
            undone = plan_undo(before, after, state, what="The plan")
            kept = {change.subject for change in diff(state, undone.after)}
            assert kept <= {"schema[n]", "schema[n.a]", "schema[j]"}


def test_features_that_only_versions_implied_come_back_or_are_named() -> None:
    old = snapshot((1, 2))
    legacy = plan_upgrade(old, writer=5).after
    dropped = propose("x", legacy, [DropFeature("checkConstraints")]).after
    assert not dropped.protocol.supports("checkConstraints")
    back = plan_undo(legacy, dropped, dropped, what="Version 2").after
    assert back.protocol.supported_features == legacy.protocol.supported_features
    listed = plan_features(legacy, ["vacuumProtocolCheck"]).after
    mapped_first = replace(
        legacy, protocol=Protocol(2, 7, writer_features=frozenset({"invariants"}))
    )
    for before in (old, mapped_first):
        with pytest.raises(RefusedError, match="a later change lists it"):
            plan_undo(before, legacy, listed, what="Version 1")


def test_undoing_the_renaming_of_a_partition_column_is_no_other_table() -> None:
    plain = snapshot(schemaString=schema("a", "b"), partitionColumns=["a"])
    before = plan_changes(plain, TableChanges(set_properties={MODE: "name"})).after
    after = plan_changes(before, TableChanges(rename={("a",): "c"})).after
    assert after.metadata.partition_columns == ("c",)
    plan = plan_undo(before, after, after, what="The plan")
    assert (plan.after.metadata, plan.notes) == (before.metadata, ())
    other = replace(after, metadata=replace(after.metadata, partition_columns=("b",)))
    with pytest.raises(RefusedError, match="replaced"):
        plan_undo(before, other, other, what="The plan")


@pytest.mark.parametrize("columns", [None, [("b",)], []], ids=["same", "other", "none"])
def test_undoing_a_plan_clusters_by_the_columns_that_it_renamed(columns: list[Path] | None) -> None:
    plain = snapshot(schemaString=schema("a", "b"))
    mapping = TableChanges(set_properties={MODE: "name"}, cluster_by=[("a",)])
    before = plan_changes(plain, mapping).after
    after = plan_changes(before, TableChanges(rename={("a",): "c"}, cluster_by=columns)).after
    plan = plan_undo(before, after, after, what="The plan")
    assert clustering_columns(plan.after) == (("a",),)
    assert (len(plan.steps), plan.notes) == (1 if columns is None else 2, ())


def test_undoing_clusters_by_the_same_columns_whatever_they_are_called_by_now() -> None:
    plain = snapshot(schemaString=parse_columns("a INT, b INT, s STRUCT<x: INT>").to_json())
    mapping = TableChanges(set_properties={MODE: "name"}, cluster_by=[("a",), ("s", "x")])
    before = plan_changes(plain, mapping).after
    after = current = plan_changes(before, TableChanges(cluster_by=[("b",)])).after
    for wish in (adding("n INT", a="z", s="t"), adding("a INT"), adding("s STRUCT<x: INT>")):
        current = plan_changes(current, wish).after
        plan = plan_undo(before, after, current, what="Version 1")
        assert clustering_columns(plan.after) == (("z",), ("t", "x"))


@pytest.mark.parametrize(
    ("key", "value"),
    [("delta.constraints.c", "s . x > 0"), ("delta.dataSkippingStatsColumns", "b,s.x")],
)
def test_undoing_brings_back_no_property_that_would_name_another_column(
    key: str, value: str
) -> None:
    plain = snapshot((1, 3), schemaString=parse_columns("b INT, s STRUCT<x: INT>").to_json())
    after = plan_changes(plain, TableChanges(set_properties={MODE: "name"})).after
    stored = {**after.metadata.configuration, key: value}
    before = replace(after, metadata=after.metadata.with_configuration(stored))
    assert plan_undo(before, after, after, what="Version 1").after.metadata == before.metadata
    another = adding("s STRUCT<x: INT>")
    for gone in (adding("n INT", s="t"), TableChanges(drop=[("s",)])):
        current = plan_changes(after, gone).after
        for wish, why in ((adding("m INT"), f"[{key}] stays as it is"), (another, f"[{key}]) ch")):
            current = plan_changes(current, wish).after
            with pytest.raises(RefusedError, match=re.escape(why)):
                plan_undo(before, after, current, what="Version 1")


def test_undoing_brings_no_other_column_to_the_place_of_one_that_is_gone() -> None:
    plain = snapshot(schemaString=parse_columns("a INT, b INT, c INT").to_json())
    mapping = TableChanges(set_properties={MODE: "name"}, cluster_by=[("a",)])
    before = plan_changes(plain, mapping).after
    first = ColumnChange(("c",), position=Position())
    after = current = plan_changes(before, TableChanges(cluster_by=[], change=[first])).after
    for wish in (TableChanges(drop=[("a",)]), adding("n INT", c="a")):
        current = plan_changes(current, wish).after
    twice = "schema[a] (in clusteringColumns), schema[a] (in schema) changed again"
    with pytest.raises(RefusedError, match=re.escape(twice)):
        plan_undo(before, after, current, what="Version 1")


def test_undoing_moves_the_same_columns_whatever_they_are_called_by_now() -> None:
    plain = snapshot(schemaString=parse_columns("a INT, b INT").to_json())
    before = plan_changes(plain, TableChanges(set_properties={MODE: "name"})).after
    moved = TableChanges(change=[ColumnChange(("a",), position=Position("b"))])
    after = plan_changes(before, moved).after
    current = plan_changes(plan_changes(after, adding("n INT", a="z")).after, adding("a INT")).after
    plan = plan_undo(before, after, current, what="Version 1")
    assert [column.name for column in plan.after.metadata.schema.fields] == ["z", "b", "n", "a"]


@pytest.mark.parametrize(
    ("changed", "type_then", "notes"),
    [
        ({"unit": "m"}, "integer", ["schema[a] stays as it is: no command sets it."]),
        (
            {"CURRENT_DEFAULT": "2"},
            "long",
            ["schema[a] stays as it is: a type cannot be narrowed again."],
        ),
    ],
)
def test_undoing_sets_back_no_default_but_one_that_has_changed(
    changed: dict[str, str], type_then: str, notes: list[str]
) -> None:
    default = {"CURRENT_DEFAULT": "1"}
    before, after = (
        snapshot((1, 7), team, writer=["allowColumnDefaults"], schemaString=columns)
        for team, columns in (
            ({}, schema("a", **default)),
            ({"team": "x"}, schema("a", types=type_then, **(default | changed))),
        )
    )
    plan = plan_undo(before, after, after, what="Version 1")
    [field] = plan.after.metadata.schema.fields
    assert field.metadata["CURRENT_DEFAULT"] == "1"
    assert (list(plan.notes), plan.after.metadata.configuration) == (notes, {})


def losing_clustering(table: Snapshot) -> Snapshot:
    """*table*, clustered by the columns that it was by and by one that is gone."""
    columns = clustering_columns(table) or ()
    listing = Protocol(1, 7, writer_features=frozenset({"clustering", "domainMetadata"}))
    made = replace(table, protocol=table.protocol.merge(listing))
    return with_clustering(made, [*columns, ("gone",)])


@given(tables().map(losing_clustering), wishes())
def test_no_undo_names_columns_that_are_gone(table: Snapshot, wish: TableChanges) -> None:
    for step in transitions(plan_changes(table, possible(table, wish))):
        taken_back(step.after, step)
        assert not any("gone" in undo.words.partition("never")[0] for _, undo in step.undos())


@given(tables().map(losing_clustering), wishes())
def test_sql_has_no_statement_that_fails_for_lost_clustering(
    table: Snapshot, wish: TableChanges
) -> None:
    """In its place stands which command does it, in a comment of one line."""
    plan = plan_changes(table, possible(table, wish))
    out = StringIO()
    write_sql([PlanReport("t", plan)], out, Style())
    lines = [x for x in out.getvalue().splitlines() if not x.startswith("-- after this, ")]
    known, written = plan.before, saved_document(plan, "t")["steps"]
    for stage, line, document in zip(plan.stages, lines, written, strict=False):
        if isinstance(stage.step, ClusterBy) and lost_clustering(known):
            assert line.startswith("-- ")
            words = shlex.split(line.partition("run: ")[2])
            assert words[:3] == ["deltaadm", "alter", table.root]
            assert read(shlex.join(["alter", *words[3:-1]])) == [stage.step]
            assert document["sql"] is None
        else:
            assert line == f"{document['sql']};"
        known = stage.after


def test_clustering_by_columns_that_are_gone_is_never_brought_back() -> None:
    table = losing_clustering(mapped())
    found = undone(TableChanges(cluster_by=[("a",)]), table)
    assert found["clusteringColumns"] == "never: the clustering column gone is not in the schema"


@pytest.mark.parametrize("table", [snapshot(), mapped()], ids=["plain", "mapped"])
@pytest.mark.parametrize(
    "name", [feature.name for feature in REFERENCE.values() if not feature.not_addable]
)
def test_a_feature_is_taken_back_as_far_as_its_undo_says(name: str, table: Snapshot) -> None:
    for step in transitions(plan_features(table, [name])):
        left = differing(step.before, taken_back(step.after, step))
        assert not left & {change.subject for change, undo in step.undos() if restores(undo)}


def undone(wish: TableChanges, table: Snapshot) -> dict[str, str]:
    return {change.change.subject: change.undo for change in plan_changes(table, wish).changes}


@settings(max_examples=30)
@given(tables(), wishes())
def test_what_is_shown_as_an_option_of_alter_is_one(table: Snapshot, wish: TableChanges) -> None:
    """Pasted behind `deltaadm`, the words plan the very steps that take the change back."""
    for step in transitions(plan_changes(table, possible(table, wish))):
        for _, undo in step.undos():
            if undo.words.startswith("alter ") and undo.steps:
                assert read(undo.words) == [*undo.steps], undo.words


def read(words: str) -> list[Step]:
    command = words.removesuffix(" (metadata only)").removesuffix(", which reads every row")
    command = command.removesuffix(" (metadata only), which leaves an empty one")
    given = shlex.split(command)
    assert given[0] == "alter"
    return [step for option in _options(given[1:]) for step in _steps(*option)]


def _options(given: list[str]) -> Iterator[tuple[str, str]]:
    while given:
        if given[0] == "--no-cluster-by":
            yield given.pop(0), ""
        else:
            yield given.pop(0), given.pop(0)


def _steps(option: str, value: str) -> list[Step]:
    left, _, right = value.partition("=")
    return _WISHES[option](left, right).steps()


_WISHES: dict[str, Callable[[str, str], TableChanges]] = {
    "--set": lambda key, value: TableChanges(set_properties={key: value}),
    "--unset": lambda key, _: TableChanges(unset=[key]),
    "--add-constraint": lambda name, text: TableChanges(add_constraints={name: text}),
    "--drop-constraint": lambda name, _: TableChanges(drop_constraints=[name]),
    "--cluster-by": lambda columns, _: TableChanges(cluster_by=parse_column_list(columns)),
    "--no-cluster-by": lambda *_: TableChanges(cluster_by=()),
    "--drop-column": lambda column, _: TableChanges(drop=[parse_column(column)]),
    "--rename-column": lambda column, name: TableChanges(rename={parse_column(column): name}),
    "--set-comment": lambda column, text: changing(parse_column(column), comment=text),
    "--set-default": lambda column, text: changing(parse_column(column), default=text),
    "--drop-default": lambda column, _: changing(parse_column(column), default=""),
    "--move": lambda text, _: changing(parse_move(text)[0], position=parse_move(text)[1]),
}


def changing(column: tuple[str, ...], **what: Any) -> TableChanges:
    return TableChanges(change=[ColumnChange(column, **what)])


# What an undo costs, and what it does not bring back


@given(tables(), wishes())
def test_an_undo_says_what_its_own_plan_costs(table: Snapshot, wish: TableChanges) -> None:
    for transition in transitions(plan_changes(table, possible(table, wish))):
        for _, undo in transition.undos():
            for step in undo.steps:
                cost, said = step.cost(transition.after), said_cost(undo.words)
                # Dropping a feature says what it costs once the feature has been used.
                assert said is cost or ("DROP" in undo.words and said.rank > cost.rank), undo


def said_cost(words: str) -> Cost:
    if any(part in words for part in ("rewrites data", "rewrites every", "rewritten", "purged")):
        return Cost.REWRITE
    if "rewrites the metadata" in words or "row ids are removed" in words:
        return Cost.BACKFILL
    assert words.startswith("DROP FEATURE") or "metadata only" in words or "every row" in words
    return Cost.METADATA


ON = {"delta.enableRowTracking": "true"}
