"""The subcommands `features` and `clients`."""

from __future__ import annotations

from deltaadm.reports.clients import explain_client, list_clients
from deltaadm.reports.features import explain_feature, list_features
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument
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
    """

    name: str | None = argument("[CLIENT]", "NAME or NAME@VERSION.")
    output: OutputOptions
    shows = "ClientCatalogue"
    about = "name"

    def run(self, context: RunContext) -> int:
        return show(context, [explain_client(self.name) if self.name else list_clients()])
