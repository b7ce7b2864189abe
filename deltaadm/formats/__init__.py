"""Reports as text, Markdown, HTML, JSON and what other programs read: the table of formats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from deltaadm.dataclass import dataclass, named
from deltaadm.errors import UsageError, did_you_mean
from deltaadm.masking import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, TextIO

    from deltaadm.blocks import Report
    from deltaadm.rules.rule import Severity


def write_names(reports: Sequence[Report], out: TextIO, _: Style) -> None:
    """The tables that the reports are about, or what a catalogue lists."""
    for report in reports:
        names = getattr(report, "names", (getattr(report, "table", ""),))
        out.writelines(f"{visible(name)}\n" for name in names)


@dataclass(frozen=True)
class Selection:
    """The *fields* to keep of each document, all if there are none; what a *query* makes of it."""

    fields: tuple[str, ...] = ()
    query: Any = None

    def of_document(self, document: dict[str, Any]) -> dict[str, Any]:
        """
        The wanted fields of *document*; that of an error stays as it is.

        Raises `UsageError` for a field that the document does not have.
        """
        if not self.fields or "error" in document:
            return document
        unknown = [field for field in self.fields if field not in document]
        if unknown:
            raise UsageError(
                f"there is no field {unknown[0]!r}",
                option="--json",
                remedy=did_you_mean(unknown[0], document)
                or f"The fields are {', '.join(document)}.",
            )
        return {field: document[field] for field in self.fields}

    def of(self, documents: Sequence[dict[str, Any]]) -> Any:
        """
        The selection from *documents*: from one, or from the array of several.

        Raises `UsageError` where the query cannot be applied.
        """
        chosen = [self.of_document(document) for document in documents]
        value = chosen[0] if len(chosen) == 1 else chosen
        if not self.query or (len(chosen) == 1 and "error" in chosen[0]):
            return value
        try:
            return self.query.search(value)
        except ValueError as error:
            message = f"{self.query.expression!r} does not apply: {error}"
            raise UsageError(message, option="--query") from error


@dataclass(frozen=True)
class Style:
    """
    What the command line says about all output; each format takes what concerns it.

    `color`, auto, always or never, `width` and `verbose` are for text. Findings from `fail_on` up,
    errors if it is None, are failures in formats that know such. `show_secrets` masks no secrets,
    `for_terminal` escapes what a terminal would obey in formats that are exact otherwise.
    `selection` is what is wanted of documents, `made` the time of a page, `request` what lines of
    JSON answer, for a run that goes on with them.
    """

    color: str = "auto"
    width: int | None = None
    verbose: bool = False
    fail_on: Severity | None = None
    show_secrets: bool = False
    for_terminal: bool = False
    selection: Selection | None = None
    made: str = ""
    request: str = ""


@dataclass(frozen=True)
class Format:
    """
    One output format.

    `writer` names the function that writes it. `only` are the types of the reports that it can
    show, None for all, and `sums_up` says whether that includes an overview. Errors belong in a
    `machine` format as well; reports of one that `is_streamable` can be written one by one.
    """

    name: str
    writer: str
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
    named(f"deltaadm.formats.{FORMATS[format_name].writer}")(reports, out, style)


def formats_for(report: type | str) -> tuple[str, ...]:
    """The names of the formats that can show a *report*, a type or the name of it."""
    shown = report if isinstance(report, str) else report.__name__
    return tuple(name for name, form in FORMATS.items() if form.shows(shown))


def width_for(out: TextIO) -> int | None:
    """The width at which text on *out* is wrapped: COLUMNS, or the terminal's; None for neither."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and len(given) < _DIGITS and int(given):
        return max(int(given), _FEWEST_COLUMNS)
    try:
        return (os.get_terminal_size(out.fileno()).columns or 80) if out.isatty() else None
    except OSError:  # it is called a terminal and is none
        return 80


_FEWEST_COLUMNS = 20
_DIGITS = 10  # of no width; Python reads no number of thousands of them

_PLANS = frozenset({"PlanReport", "OutcomeReport", "ForeignReport", "SavedPlanReport"})
_FINDINGS = frozenset({"ValidationReport", "Failure"})
_NAMED = frozenset(
    {"TableReport", "ValidationReport", "PlanReport", "OutcomeReport"}
    | {"FeatureCatalogue", "RuleCatalogue", "SettingsReport", "RepairPlan", "UndoReport"}
)

FORMATS: Final[Mapping[str, Format]] = {
    form.name: form
    for form in (
        Format("text", "text.write_text", machine=False, sums_up=True),
        Format("json", "json.write_json"),
        Format("jsonl", "json.write_jsonl", is_streamable=True),
        Format("yaml", "json.write_yaml"),
        Format("name", "write_names", only=_NAMED, machine=False),
        Format("sql", "ci.write_sql", only=_PLANS, machine=False),
        Format("sarif", "ci.write_sarif", only=_FINDINGS),
        Format("junit", "ci.write_junit", only=_FINDINGS),
        Format("github", "ci.write_github", only=_FINDINGS),
        Format("gitlab", "ci.write_gitlab", only=_FINDINGS),
        Format("markdown", "markdown.write_markdown", sums_up=True),
        Format("html", "html.write_html", sums_up=True),
    )
}
