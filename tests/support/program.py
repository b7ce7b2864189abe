"""Whole runs of the program: in this process, in another one, and without a JVM to commit."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deltaadm.cli.program import run
from deltaadm.domain.properties import Key, is_true
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import (
    ClusterBy,
    CreateTable,
    DropColumns,
    DropConstraint,
    DropFeature,
    RenameColumn,
    SetProperties,
    Step,
    WriteCheckpoint,
)
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.wire import CommitMark
from deltaadm.errors import NotYetError
from deltaadm.plans.checkpoint import write_checkpoint
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import open_store
from tests.support.tables import Action, Table, commit_info, domain


@dataclass(frozen=True)
class Result:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def messages(err: str) -> list[str]:
    """The lines of standard error, without the progress that slow machines show as well."""
    return [line for line in err.splitlines() if not re.fullmatch(r"[A-Z].*: (.*, )?\d+ s", line)]


def deltaadm(*arguments: object) -> Result:
    """Run in this process; nobody is there to answer a question."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Result(code, out.getvalue(), err.getvalue())


def succeeds(*arguments: object) -> Result:
    """As `deltaadm`, for a run that must not fail."""
    done = deltaadm(*arguments)
    assert done.code == 0, done.out + done.err
    return done


def surroundings(env: Mapping[str, str] | None) -> dict[str, str]:
    """*env* on top of a bare environment."""
    kept = ("PATH", "HOME", "XDG_CONFIG_HOME", "PYTHONPATH", "SPARK_SUBMIT_OPTS", "CI")
    return {key: os.environ[key] for key in kept if key in os.environ} | dict(env or {})


def process(*arguments: object, env: Mapping[str, str] | None = None, **more: Any) -> Result:
    """Run as a program of its own, with *env* on top of a bare environment."""
    done = subprocess.run(
        [sys.executable, "-m", "deltaadm", *map(str, arguments)],
        check=False, capture_output=True, text=True, timeout=900, env=surroundings(env),
        **{"stdin": subprocess.DEVNULL, **more},
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def started(*arguments: object, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    """A program of its own while it runs, to which nothing is typed; see `process`."""
    return subprocess.Popen(
        [sys.executable, "-m", "deltaadm", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=surroundings(env),
    )


def wait_until(
    is_done: Callable[[], object], program: "subprocess.Popen[str] | None" = None
) -> None:
    """Wait for something, which *program* does, so that it must not have ended."""
    while not is_done():
        assert program is None or program.poll() is None, program and program.communicate()
        time.sleep(0.05)


@contextlib.contextmanager
def another_process(
    env: Mapping[str, str] | None = None, *, spark: Mapping[str, Any] | None = None
) -> Iterator[Callable[..., Result]]:
    """
    `deltaadm` in a process of its own, which runs one command after the other.

    With *spark*, arguments of `SparkOptions`, they share a session. Nothing may write to its
    standard error but the program.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _RUN_EACH, json.dumps(spark)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=surroundings(env),
    ) as program:
        assert program.stdin
        assert program.stdout
        commands, results = program.stdin, program.stdout

        def run_there(*arguments: object) -> Result:
            commands.write(json.dumps([str(argument) for argument in arguments]) + "\n")
            commands.flush()
            return Result(**json.loads(results.readline()))

        try:
            yield run_there
        finally:
            _, noise = program.communicate(timeout=60)
    assert noise == ""


_RUN_EACH = """
import json, sys
from contextlib import nullcontext
from dataclasses import asdict
from deltaadm.spark.session import SparkOptions, open_session
from tests.support.program import deltaadm
spark = json.loads(sys.argv[1])
with open_session(SparkOptions(**spark), lambda _: None) if spark else nullcontext():
    for line in sys.stdin:
        print(json.dumps(asdict(deltaadm(*json.loads(line)))), flush=True)
"""


def checkpoint_of(root: object, base: Snapshot | None = None) -> bool:
    """Write a checkpoint of a local table; whether there was none."""
    store = open_store(str(root))
    return write_checkpoint(store, base or load_snapshot(store))


def listing(directory: Path) -> dict[str, tuple[int, int]]:
    """Every file below *directory* with size and time, to see that none has changed."""
    return {
        str(path.relative_to(directory)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in directory.rglob("*")
    }


@contextlib.contextmanager
def untouched(directory: Path) -> Iterator[None]:
    """Nothing below *directory* is written."""
    before = listing(directory)
    yield
    assert listing(directory) == before


@dataclass
class LogWriter:
    """
    An executor that commits what Delta would, straight to the log of a local table.

    `foreign` are actions that find their way into its commits as if by mistake.
    """

    live: SessionSettings = field(default_factory=SessionSettings)
    foreign: tuple[Action, ...] = ()
    steps: list[Step] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing was started."""

    def settings(self) -> SessionSettings:
        return self.live

    def check(self, before: Snapshot, step: Step) -> None:
        """Everything will do."""

    def mark(self) -> CommitMark:
        return CommitMark("deltaadm/0 log-writer", is_unique=True)

    def may_still_commit(self, _root: str) -> bool:
        return False

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        if isinstance(step, WriteCheckpoint):
            checkpoint_of(root, base)
            self.steps.append(step)
            return
        creates = isinstance(step, CreateTable) and not (Path(root) / "_delta_log").exists()
        in_domains = step.is_in_domains or step.dropped_feature
        detail = Detail.STATE if in_domains else Detail.PROTOCOL
        before = no_table(root) if creates else load_snapshot(open_store(root), detail=detail)
        after = evolve(before, step, self.live)
        made = {"protocol": after.protocol.to_wire(), "metaData": after.metadata.to_wire()}
        for change in self.foreign:
            made |= change
        text = json.dumps(made).replace("<known after commit>", "7")
        actions = [{key: value} for key, value in json.loads(text).items()]
        domains = {} if before.domains is None else before.domains
        actions += [
            domain(name, value.configuration)
            for name, value in (after.domains or {}).items()
            if value != domains.get(name)
        ]
        actions += [
            domain(name, value.configuration, removed=True)
            for name, value in domains.items()
            if name not in (after.domains or {})
        ]
        Table(Path(root)).commit(
            before.version + 1,
            commit_info(
                **_described(step),
                **_timestamp(before, after),
                userMetadata=self.mark().on(step.annotation),
            ),
            *actions,
        )
        self.steps.append(step)
        if step.waits(before):
            raise NotYetError("Come back later.")


def _timestamp(before: Snapshot, after: Snapshot) -> Action:
    """The in-commit timestamp of a table that has them; the first is what stands for one above."""
    if not is_true(after.metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
        return {}
    known = before.commit_info and before.commit_info.in_commit_timestamp
    return {"inCommitTimestamp": 7 if known is None else known + 1}


def _described(step: Step) -> Action:
    if isinstance(step, CreateTable):
        return {"operation": f"{step.mode.name.replace('_', ' ')} TABLE"}
    if isinstance(step, RenameColumn | DropColumns):
        renamed = isinstance(step, RenameColumn)
        return {"operation": "RENAME COLUMN" if renamed else "DROP COLUMNS"}
    if isinstance(step, DropConstraint):
        return {"operation": "DROP CONSTRAINT", "operationParameters": {"name": step.name}}
    if isinstance(step, ClusterBy):
        return {"operation": "CLUSTER BY"}
    if isinstance(step, DropFeature):
        dropped = {"featureName": step.name, "truncateHistory": step.truncate_history}
        return {"operation": "DROP FEATURE", "operationParameters": dropped}
    if isinstance(step, SetProperties):
        parameters = {"properties": json.dumps(dict(step.properties))}
        return {"operation": "SET TBLPROPERTIES", "operationParameters": parameters}
    parameters = {"properties": json.dumps(list(step.keys)), "ifExists": True}
    return {"operation": "UNSET TBLPROPERTIES", "operationParameters": parameters}
