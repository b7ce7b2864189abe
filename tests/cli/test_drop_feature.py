"""`drop-feature` as scripts and cron meet it."""

import os
import time
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.tables import Table, commit, domain, metadata, protocol

DAY = 24 * 3600
NAMES = ["deletionVectors"]


@pytest.fixture
def vectors(tmp_path: Path) -> Table:
    on = metadata({"delta.enableDeletionVectors": "true"})
    return tables.table(tmp_path / "t", commit(protocol(3, 7, NAMES, NAMES), on))


def a_day_later(table: Table) -> None:
    then = time.time() - DAY - 120
    for path in table.log.iterdir():
        os.utime(path, (then, then))


AGREED = ["--apply", "--yes", "--accept-irreversible", "deletionVectors"]


def test_looking_changes_nothing(vectors: Table) -> None:
    with untouched(vectors.path):
        result = deltaadm("drop-feature", vectors.path, "deletionvectors")
    assert result.code == 0
    assert "+ checkpointProtection" in result.out
    assert "To apply:" in result.err


def test_what_can_be_dropped_is_listed(vectors: Table) -> None:
    result = deltaadm("drop-feature", vectors.path)
    assert result.code == 0
    assert "deletionVectors" in result.out
    assert "it needs two runs; the first can start now" in result.out


def test_two_runs_a_day_apart(vectors: Table, writer: LogWriter) -> None:
    command = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history", *AGREED]
    first = deltaadm(*command)
    assert first.code == 8
    assert "run the same command again from 20" in first.err
    with untouched(vectors.path):
        again = deltaadm(*command)
        status = deltaadm("drop-feature", vectors.path, "deletionVectors", "--status")
    assert again.code == status.code == 8
    assert "ready at 20" in again.err
    assert "ready at 20" in status.out
    a_day_later(vectors)
    assert deltaadm("drop-feature", vectors.path, "deletionVectors", "--status").code == 0
    last = deltaadm(*command)
    assert last.code == 0
    assert "as planned" in last.out
    after = deltaadm(*command)
    assert after.code == 0
    assert "nothing to drop" in after.out
    assert len(writer.steps) == 2


def test_a_saved_plan_of_the_first_run_says_when_to_come_back(
    vectors: Table, writer: LogWriter, tmp_path: Path
) -> None:
    file = tmp_path / "plan.json"
    wish = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history"]
    assert deltaadm(*wish, "--out", file).code == 0
    result = deltaadm("apply", file, "--yes", "--accept-irreversible", "deletionVectors")
    assert result.code == 8
    assert "run the same command again from 20" in result.err
    assert len(writer.steps) == 1


@pytest.mark.parametrize(("given", "missing"), [
    (["--yes"], "--accept-irreversible deletionVectors"),
    (["--yes", "--accept-irreversible", "columnMapping"], "--accept-irreversible deletionVectors"),
    (["--accept-irreversible", "deletionVectors"], "--yes"),
])  # fmt: skip
def test_destroying_history_needs_its_own_consent(
    vectors: Table, writer: LogWriter, given: list[str], missing: str
) -> None:
    wish = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history", "--apply"]
    with untouched(vectors.path):
        result = deltaadm(*wish, *given)
    assert result.code == 7
    assert f"Pass {missing} to " in result.err
    assert writer.steps == []


def test_a_plan_that_destroys_history_says_so_where_it_names_its_cost(vectors: Table) -> None:
    wish = ["drop-feature", vectors.path, "deletionVectors"]
    assert (
        "history older than the new checkpoint is deleted"
        in deltaadm(*wish, "--truncate-history").out.partition("  Cost ")[2].partition("\n")[0]
    )
    assert "history older than the new checkpoint" not in deltaadm(*wish).out


def test_keeping_history_needs_no_such_consent(vectors: Table, writer: LogWriter) -> None:
    result = deltaadm("drop-feature", vectors.path, "deletionVectors", "--apply", "--yes")
    assert result.code == 0
    assert len(writer.steps) == 1


def test_contract_of_a_status(vectors: Table) -> None:
    result = deltaadm("drop-feature", vectors.path, "-o", "json")
    assert (result.code, result.err) == (0, "")
    document = result.document
    assert document["version"] == 0
    assert document["features"] == [
        {
            "name": "deletionVectors",
            "phase": "first of two runs",
            "keeps_history": True,
            "truncates_history": True,
            "ready_at": None,
            "work": ["property delta.enableDeletionVectors is unset"],
            "refusal": None,
        }
    ]


def test_waiting_in_json_is_an_error_document(vectors: Table, writer: LogWriter) -> None:
    wish = ["drop-feature", vectors.path, "deletionVectors", "--truncate-history"]
    assert deltaadm(*wish, *AGREED).code == 8
    result = deltaadm(*wish, "-o", "json")
    assert result.code == 8
    assert result.document["error"]["kind"] == "not yet"
    assert len(writer.steps) == 1


@pytest.mark.parametrize(
    "given", [["--status", "--apply"], ["--apply"], ["--check"], ["--status", "-o", "sql"]]
)
def test_a_status_is_no_plan(vectors: Table, given: list[str]) -> None:
    names = ["deletionVectors"] if "--status" in given else []
    assert deltaadm("drop-feature", vectors.path, *names, *given).code == 2


def test_a_refusal_names_what_stands_in_the_way(vectors: Table) -> None:
    result = deltaadm("drop-feature", vectors.path, "appendOnly")
    assert result.code == 0
    result = deltaadm("drop-feature", vectors.path, "nonsense")
    assert result.code == 2


def test_the_way_down(vectors: Table, writer: LogWriter) -> None:
    assert (
        deltaadm(
            "alter", vectors.path, "--unset", "delta.enableDeletionVectors", "--apply", "-y"
        ).code
        == 0
    )
    waiting = deltaadm("upgrade-protocol", vectors.path, "--minimum")
    assert waiting.code == 8
    a_day_later(vectors)
    result = deltaadm("upgrade-protocol", vectors.path, "--minimum", *AGREED)
    assert result.code == 0
    after = deltaadm("inspect", vectors.path, "-o", "json").document["protocol"]
    assert after == {"minReaderVersion": 1, "minWriterVersion": 1}
    assert len(writer.steps) == 2


def test_the_way_down_takes_no_versions(vectors: Table) -> None:
    assert deltaadm("upgrade-protocol", vectors.path, "--minimum", "--writer", "2").code == 2


# Domains, which Delta removes with the feature


@pytest.fixture
def owned(tmp_path: Path) -> Table:
    """An application keeps something in a domain of its own."""
    first = commit(
        protocol(1, 7, None, ["domainMetadata"]), metadata(), domain("my.app", '{"a":1}')
    )
    return tables.table(tmp_path / "t", first)


@pytest.mark.usefixtures("writer")
def test_a_domain_is_named_and_asked_about_before_it_is_removed(owned: Table) -> None:
    command = ["drop-feature", owned.path, "domainMetadata"]
    with untouched(owned.path):
        plan = deltaadm(*command)
        refused = deltaadm(*command, "--apply", "--yes")
        embedded = deltaadm(*command, "--apply", "--yes", "--commit-engine", "embedded")
    assert "domain my.app is removed" in plan.out
    assert "(the domains are deleted)" in plan.out
    assert refused.code == 7
    assert "--accept-irreversible domainMetadata" in refused.err
    assert embedded.code == 7
    assert "Commit it through Spark" in embedded.err
    agreed = deltaadm(*command, "--apply", "--yes", "--accept-irreversible", "domainMetadata")
    assert agreed.code == 0


def test_without_domains_nothing_is_asked(tmp_path: Path) -> None:
    first = commit(protocol(1, 7, None, ["domainMetadata"]), metadata())
    path = tables.table(tmp_path / "t", first).path
    agreed = ["--apply", "--yes", "--commit-engine", "embedded"]
    assert deltaadm("drop-feature", path, "domainMetadata", *agreed).code == 0


def test_a_domain_that_appears_after_planning_is_not_removed(tmp_path: Path) -> None:
    """The saved plan is of a time without domains."""
    first = commit(protocol(1, 7, None, ["domainMetadata"]), metadata())
    table = tables.table(tmp_path / "s", first)
    plan = str(tmp_path / "plan.json")
    assert deltaadm("drop-feature", table.path, "domainMetadata", "--out", plan).code == 0
    (table.log / f"{1:020}.json").write_bytes(commit(domain("my.app")))
    with untouched(table.path):
        late = deltaadm("apply", plan, "--yes", "--commit-engine", "embedded")
    assert late.code in {5, 7}
