"""The completion scripts: current, well-formed, and complete what they promise."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from deltaadm.cli.completion_install import place_of
from deltaadm.cli.completions import Shell, read_commands, script
from deltaadm.cli.program import run
from deltaadm.cli.table import COMMANDS
from deltaadm.clients import newest_releases
from deltaadm.domain.model.features import FEATURES
from deltaadm.operations.inspect import TableReport
from deltaadm.operations.reports import PlanReport
from deltaadm.operations.validate import choose_rules
from deltaadm.render.formats import formats_for
from deltaadm.validation.finding import ValidationReport

SCRIPTS = Path(__file__).parent.parent / "completions"
FILES = {
    Shell.BASH: "deltaadm.bash",
    Shell.ZSH: "_deltaadm",
    Shell.FISH: "deltaadm.fish",
    Shell.POWERSHELL: "deltaadm.ps1",
}


def installed(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def output_of(*command: str, stdin: str | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=cwd, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("shell", Shell, ids=lambda shell: shell.value)
def test_committed_script_is_current(shell: Shell) -> None:
    committed = (SCRIPTS / FILES[shell]).read_text(encoding="utf-8")
    assert committed == script(shell), "run: python3 dev.py completions"


@pytest.mark.parametrize("shell", Shell, ids=lambda shell: shell.value)
def test_script_has_every_command_and_feature(shell: Shell) -> None:
    words = set(re.findall(r"[\w-]+", script(shell)))
    assert words >= {*COMMANDS, *FEATURES}


def test_words_need_no_quoting_when_they_are_completed() -> None:
    for command in read_commands():
        values = [*command.arguments, *(each.value for each in command.options if each.value)]
        words = [word for value in values for word in value.words]
        names = [name for each in command.options for name in each.names]
        assert all(re.fullmatch(r"[\w.@-]+=?", word, re.ASCII) for word in (*words, *names))


def test_every_closed_set_of_values_is_offered() -> None:
    """A value that help describes as a list of words is completed with exactly these."""
    for command in read_commands():
        for each in command.options:
            if each.value and not each.value.files and re.search(r", \w+,? or \w+", each.help):
                named = set(re.findall(r"[a-z]+", each.help.partition("(")[0])) - {"or"}
                assert named >= set(each.value.words) > set(), (command.name, each.names)


# What is typed, and what is offered; a star stands for the names of files.

PROPERTIES_OF_CHECKPOINTS = {
    "delta.checkpoint.writeStatsAsJson=",
    "delta.checkpoint.writeStatsAsStruct=",
    "delta.checkpointInterval=",
    "delta.checkpointPolicy=",
    "delta.checkpointRetentionDuration=",
}
CASES = (
    ("", {*COMMANDS, "help"}),
    ("help fo", {"formats"}),
    ("help val", {"validate"}),
    ("config ", {"show", "aliases"}),
    ("inspect --log-format ", {"text", "json"}),
    ("validate --config spark-m", {"spark-master="}),
    ("doctor ta", "*"),
    ("up", {"upgrade-protocol"}),
    ("--v", {"--version"}),
    ("inspect ", "*"),
    ("inspect ta", "*"),
    ("inspect table ", "*"),
    ("inspect --co", {"--columns", "--color", "--config"}),
    ("inspect --output ", {*formats_for(TableReport)}),
    ("inspect --version 3 ", "*"),
    ("inspect --version ", set()),
    ("validate --fail-on ", {"error", "warning", "info"}),
    ("validate table --select DL10", {rule.code for rule in choose_rules(["DL10"])}),
    ("alter table -o ", {*formats_for(PlanReport)}),
    ("validate table -o ", {*formats_for(ValidationReport)}),
    ("alter table -o s", {"sql"}),
    ("alter table --set a=b --color a", {"auto", "always"}),
    ("alter table --out ", "*"),
    ("alter table --set delta.checkpoint", {*PROPERTIES_OF_CHECKPOINTS}),
    ("alter table --set zzz", set()),
    ("alter table --unset delta.append", {"delta.appendOnly"}),
    ("alter table --unset delta.columnMapping.m", {"delta.columnMapping.mode"}),
    ("create table --property delta.append", {"delta.appendOnly="}),
    ("create table --spark-conf ", set()),
    ("alter table ", "*"),
    ("set-mapping-mode ", "*"),
    ("set-mapping-mode table ", {"none", "name", "id"}),
    ("set-mapping-mode --yes table n", {"none", "name"}),
    ("set-mapping-mode table name ", set()),
    ("enable-feature table deletion", {"deletionVectors"}),
    ("enable-feature table rowTracking deletion", {"deletionVectors"}),
    ("enable-feature a b c d e f g h i j k l deletion", {"deletionVectors"}),
    ("enable-feature --discover dir deletion", {"deletionVectors"}),
    ("enable-feature --tables-from=file rowTracking deletion", {"deletionVectors"}),
    ("drop-feature --table table deletion", {"deletionVectors"}),
    ("set-mapping-mode --catalog x n", {"none", "name"}),
    ("set-mapping-mode --check ", "*"),
    ("create table --schema ", "*"),
    ("enable-feature table catalog", set()),
    ("features catalog", {"catalogManaged", "catalogOwned-preview"}),
    ("features rowTracking ", set()),
    ("apply ", "*"),
    ("schema in", {"inspect"}),
    ("completion ", {"bash", "zsh", "fish", "powershell"}),
    ("no-such-command ", set()),
)
CASES_WITH_EQUALS = (
    ("inspect --output=", {*formats_for(TableReport)}),
    ("inspect --output=js", {"json", "jsonl"}),
    ("alter --output=json ta", "*"),
    ("alter --set=delta.append", {"delta.appendOnly="}),
)
IDS = [typed or "nothing" for typed, _ in CASES]
BASH_CASES = (
    *CASES,
    *CASES_WITH_EQUALS,
    ("apply file:/da", "*"),
    ("inspect -- --fi", "*"),
    ("inspect --config deltaadm.to", "*"),
    ("alter table --set delta.appendOnly", {"delta.appendOnly="}),
    ("alter table --set delta.appendOnly=", set()),
)

BASH = r"""
source "$1" || exit
compopt() { offered_files=; }
while IFS= read -r typed; do
    COMP_LINE="deltaadm $typed"
    read -ra COMP_WORDS <<<"deltaadm ${typed//=/ = }"
    [[ -z $typed || $typed == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) offered_files='*'
    _deltaadm
    echo "${COMPREPLY[*]}$offered_files"
done
"""


def test_bash_completes() -> None:
    typed = "".join(f"{one}\n" for one, _ in BASH_CASES)
    answers = output_of(installed("bash"), "-c", BASH, "bash", str(SCRIPTS / FILES[Shell.BASH]),
                   stdin=typed).splitlines()  # fmt: skip
    offered = {
        words: set(line.split()) for (words, _), line in zip(BASH_CASES, answers, strict=True)
    }
    assert offered == {words: set(wanted) for words, wanted in BASH_CASES}


def test_bash_starts_no_process() -> None:
    """With an empty PATH and no right to fork, it answers the same; only aliases are asked for."""
    commands = "ulimit -u 0; PATH=; " + BASH
    path = str(SCRIPTS / FILES[Shell.BASH])
    answer = output_of(installed("bash"), "-c", commands, "bash", path, stdin="completion \n")
    assert set(answer.split()) == {"bash", "zsh", "fish", "powershell"}
    text = (SCRIPTS / FILES[Shell.BASH]).read_text(encoding="utf-8")
    started = re.findall(r"^[^#\n]*(?:\$\((?!\()|<\(|`).*", text, re.MULTILINE)
    assert started == ['        done < <("$1" config aliases -o name 2>/dev/null)']


def test_bash_completes_at_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "my table").mkdir()
    child = pexpect.spawn(
        installed("bash"),
        ["--norc", "--noprofile", "-i"],
        cwd=tmp_path,
        env={"PS1": "ready> ", "TERM": "dumb", "PATH": "/nonexistent"},
        encoding="utf-8",
        timeout=20,
    )
    try:
        child.expect_exact("ready> ")
        child.sendline(f"deltaadm() {{ printf '<%s>' \"$@\"; }}; source '{SCRIPTS}/deltaadm.bash'")
        child.expect_exact("ready> ")
        child.sendline("deltaadm insp\tmy\t --output=jsonl --colu\t")
        child.expect_exact("<inspect><my table/><--output=jsonl><--columns>")
        child.sendline("deltaadm alter my\t --set delta.appendO\ttrue --unset delta.checkpointI\t")
        child.expect_exact(
            "<alter><my table/><--set><delta.appendOnly=true><--unset><delta.checkpointInterval>"
        )
        child.sendline(
            "deltaadm upgrade-protocol my\t"
            " --readable-by duckdb-d\t@\t --writable-by duckdb-delta@1\t"
        )
        release = next(
            release for release in newest_releases() if release.client.id == "duckdb-delta"
        )
        child.expect_exact(
            f"<upgrade-protocol><my table/><--readable-by><{release}><--writable-by><{release}>"
        )
    finally:
        child.close(force=True)


@pytest.mark.slow
def test_fish_completes(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    fish = installed("fish")
    path = SCRIPTS / FILES[Shell.FISH]
    assert output_of(fish, "--no-execute", str(path)) == ""
    cases = (*CASES, *CASES_WITH_EQUALS)
    asked = "".join(f"complete -C 'deltaadm {one}'; echo ---\n" for one, _ in cases)
    home = {"HOME": str(tmp_path), "PATH": "/nonexistent"}
    done = subprocess.run(
        [fish, "--no-config", "-c", f"source {path}; {asked}"],
        capture_output=True, text=True, cwd=tmp_path, env=home, check=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    *answers, _ = done.stdout.split("---\n")
    offered = {
        words: {_without_option(line.partition("\t")[0]) for line in answer.splitlines()}
        for (words, _), answer in zip(cases, answers, strict=True)
    }
    assert offered == {words: {"table/"} if want == "*" else want for words, want in cases}


def test_zsh_completes_at_a_prompt(tmp_path: Path) -> None:
    path = SCRIPTS / FILES[Shell.ZSH]
    zsh = installed("zsh")
    assert output_of(zsh, "-n", str(path)) == ""
    (tmp_path / "my table").mkdir()
    setup = f"autoload -Uz compinit; compinit -u -D; source '{path}'; PS1='ready> '"
    child = pexpect.spawn(
        zsh, ["-f", "-i"], cwd=tmp_path, env={"TERM": "dumb", "PS1": "ready> "},
        encoding="utf-8", timeout=20,
    )  # fmt: skip
    try:
        child.expect_exact("ready> ")
        child.sendline(f"deltaadm() {{ printf '<%s>' \"$@\" }}; {setup}; echo set up")
        child.expect("\nset up")
        child.sendline("deltaadm insp\tmy\t --output=jsonl --colu\t")
        child.expect_exact("<inspect><my table><--output=jsonl><--columns>")
        child.sendline("deltaadm enable-feature my\t deletionV\trowT\t--color alw\t--allow-b\t")
        child.expect_exact(
            "<enable-feature><my table><deletionVectors><rowTracking><--color><always>"
            "<--allow-backfill>"
        )
        child.sendline("deltaadm alter my\t --set delta.appendO\ttrue --unset delta.checkpointI\t")
        child.expect_exact(
            "<alter><my table><--set><delta.appendOnly=true><--unset><delta.checkpointInterval>"
        )
        child.sendline("deltaadm set-mapping-mode my\t na\t")
        child.expect_exact("<set-mapping-mode><my table><name>")
        child.sendline("deltaadm enable-feature --discover my\t deletionV\trowT\t")
        child.expect_exact("<enable-feature><--discover><my table><deletionVectors><rowTracking>")
        child.sendline("deltaadm set-mapping-mode --table=x na\t")
        child.expect_exact("<set-mapping-mode><--table=x><name>")
    finally:
        child.close(force=True)


# Aliases, which the settings of the place have

PROGRAM = f"""#!/bin/sh
[ "$1" = config ] && exec '{sys.executable}' -m deltaadm "$@"
printf '<%s>' "$@"
"""
TYPED = """\
deltaadm inspect @ev\t --table @peo\t --table=@pl\t
<inspect><@events><--table><@people><--table=@places>
deltaadm diff @ev\t @my\t
<diff><@events><@my table>
deltaadm set-mapping-mode @ev\t na\t
<set-mapping-mode><@events><name>
deltaadm doctor @ev\t
<doctor><@events>
deltaadm create @ev\t --schema 'a int'
<create><@events><--schema><a int>
"""
SHELLS = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        "source '{path}'",
    ),
    "zsh": (
        ["-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; source '{path}'",
    ),
    "fish": (
        ["--no-config", "-i"],
        "source '{path}'",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_aliases_are_completed_at_a_prompt(name: str, tmp_path: Path) -> None:
    """The program is asked by the shell, and the lines that come of it are shown."""
    options, setup = SHELLS[name]
    own = tmp_path / ".config/deltaadm/deltaadm.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        '[aliases]\nevents = "a"\npeople = "b"\nplaces = "c"\n"my table" = "d"\n', encoding="utf-8"
    )
    program = tmp_path / "deltaadm"
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    root = str(SCRIPTS.parent)
    env = {"TERM": "dumb", "PS1": "ready> ", "HOME": str(tmp_path), "PYTHONPATH": root,
           "PATH": f"{tmp_path}:/usr/bin:/bin"}  # fmt: skip
    child = pexpect.spawn(installed(name), options, cwd=tmp_path, env=env, encoding="utf-8",
                          timeout=30, dimensions=(24, 300))  # fmt: skip
    try:
        child.sendline(setup.format(path=SCRIPTS / FILES[Shell(name)]) + "; echo set\\ up")
        child.expect_exact("set up")
        lines = TYPED.splitlines()
        for typed, expected in zip(lines[::2], lines[1::2], strict=True):
            child.sendline(typed)
            child.expect_exact(expected)
    finally:
        child.close(force=True)


def test_powershell_completes() -> None:
    pwsh = installed("pwsh")
    path = SCRIPTS / FILES[Shell.POWERSHELL]
    cases = [*CASES, *CASES_WITH_EQUALS]
    asked = "".join(
        f"$line = 'deltaadm {one}'; "
        "try { (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText -join ' ' } "
        "catch { '' }\n"  # what a refusal to complete looks like before PowerShell 7.6
        for one, _ in cases
    )
    answers = output_of(pwsh, "-NoProfile", "-Command", f". '{path}'\n{asked}").splitlines()
    for (typed, wanted), answer in zip(cases, answers, strict=True):
        if wanted != "*":
            assert {_without_option(word) for word in answer.split()} == wanted, typed


def _without_option(word: str) -> str:
    return re.sub("^--[a-z-]+=", "", word)


# Installing them


@pytest.mark.parametrize("shell", Shell, ids=lambda shell: shell.value)
def test_a_script_is_installed_once(
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    place = place_of(shell)
    if place.start_up is not None:
        place.start_up.parent.mkdir(parents=True, exist_ok=True)
        place.start_up.write_text("# mine", encoding="utf-8")
    chosen = [] if shell is Shell.FISH else [shell.value]
    assert run(["completion", "--install", *chosen]) == 0
    assert f"Wrote {place.file}" in capsys.readouterr().err
    assert place.file.read_text(encoding="utf-8") == script(shell)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(before) == (1 if place.start_up is None else 2)
    assert run(["completion", "--install", *chosen]) == 0
    errors = capsys.readouterr().err
    assert "Wrote" not in errors
    assert "Added" not in errors
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    if place.start_up is not None:
        assert before[place.start_up].startswith(b"# mine\n")


def test_zsh_finds_what_was_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zsh = installed("zsh")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZDOTDIR", str(tmp_path))
    assert run(["completion", "--install", "zsh"]) == 0
    found = subprocess.run(
        [zsh, "-i", "-c", "print $_comps[deltaadm]"], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "_deltaadm"


@pytest.mark.parametrize("shell", ["", "/bin/tcsh"])
def test_an_unknown_shell_must_be_named(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert run(["completion", "--install"]) == 2
    assert "bash, zsh, fish, powershell" in capsys.readouterr().err


def test_a_home_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("HOME", str(file))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert run(["completion", "--install", "bash"]) == 7
    assert "deltaadm completion SHELL" in capsys.readouterr().err
