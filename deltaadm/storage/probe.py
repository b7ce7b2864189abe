"""The permissions of this user in an object store, found out by trying."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.storage.object_store import PAGE, Address, Connections

_ANSWER_TIME: Final = 5.0


def list_objects(connections: Connections, location: str) -> str:
    """The number of objects in the log at *location*, in words; raises if they are not listed."""
    address = Address.of(location)
    page = connections.bucket(location).first_page(address.join(LOG_DIRECTORY))
    objects, complete = page.result()
    return f"{len(objects)} objects" if complete else f"{PAGE} objects and more"


def creates_once(connections: Connections, location: str) -> bool:
    """Whether an object in the log at *location* can be created, and not a second time."""
    directory = Address.of(location).join(LOG_DIRECTORY)
    return connections.bucket(location).creates_once(f"{directory.rstrip('/')}/")


def clock_skew(location: str, options: Mapping[str, str]) -> float | None:
    """
    By how many seconds this machine's clock is ahead of that of the store of *location*.

    None where the store does not say what time it is.
    """
    address = Address.of(location)
    url = _endpoint(address, {key.lower(): value for key, value in options.items()})
    if url is None:
        return None
    date = _date(url)
    try:
        return None if date is None else time.time() - parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError):
        return None


def _date(url: str) -> str | None:
    """The header Date of whatever is answered to a request without credentials."""
    request = Request(url, method="HEAD")  # noqa: S310 -- of an http endpoint
    try:
        with build_opener(_NoRedirects()).open(request, timeout=_ANSWER_TIME) as answer:
            return str(answer.headers["Date"])
    except HTTPError as error:
        with error:
            return str(error.headers["Date"])
    except (OSError, HTTPException, ValueError):
        return None


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirection, since its answer has a date as well."""

    def redirect_request(self, *_given: Any, **_named: Any) -> None:
        """See `HTTPRedirectHandler`."""


def _endpoint(address: Address, options: Mapping[str, str]) -> str | None:
    """The address of the store, as far as options and environment tell."""

    def setting(*names: str) -> str | None:
        for name in names:
            if value := options.get(name) or os.environ.get(name.upper()):
                return value
        return None

    endpoint = None
    if address.kind == "s3":
        region = setting("aws_region", "region", "aws_default_region") or "us-east-1"
        endpoint = setting(
            "aws_endpoint_url_s3", "aws_endpoint_url", "aws_endpoint", "endpoint_url", "endpoint"
        )
        endpoint = endpoint or f"https://s3.{region}.amazonaws.com"
    elif address.kind == "gcs":
        endpoint = setting("google_base_url") or "https://storage.googleapis.com"
    elif address.kind == "azure":
        account = address.account or setting("azure_storage_account_name", "account_name")
        endpoint = setting("azure_storage_endpoint", "azure_endpoint")
        endpoint = endpoint or (f"https://{account}.blob.core.windows.net" if account else None)
    return endpoint if endpoint and endpoint.startswith(("http://", "https://")) else None
