"""
`Protocol`, the action that says which clients may read and write a table, and its algebra; and the
few Spark settings that change what Delta commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from deltaadm.dataclass import dataclass, field, replace
from deltaadm.domain.features import FEATURES, LEGACY, REFERENCE, TableFeature, with_requirements
from deltaadm.domain.properties import INT, Key, boolean, is_protocol_property, whole_number
from deltaadm.domain.wire import Loggable, Metadata, MetadataKey
from deltaadm.errors import DeltaadmError, IllegalArgumentError, RefusedError, did_you_mean
from deltaadm.json_values import STRINGS, Json, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Final, Self

    from deltaadm.domain.wire import Int32


# Settings of a session


DEFAULTS_PREFIX: Final = "spark.databricks.delta.properties.defaults."


@dataclass(frozen=True, kw_only=True)
class SessionSettings:
    """
    The settings that a plan depends on; the defaults are those of Delta Spark 4.4.

    `property_defaults` are the `spark.databricks.delta.properties.defaults.*` settings by the
    rest of their key; Delta applies them to new tables only.
    """

    property_defaults: Mapping[str, str] = field(default_factory=dict)
    allow_arbitrary_properties: bool = False
    allow_column_mapping_removal: bool = True
    strip_column_mapping_metadata: bool = True
    bypass_location_schema_check: bool = False

    @classmethod
    def from_conf(cls, conf: Mapping[str, str]) -> Self:
        """The settings in a Spark configuration; `RefusedError` for a flag that is no boolean."""
        defaults = {
            key.removeprefix(DEFAULTS_PREFIX): value
            for key, value in conf.items()
            if key.startswith(DEFAULTS_PREFIX)
        }
        known = {key: attribute for key, attribute in FLAGS.items() if key in conf}
        flags = {attribute: boolean(key, conf[key].strip()) for key, attribute in known.items()}
        return cls(property_defaults=defaults, **flags)

    def to_conf(self) -> dict[str, str]:
        """The same settings as Spark configuration; every one is said, defaults included."""
        flags = {key: str(getattr(self, attribute)).lower() for key, attribute in FLAGS.items()}
        defaults = self.property_defaults.items()
        return {DEFAULTS_PREFIX + key: value for key, value in defaults} | flags


FLAGS: Final[Mapping[str, str]] = {
    "spark.databricks.delta.allowArbitraryProperties.enabled": "allow_arbitrary_properties",
    "spark.databricks.delta.columnMapping.allowRemoval": "allow_column_mapping_removal",
    "spark.databricks.delta.columnMapping.stripMetadata": "strip_column_mapping_metadata",
    "spark.databricks.delta.alterLocation.bypassSchemaCheck": "bypass_location_schema_check",
}


# The protocol


CATALOG_MANAGED: Final = ("catalogManaged", "catalogOwned-preview")
"""The features of tables whose newest commits their catalog knows alone."""

READER_FEATURES_VERSION: Final = 3
"""From this reader version on, a protocol lists its reader features."""
WRITER_FEATURES_VERSION: Final = 7
"""From this writer version on, a protocol lists its writer features."""


@dataclass(frozen=True, slots=True)
class Protocol(Loggable):
    """
    The versions and features a client must support (PROTOCOL.md, Protocol Evolution).

    Holds whatever a log can contain; a missing list (None) differs from an empty one. The
    operations raise `RefusedError` on a malformed protocol, and on one with a feature that Delta
    Spark does not know wherever the result would lose it.

    >>> Protocol(1, 2).merge(Protocol(2, 5))
    Protocol(min_reader_version=2, min_writer_version=5, reader_features=None, writer_features=None)
    >>> Protocol.apply(3, 7).with_features(["appendOnly", "invariants"]).normalized().simple_string
    '1,2'
    >>> Protocol(1, 2).denormalized().simple_string
    '1,7,None,[appendOnly,invariants]'
    """

    min_reader_version: Int32 = 0
    min_writer_version: Int32 = 0
    reader_features: frozenset[str] | None = None
    writer_features: frozenset[str] | None = None

    NAME: ClassVar[str] = "protocol"

    @classmethod
    def apply(
        cls,
        min_reader_version: int = READER_FEATURES_VERSION,
        min_writer_version: int = WRITER_FEATURES_VERSION,
    ) -> Self:
        """
        A protocol with empty feature lists wherever its versions have lists.

        The defaults are the highest versions; very old descriptions say (1, 3).
        """
        return cls(
            min_reader_version,
            min_writer_version,
            frozenset() if min_reader_version >= READER_FEATURES_VERSION else None,
            frozenset() if min_writer_version >= WRITER_FEATURES_VERSION else None,
        )

    @property
    def supports_reader_features(self) -> bool:
        """Whether the reader version is one that lists features."""
        return self.min_reader_version >= READER_FEATURES_VERSION

    @property
    def supports_writer_features(self) -> bool:
        """Whether the writer version is one that lists features."""
        return self.min_writer_version >= WRITER_FEATURES_VERSION

    @property
    def malformation(self) -> RefusedError | None:
        """Why Delta would refuse even to hold this protocol; None for a well-formed one."""
        sides = (
            ("reader", READER_FEATURES_VERSION, self.min_reader_version, self.reader_features),
            ("writer", WRITER_FEATURES_VERSION, self.min_writer_version, self.writer_features),
        )
        for side, with_list, version, names in sides:
            if (version >= with_list) != (names is not None):
                return IllegalArgumentError(
                    f"The protocol is malformed: min{side.title()}Version is {version} and it has "
                    f"{'no ' if names is None else ''}{side}Features.",
                    remedy="Only reader version 3 and writer version 7 have lists of features.",
                )
        if self.supports_reader_features and not self.supports_writer_features:
            return RefusedError(
                f"A protocol with reader version {self.min_reader_version} needs writer version "
                f"{WRITER_FEATURES_VERSION}; this one has {self.min_writer_version}.",
                remedy=f"Request writer version {WRITER_FEATURES_VERSION} as well.",
                delta_error_class="DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
            )
        return None

    @property
    def versions(self) -> dict[str, str]:
        """Its versions in words, by their places."""
        return {
            "protocol.minReaderVersion": f"reader version {self.min_reader_version}",
            "protocol.minWriterVersion": f"writer version {self.min_writer_version}",
        }

    def checked(self) -> Self:
        """The same protocol; raises `RefusedError` if it is malformed."""
        problem = self.malformation
        if problem is not None:
            raise problem
        return self

    @property
    def explicit_names(self) -> frozenset[str]:
        """The names in both lists, spelled as the log has them."""
        return (self.reader_features or frozenset()) | (self.writer_features or frozenset())

    @property
    def explicit_features(self) -> frozenset[str]:
        """The listed features that Delta Spark knows, in the registry's spelling."""
        return _known(self.explicit_names)

    @property
    def implicit_features(self) -> frozenset[str]:
        """The legacy features that the versions imply; empty as soon as there is a list."""
        if self.supports_reader_features or self.supports_writer_features:
            return frozenset()
        return _implied(self.min_reader_version, self.min_writer_version)

    @property
    def names(self) -> frozenset[str]:
        """The implied features, and all names in the lists, spelled as the log has them."""
        return self.implicit_features | self.explicit_names

    @property
    def supported_features(self) -> frozenset[str]:
        """Implicit and explicit features that Delta Spark knows, in the registry's spelling."""
        return self.implicit_features | self.explicit_features

    @property
    def unknown_features(self) -> frozenset[str]:
        """Listed names that Delta Spark does not know, as the log spells them."""
        return frozenset(name for name in self.explicit_names if not _known(frozenset((name,))))

    def supports(self, feature: str) -> bool:
        """Whether *feature* is supported, explicitly or through a legacy version."""
        if feature in self.implicit_features:
            return True
        names = self.explicit_names
        return feature in names or feature in _known(names)

    @property
    def is_catalog_managed(self) -> bool:
        """Whether a catalog manages the table's commits."""
        return any(map(self.supports, CATALOG_MANAGED))

    def with_features(self, features: Iterable[str]) -> Self:
        """The protocol with *features* and all they require; `RefusedError` for low versions."""
        result = self.checked()
        for name in features:
            result = result.with_feature(name)
        return result

    def with_feature(self, feature: str) -> Self:
        """
        The same protocol with *feature* and all it requires (`withFeature`).

        A list takes the feature where there is one; a legacy version that covers it needs no
        change.
        """
        entry = TableFeature.find(feature)
        result = self.checked().with_features(entry.requires)
        reader, writer = entry.versions
        if not result.supports_reader_features and reader > result.min_reader_version:
            raise _too_low(entry, "reader", result.min_reader_version, reader)
        if not result.supports_writer_features and writer > result.min_writer_version:
            raise _too_low(entry, "writer", result.min_writer_version, writer)
        for_readers = [entry.name] if entry.is_reader else []
        return replace(
            result,
            reader_features=_with_names(result.reader_features, *for_readers),
            writer_features=_with_names(result.writer_features, entry.name),
            extra={},
        )

    def without_feature(self, feature: str) -> Self:
        """The weakest protocol without *feature* (`removeFeature`); `RefusedError` if it stays."""
        entry = TableFeature.find(feature)
        if entry.removal is None:
            raise IllegalArgumentError(
                f"The table feature {entry.name} cannot be dropped.",
                remedy="Copy the table without it (CREATE TABLE … AS SELECT).",
            )
        listed = self.denormalized()
        return replace(
            listed,
            reader_features=_without_name(listed.reader_features, entry.name),
            writer_features=_without_name(listed.writer_features, entry.name),
            extra={},
        ).normalized()

    def normalized(self) -> Self:
        """The weakest protocol with the same features; one without lists is returned as it is."""
        if not self.checked().supports_writer_features:
            return self
        features = self.supported_features
        weakest = type(self).apply(*minimum_required_versions(features))
        if weakest.supported_features != features:
            listed = type(self).apply(weakest.min_reader_version, WRITER_FEATURES_VERSION)
            weakest = listed.with_features(sorted(features))
        # Delta would drop them; nothing is lost here.
        unknown = self.unknown_features
        if unknown:
            raise RefusedError(
                "The table's protocol lists features that Delta Spark does not know and would "
                f"remove: {', '.join(sorted(unknown))}.",
                remedy="Change the protocol with the client that added them.",
                delta_error_class="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            )
        return weakest

    def denormalized(self) -> Self:
        """The same protocol with every implied feature listed, at writer version 7."""
        if self.checked().supports_writer_features:
            return self
        features = self.implicit_features
        reader, _ = minimum_required_versions(features)
        return type(self).apply(reader, WRITER_FEATURES_VERSION).with_features(sorted(features))

    def denormalized_normalized(self) -> Self:
        """The lowest equivalent protocol: (2, 3) is (1, 3), and (3, 7) without features (1, 1)."""
        return self.denormalized().normalized()

    def merge(self, *others: Protocol) -> Self:
        """
        The lowest protocol that supports what this one and *others* do.

        The order does not matter. As in Delta the highest versions count before features do:
        (1, 5) and (2, 1) give (2, 5), with the column mapping that neither has.
        """
        every: tuple[Protocol, ...] = (self, *others)
        for protocol in every:
            protocol.checked()
        merged = type(self).apply(
            max(protocol.min_reader_version for protocol in every),
            max(protocol.min_writer_version for protocol in every),
        )
        readers = (name for protocol in every for name in protocol.reader_features or ())
        writers = (name for protocol in every for name in protocol.writer_features or ())
        listed = replace(
            merged,
            reader_features=_with_names(merged.reader_features, *readers),
            writer_features=_with_names(merged.writer_features, *writers),
        )
        implied = sorted({name for protocol in every for name in protocol.implicit_features})
        return listed.with_features(implied).denormalized_normalized()

    def can_upgrade_to(self, to: Protocol) -> bool:
        """Whether *to* supports everything this does; version numbers are not compared."""
        return (
            self.supported_features <= to.supported_features
            and self.unknown_features <= to.unknown_features
        )

    def can_downgrade_to(self, to: Protocol, dropped: str) -> bool:
        """Whether *to* is this without *dropped*; only `checkpointProtection` may be added."""
        gone = {feature.name for feature in (TableFeature.lookup(dropped),) if feature is not None}
        before = self.supported_features - gone
        after = to.supported_features
        return (
            after - before <= {"checkpointProtection"}
            and before <= after
            and not gone & after
            and self.unknown_features == to.unknown_features
        )

    @property
    def simple_string(self) -> str:
        """Versions and sorted features, as Delta logs them: `1,7,None,[…]`."""
        versions = f"{self.min_reader_version},{self.min_writer_version}"
        if not self.supports_writer_features:
            return versions
        return f"{versions},{_bracketed(self.reader_features)},{_bracketed(self.writer_features)}"

    @property
    def supported_for_read(self) -> bool:
        """Whether Delta Spark 4.4.0 can read a table with this protocol."""
        client = supported_protocol()
        return self.min_reader_version in supported_reader_version_numbers() and (
            self.reader_features or frozenset()
        ) <= (client.reader_features or frozenset())

    @property
    def supported_for_write(self) -> bool:
        """Whether Delta Spark 4.4.0 can write a table with this protocol."""
        client = supported_protocol()
        return self.min_writer_version in supported_writer_version_numbers() and (
            self.writer_features or frozenset()
        ) <= (client.writer_features or frozenset())

    @classmethod
    def minimum(cls, metadata: Metadata) -> Self:
        """The weakest protocol under which *metadata* is legal."""
        configuration = metadata.configuration
        asked = supported_features_from_table_configs(configuration)
        base = cls.apply().with_features(sorted(asked))
        features = asked | extract_automatically_enabled_features(metadata, base)
        reader, writer = protocol_versions(configuration)
        if reader is not None and writer is not None:
            # Delta lowers the reader version to 2 where the writer version has no feature lists.
            highest = reader if writer >= WRITER_FEATURES_VERSION else min(2, reader)
            features |= cls.apply(highest, writer).implicit_features
        return cls.apply().with_features(sorted(features)).normalized()

    @staticmethod
    def required_minimum_protocol(metadata: Metadata) -> tuple[Protocol, tuple[str, ...]]:
        """
        The legacy minimum (no table features), from (0, 0), and the legacy features in use.

        Today's Delta has no such function: `minimum` replaces it. Old descriptions ask
        writer version 3 for append-only tables and refuse identity columns; Delta's own versions
        are 2 and 6.
        """
        used = tuple(name for name in CLASSIC_ORDER if FEATURES[name].activation.evidence(metadata))
        versions = [FEATURES[name].versions for name in used]
        return Protocol(
            max((reader for reader, _ in versions), default=0),
            max((writer for _, writer in versions), default=0),
        ), used

    def missing_features(self, metadata: Metadata) -> Mapping[str, tuple[str, ...]]:
        """
        Return the features that *metadata* needs and this lacks, each with the evidence.

        Features that Delta Spark does not know are included. A feature whose need cannot be
        determined is left out.
        """
        return _missing_features(MetadataKey.of(metadata), self)


@lru_cache(maxsize=256)
def _known(names: frozenset[str]) -> frozenset[str]:
    """Return the features among *names* that Delta Spark knows, in the registry's spelling."""
    features = map(TableFeature.lookup, names)
    return frozenset(feature.name for feature in features if feature and feature.in_delta_spark)


@lru_cache(maxsize=256)
def _implied(reader_version: int, writer_version: int) -> frozenset[str]:
    versions = ((feature.name, *feature.versions) for feature in LEGACY)
    return frozenset(
        name
        for name, reader, writer in versions
        if reader <= reader_version and writer <= writer_version
    )


def _with_names(names: frozenset[str] | None, *more: str) -> frozenset[str] | None:
    return None if names is None else names | {*more}


def _without_name(names: frozenset[str] | None, name: str) -> frozenset[str] | None:
    return None if names is None else names - {name}


def _bracketed(names: frozenset[str] | None) -> str:
    return "None" if names is None else f"[{','.join(sorted(names))}]"


def _too_low(feature: TableFeature, side: str, current: int, needed: int) -> RefusedError:
    return RefusedError(
        f"The table feature {feature.name} needs {side} version {needed}, not {current}.",
        remedy=f"Raise the {side} version to {needed} first.",
        delta_error_class=f"DELTA_FEATURE_REQUIRES_HIGHER_{side.upper()}_VERSION",
    )


@lru_cache
def supported_protocol(exclude: tuple[str, ...] = ()) -> Protocol:
    """
    The protocol that this client supports (`Action.supportedProtocolVersion`).

    All features of Delta Spark 4.4.0, apart from *exclude*; those that only RFCs or other
    clients know count as unsupported.
    """
    names = [name for name in REFERENCE if name not in exclude]
    return Protocol(
        READER_FEATURES_VERSION,
        WRITER_FEATURES_VERSION,
        frozenset(name for name in names if REFERENCE[name].is_reader),
        frozenset(names),
    )


@cache
def supported_reader_version_numbers() -> frozenset[int]:
    """The reader versions that some supported feature has (`supportedReaderVersionNumbers`)."""
    # Features for writers alone have the reader version 0, which no table has.
    return frozenset({1, *(feature.versions[0] for feature in REFERENCE.values())} - {0})


@cache
def supported_writer_version_numbers() -> frozenset[int]:
    """The writer versions that some supported feature has (`supportedWriterVersionNumbers`)."""
    return frozenset({1, *(feature.versions[1] for feature in REFERENCE.values())} - {0})


def minimum_required_versions(features: Iterable[str]) -> tuple[int, int]:
    """The lowest (reader, writer) versions for *features*, each at least 1."""
    versions = [TableFeature.find(name).versions for name in features]
    return (
        max((reader for reader, _ in versions), default=1) or 1,
        max((writer for _, writer in versions), default=1),
    )


def protocol_versions(configuration: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The versions that properties ask for, if they do; `RefusedError` for what is no number."""
    keys = (Key.MIN_READER_VERSION, Key.MIN_WRITER_VERSION)
    asked = {key: whole_number(configuration[key], INT) for key in keys if key in configuration}
    for key, version in asked.items():
        if version is None:
            raise RefusedError(
                f"The value {configuration[key]!r} of {key} is not a number.",
                remedy="Give a version number.",
                delta_error_class="DELTA_PROTOCOL_PROPERTY_NOT_INT",
            )
    return asked.get(keys[0]), asked.get(keys[1])


def supported_features_from_table_configs(configuration: Mapping[str, str]) -> frozenset[str]:
    """
    The features that `delta.feature.<name>` entries ask for, in the registry's spelling.

    The value must be `supported` (or, deprecated, `enabled`). Raises `RefusedError` for another
    value and for names that Delta Spark does not know.
    """
    requested = {
        key[len(Key.FEATURE_PREFIX) :]: value
        for key, value in configuration.items()
        if key.startswith(Key.FEATURE_PREFIX)
    }
    for name, status in requested.items():
        if status.lower() not in ("supported", "enabled"):
            raise RefusedError(
                f"The value {status!r} of {Key.FEATURE_PREFIX}{name} is not accepted.",
                remedy="The only value is 'supported'; DROP FEATURE removes a feature.",
                delta_error_class="DELTA_UNSUPPORTED_FEATURE_STATUS",
            )
    unknown = sorted(name for name in requested if not _known(frozenset((name,))))
    if unknown:
        known = TableFeature.lookup(unknown[0])
        hint = (
            f"{known.name} is known to {known.source}, but not to Delta Spark 4.4.0."
            if known
            else did_you_mean(unknown[0], REFERENCE)
        )
        raise RefusedError(
            f"Delta Spark knows no table feature named {', '.join(unknown)}.",
            remedy=hint or "`deltaadm features` lists all known features.",
            delta_error_class="DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
        )
    return _known(frozenset(requested))


def metadata_required_features(
    metadata: Metadata, protocol: Protocol | None = None
) -> frozenset[str]:
    """
    The features that *metadata* asks for, without what they require.

    Where *protocol* has the twin of a feature (the preview of a final one, or the other way
    round), the feature itself is not asked for. Raises `RefusedError` for metadata that Delta
    refuses to judge: a property that is no boolean, a geospatial column.
    """
    present = protocol.explicit_features if protocol else frozenset()
    asked = set()
    for feature in REFERENCE.values():
        activation = feature.activation  # `metadataRequiresFeatureToBeEnabled`
        if feature.twin in present or not activation.auto_enables:
            continue
        if not activation.evidence(metadata):
            continue
        if feature.refused_when_asked:
            raise RefusedError(
                f"The table needs {feature.name}, which Delta Lake does not support yet.",
                remedy="Drop the columns that need it.",
                delta_error_class=feature.refused_when_asked,
            )
        asked.add(feature.name)
    return frozenset(asked)


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _missing_features(key: MetadataKey, protocol: Protocol) -> Mapping[str, tuple[str, ...]]:
    metadata = key.metadata
    missing = {}
    for feature in FEATURES.values():
        names = filter(None, (feature.name, feature.twin))
        if not feature.activation.auto_enables or any(map(protocol.supports, names)):
            continue
        try:
            evidence = feature.activation.evidence(metadata)
        except DeltaadmError:
            continue
        if evidence:
            missing[feature.name] = evidence
    return missing


def extract_automatically_enabled_features(
    metadata: Metadata, protocol: Protocol | None = None
) -> frozenset[str]:
    """
    The writer features listed in *protocol*, those *metadata* asks for, and all they require.

    Only listed names count as a base, implied ones do not.
    """
    listed = _known((protocol and protocol.writer_features) or frozenset())
    return frozenset(with_requirements(listed | metadata_required_features(metadata, protocol)))


def for_new_table(metadata: Metadata, session: SessionSettings | None = None) -> Protocol:
    """
    The protocol of a new table with *metadata* (`forNewTable`).

    The session's defaults lie under the table's properties; without any the versions are
    (1, 2), and (1, 1) with `delta.ignoreProtocolDefaults`.
    """
    defaults = session.property_defaults if session else {}
    given = metadata.configuration
    configuration = {**default_configuration(defaults, given), **given}
    return Protocol.minimum(metadata.with_configuration(configuration)).denormalized_normalized()


def default_configuration(
    defaults: Mapping[str, str], configuration: Mapping[str, str]
) -> dict[str, str]:
    """Return what a session with *defaults* adds to the *configuration* of a new table."""
    short = Key.IGNORE_PROTOCOL_DEFAULTS.removeprefix("delta.")
    ignore = configuration.get(Key.IGNORE_PROTOCOL_DEFAULTS, defaults.get(short, "false"))
    versions = {Key.MIN_READER_VERSION: "1", Key.MIN_WRITER_VERSION: "2"}
    if boolean(Key.IGNORE_PROTOCOL_DEFAULTS, ignore):
        stored = {f"delta.{key}": value for key, value in defaults.items()}
        plain = {key: value for key, value in stored.items() if not is_protocol_property(key)}
        return {**plain, Key.MIN_READER_VERSION: "1", Key.MIN_WRITER_VERSION: "1"}
    return {**versions, **{f"delta.{key}": value for key, value in defaults.items()}}


def upgrade_protocol_from_metadata_for_existing_table(
    metadata: Metadata, current: Protocol
) -> Protocol | None:
    """
    The protocol that a table must move to before it can have *metadata*; None for none.

    Raises `RefusedError` where a feature must be asked for by name. Older descriptions return
    version numbers and features instead.
    """
    required = (
        Protocol.apply()
        .with_features(sorted(extract_automatically_enabled_features(metadata, current)))
        .normalized()
    )
    if required.can_upgrade_to(current):
        return None
    # What others require and no metadata asks for, Delta adds without being told.
    missing = required.supported_features - current.supported_features
    manual = sorted(
        name
        for name in missing
        if FEATURES[name].activation.auto_enables and not FEATURES[name].auto_update
    )
    if manual:
        raise RefusedError(
            f"The schema needs features that must be enabled explicitly: {', '.join(manual)}.",
            remedy=f"Run `deltaadm enable-feature TABLE {' '.join(manual)} --support-only` first.",
            delta_error_class="DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        )
    return required.merge(current)


CLASSIC_ORDER: Final = (
    "invariants", "appendOnly", "checkConstraints", "generatedColumns", "changeDataFeed",
    "identityColumns", "columnMapping",
)  # fmt: skip
"""The legacy features in the order in which Delta once asked for them."""


_PARTS: Final = record(
    ("readerFeatures", "writerFeatures"),
    minReaderVersion=int,
    minWriterVersion=int,
    readerFeatures=STRINGS,
    writerFeatures=STRINGS,
)
PROTOCOL: Final = Json(
    lambda: _PARTS.schema,
    lambda value: (replace(value, extra={}) if value.extra else value).to_wire(),
)
"""A protocol as JSON without what the log has beside, its feature lists sorted."""
