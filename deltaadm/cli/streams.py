"""What a command writes: its answer, what it says about the run, and files."""

from __future__ import annotations

import os
import sys
from functools import partial

from deltaadm.errors import DeltaadmError, Refused, StorageError
from deltaadm.render.formats import FORMATS, Style, formats_for, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Protocol, TextIO

    from deltaadm.operations.reports import Report
else:
    Protocol = object


class Look(Protocol):
    """How an answer is to be shown: a format's name, and auto, always or never."""

    @property
    def output(self) -> str:
        """The format."""

    @property
    def color(self) -> str:
        """When to use colours."""


class OutputLost(StorageError):  # noqa: N818 -- reads as what happened
    """Standard output takes no more, so that errors can only be told elsewhere."""


def check_format(output: Look, report: type) -> None:
    """Turn away a format that there is not, or that cannot show *report*: a usage error."""
    import typer

    offered = formats_for(report)
    if output.output not in offered:
        raise typer.BadParameter(
            f"{output.output!r} is not one of {', '.join(offered)}", param_hint="--output"
        )
    if output.color not in {"auto", "always", "never"}:
        raise typer.BadParameter(
            f"{output.color!r} is not one of auto, always, never", param_hint="--color"
        )


def show(reports: Sequence[Report], output: Look) -> None:
    """Write *reports* to standard output, as *output* says."""
    write(reports, output.output, Style(color=output.color))


def write(reports: Sequence[Report], format_name: str, style: Style) -> None:
    """Write *reports* to standard output; raises `OutputLost` where it takes no more."""
    _write(partial(render, format_name, reports, sys.stdout, style))


def _write(put: Callable[[], object]) -> None:
    _survive_odd_names(sys.stdout)
    try:
        put()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise output_lost(error) from error


def output_lost(error: OSError) -> OutputLost:
    """What *error* means for a run whose output it has ended; it says what was committed."""
    discard_output()
    cause = (error.strerror or str(error)).lower()
    committed = "" if _Progress.state == _NOTHING else f"; {_Progress.state}"
    return OutputLost(
        f"The output cannot be written: {cause}{committed}.",
        remedy="Make room, or send it elsewhere.",
    )


def discard_output() -> None:
    """Let everything that is still written to standard output vanish."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_to_user(reports: Sequence[Report], output: Look) -> None:
    """Write *reports* to standard error, as text: for whoever is about to be asked."""
    _survive_odd_names(sys.stderr)
    render("text", reports, sys.stderr, Style(color=output.color))
    sys.stderr.flush()


def write_text(text: str) -> None:
    """Write *text* to standard output as it is; raises `OutputLost` where it takes no more."""
    _write(partial(sys.stdout.write, text))


def failing_well(table: str, output: Look, work: Callable[[], int]) -> int:
    """
    The exit code of *work*, or of the error with which it fails.

    An error about *table* stands in the answer's place where errors belong into the output,
    elsewhere on standard error.
    """
    try:
        return work()
    except OutputLost:
        raise
    except DeltaadmError as error:
        if FORMATS[output.output].machine:
            from deltaadm.operations.reports import Failure

            show([Failure(table, error)], output)
        else:
            say_error(table, error)
        return error.exit_code


def reporting(table: str, output: Look, report: Callable[[str], Report]) -> int:
    """Show the *report* of *table*, or the error with which it fails; the exit code."""

    def answer() -> int:
        show([report(table)], output)
        return 0

    return failing_well(table, output, answer)


def say_error(table: str, error: DeltaadmError) -> None:
    """One sentence and what to do about it, on standard error."""
    from deltaadm.masking import masked
    from deltaadm.render.visible import visible

    named = "" if not table or masked(table) in error.message else f"{visible(table)}: "
    remedy = f"  {visible(error.remedy)}\n" if error.remedy else ""
    tell(f"error: {named}{visible(error.message)}\n{remedy}")


def say(message: str) -> None:
    """Something about the run, on standard error."""
    from deltaadm.render.visible import visible

    tell(f"{visible(message)}\n")


def tell(text: str) -> None:
    """
    Write *text* to standard error, without secrets in URLs.

    Where that takes no more, the run goes on without.
    """
    from deltaadm.masking import masked

    _survive_odd_names(sys.stderr)
    try:
        sys.stderr.write(masked(text))
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _survive_odd_names(stream: object) -> None:
    """A name that the stream's encoding lacks is shown escaped rather than ending the run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def save_plan(path: Path, text: str) -> None:
    """Write the document of a plan, and say how it is carried out."""
    write_file(path, text + "\n")
    say_saved(path)


def say_saved(path: Path, plans: int = 1) -> None:
    """How the *plans* that were saved at *path* are carried out."""
    from deltaadm.operations.mend import quoted

    them, are = ("it", "The plan is") if plans == 1 else ("them", f"{plans} plans are")
    place = f"./{path}" if str(path).startswith("-") else str(path)
    say(f"{are} in {path}; carry {them} out with: deltaadm apply {quoted(place)}")


def write_file(path: Path, text: str) -> None:
    """Write *text*; raises `Refused` where the file system does not let us."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"The file {path} cannot be written: {error.strerror}.",
            remedy="Choose another place.",
        ) from error


def read_file(path: Path) -> str:
    """The text of the file at *path*, BOM or not; raises `Refused` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refused(
            f"The file {path} cannot be read: {reason}.", remedy="Check its name."
        ) from error


_NOTHING = "nothing was committed"


class _Progress:
    """What an interrupted run has to say about commits."""

    state = _NOTHING


def note_commits(state: str) -> None:
    """Remember *state*, a clause, for the case that the run is interrupted."""
    _Progress.state = state


def commit_state() -> str:
    """Whether anything was committed so far, as far as this run knows."""
    return _Progress.state
