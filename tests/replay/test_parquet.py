"""The small Parquet reader: what it finds is what was written, or it says that it cannot tell."""

from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.limits import Limits
from deltaadm.replay.parquet import DamagedFooterError, Pages, UnsupportedFileError, read_footer
from deltaadm.replay.parquet import rows as rows_of_columns
from tests.support import oracle

TEXT, LONG = pa.string(), pa.int64()
SCHEMA = pa.schema({
    "add": pa.struct([("path", TEXT), ("size", LONG)]),
    "protocol": pa.struct([("minReaderVersion", pa.int32()), ("writerFeatures", pa.list_(TEXT)),
        ("flag", pa.bool_())]),
    "metaData":
        pa.struct([("id", TEXT),
        ("format", pa.struct([("provider", TEXT), ("options", pa.map_(TEXT, TEXT))])),
        ("configuration", pa.map_(TEXT, TEXT)), ("createdTime", LONG)]),
})  # fmt: skip
NAMES = ("protocol", "metaData")


def rows(source: BinaryIO, names: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    return rows_of_columns(source, read_footer(source), names)


def written(documents: list[dict[str, Any]], **options: Any) -> BytesIO:
    """A Parquet file of log lines, each with one action."""
    out = BytesIO()
    table = pa.Table.from_pylist([_pairs(document) for document in documents], schema=SCHEMA)
    pq.write_table(table, out, **options)
    return out


def _pairs(value: Any, key: str = "") -> Any:
    if not isinstance(value, dict):
        return value
    if key in {"options", "configuration"}:
        return list(value.items())
    return {name: _pairs(nested, name) for name, nested in value.items()}


def absent(
    always: st.SearchStrategy[Any] | None = None, **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """Objects in which every field may be missing, but the first where it is there *always*."""
    first = {} if always is None else {next(iter(fields)): always}
    return st.fixed_dictionaries(
        first, optional={k: v for k, v in fields.items() if k not in first}
    )


TEXTS = st.text(max_size=5) | st.just("x" * 300)
MAPS = st.dictionaries(TEXTS, TEXTS, max_size=3)
NUMBERS = st.integers(-(1 << 31), (1 << 31) - 1)
ADDS = st.just({"add": {"path": "a", "size": 1}})
PROTOCOLS = absent(
    NUMBERS,
    minReaderVersion=NUMBERS,
    writerFeatures=st.lists(TEXTS, max_size=9),
    flag=st.booleans(),
)
METADATA = absent(
    TEXTS, id=TEXTS, format=absent(provider=TEXTS, options=MAPS), configuration=MAPS,
    createdTime=st.integers(-(1 << 63), (1 << 63) - 1),
)  # fmt: skip
LINES = st.lists(
    ADDS
    | PROTOCOLS.map(lambda action: {"protocol": action})
    | METADATA.map(lambda action: {"metaData": action}),
    max_size=30,
)
OPTIONS = st.fixed_dictionaries({
    "compression": st.sampled_from(["none", "snappy"]),
    "use_dictionary": st.booleans(),
    "write_statistics": st.booleans(),
    "row_group_size": st.sampled_from([1, 7, 1000]),
    "data_page_size": st.sampled_from([1, 1 << 20]),
})  # fmt: skip


@given(LINES, OPTIONS)
@settings(max_examples=100)
def test_finds_what_was_written(lines: list[dict[str, Any]], options: dict[str, Any]) -> None:
    expected = [(name, line[name]) for name in NAMES for line in lines if line.get(name)]
    assert rows(written(lines, **options), NAMES) == expected


def test_finds_a_row_among_a_hundred_thousand_others() -> None:
    lines = [{"add": {"path": "a", "size": 1}}] * 100_000
    lines[77_777] = {"protocol": {"minReaderVersion": 3, "writerFeatures": ["x"]}}
    assert rows(written(lines), NAMES) == [("protocol", lines[77_777]["protocol"])]


@pytest.mark.parametrize("options", [
    pytest.param({"compression": "zstd"}, id="Zstandard"),
    pytest.param({"compression": "gzip"}, id="gzip"),
    pytest.param({"data_page_version": "2.0"}, id="pages of the second kind"),
    pytest.param({"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"},
        id="differences"),
])  # fmt: skip
def test_says_what_it_does_not_know(options: dict[str, Any]) -> None:
    encoding = options.pop("column_encoding", None)
    if encoding:
        options["column_encoding"] = {"metaData.id": encoding}
    with pytest.raises(UnsupportedFileError):
        rows(written([{"metaData": {"id": "x" * 100}}], **options), NAMES)


@given(st.data())
@settings(max_examples=200)
def test_damage_never_surprises(data: st.DataObject) -> None:
    line = {"metaData": {"id": "x" * 50, "configuration": {"a": "b"}}}
    body = bytearray(written([line, {"protocol": {"minReaderVersion": 1}}]).getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)) | st.just(len(body)))
    with suppress(UnsupportedFileError, DamagedFooterError):
        rows(BytesIO(bytes(body[:cut])), NAMES)


@pytest.mark.slow
def test_no_damaged_byte_surprises() -> None:
    line = {"metaData": {"id": "x" * 50, "configuration": {"a": "b"}}}
    body = written([line, {"protocol": {"minReaderVersion": 1}}]).getvalue()
    for place, right in enumerate(body):
        wrong = right ^ (1 << place % 8)
        with suppress(UnsupportedFileError, DamagedFooterError):
            rows(BytesIO(body[:place] + bytes([wrong]) + body[place + 1 :]), NAMES)


def test_a_page_that_is_larger_than_it_says_is_damage() -> None:
    out = BytesIO()
    pq.write_table(pa.table({"add": ["x" * 22, "y" * 30]}), out)
    body = out.getvalue()
    # The header of the dictionary: its kind, 2, and the size of what is compressed, 60.
    assert body.startswith(b"PAR1\x15\x04\x15\x78\x15")
    source = BytesIO(body.replace(b"\x15\x04\x15\x78", b"\x15\x04\x15\x18", 1))
    pages = Pages(source, read_footer(source), Limits())
    with pytest.raises(DamagedFooterError, match="cannot be decompressed"):
        pages.batch_rows(["add"], pages.footer.groups, 10)


def test_an_encoding_that_there_is_not_is_damage() -> None:
    """Though a footer names those of the pages for no reader's needs, delta-rs stops there."""
    body = written([{"add": {"path": "a", "size": 1}}]).getvalue()
    right, wrong = (bytes([0x19, 0x35, 0, 2 * 3, 2 * of]) for of in (8, 24))
    assert right in body
    with pytest.raises(DamagedFooterError, match=r"contradicts the schema in add\.path"):
        read_footer(BytesIO(body.replace(right, wrong, 1)))


def test_reads_every_checkpoint_of_the_corpus_as_pyarrow_does(tmp_path: Path) -> None:
    found = [table.path for table in oracle.tables(tmp_path)]
    found += [recorded.path for recorded in oracle.corpus_if_present()]
    files = [file for directory in found for file in directory.rglob("_delta_log/**/*.parquet")]
    assert files
    for file in files:
        with file.open("rb") as source:
            assert rows(source, NAMES) == list(by_pyarrow(file)), file


def by_pyarrow(file: Path) -> Any:
    with pq.ParquetFile(file) as source:
        present = [name for name in NAMES if name in source.schema_arrow.names]
        table = source.read(columns=present)
    for name in present:
        for value in table.column(name).drop_null().to_pylist():
            document = {
                key: _plain(key, value) for key, value in value.items() if value is not None
            }
            if document:
                yield name, document


def _plain(key: str, value: Any) -> Any:
    if key == "configuration":
        return dict(value)
    if key == "format":
        made = {name: each for name, each in value.items() if each is not None}
        return made | ({"options": dict(made["options"])} if "options" in made else {})
    return value
