"""In which commits a rule can find something, by what is known of one before its actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.facts.facts import CommitFacts


def having(*names: str) -> Callable[[CommitFacts], bool]:
    """Commits with an action of one of these *names*."""
    known = frozenset(names)
    return lambda commit: not known.isdisjoint(commit.names)


def with_several_files(commit: CommitFacts) -> bool:
    """Commits that add or remove more than one file."""
    return len(commit.actions("add")) + len(commit.actions("remove")) > 1


def changing_protocol(commit: CommitFacts) -> bool:
    """Commits with a protocol of their own."""
    return commit.changes_protocol


def changing_metadata(commit: CommitFacts) -> bool:
    """Commits with metadata of their own."""
    return commit.changes_metadata
