"""The facts about delta-rs, held against the release of it that is installed."""

import json
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder

from deltaadm import Snapshot, load_snapshot, open_store
from deltaadm.clients import Access, Compatibility, conditions, parse_client, verdict, version_key
from deltaadm.replay.reconcile import Detail
from tests.support import tables
from tests.support.tables import column, commit, metadata, protocol, schema
from tools.laboratory import CASES, Case

RELEASE = parse_client(f"delta-rs@{deltalake.__version__}")
pytestmark = pytest.mark.skipif(
    version_key(RELEASE.version) > version_key(RELEASE.client.newest) or not RELEASE.is_known,
    reason=f"nothing is known about {RELEASE}: look, and add to deltaadm/clients.json",
)


# What has no column `a`, or an older checkpoint, is the laboratory's.
HERE = {name: case for name, case in CASES.items() if not (case.partitioned or case.checkpoint)}


def rows_by_arrow(path: Path) -> list[int | None]:
    found: list[int | None] = DeltaTable(path).to_pyarrow_table()["a"].to_pylist()
    return found


def rows_by_query(path: Path) -> list[int | None]:
    answer = QueryBuilder().register("t", DeltaTable(path)).execute("select a from t")
    found: list[int | None] = pa.table(answer.read_all()).column(0).to_pylist()
    return found


def observed(path: Path, expected: list[int]) -> Compatibility:
    """The worst of both ways to read that gives rows at all; loud where none does."""
    answers = []
    for read in (rows_by_arrow, rows_by_query):
        try:
            answers.append(read(path) == expected)
        except Exception:  # noqa: BLE001, S112 -- any error is loud
            continue
    if not answers:
        return Compatibility.FAILS_LOUDLY
    return Compatibility.WORKS if all(answers) else Compatibility.SILENTLY_WRONG


@pytest.mark.parametrize("case", HERE.values(), ids=HERE)
def test_reading_is_as_the_facts_say(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "t"
    case.make(path)
    snapshot = load_snapshot(open_store(str(path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.READ)
    if case is CASES["column mapping by id"]:  # the log does not tell the names in files
        assert found.compatibility is Compatibility.SILENTLY_WRONG
    else:
        assert found.compatibility is observed(path, [value for value, _ in case.rows])


TRIED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/tried.jsonl").read_text().splitlines()
]
ELSEWHERE = {
    ("", "column mapping by id"): "the log does not tell the names in files",
    ("duckdb-delta", "catalogManaged listed"): "the catalog may know of more commits",
    ("duckdb-delta", "catalogOwned-preview listed"): "the catalog may know of more commits",
    ("delta-rs", "column mapping by name, by version"): "only to_pyarrow_table goes wrong",
    ("delta-rs", "column mapping by name, partitions"): "only to_pyarrow_table goes wrong",
    ("duckdb-delta@1.5.2", "partitions, checkpoint"): "a later extension is mended",
    ("duckdb-delta@1.5.2", "deletion vectors, partitions, checkpoint"): "likewise",
}
"""Where a client did better than the facts say, and why they are right all the same."""


NOT_BY_APPENDING: dict[tuple[str, str], str] = {
    ("delta-rs", "column mapping by id"): "update and merge go wrong",
    ("delta-rs", "column mapping by id, other names in files"): "likewise",
    ("polars", "column mapping by id"): "likewise",
    ("polars", "column mapping by id, other names in files"): "likewise",
    ("duckdb-delta@1.4.4", ""): "it refuses what an old version implies, and goes wrong elsewhere",
    ("duckdb-delta@1.5.5", "partitions"): "only some values make a table unreadable",
    ("duckdb-delta@1.5.5", "partitions, random paths"): "likewise",
    ("duckdb-delta@1.5.5", "column mapping by name, by version"): "refused unless it is listed",
    ("duckdb-delta@1.5.5", "column mapping by name, partitions"): "likewise",
}
"""Where a client appended rightly, and facts are about another way to write."""


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Snapshot]:
    made = {}
    for name, case in CASES.items():
        path = tmp_path_factory.mktemp("tables") / "t"
        case.make(path)
        made[name] = load_snapshot(open_store(str(path)), detail=Detail.STATE)
    return made


def test_facts_are_never_better_than_what_was_tried(snapshots: dict[str, Snapshot]) -> None:
    wrong = []
    for row in TRIED:
        snapshot, name = snapshots[row["table"]], row["table"]
        release = parse_client(row["client"])
        met = conditions(snapshot)
        for access, excuses in ((Access.READ, ELSEWHERE), (Access.WRITE, NOT_BY_APPENDING)):
            if access.value not in row:
                continue
            said = verdict(release, snapshot.protocol, snapshot.metadata, access, met)
            seen = Compatibility(row[access.value])
            careful = said.compatibility is Compatibility.UNKNOWN
            excused = any(
                table in ("", name) and row["client"].startswith(client)
                for client, table in excuses
            )
            better = seen.rank < said.compatibility.rank
            if not (careful or said.compatibility is seen or (excused and better)):
                wrong.append((row["client"], name, access.value, said.compatibility, seen))
    assert not wrong
    assert {row["table"] for row in TRIED} == CASES.keys()


WRITER_FEATURES = (
    *("appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns"),
    *("identityColumns", "allowColumnDefaults", "domainMetadata", "rowTracking", "clustering"),
    *("inCommitTimestamp", "icebergCompatV1", "icebergCompatV2", "icebergCompatV3"),
    *("checkpointProtection", "materializePartitionColumns", "collations", "fromTheFuture"),
)


def appended(path: Path) -> Compatibility:
    rows = pa.table({"a": pa.array([9], pa.int64())})
    try:
        deltalake.write_deltalake(path, rows, mode="append")
    except Exception:  # noqa: BLE001 -- any error is loud
        return Compatibility.FAILS_LOUDLY
    return Compatibility.WORKS


@pytest.mark.parametrize("feature", WRITER_FEATURES)
def test_writing_is_as_the_facts_say(feature: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    Case(features=(feature,), versions=(1, 7)).make(path)
    snapshot = load_snapshot(open_store(str(path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.WRITE)
    assert found.compatibility is appended(path)


@pytest.mark.parametrize("kind", ["varchar(5)", "char(5)"])
def test_texts_that_are_too_long_are_written_as_the_facts_say(kind: str, tmp_path: Path) -> None:
    limited = schema(column("a", "string", __CHAR_VARCHAR_TYPE_STRING=kind))
    made = tables.table(tmp_path, commit(protocol(1, 2), metadata(schemaString=limited)))
    deltalake.write_deltalake(made.path, pa.table({"a": ["x" * 20]}), mode="append")
    assert rows_by_query(made.path) == ["x" * 20]
    snapshot = load_snapshot(open_store(str(made.path)))
    found = verdict(RELEASE, snapshot.protocol, snapshot.metadata, Access.WRITE)
    assert found.compatibility is Compatibility.SILENTLY_WRONG
