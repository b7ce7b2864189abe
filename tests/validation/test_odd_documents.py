"""No rule stumbles over what a log can hold, however odd."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.domain.properties import PROPERTIES
from tests.support.cases import each
from tests.support.rule_cases import report
from tests.support.tables import add, commit, commit_info, metadata, protocol, table

pytestmark = pytest.mark.slow

ODD: list[Any] = [
    None, True, -1, 2**40, 1.5, "", "x" * 100, "9" * 6000, "\x1b[31m\n", [], [None], ["a", 1, {}],
    {}, {"a": None}, {"a": {"b": []}}, "[" * 30_000, '{"type":"struct"}',
    '{"type":"struct","fields":[{"name":"a"}]}', '{"type":"struct","fields":[]}', '"string"',
]  # fmt: skip
FIELD_KEYS = [
    "delta.columnMapping.id", "delta.columnMapping.physicalName", "delta.columnMapping.nested.ids",
    "delta.generationExpression", "delta.invariants", "delta.typeChanges", "delta.identity.start",
    "CURRENT_DEFAULT", "__COLLATIONS", "parquet.field.id",
]  # fmt: skip
TYPES: list[Any] = [
    "integer",
    "decimal(",
    "decimal(99,-1)",
    "decimal(5,9)",
    f"decimal({'9' * 5000},1)",
    "void",
    "interval",
    "variant",
    "varchar(3)",
    "",
    {"type": "struct", "fields": []},
    {"type": "array", "elementType": "void", "containsNull": True},
    {"type": "map", "keyType": "string", "valueType": {"type": "array", "elementType": "x",
        "containsNull": False}, "valueContainsNull": True},
]  # fmt: skip


def judge(path: Path, protocol_action: Any, metadata_action: Any, more: Any = None) -> None:
    first = commit(commit_info(), {"protocol": protocol_action}, {"metaData": metadata_action})
    actions = [commit_info(), add("f", **(more or {})), protocol(), metadata()]
    made = table(path, first, commit(*actions[:2]))
    report(path, "deep")
    made.commit(2, *actions[2:])
    report(path, "deep")


@pytest.mark.parametrize("key", [*metadata()["metaData"], *protocol(3, 7, [], [])["protocol"]])
@each("odd", [(f"{number}: {odd!r:.20}", odd) for number, odd in enumerate(ODD)])
def test_odd_value_of_a_key(key: str, odd: Any, tmp_path: Path) -> None:
    meta, proto = metadata()["metaData"], protocol(3, 7, [], [])["protocol"]
    judge(tmp_path, proto | {key: odd} if key in proto else proto, meta | {key: odd})


IN_MATRIX = pytest.mark.matrix


@pytest.mark.parametrize(
    "mode", ["name", *(pytest.param(mode, marks=IN_MATRIX) for mode in ("x", "none", "id"))]
)
@each("odd", [(f"{number}: {odd!r:.20}", odd) for number, odd in enumerate(ODD)])
def test_odd_value_of_every_property(odd: Any, mode: str, tmp_path: Path) -> None:
    configuration = {entry.key: odd for entry in PROPERTIES.values()}
    configuration |= {"delta.constraints.x": odd, "delta.feature.x": odd, "DELTA.x": odd}
    configuration["delta.columnMapping.mode"] = mode
    both = ["columnMapping", "icebergCompatV2", "deletionVectors"]
    judge(tmp_path, protocol(3, 7, both, both)["protocol"], metadata(configuration)["metaData"])


@settings(max_examples=150, derandomize=True)
@given(st.data())
def test_odd_fields(data: st.DataObject) -> None:
    odd = st.sampled_from(ODD)
    fields = [
        {
            "name": data.draw(st.sampled_from(["a", "A", "b", "", "a.b", "x\n;"])),
            "type": data.draw(st.sampled_from(TYPES)),
            "nullable": data.draw(st.sampled_from([True, False, None])),
            "metadata": data.draw(st.dictionaries(st.sampled_from(FIELD_KEYS), odd)),
        }
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    configuration = {
        "delta.columnMapping.mode": data.draw(st.sampled_from(["none", "name", "id"])),
        "delta.dataSkippingStatsColumns": data.draw(st.sampled_from(["a", "a.b,", "`", ""])),
        "delta.constraints.c": data.draw(st.sampled_from(["a > 0", "'", "((", "a -> b", ""])),
    }
    names = st.lists(st.sampled_from(["columnMapping", "rowTracking", "x", "icebergCompatV2"]))
    proto = protocol(data.draw(st.integers(0, 4)), data.draw(st.integers(0, 8)), data.draw(names))[
        "protocol"
    ] | {"writerFeatures": data.draw(names)}
    body = metadata(
        configuration,
        schemaString=json.dumps({"type": "struct", "fields": fields}),
        partitionColumns=data.draw(st.lists(st.sampled_from(["a", "b", "z"]), max_size=2)),
    )["metaData"]
    values = {"partitionValues": data.draw(odd), "stats": data.draw(odd)}
    with TemporaryDirectory() as directory:
        judge(Path(directory), proto, body, values)
