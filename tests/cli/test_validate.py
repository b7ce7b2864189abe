"""`validate` as a user meets it: findings, exit codes, files, baselines, settings, mending."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Self

import pexpect
import pytest

from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, table

INFO = commit_info()
HOSTILE = "\x1b[31m\n::error::<b>&'\"\u202e"


@pytest.fixture(autouse=True)
def _empty_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above the directory in which tests run has settings; checksums do not matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DELTAADM_IGNORE", "DL810")
    monkeypatch.delenv("DELTAADM_CONFIG", raising=False)


@pytest.fixture
def healthy(tmp_path: Path) -> Table:
    return table(tmp_path / "healthy", commit(INFO, protocol(), metadata()))


@pytest.fixture
def odd(tmp_path: Path) -> Table:
    """One error, DL112, in its newest commit."""
    return table(tmp_path / "odd", commit(INFO, protocol(), metadata(), protocol(1, 1)))


@pytest.fixture
def stale(tmp_path: Path) -> Table:
    """One error, DL108, which a checkpoint fixes."""
    made = table(tmp_path / "stale", commit(INFO, protocol(), metadata()), commit(INFO, add("a")))
    made.last_checkpoint(1)
    return made


@pytest.fixture
def gone(tmp_path: Path) -> Table:
    """Version 1 is missing, so that only version 0 could be rebuilt."""
    made = table(tmp_path / "gone", commit(INFO, protocol(), metadata()))
    made.commit(2, INFO, add("a"))
    return made


def codes(document: object) -> list[str]:
    return [finding["code"] for finding in document["findings"]]  # type: ignore[index]


# What is found, and the exit code


def test_a_healthy_table_gives_0(healthy: Table) -> None:
    done = deltaadm("validate", healthy.path)
    assert (done.code, done.err) == (0, "")
    assert "no problems found by" in done.out


def test_an_error_gives_1_and_says_what_to_do(odd: Table) -> None:
    done = deltaadm("validate", odd.path)
    assert (done.code, done.err) == (1, "")
    assert "DL112 several-protocols-or-metadata" in done.out
    assert "What to do: Find and fix the writer." in done.out
    assert "1 error. " in done.out


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1)], ids=str)
def test_a_warning_counts_from_warning_on(tmp_path: Path, fail_on: str, code: int) -> None:
    made = table(tmp_path, commit(INFO, protocol(), metadata({"delta.appendonly": "true"})))
    assert deltaadm("validate", made.path, "--fail-on", fail_on).code == code


def test_an_unreadable_table_gives_3_with_the_findings_there_are(gone: Table) -> None:
    done = deltaadm("validate", gone.path)
    assert (done.code, done.err) == (3, "")
    assert "Not everything could be checked" in done.out
    assert "DL101 gap-in-commits" in done.out
    document = deltaadm("validate", gone.path, "-o", "json").document
    assert document["version"] is None
    assert "gap" in document["stopped"]


@pytest.mark.parametrize(
    ("unreadable", "last"), [([4], 3), ([2, 4], 1), ([0], None)], ids=["newest", "two", "first"]
)
def test_versions_that_an_unreadable_commit_leaves_readable(
    healthy: Table, unreadable: list[int], last: int | None
) -> None:
    for version in range(1, 5):
        healthy.commit(version, add(f"file-{version}"))
    for version in unreadable:
        healthy.write(f"{version:020d}.json", b"nonsense\n")
    found = deltaadm("validate", healthy.path, "-o", "json").document["recreatable_versions"]
    assert found == (None if last is None else {"first": 0, "last": last})


@pytest.mark.parametrize("make", ["nothing", "empty directory", "file"])
def test_a_place_without_table_is_a_finding_as_well(tmp_path: Path, make: str) -> None:
    path = tmp_path / "place"
    if make == "empty directory":
        (path / "_delta_log").mkdir(parents=True)
    elif make == "file":
        path.write_text("x")
    done = deltaadm("validate", path, "-o", "json")
    assert done.code == 3
    assert [finding["severity"] for finding in done.document["findings"]] == ["error"]
    assert "by 0 rules" not in deltaadm("validate", path).out


def test_trouble_with_the_store_is_no_finding() -> None:
    done = deltaadm("validate", "hdfs://nn/table")
    assert (done.code, done.out) == (4, "")
    assert "hdfs://" in done.err
    document = deltaadm("validate", "hdfs://nn/table", "-o", "json").document
    assert document["error"]["exit_code"] == 4


def test_of_several_tables_the_worst_counts(healthy: Table, odd: Table, gone: Table) -> None:
    assert deltaadm("validate", healthy.path, healthy.path).code == 0
    assert deltaadm("validate", odd.path, healthy.path).code == 1
    done = deltaadm("validate", gone.path, healthy.path, odd.path, "-o", "jsonl")
    assert done.code == 9
    assert [codes(line) for line in done.lines] == [["DL101"], [], ["DL112"]]


def test_nothing_is_written(odd: Table, stale: Table, tmp_path: Path) -> None:
    with untouched(tmp_path):
        deltaadm("validate", odd.path, stale.path, "--history", "--deep", "--cross-check")


def test_findings_beyond_the_first_twenty_are_counted(tmp_path: Path) -> None:
    made = table(tmp_path / "t", commit(INFO, protocol(), metadata()))
    for version in range(1, 31):
        made.commit(version, INFO, protocol(1, 2), protocol(1, 3))
    done = deltaadm("validate", made.path, "-o", "json", "--select", "DL112")
    assert len(done.document["findings"]) == 20
    assert done.document["more"] == {"DL112": 10}
    assert done.document["counts"]["error"] == 30
    assert "... and 10 more" in deltaadm("validate", made.path, "--select", "DL112").out


def test_hostile_names_are_shown_and_never_interpreted(tmp_path: Path) -> None:
    configuration = {f"delta.{HOSTILE}": HOSTILE, HOSTILE: HOSTILE}
    column = json.dumps(
        {"type": "struct", "fields": [{"name": HOSTILE, "type": HOSTILE, "nullable": True,
                                       "metadata": {}}]}
    )  # fmt: skip
    path = tmp_path / "t\x1b[31m"
    table(path, commit(INFO, protocol(), metadata(configuration, schemaString=column)))
    done = deltaadm("validate", path)
    assert "\\x1b[31m" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out + done.err)
    assert not [line for line in done.out.splitlines() if line.startswith("::")]
    assert deltaadm("validate", path, "-o", "json").document["table"] == str(path)


# Selection


def test_rules_are_selected_by_code_and_family(odd: Table) -> None:
    for selected in (["DL112"], ["dl1"], ["DL11x"], ["DL2,DL1"], ["DL2", "DL112"]):
        options = [word for code in selected for word in ("--select", code)]
        assert deltaadm("validate", odd.path, *options).code == 1, selected
    assert deltaadm("validate", odd.path, "--select", "DL2").code == 0
    assert deltaadm("validate", odd.path, "--ignore", "DL112").code == 0
    assert deltaadm("validate", odd.path, "--select", "DL1", "--ignore", "DL112").code == 0


@with_rows
def test_what_there_is_not_is_a_usage_error(
    healthy: Table, option: str, word: str | None, suggestion: str
) -> None:
    done = deltaadm("validate", healthy.path, option, *([] if word is None else [word]))
    assert (done.code, done.out) == (2, "")
    assert any(part in done.err for part in suggestion.split("|"))


# Formats and files


def test_several_formats_in_one_run(odd: Table, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = deltaadm("validate", odd.path, "-o", "text", "-o", f"json:{report}")
    assert "DL112" in done.out
    assert codes(json.loads(report.read_text())) == ["DL112"]


def test_output_file_takes_the_format_without_a_file(odd: Table, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    done = deltaadm("validate", odd.path, "-o", "json", "-o", f"jsonl:{other}",
                    "--output-file", one)  # fmt: skip
    assert (done.code, done.out) == (1, "")
    assert codes(json.loads(one.read_text())) == codes(json.loads(other.read_text())) == ["DL112"]


def test_output_file_alone_takes_the_text(odd: Table, tmp_path: Path) -> None:
    done = deltaadm("validate", odd.path, "--output-file", tmp_path / "findings")
    assert (done.code, done.out) == (1, "")
    assert "DL112" in (tmp_path / "findings").read_text()


@pytest.mark.parametrize("options", [
    pytest.param(["-o", "json", "-o", "text"], id="two on standard output"),
    pytest.param(["-o", "json:f", "-o", "text:f"], id="two in one file"),
    pytest.param(["-o", "json:f", "--output-file", "g"], id="a file for nothing"),
])  # fmt: skip
def test_formats_do_not_share_a_place(healthy: Table, options: list[str]) -> None:
    assert deltaadm("validate", healthy.path, *options).code == 2


def test_a_file_that_cannot_be_written_is_said(healthy: Table, tmp_path: Path) -> None:
    done = deltaadm("validate", healthy.path, "-o", f"json:{tmp_path}/no/such/file")
    assert done.code == 7
    assert "cannot be written" in done.err


# Baselines


def test_a_baseline_hides_what_is_known(odd: Table, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    first = deltaadm("validate", odd.path, "--write-baseline", baseline)
    assert (first.code, first.out) == (0, "")
    assert first.err == f"Saved 1 finding of 1 table to {baseline}.\n"
    again = deltaadm("validate", odd.path, "--baseline", baseline)
    assert again.code == 0
    assert "1 in the baseline" in again.out
    odd.commit(1, INFO, protocol(1, 2), protocol(1, 3))
    worse = deltaadm("validate", odd.path, "--baseline", baseline, "-o", "json", "--history",
                     "--select", "DL112")  # fmt: skip
    assert worse.code == 1
    assert [finding["where"] for finding in worse.document["findings"]] == [f"{1:020}.json"]
    assert [finding["by"] for finding in worse.document["suppressed"]] == ["baseline"]


def test_a_baseline_knows_a_table_by_its_id(
    odd: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = tmp_path / "baseline.json"
    deltaadm("validate", odd.path, "--write-baseline", baseline)
    monkeypatch.chdir(odd.path)
    assert "1 in the baseline" in deltaadm("validate", ".", "--baseline", baseline).out
    document = json.loads(baseline.read_text())
    del document["findings"][0]["table_id"]  # as earlier releases wrote it
    baseline.write_text(json.dumps(document))
    assert deltaadm("validate", odd.path, "--baseline", baseline).code == 0
    assert deltaadm("validate", ".", "--baseline", baseline).code == 1


def test_a_baseline_is_the_same_whenever_it_is_written(odd: Table, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    deltaadm("validate", odd.path, "--write-baseline", one)
    deltaadm("validate", odd.path, "--write-baseline", other, "--baseline", one)
    assert one.read_bytes() == other.read_bytes()


def test_a_baseline_does_not_hide_an_unreadable_table(gone: Table, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    assert deltaadm("validate", gone.path, "--write-baseline", baseline).code == 3
    assert deltaadm("validate", gone.path, "--baseline", baseline).code == 3


def test_a_baseline_that_is_not_there_is_said(healthy: Table, tmp_path: Path) -> None:
    done = deltaadm("validate", healthy.path, "--baseline", tmp_path / "none")
    assert (done.code, done.out) == (2, "")
    assert "cannot be read" in done.err


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"kind": "deltaadm-baseline"}', "[" * 100_000])
def test_a_broken_baseline_is_said(healthy: Table, tmp_path: Path, text: str) -> None:
    (tmp_path / "baseline").write_text(text)
    done = deltaadm("validate", healthy.path, "--baseline", tmp_path / "baseline")
    assert (done.code, done.out) == (2, "")
    assert "not a deltaadm baseline" in done.err


# Settings


def test_settings_of_the_project_count(
    odd: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DELTAADM_IGNORE")
    (tmp_path / "deltaadm.toml").write_text('ignore = ["DL112"]')
    assert deltaadm("validate", odd.path).code == 0
    assert deltaadm("validate", odd.path, "--ignore", "DL2").code == 1
    assert deltaadm("validate", odd.path, "--isolated").code == 1


@pytest.mark.usefixtures("odd")
def test_an_ignore_with_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text(
        '[[tables]]\npattern = "od?"\n'
        'ignore = [{ code = "DL112", reason = "the old writer", until = 2999-12-31 }]\n'
    )
    done = deltaadm("validate", "odd")
    assert done.code == 0
    assert "1 ignored by settings" in done.out
    [one] = deltaadm("validate", "odd", "-o", "json").document["suppressed"]
    assert (one["code"], one["by"], one["reason"]) == ("DL112", "settings", "the old writer")


def test_an_expired_ignore_counts_no_longer_and_is_reported(odd: Table, tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text(
        '[[tables]]\npattern = "*"\nignore = [{ code = "DL112", until = 2020-01-31 }]\n'
    )
    done = deltaadm("validate", odd.path)
    assert done.code == 1
    assert "DL112 was ignored until 2020-01-31." in done.out


def test_a_policy_of_the_project_counts(healthy: Table, tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_text(
        '[policy]\nrequired-features = ["deletionVectors"]\n'
        '[policy.properties]\n"delta.logRetentionDuration" = { min = "60 days" }\n'
    )
    done = deltaadm("validate", healthy.path, "-o", "json")
    assert done.code == 1
    assert codes(done.document) == ["DL903", "DL906"]


def test_a_client_that_is_shut_out_is_named_with_the_feature(tmp_path: Path) -> None:
    names = ["deletionVectors"]
    configuration = {"delta.enableDeletionVectors": "true"}
    made = table(
        tmp_path / "t", commit(INFO, protocol(3, 7, names, names), metadata(configuration))
    )
    done = deltaadm("validate", made.path, "--for-client", "delta-spark@2.2.0")
    assert done.code == 1
    assert "delta-spark@2.2.0 cannot read the table, which needs" in done.out
    assert deltaadm("validate", made.path, "--for-client", "delta-spark").code == 0


# Mending


def test_fix_shows_one_plan_and_writes_nothing(stale: Table) -> None:
    with untouched(stale.path):
        done = deltaadm("validate", stale.path, "--fix")
    assert done.code == 0
    assert "DL108 dangling-checkpoint-pointer" in done.out
    assert "To apply:" in done.err


def test_fix_applies_and_the_finding_is_gone(stale: Table) -> None:
    assert deltaadm("validate", stale.path, "--fix", "--check").code == 1
    done = deltaadm("validate", stale.path, "--fix", "--apply", "--yes")
    assert (done.code, done.err) == (0, "")
    assert deltaadm("validate", stale.path, "--fail-on", "info", "--select", "DL108").code == 0
    assert deltaadm("validate", stale.path, "--fix", "--check").code == 0


def test_fix_needs_consent(stale: Table) -> None:
    with untouched(stale.path):
        done = deltaadm("validate", stale.path, "--fix", "--apply")
    assert done.code == 7
    assert "--yes" in done.err


def test_fix_saves_a_plan_that_apply_carries_out(stale: Table, tmp_path: Path) -> None:
    assert deltaadm("validate", stale.path, "--fix", "--out", tmp_path / "plan").code == 0
    assert deltaadm("apply", tmp_path / "plan", "--yes").code == 0
    assert deltaadm("validate", stale.path, "--select", "DL108", "--fail-on", "info").code == 0


def test_fix_fixes_everything_in_one_commit(
    healthy: Table, tmp_path: Path, writer: LogWriter
) -> None:
    (tmp_path / "deltaadm.toml").write_text(
        '[policy]\nrequired-features = ["deletionVectors", "rowTracking"]\n'
        "[policy.properties]\n"
        '"delta.appendOnly" = true\n"team" = "me"\n'
    )
    done = deltaadm("validate", healthy.path, "--fix", "--apply", "--yes")
    assert done.code == 0
    assert len(writer.steps) == 1
    done = deltaadm("validate", healthy.path)
    assert done.code == 0, done.out


def test_fix_has_nothing_to_do_where_nothing_can_be_fixed(odd: Table) -> None:
    done = deltaadm("validate", odd.path, "--fix")
    assert done.code == 1
    assert "Nothing that this command can fix." in done.out
    assert "Not fixed: DL112 several-protocols-or-metadata. Find and fix the writer." in done.out
    assert "1 finding is not fixed" in done.out


def test_fix_of_an_unreadable_table_gives_3(gone: Table) -> None:
    assert deltaadm("validate", gone.path, "--fix").code == 3
    assert deltaadm("validate", gone.path / "no", "--fix", "-o", "json").code == 3


def test_fix_goes_by_the_settings_that_are_named(
    stale: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deltaadm.toml").write_text("selct = []")
    given = ["validate", stale.path, "--fix"]
    refused = deltaadm(*given, "-o", "json")
    assert (refused.code, refused.document["error"]["kind"]) == (2, "settings")
    plan = deltaadm(*given, "--isolated", "--color", "always")
    assert plan.code == 0
    assert "\x1b[" in plan.out


def test_fix_takes_one_format(stale: Table) -> None:
    assert deltaadm("validate", stale.path, "--fix", "-o", "text:f").code == 2
    assert deltaadm("validate", stale.path, "--fix", "-o", "sql").code == 0


def test_fixes_of_many_tables_are_plans_of_many_tables(
    stale: Table, healthy: Table, tmp_path: Path
) -> None:
    plans = tmp_path / "plans.jsonl"
    places = (stale.path, healthy.path, tmp_path / "no")
    done = deltaadm("validate", *places, "--fix", "--out", plans, "-o", "jsonl")
    assert done.code == 9
    assert [line.get("is_noop") for line in done.lines] == [False, True, None]
    assert deltaadm("apply", plans, "--yes").code == 0
    assert deltaadm("validate", stale.path, healthy.path, "--fix", "--check").code == 0


def test_the_command_of_a_fix_can_be_pasted(stale: Table) -> None:
    [finding] = deltaadm("validate", stale.path, "-o", "json", "--select", "DL108").document[
        "findings"
    ]
    program, *words = shlex.split(finding["fix"]["command"])
    assert program == "deltaadm"
    assert deltaadm(*words, "--yes").code == 0
    assert deltaadm("validate", stale.path, "--select", "DL108", "--fail-on", "info").code == 0


def test_no_command_is_offered_where_nobody_can_write_the_checkpoint(tmp_path: Path) -> None:
    names = ["aFutureFeature"]
    made = table(tmp_path / "t", commit(INFO, protocol(3, 7, names, names), metadata()))
    made.last_checkpoint(0)
    [finding] = deltaadm("validate", made.path, "-o", "json", "--select", "DL108").document[
        "findings"
    ]
    assert finding["fix"] is None


# Terminals


linux = pytest.mark.skipif(not hasattr(fcntl, "F_NOTIFY"), reason="needs dnotify of Linux")


def long_log(directory: Path) -> Path:
    """A table that takes a while to examine, and fewer commits than are given to processes."""
    made = table(directory / "slow", commit(INFO, protocol(), metadata()))
    for version in range(1, 2000):
        made.commit(version, INFO, add(f"f{version}"))
    return made.path


class Watched:
    """
    A process that is stopped whenever it has run for a moment, from its first look at a log on.

    However fast the machine is, to the process its work takes as long as the test likes.
    """

    def __init__(self, path: Path) -> None:
        self.pid = 0
        self._log = os.open(path / "_delta_log", os.O_RDONLY)
        self._begun = threading.Event()

    def __enter__(self) -> Self:
        self._handler = signal.signal(signal.SIGIO, lambda *_: self._begun.set())
        fcntl.fcntl(self._log, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._log)
        signal.signal(signal.SIGIO, self._handler)

    def pause(self, seconds: float = 0.3) -> None:
        """Stop the process for so long, as soon as it has begun to read."""
        assert self._begun.wait(60)
        os.kill(self.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(self.pid, signal.SIGCONT)


def spawned(path: Path) -> "pexpect.spawn[str]":
    arguments = ["-m", "deltaadm", "validate", str(path)]
    return pexpect.spawn(sys.executable, arguments, timeout=60, encoding="utf-8")


def until_seen(child: "pexpect.spawn[str]", run: Watched, text: str) -> None:
    run.pid = child.pid
    run.pause()
    while child.expect_exact([text, pexpect.TIMEOUT], timeout=0.02):
        run.pause()


@pytest.mark.slow
@linux
def test_a_slow_run_says_so_on_a_terminal_and_clears_the_line(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    with Watched(path) as run:
        child = spawned(path)
        until_seen(child, run, " files, ")
    child.expect_exact("\x1b[2K")
    child.expect_exact("2 warnings. 2")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.slow
@linux
def test_elsewhere_a_run_of_a_few_seconds_says_nothing(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    arguments = [sys.executable, "-m", "deltaadm", "validate", str(path)]
    with (
        Watched(path) as run,
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child,
    ):
        run.pid = child.pid
        run.pause(2)
        _, errors = child.communicate()
    assert (child.returncode, errors) == (0, b"")


@pytest.mark.slow
@linux
def test_ctrl_c_ends_a_slow_run_cleanly(tmp_path: Path) -> None:
    path = long_log(tmp_path)
    with Watched(path) as run:
        child = spawned(path)
        until_seen(child, run, "Checking ")
    child.sendintr()
    child.expect_exact("Interrupted; nothing was committed.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
