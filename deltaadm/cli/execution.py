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


def execute(command: Command, given: dict[str, Any], context: RunContext) -> int:
    """Carry out *command* with the values that are *given* for its fields; the exit code."""
    settings = SettingsSources(
        command.name, given.get("config") or (), isolated=given.get("isolated", False)
    )
    context = replace(context, settings=settings)
    if settings.exist or _names_alias(given):
        from deltaadm.cli.settings import complete

        return complete(command, given, context)
    command.begin(given)
    return command.carry_out(given, context)


def _names_alias(values: Mapping[str, Any]) -> bool:
    """Whether a word among *values* begins as an alias does."""
    return any(
        word.startswith("@")
        for value in values.values()
        if isinstance(value, str | list)
        for word in ([value] if isinstance(value, str) else map(str, value))
    )
