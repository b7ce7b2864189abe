"""Blocks of features, rules, error classes and the checks of `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.features import undo_feature
from deltaadm.render.blocks import Checks, Heading, Items, Paragraph, Prose, Table
from deltaadm.render.wording import COSTS, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deltaadm.domain.model.features import TableFeature
    from deltaadm.operations.explain import ErrorClassExplanation, RuleCatalogue, RuleExplanation
    from deltaadm.operations.features import FeatureCatalogue, FeatureExplanation
    from deltaadm.operations.reports import DoctorReport, StatisticsReport
    from deltaadm.operations.settings import SettingsReport, SettingValue
    from deltaadm.render.blocks import Block


def show_features(report: FeatureCatalogue) -> Iterator[Block]:
    """The table of all features."""
    yield Heading("Table features", level=1, page_only=True)
    yield Table("Table features", _CATALOGUE_TITLES, tuple(map(_catalogue_row, report.features)))


def show_feature(report: FeatureExplanation) -> Iterator[Block]:
    """The description of a feature."""
    yield Heading(report.feature.name, level=1)
    yield Table(report.feature.name, (), tuple(_explained(report.feature, report.required_by)))


def show_rules(report: RuleCatalogue) -> Iterator[Block]:
    """The table of rules."""
    yield Heading("Rules", level=1, page_only=True)
    rows = ((rule.code, rule.severity.value, rule.name, rule.summary) for rule in report.rules)
    yield Table("Rules", ("code", "severity", "name", "what it finds"), tuple(rows), plain=True)


def show_rule(report: RuleExplanation) -> Iterator[Block]:
    """The documentation of a rule."""
    rule = report.rule
    yield Heading(f"{rule.code} {rule.name} ({rule.severity.value})", level=1)
    for paragraph in rule.doc.split("\n\n"):
        yield Prose(" ".join(paragraph.split()))


def show_error_class(report: ErrorClassExplanation) -> Iterator[Block]:
    """The meaning of an error class, and the rules that find its causes."""
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


def show_doctor(report: DoctorReport) -> Iterator[Block]:
    """The checks on this machine."""
    tone = "error" if report.failed else "good"
    yield Heading("This machine", level=1, tone=tone, page_only=True)
    yield Checks(report.checks)


_CATALOGUE_TITLES: Final = ("feature", "kind", "in the protocol", "status", "activated by")


def _catalogue_row(feature: TableFeature) -> tuple[str, ...]:
    """Name, kind, how a protocol has it, status and what activates it."""
    legacy = feature.legacy
    return (
        feature.name,
        feature.kind.value,
        f"implied by ({legacy[0] or 1}, {legacy[1]})" if legacy else "listed",
        feature.status.value,
        " ".join(f"{key}={value}" for key, value in feature.activation.properties.items()),
    )


def _explained(feature: TableFeature, required_by: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """The description of a feature."""
    yield "concerns", "writers and readers" if feature.is_reader else "writers only"
    yield "status", feature.status.value
    if feature.since:
        yield "since", f"Delta Spark {feature.since}"
    if feature.legacy:
        yield "implied by", f"reader {feature.legacy[0] or 1}, writer {feature.legacy[1]}"
    yield "requires", ", ".join(sorted(feature.requires)) or "nothing"
    if required_by:
        yield "required by", ", ".join(required_by)
    if feature.twin:
        yield "other form", feature.twin
    for key, value in feature.activation.properties.items():
        yield "activated by", f"{key} = {value}"
    if feature.not_addable:
        yield "existing tables", feature.not_addable
    yield "cost of enabling", COSTS[feature.cost]
    yield "undo", undo_feature(feature)
    if feature.caution:
        yield "caution", feature.caution
    yield "described in", feature.section
    yield "source", feature.source


def show_settings(report: SettingsReport) -> Iterator[Block]:
    """The table of settings."""
    yield Heading("Settings", level=1, page_only=True)
    rows = (
        (
            setting.key,
            "" if setting.value is None else setting.value,
            *_origin(setting, report.with_origins),
        )
        for setting in report.settings
    )
    columns = ("setting", "value", "origin", "place")[: 4 if report.with_origins else 2]
    if report.settings:
        yield Table("Settings", columns, tuple(rows))


def _origin(setting: SettingValue, is_shown: bool) -> tuple[str, ...]:  # noqa: FBT001
    return (setting.origin, setting.place) if is_shown else ()


def show_statistics(report: StatisticsReport) -> Iterator[Block]:
    """The number of findings of each rule."""
    yield Heading("Findings by rule", level=1, page_only=True)
    rows = (
        (str(rule.findings), str(rule.tables), rule.code, rule.severity, rule.name)
        for rule in report.rules
    )
    if report.rules:
        columns = ("findings", "tables", "code", "severity", "name")
        yield Table("Findings by rule", columns, tuple(rows))
    count = sum(rule.findings for rule in report.rules)
    text = f"{counted(report.tables, 'table')}, {counted(count, 'finding')}"
    failed = f", {report.failed} not checked" if report.failed else ""
    yield Paragraph(f"{text}{failed}.", closing=True)
