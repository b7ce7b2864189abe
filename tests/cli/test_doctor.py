"""`doctor`: what is missing on a machine, and what to do about it."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltaadm.blocks import Health
from deltaadm.spark.session import java_check
from tests.support.program import deltaadm, process
from tests.support.rows import with_rows
from tests.support.tables import START_BODY, table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("text", "health"), [
    ('openjdk version "17.0.15" 2025-04-15', Health.OK),
    ('java version "21" 2023-09-19 LTS', Health.OK),
    ('openjdk version "11.0.2" 2019-01-15', Health.FAILED),
    ('java version "1.8.0_392"', Health.FAILED),
    ('openjdk version "24.0.1" 2025-04-15', Health.OK),
    ("The operation couldn't be completed. Unable to locate a Java Runtime.", Health.FAILED),
])  # fmt: skip
def test_java(text: str, health: Health) -> None:
    found = java_check("/bin/java", text)
    assert found.health is health
    assert bool(found.remedy) is (health is not Health.OK)


def checks(*arguments: object, **env: str) -> dict[str, dict[str, str]]:
    """What `doctor` says in a process of its own, by subject."""
    done = process("doctor", "-o", "json", *arguments, env=env)
    document = done.document
    assert done.code == (
        6 if any(check["health"] == "failed" for check in document["checks"]) else 0
    )
    return {check["subject"]: check for check in document["checks"]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for directory in ("bin", "conf", "jars"):
        (tmp_path / directory).mkdir()
    (tmp_path / "bin" / "spark-submit").touch()
    return tmp_path


def test_a_machine_without_java(tmp_path: Path) -> None:
    java = checks(JAVA_HOME=str(tmp_path))["Java"]
    assert java["health"] == "failed"
    assert str(tmp_path) in java["detail"]
    assert "Install Java" in java["remedy"]


def test_the_spark_of_spark_home_must_be_that_of_pyspark(home: Path) -> None:
    (home / "jars" / "spark-core_2.13-3.5.1.jar").touch()
    spark = checks(SPARK_HOME=str(home))["Spark"]
    assert spark["health"] == "failed"
    assert "Spark 3.5.1" in spark["detail"]
    assert "pyspark==3.5.1" in spark["remedy"]


@with_rows
def test_delta_among_the_jars_of_spark(home: Path, jar: str, health: str) -> None:
    (home / "jars" / jar).touch()
    delta = checks(SPARK_HOME=str(home))["Delta jars"]
    assert delta["health"] == health
    assert jar in delta["detail"]


def test_delta_named_by_the_defaults_of_spark(home: Path) -> None:
    (home / "conf" / "spark-defaults.conf").write_text(
        "# ours\n\nspark.jars.packages   io.delta:delta-spark_2.13:4.0.0\n"
    )
    assert checks(SPARK_HOME=str(home))["Delta jars"]["detail"] == "configured in Spark's settings"


def test_delta_in_a_directory_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "delta-spark_4.2_2.13-4.4.0.jar").touch()
    assert str(tmp_path) in checks("--jars", tmp_path)["Delta jars"]["detail"]


def test_nothing_fetched_yet(tmp_path: Path) -> None:
    delta = checks(HOME=str(tmp_path))["Delta jars"]
    assert delta["health"] == "warning"
    assert "will be downloaded" in delta["detail"]
    assert "--jars" in delta["remedy"]


def test_a_place_without_jars_is_refused(tmp_path: Path) -> None:
    done = deltaadm("doctor", "--jars", tmp_path)
    assert done.code == 7
    assert f"No jar was found at {tmp_path}" in done.err


@pytest.fixture
def port() -> Iterator[int]:
    """One at which something listens that is no Spark."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_spark_connect_needs_neither_java_nor_jars(port: int) -> None:
    found = checks("--remote", f"sc://127.0.0.1:{port}", JAVA_HOME="/nowhere")
    assert found["Spark"]["health"] == "ok"
    assert "Spark Connect" in found["Spark"]["detail"]
    assert not found.keys() & {"Java", "Delta jars", "delta-spark"}


@pytest.mark.parametrize(
    ("option", "scheme", "subject"),
    [("--remote", "sc", "Spark"), ("--spark-master", "spark", "master")],
)
def test_a_spark_that_is_not_there(option: str, scheme: str, subject: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    found = checks(option, f"{scheme}://127.0.0.1:{port}")[subject]
    assert (found["health"], "connection refused" in found["detail"]) == ("failed", True)
    assert found["remedy"].startswith("Check the address")


def test_no_token_is_shown(port: int) -> None:
    remote = f"sc://127.0.0.1:{port}/;token=hush"
    for done in (
        process("doctor", env={"SPARK_REMOTE": remote}),
        process("doctor", "--remote", remote.replace(f":{port}", ":1")),
    ):
        assert "127.0.0.1" in done.out
        assert "hush" not in done.out + done.err


@with_rows
def test_what_a_commit_to_s3_needs(
    tmp_path: Path, conf: str, jars: list[str], store: str, system: str
) -> None:
    env = {"AWS_ENDPOINT_URL": "https://127.0.0.1:1"}  # where nobody answers
    env |= {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "hush"}
    for jar in jars:
        (tmp_path / jar).touch()
    given = ("--jars", tmp_path) if jars else ()
    found = checks("s3a://bucket/table", "--spark-conf", conf, *given, **env)
    assert found["LogStore for s3a"]["health"] == store
    connector = found["file system for s3a"]
    assert connector["detail"].startswith(system.replace("HERE", str(tmp_path)))
    assert not jars or connector["health"] == "ok"
    detail = found["Hadoop's settings for s3a"]["detail"]
    assert "fs.s3a.secret.key" in detail
    assert "hush" not in str(found)


def test_tables_within_reach(tmp_path: Path) -> None:
    made = table(tmp_path / "there", START_BODY)
    found = checks(made.path, tmp_path / "gone")
    assert found[str(made.path)]["health"] == "ok"
    assert found[str(tmp_path / "gone")]["health"] == "failed"


def test_it_starts_nothing_unless_told_to() -> None:
    assert "session" not in checks()


def test_text(tmp_path: Path) -> None:
    done = deltaadm("doctor", tmp_path / "gone")
    assert done.code == 6
    lines = [line.split()[:2] for line in done.out.splitlines()]
    assert ["ok", "pyspark"] in lines
    assert ["failed", f"{tmp_path}/gone"] in lines
    assert sys.executable not in done.err
