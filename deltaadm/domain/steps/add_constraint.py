"""Adding a CHECK constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import STRING, record
from deltaadm.domain.sql.sql_text import identifier
from deltaadm.domain.steps.step import Step
from deltaadm.domain.transaction.constraints import add_constraint, stored_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class AddConstraint(Step):
    """`ALTER TABLE … ADD CONSTRAINT … CHECK`; existing rows are checked first."""

    name: str
    expression: str

    kind = "add_constraint"
    json = record(name=STRING, expression=STRING)
    operations = frozenset({"ADD CONSTRAINT"})
    depends_on_state = True

    def after(self, snapshot: Snapshot, _session: SessionSettings) -> Snapshot:
        """The state after it if all rows meet the constraint."""
        return add_constraint(snapshot, self.name, self.expression)

    @property
    def new_constraint(self) -> tuple[str, str]:
        """The constraint."""
        return self.name, self.expression

    def _clause(self) -> str:
        return (
            f"ADD CONSTRAINT {identifier(self.name)} CHECK ({stored_expression(self.expression)})"
        )

    def options(self) -> Iterator[str]:
        """`--add-constraint`."""
        yield from ("--add-constraint", f"{self.name}={self.expression}")
