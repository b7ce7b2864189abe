"""
A table's log in an object store: S3, Google Cloud Storage, Azure, HTTP.

Every request waits in a thread of its own, so that many are under way at once and an interrupt
ends the run without waiting for any. obstore makes them, which takes credentials from where the
programs of each cloud look for them.
"""

from __future__ import annotations

import io
import os
import random
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from deltaadm.domain.model.data_paths import is_absolute, require_inside
from deltaadm.domain.model.log_segment import (
    LOG_DIRECTORY,
    FileInfo,
    listing_prefix,
    no_table,
)
from deltaadm.errors import (
    DeltaadmError,
    FileMissing,
    Refused,
    StorageError,
    UnknownWrite,
)
from deltaadm.limits import LIMITS
from deltaadm.storage.discover import not_listed
from deltaadm.storage.kept import Kept
from deltaadm.storage.local import too_large
from deltaadm.storage.object_errors import failure, failure_of_options, failure_to_create
from deltaadm.storage.option_checks import (
    confining_options,
    require_bucket,
    require_url,
    require_usable,
)
from deltaadm.storage.threads import Pending, Threads, panics_as_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    from obstore import ListResult, ObjectMeta
    from obstore.store import ObjectStore as Backend

    from deltaadm.limits import Limits
    from deltaadm.storage.credentials import RenewedCredentials

Result = TypeVar("Result")

PAGE: Final = 1_000
"""Objects that a store tells of in one answer."""

PAGE_TIME: Final = 120.0
"""Seconds in which a store tells of so many, with all tries."""

_TRIES: Final = 6
"""Requests for a list whose answers break off."""

_AT_ONCE: Final = 64
"""Requests that are under way at the same time, at most."""

_AHEAD: Final = 32
"""Files of a log that are fetched before they are asked for."""

_AHEAD_SIZE: Final = 1 << 20
"""Bytes of the largest file that is fetched before it is asked for."""

_SCRATCH: Final = ".deltaadm-doctor-"
"""The prefix of objects that are only made to be removed; readers ignore them."""

_TRIALS: Final = 3
"""Attempts to find out what a store does that does not answer."""

_KEPT: Final = 1 << 25
"""Bytes of logs that are kept, for those that are read more than once."""

_KEPT_SIZE: Final = 1 << 20
"""The number of files that may belong together."""

_BLOCK: Final = 1 << 16
_LARGEST_BLOCK: Final = 1 << 23
_BLOCKS_KEPT: Final = 4


class Address(NamedTuple):
    """
    What a URL says: the kind of store, its bucket or container, and where in there.

    `qualifier` is scheme and authority as the URL has them.
    """

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
        kind = KINDS[scheme.lower()]
        qualifier, path = f"{scheme}://{authority}", path.strip("/")
        if not authority:
            raise StorageError(
                f"{location} names no {_NOUNS[kind]}.",
                remedy=f"A location there looks like {_EXAMPLES[kind]}.",
            )
        if kind == "http":
            require_url(location)
            parts = urlsplit(location)
            if parts.query or parts.fragment:
                raise StorageError(
                    f"{location} is not a directory: it has a query or a fragment.",
                    remedy="Give the URL of the directory that contains _delta_log.",
                )
            return cls(kind, qualifier, qualifier, unquote(path))
        container, at, host = authority.partition("@")
        if kind == "azure" and at:
            return cls(kind, qualifier, container, path, host.partition(".")[0])
        return cls(kind, qualifier, authority, path)

    def join(self, *names: str) -> str:
        """The path of something below it, within the bucket."""
        return "/".join(filter(None, (self.path, *names)))


KINDS: Final[Mapping[str, str]] = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gcs",
    "az": "azure",
    "adl": "azure",
    "abfs": "azure",
    "abfss": "azure",
    "http": "http",
    "https": "http",
    "memory": "memory",
}
"""The kind of store by the scheme of a URL."""

_NOUNS: Final = {
    "s3": "bucket", "gcs": "bucket", "azure": "container", "http": "host", "memory": "store",
}  # fmt: skip
_EXAMPLES: Final = {
    "s3": "s3://bucket/path/to/table",
    "gcs": "gs://bucket/path/to/table",
    "azure": "abfss://container@account.dfs.core.windows.net/path/to/table",
    "http": "https://host/path/to/table",
    "memory": "memory://name/path/to/table",
}


class Connections:
    """
    The buckets that a run has asked something of, and the threads in which it waits for them.

    What was read of logs is `kept`. *options_for* tells what is set for a location besides the
    environment, and *credentials_for* the credentials that somebody gives for it.
    """

    def __init__(
        self,
        options_for: Callable[[str], Mapping[str, str]],
        credentials_for: Callable[[str], RenewedCredentials | None] | None = None,
    ) -> None:
        self._options_for = options_for
        self._credentials_for = credentials_for
        self._buckets: dict[object, Bucket] = {}
        self._memory: dict[str, Backend] = {}
        self._threads = Threads(_AT_ONCE)
        self.kept = Kept(_KEPT)

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
            # One for each name, so that all who open it see the same objects.
            return self._memory.setdefault(address.bucket, store.MemoryStore())
        settings, client = _divided(address.kind, options)
        if address.kind != "http":
            require_bucket(_NOUNS[address.kind], address.bucket, location)
        try:
            if address.kind == "http":
                return store.HTTPStore(address.bucket, client_options=client, retry_config=_retry())
            if address.kind == "s3":
                # The variable for S3 alone comes before the one for all services in AWS's own tools
                # too.
                endpoint = os.environ.get("AWS_ENDPOINT_URL_S3")
                if endpoint and not {"endpoint", "endpoint_url"} & _plain_keys(settings):
                    settings["endpoint"] = endpoint
                settings |= _of_profile(settings, credentials=credentials is None)
                kind: Any = store.S3Store
            elif address.kind == "gcs":
                kind = store.GCSStore
            else:
                if address.account:
                    settings["account_name"] = address.account
                kind = store.AzureStore
            # obstore panics on some of these.
            require_usable(_PREFIXES[address.kind], settings, os.environ)
            client |= confining_options(address.kind, client, settings, os.environ)
            backend: Backend = kind(
                address.bucket,
                config=settings,
                client_options=client,
                retry_config=_retry(),
                credential_provider=None if credentials is None else credentials.provide,
            )
        except StorageError:
            raise
        except Exception as error:
            raise failure_of_options(location, error) from error
        return backend


def _retry() -> Any:
    """Throttling and errors of the server are tried again, at growing and random intervals."""
    from datetime import timedelta

    return {"max_retries": 5, "retry_timeout": timedelta(seconds=60)}


_PREFIXES: Final = {"s3": "aws_", "gcs": "google_", "azure": "azure_", "http": "http_"}

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


def _divided(kind: str, options: Mapping[str, str]) -> tuple[dict[str, str], Any]:
    """
    The options of a kind of store, and those of its connections.

    Options of the other clouds are left out, so that one file can have those of all.
    """
    from deltaadm import __version__

    own = _PREFIXES[kind]
    others = tuple(prefix for prefix in _PREFIXES.values() if prefix != own)
    client = {"user_agent": f"deltaadm/{__version__}", "timeout": "30s", "connect_timeout": "5s"}
    settings = {}
    for name in _CLIENT_KEYS:
        for variable in (f"{own}{name}".upper(), name.upper() if name == "allow_http" else ""):
            if variable and (value := os.environ.get(variable)):
                client[name] = value
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
    return settings, client


def _of_profile(settings: Mapping[str, str], *, credentials: bool) -> Mapping[str, str]:
    """The options that the profile of `~/.aws` adds to *settings*, with *credentials* those too."""
    from deltaadm.storage.aws_profile import profile_options

    # Requests without a signature would get one from the credentials of a profile.
    unsigned = settings.get("aws_skip_signature") or settings.get("skip_signature")
    signed = (unsigned or os.environ.get("AWS_SKIP_SIGNATURE", "")).lower() not in {"1", "true"}
    return profile_options(os.environ, settings, credentials=credentials and signed)


def _plain_keys(settings: Mapping[str, str]) -> set[str]:
    return {key.removeprefix("aws_") for key in settings}


def _other_ways(settings: Mapping[str, str]) -> Iterator[str]:
    """Settings by which writers to S3 agree on who may commit in another way than we do."""
    for name, value in settings.items():
        key, lower = name.lower().removeprefix("aws_"), value.lower()
        if key == "s3_locking_provider" and value:
            yield f"{name} = {value}, and deltaadm does not take part in its locks"
        elif key.endswith("allow_unsafe_rename") and lower in {"1", "true", "yes", "on"}:
            yield f"{name} is set, so other writers may replace commits"
        elif key == "conditional_put" and lower != "etag":
            yield f"{name} = {value} instead of etag, by which deltaadm commits"


class Bucket:
    """Requests to one bucket; each waits in a thread, and whoever asks can be interrupted."""

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
        self._threads = threads
        self._credentials = credentials
        self._is_exclusive = address.kind == "memory"
        self._hanging: DeltaadmError | None = None

    @property
    def options(self) -> Mapping[str, str]:
        """The settings that another program needs to reach it, besides the environment."""
        if self._credentials is None:
            return self._options
        return {**self._options, **self._credentials.options}

    def require_exclusive_creation(self, directory: str) -> None:
        """
        Raise `Refused` unless a file that is there is never replaced by a writer that creates it.

        Found out once, by creating an object in *directory* twice, since there are stores that
        ignore `If-None-Match`.
        """
        if self._is_exclusive or self.creates_once(directory):
            self._is_exclusive = True
            return
        raise Refused(
            f"{self.url(directory)}: a commit could replace that of another writer: the store "
            "replaces an object that must not be there (it ignores If-None-Match).",
            remedy="Commit through Spark as the only writer (--commit-engine spark), or use a "
            "store with conditional writes; `deltaadm doctor LOCATION --write` checks it.",
        )

    def creates_once(self, directory: str) -> bool:
        """Whether an object in *directory* can be created, and not a second time."""
        unknown: UnknownWrite | None = None
        for _ in range(_TRIALS):
            path = f"{directory}{_SCRATCH}{uuid4()}"
            try:
                # Nobody else knows the name: where it is taken, an answer was lost, as below.
                if self.create(path, b"1"):
                    return not self.create(path, b"2")
            except UnknownWrite as error:
                unknown = error
            finally:
                with suppress(DeltaadmError):  # it is empty of meaning, and readers ignore it
                    self.delete(path)
        if unknown is None:
            return False
        # Of the trial: no commit has been tried.
        raise StorageError(unknown.message, remedy=unknown.remedy) from unknown

    def url(self, path: str) -> str:
        """The name of a path of the table in messages."""
        if self._address.kind == "http":
            return f"{self._address.bucket}/{quote(path)}"
        return f"{self._address.qualifier}/{path}"

    def get(self, path: str, most: int) -> Pending[bytes]:
        """The whole object; an error for more than *most* bytes."""
        return self._threads.submit(partial(self._get, path, most))

    def get_range(self, path: str, start: int, end: int, tag: str | None) -> bytes:
        """The bytes from *start* to *end* of the object, as long as it still has this *tag*."""
        options: dict[str, Any] = {"range": (start, end)}
        if tag:
            # Two halves of different files would be worse than an error.
            options["if_match"] = tag
        return self._threads.submit(partial(self._get_range, path, options)).result()

    def head(self, path: str) -> ObjectMeta | None:
        """The object at *path*; None where there is none."""
        return self._threads.submit(partial(self._head, path)).result()

    def first_page(self, prefix: str) -> tuple[Sequence[ObjectMeta], bool]:
        """The first objects below *prefix*, and whether these are all."""
        return self._threads.submit(partial(self._page, prefix)).result()

    def all_below(self, prefix: str, most: int, offset: str | None = None) -> list[ObjectMeta]:
        """All objects below *prefix*, after *offset*; an error for more than *most*."""
        return self._threads.submit(partial(self._list, prefix, most, offset)).result()

    def put(self, path: str, body: bytes) -> None:
        """Write a whole object."""
        self._threads.submit(partial(self._put, path, body)).result()

    def create(self, path: str, body: bytes) -> bool:
        """Write a whole object unless there is one; whether this has written it."""
        return self._threads.submit(partial(self._create, path, body)).result()

    def delete(self, path: str) -> None:
        """Remove an object, if it is there."""
        self._threads.submit(partial(self._delete, path)).result()

    def directories(self, prefix: str) -> Pending[Sequence[str] | None]:
        """The names of the directories right in *prefix*; None where that is a table."""
        return self._threads.submit(partial(self._directories, prefix))

    def _failure(self, path: str, error: Exception, doing: str = "read") -> DeltaadmError:
        """The error for a request about *path*, or for the credentials that it could not get."""
        denied = None if self._credentials is None else self._credentials.error
        return denied or failure(self.url(path), error, doing)

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

    # In a thread

    def _get(self, path: str, most: int) -> bytes:
        import obstore

        with self._failing(path):
            response = obstore.get(self.backend, path)
            size = response.meta["size"]
            # The size comes before the bytes, so that nothing large is ever held.
            body = bytes(response.bytes()) if size <= most else b""
        if size > most:
            raise too_large(self.url(path), size, most)
        return body

    def _get_range(self, path: str, options: Any) -> bytes:
        import obstore

        with self._failing(path):
            return bytes(obstore.get(self.backend, path, options=options).bytes())

    def _head(self, path: str) -> ObjectMeta | None:
        import obstore

        try:
            with self._failing(path):
                return obstore.head(self.backend, path)
        except FileMissing:
            return None

    def _put(self, path: str, body: bytes) -> None:
        import obstore

        with self._failing(path, "write"):
            obstore.put(self.backend, path, body)

    def _create(self, path: str, body: bytes) -> bool:
        import obstore
        from obstore.exceptions import AlreadyExistsError

        try:
            # In one request: an upload in parts is not conditional.
            with panics_as_errors():
                obstore.put(self.backend, path, body, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        except Exception as error:
            denied = None if self._credentials is None else self._credentials.error
            raise denied or failure_to_create(self.url(path), error) from error
        return True

    def _delete(self, path: str) -> None:
        import obstore

        with self._failing(path, "remove"), suppress(FileNotFoundError):
            obstore.delete(self.backend, path)

    def _page(self, prefix: str) -> tuple[Sequence[ObjectMeta], bool]:
        first = self._retried(prefix, lambda: next(self._pages(prefix), []))
        # A full page may be the last one, but only another request would tell.
        return first, len(first) < PAGE

    def _list(self, prefix: str, most: int, offset: str | None) -> list[ObjectMeta]:
        def collect() -> list[ObjectMeta]:
            found: dict[str, ObjectMeta] = {}
            for page in self._pages(prefix, offset):
                known = len(found)
                found |= {meta["path"]: meta for meta in page}
                if len(found) == known:
                    raise StorageError(
                        f"{self.url(prefix)} cannot be listed: after {known:,} objects the store "
                        "lists the same ones again.",
                        remedy="Check the endpoint.",
                    )
                if len(found) > most:
                    raise StorageError(
                        f"{self.url(prefix)} has more than {most:,} objects.",
                        remedy="Check the location and the endpoint. Of a table, have a writer "
                        "clean up the log, which keeps commits for delta.logRetentionDuration.",
                    )
            return list(found.values())

        return self._retried(prefix, collect)

    def _pages(self, prefix: str, offset: str | None = None) -> Iterator[Sequence[ObjectMeta]]:
        """The objects below *prefix*, a thousand at a time."""
        import obstore

        if self._hanging is not None:
            raise self._hanging
        pages = obstore.list(self.backend, prefix or None, offset=offset, chunk_size=PAGE)
        while True:
            # obstore asks on while answers are empty, and nobody can interrupt it.
            pending = Pending(lambda: next(pages, None))
            threading.Thread(target=pending.run, daemon=True).start()
            try:
                page = pending.result(PAGE_TIME)
            except TimeoutError as error:
                self._hanging = self._failure(prefix, error, "list")
                raise self._hanging from None
            if page is None:
                return
            yield page

    def _directories(self, prefix: str) -> Sequence[str] | None:
        log = f"{prefix}/{LOG_DIRECTORY}".lstrip("/")
        if self._retried(log, lambda: next(self._pages(log), [])):
            return None

        import asyncio  # takes longer to import than a short log to read

        import obstore

        async def listing() -> ListResult[Sequence[ObjectMeta]]:
            async with asyncio.timeout(PAGE_TIME):
                return await obstore.list_with_delimiter_async(self.backend, prefix or None)

        # By WebDAV a directory is listed among its own.
        below = self._retried(prefix, lambda: asyncio.run(listing()))["common_prefixes"]
        return [inner.rpartition("/")[2] for inner in below if inner != prefix]

    def _retried(self, prefix: str, work: Callable[[], Result]) -> Result:
        """The result of *work*, which is done again where the list in an answer breaks off."""
        for number in range(_TRIES):
            with self._failing(prefix, "list"):
                try:
                    return work()
                except Exception as error:
                    # obstore itself tries everything again but this.
                    if "response body" not in str(error) or number + 1 == _TRIES:
                        raise
            time.sleep(0.2 * 2**number * random.uniform(0.5, 1.0))  # noqa: S311 -- no secret
        raise AssertionError  # the last try returns or raises


class ObjectStore:
    """Lists and reads a table's log in a bucket; see `LogStore`."""

    local_path = None
    survives_fork = False  # neither threads nor connections are copied
    at_once = 16
    catalog_state = None

    def __init__(self, connections: Connections, location: str, limits: Limits = LIMITS) -> None:
        self._address = Address.of(location)
        self.root = location.rstrip("/")
        self.limits = limits
        self.qualifier = self._address.qualifier
        self._bucket = connections.bucket(location)
        self._log = self._address.join(LOG_DIRECTORY)
        self._metas: dict[str, ObjectMeta] = {}
        self._data_metas: dict[str, ObjectMeta] = {}
        self._fetched: dict[str, Pending[bytes]] = {}
        self._ahead: deque[str] = deque()
        self._all: Sequence[ObjectMeta] | None = None
        self._kept = connections.kept
        self._kept.opened(self.root)

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """See `LogStore`."""
        if start:
            first = f"{self._log}/{listing_prefix(start)}"
            return self._listed(self._bucket.all_below(self._log, self.limits.files, first))
        # Kept, since it has the sidecars as well: `list_directory` then needs no request.
        self._all = self._bucket.all_below(self._log, self.limits.files)
        files = self._listed(self._all)
        if not files:
            raise no_table(self.root, "it has no _delta_log")
        return files

    def list_short_log(self) -> Mapping[str, FileInfo] | None:
        """See `LogStore`."""
        objects, complete = self._bucket.first_page(self._log)
        if not complete:
            return None
        if not objects:
            raise no_table(self.root, "it has no _delta_log")
        return self._listed(objects)

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        """See `LogStore`."""
        files = self._all
        if files is None:
            files = self._bucket.all_below(f"{self._log}/{name}", self.limits.files)
        return self._listed(files, f"{name}/")

    def read_ahead(self, paths: Iterable[str]) -> None:
        """See `LogStore`."""
        self._ahead = deque(path for path in paths if path not in self._fetched)
        self._fetch_ahead()

    def read(self, path: str) -> bytes:
        """See `LogStore`."""
        memory = self._memory(path, self._metas.get(path))
        body = memory.find()
        if body is None:
            pending = self._fetched.pop(path, None) or self._get(path)
            self._fetch_ahead()
            body = pending.result()
            memory.keep(body)
        return body

    def open(self, path: str) -> BinaryIO:
        """See `LogStore`."""
        where = f"{self._log}/{path}"
        meta = self._metas.get(path) or self._bucket.head(where)
        if meta is None:
            raise failure(self._bucket.url(where), FileNotFoundError())
        memory = self._memory(path, meta)
        return cast("BinaryIO", _RangedFile(self._bucket, where, meta, memory))

    def data_size(self, path: str) -> int | None:
        """See `LogStore`."""
        where = self._data_path(path)
        meta = self._bucket.head(where)
        if meta is None:
            return None
        self._data_metas[where] = meta
        return meta["size"]

    def open_data(self, path: str) -> BinaryIO:
        """See `LogStore`."""
        where = self._data_path(path)
        meta = self._data_metas.pop(where, None) or self._bucket.head(where)
        if meta is None:
            raise failure(self._bucket.url(where), FileNotFoundError())
        return cast("BinaryIO", _RangedFile(self._bucket, where, meta))

    @property
    def storage_options(self) -> Mapping[str, str]:
        """See `LogStore`."""
        return self._bucket.options

    def overwrite(self, path: str, body: bytes) -> None:
        """See `WritableStore`."""
        self._bucket.put(f"{self._log}/{path}", body)

    @property
    def obstacle(self) -> str:
        """See `WritableStore`."""
        if self._address.kind == "http":
            return f"the store of {self.root} cannot write a file only where there is none"
        if self._address.kind == "s3":
            return next(_other_ways({**os.environ, **self._bucket.options}), "")
        return ""

    def create(self, path: str, body: bytes) -> bool:
        """See `WritableStore`; an object appears whole."""
        self._bucket.require_exclusive_creation(f"{self._log}/")
        return self._bucket.create(f"{self._log}/{path}", body)

    def draft(self, _path: str) -> AbstractContextManager[BinaryIO]:
        """See `WritableStore`; it is in the directory for temporary files, without a name."""
        return cast("AbstractContextManager[BinaryIO]", TemporaryFile())

    def publish(self, draft: BinaryIO, path: str) -> bool:
        """See `WritableStore`; it is uploaded in one request."""
        draft.seek(0)
        return self.create(path, draft.read())

    def remove(self, path: str) -> None:
        """See `WritableStore`."""
        self._bucket.delete(f"{self._log}/{path}")

    def _get(self, path: str) -> Pending[bytes]:
        return self._bucket.get(f"{self._log}/{path}", self.limits.line)

    def _fetch_ahead(self) -> None:
        while self._ahead and len(self._fetched) < _AHEAD:
            path = self._ahead.popleft()
            meta = self._metas.get(path)
            known = path in self._fetched or self._memory(path, meta).find() is not None
            # Large files may not be needed at all, and would keep small ones waiting.
            if not known and (meta is None or meta["size"] <= _AHEAD_SIZE):
                self._fetched[path] = self._get(path)

    def _memory(self, path: str, meta: ObjectMeta | None) -> _Memory:
        return _Memory(self._kept, self.root, path, meta)

    def _listed(self, objects: Iterable[ObjectMeta], directory: str = "") -> dict[str, FileInfo]:
        """The objects that are files directly in the log, or in a *directory* of it."""
        start = f"{self._log}/{directory}"
        files = {}
        for meta in objects:
            name = meta["path"][len(start) :]
            if name and "/" not in name and meta["path"].startswith(start):
                self._metas[directory + name] = meta
                # Rounded: a float of seconds can fall short of the millisecond that it stands for.
                modified = round(meta["last_modified"].timestamp() * 1000)
                files[directory + name] = FileInfo(directory + name, meta["size"], modified)
        return files

    def _data_path(self, path: str) -> str:
        """The key of a file of the table within the bucket."""
        return require_inside(path, self._key(path), [self._address.path])

    def _key(self, path: str) -> str:
        if not is_absolute(path):
            return self._address.join(unquote(path))
        if path.startswith("/"):
            return unquote(path).strip("/")
        scheme = path.partition(":")[0].lower()
        if scheme in KINDS and "://" in path:
            there = Address.of(path)
            if there[:1] + there[2:3] == self._address[:1] + self._address[2:3]:
                # Delta encodes every path in the log, and `Address` decodes those of HTTP alone.
                return there.path if there.kind == "http" else unquote(there.path)
        raise StorageError(
            f"{path} is in another store, which is out of reach from here.",
            remedy="Check that file with a program that reaches its store.",
        )


class _Memory:
    """The kept content of one file, which is listed as *meta* if that is known."""

    def __init__(self, kept: Kept, log: str, path: str, meta: ObjectMeta | None) -> None:
        self._kept, self._file = kept, (log, path)
        self._listed = meta and (meta["e_tag"], meta["size"], meta["last_modified"])
        # Commits, checksums and checkpoints; `_last_checkpoint` is overwritten.
        self._never_changes = path[:1].isdigit() or path.startswith("_sidecars/")

    def find(self, span: tuple[int, int] | None = None) -> bytes | None:
        """The bytes from one place to another, or all of them, if they are kept."""
        if not self._never_changes:
            return None
        return self._kept.find(*self._file, self._listed, span)

    def keep(self, body: bytes, span: tuple[int, int] | None = None) -> None:
        """Keep these bytes, unless they are many."""
        if self._never_changes and len(body) <= _KEPT_SIZE:
            self._kept.keep(*self._file, self._listed, body, span)


class _RangedFile(io.RawIOBase):
    """An object that is read in blocks, which grow while they are read one after the other."""

    def __init__(
        self, bucket: Bucket, path: str, meta: ObjectMeta, memory: _Memory | None = None
    ) -> None:
        self._bucket, self._path, self._memory = bucket, path, memory
        self._size, self._tag = meta["size"], meta["e_tag"]
        self._at = 0
        self._blocks: deque[tuple[int, bytes]] = deque(maxlen=_BLOCKS_KEPT)
        self._block = _BLOCK

    def readable(self) -> bool:
        """See `io.IOBase`."""
        return True

    def seekable(self) -> bool:
        """See `io.IOBase`."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """See `io.IOBase`."""
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def tell(self) -> int:
        """See `io.IOBase`."""
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """See `io.RawIOBase`; as many bytes as are asked for, if there are so many."""
        end = self._size if size is None or size < 0 else min(self._size, self._at + size)
        if end <= self._at:
            return b""
        start, self._at = self._at, end
        return self._span(start, end)

    def readinto(self, buffer: Any) -> int:
        """See `io.RawIOBase`."""
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _span(self, start: int, end: int) -> bytes:
        for first, block in self._blocks:
            if first <= start and end <= first + len(block):
                return block[start - first : end - first]
        if self._blocks and start in _range_of(*self._blocks[-1]):
            # Someone reads on, so that fewer and larger requests pay; a jump starts small blocks no
            # more.
            self._block = min(_LARGEST_BLOCK, 2 * self._block)
        last = min(self._size, max(end, start + self._block))
        cached = self._memory.find((start, last)) if self._memory else None
        if cached is None:
            cached = self._bucket.get_range(self._path, start, last, self._tag)
            # Some servers ignore a range, or cut it short.
            if len(cached) != last - start:
                raise failure(self._bucket.url(self._path), EOFError())
            if self._memory:
                self._memory.keep(cached, (start, last))
        self._blocks.append((start, cached))
        return cached[: end - start]


def _range_of(start: int, block: bytes) -> range:
    """The offset from which a read continues with *block*."""
    return range(start, start + len(block) + 1)


class BucketDirectories:
    """The directories in buckets; see `Directories`. Those in one are looked into all at once."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._looks: dict[str, Pending[Sequence[str] | None]] = {}

    def is_directory(self, place: str) -> bool:
        """See `Directories`; there is one where anything has a name below it."""
        address, bucket = Address.of(place), self._connections.bucket(place)
        objects, _ = bucket.first_page(address.path)
        return bool(objects)

    def identity(self, place: str) -> str:
        """See `Directories`; there are no links."""
        return place

    def look(self, place: str) -> Iterable[str] | None:
        """See `Directories`; its directories are looked into ahead of time."""
        pending = self._looks.pop(place, None) or self._submitted(place)
        try:
            names = pending.result()
        except StorageError as error:
            raise not_listed(place, error.message.rstrip(".")) from error
        for name in names or ():
            if name[0] not in "._":
                below = self.join(place, name)
                self._looks[below] = self._submitted(below)
        return names

    def join(self, place: str, name: str) -> str:
        """See `Directories`."""
        encoded = quote(name) if Address.of(place).kind == "http" else name
        return f"{place.rstrip('/')}/{encoded}"

    def _submitted(self, place: str) -> Pending[Sequence[str] | None]:
        return self._connections.bucket(place).directories(Address.of(place).path)
