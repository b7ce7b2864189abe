"""What people expect of a command line who know others: a row for each convention."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from tests.support import tables
from tests.support.program import Result, deltaadm, process, surroundings
from tests.support.tables import Table, commit, metadata, protocol

pytestmark = pytest.mark.slow


def test_colours_can_be_had_and_turned_off(small: Table) -> None:
    words = ("validate", small.path)

    def is_coloured(text: str) -> bool:
        return re.search(r"\x1b\[(\d+;)*3\dm", text) is not None

    assert not is_coloured(deltaadm(*words).out)
    assert is_coloured(deltaadm(*words, "--color", "always").out)
    for env, expected in (
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"CLICOLOR": "0"}, False),
        ({"FORCE_COLOR": "0"}, False),
        ({"CLICOLOR_FORCE": ""}, False),
    ):
        assert is_coloured(process(*words, env=env).out) is expected, env
    # What is said on the command line comes before what the environment says.
    for name in ("NO_COLOR", "CLICOLOR"):
        asked = process(*words, "--color", "always", env={name: "0", "TERM": "dumb"})
        assert is_coloured(asked.out), name


def test_verdicts_are_coloured_words(small: Table, tmp_path: Path) -> None:
    found = deltaadm("inspect", small.path, "--color", "always").out
    assert "\x1b[32mread, write\x1b[0m" in found
    assert "\x1b[33mno source\x1b[0m" in found
    mapped = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    tables.table(tmp_path / "mapped", commit(protocol(2, 5), metadata(mapped)))
    found = deltaadm("inspect", tmp_path / "mapped", "--color", "always").out
    assert "\x1b[1;31mwrong data\x1b[0m" in found
    assert "\x1b[31mcannot read\x1b[0m" in found


def test_lines_are_not_cut_without_a_terminal(tmp_path: Path) -> None:
    name = "a" * 150
    table = tables.table(tmp_path / name, tables.START_BODY)
    assert str(table.path) in deltaadm("inspect", table.path).out.splitlines()[0]


def test_text_is_as_wide_as_the_terminal(tmp_path: Path) -> None:
    name = "_".join(["property"] * 3)
    made = tables.table(tmp_path / "t", commit(protocol(3, 7), metadata({name: "x " * 60})))
    wide = _on_terminal("inspect", made.path, width=400)
    assert max(map(len, wide)) > 120
    for width in (40, 80, 200):
        for line in _on_terminal("inspect", made.path, width=width):
            # A word that is longer than the room for it stays whole, as the path may be.
            whole = " " not in line.strip() or str(made.path) in line
            assert len(line) <= width or whole, (width, line)
    assert _on_terminal("inspect", made.path, width=80, COLUMNS="400") == wide


def test_no_pager_is_started(small: Table, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'; cat", encoding="utf-8")
    pager.chmod(0o755)
    names = ("PAGER", "DELTAADM_PAGER", "GIT_PAGER", "MANPAGER", "LESS")
    lines = _on_terminal("rules", width=80, **dict.fromkeys(names, str(pager)))
    assert len(lines) > 100  # more than a terminal has
    assert _on_terminal("inspect", small.path, width=80, PAGER=str(pager))
    assert not (tmp_path / "started").exists()


def _on_terminal(*words: object, width: int, **env: str) -> list[str]:
    """What the program shows on a terminal of 24 lines, without colour."""
    program = pexpect.spawn(
        sys.executable,
        ["-m", "deltaadm", *map(str, words), "--color", "never"],
        encoding="utf-8",
        timeout=60,
        env={"TERM": "xterm", "LANG": "C.UTF-8", **surroundings(env)},
        dimensions=(24, width),
    )
    program.expect(pexpect.EOF)
    program.close()
    assert program.exitstatus == 0
    return str(program.before).splitlines()


def test_nothing_is_told_to_anybody(small: Table, tmp_path: Path) -> None:
    """No connection is opened: neither telemetry nor a look for a newer version."""
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    root = str(Path(__file__).parents[2])
    env = {"PYTHONPATH": f"{tmp_path}:{root}"}
    change = ("alter", small.path, "--set", "a=b", "--apply", "--yes")
    for words in (
        ("--version",), ("--help",), ("inspect", small.path), ("validate", small.path, "--deep"),
        ("inspect", small.path / "nothing"), ("explain", "DL101"),
        (*change, "--commit-engine", "embedded"),
    ):  # fmt: skip
        found = process(*words, env=env)
        assert "connects" not in found.err, words
        assert found.code in {0, 3}, words
    # What is to be caught is caught.
    asked = process("inspect", "a.b.c", "--unity", "http://127.0.0.1:1", "--timeout", "5", env=env)
    assert "connects" in asked.err


NO_NETWORK = """
import os, sys
def hook(event, args):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto"}:
        os.write(2, f"connects: {args}".encode())
        os._exit(99)
sys.addaudithook(hook)
"""


def test_signals_end_a_run_with_a_word_about_commits(small: Table) -> None:
    for number, code, said in (
        (signal.SIGINT, 130, "Interrupted; nothing was committed."),
        (signal.SIGTERM, 143, "Terminated; nothing was committed."),
    ):
        found = _waiting(lambda program, number=number: program.send_signal(number))
        assert (found.code, found.out) == (code, ""), said
        assert said in found.err
        assert "Traceback" not in found.err
    # SIGPIPE: whoever reads is gone before the first word.
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        [sys.executable, "-m", "deltaadm", "inspect", small.path],
        stdout=writer, stderr=subprocess.PIPE, env=surroundings({}),
    ) as program:  # fmt: skip
        os.close(writer)
        assert program.communicate(timeout=60)[1] == b""
    assert program.returncode == 141


def _waiting(act: Callable[[subprocess.Popen[str]], None]) -> Result:
    """What is left of a run that waits for a list of tables when *act* is done to it."""
    with subprocess.Popen(
        [sys.executable, "-c", _READY, "validate", "--tables-from", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=surroundings({}),
    ) as program:  # fmt: skip
        assert program.stderr
        assert program.stderr.readline() == "reads\n"
        act(program)
        out, err = program.communicate(timeout=60)
    return Result(program.returncode, out, err)


_READY = """
import sys
class Input:
    def __getattr__(self, name):
        print("reads", file=sys.stderr, flush=True)
        return getattr(sys.__stdin__, name)
sys.stdin = Input()
from deltaadm.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


# Where there is next to nothing around the program

BARE = {
    "nothing in the environment": {},
    "no home": {"HOME": "/nonexistent"},
    "a home that is a file": {"HOME": "/etc/passwd"},
    "plain C": {"LANG": "C", "LC_ALL": "C"},
    "as cron has it": {"HOME": "/", "LOGNAME": "nobody", "PATH": "/usr/bin:/bin",
        "SHELL": "/bin/sh"},
}  # fmt: skip


@pytest.mark.parametrize("surroundings", BARE)
def test_next_to_nothing_around(surroundings: str, tmp_path: Path) -> None:
    table = tables.table(tmp_path / "naïve", commit(protocol(1, 2), metadata()))
    root = Path(__file__).parents[2]

    def run(*words: object) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "deltaadm", *map(str, words)],
            check=False, capture_output=True, stdin=subprocess.DEVNULL, text=True,
            encoding="utf-8", env=BARE[surroundings] | {"PYTHONPATH": str(root)},
            cwd=tmp_path, start_new_session=True,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    assert run("--help").code == 0
    assert run("inspect", table.path).code == 0
    change = ("alter", table.path, "--set", "a=b", "--apply", "--commit-engine", "embedded")
    assert run(*change).code == 7
    assert run(*change, "--yes").code == 0
    assert run("validate", table.path).err == ""
