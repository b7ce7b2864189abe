"""
One warm Spark session, in turns: ALTER TABLE by itself, and deltaadm's plan, commit and check.

`commit_spark.py TABLE SCRATCH ROUNDS` copies the log of TABLE twice and prints seconds, as JSON.
"""

import io
import json
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout

from deltaadm.cli.program import run
from deltaadm.spark.session import SparkOptions, open_session

table, scratch, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
theirs, ours = f"{scratch}/theirs", f"{scratch}/ours"
for copy in (theirs, ours):
    shutil.copytree(f"{table}/_delta_log", f"{copy}/_delta_log")


def alter_table(value: int) -> None:
    spark.sql(f"ALTER TABLE delta.`{theirs}` SET TBLPROPERTIES ('note' = '{value}')").collect()


def deltaadm(value: int) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        code = run(["alter", ours, "--set", f"note={value}", "--apply", "--yes"])
    if code:
        sys.exit(f"deltaadm ended with {code}")


def measured(work: Callable[[int], None], value: int) -> float:
    started = time.perf_counter()
    work(value)
    return time.perf_counter() - started


with open_session(SparkOptions(), announce=lambda _: None) as spark:
    for value in (1, 2):
        alter_table(value)
        deltaadm(value)
    found = {"ALTER TABLE": [], "deltaadm": []}
    for value in range(3, rounds + 3):
        found["ALTER TABLE"].append(measured(alter_table, value))
        found["deltaadm"].append(measured(deltaadm, value))
print(json.dumps(found))
