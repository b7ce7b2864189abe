"""`history --restorable`: what can still be read, by recorded answers and small tables."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Action, Table, add, commit_info, metadata, protocol, remove
from tools import spark_history, spark_restorable

DAY = 86_400_000
NOW = 100 * DAY
VECTOR = "ab^-aqEH.-t@S}K{vb[*k^"
VECTOR_FILE = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(NOW // 1000))


def made(path: Path, *commits: list[Action], lost: tuple[str, ...] = ()) -> Table:
    """A table whose version N was committed, and whose files were written, N days before today."""
    table = Table(path)
    for age, actions in zip(range(len(commits) - 1, -1, -1), commits, strict=True):
        version, time = len(commits) - 1 - age, NOW - age * DAY
        first = [] if version else [protocol(), metadata()]
        table.commit(version, commit_info(), *first, *actions, modified=time)
        for action in actions:
            name = str(action.get("add", {}).get("path", ""))
            if name and "/" not in name and name not in lost:
                put(table, name, time)
    return table


def put(table: Table, name: str, time: int, size: int = 100) -> None:
    file = table.path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(size * b"x")
    os.utime(file, ns=(time * 1_000_000, time * 1_000_000))


def gone(path: str, age: int) -> Action:
    return remove(path, deletionTimestamp=NOW - age * DAY)


def looked(table: Table, *options: object) -> Any:
    result = deltaadm("history", table.path, "--restorable", *options, "-o", "json")
    assert (result.code, result.err) == (0, "")
    return result.document


def spans(document: Any) -> list[tuple[int, int, Any, bool, bool]]:
    keys = ("first", "last", "opened", "allowed", "ending")
    return [tuple(of[key] for key in keys) for of in document["versions"]]


def daily(path: Path, days: int = 10, **more: Any) -> Table:
    """A file a day, each removed on the next."""
    commits = [
        [add(f"f{day}"), *([gone(f"f{day - 1}", days - 1 - day)] if day else [])]
        for day in range(days)
    ]
    return made(path, *commits, **more)


def test_recorded_answers_of_spark(tmp_path: Path) -> None:
    """Also which files VACUUM takes, and what can be read after it."""
    rows = spark_restorable.rows()
    assert len(rows) >= 50
    for row in rows:
        place = tmp_path / str(row["seed"])
        for name, packed in row["tables"].items():
            spark_restorable.unpack(packed, place / name)
        spark_restorable.check(row, place)


def test_a_history_that_spark_has_made_and_described(tmp_path: Path) -> None:
    spark_history.check(tmp_path, spark_history.restore(tmp_path))


def test_each_line_and_when_it_moves(tmp_path: Path) -> None:
    table = daily(tmp_path / "t", lost=("f1",))
    table.checkpoint(5, [protocol(), metadata(), add("f5")])
    found = looked(table)
    assert spans(found) == [
        (0, 0, True, False, True),
        (1, 1, False, False, False),
        (2, 9, True, True, False),
    ]
    assert (found["missing"], found["outside"]) == (1, 0)
    assert found["live"] == {"files": 1, "bytes": 100}
    assert found["history"] == {"files": 8, "bytes": 800}
    assert found["vacuum"] == {"files": 1, "bytes": 100}
    # Version 2 is seven days old. The file that was removed the day after is there, f1 is lost.
    assert found["allowed_until"] == NOW
    assert found["vacuum_at"] == NOW + DAY + 1
    # Commits 0 to 4 go once the last of them is older than 30 days.
    assert (found["cleaned_at"], found["cleaned_to"]) == (NOW - 5 * DAY + 30 * DAY, 5)
    assert found["restore"] == f"RESTORE TABLE delta.`{table.path}` TO VERSION AS OF 8"


def test_the_screen_has_the_answer_first_and_the_statement_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    daily(tmp_path / "a b")
    lines = deltaadm("history", "a b", "--restorable").out.splitlines()
    assert lines[1].split() == ["restorable", "2", "to", "9"]
    assert "RESTORE TABLE" in "".join(lines[-3:])
    assert "deltaadm undo 'a b' " in " ".join(lines)
    assert len(lines) <= 24


def test_a_vector_is_a_file_that_versions_need(tmp_path: Path) -> None:
    vector = tables.deletion_vector(VECTOR)
    with_vector = [add("a", deletionVector=vector), remove("a")]
    table = made(
        tmp_path / "t", [add("a")], with_vector, [add("a"), remove("a", deletionVector=vector)]
    )
    assert spans(looked(table)) == [
        (0, 0, True, True, False), (1, 1, False, True, False), (2, 2, True, True, False),
    ]  # fmt: skip
    put(table, VECTOR_FILE, NOW)
    assert spans(looked(table)) == [(0, 2, True, True, False)]
    inline = {"storageType": "i", "pathOrInlineDv": 25 * "0", "sizeInBytes": 20, "cardinality": 1}
    other = made(tmp_path / "u", [add("a", deletionVector=inline)], [])
    assert spans(looked(other)) == [(0, 1, True, True, False)]


def test_a_path_that_is_no_text_is_taken_for_one(tmp_path: Path) -> None:
    odd = [add(1), add([1]), add("a"), {"add": {}}]
    table = made(tmp_path / "t", odd, [remove([1]), remove({}), {"remove": {}}])
    assert spans(looked(table)) == [(0, 1, True, True, False)]


def test_names_are_encoded_in_the_log_alone(tmp_path: Path) -> None:
    table = made(tmp_path / "t", [add("p=a%20b/%C3%BC%25.parquet")], [])
    put(table, "p=a b/ü%.parquet", NOW)
    assert spans(looked(table)) == [(0, 1, True, True, False)]


def test_vacuum_passes_over_what_is_hidden_new_or_the_log(tmp_path: Path) -> None:
    table = daily(tmp_path / "t", 2)
    for name in ("orphan", "_change_data/c", "_mine/x", ".x", "a/_b"):
        put(table, name, NOW - 50 * DAY)
    put(table, "new", NOW)
    assert looked(table)["vacuum"] == {"files": 2, "bytes": 200}


def test_the_newest_version_is_always_allowed(tmp_path: Path) -> None:
    table = made(tmp_path / "t", [add("a")])
    os.utime(table.log / f"{0:020d}.json", (0, 0))
    found = looked(table)
    assert spans(found) == [(0, 0, True, True, False)]
    assert (found["restore"], found["allowed_until"]) == (None, None)


def test_what_log_cleanup_has_left(tmp_path: Path) -> None:
    table = daily(tmp_path / "t")
    # VACUUM spares f2 by the tombstone in the checkpoint, though no version needs it any more.
    table.checkpoint(4, [protocol(), metadata(), add("f4"), gone("f2", 1)])
    for version in range(4):
        (table.log / f"{version:020d}.json").unlink()
    found = looked(table)
    assert spans(found) == [(4, 9, True, True, False)]
    assert found["history"]["files"] == 5
    assert found["vacuum"]["files"] == 2  # f0 and f1, but neither f2 nor f3, which is new
    (table.log / f"{4:020d}.json").unlink()
    refused = deltaadm("history", table.path, "--restorable")
    assert (refused.code, refused.out) == (3, "")
    assert "none can be rebuilt" in refused.err


def test_a_file_with_a_vector_has_a_tombstone_without_it(tmp_path: Path) -> None:
    """In a checkpoint, of which the file is alive all the same."""
    with_vector = add("a", deletionVector=tables.deletion_vector(VECTOR))
    table = made(tmp_path / "t", [add("a")], [with_vector, gone("a", 0)], [])
    table.checkpoint(1, [protocol(), metadata(), with_vector, gone("a", 0)])
    (table.log / f"{0:020d}.json").unlink()
    put(table, VECTOR_FILE, NOW)
    assert spans(looked(table)) == [(1, 2, True, True, False)]
    (table.path / "a").unlink()
    assert spans(looked(table)) == [(1, 2, False, True, False)]


def test_cleanup_that_is_switched_off_ends_nothing(tmp_path: Path) -> None:
    table = daily(tmp_path / "t")
    table.checkpoint(5, [])
    table.commit(10, metadata({"delta.enableExpiredLogCleanup": "false"}), modified=NOW)
    assert looked(table)["cleaned_at"] is None


def test_a_clone_depends_on_its_source(tmp_path: Path) -> None:
    source = daily(tmp_path / "source")
    clone = made(
        tmp_path / "clone", [add(f"file:{source.path}/f0"), add(f"file://{source.path}/f9")]
    )
    (tmp_path / "broken" / "_delta_log").mkdir(parents=True)
    found = looked(source, "--discover", tmp_path)
    place = str(tmp_path / "clone")
    assert found["clones"] == [{"table": place, "files": 2, "ending": 1}]
    assert len(found["unread"]) == 1
    assert looked(source)["clones"] is None
    # Alone, the clone does not tell whether its files are there.
    assert spans(looked(clone)) == [(0, 0, None, True, False)]
    assert spans(looked(clone, "--discover", tmp_path)) == [(0, 0, True, True, False)]
    (source.path / "f0").unlink()
    assert spans(looked(clone, "--discover", tmp_path)) == [(0, 0, False, True, False)]


@pytest.mark.parametrize("options", [
    ("--restorable", "--protocol"), ("--restorable", "--since", "1"), ("--discover", "."),
])  # fmt: skip
def test_options_that_do_not_go_together(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert deltaadm("history", daily(tmp_path / "t").path, *options).code == 2
