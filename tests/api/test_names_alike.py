"""Names that differ by case only, which Delta compares ignoring case: an answer or an error."""

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deltaadm
from deltaadm.domain.features import FEATURES
from tests.support.examples import TIMES
from tests.support.schemas import array, mapping
from tests.support.tables import add, column, commit, commit_info, domain, metadata, protocol, table

pytestmark = pytest.mark.slow

NAMES = st.sampled_from(["dt", "DT", "Dt", "x", "X", "straße", "STRASSE", "i̇", "İ"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
EXPRESSIONS = st.builds("CAST({} AS DATE) = {}".format, PATHS, PATHS)
PHYSICAL = "delta.columnMapping.physicalName"
FIELD_METADATA = st.fixed_dictionaries(
    {},
    optional={
        "delta.generationExpression": EXPRESSIONS,
        "delta.identity.start": st.just(1),
        "delta.identity.step": st.just(1),
        "delta.columnMapping.id": st.integers(1, 4),
        PHYSICAL: NAMES,
        "delta.typeChanges": st.just([{"fromType": "short", "toType": "integer"}]),
        "delta.invariants": EXPRESSIONS.map(
            lambda text: json.dumps({"expression": {"expression": text}})
        ),
        "CURRENT_DEFAULT": st.just("7"),
        "__CHAR_VARCHAR_TYPE_STRING": st.just("varchar(5)"),
    },
)


def _structs(types: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.builds(
        lambda name, kind, more, nullable: column(name, kind, nullable=nullable, **more),
        *(NAMES, types, FIELD_METADATA, st.booleans()),
    )
    return st.lists(fields, min_size=1, max_size=4).map(
        lambda fields: {"type": "struct", "fields": fields}
    )


def _nested(types: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    structs = _structs(types)
    return structs | structs.map(array) | structs.map(lambda value: mapping("string", value))


STRUCTS = _structs(
    st.recursive(st.sampled_from(["integer", "string", "date"]), _nested, max_leaves=4)
)
SWITCHES = ("delta.appendOnly", "delta.enableRowTracking")
FEATURE_LISTS = (
    *("appendOnly", "columnMapping", "generatedColumns", "identityColumns", "domainMetadata"),
    *("clustering", "icebergCompatV2", "rowTracking", "checkConstraints", "changeDataFeed"),
)


def _spellings(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, text.lower(), text.upper()])


CONFIGURATION = st.builds(
    lambda *parts: {key: value for part in parts for key, value in part.items()},
    st.lists(
        st.tuples(st.sampled_from(SWITCHES).flatmap(_spellings), st.sampled_from(["true", "TRUE"])),
        max_size=3,
    ).map(dict),
    st.lists(st.tuples(NAMES.map("delta.constraints.{}".format), EXPRESSIONS), max_size=3).map(
        dict
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "delta.columnMapping.mode": st.sampled_from(["none", "name", "id"]),
            "delta.columnMapping.maxColumnId": st.just("9"),
            "delta.dataSkippingStatsColumns": st.lists(PATHS, max_size=3).map(",".join),
            "delta.enableChangeDataFeed": st.just("true"),
        },
    ),
)


@st.composite
def logs(draw: st.DrawFn) -> list[bytes]:
    """A log of two commits, the second of which may spell all names differently."""
    named = sorted(draw(st.sets(st.sampled_from(FEATURE_LISTS))))
    listed = protocol(3, 7, [name for name in named if name == "columnMapping"], named)
    chosen = draw(st.sampled_from([listed, protocol(2, 6)]))

    def commits() -> bytes:
        struct = draw(STRUCTS)
        names = [field["name"] for field in struct["fields"]]
        stored = metadata(
            draw(CONFIGURATION),
            schemaString=json.dumps(struct),
            partitionColumns=draw(st.lists(st.sampled_from(names), max_size=1)),
        )
        clustered = {"clusteringColumns": draw(st.lists(st.lists(NAMES, max_size=2), max_size=2))}
        values, name = dict.fromkeys(draw(st.lists(NAMES, max_size=3)), "1"), draw(NAMES)
        counts = json.dumps({"numRecords": 1, "minValues": {name: 1, name.upper(): 2}})
        return commit(
            commit_info(inCommitTimestamp=1),
            stored,
            domain("delta.clustering", json.dumps(clustered)),
            add(name, partitionValues=values, stats=counts),
        )

    return [commit(chosen) + commits(), commits()]


def _plans(made: deltaadm.Table, one: str, other: str) -> list[Callable[[], object]]:
    changes: list[dict[str, Any]] = [
        {"add_columns": [f"{one} INT", f"{other}.n INT AFTER {one}"]},
        {"set_types": {one: "BIGINT", other: "STRING"}},
        {"drop_not_null": [one], "set_comments": {other: "why"}},
        {"set_defaults": {one: "7"}},
        {"move": [f"{one} AFTER {other}"]},
        {"rename_columns": {one: "n", other: "DT"}},
        {"drop_columns": [one, other]},
        {"add_constraints": {one: f"{other} IS NULL"}, "drop_constraints": [other]},
        {"cluster_by": [one, other]},
        {"set_properties": {"delta.APPENDONLY": "true", "delta.columnMapping.mode": "name"}},
        {"unset": ["delta.appendonly", "delta.constraints.dt"]},
    ]
    return [
        *(lambda change=change: made.plan_changes(**change) for change in changes),  # type: ignore[misc]
        *(lambda name=name: made.plan_features(name) for name in FEATURES),  # type: ignore[misc]
        *(lambda name=name: made.plan_drop(name) for name in FEATURE_LISTS),  # type: ignore[misc]
        *(lambda mode=mode: made.plan_mapping_mode(mode) for mode in ("none", "name")),  # type: ignore[misc]
        lambda: made.plan_upgrade(3, 7),
        made.plan_upgrade,
        made.plan_minimum,
        made.plan_undo,
        lambda: made.plan_for_clients(readable_by=["trino@480"], writable_by=["delta-rs@1.0.0"]),
        made.plan_fixes,
        lambda: made.plan_create(f"{one} INT, {other} INT", mode="replace", partition_by=[other]),
    ]


@settings(max_examples=25 * TIMES, derandomize=True)
@given(logs(), PATHS, PATHS, st.data())
def test_every_rule_report_and_plan(
    log: list[bytes], one: str, other: str, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        table(Path(directory), *log)
        made = deltaadm.table(directory)
        plans = _plans(made, one, other)
        some = data.draw(st.lists(st.integers(0, len(plans) - 1), min_size=8, max_size=8))
        calls = [
            lambda: made.validate(deep=True, history=True),
            lambda: made.inspect(files=True, columns=True),
            made.why,
            lambda: made.diff(0, 1),
            *map(plans.__getitem__, some),
        ]
        for call in calls:
            with suppress(deltaadm.DeltaadmError):
                call()
