"""The subcommands `rules` and `explain`."""

from __future__ import annotations

import sys

from deltaadm.reports.explain import explain, list_rules
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import show


class Rules(Parameters):
    """
    For example:

      deltaadm rules DL4 DL6
    """

    families: list[str] | None = argument("[CODE...]",
        "Codes or families like DL4 (default: all).")  # fmt: skip
    output: OutputOptions
    shows = "RuleCatalogue"

    def run(self, context: RunContext) -> int:
        return show(context, [list_rules(self.families or ())])


class Explain(Parameters):
    """
    For example:

      deltaadm explain DL101

      deltaadm explain "Unsupported reader features required: [DeletionVectors]"

      deltaadm explain - < error.log
    """

    words: list[str] = argument("WORD...",
        "A rule, feature, property, client, Delta error class, the error message of any engine, "
        "or - to read a message from standard input.")  # fmt: skip
    output: OutputOptions
    shows = "RuleExplanation"

    @property
    def about(self) -> str:  # type: ignore[override]
        """The words, unless one is a message, which is no name of anything."""
        is_message = any(word == "-" or len(word.split()) > 1 for word in self.words)
        return "" if is_message else "words"

    def run(self, context: RunContext) -> int:
        texts = (sys.stdin.read().strip() if word == "-" else word for word in self.words)
        return show(context, [*map(explain, texts)])
