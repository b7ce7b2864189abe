"""The man pages: well-formed, and about all that there is."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deltaadm.cli.help import man_pages
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import EXIT_CODES, VARIABLES
from tests.support.program import deltaadm

ROOT = Path(__file__).parents[2]


def test_every_command_option_variable_and_exit_code_has_its_place() -> None:
    pages = {name: page.replace("\\-", "-") for name, page in man_pages().items()}
    program = pages["deltaadm.1"]
    assert pages.keys() == {"deltaadm.1", *(f"deltaadm-{name}.1" for name in COMMANDS)}
    for word in (*COMMANDS, *VARIABLES, *(f"\n  {code} " for code, _ in EXIT_CODES)):
        assert word in program
    for name in COMMANDS:
        page = pages[f"deltaadm-{name}.1"]
        for each in Command(name).declared():
            assert all(spelled in page for spelled in each.names), (name, each.names)


@pytest.mark.slow
def test_a_build_writes_them_without_any_installed_package(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-m", "deltaadm.cli.help", str(tmp_path)]  # -S: no packages
    subprocess.run(command, check=True, cwd=ROOT)
    assert {path.name for path in tmp_path.iterdir()} == man_pages().keys()


def test_a_page_is_printed_where_there_is_no_terminal() -> None:
    assert deltaadm("man").out == man_pages()["deltaadm.1"]
    assert deltaadm("man", "inspect").out == man_pages()["deltaadm-inspect.1"]
    unknown = deltaadm("man", "inspct")
    assert (unknown.code, "Did you mean inspect?" in unknown.err) == (2, True)


def test_no_text_is_taken_for_a_request() -> None:
    known = re.compile(r"\.(\\\"|TH|SH|nf|fi|in)( |$)")
    for name, page in man_pages().items():
        for line in page.splitlines():
            assert not line.startswith("'"), name
            assert not line.startswith(".") or known.match(line), (name, line)
            assert re.fullmatch(r"(?:[^\\]|\\[-e&\"]|\\\((?:ga|ha))*", line), (name, line)


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_mandoc_finds_nothing_wrong(tmp_path: Path) -> None:
    for name, page in man_pages().items():
        (tmp_path / name).write_text(page, encoding="utf-8")
    command = ["mandoc", "-Tlint", "-Wwarning", *map(str, sorted(tmp_path.iterdir()))]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert [line for line in found.splitlines() if "missing date" not in line] == []
