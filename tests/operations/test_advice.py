"""What `inspect` says is worth doing, with the command that plans it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.reports.inspect import advice_on, describe
from tests.support import tables
from tests.support.plans import snapshot
from tests.support.program import deltaadm
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit, metadata, protocol


def given(table: Snapshot, name: str = "/t") -> list[tuple[str, str]]:
    known = replace(table, files=FileFacts(), domains={})
    return list(advice_on(describe(name, known)))


def listing(*names: str, configuration: Any = ...) -> Snapshot:
    return snapshot((3, 7), configuration, reader=list(names), writer=list(names))


def test_a_table_as_it_should_be_needs_none() -> None:
    assert given(snapshot()) == []
    assert given(snapshot((2, 5))) == []


def test_an_unused_reader_feature() -> None:
    [(text, command)] = given(listing("vacuumProtocolCheck"))
    assert text == "Nothing uses vacuumProtocolCheck: the protocol could be lower."
    assert command == "deltaadm drop-feature /t vacuumProtocolCheck"


@with_rows
def test_no_change_is_advised_that_would_be_refused(
    versions: tuple[int, int], names: tuple[str, ...], configuration: Any, commands: list[str]
) -> None:
    listed = ["vacuumProtocolCheck", *names]
    told = given(snapshot(versions, configuration, reader=listed, writer=listed))
    assert [command for _, command in told] == commands


def test_several_unused_features_are_dropped_together() -> None:
    [(text, command)] = given(listing("vacuumProtocolCheck", "deletionVectors"))
    assert text.startswith("Nothing uses deletionVectors, vacuumProtocolCheck: ")
    assert command == "deltaadm upgrade-protocol /t --minimum"


def test_a_used_feature_is_left_alone() -> None:
    configuration = {"delta.enableDeletionVectors": "true"}
    assert given(listing("deletionVectors", configuration=configuration)) == []


def test_an_unused_writer_feature_only_lowers_the_protocol() -> None:
    table = snapshot((1, 7), {}, writer=["inCommitTimestamp"])
    assert given(table) == [
        (
            "Nothing uses inCommitTimestamp: the protocol could be lower.",
            "deltaadm drop-feature /t inCommitTimestamp",
        )
    ]


def test_a_preview_beside_its_final_form() -> None:
    both = listing(
        "typeWidening", "typeWidening-preview", configuration={"delta.enableTypeWidening": "true"}
    )
    assert given(both) == [
        (
            "typeWidening-preview has a final form, typeWidening, which newer clients know.",
            "deltaadm drop-feature /t typeWidening-preview",
        )
    ]


def test_retention_settings_that_contradict_each_other() -> None:
    table = snapshot((1, 2), {"delta.logRetentionDuration": "interval 1 day"})
    [(text, command)] = given(table)
    assert "is longer than delta.logRetentionDuration (interval 1 day)" in text
    assert command == "deltaadm alter /t --set 'delta.logRetentionDuration=interval 1 week'"


def test_commands_can_be_pasted_whatever_the_table_is_called() -> None:
    [(_, command)] = given(listing("vacuumProtocolCheck"), "-a b")
    assert command == "deltaadm drop-feature './-a b' vacuumProtocolCheck"


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "--table"],
        ["inspect", "--for-client", "hive", "--"],
        ["history", "--restorable", "--"],
        ["validate", "--fix", "--"],
        ["alter", "--set", "a=b", "--"],
    ],
)
def test_so_can_those_of_other_commands(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tables.table(
        tmp_path / "-t",
        commit(protocol(1, 2), metadata()),
        commit(protocol(3, 7, ["deletionVectors"], ["deletionVectors", "appendOnly"])),
    )
    shown = " ".join(deltaadm(*words, "-t").out.split())
    assert re.search(r"deltaadm [a-z-]+ \./-t", shown)
    assert not re.search(r"deltaadm [a-z-]+ -t", shown)


@pytest.fixture
def long_log(tmp_path: Path) -> Table:
    start = commit(protocol(1, 2), metadata())
    more = (commit(add(f"{number}.parquet")) for number in range(31))
    return tables.table(tmp_path / "long", start, *more)


def test_a_missing_checkpoint(long_log: Table) -> None:
    shown = deltaadm("inspect", long_log.path).out
    assert "A checkpoint is missing: readers go through 32 commits" in shown
    assert f"deltaadm alter {long_log.path} --checkpoint" in shown


def test_advice_stands_in_the_end_and_can_be_left_out(long_log: Table) -> None:
    *_, title, _, _, empty, _ = deltaadm("inspect", long_log.path).out.splitlines()
    assert (title, empty) == ("Advice", "")
    assert "Advice" in deltaadm("inspect", long_log.path, "-o", "markdown").out
    plain = deltaadm("inspect", long_log.path, "--no-advice").out
    assert not any(word in plain for word in ("Advice", "For one client"))
    assert "Advice" not in deltaadm("inspect", long_log.path, "--version", "31").out
    assert "advice" not in deltaadm("inspect", long_log.path, "-o", "json").document


def test_no_more_than_three() -> None:
    names = ("typeWidening", "typeWidening-preview", "vacuumProtocolCheck")
    configuration = {
        "delta.enableTypeWidening": "true",
        "delta.logRetentionDuration": "interval 1 day",
    }
    assert len(given(listing(*names, configuration=configuration))) == 3
