"""All clients by their id, and how a user names a release of one."""

from __future__ import annotations

from functools import cache

from deltaadm.clients.engines import ENGINES
from deltaadm.clients.facts import Client, ClientRelease, version_key
from deltaadm.clients.libraries import LIBRARIES
from deltaadm.clients.services import SERVICES
from deltaadm.clients.spark import SPARKS
from deltaadm.domain.model.properties import did_you_mean
from deltaadm.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final


def _index(*clients: Client) -> Mapping[str, Client]:
    return {client.id: client for client in sorted(clients, key=lambda client: client.id)}


CLIENTS: Final[Mapping[str, Client]] = _index(*SPARKS, *LIBRARIES, *ENGINES, *SERVICES)
"""Every client by its id, in alphabetical order."""


@cache
def newest_releases() -> tuple[ClientRelease, ...]:
    """The newest known release of every client."""
    return tuple(ClientRelease(client, client.newest) for client in CLIENTS.values())


def parse_client(text: str) -> ClientRelease:
    """
    The release that *text* names: `trino@480`, or `trino` for the newest one known.

    Raises `Refused` for an unknown client and for what is not a release of it.
    """
    name, separator, version = text.strip().partition("@")
    client = CLIENTS.get(name.strip().lower())
    if client is None:
        raise Refused(
            f"There is no client named {name!r}.",
            remedy=did_you_mean(name, CLIENTS) or f"Known clients are {', '.join(CLIENTS)}.",
        )
    if not separator:
        return ClientRelease(client, client.newest)
    version = version.strip()
    try:
        version_key(version)
    except ValueError:
        raise Refused(
            f"{version!r} is not a version of {client.name}.",
            remedy=f"Write it as in {client.id}@{client.newest} ({client.versioned_by}).",
        ) from None
    return ClientRelease(client, version)
