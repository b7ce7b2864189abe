"""`features`: the registry, and one feature explained."""

from __future__ import annotations

from deltaadm.domain.model.features import FEATURES, find
from deltaadm.operations.reports import FeatureCatalogue, FeatureExplanation


def list_features() -> FeatureCatalogue:
    """Every feature, in alphabetical order."""
    return FeatureCatalogue(tuple(FEATURES.values()))


def explain_feature(name: str) -> FeatureExplanation:
    """The feature *name*, whatever its case; raises `Refused` with a suggestion for no feature."""
    feature = find(name)
    required_by = tuple(entry.name for entry in FEATURES.values() if feature.name in entry.requires)
    return FeatureExplanation(feature, required_by)
