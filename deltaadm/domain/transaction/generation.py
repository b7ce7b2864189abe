"""Generated columns: expressions that Spark certainly refuses for a new table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.model.schema import PrimitiveType, path_text, type_name
from deltaadm.domain.sql.conditions import NUMERIC, kind_of
from deltaadm.domain.sql.ddl import GENERATION
from deltaadm.domain.sql.expressions import column_references
from deltaadm.domain.transaction.constraints import value_of_expression
from deltaadm.domain.transaction.metadata_checks import CHAR_TYPE
from deltaadm.domain.transaction.type_widening import is_up_cast
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from deltaadm.domain.model.schema import DataType, StructField, StructType


def refuse_generation(schema: StructType, field: StructField) -> None:
    """Raise `Refused` where the expression of the generated column *field* will not do."""
    expression = str(field.metadata[GENERATION])
    references = column_references(expression)
    columns = {column.name.lower(): column for column in schema.fields}
    for path in references:
        column = columns.get(path[0].lower())
        if column is None:
            raise Refused(
                f"{field.name} is generated from {path_text(path)}, which the table does not have.",
                remedy="Use columns of the table.",
                delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
        if GENERATION in column.metadata:
            raise _unsupported(field, "it uses a generated column")
    value = value_of_expression(schema, expression)
    if value.type is not None:
        _require_type(field, value.type)
    else:
        _require_kind(field, value.kind)


def _require_kind(field: StructField, kind: str | None) -> None:
    """Refuse what is not of the field's kind."""
    # Of types within a kind only Spark can tell.
    wanted = kind_of(field.type)
    if kind == "string" and wanted in NUMERIC | {"boolean", "date", "timestamp", "binary"}:
        raise _unsupported(field, f"its values are texts, not of the type {type_name(field.type)}")
    if kind in NUMERIC and wanted in {"boolean", "date", "binary"}:
        raise _unsupported(field, f"its values are numbers, and no {wanted} values")
    if kind in NUMERIC | {"boolean", "date", "timestamp"} and wanted == "string":
        raise _mismatch(field, f"{kind} values")


def _require_type(field: StructField, data_type: DataType) -> None:
    wanted = field.type
    if not isinstance(data_type, PrimitiveType) or not isinstance(wanted, PrimitiveType):
        return
    if (
        data_type == wanted
        or CHAR_TYPE.fullmatch(data_type.name)
        or CHAR_TYPE.fullmatch(wanted.name)
    ):
        return
    if not is_up_cast(data_type.name, wanted.name):
        raise _unsupported(field, f"its type is {type_name(data_type)}, not {type_name(wanted)}")
    raise _mismatch(field, type_name(data_type))


def _mismatch(field: StructField, actual: str) -> Refused:
    return Refused(
        f"{field.name} has the type {type_name(field.type)}, its expression has {actual}.",
        remedy="Declare the column with the type of its expression, or add a CAST.",
        delta_error_class="DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
    )


def _unsupported(field: StructField, why: str) -> Refused:
    return Refused(
        f"{field.name} cannot be generated as {field.metadata[GENERATION]!r}: {why}.",
        remedy="Use columns that are not generated, and functions of Spark whose results they "
        "alone determine.",
        delta_error_class="UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
    )
