"""`deltaadm validate`."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deltaadm.cli import streams, wiring
from deltaadm.cli.exit_codes import FOUND
from deltaadm.cli.fleet import Outlet, Showing, answers, gathered
from deltaadm.cli.options import (
    ChangeOptions,
    ClientOptions,
    CommitOptions,
    ConsentOptions,
    FleetOptions,
    OutputOptions,
    PlanOptions,
    ReportOptions,
    SettingsOptions,
    SparkOptionGroup,
    TableArguments,
    expanded,
    require_streaming,
    require_tables,
)
from deltaadm.cli.outlets import outlets
from deltaadm.cli.progress import Progress
from deltaadm.cli.settings import Settings, load_settings
from deltaadm.clients import ClientRelease, parse_client
from deltaadm.dataclass import dataclass
from deltaadm.errors import Refused, SettingsError, TableError
from deltaadm.operations.baseline import (
    Baseline,
    baseline_of,
    read_baseline,
    without_known,
    write_baseline,
)
from deltaadm.operations.reports import PlanReport
from deltaadm.operations.validate import (
    choose_rules,
    code_prefix,
    similar_code,
    unreadable,
    validate,
)
from deltaadm.render.formats import Style
from deltaadm.validation.finding import Severity, ValidationReport

if TYPE_CHECKING:
    from deltaadm.cli.planning import Planner
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.operations.plan import Plan
    from deltaadm.replay.examine import Depth
    from deltaadm.validation.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthOptions:
    """How far the rules look."""

    history: Annotated[
        bool, typer.Option("--history", help="Every commit that is still in the log.")
    ] = False
    deep: Annotated[
        bool, typer.Option("--deep", help="Whole checkpoints, sidecars and data files as well.")
    ] = False
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Compare with what deltalake reads.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """Which findings there are, and which of them count."""

    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only these rules: codes or families such as DL4, with commas."
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="All rules but these, given as with --select."),
    ] = None
    fail_on: Annotated[
        Severity | None,
        typer.Option(
            metavar="SEVERITY",
            help="From where on findings give exit code 1: error (default), warning, info.",
        ),
    ] = None
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Findings that are known; only others count."),
    ] = None
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save all findings as known; exit with 0."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserOptions:
    """Which programs must be able to use the tables; they replace those of the settings."""

    for_client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLIENT",
            help="It must be able to read: NAME or NAME@VERSION, such as trino@480.",
        ),
    ] = None
    for_client_writing: Annotated[
        list[str] | None,
        typer.Option(metavar="CLIENT", help="It must be able to write, given likewise."),
    ] = None


@dataclass(frozen=True, slots=True)
class _Run:
    """What is the same for every table."""

    depth: "Depth"
    depth_names: tuple[str, ...]
    rules: "Sequence[Rule]"
    settings: Settings
    readers: tuple[ClientRelease, ...]
    writers: tuple[ClientRelease, ...]
    baseline: Baseline
    fail_on: Severity

    def report(self, table: str, *, watched: bool = True) -> ValidationReport:
        from deltaadm.replay.examine import examine

        progress = Progress(table)
        try:
            with progress.shown() if watched else nullcontext():
                location = wiring.locate(table)
                facts = examine(
                    wiring.store_at(location),
                    self.depth,
                    now=time.time_ns() // 1_000_000,
                    engine=wiring.engine(),
                )
                found = validate(
                    table,
                    progress.watched(facts),
                    self.rules,
                    demands=self.settings.demands(
                        table, location, readers=self.readers, writers=self.writers
                    ),
                    depth=self.depth_names,
                )
        except TableError as error:
            found = unreadable(table, error)
        return without_known(found, self.baseline)

    def code(self, document: Mapping[str, Any]) -> int:
        """The exit code of a table with this report."""
        if document["stopped"]:
            return TableError.exit_code
        counted = (one for one in Severity if document["counts"][one.value])
        return int(any(one.rank <= self.fail_on.rank for one in counted))


@expanded
def command(
    tables: TableArguments = None,
    *,
    many: FleetOptions,
    looking: DepthOptions,
    selection: SelectionOptions,
    users: UserOptions,
    settings: SettingsOptions,
    fix: Annotated[
        bool, typer.Option("--fix", help="Plan whatever deltaadm can mend, as one plan.")
    ] = False,
    planning: PlanOptions,
    consent: ConsentOptions,
    spark: SparkOptionGroup,
    output: ReportOptions,
) -> int:
    """
    Check tables against the protocol and Delta's behaviour.

    Reads the log alone; needs neither Spark nor Java. With --fix it shows plans instead, which
    --apply carries out.

    For example:

      deltaadm validate /data/events --deep

      deltaadm validate --discover /data -o text -o sarif:tables.sarif
    """
    require_tables(tables, many)
    if fix:
        clients = ClientOptions(
            for_client=users.for_client, for_client_writing=users.for_client_writing
        )
        plans = OutputOptions(output=_plan_format(output), color=output.color)
        commit = CommitOptions(clients=clients, consent=consent, spark=spark, output=plans)
        change = ChangeOptions(planning=planning, commit=commit)

        def mend() -> int:
            from deltaadm.cli.plans import plan_tables

            run = _run(looking, selection, users, settings)
            return plan_tables(tables or (), many, _fixes(run), change, settings=run.settings)

        return streams.failing_well("", plans, mend)
    _refuse_plan_options(planning)
    places = outlets(output, ValidationReport)
    _require_streaming(many, places, selection)

    def answer() -> int:
        run = _run(looking, selection, users, settings)
        fleet = gathered(tables or (), many, "validate", spark)
        wiring.do_without_numpy()
        showing = Showing(fleet, places, Style(color=output.color, fail_on=run.fail_on))
        known = []
        for one in answers(
            fleet,
            partial(run.report, watched=fleet.alone),
            code=run.code,
            keep=showing.keeps or selection.write_baseline is not None,
            worthwhile=_WORTHWHILE[run.depth_names != ()],
        ):
            showing.add(one)
            known += [one.report] if isinstance(one.report, ValidationReport) else []
        if selection.write_baseline is None:
            return showing.finish()
        streams.write_file(selection.write_baseline, write_baseline(baseline_of(known)))
        code = showing.finish()
        return 0 if code == FOUND else code

    def reading() -> int:
        with wiring.reading(spark):
            return answer()

    shown = next((one.format for one in places if one.file is None), "text")
    return streams.failing_well("", OutputOptions(output=shown), reading)


_WORTHWHILE = {False: 16, True: 2}
"""So many tables that processes pay, by whether more than the newest version is looked at."""


def _run(
    looking: DepthOptions,
    selection: SelectionOptions,
    users: UserOptions,
    settings: SettingsOptions,
) -> _Run:
    from deltaadm.replay.examine import Depth

    project = load_settings(settings.config, isolated=settings.isolated)
    select = _prefixes(selection.select, "--select")
    ignore = _prefixes(selection.ignore, "--ignore")
    chosen = {
        "history": looking.history,
        "deep": looking.deep,
        "cross-check": looking.cross_check,
    }
    return _Run(
        depth=Depth(history=looking.history, deep=looking.deep, cross_check=looking.cross_check),
        depth_names=tuple(name for name, one in chosen.items() if one),
        rules=choose_rules(select or project.select, ignore or project.ignore),
        settings=project,
        readers=_clients(users.for_client, "--for-client"),
        writers=_clients(users.for_client_writing, "--for-client-writing"),
        baseline=_baseline(selection.baseline),
        fail_on=selection.fail_on or project.fail_on,
    )


def _baseline(file: Path | None) -> Baseline:
    if file is None:
        return Baseline()
    try:
        return read_baseline(streams.read_file(file))
    except Refused as error:
        raise SettingsError(error.message, remedy=error.remedy) from error


def _clients(given: list[str] | None, option: str) -> tuple[ClientRelease, ...]:
    try:
        return tuple(map(parse_client, given or ()))
    except Refused as error:
        raise typer.BadParameter(f"{error.message} {error.remedy}", param_hint=option) from error


def _prefixes(given: list[str] | None, option: str) -> tuple[str, ...]:
    """The beginnings of codes that an option names, several of them with commas."""
    found = []
    for word in (word for text in given or () for word in text.split(",")):
        prefix = code_prefix(word)
        if prefix is None:
            raise typer.BadParameter(
                f"there is no rule {word.strip()!r}. "
                f"{similar_code(word) or '`deltaadm rules` lists them all.'}",
                param_hint=option,
            )
        found.append(prefix)
    return tuple(found)


def _require_streaming(
    many: FleetOptions, places: Sequence[Outlet], selection: SelectionOptions
) -> None:
    """Turn away what the answers of an earlier run would be missing in: a usage error."""
    require_streaming(many, *(one.format for one in places))
    if many.resume is None:
        return
    if selection.write_baseline is not None or any(one.file is not None for one in places):
        raise typer.BadParameter(
            "goes with standard output alone: the tables of the earlier run would be missing in "
            "other files",
            param_hint="--resume",
        )


# Mending


def _plan_format(output: ReportOptions) -> str:
    """The format of the plans: one, on standard output."""
    [place, *others] = outlets(output, PlanReport)
    if others or place.file is not None:
        raise typer.BadParameter(
            "with --fix there is one format, on standard output; --out FILE saves the plan",
            param_hint="--output",
        )
    return place.format


def _refuse_plan_options(planning: PlanOptions) -> None:
    for option, given in (
        ("--apply", planning.apply),
        ("--check", planning.check),
        ("--out", planning.out is not None),
    ):
        if given:
            raise typer.BadParameter("is for plans: add --fix", param_hint=option)


def _fixes(run: _Run) -> "Planner":
    from deltaadm.operations.mend import plan_fixes

    report = lru_cache(maxsize=1)(run.report)  # a table may be planned twice, with more detail

    def plan(table: str, snapshot: "Snapshot", session: "SessionSettings") -> "Plan":
        return plan_fixes(snapshot, report(table), session=session)

    return plan
