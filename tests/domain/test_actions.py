"""Actions and their wrapping: nothing that a log says is lost, however odd it is."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.actions import (
    ACTIONS,
    AddFile,
    DeletionVectorDescriptor,
    SetTransaction,
    SingleAction,
    UnknownAction,
    decode_action,
    from_json,
)
from deltaadm.domain.described import log_schema
from deltaadm.domain.protocol import (
    supported_protocol,
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.domain.schema import ArrayType, DataType, MapType, PrimitiveType, StructType
from deltaadm.domain.wire import Metadata
from deltaadm.errors import TableError
from tests.support import oracle
from tests.support.documents import document
from tests.support.rows import with_rows


def same_json(left: Any, right: Any) -> bool:
    """Equality of JSON values in which true, 1 and 1.0 differ and the order of keys does not."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def assert_round_trip(line: str | bytes) -> None:
    action = SingleAction.from_json(line)
    again = action.to_json()
    assert same_json(json.loads(again), json.loads(line)), line
    assert "\n" not in again
    assert SingleAction.from_json(again) == action


def _recorded_lines() -> Iterator[str]:
    for name in ("e2e", "odd-logs", "replay"):
        for case in oracle.cases(name):
            for file in case["start"].get("files", ()):
                if re.fullmatch(r"(\d{20}|\d{20}\.\d{20}\.compacted)\.json", file["name"]):
                    yield from file["text"].split("\n")


def _lines_below(root: Path) -> Iterator[bytes]:
    for path in sorted(root.rglob("_delta_log/*.json")):
        if re.match(r"\d{20}\.", path.name):
            yield from path.read_bytes().split(b"\n")


CUT_OFF = '{"add": {"path": "x"'
"""The one line in the recorded logs that is no JSON."""


def _is_an_action(line: str | bytes) -> bool:
    return bool(line.strip()) and line != CUT_OFF


def test_every_recorded_line_is_written_as_it_was_read():
    lines = set(filter(_is_an_action, _recorded_lines()))
    assert len(lines) == 829
    for line in lines:
        assert_round_trip(line)


def test_every_line_of_the_recorded_tables_is_written_as_it_was_read(
    oracle_tables: dict[str, oracle.OracleTable],
):
    roots = [table.path for table in oracle_tables.values()]
    lines = [line for root in roots for line in _lines_below(root) if _is_an_action(line)]
    assert len(lines) > 300
    for line in lines:
        assert_round_trip(line)


def test_every_line_of_the_corpus_is_written_as_it_was_read():
    roots = {table.path for table in oracle.corpus()}
    lines = [line for root in roots for line in _lines_below(root) if _is_an_action(line)]
    assert len(lines) > 1000
    for line in lines:
        assert_round_trip(line)


def test_the_recorded_lines_hold_every_action_of_the_log_schema_but_those_of_checkpoints():
    found = Counter(
        next(iter(json.loads(line))) for line in _recorded_lines() if _is_an_action(line)
    )
    assert set(found) >= set(ACTIONS) - {"cdc", "checkpointMetadata", "sidecar"}


@with_rows
def test_an_odd_line_is_written_as_it_was_read(line: str):
    assert_round_trip(line)
    assert_round_trip(line.encode())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _documents() -> st.SearchStrategy[dict[str, Any]]:
    """An action's key over an object with some of its keys, some others, and any values."""

    def under(name: str) -> st.SearchStrategy[dict[str, Any]]:
        keys = [*ACTIONS[name].ENTRIES]
        body = st.dictionaries(st.sampled_from(keys) | st.text(), JSON, max_size=6)
        return body.map(lambda one: {name: one})

    return st.sampled_from(sorted(ACTIONS)).flatmap(under)


@given(_documents())
def test_any_object_under_the_key_of_an_action_is_written_as_it_was_read(line: dict[str, Any]):
    assert_round_trip(json.dumps(line))


@given(st.dictionaries(st.sampled_from(sorted(ACTIONS)) | st.text(), JSON, max_size=4))
def test_any_object_is_an_action_or_a_readable_error(line: dict[str, Any]):
    fields = {name: value for name, value in line.items() if value is not None}
    known = [name for name in ACTIONS if name in fields]
    if not fields or (known and not isinstance(fields[known[0]], dict)):
        with pytest.raises(TableError):
            SingleAction.from_json(json.dumps(line))
    else:
        assert_round_trip(json.dumps(line))


@pytest.mark.parametrize("line", [
    "",
    " ",
    "{",
    CUT_OFF,
    "[]",
    '"add"',
    "1",
    "null",
    "{}",
    '{"add":null}',
    '{"add":[]}',
    '{"protocol":"1,2"}',
    '{"add":{"path":"a"}} {"add":{"path":"b"}}',
    b"\xff\xfe",
    b"PAR1\x00\x01",
    "[" * 100_000,
    '{"add":' + "[" * 100_000,
], ids=lambda line: repr(line[:24]))  # fmt: skip
def test_garbage_is_a_readable_error(line: str | bytes):
    with pytest.raises(TableError) as caught:
        SingleAction.from_json(line)
    assert caught.value.message.startswith("A log line is not a valid action")
    assert caught.value.remedy
    assert caught.value.exit_code == 3


def test_the_first_action_in_the_order_of_the_log_schema_counts():
    line = SingleAction.from_json('{"remove":{"path":"r"},"add":{"path":"a"},"zz":1}')
    assert line.unwrap() == AddFile(path="a")
    assert line.rest == {"remove": {"path": "r"}, "zz": 1}


def test_a_known_action_counts_before_an_unknown_one():
    assert from_json('{"aaa":1,"txn":{"appId":"x"}}') == SetTransaction(app_id="x")


def test_an_unknown_action_is_kept_with_its_name():
    assert from_json('{"brandNew":{"x":1}}') == UnknownAction("brandNew", {"x": 1})
    assert UnknownAction("brandNew", {"x": 1}).to_json() == '{"brandNew":{"x":1}}'


def test_unknown_keys_can_be_told():
    action = decode_action("add", {"path": "a", "stats": None, "new": 1, "tags": 5})
    assert isinstance(action, AddFile)
    assert action.unknown_keys == {"new"}


@with_rows
def test_keys_become_fields(line: dict[str, Any], kind: str, fields: dict[str, Any]):
    action = from_json(json.dumps(line))
    assert type(action).__name__ == kind
    found = {name: attrgetter(name)(action) for name in fields}
    plain = {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in found.items()
    }
    assert json.loads(json.dumps(plain, default=dict)) == fields


@pytest.mark.parametrize(("vector", "key"), [
    (DeletionVectorDescriptor("u", "abc", 4), "uabc@4"),
    (DeletionVectorDescriptor("u", "abc", 0), "uabc@0"),
    (DeletionVectorDescriptor("i", "abc"), "iabc"),
])  # fmt: skip
def test_a_deletion_vector_is_told_by_storage_path_and_offset(
    vector: DeletionVectorDescriptor, key: str
):
    assert vector.unique_id == key


def test_a_changed_field_replaces_what_the_log_had_spelled_oddly():
    metadata = Metadata.from_wire(
        {"id": "t", "name": None, "configuration": {"a": 1}, "description": 7, "new": 1}
    )
    changed = replace(metadata, name="n", description="d").with_configuration({"a": "2"})
    assert changed.to_wire() == {
        "id": "t", "name": "n", "description": "d", "configuration": {"a": "2"}, "new": 1,
    }  # fmt: skip
    assert replace(metadata, id="u").to_wire() == {
        "id": "u", "name": None, "configuration": {"a": 1}, "description": 7, "new": 1,
    }  # fmt: skip


def test_an_action_is_written_in_one_line_with_keys_in_the_order_of_delta():
    add = AddFile(path="a", partition_values={}, size=1, stats='{"x":"\n"}')
    assert add.to_json() == (
        '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":0,'
        '"dataChange":true,"stats":"{\\"x\\":\\"\\n\\"}"}}'
    )


DOCUMENTED_COLUMNS = (Path(__file__).parent.parent / "data" / "action_columns.txt").read_text()
"""Path, type and whether it may be null, of each column in the `Action` page's log schema."""

OPTIONAL_TODAY = {"remove.extendedFileMetadata", "remove.size"}
"""Not null in the page; today's Delta may leave them out."""


def _columns(struct: StructType, prefix: str = "") -> Iterator[tuple[str, str, bool]]:
    for field in struct.fields:
        yield f"{prefix}{field.name}", _kind(field.type), field.nullable
        yield from _inside(field.type, f"{prefix}{field.name}.")


def _inside(data_type: DataType, prefix: str) -> Iterator[tuple[str, str, bool]]:
    if isinstance(data_type, StructType):
        yield from _columns(data_type, prefix)
    elif isinstance(data_type, ArrayType):
        yield f"{prefix}element", _kind(data_type.element), data_type.contains_null
    elif isinstance(data_type, MapType):
        yield f"{prefix}key", _kind(data_type.key), False
        yield f"{prefix}value", _kind(data_type.value), data_type.value_contains_null


def _kind(data_type: DataType) -> str:
    if isinstance(data_type, PrimitiveType):
        return data_type.name
    return type(data_type).__name__.removesuffix("Type").lower()


def test_the_log_schema_has_every_documented_column():
    columns = {path: (kind, nullable) for path, kind, nullable in _columns(log_schema())}
    documented = dict(line.split(": ") for line in DOCUMENTED_COLUMNS.splitlines())
    assert len(documented) == 81
    for path, text in documented.items():
        kind, _, null = text.partition(" ")
        assert columns[path][0] == kind, path
        assert columns[path][1] == (null != "not null" or path in OPTIONAL_TODAY), path


def test_the_log_schema_has_the_columns_that_came_later():
    assert [field.name for field in log_schema().fields] == [
        "txn", "add", "remove", "metaData", "protocol", "cdc", "commitInfo", "domainMetadata",
        "checkpointMetadata", "sidecar",
    ]  # fmt: skip
    columns = {path for path, _, _ in _columns(log_schema())}
    assert columns >= {
        "add.baseRowId", "add.clusteringProvider", "add.defaultRowCommitVersion",
        "add.deletionVector.cardinality", "commitInfo.engineInfo", "commitInfo.inCommitTimestamp",
        "commitInfo.txnId", "domainMetadata.configuration", "protocol.readerFeatures.element",
        "protocol.writerFeatures.element", "remove.deletionVector.storageType",
        "sidecar.sizeInBytes",
    }  # fmt: skip


def test_the_documented_columns_are_those_of_the_document():
    found, path = [], []
    for line in document("action.txt").splitlines():
        row = re.match(r"((?:\| )*)\|-- (\w+): (\w+)(?: \(\w+ = (\w+)\))?", line)
        if row is None:
            continue
        path[len(row[1]) // 2 :] = [row[2]]
        null = " not null" if row[4] == "false" or row[2] == "key" else ""
        found.append(f"{'.'.join(path)}: {row[3]}{null}")
    assert found == DOCUMENTED_COLUMNS.splitlines()


def test_the_supported_protocol_is_that_of_the_engine():
    registry = oracle.feature_registry()
    assert supported_protocol().to_wire() == registry["supportedProtocolWithAllFeatures"]
    assert sorted(supported_reader_version_numbers()) == registry["supportedReaderVersionNumbers"]
    assert sorted(supported_writer_version_numbers()) == registry["supportedWriterVersionNumbers"]


def test_the_supported_protocol_can_do_without_features():
    without = supported_protocol(exclude=("deletionVectors", "rowTracking", "collations"))
    everything = supported_protocol()
    assert everything.explicit_names - without.explicit_names == {"deletionVectors", "rowTracking"}
    assert not without.supports("deletionVectors")
    assert not everything.supports("collations")
