"""Mending what rules find: one finding by a command, all of them by one plan."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from deltaadm.domain.features import FEATURES
from deltaadm.domain.properties import FEATURE_PREFIX
from deltaadm.domain.table_changes import SetProperties, UnsetProperties, WriteCheckpoint
from deltaadm.errors import DeltaadmError
from deltaadm.operations.plan import propose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import Step
    from deltaadm.operations.plan import Plan
    from deltaadm.validation.finding import Finding, ValidationReport

OPERATION = "validate"


def plan_fixes(
    snapshot: Snapshot, report: ValidationReport, *, session: SessionSettings | None = None
) -> Plan:
    """
    One plan that mends every finding of *report* that can be mended together with the others.

    What is set goes into one commit, what is unset into another, and a checkpoint comes last.
    The notes say which findings are mended, and which are not.
    """
    mended: list[Finding] = []
    for one in report.findings:
        if one.fix and _is_possible(snapshot, [*mended, one], session):
            mended.append(one)
    left = len(report.findings) - len(mended) + sum(report.more.values())
    notes = [f"{one.code} {one.name}: {one.message}" for one in mended]
    if left:
        rest = "1 finding is" if left == 1 else f"{left} findings are"
        notes.append(f"{rest} not mended by this; validate without --fix tells more.")
    return propose(
        OPERATION,
        snapshot,
        _union(mended),
        because=_because(mended),
        notes=notes,
        session=session,
    )


def _is_possible(
    snapshot: Snapshot, findings: Iterable[Finding], session: SessionSettings | None
) -> bool:
    try:
        propose(OPERATION, snapshot, _union(findings), session=session)
    except DeltaadmError:
        return False
    return True


def _union(findings: Iterable[Finding]) -> list[Step]:
    """The steps of all *findings* as few steps; where two disagree, the worse finding's counts."""
    wanted: dict[str, str] = {}
    unwanted: dict[str, None] = {}
    checkpoint = False
    for step in (step for one in findings for step in one.fix):
        if isinstance(step, SetProperties):
            wanted = {**step.properties, **wanted}
        elif isinstance(step, UnsetProperties):
            unwanted |= dict.fromkeys(step.keys)
        else:
            checkpoint = True
    steps: list[Step] = [SetProperties(wanted)] if wanted else []
    keys = tuple(key for key in unwanted if key not in wanted)
    if keys:
        steps.append(UnsetProperties(keys, if_exists=True))
    return [*steps, WriteCheckpoint()] if checkpoint else steps


def _because(findings: Iterable[Finding]) -> dict[str, str]:
    because: dict[str, str] = {}
    for one in findings:
        for step in one.fix:
            for key in _keys(step):
                name = key.removeprefix(FEATURE_PREFIX)
                places = (
                    [f"protocol.{side}Features[{name}]" for side in ("reader", "writer")]
                    if key.startswith(FEATURE_PREFIX)
                    else []
                )
                for place in (f"configuration[{key}]", *places):
                    because.setdefault(place, f"mends {one.code} {one.name}")
    return because


def _keys(step: Step) -> Iterable[str]:
    if isinstance(step, SetProperties):
        return step.properties
    return step.keys if isinstance(step, UnsetProperties) else ()


def fix_command(table: str, steps: Sequence[Step]) -> str:
    """
    The command line that plans and commits *steps* on *table*; empty if there are none.

    It can be pasted into a POSIX shell, whatever stands in names and values.
    """
    if not steps:
        return ""
    place = f"./{table}" if table.startswith("-") else table
    return " ".join(map(quoted, ("deltaadm", *_arguments(place, steps), "--apply")))


def _arguments(table: str, steps: Sequence[Step]) -> Iterator[str]:
    features = _supported(steps)
    if features:
        yield from ("enable-feature", table, *features, "--support-only")
        return
    yield from ("alter", table)
    for step in steps:
        if isinstance(step, SetProperties):
            for key, value in step.properties.items():
                yield from ("--set", f"{key}={value}")
        elif isinstance(step, UnsetProperties):
            for key in step.keys:
                yield from ("--unset", key)
        else:
            yield "--checkpoint"


def _supported(steps: Sequence[Step]) -> tuple[str, ...]:
    """The features that *steps* add to the protocol, if they do nothing else."""
    wanted = {
        key: value
        for step in steps
        for key, value in (
            step.properties.items() if isinstance(step, SetProperties) else [("", "")]
        )
    }
    names = tuple(key.removeprefix(FEATURE_PREFIX) for key in wanted)
    plain = all(key.startswith(FEATURE_PREFIX) for key in wanted) and set(names) <= set(FEATURES)
    return names if plain and set(wanted.values()) == {"supported"} else ()


def quoted(word: str) -> str:
    r"""
    *word* for a POSIX shell, on one line and without characters that a terminal would obey.

    >>> quoted("it's")
    '\'it\'"\'"\'s\''
    >>> quoted("a\nb")
    "$'a\\x0ab'"
    """
    if word.isprintable():
        return shlex.quote(word)
    body = "".join(one if one.isprintable() and one not in "\\'" else _bytes(one) for one in word)
    return f"$'{body}'"


def _bytes(one: str) -> str:
    """The bytes of *one*; half a character that stands for a byte of a file's name is that byte."""
    errors = "surrogateescape" if "\udc80" <= one <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in one.encode("utf-8", errors))
