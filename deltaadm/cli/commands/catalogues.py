"""The subcommands that explain what is known: `features`, `clients`, `rules` and `explain`."""

from __future__ import annotations

import sys

from deltaadm.errors import UsageError
from deltaadm.reports.catalogues import (
    explain_client,
    explain_feature,
    forecast,
    list_clients,
    list_features,
)
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import show


class Features(Parameters):
    """
    For example:

      deltaadm features rowTracking

      deltaadm features -o json
    """

    name: str | None = argument("[FEATURE]", "Feature to explain.")
    output: OutputOptions
    shows = "FeatureCatalogue"
    about = "name"

    def run(self, context: RunContext) -> int:
        return show(context, [explain_feature(self.name) if self.name else list_features()])


class Clients(Parameters):
    """
    Without a name, shows what the newest release of every client does with each table feature. With
    a name, shows every fact about that client: since which release, according to whom, and when.
    NAME@VERSION shows only what holds for that release.

    For example:

      deltaadm clients

      deltaadm clients trino

      deltaadm clients delta-rs@1.6.6 -o json

      deltaadm clients databricks@18.0 --defaults --from 17.3
    """

    name: str | None = argument("[CLIENT]", "NAME or NAME@VERSION.")
    # fmt: off
    defaults: bool = option(
        "Show the protocol, features and properties that this release gives to new and altered "
        "tables, and the clients that this shuts out.")
    since: str | None = option("--from", "RELEASE",
        "With --defaults: only what an upgrade from RELEASE changes.")
    # fmt: on
    output: OutputOptions
    shows = "ClientCatalogue"
    about = "name"

    def run(self, context: RunContext) -> int:
        if self.since is not None and not self.defaults:
            raise UsageError("goes with --defaults", option="--from")
        if not self.defaults:
            return show(context, [explain_client(self.name) if self.name else list_clients()])
        if self.name is None:
            raise UsageError("needs a CLIENT", option="--defaults")
        from deltaadm.runs.settings import load_settings

        settings = load_settings(context.settings.of(""))
        declared = (*(settings.clients or ()), *(settings.writers or ()))
        return show(context, [forecast(self.name, self.since, declared)])


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
        from deltaadm.reports.explain import list_rules  # and all rules

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
    def about(self) -> str:
        """The words, unless one is a message, which is no name of anything."""
        is_message = any(word == "-" or len(word.split()) > 1 for word in self.words)
        return "" if is_message else "words"

    def run(self, context: RunContext) -> int:
        from deltaadm.reports.explain import explain  # and all rules

        texts = (sys.stdin.read().strip() if word == "-" else word for word in self.words)
        return show(context, [*map(explain, texts)])
