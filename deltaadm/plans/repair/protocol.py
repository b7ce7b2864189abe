"""Protocols, properties and missing data files, and the commits that mend them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deltaadm.dataclass import replace
from deltaadm.domain.actions import AddFile, RemoveFile
from deltaadm.domain.features import FEATURES, TableFeature, with_requirements
from deltaadm.domain.file_facts import INLINE, descriptor_flaw, num_records
from deltaadm.domain.properties import PROPERTIES, Key, switch
from deltaadm.domain.protocol import (
    READER_FEATURES_VERSION,
    WRITER_FEATURES_VERSION,
    Protocol,
    supported_protocol,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.spark_support import obstacle_to_reading, refusal_to_read
from deltaadm.domain.transaction.update import obstacles_to_writing
from deltaadm.domain.usage import usages
from deltaadm.domain.wire import Loggable, Metadata
from deltaadm.errors import DeltaadmError, RefusedError, TableError
from deltaadm.json_values import compact
from deltaadm.plans.plan import snapshot_findings
from deltaadm.plans.repair.repair import Case, Repair, commit, rebuild, refused
from deltaadm.replay.commits import read_lines
from deltaadm.replay.embedded import live_files
from deltaadm.replay.examine import vector_path
from deltaadm.replay.load import CATALOG_MANAGED
from deltaadm.replay.timeline import timeline
from deltaadm.rules.protocol import lost_features
from deltaadm.rules.rule import Finding, Severity
from deltaadm.storage.threads import each_ahead

# What the history tells


class Past:
    """
    What the versions of a table tell about it: features that it lost, and the last valid value that
    each of its properties had.

    Those that `implied` has were lost when the protocol began to list features: each with the
    writer version that had implied it. `lost` has those that were lost otherwise, each with how.
    `malformed` are the versions whose protocols contradict themselves.
    """

    def __init__(self) -> None:
        self.implied: dict[str, int] = {}
        self.lost: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.malformed: list[int] = []

    def take(self, before: Snapshot, after: Snapshot) -> None:
        """Take in what the states before and after a commit tell."""
        for key, value in after.metadata.configuration.items():
            if _is_valid(key, value):
                self.values[key] = value
        if before.exists and before.protocol == after.protocol:
            return
        if after.protocol.malformation:
            self.malformed.append(after.version)
        if not before.exists:
            return
        info, old, new = after.commit_info, before.protocol, after.protocol
        operation = (info and info.operation) or ""
        if any(word in operation for word in ("REPLACE TABLE", "CLONE", "RESTORE")):
            self.implied.clear()
            self.lost.clear()
            return
        began = not old.supports_writer_features and new.supports_writer_features
        dropped = str(info.parameter("featureName")) if info and operation == "DROP FEATURE" else ""
        for name in lost_features(old, new):
            if began and name in old.implicit_features and name.lower() != dropped.lower():
                self.implied[name] = old.min_writer_version
            elif not dropped:
                self.lost[name] = f"version {after.version} lost it"


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
_WITHOUT_LIST: Final = frozenset({"DL201", "DL202", "DL203"})


def find_protocol(case: Case) -> Iterator[Repair]:
    """A protocol, or properties, with which nobody can load the table."""
    if (snapshot := case.view.loaded) is None:  # other kinds of damage are mended first
        return
    for finding in snapshot_findings(snapshot):
        if finding.code == "DL302":
            reason = "nothing in the log tells which schema was meant"
            remedy = "Restore the commit with this metaData from a backup or an earlier version of "
            yield refused("protocol", "DL302", finding.message, reason, f"{remedy}the object.")
            return
    unproved, past = list[str](), Past()
    try:
        for before, after in timeline(case.view).changes():
            past.take(before, after)
    except TableError as error:
        unproved.append(f"which features earlier versions had: {error.message}")
    try:
        repair = _mended(case, snapshot, past, unproved)
    except RefusedError as error:
        refusal = refusal_to_read(snapshot)
        wrong = refusal.message if refusal else "The protocol is not valid."
        repair = refused("protocol", "DL211", wrong, error.message, error.remedy)
    checkpoint = snapshot.segment.checkpoint if snapshot.segment else None
    read = [number for number in past.malformed if not checkpoint or number > checkpoint.version]
    if repair is not None:
        yield repair
    elif read:
        wrong = (
            f"The protocol of version {read[-1]} cannot be decoded, and readers come across it "
            "though a later one has taken its place."
        )
        yield Repair("protocol", "DL103", wrong, (rebuild(snapshot.version),))


def _mended(case: Case, snapshot: Snapshot, past: Past, unproved: list[str]) -> Repair | None:
    """
    The one commit that lets clients load the table again; None where there is no need.

    Every feature stays that the protocol lists, and those come back that metadata, files or the
    *past* need. Raises `RefusedError` where nobody can say how the table has to be, or where
    deltaadm must not commit.
    """
    old, known = snapshot.protocol, snapshot_findings(snapshot)
    damage = [
        (finding.code, finding.message)
        for finding in known
        if finding.code in _DAMAGE and finding.severity is Severity.ERROR
    ]
    metadata, properties = _mended_metadata(snapshot, past)
    features = _features(replace(snapshot, metadata=metadata), past)
    new = {name: why for name, why in features.items() if why and not old.supports(name)}
    if lost := [name for name in past.implied if name in new]:
        implied = f"which writer version {past.implied[lost[0]]} implied"
        damage.append(("DL219", f"The lists lack {', '.join(lost)}, {implied}."))
    needed = {**_NEEDED_BY_FILES, **dict.fromkeys(past.lost, "DL218")}
    damage += [(needed[name], f"It lacks {name}: {new[name]}.") for name in new if name in needed]
    protocol = _protocol(old, features) if damage else old
    damage += [("DL310", f"{key} {wrong}.") for key, (wrong, _) in properties.items()]
    if not damage:
        return None
    after = replace(snapshot, metadata=metadata, protocol=protocol, version=snapshot.version + 1)
    _require_mended(after, old, known)
    effect = [f"The protocol becomes {_shown(protocol)}."] if protocol != old else []
    for why in dict.fromkeys(new.values()):
        names = ", ".join(sorted(name for name in new if new[name] == why))
        effect.append(f"New: {names} ({why}).")
    effect += [f"{key} is {now}." for key, (_, now) in properties.items()]
    codes = {code for code, _ in damage}
    if codes & _WITHOUT_LIST:
        unproved.append("which features the protocol had that nothing in the table shows")
    actions: list[Loggable] = [metadata] if metadata != snapshot.metadata else []
    name, parameters = "SET TBLPROPERTIES", {"properties": compact(metadata.configuration)}
    if protocol.to_wire() != old.to_wire():
        actions.append(protocol)
        name, parameters = "UPGRADE PROTOCOL", {"newProtocol": compact(protocol.to_wire())}
    operations = [commit(case, snapshot, name, parameters, actions)]
    return Repair(
        "protocol",
        damage[0][0],
        " ".join(message for _, message in damage),
        (*operations, *([rebuild(after.version)] if codes & _CONTRADICTIONS else [])),
        alters=("version", *(action.NAME for action in actions)),
        effect=" ".join(effect),
        unproved=tuple(unproved),
    )


def _require_mended(after: Snapshot, old: Protocol, known: Sequence[Finding]) -> None:
    """Raise `RefusedError` where the protocol *old* cannot become what *after* has."""
    for version, highest in (
        (old.min_reader_version, READER_FEATURES_VERSION),
        (old.min_writer_version, WRITER_FEATURES_VERSION),
    ):
        if version > highest:
            raise RefusedError(
                f"version {version} may be that of a newer Delta, whose meaning is not known here",
                remedy="Use a client that knows it. If the number is a mistake, restore the log to "
                "the version before the commit that set it, or copy the data into a new table.",
            )
    for obstacle in obstacles_to_writing(after):
        raise RefusedError(
            f"deltaadm cannot commit to the table: {obstacle}",
            remedy="Have a client that knows the feature write the protocol again.",
        )
    refusal = refusal_to_read(after)
    errors = [refusal.message] if refusal else []
    errors += [
        finding.message
        for finding in snapshot_findings(after)
        if finding.severity is Severity.ERROR and finding not in known
    ]
    for why in errors:
        raise RefusedError(
            f"with {_shown(after.protocol)} something else is wrong: {why.rstrip('.')}",
            remedy="Mend that first, with the client that wrote it.",
        )


def _features(snapshot: Snapshot, past: Past) -> dict[str, str]:
    """The features that the table must have, each with the reason; none for one that it lists."""
    protocol = snapshot.protocol
    names = {name.strip() for name in protocol.explicit_names}
    legal = {name for name in names if re.fullmatch(r"[\w-]+", name)}
    entries = {name: TableFeature.lookup(name) for name in legal}
    features = {entry.name if entry else name: "" for name, entry in entries.items()}
    reasons = {name: _IMPLIED.format(version) for name, version in past.implied.items()}
    if protocol.min_writer_version < WRITER_FEATURES_VERSION:
        # Beside a list, which must not be there, an old version says what it always has.
        reader = protocol.min_reader_version
        legacy = Protocol(
            1 if reader >= READER_FEATURES_VERSION else reader, protocol.min_writer_version
        )
        said = _IMPLIED.format(protocol.min_writer_version)
        reasons |= dict.fromkeys(legacy.implicit_features, said)
    for name, evidence in protocol.missing_features(snapshot.metadata).items():
        if FEATURES[name].in_delta_spark:
            reasons[name] = evidence[0]
    wanted = frozenset({*past.lost, *_NEEDED_BY_FILES, "domainMetadata"}) - features.keys()
    used = usages(replace(snapshot, protocol=Protocol(3, 7, frozenset(), wanted)))
    for name in sorted(wanted):
        feature, evidence = FEATURES.get(name), used[name].evidence
        if evidence and feature is not None and feature.activation.find is not None:
            reasons.setdefault(name, "; ".join([evidence[0], *filter(None, [past.lost.get(name)])]))
    for name, why in reasons.items():
        features.setdefault(name, why)
    for name in sorted({*with_requirements(features)} - features.keys()):
        by = [other for other in features if name in with_requirements({other})]
        features[name] = f"{', '.join(by)} requires it"
    return features


_IMPLIED: Final = "writer version {} implied it"
_NEEDED_BY_FILES: Final = {"deletionVectors": "DL707", "v2Checkpoint": "DL603"}
"""Features without which clients misread files or a checkpoint, and the rules that say so."""


def _protocol(before: Protocol, features: Iterable[str]) -> Protocol:
    """The lowest protocol that has *features*, with whatever else *before* says."""
    known = [name for name in features if name in FEATURES and FEATURES[name].in_delta_spark]
    protocol = Protocol.apply().with_features(sorted(known)).normalized()
    others = frozenset(features).difference(known)
    if others:  # for which deltaadm does not commit, but which are not left out for that
        listed = protocol.denormalized().writer_features or frozenset()
        protocol = replace(protocol, min_writer_version=7, writer_features=listed | others)
    return replace(protocol, extra={key: before.extra[key] for key in before.unknown_keys})


def _mended_metadata(snapshot: Snapshot, past: Past) -> tuple[Metadata, dict[str, tuple[str, str]]]:
    """
    The metadata without the properties that keep clients from loading it; of each, what is wrong
    with it, and what it becomes.
    """
    metadata = snapshot.metadata
    mended = {key: (f"is on, but {why}", "unset") for key, why in _untrue(snapshot)}
    metadata = metadata.without_properties(*mended)
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
        now = "unset" if earlier is None else f"{earlier!r} again, its last valid value"
        mended[key] = (f"is {value!r}, which Delta cannot read", now)
    return metadata, mended


def _untrue(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Properties that no feature stands behind, and which would be untrue with it; and why."""
    protocol, metadata = snapshot.protocol, snapshot.metadata
    configuration, files, info = metadata.configuration, snapshot.files, snapshot.commit_info
    if not protocol.supports("rowTracking") and switch(configuration, Key.ROW_TRACKING):
        if files is not None and files.without_base_row_id:
            count = files.without_base_row_id
            yield Key.ROW_TRACKING, f"{count} of the table's files have no row ids"
        elif Key.ROW_ID_COLUMN not in configuration:
            yield Key.ROW_TRACKING, f"{Key.ROW_ID_COLUMN} is not set"
    # Of a table without lists, Delta goes by the metadata.
    has_lists = protocol.supports_writer_features or protocol.malformation
    untimed = info is None or info.in_commit_timestamp is None
    is_timed = switch(configuration, Key.IN_COMMIT_TIMESTAMPS)
    if has_lists and is_timed and untimed and not protocol.supports("inCommitTimestamp"):
        yield Key.IN_COMMIT_TIMESTAMPS, f"version {snapshot.version} has no timestamp of its own"
    is_mapped = configuration.get(Key.COLUMN_MAPPING_MODE, "none").lower() in {"name", "id"}
    if is_mapped and not protocol.supports("columnMapping") and not all(_mapped(metadata)):
        yield Key.COLUMN_MAPPING_MODE, "columns have no ids and physical names"


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
    snapshot = case.view.loaded if case.remove_missing_files else None
    if snapshot is None:  # nobody asks, or other kinds of damage are mended first
        return
    total, missing, without_vector = 0, list[AddFile](), list[AddFile]()
    assert snapshot.segment is not None  # noqa: S101 -- a loaded snapshot has one
    store = case.view

    def look(add: AddFile) -> tuple[AddFile, str]:
        if store.data_size(add.path) is None:
            return add, "data"
        vector = add.deletion_vector
        if vector is None or vector.storage_type == INLINE or descriptor_flaw(vector):
            return add, ""
        return add, "vector" if store.data_size(vector_path(vector)) is None else ""

    for add, gone in each_ahead(look, live_files(store, snapshot.segment), store.at_once):
        total += 1
        if gone:
            (missing if gone == "data" else without_vector).append(add)
    if without_vector:
        yield refused(
            "data_files",
            "DL721",
            f"{_named(without_vector, total)} have no deletion vector in the storage.",
            "nothing else tells which of their rows are deleted",
            "Restore them from a backup, or from earlier versions of the objects if the bucket "
            "keeps those; or restore the table to a version that does not need them.",
        )
    if missing:
        yield _removal(case, snapshot, missing, total)


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
    counts = [num_records(add.stats) for add in missing]
    deleted = sum(add.deletion_vector.cardinality for add in missing if add.deletion_vector)
    rows = sum(count for count in counts if count is not None) - deleted
    unknown = f", not counting {counts.count(None)} files without" if None in counts else ""
    effect = [
        f"{rows:,} rows are lost by the statistics{unknown}.",
        _origin(case, missing),
        "Better restore the files where a backup or earlier versions of the objects have them.",
        f"Streams that read the table stop at version {version} unless they skip such changes.",
    ]
    if switch(configuration, Key.CHANGE_DATA_FEED):
        effect.append(f"The change data feed cannot be read across version {version}.")
    removals = [_tombstone(add, case.now) for add in missing]
    return Repair(
        "data_files",
        "DL716",
        wrong,
        (commit(case, snapshot, "FSCK", {"dryRun": "false"}, removals),),
        alters=("version", "add"),
        effect=" ".join(effect),
        unproved=("the rows that were in the missing files",),
        lost_files=len(missing),
    )


def _named(files: list[AddFile], total: int) -> str:
    some = ", ".join(add.path for add in files[:_SHOWN])
    return f"{len(files)} of {total} live files ({some}{', …' if files[_SHOWN:] else ''})"


_SHOWN: Final = 3


def _origin(case: Case, missing: list[AddFile]) -> str:
    paths, added = {add.path for add in missing}, list[int]()
    for file in reversed(case.listing.commits):
        for name, document in read_lines(case.view, file.path).actions():
            if name == "add" and (path := str(document.get("path"))) in paths:
                paths.discard(path)
                added.append(file.number)
        if not paths:
            first, last = min(added), max(added)
            by = f"version {first}" if first == last else f"versions {first} to {last}"
            older = f"; version {first - 1} is the newest that needs none" if first else ""
            return f"They were added by {by}{older}."
    return "The log does not go back to the version that added them."


def _tombstone(add: AddFile, now: int) -> RemoveFile:
    kept = (
        "path", "partition_values", "size", "tags", "deletion_vector", "base_row_id",
        "default_row_commit_version",
    )  # fmt: skip
    return RemoveFile(
        deletion_timestamp=now,
        extended_file_metadata=True,
        **{name: getattr(add, name) for name in kept},
    )
