"""What an organisation demands of a table, beyond what the protocol does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.model.properties import PROPERTIES, interval_microseconds
from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """
    What the value of a property must be: one of `allowed`, and from `least` up to `most`.

    Values are compared as what they are: numbers, intervals (`7 days` is `1 week`), booleans in
    any case, or else as texts. What is empty or None demands nothing.

    >>> Requirement(least="7 days").met_by("interval 2 weeks")
    True
    """

    allowed: tuple[str, ...] = ()
    least: str | None = None
    most: str | None = None

    def met_by(self, value: str | None) -> bool:
        """Whether *value*, None for none, is as demanded."""
        if value is None:
            return False
        kinds = {
            type(_measure(bound)) for bound in (value, self.least, self.most) if bound is not None
        }
        if self.allowed and not any(_measure(value) == _measure(item) for item in self.allowed):
            return False
        if self.least is None and self.most is None:
            return True
        return len(kinds) == 1 and self._spans(value)

    def _spans(self, value: str) -> bool:
        measured = _measure(value)
        low = measured if self.least is None else _measure(self.least)
        high = measured if self.most is None else _measure(self.most)
        return bool(low <= measured <= high)

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
        length = interval_microseconds(text)
    except DeltaadmError:
        return text
    return text if length is None else _Microseconds(length)


def effective(configuration: Mapping[str, str], key: str) -> str | None:
    """The value that counts for the property *key*: as set, or else Delta's default."""
    if key in configuration:
        return configuration[key]
    known = PROPERTIES.get(key.lower())
    if known is None:
        return None
    found = [configuration[name] for name in known.alternates if name in configuration]
    return found[0] if found else known.default


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
    """What keeps a client from using a table: a feature or a place, and who says so."""

    subject: str
    note: str = ""
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class ClientVerdict:
    """
    What becomes of a table in the hands of a client such as `trino@480`.

    `access` is `read` or `write`; `outcome` is `works`, `unknown`, `fails loudly` or `silently
    wrong`; `obstacles` are what that is due to.
    """

    client: str
    access: str
    outcome: str
    obstacles: tuple[Obstacle, ...] = ()
