"""`clients`: what programs support, since when, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.clients import Access, feature_verdict, newest_releases, parse_client
from deltaadm.clients.facts import version_key
from deltaadm.domain.model.features import FEATURES, Kind
from deltaadm.operations.reports import ClientCatalogue, ClientExplanation, ClientFact, Support

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.clients import Client, ClientRelease, Verdict
    from deltaadm.clients.facts import Gate


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
