"""
Measure deltaadm and deltalake on a slow S3 server, in turns, and write OBJECT_STORES.md.

    python benchmarks/object_stores.py [--files 1000000] [--fleet 2000] [--loop 100] [--runs 5]

The server is moto's; every request waits for the given latency before it is answered, as if the
store were that far away. It runs in a process of its own, and counts requests and bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.tables import Shape, write, write_fleet
from tests.support.s3 import S3Server, s3_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PEERS: Final = Path(__file__).parent / "peers"
DELTAADM: Final = "deltaadm"
DELTALAKE: Final = "deltalake"
LOOP: Final = "deltalake in a loop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What deltaadm may take at most, in requests, MB and seconds."""

    requests: int | None = None
    megabytes: float | None = None
    seconds: float | None = None


TARGETS: Final[Mapping[str, Target]] = {
    "ten commits": Target(requests=12, seconds=0.30),
    "ten commits, .crc": Target(requests=3, seconds=0.25),
    "checkpoint": Target(requests=27, megabytes=2, seconds=0.6),
    "checkpoint, .crc": Target(requests=3, seconds=0.25),
    "commit": Target(seconds=0.25 + 6 * 0.05),
    "commit, .crc": Target(seconds=0.25 + 6 * 0.05),
}
FLEET_TARGET: Final = 10


@dataclass(slots=True)
class Runs:
    """What the runs of one program took."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    tables: int = 1

    @property
    def a_second(self) -> float:
        """Tables a second, by the median."""
        return self.tables / median(self.seconds)


class Server:
    """A server in a process of its own, which is told and asked a line at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.environment: dict[str, str] = self._answer()

    def upload(self, directory: Path, prefix: str) -> str:
        """Put the files below *directory* there; the location."""
        found: str = self.ask("upload", str(directory), prefix)
        return found

    def ask(self, *words: Any) -> Any:
        """What the server answers to a command."""
        assert self._process.stdin is not None  # noqa: S101 -- a pipe was asked for
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None  # noqa: S101 -- as above
        return json.loads(self._process.stdout.readline())


@contextmanager
def running_server() -> Iterator[Server]:
    """A server for the time of the block."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Server(process)
        finally:
            process.terminate()


def serve() -> None:
    """Be the server of another process, which gives commands on standard input."""
    with s3_server() as server:
        _say(server.environment)
        for line in sys.stdin:
            command, *words = json.loads(line)
            _say(_COMMANDS[command](server, *words))


def _upload(server: S3Server, directory: str, prefix: str) -> str:
    latency, server.latency = server.latency, 0
    location = server.upload(Path(directory), prefix)
    server.latency = latency
    return location


def _delay(server: S3Server, seconds: float) -> None:
    server.latency = seconds


def _taken(server: S3Server) -> tuple[int, int]:
    """The number of requests and of bytes since the last time this was asked."""
    found = len(server.requests), server.sent
    server.requests.clear()
    server.sent = 0
    return found


_COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    "upload": _upload,
    "delay": _delay,
    "taken": _taken,
}


def _say(answer: Any) -> None:
    print(json.dumps(answer), flush=True)


# Measuring


def measure(server: Server, commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, Runs]:
    """Whole processes in turns, after one of each that does not count."""
    found = {name: Runs() for name in commands}
    environment = {**os.environ, **server.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for turn in range(-1, runs):
        for name, command in commands.items():
            if turn > 1 and sum(found[name].seconds) > _PATIENCE:
                continue
            server.ask("taken")
            before, started = _processor(), time.perf_counter()
            done = subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                env=environment,
            )
            elapsed = time.perf_counter() - started
            if done.returncode:
                sys.exit(f"{name} ended with {done.returncode}: {done.stderr}")
            requests, sent = server.ask("taken")
            if turn >= 0:
                found[name].seconds.append(elapsed)
                found[name].processor.append(_processor() - before)
                found[name].requests.append(requests)
                found[name].bytes.append(sent)
    return found


def _processor() -> float:
    """Seconds that the processes took that have ended, which the server has not."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


_PATIENCE: Final = 60
"""Seconds after which a slow program is not started again, once it has run twice."""


def inspect(*arguments: str) -> list[str]:
    """The command of deltaadm."""
    return [sys.executable, "-m", "deltaadm", "inspect", *arguments]


def tables(server: Server, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Single tables, each of which deltalake and deltaadm look at."""
    large: dict[str, Any] = {"commits": 20, "checkpoint": "classic", "files": options.files}
    shapes = {
        "ten commits": Shape(name="ten", commits=10),
        "ten commits, .crc": Shape(name="ten crc", commits=10, crc=True),
        "checkpoint": Shape(name="big", **large),
        "checkpoint, .crc": Shape(name="big crc", crc=True, **large),
    }
    found = {}
    for name, shape in shapes.items():
        _note(name)
        directory = scratch / shape.name.replace(" ", "-")
        write(directory, shape)
        location = server.upload(directory, directory.name)
        commands = {
            DELTAADM: inspect(location, "-o", "json"),
            DELTALAKE: [sys.executable, str(PEERS / "with_deltalake.py"), "protocol", location],
        }
        found[name] = measure(server, commands, options.runs)
    return found


def commits(server: Server, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """
    Commits of metadata to a table of ten commits, each program to one of its own.

    The number of the process is the value of the property, so that there is something to commit.
    """
    found = {}
    for name, crc in (("commit", False), ("commit, .crc", True)):
        _note(name)
        directory = scratch / name.replace(", .", "-")
        write(directory, Shape(name="ten", commits=10, crc=crc))
        ours, theirs = (
            server.upload(directory, f"{directory.name}/{whose}") for whose in ("ours", "theirs")
        )
        commit = ["alter", ours, "--commit-engine", "embedded", "--apply", "--yes", "--set"]
        commands = {
            DELTAADM: [sys.executable, "-m", "deltaadm", *commit],
            DELTALAKE: [sys.executable, str(PEERS / "commit.py"), theirs],
        }
        commands = {
            program: ["sh", "-c", 'exec "$@" team=$$', "sh", *command]
            for program, command in commands.items()
        }
        found[name] = measure(server, commands, options.runs)
    return found


def fleet(server: Server, options: argparse.Namespace, scratch: Path) -> dict[str, Runs]:
    """
    Many small tables by one command; deltalake has some of them, one after the other.

    Both are given the locations: `--discover` takes a request more for each table.
    """
    _note(f"fleet of {options.fleet}")
    directory = scratch / "fleet"
    write_fleet(directory, Shape(name="small", commits=10, crc=True), options.fleet)
    location = server.upload(directory, "fleet")
    named = [f"{location}/{number:06d}" for number in range(options.fleet)]
    some = named[: options.loop]
    names = scratch / "fleet.txt"
    names.write_text("\n".join(named))
    commands = {
        DELTAADM: inspect("--tables-from", str(names), "-o", "jsonl"),
        LOOP: [sys.executable, str(PEERS / "loop_deltalake.py"), *some],
    }
    found = measure(server, commands, 2)
    found[DELTAADM].tables = options.fleet
    found[LOOP].tables = len(some)
    return found


def main() -> None:
    """Measure and report."""
    options = _options()
    if options.serve:
        serve()
        return
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as scratch, running_server() as server:
        server.ask("delay", options.latency / 1000)
        found = tables(server, options, Path(scratch))
        found |= commits(server, options, Path(scratch))
        many = fleet(server, options, Path(scratch)) if options.fleet else {}
    options.report.write_text(_report(found, many, options, began))
    _note(f"wrote {options.report}")


# Reporting


def _report(
    found: Mapping[str, Mapping[str, Runs]],
    many: Mapping[str, Runs],
    options: argparse.Namespace,
    began: datetime,
) -> str:
    lines = [
        "# Object stores",
        "",
        f"Written by `python benchmarks/object_stores.py`, {began:%Y-%m-%d %H:%M} UTC. Both "
        "programs ran on the same tables on moto's S3 server, in turns; every request is answered "
        f"{options.latency} ms late. Seconds are medians of whole processes, with the fastest and "
        "the slowest in brackets; the numbers of requests and bytes are those that the server "
        "counted.",
        "",
        f"- {platform.processor() or platform.machine()}, {os.cpu_count()} cores, which the "
        "server shares",
        f"- {platform.system()} {platform.release()}, Python {platform.python_version()}",
        f"- load at the end of the run: {os.getloadavg()[0]:.1f} (1 is one busy core; the run "
        "itself makes one)",
        f"- the checkpoint has {options.files:,} files, and 20 commits follow it",
        "- a commit sets a property of a table of ten commits, which grows by one with every run: "
        "`deltaadm alter --commit-engine embedded` beside `alter.set_table_properties`",
        "",
        "| table | | requests | MB | seconds | of a processor | target | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, runs in found.items():
        for program, taken in runs.items():
            target = TARGETS[name] if program == DELTAADM else Target()
            lines.append(_row(name if program == DELTAADM else "", program, taken, target))
    if many:
        lines += _fleet_rows(many)
    return "\n".join(lines) + "\n"


def _row(name: str, program: str, taken: Runs, target: Target) -> str:
    requests, megabytes = max(taken.requests), max(taken.bytes) / 1e6
    seconds = median(taken.seconds)
    bounds = [
        (target.requests, requests, "{} requests"),
        (target.megabytes, megabytes, "{} MB"),
        (target.seconds, seconds, "{} s"),
    ]
    wanted = [(text.format(limit), value <= limit) for limit, value, text in bounds if limit]
    verdict = ", ".join(text for text, met in wanted if not met)
    return (
        f"| {name} | {program} | {requests} | {megabytes:.2f} | {seconds:.2f} "
        f"({min(taken.seconds):.2f}-{max(taken.seconds):.2f}) | {median(taken.processor):.2f} | "
        f"{', '.join(text for text, _ in wanted)} | "
        f"{('missed: ' + verdict if verdict else 'met') if wanted else ''} |"
    )


def _fleet_rows(many: Mapping[str, Runs]) -> list[str]:
    ours, theirs = many[DELTAADM], many[LOOP]
    ratio = ours.a_second / theirs.a_second
    return [
        "",
        "Tables of ten commits with a `.crc`, by one command:",
        "",
        "| | tables | requests | seconds | tables a second |",
        "|---|---|---|---|---|",
        *(
            f"| {program} | {taken.tables} | {max(taken.requests)} | "
            f"{median(taken.seconds):.1f} | {taken.a_second:.1f} |"
            for program, taken in many.items()
        ),
        "",
        f"deltaadm is {ratio:.1f} times as fast; the target of {FLEET_TARGET} times is "
        f"{'met' if ratio >= FLEET_TARGET else 'missed'}. The server, which makes each answer in "
        "Python, is what limits deltaadm.",
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--files", type=int, default=1_000_000, help="of the large checkpoint")
    parser.add_argument("--fleet", type=int, default=2_000, help="tables of the fleet; 0 for none")
    parser.add_argument("--loop", type=int, default=100, help="tables that deltalake looks at")
    parser.add_argument("--latency", type=int, default=50, help="of each request, in milliseconds")
    parser.add_argument("--runs", type=int, default=5, help="of each program on each table")
    parser.add_argument("--report", type=Path, default=Path(__file__).parent / "OBJECT_STORES.md")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
