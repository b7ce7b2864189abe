"""`history`: what it shows, of which versions, and what damage and odd requests lead to."""

import re
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Action, Table, add, commit_info, domain, metadata, protocol
from tools import spark_history

DAY = 86_400_000
"""Milliseconds; version N of the table was committed on day N."""


@pytest.fixture
def events(tmp_path: Path) -> Table:
    """Created, written to, upgraded, given a column, a constraint and a secret."""
    made = tables.table(tmp_path / "events")
    listed = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])
    switched = {"delta.enableDeletionVectors": "true"}
    wider = tables.schema(tables.column("a"), tables.column("b"))
    check = {**switched, "delta.constraints.positive": "a > 0"}
    commits: list[list[Action]] = [
        [commit_info(operation="CREATE TABLE", engineInfo="A"), protocol(), metadata()],
        [commit_info(), add("f")],
        [commit_info(operation="SET TBLPROPERTIES"), listed, metadata(switched)],
        [commit_info(operation="ADD COLUMNS"), metadata(switched, schemaString=wider)],
        [commit_info(userName="ann"), metadata(check, schemaString=wider)],
        [commit_info(), metadata({**check, "db.password": "hunter2"}, schemaString=wider)],
        [
            commit_info(),
            domain("mine"),
            metadata({**check, "db.password": "x"}, schemaString=wider),
        ],
    ]
    for version, actions in enumerate(commits):
        made.commit(version, *actions, modified=version * DAY)
    return made


def versions(*arguments: object) -> list[int]:
    result = deltaadm("history", *arguments, "-o", "jsonl")
    assert (result.code, result.err) == (0, "")
    return [line["version"] for line in result.lines]


@pytest.mark.parametrize(("options", "shown"), [
    ((), [0, 2, 3, 4, 5, 6]),
    (("--protocol",), [0, 2]),
    (("--schema",), [0, 3, 4]),
    (("--properties",), [0, 2, 4, 5, 6]),
    (("--protocol", "--schema"), [0, 2, 3, 4]),
    (("--since", "3"), [3, 4, 5, 6]),
    (("--since", "7"), []),
    (("--since", "700"), []),
    (("--until", "3"), [0, 2, 3]),
    (("--since", "1970-01-03", "--until", "1970-01-04T00:00:00Z"), [2, 3]),
    (("--since", "1970-01-03T00:00:00.001Z", "--until", "5"), [3, 4, 5]),
    (("--since", "2", "--until", "1970-01-03T12:00"), [2]),
])  # fmt: skip
def test_chosen_changes(events: Table, options: tuple[str, ...], shown: list[int]) -> None:
    assert versions(events.path, *options) == shown


def test_entry_says_what_the_commit_does(events: Table) -> None:
    found = deltaadm("history", events.path, "-o", "json").document
    assert (found["last_version"], found["stopped"]) == (6, None)
    entry = found["entries"][3]
    assert (entry["version"], entry["timestamp"], entry["user"]) == (4, 4 * DAY, "ann")
    place = "configuration[delta.constraints.positive]"
    change = {"kind": "add", "subject": place, "before": None, "after": "a > 0"}
    assert entry["changes"] == [{"section": "constraints", **change}]


def test_secrets_are_masked_unless_asked_for(events: Table) -> None:
    for form in ("text", "json", "jsonl", "markdown", "html"):
        shown = deltaadm("history", events.path, "-o", form).out
        assert "hunter2" not in shown
        assert "***" in shown or "&#42;" in shown
    assert "hunter2" in deltaadm("history", events.path, "--show-secrets").out


def test_a_truncated_log_says_so(events: Table) -> None:
    kept = {"delta.enableDeletionVectors": "true"}
    listed = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])
    events.checkpoint(2, [listed, metadata(kept)])
    for version in range(2):
        (events.log / f"{version:020d}.json").unlink()
    shown = deltaadm("history", events.path, "--protocol").out
    assert "At or before version 2" in shown
    assert "SET TBLPROPERTIES" not in shown
    first = deltaadm("history", events.path, "-o", "jsonl").lines[0]
    assert (first["at_or_before"], first["operation"]) == (True, None)
    refused = deltaadm("history", events.path, "--until", "1")
    assert (refused.code, refused.out) == (3, "")
    assert "2 to 6 are available" in refused.err
    early = deltaadm("history", events.path, "--until", "1970-01-01")
    assert early.code == 3
    assert "no version as old as" in early.err


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_a_damaged_commit_ends_what_is_shown(events: Table, form: str) -> None:
    events.write(f"{4:020d}.json", '{"metaData": {"id')
    result = deltaadm("history", events.path, "-o", form)
    assert (result.code, result.err) == (3, "")
    assert "ADD COLUMNS" in result.out
    assert "00000000000000000004.json" in result.out


def test_a_damaged_commit_is_the_last_line(events: Table) -> None:
    events.write(f"{4:020d}.json", '{"metaData": {"id')
    result = deltaadm("history", events.path, "-o", "jsonl")
    assert (result.code, len(result.lines)) == (3, 4)
    assert "00000000000000000004.json" in result.lines[-1]["error"]["message"]


def test_no_table_is_an_error(tmp_path: Path) -> None:
    result = deltaadm("history", tmp_path / "nothing")
    assert (result.code, result.out) == (3, "")
    assert "There is no Delta table" in result.err


@pytest.mark.parametrize(("options", "message"), [
    (("--since", "yesterday"), "neither a version nor a time"),
    (("--until", "-1"), "neither a version nor a time"),
    (("--since", "3", "--until", "2"), "is before --since"),
    (("--since", "2026-02-01", "--until", "2026-01-01"), "is before --since"),
    (("-o", "sarif"), "is not one of"),
])  # fmt: skip
def test_odd_requests_are_usage_errors(
    events: Table, options: tuple[str, ...], message: str
) -> None:
    result = deltaadm("history", events.path, *options)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())


def test_nothing_that_was_asked_for_is_said(events: Table) -> None:
    assert "No changes." in deltaadm("history", events.path, "--protocol", "--since", "3").out


def test_a_table_that_spark_has_made_and_described(tmp_path: Path) -> None:
    spark_history.check(tmp_path, spark_history.restore(tmp_path))


def test_the_columns_of_a_new_table_share_a_line(tmp_path: Path) -> None:
    columns = tables.schema(*map(tables.column, "abc"))
    table = tables.table(tmp_path, tables.commit(protocol(), metadata(schemaString=columns)))
    shown = deltaadm("history", table.path).out
    assert "  + schema: 3 columns: a, b, c\n" in shown
    assert re.search(r"\d\d:\d\d:\d\d UTC", shown), "times to the second"
