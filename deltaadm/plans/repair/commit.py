"""Repairs that are commits: a further version of the table instead of other files of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deltaadm import __version__
from deltaadm.dataclass import dataclass
from deltaadm.domain.snapshot import commit_name
from deltaadm.domain.wire import CommitInfo
from deltaadm.errors import CommitError, UnknownWrite
from deltaadm.json_values import compact
from deltaadm.plans.embedded_executor import random_id
from deltaadm.plans.repair.case import digest_of, sha256
from deltaadm.replay.embedded import in_commit_timestamps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.wire import Loggable
    from deltaadm.plans.repair.case import Case, View
    from deltaadm.plans.repair.work import Work


@dataclass(frozen=True)
class Commit:
    """Commits the next version of the table, in whatever state Delta finds it."""

    version: int
    body: bytes
    what: str

    kind = "commit"

    @classmethod
    def of(
        cls,
        case: Case,
        base: Snapshot,
        operation: str,
        parameters: Mapping[str, Any],
        actions: Sequence[Loggable],
    ) -> Commit:
        """The commit of *actions* on *base*, in Delta's order."""
        stamp = None
        if in_commit_timestamps(base.metadata):
            # As PROTOCOL.md demands: strictly increasing, whatever the clocks do.
            stamp = max(case.now, (base.timestamp or 0) + 1)
        info = CommitInfo(
            in_commit_timestamp=stamp,
            timestamp=case.now,
            operation=operation,
            operation_parameters=parameters,
            read_version=base.version,
            isolation_level="Serializable",
            is_blind_append=False,
            operation_metrics={},
            user_metadata="deltaadm repair",
            engine_info=f"deltaadm/{__version__}",
            txn_id=random_id(),
        )
        body = "".join(f"{compact(action.wrap())}\n" for action in (info, *actions))
        names = dict.fromkeys(action.NAME for action in actions)
        return cls(base.version + 1, body.encode(), ", ".join(names))

    @property
    def file(self) -> str:
        """The file of the version."""
        return commit_name(self.version)

    @property
    def words(self) -> str:
        """What it does."""
        return f"commit version {self.version} ({self.what})"

    def foresee(self, view: View) -> View:
        """The log with the commit."""
        return view.having(self.file, self.body)

    def carry_out(self, work: Work) -> None:
        """Write it where there is none; raises `CommitError` where somebody else's is there."""
        work.commits.append(self.version)
        work.note()
        for _ in range(_ATTEMPTS):
            try:
                if work.store.create(self.file, self.body):
                    return
            except UnknownWrite:
                continue
            break
        # A store that is asked twice may find the file that it has written at first.
        if sha256(work.store, self.file) != digest_of(self.body):
            work.commits.remove(self.version)
            work.note()
            raise CommitError(
                f"Another program has committed version {self.version} meanwhile.",
                remedy="Run repair again.",
            )


_ATTEMPTS = 3
