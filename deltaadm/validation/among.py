"""In which commits a rule can find something, by what is known of one before its actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deltaadm.domain.facts.facts import CommitFacts


class Having:
    """Commits with an action of one of these `names`, which many commits have in common."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)

    def __call__(self, commit: CommitFacts) -> bool:
        """Whether *commit* is one."""
        return not self.names.isdisjoint(commit.names)


def having(*names: str) -> Having:
    """Commits with an action of one of these *names*."""
    return Having(names)


def with_several_files(commit: CommitFacts) -> bool:
    """Commits that add or remove more than one file."""
    return len(commit.actions("add")) + len(commit.actions("remove")) > 1


def changing_protocol(commit: CommitFacts) -> bool:
    """Commits with a protocol of their own."""
    return commit.changes_protocol


def changing_metadata(commit: CommitFacts) -> bool:
    """Commits with metadata of their own."""
    return commit.changes_metadata
