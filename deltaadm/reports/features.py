"""`features`: all table features, or one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deltaadm.blocks import Block, Either, Heading, Table
from deltaadm.dataclass import dataclass
from deltaadm.documents import Document
from deltaadm.domain.features import FEATURES, Cost, Kind, Status, TableFeature, undo_feature
from deltaadm.json_values import (
    BOOLEAN,
    COUNT,
    STRING,
    STRINGS,
    Fields,
    array,
    mapping,
    maybe,
    one_of,
    record,
    within,
)
from deltaadm.reports.words import COSTS


@dataclass(frozen=True)
class FeatureCatalogue:
    """All features of the registry."""

    features: tuple[TableFeature, ...]

    document = "features"
    blocks = "deltaadm.reports.features.show_features"

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `-o name` prints."""
        return tuple(feature.name for feature in self.features)


@dataclass(frozen=True)
class FeatureExplanation:
    """One feature of the registry, with those that require it."""

    feature: TableFeature
    required_by: tuple[str, ...]

    document = "feature"
    blocks = "deltaadm.reports.features.show_feature"


def list_features() -> FeatureCatalogue:
    """Every feature, in alphabetical order."""
    return FeatureCatalogue(tuple(FEATURES.values()))


def explain_feature(name: str) -> FeatureExplanation:
    """The feature *name*, whatever its case; raises `UnknownNameError` for no feature."""
    feature = TableFeature.find(name)
    required_by = tuple(entry.name for entry in FEATURES.values() if feature.name in entry.requires)
    return FeatureExplanation(feature, required_by)


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

FEATURE_DOCUMENT: Final = Document.of(
    "The output of `features` for one feature", **within("feature", FEATURE), required_by=STRINGS
)


FEATURES_DOCUMENT: Final = Document.of(
    "The output of `features`", features=array(record(**FEATURE))
)


def show_features(report: FeatureCatalogue) -> Iterator[Block]:
    """The table of all features."""
    yield Either([Heading("Table features", level=1)])
    columns = ("feature", "kind", "in the protocol", "status", "activated by")
    rows = []
    for feature in report.features:
        implied = feature.legacy and f"implied by ({feature.legacy[0] or 1}, {feature.legacy[1]})"
        properties = " ".join(f"{key}={to}" for key, to in feature.activation.properties.items())
        kind, status = feature.kind.value, feature.status.value
        rows.append((feature.name, kind, implied or "listed", status, properties))
    yield Table("Table features", columns, tuple(rows))


def show_feature(report: FeatureExplanation) -> Iterator[Block]:
    """The description of a feature."""
    feature, legacy = report.feature, report.feature.legacy
    properties = feature.activation.properties.items()
    rows = (
        ("concerns", "writers and readers" if feature.is_reader else "writers only"),
        ("status", feature.status.value),
        ("since", f"Delta Spark {feature.since}" if feature.since else None),
        ("implied by", f"reader {legacy[0] or 1}, writer {legacy[1]}" if legacy else None),
        ("requires", ", ".join(sorted(feature.requires)) or "nothing"),
        ("required by", ", ".join(report.required_by) or None),
        ("other form", feature.twin or None),
        *(("activated by", f"{key} = {value}") for key, value in properties),
        ("existing tables", feature.not_addable or None),
        ("cost of enabling", COSTS[feature.cost]),
        ("undo", undo_feature(feature)),
        ("caution", feature.caution or None),
        ("described in", feature.section),
        ("source", feature.source),
    )
    shown = tuple((what, words) for what, words in rows if words is not None)
    yield Heading(feature.name, level=1)
    yield Table(feature.name, (), shown)
