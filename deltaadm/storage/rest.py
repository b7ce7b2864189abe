"""
Requests to a server that answers with JSON, and that must know who asks.

The token goes to that server alone: redirections are not followed. What is overloaded or fails is
asked again, at growing and random intervals.
"""

from __future__ import annotations

import io
import json
import random
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import (
    AbstractHTTPHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    Request,
    build_opener,
)

from deltaadm import __version__
from deltaadm.errors import StorageError
from deltaadm.masking import masked
from deltaadm.storage.threads import Pending

if TYPE_CHECKING:
    Document = Mapping[str, Any]

_TRIES: Final = 6
_LASTING: Final = (ssl.SSLError, ConnectionRefusedError, socket.gaierror, ValueError)
"""Errors that do not go away when the server is asked again."""

PATIENCE: Final = 60.0
"""Seconds in which an answer is complete, and in which a request is tried again, at most."""

_SILENCE: Final = 30.0
"""Seconds that the server may be silent."""

_LARGEST: Final = 1 << 22
"""Bytes of an answer, at most: in memory it can take twenty times as many."""

_LONGEST: Final = 300
"""Characters of the server's own words that are quoted."""

_PASSING: Final = frozenset({429, 500, 502, 503, 504})
"""Answers after which it pays to ask again."""


class CatalogError(StorageError):
    """
    The server answers, and not with what was asked for.

    `status` is the answer's HTTP status and `reason` the server's word for the kind of error, if it
    has one; without either, it is no server of this kind.
    """

    def __init__(self, message: str, *, remedy: str, status: int, reason: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.reason = reason

    @property
    def is_unknown_route(self) -> bool:
        """Whether the server does not have what was asked for at all, or not for this table."""
        return self.status in {400, 404, 405, 501}


class Rest:
    """
    A server whose paths begin with *base*, a URL; *token* says who asks, and may be empty.

    *name* is what the server is called in messages, and *token_names* the variables that give the
    token.
    """

    def __init__(self, base: str, token: str, *, name: str, token_names: str) -> None:
        self._base = base
        self._token = token
        self._name = name
        self._token_names = token_names
        # urllib would send the token along to wherever a redirection leads.
        self._opener = build_opener(_NoRedirects(), _Http(), _Https())

    def get(
        self, *path: str, body: Document | None = None, query: Mapping[str, str] | None = None
    ) -> Document:
        """The answer to a request that changes nothing."""
        return self._in_time("GET", path, query, body)

    def post(self, *path: str, body: Document) -> Document:
        """The answer to a request that may be made twice."""
        return self._in_time("POST", path, None, body)

    def _in_time(
        self,
        method: str,
        path: Sequence[str],
        query: Mapping[str, str] | None,
        body: Document | None,
    ) -> Document:
        """The answer; an interrupt ends the wait for it."""
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
        # Also while a name is looked up, which a thread of its own does: the system's resolver
        # cannot be interrupted.
        if threading.current_thread() is not threading.main_thread():
            return self._answer(request)
        pending = Pending(lambda: self._answer(request))
        threading.Thread(target=pending.run, daemon=True).start()
        return pending.result()

    def _answer(self, request: Request) -> Document:
        end = time.monotonic() + PATIENCE
        for number in range(_TRIES):
            # At random, so that many clients that were turned away do not all come back at once.
            pause = 0.2 * 2**number * random.uniform(0.5, 1.0)  # noqa: S311 -- no secret
            try:
                with self._opener.open(request, timeout=_SILENCE) as answer:
                    document = _document(answer.read(_LARGEST))
                if document is None:
                    raise self._no_catalog(200)
            except HTTPError as error:
                asked = _seconds(error.headers.get("Retry-After", ""))
                pause = pause if asked is None else asked + pause / 10
                again = error.code in _PASSING and number + 1 < _TRIES
                if not again or time.monotonic() + pause >= end:
                    raise self._refused(error) from None
                error.close()
            except _TooLongError:
                raise StorageError(
                    f"{self._name} answers with more than {_LARGEST >> 20} MB.",
                    remedy="Check --unity.",
                ) from None
            except (OSError, HTTPException, ValueError) as error:
                cause = error.reason if isinstance(error, URLError) else error
                again = not isinstance(cause, _LASTING) and number + 1 < _TRIES
                if not again or time.monotonic() + pause >= end:
                    raise self._unreachable(cause) from None
            else:
                return document
            time.sleep(pause)
        raise AssertionError  # the last try returns or raises

    # What goes wrong

    def _refused(self, error: HTTPError) -> StorageError:
        status = error.code
        if error.headers.get("Location") and status // 100 == 3:  # noqa: PLR2004 -- redirections
            try:
                elsewhere = urlsplit(error.headers["Location"]).hostname
            except ValueError:
                elsewhere = None
            elsewhere = elsewhere or "another place"
            error.close()
            return CatalogError(
                f"{self._name} redirects to {elsewhere}, where no token is sent.",
                remedy="Pass the URL of the workspace or server itself to --unity.",
                status=status,
            )
        try:
            with error:
                document = _document(error.read(1 << 16))
        except (OSError, HTTPException, ValueError):
            document = None
        # The server's words stand in the answer itself or in its "error".
        inner = (document or {}).get("error")
        details = inner if isinstance(inner, dict) else document or {}
        said, kind = details.get("message"), details.get("type") or details.get("error_code")
        if not isinstance(said, str) and not isinstance(kind, str):
            kind = None
            if status not in _MESSAGES:
                return self._no_catalog(status)
        reason = self._quoted(said if isinstance(said, str) else "")
        message, remedy = _MESSAGES.get(status, _OTHER)
        if status == HTTPStatus.UNAUTHORIZED and not self._token:
            message, remedy = "{name} requires a token.", "Set {tokens} to one."
        fields = {
            "name": self._name, "tokens": self._token_names, "status": status,
            "reason": f": {reason}" if reason else ".",
        }  # fmt: skip
        return CatalogError(
            message.format_map(fields),
            remedy=remedy.format_map(fields),
            status=status,
            reason=str(kind or ""),
        )

    def _no_catalog(self, status: int) -> StorageError:
        return CatalogError(
            f"{self._name} does not answer as a Unity Catalog (status {status}).",
            remedy="Check --unity: it is the URL of a workspace or server, for example "
            "https://adb-123.azuredatabricks.net or http://localhost:8080.",
            status=status,
        )

    def _unreachable(self, cause: object) -> StorageError:
        for kinds, words, remedy in _CAUSES:
            if isinstance(cause, kinds):
                return StorageError(f"Cannot reach {self._name}: {words}.", remedy=remedy)
        reason = self._quoted(str(getattr(cause, "strerror", None) or cause)).lower().rstrip(".")
        return StorageError(
            f"Cannot reach {self._name}: {reason or 'the connection broke'}.",
            remedy="Check --unity and the network, and try again.",
        )

    def _quoted(self, text: str) -> str:
        """A sentence of the server's, in which there is no secret; it may be anything."""
        # A server may repeat the request, and the token with it, in what it says of an error.
        plain = " ".join(masked(text, (self._token,) if self._token else ()).split())
        plain = plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."
        return plain if not plain or plain.endswith((".", "!", "?")) else f"{plain}."


class _NoRedirects(HTTPRedirectHandler):
    """A redirection is an error: the token must not go elsewhere."""

    def http_error_302(self, *_given: Any, **_named: Any) -> None:
        """It would fail with a `ValueError` for what is no URL."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _TooLongError(Exception):
    """An answer has too many bytes."""


class _Bounded(io.RawIOBase):
    """What a server sends for one answer, headers included: not too much, and not for too long."""

    def __init__(self, sent: socket.SocketIO) -> None:
        self._sent, self._left, self._end = sent, _LARGEST, time.monotonic() + PATIENCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if time.monotonic() > self._end:
            raise TimeoutError
        size = self._sent.readinto(buffer) or 0
        self._left -= size
        if self._left < 0:
            raise _TooLongError
        return size

    def close(self) -> None:
        self._sent.close()
        super().close()


class _Answer(HTTPResponse):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fp = io.BufferedReader(_Bounded(cast("socket.SocketIO", self.fp.detach())))


class _BoundedOpen(AbstractHTTPHandler):
    def do_open(self, http_class: Any, req: Request, **more: Any) -> HTTPResponse:

        def connection(host: str, **options: Any) -> Any:
            made = http_class(host, **options)
            made.response_class = _Answer
            return made

        return super().do_open(connection, req, **more)


class _Http(_BoundedOpen, HTTPHandler):
    pass


class _Https(_BoundedOpen, HTTPSHandler):
    pass


_TRY_LATER: Final = "Try again later, with a smaller --jobs."
_PRIVILEGES: Final = (
    "Ask for the privileges USE CATALOG, USE SCHEMA and SELECT, and for EXTERNAL USE SCHEMA, "
    "without which it gives no temporary credentials."
)
_MESSAGES: Final = {
    401: ("{name} does not accept the token, or no longer{reason}",
          "Get a new token, and set {tokens} to it."),
    403: ("{name} denies access{reason}", _PRIVILEGES),
    409: ("{name} reports a conflict{reason}", "Try again."),
    429: ("{name} is overloaded, and stayed so{reason}", _TRY_LATER),
    500: ("{name} failed, and went on to{reason}", "Try again later; its log says why."),
    502: ("{name} is out of reach for its gateway{reason}", _TRY_LATER),
    503: ("{name} is not available, and stayed so{reason}", _TRY_LATER),
    504: ("{name} does not answer its gateway in time{reason}", _TRY_LATER),
}  # fmt: skip
_OTHER: Final = ("{name} refuses the request (status {status}){reason}", "Check --unity.")

_CAUSES: Final[tuple[tuple[type, str, str], ...]] = (
    (ssl.SSLCertVerificationError, "the server's certificate is not accepted",
     ("Check --unity; SSL_CERT_FILE names a file with the certificates of an authority of your "
     "own.")),
    (ssl.SSLError, "the server does not speak TLS",
     "Check --unity: its port, and whether it is plain HTTP."),
    (ConnectionRefusedError, "the connection is refused", "Check --unity and its port."),
    (socket.gaierror, "cannot resolve the host name", "Check --unity."),
    (TimeoutError, "the server does not answer in time", "Check --unity and the network."),
)  # fmt: skip


def _seconds(text: str) -> float | None:
    """
    Return the delay that a header Retry-After asks for, in seconds or as a time.

    >>> _seconds("3"), _seconds("Thu, 01 Jan 1970 00:00:00 GMT"), _seconds("soon")
    (3.0, 0.0, None)
    """
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _document(body: bytes) -> Document | None:
    """The JSON object in an answer; None for anything else."""
    try:
        document = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
