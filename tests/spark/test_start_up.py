"""What lets a JVM start sooner: chosen only where it fits, and never fatal."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from deltaadm.spark.start_up import SHORT_WORK, class_archive, java_options
from tests.support.program import process, surroundings

NOT_OURS = {"HOME": "/nowhere", "DELTAADM_CLASS_ARCHIVE": "off"}


@pytest.mark.parametrize(
    ("conf", "environ", "chosen"),
    [
        ({}, {}, SHORT_WORK),
        ({"spark.driver.extraJavaOptions": "-Dkey=value"}, {}, SHORT_WORK),
        ({"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}, {}, ()),
        ({"spark.driver.defaultJavaOptions": "-XX:+UseZGC"}, {}, ()),
        ({}, {"SPARK_SUBMIT_OPTS": "-XX:+UseParallelGC"}, ()),
        ({}, {"JDK_JAVA_OPTIONS": "-XX:+UseParallelGC"}, ()),
        ({}, {"JAVA_TOOL_OPTIONS": "-XX:+UseParallelGC"}, ()),
    ],
)
def test_options_that_the_user_chooses_come_first(
    conf: Mapping[str, str], environ: Mapping[str, str], chosen: tuple[str, ...]
) -> None:
    assert java_options(conf, NOT_OURS | dict(environ)) == chosen


def test_options_of_spark_defaults_come_first(tmp_path: Path) -> None:
    defaults = "spark.driver.extraJavaOptions  -XX:+UseParallelGC\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    assert java_options({}, NOT_OURS | {"SPARK_CONF_DIR": str(tmp_path)}) == ()


@pytest.mark.parametrize(
    ("environ", "directory"),
    [
        ({"HOME": "/u/me"}, "/u/me/.cache/deltaadm"),
        ({"HOME": "/u/me", "XDG_CACHE_HOME": "/fast"}, "/fast/deltaadm"),
        ({"HOME": "/u/me", "XDG_CACHE_HOME": "relative"}, None),
        ({"HOME": "/u/me", "DELTAADM_CLASS_ARCHIVE": "/here"}, "/here"),
        ({"HOME": "/u/me", "DELTAADM_CLASS_ARCHIVE": "off"}, None),
        ({"HOME": "/u/of two words"}, None),
        ({}, None),
    ],
)
def test_where_the_archive_is(environ: Mapping[str, str], directory: str | None) -> None:
    archive = class_archive(environ)
    assert (archive and str(archive.parent)) == directory


STARTED = """
from deltaadm.spark.session import SparkOptions, open_session
with open_session(SparkOptions(master="local[1]"), lambda _: None) as session:
    runtime = session._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
    print(*runtime.getInputArguments())
    session.sql("SELECT 1").collect()
"""


def jvm_arguments(archives: Path) -> str:
    """Those of the JVM of a session in a process of its own, which is asked for a row."""
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        check=True,
        capture_output=True,
        text=True,
        env=surroundings({"DELTAADM_CLASS_ARCHIVE": str(archives), "CI": "true"}),
    )
    return done.stdout


def test_an_archive_is_made_and_used(tmp_path: Path) -> None:
    made = process("doctor", "--warm", env={"DELTAADM_CLASS_ARCHIVE": str(tmp_path)})
    (archive,) = tmp_path.iterdir()
    assert (made.code, str(archive) in made.out) == (0, True), made.err
    assert f"-XX:SharedArchiveFile={archive}" in jvm_arguments(tmp_path)


def test_a_damaged_archive_does_no_harm(tmp_path: Path) -> None:
    archive = class_archive({"DELTAADM_CLASS_ARCHIVE": str(tmp_path)})
    assert archive
    archive.write_bytes(b"\xff" * 10_000)
    assert f"-XX:SharedArchiveFile={archive}" in jvm_arguments(tmp_path)


def test_an_archive_that_cannot_be_written_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = str(tmp_path / "file" / "archives")
    done = process("doctor", "--warm", env={"DELTAADM_CLASS_ARCHIVE": place})
    assert done.code == 6
    assert "DELTAADM_CLASS_ARCHIVE" in done.out
    assert "Traceback" not in done.err
