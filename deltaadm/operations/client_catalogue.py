"""`clients`: what programs support, since when, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.clients import Access, feature_verdict, newest_releases, parse_client
from deltaadm.clients.facts import version_key
from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import FEATURES, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.clients import Client, ClientRelease, Compatibility, Fact, Verdict
    from deltaadm.clients.facts import Gate


@dataclass(frozen=True)
class Support:
    """
    The behaviour of a client's release with tables that have one feature, by feature name.

    Features for writers only do not concern readers, and are left out of `reads`.
    """

    release: ClientRelease
    reads: Mapping[str, Verdict]
    writes: Mapping[str, Verdict]


@dataclass(frozen=True)
class ClientCatalogue:
    """All clients, each in its newest release."""

    clients: tuple[Support, ...]

    document = "clients"
    blocks = "clients.show_clients"


@dataclass(frozen=True)
class ClientFact:
    """One fact about a client: what it concerns, and what the client does then."""

    access: Access
    subjects: tuple[str, ...]
    compatibility: Compatibility
    fact: Fact | Gate

    def holds_for(self, version: tuple[int, ...]) -> bool:
        """Whether it is about this release."""
        return self.fact.holds_for(version)


@dataclass(frozen=True)
class ClientExplanation:
    """One client with the facts about it: about `every_release`, or about one."""

    support: Support
    facts: tuple[ClientFact, ...]
    every_release: bool

    document = "client"
    blocks = "clients.show_client"


def list_clients() -> ClientCatalogue:
    """Every client in its newest release, and what it does with each feature."""
    return ClientCatalogue(tuple(map(_support, newest_releases())))


def explain_client(text: str) -> ClientExplanation:
    """
    Everything known about the client that *text* names; of one release, what concerns that.

    Raises `Refused` with a suggestion for no client, and for what is no release of one.
    """
    release = parse_client(text)
    facts = _facts(release.client)
    if "@" in text:
        key = version_key(release.version)
        facts = (fact for fact in facts if release.is_known and fact.holds_for(key))
    return ClientExplanation(_support(release), tuple(facts), every_release="@" not in text)


def _support(release: ClientRelease) -> Support:
    def verdicts(access: Access) -> dict[str, Verdict]:
        return {
            name: feature_verdict(release, name, access)
            for name, feature in FEATURES.items()
            if access is Access.WRITE or feature.kind is Kind.READER_WRITER
        }

    return Support(release, verdicts(Access.READ), verdicts(Access.WRITE))


def _facts(client: Client) -> Iterator[ClientFact]:
    for access, gates, facts in (
        (Access.READ, client.read_gates, client.reads),
        (Access.WRITE, client.write_gates, client.writes),
    ):
        for gate in gates:
            yield ClientFact(access, _above(gate, access), gate.above, gate)
        for fact in facts:
            yield ClientFact(access, fact.features, fact.compatibility, fact)


def _above(gate: Gate, access: Access) -> tuple[str, ...]:
    role = "reader" if access is Access.READ else "writer"
    return (f"{role} version > {gate.highest}" if gate.highest else f"any {role} version",)
