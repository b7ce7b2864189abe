"""The log in object stores: the engine's contract, and what stores do besides."""

import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import obstore
import pytest

from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import DeltaadmError, RefusedError, StorageError, TableError
from deltaadm.limits import Limits
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.places import find_tables, nearest_table
from deltaadm.storage.object_store import LogCache
from deltaadm.storage.store import ObjectStores, open_store
from tests.support.azure import azurite
from tests.support.contract import EngineContract, Load
from tests.support.faults import FAILED_AFTER, PARTIAL, RESET_AFTER, Fault, faulty
from tests.support.gcs import environment, gcs_server
from tests.support.program import deltaadm
from tests.support.s3 import S3Server, s3_server
from tests.support.tables import START_BODY, Table, commit, commit_info, metadata, protocol, table
from tests.support.webdav import webdav_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


def stores_of(server: S3Server) -> ObjectStores:
    """A run's object stores, told everything by options."""
    options = {
        "aws_endpoint_url": server.endpoint, "aws_allow_http": "true", "aws_access_key_id": "x",
        "aws_secret_access_key": "x", "aws_region": "us-east-1",
    }  # fmt: skip
    return ObjectStores(lambda: lambda _: options)


def upload(stores: ObjectStores, directory: Path, location: str) -> None:
    """Put the files of a table there; what it calls by a file: URL is in the store as well."""
    scheme, _, rest = location.partition("://")
    bucket, _, prefix = rest.partition("/")
    own = f"{scheme}://{bucket}/".encode()
    backend = stores.connections.bucket(location).backend
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            body = path.read_bytes()
            if path.suffix == ".json":
                body = re.sub(rb"file:/+", own, body)
            obstore.put(backend, f"{prefix}/{path.relative_to(directory).as_posix()}", body)


def loader(stores: ObjectStores, base: str) -> Load:
    seen: dict[Path, str] = {}

    def load(place: Path, detail: Detail) -> Snapshot:
        if place not in seen:
            seen[place] = f"{base}/{len(seen)}"
            upload(stores, place, seen[place])
        return load_snapshot(stores.open(seen[place]), detail=detail)

    return load


class TestMemory(EngineContract):
    @pytest.fixture
    def load(self) -> Load:
        return loader(ObjectStores(), "memory://lake")


class TestS3(EngineContract):
    """Only the real tables, since each file is a request to upload."""

    test_odd_logs = test_random_histories = test_starts_of_recorded_operations = None  # type: ignore[assignment]
    test_foreign_tables = None  # type: ignore[assignment]

    @pytest.fixture
    def load(self, s3: S3Server, request: pytest.FixtureRequest) -> Load:
        return loader(stores_of(s3), f"s3://lake/{abs(hash(request.node.name))}")


@pytest.fixture(scope="module")
def gcs() -> Iterator[S3Server]:
    with gcs_server() as server:
        yield server


def stores_in_gcs(server: S3Server) -> ObjectStores:
    options = {key.lower(): text for key, text in environment(server).items()}
    return ObjectStores(lambda: lambda _: options)


@pytest.mark.matrix
class TestGCS(TestS3):
    @pytest.fixture
    def load(self, gcs: S3Server, request: pytest.FixtureRequest) -> Load:
        return loader(stores_in_gcs(gcs), f"gs://lake/{abs(hash(request.node.name))}")


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStores]:
    with azurite(tmp_path_factory.mktemp("azurite")) as options:
        yield ObjectStores(lambda: lambda _: options)


@pytest.mark.matrix
class TestAzure(TestS3):
    @pytest.fixture
    def load(self, azure: ObjectStores, request: pytest.FixtureRequest) -> Load:
        return loader(azure, f"az://lake/{abs(hash(request.node.name))}")


SCHEMES = {"memory": "memory", "s3": "s3", "gcs": "gs"}


@pytest.fixture(params=SCHEMES)
def stores(request: pytest.FixtureRequest) -> ObjectStores:
    if request.param == "memory":
        return ObjectStores()
    server: S3Server = request.getfixturevalue(request.param)
    return stores_of(server) if request.param == "s3" else stores_in_gcs(server)


@pytest.fixture
def base(stores: ObjectStores, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A place of this test alone, with a few tables."""
    scheme = SCHEMES[request.node.callspec.params["stores"]]
    base = f"{scheme}://lake/{tmp_path.name}"
    for name in (
        "sales/orders",
        "sales/b/returns",
        "hr/people",
        "z",
        "a b%20ü",
        ".trash/t",
        "_x/t",
    ):
        table(tmp_path / name, START_BODY)
    (tmp_path / "z" / "p=1").mkdir()
    table(tmp_path / "z" / "p=1" / "inner", START_BODY)
    (tmp_path / "no log").mkdir()
    (tmp_path / "no log" / "_delta_log").touch()
    upload(stores, tmp_path, base)
    return base


def found_below(stores: ObjectStores, root: str) -> list[str]:
    errors: list[StorageError] = []
    tables = list(find_tables(root, errors.append, stores.directories()))
    assert errors == []
    return [path.removeprefix(root).strip("/") for path in tables]


def test_tables_are_found_in_the_order_of_their_paths(stores: ObjectStores, base: str) -> None:
    expected = ["a b%20ü", "hr/people", "sales/b/returns", "sales/orders", "z"]
    assert found_below(stores, base) == expected
    assert found_below(stores, f"{base}/z") == [""]


def test_the_table_around_a_place(stores: ObjectStores, base: str) -> None:
    around = partial(nearest_table, directories=stores.directories())
    assert around(f"{base}/z/p=1/inner/x") == f"{base}/z/p=1/inner"
    assert around(f"{base}/z/p=1") == f"{base}/z"
    assert around(f"{base}/sales") is None


def test_where_nothing_is_there_is_no_directory(stores: ObjectStores, base: str) -> None:
    with pytest.raises(StorageError, match=r"There is no directory .*nope"):
        found_below(stores, f"{base}/nope")


def test_a_place_without_a_log_is_no_table(stores: ObjectStores, base: str) -> None:
    for name in ("nope", "no log", "sales"):
        with pytest.raises(TableError) as caught:
            load_snapshot(stores.open(f"{base}/{name}"))
        assert caught.value.delta_error_class == "DELTA_MISSING_DELTA_TABLE"


@pytest.mark.parametrize("size", [0, 1, 1 << 16, 1_300_000])
def test_files_are_read_in_ranges(stores: ObjectStores, base: str, size: int) -> None:
    body = bytes(range(251)) * (size // 251 + 1)
    location = f"{base}/z"
    bucket = stores.connections.bucket(location)
    obstore.put(bucket.backend, f"{base.partition('://lake/')[2]}/z/_delta_log/x", body[:size])
    random = Random(size)  # noqa: S311 -- reads, not secrets
    with stores.open(location).open("x") as file:
        assert file.seek(0, 2) == size
        for _ in range(40):
            start, length = random.randrange(size + 9), random.randrange(90_000)
            file.seek(start)
            assert file.read(length) == body[start : min(size, start + length)]
        file.seek(0)
        assert file.read() == body[:size]


def test_a_file_that_is_replaced_meanwhile_is_not_mixed(stores: ObjectStores, base: str) -> None:
    store = stores.open(f"{base}/z")
    store.overwrite("x", bytes(1 << 17))
    with store.open("x") as file:
        file.read(1)
        store.overwrite("x", b"x" * (1 << 17))
        file.seek(1 << 16)
        with pytest.raises(StorageError, match="replaced"):
            file.read()


def test_data_files_have_the_names_of_the_log(stores: ObjectStores, base: str) -> None:
    store = stores.open(f"{base}/z")
    prefix = base.partition("://lake/")[2]
    backend = stores.connections.bucket(base).backend
    obstore.put(backend, f"{prefix}/z/p=a b/ü%.parquet", b"four")
    encoded = "p=a%20b/%C3%BC%25.parquet"
    for path in (encoded, f"{base}/z/{encoded}", f"/{prefix}/z/{encoded}"):
        assert store.data_size(path) == 4
        with store.open_data(path) as file:
            assert file.read() == b"four"
    assert store.data_size("gone") is None
    with pytest.raises(TableError, match="missing"):
        store.open_data("gone")
    for elsewhere in ("s3://other/f", "file:///f", "hdfs:/f", "az://lake/f"):
        with pytest.raises(StorageError, match="another store"):
            store.data_size(elsewhere)


def test_a_server_that_lists_by_webdav(tmp_path: Path) -> None:
    for name in ("a b%20ü/t", "z", "z/p=1/inner"):
        table(tmp_path / name, START_BODY)
    Table(tmp_path / "z").checkpoint(0, [protocol(), metadata()])
    stores = ObjectStores(lambda: lambda _: {"allow_http": "true"})
    with webdav_server() as url:
        for path in tmp_path.rglob("*"):
            if path.is_file():
                name = quote(path.relative_to(tmp_path).as_posix())
                body = path.read_bytes()
                with urlopen(Request(f"{url}/lake/{name}", body, method="PUT")):  # noqa: S310
                    pass
        base = f"{url}/lake"
        assert found_below(stores, base) == [quote("a b%20ü/t"), "z"]
        for name in ("a b%20ü/t", "z"):
            found = load_snapshot(stores.open(f"{base}/{quote(name)}"), detail=Detail.STATE)
            here = load_snapshot(open_store(str(tmp_path / name)), detail=Detail.STATE)
            assert (found.metadata, found.version) == (here.metadata, here.version)
        change = ("alter", f"{base}/z", "--set", "a=b", "--storage-option", "allow_http=true")
        for engine in ("spark", "embedded"):
            done = deltaadm(*change, "--apply", "--yes", "--commit-engine", engine)
            assert (done.code, "Spark" in done.err) == (7, False), done.err
            assert "by HTTP tables are only read" in done.err
        assert deltaadm(*change).code == 0
        with pytest.raises(TableError):
            load_snapshot(stores.open(f"{base}/nope"))


def test_a_long_log_is_listed_from_the_last_checkpoint(s3: S3Server, tmp_path: Path) -> None:
    made = Table(tmp_path)
    made.write(f"{5000:020d}.json", START_BODY)
    made.write(f"{5001:020d}.json", commit(commit_info()))
    made.checkpoint(5000, [protocol(), metadata()])
    made.last_checkpoint(5000)
    location = s3.upload(tmp_path, "long")
    s3.fill("long", [f"_delta_log/{version:020d}.json" for version in range(3990, 5000)])
    with s3.counted() as requests:
        snapshot = load_snapshot(stores_of(s3).open(location))
    assert snapshot.version == 5001
    lists = [request for request in requests if "list-type" in request]
    assert len(lists) == 2
    assert f"start-after=long%2F_delta_log%2F{5000:020d}." in lists[1]


def test_a_run_does_not_read_again_what_is_listed_as_before(s3: S3Server, tmp_path: Path) -> None:
    made = table(tmp_path, commit(protocol(), metadata()), *[commit(commit_info())] * 4)
    location, stores = s3.upload(made.path, "kept"), stores_of(s3)
    before = load_snapshot(stores.open(location), detail=Detail.STATE)
    with s3.counted() as requests:
        assert load_snapshot(stores.open(location), detail=Detail.STATE) == before
    assert len(requests) == 1
    # A table that was created anew in its place.
    other = commit(protocol(), metadata(name="other"))
    obstore.put(s3.bucket, f"kept/_delta_log/{0:020d}.json", other)
    with s3.counted() as requests:
        after = load_snapshot(stores.open(location), detail=Detail.STATE)
    assert after.metadata.name == "other"
    assert len(requests) == 2


def test_what_a_run_keeps_is_limited() -> None:
    kept = LogCache(100)
    for log in "ab":
        kept.keep(log, "0.json", 1, b"." * 40)
    kept.keep("a", "1.json", 1, b"." * 40)
    assert kept.find("a", "1.json", 1) is None, "of one log, what was read first stays"
    kept.keep("b", "1.json", 1, b"." * 40)
    assert kept.find("a", "0.json", 1) is None, "that of another log goes"
    assert kept.find("b", "0.json", 1) == kept.find("b", "1.json", 1) == b"." * 40
    kept.keep("a", "1.json", 1, b"." * 40)
    kept.keep("a", "1.json", 2, b"new")
    assert [kept.find("a", "1.json", listed) for listed in (1, 2, None)] == [None, b"new", b"new"]
    kept.keep("c", "0.json", 1, b"." * 101)
    kept.keep("c", "1.json", None, b"never listed")
    assert kept.find("c", "0.json", 1) is kept.find("c", "1.json", None) is None


@pytest.mark.parametrize("location", ["s3://", "abfss:///x", "https://host/t?sig=1", "gs:///x"])
def test_half_a_location_says_what_is_missing(location: str) -> None:
    with pytest.raises((StorageError, RefusedError)) as caught:
        ObjectStores().open(location)
    assert caught.value.remedy


# Lists without end, and lists that break off

LOG = "t/_delta_log/"


def listing(names: Iterable[str], token: str = "") -> bytes:
    """A page of a list as S3 answers it; with a token it goes on."""
    objects = "".join(
        f"<Contents><Key>{LOG}{name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
        "<ETag>&quot;e&quot;</ETag><Size>5</Size></Contents>"
        for name in names
    )
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return (
        '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>'
        f"<Prefix>{LOG}</Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys>"
        f"<IsTruncated>{'true' if token else 'false'}</IsTruncated>{more}{objects}"
        "</ListBucketResult>"
    ).encode()


@pytest.fixture
def endless(s3: S3Server) -> Iterator[Callable[[Callable[[int], bytes]], ObjectStores]]:
    """The store of a server, all of whose lists are what a function makes of their number."""

    def set_pages(page: Callable[[int], bytes]) -> ObjectStores:
        numbers = itertools.count()

        def answer(environ: dict[str, Any], start: Any) -> list[bytes] | None:
            if "list-type" not in environ["QUERY_STRING"]:
                return None
            start("200 OK", [("Content-Type", "application/xml")])
            return [page(next(numbers))]

        s3.answer = answer
        return stores_of(s3)

    yield set_pages
    s3.answer = None


def commits(start: int, number: int = 1000) -> list[str]:
    return [f"{version:020d}.json" for version in range(start, start + number)]


@pytest.mark.parametrize("number", [7, 1000])
def test_the_same_page_again_is_an_error(
    endless: Callable[[Callable[[int], bytes]], ObjectStores], number: int
) -> None:
    stores = endless(lambda _: listing(commits(0, number), "same"))
    with pytest.raises(StorageError, match="repeats the same objects"):
        stores.open("s3://lake/t").list_log()


def test_a_list_has_so_many_objects_at_most(
    endless: Callable[[Callable[[int], bytes]], ObjectStores],
) -> None:
    stores = endless(lambda page: listing(commits(1000 * page), f"t{page}"))
    with pytest.raises(StorageError, match="has more than 5,000 objects"):
        stores.open("s3://lake/t", Limits(files=5_000)).list_log()


def test_empty_pages_end(
    endless: Callable[[Callable[[int], bytes]], ObjectStores], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deltaadm.storage.object_store.PAGE_TIME", 1.0)
    stores = endless(lambda page: listing([], f"t{page}"))
    started = time.monotonic()
    for look in (
        lambda: stores.open("s3://lake/t").list_log(),
        lambda: stores.open("s3://lake/t").list_short_log(),
        lambda: stores.directories().look("s3://lake/t"),
    ):
        with pytest.raises(DeltaadmError, match="does not answer in time"):
            look()
        monkeypatch.setattr("deltaadm.storage.object_store.PAGE_TIME", 60.0)  # for nothing more
    assert time.monotonic() - started < 20
    stores = endless(lambda page: listing(commits(0), "") if page else listing([], "t"))
    assert len(stores.open("s3://lake/t").list_log()) == 1000


@pytest.mark.parametrize("fault", [PARTIAL, RESET_AFTER, FAILED_AFTER], ids=["cut", "reset", "503"])
@pytest.mark.parametrize("which", ["list-type", "0.json"])
def test_what_breaks_off_is_read_again(
    s3: S3Server, tmp_path: Path, fault: Fault, which: str
) -> None:
    made = table(tmp_path / "t", commit(protocol(), metadata()))
    location = s3.upload(made.path, f"cut/{fault.status}-{fault.kept}/{which}/t")
    with faulty(s3.port) as proxy:
        left = [fault]
        proxy.faults = lambda request: left.pop() if which in request.target and left else None
        stores = stores_of(replace(s3, port=proxy.port))
        assert load_snapshot(stores.open(location)).version == 0
        assert not left
        left.append(fault)
        assert found_below(stores, location.removesuffix("/t")) == ["t"]
