"""
What Delta's error classes mean, and which command of deltaadm concerns them.

All that Delta Spark 4.4 has, and those of Spark that its statements meet. What deltaadm's own
errors, rules and statements meet has a sentence of its own here, the rest one for its family. A
class with a sub-class, `CLASS.SUB`, is explained as its class.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from deltaadm.operations.error_families import ERROR_FAMILIES


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
    ("DELTA_MISSING_DELTA_TABLE", "There is no Delta table at this location.", _INSPECT),
    (
        "DELTA_TABLE_ONLY_OPERATION",
        "The table belongs to another provider; only Delta tables support this.",
        _INSPECT,
    ),
    (
        "DELTA_STATE_RECOVER_ERROR",
        "The log contains no protocol or no metadata.",
        _INSPECT,
    ),
    (
        "DELTA_TRUNCATED_TRANSACTION_LOG",
        "The oldest commits are missing, and no complete checkpoint replaces them.",
        _INSPECT,
    ),
    (
        "DELTA_VERSIONS_NOT_CONTIGUOUS",
        "A commit between two others is missing.",
        _INSPECT,
    ),
    (
        "DELTA_MISSING_PART_FILES",
        "A required checkpoint is incomplete.",
        _INSPECT,
    ),
    (
        "DELTA_TXN_LOG_FAILED_INTEGRITY",
        "The log is inconsistent: a checksum, a checkpoint or an action contradicts the rest.",
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
        "The requested version does not exist, or can no longer be rebuilt.",
        _INSPECT,
    ),
    (
        "DELTA_NO_RECREATABLE_HISTORY_FOUND",
        "No version can be rebuilt from what is left of the log.",
        _INSPECT,
    ),
    (
        "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        "The requested time is before the oldest version that can be rebuilt.",
        _INSPECT,
    ),
    (
        "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        "The requested time is after the newest version.",
        _INSPECT,
    ),
    (
        "DELTA_MISSING_COMMIT_INFO",
        "In-commit timestamps are on, but a commit has no commitInfo.",
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
    ("INVALID_JSON_DATA_TYPE", "Spark cannot read the schema in the metadata.", _SCHEMA),
    (
        "DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED",
        "The catalog manages the table's commits, so the table cannot be accessed by its path.",
        _INSPECT,
    ),
    # Protocol and features
    (
        "DELTA_INVALID_PROTOCOL_VERSION",
        "The protocol requires versions that this release of Delta does not support.",
        _INSPECT,
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
        "The protocol has reader features that this release of Delta does not support.",
        _INSPECT,
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
        "The protocol has writer features that this release of Delta does not support.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        "The metadata makes a feature active that the protocol does not list.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        "A metadata change needs a feature that must be enabled explicitly.",
        _FEATURES,
    ),
    (
        "DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION",
        "A reader feature was requested with too low a reader version.",
        ("enable-feature", "upgrade-protocol"),
    ),
    (
        "DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION",
        "A feature was requested with too low a writer version.",
        ("enable-feature", "upgrade-protocol"),
    ),
    (
        "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
        "Reader version 3 was requested with a writer version below 7.",
        ("upgrade-protocol",),
    ),
    (
        "DELTA_PROTOCOL_PROPERTY_NOT_INT",
        (
            "delta.minReaderVersion or delta.minWriterVersion was set to something other than a "
            "number."
        ),
        ("upgrade-protocol",),
    ),
    (
        "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
        "A delta.feature property names a feature that this release of Delta does not know.",
        ("features", "enable-feature"),
    ),
    (
        "DELTA_UNSUPPORTED_FEATURE_STATUS",
        "A delta.feature property has a value other than supported.",
        ("enable-feature",),
    ),
    (
        "DELTA_GEOSPATIAL_NOT_SUPPORTED",
        "Delta does not support geometry and geography columns yet.",
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
        ("alter", "features"),
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
        "Other features of the table require this one; drop those first.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
        "The feature to be dropped is not in the protocol.",
        _INSPECT,
    ),
    (
        "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        "Dropping this feature does not require truncating history.",
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
        "The table still has CHECK constraints; drop them first.",
        _INSPECT,
    ),
    # Column mapping
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
        "The column mapping mode cannot be changed from the current one to the requested one.",
        _MAPPING,
    ),
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL",
        "Column mapping was requested, but the protocol does not support it.",
        _MAPPING,
    ),
    (
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE",
        "Turning column mapping on and changing the schema must be two separate changes.",
        _MAPPING,
    ),
    (
        "DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS",
        "Columns have ids or physical names of an earlier mapping, which do not match the files.",
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
        "Column mapping is on, but delta.columnMapping.maxColumnId is missing.",
        _SCHEMA,
    ),
    (
        "DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY",
        "delta.columnMapping.maxColumnId is lower than a column's id.",
        _SCHEMA,
    ),
    (
        "DELTA_UNSUPPORTED_RENAME_COLUMN",
        "Columns can be renamed only with column mapping.",
        ("set-mapping-mode",),
    ),
    (
        "DELTA_UNSUPPORTED_DROP_COLUMN",
        "Columns can be dropped only with column mapping.",
        ("set-mapping-mode",),
    ),
    # Schema and constraints
    (
        "DELTA_UNRECOGNIZED_INVARIANT",
        "The invariant of a column is not an expression that Delta can read.",
        _SCHEMA,
    ),
    ("DELTA_UNSUPPORTED_DATA_TYPES", "A column has a type that Delta does not support.", _SCHEMA),
    ("UNSUPPORTED_DATA_TYPE", "A column has a type that Spark does not know.", _SCHEMA),
    ("DELTA_DUPLICATE_COLUMNS_FOUND", "Two columns have the same name, ignoring case.", _SCHEMA),
    (
        "DELTA_NESTED_NOT_NULL_CONSTRAINT",
        "A field inside an array or a map is NOT NULL, which Delta cannot enforce.",
        _SCHEMA,
    ),
    (
        "DELTA_INVALID_PARTITION_COLUMN_NAME",
        "A partition column's name has characters that need column mapping.",
        _SCHEMA,
    ),
    ("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", "A referenced column is not in the schema.", _SCHEMA),
    (
        "DELTA_COLUMN_PATH_NOT_NESTED",
        "A path leads into a column that is not a struct.",
        _SCHEMA,
    ),
    (
        "DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED",
        "A column has a name that row tracking reserves.",
        _SCHEMA,
    ),
    (
        "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
        "The change data feed reserves column names that the schema already has.",
        _SCHEMA,
    ),
    ("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", "The last column cannot be dropped.", ()),
    (
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        "The requested column change is not possible, or only with type widening.",
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
        "Delta does not allow this operation; for example, a new column cannot be NOT NULL.",
        _SET,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED",
        "Only the comment and the position of an identity column can be changed.",
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
        "The type of a clustering column has no minimum and maximum statistics.",
        _SET,
    ),
    (
        "DELTA_CLUSTERING_COLUMN_MISSING_STATS",
        "Files have no statistics for a clustering column.",
        _SET,
    ),
    ("DELTA_CONSTRAINT_ALREADY_EXISTS", "The table has a constraint of that name.", _SET),
    ("DELTA_CONSTRAINT_DOES_NOT_EXIST", "The table has no constraint of that name.", _SET),
    ("DELTA_INVALID_CONSTRAINT_NAME", "Delta reserves this constraint name.", _SET),
    ("UNSUPPORTED_TIME_TYPE", "Spark does not support the type TIME.", _SET),
    (
        "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
        "The provider of the table does not support the type of a column.",
        _SET,
    ),
    (
        "INVALID_FIELD_NAME",
        "A column cannot be added to something that is not a struct.",
        _SET,
    ),
    (
        "UNSUPPORTED_TYPE_WIDENING",
        "A column's type was widened in a way that Delta cannot read.",
        _SCHEMA,
    ),
    (
        "DELTA_ADD_CONSTRAINTS",
        "A CHECK constraint cannot be set as a property; alter --add-constraint adds it.",
        _SET,
    ),
    (
        "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION",
        "Existing rows violate the new CHECK constraint.",
        _SET,
    ),
    ("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "A row violates a CHECK constraint.", ()),
    # Properties
    (
        "DELTA_UNKNOWN_CONFIGURATION",
        "Delta has no property of that name.",
        ("alter", "validate"),
    ),
    (
        "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        "Delta maintains this property; users cannot set it.",
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
        "Row ids need the number of records of every file, but some files have no statistics.",
        ("enable-feature", "validate"),
    ),
    ("DELTA_INVALID_INTERVAL", "A property's value is not an interval.", ("alter", "validate")),
    ("DELTA_INVALID_CALENDAR_INTERVAL_EMPTY", "A property's value is an empty interval.", _SET),
    ("DELTA_INVALID_ISOLATION_LEVEL", "delta.isolationLevel does not accept it.", _SET),
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
        "delta.appendOnly is on, so rows cannot be deleted or updated.",
        ("alter", "validate"),
    ),
    (
        "UNSUPPORTED_FEATURE",
        "Spark reserves the property, or does not support the statement.",
        _SET,
    ),
    (
        "UNSUPPORTED_TABLE_CHANGE",
        "Spark's error for any refusal of Delta that has no error class of its own.",
        _SET,
    ),
    ("DELTA_CREATE_TABLE_SCHEME_MISMATCH", "The table already exists with another schema.", ()),
    # Iceberg
    (
        "DELTA_ICEBERG_COMPAT_VIOLATION",
        "The table does not meet the requirements of the enabled Iceberg compatibility version.",
        ("validate", "inspect"),
    ),
    (
        "DELTA_UNIVERSAL_FORMAT_VIOLATION",
        "Universal Format is on without the Iceberg compatibility that it needs.",
        ("alter", "validate"),
    ),
    (
        "DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED",
        "A file has a deletion vector, but its statistics are marked as exact.",
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
        (
            "The table has a commit coordinator, which requires the current in-commit timestamp "
            "settings."
        ),
        _SET,
    ),
    (
        "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND",
        "This setting of coordinated commits is reserved for the coordinator.",
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
        (
            "Checkpoint protection protects old versions, so it can only be dropped with TRUNCATE "
            "HISTORY."
        ),
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
        "The protected versions are still within the retention period of the history.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY",
        "The name is that of a table property, not of a table feature.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
        "Older versions still use the feature; TRUNCATE HISTORY removes them.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
        "The first step is done; the second must wait until the retention period has passed.",
        _DROP,
    ),
    (
        "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
        "A CHECK constraint uses the column, so the column cannot be renamed, dropped or changed.",
        _SET,
    ),
    (
        "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
        "A generated column is computed from the column, so the column cannot be changed.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
        "A clustering column cannot be dropped.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
        "A partition column cannot be dropped.",
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
        "The query returns only untyped NULLs, so there is nothing to write.",
        _CREATE,
    ),
    (
        "DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
        "A table that supports clustering cannot be replaced by a partitioned one.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        "The location of the new table is not empty.",
        _CREATE,
    ),
    ("DELTA_SCHEMA_NOT_PROVIDED", "A table cannot be created without columns.", _CREATE),
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
        "The Spark Connect server has ended the session or was restarted.",
        _CONNECTED,
    ),
    # CHECK constraints
    (
        "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
        "The expression of a CHECK constraint is not a condition: its type is not BOOLEAN.",
        _SET,
    ),
    (
        "DELTA_AGGREGATE_IN_CHECK_CONSTRAINT",
        "A CHECK constraint applies to one row, so it cannot use aggregates such as sum and count.",
        _SET,
    ),
    (
        "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT",
        "A CHECK constraint cannot use non-deterministic functions such as rand and uuid.",
        _SET,
    ),
    (
        "DELTA_UDF_IN_CHECK_CONSTRAINT",
        "A CHECK constraint cannot use a user-defined function.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT",
        "A CHECK constraint uses a function that Delta does not allow there.",
        _SET,
    ),
    (
        "DELTA_INVALID_CHECK_CONSTRAINT_REFERENCES",
        "A CHECK constraint references a column that the table does not have.",
        _SET,
    ),
    (
        "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH",
        "A CHECK constraint uses the column, so its type cannot be changed.",
        _SET,
    ),
    (
        "UNRESOLVED_COLUMN",
        "An expression references a column that the table does not have.",
        _SET,
    ),
    (
        "INVALID_WHERE_CONDITION",
        "A condition on one row uses an aggregate or window function, such as count or row_number.",
        _SET,
    ),
    (
        "CAST_INVALID_INPUT",
        "A string in an expression cannot be cast to the type it is compared with.",
        _SET,
    ),
    ("PARSE_EMPTY_STATEMENT", "An expression or a statement is empty.", _SET),
    ("INTERNAL_ERROR", "Spark or Delta failed an internal check: a bug in Spark or Delta.", ()),
    ("DIVIDE_BY_ZERO", "An expression divides by zero.", _SET),
    (
        "NOT_A_SCALAR_FUNCTION",
        "An expression calls a function that returns a table, not a value.",
        _SET,
    ),
    ("UNSUPPORTED_GENERATOR", "An expression returns several rows for one, as explode does.", _SET),
    (
        "UNSUPPORTED_GROUPING_EXPRESSION",
        "grouping and grouping_id need GROUP BY and cannot be used in a condition on one row.",
        _SET,
    ),
    ("WRONG_NUM_ARGS", "A function was called with the wrong number of arguments.", _SET),
    (
        "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE",
        "A condition on one row uses a window function.",
        _SET,
    ),
    (
        "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
        "A window function such as row_number lacks its OVER clause.",
        _SET,
    ),
    (
        "INVALID_EXTRACT_BASE_FIELD_TYPE",
        "An expression references a field of a column that is not a struct.",
        _SET,
    ),
    ("UNRESOLVED_ROUTINE", "An expression calls a function that Spark does not have.", _SET),
    (
        "DATATYPE_MISMATCH",
        "An operator or a function does not accept the types of its operands.",
        _SET,
    ),
    (
        "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
        "A decimal cannot have more than 38 digits.",
        ("alter", "create"),
    ),
    ("PARSE_SYNTAX_ERROR", "Spark's parser cannot read the statement or the expression.", _SET),
    # Other changes of columns and properties
    (
        "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
        "REPLACE COLUMNS would drop, rename or retype columns; alter has a step for each of these.",
        _SET,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED",
        "REPLACE COLUMNS does not work on a table with identity columns.",
        _SET,
    ),
    (
        "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT",
        "A field cannot be added to a column that is not a struct.",
        _SET,
    ),
    (
        "DELTA_ALTER_TABLE_CHANGE_COL_NOT_SUPPORTED",
        "A column cannot be changed from its type to the requested one.",
        _SET,
    ),
    (
        "DELTA_NEW_NOT_NULL_VIOLATION",
        "A column cannot become NOT NULL because existing rows have no value in it.",
        _SET,
    ),
    (
        "DELTA_NOT_NULL_NESTED_FIELD",
        "A field that is NOT NULL cannot be added to a struct that may be null itself.",
        _SET,
    ),
    (
        "DELTA_DUPLICATE_COLUMNS_ON_UPDATE_TABLE",
        "After the change two columns would have the same name.",
        _SET,
    ),
    (
        "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH",
        "A generated column is computed from the column, so its type cannot be changed.",
        _SET,
    ),
    (
        "DELTA_GENERATED_COLUMN_UPDATE_TYPE_MISMATCH",
        "A generated column, or one that it is computed from, would get another type.",
        _SET,
    ),
    (
        "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_PREVIEW",
        (
            "A column was widened with the preview of type widening, in a way that is no longer "
            "supported."
        ),
        _SCHEMA,
    ),
    (
        "DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA",
        "A column's type was changed in a way that this release of Delta cannot read.",
        _SCHEMA,
    ),
    (
        "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
        "A column has a default, but the table lacks the feature allowColumnDefaults.",
        ("alter", "create", "enable-feature"),
    ),
    (
        "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED",
        "A column cannot be added with a default; add it first, then set the default.",
        _SET,
    ),
    ("FIELD_ALREADY_EXISTS", "A column or field of that name already exists.", _SET),
    ("FIELD_NOT_FOUND", "There is no column or field of that name.", _SET),
    ("NOT_SUPPORTED_CHANGE_COLUMN", "Spark does not support this change of a column's type.", _SET),
    ("COLUMN_ALREADY_EXISTS", "A column was named twice.", ("alter", "create")),
    (
        "EXPRESSION_DECODING_FAILED",
        "Spark could not decode stored values; the schema may not match the files.",
        _SCHEMA,
    ),
    (
        "DELTA_CANNOT_CHANGE_LOCATION",
        "The location is not a property; alter --set-location changes it.",
        _SET,
    ),
    ("DELTA_CANNOT_CHANGE_PROVIDER", "A table's provider cannot be changed.", _SET),
    ("DELTA_UNSET_NON_EXISTENT_PROPERTY", "The property to remove is not set.", _SET),
    (
        "DELTA_CANNOT_MODIFY_CATALOG_MANAGED_DEPENDENCIES",
        "The catalog that manages the commits requires the current in-commit timestamp settings.",
        _SET,
    ),
    (
        "DELTA_ALTER_TABLE_CLUSTER_BY_NOT_ALLOWED",
        "CLUSTER BY was given for a table that cannot be clustered.",
        _SET,
    ),
    (
        "DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_SESSION",
        "The session's defaults set only one of a commit coordinator's name and configuration.",
        _CREATE,
    ),
    (
        "DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_SESSION",
        "The session's defaults have a setting that is reserved for the commit coordinator.",
        _CREATE,
    ),
    (
        "DELTA_UNSUPPORTED_WRITES_WITHOUT_COORDINATOR",
        "The table's commits need a coordinator that this session does not know.",
        _INSPECT,
    ),
    # Features that need others
    (
        "DELTA_ADAPTIVE_METADATA_REQUIRES_COLUMN_MAPPING_ID_MODE",
        "Adaptive metadata needs column mapping mode id.",
        ("create", "set-mapping-mode"),
    ),
    (
        "DELTA_ADAPTIVE_METADATA_REQUIRES_DEPENDENT_FEATURE_ENABLED",
        "Adaptive metadata needs other features, one of which a property disables.",
        ("create", "features"),
    ),
    (
        "DELTA_INVALID_PROTOCOL_DOWNGRADE",
        "The protocol cannot be downgraded, except by DROP FEATURE.",
        ("drop-feature", "upgrade-protocol"),
    ),
    (
        "DELTA_FEATURE_DROP_CHECKPOINT_FAILED",
        "Dropping a feature needs a checkpoint, and writing it failed.",
        _DROP,
    ),
    (
        "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
        "Another writer changed the table while the feature was being dropped; try again.",
        _DROP,
    ),
    (
        "DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL",
        "Row tracking is being turned on and off at the same time by two writers.",
        ("enable-feature", "drop-feature"),
    ),
    (
        "DELTA_MATERIALIZED_ROW_TRACKING_COLUMN_NAME_MISSING",
        "Row tracking is on, but the property with the name of its column is missing.",
        _SCHEMA,
    ),
    (
        "DELTA_GEOSPATIAL_SRID_NOT_SUPPORTED",
        "A geometry or geography column has a reference system that Delta does not support.",
        ("create", "features"),
    ),
    (
        "DELTA_UNSUPPORTED_INVARIANT_NON_STRUCT",
        "A field inside an array or a map has an invariant, which is not supported.",
        _SCHEMA,
    ),
    (
        "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED",
        "The commit succeeded, but its metadata could not be converted for Iceberg or Hudi.",
        _INSPECT,
    ),
    # Creating tables
    (
        "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        "The feature clustering cannot be set as a property of a new table; --cluster-by adds it.",
        _CREATE,
    ),
    (
        "DELTA_CLUSTER_BY_WITH_PARTITIONED_BY",
        "A table cannot be both clustered and partitioned.",
        _CREATE,
    ),
    (
        "DELTA_CLUSTERING_COLUMNS_MISMATCH",
        "The given clustering columns are not those of the existing table.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING",
        "The table already exists and is clustered by other columns.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING",
        "The table already exists and is partitioned by other columns.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY",
        "The table already exists with other properties.",
        _CREATE,
    ),
    (
        "DELTA_AMBIGUOUS_PATHS_IN_CREATE_TABLE",
        "A table that is addressed by its path was given another location.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH",
        "A table that is addressed by its path was given another location.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA",
        "A table at an empty location cannot be created without columns.",
        _CREATE,
    ),
    (
        "DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG",
        "A table cannot be created where there are files but no log.",
        _CREATE,
    ),
    (
        "DELTA_INVALID_MANAGED_TABLE_SYNTAX_NO_SCHEMA",
        "A managed table cannot be created without columns.",
        _CREATE,
    ),
    ("DELTA_TABLE_ALREADY_EXISTS", "A table of that name already exists.", _CREATE),
    (
        "DELTA_TABLE_LOCATION_MISMATCH",
        "The table of that name has another location than the given one.",
        _CREATE,
    ),
    (
        "DELTA_CANNOT_REPLACE_MISSING_TABLE",
        "There is no table to replace; --mode create-or-replace creates one.",
        _CREATE,
    ),
    ("DELTA_NO_RELATION_TABLE", "There is no table of that name.", _INSPECT),
    (
        "DELTA_NOT_A_DELTA_TABLE",
        "The table of that name belongs to another provider and cannot become a Delta table.",
        _CREATE,
    ),
    (
        "DELTA_REPLACE_TABLE_WITH_CATALOG_MANAGED_NOT_SUPPORTED",
        "Replacing a table cannot make it catalog-managed.",
        _CREATE,
    ),
    (
        "DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_OPERATION",
        "The catalog manages the table's commits and does not allow this.",
        _INSPECT,
    ),
    (
        "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION",
        "A table cannot be partitioned by all of its columns.",
        _CREATE,
    ),
    ("ALL_PARTITION_COLUMNS_NOT_ALLOWED", "Not all columns can be partition columns.", _CREATE),
    (
        "DELTA_INVALID_PARTITION_COLUMN",
        "A table cannot be partitioned by this column.",
        _CREATE,
    ),
    (
        "DELTA_INVALID_PARTITION_COLUMN_TYPE",
        "A table cannot be partitioned by a column of this type.",
        _CREATE,
    ),
    (
        "DELTA_MISSING_PARTITION_COLUMN",
        "A partition column is not among the table's columns.",
        ("create", "validate"),
    ),
    (
        "DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP",
        "The step of an identity column cannot be 0.",
        _CREATE,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
        "A table cannot be partitioned by an identity column.",
        _CREATE,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
        "An identity column must be a BIGINT.",
        _CREATE,
    ),
    (
        "DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION",
        "A column cannot be both an identity column and generated.",
        _CREATE,
    ),
    (
        "DELTA_AGGREGATE_IN_GENERATED_COLUMN",
        "A generated column cannot use aggregates such as sum and count.",
        _CREATE,
    ),
    (
        "DELTA_INVALID_GENERATED_COLUMN_REFERENCES",
        "A generated column references a column that does not exist or is itself generated.",
        _CREATE,
    ),
    (
        "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN",
        "A generated column cannot use non-deterministic functions such as rand and uuid.",
        _CREATE,
    ),
    (
        "DELTA_UDF_IN_GENERATED_COLUMN",
        "A generated column cannot use a user-defined function.",
        _CREATE,
    ),
    (
        "DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN",
        "A generated column cannot have this type.",
        _CREATE,
    ),
    (
        "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
        "A generated column uses a function that Delta does not allow there.",
        _CREATE,
    ),
    (
        "RESERVED_CDC_COLUMNS_ON_WRITE",
        "The change data feed is on, and the schema has a column with a name that it reserves.",
        _SCHEMA,
    ),
    ("TABLE_OR_VIEW_ALREADY_EXISTS", "A table or view of that name already exists.", _CREATE),
    ("TABLE_OR_VIEW_NOT_FOUND", "There is no table or view of that name.", _INSPECT),
    ("LOCATION_ALREADY_EXISTS", "The location of the new table is not empty.", _CREATE),
    ("SCHEMA_NOT_FOUND", "The catalog has no schema of that name.", _CREATE),
    ("CATALOG_NOT_FOUND", "Spark has no catalog of that name.", ("doctor", "inspect")),
    ("PATH_NOT_FOUND", "There is nothing at that path.", _INSPECT),
    (
        "REQUIRES_SINGLE_PART_NAMESPACE",
        "The catalog's names have three parts at most, and this one has more.",
        _INSPECT,
    ),
    ("EXPECT_TABLE_NOT_VIEW", "The name is that of a view, not of a table.", _INSPECT),
    (
        "IDENTITY_COLUMNS_ILLEGAL_STEP",
        "The step of an identity column cannot be 0.",
        _CREATE,
    ),
    # Spark's classes without a name
    ("_LEGACY_ERROR_TEMP_0034", "REPLACE COLUMNS takes no NOT NULL and no position.", _SET),
    ("_LEGACY_ERROR_TEMP_0035", "Spark's parser does not support the statement.", ()),
    ("_LEGACY_ERROR_TEMP_1126", "The catalog's names have fewer parts than this one.", _INSPECT),
    ("_LEGACY_ERROR_TEMP_2330", "A column cannot become NOT NULL by this statement.", _SET),
    ("_LEGACY_ERROR_TEMP_3058", "A table cannot be partitioned by a column twice.", _CREATE),
    ("_LEGACY_ERROR_TEMP_3060", "A column to partition by is not in the schema.", _CREATE),
    # Carrying out
    (
        "DELTA_CONCURRENT_APPEND",
        "Another writer added rows that this change would have had to read; try again.",
        ("inspect",),
    ),
    (
        "DELTA_CONCURRENT_DELETE_DELETE",
        "Another writer removed a file that this change removes too; try again.",
        ("inspect",),
    ),
    (
        "DELTA_CONCURRENT_DELETE_READ",
        "Another writer removed a file that this change has read; try again.",
        ("inspect",),
    ),
    (
        "DELTA_CONCURRENT_WRITE",
        "Another writer committed in the meantime; try again.",
        ("inspect",),
    ),
    (
        "DELTA_MAX_COMMIT_RETRIES_EXCEEDED",
        "Other writers committed first every time; try again when there are fewer of them.",
        ("inspect",),
    ),
    (
        "DELTA_POST_COMMIT_HOOK_FAILED",
        "The commit succeeded, but something that follows it failed, such as a checkpoint.",
        _INSPECT,
    ),
    (
        "DELTA_COMMAND_INVARIANT_VIOLATION",
        "A command found the table in an unexpected state; try again.",
        _INSPECT,
    ),
    (
        "DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG",
        "The Spark session lacks Delta's extension or Delta's catalog.",
        ("doctor",),
    ),
    ("DATA_SOURCE_NOT_FOUND", "Spark does not know Delta: its jars are missing.", ("doctor",)),
    (
        "DELTA_LOG_FILE_NOT_FOUND",
        "A log file that is needed for a version does not exist.",
        _INSPECT,
    ),
)

_FAMILY_ROWS: Final = (
    (name, family.meaning, family.commands) for family in ERROR_FAMILIES for name in family.names
)

ERROR_CLASSES: Final = {
    name: ErrorClass(name, meaning, commands)
    for name, meaning, commands in sorted((*_FAMILY_ROWS, *_ROWS))
}
"""Every class by its name, in alphabetical order."""
