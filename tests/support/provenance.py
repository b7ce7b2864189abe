"""Which versions of a table are a step's own."""

from deltaadm.domain.steps import Step
from deltaadm.domain.wire import CommitMark
from deltaadm.replay.load import provenance
from deltaadm.storage.store import LogStore


def versions_made_by(store: LogStore, first: int, last: int, step: Step) -> tuple[int, ...]:
    """Those of the versions *first* to *last*, ends included, that carry out *step*."""
    found = provenance(store, first, last, step, CommitMark())
    return tuple(commit.version for commit in found if commit.is_own)
