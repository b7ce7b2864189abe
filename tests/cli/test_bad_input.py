"""Tables that are broken or out of reach: one sentence, a remedy, a code, and nothing written."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import tables
from tests.support.program import deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol

START: list[Any] = [protocol(), metadata()]
TABLE, STORAGE, REFUSED = 3, 4, 7


def binary_commit(path: Path) -> None:
    tables.table(path, commit(*START), b"\x00\xff\xfe" * 100)


def zero_byte_checkpoint(path: Path) -> None:
    made = Table(path)
    made.write(f"{2:020d}.checkpoint.parquet", b"")
    made.commit(3, add("a"))


def broken_checkpoint(path: Path) -> None:
    made = Table(path)
    made.write(f"{2:020d}.checkpoint.parquet", b"PAR1 not really PAR1")
    made.commit(2, commit_info())
    made.commit(3, add("a"))


def missing_part(path: Path) -> None:
    made = Table(path)
    made.multipart(2, [*START, add("a"), add("b")])[1].unlink()
    made.last_checkpoint(2)
    made.commit(3, add("c"))


@pytest.mark.parametrize(("make", "words"), [
    (binary_commit, ""),
    (zero_byte_checkpoint, ""),
    (broken_checkpoint, "checkpoint"),
    (missing_part, ""),
], ids=lambda value: getattr(value, "__name__", ""))  # fmt: skip
def test_no_readable_table(tmp_path: Path, make: Callable[[Path], None], words: str) -> None:
    path = tmp_path / "t"
    make(path)
    with untouched(tmp_path):
        for command in (["inspect"], ["upgrade-protocol"], ["alter", "--set", "a=b"]):
            text = deltaadm(*command, path)
            assert (text.code, text.out) == (TABLE, "")
            assert_one_sentence_and_remedy(text.err)
            assert words in text.err
            document = deltaadm(*command, path, "-o", "json")
            assert (document.code, document.err) == (TABLE, "")
            error = document.document["error"]
            assert document.document["table"] == str(path)
            assert error.keys() == {"kind", "exit_code", "message", "remedy", "delta_error_class"}
            assert (error["kind"], error["exit_code"]) == ("table", TABLE)
            assert error["remedy"]


def assert_one_sentence_and_remedy(text: str) -> None:
    message, remedy, *rest = text.splitlines()
    assert rest == []
    assert message.startswith("error: ")
    assert message.endswith(".")
    assert remedy.startswith("  ")
    assert remedy[2].isupper() or remedy[2] == "`"


@with_rows
def test_a_location_that_no_system_takes(location: str) -> None:
    for command in (["inspect"], ["validate"], ["history"], ["alter", "--set", "a=b"]):
        result = deltaadm(*command, location)
        assert result.code in {TABLE, STORAGE}, result.err
        assert_one_sentence_and_remedy(result.err)
    found = deltaadm("doctor", location)
    assert (found.code, "Traceback" in found.out + found.err) == (6, False)


@with_rows
def test_bytes_that_are_no_text(tmp_path: Path, wish: tuple[str, ...]) -> None:
    """Before anything is read, or consent is given to a commit that cannot be written."""
    made = tables.table(tmp_path / "t", commit(*START))
    command, *options = wish
    writes = ("--apply", "--yes", "--commit-engine", "embedded") if command != "history" else ()
    with untouched(tmp_path):
        result = deltaadm(command, made.path, *options, *writes)
    assert (result.code, "is not valid UTF-8" in result.err) == (2, True)


@pytest.mark.parametrize("option", ["--tables-from", "--resume", "--storage-options-file"])
def test_a_file_with_an_odd_name(tmp_path: Path, option: str) -> None:
    made = tables.table(tmp_path / "t", commit(*START))
    for name in ("x" * 5_000, "/dev/zero", "a\0b", str(tmp_path)):
        result = deltaadm("inspect", made.path, option, name)
        assert result.code in {2, 4, 7}, result.err
        assert_one_sentence_and_remedy(result.err)


def _nested(kind: str, depth: int) -> str:
    """A schema of a column so deep; decoding and encoding JSON would not go as far."""
    opening, closing = {
        "struct": (f'{{"type":"struct","fields":[{_FIELD}', "}]}"),
        "array": ('{"type":"array","containsNull":true,"elementType":', "}"),
        "map": ('{"type":"map","keyType":"string","valueContainsNull":true,"valueType":', "}"),
    }[kind]
    inner = f'{opening * depth}"integer"{closing * depth}'
    return f'{{"type":"struct","fields":[{_FIELD}{inner}}}]}}'


_FIELD = '{"name":"a","nullable":true,"metadata":{},"type":'


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "depth", "readable"), [
    ("struct", 150, True),
    ("struct", 332, True),
    ("struct", 333, False),
    ("struct", 1000, False),
    pytest.param("array", 997, True, marks=pytest.mark.matrix),
    ("array", 998, False),
    pytest.param("map", 600, True, marks=pytest.mark.matrix),
    ("map", 1100, False),
])  # fmt: skip
def test_columns_nested_in_columns(
    tmp_path: Path, kind: str, depth: int, *, readable: bool
) -> None:
    """As deep as Delta's JSON reader goes (tried), all commands answer; beyond, they say so."""
    start = commit(protocol(), metadata(schemaString=_nested(kind, depth)))
    path = tables.table(tmp_path / "t", start).path
    assert deltaadm("inspect", path, "--columns").code == 0
    validated = deltaadm("validate", path)
    planned = deltaadm("set-mapping-mode", path, "name")
    if readable:
        assert (validated.code, planned.code) == (0, 0)
    else:
        assert (validated.code, planned.code) == (1, TABLE)
        assert "it is nested more than 1000 levels deep" in validated.out
        assert "it is nested more than 1000 levels deep" in planned.err


needs_permissions = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read everything"
)


@needs_permissions
@pytest.mark.parametrize("what", ["commit", "log"])
def test_a_log_that_may_not_be_read(small: Table, what: str) -> None:
    place = small.log if what == "log" else small.log / f"{0:020d}.json"
    place.chmod(0)
    try:
        result = deltaadm("inspect", small.path)
    finally:
        place.chmod(0o755)
    assert result.code == STORAGE
    assert "permission" in result.err


def test_a_log_that_may_not_be_written_can_be_planned_for(small: Table) -> None:
    small.log.chmod(0o555)
    try:
        with untouched(small.path):
            assert deltaadm("alter", small.path, "--set", "a=b").code == 0
    finally:
        small.log.chmod(0o755)


@with_rows
@pytest.mark.parametrize("present", [True, False], ids=["there", "not there"])
def test_odd_paths(tmp_path: Path, name: str, *, present: bool) -> None:
    path = tmp_path / name
    if present:
        tables.table(path, commit(*START))
    for form in ("text", "json", "sql"):
        command = ["inspect"] if form == "json" else ["alter", "--set", "a=b"]
        result = deltaadm(*command, path, "-o", form)
        assert result.code == (0 if present else TABLE)
        assert "Traceback" not in result.err
        if form == "json":
            assert result.document["table"] == str(path)
        else:
            assert_harmless(result.out + result.err)


def test_an_odd_path_cannot_break_out_of_its_statement(tmp_path: Path) -> None:
    made = tables.table(tmp_path / "a`; DROP TABLE x; --`", commit(*START))
    result = deltaadm("alter", made.path, "--set", "k=it's'); --", "-o", "sql")
    assert result.out == (
        f"ALTER TABLE delta.`{tmp_path}/a``; DROP TABLE x; --``` "
        "SET TBLPROPERTIES ('k' = 'it\\'s\\'); --');\n"
    )


def assert_harmless(text: str) -> None:
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\u202e" not in text


# text from tables


HOSTILE = "[red]x[/red] \x1b[31m\x1b]0;title\x07 \u202e\u2066 a\nb\r \x9b31m :smile: \ud800"


@pytest.fixture
def hostile(tmp_path: Path) -> Table:
    """A table whose every text tries something."""
    column = tables.SCHEMA.replace('"a"', '"[red]x[/red]\\u001b[31m\\n\\u202e"')
    return tables.table(
        tmp_path / "hostile",
        commit(
            protocol(3, 7, ["\x1b[31mf"], ["\x1b[31mf", "[b]g"]),
            metadata(
                {"k": "[bold]v[/bold]\x1b[2J\u202e\n", "[link=x]\x1b[0m": "v"},
                name="[red]name[/red]\x1b[31m\n",
                description="\x1b]8;;http://x\x07[blink]c\u2067",
                schemaString=column,
                id="\x07[id]",
            ),
        ),
    )


def test_hostile_texts_are_shown(hostile: Table) -> None:
    result = deltaadm("inspect", hostile.path, "--columns", "-v", "--color", "always")
    assert result.code == 0
    ours = r"\x1b\[[012]m|(?m:^ *)\x1b\[3[1-6]m"  # bold, dim, and the colours of verdicts
    plain = re.sub(ours, "", result.out)
    assert_harmless(plain)
    for words in (
        "[red]name[/red]\\x1b[31m\\n",
        "\\x1b]8;;http://x\\x07[blink]c\\u2067",
        "[bold]v[/bold]\\x1b[2J\\u202e\\n",
        "[link=x]\\x1b[0m",
        "[red]x[/red]\\x1b[31m\\n\\u202e",
        "\\x07[id]",
        "\\x1b[31mf, [b]g",
    ):
        assert words in plain


def test_hostile_texts_in_json_are_escaped_by_json(hostile: Table) -> None:
    result = deltaadm("inspect", hostile.path, "-o", "json")
    assert result.out.isascii()
    assert "\x1b" not in result.out
    assert result.document["metadata"]["name"] == "[red]name[/red]\x1b[31m\n"


def test_hostile_texts_in_plans(tmp_path: Path) -> None:
    column = tables.SCHEMA.replace('"a"', '"[red]x[/red]\\u001b[31m\\u202e"')
    made = tables.table(tmp_path, commit(protocol(2, 5), metadata(schemaString=column)))
    for command in (
        ["set-mapping-mode", made.path, "name"],
        ["alter", made.path, "--set", f"k={HOSTILE[:-1]}"],
        ["alter", made.path, "--set", "[red]\x1b[31m=v"],
    ):
        result = deltaadm(*command)
        assert result.code == 0
        assert_harmless(result.out + result.err)
        assert "[red]" in result.out


@pytest.mark.parametrize("arguments", [
    ["enable-feature", "T", HOSTILE],
    ["alter", "T", "--set", f"delta.{HOSTILE}=1"],
    ["alter", "T", "--set", f"delta.appendOnly={HOSTILE}"],
    ["features", HOSTILE],
    ["inspect", "T", "--timestamp", HOSTILE],
    ["inspect", "T", "--timestamp", "9" * 5000],
    ["history", "T", "--since", "9" * 5000],
    ["inspect", "T", "-o", HOSTILE],
    ["inspect", "T", f"--{HOSTILE}"],
    [HOSTILE],
], ids=lambda text: text[0].replace("\x1b", "")[:8].strip("[") + str(len(text)))  # fmt: skip
def test_hostile_arguments_in_errors(small: Table, arguments: list[str]) -> None:
    result = deltaadm(*(small.path if argument == "T" else argument for argument in arguments))
    assert result.code in {2, REFUSED}
    assert result.out == ""
    assert_harmless(result.err)


def test_a_path_that_does_not_print_is_spelled_in_its_statement(tmp_path: Path) -> None:
    made = tables.table(tmp_path / "\x1b[31m\u202e`$", commit(*START))
    result = deltaadm("alter", made.path, "--unset", "k", "--set", "a=\u2066", "-o", "sql")
    assert result.out == (
        f"ALTER TABLE IDENTIFIER('delta.`{tmp_path}/\\u001b[31m\\u202e``\\u0024`') "
        "SET TBLPROPERTIES ('a' = '\\u2066');\n"
    )
