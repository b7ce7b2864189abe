"""A log that may be damaged: what is in it, and what will be once it is repaired."""

from __future__ import annotations

import hashlib
import io
from functools import cached_property
from typing import TYPE_CHECKING

from deltaadm.domain.snapshot import FileInfo, LogListing, listing_prefix
from deltaadm.errors import MissingFileError
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import BinaryIO

    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.storage.store import LogStore, WritableStore

    Files = Mapping[str, bytes | str | None]


class View:
    """
    The log of *store*, as it was *listed* once, with other *files*; see `LogStore`.

    Those have content, or are the file in the store that they will be a copy of, or are not there.
    `rebuilt` are the versions whose checkpoints will be written.
    """

    def __init__(
        self,
        store: LogStore,
        files: Files | None = None,
        rebuilt: frozenset[int] = frozenset(),
        listed: Mapping[str, FileInfo] | None = None,
    ) -> None:
        self.store, self.files, self.rebuilt = store, dict(files or {}), rebuilt
        self.listed = store.list_log() if listed is None else listed
        self.root, self.local_path, self.qualifier = store.root, store.local_path, store.qualifier
        self.limits, self.at_once = store.limits, store.at_once
        self.survives_fork, self.catalog_state = store.survives_fork, store.catalog_state
        self.storage_options = store.storage_options
        self.data_size, self.open_data = store.data_size, store.open_data
        self.list_directory, self.list_data = store.list_directory, store.list_data

    def with_files(self, files: Files, *rebuilt: int) -> View:
        """The same with other *files*, or with *rebuilt* checkpoints, of which commits tell."""
        return View(self.store, {**self.files, **files}, self.rebuilt.union(rebuilt), self.listed)

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """The files that will be there."""
        infos = {name: info for name, info in self.listed.items() if name not in self.files}
        for name, content in self.files.items():
            if isinstance(content, str):
                source = self.listed[content]
                infos[name] = FileInfo(name, source.size, source.modified)
            elif content is not None:
                infos[name] = FileInfo(name, len(content), 0)
        first = listing_prefix(start) if start else ""
        return {name: info for name, info in infos.items() if name >= first}

    def list_short_log(self) -> None:
        """None: the files are listed as they will be."""

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Nothing is."""

    def read(self, path: str) -> bytes:
        """The content that the file will have."""
        content = self._source(path)
        return content if isinstance(content, bytes) else self.store.read(content)

    def open(self, path: str) -> BinaryIO:
        """The same, in pieces."""
        content = self._source(path)
        return io.BytesIO(content) if isinstance(content, bytes) else self.store.open(content)

    def _source(self, path: str) -> bytes | str:
        source = self.files.get(path, path)
        if source is None:
            raise MissingFileError(f"The file {path} is missing.")
        return source

    @cached_property
    def listing(self) -> LogListing:
        """All files that will be there."""
        return LogListing.of(self.root, self.list_log())

    @cached_property
    def snapshot(self) -> Snapshot:
        """The newest version, with its state; raises what a replay does."""
        return load_snapshot(self, detail=Detail.STATE)


class Case:
    """
    A log that is looked at.

    `view` is the log as it will be once the repairs that were found so far are done. What has
    changed within the last *older_than* ms may still be being written. With `remove_missing_files`
    data files that are gone are to be removed from the table. `proven` tells of checkpoints whether
    the commits from 0 on confirm them, `doubts` what shows of commits that somebody changed them.
    """

    def __init__(
        self, store: WritableStore, now: int, older_than: int, *, remove_missing_files: bool = False
    ) -> None:
        self.store, self.now, self.older_than = store, now, older_than
        self.view = View(store)
        self.remove_missing_files = remove_missing_files
        self.proven: dict[int, bool] = {}
        self.doubts: dict[int, str] | None = None

    @property
    def listing(self) -> LogListing:
        """All files of `view`."""
        return self.view.listing

    def is_young(self, name: str) -> bool:
        """Whether the file *name* may still be being written."""
        info = self.view.listed.get(name)
        return info is not None and info.modified > self.now - self.older_than


def sha256(store: LogStore, name: str) -> str | None:
    """The digest of a file; None where it is not there."""
    try:
        with store.open(name) as file:
            return digest_of(file)
    except MissingFileError:
        return None


def digest_of(file: BinaryIO) -> str:
    """The digest of what is in a *file* that is open, from its beginning."""
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()
