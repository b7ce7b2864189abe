"""The document of `clients` for one client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.clients import Access, Compatibility
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    array,
    maybe,
    one_of,
    record,
    within,
)

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields
    from deltaadm.operations.client_catalogue import ClientFact, Support


def _features(support: Support) -> list[tuple[str, Any, Any]]:
    return [(name, support.reads.get(name), written) for name, written in support.writes.items()]


_VERDICT: Final = one_of(Compatibility)
SUPPORT: Final[Fields] = {
    "client": (STRING, lambda support: support.release.client.id),
    "name": (STRING, lambda support: support.release.client.name),
    "version": (STRING, lambda support: support.release.version),
    "versioned_by": (STRING, lambda support: support.release.client.versioned_by),
    "oldest": (STRING, lambda support: support.release.client.oldest),
    "newest": (STRING, lambda support: support.release.client.newest),
    "features": (
        array(
            record(
                feature=(STRING, lambda found: found[0]),
                read=(maybe(_VERDICT), lambda found: found[1] and found[1].compatibility),
                write=(_VERDICT, lambda found: found[2].compatibility),
            )
        ),
        _features,
    ),
}
"""The behaviour of a client with tables that have one feature."""


def _part(name: str, default: object) -> Any:
    def value(entry: ClientFact) -> object:
        return getattr(entry.fact, name, default) or default

    return value


_FACT: Final = record(
    access=one_of(Access),
    subjects=STRINGS,
    verdict=(_VERDICT, lambda found: found.compatibility),
    highest_version=(maybe(COUNT), lambda found: getattr(found.fact, "highest", None)),
    since=(maybe(STRING), _part("since", None)),
    until=(maybe(STRING), _part("until", None)),
    in_use=(BOOLEAN, _part("active", default=False)),
    in_list=(BOOLEAN, _part("listed", default=False)),
    note=(STRING, _part("note", "")),
    source=(STRING, lambda found: found.fact.source.title),
    date=(STRING, lambda found: found.fact.source.date),
)

DOCUMENT: Final = Document.of(
    "The output of `clients` for one client", **within("support", SUPPORT), facts=array(_FACT)
)
