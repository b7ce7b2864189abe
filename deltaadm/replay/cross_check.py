"""The same table as another implementation, deltalake, reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.facts.facts import CrossCheck
from deltaadm.storage.threads import panics_as_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltalake import DeltaTable

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.storage.store import LogStore

    Differing = Iterator[tuple[str, tuple[str, str]]]

_LONGEST: Final = 200


def cross_check(store: LogStore, snapshot: Snapshot) -> CrossCheck:
    """The differences of deltalake's reading from *snapshot*, in which the files are counted."""
    import deltalake

    program = f"deltalake {deltalake.__version__}"
    location = store.root if store.local_path is None else store.local_path
    try:
        options = dict(store.storage_options) or None
        with panics_as_errors():
            theirs = deltalake.DeltaTable(location, storage_options=options)
            differences = dict(_differences(snapshot, theirs))
    except Exception as error:  # noqa: BLE001 -- a refusal, in whatever class it comes
        return CrossCheck(program=program, refusal=_sentence(error))
    return CrossCheck(program=program, differences=differences)


def _sentence(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:_LONGEST] if lines else type(error).__name__


def _differences(ours: Snapshot, theirs: DeltaTable) -> Differing:
    if ours.version != theirs.version():
        yield "version", (str(ours.version), str(theirs.version()))
        return  # the rest belongs to another version
    yield from _protocol(ours, theirs)
    yield from _metadata(ours, theirs)
    if ours.files is not None and ours.files.files != (count := len(theirs.file_uris())):
        yield "files", (str(ours.files.files), str(count))


def _protocol(ours: Snapshot, theirs: DeltaTable) -> Differing:
    mine, other = ours.protocol, theirs.protocol()
    for key, left, right in (
        ("minReaderVersion", mine.min_reader_version, other.min_reader_version),
        ("minWriterVersion", mine.min_writer_version, other.min_writer_version),
        ("readerFeatures", _names(mine.reader_features), _names(other.reader_features)),
        ("writerFeatures", _names(mine.writer_features), _names(other.writer_features)),
    ):
        if left != right:
            yield f"protocol.{key}", (str(left), str(right))


def _names(features: Any) -> list[str]:
    """A missing list and an empty one look alike to deltalake's users."""
    return sorted(features or ())


def _metadata(ours: Snapshot, theirs: DeltaTable) -> Differing:
    mine, other = ours.metadata, theirs.metadata()
    for key, left, right in (
        ("id", mine.id, str(other.id)),
        ("name", mine.name, other.name),
        ("description", mine.description, other.description),
        ("partitionColumns", list(mine.partition_columns), list(other.partition_columns)),
        ("configuration", dict(mine.configuration), dict(other.configuration)),
        # As values, since the order of keys and the blanks of JSON mean nothing.
        ("schema", json.loads(mine.schema_string or "null"), _schema(theirs)),
    ):
        if left != right:
            yield f"metadata.{key}", (_shortened(left), _shortened(right))


def _schema(theirs: DeltaTable) -> Any:
    return json.loads(theirs.schema().to_json())


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
