"""The log of a table that is being changed."""

from __future__ import annotations

from collections.abc import Callable

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.wire import CommitMark, Provenance
from deltaadm.errors import DeltaadmError
from deltaadm.replay.provenance import provenance
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.context import RunContext
from deltaadm.runs.names import entry_of_new, look_up_again
from deltaadm.runs.target import Target, resolve


@dataclass(frozen=True)
class LiveLog:
    """
    The log of the table that was in the state `before`, as `carry_out` reads it.

    `mark` tells by what our own commits are known. With `by_name` the table is the one to which
    its name in the open catalog leads by now.
    """

    context: RunContext
    before: Snapshot
    detail: Detail
    mark: Callable[[], CommitMark]
    by_name: bool

    def without_session(self) -> LiveLog:
        """The same log, once the session has been closed."""
        return replace(self, context=self.context.without_session())

    def load(self, version: int | None = None) -> Snapshot:
        """The table as it is now, or as it was at *version*; at -1 there was none."""
        name = self.before.name
        if version is None and self.by_name and name:
            target = resolve(self.context, name, look_up_again(self.context, name))
        else:
            target = Target(self.before.root, self._location())
        if version is not None and version < 0:
            return no_table(target.location, name)
        snapshot = target.load(
            self.context,
            detail=self.detail,
            version=version,
            missing_ok=version is None and not self.before.exists,
            known=self.before.segment,
        )
        return snapshot if name is None else replace(snapshot, name=name)

    def commits(self, first: int, last: int, step: Step) -> tuple[Provenance, ...]:
        """The owners of the versions *first* to *last*, inclusive; our own commits apply *step*."""
        store = self.context.open_store(self._location())
        return provenance(store, first, last, step, self.mark())

    def _location(self) -> str:
        """The location of the table: a catalog may have chosen another one for a new table."""
        name, expected = self.before.name, self.before.root
        if self.before.exists or name is None:
            return expected
        entry = entry_of_new(self.context, name, expected)
        return expected if entry is None or isinstance(entry, DeltaadmError) else entry.location
