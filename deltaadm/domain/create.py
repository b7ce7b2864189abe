"""
What creating and replacing a table commits.

The sources in delta-io/delta are `AbstractDeltaCatalog.scala` (`createDeltaTable`) and
`commands/CreateDeltaTableCommand.scala`; checked case by case against the recorded engine.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.clustering import (
    CLUSTERING_DOMAIN,
    check_clustering,
    check_statistics_of,
    clustering_domain,
    physical_paths,
)
from deltaadm.domain.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.ddl import CURRENT_DEFAULT
from deltaadm.domain.iceberg import enabled_versions
from deltaadm.domain.metadata import KNOWN_AFTER_COMMIT, Format, Metadata
from deltaadm.domain.properties import (
    COLUMN_MAPPING_MODE,
    FEATURE_PREFIX,
    MAX_COLUMN_ID,
    refuse_reserved,
    validate_configurations,
)
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.reference import require_writable
from deltaadm.domain.schema import PrimitiveType, path_text, walk
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.table_changes import CreateTable, CreationMode
from deltaadm.domain.transaction import COORDINATOR, prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deltaadm.domain.schema import Path, StructType
    from deltaadm.domain.session import SessionSettings

_ATOMIC_CONVERSION: Final = "delta.universalFormat.iceberg.atomicConversion.supported"
_INHERITED: Final = ("delta.enableDeletionVectors", "delta.enableRowTracking")


def no_table(root: str, name: str | None = None) -> Snapshot:
    """The state in which there is no table at *root* yet, under its *name* in a catalog if any."""
    return Snapshot(
        root=root, version=-1, protocol=Protocol(0, 0), metadata=Metadata(), name=name, domains={}
    )


def create_table(snapshot: Snapshot, step: CreateTable, session: SessionSettings) -> Snapshot:
    """
    The state after `CREATE TABLE` or `REPLACE TABLE`.

    Raises `Refused` with Delta's error class where Delta or Spark would refuse.
    """
    _require_fitting_mode(snapshot, step)
    check_new_columns(step)
    _refuse_options_without_query(step)
    partitions = partition_columns(step.schema, step.partition_by)
    configuration = table_properties(step, session)
    clusters: tuple[Path, ...] = ()
    if step.cluster_by:
        _refuse_both_layouts(partitions)
        clusters = validate_cluster_by_spec(step.schema, step.cluster_by, configuration)
    if snapshot.exists:
        require_writable(snapshot)
        _refuse_partitions_for_clustered(snapshot, partitions)
    proposed = Metadata(
        id=KNOWN_AFTER_COMMIT,
        description=step.comment,
        format=Format(),
        schema_string=step.schema.to_json(),
        partition_columns=partitions,
        configuration=_with_inherited(snapshot, configuration),
    )
    base = _with_ids_counted(snapshot, proposed)
    after = update_metadata(base, proposed, session, is_creating_new_table=True)
    _require_column_defaults(after)
    committed = replace(prepare_commit(snapshot, after), version=snapshot.version + 1)
    return _with_clustering(committed, clusters)


def table_properties(step: CreateTable, session: SessionSettings) -> dict[str, str]:
    """
    The properties that Delta takes from the statement.

    Write options of Delta's own become properties, and clustering brings its feature along.
    """
    refuse_reserved(step.properties)
    options = {
        key: one for key, one in step.write_options.items() if key.lower().startswith("delta.")
    }
    given = validate_configurations(
        {**step.properties, **options}, allow_arbitrary=session.allow_arbitrary_properties
    )
    present = [key for key in COORDINATOR if key in given]
    if present and len(present) < len(COORDINATOR):
        raise Refused(
            f"Coordinated commits need all of {', '.join(COORDINATOR)}.",
            remedy="Set the coordinator's name and configuration together.",
            delta_error_class="DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND",
        )
    _refuse_catalog_features(given)
    clustering = {f"{FEATURE_PREFIX}clustering": "supported"} if step.cluster_by else {}
    return {**_required_by_iceberg(given), **given, **clustering}


def _required_by_iceberg(given: Mapping[str, str]) -> dict[str, str]:
    """What a new table has by itself as soon as any Iceberg compatibility is on."""
    if not enabled_versions(Metadata(configuration=given)):
        return {}
    return {COLUMN_MAPPING_MODE: "name", _ATOMIC_CONVERSION: "true"}


def _refuse_catalog_features(given: Mapping[str, str]) -> None:
    for name in ("catalogManaged", "catalogOwned-preview", "adaptiveMetadata-preview"):
        if any(key.lower() == f"{FEATURE_PREFIX}{name}".lower() for key in given):
            raise Refused(
                f"A table with {name} is managed by a catalog, and cannot be created here.",
                remedy="Create it with the catalog's own tools.",
                delta_error_class="DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION",
            )


def _with_inherited(snapshot: Snapshot, given: Mapping[str, str]) -> dict[str, str]:
    """A table that replaces another keeps two of its properties unless it has its own."""
    old = snapshot.metadata.configuration
    return {**{key: old[key] for key in _INHERITED if key in old}, **given}


def partition_columns(schema: StructType, wanted: Sequence[str]) -> tuple[str, ...]:
    """
    *wanted* as *schema* spells them.

    Raises `Refused` for columns that are not there, that hold other columns, and for all columns.
    """
    fields = {one.name.lower(): one for one in schema.fields}
    for name in wanted:
        if name.lower() not in fields:
            raise Refused(
                f"The table has no column {path_text((name,))} to be partitioned by.",
                remedy="Name columns of the schema.",
                delta_error_class="_LEGACY_ERROR_TEMP_3060",
            )
    found = [fields[name.lower()] for name in wanted]
    _refuse_twice([one.name for one in found])
    for one in found:
        if not isinstance(one.type, PrimitiveType) or one.type.name in _NO_PARTITION_TYPES:
            raise Refused(
                f"A table cannot be partitioned by {path_text((one.name,))}, for its type.",
                remedy="Choose columns with numbers, dates, times or strings.",
                delta_error_class="INVALID_PARTITION_COLUMN_DATA_TYPE",
            )
    if found and len(found) == len(schema.fields):
        raise Refused(
            "A table cannot be partitioned by all of its columns.",
            remedy="Leave one column for the data files.",
            delta_error_class="ALL_PARTITION_COLUMNS_NOT_ALLOWED",
        )
    return tuple(one.name for one in found)


_NO_PARTITION_TYPES: Final = frozenset({"variant"})


def validate_cluster_by_spec(
    schema: StructType, columns: Sequence[Path], configuration: Mapping[str, str]
) -> tuple[Path, ...]:
    """
    *columns* as *schema* spells them; raises `Refused` unless a new table can have such clusters.

    The columns exist, are at most four, and have statistics under *configuration*.
    """
    metadata = Metadata(schema_string=schema.to_json(), configuration=configuration)
    found = check_clustering(metadata, columns)
    check_statistics_of(metadata, found)
    return found


def _with_ids_counted(snapshot: Snapshot, proposed: Metadata) -> Snapshot:
    """Under Iceberg compatibility ids go on as if the columns that are replaced had had some."""
    old = snapshot.metadata
    mapped = column_mapping_mode(old) is not ColumnMappingMode.NONE
    if not snapshot.exists or mapped or not enabled_versions(proposed):
        return snapshot
    counted = str(sum(1 for _ in walk(old.schema)))
    configuration = {**old.configuration, MAX_COLUMN_ID: counted}
    return replace(snapshot, metadata=old.with_configuration(configuration))


def _require_fitting_mode(snapshot: Snapshot, step: CreateTable) -> None:
    if step.mode is CreationMode.CREATE and snapshot.exists:
        raise Refused(
            f"There is a table already: {snapshot.name or snapshot.root} (version "
            f"{snapshot.version}).",
            remedy="Replace it with --mode create-or-replace, or choose another place.",
            delta_error_class="TABLE_OR_VIEW_ALREADY_EXISTS",
        )
    if step.mode is CreationMode.REPLACE and not snapshot.exists:
        raise Refused(
            f"There is no table to be replaced: {snapshot.name or snapshot.root}.",
            remedy="Create it with --mode create or create-or-replace.",
            delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
        )


def check_new_columns(step: CreateTable) -> None:
    """Raise `Refused` for columns that no table can have, whatever its provider."""
    if not step.schema.fields:
        raise Refused(
            "A table needs at least one column.",
            remedy="Give columns with --schema.",
            delta_error_class="DELTA_SCHEMA_NOT_PROVIDED",
        )
    if step.query is not None and all(
        one.type == PrimitiveType("void") for one in step.schema.fields
    ):
        raise Refused(
            "All columns of the query are nothing but NULL, and cannot be written.",
            remedy="Give them types: CAST(NULL AS INT).",
            delta_error_class="DELTA_CANNOT_WRITE_EMPTY_SCHEMA.TABLE_ALL_VOID_COLUMNS",
        )
    twice = Counter(tuple(part.lower() for part in path) for path, _ in walk(step.schema))
    repeated = [path_text(path) for path, times in twice.items() if times > 1]
    if repeated:
        raise Refused(
            f"These columns occur more than once, ignoring case: {', '.join(repeated)}.",
            remedy="Give each a name of its own.",
            delta_error_class="COLUMN_ALREADY_EXISTS",
        )


def _refuse_options_without_query(step: CreateTable) -> None:
    if step.write_options and step.query is None:
        raise Refused(
            "Write options are for writing rows, and there is no query that gives any.",
            remedy="Leave them out, or fill the table with --as QUERY.",
        )


def _refuse_both_layouts(partitions: Sequence[str]) -> None:
    if partitions:
        raise Refused(
            "A table cannot be both clustered and partitioned.",
            remedy="Choose one of --cluster-by and --partition-by.",
            delta_error_class="_LEGACY_ERROR_TEMP_0035",
        )


def _refuse_twice(columns: Sequence[str]) -> None:
    twice = [path_text((name,)) for name, times in Counter(columns).items() if times > 1]
    if twice:
        raise Refused(
            f"A table cannot be partitioned by the same column twice: {', '.join(twice)}.",
            remedy="Name each column once.",
            delta_error_class="_LEGACY_ERROR_TEMP_3058",
        )


def _refuse_partitions_for_clustered(snapshot: Snapshot, partitions: Sequence[str]) -> None:
    if partitions and snapshot.protocol.supports("clustering"):
        raise Refused(
            "A table that is clustered, or was, cannot be replaced by a partitioned one.",
            remedy="Drop the table first, or use --cluster-by.",
            delta_error_class="DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
        )


def _require_column_defaults(after: Snapshot) -> None:
    with_default = [
        path_text(path)
        for path, one in walk(after.metadata.schema)
        if CURRENT_DEFAULT in one.metadata
    ]
    if with_default and not after.protocol.supports("allowColumnDefaults"):
        raise Refused(
            f"These columns have a default, which the table does not allow: "
            f"{', '.join(with_default)}.",
            remedy="Add --property delta.feature.allowColumnDefaults=supported.",
            delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
        )


def _with_clustering(after: Snapshot, columns: Sequence[Path]) -> Snapshot:
    physical = physical_paths(after.metadata.schema)
    named = [
        path if any(KNOWN_AFTER_COMMIT in part for part in physical[path]) else physical[path]
        for path in columns
    ]
    return replace(after, domains={CLUSTERING_DOMAIN: clustering_domain(named)} if named else {})
