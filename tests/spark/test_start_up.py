"""What lets a JVM start sooner: chosen only where it fits, and never fatal."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from deltaadm.spark.start_up import SHORT_WORK, class_archive, java_options, make_later
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
"""


def jvm_arguments(archives: Path) -> str:
    """Those of the JVM of a session in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        check=True,
        capture_output=True,
        text=True,
        env=surroundings({"DELTAADM_CLASS_ARCHIVE": str(archives)}),
    )
    return done.stdout


@pytest.mark.parametrize(
    ("age", "text", "again"), [(0, "", False), (7200, "", True), (7200, "It failed.", False)]
)
def test_an_archive_whose_making_was_killed_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, age: int, text: str, again: bool
) -> None:
    environ = {"DELTAADM_CLASS_ARCHIVE": str(tmp_path)}
    archive = class_archive(environ)
    assert archive
    begun = archive.with_suffix(".begun")
    begun.write_text(text)
    os.utime(begun, (time.time() - age,) * 2)
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *command, **_: started.append(command))
    make_later(environ)
    assert bool(started) == again
    assert begun.read_text() == text


@pytest.mark.first
def test_an_archive_is_made_and_used(class_archives: Path) -> None:
    """The programs that later tests start use it, too."""
    made = process("doctor", "--warm", env={"DELTAADM_CLASS_ARCHIVE": str(class_archives)})
    (archive,) = class_archives.iterdir()
    assert (made.code, str(archive) in made.out) == (0, True), made.err
    assert f"-XX:SharedArchiveFile={archive}" in jvm_arguments(class_archives)


def test_an_archive_that_cannot_be_written_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    place = str(tmp_path / "file" / "archives")
    done = process("doctor", "--warm", env={"DELTAADM_CLASS_ARCHIVE": place})
    assert done.code == 6
    assert "DELTAADM_CLASS_ARCHIVE" in done.out
    assert "Traceback" not in done.err
