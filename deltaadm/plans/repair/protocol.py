"""Protocols, properties and missing data files, and the commits that mend them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.actions import AddFile, RemoveFile
from deltaadm.domain.features import FEATURES, TableFeature, with_requirements
from deltaadm.domain.file_facts import INLINE, descriptor_flaw, num_records
from deltaadm.domain.properties import PROPERTIES, Key, switch
from deltaadm.domain.protocol import (
    CATALOG_MANAGED,
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    supported_protocol,
)
from deltaadm.domain.snapshot import Snapshot, commit_name
from deltaadm.domain.transaction.spark_support import obstacle_to_reading, refusal_to_read
from deltaadm.domain.transaction.update import obstacles_to_writing
from deltaadm.domain.usage import usages
from deltaadm.domain.wire import Loggable, Metadata
from deltaadm.errors import DeltaadmError, RefusedError, TableError, some_of
from deltaadm.json_values import compact
from deltaadm.plans.embedded_executor import commit_info, next_timestamp, random_id
from deltaadm.plans.plan import snapshot_findings
from deltaadm.plans.repair.repair import Case, Files, Repair, rebuilt, refused, spared
from deltaadm.replay.embedded import in_commit_timestamps, live_files
from deltaadm.replay.examine import vector_path
from deltaadm.replay.timeline import timeline
from deltaadm.rules.protocol import lost_features
from deltaadm.rules.rule import Finding, Severity
from deltaadm.storage.threads import each_ahead

# What the history tells


class Past:
    """
    What earlier versions tell: the last valid values of properties, the features that were lost
    when the protocol began to list them (`implied`) or otherwise (`lost`), and the versions whose
    protocols contradict themselves (`malformed`); or what keeps them from telling it (`unproved`).
    """

    def __init__(self, case: Case) -> None:
        self.implied, self.lost = set[str](), set[str]()
        self.unproved: tuple[str, ...] = ()
        self.values: dict[str, str] = {}
        self.malformed: list[int] = []
        try:
            for before, after in timeline(case).changes():
                stored = after.metadata.configuration
                self.values |= {key: stored[key] for key in stored if _is_valid(key, stored[key])}
                if not before.exists or before.protocol != after.protocol:
                    self._take(before, after)
        except TableError as error:
            self.unproved = (f"which features earlier versions had: {error.message}",)

    def _take(self, before: Snapshot, after: Snapshot) -> None:
        """Take in a change of the protocol."""
        old, new = before.protocol, after.protocol
        if new.malformation:
            self.malformed.append(after.version)
        operation = (after.commit_info and after.commit_info.operation) or ""
        gone = set(lost_features(old, new)) if before.exists else set()
        if any(word in operation for word in ("REPLACE TABLE", "CLONE", "RESTORE")):
            self.implied.clear()
            self.lost.clear()
        elif operation == "DROP FEATURE":
            self.implied -= gone
            self.lost -= gone
        else:
            if not old.supports_writer_features and new.supports_writer_features:
                self.implied |= gone & old.implicit_features
            self.lost |= gone - self.implied


def _is_valid(key: str, value: str) -> bool:
    known = PROPERTIES.get(key.lower())
    try:
        if known is not None:
            known.check(known, value)
    except DeltaadmError:
        return False
    return True


_CONTRADICTIONS: Final = frozenset({
    "DL201", "DL202", "DL203", "DL204", "DL205", "DL206", "DL207", "DL208", "DL209", "DL221",
})  # fmt: skip
"""What delta-rs or Delta Spark cannot decode, even where a later protocol has taken its place."""
_DAMAGE: Final = _CONTRADICTIONS | {"DL210", "DL211", "DL220", "DL402", "DL518"}
"""The rules whose errors are about a protocol that has to be written again."""


def find_protocol(case: Case) -> Iterator[Repair]:
    """A protocol, or properties, with which nobody can load the table."""
    if (snapshot := case.loaded) is None:  # other kinds of damage are mended first
        return
    past = Past(case)
    errors = [each for each in snapshot_findings(snapshot) if each.severity is Severity.ERROR]
    errors.sort(key=lambda each: (each.code != "DL302", each.code not in _DAMAGE))
    try:
        repair = _mended(case, snapshot, past, errors)
    except RefusedError as error:
        known = [(each.code, each.message) for each in errors]
        rule, wrong = (*known, ("DL219", "The protocol lacks features that it had."))[0]
        yield refused("protocol", rule, wrong, error.message, error.remedy)
        return
    checkpoint = snapshot.segment.checkpoint if snapshot.segment else None
    read = [number for number in past.malformed if not checkpoint or number > checkpoint.version]
    if repair is not None:
        yield repair
    elif read:
        wrong = (
            f"The protocol of version {read[-1]} cannot be decoded, and readers come across it "
            "though a later one has taken its place."
        )
        yield spared("protocol", "DL103", wrong, snapshot)


def _mended(case: Case, snapshot: Snapshot, past: Past, errors: Sequence[Finding]) -> Repair | None:
    """
    The one commit that lets clients load the table again; None where there is no need.

    Raises `RefusedError` where nobody can say how the table has to be, or deltaadm must not commit.
    """
    if any(error.code == "DL302" for error in errors):
        raise RefusedError(
            "nothing in the log tells which schema was meant",
            remedy="Restore the commit with this metaData from a backup or an earlier version of "
            "the object.",
        )
    old, damage = snapshot.protocol, [(e.code, e.message) for e in errors if e.code in _DAMAGE]
    metadata, properties = _mended_metadata(snapshot, past)
    features = _features(replace(snapshot, metadata=metadata), past)
    for code, needed in (("DL219", past.implied), ("DL218", past.lost), *_NEEDED_BY_FILES.items()):
        if lacking := [name for name in sorted(features & needed) if not old.supports(name)]:
            damage.append((code, f"The protocol lacks {', '.join(lacking)}."))
    protocol = _protocol(old, features) if damage else old
    damage += [("DL310", f"{key} {wrong}.") for key, wrong in properties.items()]
    if not damage:
        return None
    after = replace(snapshot, metadata=metadata, protocol=protocol, version=snapshot.version + 1)
    _require_mended(after, old, errors)
    effect = [f"The protocol becomes {_shown(protocol)}."] if protocol != old else []
    stored = metadata.configuration
    effect += [f"{key} becomes {stored.get(key, 'unset')}." for key in properties]
    codes = {code for code, _ in damage}
    if codes & {"DL201", "DL202", "DL203"}:
        past.unproved += ("which features the protocol had that nothing in the table shows",)
    actions: list[Loggable] = [metadata] if metadata != snapshot.metadata else []
    name, parameters = "SET TBLPROPERTIES", {"properties": compact(stored)}
    if protocol.to_wire() != old.to_wire():
        actions.append(protocol)
        name, parameters = "UPGRADE PROTOCOL", {"newProtocol": compact(protocol.to_wire())}
    files = _commit(case, snapshot, name, parameters, actions)
    if codes & _CONTRADICTIONS:
        files = {**files, **rebuilt(after.version)}
    wrong, alters = " ".join(message for _, message in damage), [action.NAME for action in actions]
    altered, said = ("version", *alters), " ".join(effect)
    return Repair("protocol", damage[0][0], wrong, files, altered, said, past.unproved)


def _commit(
    case: Case,
    base: Snapshot,
    operation: str,
    parameters: Mapping[str, Any],
    actions: Sequence[Loggable],
) -> Files:
    """The commit of *actions* on *base*, in whatever state Delta finds it."""
    is_timed = in_commit_timestamps(base.metadata)
    stamp = next_timestamp(base, case.now) if is_timed else None
    info = commit_info(base, stamp, case.now, operation, parameters)
    info = replace(info, user_metadata="deltaadm repair", txn_id=random_id())
    body = "".join(f"{compact(action.wrap())}\n" for action in (info, *actions)).encode()
    return {commit_name(base.version + 1): body}


def _require_mended(after: Snapshot, old: Protocol, known: Sequence[Finding]) -> None:
    """Raise `RefusedError` where the protocol *old* cannot become what *after* has."""
    newest = READER_FEATURES_VERSION, WRITER_FEATURES_VERSION
    if old.min_reader_version > newest[0] or old.min_writer_version > newest[1]:
        raise RefusedError(
            "its version may be that of a newer Delta, whose meaning is not known here",
            remedy="Use a client that knows it. If the number is a mistake, restore the log to "
            "the version before the commit that set it, or copy the data into a new table.",
        )
    for obstacle in obstacles_to_writing(after):
        raise RefusedError(
            f"deltaadm cannot commit to the table: {obstacle}",
            remedy="Have a client that knows the feature write the protocol again.",
        )
    errors = [found for found in snapshot_findings(after) if found.severity is Severity.ERROR]
    left = [error.message for error in errors if error not in known]
    if refusal := refusal_to_read(after):
        left.insert(0, refusal.message)
    if left:
        raise RefusedError(
            f"with {_shown(after.protocol)} something else is wrong: {left[0].rstrip('.')}",
            remedy="Mend that first, with the client that wrote it.",
        )


def _features(snapshot: Snapshot, past: Past) -> set[str]:
    """The features that the table must have."""
    protocol = snapshot.protocol
    names = {name.strip() for name in protocol.explicit_names}
    legal = {name: TableFeature.lookup(name) for name in names if re.fullmatch(r"[\w-]+", name)}
    features = {entry.name if entry else name for name, entry in legal.items()} | past.implied
    if protocol.min_writer_version < WRITER_FEATURES_VERSION:
        # Beside a list, which must not be there, an old version says what it always has.
        reader = protocol.min_reader_version
        reader = 1 if reader >= READER_FEATURES_VERSION else reader
        features |= Protocol(reader, protocol.min_writer_version).implicit_features
    missing = protocol.missing_features(snapshot.metadata)
    features |= {name for name in missing if FEATURES[name].in_delta_spark}
    wanted = frozenset({*past.lost, *chain(*_NEEDED_BY_FILES.values()), "domainMetadata"})
    used = usages(replace(snapshot, protocol=Protocol(3, 7, frozenset(), wanted)))
    for name in wanted & FEATURES.keys():
        if used[name].evidence and FEATURES[name].activation.find is not None:
            features.add(name)
    return {*with_requirements(features)}


_NEEDED_BY_FILES: Final = {"DL707": {"deletionVectors"}, "DL603": {"v2Checkpoint"}}
"""Features without which clients misread files or a checkpoint, by the rules that say so."""


def _protocol(before: Protocol, features: Iterable[str]) -> Protocol:
    """The lowest protocol that has *features*, with whatever else *before* says."""
    known = [name for name in features if name in FEATURES and FEATURES[name].in_delta_spark]
    protocol = Protocol.apply().with_features(sorted(known)).normalized()
    others = frozenset(features).difference(known)
    if others:  # for which deltaadm does not commit, but which are not left out for that
        listed = protocol.denormalized().writer_features or frozenset()
        protocol = replace(protocol, min_writer_version=7, writer_features=listed | others)
    return replace(protocol, extra={key: before.extra[key] for key in before.unknown_keys})


def _mended_metadata(snapshot: Snapshot, past: Past) -> tuple[Metadata, dict[str, str]]:
    """The metadata without properties that keep clients from loading it, and what is wrong."""
    wrong = dict(_untrue(snapshot))
    metadata = snapshot.metadata.without_properties(*wrong)
    # With all features, nothing but the value itself is in the way.
    everything = supported_protocol(exclude=CATALOG_MANAGED)
    for key, value in snapshot.metadata.configuration.items():
        if _is_valid(key, value):
            continue
        without = metadata.without_properties(key)
        obstacles = [obstacle_to_reading(everything, state) for state in (metadata, without)]
        if len({obstacle and obstacle.refusal.message for obstacle in obstacles}) == 1:
            continue
        earlier = past.values.get(key)
        if key == Key.COLUMN_MAPPING_MODE and earlier is None and any(_mapped(metadata)):
            raise RefusedError(
                f"{key} is {value!r}, and no version in the log tells by which names the "
                "data files have their columns",
                remedy="Find out how the table was written, and set the mode with that program.",
            )
        metadata = without if earlier is None else metadata.with_properties({key: earlier})
        wrong[key] = f"is {value!r}, which Delta cannot read"
    return metadata, wrong


def _untrue(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Properties that no feature stands behind, and which would be untrue with it; and why."""
    protocol, metadata = snapshot.protocol, snapshot.metadata
    configuration, files, info = metadata.configuration, snapshot.files, snapshot.commit_info
    if not protocol.supports("rowTracking") and switch(configuration, Key.ROW_TRACKING):
        without_ids = files is not None and files.without_base_row_id
        if without_ids or Key.ROW_ID_COLUMN not in configuration:
            yield Key.ROW_TRACKING, "is on, but the table has no row ids"
    # Of a table without lists, Delta goes by the metadata.
    has_lists = protocol.supports_writer_features or protocol.malformation
    untimed = info is None or info.in_commit_timestamp is None
    is_timed = switch(configuration, Key.IN_COMMIT_TIMESTAMPS)
    if has_lists and is_timed and untimed and not protocol.supports("inCommitTimestamp"):
        yield Key.IN_COMMIT_TIMESTAMPS, "is on, but the newest version has no timestamp of its own"
    is_mapped = configuration.get(Key.COLUMN_MAPPING_MODE, "none").lower() in {"name", "id"}
    if is_mapped and not protocol.supports("columnMapping") and not all(_mapped(metadata)):
        yield Key.COLUMN_MAPPING_MODE, "is on, but columns have no ids and physical names"


def _mapped(metadata: Metadata) -> list[bool]:
    keys = {"delta.columnMapping.id", "delta.columnMapping.physicalName"}
    return [keys <= column.metadata.keys() for _, column in metadata.schema.walk()]


def _shown(protocol: Protocol) -> str:
    versions = f"({protocol.min_reader_version}, {protocol.min_writer_version})"
    names = sorted(protocol.explicit_names)
    return f"{versions} with {', '.join(names)}" if names else versions


# Live files that are not in the storage any more


def find_missing_files(case: Case) -> Iterator[Repair]:
    """Live files without their data or their deletion vector, where somebody asks for them."""
    snapshot = case.loaded if case.remove_missing_files else None
    if snapshot is None or snapshot.segment is None:  # other kinds of damage are mended first
        return
    total, missing, without_vector = 0, list[AddFile](), list[AddFile]()

    def look(add: AddFile) -> tuple[AddFile, list[AddFile] | None]:
        if case.data_size(add.path) is None:
            return add, missing
        vector = add.deletion_vector
        if vector is None or vector.storage_type == INLINE or descriptor_flaw(vector):
            return add, None
        return add, without_vector if case.data_size(vector_path(vector)) is None else None

    for add, lacking in each_ahead(look, live_files(case, snapshot.segment), case.at_once):
        total += 1
        if lacking is not None:
            lacking.append(add)
    if without_vector:
        wrong = f"{_named(without_vector, total)} have no deletion vector in the storage."
        refusal = "nothing else tells which of their rows are deleted"
        remedy = (
            "Restore them from a backup, or from earlier versions of the objects if the bucket "
            "keeps those; or restore the table to a version that does not need them."
        )
        yield refused("data_files", "DL721", wrong, refusal, remedy)
    if missing:
        yield _removal(case, snapshot, missing, total)


def _named(files: list[AddFile], total: int) -> str:
    return f"{len(files)} of {total} live files ({some_of(add.path for add in files)})"


def _removal(case: Case, snapshot: Snapshot, missing: list[AddFile], total: int) -> Repair:
    wrong = f"{_named(missing, total)} are not in the storage."
    configuration, version = snapshot.metadata.configuration, snapshot.version + 1
    refusal = next(obstacles_to_writing(snapshot), "")
    remedy = "Remove them with a client that knows the feature."
    if len(missing) == total:
        refusal = "all files are, so that the storage is more likely the wrong one than empty"
        remedy = "Look whether the table has moved, and whether you may read its files."
    elif switch(configuration, "delta.appendOnly"):
        refusal = "delta.appendOnly is true, and nobody may remove files"
        remedy = "Restore the files, or: `deltaadm alter TABLE --set delta.appendOnly=false`."
    if refusal:
        return refused("data_files", "DL716", wrong, refusal, remedy)
    deleted = sum(add.deletion_vector.cardinality for add in missing if add.deletion_vector)
    rows = sum(num_records(add.stats) or 0 for add in missing) - deleted
    effect = (
        f"By the statistics, at least {rows:,} rows are lost. Better restore the files where a "
        "backup or earlier versions of the objects have them, or the table to a version that needs "
        "none of them: `deltaadm history TABLE --restorable`. Streams that read the table stop at "
        f"version {version} unless they skip such changes."
    )
    if switch(configuration, Key.CHANGE_DATA_FEED):
        effect += f" The change data feed cannot be read across version {version}."
    removals = [
        RemoveFile(
            deletion_timestamp=case.now,
            extended_file_metadata=True,
            **{name: getattr(add, name) for name in _KEPT},
        )
        for add in missing
    ]
    files, lost = _commit(case, snapshot, "FSCK", {"dryRun": "false"}, removals), len(missing)
    alters, unproved = ("version", "add"), ("the rows that were in the missing files",)
    return Repair("data_files", "DL716", wrong, files, alters, effect, unproved, lost_files=lost)


_KEPT: Final = (
    "path", "partition_values", "size", "tags", "deletion_vector", "base_row_id",
    "default_row_commit_version",
)  # fmt: skip
"""What a tombstone says of a file as its `add` action does."""
