"""
What the rules found on a table, as values that are shown, counted and compared.

Apart from `rule`, so that code which only shows findings does not import what rules need.
"""

from __future__ import annotations

from enum import Enum

from deltaadm.dataclass import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step


class Severity(Enum):
    """
    The severity of a finding.

    ERROR: the protocol forbids it or Delta refuses it; WARNING: allowed, yet likely to hurt;
    INFO: no problem, for information.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem with the rule that found it."""

    code: str
    name: str
    severity: Severity
    message: str
    where: str = ""
    remedy: str = ""
    fix: tuple[Step, ...] = ()


class Cause(Enum):
    """Why a finding does not count."""

    BASELINE = "baseline"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that does not count, and the reason given for it."""

    finding: Finding
    by: Cause
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ValidationReport:
    """
    The findings of the rules for the table that the user calls `table`.

    `findings` are in the order of severity, code and place; `suppressed` are those that do not
    count. `more` counts, by code, the findings beyond the first `LIMIT`. `version` is None where
    no snapshot can be built; `stopped` then says why, and `versions` is the range that can be
    rebuilt, if any. `depth` names how far the rules looked beyond the newest version.
    `snapshot` is that version, where it could be built.
    """

    table: str
    version: int | None
    findings: tuple[Finding, ...]
    more: Mapping[str, int] = field(default_factory=dict)
    suppressed: tuple[Suppressed, ...] = ()
    stopped: str = ""
    versions: tuple[int, int] | None = None
    rules: int = 0
    depth: tuple[str, ...] = ()
    snapshot: Snapshot | None = None

    document = "validate"
    blocks = "findings.show_validation"

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding."""
        return min(
            (finding.severity for finding in self.findings), key=lambda s: s.rank, default=None
        )

    def count(self, severity: Severity) -> int:
        """The number of findings of *severity*; those beyond `LIMIT` have the code's worst one."""
        listed = sum(finding.severity is severity for finding in self.findings)
        worst: dict[str, Severity] = {}
        for finding in self.findings:
            worst.setdefault(finding.code, finding.severity)
        return listed + sum(n for code, n in self.more.items() if worst.get(code) is severity)


LIMIT: Final = 20
"""The maximum number of findings of one rule that are listed individually."""
