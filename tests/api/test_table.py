"""Tables for programs: what the commands do, as methods whose results are values."""

import gc
import json
import pickle
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pytest

import deltaadm
from deltaadm.cli.program import run
from deltaadm.documents import schemas
from tests.support.s3 import s3_server


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def events(tmp_path: Path) -> deltaadm.Table:
    """A table with two versions: made by deltalake, and a property set."""
    path = tmp_path / "events"
    deltalake.write_deltalake(path, pa.table({"id": [1, 2], "day": ["a", "b"]}))
    table = deltaadm.table(path)
    made = table.plan_changes(set_properties={"team": "web", "api.password": "xyzzy"})
    table.apply(made, commit_engine="embedded")
    return table


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) in {0, 1}
    return capsys.readouterr().out


@pytest.mark.parametrize(("ask", "command"), [
    (lambda table: table.inspect(), ["inspect"]),
    (lambda table: table.inspect(0, files=True), ["inspect", "--version", "0", "--files"]),
    (lambda table: table.why("invariants"), ["inspect", "invariants", "--why"]),
    (lambda table: table.for_client("redshift"), ["inspect", "--for-client=redshift"]),
    (lambda table: table.validate(deep=True), ["validate", "--deep"]),
    (lambda table: table.history(protocol=True), ["history", "--protocol"]),
    (lambda table: table.plan_features("rowTracking"), ["enable-feature", "rowTracking"]),
    (lambda table: table.plan_upgrade(2, 5), ["upgrade-protocol", "--reader=2", "--writer=5"]),
    (lambda table: table.plan_minimum(), ["upgrade-protocol", "--minimum"]),
    (lambda table: table.plan_undo(), ["undo"]),
    (lambda table: table.plan_for_clients(readable_by=["trino@480"]),
        ["upgrade-protocol", "--readable-by", "trino@480"]),
    (lambda table: table.plan_mapping_mode("name"), ["set-mapping-mode", "name"]),
    (lambda table: table.plan_changes(add_columns=["x INT FIRST"], set_comments={"id": "the key"},
        unset=["team"]), ["alter", "--add-column=x INT FIRST", "--set-comment=id=the key",
        "--unset=team"]),
    (lambda table: table.plan_changes(cluster_by=["id"]), ["alter", "--cluster-by=id"]),
    (lambda table: table.plan_fixes(), ["validate", "--fix"]),
])  # fmt: skip
def test_a_method_answers_what_its_command_does(
    ask: Callable[[deltaadm.Table], deltaadm.Result[Any]],
    command: list[str],
    events: deltaadm.Table,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name, *options = command
    arguments = [name, events.name, *options]
    result = ask(events)
    assert result.to_dict() == json.loads(printed(capsys, *arguments, "-o", "json"))
    assert str(result) in printed(capsys, *arguments, "--color", "never")


@pytest.mark.parametrize("ask", [
    lambda table: table.inspect(files=True),
    lambda table: table.history(),
    lambda table: table.validate(deep=True),
    lambda table: table.plan_changes(set_properties={"team": "data"}),
])  # fmt: skip
@pytest.mark.parametrize("damaged", [False, True], ids=["sound", "damaged checkpoint"])
def test_nothing_that_was_read_waits_for_the_garbage_collector(
    ask: Callable[[deltaadm.Table], object], events: deltaadm.Table, damaged: bool
) -> None:
    if damaged:
        Path(events.name, "_delta_log", f"{1:020d}.checkpoint.parquet").write_bytes(b"x")
    ask(events)  # imports, and what is kept for the next table
    gc.collect()
    gc.disable()
    try:
        ask(events)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_states_are_compared(events: deltaadm.Table, capsys: pytest.CaptureFixture[str]) -> None:
    other = deltaadm.table(f"{events.name}-2")
    other.apply(other.plan_create("id BIGINT, day STRING"), commit_engine="embedded")
    two = json.loads(printed(capsys, "diff", f"{events.name}@0", events.name, "-o", "json"))
    assert events.diff(0).to_dict() == events.diff(0, 1).to_dict() == two
    both = json.loads(printed(capsys, "diff", other.name, events.name, "-o", "json"))
    assert events.diff(other).to_dict() == both
    newest = datetime.fromtimestamp((events.snapshot().timestamp or 0) / 1000, UTC)
    assert events.diff(newest).equal
    assert events.diff(newest.isoformat()).equal
    assert events.diff(0, only=["schema"]).equal


def test_a_plan_is_carried_out_once_and_only_on_its_table(events: deltaadm.Table) -> None:
    plan = events.plan_features("deletionVectors")
    other = deltaadm.table(f"{events.name}-2")
    made = other.plan_create("id BIGINT", properties={"a": "b"})
    assert other.apply(made, commit_engine="embedded").versions == (0,)
    with pytest.raises(deltaadm.CommitError, match="the plan is for"):
        other.apply(plan, commit_engine="embedded")
    assert events.apply(plan, commit_engine="embedded").versions == (2,)
    assert events.apply(plan, commit_engine="embedded").versions == ()
    secret = events.plan_changes(set_properties={"api.password": "abcde"})
    assert events.apply(secret, commit_engine="embedded").versions == (3,)
    assert events.apply(secret, commit_engine="embedded").versions == ()
    with pytest.raises(deltaadm.RefusedError, match="looks like a secret"):
        secret.save("plan.json")
    assert events.snapshot().protocol.supports("deletionVectors")
    stale = events.plan_changes(set_properties={"delta.appendOnly": "true"})
    changed = events.plan_changes(set_properties={"delta.logRetentionDuration": "interval 9 days"})
    events.apply(changed.plan, commit_engine="embedded")
    with pytest.raises(deltaadm.CommitError, match="nothing was committed"):
        events.apply(stale, commit_engine="embedded")


def test_a_saved_plan_is_that_of_the_command_line(
    events: deltaadm.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    events.plan_features("deletionVectors").save("plan.json")
    assert capsys.readouterr() == ("", "")
    assert "deletionVectors" in printed(capsys, "show", "plan.json")
    assert events.apply("plan.json", commit_engine="embedded").versions == (2,)
    assert events.apply(Path("plan.json"), commit_engine="embedded").versions == ()


def test_what_is_more_than_metadata_needs_an_argument(events: deltaadm.Table) -> None:
    with pytest.raises(deltaadm.RefusedError) as backfill:
        events.apply(events.plan_features("rowTracking"))
    assert backfill.value.remedy == "To apply anyway: apply(..., allow_backfill=True)."
    events.apply(events.plan_features("deletionVectors"), commit_engine="embedded")
    drop = events.plan_drop("deletionVectors", truncate_history=True)
    with pytest.raises(deltaadm.RefusedError) as lossy:
        events.apply(drop, allow_rewrite=True)
    assert (
        lossy.value.remedy
        == "To apply anyway: apply(..., accept_irreversible=['deletionVectors'])."
    )
    assert events.snapshot().version == 2


def test_required_clients_go_on_working(events: deltaadm.Table) -> None:
    table = deltaadm.table(events.name, for_client=["hive@3.0.0"])
    with pytest.raises(deltaadm.RefusedError, match="hive"):
        table.plan_features("deletionVectors")


def test_data_frames_say_what_to_install(
    events: deltaadm.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        events.history().to_pandas()


def test_results_are_tables(events: deltaadm.Table) -> None:
    features = events.inspect().to_arrow()
    assert features["name"].to_pylist() == ["appendOnly", "invariants"]
    entries = events.history().to_pandas()
    assert list(entries["version"]) == [0, 1]
    findings = events.validate(select=["DL1"])
    assert findings.to_arrow().num_rows == 0
    declared = schemas()["validate"]["properties"]["findings"]["items"]["properties"]
    columns = {name.partition(".")[0] for name in findings.to_arrow().column_names}
    assert columns == set(declared)
    changes = events.diff(0).to_arrow().to_pylist()
    assert {"section": "properties", "kind": "add", "before": None, "after": '"web"'}.items() <= {
        **next(row for row in changes if row["subject"] == "configuration[team]")
    }.items()
    with pytest.raises(TypeError, match="to_dict"):
        events.apply(events.plan_upgrade(), commit_engine="embedded").to_arrow()


def test_secrets_are_masked_unless_asked_for(events: deltaadm.Table) -> None:
    shown = events.inspect()
    for form in (shown.to_json(), str(shown), shown._repr_html_(), repr(shown)):
        assert "xyzzy" not in form
    assert "xyzzy" in deltaadm.table(events.name, show_secrets=True).inspect().to_json()


class Elements(HTMLParser):
    """The elements of a fragment, which must be balanced, and its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.names.add(tag)
        self.ids |= {value or "" for name, value in attrs if name == "id"}

    def handle_startendtag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_notebooks_show_pages_that_do_not_touch_each_other(events: deltaadm.Table) -> None:
    ids: set[str] = set()
    for result in (events.inspect(), events.plan_features("rowTracking"), events.validate()):
        page = result._repr_html_()
        elements = Elements()
        elements.feed(page)
        assert elements.open == []
        assert page.startswith('<div class="deltaadm"><style>.deltaadm {')
        assert not elements.names & {"script", "link", "img", "html", "body", "head"}
        assert elements.ids
        assert not ids & elements.ids
        ids |= elements.ids
        style = re.search("<style>(.*?)</style>", page, re.DOTALL)
        assert style is not None
        assert style[1].count("{") == style[1].count("}")
        assert not re.search(r":root|\bbody\b", style[1])


def test_a_result_says_in_a_line_what_it_is(events: deltaadm.Table) -> None:
    name = events.name
    assert repr(events) == f"deltaadm.table({name!r})"
    assert repr(events.inspect()) == f"<deltaadm inspect: {name}, version 1, 2 features>"
    assert repr(events.diff(0)) == f"<deltaadm diff: {name}, 2 changes>"
    assert repr(events.plan_upgrade()).endswith("0 changes, nothing to do>")
    done = events.apply(events.plan_upgrade(), commit_engine="embedded")
    assert repr(done) == f"<deltaadm outcome: {name}, nothing was committed>"


def test_a_result_has_the_attributes_of_its_report(events: deltaadm.Table) -> None:
    report = events.inspect()
    assert report.features is report.report.features
    assert {"features", "to_dict", "report"} <= set(dir(report))
    again = pickle.loads(pickle.dumps(report))  # noqa: S301 -- our own
    assert again.to_dict() == report.to_dict()
    with pytest.raises(AttributeError, match="'TableReport' object has no attribute 'nothing'"):
        _ = report.nothing


def test_a_table_of_deltalake_is_a_table(tmp_path: Path) -> None:
    odd = tmp_path / "one table"
    deltalake.write_deltalake(odd, pa.table({"id": [1]}))
    found = deltaadm.table(deltalake.DeltaTable(odd, storage_options={"aws_region": "x"}))
    assert found.name == str(odd)
    assert found.inspect().snapshot.version == 0


@pytest.mark.slow
def test_deltalake_calls_a_table_in_an_object_store_by_its_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deltalake.write_deltalake(tmp_path / "t", pa.table({"id": [1]}))
    with s3_server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        location = server.upload(tmp_path / "t", "odd #1")
        theirs = deltalake.DeltaTable("s3://lake/odd%20%231")
        assert deltaadm.table(theirs).name == location
        found = deltaadm.table(location).validate(cross_check=True)
        assert not [each.code for each in found.findings if each.code.startswith("DL98")]


MISTAKES: list[tuple[Callable[[deltaadm.Table], object], type[Exception], str]] = [
    (lambda _: deltaadm.table(3), TypeError, "path, a URL, a name"),
    (lambda _: deltaadm.table(" "), ValueError, "empty"),
    (lambda _: deltaadm.table("x", spark=3), TypeError, "spark must be SparkSession"),
    (lambda _: deltaadm.table("x", storage_options="y"), TypeError, "storage_options must be"),
    (lambda _: deltaadm.table("x", storage_options={"aws_secret_access_key": b"s"}),  # type: ignore[dict-item]
        TypeError, "None, not one with other values for 'aws_secret_access_key'.$"),
    (lambda _: deltaadm.validate("x"), TypeError, "missing a required argument: 'facts'"),
    (lambda _: deltaadm.plan_features("x", ["y"]), TypeError, "snapshot must be Snapshot"),
    (lambda _: deltaadm.load_snapshot("x"), TypeError, "store must be LogStore"),
    (lambda _: deltaadm.diff("x", "y"), TypeError, "before must be Snapshot"),
    (lambda table: deltaadm.plan_features(table.snapshot(), "rowTracking"), TypeError,
        r"names must be Sequence\[str\]"),
    (lambda table: table.inspect("3"), TypeError, "version must be int"),
    (lambda table: table.history(until=date(2026, 1, 31)), ValueError, "neither a version nor"),
    (lambda table: table.plan_undo(True), TypeError, "version must be int"),
    (lambda table: table.plan_features(["x"]), TypeError, "features must be str"),
    (lambda table: table.plan_create("id INT", comment=["x"]), TypeError, "comment must be str"),
    (lambda table: table.plan_changes(set_comments={"id": ["x"]}), TypeError, "must be Mapping"),
    (lambda table: table.inspect(-1), ValueError, "start at 0"),
    (lambda table: table.inspect(1, "2026-11-22"), ValueError, "combined with version"),
    (lambda table: table.inspect(timestamp="soon"), ValueError, "^timestamp: 'soon' is not a time"),
    (lambda table: table.history(since=3, until=1), ValueError, "until: is before since"),
    (lambda table: table.inspect(clients="all"), ValueError, "summary, matrix, sources"),
    (lambda table: table.inspect(nothing=1), TypeError, "nothing"),
    (lambda table: table.why("nothing"), ValueError, "neither a table feature"),
    (lambda table: table.validate(select="DL1"), TypeError, "select must be"),
    (lambda table: table.validate(select=["DL000"]), ValueError, "DL000"),
    (lambda table: table.diff(0, only=["x"]), ValueError, "protocol, features"),
    (lambda table: table.plan_features("x"), deltaadm.RefusedError, "no table feature"),
    (lambda table: table.plan_mapping_mode("x"), ValueError, "^mode: .* none, id, name"),
    (lambda table: table.plan_changes(unset="a"), TypeError, "must be Sequence"),
    (lambda table: table.apply(3), TypeError, "plan must be"),
    (lambda table: table.apply("nowhere.json"), deltaadm.ArgumentFileError, "nowhere.json"),
    (lambda table: table.apply(table.plan_upgrade(), commit_engine="x"), ValueError,
        "embedded, spark"),
    (lambda table: deltaadm.table(table.name, accept_findings=["x"]).plan_upgrade(),
        deltaadm.RefusedError, "no rule 'x'"),
    (lambda table: deltaadm.table(f"{table.name}-none").inspect(), deltaadm.TableError, "no "),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "kind", "message"), MISTAKES)
def test_a_mistake_is_named(
    mistake: Callable[[deltaadm.Table], object],
    kind: type[Exception],
    message: str,
    events: deltaadm.Table,
) -> None:
    with pytest.raises(kind, match=message):
        mistake(events)


def test_dir_lists_what_is_public() -> None:
    assert dir(deltaadm) == sorted(deltaadm.__all__)
