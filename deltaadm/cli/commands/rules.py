"""`deltaadm rules`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.explain import RuleCatalogue, list_rules
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import answer

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Rules(Parameters):
    """
    For example:

      deltaadm rules DL4 DL6
    """

    families: list[str] | None = argument(
        metavar="[CODE...]", help="Codes or families such as DL4 (default: all)."
    )
    output: OutputOptions


def command(options: Rules, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    return answer(
        context, options.output, RuleCatalogue, "", lambda: [list_rules(options.families or ())]
    )
