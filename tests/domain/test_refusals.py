"""Statements with two faults, and odd ones: the refusal is the one that Delta names."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.ddl import default_fits, parse_definitions, parse_position, parse_type
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ColumnChange,
    DropConstraint,
    Step,
)
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.transaction.columns import clustering_domain
from deltaadm.domain.transaction.constraints import constraint_names, unjudged_expressions
from deltaadm.errors import RefusedError
from tests.support.plans import snapshot
from tests.support.refusals import DEFAULTS, LEFT_TO_SPARK, ROWS, TYPES, UNTOUCHED, create, step_of
from tests.support.rows import with_rows


@pytest.mark.parametrize(
    ("steps", "error_class"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_the_first_fault_is_named(steps: tuple[Step, ...], error_class: str | None) -> None:
    state = no_table("t")
    for step in steps[:-1]:
        state = evolve(state, step)
    if error_class is None:
        evolve(state, steps[-1])
        return
    with pytest.raises(RefusedError) as refused:
        evolve(state, steps[-1])
    assert (refused.value.delta_error_class or "") == error_class


@pytest.mark.parametrize(
    "steps", [row[1] for row in LEFT_TO_SPARK], ids=[row[0] for row in LEFT_TO_SPARK]
)
def test_what_only_spark_judges_is_not_refused(steps: tuple[Step, ...]) -> None:
    state = no_table("t")
    for step in steps:
        before, state = state, evolve(state, step)
    unjudged = unjudged_expressions(before.metadata, state.metadata)
    assert unjudged or isinstance(steps[-1], AddConstraint)


@pytest.mark.parametrize("text", DEFAULTS)
def test_a_default_is_refused_only_where_spark_refuses_it(text: str) -> None:
    """All that is certain is judged but for digits in texts, and fractions out of range."""
    refused = {name for name in TYPES if default_fits(parse_type(name), text) is False}
    recorded = {name for name in TYPES if name.replace(": ", ":") in DEFAULTS[text].split()}
    assert refused <= recorded
    assert refused == recorded or text in ("'7'", "'2020-01-01'", "1e3")


@with_rows
def test_a_default_that_only_spark_can_judge_is_left_to_it(name: str, text: str) -> None:
    assert default_fits(parse_type(name), text) is not False


@with_rows
def test_a_lost_clustering_shows_once_names_are_found(error_class: str, step: Any) -> None:
    """As where column mapping was unset: recorded with a table that was clustered by `c`."""
    state = evolve(no_table("t"), create("c INT, d INT, e STRING, s STRUCT<x: INT>", "c"))
    lost = clustering_domain([("col-1",)])
    with pytest.raises(RefusedError) as refused:
        evolve(replace(state, domains={CLUSTERING_DOMAIN: lost}), step_of(step))
    assert (refused.value.delta_error_class or "") == error_class


@pytest.mark.parametrize("name", ["INT", "DOUBLE", "DECIMAL(5, 2)", "STRING"])
def test_a_number_that_python_cannot_hold_ends_in_an_answer(name: str) -> None:
    on = {"columnMapping.mode": "name", "enableIcebergCompatV3": "true"}
    start = create(f"c {name}", **on, **{"feature.allowColumnDefaults": "supported"})
    for number in ("1" * 5000, "1e99999999999999999999", "1e-99999999999999999999", "1.5e9999"):
        with suppress(RefusedError):
            evolve(
                evolve(no_table("t"), start), ChangeColumns((ColumnChange(("c",), default=number),))
            )


def test_several_changed_columns_are_listed_without_a_level_between() -> None:
    state = evolve(no_table("t"), create("a INT, b INT"))
    step = ChangeColumns(
        (
            ColumnChange(("a",), comment="hey"),
            ColumnChange(("b",), position=parse_position("FIRST")),
        )
    )
    assert step.operation(state, evolve(state, step)).parameters["columns"] == (
        '[{"name":"a","type":"integer","nullable":true,"metadata":{"comment":"hey"}},'
        '{"name":"b","type":"integer","nullable":true,"metadata":{},"position":"FIRST"}]'
    )


def test_a_struct_that_gets_a_column_is_spelled_as_in_the_schema() -> None:
    state = evolve(no_table("t"), create("s STRUCT<x: INT>"))
    step = AddColumns(parse_definitions("S.New INT"))
    assert step.operation(state, evolve(state, step)).parameters["columns"] == (
        '[{"column":{"name":"s.New","type":"integer","nullable":true,"metadata":{}}}]'
    )


def test_a_varchar_says_its_new_length() -> None:
    state = evolve(no_table("t"), create("a VARCHAR(5)"))
    step = ChangeColumns((ColumnChange(("A",), type=parse_type("VARCHAR(9)")),))
    assert step.operation(state, evolve(state, step)).parameters["column"] == (
        '{"name":"a","type":"string","nullable":true,'
        '"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"varchar(9)"}}'
    )


@pytest.mark.parametrize("properties", UNTOUCHED.values(), ids=UNTOUCHED)
@pytest.mark.parametrize(
    ("step", "constraints"), [(AddConstraint("c", "a > 1"), ["b", "c"]), (DropConstraint("b"), [])]
)
def test_constraints_leave_the_rest_of_the_metadata_alone(
    properties: dict[str, str], step: Step, constraints: list[str]
) -> None:
    """Delta commits the metadata as it is there, and carries nothing out that it asks for."""
    before = snapshot((1, 3), {"delta.constraints.b": "a > 0", **properties})
    after = evolve(before, step)
    assert after.protocol == before.protocol
    assert constraint_names(after.metadata.configuration) == constraints
    assert {k: v for k, v in after.metadata.configuration.items() if k in properties} == properties
    assert len(after.metadata.configuration) == len(properties) + len(constraints)
