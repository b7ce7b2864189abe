"""Profiles of Amazon's command line."""

from pathlib import Path

import pytest

from deltaadm.errors import StorageError
from deltaadm.storage.object_store import profile_options
from tests.support.rows import with_rows

KEYS = {"aws_access_key_id": "A", "aws_secret_access_key": "S"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    files = tmp_path / ".aws"
    files.mkdir()
    (files / "credentials").write_text(
        "[default]\naws_access_key_id = A\naws_secret_access_key = S\n"
        "[team]\naws_access_key_id = T\naws_secret_access_key = S\naws_session_token = X\n"
    )
    (files / "config").write_text(
        "[default]\nregion = eu-west-1\ns3 =\n    max_concurrent_requests = 20\n"
        "[profile team]\nregion = us-west-2\nendpoint_url = http://127.0.0.1:9\n"
        "[profile sso]\nsso_session = x\nregion = us-east-2\n"
    )
    return tmp_path


@with_rows
def test_what_a_profile_adds(
    home: Path, environ: dict[str, str], given: tuple[str, ...], expected: dict[str, str]
) -> None:
    assert profile_options({"HOME": str(home), **environ}, given, credentials=True) == expected


def test_credentials_that_are_not_wanted_stay_where_they_are(home: Path) -> None:
    found = profile_options({"HOME": str(home)}, (), credentials=False)
    assert found == {"aws_region": "eu-west-1"}


@pytest.mark.parametrize(
    ("name", "words"), [("none", "There is no AWS profile none"), ("sso", "another program")]
)
def test_a_profile_that_is_named_must_be_of_use(home: Path, name: str, words: str) -> None:
    with pytest.raises(StorageError, match=words):
        profile_options({"HOME": str(home), "AWS_PROFILE": name}, (), credentials=True)


def test_nothing_is_said_of_files_that_are_not_there(tmp_path: Path) -> None:
    assert profile_options({"HOME": str(tmp_path)}, (), credentials=True) == {}


def test_a_file_that_is_no_profile(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("what is this")
    environ = {"HOME": str(tmp_path), "AWS_CONFIG_FILE": str(tmp_path / "config")}
    with pytest.raises(StorageError, match="cannot be read"):
        profile_options(environ, (), credentials=True)
