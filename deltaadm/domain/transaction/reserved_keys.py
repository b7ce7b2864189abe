"""
What statements do with the properties that are more than entries of the configuration.

Other keys are ordinary properties, which `validate_configurations` judges; all are spelled as it
spells them. UNSET refuses no key but those of the parser. The sources in delta-io/delta are
`AbstractDeltaCatalog.scala` and `alterDeltaTableCommands.scala`; checked case by case against the
recorded engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.features import FEATURES
from deltaadm.domain.model.properties import CONSTRAINT_PREFIX, FEATURE_PREFIX
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deltaadm.domain.model.protocol import Protocol

CLUSTERING_COLUMNS: Final = "clusteringColumns"
"""The property as which Spark's catalog hands on CLUSTER BY."""
UNITY_TABLE_ID: Final = "io.unitycatalog.tableId"
SUPPORTED: Final = "supported"
"""The value of a feature's property that brings along what the feature needs."""
_CLUSTERING: Final = f"{FEATURE_PREFIX}clustering"
_CATALOG_MANAGED: Final = f"{FEATURE_PREFIX}catalogmanaged"
_ADAPTIVE_METADATA: Final = f"{FEATURE_PREFIX}adaptivemetadata-preview"


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


def refuse_features_of_new_table(properties: Mapping[str, str]) -> None:
    """Raise `Refused` for features that Spark's catalog refuses for any new table."""
    if _CLUSTERING in properties:
        raise Refused(
            "The table feature clustering cannot be set as a property.",
            remedy="Use --cluster-by COLUMN, which adds it.",
            delta_error_class="DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        )
    if _CATALOG_MANAGED in properties:
        raise Refused(
            "A table with catalogManaged is managed by a catalog, and cannot be created here.",
            remedy="Create it with the catalog's own tools.",
            delta_error_class="DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION",
        )


def refuse_keys_of_new_table(properties: Mapping[str, str], protocol: Protocol | None) -> None:
    """Raise `Refused` for keys that a table cannot have in the place of one with *protocol*."""
    clusters = properties.get(CLUSTERING_COLUMNS)
    # Delta reads any value as a list: one meets the check of the feature, other text a parser's
    # exception without an error class.
    is_list = clusters is not None and clusters.lstrip().startswith("[")
    has_domains = protocol is not None and protocol.supports("domainMetadata")
    if clusters is not None and not (is_list and has_domains):
        raise Refused(
            "The clustering columns cannot be set as a property.",
            remedy="Use --cluster-by COLUMN.",
            delta_error_class="DELTA_DOMAIN_METADATA_NOT_SUPPORTED" if is_list else None,
        )
    for key, value in properties.items():
        if key.lower().startswith(CONSTRAINT_PREFIX) and not value.strip():
            raise Refused(
                f"The constraint {key} is empty.",
                remedy="Write an expression that is true for every row, such as: amount > 0.",
                delta_error_class="PARSE_EMPTY_STATEMENT",
            )
    if protocol is not None and UNITY_TABLE_ID in properties:
        raise Refused(
            f"The property {UNITY_TABLE_ID} cannot be set by a user.",
            remedy="Unity Catalog maintains it; leave it out.",
            delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        )


def refuse_keys_to_set(properties: Mapping[str, str]) -> None:
    """Raise `Refused` for keys that SET TBLPROPERTIES leaves to other statements."""
    if CLUSTERING_COLUMNS in properties:
        raise Refused(
            "The clustering columns cannot be set as a property.",
            remedy="Use alter --cluster-by COLUMN.",
            delta_error_class="DELTA_CANNOT_MODIFY_TABLE_PROPERTY",
        )
    for key in properties:
        if key.lower().startswith(CONSTRAINT_PREFIX):
            raise Refused(
                f"A CHECK constraint cannot be set as a property ({key}).",
                remedy="Use alter --add-constraint NAME=EXPRESSION, which checks the rows.",
                delta_error_class="DELTA_ADD_CONSTRAINTS",
            )
    if _CLUSTERING in properties:
        feature = FEATURES["clustering"]
        raise Refused(
            "The table feature clustering cannot be set as a property.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )


def refuse_keys_of_upgrade(configuration: Mapping[str, str], protocol: Protocol) -> None:
    """Raise `Refused` for features that do not join an existing table's *protocol*."""
    asked = {key.lower(): value for key, value in configuration.items()}
    feature = FEATURES["adaptiveMetadata-preview"]
    if asked.get(_ADAPTIVE_METADATA, "").lower() == SUPPORTED:
        raise Refused(
            f"The table feature {feature.name} cannot be added to an existing table.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
    feature = FEATURES["catalogManaged"]
    is_asked = _CATALOG_MANAGED in asked or _ADAPTIVE_METADATA in asked
    if is_asked and feature.name not in protocol.explicit_names:
        raise Refused(
            "An existing table cannot become catalog-managed.",
            remedy=feature.not_addable,
            delta_error_class=feature.refusal,
        )
