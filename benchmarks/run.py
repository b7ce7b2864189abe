"""
Measure deltaadm and its peers on the same tables, and report.

    python benchmarks/run.py --quick                  the targets, on standard output
    python benchmarks/run.py --full                   everything at full size, in REPORT.md
    python benchmarks/run.py --only validation        one part, on standard output

Tables are made below a temporary directory; those of a full run, what it has measured and the peers
stay below benchmarks/, so that it goes on where it was interrupted. README.md says what makes what.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import contestants, report
from benchmarks.contestants import DELTAADM, DELTALAKE, LIMIT, script
from benchmarks.measure import Cost, Failed, Program, in_turns
from benchmarks.results import Results
from benchmarks.tables import growing, scaled

Costs = Mapping[str, Cost | Failed]
Comparisons = Iterator[tuple[str, Callable[[], Costs]]]

PROTOCOL_TABLES: Final = ("S1", "S2", "S2 crc", "S3", "S3 crc", "S4", "S5", "S6", "S7")
HISTORY_TABLES: Final = ("S2", "S2 crc")
VALIDATION_TABLES: Final = ("S1", "S2", "S3", "S7", "S8", "S9", "S10")
FILES_TABLES: Final = ("S2 removes", "S3", "S7", "S8", "S9", "S10")
_WITHOUT_DATA: Final = ("S3", "S8")
"""Where all data files are looked for, of a million each."""
_LARGEST: Final = "S7"
"""Where peers that hold a table in memory do not take part."""
_FLEET = 2_000
_LARGEST_FLEET = 10_000
_SPARK_TABLES = 40
_SPARK_ROUNDS = 3
_QUICK_TABLES = ("S1", "S2", "S3")
_QUICK_PARTS = ("short", "protocol", "validation", "commit", "fleet")
_QUICK_RUNS, _QUICK_PATIENCE = 3, 4.0
_FULL_RUNS, _FULL_PATIENCE = 5, 10.0
_PATIENCE = 15.0
_COLD_PATIENCE = 60.0
"""Enough for three starts of a plain PySpark script."""


class Bench:
    """One run: where the tables are, what is right, and how often to measure."""

    def __init__(self, root: Path, peers: contestants.Peers, options: argparse.Namespace) -> None:
        self.root = root
        self.peers = peers
        self.runs: int = options.runs
        self.patience: float = options.patience
        kept = HERE / ".results" if options.full else None
        self.results = Results(kept, _circumstances(options))
        self.scale: float = options.scale
        self.spark: bool = options.spark
        self.quick: bool = options.quick
        self.expected: dict[str, Any] = json.loads((root / "expected.json").read_text())

    def measured(self, part: str) -> dict[str, Costs]:
        """The costs of a part by table, as far as it is asked for."""
        found = {}
        for table, measure in PARTS[part](self):
            _say(f"{part}: {table}")
            found[table] = self.results.of(part, table, measure)
        return found

    def short(self) -> Comparisons:
        """What is asked of a small table most often."""
        commands = contestants.short_commands(self._path("S1"))
        yield "S1", partial(self._compared, commands, runs=3 * self.runs)

    def protocol(self) -> Comparisons:
        """Protocol and metadata, whole processes."""
        for name in _QUICK_TABLES if self.quick else PROTOCOL_TABLES:
            yield name, partial(self._protocol, name, self.runs)

    def files(self) -> Comparisons:
        """Counting the live files, whole processes."""
        for name in FILES_TABLES:
            yield name, partial(self._files, name)

    def validation(self) -> Comparisons:
        """All rules, at each depth."""
        for name in _QUICK_TABLES[1:] if self.quick else VALIDATION_TABLES:
            yield name, partial(self._validation, name)
        fleet, asked = self._fleet(), contestants.fleet_validation_commands
        yield f"{len(fleet)} tables", partial(self._many, asked, fleet, 3)

    def history(self) -> Comparisons:
        """What has changed in all commits, beside what the table is now; whole processes."""
        for name in HISTORY_TABLES:
            yield name, partial(self._history, name)

    def start(self) -> Comparisons:
        """What needs no table."""
        yield "start", partial(self._compared, contestants.start_commands(), runs=3 * self.runs)

    def commit(self) -> Comparisons:
        """A commit of metadata, whole processes, without Spark."""
        yield "a property", lambda: self._commits(contestants.commit_commands, 3 * self.runs)

    def process(self) -> Comparisons:
        """Loads with everything imported."""
        for name in ("S1", "S3"):
            yield name, partial(self._in_process, name)

    def fleet(self) -> Comparisons:
        """Many tables in one command."""
        for name, what in (("fleet", "tables"), ("schemas", "schemas")):
            fleet = self._fleet(name)
            yield f"{len(fleet)} {what}", partial(self._many, contestants.fleet_commands, fleet, 5)

    def with_spark(self) -> Comparisons:
        """What Spark does by itself and what deltaadm does with it, cold and in warm sessions."""
        if not self.spark:
            return
        yield "a commit, cold", self._cold_alter
        tables = len(self._fleet())
        rounds = min(self.runs, _SPARK_ROUNDS)
        most = min(_SPARK_TABLES, tables // 2)
        command = script("fleet_spark.py", str(self.root / "fleet"), str(most), str(rounds))
        yield f"{tables} tables", lambda: _costs(command, lambda a_second: tables / a_second)
        yield "a commit, warm", partial(self._warm_alter, 3 * rounds)

    def growth(self) -> Comparisons:
        """One dimension at a time."""
        for dimension, steps in growing(self.scale).items():
            for size, shape in steps:
                yield f"{dimension} {size}", partial(self._protocol, shape.name, min(self.runs, 3))
        sizes = (10, 100, 500, 2_000, _LARGEST_FLEET)
        every, asked = self._fleet("all-tables"), contestants.fleet_commands
        for tables in sorted({scaled(one, self.scale) for one in sizes}):
            yield f"tables {tables}", partial(self._many, asked, every[:tables], 3)

    def _compared(
        self,
        commands: Mapping[str, list[str]],
        right: Callable[[str], bool] = lambda _: True,
        runs: int | None = None,
        patience: float | None = None,
    ) -> Costs:
        programs = [Program(name, command, right) for name, command in commands.items()]
        return in_turns(programs, runs or self.runs, patience or self.patience)

    def _many(
        self, of: Callable[[list[str]], Mapping[str, list[str]]], tables: list[str], most: int
    ) -> Costs:
        return self._compared(of(tables), _lines(len(tables)), min(self.runs, most))

    def _commits(
        self,
        commands: Callable[[str, str], Mapping[str, list[str]]],
        runs: int,
        patience: float | None = None,
    ) -> Costs:
        """Programs that commit to copies of the same table."""
        with tempfile.TemporaryDirectory() as scratch:
            ours, theirs = f"{scratch}/ours", f"{scratch}/theirs"
            for place in (ours, theirs):
                shutil.copytree(self._path("S1"), place)
            committed = _contains("was committed")
            return self._compared(commands(ours, theirs), committed, runs, patience)

    def _cold_alter(self) -> Costs:
        patience = self.patience if self.quick else _COLD_PATIENCE
        costs = self._commits(contestants.cold_alter_commands, self.runs, patience)
        # What a JVM costs counts as its parent's only where the parent waits for its end
        return {
            name: Cost(wall=cost.wall) if isinstance(cost, Cost) else cost
            for name, cost in costs.items()
        }

    def _warm_alter(self, rounds: int) -> Costs:
        with tempfile.TemporaryDirectory() as scratch:
            command = script("commit_spark.py", self._path("S1"), scratch, str(rounds))
            return _costs(command, lambda seconds: seconds)

    def _expected(self, name: str) -> dict[str, Any]:
        if name not in self.expected:
            sys.exit(f"{self.root} was written with other scales: it has no table {name!r}")
        found: dict[str, Any] = self.expected[name]
        return found

    def _protocol(self, name: str, runs: int) -> Costs:
        found = contestants.protocol_commands(self._path(name), self.peers)
        return self._compared(found, _contains(self._expected(name)["metadata_id"]), runs)

    def _files(self, name: str) -> Costs:
        found = contestants.files_commands(self._path(name), self.peers)
        if name == _LARGEST:
            found = {DELTAADM: found[DELTAADM]}
        return self._compared(found, _contains(str(self._expected(name)["files"])))

    def _validation(self, name: str) -> Costs:
        found = contestants.validation_commands(self._path(name))
        if name == _LARGEST:
            del found[DELTALAKE]
        if name not in _WITHOUT_DATA:
            del found[contestants.MISSING]
        version = str(self._expected(name)["version"])
        right = {contestants.REPAIR: _contains('"is_noop": true')}
        programs = [
            Program(what, value, right.get(what, _contains(version)))
            for what, value in found.items()
        ]
        return in_turns(programs, self.runs, self.patience)

    def _history(self, name: str) -> Costs:
        found = contestants.history_commands(self._path(name))
        return self._compared(found, _contains("minReaderVersion"))

    def _in_process(self, name: str) -> Costs:
        costs = {}
        for program in (DELTAADM, "deltalake", "limit"):
            command = script("in_process.py", program, self._path(name), str(2 * self.runs))
            answer = json.loads(_output(command))
            cost = Cost(wall=[], processor=[])
            for wall, processor in answer["runs"]:
                cost.wall.append(wall * 1000)
                cost.processor.append(processor * 1000)
            costs[{"limit": LIMIT, "deltalake": DELTALAKE}.get(program, program)] = cost
        return costs

    def _fleet(self, name: str = "fleet") -> list[str]:
        return sorted(str(path) for path in (self.root / name).iterdir())

    def _path(self, name: str) -> str:
        return str(self.root / name.replace(" ", "-"))


PARTS: Final[Mapping[str, Callable[[Bench], Comparisons]]] = {
    "short": Bench.short,
    "start": Bench.start,
    "protocol": Bench.protocol,
    "files": Bench.files,
    "validation": Bench.validation,
    "history": Bench.history,
    "commit": Bench.commit,
    "process": Bench.process,
    "fleet": Bench.fleet,
    "spark": Bench.with_spark,
    "growth": Bench.growth,
}


def main() -> None:
    """Measure and report."""
    options = _options()
    chosen = options.only.split(",") if options.only else list(PARTS)
    if options.quick and not options.only:
        chosen = [*_QUICK_PARTS, *(["spark"] if options.spark else [])]
    nobody = contestants.Peers(old_deltalake=None, kernel=None, absent={})
    peers = nobody if options.quick else contestants.prepare(HERE / ".peers")
    with tempfile.TemporaryDirectory(prefix="deltaadm-benchmark-") as scratch:
        root = options.tables or Path(scratch)
        if not (root / "expected.json").exists():
            _say("writing tables")
            _write_tables(root, options)
        bench = Bench(root, peers, options)
        found = {part: bench.measured(part) for part in chosen}
    if options.quick:
        sys.stdout.write(report.targets(found, every=not options.only))
        return
    text = report.written(found, peers.absent, scale=options.scale, runs=options.runs)
    if options.only:
        sys.stdout.write(text)
    else:
        (HERE / "REPORT.md").write_text(text, encoding="utf-8")


HERE: Final = Path(__file__).parent


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="only the most important targets, on standard output"
    )
    parser.add_argument(
        "--full", action="store_true", help="everything at full size, in REPORT.md; resumable"
    )
    parser.add_argument("--only", help=f"some of {','.join(PARTS)}")
    parser.add_argument("--scale", type=float, default=1.0, help="0.01 for a first look")
    parser.add_argument("--runs", type=int, help="of each program on each table")
    parser.add_argument(
        "--spark", action="store_true", help="also the part spark, which needs Java; --full has it"
    )
    parser.add_argument("--tables", type=Path, help="keep the tables here for the next time")
    options = parser.parse_args()
    if options.full:
        options.spark = True
        options.tables = options.tables or HERE / ".tables"
    runs = _QUICK_RUNS if options.quick else _FULL_RUNS if options.full else 7
    options.runs = options.runs or runs
    options.patience = _PATIENCE
    if options.quick or options.full:
        options.patience = _QUICK_PATIENCE if options.quick else _FULL_PATIENCE
    return options


def _circumstances(options: argparse.Namespace) -> dict[str, Any]:
    """What measurements depend on: the tree, and how much is measured."""
    git = ["git", "-C", str(HERE), "log", "-1", "--format=%H", "--", "../deltaadm", "."]
    done = subprocess.run(git, check=False, capture_output=True, text=True)
    return {"tree": done.stdout.strip(), "scale": options.scale, "runs": options.runs}


def _write_tables(root: Path, options: argparse.Namespace) -> None:
    """In a process of its own: what it imports must not count as memory of those measured."""
    script = Path(__file__).parent / "tables.py"
    sizes = [options.scale, *(scaled(fleet, options.scale) for fleet in (_FLEET, _LARGEST_FLEET))]
    more = ["quick"] if options.quick else []
    subprocess.run([sys.executable, str(script), str(root), *map(str, sizes), *more], check=True)


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
        name: Cost(wall=[seconds(number) * 1000 for number in numbers])
        for name, numbers in found.items()
    }


def _contains(text: str) -> Callable[[str], bool]:
    return lambda output: text in output


def _lines(count: int) -> Callable[[str], bool]:
    return lambda output: output.count("\n") == count


def _say(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


if __name__ == "__main__":
    main()
