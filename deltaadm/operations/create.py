"""`create`: make a new table, or put one in an old one's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import replace
from deltaadm.domain.model.schema import (
    ArrayType,
    MapType,
    StructType,
    folded,
    parse_schema,
    path_text,
    rewrite,
    walk,
)
from deltaadm.domain.sql.ddl import EXISTS_DEFAULT, columns_sql, parse_columns
from deltaadm.domain.steps import CreateTable, CreationMode
from deltaadm.errors import DeltaadmError, Refused
from deltaadm.operations.plan import Plan, propose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.model.schema import DataType
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot

OPERATION = "create"


def plan_create(
    snapshot: Snapshot,
    step: CreateTable,
    *,
    occupied: bool = False,
    inside: str | None = None,
    session: SessionSettings | None = None,
) -> Plan:
    """
    The plan that carries out *step* where *snapshot* is, which may be `no_table`.

    *occupied* says that there are files already where the new table would be, *inside* in which
    table's directory that is. Raises `Refused` where Delta or Spark would.
    """
    if occupied and not snapshot.exists:
        raise Refused(
            f"The location {snapshot.root} contains files but no table.",
            remedy="Choose an empty location; CONVERT TO DELTA makes a table from Parquet files.",
            delta_error_class="DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        )
    spelled = _as_sql_takes_it(step, snapshot)
    plan = propose(OPERATION, snapshot, [spelled], because=_because(spelled), session=session)
    return replace(plan, notes=(*plan.notes, *_notes(snapshot, spelled), *_notes_on_place(inside)))


def read_schema(text: str) -> StructType:
    """
    The schema in *text*: Spark's JSON, or columns as between the brackets of CREATE TABLE.

    Raises `Refused` for anything else.
    """
    if not text.lstrip().startswith("{"):
        return _without_computed_defaults(parse_columns(text))
    try:
        schema = _without_computed_defaults(parse_schema(text))
    except DeltaadmError as error:
        raise Refused(
            f"The schema is not Spark's JSON of a struct: {error.message}",
            remedy="Use the output of DataFrame.schema.json(), or columns as in CREATE TABLE.",
        ) from error
    _require_words(schema)
    return schema


def schema_of_query(text: str) -> StructType:
    """The schema of a table that a query fills, from the query's own in JSON: all may be null."""
    return nullable_schema(parse_schema(text))


def _as_sql_takes_it(step: CreateTable, snapshot: Snapshot) -> CreateTable:
    """
    *step* as SQL takes it: CLUSTER BY minds the case of letters, and at a path a table is only
    replaced by REPLACE TABLE, which needs one to be there.
    """
    spelled = {folded(path): path for path, _ in walk(step.schema)}
    clusters = tuple(spelled.get(folded(path), path) for path in step.cluster_by)
    step = replace(step, cluster_by=clusters)
    if step.mode is not CreationMode.CREATE_OR_REPLACE or snapshot.name is not None:
        return step
    return replace(step, mode=CreationMode.REPLACE if snapshot.exists else CreationMode.CREATE)


def _because(step: CreateTable) -> dict[str, str]:
    keys = (*step.properties, *step.write_options)
    requested = {f"configuration[{key}]": "requested" for key in keys}
    return requested | {
        f"protocol.{side}Features[{key.partition('delta.feature.')[2]}]": "requested"
        for key in keys
        if key.startswith("delta.feature.")
        for side in ("reader", "writer")
    }


def _notes(snapshot: Snapshot, step: CreateTable) -> Iterator[str]:
    if snapshot.exists:
        yield (
            f"The rows of version {snapshot.version} are not in the new table; older versions "
            "keep them until VACUUM removes their files."
        )
        yield "What the old protocol supports stays supported: replacing a table never lowers it."
    if step.query is not None:
        yield "The rows are those that the query returns when the plan is carried out."


def _notes_on_place(inside: str | None) -> Iterator[str]:
    """Delta lets tables be made inside others, and then cleans up there."""
    if inside is not None:
        yield (
            f"The location is inside another table, {inside}, whose VACUUM would delete the files "
            "of the new one: choose another location."
        )


def _without_computed_defaults(schema: StructType) -> StructType:
    """Only ADD COLUMN has Spark compute what a default is for the rows that are there."""
    return rewrite(
        schema,
        lambda _, column: replace(
            column, metadata={key: v for key, v in column.metadata.items() if key != EXISTS_DEFAULT}
        ),
    )


def _require_words(schema: StructType) -> None:
    """Raise `Refused` for columns of which SQL would make something else."""
    for column in schema.fields:
        single = StructType((column,))
        if _without_computed_defaults(parse_columns(columns_sql(single))) != single:
            raise Refused(
                f"SQL cannot express the column {path_text((column.name,))} as given in the "
                "schema: arrays and maps without nulls, and metadata other than comments, "
                "defaults and generation.",
                remedy="Leave that out of the schema.",
            )


def nullable_schema(schema: StructType) -> StructType:
    """*schema*, in which all may be null."""
    nullable = _nullable(schema)
    assert isinstance(nullable, StructType)  # noqa: S101 -- what a struct becomes
    return nullable


def _nullable(data_type: DataType) -> DataType:
    if isinstance(data_type, StructType):
        return StructType(
            tuple(
                replace(field, type=_nullable(field.type), nullable=True)
                for field in data_type.fields
            )
        )
    if isinstance(data_type, ArrayType):
        return ArrayType(_nullable(data_type.element))
    if isinstance(data_type, MapType):
        return MapType(_nullable(data_type.key), _nullable(data_type.value))
    return data_type
