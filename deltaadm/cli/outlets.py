"""Where a report goes: one or several formats, to standard output and to files."""

from pathlib import Path

import typer

from deltaadm.cli import streams
from deltaadm.cli.fleet import Outlet
from deltaadm.cli.options import OutputOptions, ReportOptions
from deltaadm.render.formats import formats_for


def outlets(given: ReportOptions, report: type) -> tuple[Outlet, ...]:
    """
    The outlets that the command line asks for; text on standard output if it asks for none.

    A format that cannot show *report*, and a place that two formats share, are usage errors.
    """
    found = [_outlet(text, given.output_file, report) for text in given.output or ("text",)]
    if given.color not in {"auto", "always", "never"}:
        streams.check_format(OutputOptions(color=given.color), report)
    places = [one.file for one in found]
    for place in places:
        if places.count(place) > 1:
            raise typer.BadParameter(
                f"several formats go to {place or 'standard output'}; give all but one a file, "
                "as in -o sarif:report.sarif",
                param_hint="--output",
            )
    if given.output_file is not None and given.output_file not in places:
        raise typer.BadParameter(
            "every format has a file of its own already", param_hint="--output-file"
        )
    return tuple(found)


def _outlet(text: str, default: Path | None, report: type) -> Outlet:
    name, colon, file = text.partition(":")
    offered = formats_for(report)
    if name not in offered:
        raise typer.BadParameter(
            f"{name!r} is not one of {', '.join(offered)}", param_hint="--output"
        )
    if colon and not file:
        raise typer.BadParameter(f"{text!r} names no file", param_hint="--output")
    return Outlet(name, Path(file) if file else default)
