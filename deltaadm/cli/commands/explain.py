"""The subcommands `rules` and `explain`."""

from __future__ import annotations

import sys

from deltaadm.reports.explain import RuleCatalogue, RuleExplanation, explain, list_rules
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import answer


class Rules(Parameters):
    """
    For example:

      deltaadm rules DL4 DL6
    """

    families: list[str] | None = argument("[CODE...]",
        "Codes or families like DL4 (default: all).")  # fmt: skip
    output: OutputOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        return answer(
            context, self.output, RuleCatalogue, "", lambda: [list_rules(self.families or ())]
        )


class Explain(Parameters):
    """
    For example:

      deltaadm explain DL101

      deltaadm explain "Unsupported reader features required: [DeletionVectors]"
    """

    words: list[str] = argument("WORD...",
        "A rule, feature, property, client, Delta error class, the error message of any engine, "
        "or - to read a message from standard input.")  # fmt: skip
    output: OutputOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        return answer(
            context,
            self.output,
            RuleExplanation,
            " ".join(self.words),
            lambda: [explain(sys.stdin.read() if word == "-" else word) for word in self.words],
        )
