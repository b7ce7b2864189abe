"""Damage of version checksums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deltaadm.domain.properties import Key, is_true
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Kind, Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.plans.repair.case import Case
from deltaadm.plans.repair.repair import MoveAside, Repair, WriteFile
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail

_LAST: Final = 100
"""Older checksums that are looked at: writers and readers use those of the newest versions."""
_KEPT: Final = "the original, in the quarantine; readers do without"


def find_checksums(case: Case) -> Iterator[Repair]:
    """A checksum of the newest version that is wrong, and others that cannot be read."""
    files = case.listing.of_kind(Kind.CRC)
    try:
        snapshot = load_snapshot(case.view, detail=Detail.STATE) if files else None
    except TableError:  # nothing tells what they should say
        return
    for file in files[-_LAST:]:
        document = _read(case, file.path)
        if snapshot is not None and file.version == snapshot.version:
            wrong = next(_problems(document, snapshot), "")
            if wrong:
                body = compact(_right(snapshot)).encode()
                step = WriteFile(file.path, body, f"what replay finds in version {file.version}")
                yield _repair("DL802" if document is None else "DL803", file.path, wrong, step)
        elif document is None:
            wrong = "is not a JSON object"
            yield _repair("DL802", file.path, wrong, MoveAside(file.path))


def _repair(rule: str, name: str, wrong: str, step: MoveAside | WriteFile) -> Repair:
    words = f"The checksum {name} {wrong}."
    return Repair(kind="checksum", rule=rule, wrong=words, operations=(step,), kept=_KEPT)


def _read(case: Case, name: str) -> dict[str, Any] | None:
    try:
        document = load_json(case.view.read(name))
    except (TableError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _problems(document: Mapping[str, Any] | None, snapshot: Snapshot) -> Iterator[str]:
    """What is wrong with the checksum of *snapshot*, as predicates."""
    if document is None:
        yield "is not a JSON object"
        return
    right = _right(snapshot)
    for key in ("numFiles", "tableSizeBytes", "numMetadata", "numProtocol"):
        if key in document and document[key] != right[key]:
            yield f"says {key} {document[key]}, but the log has {right[key]}"
    try:
        if "protocol" in document and Protocol.from_wire(document["protocol"]) != snapshot.protocol:
            yield "has another protocol than the log"
        if "metadata" in document:
            metadata = Metadata.from_wire(document["metadata"])
            if not metadata.says_the_same_as(snapshot.metadata):
                yield "has other metadata than the log"
        stated = {(each["domain"], each["configuration"]) for each in _listed(document, "domain")}
        known = {(each["domain"], each["configuration"]) for each in right["domainMetadata"]}
        if document.get("domainMetadata") is not None and stated != known:
            yield "has other domains than the log"
        versions = {each["appId"]: each["version"] for each in right["setTransactions"]}
        for each in _listed(document, "txn"):
            if versions.get(each["appId"]) != each["version"]:
                yield f"has another transaction of {each['appId']} than the log"
    except (DeltaadmError, LookupError, TypeError, AttributeError, ValueError):
        yield "has parts of other types than Delta's"


def _listed(document: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    key = "domainMetadata" if name == "domain" else "setTransactions"
    return [each for each in document.get(key) or () if each.get("removed") is not True]


def _right(snapshot: Snapshot) -> dict[str, Any]:
    """The checksum of *snapshot*, with all that is known of it."""
    files, info = snapshot.files, snapshot.commit_info
    right: dict[str, Any] = {
        "tableSizeBytes": 0 if files is None else files.bytes,
        "numFiles": 0 if files is None else files.files,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [each.to_wire() for each in (snapshot.transactions or {}).values()],
        "domainMetadata": [each.to_wire() for each in (snapshot.domains or {}).values()],
        "metadata": snapshot.metadata.to_wire(),
        "protocol": snapshot.protocol.to_wire(),
    }
    if is_true(snapshot.metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
        stamp = None if info is None else info.in_commit_timestamp
        right |= {} if stamp is None else {"inCommitTimestampOpt": stamp}
    return right
