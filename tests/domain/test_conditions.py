"""CHECK expressions: what is refused without Spark, Spark and Delta refuse as well."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import AddConstraint
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.constraints import stored_expression
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError
from tests.support.statement_rows import STARTS, rows

_PROTOCOL, _METADATA = STARTS["constrained"]()
TABLE = Snapshot(
    root="table",
    version=0,
    protocol=Protocol.from_wire(_PROTOCOL["protocol"]),
    metadata=Metadata.from_wire(_METADATA["metaData"]),
)
ACCEPTED = "accepted"


def _verdict(text: str) -> str | None:
    """The error class with which a constraint is refused, or `ACCEPTED`."""
    try:
        evolve(TABLE, AddConstraint("c", text))
    except DeltaadmError as error:
        return error.delta_error_class
    return ACCEPTED


def _stands_in_brackets(text: str) -> bool:
    try:
        stored_expression(text)
    except DeltaadmError:
        return False
    return True


RECORDED = [row for row in rows("check") if _stands_in_brackets(row["expression"])]


def test_nothing_is_refused_that_delta_accepts() -> None:
    assert len(RECORDED) > 100
    wrong = {
        case["expression"]: verdict
        for case in RECORDED
        if "refused" not in case and (verdict := _verdict(case["expression"])) != ACCEPTED
    }
    assert wrong == {}


def test_what_is_refused_has_the_class_that_delta_gives_it() -> None:
    wrong = {
        case["expression"]: (verdict, case["refused"])
        for case in RECORDED
        if case.get("refused")
        and (verdict := _verdict(case["expression"])) != ACCEPTED
        and str(verdict).partition(".")[0] != case["refused"].partition(".")[0]
    }
    assert wrong == {}


WORDS = """
a b c arr m s s.x v nosuch 1 1.5 'x' "y" ` `a` ( ) [ ] , . : :: + - * / % = == <=> <> < <= > >= !
!< & | ^ ~ || AND OR NOT IS NULL TRUE IN BETWEEN LIKE RLIKE ESCAPE DISTINCT FROM CASE WHEN THEN
ELSE END CAST AS count length nosuch exists SELECT INTERVAL DATE OVER x'1F' r'x' ; -> DIV
""".split()  # noqa: SIM905


@settings(max_examples=int(os.environ.get("DELTAADM_CONDITIONS", "200")), deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_text_is_judged_or_refused(words: list[str]) -> None:
    """`DELTAADM_CONDITIONS` is the number of texts; 50,000 take a minute."""
    assert _verdict(" ".join(words)) is not None


def test_deep_brackets_are_left_to_spark() -> None:
    assert _verdict("(" * 5000 + "c" + ")" * 5000) == ACCEPTED
