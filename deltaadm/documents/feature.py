"""The document of `features` for one feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.features import Kind, Status, undo_feature
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    array,
    mapping,
    maybe,
    one_of,
    within,
)

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Fields

FEATURE: Final[Fields] = {
    "name": STRING,
    "kind": one_of(Kind),
    "status": one_of(Status),
    "since": (maybe(STRING), lambda feature: feature.since or None),
    "legacy_versions": (maybe(array(COUNT)), lambda feature: feature.legacy or None),
    "requires": (STRINGS, lambda feature: sorted(feature.requires)),
    "twin": maybe(STRING),
    "activated_by": (mapping(STRING), lambda feature: feature.activation.properties),
    "added_to_existing_tables": (
        BOOLEAN,
        lambda feature: feature.activation.auto_enables and feature.auto_update,
    ),
    "not_addable": (maybe(STRING), lambda feature: feature.not_addable or None),
    "undo": (STRING, undo_feature),
    "cost": one_of(Cost),
    "caution": (maybe(STRING), lambda feature: feature.caution or None),
    "in_delta_spark": (BOOLEAN, lambda feature: feature.in_delta_spark),
    "section": STRING,
    "source": STRING,
}
"""The parts of a feature of the registry."""

DOCUMENT: Final = Document.of(
    "The output of `features` for one feature", **within("feature", FEATURE), required_by=STRINGS
)
