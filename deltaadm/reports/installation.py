"""`config`: the settings, and where each comes from; `doctor`: what this machine lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from deltaadm.blocks import Block, Check, Either, Heading, Health, Table
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.json_values import array, maybe, one_of, record
from deltaadm.masking import masked

ORIGINS: Final = ("default", "user file", "project file", "environment", "command line")
"""The sources of settings; each takes precedence over the one before it."""


@dataclass(frozen=True)
class SettingValue:
    """
    A setting as TOML spells its value, with where that comes from, and the variable that sets it.

    `place` is the file, the variable or the option; it is empty for a default. There is no value
    where nothing sets what has no default, and no variable for what takes a file.
    """

    key: str
    value: str | None
    origin: str
    place: str = ""
    variable: str | None = None
    help: str = ""


@dataclass(frozen=True)
class SettingsReport:
    """Every setting; `with_origins` says whether text shows where each comes from."""

    settings: tuple[SettingValue, ...]
    with_origins: bool = False

    document = "config"
    blocks = "deltaadm.reports.installation.show_settings"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `-o name` prints."""
        return tuple(setting.key for setting in self.settings)


def toml(value: Any) -> str:
    """
    *value* as TOML spells it in a line, without secrets.

    >>> toml(["a", 1, True]), toml({"min": "1"})
    ('["a", 1, true]', '{ min = "1" }')
    """
    if isinstance(value, str):
        return json.dumps(masked(value), ensure_ascii=False)
    if isinstance(value, dict):
        pairs = []
        for key, item in value.items():
            plain = key.replace("-", "").replace("_", "")
            name = key if plain.isascii() and plain.isalnum() else json.dumps(key)
            pairs.append(f"{name} = {toml(item)}")
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


CONFIG_DOCUMENT: Final = Document.of(
    "The output of `config`",
    settings=array(
        record(
            key=str,
            value=maybe(str),
            origin=one_of(*ORIGINS),
            place=str,
            variable=maybe(str),
            help=str,
        )
    ),
)


def show_settings(report: SettingsReport) -> Iterator[Block]:
    """The table of settings."""
    yield Either([Heading("Settings", level=1)])
    shown = 4 if report.with_origins else 2
    rows = ((row.key, row.value or "", row.origin, row.place)[:shown] for row in report.settings)
    columns = ("setting", "value", "origin", "place")[:shown]
    if report.settings:
        yield Table("Settings", columns, tuple(rows))


@dataclass(frozen=True)
class DoctorReport:
    """Whether this machine has what deltaadm needs."""

    checks: tuple[Check, ...]

    document = "doctor"
    blocks = "deltaadm.reports.installation.show_doctor"

    @property
    def failed(self) -> bool:
        """Whether anything is missing."""
        return any(check.health is Health.FAILED for check in self.checks)


DOCTOR_DOCUMENT: Final = Document.of(
    "The output of `doctor`",
    checks=array(record(subject=str, health=one_of(Health), detail=str, remedy=str)),
)


def show_doctor(report: DoctorReport) -> Iterator[Block]:
    """The checks on this machine."""
    tone = "error" if report.failed else "good"
    yield Either([Heading("This machine", level=1, tone=tone)])
    rows = []
    for check in report.checks:
        rows.append((check.health.value, check.subject, check.detail))
        rows += [("", "", check.remedy)] if check.remedy else []
    yield Table("Checks", (), tuple(rows))
