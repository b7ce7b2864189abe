"""The `commitInfo` action, apart from the others since a plain inspection needs no other."""

from __future__ import annotations

from deltaadm.dataclass import dataclass
from deltaadm.domain.model import wire
from deltaadm.domain.model.wire import Entry, Loggable
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

_JOB = wire.texts("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType")
_NOTEBOOK = wire.texts("notebookId")


@dataclass(frozen=True, slots=True)
class CommitInfo(Loggable):
    """
    Provenance of a commit; any further keys are allowed and kept. Times are in milliseconds.

    A value in `operation_parameters` may be a string that holds JSON, or raw JSON.
    """

    version: int | None = None
    in_commit_timestamp: int | None = None
    timestamp: int | None = None
    user_id: str | None = None
    user_name: str | None = None
    operation: str | None = None
    operation_parameters: Mapping[str, Any] | None = None
    job: Mapping[str, Any] | None = None
    notebook: Mapping[str, Any] | None = None
    cluster_id: str | None = None
    read_version: int | None = None
    isolation_level: str | None = None
    is_blind_append: bool | None = None
    data_change: bool | None = None
    operation_metrics: Mapping[str, Any] | None = None
    user_metadata: str | None = None
    tags: Mapping[str, Any] | None = None
    engine_info: str | None = None
    txn_id: str | None = None

    NAME: ClassVar[str] = "commitInfo"
    ENTRIES: ClassVar = (
        Entry("version", "version", wire.LONG),
        Entry("inCommitTimestamp", "in_commit_timestamp", wire.LONG),
        Entry("timestamp", "timestamp", wire.TIMESTAMP),
        Entry("userId", "user_id", wire.TEXT),
        Entry("userName", "user_name", wire.TEXT),
        Entry("operation", "operation", wire.TEXT),
        Entry("operationParameters", "operation_parameters", wire.OBJECT),
        Entry("job", "job", _JOB),
        Entry("notebook", "notebook", _NOTEBOOK),
        Entry("clusterId", "cluster_id", wire.TEXT),
        Entry("readVersion", "read_version", wire.LONG),
        Entry("isolationLevel", "isolation_level", wire.TEXT),
        Entry("isBlindAppend", "is_blind_append", wire.BOOLEAN),
        Entry("dataChange", "data_change", wire.BOOLEAN),
        Entry("operationMetrics", "operation_metrics", wire.OBJECT),
        Entry("userMetadata", "user_metadata", wire.TEXT),
        Entry("tags", "tags", wire.OBJECT),
        Entry("engineInfo", "engine_info", wire.TEXT),
        Entry("txnId", "txn_id", wire.TEXT),
    )

    def parameter(self, name: str) -> Any:
        """The value of an operation parameter, decoded where it is a string that holds JSON."""
        value = (self.operation_parameters or {}).get(name)
        try:
            return load_json(value) if isinstance(value, str) else value
        except ValueError:
            return value
