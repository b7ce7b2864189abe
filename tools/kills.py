"""
Commits whose process is killed at a random moment, and what must be true of the log then.

Run as a script, it goes on for as many rounds as it is told: `python -m tools.kills 500`.
With `programs` after that, checkpoints are in the mix, as they are with `s3`.
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

from deltaadm.storage.store import LogStore

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
        time.sleep(chance.uniform(within / 3, within))
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


def kill_programs(
    place: str, environment: Mapping[str, str], rounds: int, seed: int
) -> Counter[str]:
    """
    Likewise anywhere, where every process starts anew, and every other one writes a checkpoint.

    What was published stays, and is right, whatever became of the process.
    """
    from deltaadm.storage.store import open_store
    from tests.support.checkpoints import require_right

    chance = random.Random(seed)  # noqa: S311 -- for moments
    os.environ.update(environment)
    found: Counter[str] = Counter()
    usual = [0.0, 0.0]
    for number in range(rounds):
        store = open_store(place)
        before, published = _versions(store.list_log()), require_right(store)
        pointed = _pointed(store)
        change = ["--checkpoint"] if number % 2 else ["--set", f"n={number}"]
        child = subprocess.Popen(
            [sys.executable, "-m", "deltaadm", "alter", place, *change, *EMBEDDED],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        began = time.monotonic()
        if usual[number % 2]:  # as long as the last one took that was left alone
            time.sleep(chance.uniform(0.4, 1.1) * usual[number % 2])
            child.send_signal(chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
        code = child.wait()
        usual[number % 2] = time.monotonic() - began if code == 0 else usual[number % 2]
        store = open_store(place)
        names = store.list_log()
        after, now = _versions(names), require_right(store)
        assert after == list(range(len(after)))
        assert len(before) <= len(after) <= len(before) + 1
        assert published.items() <= now.items(), "a checkpoint is gone, or another one"
        assert _pointed(store) >= pointed, "the pointer was moved back"
        drafts = [name for name in names if name.startswith(".")]
        assert len(drafts) <= 1
        if after[-1]:
            _require_whole(store.read(f"{after[-1]:020d}.json"))
        what = "a checkpoint" if number % 2 else "a commit"
        changed = now != published if number % 2 else len(after) > len(before)
        ended = "ended" if code == 0 else f"killed {'after' if changed else 'before'}"
        found[f"{ended} {what}"] += 1
        found["left a draft"] += len(drafts)
    done = subprocess.run(
        [sys.executable, "-m", "deltaadm", "alter", place, "--checkpoint", *EMBEDDED], check=False
    )
    assert done.returncode == 0
    store = open_store(place)
    require_right(store)
    assert _pointed(store) == _versions(store.list_log())[-1]
    assert not [name for name in store.list_log() if name.startswith(".")]
    return found


def _pointed(store: LogStore) -> int:
    from deltaadm.errors import FileMissing
    from deltaadm.replay.reconcile import hint_of

    try:
        return int(hint_of(store.read("_last_checkpoint"))["version"])
    except FileMissing:
        return -1


def _table(directory: Path) -> Path:
    from tests.support.tables import commit, metadata, protocol, table

    return table(directory, commit(protocol(1, 2), metadata())).path / "_delta_log"


def _large(directory: Path) -> None:
    """A table whose checkpoints take a while, and which wants one every other commit."""
    from tests.support.tables import add, commit, metadata, protocol, table

    often = metadata({"delta.checkpointInterval": "2"})
    files = (add(f"f{number:060d}", stats='{"numRecords":1}') for number in range(4_000))
    table(directory, commit(protocol(1, 2), often, *files))


def _change(directory: Path, number: int) -> None:
    """In the process that is killed."""
    os._exit(_changed(directory, number))


def _changed(directory: Path, number: int) -> int:
    from deltaadm.cli.program import run

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(["alter", str(directory), "--set", f"n={number}", *EMBEDDED])


def _usual_time(directory: Path) -> float:
    """How long a process takes that is forked once this one has imported everything."""
    assert _changed(directory, -1) == 0
    times = []
    for number in range(3):
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _change(directory, -2 - number)
        assert os.waitpid(child, 0)[1] == 0
        times.append(time.monotonic() - began)
    return 1.3 * max(times)


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
    places = ("local", "s3", "programs")
    parser.add_argument("where", choices=places, default="local", nargs="?")
    parser.add_argument("--seed", type=int, default=time.time_ns())
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="kills-"))
    began = time.monotonic()
    try:
        if given.where == "local":
            found = kill_rounds(directory / "t", given.rounds, given.seed)
        elif given.where == "programs":
            _large(directory / "t")
            found = kill_programs(str(directory / "t"), {}, given.rounds, given.seed)
        else:
            from tests.support.s3 import s3_server

            _large(directory / "t")
            with s3_server() as server:
                place = server.upload(directory / "t", "kills/t")
                found = kill_programs(place, server.environment, given.rounds, given.seed)
    finally:
        shutil.rmtree(directory)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{given.rounds} on {given.where}: {dict(found)}; {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
