"""Commits that are torn, empty or not JSON, and data files that are missing."""

import json
import os
import re
import shlex
import time
from pathlib import Path

import boto3
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.cases import each
from tests.support.program import deltaadm
from tests.support.s3 import BUCKET, s3_server
from tests.support.tables import Table, add, commit, commit_info, metadata, protocol, table

BEFORE = [commit(commit_info(), protocol(), metadata(), add("f0")),
    *[commit(commit_info(), add(f"f{version}")) for version in range(1, 4)]]  # fmt: skip
WHOLE = commit(commit_info(), add("x", stats='{"numRecords":1}'), add("y"))


def aged(made: Table) -> Table:
    """The same, with files that nobody is writing any more."""
    old = time.time() - 3600
    for file in made.log.glob("*"):
        os.utime(file, (old, old))
    return made


def files(path: Path) -> list[str]:
    return sorted(Path(uri).name for uri in DeltaTable(path).file_uris())


TORN = {
    # the newest commit, and what is said of the files that it names
    "empty": (b"", "names none."),
    "blank": (b" \n", "names none."),
    "cut off": (WHOLE[:-9], "names x."),
    "cut off in its first line": (WHOLE[:20], "names none."),
    "not json": (b"<html>503</html>", "names none."),
    "blocks of zeros": (bytes(512), "names none."),
    "a broken line among others": (b"{broken\n" + WHOLE, "names x, y."),
    "a line separator in a path": (
        '{"add":{"path":"a\u2028b"}}\n'.encode() + WHOLE[:-9],
        "names a\u2028b, x.",
    ),
    "an add that is none": (b'{"add":null}\n{"add":[1]}\n' + WHOLE[:-9], "names x."),
}


@each("body, said", TORN)
def test_a_newest_commit_that_is_torn(body: bytes, said: str, tmp_path: Path) -> None:
    made = table(tmp_path / "t", *BEFORE, body)
    young = deltaadm("repair", made.path, "--apply", "--yes")
    assert (young.code, "a writer may still be at work" in young.out) == (7, True)
    aged(made).crc(4, [protocol(), metadata()])
    noted = made.write(f".{4:020d}.json.crc", "of Hadoop, which fails to read any other file")
    aged(made)
    report = deltaadm("validate", made.path)
    # Delta takes an empty one for one without actions.
    assert report.code == (3 if body.strip() else 1)
    assert "deltaadm repair " in report.out, report.out
    done = deltaadm("repair", made.path, "--apply", "--yes", "-o", "json")
    assert done.code == 0, done.err
    [repair] = [each for each in done.document["repairs"] if each["kind"] == "commit"]
    assert "Version 4 becomes free again" in repair["effect"]
    assert said in repair["effect"]
    assert repair["unproved"][0].endswith("that it has a checksum speaks against it")
    assert files(made.path) == ["f0", "f1", "f2", "f3"]
    kept = tmp_path / "t" / done.document["outcome"]["journal"]
    assert (kept.parent / f"{4:020d}.json").read_bytes() == body
    assert not (made.log / f"{4:020d}.crc").exists()
    # Whoever commits next gets the version, and nothing stands in the way.
    added = deltaadm("alter", made.path, "--set", "team=web", "--apply", "--yes",
        "--commit-engine", "embedded")  # fmt: skip
    assert added.code == 0, added.err
    assert (DeltaTable(made.path).version(), noted.exists()) == (4, False)
    assert deltaadm("repair", made.path, "--check").code == 0


def test_what_was_moved_aside_comes_back(tmp_path: Path) -> None:
    made = aged(table(tmp_path / "t", *BEFORE, b"{torn"))
    before = {file.name: file.read_bytes() for file in made.log.glob("*")}
    done = deltaadm("repair", made.path, "--apply", "--yes", "-o", "json")
    journal = done.document["outcome"]["journal"]
    assert deltaadm("repair", made.path, "--undo", journal, "--apply", "--yes").code == 0
    assert {file.name: file.read_bytes() for file in made.log.glob("*")} == before


def test_several_newest_commits_are_moved_aside_one_by_one(tmp_path: Path) -> None:
    made = aged(table(tmp_path / "t", *BEFORE, b"", b"{"))
    assert deltaadm("repair", made.path, "--apply", "--yes").code == 0
    assert DeltaTable(made.path).version() == 3


INFO = commit_info()
REFUSED = {
    # the commits, further files of the log, and what is said
    "one in the middle": ([*BEFORE[:2], b"{torn", *BEFORE[3:]], {},
        ["later versions, up to 3, build upon", "Versions up to 1 can still be read",
            "earlier version of the object"]),
    "an empty one in the middle": ([*BEFORE[:2], b"", *BEFORE[3:]], {},
        ["later versions, up to 3, build upon", "Restore 00000000000000000002.json"]),
    "one in the middle that an incomplete checkpoint covers": ([*BEFORE[:2], b"{torn", *BEFORE[3:]],
        {f"{3:020d}.checkpoint.{1:010d}.{2:010d}.parquet": b"PAR1"},
        [f"part of {3:020d}.checkpoint.{1:010d}.{2:010d}.parquet"]),
    "one that is missing": ([*BEFORE[:2], None, *BEFORE[3:]], {},
        ["Version 2 has no commit", "Restore 00000000000000000002.json"]),
    "a pretty-printed one": ([*BEFORE, json.dumps(add("f"), indent=1).encode()], {},
        ["all of its JSON is there", "jq -c"]),
    "one with a value of another type": ([*BEFORE, commit(INFO, add("f", "large"))], {},
        ["all of its JSON is there"]),
}  # fmt: skip


@each("commits, more, said", REFUSED)
def test_commits_that_cannot_be_brought_back(
    commits: list[bytes | None], more: dict[str, bytes], said: list[str], tmp_path: Path
) -> None:
    made = table(tmp_path / "t", *[body or b"" for body in commits])
    for version, body in enumerate(commits):
        if body is None:
            (made.log / f"{version:020d}.json").unlink()
    for name, body in more.items():
        made.write(name, body)
    before = {file.name: file.read_bytes() for file in aged(made).log.glob("*")}
    done = deltaadm("repair", made.path, "--apply", "--yes")
    assert done.code == 7, done.out + done.err
    assert all(text in " ".join(done.out.split()) for text in said), done.out
    assert {file.name: file.read_bytes() for file in made.log.glob("*")} == before


def test_an_earlier_version_of_the_object_is_brought_back_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(tmp_path / "a table", *BEFORE)
    key = f"a table/_delta_log/{2:020d}.json"
    with s3_server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=server.endpoint, region_name="us-east-1")
        on = {"Status": "Enabled"}
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration=on)
        place = server.upload(made.path, "a table")
        client.put_object(Bucket=BUCKET, Key=key, Body=b"{torn")
        given = ["repair", place, "--older-than", "0", "--apply", "--yes", "-o", "json"]
        refused = deltaadm(*given)
        assert refused.code == 7, refused.err
        remedy = refused.document["repairs"][0]["remedy"]
        commands = [shlex.split(text) for text in re.findall("`(aws [^`]*)`", remedy)]
        assert [command[2] for command in commands] == ["list-object-versions", "copy-object"]
        listing, copying = (dict(zip(of[3::2], of[4::2], strict=True)) for of in commands)
        found = client.list_object_versions(Bucket=listing["--bucket"], Prefix=listing["--prefix"])[
            "Versions"
        ]
        (earlier,) = (each["VersionId"] for each in found if not each["IsLatest"])
        source = copying["--copy-source"].removesuffix("ID") + earlier
        client.copy_object(Bucket=copying["--bucket"], Key=copying["--key"], CopySource=source)
        assert client.get_object(Bucket=BUCKET, Key=key)["Body"].read() == BEFORE[2]
        assert deltaadm(*given).code == 0


def test_a_compacted_file_stands_in_for_a_commit(tmp_path: Path) -> None:
    made = table(tmp_path / "t", *BEFORE[:2], b"{torn", *BEFORE[3:])
    made.compacted(1, 2, add("f1"), add("f2"))
    done = deltaadm("repair", aged(made).path, "--apply", "--yes")
    assert done.code == 0, done.out + done.err
    assert files(made.path) == ["f0", "f1", "f2", "f3"]


def test_a_compacted_file_across_a_checkpoint_that_is_to_be_made_is_none(tmp_path: Path) -> None:
    made = table(tmp_path / "t", *BEFORE[:3], b"{torn", BEFORE[3])
    made.compacted(2, 3, add("f2"), add("f3"))
    made.checkpoint(2, [protocol(), metadata({"a": "b"}), *[add(f"f{of}") for of in range(3)]])
    before = {file.name: file.read_bytes() for file in aged(made).log.glob("*")}
    planned = deltaadm("repair", made.path)
    done = deltaadm("repair", made.path, "--apply", "--yes")
    assert (planned.code, done.code) == (7, 7), done.err
    assert "It still cannot be loaded after these repairs" in planned.out
    assert {file.name: file.read_bytes() for file in made.log.glob("*")} == before


def test_a_newest_commit_that_a_compacted_file_has_is_still_to_be_restored(tmp_path: Path) -> None:
    made = table(tmp_path / "t", *BEFORE[:3], b"{torn")
    made.compacted(2, 3, add("f2"), add("f3"))
    for _ in range(2):  # before there is a checkpoint, and after
        done = deltaadm("repair", aged(made).path, "--apply", "--yes")
        assert (done.code, "must not be without its commit" in done.out) == (7, True), done.out
    assert files(made.path) == ["f0", "f1", "f2", "f3"]


@each(
    "commits, more, said",
    {
        "emptied": ([*BEFORE[:2], b"", BEFORE[3]], {}, "version 2: the commit is empty"),
        "replaced": ([*BEFORE[:2], BEFORE[1], BEFORE[3]], {}, "it is a copy of version"),
        "without a line": (
            [*BEFORE[:2], commit(commit_info()), BEFORE[3]],
            {"numFiles": 3, "tableSizeBytes": 300},
            "the checksum of version 2 agrees with it",
        ),
    },
)
def test_a_compacted_file_beside_a_damaged_commit_stays(
    commits: list[bytes], more: dict[str, int], said: str, tmp_path: Path
) -> None:
    made = table(tmp_path / "t", *commits)
    made.compacted(1, 2, add("f1"), add("f2"))
    if more:
        made.crc(2, [protocol(), metadata()], **more)
    before = {file.name: file.read_bytes() for file in aged(made).log.glob("*")}
    done = deltaadm("repair", made.path, "--apply", "--yes")
    assert (done.code, said in " ".join(done.out.split())) == (7, True), done.out
    assert {file.name: file.read_bytes() for file in made.log.glob("*")} == before


def test_a_compacted_file_with_other_row_ids_is_moved_aside(tmp_path: Path) -> None:
    made = table(tmp_path / "t", *BEFORE[:3])
    made.compacted(1, 2, add("f1", baseRowId=7), add("f2"))
    made.write(f"{1:020d}.checkpoint.parquet", "without which readers go by the compacted file")
    assert "they differ in file f1" in deltaadm("validate", aged(made).path).out
    done = deltaadm("repair", made.path, "--apply", "--yes")
    assert (done.code, "are as they were written" in done.out) == (0, True), done.out


def test_a_checksum_that_agrees_with_a_compacted_file_stays(tmp_path: Path) -> None:
    told = [{"txn": {"appId": "app", "version": version}} for version in (2, 3)]
    made = table(tmp_path / "t", *BEFORE[:2], commit(commit_info(), told[0]))
    made.checkpoint(1, [protocol(), metadata(), add("f0"), add("f1")])
    made.compacted(1, 2, add("f1"), told[1])
    stated = {"setTransactions": [told[1]["txn"]]}
    made.crc(2, [protocol(), metadata()], numFiles=2, tableSizeBytes=200, **stated)
    for _ in range(2):
        done = deltaadm("repair", aged(made).path, "--apply", "--yes")
        shown = " ".join(done.out.split())
        assert (done.code, "a compacted file agrees with it" in shown) == (7, True), done.out


def test_a_checkpoint_that_cannot_be_written_is_not_planned(tmp_path: Path) -> None:
    start = commit(commit_info(), protocol(1, 7, None, ["fromTheFuture"]), metadata(), add("f0"))
    made = table(tmp_path / "t", start, BEFORE[1], b"{torn", BEFORE[3])
    made.compacted(1, 2, add("f1"), add("f2"))
    (made.log / f"{3:020d}.crc").write_text("{}")
    done = deltaadm("repair", aged(made).path, "--apply", "--yes", "-o", "json")
    assert (done.code, done.document["outcome"]["proved"]) == (7, True), done.out + done.err
    wrong, checksum = done.document["repairs"]
    assert "fromTheFuture" in wrong["refusal"]
    assert not checksum["refusal"]


# Data files


def test_a_schema_that_is_no_text_is_named(tmp_path: Path) -> None:
    of = protocol(2, 7, ["deletionVectors"], ["deletionVectors"])  # which is wrong as well
    made = aged(table(tmp_path / "t", commit(of, metadata(schemaString=1.5)), commit()))
    done = deltaadm("repair", made.path)
    assert (done.code, "schemaString is 1.5" in done.out) == (7, True), done.out + done.err


@pytest.fixture
def lacking(tmp_path: Path) -> Path:
    """A table of three files, each of one version, without the second."""
    path = tmp_path / "t"
    for number in range(3):
        data = pa.table({"a": pa.array(range(10 * number, 10 * number + 10), pa.int64())})
        write_deltalake(path, data, mode="append")
        if number == 1:
            newest = max(path.glob("*.parquet"), key=lambda file: file.stat().st_mtime_ns)
    newest.unlink()
    return path


def test_missing_data_files_are_removed(lacking: Path) -> None:
    report = deltaadm("validate", lacking, "--deep")
    assert "--remove-missing-files" in report.out
    assert deltaadm("repair", lacking, "--check").code == 0
    command = ["repair", lacking, "--remove-missing-files"]
    planned = deltaadm(*command)
    shown = " ".join(planned.out.split())
    for text in ("1 of 3 live files", "at least 10 rows are lost",
                 "a version that needs none of them: `deltaadm history TABLE --restorable`",
                 "Streams that read the table stop at version 3"):  # fmt: skip
        assert text in shown, planned.out
    for consent in ([], ["--accept-lost-files", "2"]):
        refused = deltaadm(*command, "--apply", "--yes", *consent)
        assert (refused.code, "--accept-lost-files 1" in refused.err) == (7, True)
    done = deltaadm(*command, "--apply", "--yes", "--accept-lost-files", "1")
    assert (done.code, "the rows that were in the missing files" in done.out) == (0, True)
    rows = DeltaTable(lacking).to_pyarrow_table()["a"].to_pylist()
    assert sorted(rows) == [*range(10), *range(20, 30)]
    last = json.loads(max((lacking / "_delta_log").glob("*.json")).read_text().splitlines()[-1])
    assert (last["remove"]["dataChange"], last["remove"]["extendedFileMetadata"]) == (True, True)
    assert deltaadm(*command, "--check").code == 0


def test_the_change_data_feed_is_said_to_break(lacking: Path) -> None:
    on = ["alter", lacking, "--set", "delta.enableChangeDataFeed=true", "--apply", "--yes"]
    assert deltaadm(*on, "--commit-engine", "embedded").code == 0
    planned = deltaadm("repair", lacking, "--remove-missing-files")
    assert "change data feed cannot be read across version 4" in " ".join(planned.out.split())


def test_a_path_that_is_no_text_is_not_in_the_storage(lacking: Path) -> None:
    Table(lacking).commit(3, commit_info(), add([1]))
    planned = deltaadm("repair", lacking, "--remove-missing-files")
    assert (planned.code, "2 of 4 live files" in planned.out) == (0, True), planned.err


def test_what_is_missing_altogether_is_elsewhere(lacking: Path) -> None:
    for file in lacking.glob("*.parquet"):
        file.unlink()
    done = deltaadm("repair", lacking, "--remove-missing-files", "--apply", "--yes")
    assert (done.code, "more likely the wrong one" in done.out) == (7, True), done.out


def test_an_append_only_table_keeps_its_files(lacking: Path) -> None:
    on = ["alter", lacking, "--set", "delta.appendOnly=true", "--apply", "--yes"]
    assert deltaadm(*on, "--commit-engine", "embedded").code == 0
    done = deltaadm("repair", lacking, "--remove-missing-files")
    assert (done.code, "delta.appendOnly is true" in done.out) == (7, True), done.out
