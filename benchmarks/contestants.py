"""Who takes part: deltaadm and its peers, each as the command that answers a question."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PEERS: Final = Path(__file__).parent / "peers"
ROOT: Final = Path(__file__).parent.parent

DELTAADM: Final = "deltaadm"
INSPECT: Final = "inspect"
JSON: Final = "inspect -o json"
ON_SPARK: Final = "deltaadm --engine spark"
DESCRIBE_DETAIL: Final = "DESCRIBE DETAIL"
ALTER_TABLE: Final = "ALTER TABLE"
DELTALAKE: Final = "deltalake 1.6.6"
OLD_DELTALAKE: Final = "deltalake 1.1.4, without_files"
KERNEL: Final = "delta-kernel-rs"
LIMIT: Final = "minimal Python script"
PLAIN_SCRIPT: Final = "plain PySpark script"
PYTHON: Final = "bare Python"
TYPER: Final = "bare Python and typer"


@dataclass(frozen=True, slots=True)
class Peers:
    """The programs that could be had on this machine, and why the others could not."""

    old_deltalake: Path | None
    kernel: Path | None
    absent: Mapping[str, str]


def prepare(directory: Path) -> Peers:
    """Install and build the peers below *directory*, where they stay for the next time."""
    directory.mkdir(parents=True, exist_ok=True)
    absent: dict[str, str] = {}
    return Peers(
        old_deltalake=_old_deltalake(directory / "deltalake-1.1.4", absent),
        kernel=_kernel(directory / "kernel", absent),
        absent=absent,
    )


def _old_deltalake(directory: Path, absent: dict[str, str]) -> Path | None:
    python = directory / "bin" / "python"
    if not python.exists():
        wanted = ["deltalake==1.1.4", "pyarrow"]
        steps: Sequence[Sequence[str]] = (
            [sys.executable, "-m", "venv", str(directory)],
            [str(python), "-m", "pip", "install", "--quiet", *wanted],
        )
        if reason := _carried_out(steps, directory.parent):
            shutil.rmtree(directory, ignore_errors=True)
            absent[OLD_DELTALAKE] = reason
            return None
    return python


def _kernel(directory: Path, absent: dict[str, str]) -> Path | None:
    program = directory / "release" / "kernel-peer"
    if not program.exists():
        cargo = shutil.which("cargo")
        if cargo is None:
            absent[KERNEL] = "there is no cargo on this machine"
            return None
        manifest = str(PEERS / "kernel" / "Cargo.toml")
        command = [cargo, "build", "--release", "--quiet", "--manifest-path", manifest]
        if reason := _carried_out([[*command, "--target-dir", str(directory)]], directory.parent):
            absent[KERNEL] = reason
            return None
    return program


def _carried_out(steps: Sequence[Sequence[str]], directory: Path) -> str:
    """Empty when all went well, else the last line of what went wrong."""
    for step in steps:
        done = subprocess.run(step, cwd=directory, check=False, capture_output=True, text=True)
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return ""


def deltaadm(*arguments: str) -> list[str]:
    """A command line of ours, as installed beside this Python."""
    program = Path(sys.executable).with_name("deltaadm")
    start = [str(program)] if program.exists() else [sys.executable, "-m", "deltaadm"]
    return [*start, *arguments]


def protocol_commands(table: str, peers: Peers) -> dict[str, list[str]]:
    """Protocol and metadata of one table."""
    commands = {
        DELTAADM: deltaadm("inspect", "-o", "json", table),
        DELTALAKE: script("with_deltalake.py", "protocol", table),
        LIMIT: script("limit.py", "protocol", table),
    }
    if peers.old_deltalake:
        old = [str(peers.old_deltalake), str(PEERS / "with_deltalake.py")]
        commands[OLD_DELTALAKE] = [*old, "protocol", table, "without_files"]
    if peers.kernel:
        commands[KERNEL] = [str(peers.kernel), "protocol", table]
    return commands


TEXT: Final = "inspect"
PLAN: Final = "enable-feature"
VALIDATE: Final = "validate"


def short_commands(table: str) -> dict[str, list[str]]:
    """What is asked of a small table most often, beside deltalake, which opens it."""
    return {
        DELTALAKE: script("with_deltalake.py", "protocol", table),
        JSON: deltaadm("inspect", "-o", "json", table),
        TEXT: deltaadm("inspect", table),
        PLAN: deltaadm("enable-feature", table, "deletionVectors"),
        VALIDATE: deltaadm("validate", "-o", "json", table),
    }


def files_commands(table: str, peers: Peers) -> dict[str, list[str]]:
    """The live files of one table, counted."""
    commands = {
        DELTAADM: deltaadm("inspect", "--files", "-o", "json", table),
        DELTALAKE: script("with_deltalake.py", "files", table),
        LIMIT: script("limit.py", "files", table),
    }
    if peers.kernel:
        commands[KERNEL] = [str(peers.kernel), "files", table]
    return commands


REPAIR: Final = "repair"
WHOLE: Final = "validate --history"
DEEP: Final = "validate --deep"
MISSING: Final = "validate --deep, no data files"


def validation_commands(table: str) -> dict[str, list[str]]:
    """
    What `validate` costs at each depth, beside deltalake, which opens the table.

    The tables have no data files: `--deep` leaves out the rules on them, and with them the search.
    `MISSING` looks for each, and finds none, which is an error.
    """
    missing = deltaadm("validate", "--deep", "-o", "json", table)
    absent = ("--ignore", "DL418,DL716,DL721")
    return {
        DELTALAKE: script("with_deltalake.py", "protocol", table),
        VALIDATE: deltaadm("validate", "-o", "json", table),
        WHOLE: deltaadm("validate", "--history", "-o", "json", table),
        DEEP: deltaadm("validate", "--deep", *absent, "-o", "json", table),
        REPAIR: deltaadm("repair", "-o", "json", table),
        MISSING: ["sh", "-c", '"$@" || test $? = 1', "sh", *missing],
    }


def history_commands(table: str) -> dict[str, list[str]]:
    """What has changed in a table's protocol, and what it is now."""
    return {
        DELTAADM: deltaadm("history", "--protocol", "-o", "json", table),
        INSPECT: deltaadm("inspect", "-o", "json", table),
    }


def fleet_commands(tables: Sequence[str]) -> dict[str, list[str]]:
    """Protocol and metadata of many tables."""
    return {
        DELTAADM: deltaadm("inspect", "-o", "jsonl", *tables),
        DELTALAKE: script("fleet_deltalake.py", *tables),
        LIMIT: script("limit.py", "protocol", *tables),
    }


def fleet_validation_commands(tables: Sequence[str]) -> dict[str, list[str]]:
    """What the rules say about many tables, beside what `inspect` does."""
    return {
        DELTAADM: deltaadm("inspect", "-o", "jsonl", *tables),
        VALIDATE: deltaadm("validate", "-o", "jsonl", *tables),
    }


def start_commands() -> dict[str, list[str]]:
    """What needs no table."""
    bash = shutil.which("bash")
    commands = {
        PYTHON: [sys.executable, "-c", "pass"],
        TYPER: script("typer_app.py", "--help"),
        "import pyarrow.parquet": [sys.executable, "-c", "import pyarrow.parquet"],
        "deltaadm --version": deltaadm("--version"),
        "deltaadm --help": deltaadm("--help"),
    }
    if bash:
        completing = (
            f"source {ROOT / 'completions' / 'deltaadm.bash'}; "
            f'deltaadm() {{ {shlex.join(deltaadm())} "$@"; }}; '
            "COMP_LINE='deltaadm enable-feature T deletion'; COMP_WORDS=($COMP_LINE); "
            "COMP_CWORD=3; _deltaadm deltaadm; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        commands["completion of a feature"] = [bash, "--norc", "-c", completing]
    return commands


def commit_commands(ours: str, theirs: str) -> dict[str, list[str]]:
    """
    A commit of metadata by a new process, each program to a table of its own.

    The number of the process is the value of the property, so that there is something to commit.
    """
    commit = deltaadm("alter", ours, "--commit-engine", "embedded", "--apply", "--yes", "--set")
    return {
        DELTAADM: _with_number(commit),
        DELTALAKE: _with_number(script("commit.py", theirs)),
    }


def cold_alter_commands(ours: str, theirs: str) -> dict[str, list[str]]:
    """The same through a local Spark that is started for it."""
    commit = deltaadm("alter", ours, "--apply", "--yes", "--set")
    return {
        DELTAADM: _with_number(commit),
        PLAIN_SCRIPT: _with_number(script("alter_pyspark.py", theirs)),
    }


def _with_number(command: Sequence[str]) -> list[str]:
    """The command with a property to set whose value no other process sets."""
    return ["sh", "-c", 'exec "$@" team=$$', "sh", *command]


def script(name: str, *arguments: str) -> list[str]:
    """A command line of one of the small programs in `peers`."""
    return [sys.executable, str(PEERS / name), *arguments]
