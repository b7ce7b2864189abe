"""Creating and replacing a table, and leading a name to another one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from typing import Any, Final, Self

from deltaadm import json_values as jv
from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain import ddl
from deltaadm.domain.actions import CLUSTERING_DOMAIN, DomainMetadata
from deltaadm.domain.features import is_identity, mapping_mode, struct_fields
from deltaadm.domain.properties import PROPERTIES, Key, is_protocol_property, is_true, validated
from deltaadm.domain.protocol import PROTOCOL, Protocol, SessionSettings
from deltaadm.domain.schema import (
    FieldKey,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    folded,
    path_text,
    type_name,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps.step import Operation, Step, Touches
from deltaadm.domain.transaction import checks, column_mapping, columns, update
from deltaadm.domain.transaction.constraints import refuse_generation
from deltaadm.domain.transaction.spark_support import require_readable, require_writable
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Format, Metadata
from deltaadm.errors import RefusedError, UnknownNameError
from deltaadm.json_values import STRING, STRINGS, Fields, Json, array, compact, maybe, record

_PATHS: Final = array(STRINGS)
STATE_FIELDS: Final[Fields] = {
    "version": int,
    "protocol": PROTOCOL,
    "metadata": (jv.OPEN, lambda snapshot: snapshot.metadata.to_wire()),
    "clustering_columns": (maybe(_PATHS), columns.clustering_columns),
}
STATE: Final = record(**STATE_FIELDS)
"""Version, protocol, metadata and, where they are known, the clustering columns."""


def read_state(location: str, version: int, document: Mapping[str, Any]) -> Snapshot:
    """The state at *version* that `STATE` has written, of the table at *location*."""
    named = document.get("clustering_columns")
    bare = Snapshot(
        root=location,
        version=version,
        protocol=Protocol.from_wire(document["protocol"]),
        metadata=Metadata.from_wire(document["metadata"]),
        domains=None if named is None else {},
    )
    return columns.with_clustering(bare, _PATHS.read(named)) if named else bare


BYPASS = "spark.databricks.delta.alterLocation.bypassSchemaCheck"


def no_table(root: str, name: str | None = None) -> Snapshot:
    """The state in which there is no table at *root* yet, under its *name* in a catalog if any."""
    return Snapshot(
        root=root, version=-1, protocol=Protocol(0, 0), metadata=Metadata(), name=name, domains={}
    )


class CreationMode(Enum):
    """What to do with an existing table, and whether there must be one."""

    CREATE = "create"
    CREATE_OR_REPLACE = "create-or-replace"
    REPLACE = "replace"

    @property
    def verb(self) -> str:
        """The words of SQL for it."""
        return f"{self.value.replace('-', ' ').upper()} TABLE"

    def require_fits(self, table: str, *, exists: bool) -> None:
        """Raise `RefusedError` for a *table* that is there and should not be, or the reverse."""
        if self is CreationMode.CREATE and exists:
            raise RefusedError(
                f"The table {table} already exists.",
                remedy="Replace it with --mode create-or-replace, or choose another place.",
                delta_error_class="TABLE_OR_VIEW_ALREADY_EXISTS",
            )
        if self is CreationMode.REPLACE and not exists:
            raise RefusedError(
                f"There is no table to replace: {table}.",
                remedy="Create it with --mode create or create-or-replace.",
                delta_error_class="TABLE_OR_VIEW_NOT_FOUND",
            )


_MODE: Final = Json(jv.one_of(CreationMode).schema, lambda mode: mode.value, CreationMode)
_SCHEMA: Final = Json(
    jv.OPEN.schema,
    lambda schema: json.loads(schema.to_json()),
    lambda value: StructType.parse(json.dumps(value, ensure_ascii=False)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable(Step):
    """
    `CREATE TABLE`, `CREATE OR REPLACE TABLE` or `REPLACE TABLE`.

    With a *query* the table is filled by it and *schema* is what the query gives. *location* is
    for a table with a name in a catalog that does not choose the place itself.
    """

    mode: CreationMode
    schema: StructType
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[Path, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    write_options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    location: str | None = None
    query: str | None = None

    kind = "create_table"
    json = record(
        mode=_MODE,
        schema=_SCHEMA,
        partition_by=STRINGS,
        cluster_by=array(STRINGS),
        properties=jv.mapping(str),
        write_options=jv.mapping(str),
        comment=maybe(str),
        location=maybe(Json(STRING.schema, read=jv.place)),
        query=maybe(str),
    )
    operations = frozenset(
        f"{mode.verb}{filled}" for mode in CreationMode for filled in ("", " AS SELECT")
    )
    secret_fields = ("properties", "write_options")
    alters = False
    depends_on_state = True

    def require_allowed(self) -> None:
        """Raise `RefusedError` for what Spark's parser refuses."""
        if self.query is None and self.schema.fields:
            ddl.parse_columns(ddl.columns_sql(self.schema))
        if self.partition_by and self.cluster_by:
            raise RefusedError(
                "A table cannot be both clustered and partitioned.",
                remedy="Choose one of --cluster-by and --partition-by.",
                delta_error_class="_LEGACY_ERROR_TEMP_0035",
            )
        checks.refuse_reserved(self.properties)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state of the new table, which may replace the one that *snapshot* is of."""
        self._refuse_as_analyzer()
        clusters = self._refuse_as_catalog(snapshot)
        partitions = partition_columns(self.schema, self.partition_by)
        configuration = self._properties(snapshot, session)
        listed = self.properties.get(checks.CLUSTERING_COLUMNS)
        if not self.cluster_by and listed is not None and snapshot.exists:
            # Delta takes the property that stands for CLUSTER BY where domains can be.
            named = DomainMetadata(CLUSTERING_DOMAIN, f'{{"{checks.CLUSTERING_COLUMNS}":{listed}}}')
            clusters = tuple(columns.physical_clustering({CLUSTERING_DOMAIN: named}))
        if snapshot.exists:
            require_writable(snapshot)
            # The feature, which stays when a table is clustered by no column any more.
            if partitions and snapshot.protocol.supports("clustering"):
                raise RefusedError(
                    "A table that is or was clustered cannot be replaced by a partitioned one.",
                    remedy="Drop the table first, or use --cluster-by.",
                    delta_error_class="DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
                )
            is_at_path = snapshot.name is None and self.query is None
            if is_at_path and self.mode is CreationMode.CREATE_OR_REPLACE:
                _require_as_described(snapshot, self, partitions, configuration)
                return snapshot
        proposed = Metadata(
            id=KNOWN_AFTER_COMMIT,
            description=self.properties.get(Key.TABLE_COMMENT)
            if self.comment is None
            else self.comment,
            format=Format(),
            schema_string=self.schema.to_json(),
            partition_columns=partitions,
            configuration=configuration,
        )
        base = _with_ids_counted(snapshot, proposed)
        after = update.update_metadata(base, proposed, session, is_creating_new_table=True)
        after = replace(after, metadata=_with_inherited(snapshot, after.metadata))
        if self.cluster_by:
            # Types and statistics come after the names; Delta looks at the schema that it writes.
            columns.validate_cluster_by_spec(after.metadata, clusters)
        checks.require_readable_char(self.schema)
        after = update.prepare_commit(snapshot, after, is_creating_new_table=True)
        _refuse_at_commit(snapshot, after)
        domains = after.domains or {}
        after = replace(after, version=snapshot.version + 1, domains=domains)
        is_noted = clusters or CLUSTERING_DOMAIN in domains
        return columns.with_clustering(after, clusters) if is_noted else after

    def _refuse_as_analyzer(self) -> None:
        """Raise `RefusedError` for what Spark refuses before it asks the catalog for the table."""
        schema = self.schema
        if self.write_options and self.query is None:
            raise RefusedError(
                "Write options apply to writing rows, but there is no query.",
                remedy="Leave them out, or fill the table with --as QUERY.",
            )
        for path, column in schema.walk():
            default = column.metadata.get(FieldKey.CURRENT_DEFAULT)
            columns.refuse_default(path_text(path), column.type, default)
        check_new_columns(self)
        _find_partitions(schema, self.partition_by)
        # Spark looks for columns of CLUSTER BY before Delta does, and minds their case.
        present = {place for place, _ in struct_fields(schema)}
        for path in self.cluster_by:
            if path not in present:
                around = [schema.find_place(path[:depth])[2] for depth in range(1, len(path))]
                if not all(isinstance(place, StructType) for place in around):
                    raise RefusedError(
                        f"The clustering column {path_text(path)} is not inside structs alone.",
                        remedy="Choose columns of the schema, outside arrays and maps.",
                        delta_error_class="INVALID_FIELD_NAME",
                    )
                raise UnknownNameError(
                    f"The clustering column {path_text(path)} is not in the schema.",
                    remedy="Choose columns of the schema, spelled as they are there.",
                    delta_error_class="UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
                )
        for column in schema.fields:
            columns.refuse_time(column)
        for column in schema.fields:
            if FieldKey.GENERATION in column.metadata:
                refuse_generation(schema, column)

    def _refuse_as_catalog(self, snapshot: Snapshot) -> tuple[Path, ...]:
        """
        Raise `RefusedError` for what Delta's catalog refuses before it looks at the properties.

        Returns the clustering columns as the schema spells them.
        """
        self.mode.require_fits(snapshot.name or snapshot.root, exists=snapshot.exists)
        partitions = tuple(name.lower() for name in self.partition_by)
        for column in filter(is_identity, self.schema.fields):
            is_long = column.type == PrimitiveType("long")
            if not is_long or column.name.lower() in partitions:
                why = "PARTITION_NOT_SUPPORTED" if is_long else "UNSUPPORTED_DATA_TYPE"
                raise RefusedError(
                    f"The identity column {column.name} must be a BIGINT, not a partition column.",
                    remedy="Declare it as BIGINT, and choose other partition columns.",
                    delta_error_class=f"DELTA_IDENTITY_COLUMNS_{why}",
                )
        clusters = columns.find_clustering(self.schema, self.cluster_by)
        listed = self.properties.get(Key.STATISTICS_COLUMNS)
        if listed is not None:
            PROPERTIES[Key.STATISTICS_COLUMNS.lower()].validate(listed)
            checks.check_statistics_columns(
                Metadata(
                    schema_string=self.schema.to_json(),
                    partition_columns=partitions,
                    configuration={Key.STATISTICS_COLUMNS: listed},
                )
            )
        return clusters

    def _properties(self, snapshot: Snapshot, session: SessionSettings) -> dict[str, str]:
        """
        The properties that Delta takes from the statement; `RefusedError` for those it does not.

        Write options of Delta's own become properties, and clustering brings its feature along
        and takes the place of the property that stands for it.
        """
        options = {k: v for k, v in self.write_options.items() if k.lower().startswith("delta.")}
        properties = validated(
            {**self.properties, **options}, allow_arbitrary=session.allow_arbitrary_properties
        )
        if self.cluster_by:
            properties.pop(checks.CLUSTERING_COLUMNS, None)
        checks.refuse_for_new_table(properties, snapshot.protocol if snapshot.exists else None)
        # REPLACE TABLE takes options for its writer, as does a query.
        takes_options = snapshot.exists or self.query is not None
        properties = {
            key: value
            for key, value in properties.items()
            if key not in (checks.CLUSTERING_COLUMNS, "path", Key.TABLE_COMMENT)
            and not (takes_options and key.startswith("option."))
        }
        clustering = {f"{Key.FEATURE_PREFIX}clustering": "supported"} if self.cluster_by else {}
        required = update.required_of_new_table(snapshot.metadata, properties)
        adaptive = _for_adaptive_metadata(properties, replaces=snapshot.exists)
        configuration = {**required, **adaptive, **properties, **clustering}
        named = {key.lower() for key in self.properties}
        retentions = {key for key in checks.RETENTION_KEYS if key.lower() in named}
        if retentions:
            checks.check_retention({key: configuration[key] for key in retentions})
        # Delta does so here, with the replaced columns, and at the commit with the new ones.
        update.enforce_iceberg_compatibility(
            snapshot,
            snapshot.protocol,
            snapshot.metadata.with_configuration(configuration),
            is_creating_new_table=True,
        )
        return configuration

    def operation(self, before: Snapshot, after: Snapshot) -> Operation | None:
        is_new = not before.exists and self.mode is CreationMode.CREATE
        if not is_new or before.name or self.query:
            return None
        parameters = {
            "partitionBy": compact(list(after.metadata.partition_columns)),
            "clusterBy": compact(
                [*map(columns.quoted_name, columns.clustering_columns(after) or ())]
            ),
            "description": after.metadata.description,
            "isManaged": "false",
            "properties": compact(dict(after.metadata.configuration)),
        }
        return Operation("CREATE TABLE", parameters)

    @property
    def is_verified_by_state(self) -> bool:
        return bool(self.cluster_by)

    def statement(self, table: str, provider: str = "delta") -> str:
        """The statement that makes *table*, as SQL spells its name, a table of *provider*."""
        defined = "" if self.query is not None else f" ({ddl.columns_sql(self.schema)})"
        # A provider may be the name of a class, with dots between parts that need no backticks.
        using = ".".join(
            part if part.isascii() and part.isidentifier() else ddl.identifier(part)
            for part in provider.split(".")
        )
        clauses = [f"{self.mode.verb} {table}{defined} USING {using}"]
        if self.write_options:
            clauses.append(f"OPTIONS ({ddl.pairs_sql(self.write_options)})")
        if self.partition_by:
            clauses.append(f"PARTITIONED BY ({', '.join(map(ddl.identifier, self.partition_by))})")
        if self.cluster_by:
            clauses.append(f"CLUSTER BY ({', '.join(map(ddl.path_sql, self.cluster_by))})")
        if self.location is not None:
            clauses.append(f"LOCATION {ddl.literal(self.location)}")
        if self.comment is not None:
            clauses.append(f"COMMENT {ddl.literal(self.comment)}")
        if self.properties:
            clauses.append(f"TBLPROPERTIES ({ddl.pairs_sql(self.properties)})")
        if self.query is not None:
            clauses.append(f"AS {self.query}")
        return " ".join(clauses)

    @property
    def user_metadata(self) -> str | None:
        options = {key.lower(): value for key, value in self.write_options.items()}
        return options.get("usermetadata")


def _for_adaptive_metadata(properties: Mapping[str, str], *, replaces: bool) -> dict[str, str]:
    """What Delta adds to a new table with adaptive metadata, and refuses if it is requested."""
    if properties.get(checks.ADAPTIVE_METADATA, "").lower() != checks.SUPPORTED:
        return {}
    for key, value in _WITH_ADAPTIVE_METADATA.items():
        if properties.get(key, value).lower() != value:
            mode = key == Key.COLUMN_MAPPING_MODE
            which = "COLUMN_MAPPING_ID_MODE" if mode else "DEPENDENT_FEATURE_ENABLED"
            raise RefusedError(
                f"Adaptive metadata needs {key}={value}.",
                remedy="Leave the property out.",
                delta_error_class=f"DELTA_ADAPTIVE_METADATA_REQUIRES_{which}",
            )
    if replaces:
        raise RefusedError(
            "Adaptive metadata cannot be added to a table that is being replaced.",
            remedy="Create the table at another location.",
            delta_error_class="INTERNAL_ERROR",
        )
    return dict(_WITH_ADAPTIVE_METADATA)


_WITH_ADAPTIVE_METADATA: Final = {
    Key.COLUMN_MAPPING_MODE: "id",
    "delta.enableDeletionVectors": "true",
    "delta.enableRowTracking": "true",
}


def _with_inherited(snapshot: Snapshot, new: Metadata) -> Metadata:
    # `updateMetadataForNewTableInReplace`, which comes after the session's defaults.
    if not snapshot.exists:
        return new
    old = snapshot.metadata.configuration
    held = {*checks.COORDINATED_KEYS, checks.UNITY_TABLE_ID}
    if old.keys() & set(checks.COORDINATED_KEYS) or snapshot.protocol.supports("catalogManaged"):
        held |= set(checks.ICT_KEYS)
    given = {key: value for key, value in new.configuration.items() if key not in held}
    inherited = {"delta.checkpointPolicy", "delta.enableDeletionVectors", "delta.enableRowTracking"}
    kept = held | (inherited - given.keys())
    return new.with_configuration(given | {key: old[key] for key in old if key in kept})


def partition_columns(schema: StructType, names: Sequence[str]) -> tuple[str, ...]:
    """
    *names* as *schema* spells them.

    Raises `RefusedError` for columns that are not there, that hold other columns, and for all
    columns.
    """
    fields = _find_partitions(schema, names)
    for column in fields:
        name = column.type.name
        if not name or name.startswith(("string collate", "variant", "void")):
            raise RefusedError(
                f"{path_text((column.name,))} has a type by which no table can be partitioned.",
                remedy="Choose columns with numbers, dates, times or strings.",
                delta_error_class="INVALID_PARTITION_COLUMN_DATA_TYPE",
            )
    if fields and len(fields) == len(schema.fields):
        raise RefusedError(
            "A table cannot be partitioned by all of its columns.",
            remedy="Leave one column for the data files.",
            delta_error_class="ALL_PARTITION_COLUMNS_NOT_ALLOWED",
        )
    return tuple(column.name for column in fields)


def _find_partitions(schema: StructType, names: Sequence[str]) -> list[StructField]:
    fields = {column.name.lower(): column for column in schema.fields}
    for name in names:
        if name.lower() not in fields:
            raise UnknownNameError(
                f"The partition column {path_text((name,))} is not in the schema.",
                remedy="Choose columns of the schema.",
                delta_error_class="_LEGACY_ERROR_TEMP_3060",
            )
    found = [fields[name.lower()] for name in names]
    twice = [path_text((one.name,)) for one in found if found.count(one) > 1]
    if twice:
        raise RefusedError(
            f"A table cannot be partitioned by the same column twice: {twice[0]}.",
            remedy="Name each column once.",
            delta_error_class="_LEGACY_ERROR_TEMP_3058",
        )
    return found


def _with_ids_counted(snapshot: Snapshot, proposed: Metadata) -> Snapshot:
    """*snapshot* with the column ids counted that a table in its place goes on from."""
    # Under Iceberg compatibility Delta counts as if the columns that are replaced had had ids.
    old = snapshot.metadata
    mapped = mapping_mode(old) != "none"
    if not snapshot.exists or mapped or not update.enabled_versions(proposed):
        return snapshot
    counted = sum(1 for _ in old.schema.walk())
    if column_mapping.names_containers(proposed):
        counted += sum(
            1 for _, field in old.schema.walk() for _ in column_mapping.slot_paths(field.type, "")
        )
    return replace(snapshot, metadata=old.with_properties({Key.MAX_COLUMN_ID: str(counted)}))


def check_new_columns(step: CreateTable) -> None:
    """Raise `RefusedError` for columns that no table can have, whatever its provider."""
    if not step.schema.fields:
        raise RefusedError(
            "A table needs at least one column.",
            remedy="Give columns with --schema.",
            delta_error_class="DELTA_SCHEMA_NOT_PROVIDED",
        )
    twice = Counter(folded(path) for path, _ in step.schema.walk())
    repeated = [path_text(path) for path, times in twice.items() if times > 1]
    if repeated:
        raise RefusedError(
            f"These columns occur more than once, ignoring case: {', '.join(repeated)}.",
            remedy="Give each a name of its own.",
            delta_error_class="COLUMN_ALREADY_EXISTS",
        )


def _require_as_described(
    snapshot: Snapshot, step: CreateTable, partitions: Sequence[str], properties: Mapping[str, str]
) -> None:
    # Of a path Delta does not know beforehand that there is a table: it compares, and leaves all
    # as it is (`verifyTableMetadata`).
    old = snapshot.metadata
    clusters = (
        columns.clustering_columns(snapshot) if snapshot.protocol.supports("clustering") else None
    )
    given, stored = (
        {key: value for key, value in one.items() if not is_protocol_property(key)}
        for one in (properties, old.configuration)
    )
    stored.pop(Key.MAX_COLUMN_ID, None)
    differences = {
        "SCHEME_MISMATCH": _described(step.schema) != _described(old.schema),
        "WITH_DIFFERENT_PARTITIONING": partitions != old.partition_columns,
        "WITH_DIFFERENT_CLUSTERING": (step.cluster_by or None) != clusters,
        "WITH_DIFFERENT_PROPERTY": bool(properties) and given != stored,
    }
    for error_class, differs in differences.items():
        if differs:
            raise RefusedError(
                f"The table {snapshot.root} exists, and is another one: at a path CREATE OR "
                "REPLACE TABLE replaces nothing.",
                remedy="Use REPLACE TABLE: --mode replace.",
                delta_error_class=f"DELTA_CREATE_TABLE_{error_class}",
            )


def _described(schema: StructType) -> dict[Path, tuple[str, bool, Mapping[str, Any]]]:
    """The columns, in no order, without what Delta adds to them."""
    plain = column_mapping.drop_column_mapping_metadata(
        StructType(tuple(checks.without_char(field) for field in schema.fields))
    )
    return {
        path: (type_name(field.type), field.nullable, field.without(FieldKey.TYPE_CHANGES).metadata)
        for path, field in plain.walk()
    }


def _refuse_at_commit(before: Snapshot, after: Snapshot) -> None:
    has_files = before.files is not None and before.files.files
    if has_files and is_true(before.metadata.configuration, "delta.appendOnly"):
        raise RefusedError(
            "The table is append-only, and its files cannot be replaced.",
            remedy="Set delta.appendOnly to false first.",
            delta_error_class="DELTA_CANNOT_MODIFY_APPEND_ONLY",
        )
    fields = after.metadata.schema.walk()
    defaults = [path for path, field in fields if FieldKey.CURRENT_DEFAULT in field.metadata]
    remedy = "Add --property delta.feature.allowColumnDefaults=supported."
    columns.require_allowed_defaults(defaults, after.protocol, remedy)


@dataclass(frozen=True, slots=True)
class SetLocation(Step):
    """`SET LOCATION`, no commit: a name in a catalog then leads to the table that is *there*."""

    there: Snapshot

    kind = "set_location"
    json = record(location=(str, attrgetter("there.root")), **jv.within("there", STATE_FIELDS))
    secret_fields = ("there",)
    is_commit = False
    depends_on_state = True

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The other table, under the name of this one.

        Raises `RefusedError` for a table without a name, and for other columns or partitions; ids
        and physical names of column mapping may differ.
        """
        there = self.there
        if snapshot.name is None:
            raise RefusedError(
                "The location of a table that is addressed by its path cannot be changed.",
                remedy="Give the table's name in the catalog: catalog.schema.table.",
                delta_error_class="DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER",
            )
        require_readable(there)
        here, other = _compared(snapshot.metadata), _compared(there.metadata)
        if here != other and not session.bypass_location_schema_check:
            raise RefusedError(
                f"The table at {there.root} has other columns or other partitions.",
                remedy=f"Compare both with inspect; if intended, pass --spark-conf {BYPASS}=true.",
                delta_error_class="DELTA_SET_LOCATION_SCHEMA_MISMATCH",
            )
        return replace(there, name=snapshot.name)

    @property
    def touches(self) -> Touches:
        return Touches(destination=self.there)

    def _clause(self) -> str:
        return f"SET LOCATION {ddl.literal(self.there.root)}"

    def options(self) -> Iterator[str]:
        yield from ("--set-location", self.there.root)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        location = jv.place(document["location"])
        return cls(read_state(location, jv.version_number(document["version"]), document))


def _compared(metadata: Metadata) -> tuple[StructType, list[StructField]]:
    schema = column_mapping.drop_column_mapping_metadata(metadata.schema)
    fields = {field.name: field for field in schema.fields}
    return schema, [fields[name] for name in metadata.partition_columns if name in fields]
