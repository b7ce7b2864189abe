"""Which types hold all values of which others."""

import pytest

from deltaadm.domain.transaction.columns import is_widening

WIDER = [
    ("byte", "short"), ("byte", "long"), ("integer", "long"), ("float", "double"),
    ("short", "double"), ("date", "timestamp_ntz"), ("byte", "decimal(3,0)"),
    ("byte", "decimal(4,1)"), ("integer", "decimal(10,0)"), ("long", "decimal(20,0)"),
    ("decimal(10,2)", "decimal(10,2)"), ("decimal(10,2)", "decimal(12,4)"),
    ("decimal(10,2)", "decimal(11,2)"),
]  # fmt: skip
NOT_WIDER = [
    ("long", "integer"), ("integer", "integer"), ("long", "double"), ("string", "long"),
    ("long", "string"), ("double", "float"), ("date", "timestamp"), ("byte", "decimal(2,0)"),
    ("long", "decimal(20,1)"), ("float", "decimal(38,0)"), ("decimal(10,2)", "decimal(10,3)"),
    ("decimal(10,2)", "decimal(12,1)"), ("decimal(10,2)", "double"), ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), WIDER)
def test_a_type_is_wider(old: str, new: str) -> None:
    assert is_widening(old, new)


@pytest.mark.parametrize(("old", "new"), NOT_WIDER)
def test_a_type_is_not_wider(old: str, new: str) -> None:
    assert not is_widening(old, new)
