"""What is said of features, rules, error classes and this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.render.blocks import Checks, Heading, Items, Paragraph, Prose, Table
from deltaadm.render.wording import CATALOGUE_TITLES, catalogue_row, explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deltaadm.operations.reports import (
        DoctorReport,
        ErrorClassExplanation,
        FeatureCatalogue,
        FeatureExplanation,
        RuleCatalogue,
        RuleExplanation,
    )
    from deltaadm.render.blocks import Block


def _features(report: FeatureCatalogue) -> Iterator[Block]:
    yield Heading("Table features", level=1, page_only=True)
    yield Table("Table features", CATALOGUE_TITLES, tuple(map(catalogue_row, report.features)))


def _feature(report: FeatureExplanation) -> Iterator[Block]:
    yield Heading(report.feature.name, level=1)
    yield Table(report.feature.name, (), tuple(explained(report.feature, report.required_by)))


def _rules(report: RuleCatalogue) -> Iterator[Block]:
    yield Heading("Rules", level=1, page_only=True)
    rows = ((rule.code, rule.severity.value, rule.name, rule.summary) for rule in report.rules)
    yield Table("Rules", ("code", "severity", "name", "what it finds"), tuple(rows), plain=True)


def _rule(report: RuleExplanation) -> Iterator[Block]:
    rule = report.rule
    yield Heading(f"{rule.code} {rule.name} ({rule.severity.value})", level=1)
    for paragraph in rule.doc.split("\n\n"):
        yield Prose(" ".join(paragraph.split()))


def _error_class(report: ErrorClassExplanation) -> Iterator[Block]:
    error_class = report.error_class
    yield Heading(error_class.name, level=1)
    yield Paragraph(error_class.meaning, nested=True)
    if error_class.commands:
        yield Heading("Related commands")
        yield Items(tuple(f"deltaadm {name}" for name in error_class.commands))
    if report.rules:
        title = "Rules that find its causes"
        rows = tuple((rule.code, rule.name) for rule in report.rules)
        yield Heading(title)
        yield Table(title, ("code", "name"), rows, plain=True)


def _doctor(report: DoctorReport) -> Iterator[Block]:
    tone = "error" if report.failed else "good"
    yield Heading("This machine", level=1, tone=tone, page_only=True)
    yield Checks(report.checks)


BLOCKS: Final[Mapping[str, Callable[[Any], Iterable[Block]]]] = {
    "FeatureCatalogue": _features,
    "FeatureExplanation": _feature,
    "RuleCatalogue": _rules,
    "RuleExplanation": _rule,
    "ErrorClassExplanation": _error_class,
    "DoctorReport": _doctor,
}
"""What makes the blocks of each kind of report that this module knows."""
