"""
The table properties that Delta Spark 4.4 knows: spelling, default, and which values are right.

Source: `DeltaConfig.scala` of delta-io/delta, as recorded from a running engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import inf

from deltaadm.dataclass import dataclass
from deltaadm.errors import IllegalArgumentError, RefusedError, UnknownNameError, did_you_mean
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


class Key:
    """The keys of table properties that more than one module knows, and prefixes of keys."""

    UNIVERSAL_FORMAT_PREFIX: Final = "delta.universalformat.config."
    FEATURE_PREFIX: Final = "delta.feature."
    CONSTRAINT_PREFIX: Final = "delta.constraints."
    MIN_READER_VERSION: Final = "delta.minReaderVersion"
    MIN_WRITER_VERSION: Final = "delta.minWriterVersion"
    IGNORE_PROTOCOL_DEFAULTS: Final = "delta.ignoreProtocolDefaults"
    CHANGE_DATA_FEED: Final = "delta.enableChangeDataFeed"
    COLUMN_MAPPING_MODE: Final = "delta.columnMapping.mode"
    MAX_COLUMN_ID: Final = "delta.columnMapping.maxColumnId"
    ROW_ID_COLUMN: Final = "delta.rowTracking.materializedRowIdColumnName"
    ROW_COMMIT_VERSION_COLUMN: Final = "delta.rowTracking.materializedRowCommitVersionColumnName"
    ICT_ENABLEMENT_VERSION: Final = "delta.inCommitTimestampEnablementVersion"
    ICT_ENABLEMENT_TIMESTAMP: Final = "delta.inCommitTimestampEnablementTimestamp"
    PROTECTED_BEFORE: Final = "delta.requireCheckpointProtectionBeforeVersion"
    TABLE_COMMENT: Final = "comment"
    """Spark's name for what Delta keeps as the description of the metadata."""
    CHECKPOINT_INTERVAL: Final = "delta.checkpointInterval"
    ROW_TRACKING: Final = "delta.enableRowTracking"
    FORMATS: Final = "delta.universalFormat.enabledFormats"
    IN_COMMIT_TIMESTAMPS: Final = "delta.enableInCommitTimestamps"
    STATISTICS_COLUMNS: Final = "delta.dataSkippingStatsColumns"


_FREE: Final = (Key.CONSTRAINT_PREFIX, Key.FEATURE_PREFIX, Key.UNIVERSAL_FORMAT_PREFIX)

_LONG = "needs to be a long."
_INTERVAL = (
    "needs to be provided as a calendar interval such as '2 weeks'. Months and years are not "
    "accepted. You may specify '365 days' for a year instead."
)


@dataclass(frozen=True)
class Property:
    """
    One property. *check* raises `RefusedError` for a value that Delta would not store.

    `default` is None where the property has none; `alternates` are older keys that are read
    when this one is absent.
    """

    key: str
    check: Callable[[Property, str], object]
    default: str | None = None
    help: str = ""
    editable: bool = True
    alternates: tuple[str, ...] = ()

    def validate(self, value: str) -> None:
        """Raise `RefusedError` unless a user may set this property to *value*."""
        if not self.editable:
            raise RefusedError(
                f"The property {self.key} cannot be set by a user.",
                remedy="Delta maintains it; leave it out.",
                delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
            )
        self.check(self, value)


def boolean(key: str, value: str) -> bool:
    """*value* as Scala's `toBoolean` reads it: true or false in any case, nothing else."""
    word = value.lower()
    if word not in ("true", "false"):
        raise IllegalArgumentError(
            f"The value {value!r} of {key} is neither true nor false.",
            remedy=f"Set {key} to true or false.",
        )
    return word == "true"


def is_true(configuration: Mapping[str, str], key: str) -> bool:
    """
    Whether the boolean property *key* is on, its alternates and default considered.

    Raises `RefusedError` where its value is no boolean, as Delta does when it evaluates it.
    """
    known = PROPERTIES.get(key.lower())
    # The newer key counts where both are there.
    for name in (known.key, *known.alternates) if known else (key,):
        if name in configuration:
            return boolean(name, configuration[name])
    return known is not None and known.default == "true"


def switch(configuration: Mapping[str, str], key: str) -> bool | None:
    """Like `is_true`, and None where the value is no boolean."""
    try:
        return is_true(configuration, key)
    except RefusedError:
        return None


def _boolean(known: Property, value: str) -> None:
    boolean(known.key, value)


def _invalid(known: Property, value: str) -> IllegalArgumentError:
    accepted = known.help.strip().rstrip(".") or "does not accept it"
    hint = f"The default is {known.default!r}." if known.default else ""
    if known.key in (Key.MIN_READER_VERSION, Key.MIN_WRITER_VERSION):
        # Delta's default is the highest, which no table has by default.
        hint = "What was added since is a table feature, for `deltaadm enable-feature`."
    return IllegalArgumentError(
        f"The value {value!r} is not accepted: {known.key} {accepted}.", remedy=hint
    )


_LONG_DIGITS = 19


LONG: Final = 1 << 63
INT: Final = 1 << 31
"""The least whole numbers that Java's long and int do not hold."""


def whole_number(text: str, limit: int = LONG) -> int | None:
    """
    *text* as Java reads a long: digits of any script, perhaps after a sign; else None.

    With *limit* `INT` as it reads an int, which fails for greater numbers.

    >>> whole_number("+07"), whole_number("٣"), whole_number("1e3"), whole_number("9" * 5000)
    (7, 3, None, None)
    """
    digits = text[1:] if text.startswith(("+", "-")) else text
    # Java reads digits of 16 bits alone.
    if not digits.isdecimal() or max(digits) > "\uffff":
        return None
    significant = digits.lstrip("0") or "0"
    if len(significant) > _LONG_DIGITS:
        return None
    number = -int(significant) if text.startswith("-") else int(significant)
    return number if -limit <= number < limit else None


def checkpoint_interval(configuration: Mapping[str, str]) -> int:
    """The number of commits after which Delta writes a checkpoint, by default 10."""
    stored = whole_number(configuration.get(Key.CHECKPOINT_INTERVAL, "").strip())
    return stored if stored is not None and stored > 0 else 10


def _accepting(fits: Callable[[str], object]) -> Callable[[Property, str], None]:
    def check(known: Property, value: str) -> None:
        if not fits(value):
            raise _invalid(known, value)

    return check


def _integer(*, at_least: int, limit: int = INT) -> Callable[[Property, str], None]:
    def fits(value: str) -> bool:
        number = whole_number(value, limit)
        return number is not None and number >= at_least

    return _accepting(fits)


def _matching(pattern: str) -> Callable[[Property, str], None]:
    return _accepting(lambda value: re.fullmatch(pattern, value, re.ASCII))


_UNITS: Final = {
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "microsecond": 1,
    "millisecond": 1_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "week": 7 * 86_400_000_000,
}
_MONTHS: Final = {"month": 1, "year": 12}
_TERM: Final = r"\s*+([+-]?)\s*+(?=\.?[0-9])([0-9]*)(\.[0-9]{0,9})?\s+([a-z]+)(?!\S)"


def interval_microseconds(text: str) -> int | None:
    """
    The length of an interval as Spark reads it, or None where it has months or years.

    Raises `RefusedError` for what is no interval.

    >>> interval_microseconds("interval 1 week") // 86_400_000_000
    7
    """
    if not text.strip():
        raise RefusedError(
            "An interval cannot be empty.",
            remedy="For example: 'interval 30 days'.",
            delta_error_class="DELTA_INVALID_CALENDAR_INTERVAL_EMPTY",
        )
    rest = re.sub(r"^interval\s+", "", text.strip().lower())
    if not re.fullmatch(rf"(?:{_TERM})*\s*", rest):
        raise _no_interval(text)
    total, months = 0, 0
    for minus, whole, fraction, units in re.findall(_TERM, rest):
        unit = units.removesuffix("s")
        if unit not in {**_UNITS, **_MONTHS} or (fraction and unit != "second"):
            raise _no_interval(text)
        sign, count = -1 if minus == "-" else 1, int(whole[:20] or 0)
        # Spark cuts off what is below a microsecond.
        microseconds = int((fraction or ".")[1:7].ljust(6, "0"))
        total += sign * (count * _UNITS.get(unit, 0) + microseconds)
        months += sign * count * _MONTHS.get(unit, 0)
    if not -(2**63) <= total < 2**63:
        raise _no_interval(text)
    return None if months else total


def kept_for(interval: str) -> float:
    """For how many microseconds something is kept; infinite where Delta cannot read *interval*."""
    try:
        length = interval_microseconds(interval)
    except RefusedError:
        return inf
    return inf if length is None else length


_SHORT_UNITS: Final = {
    "w": "week", "wk": "week", "d": "day", "h": "hour", "hr": "hour", "m": "minute",
    "min": "minute", "s": "second", "sec": "second", "ms": "millisecond",
    **{unit: unit for unit in _UNITS},
}  # fmt: skip
_ISO_DURATION: Final = r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?"


def spark_values(properties: Mapping[str, str]) -> dict[str, str]:
    """
    *properties* with the durations and sizes that people write as Spark reads them.

    Raises `RefusedError` for a size with a unit that there is not.

    >>> spark_values({"delta.logRetentionDuration": "7d", "team": "7d"})
    {'delta.logRetentionDuration': 'interval 7 days', 'team': '7d'}
    """
    values = dict(properties)
    for key, value in properties.items():
        known = PROPERTIES.get(key.lower())
        if known is not None and known.check is _interval:
            values[key] = spark_interval(value)
        elif _is_size(key):
            values[key] = spark_size(value)
    return values


def _is_size(key: str) -> bool:
    """Whether the values of the property *key* are sizes; none of Delta Spark's own is one."""
    known = None if key.lower() in PROPERTIES else foreign(key)
    return known is not None and known.is_size


def spark_interval(text: str) -> str:
    """
    The duration *text* as Spark writes it, or itself if it is none that people write.

    >>> spark_interval("1d12h"), spark_interval("PT90M"), spark_interval("2 weeks")
    ('interval 1 days 12 hours', 'interval 90 minutes', '2 weeks')
    """
    plain = text.strip()
    if (iso := re.fullmatch(_ISO_DURATION, plain)) and any(iso.groups()):
        units = ("week", "day", "hour", "minute", "second")
        terms = [pair for pair in zip(iso.groups(), units, strict=True) if pair[0]]
    else:
        if not re.fullmatch(r"(?:\d+[a-z]+)+", plain.lower()):
            return text
        parts = re.findall(r"(\d+)([a-z]+)", plain.lower())
        terms = [
            (count, _SHORT_UNITS.get(unit) or _SHORT_UNITS.get(unit.removesuffix("s"), ""))
            for count, unit in parts
        ]
        if not all(unit for _, unit in terms):
            return text
    return f"interval {' '.join(f'{count} {unit}s' for count, unit in terms)}"


def spark_size(text: str) -> str:
    """
    The size *text*, in powers of 1024, in a form that Spark reads.

    Raises `RefusedError` for what is no size.

    >>> spark_size("256mb"), spark_size("1 GiB"), spark_size("134217728 bytes")
    ('256mb', '1g', '134217728b')
    """
    if re.fullmatch(r"\d+(b|[kmgtp]b?)?", text):
        return text
    form = r"(\d{1,15})\s*(?:(b|byte|bytes)?|([kmgtp])(?:i?b)?)"
    match = re.fullmatch(form, text.strip().lower())
    if match is None:
        raise RefusedError(
            f"{text!r} is not a size in whole numbers.",
            remedy="For example: 256mb, '1 GiB' or 134217728.",
        )
    return f"{match[1]}{match[3] or 'b'}"


def size_in_bytes(key: str, text: str) -> int | None:
    """
    The size *text* in bytes; None for what is no size, and for properties that are none.

    >>> size_in_bytes("delta.targetFileSize", "1 KiB"), size_in_bytes("team", "1 KiB")
    (1024, None)
    """
    if not _is_size(key):
        return None
    try:
        plain = spark_size(text)
    except RefusedError:
        return None
    number = plain.rstrip("bkmgtp")
    unit = plain[len(number) :][:1] or "b"
    return int(number) << 10 * "bkmgtp".index(unit)


def _no_interval(text: str) -> RefusedError:
    return RefusedError(
        f"{text!r} is not an interval.",
        remedy="For example: 'interval 30 days', '12 hours' or 7d.",
        delta_error_class="DELTA_INVALID_INTERVAL",
    )


def _interval(known: Property, value: str) -> None:
    length = interval_microseconds(value)
    if length is None or length < 0:
        raise _invalid(known, value)


def mapping_mode_called(name: str) -> str:
    """The column mapping mode of this *name* in any case; raises `RefusedError` for no mode."""
    # No error class: Delta throws a ColumnMappingUnsupportedException.
    if name.lower() not in ("none", "name", "id"):
        raise RefusedError(
            f"Unknown column mapping mode {name!r}.", remedy="Valid modes are none, name and id."
        )
    return name.lower()


def _isolation_level(known: Property, value: str) -> None:
    if value.lower() not in ("serializable", "writeserializable", "snapshotisolation"):
        raise RefusedError(
            f"Unknown isolation level {value!r}.",
            remedy="Delta Lake accepts only Serializable.",
            delta_error_class="DELTA_INVALID_ISOLATION_LEVEL",
        )
    if value.lower() != "serializable":
        raise _invalid(known, value)


def _json_map(known: Property, value: str) -> None:
    try:
        parsed = load_json(value)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise RefusedError(
            f"The value {value!r} of {known.key} is not a JSON object.",
            remedy="Write a JSON object whose values are strings.",
        )


_BLANK: Final = r"(?:\s|--[^\r\n]*+|/\*.*?\*/)*"
# To Spark's lexer a name may begin with a digit, but digits alone are a number.
_COLUMN_NAME: Final = r"(?:`((?:[^`]|``)*)`|((?!\d+(?![A-Za-z0-9_]))[A-Za-z0-9_]+))"


def column_list(text: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """
    The column paths in a list, and whether Delta takes it.

    Delta reads as much as it can: what follows the last path does not count unless it is a comma
    or a dash, after which another name has to come.

    >>> column_list("a, `b`.c d"), column_list("a,,b")
    (((('a',), ('b', 'c')), True), ((('a',),), False))
    """
    name = _BLANK + _COLUMN_NAME + _BLANK
    path = re.compile(rf"{name}(?:\.{name})*", re.DOTALL)
    dash = re.compile(rf"-{_BLANK}{_COLUMN_NAME}", re.DOTALL)
    paths: list[tuple[str, ...]] = []
    position = 0
    while (match := path.match(text, position)) is not None:
        position = match.end()
        if dash.match(text, position):
            break
        parts = re.findall(name, match[0], re.DOTALL)
        paths.append(tuple(plain or quoted.replace("``", "`") for quoted, plain in parts))
        if text[position : position + 1] != ",":
            return tuple(paths), True
        position += 1
    return tuple(paths), False


def _known(
    name: str,
    check: Callable[[Property, str], object] = lambda _known, _value: None,
    default: str | None = None,
    text: str = "",
    *alternates: str,
    editable: bool = True,
) -> Property:
    return Property(f"delta.{name}", check, default, text, editable, alternates)


def _switch(name: str, default: str | None = "false", *alternates: str) -> Property:
    return _known(name, _boolean, default, "needs to be a boolean.", *alternates)


def _duration(name: str, default: str | None) -> Property:
    return _known(name, _interval, default, _INTERVAL)


_ALL = (
    _switch("appendOnly"),
    _switch("autoOptimize", None),
    _known("autoOptimize.autoCompact", _boolean, None, "needs to be one of: true, false."),
    _switch("autoOptimize.optimizeWrite", None),
    _known("castIcebergTimeType", _boolean, "false", "casts Iceberg TIME to long."),
    _switch("checkpoint.writeStatsAsJson", "true"),
    _switch("checkpoint.writeStatsAsStruct", "true"),
    _known("checkpointInterval", _integer(at_least=1), "10", "needs to be a positive integer."),
    _known("checkpointPolicy", _matching("classic|v2"), "classic",
           "can be one of the following: classic, v2."),
    _duration("checkpointRetentionDuration", "interval 2 days"),
    _known("columnMapping.maxColumnId", _integer(at_least=0, limit=LONG), "0", editable=False),
    _known("columnMapping.mode", lambda _, value: mapping_mode_called(value), "none",
           "is none, name or id."),
    _switch("compatibility.symlinkFormatManifest.enabled"),
    _known("coordinatedCommits.commitCoordinator-preview", text="names a commit coordinator."),
    _known("coordinatedCommits.commitCoordinatorConf-preview", _json_map, None,
           "is a JSON object."),
    _known("coordinatedCommits.tableConf-preview", _json_map, None, "is a JSON object."),
    _known("dataSkippingNumIndexedCols", _integer(at_least=-1), "32",
           "needs to be larger than or equal to -1."),
    _known("dataSkippingStatsColumns",
           _accepting(lambda value: not value.strip() or column_list(value)[1]), None,
           "is a list of column names."),
    _known("dataSkippingStringPrefixLength", _integer(at_least=0), None,
           "needs to be greater or equal to zero."),
    _duration("deletedFileRetentionDuration", "interval 1 week"),
    _duration("dropFeatureTruncateHistory.retentionDuration", "interval 24 hours"),
    _switch("enableChangeDataCapture"),
    _switch("enableChangeDataFeed", "false", "delta.enableChangeDataCapture"),
    _switch("enableDeletionVectors"),
    _switch("enableExpiredLogCleanup", "true"),
    _switch("enableFullRetentionRollback", "true"),
    _switch("enableIcebergCompatV1", None),
    _switch("enableIcebergCompatV2", None),
    _switch("enableIcebergCompatV3", None),
    _switch("enableInCommitTimestamps"),
    _switch("enableMaterializePartitionColumnsFeature", None),
    _switch("enableRowTracking"),
    _switch("enableTypeWidening"),
    _switch("enableVariantShredding"),
    _known("ignoreIcebergBucketPartition", _boolean, "false", "ignores Iceberg's buckets."),
    _switch("ignoreProtocolDefaults"),
    _known("inCommitTimestampEnablementTimestamp", _integer(at_least=-LONG, limit=LONG), None,
           _LONG),
    _known("inCommitTimestampEnablementVersion", _integer(at_least=-LONG, limit=LONG), None,
           _LONG),
    _known("isolationLevel", _isolation_level, "Serializable", "must be Serializable."),
    _duration("logRetentionDuration", "interval 30 days"),
    _known("minReaderVersion", _integer(at_least=1, limit=4), "3", "needs to be one of 1, 2, 3."),
    _known("minWriterVersion", _integer(at_least=1, limit=8), "7",
           "needs to be one of 1, 2, 3, 4, 5, 6, 7."),
    _known("parquet.format.version", _matching(r"[1-9]\d*\.\d+\.\d+([-+].*)?"), "1.0.0",
           "needs to be a valid Parquet format version (1.0.0, 2.12.0)."),
    _switch("randomizeFilePrefixes"),
    _known("randomPrefixLength", _integer(at_least=1), "2", "needs to be greater than 0."),
    _known("redirectReaderWriter-preview", text="is a redirect configuration in JSON."),
    _known("redirectWriterOnly-preview", text="is a redirect configuration in JSON."),
    _known("requireCheckpointProtectionBeforeVersion", _integer(at_least=0, limit=LONG), "0",
           "needs to be greater or equal to zero."),
    _switch("rowTrackingSuspended"),
    _duration("sampleRetentionDuration", "interval 7 days"),
    _duration("setTransactionRetentionDuration", None),
    _known("universalFormat.enabledFormats", _matching("((hudi|iceberg)(,(hudi|iceberg))*)?"), "",
           "must be a comma-separated list of formats from the list: {hudi,iceberg}."),
    _switch("universalFormat.iceberg.atomicConversion.supported"),
    _switch("writePartitionColumnsToParquet", None),
)  # fmt: skip

PROPERTIES: Final[Mapping[str, Property]] = {entry.key.lower(): entry for entry in _ALL}
"""Every property by its key in lower case."""


def is_registered(key: str) -> bool:
    """Whether any engine is known to define *key*, ignoring case."""
    lower = key.lower()
    return lower in PROPERTIES or lower.startswith(_FREE) or foreign(lower) is not None


def similar_property(key: str) -> str:
    """A sentence that suggests known properties like *key*; empty where none is."""
    return did_you_mean(
        key, [*(entry.key for entry in _ALL), *(entry.key for entry in FOREIGN.values())]
    )


def portable(known: Property, value: str) -> str:
    """
    *value*, which Delta Spark accepts, as every other client reads it too.

    delta-kernel-rs and delta-rs take `true` and `false` in lower case only, and intervals only
    as the word, one number and one unit (`table_properties/deserialize.rs`).

    >>> portable(PROPERTIES["delta.logretentionduration"], "1 days 12 hours")
    'interval 36 hours'
    """
    if known.check is _boolean:
        return value.lower()
    plain = rf"interval [0-9]+ ({'|'.join(_UNITS)})s?"
    if known.check is not _interval or re.fullmatch(plain, value):
        return value
    length = interval_microseconds(value) or 0
    unit = max((unit for unit in _UNITS if not length % _UNITS[unit]), key=_UNITS.__getitem__)
    return f"interval {length // _UNITS[unit]} {unit}s"


def is_protocol_property(key: str) -> bool:
    """Whether *key* steers the protocol and must therefore never be stored in the metadata."""
    return key.startswith(Key.FEATURE_PREFIX) or key in (
        Key.MIN_READER_VERSION,
        Key.MIN_WRITER_VERSION,
        Key.IGNORE_PROTOCOL_DEFAULTS,
    )


def normalized_key(key: str) -> str:
    """*key* in the registry's spelling; free families in lower case; unknown keys as they are."""
    lower = key.lower()
    if lower.startswith((Key.FEATURE_PREFIX, Key.UNIVERSAL_FORMAT_PREFIX)):
        return lower
    known = PROPERTIES.get(lower)
    return known.key if known else key


def unset_key(key: str) -> str:
    """
    The key that UNSET removes when it is given *key*.

    Delta stores `delta.universalFormat.config.…` in lower case, and does not look for it so.
    """
    lower = key.lower()
    return key if lower.startswith(Key.UNIVERSAL_FORMAT_PREFIX) else normalized_key(key)


def validated(configuration: Mapping[str, str], *, allow_arbitrary: bool = False) -> dict[str, str]:
    """
    The properties as Delta would take them from a user, keys in the registry's spelling.

    Raises `RefusedError` for an unknown `delta.` key (unless *allow_arbitrary*), a bad value, or a
    key that is not for users. Source: `DeltaConfigsBase.validateConfigurations`.
    """
    taken: dict[str, str] = {}
    for key, value in configuration.items():
        lower = key.lower()
        known = PROPERTIES.get(lower)
        if known is not None:
            known.validate(value)
        elif lower.startswith("delta.") and not lower.startswith(_FREE) and not allow_arbitrary:
            if other := foreign(key):
                raise RefusedError(
                    f"Delta Spark does not know {key!r}; {other.engine} does ({other.source}).",
                    remedy="Set it there, or allow Spark to store any key: --spark-conf "
                    "spark.databricks.delta.allowArbitraryProperties.enabled=true.",
                    delta_error_class="DELTA_UNKNOWN_CONFIGURATION",
                )
            raise UnknownNameError(
                f"There is no Delta property named {key!r}.",
                remedy=similar_property(key)
                or "The properties page of the documentation lists them all.",
                delta_error_class="DELTA_UNKNOWN_CONFIGURATION",
            )
        taken[normalized_key(key)] = value
    return taken


# What engines other than Delta Spark 4.4 know of table properties: keys, and values of shared keys.
# Each entry says which engine that is, and where it is said. Nothing here makes Delta Spark accept
# anything; it only tells a property of another engine from a mistake.


@dataclass(frozen=True)
class ForeignProperty:
    """
    A property as `engine` knows it, according to `source`.

    A key that ends with a dot stands for all that begin with it. `values` are the words, in lower
    case, of which the engine takes one or a list with commas; empty where Delta Spark does not know
    the key, so that any value is the engine's own affair, except that one that `is_size` is bytes.
    One that is `kept` the engine writes by itself.
    """

    key: str
    engine: str
    source: str
    values: tuple[str, ...] = ()
    is_size: bool = False
    kept: bool = False

    def takes(self, value: str) -> bool:
        """Whether the engine takes *value*."""
        words = {word.strip().lower() for word in value.split(",")}
        return not self.values or words <= set(self.values)


_DATABRICKS: Final = "Databricks"
_FABRIC: Final = "Microsoft Fabric"
_TABLE_PROPERTIES: Final = "docs.databricks.com, Table properties reference"
_COMPATIBILITY_MODE: Final = "docs.databricks.com, Compatibility Mode"
_SHOWN: Final = "SHOW CREATE TABLE and DESCRIBE TABLE EXTENDED of Databricks in public repositories"
_VORDER: Final = "learn.microsoft.com, Delta Lake table optimization and V-Order"

_ALL_FOREIGN: Final = (
    ForeignProperty("delta.autoOptimize.autoCompact", _DATABRICKS,
        "docs.databricks.com, Configure Delta Lake to control data file size",
        ("auto", "legacy", "true", "false")),
    ForeignProperty("delta.isolationLevel", _DATABRICKS,
        "docs.databricks.com, Isolation levels (WriteSerializable and Serializable)",
        ("serializable", "writeserializable")),
    ForeignProperty("delta.universalFormat.enabledFormats", _DATABRICKS, _COMPATIBILITY_MODE,
        ("compatibility", "hudi", "iceberg")),
    ForeignProperty("delta.universalFormat.compatibility.", _DATABRICKS, _COMPATIBILITY_MODE),
    ForeignProperty("delta.workloadBasedColumns.", _DATABRICKS, _SHOWN, kept=True),
    ForeignProperty("delta.parquet.format.version.afe.internal", _DATABRICKS, _SHOWN, kept=True),
    ForeignProperty("delta.liquid.clusteringColumns", _DATABRICKS,
        "tables of Databricks Runtime 13.2 in delta-io/delta-rs", kept=True),
    ForeignProperty("delta.targetFileSize", _DATABRICKS, _TABLE_PROPERTIES, is_size=True),
    ForeignProperty("delta.tuneFileSizesForRewrites", _DATABRICKS, _TABLE_PROPERTIES),
    ForeignProperty("delta.parquet.vorder.", _FABRIC, _VORDER),
    ForeignProperty("delta.stats.extended.", _FABRIC,
        "learn.microsoft.com, Configure and manage automated table statistics in Fabric Spark"),
    ForeignProperty("delta.targetFileSize.adaptive", _FABRIC,
        "MicrosoftDocs/fabric-docs, DESCRIBE DETAIL of tables"),
    ForeignProperty("delta.lastCommitTimestamp", "Unity Catalog", "unitycatalog/unitycatalog",
        kept=True),
    ForeignProperty("delta.lastUpdateVersion", "Unity Catalog", "unitycatalog/unitycatalog",
        kept=True),
    ForeignProperty("delta.enableIcebergWriterCompatV1", "Delta Kernel for Java",
        "protocol_rfcs/iceberg-writer-compat-v1.md"),
    ForeignProperty("delta.enableIcebergWriterCompatV3", "Delta Kernel for Java",
        "delta-io/delta, TableFeatures.java"),
    ForeignProperty("delta.columnMapping.hasDroppedOrRenamed", "a draft of the protocol",
        "protocol_rfcs/column-mapping-usage-tracking.md"),
    ForeignProperty("delta.parquet.compression.codec", "the protocol",
        "PROTOCOL.md, Table Properties"),
    ForeignProperty("delta.rowTracking.materializedRowCommitVersionColumnName", "the protocol",
        "PROTOCOL.md, Row Tracking"),
    ForeignProperty("delta.rowTracking.materializedRowIdColumnName", "the protocol",
        "PROTOCOL.md, Row Tracking"),
)  # fmt: skip

FOREIGN: Final[Mapping[str, ForeignProperty]] = {entry.key.lower(): entry for entry in _ALL_FOREIGN}
"""Every entry by its key in lower case; those that end with a dot are families."""


def foreign(key: str) -> ForeignProperty | None:
    """
    Return what another engine defines for *key*, ignoring case; None if none is known to.

    >>> foreign("delta.parquet.vorder.enabled").engine
    'Microsoft Fabric'
    """
    lower = key.lower()
    if lower in FOREIGN:
        return FOREIGN[lower]
    families = (entry for prefix, entry in FOREIGN.items() if prefix.endswith("."))
    return next((entry for entry in families if lower.startswith(entry.key.lower())), None)


def foreign_value(key: str, value: str) -> ForeignProperty | None:
    """The engine that takes *value* for *key*; None where nobody is known to."""
    known = foreign(key)
    return known if known is not None and known.takes(value) else None
