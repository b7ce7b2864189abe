"""`deltaadm features`."""

from typing import Annotated

import typer

from deltaadm.cli import streams
from deltaadm.cli.options import OutputOptions, expanded
from deltaadm.operations.features import explain_feature, list_features
from deltaadm.operations.reports import FeatureCatalogue


@expanded
def command(
    name: Annotated[
        str | None, typer.Argument(metavar="[FEATURE]", help="One feature, to be explained.")
    ] = None,
    *,
    output: OutputOptions,
) -> int:
    """
    List all table features, or explain one.

    For example:

      deltaadm features rowTracking

      deltaadm features -o json
    """
    streams.check_format(output, FeatureCatalogue)

    def answer() -> int:
        streams.show([explain_feature(name) if name else list_features()], output)
        return 0

    return streams.failing_well(name or "", output, answer)
