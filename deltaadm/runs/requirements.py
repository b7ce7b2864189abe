"""Clients that must still be able to read or write a table after a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deltaadm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deltaadm.clients import ClientRelease
    from deltaadm.operations.plan import Goal
    from deltaadm.runs.plan_options import CommitOptions
    from deltaadm.runs.settings import Settings


class ClientRequirements(NamedTuple):
    """
    The clients that must go on reading and writing, and those that may go silently wrong.

    `findings` are the codes of rules whose errors a plan may bring about.
    """

    reading: tuple[ClientRelease, ...] = ()
    writing: tuple[ClientRelease, ...] = ()
    accepted: frozenset[str] = frozenset()
    findings: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, request: CommitOptions, settings: Settings, table: str, location: str
    ) -> ClientRequirements:
        """
        What the command line says, or else the *settings*.

        Raises `Refused` for a client that nobody knows.
        """
        from deltaadm.clients import parse_client

        accepted = map(parse_client, request.consent.accept_silently_wrong or ())
        reading, writing = settings.required_clients(
            table,
            location,
            readers=tuple(map(parse_client, request.clients.for_client or ())),
            writers=tuple(map(parse_client, request.clients.for_client_writing or ())),
        )
        return cls(
            reading=reading,
            writing=writing,
            accepted=frozenset(release.client.id for release in accepted),
            findings=_codes(request.consent.accept_finding or ()),
        )

    def goals(self) -> Iterator[Goal]:
        """The goal for each of these clients, to read or to write, except for the accepted ones."""
        from deltaadm.clients import Access
        from deltaadm.operations.plan import Goal

        for releases, access in ((self.reading, Access.READ), (self.writing, Access.WRITE)):
            for release in releases:
                if release.client.id not in self.accepted:
                    yield Goal(release, access)


def _codes(words: Sequence[str]) -> frozenset[str]:
    """The codes of the rules that *words* name; a usage error for one that does not exist."""
    if not words:
        return frozenset()
    from deltaadm.operations.validate import code_of, similar_code

    codes = {word: code_of(word) for word in words}
    for word, code in codes.items():
        if code is None:
            raise UsageError(
                f"there is no rule {word!r}. "
                f"{similar_code(word) or '`deltaadm rules` lists them all.'}",
                option="--accept-finding",
            )
    return frozenset(filter(None, codes.values()))
