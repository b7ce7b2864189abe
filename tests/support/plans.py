"""Snapshots in one line, and plans as short text: `snapshot((1, 2), {"delta.appendOnly": "true"})`.

A change reads `+ protocol.writerFeatures[rowTracking]` or `~ protocol.minWriterVersion 2 -> 7`.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deltaadm.documents import sealed
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.plans.diff import Change, ChangeKind
from deltaadm.plans.plan import Plan
from tests.support import tables

Versions = tuple[int, int]


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    """*document* with the digest that it would have if deltaadm had written it as it is."""
    binding = document.get("binding")
    if not isinstance(binding, dict):
        return document
    bare = {key: value for key, value in binding.items() if key != "document_sha256"}
    return sealed({**document, "binding": bare})


def protocol(
    versions: Versions = (1, 2),
    reader: Sequence[str] | None = None,
    writer: Sequence[str] | None = None,
) -> Protocol:
    return Protocol.from_wire(tables.protocol(*versions, reader, writer)["protocol"])


def schema(*columns: str, types: str = "integer", **metadata: Any) -> str:
    fields = [
        {"name": name, "type": types, "nullable": True, "metadata": metadata} for name in columns
    ]
    return json.dumps({"type": "struct", "fields": fields})


def snapshot(
    versions: Versions = (1, 2),
    configuration: Any = ...,
    *,
    reader: Sequence[str] | None = None,
    writer: Sequence[str] | None = None,
    version: int = 3,
    **metadata: Any,
) -> Snapshot:
    """A table `/t` at version 3; further keywords are entries of its metaData."""
    body = tables.metadata(configuration, **metadata)["metaData"]
    return Snapshot(
        root="/t",
        version=version,
        protocol=protocol(versions, reader, writer),
        metadata=Metadata.from_wire(body),
    )


def mapped(mode: str = "name", versions: Versions = (2, 5), **more: Any) -> Snapshot:
    """A table whose one column has an id and a physical name."""
    column = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "p"}
    configuration = {"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "1"}
    return snapshot(versions, configuration, schemaString=schema("a", **column), **more)


def written(change: Change) -> str:
    text = f"{change.kind.value} {change.subject}"
    if change.kind is ChangeKind.SET:
        return f"{text} {_short(change.before)} -> {_short(change.after)}"
    if change.subject.startswith("configuration["):
        return f"{text} = {change.after if change.before is None else change.before}"
    return text


def changes(plan: Plan) -> list[str]:
    """The plan's changes as short text."""
    return [written(change.change) for change in plan.changes]


def reasons(plan: Plan) -> dict[str, str]:
    """Why each subject changes."""
    return {change.change.subject: change.because for change in plan.changes}


def committed(base: Snapshot, after: Snapshot) -> Snapshot:
    """What the table is after a commit that did what *after* predicts, markers filled in."""
    marker = "<known after commit>"
    filled = {
        key: value.replace(marker, "7") for key, value in after.metadata.configuration.items()
    }
    return replace(
        after, version=base.version + 1, metadata=after.metadata.with_configuration(filled)
    )


def _short(value: Any) -> str:
    return json.dumps(value) if isinstance(value, dict | list) else str(value)
