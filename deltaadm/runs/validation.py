"""Validating tables, and planning what fixes the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from deltaadm.clients import Access, ClientRelease, parse_client
from deltaadm.dataclass import dataclass, replace
from deltaadm.documents import Failure
from deltaadm.errors import RefusedError, TableError, UsageError
from deltaadm.plans.goals import plan_fixes
from deltaadm.plans.plan import Goal, Plan
from deltaadm.replay.examine import Depth, examine
from deltaadm.reports import validate as reports
from deltaadm.rules.rule import Rule, Scope, Severity, ValidationReport
from deltaadm.runs.context import RunContext, answer_time, now
from deltaadm.runs.declare import Parameters, option
from deltaadm.runs.files import write_file
from deltaadm.runs.fleet import Fleet, TableResult, combine_exit_codes
from deltaadm.runs.options import OutputTarget
from deltaadm.runs.output import messages, rendered, show, show_error
from deltaadm.runs.plan_options import ClientOptions
from deltaadm.runs.progress import Progress
from deltaadm.runs.settings import Settings
from deltaadm.runs.target import Target

if TYPE_CHECKING:
    from deltaadm.runs.plan_run import PlanInput, Planner


Found = TypeVar("Found")


class DepthOptions(Parameters):
    """The depth of the rules."""

    heading = "What is checked"

    history: bool = option("Also check every commit still in the log.")
    deep: bool = option("Also check all checkpoints, sidecars and data files completely.")
    cross_check: bool = option("Compare with what the deltalake package reads.")


@dataclass(frozen=True)
class ValidationRun:
    """The values that validations of all tables share."""

    depth: Depth
    depth_names: tuple[str, ...]
    rules: tuple[Rule, ...]
    settings: Settings
    readers: tuple[ClientRelease, ...]
    writers: tuple[ClientRelease, ...]
    baseline: reports.Baseline
    fail_on: Severity
    least: Severity

    @classmethod
    def of(
        cls,
        settings: Settings,
        clients: ClientOptions,
        depth: DepthOptions,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        baseline: reports.Baseline | None = None,
        fail_on: Severity | None = None,
        least: Severity = Severity.INFO,
    ) -> ValidationRun:
        """What is asked for, with the *settings* of the project; raises `UsageError`."""
        chosen, left_out = (
            [word for text in texts for word in text.split(",")] for texts in (select, ignore)
        )
        rules = reports.choose_rules(
            _known(reports.require_prefix, chosen, "--select"),
            _known(reports.require_prefix, left_out, "--ignore"),
        )
        if not rules:  # or a table would pass that nothing has looked at
            raise UsageError("leaves none of the selected rules", option="--ignore")
        data_files = any(rule.scope is Scope.DEEP for rule in rules)
        return cls(
            depth=Depth(**vars(depth), data_files=data_files),
            depth_names=tuple(of.key for of in depth.declared() if getattr(depth, of.field)),
            rules=tuple(rules),
            settings=settings,
            readers=_known(parse_client, clients.for_client, "--for-client"),
            writers=_known(parse_client, clients.for_client_writing, "--for-client-writing"),
            baseline=baseline or reports.Baseline(),
            fail_on=fail_on or Severity.ERROR,
            least=least,
        )

    def demands(self, target: Target) -> reports.Demands:
        """What is demanded of *target*."""
        return self.settings.demands(
            target.text, target.location, readers=self.readers, writers=self.writers
        )

    def report(
        self, context: RunContext, target: Target, *, watched: bool = True
    ) -> ValidationReport:
        """The findings in *target*; *watched* says whether progress is shown."""
        progress = Progress("Checking", target.text)
        demands = self.demands(target)
        try:
            with progress.shown() if watched else nullcontext():
                store = context.open_store(target.location)
                facts = examine(store, self.depth, now=answer_time(), engine=context.engine)
                facts = progress.watched(facts)
                found = reports.validate(
                    target.text, facts, self.rules, demands=demands, depth=self.depth_names
                )
        except TableError as error:
            return self.report_missing(target.text, error)
        return reports.without_known(replace(found, least=self.least), self.baseline)

    def report_missing(self, table: str, error: TableError) -> ValidationReport:
        """The same for a table that cannot be loaded."""
        return reports.without_known(reports.unreadable(table, error), self.baseline)

    def code(self, document: Mapping[str, Any]) -> int:
        """The exit code of a table with this report."""
        if document["stopped"]:
            return TableError.exit_code
        counted = (severity for severity in Severity if document["counts"][severity.value])
        return int(any(severity.rank <= self.fail_on.rank for severity in counted))


def _known(
    find: Callable[[str], Found], texts: Sequence[str] | None, option: str
) -> tuple[Found, ...]:
    try:
        return tuple(map(find, texts or ()))
    except RefusedError as error:
        raise UsageError(error.message, option=option, remedy=error.remedy) from error


def fixes_planner(run: ValidationRun) -> Planner:
    """The planner of all fixes for the findings of *run*."""
    known: dict[str, ValidationReport] = {}

    def plan(table: PlanInput) -> Plan:
        name = table.target.text
        report = known.get(name)
        if report is None:  # a table may be planned twice, with more detail
            known.clear()  # a report of a large table is large, and the next table needs another
            report = known[name] = run.report(table.context, table.target)
        demands = run.demands(table.target)
        return plan_fixes(
            table.snapshot,
            report,
            policy=demands.policy,
            clients=(
                *(Goal(release, Access.READ) for release in demands.readers),
                *(Goal(release, Access.WRITE) for release in demands.writers),
            ),
            history_of=table.history_of,
            now=now(),
            fail_on=run.fail_on,
            session=table.session,
        )

    return plan


# Findings by rule


class StatisticsPrinter:
    """Shows in the end how often each rule has found something, and errors at once."""

    keeps = True

    def __init__(self, context: RunContext, fleet: Fleet, targets: Sequence[OutputTarget]) -> None:
        self._context, self._fleet, self._targets = context, fleet, targets
        self._codes: list[int] = []
        self._first: dict[str, Mapping[str, str]] = {}
        self._findings, self._tables = Counter[str](), Counter[str]()
        self._failed = 0

    def add(self, result: TableResult) -> None:
        """Count one more."""
        self._codes.append(result.code)
        if isinstance(result.report, Failure):
            self._failed += 1
            show_error(result.report.table, result.report.error)
            return
        document = result.document
        for finding in document["findings"]:
            self._first.setdefault(finding["code"], finding)
            self._findings[finding["code"]] += 1
        self._findings.update(document["more"])
        self._tables.update({finding["code"] for finding in document["findings"]})

    def finish(self) -> int:
        """Show the counts; the exit code of all tables together."""
        rules = (
            reports.RuleCount(
                code, of["name"], of["severity"], self._findings[code], self._tables[code]
            )
            for code, of in self._first.items()
        )
        counts = sorted(rules, key=lambda each: (-each.findings, each.code))
        report = reports.StatisticsReport(len(self._codes), self._failed, tuple(counts))
        for target in sorted(self._targets, key=lambda target: target.file is None):
            if target.file is not None:
                write_file(target.file, rendered(target.format, [report], self._context.style))
            elif counts or target.format != "text" or not messages().is_quiet:
                show(replace(self._context, format=target.format), [report])
        return combine_exit_codes(self._codes, alone=self._fleet.alone)
