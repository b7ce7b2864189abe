"""The Spark SQL statement that carries out a step, quoted so that nothing can break out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.table_changes import SetProperties

if TYPE_CHECKING:
    from deltaadm.domain.table_changes import Step


def statement(path: str, step: Step) -> str:
    r"""
    One `ALTER TABLE` for the table at *path* (absolute path or URL).

    >>> statement("/data/it's", SetProperties({"owner": "O'Hara"}))
    "ALTER TABLE delta.`/data/it's` SET TBLPROPERTIES ('owner' = 'O\\\\'Hara')"
    """
    table = f"delta.{identifier(path)}"
    if isinstance(step, SetProperties):
        pairs = ", ".join(f"{literal(k)} = {literal(v)}" for k, v in step.properties.items())
        return f"ALTER TABLE {table} SET TBLPROPERTIES ({pairs})"
    condition = "IF EXISTS " if step.if_exists else ""
    return (
        f"ALTER TABLE {table} UNSET TBLPROPERTIES {condition}({', '.join(map(literal, step.keys))})"
    )


def identifier(name: str) -> str:
    """*name* in backticks."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """
    *text* as a Spark string literal.

    Control characters are written as escapes, and so is `$`, which starts a variable where
    `spark.sql.variable.substitute` is on.
    """
    return "'" + "".join(_escaped(one) for one in text) + "'"


def _escaped(one: str) -> str:
    if one in "\\'":
        return "\\" + one
    if one == "$" or ord(one) < 0x20 or ord(one) == 0x7F:  # noqa: PLR2004 -- the ASCII controls
        return f"\\u{ord(one):04x}"
    return one
