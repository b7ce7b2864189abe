"""
Unity Catalog by its REST interfaces.

Tables are loaded by the interface for Delta clients where the server has it for their catalog, and
otherwise by the older one, in which lists are made in any case.
"""

from __future__ import annotations

from contextlib import closing
from enum import Enum
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from deltaadm.catalog.answers import (
    credentials_for_delta,
    entry_for_delta,
    entry_of,
    is_managed,
    older_credentials,
    page_of,
    state_for_delta,
    state_of_info,
    with_commits,
)
from deltaadm.catalog.rest import CatalogRefusal, Rest
from deltaadm.domain.model.catalog_table import is_name_pattern, matches_name, names_alike
from deltaadm.domain.model.schema import path_text
from deltaadm.errors import Refused, StorageError, TableError
from deltaadm.storage.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from deltaadm.domain.model.catalog_table import CatalogState, CatalogTable
    from deltaadm.storage.credentials import TemporaryCredentials

    Document = Mapping[str, Any]
    Value = TypeVar("Value")

_PREFIX: Final = ("api", "2.1", "unity-catalog")
_LOAD: Final = "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}"
_CREDENTIALS: Final = f"{_LOAD}/credentials"
_PROTOCOLS: Final = "1.0"
_PAGE: Final = "50"
"""Tables in an answer, as many as the description allows."""

PAGES: Final = 10_000
ENTRIES: Final = 1_000_000
"""Pages and entries of a list, at most."""

_AT_ONCE: Final = 16
_PARTS: Final = 3


class Access(Enum):
    """The operations that temporary credentials allow; values are the catalog's terms."""

    READ = "READ"
    READ_WRITE = "READ_WRITE"


class UnityCatalog:
    """
    The server at *url*, the beginning of which is all that has to be given.

    *token* says who asks; *token_names* are the variables that it may come from.
    """

    def __init__(self, url: str, token: str, *, token_names: str) -> None:
        base = url.rstrip("/")
        if not base.endswith("/".join(_PREFIX)):
            base = "/".join((base, *_PREFIX))
        self.name = f"Unity Catalog at {base.removesuffix('/' + '/'.join(_PREFIX))}"
        self._rest = Rest(base, token, name=self.name, token_names=token_names)
        self._endpoints: dict[str, frozenset[str]] = {}
        self._asking = Lock()

    # Tables

    def load_table(self, name: Sequence[str]) -> tuple[CatalogTable, CatalogState | None]:
        """
        The table with the parts *name*, catalog, schema and table, and its state if it is Delta's.

        Raises `TableError` where there is none, `Refused` for a name of other parts, and
        `StorageError` for trouble with the catalog.
        """
        _require_whole(name)
        has_route = _LOAD in self._endpoints_of(name[0])
        answer = self._if_known(*_delta_path(name)) if has_route else None
        if answer is None:  # for a view, say, of which only the older interface tells
            return self._load_older(name)
        return self._parse(
            lambda: (entry_for_delta(name, answer), state_for_delta(answer, name, self.name))
        )

    def _load_older(self, name: Sequence[str]) -> tuple[CatalogTable, CatalogState | None]:
        try:
            info = self._rest.get("tables", ".".join(name))
        except CatalogRefusal as error:
            if error.status != 404 or not error.reason:  # noqa: PLR2004 -- not found
                raise
            raise self._no_table(name) from None
        entry = self._parse(lambda: entry_of(name, info))
        if not entry.is_delta:
            return entry, None
        state = self._parse(lambda: state_of_info(info, name, self.name))
        if is_managed(state):
            state = self._parse(lambda: with_commits(state, partial(self._commits, state)))
        return entry, state

    def _commits(self, state: CatalogState, start: int) -> Document:
        asked = {"table_id": state.table_id, "table_uri": state.location, "start_version": start}
        return self._rest.get("delta", "preview", "commits", body=asked)

    def _no_table(self, name: Sequence[str]) -> TableError:
        try:
            # Only for a hint, which must not hide what is wrong with the table itself.
            known = [info["name"] for info in self._tables(*name[:2])]
        except (StorageError, TableError):
            known = []
        return TableError(
            f"Table {path_text(tuple(name))} does not exist in {self.name}, or this user may not "
            "see it.",
            remedy=names_alike(name[2], known)
            or f"deltaadm inspect --catalog {name[0]}.{name[1]}.* lists the tables of the schema.",
            delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
        )

    # Lists

    def list_tables(self, pattern: str) -> tuple[CatalogTable, ...]:
        """
        The Delta tables whose names match *pattern*, in the order of their names.

        *pattern* is `catalog.schema.table`, with `*` for any text and `?` for one character in the
        last two parts. Raises what `load_table` does, and `Refused` for another pattern.
        """
        catalog, schema, table = _pattern(pattern)
        schemas = [schema]
        if is_name_pattern(schema):
            listed = self._pages("schemas", "schemas", {"catalog_name": catalog}, catalog)
            schemas = [info["name"] for info in listed if matches_name(info["name"], schema)]
        with closing(Threads(_AT_ONCE)) as threads:
            pending = [
                threads.submit(partial(self._delta_tables, catalog, schema_name, table))
                for schema_name in schemas
            ]
            tables = [entry for entries in pending for entry in entries.result()]
        return tuple(sorted(tables, key=lambda entry: entry.name))

    def _delta_tables(self, catalog: str, schema: str, pattern: str) -> list[CatalogTable]:
        entries = (
            self._parse(partial(entry_of, (catalog, schema, info["name"]), info))
            for info in self._tables(catalog, schema)
            if matches_name(info["name"], pattern)
        )
        return [entry for entry in entries if entry.is_delta]

    def _tables(self, catalog: str, schema: str) -> Iterator[Document]:
        query = {
            "catalog_name": catalog, "schema_name": schema, "max_results": _PAGE,
            # Fifty tables with all their columns can be megabytes.
            "omit_columns": "true", "omit_properties": "true",
        }  # fmt: skip
        return self._pages("tables", "tables", query, f"{catalog}.{schema}")

    def _pages(
        self, path: str, field: str, query: Mapping[str, str], parent: str
    ) -> Iterator[Document]:
        """The entries of *field* in all pages of a list, some of which may be empty."""
        token, seen, entries = "", {hash("")}, 0
        while len(seen) <= PAGES and entries <= ENTRIES:
            more = {"page_token": token} if token else {}
            try:
                answer = self._rest.get(path, query={**query, **more})
            except CatalogRefusal as error:
                if error.status != 404 or not error.reason:  # noqa: PLR2004 -- not found
                    raise
                kind = "Schema" if "." in parent else "Catalog"
                raise TableError(
                    f"{kind} {parent} does not exist in {self.name}, or this user may not see it.",
                    remedy="Check its name and the privileges.",
                    delta_error_class="SCHEMA_NOT_FOUND",
                ) from None
            listed, token = self._parse(partial(page_of, answer, field))
            yield from listed
            if not token:
                return
            if hash(token) in seen:
                raise StorageError(
                    f"{self.name} lists {field} without end: it gives the same page token twice.",
                    remedy="Report this to its operator.",
                )
            seen.add(hash(token))
            entries += len(listed)
        raise StorageError(
            f"{self.name} lists more than {PAGES:,} pages or {ENTRIES:,} entries of {field}.",
            remedy="Give the names of tables, or patterns for the names of schemas.",
        )

    def describe_access(self) -> str:
        """Describe what can be listed and how tables load; raises what `list_tables` does."""
        catalogs = [info["name"] for info in self._pages("catalogs", "catalogs", {}, "")]
        number = "1 catalog" if len(catalogs) == 1 else f"{len(catalogs)} catalogs"
        summary = f"{number} can be listed"
        if not catalogs:
            return summary
        by_delta = any(_LOAD in self._endpoints_of(name) for name in catalogs[:1])
        return f"{summary}; tables are loaded by " + (
            "the interface for Delta clients" if by_delta else "the older interface"
        )

    # Credentials

    def credentials(
        self, state: CatalogState, name: Sequence[str], access: Access
    ) -> TemporaryCredentials | None:
        """
        Temporary credentials for the files of a table; None where the catalog has none to give.

        Raises `StorageError` where it denies them.
        """
        if _CREDENTIALS in self._endpoints_of(name[0]):
            query = {"operation": access.value}
            answer = self._if_known(*_delta_path(name), "credentials", query=query)
            if answer is not None:
                return self._parse(
                    lambda: credentials_for_delta(answer, state.location, access.value)
                )
        asked = {"table_id": state.table_id, "operation": access.value}
        older = self._rest.post("temporary-table-credentials", body=asked)
        return self._parse(lambda: older_credentials(older))

    def _if_known(self, *path: str, query: Mapping[str, str] | None = None) -> Document | None:
        """The answer at *path* of the interface for Delta clients; None where it has none."""
        try:
            return self._rest.get("delta", "v1", *path, query=query)
        except CatalogRefusal as error:
            if not error.is_unknown_route:
                raise
            return None

    def _parse(self, parse: Callable[[], Value]) -> Value:
        """Parse a response with *parse*; raises if it is not as the API specifies."""
        try:
            return parse()
        except (ValueError, RecursionError) as error:
            raise StorageError(
                f"{self.name} answers something that is not understood: {error}.",
                remedy="Check that the server's version is one that deltaadm knows.",
            ) from error

    def _endpoints_of(self, catalog: str) -> frozenset[str]:
        """Return the endpoints of the API for Delta clients for *catalog*; empty if it has none."""
        with self._asking:  # so that tables that are looked up at once ask once
            if catalog not in self._endpoints:
                self._endpoints[catalog] = self._fetch_endpoints(catalog)
            return self._endpoints[catalog]

    def _fetch_endpoints(self, catalog: str) -> frozenset[str]:
        query = {"catalog": catalog, "protocol-versions": _PROTOCOLS}
        endpoints = (self._if_known("config", query=query) or {}).get("endpoints")
        return frozenset(map(str, endpoints)) if isinstance(endpoints, list) else frozenset()


def _delta_path(name: Sequence[str]) -> tuple[str, ...]:
    catalog, schema, table = name
    return ("catalogs", catalog, "schemas", schema, "tables", table)


def _require_whole(name: Sequence[str]) -> None:
    if len(name) != _PARTS:
        raise Refused(
            f"{path_text(tuple(name))} does not say in which catalog it is.",
            remedy="Write catalog.schema.table.",
        )


def _pattern(text: str) -> list[str]:
    parts = text.split(".")
    if len(parts) == _PARTS and all(parts) and not is_name_pattern(parts[0]):
        return parts
    raise Refused(
        f"{text!r} is not a pattern for the names of tables in Unity Catalog.",
        remedy="Write catalog.schema.table, with * for any text in schema and table, such as "
        "main.sales.*.",
    )
