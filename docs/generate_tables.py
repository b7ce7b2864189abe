# ruff: noqa: INP001 -- a script, not a package
"""Fill the tables of README.md and docs/json.md that follow from the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from deltaadm.cli.table import COMMANDS, Command
from deltaadm.documents.schemas import SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent


def _commands() -> Iterator[tuple[str, str]]:
    for name, summary in COMMANDS.items():
        arguments = (each.metavar for each in Command(name).declared() if each.is_argument)
        usage = " ".join(("deltaadm", name, *arguments)).replace("|", "\\|")
        yield f"`{usage}`", summary


def _documents() -> Iterator[tuple[str, str]]:
    for name, schema in SCHEMAS.items():
        yield f"[`{name}`](schemas/{name}.json)", schema["title"]


TABLES = {
    ROOT / "README.md": ("| command | what it does |", _commands),
    ROOT / "docs" / "json.md": ("| name | document |", _documents),
}
"""For each page the heading of its table, and what makes the rows."""


def page(path: Path) -> str:
    """The page with the table as it should be."""
    heading, rows = TABLES[path]
    head = f"{heading}\n|---|---|\n"
    table = "".join(f"| {name} | {what} |\n" for name, what in rows())
    before, _, after = path.read_text(encoding="utf-8").partition(head)
    return "".join((before, head, table, re.sub(r"^([|].*\n)*", "", after)))


if __name__ == "__main__":
    for path in TABLES:
        path.write_text(page(path), encoding="utf-8")
