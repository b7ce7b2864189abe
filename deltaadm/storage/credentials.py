"""Credentials of object stores that others give for some time, and that are renewed in time."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.errors import DeltaadmError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class TemporaryCredentials(NamedTuple):
    """
    Credentials by the names of the options of a store, and when they expire.

    `expires` is in milliseconds since the epoch; None where they are good for the whole run.
    """

    options: Mapping[str, str]
    expires: int | None = None


class RenewedCredentials:
    """
    Credentials that are asked for again shortly before they expire.

    *ask* gives new ones; *first* are those that it has given already. `error` is why it gave none
    the last time, if it did not.
    """

    def __init__(
        self, ask: Callable[[], TemporaryCredentials], first: TemporaryCredentials
    ) -> None:
        self._ask = ask
        self._held = first
        self._renewal = _renewal(first)
        self._lock = threading.Lock()
        self.error: DeltaadmError | None = None

    @property
    def options(self) -> Mapping[str, str]:
        """The options with the credentials as they are now."""
        # One thread asks for new ones while the others wait for them.
        with self._lock:
            if self._renewal is not None and time.time() >= self._renewal:
                self._renew()
            return self._held.options

    def _renew(self) -> None:
        try:
            self._held = self._ask()
        except DeltaadmError as error:
            self.error = error
            raise
        self.error = None
        self._renewal = _renewal(self._held)

    def provide(self) -> dict[str, Any]:
        """The credentials as obstore takes them, which asks again when they expire."""
        plain = {_OBSTORE_NAMES[key]: value for key, value in self.options.items()}
        # When they are renewed, not when they expire: a request that is under way must not outlive
        # them.
        until = None if self._renewal is None else datetime.fromtimestamp(self._renewal, UTC)
        return {**plain, "expires_at": until}


_OBSTORE_NAMES: Final = {
    "aws_access_key_id": "access_key_id",
    "aws_secret_access_key": "secret_access_key",
    "aws_session_token": "token",
    "azure_storage_sas_token": "sas_token",
    "google_oauth_token": "token",
}

_MARGIN: Final = 300.0
"""Seconds before the end at which credentials are renewed, unless they are shorter-lived."""


def _renewal(credentials: TemporaryCredentials) -> float | None:
    """When to ask again, in seconds since the epoch."""
    if credentials.expires is None:
        return None
    end, now = credentials.expires / 1000, time.time()
    # A quarter of a short life, or credentials for less than the margin would be asked for each
    # time.
    return end - min(_MARGIN, max(0.0, end - now) / 4)
