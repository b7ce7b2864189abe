"""
What setting the location of a table in a catalog comes to.

The source in delta-io/delta is `AlterTableSetLocationDeltaCommand` in
`commands/alterDeltaTableCommands.scala`; checked against Delta Spark 4.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.transaction.column_mapping import drop_column_mapping_metadata
from deltaadm.domain.transaction.spark_support import require_readable
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from deltaadm.domain.model.metadata import Metadata
    from deltaadm.domain.model.schema import StructField, StructType
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot

BYPASS = "spark.databricks.delta.alterLocation.bypassSchemaCheck"


def set_location(snapshot: Snapshot, there: Snapshot, session: SessionSettings) -> Snapshot:
    """
    The table *there* under the name of *snapshot*.

    Raises `Refused` for a table without a name, and for one whose columns or partitioning are not
    those of *snapshot*; ids and physical names of column mapping may differ.
    """
    if snapshot.name is None:
        raise Refused(
            "The location of a table that is addressed by its path cannot be changed.",
            remedy="Give the table's name in the catalog: catalog.schema.table.",
            delta_error_class="DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER",
        )
    require_readable(there)
    if not session.bypass_location_schema_check and _columns(snapshot.metadata) != _columns(
        there.metadata
    ):
        raise Refused(
            f"The table at {there.root} has other columns or other partitions.",
            remedy="Compare both with inspect. If that is intended, pass "
            f"--spark-conf {BYPASS}=true.",
            delta_error_class="DELTA_SET_LOCATION_SCHEMA_MISMATCH",
        )
    return replace(there, name=snapshot.name)


def _columns(metadata: Metadata) -> tuple[StructType, tuple[StructField, ...]]:
    """The schema and the columns partitioned by, as far as Delta compares them."""
    schema = drop_column_mapping_metadata(metadata.schema)
    fields = {field.name: field for field in schema.fields}
    return schema, tuple(fields[name] for name in metadata.partition_columns if name in fields)
