"""Carrying out steps by commits that deltaadm writes itself: no JVM, and no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Self

from deltaadm import __version__
from deltaadm.commit.actions import (
    actions,
    commit_body,
    commit_info,
    commit_timestamp,
    random_id,
    with_committed_values,
)
from deltaadm.commit.supported import require_committable
from deltaadm.domain.model.log_segment import commit_name
from deltaadm.domain.model.properties import CHECKPOINT_INTERVAL, checkpoint_interval
from deltaadm.domain.model.provenance import CommitMark
from deltaadm.domain.steps.evolve import evolve
from deltaadm.errors import CommitError, DeltaadmError, FileMissing, UnknownWrite
from deltaadm.operations.diff import diff
from deltaadm.operations.plan import depends_on_state, propose, require_same_base
from deltaadm.replay.commits import body, newest_actions
from deltaadm.replay.engine import Detail
from deltaadm.replay.load import load_snapshot
from deltaadm.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.steps import Step
    from deltaadm.storage.store import ObjectStores, WritableStore

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
            from deltaadm.commit.checkpoint import write_checkpoint

            write_checkpoint(store, before)
            return
        detail = Detail.STATE if self._needs_state(before, step) else Detail.PROTOCOL
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
        self._write_checksum(store, attempt)
        interval = checkpoint_interval(attempt.actual.metadata.configuration)
        if attempt.version and attempt.version % interval == 0:
            self._write_checkpoint(store, attempt.version)

    def _needs_state(self, before: Snapshot, step: Step) -> bool:
        plan = propose("", before, [step], session=self._session, check_outcome=False)
        return step.is_in_domains or depends_on_state(plan)

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
        from deltaadm.commit.conflicts import last_harmless

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

    def _write_checksum(self, store: WritableStore, attempt: _Attempt) -> None:
        """The version's checksum, if all of it is known; a table does without."""
        from contextlib import suppress

        from deltaadm.commit.checksum import checksum_name, next_checksum

        # A checksum is an aid: the commit is done, and must not be reported as failed for it.
        with suppress(DeltaadmError):
            checksum = next_checksum(store, attempt.before, attempt.actual, attempt.info)
            if checksum is not None:
                store.create(checksum_name(attempt.version), checksum)

    def _write_checkpoint(self, store: WritableStore, version: int) -> None:
        """The checkpoint of *version*, which has been committed; a table does without."""
        from deltaadm.commit.checkpoint import write_checkpoint

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
