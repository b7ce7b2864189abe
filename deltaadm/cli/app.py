"""The command line as typer has it: made from the table of commands and what each declares."""

from __future__ import annotations

from inspect import Parameter, Signature
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deltaadm.cli.table import ANSWER_ALONE, COMMANDS, Command
from deltaadm.errors import UsageError
from deltaadm.render.visible import visible
from deltaadm.runs.context import RunContext
from deltaadm.runs.exit_codes import INTERRUPTED
from deltaadm.runs.output import write_stderr, write_version
from deltaadm.runs.status import CommitStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deltaadm.cli.declare import Declared

HELP = """
Explain, change and check the protocol side of Delta Lake tables.

Commands that change a table only show a plan; --apply carries it out.

Examples:

  deltaadm inspect /data/events

  deltaadm enable-feature /data/events deletionVectors

  deltaadm validate /data/events

  deltaadm set-mapping-mode /data/events name --apply
"""

EPILOG = (
    "Exit codes: 0 success or nothing to do, 1 findings, or a plan that is not empty with --check, "
    "2 usage error, 3 no readable table, 4 storage error, 5 commit failed, 6 Spark or a package "
    "missing, 7 refused, 8 not yet, 9 some of several tables failed, 70 bug in deltaadm."
)


def build(
    names: Sequence[str] = tuple(COMMANDS),
    status: CommitStatus | None = None,
    *,
    summaries: bool = False,
) -> typer.Typer:
    """
    The application with the subcommands *names*; the fewer, the sooner it starts.

    What they commit is noted in *status*. With *summaries* they are there by name and summary
    alone, which is what the overview needs.
    """
    app = typer.Typer(
        name="deltaadm",
        help=HELP,
        epilog=EPILOG,
        add_completion=False,  # its scripts start Python for every key; ours start nothing
        rich_markup_mode=None,  # rich takes 50 ms to import
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: Annotated[
            bool,
            typer.Option("--version", help="Show the version and exit.", callback=_show_version),
        ] = False,
    ) -> None: ...

    context = RunContext(status or CommitStatus())
    for name in names:
        made = _summarised(name) if summaries else typer_command(Command(name), context)
        app.command(name, no_args_is_help=name not in ANSWER_ALONE)(made)
    return app


def _show_version(is_asked: bool) -> None:  # noqa: FBT001 -- typer calls it so
    if is_asked:
        raise typer.Exit(write_version())


def _summarised(name: str) -> Callable[..., None]:
    def command() -> None: ...

    command.__doc__ = COMMANDS[name]
    return command


def typer_command(command: Command, context: RunContext) -> Callable[..., None]:
    """*command* as typer has it: options become its parameters, its result the exit code."""

    def called(**given: Any) -> None:
        try:
            code = command.run(command.parameters.of(given), context)
        except UsageError as error:
            raise usage_error(error) from error
        raise typer.Exit(code)

    parameters = [_parameter(declared) for declared in command.parameters.declared()]
    called.__doc__ = command.help
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _parameter(declared: Declared) -> Parameter:
    common: dict[str, Any] = {"metavar": declared.metavar or None, "help": declared.help}
    if declared.minimum is not None:
        common["min"] = declared.minimum
    if declared.is_argument:
        common |= {"case_sensitive": not declared.any_case, "show_default": False}
        info: Any = typer.Argument(**common)
    else:
        info = typer.Option(*declared.names, **common)
    return Parameter(
        declared.field,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if declared.required else declared.default,
        annotation=Annotated[_type_of(declared), info],
    )


def _type_of(declared: Declared) -> Any:
    """The type that the field's annotation names."""
    known = {"str": str, "int": int, "bool": bool, "Path": Path}
    if declared.is_pair:
        return tuple[str, Path] | None
    kind: Any = known.get(declared.type_name) or declared.enumeration
    kind = list[kind] if declared.is_list else kind
    return kind | None if declared.kind.endswith("| None") else kind


def usage_error(error: UsageError) -> typer.TyperException:
    """The same error as typer has it, which shows how the command is used."""
    if error.option:
        return typer.BadParameter(error.message, param_hint=error.option)
    return _Sentence(error.message)


class _Sentence(typer.BadParameter):
    """A usage error that is a sentence of its own."""

    def format_message(self) -> str:
        return self.message


def answer(arguments: Sequence[str], status: CommitStatus) -> int:
    """
    Carry out the command line *arguments*; the exit code. Usage errors are shown here.

    `help` is what other programs call `--help`, so it is understood as well.
    """
    if arguments[:1] == ["help"] and len(arguments) <= len(["help", "COMMAND"]):
        arguments = [*arguments[1:], "--help"]
    # All commands together import nearly everything there is.
    named = [arguments[0]] if arguments and arguments[0] in COMMANDS else list(COMMANDS)
    overview = list(arguments) in ([], ["--help"], ["-h"])
    try:
        app = build(named, status, summaries=overview)
        code = app(args=list(arguments), prog_name="deltaadm", standalone_mode=False)
    except typer.TyperException as error:
        return _show(error)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:  # which is what typer makes of a KeyboardInterrupt
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def show_usage(name: str, error: UsageError) -> int:
    """Show that the command line of the subcommand *name* is wrong; the exit code."""
    group: Any = typer.main.get_command(build([name]))
    top = typer.Context(group, info_name="deltaadm", **group.context_settings)
    shown = usage_error(error)
    # Only with a context the error shows how the command is used.
    shown.ctx = typer.Context(group.commands[name], parent=top, info_name=name)  # type: ignore[attr-defined]
    return _show(shown)


def _show(error: typer.TyperException) -> int:
    text = StringIO()
    show = getattr(error, "show", None)
    if show is None:
        text.write(str(error))
    else:
        show(text)
    for line in text.getvalue().removesuffix("\n").split("\n"):
        write_stderr(f"{visible(line)}\n")
    return int(getattr(error, "exit_code", 2))
