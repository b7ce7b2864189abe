"""`drop-feature` as scripts and cron meet it."""

import os
import time
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.tables import Table, commit, metadata, protocol

DAY = 24 * 3600
NAMES = ["deletionVectors"]


@pytest.fixture
def vectors(tmp_path: Path) -> Table:
    on = metadata({"delta.enableDeletionVectors": "true"})
    return tables.table(tmp_path / "t", commit(protocol(3, 7, NAMES, NAMES), on))


def a_day_later(table: Table) -> None:
    then = time.time() - DAY - 120
    for path in table.log.iterdir():
        os.utime(path, (then, then))


AGREED = ["--apply", "--yes", "--accept-irreversible", "deletionVectors"]


def test_two_runs_a_day_apart(vectors: Table, writer: LogWriter) -> None:
    command = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history", *AGREED]
    first = deltaadm(*command)
    assert first.code == 8
    assert "run the same command again from 20" in first.err
    with untouched(vectors.path):
        again = deltaadm(*command)
        status = deltaadm("drop-feature", vectors.path, "deletionVectors", "--status")
    assert again.code == status.code == 8
    assert "ready at 20" in again.err
    assert "ready at 20" in status.out
    a_day_later(vectors)
    assert deltaadm("drop-feature", vectors.path, "deletionVectors", "--status").code == 0
    last = deltaadm(*command)
    assert last.code == 0
    assert "as planned" in last.out
    after = deltaadm(*command)
    assert after.code == 0
    assert "nothing to drop" in after.out
    assert len(writer.steps) == 2


def test_the_clock_says_whether_history_has_expired(
    vectors: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors.commit(1, metadata({}))
    policy = 'policy.forbidden-features=["deletionVectors", "checkpointProtection"]'
    for then in ("1", "4000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", then)
        planned = deltaadm("validate", vectors.path, "--fix", "--config", policy)
        assert "older versions need it; ready at 20" in planned.out
    a_day_later(vectors)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert (
        "- deletionVectors" in deltaadm("validate", vectors.path, "--fix", "--config", policy).out
    )


def test_the_way_down(vectors: Table, writer: LogWriter) -> None:
    assert (
        deltaadm(
            "alter", vectors.path, "--unset", "delta.enableDeletionVectors", "--apply", "-y"
        ).code
        == 0
    )
    waiting = deltaadm("upgrade-protocol", vectors.path, "--minimum")
    assert waiting.code == 8
    a_day_later(vectors)
    result = deltaadm("upgrade-protocol", vectors.path, "--minimum", *AGREED)
    assert result.code == 0
    after = deltaadm("inspect", vectors.path, "-o", "json").document["protocol"]
    assert after == {"minReaderVersion": 1, "minWriterVersion": 1}
    assert len(writer.steps) == 2


def test_a_saved_plan_knows_of_the_vectors_in_files(vectors: Table, tmp_path: Path) -> None:
    vectors.commit(1, metadata({"delta.enableDeletionVectors": "false"}))
    vectors.commit(2, tables.add("a", deletionVector=tables.deletion_vector("v")))
    a_day_later(vectors)
    plan = tmp_path / "plan.json"
    command = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history"]
    assert deltaadm(*command, "--out", plan).code == 0
    left = deltaadm("apply", plan, "--check")
    assert (left.code, "the first of two runs" in left.out) == (1, True)
