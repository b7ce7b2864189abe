"""Large files of a log while they are written, which no reader sees; see `Draft`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from deltaadm.domain.model.log_segment import LOG_DIRECTORY
from deltaadm.storage.files import drafted, published
from deltaadm.storage.local import LocalStore, unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deltaadm.storage.store import WritableStore


class FileDraft(NamedTuple):
    """A `Draft` in a file of this machine."""

    file: BinaryIO
    store: LocalStore
    path: str
    publish: Callable[[], bool]


@contextmanager
def local_draft(store: LocalStore, where: str) -> Iterator[FileDraft]:
    """A draft of the file of its log at *where*; raises `StorageError`."""
    try:
        with drafted(where) as file:
            yield FileDraft(file, store, Path(file.name).name, lambda: published(file, where))
    except OSError as error:
        raise unwritable(where, error) from error


@contextmanager
def draft_elsewhere(store: WritableStore, path: str) -> Iterator[FileDraft]:
    """A draft of *path* in a temporary directory, from which it is uploaded in one request."""
    try:
        with TemporaryDirectory(prefix="deltaadm-draft-", ignore_cleanup_errors=True) as directory:
            log = Path(directory, LOG_DIRECTORY)
            log.mkdir()

            def publish() -> bool:
                file.flush()
                return store.create(path, (log / path).read_bytes())

            with (log / path).open("w+b") as file:
                yield FileDraft(file, LocalStore(directory, limits=store.limits), path, publish)
    except OSError as error:
        raise unwritable(f"a draft of {path}", error) from error
