"""Carrying out steps by commits that deltaadm writes itself: no JVM, and no rows."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from deltaadm import __version__
from deltaadm.dataclass import replace
from deltaadm.domain.features import Cost
from deltaadm.domain.json_values import compact
from deltaadm.domain.properties import (
    CHECKPOINT_INTERVAL,
    ICT_ENABLEMENT_TIMESTAMP,
    checkpoint_interval,
    is_true,
)
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import path_text, rewrite, walk
from deltaadm.domain.snapshot import commit_name
from deltaadm.domain.sql.ddl import CURRENT_DEFAULT, EXISTS_DEFAULT, GENERATION
from deltaadm.domain.sql.expressions import is_constant_of
from deltaadm.domain.steps.evolve import evolve
from deltaadm.domain.transaction.column_mapping import NESTED_IDS, PHYSICAL_NAME
from deltaadm.domain.transaction.columns import (
    clustering_columns,
    physical_clustering,
    with_clustering,
)
from deltaadm.domain.transaction.obligations import obstacles_in_metadata, obstacles_in_protocol
from deltaadm.domain.transaction.update import IN_COMMIT_TIMESTAMPS, ROW_TRACKING
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, CommitInfo, CommitMark, Metadata
from deltaadm.errors import CommitError, DeltaadmError, FileMissing, Refused, UnknownWrite
from deltaadm.limits import load_json
from deltaadm.plans.diff import diff
from deltaadm.plans.plan import depends_on_state, propose, require_same_base
from deltaadm.replay.commits import body, each_action, newest_actions
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from deltaadm.domain.protocol import SessionSettings
    from deltaadm.domain.schema import DataType, Path, StructField
    from deltaadm.domain.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.domain.wire import Loggable
    from deltaadm.plans.plan import Plan
    from deltaadm.storage.store import LogStore, ObjectStores, WritableStore


# Actions


def commit_timestamp(before: Snapshot, after: Snapshot, now: int) -> int | None:
    """
    The in-commit timestamp of the commit that makes *after*, where it has one.

    It is later than that of *before* whatever the clock says; *now* is in ms since the epoch.
    """
    if not is_true(after.metadata.configuration, IN_COMMIT_TIMESTAMPS):
        return None
    if not before.exists:
        return now
    if before.timestamp is None:
        raise CommitError(
            f"The timestamp of version {before.version} is not known, and the next one must be "
            "later.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )
    # As PROTOCOL.md demands of in-commit timestamps: strictly increasing, whatever the clocks do.
    return max(now, before.timestamp + 1)


def commit_info(
    before: Snapshot,
    after: Snapshot,
    step: Step,
    *,
    timestamp: int | None,
    now: int,
    txn_id: str,
    mark: str,
) -> CommitInfo:
    """The commitInfo of *step*, with its in-commit *timestamp*."""
    operation = step.operation(before, after)
    if operation is None:
        raise CommitError(f"Only Delta Spark commits the step {step.kind}.")
    return CommitInfo(
        in_commit_timestamp=timestamp,
        timestamp=now,
        operation=operation.name,
        operation_parameters=operation.parameters,
        read_version=before.version if before.exists else None,
        # Delta lowers the level only for commits without metadata.
        isolation_level="Serializable",
        # So Delta calls whatever reads no file and removes none, also without an append.
        is_blind_append=not operation.reads_files,
        operation_metrics={},
        user_metadata=mark,
        engine_info=f"deltaadm/{__version__}",
        txn_id=txn_id,
    )


def with_committed_values(after: Snapshot, timestamp: int | None, now: int) -> Snapshot:
    """*after* with everything in place that only a commit can choose, with its *timestamp*."""
    metadata = after.metadata
    if KNOWN_AFTER_COMMIT in (metadata.schema_string or ""):
        metadata = metadata.with_schema(rewrite(metadata.schema, _with_physical_name))
    configuration = {
        key: value.replace(
            KNOWN_AFTER_COMMIT,
            str(timestamp) if key == ICT_ENABLEMENT_TIMESTAMP else random_id(),
        )
        if KNOWN_AFTER_COMMIT in value
        else value
        for key, value in metadata.configuration.items()
    }
    metadata = metadata.with_configuration(configuration)
    if metadata.id == KNOWN_AFTER_COMMIT:
        metadata = replace(metadata, id=random_id(), created_time=now)
    actual = replace(after, metadata=metadata)
    # Clustered by the physical names that it has in place of those that were open.
    columns = clustering_columns(after)
    named = with_clustering(actual, columns) if columns else actual
    same = physical_clustering(actual.domains or {}) == physical_clustering(named.domains or {})
    return actual if same else named


def _with_physical_name(_: Path, field: StructField) -> StructField:
    """*field* with a name of its own, which those of the parts of an array or a map begin with."""
    open_name = field.metadata.get(PHYSICAL_NAME)
    if not isinstance(open_name, str) or KNOWN_AFTER_COMMIT not in open_name:
        return field
    name = open_name.replace(KNOWN_AFTER_COMMIT, random_id())
    nested = field.metadata.get(NESTED_IDS)
    metadata = {**field.metadata, PHYSICAL_NAME: name}
    if isinstance(nested, dict):
        metadata[NESTED_IDS] = {
            name + key[len(open_name) :] if key.startswith(open_name) else key: number
            for key, number in nested.items()
        }
    return replace(field, metadata=metadata)


def random_id() -> str:
    """A random UUID, as Java writes it."""
    # By hand: the module `uuid` takes longer to import.
    bits = bytearray(os.urandom(16))
    bits[6] = bits[6] & 0x0F | 0x40
    bits[8] = bits[8] & 0x3F | 0x80
    text = bits.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def actions(before: Snapshot, after: Snapshot, info: CommitInfo) -> Sequence[Loggable]:
    """
    The actions that make *after* of *before*, in Delta's order, *info* first.

    As Delta does, the metadata is written whether it differs or not.
    """
    domains = before.domains or {}
    return (
        info,
        after.metadata,
        *((after.protocol,) if after.protocol != before.protocol else ()),
        *(domain for name, domain in (after.domains or {}).items() if domain != domains.get(name)),
    )


def commit_body(found: Sequence[Loggable]) -> bytes:
    """The file of a commit with these actions."""
    text = "".join(f"{compact(action.wrap())}\n" for action in found)
    if KNOWN_AFTER_COMMIT in text:
        raise CommitError(
            "The plan leaves something open that only Delta Spark can choose.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )
    return text.encode()


# Checksums


_ABOUT_FILES: Final = (
    "tableSizeBytes", "numFiles", "numDeletedRecordsOpt", "numDeletionVectorsOpt", "numMetadata",
    "numProtocol", "setTransactions", "domainMetadata", "metadata", "protocol",
    "deletedRecordCountsHistogramOpt", "histogramOpt", "fileSizeHistogram", "allFiles",
)  # fmt: skip
"""The fields that are copied, apart from those that the commit replaces; others may be outdated."""

_REQUIRED: Final = ("tableSizeBytes", "numFiles", "numMetadata", "numProtocol")


def checksum_name(version: int) -> str:
    """The file with the checksum of *version*."""
    return f"{version:020d}.crc"


def next_checksum(
    store: LogStore, before: Snapshot, after: Snapshot, info: CommitInfo
) -> bytes | None:
    """
    The checksum of the version that *after* is, which *info* has committed on top of *before*.

    None where the one of *before* is not there, lacks numbers, or does not fit *before*.
    """
    known = _checksum_of(store, before)
    if known is None:
        return None
    changed: dict[str, Any] = {
        "txnId": info.txn_id,
        **{key: known[key] for key in _ABOUT_FILES if key in known},
        "metadata": after.metadata.to_wire(),
        "protocol": after.protocol.to_wire(),
    }
    if info.in_commit_timestamp is not None:
        changed["inCommitTimestampOpt"] = info.in_commit_timestamp
    domains = {
        name: domain.to_wire()
        for name, domain in (after.domains or {}).items()
        if domain != (before.domains or {}).get(name)
    }
    if domains:
        listed = changed.get("domainMetadata")
        # Without the list of before, the domains that stay would be missing from the new one.
        if not isinstance(listed, list):
            return None
        others = [entry for entry in listed if entry.get("domain") not in domains]
        changed["domainMetadata"] = [*others, *domains.values()]
    return compact(changed).encode()


def _checksum_of(store: LogStore, snapshot: Snapshot) -> Mapping[str, Any] | None:
    segment = snapshot.segment
    if segment is None or segment.crc is None or segment.crc.version != snapshot.version:
        return None
    try:
        checksum = load_json(store.read(segment.crc.path))
        fits = (
            all(isinstance(checksum[key], int) for key in _REQUIRED)
            and Protocol.from_wire(checksum["protocol"]) == snapshot.protocol
            # A wrong checksum is not handed on: later ones would all be made from it.
            and Metadata.from_wire(checksum["metadata"]).says_the_same_as(snapshot.metadata)
        )
    except (DeltaadmError, LookupError, TypeError, AttributeError, ValueError, RecursionError):
        return None
    return checksum if fits else None


# Lost races


_HARMLESS: Final = frozenset({"commitInfo", "add", "remove", "cdc", "txn"})
_ROW_IDS: Final = "delta.rowTracking"

_REPLAN: Final = "Plan again on the current table."


def last_harmless(store: LogStore, first: int, domains: Collection[str]) -> int:
    """
    The last version of the table, where all from *first* on leave alone what a commit is based on.

    *domains* are those that it writes. Raises `CommitError` for the first of the versions that does
    not, or cannot be read.
    """
    version = first
    while True:
        met = f"Version {version} was committed in the meantime"
        try:
            reasons = set(_reasons(store, commit_name(version), domains))
        except FileMissing:
            return version - 1
        except DeltaadmError as error:
            raise CommitError(
                f"{met}, and cannot be read: {error.message}",
                remedy="Find out what wrote it: deltaadm validate TABLE.",
            ) from error
        if reasons:
            # Of several, the class that Delta looks for first happens to be the last by name.
            error_class, what = max(reasons)
            raise CommitError(f"{met} and {what}.", remedy=_REPLAN, delta_error_class=error_class)
        version += 1


def _reasons(store: LogStore, name: str, domains: Collection[str]) -> Iterator[tuple[str, str]]:
    """Error classes and clauses."""
    for key, document in each_action(body(store, name), name):
        if key == "protocol":
            yield "DELTA_PROTOCOL_CHANGED", "changes the protocol"
        elif key == "metaData":
            yield "DELTA_METADATA_CHANGED", "changes the metadata"
        elif key == "domainMetadata":
            domain = document.get("domain")
            # Delta merges high water marks of row ids, and so does whoever commits next.
            if domain in domains and domain != _ROW_IDS:
                yield "DELTA_CONCURRENT_TRANSACTION", f"changes the domain {domain}"
        # An action from a newer Delta may mean anything.
        elif key not in _HARMLESS:
            yield "DELTA_METADATA_CHANGED", f"has an action {key}, which is not known"


# What is supported


_OPEN_DEFAULT: Final = f'"{EXISTS_DEFAULT}":"{KNOWN_AFTER_COMMIT}"'
_UNIFORM: Final = "delta.universalFormat.enabledFormats"


def require_committable(plan: Plan, store: WritableStore | None = None) -> None:
    """
    Raise `Refused` unless *plan* is one that is committed without Delta Spark, to *store*.

    A store is asked for only where its kind matters.
    """
    for obstacle in obstacles(plan, store):
        raise Refused(
            f"The embedded commit engine cannot commit this plan: {obstacle}.",
            remedy="Commit it through Spark: --commit-engine spark.",
        )


def obstacles(plan: Plan, store: WritableStore | None = None) -> Iterator[str]:
    """Why *plan* is not committed without Delta Spark, as clauses; none where it is."""
    if store is not None and not plan.is_noop and store.obstacle:
        yield store.obstacle
    for before, stage in zip(plan.states, plan.stages, strict=False):
        if stage.is_commit:
            step = stage.step
            what = f"the step {step.kind}"
            operation = step.operation(before, stage.after)
            # Of an empty table that has no column mapping, Delta rewrites nothing to remove it.
            is_empty = (
                operation is not None
                and operation.reads_files
                and before.files is not None
                and not before.files.files
            )
            if stage.cost is not Cost.METADATA and not is_empty:
                yield f"{what} is a {stage.cost.value}, which takes Spark to read or write files"
            elif stage.several_commits or stage.waits:
                yield f"{what} takes several commits, of which some are about files or history"
            elif stage.obstacle:
                yield f"{stage.obstacle[:1].lower()}{stage.obstacle[1:]}"
            elif operation is None:
                yield f"{what} takes Spark, which reads rows or a catalog for it"
            elif _OPEN_DEFAULT in (stage.after.metadata.schema_string or ""):
                yield "a column has a default, which takes Spark to evaluate"
            else:
                yield from _of_expressions(before, stage.after)
            for protocol in (before.protocol, stage.after.protocol):
                yield from obstacles_in_protocol(protocol)
            yield from _of_properties(before, stage.after)


def _of_expressions(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Obstacles in new defaults and generated columns."""
    # Spark analyses them unless they are plain constants.
    if not any(
        key in (after.metadata.schema_string or "") for key in (CURRENT_DEFAULT, GENERATION)
    ):
        return
    known = [expression[1:] for expression in _expressions(before)]
    for path, key, text, data_type in _expressions(after):
        is_constant = key == CURRENT_DEFAULT and is_constant_of(data_type, text)
        if (key, text, data_type) not in known and not is_constant:
            yield f"the expression of {path_text(path)}, {text}, takes Spark to check"


def _expressions(snapshot: Snapshot) -> Iterator[tuple[Path, str, str, DataType]]:
    for path, column in walk(snapshot.metadata.schema):
        for key in (CURRENT_DEFAULT, GENERATION):
            text = column.metadata.get(key)
            if isinstance(text, str):
                yield path, key, text, column.type


def _of_properties(before: Snapshot, after: Snapshot) -> Iterator[str]:
    configuration = after.metadata.configuration
    begins = is_true(configuration, ROW_TRACKING) and before.exists
    if begins and not is_true(before.metadata.configuration, ROW_TRACKING):
        yield f"{ROW_TRACKING} becomes true, and Spark assigns row ids to the files that are there"
    yield from obstacles_in_metadata(after.metadata)
    if configuration.get(_UNIFORM):
        yield f"{_UNIFORM} is set, and metadata of other formats is written by Spark after a commit"


# The executor


_ATTEMPTS: Final = 3
"""The number of attempts to write a version when the store does not say whether it was written."""


class EmbeddedExecutor:
    """
    An `Executor` that writes commits itself, for plans that `require_committable` lets pass.

    *session* are the settings under which the plans were made, *clock* tells the time in ms since
    the epoch, and *warn* hears of a checkpoint that was due and could not be written. Steps on
    different tables may be applied in different threads.
    """

    def __init__(
        self,
        session: SessionSettings,
        clock: Callable[[], int],
        object_stores: ObjectStores | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._warn = warn
        self._session = session
        self._clock = clock
        self._object_stores = object_stores
        self._own = f"deltaadm/{__version__} {random_id()}"
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was started."""

    def settings(self) -> SessionSettings:
        """The session settings of the plans: nothing else decides what is committed."""
        return self._session

    def check(self, before: Snapshot, step: Step) -> None:
        """Everything is checked while planning."""

    def mark(self) -> CommitMark:
        """The mark of its commits."""
        return CommitMark(self._own, is_unique=True)

    def may_still_commit(self) -> bool:
        """Whether a store may still carry out a write that it has not answered."""
        return self._open

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        """
        Commit *step* on the table at *root*, which is in the state *base* if that is given.

        Raises `CommitError` where others have changed the table, `UnknownWrite` where the store
        does not say whether it has written, and `Refused` where Delta would refuse the step.
        """
        store = open_store(root, object_stores=self._object_stores)
        before = base or load_snapshot(store)
        if not step.has_statement:
            from deltaadm.plans.checkpoint import write_checkpoint  # and pyarrow

            write_checkpoint(store, before)
            return
        plan = propose("", before, [step], session=self._session, check_outcome=False)
        detail = Detail.STATE if step.is_in_domains or depends_on_state(plan) else Detail.PROTOCOL
        if (
            before.exists
            and detail is Detail.STATE
            and (before.domains is None or before.files is None)
        ):
            # At the same version: what others have committed since then is for `_rebased` to judge.
            before = load_snapshot(store, version=before.version, detail=detail)
        attempt = self._attempt(before, step, random_id())
        while not self._written(store, attempt):
            attempt = self._rebased(store, attempt, step, detail)
        # A checksum is an aid: the commit is done, and must not be reported as failed for it.
        with suppress(DeltaadmError):
            checksum = next_checksum(store, attempt.before, attempt.actual, attempt.info)
            if checksum is not None:
                store.create(checksum_name(attempt.version), checksum)
        interval = checkpoint_interval(attempt.actual.metadata.configuration)
        if attempt.version and attempt.version % interval == 0:
            self._write_checkpoint(store, attempt.version)

    def _attempt(self, before: Snapshot, step: Step, txn_id: str) -> _Attempt:
        # Once more on the state that is met: a plan may have been made on another one.
        require_committable(propose("", before, [step], session=self._session, check_outcome=False))
        after = evolve(before, step, self._session)
        now = self._clock()
        timestamp = commit_timestamp(before, after, now)
        actual = with_committed_values(after, timestamp, now)
        info = commit_info(
            before,
            actual,
            step,
            timestamp=timestamp,
            now=now,
            txn_id=txn_id,
            mark=step.user_metadata or self.mark().on(step.annotation) or self._own,
        )
        return _Attempt(before, after, actual, info)

    def _written(self, store: WritableStore, attempt: _Attempt) -> bool:
        """
        Write a commit; False where the version is somebody else's.

        Raises `UnknownWrite` where the store does not say whether it has written.
        """
        name = commit_name(attempt.version)
        content = commit_body(actions(attempt.before, attempt.actual, attempt.info))
        unknown: UnknownWrite | None = None
        for _ in range(_ATTEMPTS):
            self._open = store.local_path is None  # a request goes on when nobody waits for it
            try:
                if store.create(name, content):
                    self._open = False
                    return True
            except UnknownWrite as error:
                if store.local_path is not None:  # it is there: asking again would not tell more
                    raise
                unknown = error
            except DeltaadmError as error:
                # This attempt has failed for certain, an earlier one perhaps not.
                self._open = unknown is not None
                raise (unknown or error) from error
            # Asked again, a store may find the file that it has written at first: the file tells.
            transaction = _transaction(store, name)
            if transaction is not None:
                self._open = False
                return transaction == attempt.info.txn_id
        raise unknown or UnknownWrite(
            f"The store of {store.root} says that {name} is there, and does not find it.",
            remedy="Inspect the table, then plan again.",
        )

    def _rebased(
        self, store: WritableStore, lost: _Attempt, step: Step, detail: Detail
    ) -> _Attempt:
        """The same commit on top of what others have committed; raises `CommitError`."""
        before, after = lost.before, lost.after
        written = {
            name
            for name, domain in (after.domains or {}).items()
            if domain != (before.domains or {}).get(name)
        }
        last = last_harmless(store, lost.version, written)
        newest = load_snapshot(store, version=last, detail=detail)
        require_same_base(before, newest)
        # The same transaction id: if a lost attempt was written after all, it is recognised as
        # ours.
        attempt = self._attempt(newest, step, lost.info.txn_id or "")
        # Consent was given to these changes and no others.
        if _subjects(before, after) != _subjects(newest, attempt.after):
            raise CommitError(
                f"Others have committed up to version {last}, after which the step {step.kind} "
                "means something else.",
                remedy="Plan again on the current table.",
            )
        return attempt

    def _write_checkpoint(self, store: WritableStore, version: int) -> None:
        """The checkpoint of *version*, which has been committed; a table does without."""
        from deltaadm.plans.checkpoint import write_checkpoint

        try:
            write_checkpoint(store, load_snapshot(store, version=version))
        # The commit is done, and must not be reported as failed for whatever happens here.
        except Exception as error:  # noqa: BLE001
            cause = error.message if isinstance(error, DeltaadmError) else repr(error)
            self._warn(
                f"Warning: version {version} of {store.root} was committed, but not the checkpoint "
                f"that {CHECKPOINT_INTERVAL} asks for: {cause.rstrip('.')}. No other program "
                "writes it."
            )


class _Attempt(NamedTuple):
    """A commit on top of the state `before`: as predicted, and as it is written."""

    before: Snapshot
    after: Snapshot
    actual: Snapshot
    info: CommitInfo

    @property
    def version(self) -> int:
        return self.before.version + 1


def _subjects(before: Snapshot, after: Snapshot) -> list[str]:
    return [change.subject for change in diff(before, after)]


def _transaction(store: WritableStore, name: str) -> str | None:
    """The owner of the commit *name*, by its `txnId`; empty without one, None without a commit."""
    try:
        newest = newest_actions(body(store, name), name)
    except FileMissing:
        return None
    except DeltaadmError as error:
        # The store is out of reach: it stays open whose the commit is.
        if error.exit_code == UnknownWrite.exit_code:
            return None
        return ""
    infos = [document for key, document in newest if key == "commitInfo"]
    txn_id = infos[0].get("txnId") if infos else None
    return txn_id if isinstance(txn_id, str) else ""
