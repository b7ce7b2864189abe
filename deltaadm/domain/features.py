"""
Everything deltaadm knows about each table feature, once.

Facts about Delta Spark 4.4.0 were recorded from the running engine; those about other
clients and RFCs come from delta-io/delta (`TableFeature.scala`, Kernel's
`TableFeatures.java`, `protocol_rfcs/`) and delta-io/delta-kernel-rs (`table_features/mod.rs`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.properties import PROPERTIES, Key, is_true, mapping_mode_called, normalized_key
from deltaadm.domain.schema import (
    EMPTY_SCHEMA,
    HIGHEST_PRECISION,
    SCHEMAS_REMEMBERED,
    DataType,
    FieldKey,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    decimal_digits,
    parts,
    path_text,
)
from deltaadm.errors import TableError, UnknownNameError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from deltaadm.domain.wire import Metadata

    Evidence = Callable[[Metadata], Iterator[str]]


class Cost(Enum):
    """
    From the cheapest: only the log is written, further commits rewrite the metadata of files,
    data files are rewritten.
    """

    METADATA = "metadata"
    BACKFILL = "backfill"
    REWRITE = "rewrite"

    @property
    def rank(self) -> int:
        """0 for the cheapest."""
        return list(Cost).index(self)

    @classmethod
    def highest(cls, *costs: Cost) -> Cost:
        """The highest of *costs*; `METADATA` of none."""
        return max(costs, key=lambda cost: cost.rank, default=cls.METADATA)


class Kind(Enum):
    """Whom a feature concerns: writers only, or readers as well."""

    WRITER = "writer"
    READER_WRITER = "reader-writer"


class Status(Enum):
    """The maturity of a feature."""

    STABLE = "stable"
    PREVIEW = "preview"
    RFC = "rfc"
    OTHER_CLIENTS = "other clients"
    TEST_ONLY = "test only"


@dataclass(frozen=True)
class Activation:
    """
    When a supported feature becomes active.

    `find` yields what in the metadata makes it so, in words; None where being supported is
    enough. `properties` are those that activate it when set, and empty where no property can.
    `auto_enables` says that Delta adds the feature to the protocol when the metadata activates it,
    `by_type` that a column's type activates it, `by_constraint` that a CHECK constraint does.
    """

    find: Evidence | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    auto_enables: bool = True
    by_type: bool = False
    by_constraint: bool = False

    def evidence(self, metadata: Metadata) -> tuple[str, ...]:
        """What in *metadata* activates the feature; empty if nothing does."""
        return tuple(self.find(metadata)) if self.find else ()


@dataclass(frozen=True)
class Removal:
    """
    The requirements and effects of DROP FEATURE.

    `keeps_history_out` says that older versions still need the feature, so that dropping it
    adds `checkpointProtection` or truncates the history; `only_truncating` that it always
    truncates it. `work` is what happens first. `refused_in_use` are the error class and the remedy
    with which Delta refuses while the metadata uses it, `broken` says that dropping it never works,
    `suspends_clustering` that a table is clustered again once it is dropped.
    """

    keeps_history_out: bool = False
    only_truncating: bool = False
    work: str = ""
    properties: tuple[str, ...] = ()
    refused_in_use: tuple[str, str] | None = None
    broken: bool = False
    suspends_clustering: bool = False


@dataclass(frozen=True)
class TableFeature:
    """
    One table feature.

    `legacy` are the (reader, writer) versions that imply it; a reader version of 0 there means
    that readers are not concerned. `in_delta_spark` says whether Delta Spark 4.4.0 knows it;
    `since` is the first release of Delta Spark that does. `requires_active` are those of `requires`
    that must not only be supported when it is active, nor does Delta activate them by itself;
    `excludes` are features that must not be beside it. `auto_update` says whether Delta adds it
    silently to an existing table when the metadata asks for it. `not_addable` is empty or the
    reason why it cannot be added to an existing table by a property, with the error class of the
    refusal in `refusal`; `refused_when_asked` is that of metadata which asks for a feature that
    Delta does not offer yet. `section` is where the protocol describes it.
    """

    name: str
    kind: Kind
    section: str
    activation: Activation
    status: Status = Status.STABLE
    since: str = ""
    legacy: tuple[int, int] | None = None
    requires: tuple[str, ...] = ()
    requires_active: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    auto_update: bool = True
    not_addable: str = ""
    refusal: str | None = None
    refused_when_asked: str | None = None
    twin: str | None = None
    removal: Removal | None = None
    cost: Cost = Cost.METADATA
    caution: str = ""
    in_delta_spark: bool = True
    source: str = "Delta Spark 4.4.0"

    def __reduce__(self) -> tuple[Callable[[str], TableFeature | None], tuple[str]]:
        return TableFeature.lookup, (self.name,)

    @staticmethod
    def lookup(name: str) -> TableFeature | None:
        """
        The feature *name*, whatever its case.

        None for a name from the future: worth reporting, never a reason to fail to read.
        """
        return FEATURES.get(name) or _BY_LOWER.get(name.lower())

    @staticmethod
    def meant_by(name: str) -> TableFeature | None:
        """The feature that *name* means: its own or that of a property which activates it."""
        known, key = TableFeature.lookup(name), normalized_key(name)
        by_property = (each for each in FEATURES.values() if key in each.activation.properties)
        return known or next(by_property, None)

    @staticmethod
    def find(name: str, refusal: str = "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG") -> TableFeature:
        """Like `lookup`, but raises `UnknownNameError` for a name that nobody knows."""
        feature = TableFeature.lookup(name)
        if feature is None:
            raise UnknownNameError(
                f"There is no table feature named {name!r}.",
                remedy=did_you_mean(name, FEATURES) or "`deltaadm features` lists them all.",
                delta_error_class=refusal,
            )
        return feature

    @property
    def is_legacy(self) -> bool:
        """Whether old versions imply it."""
        return self.legacy is not None

    @property
    def is_reader(self) -> bool:
        """Whether readers must know it."""
        return self.kind is Kind.READER_WRITER

    @property
    def warning(self) -> str:
        """The caution about it, with its name."""
        return f"{self.name}: {self.caution}"

    @property
    def versions(self) -> tuple[int, int]:
        """The lowest (reader, writer) versions of a protocol that can have it; reader may be 0."""
        return self.legacy or ((3, 7) if self.is_reader else (0, 7))


def when_property(key: str, value: str = "true") -> Activation:
    """Active while the property *key* has *value*, or, for true, is on."""

    def evidence(metadata: Metadata) -> Iterator[str]:
        stored, known = metadata.configuration.get(key), PROPERTIES.get(key.lower())
        if stored is not None and known is not None:
            # Delta evaluates the property, and fails on a value that it does not understand.
            known.check(known, stored)
        if is_true(metadata.configuration, key) if value == "true" else stored == value:
            yield f"property {key} is {value}"

    return Activation(evidence, {key: value})


def when_any_field(test: Callable[[StructField], bool], what: str, *, top: bool) -> Activation:
    """Active while some field passes *test*: at the top level only, or inside structs as well."""

    @lru_cache(maxsize=SCHEMAS_REMEMBERED)
    def found(schema_string: str) -> tuple[str, ...]:
        return tuple(
            f"column {path_text(path)} {what}"
            for path, column in struct_fields(StructType.parse(schema_string))
            if test(column) and not (top and len(path) > 1)
        )

    return Activation(lambda metadata: iter(found(metadata.schema_string or EMPTY_SCHEMA)))


def when_any_type(test: Callable[[DataType], bool]) -> Activation:
    """Active while a type that passes *test* occurs in the schema, at any depth."""

    def evidence(metadata: Metadata) -> Iterator[str]:
        matching = tuple(filter(test, metadata.primitive_types))
        for column in metadata.schema.fields if matching else ():
            for data_type in all_types(column.type):
                if data_type in matching:
                    yield f"column {path_text((column.name,))} has type {data_type.name}"
                    break

    return Activation(evidence, by_type=True)


def when_supported() -> Activation:
    """Active as soon as it is supported; nothing in the metadata asks for it."""
    return Activation(auto_enables=False)


def unasked(activation: Activation) -> Activation:
    """Active on the same evidence, without Delta wanting the feature because of it."""
    return replace(activation, auto_enables=False)


def struct_fields(
    struct: StructType, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], StructField]]:
    """The fields reachable through structs alone, as Delta looks for invariants."""
    for column in struct.fields:
        here = (*path, column.name)
        yield here, column
        if isinstance(column.type, StructType):
            yield from struct_fields(column.type, here)


_PLAIN_TYPES: Final = frozenset({
    "binary", "boolean", "byte", "date", "double", "float", "integer", "long", "short", "string",
    "timestamp",
})  # fmt: skip
_SILENT: Final = frozenset({FieldKey.COMMENT, FieldKey.COLUMN_ID, FieldKey.PHYSICAL_NAME})


def without_plain_columns(metadata: Metadata) -> Metadata:
    """
    *metadata* without the columns that features, clients and Delta Spark take as they take any.

    What they say of a table is the same; of a fleet, whose columns have names of their own, it is
    found out once for all tables that differ in nothing else. A schema that cannot be read stays.
    """
    try:
        fields = metadata.schema.fields
    except TableError:
        return metadata
    by = metadata.partition_columns
    telling = tuple(each for each in fields if each.name in by or not _is_plain(each))
    return metadata.with_schema(StructType(telling))


def _is_plain(column: StructField) -> bool:
    kind = column.type
    if not column.nullable or not column.metadata.keys() <= _SILENT:
        return False
    if not isinstance(kind, PrimitiveType):  # the key of a map is not nullable, and so not plain
        return all(map(_is_plain, parts(kind)))
    if kind.name in _PLAIN_TYPES:
        return True
    digits = decimal_digits(kind.name)
    return digits is not None and digits[0] <= HIGHEST_PRECISION


def mapping_mode(metadata: Metadata) -> str:
    """
    The column mapping mode that the property says: none, name or id.

    Delta Spark reads the property whatever the protocol says; PROTOCOL.md lets it count only
    where the feature is supported. Raises `RefusedError` for any other value.
    """
    return mapping_mode_called(metadata.configuration.get(Key.COLUMN_MAPPING_MODE, "none").lower())


def _mapped(metadata: Metadata) -> Iterator[str]:
    mode = mapping_mode(metadata)
    if mode != "none":
        yield f"property {Key.COLUMN_MAPPING_MODE} is {mode}"


def _some_option(key: str) -> Activation:
    def evidence(metadata: Metadata) -> Iterator[str]:
        if metadata.configuration.get(key):
            yield f"property {key} is set"

    return Activation(evidence)


_IDENTITY_KEYS = {FieldKey.IDENTITY_START, FieldKey.IDENTITY_STEP, FieldKey.IDENTITY_EXPLICIT}


def is_identity(column: StructField) -> bool:
    """Whether Delta numbers the rows in this column."""
    return column.metadata.keys() >= _IDENTITY_KEYS


def _named(*names: str) -> Callable[[DataType], bool]:
    return lambda data_type: data_type.name in names


def is_variant(data_type: DataType | None) -> bool:
    """Whether *data_type* is a variant."""
    return data_type is not None and data_type.name == "variant"


def is_geospatial(data_type: DataType) -> bool:
    """Whether *data_type* is a geometry or a geography."""
    return data_type.name.startswith(("geometry", "geography"))


_GEO_REMOVAL = Removal(
    keeps_history_out=True,
    work="every geometry and geography column must be dropped first",
    refused_in_use=("DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE", "Drop these columns first."),
)
_NOT_ON_EXISTING: Final = (
    "With Delta Lake 4.4 it can only be chosen when the table is created in a catalog. Databricks "
    "Runtime 18 also makes existing managed tables of Unity Catalog catalog-managed, and undoes it."
)

_WRITERS: Final = Kind.WRITER
_READERS: Final = Kind.READER_WRITER

FEATURES: Final[Mapping[str, TableFeature]] = {feature.name: feature for feature in sorted((
    TableFeature("appendOnly", _WRITERS, "Append-only Tables", when_property("delta.appendOnly"),
        legacy=(0, 2), since="0.2.0",
        caution="While the property is true, existing rows cannot be deleted or updated."),
    TableFeature("invariants", _WRITERS, "Column Invariants",
        # To Delta Spark NOT NULL is an invariant; delta-kernel-java looks for the key alone.
        when_any_field(
            lambda column: not column.nullable or "delta.invariants" in column.metadata,
            "is NOT NULL or has an invariant", top=False), legacy=(0, 2), since="0.2.0"),
    TableFeature("checkConstraints", _WRITERS, "CHECK Constraints",
        Activation(
            lambda metadata: (f"CHECK constraint {key[len(Key.CONSTRAINT_PREFIX) :]}"
                              for key in metadata.configuration
                              if key.lower().startswith(Key.CONSTRAINT_PREFIX)),
            by_constraint=True), legacy=(0, 3), since="0.8.0",
        removal=Removal(work="every constraint must be dropped first",
                        refused_in_use=("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
                                        "Drop each of them first: alter --drop-constraint NAME."))),
    TableFeature("changeDataFeed", _WRITERS, "Change Data Files",
        when_property("delta.enableChangeDataFeed"), legacy=(0, 4), since="2.0.0"),
    TableFeature("generatedColumns", _WRITERS, "Generated Columns",
        when_any_field(lambda column: "delta.generationExpression" in column.metadata,
                       "is generated", top=True), legacy=(0, 4), since="1.0.0"),
    TableFeature("columnMapping", _READERS, "Column Mapping",
        Activation(_mapped, {Key.COLUMN_MAPPING_MODE: "name"}), legacy=(2, 5), since="1.2.0",
        removal=Removal(keeps_history_out=True, work="every data file is rewritten",
                        suspends_clustering=True),
        caution="Readers without support for column mapping may return only nulls."),
    TableFeature("identityColumns", _WRITERS, "Identity Columns",
        when_any_field(is_identity, "is an identity column", top=True), legacy=(0, 6),
        since="3.3.0"),
    TableFeature("allowColumnDefaults", _WRITERS, "Default Columns", when_supported()),
    TableFeature("domainMetadata", _WRITERS, "Domain Metadata", when_supported(), since="3.0.0",
        removal=Removal(work="every domain is removed first")),
    TableFeature("rowTracking", _WRITERS, "Row Tracking", when_property("delta.enableRowTracking"),
        requires=("domainMetadata",), since="3.2.0",
        removal=Removal(work="row ids are removed from every file",
                        properties=("delta.enableRowTracking",
                                    "delta.rowTracking.materializedRowCommitVersionColumnName",
                                    "delta.rowTracking.materializedRowIdColumnName",
                                    "delta.rowTrackingSuspended")), cost=Cost.BACKFILL,
        caution="Enabling it first rewrites the metadata of every file in the log, to assign row "
        "ids; no data files are rewritten."),
    TableFeature("clustering", _WRITERS, "Clustered Table", when_supported(),
        requires=("domainMetadata",), since="3.1.0",
        not_addable="Cluster the table, which adds it: `deltaadm alter TABLE --cluster-by COLUMN`.",
        refusal="DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED"),
    TableFeature("inCommitTimestamp", _WRITERS, "In-Commit Timestamps",
        when_property("delta.enableInCommitTimestamps"), since="3.3.0",
        removal=Removal(work="its properties are removed first")),
    TableFeature("icebergCompatV1", _WRITERS, "Iceberg Compatibility V1",
        when_property("delta.enableIcebergCompatV1"), requires=("columnMapping",),
        requires_active=("columnMapping",), since="3.0.0",
        caution="Requires column mapping; arrays, maps and deletion vectors are not allowed."),
    TableFeature("icebergCompatV2", _WRITERS, "Iceberg Compatibility V2",
        when_property("delta.enableIcebergCompatV2"), requires=("columnMapping",),
        requires_active=("columnMapping",), since="3.1.0",
        caution="Requires column mapping; existing files may need REORG TABLE … UPGRADE UNIFORM."),
    TableFeature("icebergCompatV3", _WRITERS, "protocol_rfcs/iceberg-compat-v3.md",
        when_property("delta.enableIcebergCompatV3"), requires=("columnMapping", "rowTracking"),
        requires_active=("columnMapping", "rowTracking"), status=Status.RFC, cost=Cost.BACKFILL,
        caution="Once enabled, it cannot be disabled."),
    TableFeature("checkpointProtection", _WRITERS, "protocol_rfcs/checkpoint-protection.md",
        when_supported(), status=Status.RFC, since="4.0.0",
        removal=Removal(only_truncating=True),
        caution="Writers that do not support it can no longer write to the table."),
    TableFeature("materializePartitionColumns", _WRITERS,
        "protocol_rfcs/materialize-partition-columns.md",
        when_property("delta.enableMaterializePartitionColumnsFeature"), status=Status.RFC,
        removal=Removal(properties=("delta.enableMaterializePartitionColumnsFeature",))),
    TableFeature("coordinatedCommits-preview", _WRITERS,
        "protocol_rfcs/rejected: managed-commits.md, superseded by catalogManaged",
        _some_option("delta.coordinatedCommits.commitCoordinator-preview"),
        requires=("inCommitTimestamp", "vacuumProtocolCheck"), status=Status.PREVIEW,
        removal=Removal(work="its properties are unset, staged commits published")),
    TableFeature("deletionVectors", _READERS, "Deletion Vectors",
        when_property("delta.enableDeletionVectors"), since="2.3.0",
        removal=Removal(keeps_history_out=True, work="files with deletion vectors are purged"),
        caution="Readers without support for deletion vectors can no longer read the table."),
    TableFeature("timestampNtz", _READERS, "Timestamp without timezone (TimestampNTZ)",
        when_any_type(_named("timestamp_ntz")), twin="timestampWithoutTimezone", since="2.4.0",
        auto_update=False),
    TableFeature("v2Checkpoint", _READERS, "V2 Checkpoint Table Feature",
        when_property("delta.checkpointPolicy", "v2"), since="3.0.0",
        removal=Removal(keeps_history_out=True, work="a classic checkpoint is written")),
    TableFeature("typeWidening", _READERS, "Type Widening",
        when_property("delta.enableTypeWidening"), twin="typeWidening-preview", since="4.0.0",
        removal=Removal(keeps_history_out=True, work="files with older types are rewritten")),
    TableFeature("typeWidening-preview", _READERS, "Type Widening",
        unasked(when_property("delta.enableTypeWidening")), twin="typeWidening",
        status=Status.PREVIEW, since="3.2.0",
        removal=Removal(keeps_history_out=True, work="files with older types are rewritten")),
    TableFeature("vacuumProtocolCheck", _READERS, "VACUUM Protocol Check", when_supported(),
        since="3.2.0", removal=Removal(keeps_history_out=True),
        caution="Protects against VACUUM by old clients, which can then no longer read the table."),
    TableFeature("variantType", _READERS, "Variant Data Type", when_any_type(is_variant),
        twin="variantType-preview", since="4.0.0"),
    TableFeature("variantType-preview", _READERS, "Variant Data Type",
        unasked(when_any_type(is_variant)), twin="variantType", status=Status.PREVIEW,
        since="4.0.0"),
    TableFeature("variantShredding", _READERS, "Variant Shredding",
        unasked(when_property("delta.enableVariantShredding")), requires=("variantType",),
        twin="variantShredding-preview"),
    TableFeature("variantShredding-preview", _READERS, "Variant Shredding",
        when_property("delta.enableVariantShredding"), twin="variantShredding",
        status=Status.PREVIEW, since="4.0.0"),
    TableFeature("geospatial", _READERS, "delta-io/delta TableFeature.scala (no RFC yet)",
        when_any_type(is_geospatial), twin="geospatial-dev",
        refused_when_asked="DELTA_GEOSPATIAL_NOT_SUPPORTED", status=Status.PREVIEW,
        removal=_GEO_REMOVAL),
    TableFeature("geospatial-dev", _READERS, "delta-io/delta TableFeature.scala (no RFC yet)",
        unasked(when_any_type(is_geospatial)), twin="geospatial", status=Status.PREVIEW,
        removal=_GEO_REMOVAL),
    TableFeature("catalogManaged", _READERS, "Catalog-managed tables", when_supported(),
        requires=("inCommitTimestamp", "vacuumProtocolCheck"), twin="catalogOwned-preview",
        removal=Removal(keeps_history_out=True, work="Delta Spark 4.4 throws an exception, "
                        "Databricks Runtime 18 can", broken=True), not_addable=_NOT_ON_EXISTING),
    TableFeature("adaptiveMetadata-preview", _READERS, "protocol_rfcs/iceberg-v4-metadata.md",
        when_supported(),
        requires=("domainMetadata", "columnMapping", "rowTracking", "deletionVectors",
                  "catalogManaged"), excludes=("v2Checkpoint",), twin="adaptiveMetadata",
        status=Status.PREVIEW, not_addable="It can only be chosen when a table is created.",
        refusal="DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED"),
    TableFeature("redirectReaderWriter-preview", _READERS, "delta-io/delta TableFeature.scala",
        _some_option("delta.redirectReaderWriter-preview"), status=Status.TEST_ONLY,
        in_delta_spark=False, source="Delta Spark, in its own tests only"),
    TableFeature("redirectWriterOnly-preview", _WRITERS, "delta-io/delta TableFeature.scala",
        _some_option("delta.redirectWriterOnly-preview"), status=Status.TEST_ONLY,
        in_delta_spark=False, source="Delta Spark, in its own tests only"),
    TableFeature("catalogOwned-preview", _READERS, "older spelling of catalogManaged",
        when_supported(), requires=("inCommitTimestamp",), twin="catalogManaged",
        status=Status.OTHER_CLIENTS, in_delta_spark=False, source="delta-kernel-rs"),
    TableFeature("timestampWithoutTimezone", _READERS, "another spelling of timestampNtz",
        when_supported(), twin="timestampNtz", status=Status.OTHER_CLIENTS, in_delta_spark=False,
        source="delta-kernel-rs"),
    TableFeature("icebergWriterCompatV1", _WRITERS, "protocol_rfcs/iceberg-writer-compat-v1.md",
        when_property("delta.enableIcebergWriterCompatV1"), requires=("icebergCompatV2",),
        status=Status.RFC, in_delta_spark=False, source="Delta Kernel for Java"),
    TableFeature("icebergWriterCompatV3", _WRITERS, "Kernel's TableFeatures.java",
        when_property("delta.enableIcebergWriterCompatV3"), requires=("icebergCompatV3",),
        status=Status.OTHER_CLIENTS, in_delta_spark=False, source="Delta Kernel for Java"),
    TableFeature("collations", _WRITERS, "protocol_rfcs/collated-string-type.md", when_supported(),
        requires=("domainMetadata",), twin="collations-preview", status=Status.RFC,
        in_delta_spark=False, source="Delta Kernel for Java"),
    TableFeature("collations-preview", _WRITERS, "protocol_rfcs/collated-string-type.md",
        when_supported(), requires=("domainMetadata",), twin="collations", status=Status.RFC,
        in_delta_spark=False, source="Delta Kernel for Java"),
    TableFeature("columnMappingUsageTracking", _WRITERS,
        "protocol_rfcs/column-mapping-usage-tracking.md", when_supported(),
        requires=("columnMapping",), status=Status.RFC, in_delta_spark=False, source="RFC only"),
    TableFeature("timestampNanos", _READERS, "protocol_rfcs/nanosecond-timestamps.md",
        when_any_type(_named("timestamp_nanos", "timestamp_ntz_nanos")), requires=("timestampNtz",),
        status=Status.RFC, in_delta_spark=False, source="delta-rs, behind a build flag"),
    TableFeature("adaptiveMetadata", _READERS, "protocol_rfcs/iceberg-v4-metadata.md",
        when_supported(),
        requires=("columnMapping", "deletionVectors", "domainMetadata", "inCommitTimestamp",
                  "rowTracking"), excludes=("v2Checkpoint",), twin="adaptiveMetadata-preview",
        status=Status.RFC,
        caution="To remove it, write a classic checkpoint from the metadata tree.",
        in_delta_spark=False, source="RFC only"),
), key=lambda feature: feature.name.lower())}  # fmt: skip
"""Every feature by its name, in alphabetical order."""

_BY_LOWER: Final = {name.lower(): feature for name, feature in FEATURES.items()}

REFERENCE: Final[Mapping[str, TableFeature]] = {
    name: feature for name, feature in FEATURES.items() if feature.in_delta_spark
}
"""The features that Delta Spark 4.4.0 knows."""

LEGACY: Final[tuple[TableFeature, ...]] = tuple(
    feature for feature in REFERENCE.values() if feature.legacy is not None
)


def with_requirements(names: Iterable[str]) -> tuple[str, ...]:
    """*names* and everything they require, directly or not, in alphabetical order."""
    closed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in closed:
            closed.add(name)
            feature = FEATURES.get(name)
            waiting.extend(feature.requires if feature else ())
    return tuple(sorted(closed))


def dependents(name: str, among: Container[str]) -> list[str]:
    """The features *among* these that require the feature *name* themselves, in order."""
    named = (other for other, feature in FEATURES.items() if name in feature.requires)
    return sorted(other for other in named if other in among)


def undo_feature(feature: TableFeature | None) -> str:
    """Return how a feature is removed from a table's protocol, in words."""
    if feature is None or feature.removal is None:
        return "never: the feature cannot be dropped"
    if feature.removal.only_truncating:
        return (
            f"DROP FEATURE {feature.name} TRUNCATE HISTORY, which takes 24 hours and deletes "
            "history"
        )
    work = f"; {feature.removal.work}" if feature.removal.work else ""
    if feature.removal.keeps_history_out:
        return (
            f"DROP FEATURE {feature.name}, which adds checkpointProtection or, with TRUNCATE "
            f"HISTORY, takes 24 hours and deletes history{work}"
        )
    return f"DROP FEATURE {feature.name} (keeps the history{work})"
