"""
The catalog to which Delta's catalog hands tables of other providers, and what it says of them.

There is no protocol, and no commit: each statement stands for itself.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass, replace
from deltaadm.errors import CommitError, DeltaadmError, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deltaadm.domain.schema import StructType
    from deltaadm.operations.diff import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentTable:
    """
    A table as the parent catalog has it, of whatever provider.

    `fingerprint` differs as soon as anything does that the catalog says about the table.
    """

    provider: str
    location: str
    is_managed: bool
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentDefinition:
    """What the parent catalog says of a table: how it is made, whatever rows it has."""

    provider: str
    location: str
    schema: StructType
    partition_by: tuple[str, ...]
    properties: Mapping[str, str]
    comment: str | None


REDACTED: Final = "*********(redacted)"
"""What Spark tells instead of the value of a property whose name sounds like a secret's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentOutcome:
    """What became of a plan: all was done, and here is what is not as planned."""

    mismatches: tuple[Change, ...] = ()


class ParentCatalog(typing.Protocol):
    """The catalog to which Delta's hands what is not Delta's."""

    def find(self, name: str) -> ParentTable | None:
        """The table *name*, or None; raises `TableError` for a view."""

    def definition(self, name: str) -> ParentDefinition:
        """What the catalog says of the table *name*."""

    def run(self, sql: str) -> None:
        """Carry a statement out; raises `CommitError` where Spark refuses."""


def require_found(parent: ParentCatalog, name: str, before: ParentTable | None) -> None:
    """Raise `CommitError` unless the catalog has *before* under *name*, as a plan has it."""
    if parent.find(name) != before:
        raise CommitError(
            f"The table {name} is not what the plan rests on any more; nothing was changed.",
            remedy="Plan again.",
        )


def unredacted(found: ParentDefinition, planned: ParentDefinition) -> ParentDefinition:
    """*found*, taking the word of *planned* for the values that Spark does not tell."""
    told = {
        key: planned.properties.get(key, one) if one == REDACTED else one
        for key, one in found.properties.items()
    }
    return replace(found, properties=told)


NOTHING: Final = "nothing was changed"


def telling(error: DeltaadmError, state: str) -> DeltaadmError:
    """The same error, saying in what *state* it has left things."""
    return type(error)(
        f"{error.message.rstrip('.')}; {state}.",
        remedy=error.remedy,
        delta_error_class=error.delta_error_class,
    )


def refuse_keys_of_delta(keys: Iterable[str], provider: str) -> None:
    """Raise `Refused` for properties that only Delta knows what to do with."""
    own = [key for key in keys if key.startswith("delta.")]
    if own:
        raise Refused(
            f"These properties are Delta's, and mean nothing to {provider}: {', '.join(own)}.",
            remedy="Leave them out; they are for tables of the provider delta.",
        )
