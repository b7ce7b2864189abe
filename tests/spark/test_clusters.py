"""Changes through a Spark that runs in processes of its own: Spark Connect, a standalone master."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.clients import ACCEPT_ALL
from tests.support.program import Result, another_process, deltaadm, messages, process, wait_until
from tests.support.rows import with_rows
from tests.support.s3 import SECRET, s3_server
from tests.support.spark_processes import (
    FEW_TASKS,
    LOOPBACK,
    SMALL_JVM,
    connect_server,
    delta_jars,
    master,
    spark_conf,
    sql_client,
    worker,
    writing,
)
from tests.support.tables import Table, metadata, protocol

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", "c"]})
CONSENT = ("--yes", "--allow-backfill", "--allow-rewrite", *ACCEPT_ALL)
APPLY = ("--apply", *CONSENT, "-o", "json")

Run = Callable[..., Result]
Sql = Callable[[str], list[list[Any]]]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "events"
    write_deltalake(path, ROWS)
    return path


# Spark Connect


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("server")) as address:
        yield address


WRITERS = int(os.environ.get("DELTAADM_WRITERS", "2"))
ROUNDS = int(os.environ.get("DELTAADM_ROUNDS", "2"))
"""How many processes change a table at the same time, and how often: more in runs by hand."""


def test_every_exit_code_says_the_truth_among_other_writers(server: str, table: Path) -> None:
    chosen = random.Random(13)  # noqa: S311 -- no secret
    seen: Counter[str] = Counter()
    with ExitStack() as stack, ThreadPoolExecutor(WRITERS) as pool:
        runs = [
            stack.enter_context(another_process({"SPARK_REMOTE": server})) for _ in range(WRITERS)
        ]
        for number in range(ROUNDS):
            marks = [f"r{number}w{writer}x" for writer in range(WRITERS)]
            wishes = [chosen.choice(WISHES) for _ in runs]
            results = list(
                pool.map(
                    lambda run, wish, mark: run("alter", table, *spelled(wish, mark), *APPLY),
                    runs,
                    wishes,
                    marks,
                )
            )
            for result, wish, mark in zip(results, wishes, marks, strict=True):
                seen[verdict(result, commits_of(table, mark), steps=len(wish))] += 1
    print(dict(seen))  # noqa: T201 -- for runs by hand


WISHES = (
    (("--set", "my.{}=1"),),
    (("--set", "my.shared={}"),),
    (("--set", "my.shared={}", "--set", "delta.deletedFileRetentionDuration=interval 9 days"),),
    (("--add-column", "{} INT"),),
    (("--set", "my.{}=1"), ("--add-column", "{} INT")),
)
"""Options by the steps that they make, to be filled with what marks them."""


def spelled(wish: tuple[tuple[str, ...], ...], mark: str) -> list[str]:
    return [option.format(mark) for step in wish for option in step]


def commits_of(table: Path, mark: str) -> list[int]:
    made = []
    for path in sorted((table / "_delta_log").glob("*.json")):
        [info] = [
            json.loads(line)
            for line in path.read_text().splitlines()
            if line.startswith('{"commitInfo"')
        ]
        if mark in json.dumps(info["commitInfo"].get("operationParameters")):
            made.append(int(path.stem))
    return made


def verdict(result: Result, made: list[int], *, steps: int) -> str:
    """What a run says, which has to be the truth about the versions that it has *made*."""
    if result.code == 0:
        outcome = result.document["outcome"]
        assert (outcome["versions"], outcome["mismatches"]) == (made, []), result
        assert len(made) == steps, result
        others = [change["version"] for change in outcome["concurrent_changes"]]
        assert set(others).isdisjoint(made), result
        return "among others" if others else "as planned"
    assert result.code == 5, result
    message = result.document["error"]["message"]
    assert len(made) < steps, result
    named = re.search(r"versions? ([\d, ]+) (?:was|were) committed", message)
    assert (named is None) == ("nothing was committed" in message), result
    assert (list(map(int, named[1].split(", "))) if named else []) == made, result
    return "in part" if made else str(result.document["error"]["delta_error_class"])


@pytest.fixture(scope="module")
def there(server: str) -> Iterator[Run]:
    """Commands in a process that knows of the server by SPARK_REMOTE."""
    with another_process({"SPARK_REMOTE": server}) as run:
        yield run


def committed(result: Result) -> list[int]:
    """The versions that a run has made, all of them as they were planned."""
    assert result.code == 0, result.out + result.err
    outcome = result.document["outcome"]
    assert outcome["mismatches"] == []
    return list(outcome["versions"])


def test_spark_connect_commits_refuses_and_verifies(
    server: str, there: Run, table: Path, tmp_path: Path
) -> None:
    unparsable = Table(tmp_path / "generated")
    unparsable.commit(0, protocol(1, 4), metadata(schemaString=GENERATED_BY_NONSENSE))
    done = process("enable-feature", table, "deletionVectors", *APPLY, "--remote", server)
    assert committed(done) == [1]
    assert messages(done.err) == [f"Connecting to Spark at {server} ..."]
    assert committed(there("alter", table, "--set", "x=1", *APPLY)) == [2]
    refused = there("alter", unparsable.path, "--set", "x=1", *APPLY)
    assert refused.code == 5
    assert refused.document["error"]["delta_error_class"] == "PARSE_SYNTAX_ERROR"
    assert "nothing was committed" in refused.document["error"]["message"]
    found = there("doctor", "--start")
    assert (found.code, "and Delta responds" in found.out) == (0, True)
    assert DeltaTable(table).version() == 2


GENERATED_BY_NONSENSE = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":'
    '{"delta.generationExpression":"nonsense((("}}]}'
)


def test_a_table_goes_through_all_changes(there: Run, tmp_path: Path, sql: Sql) -> None:
    """Made from a query, altered, mapped and mapped back, and rid of a feature."""
    path = tmp_path / "t"
    query = "SELECT CAST(id AS INT) AS id, concat('x', id) AS name FROM range(20)"
    assert committed(there("create", path, "--as", query, *APPLY)) == [0]
    altered = there(
        *("alter", path, "--set", "delta.enableTypeWidening=true", "--set", "team=web"),
        *("--add-column", "extra STRING COMMENT 'why' AFTER id", "--set-type", "id=BIGINT"),
        *("--cluster-by", "id", "--add-constraint", "few=id < 20", *APPLY),
    )
    assert committed(altered) == [1, 2, 3, 4, 5]
    violated = there("alter", path, "--add-constraint", "none=id < 0", *APPLY)
    assert violated.code == 5
    error = violated.document["error"]
    assert error["delta_error_class"] == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"
    assert "nothing was committed" in error["message"]
    assert committed(there("set-mapping-mode", path, "name", *APPLY)) == [6]
    renamed = there(
        "alter", path, "--rename-column", "name=title", "--drop-column", "extra", *APPLY
    )
    assert committed(renamed) == [7, 8]
    assert committed(there("set-mapping-mode", path, "none", *APPLY)) == [9]
    bound = there("drop-feature", path, "checkConstraints", *APPLY)
    assert (bound.code, "--drop-constraint" in bound.document["error"]["remedy"]) == (7, True)
    assert committed(there("alter", path, "--drop-constraint", "few", *APPLY)) == [10]
    assert committed(there("drop-feature", path, "checkConstraints", *APPLY)) == [11]
    rows = sql(f"SELECT * FROM delta.`{path}` ORDER BY id")  # noqa: S608 -- our own path
    assert list(map(tuple, rows)) == [(number, f"x{number}") for number in range(20)]


@pytest.mark.matrix  # as in `test_drop_feature.py`, but for the session
def test_history_waits_before_a_feature_goes(there: Run, table: Path) -> None:
    away = ("drop-feature", table, "deletionVectors", "--truncate-history", *APPLY)
    assert committed(there("enable-feature", table, "deletionVectors", *APPLY)) == [1]
    first = there(*away, *IRREVERSIBLE)
    assert (first.code, first.document["outcome"]["mismatches"]) == (8, [])
    assert there(*away, *IRREVERSIBLE).document["error"]["kind"] == "not yet"


@pytest.mark.matrix  # `drop-feature` above goes the same way, and plans are those of any session
def test_the_protocol_goes_down(there: Run, table: Path) -> None:
    assert committed(there("enable-feature", table, "vacuumProtocolCheck", *APPLY)) == [1]
    assert committed(there("upgrade-protocol", table, "--minimum", *APPLY, *IRREVERSIBLE))
    lowest = DeltaTable(table).protocol()
    assert (lowest.min_reader_version, lowest.min_writer_version) == (1, 2)


def test_executors_of_a_server_read_fleets_and_give_the_same_lines(
    server: str, there: Run, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    write_deltalake(lake / "a b é", ROWS)
    write_deltalake(lake / "checkpointed", ROWS)
    DeltaTable(lake / "checkpointed").create_checkpoint()
    Table(lake / "broken").write(f"{0:020d}.json", b"nonsense\n")
    many = "--discover", lake
    for command in (
        ["inspect", *many, "--files", "-o", "jsonl"],
        ["validate", *many, "-o", "json"],  # for which reports come back, rather than lines
        ["enable-feature", *many, "deletionVectors", "-o", "jsonl"],
    ):
        alone, by_executors = deltaadm(*command), there(*command, *SPARK)
        assert (by_executors.out, by_executors.code) == (alone.out, alone.code), command
        assert by_executors.err.startswith(f"Connecting to Spark at {server} ...")
    one = there("alter", lake / "checkpointed", "--set", "x=1", *SPARK)
    assert (one.code, "only executors can read logs" in one.err) == (6, True)


SLOW_RELEASES = """
import time
from pyspark.sql.connect.client import reattach

class Slow(reattach.ThreadPoolExecutor):
    def submit(self, work):
        return super().submit(lambda: (time.sleep(0.3), work()))

reattach.ThreadPoolExecutor = Slow
"""
"""For `sitecustomize`: the server keeps what it has executed for longer, as on a busy machine."""


def test_executors_of_a_server_read_object_stores(server: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_RELEASES, encoding="utf-8")
    lake = tmp_path / "lake"
    for number in range(3):
        write_deltalake(lake / f"t{number}", ROWS)
    with s3_server() as s3:
        location = s3.upload(lake, tmp_path.name)
        command = ["inspect", "--discover", location, f"{location}/gone", "-o", "jsonl"]
        alone = process(*command, env=s3.environment)
        slow = {"PYTHONPATH": os.pathsep.join((str(tmp_path), os.environ["PYTHONPATH"]))}
        with (
            another_process(s3.environment | slow | {"SPARK_REMOTE": server}) as run,
            s3.counted() as asked,
        ):
            there = run(*command, *SPARK)
        assert (there.out, there.code) == (alone.out, alone.code)
        assert (there.code, len(there.lines)) == (9, 4)
        assert any("GET" in request for request in asked)
    logs = [log.read_text(errors="replace") for log in tmp_path.parent.glob("server*/server.log")]
    assert logs
    assert SECRET not in "".join(logs)


PROGRAM = """
import json, sys
from pyspark.sql import SparkSession
import deltaadm
from delta.connect.tables import DeltaTable

def answer_of(call):
    try:
        return str(call())
    except deltaadm.DeltaadmError as error:
        return f"{type(error).__name__}: {error}"

spark = SparkSession.builder.remote(sys.argv[1]).create()
spark.sql("CREATE TABLE named_by_a_program (a INT) USING delta")
named = deltaadm.table("default.named_by_a_program", spark=spark)
backfill = named.plan_features("rowTracking")
new = deltaadm.table(sys.argv[2], spark=spark)
made = new.plan_create("a INT", properties={"delta.logRetentionDuration": "10d"})
answers = [
    named.inspect().to_dict()["version"],
    answer_of(lambda: named.apply(backfill)),
    named.apply(backfill, allow_backfill=True).to_dict()["outcome"]["version"],
    new.apply(made).to_dict()["outcome"]["versions"],
    new.snapshot().metadata.configuration["delta.logRetentionDuration"],
    len(new.history().to_dict()["entries"]),
    answer_of(lambda: deltaadm.table("default.nothing", spark=spark).inspect()),
    answer_of(lambda: deltaadm.table(DeltaTable.forPath(spark, sys.argv[2]))),
]
spark.stop()
answers += [answer_of(new.inspect), answer_of(new.plan_upgrade), answer_of(named.validate)]
print(json.dumps(answers))
"""


def test_a_program_on_a_server_uses_the_api(server: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, server, str(tmp_path / "new")],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ended = "EngineError: The Spark session that was given for this table has ended."
    first, refused, last, versions, retention, entries, missing, plugin, *after = json.loads(
        done.stdout
    )
    assert (first, versions, retention, entries) == (0, [0], "interval 10 days", 1)
    assert refused.startswith("RefusedError: Not applied: this change rewrites file metadata")
    assert last >= 2
    assert missing.startswith("TableError: Table default.nothing does not exist.")
    assert "it lacks Delta's plugin" in plugin
    assert [text.partition("\n")[0][: len(ended)] for text in after] == [ended] * 3


@pytest.mark.matrix
def test_executors_of_a_server_that_lack_packages(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", ROWS)
    bare = Path(sys.base_prefix, "bin", Path(sys.executable).name)  # that of no environment
    with connect_server(tmp_path, python=str(bare)) as address:
        result = process("inspect", tmp_path / "t", "--remote", address, *SPARK)
    assert (result.code, "executors lack a package" in result.err) == (6, True), result
    assert "Install deltaadm where the executors run" in result.err


SPARK = ("--engine", "spark")
IRREVERSIBLE = (
    *("--accept-irreversible", "vacuumProtocolCheck"),
    *("--accept-irreversible", "deletionVectors"),
)


@pytest.fixture(scope="module")
def sql(server: str) -> Iterator[Sql]:
    with sql_client(server) as run:
        yield run


@pytest.fixture(scope="module")
def shop(sql: Sql) -> str:
    name = "shop"
    sql(f"CREATE SCHEMA {name}")
    sql(f"CREATE TABLE {name}.plain (a INT) USING parquet")
    sql(f"CREATE VIEW {name}.seen AS SELECT 1 AS a")
    return name


QUERY = "SELECT id, DATE'2026-01-01' AS day FROM range(3)"


@pytest.mark.matrix  # below, tables of Hive go the same way
def test_tables_of_other_providers_are_made_and_changed(there: Run, shop: str) -> None:
    written = there("create", f"{shop}.export", "--provider", "csv", "--as", QUERY, *APPLY)
    assert written.code == 0, written.out
    other = there(
        *("create", f"{shop}.export", "--provider", "csv", "--mode", "replace", *APPLY),
        *("--as", f"FROM {shop}.export", "--accept-irreversible", f"{shop}.export"),
    )
    assert other.code == 0, other.out
    altered = there("alter", f"{shop}.plain", "--add-column", "b INT", "--set", "x=y", *APPLY)
    assert altered.code == 0, altered.out


def test_tables_are_made_and_changed_by_their_names(
    there: Run, shop: str, tmp_path: Path, sql: Sql
) -> None:
    columns = tmp_path / "columns.sql"
    columns.write_text("id BIGINT, day DATE")
    orders, copy = f"{shop}.orders", f"spark_catalog.{shop}.copy"
    assert committed(
        there("create", orders, "--schema", columns, "--cluster-by", "id", *APPLY)
    ) == [0]
    away = ("--location", tmp_path / "copy", "--partition-by", "day")
    assert committed(there("create", copy, "--as", QUERY, *away, *APPLY)) == [0]
    assert committed(there("alter", orders, "--set", "x=y", "--add-column", "c INT", *APPLY)) == [
        1,
        2,
    ]
    assert there("inspect", orders, "-o", "json").document["version"] == 2
    found = there("inspect", "--catalog", f"{shop}.*", "-o", "jsonl").lines
    assert [document["table"] for document in found] == [copy, f"spark_catalog.{orders}"]
    again = there("create", copy, "--mode", "create-or-replace", "--as", "SELECT 1 AS a", *APPLY)
    assert committed(again) == [1]
    assert sql(f"TABLE delta.`{tmp_path}/copy`") == [[1]]
    write_deltalake(tmp_path / "moved", pa.table({"a": pa.array([7], pa.int32())}))
    moved = there("alter", copy, "--set-location", tmp_path / "moved", *APPLY)
    assert committed(moved) == []
    assert len(moved.document["plan"]["notes"]) == 1  # and none on DROP TABLE: it is not managed
    assert there("inspect", copy, "-o", "json").document["location"] == str(tmp_path / "moved")


@with_rows
def test_names_that_are_no_delta_tables_of_the_server(
    there: Run, shop: str, name: str, code: int, words: str
) -> None:
    for command in (["inspect"], ["enable-feature", "deletionVectors", "--apply", "--yes"]):
        result = there(command[0], name.format(shop), *command[1:])
        assert (result.code, words in result.err) == (code, True), result.err


def test_a_fleet_is_changed(there: Run, tmp_path: Path) -> None:
    plans, lake = tmp_path / "plans.jsonl", tmp_path / "lake"
    for number in range(3):
        write_deltalake(lake / f"t{number}", ROWS)
    wish = ("alter", "--discover", lake, "--set", "team=web", "--add-column", "c INT")
    assert there(*wish, "--out", plans).code == 0
    done = there("apply", plans, *CONSENT, "--jobs", "2", "-o", "jsonl")
    assert done.code == 0, done.out
    assert [line["outcome"]["versions"] for line in done.lines] == 3 * [[1, 2]]
    assert [line["outcome"]["mismatches"] for line in done.lines] == 3 * [[]]
    again = there("apply", plans, *CONSENT, "-o", "jsonl")
    assert (again.code, again.lines) == (0, [])
    assert DeltaTable(lake / "t0").version() == 2


def test_a_table_is_fixed(there: Run, tmp_path: Path) -> None:
    """Of the property alone, as some writers leave it, Delta makes the feature that it needs."""
    broken = Table(tmp_path / "broken")
    broken.commit(0, protocol(1, 3), metadata({"delta.enableChangeDataFeed": "true"}))
    asked = ("--select", "DL212", "--fail-on", "warning")
    assert there("validate", broken.path, *asked).code == 1
    assert committed(there("validate", broken.path, "--fix", *APPLY)) == [1]
    assert there("validate", broken.path, *asked).code == 0


def test_tables_of_hive_are_made_and_altered(there: Run) -> None:
    made = there(
        *("create", "default.own", "--provider", "hive", "--schema", "id BIGINT"),
        *("--property", "k=1", *APPLY),
    )
    assert made.code == 0, made.out
    altered = there(
        *("alter", "default.own", "--set", "comment=x", "--add-column", "x INT"),
        *("--set-default", "id=5", "--unset", "k", *APPLY),
    )
    assert altered.code == 0, altered.out
    assert altered.document["before"]["provider"] == "hive"
    assert {"name": "Comment", "value": "x"} in altered.document["outcome"]["description"]
    again = there(
        *("create", "default.own", "--provider", "hive", "--as", "SELECT id FROM default.own"),
        *("--mode", "replace", "--accept-irreversible", "default.own", *APPLY),
    )
    assert again.code == 0, again.out


@with_rows
def test_what_does_not_go_with_a_connect_server(
    there: Run, table: Path, options: list[str], code: int, words: str
) -> None:
    more = [option.format(jar=delta_jars()[0]) for option in options]
    result = there("alter", table, "--set", "x=y", "--apply", "--yes", *more)
    assert (result.code, words in result.err) == (code, True), result.err
    assert DeltaTable(table).version() == 0


def test_an_interrupt_and_an_outage_while_the_server_is_at_work(
    server: str, tmp_path: Path
) -> None:
    with writing(tmp_path / "first", "--remote", server, seconds=5) as run:
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert errors.endswith(
        "Interrupted; it is unknown whether the change was committed: inspect the table.\n"
    )
    with (
        forwarded(server) as (remote, cut),
        writing(tmp_path / "second", "--remote", remote, seconds=5) as run,
    ):
        cut()
        _, errors = run.communicate(timeout=120)
    assert run.returncode == 6
    unknown = "it is unknown whether the change was committed: inspect the table"
    assert re.search(rf"was lost \(.*\); (version 0 was committed.*|{unknown})\.\n", errors), errors
    assert len(messages(errors)) == 3, errors
    wait_until(lambda: DeltaTable.is_deltatable(str(tmp_path / "second")))  # the server goes on


@pytest.mark.parametrize("last", [b"_SPARK_CONNECT_PYTHON", b"SET TBLPROPERTIES"], ids=[
    "the first question", "a statement"])  # fmt: skip
def test_a_server_that_hangs_does_not_keep_a_run_beyond_its_time(
    server: str, table: Path, last: bytes
) -> None:
    began = time.monotonic()
    with forwarded(server, last) as (remote, _):
        run = process("alter", table, "--set", "x=y", *APPLY, "--remote", remote, "--timeout=15s")
    assert (run.code, "Timed out after 15s" in run.err) == (4, True), run
    assert 15 < time.monotonic() - began < 30


@contextmanager
def forwarded(server: str, last: bytes | None = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """
    Another address of the server, and what puts an end to all connections by way of it.

    Nothing comes by way of it any more once the server is about to be told the *last* text.
    """
    host, port = server.removeprefix("sc://").split(":")
    listener = socket.create_server(("127.0.0.1", 0))
    ends: list[socket.socket] = [listener]

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while (data := source.recv(1 << 16)) and not (last and last in data):
                target.sendall(data)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection((host, int(port)))
                ends.extend([near, far])
                for places in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=places, daemon=True).start()

    def cut() -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"sc://127.0.0.1:{listener.getsockname()[1]}", cut
    finally:
        cut()


# A standalone master


@pytest.mark.matrix  # executors of a Connect server read and change fleets above
def test_a_standalone_master_changes_and_reads_a_fleet_once_it_has_a_worker(tmp_path: Path) -> None:
    """An executor is killed on the way, which nobody notices."""
    (tmp_path / "sitecustomize.py").write_text(ONE_LOSS.replace("LAKE", str(tmp_path / "lake")))
    lake, plans = tmp_path / "lake", tmp_path / "plans.jsonl"
    for number in range(2):
        write_deltalake(lake / f"t{number}", ROWS)
    wish = ("enable-feature", "--discover", lake, "deletionVectors")
    assert deltaadm(*wish, "--out", plans).code == 0
    apply = ("apply", plans, *CONSENT, "-o", "jsonl")
    inspect = ("inspect", "--discover", lake, "--files", "-o", "jsonl")
    conf = (
        FEW_TASKS
        | LOOPBACK
        | {
            "spark.driver.extraJavaOptions": SMALL_JVM,
            "spark.executor.extraJavaOptions": SMALL_JVM,
            "spark.executor.memory": "512m",
            "spark.executorEnv.PYTHONPATH": str(tmp_path),
            "spark.pyspark.python": sys.executable,
        }
    )
    with master(tmp_path) as address:
        where = ("--spark-master", address, *(f"--jars={jar}" for jar in delta_jars()))
        alone = process(*apply, *where, *spark_conf(conf), *IMPATIENT)
        assert alone.code == 6
        assert "did not provide an executor within 1 seconds" in alone.out
        spark = {"master": address, "conf": conf, "jars": delta_jars()}
        with worker(tmp_path, of=address), another_process(spark=spark) as run:
            done = run(*apply)
            assert done.code == 0, done.out + done.err
            assert [line["outcome"]["versions"] for line in done.lines] == 2 * [[1]]
            assert [line["outcome"]["mismatches"] for line in done.lines] == 2 * [[]]
            Table(lake / "broken").write(f"{0:020d}.json", b"nonsense\n")
            there = run(*inspect, "--engine", "spark")
    without = deltaadm(*inspect)
    assert (tmp_path / "lake.lost").exists()
    assert (there.out, there.code) == (without.out, without.code)
    assert (without.code, len(without.lines)) == (9, 3)


ONE_LOSS = """
import os, signal

def opened(path, *arguments, really=os.open, **options):
    if str(path).startswith("LAKE/t1/_delta_log") and not os.path.exists("LAKE.lost"):
        os.close(really("LAKE.lost", os.O_CREAT | os.O_WRONLY))
        with open(f"/proc/{os.getppid()}/stat") as daemon:
            os.kill(int(daemon.read().rpartition(")")[2].split()[1]), signal.SIGKILL)
    return really(path, *arguments, **options)

os.open = opened
"""
"""For `sitecustomize`: the first worker of Python to read a certain table kills its executor."""


IMPATIENT = ("--spark-conf", "spark.scheduler.maxRegisteredResourcesWaitingTime=1s")
