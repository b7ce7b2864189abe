"""`doctor`: whether this machine has what deltaadm needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deltaadm.blocks import Block, Check, Checks, Either, Heading, Health
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.json_values import STRING, array, one_of, record


@dataclass(frozen=True)
class DoctorReport:
    """Whether this machine has what deltaadm needs."""

    checks: tuple[Check, ...]

    document = "doctor"
    blocks = "deltaadm.reports.doctor.show_doctor"

    @property
    def failed(self) -> bool:
        """Whether anything is missing."""
        return any(check.health is Health.FAILED for check in self.checks)


DOCTOR_DOCUMENT: Final = Document.of(
    "The output of `doctor`",
    checks=array(record(subject=STRING, health=one_of(Health), detail=STRING, remedy=STRING)),
)


def show_doctor(report: DoctorReport) -> Iterator[Block]:
    """The checks on this machine."""
    tone = "error" if report.failed else "good"
    yield Either([Heading("This machine", level=1, tone=tone)])
    yield Checks(report.checks)
