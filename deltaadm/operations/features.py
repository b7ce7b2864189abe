"""`features`: the registry, and one feature explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.dataclass import dataclass
from deltaadm.domain.model.features import FEATURES, find

if TYPE_CHECKING:
    from deltaadm.domain.model.features import TableFeature


@dataclass(frozen=True)
class FeatureCatalogue:
    """All features of the registry."""

    features: tuple[TableFeature, ...]

    document = "features"
    blocks = "catalogues.show_features"

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
    blocks = "catalogues.show_feature"


def list_features() -> FeatureCatalogue:
    """Every feature, in alphabetical order."""
    return FeatureCatalogue(tuple(FEATURES.values()))


def explain_feature(name: str) -> FeatureExplanation:
    """The feature *name*, whatever its case; raises `Refused` with a suggestion for no feature."""
    feature = find(name)
    required_by = tuple(entry.name for entry in FEATURES.values() if feature.name in entry.requires)
    return FeatureExplanation(feature, required_by)
