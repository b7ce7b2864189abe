"""The subcommands `features` and `clients`."""

from __future__ import annotations

from deltaadm.errors import UsageError
from deltaadm.reports.catalogues import explain_client, explain_feature, list_clients, list_features
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
        from deltaadm.reports.defaults import forecast
        from deltaadm.runs.settings import load_settings

        settings = load_settings(context.settings.of(""))
        declared = (*(settings.clients or ()), *(settings.writers or ()))
        return show(context, [forecast(self.name, self.since, declared)])
