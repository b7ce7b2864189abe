"""A table of a run: found once, then passed on."""

from __future__ import annotations

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import DeltaadmError, TableError, UsageError
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.context import RunContext
from deltaadm.runs.output import detail as tell
from deltaadm.storage.store import table_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deltaadm.catalog_table import CatalogTable


@dataclass(frozen=True)
class Target:
    """
    What the user calls a table, its location, and its entry if a catalog knows its name.

    Where there need not be a table yet, it `may_be_missing`.
    """

    text: str
    location: str
    catalog_entry: CatalogTable | None = None
    may_be_missing: bool = False

    @property
    def name(self) -> str | None:
        """The name, as SQL spells it, under which the table was found in a catalog."""
        return None if self.catalog_entry is None else self.catalog_entry.name

    @property
    def is_managed(self) -> bool:
        """Whether the table was found to be one that its catalog manages."""
        return self.catalog_entry is not None and self.catalog_entry.is_managed

    def load(
        self,
        context: RunContext,
        *,
        detail: Detail | None = None,
        version: int | None = None,
        timestamp: int | None = None,
        known: Snapshot | None = None,
    ) -> Snapshot:
        """
        The state of the table; protocol and metadata alone unless *detail* says more.

        *known* is as `load_snapshot` has it.
        """
        try:
            snapshot = load_snapshot(
                context.open_store(self.location),
                context.engine,
                detail=detail or Detail.PROTOCOL,
                version=version,
                timestamp=timestamp,
                known=known,
            )
        except TableError as error:
            if self.may_be_missing and error.delta_error_class == "DELTA_MISSING_DELTA_TABLE":
                from deltaadm.domain.steps.table import no_table

                return no_table(self.location, self.name)
            raise
        tell(f"Read version {snapshot.version} of {self.text} at {self.location}")
        return snapshot if self.name is None else replace(snapshot, name=self.name)


def resolve(
    context: RunContext, text: str, entry: CatalogTable | DeltaadmError | None = None
) -> Target:
    """
    The table that the user calls *text*; *entry* is what a catalog knows of a name, or its error.

    Raises `UsageError` for an empty text, most often a variable that is not set; why the name leads
    to no Delta table; what `open_store` does; and `RefusedError` for a location with a secret.
    """
    if not text:
        raise UsageError("is empty", option="TABLE")
    if isinstance(entry, DeltaadmError):
        raise entry
    place = text if entry is None else entry.require_delta().location or text
    return Target(text, context.locate(place), entry)


def find(context: RunContext, text: str) -> Target:
    """The table that the user calls *text*, looked up if that is a name; see `resolve`."""
    if table_name(text) is None:
        return resolve(context, text)
    from deltaadm.runs.names import look_up

    return resolve(context, text, look_up(context, [text]).get(text))


def resolve_new(context: RunContext, text: str, location: str | None) -> Target:
    """
    What the user calls *text*, where it is or will be once it is created.

    *location* is the user's choice for a table with a name. Raises what `resolve` does, and
    `TableError` for a name of a view or of a table of another provider.
    """
    from deltaadm.runs.names import entry_of_new

    target = resolve(context, text, entry_of_new(context, text, location))
    return replace(target, may_be_missing=True)


def load_at(context: RunContext, place: str) -> Snapshot:
    """The whole state of the table at *place*, which is none that was looked up by a name."""
    target = resolve(context, place)
    return replace(target.load(context, detail=Detail.STATE), root=target.location)
