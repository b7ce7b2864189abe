"""`--save-as`: what was looked at, as a table for dashboards."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from deltaadm.cli import wiring
from deltaadm.commit.inventory import KINDS, save_rows
from deltaadm.render.inventory import COLUMNS, inventory_row


class Inventory:
    """Collects a row a table, and saves them; an unknown kind of table is a usage error."""

    def __init__(self, kind: str, path: Path) -> None:
        if kind not in KINDS:
            raise typer.BadParameter(
                f"{kind!r} is not one of {', '.join(KINDS)}", param_hint="--save-as"
            )
        self._kind = kind
        self._path = path
        self._begun = wiring.now()
        self._rows: list[dict[str, Any]] = []

    def add(self, document: Mapping[str, Any]) -> None:
        """Take one more table."""
        self._rows.append({**inventory_row(document), "inspected_at": self._begun})

    def save(self) -> None:
        """Write all of them; raises `Refused` where that is not possible."""
        save_rows(self._kind, self._path, {**COLUMNS, "inspected_at": int}, self._rows)
