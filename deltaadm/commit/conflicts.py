"""
What others have committed in the meantime, and whether a commit without data can follow it.

The rules are those of Delta's conflict checker for a transaction that has read no file and writes
metadata: added and removed files do not matter to it; protocol, metadata and its own domains do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.log_segment import commit_name
from deltaadm.errors import CommitError, DeltaadmError, FileMissing
from deltaadm.replay.commits import body, each_action

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from deltaadm.storage.store import LogStore

_HARMLESS: Final = frozenset({"commitInfo", "add", "remove", "cdc", "txn"})
_ROW_IDS: Final = "delta.rowTracking"

_REPLAN: Final = "Plan again on the current table."


def last_harmless(store: LogStore, first: int, domains: Collection[str]) -> int:
    """
    The last version of the table, where all from *first* on leave alone what a commit is based on.

    *domains* are those that it writes. Raises `CommitError` for the first of the versions that does
    not, or cannot be read.
    """
    version = first
    while True:
        try:
            _require_harmless(store, version, domains)
        except FileMissing:
            return version - 1
        version += 1


def _require_harmless(store: LogStore, version: int, domains: Collection[str]) -> None:
    name = commit_name(version)
    try:
        reasons = set(_reasons(store, name, domains))
    except FileMissing:
        raise
    except DeltaadmError as error:
        raise CommitError(
            f"Version {version} was committed in the meantime, and cannot be read: {error.message}",
            remedy="Find out what wrote it: deltaadm validate TABLE.",
        ) from error
    if reasons:
        # Of several, the class that Delta looks for first happens to be the last by name.
        error_class, what = max(reasons)
        raise CommitError(
            f"Version {version} was committed in the meantime and {what}.",
            remedy=_REPLAN,
            delta_error_class=error_class,
        )


def _reasons(store: LogStore, name: str, domains: Collection[str]) -> Iterator[tuple[str, str]]:
    """Error classes and clauses."""
    for key, document in each_action(body(store, name), name):
        if key == "protocol":
            yield "DELTA_PROTOCOL_CHANGED", "changes the protocol"
        elif key == "metaData":
            yield "DELTA_METADATA_CHANGED", "changes the metadata"
        elif key == "domainMetadata":
            domain = document.get("domain")
            # Delta merges high water marks of row ids, and so does whoever commits next.
            if domain in domains and domain != _ROW_IDS:
                yield "DELTA_CONCURRENT_TRANSACTION", f"changes the domain {domain}"
        # An action from a newer Delta may mean anything.
        elif key not in _HARMLESS:
            yield "DELTA_METADATA_CHANGED", f"has an action {key}, which is not known"
