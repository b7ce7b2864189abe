"""Parts of answers: fields of documents, queries, and counts of findings."""

import json
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table, commit, metadata, protocol


@pytest.fixture
def odd(tmp_path: Path) -> Table:
    return tables.table(tmp_path / "odd", commit(protocol(1, 2), metadata({"delta.x": "1"})))


def test_fields_are_chosen_in_their_order(odd: Table) -> None:
    found = deltaadm("validate", odd.path, "--json", "version, table")
    assert list(found.document.items()) == [("version", 0), ("table", str(odd.path))]
    plan = deltaadm("alter", odd.path, "--set", "a=b", "--json", "table", "-o", "yaml")
    assert plan.out == f"---\ntable: {json.dumps(str(odd.path))}\n"


def test_a_query_takes_parts(odd: Table, small: Table) -> None:
    codes = deltaadm("validate", odd.path, "--query", "findings[].code", "--select", "DL3")
    assert codes.document == ["DL309"]
    assert deltaadm("inspect", odd.path, "--query", "table").out == f"{odd.path}\n"
    assert deltaadm("inspect", odd.path, "--query", "nothing").out == "null\n"
    both = ("--table", odd.path, "--table", small.path)
    assert deltaadm("inspect", *both, "--query", "[].version").document == [0, 0]
    lines = deltaadm("inspect", *both, "-o", "jsonl", "--json", "version").out
    assert lines == '{"version":0}\n' * 2
    assert "deletionVectors" in deltaadm("features", "--query", "features[].name").document


def test_an_error_stays_whole(tmp_path: Path) -> None:
    found = deltaadm("inspect", tmp_path / "nothing", "--json", "version", "--query", "version")
    assert (found.code, found.document["error"]["kind"]) == (3, "table")


@pytest.mark.parametrize(("words", "message", "remedy"), [
    ("--json tabel", "--json: there is no field 'tabel'.", "Did you mean table?"),
    ("--json ,", "--json: names no field.", "See `deltaadm inspect --help`."),
    ("--query [", "--query: '[' is not JMESPath", "https://jmespath.org"),
    ("--query length(version)", "--query: 'length(version)' does not apply", "See"),
    ("--json table -o text", "--json: requires -o json, jsonl or yaml, not text.", "See"),
    ("--query table -o html:x", "--query: requires -o json, jsonl or yaml", "See"),
])  # fmt: skip
def test_what_cannot_be_chosen(odd: Table, words: str, message: str, remedy: str) -> None:
    found = deltaadm("inspect", odd.path, *words.split())
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert remedy in found.err


def test_findings_are_counted_by_rule(odd: Table, small: Table, tmp_path: Path) -> None:
    given = ("validate", odd.path, small.path, "--statistics", "--select", "DL3,DL127")
    counted = deltaadm(*given, "-o", "json").document
    assert (counted["tables"], counted["failed"]) == (2, 0)
    assert [(rule["code"], rule["findings"], rule["tables"]) for rule in counted["rules"]] == [
        ("DL127", 2, 2), ("DL309", 1, 1),
    ]  # fmt: skip
    text = deltaadm(*given)
    assert text.code == 0
    assert text.out.splitlines()[1].split() == ["2", "2", "DL127", "info", "missing-commit-info"]
    assert text.out.splitlines()[-1] == "2 tables, 3 findings."
    assert deltaadm(*given, "--fail-on", "info").code == 1
    lost = deltaadm(*given, tmp_path / "nothing", "-q")
    assert lost.code == 9
    assert deltaadm(*given, "-o", "sarif").code == 2
