"""Files that a command writes: plans, reports, lists."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.errors import Refused
from deltaadm.runs.output import FileText, info

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def save_plan(path: Path, text: str) -> None:
    """Write the document of a plan, and say how it is carried out."""
    write_file(path, text + "\n")
    announce_plans(path)


def announce_plans(path: Path, plans: int = 1) -> None:
    """Say how the *plans* saved at *path* are carried out."""
    from deltaadm.operations.commands import quoted

    them, what = ("it", "the plan") if plans == 1 else ("them", f"{plans} plans")
    # A name that begins with a dash would be taken for an option.
    place = f"./{path}" if str(path).startswith("-") else str(path)
    info(f"Saved {what} to {path}; apply {them} with: deltaadm apply {quoted(place)}")


def answer_to_file(path: Path, work: Callable[[], int]) -> int:
    """
    The exit code of *work*, whose answer is written to the file instead of standard output.

    It is written as a whole, once the work has ended.
    """
    before, sys.stdout = sys.stdout, FileText()
    try:
        code = work()
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = before
    write_file(path, text)
    return code


def write_file(path: Path, text: str) -> None:
    """
    Write the whole of *text*; raises `Refused`, and what was there stays, where that fails.

    A file is written in the place of a regular file or of nothing.
    """
    from deltaadm.storage.files import write_whole

    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> Refused:
    """Why the file at *path* cannot be written."""
    return Refused(
        f"The file {path} cannot be written: {error.strerror or error}.",
        remedy="Choose another path.",
    )
