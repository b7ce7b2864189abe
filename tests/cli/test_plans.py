"""Commands that change tables: shown, checked, saved, agreed to, and carried out."""

import json
import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from tests.support import tables
from tests.support.clients import ACCEPT_ALL
from tests.support.program import LogWriter, deltaadm, process, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, commit, metadata, protocol


@with_rows
@pytest.mark.parametrize("form", ["text", "json"])
def test_without_consent_nothing_happens(
    small: Table, writer: LogWriter, wish: list[str], given: list[str], missing: str, form: str
) -> None:
    with untouched(small.path):
        result = deltaadm("enable-feature", small.path, *wish, "--apply", *given, "-o", form)
    assert result.code == 7
    assert writer.steps == []
    words = f"Pass {missing} to "
    if form == "json":
        assert result.err == ""
        assert result.document["error"]["remedy"].startswith(words)
    else:
        assert words in result.err


@pytest.mark.parametrize("taken", [1, 2, 3])
def test_a_command_that_is_interrupted_after_a_step_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    @dataclass
    class Interrupted(LogWriter):
        def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
            super().apply(root, step, base)
            if len(self.steps) == taken:
                raise KeyboardInterrupt

    made = tables.table(tmp_path, commit(protocol(), metadata({"c": "1"})))
    wish = ["alter", made.path, "--set", "delta.columnMapping.mode=name", "--unset", "c"]
    wish += ["--rename-column", "a=b", "--apply", "--yes", *ACCEPT_ALL]
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: Interrupted())
    assert deltaadm(*wish).code == 130
    writer = LogWriter()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: writer)
    again = deltaadm(*wish, "-o", "json")
    assert (again.code, len(writer.steps)) == (0, 3 - taken)
    assert again.document["outcome"]["versions"] == list(range(taken + 1, 4))
    left_out = [note for note in again.document["plan"]["notes"] if "so they are skipped" in note]
    assert len(left_out) == (taken > 1)


def test_another_result_than_planned(small: Table, writer: LogWriter) -> None:
    writer.foreign = (metadata({"a": "other"}),)
    result = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes", "-o", "json")
    assert result.code == 5
    (mismatch,) = result.document["outcome"]["mismatches"]
    assert mismatch == {
        "kind": "set", "subject": "configuration[a]", "before": "b", "after": "other",
    }  # fmt: skip
    writer.foreign = (metadata({}),)
    result = deltaadm("alter", small.path, "--set", "c=d", "--apply", "--yes")
    assert result.code == 5
    assert "The result differs from the plan:" in result.out
    assert "configuration[a]  other    nothing" in result.out


@pytest.fixture
def saved(small: Table, tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    result = deltaadm("enable-feature", small.path, "inCommitTimestamp", "--out", file)
    assert result.code == 0
    assert f"deltaadm apply {file}" in result.err
    return file


def test_a_file_with_a_key_twice_is_none(small: Table, saved: Path, writer: LogWriter) -> None:
    """A person may read the one, and the program the other."""
    text = saved.read_text()
    for key in ("location", "minWriterVersion"):
        name = f'"{key}": '
        saved.write_text(text.replace(name, f'{name}"/etc", {name}', 1))
        for command in (["apply", saved, "--yes"], ["show", saved]):
            with untouched(small.path):
                result = deltaadm(*command)
            assert (result.code, f"has the key '{key}' twice" in result.err) == (7, True)
    for damaged, words in ((b"\xff\xfe\x00", "it is not text"),
                           (text.replace("Commit", "X").encode(), "changed after")):  # fmt: skip
        saved.write_bytes(damaged)
        result = deltaadm("apply", saved, "--yes")
        assert (result.code, words in result.err) == (7, True)
    assert not writer.steps


@pytest.mark.usefixtures("writer")
def test_the_file_and_the_outcome_have_the_plan(small: Table, saved: Path) -> None:
    wish = ("enable-feature", small.path, "inCommitTimestamp", "-o", "json")
    shown = deltaadm(*wish).document
    assert json.loads(saved.read_text()) == shown
    assert deltaadm(*wish, "--apply", "--yes").document["plan"] == shown


def test_an_error_of_delta_while_committing(
    small: Table, writer: LogWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deltaadm.errors import CommitError

    def refuse(*_: object) -> None:
        raise CommitError("Delta refuses.", delta_error_class="DELTA_X")

    monkeypatch.setattr(writer, "apply", refuse)
    result = deltaadm("alter", small.path, "--set", "a=b", "--apply", "--yes", "-o", "json")
    assert result.code == 5
    assert result.document["error"]["message"] == "Delta refuses; nothing was committed."
    assert result.document["error"]["delta_error_class"] == "DELTA_X"


@pytest.mark.slow
def test_no_java(small: Table, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    nowhere = {"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    with untouched(small.path):
        result = process(
            "alter", small.path, "--set", "a=b", "--apply", "-y", "-o", "json", env=nowhere
        )
    assert result.code == 6
    assert result.document["error"]["kind"] == "engine"
    assert "Java" in result.document["error"]["message"]


def test_a_bug_keeps_its_traceback(small: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"with {os.environ['MY_TOKEN']}")

    monkeypatch.setenv("MY_TOKEN", "quoted-by-a-library")
    monkeypatch.setattr("deltaadm.runs.target.Target.load", broken)
    result = deltaadm("inspect", small.path)
    assert result.code == 70
    assert "Traceback" in result.err
    assert "This is a bug in deltaadm" in result.err
    assert "with ***" in result.err


def test_the_command_that_a_plan_ends_with_applies_it(
    tmp_path: Path, small: Table, writer: LogWriter
) -> None:
    """Whatever was typed, quoted, with the consents that the plan needs; from the file if saved."""
    file = tmp_path / "a plan.json"
    wishes = (
        ["alter", small.path, "--set", "note=it's $HOME", "-v"],
        ["enable-feature", small.path, "rowTracking", "--check"],
        ["set-mapping-mode", small.path, "name", "--out", str(file)],
    )
    for wish in wishes:
        told = deltaadm(*wish).err
        words = shlex.split(told.partition("To apply:\n")[2])
        assert words[0] == "deltaadm"
        assert ("--allow-backfill" in words) == ("rowTracking" in wish)
        assert ("--accept-silently-wrong" in words) == ("name" in wish)
        done = deltaadm(*words[1:], "--yes")
        assert (done.code, "as planned" in done.out) == (0, True), done.err
    assert words[:3] == ["deltaadm", "apply", str(file)]
    assert len(writer.steps) == len(wishes)


def test_a_plan_is_applied_where_its_table_is_mounted(
    tmp_path: Path, small: Table, writer: LogWriter
) -> None:
    file, other = tmp_path / "plan.json", tmp_path / "mount" / "small"
    assert deltaadm("enable-feature", small.path, "deletionVectors", "--out", file).code == 0
    shutil.copytree(small.path, other)
    stranger = tables.table(tmp_path / "stranger", commit(protocol(), metadata(id="another")))
    wrong = deltaadm("apply", file, "--location", stranger.path, "--yes")
    assert (wrong.code, "is not the one that the plan is for" in wrong.err) == (5, True)
    with untouched(small.path):
        done = deltaadm("apply", file, "--location", other, "--yes")
    assert (done.code, "Version 1 was committed, as planned." in done.out) == (0, True), done.err
    assert deltaadm("apply", file, "--location", other, "--yes").code == 0
    assert len(writer.steps) == 1
    creating = tmp_path / "creating.json"
    wish = ["create", tmp_path / "new", "--schema", "a INT", "--out", creating]
    assert deltaadm(*wish).code == 0
    refused = deltaadm("apply", creating, "--location", other, "--yes")
    assert (refused.code, "existing table" in refused.err) == (7, True)
