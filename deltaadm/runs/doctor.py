"""The checks of `doctor` on the object store of a table."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from deltaadm.blocks import Check, Health
from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import DeltaadmError
from deltaadm.reports.words import counted
from deltaadm.runs.context import RunContext
from deltaadm.storage.object_store import PAGE, Address
from deltaadm.storage.store import ObjectStores, is_in_object_store

_ANSWER_TIME: Final = 5.0
_NOTED: Final = 60
# S3 and Azure refuse requests that are more than fifteen minutes off.
_REFUSED: Final = 900
"""Seconds of difference between clocks that are worth a word, and that stores refuse."""


def store_checks(context: RunContext, location: str, *, writing: bool) -> Iterator[Check]:
    """
    Whether the store at *location* takes the credentials, lists, and tells the same time.

    With *writing* also whether it creates an object that is not there, and only then.
    """
    if context.hadoop is not None or not is_in_object_store(location):
        return
    stores = context.object_stores or ObjectStores()
    subject = f"listing {location}"
    try:
        log = Address.of(location).join(LOG_DIRECTORY)
        objects, complete = stores.connections.bucket(location).first_page(log).result()
        listing = counted(len(objects), "object") if complete else f"{PAGE} objects and more"
        yield Check(subject, Health.OK, f"{listing} in its log")
    except DeltaadmError as error:
        yield Check(subject, Health.FAILED, error.message, error.remedy)
    skew = _clock_skew(location, stores.options_for(location))
    if skew is not None:
        yield _clock(f"clock of {location}", skew)
    if not writing:
        return
    if context.unity is not None:
        context.unity.allow_writing(location)
    subject = f"conditional put to {location}"
    try:
        log = Address.of(location).join(LOG_DIRECTORY)
        once = stores.connections.bucket(location).creates_once(f"{log.rstrip('/')}/")
    except DeltaadmError as error:
        yield Check(subject, Health.FAILED, error.message, error.remedy)
        return
    if once:
        yield Check(subject, Health.OK, "works, so that --commit-engine embedded can commit")
    else:
        yield Check(
            subject,
            Health.FAILED,
            "the store replaces an object that must not be there",
            "Let only one Spark write to the table, or use a store with conditional writes.",
        )


def _clock(subject: str, skew: float) -> Check:
    seconds = round(abs(skew))
    if seconds < _NOTED:
        return Check(subject, Health.OK, "agrees with this machine's")
    direction = "behind" if skew > 0 else "ahead of"
    return Check(
        subject,
        Health.FAILED if seconds >= _REFUSED else Health.WARNING,
        f"{seconds} seconds {direction} this machine's",
        "Set this machine's clock: stores refuse signatures of another time.",
    )


def _clock_skew(location: str, options: Mapping[str, str]) -> float | None:
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
