"""Choosing the files of a version, told with names alone."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.snapshot import (
    FileInfo,
    Kind,
    LogFile,
    LogListing,
    commit_name,
    listing_prefix,
)
from deltaadm.errors import TableError
from tests.support.rows import with_rows

UUID = "3a0d65cd-4056-49b8-937b-95f9e3ee90e5"
V = "00000000000000000010"


@with_rows
def test_names(name: str, kind: str, numbers: list[int | None]) -> None:
    file = LogFile.of(FileInfo(name))
    assert file.kind is Kind[kind]
    assert [file.version, file.end, file.part, file.parts] == numbers
    assert file.path == name


def test_every_kind_but_unknown_has_a_name() -> None:
    assert commit_name(10) == f"{V}.json"
    assert listing_prefix(10) == f"{V}."


def log(text: str) -> LogListing:
    """A listing from words: `3` a commit, `3c` checkpoint, `3p1/2` part, `3v` V2, `3-5` compacted.

    `3x` is a checksum, `3e` an empty checkpoint.
    """
    return listing([_info(word) for word in text.split()])


def listing(files: Iterable[FileInfo]) -> LogListing:
    return LogListing.of("/t", {file.path: file for file in files})


def _info(word: str) -> FileInfo:
    if "-" in word:
        first, last = word.split("-")
        return FileInfo(f"{int(first):020d}.{int(last):020d}.compacted.json", 1)
    if "p" in word:
        version, _, parts = word.partition("p")
        part, of = parts.split("/")
        name = f"{int(version):020d}.checkpoint.{int(part):010d}.{int(of):010d}.parquet"
        return FileInfo(name, 1)
    endings = {
        "c": "checkpoint.parquet",
        "e": "checkpoint.parquet",
        "v": f"checkpoint.{UUID}.json",
        "x": "crc",
    }
    letter = word[-1]
    version = int(word.rstrip("cevx"))
    size = 0 if letter == "e" else 1
    return FileInfo(f"{version:020d}.{endings.get(letter, 'json')}", size, version * 1000)


@with_rows
def test_segments(listed: str, version: int | None, chosen: list[Any]) -> None:
    segment = log(listed).segment(version)
    checkpoint = segment.checkpoint
    files = None if checkpoint is None else " ".join(str(file.version) for file in checkpoint.files)
    commits = " ".join(str(commit.version) for commit in segment.commits)
    assert [segment.version, files, commits] == chosen


@pytest.mark.parametrize(("listed", "kind"), [
    ("0 0c 0p1/1 0v", Kind.V2_CHECKPOINT),
    ("0 0c 0p1/1", Kind.MULTIPART),
    ("0 0c", Kind.CHECKPOINT),
])  # fmt: skip
def test_preferred_format(listed: str, kind: Kind) -> None:
    checkpoint = log(listed).segment().checkpoint
    assert checkpoint is not None
    assert checkpoint.kind is kind


def test_a_name_may_claim_any_number_of_parts() -> None:
    found = log("0 0p1/9999999999")
    assert not found.checkpoints
    assert len(found.incomplete_checkpoints) == 1


@with_rows
def test_no_segment(listed: str, version: int | None, error: str | None) -> None:
    with pytest.raises(TableError) as caught:
        log(listed).segment(version)
    assert caught.value.delta_error_class == error
    assert caught.value.remedy


def test_messages_name_what_is_missing() -> None:
    with pytest.raises(TableError, match="commit 4 follows commit 2"):
        log("0 1 2 4").segment()
    with pytest.raises(TableError, match="commit 2 is missing and the checkpoint ends at 1"):
        log("1c 3").segment()
    with pytest.raises(TableError, match="no version 9: 1 to 3 are available"):
        log("1c 1 2 3").segment(9)


@with_rows
def test_compactions(listed: str, version: int | None, deltas: str) -> None:
    segment = log(listed).segment(version)
    found = [
        str(delta.version) if delta.end is None else f"{delta.version}-{delta.end}"
        for delta in segment.deltas
    ]
    assert " ".join(found) == deltas


def test_same_version_twice_is_no_order() -> None:
    files = [FileInfo(commit_name(0), 1), FileInfo(commit_name(1), 1), FileInfo("1.json", 1)]
    with pytest.raises(TableError) as caught:
        listing(files).segment()
    assert caught.value.delta_error_class == "DELTA_VERSIONS_NOT_CONTIGUOUS"


def test_names_before_the_start_of_a_listing_are_not_seen() -> None:
    files = [FileInfo("0.json", 1), FileInfo(commit_name(0), 1)]
    assert listing(files).segment().version == 0


def test_checksum_of_the_version_only() -> None:
    assert log("0 1 0x").segment().crc is None
    crc = log("0 1 0x 1x").segment().crc
    assert crc is not None
    assert crc.version == 1


def test_last_commit_gives_the_time() -> None:
    assert log("0 1 2 2c").segment().last_commit.info.modified == 2000
    assert log("0 1 2 2c").segment(1).last_commit.info.modified == 1000


def test_checkpoints_can_be_left_out() -> None:
    segment = log("0 1 2 1c 2c").segment(before=2)
    assert segment.checkpoint is not None
    assert segment.checkpoint.version == 1
    assert log("0 1 2 1c 2c").segment(before=1).checkpoint is None


@with_rows
def test_recreatable_versions(listed: str, span: list[int] | None) -> None:
    assert log(listed).recreatable_versions == (span and tuple(span))


DIGITS = st.text("0123456789", min_size=1, max_size=21)
NUMBERS = st.integers(0, 12) | st.sampled_from([10**19, 10**20 - 1])
VERSIONS = NUMBERS.map("{:020d}".format) | NUMBERS.map("{:021d}".format) | DIGITS
ODDITIES = st.text("0٣ _+.jsoncr\n", min_size=20, max_size=20)
ENDINGS = st.sampled_from(
    ["json", "crc", "checkpoint.parquet", "json.tmp", f"checkpoint.{UUID}.json", "json\n"]
)
NAMES = st.builds("{}.{}".format, VERSIONS | ODDITIES, ENDINGS)


@given(st.sets(NAMES, max_size=30), st.integers(0, 12))
def test_files_by_kind_and_version(names: set[str], version: int) -> None:
    """What is told of many names at once is what is told of each."""
    found = listing(map(FileInfo, names))
    assert [file.path for file in found.named(names)] == sorted(names)
    for kind in Kind:
        files = found.of_kind(kind)
        assert list(files.names) == sorted(name for name in names if Kind.of(name) is kind)
        if kind in {Kind.COMMIT, Kind.CRC}:
            assert list(files.versions) == [file.version for file in files]
            assert list(files.after(version)) == [file for file in files if file.version > version]
            assert list(files.until(version)) == [file for file in files if file.version <= version]
