"""Settings of object stores: those with which obstore panics, and the hosts that they lead to."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from deltaadm.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_URLS: Final = frozenset({
    "endpoint", "endpoint_url", "endpoint_url_s3", "endpoint_url_sts", "metadata_endpoint",
    "container_credentials_full_uri",
})  # fmt: skip
_WORDS: Final = frozenset({
    "region", "default_region", "access_key_id", "secret_access_key", "session_token", "token",
    "account_name", "account_key", "access_key", "sas_token", "client_id", "tenant_id",
    "container_credentials_relative_uri",
})  # fmt: skip


def require_usable(
    prefix: str, settings: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """
    Raise `StorageError` for an endpoint that is not a URL, or a word or token with several lines.

    Those of *settings* and of the *environment* count whose names begin with the *prefix* of a
    kind of store, such as `aws_`.
    """
    # Messages show names, not values: a value may be a secret, or have one in it.
    own = {name: text for name, text in environment.items() if name.lower().startswith(prefix)}
    for name, value in {**own, **settings}.items():
        key = name.lower().removeprefix(prefix).removeprefix("storage_")
        if key in _URLS and not _is_url(value):
            raise StorageError(
                f"{name} is not a URL.",
                remedy="An endpoint looks like https://host or http://host:9000.",
            )
        where, word = name, value
        if key == "container_authorization_token_file":
            where, word = f"The file in {name}", _token_in(value)
        elif key not in _WORDS:
            continue
        if re.search(r"[^\x21-\x7e]", word):
            raise StorageError(
                f"{where} contains a space, a line break or another invalid character.",
                remedy="Correct it; a line break at the end often comes from the file it was read "
                "from.",
            )


def _token_in(file: str) -> str:
    """The token in a file that obstore reads; empty where it cannot be read, which obstore says."""
    try:
        return Path(file).read_bytes().decode("latin-1")
    except (OSError, ValueError):
        return ""


def require_url(location: str) -> None:
    """Raise `StorageError` where no request to a server can be made of the *location*."""
    if not _is_url("/".join(location.split("/", 3)[:3])):
        raise StorageError(
            f"{location} is not a URL.", remedy="It looks like https://host/path/to/table."
        )


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    plain = re.search(r"[\x00-\x20\x7f]", text) is None
    return plain and parts.scheme in {"http", "https"} and bool(host)


def require_bucket(noun: str, name: str, location: str) -> None:
    """Raise `StorageError` for a *location* with the *name* of a bucket that no store has."""
    if re.search(r"[^\w.$-]", name, re.ASCII):
        raise StorageError(
            f"Cannot read {location}: {name!r} is not a valid {noun} name.",
            remedy="Use only letters, digits, hyphens, dots and underscores.",
        )


NOWHERE: Final = "127.0.0.1:0"
"""Where nobody can listen."""

_CLOUDS: Final = {
    "s3": "amazonaws.com",
    "azure": "core.windows.net,fabric.microsoft.com,login.microsoftonline.com",
}
_LINK_LOCAL: Final = "169.254.0.0/16"
"""Where machines of a cloud get their credentials."""


def confining_options(
    kind: str,
    client: Mapping[str, object],
    settings: Mapping[str, str],
    environment: Mapping[str, str],
) -> dict[str, str]:
    """
    Options for connections to the hosts of a cloud and of *settings* alone, besides *client*.

    obstore follows redirections, and takes along S3's session token and, as the referrer, URLs with
    signatures of Azure; it has no option against that. So for all other hosts it gets a proxy that
    is nowhere. Where the user has a proxy, that one decides.
    """
    if kind not in _CLOUDS or "proxy_url" in client or _has_proxy(environment):
        return {}
    own = ("aws_", "azure_", "azurite_", "identity_")
    given = {name.lower(): text for name, text in environment.items()}
    given = {name: text for name, text in given.items() if name.startswith(own)} | dict(settings)
    hosts = [_CLOUDS[kind], _LINK_LOCAL]
    hosts += [urlsplit(text).hostname or "" for text in given.values() if _is_url(text)]
    hosts += [text for name, text in given.items() if name.endswith("_host")]
    hosts += ["127.0.0.1" for name in given if name.endswith("use_emulator")]
    return {"proxy_url": f"http://{NOWHERE}", "proxy_excludes": ",".join(hosts)}


def _has_proxy(environment: Mapping[str, str]) -> bool:
    if sys.platform in {"darwin", "win32"}:  # where the system has settings of its own
        from urllib.request import getproxies

        return not {"http", "https", "all"}.isdisjoint(getproxies())
    names = ("http_proxy", "https_proxy", "all_proxy")
    return any(environment.get(name) or environment.get(name.upper()) for name in names)
