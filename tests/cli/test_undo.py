"""`deltaadm undo` and `apply --undo`: planned from the log, refused with a reason, carried out."""

import sys

from deltaadm.plans.reversal import plan_undo
from tests.support import plans


def test_undoing_changes_of_many_columns_does_not_look_at_all_for_each() -> None:
    """Of all calls in Python, 30 times as many for ten times the columns are allowed."""

    def calls(number: int) -> int:
        names = [f"c{index}" for index in range(number)]
        before = plans.snapshot(schemaString=plans.schema(*names))
        after = plans.snapshot(version=4, schemaString=plans.schema(*names, comment="x"))
        counted = 0

        def count(_frame: object, event: str, _of: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        try:
            plan_undo(before, after, after, what="Version 4")
        finally:
            sys.setprofile(None)
        return counted

    calls(2)
    assert calls(200) < 30 * calls(20)
