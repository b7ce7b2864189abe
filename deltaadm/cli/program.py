"""The command line as a program, and the one place where errors become exit codes."""

from __future__ import annotations

import errno

from deltaadm.errors import DeltaadmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import Final

BUG = 70
INTERRUPTED = 130
UNREAD = 141
TERMINATED = 143


class _Terminated(BaseException):
    """The process was asked to stop."""


_FULL = {errno.ENOSPC, errno.EDQUOT}

_STOPS: Final[Mapping[type[BaseException], tuple[str, int]]] = {
    KeyboardInterrupt: ("Interrupted", INTERRUPTED),
    _Terminated: ("Terminated", TERMINATED),
}


def run(arguments: Sequence[str]) -> int:
    """Carry out the command line *arguments*; the exit code."""
    try:
        return _answer(arguments)
    except (KeyboardInterrupt, _Terminated) as stop:
        return _stopped(*_STOPS[type(stop)])
    except (BrokenPipeError, SystemExit):  # typer ends the process where a pipe breaks
        return _unread(arguments)
    except Exception as error:  # noqa: BLE001 -- whatever gets here is a bug of ours, and says so
        stop_behind = _stop_behind(error)
        if stop_behind is not None:
            return _stopped(*_STOPS[stop_behind])
        import traceback

        from deltaadm.cli.streams import tell

        tell(traceback.format_exc())
        tell("This is a bug in deltaadm; please report it with the lines above.\n")
        return BUG


def _answer(arguments: Sequence[str]) -> int:
    from deltaadm.cli import quick

    try:
        if list(arguments) == ["--version"]:
            return tell_version()
        inspection = quick.understood(arguments)
        if inspection is not None:
            return quick.inspect(inspection)
        _notice_termination()
        from deltaadm.cli.app import answer

        return answer(arguments)
    except DeltaadmError as error:
        return _said(error)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        from deltaadm.cli.streams import output_lost  # by what typer has written itself

        return _said(output_lost(error))


def tell_version() -> int:
    """Write which release this is; the exit code."""
    from deltaadm import __version__
    from deltaadm.cli.streams import write_text

    write_text(f"deltaadm {__version__}\n")
    return 0


def _stop_behind(error: BaseException) -> type[BaseException] | None:
    """
    The stop in whose wake *error* has happened, if there was one.

    A connection to Java that is broken off in the middle of an answer takes it for that of the
    next question, so that nothing can be tidied up through it.
    """
    seen: BaseException | None = error
    while seen is not None:
        if type(seen) in _STOPS:
            return type(seen)
        seen = seen.__context__
    return None


def _notice_termination() -> None:
    """Let a request to stop end the program as Ctrl-C does, so that it can say what happened."""
    import signal  # which takes its time, and whoever only reads may be stopped at any moment

    signal.signal(signal.SIGTERM, _terminate)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def _stopped(how: str, code: int) -> int:
    from deltaadm.cli.streams import commit_state, tell

    tell(f"\n{how}; {commit_state()}.\n")
    return code


def _unread(arguments: Sequence[str]) -> int:
    """Whoever read our output has gone, of which only those need be told who change something."""
    from deltaadm.cli.streams import discard_output

    discard_output()
    if "--apply" in arguments or "apply" in arguments[:1]:
        return _stopped("Nobody reads the output any more", UNREAD)
    return UNREAD


def _said(error: DeltaadmError) -> int:
    from deltaadm.cli.streams import say_error

    say_error("", error)
    return error.exit_code
