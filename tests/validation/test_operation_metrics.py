"""A line that is taken out of a commit does not go unnoticed where its writer counted."""

import json
from pathlib import Path

import pytest

from deltaadm.rules.log import OPERATIONS
from tests.support import oracle
from tests.support.rule_cases import findings


@pytest.mark.parametrize("name", oracle.table_names())
def test_every_removed_line_is_noticed(tmp_path: Path, name: str) -> None:
    table = oracle.table(name, tmp_path)
    assert "DL128" not in _codes(table.path)
    for commit in sorted((table.path / "_delta_log").glob("*.json")):
        lines = commit.read_text().splitlines()
        if not _counts(lines):
            continue
        for place, line in enumerate(lines):
            if {"add", "remove"} & json.loads(line).keys():
                commit.write_text("\n".join(lines[:place] + lines[place + 1 :]))
                assert "DL128" in _codes(table.path), (commit.name, line)
        commit.write_text("\n".join(lines))


def _codes(path: Path) -> set[str]:
    return {finding.code for finding in findings(path, "history")}


def _counts(lines: list[str]) -> bool:
    """Whether the commit has metrics of an operation that changes files."""
    infos = [json.loads(line).get("commitInfo") for line in lines]
    info = next(filter(None, infos), {})
    return info.get("operation") in OPERATIONS and bool(info.get("operationMetrics"))
