"""What the page of recipes shows is carried out or parsed, as far as that takes no service."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from deltaadm.cli.program import run
from tests.support import tables

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    found = [body for name, body in BLOCKS if name == language]
    assert found
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the tables of the recipes and their reference file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    for name in ("events", "orders"):
        tables.table(tmp_path / "tables" / name, tables.START_BODY)
    assert carried_out("deltaadm record tables/events tables/orders --out reference.json") == 0
    return tmp_path


def carried_out(line: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(shlex.split(line)[1:])


def shell_lines() -> list[str]:
    scripts = [*blocks("sh"), *(step for each in blocks("yaml") for step in steps(each))]
    scripts += re.findall(r"sh '(.*)'", "\n".join(blocks("groovy")))
    lines = [line.strip() for script in scripts for line in script.splitlines()]
    return [line for line in lines if line.startswith("deltaadm ")]


def steps(recipe: str) -> list[str]:
    """The command lines of a recipe in GitLab's form."""
    jobs = yaml.safe_load(recipe)
    return [
        line for job in jobs.values() if isinstance(job, dict) for line in job.get("script", ())
    ]


def test_lines_of_the_shell_can_be_carried_out_in_order(project: Path) -> None:
    lines = shell_lines()
    assert len(lines) >= 8
    for line in lines:
        drift = line.startswith("deltaadm diff")  # the recipe before may have changed a table
        assert carried_out(line) in ({0, 1} if drift else {0}), line
    assert (project / "quality.json").is_file()


def test_the_action_and_the_hooks_take_what_recipes_give_them() -> None:
    github, _, hooks, *_ = [yaml.safe_load(each) for each in blocks("yaml")]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = github["jobs"]["tables"]["steps"][1]["with"]
    assert set(given) <= set(action["inputs"])
    known = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = {hook["id"] for hook in hooks["repos"][0]["hooks"]}
    assert used <= {hook["id"] for hook in known}


def test_python_of_recipes_compiles_and_the_notebook_runs(project: Path) -> None:
    job, notebook = blocks("python")
    compile(job, "job", "exec")
    found: dict[str, object] = {}
    exec(notebook, found)  # noqa: S102 -- our own page
    assert found["plan"]
    assert project.exists()


def test_units_are_what_systemd_takes(tmp_path: Path) -> None:
    service, timer = blocks("ini")
    for name, body in (("deltaadm.service", service), ("deltaadm.timer", timer)):
        parser = ConfigParser(strict=True)
        parser.read_string(body)
        assert parser.has_section("Unit")
        (tmp_path / name).write_text(body, encoding="utf-8")
    program = shutil.which("systemd-analyze")
    if program is not None:
        done = subprocess.run(
            [program, "verify", "--man=no", *map(str, tmp_path.iterdir())],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        ours = [line for line in done.stderr.splitlines() if "deltaadm." in line]
        assert not ours, done.stderr
