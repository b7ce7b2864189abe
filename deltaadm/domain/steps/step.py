"""What every kind of step says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.json_values import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import ClassVar, Self

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.json_values import Json
    from deltaadm.domain.model.schema import Path
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot
    from deltaadm.domain.sql.ddl import ColumnDefinition
    from deltaadm.domain.steps.column_change import ColumnChange


class Operation(NamedTuple):
    """What the commitInfo of a commit says that was done, in the words of Delta Spark."""

    name: str
    parameters: Mapping[str, Any]
    reads_files: bool = False


class Step:
    """
    A group of table changes that Delta commits together.

    `json` has its fields in the order of the class. `operations` are what the commitInfo of its
    commits names. `secret_fields` may hold secrets.

    `alters` is false for a step that makes a table. `is_commit` says whether it makes a new
    version, `has_statement` whether Spark carries it out. `depends_on_state` says that Delta may
    refuse it for the table's files or domains, `is_in_domains` that its effect is in the domains
    alone, `may_wait` that it can take two runs, `always_acts` that it is worth taking even where
    the table stays the same. `leaves_trace` says that the table shows it as taken: one without a
    column may never have had it.
    """

    __slots__: ClassVar[tuple[str, ...]] = ()

    kind: ClassVar[str]
    json: ClassVar[Json] = record()
    operations: ClassVar[frozenset[str]] = frozenset()
    secret_fields: ClassVar[tuple[str, ...]] = ()
    alters: ClassVar[bool] = True
    is_commit: ClassVar[bool] = True
    has_statement: ClassVar[bool] = True
    depends_on_state: ClassVar[bool] = False
    is_in_domains: ClassVar[bool] = False
    may_wait: ClassVar[bool] = False
    always_acts: ClassVar[bool] = False
    leaves_trace: ClassVar[bool] = True

    # Effect

    def require_allowed(self) -> None:
        """Raise `Refused` for what Delta refuses whatever the table is like."""

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """
        The state after the step.

        Raises `Refused` with Delta's error class where Delta or Spark would refuse.
        """
        raise NotImplementedError

    def cost(self, _snapshot: Snapshot) -> Cost:
        """What Delta does to the data files; the highest cost possible where they are unknown."""
        return Cost.METADATA

    def takes_several_commits(self, _snapshot: Snapshot) -> bool:
        """Whether it is more than one commit: a backfill or a rewrite first, then the rest."""
        return False

    def waits(self, _snapshot: Snapshot) -> bool:
        """Whether this is the first of two runs: Delta does its part and then refuses."""
        return False

    def obstacle(self, _snapshot: Snapshot) -> str:
        """Why Delta fails on its statement, which deltaadm does without then; empty if it works."""
        return ""

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The features whose removal destroys history."""
        return ()

    @property
    def dropped_feature(self) -> str:
        """The feature that it takes out of the protocol; empty if there is none."""
        return ""

    def destroys(self, _before: Snapshot) -> bool:
        """Whether a constraint or a domain of the table goes with it."""
        return False

    def losses(self, before: Snapshot) -> tuple[str, ...]:
        """What a table in the state *before* is without after it, in words."""
        stored = before.metadata.configuration
        return tuple(f"{key} = {stored[key]}" for key in self.property_values if key in stored)

    @property
    def new_columns(self) -> tuple[ColumnDefinition, ...]:
        """The columns that it adds."""
        return ()

    @property
    def column_changes(self) -> tuple[ColumnChange, ...]:
        """What it changes about columns that stay."""
        return ()

    @property
    def renames(self) -> tuple[tuple[Path, Path], ...]:
        """The columns that get other names, each before and after."""
        return ()

    @property
    def drops(self) -> tuple[Path, ...]:
        """The columns that it takes away."""
        return ()

    @property
    def property_values(self) -> Mapping[str, str | None]:
        """The properties that it sets, with None for those that it unsets."""
        return {}

    @property
    def new_clustering(self) -> tuple[Path, ...] | None:
        """The columns by which the table is clustered from then on; None for no change."""
        return None

    @property
    def new_constraint(self) -> tuple[str, str] | None:
        """The name and the expression of the constraint that it adds."""
        return None

    @property
    def added_features(self) -> tuple[str, ...]:
        """The features that the protocol has after it, where that is all that it asks for."""
        return ()

    @property
    def destination(self) -> Snapshot | None:
        """The table to which a name in a catalog leads from then on; None if that stays."""
        return None

    @property
    def is_verified_by_state(self) -> bool:
        """Whether protocol and metadata do not show all that it changes."""
        return self.is_in_domains or self.destination is not None

    def remaining(self, _snapshot: Snapshot) -> Step | None:
        """What is left of it on a table where it may have been taken already; None for nothing."""
        return self

    def one_by_one(self) -> Iterator[Step]:
        """The same in steps that change one column each, where it changes columns."""
        yield self

    def reasons(self) -> dict[str, str]:
        """Why subjects change that it changes along with what was asked for."""
        return {}

    # Words, SQL and command line

    @property
    def words(self) -> str:
        """What it does, in a few words."""
        return self.kind.replace("_", " ")

    def statement(self, table: str) -> str:
        """The SQL statement for *table*, as SQL spells its name."""
        return f"ALTER TABLE {table} {self._clause()}"

    def _clause(self) -> str:
        raise NotImplementedError

    def options(self) -> Iterator[str]:
        """The options with which `alter` plans it; none for a step of another command."""
        return iter(())

    # JSON

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """The step that `json` has written; raises what Python does for other parts."""
        return cls(**dict(zip(cls.__slots__, cls.json.read(document).values(), strict=True)))

    # Commits

    def operation(self, _before: Snapshot, _after: Snapshot) -> Operation | None:
        """
        What its commit says of itself that makes one state of the other.

        None for a step whose commits only Delta Spark makes.
        """
        return None

    @property
    def user_metadata(self) -> str | None:
        """What an option of its own gives its commit, which takes precedence over the session's."""
        return None

    @property
    def annotation(self) -> str:
        """What its commit says after our own mark, for a run that goes on with what is begun."""
        return ""

    def is_made_by(self, commit: CommitInfo) -> bool:
        """Whether *commit* is its own, or one with which Delta prepares it."""
        return commit.operation in self.operations
