"""Commands with `--engine spark`: the same answers as without, and what goes wrong on the way."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from deltaadm.errors import EngineError
from deltaadm.spark.fleet import Executors, require_able
from deltaadm.spark.session import configured
from deltaadm.spark.store import Hadoop
from tests.support import oracle
from tests.support.discovery import DiscoveryContract
from tests.support.program import deltaadm
from tests.support.tables import START_BODY, add, commit, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64())})
SPARK = ("--engine", "spark")


@pytest.fixture
def lake(oracle_tables: dict[str, oracle.OracleTable], tmp_path: Path) -> Path:
    """Real tables with names as they come, a broken one, and one that is none."""
    (tmp_path / "real").symlink_to(next(iter(oracle_tables.values())).path.parents[1])
    table(tmp_path / "a b é%20", START_BODY, commit(add("x")))
    table(tmp_path / "broken", b"nonsense\n")
    (tmp_path / "empty" / "_delta_log").mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    "command", [["inspect", "--files"], ["validate", "--ignore", "DL8"]], ids=" ".join
)
def test_a_fleet_gets_the_lines_of_a_run_without_spark(lake: Path, command: list[str]) -> None:
    many = [*command, "--discover", lake, "-o", "jsonl"]
    alone, there = deltaadm(*many), deltaadm(*many, *SPARK)
    assert there.out == alone.out
    assert there.code == alone.code == 9
    assert len(there.lines) > 30


def test_relative_names_and_tables_that_only_spark_reaches(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lake)
    run = deltaadm("inspect", "a b é%20", "nosuch://host/t", "a b é%20/.", "-o", "jsonl", *SPARK)
    first, second, third = run.lines
    assert (run.code, first["version"], third["version"]) == (9, 1, 1)
    assert first["location"] == third["location"] == str(lake / "a b é%20")
    assert second["error"]["kind"] == "storage"
    assert "no file system" in second["error"]["message"]
    assert deltaadm("inspect", "a b é%20", "--jobs", "2", *SPARK).code == 2


@pytest.fixture
def elsewhere(spark: "SparkSession", tmp_path: Path) -> Iterator[str]:
    """The scheme and host under which Spark alone knows the files of this machine."""
    top = tmp_path.parts[1]
    setting = f"fs.viewfs.mounttable.here.link./{top}"
    with configured(spark, {setting: f"file:///{top}"}):
        yield "viewfs://here"


class TestHadoopDirectories(DiscoveryContract):
    @pytest.fixture
    def directories(self, spark: "SparkSession", elsewhere: str) -> Hadoop:  # noqa: ARG002
        return Hadoop(spark)

    def root(self, path: Path) -> str:
        return f"viewfs://here{path}"


def test_tables_are_discovered_where_only_spark_reaches(elsewhere: str, lake: Path) -> None:
    (lake / "real").unlink()
    many = ["inspect", "--discover", f"{elsewhere}{lake}", "-o", "jsonl"]
    alone = deltaadm(*many)
    assert (alone.code, "--engine spark" in alone.out) == (4, True)
    there = deltaadm(*many, *SPARK)
    local = deltaadm("inspect", "--discover", lake, "-o", "jsonl", *SPARK)
    assert there.out.replace(f"{elsewhere}{lake}", str(lake)) == local.out
    assert (there.code, len(there.lines)) == (9, 3)
    nowhere = deltaadm("inspect", "--discover", f"{elsewhere}{lake}/no", *SPARK)
    assert (nowhere.code, "no directory viewfs://" in nowhere.err) == (4, True)


def test_single_tables_and_plans(tmp_path: Path) -> None:
    """The log is read by Spark; what is said of it is the same."""
    path = tmp_path / "t"
    write_deltalake(path, ROWS)
    DeltaTable(path).create_checkpoint()
    write_deltalake(path, ROWS, mode="append")
    for command in (
        ["inspect", path, "--files"],
        ["validate", path],
        ["enable-feature", path, "deletionVectors"],
        ["drop-feature", path, "--status"],
    ):
        alone, there = deltaadm(*command, "-o", "json"), deltaadm(*command, "-o", "json", *SPARK)
        assert there.document == alone.document, command
        assert there.code == alone.code
    wish = ["enable-feature", path, "deletionVectors", "--apply", "--yes", *SPARK]
    done = deltaadm(*wish, "-o", "json")
    assert done.code == 0, done
    assert done.document["outcome"]["versions"] == [2]
    assert done.document["outcome"]["mismatches"] == []


def test_answers_come_in_order_whatever_becomes_of_executors(spark: "SparkSession") -> None:
    def answer(tables: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for name, place in tables:
            if place == "/t7":
                os._exit(1)
            yield name, "answered"

    tables = [(f"t{number}", f"/t{number}") for number in range(12)]
    executors = Executors(spark)
    found = list(executors.in_order(tables, answer, lost=lambda name, said: (name, said or "lost")))
    assert found == [(name, "lost" if name == "t7" else "answered") for name, _ in tables]
    assert list(executors.in_order([], answer, lost=str.join)) == []


def test_nothing_is_called_that_an_answer_names(spark: "SparkSession") -> None:
    with pytest.raises(EngineError, match=r"posix\.system, which is not a result"):
        list(
            Executors(spark).in_order([("t", "/t")], lambda _: [os.system], lost=lambda _, __: None)
        )


def test_executors_without_what_is_needed(spark: "SparkSession") -> None:
    def answer(_: object) -> list[str]:
        raise ModuleNotFoundError("No module named 'deltaadm'")

    with pytest.raises(
        EngineError, match=r"lack a package .* No module named 'deltaadm'"
    ) as caught:
        list(Executors(spark).in_order([("t", "/t")], answer, lost=str.join))
    assert "Install deltaadm" in caught.value.remedy
    require_able(RuntimeError("anything else"))


def test_a_package_that_spark_lacks_is_named_once(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    done = deltaadm("inspect", "--discover", lake, "-o", "jsonl", *SPARK)
    [line] = done.lines
    assert done.code == line["error"]["exit_code"] == 6
    assert "Pandas >= 2.2.0" in line["error"]["message"]
    assert "deltaadm[spark]" in line["error"]["remedy"]


class Refusing:
    """A session that refuses every job."""

    client = SimpleNamespace(_release_futures=())

    def range(self, *_: object) -> None:
        from pyspark.errors import PySparkException

        raise PySparkException("[X] The job is against the rules. Ask somebody.")


def test_what_spark_says_of_a_table_is_quoted() -> None:
    found = list(
        Executors(Refusing()).in_order(  # type: ignore[arg-type]
            [(name, "/t") for name in "abc"], lambda _: [], lost=lambda name, said: (name, said)
        )
    )
    assert found == [(name, "The job is against the rules.") for name in "abc"]
