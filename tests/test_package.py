"""The package as it is published, installed in an environment of its own, and what runs it."""

import ast
import os
import re
import runpy
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
import yaml
from deltalake import DeltaTable, write_deltalake
from markdown_it import MarkdownIt
from packaging.metadata import Metadata

from deltaadm import __version__
from deltaadm.cli.program import run
from deltaadm.cli.table import COMMANDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROGRAMS = Path(sys.executable).parent
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
"""How GitHub runs the steps of an action."""


def done(*command: object, cwd: Path = ROOT, **env: str) -> str:
    result = subprocess.run(
        [*map(str, command)], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


class Built(NamedTuple):
    """What `dev.py` and a release build."""

    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    directory = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "hatchling", "build", "--directory", directory)
    [wheel], [sdist] = directory.glob("*.whl"), directory.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("lake")
    write_deltalake(directory / "events", pa.table({"id": [1]}))
    DeltaTable(directory / "events").create_checkpoint()
    (directory / "events" / "_delta_log" / "_last_checkpoint").unlink()  # which is a warning
    return directory


@pytest.mark.slow
def test_an_index_takes_the_package(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        names = set(wheel.namelist())
        described = wheel.read(f"deltaadm-{__version__}.dist-info/METADATA")
    with tarfile.open(built.sdist) as sdist:
        information = sdist.extractfile(f"deltaadm-{__version__}/PKG-INFO")
        assert information is not None
        assert information.read() == described
    assert Metadata.from_email(described).description
    data = HeaderParser().parsestr(described.decode())
    assert data["License-Expression"] == "Apache-2.0"
    assert data["Description-Content-Type"] == "text/markdown"
    assert set(data.get_all("Provides-Extra") or ()) == {"spark", "connect"}
    assert "Typing :: Typed" in (data.get_all("Classifier") or ())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "deltaadm").rglob("*.py")}
    stubs = {"deltaadm/__init__.pyi", "deltaadm/py.typed"}
    scripts = {f"deltaadm/{path.relative_to(ROOT)}" for path in (ROOT / "completions").iterdir()}
    texts = ("error_classes.txt", "engine_messages.txt", "defaults.jsonl")
    data = {f"deltaadm/reports/{name}" for name in texts}
    data |= {"deltaadm/clients.json", "deltaadm/plans/impact.txt"}
    data |= {f"deltaadm/formats/page.{kind}" for kind in ("css", "js")}
    packed = {name for name in names if name.startswith("deltaadm/")}
    assert packed == modules | stubs | scripts | data
    share = f"deltaadm-{__version__}.data/data/share"
    for name in ("", *(f"-{name}" for name in COMMANDS)):
        assert f"{share}/man/man1/deltaadm{name}.1" in names
    for script in (
        "bash-completion/completions/deltaadm",
        "zsh/site-functions/_deltaadm",
        "fish/vendor_completions.d/deltaadm.fish",
        "powershell/deltaadm.ps1",
    ):
        assert f"{share}/{script}" in names


@pytest.mark.slow
def test_the_source_distribution_builds_the_same_wheel(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = tmp_path.iterdir()
    out = tmp_path / "out"
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=source)
    [again] = out.glob("*.whl")
    assert contents(again) == contents(built.wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.slow
def test_what_is_built_works_where_nothing_else_is(
    built: Built, lake: Path, tmp_path: Path
) -> None:
    """The steps of the action: an environment of its own, the wheel, and a table in it."""
    steps = [
        step
        for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
        if "run" in step
    ]
    install, validate = steps
    # What `pip` would fetch anew for each run, uv has kept; both install the same.
    assert '--require-hashes -r "$ACTION/requirements.lock"' in install["run"]
    programs = tmp_path / "deltaadm" / "bin"
    uv = PROGRAMS / "uv"
    done(uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "deltaadm")
    into = (uv, "pip", "install", "--quiet", "--python", programs / "python")
    done(*into, "--require-hashes", "-r", ROOT / "requirements.lock")
    done(*into, "--no-deps", built.wheel)

    output = done(programs / "deltaadm", "--version", cwd=tmp_path, HOME="/nonexistent", LANG="C")
    assert output == f"deltaadm {__version__}\n"
    answer = "import deltaadm, sys; print(repr(deltaadm.table(sys.argv[1]).inspect()))"
    assert "2 features" in done(programs / "python", "-c", answer, lake / "events", cwd=tmp_path)

    files = {name: tmp_path / name for name in ("summary", "output", "findings.sarif")}
    environ = {
        "RUNNER_TEMP": str(tmp_path), "TABLES": str(lake / "events"), "ARGUMENTS": "--deep",
        "SARIF_FILE": str(files["findings.sarif"]), "GITHUB_STEP_SUMMARY": str(files["summary"]),
        "GITHUB_OUTPUT": str(files["output"]),
    }  # fmt: skip
    assert "missing-checkpoint-pointer" in done(*BASH, validate["run"], cwd=tmp_path, **environ)
    assert files["output"].read_text() == "exit-code=0\n"
    assert "DL107" in files["summary"].read_text()
    assert "DL107" in files["findings.sarif"].read_text()
    environ |= {"ARGUMENTS": "", "SARIF_FILE": ""}
    for tables, more, code, words in (
        (str(lake / "nothing"), {}, 3, "There is no"),
        ("", {}, 2, "::error::Name tables in `tables`"),
        (str(lake / "events"), {"FAIL_ON": "info", "BASELINE": "none.json"}, 2, "none.json"),
    ):
        failed = subprocess.run(
            [*BASH, validate["run"]], cwd=tmp_path, check=False, capture_output=True, text=True,
            env={**os.environ, **environ, "TABLES": tables, **more},
        )  # fmt: skip
        assert failed.returncode == code
        assert words in failed.stdout + failed.stderr
        assert files["output"].read_text().endswith(f"exit-code={code}\n")


@pytest.mark.slow
def test_a_release_links_to_its_repository(tmp_path: Path) -> None:
    """An index shows the readme alone, so that its links must be whole."""
    url = "https://example.com/owner/deltaadm"
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path)
    done(*build, DELTAADM_REPOSITORY=url)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        text = opened.read(f"deltaadm-{__version__}.dist-info/METADATA").decode()
    data = HeaderParser().parsestr(text)
    assert f"Repository, {url}" in (data.get_all("Project-URL") or ())
    inline = [
        child for token in MarkdownIt().parse(data.get_payload()) for child in token.children or ()
    ]
    links = [str(child.attrGet("href")) for child in inline if child.type == "link_open"]
    assert len(links) > 20
    assert all(link.startswith("https://") for link in links)
    assert f"{url}/blob/v{__version__}/docs/guide.md" in {link.partition("#")[0] for link in links}


def test_the_readme_has_nothing_that_an_index_does_not_show() -> None:
    tokens = MarkdownIt().parse((ROOT / "README.md").read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    pictures = [str(child.attrGet("src")) for child in inline if child.type == "image"]
    assert all(each.startswith("https://") for each in pictures)
    assert not any(child.type == "html_inline" for child in inline)
    assert not any(token.type == "html_block" for token in tokens)


def hooks() -> Iterator[Any]:
    yield from yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", [*hooks()], ids=lambda hook: str(hook["id"]))
def test_hooks_run(hook: Any, lake: Path, tmp_path: Path) -> None:
    assert hook["language"] == "python"
    reference = tmp_path / "reference.json"
    assert run(["record", str(lake / "events"), "--out", str(reference)]) == 0
    program, *words = shlex.split(hook["entry"])
    assert program == "deltaadm"
    given = {"validate": str(lake / "events"), "diff": str(reference)}
    assert run([*words, given[words[0]]]) == 0


def test_the_commands_for_airflow_run(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = ast.parse((ROOT / "examples/airflow_dag.py").read_text(encoding="utf-8"))
    commands = {
        str(given["task_id"]): str(given["bash_command"])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "BashOperator"
        for given in [
            {
                each.arg: ast.literal_eval(each.value)
                for each in node.keywords
                if each.arg in {"task_id", "bash_command"}
            }
        ]
    }
    assert set(commands) == {"validate", "plan", "drop"}
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    filled = {
        name: re.sub(r"/tmp|\{\{ ds_nodash \}\}", lambda found: {"/tmp": str(tmp_path)}.get(found[0], "1"), text)  # noqa: E501, S108
        .replace("{{ params.lake }}", str(lake))
        for name, text in commands.items()
    }  # fmt: skip
    assert run(shlex.split(filled["validate"])[1:]) == 0
    assert run(shlex.split(filled["plan"])[1:]) == 0
    drop = [word for word in shlex.split(filled["drop"])[1:] if word != "--apply"]
    assert run(drop) == 0  # the table has no deletion vectors, and nothing is to do


def test_the_image_copies_what_there_is() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    sources = {
        word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE)
        for word in line.split()
    }  # fmt: skip
    assert sources == {line[1:] for line in ignored.splitlines() if line.startswith("!")}
    assert all((ROOT / each).exists() for each in sources)
    data = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert {Path(each).parts[0] for each in data} <= sources


def test_every_package_has_a_licence() -> None:
    page = "\n".join(runpy.run_path(str(ROOT / "docs/generate.py"))["licences"]())
    assert "| pyspark | `[spark]` |" in page
    assert "not said" not in page


@pytest.mark.slow
def test_releases_have_notes() -> None:
    def notes(*tag: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, ROOT / "dev.py", "release-notes", *tag]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert notes().stdout.startswith("### ")
    assert notes("v999").returncode == 1
