"""The options that every command has: for its messages, its settings and its help."""

from __future__ import annotations

from deltaadm.errors import UsageError
from deltaadm.runs.declare import COMMON, NEVER, Parameters, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path


class MessageOptions(Parameters):
    """Messages about the run, on standard error and in a file."""

    heading = "Messages"
    scope = COMMON

    # fmt: off
    quiet: int = option("--quiet", "-q",
        "Leave out messages about the run and tables without findings; -qq: show only errors.",
        counted=True)
    verbose: int = option("--verbose", "-v",
        "Show more about the run; -vv: also Spark's messages.", counted=True)
    log_format: str = option("FORM", "Format of messages: text or json.", default="text")
    log_file: Path | None = option("FILE",
        "Also append all messages to this file, with their times.")
    # fmt: on
    no_input: bool = option("Never prompt, even on a terminal.")


class SettingsOptions(Parameters):
    """The sources of settings besides the command line."""

    heading = "Settings"
    scope = NEVER

    config: list[str] | None = option("FILE|KEY=VALUE",
        "Settings file, instead of deltaadm.toml or pyproject.toml; or one setting, such as "
        "validate.deep=true; may be given several times.")  # fmt: skip
    isolated: bool = option("Ignore settings files.")


class HelpOptions(Parameters):
    """The help, instead of an answer."""

    heading = "Help"
    scope = NEVER

    help: bool = option("-h", "--help", "Show this message and exit.")


def begin(options: MessageOptions) -> None:
    """Use the messages that are asked for during the rest of the run."""
    from deltaadm.runs.output import Messages, use_messages

    if options.log_format not in {"text", "json"}:
        raise UsageError(f"{options.log_format!r} is not one of text, json", option="--log-format")
    if options.quiet and options.verbose:
        raise UsageError("cannot be combined with --verbose", option="--quiet")
    use_messages(
        Messages(
            options.verbose - options.quiet,
            as_json=options.log_format == "json",
            file=options.log_file,
            asks=not options.no_input,
        )
    )
