"""Properties that look like secrets are masked wherever they are shown, saved or noted."""

import cProfile
import json
from pathlib import Path

import pytest

from deltaadm.formats import formats_for
from deltaadm.plans.diff import Change, ChangeKind
from deltaadm.plans.plan import Plan
from deltaadm.plans.reports import ConcurrentChange, Outcome, OutcomeReport, PlanReport
from deltaadm.plans.secrets import without_secrets
from deltaadm.reports.inspect import TableReport
from deltaadm.rules.rule import ValidationReport
from tests.support import tables
from tests.support.plans import snapshot
from tests.support.program import LogWriter, Result, deltaadm, untouched
from tests.support.tables import Action, Table, add, commit, commit_info, metadata, protocol

PROPERTIES = {
    "my.password": "hush-1", "fs.s3a.secret.key": "hush/2+=", "apiToken": "hush'3\n",
    "note": "s3://AKIA:hush@bucket/x", "delta.appendOnly": "hush", "team": "data",
}  # fmt: skip
"""What is no secret by its own name is one here because another is: rules quote such values."""
OPTIONS = {"spark.hadoop.fs.azure.account.key.acct.dfs.core.windows.net": "hush-4"}

SHOWING: list[tuple[type, list[str]]] = [
    (TableReport, ["inspect", "TABLE"]),
    (TableReport, ["inspect", "TABLE", "--files", "--columns"]),
    (ValidationReport, ["validate", "TABLE", "--deep", "--history"]),
    (PlanReport, ["alter", "TABLE", "--set", "a=b"]),
    (PlanReport, ["alter", "TABLE", "--set", "my.password=hush-5"]),
    (PlanReport, ["alter", "TABLE", "--unset", "my.password", "--unset", "note"]),
    (PlanReport, ["set-mapping-mode", "TABLE", "name"]),
    (PlanReport, ["validate", "TABLE", "--fix"]),
    (PlanReport, ["create", "NEW", "--schema", "id INT", "--property", "my.token=hush-6"]),
    (OutcomeReport, ["alter", "TABLE", "--set", "my.password=hush-5", "--apply", "--yes"]),
]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    odd = PROPERTIES | {"delta.appendOnly": "false"}
    made = metadata(odd, format={"provider": "parquet", "options": OPTIONS})
    start = [protocol(1, 2), made]
    return tables.table(tmp_path / "lake" / "t", commit(commit_info(), *start))


def run(command: list[str], table: Table, *more: object) -> Result:
    names = {"TABLE": table.path, "NEW": table.path.with_name("new")}
    return deltaadm(*(names.get(word, word) for word in command), *more)


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize(
    ("command", "form"),
    [
        pytest.param(command, form, id=f"{' '.join(command)} -o {form}")
        for report, command in SHOWING
        for form in formats_for(report)
        if form in {"text", "json", "sql"} or command == ["alter", "TABLE", "--set", "a=b"]
    ],
)
def test_no_format_shows_a_secret(table: Table, command: list[str], form: str) -> None:
    result = run(command, table, "-o", form)
    assert result.code in {0, 1}, result
    assert "hush" not in result.out + result.err
    if form == "json" and command[0] != "validate":
        assert "***" in result.out


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "markdown", "html"])
def test_secrets_are_shown_on_request(table: Table, form: str) -> None:
    assert "hush-1" in run(["inspect", "TABLE"], table, "-o", form, "--show-secrets").out
    change = ["alter", "TABLE", "--set", "my.password=hush-5", "--show-secrets"]
    shown = run(change, table, "-o", form)
    assert "hush-1" in shown.out
    assert "hush-5" in shown.out
    many = ["inspect", "--discover", str(table.path.parent), "-o", "jsonl"]
    assert "hush" not in deltaadm(*many).out
    assert "hush-1" in deltaadm(*many, "--show-secrets").out


def test_a_changed_secret_is_seen_as_a_change(table: Table) -> None:
    shown = run(["alter", "TABLE", "--set", "my.password=hush-5"], table)
    assert "~ my.password: *** -> *** (2)" in shown.out
    assert "  Undo        deltaadm undo " in shown.out
    sql = run(["alter", "TABLE", "--set", "my.password=hush-5"], table, "-o", "sql")
    assert "('my.password' = '*** (2)')" in sql.out
    assert "Secrets are masked, so the SQL cannot be run as shown" in sql.err
    assert run(["alter", "TABLE", "--set", "a=b"], table, "-o", "sql").err == ""


def test_what_others_change_meanwhile_is_shown_without_secrets() -> None:
    change = Change(ChangeKind.ADD, "configuration[my.password]", None, "hush")
    plan = Plan(operation="alter", before=snapshot((1, 2), {}))
    others = (ConcurrentChange(2, (change,)),)
    outcome = Outcome(plan=plan, actual=plan.before, versions=(1,), concurrent=others)
    assert "hush" not in repr(without_secrets(OutcomeReport("t", outcome)))


def test_what_fails_says_no_secret(table: Table) -> None:
    table.commit(2, commit_info())
    for form in ("text", "json"):
        failed = run(["inspect", "TABLE"], table, "-o", form)
        assert failed.code == 3
        assert "hush" not in failed.out + failed.err
    table.commit(1, commit_info(), {"add": 1})
    for form in ("text", "json"):
        assert "hush" not in run(["inspect", "TABLE"], table, "-o", form).out
    for wish in ("my.password hush-5", "=hush"):
        refused = run(["alter", "TABLE", "--set", wish], table)
        assert refused.code == 2


def test_the_command_that_applies_shows_no_secret_of_the_environment(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the option is called to which a script passed it."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "9f8e7d6c5b4a")
    words = ["alter", table.path, "--set", "a=b", "--spark-conf", "spark.x=9f8e7d6c5b4a"]
    for rest in ([], ["--out", tmp_path / "plan.json"]):
        result = deltaadm(*words, *rest)
        assert "--spark-conf spark.x=***" in result.err
        assert "9f8e7d6c5b4a" not in result.out + result.err


def test_rules_that_quote_a_value_do_not_quote_a_secret(tmp_path: Path, table: Table) -> None:
    settings = tmp_path / "deltaadm.toml"
    settings.write_text('[policy.properties]\n"my.password" = "another"\n', encoding="utf-8")
    found = deltaadm("validate", table.path, "--config", settings, "-o", "json")
    assert "my.password" in found.out
    assert "hush" not in found.out + found.err


def saved(table: Table, file: Path, *wish: str) -> dict[str, object]:
    assert deltaadm("alter", table.path, *wish, "--out", file).code == 0
    found: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    return found


def configuration(table: Table) -> dict[str, str]:
    found = deltaadm("inspect", table.path, "-o", "json", "--show-secrets").document
    return dict(found["metadata"]["configuration"])


def test_a_plan_file_lacks_the_secrets_of_the_table_and_is_carried_out(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plan.json"
    printed = run(["alter", "TABLE", "--set", "a=b"], table, "-o", "json").document
    assert saved(table, file, "--set", "a=b") == printed
    assert "hush" not in file.read_text(encoding="utf-8")
    shown = deltaadm("apply", file)
    assert shown.code == 7
    assert "hush" not in shown.out + shown.err
    assert deltaadm("apply", file, "--yes").code == 0
    assert len(writer.steps) == 1
    assert configuration(table) == PROPERTIES | {"delta.appendOnly": "false", "a": "b"}


@pytest.mark.parametrize("wish", ["my.password=hush-5", "other.secret=hush-5", "note=s3://A:b@c/d"])
@pytest.mark.parametrize("more", [[], ["--apply", "--yes"], ["--show-secrets"]])
def test_a_plan_that_sets_a_secret_is_not_saved(
    table: Table, tmp_path: Path, writer: LogWriter, wish: str, more: list[str]
) -> None:
    file = tmp_path / "plan.json"
    with untouched(table.path):
        for named in ([table.path], ["--discover", table.path.parent]):
            result = deltaadm("alter", *named, "--set", wish, *more, "--out", file, "-o", "jsonl")
            said = " ".join((result.out + result.err).split())
            assert result.code in {7, 9}
            assert f"sets {wish.partition('=')[0]}, which looks like a secret" in said
            assert "--apply, without --out" in said
            assert not file.exists() or not file.read_text(encoding="utf-8")
    assert not writer.steps


def test_a_new_table_with_a_secret_is_not_saved(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    wish = ["create", "NEW", "--schema", "id INT", "--property", "my.token=hush-6", "--out", file]
    assert run(wish[:-2], table).code == 0
    result = run([*wish[:-1], str(file)], table)
    assert (result.code, file.exists()) == (7, False)


def test_a_default_of_the_session_that_is_a_secret_is_not_saved(
    table: Table, tmp_path: Path
) -> None:
    default = "spark.databricks.delta.properties.defaults.my.password=hush"
    wish = ["alter", "TABLE", "--set", "a=b", "--spark-conf", default]
    assert run(wish, table, "--out", tmp_path / "plan").code == 7
    assert run(wish, table).code == 0


@pytest.mark.parametrize("show", [[], ["--show-secrets"]])
def test_no_plan_file_with_a_secret_is_carried_out(
    table: Table, tmp_path: Path, writer: LogWriter, show: list[str]
) -> None:
    """What is printed of a plan could be taken for a plan file; a mask would become the value."""
    file = tmp_path / "plan.json"
    for wish in ("my.password=hush-5", "note=s3://A:b@c/d"):
        printed = run(["alter", "TABLE", "--set", wish, "-o", "json", *show], table)
        file.write_text(printed.out, encoding="utf-8")
        with untouched(table.path):
            refused = deltaadm("apply", file, "--yes")
        assert (refused.code, writer.steps) == (7, [])
        assert "looks like a secret" in refused.err
        assert "hush" not in refused.out + refused.err
    printed = run(["alter", "TABLE", "--set", "a=b", "-o", "json", *show], table)
    file.write_text(printed.out, encoding="utf-8")
    assert deltaadm("apply", file, "--check").code == (7 if show else 1)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("more", [[], ["-v"]])
def test_plans_for_many_tables_show_no_secret(table: Table, form: str, more: list[str]) -> None:
    wish = ["alter", "--discover", table.path.parent, "--unset", "my.password", "-o", form, *more]
    shown = deltaadm(*wish)
    assert (shown.code, "hush" in shown.out) == (0, False)
    assert "hush-1" in deltaadm(*wish, "--show-secrets").out


def test_what_is_repaired_shows_no_secret(tmp_path: Path) -> None:
    odd = metadata({"delta.appendOnly": "s3://AKIA:hush@bucket/x"})
    made = tables.table(tmp_path / "t", commit(commit_info(), protocol(1, 2), odd))
    for form in ("text", "json"):
        shown = deltaadm("repair", made.path, "-o", form).out
        assert ("s3://AKIA:***@bucket" in shown, "hush" in shown) == (True, False)


def test_the_file_of_plans_that_are_shown_with_secrets_has_none(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plans.jsonl"
    for named in ([table.path], ["--discover", table.path.parent]):
        wish = ["alter", *named, "--set", "a=b", "--show-secrets", "-o", "jsonl", "--out", file]
        assert "hush-1" in deltaadm(*wish).out
        assert "hush" not in file.read_text(encoding="utf-8")
    assert deltaadm("apply", file, "--yes", "--journal", tmp_path / "journal").code == 0
    assert configuration(table) == PROPERTIES | {"delta.appendOnly": "false", "a": "b"}
    assert len(writer.steps) == 1


def test_a_plan_leaves_the_secrets_of_the_table_as_they_are_by_then(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plan.json"
    saved(table, file, "--set", "a=b")
    changed = PROPERTIES | {"delta.appendOnly": "false", "my.password": "hush-9"}
    form = {"provider": "parquet", "options": OPTIONS}
    table.commit(1, commit_info(), metadata(changed, format=form))
    result = deltaadm("apply", file, "--yes")
    assert result.code == 0, result
    assert "hush" not in result.out + result.err
    assert configuration(table) == changed | {"a": "b"}
    assert len(writer.steps) == 1


def test_a_secret_that_is_gone_since_is_a_changed_table(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plan.json"
    saved(table, file, "--set", "a=b")
    changed = {key: value for key, value in PROPERTIES.items() if key != "my.password"}
    form = {"provider": "parquet", "options": OPTIONS}
    table.commit(1, commit_info(), metadata(changed, format=form))
    result = deltaadm("apply", file, "--yes")
    assert (result.code, writer.steps) == (5, [])
    assert "configuration[my.password]" in result.err


def _texts(path: Path) -> Table:
    def url(where: str) -> str:
        return f"https://me:hush-{where}@host/x"

    def described(created: int) -> Action:
        action = metadata({"note": url("property")}, createdTime=created)
        column = {"name": "a", "type": "integer", "nullable": True}
        column["metadata"] = {"comment": url("comment"), "x": {"y": [url("field")]}}
        action["metaData"] |= {
            "name": url("name"),
            "description": url("description"),
            "format": {"provider": "parquet", "options": {"o": url("option")}},
            "schemaString": json.dumps({"type": "struct", "fields": [column]}),
        }
        return action

    info = commit_info(
        operation=url("operation"),
        operationParameters={"properties": json.dumps({"note": url("parameter")})},
        engineInfo=f"token=hush-engine {url('engine')}",
        userName=url("user"),
        userMetadata=url("metadata"),
        tags={"t": url("tag")},
    )
    files = add("f", tags={"t": url("tag")}, stats=json.dumps({"numRecords": 1, "x": url("stat")}))
    return tables.table(
        path,
        commit(info, protocol(1, 3), described(1)),
        commit(info, files, {"txn": {"appId": url("app"), "version": 1}}),
        commit(info, described(2)),
    )


def test_of_a_columns_metadata_only_secrets_are_masked(tmp_path: Path) -> None:
    column = {"name": "token", "type": "string", "nullable": True}
    column["metadata"] = {
        "token": "hush-1", "__COLLATIONS": {"token": "spark.UTF8_LCASE"},
        "comment": "As in https://me:hush-2@host/x.",
    }  # fmt: skip
    made = metadata({})
    made["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": [column]})
    path = tables.table(tmp_path / "t", commit(protocol(), made)).path
    shown = deltaadm("inspect", path, "-o", "json").out
    assert "spark.UTF8_LCASE" in shown
    assert "As in https://me:***@host/x." in shown
    assert "hush" not in shown


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "yaml"])
def test_no_text_of_a_table_shows_a_login(tmp_path: Path, form: str) -> None:
    path, plan = _texts(tmp_path / "t").path, tmp_path / "plan.json"
    for words in (
        ("inspect", path, "--columns", "--files"),
        ("inspect", path, "--why"),
        ("history", path),
        ("diff", f"{path}@0", f"{path}@2"),
        ("record", path),
        ("validate", path, "--deep", "--history"),
        ("alter", path, "--set", "a=b", "--out", plan),
        ("show", plan),
        ("alter", path, "--unset", "note"),
        ("create", path, "--mode", "replace", "--schema", "z INT"),
    ):
        look = () if words[0] == "record" else ("-o", form)
        result = deltaadm(*words, *look)
        assert result.code in {0, 1}, result.err
        assert "hush" not in result.out + result.err, words
    assert "hush" not in plan.read_text()
    assert "hush-description" in deltaadm("inspect", path, "--show-secrets", "-o", "json").out
    applied = deltaadm("apply", plan, "--yes", "--commit-engine", "embedded")
    assert (applied.code, "hush" in applied.out + applied.err) == (0, False)
    assert "hush-comment" in (path / "_delta_log" / f"{3:020d}.json").read_text()


def test_of_many_secrets_each_is_looked_at_a_few_times(tmp_path: Path) -> None:
    many = {f"of{number}.password": f"hush-{number}" for number in range(100)}
    made = tables.table(tmp_path / "t", commit(protocol(), metadata(many)))
    profile = cProfile.Profile()
    result = profile.runcall(deltaadm, "alter", made.path, "--set", "a=b")
    calls = {getattr(of.code, "co_name", ""): of.callcount for of in profile.getstats()}
    assert (result.code, calls["is_secret"] < 20 * len(many)) == (0, True), calls["is_secret"]
