"""Arguments, help and exit codes of what does not parse."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from deltalake import DeltaTable

import deltaadm as package
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import EXIT_CODES, TOPICS, VARIABLES
from deltaadm.formats import FORMATS
from tests.support import tables
from tests.support.program import Result, deltaadm, process, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, commit, metadata, protocol

DOCS = Path(package.__file__).parent.parent / "docs"


@pytest.mark.slow
def test_version() -> None:
    expected = f"deltaadm {package.__version__}\n"
    assert deltaadm("--version").out == expected
    assert process("--version").out == expected


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = deltaadm(option)
    assert result.code == 0
    assert not result.err
    for name in COMMANDS:
        assert f"  {name} " in result.out
    assert "  help exit-codes " in result.out
    assert all(len(line) < 80 for line in result.out.splitlines())


def test_help_is_a_command_as_well() -> None:
    assert deltaadm("help") == deltaadm("--help")
    assert deltaadm("help", "help") == deltaadm("help")
    assert deltaadm("help", "inspect") == deltaadm("inspect", "--help")
    unknown = deltaadm("help", "inspct")
    assert unknown.code == 2
    assert "Did you mean inspect?" in unknown.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = deltaadm(name, "--help")
    assert result.code == 0
    assert result.out.startswith(f"Usage: deltaadm {name} ")
    assert "\n  --help  Show all options.\n" in result.out
    assert all(len(line) < 80 for line in result.out.splitlines() if " deltaadm " not in line)
    examples = result.out.partition("\nExamples:\n")[2].partition("\n\n")[0]
    lines = examples.split("\n")
    assert lines
    assert all(line.startswith(f"  deltaadm {name}") for line in lines), "one is broken up"
    assert result.out.index("Examples:") < result.out.index("Help:")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_short_help_fits_on_a_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short, shared = deltaadm(name, "-h").out, deltaadm("help", "options").out
    assert len(short.splitlines()) <= 45
    assert f"  deltaadm {name} --help " in short.replace("\n", " ")
    assert "  deltaadm help options " in short
    for option in (spelled for each in Command(name).declared() for spelled in each.names):
        assert re.search(rf"[ ,]{option}\b", short + shared), f"{option} is in neither"


def test_options_stand_under_headings() -> None:
    found = re.findall(r"^(\S.*):$", deltaadm("alter", "--help").out, re.MULTILINE)
    own = ["Columns", "Constraints, clustering and properties", "Tables"]
    assert found[:2] == ["Examples", "Arguments"]
    assert set(found) >= {*own, "Plan", "Clients", "Consent", "Spark", "Output", "Help"}
    assert len(found) == len(set(found))


def test_no_arguments_show_a_short_help() -> None:
    result = deltaadm()
    assert (result.code, result.err) == (0, "")
    assert "deltaadm COMMAND -h" in result.out
    assert len(result.out.splitlines()) < 20


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = deltaadm("help", topic)
    assert (result.code, result.err) == (0, "")
    assert all(len(line) < 80 for line in result.out.splitlines())
    assert all(f"  {word}" in result.out for word, _ in TOPICS[topic].rows)


def test_topics_and_pages_agree() -> None:
    page = (DOCS / "exit-codes.md").read_text()
    codes = [str(code) for code, _ in EXIT_CODES]
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == codes
    named = {name for word, _ in TOPICS["formats"].rows for name in word.split(", ")}
    assert named == set(FORMATS)


def test_every_variable_is_documented() -> None:
    code = [path.read_text() for path in Path(package.__file__).parent.rglob("*.py")]
    named = {name for text in code for name in re.findall(r"\bDELTAADM_[A-Z_]*[A-Z]\b", text)}
    examples = {"DELTAADM_OUTPUT"}
    of_tests = {"DELTAADM_AZURITE", "DELTAADM_REQUIRE_SPARK"}
    assert named - examples - of_tests == set(VARIABLES)
    shown = deltaadm("config", "show", "-o", "json").document["settings"]
    variables = {each["key"]: each["variable"] for each in shown}
    assert variables["output"] in examples
    assert all(name is None for key, name in variables.items() if "." in key)


def test_an_error_is_wrapped_where_columns_says_so(
    small: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = ("alter", small.path, "--drop-column", "nosuch")
    whole = deltaadm(*wish).err
    assert f"`deltaadm inspect {small.path} --columns`." in whole
    monkeypatch.setenv("COLUMNS", "60")
    wrapped = deltaadm(*wish).err
    assert " ".join(wrapped.split()) == " ".join(whole.split())
    assert all(len(line) <= 60 or " /" in line for line in wrapped.splitlines())
    narrow = deltaadm("inspect", small.path).out
    monkeypatch.setenv("COLUMNS", "9" * 5000)  # more than Python reads
    assert deltaadm(*wish).err == whole
    monkeypatch.delenv("COLUMNS")
    assert len(narrow.splitlines()) > len(deltaadm("inspect", small.path).out.splitlines())


def test_lines_of_tables_are_wrapped_by_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torn" / "_delta_log").mkdir(parents=True)
    (tmp_path / "torn" / "_delta_log" / f"{0:020}.json").write_text('{"protocol":')
    monkeypatch.chdir(tmp_path)
    whole = deltaadm("inspect", "--discover", ".").out
    monkeypatch.setenv("COLUMNS", "60")
    wrapped = deltaadm("inspect", "--discover", ".").out
    assert " ".join(wrapped.split()) == " ".join(whole.split())
    assert max(map(len, whole.splitlines())) > 60 >= max(map(len, wrapped.splitlines()))
    assert wrapped.splitlines()[1].startswith(" " * len("failed      "))


def test_a_traceback_is_shown_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "abcdefghijklmnopqrstuvwx")
    nothing = tmp_path / "abcdefghijklmnopqrstuvwx"
    assert "Traceback" not in deltaadm("inspect", nothing).err
    for arguments in (["-o", "text"], ["-o", "json"]):
        shown = deltaadm("inspect", nothing, "--debug", *arguments)
        assert (shown.code, "Traceback" in shown.err) == (3, True)
        assert "abcdefghijklmnopqrstuvwx" not in shown.err.partition("Traceback")[2]
    assert "UsageError" in deltaadm("inspect", nothing, "--debug", "-o", "jsn").err


def test_all_errors_have_one_layout(small: Table) -> None:
    for arguments in ("inspct", "inspect T --x", "inspect T -o x", "alter T", "inspect /nowhere"):
        words = (small.path if word == "T" else word for word in arguments.split())
        assert re.fullmatch(r"error: .*[.]\n  .*[.?]\n", deltaadm(*words).err), arguments


@pytest.mark.parametrize(
    "name",
    [name for name in COMMANDS if any(of.metavar[0] != "[" for of in Command(name).arguments)],
)
def test_a_command_without_arguments_says_what_is_missing(name: str) -> None:
    result = deltaadm(name)
    assert result.code == 2
    assert re.fullmatch(
        rf"error: \S+ is missing\.\n  Usage: `deltaadm {name} .*`\. See `.* --help`\.\n",
        result.err,
    )
    assert not result.out
    assert deltaadm("diff", "-o", "json").err == deltaadm("diff").err


@pytest.mark.parametrize("command", ["inspect", "upgrade-protocol"])
def test_an_empty_table_is_not_the_current_directory(
    small: Table, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.path)
    assert deltaadm(command, "").code == 2
    assert deltaadm(command, ".").code == 0


@pytest.mark.slow
def test_python_m_and_its_exit_code(small: Table) -> None:
    assert process("inspect", small.path).code == 0
    assert process("inspect", small.path / "nothing").code == 3


def test_whoever_stops_reading_does_not_disturb() -> None:
    for arguments in (["features"], ["features", "-o", "json"], ["--help"]):
        assert unread(*arguments) == (141, "")


def test_what_nobody_has_read_is_no_verdict(small: Table, tmp_path: Path) -> None:
    """An interrupted check does not pass for one that found nothing; its file is whole."""
    report = tmp_path / "report"
    assert unread("validate", str(small.path), "-o", "text", "-o", f"jsonl:{report}")[0] == 141
    assert json.loads(report.read_text())["version"] == 0
    inventory = tmp_path / "inventory"
    unread("inspect", str(small.path), "--save-as", "delta", str(inventory))
    assert DeltaTable(str(inventory)).to_pyarrow_table().num_rows == 1


def test_a_change_that_nobody_reads_about_is_interrupted(small: Table) -> None:
    with untouched(small.path):
        code, errors = unread("alter", str(small.path), "--set", "a=b", "--apply")
    assert code == 141
    assert "nothing was committed" in errors


def test_what_breaks_in_the_wake_of_an_interrupt_is_no_bug(
    small: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a connection to Java does, which is broken off in the middle of an answer."""

    def broken_off(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise KeyError("p")

    monkeypatch.setattr("deltaadm.runs.target.Target.load", broken_off)
    result = deltaadm("inspect", small.path)
    assert (result.code, result.err) == (130, "\nInterrupted; nothing was committed.\n")


def unread(*arguments: str) -> tuple[int, str]:
    """Run with an output that is closed; the exit code and what was said elsewhere."""
    with subprocess.Popen(
        [sys.executable, "-m", "deltaadm", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        errors = program.stderr.read()
    return program.returncode, errors


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@with_rows
def test_a_full_disk_is_no_bug(command: str) -> None:
    code, errors = with_full_disk(*command.split(), stream="stdout")
    assert code == 4
    assert errors.startswith("error: The output cannot be written: no space left on device.\n")


@pytest.mark.skipif(os.name == "nt", reason="this system limits no files")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_half_an_answer_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # or half a file of it would stay
    limited = f"ulimit -f 1; {shlex.quote(sys.executable)} -m deltaadm features -o json"
    with (tmp_path / "answer").open("w") as file:
        done = subprocess.run(
            ["sh", "-c", limited], check=False, text=True, stdout=file, stderr=subprocess.PIPE
        )
    assert done.returncode == 4
    assert done.stderr.startswith("error: The output cannot be written: file too large.\n")


def test_the_output_may_be_a_text_in_memory() -> None:
    program = (
        "import io, os, sys; from deltaadm.__main__ import main; kept = sys.stdout; "
        "sys.argv, sys.stdout = ['deltaadm', '--version'], io.StringIO(); "
        "os._exit = lambda _: kept.write(sys.stdout.getvalue()); main()"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, text=True, stdout=-1)
    assert done.stdout == f"deltaadm {package.__version__}\n"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    ("command", "code"),
    [("inspect nothing", 3), ("inspct", 2), ("features nothing", 2), ("alter T --set a=b", 0)],
)
def test_what_cannot_be_said_about_the_run_does_not_change_it(
    small: Table, command: str, code: int
) -> None:
    arguments = [str(small.path) if word == "T" else word for word in command.split()]
    assert with_full_disk(*arguments, stream="stderr")[0] == code


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
def test_a_commit_is_told_although_the_outcome_cannot_be_written(small: Table) -> None:
    wish = ("alter", small.path, "--checkpoint", "--apply", "--yes", "-o", "json")
    code, errors = with_full_disk(*map(str, wish), stream="stdout")
    assert code == 4
    assert "no space left on device; everything was done, without a commit." in errors


def with_full_disk(*arguments: str, stream: str) -> tuple[int, str]:
    """Run with a *stream* that takes nothing; the exit code and what was said on the other."""
    with FULL.open("w") as full:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
        done = subprocess.run(
            [sys.executable, "-m", "deltaadm", *arguments], check=False, text=True, **streams
        )
    return done.returncode, (done.stderr if stream == "stdout" else done.stdout)


@with_rows
@pytest.mark.parametrize("form", ["-o json:{file}", "-o json --output-file {file}"])
def test_every_answer_can_go_to_a_file(
    small: Table, tmp_path: Path, command: str, form: str
) -> None:
    file = tmp_path / "answer"
    words = command.format(table=small.path).split()
    shown = deltaadm(*words, "-o", "json")
    kept = deltaadm(*words, *form.format(file=file).split(), "-qq")
    assert kept == Result(shown.code, "", "")
    assert [*json.loads(file.read_text())] == [*shown.document]


def test_yaml_says_what_json_says(tmp_path: Path) -> None:
    odd = {"k": "a: b # c", "no": "no", "x\ty\u2028\U0001f600": "\x85\x7f", "1": "1.0", "": "- "}
    odd |= {"k" * 1_200: "v", '"' * 600: "w", "#" * 1_100: "##[error]x"}
    table = tables.table(tmp_path / "t", commit(protocol(), metadata(odd)))
    for words in (["inspect", table.path], ["validate", table.path], ["explain", "DL101"]):
        [found] = yaml.safe_load_all(deltaadm(*words, "-o", "yaml").out)
        assert found == deltaadm(*words, "-o", "json").document
