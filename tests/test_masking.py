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


def test_fields_that_delta_does_not_know_are_masked_as_properties(tmp_path: Path) -> None:
    content = metadata()
    unknown = {"connection": [{**SECRETS, **ORDINARY}], "token": SECRET, "count": 1}
    content["metaData"] |= unknown
    made = tables.table(tmp_path / "t", commit(protocol(1, 2), content))
    shown = deltaadm("inspect", made.path, "-o", "json").document["metadata"]
    (connection,) = shown["connection"]
    assert SECRET not in json.dumps(shown)
    assert {key: connection[key] for key in ORDINARY} == ORDINARY
    assert shown["count"] == 1
    # What is masked in a saved plan stays in the table.
    file = tmp_path / "plan.json"
    deltaadm("alter", made.path, "--set", "a=b", "--out", str(file))
    assert SECRET not in file.read_text("utf-8")
    assert deltaadm("apply", str(file), "--commit-engine", "embedded", "--yes").code == 0
    stored = [json.loads(line) for line in (made.log / f"{1:020d}.json").read_text().splitlines()]
    assert [action["metaData"]["connection"] for action in stored if "metaData" in action] == [
        unknown["connection"]
    ]


@pytest.mark.parametrize("depth", range(12))
@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
def test_documents_within_documents(depth: int, separators: tuple[str, str]) -> None:
    document: dict[str, object] = {"password": SECRET, "a": 1}
    for _ in range(depth):
        within = json.dumps(document, separators=separators)
        document = {"b": 2, "v": within, "c": "x"}
    text = json.dumps(document, separators=separators)
    shown = masked(text)
    assert SECRET not in shown
    assert shown.endswith(text[-6:])


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
