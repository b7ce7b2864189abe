"""Where tables are and who asks: the Unity Catalog of a run, and options for object stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from deltaadm.catalog_table import CatalogState, CatalogTable
from deltaadm.errors import RefusedError, SettingsError, StorageError, UsageError
from deltaadm.masking import masked
from deltaadm.runs.options import AccessOptions, pairs, read_file
from deltaadm.runs.settings_file import SettingsSources, as_table, as_text, has_secret, wrong
from deltaadm.storage.object_store import RenewedCredentials
from deltaadm.storage.store import (
    LogStore,
    WritableStore,
    is_remote,
    open_store,
    require_no_secret,
    table_name,
)

if TYPE_CHECKING:
    from deltaadm.storage.unity import UnityCatalog

    StorageSettings = tuple[Sequence[str], Mapping[str, str]]
    """Options of the object stores of whatever is below one of several prefixes."""


_OPTION: Final = "--unity"
_TOKENS: Final = ("UNITY_CATALOG_TOKEN", "UNITY_ACCESS_TOKEN")
_DATABRICKS_TOKENS: Final = ("DATABRICKS_TOKEN", "DATABRICKS_ACCESS_TOKEN")
"""Variables whose tokens are for Databricks' own hosts alone."""

_DATABRICKS: Final = (
    ".databricks.com", ".azuredatabricks.net", ".databricks.us", ".databricks.azure.us",
    ".databricks.azure.cn",
)  # fmt: skip


class Unity:
    """
    The Unity Catalog that *access* or else the *settings* name, looked for when needed.

    It knows the tables that were found in it by their locations, and what it has said of them.
    """

    def __init__(self, access: AccessOptions, settings: SettingsSources) -> None:
        self._access = access
        self._settings = settings
        self._names: dict[str, Sequence[str]] = {}
        self._states: dict[str, CatalogState] = {}
        self._credentials: dict[tuple[str, bool], RenewedCredentials | None] = {}
        self._written: set[str] = set()

    @cached_property
    def catalog(self) -> UnityCatalog | None:
        """
        The catalog, if there is one.

        Raises `UsageError` and `SettingsError` for what is no URL, and `RefusedError` for one with
        a secret in it, or to which a token would go unencrypted.
        """
        url, place = self._access.unity, _OPTION
        if url is None and (setting := self._settings.find("unity")) is not None:
            if not isinstance(setting.value, str):
                raise wrong(setting.place, "a string")
            url, place = setting.value or None, setting.place
        return None if url is None else _catalog_at(url, place)

    # Tables

    def load(self, name: Sequence[str]) -> CatalogTable:
        """The table with the parts *name*; raises what the catalog does."""
        catalog = self._found()
        entry, state = catalog.load_table(name)
        if state is None:
            return entry
        entry = self._known(entry, name)
        self._states[entry.location] = state
        return entry

    def list_tables(self, pattern: str) -> dict[str, CatalogTable]:
        """The Delta tables that match *pattern* by their names; raises what the catalog does."""
        return {
            entry.name: self._known(entry, table_name(entry.name) or ())
            for entry in self._found().list_tables(pattern)
        }

    def _known(self, entry: CatalogTable, name: Sequence[str]) -> CatalogTable:
        """The entry with its location as runs have it, by which it is known from now on."""
        if not entry.location:
            raise StorageError(
                f"{self._found().name} does not say where {entry.name} is.",
                remedy="Ask for the privilege EXTERNAL USE SCHEMA, or use the table's location.",
            )
        require_no_secret(entry.location)
        try:
            location = entry.location.rstrip("/")
            if not is_remote(entry.location):
                store = open_store(entry.location)
                location = store.root
                if store.local_path is not None:
                    location = os.path.realpath(store.local_path)
        except (ValueError, RefusedError, StorageError) as error:
            raise StorageError(
                f"{self._found().name} has {entry.name} at {entry.location!r}, which is not a "
                "location that can be opened.",
                remedy="Correct the table's entry in the catalog.",
            ) from error
        self._names[location] = name
        return entry._replace(location=location)

    def _found(self) -> UnityCatalog:
        assert self.catalog is not None  # noqa: S101 -- callers have looked
        return self.catalog

    # What is opened

    def ratified(self, store: WritableStore, location: str) -> LogStore:
        """*store*, which is at *location*, as the catalog has it if it knows the table."""
        if location not in self._names:
            return store
        from deltaadm.storage.unity import RatifiedStore

        # What was said at the look-up serves the first that opens the table, and nobody later.
        state = self._state(location)
        self._states.pop(location, None)
        return RatifiedStore(store, state)

    def _state(self, location: str) -> CatalogState:
        state = self._states.get(location)
        if state is None:
            _, state = self._found().load_table(self._names[location])
            if state is None:
                raise StorageError(
                    f"The catalog no longer has a Delta table at {location}.", remedy="Try again."
                )
            self._states[location] = state
        return state

    def catalog_of(self, location: str) -> str | None:
        """The first part of the name of the table at *location*; None if none was found there."""
        name = self._names.get(location)
        return None if name is None else name[0]

    def allow_writing(self, location: str) -> None:
        """Have credentials for the table at *location*, if it is known, be good for writing."""
        self._written.add(location)

    def credentials(self, location: str) -> RenewedCredentials | None:
        """Temporary credentials for *location*; None where the catalog has none to give."""
        location = location.rstrip("/")
        if location not in self._names:
            return None
        # Apart by what they are good for: a catalog may allow reading alone.
        key = location, location in self._written
        if key not in self._credentials:
            catalog, state = self._found(), self._state(location)
            operation = "READ_WRITE" if location in self._written else "READ"
            ask = partial(catalog.credentials, state, self._names[location], operation)
            first = ask()
            given = None if first is None else RenewedCredentials(ask, first)
            # Several threads may ask at the same time; the first answer counts.
            self._credentials.setdefault(key, given)
        return self._credentials[key]


def _catalog_at(url: str, place: str) -> UnityCatalog:
    from deltaadm.storage.unity import UnityCatalog

    words = f"{masked(url)!r} is not a URL, for example https://adb-123.azuredatabricks.net"
    no_url = (
        UsageError(words, option=_OPTION)
        if place == _OPTION
        else SettingsError(f"{place}: {words}.", remedy="Correct it.")
    )
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise no_url from None
    if "@" in url or parts.query or parts.fragment:
        raise RefusedError(
            f"The URL in {place} has a login, a query or a fragment, which may hold a secret.",
            remedy=f"Use only scheme and host; the token comes from {_TOKENS[0]}.",
        )
    if parts.scheme not in {"http", "https"} or not host:
        raise no_url
    own = os.environ.get("DATABRICKS_HOST", "")
    try:
        own_host = urlsplit(own if "://" in own else f"https://{own}").hostname
    except ValueError:
        raise SettingsError("DATABRICKS_HOST is not a URL.", remedy="Correct it.") from None
    # A token of Databricks goes to Databricks alone, whatever host somebody names.
    databricks = host.endswith(_DATABRICKS) or host == own_host
    # The first that is set counts.
    names = (*_DATABRICKS_TOKENS, *_TOKENS) if databricks else _TOKENS
    # A secret that is mounted as a file often ends with a line break.
    token = next(filter(None, map(os.environ.get, names)), "").strip()
    if not (token.isascii() and token.isprintable()):
        raise SettingsError(
            f"The token in {' or '.join(names)} has a character that HTTP does not allow, for "
            "example a line break.",
            remedy="Set the variable to the token alone.",
        )
    allowed = os.environ.get("UNITY_ALLOW_HTTP_URL", "").lower() in {"1", "true"}
    is_here = host in {"localhost", "127.0.0.1", "::1"}
    if token and parts.scheme == "http" and not (allowed or is_here):
        raise RefusedError(
            f"{url} is plain HTTP, so others can read the token.",
            remedy="Use https, or set UNITY_ALLOW_HTTP_URL=true if you trust the network.",
        )
    return UnityCatalog(url, token, token_names=" or ".join(names))


# Options of object stores


def options_source(
    access: AccessOptions, settings: SettingsSources, own: Mapping[str, str] | None = None
) -> Callable[[str], Mapping[str, str]]:
    """
    What tells the options for a location: *own* ones, the command line, its file, the settings.

    Raises `UsageError` for what is no option and `RefusedError` for a secret that others would see.
    """
    options = pairs(access.storage_option, "--storage-option")
    for key in options:
        if is_secret_option(key):
            raise RefusedError(
                f"--storage-option {key} is a secret, but others can see command lines.",
                remedy="Put it into the environment, or into a --storage-options-file.",
            )
    in_file = {}
    file = access.storage_options_file
    for number, text in enumerate(read_file(file).splitlines() if file else (), 1):
        # Files with variables for a shell are taken as they are.
        line = text.strip().removeprefix("export ")
        if not line or line.startswith("#"):
            continue
        key, separator, value = line.partition("=")
        if not separator or not key.strip():
            raise UsageError(
                f"line {number} of {file} is not KEY=VALUE", option="--storage-options-file"
            )
        in_file[key.strip()] = value.strip().strip("'\"")
    named = {**in_file, **options, **(own or {})}
    setting = settings.find("storage")
    entries = () if setting is None else storage_settings(setting.value, setting.place)
    return partial(_options_for, entries, named)


def _options_for(
    entries: Iterable[StorageSettings], named: Mapping[str, str], location: str
) -> Mapping[str, str]:
    options: dict[str, str] = {}
    # In the order of the file: of two entries that both fit, the later one counts.
    for prefixes, own in entries:
        if any(_is_below(location, prefix) for prefix in prefixes):
            options |= own
    return {**options, **named}


def storage_settings(value: Any, place: str) -> tuple[StorageSettings, ...]:
    """The entries `[[storage]]` of the settings, from the *value* at *place*."""
    if not isinstance(value, list):
        raise wrong(place, "an array of tables, as in [[storage]]")
    entries = []
    for entry in value:
        options = dict(as_table(entry, place))
        if "prefix" not in options:
            raise SettingsError(
                f"{place}: an entry has no prefix.",
                remedy='Name the locations: prefix = "s3://bucket/".',
            )
        given = options.pop("prefix")
        prefixes = given if isinstance(given, list) else [given]
        if not all(isinstance(prefix, str) for prefix in prefixes):
            raise wrong(f"{place}.prefix", "a string or a list of strings")
        for key, said in options.items():
            if is_secret_option(key):
                raise has_secret(f"{place}.{key}")
            options[key] = as_text(said, f"{place}.{key}")
        entries.append((prefixes, options))
    return tuple(entries)


def _is_below(location: str, prefix: str) -> bool:
    """
    Whether *location* is at *prefix* or below it.

    >>> _is_below("s3://lake/a", "s3://lake/"), _is_below("s3://lake2/a", "s3://lake")
    (True, False)
    """
    return f"{location.rstrip('/')}/".startswith(f"{prefix.rstrip('/')}/" if prefix else "")


def is_secret_option(key: str) -> bool:
    """
    Whether an option of this name holds a secret.

    >>> is_secret_option("aws_secret_access_key"), is_secret_option("aws_region")
    (True, False)
    >>> is_secret_option("azure_storage_sas_token"), is_secret_option("web_identity_token_file")
    (True, False)
    """
    name = key.lower()
    # These say where a secret is, and are none.
    if name.endswith(("_file", "_path", "_url", "_uri", "_endpoint")):
        return False
    return any(sign in name for sign in ("secret", "token", "sas", "password", "key", "credential"))
