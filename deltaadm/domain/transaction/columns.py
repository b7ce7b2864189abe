"""Defaults and types of columns, type widening, clustering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.actions import CLUSTERING_DOMAIN, DomainMetadata
from deltaadm.domain.ddl import default_fits, identifier, unquoted
from deltaadm.domain.features import struct_fields
from deltaadm.domain.properties import PROPERTIES, Key, column_list, whole_number
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.schema import (
    ArrayType,
    DataType,
    Path,
    PrimitiveType,
    StructField,
    StructType,
    all_types,
    decimal_digits,
    folded,
    path_text,
    type_name,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.checks import CHAR_TYPE, has_bounds
from deltaadm.domain.transaction.column_mapping import physical_name
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.update import prepare_commit, update_metadata
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, Metadata
from deltaadm.errors import RefusedError, UnknownNameError
from deltaadm.json_values import compact
from deltaadm.limits import load_json


def quoted_name(path: Path) -> str:
    """
    A path as commits of clustering spell it: backticks around what is no plain identifier.

    >>> quoted_name(("s", "1st", "x`y"))
    's.`1st`.`x``y`'
    """
    plain = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
    return ".".join(part if plain.fullmatch(part) else identifier(part) for part in path)


def refuse_default(name: str, data_type: DataType, text: object) -> None:
    """Raise `RefusedError` where Spark certainly refuses *text*, if any, as a column's default."""
    if not isinstance(text, str):
        return
    if default_fits(data_type, text.strip()) is False:
        raise RefusedError(
            f"{text} cannot be the default of {name}, which has the type {type_name(data_type)}.",
            remedy="Write a constant of that type, for example 7, 'x', DATE '2026-01-31' or NULL.",
            delta_error_class="INVALID_DEFAULT_VALUE.DATA_TYPE",
        )
    # A later SET DEFAULT takes such: the column is a plain string then.
    limited = re.fullmatch(CHAR_TYPE, type_name(data_type))
    quoted = re.fullmatch(r"'((?:[^'\\]|'')*)'", text.strip())
    if limited and quoted and len(quoted[1].replace("''", "'").rstrip(" ")) > int(limited[2]):
        raise RefusedError(
            f"{text} is too long for the column {name}.",
            remedy="Write a shorter default, or declare a longer column.",
            delta_error_class="EXCEED_LIMIT_LENGTH",
        )


def require_allowed_defaults(columns: Sequence[Path], protocol: Protocol, remedy: str) -> None:
    """Raise `RefusedError` for *columns* with a default in a table whose *protocol* allows none."""
    if columns and not protocol.supports("allowColumnDefaults"):
        raise RefusedError(
            f"The table allows no default for {', '.join(map(path_text, columns))}.",
            remedy=remedy,
            delta_error_class="WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED",
        )


def refuse_time(column: StructField) -> None:
    """Raise `RefusedError` for a column with a time of day, wherever in it."""
    if any(part.name.startswith("time(") for part in all_types(column.type)):
        raise RefusedError(
            f"{column.name} has the type TIME, which Spark 4.2 does not support.",
            remedy="Use TIMESTAMP, or a number of microseconds.",
            delta_error_class="UNSUPPORTED_TIME_TYPE",
        )


def parse_column(text: str) -> Path:
    """
    The column that *text* names: parts with dots between them, odd ones in backticks.

    >>> parse_column("s.`a.b`")
    ('s', 'a.b')
    """
    part = r"(?:`(?:[^`]|``)*`|[^`.]+)"
    if re.fullmatch(rf"{part}(?:\.{part})*", text):
        return tuple(map(unquoted, re.findall(part, text)))
    raise RefusedError(
        f"{text!r} is not a column name.",
        remedy="Separate nested names with dots, and put a name that contains a dot in backticks.",
    )


# Type widening


_INTEGERS: Final = ("byte", "short", "integer", "long")
# Spark's `DecimalType.forType`, where a long has 20 digits.
_DIGITS: Final = {"byte": 3, "short": 5, "integer": 10, "long": 20}
_OTHERS: Final = {
    ("float", "double"), ("byte", "double"), ("short", "double"), ("integer", "double"),
    ("date", "timestamp_ntz"),
}  # fmt: skip


def is_widening(old: str, new: str) -> bool:
    """
    Whether values of type *old* can be read as *new*.

    >>> is_widening("byte", "long"), is_widening("long", "byte"), is_widening("date", "string")
    (True, False, False)
    """
    if old in _INTEGERS and new in _INTEGERS:
        return _INTEGERS.index(old) < _INTEGERS.index(new)
    before, after = decimal_digits(old), decimal_digits(new)
    if after:
        whole = after[0] - after[1]
        if before:
            return whole >= before[0] - before[1] and after[1] >= before[1]
        return old in _DIGITS and whole >= _DIGITS[old]
    return (old, new) in _OTHERS


def can_be_altered(old: str, new: str) -> bool:
    """
    Whether Delta Spark widens *old* to *new*: only to decimals that Parquet's readers can make.

    >>> can_be_altered("byte", "decimal(10,0)"), can_be_altered("byte", "decimal(3,0)")
    (True, False)
    """
    after = decimal_digits(new)
    if after and old in _DIGITS:
        # Parquet stores bytes and shorts as INT32, which Spark reads as DECIMAL(10,0) or wider.
        return after[0] - after[1] >= max(_DIGITS[old], _DIGITS["integer"])
    return is_widening(old, new)


def is_up_cast(old: str, new: str) -> bool:
    """
    Whether Spark casts *old* to *new* without asking (`Cast.canUpCast`), which says nothing about
    what Delta can do with it.

    >>> is_up_cast("integer", "string"), is_up_cast("string", "integer")
    (True, False)
    """
    before, after = decimal_digits(old), decimal_digits(new)
    if before and new in _DIGITS:
        return before[1] == 0 and before[0] < _DIGITS[new]
    if new == "string":
        return old not in ("variant", "void") and not old.startswith("geo")
    if old in _NUMBERS and new in _NUMBERS:
        return _NUMBERS.index(old) <= _NUMBERS.index(new)
    wider_decimal = after is not None and is_widening(old, new)
    return old in (new, "void") or wider_decimal or (old, new) in _TIMES


_NUMBERS: Final = (*_INTEGERS, "float", "double")
_TIMES: Final = {
    ("date", "timestamp"), ("date", "timestamp_ntz"), ("timestamp", "timestamp_ntz"),
    ("timestamp_ntz", "timestamp"), ("timestamp", "long"), ("long", "timestamp"),
}  # fmt: skip


# Clustering


MOST_COLUMNS: Final = 4
"""The maximum number of clustering columns."""


def clustering_columns(snapshot: Snapshot) -> tuple[Path, ...] | None:
    """
    The columns that the table is clustered by, in order, as its schema names them.

    None where the snapshot was loaded without its domains. A column that the schema does not
    have goes by its physical name.
    """
    if snapshot.domains is None:
        return None
    names = {physical: path for path, physical in physical_paths(snapshot.metadata.schema).items()}
    return tuple(names.get(column, column) for column in physical_clustering(snapshot.domains))


def earlier_names(versions: Iterable[Metadata]) -> dict[Path, Path]:
    """The last of the earlier names of columns, by physical paths; *versions* are in order."""
    names: dict[Path, Path] = {}
    for version in versions:
        names |= {stored: path for path, stored in _stored_paths(version).items()}
    return names


def lost_clustering(snapshot: Snapshot) -> tuple[Path, ...]:
    """The physical paths that the table is clustered by and that no column has."""
    clustered = physical_clustering(snapshot.domains or {})
    if not clustered:
        return ()
    present = set(map(folded, _stored_paths(snapshot.metadata).values()))
    return tuple(column for column in clustered if folded(column) not in present)


def require_found_clustering(snapshot: Snapshot) -> None:
    """Raise `RefusedError` where Delta fails for looking up clustering columns that are gone."""
    lost = lost_clustering(snapshot)
    if lost:
        raise RefusedError(
            f"The table is clustered by {', '.join(map(path_text, lost))}, which it does not have: "
            "Delta cannot add, change or drop columns until it is clustered by other columns.",
            remedy="First run `deltaadm alter TABLE --cluster-by COLUMN`, or --no-cluster-by.",
        )


def restored_clustering(state: Snapshot, earlier: Mapping[Path, Path]) -> tuple[Path, ...] | None:
    """
    The columns that the table was clustered by, where it names some by physical paths of *earlier*.

    None where nothing is lost, or where a column cannot be found again.
    """
    # When column mapping is removed, a column's name becomes its physical name, and Delta leaves
    # the clustering as it was.
    if not lost_clustering(state):
        return None
    paths = _stored_paths(state.metadata)
    names = {folded(stored): path for path, stored in paths.items()}
    columns = [
        names.get(folded(column)) or names.get(folded(earlier.get(column, ())))
        for column in physical_clustering(state.domains or {})
    ]
    return None if None in columns else tuple(path for path in columns if path)


def suspension(columns: Sequence[Path]) -> str:
    """
    Return the annotation of a commit that temporarily removes the clustering by *columns*.

    >>> suspension([("day",)])
    ' suspends {"clusteringColumns":[["day"]]}'
    """
    return f" suspends {compact({'clusteringColumns': list(map(list, columns))})}"


def suspended_columns(user_metadata: str) -> tuple[Path, ...]:
    """The columns that *user_metadata* says with a `suspension` after a run's mark; or none."""
    # After a mark of our own alone: other user metadata is somebody else's.
    match = re.fullmatch(r"deltaadm/\S+ \S+ suspends (.*)", user_metadata, re.DOTALL)
    return tuple(_listed(match[1])) if match else ()


def with_clustering(snapshot: Snapshot, columns: Sequence[Path]) -> Snapshot:
    """*snapshot* clustered by *columns*, as `clustering_columns` says, or no longer by any."""
    physical = physical_paths(snapshot.metadata.schema)
    # A name that only the commit can choose is no name to find a column by.
    known = {c: path for c, path in physical.items() if KNOWN_AFTER_COMMIT not in "".join(path)}
    # Also for no columns: Delta keeps the domain, with an empty list.
    domain = clustering_domain([known.get(column, column) for column in columns])
    return replace(snapshot, domains={**(snapshot.domains or {}), CLUSTERING_DOMAIN: domain})


def clustering_domain(physical: Sequence[Path]) -> DomainMetadata:
    """The domain of a table that is clustered by these columns, in their physical names."""
    document = {"clusteringColumns": list(map(list, physical)), "domainName": CLUSTERING_DOMAIN}
    return DomainMetadata(CLUSTERING_DOMAIN, compact(document))


def cluster_by(snapshot: Snapshot, paths: Sequence[Path], session: SessionSettings) -> Snapshot:
    """The state after CLUSTER BY *paths*; `RefusedError` where Delta would refuse."""
    metadata = snapshot.metadata
    for path in paths:
        if len(metadata.schema.find_place(path)[0]) < len(path):
            raise _missing(metadata.schema, path)
    _refuse_repeated_or_many(paths)
    if metadata.partition_columns:
        raise RefusedError(
            f"The table is partitioned by {', '.join(metadata.partition_columns)}, and a table "
            "cannot be both clustered and partitioned.",
            remedy="Copy the table into a clustered one (CREATE TABLE … CLUSTER BY … AS SELECT).",
            delta_error_class="DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
        )
    columns = check_clustering(metadata, paths)
    supported = snapshot.protocol.supports("clustering")
    # CLUSTER BY NONE does not add the feature, so nothing is committed.
    if not columns and not supported:
        return snapshot
    require_writable(snapshot)
    check_statistics_of(metadata, columns)
    physical = physical_paths(metadata.schema)
    fresh = [path_text(c) for c in columns if any(KNOWN_AFTER_COMMIT in p for p in physical[c])]
    if fresh:
        raise RefusedError(
            f"{', '.join(fresh)} is a new column of a table with column mapping; its physical name "
            "is known only after it is added.",
            remedy="Add it first, then cluster by it in a second command.",
        )
    after = snapshot
    if not supported:
        # What CLUSTER BY may, and SET TBLPROPERTIES may not: the catalog refuses this property.
        asked = metadata.with_properties({f"{Key.FEATURE_PREFIX}clustering": "supported"})
        after = update_metadata(snapshot, asked, session)
    return with_clustering(prepare_commit(snapshot, after), columns)


def check_clustering(metadata: Metadata, columns: Sequence[Path]) -> tuple[Path, ...]:
    """
    *columns* as the schema spells them; raises `RefusedError` where a table with *metadata* cannot
    be clustered by them, statistics left aside.
    """
    clustered = find_clustering(metadata.schema, columns)
    types = {path: field.type for path, field in struct_fields(metadata.schema)}
    invalid = [path_text(path) for path in clustered if not has_bounds(types[path])]
    if invalid:
        raise RefusedError(
            f"These columns have types without minimum and maximum: {', '.join(invalid)}.",
            remedy="Choose columns with numbers, dates, times or strings.",
            delta_error_class="DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
        )
    return clustered


def find_clustering(schema: StructType, columns: Sequence[Path]) -> tuple[Path, ...]:
    """*columns* as *schema* spells them; `RefusedError` for absent, repeated or too many."""
    fields = {folded(path): path for path, _ in struct_fields(schema)}
    for column in columns:
        if folded(column) not in fields:
            raise _missing(schema, column)
    _refuse_repeated_or_many(columns)
    return tuple(fields[folded(column)] for column in columns)


def _refuse_repeated_or_many(columns: Sequence[Path]) -> None:
    times = Counter(map(folded, columns))
    twice = [path_text(path) for path in columns if times[folded(path)] > 1]
    if twice:
        raise RefusedError(
            f"A table cannot be clustered by the same column twice: {twice[0]}.",
            remedy="Name each column once.",
            delta_error_class="DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY",
        )
    if len(columns) > MOST_COLUMNS:
        raise RefusedError(
            f"A table can be clustered by at most {MOST_COLUMNS} columns, not {len(columns)}.",
            remedy="Choose those that queries filter by most.",
            delta_error_class="DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
        )


def _missing(schema: StructType, column: Path) -> RefusedError:
    existing, _, here = schema.find_place(column)
    error_class = "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
    if len(existing) < len(column) and isinstance(here, ArrayType):
        error_class = "DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME"
    elif len(existing) < len(column) and isinstance(here, PrimitiveType):
        error_class = "DELTA_COLUMN_PATH_NOT_NESTED"
    return UnknownNameError(
        f"The clustering column {path_text(column)} is not in the schema.",
        remedy="List its columns with: `deltaadm inspect TABLE --columns`.",
        delta_error_class=error_class,
    )


def validate_cluster_by_spec(metadata: Metadata, columns: Sequence[Path]) -> None:
    """Raise `RefusedError` unless *columns* exist, are at most four, and have statistics."""
    check_statistics_of(metadata, check_clustering(metadata, columns))


def check_statistics_of(metadata: Metadata, columns: Sequence[Path]) -> None:
    """Raise `RefusedError` unless files have statistics of *columns*, spelled as in the schema."""
    collected = set(columns_with_statistics(metadata))
    missing = [path_text(column) for column in columns if column not in collected]
    if missing:
        raise RefusedError(
            f"Files have no statistics for {', '.join(missing)}, which clustering needs.",
            remedy=f"Name it in {Key.STATISTICS_COLUMNS}, or raise {INDEXED_COLUMNS}.",
            delta_error_class="DELTA_CLUSTERING_COLUMN_MISSING_STATS",
        )


INDEXED_COLUMNS: Final = "delta.dataSkippingNumIndexedCols"


def columns_with_statistics(metadata: Metadata) -> Iterator[Path]:
    """The columns of which Delta collects minimum and maximum, inside structs too."""
    return (path for path, data_type in indexed_columns(metadata) if has_bounds(data_type))


def indexed_columns(metadata: Metadata) -> Sequence[tuple[Path, DataType]]:
    """The columns of which Delta collects statistics, inside structs too, with their types."""
    listed = metadata.configuration.get(Key.STATISTICS_COLUMNS)
    # Data files do not have the partition columns, which do not count towards the limit either.
    leaves = [
        (path, field.type)
        for path, field in struct_fields(metadata.schema)
        if path[0] not in metadata.partition_columns and not isinstance(field.type, StructType)
    ]
    if listed is None:
        default = PROPERTIES[INDEXED_COLUMNS.lower()].default
        count = whole_number(metadata.configuration.get(INDEXED_COLUMNS, default or ""))
        # -1 stands for all columns.
        return leaves if count is None or count < 0 else leaves[:count]
    named = [folded(item) for item in column_list(listed)[0]]
    return [
        (path, data_type)
        for path, data_type in leaves
        if any(folded(path)[: len(n)] == n for n in named)
    ]


def _stored_paths(metadata: Metadata) -> dict[Path, Path]:
    paths = physical_paths(metadata.schema)
    # Delta does not look at physical names that are left in the schema of an unmapped table.
    mode = metadata.configuration.get(Key.COLUMN_MAPPING_MODE, "none")
    return dict(zip(paths, paths, strict=True)) if mode.lower() == "none" else paths


def physical_paths(schema: StructType) -> dict[Path, Path]:
    """The paths of the columns outside arrays and maps, each with its physical one."""
    physical: dict[Path, Path] = {(): ()}
    for path, field in struct_fields(schema):
        physical[path] = (*physical[path[:-1]], physical_name(field))
    return {path: value for path, value in physical.items() if path}


def physical_clustering(domains: Mapping[str, DomainMetadata]) -> list[Path]:
    """The physical paths of the columns that a table with *domains* is clustered by."""
    domain = domains.get(CLUSTERING_DOMAIN)
    return _listed(domain.configuration) if domain else []


def _listed(text: str) -> list[Path]:
    try:
        document: Any = load_json(text)
    except (ValueError, RecursionError):
        return []
    listed = document.get("clusteringColumns") if isinstance(document, dict) else None
    return [
        # PROTOCOL.md shows names, Delta Spark writes paths.
        tuple(map(str, item)) if isinstance(item, list) else (str(item),)
        for item in (listed if isinstance(listed, list) else ())
    ]
