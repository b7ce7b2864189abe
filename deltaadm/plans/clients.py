"""The effect of a plan on the clients of the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deltaadm.clients import (
    EVERYONE,
    Access,
    ClientRelease,
    Compatibility,
    Scope,
    Shift,
    Verdict,
    conditions,
    shifts,
    verdicts,
)
from deltaadm.clients.facts import STORED_VECTORS_OFF, VECTORS_OFF
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import RefusedError
from deltaadm.plans.plan import Goal, Plan


def newly_shut_out(plan: Plan, scope: Scope = EVERYONE) -> tuple[Shift, ...]:
    """
    The verdicts that *plan* makes worse for the clients in *scope*.

    A client that can no longer read the table is not listed a second time because it can no
    longer write it either, and one that writes no table at all loses nothing there.
    """
    worse = _shifts(plan, scope.releases, tuple(Access))
    reading = {
        (shift.after.release, shift.after.compatibility)
        for shift in worse
        if shift.after.access is Access.READ
    }
    return tuple(
        shift
        for shift in worse
        if shift.after.access is Access.READ
        or (
            shift.after.release.client.writes_tables
            and (shift.after.release, shift.after.compatibility) not in reading
        )
    )


def require_clients(
    plan: Plan,
    *,
    reading: Iterable[ClientRelease] = (),
    writing: Iterable[ClientRelease] = (),
    accepted: Collection[str] = (),
) -> None:
    """
    Raise `RefusedError` if *plan* shuts a client out that must go on *reading* or *writing*.

    What is unknown counts as shut out. A client whose id is *accepted* may go silently wrong,
    and nothing else.
    """
    groups = [(tuple(reading), (Access.READ,)), (tuple(writing), (Access.WRITE,))]
    lost = [
        shift
        for releases, accesses in groups
        for shift in _shifts(plan, releases, accesses)
        if not (shift.turns_silently_wrong and shift.after.release.client.id in accepted)
    ]
    if lost:
        raise RefusedError(
            f"After this change, {'; '.join(described(shift.after) for shift in lost)}.",
            remedy="Leave the change out. If the client need not keep working, remove it from "
            "--for-client, --for-client-writing, `clients` or `writers`.",
        )


def still_shut_out(
    plan: Plan, *, reading: Iterable[ClientRelease] = (), writing: Iterable[ClientRelease] = ()
) -> tuple[str, ...]:
    """
    A sentence for each client that cannot use the table before *plan*, nor after it.

    `require_clients` refuses what a plan makes worse; this names what it leaves as it is. What is
    not known counts as shut out.
    """
    groups = [(tuple(reading), (Access.READ,)), (tuple(writing), (Access.WRITE,))]
    asked = {(goal.release, goal.access) for goal in plan.goals}
    pairs = [
        pair
        for releases, accesses in groups
        for pair in zip(
            *(
                verdicts(releases, state.protocol, state.metadata, accesses, conditions(state))
                for state in (plan.before, plan.after)
            ),
            strict=True,
        )
    ]
    return tuple(
        f"Not changed by this plan: {described(after)}. To change that: deltaadm upgrade-protocol "
        f"TABLE {Goal(after.release, after.access).option}."
        for before, after in pairs
        if Compatibility.WORKS not in (before.compatibility, after.compatibility)
        and (after.release, after.access) not in asked
    )


def needing_consent(
    plan: Plan, scope: Scope = EVERYONE, accepted: Collection[str] = ()
) -> tuple[Shift, ...]:
    """The clients in *scope* that *plan* makes silently wrong and that nobody has *accepted*."""
    by_client = {
        shift.after.release.client.id: shift
        # Of several on one client the first is kept: that on reading.
        for shift in reversed(newly_shut_out(plan, scope))
        if shift.turns_silently_wrong and shift.after.release.client.id not in accepted
    }
    return tuple(by_client[name] for name in sorted(by_client))


def _shifts(
    plan: Plan, releases: tuple[ClientRelease, ...], accesses: tuple[Access, ...]
) -> tuple[Shift, ...]:
    if plan.is_noop or not releases:
        return ()

    def judged(table: Snapshot) -> tuple[Verdict, ...]:
        met = conditions(table)
        if VECTORS_OFF in met:  # the next checkpoint has them, too
            met |= {STORED_VECTORS_OFF}
        return verdicts(releases, table.protocol, table.metadata, accesses, met)

    return shifts(judged(plan.before), judged(plan.after))


def described(verdict: Verdict) -> str:
    """The reasons why a client cannot use a table, as a clause."""
    cells = ", ".join(
        f"{cell.subject} ({cell.note})" if cell.note else cell.subject
        for cell in verdict.responsible
    )
    release, access = verdict.release, verdict.access.value
    if verdict.compatibility is Compatibility.FAILS_LOUDLY:
        return f"{release} cannot {access} the table because of {cells}"
    if verdict.compatibility is Compatibility.SILENTLY_WRONG:
        return f"{release} {access}s wrong data silently because of {cells}"
    return f"{release} is not known to {access} the table because of {cells}"
