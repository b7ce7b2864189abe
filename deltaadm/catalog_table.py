"""A table as its catalog has it, and what the catalog says of its versions."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from deltaadm.dataclass import dataclass
from deltaadm.errors import RefusedError, TableError

DELTA: Final = "delta"
SESSION_CATALOG: Final = "spark_catalog"


class CatalogTable(NamedTuple):
    """
    A table or view as its catalog has it; nothing of Delta's log is read for this.

    `name` is whole and quoted where it has to be: `spark_catalog.sales.orders`. `location` is as
    `open_store` takes it, empty for a view; `provider` is empty where the catalog names none. With
    `is_managed`, the files go when the table is dropped.
    """

    name: str
    provider: str
    location: str
    is_view: bool = False
    is_managed: bool = False

    @property
    def is_delta(self) -> bool:
        """Whether Delta's catalog extension would take it for its own."""
        return not self.is_view and self.provider == DELTA

    @property
    def is_foreign(self) -> bool:
        """Whether Delta's catalog extension, of Spark's own catalog, would leave it to that."""
        others = bool(self.provider) and not self.is_delta
        return others and not self.is_view and self.name.startswith(f"{SESSION_CATALOG}.")

    def require_delta(self) -> CatalogTable:
        """The table itself; raises `TableError` for a view, and for a table not of Delta."""
        if self.is_view:
            raise TableError(
                f"{self.name} is a view, which has no protocol.",
                remedy="Use the tables that it reads; SHOW CREATE TABLE shows them.",
                delta_error_class="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            )
        if not self.is_delta:
            raise TableError(
                f"{self.name} is not a Delta table: its "
                + (
                    f"provider is {self.provider}, its files are at {self.location}."
                    if self.provider
                    else "catalog names no provider."
                ),
                remedy="Only Delta tables have a protocol. deltaadm can alter other tables if they "
                "are in Spark's own catalog, one at a time: `deltaadm alter NAME`.",
                delta_error_class="DELTA_TABLE_ONLY_OPERATION",
            )
        return self


class RatifiedCommit(NamedTuple):
    """
    A commit that a catalog has accepted, and which may not be published in the log yet.

    `name` is that of the file in `_staged_commits` that holds it; `size` is in bytes, `modified`
    in milliseconds since the epoch.
    """

    version: int
    name: str
    size: int
    modified: int


@dataclass(frozen=True, kw_only=True)
class CatalogState:
    """
    A table as its catalog describes it; None for what the catalog leaves out.

    `name` is as SQL spells it, and `catalog` what the catalog is called in messages. `version` is
    the newest one, where the catalog decides which commits there are, and `commits` are those of
    them that it still keeps, by version. `fields` and `partition_columns` are the schema in the
    form of Delta's JSON, `metadata_version` the version that changed it last.
    """

    name: str
    catalog: str
    location: str
    table_id: str | None = None
    version: int | None = None
    commits: tuple[RatifiedCommit, ...] = ()
    fields: tuple[Mapping[str, Any], ...] | None = None
    partition_columns: tuple[str, ...] | None = None
    properties: Mapping[str, str] | None = None
    metadata_version: int | None = None

    @property
    def manages_commits(self) -> bool:
        """Whether the catalog, not the log, decides which commits there are."""
        return self.version is not None


def is_name_pattern(text: str) -> bool:
    """Whether *text* is a pattern for names: `*` for any text, `?` for one character."""
    return "*" in text or "?" in text


def pattern_parts(pattern: str, *forms: str) -> list[str]:
    """
    The parts of *pattern*, which has one of *forms*, such as `catalog.schema.table`.

    Schema and table may be patterns for names. Raises `RefusedError` for anything else.
    """
    parts = pattern.split(".")
    lengths = [len(form.split(".")) for form in forms]
    if len(parts) not in lengths or not all(parts) or any(map(is_name_pattern, parts[:-2])):
        raise RefusedError(
            f"{pattern!r} is not a pattern for table names.",
            remedy=f"Write {' or '.join(forms)}, with * for any text in schema and table, for "
            "example main.sales.*.",
        )
    return parts


def matches_name(name: str, pattern: str) -> bool:
    """Whether *name* matches *pattern*, ignoring case."""
    # To fnmatch brackets are a set of characters, here they are none.
    return fnmatchcase(name.lower(), pattern.lower().replace("[", "[[]"))
