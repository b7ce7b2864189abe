"""What lets a JVM start sooner: chosen only where it fits, and never fatal."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from deltaadm.spark.jvm import SHORT_WORK, java_options
from tests.support import class_archive
from tests.support.program import surroundings


@pytest.mark.parametrize(("conf", "environ", "chosen"), [
    ({}, {}, SHORT_WORK),
    ({"spark.driver.extraJavaOptions": "-Dkey=value"}, {}, SHORT_WORK),
    ({"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}, {}, ()),
    ({"spark.driver.defaultJavaOptions": "-XX:+UseZGC"}, {}, ()),
    ({}, {"SPARK_SUBMIT_OPTS": "-XX:+UseParallelGC"}, ()),
    ({}, {"JDK_JAVA_OPTIONS": "-XX:+UseParallelGC"}, ()),
    ({}, {"JAVA_TOOL_OPTIONS": "-XX:+UseParallelGC"}, ()),
])  # fmt: skip
def test_options_that_the_user_chooses_come_first(
    conf: Mapping[str, str], environ: Mapping[str, str], chosen: tuple[str, ...]
) -> None:
    assert java_options(conf, environ) == chosen


def test_options_of_spark_defaults_come_first(tmp_path: Path) -> None:
    defaults = "spark.driver.extraJavaOptions  -XX:+UseParallelGC\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    assert java_options({}, {"SPARK_CONF_DIR": str(tmp_path)}) == ()


STARTED = """
from deltaadm.spark.session import SparkOptions, open_session
with open_session(SparkOptions(master="local[1]"), lambda _: None) as session:
    runtime = session._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
    print(*runtime.getInputArguments())
"""


def jvm_arguments(options: str) -> list[str]:
    """Those of the JVM of a session in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", STARTED], check=True, capture_output=True, text=True,
        env=surroundings({"SPARK_SUBMIT_OPTS": options}),
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.first
def test_a_jvm_is_started_for_short_work(archive: Path) -> None:
    """And the archive of classes is made that the programs of later tests use."""
    subprocess.run(
        [sys.executable, "-m", "tests.support.class_archive", archive],
        check=True,
        env=os.environ | {"SPARK_SUBMIT_OPTS": class_archive.recording()},
    )
    assert set(SHORT_WORK) <= set(jvm_arguments(""))
    assert f"-XX:SharedArchiveFile={archive}" in jvm_arguments(class_archive.options(archive))
