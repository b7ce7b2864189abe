"""Damaged files in logs, and what the program says of them: in forked copies of this process.

A copy that aborts or hangs costs the rest of its batch one more copy, and is an outcome.
"""

import json
import os
import random
import select
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.program import Result, deltaadm

COMMANDS = (("inspect",), ("inspect", "--files"), ("validate",), ("validate", "--deep"))
ACCEPTED = {0, 1, 3}
"""An answer, findings, or a table that cannot be read."""

PATIENCE = 60
"""Seconds without an answer after which a command hangs."""

BATCH = 200


@dataclass(frozen=True, slots=True)
class Subject:
    """A file of the log of *table*; `bare` logs lack what a checkpoint stands in for."""

    name: str
    table: Path
    file: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to the bytes of a file: its `kind`, where, and how far."""

    kind: str
    at: int
    extent: int

    def applied_to(self, body: bytes) -> bytes:
        at, extent = self.at, self.extent
        if self.kind == "cut off":
            return body[:at]
        if self.kind == "zeroed":
            return body[:at] + bytes(len(body[at : at + extent])) + body[at + extent :]
        if self.kind == "overwritten":
            return body[:at] + bytes([extent]) + body[at + 1 :]
        return body[:at] + bytes([body[at] ^ 1 << extent]) + body[at + 1 :]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: an exit code, the negative number of a signal, or None for a hang."""

    subject: Subject
    damage: Damage
    command: tuple[str, ...]
    code: int | None
    message: str = ""
    noticed: bool = True
    """Whether a warning came with another number of live files than the whole file leads to."""

    @property
    def accepted(self) -> bool:
        return self.code in ACCEPTED

    def __str__(self) -> str:
        what = f"{self.damage.kind} at {self.damage.at} ({self.damage.extent})"
        return f"{self.code}: {' '.join(self.command)} {self.subject.name}: {what}: {self.message}"


@dataclass(frozen=True, slots=True)
class Case:
    subject: Subject
    damage: Damage
    command: tuple[str, ...]


def checkpoint_files(table: Path) -> list[str]:
    """The files of checkpoints, and sidecars, relative to the log of *table*."""
    log = table / "_delta_log"
    found = (*log.glob("*.checkpoint*.*"), *log.glob("_sidecars/*.parquet"))
    return sorted(str(file.relative_to(log)) for file in found if file.stat().st_size)


def subjects(tables: Mapping[str, Path]) -> list[Subject]:
    """Every checkpoint file of *tables*, with the older commits and without them."""
    return [
        Subject(f"{name}{' without commits' if bare else ''}/{file}", path, file, bare)
        for name, path in tables.items()
        for file in checkpoint_files(path)
        for bare in (False, True)
    ]


def cases(
    among: Sequence[Subject], count: int, seed: int, kinds: Sequence[str] = ("bit",)
) -> list[Case]:
    """*count* cases drawn with *seed*; those of one subject are neighbours."""
    draw = random.Random(seed)  # noqa: S311 -- nothing secret
    drawn = []
    for number in range(count):
        subject = among[number * len(among) // count]
        drawn.append(Case(subject, _damage(subject, draw, draw.choice(kinds)), _command(draw)))
    return drawn


def _command(draw: random.Random) -> tuple[str, ...]:
    return draw.choice(COMMANDS)


def _damage(subject: Subject, draw: random.Random, kind: str) -> Damage:
    """Footers are hit as often as the pages before them, which are larger."""
    body = (subject.table / "_delta_log" / subject.file).read_bytes()
    footer = int.from_bytes(body[-8:-4], "little") if subject.file.endswith(".parquet") else 0
    pages = max(0, len(body) - footer - 8)
    at = draw.randrange(pages, len(body)) if draw.random() < 0.5 else draw.randrange(len(body))
    extent = {"bit": draw.randrange(8), "zeroed": draw.choice([4, 64, 1024])}
    return Damage(kind, at, extent.get(kind, draw.randrange(256)))


def outcomes(drawn: Sequence[Case], scratch: Path) -> Iterator[Outcome]:
    """What becomes of each case."""
    at = 0
    while at < len(drawn):
        batch = drawn[at : at + BATCH]
        found = list(_in_copy(batch, scratch))
        yield from found
        at += len(found)


def _in_copy(batch: Sequence[Case], scratch: Path) -> Iterator[Outcome]:
    """As many outcomes as a copy of this process lives to tell, and how it ended if it did not."""
    answers, tell = os.pipe()
    copy = os.fork()
    if not copy:
        os.close(answers)
        _work(batch, tell, scratch)
    os.close(tell)
    lines = _lines(answers)
    for case in batch:
        line = next(lines, b"")
        if line:
            yield Outcome(case.subject, case.damage, case.command, **json.loads(line))
            continue
        if line is None:
            os.kill(copy, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        code, how = (None, "no answer") if line is None else (code, "the process ended")
        yield Outcome(case.subject, case.damage, case.command, code, how)
        break
    else:
        os.waitpid(copy, 0)
    os.close(answers)


def _lines(answers: int) -> Iterator[bytes | None]:
    """The lines of a pipe; None where one takes too long."""
    pending = b""
    while True:
        while b"\n" not in pending:
            ready, _, _ = select.select([answers], [], [], PATIENCE)
            piece = os.read(answers, 1 << 16) if ready else b""
            if not piece:
                yield b"" if ready else None
                return
            pending += piece
        line, _, pending = pending.partition(b"\n")
        yield line


def _work(batch: Sequence[Case], tell: int, scratch: Path) -> None:
    code = 1
    try:
        with os.fdopen(tell, "wb", buffering=0) as out:
            for answer in _answers(batch, scratch / str(os.getpid())):
                out.write(json.dumps(answer).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def _answers(batch: Sequence[Case], scratch: Path) -> Iterator[dict[str, Any]]:
    subject, copy = None, scratch
    for case in batch:
        if case.subject != subject:
            subject, copy = case.subject, scratch / "table"
            shutil.rmtree(copy, ignore_errors=True)
            _copy(subject, copy)
            body = (copy / "_delta_log" / subject.file).read_bytes()
            whole = _files(deltaadm("inspect", "--files", "-o", "json", copy))
        file = copy / "_delta_log" / case.subject.file
        file.write_bytes(case.damage.applied_to(body))
        yield _answer(case, copy, whole)
        file.write_bytes(body)


def _copy(subject: Subject, to: Path) -> None:
    shutil.copytree(subject.table, to)
    if subject.bare:
        version = int(Path(subject.file).name[:20])
        for number in range(version):
            (to / "_delta_log" / f"{number:020d}.json").unlink(missing_ok=True)
        for checksum in (to / "_delta_log").glob("*.crc"):
            checksum.unlink()
        for other in checkpoint_files(to):
            if int(Path(other).name[:20]) < version:
                (to / "_delta_log" / other).unlink()


def _answer(case: Case, table: Path, whole: int | None) -> dict[str, Any]:
    name, *options = case.command
    result = deltaadm(name, table, *options, "-o", "json")
    answer: dict[str, Any] = {"code": result.code}
    if result.code not in ACCEPTED:
        answer["message"] = " | ".join(result.err.strip().splitlines()[-4:-1])
    elif options == ["--files"] and result.code == 0:
        found = _files(result)
        answer["noticed"] = found == whole or bool(result.document["warnings"])
        answer["message"] = "" if answer["noticed"] else f"{whole} files became {found}"
    return answer


def _files(result: Result) -> int | None:
    return result.document["files"]["files"] if result.code == 0 else None
