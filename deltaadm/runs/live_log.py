"""The log of a table that is being changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.steps.table import no_table
from deltaadm.replay.provenance import provenance
from deltaadm.runs import names as table_names
from deltaadm.runs.target import Target, find_again

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.domain.wire import CommitMark, Provenance
    from deltaadm.replay.reconcile import Detail
    from deltaadm.runs.context import RunContext


class LiveLog:
    """
    The log of the table that was in the state *before*, as `carry_out` reads it.

    *mark* tells by what our own commits are known. With *by_name* the table is the one to which
    its name in the open catalog leads by now.
    """

    def __init__(
        self,
        context: RunContext,
        before: Snapshot,
        detail: Detail,
        mark: Callable[[], CommitMark],
        *,
        by_name: bool,
    ) -> None:
        self._context = context
        self._before = before
        self._detail = detail
        self._mark = mark
        self._by_name = by_name

    def without_session(self) -> LiveLog:
        """The same log, once the session has been closed."""
        context = self._context.without_session()
        return LiveLog(context, self._before, self._detail, self._mark, by_name=self._by_name)

    def load(self, version: int | None = None) -> Snapshot:
        """The table as it is now, or as it was at *version*; at -1 there was none."""
        name = self._before.name
        if version is None and self._by_name and name:
            target = find_again(self._context, name)
        else:
            target = Target(self._before.root, self._location())
        if version is not None and version < 0:
            return no_table(target.location, name)
        missing_ok = version is None and not self._before.exists
        snapshot = target.load(
            self._context,
            detail=self._detail,
            version=version,
            missing_ok=missing_ok,
            known=self._before.segment,
        )
        return snapshot if name is None else replace(snapshot, name=name)

    def commits(self, first: int, last: int, step: Step) -> tuple[Provenance, ...]:
        """The owners of the versions *first* to *last*, inclusive; our own commits apply *step*."""
        store = self._context.open_store(self._location())
        return provenance(store, first, last, step, self._mark())

    def _location(self) -> str:
        """The location of the table: a catalog may have chosen another one for a new table."""
        before = self._before
        if before.exists:
            return before.root
        return table_names.created_location(self._context, before.name, before.root)
