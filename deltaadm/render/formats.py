"""The output formats: one table, which the command line offers from."""

from __future__ import annotations

from deltaadm.dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Final, TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Severity


@dataclass(frozen=True, slots=True)
class Style:
    """
    What the command line says about all output; each format takes what concerns it.

    `color`, auto, always or never, and `width` are for text. Findings at or above `fail_on`, errors
    if it is None, are failures in formats that know such.
    """

    color: str = "auto"
    width: int | None = None
    fail_on: Severity | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """
    One output format.

    `shows` are the types of the reports it can show, by name, since to import them all would
    cost every command; `machine` says that errors belong into it as well,
    `apart` that reports stand in it one after the other and know nothing of each other.
    """

    name: str
    shows: frozenset[str]
    render: Callable[[Sequence[Report], TextIO, Style], None]
    machine: bool
    apart: bool = False


def render(format_name: str, reports: Sequence[Report], out: TextIO, style: Style) -> None:
    """Write *reports* to *out*."""
    FORMATS[format_name].render(reports, out, style)


def formats_for(report: type) -> tuple[str, ...]:
    """The names of the formats that can show *report*."""
    return tuple(name for name, one in FORMATS.items() if report.__name__ in one.shows)


def _text(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.render.text import write_text

    write_text(reports, out, color=style.color, width=style.width)


def _json(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.json_doc import write_json

    write_json(reports, out)


def _jsonl(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.json_doc import write_jsonl

    write_jsonl(reports, out)


def _sql(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.sql_text import write_sql

    write_sql(reports, out)


def _sarif(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.sarif import write_sarif

    write_sarif(reports, out)


def _junit(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.render.junit import write_junit
    from deltaadm.validation.finding import Severity

    write_junit(reports, out, fail_on=style.fail_on or Severity.ERROR)


def _github(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.github import write_github

    write_github(reports, out)


def _gitlab(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.gitlab import write_gitlab

    write_gitlab(reports, out)


def _markdown(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.markdown import write_markdown

    write_markdown(reports, out)


def _html(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.render.html import write_html

    write_html(reports, out)


_PLANS = frozenset({"PlanReport", "OutcomeReport", "BestEffortReport", "ParentChangesReport"})
_FINDINGS = frozenset({"ValidationReport", "Failure"})
_ALL = _PLANS | {
    "TableReport",
    "ValidationReport",
    "Failure",
    "FeatureCatalogue",
    "FeatureExplanation",
    "DoctorReport",
    "DropReport",
    "RuleCatalogue",
    "RuleExplanation",
    "ErrorClassExplanation",
}
_READ_BY_PEOPLE = _ALL | {"Overview"}

FORMATS: Final[Mapping[str, Format]] = {
    one.name: one
    for one in (
        Format("text", _READ_BY_PEOPLE, _text, machine=False),
        Format("json", _ALL, _json, machine=True),
        Format("jsonl", _ALL, _jsonl, machine=True, apart=True),
        Format("sql", _PLANS, _sql, machine=False),
        Format("sarif", _FINDINGS, _sarif, machine=True),
        Format("junit", _FINDINGS, _junit, machine=True),
        Format("github", _FINDINGS, _github, machine=True),
        Format("gitlab", _FINDINGS, _gitlab, machine=True),
        Format("markdown", _READ_BY_PEOPLE, _markdown, machine=True),
        Format("html", _READ_BY_PEOPLE, _html, machine=True),
    )
}
