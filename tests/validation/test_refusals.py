"""Whatever cannot be loaded has an error that names the cause."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.errors import TableError
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.rules.rule import Severity
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.cases import each
from tests.support.rule_cases import report
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, remove

pytestmark = pytest.mark.slow

BROKEN_CHECKPOINT: Final = {"DL608", "DL612"}
BROKEN_FILE: Final = BROKEN_CHECKPOINT | {"DL103", "DL104", "DL118"}

CAUSES: Final[dict[str | None, set[str]]] = {
    "DELTA_MISSING_DELTA_TABLE": {"DL102"},
    "DELTA_TRUNCATED_TRANSACTION_LOG": {"DL101", "DL102"},
    "DELTA_MISSING_PART_FILES": {"DL101", "DL102"},
    "DELTA_VERSIONS_NOT_CONTIGUOUS": {"DL101"},
    "DELTA_STATE_RECOVER_ERROR": BROKEN_FILE | {"DL113", "DL605"},
    "FAILED_READ_FILE.NO_HINT": BROKEN_FILE,
    None: {"DL106"},
}
"""By the error class of a refusal, the rules of which one must speak."""


def check(path: Path) -> None:
    """If the table cannot be loaded, the rules say why, and so do they on closer inspection."""
    try:
        load_snapshot(open_store(str(path)), detail=Detail.STATE)
    except TableError as error:
        wanted = CAUSES[error.delta_error_class]
    else:
        wanted = None
    for depth in ("default", "deep"):
        found = report(path, depth).findings
        errors = {finding.code for finding in found if finding.severity is Severity.ERROR}
        assert wanted is None or errors & wanted


@each("case", [(case["id"], case) for case in oracle.cases("odd-logs")])
def test_odd_logs(case: oracle.Case, tmp_path: Path) -> None:
    check(oracle.write_log(case["start"]["files"], tmp_path))


def test_corpus() -> None:
    for recorded in oracle.corpus():
        if (recorded.path / "_delta_log").is_dir():
            check(recorded.path)


BODIES: Final[list[bytes]] = [
    b"", b"\n \n", b'{"add":{"path":"x"', b'{"add":{"path":"x"}}\n{"add":{"path":"y"}',
    b"\x00\x01\x02", b'{"add":{"path":"\xff"}}\n', b"[5]\n", b"5\n", b"null\n", b"[]\n", b"{}\n",
    b"NaN\n", b'{"add":5}\n', b'[{"txn":{"appId":"a","version":1}}]\n',
    b'{"add":{"path":"x","size":"1"}}\n', b'{"remove":{"path":"x","deletionVector":[]}}\n',
    b'{"txn":{"appId":"x","version":1.5}}\n',
    b'{"protocol":{"minReaderVersion":2147483648,"minWriterVersion":2}}\n',
    b'{"metaData":{"id":"x","configuration":[]}}\n', b'{"metaData":{"id":null}}\n',
    b'{"commitInfo":[]}\n', b'{"commitInfo":{}}\r{"add":{}}\r\n', b"[" * 2000 + b"]" * 2000 + b"\n",
    commit(commit_info(), remove("a")),
]  # fmt: skip
"""What a commit may hold, most of which no writer would write."""


@pytest.mark.parametrize("version", [0, 1, 2])
@each("body", [(repr(body)[:60], body) for body in BODIES])
def test_commits(tmp_path: Path, body: bytes, version: int) -> None:
    good = [commit(commit_info(), protocol(), metadata()), *[commit(commit_info(), add("a"))] * 2]
    made = Table(tmp_path)
    for number, earlier in enumerate(good):
        made.write(f"{number:020d}.json", body if number == version else earlier)
    check(tmp_path)


STATE = [protocol(), metadata(), add("a")]

Make = Callable[[Table, int], object]


def _garbage(made: Table, version: int) -> None:
    made.write(f"{version:020d}.checkpoint.parquet", b"PAR1garbage")


def _empty(made: Table, version: int) -> None:
    made.write(f"{version:020d}.checkpoint.parquet", b"")


def _incomplete(made: Table, version: int) -> None:
    made.multipart(version, STATE)[0].unlink()


def _without_sidecar(made: Table, version: int) -> None:
    made.v2_checkpoint(version, STATE)
    for path in (made.log / "_sidecars").iterdir():
        path.unlink()


CHECKPOINTS: Final[list[Make]] = [
    _garbage,
    _empty,
    _incomplete,
    _without_sidecar,
    lambda made, version: made.checkpoint(version, STATE),
    lambda made, version: made.checkpoint(version, STATE[1:]),
    lambda made, version: made.checkpoint(version, STATE[:1]),
    lambda made, version: made.v2_checkpoint(version, STATE, "parquet"),
]


@settings(max_examples=60)
@given(
    present=st.sets(st.integers(0, 4)),
    bodies=st.dictionaries(st.integers(0, 4), st.sampled_from(BODIES), max_size=2),
    checkpoints=st.dictionaries(st.integers(0, 4), st.sampled_from(CHECKPOINTS), max_size=2),
    pointer=st.sampled_from([None, "", "[]", *(json.dumps({"version": n}) for n in range(5))]),
    compacted=st.none() | st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(BODIES)),
)
def test_logs_with_holes_and_damage(
    tmp_path_factory: pytest.TempPathFactory,
    present: set[int],
    bodies: dict[int, bytes],
    checkpoints: dict[int, Make],
    pointer: str | None,
    compacted: tuple[int, int, bytes] | None,
) -> None:
    made = Table(tmp_path_factory.mktemp("table"))
    for version in present:
        first = [protocol(), metadata()] if version == 0 else []
        right = commit(commit_info(), *first, add(f"f{version}"))
        made.write(f"{version:020d}.json", bodies.get(version, right))
    for version, write in checkpoints.items():
        write(made, version)
    if pointer is not None:
        made.write("_last_checkpoint", pointer)
    if compacted is not None:
        made.write(f"{compacted[0]:020d}.{compacted[1]:020d}.compacted.json", compacted[2])
    check(made.path)
