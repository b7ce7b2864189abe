"""
Many processes that commit to one table at the same time, and what must be true of its log then.

Run as a script, it goes on for as many rounds as it is told: `python -m tools.races 200`.
With `spark` after that, Delta Spark appends in place of deltalake, on a disk.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Self

from tests.support.program import deltaadm

CHANGES: tuple[tuple[str, ...], ...] = (
    ("alter", "--set", "team=web"), ("alter", "--set", "steward=me"),
    ("alter", "--add-column", "extra STRING"), ("enable-feature", "appendOnly"),
    ("enable-feature", "changeDataFeed", "--support-only"),
    ("enable-feature", "domainMetadata", "--support-only"),
    ("upgrade-protocol", "--writer", "3"), ("upgrade-protocol", "--writer", "7"),
    ("alter", "--checkpoint"), ("alter", "--checkpoint"),
)  # fmt: skip
"""Each is what one process does; deltalake goes on writing to the table after any of them."""

APPENDERS = 4
APPENDS = 3

Work = Callable[[str], tuple[Any, ...]]
"""What a process does with the table at a location, and what it then tells."""


@dataclass
class Round:
    """What the processes of a round say, and what the log says."""

    exits: Counter[int] = field(default_factory=Counter)
    committed: list[str] = field(default_factory=list)
    appended: list[int] = field(default_factory=list)
    failed: int = 0
    checkpoints: int = 0


class Racers:
    """
    The processes, to be used as a context manager.

    They are started before this one uses deltalake or an object store, whose threads no process
    inherits, and play one round after the other. With *spark* the appenders are threads of one
    process, whose appends take so long that the others wait for a random time.
    """

    def __init__(self, changes: int = len(CHANGES), *, spark: bool = False) -> None:
        context = multiprocessing.get_context("fork")
        patience = _SPARK_TAKES if spark else 0
        opened: list[Callable[[], AbstractContextManager[Work]]] = [
            partial(nullcontext, partial(_commit, change, patience)) for change in CHANGES[:changes]
        ]
        if spark:
            opened.append(_spark_appenders)
        else:
            opened += [partial(nullcontext, partial(_append, n)) for n in range(APPENDERS)]
        self._barrier = context.Barrier(len(opened))
        self._pipes = [context.Pipe() for _ in opened]
        self._workers = [
            context.Process(target=_work, args=(each, pipe[1], self._barrier), daemon=True)
            for each, pipe in zip(opened, self._pipes, strict=True)
        ]

    def __enter__(self) -> Self:
        for worker in self._workers:
            worker.start()
        for pipe, _ in self._pipes:
            pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        for pipe, _ in self._pipes:
            pipe.send(None)
        for worker in self._workers:
            worker.join()

    def play(self, root: str, environment: Mapping[str, str]) -> Round:
        """Let all of them work on a new table at *root*, and check its log."""
        os.environ.update(environment)
        create(root)
        for pipe, _ in self._pipes:
            pipe.send((root, dict(environment)))
        found = Round()
        for pipe, _ in self._pipes:
            assert pipe.poll(120), "a process does not answer"
            kind, *answer = pipe.recv()
            if kind == "checkpoint":
                assert answer[0] == 0, answer[1]
                found.checkpoints += 1
            elif kind == "commit":
                code, text = answer
                found.exits[code] += 1
                assert code in {0, 5}, f"exit code {code}: {text}"
                found.committed += [text] if code == 0 else []
            else:
                written, failed = answer
                found.appended += written
                found.failed += failed
        check(root, found)
        return found


def _work(opened: Callable[[], AbstractContextManager[Work]], pipe: Any, barrier: Barrier) -> None:
    with opened() as work:
        pipe.send("ready")
        while (task := pipe.recv()) is not None:
            root, environment = task
            os.environ.update(environment)
            barrier.wait()
            pipe.send(work(root))


def create(root: str) -> None:
    """The table of a round, which has one row, and of which all write checkpoints often."""
    import pyarrow as pa
    from deltalake import write_deltalake

    often = {"delta.checkpointInterval": "3"}
    write_deltalake(root, pa.table({"id": pa.array([-1], pa.int64())}), configuration=often)


def _commit(change: tuple[str, ...], patience: float, root: str) -> tuple[str, int, str]:
    time.sleep(random.uniform(0, patience))  # noqa: S311 -- a moment
    command, *options = change
    consent = ("--commit-engine", "embedded", "--apply", "--yes")
    done = deltaadm(command, root, *options, *consent, "-o", "json")
    kind = "checkpoint" if "--checkpoint" in change else "commit"
    return kind, done.code, done.out if done.code == 0 else done.err or done.out


def _append(number: int, root: str) -> tuple[str, list[int], int]:
    import pyarrow as pa
    from deltalake import write_deltalake
    from deltalake.exceptions import DeltaError, DeltaProtocolError

    def append(value: int) -> bool:
        try:
            write_deltalake(root, pa.table({"id": pa.array([value], pa.int64())}), mode="append")
        except (DeltaError, DeltaProtocolError, OSError):
            return False
        return True

    return "append", *_appended(number, append)


def _appended(number: int, append: Callable[[int], bool]) -> tuple[list[int], int]:
    """What an appender has written, and how often it was refused."""
    values = [100 * number + turn for turn in range(APPENDS)]
    written = [*filter(append, values)]
    return written, len(values) - len(written)


_SPARK_TAKES = 2.5
"""Seconds for its appends to a table, in a session that is warm."""


@contextmanager
def _spark_appenders() -> Iterator[Work]:
    """Threads of a session of Delta Spark, each of which appends as `_append` does."""
    from tests.support.spark_processes import SMALL_JVM, local_session

    with (
        local_session({"spark.driver.extraJavaOptions": SMALL_JVM}) as session,
        ThreadPoolExecutor(APPENDERS) as pool,
    ):

        def work(root: str) -> tuple[str, list[int], int]:
            found = list(pool.map(partial(append_with_spark, session, root), range(APPENDERS)))
            written = [value for values, _ in found for value in values]
            return "append", written, sum(failed for _, failed in found)

        yield work


def append_with_spark(session: Any, root: str, number: int) -> tuple[list[int], int]:
    """Append as `_append` does; what was written, and how often Delta refused."""

    def append(value: int) -> bool:
        frame = session.range(value, value + 1, numPartitions=1)
        try:
            frame.write.format("delta").mode("append").save(root)
        except Exception as error:
            if "DELTA_" not in str(error):
                raise
            return False
        return True

    return _appended(number, append)


# What must be true


def check(root: str, found: Round) -> None:
    """Everything that was committed is in the log once, and all rows are there."""
    from deltalake import DeltaTable

    from deltaadm.replay.commits import read_lines
    from deltaadm.replay.load import load_snapshot
    from deltaadm.replay.reconcile import Detail
    from deltaadm.storage.store import open_store
    from tests.support.checkpoints import require_right

    store = open_store(root)
    names = sorted(name for name in store.list_log() if re.fullmatch(r"\d{20}\.json", name))
    assert [int(name[:20]) for name in names] == list(range(len(names))), "a hole"
    commits = [dict(read_lines(store, name).actions()) for name in names]
    infos = [commit["commitInfo"] for commit in commits]
    ours = [info for info in infos if info.get("engineInfo", "").startswith("deltaadm/")]
    marks = Counter(info["userMetadata"] for info in ours)
    assert set(marks.values()) <= {1}, "committed twice"
    assert len({info["txnId"] for info in ours}) == len(ours)
    versions = [version for text in found.committed for version in _versions(text)]
    assert len(set(versions)) == len(versions), "two have the same version"
    assert sorted(versions) == [
        int(name[:20]) for name, info in zip(names, infos, strict=True) if info in ours
    ], "said and written differ"
    state = load_snapshot(store, detail=Detail.STATE)
    rows = DeltaTable(root).to_pyarrow_table()["id"].to_pylist()
    assert Counter(rows) == Counter([-1, *found.appended]), "rows are lost or there twice"
    assert state.files is not None
    assert state.files.files == len(rows)
    hidden = [name for name in store.list_log() if name.startswith(".")]
    # Beside each file, Hadoop writes one with its checksums.
    assert not [name for name in hidden if not name.endswith(".crc")], "a draft is left"
    require_right(store)


def _versions(text: str) -> list[int]:
    return list(json.loads(text)["outcome"]["versions"])


# As a script


@contextmanager
def _places(where: str) -> Iterator[tuple[Any, Mapping[str, str]]]:
    """Where tables go, by the number of the round, and what reaching them takes."""
    if where in {"local", "spark"}:
        directory = Path(tempfile.mkdtemp(prefix="races-"))
        try:
            yield (lambda number: str(directory / f"t{number}")), {}
        finally:
            shutil.rmtree(directory)
        return
    from tests.support.object_stores import PLACES

    with PLACES[where]() as place:
        yield (lambda number: f"{place.url}/races/t{number}"), place.environment


def main() -> None:
    """Play rounds, and say what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int)
    places = ("local", "s3", "gcs", "azure", "spark")
    parser.add_argument("where", choices=places, default="local", nargs="?")
    parser.add_argument("--seconds", type=float, default=450)
    given = parser.parse_args()
    exits: Counter[int] = Counter()
    appended = failed = played = checkpoints = 0
    began = time.monotonic()
    with (
        Racers(spark=given.where == "spark") as racers,
        _places(given.where) as (place, environment),
    ):
        for number in range(given.rounds):
            if time.monotonic() - began > given.seconds:
                break
            found = racers.play(place(number), environment)
            exits += found.exits
            appended += len(found.appended)
            failed += found.failed
            checkpoints += found.checkpoints
            played += 1
    sys.stdout.write(
        f"{played} rounds on {given.where}: exits {dict(exits)}; {appended} appends, {failed} "
        f"more were refused; {checkpoints} checkpoints asked for; "
        f"{time.monotonic() - began:.0f} s\n"
    )


if __name__ == "__main__":
    main()
