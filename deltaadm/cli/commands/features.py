"""`deltaadm features`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.operations.features import FeatureCatalogue, explain_feature, list_features
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import answer

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Features(Parameters):
    """
    For example:

      deltaadm features rowTracking

      deltaadm features -o json
    """

    name: str | None = argument(metavar="[FEATURE]", help="The feature to explain.")
    output: OutputOptions


def command(options: Features, context: RunContext) -> int:
    """Carry out the command; the exit code."""
    return answer(
        context,
        options.output,
        FeatureCatalogue,
        options.name or "",
        lambda: [explain_feature(options.name) if options.name else list_features()],
    )
