"""`deltaadm completion`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.cli.completions import Shell, script
from deltaadm.cli.declare import Parameters, argument, option
from deltaadm.errors import UsageError
from deltaadm.runs.output import handle_errors, write_text

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Completion(Parameters):
    """
    With --install, writes the script where the shell finds it, and says where that is; the start-up
    files of zsh and PowerShell get a line that loads it. What is there already is left as it is.

    For example:

      deltaadm completion --install

      deltaadm completion zsh > ~/.zfunc/_deltaadm
    """

    shell: Shell | None = argument(
        metavar="SHELL",
        help="bash, zsh, fish or powershell; with --install, that of the user if omitted.",
    )
    install: bool = option("--install", help="Install the script instead of printing it.")


def command(options: Completion, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    if options.install:
        from deltaadm.cli.completion_install import detected_shell, install

        shell = options.shell or detected_shell()

        def work() -> int:
            install(shell)
            return 0

        return handle_errors(context, "", work)
    if options.shell is None:
        raise UsageError("Specify a SHELL, or --install.")
    write_text(script(options.shell))
    return 0
