"""
What renaming and dropping columns does; both need column mapping.

The source in delta-io/delta is `commands/alterDeltaTableCommands.scala`; checked case by case
against the recorded engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import replace
from deltaadm.domain.clustering import clustering_columns
from deltaadm.domain.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.metadata_checks import STATISTICS_COLUMNS, column_names
from deltaadm.domain.properties import CONSTRAINT_PREFIX
from deltaadm.domain.reference import require_writable
from deltaadm.domain.schema import (
    StructType,
    change_type,
    find_place,
    folded,
    path_text,
    rewrite,
)
from deltaadm.domain.transaction import prepare_commit, update_metadata
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.domain.metadata import Metadata
    from deltaadm.domain.schema import DataType, Path, StructField
    from deltaadm.domain.session import SessionSettings
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.table_changes import DropColumns, RenameColumn

_MAPPING_FIRST: Final = "Turn column mapping on first: deltaadm set-mapping-mode TABLE name."


def rename_column(snapshot: Snapshot, step: RenameColumn, session: SessionSettings) -> Snapshot:
    """
    The state after RENAME COLUMN: the column keeps its id and its name in the files.

    Raises `Refused` with Delta's error class where Delta or Spark would refuse.
    """
    metadata = snapshot.metadata
    old = existing(metadata.schema, step.column)
    new = (*old[:-1], step.name)
    if is_slot(metadata.schema, old):
        raise Refused(
            f"{path_text(old)} is a part of an array or a map, which has no name of its own.",
            remedy="Rename the column that holds it.",
            delta_error_class="INVALID_FIELD_NAME",
        )
    _refuse_taken(metadata.schema, new)
    require_writable(snapshot)
    _require_mapping(metadata, "renamed", "DELTA_UNSUPPORTED_RENAME_COLUMN")
    refuse_dependents(metadata, old)
    schema = rewrite(
        metadata.schema, lambda path, one: replace(one, name=step.name) if path == old else one
    )
    partitions = tuple(step.name if (one,) == old else one for one in metadata.partition_columns)
    listed = {
        STATISTICS_COLUMNS: ",".join(
            path_text((*new, *path[len(old) :]) if _starts(path, old) else path)
            for path in _statistics(metadata)
        )
    }
    return _changed(snapshot, schema, partitions, listed, session)


def drop_columns(snapshot: Snapshot, step: DropColumns, session: SessionSettings) -> Snapshot:
    """
    The state after DROP COLUMNS: the values stay in the files, and nothing reads them any more.

    Raises `Refused` with Delta's error class where Delta or Spark would refuse.
    """
    metadata = snapshot.metadata
    gone = tuple(
        existing(metadata.schema, one)
        for one in step.columns
        if not step.if_exists or find_column(metadata.schema, one) is not None
    )
    if not gone:
        return snapshot
    require_writable(snapshot)
    _require_mapping(metadata, "dropped", "DELTA_UNSUPPORTED_DROP_COLUMN")
    schema = metadata.schema
    for path in gone:
        schema = _without(schema, path)
    _refuse_layout_columns(snapshot, gone)
    for path in gone:
        refuse_dependents(metadata, path)
    # Delta writes the names without backticks, and then does not find those that need them.
    kept = [
        ".".join(path)
        for path in _statistics(metadata)
        if not any(_starts(path, one) for one in gone)
    ]
    listed = {STATISTICS_COLUMNS: ",".join(kept)}
    return _changed(snapshot, schema, metadata.partition_columns, listed, session)


def find_column(schema: StructType, column: Path) -> Path | None:
    """The path of *column* as the schema spells it, whatever the case; None if it is not there."""
    path, _, _ = find_place(schema, column)
    return path if len(path) == len(column) and not is_slot(schema, path) else None


def is_slot(schema: StructType, path: Path) -> bool:
    """Whether *path*, as the schema spells it, is a part of an array or a map, not a column."""
    return bool(path) and not isinstance(find_place(schema, path[:-1])[2], StructType)


def existing(schema: StructType, column: Path) -> Path:
    """Like `find_column`; raises `Refused` for a column that is not there."""
    return existing_place(schema, column)[0]


def existing_place(schema: StructType, column: Path) -> tuple[Path, StructField]:
    """
    The path of *column* as the schema spells it, and the field or the slot that is there.

    Raises `Refused` for a column that is not there.
    """
    path, one, here = find_place(schema, column)
    if one is not None and len(path) == len(column):
        return path, one
    if isinstance(here, StructType):
        raise Refused(
            f"The table has no column {path_text(column)}.",
            remedy="List its columns with: deltaadm inspect TABLE --columns.",
            delta_error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )
    raise Refused(
        f"{path_text(column)} does not lead to a column: {path_text(path)} is not a struct.",
        remedy="Into arrays and maps lead element, key and value, in small letters: "
        "items.element.x, prices.value.x.",
        delta_error_class="INVALID_FIELD_NAME",
    )


_PART: Final = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


def parse_column(text: str) -> Path:
    """
    The column that *text* names: parts with dots between them, odd ones in backticks.

    >>> parse_column("s.`a.b`")
    ('s', 'a.b')
    """
    parts: list[str] = []
    position = 0
    while found := _PART.match(text, position):
        parts.append(found[1].replace("``", "`") if found[1] else found[2])
        position = found.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            break
        position += 1
    raise Refused(
        f"{text!r} is not the name of a column.",
        remedy="Put dots between the parts, and backticks around a part with dots in it.",
    )


def _changed(
    snapshot: Snapshot,
    schema: StructType,
    partitions: tuple[str, ...],
    listed: Mapping[str, str],
    session: SessionSettings,
) -> Snapshot:
    metadata = snapshot.metadata
    known = {key: one for key, one in listed.items() if key in metadata.configuration}
    proposed = replace(
        metadata.with_schema(schema).with_configuration({**metadata.configuration, **known}),
        partition_columns=partitions,
    )
    return prepare_commit(snapshot, update_metadata(snapshot, proposed, session))


def _statistics(metadata: Metadata) -> tuple[Path, ...]:
    return column_names(metadata.configuration.get(STATISTICS_COLUMNS, ""))


def _without(schema: StructType, gone: Path) -> StructType:
    """*schema* without one field, also in an array or a map; a struct keeps at least one."""

    def pruned(data_type: DataType) -> DataType:
        if not isinstance(data_type, StructType):
            raise Refused(
                f"{path_text(gone)} is a part of an array or a map, which cannot be without it.",
                remedy="Drop the column that holds it.",
                delta_error_class="DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
            )
        if len(data_type.fields) == 1:
            raise Refused(
                f"{path_text(gone)} is the only column of {path_text(gone[:-1]) or 'the table'}.",
                remedy="Drop the struct around it, or keep it.",
                delta_error_class="DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
            )
        return StructType(tuple(one for one in data_type.fields if one.name != gone[-1]))

    left = change_type(schema, gone[:-1], pruned)
    assert isinstance(left, StructType)  # noqa: S101 -- a struct with less inside
    return left


# Refusals


def _refuse_taken(schema: StructType, new: Path) -> None:
    taken = find_column(schema, new)
    if taken is not None:
        raise Refused(
            f"The table has a column {path_text(taken)} already.",
            remedy="Choose another name, one that differs in more than case.",
            delta_error_class="FIELD_ALREADY_EXISTS",
        )


def _require_mapping(metadata: Metadata, what: str, error_class: str) -> None:
    if column_mapping_mode(metadata) is ColumnMappingMode.NONE:
        raise Refused(
            f"A column can only be {what} under column mapping, which the table does not have.",
            remedy=_MAPPING_FIRST,
            delta_error_class=error_class,
        )


def _refuse_layout_columns(snapshot: Snapshot, gone: tuple[Path, ...]) -> None:
    partitions = sorted({(one,) for one in snapshot.metadata.partition_columns} & set(gone))
    if partitions:
        raise Refused(
            f"The table is partitioned by {', '.join(map(path_text, partitions))}.",
            remedy="A partition column cannot be dropped.",
            delta_error_class="DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
        )
    clustering = sorted(set(clustering_columns(snapshot) or ()) & set(gone))
    if clustering:
        raise Refused(
            f"The table is clustered by {', '.join(map(path_text, clustering))}.",
            remedy="Choose other columns first: alter --cluster-by COLUMN, or --no-cluster-by.",
            delta_error_class="DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
        )


def refuse_dependents(metadata: Metadata, column: Path) -> None:
    """Raise `Refused` where a constraint or a generated column is computed from *column*."""
    constraints = [
        key[len(CONSTRAINT_PREFIX) :]
        for key, expression in sorted(metadata.configuration.items())
        if key.lower().startswith(CONSTRAINT_PREFIX) and _mentions(expression, column)
    ]
    if constraints:
        raise Refused(
            f"These CHECK constraints use {path_text(column)}: {', '.join(constraints)}.",
            remedy="Drop them first: alter --drop-constraint NAME.",
            delta_error_class="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
        )
    generated = [
        one.name
        for one in metadata.schema.fields
        if _mentions(str(one.metadata.get("delta.generationExpression", "")), column)
    ]
    if generated:
        raise Refused(
            f"These columns are generated from {path_text(column)}: {', '.join(generated)}.",
            remedy="Such a column can neither be renamed nor dropped.",
            delta_error_class="DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
        )


_WORDS: Final = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:`(?:[^`]|``)+`|\w+)(?:\s*\.\s*(?:`(?:[^`]|``)+`|\w+))*"""
)
_NAME: Final = re.compile(r"`((?:[^`]|``)+)`|(\w+)")


def _mentions(expression: str, column: Path) -> bool:
    """Whether a name in *expression* is *column*, something in it, or something around it."""
    wanted = folded(column)
    for word in _WORDS.findall(expression):
        if word[0] in "'\"":
            continue
        path = tuple(
            (quoted.replace("``", "`") or plain).lower() for quoted, plain in _NAME.findall(word)
        )
        shared = min(len(path), len(wanted))
        if path[:shared] == wanted[:shared]:
            return True
    return False


def _starts(path: Path, column: Path) -> bool:
    return folded(path)[: len(column)] == folded(column)
