"""The command line as typer has it: made from the table of commands and what each declares."""

from __future__ import annotations

import re
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deltaadm.cli.execution import execute
from deltaadm.cli.help import command_help, lacks_argument, near_option
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import TOPICS
from deltaadm.domain.model.properties import did_you_mean
from deltaadm.errors import UsageError
from deltaadm.runs.context import RunContext
from deltaadm.runs.exit_codes import INTERRUPTED
from deltaadm.runs.output import write_version
from deltaadm.runs.status import CommitStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deltaadm.cli.declare import Declared


def build(
    names: Sequence[str] = tuple(COMMANDS), status: CommitStatus | None = None
) -> typer.Typer:
    """
    The application with the subcommands *names*; the fewer, the sooner it starts.

    What they commit is noted in *status*.
    """
    app = typer.Typer(
        name="deltaadm",
        add_completion=False,  # its scripts start Python for every key; ours start nothing
        rich_markup_mode=None,  # rich takes 50 ms to import
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: Annotated[bool, typer.Option("--version", callback=_show_version)] = False,
    ) -> None: ...

    context = RunContext(status or CommitStatus())
    for name in names:
        subcommand = typer_command(Command(name), context)
        app.command(name, cls=_Subcommand)(subcommand)
    return app


def _show_version(is_asked: bool) -> None:  # noqa: FBT001 -- typer calls it so
    if is_asked:
        raise typer.Exit(write_version())


class _Subcommand(typer.core.TyperCommand):
    """A subcommand whose help is ours."""

    def get_help(self, ctx: Any) -> str:
        return command_help(Command(ctx.info_name or "")).removesuffix("\n")


def typer_command(command: Command, context: RunContext) -> Callable[..., None]:
    """*command* as typer has it: options become its parameters, its result the exit code."""

    def called(*, typed: typer.Context, **values: Any) -> None:
        given = {name: value for name, value in values.items() if _is_given(typed, name)}
        raise typer.Exit(execute(command, given, context))

    parameters = [_parameter(declared) for declared in command.declared()]
    parameters.append(
        Parameter("typed", Parameter.KEYWORD_ONLY, annotation=typer.Context)  # what typer adds
    )
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _is_given(typed: typer.Context, name: str) -> bool:
    """Whether the command line says something about a parameter, whose value is not a default."""
    source = typed.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _parameter(declared: Declared) -> Parameter:
    common: dict[str, Any] = {"metavar": declared.metavar or None}
    if declared.minimum is not None:
        common["min"] = declared.minimum
    if declared.is_argument:
        common |= {"case_sensitive": not declared.any_case, "show_default": False}
        info: Any = typer.Argument(**common)
    else:
        info = typer.Option(*declared.names, count=declared.counted, **common)
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


def answer(arguments: Sequence[str], status: CommitStatus) -> int:
    """
    Carry out the command line *arguments*; the exit code.

    Raises `UsageError` for one that cannot be understood.
    """
    # All commands together import nearly everything there is.
    named = [arguments[0]] if arguments and arguments[0] in COMMANDS else []
    try:
        app = build(named or list(COMMANDS)[:1], status)
        # Not standalone: typer would show errors in its own way and end the process.
        code = app(args=list(arguments), prog_name="deltaadm", standalone_mode=False)
    except typer.TyperException as error:
        raise _usage_error(error, arguments) from error
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:  # which is what typer makes of a KeyboardInterrupt
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _usage_error(error: typer.TyperException, arguments: Sequence[str]) -> UsageError:
    """The usage error that typer has found, in the words and the layout of all errors."""
    name = next((word for word in arguments if not word.startswith("-")), "")
    if name == "help":
        name = " ".join(arguments[1:])
    option = getattr(error, "option_name", None)
    if option is not None and not isinstance(error, typer.BadParameter) and _is_unknown(error):
        remedy = near_option(option, Command(name)) if name in COMMANDS else ""
        return UsageError(f"There is no option {option}.", remedy=remedy)
    if name and name not in COMMANDS:
        remedy = did_you_mean(name, (*COMMANDS, *TOPICS))
        if "/" in name or name.startswith("@") or Path(name).is_dir():
            remedy = f"To look at a table: deltaadm inspect {name}"
        return UsageError(f"There is no command {name!r}.", remedy=remedy)
    if type(error).__name__ == "MissingParameter" and name in COMMANDS:
        return lacks_argument(Command(name))
    if isinstance(error, typer.BadParameter) and error.message:
        _require_table_first(error)
        hint = error.param_hint or (error.param and error.param.get_error_hint(error.ctx))  # type: ignore[arg-type]
        given = hint if isinstance(hint, str) else " or ".join(hint or ())
        message = error.message.rstrip(".").replace("a valid int range", "a number")
        message = message.replace("a valid int", "a number")
        return UsageError(message, option=given.replace("'", ""))
    match = re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", error.format_message())
    if match is not None:
        return UsageError(f"Unexpected argument {match[1]!r}.")
    return UsageError(error.format_message())


def _require_table_first(error: typer.BadParameter) -> None:
    """Raise `UsageError` if the table and an argument that is one of few words are swapped."""
    word = error.ctx.params.get("table") if error.ctx else None
    if word and error.param and word.lower() in getattr(error.param.type, "choices", ()):
        from deltaadm.cli.plan_options import require_no_directory

        require_no_directory(word, str(error.param.metavar))


def _is_unknown(error: typer.TyperException) -> bool:
    return type(error).__name__ == "NoSuchOption"
