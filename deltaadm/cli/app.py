"""The commands as a typer application, which other typer applications can mount."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

from deltaadm.cli.program import run
from deltaadm.cli.table import COMMANDS


class _Mounted(TyperCommand):
    """A command whose arguments are left to the parser that the program has as well."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return args


def build() -> typer.Typer:
    """An application with every command, each of which ends with the exit code of the program."""
    app = typer.Typer(name="deltaadm", add_completion=False, rich_markup_mode=None)
    app.callback()(lambda: None)
    for name, summary in COMMANDS.items():
        app.command(name, cls=_Mounted, help=summary)(_command(name))
    return app


def _command(name: str) -> Callable[[typer.Context], None]:
    def command(ctx: typer.Context) -> None:
        raise typer.Exit(run([name, *ctx.args]))

    return command
