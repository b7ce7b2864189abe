"""
What an interrupted run says was committed, wherever the interrupt comes, is true.

`DELTAADM_INTERRUPTS=1` lets it come before every line that has to do with commits, rather than
before some of them.
"""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import deltaadm
from deltaadm.cli.program import run
from tests.support import tables
from tests.support.program import LogWriter, Result
from tests.support.program import deltaadm as uninterrupted
from tests.support.tables import commit, metadata, protocol

pytestmark = [
    pytest.mark.slow,
    # An interrupt in the line before a file is closed leaves that to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STEP = int(os.environ.get("DELTAADM_INTERRUPTS", "29"))
PLACES = (
    "runs/many_plans.py", "runs/plan_run.py", "runs/sessions.py", "runs/context.py",
    "plans/carry_out.py", "replay/load.py",
)  # fmt: skip


@dataclass
class Server(LogWriter):
    """An executor that may go on after an interrupt."""

    def may_still_commit(self, _root: str) -> bool:
        return True


def interrupted(line: int, *arguments: object) -> Result | None:
    """Run with an interrupt before a line of `PLACES`; None where it ends before that line."""
    package = Path(deltaadm.__file__).parent
    files = {str((package / place).resolve(strict=True)) for place in PLACES}
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        nonlocal left
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    out, err = io.StringIO(), io.StringIO()
    before = sys.gettrace()
    with redirect_stdout(out), redirect_stderr(err):
        sys.settrace(trace)
        try:
            code = run([str(argument) for argument in arguments])
        finally:
            sys.settrace(before)
    return Result(code, out.getvalue(), err.getvalue()) if left <= 0 else None


def versions(table: Path) -> list[int]:
    return sorted(int(path.stem) for path in table.glob("_delta_log/*.json") if int(path.stem))


def words_for(made: list[int], steps: int, *, unknown: bool) -> list[str]:
    """What may be said of a plan of so many steps of which these versions were *made*."""
    if len(made) == steps:
        end = ", which completes the plan"
    else:
        left = steps - len(made)
        end = f"; {left} of {steps} steps {'was' if left == 1 else 'were'} not completed"
    listed = ", ".join(map(str, made))
    known = (
        f"version{'s'[: len(made) > 1]} {listed} {'was' if len(made) == 1 else 'were'} committed"
    )
    doubt = (
        f"it is unknown whether step {len(made) + 1} of {steps} was committed: inspect the table"
    )
    if not made:
        return ["nothing was committed", *([doubt] if unknown else [])]
    return [known + end, f"committed: {listed}", *([f"{known}; {doubt}"] if unknown else [])]


@pytest.mark.parametrize("kind", [LogWriter, Server])
def test_an_interrupt_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[LogWriter]
) -> None:
    counts = set()
    for line in count(1, STEP):
        made = tables.table(tmp_path / str(line), commit(protocol(), metadata({"c": "1"}))).path
        monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: kind())
        wish = ("alter", made, "--set", "a=b", "--unset", "c", "--apply", "--yes")
        result = interrupted(line, *wish)
        if result is None:
            assert versions(made) == [1, 2]
            break
        words = words_for(versions(made), 2, unknown=kind is Server)
        assert result.code == 130, result
        assert result.err.endswith(tuple(f"\nInterrupted; {word}.\n" for word in words)), result
        counts.add(len(versions(made)))
    assert counts == {0, 1, 2}


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interrupt_anywhere_among_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """What is said to be carried out is, and of others that have commits these are named."""
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    for line in count(1, STEP):
        lake, plans = tmp_path / str(line), tmp_path / f"{line}.jsonl"
        places = [lake / name for name in "abc"]
        for place in places:
            tables.table(place, commit(protocol(), metadata({"c": "1"})))
        wish = ("alter", "--discover", lake, "--set", "a=b", "--unset", "c", "--out", plans)
        assert uninterrupted(*wish).code == 0
        result = interrupted(line, "apply", plans, "--yes", "--jobs", jobs)
        if result is None:
            break
        assert result.code == 130, result
        begun = [place for place in places if versions(place)]
        if "nothing was committed" in result.err:
            assert not begun, result
            continue
        found = re.search(r"Interrupted; (\d) of 3 plans were applied", result.err)
        assert found, result
        named = [place for place in places if f"{place}: " in result.err]
        assert int(found[1]) + len(set(named) & set(begun)) == len(begun), result
        for table in named:
            words = words_for(versions(table), 2, unknown=False)
            assert any(f"{table}: {each}" in result.err for each in words), result


def test_an_interrupt_before_it_can_be_reported() -> None:
    module = "deltaadm.cli.program"  # whose import is interrupted
    code = (
        "import sys, types, deltaadm.__main__\n"
        f"sys.modules[{module!r}] = started = types.ModuleType({module!r})\n"
        "started.__getattr__ = lambda name: (_ for _ in ()).throw(KeyboardInterrupt)\n"
        "deltaadm.__main__.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")
