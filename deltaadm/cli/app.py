"""The root of the command line: the subcommands, and what they say about themselves."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import StringIO
from types import CodeType
from typing import TYPE_CHECKING, Annotated, cast

import typer

from deltaadm.cli.program import INTERRUPTED, tell_version

if TYPE_CHECKING:
    from importlib.abc import InspectLoader

COMMANDS: Mapping[str, str] = {
    "inspect": "deltaadm.cli.inspect",
    "validate": "deltaadm.cli.validate",
    "upgrade-protocol": "deltaadm.cli.upgrade_protocol",
    "enable-feature": "deltaadm.cli.enable_feature",
    "set-mapping-mode": "deltaadm.cli.set_mapping_mode",
    "create": "deltaadm.cli.create",
    "alter": "deltaadm.cli.alter",
    "drop-feature": "deltaadm.cli.drop_feature",
    "apply": "deltaadm.cli.apply",
    "features": "deltaadm.cli.features",
    "rules": "deltaadm.cli.rules",
    "explain": "deltaadm.cli.explain",
    "doctor": "deltaadm.cli.doctor",
    "schema": "deltaadm.cli.schema",
    "completion": "deltaadm.cli.completion",
}
"""Every subcommand and the module that holds it, as its function `command`."""

ANSWER_ALONE = frozenset({"features", "rules", "doctor"})
"""Those that have an answer without any argument; the others show their help."""

HELP = """
Explain, change and check the protocol side of Delta Lake tables.

Commands that change a table show what they would do and stop; --apply does it.

Examples:

  deltaadm inspect /data/events

  deltaadm enable-feature /data/events deletionVectors

  deltaadm validate /data/events

  deltaadm set-mapping-mode /data/events name --apply
"""

EPILOG = (
    "Exit codes: 0 done or nothing to do, 1 findings or a plan that is not empty, 2 usage, "
    "3 no readable table, 4 storage, 5 commit, 6 Spark or a package, 7 refused, "
    "8 not yet, 9 some of several tables failed, 70 a bug."
)


def import_command(module: str) -> Callable[..., None]:
    """The subcommand that *module* holds."""
    found: Callable[..., None] = import_module(module).command
    return found


def build(
    names: Sequence[str] = tuple(COMMANDS),
    load: Callable[[str], Callable[..., None]] = import_command,
) -> typer.Typer:
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
        app.command(name, no_args_is_help=name not in ANSWER_ALONE)(load(COMMANDS[name]))
    return app


def _show_version(wanted: bool) -> None:  # noqa: FBT001 -- typer calls it so
    if wanted:
        raise typer.Exit(tell_version())


def answer(arguments: Sequence[str]) -> int:
    """
    Carry out the command line *arguments*; the exit code. Usage errors are told here.

    `help` is what other programs call `--help`, so it is understood as well.
    """
    if arguments[:1] == ["help"] and len(arguments) <= len(["help", "COMMAND"]):
        arguments = [*arguments[1:], "--help"]
    named = [arguments[0]] if arguments and arguments[0] in COMMANDS else list(COMMANDS)
    overview = list(arguments) in ([], ["--help"], ["-h"])
    try:
        app = build(named, _described if overview else import_command)
        code = app(args=list(arguments), prog_name="deltaadm", standalone_mode=False)
    except typer.TyperException as error:
        return _show_usage(error)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:  # which is what typer makes of a KeyboardInterrupt
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _described(module: str) -> Callable[..., None]:
    """What the overview needs of a subcommand: its docstring, read without running its module."""
    from importlib.util import find_spec

    spec = find_spec(module)
    code = spec and spec.loader and cast("InspectLoader", spec.loader).get_code(module)
    constants = code.co_consts if code else ()
    body = next(one for one in constants if isinstance(one, CodeType) and one.co_name == "command")

    def command() -> None: ...

    command.__doc__ = body.co_consts[0]
    return command


def _show_usage(error: typer.TyperException) -> int:
    from deltaadm.cli.streams import tell
    from deltaadm.render.visible import visible

    said = StringIO()
    show = getattr(error, "show", None)
    if show is None:
        said.write(str(error))
    else:
        show(said)
    for line in said.getvalue().removesuffix("\n").split("\n"):
        tell(f"{visible(line)}\n")
    return int(getattr(error, "exit_code", 2))
