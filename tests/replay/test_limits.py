"""What a log may make deltaadm hold, with limits so low that small files are beyond them."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltaadm.errors import TableError
from deltaadm.limits import Limits
from deltaadm.replay import commits
from deltaadm.replay.examine import Depth, examine
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail, Reconciliation
from deltaadm.reports.validate import choose_rules, validate
from deltaadm.storage.store import LogStore, open_store
from tests.support import tables
from tests.support.tables import (
    Table,
    add,
    commit,
    commit_info,
    metadata,
    protocol,
    remove,
    table,
    txn,
)

pytestmark = pytest.mark.slow

START: list[Any] = [commit_info(), protocol(), metadata()]
LOW = Limits(whole=2_000, line=20_000, page=100_000, values=500)


def many(number: int) -> bytes:
    """A commit that is read line by line under low limits."""
    files = [add(f"f{index}", stats='{"numRecords":1}') for index in range(number)]
    gone = [remove(f"g{index}") for index in range(number)]
    return commit(commit_info(), *files, *gone, txn("app", 1), metadata({"a": "b"}))


def odd(path: Path) -> None:
    table(path, commit(*START), many(50) + b"\n{}\r\n[1]\n")


def plain(path: Path) -> None:
    table(path, commit(*START), many(50), commit(commit_info(), add("z")))


def without_line_end(path: Path) -> None:
    table(
        path, b"\xef\xbb\xbf" + commit(*START) + many(50).rstrip(), many(30).replace(b"\n", b"\r")
    )


@pytest.mark.parametrize("make", [plain, odd, without_line_end], ids=lambda make: make.__name__)
def test_a_large_commit_says_what_a_small_one_says(tmp_path: Path, make: Any) -> None:
    make(tmp_path)

    def outcome(limits: Limits) -> Any:
        store = open_store(str(tmp_path), limits)
        report = validate("t", examine(store, Depth(history=True), now=1), choose_rules())
        return report.findings, report.more, report.stopped

    assert outcome(LOW) == outcome(Limits())
    if make is not odd:
        for detail in Detail:
            low, high = (
                load_snapshot(open_store(str(tmp_path), limits), detail=detail)
                for limits in (LOW, Limits())
            )
            assert (low.protocol, low.metadata, low.files) == (
                high.protocol,
                high.metadata,
                high.files,
            )


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_are_those_of_a_file_that_is_read_at_once(
    tmp_path: Path, piece: int, end: bytes
) -> None:
    body = end.join([b'{"a":1}', b"", b"  ", b'{"b":2}', b"x"])
    made = table(tmp_path, commit(*START))
    for text in (body, body + end, b"\xef\xbb\xbf" + body, b"", end):
        made.write("x", text)
        file = commits.LargeFile(open_store(str(tmp_path), Limits(piece=piece)), "x", len(text))
        lines = text.removeprefix(b"\xef\xbb\xbf").splitlines()
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        assert list(file.numbered()) == numbered
        assert list(file.lines_reversed()) == [line for _, line in reversed(numbered)]


def test_a_line_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    table(tmp_path, commit(*START), commit(add("a" * 30_000)))
    store = open_store(str(tmp_path), LOW)
    with pytest.raises(TableError, match="a line in it is longer than 20,000 bytes"):
        load_snapshot(store, detail=Detail.STATE)


def test_a_path_that_no_store_takes_is_refused(tmp_path: Path) -> None:
    table(tmp_path, commit(*START), commit(add("%20" * 30_000)))
    with pytest.raises(TableError, match="path is longer than 65,536 characters"):
        load_snapshot(open_store(str(tmp_path)), detail=Detail.STATE)


def test_a_large_commit_is_not_held(tmp_path: Path) -> None:
    """What grows with the number of files is their names alone."""
    stats = json.dumps({"numRecords": 1, "note": "x" * 2_000})
    body = commit(commit_info(), *(add(f"f{number}", stats=stats) for number in range(3_000)))
    table(tmp_path, commit(*START), body)
    store = open_store(str(tmp_path), Limits(line=1 << 17, whole=1 << 17, piece=1 << 16))
    assert len(body) > 6_000_000
    assert peak(store) < 1_500_000


def peak(store: LogStore) -> int:
    """The most memory that validating takes, imports not counted."""
    validate("t", examine(store, Depth(), now=1), choose_rules())
    tracemalloc.start()
    try:
        validate("t", examine(store, Depth(), now=1), choose_rules())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rewritten(path: Path, **options: Any) -> Table:
    """A table whose checkpoint pyarrow has written anew, as *options* say."""
    made = Table(path)
    texts = [add(f"f{number}", stats='{"numRecords":1}' + " " * 1_000) for number in range(300)]
    file = made.checkpoint(1, [protocol(), metadata(), *texts])
    pq.write_table(pq.read_table(file), file, **options)
    made.commit(1, commit_info())
    return made


@pytest.mark.parametrize("codec", ["gzip", "zstd", "snappy", "none"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_a_page_beyond_the_limit_is_not_decompressed(
    tmp_path: Path, codec: str, *, dictionary: bool
) -> None:
    made = rewritten(tmp_path, compression=codec, use_dictionary=dictionary)
    store = open_store(str(made.path), LOW)
    if dictionary:  # one text, which all rows share
        files = load_snapshot(store, detail=Detail.STATE).files
        assert files is not None
        assert files.files == 300
    else:
        with pytest.raises(TableError, match="more than the 100,000 that deltaadm reads at once"):
            load_snapshot(store, detail=Detail.STATE)
    assert load_snapshot(open_store(str(made.path)), detail=Detail.STATE).files is not None


TEXTS = {
    "statistics": [
        add(f"f{number}", stats=f'{{"numRecords":1}}{number:05d}' * 500) for number in range(400)
    ],
    "values": [
        add(f"f{number}", partitionValues={"a": f"{number:05d}" * 2_000}) for number in range(400)
    ],
}


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_long_texts_are_not_held(tmp_path: Path, texts: Any, *, dictionary: bool) -> None:
    """Megabytes of texts are read in batches, and nothing keeps those that were looked at."""
    made = Table(tmp_path)
    file = made.checkpoint(1, [protocol(), metadata(), *texts])
    pq.write_table(pq.read_table(file), file, use_dictionary=dictionary, data_page_size=20_000)
    made.commit(1, commit_info())
    assert peak(open_store(str(tmp_path), Limits(batch=100_000, page=500_000))) < 1_500_000


def test_a_path_in_a_checkpoint_is_as_short_as_one_in_a_commit(tmp_path: Path) -> None:
    made = Table(tmp_path)
    made.checkpoint(1, [protocol(), metadata(), add("a" * 1_001)])
    made.commit(1, commit_info())
    load_snapshot(open_store(str(tmp_path), Limits(path=1_001)), detail=Detail.STATE)
    low = open_store(str(tmp_path), Limits(path=1_000))
    with pytest.raises(TableError, match="path in it is longer than 1,000 characters"):
        load_snapshot(low, detail=Detail.STATE)
    found = validate("t", examine(low, Depth(deep=True), now=1), choose_rules()).findings
    assert any("longer than 1,000 characters" in finding.message for finding in found)


def with_map(path: Path, column: str, field: str, entries: int, text: str, **options: Any) -> Table:
    """A table whose checkpoint has a row with a map that repeats *text*."""
    made = Table(path)
    file = made.checkpoint(1, [protocol(), metadata(), add("a", partitionValues={}), txn("x", 1)])
    made.commit(1, commit_info())
    whole = pq.read_table(file)
    old = whole.column(column).combine_chunks()
    row = old.is_valid().index(True).as_py()
    ends = [0] * (row + 1) + [entries] * (len(old) - row)
    keys = pa.array([f"k{number}" for number in range(entries)])
    new = pa.MapArray.from_arrays(pa.array(ends, pa.int32()), keys, pa.array([text] * entries))
    fields = {
        field_.name: new if field_.name == field else old.field(field_.name) for field_ in old.type
    }
    made_anew = pa.StructArray.from_arrays(
        list(fields.values()), names=list(fields), mask=old.is_null()
    )
    index = whole.column_names.index(column)
    pq.write_table(whole.set_column(index, column, made_anew), file, **options)
    return made


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd", "none"])
def test_a_row_that_repeats_a_text_is_not_made(tmp_path: Path, codec: str, version: str) -> None:
    options = {"compression": codec, "data_page_version": version}
    with_map(tmp_path, "add", "partitionValues", 1_000, "x" * 1_000, **options)
    with pytest.raises(TableError, match=r"a row of it may have .* bytes, more than the 500,000"):
        load_snapshot(
            open_store(str(tmp_path), Limits(batch=100_000, page=500_000)), detail=Detail.STATE
        )
    high = load_snapshot(
        open_store(str(tmp_path), Limits(batch=100_000, page=2_000_000)), detail=Detail.STATE
    )
    assert high.files is not None
    assert high.files.files == 1


@pytest.mark.parametrize("codec", ["snappy", "zstd"])
def test_what_describes_a_table_is_bounded(tmp_path: Path, codec: str) -> None:
    """The one codec is read by us, the other one by pyarrow."""
    with_map(tmp_path, "metaData", "configuration", 1_000, "x" * 1_000, compression=codec)
    load_snapshot(open_store(str(tmp_path), Limits(state=2_000_000)))
    with pytest.raises(TableError, match="take more than the 900,000 bytes"):
        load_snapshot(open_store(str(tmp_path), Limits(state=900_000)))


def test_a_long_name_is_held_as_a_hash_and_still_hides_files(tmp_path: Path) -> None:
    long = "a" * 5_000
    made = Table(tmp_path)
    made.checkpoint(1, [protocol(), metadata(), add(f"{long}1"), add(f"{long}2"), add("b")])
    made.commit(1, commit_info())
    made.commit(2, *(remove(f"{long}1") for _ in range(2)), remove("b"))
    found = load_snapshot(open_store(str(tmp_path)), detail=Detail.STATE).files
    assert found is not None
    assert found.files == 1


def test_names_of_files_take_what_the_documentation_says() -> None:
    reconciled, names = Reconciliation(), [f"{number:070d}" for number in range(20_000)]
    removed = [remove(name)["remove"] for name in names]
    tracemalloc.start()
    try:
        for file in removed:
            file["path"] = f"{file['path']}"[:-1] + "x"
            reconciled.offer("remove", file)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held / len(names) < 70 + 120  # a set's table is between two sizes


def test_a_footer_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    made = rewritten(tmp_path)
    with pytest.raises(TableError, match="it has a footer of"):
        load_snapshot(open_store(str(made.path), Limits(footer=100)), detail=Detail.STATE)


def test_more_values_than_the_limit_are_refused(tmp_path: Path) -> None:
    made = rewritten(tmp_path)
    store = open_store(str(made.path), Limits(values=200))
    with pytest.raises(TableError, match="values, more than the 200 that deltaadm reads at once"):
        load_snapshot(store, detail=Detail.STATE)


def test_a_checksum_beyond_the_limit_is_passed_over(tmp_path: Path) -> None:
    made = tables.table(tmp_path, commit(*START))
    made.write(f"{0:020d}.crc", b" " * 30_000)
    made.write("_last_checkpoint", b" " * 30_000)
    found = load_snapshot(open_store(str(tmp_path), LOW))
    assert any("more than the 20,000" in warning for warning in found.warnings)


def test_a_row_group_without_rows_has_no_pages(tmp_path: Path) -> None:
    made = Table(tmp_path)
    file = made.checkpoint(1, [protocol(), metadata()])
    whole = pq.read_table(file)
    with pq.ParquetWriter(file, whole.schema) as writer:
        writer.write_table(whole.slice(0, 0))
        writer.write_table(whole)
    made.commit(1, commit_info())
    for detail in Detail:
        load_snapshot(open_store(str(tmp_path)), detail=detail)
    facts = validate(
        "t", examine(open_store(str(tmp_path)), Depth(deep=True), now=1), choose_rules()
    )
    assert not facts.stopped


def test_versions_that_names_only_claim_take_no_time(tmp_path: Path) -> None:
    made, newest = Table(tmp_path), 10**15
    made.checkpoint(newest, [protocol(), metadata()])
    made.commit(newest, commit_info())
    made.write(f"{1:020d}.{newest:020d}.compacted.json", commit(commit_info()))
    for deep in (False, True):
        facts = examine(open_store(str(tmp_path)), Depth(deep=deep), now=1)
        assert not validate("t", facts, choose_rules()).stopped
