"""What was recorded of Delta Spark 4.4.0 and deltalake 1.6.6 with invariants of every kind."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.clients import Access, Compatibility, parse_client, verdict
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.spark_support import invariants, refusal_to_read, refusal_to_write
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from deltaadm.rules.rule import Severity
from tests.support import tables
from tests.support.cases import each
from tests.support.rows import rows_of
from tests.support.rule_cases import findings
from tests.support.tables import column, commit, commit_info, metadata

LISTED: Final = Protocol(1, 7, None, frozenset({"appendOnly", "invariants"}))
IMPLIED: Final = Protocol(1, 2)
READ, UNRECOGNIZED, FAILS = "reads", "DELTA_UNRECOGNIZED_INVARIANT", None

RECORDED: Final = rows_of(__file__, "RECORDED")
"""The text, what Delta Spark does with it in a nullable column, and whether delta-rs writes."""


def of(text: Any, protocol: Protocol, *, nullable: bool) -> Snapshot:
    one = column("a", nullable=nullable, **{"delta.invariants": text})
    return Snapshot(
        root="", version=0, protocol=protocol, metadata=Metadata(schema_string=tables.schema(one))
    )


def outcome(refusal: DeltaadmError | None) -> str | None:
    return READ if refusal is None else refusal.delta_error_class


@pytest.mark.parametrize("name", RECORDED)
def test_delta_spark(name: str) -> None:
    text, expected, _ = RECORDED[name]
    for protocol in (LISTED, IMPLIED):
        table = of(text, protocol, nullable=True)
        assert outcome(refusal_to_write(table)) == expected
        assert outcome(refusal_to_read(table)) == (expected if protocol is LISTED else READ)
        required = of(text, protocol, nullable=False)
        assert refusal_to_read(required) is refusal_to_write(required) is None


@pytest.mark.parametrize("nullable", [True, False])
@each("text, writes", {name: (text, writes) for name, (text, _, writes) in RECORDED.items()})
def test_delta_rs(text: Any, *, writes: bool, nullable: bool) -> None:
    table = of(text, IMPLIED, nullable=nullable)
    (found,) = invariants(table.metadata)
    assert found.fails_in_delta_rs is not writes
    release = parse_client("delta-rs@1.6.6")
    judged = verdict(release, table.protocol, table.metadata, Access.WRITE).compatibility
    assert judged is (Compatibility.WORKS if writes else Compatibility.FAILS_LOUDLY)


@pytest.mark.parametrize("name", ["bare SQL", "empty object", "inner expression is blank"])
def test_delta_rs_as_installed(name: str, tmp_path: Path) -> None:
    import pyarrow as pa

    text, _, writes = RECORDED[name]
    one = column("a", nullable=False, **{"delta.invariants": text})
    made = metadata(schemaString=tables.schema(one))
    tables.table(tmp_path, commit(commit_info(), tables.protocol(), made))
    required = pa.schema([pa.field("a", pa.int32(), nullable=False)])
    rows = pa.table({"a": pa.array([1], pa.int32())}, schema=required)
    try:
        write_deltalake(tmp_path, rows, mode="append")
    except Exception:  # noqa: BLE001 -- any error is loud
        assert not writes
    assert DeltaTable(tmp_path).version() == int(writes)


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("listed", [True, False])
@each("text, expected, writes", RECORDED)
def test_the_rule_says_the_same(
    tmp_path: Path, text: Any, expected: str, *, writes: bool, listed: bool, nullable: bool
) -> None:
    one = column("a", nullable=nullable, **{"delta.invariants": text})
    versions = tables.protocol(1, 7, None, ["appendOnly", "invariants"]) if listed else None
    made = metadata(schemaString=json.dumps({"type": "struct", "fields": [one]}))
    tables.table(tmp_path, commit(commit_info(), versions or tables.protocol(), made))
    found = [finding for finding in findings(tmp_path) if finding.code == "DL526"]
    fails = nullable and expected != READ
    assert any(finding.severity is Severity.ERROR for finding in found) is fails
    if not fails and not writes:
        assert "keeps delta-rs from writing" in found[0].message
