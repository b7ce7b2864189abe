"""Reports as names alone, one a line, for whatever takes a list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report


def write_names(reports: Sequence[Report], out: TextIO) -> None:
    """The tables that the reports are about, or what a catalogue lists."""
    out.writelines(f"{visible(name)}\n" for report in reports for name in _names(report))


def _names(report: Report) -> Iterator[str]:
    from deltaadm.operations.reports import FeatureCatalogue, RuleCatalogue, SettingsReport

    if isinstance(report, FeatureCatalogue):
        yield from (feature.name for feature in report.features)
    elif isinstance(report, RuleCatalogue):
        yield from (rule.code for rule in report.rules)
    elif isinstance(report, SettingsReport):
        yield from (setting.key for setting in report.settings)
    else:
        yield getattr(report, "table", "")
