"""DL2xx: versions and table features."""

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, TableFeatures, write_deltalake

from tests.support.rule_cases import breaks


@breaks("DL210 DL217 DL219")
def row_tracking_without_domain_metadata_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data)
    DeltaTable(path).alter.add_feature(
        TableFeatures.RowTracking, allow_protocol_versions_increase=True
    )


@breaks("DL211 DL219")
def change_data_feed_lost_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableChangeDataFeed": "true"})
    DeltaTable(path).alter.add_feature(
        TableFeatures.DomainMetadata, allow_protocol_versions_increase=True
    )


@breaks("DL217")
def variant_without_a_column_by_delta_rs(path: Path) -> None:
    data = pa.table({"a": pa.array([1], pa.int64())})
    write_deltalake(path, data, configuration={"delta.enableDeletionVectors": "true"})
