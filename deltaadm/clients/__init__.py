"""
Which reader and writer programs can use a table: sourced facts, and verdicts drawn from them.

`CLIENTS` holds the facts, one entry a program; `parse_client` finds a release of one, and
`verdict` says what becomes of a table in its hands.
"""

from deltaadm.clients.facts import (
    ALIASES,
    CLIENTS,
    Client,
    ClientRelease,
    Compatibility,
    Fact,
    Source,
    newest_releases,
    parse_client,
)
from deltaadm.clients.verdicts import (
    EVERYONE,
    NOBODY,
    Access,
    Cell,
    Observation,
    Scope,
    Shift,
    Verdict,
    conditions,
    damages,
    feature_verdict,
    identified,
    shifts,
    verdict,
    verdicts,
)

__all__ = [
    "ALIASES",
    "CLIENTS",
    "EVERYONE",
    "NOBODY",
    "Access",
    "Cell",
    "Client",
    "ClientRelease",
    "Compatibility",
    "Fact",
    "Observation",
    "Scope",
    "Shift",
    "Source",
    "Verdict",
    "conditions",
    "damages",
    "feature_verdict",
    "identified",
    "newest_releases",
    "parse_client",
    "shifts",
    "verdict",
    "verdicts",
]
