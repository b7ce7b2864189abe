"""The standard streams of a command: its results, and messages about the run."""

from __future__ import annotations

import os
import sys
from functools import partial
from io import StringIO

from deltaadm.errors import DeltaadmError, StorageError, UsageError
from deltaadm.runs.messages import DEBUG, ERROR, INFO, WARNING, erase_drawn, messages
from deltaadm.runs.status import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from deltaadm.operations.reports import Report
    from deltaadm.render.formats import Style
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.options import OutputOptions
    from deltaadm.runs.status import CommitStatus


class OutputLost(Exception):  # noqa: N818 -- reads as what happened
    """Standard output takes no more, which is why the run ends; its cause says why."""


class FileText(StringIO):
    """A replacement for standard output where the result goes to a file."""


def check_format(output: OutputOptions, report: type | str) -> None:
    """Turn away a format that there is not, or that cannot show *report*: a usage error."""
    from deltaadm.render.formats import formats_for

    offered = formats_for(report)
    if output.output not in offered:
        raise UsageError(f"{output.output!r} is not one of {', '.join(offered)}", option="--output")
    if output.color not in {"auto", "always", "never"}:
        raise UsageError(f"{output.color!r} is not one of auto, always, never", option="--color")


def show(context: RunContext, reports: Sequence[Report]) -> None:
    """Write *reports* to standard output, as the command line asks for it."""
    write(reports, context.format, context.style)


def answer(
    context: RunContext,
    output: OutputOptions,
    kind: type,
    about: str,
    reports: Callable[[], Sequence[Report]],
) -> int:
    """Show *reports*, all of a *kind*, which are about no table; the exit code."""
    check_format(output, kind)
    context = context.with_request(context.spark, output)

    def work() -> int:
        show(context, reports())
        return 0

    return handle_errors(context, about, work)


def write(reports: Sequence[Report], format_name: str, style: Style) -> None:
    """
    Write *reports* to standard output; raises `OutputLost` where it takes no more.

    Of SQL, which is meant to be run, it says where it is not what would be run.
    """
    if format_name != "sql":
        _write(partial(_render, format_name, reports, sys.stdout, style))
        return
    from deltaadm.dataclass import replace

    exact = rendered("sql", reports, replace(style, for_terminal=False))
    shown = rendered("sql", reports, replace(style, for_terminal=sys.stdout.isatty()))
    write_text(shown)
    if shown != exact:
        info(
            "Control characters are escaped because the output is a terminal; in a file or a pipe "
            "the SQL is exact."
        )
    # Rendered once more: only the format knows whether it has masked anything.
    if exact != rendered("sql", reports, replace(style, show_secrets=True)):
        info("Secrets are masked, so the SQL cannot be run as shown; --show-secrets shows them.")


def rendered(format_name: str, reports: Sequence[Report], style: Style) -> str:
    """The text of *reports* in a format."""
    out = StringIO()
    _render(format_name, reports, out, style)
    return out.getvalue()


def _render(format_name: str, reports: Sequence[Report], out: TextIO, style: Style) -> None:
    from deltaadm.render.formats import render  # of which `--version` needs nothing

    render(format_name, reports, out, style)


def write_text(text: str) -> None:
    """Write *text* to standard output as it is; raises `OutputLost` where it takes no more."""
    _write(partial(sys.stdout.write, text))


def _write(put: Callable[[], object]) -> None:
    # What goes to a file is asked for by its option, however quiet the run is.
    if messages().is_silent and not isinstance(sys.stdout, FileText):
        return
    erase_drawn()
    _escape_unencodable(sys.stdout)
    try:
        put()
        sys.stdout.flush()
    # A reader that has enough is no lost output; the program ends with a code of its own.
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise OutputLost from error


def output_error(error: BaseException | None, status: CommitStatus) -> StorageError:
    """The error of a run whose output *error* has ended; it says what was committed."""
    import errno

    discard_output()
    # So after `>&-` in a shell.
    if getattr(error, "errno", None) == errno.EBADF:
        cause = "standard output is closed"
    else:
        cause = (getattr(error, "strerror", None) or str(error)).lower()
    committed = "" if status.clause == NOTHING else f"; {status.clause}"
    return StorageError(
        f"The output cannot be written: {cause}{committed}.",
        remedy="Free some space, or send the output elsewhere.",
    )


def discard_output() -> None:
    """Let everything that is still written to standard output vanish."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    # Not closed: Python flushes the stream once more at its end, and would fail then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_on_stderr(context: RunContext, reports: Sequence[Report]) -> None:
    """Write *reports* to standard error, as text: for whoever is about to be asked."""
    erase_drawn()
    _escape_unencodable(sys.stderr)
    _render("text", reports, sys.stderr, context.style)
    sys.stderr.flush()


def write_version() -> int:
    """Write which release this is; the exit code."""
    from deltaadm import __version__

    write_text(f"deltaadm {__version__}\n")
    return 0


def handle_errors(context: RunContext, table: str, work: Callable[[], int]) -> int:
    """
    The exit code of *work*, or of the error with which it fails.

    An error about *table* stands in the answer's place where errors belong into the output,
    elsewhere on standard error.
    """
    try:
        return _in_time(context.access.timeout, work)
    except (DeltaadmError, MemoryError, OSError, RuntimeError, ImportError) as found:
        error = _expected(found)
        show_failure(context, table, error)
        return error.exit_code


def show_failure(context: RunContext, table: str, error: DeltaadmError) -> None:
    """The *error* about *table* in the answer's place, or else on standard error."""
    from deltaadm.render.formats import FORMATS

    if FORMATS[context.format].machine and not messages().is_silent:
        from deltaadm.operations.reports import Failure

        show(context, [Failure(table, error)])
    else:
        show_error(table, error)


def _in_time(timeout: str | None, work: Callable[[], int]) -> int:
    if timeout is None:
        return work()
    from deltaadm.runs.deadline import deadline

    with deadline(timeout):
        return work()


def _expected(error: Exception) -> DeltaadmError:
    """The error that can be shown; raises what is none of these."""
    if isinstance(error, DeltaadmError):
        return error
    from deltaadm.runs.shortage import shortage

    lacking = shortage(error)
    if lacking is None:
        raise error
    return lacking


def show_error(table: str, error: DeltaadmError) -> None:
    """One sentence and what to do about it, on standard error."""
    from deltaadm.masking import masked
    from deltaadm.render.visible import visible

    prefix = "" if not table or masked(table) in error.message else f"{visible(table)}: "
    sentence = f"{prefix}{visible(error.message)}"
    remedy = f"\n  {visible(error.remedy)}" if error.remedy else ""
    _say(ERROR, f"{sentence}{remedy}", f"error: {sentence}{remedy}\n")


def say_end(message: str) -> None:
    """Report on standard error how a run that was cut short ended."""
    _say(ERROR, message.strip(), message)


def info(message: str) -> None:
    """Something about the run, on standard error."""
    from deltaadm.render.visible import visible

    shown = visible(message)
    _say(WARNING if message.startswith("Warning:") else INFO, shown, f"{shown}\n")


def detail(message: str) -> None:
    """Something about the run that only those want to know who ask for it."""
    if not messages().wants(DEBUG):
        return
    from deltaadm.render.visible import visible

    _say(DEBUG, visible(message), f"{visible(message)}\n")


def _say(level: str, message: str, text: str) -> None:
    """Write *message* to standard error, where its *text* is that for people, and to the log."""
    from deltaadm.masking import masked

    chosen = messages()
    chosen.note(level, masked(message))
    if chosen.shows(level):
        write_stderr(chosen.line(level, message) if chosen.as_json else text)


def write_stderr(text: str) -> None:
    """
    Write *text* to standard error, without secrets in URLs and settings.

    Where that takes no more, the run goes on without.
    """
    from deltaadm.masking import masked

    erase_drawn()
    _escape_unencodable(sys.stderr)
    try:
        sys.stderr.write(masked(text))
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _escape_unencodable(stream: object) -> None:
    """A name that the stream's encoding lacks is shown escaped rather than ending the run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
