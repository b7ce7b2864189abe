"""What every replay engine must do: a test module subclasses `EngineContract`, says how to load.

The expectations are the recorded answers of Delta on Spark, except where Delta refuses a table for
what its protocol or metadata says: an administrator's tool shows such a table instead.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.actions import AddFile
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import TableError
from deltaadm.replay.embedded import live_files
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.cases import each

Load = Callable[[Path, Detail], Snapshot]
Logs = dict[tuple[str, str, str], Path]
"""Where the recorded logs are, by the name of the recording, group and id of the case."""

REFUSED_FOR_CONTENT = {
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ", "DELTA_INVALID_PROTOCOL_VERSION",
    "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH", "EXPRESSION_DECODING_FAILED", "FAILED_EXECUTE_UDF",
    None,
}  # fmt: skip
"""Refusals for features, versions, the text of the schema or the type of a partition value."""

BOTH = pytest.mark.parametrize("detail", Detail, ids=lambda detail: detail.value)


def _cases(name: str) -> dict[str, oracle.Case]:
    found = [case for case in oracle.cases(name) if case["start"]["kind"] != "none"]
    return {f"{case['group']}-{case['id']}": case for case in found}


def same_state(snapshot: Snapshot, state: dict[str, Any]) -> None:
    """Version, protocol and metadata are those of a recorded state."""
    assert snapshot.version == state["version"]
    assert snapshot.protocol == Protocol.from_wire(state["protocol"])
    assert replace(snapshot.metadata, created_time=None) == Metadata.from_wire(state["metadata"])


def same_files(snapshot: Snapshot, files: Iterator[AddFile], state: dict[str, Any]) -> None:
    """Live files, transactions and domains are those of a recorded state."""
    assert snapshot.files is not None
    assert (snapshot.files.files, snapshot.files.bytes) == (
        state["numOfFiles"],
        state["sizeInBytes"],
    )
    assert sorted(map(_comparable, files), key=repr) == sorted(
        (_comparable(AddFile.from_wire(file)) for file in state["activeFiles"]), key=repr
    )
    assert {
        name: transaction.version for name, transaction in (snapshot.transactions or {}).items()
    } == {transaction["appId"]: transaction["version"] for transaction in state["setTransactions"]}
    assert {name: domain.configuration for name, domain in (snapshot.domains or {}).items()} == {
        domain["domain"]: domain["configuration"] for domain in state["domainMetadata"]
    }


def _comparable(file: AddFile) -> tuple[Any, ...]:
    vector = file.deletion_vector.unique_id if file.deletion_vector else None
    return file.path, dict(file.partition_values or {}), file.size, vector, file.base_row_id


class EngineContract:
    """Subclass this in a test module and override the fixture."""

    @pytest.fixture
    def load(self) -> Load:
        """How the engine loads the table in a directory."""
        raise NotImplementedError

    @BOTH
    @each("name", oracle.table_names())
    def test_real_tables(
        self, load: Load, oracle_tables: dict[str, oracle.OracleTable], name: str, detail: Detail
    ) -> None:
        table = oracle_tables[name]
        snapshot = load(table.path, detail)
        same_state(snapshot, table.expected["state"])
        assert snapshot.warnings == ()
        segment = snapshot.segment
        assert segment is not None
        recorded = table.expected["logSegment"]
        assert [delta.path for delta in segment.deltas] == recorded["deltas"]
        used = segment.checkpoint.version if segment.checkpoint else -1
        assert used == recorded["checkpointVersion"]
        if detail is Detail.STATE:
            files = live_files(open_store(str(table.path)), segment)
            same_files(snapshot, files, table.expected["state"])

    @BOTH
    @each("case", _cases("odd-logs"))
    def test_odd_logs(
        self, load: Load, recorded_logs: Logs, case: oracle.Case, detail: Detail
    ) -> None:
        place = recorded_logs["odd-logs", case["group"], case["id"]]
        state = case["start"]["state"]
        if state is None:
            with pytest.raises(TableError) as caught:
                load(place, detail)
            assert caught.value.delta_error_class == "DELTA_MISSING_DELTA_TABLE"
            return
        refused = state.get("error")
        if refused and refused["errorClass"] not in REFUSED_FOR_CONTENT:
            with pytest.raises(TableError) as caught:
                load(place, detail)
            assert caught.value.delta_error_class == refused["errorClass"]
            assert "version" in caught.value.established
            return
        snapshot = load(place, detail)
        if not refused:
            same_state(snapshot, state)
        recorded = case["expected"]["state"]
        if detail is Detail.STATE and recorded and "activeFiles" in recorded:
            assert snapshot.segment is not None
            same_files(snapshot, live_files(open_store(str(place)), snapshot.segment), recorded)

    @each("case", _cases("replay"))
    def test_random_histories(self, load: Load, recorded_logs: Logs, case: oracle.Case) -> None:
        place = recorded_logs["replay", case["group"], case["id"]]
        state = case["expected"]["state"]
        snapshot = load(place, Detail.STATE)
        same_state(snapshot, state)
        same_state(load(place, Detail.PROTOCOL), state)
        assert snapshot.segment is not None
        same_files(snapshot, live_files(open_store(str(place)), snapshot.segment), state)

    def test_starts_of_recorded_operations(self, load: Load, recorded_logs: Logs) -> None:
        loaded = 0
        for case in oracle.cases("e2e"):
            start = case["start"]
            state = start.get("state")
            if not state or "error" in state or not start.get("files"):
                continue
            place = recorded_logs["e2e", case["group"], case["id"]]
            same_state(load(place, Detail.PROTOCOL), state)
            loaded += 1
        assert loaded > 700

    @BOTH
    @oracle.NEEDS_CORPUS
    @each("table", oracle.corpus_by_name())
    def test_foreign_tables(self, load: Load, table: oracle.CorpusTable, detail: Detail) -> None:
        place, expected = table.path, table.expected
        refused = expected.get("error", {}).get("errorClass", ...)
        absent = expected.get("version") == -1
        if absent or (refused is not ... and refused not in REFUSED_FOR_CONTENT):
            with pytest.raises(TableError) as caught:
                load(place, detail)
            assert caught.value.delta_error_class == (
                "DELTA_MISSING_DELTA_TABLE" if absent else refused
            )
            return
        snapshot = load(place, detail)
        if refused is not ...:
            return
        assert snapshot.version == expected["version"]
        assert snapshot.protocol == Protocol.from_wire(expected["protocol"])
        assert snapshot.metadata == Metadata.from_wire(expected["metaData"])
        if detail is Detail.STATE:
            assert snapshot.files is not None
            assert snapshot.files.files == expected["numFiles"]
            assert snapshot.files.bytes == expected["sizeInBytes"]
