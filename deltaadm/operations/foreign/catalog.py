"""
The catalog to which Delta's catalog hands tables of other providers, and what it says of them.

There is no protocol, and no commit: each statement stands for itself.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.dataclass import dataclass, replace
from deltaadm.errors import CommitError, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deltaadm.domain.model.schema import StructType
    from deltaadm.domain.steps import CreateTable
    from deltaadm.operations.diff import Change


DELTA: Final = "delta"


def get_provider(provider: str | None, properties: Mapping[str, str]) -> str:
    """
    The provider of a new table: that which is given, else the property `provider`, else Delta.

    Delta's catalog takes `spark.sql.sources.default` last, but whoever makes a table with
    deltaadm without a word on its provider wants one of Delta in whatever session it is made.
    Raises `Refused` where both are given and differ.

    >>> get_provider(None, {"provider": "CSV"}), get_provider(None, {})
    ('csv', 'delta')
    """
    by_property = properties.get("provider")
    if provider and by_property and provider.lower() != by_property.lower():
        raise Refused(
            f"The provider is given twice: {provider}, and {by_property} as a property.",
            remedy="Give --provider alone.",
        )
    return (provider or by_property or DELTA).lower()


@dataclass(frozen=True, kw_only=True)
class ForeignTable:
    """
    A table as the parent catalog has it, of whatever provider.

    `fingerprint` differs as soon as anything does that the catalog says about the table.
    """

    provider: str
    location: str
    is_managed: bool
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class ForeignDefinition:
    """The parent catalog's definition of a table, without its rows."""

    provider: str
    location: str
    schema: StructType
    partition_by: tuple[str, ...]
    properties: Mapping[str, str]
    comment: str | None


REDACTED: Final = "*********(redacted)"
"""What Spark shows instead of the value of a property whose name suggests a secret."""


@dataclass(frozen=True, kw_only=True)
class ForeignOutcome:
    """The outcome of a plan that was carried out, with the mismatches."""

    mismatches: tuple[Change, ...] = ()


class ForeignCatalog(typing.Protocol):
    """The catalog to which Delta's hands what is not Delta's."""

    def find(self, name: str) -> ForeignTable | None:
        """The table *name*, or None; raises `TableError` for a view."""

    def definition(self, name: str) -> ForeignDefinition:
        """The catalog's definition of the table *name*."""

    def check_query(self, name: str, step: CreateTable, before: ForeignTable | None) -> None:
        """Raise `Refused` where a query reads the table *before*, or gives other columns."""

    def run(self, sql: str) -> None:
        """Carry a statement out; raises `CommitError` where Spark refuses."""


class Statement(NamedTuple):
    """
    A statement of a plan, with what is true of the table before, after and in spite of it.

    `planned` is what the catalog should say after it, None where that is not looked at. `pending`
    is true if the run is interrupted in it, `done` once it is carried out; `after_failure` finds
    out what is true once it has failed, and puts right what can be.
    """

    sql: str
    pending: str
    done: str
    after_failure: Callable[[ForeignCatalog], str]
    planned: ForeignDefinition | None = None


def require_found(catalog: ForeignCatalog, name: str, before: ForeignTable | None) -> None:
    """Raise `CommitError` unless the catalog has *before* under *name*, as a plan has it."""
    if catalog.find(name) != before:
        raise CommitError(
            f"The table {name} has changed since the plan was made; nothing was changed.",
            remedy="Plan again.",
        )


def comparable(
    actual: ForeignDefinition, planned: ForeignDefinition, keys: Iterable[str]
) -> ForeignDefinition:
    """
    *found* with the properties that are *planned*, except those that *keys* name.

    A catalog may change properties of its own, and Spark does not tell the values of secrets.
    """
    keys = frozenset(keys)
    properties = {key: value for key, value in planned.properties.items() if key not in keys}
    for key in keys & actual.properties.keys():
        value = actual.properties[key]
        properties[key] = planned.properties.get(key, value) if value == REDACTED else value
    return replace(actual, properties=properties)


NOTHING: Final = "nothing was changed"


def refuse_keys_of_delta(keys: Iterable[str], provider: str) -> None:
    """Raise `Refused` for properties that only Delta knows what to do with."""
    own = [key for key in keys if key.startswith("delta.")]
    if own:
        raise Refused(
            f"These are properties of Delta tables, which have no effect on {provider}: "
            f"{', '.join(own)}.",
            remedy="Leave them out, or choose the provider delta.",
        )
