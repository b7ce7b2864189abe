"""One verdict on Delta Spark: in `inspect`, for `--for-client`, and as an error of a rule."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.clients import Compatibility, parse_client
from deltaadm.domain.features import FEATURES
from deltaadm.domain.transaction.spark_support import (
    PATH_OF_CATALOG_TABLE,
    refusal_to_read,
    refusal_to_write,
)
from deltaadm.reports.inspect import describe
from deltaadm.reports.validate import Demands
from deltaadm.rules.rule import Severity
from tests.support import oracle, tables
from tests.support.cases import each
from tests.support.examples import TIMES
from tests.support.rule_cases import report
from tests.support.tables import Action, commit, commit_info

pytestmark = pytest.mark.slow

REFERENCE = parse_client("delta-spark@4.4.0")
DEMANDS = Demands(readers=(REFERENCE,), writers=(REFERENCE,))
FAILS, WORKS = Compatibility.FAILS_LOUDLY, Compatibility.WORKS


def check(path: Path) -> None:
    """All that is said of Delta Spark is what it refuses; and what it does not load is an error."""
    found = report(path, demands=DEMANDS)
    if found.snapshot is None:
        return
    reads, writes = refusal_to_read(found.snapshot), refusal_to_write(found.snapshot)
    codes = {finding.code for finding in found.findings if finding.where == f"client[{REFERENCE}]"}
    assert codes == {code for code, no in (("DL907", reads), ("DL908", writes)) if no}
    described = describe("t", found.snapshot)
    assert (described.refused_to_read is None, described.refused_to_write is None) == (
        reads is None,
        writes is None,
    )
    verdicts = [client for client in described.clients if client.release == REFERENCE]
    assert [verdict.compatibility for verdict in verdicts] == [
        FAILS if no else WORKS for no in (reads, writes)
    ]
    if reads is not None and reads.delta_error_class != PATH_OF_CATALOG_TABLE:
        errors = {finding.code for finding in found.findings if finding.severity is Severity.ERROR}
        assert errors - {"DL907", "DL908"}, reads.message


@oracle.NEEDS_CORPUS
@each("table", oracle.corpus_by_name())
def test_public_tables(table: oracle.CorpusTable) -> None:
    path = table.path
    if (path / "_delta_log").is_dir():
        check(path)


@each("name", oracle.table_names())
def test_tables_of_the_engine(name: str, tmp_path: Path) -> None:
    check(oracle.table(name, tmp_path).path)


@each("case", [(case["id"], case) for case in oracle.cases("odd-logs")])
def test_odd_logs(case: oracle.Case, tmp_path: Path) -> None:
    check(oracle.write_log(case["start"]["files"], tmp_path))


TYPES = ("long", "geometry(4326)", "geography(4326)", "variant", "timestamp_ntz", "qubit")
INVARIANTS = (
    '{"expression":{"expression":"a > 0"}}', '{"expression":{"expression":5}}',
    '{"expression":"a > 0"}', "a > 0", "{}", 5,
)  # fmt: skip
KEYS = {
    "delta.appendOnly": ("true", "maybe"),
    "delta.columnMapping.mode": ("name", "sideways"),
    "delta.enableRowTracking": ("true",),
    "delta.enableChangeDataFeed": ("true", "yes"),
    "delta.checkpointPolicy": ("v2", "v3"),
    "delta.enableIcebergCompatV2": ("true",),
    "delta.constraints.c": ("a > 0",),
}


def _column(of: str, nullable: bool, invariant: Any) -> Action:
    keys = {"delta.invariants": invariant} if invariant else {}
    return tables.column("a", of, nullable=nullable, **keys)


columns = st.builds(
    _column, st.sampled_from(TYPES), st.booleans(), st.none() | st.sampled_from(INVARIANTS)
)
configurations = st.fixed_dictionaries(
    {}, optional={k: st.sampled_from(v) for k, v in KEYS.items()}
)
names = st.sets(st.sampled_from([*FEATURES, "fromTheFuture", "AppendOnly"]), max_size=4)


@settings(max_examples=75 * TIMES)
@given(
    reader=st.integers(0, 4),
    writer=st.integers(0, 8),
    listed=st.tuples(st.none() | names, st.none() | names),
    column=columns,
    configuration=configurations,
)
def test_any_protocol_and_metadata(
    tmp_path_factory: pytest.TempPathFactory,
    reader: int,
    writer: int,
    listed: tuple[set[str] | None, set[str] | None],
    column: Action,
    configuration: dict[str, str],
) -> None:
    """Most such protocols are wrong; the lists are those of features that are known, or nearly."""
    lists = [None if names is None else sorted(names) for names in listed]
    path = tmp_path_factory.mktemp("t")
    schema = json.dumps({"type": "struct", "fields": [column]})
    meta = tables.metadata(configuration, schemaString=schema)
    tables.table(path, commit(commit_info(), tables.protocol(reader, writer, *lists), meta))
    check(path)


@settings(max_examples=75 * TIMES)
@given(listed=names, column=columns, configuration=configurations)
def test_any_features_and_metadata(
    tmp_path_factory: pytest.TempPathFactory,
    listed: set[str],
    column: Action,
    configuration: dict[str, str],
) -> None:
    """Protocols that are well-formed, so that only what they list is in question."""
    readers = sorted(name for name in listed if name not in FEATURES or FEATURES[name].is_reader)
    path = tmp_path_factory.mktemp("t")
    meta = tables.metadata(configuration, schemaString=tables.schema(column))
    tables.table(path, commit(commit_info(), tables.protocol(3, 7, readers, sorted(listed)), meta))
    check(path)
