"""
Record what a change to a table does to programs that work with the table meanwhile.

    python -m tools.record_impact > tests/data/impact.jsonl

It takes some ten minutes. Each step is carried out by Delta Spark on two small tables: on one while
streams, clones and readers work, on the other while writers are in the midst of their transactions.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import DropConstraint, DropFeature, SetProperties, Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.plans.plan import statement
from deltaadm.spark.errors import refusal
from tests.support import oracle
from tests.support.refusals import step_of
from tests.support.spark_processes import MANY_STATEMENTS, local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

CONF = MANY_STATEMENTS | {"spark.sql.streaming.pollingDelay": "200ms"}
AT_ONCE = 2
CORES = 8
"""Writers that wait occupy a slot each, three of each case."""

RECORDED = Path(__file__).parent.parent / "tests" / "data" / "impact.jsonl"
COLUMNS = "a INT, b STRING"


@dataclass(frozen=True)
class Case:
    """A step on a table that some steps have made."""

    made_by: tuple[Step, ...]
    step: Step

    @property
    def before(self) -> Snapshot:
        """The table before the step, as deltaadm foresees it, without rows."""
        state = no_table("/t")
        for step in self.made_by:
            state = evolve(state, step)
        return state

    @property
    def with_feed(self) -> Case:
        """The same on a table with change data feed, unless that is what the step is about."""
        touched = "delta.enableChangeDataFeed" in self.step.touches.property_values
        return self if touched else Case((*self.made_by, step_of(_FEED)), self.step)


_FEED = ("set", {"enableChangeDataFeed": "true"})
_PLAIN = ("create", COLUMNS)
_MAPPED = ("create", COLUMNS, {"with": "mapped"})
_SMALL = ("check", "small", "a < 1000")


def _plain(**properties: str) -> tuple[str, str, dict[str, str]]:
    """A table with *properties*, without their `delta.`."""
    return "create", COLUMNS, properties


CASES: Mapping[str, Case] = {
    name: Case(tuple(map(step_of, made_by)), step_of(step))
    for name, (*made_by, step) in {
        "add column": (_PLAIN, ("add", "c INT")),
        "rename column": (_MAPPED, ("rename", "b", "c")),
        "drop column": (_MAPPED, ("drop", "b")),
        "widen type": (_plain(enableTypeWidening="true"), ("change", "a", {"type": "long"})),
        "drop not null": (
            ("create", "a INT, b STRING NOT NULL"), ("change", "b", {"nullable": True})),
        "comment column": (_PLAIN, ("change", "b", {"comment": "text"})),
        "set default": (("create", COLUMNS, {"with": "defaults"}), ("default", "b", "'x'")),
        "move column": (_PLAIN, ("change", "b", {"position": None})),
        "add constraint": (_PLAIN, _SMALL),
        "drop constraint": (_PLAIN, _SMALL, DropConstraint("small")),
        "begin clustering": (_PLAIN, ("cluster", "a")),
        "change clustering": (("create", COLUMNS, "a"), ("cluster", "b")),
        "set property": (_PLAIN, SetProperties({"team": "me"})),
        "unset property": (_PLAIN, SetProperties({"team": "me"}), ("unset", "team")),
        "set append-only": (_PLAIN, ("set", {"appendOnly": "true"})),
        "map columns": (_PLAIN, ("set", {"with": "mapped"})),
        "remove mapping": (_MAPPED, ("set", {"columnMapping.mode": "none"})),
        "enable deletion vectors": (_PLAIN, ("set", {"enableDeletionVectors": "true"})),
        "enable change data feed": (_PLAIN, _FEED),
        "disable change data feed": (
            _plain(enableChangeDataFeed="true"), ("set", {"enableChangeDataFeed": "false"})),
        "enable row tracking": (_PLAIN, ("set", {"enableRowTracking": "true"})),
        "enable in-commit timestamps": (_PLAIN, ("set", {"enableInCommitTimestamps": "true"})),
        "enable type widening": (_PLAIN, ("set", {"enableTypeWidening": "true"})),
        "use V2 checkpoints": (_PLAIN, ("set", {"checkpointPolicy": "v2"})),
        "raise versions": (_PLAIN, ("set", {"minWriterVersion": "4"})),
        "support feature": (_PLAIN, ("set", {"feature.domainMetadata": "supported"})),
        "drop reader feature": (
            _plain(enableDeletionVectors="true"), DropFeature("deletionVectors")),
        "drop writer feature": (
            _plain(enableInCommitTimestamps="true"), DropFeature("inCommitTimestamp")),
        "drop unused writer feature": (
            ("create", COLUMNS, {"feature.domainMetadata": "supported"}),
            DropFeature("domainMetadata")),
        "drop unused reader feature": (
            ("create", COLUMNS, {"feature.deletionVectors": "supported"}),
            DropFeature("deletionVectors")),
        "replace table": (_PLAIN, ("replace", COLUMNS)),
    }.items()
}  # fmt: skip

Answer = str | list[str]
"""`ok`, or Delta's error class; of a stream those of its runs, which begin where one ended."""


def main(names: list[str]) -> None:
    """Print a row for each step, or those called *names*."""
    with (
        tempfile.TemporaryDirectory() as root,
        local_session(CONF, cores=CORES) as spark,
    ):
        wanted = names or list(CASES)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            tasks = {
                name: pool.submit(record, spark, CASES[name], Path(root) / name) for name in wanted
            }
            for name, task in tasks.items():
                sys.stdout.write(json.dumps({"step": name} | task.result()) + "\n")
                sys.stdout.flush()


def record(spark: SparkSession, case: Case, place: Path) -> dict[str, Answer]:
    """What each kind of work came to."""
    place.mkdir()
    session = spark.newSession()  # with settings and functions of its own
    readers, writers = Readers(session, case.with_feed, place), Writers(session, case, place)
    return {**readers.answers(), **writers.answers()}


def recorded() -> dict[str, dict[str, Answer]]:
    """What each work came to, by the names of the cases."""
    return {row.pop("step"): row for row in oracle.recorded(RECORDED)}


class _Work:
    """A table with two rows, and the step that is to change it."""

    def __init__(self, spark: SparkSession, case: Case, place: Path) -> None:
        self.spark, self.case, self.place = spark, case, place
        self.table = place / type(self).__name__.lower()
        self.run(*case.made_by)
        self.append()

    def run(self, *steps: Step) -> None:
        for step in steps:
            self.spark.sql(statement(str(self.table), step)).collect()

    def append(self) -> None:
        """Two rows of the columns that the table has by now."""
        names = self.spark.read.format("delta").load(str(self.table)).columns
        values = ", ".join("CAST(id AS INT)" if name == "a" else "'1'" for name in names)
        self.sql(f"INSERT INTO {{}} SELECT {values} FROM range(2)")  # noqa: S608

    def sql(self, text: str) -> list[Any]:
        return self.spark.sql(text.format(f"delta.`{self.table}`")).collect()


class Readers(_Work):
    """Streams, clones and queries that began before the step."""

    def answers(self) -> dict[str, Answer]:
        version = len(list((self.table / "_delta_log").glob("*.json"))) - 1
        self.append()
        clone, old = self.place / "clone", self.read()
        self.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE {{}}")
        waiting = Stream(self, "restarted")
        waiting.stop()
        with ExitStack() as stack:
            running = stack.enter_context(Stream(self, "running"))
            tracking = stack.enter_context(Stream(self, "tracking", tracking=True))
            has_feed = self.case.step != step_of(_FEED)
            options = {"readChangeFeed": "true"} if has_feed else {}
            feed = stack.enter_context(Stream(self, "feed", **options))
            self.run(self.case.step)
            self.append()
            answers: dict[str, Answer] = {
                "dataframe": _answer(old.collect),
                "time travel": _answer(lambda: self.read(versionAsOf=version).collect()),
                "shallow clone": _answer(lambda: self._use(clone)),
                "stream": running.outcome(),
                "stream restarted": waiting.outcome(restart=True),
                "stream with schemaTrackingLocation": tracking.outcome(),
            }
            if has_feed:
                answers["change feed"] = _answer(
                    lambda: self.read(startingVersion=version, **options).collect()
                )
                answers["change feed stream"] = feed.outcome()
            return answers

    def read(self, **options: Any) -> DataFrame:
        return self.spark.read.format("delta").options(**options).load(str(self.table))

    def _use(self, clone: Path) -> None:
        assert self.spark.read.format("delta").load(str(clone)).count() == 4
        self.spark.sql(f"INSERT INTO delta.`{clone}` SELECT 9, 'y'").collect()
        self.spark.sql(f"UPDATE delta.`{clone}` SET b = 'z'").collect()  # noqa: S608


ALLOWED = "allowed: "
"""Before the answer of a run with `UNBLOCKED`."""
EVOLVED = "DELTA_STREAMING_METADATA_EVOLUTION"
UNBLOCKED = {
    f"spark.databricks.delta.streaming.allowSourceColumn{what}": "always"
    for what in ("Drop", "Rename", "RenameAndDrop", "TypeChange")
}


class Stream:
    """A stream that reads the table; it has read what is there."""

    def __init__(self, work: Readers, name: str, *, tracking: bool = False, **options: str) -> None:
        self.work, self.checkpoint = work, work.place / name
        self.tracks = tracking
        self.options = options
        if tracking:
            self.options["schemaTrackingLocation"] = str(self.checkpoint / "schema")
        self.query = self.start()
        self.query.processAllAvailable()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> StreamingQuery:
        source = self.work.spark.readStream.format("delta").options(**self.options)
        sink = source.load(str(self.work.table)).writeStream.format("noop")
        return sink.option("checkpointLocation", str(self.checkpoint)).start()

    def stop(self) -> None:
        self.query.stop()

    def outcome(self, *, restart: bool = False) -> list[str]:
        """The answers of its runs; the last ones with what lets a tracking stream go on."""
        answers = [] if restart else [_answer(self.query.processAllAvailable)]
        while answers[-1:] != ["ok"] and len(answers) < 6:
            # Each of several commits of one step may stop a stream that tracks metadata.
            if len(answers) > 1 and answers[-2] == answers[-1] != EVOLVED:
                break
            answers.append(_answer(self._again))
        if answers[-1] != "ok" and self.tracks:
            for key, value in UNBLOCKED.items():
                self.work.spark.conf.set(key, value)
            while answers[-1] != f"{ALLOWED}ok" and len(answers) < 9:
                answers.append(f"{ALLOWED}{_answer(self._again)}")
            for key in UNBLOCKED:
                self.work.spark.conf.unset(key)
        return answers

    def _again(self) -> None:
        self.query.stop()
        self.query = self.start()
        self.query.processAllAvailable()


class Writers(_Work):
    """Writers whose transactions began before the step, and one that comes after it."""

    def answers(self) -> dict[str, Answer]:
        source = self.place / "source"
        row = "SELECT 7 AS a, 'y' AS b"
        insert = f"INSERT INTO {{}} SELECT append(a), b FROM ({row})"  # noqa: S608 -- as above
        self.spark.sql(f"CREATE TABLE delta.`{source}` USING delta AS {row}").collect()
        old = self.spark.sql(row)
        checkpoint = self.place / "sink"
        with (
            Held(self, "sink", lambda: self._sink(source, checkpoint, "sink(a) AS a")) as sink,
            Held(self, "append", insert) as append,
            # The first to go on: what the others append would be another reason to fail.
            Held(self, "update", "UPDATE {} SET b = concat('z', update(a)) WHERE a = 1") as update,
        ):
            self.run(self.case.step)
        again = _answer(lambda: self._sink(source, checkpoint, "a"))
        after = _answer(lambda: old.write.format("delta").mode("append").save(str(self.table)))
        return {
            "append": append.answer,
            "update": update.answer,
            "stream sink": [sink.answer, again],
            "append afterwards": after,
        }

    def _sink(self, source: Path, checkpoint: Path, column: str) -> None:
        frame = self.spark.readStream.format("delta").load(str(source)).selectExpr(column, "b")
        stream = frame.writeStream.format("delta").option("checkpointLocation", str(checkpoint))
        query = stream.trigger(availableNow=True).start(str(self.table))
        query.awaitTermination()


class Held:
    """A writer that has read, or written its files, and commits when the block ends."""

    def __init__(self, work: Writers, name: str, task: str | Callable[[], Any]) -> None:
        self.answer = ""
        self.begun, self.free = work.place / f"{name}-begun", work.place / f"{name}-free"
        run = (lambda: work.sql(task)) if isinstance(task, str) else task
        work.spark.udf.register(name, _gate(str(self.begun), str(self.free)), "int")
        self._thread = threading.Thread(target=self._run, args=(run,))

    def _run(self, run: Callable[[], Any]) -> None:
        self.answer = _answer(run)

    def __enter__(self) -> Self:
        self._thread.start()
        for _ in range(15000):
            if self.begun.exists() or not self._thread.is_alive():
                break
            time.sleep(0.02)
        assert self.begun.exists(), self.answer
        return self

    def __exit__(self, *_: object) -> None:
        self.free.touch()
        self._thread.join()


def _gate(begun: str, free: str) -> Callable[[int], int]:
    """What a writer computes: it says that it has begun, and waits until it may go on."""

    def wait(value: int) -> int:
        import time
        from pathlib import Path

        Path(begun).touch()
        for _ in range(30000):
            if Path(free).exists():
                return value
            time.sleep(0.02)
        raise TimeoutError

    return wait


ERROR_CLASS = re.compile(r"\[([A-Z][A-Z_0-9.]+)\]")


def _answer(run: Callable[[], Any]) -> str:
    """`ok`, or the error class."""
    try:
        run()
    except Exception as error:  # noqa: BLE001 -- what it is called differs by where it is raised
        text = str(error)
        named = [name for name in ERROR_CLASS.findall(text) if name != "STREAM_FAILED"]
        sys.stderr.write(f"  {named} {text[:1500]}\n")
        return named[0] if named else refusal(error).message[:120]
    return "ok"


if __name__ == "__main__":
    main(sys.argv[1:])
