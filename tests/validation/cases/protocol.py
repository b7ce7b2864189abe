"""DL2xx: versions and table features."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, TableFeatures, write_deltalake

from tests.support.rule_cases import breaks, respects
from tests.support.schemas import INFO, field, mapped, one_commit, schema, with_protocol
from tests.support.tables import (
    Table,
    add,
    commit,
    commit_info,
    deletion_vector,
    draft,
    drafted,
    metadata,
    protocol,
)

VACUUM = "vacuumProtocolCheck"
DV = {"delta.enableDeletionVectors": "true"}
MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


@drafted
def with_mapping(
    path: Path, reader: int, writer: int, readers: Sequence[str] | None, writers: Sequence[str]
) -> Table:
    schema_string = schema(mapped("a", 1))
    return with_protocol(
        reader, writer, readers, writers, configuration=MAPPED, schemaString=schema_string
    )(path)


breaks("DL201", "writer version 101", with_protocol(1, 101))
breaks("DL201", "reader version 4",
    with_protocol(4, 7, ["deletionVectors"], ["deletionVectors"], configuration=DV))
breaks("DL201", "versions are missing", one_commit({"protocol": {}}, metadata()))
respects("DL201", "highest legacy versions", with_protocol(2, 6))


@breaks("DL202")
def reader_version_3_without_list(path: Path) -> None:
    with_protocol(3, 7, None, ["appendOnly", "checkConstraints"], configuration=CHECKED)(path)


CHECKED = {"delta.appendOnly": "true", "delta.constraints.positive": "a > 0"}


breaks("DL202", "reader version 3 without list for a reader feature",
    with_protocol(3, 7, None, ["deletionVectors"], configuration=DV))
breaks("DL202", "empty reader list with version 1", with_protocol(1, 2, []))
breaks("DL202", "reader list with version 2",
    with_mapping(2, 7, ["columnMapping"], ["columnMapping"]))
respects("DL202 DL216", "empty reader list with version 3",
    with_protocol(3, 7, [], ["domainMetadata"]))


@respects("DL202")
def reader_list_is_null(path: Path) -> None:
    made = protocol(1, 2)
    made["protocol"] |= {"readerFeatures": None, "writerFeatures": None}
    one_commit(made, metadata())(path)


breaks("DL203", "writer version 7 without list", with_protocol(1, 7))
breaks("DL203", "empty writer list with version 2", with_protocol(1, 2, None, []))
respects("DL203 DL216", "empty writer list with version 7", with_protocol(1, 7, None, []))

breaks("DL204", "reader 3 with writer 6", with_protocol(3, 6, []))
respects("DL204", "reader 2 with writer 6", with_protocol(2, 6))

breaks("DL205", "feature for readers only",
    with_protocol(3, 7, ["deletionVectors", VACUUM], ["deletionVectors"], configuration=DV))
respects("DL205 DL204", "reader list beside a legacy writer version", with_protocol(3, 6, [VACUUM]))

breaks("DL206", "feature for writers only",
    with_protocol(3, 7, ["deletionVectors"], ["deletionVectors", VACUUM], configuration=DV))
breaks("DL206", "orphaned column mapping", with_mapping(3, 7, [], ["columnMapping"]))
respects("DL206 DL202", "empty reader list at 2 7", with_mapping(2, 7, [], ["columnMapping"]))
respects("DL206", "column mapping at 2 7", with_mapping(2, 7, None, ["columnMapping"]))
respects("DL206", "writer feature for writers only", with_protocol(3, 7, ["deletionVectors"],
    ["deletionVectors", "domainMetadata"], configuration=DV))


@breaks("DL207")
def writer_feature_for_readers(path: Path) -> None:
    both = ["deletionVectors", "domainMetadata"]
    with_protocol(3, 7, both, both, configuration=DV)(path)


respects("DL207", "reader writer features for both",
    with_protocol(3, 7, ["deletionVectors", VACUUM], ["deletionVectors", VACUUM], configuration=DV))

breaks("DL208", "deletion vectors at reader 1",
    with_protocol(1, 7, None, ["deletionVectors"], configuration=DV))
breaks("DL208", "deletion vectors at reader 2",
    with_protocol(2, 7, None, ["deletionVectors"], configuration=DV))
respects("DL208", "deletion vectors at reader 3",
    with_protocol(3, 7, ["deletionVectors"], ["deletionVectors"], configuration=DV))

breaks("DL209", "column mapping at reader 1", with_mapping(1, 7, None, ["columnMapping"]))
respects("DL209", "column mapping at reader 2", with_mapping(2, 7, None, ["columnMapping"]))


@breaks("DL210 DL217 DL219")
def row_tracking_without_domain_metadata_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data)
    DeltaTable(path).alter.add_feature(
        TableFeatures.RowTracking, allow_protocol_versions_increase=True
    )


breaks("DL210", "iceberg compatibility without column mapping",
    with_protocol(1, 7, None, ["icebergCompatV1"]))
breaks("DL210 DL213", "requirement of a feature that delta spark does not know",
    with_protocol(1, 7, None, ["collations"]))
breaks("DL210", "requirement that other clients waive",
    draft(commit(commit_info(inCommitTimestamp=1, txnId="6a9f"), protocol(3, 7, ["catalogManaged"],
        ["catalogManaged", "inCommitTimestamp"]),
        metadata({"delta.enableInCommitTimestamps": "true"}))))
respects("DL210", "clustering with domain metadata",
    with_protocol(1, 7, None, ["clustering", "domainMetadata"]))
respects("DL210 DL214 DL217", "preview of variant shredding requires nothing",
    with_protocol(3, 7, ["variantShredding-preview"], ["variantShredding-preview"],
        configuration={"delta.enableVariantShredding": "false"}))


@breaks("DL211 DL219")
def change_data_feed_lost_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )


breaks("DL211", "not null column without invariants",
    with_protocol(1, 7, None, ["domainMetadata"], schemaString=schema(field("a", nullable=False))))
breaks("DL211", "property of a feature that delta spark does not know",
    with_protocol(1, 7, None, ["domainMetadata"],
        configuration={"delta.redirectWriterOnly-preview": "{}"}))
respects("DL211", "change data feed is listed", with_protocol(1, 7, None, ["changeDataFeed"],
    configuration={"delta.enableChangeDataFeed": "true"}))
respects("DL211", "change data feed is off", with_protocol(1, 7, None, ["domainMetadata"],
    configuration={"delta.enableChangeDataFeed": "false"}))
respects("DL211 DL214", "only the preview is listed", with_protocol(3, 7, ["typeWidening-preview"],
    ["typeWidening-preview"], configuration={"delta.enableTypeWidening": "true"}))
respects("DL211 DL310", "property that nobody can judge",
    with_protocol(1, 7, None, ["domainMetadata"],
        configuration={"delta.enableChangeDataFeed": "perhaps"}))

breaks("DL212", "change data feed at writer 3",
    with_protocol(1, 3, configuration={"delta.enableChangeDataFeed": "true"}))


@breaks("DL212")
def in_commit_timestamps_at_writer_2(path: Path) -> None:
    """As delta-rs writes it: the property alone."""
    with_protocol(1, 2, configuration={"delta.enableInCommitTimestamps": "true"})(path)


breaks("DL212", "invariant at writer 1",
    with_protocol(1, 1,
        schemaString=schema(
        field("a", **{"delta.invariants": '{"expression":{"expression":"a > 0"}}'}))))
breaks("DL212", "unknown to delta spark at writer 2",
    with_protocol(1, 2, configuration={"delta.enableIcebergWriterCompatV1": "true"}))
breaks("DL212", "generated column at writer 2",
    with_protocol(1, 2, schemaString=schema(field("a"),
        field("b", **{"delta.generationExpression": "a + 1"}))))
respects("DL212", "change data feed at writer 4",
    with_protocol(1, 4, configuration={"delta.enableChangeDataFeed": "true"}))
respects("DL212 DL525", "not null column at writer 1",
    with_protocol(1, 1, schemaString=schema(field("a", nullable=False))))

breaks("DL213", "name that nobody knows",
    with_protocol(3, 7, ["timeTravelling"], ["timeTravelling"]))
breaks("DL213", "writer name that nobody knows", with_protocol(1, 7, None, ["timeTravelling"]))
breaks("DL213", "name that only other clients know",
    with_protocol(1, 7, None, ["collations", "domainMetadata"]))
breaks("DL213 DL214", "reader name that only other clients know",
    with_protocol(3, 7, ["timestampWithoutTimezone"], ["timestampWithoutTimezone"]))
breaks("DL213", "name like a known one", with_protocol(1, 7, None, ["domainMetadatum"]))
respects("DL213", "name that delta knows", with_protocol(3, 7, [VACUUM], [VACUUM]))
respects("DL213 DL220", "name in other capitals", with_protocol(1, 7, None, ["domainmetadata"]))

breaks("DL214", "preview name", with_protocol(3, 7, ["typeWidening-preview"],
    ["typeWidening-preview"], configuration={"delta.enableTypeWidening": "true"}))
breaks("DL214", "preview name of a runtime",
    draft(commit(commit_info(engineInfo="Databricks-Runtime/15.4.x-scala2.12"),
        protocol(3, 7, ["variantType-preview"], ["variantType-preview"]),
        metadata(schemaString=schema(field("v", "variant"))))))
breaks("DL214 DL213", "another spelling",
    with_protocol(3, 7, ["timestampWithoutTimezone"], ["timestampWithoutTimezone"]))
respects("DL214 DL213", "name that only kernel knows",
    with_mapping(2, 7, None, [*["columnMapping", "domainMetadata", "icebergCompatV3",
        "icebergWriterCompatV3"], "rowTracking"]))
respects("DL214", "final name", with_protocol(3, 7, ["typeWidening"], ["typeWidening"],
    configuration={"delta.enableTypeWidening": "true"}))


@breaks("DL215 DL214")
def preview_and_final_name(path: Path) -> None:
    both = ["typeWidening", "typeWidening-preview"]
    with_protocol(3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})(path)


@respects("DL215 DL214")
def preview_beside_another_feature(path: Path) -> None:
    both = ["typeWidening-preview", VACUUM]
    with_protocol(3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})(path)


breaks("DL216", "reader 2 that means nothing", with_protocol(2, 3))
breaks("DL216", "lists that a version implies",
    with_protocol(1, 7, None, ["appendOnly", "invariants"]))
breaks("DL216", "lists without features", with_protocol(3, 7, [], []))
respects("DL216", "lists that no version implies", with_protocol(1, 7, None, ["appendOnly"]))
respects("DL216", "column mapping listed for writers", with_mapping(2, 7, None, ["columnMapping"]))


@breaks("DL217")
def variant_without_a_column_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableDeletionVectors": "true"})


breaks("DL217", "deletion vectors that nobody wants",
    with_protocol(3, 7, ["deletionVectors"], ["deletionVectors"]))
breaks("DL217", "writer feature that can be dropped",
    with_protocol(1, 7, None, ["domainMetadata", "rowTracking"]))
breaks("DL217", "type widening that nobody used",
    with_protocol(3, 7, ["typeWidening"], ["typeWidening"]))


@breaks("DL217")
def v2_checkpoints_beside_a_classic_one(path: Path) -> None:
    both = protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"])
    made = one_commit(both, metadata())(path)
    made.checkpoint(0, [both, metadata()])
    made.last_checkpoint(0)


respects("DL217", "deletion vectors that files still have",
    one_commit(protocol(3, 7, ["deletionVectors"], ["deletionVectors"]), metadata(),
        add("f", stats=json.dumps({"numRecords": 5, "tightBounds": False}),
        deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^"))))
respects("DL217", "type changes that columns still show",
    with_protocol(3, 7, ["typeWidening"], ["typeWidening"],
        schemaString=schema(
        field("a", **{"delta.typeChanges": [{"fromType": "short", "toType": "integer"}]}))))


@respects("DL217")
def v2_checkpoint_that_the_table_rests_on(path: Path) -> None:
    both = protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"])
    made = one_commit(both, metadata())(path)
    made.v2_checkpoint(0, [both, metadata()])
    made.last_checkpoint(0)


@respects("DL217")
def feature_that_another_one_requires(path: Path) -> None:
    with_mapping(2, 7, None, ["columnMapping", "icebergCompatV1"])(path)
    Table(path).commit(1, INFO, metadata(schemaString=schema(field("a"))))


respects("DL217", "writer feature that cannot be dropped",
    with_protocol(1, 7, None, ["appendOnly", "changeDataFeed"]))

breaks("DL218", "feature gone without drop feature",
    with_protocol(1, 7, None, ["appendOnly", "domainMetadata"])
        .commit(1, INFO, protocol(1, 7, None, ["domainMetadata"])))
breaks("DL218", "unknown feature gone",
    with_protocol(1, 7, None, ["timeTravelling", "domainMetadata"])
        .commit(1, INFO, protocol(1, 7, None, ["domainMetadata"])))
breaks("DL218", "legacy version went down",
    with_protocol(1, 4).commit(1, commit_info(engineInfo="Somebody/1"), protocol(1, 2)))


@breaks("DL218")
def feature_with_a_twin_gone(path: Path) -> None:
    old, new = [VACUUM, "typeWidening"], [VACUUM]
    made = with_protocol(3, 7, old, old, configuration={"delta.enableTypeWidening": "false"})(path)
    made.commit(1, INFO, protocol(3, 7, new, new))


respects("DL218", "feature that came back",
    with_protocol(1, 7, None, ["appendOnly", "domainMetadata"])
    .commit(1, INFO, protocol(1, 7, None, ["domainMetadata"]))
    .commit(2, INFO, protocol(1, 7, None, ["appendOnly", "domainMetadata"])))
respects("DL218", "feature dropped", with_protocol(1, 7, None, ["appendOnly", "domainMetadata"])
    .commit(1, commit_info(operation="DROP FEATURE"), protocol(1, 7, None, ["appendOnly"])))
respects("DL218", "table replaced", with_protocol(1, 7, None, ["appendOnly", "domainMetadata"])
    .commit(1, commit_info(operation="CREATE OR REPLACE TABLE AS SELECT"), protocol(1, 2),
    metadata()))


@respects("DL218")
def preview_became_final(path: Path) -> None:
    on = {"delta.enableTypeWidening": "true"}
    old, new = ["typeWidening-preview"], ["typeWidening"]
    made = with_protocol(3, 7, old, old, configuration=on)(path)
    made.commit(1, INFO, protocol(3, 7, new, new))


respects("DL218", "features carried over", with_protocol(1, 2)
    .commit(1, INFO, protocol(1, 7, None, ["appendOnly", "invariants", "domainMetadata"])))

breaks("DL219", "implied features not carried over",
    with_protocol(1, 2).commit(1, INFO, protocol(1, 7, None, ["appendOnly", "domainMetadata"])))


@breaks("DL219")
def implied_features_dropped_by_name(path: Path) -> None:
    """DROP FEATURE takes the feature that it names, and not those that were implied."""
    made = with_protocol(1, 2)(path)
    made.commit(1, commit_info(operation="DROP FEATURE"), protocol(1, 7, None, ["domainMetadata"]))


respects("DL219", "implied features carried over", with_protocol(1, 2)
    .commit(1, INFO, protocol(1, 7, None, ["appendOnly", "invariants", "domainMetadata"])))

breaks("DL220", "wrong capitals for readers and writers",
    with_protocol(3, 7, ["VacuumProtocolCheck"], ["VacuumProtocolCheck"]))
breaks("DL220", "wrong capitals for writers", with_protocol(1, 7, None, ["DOMAINMETADATA"]))
respects("DL220", "right capitals", with_protocol(1, 7, None, ["domainMetadata"]))

breaks("DL221", "name listed twice",
    with_protocol(1, 7, None, ["domainMetadata", "domainMetadata"]))


@breaks("DL221")
def entries_that_are_no_names(path: Path) -> None:
    odd: Any = ["domainMetadata", 7, None, ["x"], {"y": 1}]
    with_protocol(1, 7, None, odd)(path)


breaks("DL221 DL213", "name with illegal characters",
    with_protocol(1, 7, None, ["domainMetadata", "a b"]))
respects("DL221 DL213", "legal name that nobody knows",
    with_protocol(1, 7, None, ["domainMetadata", "a-b_9"]))


@drafted
def iceberg(path: Path, *versions: int, off: int = 0) -> None:
    configuration = MAPPED | {
        f"delta.enableIcebergCompatV{version}": "true" for version in versions
    }
    configuration |= {f"delta.enableIcebergCompatV{off}": "false"} if off else {}
    names = [f"icebergCompatV{number}" for number in (*versions, off) if number]
    with_protocol(
        2,
        7,
        None,
        ["columnMapping", *names],
        configuration=configuration,
        schemaString=schema(mapped("a", 1, **{"delta.columnMapping.nested.ids": {}})),
    )(path)


breaks("DL222", "two versions of iceberg compatibility", iceberg(1, 2))


@breaks("DL222 DL214 DL511 DL532")
def adaptive_metadata_with_v2_checkpoints(path: Path) -> None:
    both = sorted({
        "adaptiveMetadata-preview", "catalogManaged", "columnMapping", "deletionVectors",
        "v2Checkpoint", VACUUM,
    })
    configuration = MAPPED | DV | {"delta.checkpointPolicy": "v2"}
    with_protocol(
        3,
        7,
        both,
        [*both, "domainMetadata", "inCommitTimestamp", "rowTracking"],
        configuration=configuration,
        schemaString=schema(mapped("a", 1)),
    )(path)


respects("DL222 DL211", "second version is not supported",
    with_protocol(2, 7, None, ["columnMapping", "icebergCompatV2"],
        configuration=(MAPPED | {f"delta.enableIcebergCompatV{number}": "true" for number in (1,
        2)}), schemaString=schema(mapped("a", 1, **{"delta.columnMapping.nested.ids": {}}))))
respects("DL222", "one version of iceberg compatibility", iceberg(2, off=1))

breaks("DL223 DL213", "feature that no client knows",
    with_protocol(3, 7, ["timeTravelling"], ["timeTravelling"]))
respects("DL223", "protocol that every client knows", with_protocol(1, 1))
