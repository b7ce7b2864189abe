"""
Commits whose process is killed at a random moment, and what must be true of the log then.

Run as a script, it goes on for as many rounds as it is told: `python -m tests.support.kills 500`.
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


def kill_rounds(directory: Path, rounds: int, seed: int) -> Counter[str]:
    """
    Rounds on a local table: a commit whose process is killed, one that is not.

    How many processes were killed before their commit, after it, while there was a draft, or not
    at all.
    """
    chance = random.Random(seed)  # noqa: S311 -- for moments
    log = _table(directory)
    within = _usual_time(directory)
    found: Counter[str] = Counter()
    for number in range(rounds):
        before = _commits(log)
        child = os.fork()
        if child == 0:
            _change(directory, number)
        time.sleep(chance.uniform(0, within))
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        after = _commits(log)
        drafts = [name for name in _names(log) if name.startswith(".")]
        assert after[: len(before)] == before
        assert len(after) <= len(before) + 1
        assert len(drafts) <= 1
        found["ended"] += not os.WIFSIGNALED(status)
        found["killed after the commit"] += os.WIFSIGNALED(status) and len(after) > len(before)
        found["killed before it"] += os.WIFSIGNALED(status) and len(after) == len(before)
        found["left a draft"] += len(drafts)
        if drafts:
            _require_next(directory, log)
    _require_next(directory, log)
    return found


def kill_rounds_remote(
    place: str, environment: Mapping[str, str], rounds: int, seed: int
) -> Counter[str]:
    """Likewise on a table in an object store, where every process starts anew."""
    from deltaadm.storage.store import open_store

    chance = random.Random(seed)  # noqa: S311 -- for moments
    os.environ.update(environment)
    found: Counter[str] = Counter()
    for number in range(rounds):
        before = _versions(open_store(place).list_log())
        arguments = ["alter", place, "--set", f"n={number}", *EMBEDDED]
        child = subprocess.Popen(
            [sys.executable, "-m", "deltaadm", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.15, 0.9))
        child.kill()
        code = child.wait()
        store = open_store(place)
        after = _versions(store.list_log())
        assert after == list(range(len(after)))
        assert len(before) <= len(after) <= len(before) + 1
        if after[-1]:
            _require_whole(store.read(f"{after[-1]:020d}.json"))
        found["ended"] += code == 0
        found["killed after the commit"] += code < 0 and len(after) > len(before)
        found["killed before it"] += code < 0 and len(after) == len(before)
    return found


def _table(directory: Path) -> Path:
    from tests.support.tables import commit, metadata, protocol, table

    return table(directory, commit(protocol(1, 2), metadata())).path / "_delta_log"


def _change(directory: Path, number: int) -> None:
    """In the process that is killed."""
    os._exit(_changed(directory, number))


def _changed(directory: Path, number: int) -> int:
    from deltaadm.cli.program import run

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(["alter", str(directory), "--set", f"n={number}", *EMBEDDED])


def _usual_time(directory: Path) -> float:
    """How long a process takes that has imported everything, as those do that are forked."""
    for number in range(2):
        began = time.monotonic()
        assert _changed(directory, -1 - number) == 0
    return 2 * (time.monotonic() - began)  # processes that are forked take longer


def _names(log: Path) -> list[str]:
    return [file.name for file in log.iterdir()]


def _commits(log: Path) -> list[bytes]:
    """The bodies of all commits, each whole, without a hole."""
    names = sorted(name for name in _names(log) if re.fullmatch(r"\d{20}\.json", name))
    assert [int(name[:20]) for name in names] == list(range(len(names)))
    bodies = [(log / name).read_bytes() for name in names]
    for body in bodies[1:]:
        _require_whole(body)
    return bodies


def _require_whole(body: bytes) -> None:
    actions = [json.loads(line) for line in body.splitlines()]
    assert body.endswith(b"\n")
    assert [next(iter(action)) for action in actions[:2]] == ["commitInfo", "metaData"]


def _require_next(directory: Path, log: Path) -> None:
    """The next commit succeeds, and takes away what a dead process has left."""
    before = len(_commits(log))
    child = os.fork()
    if child == 0:
        _change(directory, -before)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert len(_commits(log)) == before + 1
    assert not [name for name in _names(log) if name.startswith(".")]


def _versions(names: object) -> list[int]:
    return sorted(int(name[:20]) for name in names if re.fullmatch(r"\d{20}\.json", name))  # type: ignore[attr-defined]


def main() -> None:
    """Play rounds, and say what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int)
    parser.add_argument("where", choices=("local", "s3"), default="local", nargs="?")
    parser.add_argument("--seed", type=int, default=time.time_ns())
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="kills-"))
    began = time.monotonic()
    try:
        if given.where == "local":
            found = kill_rounds(directory / "t", given.rounds, given.seed)
        else:
            from tests.support.s3 import s3_server

            _table(directory / "t")
            with s3_server() as server:
                place = server.upload(directory / "t", "kills/t")
                found = kill_rounds_remote(place, server.environment, given.rounds, given.seed)
    finally:
        shutil.rmtree(directory)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{given.rounds} on {given.where}: {dict(found)}; {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
