"""The command line as a program, and the one place where errors become exit codes."""

from __future__ import annotations

import sys

from deltaadm.errors import DeltaadmError, StorageError, UsageError
from deltaadm.runs.output import (
    OutputLost,
    discard_output,
    messages,
    output_error,
    restore_messages,
    say_end,
    shortage,
    show_error,
    use_messages,
    write_text,
    write_version,
)
from deltaadm.runs.status import INTERRUPTED, CommitStatus, DeadlineReached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Any, Final

    from deltaadm.cli.table import Command
    from deltaadm.runs.declare import Declared


# Reading a command line


def parse(command: Command, arguments: Sequence[str]) -> dict[str, Any] | None:
    """
    The values of a command's *arguments*, by field; None for those that ask for help.

    Raises `UsageError` for arguments that the command does not take.
    """
    options = {name: each for each in command.declared() for name in each.names}
    given: dict[str, tuple[Declared, list[str]]] = {}
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            words += rest
        elif not word.startswith("-") or word == "-":
            words.append(word)
        else:
            for name, value in _named(word, options):
                if name not in options:
                    from deltaadm.cli.help import near_option

                    remedy = near_option(name, command)
                    raise UsageError(f"There is no option {name}.", remedy=remedy)
                option = options[name]
                texts = given.setdefault(option.field, (option, []))[1]
                texts += _texts(option, name, value, rest)
    if "help" in given:
        return None
    values = {field: _value(option, texts) for field, (option, texts) in given.items()}
    return values | _arguments(command, words)


def _named(word: str, options: dict[str, Declared]) -> Iterator[tuple[str, str | None]]:
    """The options that *word* gives, with the value that stands in it if one does."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        yield name, value if equals else None
        return
    letters = iter(word[1:])
    for letter in letters:
        name = f"-{letter}"
        option = options.get(name)
        takes_none = option is None or option.is_switch
        yield name, None if takes_none else "".join(letters) or None


def _texts(option: Declared, name: str, value: str | None, rest: Iterator[str]) -> list[str]:
    """What is given to *option*, as text: the *value* in its word, or else what follows."""
    if option.is_switch:
        if value is not None:
            raise UsageError(f"Option '{name}' does not take a value.")
        return [name]
    wanted = 2 if option.is_pair else 1
    texts = [] if value is None else [value]
    texts += [text for _, text in zip(range(wanted - len(texts)), rest, strict=False)]
    if len(texts) < wanted:
        amount = "an argument" if wanted == 1 else "2 arguments"
        raise UsageError(f"Option '{name}' requires {amount}.")
    return texts


def _value(option: Declared, texts: list[str]) -> Any:
    if option.counted:
        return len(texts)
    if option.is_switch:
        return True
    try:
        if option.is_pair:
            from pathlib import Path

            return texts[-2], Path(texts[-1])
        converted = [option.convert(text) for text in (texts if option.is_list else texts[-1:])]
    except ValueError as error:
        label = " / ".join(option.names) or option.metavar.strip("[]")
        raise UsageError(str(error), option=label) from error
    return converted if option.is_list else converted[-1]


def _arguments(command: Command, words: list[str]) -> dict[str, Any]:
    """The arguments by their fields; the last may take all words that are left."""
    values: dict[str, Any] = {}
    left = list(words)
    for argument in (each for each in command.declared() if each.is_argument):
        own = left if argument.is_list else left[:1]
        left = left[len(own) :]
        if argument.names_tables and "" in own:
            raise UsageError("is empty", option="TABLE")
        if own:
            try:
                values[argument.field] = _value(argument, own)
            except UsageError:
                table = values.get("table", "")
                if table.lower() in argument.choices:  # they are swapped
                    from deltaadm.runs.plan_options import require_no_directory

                    require_no_directory(table, argument.metavar)
                raise
        elif argument.required:
            from deltaadm.cli.help import lacks_argument

            raise lacks_argument(command)
    if left:
        raise UsageError(f"Unexpected argument {' '.join(left)!r}.")
    return values


# Running a command


BUG = 70
UNREAD = 141
TERMINATED = 143


class _Terminated(BaseException):
    """The process was asked to stop."""


_STOPS: Final[Mapping[type[BaseException], str]] = {
    KeyboardInterrupt: "Interrupted",
    _Terminated: "Terminated",
    DeadlineReached: "The time that --timeout gives is over",
}

_MORE_TIME: Final = (
    "Allow more time; `deltaadm doctor LOCATION` shows why a store does not respond."
)

_FRAMES: Final = 5_000
"""
How deep Python's stack may go: enough for schemas as deeply nested as Delta's reader takes them.

Frames of code in C, which compares and decodes nested values, are about a kilobyte; a stack has
eight megabytes.
"""


def run(arguments: Sequence[str]) -> int:
    """Carry out the command line *arguments*; the exit code."""
    sys.setrecursionlimit(max(_FRAMES, sys.getrecursionlimit()))
    status = CommitStatus()
    before = use_messages(messages())
    try:
        return _run(arguments, status)
    finally:
        restore_messages(before)


def _run(arguments: Sequence[str], status: CommitStatus) -> int:
    try:
        return _answer(arguments, status)
    except (KeyboardInterrupt, _Terminated, DeadlineReached) as stop:
        return _stopped(status, type(stop))
    except BrokenPipeError:
        return _unread(arguments, status)
    except BaseException as error:  # noqa: BLE001 -- a bug, or a panic of a library in Rust
        stop_behind = _stop_behind(error)
        if stop_behind is not None:
            return _stopped(status, stop_behind)
        lacking = shortage(error)
        if lacking is not None:
            return _show(lacking)
        import traceback

        from deltaadm.masking import masked, secrets_of_environment
        from deltaadm.reports.words import visible

        # An error of a library may quote what it was given, such as a token of the environment.
        text = masked(traceback.format_exc(), secrets_of_environment())
        trace = "\n".join(map(visible, text.splitlines()))
        say_end(f"{trace}\nThis is a bug in deltaadm; please report it with the lines above.\n")
        return BUG


def _answer(arguments: Sequence[str], status: CommitStatus) -> int:
    try:
        if arguments[:1] == ["--version"]:
            return write_version()
        if arguments[:1] != ["inspect"]:  # which may be stopped at any moment
            import signal  # which takes its time

            signal.signal(signal.SIGTERM, _terminate)
        return _dispatch(arguments, status)
    except UsageError as error:
        return _show_usage_error(error, arguments)
    except DeltaadmError as error:
        return _show(error)
    except OutputLost as lost:
        return _show(output_error(lost.__cause__, status))


def _dispatch(arguments: Sequence[str], status: CommitStatus) -> int:
    from deltaadm.cli.execution import execute
    from deltaadm.cli.table import COMMANDS, Command
    from deltaadm.runs.context import RunContext

    name, *rest = arguments or ("",)
    if name in COMMANDS:
        command = Command(name)
        if not (rest or command.answers_alone):
            from deltaadm.cli.help import lacks_argument

            raise lacks_argument(command)
        values = parse(command, rest)
        if values is not None:
            return execute(command, values, RunContext(status))
        from deltaadm.cli.help import command_help

        text = command_help(command)
    elif name == "__complete":
        from deltaadm.cli.complete import candidates

        text = candidates(rest)
    else:
        from deltaadm.cli.help import help_asked_for

        text = help_asked_for(arguments)
    write_text(text)
    return 0


def _stop_behind(error: BaseException) -> type[BaseException] | None:
    """The stop in whose wake *error* has happened, if there was one."""
    # A connection to Java that is broken off in the middle of an answer takes it for that of the
    # next question, so that tidying up through it fails in a way of its own.
    seen: BaseException | None = error
    while seen is not None:
        if type(seen) in _STOPS:
            return type(seen)
        seen = seen.__context__
    return None


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _stopped(status: CommitStatus, stop: type[BaseException]) -> int:
    if stop is DeadlineReached:
        sentence = f"{_STOPS[stop]}; {status.describe()}."
        return _show(StorageError(sentence, remedy=_MORE_TIME))
    _say_stopped(status, _STOPS[stop])
    return INTERRUPTED if stop is KeyboardInterrupt else TERMINATED


def _say_stopped(status: CommitStatus, how: str) -> None:
    say_end(f"\n{how}; {status.describe()}.\n")


def _unread(arguments: Sequence[str], status: CommitStatus) -> int:
    """The reader of our output has gone; only a command that changes something reports it."""
    discard_output()
    # `| head` is no trouble for what only reads, and needs no word.
    if "--apply" in arguments or "apply" in arguments[:1]:
        _say_stopped(status, "Output pipe closed")
    return UNREAD


def _show_usage_error(error: UsageError, arguments: Sequence[str]) -> int:
    from deltaadm.cli.table import COMMANDS

    name = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    where = " ".join(filter(None, ("deltaadm", name, "--help")))
    remedy = " ".join(filter(None, (error.remedy or _near(error.message), f"See `{where}`.")))
    show_error("", DeltaadmError(error.sentence, remedy=remedy))
    return error.exit_code


def _near(message: str) -> str:
    """The one that is meant, of the words that *message* lists."""
    import re

    match = re.fullmatch(r"'(.*)' is not one of (.*?)\.?", message)
    if match is None:
        return ""
    from deltaadm.domain.properties import did_you_mean

    return did_you_mean(match[1], re.findall(r"[\w-]+", match[2]))


def _show(error: DeltaadmError) -> int:
    show_error("", error)
    return error.exit_code
