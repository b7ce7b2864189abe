"""Leading a name in a catalog to another table."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.json_values import STRING, place, record, version_number, within
from deltaadm.domain.sql.sql_text import literal
from deltaadm.domain.steps.step import Step
from deltaadm.domain.transaction.location import set_location
from deltaadm.domain.transaction.state_document import STATE_FIELDS, read_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SetLocation(Step):
    """
    `ALTER TABLE … SET LOCATION`: a name in a catalog then leads to the table that is *there*.

    No commit: the catalog's entry changes, and both tables stay as they are.
    """

    there: Snapshot

    kind = "set_location"
    json = record(location=(STRING, attrgetter("there.root")), **within("there", STATE_FIELDS))
    secret_fields = ("there",)
    is_commit = False
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The other table, under the name of this one."""
        return set_location(snapshot, self.there, session)

    @property
    def destination(self) -> Snapshot:
        """The other table."""
        return self.there

    def _clause(self) -> str:
        return f"SET LOCATION {literal(self.there.root)}"

    def options(self) -> Iterator[str]:
        """`--set-location`."""
        yield from ("--set-location", self.there.root)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The step that `json` has written."""
        location, version = place(document["location"]), version_number(document["version"])
        return cls(read_state(location, version, document))
