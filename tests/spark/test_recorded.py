"""What is recorded of Spark and what is said of any table, asked of Spark again."""

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.clients import parse_client
from deltaadm.domain.steps import Step
from deltaadm.errors import DeltaadmError
from deltaadm.reports.catalogues import defaults_of
from deltaadm.spark.executor import SparkExecutor
from deltaadm.spark.session import LITERAL_STATEMENTS, configured
from tests.support.cases import sampled
from tests.support.program import deltaadm, succeeds
from tests.support.refusals import LEFT_TO_SPARK, ROWS
from tests.support.tables import commit, commit_info, metadata, protocol, table
from tools import spark_history, spark_restorable
from tools.differential import differ
from tools.record_defaults import STATEMENTS
from tools.spark_restorable import VARIANTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULTS = defaults_of(parse_client(f"delta-spark@{version('delta-spark')}"))
LIVE = ("new table", "new clustered table")
"""Tried in every run; the others are repeated in the matrix."""


@pytest.mark.parametrize("action", sampled((name, name in LIVE, name) for name in STATEMENTS))
def test_delta_spark_makes_what_is_recorded(
    spark: "SparkSession", action: str, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    for statement in STATEMENTS[action]:
        spark.sql(statement.format(f"delta.`{path}`"))
    snapshot = load_snapshot(open_store(str(path)))
    recorded = DEFAULTS[action]
    assert snapshot.protocol == recorded.protocol
    assert snapshot.metadata.configuration.keys() == recorded.metadata.configuration.keys()


EFFECTS = Path(__file__).parent.parent / "data" / "property_effects.jsonl"
ASKED = (
    ("delta.columnMapping.mode", "auto"),
    ("delta.enableRowTracking", "auto"),
    ("delta.isolationLevel", "auto"),
    ("delta.isolationLevel", "WriteSerializable"),
    ("delta.checkpointInterval", "auto"),
    ("delta.checkpointInterval", "-1"),
    ("delta.logRetentionDuration", "auto"),
)


def _recorded(key: str, value: str) -> dict[str, Any]:
    rows = map(json.loads, EFFECTS.read_text(encoding="utf-8").splitlines())
    wanted = [1, 2], key, value
    return next(row for row in rows if (row["protocol"], row["key"], row["value"]) == wanted)


def _succeeds(spark: "SparkSession", statement: str) -> bool:
    try:
        spark.sql(statement).collect()
    except Exception:  # noqa: BLE001 -- what it is called differs by where Spark raises it
        return False
    return True


@pytest.mark.parametrize(("key", "value"), ASKED)
def test_values_have_the_effect_that_is_recorded(
    spark: "SparkSession", tmp_path: Path, key: str, value: str
) -> None:
    table(tmp_path / "t", commit(commit_info(), protocol(1, 2), metadata({key: value})))
    name = f"delta.`{tmp_path / 't'}`"
    answers = {
        "select": _succeeds(spark, "SELECT * FROM <table>".replace("<table>", name)),
        "insert": _succeeds(spark, "INSERT INTO <table> VALUES (1)".replace("<table>", name)),
    }
    assert answers == {answer: _recorded(key, value)[answer] == "ok" for answer in answers}


ANSWERS = (*ROWS, *LEFT_TO_SPARK)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("steps", "error_class"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_delta_answers_as_recorded(
    executor: SparkExecutor, tmp_path: Path, steps: tuple[Step, ...], error_class: str | None
) -> None:
    root = str(tmp_path / "table")
    for step in steps[:-1]:
        executor.apply(root, step)
    answer = None
    try:
        executor.apply(root, steps[-1])
    except DeltaadmError as error:
        answer = error.delta_error_class or ""
    assert answer == error_class


@pytest.mark.matrix
@pytest.mark.parametrize("seed", [str(number) for number in range(30)])
def test_no_state_is_wrong(spark: "SparkSession", tmp_path: Path, seed: str) -> None:
    with configured(spark, LITERAL_STATEMENTS):
        rows = list(differ(seed, spark, tmp_path))
    assert rows
    assert [row for _, how, row in rows if how in {"WRONG STATE", "DELTA WAITS"}] == []


@pytest.mark.matrix  # `tests/cli/test_history.py` has it recorded
def test_a_table_with_several_upgrades_and_drops(spark: "SparkSession", tmp_path: Path) -> None:
    spark_history.check(tmp_path, spark_history.make(spark, tmp_path))


@pytest.mark.matrix  # `tests/cli/test_restorable.py` has it recorded
@pytest.mark.parametrize(
    "first", range(0, 8 * spark_restorable.VARIANTS, spark_restorable.VARIANTS)
)
def test_every_version_of_generated_tables(
    spark: "SparkSession", first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = range(first, first + VARIANTS)
    for row, place in spark_restorable.record(spark.newSession(), seeds):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(row["now"]))
        assert spark_restorable.check(row, place)


def test_restore_brings_back_properties_but_no_protocol(
    spark: "SparkSession", tmp_path: Path
) -> None:
    """The statement that is printed for it works."""
    name = f"delta.`{tmp_path}`"
    spark.sql(f"CREATE TABLE {name} (a INT) USING delta TBLPROPERTIES ('team' = 'x')")
    spark.sql(
        f"ALTER TABLE {name} SET TBLPROPERTIES ('team' = 'y', 'delta.feature.v2Checkpoint' = "
        "'supported')"
    )
    shown = " ".join(deltaadm("history", tmp_path, "--restorable").out.split())
    statement = re.search(r"RESTORE TABLE \S+ TO VERSION AS OF 0", shown)
    assert statement
    spark.sql(statement[0])
    now = deltaadm("inspect", tmp_path, "-o", "json").document
    assert now["metadata"]["configuration"]["team"] == "x"
    assert "v2Checkpoint" in now["protocol"]["writerFeatures"]


def test_delta_answers() -> None:
    done = succeeds("doctor", "--start")
    assert "and Delta responds" in done.out
