"""A table of a run: found once, then passed on."""

from __future__ import annotations

from deltaadm.dataclass import dataclass
from deltaadm.errors import DeltaadmError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext
    from deltaadm.spark.catalog import CatalogTable


@dataclass(frozen=True, slots=True)
class Target:
    """
    What the user calls a table, its location as stores take it, and its entry in a catalog.

    There is an entry only for a table that was found by its name.
    """

    text: str
    location: str
    catalog_entry: CatalogTable | None = None

    @property
    def name(self) -> str | None:
        """The name, as SQL spells it, under which the table was found in a catalog."""
        return None if self.catalog_entry is None else self.catalog_entry.name

    @property
    def is_managed(self) -> bool:
        """Whether the table was found to be one that its catalog manages."""
        return self.catalog_entry is not None and self.catalog_entry.is_managed


def resolve(
    context: RunContext, text: str, entry: CatalogTable | DeltaadmError | None = None
) -> Target:
    """
    The table that the user calls *text*; *entry* is what a catalog knows of a name, or its error.

    An empty text, most often a variable that is not set, is a usage error. Raises why the name
    does not lead to a Delta table, what `open_store` does, and `Refused` for a location with a
    secret in it.
    """
    if not text:
        raise UsageError("is empty", option="TABLE")
    if isinstance(entry, DeltaadmError):
        raise entry
    place = text if entry is None else entry.require_delta().location or text
    return Target(text, context.locate(place), entry)


def find(context: RunContext, text: str) -> Target:
    """The table that the user calls *text*, looked up if that is a name; see `resolve`."""
    from deltaadm.storage.store import table_name

    if table_name(text) is None:
        return resolve(context, text)
    from deltaadm.runs.catalogs import look_up

    return resolve(context, text, look_up(context, [text]).get(text))
