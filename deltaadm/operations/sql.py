"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.sql.sql_text import identifier, is_hidden, literal
from deltaadm.operations.commands import fix_command

if TYPE_CHECKING:
    from deltaadm.domain.steps import Step
    from deltaadm.operations.plan import Plan, Stage


def statement(path: str, step: Step, name: str | None = None) -> str:
    r"""
    The statement for the table at *path* (absolute path or URL), or a comment for a step
    that SQL has no statement for. A table that has a *name* in a catalog is addressed by that.

    >>> from deltaadm.domain.steps import SetProperties
    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\'Hara')"
    """
    return step.statement(name or _table(path))


def planned_statement(plan: Plan, stage: Stage) -> str:
    """
    The statement for *stage* of *plan*, or a comment where none can carry it out.

    A comment never ends with a backslash, which would make the next line part of it.
    """
    before = plan.before
    if not stage.obstacle:
        return statement(before.root, stage.step, before.name)
    return f"-- {stage.obstacle}; run: {fix_command(before.name or before.root, [stage.step])}"


def _table(path: str) -> str:
    """The table at *path*; in backticks nothing can be escaped, in a literal everything can."""
    name = f"delta.{identifier(path)}"
    return f"IDENTIFIER({literal(name)})" if any(map(is_hidden, name)) else name
