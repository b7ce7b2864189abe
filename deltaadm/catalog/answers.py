"""Responses of Unity Catalog as values: of the API for Delta clients and of the older one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.model.catalog_table import (
    DELTA,
    CatalogState,
    CatalogTable,
    RatifiedCommit,
)
from deltaadm.domain.model.schema import path_text
from deltaadm.storage.credentials import TemporaryCredentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Document = Mapping[str, Any]

_VIEWS: Final = frozenset({"VIEW", "METRIC_VIEW"})
_MANAGED: Final = "MANAGED"
_MANAGING: Final = ("delta.feature.catalogManaged", "delta.feature.catalogOwned-preview")
"""Properties of tables whose commits their catalog manages."""


def entry_of(name: Sequence[str], info: Document) -> CatalogTable:
    """The table that *info*, of a list or by itself, is about; `KeyError` for something else."""
    kind, _ = info.get("table_type"), info["name"]
    return CatalogTable(
        name=path_text(tuple(name)),
        provider=str(info.get("data_source_format") or "").lower(),
        location=str(info.get("storage_location") or ""),
        is_view=kind in _VIEWS,
        is_managed=kind == _MANAGED,
    )


def entry_for_delta(name: Sequence[str], answer: Document) -> CatalogTable:
    """The table that an answer for Delta clients is about."""
    metadata = answer["metadata"]
    return CatalogTable(
        name=path_text(tuple(name)),
        provider=DELTA,
        location=str(metadata["location"]),
        is_managed=metadata.get("table-type") == _MANAGED,
    )


def state_for_delta(answer: Document, name: Sequence[str], catalog: str) -> CatalogState:
    """A table in the API for Delta clients."""
    metadata = answer["metadata"]
    commits = [
        RatifiedCommit(
            commit["version"],
            commit["file-name"],
            commit["file-size"],
            commit["file-modification-timestamp"],
        )
        for commit in answer.get("commits") or ()
    ]
    latest = answer.get("latest-table-version")
    managed = commits or metadata.get("table-type") == _MANAGED
    newest = max((commit.version for commit in commits), default=None)
    partitions = metadata.get("partition-columns")
    return CatalogState(
        name=path_text(tuple(name)),
        catalog=catalog,
        location=str(metadata["location"]),
        table_id=metadata.get("table-uuid"),
        version=_version(newest if latest is None else latest) if managed else None,
        commits=tuple(sorted(commits)),
        fields=tuple(map(_field, metadata["columns"]["fields"])),
        partition_columns=None if partitions is None else tuple(partitions),
        properties=dict(metadata.get("properties") or {}),
        metadata_version=metadata.get("last-commit-version"),
    )


def state_of_info(info: Document, name: Sequence[str], catalog: str) -> CatalogState:
    """A table in the older API, which returns commits separately."""
    properties = {str(key): str(value) for key, value in (info.get("properties") or {}).items()}
    columns = sorted(info.get("columns") or (), key=lambda column: column.get("position") or 0)
    partitions = sorted(
        (column for column in columns if column.get("partition_index") is not None),
        key=lambda column: column["partition_index"],
    )
    last = properties.get("delta.lastUpdateVersion", "")
    return CatalogState(
        name=path_text(tuple(name)),
        catalog=catalog,
        location=str(info.get("storage_location") or ""),
        table_id=info.get("table_id"),
        fields=tuple(map(_column, columns)) or None,
        partition_columns=tuple(column["name"] for column in partitions) if columns else None,
        properties=properties,
        metadata_version=int(last) if last.isdecimal() else None,
    )


def is_managed(state: CatalogState) -> bool:
    """Whether the properties say that the catalog manages the commits of the table."""
    return any((state.properties or {}).get(key) for key in _MANAGING)


def with_commits(state: CatalogState, ask: Callable[[int], Document]) -> CatalogState:
    """*state* with the commits that *ask* answers, from a version on, until none is left."""
    commits: dict[int, RatifiedCommit] = {}
    start, newest = 0, -1
    while True:
        answer = ask(start)
        newest = answer["latest_table_version"]
        page = [
            RatifiedCommit(
                commit["version"],
                commit["file_name"],
                commit["file_size"],
                commit["file_modification_timestamp"],
            )
            for commit in answer.get("commits") or ()
        ]
        commits |= {commit.version: commit for commit in page}
        reached = max(commits, default=newest)
        if not page or reached >= newest or reached < start:
            ordered = tuple(sorted(commits.values()))
            return replace(state, version=_version(newest), commits=ordered)
        start = reached + 1


def _version(number: int | None) -> int | None:
    """A version as the catalog says it; a negative one stands for none that it knows of."""
    return None if number is None or number < 0 else number


# Columns


def _field(field: Document) -> Document:
    """A field in the form of Delta's schemas, whose names of keys are in camel case."""
    return {
        "name": field["name"],
        "type": _type(field["type"]),
        "nullable": field.get("nullable", True),
        "metadata": field.get("metadata") or {},
    }


def _type(kind: Any) -> Any:
    if not isinstance(kind, dict):
        return kind
    if kind.get("type") == "struct":
        return {"type": "struct", "fields": [_field(field) for field in kind.get("fields") or ()]}
    converted: dict[str, Any] = {}
    for key, value in kind.items():
        name = re.sub("-([a-z])", lambda letter: letter[1].upper(), key)
        converted[name] = value if name == "type" else _type(value)
    return converted


def _column(column: Document) -> Document:
    """A column of the older interface, whose type is JSON in JSON."""
    kind: Any = None
    try:
        kind = json.loads(column.get("type_json") or "null")
    except ValueError:
        kind = column["type_json"]
    if isinstance(kind, dict) and "name" in kind and "type" in kind:
        kind = kind["type"]
    return {
        "name": column["name"],
        "type": _type(kind) if kind else str(column.get("type_text") or ""),
        "nullable": column.get("nullable") is not False,
        "metadata": {"comment": column["comment"]} if column.get("comment") else {},
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
        entry
        for entry in answer.get("storage-credentials") or ()
        if entry["operation"] in {operation, "READ_WRITE"} and _is_below(location, entry["prefix"])
    ]
    if not fitting:
        return None
    closest = max(fitting, key=lambda entry: len(entry["prefix"]))
    return _credentials(
        {option: closest["config"].get(key) for key, option in _OPTIONS.items()},
        closest.get("expiration-time-ms"),
    )


def older_credentials(answer: Document) -> TemporaryCredentials | None:
    """Return the credentials of the older API; None if it has none."""
    values = {option: (answer.get(group) or {}).get(key) for (group, key), option in _OLDER.items()}
    return _credentials(values, answer.get("expiration_time"))


def _credentials(values: Mapping[str, Any], expires: Any) -> TemporaryCredentials | None:
    options = {key: str(value) for key, value in values.items() if value}
    if not options:
        return None
    return TemporaryCredentials(options, expires if type(expires) is int and expires else None)


def _is_below(location: str, prefix: str) -> bool:
    """Whether a location begins with *prefix*, whichever of its names the store is called by."""
    places = [f"{text.rstrip('/')}/".replace("s3a://", "s3://", 1) for text in (location, prefix)]
    return places[0].startswith(places[1])
