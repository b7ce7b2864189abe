"""What was measured, kept from run to run, so that a long measurement can be interrupted."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Cost, Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Costs = Mapping[str, Cost | Failed]


class Results:
    """
    The costs by part and table, in a file each below *directory*; in none of them if it is None.

    *circumstances* say what they depend on. Those that were measured under others are removed.
    """

    def __init__(self, directory: Path | None, circumstances: Mapping[str, Any]) -> None:
        self._directory = directory
        if directory is None:
            return
        directory.mkdir(parents=True, exist_ok=True)
        known = directory / "circumstances.json"
        if not known.exists() or json.loads(known.read_text()) != circumstances:
            for old in directory.glob("*.json"):
                old.unlink()
            known.write_text(json.dumps(circumstances))

    def of(self, part: str, table: str, measure: Callable[[], Costs]) -> Costs:
        """What an earlier run has measured, or else what *measure* does now."""
        if self._directory is None:
            return measure()
        name = re.sub(r"[^\w-]+", "-", f"{part} {table}")
        file = self._directory / f"{name}.json"
        if file.exists():
            return {name: _read(each) for name, each in json.loads(file.read_text()).items()}
        found = measure()
        file.write_text(json.dumps({name: _written(each) for name, each in found.items()}))
        return found


def _written(cost: Cost | Failed) -> Any:
    return asdict(cost) if isinstance(cost, Cost) else str(cost)


def _read(written: Any) -> Cost | Failed:
    return Cost(**written) if isinstance(written, dict) else Failed(written)
