"""What `validate` writes of a table."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.documents.common import Document
from deltaadm.documents.finding import FINDING
from deltaadm.documents.steps import STEP
from deltaadm.domain.model.json_values import (
    COUNT,
    STRING,
    array,
    mapping,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.operations.commands import fix_command
from deltaadm.validation.finding import Cause, Finding, Severity

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields
    from deltaadm.validation.finding import ValidationReport


@dataclass(frozen=True, slots=True)
class _Found:
    """A finding on the table that the user calls *table*."""

    table: str
    finding: Finding
    by: Cause | None = None
    reason: str = ""


_FIX: Final = record(
    command=(STRING, lambda found: fix_command(found.table, found.finding.fix)),
    steps=(array(STEP), lambda found: found.finding.fix),
)
_FOUND: Final[Fields] = {
    **within("finding", FINDING),
    "fix": (maybe(_FIX), lambda found: found if found.finding.fix else None),
}


def _findings(report: ValidationReport) -> list[_Found]:
    return [_Found(report.table, finding) for finding in report.findings]


def _suppressed(report: ValidationReport) -> list[_Found]:
    return [
        _Found(report.table, known.finding, known.by, known.reason) for known in report.suppressed
    ]


DOCUMENT: Final = Document.of(
    "The output of `validate` for a table",
    table=STRING,
    version=maybe(COUNT),
    stopped=(maybe(STRING), lambda report: report.stopped or None),
    recreatable_versions=(
        maybe(
            record(
                first=(COUNT, lambda versions: versions[0]),
                last=(COUNT, lambda versions: versions[1]),
            )
        ),
        lambda report: report.versions,
    ),
    depth=array(one_of("history", "deep", "cross-check")),
    rules=COUNT,
    counts=(
        record(
            **{severity.value: (COUNT, methodcaller("count", severity)) for severity in Severity}
        ),
        lambda report: report,
    ),
    findings=(array(record(**_FOUND)), _findings),
    more=mapping(COUNT),
    suppressed=(array(record(**_FOUND, by=one_of(Cause), reason=STRING)), _suppressed),
)
