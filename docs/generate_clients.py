# ruff: noqa: INP001 -- a script, not a package
"""Print docs/clients.md: every fact about reader and writer programs, with its source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.clients import CLIENTS, Compatibility
from deltaadm.clients.facts import EVERY_OTHER
from deltaadm.render.wording import DOES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.clients import Client, Fact
    from deltaadm.clients.facts import Gate

INTRODUCTION = """\
# Clients

<!-- Written by `python3 dev.py docs` from deltaadm/clients/; do not edit. -->

Which programs can read and write a table depends on its protocol and on what they have learned to
handle. These are the facts that deltaadm knows, each with its source and the day on which the
source said so. `inspect` draws its verdicts from them for the newest release of every client, with
`--client-sources` in full; every plan names the clients that it newly shuts out.

| verdict | meaning |
|---|---|
| can read, can write | the program handles the table as the protocol requires; `works` in JSON |
| reading, writing unknown | no source says; never treated as *can* |
| cannot read, cannot write | the program refuses or hides the table; `fails loudly` in JSON |
| reads, writes wrong data silently | wrong data without an error; `silently wrong` in JSON |

The worst counts, in this order, over everything that concerns the program:

- **Reading** is concerned by the reader version and by the reader features, listed or implied by
  the version. Features for writers only do not concern readers (PROTOCOL.md, *Table Features*), so
  they are not listed below under reading.
- **Writing** is concerned by both versions and all features. Of what is said of reading only a
  refusal counts, and only where nothing is said of writing: some programs append to tables that
  they cannot read. Where a writer refuses the protocol, what else it would do wrong is of no
  account.
- *In use* means that the fact holds where the table uses the feature, by a property, its schema or
  files that may be left from before; elsewhere it holds as soon as the protocol supports the
  feature. *In a list* means that it does not hold where an old version implies the feature.
- `columnMapping[id]` is column mapping in id mode, `columnMapping[reader=2]` that of a table whose
  reader version is 2. They hold together with what is said of `columnMapping`, and so does
  `invariants[unreadable]`, an invariant that is not JSON, with what is said of `invariants`.
- A release later than the newest one here is judged like the newest one; about a release before the
  oldest one nothing is known.

`deltaadm clients` shows a matrix of clients and features, `deltaadm clients trino` the facts about
one client, and `deltaadm inspect TABLE --clients` the matrix for one table.

`--for-client trino@480` (and `--for-client-writing`) on a command that plans makes it
refuse changes that would shut that client out. A change after which a client reads or writes wrong
data silently is only committed with `--accept-silently-wrong CLIENT`, or after a question at the
terminal.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, "\n".join(_overview()), *map(_section, CLIENTS.values())]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _overview() -> Iterator[str]:
    yield "| client | program | versions are | from | to |"
    yield "|---|---|---|---|---|"
    for client in CLIENTS.values():
        yield (
            f"| [{client.id}](#{client.id}) | {client.name} | {client.versioned_by} "
            f"| {client.oldest} | {client.newest} |"
        )


def _section(client: Client) -> str:
    return "\n".join((f"## {client.id}\n", f"{client.name}.\n", *_facts(client)))


def _facts(client: Client) -> Iterator[str]:
    if client.reference_since:
        yield (
            f"From release {client.reference_since} on there are no facts to look up: deltaadm "
            "reproduces what the program itself refuses to read and to write, and `inspect`, "
            "`validate` and plans all go by that.\n"
        )
    yield "| to | protocol | verdict | releases | source |"
    yield "|---|---|---|---|---|"
    for access, gates, facts in (
        ("read", client.read_gates, client.reads),
        ("write", client.write_gates, client.writes),
    ):
        for gate in gates:
            yield _row(access, *_gate(gate, access), gate)
        for fact in facts:
            yield _row(access, _named(fact), fact.compatibility, fact)


def _gate(gate: Gate, access: str) -> tuple[str, Compatibility]:
    role = "reader" if access == "read" else "writer"
    if not gate.highest:
        return f"any {role} version", gate.above
    return f"{role} versions above {gate.highest}", gate.above


def _named(fact: Fact) -> str:
    names = ", ".join(f"`{one}`" for one in fact.features)
    if EVERY_OTHER in fact.features:
        names = "every other feature"
    return names + (" in use" if fact.active else "") + (" in a list" if fact.listed else "")


def _row(access: str, what: str, verdict: Compatibility, one: Fact | Gate) -> str:
    bold = "**" if verdict is Compatibility.SILENTLY_WRONG else ""
    note = f": {one.note}" if one.note else ""
    source = f"{one.source.title} ({one.source.date})"
    return (
        f"| {access} | {what} | {bold}{DOES[verdict.value][access]}{bold}{note} "
        f"| {_releases(one)} | {source} |"
    )


def _releases(one: Fact | Gate) -> str:
    if one.since and one.until:
        return f"{one.since} up to {one.until}, without it"
    if one.since:
        return f"since {one.since}"
    return f"before {one.until}" if one.until else "all"


if __name__ == "__main__":
    sys.stdout.write(page())
