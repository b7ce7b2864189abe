"""
Responses of Unity Catalog as values: of the API for Delta clients and of the older one.

A response may be anything: each field that is used is read by its type. All functions raise
`ValueError`, which names the field, where it has another one.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from deltaadm.dataclass import replace
from deltaadm.domain.model.catalog_table import (
    DELTA,
    CatalogState,
    CatalogTable,
    RatifiedCommit,
)
from deltaadm.domain.model.json_values import (
    elements,
    flag,
    place,
    text,
    text_map,
    texts,
    version_number,
)
from deltaadm.domain.model.schema import path_text
from deltaadm.storage.credentials import TemporaryCredentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Document = Mapping[str, Any]

Value = TypeVar("Value")
Other = TypeVar("Other")

_VIEWS: Final = frozenset({"VIEW", "METRIC_VIEW"})
_MANAGED: Final = "MANAGED"
_MANAGING: Final = ("delta.feature.catalogManaged", "delta.feature.catalogOwned-preview")
"""Properties of tables whose commits their catalog manages."""

COMMITS: Final = 10_000
"""Commits that a catalog still keeps of one table, at most; they are published soon."""


def page_of(answer: Document, field: str) -> tuple[list[Document], str]:
    """The entries in one page of a list, which all have a name, and the token of the next page."""
    listed = _optional(answer, field, _objects, [])
    for entry in listed:
        _part(entry, "name", text)
    return listed, _optional(answer, "next_page_token", text, "")


def entry_of(name: Sequence[str], info: Document) -> CatalogTable:
    """The table that *info*, of a list or by itself, is about."""
    _part(info, "name", text)
    kind = _optional(info, "table_type", text, "")
    return CatalogTable(
        name=path_text(tuple(name)),
        provider=_optional(info, "data_source_format", text, "").lower(),
        location=_optional(info, "storage_location", _location, ""),
        is_view=kind in _VIEWS,
        is_managed=kind == _MANAGED,
    )


def entry_for_delta(name: Sequence[str], answer: Document) -> CatalogTable:
    """The table that an answer for Delta clients is about."""
    metadata = _part(answer, "metadata", _object)
    return CatalogTable(
        name=path_text(tuple(name)),
        provider=DELTA,
        location=_part(metadata, "location", _location),
        is_managed=_optional(metadata, "table-type", text, "") == _MANAGED,
    )


def state_for_delta(answer: Document, name: Sequence[str], catalog: str) -> CatalogState:
    """A table in the API for Delta clients."""
    metadata = _part(answer, "metadata", _object)
    commits = _commits(answer, "file-name", "file-size", "file-modification-timestamp")
    newest = max((commit.version for commit in commits), default=None)
    latest = _optional(answer, "latest-table-version", version_number, newest)
    managed = commits or _optional(metadata, "table-type", text, "") == _MANAGED
    columns = _part(metadata, "columns", _object)
    return CatalogState(
        name=path_text(tuple(name)),
        catalog=catalog,
        location=_part(metadata, "location", _location),
        table_id=_optional(metadata, "table-uuid", text, None),
        version=_version(latest) if managed else None,
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
        metadata_version=int(last) if last.isdecimal() else None,
    )


def is_managed(state: CatalogState) -> bool:
    """Whether the properties say that the catalog manages the commits of the table."""
    return any((state.properties or {}).get(key) for key in _MANAGING)


def with_commits(state: CatalogState, ask: Callable[[int], Document]) -> CatalogState:
    """*state* with the commits that *ask* answers, from a version on, until none is left."""
    commits: dict[int, RatifiedCommit] = {}
    start = 0
    while True:
        answer = ask(start)
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


def _commits(answer: Document, name: str, size: str, modified: str) -> list[RatifiedCommit]:
    """The commits in a response, in which the fields of each have these names."""
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
    ("aws_temp_credentials", "access_key_id"): "aws_access_key_id",
    ("aws_temp_credentials", "secret_access_key"): "aws_secret_access_key",
    ("aws_temp_credentials", "session_token"): "aws_session_token",
    ("azure_user_delegation_sas", "sas_token"): "azure_storage_sas_token",
    ("gcp_oauth_token", "oauth_token"): "google_oauth_token",
}
"""The same for the older interface."""


def credentials_for_delta(
    answer: Document, location: str, operation: str
) -> TemporaryCredentials | None:
    """Return the credentials of *location*'s longest prefix for *operation*; None without any."""
    fitting = [
        (prefix, entry)
        for entry in _optional(answer, "storage-credentials", _objects, [])
        if _part(entry, "operation", text) in {operation, "READ_WRITE"}
        and _is_below(location, prefix := _part(entry, "prefix", text))
    ]
    if not fitting:
        return None
    _, closest = max(fitting, key=lambda entry: len(entry[0]))
    config = _part(closest, "config", _object)
    options = {option: _optional(config, key, _word, "") for key, option in _OPTIONS.items()}
    return _credentials(options, closest, "expiration-time-ms")


def older_credentials(answer: Document) -> TemporaryCredentials | None:
    """Return the credentials of the older API; None if it has none."""
    options = {
        option: _optional(_optional(answer, group, _object, {}), key, _word, "")
        for (group, key), option in _OLDER.items()
    }
    return _credentials(options, answer, "expiration_time")


def _credentials(
    options: Mapping[str, str], answer: Document, expires: str
) -> TemporaryCredentials | None:
    given = {option: value for option, value in options.items() if value}
    end = _optional(answer, expires, version_number, 0)
    # What ends after the last date that there is does not end.
    return TemporaryCredentials(given, end if 0 < end < _LAST else None) if given else None


_LAST: Final = 253_402_300_800_000
"""The first millisecond after the year 9999."""


def _is_below(location: str, prefix: str) -> bool:
    """Whether a location begins with *prefix*, whichever of its names the store is called by."""
    places = [f"{text.rstrip('/')}/".replace("s3a://", "s3://", 1) for text in (location, prefix)]
    return places[0].startswith(places[1])


# Fields


def _part(document: Document, key: str, read: Callable[[Any], Value]) -> Value:
    """What *read*, which raises `TypeError` or `ValueError`, makes of a field."""
    value = document.get(key)
    try:
        return read(value)
    except TypeError:
        msg = f"{key} is {_KINDS[type(value)]}"
    except ValueError:
        msg = f"{key} has an impossible value"
    # Without the value, which may be a secret.
    raise ValueError(msg)


_KINDS: Final[Mapping[type, str]] = {
    type(None): "missing", bool: "a boolean", int: "a number", float: "a fraction",
    str: "a string", list: "an array", dict: "an object",
}  # fmt: skip


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
