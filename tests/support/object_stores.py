"""The object stores that tests write to, each with a server of its own on loopback."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from deltaadm.storage.store import ObjectStores
from tests.support import gcs
from tests.support.azure import azurite
from tests.support.s3 import BUCKET, s3_server


class Place(NamedTuple):
    """Where there is an empty bucket, and the variables that lead there."""

    url: str
    environment: Mapping[str, str]

    @property
    def stores(self) -> ObjectStores:
        """Those of a run that is told the same by options."""
        options = {name.lower(): text for name, text in self.environment.items()}
        return ObjectStores(lambda: lambda _: options)


@contextmanager
def _memory() -> Iterator[Place]:
    yield Place("memory://lake", {})


@contextmanager
def _s3() -> Iterator[Place]:
    with s3_server() as server:
        yield Place(f"s3://{BUCKET}", server.environment)


@contextmanager
def _gcs() -> Iterator[Place]:
    with gcs.gcs_server() as server:
        yield Place(f"gs://{BUCKET}", gcs.environment(server))


@contextmanager
def _azure() -> Iterator[Place]:
    with TemporaryDirectory() as directory, azurite(Path(directory)) as options:
        yield Place("az://lake", {name.upper(): text for name, text in options.items()})


PLACES: Mapping[str, Callable[[], AbstractContextManager[Place]]] = {
    "memory": _memory, "s3": _s3, "gcs": _gcs, "azure": _azure,
}  # fmt: skip
"""Azure's takes Azurite, and skips tests without it; see `tests.support.azure`."""
