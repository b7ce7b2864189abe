"""Properties that look like secrets are masked wherever they are shown, saved or noted."""

import json
import stat
from pathlib import Path

import pytest

from deltaadm.operations.inspect import TableReport
from deltaadm.operations.reports import OutcomeReport, PlanReport
from deltaadm.render.formats import formats_for
from deltaadm.validation.finding import ValidationReport
from tests.support import tables
from tests.support.program import LogWriter, Result, deltaadm, untouched
from tests.support.tables import Table, commit, commit_info, metadata, protocol

PROPERTIES = {
    "my.password": "hush-1",
    "fs.s3a.secret.key": "hush/2+=",
    "apiToken": "hush'3\n",
    "note": "s3://AKIA:hush@bucket/x",
    "delta.appendOnly": "hush",
    "team": "data",
}
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
    assert "~ configuration[my.password]: *** -> *** (2)" in shown.out
    assert "undo: alter --set 'my.password=***' (metadata only)" in shown.out
    sql = run(["alter", "TABLE", "--set", "my.password=hush-5"], table, "-o", "sql")
    assert "('my.password' = '*** (2)')" in sql.out
    assert "Secrets are masked, so the SQL cannot be run as shown" in sql.err
    assert run(["alter", "TABLE", "--set", "a=b"], table, "-o", "sql").err == ""


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


@pytest.mark.parametrize("wish", ["my.password=hush-5", "other.secret=hush-5", "my.password=x"])
def test_a_plan_that_sets_a_secret_keeps_it_for_its_owner(
    table: Table, tmp_path: Path, writer: LogWriter, wish: str
) -> None:
    file = tmp_path / "plan.json"
    file.touch(mode=0o644)
    key, _, value = wish.partition("=")
    result = deltaadm("alter", table.path, "--set", wish, "--set", "a=b", "--out", file)
    assert "contains secrets" in result.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text(encoding="utf-8")
    assert text.count("hush") == ("hush" in value)
    assert json.loads(text)["steps"][0]["properties"][key] == value
    shown = deltaadm("apply", file)
    assert shown.code == 7
    assert "hush" not in shown.out + shown.err
    for journal in ([], ["--journal", tmp_path / "journal"]):
        done = deltaadm("apply", file, "--yes", "-o", "jsonl", *journal)
        assert "hush" not in done.out + done.err
        if not journal:
            assert done.code == 0
    assert "hush" not in (tmp_path / "journal").read_text(encoding="utf-8")
    assert writer.steps
    assert configuration(table)[key] == value


def test_plans_of_many_tables_keep_what_they_set(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plans.jsonl"
    many = ["alter", "--discover", table.path.parent, "-o", "jsonl"]
    for wish, secret in (("a=b", False), ("my.password=hush-5", True)):
        result = deltaadm(*many, "--set", wish, "--out", file)
        assert result.code == 0
        assert "hush" not in result.out + result.err
        assert ("hush" in file.read_text(encoding="utf-8")) == secret
        assert (stat.S_IMODE(file.stat().st_mode) == 0o600) == secret
    assert deltaadm("apply", file, "--yes", "--journal", tmp_path / "journal").code == 0
    assert writer.steps
    assert configuration(table)["my.password"] == "hush-5"


def test_a_printed_plan_without_its_secrets_is_refused(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plan.json"
    wish = ["alter", "TABLE", "--set", "my.password=hush-5", "-o", "json"]
    file.write_text(run(wish, table).out, encoding="utf-8")
    with untouched(table.path):
        refused = deltaadm("apply", file, "--yes")
    assert (refused.code, writer.steps) == (7, [])
    assert "was written without its secrets" in refused.err
    file.write_text(run(wish, table, "--show-secrets").out, encoding="utf-8")
    assert deltaadm("apply", file, "--yes").code == 0
    assert configuration(table)["my.password"] == "hush-5"


def test_a_secret_that_has_changed_since_is_a_changed_table(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    file = tmp_path / "plan.json"
    saved(table, file, "--set", "a=b")
    changed = PROPERTIES | {"delta.appendOnly": "false", "my.password": "hush-9"}
    form = {"provider": "parquet", "options": OPTIONS}
    table.commit(1, commit_info(), metadata(changed, format=form))
    result = deltaadm("apply", file, "--yes")
    assert (result.code, writer.steps) == (5, [])
    assert "configuration[my.password] differs" in result.err
    assert "hush" not in result.out + result.err


def test_a_run_that_was_interrupted_between_two_secrets_goes_on(
    table: Table, tmp_path: Path, writer: LogWriter
) -> None:
    """The first of two steps has replaced a secret whose fingerprint the plan has."""
    file = tmp_path / "plans.jsonl"
    wish = ["--set", "my.password=hush-5", "--unset", "apiToken"]
    assert deltaadm("alter", "--table", table.path, *wish, "--out", file).code == 0
    from deltaadm.documents.saved_plan import read_plans
    from deltaadm.runs.journal import Journal

    [plan] = read_plans(file.read_text(encoding="utf-8"))
    assert len(plan.steps) == 2
    notes = tmp_path / "journal"
    with Journal(notes) as journal:
        journal.begin(plan.digest, plan.table)
    writer.apply(str(table.path), plan.steps[0])
    done = deltaadm("apply", file, "--yes", "--journal", notes)
    assert done.code == 0, done
    found = configuration(table)
    assert (found["my.password"], "apiToken" in found) == ("hush-5", False)
