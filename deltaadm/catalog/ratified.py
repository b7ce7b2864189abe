"""The log of a table that a catalog knows: what is published, and what it has ratified besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.log_segment import FileInfo, Kind, commit_name, parse
from deltaadm.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import BinaryIO

    from deltaadm.domain.model.catalog_table import CatalogState
    from deltaadm.limits import Limits
    from deltaadm.storage.store import WritableStore

_STAGED: Final = "_staged_commits"


class RatifiedStore:
    """
    A table's log in *store* as *state*, the catalog's word on the table, makes it; see `LogStore`.

    Where the catalog manages the commits, those that it has ratified stand among the published
    ones, under the names that they will have, and take their place; what is newer than its version
    is not there (PROTOCOL.md, Reading Catalog-managed Tables). Raises `TableError` where the
    catalog names files that cannot be such commits.
    """

    def __init__(self, store: WritableStore, state: CatalogState) -> None:
        self._store = store
        self.catalog_state = state
        self._files = {
            commit_name(commit.version): f"{_STAGED}/{commit.name}" for commit in state.commits
        }
        self._infos = {
            commit_name(commit.version): FileInfo(
                commit_name(commit.version), commit.size, commit.modified
            )
            for commit in state.commits
        }
        self._published: set[str] = set()
        _check(state)

    def list_log(self, start: int = 0) -> Mapping[str, FileInfo]:
        """See `LogStore`."""
        return self._ratified(self._store.list_log(start), start)

    def list_short_log(self) -> Mapping[str, FileInfo] | None:
        """See `LogStore`."""
        listed = self._store.list_short_log()
        return None if listed is None else self._ratified(listed, 0)

    def _ratified(self, listed: Mapping[str, FileInfo], start: int) -> Mapping[str, FileInfo]:
        newest = self.catalog_state.version
        if newest is None:
            return listed
        infos = {name: info for name, info in listed.items() if _last_version(info) <= newest}
        self._published |= listed.keys() & self._infos.keys()
        # Names of twenty digits are in the order of their versions.
        first = commit_name(start)
        infos |= {name: info for name, info in self._infos.items() if name >= first}
        if start <= newest and commit_name(newest) not in infos:
            raise _missing(self.catalog_state, newest)
        return infos

    def unpublished(self) -> tuple[int, ...]:
        """The versions whose commits were not in the log itself when it was listed."""
        return tuple(
            commit.version
            for commit in self.catalog_state.commits
            if commit_name(commit.version) not in self._published
        )

    def differing(self) -> tuple[int, ...]:
        """The versions whose published commits are not what the catalog has ratified."""
        return tuple(
            commit.version
            for commit in self.catalog_state.commits
            if (name := commit_name(commit.version)) in self._published
            and self._store.read(name) != self._store.read(self._files[name])
        )

    def list_directory(self, name: str) -> Mapping[str, FileInfo]:
        """See `LogStore`."""
        return self._store.list_directory(name)

    def read_ahead(self, paths: Iterable[str]) -> None:
        """See `LogStore`."""
        self._store.read_ahead([self._files.get(path, path) for path in paths])

    def read(self, path: str) -> bytes:
        """See `LogStore`."""
        return self._store.read(self._files.get(path, path))

    def open(self, path: str) -> BinaryIO:
        """See `LogStore`."""
        return self._store.open(self._files.get(path, path))

    # As the store itself has it

    @property
    def root(self) -> str:
        """See `LogStore`."""
        return self._store.root

    @property
    def local_path(self) -> str | None:
        """See `LogStore`."""
        return self._store.local_path

    @property
    def qualifier(self) -> str:
        """See `LogStore`."""
        return self._store.qualifier

    @property
    def limits(self) -> Limits:
        """See `LogStore`."""
        return self._store.limits

    @property
    def survives_fork(self) -> bool:
        """See `LogStore`."""
        return self._store.survives_fork

    @property
    def at_once(self) -> int:
        """See `LogStore`."""
        return self._store.at_once

    @property
    def storage_options(self) -> Mapping[str, str]:
        """See `LogStore`."""
        return self._store.storage_options

    def data_size(self, path: str) -> int | None:
        """See `LogStore`."""
        return self._store.data_size(path)

    def open_data(self, path: str) -> BinaryIO:
        """See `LogStore`."""
        return self._store.open_data(path)


def _last_version(info: FileInfo) -> int:
    """The newest version that a file of the log says something of; -1 for what has none."""
    file = parse(info)
    version = file.end if file.kind is Kind.COMPACTED else file.version
    return -1 if version is None else version


def _check(state: CatalogState) -> None:
    """Raise for commits that cannot be the newest of the table, one after the other."""
    if state.version is None:
        return
    for commit in state.commits:
        file = parse(FileInfo(f"{_STAGED}/{commit.name}"))
        if file.kind is not Kind.STAGED or file.version != commit.version:
            raise _error(state, f"its file for commit {commit.version} is called {commit.name!r}")
    versions = [commit.version for commit in state.commits]
    if versions and versions != list(range(versions[0], state.version + 1)):
        listed = ", ".join(map(str, versions))
        raise _error(
            state,
            f"its newest version is {state.version}, and the commits that it names are {listed}",
            delta_error_class="DELTA_VERSIONS_NOT_CONTIGUOUS",
        )


def _missing(state: CatalogState, version: int) -> TableError:
    return _error(
        state,
        f"it says that version {version} is the newest, but names no file with that commit, and "
        "the log has none",
        delta_error_class="DELTA_VERSIONS_NOT_CONTIGUOUS",
    )


def _error(state: CatalogState, what: str, **more: Any) -> TableError:
    return TableError(
        f"{state.catalog} contradicts itself or the log about {state.name}: {what}.",
        remedy="Try again, since commits are published at any time; if it persists, ask "
        "the operator of the catalog.",
        **more,
    )
