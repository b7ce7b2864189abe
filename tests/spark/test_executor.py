"""What Spark really commits, and how its refusals arrive."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.steps import AddConstraint, SetProperties, UnsetProperties
from deltaadm.domain.wire import CommitMark
from deltaadm.errors import CommitError, EngineError
from deltaadm.replay.load import load_snapshot
from deltaadm.spark.errors import refusal
from deltaadm.spark.executor import USER_METADATA, SparkExecutor
from deltaadm.spark.session import SparkOptions, configured, open_session
from deltaadm.spark.store import address
from deltaadm.storage.store import open_store
from tests.support import tables
from tests.support.rows import with_rows


def make_table(path: Path, configuration: dict[str, str] | None = None) -> Path:
    schema = tables.schema(tables.column("id", "long"))
    metadata = tables.metadata(configuration or {}, schemaString=schema)
    return tables.table(path, tables.commit(tables.protocol(), metadata)).path


def committed(path: Path, version: int = 1) -> dict[str, Any]:
    lines = (path / "_delta_log" / f"{version:020}.json").read_bytes().splitlines()
    actions = [json.loads(line) for line in lines]
    return next(action["metaData"]["configuration"] for action in actions if "metaData" in action)


def commits(path: Path) -> int:
    return len(list((path / "_delta_log").glob("*.json")))


@pytest.mark.parametrize("name", [
    " spaces around ", 'it\'s "quoted"', "back`tick`` -- ; /* comment", "ünï 表 😀 e\u0301",
    "\u202e hidden \u2028 \U000e0001", "two\nlines\r\tand\x01controls\x7f", "100% a%20b %2F",
    "${spark.app.name} $HOME", "C:x#fragment?q=1", "back\\slash\\", "[a-z]*{b,c}",
])  # fmt: skip
def test_a_table_at_any_path_is_reached(executor: SparkExecutor, tmp_path: Path, name: str) -> None:
    table = make_table(tmp_path / name / "table")
    executor.apply(str(table), SetProperties({"team": "data"}))
    assert committed(table) == {"team": "data"}


def test_a_name_that_is_no_unicode_is_refused(executor: SparkExecutor, tmp_path: Path) -> None:
    table = make_table(tmp_path / os.fsdecode(b"latin-\xe9"))
    with pytest.raises(CommitError, match="not valid Unicode"):
        executor.apply(str(table), SetProperties({"team": "data"}))
    assert commits(table) == 1


def test_a_file_url_is_decoded_as_everywhere_else(executor: SparkExecutor, tmp_path: Path) -> None:
    table = make_table(tmp_path / "a b#c")
    executor.apply((tmp_path / "a b#c").as_uri(), SetProperties({"team": "data"}))
    assert committed(table) == {"team": "data"}


def test_a_relative_path_follows_links_as_the_system_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    monkeypatch.chdir(tmp_path)
    assert address("link/../table") == f"file:{tmp_path}/far/table"


def test_a_location_elsewhere_is_left_to_spark() -> None:
    assert address("s3a://bucket/a%20b/") == "s3a://bucket/a%20b"


VERBATIM = {
    "it's": 'O\'Hara said "no"',
    "back\\slash": "\\n is no newline, \\u0041 no A, \\% and \\_ stay, \\",
    "two\nlines": "a\tb\r\nc\x00d\x01e\x7ff",
    "${spark.app.name}": "${env:HOME} $HOME ${hiveconf:x} $$",
    "ünï 表 😀": "e\u0301 \u2028 \ufeff \U0010ffff",
    "'); DROP TABLE x; --": "x') /* */ ; UNSET TBLPROPERTIES ('a",
    "back`tick": "`` ` %s {0} ? :name", " spaces ": "  ", "empty": "", "yes": "true", "no": "NULL",
}  # fmt: skip


def test_keys_and_values_arrive_as_they_are(executor: SparkExecutor, tmp_path: Path) -> None:
    table = make_table(tmp_path / "table")
    executor.apply(str(table), SetProperties(VERBATIM))
    assert committed(table) == VERBATIM


def test_keys_are_removed_as_they_are(executor: SparkExecutor, tmp_path: Path) -> None:
    table = make_table(tmp_path / "table", {**VERBATIM, "kept": "1"})
    executor.apply(str(table), UnsetProperties((*VERBATIM, "absent"), if_exists=True))
    assert committed(table) == {"kept": "1"}


def test_statements_mean_the_same_in_a_session_with_other_quoting(
    executor: SparkExecutor, spark: Any, tmp_path: Path
) -> None:
    table = make_table(tmp_path / "${spark.app.name}")
    unusual = {
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.variable.substitute": "true",
    }
    with configured(spark, unusual):
        executor.apply(str(table), SetProperties(VERBATIM))
        assert spark.conf.get("spark.sql.parser.escapedStringLiterals") == "true"
    assert committed(table) == VERBATIM


@with_rows
def test_a_refusal_has_its_class_and_one_sentence(
    executor: SparkExecutor,
    tmp_path: Path,
    properties: dict[str, str],
    error_class: str | None,
    message: str,
) -> None:
    table = make_table(tmp_path / "table")
    with pytest.raises(CommitError) as caught:
        executor.apply(str(table), SetProperties(properties))
    assert caught.value.delta_error_class == error_class
    assert caught.value.message == message
    assert commits(table) == 1


def test_what_is_not_a_table_is_refused(executor: SparkExecutor, tmp_path: Path) -> None:
    with pytest.raises(CommitError) as caught:
        executor.apply(str(tmp_path), SetProperties({"team": "data"}))
    assert caught.value.delta_error_class == "DELTA_MISSING_DELTA_TABLE"
    assert str(tmp_path) in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_spark_lacks_is_named(executor: SparkExecutor, spark: Any) -> None:
    """One that a setting names, and, as of a jar that is missing, one that other classes need."""
    with pytest.raises(EngineError, match=r"lacks a required class.*S3AFileSystem"):
        executor.apply("s3a://bucket/t", SetProperties({"team": "data"}))
    error = Exception()
    error.java_exception = spark._jvm.java.lang.NoClassDefFoundError("io/delta/Log")  # noqa: SLF001
    found = refusal(error)
    assert isinstance(found, EngineError)
    assert "lacks a required class" in found.message
    assert "io/delta/Log" in found.message


def user_metadata(path: Path) -> list[str | None]:
    """That of each commit after the first."""
    found = []
    for commit in sorted((path / "_delta_log").glob("*.json"))[1:]:
        [info] = [
            json.loads(line) for line in commit.read_text().splitlines() if '"commitInfo"' in line
        ]
        found.append(info["commitInfo"].get("userMetadata"))
    return found


def test_commits_have_a_mark_unless_the_user_has_chosen_one(
    executor: SparkExecutor, spark: Any, tmp_path: Path
) -> None:
    table = make_table(tmp_path / "table")
    executor.apply(str(table), SetProperties({"a": "1"}))
    executor.apply(str(table), SetProperties({"b": "1"}))
    mark = executor.mark()
    assert (mark.is_unique, user_metadata(table)) == (True, [mark.user_metadata] * 2)
    assert spark.conf.get(USER_METADATA, None) is None
    with configured(spark, {USER_METADATA: "nightly"}):
        executor.apply(str(table), SetProperties({"a": "2"}))
        assert executor.mark() == CommitMark("nightly")
        assert spark.conf.get(USER_METADATA) == "nightly"
    assert user_metadata(table)[2:] == ["nightly"]


def test_settings_are_those_of_the_live_session(spark: Any) -> None:
    conf = {
        "spark.databricks.delta.properties.defaults.appendOnly": "true",
        "spark.databricks.delta.allowArbitraryProperties.enabled": "true",
    }
    with SparkExecutor(SparkOptions(conf=conf), announce=lambda _: None) as configured_one:
        found = configured_one.settings()
    assert found == SessionSettings(
        property_defaults={"appendOnly": "true"}, allow_arbitrary_properties=True
    )
    with SparkExecutor(SparkOptions(), announce=lambda _: None) as plain:
        assert plain.settings() == SessionSettings()
    assert spark.sql("SELECT 1").count() == 1, "a session that was there before goes on"


@with_rows
def test_a_constraint_is_analyzed_before_anything_is_committed(
    executor: SparkExecutor, tmp_path: Path, expression: str, error_class: str | None
) -> None:
    before = load_snapshot(open_store(str(make_table(tmp_path / "t"))))
    with pytest.raises(CommitError) as refused:
        executor.check(before, AddConstraint("c", expression))
    assert (refused.value.delta_error_class or "").startswith(error_class or "")
    assert commits(tmp_path / "t") == 1


@pytest.mark.parametrize(
    "expression", ["id > 0", "NULL = 1", "id > 0 AS x", "size(array(id)) > 0 -- why"]
)
def test_a_constraint_that_will_do(
    executor: SparkExecutor, tmp_path: Path, expression: str
) -> None:
    before = load_snapshot(open_store(str(make_table(tmp_path / "t"))))
    executor.check(before, AddConstraint("c", expression))
    executor.check(before, SetProperties({"x": "1"}))


def test_spark_of_another_thread_is_not_taken(spark: Any) -> None:
    """It can end at any moment."""
    assert spark.version

    def use() -> None:
        with open_session(SparkOptions(), lambda _: None):
            raise AssertionError

    with ThreadPoolExecutor(1) as pool, pytest.raises(EngineError, match="active in this thread"):
        pool.submit(use).result()
