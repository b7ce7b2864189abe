"""
What Delta's error classes mean, and which command of deltaadm concerns them.

All that Delta Spark 4.4 has, and those of Spark that its statements meet. What deltaadm's own
errors, rules and statements meet has a sentence of its own here, the rest one for its family. A
class with a sub-class, `CLASS.SUB`, is explained as its class.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from deltaadm.operations.error_families import ERROR_FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterator


class ErrorClass(NamedTuple):
    """An error class: its meaning, and the subcommands that explain or avoid it."""

    name: str
    meaning: str
    commands: tuple[str, ...]


_CLASSES: Final = """
# Reading the log
DELTA_MISSING_DELTA_TABLE: inspect, validate
    There is no Delta table at this location.
DELTA_TABLE_ONLY_OPERATION: inspect, validate
    The table belongs to another provider; only Delta tables support this.
DELTA_STATE_RECOVER_ERROR: inspect, validate
    The log contains no protocol or no metadata.
DELTA_TRUNCATED_TRANSACTION_LOG: inspect, validate
    The oldest commits are missing, and no complete checkpoint replaces them.
DELTA_VERSIONS_NOT_CONTIGUOUS: inspect, validate
    A commit between two others is missing.
DELTA_MISSING_PART_FILES: inspect, validate
    A required checkpoint is incomplete.
DELTA_TXN_LOG_FAILED_INTEGRITY: validate
    The log is inconsistent: a checksum, a checkpoint or an action contradicts the rest.
DELTA_DUPLICATE_ACTIONS_FOUND: validate
    One commit has the same action for the same thing twice.
DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR: validate
    One commit sets the same metadata domain twice.
DELTA_VERSION_NOT_FOUND: inspect, validate
    The requested version does not exist, or can no longer be rebuilt.
DELTA_NO_RECREATABLE_HISTORY_FOUND: inspect, validate
    No version can be rebuilt from what is left of the log.
DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION: inspect, validate
    The requested time is before the oldest version that can be rebuilt.
DELTA_TIMESTAMP_GREATER_THAN_COMMIT: inspect, validate
    The requested time is after the newest version.
DELTA_MISSING_COMMIT_INFO: validate
    In-commit timestamps are on, but a commit has no commitInfo.
DELTA_MISSING_COMMIT_TIMESTAMP: validate
    In-commit timestamps are on, and a commit has none: its writer ignores the feature.
FAILED_READ_FILE: validate
    Spark could not read a file of the table or of its log.
INVALID_JSON_DATA_TYPE: validate
    Spark cannot read the schema in the metadata.
DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED: inspect, validate
    The catalog manages the table's commits, so the table cannot be accessed by its path.

# Protocol and features
DELTA_INVALID_PROTOCOL_VERSION: inspect, validate
    The protocol requires versions that this release of Delta does not support.
DELTA_UNSUPPORTED_FEATURES_FOR_READ: inspect, validate
    The protocol has reader features that this release of Delta does not support.
DELTA_UNSUPPORTED_FEATURES_FOR_WRITE: inspect, validate
    The protocol has writer features that this release of Delta does not support.
DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH: inspect, validate
    The metadata makes a feature active that the protocol does not list.
DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT: inspect, enable-feature
    A metadata change needs a feature that must be enabled explicitly.
DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION: enable-feature, upgrade-protocol
    A reader feature was requested with too low a reader version.
DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION: enable-feature, upgrade-protocol
    A feature was requested with too low a writer version.
DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE: upgrade-protocol
    Reader version 3 was requested with a writer version below 7.
DELTA_PROTOCOL_PROPERTY_NOT_INT: upgrade-protocol
    delta.minReaderVersion or delta.minWriterVersion was set to something other than a number.
DELTA_UNSUPPORTED_FEATURES_IN_CONFIG: features, enable-feature
    A delta.feature property names a feature that this release of Delta does not know.
DELTA_UNSUPPORTED_FEATURE_STATUS: enable-feature
    A delta.feature property has a value other than supported.
DELTA_GEOSPATIAL_NOT_SUPPORTED: features
    Delta does not support geometry and geography columns yet.
DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED: features
    Adaptive metadata can only be chosen when a table is created.
DELTA_DOMAIN_METADATA_NOT_SUPPORTED: inspect, enable-feature
    A commit has metadata domains, and the protocol lacks the feature domainMetadata.
DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED: features
    Clustering cannot be added by a property; ALTER TABLE ... CLUSTER BY adds it.
DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED: alter, features
    A table with partition columns cannot be clustered.
DELTA_PROTOCOL_CHANGED: inspect
    Another writer changed the protocol in the meantime.
DELTA_METADATA_CHANGED: inspect
    Another writer changed the metadata in the meantime.

# Dropping features
DELTA_FEATURE_DROP_DEPENDENT_FEATURE: inspect, validate
    Other features of the table require this one; drop those first.
DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT: inspect, validate
    The feature to be dropped is not in the protocol.
DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED: features
    Dropping this feature does not require truncating history.
DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE: features
    The feature cannot be dropped by this release of Delta.
DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE: features
    The feature to be dropped is one that this release of Delta does not know.
DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE: inspect, validate
    The table still has CHECK constraints; drop them first.

# Column mapping
DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE: set-mapping-mode, validate
    The column mapping mode cannot be changed from the current one to the requested one.
DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL: set-mapping-mode, validate
    Column mapping was requested, but the protocol does not support it.
DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE: set-mapping-mode, validate
    Turning column mapping on and changing the schema must be two separate changes.
DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS: set-mapping-mode, validate
    Columns have ids or physical names of an earlier mapping, which do not match the files.
DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING: set-mapping-mode, validate
    Without column mapping some columns would have names that Parquet does not allow.
DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES: set-mapping-mode, validate
    A column's name has characters that need column mapping.
DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET: validate
    Column mapping is on, but delta.columnMapping.maxColumnId is missing.
DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY: validate
    delta.columnMapping.maxColumnId is lower than a column's id.
DELTA_UNSUPPORTED_RENAME_COLUMN: set-mapping-mode
    Columns can be renamed only with column mapping.
DELTA_UNSUPPORTED_DROP_COLUMN: set-mapping-mode
    Columns can be dropped only with column mapping.

# Schema and constraints
DELTA_UNRECOGNIZED_INVARIANT: validate
    The invariant of a column is not an expression that Delta can read.
DELTA_UNSUPPORTED_DATA_TYPES: validate
    A column has a type that Delta does not support.
UNSUPPORTED_DATA_TYPE: validate
    A column has a type that Spark does not know.
DELTA_DUPLICATE_COLUMNS_FOUND: validate
    Two columns have the same name, ignoring case.
DELTA_NESTED_NOT_NULL_CONSTRAINT: validate
    A field inside an array or a map is NOT NULL, which Delta cannot enforce.
DELTA_INVALID_PARTITION_COLUMN_NAME: validate
    A partition column's name has characters that need column mapping.
DELTA_COLUMN_NOT_FOUND_IN_SCHEMA: validate
    A referenced column is not in the schema.
DELTA_COLUMN_PATH_NOT_NESTED: validate
    A path leads into a column that is not a struct.
DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED: validate
    A column has a name that row tracking reserves.
DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS: validate
    The change data feed reserves column names that the schema already has.
DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA
    The last column cannot be dropped.
DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP: alter, enable-feature
    The requested column change is not possible, or only with type widening.
DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE: alter
    A part of an array or a map cannot be dropped, only fields of structs inside it.
DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY: alter
    Parts of arrays and maps have no comments of their own.
DELTA_OPERATION_NOT_ALLOWED: alter
    Delta does not allow this operation; for example, a new column cannot be NOT NULL.
DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED: alter
    Only the comment and the position of an identity column can be changed.
DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH: alter
    A generated column would have another type than the expression it is computed from.
DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS: alter
    A table can be clustered by four columns at most.
DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED: alter
    The type of a clustering column has no minimum and maximum statistics.
DELTA_CLUSTERING_COLUMN_MISSING_STATS: alter
    Files have no statistics for a clustering column.
DELTA_CONSTRAINT_ALREADY_EXISTS: alter
    The table has a constraint of that name.
DELTA_CONSTRAINT_DOES_NOT_EXIST: alter
    The table has no constraint of that name.
DELTA_INVALID_CONSTRAINT_NAME: alter
    Delta reserves this constraint name.
UNSUPPORTED_TIME_TYPE: alter
    Spark does not support the type TIME.
UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE: alter
    The provider of the table does not support the type of a column.
INVALID_FIELD_NAME: alter
    A column cannot be added to something that is not a struct.
UNSUPPORTED_TYPE_WIDENING: validate
    A column's type was widened in a way that Delta cannot read.
DELTA_ADD_CONSTRAINTS: alter
    A CHECK constraint cannot be set as a property; alter --add-constraint adds it.
DELTA_NEW_CHECK_CONSTRAINT_VIOLATION: alter
    Existing rows violate the new CHECK constraint.
DELTA_VIOLATE_CONSTRAINT_WITH_VALUES
    A row violates a CHECK constraint.

# Properties
DELTA_UNKNOWN_CONFIGURATION: alter, validate
    Delta has no property of that name.
DELTA_CANNOT_MODIFY_TABLE_PROPERTY: alter
    Delta maintains this property; users cannot set it.
DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED: alter, validate
    Two properties contradict each other.
DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION: alter, validate
    Row tracking cannot be both enabled and suspended.
DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS: enable-feature, validate
    Row ids need the number of records of every file, but some files have no statistics.
DELTA_INVALID_INTERVAL: alter, validate
    A property's value is not an interval.
DELTA_INVALID_CALENDAR_INTERVAL_EMPTY: alter
    A property's value is an empty interval.
DELTA_INVALID_ISOLATION_LEVEL: alter
    delta.isolationLevel does not accept it.
DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS: alter, validate
    delta.dataSkippingStatsColumns names a column twice.
DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN: alter, validate
    delta.dataSkippingStatsColumns names a partition column.
DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE: alter, validate
    delta.dataSkippingStatsColumns names a column whose type has no statistics.
DELTA_CANNOT_MODIFY_APPEND_ONLY: alter, validate
    delta.appendOnly is on, so rows cannot be deleted or updated.
UNSUPPORTED_FEATURE: alter
    Spark reserves the property, or does not support the statement.
UNSUPPORTED_TABLE_CHANGE: alter
    Spark's error for any refusal of Delta that has no error class of its own.
DELTA_CREATE_TABLE_SCHEME_MISMATCH
    The table already exists with another schema.

# Iceberg
DELTA_ICEBERG_COMPAT_VIOLATION: validate, inspect
    The table does not meet the requirements of the enabled Iceberg compatibility version.
DELTA_UNIVERSAL_FORMAT_VIOLATION: alter, validate
    Universal Format is on without the Iceberg compatibility that it needs.
DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED: validate
    A file has a deletion vector, but its statistics are marked as exact.

# Coordinated commits
DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS: alter
    The table has a commit coordinator, whose settings cannot be changed.
DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS: alter
    The table has a commit coordinator, whose settings cannot be removed.
DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES: alter
    In-commit timestamps cannot be set together with a commit coordinator.
DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES: alter
    The table has a commit coordinator, which requires the current in-commit timestamp
    settings.
DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND: alter
    This setting of coordinated commits is reserved for the coordinator.
DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND: alter
    A commit coordinator's name and configuration must be set together.

# Dropping features and columns
DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE: drop-feature
    The table has geometry or geography columns, so it still needs the feature.
DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION: drop-feature
    Checkpoint protection protects old versions, so it can only be dropped with TRUNCATE
    HISTORY.
DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD: drop-feature
    The protected versions are still within the retention period of the history.
DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY: drop-feature
    The name is that of a table property, not of a table feature.
DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST: drop-feature
    Older versions still use the feature; TRUNCATE HISTORY removes them.
DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD: drop-feature
    The first step is done; the second must wait until the retention period has passed.
DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE: alter
    A CHECK constraint uses the column, so the column cannot be renamed, dropped or changed.
DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE: alter
    A generated column is computed from the column, so the column cannot be changed.
DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN: alter
    A clustering column cannot be dropped.
DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN: alter
    A partition column cannot be dropped.

# Changing where a name in a catalog leads
DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER: alter
    Only a table with a name in a catalog can be given another location.
DELTA_SET_LOCATION_SCHEMA_MISMATCH: alter
    The table at the new location has other columns or other partitions.

# Creating and replacing tables
DELTA_CANNOT_WRITE_EMPTY_SCHEMA: create
    The query returns only untyped NULLs, so there is nothing to write.
DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE: create
    A table that supports clustering cannot be replaced by a partitioned one.
DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION: create
    The location of the new table is not empty.
DELTA_SCHEMA_NOT_PROVIDED: create
    A table cannot be created without columns.
DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION: create
    Delta Spark does not create tables whose commits a catalog manages.
INVALID_PARTITION_COLUMN_DATA_TYPE: create
    A table cannot be partitioned by a column of this type.
INVALID_HANDLE: doctor, inspect
    The Spark Connect server has ended the session or was restarted.

# CHECK constraints
DELTA_NON_BOOLEAN_CHECK_CONSTRAINT: alter
    The expression of a CHECK constraint is not a condition: its type is not BOOLEAN.
DELTA_AGGREGATE_IN_CHECK_CONSTRAINT: alter
    A CHECK constraint applies to one row, so it cannot use aggregates such as sum and count.
DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT: alter
    A CHECK constraint cannot use non-deterministic functions such as rand and uuid.
DELTA_UDF_IN_CHECK_CONSTRAINT: alter
    A CHECK constraint cannot use a user-defined function.
DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT: alter
    A CHECK constraint uses a function that Delta does not allow there.
DELTA_INVALID_CHECK_CONSTRAINT_REFERENCES: alter
    A CHECK constraint references a column that the table does not have.
DELTA_CONSTRAINT_DATA_TYPE_MISMATCH: alter
    A CHECK constraint uses the column, so its type cannot be changed.
INVALID_DEFAULT_VALUE: alter
    A column's default is not a constant of the column's type.
INVALID_IDENTIFIER: alter
    A name needs backticks; Spark leaves them out itself for char and varchar in a struct.
UNSUPPORTED_EXPRESSION_GENERATED_COLUMN: alter
    A column is generated from another one, by unknown functions, or with another type.
UNRESOLVED_COLUMN: alter
    An expression references a column that the table does not have.
INVALID_WHERE_CONDITION: alter
    A condition on one row uses an aggregate or window function, such as count or row_number.
CAST_INVALID_INPUT: alter
    A string in an expression cannot be cast to the type it is compared with.
PARSE_EMPTY_STATEMENT: alter
    An expression or a statement is empty.
INTERNAL_ERROR
    Spark or Delta failed an internal check: a bug in Spark or Delta.
DIVIDE_BY_ZERO: alter
    An expression divides by zero.
NOT_A_SCALAR_FUNCTION: alter
    An expression calls a function that returns a table, not a value.
UNSUPPORTED_GENERATOR: alter
    An expression returns several rows for one, as explode does.
UNSUPPORTED_GROUPING_EXPRESSION: alter
    grouping and grouping_id need GROUP BY and cannot be used in a condition on one row.
WRONG_NUM_ARGS: alter
    A function was called with the wrong number of arguments.
WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE: alter
    A condition on one row uses a window function.
WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE: alter
    A window function such as row_number lacks its OVER clause.
INVALID_EXTRACT_BASE_FIELD_TYPE: alter
    An expression references a field of a column that is not a struct.
UNRESOLVED_ROUTINE: alter
    An expression calls a function that Spark does not have.
DATATYPE_MISMATCH: alter
    An operator or a function does not accept the types of its operands.
DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION: alter, create
    A decimal cannot have more than 38 digits.
PARSE_SYNTAX_ERROR: alter
    Spark's parser cannot read the statement or the expression.

# Other changes of columns and properties
DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP: alter
    REPLACE COLUMNS would drop, rename or retype columns; alter has a step for each of these.
DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED: alter
    REPLACE COLUMNS does not work on a table with identity columns.
DELTA_ADD_COLUMN_PARENT_NOT_STRUCT: alter
    A field cannot be added to a column that is not a struct.
DELTA_ALTER_TABLE_CHANGE_COL_NOT_SUPPORTED: alter
    A column cannot be changed from its type to the requested one.
DELTA_NEW_NOT_NULL_VIOLATION: alter
    A column cannot become NOT NULL because existing rows have no value in it.
DELTA_NOT_NULL_NESTED_FIELD: alter
    A field that is NOT NULL cannot be added to a struct that may be null itself.
DELTA_DUPLICATE_COLUMNS_ON_UPDATE_TABLE: alter
    After the change two columns would have the same name.
DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH: alter
    A generated column is computed from the column, so its type cannot be changed.
DELTA_GENERATED_COLUMN_UPDATE_TYPE_MISMATCH: alter
    A generated column, or one that it is computed from, would get another type.
DELTA_UNSUPPORTED_TYPE_CHANGE_IN_PREVIEW: validate
    A column was widened with the preview of type widening, in a way that is no longer
    supported.
DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA: validate
    A column's type was changed in a way that this release of Delta cannot read.
WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED: alter, create, enable-feature
    A column has a default, but the table lacks the feature allowColumnDefaults.
WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED: alter
    A column cannot be added with a default; add it first, then set the default.
FIELD_ALREADY_EXISTS: alter
    A column or field of that name already exists.
FIELD_NOT_FOUND: alter
    There is no column or field of that name.
NOT_SUPPORTED_CHANGE_COLUMN: alter
    Spark does not support this change of a column's type.
COLUMN_ALREADY_EXISTS: alter, create
    A column was named twice.
EXPRESSION_DECODING_FAILED: validate
    Spark could not decode stored values; the schema may not match the files.
DELTA_CANNOT_CHANGE_LOCATION: alter
    The location is not a property; alter --set-location changes it.
DELTA_CANNOT_CHANGE_PROVIDER: alter
    A table's provider cannot be changed.
DELTA_UNSET_NON_EXISTENT_PROPERTY: alter
    The property to remove is not set.
DELTA_CANNOT_MODIFY_CATALOG_MANAGED_DEPENDENCIES: alter
    The catalog that manages the commits requires the current in-commit timestamp settings.
DELTA_ALTER_TABLE_CLUSTER_BY_NOT_ALLOWED: alter
    CLUSTER BY was given for a table that cannot be clustered.
DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_SESSION: create
    The session's defaults set only one of a commit coordinator's name and configuration.
DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_SESSION: create
    The session's defaults have a setting that is reserved for the commit coordinator.
DELTA_UNSUPPORTED_WRITES_WITHOUT_COORDINATOR: inspect, validate
    The table's commits need a coordinator that this session does not know.

# Features that need others
DELTA_ADAPTIVE_METADATA_REQUIRES_COLUMN_MAPPING_ID_MODE: create, set-mapping-mode
    Adaptive metadata needs column mapping mode id.
DELTA_ADAPTIVE_METADATA_REQUIRES_DEPENDENT_FEATURE_ENABLED: create, features
    Adaptive metadata needs other features, one of which a property disables.
DELTA_INVALID_PROTOCOL_DOWNGRADE: drop-feature, upgrade-protocol
    The protocol cannot be downgraded, except by DROP FEATURE.
DELTA_FEATURE_DROP_CHECKPOINT_FAILED: drop-feature
    Dropping a feature needs a checkpoint, and writing it failed.
DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL: drop-feature
    Another writer changed the table while the feature was being dropped; try again.
DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL: enable-feature, drop-feature
    Row tracking is being turned on and off at the same time by two writers.
DELTA_MATERIALIZED_ROW_TRACKING_COLUMN_NAME_MISSING: validate
    Row tracking is on, but the property with the name of its column is missing.
DELTA_GEOSPATIAL_SRID_NOT_SUPPORTED: create, features
    A geometry or geography column has a reference system that Delta does not support.
DELTA_UNSUPPORTED_INVARIANT_NON_STRUCT: validate
    A field inside an array or a map has an invariant, which is not supported.
DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED: inspect, validate
    The commit succeeded, but its metadata could not be converted for Iceberg or Hudi.

# Creating tables
DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED: create
    The feature clustering cannot be set as a property of a new table; --cluster-by adds it.
DELTA_CLUSTER_BY_WITH_PARTITIONED_BY: create
    A table cannot be both clustered and partitioned.
DELTA_CLUSTERING_COLUMNS_MISMATCH: create
    The given clustering columns are not those of the existing table.
DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING: create
    The table already exists and is clustered by other columns.
DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING: create
    The table already exists and is partitioned by other columns.
DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY: create
    The table already exists with other properties.
DELTA_AMBIGUOUS_PATHS_IN_CREATE_TABLE: create
    A table that is addressed by its path was given another location.
DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH: create
    A table that is addressed by its path was given another location.
DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA: create
    A table at an empty location cannot be created without columns.
DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG: create
    A table cannot be created where there are files but no log.
DELTA_INVALID_MANAGED_TABLE_SYNTAX_NO_SCHEMA: create
    A managed table cannot be created without columns.
DELTA_TABLE_ALREADY_EXISTS: create
    A table of that name already exists.
DELTA_TABLE_LOCATION_MISMATCH: create
    The table of that name has another location than the given one.
DELTA_CANNOT_REPLACE_MISSING_TABLE: create
    There is no table to replace; --mode create-or-replace creates one.
DELTA_NO_RELATION_TABLE: inspect, validate
    There is no table of that name.
DELTA_NOT_A_DELTA_TABLE: create
    The table of that name belongs to another provider and cannot become a Delta table.
DELTA_REPLACE_TABLE_WITH_CATALOG_MANAGED_NOT_SUPPORTED: create
    Replacing a table cannot make it catalog-managed.
DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_OPERATION: inspect, validate
    The catalog manages the table's commits and does not allow this.
DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION: create
    A table cannot be partitioned by all of its columns.
ALL_PARTITION_COLUMNS_NOT_ALLOWED: create
    Not all columns can be partition columns.
DELTA_INVALID_PARTITION_COLUMN: create
    A table cannot be partitioned by this column.
DELTA_INVALID_PARTITION_COLUMN_TYPE: create
    A table cannot be partitioned by a column of this type.
DELTA_MISSING_PARTITION_COLUMN: create, validate
    A partition column is not among the table's columns.
DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP: create
    The step of an identity column cannot be 0.
DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED: create
    A table cannot be partitioned by an identity column.
DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE: create
    An identity column must be a BIGINT.
DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION: create
    A column cannot be both an identity column and generated.
DELTA_AGGREGATE_IN_GENERATED_COLUMN: create
    A generated column cannot use aggregates such as sum and count.
DELTA_INVALID_GENERATED_COLUMN_REFERENCES: create
    A generated column references a column that does not exist or is itself generated.
DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN: create
    A generated column cannot use non-deterministic functions such as rand and uuid.
DELTA_UDF_IN_GENERATED_COLUMN: create
    A generated column cannot use a user-defined function.
DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN: create
    A generated column cannot have this type.
DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN: create
    A generated column uses a function that Delta does not allow there.
RESERVED_CDC_COLUMNS_ON_WRITE: validate
    The change data feed is on, and the schema has a column with a name that it reserves.
TABLE_OR_VIEW_ALREADY_EXISTS: create
    A table or view of that name already exists.
TABLE_OR_VIEW_NOT_FOUND: inspect, validate
    There is no table or view of that name.
LOCATION_ALREADY_EXISTS: create
    The location of the new table is not empty.
SCHEMA_NOT_FOUND: create
    The catalog has no schema of that name.
CATALOG_NOT_FOUND: doctor, inspect
    Spark has no catalog of that name.
PATH_NOT_FOUND: inspect, validate
    There is nothing at that path.
REQUIRES_SINGLE_PART_NAMESPACE: inspect, validate
    The catalog's names have three parts at most, and this one has more.
EXPECT_TABLE_NOT_VIEW: inspect, validate
    The name is that of a view, not of a table.
IDENTITY_COLUMNS_ILLEGAL_STEP: create
    The step of an identity column cannot be 0.

# Spark's classes without a name
_LEGACY_ERROR_TEMP_0034: alter
    REPLACE COLUMNS takes no NOT NULL and no position.
_LEGACY_ERROR_TEMP_0035
    Spark's parser does not support the statement.
_LEGACY_ERROR_TEMP_1126: inspect, validate
    The catalog's names have fewer parts than this one.
_LEGACY_ERROR_TEMP_2330: alter
    A column cannot become NOT NULL by this statement.
_LEGACY_ERROR_TEMP_3058: create
    A table cannot be partitioned by a column twice.
_LEGACY_ERROR_TEMP_3060: create
    A column to partition by is not in the schema.

# Carrying out
DELTA_CONCURRENT_APPEND: inspect
    Another writer added rows that this change would have had to read; try again.
DELTA_CONCURRENT_DELETE_DELETE: inspect
    Another writer removed a file that this change removes too; try again.
DELTA_CONCURRENT_DELETE_READ: inspect
    Another writer removed a file that this change has read; try again.
DELTA_CONCURRENT_WRITE: inspect
    Another writer committed in the meantime; try again.
DELTA_MAX_COMMIT_RETRIES_EXCEEDED: inspect
    Other writers committed first every time; try again when there are fewer of them.
DELTA_POST_COMMIT_HOOK_FAILED: inspect, validate
    The commit succeeded, but something that follows it failed, such as a checkpoint.
DELTA_COMMAND_INVARIANT_VIOLATION: inspect, validate
    A command found the table in an unexpected state; try again.
DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG: doctor
    The Spark session lacks Delta's extension or Delta's catalog.
DATA_SOURCE_NOT_FOUND: doctor
    Spark does not know Delta: its jars are missing.
DELTA_LOG_FILE_NOT_FOUND: inspect, validate
    A log file that is needed for a version does not exist.
"""  # noqa: E501 -- one name is too long for a line with its subcommands


def _classes(text: str) -> Iterator[ErrorClass]:
    """The classes in *text*: a name, its subcommands after a colon, and the meaning indented."""
    for entry in re.split(r"\n(?=\w)", re.sub(r"(?m)^(#.*)?\n", "", text)):
        title, *meaning = map(str.strip, entry.splitlines())
        name, _, commands = title.partition(":")
        yield ErrorClass(name, " ".join(meaning), tuple(re.findall(r"[\w-]+", commands)))


_ROWS: Final = tuple(_classes(_CLASSES))

_FAMILY_ROWS: Final = (
    ErrorClass(name, family.meaning, family.commands)
    for family in ERROR_FAMILIES
    for name in family.names
)

ERROR_CLASSES: Final = {found.name: found for found in sorted((*_FAMILY_ROWS, *_ROWS))}
"""Every class by its name, in alphabetical order."""
