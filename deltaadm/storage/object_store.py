"""
A table's log in an object store: S3, Google Cloud Storage, Azure, HTTP.

Every request waits in a thread of its own, so that many are under way at once and an interrupt
ends the run without waiting for any. obstore makes them, which takes credentials from where the
programs of each cloud look for them.
"""

from __future__ import annotations

import os
import random
import re
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from configparser import Error, RawConfigParser
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Concatenate,
    Final,
    NamedTuple,
    ParamSpec,
    TypeVar,
    cast,
)
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from deltaadm import __version__
from deltaadm.domain.snapshot import LOG_DIRECTORY, FileInfo, listing_prefix, no_table
from deltaadm.errors import (
    DeltaadmError,
    MissingFileError,
    RefusedError,
    StorageError,
    UnknownWriteError,
    UsageError,
)
from deltaadm.limits import LIMITS, Limits
from deltaadm.paths import is_absolute, require_inside
from deltaadm.storage.local import in_another_store, missing, too_large
from deltaadm.storage.ranges import RangedFile
from deltaadm.storage.threads import Pending, Threads, in_time, panics_as_errors

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ObjectStore as Backend


# Providers


class Provider(NamedTuple):
    """A kind of store: what it has tables in, and all else that differs between the kinds."""

    noun: str
    example: str
    backend: str
    """The class of obstore for it."""
    prefix: str
    """The beginning of the names of its options and variables."""
    credentials: str = ""
    """The ways to give some."""
    hosts: str = ""
    """Those of a cloud whose secrets would go along with a redirection."""


_PROVIDERS: Final = {
    "s3": Provider(
        "bucket", "s3://bucket/path/to/table", "S3Store", "aws_",
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_SESSION_TOKEN if there is "
        "one (`aws configure export-credentials --format env` prints those of a profile), run "
        "where the machine has a role, or set AWS_SKIP_SIGNATURE=true for a public bucket.",
        "amazonaws.com",
    ),
    "gcs": Provider(
        "bucket", "gs://bucket/path/to/table", "GCSStore", "google_",
        "Set GOOGLE_APPLICATION_CREDENTIALS to a file with credentials, log in with `gcloud auth "
        "application-default login`, or run where the machine has a service account.",
    ),
    "azure": Provider(
        "container", "abfss://container@account.dfs.core.windows.net/path/to/table",
        "AzureStore", "azure_",
        "Set AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN "
        "or the variables of a service principal, set AZURE_USE_AZURE_CLI=true after `az login`, "
        "or run where the machine has an identity.",
        "core.windows.net,fabric.microsoft.com,login.microsoftonline.com",
    ),
    "http": Provider(
        "host", "https://host/path/to/table", "HTTPStore", "http_",
        "Give a location that can be read without a login.",
    ),
    "memory": Provider("store", "memory://name/path/to/table", "MemoryStore", "memory_"),
}  # fmt: skip

_KINDS: Final[Mapping[str, str]] = {
    "s3": "s3", "s3a": "s3", "gs": "gcs", "az": "azure", "adl": "azure", "abfs": "azure",
    "abfss": "azure", "http": "http", "https": "http", "memory": "memory",
}  # fmt: skip
"""The kind of store by the scheme of a URL."""


# Profiles


_PLACES: Final = {
    "region": ("region", "default_region"),
    "endpoint_url": ("endpoint_url", "endpoint", "endpoint_url_s3"),
}
"""What a profile says besides credentials, and the settings that come before it."""

_OTHERS: Final = (
    "access_key_id", "web_identity_token_file", "container_credentials_relative_uri",
    "container_credentials_full_uri",
)  # fmt: skip
"""Settings with credentials, or the way to them, that come before the default profile."""


def profile_options(
    environ: Mapping[str, str], given: Collection[str], *, credentials: bool
) -> dict[str, str]:
    """
    What the profile in force says and neither *environ* nor the options *given* do.

    Its credentials are left out unless *credentials* are wanted. Raises `StorageError` for a
    profile that *environ* names and that does not exist or has no credentials of its own.
    """
    named = environ.get("AWS_PROFILE")
    profile = _profile(environ, named or "default")
    if profile is None:
        if not named:
            return {}
        raise StorageError(
            f"There is no AWS profile {named}.",
            remedy="Check AWS_PROFILE, ~/.aws/config and ~/.aws/credentials.",
        )
    known = {name.lower().removeprefix("aws_") for name in given}
    known |= {name[4:].lower() for name, text in environ.items() if text and name[:4] == "AWS_"}
    options = {
        f"aws_{key}": profile[key]
        for key, names in _PLACES.items()
        if key in profile and known.isdisjoint(names)
    }
    # Before a profile that is named come keys alone, not roles of web identities or containers.
    if not credentials or not known.isdisjoint(_OTHERS[:1] if named else _OTHERS):
        return options
    keys = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    own = {key: profile[key] for key in keys if key in profile}
    if len(own) > 1:
        return {**options, **own}
    # obstore knows no profiles: it would look for a role of the machine, and fail for another
    # reason.
    elsewhere = {"sso_session", "sso_start_url", "credential_process", "role_arn"}
    if named and not elsewhere.isdisjoint(profile):
        raise StorageError(
            f"The AWS profile {named} gets its credentials from another program or service.",
            remedy=f'Run eval "$(aws configure export-credentials --profile {named} --format env)" '
            "first.",
        )
    return options


def _profile(environ: Mapping[str, str], name: str) -> dict[str, str] | None:
    """The entries of both files for a profile, credentials first; None where neither has it."""
    home = Path(environ.get("HOME") or Path.home()) / ".aws"
    config = environ.get("AWS_CONFIG_FILE") or home / "config"
    own = environ.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials"
    # Only the default profile may do without the word before its name.
    sections = [(config, f"profile {name}"), (config, "default"), (own, name)]
    profile: dict[str, str] | None = None
    for place, section in sections:
        file = Path(place).expanduser()
        # Raw: a % in a value means nothing in these files.
        parser = RawConfigParser(strict=False, default_section="")
        try:
            parser.read_string(file.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, Error) as error:
            raise StorageError(
                f"{file} cannot be read: {type(error).__name__}.",
                remedy="Correct it, or name another with AWS_CONFIG_FILE or "
                "AWS_SHARED_CREDENTIALS_FILE.",
            ) from error
        if parser.has_section(section) and (section != "default" or name == "default"):
            profile = (profile or {}) | dict(parser.items(section))
    return profile


# Credentials


class TemporaryCredentials(NamedTuple):
    """Credentials by a store's option names; `expires` in ms since the epoch, None for never."""

    options: Mapping[str, str]
    expires: int | None = None


class RenewedCredentials:
    """
    Credentials that are asked for again shortly before they expire.

    *ask* gives new ones, or none, so that a store gets the old ones to refuse; *first* are those
    that it has given already. `error` is why the last question was not answered.
    """

    def __init__(
        self, ask: Callable[[], TemporaryCredentials | None], first: TemporaryCredentials
    ) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self.error: DeltaadmError | None = None
        self._hold(first)

    def _hold(self, credentials: TemporaryCredentials) -> None:
        self._held = credentials.options
        self._renewal: float | None = None
        if credentials.expires is not None:
            end, now = credentials.expires / 1000, time.time()
            # Five minutes before, or a quarter of a short life, since such credentials would else
            # be asked for each time.
            self._renewal = end - min(300.0, max(0.0, end - now) / 4)

    @property
    def options(self) -> Mapping[str, str]:
        """The options with the credentials as they are now."""
        # One thread asks for new ones while the others wait for them.
        with self._lock:
            if self._renewal is not None and time.time() >= self._renewal:
                try:
                    credentials = self._ask()
                except DeltaadmError as error:
                    self.error = error
                    raise
                self.error = None
                # Those that never expire are not asked for with each request.
                self._hold(credentials or TemporaryCredentials(self._held))
            return self._held

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


# What was read before


Span = tuple[int, int] | None
"""The range of bytes that was read; None for the whole file."""


class LogCache:
    """
    At most so many bytes of logs, of files that never change; what was read first goes first.

    But of a log that has more, what was read first stays, since it is read from its beginning
    again. What was read of a file counts as long as it is *listed* in the same way; None, for a
    file that was not, stands for the last.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self._lock = threading.Lock()
        # A plain dict looks for its first key among all that were removed before.
        self._kept = OrderedDict[tuple[str, str, Span], tuple[Hashable, bytes]]()

    def find(self, log: str, path: str, listed: Hashable, span: Span = None) -> bytes | None:
        """These bytes of a file, if they are there."""
        known, body = self._kept.get((log, path, span), (None, None))
        return body if listed is None or listed == known else None

    def keep(self, log: str, path: str, listed: Hashable, body: bytes, span: Span = None) -> None:
        """Keep these bytes of a file, if there is room for them and it was listed."""
        # Commits, checksums and checkpoints; `_last_checkpoint` is overwritten.
        never_changes = path[:1].isdigit() or path.startswith("_sidecars/")
        if listed is None or not never_changes or len(body) > 1 << 20:
            return
        with self._lock:
            self._left += len(self._kept.pop((log, path, span), (None, b""))[1])
            while self._left < len(body) and self._kept:
                oldest = next(iter(self._kept))
                if oldest[0] == log:
                    break
                self._left += len(self._kept.pop(oldest)[1])
            if self._left >= len(body):
                self._left -= len(body)
                self._kept[log, path, span] = listed, body


# Options


_URLS: Final = frozenset({
    "endpoint", "endpoint_url", "endpoint_url_s3", "endpoint_url_sts", "metadata_endpoint",
    "container_credentials_full_uri",
})  # fmt: skip
_WORDS: Final = frozenset({
    "region", "default_region", "access_key_id", "secret_access_key", "session_token", "token",
    "account_name", "account_key", "access_key", "sas_token", "client_id", "tenant_id",
    "container_credentials_relative_uri",
})  # fmt: skip


def _require_usable(prefix: str, settings: Mapping[str, str]) -> None:
    """Raise `StorageError` for an endpoint that is not a URL, or a word with several lines."""
    # Messages show names, not values: a value may be a secret, or have one in it.
    own = {name: text for name, text in os.environ.items() if name.lower().startswith(prefix)}
    for name, value in {**own, **settings}.items():
        key = name.lower().removeprefix(prefix).removeprefix("storage_")
        if key in _URLS and not _is_url(value):
            raise StorageError(
                f"{name} is not a URL.",
                remedy="An endpoint looks like https://host or http://host:9000.",
            )
        where, word = name, value if key in _WORDS else ""
        if key == "container_authorization_token_file":
            where = f"The file in {name}"
            with suppress(OSError, ValueError):  # which obstore says
                word = Path(value).read_bytes().decode("latin-1")
        if re.search(r"[^\x21-\x7e]", word):
            raise StorageError(
                f"{where} contains a space, a line break or another invalid character.",
                remedy="Correct it; a line break at the end often comes from the file it was read "
                "from.",
            )


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    plain = re.search(r"[\x00-\x20\x7f]", text) is None
    return plain and parts.scheme in {"http", "https"} and bool(host)


_NOWHERE: Final = "127.0.0.1:0"
"""Where nobody can listen."""


def _confining_options(
    kind: str, client: Mapping[str, object], settings: Mapping[str, str]
) -> dict[str, str]:
    """
    Options for connections to the hosts of a cloud and of *settings* alone, besides *client*.

    obstore follows redirections, and takes along S3's session token and, as the referrer, URLs with
    signatures of Azure; it has no option against that. So for all other hosts it gets a proxy that
    is nowhere. Where the user has a proxy, that one decides.
    """
    cloud = _PROVIDERS[kind].hosts
    if not cloud or "proxy_url" in client:
        return {}
    names = ("http", "https", "all")
    if sys.platform in {"darwin", "win32"}:  # where the system has settings of its own
        from urllib.request import getproxies

        has_proxy = not getproxies().keys().isdisjoint(names)
    else:
        variables = [f"{name}_proxy" for name in names]
        has_proxy = any(os.environ.get(name) or os.environ.get(name.upper()) for name in variables)
    if has_proxy:
        return {}
    own = ("aws_", "azure_", "azurite_", "identity_")
    given = {name.lower(): text for name, text in os.environ.items()}
    given = {name: text for name, text in given.items() if name.startswith(own)} | dict(settings)
    hosts = [cloud, "169.254.0.0/16"]  # where machines of a cloud get their credentials
    hosts += [urlsplit(text).hostname or "" for text in given.values() if _is_url(text)]
    hosts += [text for name, text in given.items() if name.endswith("_host")]
    hosts += ["127.0.0.1" for name in given if name.endswith("use_emulator")]
    return {"proxy_url": f"http://{_NOWHERE}", "proxy_excludes": ",".join(hosts)}


# Errors


_PERMISSIONS: Final = {
    "list": "s3:ListBucket", "read": "s3:GetObject and s3:ListBucket", "write": "s3:PutObject",
    "remove": "s3:DeleteObject",
}  # fmt: skip

_NO_BUCKET: Final = (
    "NoSuchBucket|ContainerNotFound|specified bucket does not exist",
    "", "Check its name, and the endpoint if it is not the cloud's own.",
)  # fmt: skip

# The first that fits counts: causes come before what they end in, such as a denied access.
_CAUSES: Final = (
    _NO_BUCKET,
    (
        "BadScheme",
        "refusing to use plain HTTP",
        ("If you trust the network, set {prefix}ALLOW_HTTP=true, or pass --storage-option "
        "allow_http=true."),
    ), (
        _NOWHERE,
        "the store redirects to another host, which is given no credentials",
        "If that host is to be trusted, set it as the endpoint.",
    ), (
        "InvalidHeaderValue|InvalidUri|RelativeUrlWithoutBase|InvalidPort",
        "a credential or a setting of the store cannot be part of a request",
        "Look for line breaks and odd characters in them, and for addresses that are not URLs.",
    ), (
        "RequestTimeTooSkewed",
        "this machine's clock differs too much from the store's", "Set the clock.",
    ), (
        ("ExpiredToken|RequestExpired|TokenRefreshRequired|TokenExpired|invalid_grant|"
        "Signature not valid in the specified time frame"),
        "the credentials have expired", "Get new ones.",
    ), (
        ("169.254.169.254|169.254.170.2|168.63.129.16|metadata.google.internal|Missing AccessKeyId|"
        "Missing SecretAccessKey|MissingAccessKeyId|MissingSecretAccessKey|"
        "Account must be specified|MissingAccount"),
        "no credentials were found", "{credentials}",
    ), (
        ("PermanentRedirect|AuthorizationHeaderMalformed|BareRedirect|301 Moved|"
        "Received redirect without LOCATION|IllegalLocationConstraint"),
        "its bucket is in another region than the one that is asked",
        "Set AWS_REGION to the region of the bucket.",
    ), (
        ("InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|InvalidToken|"
        "InvalidAuthenticationInfo|UnauthenticatedError|401 Unauthorized|invalid_client"),
        "the store does not accept the credentials",
        "Check that they are complete, and those of this store.",
    ), (
        ("AccessDenied|403 Forbidden|PermissionDenied|AuthorizationPermissionMismatch|"
        "AuthorizationFailure|AllAccessDisabled"),
        "permission denied",
        "Ask for the permission to {doing} objects of {bucket}{permissions}.",
    ), (
        "PreconditionError|412 Precondition|EOFError",
        "it was replaced meanwhile", "Try again.",
    ), (
        ("CorruptMessage|InvalidContentType|tls handshake|TlsError|received fatal|certificate|"
        "InvalidCertificate"),
        "the server does not speak TLS, or its certificate is not accepted",
        ("Check the endpoint and its port; SSL_CERT_FILE names a file with the certificates of an "
        "authority of your own."),
    ), (
        "dns error|failed to lookup address|Connection refused|ConnectionRefused",
        "the host is not found, or the connection is refused",
        "Check the endpoint, the region and the account.",
    ), (
        "TimedOut|timed out|Timeout|deadline",
        "the server does not answer in time", "Check the endpoint and the network.",
    ), (
        "SlowDown|503 Service|429 Too Many|ServerBusy|rateLimitExceeded",
        "the store stays overloaded",
        "Try again later, with a smaller --jobs.",
    ),
)  # fmt: skip
"""Texts that tell a cause, the cause, and its remedy."""


def _failure(url: str, error: Exception, doing: str = "read") -> DeltaadmError:
    text = f"{type(error).__name__}: {error}"
    cause = next((row for row in _CAUSES if any(word in text for word in row[0].split("|"))), None)
    # A missing bucket is a missing file to obstore, but "try again" does not help there.
    if isinstance(error, FileNotFoundError) and cause is not _NO_BUCKET:
        return missing(url)
    if cause is None:
        # The first sentence, without the details of the response and of the request.
        line = re.sub(_REQUEST, "", str(error).strip().partition("\n")[0])
        line = re.sub(r"<.*", "", re.sub(r"^Generic [\w ]+ error: ", "", line)).strip(" :.-")
        line = line or "the store's response cannot be understood"
        remedy = "Check the location, the endpoint and the credentials."
        if _UNNAMEABLE in line:
            remedy = "Rename or remove the object."
        return StorageError(f"Cannot {doing} {url}: {line}.", remedy=remedy)
    kind, bucket = _KINDS[url.partition(":")[0].lower()], "/".join(url.split("/", 3)[:3])
    provider = _PROVIDERS[kind]
    words = {
        "doing": doing,
        "bucket": bucket,
        "credentials": provider.credentials,
        "prefix": provider.prefix.upper(),
        "permissions": f" ({_PERMISSIONS[doing]})" if kind == "s3" else "",
    }
    return StorageError(
        f"Cannot {doing} {url}: {cause[1]}."
        if cause[1]
        else f"There is no {provider.noun} {bucket}.",
        remedy=cause[2].format_map(words),
    )


_UNNAMEABLE: Final = "invalid path"
"""What obstore says where a key has a part that is empty, `.` or `..`: it lists none beside it."""
_REQUEST: Final = r"Error performing [A-Z]+ \S+ in \S+(?: after .*?(?= +- ))?(?: +- |: )?"


# The store


Given = ParamSpec("Given")
Result = TypeVar("Result")
Request = Callable[Concatenate["Bucket", str, Given], Result]
Submitted = Callable[Concatenate["Bucket", str, Given], Pending[Result]]

PAGE: Final = 1_000
"""Objects that a store tells of in one answer."""

PAGE_TIME: Final = 120.0
"""Seconds in which a store tells of so many, with all tries."""

_TRIES: Final = 6
"""Requests for a list whose answers break off."""


_SCRATCH: Final = ".deltaadm-doctor-"
"""The prefix of objects that are only made to be removed; readers ignore them."""


_DENIALS: Final = frozenset({
    "PermissionDeniedError", "UnauthenticatedError", "NotFoundError", "FileNotFoundError",
    "InvalidPathError", "NotSupportedError", "NotImplementedError",
})  # fmt: skip
"""With these a store turns a request to write away; after any other it may have written."""


class Address(NamedTuple):
    """What a URL says; `qualifier` is scheme and authority, and `path` is within the bucket."""

    kind: str
    qualifier: str
    bucket: str
    path: str
    account: str = ""

    @classmethod
    def of(cls, location: str) -> Address:
        """
        The parts of *location*, of which that of HTTP alone is percent-encoded.

        >>> Address.of("s3a://lake/events/")[:4]
        ('s3', 's3a://lake', 'lake', 'events')
        >>> Address.of("abfss://raw@acme.dfs.core.windows.net/events")[2:]
        ('raw', 'events', 'acme')
        """
        scheme, _, rest = location.partition("://")
        authority, _, path = rest.partition("/")
        kind = _KINDS[scheme.lower()]
        qualifier, path = f"{scheme}://{authority}", path.strip("/")
        if not authority:
            provider = _PROVIDERS[kind]
            raise StorageError(
                f"{location} names no {provider.noun}.",
                remedy=f"A location there looks like {provider.example}.",
            )
        if kind == "http":
            if not _is_url(qualifier):
                raise StorageError(
                    f"{location} is not a URL.", remedy="It looks like https://host/path/to/table."
                )
            parts = urlsplit(location)
            if parts.query or parts.fragment:
                raise StorageError(
                    f"{location} is not a directory: it has a query or a fragment.",
                    remedy="Use the URL of the directory that contains _delta_log.",
                )
            return cls(kind, qualifier, qualifier, unquote(path))
        container, at, host = authority.partition("@")
        if kind == "azure" and at:
            return cls(kind, qualifier, container, path, host.partition(".")[0])
        return cls(kind, qualifier, authority, path)

    def join(self, *names: str) -> str:
        """The path of something below it, within the bucket."""
        return "/".join(filter(None, (self.path, *names)))


class Connections:
    """The buckets that a run has asked something of, and the threads in which it waits for them."""

    def __init__(
        self,
        options_for: Callable[[str], Mapping[str, str]],
        credentials_for: Callable[[str], RenewedCredentials | None] | None = None,
    ) -> None:
        self._options_for = options_for
        self._credentials_for = credentials_for
        self._buckets: dict[object, Bucket] = {}
        self._threads = Threads(64)
        self.cache = LogCache(1 << 25)

    def bucket(self, location: str) -> Bucket:
        """The bucket that *location* is in."""
        address, options = Address.of(location), self._options_for(location)
        credentials = self._credentials_for(location) if self._credentials_for else None
        shared = (address.kind, address.bucket, address.account, *sorted(options.items()))
        key = (*shared, None if credentials is None else id(credentials))
        bucket = self._buckets.get(key)
        if bucket is None:
            backend = self._backend(location, address, options, credentials)
            opened = Bucket(address, backend, options, self._threads, credentials)
            # Threads may have made the same bucket at the same time; the first one counts.
            bucket = self._buckets.setdefault(key, opened)
        return bucket

    def _backend(
        self,
        location: str,
        address: Address,
        options: Mapping[str, str],
        credentials: RenewedCredentials | None,
    ) -> Backend:
        from obstore import store

        if address.kind == "memory":
            return store.MemoryStore()
        provider = _PROVIDERS[address.kind]
        if address.kind != "http" and re.search(r"[^\w.$-]", address.bucket, re.ASCII):
            raise StorageError(
                f"Cannot read {location}: {address.bucket!r} is not a valid {provider.noun} name.",
                remedy="Use only letters, digits, hyphens, dots and underscores.",
            )
        try:
            settings, client = _settings_for(address, options, credentials=credentials is None)
            if address.kind == "http":
                return store.HTTPStore(address.bucket, client_options=client, retry_config=_retry())
            # obstore panics on some of these.
            _require_usable(provider.prefix, settings)
            client |= _confining_options(address.kind, client, settings)
            backend: Backend = getattr(store, provider.backend)(
                address.bucket,
                config=settings,
                client_options=client,
                retry_config=_retry(),
                credential_provider=None if credentials is None else credentials.provide,
            )
        except StorageError:
            raise
        except Exception as error:
            if match := re.match(r"Configuration key: '([^']*)' is not valid", str(error)):
                raise UsageError(
                    f"{match[1]!r} is not an option of the store at {location}",
                    option="--storage-option",
                ) from error
            raise _failure(location, error) from error
        return backend


def _retry() -> Any:
    """Throttling and errors of the server are tried again, at growing and random intervals."""
    return {"max_retries": 5, "retry_timeout": timedelta(seconds=60)}


_CLIENT_KEYS: Final = frozenset({
    "allow_http", "allow_invalid_certificates", "connect_timeout", "http1_only", "http2_only",
    "pool_idle_timeout", "proxy_excludes", "proxy_url", "read_timeout", "timeout",
})  # fmt: skip
"""The options of connections, the same for each cloud."""

_OF_WRITERS: Final = frozenset({
    "aws_s3_allow_unsafe_rename", "s3_allow_unsafe_rename", "allow_unsafe_rename",
    "aws_s3_locking_provider", "s3_locking_provider", "aws_conditional_put", "conditional_put",
    "aws_copy_if_not_exists", "copy_if_not_exists", "delta_dynamo_table_name",
})  # fmt: skip
"""Options that delta-rs takes besides, and that mean nothing to a reader."""


def _settings_for(
    address: Address, options: Mapping[str, str], *, credentials: bool
) -> tuple[dict[str, str], Any]:
    """The settings of the store at *address*, and those of its connections."""
    own = _PROVIDERS[address.kind].prefix
    others = tuple(each.prefix for each in _PROVIDERS.values() if each.prefix != own)
    client = {"user_agent": f"deltaadm/{__version__}", "timeout": "30s", "connect_timeout": "5s"}
    for name in _CLIENT_KEYS:
        if value := os.environ.get(f"{own}{name}".upper()):
            client[name] = value
    settings = {}
    for name, value in options.items():
        key = name.lower()
        # One file of options may be for several clouds, and for delta-rs; obstore refuses names it
        # does not know.
        if key in _OF_WRITERS or key.startswith(others):
            continue
        if key.removeprefix(own) in _CLIENT_KEYS:
            client[key.removeprefix(own)] = value
        else:
            settings[key] = value
    if address.account:
        settings["account_name"] = address.account
    if address.kind == "s3":
        # The variable for S3 alone comes before the one for all services in AWS's own tools too.
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3")
        plain = {key.removeprefix("aws_") for key in settings}
        if endpoint and not {"endpoint", "endpoint_url"} & plain:
            settings["endpoint"] = endpoint
        # Requests without a signature would get one from the credentials of a profile.
        unsigned = settings.get("aws_skip_signature") or settings.get("skip_signature")
        signed = (unsigned or os.environ.get("AWS_SKIP_SIGNATURE", "")).lower() not in {"1", "true"}
        settings |= profile_options(os.environ, settings, credentials=credentials and signed)
    return settings, client


def _request(doing: str) -> Callable[[Request[Given, Result]], Submitted[Given, Result]]:
    """What makes a method that asks something of a path do so in a thread, as `Bucket.done`."""

    def decorated(request: Request[Given, Result]) -> Submitted[Given, Result]:
        def submitted(
            bucket: Bucket, path: str, /, *given: Given.args, **named: Given.kwargs
        ) -> Pending[Result]:
            work = partial(request, bucket, path, *given, **named)
            return bucket.threads.submit(lambda: bucket.done(doing, path, work))

        return submitted

    return decorated


class Bucket:
    """Requests to one bucket, each in a thread; waiting for a `result` can be interrupted."""

    def __init__(
        self,
        address: Address,
        backend: Backend,
        options: Mapping[str, str],
        threads: Threads,
        credentials: RenewedCredentials | None = None,
    ) -> None:
        self.backend = backend
        self._options = options
        self._address = address
        self.threads = threads
        self._credentials = credentials
        self._is_exclusive = address.kind == "memory"
        self._hangs = False

    @property
    def options(self) -> Mapping[str, str]:
        """The settings that another program needs to reach it, besides the environment."""
        if self._credentials is None:
            return self._options
        return {**self._options, **self._credentials.options}

    def require_exclusive_creation(self, directory: str) -> None:
        """
        Raise `RefusedError` unless a file that is there is never replaced by a writer that creates
        it.

        Found out once, by creating an object in *directory* twice, since there are stores that
        ignore `If-None-Match`.
        """
        if self._is_exclusive or self.creates_once(directory):
            self._is_exclusive = True
            return
        raise RefusedError(
            f"{self.url(directory)}: a commit could replace that of another writer: the store "
            "replaces an object that must not be there (it ignores If-None-Match).",
            remedy="Commit through Spark as the only writer (--commit-engine spark), or use a "
            "store with conditional writes; `deltaadm doctor LOCATION --write` checks it.",
        )

    def creates_once(self, directory: str) -> bool:
        """Whether an object in *directory* can be created, and not a second time."""
        unknown: UnknownWriteError | None = None
        for _ in range(3):
            path = f"{directory}{_SCRATCH}{uuid4()}"
            try:
                # Nobody else knows the name: where it is taken, an answer was lost, as below.
                if self.create(path, b"1").result():
                    is_exclusive = not self.create(path, b"2").result()
                    self._remove_abandoned(directory, path)
                    return is_exclusive
            except UnknownWriteError as error:
                unknown = error
            finally:
                with suppress(DeltaadmError):  # it is empty of meaning, and readers ignore it
                    self.delete(path).result()
        if unknown is None:
            return False
        # Of the trial: no commit has been tried.
        raise StorageError(unknown.message, remedy=unknown.remedy) from unknown

    def _remove_abandoned(self, directory: str, path: str) -> None:
        scratch = f"{directory}{_SCRATCH}"
        with suppress(DeltaadmError):
            page, _ = self.first_page(directory.rstrip("/"), scratch).result()
            made = {meta["path"]: meta["last_modified"] for meta in page}
            for name, time_made in made.items():
                # By the clock of the store alone.
                if name.startswith(scratch) and made.get(path, time_made) - time_made > timedelta(
                    hours=1
                ):
                    self.delete(name).result()

    def url(self, path: str) -> str:
        """The name of a path of the table in messages."""
        if self._address.kind == "http":
            return f"{self._address.bucket}/{quote(path)}"
        return f"{self._address.qualifier}/{path}"

    @_request("read")
    def get(self, path: str, most: int) -> bytes:
        """The whole object; an error for more than *most* bytes."""
        response = self.backend.get(path)
        size = response.meta["size"]
        # The size comes before the bytes, so that nothing large is ever held.
        if size > most:
            raise too_large(self.url(path), size, most)
        return bytes(response.bytes())

    @_request("read")
    def get_range(self, path: str, start: int, end: int, tag: str | None) -> bytes:
        """The bytes from *start* to *end* of the object, as long as it still has this *tag*."""
        options: Any = {"range": (start, end)}
        if tag:
            # Two halves of different files would be worse than an error.
            options["if_match"] = tag
        body = bytes(self.backend.get(path, options=options).bytes())
        # Some servers ignore a range, or cut it short.
        if len(body) != end - start:
            raise EOFError
        return body

    @_request("read")
    def head(self, path: str) -> ObjectMeta | None:
        """The object at *path*; None where there is none."""
        try:
            with self._failing(path):
                return self.backend.head(path)
        except MissingFileError:
            return None

    @_request("list")
    def first_page(
        self, prefix: str, offset: str | None = None
    ) -> tuple[Sequence[ObjectMeta], bool]:
        """The first objects below *prefix*, after *offset*, and whether these are all."""
        first = next(self._pages(prefix, offset), [])
        # A full page may be the last one, but only another request would tell.
        return first, len(first) < PAGE

    @_request("list")
    def all_below(self, prefix: str, most: int, offset: str | None = None) -> list[ObjectMeta]:
        """All objects below *prefix*, after *offset*; an error for more than *most*."""
        found: list[ObjectMeta] = []
        for page in self._pages(prefix, offset):
            found += page
            if len(found) > most:
                raise StorageError(
                    f"{self.url(prefix)} has more than {most:,} objects.",
                    remedy="Check the location and the endpoint. If it is a table, have its log "
                    "cleaned up, which keeps commits for delta.logRetentionDuration.",
                )
        return found

    def each_below(self, prefix: str) -> Iterator[ObjectMeta]:
        """All objects below *prefix*, of which a page is held at a time."""
        with self._failing(prefix, "list"):
            for page in self._pages(prefix):
                yield from page

    @_request("write")
    def put(self, path: str, body: bytes) -> None:
        self.backend.put(path, body)

    @_request("write")
    def create(self, path: str, body: bytes) -> bool:
        """Write a whole object unless there is one; whether this has written it."""
        return self._put_if("create", path, body)

    @_request("write")
    def replace(self, path: str, body: bytes, known: ObjectMeta) -> bool:
        """Write a whole object in the place of the *known* one; False where that is no more."""
        version = {key: known.get(key) for key in ("e_tag", "version") if known.get(key)}
        return self._put_if(version, path, body)

    def _put_if(self, mode: Any, path: str, body: bytes) -> bool:
        try:
            # In one request: an upload in parts is not conditional.
            with panics_as_errors():
                self.backend.put(path, body, mode=mode, use_multipart=False)
        except Exception as error:
            name = type(error).__name__
            if name == "AlreadyExistsError" or (mode != "create" and name == "PreconditionError"):
                return False
            problem = self._failure(path, error, "write")
            denied = self._credentials is not None and problem is self._credentials.error
            if not denied and name not in _DENIALS:
                problem = UnknownWriteError(problem.message, remedy=problem.remedy)
            raise problem from error
        return True

    @_request("remove")
    def delete(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self.backend.delete(path)

    @_request("list")
    def directories(self, prefix: str) -> Sequence[str] | None:
        """The names of the directories right in *prefix*; None where that is a table."""
        if self._has_objects(f"{prefix}/{LOG_DIRECTORY}".lstrip("/")):
            return None
        below = self._in_time(partial(self.backend.list_with_delimiter, prefix or None))
        # By WebDAV a directory is listed among its own.
        names = (inner.rpartition("/")[2] for inner in below["common_prefixes"] if inner != prefix)
        return list(names)

    def _has_objects(self, prefix: str) -> bool:
        """Whether there is anything below *prefix*."""
        try:
            return bool(next(self._pages(prefix), []))
        except Exception as error:
            if _UNNAMEABLE not in str(error):
                raise
            return True

    has_objects = _request("list")(_has_objects)

    def done(self, doing: str, path: str, work: Callable[[], Result]) -> Result:
        """The result of *work*, which is done again where the list in an answer breaks off."""
        for number in range(_TRIES):
            with self._failing(path, doing):
                try:
                    return work()
                except Exception as error:
                    # obstore itself tries everything again but this.
                    cut_off = doing == "list" and "response body" in str(error)
                    if not cut_off or number + 1 == _TRIES:
                        raise
            time.sleep(0.2 * 2**number * random.uniform(0.5, 1.0))  # noqa: S311 -- no secret
        raise AssertionError  # the last try returns or raises

    def _failure(self, path: str, error: Exception, doing: str = "read") -> DeltaadmError:
        denied = None if self._credentials is None else self._credentials.error
        return denied or _failure(self.url(path), error, doing)

    @contextmanager
    def _failing(self, path: str, doing: str = "read") -> Iterator[None]:
        """Raises that error for whatever a request in the block raises."""
        try:
            with panics_as_errors():
                yield
        except DeltaadmError:
            raise
        except Exception as error:
            raise self._failure(path, error, doing) from error

    def _pages(self, prefix: str, offset: str | None = None) -> Iterator[Sequence[ObjectMeta]]:
        """The objects below *prefix*, after *offset*; an error where a page comes once more."""
        pages = self.backend.list(prefix or None, offset=offset, chunk_size=PAGE)
        begun = set[str]()
        while (page := self._in_time(lambda: next(pages, None))) is not None:
            known = len(begun)
            begun.update(meta["path"] for meta in page[:1])
            if page and len(begun) == known:
                raise StorageError(
                    f"{self.url(prefix)} cannot be listed: the store repeats the same objects.",
                    remedy="Check the endpoint.",
                )
            yield page

    def _in_time(self, ask: Callable[[], Result]) -> Result:
        """The answer to a request for a list; a store that hangs is not asked for more."""
        if self._hangs:
            raise TimeoutError
        try:
            # obstore asks on while answers are empty, and nobody can interrupt it.
            return in_time(ask, PAGE_TIME)
        except TimeoutError:
            self._hangs = True
            raise


class ObjectStore:
    """Lists and reads a table's log in a bucket; see `LogStore`."""

    local_path = None
    survives_fork = False  # neither threads nor connections are copied
    at_once = 16
    catalog_state = None

    def __init__(
        self,
        connections: Connections,
        location: str,
        limits: Limits = LIMITS,
        directory: str = LOG_DIRECTORY,
    ) -> None:
        self._connections = connections
        self._address = Address.of(location)
        self.root = location.rstrip("/")
        self.limits = limits
        self.qualifier = self._address.qualifier
        self._bucket = connections.bucket(location)
        self._log = self._address.join(directory)
        self._metas: dict[str, ObjectMeta] = {}
        self._data_metas: dict[str, ObjectMeta] = {}
        self._fetched: dict[str, Pending[bytes]] = {}
        self._ahead: deque[str] = deque()
        self._all: Sequence[ObjectMeta] | None = None
        self._cache = connections.cache if directory == LOG_DIRECTORY else LogCache(0)

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        if start:
            first = listing_prefix(start)
            later = self._bucket.all_below(self._log, self.limits.files, f"{self._log}/{first}")
            files = self._listed(later.result())
            # Not every store on which Azure's clients work knows where to start.
            return {name: info for name, info in files.items() if name > first}
        # Kept, since it has the sidecars as well: `list_directory` then needs no request.
        self._all = self._bucket.all_below(self._log, self.limits.files).result()
        files = self._listed(self._all)
        if not files:
            raise no_table(self.root, "it has no _delta_log")
        return files

    def list_short_log(self) -> Mapping[str, FileInfo] | None:
        objects, complete = self._bucket.first_page(self._log).result()
        if not complete:
            return None
        if not objects:
            raise no_table(self.root, "it has no _delta_log")
        return self._listed(objects)

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        files = self._all
        if files is None:
            files = self._bucket.all_below(f"{self._log}/{name}", self.limits.files).result()
        return self._listed(files, f"{name}/")

    def list_data(self) -> Iterator[FileInfo]:
        """The log is listed as well, in whose pages the last of the data may be."""
        start = len(self._address.path) + 1 if self._address.path else 0
        for meta in self._bucket.each_below(self._address.path):
            path = meta["path"][start:]
            if path and not path.startswith(f"{LOG_DIRECTORY}/"):
                yield FileInfo(path, meta["size"], _milliseconds(meta))

    def read_ahead(self, paths: Iterable[str]) -> None:
        self._ahead = deque(path for path in paths if path not in self._fetched)
        self._fetch_ahead()

    def read(self, path: str) -> bytes:
        listed = _identity(self._metas.get(path))
        body = self._cache.find(self.root, path, listed)
        if body is None:
            pending = self._fetched.pop(path, None) or self._get(path)
            self._fetch_ahead()
            body = pending.result()
            self._cache.keep(self.root, path, listed, body)
        return body

    def open(self, path: str) -> BinaryIO:
        where = f"{self._log}/{path}"
        meta = self._metas[path] = self._metas.get(path) or self._head(where)
        return self._ranged(where, meta, path)

    def _ranged(self, where: str, meta: ObjectMeta, path: str = "") -> BinaryIO:
        """The object as a file; what is read of one that has a *path* in the log may be kept."""
        listed = _identity(meta)

        def fetch(start: int, end: int) -> bytes:
            span = start, end
            piece = self._cache.find(self.root, path, listed, span)
            if piece is None:
                piece = self._bucket.get_range(where, *span, meta["e_tag"]).result()
                self._cache.keep(self.root, path, listed, piece, span)
            return piece

        return cast("BinaryIO", RangedFile(meta["size"], fetch))

    def _head(self, where: str) -> ObjectMeta:
        meta = self._bucket.head(where).result()
        if meta is None:
            raise _failure(self._bucket.url(where), FileNotFoundError())
        return meta

    def data_size(self, path: str) -> int | None:
        where = self._data_path(path)
        meta = self._bucket.head(where).result()
        if meta is None:
            return None
        self._data_metas[where] = meta
        return meta["size"]

    def open_data(self, path: str) -> BinaryIO:
        where = self._data_path(path)
        meta = self._data_metas.pop(where, None) or self._head(where)
        return self._ranged(where, meta)

    @property
    def storage_options(self) -> Mapping[str, str]:
        return self._bucket.options

    def overwrite(self, path: str, body: bytes) -> None:
        self._bucket.put(f"{self._log}/{path}", body).result()

    @property
    def obstacle(self) -> str:
        if self._address.kind == "http":
            return f"the store of {self.root} cannot write a file only where there is none"
        if self._address.kind == "s3":
            # Settings by which writers agree on who may commit in another way than we do.
            for name, value in {**os.environ, **self._bucket.options}.items():
                key, lower = name.lower().removeprefix("aws_"), value.lower()
                if key == "s3_locking_provider" and value:
                    return f"{name} = {value}, and deltaadm does not take part in its locks"
                if key.endswith("allow_unsafe_rename") and lower in {"1", "true", "yes", "on"}:
                    return f"{name} is set, so other writers may replace commits"
                if key == "conditional_put" and lower != "etag":
                    return f"{name} = {value} instead of etag, by which deltaadm commits"
        return ""

    def create(self, path: str, body: bytes) -> bool:
        """An object appears whole."""
        self._metas.pop(path, None)  # of one that was there
        self._bucket.require_exclusive_creation(f"{self._log}/")
        return self._bucket.create(f"{self._log}/{path}", body).result()

    def draft(self, _path: str) -> AbstractContextManager[BinaryIO]:
        """The draft is in the directory for temporary files, without a name."""
        return cast("AbstractContextManager[BinaryIO]", TemporaryFile())

    def publish(self, draft: BinaryIO, path: str) -> bool:
        """The draft is uploaded in one request."""
        draft.seek(0)
        return self.create(path, draft.read())

    def remove(self, path: str) -> None:
        self._metas.pop(path, None)  # by which it would still be read
        self._bucket.delete(f"{self._log}/{path}").result()

    def replace(self, draft: BinaryIO, path: str) -> bool:
        """Only where it is still the object that was listed or opened: a conditional request."""
        draft.seek(0)
        where, known = f"{self._log}/{path}", self._metas.pop(path)
        if self._address.kind == "gcs" and not known.get("version"):
            # Google's condition is on a generation, which its listings do not tell.
            there = self._bucket.head(where).result()
            if there is None or there["e_tag"] != known["e_tag"] or there["size"] != known["size"]:
                return False
            known = there
        return self._bucket.replace(where, draft.read(), known).result()

    def beside(self, directory: str) -> ObjectStore:
        return ObjectStore(self._connections, self.root, self.limits, directory)

    def _get(self, path: str) -> Pending[bytes]:
        return self._bucket.get(f"{self._log}/{path}", self.limits.line)

    def _fetch_ahead(self) -> None:
        while self._ahead and len(self._fetched) < 32:  # noqa: PLR2004 -- of all requests
            path = self._ahead.popleft()
            meta = self._metas.get(path)
            cached = self._cache.find(self.root, path, _identity(meta))
            known = path in self._fetched or cached is not None
            # Large files may not be needed at all, and would keep small ones waiting.
            if not known and (meta is None or meta["size"] <= 1 << 20):
                self._fetched[path] = self._get(path)

    def _listed(self, objects: Iterable[ObjectMeta], directory: str = "") -> dict[str, FileInfo]:
        start = f"{self._log}/{directory}"
        files = {}
        for meta in objects:
            name = meta["path"][len(start) :]
            if name and "/" not in name and meta["path"].startswith(start):
                self._metas[directory + name] = meta
                info = FileInfo(directory + name, meta["size"], _milliseconds(meta))
                files[directory + name] = info
        return files

    def _data_path(self, path: str) -> str:
        key = None
        if not is_absolute(path):
            key = self._address.join(unquote(path))
        elif path.startswith("/"):
            key = unquote(path).strip("/")
        elif "://" in path and path.partition(":")[0].lower() in _KINDS:
            there, here = Address.of(path), self._address
            if (there.kind, there.bucket) == (here.kind, here.bucket):
                # Delta encodes every path in the log, and `Address` decodes those of HTTP alone.
                key = there.path if there.kind == "http" else unquote(there.path)
        if key is None:
            raise in_another_store(path)
        return require_inside(path, key, [self._address.path])


def _milliseconds(meta: ObjectMeta) -> int:
    # Rounded: a float of seconds can fall short of the millisecond that it stands for.
    return round(meta["last_modified"].timestamp() * 1000)


def _identity(meta: ObjectMeta | None) -> Hashable:
    return meta and (meta["e_tag"], meta["size"], meta["last_modified"])


class BucketDirectories:
    """The directories in buckets; see `Directories`. Those in one are looked into all at once."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._looks: dict[str, Pending[Sequence[str] | None]] = {}

    def is_directory(self, place: str) -> bool:
        """There is one where anything has a name below it."""
        return self._connections.bucket(place).has_objects(Address.of(place).path).result()

    def identity(self, place: str) -> str:
        """There are no links."""
        return place

    def look(self, place: str) -> Iterable[str] | None:
        """Its directories are looked into ahead of time."""
        pending = self._looks.pop(place, None) or self._submitted(place)
        try:
            names = pending.result()
        except StorageError as error:
            skipped = f"Tables below it were skipped. {error.remedy}"
            raise StorageError(error.message, remedy=skipped) from error
        for name in names or ():
            if name[0] not in "._":
                below = self.join(place, name)
                self._looks[below] = self._submitted(below)
        return names

    def join(self, place: str, name: str) -> str:
        encoded = quote(name) if Address.of(place).kind == "http" else name
        return f"{place.rstrip('/')}/{encoded}"

    def _submitted(self, place: str) -> Pending[Sequence[str] | None]:
        return self._connections.bucket(place).directories(Address.of(place).path)
