"""What all kinds of steps have in common, and what Delta commits for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple, Self

from deltaadm.dataclass import dataclass, field
from deltaadm.domain import ddl
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.schema import DataType, Path, path_text
from deltaadm.domain.snapshot import Snapshot, every_file
from deltaadm.domain.transaction.spark_support import PATH_OF_CATALOG_TABLE, require_readable
from deltaadm.domain.wire import CommitInfo
from deltaadm.errors import IllegalArgumentError, RefusedError
from deltaadm.json_values import STRING, STRINGS, Json, array, maybe, record, text


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A change of one property of a column, the one that is not None; "" drops its *default*."""

    column: Path
    type: DataType | None = None
    nullable: bool | None = None
    comment: str | None = None
    position: ddl.Position | None = None
    default: str | None = None

    def clause(self) -> str:
        """The part of ALTER COLUMN for it."""
        return f"{ddl.path_sql(self.column)} {self._spelled()[0]}"

    def options(self) -> Iterator[str]:
        """The option with which `alter` makes the change."""
        _, option, value = self._spelled()
        yield from (option, path_text(self.column) + value)

    def _spelled(self) -> tuple[str, str, str]:
        """The change in SQL, the option for it, and what follows the column's name there."""
        if self.type is not None:
            return f"TYPE {ddl.type_sql(self.type)}", "--set-type", f"={ddl.type_sql(self.type)}"
        if self.nullable is not None:
            return f"{'DROP' if self.nullable else 'SET'} NOT NULL", "--drop-not-null", ""
        if self.comment is not None:
            return f"COMMENT {ddl.literal(self.comment)}", "--set-comment", f"={self.comment}"
        if self.position is not None:
            after = self.position.after
            place = "FIRST" if after is None else f"AFTER {path_text((after,))}"
            return ddl.position_sql(self.position), "--move", f" {place}"
        if self.default:
            return f"SET DEFAULT {self.default}", "--set-default", f"={self.default}"
        return "DROP DEFAULT", "--drop-default", ""


_CHANGE: Final = record(
    column=STRINGS,
    type=maybe(Json(STRING.schema, ddl.type_sql, lambda value: ddl.parse_type(text(value)))),
    nullable=maybe(bool),
    comment=maybe(str),
    position=maybe(Json(STRING.schema, ddl.position_sql, lambda at: ddl.parse_position(text(at)))),
    default=maybe(str),
)
COLUMN_CHANGES: Final = array(
    Json(_CHANGE.schema, _CHANGE.write, lambda value: ColumnChange(**_CHANGE.read(value)))
)


# Steps


class Operation(NamedTuple):
    """The operation in the commitInfo of a commit, as Delta Spark writes it."""

    name: str
    parameters: Mapping[str, Any]
    reads_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Touches:
    """
    What a step names of a table: a kind of step sets the fields that concern it.

    `renames` have each column before and after. `property_values` are None for properties that are
    unset. `new_clustering` is None where the clustering stays, and empty where it is removed.
    `new_constraint` is a name and an expression. `added_features` are set by a step that does
    nothing else. `destination` is the table to which a name in a catalog leads afterwards.
    """

    new_columns: tuple[ddl.ColumnDefinition, ...] = ()
    column_changes: tuple[ColumnChange, ...] = ()
    renames: tuple[tuple[Path, Path], ...] = ()
    drops: tuple[Path, ...] = ()
    property_values: Mapping[str, str | None] = field(default_factory=dict)
    new_clustering: tuple[Path, ...] | None = None
    new_constraint: tuple[str, str] | None = None
    added_features: tuple[str, ...] = ()
    destination: Snapshot | None = None


_NOTHING: Final = Touches()


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
        """Raise `RefusedError` for what Delta refuses whatever the table is like."""

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state after the step; raises `RefusedError` where Delta or Spark would refuse."""
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
        old = before.metadata.configuration
        return tuple(f"{key} = {old[key]}" for key in self.touches.property_values if key in old)

    @property
    def touches(self) -> Touches:
        """The parts of a table that it names."""
        return _NOTHING

    @property
    def is_verified_by_state(self) -> bool:
        """Whether it changes more than protocol and metadata show."""
        return self.is_in_domains or self.touches.destination is not None

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
        """The operation that its commit records; None for commits that only Delta Spark makes."""
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


def evolve(snapshot: Snapshot, step: Step, session: SessionSettings | None = None) -> Snapshot:
    """
    Predict the snapshot after *step*.

    Whatever only the commit can choose is marked `<known after commit>`. Raises `RefusedError` (or
    `TableError`) with Delta's error class where Delta refuses.
    """
    # In Spark's order: it parses the statement, loads the table, and then asks Delta.
    step.require_allowed()
    blocked: RefusedError | None = None
    if step.has_statement and snapshot.exists:
        try:
            require_readable(snapshot)
        except RefusedError as refusal:
            if refusal.delta_error_class != PATH_OF_CATALOG_TABLE:
                raise
            blocked = refusal  # which Delta notices when all else is settled
    try:
        after = step.after(snapshot, session or SessionSettings())
    except IllegalArgumentError as error:
        if not step.alters:
            raise
        # Spark reports what Delta throws under ALTER TABLE as a change that is not supported.
        raise RefusedError(
            error.message, remedy=error.remedy, delta_error_class="UNSUPPORTED_TABLE_CHANGE"
        ) from error
    if blocked is not None:
        raise blocked
    return after
