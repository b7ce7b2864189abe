"""
What a plan interrupts: writers, streams and queries that run meanwhile, or afterwards as before.

`tools/record_impact.py` has asked Delta Spark, and `tests/data/impact.jsonl` keeps its answers,
with which `impact.txt` agrees; its rows with a source are by documents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Final

from deltaadm.clients import (
    EVERYONE,
    STORED_VECTORS_OFF,
    VECTORS_OFF,
    Access,
    ClientRelease,
    Compatibility,
    Scope,
    Shift,
    Source,
    Verdict,
    conditions,
    shifts,
    verdicts,
)
from deltaadm.dataclass import dataclass, text_beside
from deltaadm.domain.features import FEATURES
from deltaadm.domain.properties import Key, switch
from deltaadm.domain.schema import DataType, Path, PrimitiveType
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import DeltaadmError, RefusedError
from deltaadm.plans.plan import Goal, Plan
from deltaadm.plans.undo import Stage


class Consequence(Enum):
    """What comes of work that is interrupted, the gravest first."""

    FAILS = "fail"
    CONSENT = "stop until allowed"
    ONCE = "fail once"
    LATER = "see it later"


@dataclass(frozen=True)
class Interruption:
    """Work that something interrupts, with Delta's error class, and what to do about it."""

    work: str
    when: str
    consequence: Consequence
    error_class: str
    remedy: str
    source: Source | None = None

    @property
    def advice(self) -> str:
        """What to do about it, and how that is known."""
        known = f"by {self.source.title}, {self.source.date}" if self.source else self.error_class
        return f"{self.remedy} ({known})"


def interruptions(plan: Plan) -> tuple[Interruption, ...]:
    """What *plan* interrupts, the gravest first: each work by the first row that applies."""
    steps = [at for at in plan.stages if at.before.exists and at.step.is_commit]
    happen = {when for when, holds in TRIGGERS.items() if any(map(holds, steps))}
    absent = {work for work, is_there in _ONLY_WITH.items() if not any(map(is_there, steps))}
    found: dict[str, Interruption] = {}
    for row in rows():
        if row.when in happen and row.work not in absent:
            found.setdefault(row.work, row)
    rank = list(Consequence).index
    return tuple(sorted(found.values(), key=lambda row: rank(row.consequence)))


def _columns(state: Snapshot) -> Mapping[Path, tuple[DataType | None, bool]]:
    """The columns with their types, if they hold no other columns, and whether they may be null."""
    try:
        columns = state.metadata.schema.walk()
    except DeltaadmError:  # no step changes the columns of a schema that cannot be understood
        return {}
    return {
        path: (field.type if isinstance(field.type, PrimitiveType) else None, field.nullable)
        for path, field in columns
    }


def _types(state: Snapshot) -> set[tuple[Path, DataType | None]]:
    return {(path, kind) for path, (kind, _) in _columns(state).items()}


def _has_feed(at: Stage) -> bool:
    return switch(at.before.metadata.configuration, Key.CHANGE_DATA_FEED) is True


def _tracked(state: Snapshot) -> tuple[object, ...]:
    """What streams track besides the data: the protocol, the schema and Delta's own properties."""
    stored = state.metadata.configuration
    own = {key: stored[key] for key in stored if key.startswith("delta.")}
    return state.protocol, state.metadata.schema_string, own


def _is_conflict(at: Stage) -> bool:
    """Whether transactions that began before fail for the change of metadata."""
    old, new = at.before.metadata.configuration, at.after.metadata.configuration
    changed = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    begin = changed and changed <= _NO_CONFLICT and all(map(new.get, changed))
    ends = begin and {"false", "none", "classic"} & {new[key] for key in changed}
    return at.before.metadata != at.after.metadata and not (begin and not ends)


_NO_CONFLICT: Final = {
    "delta.enableDeletionVectors", "delta.columnMapping.mode", "delta.columnMapping.maxColumnId",
    "delta.enableInCommitTimestamps", "delta.inCommitTimestampEnablementVersion",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.enableRowTracking", "delta.rowTracking.materializedRowIdColumnName",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
    "delta.checkpointPolicy", Key.PROTECTED_BEFORE,
}  # fmt: skip
"""
Properties that open transactions take over, if they are set or turned on.

The last one is set together with the protocol, which Delta compares first.
"""


def _active(state: Snapshot) -> set[str]:
    """The features in use that Delta Sharing needs a newer connector for."""
    return {
        name
        for name in ("columnMapping", "deletionVectors")
        if any(FEATURES[name].activation.evidence(state.metadata))
    }


TRIGGERS: Final[Mapping[str, Callable[[Stage], bool]]] = {
    "the table is replaced": lambda at: not at.step.alters,
    "a column is renamed or dropped": lambda at: (
        not _columns(at.before).keys() <= _columns(at.after).keys()
    ),
    "a column is renamed, dropped, or gets another type": lambda at: (
        not _types(at.before) <= _types(at.after)
    ),
    "a column is renamed, dropped, or changes in type or nullability": lambda at: (
        not _columns(at.before).items() <= _columns(at.after).items()
    ),
    "columns are added, or change like this": lambda at: _columns(at.before) != _columns(at.after),
    "column mapping is removed": lambda at: (
        "columnMapping" in _active(at.before) - _active(at.after)
    ),
    "change data feed is disabled": lambda at: (
        _has_feed(at) and not switch(at.after.metadata.configuration, Key.CHANGE_DATA_FEED)
    ),
    "deletion vectors or column mapping begin": lambda at: (
        not _active(at.after) <= _active(at.before)
    ),
    "metadata changes, unless row tracking, column mapping, deletion vectors, V2 checkpoints or "
    "in-commit timestamps begin": _is_conflict,
    "a feature is dropped": lambda at: not at.before.protocol.can_upgrade_to(at.after.protocol),
    "the protocol, the schema or a property of Delta changes": lambda at: (
        _tracked(at.before) != _tracked(at.after)
    ),
    "metadata changes": lambda at: at.before.metadata != at.after.metadata,
}
"""What steps can do that interrupts something."""
_ONLY_WITH: Final[Mapping[str, Callable[[Stage], bool]]] = {
    "reads of changes across this version": _has_feed,
    "streams that read changes": _has_feed,
    "Iceberg readers by UniForm": lambda at: (
        "delta.universalFormat.enabledFormats" in at.after.metadata.configuration
    ),
}
"""Works that only a table with something else can have."""


@cache
def rows() -> tuple[Interruption, ...]:
    """The rows of `impact.txt`, in its order."""
    found, work, when = [], "", ""
    for line in text_beside(__name__, "impact.txt").splitlines():
        if line.startswith(" " * 8):
            how, known, remedy = map(str.strip, line.split("|"))
            title, _, date = known.partition(", ")
            said = ("", remedy, Source(title, date)) if date else (known, remedy)
            found.append(Interruption(work, when, Consequence(how), *said))
        elif line.startswith(" "):
            when = line.strip()
        elif not line.startswith("#"):
            work = line
    return tuple(found)


def newly_shut_out(plan: Plan, scope: Scope = EVERYONE) -> tuple[Shift, ...]:
    """
    The verdicts that *plan* makes worse for the clients in *scope*.

    A client that can no longer read the table is not listed a second time because it can no
    longer write it either, and one that writes no table at all loses nothing there.
    """
    worse = shifts(*_judged(plan, scope.releases, tuple(Access)))
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


def require_clients(plan: Plan, required: Iterable[Goal], accepted: Collection[str]) -> None:
    """
    Raise `RefusedError` if *plan* shuts a client out that is *required* to go on working.

    What is unknown counts as shut out. A client whose id is *accepted* may go silently wrong,
    and nothing else.
    """
    lost = [
        shift
        for goal in required
        for shift in shifts(*_judged(plan, [goal.release], [goal.access]))
        if not (shift.turns_silently_wrong and shift.after.release.client.id in accepted)
    ]
    if lost:
        raise RefusedError(
            f"After this change, {'; '.join(described(shift.after) for shift in lost)}.",
            remedy="Leave the change out. If the client need not keep working, remove it from "
            "--for-client, --for-client-writing, `clients` or `writers`.",
        )


def still_shut_out(plan: Plan, required: Iterable[Goal]) -> tuple[str, ...]:
    """
    A sentence for each *required* client that cannot use the table before *plan*, nor after it.

    `require_clients` refuses what a plan makes worse; this names what it leaves as it is. What is
    not known counts as shut out.
    """
    return tuple(
        f"Not changed by this plan: {described(after)}. To change that: `deltaadm upgrade-protocol "
        f"TABLE {goal.option}`."
        for goal in required
        for before, after in zip(*_judged(plan, [goal.release], [goal.access]), strict=True)
        if Compatibility.WORKS not in (before.compatibility, after.compatibility)
        and goal not in plan.goals
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


def _judged(
    plan: Plan, releases: Iterable[ClientRelease], accesses: Iterable[Access]
) -> Iterator[tuple[Verdict, ...]]:
    """The verdicts on the table before *plan*, and those on the table after it."""
    for table in (plan.before, plan.after):
        met = conditions(table)
        if VECTORS_OFF in met:  # the next checkpoint has them, too
            met |= {STORED_VECTORS_OFF}
        yield verdicts(releases, table.protocol, table.metadata, accesses, met)


def described(verdict: Verdict) -> str:
    """The reasons why a client cannot use a table, as a clause."""
    cells = ", ".join(
        f"{cell.subject} ({cell.note})" if cell.note else cell.subject
        for cell in verdict.responsible
    )
    access = verdict.access.value
    known = {
        Compatibility.FAILS_LOUDLY: f"cannot {access} the table",
        Compatibility.SILENTLY_WRONG: f"{access}s wrong data silently",
    }
    does = known.get(verdict.compatibility, f"is not known to {access} the table")
    return f"{verdict.release} {does} because of {cells}"
