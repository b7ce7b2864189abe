"""`explain` with messages of engines: each leads to its feature or damage, all else to nothing."""

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deltaadm.cli.program import parse
from deltaadm.cli.table import Command
from deltaadm.clients import ALIASES, CLIENTS
from deltaadm.domain.features import FEATURES
from deltaadm.reports.explain import EngineMessage, explain, find_messages, known_messages
from deltaadm.rules.rule import RULES
from tests.support.cases import each
from tests.support.program import deltaadm, process
from tests.support.rows import with_rows

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "engine_messages.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
KNOWN = [row for row in ROWS if row["means"] is not None]
UNRELATED = [
    *(row["message"] for row in ROWS if row["means"] is None),
    "Permission denied: s3://bucket/table/_delta_log",
    "Connection reset by peer while reading version 3",
    "Table default.orders does not exist",
    "the reader version of this library is 3",
    "Unsupported file format: orc",
    "Feature 'dark mode' is not supported for your plan",
    "JSON text is not properly formatted. Unexpected character '{' is found at position 12.",
    "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
    "Invalid S3 Path.",
    "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays.copyOf",
    "java.io.FileNotFoundException: File file:/tmp/part-1.csv does not exist",
    "Traceback (most recent call last):\n  File 'x.py', line 1, in <module>\nKeyError: 'add'",
    "[SOMETHING_ELSE] no error class of Delta",
]


def _explained(text: str) -> dict[str, Any]:
    result = deltaadm("explain", text, "-o", "json")
    assert result.code == 0, result.err
    return dict(result.document)


def _check_command(command: str) -> None:
    """A command line parses, and its clients and features exist."""
    name, *words = shlex.split(command)
    parse(Command(name), words)
    for option, value in pairwise(words):
        if option in {"--for-client", "--for-client-writing", "--readable-by", "--writable-by"}:
            assert value in {*CLIENTS, *ALIASES}, command
    if name in {"drop-feature", "enable-feature"}:
        assert words[1] in FEATURES, command


@each("row", [(row["message"], row) for row in KNOWN])
def test_a_message_leads_to_its_feature_its_rule_and_a_command(row: dict[str, Any]) -> None:
    found = _explained(row["message"])
    codes = [rule["code"] for rule in found["rules"]]
    commands = [*found["commands"], *(f"explain {name}" for name in found["features"])]
    if isinstance(row["means"], str):
        assert found["delta_error_class"] == row["means"]
        assert not row.get("rule") or row["rule"] in codes
    else:
        assert found["features"] == row["means"]
        assert found["unknown_features"] == []
        assert row["rule"] in codes if row["rule"] else not codes
        for command in commands:
            _check_command(command)
    assert any(row["command"] in command for command in commands) or not row["command"]


def test_most_messages_are_from_public_threads_and_many_clients() -> None:
    public = {row["message"] for row in KNOWN if row["source"].startswith("https://")}
    assert len(public) >= 80
    assert all(re.match(r"https://|source:", row["source"]) for row in ROWS)


@each("text", [(text, text) for text in UNRELATED])
def test_what_no_engine_says_stays_unknown(text: str) -> None:
    assert not [*find_messages(text)]
    result = deltaadm("explain", text)
    assert result.code != 0
    assert "deltaadm inspect TABLE --for-client" in result.err


def _samples() -> Iterator[tuple[str, Any]]:
    places = {"{features}": "columnMapping", "{type}": "timestamp_ntz", "{version}": "7", "{}": "x"}
    for known in known_messages():
        text = re.sub(r"\{\w*\}", lambda place: places[place[0]], known.text)
        yield f"{known.client}: {known.text}", (text, known)


@each("sample", list(_samples()))
def test_every_known_message_is_found_and_leads_on(sample: tuple[str, Any]) -> None:
    """No pattern is hidden by another; rules, features and commands of each topic exist."""
    text, known = sample
    found = explain(f"ERROR {text}\n\tat some.Place(File:1)")
    assert isinstance(found, EngineMessage)
    assert found.meaning == known.meaning
    assert found.commands
    for command in found.commands:
        _check_command(command)
    assert {*known.rules} <= {*RULES}
    assert not known.feature or known.feature in FEATURES


@pytest.mark.slow
def test_a_stack_trace_is_read_from_standard_input() -> None:
    trace = "Traceback (most recent call last):\n  File x\n" + ROWS[0]["message"] + "\nmore"
    result = process("explain", "-", input=trace, stdin=None)
    assert result.code == 0
    assert "deltaadm explain deletionVectors" in result.out


_VERSION = "Unsupported Delta protocol reader version: table `/t` requires reader version 4"
_FEATURE = (
    "Unsupported Delta reader features: table `/t` requires reader table features [variantType]"
)
_JAVA = "\n\tat a.B(C:1)\nCaused by: "
_PYTHON = "\n\nThe above exception was the direct cause of the following exception:\n\n"
_PYTHON_TOO = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
_CLASS = "[DELTA_TRUNCATED_TRANSACTION_LOG] Unable to reconstruct state"


@pytest.mark.parametrize(
    ("first", "link", "second", "root"),
    [
        (_VERSION, _JAVA, _FEATURE, _FEATURE),
        (_VERSION, _JAVA, _CLASS, _CLASS),
        (_CLASS, _JAVA, _VERSION, _VERSION),
        (_CLASS, _JAVA, "java.io.IOException: broken pipe", _CLASS),
        (_FEATURE, _PYTHON, _VERSION, _FEATURE),
        (_VERSION, _PYTHON_TOO, f"An error occurred while calling o1.load.\n: {_CLASS}", _VERSION),
    ],
)
def test_of_several_causes_the_one_nearest_to_the_root_is_explained(
    first: str, link: str, second: str, root: str
) -> None:
    trace = f"E: {first}{link}X: {second}\n\tat a.B(C:2)"
    assert _explained(trace)["meaning"] == _explained(root)["meaning"]
    assert _explained(trace.replace("\n", "\\n"))["meaning"] == _explained(root)["meaning"]


def test_an_error_class_names_the_features_of_its_message() -> None:
    found = _explained(
        "[DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH] Unable to operate on this table because the "
        "following table features are enabled in metadata but not listed in protocol: "
        "invariants, columnMapping."
    )
    assert found["features"] == ["columnMapping", "invariants"]


@with_rows
def test_a_message_of_a_library_is_the_clients_who_shows_it(text: str, client: str) -> None:
    found = _explained(text)
    assert found["client"] == client
    assert f"inspect TABLE --for-client {client}" in found["commands"]


def test_a_feature_from_the_future_is_said_to_be_unknown() -> None:
    found = _explained("Unsupported reader features required: [DeletionVectors, fromTheFuture]")
    assert found["features"] == ["deletionVectors"]
    assert found["unknown_features"] == ["fromTheFuture"]
