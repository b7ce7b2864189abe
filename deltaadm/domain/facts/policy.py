"""The requirements that an organisation has for its tables, beyond those of the protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.model.properties import (
    PROPERTIES,
    interval_microseconds,
    is_size,
    size_in_bytes,
    spark_interval,
)
from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    A requirement for the value of a property: one of `allowed`, from `least` up to `most`.

    Values are compared as what they are: numbers, intervals (`7 days` is `1 week`), booleans in
    any case, sizes (`1 GiB` is `1024mb`) where the property is one, or else as texts. What is empty
    or None demands nothing.

    >>> Requirement(least="7d").met_by("interval 2 weeks")
    True
    >>> Requirement(most="1 GiB").met_by("268435456", "delta.targetFileSize")
    True
    """

    allowed: tuple[str, ...] = ()
    least: str | None = None
    most: str | None = None

    def met_by(self, value: str | None, key: str = "") -> bool:
        """Whether *value* of the property *key* meets the requirement; None if it is not set."""
        if value is None:
            return False
        measure = _size if is_size(key) else _measure
        measured = measure(value)
        if self.allowed and measured not in map(measure, self.allowed):
            return False
        low = measured if self.least is None else measure(self.least)
        high = measured if self.most is None else measure(self.most)
        comparable = type(low) is type(measured) is type(high)
        return comparable and bool(low <= measured <= high)

    @property
    def nearest(self) -> str | None:
        """The value that meets it, where it names one."""
        return next(iter(self.allowed), None) or self.least or self.most

    def __str__(self) -> str:
        parts = [" or ".join(map(repr, self.allowed))] if self.allowed else []
        parts += [f"at least {self.least!r}"] if self.least is not None else []
        parts += [f"at most {self.most!r}"] if self.most is not None else []
        return ", ".join(parts)


class _Microseconds(int):
    """A length of time, which is no number of something else."""


def _measure(value: str) -> Any:
    """*value* so that equal values are equal and values of one kind can be ordered."""
    text = value.strip()
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return int(text)
    if text.lower() in {"true", "false"}:
        return text.lower()
    try:
        length = interval_microseconds(spark_interval(text))
    except DeltaadmError:
        return text
    return text if length is None else _Microseconds(length)


def _size(value: str) -> Any:
    """*value* in bytes where it is a size, which can be ordered."""
    size = size_in_bytes(value)
    return value if size is None else size


def effective(configuration: Mapping[str, str], key: str) -> str | None:
    """The value that counts for the property *key*: as set, or else Delta's default."""
    if key in configuration:
        return configuration[key]
    known = PROPERTIES.get(key.lower())
    if known is None:
        return None
    values = [configuration[name] for name in known.alternates if name in configuration]
    return values[0] if values else known.default


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Demands on a table's protocol and metadata; what is empty or None demands nothing."""

    max_reader_version: int | None = None
    max_writer_version: int | None = None
    required_features: tuple[str, ...] = ()
    forbidden_features: tuple[str, ...] = ()
    mapping_modes: tuple[str, ...] = ()
    properties: Mapping[str, Requirement] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Ignore:
    """Findings of the rules `code` (or its family) that somebody lives with, and until when."""

    code: str
    reason: str = ""
    until: date | None = None


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """The reason why a client cannot use a table: a feature or a place, with the source."""

    subject: str
    note: str = ""
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class ClientVerdict:
    """
    The verdict on a table and a client such as `trino@480`.

    `access` is `read` or `write`; `outcome` is `works`, `unknown`, `fails loudly` or `silently
    wrong`; `obstacles` are what that is due to.
    """

    client: str
    access: str
    outcome: str
    obstacles: tuple[Obstacle, ...] = ()
