"""Changes through a Spark that runs in processes of its own: Spark Connect, a standalone master."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.clients import ACCEPT_ALL
from tests.support.program import process
from tests.support.spark_processes import FEW_TASKS, connect_server, delta_jars, master, worker
from tests.support.tables import Table, metadata, protocol

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", "c"]})
APPLY = ("--apply", "--yes", *ACCEPT_ALL, "-o", "json")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "events"
    write_deltalake(path, ROWS)
    return path


def test_spark_connect_commits_refuses_and_verifies(table: Path, tmp_path: Path) -> None:
    unparsable = Table(tmp_path / "generated")
    unparsable.commit(0, protocol(1, 4), metadata(schemaString=GENERATED_BY_NONSENSE))
    with connect_server(tmp_path) as server:
        where = ("--remote", server)
        done = process("enable-feature", table, "deletionVectors", *APPLY, *where)
        outcome = done.document["outcome"]
        assert (done.code, outcome["versions"], outcome["mismatches"]) == (0, [1], [])
        assert done.err == f"Connecting to Spark at {server} ...\n"
        done = process("alter", table, "--set", "x=1", *APPLY, env={"SPARK_REMOTE": server})
        assert (done.code, done.document["outcome"]["versions"]) == (0, [2])
        refused = process("alter", unparsable.path, "--set", "x=1", *APPLY, *where)
        assert refused.code == 5
        assert refused.document["error"]["delta_error_class"] == "PARSE_SYNTAX_ERROR"
        assert "nothing was committed" in refused.document["error"]["message"]
        found = process("doctor", "--start", *where)
        assert (found.code, "and Delta answers" in found.out) == (0, True)
    assert DeltaTable(table).version() == 2
    gone = process("alter", table, "--set", "x=2", *APPLY, *where)
    assert gone.code == 6
    assert (
        gone.document["error"]["message"] == f"Cannot reach Spark at {server}: connection refused."
    )


GENERATED_BY_NONSENSE = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":'
    '{"delta.generationExpression":"nonsense((("}}]}'
)


def test_a_standalone_master_commits_once_it_has_a_worker(table: Path, tmp_path: Path) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()
    for one in delta_jars():
        shutil.copy(one, jars)
    conf = FEW_TASKS | {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
    }
    here = [part for key, one in conf.items() for part in ("--spark-conf", f"{key}={one}")]
    impatient = ("--spark-conf", "spark.scheduler.maxRegisteredResourcesWaitingTime=1s")
    with master(tmp_path) as address:
        enable = ("enable-feature", table, "deletionVectors", *APPLY, *here)
        enable = (*enable, "--jars", jars, "--spark-master", address)
        alone = process(*enable, *impatient)
        assert alone.code == 6
        assert "no executor within 1 seconds" in alone.document["error"]["message"]
        with worker(tmp_path, of=address):
            done = process(*enable)
            outcome = done.document["outcome"]
            assert (done.code, outcome["versions"], outcome["mismatches"]) == (0, [1], [])
