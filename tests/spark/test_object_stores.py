"""Tables in object stores by way of Spark: what it is given, told, and how it commits there."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import deltalake
import pyarrow as pa
import pytest
from filelock import FileLock

from deltaadm.spark.store import configure, hadoop_settings, settings_for_connectors
from tests.support.program import Result, process, started
from tests.support.rows import with_rows
from tests.support.s3 import BUCKET, SECRET, S3Server, s3_server
from tests.support.spark_processes import FEW_TASKS, spark_conf

HADOOP = ["jars/guava-33.jar", "jars/hadoop-client-api-3.5.0.jar"]
ENDPOINT = "http://127.0.0.1:9000"


# Connectors


def test_s3_gets_the_modules_of_the_sdk_that_it_needs() -> None:
    found = settings_for_connectors(["s3://lake/t", "s3a://lake/u"], {}, HADOOP)
    first, *modules = found["spark.jars.packages"].split(",")
    assert first == "org.apache.hadoop:hadoop-aws:3.5.0"
    assert "software.amazon.awssdk:s3:2.35.4" in modules
    assert "software.amazon.awssdk:bundle" in found["spark.jars.excludes"].split(",")


@with_rows
def test_other_clouds_get_the_connector_of_their_hadoop(location: str, package: str) -> None:
    given = {"spark.jars.packages": "io.delta:delta-spark_4.2_2.13:4.4.0"}
    found = settings_for_connectors([location], given, HADOOP)
    assert found == {"spark.jars.packages": f"io.delta:delta-spark_4.2_2.13:4.4.0,{package}"}


@with_rows
def test_nothing_is_added(location: str, conf: Mapping[str, str], paths: list[str]) -> None:
    assert settings_for_connectors([location], conf, paths) == {}


# Settings


def test_what_the_site_says_stays() -> None:
    """Such as another file system for s3://, as on EMR; Spark has set the environment's keys."""
    session, told = Mock(), dict[str, str]()
    hadoop = session.sparkContext._jsc.hadoopConfiguration.return_value  # noqa: SLF001
    hadoop.set = told.__setitem__
    hadoop.getPropertySources = {
        "fs.s3.impl": ["core-site.xml"],
        "fs.s3a.bucket.lake.endpoint.region": ["file:/etc/hadoop/core-site.xml"],
        "fs.AbstractFileSystem.s3.impl": ["programmatically"],
    }.get
    configure(session, {"s3://lake/t": {"region": "eu"}}, {})
    assert "fs.AbstractFileSystem.s3.impl" in told
    assert not told.keys() & {"fs.s3.impl", "fs.s3a.bucket.lake.endpoint.region"}


def test_the_environment_is_for_all_buckets_and_options_are_for_one() -> None:
    environ = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "USER": "me"}
    options = {"aws_endpoint_url": ENDPOINT, "AZURE_CLIENT_ID": "not for it"}
    assert hadoop_settings({"s3://my.lake/t": options}, environ, {}) == {
        "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "fs.AbstractFileSystem.s3.impl": "org.apache.hadoop.fs.s3a.S3A",
        "fs.s3a.access.key": "a",
        "fs.s3a.secret.key": "b",
        "fs.s3a.bucket.my.lake.endpoint": ENDPOINT,
        "fs.s3a.bucket.my.lake.endpoint.region": "us-east-1",
        "fs.s3a.bucket.my.lake.path.style.access": "true",
    }


def test_settings_of_spark_count_more() -> None:
    conf = {"spark.hadoop.fs.s3a.access.key": "mine", "spark.hadoop.fs.s3a.endpoint": "mine"}
    options = {"endpoint": ENDPOINT, "region": "eu-west-1"}
    found = hadoop_settings({"s3a://lake/t": options}, {"AWS_ACCESS_KEY_ID": "a"}, conf)
    assert "fs.s3a.access.key" not in found
    assert "fs.s3a.bucket.lake.endpoint" not in found
    assert found["fs.s3a.bucket.lake.endpoint.region"] == "eu-west-1"


KIND = "org.apache.hadoop.fs.azurebfs.oauth2."


@with_rows
def test_variables_in_the_words_of_hadoop(
    location: str, environ: dict[str, str], expected: dict[str, str]
) -> None:
    found = hadoop_settings({location: {}}, environ, {})
    host = location.partition("://")[2].partition("/")[0].partition("@")[2]
    prefix = {"s3": "fs.s3a.", "abfss": "fs.azure.", "gs": "fs.gs."}[location.partition(":")[0]]
    named = {f"{prefix}{key}{'.' if host else ''}{host}": text for key, text in expected.items()}
    assert named.items() <= found.items()


# Commits


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def table(s3: S3Server, tmp_path: Path) -> str:
    deltalake.write_deltalake(tmp_path / "t", pa.table({"id": [1, 2]}))
    return s3.upload(tmp_path / "t", f"{tmp_path.name}/t")


def opened(s3: S3Server, location: str) -> deltalake.DeltaTable:
    return deltalake.DeltaTable(location, storage_options=s3.environment)


def test_a_commit_takes_no_homework_and_shows_no_secret(
    s3: S3Server, table: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The connector is fetched, and all that Spark must know comes from options."""
    options = tmp_path / "options"
    secrets = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET}
    options.write_text("".join(f"{key}={text}\n" for key, text in secrets.items()))
    with (
        FileLock(tmp_path_factory.getbasetemp().parent / "spark.lock"),  # as for all that use Ivy
        started(
            *("alter", table, "--set", "my.team=web", "--add-column", "name STRING"),
            *("--apply", "--yes", "--debug", "--storage-options-file", options),
            *("--storage-option", f"aws_endpoint_url={s3.endpoint}"),
            *("--storage-option", "aws_allow_http=true"),
            *spark_conf(FEW_TASKS),
        ) as program,
        command_lines() as seen,
    ):
        out, err = program.communicate(timeout=600)
    assert program.returncode == 0, out + err
    assert "Versions 1, 2 were committed, as planned." in out
    assert "Warning: Spark commits to s3:// with S3SingleDriverLogStore" in err
    for text in (out, err, *seen):
        assert SECRET not in text
    assert any("org.apache.spark" in line for line in seen)
    found = opened(s3, table)
    assert (found.version(), len(found.schema().fields)) == (2, 2)


class command_lines:  # noqa: N801 -- a context manager
    """The command lines of all processes that run during the block."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> set[str]:
        self._thread.start()
        return self._seen

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):
                    self._seen.add(file.read_bytes().decode(errors="replace"))


@pytest.mark.matrix
def test_every_way_of_changing_a_table_in_s3(s3: S3Server, table: str, tmp_path: Path) -> None:
    def run(*arguments: object) -> Result:
        done = process(*arguments, env=s3.environment)
        assert done.code == 0, done.out + done.err
        return done

    plan = tmp_path / "plan.json"
    run("enable-feature", table, "deletionVectors", "--apply", "--yes")
    run("alter", table.replace("s3:", "s3a:"), "--set", "x=1", "--apply", "--yes")
    run("alter", table, "--set", "y=1", "--out", plan)
    run("apply", plan, "--yes")
    assert opened(s3, table).version() == 3
    made = f"s3://{BUCKET}/{tmp_path.name}/made"
    run("create", made, "--schema", "id INT, name STRING", "--apply", "--yes")
    assert opened(s3, made).version() == 0
    with_spark = run("inspect", table, "--files", "-o", "json", "--engine", "spark")
    assert with_spark.document == run("inspect", table, "--files", "-o", "json").document
    assert os.environ.get("AWS_SECRET_ACCESS_KEY") is None
