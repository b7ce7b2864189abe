"""Unity Catalog by its REST interfaces, and the log of a table that it knows."""

from __future__ import annotations

import json
import random
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar
from urllib.error import URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPErrorProcessor, Request, build_opener

from deltaadm import __version__
from deltaadm.catalog_table import (
    DELTA,
    CatalogState,
    CatalogTable,
    RatifiedCommit,
    is_name_pattern,
    matches_name,
    pattern_parts,
)
from deltaadm.dataclass import replace
from deltaadm.domain.properties import whole_number
from deltaadm.domain.schema import path_text
from deltaadm.domain.snapshot import FileInfo, Kind, LogFile, commit_name
from deltaadm.errors import RefusedError, StorageError, TableError
from deltaadm.json_values import elements, flag, place, text, text_map, texts, version_number
from deltaadm.masking import masked
from deltaadm.storage.object_store import TemporaryCredentials
from deltaadm.storage.store import WritableStore
from deltaadm.storage.threads import each_ahead, in_time

if TYPE_CHECKING:
    from email.message import Message

Document = Mapping[str, Any]
Value = TypeVar("Value")
Other = TypeVar("Other")


# Requests


_TRIES: Final = 6
_LASTING: Final = (ssl.SSLError, ConnectionRefusedError, socket.gaierror, ValueError)
"""Errors that do not go away when the server is asked again."""

PATIENCE: Final = 60.0
"""Seconds in which an answer is complete, and in which a request is tried again, at most."""


_LARGEST: Final = 1 << 22
"""Bytes of an answer, at most: in memory it can take twenty times as many."""

_LONGEST: Final = 300
"""Characters of the server's own words that are quoted."""


class CatalogError(StorageError):
    """The server refuses: `status` is HTTP's, `reason` its word for the kind, if it has one."""

    def __init__(self, message: str, *, status: int = 0, reason: str = "", **more: Any) -> None:
        super().__init__(message, **more)
        self.status = status
        self.reason = reason


class _AsItIs(HTTPErrorProcessor):
    """Returns every answer: urllib would send the token along to wherever a redirection leads."""

    def http_response(self, request: Request, response: HTTPResponse) -> Any:  # noqa: ARG002
        return response

    https_response = http_response


_PASSING: Final = frozenset({429, 500, 502, 503, 504})
"""What a server answers that may answer otherwise a little later."""

_CAUSES: Final[tuple[tuple[type, str], ...]] = (
    (ssl.SSLCertVerificationError,
     ("the server's certificate is not accepted (SSL_CERT_FILE names a file with the certificates "
     "of an authority of your own)")),
    (ssl.SSLError, "the server does not speak TLS"),
    (ConnectionRefusedError, "the connection is refused"),
    (socket.gaierror, "cannot resolve the host name"),
    (TimeoutError, "the server does not answer in time"),
    (IncompleteRead, "its answer breaks off"),
)  # fmt: skip


def _document(body: bytes) -> Document | None:
    try:
        document = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


# Responses


_MANAGED: Final = "MANAGED"
_MANAGING: Final = ("delta.feature.catalogManaged", "delta.feature.catalogOwned-preview")
"""Properties of tables whose commits their catalog manages."""

COMMITS: Final = 10_000
"""Commits that a catalog still keeps of one table, at most; they are published soon."""


def entry_of(name: Sequence[str], info: Document) -> CatalogTable:
    """The table that *info*, of a list or by itself, is about."""
    _part(info, "name", text)
    kind = _optional(info, "table_type", text, "")
    return CatalogTable(
        name=path_text(tuple(name)),
        provider=_optional(info, "data_source_format", text, "").lower(),
        location=_optional(info, "storage_location", _location, ""),
        is_view=kind in {"VIEW", "METRIC_VIEW"},
        is_managed=kind == _MANAGED,
    )


def table_for_delta(
    answer: Document, name: Sequence[str], catalog: str
) -> tuple[CatalogTable, CatalogState]:
    """A table in the API for Delta clients."""
    metadata = _part(answer, "metadata", _object)
    location = _part(metadata, "location", _location)
    is_managed = _optional(metadata, "table-type", text, "") == _MANAGED
    whole_name = path_text(tuple(name))
    entry = CatalogTable(whole_name, DELTA, location, is_managed=is_managed)
    commits = _commits(answer, "file-name", "file-size", "file-modification-timestamp")
    newest = max((commit.version for commit in commits), default=None)
    latest = _optional(answer, "latest-table-version", version_number, newest)
    columns = _part(metadata, "columns", _object)
    return entry, CatalogState(
        name=whole_name,
        catalog=catalog,
        location=location,
        table_id=_optional(metadata, "table-uuid", text, None),
        version=_version(latest) if commits or is_managed else None,
        commits=tuple(sorted(commits)),
        fields=tuple(map(_field, _part(columns, "fields", _objects))),
        partition_columns=_optional(metadata, "partition-columns", texts, None),
        properties=_optional(metadata, "properties", text_map, {}),
        metadata_version=_optional(metadata, "last-commit-version", version_number, None),
    )


def state_of_info(info: Document, name: Sequence[str], catalog: str) -> CatalogState:
    """A table in the older API, which returns commits separately."""
    properties = _optional(info, "properties", text_map, {})
    columns = sorted(
        _optional(info, "columns", _objects, []),
        key=lambda column: _optional(column, "position", version_number, 0),
    )
    partitions = sorted(
        (_part(column, "partition_index", version_number), _part(column, "name", text))
        for column in columns
        if column.get("partition_index") is not None
    )
    last = properties.get("delta.lastUpdateVersion", "")
    return CatalogState(
        name=path_text(tuple(name)),
        catalog=catalog,
        location=_optional(info, "storage_location", _location, ""),
        table_id=_optional(info, "table_id", text, None),
        fields=tuple(map(_column, columns)) or None,
        partition_columns=tuple(column for _, column in partitions) if columns else None,
        properties=properties,
        metadata_version=_version(whole_number(last)),
    )


def _commits(answer: Document, name: str, size: str, modified: str) -> list[RatifiedCommit]:
    return [
        RatifiedCommit(
            _part(commit, "version", version_number),
            _part(commit, name, place),
            _part(commit, size, version_number),
            _part(commit, modified, version_number),
        )
        for commit in _optional(answer, "commits", _objects, [])
    ]


def _version(number: int | None) -> int | None:
    """A version as the catalog says it; a negative one stands for none that it knows of."""
    return None if number is None or number < 0 else number


# Columns


def _field(field: Document) -> Document:
    """A field in the form of Delta's schemas, whose names of keys are in camel case."""
    return {
        "name": _part(field, "name", text),
        "type": _type(field.get("type")),
        "nullable": _optional(field, "nullable", flag, True),
        "metadata": _optional(field, "metadata", _object, {}),
    }


def _type(kind: Any) -> Any:
    if not isinstance(kind, dict):
        return kind
    if kind.get("type") == "struct":
        fields = _optional(kind, "fields", _objects, [])
        return {"type": "struct", "fields": [_field(field) for field in fields]}
    converted: dict[str, Any] = {}
    for key, value in kind.items():
        name = re.sub("-([a-z])", lambda letter: letter[1].upper(), key)
        converted[name] = value if name == "type" else _type(value)
    return converted


def _column(column: Document) -> Document:
    """A column of the older interface, whose type is JSON in JSON."""
    kind: Any = _optional(column, "type_json", text, "null")
    with suppress(ValueError):
        kind = json.loads(kind)
    if isinstance(kind, dict) and "name" in kind and "type" in kind:
        kind = kind["type"]
    comment = _optional(column, "comment", text, "")
    return {
        "name": _part(column, "name", text),
        "type": _type(kind) if kind else _optional(column, "type_text", text, ""),
        "nullable": _optional(column, "nullable", flag, True),
        "metadata": {"comment": comment} if comment else {},
    }


# Credentials


_OPTIONS: Final = {
    "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    "azure.sas-token": "azure_storage_sas_token",
    "gcs.oauth-token": "google_oauth_token",
}
"""Options of stores by the names that the interface for Delta clients has for them."""

_OLDER: Final = {
    "s3": "aws_temp_credentials", "azure": "azure_user_delegation_sas", "gcs": "gcp_oauth_token"
}  # fmt: skip
"""The objects in which the older interface has those of each cloud."""


def credentials_for_delta(
    answer: Document, location: str, operation: str
) -> TemporaryCredentials | None:
    """Return the credentials of *location*'s longest prefix for *operation*; None without any."""

    def directory(place: str) -> str:
        # Whichever of its names the store is called by.
        return f"{place.rstrip('/')}/".replace("s3a://", "s3://", 1)

    fitting = [
        (len(prefix), entry)
        for entry in _optional(answer, "storage-credentials", _objects, [])
        if _part(entry, "operation", text) in {operation, "READ_WRITE"}
        and directory(location).startswith(directory(prefix := _part(entry, "prefix", text)))
    ]
    if not fitting:
        return None
    _, closest = max(fitting, key=lambda entry: entry[0])
    return _credentials(_part(closest, "config", _object), closest, "expiration-time-ms")


def older_credentials(answer: Document) -> TemporaryCredentials | None:
    """Return the credentials of the older API; None if it has none."""
    config = {
        f"{cloud}.{key.replace('_', '-')}": value
        for cloud, group in _OLDER.items()
        for key, value in _optional(answer, group, _object, {}).items()
    }
    return _credentials(config, answer, "expiration_time")


def _credentials(config: Document, answer: Document, expires: str) -> TemporaryCredentials | None:
    words = {option: _optional(config, key, _word, "") for key, option in _OPTIONS.items()}
    given = {option: word for option, word in words.items() if word}
    end = _optional(answer, expires, version_number, 0)
    ends = 0 < end < 253_402_300_800_000  # noqa: PLR2004 -- the year 10000 stands for never
    return TemporaryCredentials(given, end if ends else None) if given else None


# Fields


def _part(document: Document, key: str, read: Callable[[Any], Value]) -> Value:
    """What *read*, which raises `TypeError` or `ValueError`, makes of a field."""
    try:
        return read(document.get(key))
    except (TypeError, ValueError):
        # Without the value, which may be a secret.
        msg = f"{key} is missing or not what it should be"
    raise ValueError(msg)


def _optional(
    document: Document, key: str, read: Callable[[Any], Value], default: Other
) -> Value | Other:
    """The same for a field that may be missing or null."""
    return default if document.get(key) is None else _part(document, key, read)


def _object(value: Any) -> Document:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _objects(value: Any) -> list[Document]:
    return [_object(item) for item in elements(value)]


def _location(value: Any) -> str:
    return place(value) if text(value) else ""


def _word(value: Any) -> str:
    """A part of credentials; obstore panics on what no header can have."""
    if re.search(r"[^\x21-\x7e]", text(value)):
        raise ValueError
    return text(value)


# The catalog


_INTERFACE: Final = "/api/2.1/unity-catalog"
_LOAD: Final = "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}"

PAGES: Final = 10_000
ENTRIES: Final = 1_000_000
"""Pages and entries of a list, at most."""

_PARTS: Final = 3


class UnityCatalog:
    """
    The server at *url*, of which the beginning is enough.

    *token* says who asks, and may be empty; *token_names* are the variables that give it. It goes
    to that server alone: redirections are not followed. What is overloaded or fails is asked again,
    at growing and random intervals.
    """

    def __init__(self, url: str, token: str, *, token_names: str) -> None:
        server = url.rstrip("/").removesuffix(_INTERFACE)
        self.name = f"Unity Catalog at {server}"
        self._base, self._token, self._token_names = server + _INTERFACE, token, token_names
        self._opener = build_opener(_AsItIs())
        self._endpoints: dict[str, frozenset[str]] = {}
        self._asking = threading.Lock()

    # Tables

    def load_table(self, name: Sequence[str]) -> tuple[CatalogTable, CatalogState | None]:
        """
        The table with the parts *name*, catalog, schema and table, and its state if it is Delta's.

        Raises `TableError` where there is none, `RefusedError` for a name of other parts, and
        `StorageError` for trouble with the catalog.
        """
        if len(name) != _PARTS:
            raise RefusedError(
                f"{path_text(tuple(name))} does not name its catalog.",
                remedy="Write catalog.schema.table.",
            )
        has_route = _LOAD in self._endpoints_of(name[0])
        answer = self._if_known(name) if has_route else None
        with self._valid_answers():
            if answer is not None:
                return table_for_delta(answer, name, self.name)
            # Of a view, say, only the older interface tells.
            advice = (
                f"deltaadm inspect --catalog {name[0]}.{name[1]}.* lists the tables of the schema."
            )
            with self._existing(
                f"Table {path_text(tuple(name))}", advice, "TABLE_OR_VIEW_NOT_FOUND"
            ):
                info = self._ask("tables", ".".join(name))
            entry = entry_of(name, info)
            if not entry.is_delta:
                return entry, None
            state = state_of_info(info, name, self.name)
            if any(map((state.properties or {}).get, _MANAGING)):
                state = self._with_commits(state)
            return entry, state

    def _with_commits(self, state: CatalogState) -> CatalogState:
        """*state* with the commits that the catalog still keeps, asked for until none is left."""
        commits: dict[int, RatifiedCommit] = {}
        table, start = {"table_id": state.table_id, "table_uri": state.location}, 0
        while True:
            asked = {**table, "start_version": start}
            answer = self._ask("delta", "preview", "commits", body=asked)
            newest = _part(answer, "latest_table_version", version_number)
            page = _commits(answer, "file_name", "file_size", "file_modification_timestamp")
            commits |= {commit.version: commit for commit in page}
            reached = max(commits, default=newest)
            if not page or reached >= newest or reached < start:
                ordered = tuple(sorted(commits.values()))
                return replace(state, version=_version(newest), commits=ordered)
            if len(commits) > COMMITS:
                msg = f"there are more than {COMMITS:,} commits that are not published"
                raise ValueError(msg)
            start = reached + 1

    # Lists

    def list_tables(self, pattern: str) -> tuple[CatalogTable, ...]:
        """
        The Delta tables whose names match *pattern*, in the order of their names.

        *pattern* is `catalog.schema.table`, with `*` for any text and `?` for one character in the
        last two parts. Raises what `load_table` does, and `RefusedError` for another pattern.
        """
        catalog, schema, table = pattern_parts(pattern, "catalog.schema.table")
        schemas = [schema]
        if is_name_pattern(schema):
            listed = self._pages("schemas", {"catalog_name": catalog})
            schemas = [info["name"] for info in listed if matches_name(info["name"], schema)]
        query = {
            "catalog_name": catalog, "max_results": "50",
            # Fifty tables with all their columns can be megabytes.
            "omit_columns": "true", "omit_properties": "true",
        }  # fmt: skip

        def matching(schema: str) -> list[CatalogTable]:
            with self._valid_answers():
                entries = [
                    entry_of((catalog, schema, info["name"]), info)
                    for info in self._pages("tables", {**query, "schema_name": schema})
                    if matches_name(info["name"], table)
                ]
            return [entry for entry in entries if entry.is_delta]

        tables = [entry for found in each_ahead(matching, schemas, 16) for entry in found]
        return tuple(sorted(tables, key=lambda entry: entry.name))

    def _pages(self, kind: str, query: Mapping[str, str]) -> Iterator[Document]:
        """The entries of this *kind* in all pages of a list, some of which may be empty."""
        parents = [query[key] for key in ("catalog_name", "schema_name") if key in query]
        parent = f"{'Schema' if len(parents) > 1 else 'Catalog'} {'.'.join(parents)}"
        token, seen, entries = "", {hash("")}, 0
        while len(seen) <= PAGES and entries <= ENTRIES:
            more = {"page_token": token} if token else {}
            with self._existing(parent, "Check its name and the privileges.", "SCHEMA_NOT_FOUND"):
                answer = self._ask(kind, query={**query, **more})
            with self._valid_answers():
                listed = _optional(answer, kind, _objects, [])
                for entry in listed:
                    _part(entry, "name", text)
                token = _optional(answer, "next_page_token", text, "")
            yield from listed
            if not token:
                return
            if hash(token) in seen:
                raise StorageError(
                    f"{self.name} never ends its list of {kind}: it repeats a page token.",
                    remedy="Report this to the operator of the catalog.",
                )
            seen.add(hash(token))
            entries += len(listed)
        raise StorageError(
            f"{self.name} lists more than {PAGES:,} pages or {ENTRIES:,} entries of {kind}.",
            remedy="Name the tables, or use narrower patterns.",
        )

    def describe_access(self) -> str:
        """Describe what can be listed; raises what `list_tables` does."""
        count = sum(1 for _ in self._pages("catalogs", {}))
        return f"{count} catalog{'' if count == 1 else 's'} can be listed"

    # Credentials

    def credentials(
        self, state: CatalogState, name: Sequence[str], operation: str
    ) -> TemporaryCredentials | None:
        """
        Temporary credentials for the files of a table; None where the catalog has none to give.

        *operation* is READ or READ_WRITE. Raises `StorageError` where it denies them.
        """
        with self._valid_answers():
            if f"{_LOAD}/credentials" in self._endpoints_of(name[0]):
                answer = self._if_known(name, "credentials", query={"operation": operation})
                if answer is not None:
                    return credentials_for_delta(answer, state.location, operation)
            asked = {"table_id": state.table_id, "operation": operation}
            answer = self._ask("temporary-table-credentials", body=asked, method="POST")
            return older_credentials(answer)

    def _if_known(
        self, name: Sequence[str], *path: str, query: Mapping[str, str] | None = None
    ) -> Document | None:
        kinds = ("catalogs", "schemas", "tables")
        path = (*(part for pair in zip(kinds, name, strict=False) for part in pair), *path)
        try:
            return self._ask("delta", "v1", *path, query=query)
        except CatalogError as error:
            # The server may not have this at all, or not for this table.
            if error.status not in {400, 404, 405, 501}:
                raise
            return None

    @contextmanager
    def _existing(self, what: str, remedy: str, error_class: str) -> Iterator[None]:
        """Raises `TableError` where the answer to a request in the block is that there is none."""
        try:
            yield
        except CatalogError as error:
            if error.status != HTTPStatus.NOT_FOUND or not error.reason:
                raise
            raise TableError(
                f"{what} does not exist in {self.name}, or this user may not see it.",
                remedy=remedy,
                delta_error_class=error_class,
            ) from None

    @contextmanager
    def _valid_answers(self) -> Iterator[None]:
        """Raises `StorageError` for an answer that cannot be taken apart in the block."""
        try:
            yield
        except (ValueError, RecursionError) as error:
            raise StorageError(
                f"{self.name} sent an invalid answer: {error}.",
                remedy="Check the server's version; deltaadm may not support it.",
            ) from error

    def _endpoints_of(self, catalog: str) -> frozenset[str]:
        with self._asking:  # so that tables that are looked up at once ask once
            if catalog not in self._endpoints:
                query = {"catalog": catalog, "protocol-versions": "1.0"}
                endpoints = (self._if_known((), "config", query=query) or {}).get("endpoints")
                self._endpoints[catalog] = (
                    frozenset(map(str, endpoints)) if isinstance(endpoints, list) else frozenset()
                )
            return self._endpoints[catalog]

    # Requests

    def _ask(
        self,
        *path: str,
        body: Document | None = None,
        query: Mapping[str, str] | None = None,
        method: str = "GET",
    ) -> Document:
        """The answer to a request that may be made twice; an interrupt ends the wait for it."""
        # No character is safe: a name with a slash would lead to another route.
        url = "/".join((self._base, *(quote(part, safe="") for part in path)))
        if query:
            url += f"?{urlencode(query)}"
        headers = {"Accept": "application/json", "User-Agent": f"deltaadm/{__version__}"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = Request(url, data=data, headers=headers, method=method)  # noqa: S310 -- checked
        end = time.monotonic() + PATIENCE
        for number in range(_TRIES):
            # At random, so that many clients that were turned away do not all come back at once.
            pause = 0.2 * 2**number * random.uniform(0.5, 1.0)  # noqa: S311 -- no secret
            try:
                status, given, answer = self._exchange(request)
            except (OSError, HTTPException, ValueError) as error:
                cause = error.reason if isinstance(error, URLError) else error
                problem, passes = self._unreachable(cause), not isinstance(cause, _LASTING)
            else:
                document = _document(answer)
                if status // 100 == 2 and document is not None:  # noqa: PLR2004 -- success
                    return document
                problem = self._refused(status, document)
                passes = status in _PASSING
                if (asked := given.get("Retry-After", "")).isdecimal():
                    pause = float(asked) + pause / 10
            if not passes or number + 1 == _TRIES or time.monotonic() + pause >= end:
                raise problem
            time.sleep(pause)
        raise AssertionError  # the last try returns or raises

    def _exchange(self, request: Request) -> tuple[int, Message, bytes]:
        def answer() -> tuple[int, Message, bytes]:
            with self._opener.open(request, timeout=30.0) as response:
                body = response.read(_LARGEST + 1)
                status, is_cut_off = response.status, response.length and len(body) <= _LARGEST
                if is_cut_off and status == HTTPStatus.OK:  # which `read` does not tell
                    raise IncompleteRead(body)
                return status, response.headers, body

        # A server may send a byte now and then without end, and the system's resolver, which looks
        # up its name, cannot be interrupted: neither is waited for.
        status, headers, body = in_time(answer, PATIENCE)
        if len(body) > _LARGEST:
            raise StorageError(
                f"{self.name} answers with more than {_LARGEST >> 20} MB.", remedy="Check --unity."
            )
        return status, headers, body

    # What goes wrong

    def _refused(self, status: int, document: Document | None) -> CatalogError:
        # The server's words stand in the answer itself or in its "error".
        inner = (document or {}).get("error")
        details = inner if isinstance(inner, dict) else document or {}
        said, kind = details.get("message"), details.get("type") or details.get("error_code")
        said, kind = (word if isinstance(word, str) else "" for word in (said, kind))
        reason = f": {quoted}" if (quoted := self._quoted(said)) else "."
        remedy = "Check --unity."
        if status in _PASSING:
            what = f"is overloaded or fails, and went on to (status {status}){reason}"
            remedy = "Try again later, with a smaller --jobs."
        elif status == HTTPStatus.UNAUTHORIZED and self._token:
            what = f"does not accept the token, or no longer{reason}"
            remedy = f"Get a new token, and set {self._token_names} to it."
        elif status == HTTPStatus.UNAUTHORIZED:
            what, remedy = "requires a token.", f"Set {self._token_names} to one."
        elif status == HTTPStatus.FORBIDDEN:
            what = f"denies access{reason}"
            remedy = (
                "Ask for the privileges USE CATALOG, USE SCHEMA and SELECT, and for EXTERNAL USE "
                "SCHEMA, without which it gives no temporary credentials."
            )
        elif status // 100 == 3:  # noqa: PLR2004 -- redirections
            what = "redirects to another place, where no token is sent."
            remedy = "Pass the URL of the workspace or server itself to --unity."
        elif said or kind:
            what = f"refuses the request (status {status}){reason}"
        else:
            what = f"does not answer as a Unity Catalog (status {status})."
            remedy += (
                " It is the URL of a workspace or server, for example "
                "https://adb-123.azuredatabricks.net or http://localhost:8080."
            )
        return CatalogError(f"{self.name} {what}", remedy=remedy, status=status, reason=kind)

    def _unreachable(self, cause: object) -> StorageError:
        reason = next((words for kind, words in _CAUSES if isinstance(cause, kind)), "")
        if not reason:
            reason = self._quoted(str(getattr(cause, "strerror", None) or cause)).lower()
        return StorageError(
            f"Cannot reach {self.name}: {reason.rstrip('.') or 'the connection broke'}.",
            remedy="Check --unity and the network, and try again.",
        )

    def _quoted(self, text: str) -> str:
        """A sentence of the server's, in which there is no secret; it may be anything."""
        # A server may repeat the request, and the token with it, in what it says of an error.
        plain = " ".join(masked(text, (self._token,) if self._token else ()).split())
        plain = plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."
        return plain if not plain or plain.endswith((".", "!", "?")) else f"{plain}."


# The log with ratified commits


_STAGED: Final = "_staged_commits"


class RatifiedStore:
    """
    A table's log in *store* as *state*, the catalog's word on the table, makes it; see `LogStore`.

    Where the catalog manages the commits, those that it has ratified stand among the published
    ones, under the names that they will have, and take their place; what is newer than its version
    is not there (PROTOCOL.md, Reading Catalog-managed Tables). Raises `TableError` where the
    catalog names files that cannot be such commits.
    """

    def __init__(self, store: WritableStore, state: CatalogState) -> None:
        self._store = store
        self.catalog_state = state
        self.root, self.local_path, self.qualifier = store.root, store.local_path, store.qualifier
        self.limits, self.at_once = store.limits, store.at_once
        self.survives_fork = store.survives_fork
        self.list_directory, self.list_data = store.list_directory, store.list_data
        self.data_size, self.open_data = store.data_size, store.open_data
        self._commits = {commit_name(commit.version): commit for commit in state.commits}
        self._published: set[str] = set()
        if state.version is None:
            return
        for commit in state.commits:
            file = LogFile.of(FileInfo(f"{_STAGED}/{commit.name}"))
            if file.kind is not Kind.STAGED or file.version != commit.version:
                raise self._error(f"its file for commit {commit.version} is called {commit.name!r}")
        versions = [commit.version for commit in state.commits]
        if versions and versions != list(range(versions[0], state.version + 1)):
            raise self._error(
                f"its newest version is {state.version}, and the commits that it names are "
                f"{', '.join(map(str, versions))}",
                delta_error_class="DELTA_VERSIONS_NOT_CONTIGUOUS",
            )

    def _error(self, what: str, **more: Any) -> TableError:
        return TableError(
            f"{self.catalog_state.catalog} contradicts itself or the log about "
            f"{self.catalog_state.name}: {what}.",
            remedy="Try again, since commits are published at any time; if it persists, ask "
            "the operator of the catalog.",
            **more,
        )

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        return self._ratified(self._store.list_log(start), start)

    def list_short_log(self) -> Mapping[str, FileInfo] | None:
        listed = self._store.list_short_log()
        return None if listed is None else self._ratified(listed, 0)

    def _ratified(self, listed: Mapping[str, FileInfo], start: int) -> Mapping[str, FileInfo]:
        newest = self.catalog_state.version
        if newest is None:
            return listed
        infos = {}
        for name, info in listed.items():
            file = LogFile.of(info)
            version = file.end if file.kind is Kind.COMPACTED else file.version
            if version is None or version <= newest:
                infos[name] = info
        self._published |= listed.keys() & self._commits.keys()
        for name, commit in self._commits.items():
            if commit.version >= start:
                infos[name] = FileInfo(name, commit.size, commit.modified)
        if start <= newest and commit_name(newest) not in infos:
            raise self._error(
                f"it says that version {newest} is the newest, but names no file with that commit, "
                "and the log has none",
                delta_error_class="DELTA_VERSIONS_NOT_CONTIGUOUS",
            )
        return infos

    def unpublished(self) -> tuple[int, ...]:
        """The versions whose commits were not in the log itself when it was listed."""
        return tuple(
            commit.version for name, commit in self._commits.items() if name not in self._published
        )

    def differing(self) -> tuple[int, ...]:
        """The versions whose published commits are not what the catalog has ratified."""
        return tuple(
            commit.version
            for name, commit in self._commits.items()
            if name in self._published and self._store.read(name) != self.read(name)
        )

    def read_ahead(self, paths: Iterable[str]) -> None:
        self._store.read_ahead(map(self._place, paths))

    def read(self, path: str) -> bytes:
        return self._store.read(self._place(path))

    def open(self, path: str) -> BinaryIO:
        return self._store.open(self._place(path))

    def _place(self, path: str) -> str:
        commit = self._commits.get(path)
        return path if commit is None else f"{_STAGED}/{commit.name}"

    @property
    def storage_options(self) -> Mapping[str, str]:
        """See `LogStore`; these may change."""
        return self._store.storage_options
