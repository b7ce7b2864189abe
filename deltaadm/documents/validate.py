"""The document of `validate` for a table."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Final

from deltaadm.documents.common import Document
from deltaadm.documents.finding import FOUND, Found
from deltaadm.domain.model.json_values import (
    COUNT,
    STRING,
    array,
    mapping,
    maybe,
    one_of,
    record,
)
from deltaadm.validation.finding import Cause, Severity

if TYPE_CHECKING:
    from deltaadm.validation.finding import ValidationReport


def _findings(report: ValidationReport) -> list[Found]:
    return [Found(report.table, finding) for finding in report.findings]


def _suppressed(report: ValidationReport) -> list[Found]:
    return [
        Found(report.table, known.finding, known.by, known.reason) for known in report.suppressed
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
    findings=(array(record(**FOUND)), _findings),
    more=mapping(COUNT),
    suppressed=(array(record(**FOUND, by=one_of(Cause), reason=STRING)), _suppressed),
)
