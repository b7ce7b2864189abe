"""
One warm Spark session, in turns: DESCRIBE DETAIL of some tables, and deltaadm's run over all.

`fleet_spark.py DIRECTORY MOST ROUNDS` prints tables a second of each, by round, as JSON.
"""

import io
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial

from deltaadm.cli.program import run
from deltaadm.spark.session import SparkOptions, open_session

directory, most, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tables = sorted(f"{directory}/{name}" for name in os.listdir(directory))


def describe_detail(chosen: list[str]) -> int:
    for table in chosen:
        spark.sql(f"DESCRIBE DETAIL delta.`{table}`").collect()
    return len(chosen)


def deltaadm() -> int:
    out = io.StringIO()
    with redirect_stdout(out):
        run(["inspect", "-o", "jsonl", "--engine", "spark", *tables])
    return len([line for line in out.getvalue().splitlines() if "error" not in json.loads(line)])


def measured(work: Callable[[], int]) -> float:
    started = time.perf_counter()
    return work() / (time.perf_counter() - started)


with open_session(SparkOptions(), announce=lambda _: None) as spark:
    describe_detail(tables[:20])
    deltaadm()
    found = {"DESCRIBE DETAIL": [], "deltaadm --engine spark": []}
    for number in range(rounds):
        start = (20 + number * most) % max(1, len(tables) - most)  # no table is asked for again
        some = partial(describe_detail, tables[start:][:most])
        found["DESCRIBE DETAIL"].append(measured(some))
        found["deltaadm --engine spark"].append(measured(deltaadm))
print(json.dumps(found))
