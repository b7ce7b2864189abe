"""Tables by their names in Unity Catalog, by whole runs on a server that speaks its interfaces."""

import copy
import itertools
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.program import Result, deltaadm, process
from tests.support.rows import with_rows
from tests.support.s3 import S3Server, error, s3_server, tls_in_front
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol
from tests.support.unity import TOKEN, Fault, Json, Unity, lasting, unity_server
from tests.support.unity import Table as Entry

pytestmark = pytest.mark.slow

MANAGED_FEATURES = ["catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"]
COLUMNS = [{"name": "a", "type": "integer", "nullable": True, "metadata": {}}]


@pytest.fixture(params=[True, False], ids=["for Delta clients", "older"])
def unity(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Unity]:
    """The server, with either interface, to which the settings lead."""
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", TOKEN)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    with unity_server(delta=request.param) as server:
        monkeypatch.setenv("DELTAADM_UNITY", server.url)
        yield server


def ict(version: int) -> dict[str, object]:
    return commit_info(inCommitTimestamp=1_700_000_000_000 + version, txnId=str(version))


def managed(unity: Unity, path: Path, *, published: int = 2, staged: int = 2) -> Table:
    """A catalog-managed table of so many published commits, and ratified ones after them."""
    made = Table(path)
    configuration = {"delta.enableInCommitTimestamps": "true"}
    features = protocol(3, 7, ["catalogManaged"], MANAGED_FEATURES)
    made.commit(0, ict(0), features, metadata(configuration))
    for version in range(1, published):
        made.commit(version, ict(version), add(f"f{version}"))
    commits = []
    for version in range(published, published + staged):
        name = f"{version:020d}.016ae953-37a9-438e-8683-{version:012d}.json"
        more = [metadata(configuration | {"delta.appendOnly": "false"})] if version == 3 else []
        body = commit(ict(version), add(f"f{version}"), *more)
        made.write(f"_staged_commits/{name}", body)
        commits.append((version, name, len(body)))
    unity.tables["main.sales.orders"] = Entry(
        path.as_uri(), COLUMNS,
        {**configuration, "delta.feature.catalogManaged": "supported"},
        kind="MANAGED", latest=published + staged - 1, commits=commits,
    )  # fmt: skip
    return made


def test_a_catalog_managed_table_is_read_at_its_true_version(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t")
    done = deltaadm("inspect", "main.sales.orders", "-o", "json")
    assert done.code == 0, done.err
    assert done.document["version"] == 3
    assert done.document["timestamp"] == 1_700_000_000_003
    assert done.document["metadata"]["configuration"]["delta.appendOnly"] == "false"
    by_path = deltaadm("inspect", made.path, "-o", "json").document
    assert by_path["version"] == 1
    older = deltaadm("inspect", "main.sales.orders", "--version", "2", "-o", "json").document
    assert older["version"] == 2
    files = deltaadm("inspect", "main.sales.orders", "--files", "-o", "json").document
    assert files["files"]["files"] == 3
    for depth in ([], ["--history", "--deep"]):
        found = deltaadm("validate", "main.sales.orders", *depth, "-o", "json")
        assert found.document["version"] == 3, json.dumps(found.document)


def plain(unity: Unity, path: Path, name: str = "main.sales.plain", **more: object) -> Table:
    made = Table(path)
    made.commit(0, commit_info(), protocol(), metadata())
    made.commit(1, commit_info(), add("f"))
    number = len(unity.tables)
    identity = f"00000000-0000-4000-8000-{number:012d}"
    unity.tables[name] = Entry(path.as_uri(), COLUMNS, id=identity, **more)  # type: ignore[arg-type]
    return made


def test_every_command_takes_names(unity: Unity, tmp_path: Path) -> None:
    plain(unity, tmp_path / "t")
    name = "main.sales.plain"
    for command in (
        ["inspect", name, "--version", "0"],
        ["validate", name, "--history", "--cross-check", "--ignore", "DL8"],
        ["upgrade-protocol", name, "--reader", "3", "--writer", "7"],
        ["enable-feature", name, "deletionVectors"],
        ["alter", name, "--set", "delta.appendOnly=true"],
        ["drop-feature", name],
        ["history", name],
        ["inspect", "--table", name],
    ):
        done = deltaadm(*command)
        assert done.code == 0, (command, done.err, done.out)
        assert "sales" in done.out


def test_a_pattern_lists_pages_of_schemas_and_tables(unity: Unity, tmp_path: Path) -> None:
    for number in range(5):
        plain(unity, tmp_path / f"a{number}", f"main.sales.a{number}")
        plain(unity, tmp_path / f"b{number}", f"main.s{number}.b")
    plain(unity, tmp_path / "csv", "main.sales.a_file", provider="CSV")
    plain(unity, tmp_path / "view", "main.sales.a_view", kind="VIEW")
    done = deltaadm("inspect", "--catalog", "main.sales.A*", "-o", "jsonl")
    assert [line["table"] for line in done.lines] == [f"main.sales.a{n}" for n in range(5)]
    done = deltaadm("validate", "--catalog", "main.s?.*", "-o", "jsonl", "--ignore", "DL8")
    assert [line["table"] for line in done.lines] == [f"main.s{n}.b" for n in range(5)]
    assert {line["version"] for line in done.lines} == {1}
    done = deltaadm("inspect", "--catalog", "sales.*")
    assert (done.code, "catalog.schema.table" in done.err) == (7, True)


def test_managed_tables_of_a_fleet_are_read_at_their_true_versions(
    unity: Unity, tmp_path: Path
) -> None:
    managed(unity, tmp_path / "m")
    plain(unity, tmp_path / "p")
    done = deltaadm("inspect", "--catalog", "main.sales.*", "-o", "jsonl", "--jobs", "2")
    assert [line["version"] for line in done.lines] == [3, 1]


def test_what_is_not_there(unity: Unity, tmp_path: Path) -> None:
    plain(unity, tmp_path / "t", "main.sales.orders")
    plain(unity, tmp_path / "v", "main.sales.a_view", kind="VIEW", provider="")
    unity.tables["main.sales.a_view"].provider = "PARQUET"
    done = deltaadm("inspect", "main.sales.order")
    assert (done.code, "--catalog main.sales.*" in done.err) == (3, True)
    assert deltaadm("inspect", "main.other.x").code == 3
    assert deltaadm("inspect", "--catalog", "other.x.*").code == 3
    done = deltaadm("inspect", "sales.orders")
    assert (done.code, "Write catalog.schema.table" in done.err) == (7, True)
    assert deltaadm("create", "main.a.b", "--schema", "a INT", "--unity", unity.url).code == 2
    assert deltaadm("inspect", "main.sales.orders", "--engine", "spark", "--unity", "x").code == 2
    done = deltaadm("inspect", "main.sales.a_view")
    assert (done.code, "is a view" in done.err) == (3, True)
    found = deltaadm("inspect", "main.sales.orders", "main.sales.order", "-o", "jsonl")
    assert [line.get("version", line.get("error", {}).get("kind")) for line in found.lines] == [
        1,
        "table",
    ]


# What is ratified


def test_a_hole_is_an_error(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t", published=2, staged=3)
    entry = unity.tables["main.sales.orders"]
    whole = list(entry.commits)

    def fails(words: str) -> None:
        done = deltaadm("inspect", "main.sales.orders")
        assert (done.code, words in done.err) == (3, True), done.err
        validated = deltaadm("validate", "main.sales.orders", "-o", "json")
        assert validated.code == 3

    entry.commits = [whole[0], whole[2]]
    fails("the commits that it names are 2, 4")
    entry.commits = whole[:2]
    fails("its newest version is 4")
    entry.commits = whole[1:]
    fails("gap")
    entry.commits = []
    fails("names no file with that commit")
    entry.commits = [(2, whole[1][1], 1), *whole[1:]]
    fails("is called")
    entry.commits = [(2, f"../../{whole[0][1]}", 1), *whole[1:]]
    fails("is called")
    entry.commits = whole
    (made.log / "_staged_commits" / whole[1][1]).unlink()
    fails("is missing")


def test_what_the_catalog_says_counts_more_than_the_log(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t", published=2, staged=2)
    made.commit(2, ict(2), add("another"), add("third"))
    made.commit(4, ict(4), add("rejected"))
    found = deltaadm("inspect", "main.sales.orders", "--files", "-o", "json").document
    assert (found["version"], found["files"]["files"]) == (3, 3)
    report = deltaadm("validate", "main.sales.orders", "-o", "json").document
    codes = {finding["code"] for finding in report["findings"]}
    assert {"DL971", "DL977"} <= codes


def test_commits_can_be_published_in_the_meantime(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t", published=2, staged=2)
    for version, name, _ in unity.tables["main.sales.orders"].commits:
        made.write(f"{version:020d}.json", (made.log / "_staged_commits" / name).read_bytes())
    for commits in (unity.tables["main.sales.orders"].commits[1:], []):
        unity.tables["main.sales.orders"].commits = list(commits)
        assert deltaadm("inspect", "main.sales.orders", "-o", "json").document["version"] == 3


def test_by_its_location_there_may_be_more(unity: Unity, tmp_path: Path) -> None:
    made = managed(unity, tmp_path / "t")
    assert "there may be versions after 1" in deltaadm("inspect", made.path).out
    assert "there may be versions" not in deltaadm("inspect", "main.sales.orders").out
    report = deltaadm("validate", made.path, "-o", "json").document
    assert "DL978" in {finding["code"] for finding in report["findings"]}


def test_commits_are_refused_with_the_reason(unity: Unity, tmp_path: Path) -> None:
    managed(unity, tmp_path / "t")
    change = ["alter", "main.sales.orders", "--set", "x=y"]
    assert deltaadm(*change).code == 0
    done = deltaadm(*change, "--apply", "--yes")
    assert (done.code, "managed by its catalog" in done.err) == (7, True)
    assert "UCSingleCatalog" in done.err
    plan = tmp_path / "plan.json"
    assert deltaadm(*change, "--out", plan).code == 0
    assert deltaadm("apply", plan, "--yes").code == 7


# What goes wrong


def answers(status: int, **headers: str) -> Callable[[str], Fault]:
    return lambda _request: (status, None, headers)


@pytest.fixture
def table(unity: Unity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Unity:
    """A server with a table, on which nobody waits for the next try."""
    plain(unity, tmp_path / "t")
    monkeypatch.setattr("deltaadm.storage.unity.time.sleep", lambda _: None)
    return unity


@with_rows
def test_an_error_is_a_sentence(
    table: Unity, status: int, code: int, words: str, tries: int | None
) -> None:
    table.fault = answers(status)
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, words in done.err) == (code, True), done.err
    assert TOKEN not in done.err
    assert tries in {None, len(table.requests)}


def test_what_passes_is_tried_again(table: Unity, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    sleep = time.sleep

    def observed(seconds: float) -> None:
        """What else sleeps in the process, such as servers, goes on to do so."""
        caller = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001
        (seen.append if caller == "deltaadm.storage.unity" else sleep)(seconds)

    monkeypatch.setattr("deltaadm.storage.unity.time.sleep", observed)
    cut_off: Fault = 200, {"tables": []}, {"Content-Length": "99"}
    given = iter([(503, None, {}), (429, None, {"Retry-After": "7"}), cut_off])
    table.fault = lambda _request: next(given, None)
    assert deltaadm("inspect", "main.sales.plain").code == 0
    assert seen[0] < 1
    assert 7 <= seen[1] < 8
    assert len(seen) == 3


@pytest.mark.parametrize("headers", [{"Content-Length": "99"}, {"Transfer-Encoding": "chunked"}])
def test_an_answer_that_breaks_off_says_so(table: Unity, headers: dict[str, str]) -> None:
    table.fault = lambda _request: (200, {"tables": []}, headers)
    done = deltaadm("inspect", "--catalog", "main.sales.*")
    assert (done.code, "answer breaks off" in done.err) == (4, True), done.err


def test_a_redirection_is_not_followed(table: Unity) -> None:
    with unity_server() as other:
        table.fault = answers(303, Location=f"http://me:secret-word@{other.url[7:]}/login")
        done = deltaadm("inspect", "main.sales.plain")
        assert (done.code, "redirects to another place" in done.err) == (4, True)
        assert "secret-word" not in done.err
        assert other.requests == []


def test_another_server_is_told_apart(unity: Unity) -> None:
    unity.fault = lambda _request: (200, {"hello": 1}, {})
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "sent an invalid answer" in done.err) == (4, True)


def test_the_token_is_asked_for(table: Unity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNITY_CATALOG_TOKEN")
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "requires a token" in done.err) == (4, True)
    monkeypatch.setenv("DATABRICKS_TOKEN", TOKEN)
    assert deltaadm("inspect", "main.sales.plain").code == 4, "only Databricks' hosts are sent it"
    monkeypatch.setenv("DATABRICKS_HOST", table.url)
    assert deltaadm("inspect", "main.sales.plain").code == 0
    monkeypatch.setenv("DATABRICKS_HOST", "https://[adb")
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "DATABRICKS_HOST is not a URL" in done.err) == (2, True), done.err


@with_rows
def test_odd_urls(monkeypatch: pytest.MonkeyPatch, url: str, code: int, words: str) -> None:
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", TOKEN)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    done = deltaadm("inspect", "main.sales.plain", "--unity", url)
    assert (done.code, words in done.err) == (code, True), done.err
    assert "secret-word" not in done.err + done.out
    assert TOKEN not in done.err


def test_settings_name_the_catalog(
    unity: Unity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(unity, tmp_path / "t")
    for name in ("DELTAADM_UNITY", "DELTAADM_ISOLATED"):
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "deltaadm.toml"
    settings.write_text(f'unity = "{unity.url}"')
    assert deltaadm("inspect", "main.sales.plain").code == 2  # a project does not say where
    monkeypatch.setenv("DELTAADM_CONFIG", str(settings))
    assert deltaadm("inspect", "main.sales.plain").code == 0
    assert deltaadm("validate", "main.sales.plain", "--ignore", "DL8").code == 0
    elsewhere = tmp_path / "elsewhere.toml"
    settings.rename(elsewhere)
    for more in ([], ["--fix"]):
        validate = ["validate", "main.sales.plain", "--ignore", "DL8", "--config", elsewhere]
        assert deltaadm(*validate, *more).code == 0
    settings.write_text("unity = 7")
    assert deltaadm("inspect", "main.sales.plain").code == 2
    settings.write_text(f'unity = "http://me:secret-word@{unity.url[7:]}"')
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "secret-word" in done.err) == (7, False)


def test_a_server_that_hangs(unity: Unity) -> None:
    over = threading.Event()
    unity.fault = lambda _request: over.wait(900) and None
    env = {"UNITY_CATALOG_TOKEN": TOKEN, "DELTAADM_ISOLATED": "1"}
    done = process("inspect", "a.b.c", "--unity", unity.url, "--timeout", "1s", env=env)
    over.set()
    assert (done.code, "Timed out after" in done.err) == (4, True)


def test_nobody_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = deltaadm("inspect", "a.b.c", "--unity", f"http://127.0.0.1:{port}")
    assert (done.code, "the connection is refused" in done.err) == (4, True)


def test_a_certificate_that_nobody_knows(tmp_path: Path) -> None:
    with tls_in_front(tmp_path) as url:
        done = deltaadm("inspect", "a.b.c", "--unity", url)
    assert (done.code, "certificate is not accepted" in done.err) == (4, True)


def test_the_doctor_asks_the_catalog(table: Unity) -> None:
    done = deltaadm("doctor", "main.sales.plain")
    assert f"Unity Catalog at {table.url}" in done.out
    assert "1 catalog can be listed" in done.out
    table.fault = answers(401)
    done = deltaadm("doctor")
    assert (done.code, "does not accept the token" in done.out) == (6, True)


# Credentials


GRACE = 5
"""Seconds for which the store still takes credentials: this machine may be busy."""


class Vending:
    """An object store that only takes the credentials that were given last, while they last."""

    def __init__(self, unity: Unity, server: S3Server, seconds: float) -> None:
        self.given: list[Json] = []
        self.operations: list[str] = []
        self.seconds = seconds
        self.used: set[str] = set()
        unity.credentials = self.vend
        server.answer = self.check

    def vend(self, _name: str, operation: str) -> Json:
        self.operations.append(operation)
        self.given.append(lasting(self.seconds, len(self.given) + 1))
        return self.given[-1]

    def check(self, environ: Json, start: Any) -> Iterable[bytes] | None:
        sent = environ.get("HTTP_AUTHORIZATION", ""), environ.get("HTTP_X_AMZ_SECURITY_TOKEN")
        for key in self.given:
            if f"Credential={key['key']}/" in sent[0] and sent[1] == key["token"]:
                self.used.add(key["key"])
                if key["expires"] / 1000 + GRACE < time.time():
                    return error("400 Bad Request", "ExpiredToken")(environ, start)
                return None
        return error("403 Forbidden", "AccessDenied")(environ, start)


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def s3(store: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """The object store; the environment's own credentials are not those that it takes."""
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    yield store
    store.answer = None


def in_store(unity: Unity, s3: S3Server, path: Path, name: str = "plain") -> None:
    plain(unity, path, f"main.sales.{name}")
    unity.tables[f"main.sales.{name}"].location = s3.upload(path, f"{path.parent.name}/{name}")


def test_object_stores_take_the_credentials_of_the_catalog(
    unity: Unity, s3: S3Server, tmp_path: Path
) -> None:
    in_store(unity, s3, tmp_path / "t")
    assert deltaadm("inspect", "main.sales.plain").code == 0, "without any, the environment's count"
    vending = Vending(unity, s3, 3600)
    for command in (["inspect"], ["validate", "--ignore", "DL8", "--cross-check"], ["history"]):
        done = deltaadm(*command, "main.sales.plain", "-o", "json")
        assert done.code == 0, done.err
        assert not any(key["secret"] in done.out + done.err for key in vending.given)
    assert vending.operations == ["READ"] * 3
    assert deltaadm("inspect", unity.tables["main.sales.plain"].location).code == 4


def test_a_managed_table_in_an_object_store(unity: Unity, s3: S3Server, tmp_path: Path) -> None:
    managed(unity, tmp_path / "m")
    entry = unity.tables["main.sales.orders"]
    entry.location = s3.upload(tmp_path / "m", f"{tmp_path.name}/m")
    Vending(unity, s3, 3600)
    for command in (["inspect"], ["validate", "--history", "--deep"]):
        done = deltaadm(*command, "main.sales.orders", "-o", "json")
        assert done.document["version"] == 3, done.err


def test_each_table_has_credentials_of_its_own(unity: Unity, s3: S3Server, tmp_path: Path) -> None:
    for number in range(4):
        in_store(unity, s3, tmp_path / f"t{number}", f"t{number}")
    vending = Vending(unity, s3, 3600)
    done = deltaadm("inspect", "--catalog", "main.sales.*", "-o", "jsonl")
    assert [line.get("version") for line in done.lines] == [1] * 4, done.out
    assert len(vending.used) == 4


def test_credentials_are_renewed_before_they_expire(
    unity: Unity, s3: S3Server, tmp_path: Path
) -> None:
    made = Table(tmp_path / "t")
    made.commit(0, commit_info(), protocol(), metadata())
    for version in range(1, 41):
        made.commit(version, commit_info(), add(f"f{version}"))
    unity.tables["main.sales.plain"] = Entry(s3.upload(tmp_path / "t", tmp_path.name), COLUMNS)
    vending = Vending(unity, s3, 0.8)
    s3.latency = 0.2
    try:
        done = deltaadm("validate", "main.sales.plain", "--ignore", "DL8", "--deep", "-o", "json")
    finally:
        s3.latency = 0
    assert (done.code, done.document["version"]) == (1, 40), done.err
    assert len(vending.used) > 1


def test_credentials_are_denied(unity: Unity, s3: S3Server, tmp_path: Path) -> None:
    in_store(unity, s3, tmp_path / "t")
    unity.fault = lambda request: (403, None, {}) if "credentials" in request else None
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "EXTERNAL USE SCHEMA" in done.err) == (4, True)


def test_a_checkpoint_is_written_with_credentials_for_writing(
    unity: Unity, s3: S3Server, tmp_path: Path
) -> None:
    in_store(unity, s3, tmp_path / "t")
    vending = Vending(unity, s3, 3600)
    done = deltaadm("alter", "main.sales.plain", "--checkpoint", "--apply", "--yes")
    assert done.code == 0, done.err
    assert "READ_WRITE" in vending.operations


def test_the_embedded_engine_commits_with_credentials_for_writing(
    unity: Unity, s3: S3Server, tmp_path: Path
) -> None:
    in_store(unity, s3, tmp_path / "t")
    vending = Vending(unity, s3, 3600)
    change = ["alter", "main.sales.plain", "--set", "x=y", "--apply", "--yes"]
    done = deltaadm(*change, "--commit-engine", "embedded", "-o", "json")
    assert (done.code, done.err) == (0, ""), done.err
    assert vending.operations[0] == "READ", "writing is asked for when it is agreed to"
    assert "READ_WRITE" in vending.operations
    assert deltaadm("inspect", "main.sales.plain", "-o", "json").document["version"] == 2


def test_credentials_that_are_denied_after_a_commit(
    unity: Unity, s3: S3Server, tmp_path: Path
) -> None:
    in_store(unity, s3, tmp_path / "t")
    Vending(unity, s3, -1)  # each request asks for new ones
    s3.requests.clear()

    def denied(request: str) -> Fault | None:
        committed = any("PUT" in asked and f"{2:020d}.json" in asked for asked in s3.requests)
        return (403, None, {}) if committed and "credentials" in request else None

    unity.fault = denied
    change = ["alter", "main.sales.plain", "--set", "x=y", "--apply", "--yes"]
    done = deltaadm(*change, "--commit-engine", "embedded")
    assert (done.code, "step 1 was carried out" in done.err) == (4, True), done.err


def test_the_embedded_engine_leaves_managed_tables_alone(unity: Unity, tmp_path: Path) -> None:
    managed(unity, tmp_path / "t")
    change = ["alter", "main.sales.orders", "--set", "x=y", "--apply", "--yes"]
    done = deltaadm(*change, "--commit-engine", "embedded")
    assert (done.code, "catalog" in done.err) == (7, True), done.err


def test_words_of_the_server_are_only_words(table: Unity) -> None:
    body = {"error_code": "X", "message": f"\x1b[31mno {TOKEN}\r\nhttps://a:secret-word@b"}
    table.fault = lambda _request: (403, body, {})
    done = deltaadm("inspect", "main.sales.plain")
    assert done.code == 4
    assert not {"\x1b", "\r"} & set(done.err)
    assert TOKEN not in done.err
    assert "secret-word" not in done.err


@pytest.mark.parametrize("token", ["first\nsecond", "first\u20acsecond", "first\x7fsecond"])
def test_a_token_that_no_request_can_have(
    table: Unity, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("UNITY_CATALOG_TOKEN", token)
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "line break" in done.err) == (2, True), done.err
    assert not any(part in done.err for part in ("first", "second"))
    assert not table.requests


@pytest.mark.parametrize("before", range(240, 300, 7))
def test_a_token_is_not_shown_in_part(table: Unity, before: int) -> None:
    body = {"error_code": "X", "message": f"{'x' * before} {TOKEN}"}
    table.fault = lambda _request: (403, body, {})
    done = deltaadm("inspect", "main.sales.plain")
    assert done.code == 4
    assert TOKEN[:4] not in done.err


@pytest.mark.parametrize("place", [f"ftp://{TOKEN}/t", f"/{TOKEN}", f"file://{TOKEN}/t"])
def test_a_location_may_repeat_the_token(table: Unity, place: str) -> None:
    table.tables["main.sales.plain"].location = place
    for look in ((), ("-o", "json")):
        done = deltaadm("inspect", "main.sales.plain", *look)
        assert done.code in {3, 4, 7}
        assert TOKEN not in done.err + done.out


def test_a_saved_plan_leads_to_the_table_by_its_name(unity: Unity, tmp_path: Path) -> None:
    plain(unity, tmp_path / "t")
    plan = tmp_path / "plan.json"
    assert deltaadm("alter", "main.sales.plain", "--set", "x=y", "--out", plan).code == 0
    apply = ["apply", plan, "--yes", "--commit-engine", "embedded"]
    where = unity.tables["main.sales.plain"].location
    made = plain(unity, tmp_path / "elsewhere", "main.sales.other")
    unity.tables["main.sales.plain"].location = made.path.as_uri()
    done = deltaadm(*apply)
    assert (done.code, "elsewhere" in done.err) == (5, True), done.err
    unity.tables["main.sales.plain"].location = where
    done = deltaadm(*apply)
    assert done.code == 0, done.err
    assert deltaadm("inspect", "main.sales.plain", "-o", "json").document["version"] == 2


def test_a_history_has_what_is_not_published(unity: Unity, tmp_path: Path) -> None:
    managed(unity, tmp_path / "t")
    done = deltaadm("history", "main.sales.orders", "-o", "json")
    assert "delta.appendOnly" in done.out


def test_what_is_looked_up_at_once_asks_once_for_the_interface(
    unity: Unity, tmp_path: Path
) -> None:
    names = [f"main.sales.t{number}" for number in range(8)]
    for name in names:
        plain(unity, tmp_path / name, name)
    tables = tmp_path / "tables.txt"
    tables.write_text("\n".join(names))
    done = deltaadm("inspect", "--tables-from", tables, "-o", "jsonl")
    assert [line["version"] for line in done.lines] == [1] * 8
    assert unity.requests.count("GET delta/v1/config") == 1
    assert len(unity.requests) == 9


def test_a_catalog_that_knows_of_no_version_leaves_it_to_the_log(
    unity: Unity, tmp_path: Path
) -> None:
    managed(unity, tmp_path / "t")
    entry = unity.tables["main.sales.orders"]
    entry.commits, entry.latest = [], -1
    done = deltaadm("inspect", "main.sales.orders", "-o", "json").document
    assert done["version"] == 1
    assert any("there may be versions after 1" in warning for warning in done["warnings"])


# Answers that nobody should give


WRONG = (None, 1.5, 10**400, "\ud800\0\x1b[31m", [[]], {"a": 1})


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: object) -> Any:
    made = copy.deepcopy(document)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return made


def each_wrong_answer(unity: Unity, command: Sequence[object]) -> Iterator[tuple[str, Result]]:
    """What comes of *command* with each value of each answer in its turn replaced by another."""
    times = "12" if os.environ.get("DELTAADM_MUTATIONS") == "all" else "1"
    given: list[Json] = []
    unity.change = lambda document: given.append(document) or document
    assert deltaadm(*command).code in {0, 1}
    values = itertools.cycle([*WRONG, *WRONG[3:], *WRONG[:3]])
    for number, answer in enumerate(given):
        for path, value in zip((path for path in places(answer) for _ in times), values):  # noqa: B905
            wrong = [*given[:number], changed(answer, path, value), *given[number + 1 :]]
            unity.change = partial(next, iter(wrong))
            yield f"answer {number}: {path} = {value!r:.30}", deltaadm(*command)


def test_no_value_of_any_answer_is_a_bug(
    table: Unity, s3: S3Server, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    managed(table, tmp_path / "m")
    table.tables["main.sales.orders"].partitions = ["a"]
    table.tables["main.sales.orders"].metadata_version = 2
    in_store(table, s3, tmp_path / "p")
    Vending(table, s3, 3600)
    for command in (
        ["validate", "main.sales.orders"],
        ["inspect", "main.sales.plain"],
        ["inspect", "--catalog", "main.s*.orders"],
    ):
        for case, done in each_wrong_answer(table, command):
            with subtests.test(msg=f"{command}, {case}"):
                assert done.code in {0, 1, 3, 4, 7, 9}, done.err
                assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("place", ["file:%00", "a.b", "\0"])
def test_a_location_of_the_catalog_that_is_none(table: Unity, place: str) -> None:
    table.tables["main.sales.plain"].location = place
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, table.url in done.err) == (4, True), done.err


def test_pages_may_be_empty(unity: Unity, tmp_path: Path) -> None:
    for number in range(3):
        plain(unity, tmp_path / f"t{number}", f"main.sales.t{number}")
    unity.page = 1
    pages = itertools.count()
    unity.change = lambda answer: {**answer, "tables": []} if next(pages) == 1 else answer
    done = deltaadm("inspect", "--catalog", "main.sales.*", "-o", "jsonl")
    assert [line["table"] for line in done.lines] == ["main.sales.t0", "main.sales.t2"]


@pytest.mark.parametrize(("token", "words"), [
    (lambda: "7", "repeats a page token"),
    (lambda: f"{time.monotonic_ns() % 2}", "repeats a page token"),
    (lambda: f"{time.monotonic_ns()}", "more than 50 pages"),
    (lambda: 1, "next_page_token is missing or not"),
], ids=["the same", "one of two", "always another", "no text"])  # fmt: skip
def test_a_list_without_end(
    table: Unity, monkeypatch: pytest.MonkeyPatch, token: Callable[[], object], words: str
) -> None:
    monkeypatch.setattr("deltaadm.storage.unity.PAGES", 50)
    table.change = lambda answer: {**answer, "next_page_token": token()}
    done = deltaadm("inspect", "--catalog", "main.sales.*")
    assert (done.code, words in done.err) == (4, True), done.err


def test_a_table_has_not_so_many_commits(
    unity: Unity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deltaadm.storage.unity.COMMITS", 10)
    unity.delta = False  # the other interface gives them in one answer, which is limited
    managed(unity, tmp_path / "t")
    entry = unity.tables["main.sales.orders"]
    entry.commits = [(version, "x", 1) for version in range(20)]
    entry.latest = 2**60
    done = deltaadm("inspect", "main.sales.orders")
    assert (done.code, "more than 10 commits" in done.err) == (4, True), done.err


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(("answer", "words"), [
    (itertools.chain([HEAD, b"Content-Length: 9999\r\n\r\n"], itertools.repeat(b" ", 99)), "time"),
    (itertools.chain([HEAD, b"X-Slow: "], itertools.repeat(b"x", 99)), "time"),
    (itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 99), "time"),
    (itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 50_000, 40), "time"),
    (itertools.chain([HEAD, b"\r\n"], itertools.repeat(b" " * 1_000_000)), "more than 4 MB"),
    ([HEAD, b"Content-Length: 5000000\r\n\r\n", b"[" * 5_000_000], "more than 4 MB"),
], ids=["slow body", "slow header", "100", "many 100", "much", "long"])  # fmt: skip
def test_an_answer_without_end(
    monkeypatch: pytest.MonkeyPatch, answer: Iterable[bytes], words: str
) -> None:
    patience = 1.0 if words == "time" else 30.0  # where the size is the limit, time is not
    monkeypatch.setattr("deltaadm.storage.unity.PATIENCE", patience)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")

    def serve(listening: socket.socket) -> None:
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                for part in answer:
                    connection.sendall(part)
                    time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        started = time.monotonic()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        done = deltaadm("inspect", "a.b.c", "--unity", url)
    assert (done.code, words in done.err) == (4, True), done.err
    assert time.monotonic() - started < 25


@pytest.mark.parametrize("place", ["http://[bad", "http://[::1", "//", "file:///etc/passwd"])
def test_a_redirection_to_nowhere(table: Unity, place: str) -> None:
    table.fault = answers(302, Location=place)
    done = deltaadm("inspect", "main.sales.plain")
    assert (done.code, "redirects to" in done.err) == (4, True), done.err
