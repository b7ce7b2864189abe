"""Every action of PROTOCOL.md as a frozen value, and `SingleAction`, its wrapping in the log."""

from __future__ import annotations

from collections.abc import Mapping

from deltaadm.dataclass import dataclass, field
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.wire import CODECS, Loggable, Metadata, Wire, nested
from deltaadm.domain.wire import CommitInfo as CommitInfo  # noqa: PLC0414 -- re-exported
from deltaadm.errors import TableError
from deltaadm.json_values import compact
from deltaadm.limits import load_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Final, Self

    from deltaadm.domain.wire import Int32


@dataclass(frozen=True, slots=True)
class DeletionVectorDescriptor(Wire):
    """Where the deleted rows of a file are listed (PROTOCOL.md, Deletion Vector Descriptor)."""

    storage_type: str = ""
    path_or_inline_dv: str = ""
    offset: Int32 | None = None
    size_in_bytes: Int32 = 0
    cardinality: int = 0
    max_row_index: int | None = None

    @property
    def unique_id(self) -> str:
        """The part of a file's key that tells one deletion vector from another."""
        start = f"{self.storage_type}{self.path_or_inline_dv}"
        return start if self.offset is None else f"{start}@{self.offset}"


CODECS["DeletionVectorDescriptor"] = nested(DeletionVectorDescriptor)


@dataclass(frozen=True, slots=True)
class AddFile(Loggable):
    """A data file that belongs to the table. `path` is URI-encoded; `size` is in bytes."""

    path: str = ""
    partition_values: Mapping[str, str | None] | None = None
    size: int = 0
    modification_time: int = 0
    data_change: bool = True
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVectorDescriptor | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    clustering_provider: str | None = None

    NAME: ClassVar[str] = "add"


@dataclass(frozen=True, slots=True)
class RemoveFile(Loggable):
    """A tombstone: the file no longer belongs to the table."""

    path: str = ""
    deletion_timestamp: int | None = None
    data_change: bool = True
    extended_file_metadata: bool | None = None
    partition_values: Mapping[str, str | None] | None = None
    size: int | None = None
    stats: str | None = None
    tags: Mapping[str, str | None] | None = None
    deletion_vector: DeletionVectorDescriptor | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None

    NAME: ClassVar[str] = "remove"


@dataclass(frozen=True, slots=True)
class AddCDCFile(Loggable):
    """A file with row changes of one commit; not part of the table's state."""

    path: str = ""
    partition_values: Mapping[str, str | None] | None = None
    size: int = 0
    data_change: bool = False
    tags: Mapping[str, str | None] | None = None

    NAME: ClassVar[str] = "cdc"


@dataclass(frozen=True, slots=True)
class SetTransaction(Loggable):
    """The latest version that an application has written; may go down as well as up."""

    app_id: str = ""
    version: int = 0
    last_updated: int | None = None

    NAME: ClassVar[str] = "txn"


@dataclass(frozen=True, slots=True)
class DomainMetadata(Loggable):
    """The configuration of one named domain; `removed` makes it a tombstone."""

    domain: str = ""
    configuration: str = ""
    removed: bool = False

    NAME: ClassVar[str] = "domainMetadata"


@dataclass(frozen=True, slots=True)
class CheckpointMetadata(Loggable):
    """Marks a V2 checkpoint and says which version it describes."""

    version: int = 0
    tags: Mapping[str, str | None] | None = None

    NAME: ClassVar[str] = "checkpointMetadata"


@dataclass(frozen=True, slots=True)
class Sidecar(Loggable):
    """A file that holds a part of a V2 checkpoint's add and remove actions."""

    path: str = ""
    size_in_bytes: int = 0
    modification_time: int = 0
    tags: Mapping[str, str | None] | None = None

    NAME: ClassVar[str] = "sidecar"


@dataclass(frozen=True, slots=True)
class UnknownAction:
    """An action from the future: readers ignore it (PROTOCOL.md), deltaadm counts it."""

    name: str
    document: Any

    def wrap(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {self.name: self.document}

    def to_json(self) -> str:
        """The line as the log had it."""
        return compact(self.wrap())


Action = (
    SetTransaction
    | AddFile
    | RemoveFile
    | Metadata
    | Protocol
    | AddCDCFile
    | CommitInfo
    | DomainMetadata
    | CheckpointMetadata
    | Sidecar
)

CLUSTERING_DOMAIN: Final = "delta.clustering"
"""The domain that has the physical names of clustering columns."""

ACTIONS: Final[Mapping[str, type[Loggable]]] = {kind.NAME: kind for kind in Action.__args__}
"""The keys of a log line and the action under each, in the order of Delta's log schema."""


@dataclass(frozen=True, slots=True)
class SingleAction:
    """One line of a commit: an action under its key, and in `rest` whatever else the line holds."""

    action: Action | UnknownAction
    rest: Mapping[str, Any] = field(default_factory=dict)

    def unwrap(self) -> Action | UnknownAction:
        """The action itself."""
        return self.action

    @classmethod
    def from_json(cls, line: str | bytes) -> Self:
        """
        Read one line of a commit.

        Where a line holds several actions the first in the log schema's order counts, as in
        Delta. Raises `TableError` for anything but a JSON object with an action in it.
        """
        try:
            document = load_json(line)
        except (ValueError, RecursionError) as error:
            raise _not_an_action(f"it is not JSON ({error})") from error
        if not isinstance(document, dict):
            raise _not_an_action("it is not a JSON object")
        return cls.from_wire(document)

    @classmethod
    def from_wire(cls, document: Mapping[str, Any]) -> Self:
        """Like `from_json`, for a line that is already decoded."""
        present = [name for name in document if document[name] is not None]
        known = [name for name in ACTIONS if name in present]
        if not present:
            raise _not_an_action("it contains no action")
        name = known[0] if known else present[0]
        rest = {key: value for key, value in document.items() if key != name}
        return cls(decode_action(name, document[name]), rest)

    def to_wire(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {**self.action.wrap(), **self.rest}

    def to_json(self) -> str:
        """The line as Delta writes it, without a line break."""
        return compact(self.to_wire())


def decode_action(name: str, document: Any) -> Action | UnknownAction:
    """The action *name* from its JSON value; raises `TableError` if a known one is no object."""
    kind = ACTIONS.get(name)
    if kind is None:
        return UnknownAction(name, document)
    if not isinstance(document, dict):
        raise _not_an_action(f"its {name} is not a JSON object")
    return kind.from_wire(document)  # type: ignore[return-value]  # ACTIONS holds Action's members


def from_json(line: str | bytes) -> Action | UnknownAction:
    """Delta's `Action.fromJson`: the unwrapped action of a log line; see `SingleAction`."""
    return SingleAction.from_json(line).unwrap()


def _not_an_action(cause: str) -> TableError:
    return TableError(
        f"A log line is not a valid action: {cause}.",
        remedy="The file may have been cut off or edited; restore it from a backup.",
    )
