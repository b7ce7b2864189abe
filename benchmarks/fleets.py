"""
Fleets, and large logs, on one machine, on a standalone cluster of it and by a Connect server.

    python3 benchmarks/fleets.py --tables 2,2000,10000 --files 1000000,10000000 --runs 3

The cluster, two workers with one core each on 127.0.0.1, shares the processors of the machine, and
so does the server, which has two threads. They take turns. The tables of a fleet have ten commits,
and each a schema of its own; a large log has its files in a checkpoint. The result is a table on
standard output. What `spark` says of memory is that of the JVM here, which `connect` has not.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.contestants import deltaadm
from benchmarks.measure import Cost, Program, in_turns
from benchmarks.tables import Shape, write
from tests.support.spark_processes import LOOPBACK, connect_server, master, spark_conf, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORKERS: Final = 2
_COLUMNS: Final = 40
"""The largest number of columns; table by table it is another one, and no two names are alike."""

_SETTINGS: Final = {
    **LOOPBACK,
    "spark.executor.memory": "600m",
    "spark.pyspark.python": sys.executable,
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
}


@contextmanager
def cluster(scratch: Path) -> Iterator[str]:
    """The address of a master with its workers, for the time of the block."""
    with ExitStack() as stack:
        address = stack.enter_context(master(scratch))
        for number in range(_WORKERS):
            (directory := scratch / f"worker-{number}").mkdir()
            stack.enter_context(worker(directory, of=address))
        yield address


def write_tables(root: Path, count: int) -> list[Path]:
    """So many tables with different schemas."""
    tables = [root / f"{number:06d}" for number in range(count)]
    for number, table in enumerate(tables):
        columns = 1 + number % _COLUMNS
        write(table, Shape(name=f"t{number}", commits=10, columns=columns, prefix=f"t{number}_"))
    return tables


def works(scratch: Path, sizes: list[int], files: list[int]) -> dict[str, list[str]]:
    """What deltaadm is asked, by what it is about."""
    asked: dict[str, list[str]] = {}
    tables = write_tables(scratch / "tables", max(sizes, default=0))
    for size in sizes:
        names = scratch / f"{size}.txt"
        names.write_text("".join(f"{table}\n" for table in tables[:size]))
        named = ["--tables-from", str(names), "-o", "jsonl"]
        asked[f"inspect, {size:,} tables"] = ["inspect", *named]
    for count in files:
        large = scratch / f"files-{count}"
        write(large, Shape(name="large", commits=20, checkpoint="classic", files=count))
        asked[f"inspect --files, {count:,} files"] = ["inspect", str(large), "--files"]
        asked[f"validate, {count:,} files"] = ["validate", str(large)]
    return asked


def as_many_lines() -> Callable[[str], bool]:
    """Whether an answer has as many lines as the first: only their wording differs by engine."""
    lines: list[int] = []

    def right(out: str) -> bool:
        lines.append(out.count("\n"))
        return lines[0] == lines[-1] > 0

    return right


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("--tables", default="2,100,2000,10000", help="sizes of fleets")
    parser.add_argument("--files", default="", help="sizes of large logs")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    sizes = [int(size) for size in filter(None, options.tables.split(","))]
    files = [int(count) for count in filter(None, options.files.split(","))]
    with tempfile.TemporaryDirectory(prefix="deltaadm-fleets-") as directory:
        scratch = Path(directory)
        asked = works(scratch, sizes, files)
        print("| work | engine | seconds | of the driver's processors | MB of the driver |")
        print("|---|---|---|---|---|")
        (served := scratch / "server").mkdir()
        with cluster(scratch) as address, connect_server(served, work={}) as server:
            spark = ["--engine", "spark", "--spark-master", address, *spark_conf(_SETTINGS)]
            connect = ["--engine", "spark", "--remote", server]
            for work, arguments in asked.items():
                right = as_many_lines()
                programs = [
                    Program("embedded", deltaadm(*arguments), right),
                    Program("spark", deltaadm(*arguments, *spark), right),
                    Program("connect", deltaadm(*arguments, *connect), right),
                ]
                for name, cost in in_turns(programs, options.runs, patience=900).items():
                    figures = "did not run | | "
                    if isinstance(cost, Cost):
                        processor, seconds = cost.processor_median / 1000, cost.median / 1000
                        figures = f"{seconds:.1f} | {processor:.1f} | {cost.megabytes:.0f}"
                    print(f"| {work} | {name} | {figures} |", flush=True)
    print(f"\nload at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
