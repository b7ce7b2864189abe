"""Files that are none, streams that are closed, and machines that give little: an error, no bug."""

import os
import resource
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import Result, deltaadm, surroundings
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit, metadata, protocol

pytestmark = pytest.mark.slow

COMMANDS = (
    ["inspect"],
    ["inspect", "--files"],
    ["validate", "--deep", "--history"],
    ["alter", "--set", "a=b"],
)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link_to_fifo(path: Path) -> None:
    os.mkfifo(path.parent.parent / "fifo")
    path.symlink_to("../fifo")


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def directory(path: Path) -> None:
    path.mkdir()


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the address of a socket has room for about a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


FILES = {
    "newest commit": f"{2:020d}.json", "commit between others": f"{1:020d}.json",
    "checkpoint": f"{1:020d}.checkpoint.parquet", "checksum": f"{2:020d}.crc",
    "pointer": "_last_checkpoint", "compacted commits": f"{0:020d}.{1:020d}.compacted.json",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES.values(), ids=FILES)
@pytest.mark.parametrize(
    "make", [fifo, link_to_fifo, link_to_device, directory, unix_socket], ids=lambda f: f.__name__
)
def test_only_regular_files_are_read(
    tmp_path: Path, make: Callable[[Path], None], name: str
) -> None:
    made = tables.table(tmp_path, commit(protocol(), metadata()), commit(add("a")), commit())
    (made.log / name).unlink(missing_ok=True)
    make(made.log / name)
    results = [deltaadm(first, made.path, *more) for first, *more in COMMANDS]
    assert {result.code for result in results} <= {0, 1, 3}
    inspected = results[1]
    if name.endswith(".json"):
        assert inspected.code == 3
        assert "not a regular file" in inspected.err
    elif "checkpoint" in name:
        assert "not a regular file" in inspected.out


@pytest.mark.parametrize(
    "arguments", ["inspect TABLE", "validate TABLE", "alter TABLE --set a=b", "--help", "--version"]
)
def test_a_closed_standard_output_is_an_error(tmp_path: Path, arguments: str) -> None:
    made = tables.table(tmp_path, commit(protocol(), metadata()))
    words = [word.replace("TABLE", str(made.path)) for word in arguments.split()]
    result = _child(words, lambda: os.close(1))
    assert result.code == 4
    assert result.err.startswith("error: The output cannot be written: standard output is closed.")


def _child(words: list[str], before: Callable[[], None]) -> Result:
    done = subprocess.run(
        [sys.executable, "-m", "deltaadm", *words], check=False, capture_output=True, text=True,
        env=surroundings(None), stdin=subprocess.DEVNULL, preexec_fn=before, timeout=300,
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def _checkpointed(path: Path) -> Table:
    made = Table(path)
    made.checkpoint(1, [protocol(), metadata(), *(add(f"f{number}") for number in range(100))])
    made.commit(1)
    made.commit(2, add("z"))
    return made


# With less, CPython 3.11 fails before deltaadm can: it looks for an exception's handler for ever.
# Between these, libraries of pyarrow may end the process while they are loaded.
@pytest.mark.parametrize("megabytes", [50, 100, 250, 400])
@pytest.mark.parametrize("arguments", ["inspect TABLE --files", "validate TABLE --deep"])
def test_little_memory_is_no_bug(tmp_path: Path, arguments: str, megabytes: int) -> None:
    words = [word.replace("TABLE", str(_checkpointed(tmp_path).path)) for word in arguments.split()]
    size = megabytes << 20

    result = _child(words, lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
    assert result.code in {0, 6}
    assert "Traceback" not in result.err
    if result.code:
        assert "error: " in result.err


@pytest.mark.parametrize(
    ("value", "arguments"),
    [("[]", "inspect TABLE"), ('"ab"', "history TABLE"), ("{}", "validate TABLE")],
)
def test_values_that_would_fill_the_memory_are_not_made(
    tmp_path: Path, value: str, arguments: str
) -> None:
    """A list is three bytes in the log, and seventy in memory."""
    line = f'{{"zz":[{",".join([value] * (30_000_000 // (len(value) + 1)))}]}}\n'
    made = tables.table(tmp_path, commit(protocol(), metadata()), line.encode())
    words = [word.replace("TABLE", str(made.path)) for word in arguments.split()]
    size = 600 << 20
    result = _child(words, lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
    assert result.code == 3, result.err
    assert "it has more than 2,097,152 values" in result.out + result.err


@pytest.mark.parametrize("files", [8, 10, 12])
def test_few_open_files_are_no_bug(tmp_path: Path, files: int) -> None:
    table = str(_checkpointed(tmp_path).path)
    result = _child(
        ["validate", table, table, "--jobs", "2"],
        lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert result.code in {0, 1, 4}
    assert "Traceback" not in result.err


def test_a_working_directory_that_is_gone_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    result = deltaadm("inspect", "table")
    assert result.code == 4
    assert "Cannot access the working directory: No such file or directory." in result.err


# What a log makes a program hold

MOST = 1 << 20
"""Kilobytes of memory, a gigabyte, that no log may take."""


_MEASURED = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
_, status, usage = os.wait4(child.pid, 0)
sys.stderr.write(f"{usage.ru_maxrss}")
sys.stderr.flush()
os._exit(os.waitstatus_to_exitcode(status))
"""


def _peak(*words: str) -> tuple[Result, int]:
    """What a program of its own answers, and how many kilobytes it has held at most."""
    # Started by a small process: what a large one starts counts as large from the beginning.
    command = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "deltaadm", *words]
    env = surroundings(None)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    return Result(done.returncode, done.stdout, done.stdout), int(done.stderr)


def _number(value: int) -> bytes:
    """A number as Thrift's compact protocol writes it."""
    rest = b""
    while value >= 0x80:
        rest += bytes([value & 0x7F | 0x80])
        value >>= 7
    return rest + bytes([value])


HOSTILE = {
    "structs": (0xFC, b"\x00"),
    "structs with a field": (0xFC, b"\x15\x7f\x00"),
    "lists": (0xF9, b"\x03"),
    "numbers": (0xF6, b"\xd0\x0f"),
    "truths": (0xF1, b"\x01"),
    "texts": (0xF8, b"\x01a"),
}
"""What a footer may repeat: the type of a list's items, and an item."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_footer_of_small_values_takes_little_memory(tmp_path: Path, name: str) -> None:
    kind, item = HOSTILE[name]
    count = (31 << 20) // len(item)
    footer = b"".join([b"\x19", bytes([kind]), _number(count), item * count, b"\x00"])
    made = _checkpointed(tmp_path)
    (file,) = made.log.glob("*.checkpoint.parquet")
    file.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    for arguments in (["inspect", "--files"], ["validate", "--deep"]):
        result, held = _peak(arguments[0], str(made.path), *arguments[1:])
        assert result.code in {1, 3}
        assert "bytes in memory" in result.out
        assert held < MOST


@pytest.mark.parametrize("action", ["txn", "domainMetadata"])
def test_identifiers_without_end_take_little_memory(tmp_path: Path, action: str) -> None:
    made = tables.table(tmp_path, commit(protocol(1, 7, None, ["domainMetadata"]), metadata()))
    key, more = ("appId", '"version":1') if action == "txn" else ("domain", '"configuration":""')
    for version in range(1, 7):
        lines = (
            f'{{"{action}":{{"{key}":"app-{version}-{number}",{more}}}}}\n'
            for number in range(100_000)
        )
        made.write(f"{version:020d}.json", "".join(lines))
    result, held = _peak("inspect", str(made.path), "--files")
    assert result.code == 3
    assert "transaction identifiers and" in result.out
    assert held < MOST
    assert _peak("inspect", str(made.path))[0].code == 0


@with_rows
def test_every_way_in_which_python_runs_out_of_memory_is_named(error: str) -> None:
    """With little memory it is a matter of chance which of them it is."""
    code = (
        f"from deltaadm.cli import program\n"
        f"def run(_): raise {error}\n"
        "program.run = run\n"
        "from deltaadm.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr[:40]) == (6, "error: There is not enough memory for th")


def test_an_answer_grows_as_the_table_does(tmp_path: Path) -> None:
    sizes = []
    for number in (500, 1_000):
        features = [f"f{each}" for each in range(number)]
        first = commit(protocol(1, 7, None, features), metadata())
        path = tables.table(tmp_path / str(number), first).path
        sizes.append(len(deltaadm("inspect", str(path), "-o", "json").out))
    assert sizes[1] < 2.1 * sizes[0]
