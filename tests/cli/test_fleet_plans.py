"""Plans for many tables: made, saved as one file, carried out, and gone on with."""

import fcntl
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from deltaadm.documents import schemas
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import SetProperties, Step, UnsetProperties
from deltaadm.errors import CommitError
from tests.support import tables
from tests.support.clients import ACCEPT_ALL
from tests.support.plans import resealed
from tests.support.program import LogWriter, deltaadm, listing, process, untouched
from tests.support.tables import Table, commit, commit_info, metadata, protocol

pytestmark = pytest.mark.slow

WISHES: dict[str, tuple[list[str], list[str]]] = {
    "upgrade-protocol": ([], ["--reader", "2", "--writer", "5"]),
    "enable-feature": (["deletionVectors", "rowTracking"], []),
    "set-mapping-mode": (["name"], []),
    "alter": ([], ["--set", "delta.appendOnly=true"]),
    "drop-feature": (["deletionVectors"], []),
    "drop-feature --status": (["deletionVectors"], ["--status"]),
    "drop-feature list": ([], []),
}
each_wish = pytest.mark.parametrize("wish", WISHES)
TWO_STEPS = ("--set", "team=data", "--set", "delta.appendOnly=true", "--unset", "old")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Five tables, two of which have deletion vectors, and one without commits."""
    root = tmp_path / "lake"
    for number in range(5):
        start = [protocol(1, 2), metadata({"old": "1"})]
        if number % 2:
            start = [
                protocol(3, 7, ["deletionVectors"], ["deletionVectors"]),
                metadata({"delta.enableDeletionVectors": "true", "old": "1"}),
            ]
        tables.table(root / f"t{number}", commit(commit_info(), *start))
    return root


@pytest.fixture
def broken(lake: Path) -> Path:
    (lake / "x" / "_delta_log").mkdir(parents=True)
    return lake / "x"


@pytest.fixture
def plans(lake: Path, tmp_path: Path) -> Path:
    """A file with plans of two steps for each of the five."""
    file = tmp_path / "plans.jsonl"
    assert deltaadm("alter", "--discover", lake, *TWO_STEPS, "--out", file).code == 0
    return file


def names(lake: Path) -> list[Path]:
    return sorted(lake.iterdir())


def configuration(table: Path) -> dict[str, str]:
    found = deltaadm("inspect", table, "-o", "json").document
    return dict(found["metadata"]["configuration"])


def is_done(table: Path) -> bool:
    found = configuration(table)
    return found.get("team") == "data" and "old" not in found


def versions(table: Path) -> int:
    return len(list((table / "_delta_log").glob("*.json"))) - 1


# planning


@each_wish
def test_plans_are_those_of_single_runs(lake: Path, broken: Path, wish: str) -> None:
    words, options = WISHES[wish]
    command = wish.split(maxsplit=1)[0]
    with untouched(lake):
        together = deltaadm(command, "--discover", lake, *words, *options, "-o", "jsonl", "-j2")
        alone = [
            deltaadm(command, name, *words, *options, "-o", "jsonl").out for name in names(lake)
        ]
    assert together.out == "".join(alone)
    assert together.code == 9, "one has no commits"
    validator = Draft202012Validator(schemas()["line"])
    for line in together.lines:
        validator.validate(line)
    assert broken.exists()


def test_a_mixed_fleet_fits_a_screen_and_details_have_every_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    states = [*[(1, 2)] * 9, *[(1, 4)] * 5, *[(1, 5)] * 3, (1, 3), (2, 6), (99, 7)]
    for number, versions in enumerate(states):
        tables.table(Path(f"lake/team/orders{number}"), commit(protocol(*versions), metadata()))
    wish = ["enable-feature", "--discover", "lake", "rowTracking", "deletionVectors"]
    screen = deltaadm(*wish)
    lines = f"{screen.out}{screen.err}".splitlines()
    assert len(lines) <= 24
    assert lines[0] == "enable-feature: 20 tables, 1 failed"
    assert "9 tables  lake/team/orders0 and 8 more: reader version 1 -> 3, writer" in screen.out
    assert "5 tables  in other ways; -v shows each" in screen.out
    every = deltaadm(*wish, "-v").out
    assert every.count("\n1 table: ") == 2
    assert "synapse-serverless (deletionVectors)" in " ".join(every.split())


def test_what_nobody_can_plan_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lost = (
        protocol(1, 7, None, ["domainMetadata"]),
        metadata({"delta.enableChangeDataFeed": "true"}),
    )
    for name in "abc":
        tables.table(Path("lake", name), commit(*lost))
    refused = deltaadm("alter", "--discover", "lake", "--set", "a=b")
    assert "3 failed  lake/a and 2 more: The table's protocol lacks" in refused.out
    assert "`deltaadm repair TABLE`" in refused.out
    assert "other reasons" not in refused.out
    fixed = deltaadm("validate", "--discover", "lake", "--fix")
    assert (fixed.code, fixed.out) == (1, "3 tables\n\n  3 tables  not fixed; -v lists them\n")
    missing = deltaadm("inspect", "--discover", "lake", "--version", "9")
    assert "lake/c  The table has no version 9: 0 to 0 are available\n" in missing.out


def test_columns_that_nobody_asked_for_make_plans_no_different(tmp_path: Path) -> None:
    for name, columns in (("wide", 300), ("narrow", 3)):
        schema = tables.schema(*(tables.column(f"c{8 + number}") for number in range(columns)))
        made = commit(commit_info(), protocol(1, 2), metadata(schemaString=schema))
        tables.table(tmp_path / name, made)
    shown = deltaadm("set-mapping-mode", "--discover", tmp_path, "name").out
    assert f"2 tables: {tmp_path / 'narrow'}, {tmp_path / 'wide'}\n" in shown
    assert "~ columns\n" in shown


def test_the_file_has_every_plan_and_no_error(lake: Path, broken: Path, tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    wish = ["alter", "--discover", lake, "--set", "team=data"]
    result = deltaadm(*wish, "--out", file, "-o", "jsonl")
    saved = [json.loads(line) for line in file.read_text().splitlines()]
    assert saved == [line for line in result.lines if line["table"] != str(broken)]
    assert len(saved) == 5
    assert f"Saved 5 plans to {file}. To apply:\n  deltaadm apply {file}\n" in result.err
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["plans.jsonl"]


def test_planning_is_gone_on_with(lake: Path, tmp_path: Path) -> None:
    wish = ["alter", "--discover", lake, "--set", "team=data"]
    whole = deltaadm(*wish, "-o", "jsonl").out
    (tmp_path / "run").write_text(whole[: len(whole) // 2])
    file = tmp_path / "plans.jsonl"
    deltaadm(*wish, "-o", "jsonl", "--resume", tmp_path / "run", "--out", file)
    assert file.read_text() == whole


@pytest.mark.parametrize(
    "wish", [["enable-feature", "rowTracking"], ["drop-feature", "deletionVectors"]], ids=str
)
def test_text_of_plans_is_the_same_after_an_earlier_run(
    lake: Path, tmp_path: Path, wish: list[str]
) -> None:
    wish = [wish[0], "--discover", str(lake), wish[1], "--for-client", "delta-spark"]
    (tmp_path / "run").write_text(deltaadm(*wish, "-o", "jsonl").out)
    assert deltaadm(*wish, "--resume", tmp_path / "run").out == deltaadm(*wish).out


# carrying out


@pytest.mark.parametrize("form", ["jsonl", "text"])
def test_all_are_carried_out_once(lake: Path, plans: Path, writer: LogWriter, form: str) -> None:
    result = deltaadm("apply", plans, "--yes", "-o", form)
    assert result.code == 0, result.err
    assert all(map(is_done, names(lake)))
    if form == "jsonl":
        assert {line["table"] for line in result.lines} == {str(name) for name in names(lake)}
        assert all(line["outcome"]["versions"] == [1, 2] for line in result.lines)
        Draft202012Validator(schemas()["outcome"]).validate(result.lines[0])
    else:
        assert f"committed   {lake}/t3  versions 1, 2" in result.out.splitlines()
        assert "5 tables\n  outcomes  5 x committed\n" in result.out
    with untouched(lake):
        again = deltaadm("apply", plans, "--yes", "-o", form)
    assert (again.code, again.out, len(writer.steps)) == (0, "", 10)


def test_a_journal_that_is_full_ends_the_run_before_the_next_commit(
    lake: Path, plans: Path
) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    apply = ("apply", plans, "--yes", "--jobs", "1", "--commit-engine", "embedded")
    # Python itself would leave half a file of bytecode behind.
    full = process(*apply, env={"PYTHONDONTWRITEBYTECODE": "1"}, preexec_fn=limited)
    assert full.code == 4
    assert "cannot be written: File too large" in full.err
    assert "continues from the journal" in full.err
    assert "bug" not in full.err
    done = list(map(is_done, names(lake)))
    assert any(done)
    assert not all(done)
    assert process(*apply).code == 0
    assert all(map(is_done, names(lake)))
    assert all(versions(name) == 2 for name in names(lake))


def test_what_an_earlier_run_has_done_is_counted(plans: Path, writer: LogWriter) -> None:
    deltaadm("apply", plans, "--yes")
    again = deltaadm("apply", plans, "--yes")
    said = f"5 of 5 plans were applied by an earlier run, according to {_journal(plans)}."
    assert (again.code, again.out, said in again.err) == (0, "", True)
    assert len(writer.steps) == 10


def test_journal_is_as_its_schema_says(plans: Path, writer: LogWriter) -> None:
    deltaadm("apply", plans, "--yes")
    lines = [json.loads(line) for line in _journal(plans).read_text().splitlines()]
    for line in lines:
        Draft202012Validator(schemas()["journal"]).validate(line)
    assert sorted(line["event"] for line in lines) == ["begun"] * 5 + ["done"] * 5
    assert len(writer.steps) == 10


def _journal(plans: Path) -> Path:
    return plans.with_name(f"{plans.name}.journal")


@pytest.mark.usefixtures("writer")
def test_what_is_as_planned_already_is_done(lake: Path, plans: Path) -> None:
    """Whoever made it so, and without a journal."""
    deltaadm("apply", plans, "--yes", "--journal", plans.with_name("one"))
    with untouched(lake):
        result = deltaadm("apply", plans, "--journal", plans.with_name("two"), "-o", "jsonl")
    assert result.code == 0, "nothing is left that needs consent"
    assert [line["outcome"]["versions"] for line in result.lines] == [[]] * 5


def test_a_table_that_has_changed_is_its_own_line(
    lake: Path, plans: Path, writer: LogWriter
) -> None:
    Table(lake / "t2").commit(1, metadata({"old": "2"}))
    result = deltaadm("apply", plans, "--yes", "-o", "jsonl")
    failed = [line for line in result.lines if "error" in line]
    assert [document["table"] for document in failed] == [str(lake / "t2")]
    assert failed[0]["error"]["kind"] == "commit"
    stale = "The plan is stale: configuration[old] changed in version 1; nothing was committed."
    assert failed[0]["error"]["message"] == stale
    assert result.code == 9
    assert len(writer.steps) == 8


@dataclass
class Failing(LogWriter):
    refused: set[str] = field(default_factory=set)

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        if Path(root).name in self.refused:
            raise CommitError("Delta does not want to.", remedy="Ask again.")
        super().apply(root, step, base)


@pytest.mark.parametrize(("limit", "done"), [(1, 1), (2, 2), (3, 3), (None, 3)])
def test_the_run_ends_after_so_many_failures_and_can_be_gone_on_with(
    lake: Path, plans: Path, monkeypatch: pytest.MonkeyPatch, limit: int | None, done: int
) -> None:
    writer = Failing(refused={"t1", "t3"})
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: writer)
    limits = ["--jobs", "1", *(["--max-failures", str(limit)] if limit else [])]
    result = deltaadm("apply", plans, "--yes", *limits, "-o", "jsonl")
    assert result.code == 9
    assert sum(map(is_done, names(lake))) == done
    left = 5 - len(result.lines)
    assert (f"{left} of 5 plans were not started" in result.err) == (left > 0)
    writer.refused.clear()
    again = deltaadm("apply", plans, "--yes", *limits, "-o", "jsonl")
    assert again.code == 0
    assert all(map(is_done, names(lake)))
    assert all(versions(name) == 2 for name in names(lake))


def test_no_more_at_a_time_than_allowed(plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Counting(LogWriter):
        now: int = 0
        most: int = 0

        def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
            self.now += 1
            self.most = max(self.most, self.now)
            time.sleep(0.02)
            super().apply(root, step, base)
            self.now -= 1

    writer = Counting()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: writer)
    assert deltaadm("apply", plans, "--yes", "--jobs", "2").code == 0
    assert writer.most == 2


# waves


@pytest.fixture
def feeds(lake: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Plans that need writer version 4, in a project that allows 3; t1 and t3 have 7 already."""
    monkeypatch.chdir(lake.parent)
    Path("deltaadm.toml").write_text("[policy]\nmax-writer-version = 3\n")
    wish = ("--set", "delta.enableChangeDataFeed=true", "--out", "plans.jsonl")
    assert deltaadm("alter", "--discover", "lake", *wish).code == 0
    return lake.parent / "plans.jsonl"


IN_WAVES = ("--waves", "20%,60%,100%", "--commit-engine", "embedded", "--yes")


def test_a_wave_begins_once_the_one_before_it_has_ended(feeds: Path) -> None:
    (feeds.parent / "deltaadm.toml").unlink()
    assert deltaadm("apply", "plans.jsonl", *IN_WAVES).code == 0
    lines = map(json.loads, Path(f"{feeds}.journal").read_text().splitlines())
    at = {(line["table"][-1], line["event"]): number for number, line in enumerate(lines)}
    assert at["0", "done"] < min(at["1", "begun"], at["2", "begun"])
    assert max(at["1", "done"], at["2", "done"]) < min(at["3", "begun"], at["4", "begun"])


# interruptions


@pytest.mark.parametrize("after", range(1, 10))
def test_an_interrupted_run_is_gone_on_with_between_any_two_steps(
    lake: Path, plans: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """By the same command, and by new plans for the table on which a plan had come half way."""

    @dataclass
    class Interrupted(LogWriter):
        def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
            super().apply(root, step, base)
            if len(self.steps) == after:
                raise KeyboardInterrupt

    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: Interrupted())
    result = deltaadm("apply", plans, "--yes", "--jobs", "1")
    assert result.code == 130
    assert "of 5 plans were applied; the same command continues" in result.err
    writer = LogWriter()
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: writer)
    again = deltaadm("apply", plans, "--yes", "-o", "jsonl")
    half_way = [name for name in names(lake) if not is_done(name)]
    assert (again.code, len(half_way)) == ((9, 1) if after % 2 else (0, 0))
    remedies = [line["error"]["remedy"] for line in again.lines if "error" in line]
    assert remedies == ["Run the original command again."] * len(half_way)
    _plan_again(lake, plans)
    assert all(versions(name) == 2 for name in names(lake)), "no step was taken twice"
    assert len(writer.steps) == 10 - after


def _plan_again(lake: Path, plans: Path) -> None:
    rest = plans.with_name("rest.jsonl")
    assert deltaadm("alter", "--discover", lake, *TWO_STEPS, "--out", rest).code == 0
    assert deltaadm("apply", rest, "--yes").code == 0
    assert all(map(is_done, names(lake)))


@pytest.mark.usefixtures("writer")
def test_what_lies_between_two_steps_is_not_gone_on_with_by_strangers(
    lake: Path, plans: Path
) -> None:
    """Without the journal nobody knows that it was this plan which has begun."""
    Table(lake / "t0").commit(1, metadata({"old": "1", "team": "data", "delta.appendOnly": "true"}))
    result = deltaadm("apply", plans, "--yes", "-o", "jsonl")
    assert [line["table"] for line in result.lines if "error" in line] == [str(lake / "t0")]


@pytest.mark.usefixtures("writer")
def test_a_begun_table_that_somebody_else_has_changed_is_left_alone(
    lake: Path, plans: Path
) -> None:
    saved = json.loads(plans.read_text().splitlines()[0])
    _begin(plans, saved)
    Table(lake / "t0").commit(1, metadata({"old": "1", "team": "other"}))
    result = deltaadm("apply", plans, "--yes", "-o", "jsonl")
    assert [line["table"] for line in result.lines if "error" in line] == [str(lake / "t0")]
    assert configuration(lake / "t0")["team"] == "other"


def _begin(plans: Path, saved: dict[str, Any]) -> None:
    from deltaadm.plans.reports import Entry
    from deltaadm.plans.saved import read_plans
    from deltaadm.runs.many_plans import Journal

    [plan] = read_plans(json.dumps(saved))
    with Journal(_journal(plans)) as journal:
        journal.add(Entry(plan.digest, plan.table, "begun"))


KILLABLE = """
import sys, time
from deltaadm.runs import sessions
from tests.support.clients import ACCEPT_ALL
from tests.support.program import LogWriter
class Slow(LogWriter):
    def apply(self, root, step, base=None):
        time.sleep(0.01)
        super().apply(root, step, base)
        time.sleep(0.01)
sessions.executor = lambda *_, **__: Slow()
from deltaadm.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


def test_a_run_that_is_killed_again_and_again_is_finished_by_planning_again(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed whenever its journal has grown by some bytes, wherever in a line that is."""
    for number in range(5, 30):
        tables.table(lake / f"t{number}", commit(protocol(1, 2), metadata({"old": "1"})))
    plans = tmp_path / "plans.jsonl"
    deltaadm("alter", "--discover", lake, *TWO_STEPS, "--out", plans, "-o", "jsonl")
    arguments = ["apply", str(plans), "--yes", "--jobs", "3"]
    moments = random.Random(8)  # noqa: S311 -- moments, not secrets
    code, kills = -9, 0
    while code < 0:
        code = _killed_after(arguments, _journal(plans), moments.randrange(80_000))
        kills += code < 0
        assert all(_is_whole(name) for name in names(lake))
    half_way = [name for name in names(lake) if not is_done(name)]
    assert (code, bool(half_way)) in {(0, False), (9, True)}
    assert kills >= 2
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    _plan_again(lake, plans)
    assert all(versions(name) == 2 for name in names(lake))


def _is_whole(table: Path) -> bool:
    """As it was, as after the first step, or as promised; and readable in any case."""
    found = configuration(table)
    return ("old" in found, "team" in found) in {(True, False), (True, True), (False, True)}


def _killed_after(arguments: Sequence[str], journal: Path, size: int) -> int:
    def length() -> int:
        return journal.stat().st_size if journal.exists() else 0

    enough = length() + size
    with subprocess.Popen(
        [sys.executable, "-c", KILLABLE, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as program:
        while program.poll() is None:
            if length() > enough:
                program.kill()
            time.sleep(0.001)
    return program.returncode


# consent, and files that will not do


def test_planned_and_carried_out_at_once(
    lake: Path, broken: Path, tmp_path: Path, writer: LogWriter
) -> None:
    wish = ["alter", "--discover", lake, *TWO_STEPS, "--out", tmp_path / "p", "--apply"]
    with untouched(lake):
        assert deltaadm(*wish).code == 7
    result = deltaadm(*wish, "--yes", "-o", "jsonl")
    assert result.code == 9
    failed, *done = result.lines
    assert failed["table"] == str(broken)
    assert [len(document["outcome"]["versions"]) for document in done] == [2] * 5
    again = deltaadm(*wish, "--yes")
    assert "5 x no changes" in again.out
    assert len(writer.steps) == 10


Edit = Callable[[list[dict[str, Any]]], object]


@pytest.mark.parametrize(("edit", "words"), [
    (lambda lines: lines.append({**lines[0], "steps": lines[0]["steps"][:1]}), "has several plans"),
    (lambda lines:
        lines[0]["session"].update(
        {"spark.databricks.delta.allowArbitraryProperties.enabled": "true"}),
        "were made with different Spark settings"),
    (lambda lines: lines[0].pop("steps"), "it has no 'steps'"),
    (lambda lines: lines.__setitem__(0, {"x": 1}), "it has no 'format_version'"),
])  # fmt: skip
def test_files_that_will_not_do(
    lake: Path, plans: Path, writer: LogWriter, edit: Edit, words: str
) -> None:
    lines = [json.loads(line) for line in plans.read_text().splitlines()]
    edit(lines)
    plans.write_text("".join(json.dumps(resealed(line)) + "\n" for line in lines))
    with untouched(lake):
        result = deltaadm("apply", plans, "--yes")
    assert (result.code, writer.steps) == (7, [])
    assert words in result.err


@pytest.mark.usefixtures("writer")
def test_advice_names_the_table(lake: Path, plans: Path) -> None:
    Table(lake / "t0").write(f"{1:020d}.json", '{"protocol":')
    for command in (["apply", plans, "--check"], ["show", plans], ["apply", plans, "--yes"]):
        told = deltaadm(*command, "-o", "json" if command[0] == "show" else "jsonl").out
        assert f"`deltaadm repair {lake / 't0'}` says" in told
    nothing = deltaadm("apply", plans, "--undo", "--journal", lake / "j", "--yes")
    assert (nothing.code, f"undo {plans}" in nothing.err) == (7, False)


def test_a_name_that_nobody_knows_is_no_failure_of_each_table(lake: Path, plans: Path) -> None:
    wish = ["alter", "--discover", lake, "--set", "a=b"]
    for unknown in (["--for-client", "x"], ["--accept-finding", "x"], ["--readers", "x"]):
        for command in (wish, ["apply", plans, "--yes"], ["apply", plans, "--check"]):
            refused = deltaadm(*command, *unknown)
            assert (refused.code, refused.out) == (2, "")
    for command, *words in (
        ["enable-feature", "x"],
        ["drop-feature", "x"],
        ["drop-feature", "x", "--status"],
    ):
        refused = deltaadm(command, "--discover", lake, *words)
        assert (refused.code, refused.out) == (2, "")
    for command, *words in (["enable-feature", "clustering"], ["alter", "--add-column", "x FOO"]):
        refused = deltaadm(command, "--discover", lake, *words)
        assert (refused.code, refused.out) == (7, "")


def test_a_table_with_two_names_has_one_plan(lake: Path, tmp_path: Path, writer: LogWriter) -> None:
    (tmp_path / "link").symlink_to(lake / "t0")
    both = [word for name in ("lake/t0/", "link") for word in ("--table", tmp_path / name)]
    saved = deltaadm("alter", *both, "--set", "team=data", "--out", tmp_path / "p")
    assert (saved.code, deltaadm("apply", tmp_path / "p", "--yes").code) == (0, 0)
    assert len(writer.steps) == 1


def test_a_file_that_was_cut_off_is_refused(plans: Path, writer: LogWriter) -> None:
    plans.write_text(plans.read_text()[:-30])
    result = deltaadm("apply", plans, "--yes")
    assert (result.code, writer.steps) == (7, [])
    assert "it is not JSON" in result.err


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize("begun", [True, False])
def test_an_edited_plan_is_not_carried_out(lake: Path, plans: Path, begun: bool) -> None:
    lines = [json.loads(line) for line in plans.read_text().splitlines()]
    lines[0]["steps"][0]["properties"]["team"] = "mine"
    lines[0] = resealed(lines[0])
    if begun:
        _begin(plans, lines[0])
        Table(lake / "t0").commit(1, metadata({"old": "1", "team": "data"}))
    plans.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = deltaadm("apply", plans, "--yes", "-o", "jsonl")
    [failed] = [line for line in result.lines if "error" in line]
    assert failed["table"] == str(lake / "t0")
    assert "was changed after it was written" in failed["error"]["message"]


@pytest.mark.parametrize("form", ["jsonl", "json"])
@pytest.mark.usefixtures("writer")
def test_what_planning_has_printed_is_a_file_of_plans(
    lake: Path, broken: Path, tmp_path: Path, form: str
) -> None:
    printed = deltaadm("alter", "--discover", lake, "--set", "team=data", "-o", form).out
    (tmp_path / "printed").write_text(printed)
    assert deltaadm("apply", tmp_path / "printed", "--yes").code == 0
    assert all(configuration(name)["team"] == "data" for name in names(lake) if name != broken)


def test_a_journal_is_that_of_one_run_at_a_time(plans: Path, writer: LogWriter) -> None:
    with _journal(plans).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        result = deltaadm("apply", plans, "--yes")
    assert (result.code, writer.steps) == (7, [])
    assert "Another run is using the journal" in result.err


@pytest.mark.parametrize("text", ["hello\n", "{}\n", '{"plan": "x", "event": "odd"}\n', "\n"])
def test_other_files_are_no_journals(plans: Path, writer: LogWriter, text: str) -> None:
    file = plans.with_name("other")
    file.write_text(text)
    result = deltaadm("apply", plans, "--yes", "--journal", file)
    assert (result.code, writer.steps) == (7, [])
    assert "Line 1 of" in result.err
    assert file.read_text() == text


def test_a_single_plan_can_have_a_journal(lake: Path, tmp_path: Path, writer: LogWriter) -> None:
    file = tmp_path / "plan.json"
    deltaadm("alter", lake / "t0", *TWO_STEPS, "--out", file)
    for _ in range(2):
        assert deltaadm("apply", file, "--yes", "--journal", tmp_path / "j").code == 0
    assert [type(step) for step in writer.steps] == [SetProperties, UnsetProperties]
    assert listing(lake / "t0")
    assert process("apply", "--help").code == 0


def test_what_an_undo_of_many_leaves_stands_in_the_line_of_its_table(tmp_path: Path) -> None:
    mode, engine = "delta.columnMapping.mode=name", ["--yes", "--commit-engine", "embedded"]
    given = ["--apply", *engine, *ACCEPT_ALL]
    for name in ("t0", "t1"):
        made = deltaadm(
            "create", tmp_path / "lake" / name, "--schema", "a INT", "--property", mode, *given
        )
        assert made.code == 0, made.err
    wish = ["--rename-column", "a=b", "--set", "team=web"]
    deltaadm("alter", "--discover", tmp_path / "lake", *wish, "--out", tmp_path / "p")
    assert deltaadm("apply", tmp_path / "p", *engine).code == 0
    assert deltaadm("alter", tmp_path / "lake/t1", "--add-column", "a INT", *given).code == 0
    lines = deltaadm("apply", tmp_path / "p", "--undo", *engine).out.splitlines()
    ends = {line.split()[1][-2:]: line.partition("version")[2] for line in lines[:2]}
    assert ends["t0"] == "s 3, 4"
    assert ends["t1"].endswith("; schema[b] stays as it is: The table already has a column a")
