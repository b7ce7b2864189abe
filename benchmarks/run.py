"""
Measure deltaadm and its peers on the same tables, and write REPORT.md with its pictures.

    python benchmarks/run.py [--scale 0.01] [--runs 7] [--only protocol,files] [--spark] [--huge]
    python benchmarks/run.py --quick

Everything is made below a temporary directory; peers are installed below --peers and stay.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import contestants, report
from benchmarks.contestants import DELTAADM, DELTALAKE, LIMIT
from benchmarks.measure import Cost, Failed, Program, in_turns
from benchmarks.tables import growing, scaled

Costs = Mapping[str, Cost | Failed]

PROTOCOL_TABLES: Final = ("S1", "S2", "S2 crc", "S3", "S3 crc", "S4", "S5", "S6")
HISTORY_TABLES: Final = ("S2", "S2 crc")
VALIDATION_TABLES: Final = ("S1", "S2", "S3")
FILES_TABLES: Final = ("S2 removes", "S3")
_FLEET = 2_000
_SPARK_TABLES = 100
_QUICK_TABLES = ("S1", "S2", "S3")
_QUICK_PARTS = ("protocol", "validation", "fleet")
_QUICK_RUNS = 3


class Bench:
    """One run: where the tables are, what is right, and how often to measure."""

    def __init__(self, root: Path, peers: contestants.Peers, options: argparse.Namespace) -> None:
        self.root = root
        self.peers = peers
        self.runs: int = options.runs
        self.scale: float = options.scale
        self.growth_scale: float = options.growth_scale or options.scale
        self.spark: bool = options.spark
        self.huge: bool = options.huge
        self.quick: bool = options.quick
        self.expected: dict[str, Any] = json.loads((root / "expected.json").read_text())

    def protocol(self) -> dict[str, Costs]:
        """Protocol and metadata, whole processes."""
        names = _QUICK_TABLES if self.quick else PROTOCOL_TABLES
        return {name: self._protocol(name, self.runs) for name in names}

    def files(self) -> dict[str, Costs]:
        """Counting the live files, whole processes."""
        names = [*FILES_TABLES, *(["huge"] if self.huge else [])]
        return {name: self._files(name) for name in names}

    def validation(self) -> dict[str, Costs]:
        """All rules, at each depth."""
        names = [*VALIDATION_TABLES, *(["huge"] if self.huge else [])]
        return {name: self._validation(name) for name in names} | self._fleet_validation()

    def history(self) -> dict[str, Costs]:
        """What has changed in all commits, beside what the table is now; whole processes."""
        return {name: self._history(name) for name in HISTORY_TABLES}

    def start(self) -> dict[str, Costs]:
        """What needs no table."""
        found = contestants.start_commands()
        return {"start": in_turns([Program(*one) for one in found.items()], 3 * self.runs)}

    def commit(self) -> dict[str, Costs]:
        """A commit of metadata, whole processes, without Spark."""
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("ours", "theirs"):
                shutil.copytree(self._path("S1"), Path(scratch) / name)
            found = contestants.commit_commands(Path(scratch))
            programs = [
                Program(name, one, _contains("was committed")) for name, one in found.items()
            ]
            return {"a property": in_turns(programs, 3 * self.runs)}

    def process(self) -> dict[str, Costs]:
        """Loads with everything imported."""
        return {name: self._in_process(name) for name in ("S1", "S3")}

    def fleet(self) -> dict[str, Costs]:
        """Many tables in one command."""
        directory = self.root / "fleet"
        tables = len(list(directory.iterdir()))
        found = contestants.fleet_commands(directory)
        programs = [Program(name, one, _lines(tables)) for name, one in found.items()]
        return {f"{tables} tables": in_turns(programs, min(self.runs, 5))}

    def warm_spark(self) -> dict[str, Costs]:
        """What Spark does by itself and what deltaadm does with it, in one warm session each."""
        if not self.spark:
            return {}
        directory = self.root / "fleet"
        tables = len(list(directory.iterdir()))
        rounds = min(self.runs, 5)
        most = min(_SPARK_TABLES, tables // 2)
        fleet = contestants.spark_fleet_command(directory, most, rounds)
        with tempfile.TemporaryDirectory() as scratch:
            commit = contestants.spark_commit_command(self._path("S1"), scratch, 3 * rounds)
            return {
                f"{tables} tables": _costs(fleet, lambda a_second: tables / a_second),
                "a commit": _costs(commit, lambda seconds: seconds),
            }

    def growth(self) -> dict[str, Costs]:
        """One dimension at a time."""
        return {
            f"{dimension} {size}": self._protocol(shape.name, min(self.runs, 3))
            for dimension, steps in growing(self.growth_scale).items()
            for size, shape in steps
        } | self._growing_fleet()

    def _expected(self, name: str) -> dict[str, Any]:
        if name not in self.expected:
            sys.exit(f"{self.root} was written with other scales: it has no table {name!r}")
        found: dict[str, Any] = self.expected[name]
        return found

    def _protocol(self, name: str, runs: int) -> Costs:
        found = contestants.protocol_commands(self._path(name), self.peers)
        right = _contains(self._expected(name)["metadata_id"])
        return in_turns([Program(program, one, right) for program, one in found.items()], runs)

    def _files(self, name: str) -> Costs:
        found = contestants.files_commands(self._path(name), self.peers)
        if name == "huge":
            found = {DELTAADM: found[DELTAADM]}
        right = _contains(str(self._expected(name)["files"]))
        return in_turns([Program(program, one, right) for program, one in found.items()], self.runs)

    def _validation(self, name: str) -> Costs:
        found = contestants.validation_commands(self._path(name))
        if name == "huge":
            del found[DELTALAKE]
        version = str(self._expected(name)["version"])
        right = _contains(version)
        return in_turns([Program(program, one, right) for program, one in found.items()], self.runs)

    def _fleet_validation(self) -> dict[str, Costs]:
        directory = self.root / "fleet"
        tables = len(list(directory.iterdir()))
        found = contestants.fleet_validation_commands(directory)
        programs = [Program(name, one, _lines(tables)) for name, one in found.items()]
        return {f"{tables} tables": in_turns(programs, min(self.runs, 3))}

    def _history(self, name: str) -> Costs:
        found = contestants.history_commands(self._path(name))
        right = _contains("minReaderVersion")
        return in_turns([Program(program, one, right) for program, one in found.items()], self.runs)

    def _in_process(self, name: str) -> Costs:
        costs = {}
        for program in (DELTAADM, "deltalake", "limit"):
            command = contestants.in_process_command(program, self._path(name), 2 * self.runs)
            answer = json.loads(_output(command))
            cost = Cost(wall=[], processor=[])
            for wall, processor in answer["runs"]:
                cost.wall.append(wall * 1000)
                cost.processor.append(processor * 1000)
            costs[{"limit": LIMIT, "deltalake": DELTALAKE}.get(program, program)] = cost
        return costs

    def _growing_fleet(self) -> dict[str, Costs]:
        every = sorted((self.root / "fleet").iterdir())
        found = {}
        for tables in sorted({scaled(one, self.growth_scale) for one in (10, 100, 500, 2_000)}):
            directory = self.root / f"fleet-{tables}"
            directory.mkdir(exist_ok=True)
            for one in every[:tables]:
                link = directory / one.name
                if not link.exists():
                    link.symlink_to(one)
            commands = contestants.fleet_commands(directory)
            programs = [Program(name, one, _lines(tables)) for name, one in commands.items()]
            found[f"tables {tables}"] = in_turns(programs, min(self.runs, 3))
        return found

    def _path(self, name: str) -> str:
        return str(self.root / name.replace(" ", "-"))


PARTS: Final[Mapping[str, Callable[[Bench], dict[str, Costs]]]] = {
    "history": Bench.history,
    "start": Bench.start,
    "protocol": Bench.protocol,
    "files": Bench.files,
    "validation": Bench.validation,
    "commit": Bench.commit,
    "process": Bench.process,
    "fleet": Bench.fleet,
    "spark": Bench.warm_spark,
    "growth": Bench.growth,
}


def main() -> None:
    """Measure and report."""
    options = _options()
    chosen = options.only.split(",") if options.only else list(PARTS)
    if options.quick:
        chosen, options.runs = list(_QUICK_PARTS), _QUICK_RUNS
    nobody = contestants.Peers(old_deltalake=None, kernel=None, absent={})
    peers = nobody if options.quick else contestants.prepare(options.peers)
    with tempfile.TemporaryDirectory(prefix="deltaadm-benchmark-") as scratch:
        root = options.tables or Path(scratch)
        if not (root / "expected.json").exists():
            _say("writing tables")
            _write_tables(root, options)
        bench = Bench(root, peers, options)
        found = {}
        for part in chosen:
            _say(part)
            found[part] = PARTS[part](bench)
    if options.quick:
        sys.stdout.write(report.targets(found))
        return
    report.write(options.report, found, peers.absent, scale=options.scale, runs=options.runs)
    _say(f"wrote {options.report}")


def _options() -> argparse.Namespace:
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="0.01 for a quick look")
    parser.add_argument("--growth-scale", type=float, help="another one for the pictures")
    parser.add_argument("--runs", type=int, default=7, help="of each program on each table")
    parser.add_argument(
        "--quick", action="store_true", help="only the most important targets, on standard output"
    )
    parser.add_argument("--only", help=f"some of {','.join(PARTS)}")
    parser.add_argument(
        "--spark", action="store_true", help="also the part spark, which needs Java"
    )
    parser.add_argument("--huge", action="store_true", help="also a checkpoint of 10,000,000 files")
    parser.add_argument("--tables", type=Path, help="keep the tables here for the next time")
    parser.add_argument("--peers", type=Path, default=here / ".peers")
    parser.add_argument("--report", type=Path, default=here / "REPORT.md")
    return parser.parse_args()


def _write_tables(root: Path, options: argparse.Namespace) -> None:
    """In a process of its own: what it imports must not count as memory of those measured."""
    script = Path(__file__).parent / "tables.py"
    fleet = scaled(_FLEET, options.scale)
    command = [sys.executable, str(script), str(root), str(options.scale), str(fleet)]
    command.append(str(options.growth_scale or options.scale))
    more = [name for name in ("huge", "quick") if getattr(options, name)]
    subprocess.run([*command, *more], check=True)


def _output(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def _costs(command: list[str], seconds: Callable[[float], float]) -> Costs:
    """What a program measured within itself; *seconds* makes times of its numbers."""
    try:
        found = json.loads(_output(command).splitlines()[-1])
    except (subprocess.CalledProcessError, ValueError, IndexError):
        return {contestants.ON_SPARK: Failed("did not run")}
    return {
        name: Cost(wall=[seconds(one) * 1000 for one in numbers]) for name, numbers in found.items()
    }


def _contains(text: str) -> Callable[[str], bool]:
    return lambda output: text in output


def _lines(count: int) -> Callable[[str], bool]:
    return lambda output: output.count("\n") == count


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
