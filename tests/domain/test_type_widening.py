"""Which types hold all values of which others."""

from deltaadm.domain.transaction.columns import is_widening
from tests.support.rows import with_rows


@with_rows
def test_a_type_is_wider(old: str, new: str) -> None:
    assert is_widening(old, new)


@with_rows
def test_a_type_is_not_wider(old: str, new: str) -> None:
    assert not is_widening(old, new)
