"""A finding as JSON, with the steps that fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.json_values import STRING, one_of
from deltaadm.validation.finding import Severity

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields

FINDING: Final[Fields] = {
    "code": STRING,
    "name": STRING,
    "severity": one_of(Severity),
    "message": STRING,
    "where": STRING,
    "remedy": STRING,
}
"""The parts of a finding."""
