"""The code base keeps its own rules."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import deltaadm
from deltaadm.cli.app import COMMANDS

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "deltaadm").rglob("*.py"))


def tracked_files() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in names.decode().split("\0") if name and (ROOT / name).is_file()]


def test_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize("module", MODULES, ids=[str(one.relative_to(ROOT)) for one in MODULES])
def test_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", deltaadm.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(deltaadm, name) is not None


def test_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = deltaadm.no_such_name


@pytest.mark.parametrize("name", COMMANDS)
def test_subcommand_explains_itself(name: str) -> None:
    assert import_module(COMMANDS[name]).command.__doc__.strip()


def test_licence_is_apache_2() -> None:
    lines = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n")
    assert [line.strip() for line in lines[1:3]] == [
        "Apache License",
        "Version 2.0, January 2004",
    ]
    assert "END OF TERMS AND CONDITIONS" in "\n".join(lines)


REGISTRIES = re.compile(
    r"pypi[.]org|pythonhosted[.]org|repo1?[.]maven|maven[.]org|npmjs[.]|golang[.]org|crates[.]io"
)
MACHINE_PATHS = re.compile(r"(?<![\w.*}])/(?:work|root|home|Users)\b")


def test_no_file_depends_on_one_machine_or_registry() -> None:
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(lines, 1)
            if REGISTRIES.search(line) or MACHINE_PATHS.search(line)
        ]
    assert found == []
