"""The command line as a program, and the one place where errors become exit codes."""

from __future__ import annotations

import sys

from deltaadm.errors import DeltaadmError, StorageError, UsageError
from deltaadm.runs.messages import messages, restore_messages, use_messages
from deltaadm.runs.status import CommitStatus, DeadlineReached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import Final

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
        from deltaadm.runs.shortage import shortage

        lacking = shortage(error)
        if lacking is not None:
            return _show(lacking)
        import os
        import traceback

        from deltaadm.masking import masked, secrets_among
        from deltaadm.render.visible import visible
        from deltaadm.runs.output import say_end

        # An error of a library may quote what it was given, such as a token of the environment.
        text = masked(traceback.format_exc(), secrets_among(os.environ))
        trace = "\n".join(map(visible, text.splitlines()))
        say_end(f"{trace}\nThis is a bug in deltaadm; please report it with the lines above.\n")
        return BUG


def _answer(arguments: Sequence[str], status: CommitStatus) -> int:
    from deltaadm.runs.output import OutputLost, output_error, write_version

    try:
        if arguments[:1] == ["--version"]:
            return write_version()
        if arguments[:1] != ["inspect"]:  # which may be stopped at any moment
            _notice_termination()
        return _dispatch(arguments, status)
    except UsageError as error:
        return _show_usage_error(error, arguments)
    except DeltaadmError as error:
        return _show(error)
    except OutputLost as lost:
        return _show(output_error(lost.__cause__, status))


def _dispatch(arguments: Sequence[str], status: CommitStatus) -> int:
    from deltaadm.cli.execution import execute
    from deltaadm.cli.parser import parse
    from deltaadm.cli.table import COMMANDS, Command
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.output import write_text

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


def _notice_termination() -> None:
    """Let a request to stop end the program as Ctrl-C does, so that it can say what happened."""
    import signal  # which takes its time

    signal.signal(signal.SIGTERM, _terminate)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _stopped(status: CommitStatus, stop: type[BaseException]) -> int:
    from deltaadm.runs.exit_codes import INTERRUPTED

    if stop is DeadlineReached:
        sentence = f"{_STOPS[stop]}; {status.describe()}."
        return _show(StorageError(sentence, remedy=_MORE_TIME))
    _say_stopped(status, _STOPS[stop])
    return INTERRUPTED if stop is KeyboardInterrupt else TERMINATED


def _say_stopped(status: CommitStatus, how: str) -> None:
    from deltaadm.runs.output import say_end

    say_end(f"\n{how}; {status.describe()}.\n")


def _unread(arguments: Sequence[str], status: CommitStatus) -> int:
    """The reader of our output has gone; only a command that changes something reports it."""
    from deltaadm.runs.output import discard_output

    discard_output()
    # `| head` is no trouble for what only reads, and needs no word.
    if "--apply" in arguments or "apply" in arguments[:1]:
        _say_stopped(status, "Output pipe closed")
    return UNREAD


def _show_usage_error(error: UsageError, arguments: Sequence[str]) -> int:
    from deltaadm.cli.table import COMMANDS
    from deltaadm.runs.output import show_error

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
    from deltaadm.domain.model.properties import did_you_mean

    return did_you_mean(match[1], re.findall(r"[\w-]+", match[2]))


def _show(error: DeltaadmError) -> int:
    from deltaadm.runs.output import show_error

    show_error("", error)
    return error.exit_code
