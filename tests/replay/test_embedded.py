"""The engine without a JVM: the contract, and what is its own."""

import base64
import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deltaadm.domain.actions import AddFile
from deltaadm.domain.snapshot import FileFacts, Snapshot
from deltaadm.errors import TableError
from deltaadm.replay.embedded import live_files
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import open_store
from tests.support.contract import BOTH, EngineContract, Load
from tests.support.rows import with_rows
from tests.support.tables import (
    START_BODY,
    Action,
    Table,
    add,
    commit,
    commit_info,
    deletion_vector,
    domain,
    metadata,
    protocol,
    remove,
    table,
    txn,
)


class TestEmbeddedEngine(EngineContract):
    @pytest.fixture
    def load(self) -> Load:
        return lambda place, detail: load_snapshot(open_store(str(place)), detail=detail)


def load(made: Table, detail: Detail = Detail.STATE, version: int | None = None) -> Snapshot:
    return load_snapshot(open_store(str(made.path)), detail=detail, version=version)


def paths(made: Table) -> set[str]:
    snapshot = load(made)
    assert snapshot.segment is not None
    return {file.path for file in live_files(open_store(str(made.path)), snapshot.segment)}


START = START_BODY


@BOTH
@pytest.mark.parametrize("body", [
    pytest.param(b'{"add":{"path":"x"', id="cut off"),
    pytest.param(b'{"add":{"path":"x"}}\n{"add":{"path":"y"}', id="cut off at a brace"),
    pytest.param(b"\x00\x01\x02", id="binary"),
    pytest.param(b'{"add":{"path":"\xff"}}\n', id="not UTF-8"),
    pytest.param(b"[5]\n", id="a list of numbers"),
    pytest.param(b"5\n", id="a number"),
    pytest.param(b'{"add":5}\n', id="an action that is no object"),
    pytest.param(b'{"protocol":{"minReaderVersion":2147483648,"minWriterVersion":2}}', id="2^31"),
    pytest.param(b'{"protocol":{"minReaderVersion":1.5,"minWriterVersion":2}}', id="float"),
    pytest.param(b'{"protocol":{"minReaderVersion":"1","minWriterVersion":2}}', id="text"),
    pytest.param(b'{"protocol":{"minReaderVersion":true,"minWriterVersion":2}}', id="boolean"),
])  # fmt: skip
def test_newest_commit_that_cannot_be_read(tmp_path: Path, body: bytes, detail: Detail) -> None:
    with pytest.raises(TableError) as caught:
        load(table(tmp_path, START, body), detail)
    assert caught.value.delta_error_class == "FAILED_READ_FILE.NO_HINT"
    assert "00000000000000000001.json" in caught.value.message
    assert caught.value.remedy
    assert caught.value.established["version"] == 1


@BOTH
@pytest.mark.parametrize("body", [
    pytest.param(b"", id="empty"),
    pytest.param(b"\n \n\r\n", id="blank lines only"),
    pytest.param(b'{"commitInfo":{}}\r\n{"txn":{"appId":"x","version":1}}\r\n', id="CR LF"),
    pytest.param(b'{"commitInfo":{}}', id="no line break at the end"),
    pytest.param(b"{}\n", id="an object without an action"),
    pytest.param(b'{"add":null,"commitInfo":{}}\n', id="null for another action"),
    pytest.param(b'  {"commitInfo":{}}  \n', id="spaces around"),
    pytest.param(b'[{"commitInfo":{}},{"txn":{"appId":"x","version":1}}]\n',
        id="a list of objects"),
    pytest.param(b'\xef\xbb\xbf{"commitInfo":{}}\n', id="byte order mark"),
    pytest.param(b'{"commitInfo":{}}\r{"txn":{"appId":"x","version":1}}\r', id="CR"),
])  # fmt: skip
def test_odd_but_readable_commits(tmp_path: Path, body: bytes, detail: Detail) -> None:
    snapshot = load(table(tmp_path, START, body), detail)
    assert (snapshot.version, snapshot.protocol.min_writer_version) == (1, 2)
    assert snapshot.warnings == ()


@BOTH
def test_escaped_keys_are_found(tmp_path: Path, detail: Detail) -> None:
    text = commit(protocol(1, 4), metadata({"k": "1"}), *[add(f"f{i}") for i in range(2000)])
    odd = text.replace(b'"protocol"', b'"pr\\u006ftocol"').replace(
        b'"metaData"', b'"met\\u0061Data"'
    )
    snapshot = load(table(tmp_path, START, odd, commit(add("z"))), detail)
    assert snapshot.protocol.min_writer_version == 4
    assert snapshot.metadata.configuration == {"k": "1"}


@BOTH
def test_the_future_is_tolerated(tmp_path: Path, detail: Detail) -> None:
    lines = [protocol(9, 101, ["a", "a"], ["b"]), metadata(novel=1), {"novelAction": {"x": 1}}]
    snapshot = load(table(tmp_path, commit(*lines)), detail)
    assert snapshot.protocol.min_writer_version == 101
    assert snapshot.warnings == (
        "The metaData action has unknown fields, ignored: novel.",
        "The log has unknown actions, ignored: novelAction (1).",
    )


@BOTH
@pytest.mark.parametrize("action", [protocol(), metadata()])
def test_what_is_there_is_established_where_the_rest_is_missing(
    tmp_path: Path, action: Action, detail: Detail
) -> None:
    with pytest.raises(TableError) as caught:
        load(table(tmp_path, commit(action)), detail)
    [body] = action.values()
    assert body in caught.value.established.values()


@BOTH
@pytest.mark.parametrize("action", [
    metadata(configuration="x"),
    metadata(partitionColumns={}),
    metadata(format="parquet"),
    metadata(createdTime="now"),
])  # fmt: skip
def test_metadata_of_wrong_types(tmp_path: Path, action: Action, detail: Detail) -> None:
    with pytest.raises(TableError, match=r"metaData\.") as caught:
        load(table(tmp_path, commit(protocol(), action)), detail)
    assert caught.value.delta_error_class == "FAILED_READ_FILE.NO_HINT"


def test_half_a_surrogate_pair_becomes_text(tmp_path: Path) -> None:
    body = b'{"txn":{"appId":"\\ud800x","version":1}}\n'
    assert set(load(table(tmp_path, START, body)).transactions or ()) == {"?x"}


@BOTH
@pytest.mark.parametrize("kind", ["classic", "v2-json", "v2-parquet"])
def test_the_last_protocol_and_metadata_of_a_checkpoint_count(
    tmp_path: Path, kind: str, detail: Detail
) -> None:
    features = ["domainMetadata", "v2Checkpoint"]
    early, late = (protocol(3, 7, ["v2Checkpoint"], features[: 2 - more]) for more in (1, 0))
    made = table(tmp_path, START, commit(commit_info()))
    state = [early, metadata({"k": "early"}), add("a"), late, metadata({"k": "late"})]
    _write_checkpoint(made, 1, kind, state)
    made.last_checkpoint(1)
    snapshot = load(made, detail)
    assert snapshot.protocol.to_wire() == late["protocol"]
    assert snapshot.metadata.configuration == {"k": "late"}


def test_nulls_in_metadata_count_as_empty(tmp_path: Path) -> None:
    odd = metadata(configuration=None, partitionColumns=None, format=...)
    snapshot = load(table(tmp_path, commit(protocol(), odd)))
    assert snapshot.metadata.configuration == {}
    assert snapshot.metadata.partition_columns == ()


STATE = [
    protocol(3, 7, ["deletionVectors"], ["deletionVectors", "domainMetadata"]),
    metadata({"k": "checkpointed"}),
    txn("app", 7),
    domain("kept", "1"),
    add("a", 1, partitionValues={"p": "x"}, stats='{"numRecords":1}'),
    add("b", 2, partitionValues={"p": None}, stats='{"minValues":{}}'),
    add("c%20c", 4, partitionValues={"p": "x"}),
    add("d", 8, partitionValues={"p": "x"}, deletionVector=deletion_vector("v"), baseRowId=0),
    remove("gone"),
]


def _write_checkpoint(made: Table, version: int, kind: str, state: list[Action] = STATE) -> None:
    if kind == "classic":
        made.checkpoint(version, state)
    elif kind == "multi-part":
        made.multipart(version, state, parts=3)
    else:
        made.v2_checkpoint(version, state, kind.removeprefix("v2-"))


KINDS = pytest.mark.parametrize("kind", ["classic", "multi-part", "v2-json", "v2-parquet"])


@KINDS
def test_checkpoints_of_every_kind(tmp_path: Path, kind: str) -> None:
    made = Table(tmp_path)
    made.commit(5, commit_info())
    _write_checkpoint(made, 5, kind)
    made.commit(6, remove("a"), add("e", 16, partitionValues={"p": "x"}), domain("new", "2"))
    made.last_checkpoint(5)
    snapshot = load(made)
    assert snapshot.version == 6
    assert snapshot.metadata.configuration == {"k": "checkpointed"}
    assert snapshot.protocol.reader_features == {"deletionVectors"}
    assert set(snapshot.domains or ()) == {"kept", "new"}
    assert {
        name: transaction.version for name, transaction in (snapshot.transactions or {}).items()
    } == {"app": 7}
    assert paths(made) == {"b", "c%20c", "d", "e"}
    assert snapshot.files == FileFacts(
        files=4, bytes=30, with_deletion_vector=1, bytes_with_deletion_vector=8, without_stats=3,
        without_num_records=4, without_base_row_id=3, partition_keys=frozenset({("p",)}),
    )  # fmt: skip
    quick = load(made, Detail.PROTOCOL)
    assert (quick.protocol, quick.metadata) == (snapshot.protocol, snapshot.metadata)
    assert (quick.files, quick.domains, quick.transactions) == (None, None, None)


@KINDS
def test_what_counts_as_deletion_vector(tmp_path: Path, kind: str) -> None:
    made = Table(tmp_path)
    vectors = [{"cardinality": 3}, {"storageType": "u"}, {}]
    files = [add(f"v{n}", deletionVector=vector) for n, vector in enumerate(vectors)]
    made.commit(5, commit_info())
    _write_checkpoint(made, 5, kind, [*STATE[:2], *files])
    made.commit(6, commit_info())
    snapshot = load(made)
    assert snapshot.files is not None
    assert snapshot.files.with_deletion_vector == 2


BODY = add("b")["add"]


@pytest.mark.parametrize(("actions", "alive"), [
    ([{"add": {**BODY, "path": None}}], {"a"}),
    ([{"add": {}}], {"a"}),
    ([{"remove": {}}], {"a"}),
    ([{**txn("x", 1), **add("b"), **domain("d")}], {"a", "b"}),
    ([{**remove("a"), **add("b")}], {"a", "b"}),
    ([add("x%2Fy"), remove("x/y")], {"a", "x%2Fy"}),
    ([add("x%41"), remove("xA")], {"a", "x%41"}),
    ([add("x%C3%A9"), remove("xé")], {"a", "x%C3%A9"}),
    ([add("x%c3%a9"), remove("x%C3%A9")], {"a"}),
    ([add("x%2520y"), remove("x%20y")], {"a", "x%2520y"}),
])  # fmt: skip
def test_which_files_are_alive_for_delta_spark(
    actions: list[Action], alive: set[str], tmp_path: Path
) -> None:
    """As Delta Spark 4.4 answered."""
    commits = (commit(action) for action in actions)
    assert paths(table(tmp_path, START_BODY, commit(add("a")), *commits)) == alive


def test_struct_statistics_count_as_statistics(tmp_path: Path) -> None:
    made = table(tmp_path, START)
    parsed = pa.struct([("numRecords", pa.int64())])
    adds = pa.array(
        [
            None,
            {"path": "a", "size": 1, "stats_parsed": {"numRecords": 3}},
            {"path": "b", "size": 1, "stats_parsed": None},
            {"path": "c%20", "size": 1, "stats_parsed": {"numRecords": 3}},
        ],
        pa.struct([("path", pa.string()), ("size", pa.int64()), ("stats_parsed", parsed)]),
    )
    pq.write_table(pa.table({"add": adds}), made.log / "00000000000000000000.checkpoint.parquet")
    made.commit(1, protocol(), metadata())
    facts = load(made).files
    assert facts is not None
    assert (facts.files, facts.without_stats, facts.without_num_records) == (3, 1, 1)


STATISTICS = [
    *('{"numRecords":0}', '{"numRecords":12,"minValues":{}}', ' { "numRecords" : 1 }'),
    *('{"numRecords":null}', '{"numRecords":-1}', '{"numRecords":"1"}', '{"numRecords":'),
    *('{"minValues":{},"numRecords":1}', '{"minValues":{"numRecords":1}}', "{}", "", None),
]


@KINDS
def test_statistics_count_alike_in_commits_and_checkpoints(tmp_path: Path, kind: str) -> None:
    adds = [add(f"{number}", stats=statistic) for number, statistic in enumerate(STATISTICS)]
    made = table(tmp_path, commit(protocol(1, 2), metadata(), *adds), commit(commit_info()))
    in_commits = load(made).files
    assert in_commits is not None
    assert in_commits.without_stats == 1
    _write_checkpoint(made, 1, kind, [protocol(1, 2), metadata(), *adds])
    (made.log / f"{0:020d}.json").unlink()
    assert load(made).files == in_commits


COUNTED = [f'{{"numRecords":{count}}}' for count in (0, 9, 10, 99)]


@pytest.mark.slow
@given(
    kind=st.sampled_from(["classic", "multi-part", "v2-json", "v2-parquet"]),
    usual=st.lists(st.sampled_from(COUNTED), max_size=12),
    odd=st.lists(st.sampled_from(STATISTICS), max_size=3),
    order=st.randoms(use_true_random=False),
    spelling=st.sampled_from(["{}", "a%20{}", "file:///{}", "y//{}", "./{}", "y/../{}"]),
    hidden=st.sets(st.integers(0, 15), max_size=4),
)
@example("classic", COUNTED, [None], Random(0), "{}", set())  # noqa: S311
def test_what_is_not_read_of_a_checkpoint_changes_nothing(
    kind: str,
    usual: list[str],
    odd: list[str | None],
    order: Random,
    spelling: str,
    hidden: set[int],
) -> None:
    texts: list[str | None] = [*usual, *odd]
    other = {"y//{}": "y/./{}", "./{}": "{}", "y/../{}": "{}"}.get(spelling, spelling)
    order.shuffle(texts)
    state = [
        protocol(1, 2),
        metadata(),
        *(add(spelling.format(number), number, stats=text) for number, text in enumerate(texts)),
    ]
    newer = commit(commit_info(), *(remove(other.format(number)) for number in sorted(hidden)))
    with TemporaryDirectory() as place:
        plain = table(Path(place) / "plain", commit(*state), newer)
        made = table(Path(place) / "checkpoint", commit(*state), newer)
        _write_checkpoint(made, 0, kind, state)
        made.last_checkpoint(0)
        assert load(made).files == load(plain).files


@BOTH
@KINDS
def test_unreadable_checkpoint_is_replaced_by_older_files(
    tmp_path: Path, kind: str, detail: Detail
) -> None:
    made = table(tmp_path, START, commit(add("a")), commit(add("b")))
    _write_checkpoint(made, 1, kind)
    for file in made.log.rglob("*.checkpoint.*"):
        file.write_bytes(base64.b64decode("UEFSMSBnYXJiYWdl"))
    made.last_checkpoint(1)
    snapshot = load(made, detail)
    assert snapshot.version == 2
    assert snapshot.metadata.configuration == {}
    (warning,) = snapshot.warnings
    assert warning.startswith("The checkpoint of version 1 cannot be read")


def test_missing_sidecar_makes_a_checkpoint_unreadable(tmp_path: Path) -> None:
    made = table(tmp_path, START, commit(add("a")))
    made.v2_checkpoint(1, STATE)
    for file in (made.log / "_sidecars").iterdir():
        file.unlink()
    assert paths(made) == {"a"}
    (tmp_path / "_delta_log" / "00000000000000000000.json").unlink()
    with pytest.raises(TableError, match="checkpoint of version 1") as caught:
        load(made)
    assert caught.value.delta_error_class == "FAILED_READ_FILE.NO_HINT"
    assert load(made, Detail.PROTOCOL).metadata.configuration == {"k": "checkpointed"}


@with_rows
def test_checkpoint_pointer_is_only_a_hint(tmp_path: Path, body: str, *, warned: bool) -> None:
    made = table(tmp_path, START, commit(add("a")), commit(add("b")), commit(add("c")))
    made.checkpoint(2, [*STATE[:2], add("x")])
    made.write("_last_checkpoint", body)
    snapshot = load(made, Detail.PROTOCOL)
    assert snapshot.version == 3
    assert snapshot.segment is not None
    assert snapshot.segment.checkpoint is not None
    assert snapshot.segment.checkpoint.version == 2
    assert bool(snapshot.warnings) is warned


def test_empty_and_partial_checkpoints_are_ignored_aloud(tmp_path: Path) -> None:
    made = table(tmp_path, START, commit(add("a")))
    made.write("00000000000000000001.checkpoint.parquet", b"")
    made.multipart(1, STATE)[0].unlink()
    snapshot = load(made)
    assert paths(made) == {"a"}
    assert snapshot.warnings == (
        "The checkpoint file 00000000000000000001.checkpoint.parquet is empty and was ignored.",
        "The checkpoint of version 1 is missing some of its parts and was ignored.",
    )


@pytest.mark.parametrize("body", [
    "", "{", "[]", '{"protocol":5,"metadata":{"id":"x"}}',
    '{"protocol":{"minReaderVersion":1,"minWriterVersion":2},"metadata":{}}',
    '{"protocol":{"minReaderVersion":1.5,"minWriterVersion":2},"metadata":{"id":"x"}}',
])  # fmt: skip
def test_a_checksum_is_ignored_if_broken(tmp_path: Path, body: str) -> None:
    made = table(tmp_path, START, commit(add("a")))
    made.write("00000000000000000001.crc", body)
    snapshot = load(made, Detail.PROTOCOL)
    assert snapshot.protocol.min_writer_version == 2
    assert snapshot.warnings == (
        "The checksum file 00000000000000000001.crc is not valid and was ignored.",
    )


_PATHS = st.sampled_from(["a", "b", "c%20c", "d"])
_VECTORS = st.sampled_from([None, deletion_vector("v"), deletion_vector("v", None)])


def _file(action: Action, vector: Action | None) -> Action:
    (body,) = action.values()
    return {**action} if vector is None else {next(iter(action)): body | {"deletionVector": vector}}


_ACTIONS = st.one_of(
    st.builds(
        lambda path, vector, size: _file(add(path, size), vector),
        _PATHS,
        _VECTORS,
        st.integers(0, 99),
    ),
    st.builds(lambda path, vector: _file(remove(path), vector), _PATHS, _VECTORS),
    st.builds(txn, st.sampled_from(["x", "y"]), st.integers(0, 9)),
    st.builds(
        lambda name, text, removed: domain(name, text, removed=removed),
        st.sampled_from(["m", "n"]),
        st.sampled_from(["1", "2"]),
        st.booleans(),
    ),
    st.builds(lambda value: metadata({"k": value}), st.sampled_from(["1", "2"])),
    st.builds(lambda writer: protocol(1, writer), st.integers(1, 6)),
)


def _naive(history: list[list[Action]]) -> dict[tuple[str, ...], Action]:
    """The state as a plain fold in the order of the log."""
    state: dict[tuple[str, ...], Action] = {}
    for action in (action for actions in history for action in actions):
        ((name, body),) = action.items()
        if name in {"add", "remove"}:
            vector = body.get("deletionVector")
            key = ("file", body["path"], json.dumps(vector))
        elif name in {"txn", "domainMetadata"}:
            key = (name, body.get("appId") or body.get("domain"))
        else:
            key = (name,)
        state[key] = action
    return state


@given(
    history=st.lists(st.lists(_ACTIONS, max_size=4), max_size=8),
    checkpoints=st.dictionaries(
        st.integers(0, 8),
        st.sampled_from(["classic", "multi-part", "v2-json", "v2-parquet"]),
        max_size=2,
    ),
    compactions=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=2),
    data=st.data(),
)
def test_replay_equals_a_fold_in_the_order_of_the_log(
    tmp_path_factory: pytest.TempPathFactory,
    history: list[list[Action]],
    checkpoints: dict[int, str],
    compactions: list[tuple[int, int]],
    data: st.DataObject,
) -> None:
    """Any version, with any checkpoints before or after it, and commits gone that none needs."""
    made = Table(tmp_path_factory.mktemp("table"))
    history = [[protocol(), metadata()], *history]
    for version, actions in enumerate(history):
        made.commit(version, *actions)
    for version, kind in checkpoints.items():
        state = list(_naive(history[: version + 1]).values())
        if version < len(history):
            write = {
                "classic": made.checkpoint,
                "multi-part": made.multipart,
                "v2-json": made.v2_checkpoint,
                "v2-parquet": lambda at, these: made.v2_checkpoint(at, these, "parquet"),
            }[kind]
            write(version, state)
    for start, end in compactions:
        if start < end < len(history):
            made.compacted(start, end, *_naive(history[start : end + 1]).values())
    newest = len(history) - 1
    version = data.draw(st.one_of(st.just(newest), st.integers(0, newest)), "version")
    older = [at for at in checkpoints if at <= version]
    for gone in range(data.draw(st.integers(0, max(older)), "gone") if older else 0):
        (made.log / f"{gone:020d}.json").unlink()
    expected = _naive(history[: version + 1])
    snapshot = load(made, version=version)
    assert snapshot.version == version
    assert snapshot.protocol.to_wire() == expected["protocol",]["protocol"]
    assert snapshot.metadata.to_wire() == expected["metaData",]["metaData"]
    alone = load(made, Detail.PROTOCOL, version=version)
    assert (alone.protocol, alone.metadata) == (snapshot.protocol, snapshot.metadata)
    assert snapshot.segment is not None
    found = list(live_files(open_store(str(made.path)), snapshot.segment))
    alive = [action["add"] for action in expected.values() if "add" in action]
    assert sorted((file.path, file.size) for file in found) == sorted(
        (file["path"], file["size"]) for file in alive
    )
    assert snapshot.files is not None
    assert snapshot.files.files == len(alive)
    assert snapshot.files.bytes == sum(file["size"] for file in alive)
    assert {
        name: transaction.version for name, transaction in (snapshot.transactions or {}).items()
    } == {
        line["txn"]["appId"]: line["txn"]["version"] for line in expected.values() if "txn" in line
    }
    assert set(snapshot.domains or ()) == {
        line["domainMetadata"]["domain"]
        for line in expected.values()
        if "domainMetadata" in line and not line["domainMetadata"]["removed"]
    }


@pytest.mark.parametrize("action", [
    add("a", stats='{"numRecords":1}', tags={"x": None}, baseRowId=5, clusteringProvider="c"),
    add("a"),
    add("a", stats=None),
    add("a", stats=5),
    add("a", stats="{}", novel=1),
    add("a", stats="{}", deletionVector=deletion_vector("v")),
])  # fmt: skip
def test_live_files_keep_all_that_their_action_says(tmp_path: Path, action: Action) -> None:
    made = table(tmp_path, START, commit(action))
    snapshot = load(made)
    assert snapshot.segment is not None
    (file,) = live_files(open_store(str(made.path)), snapshot.segment)
    assert file == AddFile.from_wire(action["add"])
    assert file.to_wire() == action["add"]
