"""
Measure deltaadm and deltalake on a slow S3 server, in turns, and write OBJECT_STORES.md.

    python benchmarks/object_stores.py [--files 1000000] [--fleet 2000] [--loop 100] [--runs 5]

The server is moto's; every request waits for the given latency before it is answered, as if the
store were that far away, and requests and bytes are counted.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.contestants import commit_commands, deltaadm, script
from benchmarks.measure import Cost, Failed, Program, in_turns
from benchmarks.tables import Shape, write, write_fleet
from tests.support.s3 import S3Server, s3_server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
REPORT: Final = Path(__file__).parent / "OBJECT_STORES.md"
LATENCY: Final = 50
"""Milliseconds of each request."""


@dataclass(slots=True)
class Runs:
    """What the runs of one program took, and the most requests and bytes of one of them."""

    cost: Cost = field(default_factory=Cost)
    requests: int = 0
    bytes: int = 0
    tables: int = 1

    @property
    def a_second(self) -> float:
        """Tables a second, by the median."""
        return self.tables * 1000 / self.cost.median


# Measuring


def measure(server: S3Server, commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, Runs]:
    """Whole processes in turns, after one of each that does not count."""
    found = {name: Runs() for name in commands}

    def take(name: str) -> bool:
        taken = found[name]
        taken.requests = max(taken.requests, len(server.requests))
        taken.bytes = max(taken.bytes, server.sent)
        server.requests.clear()
        server.sent = 0
        return True

    server.requests.clear()
    server.sent = 0
    programs = [
        Program(name, command, lambda _, name=name: take(name), server.environment)
        for name, command in commands.items()
    ]
    for name, cost in in_turns(programs, runs, _PATIENCE).items():
        if isinstance(cost, Failed):
            sys.exit(f"{name} {cost}")
        found[name].cost = cost
    return found


_PATIENCE: Final = 60
"""Seconds after which a slow program is not started again."""


def upload(server: S3Server, directory: Path, prefix: str) -> str:
    """Put the files below *directory* there, at once; the location."""
    latency, server.latency = server.latency, 0
    location = server.upload(directory, prefix)
    server.latency = latency
    return location


def tables(server: S3Server, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
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
        location = upload(server, directory, directory.name)
        commands = {
            DELTAADM: deltaadm("inspect", location, "-o", "json"),
            DELTALAKE: script("with_deltalake.py", "protocol", location),
        }
        found[name] = measure(server, commands, options.runs)
    return found


def commits(server: S3Server, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Commits of metadata to a table of ten commits, each program to one of its own."""
    found = {}
    for name, crc in (("commit", False), ("commit, .crc", True)):
        _note(name)
        directory = scratch / name.replace(", .", "-")
        write(directory, Shape(name="ten", commits=10, crc=crc))
        places = [upload(server, directory, f"{directory.name}/{whose}") for whose in "ot"]
        commands = dict(zip((DELTAADM, DELTALAKE), commit_commands(*places).values(), strict=True))
        found[name] = measure(server, commands, options.runs)
    return found


def fleet(server: S3Server, options: argparse.Namespace, scratch: Path) -> dict[str, Runs]:
    """
    Many small tables by one command; deltalake has some of them, one after the other.

    Both are given the locations: `--discover` takes a request more for each table.
    """
    _note(f"fleet of {options.fleet}")
    directory = scratch / "fleet"
    write_fleet(directory, Shape(name="small", commits=10, crc=True), options.fleet)
    location = upload(server, directory, "fleet")
    named = [f"{location}/{number:06d}" for number in range(options.fleet)]
    some = named[: options.loop]
    names = scratch / "fleet.txt"
    names.write_text("\n".join(named))
    commands = {
        DELTAADM: deltaadm("inspect", "--tables-from", str(names), "-o", "jsonl"),
        LOOP: script("fleet_deltalake.py", *some),
    }
    found = measure(server, commands, 2)
    found[DELTAADM].tables = options.fleet
    found[LOOP].tables = len(some)
    return found


def main() -> None:
    """Measure and report."""
    options = _options()
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as scratch, s3_server() as server:
        server.latency = LATENCY / 1000
        found = tables(server, options, Path(scratch))
        found |= commits(server, options, Path(scratch))
        many = fleet(server, options, Path(scratch)) if options.fleet else {}
    REPORT.write_text(_report(found, many, options, began))
    _note(f"wrote {REPORT}")


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
        f"{LATENCY} ms late. Seconds are medians of whole processes, with the quartiles in "
        "brackets; the numbers of requests and bytes are those that the server counted.",
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
    cost, megabytes = taken.cost, taken.bytes / 1e6
    low, high = (each / 1000 for each in cost.spread)
    bounds = [
        (target.requests, taken.requests, "{} requests"),
        (target.megabytes, megabytes, "{} MB"),
        (target.seconds, cost.median / 1000, "{} s"),
    ]
    wanted = [(text.format(limit), value <= limit) for limit, value, text in bounds if limit]
    verdict = ", ".join(text for text, met in wanted if not met)
    return (
        f"| {name} | {program} | {taken.requests} | {megabytes:.2f} | {cost.median / 1000:.2f} "
        f"({low:.2f}-{high:.2f}) | {cost.processor_median / 1000:.2f} | "
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
            f"| {program} | {taken.tables} | {taken.requests} | "
            f"{taken.cost.median / 1000:.1f} | {taken.a_second:.1f} |"
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
    parser.add_argument("--runs", type=int, default=5, help="of each program on each table")
    return parser.parse_args()


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
