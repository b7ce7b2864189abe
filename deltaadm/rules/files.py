"""DL7xx: files that the table names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.actions import AddFile
from deltaadm.domain.file_facts import StatisticsError, descriptor_flaw, kinds_in, parse_statistics
from deltaadm.domain.properties import Key, switch
from deltaadm.domain.schema import PrimitiveType, StructField, type_name
from deltaadm.domain.transaction.column_mapping import stored_schema
from deltaadm.errors import DeltaadmError
from deltaadm.facts import CommitFacts, DataFileFacts, LiveFile, SnapshotFacts, State
from deltaadm.json_values import integer
from deltaadm.paths import path_flaw, uri_flaw
from deltaadm.rules.rule import DAY, Problem, Scope, Severity, adding, remembering, rule

if TYPE_CHECKING:
    from deltaadm.domain.file_facts import Kinds
    from deltaadm.replay.file_columns import ArrowFiles, Rows

    IsWrong = Callable[[StructField, str | None], bool]


# As seconds from 2001 to 2286, as milliseconds a few months of 1970: no data file is that old.
_SECONDS: Final = range(10**9, 10**10)
_ENOUGH_FILES: Final = 10
_FEW: Final = 0.1


@dataclass(frozen=True)
class _Layout:
    """
    What a state says about its files.

    `partitions` are the partition columns by their names in files; None where they are not known.
    """

    partitions: Mapping[str, StructField] | None
    logical: frozenset[str]
    kinds: Kinds


@remembering
def _layout(state: State) -> _Layout:
    metadata = state.metadata
    if metadata is None:
        return _Layout(None, frozenset(), {})
    names, kinds = metadata.partition_columns, kinds_in(metadata)
    try:
        stored = zip(stored_schema(metadata).fields, metadata.schema.fields, strict=True)
        fields = {field.name: (of.name, field) for of, field in stored}
        partitions = dict(fields[name] for name in names)
    except (DeltaadmError, KeyError):
        # DL305 reports a partition column that is not there; the files cannot be judged by it.
        return _Layout(None, frozenset(), kinds)
    return _Layout(partitions, frozenset(names), kinds)


@remembering
def _statistics(add: AddFile) -> tuple[Mapping[str, Any], str]:
    """The statistics of a file, empty where it has none, and why they cannot be read."""
    try:
        return {} if add.stats is None else parse_statistics(add.stats), ""
    except StatisticsError as error:
        return {}, str(error)


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in sorted(names)) or "none"


def _with_other_keys(files: ArrowFiles) -> Rows:
    layout = _layout(files.state)
    known = layout.partitions
    if known is None:
        return files.none
    return files.with_partition_keys(lambda keys: keys not in (known.keys(), layout.logical))


@rule("DL701", Severity.ERROR, Scope.FILE, only=_with_other_keys)
def wrong_partition_keys(file: LiveFile) -> Iterator[Problem]:
    """
    A file has values for partition columns that differ from the table's.

    Why it matters: readers get these values from the log: a column without one reads as null, or
    the read fails. It is a warning if only nulls can have been left out, as deltalake does when it
    compacts the log: Delta Spark and Delta Kernel read such a table correctly.

    What to do: rewrite the file through Delta. With column mapping, the keys are physical names.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    layout, stored = _layout(file.state), file.add.partition_values
    columns, values = layout.partitions, stored or {}
    # Logical in place of physical names are DL419's.
    if columns is None or values.keys() in (columns.keys(), layout.logical):
        return
    absent = [column for key, column in columns.items() if key not in values]
    are_nulls = values.keys() <= columns.keys() and all(column.nullable for column in absent)
    named = f"values for {_listed(values)}; the partition columns are {_listed(columns)}"
    severity = Severity.WARNING if stored is not None and are_nulls else None
    yield Problem(f"The file has {named}.", severity=severity)


def _is_unreadable(column: StructField, value: str | None) -> bool:
    if not value or not isinstance(column.type, PrimitiveType):
        return False
    return not is_partition_value(value, column.type.name)


def _is_wrongly_null(column: StructField, value: str | None) -> bool:
    return not value and not column.nullable


def _values(file: LiveFile, wrong: IsWrong) -> Iterator[tuple[StructField, str | None]]:
    """The values of partition columns that are *wrong*, with their columns."""
    columns = _layout(file.state).partitions or {}
    for key, value in (file.add.partition_values or {}).items():
        if key in columns and wrong(columns[key], value):
            yield columns[key], value


def _with_value(wrong: IsWrong) -> Callable[[ArrowFiles], Rows]:

    def only(files: ArrowFiles) -> Rows:
        columns = _layout(files.state).partitions
        if not columns:
            return files.none
        return files.with_partition_value(
            lambda key, value: key in columns and wrong(columns[key], value)
        )

    return only


@rule("DL702", Severity.ERROR, Scope.FILE, only=_with_value(_is_unreadable))
def unreadable_partition_value(file: LiveFile) -> Iterator[Problem]:
    """
    A partition value cannot be read as a value of its column's type.

    Why it matters: some readers fail, and others read null: two programs see different tables.

    What to do: rewrite the file through Delta, which writes such values in the right form.

    Source: PROTOCOL.md, Partition Value Serialization.
    """
    for column, value in _values(file, _is_unreadable):
        partition = f"partition column {column.name!r} is not a valid {type_name(column.type)}"
        yield Problem(f"The value {value!r} of {partition}.")


@rule("DL703", Severity.ERROR, Scope.FILE, only=_with_value(_is_wrongly_null))
def null_partition_value(file: LiveFile) -> Iterator[Problem]:
    """
    A file has null for a partition column that is NOT NULL.

    Why it matters: Delta promises that the column has no nulls. An empty string means null.

    What to do: delete or correct those rows, or `deltaadm alter TABLE --drop-not-null COLUMN`.

    Source: PROTOCOL.md, Partition Value Serialization; Delta Spark, NOT NULL constraints.
    """
    for column, value in _values(file, _is_wrongly_null):
        flaw = f"is NOT NULL, but the file's value is {value!r}"
        yield Problem(f"The partition column {column.name!r} {flaw}.")


@rule("DL704", Severity.ERROR, Scope.FILE, only=lambda files: files.odd_paths)
def malformed_path(file: LiveFile) -> Iterator[Problem]:
    """
    A file's path is empty, is not a URI, or leads out of the table.

    Why it matters: readers fail or look in the wrong place, with `..` even in other tables.

    What to do: find the writer. Characters that a URI cannot hold must be percent-encoded.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    flaw = path_flaw(file.add.path)
    if flaw:
        yield Problem(f"The path {file.add.path!r} is invalid: {flaw}.")


@rule("DL705", Severity.WARNING, Scope.SNAPSHOT)
def absolute_paths(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The log names files by absolute paths.

    Why it matters: the table cannot be moved. Shallow clones have such paths on purpose.

    What to do: if the table must be self-contained, copy it (`CREATE TABLE … DEEP CLONE`).

    Source: PROTOCOL.md, Add File and Remove File.
    """
    absolute = table.totals and table.totals.absolute
    if absolute and absolute.count:
        first = absolute.paths[0]
        message = f"Files with an absolute path: {absolute.count}, for example {first!r}."
        yield Problem(message, first)


@rule("DL706", Severity.ERROR, Scope.SNAPSHOT)
def two_deletion_vectors(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table contains a data file twice, with different deletion vectors.

    Why it matters: its rows are read twice, among them those that only one of the vectors deletes.

    What to do: if DL118 finds a compacted file wrong, delete that file and do nothing else.
    Otherwise find the writer that did not remove the earlier entry, and what its last delete was
    meant to remove. Delete these rows again, then rewrite the file (`REORG TABLE … APPLY (PURGE)`).

    Source: PROTOCOL.md, Action Reconciliation.
    """
    for path in table.totals.with_two_vectors if table.totals else ():
        yield Problem(f"The file {path!r} is live with more than one deletion vector.", path)


@rule("DL707", Severity.ERROR, Scope.SNAPSHOT)
def deletion_vectors_without_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Files have deletion vectors, but the protocol lacks `deletionVectors`.

    Why it matters: readers that do not support deletion vectors show deleted rows.

    What to do: `deltaadm repair TABLE` adds the feature. Find the writer that changed the protocol.

    Source: PROTOCOL.md, Deletion Vectors.
    """
    count = table.totals and table.totals.deletion_vectors
    if count and not table.protocol.supports("deletionVectors"):
        message = f"The protocol does not allow deletion vectors; files that have one: {count}."
        fix = adding(table.snapshot, "deletionVectors")
        yield Problem(message, "protocol.writerFeatures", fix=fix)


def _with_vector_beyond_records(files: ArrowFiles) -> Rows:
    vectors = files.having("deletionVector")
    return vectors & files.statistics.fewer_records_than_deleted() if vectors else vectors


@rule("DL708", Severity.ERROR, Scope.FILE, only=_with_vector_beyond_records)
def deletion_vector_without_count(file: LiveFile) -> Iterator[Problem]:
    """
    A file with a deletion vector does not say how many records it has, or says too few.

    Why it matters: engines that count by the log return wrong numbers. Delta refuses such a file.

    What to do: rewrite the file through Delta: `REORG TABLE … APPLY (PURGE)`.

    Source: PROTOCOL.md, Writer Requirements for Deletion Vectors.
    """
    vector, (statistics, unread) = file.add.deletion_vector, _statistics(file.add)
    if vector is None or unread:
        return
    records = integer(statistics.get("numRecords"))
    if records is None:
        yield Problem("The file has a deletion vector, but its statistics lack numRecords.")
    elif vector.cardinality > max(records, 0):
        message = f"{vector.cardinality} records of the file are deleted, but it has {records}."
        yield Problem(message)


@rule("DL709", Severity.ERROR, Scope.FILE, only=lambda files: files.malformed_vectors())
def malformed_deletion_vector(file: LiveFile) -> Iterator[Problem]:
    """
    A deletion vector's descriptor is invalid.

    Why it matters: no reader can find the vector, so the file cannot be read.

    What to do: restore the table to the version before it, and find the writer.

    Source: PROTOCOL.md, Deletion Vector Descriptor Schema.
    """
    vector = file.add.deletion_vector
    flaw = "" if vector is None else descriptor_flaw(vector)
    if flaw:
        yield Problem(f"The file's deletion vector is invalid: {flaw}.")


def _with_vector_and_tight_bounds(files: ArrowFiles) -> Rows:
    vectors = files.having("deletionVector")
    return vectors & files.statistics.unlike("tightBounds", value=False) if vectors else vectors


@rule("DL710", Severity.WARNING, Scope.FILE, only=_with_vector_and_tight_bounds)
def tight_bounds_with_deletion_vector(file: LiveFile) -> Iterator[Problem]:
    """
    A file with a deletion vector claims that its statistics are exact.

    Why it matters: the minimum and maximum may belong to deleted rows, so engines that answer from
    statistics return wrong results. Delta refuses to write such a file.

    What to do: rewrite the file, or let Delta recompute its statistics.

    Source: PROTOCOL.md, Per-file Statistics; Delta Spark,
    DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED.
    """
    if file.add.deletion_vector is None:
        return
    statistics, _ = _statistics(file.add)
    has_bounds = any(map(statistics.get, ("minValues", "maxValues", "nullCount")))
    if has_bounds and statistics.get("tightBounds") is not False:
        lacking = "its statistics do not have tightBounds: false"
        yield Problem(f"The file has a deletion vector, but {lacking}.")


@rule(
    "DL711",
    Severity.ERROR,
    Scope.FILE,
    only=lambda files: files.statistics.unread | files.statistics.records_below(0),
)
def malformed_statistics(file: LiveFile) -> Iterator[Problem]:
    """
    A file's statistics are not a JSON object, or have a negative number of records.

    Why it matters: readers fail or cannot skip files; counts from the log are wrong.

    What to do: let Delta recompute the statistics, or rewrite the file.

    Source: PROTOCOL.md, Per-file Statistics.
    """
    statistics, unread = _statistics(file.add)
    if unread:
        yield Problem(f"The statistics cannot be read: {unread}.")
    elif (records := statistics.get("numRecords")) is not None:
        count = integer(records)
        if count is None or count < 0:
            yield Problem(f"The statistics have numRecords: {records!r}.")


@rule("DL712", Severity.WARNING, Scope.SNAPSHOT)
def many_files_without_statistics(table: SnapshotFacts) -> Iterator[Problem]:
    """
    More than a tenth of the files, and not just a few, have no statistics.

    Why it matters: queries must open all of them, and engines cannot count rows from the log.

    What to do: rewrite the files with statistics (`OPTIMIZE`), and find the writer that omits them.

    Source: PROTOCOL.md, Per-file Statistics.
    """
    if table.totals is None:
        return
    lacking, count = table.totals.facts.without_stats, table.totals.facts.files
    if lacking >= _ENOUGH_FILES and lacking > count * _FEW:
        yield Problem(f"{lacking} of {count} files have no statistics.")


@rule(
    "DL713",
    Severity.ERROR,
    Scope.FILE,
    only=lambda files: files.below("size", 1) | ~files.having("size"),
)
def impossible_size(file: LiveFile) -> Iterator[Problem]:
    """
    A file's size is zero or negative.

    Why it matters: Delta Spark silently skips all its rows; other readers look in the wrong place.

    What to do: compare with the file in storage, and rewrite it.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    if file.add.size <= 0:
        yield Problem(f"The size of the file is given as {file.add.size} bytes.")


def _with_odd_time(files: ArrowFiles) -> Rows:
    column = "modificationTime"
    seconds = files.above(column, _SECONDS.start - 1) & files.below(column, _SECONDS.stop)
    return seconds | files.above(column, files.now + DAY)


@rule("DL714", Severity.WARNING, Scope.FILE, only=_with_odd_time)
def odd_modification_time(file: LiveFile) -> Iterator[Problem]:
    """
    A file's modification time is in the future, or not in milliseconds.

    Why it matters: VACUUM and streams with a starting time use it, and choose the wrong files.

    What to do: find the writer; times are in milliseconds.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    time = file.add.modification_time
    if time > file.now + DAY:
        yield Problem(f"The modification time {time} is in the future.")
    elif time in _SECONDS:
        yield Problem(f"The modification time {time} seems to be in seconds.")


def _with_impossible_row_tracking(files: ArrowFiles) -> Rows:
    version = "defaultRowCommitVersion"
    odd_version = files.below(version, 0) | files.above(version, files.state.version)
    return files.below("baseRowId", 0) | odd_version


@rule("DL715", Severity.ERROR, Scope.FILE, only=_with_impossible_row_tracking)
def impossible_row_tracking(file: LiveFile) -> Iterator[Problem]:
    """
    A file's base row id or row commit version is negative, or the latter above the table's version.

    Why it matters: readers that track changes identify rows by the one and date them by the other.

    What to do: find the writer. Turning row tracking off and on again reassigns them.

    Source: PROTOCOL.md, Row Tracking.
    """
    first, version = file.add.base_row_id, file.add.default_row_commit_version
    if first is not None and first < 0:
        yield Problem(f"The base row id is {first}.")
    if version is not None and not 0 <= version <= file.state.version:
        newest = f"the table's version is {file.state.version}"
        yield Problem(f"The default row commit version is {version}; {newest}.")


@rule("DL716", Severity.ERROR, Scope.DEEP)
def damaged_data_file(file: DataFileFacts) -> Iterator[Problem]:
    """
    A live file is missing in storage, has another size than the log says, or is not a Parquet file.
    It is a warning if the file cannot be accessed.

    Why it matters: every query that needs it fails, or reads something else.

    What to do: restore the file from a backup, or the table to a version that does not need it;
    `deltaadm repair TABLE --remove-missing-files` removes missing files, and their rows. A VACUUM
    by a client that does not know the table's features, or with too short a retention, deletes live
    files.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    if file.out_of_reach:
        message = f"The file could not be checked: {file.out_of_reach}"
        remedy = "Check it by other means; a shallow clone has the files of its source."
        yield Problem(message, remedy=remedy, severity=Severity.WARNING)
    elif file.size is None:
        yield Problem("The file does not exist in storage.")
    elif file.size != file.add.size:
        yield Problem(f"The file has {file.size} bytes; the log says {file.add.size}.")
    elif file.unreadable:
        yield Problem(f"The file cannot be read: {file.unreadable}.")


@rule("DL717", Severity.WARNING, Scope.COMMIT, having=["cdc"])
def misplaced_change_data(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit marks change data files as data, or has them although the change data feed is off.

    Why it matters: readers of the table's changes may see such rows twice, or not at all.

    What to do: find the writer; the protocol requires dataChange: false on `cdc` actions.

    Source: PROTOCOL.md, Add CDC File.
    """
    actions = list(commit.objects("cdc"))
    changing = sum(action.get("dataChange") is True for action in actions)
    if changing:
        yield Problem(f"{changing} cdc actions have dataChange: true.")
    before, after = (
        state.metadata and switch(state.metadata.configuration, Key.CHANGE_DATA_FEED)
        for state in (commit.before, commit.after)
    )
    if actions and after is False and not before:
        counted = f"{len(actions)} cdc actions"
        yield Problem(f"The commit has {counted}, but the change data feed is off.")


@rule("DL718", Severity.WARNING, Scope.COMMIT, having=["add", "remove"])
def mixed_data_change(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit mixes file actions that change data with others that only rearrange it.

    Why it matters: streams skip what does not change data; other readers cannot match the files.

    What to do: nothing for this commit. Rearrangements need commits of their own, as OPTIMIZE's.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    actions = chain(commit.objects("add"), commit.objects("remove"))
    stated = (action.get("dataChange") for action in actions)
    if len({flag for flag in stated if isinstance(flag, bool)}) > 1:
        yield Problem("Some file actions of the commit change data, others do not.")


@rule("DL719", Severity.WARNING, Scope.FILE, only=lambda files: files.statistics.contradictory())
def contradictory_statistics(file: LiveFile) -> Iterator[Problem]:
    """
    A file's statistics contradict themselves: a minimum above the maximum, or too many nulls.

    Why it matters: queries use them to skip files, so rows are missing from results.

    What to do: let Delta recompute the statistics, or rewrite the file.

    Source: PROTOCOL.md, Per-file Statistics.
    """
    statistics, _ = _statistics(file.add)
    for flaw in contradictions(statistics, _layout(file.state).kinds) if statistics else ():
        yield Problem(f"The statistics contradict themselves: {flaw}.")


@rule("DL720", Severity.WARNING, Scope.COMMIT, having=["remove"])
def incomplete_removal(commit: CommitFacts) -> Iterator[Problem]:
    """
    A removed file has no deletion timestamp, or lacks the size that it claims to have. It is an
    error if its path is not a URI.

    Why it matters: without the time, VACUUM may delete a file that queries on older versions still
    read. Delta Spark cannot load a table with a path that is not a URI.

    What to do: find the writer. The entries disappear once deleted files are no longer retained.

    Source: PROTOCOL.md, Add File and Remove File.
    """
    undated, unsized = [], []
    for action in commit.objects("remove"):
        path = action.get("path")
        if isinstance(path, str) and (flaw := uri_flaw(path)):
            message = f"The path {path!r} of a removed file is not a URI: {flaw}."
            yield Problem(message, severity=Severity.ERROR)
        if action.get("deletionTimestamp") is None:
            undated.append(path)
        if action.get("extendedFileMetadata") is True and action.get("size") is None:
            unsized.append(path)
    for paths, flaw in (
        (undated, "have no deletionTimestamp"),
        (unsized, "with extendedFileMetadata have no size"),
    ):
        if paths:
            yield Problem(f"{len(paths)} remove actions {flaw}, for example that of {paths[0]!r}.")


@rule("DL721", Severity.ERROR, Scope.DEEP)
def damaged_deletion_vector(file: DataFileFacts) -> Iterator[Problem]:
    """
    A file's deletion vector is missing, or is damaged.

    Why it matters: nobody reads the file correctly: deleted rows are shown, or others hidden.

    What to do: restore the vector's file from a backup, or the table to a version before it.

    Source: PROTOCOL.md, Deletion Vector Format.
    """
    if file.vector_problem:
        yield Problem(f"The file's deletion vector is damaged: {file.vector_problem}.")


# Partition values


_BITS: Final = {"byte": 7, "short": 15, "integer": 31, "long": 63}
_WHOLE: Final = r"[+-]?\d{1,40}"
_DATE: Final = r"[+-]?\d{4,7}(-\d{1,2}(-\d{1,2})?)?"
_ZONE: Final = r"\s*(Z|UTC|GMT|UT|[A-Za-z_/+-]{2,40}|(UTC|GMT|UT)?[+-]\d{1,2}(:?\d\d)*)"
_TIMESTAMP: Final = _DATE + r"([ T]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{0,9})?)?(?P<zone>.*))?"
_LAST_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMBER: Final = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,5})?[dDfF]?"
_FLOATS: Final = frozenset({"nan", "infinity", "inf", "+infinity", "+inf", "-infinity", "-inf"})


@lru_cache(maxsize=1 << 14)
def is_partition_value(text: str, type_name: str) -> bool:
    """
    Whether *text*, which is not empty, can be read as a value of a type.

    As lenient as Delta Spark, which casts the text, except that true and false are the only
    booleans, since other readers take `yes` for false. A type that no partition column can have,
    or that nobody knows, accepts anything.

    >>> is_partition_value("300", "byte"), is_partition_value("2020-1-1", "date")
    (False, True)
    """
    check = _CHECKS.get(type_name.partition("(")[0])
    return check is None or check(text.strip(), type_name)


def _whole(text: str, type_name: str) -> bool:
    bound = 1 << _BITS[type_name]
    return bool(re.fullmatch(_WHOLE, text, re.ASCII)) and -bound <= int(text) < bound


def _decimal(text: str, type_name: str) -> bool:
    from decimal import Decimal, InvalidOperation  # which few tables need

    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    shape = re.fullmatch(r"decimal\((\d{1,2}),\s*(\d{1,2})\)", type_name)
    fits = shape is None or number.is_zero() or number.adjusted() < int(shape[1]) - int(shape[2])
    return number.is_finite() and fits


def _date(text: str, _type_name: str) -> bool:
    date = re.split("[ T]", text, maxsplit=1)[0]
    if not re.fullmatch(_DATE, date, re.ASCII):
        return False
    month, day = (*(int(part) for part in date.lstrip("+-").split("-")[1:]), 1, 1)[:2]
    return 1 <= month <= len(_LAST_DAYS) and 1 <= day <= _LAST_DAYS[month - 1]


def _timestamp(text: str, _type_name: str) -> bool:
    match = re.fullmatch(_TIMESTAMP, text, re.ASCII)
    if match is None or not _date(text, ""):
        return False
    return not match["zone"] or bool(re.fullmatch(_ZONE, match["zone"]))


_CHECKS: Final[dict[str, Callable[[str, str], bool]]] = {
    **dict.fromkeys(_BITS, _whole),
    **dict.fromkeys(
        ("float", "double"),
        lambda text, _: bool(re.fullmatch(_NUMBER, text, re.ASCII)) or text.lower() in _FLOATS,
    ),
    "decimal": _decimal,
    "boolean": lambda text, _: text.lower() in ("true", "false"),
    "date": _date,
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _timestamp),
}


# Statistics that contradict themselves


def contradictions(statistics: Mapping[str, Any], kinds: Kinds) -> Iterator[str]:
    """
    Return the contradictions in *statistics*, in words: what cannot be true of any file.

    A lower bound above the upper one, and more nulls than records. Values are compared only
    where every writer orders and spells them the same.
    """
    low, high = statistics.get("minValues"), statistics.get("maxValues")
    if isinstance(low, dict) and isinstance(high, dict):
        yield from _crossed(low, high, kinds, "")
    nulls, records = statistics.get("nullCount"), integer(statistics.get("numRecords"))
    if isinstance(nulls, dict) and records is not None:
        yield from _too_many_nulls(nulls, records, "")


_NUMBERS: Final = frozenset({int, float})


def _crossed(
    low: Mapping[str, Any], high: Mapping[str, Any], kinds: Kinds, within: str
) -> Iterator[str]:
    """Tables have millions of files with dozens of bounds: the usual case does the least."""
    for name, least in low.items():
        most: Any = high.get(name)
        first, second = type(least), type(most)
        if first in _NUMBERS and second in _NUMBERS:
            crossed = least > most and isinstance(kinds.get(name), str)
        elif first is str and second is str:
            crossed = least > most and _is_ordered_as_text(least, most, kinds.get(name))
        else:
            inner = kinds.get(name)
            if first is dict and second is dict and isinstance(inner, dict):
                yield from _crossed(least, most, inner, f"{within}{name}.")
            continue
        if crossed:
            yield f"the minimum of {within + name!r} is {least!r}, its maximum {most!r}"


_DATE_IN_STATISTICS: Final = r"(?a:\d{4}-\d\d-\d\d)"
_UTC: Final = r"(?a:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?)"


def _is_ordered_as_text(least: str, most: str, kind: str | Kinds | None) -> bool:
    # Text beyond ASCII is left alone, since writers order it by bytes or by UTF-16 units.
    if kind == "string":
        return least.isascii() and most.isascii()
    if kind == "date":
        return all(re.fullmatch(_DATE_IN_STATISTICS, each) for each in (least, most))
    if kind in ("timestamp", "timestamp_ntz"):
        # With and without the Z, equal instants would differ as text.
        same = least.endswith("Z") == most.endswith("Z")
        return same and all(re.fullmatch(_UTC, each) for each in (least, most))
    return False


def _too_many_nulls(nulls: Mapping[str, Any], records: int, within: str) -> Iterator[str]:
    for name, count in nulls.items():
        if isinstance(count, dict):
            yield from _too_many_nulls(count, records, f"{within}{name}.")
        elif type(count) is int and not 0 <= count <= records:
            yield f"{within + name!r} has {count} nulls in {records} records"
