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


def start(path: Path, commits: int = 1) -> Table:
    """A table with that many harmless commits."""
    made = table(path, body(*START))
    for version in range(1, commits):
        made.commit(version, INFO, add(f"f{version}"))
    return made


def timed(path: Path, *times: int | None) -> Table:
    """A table with in-commit timestamps; None for a commit without one."""
    infos = [INFO if time is None else commit_info(inCommitTimestamp=time) for time in times]
    first, *rest = infos
    return table(path, body(first, TIMED, metadata(ENABLED)), *map(body, rest))


def checkpointed(path: Path, version: int = 1) -> Table:
    """A table with a checkpoint, which `_last_checkpoint` names."""
    made = start(path, version + 1)
    made.checkpoint(version, [*STATE, *(add(f"f{number}") for number in range(1, version + 1))])
    made.last_checkpoint(version)
    return made


@breaks("DL100")
def there_is_no_log(path: Path) -> None:
    (path / "data.parquet").write_bytes(b"PAR1")


@respects("DL100", "DL101")
def another_rule_names_the_cause(path: Path) -> None:
    start(path).commit(2, INFO)


@breaks("DL101")
def a_commit_is_missing(path: Path) -> None:
    made = start(path, 2)
    made.commit(3, INFO, add("b"))


@breaks("DL101", "DL106")
def the_commits_after_the_checkpoint_begin_too_late(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, [*STATE, add("a")])
    made.last_checkpoint(2)
    made.commit(4, INFO, add("b"))


@breaks("DL101", "DL105")
def a_commit_is_there_twice(path: Path) -> None:
    made = start(path, 2)
    made.write("000000000000000000001.json", body(INFO))


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


@respects("DL102", "DL101")
def the_first_commit_is_there_and_the_second_missing(path: Path) -> None:
    made = start(path)
    made.commit(2, INFO)


@breaks("DL103")
def a_line_is_not_json(path: Path) -> None:
    table(path, body(*START) + b"{broken\n", body(INFO))


@breaks("DL103")
def a_line_is_a_list(path: Path) -> None:
    table(path, body(*START) + b'[{"txn":{"appId":"a","version":1}}]\n', body(INFO))


@breaks("DL103")
def a_line_has_two_actions(path: Path) -> None:
    table(path, body(*START, txn("a", 1) | domain("b")))


@breaks("DL103")
def an_action_has_a_text_where_a_number_belongs(path: Path) -> None:
    table(path, body(*START), body(INFO, add("a", "x")))


@breaks("DL103")
def an_action_has_a_text_where_true_or_false_belongs(path: Path) -> None:
    table(path, body(*START), body(INFO, add("a", dataChange="true")))


@breaks("DL103")
def a_line_has_no_action(path: Path) -> None:
    table(path, body(*START, {}), body(INFO))


@breaks("DL103")
def the_newest_commit_has_a_broken_line_before_its_last(path: Path) -> None:
    table(path, body(*START), b"{broken\n" + body(INFO))


@respects("DL103")
def lines_are_blank_or_have_nulls_beside_their_action(path: Path) -> None:
    table(path, body(*START, txn("a", 1) | {"add": None}) + b"\n  \n", body(INFO))


@breaks("DL103")
@respects("DL104", "DL103")
def a_commit_is_pretty_printed(path: Path) -> None:
    made = start(path)
    lines = [json.dumps(action, indent=2) for action in (INFO, add("f"))]
    made.write(f"{1:020d}.json", "\n".join(lines).encode())


@breaks("DL104", "DL103")
def the_newest_commit_is_pretty_printed_and_cut_off(path: Path) -> None:
    made = start(path)
    text = json.dumps(add("f"), indent=2)
    made.write(f"{1:020d}.json", text.removesuffix("}").encode())


@breaks("DL104")
def the_newest_commit_is_empty(path: Path) -> None:
    start(path).write(f"{1:020d}.json", b"")


@breaks("DL104")
def the_newest_commit_is_cut_off(path: Path) -> None:
    start(path).write(f"{1:020d}.json", body(INFO, add("a"))[:-9])


@respects("DL104")
def an_older_commit_is_empty(path: Path) -> None:
    table(path, body(*START), b"", body(INFO))


@respects("DL104", "DL103")
def an_older_commit_is_cut_off(path: Path) -> None:
    table(path, body(*START), body(INFO, add("a"))[:-9], body(INFO))


@respects("DL104")
def the_newest_commit_lacks_the_last_line_break(path: Path) -> None:
    start(path).write(f"{1:020d}.json", body(INFO, add("a"))[:-1])


@breaks("DL105")
def a_version_has_too_few_digits(path: Path) -> None:
    start(path).write("1.json", body(INFO))


@breaks("DL105")
def a_part_has_too_few_digits(path: Path) -> None:
    made = start(path, 2)
    for part in made.multipart(1, [*STATE, add("f1")]):
        part.rename(made.log / part.name.replace(".0000", "."))
    made.last_checkpoint(1)


@breaks("DL105")
def a_compacted_file_has_too_few_digits(path: Path) -> None:
    made = start(path, 3)
    made.write(f"{1:020d}.2.compacted.json", body(add("f1"), add("f2")))


@respects("DL105")
def all_kinds_of_names_are_padded(path: Path) -> None:
    made = start(path, 3)
    made.multipart(1, [*STATE, add("f1")])
    made.last_checkpoint(1)
    made.compacted(1, 2, add("f1"), add("f2"))
    made.write(f".{0:020d}.json.crc", b"\x00")


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
    (checkpointed(path).log / "_last_checkpoint").unlink()


@respects("DL107")
def there_is_no_checkpoint_to_point_to(path: Path) -> None:
    start(path, 3)


@respects("DL107")
def the_checkpoint_is_pointed_to(path: Path) -> None:
    checkpointed(path)


@breaks("DL108")
def the_checkpoint_was_deleted(path: Path) -> None:
    made = checkpointed(path)
    (made.log / f"{1:020d}.checkpoint.parquet").unlink()


@breaks("DL108", "DL601")
def the_checkpoint_lacks_a_part(path: Path) -> None:
    made = start(path, 2)
    made.multipart(1, [*STATE, add("f1")])[1].unlink()
    made.last_checkpoint(1)


@respects("DL108")
def all_parts_of_the_checkpoint_are_there(path: Path) -> None:
    made = start(path, 2)
    made.multipart(1, [*STATE, add("f1")])
    made.last_checkpoint(1)


@breaks("DL109")
def a_newer_checkpoint_is_not_pointed_to(path: Path) -> None:
    made = checkpointed(path, 2)
    made.checkpoint(1, [*STATE, add("f1")])
    made.last_checkpoint(1)


@respects("DL109")
def the_newest_of_two_checkpoints_is_pointed_to(path: Path) -> None:
    made = checkpointed(path, 2)
    made.checkpoint(1, [*STATE, add("f1")])


@respects("DL109", "DL601")
def the_newer_checkpoint_is_incomplete(path: Path) -> None:
    made = checkpointed(path)
    made.commit(2, INFO)
    made.multipart(2, [*STATE, add("f1")])[0].unlink()


@breaks("DL110")
def the_pointer_is_empty(path: Path) -> None:
    checkpointed(path).write("_last_checkpoint", b"")


@breaks("DL110")
def the_pointer_names_no_version(path: Path) -> None:
    checkpointed(path).write("_last_checkpoint", '{"size":1}')


@breaks("DL110")
def the_pointer_has_a_key_twice(path: Path) -> None:
    checkpointed(path).write("_last_checkpoint", '{"version":1,"version":1,"size":1}')


@breaks("DL110")
def the_pointer_has_no_size(path: Path) -> None:
    checkpointed(path).write("_last_checkpoint", '{"version":1}')


@respects("DL110")
def the_pointer_has_fields_from_the_future(path: Path) -> None:
    text = '{"version":1,"size":3,"novel":{"version":1}}'
    checkpointed(path).write("_last_checkpoint", text)


@breaks("DL111")
def the_pointer_was_edited(path: Path) -> None:
    text = '{"version":1,"size":3,"checksum":"6a92d155a59bf2eecbd4b4ec7fd1f875"}'
    checkpointed(path).write("_last_checkpoint", text)


@respects("DL111")
def the_pointers_checksum_fits(path: Path) -> None:
    text = '{"version":1,"size":3,"checksum":"2d1c4a67e48423945dbe5ddb010b2c9e"}'
    checkpointed(path).write("_last_checkpoint", text)


@breaks("DL112")
def a_commit_has_two_protocols(path: Path) -> None:
    table(path, body(*START, protocol(1, 1)))


@breaks("DL112")
def a_commit_has_two_metadata_actions(path: Path) -> None:
    table(path, body(*START, metadata()))


@respects("DL112")
def two_commits_have_a_protocol_each(path: Path) -> None:
    table(path, body(*START), body(INFO, protocol(1, 3)))


@breaks("DL113")
def the_first_commit_lacks_the_protocol(path: Path) -> None:
    table(path, body(INFO, metadata()))


@breaks("DL113")
def the_first_commit_lacks_metadata_that_a_later_one_has(path: Path) -> None:
    table(path, body(INFO, protocol()), body(INFO, metadata()))


@breaks("DL113", "DL301")
def the_first_commit_has_metadata_without_id(path: Path) -> None:
    table(path, body(INFO, protocol(), metadata(id=...)))


@respects("DL113")
def a_later_commit_lacks_both(path: Path) -> None:
    table(path, body(*START), body(INFO))


@breaks("DL114")
def a_commit_adds_a_file_twice(path: Path) -> None:
    table(path, body(*START, add("a"), add("a")))


@breaks("DL114")
def a_commit_removes_a_file_twice(path: Path) -> None:
    table(path, body(*START, add("%c3%a9")), body(INFO, remove("%c3%a9"), remove("%C3%A9")))


@breaks("DL114")
def a_commit_adds_and_removes_a_file(path: Path) -> None:
    table(path, body(*START, add("a")), body(INFO, add("a"), remove("a")))


@respects("DL114")
def a_commit_adds_and_removes_different_files(path: Path) -> None:
    table(path, body(*START, add("a")), body(INFO, add("b"), remove("a")))


@respects("DL114")
def a_commit_gives_a_file_another_deletion_vector(path: Path) -> None:
    names = ["deletionVectors"]
    switched = {"delta.enableDeletionVectors": "true"}
    records = '{"numRecords":5,"tightBounds":false}'
    vector = deletion_vector("ab^-aqEH.-t@S}K{vb[*k^")
    table(
        path,
        body(
            INFO,
            protocol(3, 7, names, names),
            metadata(switched),
            add("a", stats='{"numRecords":5}'),
        ),
        body(INFO, remove("a"), add("a", stats=records, deletionVector=vector)),
    )


@breaks("DL115")
def a_commit_has_two_transactions_of_an_application(path: Path) -> None:
    table(path, body(*START, txn("x", 1), txn("x", 2)))


@respects("DL115")
def a_commit_has_transactions_of_two_applications(path: Path) -> None:
    table(path, body(*START, txn("x", 1), txn("y", 1)))


DOMAINS = protocol(1, 7, None, ["domainMetadata"])


@breaks("DL116")
def a_commit_has_a_domain_twice(path: Path) -> None:
    table(path, body(INFO, DOMAINS, metadata(), domain("x", "1"), domain("x", removed=True)))


@respects("DL116")
def a_commit_has_two_domains(path: Path) -> None:
    table(path, body(INFO, DOMAINS, metadata(), domain("x"), domain("y")))


@breaks("DL117")
def a_commit_has_a_sidecar(path: Path) -> None:
    side = {"sidecar": {"path": "a.parquet", "sizeInBytes": 1, "modificationTime": 1}}
    table(path, body(*START, side))


@breaks("DL117")
def a_commit_has_checkpoint_metadata(path: Path) -> None:
    table(path, body(*START, {"checkpointMetadata": {"version": 0}}))


@respects("DL117")
def a_commit_has_null_for_a_sidecar(path: Path) -> None:
    table(path, body(*START, txn("x", 1) | {"sidecar": None}))


@breaks("DL118")
def a_compacted_file_ends_before_it_starts(path: Path) -> None:
    start(path, 3).compacted(2, 2, add("f2"))


@breaks("DL118")
def a_compacted_file_goes_beyond_the_newest_commit(path: Path) -> None:
    start(path, 3).compacted(1, 3, add("f1"), add("f2"))


@breaks("DL118")
def a_compacted_file_cannot_be_read(path: Path) -> None:
    start(path, 3).write(f"{1:020d}.{2:020d}.compacted.json", b"{broken\n")


@breaks("DL118", depth="deep")
def a_compacted_file_that_nobody_needs_cannot_be_read(path: Path) -> None:
    made = start(path, 3)
    made.write(f"{1:020d}.{2:020d}.compacted.json", b"{broken\n")
    made.checkpoint(2, [*STATE, add("f1"), add("f2")])
    made.last_checkpoint(2)


@breaks("DL118")
def a_compacted_file_that_the_newest_version_is_built_from_lacks_a_file(path: Path) -> None:
    start(path, 3).compacted(1, 2, add("f2"))


@respects("DL118")
def a_compacted_file_that_nothing_is_built_from_lacks_a_file(path: Path) -> None:
    made = start(path, 3)
    made.compacted(1, 2, add("f2"))
    made.checkpoint(2, [*STATE, add("f1"), add("f2")])
    made.last_checkpoint(2)


@breaks("DL118", depth="deep")
def a_compacted_file_lacks_a_file(path: Path) -> None:
    start(path, 3).compacted(1, 2, add("f2"))


@breaks("DL118", depth="deep")
def a_compacted_file_has_another_protocol(path: Path) -> None:
    start(path, 3).compacted(0, 2, protocol(1, 1), metadata(), add("f1"), add("f2"))


@breaks("DL118", depth="deep")
def a_compacted_file_has_an_older_transaction(path: Path) -> None:
    made = start(path)
    made.commit(1, INFO, txn("x", 1))
    made.commit(2, INFO, txn("x", 2))
    made.compacted(1, 2, txn("x", 1))


@breaks("DL118", depth="deep")
def a_compacted_file_lost_a_tombstone(path: Path) -> None:
    made = start(path, 2)
    made.commit(2, INFO, remove("f1"))
    made.commit(3, INFO, add("f3"))
    made.compacted(2, 3, remove("f1"), add("f1"))


@respects("DL118", depth="deep")
def a_compacted_file_says_what_its_commits_say(path: Path) -> None:
    made = start(path, 3)
    made.commit(3, INFO, remove("f1"))
    made.compacted(1, 3, add("f2"), remove("f1"))


@respects("DL118", depth="deep")
def a_compacted_file_forgot_what_came_and_went(path: Path) -> None:
    made = start(path, 3)
    made.commit(3, INFO, remove("f1"))
    made.compacted(1, 3, add("f2"))


@breaks("DL119")
def a_hundred_and_one_commits_have_no_checkpoint(path: Path) -> None:
    table(path, body(*START), *[body(INFO)] * 100)


@breaks("DL119")
def commits_exceed_ten_times_the_tables_own_interval(path: Path) -> None:
    few = metadata({"delta.checkpointInterval": "1"})
    made = table(path, body(INFO, protocol(), few))
    for version in range(1, 12):
        made.commit(version, INFO)
    made.checkpoint(0, [protocol(), few])
    made.last_checkpoint(0)


@respects("DL119")
def a_hundred_commits_have_no_checkpoint(path: Path) -> None:
    table(path, body(*START), *[body(INFO)] * 99)


@respects("DL119")
def the_tables_own_interval_is_long(path: Path) -> None:
    rare = metadata({"delta.checkpointInterval": "100"})
    made = table(path, body(INFO, protocol(), rare))
    for version in range(1, 120):
        made.commit(version, INFO)


STAGED = "_staged_commits/00000000000000000001.3f1b7c1e-0d1a-4b7e-9c8e-1d2f3a4b5c6d.json"


@breaks("DL120")
def staged_commits_are_left_over(path: Path) -> None:
    start(path).write(STAGED, body(INFO))


@respects("DL120")
def staged_commits_belong_to_a_catalog(path: Path) -> None:
    names = ["catalogManaged", "vacuumProtocolCheck"]
    info = commit_info(inCommitTimestamp=5, txnId="t")
    both = protocol(3, 7, names, [*names, "inCommitTimestamp"])
    table(path, body(info, both, metadata(ENABLED))).write(STAGED, body(INFO))


@breaks("DL121")
def a_commit_has_an_unknown_action(path: Path) -> None:
    table(path, body(*START, {"adds": {"path": "x"}}))


@respects("DL121")
def a_commit_has_every_harmless_action(path: Path) -> None:
    table(path, body(*START, txn("x", 1), add("a")))


@breaks("DL122")
def a_stray_file_lies_in_the_log(path: Path) -> None:
    start(path).write(f"{1:020d}.json.tmp", body(INFO))


@respects("DL122")
def hadoop_left_a_checksum_of_a_local_file(path: Path) -> None:
    start(path).write(f".{0:020d}.json.crc", b"\x00")


@breaks("DL123")
def a_commit_has_no_timestamp_of_its_own(path: Path) -> None:
    timed(path, 5, None)


@breaks("DL123")
def a_commit_info_comes_too_late(path: Path) -> None:
    timed(path, 5).commit(1, add("a"), commit_info(inCommitTimestamp=6))


@breaks("DL123")
def a_commit_has_no_commit_info_where_it_must(path: Path) -> None:
    timed(path, 5).commit(1, add("a"))


@respects("DL123")
def commits_before_timestamps_were_enabled_have_none(path: Path) -> None:
    on = ENABLED | {
        "delta.inCommitTimestampEnablementVersion": "1",
        "delta.inCommitTimestampEnablementTimestamp": "6",
    }
    plainest = protocol(1, 1)
    info = commit_info(inCommitTimestamp=6)
    table(path, body(INFO, plainest, metadata()), body(info, TIMED, metadata(on)))


@respects("DL123", "DL217")
def in_commit_timestamps_are_supported_but_off(path: Path) -> None:
    off = dict.fromkeys(ENABLED, "false")
    table(path, body(INFO, TIMED, metadata(off)), body(INFO))


@breaks("DL124")
def a_timestamp_repeats(path: Path) -> None:
    timed(path, 5, 5)


@respects("DL124")
def timestamps_increase_by_one(path: Path) -> None:
    timed(path, 5, 6, 7)


@respects("DL124", "DL217")
def timestamps_were_disabled(path: Path) -> None:
    made = timed(path, 5)
    made.commit(1, commit_info(inCommitTimestamp=6), metadata())
    made.commit(2, commit_info(inCommitTimestamp=3, timestamp=2))


@breaks("DL125")
def a_commits_own_time_goes_back_by_more_than_a_minute(path: Path) -> None:
    late = commit_info(timestamp=1 + MINUTE + 1)
    table(path, body(late, *STATE), body(INFO))


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


@respects("DL125")
def times_go_back_but_in_commit_timestamps_count(path: Path) -> None:
    made = timed(path, 5, 6)
    late = commit_info(inCommitTimestamp=5, timestamp=1 + 2 * MINUTE)
    made.commit(0, late, TIMED, metadata(ENABLED), modified=1_900_000_000_000)


CATALOG = protocol(
    3,
    7,
    ["catalogManaged", "vacuumProtocolCheck"],
    ["catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"],
)


@breaks("DL126")
def a_catalogs_commit_has_no_transaction_id(path: Path) -> None:
    table(path, body(commit_info(inCommitTimestamp=5), CATALOG, metadata(ENABLED)))


@respects("DL126")
def a_catalogs_commit_has_its_transaction_id(path: Path) -> None:
    info = commit_info(inCommitTimestamp=5, txnId="6a9f")
    table(path, body(info, CATALOG, metadata(ENABLED)))


@respects("DL126")
def no_catalog_asks_for_a_transaction_id(path: Path) -> None:
    start(path)


@breaks("DL127")
def a_commit_says_nothing_about_itself(path: Path) -> None:
    start(path).commit(1, add("a"))


@respects("DL127")
def a_commit_info_comes_last(path: Path) -> None:
    start(path).commit(1, add("a"), INFO)


def counted(operation: str, **metrics: Any) -> Action:
    return commit_info(
        operation=operation,
        engineInfo="Apache-Spark/4.2.0 Delta-Lake/4.4.0",
        operationMetrics=metrics,
    )


THREE_ROWS = {"stats": '{"numRecords":3}'}


@breaks("DL128")
def a_delete_lost_its_add(path: Path) -> None:
    info = counted("DELETE", numAddedFiles="1", numRemovedFiles="1")
    start(path, 2).commit(2, info, remove("f1"))


@breaks("DL128")
def a_delete_lost_its_remove(path: Path) -> None:
    info = counted("DELETE", numAddedFiles="1", numRemovedFiles="1")
    start(path, 2).commit(2, info, add("g"))


@breaks("DL128")
def a_write_lost_one_of_two_files(path: Path) -> None:
    info = counted("WRITE", numFiles="2", numOutputRows="6")
    start(path).commit(1, info, add("a", **THREE_ROWS))


@breaks("DL128")
def a_write_lost_all_its_files(path: Path) -> None:
    start(path).commit(1, counted("WRITE", numFiles="2", numOutputRows="6"))


@respects("DL128")
def a_write_had_an_empty_file_that_delta_does_not_commit(path: Path) -> None:
    info = counted("WRITE", numFiles="2", numOutputRows="3")
    start(path).commit(1, info, add("a", **THREE_ROWS))


@respects("DL128")
def a_write_whose_files_do_not_tell_their_rows(path: Path) -> None:
    start(path).commit(1, counted("WRITE", numOutputRows="6"), add("a", **THREE_ROWS), add("b"))


@respects("DL128")
def a_replace_where_copied_rows(path: Path) -> None:
    info = counted("WRITE", numOutputRows="1")
    info["commitInfo"]["operationParameters"] = {"predicate": '["(id > 1)"]'}
    start(path, 2).commit(2, info, remove("f1"), add("a", **THREE_ROWS))


@respects("DL128")
def an_engine_counts_in_its_own_way(path: Path) -> None:
    info = counted("DELETE", numAddedFiles="7")
    info["commitInfo"]["engineInfo"] = "Trino-480"
    start(path).commit(1, info, add("a"))


@respects("DL128")
def a_clone_copies_no_files(path: Path) -> None:
    start(path).commit(1, counted("CLONE", numCopiedFiles="0", numRemovedFiles="3"), add("a"))


@respects("DL128", "DL717")
def delta_rs_counts_change_files(path: Path) -> None:
    info = counted("DELETE", num_added_files=2, num_removed_files=1)
    info["commitInfo"]["engineInfo"] = "delta-rs:py-1.6.6"
    change = {"cdc": {"path": "c", "partitionValues": {}, "size": 1, "dataChange": False}}
    start(path, 2).commit(2, info, remove("f1"), add("g"), change)


# What nearly is one of two things, or both


@breaks("DL101")
def a_commit_is_missing_right_after_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, STATE)
    made.last_checkpoint(2)
    made.commit(2, INFO)
    made.commit(4, INFO)


@breaks("DL103", "DL104")
def the_newest_commit_is_broken_in_the_middle_and_at_the_end(path: Path) -> None:
    table(path, body(*START), b"{broken\n" + body(INFO, add("a"))[:-9])


@respects("DL109", "DL108")
def the_pointer_names_a_checkpoint_that_was_cleaned_up(path: Path) -> None:
    checkpointed(path, 2).last_checkpoint(1)


@breaks("DL110")
def the_pointer_has_true_for_a_size(path: Path) -> None:
    checkpointed(path).write("_last_checkpoint", '{"version":1,"size":true}')


@respects("DL111", "DL110")
def the_pointer_has_a_key_twice_and_a_checksum(path: Path) -> None:
    text = '{"version":1,"size":3,"size":3,"checksum":"x"}'
    checkpointed(path).write("_last_checkpoint", text)


@respects("DL113", "DL103")
def the_first_commits_protocol_cannot_be_decoded(path: Path) -> None:
    odd = {"protocol": {"minReaderVersion": "1", "minWriterVersion": 2}}
    table(path, body(INFO, odd, metadata()))


@breaks("DL119", "DL310")
def a_hundred_and_one_commits_of_a_table_with_an_impossible_interval(path: Path) -> None:
    odd = metadata({"delta.checkpointInterval": "-5"})
    table(path, body(INFO, protocol(), odd), *[body(INFO)] * 100)


@respects("DL119", "DL310")
def a_few_commits_of_a_table_with_an_impossible_interval(path: Path) -> None:
    odd = metadata({"delta.checkpointInterval": "0"})
    table(path, body(INFO, protocol(), odd), *[body(INFO)] * 5)


@respects("DL119")
def commits_reach_ten_times_the_tables_own_interval(path: Path) -> None:
    few = metadata({"delta.checkpointInterval": "1"})
    made = table(path, body(INFO, protocol(), few), *[body(INFO)] * 10)
    made.checkpoint(0, [protocol(), few])
    made.last_checkpoint(0)


@respects("DL120", "DL101")
def staged_commits_belong_to_a_table_of_unknown_protocol(path: Path) -> None:
    made = start(path)
    made.commit(2, INFO)
    made.write(STAGED, body(INFO))


@respects("DL123", "DL212")
def timestamps_are_asked_for_but_not_supported(path: Path) -> None:
    table(path, body(INFO, protocol(), metadata(ENABLED)))


@respects("DL124")
def the_commit_before_is_in_the_checkpoint_only(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, [TIMED, metadata(ENABLED)])
    made.commit(1, commit_info(inCommitTimestamp=5))
    made.commit(2, commit_info(inCommitTimestamp=6))
    made.last_checkpoint(1)


@respects("DL124", "DL123")
def a_timestamp_follows_none(path: Path) -> None:
    timed(path, 5, None, 6)


@respects("DL127", "DL103")
def a_commit_without_commit_info_has_a_broken_line(path: Path) -> None:
    table(path, body(*START), b"{broken\n" + body(add("a")), body(INFO))


@breaks("DL101")
def many_commits_are_missing(path: Path) -> None:
    start(path, 2).commit(5, INFO)


@breaks("DL114")
def a_commit_removes_a_vector_twice(path: Path) -> None:
    names = ["deletionVectors"]
    first = protocol(3, 7, names, names), metadata({"delta.enableDeletionVectors": "true"})
    gone = remove("a", deletionVector=deletion_vector("v"))
    table(path, body(INFO, *first), body(INFO, gone, gone))


@breaks("DL103")
def a_directory_has_the_name_of_the_next_commit(path: Path) -> None:
    (start(path).log / f"{1:020d}.json").mkdir()


@breaks("DL110")
def the_pointer_is_a_link_to_a_device(path: Path) -> None:
    (start(path).log / "_last_checkpoint").symlink_to("/dev/null")


@breaks("DL103")
def an_older_protocol_does_not_fit_together(path: Path) -> None:
    made = protocol(1, 2, None, ["appendOnly"])
    table(path, body(INFO, made, metadata()), body(INFO, protocol()))


@breaks("DL103")
def a_file_is_added_without_a_path(path: Path) -> None:
    made = add("a")
    del made["add"]["path"]
    table(path, body(INFO, protocol(), metadata(), made))
