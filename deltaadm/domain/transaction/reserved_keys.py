"""
What statements do with the properties that are more than entries of the configuration.

A key without a row here is an ordinary property, which `validate_configurations` judges. UNSET
has no rows: it refuses no key but those of the parser. The sources in delta-io/delta are
`AbstractDeltaCatalog.scala` and `alterDeltaTableCommands.scala`; the rows are checked case by
case against the recorded engine.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import FEATURES
from deltaadm.domain.model.properties import CONSTRAINT_PREFIX, FEATURE_PREFIX, TABLE_COMMENT
from deltaadm.domain.model.protocol import Protocol
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


CLUSTERING_COLUMNS: Final = "clusteringColumns"
"""The property as which Spark's catalog hands on CLUSTER BY."""


SUPPORTED: Final = "supported"
"""The value of a feature's property that brings along what the feature needs."""


class Statement(Enum):
    """
    The statements that have properties.

    UPGRADE is the part of SET in which features join the table's protocol.
    """

    CREATE = "create"
    REPLACE = "replace"
    SET = "set"
    UPGRADE = "upgrade"


@dataclass(frozen=True)
class Refusal:
    """Why statements refuse a key; only with values for which *applies* holds, if it is given."""

    message: str
    remedy: str
    error_class: str | None
    statements: tuple[Statement, ...]
    applies: Callable[[str, Protocol], bool] | None = None


@dataclass(frozen=True)
class ReservedKey:
    """
    A key, or a family of keys if it ends with a dot, and what the statements make of it.

    Those in *unstored* leave it out of the configuration. Keys that start with `delta.` are the
    same in any case, as Delta reads them.
    """

    key: str
    refusals: tuple[Refusal, ...] = ()
    unstored: tuple[Statement, ...] = ()

    def matches(self, key: str) -> bool:
        """Whether *key* is this one, or of this family."""
        given = key.lower() if self.key.startswith("delta.") else key
        return given.startswith(self.key) if self.key.endswith(".") else given == self.key

    def refusal(self, statement: Statement, value: str, protocol: Protocol) -> Refusal | None:
        """Why *statement* refuses this key with *value* on a table with *protocol*, if it does."""
        return next(
            (
                refusal
                for refusal in self.refusals
                if statement in refusal.statements
                and (refusal.applies is None or refusal.applies(value, protocol))
            ),
            None,
        )


def check_reserved_keys(
    statement: Statement, properties: Mapping[str, str], protocol: Protocol
) -> None:
    """
    Raise `Refused` with Delta's error class for the first key that *statement* refuses.

    *protocol* is that of the table as it is. The keys are those of `validate_configurations`.
    """
    _check(RESERVED_KEYS, statement, properties, protocol)


def check_new_features(properties: Mapping[str, str]) -> None:
    """Raise `Refused` for features that no property gives to a new table, before all else."""
    _check(_NOT_FOR_NEW_TABLES, Statement.CREATE, properties, Protocol(0, 0))


def _check(
    keys: Iterable[ReservedKey],
    statement: Statement,
    properties: Mapping[str, str],
    protocol: Protocol,
) -> None:
    for reserved in keys:
        for key in filter(reserved.matches, properties):
            refusal = reserved.refusal(statement, properties[key], protocol)
            if refusal is not None:
                raise Refused(
                    refusal.message.format(key=key),
                    remedy=refusal.remedy,
                    delta_error_class=refusal.error_class,
                )


def stored_properties(statement: Statement, properties: Mapping[str, str]) -> dict[str, str]:
    """Return those *properties* that *statement* writes into the configuration."""
    unstored = [reserved for reserved in RESERVED_KEYS if statement in reserved.unstored]
    return {
        key: value
        for key, value in properties.items()
        if not any(reserved.matches(key) for reserved in unstored)
    }


def refuse_reserved(keys: Iterable[str]) -> None:
    """Raise `Refused` for keys that Spark's parser takes for something else, in any table."""
    for key in keys:
        if key in _RESERVED:
            raise Refused(
                f"The property {key!r} is reserved by Spark.",
                remedy="It is not a table property; leave it out.",
                delta_error_class="UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
            )


_RESERVED: Final = frozenset(
    {
        "collation",
        "external",
        "is_managed_location",
        "location",
        "owner",
        "provider",
        "table_type",
    }
)

_NEW_TABLE: Final = (Statement.CREATE, Statement.REPLACE)
_SET: Final = (Statement.SET,)
_CREATE: Final = (Statement.CREATE,)
_REPLACE: Final = (Statement.REPLACE,)
_UPGRADE: Final = (Statement.UPGRADE,)
_CLUSTERING: Final = FEATURES["clustering"]
_CATALOG_MANAGED: Final = FEATURES["catalogManaged"]
_ADAPTIVE_METADATA: Final = FEATURES["adaptiveMetadata-preview"]


# Spark's catalog hands CLUSTER BY on as a JSON list in this property. Delta reads any value as one:
# a list meets the check of the feature, other text a parser's exception without an error class.


def _is_unsupported_list(value: str, protocol: Protocol) -> bool:
    return _is_list(value) and not protocol.supports("domainMetadata")


def _is_not_list(value: str, _protocol: Protocol) -> bool:
    return not _is_list(value)


def _is_list(value: str) -> bool:
    return value.lstrip().startswith("[")


def _is_blank(value: str, _protocol: Protocol) -> bool:
    return not value.strip()


def _is_support_request(value: str, _protocol: Protocol) -> bool:
    return value.lower() == SUPPORTED


def _is_not_catalog_managed(_value: str, protocol: Protocol) -> bool:
    return _CATALOG_MANAGED.name not in protocol.explicit_names


_NOT_CATALOG_MANAGED: Final = Refusal(
    "An existing table cannot become catalog-managed.",
    _CATALOG_MANAGED.not_addable,
    _CATALOG_MANAGED.refusal,
    _UPGRADE,
    _is_not_catalog_managed,
)
_NOT_FOR_NEW_TABLES: Final = (
    ReservedKey(
        f"{FEATURE_PREFIX}clustering",
        refusals=(
            Refusal(
                "The table feature clustering cannot be set as a property.",
                "Use --cluster-by COLUMN, which adds it.",
                "DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
                _CREATE,
            ),
        ),
    ),
    ReservedKey(
        f"{FEATURE_PREFIX}catalogmanaged",
        refusals=(
            Refusal(
                "A table with catalogManaged is managed by a catalog, and cannot be created here.",
                "Create it with the catalog's own tools.",
                "DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION",
                _CREATE,
            ),
        ),
    ),
)
"""Keys that Spark's catalog refuses before Delta sees the statement, for any table."""
RESERVED_KEYS: Final = (
    ReservedKey(
        CLUSTERING_COLUMNS,
        refusals=(
            Refusal(
                "The clustering columns cannot be set as a property.",
                "Use --cluster-by COLUMN.",
                "DELTA_DOMAIN_METADATA_NOT_SUPPORTED",
                _NEW_TABLE,
                _is_unsupported_list,
            ),
            Refusal(
                "The clustering columns cannot be set as a property.",
                "Use --cluster-by COLUMN.",
                None,
                _NEW_TABLE,
                _is_not_list,
            ),
            Refusal(
                "The clustering columns cannot be set as a property.",
                "Use alter --cluster-by COLUMN.",
                "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
                _SET,
            ),
        ),
    ),
    ReservedKey(
        CONSTRAINT_PREFIX,
        refusals=(
            Refusal(
                "The constraint {key} is empty.",
                "Write an expression that is true for every row, such as: amount > 0.",
                "PARSE_EMPTY_STATEMENT",
                _NEW_TABLE,
                _is_blank,
            ),
            Refusal(
                "A CHECK constraint cannot be set as a property ({key}).",
                "Use alter --add-constraint NAME=EXPRESSION, which checks the rows.",
                "DELTA_ADD_CONSTRAINTS",
                _SET,
            ),
        ),
    ),
    ReservedKey(
        f"{FEATURE_PREFIX}clustering",
        refusals=(
            Refusal(
                "The table feature clustering cannot be set as a property.",
                _CLUSTERING.not_addable,
                _CLUSTERING.refusal,
                _SET,
            ),
        ),
    ),
    ReservedKey(
        f"{FEATURE_PREFIX}{_ADAPTIVE_METADATA.name.lower()}",
        refusals=(
            Refusal(
                f"The table feature {_ADAPTIVE_METADATA.name} cannot be added to an existing "
                "table.",
                _ADAPTIVE_METADATA.not_addable,
                _ADAPTIVE_METADATA.refusal,
                _UPGRADE,
                _is_support_request,
            ),
            _NOT_CATALOG_MANAGED,
        ),
    ),
    ReservedKey(f"{FEATURE_PREFIX}catalogmanaged", refusals=(_NOT_CATALOG_MANAGED,)),
    ReservedKey(
        "io.unitycatalog.tableId",
        refusals=(
            Refusal(
                "The property {key} cannot be set by a user.",
                "Unity Catalog maintains it; leave it out.",
                "DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
                _REPLACE,
            ),
        ),
    ),
    ReservedKey("option.", unstored=_REPLACE),
    ReservedKey(CLUSTERING_COLUMNS, unstored=_NEW_TABLE),
    ReservedKey("path", unstored=_NEW_TABLE),
    ReservedKey(TABLE_COMMENT, unstored=(*_NEW_TABLE, *_SET)),
)
"""The keys, in the order in which statements judge them; the comment becomes the description."""
