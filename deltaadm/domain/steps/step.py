"""The base class of all kinds of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.json_values import record
from deltaadm.domain.model.snapshot import every_file

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
    """The operation in the commitInfo of a commit, as Delta Spark writes it."""

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
    the table stays the same.
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
        """The effect on the data files; the highest possible cost where they are unknown."""
        return Cost.METADATA

    def work(self, snapshot: Snapshot) -> str:
        """The files that it rewrites, or of which it does the metadata, where its cost is that."""
        return every_file(snapshot)

    def takes_several_commits(self, _snapshot: Snapshot) -> bool:
        """Whether Delta makes several commits for it: a backfill or a rewrite, then the rest."""
        return False

    def waits(self, _snapshot: Snapshot) -> bool:
        """Whether this is the first of two runs: Delta does its part and then refuses."""
        return False

    def obstacle(self, _snapshot: Snapshot) -> str:
        """Why Delta fails on its statement, which is then not used; empty if it works."""
        return ""

    @property
    def irreversible(self) -> tuple[str, ...]:
        """The features whose removal destroys history."""
        return ()

    @property
    def dropped_feature(self) -> str:
        """The feature that it takes out of the protocol; empty if there is none."""
        return ""

    def destroys(self, _before: Snapshot) -> tuple[str, ...]:
        """The names of the constraints and domains of the table that it removes."""
        return ()

    def losses(self, before: Snapshot) -> tuple[str, ...]:
        """What a table in the state *before* loses by it, in words."""
        stored = before.metadata.configuration
        return tuple(f"{key} = {stored[key]}" for key in self.property_values if key in stored)

    @property
    def new_columns(self) -> tuple[ColumnDefinition, ...]:
        """The columns that it adds."""
        return ()

    @property
    def column_changes(self) -> tuple[ColumnChange, ...]:
        """The changes to existing columns."""
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
        """The features that it adds to the protocol, for a step that does nothing else."""
        return ()

    @property
    def destination(self) -> Snapshot | None:
        """The table to which a name in a catalog refers after it; None if that does not change."""
        return None

    @property
    def is_verified_by_state(self) -> bool:
        """Whether it changes more than protocol and metadata show."""
        return self.is_in_domains or self.destination is not None

    def split_by_column(self) -> Iterator[Step]:
        """Split it into steps that change one column each, if it changes columns."""
        yield self

    def reasons(self) -> dict[str, str]:
        """Reasons for the subjects that it changes besides what was requested."""
        return {}

    # Words, SQL and command line

    @property
    def words(self) -> str:
        """A short description."""
        return self.kind.replace("_", " ")

    def statement(self, table: str) -> str:
        """The SQL statement for *table*, as SQL spells its name."""
        return f"ALTER TABLE {table} {self._clause()}"

    def _clause(self) -> str:
        raise NotImplementedError

    def options(self) -> Iterator[str]:
        """The options of `alter` that plan it; none for a step of another command."""
        return iter(())

    # JSON

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Read a step that `json` has written; another document raises Python's own exceptions."""
        return cls(**dict(zip(cls.__slots__, cls.json.read(document).values(), strict=True)))

    # Commits

    def operation(self, _before: Snapshot, _after: Snapshot) -> Operation | None:
        """
        Return the operation that its commit records between the two states.

        None for a step whose commits only Delta Spark makes.
        """
        return None

    @property
    def user_metadata(self) -> str | None:
        """The `userMetadata` that an option of its own sets, which overrides the session's."""
        return None

    @property
    def annotation(self) -> str:
        """What its commit records after deltaadm's own mark, for a run that resumes it."""
        return ""

    def is_made_by(self, commit: CommitInfo) -> bool:
        """Whether *commit* is this step's, or one with which Delta prepares it."""
        return commit.operation in self.operations
