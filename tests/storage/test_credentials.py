"""Credentials that are given for some time."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from deltaadm.errors import StorageError
from deltaadm.storage.object_store import Connections, RenewedCredentials, TemporaryCredentials
from tests.support.s3 import BUCKET, S3Server, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


def given(seconds: float, number: int = 1) -> TemporaryCredentials:
    options = {
        "aws_access_key_id": f"ASIA{number}",
        "aws_secret_access_key": "x",
        "aws_session_token": f"session{number}",
    }
    return TemporaryCredentials(options, round((time.time() + seconds) * 1000))


def connections(s3: S3Server, credentials: RenewedCredentials) -> Connections:
    options = {"endpoint": s3.endpoint, "allow_http": "true", "region": "us-east-1"}
    return Connections(lambda _: options, lambda _: credentials)


def test_they_are_asked_for_again_only_when_it_is_time(s3: S3Server) -> None:
    asked: list[TemporaryCredentials] = []
    seen: list[str] = []

    def ask() -> TemporaryCredentials:
        asked.append(given(3600, len(asked) + 2))
        return asked[-1]

    def note(environ: dict[str, Any], _start: object) -> None:
        seen.append(environ["HTTP_X_AMZ_SECURITY_TOKEN"])

    s3.answer = note
    credentials = RenewedCredentials(ask, given(0))
    bucket = connections(s3, credentials).bucket(f"s3://{BUCKET}/t")
    for _ in range(3):
        assert bucket.head("t/nothing").result() is None
    assert (len(asked), set(seen)) == (1, {"session2"})
    assert bucket.options.items() >= given(0, 2).options.items()
    s3.answer = None


def test_why_they_are_not_renewed_is_the_error(s3: S3Server) -> None:
    def ask() -> TemporaryCredentials:
        raise StorageError("The catalog denies access.", remedy="Ask for it.")

    bucket = connections(s3, RenewedCredentials(ask, given(0))).bucket(f"s3://{BUCKET}/t")
    with pytest.raises(StorageError, match="The catalog denies access") as raised:
        bucket.head("t/nothing").result()
    assert raised.value.remedy == "Ask for it."


def test_where_there_are_none_any_more_the_last_ones_are_left_to_the_store(s3: S3Server) -> None:
    asked: list[None] = []
    bucket = connections(s3, RenewedCredentials(lambda: asked.append(None), given(0)))
    for _ in range(3):
        assert bucket.bucket(f"s3://{BUCKET}/t").head("t/nothing").result() is None
    assert len(asked) == 1
