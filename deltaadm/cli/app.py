"""The root of the command line, and the one place where errors become exit codes."""

import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import StringIO
from types import FrameType
from typing import Annotated

import typer

from deltaadm import __version__
from deltaadm.errors import DeltaadmError

COMMANDS: Mapping[str, str] = {
    "inspect": "deltaadm.cli.inspect",
    "validate": "deltaadm.cli.validate",
    "upgrade-protocol": "deltaadm.cli.upgrade_protocol",
    "enable-feature": "deltaadm.cli.enable_feature",
    "set-mapping-mode": "deltaadm.cli.set_mapping_mode",
    "alter": "deltaadm.cli.alter",
    "apply": "deltaadm.cli.apply",
    "features": "deltaadm.cli.features",
    "doctor": "deltaadm.cli.doctor",
    "completion": "deltaadm.cli.completion",
}
"""Every subcommand and the module that holds it, as its function `command`."""

ANSWER_ALONE = frozenset({"features", "doctor"})
"""Those that have an answer without any argument; the others show their help."""

HELP = """
Explain, change and check the protocol side of Delta Lake tables.

Commands that change a table show what they would do and stop; --apply does it.

Examples:

  deltaadm inspect /data/events

  deltaadm enable-feature /data/events deletionVectors

  deltaadm set-mapping-mode /data/events name --apply --yes
"""

EPILOG = (
    "Exit codes: 0 done or nothing to do, 1 findings or a plan that is not empty, 2 usage, "
    "3 no readable table, 4 storage, 5 commit, 6 Spark or a package, 7 refused, "
    "9 some of several tables failed, 70 a bug."
)

BUG = 70
INTERRUPTED = 130
TERMINATED = 143


def build(names: Sequence[str] = tuple(COMMANDS)) -> typer.Typer:
    """The application with the subcommands *names*; the fewer, the sooner it starts."""
    app = typer.Typer(
        name="deltaadm",
        help=HELP,
        epilog=EPILOG,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: Annotated[
            bool,
            typer.Option("--version", help="Show the version and stop.", callback=_show_version),
        ] = False,
    ) -> None: ...

    for name in names:
        app.command(name, no_args_is_help=name not in ANSWER_ALONE)(
            import_module(COMMANDS[name]).command
        )
    return app


def _show_version(wanted: bool) -> None:  # noqa: FBT001 -- typer calls it so
    if wanted:
        typer.echo(f"deltaadm {__version__}")
        raise typer.Exit


class _Terminated(BaseException):
    """The process was asked to stop."""


def run(arguments: Sequence[str]) -> int:
    """Carry out the command line *arguments*; the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _answer(arguments)
    except (typer.Abort, KeyboardInterrupt):
        return _stopped("Interrupted", INTERRUPTED)
    except _Terminated:
        return _stopped("Terminated", TERMINATED)
    except (BrokenPipeError, SystemExit):  # typer ends the process where a pipe breaks
        return _unread(arguments)
    except Exception:  # noqa: BLE001 -- whatever gets here is a bug of ours, and says so
        traceback.print_exc()
        sys.stderr.write("This is a bug in deltaadm; please report it with the lines above.\n")
        return BUG


def _answer(arguments: Sequence[str]) -> int:
    named = [arguments[0]] if arguments and arguments[0] in COMMANDS else list(COMMANDS)
    try:
        code = build(named)(args=list(arguments), prog_name="deltaadm", standalone_mode=False)
    except typer.TyperException as error:
        return _show_usage(error)
    except DeltaadmError as error:
        return _said(error)
    if code == INTERRUPTED:  # which is what typer makes of a KeyboardInterrupt
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _show_usage(error: typer.TyperException) -> int:
    from deltaadm.render.visible import visible

    said = StringIO()
    show = getattr(error, "show", None)
    if show is None:
        said.write(str(error))
    else:
        show(said)
    for line in said.getvalue().removesuffix("\n").split("\n"):
        sys.stderr.write(f"{visible(line)}\n")
    return int(getattr(error, "exit_code", 2))


def _stopped(how: str, code: int) -> int:
    from deltaadm.cli.wiring import commit_state

    sys.stderr.write(f"\n{how}; {commit_state()}.\n")
    return code


def _unread(arguments: Sequence[str]) -> int:
    """Whoever read our output has gone, which matters only where something was to be changed."""
    from deltaadm.cli.wiring import discard_output

    discard_output()
    if "--apply" in arguments or "apply" in arguments[:1]:
        return _stopped("Nobody reads the output any more", INTERRUPTED)
    return 0


def _said(error: DeltaadmError) -> int:
    from deltaadm.cli.wiring import say_error

    say_error("", error)
    return error.exit_code
