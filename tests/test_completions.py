"""Completion: what the program answers, and what the scripts make of it in real shells."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from deltaadm.cli.commands.installation import Shell, place_of
from deltaadm.cli.complete import candidates
from deltaadm.cli.program import run
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.clients import newest_releases
from deltaadm.formats import formats_for
from deltaadm.reports.validate import choose_rules
from tests.support.rows import with_rows

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


def output_of(*command: str, stdin: str | None = None, path: Path | None = None) -> str:
    env = {"PATH": f"{path}:/usr/bin:/bin"} if path else None
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, env=env, check=False, timeout=600
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def offered(*words: str) -> tuple[dict[str, str], bool]:
    """The candidates for the last word with what they mean, and whether files fit as well."""
    files, *lines = candidates(words).splitlines()
    assert files in {"", "files"}
    found = dict(line.split("\t") for line in lines)
    assert len(found) == len(lines)
    return found, files == "files"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_offered_and_needs_no_quoting(name: str) -> None:
    options, _ = offered(name, "-")
    declared = tuple(Command(name).declared())
    assert {*options} == {own for each in declared for own in each.names}
    assert all(options.values())
    for each in (*declared, None):
        words, _ = offered(name, *([each.names[0], ""] if each and each.names else [""]))
        assert all(re.fullmatch(r"[\w.@-]+=?", word, re.ASCII) for word in (*words, *options))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_closed_set_of_values_is_offered(name: str) -> None:
    """A value that help describes as a list of words is completed with exactly these."""
    for each in Command(name).declared():
        if each.names and not each.is_switch and re.search(r", \w+,? or \w+", each.help):
            words, files = offered(name, each.names[0], "")
            named = set(re.findall(r"[a-z]+", each.help.partition("(")[0])) - {"or"}
            assert files or named >= set(words) > set(), each.names


def test_an_answer_needs_nothing_slow() -> None:
    code = (
        "import sys; from deltaadm.cli.program import run; run(sys.argv[1:]); "
        "slow = {'typer', 'rich', 'pyarrow', 'deltalake', 'obstore'} & {*sys.modules}; "
        "sys.exit(' '.join(slow) or None)"
    )
    words = ("__complete", "validate", "table", "--select", "")
    assert "DL101" in output_of(sys.executable, "-c", code, *words)


# What is typed, and what is offered; a star stands for the names of files.

PROPERTIES_OF_CHECKPOINTS = {
    "delta.checkpoint.writeStatsAsJson=", "delta.checkpoint.writeStatsAsStruct=",
    "delta.checkpointInterval=", "delta.checkpointPolicy=", "delta.checkpointRetentionDuration=",
}  # fmt: skip
CASES = (
    ("", {*COMMANDS, "help"}),
    ("inspect --output ", {*formats_for("TableReport")}),
    ("validate table --select DL10", {rule.code for rule in choose_rules(["DL10"])}),
    ("alter table -o ", {*formats_for("PlanReport")}),
    ("validate table -o ", {*formats_for("ValidationReport")}),
    ("alter table --set delta.checkpoint", {*PROPERTIES_OF_CHECKPOINTS}),
    ("inspect --output=", {f"--output={name}" for name in formats_for("TableReport")}),
)


@pytest.mark.parametrize(("typed", "expected"), CASES)
def test_words_that_the_code_lists_are_answered(typed: str, expected: set[str]) -> None:
    test_words_are_answered(typed, [*expected])


@with_rows
def test_words_are_answered(typed: str, expected: list[str] | str) -> None:
    words = typed.split(" ")
    found, files = offered(*words)
    matching = {word for word in found if word.startswith(words[-1])}
    assert ("*" if files and not matching else sorted(matching)) == (
        expected if expected == "*" else sorted(expected)
    )


# What the shells make of it

PROGRAM = f"""#!/bin/sh
[ "$1" = __complete ] && exec '{sys.executable}' -m deltaadm "$@"
printf '<%s>' "$@"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a program that completes, and otherwise prints what it is given."""
    monkeypatch.setenv("PYTHONPATH", str(SCRIPTS.parent))
    path = tmp_path / "bin" / "deltaadm"
    path.parent.mkdir()
    path.write_text(PROGRAM, encoding="utf-8")
    path.chmod(0o755)
    return path.parent


BASH = r"""
source "$1" || exit
compopt() { offered_files=; }
while IFS= read -r typed; do
    COMP_LINE="deltaadm $typed"
    read -ra COMP_WORDS <<<"deltaadm ${typed//=/ = }"
    [[ -z $typed || $typed == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) offered_files='*'
    _deltaadm deltaadm
    echo "${COMPREPLY[*]}$offered_files"
done
"""
BASH_CASES = {
    "up": "upgrade-protocol", "inspect ta": "*", "inspect --output=js": "json jsonl",
    "inspect --config deltaadm.to": "*", "alter table --set delta.appendOnly": "delta.appendOnly=",
    "alter table --set delta.appendOnly=": "", "apply file:/da": "*", "no-such-command ": "",
}  # fmt: skip


def test_bash_completes(program: Path) -> None:
    script, typed = str(SCRIPTS / FILES[Shell.BASH]), "".join(f"{one}\n" for one in BASH_CASES)
    answers = output_of(installed("bash"), "-c", BASH, "bash", script, stdin=typed, path=program)
    assert dict(zip(BASH_CASES, answers.splitlines(), strict=True)) == BASH_CASES


SETUP = {
    "bash": (["--norc", "--noprofile", "-i"], "source '{path}'"),
    "zsh": (["-f", "-i"], "autoload -Uz compinit; compinit -u -D; source '{path}'"),
    "fish": (["--no-config", "-i"], "source '{path}'"),
}
TYPED = """\
deltaadm insp\tmy\t --output=jsonl --colu\t
<inspect><my table/><--output=jsonl><--columns>
deltaadm alter my\t --set delta.appendO\ttrue --unset delta.checkpointI\t
<alter><my table/><--set><delta.appendOnly=true><--unset><delta.checkpointInterval>
deltaadm enable-feature --discover my\t deletionV\trowT\t --color=alw\t
<enable-feature><--discover><my table/><deletionVectors><rowTracking><--color=always>
deltaadm create @ev\t --schema=my\t --as x
<create><@events><--schema=my table/><--as><x>
deltaadm inspect --table @peo\t --table=@pl\t
<inspect><--table><@people><--table=@places>
deltaadm diff @ev\t @my\t
<diff><@events><@my table>
deltaadm set-mapping-mode @ev\t na\t
<set-mapping-mode><@events><name>
"""
RELEASE = next(each for each in newest_releases() if each.client.id == "duckdb-delta")
AMBIGUOUS = f"""\
deltaadm upgrade-protocol my\t --readable-by duckdb-d\t@\t --writable-by duckdb-delta@1\t
<upgrade-protocol><my table/><--readable-by><{RELEASE}><--writable-by><{RELEASE}>
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", SETUP)
def test_a_shell_completes_at_a_prompt(name: str, tmp_path: Path, program: Path) -> None:
    """Words, files and aliases, behind a blank and behind =, with blanks in them."""
    options, setup = SETUP[name]
    shell, path = installed(name), SCRIPTS / FILES[Shell(name)]
    assert output_of(shell, "-n", str(path)) == ""
    (tmp_path / "my table").mkdir()
    own = tmp_path / ".config/deltaadm/deltaadm.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        '[aliases]\nevents = "a"\npeople = "b"\nplaces = "c"\n"my table" = "d"\n', encoding="utf-8"
    )
    env = {"TERM": "dumb", "PS1": "ready> ", "HOME": str(tmp_path),
           "PYTHONPATH": str(SCRIPTS.parent), "PATH": f"{program}:/usr/bin:/bin"}  # fmt: skip
    child = pexpect.spawn(shell, options, cwd=tmp_path, env=env, encoding="utf-8",
                          timeout=300, dimensions=(24, 300))  # fmt: skip
    lines = (TYPED + AMBIGUOUS if name == "bash" else TYPED).splitlines()
    try:
        child.sendline(setup.format(path=path) + "; echo set\\ up")
        child.expect_exact("set up")
        for typed, expected in zip(lines[::2], lines[1::2], strict=True):
            child.sendline(typed)
            # zsh takes back the slash that it adds to a directory where a blank follows.
            child.expect_exact(expected.replace("/", "") if name == "zsh" else expected)
    finally:
        child.close(force=True)


POWERSHELL_CASES = (
    ("up", {"upgrade-protocol"}),
    ("inspect table --output ", {*formats_for("TableReport")}),
    ("inspect --output=js", {"--output=json", "--output=jsonl"}),
    ("alter table --set delta.append", {"delta.appendOnly="}),
    ("inspect --version ", set()),
)


def test_powershell_completes(program: Path) -> None:
    pwsh = installed("pwsh")
    path = SCRIPTS / FILES[Shell.POWERSHELL]
    asked = "".join(
        f"$line = 'deltaadm {one}'; "
        "try { (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText -join ' ' } "
        "catch { '' }\n"  # what a refusal to complete looks like before PowerShell 7.6
        for one, _ in POWERSHELL_CASES
    )
    answers = output_of(pwsh, "-NoProfile", "-Command", f". '{path}'\n{asked}", path=program)
    for (typed, wanted), line in zip(POWERSHELL_CASES, answers.splitlines(), strict=True):
        assert set(line.split()) == wanted, typed


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
    text = (SCRIPTS / FILES[shell]).read_text(encoding="utf-8")
    assert place.file.read_text(encoding="utf-8") == text
    assert run(["completion", shell.value]) == 0
    assert capsys.readouterr().out == text
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(before) == (1 if place.start_up is None else 2)
    assert run(["completion", "--install", *chosen]) == 0
    assert "Added" not in capsys.readouterr().err
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
