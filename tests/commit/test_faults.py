"""Commits to a store on a network that fails: done or undone, and said so, never in between."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import time_ns
from typing import Any

import obstore
import pytest

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.steps import SetProperties
from deltaadm.errors import UnknownWriteError
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from tests.support.faults import (
    FAILED_AFTER,
    OVERLOADED,
    PARTIAL,
    RESET_AFTER,
    RESET_BEFORE,
    SLOW,
    STALE,
    TAKEN,
    TAKEN_AFTER,
    THROTTLED,
    Fault,
    Proxy,
    Request,
    faulty,
)
from tests.support.program import deltaadm
from tests.support.s3 import BUCKET, S3Server, s3_server
from tests.support.tables import add, commit, commit_info, metadata, protocol, table

pytestmark = pytest.mark.slow

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as one:
        yield one


@pytest.fixture
def proxy(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with faulty(server.port) as one:
        for key, value in (server.environment | {"AWS_ENDPOINT_URL": one.endpoint}).items():
            monkeypatch.setenv(key, value)
        yield one


@pytest.fixture
def place(server: S3Server, tmp_path: Path) -> str:
    made = table(tmp_path / "t", commit(protocol(1, 2), metadata()), commit(add("a")))
    return server.upload(made.path, f"faults/{tmp_path.name}-{os.getpid()}")


def log(server: S3Server, place: str) -> list[str]:
    prefix = place.removeprefix(f"s3://{BUCKET}/") + "/_delta_log"
    found = obstore.list(server.bucket, prefix).collect()
    return sorted(file["path"].rpartition("/")[2] for file in found)


def read(server: S3Server, place: str, version: int) -> list[dict[str, Any]]:
    prefix = place.removeprefix(f"s3://{BUCKET}/") + "/_delta_log"
    body = bytes(obstore.get(server.bucket, f"{prefix}/{version:020d}.json").bytes())
    return [json.loads(line) for line in body.splitlines()]


BEFORE = [f"{version:020d}.json" for version in range(2)]
AFTER = [f"{version:020d}.json" for version in range(3)]


def first_commit(fault: Fault) -> Callable[[Request], Fault | None]:
    left = [fault]
    return lambda request: left.pop() if request.is_commit and left else None


@pytest.mark.parametrize("fault", [
    pytest.param(RESET_BEFORE, id="reset before"),
    pytest.param(RESET_AFTER, id="reset after"),
    pytest.param(OVERLOADED, id="503"),
    pytest.param(FAILED_AFTER, id="503 after it was done"),
    pytest.param(THROTTLED, id="429"),
    pytest.param(TAKEN_AFTER, id="412 after it was done"),
    pytest.param(SLOW, id="slow"),
    pytest.param(PARTIAL, id="half an answer"),
])  # fmt: skip
def test_one_fault_does_not_keep_a_commit_from_being_made_once(
    server: S3Server, proxy: Proxy, place: str, fault: Fault
) -> None:
    proxy.faults = first_commit(fault)
    result = deltaadm("alter", place, "--set", "team=web", *EMBEDDED)
    assert result.code == 0, result.err
    assert log(server, place) == AFTER


def test_a_store_that_lies_about_a_version_is_an_error(
    server: S3Server, proxy: Proxy, place: str
) -> None:
    """It says that the version is taken, and has none."""
    proxy.faults = lambda request: TAKEN if request.is_commit else None
    result = deltaadm("alter", place, "--set", "team=web", *EMBEDDED)
    assert result.code == 4
    assert log(server, place) == BEFORE


@pytest.mark.parametrize(
    "fault", [pytest.param(OVERLOADED, id="503"), pytest.param(RESET_BEFORE, id="reset before")]
)
def test_a_store_that_never_takes_it_leaves_the_table_as_it_was(
    server: S3Server, proxy: Proxy, place: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deltaadm.storage.object_store._retry", lambda: {"max_retries": 1})
    proxy.faults = lambda request: fault if request.is_commit else None
    result = deltaadm("alter", place, "--set", "team=web", *EMBEDDED)
    assert result.code == 4
    assert "it is unknown whether the change was committed" in result.err
    assert log(server, place) == BEFORE


def test_what_another_table_came_to_does_not_settle_an_open_write(
    proxy: Proxy, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fleet has one executor."""
    monkeypatch.setattr("deltaadm.storage.object_store._retry", lambda: {"max_retries": 1})
    proxy.faults = lambda request: OVERLOADED if request.is_commit else None
    other = str(table(tmp_path / "other", commit(protocol(1, 2), metadata())).path)
    executor = EmbeddedExecutor(SessionSettings(), lambda: time_ns() // 1_000_000)
    step = SetProperties({"team": "web"})
    with pytest.raises(UnknownWriteError):
        executor.apply(place, step)
    executor.apply(other, step)
    assert executor.may_still_commit(place)
    assert not executor.may_still_commit(other)


def test_a_write_that_is_done_and_never_answered_is_found_out(
    server: S3Server, proxy: Proxy, place: str
) -> None:
    proxy.faults = lambda request: Fault(seconds=15) if request.is_commit else None
    result = deltaadm(
        "alter", place, "--set", "team=web", "--storage-option", "timeout=5s", *EMBEDDED
    )
    assert result.code == 0, result.err
    assert log(server, place) == AFTER


def test_the_outcome_is_unknown_where_the_store_falls_silent(
    server: S3Server, proxy: Proxy, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is written, the answer is lost, and nothing answers from then on."""
    monkeypatch.setattr("deltaadm.storage.object_store._retry", lambda: {"max_retries": 1})
    silent: list[bool] = []

    def faults(request: Request) -> Fault | None:
        if silent:
            return RESET_BEFORE
        if request.is_commit:
            silent.append(True)
            return RESET_AFTER
        return None

    proxy.faults = faults
    result = deltaadm("alter", place, "--set", "team=web", *EMBEDDED)
    assert result.code == 4
    assert "it is unknown whether the change was committed: inspect the table" in result.err
    assert log(server, place) == AFTER


@pytest.mark.parametrize("harmless", [True, False], ids=["an append", "a change of metadata"])
def test_a_listing_that_is_out_of_date_loses_to_others(
    server: S3Server, proxy: Proxy, place: str, harmless: bool
) -> None:
    prefix = place.removeprefix(f"s3://{BUCKET}/")
    assert deltaadm("inspect", place).code == 0  # what the proxy has seen is stale from now on
    actions = [add("b")] if harmless else [metadata({"x": "1"})]
    body = commit(commit_info(), *actions)
    obstore.put(server.bucket, f"{prefix}/_delta_log/{2:020d}.json", body)

    def faults(request: Request) -> Fault | None:
        commits = any(request.is_commit for request in proxy.seen)
        return STALE if "list-type" in request.target and not commits else None

    proxy.faults = faults
    result = deltaadm("alter", place, "--set", "team=web", *EMBEDDED)
    if harmless:
        assert result.code == 0, result.err
        assert log(server, place) == [*AFTER, f"{3:020d}.json"]
        assert read(server, place, 3)[0]["commitInfo"]["readVersion"] == 2
    else:
        assert result.code == 5
        assert "changes the metadata; nothing was committed" in result.err
        assert log(server, place) == AFTER


def test_every_request_may_fail_once(server: S3Server, proxy: Proxy, place: str) -> None:
    """Whichever request of a commit is the one, it is made again."""
    always = ("--set", "delta.checkpointInterval=1")  # each commit is followed by a checkpoint
    assert deltaadm("alter", place, "--set", "n=0", *always, *EMBEDDED).code == 0
    needed = len(proxy.seen)
    for index in range(needed):
        fault = (OVERLOADED, RESET_AFTER, PARTIAL)[index % 3]
        proxy.seen.clear()
        proxy.faults = lambda _, i=index, f=fault: f if len(proxy.seen) == i + 1 else None
        result = deltaadm("alter", place, "--set", f"n={index + 1}", *EMBEDDED)
        assert result.code == 0, (index, fault, result.err)
        assert "Warning" not in result.err, (index, fault)
        commits, checkpoints = (
            [name for name in log(server, place) if name.endswith(end)]
            for end in (".json", ".checkpoint.parquet")
        )
        assert (len(commits), len(checkpoints)) == (4 + index, 2 + index)
