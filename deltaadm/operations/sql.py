"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.sql.sql_text import identifier, is_hidden, literal

if TYPE_CHECKING:
    from deltaadm.domain.steps import Step


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    The statement for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> from deltaadm.domain.steps import SetProperties
    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\'Hara')"
    """
    return step.statement(name or _table(path))


def _table(path: str) -> str:
    """The table at *path*; in backticks nothing can be escaped, in a literal everything can."""
    name = f"delta.{identifier(path)}"
    return f"IDENTIFIER({literal(name)})" if any(map(is_hidden, name)) else name
