"""The version checksum of a commit without data, from that of the version before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.json_values import compact
from deltaadm.domain.model.metadata import Metadata
from deltaadm.domain.model.protocol import Protocol
from deltaadm.errors import DeltaadmError
from deltaadm.limits import load_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import LogStore

_ABOUT_FILES: Final = (
    "tableSizeBytes", "numFiles", "numDeletedRecordsOpt", "numDeletionVectorsOpt", "numMetadata",
    "numProtocol", "setTransactions", "domainMetadata", "metadata", "protocol",
    "deletedRecordCountsHistogramOpt", "histogramOpt", "fileSizeHistogram", "allFiles",
)  # fmt: skip
"""The fields that are copied, apart from those that the commit replaces; others may be outdated."""

_REQUIRED: Final = ("tableSizeBytes", "numFiles", "numMetadata", "numProtocol")


def checksum_name(version: int) -> str:
    """The file with the checksum of *version*."""
    return f"{version:020d}.crc"


def next_checksum(
    store: LogStore, before: Snapshot, after: Snapshot, info: CommitInfo
) -> bytes | None:
    """
    The checksum of the version that *after* is, which *info* has committed on top of *before*.

    None where the one of *before* is not there, lacks numbers, or does not fit *before*.
    """
    known = _checksum_of(store, before)
    if known is None:
        return None
    changed: dict[str, Any] = {
        "txnId": info.txn_id,
        **{key: known[key] for key in _ABOUT_FILES if key in known},
        "metadata": after.metadata.to_wire(),
        "protocol": after.protocol.to_wire(),
    }
    if info.in_commit_timestamp is not None:
        changed["inCommitTimestampOpt"] = info.in_commit_timestamp
    domains = {
        name: domain.to_wire()
        for name, domain in (after.domains or {}).items()
        if domain != (before.domains or {}).get(name)
    }
    if domains:
        listed = changed.get("domainMetadata")
        # Without the list of before, the domains that stay would be missing from the new one.
        if not isinstance(listed, list):
            return None
        others = [entry for entry in listed if entry.get("domain") not in domains]
        changed["domainMetadata"] = [*others, *domains.values()]
    return compact(changed).encode()


def _checksum_of(store: LogStore, snapshot: Snapshot) -> Mapping[str, Any] | None:
    segment = snapshot.segment
    if segment is None or segment.crc is None or segment.crc.version != snapshot.version:
        return None
    try:
        checksum = load_json(store.read(segment.crc.path))
        fits = (
            all(isinstance(checksum[key], int) for key in _REQUIRED)
            and Protocol.from_wire(checksum["protocol"]) == snapshot.protocol
            # A wrong checksum is not handed on: later ones would all be made from it.
            and Metadata.from_wire(checksum["metadata"]).says_the_same_as(snapshot.metadata)
        )
    except (DeltaadmError, LookupError, TypeError, AttributeError, ValueError, RecursionError):
        return None
    return checksum if fits else None
