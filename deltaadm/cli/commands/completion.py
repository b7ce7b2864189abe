"""`deltaadm completion`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.cli.completions import Shell, script
from deltaadm.cli.declare import Parameters, argument
from deltaadm.runs.output import write_text

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Completion(Parameters):
    """
    The first lines of the script say how to install it.

    For example:

      deltaadm completion zsh > ~/.zfunc/_deltaadm
    """

    shell: Shell = argument(metavar="SHELL", help="bash, zsh, fish or powershell.")


def command(given: Completion, _: RunContext) -> int:
    """Carry out the command; the exit code."""
    write_text(script(given.shell))
    return 0
