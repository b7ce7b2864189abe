"""Work on many tables at once: all answers, in order, whatever becomes of a process."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from pathlib import Path

import pytest

from deltaadm.runs import fleet
from deltaadm.runs.fleet import PARALLEL_THRESHOLD, in_order, patiently
from deltaadm.runs.progress import Progress

MANY = [str(number) for number in range(3 * PARALLEL_THRESHOLD)]
HEAD = "import os, sys, time; from deltaadm.runs.fleet import in_order, PARALLEL_THRESHOLD; "
"""In a process of its own nothing is loaded that keeps it from forking."""


def lost(table: str) -> str:
    return f"lost {table}"


answers = partial(in_order, lost=lost)


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forks are trusted here although tests have loaded much: what they do is harmless."""
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    monkeypatch.setattr(fleet, "can_fork", lambda: True)


def output_of(program: str) -> str:
    command = [sys.executable, "-c", HEAD + program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return done.stdout.strip()


def test_answers_come_in_the_order_of_the_tables() -> None:
    assert list(answers(MANY, lambda item: item, jobs=4)) == MANY


def test_an_iteration_that_is_given_up_may_be_collected_in_another_context() -> None:
    found = answers(MANY, str, progress=Progress("Reading"))
    assert next(found) == MANY[0]
    copy_context().run(found.close)


def test_processes_share_the_work() -> None:
    program = (
        "one = lambda _: time.sleep(0.01) or os.getpid(); "
        "found = in_order(['x'] * PARALLEL_THRESHOLD, one, lost=str, jobs=3); "
        "print(len(set(found) - {os.getpid()}))"
    )
    assert output_of(program) == "3"


def test_threads_share_it_where_processes_cannot_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "can_fork", lambda: False)
    both = threading.Barrier(2, timeout=60)
    assert list(answers(["a", "b"], lambda one: both.wait() >= 0 and one, jobs=2)) == ["a", "b"]


def test_few_tables_start_no_process() -> None:
    assert set(answers(MANY[: PARALLEL_THRESHOLD - 1], lambda _: os.getpid())) == {os.getpid()}


def test_so_many_jobs_as_are_asked_for_start_processes() -> None:
    program = "print(*in_order('ab', lambda _: os.getpid() , lost=str, jobs=2), os.getpid())"
    *workers, parent = output_of(program).split()
    assert parent not in workers


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bug_in_one_answer_is_not_lost(jobs: int) -> None:
    def answer(one: str) -> str:
        if one == "7":
            raise ZeroDivisionError(one)
        return one

    with pytest.raises(ZeroDivisionError):
        list(answers(MANY, answer, jobs=jobs))


@pytest.mark.usefixtures("forks")
def test_a_process_that_is_killed_costs_one_answer() -> None:
    deadly = {"0", "17", "18", MANY[-1]}

    def answer(one: str) -> str:
        if one in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return one

    expected = [lost(case) if case in deadly else case for case in MANY]
    assert list(answers(MANY, answer, jobs=2)) == expected


def test_a_table_that_hangs_costs_its_answer_and_a_slow_one_does_not() -> None:
    never = threading.Event()

    def answer(one: str) -> str:
        end = time.process_time() + 2
        while one == "slow" and time.process_time() < end:
            pass
        if one == "hangs":
            never.wait()
        return one

    found = patiently(["a", "hangs", "slow", "b"], answer, hanging=lost, patience=0.8)
    assert list(found) == ["a", "lost hangs", "slow", "b"]
    never.set()


@pytest.mark.slow
@pytest.mark.usefixtures("forks")
def test_one_slow_table_does_not_let_answers_pile_up(tmp_path: Path) -> None:
    """While the first table takes its time, the others stop at a bound."""
    tables = [str(number) for number in range(20_000)]

    def answer(one: str) -> str:
        if one == "0":
            until(lambda: made() > 0)
            seen = -1
            while seen != (seen := made()):  # until the others do not go on
                time.sleep(0.5)
            (tmp_path / "stopped").write_text(str(seen))
        with (tmp_path / "made").open("a") as file:
            file.write("x")
        return one

    def made() -> int:
        file = tmp_path / "made"
        return file.stat().st_size if file.exists() else 0

    assert list(answers(tables, answer, jobs=2)) == tables
    assert int((tmp_path / "stopped").read_text()) < 1_000


def until(true: Callable[[], bool]) -> None:
    while not true():
        time.sleep(0.01)


@pytest.mark.usefixtures("forks")
def test_giving_up_ends_the_processes() -> None:
    stream = answers(MANY, lambda item: (item, os.getpid()) and str(os.getpid()), jobs=2)
    workers = {int(next(stream)), int(next(stream))}
    stream.close()  # type: ignore[attr-defined] -- it is a generator
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


@pytest.mark.slow
def test_processes_end_with_the_parent(tmp_path: Path) -> None:
    program = HEAD + (
        "one = lambda _: print(os.getpid(), flush=True) or time.sleep(0.2); "
        "list(in_order(['x'] * 999, one, lost=str, jobs=2))"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
        parent.stdout.read()  # comes to an end when the last one that could write has ended
