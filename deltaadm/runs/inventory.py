"""`--save-as`: what was looked at, as a table for dashboards."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deltaadm.commit.inventory import KINDS, require_place, save_rows
from deltaadm.errors import UsageError
from deltaadm.render.inventory import COLUMNS, inventory_row
from deltaadm.runs.context import now

_KEY = ("table", "inspected_at")
"""The columns by which an inventory is known, whatever else later releases add to it."""


class Inventory:
    """
    Collects a row a table, and saves them.

    An unknown kind of table is a usage error. Raises `Refused` for a place where they cannot be
    saved, or where something else is.
    """

    def __init__(self, kind: str, path: Path) -> None:
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is not one of {', '.join(KINDS)}", option="--save-as")
        require_place(kind, path, _KEY)
        self._kind = kind
        self._path = path
        self._begun = now()
        self._rows: list[dict[str, Any]] = []

    def add(self, document: Mapping[str, Any]) -> None:
        """Take one more table."""
        self._rows.append({**inventory_row(document), "inspected_at": self._begun})

    def finish(self) -> None:
        """Write all of them; raises `Refused` where that is not possible."""
        save_rows(self._kind, self._path, {**COLUMNS, "inspected_at": int}, self._rows)
