"""In which commits a rule can find something, by what is known of one before its actions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.facts.facts import CommitFacts, State


class ByNames:
    """The commits of whose set of names of actions a *test* is true; many have the same."""

    def __init__(self, test: Callable[[frozenset[str]], bool]) -> None:
        self.test = test

    def __call__(self, commit: CommitFacts) -> bool:
        """Whether *commit* is one."""
        return self.test(frozenset(commit.names))


class ByStates:
    """The commits of whose states before and after a *test* of protocol and metadata is true."""

    def __init__(self, test: Callable[[State, State], bool]) -> None:
        self.test = test

    def __call__(self, commit: CommitFacts) -> bool:
        """Whether *commit* is one."""
        return self.test(commit.before, commit.after)


def having(*names: str) -> ByNames:
    """Commits with an action of one of these *names*."""
    return ByNames(lambda present: not present.isdisjoint(names))


def with_several_files(commit: CommitFacts) -> bool:
    """Commits that add or remove more than one file."""
    return len(commit.actions("add")) + len(commit.actions("remove")) > 1


changing_protocol = ByStates(lambda before, after: after.protocol is not before.protocol)
"""Commits with a protocol of their own."""

changing_metadata = ByStates(lambda before, after: after.metadata is not before.metadata)
"""Commits with metadata of their own."""
