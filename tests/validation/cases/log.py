"""DL1xx: the structure of the log."""

import json
from pathlib import Path
from typing import Any

from tests.support.rule_cases import breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    commit_info,
    deletion_vector,
    domain,
    draft,
    drafted,
    metadata,
    protocol,
    remove,
    table,
    txn,
)
from tests.support.tables import commit as body

INFO = commit_info()
START = (INFO, protocol(), metadata())
STATE = START[1:]
ENABLED = {"delta.enableInCommitTimestamps": "true"}
TIMED = protocol(1, 7, None, ["inCommitTimestamp"])
MINUTE = 60_000


@drafted
def start(path: Path, commits: int = 1) -> Table:
    """A table with that many harmless commits."""
    made = table(path, body(*START))
    for version in range(1, commits):
        made.commit(version, INFO, add(f"f{version}"))
    return made


@drafted
def timed(path: Path, *times: int | None) -> Table:
    """A table with in-commit timestamps; None for a commit without one."""
    infos = [INFO if time is None else commit_info(inCommitTimestamp=time) for time in times]
    first, *rest = infos
    return table(path, body(first, TIMED, metadata(ENABLED)), *map(body, rest))


@drafted
def checkpointed(path: Path, version: int = 1) -> Table:
    """A table with a checkpoint, which `_last_checkpoint` names."""
    made = start(version + 1)(path)
    made.checkpoint(version, [*STATE, *(add(f"f{number}") for number in range(1, version + 1))])
    made.last_checkpoint(version)
    return made


@breaks("DL100")
def there_is_no_log(path: Path) -> None:
    (path / "data.parquet").write_bytes(b"PAR1")


respects("DL100 DL101", "another rule names the cause", start().commit(2, INFO))

breaks("DL101", "a commit is missing", start(2).commit(3, INFO, add("b")))


@breaks("DL101 DL106")
def the_commits_after_the_checkpoint_begin_too_late(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, [*STATE, add("a")])
    made.last_checkpoint(2)
    made.commit(4, INFO, add("b"))


breaks("DL101 DL105", "a commit is there twice",
    start(2).write("000000000000000000001.json", body(INFO)))


@respects("DL101")
def a_commit_is_missing_below_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.commit(0, *START)
    made.checkpoint(2, [*STATE, add("a")])
    made.last_checkpoint(2)
    made.commit(2, INFO, add("a"))
    made.commit(3, INFO, add("b"))


@respects("DL101")
def the_log_begins_at_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, [*STATE, add("a")])
    made.last_checkpoint(2)
    made.commit(2, INFO, add("a"))
    made.commit(3, INFO, add("b"))


@breaks("DL102")
def the_first_commit_is_missing(path: Path) -> None:
    made = Table(path)
    made.commit(1, *START)


@breaks("DL102")
def there_is_no_commit_at_all(path: Path) -> None:
    Table(path).crc(0, [])


@respects("DL102")
def the_first_commit_is_missing_but_a_checkpoint_is_there(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, STATE)
    made.last_checkpoint(1)
    made.commit(1, INFO)


respects("DL102 DL101", "the first commit is there and the second missing", start().commit(2, INFO))

breaks("DL103", "a line is not json", draft(body(*START) + b"{broken\n", body(INFO)))
breaks("DL103", "a line is a list",
    draft(body(*START) + b'[{"txn":{"appId":"a","version":1}}]\n', body(INFO)))
breaks("DL103", "a line has two actions", draft(body(*START, txn("a", 1) | domain("b"))))
breaks("DL103", "an action has a text where a number belongs",
    draft(body(*START), body(INFO, add("a", "x"))))
breaks("DL103", "an action has a text where true or false belongs",
    draft(body(*START), body(INFO, add("a", dataChange="true"))))
breaks("DL103", "a line has no action", draft(body(*START, {}), body(INFO)))
breaks("DL103", "the newest commit has a broken line before its last",
    draft(body(*START), b"{broken\n" + body(INFO)))
respects("DL103", "lines are blank or have nulls beside their action",
    draft(body(*START, txn("a", 1) | {"add": None}) + b"\n  \n", body(INFO)))


@breaks("DL103")
@respects("DL104 DL103")
def a_commit_is_pretty_printed(path: Path) -> None:
    made = start()(path)
    lines = [json.dumps(action, indent=2) for action in (INFO, add("f"))]
    made.write(f"{1:020d}.json", "\n".join(lines).encode())


breaks("DL104 DL103", "the newest commit is pretty printed and cut off",
    start().write(f"{1:020d}.json", json.dumps(add("f"), indent=2).removesuffix("}").encode()))
breaks("DL104", "the newest commit is empty", start().write(f"{1:020d}.json", b""))
breaks("DL104", "the newest commit is cut off",
    start().write(f"{1:020d}.json", body(INFO, add("a"))[:-9]))
respects("DL104", "an older commit is empty", draft(body(*START), b"", body(INFO)))
respects("DL104 DL103", "an older commit is cut off",
    draft(body(*START), body(INFO, add("a"))[:-9], body(INFO)))
respects("DL104", "the newest commit lacks the last line break",
    start().write(f"{1:020d}.json", body(INFO, add("a"))[:-1]))

breaks("DL105", "a version has too few digits", start().write("1.json", body(INFO)))


@breaks("DL105")
def a_part_has_too_few_digits(path: Path) -> None:
    made = start(2)(path)
    for part in made.multipart(1, [*STATE, add("f1")]):
        part.rename(made.log / part.name.replace(".0000", "."))
    made.last_checkpoint(1)


breaks("DL105", "a compacted file has too few digits",
    start(3).write(f"{1:020d}.2.compacted.json", body(add("f1"), add("f2"))))
respects("DL105", "all kinds of names are padded", start(3).multipart(1, [*STATE, add("f1")])
    .last_checkpoint(1).compacted(1, 2, add("f1"), add("f2")).write(f".{0:020d}.json.crc", b"\x00"))


@breaks("DL106")
def a_checkpoint_is_all_there_is(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, STATE)
    made.last_checkpoint(2)


@breaks("DL106")
def the_checkpoints_commit_was_cleaned_up(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, STATE)
    made.last_checkpoint(2)
    made.commit(3, INFO)


@respects("DL106")
def commits_begin_with_that_of_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, STATE)
    made.last_checkpoint(2)
    made.commit(2, INFO)


@breaks("DL107")
def nothing_points_to_the_checkpoint(path: Path) -> None:
    (checkpointed()(path).log / "_last_checkpoint").unlink()


respects("DL107", "there is no checkpoint to point to", start(3))
respects("DL107", "the checkpoint is pointed to", checkpointed())


@breaks("DL108")
def the_checkpoint_was_deleted(path: Path) -> None:
    made = checkpointed()(path)
    (made.log / f"{1:020d}.checkpoint.parquet").unlink()


@breaks("DL108 DL601")
def the_checkpoint_lacks_a_part(path: Path) -> None:
    made = start(2)(path)
    made.multipart(1, [*STATE, add("f1")])[1].unlink()
    made.last_checkpoint(1)


respects("DL108", "all parts of the checkpoint are there",
    start(2).multipart(1, [*STATE, add("f1")]).last_checkpoint(1))

breaks("DL109", "a newer checkpoint is not pointed to",
    checkpointed(2).checkpoint(1, [*STATE, add("f1")]).last_checkpoint(1))
respects("DL109", "the newest of two checkpoints is pointed to",
    checkpointed(2).checkpoint(1, [*STATE, add("f1")]))


@respects("DL109 DL601")
def the_newer_checkpoint_is_incomplete(path: Path) -> None:
    made = checkpointed()(path)
    made.commit(2, INFO)
    made.multipart(2, [*STATE, add("f1")])[0].unlink()


breaks("DL110", "the pointer is empty", checkpointed().write("_last_checkpoint", b""))
breaks("DL110", "the pointer names no version",
    checkpointed().write("_last_checkpoint", '{"size":1}'))
breaks("DL110", "the pointer has a key twice",
    checkpointed().write("_last_checkpoint", '{"version":1,"version":1,"size":1}'))
breaks("DL110", "the pointer has no size",
    checkpointed().write("_last_checkpoint", '{"version":1}'))
respects("DL110", "the pointer has fields from the future",
    checkpointed().write("_last_checkpoint", '{"version":1,"size":3,"novel":{"version":1}}'))

breaks("DL111", "the pointer was edited", checkpointed().write("_last_checkpoint",
    '{"version":1,"size":3,"checksum":"6a92d155a59bf2eecbd4b4ec7fd1f875"}'))
respects("DL111", "the pointers checksum fits", checkpointed().write("_last_checkpoint",
    '{"version":1,"size":3,"checksum":"2d1c4a67e48423945dbe5ddb010b2c9e"}'))

breaks("DL112", "a commit has two protocols", draft(body(*START, protocol(1, 1))))
breaks("DL112", "a commit has two metadata actions", draft(body(*START, metadata())))
respects("DL112", "two commits have a protocol each",
    draft(body(*START), body(INFO, protocol(1, 3))))

breaks("DL113", "the first commit lacks the protocol", draft(body(INFO, metadata())))
breaks("DL113", "the first commit lacks metadata that a later one has",
    draft(body(INFO, protocol()), body(INFO, metadata())))
breaks("DL113 DL301", "the first commit has metadata without id",
    draft(body(INFO, protocol(), metadata(id=...))))
respects("DL113", "a later commit lacks both", draft(body(*START), body(INFO)))

breaks("DL114", "a commit adds a file twice", draft(body(*START, add("a"), add("a"))))
breaks("DL114", "a commit removes a file twice",
    draft(body(*START, add("%c3%a9")), body(INFO, remove("%c3%a9"), remove("%C3%A9"))))
breaks("DL114", "a commit adds and removes a file",
    draft(body(*START, add("a")), body(INFO, add("a"), remove("a"))))
respects("DL114", "a commit adds and removes different files",
    draft(body(*START, add("a")), body(INFO, add("b"), remove("a"))))
respects("DL114", "a commit gives a file another deletion vector",
    draft(body(INFO, protocol(3, 7, ["deletionVectors"], ["deletionVectors"]),
        metadata({"delta.enableDeletionVectors": "true"}), add("a", stats='{"numRecords":5}')),
        body(INFO, remove("a"), add("a", stats='{"numRecords":5,"tightBounds":false}',
        deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^")))))

breaks("DL115", "a commit has two transactions of an application",
    draft(body(*START, txn("x", 1), txn("x", 2))))
respects("DL115", "a commit has transactions of two applications",
    draft(body(*START, txn("x", 1), txn("y", 1))))


DOMAINS = protocol(1, 7, None, ["domainMetadata"])


breaks("DL116", "a commit has a domain twice",
    draft(body(INFO, DOMAINS, metadata(), domain("x", "1"), domain("x", removed=True))))
respects("DL116", "a commit has two domains",
    draft(body(INFO, DOMAINS, metadata(), domain("x"), domain("y"))))

breaks("DL117", "a commit has a sidecar",
    draft(body(*START,
        {"sidecar": {"path": "a.parquet", "sizeInBytes": 1, "modificationTime": 1}})))
breaks("DL117", "a commit has checkpoint metadata",
    draft(body(*START, {"checkpointMetadata": {"version": 0}})))
respects("DL117", "a commit has null for a sidecar",
    draft(body(*START, txn("x", 1) | {"sidecar": None})))

breaks("DL118", "a compacted file ends before it starts", start(3).compacted(2, 2, add("f2")))
breaks("DL118", "a compacted file goes beyond the newest commit",
    start(3).compacted(1, 3, add("f1"), add("f2")))
breaks("DL118", "a compacted file cannot be read",
    start(3).write(f"{1:020d}.{2:020d}.compacted.json", b"{broken\n"))
breaks("DL118", "a compacted file that nobody needs cannot be read",
    start(3).write(f"{1:020d}.{2:020d}.compacted.json", b"{broken\n")
        .checkpoint(2, [*STATE, add("f1"), add("f2")]).last_checkpoint(2), depth="deep")
breaks("DL118", "a compacted file that the newest version is built from lacks a file",
    start(3).compacted(1, 2, add("f2")))
respects("DL118", "a compacted file that nothing is built from lacks a file", start(3)
    .compacted(1, 2, add("f2")).checkpoint(2, [*STATE, add("f1"), add("f2")]).last_checkpoint(2))
breaks("DL118", "a compacted file lacks a file", start(3).compacted(1, 2, add("f2")), depth="deep")
breaks("DL118", "a compacted file has another protocol",
    start(3).compacted(0, 2, protocol(1, 1), metadata(), add("f1"), add("f2")), depth="deep")
breaks("DL118", "a compacted file has an older transaction", start().commit(1, INFO, txn("x", 1))
    .commit(2, INFO, txn("x", 2)).compacted(1, 2, txn("x", 1)), depth="deep")
breaks("DL118", "a compacted file lost a tombstone", start(2).commit(2, INFO, remove("f1"))
    .commit(3, INFO, add("f3")).compacted(2, 3, remove("f1"), add("f1")), depth="deep")
respects("DL118", "a compacted file says what its commits say",
    start(3).commit(3, INFO, remove("f1")).compacted(1, 3, add("f2"), remove("f1")), depth="deep")
respects("DL118", "a compacted file forgot what came and went",
    start(3).commit(3, INFO, remove("f1")).compacted(1, 3, add("f2")), depth="deep")

breaks("DL119", "a hundred and one commits have no checkpoint",
    draft(body(*START), *[body(INFO)] * 100))


@breaks("DL119")
def commits_exceed_ten_times_the_tables_own_interval(path: Path) -> None:
    few = metadata({"delta.checkpointInterval": "1"})
    made = table(path, body(INFO, protocol(), few))
    for version in range(1, 12):
        made.commit(version, INFO)
    made.checkpoint(0, [protocol(), few])
    made.last_checkpoint(0)


respects("DL119", "a hundred commits have no checkpoint", draft(body(*START), *[body(INFO)] * 99))


@respects("DL119")
def the_tables_own_interval_is_long(path: Path) -> None:
    rare = metadata({"delta.checkpointInterval": "100"})
    made = table(path, body(INFO, protocol(), rare))
    for version in range(1, 120):
        made.commit(version, INFO)


STAGED = "_staged_commits/00000000000000000001.3f1b7c1e-0d1a-4b7e-9c8e-1d2f3a4b5c6d.json"


breaks("DL120", "staged commits are left over", start().write(STAGED, body(INFO)))


@respects("DL120")
def staged_commits_belong_to_a_catalog(path: Path) -> None:
    names = ["catalogManaged", "vacuumProtocolCheck"]
    info = commit_info(inCommitTimestamp=5, txnId="t")
    both = protocol(3, 7, names, [*names, "inCommitTimestamp"])
    table(path, body(info, both, metadata(ENABLED))).write(STAGED, body(INFO))


breaks("DL121", "a commit has an unknown action", draft(body(*START, {"adds": {"path": "x"}})))
respects("DL121", "a commit has every harmless action", draft(body(*START, txn("x", 1), add("a"))))

breaks("DL122", "a stray file lies in the log", start().write(f"{1:020d}.json.tmp", body(INFO)))
respects("DL122", "hadoop left a checksum of a local file",
    start().write(f".{0:020d}.json.crc", b"\x00"))

breaks("DL123", "a commit has no timestamp of its own", timed(5, None))
breaks("DL123", "a commit info comes too late",
    timed(5).commit(1, add("a"), commit_info(inCommitTimestamp=6)))
breaks("DL123", "a commit has no commit info where it must", timed(5).commit(1, add("a")))
respects("DL123", "commits before timestamps were enabled have none",
    draft(body(INFO, protocol(1, 1), metadata()), body(commit_info(inCommitTimestamp=6), TIMED,
        metadata(ENABLED | {"delta.inCommitTimestampEnablementVersion": "1",
        "delta.inCommitTimestampEnablementTimestamp": "6"}))))
respects("DL123 DL217", "in commit timestamps are supported but off",
    draft(body(INFO, TIMED, metadata(dict.fromkeys(ENABLED, "false"))), body(INFO)))

breaks("DL124", "a timestamp repeats", timed(5, 5))
respects("DL124", "timestamps increase by one", timed(5, 6, 7))
respects("DL124 DL217", "timestamps were disabled",
    timed(5).commit(1, commit_info(inCommitTimestamp=6), metadata())
        .commit(2, commit_info(inCommitTimestamp=3, timestamp=2)))

breaks("DL125", "a commits own time goes back by more than a minute",
    draft(body(commit_info(timestamp=1 + MINUTE + 1), *STATE), body(INFO)))


@breaks("DL125")
def a_files_time_goes_back_by_more_than_a_minute(path: Path) -> None:
    made = Table(path)
    made.commit(0, *START, modified=1_700_000_060_001)
    made.commit(1, INFO, modified=1_700_000_000_000)


@respects("DL125")
def times_go_back_by_a_minute(path: Path) -> None:
    made = Table(path)
    made.commit(0, commit_info(timestamp=1 + MINUTE), *STATE, modified=1_700_000_060_000)
    made.commit(1, INFO, modified=1_700_000_000_000)


respects("DL125", "times go back but in commit timestamps count",
    timed(5, 6).commit(0, commit_info(inCommitTimestamp=5, timestamp=1 + 2 * MINUTE), TIMED,
        metadata(ENABLED), modified=1_900_000_000_000))


CATALOG = protocol(
    3,
    7,
    ["catalogManaged", "vacuumProtocolCheck"],
    ["catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"],
)


breaks("DL126", "a catalogs commit has no transaction id",
    draft(body(commit_info(inCommitTimestamp=5), CATALOG, metadata(ENABLED))))
respects("DL126", "a catalogs commit has its transaction id",
    draft(body(commit_info(inCommitTimestamp=5, txnId="6a9f"), CATALOG, metadata(ENABLED))))
respects("DL126", "no catalog asks for a transaction id", start())

breaks("DL127", "a commit says nothing about itself", start().commit(1, add("a")))
respects("DL127", "a commit info comes last", start().commit(1, add("a"), INFO))


def counted(operation: str, **metrics: Any) -> Action:
    return commit_info(
        operation=operation,
        engineInfo="Apache-Spark/4.2.0 Delta-Lake/4.4.0",
        operationMetrics=metrics,
    )


THREE_ROWS = {"stats": '{"numRecords":3}'}


breaks("DL128", "a delete lost its add",
    start(2).commit(2, counted("DELETE", numAddedFiles="1", numRemovedFiles="1"), remove("f1")))
breaks("DL128", "a delete lost its remove",
    start(2).commit(2, counted("DELETE", numAddedFiles="1", numRemovedFiles="1"), add("g")))
breaks("DL128", "a write lost one of two files",
    start().commit(1, counted("WRITE", numFiles="2", numOutputRows="6"), add("a", **THREE_ROWS)))
breaks("DL128", "a write lost all its files",
    start().commit(1, counted("WRITE", numFiles="2", numOutputRows="6")))
respects("DL128", "a write had an empty file that delta does not commit",
    start().commit(1, counted("WRITE", numFiles="2", numOutputRows="3"), add("a", **THREE_ROWS)))
respects("DL128", "a write whose files do not tell their rows",
    start().commit(1, counted("WRITE", numOutputRows="6"), add("a", **THREE_ROWS), add("b")))


@respects("DL128")
def a_replace_where_copied_rows(path: Path) -> None:
    info = counted("WRITE", numOutputRows="1")
    info["commitInfo"]["operationParameters"] = {"predicate": '["(id > 1)"]'}
    start(2)(path).commit(2, info, remove("f1"), add("a", **THREE_ROWS))


@respects("DL128")
def an_engine_counts_in_its_own_way(path: Path) -> None:
    info = counted("DELETE", numAddedFiles="7")
    info["commitInfo"]["engineInfo"] = "Trino-480"
    start()(path).commit(1, info, add("a"))


respects("DL128", "a clone copies no files",
    start().commit(1, counted("CLONE", numCopiedFiles="0", numRemovedFiles="3"), add("a")))


@respects("DL128 DL717")
def delta_rs_counts_change_files(path: Path) -> None:
    info = counted("DELETE", num_added_files=2, num_removed_files=1)
    info["commitInfo"]["engineInfo"] = "delta-rs:py-1.6.6"
    change = {"cdc": {"path": "c", "partitionValues": {}, "size": 1, "dataChange": False}}
    start(2)(path).commit(2, info, remove("f1"), add("g"), change)


# What nearly is one of two things, or both


@breaks("DL101")
def a_commit_is_missing_right_after_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, STATE)
    made.last_checkpoint(2)
    made.commit(2, INFO)
    made.commit(4, INFO)


breaks("DL103 DL104", "the newest commit is broken in the middle and at the end",
    draft(body(*START), b"{broken\n" + body(INFO, add("a"))[:-9]))

respects("DL109 DL108", "the pointer names a checkpoint that was cleaned up",
    checkpointed(2).last_checkpoint(1))

breaks("DL110", "the pointer has true for a size",
    checkpointed().write("_last_checkpoint", '{"version":1,"size":true}'))

respects("DL111 DL110", "the pointer has a key twice and a checksum",
    checkpointed().write("_last_checkpoint", '{"version":1,"size":3,"size":3,"checksum":"x"}'))

respects("DL113 DL103", "the first commits protocol cannot be decoded",
    draft(body(INFO, {"protocol": {"minReaderVersion": "1", "minWriterVersion": 2}}, metadata())))

breaks("DL119 DL310", "a hundred and one commits of a table with an impossible interval",
    draft(body(INFO, protocol(), metadata({"delta.checkpointInterval": "-5"})),
        *[body(INFO)] * 100))
respects("DL119 DL310", "a few commits of a table with an impossible interval",
    draft(body(INFO, protocol(), metadata({"delta.checkpointInterval": "0"})), *[body(INFO)] * 5))


@respects("DL119")
def commits_reach_ten_times_the_tables_own_interval(path: Path) -> None:
    few = metadata({"delta.checkpointInterval": "1"})
    made = table(path, body(INFO, protocol(), few), *[body(INFO)] * 10)
    made.checkpoint(0, [protocol(), few])
    made.last_checkpoint(0)


respects("DL120 DL101", "staged commits belong to a table of unknown protocol",
    start().commit(2, INFO).write(STAGED, body(INFO)))

respects("DL123 DL212", "timestamps are asked for but not supported",
    draft(body(INFO, protocol(), metadata(ENABLED))))


@respects("DL124")
def the_commit_before_is_in_the_checkpoint_only(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, [TIMED, metadata(ENABLED)])
    made.commit(1, commit_info(inCommitTimestamp=5))
    made.commit(2, commit_info(inCommitTimestamp=6))
    made.last_checkpoint(1)


respects("DL124 DL123", "a timestamp follows none", timed(5, None, 6))

respects("DL127 DL103", "a commit without commit info has a broken line",
    draft(body(*START), b"{broken\n" + body(add("a")), body(INFO)))

breaks("DL101", "many commits are missing", start(2).commit(5, INFO))


@breaks("DL114")
def a_commit_removes_a_vector_twice(path: Path) -> None:
    names = ["deletionVectors"]
    first = protocol(3, 7, names, names), metadata({"delta.enableDeletionVectors": "true"})
    gone = remove("a", deletionVector=deletion_vector("v"))
    table(path, body(INFO, *first), body(INFO, gone, gone))


@breaks("DL103")
def a_directory_has_the_name_of_the_next_commit(path: Path) -> None:
    (start()(path).log / f"{1:020d}.json").mkdir()


@breaks("DL110")
def the_pointer_is_a_link_to_a_device(path: Path) -> None:
    (start()(path).log / "_last_checkpoint").symlink_to("/dev/null")


breaks("DL103", "an older protocol does not fit together",
    draft(body(INFO, protocol(1, 2, None, ["appendOnly"]), metadata()), body(INFO, protocol())))


@breaks("DL103")
def a_file_is_added_without_a_path(path: Path) -> None:
    made = add("a")
    del made["add"]["path"]
    table(path, body(INFO, protocol(), metadata(), made))
