"""Verdicts on made-up programs, so that each sentence about them stands alone; then laws."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltaadm.clients import (
    CLIENTS,
    Access,
    Client,
    ClientRelease,
    Compatibility,
    Fact,
    Source,
    feature_verdict,
    newest_releases,
    parse_client,
    shifts,
    verdict,
    verdicts,
)
from deltaadm.domain.features import FEATURES, LEGACY, with_requirements, without_plain_columns
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import FieldKey
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.spark_support import SPARK_TYPES, refusal_to_read, refusal_to_write
from deltaadm.domain.wire import Metadata
from tests.support.examples import TIMES
from tests.support.rows import with_rows

BOOK = Source("The Book", "2026-01-02")


def _fact(
    outcome: Compatibility,
    features: str,
    source: Source,
    releases: str = "",
    note: str = "",
    **flags: bool,
) -> Fact:
    since, _, until = releases.partition("..")
    return Fact(outcome, tuple(features.split()), source, since, until, note=note, **flags)


def up_to(highest: int, until: str = "", note: str = "") -> Fact:
    return Fact(Compatibility.FAILS_LOUDLY, (), BOOK, until=until, note=note, highest=highest)


works = partial(_fact, Compatibility.WORKS)
unknown = partial(_fact, Compatibility.UNKNOWN)
fails = partial(_fact, Compatibility.FAILS_LOUDLY)
wrong = partial(_fact, Compatibility.SILENTLY_WRONG, active=True)

IN_ID_MODE = Metadata(configuration={"delta.columnMapping.mode": "id"})
IN_NO_MODE = Metadata(configuration={"delta.columnMapping.mode": "sideways"})
MAPPED = Metadata(configuration={"delta.columnMapping.mode": "name"})
PLAIN = Metadata()
WORKS, UNKNOWN, FAILS, WRONG = Compatibility

CHECKER = Client(
    id="checker",
    name="Checker",
    versioned_by="releases",
    oldest="2",
    newest="5",
    reads=(
        up_to(2, until="3"),
        up_to(3),
        works("columnMapping deletionVectors", BOOK),
        fails("*", BOOK, note="says so"),
    ),
    writes=(
        up_to(7),
        works("appendOnly invariants columnMapping", BOOK),
        fails("invariants", BOOK, active=True),
        works("changeDataFeed", BOOK),
        fails("changeDataFeed", BOOK, listed=True),
        fails("*", BOOK),
    ),
)
TRUSTING = Client(
    id="trusting",
    name="Trusting",
    versioned_by="releases",
    oldest="1",
    newest="9",
    reads=(
        up_to(9),
        works("columnMapping", BOOK),
        wrong("columnMapping", BOOK, "..7", "nulls"),
        wrong("columnMapping[id]", BOOK, "8..", "nulls"),
        wrong("columnMapping[reader=2]", BOOK, "8..", "nulls"),
        unknown("timestampNtz", BOOK, note="not said"),
    ),
    writes=(up_to(0, note="read only"),),
)


def listed(*names: str) -> Protocol:
    readers = frozenset(name for name in names if name not in FEATURES or FEATURES[name].is_reader)
    return Protocol(3, 7, readers, frozenset(names))


def writers(*names: str) -> Protocol:
    return Protocol(1, 7, None, frozenset(names))


@pytest.mark.parametrize(
    ("client", "version", "protocol", "metadata", "access", "expected", "responsible"), [
    pytest.param(CHECKER, "5", Protocol(1, 2), PLAIN, Access.READ, WORKS, [],
        id="nothing stands in the way"),
    pytest.param(CHECKER, "5", listed("deletionVectors"), PLAIN, Access.READ, WORKS, [],
        id="a known feature works"),
    pytest.param(CHECKER, "2", listed("deletionVectors"), PLAIN, Access.READ, FAILS,
        ["protocol.minReaderVersion"], id="an old release stops at the version"),
    pytest.param(CHECKER, "5", listed("fromTheFuture"), PLAIN, Access.READ, FAILS,
        ["fromTheFuture"], id="what is named by nothing falls under every other feature"),
    pytest.param(CHECKER, "5", writers("fromTheFuture", "rowTracking"), PLAIN, Access.READ, WORKS,
        [], id="readers are not concerned by writer features"),
    pytest.param(CHECKER, "5", writers("rowTracking", "clustering"), PLAIN, Access.WRITE, FAILS,
        ["clustering", "rowTracking"], id="writers are, and all are named"),
    pytest.param(CHECKER, "5", listed("deletionVectors"), PLAIN, Access.WRITE, FAILS,
        ["deletionVectors"], id="reading a feature is not writing it"),
    pytest.param(CHECKER, "2", listed("appendOnly"), PLAIN, Access.WRITE, FAILS,
        ["protocol.minReaderVersion"], id="who cannot read cannot write"),
    pytest.param(CHECKER, "5", Protocol(1, 3), PLAIN, Access.WRITE, FAILS, ["checkConstraints"],
        id="old versions imply features"),
    pytest.param(CHECKER, "5", writers("invariants"),
        Metadata(schema_string='{"type":"struct","fields":[{"name":"a","type":"long",'
        '"nullable":false,"metadata":{}}]}'), Access.WRITE, FAILS, ["invariants"],
        id="some features only matter in use"),
    pytest.param(CHECKER, "5", writers("invariants"), PLAIN, Access.WRITE, WORKS, [],
        id="and are harmless otherwise"),
    pytest.param(CHECKER, "5", writers("invariants"), Metadata(schema_string="{"), Access.WRITE,
        FAILS, ["invariants"], id="metadata that cannot be read is taken to use it"),
    pytest.param(CHECKER, "5", Protocol(1, 4), PLAIN, Access.WRITE, FAILS,
        ["checkConstraints", "generatedColumns"], id="what a version implies is in no list"),
    pytest.param(CHECKER, "5", writers("changeDataFeed"), PLAIN, Access.WRITE, FAILS,
        ["changeDataFeed"], id="some programs look at lists alone"),
    pytest.param(TRUSTING, "8", listed("columnMapping"), IN_ID_MODE, Access.READ, WRONG,
        ["columnMapping"], id="id mode has facts of its own"),
    pytest.param(TRUSTING, "8", listed("columnMapping"), MAPPED, Access.READ, WORKS, [],
        id="which do not concern the name mode"),
    pytest.param(TRUSTING, "8", Protocol(2, 5), MAPPED, Access.READ, WRONG, ["columnMapping"],
        id="and so has a reader version without lists"),
    pytest.param(TRUSTING, "8", Protocol(2, 5), IN_NO_MODE, Access.READ, WRONG, ["columnMapping"],
        id="a mode that does not exist may be any"),
    pytest.param(CHECKER, "1", Protocol(1, 2), PLAIN, Access.READ, UNKNOWN,
        ["protocol.minReaderVersion"], id="nothing is known about older releases"),
    pytest.param(CHECKER, "6", listed("deletionVectors"), PLAIN, Access.READ, WORKS, [],
        id="later releases are judged like the newest known"),
    pytest.param(CHECKER, "5", Protocol(4, 7), PLAIN, Access.READ, FAILS,
        ["protocol.minReaderVersion"], id="a version from the future"),
    pytest.param(TRUSTING, "6", Protocol(2, 5), PLAIN, Access.READ, WORKS, [],
        id="a feature that is not in use does not go wrong"),
    pytest.param(TRUSTING, "6", Protocol(2, 5), MAPPED, Access.READ, WRONG, ["columnMapping"],
        id="in use it does, in a table of the old versions"),
    pytest.param(TRUSTING, "6", listed("columnMapping", "timestampNtz", "fromTheFuture"), MAPPED,
        Access.READ, WRONG, ["columnMapping"], id="silently wrong outranks all else"),
    pytest.param(TRUSTING, "7", listed("columnMapping"), MAPPED, Access.READ, WORKS, [],
        id="a fact ends before the release that it names"),
    pytest.param(TRUSTING, "6", Protocol(2, 7, None, frozenset({"columnMapping"})), MAPPED,
        Access.READ, WRONG, ["columnMapping"],
        id="a reader feature that only writers list concerns readers"),
    pytest.param(TRUSTING, "6", listed("deletionVectors"), PLAIN, Access.READ, UNKNOWN,
        ["deletionVectors"], id="what no source tells is unknown"),
    pytest.param(TRUSTING, "6", listed("timestampNtz"), PLAIN, Access.READ, UNKNOWN,
        ["timestampNtz"], id="a source may leave it open"),
    pytest.param(TRUSTING, "6", Protocol(1, 1), PLAIN, Access.WRITE, FAILS,
        ["protocol.minWriterVersion"], id="some programs never write"),
])  # fmt: skip
def test_verdict(
    client: Client,
    version: str,
    protocol: Protocol,
    metadata: Metadata,
    access: Access,
    expected: Compatibility,
    responsible: list[str],
) -> None:
    found = verdict(ClientRelease(client, version), protocol, metadata, access)
    assert found.compatibility is expected
    assert [cell.subject for cell in found.responsible] == responsible


def test_cells_carry_source_and_note() -> None:
    found = verdict(ClientRelease(CHECKER, "5"), listed("variantType"), PLAIN, Access.READ)
    [cell] = found.responsible
    assert (cell.subject, cell.source, cell.note) == ("variantType", BOOK, "says so")


def test_an_unknown_cell_has_no_source() -> None:
    found = verdict(ClientRelease(TRUSTING, "6"), listed("variantType"), PLAIN, Access.READ)
    [cell] = found.responsible
    assert cell.source is None


def test_shifts_are_what_gets_worse() -> None:
    releases = (ClientRelease(CHECKER, "5"), ClientRelease(TRUSTING, "6"))
    before = verdicts(releases, Protocol(1, 2), PLAIN)
    after = verdicts(releases, listed("appendOnly", "columnMapping"), MAPPED)
    found = shifts(before, after)
    assert [(str(shift.after.release), shift.after.access) for shift in found] == [
        ("trusting@6", Access.READ)
    ]
    assert all(shift.turns_silently_wrong for shift in found)
    assert found[0].before.compatibility is WORKS
    assert shifts(after, before) == ()


# Laws, on everything that is known

names = st.sampled_from([*FEATURES, "fromTheFuture"])
protocols = st.one_of(
    st.frozensets(names, max_size=6).map(lambda some: listed(*some)),
    st.sampled_from([Protocol(1, 1), Protocol(1, 2), Protocol(1, 4), Protocol(2, 5)]),
)
releases = st.sampled_from(
    [
        ClientRelease(client, text)
        for client in CLIENTS.values()
        for text in sorted(
            {
                bound
                for fact in (*client.reads, *client.writes)
                for bound in (fact.since or client.oldest, fact.until or client.newest)
            }
        )
    ]
)
metadata = st.sampled_from(
    [IN_ID_MODE, PLAIN, MAPPED, Metadata(configuration={"delta.appendOnly": "true"})]
)


@pytest.mark.slow
@given(releases, st.frozensets(names, max_size=6), st.frozensets(names, max_size=3), metadata)
@settings(max_examples=250 * TIMES)
def test_more_features_never_improve_a_verdict(
    release: ClientRelease, some: frozenset[str], more: frozenset[str], table: Metadata
) -> None:
    """The reference client apart, which asks for what features require."""
    if release.is_reference:
        return
    for access in Access:
        before = verdict(release, listed(*some), table, access).compatibility
        after = verdict(release, listed(*some, *more), table, access).compatibility
        refused = access is Access.WRITE and after is FAILS
        assert refused or after.rank >= before.rank


@pytest.mark.slow
@given(releases, protocols, metadata)
@settings(max_examples=250 * TIMES)
def test_who_refuses_to_read_writes_only_what_a_source_says(
    release: ClientRelease, protocol: Protocol, table: Metadata
) -> None:
    reading = verdict(release, protocol, table, Access.READ)
    writing = verdict(release, protocol, table, Access.WRITE)
    found = {cell.subject: cell for cell in writing.cells}
    for cell in reading.responsible if reading.compatibility is FAILS else ():
        assert found[cell.subject].source is not None
        assert found[cell.subject].compatibility is not UNKNOWN or found[cell.subject].note


@pytest.mark.slow
@given(
    st.sampled_from(["delta-spark@4.4.0", "delta-spark@4.5", "delta-spark"]).map(parse_client),
    protocols,
    st.frozensets(st.sampled_from(["delta.appendOnly", "delta.enableRowTracking", "x"])),
    st.sampled_from(["long", "geometry(4326)", "variant", "qubit", "timestamp_ntz"]),
)
@settings(max_examples=250 * TIMES)
def test_the_reference_does_what_it_refuses_and_nothing_else(
    release: ClientRelease, protocol: Protocol, keys: frozenset[str], of: str
) -> None:
    field = {"name": "a", "type": of, "nullable": True, "metadata": {}}
    table = Metadata(
        schema_string=json.dumps({"type": "struct", "fields": [field]}),
        configuration=dict.fromkeys(keys, "true"),
    )
    snapshot = Snapshot(root="", version=0, protocol=protocol, metadata=table)
    refusals = {Access.READ: refusal_to_read(snapshot), Access.WRITE: refusal_to_write(snapshot)}
    for access, refusal in refusals.items():
        found = verdict(release, protocol, table, access)
        assert found.compatibility is (FAILS if refusal else WORKS)
        assert {cell.note for cell in found.responsible} == (
            {refusal.message} if refusal else set()
        )


@pytest.mark.slow
@given(releases, protocols, st.sampled_from([MAPPED, IN_ID_MODE]))
@settings(max_examples=250 * TIMES)
def test_using_a_feature_is_never_better_than_not_using_it(
    release: ClientRelease, protocol: Protocol, table: Metadata
) -> None:
    for access in Access:
        using = verdict(release, protocol, table, access)
        having = verdict(release, protocol, PLAIN, access)
        assert using.compatibility.rank >= having.compatibility.rank


@pytest.mark.slow
@given(releases, protocols, metadata, st.sampled_from(Access))
@settings(max_examples=250 * TIMES)
def test_whatever_works_or_does_not_has_a_source(
    release: ClientRelease, protocol: Protocol, table: Metadata, access: Access
) -> None:
    found = verdict(release, protocol, table, access)
    for cell in found.cells:
        assert cell.source is not None or cell.compatibility is UNKNOWN
    assert found.responsible or found.compatibility is WORKS


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_every_client_reads_the_oldest_protocol(client: Client) -> None:
    release = ClientRelease(client, client.newest)
    assert verdict(release, Protocol(1, 1), PLAIN, Access.READ).compatibility is WORKS


def test_the_reference_reads_and_writes_what_the_registry_says() -> None:
    """Delta Spark's facts and the registry of features are two views of one program."""
    release = parse_client("delta-spark@4.4.0")
    legacy = {case.name for case in LEGACY}
    for name, feature in FEATURES.items():
        needed = with_requirements([name])
        found = verdict(release, listed(*needed), PLAIN, Access.WRITE).compatibility
        managed = "catalogManaged" in needed
        assert found is (WORKS if feature.in_delta_spark and not managed else FAILS), name
        if feature.since and name not in legacy:
            older = verdict(parse_client("delta-spark@2.3"), listed(name), PLAIN, Access.WRITE)
            assert (older.compatibility is WORKS) == (feature.since == "2.3.0"), name


@with_rows
def test_a_client_seen_writing_a_feature_writes_it(
    release: str, feature: str, expected: str
) -> None:
    found = verdict(parse_client(release), listed(feature), PLAIN, Access.WRITE)
    assert found.compatibility is Compatibility(expected)


ICEBERG = Metadata(configuration={**MAPPED.configuration, "delta.enableIcebergCompatV2": "true"})


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("table", [MAPPED, IN_ID_MODE, ICEBERG], ids=["name", "id", "on"])
def test_what_is_read_wrongly_may_yet_be_refused_by_writers(version: int, table: Metadata) -> None:
    protocol = Protocol(2, 7, None, frozenset({"columnMapping", f"icebergCompatV{version}"}))
    release = parse_client("delta-rs@1.6.6")
    assert verdict(release, protocol, table, Access.READ).compatibility is WRONG
    writing = verdict(release, protocol, table, Access.WRITE)
    assert writing.compatibility is FAILS
    assert [cell.subject for cell in writing.responsible] == [f"icebergCompatV{version}"]
    assert "to_pyarrow_table" not in writing.responsible[0].note


@with_rows
def test_reading_a_table_with_one_feature(client: str, feature: str, expected: str) -> None:
    protocol = listed(feature) if feature != "rowTracking" else writers(feature)
    found = verdict(parse_client(client), protocol, PLAIN, Access.READ)
    assert found.compatibility is Compatibility(expected)


def columns(*fields: dict[str, object], partitions: Sequence[str] = (), mode: str = "") -> Metadata:
    return Metadata(
        schema_string=json.dumps({"type": "struct", "fields": fields}),
        partition_columns=tuple(partitions),
        configuration={"delta.columnMapping.mode": mode} if mode else {},
    )


def of(
    kind: object, name: str = "a", *, nullable: bool = True, **more: object
) -> dict[str, object]:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": more}


MAP = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}
LIST = {"type": "array", "elementType": MAP, "containsNull": True}
POSITIVE = {"delta.invariants": '{"expression":{"expression":"a > 0"}}'}
VARCHAR = {"__CHAR_VARCHAR_TYPE_STRING": "varchar(5)"}
OLD, MAPPING = Protocol(1, 2), Protocol(2, 5)
NTZ, VARIANT, ICT = listed("timestampNtz"), listed("variantType"), writers("inCommitTimestamp")
STAMPED = Metadata(configuration={"delta.enableInCommitTimestamps": "true"})

WORDS = [*SPARK_TYPES, "decimal(10,2)", "decimal(39,0)", "char(3)", "timestamp_nanos", "qubit"]
KINDS = [
    *(
        kind
        for one in WORDS
        for kind in (one, {**LIST, "elementType": one}, {**MAP, "valueType": one})
    ),
    *({"type": "struct", "fields": [of("long", nullable=null)]} for null in (True, False)),
    {"type": "struct", "fields": [of("long", **POSITIVE)]},
]
KEYS = [key for name, key in vars(FieldKey).items() if name.isupper()]


@pytest.mark.parametrize("protocol", [OLD, MAPPING, listed("columnMapping", "appendOnly")])
def test_a_plain_column_makes_no_difference(protocol: Protocol) -> None:
    """To nothing that is found out once for tables that are alike without it."""
    fields = [of(kind, nullable=null) for kind in KINDS for null in (True, False)]
    fields += [of("string", **{key: "1"}) for key in KEYS] + [of("string", **POSITIVE)]
    left_out = 0

    def said(table: Metadata) -> list[object]:
        snapshot = Snapshot(root="", version=0, protocol=protocol, metadata=table)
        refusals = refusal_to_read(snapshot), refusal_to_write(snapshot)
        return [
            verdicts(newest_releases(), protocol, table),
            [each.activation.evidence(table) for each in FEATURES.values()],
            [refusal and refusal.message for refusal in refusals],
        ]

    for field, partitions in product(fields, ("", "a")):
        table = columns(field, of("long", "b"), partitions=partitions)
        less = without_plain_columns(table)
        left_out += 2 - len(less.schema.fields)
        assert said(less) == said(table), table
    assert left_out > len(fields)


@pytest.mark.parametrize(("client", "protocol", "metadata", "read", "write"), [
    ("duckdb-delta@1.5.5", MAPPING, columns(of("long"), mode="name"), WORKS, None),
    ("duckdb-delta@1.5.5", MAPPING, columns(of("long"), of("string", "p"), partitions=["p"],
        mode="name"), WRONG, None),
    ("duckdb-delta@1.5.5", OLD, columns(of("long"), partitions=["a"]), WORKS, WORKS),
    ("duckdb-delta@1.5.5", OLD, columns(of("date"), partitions=["a"]), WORKS, WORKS),
    ("duckdb-delta@1.5.5", OLD, columns(of("decimal(3,2)"), partitions=["a"]), WORKS, WORKS),
    ("duckdb-delta@1.5.5", OLD, columns(of("string"), partitions=["a"]), WORKS, WRONG),
    ("duckdb-delta@1.5.5", OLD, columns(of("timestamp"), partitions=["a"]), WORKS, WRONG),
    ("duckdb-delta@1.5.5", OLD, columns(of("double"), partitions=["a"]), WORKS, WRONG),
    ("duckdb-delta@1.5.0", OLD, columns(of("string"), partitions=["a"]), WORKS, UNKNOWN),
    ("duckdb-delta@1.4.0", OLD, columns(of("long")), WORKS, WRONG),
    ("duckdb-delta@1.5.5", OLD, columns(of("long", nullable=False)), WORKS, WORKS),
    ("duckdb-delta@1.5.0", OLD, columns(of("long", nullable=False)), WORKS, FAILS),
    ("duckdb-delta@1.5.5", OLD, columns(of("long", **POSITIVE)), WORKS, FAILS),
    ("duckdb-delta@1.5.5", OLD, columns(of("string", **VARCHAR)), WORKS, WRONG),
    ("duckdb-delta@1.5.5", ICT, STAMPED, WORKS, WORKS),
    ("duckdb-delta@1.5.0", ICT, STAMPED, WORKS, FAILS),
    ("duckdb-delta@1.5.5", NTZ, columns(of("timestamp_ntz")), WORKS, WORKS),
    ("duckdb-delta@1.5.5", OLD, columns(of("timestamp_ntz")), FAILS, FAILS),
    ("delta-rs@1.6.6", OLD, columns(of("string", **VARCHAR)), WORKS, WRONG),
    ("delta-rs@1.6.0", OLD, columns(of("string", **VARCHAR)), WORKS, UNKNOWN),
    ("delta-rs@1.6.6", OLD, columns(of("timestamp_ntz")), FAILS, FAILS),
    ("polars@2.1.0", OLD, columns(of("string", **VARCHAR)), WORKS, WRONG),
    ("polars@2.1.0", VARIANT, columns(of("variant")), FAILS, WORKS),
    ("polars@2.1.0", VARIANT, columns(of("long")), WORKS, WORKS),
    ("polars@2.1.0", listed("columnMapping"), IN_ID_MODE, FAILS, WRONG),
    ("polars@2.1.0", listed("columnMapping"), MAPPED, FAILS, WORKS),
    ("daft@0.7.26", MAPPING, columns(of("long"), mode="name"), WORKS, None),
    ("daft@0.7.26", MAPPING, columns(of(LIST), mode="name"), FAILS, None),
    ("daft@0.7.26", OLD, columns(of(MAP)), WORKS, None),
    ("delta-kernel-rs@0.30.1", OLD, columns(of("timestamp_ntz")), FAILS, None),
    ("trino@480", OLD, columns(of("string", **VARCHAR), partitions=["a"]), WORKS, None),
])  # fmt: skip
def test_conditions_besides_features(
    client: str,
    protocol: Protocol,
    metadata: Metadata,
    read: Compatibility,
    write: Compatibility | None,
) -> None:
    release = parse_client(client)
    assert verdict(release, protocol, metadata, Access.READ).compatibility is read
    assert write in {None, verdict(release, protocol, metadata, Access.WRITE).compatibility}


def test_a_schema_that_cannot_be_read_may_have_any_condition() -> None:
    odd = Metadata(schema_string="{", partition_columns=("a",))
    found = verdict(parse_client("duckdb-delta@1.5.5"), OLD, odd, Access.WRITE)
    assert {cell.subject for cell in found.responsible} == {"partitionColumns", "schema"}


def test_features_are_judged_with_what_they_require() -> None:
    newest = next(each for each in newest_releases() if each.client.id == "delta-spark")
    for name in ("rowTracking", "clustering", "icebergCompatV2", "variantShredding"):
        for access in Access:
            verdict = feature_verdict(newest, name, access)
            assert verdict.compatibility is Compatibility.WORKS, (name, access)
