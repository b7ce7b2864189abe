"""`validate` as a user meets it: findings, exit codes, files, baselines, settings, mending."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Self

import pexpect
import pytest

from tests.support.program import deltaadm
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, table

INFO = commit_info()
HOSTILE = "\x1b[31m\n::error::<b>&'\"\u202e"


@pytest.fixture(autouse=True)
def _empty_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above the directory in which tests run has settings; checksums do not matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DELTAADM_IGNORE", "DL810")
    monkeypatch.delenv("DELTAADM_CONFIG", raising=False)


@pytest.fixture
def odd(tmp_path: Path) -> Table:
    """One error, DL112, in its newest commit."""
    return table(tmp_path / "odd", commit(INFO, protocol(), metadata(), protocol(1, 1)))


# What is found, and the exit code


def test_hostile_names_are_shown_and_never_interpreted(tmp_path: Path) -> None:
    configuration = {f"delta.{HOSTILE}": HOSTILE, HOSTILE: HOSTILE}
    column = json.dumps(
        {"type": "struct", "fields": [{"name": HOSTILE, "type": HOSTILE, "nullable": True,
                                       "metadata": {}}]}
    )  # fmt: skip
    path = tmp_path / "t\x1b[31m"
    table(path, commit(INFO, protocol(), metadata(configuration, schemaString=column)))
    done = deltaadm("validate", path)
    assert "\\x1b[31m" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out + done.err)
    assert not [line for line in done.out.splitlines() if line.startswith("::")]
    assert deltaadm("validate", path, "-o", "json").document["table"] == str(path)


# Baselines


def test_a_baseline_knows_a_table_by_its_id(
    odd: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = tmp_path / "baseline.json"
    deltaadm("validate", odd.path, "--write-baseline", baseline)
    monkeypatch.chdir(odd.path)
    assert "1 in the baseline" in deltaadm("validate", ".", "--baseline", baseline).out


def test_a_baseline_is_the_same_whenever_it_is_written(odd: Table, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    deltaadm("validate", odd.path, "--write-baseline", one)
    deltaadm("validate", odd.path, "--write-baseline", other, "--baseline", one)
    assert one.read_bytes() == other.read_bytes()
    other.write_text("[" * 100_000)
    broken = deltaadm("validate", odd.path, "--baseline", other)
    assert (broken.code, "not a deltaadm baseline" in broken.err) == (2, True)


# Terminals


linux = pytest.mark.skipif(not hasattr(fcntl, "F_NOTIFY"), reason="needs dnotify of Linux")


def long_log(directory: Path) -> Path:
    """A table that takes a while to examine, and fewer commits than are given to processes."""
    made = table(directory / "slow", commit(INFO, protocol(), metadata()))
    for version in range(1, 2000):
        made.commit(version, INFO, add(f"f{version}"))
    return made.path


class Watched:
    """
    A process that is stopped whenever it has run for a moment, from its first look at a log on.

    However fast the machine is, to the process its work takes as long as the test likes.
    """

    def __init__(self, path: Path) -> None:
        self.pid = 0
        self._log = os.open(path / "_delta_log", os.O_RDONLY)
        self._begun = threading.Event()

    def __enter__(self) -> Self:
        self._handler = signal.signal(signal.SIGIO, lambda *_: self._begun.set())
        fcntl.fcntl(self._log, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._log)
        signal.signal(signal.SIGIO, self._handler)

    def pause(self, seconds: float = 0.3) -> None:
        """Stop the process for so long, as soon as it has begun to read."""
        assert self._begun.wait(60)
        os.kill(self.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(self.pid, signal.SIGCONT)


def spawned(path: Path) -> "pexpect.spawn[str]":
    arguments = ["-m", "deltaadm", "validate", str(path)]
    return pexpect.spawn(sys.executable, arguments, timeout=60, encoding="utf-8")


def until_seen(child: "pexpect.spawn[str]", run: Watched, text: str) -> None:
    run.pid = child.pid
    run.pause()
    while child.expect_exact([text, pexpect.TIMEOUT], timeout=0.02):
        run.pause()


@pytest.mark.slow
@linux
def test_a_slow_run_says_so_on_a_terminal_and_clears_the_line(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    with Watched(path) as run:
        child = spawned(path)
        until_seen(child, run, " files, ")
    child.expect_exact("\x1b[2K")
    child.expect_exact("2 warnings. 2")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.slow
@linux
def test_elsewhere_a_run_of_a_few_seconds_says_nothing(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    arguments = [sys.executable, "-m", "deltaadm", "validate", str(path)]
    with (
        Watched(path) as run,
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child,
    ):
        run.pid = child.pid
        run.pause(2)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (0, b"")


@pytest.mark.slow
@linux
def test_ctrl_c_ends_a_slow_run_cleanly(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    with Watched(path) as run:
        child = spawned(path)
        until_seen(child, run, "Checking ")
    child.sendintr()
    child.expect_exact("Interrupted; nothing was committed.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
