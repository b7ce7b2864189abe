"""What people expect of a command line who know others: a row for each convention."""

import json
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
from tests.support.program import Result, deltaadm, listing, process, surroundings
from tests.support.tables import Table, commit, metadata, protocol

CONVENTIONS: dict[str, Callable[[Table, Path], None]] = {}


def convention(row: Callable[[Table, Path], None]) -> Callable[[Table, Path], None]:
    CONVENTIONS[row.__name__] = row
    return row


@convention
def a_plan_is_shown_saved_checked_and_applied_only_if_nothing_moved(
    small: Table, tmp_path: Path
) -> None:
    before = listing(small.path)
    change = ("alter", small.path, "--set", "a=b")
    assert deltaadm(*change).code == 0
    assert deltaadm(*change, "--check").code == 1
    assert deltaadm(*change, "--out", tmp_path / "plan").code == 0
    assert listing(small.path) == before
    small.commit(1, metadata({"a": "c"}))
    stale = deltaadm("apply", tmp_path / "plan", "--yes", "--commit-engine", "embedded")
    assert stale.code == 5


@convention
def nothing_is_asked_without_a_terminal(small: Table, _: Path) -> None:
    words = ("alter", small.path, "--set", "a=b", "--apply", "--commit-engine", "embedded")
    asked = deltaadm(*words)
    assert asked.code == 7
    assert "Pass --yes" in asked.err
    assert deltaadm(*words, "--no-input").code == 7
    assert deltaadm(*words, "--yes").code == 0


@convention
def answers_and_talk_go_apart(small: Table, _: Path) -> None:
    found = deltaadm("inspect", small.path, "-v", "-o", "json")
    assert found.document["table"] == str(small.path)
    assert "Read version 0" in found.err


@convention
def formats_are_named(small: Table, _: Path) -> None:
    for form in ("text", "json", "jsonl", "yaml", "sarif", "junit", "github", "gitlab",
                 "markdown", "html", "name"):  # fmt: skip
        assert deltaadm("validate", small.path, "-o", form).code == 0, form
    assert "SET TBLPROPERTIES" in deltaadm("alter", small.path, "--set", "a=b", "-o", "sql").out


@convention
def fields_are_chosen(small: Table, _: Path) -> None:
    assert deltaadm("inspect", small.path, "--json", "version").document == {"version": 0}
    assert deltaadm("inspect", small.path, "--query", "version").document == 0


@convention
def documents_have_versions_and_schemas(small: Table, _: Path) -> None:
    found = deltaadm("inspect", small.path, "-o", "json").document
    assert found["format_version"]
    assert found["tool_version"]
    assert deltaadm("schema", "inspect").document["$schema"]


@convention
def rules_have_codes_that_are_explained(small: Table, _: Path) -> None:
    assert "DL101" in deltaadm("explain", "DL101").out
    assert "DL101" in deltaadm("explain", "gap-in-commits").out
    assert deltaadm("explain", "deletionVectors").code == 0
    chosen = deltaadm("validate", small.path, "--select", "DL8", "--ignore", "DL810", "-o", "json")
    assert chosen.document["findings"] == []
    assert deltaadm("validate", small.path, "--statistics").code == 0


@convention
def settings_say_where_they_come_from(small: Table, tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text("jobs = 3")
    text = process("config", "show", "--origin", cwd=tmp_path).out
    assert re.search(r"jobs +3 +project file", text)
    wrong = process("inspect", small.path, "--config", "job=3", cwd=tmp_path)
    assert wrong.code == 2
    assert "Did you mean jobs?" in wrong.err


@convention
def options_of_all_commands_have_variables(small: Table, tmp_path: Path) -> None:
    found = process("inspect", small.path, env={"DELTAADM_OUTPUT": "name"}, cwd=tmp_path)
    assert found.out == f"{small.path}\n"
    for topic in ("environment", "exit-codes", "formats", "storage"):
        assert deltaadm("help", topic).code == 0


@convention
def colours_can_be_had_and_turned_off(small: Table, _: Path) -> None:
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


@convention
def verdicts_are_coloured_words(small: Table, tmp_path: Path) -> None:
    found = deltaadm("inspect", small.path, "--color", "always").out
    assert "\x1b[32mread, write\x1b[0m" in found
    assert "\x1b[33mno source\x1b[0m" in found
    mapped = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    tables.table(tmp_path / "mapped", commit(protocol(2, 5), metadata(mapped)))
    found = deltaadm("inspect", tmp_path / "mapped", "--color", "always").out
    assert "\x1b[1;31mwrong data\x1b[0m" in found
    assert "\x1b[31mcannot read\x1b[0m" in found


@convention
def lines_are_not_cut_without_a_terminal(_: Table, tmp_path: Path) -> None:
    name = "a" * 150
    table = tables.table(tmp_path / name, tables.START_BODY)
    assert str(table.path) in deltaadm("inspect", table.path).out.splitlines()[0]


@convention
def text_is_as_wide_as_the_terminal(_: Table, tmp_path: Path) -> None:
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


@convention
def no_pager_is_started(small: Table, tmp_path: Path) -> None:
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


@convention
def nothing_is_told_to_anybody(small: Table, tmp_path: Path) -> None:
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


@convention
def signals_end_a_run_with_a_word_about_commits(small: Table, _: Path) -> None:
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


@convention
def less_and_more_is_said_as_asked(small: Table, tmp_path: Path) -> None:
    assert deltaadm("validate", small.path, "--select", "DL1", "-qq") == Result(0, "", "")
    log = tmp_path / "log"
    found = deltaadm("inspect", small.path, "-vv", "--log-format", "json", "--log-file", log)
    assert json.loads(found.err.splitlines()[0])["level"] == "debug"
    assert json.loads(log.read_text().splitlines()[0])["message"]


@convention
def an_error_is_a_sentence_with_a_hint(_: Table, tmp_path: Path) -> None:
    found = deltaadm("inspect", tmp_path / "nothing")
    assert re.fullmatch(r"error: .*\.\n  .*\.\n", found.err)
    assert "Did you mean inspect?" in deltaadm("inspct", "x").err


@convention
def help_begins_with_examples_under_headings(_: Table, __: Path) -> None:
    text = deltaadm("validate", "--help").out
    assert text.index("Examples:") < text.index("Arguments:") < text.index("Consent:")
    short = deltaadm()
    assert short.code == 0
    assert len(short.out.splitlines()) < 25


@convention
def shells_ask_the_program_what_comes_next(_: Table, __: Path) -> None:
    for shell in ("bash", "zsh", "fish", "powershell"):
        assert "__complete" in deltaadm("completion", shell).out
    assert "deletionVectors" in deltaadm("__complete", "enable-feature", "table", "del").out
    assert "--for-client" in deltaadm("__complete", "enable-feature", "--for").out


@convention
def a_run_has_a_deadline(small: Table, _: Path) -> None:
    assert deltaadm("inspect", small.path, "--timeout", "1m30s").code == 0
    assert deltaadm("inspect", small.path, "--timeout", "2 min").code == 0
    assert deltaadm("inspect", small.path, "--timeout", "soon").code == 2
    wrong = deltaadm("inspect", small.path, "--timeout", "5minuets")
    assert (wrong.code, "Did you mean minutes?" in wrong.err) == (2, True)


@convention
def durations_are_written_as_people_do(small: Table, _: Path) -> None:
    found = deltaadm("alter", small.path, "--set", "delta.logRetentionDuration=7d", "-o", "sql")
    assert "interval 7 days" in found.out
    wrong = deltaadm("alter", small.path, "--set", "delta.logRetentionDuration=7dasy")
    assert wrong.code == 7
    assert "Did you mean days?" in wrong.err


@convention
def sizes_are_written_as_people_do(small: Table, _: Path) -> None:
    any_key = "spark.databricks.delta.allowArbitraryProperties.enabled=true"

    def asked(size: str) -> Result:
        change = ("--set", f"delta.targetFileSize={size}", "-o", "sql")
        return deltaadm("alter", small.path, *change, "--spark-conf", any_key)

    for size, spark in (("256mb", "256mb"), ("1 GiB", "1g"), ("1.5g", "1536m"), ("12345", "12345")):
        assert f"('delta.targetFileSize' = '{spark}')" in asked(size).out
    assert asked("1 gbi").code == 7
    assert "Did you mean GiB?" in asked("1 gbi").err


@convention
def answers_are_the_same_every_time(small: Table, _: Path) -> None:
    words = ("validate", small.path, "-o", "json")
    assert deltaadm(*words).out == deltaadm(*words).out


@convention
def the_time_of_an_answer_can_be_fixed(small: Table, tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text(
        '[[tables]]\npattern = "*"\nignore = [{ code = "DL127", until = "2024-06-30" }]\n'
    )

    def codes(day: str | None) -> set[str]:
        env = {} if day is None else {"SOURCE_DATE_EPOCH": day}
        words = ("validate", small.path, "--select", "DL127", "-o", "json")
        found = process(*words, cwd=tmp_path, env=env).document
        return {each["code"] for each in found["findings"]}

    assert codes("1719600000") == set()  # 28 June 2024
    assert codes("1719900000") == codes(None) != set()
    wrong = process("validate", small.path, env={"SOURCE_DATE_EPOCH": "yesterday"})
    assert wrong.code == 2
    assert "date +%s" in wrong.err


@convention
def secrets_are_not_taken_from_the_command_line(small: Table, _: Path) -> None:
    found = deltaadm("inspect", small.path, "--storage-option", "aws_secret_access_key=abc")
    assert found.code == 7
    assert "abc" not in found.err + found.out


@convention
def lists_and_plans_come_from_standard_input(small: Table, tmp_path: Path) -> None:
    listed = process("inspect", "--tables-from", "-", "-o", "name", input=f"{small.path}\n",
                     stdin=None)  # fmt: skip
    assert listed.out == f"{small.path}\n"
    deltaadm("alter", small.path, "--set", "a=b", "--out", tmp_path / "plan")
    plan = (tmp_path / "plan").read_text()
    shown = process("show", "-", input=plan, stdin=None)
    assert shown.code == 0
    done = process("apply", "-", "--yes", "--commit-engine", "embedded", input=plan, stdin=None)
    assert done.code == 0


@convention
def tables_are_named_in_the_ways_that_people_know(small: Table, tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text(f'[aliases]\nsmall = "{small.path}"')
    for name in (small.path, f"file://{small.path}", f"delta.`{small.path}`", "@small"):
        done = process("inspect", name, "--config", "deltaadm.toml", cwd=tmp_path)
        assert done.code == 0, name


@pytest.mark.parametrize("name", CONVENTIONS)
def test_convention(name: str, small: Table, tmp_path: Path) -> None:
    CONVENTIONS[name](small, tmp_path)


# Where there is next to nothing around the program

BARE = {
    "nothing in the environment": {},
    "no home": {"HOME": "/nonexistent"},
    "a home that is a file": {"HOME": "/etc/passwd"},
    "plain C": {"LANG": "C", "LC_ALL": "C"},
    "as cron has it": {"HOME": "/", "LOGNAME": "nobody", "PATH": "/usr/bin:/bin",
        "SHELL": "/bin/sh"},
}  # fmt: skip


@pytest.mark.slow
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
