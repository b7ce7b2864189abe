"""
What engines other than Delta Spark 4.4 know of table properties: keys, and values of shared keys.

Each entry says which engine that is, and where it is said. Nothing here makes Delta Spark accept
anything; it only tells a property of another engine from a mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deltaadm.dataclass import dataclass


@dataclass(frozen=True)
class ForeignProperty:
    """
    A property as `engine` knows it, according to `source`.

    A key that ends with a dot stands for all that begin with it. `values` are the words, in lower
    case, of which the engine takes one or a list with commas; empty where Delta Spark does not know
    the key, so that any value is the engine's own affair, except that one that `is_size` is bytes.
    One that is `kept` the engine writes by itself.
    """

    key: str
    engine: str
    source: str
    values: tuple[str, ...] = ()
    is_size: bool = False
    kept: bool = False

    def takes(self, value: str) -> bool:
        """Whether the engine takes *value*."""
        words = {word.strip().lower() for word in value.split(",")}
        return not self.values or words <= set(self.values)


_DATABRICKS: Final = "Databricks"
_FABRIC: Final = "Microsoft Fabric"
_TABLE_PROPERTIES: Final = "docs.databricks.com, Table properties reference"
_COMPATIBILITY_MODE: Final = "docs.databricks.com, Compatibility Mode"
_SHOWN: Final = "SHOW CREATE TABLE and DESCRIBE TABLE EXTENDED of Databricks in public repositories"
_VORDER: Final = "learn.microsoft.com, Delta Lake table optimization and V-Order"

# fmt: off
_ALL_FOREIGN: Final = (
    ForeignProperty("delta.autoOptimize.autoCompact", _DATABRICKS,
        "docs.databricks.com, Configure Delta Lake to control data file size",
        ("auto", "legacy", "true", "false")),
    ForeignProperty("delta.isolationLevel", _DATABRICKS,
        "docs.databricks.com, Isolation levels (WriteSerializable and Serializable)",
        ("serializable", "writeserializable")),
    ForeignProperty("delta.universalFormat.enabledFormats", _DATABRICKS, _COMPATIBILITY_MODE,
        ("compatibility", "hudi", "iceberg")),
    ForeignProperty("delta.universalFormat.compatibility.", _DATABRICKS, _COMPATIBILITY_MODE),
    ForeignProperty("delta.workloadBasedColumns.", _DATABRICKS, _SHOWN, kept=True),
    ForeignProperty("delta.parquet.format.version.afe.internal", _DATABRICKS, _SHOWN, kept=True),
    ForeignProperty("delta.liquid.clusteringColumns", _DATABRICKS,
        "tables of Databricks Runtime 13.2 in delta-io/delta-rs", kept=True),
    ForeignProperty("delta.targetFileSize", _DATABRICKS, _TABLE_PROPERTIES, is_size=True),
    ForeignProperty("delta.tuneFileSizesForRewrites", _DATABRICKS, _TABLE_PROPERTIES),
    ForeignProperty("delta.parquet.vorder.", _FABRIC, _VORDER),
    ForeignProperty("delta.stats.extended.", _FABRIC,
        "learn.microsoft.com, Configure and manage automated table statistics in Fabric Spark"),
    ForeignProperty("delta.targetFileSize.adaptive", _FABRIC,
        "MicrosoftDocs/fabric-docs, DESCRIBE DETAIL of tables"),
    ForeignProperty("delta.lastCommitTimestamp", "Unity Catalog", "unitycatalog/unitycatalog",
        kept=True),
    ForeignProperty("delta.lastUpdateVersion", "Unity Catalog", "unitycatalog/unitycatalog",
        kept=True),
    ForeignProperty("delta.enableIcebergWriterCompatV1", "Delta Kernel for Java",
        "protocol_rfcs/iceberg-writer-compat-v1.md"),
    ForeignProperty("delta.enableIcebergWriterCompatV3", "Delta Kernel for Java",
        "delta-io/delta, TableFeatures.java"),
    ForeignProperty("delta.columnMapping.hasDroppedOrRenamed", "a draft of the protocol",
        "protocol_rfcs/column-mapping-usage-tracking.md"),
    ForeignProperty("delta.parquet.compression.codec", "the protocol",
        "PROTOCOL.md, Table Properties"),
    ForeignProperty("delta.rowTracking.materializedRowCommitVersionColumnName", "the protocol",
        "PROTOCOL.md, Row Tracking"),
    ForeignProperty("delta.rowTracking.materializedRowIdColumnName", "the protocol",
        "PROTOCOL.md, Row Tracking"),
)
# fmt: on

FOREIGN: Final[Mapping[str, ForeignProperty]] = {entry.key.lower(): entry for entry in _ALL_FOREIGN}
"""Every entry by its key in lower case; those that end with a dot are families."""


def foreign(key: str) -> ForeignProperty | None:
    """
    Return what another engine defines for *key*, ignoring case; None if none is known to.

    >>> foreign("delta.parquet.vorder.enabled").engine
    'Microsoft Fabric'
    """
    lower = key.lower()
    if lower in FOREIGN:
        return FOREIGN[lower]
    families = (entry for prefix, entry in FOREIGN.items() if prefix.endswith("."))
    return next((entry for entry in families if lower.startswith(entry.key.lower())), None)


def foreign_value(key: str, value: str) -> ForeignProperty | None:
    """The engine that takes *value* for *key*; None where nobody is known to."""
    known = foreign(key)
    return known if known is not None and known.takes(value) else None
