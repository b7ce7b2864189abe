"""`deltaadm config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.reports.settings import SettingsReport
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import answer

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Config(Parameters):
    """
    Settings come from the command line, then from variables DELTAADM_*, then from the nearest
    deltaadm.toml or pyproject.toml upwards, then from the user's own file; the rest is default.
    Fails if any of them cannot be understood.

    For example:

      deltaadm config show

      deltaadm config show --origin

      deltaadm config show --origin --config validate.deep=true

      deltaadm config aliases
    """

    action: str = argument("[ACTION]",
        "show: every setting (the default); aliases: the names that tables have.",
        default="show")  # fmt: skip
    origin: bool = option("Also show where each value comes from.")
    output: OutputOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        if self.action not in {"show", "aliases"}:
            raise UsageError(f"{self.action!r} is not show or aliases", option="ACTION")

        def report() -> list[SettingsReport]:
            from deltaadm.cli.settings import alias_settings, all_settings

            settings = (alias_settings if self.action == "aliases" else all_settings)(
                context.settings
            )
            return [SettingsReport(settings, with_origins=self.origin)]

        return answer(context, self.output, SettingsReport, "", report)
