"""Carrying out a command: with what its command line says, and what settings add to it."""

from __future__ import annotations

from deltaadm.dataclass import replace
from deltaadm.runs.settings_file import SettingsSources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deltaadm.cli.table import Command
    from deltaadm.runs.context import RunContext


def execute(command: Command, options: dict[str, Any], context: RunContext) -> int:
    """Carry out *command* with the values of its *options*; the exit code."""
    settings = SettingsSources(
        command.name, options.get("config") or (), isolated=options.get("isolated", False)
    )
    context = replace(context, settings=settings)
    if settings.exist or _names_alias(options):
        from deltaadm.cli.settings import complete

        return complete(command, options, context)
    command.begin(options)
    return command.carry_out(options, context)


def _names_alias(values: Mapping[str, Any]) -> bool:
    """Whether a word among *values* begins as an alias does."""
    return any(
        word.startswith("@")
        for value in values.values()
        if isinstance(value, str | list)
        for word in ([value] if isinstance(value, str) else map(str, value))
    )
