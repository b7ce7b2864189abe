"""Columns and expressions as `alter` takes and stores them; its plans are in `tests/operations`."""

from dataclasses import replace

import pytest

from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.ddl import parse_columns
from deltaadm.domain.schema import path_text
from deltaadm.domain.steps import ClusterBy
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.columns import columns_with_statistics, parse_column
from deltaadm.domain.transaction.constraints import stored_expression
from deltaadm.errors import RefusedError
from tests.support import schemas
from tests.support.plans import snapshot
from tests.support.rows import with_rows

COLUMNS = "a INT, b STRING, s STRUCT<x: INT, y: STRUCT<z: STRING>>, arr ARRAY<STRUCT<p: BIGINT>>"


@with_rows
def test_expressions_are_stored_as_tokens(text: str, stored: str) -> None:
    assert stored_expression(text) == stored
    assert stored_expression(stored) == stored


@with_rows
def test_names_of_columns(text: str, path: list[str] | None) -> None:
    if path is None:
        with pytest.raises(RefusedError, match="is not a column name"):
            parse_column(text)
    else:
        assert parse_column(text) == tuple(path)


@with_rows
def test_columns_that_files_have_statistics_of(
    properties: dict[str, str], expected: list[str]
) -> None:
    given = {f"delta.{key}": value for key, value in properties.items()}
    table = snapshot((1, 2), given, schemaString=parse_columns(COLUMNS).to_json())
    assert [path_text(path) for path in columns_with_statistics(table.metadata)] == expected


def test_clustering_keeps_physical_names() -> None:
    inner = {"type": "struct", "fields": [schemas.mapped("x", 3, physical="p3")]}
    columns = schemas.schema(
        schemas.mapped("a", 1, physical="p1"), schemas.mapped("s", 2, inner, physical="p2")
    )
    mapping = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"}
    table = snapshot((2, 7), mapping, writer=["columnMapping"], schemaString=columns)
    after = evolve(replace(table, domains={}), ClusterBy((("S", "X"), ("a",)))).domains or {}
    assert after[CLUSTERING_DOMAIN].configuration == (
        '{"clusteringColumns":[["p2","p3"],["p1"]],"domainName":"delta.clustering"}'
    )
