"""`deltaadm rules`."""

from typing import Annotated

import typer

from deltaadm.cli import streams
from deltaadm.cli.options import OutputOptions, expanded
from deltaadm.operations.explain import list_rules
from deltaadm.operations.reports import RuleCatalogue


@expanded
def command(
    families: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE...]", help="Families or codes, such as DL4; all if none."),
    ] = None,
    *,
    output: OutputOptions,
) -> int:
    """
    List the rules of `validate`.

    For example:

      deltaadm rules DL4 DL6
    """
    streams.check_format(output, RuleCatalogue)

    def answer() -> int:
        streams.show([list_rules(families or ())], output)
        return 0

    return streams.failing_well("", output, answer)
