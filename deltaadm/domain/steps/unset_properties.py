"""Unsetting table properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.json_values import BOOLEAN, STRINGS, compact, record
from deltaadm.domain.model.properties import (
    COLUMN_MAPPING_MODE,
    TABLE_COMMENT,
    unset_key,
)
from deltaadm.domain.sql.sql_text import if_exists_sql, literal
from deltaadm.domain.steps.step import Operation, Step
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode, column_mapping_mode
from deltaadm.domain.transaction.coordinated_commits import check_unset
from deltaadm.domain.transaction.reserved_keys import refuse_reserved
from deltaadm.domain.transaction.spark_support import require_writable
from deltaadm.domain.transaction.transaction import (
    PREPARATIONS,
    prepare_commit,
    update_metadata,
    without_mapping,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.model.commit_info import CommitInfo
    from deltaadm.domain.model.session import SessionSettings
    from deltaadm.domain.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class UnsetProperties(Step):
    """`ALTER TABLE … UNSET TBLPROPERTIES`; without *if_exists* an absent key is an error."""

    keys: tuple[str, ...]
    if_exists: bool = False

    kind = "unset_properties"
    json = record(keys=STRINGS, if_exists=BOOLEAN)
    operations = frozenset({"UNSET TBLPROPERTIES"})

    def require_allowed(self) -> None:
        """Raise `Refused` for properties that Delta keeps for itself."""
        refuse_reserved(self.keys)

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:
        """The state without the properties; Spark's catalog always unsets with `IF EXISTS`."""
        require_writable(snapshot)
        state = snapshot
        if COLUMN_MAPPING_MODE in self.keys and session.allow_column_mapping_removal:
            state = without_mapping(state, {}, session)
            # As with SET, the mapping goes in a commit of its own; only other keys need another.
            if len(self.keys) == 1:
                return state
        unset = set(map(unset_key, self.keys))
        check_unset(state.metadata, unset)
        stored = state.metadata.configuration
        kept = {key: value for key, value in stored.items() if key not in unset}
        proposed = replace(
            state.metadata.with_configuration(kept),
            description=None if TABLE_COMMENT in unset else state.metadata.description,
        )
        return prepare_commit(state, update_metadata(state, proposed, session))

    @property
    def property_values(self) -> Mapping[str, None]:
        """None for each key, in the spelling of the request."""
        return dict.fromkeys(self.keys)

    def cost(self, snapshot: Snapshot) -> Cost:
        """A rewrite, where column mapping is removed."""
        return Cost.REWRITE if self._removes_mapping(snapshot) else Cost.METADATA

    def takes_several_commits(self, snapshot: Snapshot) -> bool:
        """Whether column mapping is removed beside other properties."""
        return len(self.keys) > 1 and self._removes_mapping(snapshot)

    def _removes_mapping(self, snapshot: Snapshot) -> bool:
        return (
            COLUMN_MAPPING_MODE in self.keys
            and column_mapping_mode(snapshot.metadata) is not ColumnMappingMode.NONE
        )

    @property
    def words(self) -> str:
        """The keys."""
        return f"unset {', '.join(self.keys)}"

    def _clause(self) -> str:
        keys = ", ".join(map(literal, self.keys))
        return f"UNSET TBLPROPERTIES {if_exists_sql(self.if_exists)}({keys})"

    def options(self) -> Iterator[str]:
        """`--unset` for each property."""
        for key in self.keys:
            yield from ("--unset", key)

    def operation(self, _before: Snapshot, _after: Snapshot) -> Operation | None:
        """The keys; column mapping is removed by a statement of its own, which reads all files."""
        if COLUMN_MAPPING_MODE in self.keys:
            return None
        keys = compact([unset_key(key) for key in self.keys])
        # `ifExists` whatever was asked for: Spark's catalog knows nothing else.
        return Operation("UNSET TBLPROPERTIES", {"properties": keys, "ifExists": True})

    def is_made_by(self, commit: CommitInfo) -> bool:
        """Whether *commit* unsets just these properties, or prepares that."""
        if commit.operation in PREPARATIONS:
            return True
        named = commit.parameter("properties")
        return (
            commit.operation in self.operations
            and isinstance(named, list)
            and sorted(map(str, named)) == sorted(map(unset_key, self.keys))
        )
