"""`deltaadm explain`."""

from typing import Annotated

import typer

from deltaadm.cli import streams
from deltaadm.cli.options import OutputOptions, expanded
from deltaadm.operations.explain import explain
from deltaadm.operations.reports import RuleExplanation


@expanded
def command(
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORD...", help="A rule, a table feature or a Delta error class."),
    ],
    *,
    output: OutputOptions,
) -> int:
    """
    Explain a rule, a table feature or an error of Delta.

    For example:

      deltaadm explain DL101

      deltaadm explain DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH
    """
    streams.check_format(output, RuleExplanation)

    def answer() -> int:
        streams.show([explain(word) for word in words], output)
        return 0

    return streams.failing_well(" ".join(words), output, answer)
