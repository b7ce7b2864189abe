"""Many tables at once: the same answers as one by one, in the order of the tables."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deltaadm.cli.fleet import WORTHWHILE, in_order
from tests.support.program import deltaadm
from tests.support.tables import START_BODY, table


def test_answers_come_in_the_order_of_the_tables() -> None:
    tables = [str(number) for number in range(3 * WORTHWHILE)]
    assert list(in_order(tables, lambda one: (one, os.getpid()) and one)) == tables


def test_processes_share_the_work() -> None:
    if len(os.sched_getaffinity(0)) == 1:
        pytest.skip("there is one processor only")
    probe = (
        "import os; from deltaadm.cli.fleet import WORTHWHILE, in_order; "
        "print(len(set(in_order(['x'] * 4 * WORTHWHILE, lambda _: os.getpid()))))"
    )
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 1


def test_few_tables_start_no_process() -> None:
    tables = [str(number) for number in range(WORTHWHILE - 1)]
    assert set(in_order(tables, lambda _: os.getpid())) == {os.getpid()}


def test_a_bug_in_one_answer_is_not_lost() -> None:
    def answer(one: str) -> str:
        if one == "7":
            raise ZeroDivisionError(one)
        return one

    with pytest.raises(ZeroDivisionError):
        list(in_order([str(number) for number in range(WORTHWHILE)], answer))


def test_one_table_that_fails_stays_its_own_line(tmp_path: Path) -> None:
    good = table(tmp_path / "good", START_BODY).path
    places = [str(good)] * WORTHWHILE
    places[5] = str(tmp_path / "nowhere")
    done = deltaadm("inspect", "-o", "jsonl", *places)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["table"] for line in lines] == places
    assert [index for index, line in enumerate(lines) if "error" in line] == [5]
    assert done.code == 9
