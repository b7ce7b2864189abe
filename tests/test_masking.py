"""Secrets in sentences: masked wherever a value ends, and paths left as they are."""

import pytest

from deltaadm.masking import masked_pairs

MASKED = {
    "my.secret=ab/cd": "my.secret=***",
    "secret=a/b/c": "secret=***",
    "aws_secret_access_key=a/b+c==": "aws_secret_access_key=***",
    "my.secret.key = ab/cd, and more": "my.secret.key = ***, and more",
    "(my.secret=ab/cd).": "(my.secret=***).",
    "my.secret=ab/cd.e/f": "my.secret=***",
    "got 'my.secret'=ab/cd; stop": "got 'my.secret'=***; stop",
    "password=abc": "password=***",
}
PATHS = (
    "token=abc/part-0.parquet",
    "/data/token=abc/day=1",
    "data/token=a/b",
    "token=abc/day=1/",
    "token=abc/",
    "token=abc/_delta_log/00000000000000000000.json",
    "my.secret=true",
)


@pytest.mark.parametrize(("text", "expected"), MASKED.items())
def test_a_secret_is_masked_with_its_slashes(text: str, expected: str) -> None:
    assert masked_pairs(text) == expected


@pytest.mark.parametrize("path", PATHS)
def test_the_path_of_a_partition_is_none(path: str) -> None:
    assert masked_pairs(path) == path
    assert masked_pairs(f"The file {path} is missing.") == f"The file {path} is missing."
