"""The confirmations that a plan needs before it is carried out, and asking for them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from deltaadm.domain.model.cost import Cost
from deltaadm.errors import Refused
from deltaadm.render.visible import visible
from deltaadm.runs.messages import messages
from deltaadm.runs.output import show_on_stderr, write_stderr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deltaadm.clients import ClientRelease
    from deltaadm.operations.foreign import ForeignPlan
    from deltaadm.operations.plan import Plan
    from deltaadm.operations.reports import Report
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.plan_options import ConsentOptions


class Consent(NamedTuple):
    """Something that must be confirmed: by an option, or by the answer to a question."""

    option: str
    question: str
    answer: str


def delta_consents(
    plan: Plan,
    request: ConsentOptions,
    clients: Sequence[ClientRelease],
    accepted: frozenset[str],
) -> Iterator[Consent]:
    """The consent that *plan* needs beyond *request*; *accepted* are ids of *clients*."""
    yield from _to_go_on("Commit this?", request)
    option = _COSTS.get(plan.cost)
    if option is not None and not getattr(request, option):
        yield Consent(
            f"--{option.replace('_', '-')}",
            f"This is a {plan.cost.value} of {plan.work}. Type '{plan.cost.value}' to continue: ",
            plan.cost.value,
        )
    for name in plan.irreversible:
        yield from _to_lose(f"Dropping {name} deletes history permanently", request, name)
    for transition in plan.transitions:
        name = transition.step.dropped_feature
        if name and (domains := transition.step.destroys(transition.before)):
            # `*` stands for those of a table whose domains were not loaded.
            named = "every domain" if domains == ("*",) else f"domain {', '.join(domains)}"
            yield from _to_lose(f"Dropping {name} deletes {named} permanently", request, name)
    yield from _to_harm(plan, clients, accepted)


_COSTS = {Cost.BACKFILL: "allow_backfill", Cost.REWRITE: "allow_rewrite"}


def foreign_consents(plan: ForeignPlan, request: ConsentOptions) -> Iterator[Consent]:
    """The consent that *plan* needs beyond *request*."""
    yield from _to_go_on("Carry this out?", request)
    for name in plan.irreversible:
        yield from _to_lose(
            f"The table {name} will be dropped permanently", request, plan.table, name
        )


def _to_go_on(question: str, request: ConsentOptions) -> Iterator[Consent]:
    if not request.yes:
        yield Consent("--yes", f"{question} Only 'yes' is accepted: ", "yes")


def _to_lose(what: str, request: ConsentOptions, name: str, *aliases: str) -> Iterator[Consent]:
    if not {name, *aliases} & set(request.accept_irreversible or ()):
        question = f"{what}. Type '{name}' to continue: "
        yield Consent(f"--accept-irreversible {name}", question, name)


def _to_harm(
    plan: Plan, clients: Sequence[ClientRelease], accepted: frozenset[str]
) -> Iterator[Consent]:
    from deltaadm.operations.clients import needing_consent

    for verdict in needing_consent(plan, clients, accepted):
        release = verdict.after.release
        what = "; ".join(cell.note for cell in verdict.after.responsible)
        yield Consent(
            f"--accept-silently-wrong {release.client.id}",
            f"{release} {verdict.after.access.value}s wrong data silently: {what}. "
            f"Type '{release.client.id}' to continue: ",
            release.client.id,
        )


def confirm(context: RunContext, consents: Iterable[Consent], plans: Sequence[Report]) -> None:
    """Ask for *consents* at the terminal; raises `Refused` unless all are given."""
    # By option, so that many plans ask the same question once.
    missing = {consent.option: consent for consent in consents}
    if not missing:
        return
    if not _has_terminal():
        what = "the plan" if len(plans) == 1 else f"the {len(plans)} plans"
        if "--yes" not in missing:
            raise Refused(
                f"Confirmation of {what} takes more than --yes; nothing was changed.",
                remedy=f"Pass {' '.join(missing)} to continue.",
            )
        raise Refused(
            f"Confirmation of {what} is required, but no terminal is attached; nothing was "
            "changed.",
            remedy=f"Pass {' '.join(missing)} to continue without confirmation.",
        )
    # The plan is on standard output only in this case, and whoever answers must have seen it.
    if context.format != "text" or not sys.stdout.isatty() or len(plans) > 1:
        show_on_stderr(context, plans)
    for consent in missing.values():
        _ask(consent.question, consent.answer)


def _has_terminal() -> bool:
    # Both: the question is written to standard error, for standard output may go to a file.
    return sys.stdin.isatty() and sys.stderr.isatty() and messages().asks


def _ask(question: str, expected: str) -> None:
    write_stderr(visible(question))
    if sys.stdin.readline().strip().lower() != expected.lower():
        raise Refused("The plan was not confirmed; nothing was changed.", remedy="")
