"""No rule about the log, its checkpoints and checksums stumbles over what a file can hold."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.rule_cases import report
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, table

pytestmark = pytest.mark.slow

DEEP = json.loads("[" * 400 + "]" * 400)

VALUES: list[Any] = [
    None, True, -1, 2**70, 1.5, "", "9" * 5000, "\x1b[31m\r\n\u2028", "\ud800", [],
    [None, 1, "a", {}], {}, {"a": {"b": [None]}}, DEEP,
]  # fmt: skip

FIELDS = {
    "commitInfo": ("inCommitTimestamp", "timestamp", "txnId", "operation"),
    "add": ("path", "size", "deletionVector", "partitionValues", "stats"),
    "remove": ("path", "deletionVector", "deletionTimestamp"),
    "cdc": ("path",), "txn": ("appId", "version"),
    "domainMetadata": ("domain", "configuration", "removed"),
    "protocol": ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"),
    "metaData": ("id", "format", "schemaString", "configuration", "partitionColumns"),
    "checkpointMetadata": ("version",), "sidecar": ("path", "sizeInBytes"), "novel\n": ("x",),
}  # fmt: skip
HINT = ("version", "size", "parts", "sizeInBytes", "numOfAddFiles", "v2Checkpoint", "checksum")
CHECKSUM = (
    "tableSizeBytes", "numFiles", "numMetadata", "numProtocol", "metadata", "protocol",
    "inCommitTimestampOpt", "setTransactions", "domainMetadata", "histogramOpt",
    "fileSizeHistogram", "deletedRecordCountsHistogramOpt", "numDeletedRecordsOpt", "allFiles",
)  # fmt: skip
VALUE = st.sampled_from(VALUES) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["appId", "path", "domain", "removed", "version", "fileCounts", "totalBytes"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
ACTION = st.sampled_from(sorted(FIELDS)).flatmap(
    lambda name: st.one_of(VALUE, st.dictionaries(st.sampled_from(FIELDS[name]), VALUE)).map(
        lambda body: {name: body}
    )
)
LINES = st.lists(ACTION | VALUE, max_size=4).map(
    lambda lines: "".join(f"{json.dumps(line)}\n" for line in lines).encode()
)
V2 = protocol(3, 7, ["v2Checkpoint"], ["inCommitTimestamp", "v2Checkpoint"])
META = metadata({"delta.checkpointPolicy": "v2", "delta.enableInCommitTimestamps": "true"})


def start(path: Path) -> Table:
    info = commit_info(inCommitTimestamp=1)
    return table(path, commit(info, V2, META), commit(info, add("a")), commit(info, add("b")))


def judge(path: Path) -> None:
    for depth in ("default", "deep"):
        report(path, depth)


FUZZ = settings(max_examples=30)


@FUZZ
@given(version=st.integers(0, 2), body=LINES)
def test_commits(version: int, body: bytes) -> None:
    with TemporaryDirectory() as directory:
        start(Path(directory)).write(f"{version:020d}.json", body)
        judge(Path(directory))


@FUZZ
@given(body=LINES)
def test_checkpoints_and_compacted_commits(body: bytes) -> None:
    with TemporaryDirectory() as directory:
        made = start(Path(directory))
        file = made.v2_checkpoint(1, [V2, META, add("a")])
        made.last_checkpoint(1)
        file.write_bytes(file.read_bytes() + body)
        made.write(f"{0:020d}.{1:020d}.compacted.json", body)
        judge(Path(directory))


@FUZZ
@given(
    hint=st.dictionaries(st.sampled_from(HINT), VALUE) | VALUE,
    checksum=st.dictionaries(st.sampled_from(CHECKSUM), VALUE) | VALUE,
    older=st.dictionaries(st.sampled_from(CHECKSUM), VALUE),
)
def test_pointers_and_checksums(hint: Any, checksum: Any, older: Any) -> None:
    with TemporaryDirectory() as directory:
        made = start(Path(directory))
        made.v2_checkpoint(1, [V2, META, add("a")])
        pointer = {"version": 1, "size": 1} | hint if isinstance(hint, dict) else hint
        made.write("_last_checkpoint", json.dumps(pointer))
        made.write(f"{2:020d}.crc", json.dumps(checksum))
        made.write(f"{1:020d}.crc", json.dumps(older))
        judge(Path(directory))


@pytest.mark.parametrize("depth", [300, 600, 900, 950, 980, 990, 100_000])
def test_documents_nested_deeply(tmp_path: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    made = start(tmp_path)
    made.v2_checkpoint(1, [V2, META, add("a")])
    made.write("_last_checkpoint", f'{{"version":1,"size":1,"checksum":"x","x":{deep}}}')
    made.write(f"{2:020d}.crc", f'{{"numFiles":{deep},"metadata":{{"id":"x","novel":{deep}}}}}')
    lines = f'{{"commitInfo":{{"x":{deep}}}}}\n{{"txn":{{"appId":{deep},"version":{deep}}}}}\n'
    made.write(f"{3:020d}.json", lines)
    judge(tmp_path)


@pytest.mark.parametrize("name", ["add", "protocol", "metaData", "domainMetadata", "remove"])
def test_actions_nested_deeply(tmp_path: Path, name: str) -> None:
    body = ",".join(f'"{key}":{json.dumps(DEEP)}' for key in FIELDS[name])
    start(tmp_path).write(f"{3:020d}.json", f'{{"{name}":{{{body}}}}}\n')
    judge(tmp_path)
