"""`explain` with messages of engines: each leads to its feature or damage, all else to nothing."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from deltaadm.cli.program import parse
from deltaadm.cli.table import Command
from deltaadm.reports.engine_messages import find_message
from tests.support.cases import each
from tests.support.program import deltaadm, process

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "engine_messages.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
UNRELATED = [
    "Permission denied: s3://bucket/table/_delta_log",
    "Connection reset by peer while reading version 3",
    "Table default.orders does not exist",
    "the reader version of this library is 3",
    "Unsupported file format: orc",
    "Feature 'dark mode' is not supported for your plan",
    "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays.copyOf",
    "[SOMETHING_ELSE] no error class of Delta",
]


def _explained(text: str) -> dict[str, Any]:
    result = deltaadm("explain", text, "-o", "json")
    assert result.code == 0, result.err
    return dict(result.document)


@each("row", [(row["message"], row) for row in ROWS])
def test_a_message_leads_to_its_feature_its_rule_and_a_command(row: dict[str, Any]) -> None:
    found = _explained(row["message"])
    if isinstance(row["means"], str):
        assert found["delta_error_class"] == row["means"]
        return
    assert found["features"] == row["means"]
    assert found["unknown_features"] == []
    codes = [rule["code"] for rule in found["rules"]]
    assert row["rule"] in codes if row["rule"] else not codes
    commands = [*found["commands"], *(f"explain {name}" for name in found["features"])]
    assert any(row["command"] in command for command in commands)
    for command in commands:
        name, *words = shlex.split(command)
        parse(Command(name), words)


def test_most_messages_are_from_public_threads_and_many_clients() -> None:
    assert len(ROWS) >= 60
    assert all(re.match(r"https://|source:", row["source"]) for row in ROWS)


@each("text", [(text, text) for text in UNRELATED])
def test_what_no_engine_says_stays_unknown(text: str) -> None:
    assert find_message(text) is None
    result = deltaadm("explain", text)
    assert result.code != 0
    assert "deltaadm inspect TABLE --for-client" in result.err


def test_a_stack_trace_is_read_from_standard_input() -> None:
    trace = "Traceback (most recent call last):\n  File x\n" + ROWS[0]["message"] + "\nmore"
    result = process("explain", "-", input=trace, stdin=None)
    assert result.code == 0
    assert "deltaadm explain deletionVectors" in result.out


def test_a_feature_from_the_future_is_said_to_be_unknown() -> None:
    found = _explained("Unsupported reader features required: [DeletionVectors, fromTheFuture]")
    assert found["features"] == ["deletionVectors"]
    assert found["unknown_features"] == ["fromTheFuture"]
