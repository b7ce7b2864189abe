"""Statements about properties and constraints: what Delta did, in every recorded case."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import CreateTable, CreationMode, SetProperties, Step, UnsetProperties
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.transaction.columns import clustering_columns
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.plans.alter import read_schema
from deltaadm.plans.diff import mismatches
from tests.support.statement_rows import COLUMNS, LISTED, RESUMED, STARTS, question, rows

Row = dict[str, Any]

_NO_HUDI = (
    "An answer of the session that recorded it: the jar delta-hudi was not on its class path. "
    "Delta committed version 0; afterwards its Hudi hook did not find HudiConverter, and an "
    "assertion failed in the error (hudiClassMissing) that should have said so."
)
NOT_COMPARED = {
    "create none {'delta.universalFormat.enabledFormats': 'hudi'}": ("INTERNAL_ERROR", _NO_HUDI)
}
"""Statements whose recorded answer is no rule of Delta's: the answer, and why it is none."""


def _before(row: Row) -> Snapshot:
    if row["start"] == "none":
        return no_table("table", "s.t" if row.get("variant") == "named" else None)
    proto, meta = STARTS[row["start"]]()
    return Snapshot(
        root="table",
        version=0,
        protocol=Protocol.from_wire(proto["protocol"]),
        metadata=Metadata.from_wire(meta["metaData"]),
    )


def _step(row: Row) -> Step:
    properties = row["properties"]
    if row["statement"] == "set":
        return SetProperties(properties)
    if row["statement"] == "unset":
        return UnsetProperties(tuple(properties))
    columns = LISTED if row["group"] == "column-list" else COLUMNS
    variant = row.get("variant")
    partitions = ("p",) if row["group"] == "column-list" else row.get("partition_by", ())
    clusters = [["a"]] if variant == "clustered" else row.get("cluster_by", ())
    return CreateTable(
        mode=CreationMode.CREATE if row["start"] == "none" else CreationMode.REPLACE,
        schema=read_schema("a INT, b STRING" if variant == "query" else columns),
        partition_by=tuple(partitions),
        cluster_by=tuple(map(tuple, clusters)),
        properties=properties,
        query="SELECT 1 AS a, 'x' AS b" if variant == "query" else None,
    )


def _difference(row: Row) -> str:
    """How the prediction differs from what Delta did; nothing if it does not."""
    try:
        after = evolve(_before(row), _step(row))
    except DeltaadmError as error:
        if "refused" not in row:
            return f"predicted {error.delta_error_class}, committed"
        same = error.delta_error_class == row["refused"]
        return "" if same else f"predicted {error.delta_error_class}, was {row['refused']}"
    if "refused" in row:
        return f"predicted a commit, was {row['refused']}: {row['message']}"
    if "version" not in row:
        return ""
    committed = replace(
        after,
        protocol=Protocol.from_wire(row["protocol"]),
        metadata=replace(
            after.metadata.with_configuration(row["configuration"]),
            description=row.get("description"),
        ),
        domains=_domains(row, after),
    )
    return "; ".join(map(str, mismatches(after, committed)))


def _domains(row: Row, after: Snapshot) -> dict[str, DomainMetadata]:
    """Those of the commit, with columns for the physical names that only the commit chose."""
    text = json.dumps(row.get("domains", {}))
    for column in clustering_columns(after) or ():
        text = re.sub("col-[0-9a-f-]{36}", column[-1], text, count=1)
    return {key: DomainMetadata(key, domain) for key, domain in json.loads(text).items()}


def _statement(row: Row) -> str:
    layout = [row[key] for key in ("cluster_by", "partition_by") if key in row]
    words = [row["statement"], row["start"], row.get("variant", ""), *map(str, layout)]
    return f"{' '.join(filter(None, words))} {row['properties']}"


@pytest.mark.parametrize("group", tuple(filter(rows, RESUMED)))
def test_properties_are_taken_and_refused_as_delta_does(group: str) -> None:
    recorded = rows(group)
    wrong = {
        _statement(row): text
        for row in recorded
        if _statement(row) not in NOT_COMPARED and (text := _difference(row))
    }
    assert wrong == {}


def test_what_is_not_compared_was_recorded_as_the_exception_says() -> None:
    answers = {_statement(row): row.get("refused") for group in RESUMED for row in rows(group)}
    expected = {text: answer for text, (answer, _why) in NOT_COMPARED.items()}
    assert expected == {text: answers.get(text) for text in NOT_COMPARED}


def test_no_statement_is_recorded_twice() -> None:
    for group in RESUMED:
        questions = Counter(map(question, rows(group)))
        assert [text for text, times in questions.items() if times > 1] == []


def test_lists_of_columns_are_read_as_delta_does() -> None:
    recorded = rows("column-list")
    assert len(recorded) > 200
    wrong = {_statement(row): text for row in recorded if (text := _difference(row))}
    assert wrong == {}
