"""Running programs one after the other, in turns, and what each run cost."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LAUNCHER = str(Path(__file__).with_name("launch.py"))

_SLOW = 5.0
"""Seconds from which on a first run counts as well: what it warms up is no part of that."""


class Failed(Exception):  # noqa: N818 -- reads as what happened
    """A program ended badly or gave a wrong answer."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command to be measured; `right` looks at its output."""

    name: str
    command: Sequence[str]
    right: Callable[[str], bool] = lambda _: True
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Cost:
    """What the runs of one program cost: milliseconds on the clock and of processors, and KiB."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    memory: int = 0

    @property
    def median(self) -> float:
        """Of the time on the clock, in milliseconds."""
        return median(self.wall)

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles of the time on the clock, in milliseconds."""
        if len(self.wall) == 1:
            return self.wall[0], self.wall[0]
        first, _, third = quantiles(self.wall, n=4, method="inclusive")
        return first, third

    @property
    def processor_median(self) -> float:
        """Of the time of processors, in milliseconds."""
        return median(self.processor)

    def add(self, other: Cost) -> None:
        """Count the runs of *other* as well."""
        self.wall += other.wall
        self.processor += other.processor
        self.memory = max(self.memory, other.memory)

    @property
    def megabytes(self) -> float:
        """The largest peak of resident memory."""
        return self.memory / 1024


def in_turns(programs: Sequence[Program], runs: int, patience: float) -> dict[str, Cost | Failed]:
    """
    Run all *programs* after a run each that does not count, *runs* times, in turns.

    A first run that takes long counts, and who has taken *patience* seconds is not run again.

    The order turns as well. A program that fails or answers wrongly is told as such.
    """
    costs: dict[str, Cost | Failed] = {program.name: Cost() for program in programs}
    for turn in range(-1, runs):
        shift = turn % len(programs) if programs else 0
        for one in (*programs[shift:], *programs[:shift]):
            cost = costs[one.name]
            if isinstance(cost, Failed) or sum(cost.wall) > patience * 1000:
                continue
            try:
                new = _run(one)
            except Failed as failure:
                costs[one.name] = failure
                continue
            if turn >= 0 or new.wall[0] > min(_SLOW, patience) * 1000:
                cost.add(new)
    return costs


def _run(program: Program) -> Cost:
    """Through `launch.py`: what we started ourselves would count our memory as its own."""
    environment = {**os.environ, **program.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    told, tell = os.pipe()
    with os.fdopen(told) as report:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", _LAUNCHER, str(tell), *program.command],
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                pass_fds=[tell],
            )
        finally:
            os.close(tell)
        numbers = report.read().split()
    if done.returncode:
        raise Failed(f"ended with {done.returncode}")
    if not program.right(done.stdout.decode(errors="replace")):
        raise Failed("gave a wrong answer")
    wall, processor, memory = map(float, numbers)
    return Cost(wall=[wall * 1000], processor=[processor * 1000], memory=int(memory))
