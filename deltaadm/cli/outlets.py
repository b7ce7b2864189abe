"""Destinations of a report: one or several formats, to standard output and to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.render.formats import formats_for
from deltaadm.runs.options import OutputOptions, ReportOptions
from deltaadm.runs.output import check_format
from deltaadm.runs.results import OutputTarget

if TYPE_CHECKING:
    from pathlib import Path


def outlets(options: ReportOptions, report: type) -> tuple[OutputTarget, ...]:
    """
    The outlets that the command line asks for; text on standard output if it asks for none.

    A format that cannot show *report*, and a place that two formats share, are usage errors.
    """
    targets = [_outlet(text, options.output_file, report) for text in options.output or ("text",)]
    if options.color not in {"auto", "always", "never"}:
        check_format(OutputOptions(color=options.color), report)
    places = [target.file for target in targets]
    for place in places:
        if places.count(place) > 1:
            raise UsageError(
                f"several formats go to {place or 'standard output'}; add a file to all but one, "
                "for example -o sarif:report.sarif",
                option="--output",
            )
    if options.output_file is not None and options.output_file not in places:
        raise UsageError("every format already has a file", option="--output-file")
    return tuple(targets)


def _outlet(text: str, default: Path | None, report: type) -> OutputTarget:
    name, colon, file = text.partition(":")
    offered = formats_for(report)
    if name not in offered:
        raise UsageError(f"{name!r} is not one of {', '.join(offered)}", option="--output")
    if colon and not file:
        raise UsageError(f"{text!r} names no file", option="--output")
    if not file:
        return OutputTarget(name, default)
    from pathlib import Path  # which takes its time

    return OutputTarget(name, Path(file))
