"""The types that the columns of a checkpoint must have, by the log's schema."""

from __future__ import annotations

from deltaadm.domain.model.schema import ArrayType, MapType, PrimitiveType, StructType
from deltaadm.domain.model.wire import ACTION_NAMES
from deltaadm.replay.commits import log_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Final

    from deltaadm.domain.model.schema import DataType
    from deltaadm.replay.footer import Field, Footer

_TYPE, _CONVERTED, _LOGICAL = 1, 6, 10
"""The entries of Parquet's schema that give the type of a field, and the types they stand for."""

_BOOLEAN, _INTEGERS, _BYTES = 0, (1, 2), 6
_TEXTS: Final = ({0}, {1})
_WHOLE_NUMBERS: Final = (set(range(11, 19)), {10})
_MAPS: Final = ({1, 2}, {2})
_LISTS: Final = ({3}, {3})
"""The numbers of annotations: converted types, and the logical types that replace them."""


def type_mismatch(footer: Footer, names: Iterable[str]) -> str:
    """
    What is wrong with the types of the columns called *names*; empty if nothing is.

    Columns and fields that the log's schema does not know may be anything.
    """
    for name in names:
        column = footer.columns.get(name)
        # Of commitInfo nothing is read.
        if column is None or name not in ACTION_NAMES or name == "commitInfo":
            continue
        wrong = _mismatched_field(column, log_type(name))
        if wrong is not None:
            return f"its column {'.'.join(wrong.path)} has a different type than in Delta's log"
    return ""


def is_whole_number(field: Field | None) -> bool:
    """Whether *field* is there and holds whole numbers."""
    return field is not None and not field.repeated and _is_number(field)


def _mismatched_field(field: Field, expected: DataType) -> Field | None:
    """The field that is of another type than *expected*, itself or one in it."""
    if field.repeated:
        return field
    if isinstance(expected, StructType):
        if not field.children or any(_annotations(field)):
            return field
        inner = ((field.child(wanted.name), wanted.type) for wanted in expected.fields)
        mismatches = (_mismatched_field(child, kind) for child, kind in inner if child is not None)
        return next((mismatch for mismatch in mismatches if mismatch is not None), None)
    if isinstance(expected, (MapType, ArrayType)):
        return None if _is_collection(field, expected) else field
    fits = isinstance(expected, PrimitiveType) and _PRIMITIVES.get(expected.name)
    return None if fits and fits(field) else field


def _is_collection(field: Field, expected: MapType | ArrayType) -> bool:
    """Whether *field* is a map of texts or a list of texts, in any of Parquet's shapes."""
    is_map = isinstance(expected, MapType)
    annotations = _MAPS if is_map else _LISTS
    if not _is_annotated(field, annotations) or len(field.children) != 1:
        return False
    (inner,) = field.children
    values = inner.children or [inner]
    # Parquet requires the keys of maps.
    if is_map and values[0].optional:
        return False
    return inner.repeated and len(values) == 1 + is_map and all(map(_is_text, values))


def _is_text(field: Field) -> bool:
    return (
        not field.children and field.element.get(_TYPE) == _BYTES and _is_annotated(field, _TEXTS)
    )


def _is_number(field: Field) -> bool:
    plain = not any(_annotations(field))
    return field.element.get(_TYPE) in _INTEGERS and (plain or _is_annotated(field, _WHOLE_NUMBERS))


def _is_flag(field: Field) -> bool:
    return not field.children and field.element.get(_TYPE) == _BOOLEAN


_PRIMITIVES: Final[Mapping[str, Callable[[Field], bool]]] = {
    "string": _is_text,
    "integer": _is_number,
    "long": _is_number,
    "boolean": _is_flag,
}


def _is_annotated(field: Field, annotations: tuple[set[int], set[int]]) -> bool:
    """Whether *field* has one of these annotations, and no other beside it."""
    converted, logical = _annotations(field)
    return bool(converted or logical) and converted <= annotations[0] and logical <= annotations[1]


def _annotations(field: Field) -> tuple[set[int], set[int]]:
    converted = field.element.get(_CONVERTED)
    return set() if converted is None else {converted}, set(field.element.get(_LOGICAL, ()))
