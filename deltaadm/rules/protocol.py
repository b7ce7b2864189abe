"""DL2xx and DL5xx: versions, table features, Iceberg, checkpoint protection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from deltaadm.domain import steps as kinds
from deltaadm.domain.features import FEATURES, Status, TableFeature
from deltaadm.domain.properties import Key, whole_number
from deltaadm.domain.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    supported_reader_version_numbers,
    supported_writer_version_numbers,
)
from deltaadm.domain.schema import FieldKey, all_types, path_text
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.checks import check_property_constraints
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, physical_name
from deltaadm.domain.transaction.update import COMPAT_KEYS, allows_type
from deltaadm.domain.usage import usages
from deltaadm.errors import DeltaadmError
from deltaadm.facts import CommitFacts, PolicyFacts, SnapshotFacts
from deltaadm.rules import rule as rules
from deltaadm.rules.rule import Problem, Scope, Severity, place_of, rule

if TYPE_CHECKING:
    from deltaadm.clients import ClientRelease

READERS: Final = "protocol.readerFeatures"
WRITERS: Final = "protocol.writerFeatures"
_COPY: Final = "Delta cannot drop this feature; copy the table."
_FAILING_UNLESS_SUPPORTED: Final = frozenset({
    "coordinatedCommits-preview", "inCommitTimestamp", "rowTracking",
    "icebergCompatV1", "icebergCompatV2", "icebergCompatV3",
})  # fmt: skip


@rule("DL201", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def unknown_protocol_version(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol has a reader or a writer version that does not exist.

    Why it matters: every client refuses such a version: the table is unusable for everyone.

    What to do: if a newer Delta wrote it, use that. Otherwise no ALTER TABLE succeeds any more:
    restore the log to the version before, or copy the data files into a new table. `deltaadm repair
    TABLE` mends a version below 1.

    Source: PROTOCOL.md, Protocol Evolution; Delta Spark, DELTA_INVALID_PROTOCOL_VERSION.
    """
    protocol = table.protocol
    for key, version, known in (
        ("minReaderVersion", protocol.min_reader_version, supported_reader_version_numbers()),
        ("minWriterVersion", protocol.min_writer_version, supported_writer_version_numbers()),
    ):
        if version not in known:
            message = f"{key} is {version}; valid versions are {min(known)} to {max(known)}."
            yield Problem(message, f"protocol.{key}")


@rule("DL202", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def misplaced_reader_features(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol has reader version 3 without `readerFeatures`, or the list with a lower version.

    Why it matters: with reader version 3 the list says what a reader must support; below, even an
    empty one is wrong. Delta Spark cannot decode such a protocol; other clients guess.

    What to do: `deltaadm repair TABLE` commits a valid protocol. Then find the writer.

    Source: PROTOCOL.md, Protocol Evolution; delta-io/delta#1682.
    """
    version = table.protocol.min_reader_version
    yield from _misplaced(table, "Reader", version, READER_FEATURES_VERSION)


@rule("DL203", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def misplaced_writer_features(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol has writer version 7 without `writerFeatures`, or the list with a lower version.

    Why it matters: with writer version 7 the list says what a writer must support; below, even an
    empty one is wrong. Delta Spark cannot decode such a protocol; other clients guess.

    What to do: `deltaadm repair TABLE` commits a valid protocol. Then find the writer.

    Source: PROTOCOL.md, Protocol Evolution; delta-io/delta#1682.
    """
    version = table.protocol.min_writer_version
    yield from _misplaced(table, "Writer", version, WRITER_FEATURES_VERSION)


def _misplaced(table: SnapshotFacts, who: str, version: int, lists_from: int) -> Iterator[Problem]:
    key = f"{who.lower()}Features"
    present = table.protocol.to_wire().get(key) is not None
    if version <= lists_from and present != (version == lists_from):
        state = "present" if present else "missing"
        yield Problem(f"min{who}Version is {version}, but {key} is {state}.", f"protocol.{key}")


@rule("DL204", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reader_version_without_writer_version(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Reader version 3 comes with a writer version below 7.

    Why it matters: writers must support reader features too, and only writer version 7 can list
    them. A writer would treat the table as an old one and break what readers rely on.

    What to do: `deltaadm repair TABLE` commits a valid protocol. Then find the writer.

    Source: PROTOCOL.md, Table Features; Delta Spark, DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE.
    """
    reader, writer = table.protocol.min_reader_version, table.protocol.min_writer_version
    if reader == READER_FEATURES_VERSION and writer < WRITER_FEATURES_VERSION:
        needed = f"minWriterVersion {WRITER_FEATURES_VERSION}; it is {writer}"
        yield Problem(f"minReaderVersion {reader} requires {needed}.", "protocol.minWriterVersion")


@rule("DL205", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reader_feature_not_listed_for_writers(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature is listed in `readerFeatures`, but not in `writerFeatures`.

    Why it matters: a writer that does not see the feature writes data that readers then misread.

    What to do: `deltaadm repair TABLE` lists the feature for both. Then find the writer.

    Source: PROTOCOL.md, Supported Features; trinodb/trino#24910.
    """
    readers, writers = table.protocol.reader_features, table.protocol.writer_features
    if readers and writers is not None:
        for name in sorted(readers - writers):
            yield Problem(f"{name!r} is listed for readers only.", WRITERS)


@rule("DL206", Severity.ERROR, Scope.SNAPSHOT)
def writer_feature_not_listed_for_readers(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A reader-writer feature is listed in `writerFeatures` only, although the reader version is 3.

    Why it matters: readers check `readerFeatures` only, and read the data as if the feature were
    absent. For columnMapping it is a warning: Delta Spark has written such protocols itself, and
    most clients tolerate them; in others, columns may read as nulls.

    What to do: `deltaadm repair TABLE` lists the feature for readers too. For columnMapping, the
    fix makes Delta write the protocol again.

    Source: PROTOCOL.md, Supported Features; delta-io/delta#3154, trinodb/trino#24910.
    """
    readers = table.protocol.reader_features
    if readers is None or table.protocol.min_reader_version != READER_FEATURES_VERSION:
        return
    for feature in _listed(table.protocol.writer_features):
        if feature.is_reader and feature.name not in readers:
            yield Problem(
                f"{feature.name} is a reader-writer feature but is listed for writers only.",
                READERS,
                severity=Severity.WARNING if feature.is_legacy else None,
                fix=_rewritten(table.snapshot) if feature.is_legacy else (),
            )


@rule("DL207", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def writer_only_feature_listed_for_readers(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature for writers only is listed in `readerFeatures`.

    Why it matters: Delta Spark knows no such reader feature, and refuses to read the table.

    What to do: `deltaadm repair TABLE` lists it for writers only. Then find the writer.

    Source: PROTOCOL.md, Supported Features; Delta Spark, DELTA_UNSUPPORTED_FEATURES_FOR_READ.
    """
    for feature in _listed(table.protocol.reader_features):
        if not feature.is_reader:
            yield Problem(f"{feature.name} is a writer feature.", READERS)


@rule("DL208", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reader_version_too_low_for_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A reader-writer feature is listed for writers, but the reader version is below 3.

    Why it matters: readers are not told: they read deleted rows, or fail in the middle of a file.

    What to do: `deltaadm repair TABLE` commits version 3 and both lists. Then find the writer.

    Source: PROTOCOL.md, Supported Features.
    """
    for feature in _listed(table.protocol.writer_features):
        if feature.is_reader and not feature.is_legacy:
            yield from _needs_reader(feature, READER_FEATURES_VERSION, table.protocol)


@rule("DL209", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def reader_version_too_low_for_column_mapping(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The feature columnMapping is listed for writers, but the reader version is 1.

    Why it matters: readers with version 1 look for columns under their displayed names and find
    nulls. Reader version 2 needs no list: it implies column mapping.

    What to do: `deltaadm repair TABLE` commits a reader version of 2 or 3. Then find the writer.

    Source: PROTOCOL.md, Column Mapping; column mapping is legal in (2,5), (2,6), (2,7) and (3,7).
    """
    for feature in _listed(table.protocol.writer_features):
        if feature.is_legacy:
            yield from _needs_reader(feature, feature.versions[0], table.protocol)


def _needs_reader(feature: TableFeature, needed: int, protocol: Protocol) -> Iterator[Problem]:
    version = protocol.min_reader_version
    if version < needed:
        number = f"{needed}{' or higher' if feature.is_legacy else ''}"
        message = f"{feature.name} requires reader version {number}; it is {version}."
        yield Problem(message, "protocol.minReaderVersion")


@rule("DL210", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def missing_required_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature is listed without another one that it requires.

    Why it matters: Delta Spark refuses to load the table, even if other clients can. It is a
    warning if Delta Spark does not know the feature and so does not check it.

    What to do: `deltaadm repair TABLE` commits a protocol with all features that the table needs.

    Source: PROTOCOL.md, the feature's section; DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    for feature in _listed(table.protocol.writer_features):
        for name in feature.requires:
            if not table.protocol.supports(name):
                message = f"{feature.name} requires {name}, which the protocol lacks."
                severity = None if feature.in_delta_spark else Severity.WARNING
                yield Problem(message, WRITERS, severity=severity)


@rule("DL211", Severity.ERROR, Scope.SNAPSHOT)
def active_feature_not_listed(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The metadata uses a feature that the protocol's lists lack.

    Why it matters: writers check only the list, so nothing makes them honour the property or the
    constraint. Delta Spark refuses to load the table; it is a warning if it does not know the
    feature. Programs that raise the writer version to 7 without listing what the old version
    implied leave tables like this. (Column mapping and column types have rules of their own.)

    What to do: `deltaadm repair TABLE` commits a protocol with all features that the table needs.

    Source: PROTOCOL.md, Table Features for New and Existing Tables; Delta Spark,
    DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH.
    """
    if table.protocol.supports_writer_features:
        for feature, evidence in _unsupported(table.snapshot):
            message = f"The protocol does not list {feature.name}, but {evidence}."
            if feature.in_delta_spark:
                yield Problem(f"{message} Delta Spark refuses the table.", WRITERS)
            else:
                yield Problem(message, WRITERS, severity=Severity.WARNING)


@rule("DL212", Severity.WARNING, Scope.SNAPSHOT)
def active_feature_not_implied(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The metadata uses a feature that the protocol's versions do not imply.

    Why it matters: engines disagree. Delta Spark goes by the metadata, except for generated and
    identity columns; others go by the versions, and write data that should have been prevented. It
    is an error if Delta Spark itself fails: it cannot read such a table with row tracking or a
    commit coordinator, and cannot write one with in-commit timestamps or Iceberg compatibility.
    (Column mapping, column types and NOT NULL have rules of their own.)

    What to do: add the feature. If it is a property that asks for it, it can be unset instead.

    Source: PROTOCOL.md, Supported Features; Feature names and versions: the feature's section.
    """
    if table.protocol.supports_writer_features:
        return
    fields = (field for _, field in rules.fields_of(table.metadata))
    invariants = ("delta.invariants" in field.metadata for field in fields)
    for feature, evidence in _unsupported(table.snapshot):
        if feature.name == "invariants" and not any(invariants):
            continue  # NOT NULL alone is DL525's
        versions = f"Versions {table.protocol.simple_string}"
        message = f"{versions} do not imply {feature.name}, but {evidence}."
        severity = Severity.ERROR if feature.name in _FAILING_UNLESS_SUPPORTED else None
        fix = rules.adding(table.snapshot, feature.name)
        if feature.name == "rowTracking" and Key.ROW_ID_COLUMN not in table.metadata.configuration:
            # With the feature every file would need row ids, and none has them: see DL501.
            off = kinds.UnsetProperties((Key.ROW_TRACKING,))
            fix = rules.accepted(
                table.snapshot, off, lambda of: not of.protocol.supports("rowTracking")
            )
        yield Problem(message, "protocol.minWriterVersion", severity=severity, fix=fix)


def _unsupported(snapshot: Snapshot) -> Iterator[tuple[TableFeature, str]]:
    for name, evidence in snapshot.protocol.missing_features(snapshot.metadata).items():
        feature = FEATURES[name]
        if name != "columnMapping" and not feature.activation.by_type:
            yield feature, evidence[0]


@rule("DL213", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def unknown_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol lists a feature that Delta Spark 4.4 does not know.

    Why it matters: a client that does not know a feature must refuse to write the table, and to
    read it if it is a reader feature. It is an error if Delta Spark cannot read the table, and info
    if it is a writer feature that another program is known to use.

    What to do: use a client that knows the feature. If the name is a mistake, have the program that
    wrote it remove it, or copy the table.

    Source: PROTOCOL.md, Table Features; Delta Spark, DELTA_UNSUPPORTED_FEATURES_FOR_READ.
    """
    for name in sorted(table.protocol.explicit_names):
        feature = TableFeature.lookup(name)
        if feature is not None and feature.in_delta_spark:
            continue
        known = f"; {feature.source} does" if feature is not None else ""
        if name in (table.protocol.reader_features or ()):
            what, where, severity = "read or write", READERS, Severity.ERROR
        else:
            what, where = "write", WRITERS
            severity = Severity.WARNING if feature is None else Severity.INFO
        message = f"Delta Spark 4.4 does not know {name!r} and cannot {what} the table{known}."
        yield Problem(message, where, severity=severity)


@rule("DL214", Severity.INFO, Scope.SNAPSHOT)
def provisional_feature_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol lists a feature by its preview name, or by another old name.

    Why it matters: clients that know only the final name refuse the table.

    What to do: nothing, as long as a program that uses the table may not know the final name: it
    would refuse the table. Later, drop the old name and add the final one if Delta can; otherwise
    copy the table. Never list both.

    Source: delta-io/delta, TableFeature.scala; delta-io/delta#4127, #5718; tables that Databricks
    Runtime 15.4 writes have variantType-preview.
    """
    for feature in filter(_is_provisional, _listed(table.protocol.explicit_names)):
        final = f"; the final name is {feature.twin}" if feature.twin else ""
        yield Problem(f"{feature.name} is a provisional name{final}.", WRITERS)


def _is_provisional(feature: TableFeature) -> bool:
    alias = feature.status is Status.OTHER_CLIENTS and feature.twin is not None
    return alias or feature.name.endswith(("-preview", "-dev"))


@rule("DL215", Severity.INFO, Scope.SNAPSHOT, shared=True)
def preview_beside_final_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol lists both the preview and the final form of a feature.

    Why it matters: clients that know only one of the names refuse the table.

    What to do: drop the preview if Delta can: `deltaadm drop-feature TABLE FEATURE`.

    Source: delta-io/delta, TableFeature.scala; delta-io/delta#4127.
    """
    names = table.protocol.explicit_names
    for feature in _listed(names):
        if _is_provisional(feature) and feature.twin in names:
            yield Problem(f"{feature.name} and {feature.twin} are both listed.", WRITERS)


@rule("DL216", Severity.INFO, Scope.SNAPSHOT)
def protocol_not_normalized(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A lower protocol would support exactly the same features.

    Why it matters: the higher versions shut out older clients for nothing. For example, (2,3) means
    the same as (1,3), and (1,7) with appendOnly and invariants the same as (1,2).

    What to do: nothing: Delta lowers the protocol with its next change. The fix makes it do so now.

    Source: delta-io/delta, TableFeatureSupport.scala, normalized.
    """
    lowest = _lowest(table.protocol)
    if lowest is not None and lowest != table.protocol:
        way = f"from {_versions(table.protocol)} to {_versions(lowest)} without losing a feature"
        fix = _rewritten(table.snapshot)
        yield Problem(f"The protocol could be lowered {way}.", "protocol", fix=fix)


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _lowest(protocol: Protocol) -> Protocol | None:
    """The lowest equivalent; None where the lists contradict themselves or the versions."""
    readers, writers = protocol.reader_features, protocol.writer_features
    try:
        lowest = protocol.denormalized_normalized()
    except DeltaadmError:
        return None
    listed = {feature.name for feature in _listed(writers) if feature.is_reader}
    consistent = (
        protocol.min_reader_version in supported_reader_version_numbers()
        and lowest.min_reader_version <= protocol.min_reader_version
        and lowest.explicit_names <= protocol.explicit_names
        and (readers is None or readers == listed)
    )
    return lowest if consistent else None


def _rewritten(snapshot: Snapshot) -> tuple[Step, ...]:
    """Asking for the present versions makes Delta normalise the protocol."""
    reader, writer = snapshot.protocol.min_reader_version, snapshot.protocol.min_writer_version
    versions = {Key.MIN_READER_VERSION: str(reader), Key.MIN_WRITER_VERSION: str(writer)}
    step = kinds.SetProperties(versions)
    return rules.accepted(snapshot, step, lambda after: _lowest(after.protocol) == after.protocol)


def _versions(protocol: Protocol) -> str:
    return f"({protocol.min_reader_version}, {protocol.min_writer_version})"


@rule("DL217", Severity.INFO, Scope.SNAPSHOT)
def unused_feature(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature is listed, but neither the metadata nor the files use it.

    Why it matters: clients must know every listed feature, used or not, so this one shuts clients
    out for nothing. Writer features that Delta cannot drop are not reported.

    What to do: `deltaadm drop-feature TABLE FEATURE` if Delta can drop it, or copy the table.

    Source: PROTOCOL.md, Active Features.
    """
    listed = list(_listed(table.protocol.explicit_names))
    required = {name for feature in listed for name in feature.requires}
    used = usages(table.snapshot)
    for feature in listed:
        # Nothing can be done about an unused writer feature that Delta cannot drop.
        concerned = feature.is_reader or feature.removal is not None
        has_switch = feature.activation.find is not None
        if not concerned or not has_switch or feature.name in required:
            continue
        if used[feature.name].is_unused:
            where = READERS if feature.is_reader else WRITERS
            way = f"`deltaadm drop-feature TABLE {feature.name}`." if feature.removal else _COPY
            yield Problem(f"{feature.name} is listed, but nothing uses it.", where, remedy=way)


@rule("DL218", Severity.WARNING, Scope.COMMIT, having=["protocol"])
def features_lost(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit removed features from the protocol, but is not a DROP FEATURE.

    Why it matters: data, log files and constraints may still need the feature, and nothing has
    checked or rewritten them. Readers of older versions may misread them.

    What to do: `deltaadm repair TABLE` adds those that metadata or files need; the table can do
    without the others. Then find the program that wrote the commit.

    Source: PROTOCOL.md, Protocol Evolution; Delta Spark removes features by DROP FEATURE only.
    """
    # Delta has removed the traces of a feature before the commit that drops it.
    if commit.operation != "DROP FEATURE" and not _started_listing_features(commit):
        yield from _lost(commit)


@rule("DL219", Severity.WARNING, Scope.COMMIT, having=["protocol"])
def implied_features_lost(commit: CommitFacts) -> Iterator[Problem]:
    """
    A commit moved the protocol to lists, and lost features that the old writer version implied.

    Why it matters: writers no longer honour append-only, constraints or the change data feed unless
    they are listed. Some programs, including delta-rs, list only what the user asked for.

    What to do: `deltaadm repair TABLE` lists them again. If the metadata uses one, see DL211.

    Source: PROTOCOL.md, Table Features for New and Existing Tables; delta-io/delta-rs#2957.
    """
    if _started_listing_features(commit):
        yield from _lost(commit)


def _started_listing_features(commit: CommitFacts) -> bool:
    before, after = commit.before.protocol, commit.after.protocol
    had_none = before is not None and not before.supports_writer_features
    return had_none and after is not None and after.supports_writer_features


def _lost(commit: CommitFacts) -> Iterator[Problem]:
    before, after = commit.before.protocol, commit.after.protocol
    if before is None or after is None or commit.replaces_table:
        return
    newest, lost = commit.in_effect and commit.in_effect.protocol, lost_features(before, after)
    if newest:  # which may have them again
        lost = [name for name in lost if not newest.supports(name)]
    if lost:
        by = f" by {commit.info['engineInfo']!r}" if commit.info.get("engineInfo") else ""
        old, new = map(_versions, (before, after))
        moved = "" if old == new else f" moved the protocol from {old} to {new} and"
        implied = f", which writer version {before.min_writer_version} implied"
        implied = implied if before.implicit_features.issuperset(lost) else ""
        yield Problem(f"Version {commit.version}{by}{moved} lost {', '.join(lost)}{implied}.")


def lost_features(before: Protocol, after: Protocol) -> list[str]:
    """The features that one protocol has and the next has not; the twin of a feature will do."""
    names = sorted(before.supported_features | before.unknown_features)
    entries = {name: TableFeature.lookup(name) for name in names if not after.supports(name)}
    # A preview may give way to the final feature, which reads the same files.
    return [
        name
        for name, entry in entries.items()
        if not (entry and entry.twin and after.supports(entry.twin))
    ]


@rule("DL220", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def feature_in_wrong_case(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature's name differs in case from the one in the protocol specification.

    Why it matters: names are case-sensitive: clients do not know the feature, and refuse the table.

    What to do: `deltaadm repair TABLE` commits the right name. Then find the writer.

    Source: PROTOCOL.md, Valid Feature Names in Table Features; Delta Spark,
    DELTA_UNSUPPORTED_FEATURES_FOR_READ.
    """
    for name in sorted(table.protocol.explicit_names):
        feature = TableFeature.lookup(name)
        if feature is not None and feature.name != name:
            where = READERS if name in (table.protocol.reader_features or ()) else WRITERS
            yield Problem(f"{name!r} should be {feature.name}.", where)


@rule("DL221", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def malformed_feature_list(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A feature list has entries that are not names of features.

    Why it matters: names consist of letters, digits, `-` and `_`; clients fail on anything else. A
    name that is listed twice is a warning: clients read the list as a set.

    What to do: `deltaadm repair TABLE` commits the list without them. Then find the writer.

    Source: PROTOCOL.md, Protocol Evolution; delta-io/delta, TableFeature.scala.
    """
    document = table.protocol.to_wire()
    for key in ("readerFeatures", "writerFeatures"):
        names, where = document.get(key) or [], f"protocol.{key}"
        for name in names:
            if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
                yield Problem(f"{repr(name)[:80]} is not a feature name.", where)
        counts = Counter(name for name in names if isinstance(name, str))
        for name, times in sorted(counts.items()):
            if times > 1:
                message = f"{name!r} is listed {times} times."
                yield Problem(message, where, severity=Severity.WARNING)


@rule("DL222", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def features_that_exclude_each_other(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The protocol has two features that exclude each other.

    Why it matters: no client can meet the conditions of both. Two versions of Iceberg compatibility
    that are on together are an error: Delta refuses every change of such a table.

    What to do: choose one. A version of Iceberg compatibility is turned off by its property.

    Source: PROTOCOL.md, Iceberg Compatibility V2; protocol_rfcs/iceberg-v4-metadata.md; Delta
    Spark, DELTA_ICEBERG_COMPAT_VIOLATION.VERSION_MUTUAL_EXCLUSIVE.
    """
    for feature in _listed(table.protocol.explicit_names):
        for other in filter(table.protocol.supports, feature.excludes):
            yield Problem(f"{feature.name} cannot be combined with {other}.", WRITERS)
    active = list(rules.active_compat_versions(table.snapshot))
    if len(active) > 1:
        names = " and ".join(f"V{version}" for version in active)
        where = f"configuration[{COMPAT_KEYS[active[0]]}]"
        message = f"Iceberg compatibility {names} are enabled together."
        yield Problem(message, where, severity=Severity.ERROR)


@rule("DL223", Severity.INFO, Scope.POLICY)
def clients_shut_out(facts: PolicyFacts) -> Iterator[Problem]:
    """
    Some clients cannot read or write the table because of its features.

    It is a warning if one of your clients silently reads or writes wrong data: one that the
    settings name, or that wrote the newest version. If the settings name
    your clients, only those are checked; otherwise the newest release of every client is. What a
    client cannot do with any table is not reported.

    Why it matters: these clients cannot share the table.

    What to do: nothing, unless you use one of these clients. To be warned only about your own, name
    them: clients = ["trino@480"] in deltaadm.toml. `deltaadm inspect TABLE --for-client CLIENT`
    shows what would let a client in.

    Source: deltaadm.clients, which names the source of each verdict.
    """
    protocol = facts.snapshot.protocol
    features = protocol.supported_features | protocol.explicit_names | {"protocol.minReaderVersion"}
    groups: dict[tuple[bool, str, str, str], list[str]] = {}
    told: set[tuple[ClientRelease, str]] = set()
    for other in sorted(facts.others, key=lambda other: other.access.value):
        blamed = sorted(features.intersection(cell.subject for cell in other.responsible))
        outcome, access = other.compatibility.value, other.access.value
        # One that cannot read is not reported again for writing.
        if outcome in REFUSALS and blamed and (other.release, outcome) not in told:
            told.add((other.release, outcome))
            harms_user = outcome == "silently wrong" and other.release in facts.used
            key = (not harms_user, access, outcome, rules.needed(protocol, blamed))
            groups.setdefault(key, []).append(str(other.release))
    for (is_info, access, outcome, needs), clients in sorted(groups.items()):
        is_one = len(clients) == 1
        owner = "" if is_info else "Your client " if is_one else "Your clients "
        words = REFUSALS[outcome].format(access, s="s" if is_one else "")
        message = f"{owner}{', '.join(sorted(clients))} {words} {needs}."
        yield Problem(message, "protocol", severity=None if is_info else Severity.WARNING)


REFUSALS: Final = {
    "fails loudly": "cannot {} the table, which needs",
    "silently wrong": "silently {}{s} wrong data: the table uses",
}
"""The outcomes that are known to shut clients out, in words."""


def _listed(names: frozenset[str] | None) -> Iterator[TableFeature]:
    """The features among *names* that are spelled right."""
    for name in sorted(names or ()):
        if name in FEATURES:
            yield FEATURES[name]


# Compatibility with Iceberg


def _with_compat(version: int, flaw: str) -> Problem:
    where = f"configuration[{COMPAT_KEYS[version]}]"
    return Problem(f"Iceberg compatibility V{version} is on, {flaw}.", where)


@rule("DL512", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def iceberg_without_mapping(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on without column mapping.

    Why it matters: Iceberg finds columns by field id. Delta refuses every change of such a table.

    What to do: turn column mapping on, or Iceberg compatibility off.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    if rules.mapping_mode(table.metadata) is ColumnMappingMode.NONE:
        for version in rules.active_compat_versions(table.snapshot):
            yield _with_compat(version, "but column mapping is off")


@rule("DL513", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def iceberg_forbids_type(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, but a column has a type that it does not allow.

    Why it matters: it cannot be read as an Iceberg table, and Delta refuses to change it.

    What to do: drop the column, or choose another version of Iceberg compatibility.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2; protocol_rfcs/iceberg-compat-v3.md.
    """
    for version in rules.active_compat_versions(table.snapshot):
        for field in rules.top_fields(table.metadata):
            if not all(allows_type(version, data_type) for data_type in all_types(field.type)):
                flaw = f"V{version} does not allow the type of column {field.name!r}"
                yield Problem(f"Iceberg compatibility {flaw}.", place_of((field.name,)))


@rule("DL514", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_with_deletion_vectors(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility V1 or V2 is on together with deletion vectors, or files still have some.

    Why it matters: Iceberg readers ignore deletion vectors, and show deleted rows.

    What to do: set delta.enableDeletionVectors to false and purge the files: REORG TABLE … APPLY
    (PURGE). V1 does not allow the feature in the protocol either: choose V2, or drop the feature.

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    having = table.totals and table.totals.deletion_vectors
    enabled = rules.is_on(table.snapshot, "deletionVectors", "delta.enableDeletionVectors")
    for version in rules.active_compat_versions(table.snapshot):
        if version == 1 and table.protocol.supports("deletionVectors"):
            yield _with_compat(version, "and the protocol supports deletion vectors")
        elif version <= 2 and enabled:  # noqa: PLR2004 -- V3 knows deletion vectors
            yield _with_compat(version, "and deletion vectors are on")
        elif version <= 2 and having:  # noqa: PLR2004
            yield _with_compat(version, f"and {having} files have deletion vectors")


@rule("DL515", Severity.ERROR, Scope.SNAPSHOT)
def iceberg_without_counts(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Iceberg compatibility is on, but files do not say how many records they have.

    Why it matters: Iceberg requires this number for every file, so the table cannot be converted.

    What to do: rewrite those files: REORG TABLE … APPLY (UPGRADE UNIFORM …).

    Source: PROTOCOL.md, Iceberg Compatibility V1 and V2.
    """
    facts = table.totals and table.totals.facts
    for version in rules.active_compat_versions(table.snapshot):
        if facts and facts.without_num_records:
            lacking = f"{facts.without_num_records} of {facts.files} files lack numRecords"
            yield _with_compat(version, f"and {lacking}")


@rule("DL531", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def iceberg_writer_forbids_name(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A column's physical name is not `col-` and its id, as Iceberg writer compatibility requires.

    Why it matters: Iceberg writers expect these names. It is an error once the property is on.

    What to do: rewrite the table; physical names never change.

    Source: protocol_rfcs/iceberg-writer-compat-v1.md; Kernel, IcebergWriterCompat.
    """
    for version in (1, 3):
        name, key = f"icebergWriterCompatV{version}", f"delta.enableIcebergWriterCompatV{version}"
        text = table.metadata.configuration.get(key, "")
        severity = Severity.ERROR if text.lower() == "true" else None
        fields = rules.fields_of(table.metadata) if table.protocol.supports(name) else ()
        for path, field in fields:
            expected, actual = f"col-{field.metadata.get(FieldKey.COLUMN_ID)}", physical_name(field)
            if actual != expected:
                column = f"column {path_text(path)!r}, which has {actual!r}"
                message = f"{name} requires the physical name {expected!r} for {column}."
                yield Problem(message, place_of(path), severity=severity)


@rule("DL532", Severity.ERROR, Scope.SNAPSHOT)
def adaptive_metadata_without_ids(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has adaptive metadata, but no column mapping, or deletion vectors are inline. With
    `adaptiveMetadata-preview`, column mapping is not by id.

    Why it matters: adaptive metadata is read by Iceberg, which needs the ids of columns and
    supports deletion vectors only in files. The proposal has allowed both modes of column mapping
    since 22 July 2026; Delta Spark 4.4, which knows the preview alone, demands id.

    What to do: rewrite the table; the feature can only be chosen when a table is created.

    Source: protocol_rfcs/iceberg-v4-metadata.md; Delta Spark,
    DELTA_ADAPTIVE_METADATA_REQUIRES_COLUMN_MAPPING_ID_MODE.
    """
    preview = table.protocol.supports("adaptiveMetadata-preview")
    if not preview and not table.protocol.supports("adaptiveMetadata"):
        return
    mode = rules.mapping_mode(table.metadata)
    # None is a mode that cannot be understood, which other rules report.
    if mode is ColumnMappingMode.NONE or (mode is ColumnMappingMode.NAME and preview):
        needed = "column mapping by id in Delta Spark 4.4" if preview else "column mapping"
        message = f"Adaptive metadata needs {needed}; the mode is {mode.value}."
        yield Problem(message, "configuration[delta.columnMapping.mode]")
    inline = table.totals and table.totals.inline_vectors
    if inline and inline.count:
        first = inline.paths[0]
        message = f"{inline.count} files have an inline deletion vector, for example {first!r}."
        yield Problem(message, first)


# Checkpoint protection and deletion vectors


@rule("DL528", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def half_checkpoint_protection(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The table has the feature `checkpointProtection` without its property, or the reverse.

    Why it matters: alone, the feature protects nothing, and no writer honours the property.

    What to do: drop the feature with TRUNCATE HISTORY, or unset the property.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    key, supported = Key.PROTECTED_BEFORE, table.protocol.supports("checkpointProtection")
    text = table.metadata.configuration.get(key, "")
    # 0 is the default: there is no version before it to protect.
    if supported and not whole_number(text):
        message = f"The protocol has checkpointProtection, but {key} is not set."
        yield Problem(message, f"configuration[{key}]")
    elif whole_number(text) and not supported:
        step = kinds.UnsetProperties((key,))
        yield Problem(
            f"{key} is {text}, but the protocol lacks checkpointProtection.",
            f"configuration[{key}]",
            fix=rules.accepted(
                table.snapshot, step, lambda after: key not in after.metadata.configuration
            ),
        )


@rule("DL529", Severity.WARNING, Scope.SNAPSHOT)
def protected_history_cut(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Part of the history that checkpoint protection covers is gone, and part is still there.

    Why it matters: older commits may use features that have been dropped, so only a writer that
    supports all of them may remove some. Others leave versions that cannot be rebuilt.

    What to do: find out what cleaned up the log. ALTER TABLE … DROP FEATURE checkpointProtection
    TRUNCATE HISTORY removes the rest as well.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    guarded = whole_number(table.metadata.configuration.get(Key.PROTECTED_BEFORE, "")) or 0
    first = next(iter(table.listing.commits.versions), 0)
    # From 0 nothing is gone; from the protected version on, all that is protected went at once.
    if 0 < first < guarded and table.protocol.supports("checkpointProtection"):
        message = f"History is protected up to version {guarded}, but begins with version {first}."
        yield Problem(message, "_delta_log")


@rule("DL530", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def deletion_vectors_where_excluded(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Deletion vectors are on together with symlink manifests, or the files are not Parquet.

    Why it matters: readers of manifests show deleted rows. Delta refuses to change the table.

    What to do: turn one of them off.

    Source: Delta Spark, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.
    """
    error = rules.refusal(check_property_constraints, table.metadata)
    if error and (error.delta_error_class or "").startswith("DELTA_VIOLATE_TABLE_PROPERTY"):
        yield Problem(error.message, "configuration[delta.enableDeletionVectors]")
