"""The subcommands `features` and `clients`."""

from __future__ import annotations

from deltaadm.reports.clients import ClientCatalogue, explain_client, list_clients
from deltaadm.reports.features import FeatureCatalogue, explain_feature, list_features
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import answer


class Features(Parameters):
    """
    For example:

      deltaadm features rowTracking

      deltaadm features -o json
    """

    name: str | None = argument("[FEATURE]", "Feature to explain.")
    output: OutputOptions

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        return answer(
            context,
            self.output,
            FeatureCatalogue,
            self.name or "",
            lambda: [explain_feature(self.name) if self.name else list_features()],
        )


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

    def run(self, context: RunContext) -> int:
        """Carry out the command; the exit code."""
        return answer(
            context,
            self.output,
            ClientCatalogue,
            self.name or "",
            lambda: [explain_client(self.name) if self.name else list_clients()],
        )
