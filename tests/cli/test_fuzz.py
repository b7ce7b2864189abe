"""Whatever the log says: an answer or an error, never a traceback."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import tables
from tests.support.program import Result, deltaadm
from tests.support.tables import add, commit, commit_info, domain, metadata, protocol, remove, txn

pytestmark = pytest.mark.slow

small_budget = settings(max_examples=60)

WISHES = (
    ("enable-feature", "rowTracking", "deletionVectors"),
    ("set-mapping-mode", "name"),
    ("upgrade-protocol",),
    ("alter", "--set", "delta.appendOnly=true", "--unset", "a"),
)


def run(command: tuple[str, ...], newest: bytes) -> Result:
    with tempfile.TemporaryDirectory() as directory:
        made = tables.table(Path(directory), tables.START_BODY, newest)
        name, *rest = command
        return deltaadm(name, made.path, *rest)


def answers(result: Result, *codes: int) -> None:
    assert result.code in codes, result.err
    assert "Traceback" not in result.err
    assert (result.code == 0) or result.err or result.document["error"]["message"]


@small_budget
@given(st.binary(max_size=200))
@example(b"[" * 5000)
@example(b'{"protocol":' * 3000)
@example(b'{"metaData":' + b"9" * 5000 + b"}")
@example(b'{"protocol":{"minReaderVersion":1e999,"minWriterVersion":2}}')
@example(b"\xef\xbb\xbf{}")
def test_any_bytes(newest: bytes) -> None:
    answers(run(("inspect", "--files", "--columns"), newest), 0, 3)
    answers(run(("inspect", "-o", "json"), newest), 0, 3)


names = st.sampled_from([
    "minReaderVersion", "readerFeatures", "schemaString", "configuration", "partitionColumns",
    "delta.columnMapping.mode", "delta.columnMapping.maxColumnId", "delta.enableInCommitTimestamps",
    "delta.enableRowTracking", "inCommitTimestamp", "stats", "path", "size",
])  # fmt: skip
atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["name", "true", "columnMapping", "rowTracking", "v2", "[]", "{}", "\ud800"])
)
values = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
SOUND: list[Any] = [
    protocol(3, 7, ["deletionVectors"], ["deletionVectors", "rowTracking"]),
    protocol(2, 5),
    metadata({"delta.columnMapping.mode": "name"}),
    metadata({"delta.enableInCommitTimestamps": "true", "delta.minReaderVersion": "3"}),
    commit_info(inCommitTimestamp=1), add("f", stats='{"numRecords":1}'), remove("f"),
    txn("app", 1), domain("d"),
]  # fmt: skip


@st.composite
def distorted(draw: st.DrawFn) -> bytes:
    """Sound actions, in some of which a field is something else, or there is one more."""
    actions = json.loads(json.dumps(draw(st.lists(st.sampled_from(SOUND), max_size=3))))
    for action in actions:
        (body,) = action.values()
        if draw(st.booleans()):
            body[draw(st.sampled_from(sorted(body)) | names)] = draw(values)
    return b"".join(json.dumps(action).encode() + b"\n" for action in actions)


@small_budget
@given(distorted())
def test_any_field(newest: bytes) -> None:
    answers(run(("inspect", "--files", "--columns"), newest), 0, 3)
    answers(run(("inspect", "--files", "--columns", "-o", "json"), newest), 0, 3)


@small_budget
@given(distorted(), st.sampled_from(WISHES))
def test_any_field_in_plans(newest: bytes, wish: tuple[str, ...]) -> None:
    answers(run(wish, newest), 0, 3, 7)


def schemas() -> st.SearchStrategy[str]:
    kinds = st.deferred(
        lambda: (
            st.sampled_from(["integer", "decimal(99,1)", "decimal(5,2)", "variant", "novel", ""])
            | values
            | st.fixed_dictionaries(
                {"type": st.sampled_from(["array", "map", "struct", "udt"])},
                optional={
                    "elementType": kinds,
                    "containsNull": st.booleans(),
                    "keyType": kinds,
                    "valueType": kinds,
                    "fields": st.lists(fields, max_size=2),
                },
            )
        )
    )
    fields = st.fixed_dictionaries(
        {"name": st.text(max_size=3), "type": kinds},
        optional={
            "nullable": st.booleans() | values,
            "metadata": values
            | st.dictionaries(
                st.sampled_from(["delta.columnMapping.id", "delta.columnMapping.physicalName"]),
                values,
            ),
        },
    )
    return st.builds(
        lambda found: json.dumps({"type": "struct", "fields": found}), st.lists(fields, max_size=3)
    )


@small_budget
@given(schemas(), st.sampled_from(["none", "name", "id"]), st.sampled_from(WISHES))
def test_any_schema(schema: str, mode: str, wish: tuple[str, ...]) -> None:
    start = [protocol(2, 5), metadata({"delta.columnMapping.mode": mode}, schemaString=schema)]
    answers(run(("inspect", "--columns"), commit(*start)), 0, 3)
    answers(run(wish, commit(*start)), 0, 3, 7)
