"""Spark in processes of its own on this machine: a Connect server, a master with a worker."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from deltaadm.spark.jvm import SHORT_WORK, fetched_jars, spark_home
from deltaadm.spark.session import SparkOptions, open_session
from tests.support.program import started, wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IN_OTHER_PROCESSES = {
    "test_clusters.py", "test_impact.py", "test_object_stores.py", "test_scratch.py",
    "test_session.py",
}  # fmt: skip
"""The modules in `tests/spark` whose tests start Spark by themselves, in processes of its own."""


SMALL_JVM = " ".join(SHORT_WORK)
"""Options of a JVM for short work."""


_ROOM = "-XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -Xms400m -Xmn200m"
"""For the code, the classes and the garbage of hundreds of tests."""

_OPTIMIZED_LATE = (
    "-XX:TieredStopAtLevel=4 -XX:Tier4InvocationThreshold=100000 -XX:Tier4BackEdgeThreshold=800000 "
    "-XX:Tier4MinInvocationThreshold=12000 -XX:Tier4CompileThreshold=300000"
)
"""
Twenty times what Java takes for much: the optimizing compiler is for what minutes are spent in.

Without it a session takes a sixth more processor time, and with Java's own thresholds a quarter.
"""

_QUICK_STARTS = "-Djdk.lang.Process.launchMechanism=VFORK"
"""For the `readlink` and `chmod` that Hadoop runs ten times for each commit."""

MANY_STATEMENTS = {
    "spark.driver.extraJavaOptions": f"{SMALL_JVM} {_ROOM} {_OPTIMIZED_LATE} {_QUICK_STARTS}"
}
"""Settings of a session that carries out hundreds of statements."""


FEW_TASKS = {
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.lightweightPlanChangeValidation": "false",
    # Without its own checksums, Hadoop starts half as many programs to rename the file of a commit.
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
}
"""
Settings for tables with a few rows, on which every task and every compilation is wasted.

Expressions are interpreted, and plans not checked after each rule: a quarter less time in all.
"""


def local_session(
    conf: Mapping[str, str] = MappingProxyType({}), *, cores: int = 2
) -> "AbstractContextManager[SparkSession]":
    """A session on this machine for tables with a few rows, with *conf* besides."""
    options = SparkOptions(master=f"local[{cores}]", conf={**FEW_TASKS, **conf})
    return open_session(options, lambda _: None)


def schema_of_a_module(name: str) -> Any:
    """A fixture, the place of a schema *name* of the catalog, which goes after the module."""

    @pytest.fixture(scope="module", autouse=True)
    def schema(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        place = tmp_path_factory.mktemp(name)
        spark.sql(f"CREATE SCHEMA {name} LOCATION '{place}'")
        yield place
        spark.sql(f"DROP SCHEMA {name} CASCADE")

    return schema


LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def spark_conf(conf: Mapping[str, str]) -> list[str]:
    """*conf* as options of the command line."""
    return [f"--spark-conf={key}={value}" for key, value in conf.items()]


def delta_jars() -> list[str]:
    """Delta's own jars, which a session of this run has fetched before."""
    return [jar for jar in fetched_jars() if "io.delta_" in jar]


@contextlib.contextmanager
def connect_server(
    directory: Path, python: str = sys.executable, work: Mapping[str, str] = FEW_TASKS
) -> Iterator[str]:
    """
    The address of a Connect server with Delta and a Hive metastore; it stops with the block.

    Its executors run *python*. It has the settings for such *work*.
    """
    conf = (
        DELTA
        | dict(work)
        | LOOPBACK
        | {
            "spark.driver.extraJavaOptions": f"{SMALL_JVM} {_ROOM} {_QUICK_STARTS}",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
            "spark.jars": ",".join(delta_jars()),
            "spark.sql.catalogImplementation": "hive",
            "spark.sql.warehouse.dir": str(directory / "warehouse"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": _METASTORE,
            "spark.ui.enabled": "false",
        }
    )
    settings = [f"--conf={key}={value}" for key, value in conf.items()]
    program = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = ["spark-submit", "--master", "local[2]", "--class", program, *settings]
    with _spark(
        directory, "server", [*command, "spark-internal"], _SERVER_STARTED, python
    ) as address:
        yield f"sc://{address}"


_METASTORE = "jdbc:derby:;databaseName=metastore;create=true"


class SqlError(Exception):
    """What Spark says of a statement that it does not carry out."""


@contextlib.contextmanager
def sql_client(server: str) -> Iterator[Callable[[str], list[list[Any]]]]:
    """
    What runs SQL on the Connect server at an address, and gives the rows or raises `SqlError`.

    It is a process of its own: that of the tests has a session that is no client of a server.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _RUN_SQL, server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=_environment({}),
    ) as client:
        assert client.stdin
        assert client.stdout
        statements, answers = client.stdin, client.stdout

        def run(statement: str) -> list[list[Any]]:
            statements.write(json.dumps(statement) + "\n")
            statements.flush()
            rows, error = json.loads(answers.readline())
            if error is not None:
                raise SqlError(error)
            return list(rows)

        yield run


_RUN_SQL = """
import json, sys
from pyspark.sql import SparkSession
session = SparkSession.builder.remote(sys.argv[1]).create()
for line in sys.stdin:
    try:
        answer = [list(map(list, session.sql(json.loads(line)).collect())), None]
    except Exception as error:
        answer = [None, str(error)]
    print(json.dumps(answer, default=str), flush=True)
session.stop()
"""


@contextlib.contextmanager
def master(directory: Path) -> Iterator[str]:
    """The address of a standalone master without workers, which stops with the block."""
    command = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", *_ANY_PORTS]
    with _spark(directory, "master", ["spark-class", *command], _MASTER_STARTED) as address:
        yield address


@contextlib.contextmanager
def worker(directory: Path, of: str) -> Iterator[None]:
    """A worker with one core for the master at *of*, which stops with the block."""
    size = ["--cores", "1", "--memory", "1g", "--work-dir", str(directory / "work")]
    command = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", *_ANY_PORTS, *size]
    with _spark(directory, "worker", ["spark-class", *command, of], _WORKER_STARTED):
        yield


_ANY_PORTS = ["--port", "0", "--webui-port", "0"]
_SERVER_STARTED = re.compile(r"Spark Connect server started at: (\S+)")
_MASTER_STARTED = re.compile(r"Starting Spark master at (spark://\S+)")
_WORKER_STARTED = re.compile(r"(Successfully registered with master)")


@contextlib.contextmanager
def _spark(
    directory: Path,
    name: str,
    command: list[str],
    started: re.Pattern[str],
    python: str = sys.executable,
) -> Iterator[str]:
    """What *started* finds in the log of a program of Spark; the program ends with the block."""
    script, *arguments = command
    log = directory / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", _UNTIL_INPUT_ENDS, "sh", f"{spark_home()}/bin/{script}", *arguments],
            cwd=directory,
            env=_environment(
                {
                    "SPARK_DAEMON_JAVA_OPTS": SMALL_JVM,
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    "PYSPARK_PYTHON": python,
                }
            ),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
        )
    with process:
        try:
            while not (found := started.search(log.read_text(errors="replace"))):
                assert process.poll() is None, log.read_text(errors="replace")
                time.sleep(0.1)
            yield found[1]
        finally:
            process.terminate()


_UNTIL_INPUT_ENDS = 'exec 3<&0; { read -r _ <&3; kill $$; } & exec "$@" </dev/null'
"""A program that also ends where the tests are killed."""


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    theirs = ("SPARK_REMOTE", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")
    return {key: value for key, value in os.environ.items() if key not in theirs} | dict(ours)


@contextlib.contextmanager
def writing(
    place: Path, *where: str, seconds: int = 60, env: Mapping[str, str] | None = None
) -> "Iterator[subprocess.Popen[str]]":
    """A run that has begun a commit at *place*, for which Spark needs so many *seconds*."""
    wait = f"reflect('java.lang.Thread', 'sleep', {seconds}000L)"
    query = f"SELECT id, {wait} AS x FROM range(0, 1, 1, 1)"  # noqa: S608 -- our own
    with started("create", place, "--as", query, "--apply", "--yes", *where, env=env) as program:
        wait_until(place.exists, program)
        yield program


def processes_that_mention(text: str) -> list[str]:
    """The numbers of the processes with *text* among their arguments, by /proc."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if text in file.read_bytes().decode(errors="replace"):
                found.append(file.parent.name)
    return found
