"""Tables in an object store, by whole runs of the program on a real S3 server."""

import json
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import deltalake
import obstore
import pyarrow as pa
import pytest

from tests.support.program import Result, deltaadm, process, surroundings
from tests.support.rows import with_rows
from tests.support.s3 import SECRET, S3Server, error, s3_server, tls_in_front
from tests.support.tables import START_BODY, Table, add, commit_info, metadata, protocol, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def s3(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """The server, which the environment leads to."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    yield server
    server.answer = None


def commits(path: Path, count: int, *, checksum: bool = False) -> Table:
    made = Table(path)
    made.commit(0, protocol(), metadata(), commit_info())
    for version in range(1, count):
        made.commit(version, commit_info(), add(f"f{version}"))
    if checksum:
        parts = {"protocol": protocol()["protocol"]}, {"metadata": metadata()["metaData"]}
        made.crc(count - 1, parts, numFiles=count - 1, tableSizeBytes=100 * (count - 1))
    return made


@pytest.fixture
def ten(s3: S3Server, tmp_path: Path) -> str:
    commits(tmp_path / "ten", 10)
    return s3.upload(tmp_path / "ten", f"{tmp_path.name}/ten")


# Requests


def test_with_a_checksum_three_requests_are_enough(s3: S3Server, tmp_path: Path) -> None:
    commits(tmp_path, 10, checksum=True)
    location = s3.upload(tmp_path, "checksum")
    with s3.counted() as requests:
        done = deltaadm("inspect", location, "-o", "json")
    assert done.document["version"] == 9
    assert len(requests) <= 3


def test_ten_commits_take_twelve_requests(s3: S3Server, ten: str) -> None:
    with s3.counted() as requests:
        assert deltaadm("inspect", ten).code == 0
    assert len(requests) <= 12


@pytest.mark.parametrize(("shape", "read", "told"), [
    ("checksum", ["9.crc", "9.json"], 1),
    ("checkpoint", ["7.checkpoint.parquet", "8.json", "9.json"], 2),
])  # fmt: skip
def test_who_wrote_is_told_by_what_is_read_anyway(
    s3: S3Server, tmp_path: Path, shape: str, read: list[str], told: int
) -> None:
    made = commits(tmp_path, 10, checksum=shape == "checksum")
    if shape == "checkpoint":
        made.checkpoint(7, [protocol(), metadata()])
    location = s3.upload(tmp_path, f"wrote-{shape}")
    with s3.counted() as requests:
        found = deltaadm("inspect", location, "-o", "json").document
    assert sum(writer["commits"] for writer in found["writers"]) == told
    got = [request.split()[1] for request in requests if "/_delta_log/0" in request]
    assert sorted(path.rpartition("/")[2].lstrip("0") for path in got) == read


def test_a_large_checkpoint_is_read_in_ranges(s3: S3Server, tmp_path: Path) -> None:
    made = Table(tmp_path)
    made.commit(0, protocol(), metadata(), commit_info())
    made.commit(1, *(add(f"part-{uuid.uuid4()}.parquet") for _ in range(40_000)))
    deltalake.DeltaTable(str(tmp_path)).create_checkpoint()
    for version in range(2, 22):
        made.commit(version, commit_info(), add(f"f{version}"))
    (checkpoint,) = made.log.glob("*.checkpoint.parquet")
    assert checkpoint.stat().st_size > 1_000_000
    location = s3.upload(tmp_path, "large")
    before = s3.sent
    with s3.counted() as requests:
        assert deltaadm("inspect", location, "-o", "json").document["version"] == 21
    assert len(requests) <= 27
    assert s3.sent - before <= 200_000
    assert (
        deltaadm("inspect", location, "--files", "-o", "json").document["files"]["files"] == 40_020
    )


def test_a_validation_reads_each_commit_once(s3: S3Server, ten: str) -> None:
    with s3.counted() as requests:
        assert deltaadm("validate", ten).code == 0
    assert len(requests) <= 14


@pytest.mark.parametrize("shape", ["commits", "checksum", "checkpoint"])
def test_a_commit_reads_again_only_what_is_new(s3: S3Server, tmp_path: Path, shape: str) -> None:
    made = commits(tmp_path, 42, checksum=shape == "checksum")  # after which no checkpoint is due
    if shape == "checkpoint":
        made.checkpoint(30, [protocol(), metadata()])
    location = s3.upload(tmp_path, f"again-{shape}")
    with s3.counted() as planning:
        assert deltaadm("alter", location, "--set", "team=web").code == 0
    commit = ("--apply", "--yes", "--commit-engine", "embedded")
    with s3.counted() as requests:
        assert deltaadm("alter", location, "--set", "team=web", *commit).code == 0
    further = Counter(request.split()[0] for request in requests[len(planning) :])
    checksums = 1 if shape == "checksum" else 0
    # Lists before and after, and in between the commit, which is read once; and a trial whether
    # the store creates an object only once, which looks for what killed trials have left.
    trial = {"PUT": 2, "GET": 1, "POST": 1}
    assert further == Counter({"GET": 3 + checksums, "PUT": 1 + checksums}) + Counter(trial)


def objects(s3: S3Server) -> dict[str, str | None]:
    return {meta["path"]: meta["e_tag"] for page in obstore.list(s3.bucket) for meta in page}


COMMIT = ("--set", "team=web", "--apply", "--yes", "--commit-engine", "embedded")


def test_a_store_that_replaces_what_is_there_gets_no_commit(s3: S3Server, tmp_path: Path) -> None:
    """Older servers ignore `If-None-Match`: the commit of another writer would be lost."""
    commits(tmp_path, 2)
    location = s3.upload(tmp_path, "replacing")

    def ignore(environ: dict[str, Any], _start: object) -> None:
        environ.pop("HTTP_IF_NONE_MATCH", None)

    s3.answer = ignore
    before = objects(s3)
    done = deltaadm("alter", location, *COMMIT)
    assert done.code == 7
    assert "ignores If-None-Match" in done.err
    assert objects(s3) == before
    s3.answer = None
    assert deltaadm("alter", location, *COMMIT).code == 0


@with_rows
def test_writers_that_agree_otherwise_are_not_joined(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    commits(tmp_path, 2)
    location = s3.upload(tmp_path, "locked")
    before = objects(s3)
    monkeypatch.setenv(name, value)
    for wish in (COMMIT, COMMIT[:2] + COMMIT[4:], ("--checkpoint", *COMMIT[2:])):
        done = deltaadm("alter", location, *wish)
        assert done.code == 7
        assert name in done.err
        assert "unknown" not in done.err
    assert objects(s3) == before


def test_requests_and_tables_are_under_way_at_once(s3: S3Server, tmp_path: Path) -> None:
    for number in range(16):
        commits(tmp_path / f"t{number:02d}", 2, checksum=True)
    root = s3.upload(tmp_path, "fleet")
    gate, inside = threading.Barrier(16, timeout=300), threading.local()

    def wait_for_others(environ: dict[str, Any], _start: object) -> None:
        if environ["PATH_INFO"].endswith("1.crc") and not hasattr(inside, "seen"):
            gate.wait()

    s3.answer = wait_for_others
    done = deltaadm("inspect", "--discover", root, "-o", "jsonl")
    assert [line["table"] for line in done.lines] == [f"{root}/t{n:02d}" for n in range(16)]
    assert {line["version"] for line in done.lines} == {1}


@pytest.mark.parametrize(
    ("key", "unread"), [("x/../y", "x"), ("x//y", "x"), ("b/_delta_log/./y", "b")]
)
def test_a_key_that_is_no_path_costs_a_discovery_its_place_alone(
    s3: S3Server, tmp_path: Path, key: str, unread: str
) -> None:
    for name in ("a", "b"):
        commits(tmp_path / name, 1)
    root = s3.upload(tmp_path, tmp_path.name)
    s3.fill(tmp_path.name, [key])
    lines = deltaadm("inspect", "--discover", root, "-o", "jsonl").lines
    s3.remove(f"{tmp_path.name}/{key}")
    read = {line["table"] for line in lines if "error" not in line}
    assert read == {f"{root}/{name}" for name in {"a", "b"} - {unread}}
    (failed,) = (line["error"] for line in lines if "error" in line)
    assert failed["message"].startswith(f"Cannot list {root}/{unread}")
    assert "Rename or remove the object." in failed["remedy"]


def test_a_checksum_out_of_reach_stops_what_judges_it_alone(s3: S3Server, tmp_path: Path) -> None:
    commits(tmp_path, 3, checksum=True)
    location, denied = s3.upload(tmp_path, tmp_path.name), error("403 Forbidden", "AccessDenied")
    s3.answer = lambda environ, start: (
        denied(environ, start) if environ["PATH_INFO"].endswith(".crc") else None
    )
    said = f"Cannot read {location}/_delta_log/{2:020d}.crc: permission denied."
    for command in ("validate", "repair"):
        done = deltaadm(command, location)
        assert (done.code, done.out, said in done.err) == (4, "", True)
    read = deltaadm("inspect", location, "--files", "-o", "json").document
    assert (read["version"], read["files"]["files"]) == (2, 2)
    assert read["warnings"] == [f"The checksum was ignored: {said}"]


# Commands


@pytest.mark.usefixtures("s3")
def test_every_way_of_looking(ten: str) -> None:
    root = ten.removesuffix("/ten")
    for command in (
        ["inspect", ten, "--version", "3"],
        ["inspect", ten.replace("s3://", "s3a://"), "--files", "--columns"],
        ["inspect", "--discover", root],
        ["validate", ten, "--history", "--ignore", "DL8"],
        ["upgrade-protocol", ten, "--reader", "3", "--writer", "7"],
        ["enable-feature", ten, "deletionVectors"],
        ["set-mapping-mode", ten, "name"],
        ["alter", ten, "--set", "delta.appendOnly=true"],
        ["drop-feature", ten],
    ):
        done = deltaadm(*command)
        assert done.code == 0, (command, done.err)
        assert "error" not in done.err
        assert root.removeprefix("s3") in done.out


def test_data_files_are_looked_for_there(s3: S3Server, tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path), pa.table({"a": [1, 2]}))
    location = s3.upload(tmp_path, "data")
    args = ("validate", location, "--deep", "--cross-check", "--ignore", "DL8")
    assert deltaadm(*args).code == 0
    (data,) = tmp_path.glob("*.parquet")
    import obstore

    obstore.delete(s3.bucket, f"data/{data.name}")
    found = deltaadm(*args)
    assert found.code == 1
    assert "does not exist in storage" in found.out


def test_no_file_outside_the_table_is_asked_for(s3: S3Server, tmp_path: Path) -> None:
    paths = ("s3://lake/other/secret", "/other/secret2", "../other/secret3", "..%2Fother/secret4")
    made = Table(tmp_path)
    made.commit(0, protocol(), metadata(), *map(add, paths))
    location = s3.upload(tmp_path, "outside/t")
    with s3.counted() as requests:
        found = deltaadm("validate", location, "--deep", "-o", "json", "--select", "DL716")
    assert found.out.count("is outside the table") == len(paths)
    assert not [request for request in requests if "secret" in request]


def test_a_checkpoint_is_written_there(s3: S3Server, tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path), pa.table({"a": [1, 2]}))
    location = s3.upload(tmp_path, "checkpointed")
    done = deltaadm("alter", location, "--checkpoint", "--apply", "--yes")
    assert done.code == 0, done.err
    assert "Warning" not in done.err
    assert "There is a checkpoint of version 0." in done.out
    assert deltaadm("validate", location, "--deep", "--ignore", "DL8").code == 0
    import obstore

    names = [
        object_["path"]
        for page in obstore.list(s3.bucket, "checkpointed/_delta_log")
        for object_ in page
    ]
    assert f"checkpointed/_delta_log/{0:020d}.checkpoint.parquet" in names
    assert "checkpointed/_delta_log/_last_checkpoint" in names


@pytest.mark.usefixtures("s3")
def test_doctor_says_what_it_has_tried(ten: str) -> None:
    checks = {
        check["subject"]: check
        for check in deltaadm("doctor", ten, "-o", "json").document["checks"]
    }
    assert "version 9 can be read" in checks[ten]["detail"]
    assert "written" not in checks[ten]["detail"] or "not tried" in checks[ten]["detail"]


# Options


def test_options_come_from_files_and_settings(
    s3: S3Server, ten: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in s3.environment:
        monkeypatch.delenv(name)
    monkeypatch.delenv("DELTAADM_ISOLATED")
    monkeypatch.chdir(tmp_path)
    secrets, settings = tmp_path / "secrets", tmp_path / "deltaadm.toml"
    secrets.write_text(
        f"# of the test\nexport AWS_ACCESS_KEY_ID=x\naws_secret_access_key='{SECRET}'\n"
        "azure_storage_account_name=other\naws_s3_allow_unsafe_rename=true\n"
    )
    settings.write_text(
        '[[storage]]\nprefix = "s3://lake"\naws_region = "us-east-1"\naws_allow_http = true\n'
        f'aws_endpoint_url = "{s3.endpoint}"\n'
        '[[storage]]\nprefix = "s3://lak"\naws_endpoint_url = "http://127.0.0.1:1"\n'
    )
    command = ("inspect", ten, "--storage-options-file", secrets)
    assert deltaadm(*command).code == 2  # a project does not say where credentials go
    monkeypatch.setenv("DELTAADM_CONFIG", str(settings))
    assert deltaadm(*command).code == 0
    assert deltaadm("validate", *command[1:]).code == 0
    refused = deltaadm(*command, "--storage-option", "aws_endpoint_url=http://127.0.0.1:1")
    assert refused.code == 4
    assert "refused" in refused.err
    settings.write_text('[[storage]]\nprefix = "s3://lake"\naws_secret_access_key = "x"\n')
    done = deltaadm(*command)
    assert done.code == 2
    assert "aws_secret_access_key contains a secret, which a settings file" in done.err


@pytest.mark.usefixtures("s3")
@pytest.mark.parametrize(
    "key", ["aws_secret_access_key", "AWS_SESSION_TOKEN", "azure_storage_sas_key"]
)
def test_a_secret_is_refused_on_the_command_line(ten: str, key: str) -> None:
    done = deltaadm("inspect", ten, "--storage-option", f"{key}={SECRET}")
    assert done.code == 7
    assert SECRET not in done.out + done.err


@pytest.mark.usefixtures("s3")
@with_rows
def test_what_is_no_option_is_a_usage_error(ten: str, arguments: list[str]) -> None:
    assert deltaadm("inspect", ten, *arguments).code == 2


def test_an_option_that_is_none_is_a_usage_error_for_local_tables_too(tmp_path: Path) -> None:
    local = table(tmp_path, START_BODY).path
    assert deltaadm("inspect", local).code == 0
    assert deltaadm("inspect", local, "--storage-option", "nonsense").code == 2


# What goes wrong


def failed(done: Result, *words: str) -> None:
    assert done.code == 4, done
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 2
    for word in words:
        assert word in done.err
    for leak in (SECRET, "AKIAIOSFODNN7EXAMPLE", "X-Amz", "Signature=", "<Error>"):
        assert leak not in done.out + done.err


@with_rows
def test_a_refusal_is_a_sentence_with_a_remedy(
    s3: S3Server, ten: str, status: str, code: str, words: list[str]
) -> None:
    s3.answer = error(status, code)
    failed(deltaadm("inspect", ten), *words)
    jsonl = deltaadm("inspect", "--table", ten, "-o", "jsonl")
    assert jsonl.code in {4, 9}
    assert jsonl.lines[0]["error"]["exit_code"] == 4


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_is_not_there() -> None:
    failed(deltaadm("inspect", "s3://no-such-lake/t"), "There is no bucket s3://no-such-lake.")


@pytest.mark.usefixtures("s3")
@with_rows
def test_an_endpoint_that_cannot_be_used(
    ten: str, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: list[str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("SECRET", SECRET))
    failed(deltaadm("inspect", ten), *words)


FILES = {
    "a token of two lines": ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "a\nb", "a line break"),
    "an endless token": ("AWS_WEB_IDENTITY_TOKEN_FILE", "x" * 100_000, "be part of a request"),
    "a key of two lines": ("AWS_SHARED_CREDENTIALS_FILE",
        "[default]\naws_access_key_id=a\n b\naws_secret_access_key=c", "a line break"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_file_from_which_no_request_can_be_made(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """On which obstore would panic, or does."""
    variable, content, words = FILES[case]
    file = tmp_path / "file"
    file.write_text(content)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    if "CONTAINER" in variable:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{s3.endpoint}/credentials")
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/x")
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", s3.endpoint)
    monkeypatch.setenv(variable, str(file))
    failed(deltaadm("inspect", "s3://lake/t"), words)


def test_a_server_without_tls(s3: S3Server, ten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint.replace("http:", "https:"))
    failed(deltaadm("inspect", ten), "TLS")


def test_a_certificate_that_nobody_vouches_for(
    s3: S3Server, ten: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tls_in_front(tmp_path) as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        failed(deltaadm("inspect", ten), "certificate", "SSL_CERT_FILE")
    assert s3.port


@with_rows
def test_no_redirection_is_followed_with_credentials(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, location: str, credentials: dict[str, str]
) -> None:
    for name, value in credentials.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", s3.endpoint)
    monkeypatch.setenv("AZURE_ALLOW_HTTP", "true")
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def redirect(_: Any, start: Any) -> Iterable[bytes]:
        start("307 Temporary Redirect", [("Location", f"http://localhost:{elsewhere.port}/t")])
        return []

    s3.answer = redirect
    with s3_server() as elsewhere, s3.counted() as requests:
        failed(deltaadm("inspect", location), "the store redirects to another host")
    assert requests
    assert elsewhere.requests == []


@pytest.mark.usefixtures("s3")
def test_an_unknown_scheme() -> None:
    failed(deltaadm("inspect", "hdfs://nn/t"), "hdfs://", "--engine spark")


@pytest.mark.usefixtures("s3")
def test_a_name_that_no_bucket_has() -> None:
    failed(deltaadm("inspect", "s3://la ke/t"), "'la ke' is not a valid bucket name", "letters")


def test_an_address_that_is_no_url() -> None:
    failed(deltaadm("inspect", "https://lake:99999/t"), "https://lake:99999/t is not a URL")


def test_nobody_may_write(s3: S3Server, ten: str) -> None:
    denied = error("403 Forbidden", "AccessDenied")
    s3.answer = lambda environ, start: (
        denied(environ, start) if environ["REQUEST_METHOD"] == "PUT" else None
    )
    for change in (("--set", "a=1", "--commit-engine", "embedded"), ("--checkpoint",)):
        done = deltaadm("alter", ten, *change, "--apply", "--yes")
        assert done.code == 4, done
        _, remedy = done.err.splitlines()[-2:]
        assert "permission denied; nothing was committed" in done.err
        assert "s3:PutObject" in remedy


def test_throttling_is_sat_out(s3: S3Server, ten: str) -> None:
    turns = iter([True, True, False])
    throttled = error("503 Slow Down", "SlowDown")

    def answer(environ: dict[str, Any], start: Callable[..., object]) -> Any:
        return throttled(environ, start) if next(turns, False) else None

    s3.answer = answer
    assert deltaadm("inspect", ten).code == 0


def test_a_store_that_goes_on_failing(
    s3: S3Server, ten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry = {"max_retries": 1, "retry_timeout": timedelta(seconds=60)}
    monkeypatch.setattr("deltaadm.storage.object_store._retry", lambda: retry)
    s3.answer = error("500 Internal Server Error", "InternalError")
    failed(deltaadm("inspect", ten), "list request: Server returned", ": 500 Internal")


@pytest.fixture
def hanging(s3: S3Server) -> Iterator[S3Server]:
    """The server, which does not answer until the test ends."""
    over = threading.Event()

    def wait(_environ: object, _start: object) -> None:
        over.wait(900)

    s3.answer = wait
    yield s3
    s3.answer = None
    over.set()


@pytest.mark.parametrize("more", [[], ["--table", "s3://lake/other"]])
def test_a_deadline_ends_what_hangs(hanging: S3Server, more: list[str]) -> None:
    done = process("inspect", "s3://lake/t", *more, "--timeout", "500ms", env=hanging.environment)
    assert "deltaadm doctor" in done.err
    failed(done, "Timed out after")


@pytest.mark.parametrize("more", [[], ["--table", "s3://lake/other"]])
def test_an_interrupt_ends_what_hangs(hanging: S3Server, more: list[str]) -> None:
    asked = len(hanging.requests)
    with subprocess.Popen(
        [sys.executable, "-m", "deltaadm", "inspect", "s3://lake/t", *more],
        env=surroundings(hanging.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        while len(hanging.requests) == asked:
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=600)
    assert program.returncode == 130
    assert "Interrupted" in err


@pytest.mark.usefixtures("s3")
def test_a_plan_knows_no_secret(ten: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    done = deltaadm("alter", ten, "--set", "delta.appendOnly=true", "--out", plan)
    assert done.code == 0
    text = plan.read_text()
    assert json.loads(text)["table"] == ten
    assert SECRET not in text
    assert "AKIA" not in text


def test_a_profile_of_the_cloud_counts(
    s3: S3Server, ten: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    profiles = tmp_path / "credentials"
    profiles.write_text("[team]\naws_access_key_id = ASIATEAM\naws_secret_access_key = x\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(profiles))
    monkeypatch.setenv("AWS_PROFILE", "team")
    seen: list[str] = []
    s3.answer = lambda environ, _start: seen.append(environ["HTTP_AUTHORIZATION"])
    assert deltaadm("inspect", ten).code == 0
    assert all("Credential=ASIATEAM/" in header for header in seen)
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    done = deltaadm("inspect", ten)
    assert (done.code, "There is no AWS profile nobody" in done.err) == (4, True)


# The doctor


def doctors(*arguments: object) -> dict[str, str]:
    """What `doctor` says of the health of a store, by the first word."""
    found = deltaadm("doctor", *arguments, "-o", "json").document["checks"]
    words = ("listing", "clock", "conditional")
    return {
        request["subject"].split()[0]: request["health"]
        for request in found
        if request["subject"].startswith(words)
    }


def test_the_doctor_looks_at_the_store(s3: S3Server, ten: str) -> None:
    assert doctors(ten) == {"listing": "ok", "clock": "ok"}
    with s3.counted() as requests:
        assert doctors(ten, "--write") == {"listing": "ok", "clock": "ok", "conditional": "ok"}
    tried = [request.split()[0] for request in requests if ".deltaadm-doctor-" in request]
    assert tried == ["PUT", "PUT", "GET"], "and removed by a request that has no name in it"
    assert left_by_the_doctor(s3, ten) == []


def left_by_the_doctor(s3: S3Server, table: str) -> list[str]:
    below = table.removeprefix("s3://lake/")
    paths = [meta["path"] for page in obstore.list(s3.bucket, below) for meta in page]
    return [path.rpartition("/")[2] for path in paths if ".deltaadm-doctor-" in path]


def test_what_a_killed_doctor_left_is_removed_by_the_next(s3: S3Server, ten: str) -> None:
    log = f"{ten.removeprefix('s3://lake/')}/_delta_log"
    s3.fill(log, [".deltaadm-doctor-killed"], hours=2)
    s3.fill(log, [".deltaadm-doctor-at-work"])
    s3.fill(log, [".other"], hours=2)
    assert doctors(ten, "--write")["conditional"] == "ok"
    assert left_by_the_doctor(s3, ten) == [".deltaadm-doctor-at-work"]
    assert f"{log}/.other" in [meta["path"] for page in obstore.list(s3.bucket) for meta in page]


def test_the_doctor_finds_what_is_wrong_with_a_store(
    s3: S3Server, ten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.answer = error("403 Forbidden", "AccessDenied")
    assert doctors(ten)["listing"] == "failed"

    def replaces(environ: dict[str, Any], start: Any) -> list[bytes] | None:
        if environ["REQUEST_METHOD"] == "PUT":
            start("200 OK", [("ETag", '"x"')])
            return [b""]
        return None

    s3.answer = replaces
    assert doctors(ten, "--write")["conditional"] == "failed"

    s3.answer = None
    clock = SimpleNamespace(time=lambda: time.time() + 3600)  # not that of the server beside us
    monkeypatch.setattr("deltaadm.cli.commands.config.time", clock)
    assert doctors(ten)["clock"] == "failed"


def test_history_and_records_read_each_commit_once(s3: S3Server, ten: str, tmp_path: Path) -> None:
    with s3.counted() as requests:
        found = deltaadm("history", ten, "-o", "json").document
    assert [entry["version"] for entry in found["entries"]] == [0]
    assert found["last_version"] == 9
    assert len(requests) <= 12
    reference = tmp_path / "reference.json"
    assert deltaadm("record", ten, "--out", reference).code == 0
    assert deltaadm("diff", reference).code == 0
    assert deltaadm("diff", f"{ten}@0").code == 0
    assert deltaadm("inspect", ten, "--why", "appendOnly").code == 0
