"""The object stores that tests write to, each with a server of its own on loopback."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from obstore.store import from_url

from deltaadm.storage.store import ObjectStores
from tests.support import gcs
from tests.support.azure import azurite
from tests.support.s3 import BUCKET, s3_server, upload


class Place(NamedTuple):
    """Where there is an empty bucket, the variables that lead there, and the bucket itself."""

    url: str
    environment: Mapping[str, str]
    bucket: Any = None

    def upload(self, directory: Path, prefix: str) -> str:
        """Put the files below *directory* there; the location of the table."""
        upload(self.bucket, directory, prefix)
        return f"{self.url}/{prefix}"

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
        yield Place(f"s3://{BUCKET}", server.environment, server.bucket)


@contextmanager
def _gcs() -> Iterator[Place]:
    with gcs.gcs_server() as server:
        yield Place(f"gs://{BUCKET}", gcs.environment(server), server.bucket)


@contextmanager
def _azure() -> Iterator[Place]:
    with TemporaryDirectory() as directory, azurite(Path(directory)) as options:
        names = {
            name.removeprefix("azure_storage_").removeprefix("azure_"): text
            for name, text in options.items()
        }
        names.pop("allow_http")
        bucket = from_url("az://lake", config=names, client_options={"allow_http": True})
        yield Place("az://lake", {name.upper(): text for name, text in options.items()}, bucket)


PLACES: Mapping[str, Callable[[], AbstractContextManager[Place]]] = {
    "memory": _memory, "s3": _s3, "gcs": _gcs, "azure": _azure,
}  # fmt: skip
"""Azure's takes Azurite, and skips tests without it; see `tests.support.azure`."""
