"""A table whose directory, columns, properties and files have hostile names, from the shell on."""

import json
import re
from pathlib import Path

import pytest

from deltaadm.formats import formats_for
from deltaadm.masking import is_hidden
from deltaadm.reports.inspect import TableReport
from deltaadm.rules.rule import ValidationReport
from tests.support import samples, tables
from tests.support.program import deltaadm, process

NAMES = {
    "lines": "a\n::error::x\r##[error]x",
    "html": "<script>alert(1)<script>&'\"",
    "terminal": "a\x1b[31m\x9b\u202e",
    "bytes": "a\udcff\udce4",
    "links": "[a](http:evil.example) `b` | c",
}


def hostile_table(path: Path, text: str) -> Path:
    place = path / text
    body = "\n".join(
        json.dumps(command)
        for command in (
            tables.protocol(3, 7, [text], [text, "rowTracking"]),
            tables.metadata(
                {text: text, "delta.columnMapping.mode": text},
                name=text,
                partitionColumns=[text],
                schemaString=samples.schema(samples.column(text, 1), samples.column(text, 1)),
            ),
            tables.add(text, -1),
            {"commitInfo": {"timestamp": text, "operation": text}},
        )
    )
    broken = f"{body}\n{{{text}".encode(errors="surrogateescape")
    tables.Table(place).write(f"{0:020d}.json", broken)
    return place


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return hostile_table(tmp_path, str(request.param))


@pytest.mark.parametrize("name", formats_for(ValidationReport))
def test_validate_tells_of_it_without_obeying(name: str, table: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    result = deltaadm("validate", table, "--deep", "--history", "-o", f"{name}:{report}")
    assert (result.code, result.out) == (3, "")
    text = report.read_text(encoding="utf-8")
    assert text
    if name not in {"json", "jsonl"}:
        assert not {character for character in text if is_hidden(character)} - {"\n"}
        assert "\n::error::" not in text


@pytest.mark.parametrize("name", formats_for(TableReport))
def test_inspect_tells_of_it_without_obeying(name: str, table: Path) -> None:
    result = deltaadm("inspect", table, "-o", name)
    assert result.code == 3
    for text in (result.out, result.err):
        assert not {character for character in text if is_hidden(character)} - {"\n"}
        assert not re.search(r"^\s*::", text, re.MULTILINE)


@pytest.mark.slow
def test_a_process_writes_it_to_a_pipe(tmp_path: Path) -> None:
    for text in NAMES.values():
        table = hostile_table(tmp_path, text)
        result = process("validate", table, "-o", "github", env={"LC_ALL": "C"})
        assert result.code == 3
        assert all(re.match(r"::\w+ file=", line) for line in result.out.splitlines())
