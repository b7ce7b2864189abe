"""How Spark starts, and why it does not, in processes of their own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyspark
import pytest
from deltalake import write_deltalake

from deltaadm.errors import EngineError
from deltaadm.spark.jvm import (
    SHORT_WORK,
    delta_package,
    environment,
    ivy_file,
    java_options,
    java_program,
    scratch_directory,
    settings_for_delta,
    start_jvm,
)
from tests.spark.test_executor import commits, make_table
from tests.support.clients import ACCEPT_ALL
from tests.support.program import messages, process, started, surroundings, wait_until
from tests.support.rows import with_rows
from tests.support.spark_processes import (
    FEW_TASKS,
    delta_jars,
    processes_that_mention,
    spark_conf,
    writing,
)

ASK = """
import sys
from deltaadm.errors import DeltaadmError
from deltaadm.spark.executor import SparkExecutor
from deltaadm.spark.session import SparkOptions

options = eval(sys.argv[1])
try:
    with SparkExecutor(options, announce=lambda text: print(text, file=sys.stderr)) as executor:
        executor.settings()
except DeltaadmError as error:
    print(error.kind, error.message, error.remedy, sep="\\n", file=sys.stderr)
"""


def run(directory: Path, options: str, **environ: str) -> tuple[str, list[str]]:
    """What a program that uses an executor writes, run in a directory that has to stay empty."""
    empty = directory / "empty"
    empty.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ASK, options],
        cwd=empty,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environ},
        capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    assert list(empty.iterdir()) == []
    return done.stdout, done.stderr.splitlines()


def test_a_whole_run_is_silent_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """With Delta from a directory, for which nothing is fetched; the second step is refused."""
    table, scratch, jars = tmp_path / "täble", tmp_path / "scratch", tmp_path / "jars"
    write_deltalake(table, pa.table({"id": [1]}))
    scratch.mkdir()
    jars.mkdir()
    for jar in delta_jars():
        shutil.copy(jar, jars)
    conf = {**FEW_TASKS, "spark.jars.ivy": str(tmp_path / "ivy")}
    before = set(tmp_path.iterdir())
    done = process(
        *("alter", table, "--set", "team=data", "--add-constraint", "none=id < 0"),
        *("--apply", "--yes", *ACCEPT_ALL, "--spark-master", "local[1]", "--jars", jars),
        *spark_conf(conf),
        env={"TMPDIR": str(scratch), "LC_ALL": "C", "PYTHONWARNINGS": "error"},
    )
    assert done.code == 5
    assert messages(done.err) == [
        "Starting Spark on local[1] ...",
        (
            f"error: 1 rows in delta.`file:{table}` violate the new CHECK constraint (id < 0); "
            "version 1 was committed."
        ),
        "  Inspect the table, then plan again.",
    ]
    assert commits(table) == 2
    assert list(scratch.iterdir()) == []
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("conf", "environ", "chosen"), [
    ({}, {}, SHORT_WORK),
    ({"spark.driver.extraJavaOptions": "-Dkey=value"}, {}, SHORT_WORK),
    ({"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}, {}, ()),
    ({"spark.driver.defaultJavaOptions": "-XX:+UseZGC"}, {}, ()),
    ({}, {"SPARK_SUBMIT_OPTS": "-XX:+UseParallelGC"}, ()),
    ({}, {"JDK_JAVA_OPTIONS": "-XX:+UseParallelGC"}, ()),
    ({}, {"JAVA_TOOL_OPTIONS": "-XX:+UseParallelGC"}, ()),
    ({}, {"SPARK_CONF_DIR": "{}"}, ()),
])  # fmt: skip
def test_options_that_the_user_chooses_come_first(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    conf: Mapping[str, str],
    environ: Mapping[str, str],
    chosen: tuple[str, ...],
) -> None:
    defaults = "spark.driver.extraJavaOptions  -XX:+UseParallelGC\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    for name, value in environ.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    assert java_options(conf) == chosen


@pytest.mark.parametrize(("options", "environ", "said"), [
    pytest.param("", {"JAVA_HOME": "/nowhere"}, [
        "engine", "Spark needs Java, but none was found in JAVA_HOME (/nowhere).",
        "Install Java 17 or 21 and set JAVA_HOME or PATH to it."], id="no Java"),
    pytest.param("", {"JAVA_HOME": "/nowhere", "PYSPARK_SUBMIT_ARGS": "--jars x pyspark-shell"},
        ["Starting Spark on local[*] ...", "engine"], id="no Java, after a warning"),
    pytest.param("master='spark://127.0.0.1:1'", {}, [
        "engine", "Cannot reach Spark at spark://127.0.0.1:1: connection refused."],
        id="a master that cannot be reached"),
    pytest.param("master='lokal'", {"SPARK_REMOTE": "sc://ignored"}, [
        "engine",
        "Cannot start Spark: Master must either be yarn or start with spark, k8s, or local."],
        id="a master that is none"),
    pytest.param("jars=('{0}/delta-spark_4.0_2.13-4.4.0.jar',)", {}, [
        "engine",
        f"{{0}}/delta-spark_4.0_2.13-4.4.0.jar is built for Spark 4.0, not {pyspark.__version__}."],
        id="jars for another Spark"),
])  # fmt: skip
def test_a_session_that_cannot_be_had(
    tmp_path: Path, options: str, environ: dict[str, str], said: list[str]
) -> None:
    stdout, stderr = run(tmp_path, f"SparkOptions({options.format(tmp_path)})", **environ)
    assert stdout == ""
    assert stderr[1 : 1 + len(said)] == [line.format(tmp_path) for line in said]


def test_with_a_java_that_is_too_old(tmp_path: Path) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'java.lang.UnsupportedClassVersionError: 61.0' >&2; exit 1\n")
    java.chmod(0o755)
    error = failed_start(tmp_path / "jdk")
    assert error.message == "Cannot start Spark: java.lang.UnsupportedClassVersionError: 61.0."
    assert str(error.remedy).startswith("`deltaadm doctor` checks Java, jars and addresses")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_jvm_that_is_killed_at_its_start(tmp_path: Path, number: signal.Signals) -> None:
    """What has been written before says nothing of the cause."""
    home = java_that(tmp_path, f"echo 'Loading modules' >&2; kill -{number} $$")
    found = failed_start(home).message
    assert found == f"Cannot start Spark: its JVM was killed by {number.name}."


@with_rows
def test_the_cause_is_what_java_says_last_but_for_warnings(
    tmp_path: Path, message: str, cause: str
) -> None:
    home = java_that(tmp_path, f"printf '{message}\n' >&2; exit 3")
    assert failed_start(home).message.startswith(f"Cannot start Spark: {cause}")


def failed_start(home: Path) -> EngineError:
    """Why no JVM comes up with the Java at *home*; a session that is there makes no difference."""
    with (
        environment({"JAVA_HOME": str(home)}),
        scratch_directory() as scratch,
        pytest.raises(EngineError) as caught,
        start_jvm({}, scratch, show=False),
    ):
        pass
    return caught.value


def java_that(directory: Path, does: str) -> Path:
    """A JAVA_HOME whose Java is the true one for Spark's launcher, and for Spark itself *does*."""
    real = java_program()
    java = directory / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    launcher = 'case "$*" in *launcher.Main*) exec ' + real + ' "$@";; esac'
    java.write_text(f"#!/bin/sh\n{launcher}\n{does}\n")
    java.chmod(0o755)
    return java.parents[1]


@pytest.mark.parametrize(
    ("number", "code", "how"),
    [(signal.SIGINT, 130, "Interrupted"), (signal.SIGTERM, 143, "Terminated")],
)
def test_stopped_while_spark_starts_nothing_was_committed(
    tmp_path: Path, number: signal.Signals, code: int, how: str
) -> None:
    table, scratch = make_table(tmp_path / "table"), tmp_path / "scratch"
    scratch.mkdir()
    home = java_that(tmp_path, f"touch {tmp_path}/started; exec sleep 600")
    env = {"JAVA_HOME": str(home), "TMPDIR": str(scratch)}
    with started("alter", table, "--set", "a=b", "--apply", "--yes", env=env) as program:
        wait_until((tmp_path / "started").exists, program)
        program.send_signal(number)
        _, errors = program.communicate(timeout=60)
    assert (program.returncode, errors.splitlines()[-1]) == (code, f"{how}; nothing was committed.")
    assert commits(table) == 1
    assert list(scratch.iterdir()) == []


def test_killed_runs_and_killed_jvms(tmp_path: Path) -> None:
    """
    A run that is killed leaves a directory behind, which the next one removes.

    That one's JVM is killed before it has committed: nothing can follow, which is said.
    """
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    where, env = [*spark_conf(FEW_TASKS), "--spark-master=local[1]"], {"TMPDIR": str(scratch)}
    with writing(tmp_path / "first", *where, env=env) as program:
        program.kill()
        program.communicate()
    [left] = scratch.iterdir()
    wait_until(lambda: not processes_that_mention(str(scratch)))
    with writing(tmp_path / "second", *where, env=env) as program:
        assert left not in scratch.iterdir()
        for jvm in processes_that_mention(str(scratch)):
            os.kill(int(jvm), signal.SIGKILL)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 6
    assert "error: " in errors
    assert "Spark was lost (its JVM was killed by SIGKILL); nothing was committed.\n" in errors
    assert list(scratch.iterdir()) == []


def test_jars_that_were_fetched_before_are_taken_where_nothing_else_is_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / ".ivy2" / "jars").mkdir(parents=True)
    package = delta_package()
    release = package.rpartition(":")[2]
    others = "storage", "kernel-api", "kernel-defaults", "kernel-unitycatalog"
    names = [ivy_file(package), *(f"io.delta_delta-{name}-{release}.jar" for name in others)]
    jars = [tmp_path / ".ivy2" / "jars" / name for name in names]
    for jar in jars:
        with ZipFile(jar, "w"):
            pass
    local, packages = {"spark.master": "local[*]"}, {"spark.jars.packages": package}
    whole = {"spark.driver.extraClassPath": ":".join(map(str, jars))}
    assert settings_for_delta(local, ()) == whole
    assert settings_for_delta(local, ["/x.jar"]) == {"spark.jars": "/x.jar", **packages}
    assert settings_for_delta({"spark.master": "local-cluster[1,1,512]"}, ()) == packages
    unity = {"spark.sql.catalog.main": "io.unitycatalog.spark.UCSingleCatalog"}
    assert settings_for_delta(local | unity, ()) == packages
    (tmp_path / "spark-defaults.conf").write_text("spark.jars.packages a:b:1\n")
    assert settings_for_delta(local, ()) == {"spark.jars.packages": f"{package},a:b:1"}
    (tmp_path / "spark-defaults.conf").unlink()
    jars[-1].write_bytes(jars[-1].read_bytes()[:-1])
    assert settings_for_delta(local, ()) == packages


def test_jars_that_cannot_be_had(tmp_path: Path) -> None:
    settings = tmp_path / "ivy.xml"
    settings.write_text(
        "<ivysettings><settings defaultResolver='none'/>"
        f"<resolvers><filesystem name='none'><ivy pattern='{tmp_path}/[module].xml'/>"
        "</filesystem></resolvers></ivysettings>"
    )
    conf = {"spark.jars.ivySettings": str(settings), "spark.jars.ivy": str(tmp_path / "ivy")}
    stdout, stderr = run(tmp_path, f"SparkOptions(conf={json.dumps(conf)})")
    assert stdout == ""
    assert stderr[1] == "engine"
    assert "Cannot start Spark: [unresolved dependency: io.delta#delta-spark" in stderr[2]


def test_a_server_that_is_no_spark(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"sc://127.0.0.1:{listener.getsockname()[1]}"
        _, stderr = run(tmp_path, f"SparkOptions(remote='{address}/;token=hush')")
    cause = "the server there is not a Spark Connect server"
    assert stderr[:3] == [
        f"Connecting to Spark at {address} ...",
        "engine",
        f"Cannot reach Spark at {address}: {cause}.",
    ]
    assert "hush" not in "".join(stderr)


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
START = """
import os, signal, subprocess, sys
from deltaadm.spark.session import SparkOptions, open_session

rows, *keys = sys.argv[1:]

def fork_and_interrupt(self, arguments, *more, fork=subprocess.Popen._execute_child):
    fork(self, arguments, *more)
    if "spark-submit" in arguments[0]:
        signal.raise_signal(signal.SIGINT)

if rows == "interrupt":
    subprocess.Popen._execute_child = fork_and_interrupt
conf = eval(os.environ.get("CONF", "{}"))
with open_session(SparkOptions(conf=conf), lambda _: None) as session:
    java = session._jvm.java.lang
    print(*java.management.ManagementFactory.getRuntimeMXBean().getInputArguments())
    for key in keys:
        print(java.System.getProperty(key))
    frame = session.range(1).selectExpr("reflect('java.lang.Thread', 'sleep', 600000L) AS x")
    try:
        frame.write.parquet(rows)
    except KeyboardInterrupt:
        print("interrupted")
"""


@linux
@pytest.mark.parametrize("moment", ["in the fork", "after the fork"])
def test_an_interrupted_start_leaves_no_jvm(tmp_path: Path, moment: str) -> None:
    """The JVM would stay for ever, so that none is left as soon as one has gone at all."""
    scratch, beginning = tmp_path / "scratch", tmp_path / "beginning"
    scratch.mkdir()
    beginning.touch()
    process = subprocess.Popen(
        [sys.executable, "-c", START, "interrupt" if moment == "in the fork" else ""],
        env=surroundings(
            {
                "PYTHONPATH": str(Path(__file__).parents[2]),
                "JAVA_HOME": str(java_that(tmp_path, f"exec tail -f {beginning}")),
                "TMPDIR": str(scratch),
            }
        ),
        stderr=subprocess.PIPE,
        text=True,
    )
    if moment == "after the fork":
        wait_until(lambda: processes_that_mention(f"{scratch}/deltaadm-"), process)
        process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert list(scratch.iterdir()) == []
    patience = time.monotonic() + 60  # what has been killed takes a moment to end
    while left := processes_that_mention(str(tmp_path)):
        if time.monotonic() > patience:
            for number in left:
                os.kill(int(number), signal.SIGKILL)
            pytest.fail(f"{left} are left")
        time.sleep(0.05)
    assert list(scratch.iterdir()) == []


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """What a run that is interrupted at work writes, and the arguments of what it starts."""
    place = tmp_path_factory.mktemp("interrupted")
    seen, rows, java = place / "seen", place / "rows", place / "bin" / "java"
    java.parent.mkdir()
    record = f"cat /proc/$$/cmdline /proc/$PPID/cmdline >> {seen}"
    java.write_text(f'#!/bin/sh\n{record}; exec {java_program()} "$@"\n')
    java.chmod(0o755)
    conf = {
        "spark.hadoop.fs.s3a.secret.key": SECRETS["spark.hadoop.fs.s3a.secret.key"],
        "spark.driver.extraJavaOptions": "-Dmy.extra='hush # \"b'",
    }
    program = subprocess.Popen(
        [sys.executable, "-c", START, str(rows), *SECRETS],
        env=surroundings(
            {
                "CONF": str(conf | FEW_TASKS),
                "PYTHONPATH": str(Path(__file__).parents[2]),
                "JAVA_HOME": str(place),
                "TMPDIR": str(place),
                "SPARK_SUBMIT_OPTS": "-Dmy.opts='hush hush'",
            }
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(rows.exists, program)
    program.send_signal(signal.SIGINT)
    return *program.communicate(timeout=600), seen.read_text(encoding="utf-8")


SECRETS = {
    "spark.hadoop.fs.s3a.secret.key": "hush = :#!\\\t\"'é",
    "my.extra": 'hush # "b', "my.opts": "hush hush",
}  # fmt: skip


@linux
def test_no_setting_is_among_the_arguments_of_a_process(interrupted: tuple[str, str, str]) -> None:
    """Of the scripts, of the launcher that they start, and of the JVM, which gets them all."""
    stdout, _, arguments = interrupted
    given, *properties_there, _ = stdout.splitlines()
    assert set(SHORT_WORK) <= set(given.split())
    assert properties_there == list(SECRETS.values())
    assert "org.apache.spark.launcher.Main" in arguments
    assert "-Xmx1g" in arguments
    assert "hush" not in arguments


def test_an_interrupt_while_spark_is_busy_is_no_stack_trace(
    interrupted: tuple[str, str, str],
) -> None:
    stdout, stderr, _ = interrupted
    assert (stdout.splitlines()[-1], stderr) == ("interrupted", "")
