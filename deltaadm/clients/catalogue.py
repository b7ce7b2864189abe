"""All client programs: what is known about each release, with source and day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from deltaadm.clients.facts import (
    RECORDED,
    Client,
    ClientRelease,
    Compatibility,
    Fact,
    Gate,
    Source,
    version_key,
)
from deltaadm.errors import RefusedError, UnknownNameError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


# The file `catalogue.json` has the facts, one on a line:
# outcome, features, source, releases, note, and flags; or, of the protocol versions that releases
# accept, the highest, source, releases, what they do with a higher one, and note. Features are
# separated by blanks; releases are written as `1.3..1.5`, without the last. What stands at the end
# of a line can be omitted. Facts below `both` are about reading and writing.

_OUTCOMES: Final = {
    "works": Compatibility.WORKS,  # handled as the protocol asks
    "unknown": Compatibility.UNKNOWN,  # the source leaves open what happens, as the note says
    "fails": Compatibility.FAILS_LOUDLY,  # refused with an error
    "wrong": Compatibility.SILENTLY_WRONG,  # without an error, see the note; only where it is used
}


def _filled(row: Sequence[Any], defaults: Sequence[Any]) -> Sequence[Any]:
    return *row, *defaults[len(row) :]


def _client(client_id: str, entry: Mapping[str, Any]) -> Client:
    oldest, _, newest = entry["releases"].partition("..")

    def gates(key: str) -> Iterable[Gate]:
        for row in entry.get(key, ()):
            highest, source, releases, above, note = _filled(row, (0, "", "", "fails", ""))
            since, _, until = releases.partition("..")
            yield Gate(highest, _SOURCES[source], since, until, _OUTCOMES[above], note)

    def facts(key: str) -> Iterable[Fact]:
        for row in entry.get(key, ()):
            outcome, features, source, releases, note, flags = _filled(
                row, ("", "", "", "", "", {})
            )
            since, _, until = releases.partition("..")
            active = flags.get("active", outcome == "wrong")
            yield Fact(
                _OUTCOMES[outcome], tuple(features.split()), _SOURCES[source], since, until,
                active, note, flags.get("listed", False),
            )  # fmt: skip

    both = tuple(facts("both"))
    return Client(
        client_id,
        entry["name"],
        entry["versioned_by"],
        oldest,
        newest,
        read_gates=tuple(gates("reads_up_to")),
        reads=(*both, *facts("reads")),
        write_gates=tuple(gates("writes_up_to")),
        writes=(*both, *facts("writes")),
        reference_since=entry.get("reference_since", ""),
        checkpoints=tuple(facts("checkpoints")),
    )


# Spark's executors import deltaadm from an archive, which only its loader can read.
_LOADER: Final[Any] = globals()["__loader__"]
_CONTENT: Final = json.loads(_LOADER.get_data(f"{__file__.rpartition('.')[0]}.json"))

_SOURCES: Final = {name: Source(*row) for name, row in _CONTENT["sources"].items()} | {
    "recorded": RECORDED
}

CLIENTS: Final[Mapping[str, Client]] = {
    name: _client(name, entry) for name, entry in _CONTENT["clients"].items()
}
"""Every client by its id, in alphabetical order."""

ALIASES: Final[Mapping[str, str]] = _CONTENT["aliases"]
"""Other names by which people know a client."""


@cache
def newest_releases() -> tuple[ClientRelease, ...]:
    """The newest known release of every client."""
    return tuple(ClientRelease(client, client.newest) for client in CLIENTS.values())


def parse_client(text: str) -> ClientRelease:
    """
    The release that *text* names: `trino@480`, or `trino` for the newest one known.

    Raises `RefusedError` for an unknown client and for what is not a release of it.
    """
    name, separator, version = text.strip().partition("@")
    known = name.strip().lower()
    client = CLIENTS.get(ALIASES.get(known, known))
    if client is None:
        raise UnknownNameError(
            f"There is no client named {name!r}.",
            remedy=did_you_mean(name, (*CLIENTS, *ALIASES))
            or f"Known clients are {', '.join(CLIENTS)}.",
        )
    if not separator:
        return ClientRelease(client, client.newest)
    version = version.strip()
    try:
        version_key(version)
    except ValueError:
        raise RefusedError(
            f"{version!r} is not a version of {client.name}.",
            remedy=f"Write it as in {client.id}@{client.newest} ({client.versioned_by}).",
        ) from None
    return ClientRelease(client, version)
