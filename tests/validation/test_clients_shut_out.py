"""DL223: who cannot use a table, told from verdicts on clients."""

import pytest

import deltaadm.rules.outside  # noqa: F401 -- registers its rules
from deltaadm.clients import Access, Cell, Client, ClientRelease, Compatibility, Verdict
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.facts import Policy, PolicyFacts
from deltaadm.rules.rule import RULES, Severity

VECTORS = Protocol(3, 7, frozenset({"deletionVectors"}), frozenset({"deletionVectors"}))


def verdict(client: str, outcome: str, *subjects: str, access: str = "read") -> Verdict:
    name, _, version = client.partition("@")
    made = Client(name, name, "releases", "1", "2", reads=())
    kind = Compatibility(outcome)
    cells = tuple(Cell(subject, kind) for subject in subjects or ("protocol.minReaderVersion",))
    return Verdict(ClientRelease(made, version), Access(access), cells)


ROWS = {
    "nobody is told where every client works": ((verdict("a@1", "works"),), []),
    "what is unknown is not told": ((verdict("a@1", "unknown", "deletionVectors"),), []),
    "clients are told together by what shuts them out, and none twice": (
        (
            verdict("b@1", "fails loudly", "deletionVectors"),
            verdict("a@1", "fails loudly", "deletionVectors"),
            verdict("c@1", "silently wrong", "deletionVectors"),
            verdict("a@1", "fails loudly", "deletionVectors", access="write"),
        ),
        [
            "a@1, b@1 cannot read the table, which needs deletionVectors.",
            "c@1 silently reads wrong data: the table uses deletionVectors.",
        ],
    ),
    "a client that writes no table at all is not told": (
        (verdict("a@1", "fails loudly", "protocol.minWriterVersion", access="write"),),
        [],
    ),
    "a reader version that is too high is told": (
        (verdict("a@1", "fails loudly", "protocol.minReaderVersion"),),
        ["a@1 cannot read the table, which needs reader version 3."],
    ),
    "features that the table does not have are no reason": (
        (verdict("a@1", "fails loudly", "timestampNtz"),),
        [],
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_finding(row: str) -> None:
    verdicts, messages = ROWS[row]
    facts = PolicyFacts(
        snapshot=Snapshot(root="", version=0, protocol=VECTORS, metadata=Metadata(id="x")),
        policy=Policy(),
        others=verdicts,
    )
    assert [finding.message for finding in RULES["DL223"].check(facts)] == messages


def test_your_own_clients_have_a_warning_of_their_own() -> None:
    facts = PolicyFacts(
        snapshot=Snapshot(root="", version=0, protocol=VECTORS, metadata=Metadata(id="x")),
        policy=Policy(),
        others=tuple(verdict(f"{a}@1", "silently wrong", "deletionVectors") for a in "abcd"),
        used=frozenset({verdict("d@1", "works").release}),
    )
    found = [(each.severity, each.message) for each in RULES["DL223"].check(facts)]
    told = "wrong data: the table uses deletionVectors."
    assert found == [
        (Severity.WARNING, f"Your client d@1 silently reads {told}"),
        (None, f"a@1, b@1, c@1 silently read {told}"),
    ]
