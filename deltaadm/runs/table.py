"""A table, and what can be asked of it, planned for it and done to it."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import TableError, UsageError, require_one_of
from deltaadm.masking import masked
from deltaadm.plans.alter import read_schema
from deltaadm.plans.plan import Plan, require_reached
from deltaadm.plans.saved import SavedPlan
from deltaadm.replay.reconcile import Detail
from deltaadm.reports.diff import DiffReport
from deltaadm.rules.rule import ValidationReport
from deltaadm.runs import plan_run, questions, sessions
from deltaadm.runs.compare import compared, comparison
from deltaadm.runs.context import RunContext
from deltaadm.runs.foreign_plans import creation_planner, creation_step
from deltaadm.runs.history import NEWEST, Point, point, state_at
from deltaadm.runs.many_plans import plans_in, ready
from deltaadm.runs.names import opened
from deltaadm.runs.options import AccessOptions, Engine, SparkOptionGroup, read_file
from deltaadm.runs.plan_options import (
    ClientOptions,
    CommitOptions,
    ConsentOptions,
    PlanOutputOptions,
)
from deltaadm.runs.results import OutcomeResult, PlanResult, Result
from deltaadm.runs.settings import load_settings, rule_settings
from deltaadm.runs.settings_file import SettingsSources
from deltaadm.runs.status import CommitStatus
from deltaadm.runs.target import Target, find, resolve_new
from deltaadm.runs.validation import DepthOptions, ValidationRun, fixes_planner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaadm.runs.questions import Question


# Arguments


P = ParamSpec("P")
R = TypeVar("R")

_PLAIN: Final = (str, bytes, int, float)
_SCALARS: Final = frozenset({"str", "int", "bool", "None"})


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """
    *function*, which raises `TypeError` for texts and numbers where others or none are taken.

    So a single string is no sequence of strings, and true no version. A usage error is a
    `ValueError` that names arguments, not options.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            described = signature.parameters[name]
            annotation = str(described.annotation)
            for given in value if described.kind is described.VAR_POSITIONAL else (value,):
                fits, kind = _fits(given, annotation), type(given).__name__
                if not fits:
                    kind += f" ({given!r:.60})"
                elif isinstance(given, Mapping) and "Mapping[str, str]" in annotation:
                    odd = [repr(key) for key, text in given.items() if not isinstance(text, str)]
                    # Without the values, which may be secrets.
                    fits, kind = not odd, f"one with other values for {', '.join(odd)}"
                if not fits:
                    raise TypeError(f"{name} must be {annotation}, not {kind}.")
        try:
            return function(*args, **kwargs)
        except UsageError as error:
            words = " ".join(filter(None, (error.sentence, error.remedy)))
            named = re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), words)
            if error.option.lower() in signature.parameters:  # an argument of a command, as MODE
                named = named.replace(error.option, error.option.lower(), 1)
            raise ValueError(named) from error

    return call


def _fits(value: object, annotation: str) -> bool:
    """Whether *annotation* admits *value*, as far as texts, numbers and flags are concerned."""
    kinds = {text.partition("[")[0] for text in annotation.split(" | ")}
    names = {"Any", *(base.__name__ for base in type(value).__mro__)}
    if isinstance(value, bool):
        names.discard("int")
    is_told = isinstance(value, _PLAIN) or (kinds <= _SCALARS and value is not None)
    return not (is_told and kinds.isdisjoint(names))


def as_method(
    method: Callable[P, R], function: Callable[..., object], answer: str
) -> Callable[P, R]:
    """*method*, checked, with the name, documentation and arguments of *function* after `self`."""
    signature = inspect.signature(function)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    wraps(function)(method)
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *signature.parameters.values()], return_annotation=answer
    )
    return checked(method)


# Names of tables


def source_of(source: object) -> tuple[str, Mapping[str, str], Any]:
    """
    The name of the table *source*, options of its object store, and the Spark session that has it.

    Of a table in another library it is the location or name, without its version. Raises
    `TypeError` for no table, `ValueError` for an empty name, and `TableError` for a table that
    Spark cannot describe.
    """
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if isinstance(source, str):
        if not source.strip():
            raise ValueError("The name of the table is empty.")
        return source, {}, None
    library = type(source).__module__.partition(".")[0]
    if library == "deltalake" and hasattr(source, "table_uri"):
        options = getattr(source, "_storage_options", None) or {}
        parts = urlsplit(source.table_uri)
        # Encoded, as locations of object stores are not here.
        place = url2pathname(parts.path) if parts.scheme == "file" else unquote(source.table_uri)
        return place.rstrip("/") or "/", options, None
    if library == "delta" and hasattr(source, "detail"):
        return _of_spark(source)
    raise TypeError(
        "A table is a path, a URL, a name, or a DeltaTable of deltalake or delta-spark, not "
        f"{type(source).__name__} ({source!r:.60})."
    )


def _of_spark(source: Any) -> tuple[str, Mapping[str, str], Any]:
    from deltaadm.spark import catalog, errors

    try:
        row = source.detail().select("name", "location").head()
    except Exception as error:
        if "delta.connect" in str(error):  # the message that a server without Delta's plugin has
            raise TableError(
                "The Spark Connect server cannot describe a DeltaTable: it lacks Delta's plugin.",
                remedy="Pass the table's name or location, and the session as spark=.",
            ) from error
        raise errors.refusal(error) from error
    if row is None:
        raise TableError("Spark does not describe this table.", remedy="Pass its location.")
    return row["name"] or catalog.plain_location(row["location"]), {}, source._spark  # noqa: SLF001


# The table


A = TypeVar("A")


def _asked(
    question: Callable[P, Question[A]], report: Callable[[A], R]
) -> Callable[Concatenate[Table, P], Result[R]]:
    """The method that asks *question*, and makes a *report* of what is answered."""

    def ask(self: Table, /, *args: P.args, **kwargs: P.kwargs) -> Result[R]:
        asked = question(*args, **kwargs)
        with self._opened() as (context, target):
            return self._result(report(asked(context, target)))

    return as_method(ask, question, "Result")


def _planned(wish: Callable[P, plan_run.Planner]) -> Callable[Concatenate[Table, P], PlanResult]:

    def plan(self: Table, /, *args: P.args, **kwargs: P.kwargs) -> PlanResult:
        return self._plan(wish(*args, **kwargs))

    return as_method(plan, wish, "PlanResult")


def _same(report: R) -> R:
    return report


class Table:
    """
    A Delta table, which `table` opens; nothing is read before something is asked.

    Each method does what the command of its name does, with the same settings, and reads the table
    as it is then. Only `apply` changes anything. What deltaadm expects to go wrong is raised as a
    `DeltaadmError`, a mistake in the arguments as `TypeError` or `ValueError`.
    """

    def __init__(
        self,
        name: str,
        request: CommitOptions,
        *,
        spark: SparkSession | None,
        storage_options: Mapping[str, str],
        show_secrets: bool,
    ) -> None:
        self.name, self._request = name, request
        self._spark, self._storage_options = spark, storage_options
        self._show_secrets = show_secrets

    def __repr__(self) -> str:
        return f"deltaadm.table({masked(self.name)!r})"

    # Reading

    @checked
    def snapshot(
        self, version: int | None = None, timestamp: str | datetime | None = None
    ) -> Snapshot:
        """The state of the table, at a version or as of a time, with the facts about its files."""
        point = state_at(version, timestamp)
        with self._opened() as (context, target):
            return target.load(context, detail=Detail.STATE, **point._asdict())

    inspect = _asked(questions.inspect, _same)
    why = _asked(questions.why, _same)
    for_client = _asked(questions.for_client, _same)
    history = _asked(questions.history, lambda history: history.report()[0])
    writers = _asked(questions.writers, _same)
    restorable = _asked(questions.restorable, _same)

    @checked
    def diff(
        self,
        before: int | str | datetime | Table | None = None,
        after: int | str | datetime | Table | None = None,
        *,
        only: Sequence[str] = (),
        ignore: Sequence[str] = (),
    ) -> Result[DiffReport]:
        """
        In what two states differ: `deltaadm diff`.

        A state is a version of this table, a time, or another table; None is this table as it is
        now.
        """
        request = comparison(only, ignore)
        with ExitStack() as stack:
            context, target = stack.enter_context(self._opened())

            def side(name: str, given: int | str | datetime | Table | None) -> tuple[Target, Point]:
                if isinstance(given, Table):
                    # Of another table what is asked is its location; the run is this table's.
                    _, other = stack.enter_context(given._opened())  # noqa: SLF001
                    return other, NEWEST
                return target, point(given, f"--{name}")

            sides = side("before", before), side("after", after)
            return self._result(compared(context, *sides, request))

    # Checking

    @checked
    def validate(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        history: bool = False,
        deep: bool = False,
        cross_check: bool = False,
    ) -> Result[ValidationReport]:
        """
        The findings of the rules in the table: `deltaadm validate`.

        `select` and `ignore` have codes of rules or their beginnings. A table that cannot be
        loaded has findings as well.
        """
        depth = DepthOptions(history=history, deep=deep, cross_check=cross_check)
        run = self._validation(select, ignore, depth)
        with self._opened() as (context, target):
            return self._result(run.report(context, target, watched=False))

    def _validation(
        self, select: Sequence[str], ignore: Sequence[str], depth: DepthOptions
    ) -> ValidationRun:
        sources = SettingsSources("validate")
        project = rule_settings(sources)
        return ValidationRun.of(
            load_settings(sources),
            self._request.clients,
            depth,
            select=select or project["select"],
            ignore=ignore or project["ignore"],
            fail_on=project["fail_on"],
        )

    # Planning

    plan_features = _planned(plan_run.plan_features)
    plan_drop = _planned(plan_run.plan_drop)
    plan_upgrade = _planned(plan_run.plan_upgrade)
    plan_minimum = _planned(plan_run.plan_minimum)
    plan_undo = _planned(plan_run.plan_undo)
    plan_for_clients = _planned(plan_run.plan_for_clients)
    plan_mapping_mode = _planned(plan_run.plan_mapping_mode)
    plan_changes = _planned(plan_run.plan_changes)

    @checked
    def plan_fixes(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        history: bool = False,
        deep: bool = False,
    ) -> PlanResult:
        """A plan of everything that deltaadm can fix: `deltaadm validate --fix`."""
        run = self._validation(select, ignore, DepthOptions(history=history, deep=deep))
        return self._plan(fixes_planner(run))

    @checked
    def plan_create(
        self,
        schema: str,
        *,
        mode: str | kinds.CreationMode = "create",
        partition_by: Sequence[str] = (),
        cluster_by: Sequence[str] = (),
        properties: Mapping[str, str] | None = None,
        comment: str | None = None,
        location: str | None = None,
    ) -> PlanResult:
        """
        A plan that makes the table, or replaces it: `deltaadm create`.

        `schema` has columns as in CREATE TABLE, or Spark's JSON. `mode` is create,
        create-or-replace or replace. `location` is for tables with names.
        """
        step = creation_step(
            read_schema(schema),
            mode=mode,
            partition_by=partition_by,
            cluster_by=cluster_by,
            properties=properties or {},
            comment=comment,
            location=location,
        )
        with self._run() as context:
            target = resolve_new(context, self.name, step.location)
            return self._planned(context, target, creation_planner(step))

    def _plan(self, planner: plan_run.Planner) -> PlanResult:
        with self._opened() as (context, target):
            return self._planned(context, target, planner)

    def _planned(
        self, context: RunContext, target: Target, planner: plan_run.Planner
    ) -> PlanResult:
        # The settings of Spark on which plans depend.
        conf: Any = {} if self._spark is None else self._spark.conf.getAll
        session = SessionSettings.from_conf(conf)
        made = plan_run.plan_for(context, target, planner, self._request, session)
        return PlanResult(made.report, show_secrets=self._show_secrets)

    # Carrying out

    @checked
    def apply(
        self,
        plan: PlanResult | Plan | str | os.PathLike[str],
        *,
        allow_backfill: bool = False,
        allow_rewrite: bool = False,
        accept_irreversible: Sequence[str] = (),
        commit_engine: str | None = None,
    ) -> OutcomeResult:
        """
        Commit exactly *plan*, or the one in a file, and compare the result: `deltaadm apply`.

        Calling this is the consent, except for what has an argument of its own: a backfill, a
        rewrite of data, and what cannot be undone, by the names of the features. `commit_engine`
        is spark or embedded, or else that of the settings. What is done already is not done again.

        Raises `RefusedError` without such a consent, and `CommitError` where the table is no longer
        as the plan found it, or Delta refuses.
        """
        if commit_engine is not None:
            require_one_of(commit_engine, (each.value for each in Engine), "--commit-engine")
        request = self._request.replaced(
            commit_engine=None if commit_engine is None else Engine(commit_engine),
            consent=self._request.consent.replaced(
                yes=True,
                allow_backfill=allow_backfill,
                allow_rewrite=allow_rewrite,
                accept_irreversible=list(accept_irreversible),
            ),
        )
        status = CommitStatus()
        try:
            with self._run(status) as plain:
                context = plan_run.with_commit_engine(plain, request)
                saved = replace(_saved(plan), table=self.name)
                target = (
                    find(context, self.name)
                    if saved.before.exists
                    else resolve_new(context, self.name, None)
                )
                made = ready(context, saved, target, request)
                if isinstance(plan, PlanResult | Plan):
                    require_reached(plan if isinstance(plan, Plan) else plan.plan)
                sessions.prepare_commits(context, [made.plan])
                _require_consent(plan_run.needed_consents(made, request))
                outcome = plan_run.commit_plan(context, self.name, made.plan)
                return OutcomeResult(outcome, show_secrets=self._show_secrets)
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(f"deltaadm: {status.describe()}")
            raise

    # How it is reached

    @contextmanager
    def _opened(self) -> Iterator[tuple[RunContext, Target]]:
        with self._run() as context:
            yield context, find(context, self.name)

    @contextmanager
    def _run(self, status: CommitStatus | None = None) -> Iterator[RunContext]:
        with ExitStack() as stack:
            if self._spark is not None:
                from deltaadm.spark.session import activated

                stack.enter_context(activated(self._spark))
            request, own = self._request, self._storage_options
            context = RunContext(status or CommitStatus()).with_request(
                request.spark, request.output, request.access, own
            )
            yield stack.enter_context(opened(context, [self.name], [self.name]))

    def _result(self, report: R) -> Result[R]:
        return Result(report, show_secrets=self._show_secrets)


@checked
def table(
    source: object,
    *,
    spark: SparkSession | None = None,
    storage_options: Mapping[str, str] | None = None,
    unity: str | None = None,
    for_client: Sequence[str] = (),
    for_client_writing: Sequence[str] = (),
    accept_findings: Sequence[str] = (),
    accept_silently_wrong: Sequence[str] = (),
    show_secrets: bool = False,
) -> Table:
    """
    The table at a path or URL, with a name in a catalog, or in a DeltaTable of another library.

    With *spark* the log is read by this session, which also knows the table's name and commits;
    on Spark Connect deltaadm reads the log itself. Without it, commits start Spark.
    *storage_options* are for its object store, *unity* is the URL of the Unity Catalog with its
    name. *for_client* and *for_client_writing* must go on working, as must those of the settings;
    *accept_findings* and *accept_silently_wrong* accept what a plan may bring about. Secrets among
    properties are masked without *show_secrets*.

    Raises `TypeError` or `ValueError` for what is no table.
    """
    name, own_options, own_session = source_of(source)
    spark = own_session if spark is None else spark
    # A session on Spark Connect does not read logs.
    engine = Engine.SPARK if hasattr(spark, "_jvm") else Engine.EMBEDDED
    request = CommitOptions(
        clients=ClientOptions(
            for_client=list(for_client), for_client_writing=list(for_client_writing)
        ),
        consent=ConsentOptions(
            accept_finding=list(accept_findings), accept_silently_wrong=list(accept_silently_wrong)
        ),
        access=AccessOptions(unity=unity),
        spark=SparkOptionGroup(engine=engine),
        output=PlanOutputOptions(),
    )
    return Table(
        name,
        request,
        spark=spark,
        storage_options={**own_options, **(storage_options or {})},
        show_secrets=show_secrets,
    )


# Plans


def _saved(plan: PlanResult | Plan | str | os.PathLike[str]) -> SavedPlan:
    """The plan as a file would have it, so that it is carried out as one from a file is."""
    if isinstance(plan, PlanResult):
        return SavedPlan.of(plan.plan, plan.report.table)
    if isinstance(plan, Plan):
        return SavedPlan.of(plan, plan.before.root)
    saved = plans_in(read_file(Path(plan)))
    if len(saved) != 1:
        raise ValueError(f"{plan} holds {len(saved)} plans; apply them with `deltaadm apply`.")
    return saved[0]


def _require_consent(missing: Iterable[plan_run.Consent]) -> None:
    """Raise `RefusedError` for what the call does not agree to; it names the arguments that do."""
    asked = {consent.option: consent for consent in missing}
    if not asked:
        return
    values: dict[str, list[str]] = {}
    for consent in asked.values():
        option, *value = consent.words
        values.setdefault(option.removeprefix("--").replace("-", "_"), []).extend(value)
    opening = values.pop("accept_silently_wrong", None)
    calls = [f"table(..., accept_silently_wrong={opening})"] if opening else []
    if values:
        named = ", ".join(f"{name}={value or True}" for name, value in values.items())
        calls.append(f"apply(..., {named})")
    raise plan_run.not_applied(asked.values(), f"To apply anyway: {' and '.join(calls)}.")
