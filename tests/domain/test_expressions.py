"""Column references in SQL, told without a parser."""

import pytest

from deltaadm.domain.ddl import column_references

ROWS = {
    "a > 0": ["a"],
    "`a b`.c > 1 AND upper(d) <> 'e'": ["a b.c", "d"],
    "`it``s` = 1": ["it`s"], "CAST(x AS bigint) = y": ["x", "y"], "date '2020-01-01' < d": ["d"],
    "X'1F' = b": ["b"], "interval 1 day + t > now()": ["t"], "a IS NOT NULL": ["a"],
    "extract(YEAR FROM ts) > 1": ["ts"], "s.a.b BETWEEN 1L AND 2.5e3": ["s.a.b"],
    "CASE WHEN a THEN b ELSE c END": ["a", "b", "c"],
    "f(x).y = z": ["x", "z"], "arr[0] > i": ["arr", "i"], "a = 'it''s' OR b = \"c\"": ["a", "b"],
    "x IN (1, 2)": ["x"], "name collate unicode = 'x'": ["name"], "": [],
    "current_date > '2020-01-01'": [], "`f`(1)": [], "exists(xs, x -> x > y)": [], "v:a.b = 1": [],
    "a -- comment": ["a"], "a /* comment */": ["a"], "a > 'unclosed": [], "a # b": [],
}  # fmt: skip


@pytest.mark.parametrize("expression", ROWS)
def test_columns_of(expression: str) -> None:
    assert [".".join(path) for path in column_references(expression)] == ROWS[expression]
