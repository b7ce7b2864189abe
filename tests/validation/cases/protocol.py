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
    metadata,
    protocol,
    table,
)

VACUUM = "vacuumProtocolCheck"
DV = {"delta.enableDeletionVectors": "true"}
MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def with_mapping(
    path: Path, reader: int, writer: int, readers: Sequence[str] | None, writers: Sequence[str]
) -> Table:
    schema_string = schema(mapped("a", 1))
    return with_protocol(
        path, reader, writer, readers, writers, configuration=MAPPED, schemaString=schema_string
    )


@breaks("DL201")
def writer_version_101(path: Path) -> None:
    with_protocol(path, 1, 101)


@breaks("DL201")
def reader_version_4(path: Path) -> None:
    with_protocol(path, 4, 7, ["deletionVectors"], ["deletionVectors"], configuration=DV)


@breaks("DL201")
def versions_are_missing(path: Path) -> None:
    one_commit(path, {"protocol": {}}, metadata())


@respects("DL201")
def highest_legacy_versions(path: Path) -> None:
    with_protocol(path, 2, 6)


@breaks("DL202")
def reader_version_3_without_list(path: Path) -> None:
    with_protocol(path, 3, 7, None, ["appendOnly", "checkConstraints"], configuration=CHECKED)


CHECKED = {"delta.appendOnly": "true", "delta.constraints.positive": "a > 0"}


@breaks("DL202")
def reader_version_3_without_list_for_a_reader_feature(path: Path) -> None:
    with_protocol(path, 3, 7, None, ["deletionVectors"], configuration=DV)


@breaks("DL202")
def empty_reader_list_with_version_1(path: Path) -> None:
    with_protocol(path, 1, 2, [])


@breaks("DL202")
def reader_list_with_version_2(path: Path) -> None:
    with_mapping(path, 2, 7, ["columnMapping"], ["columnMapping"])


@respects("DL202", "DL216")
def empty_reader_list_with_version_3(path: Path) -> None:
    with_protocol(path, 3, 7, [], ["domainMetadata"])


@respects("DL202")
def reader_list_is_null(path: Path) -> None:
    made = protocol(1, 2)
    made["protocol"] |= {"readerFeatures": None, "writerFeatures": None}
    one_commit(path, made, metadata())


@breaks("DL203")
def writer_version_7_without_list(path: Path) -> None:
    with_protocol(path, 1, 7)


@breaks("DL203")
def empty_writer_list_with_version_2(path: Path) -> None:
    with_protocol(path, 1, 2, None, [])


@respects("DL203", "DL216")
def empty_writer_list_with_version_7(path: Path) -> None:
    with_protocol(path, 1, 7, None, [])


@breaks("DL204")
def reader_3_with_writer_6(path: Path) -> None:
    with_protocol(path, 3, 6, [])


@respects("DL204")
def reader_2_with_writer_6(path: Path) -> None:
    with_protocol(path, 2, 6)


@breaks("DL205")
def feature_for_readers_only(path: Path) -> None:
    with_protocol(path, 3, 7, ["deletionVectors", VACUUM], ["deletionVectors"], configuration=DV)


@respects("DL205", "DL204")
def reader_list_beside_a_legacy_writer_version(path: Path) -> None:
    with_protocol(path, 3, 6, [VACUUM])


@breaks("DL206")
def feature_for_writers_only(path: Path) -> None:
    with_protocol(path, 3, 7, ["deletionVectors"], ["deletionVectors", VACUUM], configuration=DV)


@breaks("DL206")
def orphaned_column_mapping(path: Path) -> None:
    with_mapping(path, 3, 7, [], ["columnMapping"])


@respects("DL206", "DL202")
def empty_reader_list_at_2_7(path: Path) -> None:
    with_mapping(path, 2, 7, [], ["columnMapping"])


@respects("DL206")
def column_mapping_at_2_7(path: Path) -> None:
    with_mapping(path, 2, 7, None, ["columnMapping"])


@respects("DL206")
def writer_feature_for_writers_only(path: Path) -> None:
    with_protocol(
        path, 3, 7, ["deletionVectors"], ["deletionVectors", "domainMetadata"], configuration=DV
    )


@breaks("DL207")
def writer_feature_for_readers(path: Path) -> None:
    both = ["deletionVectors", "domainMetadata"]
    with_protocol(path, 3, 7, both, both, configuration=DV)


@respects("DL207")
def reader_writer_features_for_both(path: Path) -> None:
    both = ["deletionVectors", VACUUM]
    with_protocol(path, 3, 7, both, both, configuration=DV)


@breaks("DL208")
def deletion_vectors_at_reader_1(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["deletionVectors"], configuration=DV)


@breaks("DL208")
def deletion_vectors_at_reader_2(path: Path) -> None:
    with_protocol(path, 2, 7, None, ["deletionVectors"], configuration=DV)


@respects("DL208")
def deletion_vectors_at_reader_3(path: Path) -> None:
    with_protocol(path, 3, 7, ["deletionVectors"], ["deletionVectors"], configuration=DV)


@breaks("DL209")
def column_mapping_at_reader_1(path: Path) -> None:
    with_mapping(path, 1, 7, None, ["columnMapping"])


@respects("DL209")
def column_mapping_at_reader_2(path: Path) -> None:
    with_mapping(path, 2, 7, None, ["columnMapping"])


@breaks("DL210", "DL217", "DL219")
def row_tracking_without_domain_metadata_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data)
    DeltaTable(path).alter.add_feature(
        TableFeatures.RowTracking, allow_protocol_versions_increase=True
    )


@breaks("DL210")
def iceberg_compatibility_without_column_mapping(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["icebergCompatV1"])


@breaks("DL210", "DL213")
def requirement_of_a_feature_that_delta_spark_does_not_know(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["collations"])


@breaks("DL210")
def requirement_that_other_clients_waive(path: Path) -> None:
    configuration = {"delta.enableInCommitTimestamps": "true"}
    info = commit_info(inCommitTimestamp=1, txnId="6a9f")
    proto = protocol(3, 7, ["catalogManaged"], ["catalogManaged", "inCommitTimestamp"])
    table(path, commit(info, proto, metadata(configuration)))


@respects("DL210")
def clustering_with_domain_metadata(path: Path) -> None:
    names = ["clustering", "domainMetadata"]
    with_protocol(path, 1, 7, None, names)


@respects("DL210", "DL214", "DL217")
def preview_of_variant_shredding_requires_nothing(path: Path) -> None:
    both = ["variantShredding-preview"]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableVariantShredding": "false"})


@breaks("DL211", "DL219")
def change_data_feed_lost_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )


@breaks("DL211")
def not_null_column_without_invariants(path: Path) -> None:
    with_protocol(
        path, 1, 7, None, ["domainMetadata"], schemaString=schema(field("a", nullable=False))
    )


@breaks("DL211")
def property_of_a_feature_that_delta_spark_does_not_know(path: Path) -> None:
    configuration = {"delta.redirectWriterOnly-preview": "{}"}
    with_protocol(path, 1, 7, None, ["domainMetadata"], configuration=configuration)


@respects("DL211")
def change_data_feed_is_listed(path: Path) -> None:
    configuration = {"delta.enableChangeDataFeed": "true"}
    with_protocol(path, 1, 7, None, ["changeDataFeed"], configuration=configuration)


@respects("DL211")
def change_data_feed_is_off(path: Path) -> None:
    configuration = {"delta.enableChangeDataFeed": "false"}
    with_protocol(path, 1, 7, None, ["domainMetadata"], configuration=configuration)


@respects("DL211", "DL214")
def only_the_preview_is_listed(path: Path) -> None:
    both = ["typeWidening-preview"]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})


@respects("DL211", "DL310")
def property_that_nobody_can_judge(path: Path) -> None:
    configuration = {"delta.enableChangeDataFeed": "perhaps"}
    with_protocol(path, 1, 7, None, ["domainMetadata"], configuration=configuration)


@breaks("DL212")
def change_data_feed_at_writer_3(path: Path) -> None:
    with_protocol(path, 1, 3, configuration={"delta.enableChangeDataFeed": "true"})


@breaks("DL212")
def in_commit_timestamps_at_writer_2(path: Path) -> None:
    """As delta-rs writes it: the property alone."""
    with_protocol(path, 1, 2, configuration={"delta.enableInCommitTimestamps": "true"})


@breaks("DL212")
def invariant_at_writer_1(path: Path) -> None:
    one = field("a", **{"delta.invariants": '{"expression":{"expression":"a > 0"}}'})
    with_protocol(path, 1, 1, schemaString=schema(one))


@breaks("DL212")
def unknown_to_delta_spark_at_writer_2(path: Path) -> None:
    with_protocol(path, 1, 2, configuration={"delta.enableIcebergWriterCompatV1": "true"})


@breaks("DL212")
def generated_column_at_writer_2(path: Path) -> None:
    one = field("b", **{"delta.generationExpression": "a + 1"})
    with_protocol(path, 1, 2, schemaString=schema(field("a"), one))


@respects("DL212")
def change_data_feed_at_writer_4(path: Path) -> None:
    with_protocol(path, 1, 4, configuration={"delta.enableChangeDataFeed": "true"})


@respects("DL212", "DL525")
def not_null_column_at_writer_1(path: Path) -> None:
    with_protocol(path, 1, 1, schemaString=schema(field("a", nullable=False)))


@breaks("DL213")
def name_that_nobody_knows(path: Path) -> None:
    with_protocol(path, 3, 7, ["timeTravelling"], ["timeTravelling"])


@breaks("DL213")
def writer_name_that_nobody_knows(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["timeTravelling"])


@breaks("DL213")
def name_that_only_other_clients_know(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["collations", "domainMetadata"])


@breaks("DL213", "DL214")
def reader_name_that_only_other_clients_know(path: Path) -> None:
    with_protocol(path, 3, 7, ["timestampWithoutTimezone"], ["timestampWithoutTimezone"])


@breaks("DL213")
def name_like_a_known_one(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadatum"])


@respects("DL213")
def name_that_delta_knows(path: Path) -> None:
    with_protocol(path, 3, 7, [VACUUM], [VACUUM])


@respects("DL213", "DL220")
def name_in_other_capitals(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainmetadata"])


@breaks("DL214")
def preview_name(path: Path) -> None:
    both = ["typeWidening-preview"]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})


@breaks("DL214")
def preview_name_of_a_runtime(path: Path) -> None:
    names = ["variantType-preview"]
    by = commit_info(engineInfo="Databricks-Runtime/15.4.x-scala2.12")
    made = metadata(schemaString=schema(field("v", "variant")))
    table(path, commit(by, protocol(3, 7, names, names), made))


@breaks("DL214", "DL213")
def another_spelling(path: Path) -> None:
    with_protocol(path, 3, 7, ["timestampWithoutTimezone"], ["timestampWithoutTimezone"])


@respects("DL214", "DL213")
def name_that_only_kernel_knows(path: Path) -> None:
    names = ["columnMapping", "domainMetadata", "icebergCompatV3", "icebergWriterCompatV3"]
    with_mapping(path, 2, 7, None, [*names, "rowTracking"])


@respects("DL214")
def final_name(path: Path) -> None:
    both = ["typeWidening"]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})


@breaks("DL215", "DL214")
def preview_and_final_name(path: Path) -> None:
    both = ["typeWidening", "typeWidening-preview"]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})


@respects("DL215", "DL214")
def preview_beside_another_feature(path: Path) -> None:
    both = ["typeWidening-preview", VACUUM]
    with_protocol(path, 3, 7, both, both, configuration={"delta.enableTypeWidening": "true"})


@breaks("DL216")
def reader_2_that_means_nothing(path: Path) -> None:
    with_protocol(path, 2, 3)


@breaks("DL216")
def lists_that_a_version_implies(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["appendOnly", "invariants"])


@breaks("DL216")
def lists_without_features(path: Path) -> None:
    with_protocol(path, 3, 7, [], [])


@respects("DL216")
def lists_that_no_version_implies(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["appendOnly"])


@respects("DL216")
def column_mapping_listed_for_writers(path: Path) -> None:
    with_mapping(path, 2, 7, None, ["columnMapping"])


@breaks("DL217")
def variant_without_a_column_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableDeletionVectors": "true"})


@breaks("DL217")
def deletion_vectors_that_nobody_wants(path: Path) -> None:
    with_protocol(path, 3, 7, ["deletionVectors"], ["deletionVectors"])


@breaks("DL217")
def writer_feature_that_can_be_dropped(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadata", "rowTracking"])


@breaks("DL217")
def type_widening_that_nobody_used(path: Path) -> None:
    with_protocol(path, 3, 7, ["typeWidening"], ["typeWidening"])


@breaks("DL217")
def v2_checkpoints_beside_a_classic_one(path: Path) -> None:
    both = protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"])
    made = one_commit(path, both, metadata())
    made.checkpoint(0, [both, metadata()])
    made.last_checkpoint(0)


@respects("DL217")
def deletion_vectors_that_files_still_have(path: Path) -> None:
    both = ["deletionVectors"]
    stats = json.dumps({"numRecords": 5, "tightBounds": False})
    file = add("f", stats=stats, deletionVector=deletion_vector("ab^-aqEH.-t@S}K{vb[*k^"))
    one_commit(path, protocol(3, 7, both, both), metadata(), file)


@respects("DL217")
def type_changes_that_columns_still_show(path: Path) -> None:
    changes = [{"fromType": "short", "toType": "integer"}]
    one = field("a", **{"delta.typeChanges": changes})
    with_protocol(path, 3, 7, ["typeWidening"], ["typeWidening"], schemaString=schema(one))


@respects("DL217")
def v2_checkpoint_that_the_table_rests_on(path: Path) -> None:
    both = protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"])
    made = one_commit(path, both, metadata())
    made.v2_checkpoint(0, [both, metadata()])
    made.last_checkpoint(0)


@respects("DL217")
def feature_that_another_one_requires(path: Path) -> None:
    with_mapping(path, 2, 7, None, ["columnMapping", "icebergCompatV1"])
    Table(path).commit(1, INFO, metadata(schemaString=schema(field("a"))))


@respects("DL217")
def writer_feature_that_cannot_be_dropped(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["appendOnly", "changeDataFeed"])


@breaks("DL218")
def feature_gone_without_drop_feature(path: Path) -> None:
    made = with_protocol(path, 1, 7, None, ["appendOnly", "domainMetadata"])
    made.commit(1, INFO, protocol(1, 7, None, ["domainMetadata"]))


@breaks("DL218")
def unknown_feature_gone(path: Path) -> None:
    made = with_protocol(path, 1, 7, None, ["timeTravelling", "domainMetadata"])
    made.commit(1, INFO, protocol(1, 7, None, ["domainMetadata"]))


@breaks("DL218")
def legacy_version_went_down(path: Path) -> None:
    made = with_protocol(path, 1, 4)
    made.commit(1, commit_info(engineInfo="Somebody/1"), protocol(1, 2))


@breaks("DL218")
def feature_with_a_twin_gone(path: Path) -> None:
    old, new = [VACUUM, "typeWidening"], [VACUUM]
    made = with_protocol(path, 3, 7, old, old, configuration={"delta.enableTypeWidening": "false"})
    made.commit(1, INFO, protocol(3, 7, new, new))


@respects("DL218")
def feature_dropped(path: Path) -> None:
    made = with_protocol(path, 1, 7, None, ["appendOnly", "domainMetadata"])
    made.commit(1, commit_info(operation="DROP FEATURE"), protocol(1, 7, None, ["appendOnly"]))


@respects("DL218")
def table_replaced(path: Path) -> None:
    made = with_protocol(path, 1, 7, None, ["appendOnly", "domainMetadata"])
    info = commit_info(operation="CREATE OR REPLACE TABLE AS SELECT")
    made.commit(1, info, protocol(1, 2), metadata())


@respects("DL218")
def preview_became_final(path: Path) -> None:
    on = {"delta.enableTypeWidening": "true"}
    old, new = ["typeWidening-preview"], ["typeWidening"]
    made = with_protocol(path, 3, 7, old, old, configuration=on)
    made.commit(1, INFO, protocol(3, 7, new, new))


@respects("DL218")
def features_carried_over(path: Path) -> None:
    made = with_protocol(path, 1, 2)
    made.commit(1, INFO, protocol(1, 7, None, ["appendOnly", "invariants", "domainMetadata"]))


@breaks("DL219")
def implied_features_not_carried_over(path: Path) -> None:
    made = with_protocol(path, 1, 2)
    made.commit(1, INFO, protocol(1, 7, None, ["appendOnly", "domainMetadata"]))


@breaks("DL219")
def implied_features_dropped_by_name(path: Path) -> None:
    """DROP FEATURE takes the feature that it names, and not those that were implied."""
    made = with_protocol(path, 1, 2)
    made.commit(1, commit_info(operation="DROP FEATURE"), protocol(1, 7, None, ["domainMetadata"]))


@respects("DL219")
def implied_features_carried_over(path: Path) -> None:
    made = with_protocol(path, 1, 2)
    made.commit(1, INFO, protocol(1, 7, None, ["appendOnly", "invariants", "domainMetadata"]))


@breaks("DL220")
def wrong_capitals_for_readers_and_writers(path: Path) -> None:
    both = ["VacuumProtocolCheck"]
    with_protocol(path, 3, 7, both, both)


@breaks("DL220")
def wrong_capitals_for_writers(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["DOMAINMETADATA"])


@respects("DL220")
def right_capitals(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadata"])


@breaks("DL221")
def name_listed_twice(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadata", "domainMetadata"])


@breaks("DL221")
def entries_that_are_no_names(path: Path) -> None:
    odd: Any = ["domainMetadata", 7, None, ["x"], {"y": 1}]
    with_protocol(path, 1, 7, None, odd)


@breaks("DL221", "DL213")
def name_with_illegal_characters(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadata", "a b"])


@respects("DL221", "DL213")
def legal_name_that_nobody_knows(path: Path) -> None:
    with_protocol(path, 1, 7, None, ["domainMetadata", "a-b_9"])


def iceberg(path: Path, *versions: int, off: int = 0) -> None:
    configuration = MAPPED | {
        f"delta.enableIcebergCompatV{version}": "true" for version in versions
    }
    configuration |= {f"delta.enableIcebergCompatV{off}": "false"} if off else {}
    names = [f"icebergCompatV{number}" for number in (*versions, off) if number]
    with_protocol(
        path,
        2,
        7,
        None,
        ["columnMapping", *names],
        configuration=configuration,
        schemaString=schema(mapped("a", 1, **{"delta.columnMapping.nested.ids": {}})),
    )


@breaks("DL222")
def two_versions_of_iceberg_compatibility(path: Path) -> None:
    iceberg(path, 1, 2)


@breaks("DL222", "DL214", "DL511", "DL532")
def adaptive_metadata_with_v2_checkpoints(path: Path) -> None:
    both = sorted(
        {
            "adaptiveMetadata-preview",
            "catalogManaged",
            "columnMapping",
            "deletionVectors",
            "v2Checkpoint",
            VACUUM,
        }
    )
    configuration = MAPPED | DV | {"delta.checkpointPolicy": "v2"}
    with_protocol(
        path,
        3,
        7,
        both,
        [*both, "domainMetadata", "inCommitTimestamp", "rowTracking"],
        configuration=configuration,
        schemaString=schema(mapped("a", 1)),
    )


@respects("DL222", "DL211")
def second_version_is_not_supported(path: Path) -> None:
    configuration = MAPPED | {f"delta.enableIcebergCompatV{number}": "true" for number in (1, 2)}
    columns = schema(mapped("a", 1, **{"delta.columnMapping.nested.ids": {}}))
    names = ["columnMapping", "icebergCompatV2"]
    with_protocol(path, 2, 7, None, names, configuration=configuration, schemaString=columns)


@respects("DL222")
def one_version_of_iceberg_compatibility(path: Path) -> None:
    iceberg(path, 2, off=1)


@breaks("DL223", "DL213")
def feature_that_no_client_knows(path: Path) -> None:
    with_protocol(path, 3, 7, ["timeTravelling"], ["timeTravelling"])


@respects("DL223")
def protocol_that_every_client_knows(path: Path) -> None:
    with_protocol(path, 1, 1)
