"""The command line as a program, and the one place where errors become exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from deltaadm import __version__
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.errors import DeltaadmError, StorageError, UsageError
from deltaadm.runs import output
from deltaadm.runs.declare import Declared, path_of
from deltaadm.runs.status import INTERRUPTED, CommitStatus, DeadlineReached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


# Reading a command line


def parse(command: Command, arguments: Sequence[str]) -> dict[str, Any]:
    """
    The values of a command's *arguments*, by field; for those that ask for help, only that.

    Raises `UsageError` for arguments that the command does not take.
    """
    options = {name: each for each in command.declared() for name in each.names}
    given: dict[Declared, list[str]] = {}
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
                    from deltaadm.cli.help import no_such_option

                    raise no_such_option(name, command)
                texts = given.setdefault(options[name], [])
                texts += _texts(options[name], name, value, rest)
    for name in ("--help", "-h"):
        if options[name] in given:
            return {options[name].field: True}
    values = {option.field: _value(option, texts) for option, texts in given.items()}
    return values | _arguments(command, words)


def _named(word: str, options: dict[str, Declared]) -> Iterator[tuple[str, str | None]]:
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        yield name, value if equals else None
        return
    letters = iter(word[1:])
    for letter in letters:
        option = options.get(f"-{letter}")
        takes_value = option is not None and not option.is_switch
        yield f"-{letter}", ("".join(letters) or None) if takes_value else None


def _texts(option: Declared, name: str, value: str | None, rest: Iterator[str]) -> list[str]:
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
    if option.is_switch:
        return len(texts) if option.counted else True
    if option.field == "output" and len(texts) > 1 and not option.is_list:
        raise UsageError("is given twice, but this command writes one format", option="--output")
    try:
        if option.is_pair:
            return texts[-2], path_of(texts[-1])
        converted = [option.convert(text) for text in (texts if option.is_list else texts[-1:])]
    except ValueError as error:
        label = " / ".join(option.names) or option.metavar.strip("[]")
        raise UsageError(str(error), option=label) from error
    return converted if option.is_list else converted[-1]


def _arguments(command: Command, words: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    left = words
    for argument in command.arguments:
        own, left = (left, []) if argument.is_list else (left[:1], left[1:])
        if argument.names_tables and "" in own:
            raise UsageError("is empty", option="TABLE")
        if own:
            values[argument.field] = _value(argument, own)
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
    DeadlineReached: "Timed out after",
}

_FRAMES: Final = 5_000
"""
How deep Python's stack may go: enough for schemas as deeply nested as Delta's reader takes them.

Frames of code in C, which compares and decodes nested values, are about a kilobyte; a stack has
eight megabytes.
"""


def run(arguments: Sequence[str]) -> int:
    """Carry out the command line *arguments*; the exit code."""
    frames = sys.getrecursionlimit()
    sys.setrecursionlimit(max(_FRAMES, frames))
    status = CommitStatus()
    restore_messages = output.own_messages()
    try:
        try:
            return _work(arguments, status)() or 0
        except UsageError as error:
            name = arguments[0] if arguments and arguments[0] in COMMANDS else ""
            where = " ".join(filter(None, ("deltaadm", name, "--help")))
            remedy = f"{error.remedy} See `{where}`.".strip()
            shown = DeltaadmError(error.sentence, remedy=remedy)
            shown.__cause__ = error
            output.show_error("", shown)
            return error.exit_code
        except DeltaadmError as error:
            return _show(error)
        except output.OutputLostError as lost:
            return _show(output.output_error(lost.__cause__, status))
    except BrokenPipeError:
        output.silence(sys.stdout)
        # `| head` is no trouble for what only reads, and needs no word.
        if "--apply" in arguments or "apply" in arguments[:1]:
            output.say_end(f"\nOutput pipe closed; {status.describe()}.\n")
        return UNREAD
    except BaseException as error:  # noqa: BLE001 -- a bug, or a panic of a library in Rust
        return _stopped(error, status)
    finally:
        restore_messages()
        sys.setrecursionlimit(frames)


def _work(arguments: Sequence[str], status: CommitStatus) -> Callable[[], int | None]:
    """What carries out the command line, and returns its exit code if that is not 0."""
    name, *rest = arguments or ("",)
    if arguments[:1] == ["--version"]:
        return partial(output.write_text, f"deltaadm {__version__}\n")
    if name != "inspect":  # which may be stopped at any moment
        import signal  # which takes its time

        signal.signal(signal.SIGTERM, _terminate)
    if name in COMMANDS:
        command = Command(name)
        # The help has an argument in brackets that a command can do without.
        if not rest and any(each.metavar[0] != "[" for each in command.arguments):
            from deltaadm.cli.help import lacks_argument

            raise lacks_argument(command)
        values = parse(command, rest)
        if values.keys().isdisjoint({"help", "short_help"}):
            from deltaadm.runs import context, settings_file

            settings = settings_file.SettingsSources(
                command.name, values.get("config") or (), isolated=values.get("isolated", False)
            )
            this_run = context.RunContext(status, settings=settings, arguments=tuple(arguments))
            words = [word for value in values.values() if isinstance(value, list) for word in value]
            if settings.exist or any(str(word)[:1] == "@" for word in (*words, *values.values())):
                from deltaadm.cli.settings import complete

                return partial(complete, command, values, this_run)
            command.begin(values)
            return command.work(values, this_run)
        from deltaadm.cli.help import command_help

        text = command_help(command, short="short_help" in values)
    elif name == "__complete":
        from deltaadm.cli.complete import candidates

        text = candidates(rest)
    else:
        from deltaadm.cli.help import help_asked_for

        text = help_asked_for(arguments)
    return partial(output.write_text, text)


def _terminate(*_: object) -> None:
    raise _Terminated


def _stopped(error: BaseException, status: CommitStatus) -> int:
    """Say what has ended the run: a stop, a shortage or a bug; the exit code."""
    # A connection to Java that is broken off in the middle of an answer takes it for that of the
    # next question, so that tidying up through it fails in a way of its own.
    seen: BaseException | None = error
    while seen is not None and type(seen) not in _STOPS:
        seen = seen.__context__
    if seen is not None:
        words, state = _STOPS[type(seen)], status.describe()
        if isinstance(seen, DeadlineReached):
            sentence = f"{words} {seen}. {state[:1].upper()}{state[1:]}."
            remedy = "Allow more with --timeout; `deltaadm doctor LOCATION` tests the store."
            return _show(StorageError(sentence, remedy=remedy))
        output.say_end(f"\n{words}; {state}.\n")
        return INTERRUPTED if isinstance(seen, KeyboardInterrupt) else TERMINATED
    if isinstance(error, SystemError) and "without" in str(error):  # an exception being set
        raise error  # C code without memory: nothing but `__main__` can say so now
    lacking = output.shortage(error)
    if lacking is not None:
        return _show(lacking)
    output.say_end(
        f"{output.trace(error)}This is a bug in deltaadm; please report it with the lines above.\n"
    )
    return BUG


def _show(error: DeltaadmError) -> int:
    output.show_error("", error)
    return error.exit_code
