"""DL5xx: in-commit timestamps and catalog commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.properties import (
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    switch,
)
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import is_on, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import SnapshotFacts


@rule("DL510", Severity.ERROR, Scope.SNAPSHOT)
def inconsistent_timestamp_enablement(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The properties that say from which version on commits have in-commit timestamps contradict
    each other or the log.

    Why it matters: readers use them to decide which of two clocks a version's time comes from.
    Time travel by timestamp then finds the wrong version.

    What to do: find the writer that set them. With both unset, every version still in the log
    must carry its timestamp.

    Source: PROTOCOL.md, In-Commit Timestamps.
    """
    snapshot = table.snapshot
    texts = {
        key: snapshot.metadata.configuration.get(key)
        for key in (ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP)
    }
    for key, text in texts.items():
        if (number := whole_number(text)) is not None and number < 0:
            yield Problem(f"{key} is negative: {number}.", f"configuration[{key}]")
    if not is_on(snapshot, "inCommitTimestamp", "delta.enableInCommitTimestamps"):
        return
    for key, text in texts.items():
        if text is None and any(texts.values()):
            yield Problem(
                f"{key} is not set, but the other of the two properties is.",
                f"configuration[{key}]",
            )
    version, time = (whole_number(value) for value in texts.values())
    if version is not None and version > snapshot.version:
        yield Problem(
            f"In-commit timestamps are said to start at version {version}, but the newest is "
            f"{snapshot.version}.",
            f"configuration[{ICT_ENABLEMENT_VERSION}]",
        )
    stated = table.enablement_timestamp
    if None not in (stated, time) and stated != time:
        yield Problem(
            f"{ICT_ENABLEMENT_TIMESTAMP} is {time}, but the commit of version {version} has "
            f"{stated}.",
            f"configuration[{ICT_ENABLEMENT_TIMESTAMP}]",
        )


@rule("DL511", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def catalog_without_timestamps(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A catalog manages the table, and in-commit timestamps are not on.

    Why it matters: commits that a catalog takes in have no reliable file time, so the order and
    time of versions are unknown.

    What to do: have the catalog's client turn them on; Delta does so by itself when it commits.

    Source: PROTOCOL.md, Catalog-managed Table Enablement.
    """
    snapshot = table.snapshot
    on = switch(snapshot.metadata.configuration, "delta.enableInCommitTimestamps")
    for name in ("catalogManaged", "catalogOwned-preview"):
        if snapshot.protocol.supports(name) and on is False:
            yield Problem(
                f"The table has {name}, but delta.enableInCommitTimestamps is not true.",
                "configuration[delta.enableInCommitTimestamps]",
            )
