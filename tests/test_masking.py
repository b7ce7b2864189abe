"""Secrets in sentences: masked wherever a value ends, and paths left as they are."""

import json
from pathlib import Path

import pytest

from deltaadm.masking import masked
from tests.support import tables
from tests.support.program import deltaadm, process
from tests.support.rows import with_rows
from tests.support.tables import commit, metadata, protocol

MASKED = {
    "my.secret=ab/cd": "my.secret=***", "secret=a/b/c": "secret=***",
    "aws_secret_access_key=a/b+c==": "aws_secret_access_key=***",
    "my.secret.key = ab/cd, and more": "my.secret.key = ***, and more",
    "(my.secret=ab/cd).": "(my.secret=***).", "my.secret=ab/cd.e/f": "my.secret=***",
    "got 'my.secret'=ab/cd; stop": "got 'my.secret'=***; stop", "password=abc": "password=***",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MASKED.items())
def test_a_secret_is_masked_with_its_slashes(text: str, expected: str) -> None:
    assert masked(text) == expected


@with_rows
def test_the_path_of_a_partition_is_none(path: str) -> None:
    assert masked(path) == path
    assert masked(f"The file {path} is missing.") == f"The file {path} is missing."


SECRET = "Zq3vKx81LmPw07Tt"  # noqa: S105
KINDS = json.loads((Path(__file__).parent / "data/secrets.json").read_text("utf-8"))
SECRETS = {key: value.replace("SECRET", SECRET) for key, value in KINDS["secrets"].items()}
SECRETS["long"] = f"https://me:{SECRET * 100}@host/x"
ORDINARY = KINDS["ordinary"]


def test_kinds_of_secrets_are_masked_and_nothing_else(tmp_path: Path) -> None:
    configuration = metadata({**SECRETS, **ORDINARY})
    table = tables.table(tmp_path / "t", commit(protocol(1, 2), configuration))
    values = deltaadm("inspect", table.path, "-o", "json").document["metadata"]["configuration"]
    assert [key for key in SECRETS if SECRET in values[key] or values[key] == SECRETS[key]] == []
    assert {key: values[key] for key in ORDINARY} == ORDINARY


@pytest.mark.slow
def test_no_text_takes_long(tmp_path: Path) -> None:
    """Where a pattern is quadratic, this takes hours; the time limit is that of a hang."""
    units = [
        ":/", "://a:", "eyJ", "{}", "}", "a", "key", "=", "&sig", "'a", "AccountKey=", "password",
        "a.b-", "%3A://", "github_pat_", '\\"a\\":',
    ]  # fmt: skip
    texts = [unit * (1_000_000 // len(unit)) + "@" for unit in units]
    for text in texts:
        masked(text)
    properties = {
        f"my.{key}.{at}": text for at, text in enumerate(texts) for key in ("key", "password")
    }
    table = tables.table(tmp_path / "t", commit(protocol(1, 2), metadata(properties)))
    assert process("inspect", table.path, "--timeout", "5min").code == 0
