"""`deltaadm validate`."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from deltaadm.cli import wiring
from deltaadm.cli.options import ReportOptions, TableArguments, expanded
from deltaadm.cli.outlets import Outlet, outlets, show
from deltaadm.cli.progress import Progress
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.operations.reports import Failure
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
    from deltaadm.replay.examine import Depth
    from deltaadm.validation.rule import Rule

FOUND = 1


@expanded
def command(
    tables: TableArguments,
    *,
    history: Annotated[
        bool, typer.Option("--history", help="Every commit that is still in the log.")
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Whole checkpoints, sidecars and data files as well.")
    ] = False,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Compare with what deltalake reads.")
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Only these rules: codes or families such as DL4, with commas."
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="All rules but these, given as with --select."),
    ] = None,
    fail_on: Annotated[
        Severity,
        typer.Option(
            metavar="SEVERITY",
            help="From where on findings give exit code 1: error, warning, info.",
        ),
    ] = Severity.ERROR,
    output: ReportOptions,
) -> int:
    """
    Check tables against the protocol's rules and Delta's behaviour.

    Reads the log alone; needs neither Spark nor Java.
    """
    places = outlets(output, ValidationReport)
    rules = choose_rules(_prefixes(select, "--select"), _prefixes(ignore, "--ignore"))
    depth = _depth(history=history, deep=deep, cross_check=cross_check)
    reports = [_report(table, depth, rules) for table in tables]
    _show(reports, places, Style(color=output.color, fail_on=fail_on))
    return _exit_code(reports, fail_on)


def _report(table: str, depth: "Depth", rules: "Sequence[Rule]") -> "ValidationReport | Failure":
    from deltaadm.replay.examine import examine
    from deltaadm.storage.store import open_store

    progress = Progress(table)
    try:
        with progress.shown():
            store = open_store(wiring.locate(table))
            facts = examine(store, depth, now=time.time_ns() // 1_000_000)
            return validate(table, progress.watched(facts), rules, depth=_named(depth))
    except TableError as error:
        return unreadable(table, error)
    except DeltaadmError as error:
        return Failure(table, error)


def _show(
    reports: "Sequence[ValidationReport | Failure]", places: Sequence[Outlet], style: Style
) -> None:
    """Write everything everywhere; errors go to standard error where no report on it has them."""
    for place in places:
        told = [one for one in reports if place.takes_errors or not isinstance(one, Failure)]
        if told or place.file is not None:
            show(told, place, style)
    if not any(one.file is None and one.takes_errors for one in places):
        for one in reports:
            if isinstance(one, Failure):
                wiring.say_error(one.table, one.error)


def _exit_code(reports: "Sequence[ValidationReport | Failure]", fail_on: Severity) -> int:
    codes = [_code(one, fail_on) for one in reports]
    failed = [code for code in codes if code not in {0, FOUND}]
    if failed:
        return failed[0] if len(codes) == 1 else wiring.SOME_FAILED
    return max(codes)


def _code(report: "ValidationReport | Failure", fail_on: Severity) -> int:
    if isinstance(report, Failure):
        return report.error.exit_code
    if report.stopped:
        return TableError.exit_code
    worst = report.worst
    return FOUND if worst is not None and worst.rank <= fail_on.rank else 0


def _depth(*, history: bool, deep: bool, cross_check: bool) -> "Depth":
    from deltaadm.replay.examine import Depth

    return Depth(history=history, deep=deep, cross_check=cross_check)


def _named(depth: "Depth") -> tuple[str, ...]:
    chosen = {"history": depth.history, "deep": depth.deep, "cross-check": depth.cross_check}
    return tuple(name for name, one in chosen.items() if one)


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
