"""Dropping a CHECK constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import BOOLEAN, STRING, record
from deltaadm.domain.sql.sql_text import identifier, if_exists_sql
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.constraints import constraint_key, drop_constraint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DropConstraint(Step):
    """`ALTER TABLE … DROP CONSTRAINT`; with *if_exists* an absent one is skipped."""

    name: str
    if_exists: bool = False

    kind = "drop_constraint"
    json = record(name=STRING, if_exists=BOOLEAN)
    operations = frozenset({"DROP CONSTRAINT"})

    def after(self, snapshot: Snapshot, _session: SessionSettings) -> Snapshot:
        """The state without the constraint."""
        return drop_constraint(snapshot, self.name, if_exists=self.if_exists)

    def operation(self, before: Snapshot, _after: Snapshot) -> Operation:
        """The constraint, and its expression where there is one."""
        expression = before.metadata.configuration.get(constraint_key(self.name))
        existed = (
            {"existed": "false"} if expression is None else {"expr": expression, "existed": "true"}
        )
        return Operation("DROP CONSTRAINT", {"name": self.name, **existed})

    def destroys(self, _before: Snapshot) -> tuple[str, ...]:
        """The constraint."""
        return (self.name,)

    def losses(self, _before: Snapshot) -> tuple[str, ...]:
        """The check of each row."""
        return (f"rows are no longer checked against {self.name}",)

    @property
    def words(self) -> str:
        """The constraint."""
        return f"drop constraint {self.name}"

    def _clause(self) -> str:
        return f"DROP CONSTRAINT {if_exists_sql(self.if_exists)}{identifier(self.name)}"

    def options(self) -> Iterator[str]:
        """`--drop-constraint`."""
        yield from ("--drop-constraint", self.name)
