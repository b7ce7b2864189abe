"""Reports for people: aligned columns, words beside every symbol, nothing interpreted."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from deltaadm.domain.cost import Cost
from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.inspect import TableReport
from deltaadm.operations.mend import fix_command
from deltaadm.operations.reasons import undo_feature
from deltaadm.operations.reports import (
    DoctorReport,
    Failure,
    FeatureCatalogue,
    FeatureExplanation,
    Health,
    OutcomeReport,
    PlanReport,
)
from deltaadm.operations.sql import statement
from deltaadm.render.visible import visible
from deltaadm.validation.finding import Cause, Severity, ValidationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TextIO

    from deltaadm.clients import ClientRelease, Verdict
    from deltaadm.domain.features import TableFeature
    from deltaadm.domain.protocol import Protocol
    from deltaadm.operations.plan import Plan, PlannedChange
    from deltaadm.operations.reports import Report
    from deltaadm.validation.finding import Finding

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIDTH_WITHOUT_TERMINAL = 100
_COLUMNS_SHOWN_ONE_BY_ONE = 8
_STYLES = {ChangeKind.ADD: "green", ChangeKind.REMOVE: "red", ChangeKind.SET: "yellow"}
_COSTS = {
    Cost.METADATA: "metadata only",
    Cost.BACKFILL: "backfill: every file is listed anew",
    Cost.REWRITE: "rewrite of every data file",
}


def write_text(
    reports: Sequence[Report], out: TextIO, *, color: str = "auto", width: int | None = None
) -> None:
    """Write each report, an empty line between two."""
    console = _console(out, color, width)
    for number, report in enumerate(reports):
        if number:
            console.print()
        for part in _parts(report):
            console.print(part, soft_wrap=True)


class _Console(Console):
    """Leaves a broken pipe to whoever knows what it means for the run."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 -- rich calls it where it has caught the error


def _console(out: TextIO, color: str, width: int | None) -> Console:
    forced = color == "always" or os.environ.get("CLICOLOR_FORCE", "0") != "0"
    plain = color == "never" or (color == "auto" and os.environ.get("CLICOLOR") == "0")
    terminal = out.isatty()
    return _Console(
        file=out,
        width=width or (None if terminal else _WIDTH_WITHOUT_TERMINAL),
        force_terminal=True if forced and not plain else None,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _parts(report: Report) -> Iterable[Text]:
    return _PARTS[type(report)](report)


def _line(text: str, style: str = "") -> Text:
    return Text(visible(text), style=style, overflow="fold")


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _grid(rows: Iterable[Sequence[str]], *, bold_first: bool = False) -> Iterable[Text]:
    """Aligned columns without trailing blanks; the last one is as long as it is."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        *padded, last = (
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        )
        line = Text("  ")
        for number, cell in enumerate([*padded, last.rstrip()]):
            line.append(cell, style="bold" if bold_first and not number else "")
            line.append("  " if number < len(padded) else "")
        line.rstrip()
        yield line


def _bullets(mark: str, sentences: Iterable[str]) -> Iterable[Text]:
    return (_line(f"  {mark} {one}") for one in sentences)


def _moment(timestamp: int | None) -> str:
    if timestamp is None:
        return "unknown"
    try:
        moment = _EPOCH + timedelta(milliseconds=timestamp)
    except OverflowError:
        return f"{timestamp} ms since 1970"
    return moment.replace(tzinfo=None).isoformat(" ", "milliseconds") + "Z"


# doctor

_HEALTH = {Health.OK: "green", Health.WARNING: "yellow", Health.FAILED: "red"}


def _doctor(report: DoctorReport) -> Iterable[Text]:
    rows = [(one.health.value, one.subject, one.detail) for one in report.checks]
    for line, one in zip(_grid(rows), report.checks, strict=True):
        line.stylize(_HEALTH[one.health], 2, 2 + len(one.health.value))
        yield line
        if one.remedy:
            yield _line(f"      {one.remedy}")


# inspect


def _table(report: TableReport) -> Iterable[Text]:
    snapshot, metadata = report.snapshot, report.snapshot.metadata
    yield _line(report.table, "bold")
    facts = [("location", snapshot.root), ("id", metadata.id or "none")]
    if metadata.name:
        facts.append(("name", metadata.name))
    if metadata.description:
        facts.append(("comment", metadata.description))
    facts += [("version", str(snapshot.version)), ("time", _moment(snapshot.timestamp))]
    if metadata.partition_columns:
        facts.append(("partitioned by", ", ".join(metadata.partition_columns)))
    yield from _grid(facts)
    yield _heading("Protocol")
    yield from _grid(_protocol_rows(report))
    if report.features:
        yield _heading("Features")
        yield from _grid(_feature_rows(report), bold_first=True)
    yield _heading("Column mapping")
    yield from _grid(_mapping_rows(report))
    if report.mapping.columns is not None:
        yield from _grid(_column_rows(report))
    if metadata.configuration:
        yield _heading("Properties")
        yield from _grid((key, value) for key, value in sorted(metadata.configuration.items()))
    if snapshot.files is not None:
        yield _heading("Files")
        yield from _grid(_file_rows(report))
    yield _heading("Clients")
    yield from _grid(_client_cells(report) if report.every_client else _client_rows(report))
    if report.warnings:
        yield _heading("Warnings")
        yield from _bullets("!", report.warnings)


def _protocol_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    protocol = report.snapshot.protocol
    yield "as written", _protocol(protocol)
    if report.minimum_protocol is not None:
        yield "the metadata needs", _protocol(report.minimum_protocol)
    if report.classic_minimum_versions is not None:
        reader, writer = report.classic_minimum_versions
        yield "by the classic table", f"reader {reader}, writer {writer}"
    if report.lowest_equivalent_protocol is not None:
        yield "lowest equivalent", _protocol(report.lowest_equivalent_protocol)
    yield "not needed", ", ".join(report.slack) or "nothing"
    reads = "yes" if report.refused_to_read is None else "no"
    writes = "yes" if report.refused_to_write is None else "no"
    yield "Delta Spark 4.4", f"reads: {reads}, writes: {writes}"


def _protocol(protocol: Protocol) -> str:
    text = f"reader {protocol.min_reader_version}, writer {protocol.min_writer_version}"
    for what, names in (
        ("reader features", protocol.reader_features),
        ("writer features", protocol.writer_features),
    ):
        if names is not None:
            text += f", {what}: {', '.join(sorted(names)) or 'none'}"
    return text


def _feature_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    words = {"explicit": "listed", "implicit": "implied", None: "NOT SUPPORTED"}
    for one in report.features:
        yield (
            one.name,
            one.feature.kind.value if one.feature else "unknown",
            words[one.supported],
            "active" if one.active else "not active",
            "; ".join(one.because),
        )


def _mapping_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    mapping = report.mapping
    yield "mode", mapping.mode
    yield "supported", "yes" if mapping.supported else "no"
    if mapping.max_column_id is not None:
        yield "highest id given", str(mapping.max_column_id)


def _column_rows(report: TableReport) -> Iterable[tuple[str, ...]]:
    for one in report.mapping.columns or ():
        number = "" if one.id is None else str(one.id)
        yield (number, one.path, one.type, one.physical_name)


def _file_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    files = report.snapshot.files
    if files is not None:
        yield "files", f"{files.files} ({files.bytes} bytes)"
        yield "with deletion vectors", str(files.with_deletion_vector)
        yield "without statistics", str(files.without_stats)
        yield "without row ids", str(files.without_base_row_id)


# clients

_DOES = {
    "works": {"read": "read it", "write": "write it"},
    "fails loudly": {"read": "cannot read it", "write": "cannot write it"},
    "silently wrong": {"read": "READ IT WRONGLY", "write": "WRITE IT WRONGLY"},
    "unknown": {"read": "reading unknown", "write": "writing unknown"},
}


def _client_rows(report: TableReport) -> Iterable[tuple[str, str]]:
    """Who does, who does not, and what shuts them out; nobody twice for the same reason."""
    told: set[tuple[ClientRelease, str]] = set()
    for access in ("read", "write"):
        for kind, does in _DOES.items():
            found = [
                one
                for one in report.clients
                if (one.access.value, one.compatibility.value) == (access, kind)
                and (kind == "works" or (one.release, kind) not in told)
            ]
            told |= {(one.release, kind) for one in found}
            if found:
                yield does[access], _grouped(found)


def _grouped(verdicts: Iterable[Verdict]) -> str:
    """The releases, those with the same features in the way together."""
    groups: dict[str, list[str]] = {}
    for one in verdicts:
        subjects = ", ".join(cell.subject for cell in one.responsible)
        if "protocol." in subjects and one.compatibility.value == "unknown":
            subjects = ""  # nothing at all is known about it
        groups.setdefault(subjects, []).append(str(one.release))
    return "; ".join(
        f"{', '.join(names)} ({subjects})" if subjects else ", ".join(names)
        for subjects, names in groups.items()
    )


def _client_cells(report: TableReport) -> Iterable[tuple[str, ...]]:
    for one in report.clients:
        shown = one.responsible or one.cells
        for cell in shown:
            told = [cell.note] if cell.note else []
            told += [f"{cell.source.title}, {cell.source.date}"] if cell.source else []
            yield (
                str(one.release),
                one.access.value,
                one.compatibility.value,
                cell.subject,
                "; ".join(told),
            )


def _shut_out(plan: Plan) -> Iterable[Text]:
    """Whom a plan newly shuts out, the worst first."""
    from deltaadm.operations.clients import newly_shut_out

    rows: dict[str, list[Verdict]] = {}
    for one in sorted(newly_shut_out(plan), key=lambda one: -one.after.compatibility.rank):
        does = _DOES[one.after.compatibility.value][one.after.access.value]
        rows.setdefault(does, []).append(one.after)
    if rows:
        yield _heading("Clients from now on")
        yield from _grid((does, _grouped(some)) for does, some in rows.items())


# plans


def _plan(report: PlanReport) -> Iterable[Text]:
    plan = report.plan
    yield _line(f"{plan.operation}: {report.table} (version {plan.before.version})", "bold")
    if plan.is_noop:
        yield _line("No changes.")
    else:
        yield Text()
        yield from _changes(plan)
        if not plan.changes:
            yield _line(_UNCHANGED if any(one.is_commit for one in plan.stages) else _BESIDE)
        yield _heading(f"Cost: {_COSTS[plan.cost]}")
        for stage in plan.stages:
            several = "several commits: " if stage.several_commits else ""
            yield _line(f"  {several}{statement(plan.before.root, stage.step)}")
    yield from _shut_out(plan)
    if plan.notes:
        yield _heading("Notes")
        yield from _bullets("-", plan.notes)


_UNCHANGED = "  No difference in the end, but these steps are committed all the same."
_BESIDE = "  Protocol and metadata stay as they are."


def _changes(plan: Plan) -> Iterable[Text]:
    columns = [one for one in plan.changes if one.change.subject.startswith("schema[")]
    together = len(columns) > _COLUMNS_SHOWN_ONE_BY_ONE
    for one in plan.changes:
        if not (together and one in columns):
            yield from _change(one)
    if together:
        first = columns[0]
        yield Text(f"  ~ schema: {len(columns)} columns change", style=_STYLES[ChangeKind.SET])
        yield _line(f"      {first.because}", "dim")
        yield _line(f"      undo: {first.undo}", "dim")


def _change(one: PlannedChange) -> Iterable[Text]:
    change = one.change
    head = f"  {change.kind.value} {change.subject}"
    if change.kind is ChangeKind.SET:
        head += f": {_value(change.before)} -> {_value(change.after)}"
    elif change.subject.startswith("configuration["):
        head += f" = {_value(change.after if change.before is None else change.before)}"
    yield _line(head, _STYLES[change.kind])
    yield _line(f"      {one.because}", "dim")
    yield _line(f"      undo: {one.undo}", "dim")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key.rpartition('.')[2]} {one}" for key, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _outcome(report: OutcomeReport) -> Iterable[Text]:
    outcome = report.outcome
    if outcome.mismatches:
        yield _line("The result differs from the plan:", "bold red")
        yield from _grid(
            (one.subject, f"planned: {_value(one.before)}", f"found: {_value(one.after)}")
            for one in outcome.mismatches
        )
        return
    listed = ", ".join(map(str, outcome.versions))
    checkpoint = any(not one.is_commit for one in outcome.plan.stages)
    if not outcome.versions and not checkpoint:
        yield _line("Nothing was committed: there is nothing to do.")
    if len(outcome.versions) == 1:
        yield _line(f"Version {listed} was committed, and is what was planned.", "green")
    elif outcome.versions:
        yield _line(f"Versions {listed} were committed, and are what was planned.", "green")
    if checkpoint:
        yield _checkpoint(outcome.actual.version)


def _checkpoint(version: int) -> Text:
    return _line(f"_last_checkpoint points to a checkpoint of version {version}.", "green")


# findings


_SEVERITIES = {
    Severity.ERROR: ("Errors", "error", "bold red"),
    Severity.WARNING: ("Warnings", "warning", "bold yellow"),
    Severity.INFO: ("Worth knowing", "note", "bold"),
}


def _validation(report: ValidationReport) -> Iterable[Text]:
    at = "" if report.version is None else f" (version {report.version})"
    yield _line(f"{report.table}{at}", "bold")
    if report.stopped:
        yield _line(f"  Not everything could be checked: {report.stopped}", "red")
        yield _line(f"  {_recreatable(report)}")
    for severity, (title, _, style) in _SEVERITIES.items():
        found = [one for one in report.findings if one.severity is severity]
        if found:
            yield Text(f"\n{title}", style=style)
            yield from _findings(report, found)
    yield Text()
    yield _line(_summary(report))


def _recreatable(report: ValidationReport) -> str:
    if report.versions is None:
        return "No version can be rebuilt."
    first, last = report.versions
    return (
        f"Version {first} can be rebuilt."
        if first == last
        else f"Versions {first} to {last} can be rebuilt."
    )


def _findings(report: ValidationReport, found: Sequence[Finding]) -> Iterable[Text]:
    """Under each rule what it found; what to do once, where it is the same for all."""
    for code in dict.fromkeys(one.code for one in found):
        own = [one for one in found if one.code == code]
        remedies = list(dict.fromkeys(one.remedy for one in own))
        yield _line(f"  {code} {own[0].name}", "bold")
        for one in own:
            yield _line(f"    {one.where}: {one.message}" if one.where else f"    {one.message}")
            if len(remedies) > 1:
                yield _line(f"      {one.remedy}", "dim")
            yield from _fix(report.table, one)
        if more := report.more.get(code):
            yield _line(f"    ... and {more} more")
        if len(remedies) == 1:
            yield _line(f"    What to do: {remedies[0]}", "dim")


def _fix(table: str, one: Finding) -> Iterable[Text]:
    command = fix_command(table, one.fix)
    if command:
        yield _line(f"      fix: {command}", "green")


def _summary(report: ValidationReport) -> str:
    counts = [(report.count(one), word) for one, (_, word, _) in _SEVERITIES.items()]
    told = [f"{number} {word}{'' if number == 1 else 's'}" for number, word in counts if number]
    by = [one.by for one in report.suppressed]
    known, ignored = by.count(Cause.BASELINE), by.count(Cause.SETTINGS)
    beside = [f"{known} known to the baseline"] if known else []
    beside += [f"{ignored} ignored by the settings"] if ignored else []
    text = ", ".join(told) or "Nothing found"
    return f"{text} by {report.rules} rules{''.join(f', {one}' for one in beside)}."


# the rest


def _failure(report: Failure) -> Iterable[Text]:
    yield _line(f"{report.table}: {report.error.message}", "red")
    if report.error.remedy:
        yield _line(f"  {report.error.remedy}")


def _catalogue(report: FeatureCatalogue) -> Iterable[Text]:
    yield from _grid(
        (
            (
                one.name,
                one.kind.value,
                f"implied by ({one.legacy[0] or 1}, {one.legacy[1]})" if one.legacy else "listed",
                one.status.value,
                " ".join(f"{key}={value}" for key, value in one.activation.properties.items()),
            )
            for one in report.features
        ),
        bold_first=True,
    )


def _explanation(report: FeatureExplanation) -> Iterable[Text]:
    feature = report.feature
    yield _line(feature.name, "bold")
    yield from _grid(_explained(feature, report.required_by))


def _explained(feature: TableFeature, required_by: tuple[str, ...]) -> Iterable[tuple[str, str]]:
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
    yield "cost of enabling", _COSTS[feature.cost]
    yield "undo", undo_feature(feature)
    if feature.caution:
        yield "caution", feature.caution
    yield "described in", feature.section
    yield "known to", feature.source


_PARTS: Final[Mapping[type, Callable[[Any], Iterable[Text]]]] = {
    TableReport: _table,
    PlanReport: _plan,
    OutcomeReport: _outcome,
    ValidationReport: _validation,
    Failure: _failure,
    FeatureCatalogue: _catalogue,
    FeatureExplanation: _explanation,
    DoctorReport: _doctor,
}
