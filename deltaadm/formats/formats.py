"""The output formats: one table, which the command line offers from."""

from __future__ import annotations

from deltaadm.dataclass import dataclass
from deltaadm.reports.words import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Final, TextIO

    from deltaadm.blocks import Report
    from deltaadm.formats.selection import Selection
    from deltaadm.rules.rule import Severity


def write_names(reports: Sequence[Report], out: TextIO) -> None:
    """The tables that the reports are about, or what a catalogue lists."""
    for report in reports:
        names = getattr(report, "names", (getattr(report, "table", ""),))
        out.writelines(f"{visible(name)}\n" for name in names)


@dataclass(frozen=True)
class Style:
    """
    What the command line says about all output; each format takes what concerns it.

    `color`, auto, always or never, and `width` are for text. Findings at or above `fail_on`, errors
    if it is None, are failures in formats that know such. With `show_secrets` secrets among the
    properties of tables are not masked. `for_terminal` says that what a terminal would obey is
    escaped in formats that are exact otherwise. The `selection` is what is wanted of documents.
    """

    color: str = "auto"
    width: int | None = None
    fail_on: Severity | None = None
    show_secrets: bool = False
    for_terminal: bool = False
    selection: Selection | None = None


@dataclass(frozen=True)
class Format:
    """
    One output format.

    `only` are the types of the reports it can show, by name, since to import them all would cost
    every command; None is for all, and `sums_up` says whether that includes an overview. `machine`
    says that errors belong in it as well, `is_streamable` that its reports are independent of
    each other and can be written one after the other.
    """

    name: str
    render: Callable[[Sequence[Report], TextIO, Style], None]
    only: frozenset[str] | None = None
    machine: bool = True
    sums_up: bool = False
    is_streamable: bool = False

    def shows(self, report: str) -> bool:
        """Whether it can show a report of the type of that name."""
        if report == "FleetSummary":
            return self.sums_up
        return self.only is None or report in self.only


def render(format_name: str, reports: Sequence[Report], out: TextIO, style: Style) -> None:
    """Write *reports* to *out*."""
    if not style.show_secrets:
        from deltaadm.plans.secrets import without_secrets

        reports = tuple(map(without_secrets, reports))
    FORMATS[format_name].render(reports, out, style)


def formats_for(report: type | str) -> tuple[str, ...]:
    """The names of the formats that can show a *report*, a type or the name of it."""
    shown = report if isinstance(report, str) else report.__name__
    return tuple(name for name, form in FORMATS.items() if form.shows(shown))


def _text(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.text import write_text

    write_text(reports, out, color=style.color, width=style.width)


def _json(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.json import write_json

    write_json(reports, out, style.selection)


def _jsonl(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.json import write_jsonl

    write_jsonl(reports, out, style.selection)


def _yaml(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.json import write_yaml

    write_yaml(reports, out, style.selection)


def _name(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    write_names(reports, out)


def _sql(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.ci import write_sql

    write_sql(reports, out, for_terminal=style.for_terminal)


def _sarif(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.formats.ci import write_sarif

    write_sarif(reports, out)


def _junit(reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.formats.ci import write_junit
    from deltaadm.rules.rule import Severity

    write_junit(reports, out, fail_on=style.fail_on or Severity.ERROR)


def _github(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.formats.ci import write_github

    write_github(reports, out)


def _gitlab(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.formats.ci import write_gitlab

    write_gitlab(reports, out)


def _markdown(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.formats.markdown import write_markdown

    write_markdown(reports, out)


def _html(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    from deltaadm.formats.html import write_html

    write_html(reports, out)


_PLANS = frozenset({"PlanReport", "OutcomeReport", "ForeignReport", "SavedPlanReport"})
_FINDINGS = frozenset({"ValidationReport", "Failure"})
_NAMED = frozenset(
    {"TableReport", "ValidationReport", "PlanReport", "OutcomeReport"}
    | {"FeatureCatalogue", "RuleCatalogue", "SettingsReport"}
)

FORMATS: Final[Mapping[str, Format]] = {
    form.name: form
    for form in (
        Format("text", _text, machine=False, sums_up=True),
        Format("json", _json),
        Format("jsonl", _jsonl, is_streamable=True),
        Format("yaml", _yaml),
        Format("name", _name, only=_NAMED, machine=False),
        Format("sql", _sql, only=_PLANS, machine=False),
        Format("sarif", _sarif, only=_FINDINGS),
        Format("junit", _junit, only=_FINDINGS),
        Format("github", _github, only=_FINDINGS),
        Format("gitlab", _gitlab, only=_FINDINGS),
        Format("markdown", _markdown, sums_up=True),
        Format("html", _html, sums_up=True),
    )
}
