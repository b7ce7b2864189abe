"""The standard streams of a command: its results, and messages about the run."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from functools import partial
from io import StringIO
from time import gmtime, strftime

from deltaadm.dataclass import replace
from deltaadm.errors import (
    DeltaadmError,
    EngineError,
    RefusedError,
    StorageError,
    TableError,
    UsageError,
    require_one_of,
)  # fmt: skip
from deltaadm.formats import FORMATS, Style, render, width_for
from deltaadm.masking import masked, quoted, secrets_of_environment, visible
from deltaadm.runs.declare import COMMON, Parameters, option
from deltaadm.runs.status import NOTHING, CommitStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path
    from typing import Final, TextIO

    from deltaadm.blocks import Report
    from deltaadm.runs.context import RunContext


# Messages


_NEEDED: Final = {"error": -2, "warning": -1, "info": 0, "debug": 1}
"""The lowest verbosity at which messages of each level are shown."""


class Messages(Parameters):
    """Messages about the run, on standard error and in a file, which gets all of them."""

    heading = "Messages"
    scope = COMMON

    # fmt: off
    quiet: int = option("--quiet", "-q",
        "Print results only, and nothing about healthy tables; -qq prints errors only.",
        counted=True)
    verbose: int = option("--verbose", "-v",
        "Print more about the run; -vv adds Spark's messages.", counted=True)
    debug: bool = option("Print the traceback of errors, and Spark's messages.")
    log_format: str = option("FORM", "Format of messages: text or json.", default="text")
    log_file: Path | None = option("FILE", "Also append all messages, with times, to FILE.")
    no_input: bool = option("Never prompt, even on a terminal.")
    # fmt: on

    @property
    def verbosity(self) -> int:
        """0, less for a quiet run and more for a verbose one."""
        return self.verbose - self.quiet

    @property
    def is_quiet(self) -> bool:
        """Whether only results and errors are shown."""
        return self.verbosity < 0

    @property
    def is_silent(self) -> bool:
        """Whether only errors are shown."""
        return self.verbosity < -1

    def prints(self, level: str) -> bool:
        """Whether messages of *level* are shown on standard error."""
        return self.verbosity >= _NEEDED[level]

    def wants(self, level: str) -> bool:
        """Whether messages of *level* are shown or kept anywhere."""
        return self.log_file is not None or self.prints(level)

    def line(self, level: str, message: str, *, timed: bool = False) -> str:
        """The line for *message*, which has no line break that could forge another."""
        now = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
        if self.log_format == "json":  # one object per line, for programs that read them
            import json

            return json.dumps({"time": now, "level": level, "message": message}) + "\n"
        text = " ".join(message.split("\n"))
        return f"{now} {level.upper()} {text}\n" if timed else f"{text}\n"


def _append(file: Path, text: str) -> None:
    try:
        # Opened for each message: several runs may add to one file.
        with file.open("a", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(text)
    except OSError as error:
        raise unwritable(file, error) from error


def unwritable(path: Path, error: OSError) -> RefusedError:
    """Why the file at *path* cannot be written."""
    return RefusedError(
        f"The file {path} cannot be written: {error.strerror or error}.",
        remedy="Choose another path.",
    )


_USUAL: Final = Messages()
_MESSAGES: Final[ContextVar[Messages]] = ContextVar("messages", default=_USUAL)


def messages() -> Messages:
    """The messages of this run."""
    return _MESSAGES.get()


def own_messages() -> Callable[[], None]:
    """Let this run choose messages of its own; the answer restores the former ones."""
    return partial(_MESSAGES.reset, _MESSAGES.set(_MESSAGES.get()))


def use_messages(chosen: Messages) -> None:
    """Use *chosen* for the rest of this run; raises `UsageError` for what does not go together."""
    require_one_of(chosen.log_format, ("text", "json"), "--log-format")
    if chosen.quiet and chosen.verbose:
        raise UsageError("cannot be combined with --verbose", option="--quiet")
    if chosen.log_file is not None:
        _append(chosen.log_file, "")
    _MESSAGES.set(chosen)


_ERASER: Final[ContextVar[Callable[[], None]]] = ContextVar("eraser", default=lambda: None)


def set_eraser(erase: Callable[[], None]) -> Callable[[], None]:
    """Have *erase* remove what is drawn before something is written; the answer ends that."""
    return partial(_ERASER.reset, _ERASER.set(erase))


def is_terminal() -> bool:
    """Whether standard error is a terminal on which progress may be drawn."""
    shown = messages().prints("info") and messages().log_format == "text"
    # A dumb terminal cannot go back in a line.
    return shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


# Exhausted resources


_NO_MEMORY: Final = ("failed to map segment", "annot allocate memory")
"""The dynamic linker's message about a library that Python is about to import."""

_NO_THREAD: Final = "can't start new thread"


def shortage(error: BaseException) -> DeltaadmError | None:
    """What the run lacked when it ended in *error*; None for other causes."""
    cause: BaseException | None = error
    while cause is not None:  # also what it happened in the wake of
        number = cause.errno if isinstance(cause, OSError) else None
        unmapped = isinstance(cause, ImportError) and any(t in str(cause) for t in _NO_MEMORY)
        unstarted = isinstance(cause, RuntimeError) and _NO_THREAD in str(cause)
        no_room = number in {errno.ENOMEM, errno.EAGAIN}
        if isinstance(cause, MemoryError) or unmapped or unstarted or no_room:
            return EngineError(
                "There is not enough memory for this command, or for another thread.",
                remedy="Free some memory, or raise the limits: see ulimit -v and ulimit -u.",
            )
        if number in {errno.EMFILE, errno.ENFILE}:
            return StorageError(
                "Too many files are open.", remedy="Raise the limit: see ulimit -n."
            )
        if isinstance(cause, RecursionError):
            return TableError(
                "Something in the table's log is nested too deeply.",
                remedy="Find the commit that added the nested value or column, and restore the "
                "version before it.",
            )
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, OSError) and (error.filename or error.errno == errno.ENOENT):
        place = os.fsdecode(error.filename or "the working directory")  # which `getcwd` leaves out
        return StorageError(
            f"Cannot access {place}: {error.strerror}.",
            remedy="Check its name, and the permissions on it.",
        )
    return None


# Streams


class OutputLostError(Exception):
    """Standard output takes no more, which is why the run ends; its cause says why."""


class FileText(StringIO):
    """A replacement for standard output where the result goes to a file."""


def show(context: RunContext, reports: Sequence[Report]) -> int:
    """
    Write *reports* to standard output, as the command line asks for it; the exit code, 0.

    Raises `OutputLostError` where it takes no more.
    """
    style = context.style
    if context.format != "sql":
        _write(partial(_render, context.format, reports, sys.stdout, style))
        return 0
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
    return 0


def rendered(format_name: str, reports: Sequence[Report], style: Style) -> str:
    """The text of *reports* in a format."""
    out = StringIO()
    _render(format_name, reports, out, style)
    return out.getvalue()


def _render(format_name: str, reports: Sequence[Report], out: TextIO, style: Style) -> None:
    # A page that is kept says when it was made; on standard output equal runs write the same.
    if format_name == "html" and (out is not sys.stdout or isinstance(out, FileText)):
        from deltaadm.domain.wire import instant
        from deltaadm.runs.context import answer_time

        made = instant(answer_time())
        style = replace(style, made=f"{made[:10]} {made[11:16]} UTC")
    verbose = messages().verbosity > 0
    render(format_name, reports, out, replace(style, verbose=verbose) if verbose else style)


def write_text(text: str) -> None:
    """Write *text* to standard output as it is; raises `OutputLostError` where it takes no more."""
    _write(partial(sys.stdout.write, text))


def _write(put: Callable[[], object]) -> None:
    # What goes to a file is asked for by its option, however quiet the run is.
    if messages().is_silent and not isinstance(sys.stdout, FileText):
        return
    _ERASER.get()()
    _escape_unencodable(sys.stdout)
    try:
        put()
        sys.stdout.flush()
    # A reader that has enough is no lost output; the program ends with a code of its own.
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        raise OutputLostError from error


def output_error(error: BaseException | None, status: CommitStatus) -> StorageError:
    """The error of a run whose output *error* has ended; it says what was committed."""
    silence(sys.stdout)
    # So after `>&-` in a shell.
    closed = getattr(error, "errno", None) == errno.EBADF
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    cause = "standard output is closed" if closed else reason
    committed = "" if status.clause == NOTHING else f"; {status.clause}"
    return StorageError(
        f"The output cannot be written: {cause}{committed}.",
        remedy="Free some space, or send the output elsewhere.",
    )


def silence(stream: TextIO) -> None:
    """Let everything that is still written to *stream* vanish."""
    # Not closed: Python flushes the stream once more at its end, and would fail then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_on_stderr(context: RunContext, reports: Sequence[Report]) -> None:
    """Write *reports* to standard error, as text: for whoever is about to be asked."""
    _ERASER.get()()
    _escape_unencodable(sys.stderr)
    _render("text", reports, sys.stderr, context.style)
    sys.stderr.flush()


def handle_errors(context: RunContext, table: str, work: Callable[[], int]) -> int:
    """The exit code of *work*, or of the error with which it fails, shown as about *table*."""
    try:
        if context.access.timeout is None:
            return work()
        from deltaadm.runs.deadline import deadline

        with deadline(context.access.timeout):
            return work()
    except (DeltaadmError, MemoryError, OSError, RuntimeError, ImportError) as found:
        error = found if isinstance(found, DeltaadmError) else shortage(found)
        if error is None:
            raise
        if "TABLE" in error.remedy:
            from deltaadm.plans.undo import advice_for

            error.remedy = advice_for(table, error.remedy)
        show_failure(context, table, error)
        return error.exit_code


def show_failure(context: RunContext, table: str, error: DeltaadmError) -> None:
    """The *error* in the answer's place if errors belong there, else on standard error."""
    if FORMATS[context.format].machine and not messages().is_silent:
        from deltaadm.documents import Failure

        show(context, [Failure(table, error)])
        if messages().debug:
            write_stderr(trace(error))
    else:
        show_error(table, error)


def show_error(table: str, error: DeltaadmError) -> None:
    """One sentence and what to do about it, on standard error."""
    is_named = not table or masked(table).rstrip("/") in error.message
    prefix = "" if is_named else f"{visible(table)}: "
    sentence = f"{prefix}{visible(error.message)}"
    remedy = visible(error.remedy)
    shown = _wrapped(f"error: {sentence}", 7) + (_wrapped(f"  {remedy}", 2) if remedy else "")
    _say("error", f"{sentence}\n  {remedy}" if remedy else sentence, shown)
    if messages().debug:
        write_stderr(trace(error))


def trace(error: BaseException) -> str:
    """The traceback of *error*, which may quote a secret of the environment, without it."""
    import traceback

    text = masked("".join(traceback.format_exception(error)), secrets_of_environment())
    return "".join(f"{visible(line)}\n" for line in text.splitlines())


def _wrapped(text: str, hang: int) -> str:
    """*text* in lines for standard error, which go on in column *hang*."""
    from deltaadm.formats.text import Line

    width = width_for(sys.stderr)
    lines = [Line(text)] if width is None else Line(text, hang=hang).fitted(width)
    return "".join(f"{line.text}\n" for line in lines)


def say_end(message: str) -> None:
    """Report on standard error how a run that was cut short ended."""
    _say("error", message.strip(), message)


def info(message: str) -> None:
    """Something about the run, on standard error."""
    _tell("warning" if message.startswith("Warning:") else "info", message)


def command_line(words: Iterable[str]) -> str:
    """The line that runs deltaadm with *words* in a shell, without secrets."""
    return masked(" ".join(("deltaadm", *map(quoted, words))), secrets_of_environment())


def tell_command(sentence: str, command: str) -> None:
    """A *sentence* about the run, and below it the *command* line that it speaks of."""
    if messages().wants("info"):
        shown = visible(sentence), visible(command)
        _say("info", " ".join(shown), "\n{}\n  {}\n".format(*shown))


def detail(message: str) -> None:
    """Something about the run that only those want to know who ask for it."""
    _tell("debug", message)


def _tell(level: str, message: str) -> None:
    if messages().wants(level):
        _say(level, visible(message), _wrapped(visible(message), 2))


def _say(level: str, message: str, text: str) -> None:
    """Write *message* to standard error, where its *text* is that for people, and to the log."""
    chosen = messages()
    if chosen.log_file is not None:
        try:
            _append(chosen.log_file, chosen.line(level, masked(message), timed=True))
        except RefusedError as error:  # which must not stop what may be half done
            _MESSAGES.set(chosen.replaced(log_file=None))
            info(f"Warning: {error.message} It gets no more messages.")
    if chosen.prints(level):
        write_stderr(text if chosen.log_format == "text" else chosen.line(level, message))


def write_stderr(text: str) -> None:
    """Write *text* without secrets to standard error, or go on where that takes no more."""
    _ERASER.get()()
    _escape_unencodable(sys.stderr)
    try:
        sys.stderr.write(masked(text))
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def _escape_unencodable(stream: object) -> None:
    """A name that the stream's encoding lacks is shown escaped rather than ending the run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
