"""Plan files and journals of which something was changed: refused, or the same plan."""

import copy
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.examples import TIMES
from tests.support.mutations import Document, mutations
from tests.support.plans import resealed
from tests.support.program import LogWriter, Result, deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol

pytestmark = pytest.mark.slow

REFUSALS = {2, 3, 4, 5, 7}
WISHES: dict[str, list[str]] = {
    "properties": ["alter", "--set", "team=data", "--unset", "old", "--set", "n=1"],
    "columns": ["alter", "--add-column", "c STRUCT<d: INT>", "--set-comment", "a=x"],
    "a constraint": ["alter", "--add-constraint", "positive=a > 0"],
    "a feature": ["enable-feature", "inCommitTimestamp"],
    "mapping": ["set-mapping-mode", "name"],
    "a dropped feature": ["drop-feature", "vacuumProtocolCheck"],
}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    names = ["vacuumProtocolCheck"]
    start = protocol(3, 7, names, names)
    return tables.table(tmp_path / "t", commit(commit_info(), start, metadata({"old": "1"})))


def planned(wish: list[str], table: Table, file: Path) -> Document:
    command, *rest = wish
    assert deltaadm(command, table.path, *rest, "--out", file).code == 0
    found: Document = json.loads(file.read_text(encoding="utf-8"))
    return found


def applied(file: Path, document: Document, *options: object) -> Result:
    file.write_text(json.dumps(document), encoding="utf-8")
    return deltaadm("apply", file, *options)


@pytest.mark.parametrize("wish", WISHES)
def test_every_field_of_a_plan_file(table: Table, tmp_path: Path, wish: str) -> None:
    """
    With the digest that belongs to the change: what is shown is the same, or nothing is.

    But for the name of the command, and a reason that deltaadm finds instead of the file's.
    """
    file = tmp_path / "plan.json"
    document = planned(WISHES[wish], table, file)
    shown = deltaadm("apply", file).out
    assert shown.startswith(f"{WISHES[wish][0]}: {table.path} (version 0)")
    with untouched(table.path):
        for change, changed in mutations(document, seed=len(wish), sample=40 * TIMES):
            sealed = applied(file, resealed(changed))
            assert sealed.code in REFUSALS, (change, sealed)
            assert _is_as_shown(sealed.out, shown, document, changed), change
            bare = applied(file, changed)
            assert (bare.code, bare.out) == (7, ""), change


def _titled(shown: str, document: Document, changed: Document) -> str:
    """What is *shown* of *document*, called "apply" where *changed* names no command for it."""
    command = document["operation"]
    if changed.get("operation") == command:
        return shown
    return f"apply{shown.removeprefix(command)}"


def _is_as_shown(text: str, shown: str, document: Document, changed: Document) -> bool:
    shown = _titled(shown, document, changed)
    if _unexplained(changed) == _unexplained(document):
        text, shown = (re.sub(_REASON, r"\1", words) for words in (text, shown))
    return text in {"", shown}


def _unexplained(document: Document) -> Document:
    changes = document.get("changes")
    if not isinstance(changes, list) or not all(isinstance(change, dict) for change in changes):
        return document
    return document | {"changes": [change | {"because": ""} for change in changes]}


_REASON = re.compile(r"^( *(?:\w+ +)?[-+~=] .*?\S)  +.*$", re.MULTILINE)


def test_every_field_of_a_plan_file_of_a_new_table(tmp_path: Path) -> None:
    file, place = tmp_path / "plan.json", tmp_path / "new"
    given = ["--schema", "id INT, day DATE", "--partition-by", "day", "--property", "a=b"]
    assert deltaadm("create", place, *given, "--out", file).code == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    shown = deltaadm("apply", file).out
    assert shown.startswith(f"create: {place} (no table yet)")
    for change, changed in mutations(document, seed=1, sample=75 * TIMES):
        sealed = applied(file, resealed(changed))
        assert sealed.code in REFUSALS, (change, sealed)
        assert _is_as_shown(sealed.out, shown, document, changed), change
        assert applied(file, changed).code == 7, change
    assert not place.exists()


@with_rows
def test_what_is_shown_does_not_come_from_the_file(
    table: Table, tmp_path: Path, field: str, value: object
) -> None:
    file = tmp_path / "plan.json"
    document = planned(WISHES["properties"], table, file)
    shown = deltaadm("apply", file).out
    changed = copy.deepcopy(document)
    holder = changed["changes"][0] if field in changed["changes"][0] else changed
    holder[field] = value
    assert applied(file, changed).code == 7
    again = applied(file, resealed(changed))
    assert (again.code, again.out) == (7, _titled(shown, document, changed))
    assert "Not applied: no terminal is attached to confirm it." in again.err


@with_rows
def test_reasons_of_the_file_are_found_again(
    table: Table, tmp_path: Path, wish: str, place: str, value: str, why: str
) -> None:
    """Those of columns decide, too, which of them are shown as one change."""
    file = tmp_path / "plan.json"
    document = planned(WISHES[wish], table, file)
    for change in document["changes"]:
        if change["subject"].startswith(place):
            change["because"] = value
    result = applied(file, resealed(document))
    assert (result.code, why in result.out) == (7, True)
    assert "no reason" not in result.out


def test_a_table_is_called_as_in_the_file_where_that_leads_to_it(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "plan.json"
    assert deltaadm("alter", "t", "--set", "a=b", "--out", file).code == 0
    assert deltaadm("apply", file).out.startswith("alter: t (version 0)")
    monkeypatch.chdir(table.path)
    assert deltaadm("apply", file).out.startswith(f"alter: {table.path} (version 0)")


@pytest.mark.parametrize("many", [False, True])
def test_a_link_to_a_copy_is_not_the_table(
    table: Table, tmp_path: Path, writer: LogWriter, *, many: bool
) -> None:
    file = tmp_path / "plan.json"
    planned(WISHES["properties"], table, file)
    copy = tmp_path / "copy"
    table.path.rename(copy)
    table.path.symlink_to(copy)
    journal = ["--journal", tmp_path / "journal"] if many else []
    with untouched(copy):
        result = deltaadm("apply", file, "--yes", *journal)
    assert (result.code, writer.steps) == (9 if many else 5, [])
    assert f"{table.path} is now at {copy}" in result.out + result.err


@pytest.fixture
def run(tmp_path: Path, writer: LogWriter) -> Callable[[], tuple[Path, Path]]:
    """Two plans, of which one is carried out; their file and its journal."""

    def begin() -> tuple[Path, Path]:
        for name in "ab":
            made = commit(commit_info(), protocol(), metadata({"old": "1"}, id=name))
            tables.table(tmp_path / "lake" / name, made)
        plans, journal = tmp_path / "plans.jsonl", tmp_path / "plans.jsonl.journal"
        given = ["alter", "--discover", tmp_path / "lake", "--set", "team=data"]
        assert deltaadm(*given, "--out", plans).code == 0
        assert deltaadm("apply", plans, "--yes", "--jobs", 1).code == 0
        assert writer.steps
        return plans, journal

    return begin


def test_every_field_of_a_journal(run: Callable[[], tuple[Path, Path]], tmp_path: Path) -> None:
    plans, journal = run()
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    with untouched(tmp_path / "lake"):
        for number, line in enumerate(lines):
            for change, changed in mutations(line, seed=number, sample=20 * TIMES):
                for entry in (changed, _resealed_line(changed)):
                    body = [*lines[:number], entry, *lines[number + 1 :]]
                    text = "".join(f"{json.dumps(each)}\n" for each in body)
                    journal.write_text(text, encoding="utf-8")
                    result = deltaadm("apply", plans, "--yes")
                    expected = {7} if entry is changed else {0, 7, 8, 9}
                    assert result.code in expected, (number, change, result)


def _resealed_line(line: Document) -> Document:
    from deltaadm.documents import sha256

    bare = {key: value for key, value in line.items() if key != "sha256"}
    return bare | {"sha256": sha256(bare)}


def test_what_is_no_journal_stays_as_it_is(
    run: Callable[[], tuple[Path, Path]], tmp_path: Path
) -> None:
    plans, _ = run()
    for body in (b"notes without an end", b"notes\nand more"):
        other = tmp_path / "notes"
        other.write_bytes(body)
        result = deltaadm("apply", plans, "--yes", "--journal", other)
        assert result.code == 7
        assert other.read_bytes() == body


def test_a_journal_without_digests_is_refused_with_a_way_on(
    run: Callable[[], tuple[Path, Path]],
) -> None:
    plans, journal = run()
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        del line["sha256"]
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    result = deltaadm("apply", plans, "--yes")
    assert result.code == 7
    assert "was written by an earlier deltaadm" in result.err
    assert deltaadm("apply", plans, "--yes", "--journal", journal.with_name("new")).code == 0


def test_plans_from_standard_input(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "plan.json"
    text = json.dumps(planned(WISHES["properties"], table, file))
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert "+ team = data" in deltaadm("show", "-").out
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    refused = deltaadm("apply", "-")
    assert refused.code == 7
    assert "Pass --yes" in refused.err
    other = tables.table(tmp_path / "other", commit(protocol(1, 2), metadata()))
    more = json.dumps(planned(["alter", "--set", "a=b"], other, file))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{text}\n{more}\n"))
    assert "--journal: is required" in deltaadm("apply", "-", "--yes").err
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert deltaadm("apply", "-", "--yes").code == 0
    assert (table.log / f"{1:020d}.json").exists()


def test_a_plan_goes_to_the_next_program(small: Table, tmp_path: Path) -> None:
    made = deltaadm("alter", small.path, "--set", "a=b", "--out", "-")
    assert (made.code, made.document["table"]) == (0, str(small.path))
    assert "+ a = b" in made.err
    file = tmp_path / "plan.json"
    file.write_text(made.out)
    assert deltaadm("apply", file, "--check").code == 1
    assert not Path("-").exists()


def test_a_plan_outlasts_commits_that_only_add_files(small: Table, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    assert deltaadm("alter", small.path, "--set", "a=b", "--out", file).code == 0
    for version in (1, 2, 3):
        small.commit(version, add(f"f{version}"))
        assert deltaadm("apply", file, "--check").code == 1
    small.write("4.json", commit(add("f4")))
    assert "4.json is not padded" in deltaadm("apply", file, "--check").err


@pytest.mark.parametrize(
    ("more", "option"), [(["--apply"], "--apply"), (["--tables-from", "x"], "--out")]
)
def test_what_a_plan_on_standard_output_goes_without(
    small: Table, more: list[str], option: str
) -> None:
    refused = deltaadm("alter", small.path, "--set", "a=b", "--out", "-", *more)
    assert (refused.code, f"error: {option}" in refused.err) == (2, True)


def test_one_format_at_a_time(small: Table) -> None:
    refused = deltaadm("inspect", small.path, "-o", "json", "-o", "text")
    assert (refused.code, "--output: is given twice" in refused.err) == (2, True)
    assert "`apply` needs no --apply." in deltaadm("apply", "plan.json", "--apply").err
    assert "--why FEATURE` shows" in deltaadm("history", "t", "--feature", "rowTracking").err
