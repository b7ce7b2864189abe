"""What a release is made of and from, and that nothing but the user's own hosts is reached."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from deltalake import write_deltalake

from tests.support.rows import with_rows

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def entries(name: str) -> list[str]:
    """What a lock lists, with what the locks that it includes do."""
    first, *rest = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    included = re.fullmatch("-r (.+)", first)
    return [*entries(included[1]), *rest] if included else [first, *rest]


def locked(name: str) -> dict[str, set[str]]:
    """Packages of a lock with their versions, of which other Pythons may take another."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)", "\n".join(entries(name))):
        found.setdefault(package, set()).add(version)
    return found


def test_images_begin_at_a_base_that_a_digest_fixes() -> None:
    stages: set[str] = set()
    for base, name in re.findall(
        r"^FROM (\S+) AS (\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE
    ):
        assert base in stages or re.fullmatch(r"python:[\w.-]+@sha256:[0-9a-f]{64}", base), base
        stages.add(name)
    assert {"slim", "spark"} <= stages


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_actions_are_pinned_by_digest_and_jobs_say_what_they_may(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (.+)", text)
    assert uses
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d[\d.]*", each) for each in uses), uses
    if path.name != "action.yml":
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
        assert "secrets." not in text


def test_locks_have_hashes_and_the_versions_that_are_tested() -> None:
    tested = locked("requirements-dev.lock")
    extras, groups = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
    users = PROJECT["project"]["dependencies"]
    for name, required in {
        "requirements.lock": users,
        "requirements-spark.lock": [*users, *extras["spark"]],
        "requirements-dev.lock": [
            *users, *extras["spark"], *extras["connect"], *groups["dev"], *groups["docs"]
        ],
        "requirements-build.lock": PROJECT["build-system"]["requires"],
    }.items():  # fmt: skip
        assert all("--hash=sha256:" in each and "://" not in each for each in entries(name))
        assert all(versions <= tested[package] for package, versions in locked(name).items())
        names = {normalized(re.split(r"[\[<>=!~ ]", each)[0]) for each in required}
        assert names <= {*map(normalized, locked(name))}, "run: python3 dev.py lock"


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_writes_tables_has_an_upper_bound() -> None:
    required = PROJECT["project"]["dependencies"]
    for name in ("pyarrow", "deltalake", "obstore"):
        [each] = [each for each in required if re.match(rf"{name}\b", each)]
        assert "<" in each
    assert all("==" in each for each in PROJECT["project"]["optional-dependencies"]["spark"][:2])


@pytest.mark.slow
def test_the_bill_of_materials_lists_the_lock() -> None:
    program = [sys.executable, "tools/sbom.py", "requirements.lock"]
    printed = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    bill: dict[str, Any] = json.loads(printed)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    listed: dict[str, set[str]] = {}
    for each in bill["components"]:
        listed.setdefault(each["name"], set()).add(each["version"])
        assert each["hashes"]
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"
    assert listed == locked("requirements.lock")


@pytest.mark.slow
def test_two_builds_are_equal_byte_for_byte(tmp_path: Path) -> None:
    """In other directories, at other times, with other dates of files and another locale."""
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    digests = []
    for number, zone in enumerate(("UTC", "Asia/Tokyo")):
        source = tmp_path / f"source{number}"
        for name in filter(None, files):
            if (ROOT / name).is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, source / name)
                os.utime(source / name, (1e9 + number * 1e6, 1e9 + number * 1e6))
        time.sleep(1.1)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "TZ": zone}
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--directory", tmp_path / f"{number}"],
            cwd=source, env={**environment, "PYTHONPATH": str(source)}, check=True,
            capture_output=True,
        )  # fmt: skip
        built = sorted((tmp_path / f"{number}").iterdir())
        assert len(built) == 2
        digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built})
    assert digests[0] == digests[1]


STRACE = shutil.which("strace")
CUT_OFF = ("unshare", "--map-root-user", "--net")


def _without_network() -> tuple[str, ...]:
    """What runs a program without a network, where the system lets one do that."""
    tried = shutil.which("unshare") and subprocess.run([*CUT_OFF, "true"], check=False)
    return CUT_OFF if tried and tried.returncode == 0 else ()


def reached(directory: Path, *command: str, codes: set[int], **environment: str) -> set[str]:
    """The addresses to which *command* and its processes connect or send, as the kernel sees it."""
    trace = directory / "trace"
    words = [str(STRACE), "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(trace)]
    done = subprocess.run(
        [*_without_network(), *words, sys.executable, "-m", "deltaadm", *command],
        cwd=directory, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode in codes, done.stdout + done.stderr
    text = trace.read_text(encoding="utf-8", errors="replace")
    return set(re.findall(r'(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"', text))


@pytest.mark.slow
@pytest.mark.skipif(STRACE is None, reason="strace shows what is reached")
@with_rows
def test_nothing_is_reached_for_tables_in_files(command: tuple[str, ...], tmp_path: Path) -> None:
    """It works with the network cut off, and does not even try."""
    write_deltalake(tmp_path / "events", pa.table({"id": [1]}))
    assert reached(tmp_path, *command, codes={0, 1}) == set()


@pytest.mark.slow
@pytest.mark.skipif(STRACE is None, reason="strace shows what is reached")
def test_for_a_table_in_a_store_only_that_store_is_reached(tmp_path: Path) -> None:
    found = reached(
        tmp_path, "inspect", "s3://bucket/table", codes={3, 4},
        AWS_ENDPOINT_URL="http://127.0.0.9:9", AWS_ALLOW_HTTP="true", AWS_REGION="eu-west-1",
        AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b",  # noqa: S106
    )  # fmt: skip
    assert found == {"127.0.0.9"}
