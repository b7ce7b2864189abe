"""`--commit-engine embedded`: what is committed and refused, and where it is set."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from tests.support.program import deltaadm, process
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, table

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")
BLIND = {"operation": "WRITE", "isBlindAppend": True}


@pytest.fixture
def events(tmp_path: Path) -> Table:
    return table(
        tmp_path / "events",
        commit(protocol(1, 2), metadata()),
        commit(add("a", stats='{"numRecords":1}')),
    )


def actions(path: Path, version: int) -> list[dict[str, Any]]:
    file = path / "_delta_log" / f"{version:020d}.json"
    return [json.loads(line) for line in file.read_text().splitlines()]


def names(path: Path) -> list[str]:
    return sorted(file.name for file in (path / "_delta_log").iterdir())


def test_a_commit_says_who_made_it_and_what_it_did(events: Table) -> None:
    result = deltaadm("alter", events.path, "--set", "team=web", *EMBEDDED)
    assert result.code == 0, result.err
    assert "Version 2 was committed, as planned." in result.out
    info, changed = actions(events.path, 2)
    assert info["commitInfo"]["operation"] == "SET TBLPROPERTIES"
    assert info["commitInfo"]["engineInfo"].startswith("deltaadm/")
    assert info["commitInfo"]["userMetadata"].startswith("deltaadm/")
    assert info["commitInfo"]["txnId"]
    assert changed["metaData"]["configuration"] == {"team": "web"}
    assert names(events.path) == [f"{version:020d}.json" for version in range(3)]


@pytest.mark.slow
def test_no_spark_is_imported(events: Table) -> None:
    code = (
        "import sys; from deltaadm.cli.program import run; "
        "code = run(sys.argv[1:]); "
        "assert not {'pyspark', 'pyarrow', 'deltalake', 'obstore'} & sys.modules.keys(); "
        "sys.exit(code)"
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", code, "alter", events.path, "--set", "team=web", *EMBEDDED],
        check=False,
    )
    assert done.returncode == 0


def test_steps_of_one_plan_are_commits_of_their_own(events: Table) -> None:
    harm = [f"--accept-silently-wrong={client}" for client in ("delta-rs", "duckdb-delta")]
    for options in (
        ("--set", "delta.columnMapping.mode=name", "--add-column", "b ARRAY<STRUCT<c: INT>>"),
        ("--rename-column", "b=d", "--drop-column", "a"),
    ):
        result = deltaadm("alter", events.path, *options, *EMBEDDED, *harm)
        assert result.code == 0, result.err
    assert "as planned" in result.out
    text = (events.path / "_delta_log" / f"{3:020d}.json").read_text()
    assert "<known after commit>" not in text
    assert text.count("col-") == 2


def test_in_commit_timestamps_increase_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = 4_000_000_000_000
    on = {"delta.enableInCommitTimestamps": "true"}
    path = table(
        tmp_path / "t",
        commit(
            commit_info(inCommitTimestamp=ahead),
            protocol(1, 7, None, ["inCommitTimestamp"]),
            metadata(on),
        ),
    ).path
    monkeypatch.setattr("deltaadm.runs.sessions.now", lambda: 5)
    for version in (1, 2):
        assert deltaadm("alter", path, "--set", f"v={version}", *EMBEDDED).code == 0
        first = (path / "_delta_log" / f"{version:020d}.json").read_text()
        assert first.startswith(f'{{"commitInfo":{{"inCommitTimestamp":{ahead + version},')


REFUSED = [
    pytest.param(("enable-feature", "rowTracking"), "backfill", id="a backfill"),
    pytest.param(("alter", "--add-constraint", "x=a > 0"), "needs rows", id="a constraint"),
    pytest.param(("alter", "--set", "delta.universalFormat.enabledFormats=hudi"), "other formats",
        id="hudi"),
    pytest.param(("alter", "--set", "delta.columnMapping.mode=none"), "rewrite",
        id="a rewrite for nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "why"), REFUSED)
def test_what_takes_spark_is_refused_before_anything_is_asked(
    events: Table, arguments: tuple[str, ...], why: str
) -> None:
    before = names(events.path)
    command, *rest = arguments
    result = deltaadm(command, events.path, *rest, "--commit-engine", "embedded", "--apply")
    assert result.code == 7
    assert why in result.err
    assert "--commit-engine spark" in result.err
    assert names(events.path) == before


DEFAULTS = ("--property", "delta.feature.allowColumnDefaults=supported")


UNCERTAIN = "only Spark can check"
IMPOSSIBLE = "cannot be the default of a, which has the type integer"


@pytest.mark.parametrize(("default", "refusal"), [
    ("3", ""),
    ("NULL", ""),
    ("2147483648", IMPOSSIBLE),
    ("'x'", IMPOSSIBLE),
    ("nonsense", IMPOSSIBLE),
    ("1 + 1", UNCERTAIN),
    ("rand()", UNCERTAIN),
])  # fmt: skip
def test_a_default_is_committed_if_it_is_certain_that_spark_takes_it(
    tmp_path: Path, default: str, refusal: str
) -> None:
    made, altered = tmp_path / "made", tmp_path / "altered"
    results = [
        deltaadm("create", made, "--schema", f"a INT DEFAULT {default}", *DEFAULTS, *EMBEDDED)
    ]
    assert deltaadm("create", altered, "--schema", "a INT", *DEFAULTS, *EMBEDDED).code == 0
    results += [deltaadm("alter", altered, "--set-default", f"a={default}", *EMBEDDED)]
    assert [result.code for result in results] == [7 if refusal else 0] * 2
    assert all(refusal in result.err for result in results)
    assert made.exists() == (not refusal)


def test_a_generated_column_is_left_to_spark(tmp_path: Path) -> None:
    schema = "a INT, b INT GENERATED ALWAYS AS (a + 1)"
    result = deltaadm("create", tmp_path / "t", "--schema", schema, *EMBEDDED)
    assert result.code == 7
    assert "only Spark can check the expression of b, a + 1" in result.err


@pytest.mark.parametrize("mode", ["none", "name"])
def test_a_table_is_created_clustered(tmp_path: Path, mode: str) -> None:
    schema = ("--schema", "a INT, s STRUCT<x: INT, y: STRING>", "--cluster-by", "s.x, a")
    mapped = ("--property", f"delta.columnMapping.mode={mode}")
    harm = [f"--accept-silently-wrong={client}" for client in ("delta-rs", "duckdb-delta")]
    result = deltaadm("create", tmp_path / "t", *schema, *mapped, *harm, *EMBEDDED)
    assert result.code == 0, result.err
    info, made, _, clustered = actions(tmp_path / "t", 0)
    assert info["commitInfo"]["operationParameters"]["clusterBy"] == '["s.x","a"]'
    listed = json.loads(clustered["domainMetadata"]["configuration"])["clusteringColumns"]
    assert [part in made["metaData"]["schemaString"] for path in listed for part in path] == [
        True
    ] * 3
    assert (listed == [["s", "x"], ["a"]]) == (mode == "none")
    report = deltaadm("inspect", tmp_path / "t", "--files", "-o", "json").document
    assert report["clustering_columns"] == [["s", "x"], ["a"]]


@pytest.mark.parametrize("name", ["main.sales.orders", "sales.orders"])
def test_no_jvm_is_started_for_a_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deltaadm.spark.catalog.open_catalog", None)
    for command in (("alter", "--set", "a=1"), ("create", "--schema", "a INT")):
        first, *rest = command
        result = deltaadm(first, name, *rest, "--remote", "sc://localhost", *EMBEDDED)
        assert result.code == 2
        assert f"{name} would have to be looked up by Spark" in result.err
        assert "--unity" in result.err


def test_the_engine_of_the_settings_does_not_keep_plans_from_being_shown(
    events: Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DELTAADM_COMMIT_ENGINE", "embedded")
    assert deltaadm("enable-feature", events.path, "rowTracking").code == 0
    assert deltaadm("enable-feature", events.path, "rowTracking", "--apply", "--yes").code == 7
    assert deltaadm("alter", events.path, "--set", "a=1", "--apply", "--yes").code == 0
    monkeypatch.delenv("DELTAADM_COMMIT_ENGINE")
    (tmp_path / "deltaadm.toml").write_text('commit-engine = "embedded"\n')
    monkeypatch.setenv("DELTAADM_CONFIG", str(tmp_path / "deltaadm.toml"))
    assert deltaadm("alter", events.path, "--set", "a=2", "--apply", "--yes").code == 0
    assert len(names(events.path)) == 4
    (tmp_path / "deltaadm.toml").write_text('commit-engine = "jvm"\n')
    assert deltaadm("alter", events.path, "--set", "a=3").code == 2


def test_reading_with_spark_does_not_go_with_it(events: Table) -> None:
    result = deltaadm("alter", events.path, "--set", "a=1", "--engine", "spark", *EMBEDDED)
    assert result.code == 2


def test_saved_plans_are_applied(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for name in ("a", "b", "c"):
        table(lake / name, commit(protocol(1, 2), metadata()))
    plans = tmp_path / "plans.jsonl"
    planned = deltaadm("alter", "--discover", lake, "--set", "team=web", "--out", plans)
    assert planned.code == 0, planned.err
    result = deltaadm("apply", plans, "--commit-engine", "embedded", "--yes", "-o", "jsonl")
    assert result.code == 0, result.err
    assert [len(names(lake / name)) for name in ("a", "b", "c")] == [2, 2, 2]
    again = deltaadm("apply", plans, "--resume", tmp_path / "other", "--commit-engine", "embedded")
    assert again.code == 0, again.err
    assert [len(names(lake / name)) for name in ("a", "b", "c")] == [2, 2, 2]


@pytest.mark.parametrize("many", [False, True])
def test_the_command_that_applies_a_file_repeats_the_engine_and_the_store(
    events: Table, tmp_path: Path, many: bool
) -> None:
    file = tmp_path / "plans"
    tables = ["--discover", tmp_path] if many else [events.path]
    how = ["--commit-engine=embedded", "--storage-option", "aws_region=eu west"]
    told = deltaadm("alter", *tables, "--set", "team=web", *how, "--out", file).err
    words = shlex.split(told.partition("To apply:\n")[2])
    assert words == ["deltaadm", "apply", str(file), *how]
    assert deltaadm(*words[1:], "--yes").code == 0


def test_a_fleet_is_changed_at_once(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for name in ("a", "b"):
        table(lake / name, commit(protocol(1, 2), metadata()))
    out = tmp_path / "plans.jsonl"
    result = deltaadm("alter", "--discover", lake, "--set", "x=1", "--out", out, *EMBEDDED)
    assert result.code == 0, result.err
    assert [len(names(lake / name)) for name in ("a", "b")] == [2, 2]
    again = ("--set", "x=2", "--out", tmp_path / "more.jsonl", "-o", "jsonl")
    result = deltaadm("alter", "--discover", lake, *again, *EMBEDDED)
    assert result.err.splitlines() == ["2 tables."], "and none of those that were planned"


def test_a_table_that_others_have_changed_is_left_alone(events: Table, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert deltaadm("alter", events.path, "--set", "team=web", "--out", plan).code == 0
    events.commit(2, commit_info(**BLIND), add("b"))
    applied = deltaadm("apply", plan, "--commit-engine", "embedded", "--yes")
    assert applied.code == 0, applied.err
    assert deltaadm("alter", events.path, "--set", "x=1", "--out", plan).code == 0
    events.commit(4, commit_info(), metadata({"y": "2"}))
    result = deltaadm("apply", plan, "--commit-engine", "embedded", "--yes")
    assert result.code == 5
    assert len(names(events.path)) == 5


@pytest.mark.slow
def test_help_has_it() -> None:
    assert "--commit-engine" in process("alter", "--help").out


def test_a_table_is_created_without_spark(tmp_path: Path) -> None:
    place = tmp_path / "new"
    schema = "id BIGINT, day DATE"
    result = deltaadm("create", place, "--schema", schema, "--partition-by", "day", *EMBEDDED)
    assert result.code == 0, result.err
    info, made, _ = actions(place, 0)
    assert info["commitInfo"]["operation"] == "CREATE TABLE"
    assert made["metaData"]["partitionColumns"] == ["day"]
    assert made["metaData"]["createdTime"] > 1_700_000_000_000
    assert DeltaTable(place).schema().fields[0].name == "id"
    again = deltaadm("create", place, "--schema", schema, *EMBEDDED)
    assert again.code == 7
    named = deltaadm("create", tmp_path / "q", "--schema", "id INT DEFAULT 3", *EMBEDDED)
    assert named.code == 7
    assert not (tmp_path / "q").exists()
