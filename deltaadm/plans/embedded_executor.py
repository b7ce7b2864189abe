"""Carrying out steps by commits that deltaadm writes itself: no JVM, and no rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, Self

from deltaadm import __version__
from deltaadm.dataclass import replace
from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.features import Cost
from deltaadm.domain.properties import Key, checkpoint_interval, is_true
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.schema import FieldKey, path_text
from deltaadm.domain.snapshot import Snapshot, commit_name
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.constraints import unjudged_expressions
from deltaadm.domain.transaction.update import obstacles_to_writing
from deltaadm.domain.wire import KNOWN_AFTER_COMMIT, CommitInfo, CommitMark, Loggable, Metadata
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    MissingFileError,
    RefusedError,
    UnknownWriteError,
)
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.plans.diff import diff
from deltaadm.plans.plan import (
    Plan,
    depends_on_state,
    propose,
    require_same_base,
    with_chosen_values,
)
from deltaadm.plans.undo import Stage
from deltaadm.replay.commits import read_lines
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import LogStore, ObjectStores, WritableStore, open_store


def random_id() -> str:
    """A random UUID, as Java writes it."""
    # By hand: the module `uuid` takes longer to import.
    bits = bytearray(os.urandom(16))
    bits[6] = bits[6] & 0x0F | 0x40
    bits[8] = bits[8] & 0x3F | 0x80
    text = bits.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def commit_info(
    before: Snapshot, stamp: int | None, now: int, operation: str, parameters: Mapping[str, Any]
) -> CommitInfo:
    """What a commit on *before*, with the in-commit timestamp *stamp*, says of itself."""
    return CommitInfo(
        in_commit_timestamp=stamp,
        timestamp=now,
        operation=operation,
        operation_parameters=parameters,
        read_version=before.version if before.exists else None,
        # Delta lowers the level only for commits without metadata.
        isolation_level="Serializable",
        is_blind_append=False,
        operation_metrics={},
        engine_info=f"deltaadm/{__version__}",
    )


def next_timestamp(before: Snapshot, now: int) -> int:
    """The in-commit timestamp of a commit on *before*."""
    # As PROTOCOL.md demands: strictly increasing, whatever the clocks do.
    return max(now, (before.timestamp or 0) + 1) if before.exists else now


class _Attempt(NamedTuple):
    """A commit on top of the state `before`: as predicted, and as it is written."""

    before: Snapshot
    after: Snapshot
    actual: Snapshot
    info: CommitInfo

    @property
    def version(self) -> int:
        return self.before.version + 1

    @property
    def domains(self) -> Mapping[str, DomainMetadata]:
        """The domains that it writes."""
        known = self.before.domains or {}
        domains = (self.actual.domains or {}).items()
        return {name: domain for name, domain in domains if domain != known.get(name)}

    @property
    def subjects(self) -> list[str]:
        """The places that it changes."""
        return [change.subject for change in diff(self.before, self.after)]

    def body(self) -> bytes:
        """The file of the commit: its actions in Delta's order."""
        changed = self.actual.protocol != self.before.protocol
        # As Delta does, the metadata is written whether it differs or not.
        actions: list[Loggable] = [self.info, self.actual.metadata]
        actions += [*[self.actual.protocol] * changed, *self.domains.values()]
        text = "".join(f"{compact(action.wrap())}\n" for action in actions)
        if KNOWN_AFTER_COMMIT in text:
            raise CommitError(
                "The plan leaves something open that only Delta Spark can choose.",
                remedy=_THROUGH_SPARK,
            )
        return text.encode()


_THROUGH_SPARK: Final = "Commit it through Spark: --commit-engine spark."


_ABOUT_FILES: Final = (
    "tableSizeBytes", "numFiles", "numDeletedRecordsOpt", "numDeletionVectorsOpt", "numMetadata",
    "numProtocol", "setTransactions", "domainMetadata", "metadata", "protocol",
    "deletedRecordCountsHistogramOpt", "histogramOpt", "fileSizeHistogram", "allFiles",
)  # fmt: skip
"""The fields that are copied, apart from those that the commit replaces; others may be outdated."""

_REQUIRED: Final = ("tableSizeBytes", "numFiles", "numMetadata", "numProtocol")


def _next_checksum(store: LogStore, attempt: _Attempt) -> bytes | None:
    """
    The checksum of the version that *attempt* has committed.

    None where the one before is not there, lacks numbers, or does not fit its version.
    """
    before, actual, info = attempt.before, attempt.actual, attempt.info
    segment, domains = before.segment, attempt.domains
    if segment is None or segment.crc is None or segment.crc.version != before.version:
        return None
    try:
        known = load_json(store.read(segment.crc.path))
        fits = (
            all(isinstance(known[key], int) for key in _REQUIRED)
            and Protocol.from_wire(known["protocol"]) == before.protocol
            # A wrong checksum is not handed on: later ones would all be made from it.
            and Metadata.from_wire(known["metadata"]).says_the_same_as(before.metadata)
        )
        listed = known.get("domainMetadata")
        others = [entry for entry in listed or () if entry["domain"] not in domains]
    except (DeltaadmError, LookupError, TypeError, AttributeError, ValueError, RecursionError):
        return None
    # Without the list of before, the domains that stay would be missing from the new one.
    if not fits or (domains and not isinstance(listed, list)):
        return None
    changed: dict[str, Any] = {
        "txnId": info.txn_id,
        **{key: known[key] for key in _ABOUT_FILES if key in known},
        "metadata": actual.metadata.to_wire(),
        "protocol": actual.protocol.to_wire(),
    }
    if info.in_commit_timestamp is not None:
        changed["inCommitTimestampOpt"] = info.in_commit_timestamp
    if domains:
        changed["domainMetadata"] = [*others, *(domain.to_wire() for domain in domains.values())]
    return compact(changed).encode()


# Lost races


_HARMLESS: Final = frozenset({"commitInfo", "add", "remove", "cdc", "txn"})
_CHANGES: Final = {
    "protocol": ("DELTA_PROTOCOL_CHANGED", "changes the protocol"),
    "metaData": ("DELTA_METADATA_CHANGED", "changes the metadata"),
}
_ROW_IDS: Final = "delta.rowTracking"
_REPLAN: Final = "Plan again on the current table."


def _last_harmless(store: LogStore, first: int, domains: Collection[str]) -> int:
    """
    The last version of the table, where all from *first* on leave alone what a commit is based on.

    *domains* are those that it writes. Raises `CommitError` for the first of the versions that does
    not, or cannot be read.
    """
    version = first
    while True:
        met, name = f"Version {version} was committed in the meantime", commit_name(version)
        reasons: list[tuple[str, str]] = []
        try:
            for key, document in read_lines(store, name).actions():
                if key == "domainMetadata":
                    domain = document.get("domain")
                    # Delta merges high water marks of row ids, and so does whoever commits next.
                    if domain in domains and domain != _ROW_IDS:
                        reasons.append(
                            ("DELTA_CONCURRENT_TRANSACTION", f"changes the domain {domain}")
                        )
                elif key not in _HARMLESS:
                    # An action from a newer Delta may mean anything.
                    unknown = "DELTA_METADATA_CHANGED", f"has an action {key}, which is not known"
                    reasons.append(_CHANGES.get(key, unknown))
        except MissingFileError:
            return version - 1
        except DeltaadmError as error:
            raise CommitError(
                f"{met}, and cannot be read: {error.message}",
                remedy="Find out what wrote it: `deltaadm validate TABLE`.",
            ) from error
        if reasons:
            # Of several, the class that Delta looks for first happens to be the last by name.
            error_class, what = max(reasons)
            raise CommitError(f"{met} and {what}.", remedy=_REPLAN, delta_error_class=error_class)
        version += 1


# What is supported


_OPEN_DEFAULT: Final = f'"{FieldKey.EXISTS_DEFAULT}":"{KNOWN_AFTER_COMMIT}"'
_UNIFORM: Final = "delta.universalFormat.enabledFormats"


def require_committable(plan: Plan, store: WritableStore | None = None) -> None:
    """
    Raise `RefusedError` unless *plan* is one that is committed without Delta Spark, to *store*.

    A store is asked for only where its kind matters.
    """
    for obstacle in obstacles(plan, store):
        raise RefusedError(
            f"The embedded commit engine cannot commit this plan: {obstacle}.",
            remedy=_THROUGH_SPARK,
        )


def obstacles(plan: Plan, store: WritableStore | None = None) -> Iterator[str]:
    """Why *plan* is not committed without Delta Spark, as clauses; none where it is."""
    if store is not None and not plan.is_noop and store.obstacle:
        yield store.obstacle
    for stage in plan.stages:
        if not stage.step.is_commit:
            continue
        yield from _of_step(stage)
        for state in (stage.before, stage.after):
            yield from obstacles_to_writing(state)
        old, new = (state.metadata.configuration for state in (stage.before, stage.after))
        tracked = is_true(old, Key.ROW_TRACKING) or not stage.before.exists
        if is_true(new, Key.ROW_TRACKING) and not tracked:
            yield (
                f"{Key.ROW_TRACKING} becomes true, and Spark assigns row ids to the files that are "
                "there"
            )
        if new.get(_UNIFORM):
            yield f"{_UNIFORM} is set, and Spark writes metadata of other formats after a commit"


def _of_step(stage: Stage) -> Iterator[str]:
    before, after = stage.before, stage.after
    operation = stage.step.operation(before, after)
    # Of an empty table that has no column mapping, Delta rewrites nothing to remove it.
    is_empty = before.files is not None and not before.files.files
    reads_none = operation is not None and operation.reads_files and is_empty
    if stage.cost is not Cost.METADATA and not reads_none:
        yield f"a {stage.cost.value} reads and writes files, which only Spark can do"
    elif stage.several_commits or stage.waits:
        yield "it may rewrite files or history, which only Spark can do"
    elif stage.obstacle:
        yield f"{stage.obstacle[:1].lower()}{stage.obstacle[1:]}"
    elif operation is None:
        yield "it needs rows or a catalog, which only Spark reads"
    elif _OPEN_DEFAULT in (after.metadata.schema_string or ""):
        yield "a column has a default, which only Spark can evaluate"
    else:
        for path, text in unjudged_expressions(before.metadata, after.metadata).items():
            yield f"only Spark can check the expression of {path_text(path)}, {text}"


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
        self._session, self._clock, self._warn = session, clock, warn
        self._object_stores = object_stores
        self._own = f"deltaadm/{__version__} {random_id()}"
        self._open: set[str] = set()
        """The tables with a write that was not answered, or that is perhaps not listed yet."""

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

    def may_still_commit(self, root: str) -> bool:
        """Whether a write may still be carried out that was not answered, or be listed late."""
        return root in self._open

    def apply(self, root: str, step: Step, base: Snapshot | None = None) -> None:
        """
        Commit *step* on the table at *root*, which is in the state *base* if that is given.

        Raises `CommitError` where others have changed the table, `UnknownWriteError` where the
        store does not say whether it has written, and `RefusedError` where Delta would refuse the
        step.
        """
        store = open_store(root, object_stores=self._object_stores)
        self._open.discard(store.root)
        before = base or load_snapshot(store)
        if not step.has_statement:
            _write_checkpoint(store, before)
            return
        plan = propose("", before, [step], session=self._session, check_outcome=False)
        detail = Detail.STATE if step.is_in_domains or depends_on_state(plan) else Detail.PROTOCOL
        incomplete = before.domains is None or before.files is None
        if before.exists and detail is Detail.STATE and incomplete:
            # At the same version: what others have committed since then is for `_rebased` to judge.
            before = load_snapshot(store, version=before.version, detail=detail)
        attempt = self._attempt(before, step, random_id())
        while not self._written(store, attempt):
            attempt = self._rebased(store, attempt, step, detail)
        # A checksum is an aid: the commit is done, and must not be reported as failed for it.
        with suppress(DeltaadmError):
            checksum = _next_checksum(store, attempt)
            if checksum is not None:
                store.create(f"{attempt.version:020d}.crc", checksum)
        interval = checkpoint_interval(attempt.actual.metadata.configuration)
        if attempt.version and attempt.version % interval == 0:
            try:
                _write_checkpoint(store, load_snapshot(store, version=attempt.version))
            # The commit is done, and must not be reported as failed for whatever happens here.
            except Exception as error:  # noqa: BLE001
                cause = error.message if isinstance(error, DeltaadmError) else repr(error)
                self._warn(
                    f"Warning: version {attempt.version} of {store.root} was committed, but not "
                    f"the checkpoint that {Key.CHECKPOINT_INTERVAL} asks for: "
                    f"{cause.rstrip('.')}. No other program writes it."
                )

    def _attempt(self, before: Snapshot, step: Step, txn_id: str) -> _Attempt:
        # Once more on the state that is met: a plan may have been made on another one.
        require_committable(propose("", before, [step], session=self._session, check_outcome=False))
        after, now = evolve(before, step, self._session), self._clock()
        timestamp = None
        if is_true(after.metadata.configuration, Key.IN_COMMIT_TIMESTAMPS):
            if before.exists and before.timestamp is None:
                raise CommitError(
                    f"The timestamp of version {before.version} is not known, and the next one "
                    "must be later.",
                    remedy=_THROUGH_SPARK,
                )
            timestamp = next_timestamp(before, now)
        actual = with_chosen_values(after, random_id, timestamp=timestamp or 0, now=now)
        operation = step.operation(before, actual)
        if operation is None:
            raise CommitError("Only Delta Spark commits this change.")
        info = commit_info(before, timestamp, now, operation.name, operation.parameters)
        info = replace(
            info,
            # So Delta calls whatever reads no file and removes none, also without an append.
            is_blind_append=not operation.reads_files,
            user_metadata=step.user_metadata or self.mark().on(step.annotation) or self._own,
            txn_id=txn_id,
        )
        return _Attempt(before, after, actual, info)

    def _written(self, store: WritableStore, attempt: _Attempt) -> bool:
        """
        Write a commit; False where the version is somebody else's.

        Raises `UnknownWriteError` where the store does not say whether it has written.
        """
        name = commit_name(attempt.version)
        content = attempt.body()
        unknown: UnknownWriteError | None = None
        for _ in range(_ATTEMPTS):
            if store.local_path is None:  # a request goes on when nobody waits for it
                self._open.add(store.root)
            try:
                if store.create(name, content):
                    return True
            except UnknownWriteError as error:
                if store.local_path is not None:  # it is there: asking again would not tell more
                    raise
                unknown = error
            except DeltaadmError as error:
                # This attempt has failed for certain, an earlier one perhaps not.
                if unknown is not None:
                    raise unknown from error
                self._open.discard(store.root)
                raise
            # Asked again, a store may find the file that it has written at first: the file tells.
            owner = _transaction(store, name)
            if owner is not None:
                is_own = owner == attempt.info.txn_id
                if not is_own:
                    self._open.discard(store.root)
                return is_own
        raise unknown or UnknownWriteError(
            f"The store of {store.root} says that {name} is there, and does not find it.",
            remedy="Inspect the table, then plan again.",
        )

    def _rebased(
        self, store: WritableStore, lost: _Attempt, step: Step, detail: Detail
    ) -> _Attempt:
        """The same commit on top of what others have committed; raises `CommitError`."""
        last = _last_harmless(store, lost.version, lost.domains)
        newest = load_snapshot(store, version=last, detail=detail)
        require_same_base(lost.before, newest)
        # The same transaction id: a lost attempt that was written after all is seen to be ours.
        attempt = self._attempt(newest, step, lost.info.txn_id or "")
        # Consent was given to these changes and no others.
        if lost.subjects != attempt.subjects:
            raise CommitError(
                f"Others have committed up to version {last}, after which this "
                "change means something else.",
                remedy=_REPLAN,
            )
        return attempt


def _write_checkpoint(store: WritableStore, snapshot: Snapshot) -> None:
    from deltaadm.plans.checkpoint import write_checkpoint  # and pyarrow

    write_checkpoint(store, snapshot)


def _transaction(store: WritableStore, name: str) -> str | None:
    """The owner of the commit *name*, by its `txnId`; empty without one, None without a commit."""
    try:
        actions = read_lines(store, name).newest_actions()
    except MissingFileError:
        return None
    except DeltaadmError as error:
        # Where the store is out of reach, it stays open whose the commit is.
        return None if error.exit_code == UnknownWriteError.exit_code else ""
    ids = [document.get("txnId") for key, document in actions if key == "commitInfo"]
    return ids[0] if ids and isinstance(ids[0], str) else ""
