"""Every file that a command writes: whole, and in the place of nothing but a regular file."""

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.places import ODD_PLACES, contents
from tests.support.program import Result, deltaadm
from tests.support.tables import Table

WRITING: dict[str, Sequence[str]] = {
    "a plan": ("alter", "TABLE", "--set", "a=b", "--out", "PLACE"),
    "many plans": ("alter", "--discover", "LAKE", "--set", "a=b", "--out", "PLACE"),
    "a report": ("validate", "TABLE", "-o", "sarif", "--output-file", "PLACE"),
    "a report of a format": ("validate", "TABLE", "-o", "html:PLACE"),
    "a baseline": ("validate", "TABLE", "--write-baseline", "PLACE"),
    "a journal": ("apply", "PLANS", "--journal", "PLACE"),
}
REPLACING = {name: value for name, value in WRITING.items() if name != "a journal"}
DELTA: Sequence[str] = ("inspect", "TABLE", "--save-as", "delta", "PLACE")
each_command = pytest.mark.parametrize("command", WRITING.values(), ids=WRITING)
REFUSED = 7


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return tables.table(tmp_path / "lake" / "t", tables.START_BODY)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "places").mkdir()
    return tmp_path / "places" / "place"


def run(command: Sequence[str], table: Table, place: Path) -> Result:
    plans = table.path.parent.parent / "plans.json"
    if "PLANS" in command:
        deltaadm("alter", table.path, "--set", "a=b", "--out", plans)
    names = {"TABLE": table.path, "LAKE": table.path.parent, "PLACE": place, "PLANS": plans}
    return deltaadm(*(_filled(word, names) for word in command))


def _filled(word: str, names: dict[str, Path]) -> str:
    for name, path in names.items():
        word = word.replace(name, str(path))
    return word


@pytest.mark.parametrize("odd", ODD_PLACES)
@pytest.mark.parametrize("command", [*WRITING.values(), DELTA], ids=[*WRITING, "inspect as delta"])
def test_no_command_writes_in_the_place_of_anything_but_a_file(
    table: Table, place: Path, command: Sequence[str], odd: str
) -> None:
    make, words = ODD_PLACES[odd]
    if odd == "directory" and command is DELTA:
        return
    make(place)
    before = contents(place.parent)
    result = run(command, table, place)
    assert result.code == REFUSED
    assert words in " ".join(result.err.split())
    assert contents(place.parent) == before


@each_command
def test_no_command_writes_into_a_log(table: Table, command: Sequence[str]) -> None:
    before = contents(table.log)
    for name in (f"{0:020d}.json", "other"):
        result = run(command, table, table.log / name)
        assert result.code == REFUSED
        assert "it is in the log of a table" in " ".join(result.err.split())
    assert contents(table.log) == before


@pytest.mark.parametrize("command", ["inspect", "validate", "alter --set a=b"])
def test_a_run_that_fails_leaves_the_text_of_the_last_one(
    table: Table, place: Path, command: str
) -> None:
    words = [*command.split(), "-o", f"text:{place}"]
    assert deltaadm(*words, table.path).code == 0
    before = place.read_text()
    failed = deltaadm(*words, "https://127.0.0.1:1/t")
    assert failed.code not in {0, 1}
    assert "error: " in failed.err
    assert place.read_text() == before != ""


@each_command
def test_a_file_keeps_its_permissions(table: Table, place: Path, command: Sequence[str]) -> None:
    place.touch()
    place.chmod(0o604)
    run(command, table, place)
    assert place.stat().st_mode & 0o777 == 0o604


@pytest.mark.parametrize("command", REPLACING.values(), ids=REPLACING)
def test_a_full_disk_costs_neither_what_was_there_nor_an_answer(
    table: Table, place: Path, command: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_bytes(b"old")
    before = contents(place.parent)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert run(command, table, place).code == REFUSED
    assert contents(place.parent) == before
