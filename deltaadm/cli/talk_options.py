"""The options that every command has: how much it says about the run, and where."""

from __future__ import annotations

from deltaadm.cli.declare import Parameters, option
from deltaadm.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path


class TalkOptions(Parameters):
    """What is said about the run, on standard error and in a file."""

    heading = "Messages"

    quiet: int = option(
        "--quiet",
        "-q",
        help="Say nothing about the run and about tables without findings; -qq: only the exit "
        "code and files.",
        counted=True,
    )
    verbose: int = option(
        "--verbose", "-v", help="Say more about the run; -vv: also what Spark says.", counted=True
    )
    log_format: str = option(
        metavar="FORM", help="How messages are written: text or json.", default="text"
    )
    log_file: Path | None = option(
        metavar="FILE", help="Also append all messages to this file, with their times."
    )


def begin(given: TalkOptions) -> None:
    """Let the rest of the run say as much as is asked for."""
    from deltaadm.runs.talk import Talk, take

    if given.log_format not in {"text", "json"}:
        raise UsageError(f"{given.log_format!r} is not one of text, json", option="--log-format")
    if given.quiet and given.verbose:
        raise UsageError("cannot be combined with --verbose", option="--quiet")
    take(Talk(given.verbose - given.quiet, as_json=given.log_format == "json", file=given.log_file))
