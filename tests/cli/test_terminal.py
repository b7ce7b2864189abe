"""Questions, colour and interruptions on a real terminal."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support import samples, tables
from tests.support.program import deltaadm, listing
from tests.support.rows import with_rows
from tests.support.tables import Table, commit, metadata, protocol

pytestmark = pytest.mark.slow

QUESTION = "Only 'yes' will be accepted: "
RUN = """
import sys
from deltaadm.runs import sessions
from tests.support.program import LogWriter
sessions.executor = lambda *_, **__: LogWriter()
from deltaadm.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


def terminal(*arguments: object, env: dict[str, str] | None = None, program: str = RUN) -> Any:
    """The program on a terminal of its own; commits go to the log directly."""
    return pexpect.spawn(
        sys.executable, ["-c", program, *map(str, arguments)], encoding="utf-8", timeout=120,
        cwd=str(Path(__file__).parent.parent.parent),
        env={"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **(env or {})},
        dimensions=(40, 100),
    )  # fmt: skip


def ended(program: Any) -> tuple[int, str]:
    """The exit code, and what was said since the last question."""
    program.expect(pexpect.EOF)
    program.close()
    return program.exitstatus, program.before


def test_no_means_no(small: Table) -> None:
    before = listing(small.path)
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    assert "+ a = b" in program.before
    program.sendline("no")
    code, output = ended(program)
    assert code == 7
    assert "Cancelled. Nothing was changed" in " ".join(output.split())
    assert listing(small.path) == before


def test_yes_means_yes(small: Table) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    program.sendline("yes")
    code, output = ended(program)
    assert code == 0
    assert "Version 1 was committed" in output
    assert (small.log / f"{1:020d}.json").exists()


def test_sql_is_escaped_on_a_terminal_and_exact_elsewhere(tmp_path: Path) -> None:
    name = "a\x1b]52;c;eA\x07\u202e\nDROP TABLE x"
    columns = samples.schema(samples.column(name, 1))
    mapped = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
    start = commit(protocol(2, 5), metadata(mapped, schemaString=columns))
    made = tables.table(tmp_path / "t", start)
    command = ("alter", made.path, "--set-comment", f"`{name}`=c", "-o", "sql")
    exact = deltaadm(*command)
    assert (exact.code, exact.err) == (0, "")
    assert f"`{name}`" in exact.out
    code, output = ended(terminal(*command))
    assert code == 0
    assert not {"\x1b", "\x07", "\u202e"} & {*output}
    assert r"`a\x1b]52;c;eA\x07\u202e\nDROP TABLE x`" in output.replace("\r\n", "")
    assert "Control characters are escaped" in output


@pytest.mark.parametrize("answer", ["y", "", "yes please"])
def test_anything_else_is_no(small: Table, answer: str) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    program.sendline(answer)
    assert ended(program)[0] == 7


def test_the_end_of_input_is_no(small: Table) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    program.sendeof()
    assert ended(program)[0] == 7


def test_interrupted_at_the_question(small: Table) -> None:
    before = listing(small.path)
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    program.sendintr()
    code, output = ended(program)
    assert code == 130
    assert "Interrupted; nothing was committed." in output
    assert "Traceback" not in output
    assert listing(small.path) == before


def test_terminated_at_the_question(small: Table) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply")
    program.expect_exact(QUESTION)
    program.kill(signal.SIGTERM)
    code, output = ended(program)
    assert code == 143
    assert "Terminated; nothing was committed." in output


def test_a_backfill_is_asked_for_by_its_name(small: Table) -> None:
    program = terminal("enable-feature", small.path, "rowTracking", "--apply")
    program.expect_exact(QUESTION)
    program.sendline("yes")
    program.expect_exact("Type 'backfill' to continue although this change rewrites file metadata")
    program.sendline("yes")
    assert ended(program)[0] == 7
    assert len(list(small.log.iterdir())) == 1


@pytest.mark.parametrize("form", ["json", "sql"])
def test_the_plan_is_shown_before_the_question_in_any_format(small: Table, form: str) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply", "-o", form)
    program.expect_exact(QUESTION)
    assert "+ a = b" in program.before
    program.sendline("no")
    assert ended(program)[0] == 7


def test_yes_on_the_command_line_is_not_asked_again(small: Table) -> None:
    program = terminal("alter", small.path, "--set", "a=b", "--apply", "--yes")
    code, output = ended(program)
    assert code == 0
    assert QUESTION not in output


def test_input_can_be_ruled_out(small: Table) -> None:
    program = terminal(
        "alter", small.path, "--set", "a=b", "--apply", env={"DELTAADM_NO_INPUT": "1"}
    )
    code, output = ended(program)
    assert code == 7
    assert "Pass --yes" in output


@with_rows
def test_colour(small: Table, option: str, env: dict[str, str], *, coloured: bool) -> None:
    code, output = ended(terminal("alter", small.path, "--set", "a=b", "--color", option, env=env))
    assert code == 0
    assert ("\x1b[32m" in output) is coloured
    assert ("\x1b[" in output) is coloured


def test_no_color_leaves_no_colour(small: Table) -> None:
    env = {"NO_COLOR": "1"}
    _, output = ended(terminal("alter", small.path, "--set", "a=b", env=env))
    assert "\x1b[32m" not in output


def test_a_narrow_terminal_cuts_nothing(tmp_path: Path) -> None:
    made = tables.table(tmp_path, commit(protocol(), metadata({"k": "v" * 300})))
    _, output = ended(terminal("inspect", made.path))
    assert "v" * 300 in output


SLOW_START = """
import sys, time
from deltaadm.runs import sessions
from deltaadm.spark import session
from contextlib import contextmanager
@contextmanager
def start(master, options, phase):
    phase("Starting Spark: starting the JVM")
    time.sleep(60)
    yield
session._own_session = start
session._active_session = lambda: None
session._quiet_loggers = __import__("contextlib").nullcontext
from deltaadm.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


def starting(table: Table, *options: str) -> Any:
    """The program on a terminal, in the middle of the start of Spark, which does not end."""
    wish = ("alter", table.path, "--set", "a=b", "--apply", "--yes")
    return terminal(*wish, *options, program=SLOW_START)


def test_interrupted_while_spark_starts(small: Table) -> None:
    before = listing(small.path)
    program = starting(small)
    program.expect_exact("Starting Spark on local[*] ...")
    program.expect(r"Starting Spark: starting the JVM: \d+ s")
    program.sendintr()
    code, output = ended(program)
    assert code == 130
    assert "Interrupted; nothing was committed." in output
    assert listing(small.path) == before


SLOW_COMMIT = """
import sys, time
from deltaadm.storage.local import LocalStore
create = LocalStore.create
def late(store, path, body):
    if WRITES_FIRST:
        create(store, path, body)
    print("committing", file=sys.stderr, flush=True)
    time.sleep(60)
LocalStore.create = late
from deltaadm.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


@with_rows
def test_interrupted_in_the_middle_of_a_commit(
    small: Table, *, writes_first: bool, committed: str
) -> None:
    wish = ("alter", small.path, "--set", "a=b", "--apply", "--commit-engine", "embedded")
    script = SLOW_COMMIT.replace("WRITES_FIRST", str(writes_first))
    program = terminal(*wish, program=script)
    program.expect_exact(QUESTION)
    program.sendline("yes")
    program.expect_exact("committing")
    program.sendintr()
    code, said = ended(program)
    assert code == 130
    assert f"Interrupted; {committed}" in said
    assert (small.log / f"{1:020d}.json").exists() is writes_first


def test_a_quiet_start_shows_no_progress(small: Table) -> None:
    program = starting(small, "-q")
    program.expect_exact("+ a = b")
    with pytest.raises(pexpect.TIMEOUT):
        program.expect("Starting", timeout=2.5)
    program.sendintr()
    assert ended(program)[0] == 130


def test_a_fleet_has_a_bar(tmp_path: Path) -> None:
    for number in range(3):
        tables.table(tmp_path / f"t{number}", commit(protocol(), metadata()))
    slow = RUN.replace("from deltaadm.cli.program", SLOW_TABLES + "from deltaadm.cli.program")
    program = terminal("inspect", "--all", "--discover", tmp_path, program=slow)
    program.expect(r"Reading: tables, \d+ s, \d+ s left")
    program.expect(r"1/3|2/3")
    code, output = ended(program)
    assert code == 0
    assert output.count("/t2") == 1


SLOW_TABLES = """
import time
from deltaadm.runs.target import Target
load = Target.load
def late(*given, **more):
    time.sleep(1.2)
    return load(*given, **more)
Target.load = late
"""
