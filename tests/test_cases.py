"""A test of many cases fails where one of them does, and says which."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import each

TESTS = """
from tests.support.cases import each

CASES = {"good": (1, "a"), "bad": (2, "b"), "worse": (3, "c")}

class TestNumbers:
    @each("number, word", CASES)
    def test_first(self, number, word, tmp_path):
        (tmp_path / word).touch(exist_ok=False)
        assert number == 1
"""


@pytest.mark.slow
def test_every_case_is_tried_and_each_failure_named(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    # With a directory of its own, lest it clear up after all earlier runs, which takes minutes.
    command = [
        sys.executable, "-m", "pytest", "--basetemp=own", "--disable-plugin-autoload", "test_it.py"
    ]  # fmt: skip
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "SUBFAILED[bad]" in ended.stdout
    assert "SUBFAILED[worse]" in ended.stdout
    assert "[good]" not in ended.stdout


def test_two_cases_have_two_names() -> None:
    with pytest.raises(AssertionError, match="two cases have one name"):
        each("number", [("a", 1), ("a", 2)])
