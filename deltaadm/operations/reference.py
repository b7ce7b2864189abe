"""`record`: what tables are like, without secrets, for `diff` to hold them against later."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.masking import is_secret
from deltaadm.operations.secrets import Masker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True)
class RecordedTable:
    """
    The table that the user called `table`, with masks for secrets.

    `fingerprints` are what these are known by, by their places.
    """

    table: str
    snapshot: Snapshot
    fingerprints: Mapping[str, str]


@dataclass(frozen=True)
class Reference:
    """Recorded tables, for `diff` to hold them against later."""

    tables: tuple[RecordedTable, ...]

    document = "reference"
    blocks = ""  # it is written as a file alone


def record(table: str, snapshot: Snapshot) -> Reference:
    """A record of one table."""
    fingerprints = {
        place: _fingerprint(f"{snapshot.metadata.id} {place}", value)
        for place, key, value in _values(snapshot)
        if is_secret(key, value)
    }
    return Reference((RecordedTable(table, Masker().snapshot(snapshot), fingerprints),))


def recorded_state(recorded: RecordedTable, current: Snapshot) -> Snapshot:
    """The state that was *recorded*, with those secrets that *current* still has."""
    known, metadata = recorded.fingerprints, recorded.snapshot.metadata
    still = {
        place: value
        for place, _, value in _values(current)
        if place in known and _fingerprint(f"{metadata.id} {place}", value) == known[place]
    }

    def revealed(kind: str, given: Mapping[str, str]) -> dict[str, str]:
        return {key: still.get(f"{kind}[{key}]", value) for key, value in given.items()}

    form = metadata.format
    if form is not None and form.options:
        form = replace(form, options=revealed("format", form.options))
    configuration = revealed("configuration", metadata.configuration)
    shown = replace(metadata, configuration=configuration, format=form)
    return replace(recorded.snapshot, root=current.root, metadata=shown)


def _values(snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    """The places, keys and values of properties and of options of the format."""
    metadata = snapshot.metadata
    options = (metadata.format and metadata.format.options) or {}
    for kind, entries in (("configuration", metadata.configuration), ("format", options)):
        for key, value in entries.items():
            if value is not None:
                yield f"{kind}[{key}]", key, value


@lru_cache(maxsize=1024)
def _fingerprint(salt: str, value: str) -> str:
    import hashlib

    body, known = (text.encode("utf-8", "surrogatepass") for text in (value, salt))
    # Slow on purpose, and salted by table and place: a record must not let anybody try passwords.
    # Records that are written have been made with this number of rounds.
    return hashlib.pbkdf2_hmac("sha256", body, known, 100_000).hex()
