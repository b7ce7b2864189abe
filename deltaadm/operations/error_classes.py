"""
What Delta's error classes mean, and which command of deltaadm concerns them.

All that deltaadm's own errors and rules carry, and those that the same statements meet in Delta
Spark. A class with a sub-class, `CLASS.SUB`, is explained as its class.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class ErrorClass(NamedTuple):
    """One class: what Delta says with it, and the subcommands that look into it or avoid it."""

    name: str
    meaning: str
    commands: tuple[str, ...]


_INSPECT: Final = ("inspect", "validate")
_FEATURES: Final = ("inspect", "enable-feature")
_MAPPING: Final = ("set-mapping-mode", "validate")
_SET: Final = ("alter",)
_CREATE: Final = ("create",)
_SCHEMA: Final = ("validate",)
_DROP: Final = ("drop-feature",)
_CONNECTED: Final = ("doctor", "inspect")

_ROWS: Final = (
    # Reading the log
    ("DELTA_MISSING_DELTA_TABLE", "There is no Delta table at this place.", _INSPECT),
    (
        "DELTA_TABLE_ONLY_OPERATION",
        "The table belongs to another provider, and only Delta tables can do this.",
        _INSPECT,
    ),
    (
        "DELTA_STATE_RECOVER_ERROR",
        "The log was read, and no protocol or no metadata was found in it.",
        _INSPECT,
    ),
    (
        "DELTA_TRUNCATED_TRANSACTION_LOG",
        "The oldest commits are gone, and no complete checkpoint stands in for them.",
        _INSPECT,
    ),
    (
        "DELTA_VERSIONS_NOT_CONTIGUOUS",
        "A commit between two others is missing.",
        _INSPECT,
    ),
    (
        "DELTA_MISSING_PART_FILES",
        "A checkpoint that is needed lacks some of its files.",
        _INSPECT,
    ),
    (
        "DELTA_TXN_LOG_FAILED_INTEGRITY",
        "The log contradicts itself: a checksum, a checkpoint or an action does not fit the rest.",
        _SCHEMA,
    ),
    (
        "DELTA_DUPLICATE_ACTIONS_FOUND",
        "One commit has the same action for the same thing twice.",
        _SCHEMA,
    ),
    (
        "DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR",
        "One commit sets the same metadata domain twice.",
        _SCHEMA,
    ),
    (
        "DELTA_VERSION_NOT_FOUND",
        "The version that was asked for is not there, or can no longer be rebuilt.",
        _INSPECT,
    ),
    (
        "DELTA_NO_RECREATABLE_HISTORY_FOUND",
        "Not one version can be rebuilt from what is left of the log.",
        _INSPECT,
    ),
    (
        "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        "The time that was asked for is before the oldest version that can be rebuilt.",
        _INSPECT,
    ),
    (
        "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        "The time that was asked for is after the newest version.",
        _INSPECT,
    ),
    (
        "DELTA_MISSING_COMMIT_INFO",
        "In-commit timestamps are on, and a commit has no commitInfo to hold one.",
        _SCHEMA,
    ),
    (
        "DELTA_MISSING_COMMIT_TIMESTAMP",
        "In-commit timestamps are on, and a commit has none: its writer ignores the feature.",
        _SCHEMA,
    ),
    (
        "FAILED_READ_FILE",
        "Spark could not read a file of the table or of its log.",
        _SCHEMA,
    ),
    ("INVALID_JSON_DATA_TYPE", "The schema in the metadata is not one that Spark reads.", _SCHEMA),
    (
        "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED",
        "The table's commits go through its catalog, so it cannot be used by its path.",
        _INSPECT,
    ),
    # Protocol and features
    (
        "DELTA_INVALID_PROTOCOL_VERSION",
        "The protocol asks for versions that this release of Delta does not know.",
        _INSPECT,
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
        "The protocol has reader features that this release of Delta does not know.",
        _INSPECT,
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
        "The protocol has writer features that this release of Delta does not know.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        "The metadata makes a feature active that the protocol does not list: unreadable to it.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        "A change of metadata needs a feature that Delta adds only when asked to.",
        _FEATURES,
    ),
    (
        "DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION",
        "A reader feature was asked for together with too low a reader version.",
        ("enable-feature", "upgrade-protocol"),
    ),
    (
        "DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION",
        "A feature was asked for together with too low a writer version.",
        ("enable-feature", "upgrade-protocol"),
    ),
    (
        "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
        "Reader version 3 was asked for with a writer version below 7.",
        ("upgrade-protocol",),
    ),
    (
        "DELTA_PROTOCOL_PROPERTY_NOT_INT",
        "delta.minReaderVersion or delta.minWriterVersion was set to something else than a number.",
        ("upgrade-protocol",),
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
        "A delta.feature property names a feature that this release of Delta does not know.",
        ("features", "enable-feature"),
    ),
    (
        "DELTA_UNSUPPORTED_FEATURE_STATUS",
        "A delta.feature property has another value than supported.",
        ("enable-feature",),
    ),
    (
        "DELTA_GEOSPATIAL_NOT_SUPPORTED",
        "Delta does not offer geometry and geography columns yet.",
        ("features",),
    ),
    (
        "DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED",
        "Adaptive metadata can only be chosen when a table is created.",
        ("features",),
    ),
    (
        "DELTA_DOMAIN_METADATA_NOT_SUPPORTED",
        "A commit has metadata domains, and the protocol lacks the feature domainMetadata.",
        _FEATURES,
    ),
    (
        "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        "Clustering cannot be added by a property; ALTER TABLE ... CLUSTER BY adds it.",
        ("features",),
    ),
    (
        "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
        "A table with partition columns cannot be clustered.",
        ("features",),
    ),
    (
        "DELTA_PROTOCOL_CHANGED",
        "Another writer changed the protocol in the meantime.",
        ("inspect",),
    ),
    (
        "DELTA_METADATA_CHANGED",
        "Another writer changed the metadata in the meantime.",
        ("inspect",),
    ),
    # Dropping features
    (
        "DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
        "Other features of the table require the one to be dropped; drop these first.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
        "The feature to be dropped is not in the protocol.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        "The history need not be truncated to drop this feature.",
        ("features",),
    ),
    (
        "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
        "The feature cannot be dropped by this release of Delta.",
        ("features",),
    ),
    (
        "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE",
        "The feature to be dropped is one that this release of Delta does not know.",
        ("features",),
    ),
    (
        "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
        "The table still has CHECK constraints; drop these first.",
        _INSPECT,
    ),
    # Column mapping
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
        "The column mapping mode cannot go from what it is to what was asked for.",
        _MAPPING,
    ),
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL",
        "Column mapping was asked for, and the protocol does not support it.",
        _MAPPING,
    ),
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE",
        "Turning column mapping on and changing the schema must be two changes.",
        _MAPPING,
    ),
    (
        "DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS",
        "Columns have ids or physical names from an earlier mapping, which do not fit the files.",
        _MAPPING,
    ),
    (
        "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
        "Without column mapping some columns would have names that Parquet does not allow.",
        _MAPPING,
    ),
    (
        "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES",
        "A column's name has characters that need column mapping.",
        _MAPPING,
    ),
    (
        "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET",
        "Columns are mapped, and delta.columnMapping.maxColumnId is missing.",
        _SCHEMA,
    ),
    (
        "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY",
        "delta.columnMapping.maxColumnId is lower than a column's id.",
        _SCHEMA,
    ),
    (
        "DELTA_UNSUPPORTED_RENAME_COLUMN",
        "Columns can be renamed only where they are mapped.",
        ("set-mapping-mode",),
    ),
    (
        "DELTA_UNSUPPORTED_DROP_COLUMN",
        "Columns can be dropped only where they are mapped.",
        ("set-mapping-mode",),
    ),
    # Schema and constraints
    ("DELTA_UNSUPPORTED_DATA_TYPES", "A column has a type that Delta does not store.", _SCHEMA),
    ("UNSUPPORTED_DATA_TYPE", "A column has a type that Spark does not know.", _SCHEMA),
    ("DELTA_DUPLICATE_COLUMNS_FOUND", "Two columns differ in nothing, or in case only.", _SCHEMA),
    (
        "DELTA_NESTED_NOT_NULL_CONSTRAINT",
        "A field inside an array or a map is NOT NULL, which nobody would check.",
        _SCHEMA,
    ),
    (
        "DELTA_INVALID_PARTITION_COLUMN_NAME",
        "A partition column's name has characters that need column mapping.",
        _SCHEMA,
    ),
    ("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", "A column that is named is not in the schema.", _SCHEMA),
    (
        "DELTA_COLUMN_PATH_NOT_NESTED",
        "A path goes into a column that is no struct.",
        _SCHEMA,
    ),
    (
        "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
        "A column has the name of one that row tracking keeps for itself.",
        _SCHEMA,
    ),
    (
        "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
        "The change data feed needs names that the schema has already.",
        _SCHEMA,
    ),
    ("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", "The last column cannot be dropped.", ()),
    (
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        "A column cannot be changed into what was asked for, or only with type widening on.",
        ("alter", "enable-feature"),
    ),
    (
        "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
        "A part of an array or a map cannot be dropped, only fields of structs inside it.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY",
        "Parts of arrays and maps have no comments of their own.",
        _SET,
    ),
    (
        "DELTA_OPERATION_NOT_ALLOWED",
        "Delta does not do this to a table; for one, a new column cannot be NOT NULL.",
        _SET,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
        "Of an identity column only comment and position can be changed.",
        _SET,
    ),
    (
        "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
        "A generated column would have another type than the expression it is computed from.",
        _SET,
    ),
    (
        "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
        "A table can be clustered by four columns at most.",
        _SET,
    ),
    (
        "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
        "The table was to be clustered by a column whose type has no minimum and maximum.",
        _SET,
    ),
    (
        "DELTA_CLUSTERING_COLUMN_MISSING_STATS",
        "Files have no statistics of a column that the table is, or was to be, clustered by.",
        _SET,
    ),
    (
        "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
        "A partitioned table cannot be clustered.",
        _SET,
    ),
    ("DELTA_CONSTRAINT_ALREADY_EXISTS", "The table has a constraint of that name.", _SET),
    ("DELTA_CONSTRAINT_DOES_NOT_EXIST", "The table has no constraint of that name.", _SET),
    ("DELTA_INVALID_CONSTRAINT_NAME", "Delta keeps this name of a constraint for itself.", _SET),
    ("UNSUPPORTED_TIME_TYPE", "Spark does not support the type TIME.", _SET),
    (
        "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
        "A table of another provider was to have a column of a type that this does not know.",
        _SET,
    ),
    (
        "INVALID_FIELD_NAME",
        "A column was to be added to something that is not a struct.",
        _SET,
    ),
    (
        "UNSUPPORTED_TYPE_WIDENING",
        "A column's type was widened in a way Delta does not read.",
        _SCHEMA,
    ),
    (
        "DELTA_ADD_CONSTRAINTS",
        "A CHECK constraint cannot be set as a property; alter --add-constraint adds it.",
        _SET,
    ),
    (
        "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
        "Rows that are there already violate the new CHECK constraint.",
        _SET,
    ),
    ("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "A row violates a CHECK constraint.", ()),
    # Properties
    (
        "DELTA_UNKNOWN_CONFIGURATION",
        "There is no property of that name that begins with delta.",
        ("alter", "validate"),
    ),
    (
        "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        "Delta maintains this property itself; nobody else may set it.",
        _SET,
    ),
    (
        "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED",
        "Two properties contradict each other.",
        ("alter", "validate"),
    ),
    (
        "DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
        "Row tracking cannot be both enabled and suspended.",
        ("alter", "validate"),
    ),
    (
        "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS",
        "Row ids need the number of records of every file, and some have no statistics.",
        ("enable-feature", "validate"),
    ),
    ("DELTA_INVALID_INTERVAL", "A property's value is not an interval.", ("alter", "validate")),
    ("DELTA_INVALID_CALENDAR_INTERVAL_EMPTY", "A property's value is an empty interval.", _SET),
    ("DELTA_INVALID_ISOLATION_LEVEL", "delta.isolationLevel has no such value.", _SET),
    (
        "DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS",
        "delta.dataSkippingStatsColumns names a column twice.",
        ("alter", "validate"),
    ),
    (
        "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN",
        "delta.dataSkippingStatsColumns names a partition column.",
        ("alter", "validate"),
    ),
    (
        "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE",
        "delta.dataSkippingStatsColumns names a column whose type has no statistics.",
        ("alter", "validate"),
    ),
    (
        "DELTA_CANNOT_MODIFY_APPEND_ONLY",
        "delta.appendOnly is on, and something was to be deleted or changed.",
        ("alter", "validate"),
    ),
    (
        "UNSUPPORTED_FEATURE",
        "Spark keeps the property, or the statement, for itself.",
        _SET,
    ),
    (
        "UNSUPPORTED_TABLE_CHANGE",
        "Spark's words for any refusal of Delta that has no class of its own.",
        _SET,
    ),
    ("DELTA_CREATE_TABLE_SCHEME_MISMATCH", "A table is there already, and has another schema.", ()),
    # Iceberg
    (
        "DELTA_ICEBERG_COMPAT_VIOLATION",
        "The table does not meet what the Iceberg compatibility that is enabled demands.",
        ("validate", "inspect"),
    ),
    (
        "DELTA_UNIVERSAL_FORMAT_VIOLATION",
        "Universal Format is on without the Iceberg compatibility that it needs.",
        ("alter", "validate"),
    ),
    (
        "DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED",
        "A file has a deletion vector and claims that its statistics are exact.",
        _SCHEMA,
    ),
    # Coordinated commits
    (
        "DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS",
        "The table has a commit coordinator, whose settings cannot be changed.",
        _SET,
    ),
    (
        "DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS",
        "The table has a commit coordinator, whose settings cannot be removed.",
        _SET,
    ),
    (
        "DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES",
        "In-commit timestamps cannot be set together with a commit coordinator.",
        _SET,
    ),
    (
        "DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES",
        "The table has a commit coordinator, which needs in-commit timestamps as they are.",
        _SET,
    ),
    (
        "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND",
        "This setting of coordinated commits is the coordinator's own.",
        _SET,
    ),
    (
        "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND",
        "A commit coordinator's name and configuration must be set together.",
        _SET,
    ),
    # Dropping features and columns
    (
        "DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE",
        "The table has geometry or geography columns, so it still needs the feature.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
        "Checkpoint protection guards old versions, so it goes with TRUNCATE HISTORY only.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
        "The protected versions are still within the time for which history is kept.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
        "What was named is a table property, not a table feature.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
        "Older versions that use the feature are still there; they go with TRUNCATE HISTORY.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
        "The first step is done; the second has to wait until the history is old enough.",
        _DROP,
    ),
    (
        "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
        "A CHECK constraint names the column that was to be renamed, dropped or changed.",
        _SET,
    ),
    (
        "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
        "A generated column is computed from the column that was to be changed.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
        "The table is clustered by the column that was to be dropped.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
        "The table is partitioned by the column that was to be dropped.",
        _SET,
    ),
    # Changing where a name in a catalog leads
    (
        "DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER",
        "Only a table with a name in a catalog can be given another location.",
        _SET,
    ),
    (
        "DELTA_SET_LOCATION_SCHEMA_MISMATCH",
        "The table at the new location has other columns or other partitions.",
        _SET,
    ),
    # Creating and replacing tables
    (
        "DELTA_CANNOT_WRITE_EMPTY_SCHEMA",
        "The query gives no column with a type, so that there is nothing to be written.",
        _CREATE,
    ),
    (
        "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
        "A table that supports clustering was to be replaced by a partitioned one.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        "There are files already where the new table was to be.",
        _CREATE,
    ),
    ("DELTA_SCHEMA_NOT_PROVIDED", "A table was to be created without columns.", _CREATE),
    (
        "DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION",
        "Delta Spark does not create tables whose commits a catalog manages.",
        _CREATE,
    ),
    (
        "INVALID_PARTITION_COLUMN_DATA_TYPE",
        "A table cannot be partitioned by a column of this type.",
        _CREATE,
    ),
    (
        "INVALID_HANDLE",
        "The Spark Connect server has ended the session, or has been started anew since.",
        _CONNECTED,
    ),
)

ERROR_CLASSES: Final = {name: ErrorClass(name, text, told) for name, text, told in sorted(_ROWS)}
"""Every class by its name, in alphabetical order."""
