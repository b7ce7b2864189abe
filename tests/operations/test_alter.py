"""What `alter` plans: its steps, their order, reasons and ways back."""

import json
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.features import Cost
from deltaadm.domain.schema import PrimitiveType
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.domain.sql.ddl import Position, parse_columns, parse_definitions
from deltaadm.domain.steps import (
    ChangeColumns,
    ColumnChange,
    DropColumns,
    RenameColumn,
    SetProperties,
    UnsetProperties,
)
from deltaadm.domain.transaction.columns import with_clustering
from deltaadm.errors import RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.plan import depends_on_state
from tests.support.plans import changes, mapped, reasons, snapshot
from tests.support.rows import with_rows

MODE = "delta.columnMapping.mode"


def test_what_is_set_is_one_step_and_what_is_unset_another() -> None:
    plan = plan_changes(
        snapshot((1, 2), {"b": "1"}), TableChanges(set_properties={"a": "1"}, unset=["b"])
    )
    assert plan.steps == (SetProperties({"a": "1"}), UnsetProperties(("b",), if_exists=True))
    assert changes(plan) == ["+ configuration[a] = 1", "- configuration[b] = 1"]
    assert {change.because for change in plan.changes} == {"requested"}


NAMED = replace(snapshot(), name="main.sales.t", files=FileFacts(files=2, bytes=10))
OTHER = replace(snapshot((2, 5), {"x": "1"}, id="other"), root="/other", version=9)


def test_another_location_is_another_table() -> None:
    plan = plan_changes(NAMED, TableChanges(location=OTHER))
    assert plan.after == replace(OTHER, name="main.sales.t")
    assert [change for change in changes(plan) if "configuration" not in change] == [
        "~ location /t -> /other",
        "~ protocol.minReaderVersion 1 -> 2",
        "~ protocol.minWriterVersion 2 -> 5",
        f"~ id {NAMED.metadata.id} -> other",
    ]
    assert "+ configuration[x] = 1" in changes(plan)
    assert [change.because for change in plan.changes][:2] == [
        "requested",
        "as in the table at the new location",
    ]
    assert {change.undo for change in plan.changes} == {"alter --set-location /t (metadata only)"}
    assert not any(stage.step.is_commit for stage in plan.stages)
    assert depends_on_state(plan)
    assert "/other (version 9); the one at /t (version 3, 2 files" in plan.notes[0]
    assert len(plan.notes) == 1


def test_a_catalog_that_manages_a_table_deletes_the_files_at_its_other_location() -> None:
    notes = plan_changes(NAMED, TableChanges(location=OTHER, is_managed=True)).notes
    assert notes[1].startswith("It is a managed table: DROP TABLE deletes")


def test_the_location_that_a_table_has_changes_nothing() -> None:
    plan = plan_changes(NAMED, TableChanges(location=replace(NAMED, version=9)))
    assert (plan.is_noop, plan.notes) == (True, ())


def test_a_copy_of_the_table_at_another_place_is_a_change_of_place_alone() -> None:
    plan = plan_changes(NAMED, TableChanges(location=replace(NAMED, root="/copy", version=9)))
    assert changes(plan) == ["~ location /t -> /copy"]


@pytest.mark.parametrize(
    "more", [{"set_properties": {"a": "1"}}, {"checkpoint": True}, {"unset": ["gone"]}]
)
def test_a_location_is_set_alone(more: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="cannot be changed together"):
        plan_changes(NAMED, TableChanges(location=OTHER, **more))


@pytest.mark.parametrize(
    ("table", "wanted", "unset"),
    [
        pytest.param(snapshot((1, 2), {"a": "1"}), {"a": "1"}, [], id="the value it has"),
        pytest.param(snapshot(), {}, ["a"], id="no such property"),
    ],
)
def test_nothing_to_do(table: Snapshot, wanted: dict[str, str], unset: list[str]) -> None:
    assert plan_changes(table, TableChanges(set_properties=wanted, unset=unset)).is_noop


def test_a_property_that_is_not_there_is_named_with_what_may_be_meant() -> None:
    table = snapshot((1, 2), {"delta.appendOnly": "true", "b": "1"})
    plan = plan_changes(table, TableChanges(unset=["delta.apendOnly", "B", "other"]))
    assert plan.notes == (
        f"{nothing('delta.apendOnly')} Did you mean delta.appendOnly?",
        nothing("other"),
    )


def nothing(key: str) -> str:
    return f"The table has no property {key}, so there is nothing to unset."


def test_steps_without_effect_are_left_out() -> None:
    plan = plan_changes(snapshot(), TableChanges(set_properties={"a": "1"}, unset=["b"]))
    assert plan.steps == (SetProperties({"a": "1"}),)


def test_delta_s_own_spelling_of_a_key_is_stored() -> None:
    plan = plan_changes(snapshot(), TableChanges(set_properties={"DELTA.appendonly": "true"}))
    assert changes(plan) == ["+ configuration[delta.appendOnly] = true"]


def test_activating_a_feature_brings_its_protocol() -> None:
    wish = {"delta.enableDeletionVectors": "true"}
    plan = plan_changes(snapshot((3, 7), reader=[], writer=[]), TableChanges(set_properties=wish))
    assert changes(plan) == [
        "+ protocol.readerFeatures[deletionVectors]",
        "+ protocol.writerFeatures[deletionVectors]",
        "+ configuration[delta.enableDeletionVectors] = true",
    ]


@pytest.mark.parametrize(("key", "value"), [(MODE, "NONE"), (MODE.lower(), "none")])
def test_unsafe_spellings_of_the_mode_are_refused(key: str, value: str) -> None:
    with pytest.raises(RefusedError, match="without rewriting the files"):
        plan_changes(mapped(), TableChanges(set_properties={key: value}))


def test_unsetting_the_mode_is_a_rewrite_under_its_own_spelling_only() -> None:
    assert plan_changes(mapped(), TableChanges(unset=[MODE])).cost is Cost.REWRITE
    with pytest.raises(RefusedError, match="without rewriting the files"):
        plan_changes(mapped(), TableChanges(unset=[MODE.upper()]))


@with_rows
def test_keys_and_values_that_delta_refuses(key: str, error_class: str) -> None:
    with pytest.raises(RefusedError) as caught:
        plan_changes(snapshot(), TableChanges(set_properties={key: "a > 0"}))
    assert caught.value.delta_error_class == error_class
    assert caught.value.remedy


def test_a_refused_second_step_refuses_the_whole() -> None:
    with pytest.raises(RefusedError, match="reserved"):
        plan_changes(snapshot(), TableChanges(set_properties={"a": "1"}, unset=["provider"]))


def test_columns_are_dropped_and_then_renamed_from_the_inside() -> None:
    fields = [
        {"name": name, "type": types, "nullable": True, "metadata": _mapping(number)}
        for number, (name, types) in enumerate(
            [
                ("a", "integer"),
                ("b", "integer"),
                (
                    "s",
                    {
                        "type": "struct",
                        "fields": [
                            {"name": "x", "type": "long", "nullable": True, "metadata": _mapping(9)}
                        ],
                    },
                ),
            ],
            start=1,
        )
    ]
    table = snapshot(
        (2, 5),
        {MODE: "name", "delta.columnMapping.maxColumnId": "9"},
        schemaString=json.dumps({"type": "struct", "fields": fields}),
    )
    plan = plan_changes(table, TableChanges(rename={("s",): "t", ("s", "x"): "y"}, drop=[("a",)]))
    assert plan.steps == (
        DropColumns((("a",),)),
        RenameColumn(("s", "x"), "y"),
        RenameColumn(("s",), "t"),
    )
    assert changes(plan) == [
        '~ schema[t] {"column": "s"} -> {"column": "t"}',
        '~ schema[t.y] {"column": "s.x"} -> {"column": "t.y"}',
        "- schema[a]",
    ]
    undo = {change.change.subject: change.undo for change in plan.changes}
    assert undo["schema[a]"] == "never: only older versions still have it"
    assert undo["schema[t]"] == "alter --rename-column t=s (metadata only)"
    assert undo["schema[t.y]"] == (
        "alter --rename-column t=s (metadata only); "
        "then alter --rename-column s.y=x (metadata only)"
    )
    assert plan.cost is Cost.METADATA


def _mapping(number: int) -> dict[str, object]:
    return {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"p{number}"}


def test_a_column_of_an_unmapped_table_needs_column_mapping_first() -> None:
    with pytest.raises(RefusedError) as caught:
        plan_changes(snapshot(), TableChanges(drop=[("a",)]))
    assert "set-mapping-mode TABLE name" in caught.value.remedy


def test_undoing_a_renaming_names_the_column_as_shell_and_option_take_it() -> None:
    column = {"name": "a.b c", "type": "long", "nullable": True, "metadata": _mapping(1)}
    table = snapshot(
        (2, 5),
        {MODE: "name", "delta.columnMapping.maxColumnId": "1"},
        schemaString=json.dumps({"type": "struct", "fields": [column]}),
    )
    plan = plan_changes(table, TableChanges(rename={("a.b c",): "x.y"}))
    assert {change.undo for change in plan.changes} == {
        "alter --rename-column '`x.y`=a.b c' (metadata only)"
    }


def plain(columns: str = "a INT, b STRING, c INT", **configuration: str) -> Snapshot:
    given = {key.replace("__", "."): value for key, value in configuration.items()}
    made = snapshot((1, 2), given, schemaString=parse_columns(columns).to_json())
    return replace(made, domains={})


def test_one_call_takes_its_steps_in_a_fixed_order() -> None:
    before = plain("a INT NOT NULL, b STRING, c INT", delta__constraints__old="c > 0")
    plan = plan_changes(
        before,
        TableChanges(
            checkpoint=True,
            unset=["delta.appendOnly"],
            add_constraints={"new": "n > 0"},
            drop_constraints=["old"],
            rename={("b",): "renamed"},
            drop=[("c",)],
            cluster_by=[("a",)],
            change=[ColumnChange(("a",), nullable=True)],
            add=parse_definitions("n INT"),
            set_properties={"delta.columnMapping.mode": "name", "delta.appendOnly": "true"},
        ),
    )
    assert [type(step).__name__ for step in plan.steps] == [
        "SetProperties", "DropConstraint", "AddColumns", "ChangeColumns", "ClusterBy",
        "DropColumns", "RenameColumn", "AddConstraint", "UnsetProperties", "WriteCheckpoint",
    ]  # fmt: skip
    assert plan.after.version == before.version + 9
    assert reasons(plan)["clusteringColumns"] == "requested"


def test_changes_share_a_statement_where_spark_lets_them() -> None:
    comment = [ColumnChange((name,), comment="x") for name in "abc"]
    moves = [ColumnChange(("c",), position=Position()), ColumnChange(("b",), position=Position())]
    plan = plan_changes(plain(), TableChanges(change=[*comment, *moves]))
    assert plan.steps == (
        ChangeColumns(tuple(comment)),
        ChangeColumns((moves[0],)),
        ChangeColumns((moves[1],)),
    )
    inside = [ColumnChange(("s",), comment="x"), ColumnChange(("S", "x"), comment="y")]
    apart = plan_changes(plain("s STRUCT<x: INT>"), TableChanges(change=inside))
    assert apart.steps == tuple(ChangeColumns((change,)) for change in inside)


@pytest.mark.parametrize(("wanted", "subject", "because", "undo"), [
    (TableChanges(add=parse_definitions("n STRUCT<x: INT>")), "schema[n.x]",
        "added with the enclosing column", "alter --drop-column n, which needs column mapping"),
    (TableChanges(change=[ColumnChange(("a",), comment="new")]), "schema[a]", "requested",
        "alter --set-comment a=old (metadata only)"),
    (TableChanges(change=[ColumnChange(("k",), nullable=True)]), "schema[k]", "requested",
        "never: Delta adds no NOT NULL to a column that may hold nulls"),
    (TableChanges(change=[ColumnChange(("k",), position=Position())]), "schema", "requested",
        "alter --move 'k AFTER a' (metadata only)"),
    (TableChanges(change=[ColumnChange(("k",), type=PrimitiveType("long"))]), "schema[k]",
        "requested", "never: a type cannot be narrowed again"),
    (TableChanges(change=[ColumnChange(("k",), default="7")]), "schema[k]", "requested",
        "alter --drop-default k (metadata only)"),
    (TableChanges(add_constraints={"Two": "a>1"}), "configuration[delta.constraints.two]",
        "requested", "alter --drop-constraint two (metadata only)"),
    (TableChanges(drop_constraints=["ONE"]), "configuration[delta.constraints.one]", "requested",
        "alter --add-constraint 'one=a > 0', which reads every row"),
    (TableChanges(cluster_by=[("k",), ("a",)]), "clusteringColumns", "requested",
        "alter --no-cluster-by (metadata only)"),
], ids=str)  # fmt: skip
def test_reasons_and_ways_back(wanted: TableChanges, subject: str, because: str, undo: str) -> None:
    table = replace(
        snapshot(
            (3, 7),
            {"delta.enableTypeWidening": "true", "delta.constraints.one": "a > 0"},
            reader=["typeWidening"],
            writer=["allowColumnDefaults", "checkConstraints", "invariants", "typeWidening"],
            schemaString=parse_columns("a INT COMMENT 'old', k INT NOT NULL").to_json(),
        ),
        domains={},
    )
    (change,) = (
        change for change in plan_changes(table, wanted).changes if change.change.subject == subject
    )
    assert (change.because, change.undo) == (because, undo)
    assert change.cost is Cost.METADATA


def test_clustering_that_is_not_known_is_planned_and_looked_up() -> None:
    unknown = replace(plain(), domains=None)
    plan = plan_changes(unknown, TableChanges(cluster_by=[]))
    assert plan.is_noop  # the protocol says that there is none
    plan = plan_changes(unknown, TableChanges(cluster_by=[("a",)]))
    assert depends_on_state(plan)
    known = with_clustering(plan.after, [("a",)])
    assert plan_changes(known, TableChanges(cluster_by=[("A",)])).is_noop
    assert plan_changes(replace(known, domains=None), TableChanges(cluster_by=[("a",)])).steps


def test_the_price_of_a_constraint_is_told() -> None:
    table = replace(plain(), files=FileFacts(files=7, bytes=1234))
    (note,) = plan_changes(table, TableChanges(add_constraints={"one": "a > 0"})).notes
    assert "Delta reads every row (7 files, 1234 bytes)" in note
