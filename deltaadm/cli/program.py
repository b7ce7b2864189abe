"""The command line as a program, and the one place where errors become exit codes."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

BUG = 70
INTERRUPTED = 130
TERMINATED = 143


class _Terminated(BaseException):
    """The process was asked to stop."""


def run(arguments: Sequence[str]) -> int:
    """Carry out the command line *arguments*; the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _answer(arguments)
    except KeyboardInterrupt:
        return _stopped("Interrupted", INTERRUPTED)
    except _Terminated:
        return _stopped("Terminated", TERMINATED)
    except (BrokenPipeError, SystemExit):  # typer ends the process where a pipe breaks
        return _unread(arguments)
    except Exception:  # noqa: BLE001 -- whatever gets here is a bug of ours, and says so
        import traceback

        traceback.print_exc()
        sys.stderr.write("This is a bug in deltaadm; please report it with the lines above.\n")
        return BUG


def _answer(arguments: Sequence[str]) -> int:
    from deltaadm.cli import quick

    try:
        inspection = quick.understood(arguments)
        if inspection is not None:
            return quick.inspect(inspection)
        from deltaadm.cli.app import answer

        return answer(arguments)
    except DeltaadmError as error:
        return _said(error)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


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
