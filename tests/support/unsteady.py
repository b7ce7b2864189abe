"""A store that fails now and then."""

from typing import Any

from deltaadm.errors import StorageError
from deltaadm.storage.store import LogStore


class Unsteady:
    """A store that does not answer one of its requests."""

    def __init__(self, store: LogStore, number: int) -> None:
        self._store, self.left = store, number

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name not in {"read", "open", "list_log", "list_directory", "data_size"}:
            return found

        def asked(*given: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                raise StorageError("There was no answer.")
            return found(*given)

        return asked
