#!/usr/bin/env python3
"""
The developer's commands; they need Python and, for anything with Spark, Java 17 or 21.

    python3 dev.py test [--fast] [PYTEST ARGUMENTS]
                                             lint, types, import contracts and tests, as CI does;
                                             with --fast those that start no other program
    python3 dev.py spark-matrix [PYTEST ARGUMENTS]
                                             every case on Spark, which takes half an hour
    python3 dev.py lint                      the same without the tests
    python3 dev.py demo                      change a real table through Spark
    python3 dev.py site                      build the site in build/site/ and check its links
    python3 dev.py lock                      renew requirements*.lock
    python3 dev.py release-notes [TAG]       what CHANGELOG.md says of a release, or of the next one

Each sets up .venv first, which takes a moment only when pyproject.toml has changed.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = PROGRAMS / ("python.exe" if os.name == "nt" else "python")

LOCKS = {
    "requirements.lock": (),
    "requirements-spark.lock": ("--extra", "spark"),
    "requirements-dev.lock": (
        "--extra", "spark", "--extra", "connect", "--group", "dev", "--group", "docs"
    ),
}  # fmt: skip
"""
What users need, images with Spark, and development: one version of each package, with hashes.

Each lock includes the one before it, and lists only what that lacks.
"""

BUILD_LOCK = "requirements-build.lock"
"""What builds a wheel."""

LOCKED_FILES = (
    r"\S+\.(tar\.gz|zip)|\S+-(py\S+|cp\d+)-(none|abi3\S*|cp\d+)-"
    r"(any|m\w+linux\S+(x86_64|aarch64)\S*|macosx\S+|win_amd64)\.whl"
)
"""
The files whose hashes are locked: sources, and the wheels for what pyarrow and deltalake support.

That is CPython with its global lock on Linux, macOS and Windows. Elsewhere, and on musl to develop
with, pip builds from the sources.
"""

CORES = min(4, os.cpu_count() or 1)


def shared(processes: int) -> tuple[str, ...]:
    """Arguments of pytest that share the tests, a module at a time, among *processes*."""
    return (f"--numprocesses={processes}", "--dist=loadscope", "--no-loadscope-reorder")


SPREAD = shared(CORES + 1)
"""Among more processes than there are cores: tests on Spark wait a fifth of their time."""

FAST = (*SPREAD, "-m", "not spark and not slow", "--ignore=tests/spark")

SITE = ("python", str(ROOT / "docs" / "build_site.py"))

TAKES_ARGUMENTS = frozenset({"test", "spark-matrix"})

CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
    ("lint-imports",),
)


def main() -> int:
    """Run the command that the arguments name."""
    commands = {
        "test": test,
        "spark-matrix": spark_matrix,
        "lint": lint,
        "demo": demo,
        "site": site,
        "lock": lock,
    }
    name, *rest = sys.argv[1:] or ["help"]
    if name == "make-demo-table":
        return make_demo_table(*rest)
    if name == "release-notes":
        return release_notes(*rest)
    if name not in commands or (rest and name not in TAKES_ARGUMENTS):
        print((__doc__ or "").strip())
        return 0 if name in {"help", "-h", "--help"} else 2
    if sys.version_info < (3, 11):  # noqa: UP036 -- whoever starts this may have any Python
        print("deltaadm needs Python 3.11 or newer; start this script with one.")
        return 2
    # Tests start the program hundreds of times: without bytecode each start takes twice as long.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    set_up()
    return commands[name](*rest)


def set_up() -> None:
    """Bring .venv to the state that pyproject.toml and the lock describe."""
    described = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", *LOCKS))
    wanted = hashlib.sha256(described + sys.version.encode()).hexdigest()
    stamp = VENV / "deltaadm.sha256"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("Setting up .venv ...", flush=True)
    required(sys.executable, "-m", "venv", "--clear", VENV)
    pip = (PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    required(*pip, "--require-hashes", "--requirement", ROOT / [*LOCKS][-1])
    required(*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    stamp.write_text(wanted)


def test(*arguments: str) -> int:
    """Every check and the site, then the tests; all of them run even if one fails."""
    if "--fast" not in arguments:
        return finish([*CHECKS, SITE], ("pytest", *SPREAD, *arguments))
    chosen = [argument for argument in arguments if argument != "--fast"]
    return finish(CHECKS, ("pytest", *FAST, *chosen))


def spark_matrix(*arguments: str) -> int:
    """All tests on Spark, with the cases that `test` leaves out."""
    os.environ["DELTAADM_REQUIRE_SPARK"] = "1"
    chosen = (*SPREAD, "--spark-matrix", "-m", "spark or matrix")
    return finish((), ("pytest", *chosen, *arguments))


def lint() -> int:
    """Every check but the tests."""
    return finish(CHECKS)


def finish(checks: Iterable[tuple[str, ...]], *tests: tuple[str, ...]) -> int:
    """Run *checks* side by side and then *tests*, and say which failed."""
    with ThreadPoolExecutor(CORES) as pool:
        running = [(check, pool.submit(captured, *check)) for check in checks]
        for check, result in running:
            print(f"\n$ {shlex.join(check)}\n{result.result().stdout}", end="", flush=True)
    failed = [check for check, result in running if result.result().returncode != 0]
    failed += [command for command in tests if shown(*command) != 0]
    for command in failed:
        print(f"FAILED: {shlex.join(command)}")
    return 1 if failed else 0


def demo() -> int:
    """What the README shows, on a table in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="deltaadm-demo-") as directory:
        required(PYTHON, ROOT / "dev.py", "make-demo-table", f"{directory}/events")
        commands = (
            ("deltaadm", "inspect", "events"),
            ("deltaadm", "enable-feature", "events", "deletionVectors"),
            ("deltaadm", "enable-feature", "events", "deletionVectors", "--apply", "--yes"),
            ("deltaadm", "inspect", "events"),
            ("deltaadm", "validate", "events", "--deep", "--cross-check"),
        )
        failures = (code for command in commands if (code := shown(*command, cwd=directory)) != 0)
        return next(failures, 0)


def make_demo_table(path: str) -> int:
    """Write a table with a few commits, as an application without Spark would."""
    import pyarrow as pa  # only there inside .venv
    from deltalake import DeltaTable, write_deltalake

    for day in ("2026-01-01", "2026-01-02"):
        rows = {"id": [1, 2, 3], "kind": ["view", "click", "view"], "day": [day] * 3}
        write_deltalake(path, pa.table(rows), mode="append", partition_by=["day"])
    DeltaTable(path).delete("kind = 'click'")
    return 0


def site() -> int:
    """Build the site, strictly."""
    return finish((), SITE)


def lock() -> int:
    """Take the newest versions that pyproject.toml allows, with the hashes of their files."""
    uv = "uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header"
    compiled = [*uv.split(), "--no-annotate", "--no-emit-index-url", "--upgrade", "--output-file"]
    *smaller, every = LOCKS
    listed = VENV / "pylock.toml"  # a format that names the files
    same = ["--constraint", every]
    failed = shown(*compiled, every, *LOCKS[every], "pyproject.toml")
    for name in smaller:
        failed = failed or shown(*compiled, name, *same, *LOCKS[name], "pyproject.toml")
    failed = failed or shown(*compiled, BUILD_LOCK, *same, "-", text="hatchling\n")
    failed = failed or shown(*compiled, str(listed), "--no-deps", every)
    if not failed:
        share(*map(ROOT.joinpath, LOCKS), listed=listed)
    return failed


def share(*locks: Path, listed: Path) -> None:
    """
    Leave out of each lock what the one before it has, and include that one.

    Of each package the hashes of `LOCKED_FILES` stay, as the file *listed* names them.
    """
    import re
    import tomllib

    names = {
        file["hashes"]["sha256"]: file["url"].rpartition("/")[2]
        for package in tomllib.loads(listed.read_text(encoding="utf-8"))["packages"]
        for file in (*package.get("wheels", ()), package.get("sdist"))
        if file
    }
    shared, include = list[str](), ""
    for lock in locks:
        packages = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
        own = "\n".join(package for package in packages if package not in shared)
        for line, digest in re.findall(r"( \\\n +--hash=sha256:(\w+))", own):
            name = names.get(digest, "")  # it has none for an older Python
            on_musl = "-musllinux" in name and lock == locks[-1]
            if on_musl or not re.fullmatch(LOCKED_FILES, name):
                own = own.replace(line, "")
        lock.write_text(f"{include}{own}\n", encoding="utf-8")
        shared, include = packages, f"-r {lock.name}\n"


def release_notes(tag: str = "") -> int:
    """Print the entries of the release *tag*, or of the next one."""
    import re

    name = tag.removeprefix("v") or "Unreleased"
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[{re.escape(name)}\][^\n]*\n(.*?)(?=^## |^\[|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if found is None:
        print(f"CHANGELOG.md has no section on {name}.", file=sys.stderr)
        return 1
    print(found[1].strip())
    return 0


def shown(program: str, *arguments: str, cwd: str | Path = ROOT, text: str | None = None) -> int:
    """Run a program of .venv, with *text* as its input, after printing the command."""
    print(f"\n$ {shlex.join((program, *arguments))}", flush=True)
    done = subprocess.run(  # noqa: S603
        [PROGRAMS / program, *arguments], cwd=cwd, check=False, input=text, text=True
    )
    return done.returncode


def captured(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of .venv, and keep what it prints, in the order in which it does."""
    return subprocess.run(  # noqa: S603
        [PROGRAMS / program, *arguments],
        cwd=ROOT,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def required(*command: str | Path) -> None:
    """Run a command without which nothing goes on."""
    done = subprocess.run(command, cwd=ROOT, check=False)  # noqa: S603
    if done.returncode != 0:
        sys.exit(f"This failed: {shlex.join(map(str, command))}")


if __name__ == "__main__":
    sys.exit(main())
