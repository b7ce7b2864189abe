"""Continuing an interrupted run from the lines that it wrote."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from deltaadm.documents.common import FORMAT_VERSION
from deltaadm.errors import Refused
from deltaadm.render.overview import kind_of
from deltaadm.runs.reading import read_file

if TYPE_CHECKING:
    from pathlib import Path


def resume_lines(file: Path, kind: str) -> dict[str, str]:
    """
    The lines of *kind* in *file* by table, the newest of several, without those that are errors.

    A last line that was cut off counts as not written; where standard output appends to *file*,
    it is taken out first, so that the file has whole lines only. A file that is not there is
    that of a run that has not begun. Raises `Refused` for anything but JSON lines of deltaadm.
    """
    if not file.exists():
        return {}
    text = read_file(file)
    whole, _, cut = text.rpartition("\n")
    if cut:
        _cut_off(file, len(cut.encode()))
    lines: dict[str, str] = {}
    for number, line in enumerate(whole.split("\n") if whole else (), 1):
        document = _document(file, number, line, kind)
        # An error in a later line does away with an older answer: the table is read again.
        lines.pop(document["table"], None)
        if "error" not in document:
            lines[document["table"]] = f"{line}\n"
    return lines


def _document(file: Path, number: int, line: str, kind: str) -> dict[str, str]:
    try:
        document = json.loads(line)
        ours = document["format_version"] == FORMAT_VERSION and isinstance(document["table"], str)
        if ours and kind_of(document) in {kind, "error"}:
            return dict(document)
    except (ValueError, KeyError, TypeError, StopIteration):
        pass
    raise Refused(
        f"Line {number} of {file} is not the output of this command for a table.",
        remedy="Specify the file with the -o jsonl output of the interrupted run.",
    )


def _cut_off(file: Path, size: int) -> None:
    """Shorten *file* by its last *size* bytes, if standard output goes there."""
    try:
        output = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return
    # The shell has opened the file for appending (`>> FILE`), maybe under another name.
    if os.path.samestat(output, file.stat()):
        os.truncate(file, output.st_size - size)
