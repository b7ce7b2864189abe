"""DL1xx: the structure of the log, and what a commit may hold."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts import CommitFacts, LogFacts


@rule("DL100", Severity.ERROR, Scope.LOG)
def unreadable_table(log: LogFacts) -> Iterator[Problem]:
    """
    The newest version cannot be rebuilt from the log. Told where no other rule names the cause.

    Why it matters: without a snapshot nobody can read the table, and rules that look at its
    state cannot run.

    What to do: restore what is missing from a backup, or load one of the versions that can still
    be rebuilt. If there is no log at all, check the table's location.

    Source: PROTOCOL.md, Reader Requirements; Delta Spark's own refusals.
    """
    if log.failure is not None:
        yield Problem(log.failure.message, remedy=log.failure.remedy)


@rule("DL101", Severity.ERROR, Scope.LOG)
def gap_in_commits(log: LogFacts) -> Iterator[Problem]:
    """
    A commit between the chosen checkpoint and the newest version is missing.

    Why it matters: a version is the sum of all commits before it. With one of them gone, nobody
    can tell which files are alive, and Delta refuses to load the table.

    What to do: restore the missing file from a backup; or go back to an earlier version that can
    still be rebuilt.

    Source: PROTOCOL.md, Delta Log Entries; Delta Spark, DELTA_VERSIONS_NOT_CONTIGUOUS.
    """
    base = max((one.version for one in log.listing.checkpoints), default=-1)
    versions = [one.version for one in log.listing.commits if one.version is not None]
    for left, right in pairwise(version for version in versions if version >= base):
        if right > left + 1:
            gone = f"{left + 1}" if right == left + 2 else f"{left + 1} to {right - 1}"
            yield Problem(f"Commit {right} follows commit {left}: {gone} is missing.", "_delta_log")


@rule("DL112", Severity.ERROR, Scope.COMMIT)
def several_protocols_or_metadata(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit holds more than one protocol, or more than one metaData action.

    Why it matters: the protocol allows one of each, and readers differ in which one they take.

    What to do: find and mend the writer. The commit itself must not be edited; a further commit
    with the right values makes the newest version unambiguous again.

    Source: PROTOCOL.md, Delta Log Entries.
    """
    for name in ("protocol", "metaData"):
        count = len(commit.actions(name))
        if count > 1:
            yield Problem(f"The commit has {count} {name} actions.", commit.file.path)
