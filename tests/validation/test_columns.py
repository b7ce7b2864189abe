"""What rules find by column, also in parts, is what they find file by file."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.paths import ABSOLUTE, PLAIN_CHARACTERS, PLAIN_PATH, is_absolute, path_flaw
from deltaadm.replay.examine import Depth
from tests.support import oracle
from tests.support.damaged_commits import write_damaged_commits
from tests.support.damaged_files import write_damaged
from tests.support.damaged_numbers import write_damaged_numbers
from tests.support.row_by_row import all_reports
from tests.support.rule_cases import report
from tests.support.tables import Table, add, commit_info, metadata, protocol

pytestmark = pytest.mark.slow

SEEDS = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(12), id="some"),
        *(
            pytest.param(range(first, first + 500), marks=pytest.mark.matrix, id=f"from {first}")
            for first in range(0, 10_000, 500)
        ),
    ],
)


@SEEDS
@pytest.mark.parametrize("write", [write_damaged, write_damaged_numbers, write_damaged_commits])
def test_damaged_tables(tmp_path: Path, write: Callable[[Path, int], None], seeds: range) -> None:
    for seed in seeds:
        write(tmp_path / str(seed), seed)
        _agree(tmp_path / str(seed), Depth(history=seed % 2 == 0), f"seed {seed}")


@SEEDS
def test_damaged_bytes(tmp_path: Path, seeds: range) -> None:
    for seed in seeds:
        draw = random.Random(seed)  # noqa: S311 -- damage is no secret
        write_damaged(tmp_path / str(seed), seed)
        for checkpoint in sorted(tmp_path.glob(f"{seed}/_delta_log/**/*.parquet")):
            body = bytearray(checkpoint.read_bytes())
            body[draw.randrange(len(body))] = draw.randrange(256)
            checkpoint.write_bytes(body)
        _agree(tmp_path / str(seed), Depth(), f"seed {seed}")


@pytest.mark.parametrize("inner", ["{}", '{"c":{}}'])
def test_statistics_without_columns(tmp_path: Path, inner: str) -> None:
    stats = f'{{"numRecords":@,"minValues":{inner},"maxValues":{inner},"nullCount":{inner}}}'
    files = [add(f"{n}.parquet", stats=stats.replace("@", str(n))) for n in range(100)]
    made = Table(tmp_path)
    made.commit(0, commit_info(), protocol(), metadata(), *files)
    made.commit(1, commit_info())
    made.checkpoint(1, [protocol(), metadata(), *files], 1_000)
    assert not [each for each in report(tmp_path).findings if each.code != "DL107"]
    _agree(tmp_path, Depth(), inner)


@pytest.mark.parametrize("name", oracle.table_names())
def test_recorded_tables(tmp_path: Path, name: str) -> None:
    _agree(oracle.table(name, tmp_path).path, Depth(history=True, deep=True), name)


def test_recorded_logs(tmp_path: Path) -> None:
    for kind in ("replay", "odd-logs"):
        for number, case in enumerate(oracle.cases(kind)):
            made = oracle.write_log(case["start"]["files"], tmp_path / kind / str(number))
            _agree(made, Depth(), f"{kind} {number}")


def test_corpus() -> None:
    for recorded in oracle.corpus():
        _agree(recorded.path, Depth(), recorded.name)


@given(st.text(PLAIN_CHARACTERS), st.from_regex(PLAIN_PATH, fullmatch=True))
def test_a_plain_path_has_no_flaw(start: str, rest: str) -> None:
    path = start + rest
    assert len(path) < 2 or not path_flaw(path)
    assert path.startswith("/") or not is_absolute(path)


@given(st.text() | st.from_regex(ABSOLUTE))
def test_how_an_absolute_path_begins(path: str) -> None:
    assert is_absolute(path) == bool(re.match(ABSOLUTE, path))


def _agree(path: Path, depth: Depth, name: str) -> None:
    slow, *others = all_reports(path, depth)
    for fast in others:
        assert fast.findings == slow.findings, name
        assert fast.more == slow.more, name
        assert fast.stopped == slow.stopped, name
