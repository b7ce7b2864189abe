"""The document of `explain` for a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import STRING, name_of, one_of, within
from deltaadm.validation.finding import Severity
from deltaadm.validation.rule import Scope

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields

RULE: Final[Fields] = {
    "code": STRING,
    "name": STRING,
    "severity": one_of(Severity),
    "scope": name_of(Scope),
    "summary": STRING,
    "why_it_matters": (STRING, lambda rule: rule.section("Why it matters")),
    "remedy": (STRING, lambda rule: rule.advice),
    "source": (STRING, lambda rule: rule.section("Source")),
}
"""The parts of a rule."""

DOCUMENT: Final = Document.of(
    "The output of `explain` for a rule",
    **within("rule", RULE),
    documentation=(STRING, lambda report: report.rule.doc),
)
