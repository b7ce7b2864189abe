"""The report: what was measured, the ratios, and which targets are met."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.contestants import (
    ALTER_TABLE,
    DEEP,
    DELTAADM,
    DELTALAKE,
    DESCRIBE_DETAIL,
    INSPECT,
    JSON,
    KERNEL,
    LIMIT,
    MISSING,
    OLD_DELTALAKE,
    ON_SPARK,
    PLAIN_SCRIPT,
    PLAN,
    PYTHON,
    REPAIR,
    TEXT,
    TYPER,
    VALIDATE,
    WHOLE,
)
from benchmarks.measure import Cost, Failed
from benchmarks.tables import standard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Costs = Mapping[str, Cost | Failed]
    Found = Mapping[str, Mapping[str, Costs]]

_ORDER: Final = (DELTAADM, DELTALAKE, OLD_DELTALAKE, KERNEL, LIMIT)


_UNITS: Final = ("MB", "ms")


@dataclass(frozen=True, slots=True)
class Target:
    """
    The `limit` of what `ours` may cost, on one table of one part.

    It is so many times the time of the program `against`, or MB of memory, or ms of processor time.
    """

    part: str
    table: str
    limit: float
    against: str
    ours: str = DELTAADM


_LARGE: Final = "S3; S8; S9; S10"
_TARGETS: Final[tuple[tuple[Any, ...], ...]] = (
    ("history", "S2", 3, INSPECT),  # a version checksum tells inspect all, and history nothing
    ("protocol", "S1; S6", 1, DELTALAKE), ("protocol", "S2", 0.05, DELTALAKE),
    ("protocol", "S3; S5; S4", 0.04, DELTALAKE), ("protocol", "S2 crc; S3 crc", 0.03, DELTALAKE),
    ("protocol", "S1; S2 crc; S3 crc", 4, LIMIT), ("protocol", "S2; S3; S4; S5; S6", 2.5, LIMIT),
    ("short", "S1", 1.25, JSON, TEXT), ("short", "S1", 1.2, DELTALAKE, PLAN),
    ("short", "S1", 1.1, DELTALAKE, VALIDATE),
    ("protocol", "S2", 0.1, KERNEL),
    ("commit", "a property", 1, DELTALAKE),
    ("process", "S3", 2, LIMIT),
    ("start", "start", 3, PYTHON, "deltaadm --version"),
    ("start", "start", 1.15, TYPER, "deltaadm --help"),
    ("start", "start", 2, TYPER, "completion of a feature"),
    ("files", "S3", 1, KERNEL), ("files", _LARGE, 0.1, DELTALAKE),
    ("files", "S2 removes", 1, KERNEL), ("files", "S2 removes", 0.1, DELTALAKE),
    ("validation", "S3", 0.8, DELTALAKE, VALIDATE), ("validation", "S3", 2, DELTALAKE, DEEP),
    ("validation", "S8; S9; S10", 0.9, DELTALAKE, VALIDATE),
    ("validation", "S3; S8", 3, DELTALAKE, MISSING),
    ("validation", _LARGE, 1.5, VALIDATE, REPAIR),
    ("validation", "S2", 0.25, DELTALAKE, VALIDATE), ("validation", "S2", 0.25, DELTALAKE, WHOLE),
    ("validation", "2000 tables", 3, DELTAADM, VALIDATE),
    ("spark", "a commit, cold", 0.65, PLAIN_SCRIPT),
    ("process", "S1", 3, "ms"), ("commit", "a property", 250, "ms"),
    ("protocol", "S1; S2; S3; S4; S5; S7", 130, "MB"),
    ("history", "S2; S2 crc", 60, "MB"),
    ("files", "S3; S2 removes", 400, "MB"), ("files", "S7", 1_000, "MB"),
    ("validation", "S3", 400, "MB", VALIDATE), ("validation", "S7", 600, "MB", VALIDATE),
    ("validation", "S8; S9; S10", 300, "MB", VALIDATE), ("validation", _LARGE, 500, "MB", REPAIR),
    ("validation", "S2", 120, "MB", VALIDATE), ("validation", "S2", 120, "MB", WHOLE),
)  # fmt: skip
TARGETS: Final = tuple(
    Target(part, table, *rest) for part, tables, *rest in _TARGETS for table in tables.split("; ")
)
_NOTE: Final = (
    "Ratios are of the time on the clock; those in brackets are of processor time, which other "
    "work on the machine disturbs less, and in which waiting and more than one processor at a "
    "time do not show."
)
_FLEET_FACTOR = 8
_SCHEMAS_FACTOR = 7
"""Where each table has a schema of its own."""
_SPARK_FACTOR = 100
_GROWTH_OF_MEMORY = 3
"""How much more memory `validate` may take for ten times the files."""
_BESIDE_COMMIT = 500
"""Milliseconds that planning and checking may take beside the commit itself."""


def written(found: Found, absent: Mapping[str, str], *, scale: float, runs: int) -> str:
    """The report."""
    growth = _growth(found.get("growth", {}))
    blocks = [*_head(absent, scale, runs), *_targets(found), *_tables(found), *growth]
    return "\n\n".join(blocks) + "\n"


def targets(found: Found, *, every: bool) -> str:
    """The targets alone, with the load that there was; *every* also names what was not measured."""
    load = f"load: {os.getloadavg()[0]:.1f} (1 is one busy core; the run itself makes one)"
    missing = [*_not_measured(found)] if every else []
    return "\n\n".join([*_targets(found), *missing, load]) + "\n"


def _not_measured(found: Found) -> Iterator[str]:
    measured = {target for target, _, _ in _measured(found)}
    names = [
        f"{_name(target)} against {target.against}"
        for target in TARGETS
        if target not in measured and target.against not in _UNITS
    ]
    if names:
        yield f"Not measured, which --full does: {'; '.join(names)}."


def _head(absent: Mapping[str, str], scale: float, runs: int) -> Iterator[str]:
    yield "# Performance report"
    yield (
        "Written by `python benchmarks/run.py`, see [README.md](README.md); [the page on "
        "performance](../docs/performance.md) says what to make of it. All programs ran on the "
        "same tables, in turns; times are medians of whole processes in milliseconds unless said "
        "otherwise, with the quartiles in brackets."
    )
    yield "\n".join(f"- {line}" for line in _machine(scale, runs))
    yield "\n".join(f"- {shape.name}: {shape.description}" for shape in standard(scale).values())
    for name, reason in absent.items():
        yield f"**{name}** did not take part: {reason}."


def _machine(scale: float, runs: int) -> Iterator[str]:
    yield f"{_processor()}, {os.cpu_count()} cores, {_memory():.0f} GiB of memory"
    yield f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    load, _, _ = os.getloadavg()
    yield f"load at the end of the run: {load:.1f} (1 is one busy core; the run itself makes one)"
    yield f"{runs} runs a program and table, fewer of slow ones, after one that does not count"
    if scale != 1:
        yield f"**tables at {scale:g} of their full size: the targets do not apply**"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)


def _targets(found: Found) -> Iterator[str]:
    rows = [
        *(_row(_name(target), *row, met) for target, row, met in _measured(found)),
        *_behind_kernel(found),
        *_fleet(found),
        *_spark(found),
        *_memory_growth(found),
    ]
    if rows:
        yield "## Targets"
        yield _NOTE
        head = ["| what | against | target | measured | |", "|---|---|---|---|---|"]
        yield "\n".join([*head, *rows])


def _measured(found: Found) -> Iterator[tuple[Target, tuple[str, str, str], bool]]:
    """What each target is against, what it allows, and what was measured; and whether it is met."""
    for target in TARGETS:
        costs = found.get(target.part, {}).get(target.table, {})
        ours, theirs = costs.get(target.ours), costs.get(target.against)
        allowed = f"at most {target.limit:g}"
        if isinstance(ours, Cost) and target.against in _UNITS:
            middle = sorted(ours.processor)[len(ours.processor) // 2 :]
            value = ours.megabytes if target.against == "MB" else middle[0]
            row = "", f"{allowed} {target.against}", f"{value:.1f} {target.against}"
            yield target, row, value <= target.limit
        elif isinstance(ours, Cost) and isinstance(theirs, Cost):
            ratio = ours.median / theirs.median
            by_processor = ""
            if ours.processor and theirs.processor:
                by_processor = f" ({ours.processor_median / theirs.processor_median:.3f})"
            row = target.against, allowed, f"{ratio:.3f}{by_processor}"
            yield target, row, ratio <= target.limit


_SAID: Final = {
    "short": "",
    "spark": "`alter --apply`",
    "protocol": "`inspect -o json`",
    "commit": "`alter --commit-engine embedded`",
    "process": "load in process",
    "files": "all live files",
    "history": "`history --protocol -o json`",
    "start": "",
    "validation": "",
    "fleet": "fleet",
}


def _name(target: Target) -> str:
    if target.part == "start":
        return target.ours
    return f"{_SAID[target.part] or f'`{target.ours}`'}, {target.table}"


def _row(what: str, against: str, target: str, measured: str, met: bool) -> str:  # noqa: FBT001
    return f"| {what} | {against} | {target} | {measured} | {'met' if met else '**not met**'} |"


def _behind_kernel(found: Found) -> Iterator[str]:
    """Never more than interpreter and typer behind a program that needs neither."""
    start = found.get("start", {}).get("start", {}).get(TYPER)
    for table, costs in found.get("protocol", {}).items():
        ours, theirs = costs.get(DELTAADM), costs.get(KERNEL)
        if isinstance(start, Cost) and isinstance(ours, Cost) and isinstance(theirs, Cost):
            behind = ours.median - theirs.median
            yield _row(
                f"`inspect -o json`, {table}, time behind",
                KERNEL,
                f"at most Python and typer, {start.median:.0f} ms",
                f"{behind:.0f} ms",
                behind <= start.median,
            )


def _fleet(found: Found) -> Iterator[str]:
    for tables, costs in found.get("fleet", {}).items():
        factor = _SCHEMAS_FACTOR if tables.endswith("schemas") else _FLEET_FACTOR
        against = (DELTALAKE, f"{DELTALAKE} in a loop", factor)
        yield from _times_faster(f"fleet, {tables}", costs, DELTAADM, *against)


def _spark(found: Found) -> Iterator[str]:
    for what, costs in found.get("spark", {}).items():
        if DELTAADM in costs and PLAIN_SCRIPT in costs:
            continue
        against = (DESCRIBE_DETAIL, f"{DESCRIBE_DETAIL} in the same session", _SPARK_FACTOR)
        yield from _times_faster(f"fleet on Spark, {what}", costs, ON_SPARK, *against)
        ours, theirs = costs.get(DELTAADM), costs.get(ALTER_TABLE)
        if isinstance(ours, Cost) and isinstance(theirs, Cost):
            beside = ours.median - theirs.median
            yield _row(
                "`alter --apply` in a warm session, time beside the commit",
                ALTER_TABLE,
                f"at most {_BESIDE_COMMIT} ms",
                f"{beside:.0f} ms",
                beside <= _BESIDE_COMMIT,
            )


def _memory_growth(found: Found) -> Iterator[str]:
    """From a checkpoint to one with ten times as many files."""
    costs = [found.get("validation", {}).get(table, {}) for table in ("S3", "S7")]
    small, large = (cost.get(VALIDATE) for cost in costs)
    if isinstance(small, Cost) and isinstance(large, Cost):
        times = large.megabytes / small.megabytes
        target = f"at most {_GROWTH_OF_MEMORY} times the memory"
        met = times <= _GROWTH_OF_MEMORY
        yield _row("`validate`, ten times the files", "S3", target, f"{times:.1f} times", met)


def _times_faster(  # noqa: PLR0917 -- what, of what, and against what
    what: str, costs: Costs, name: str, peer: str, against: str, factor: int
) -> Iterator[str]:
    ours, theirs = costs.get(name), costs.get(peer)
    if isinstance(ours, Cost) and isinstance(theirs, Cost):
        times = theirs.median / ours.median
        measured = f"{times:.1f} times"
        if ours.processor and theirs.processor:
            measured += f" ({theirs.processor_median / ours.processor_median:.1f})"
        yield _row(what, against, f"at least {factor} times", measured, times >= factor)


_TITLES: Final = {
    "short": "Ten commits",
    "protocol": "Protocol and metadata",
    "files": "All live files",
    "validation": "Validation",
    "history": "The whole history",
    "start": "Start-up",
    "commit": "A commit without Spark",
    "process": "Loading within one process",
    "fleet": "Fleets",
    "spark": "With Spark: started for it, and in one warm session each",
}


def _tables(found: Found) -> Iterator[str]:
    for part, title in _TITLES.items():
        if found.get(part):
            yield f"## {title}"
            yield _grid(found[part], _time)
            if _has(found[part], "processor"):
                yield "Of processors, in milliseconds:"
                yield _grid(found[part], _processor_time)
            if _has(found[part], "memory"):
                yield "Peak memory of a process in MB:"
                yield _grid(found[part], _peak)
            if part in {"protocol", "files"}:
                yield "deltaadm's time as a share of each peer's:"
                yield _ratios(found[part])


def _grid(costs: Mapping[str, Costs], show: Callable[[Cost], str]) -> str:
    return _table(costs, lambda cost, name: _cell(cost.get(name), show))


def _table(costs: Mapping[str, Costs], cell: Callable[[Costs, str], str], without: str = "") -> str:
    """A row for each program but the one to do *without*, and a column for each table."""
    names = sorted({name for cost in costs.values() for name in cost} - {without}, key=_place)
    rows = [
        f"| {name} | {' | '.join(cell(each, name) for each in costs.values())} |" for name in names
    ]
    return "\n".join([f"| | {' | '.join(costs)} |", "|---" * (len(costs) + 1) + "|", *rows])


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _cell(cost: Cost | Failed | None, show: Callable[[Cost], str]) -> str:
    if isinstance(cost, Failed):
        return str(cost)
    return show(cost) if cost is not None and cost.wall else ""


def _time(cost: Cost) -> str:
    low, high = cost.spread
    digits = 0 if cost.median >= 10 else 1
    return f"{_median(cost)} ({low:,.{digits}f}-{high:,.{digits}f})"


def _processor_time(cost: Cost) -> str:
    if not cost.processor:  # as of statements in a session, which many threads carry out
        return ""
    return f"{cost.processor_median:,.{0 if cost.processor_median >= 10 else 1}f}"


def _has(costs: Mapping[str, Costs], what: str) -> bool:
    found = (each for cost in costs.values() for each in cost.values())
    return any(isinstance(each, Cost) and getattr(each, what) for each in found)


def _peak(cost: Cost) -> str:
    return f"{cost.megabytes:,.0f}" if cost.memory else ""


def _ratios(costs: Mapping[str, Costs]) -> str:
    return _table(costs, lambda cost, name: _ratio(cost.get(DELTAADM), cost.get(name)), DELTAADM)


def _ratio(ours: Cost | Failed | None, theirs: Cost | Failed | None) -> str:
    if isinstance(ours, Cost) and isinstance(theirs, Cost) and theirs.wall and ours.wall:
        return f"{ours.median / theirs.median:.3f}"
    return ""


_GROWTH: Final = {
    "commits": "commits since the last checkpoint",
    "files": "files in the checkpoint",
    "columns": "columns",
    "tables": "tables of a fleet",
}


def _growth(costs: Mapping[str, Costs]) -> Iterator[str]:
    if not costs:
        return
    yield "## How cost grows"
    for dimension, across in _GROWTH.items():
        points = (point.split() for point in costs)
        sizes = [size for kind, size in points if kind == dimension]
        yield f"Milliseconds by {across}:"
        yield _grid({f"{int(n):,}": costs[f"{dimension} {n}"] for n in sizes}, _median)


def _median(cost: Cost) -> str:
    return f"{cost.median:,.{0 if cost.median >= 10 else 1}f}"
