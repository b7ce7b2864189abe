"""What a wish for features comes to."""

from typing import Any

import pytest

from deltaadm.domain.cost import Cost
from deltaadm.domain.features import FEATURES, TableFeature
from deltaadm.domain.snapshot import Snapshot
from deltaadm.errors import Refused
from deltaadm.operations.enable_feature import plan_features
from deltaadm.operations.plan import Plan
from tests.support.plans import changes, reasons, snapshot

VECTORS = {"reader": ["deletionVectors"], "writer": ["deletionVectors"]}
WIDENING = {"reader": ["typeWidening-preview"], "writer": ["typeWidening-preview"]}
ROW_TRACKING = [
    "~ protocol.minWriterVersion 2 -> 7",
    "+ protocol.writerFeatures[appendOnly]",
    "+ protocol.writerFeatures[domainMetadata]",
    "+ protocol.writerFeatures[invariants]",
    "+ protocol.writerFeatures[rowTracking]",
    "+ configuration[delta.enableRowTracking] = true",
    (
        "+ configuration[delta.rowTracking.materializedRowCommitVersionColumnName]"
        " = _row-commit-version-col-<known after commit>"
    ),
    (
        "+ configuration[delta.rowTracking.materializedRowIdColumnName]"
        " = _row-id-col-<known after commit>"
    ),
]


def row(name: str, table: Snapshot, features: str, *expected: str) -> Any:
    return pytest.param(table, features.split(), list(expected), id=name)


@pytest.mark.parametrize(
    ("table", "features", "expected"),
    [
        row(
            "a property activates what old versions imply",
            snapshot(),
            "appendOnly",
            "+ configuration[delta.appendOnly] = true",
        ),
        row("what it requires comes along", snapshot(), "rowTracking", *ROW_TRACKING),
        row("names in any case", snapshot(), "ROWTRACKING", *ROW_TRACKING),
        row(
            "no property activates it",
            snapshot((1, 7), writer=[]),
            "domainMetadata",
            "+ protocol.writerFeatures[domainMetadata]",
        ),
        row(
            "an old feature keeps old versions",
            snapshot(),
            "checkConstraints",
            "~ protocol.minWriterVersion 2 -> 3",
        ),
        row(
            "supported already, now active",
            snapshot((3, 7), **VECTORS),
            "deletionVectors",
            "+ configuration[delta.enableDeletionVectors] = true",
        ),
        row(
            "active already",
            snapshot((3, 7), {"delta.enableDeletionVectors": "true"}, **VECTORS),
            "deletionVectors",
        ),
        row(
            "several at once, each needing the other",
            snapshot((2, 7), writer=["columnMapping"]),
            "icebergCompatV2 columnMapping",
            "+ protocol.writerFeatures[icebergCompatV2]",
            "+ configuration[delta.columnMapping.maxColumnId] = 1",
            "+ configuration[delta.columnMapping.mode] = name",
            "+ configuration[delta.enableIcebergCompatV2] = true",
            '~ schema[a] {} -> {"delta.columnMapping.id": 1, '
            '"delta.columnMapping.physicalName": "a", "delta.columnMapping.nested.ids": {}}',
        ),
        row(
            "the version that commits carry their time from",
            snapshot((1, 7), writer=["inCommitTimestamp"]),
            "inCommitTimestamp",
            "+ configuration[delta.enableInCommitTimestamps] = true",
            "+ configuration[delta.inCommitTimestampEnablementTimestamp] = <known after commit>",
            "+ configuration[delta.inCommitTimestampEnablementVersion] = 4",
        ),
        row(
            "final form where the property would choose the preview",
            snapshot((3, 7), reader=[], writer=[]),
            "variantShredding",
            "+ protocol.readerFeatures[variantShredding]",
            "+ protocol.readerFeatures[variantType]",
            "+ protocol.writerFeatures[variantShredding]",
            "+ protocol.writerFeatures[variantType]",
            "+ configuration[delta.enableVariantShredding] = true",
        ),
        row(
            "preview where the property would choose the final form",
            snapshot((3, 7), reader=[], writer=[]),
            "typeWidening-preview",
            "+ protocol.readerFeatures[typeWidening-preview]",
            "+ protocol.writerFeatures[typeWidening-preview]",
            "+ configuration[delta.enableTypeWidening] = true",
        ),
        row(
            "not beside its other form",
            snapshot((3, 7), {"delta.enableTypeWidening": "true"}, **WIDENING),
            "typeWidening",
        ),
        row(
            "its other form becomes active",
            snapshot((3, 7), **WIDENING),
            "typeWidening",
            "+ configuration[delta.enableTypeWidening] = true",
        ),
    ],
)
def test_active(table: Snapshot, features: list[str], expected: list[str]) -> None:
    assert changes(plan_features(table, features)) == expected


@pytest.mark.parametrize(
    ("table", "features", "expected"),
    [
        row(
            "without its property",
            snapshot(),
            "deletionVectors",
            "~ protocol.minReaderVersion 1 -> 3",
            "~ protocol.minWriterVersion 2 -> 7",
            "+ protocol.readerFeatures[deletionVectors]",
            "+ protocol.writerFeatures[appendOnly]",
            "+ protocol.writerFeatures[deletionVectors]",
            "+ protocol.writerFeatures[invariants]",
        ),
        row("implied already", snapshot((1, 4)), "changeDataFeed"),
        row(
            "beside its other form, if asked for",
            snapshot((3, 7), **WIDENING),
            "typeWidening",
            "+ protocol.readerFeatures[typeWidening]",
            "+ protocol.writerFeatures[typeWidening]",
        ),
    ],
)
def test_support_only(table: Snapshot, features: list[str], expected: list[str]) -> None:
    assert changes(plan_features(table, features, support_only=True)) == expected


def test_reasons() -> None:
    told = reasons(plan_features(snapshot(), ["rowTracking"]))
    assert told["protocol.writerFeatures[rowTracking]"] == "asked for"
    assert told["protocol.writerFeatures[domainMetadata]"] == "required by rowTracking"
    assert told["protocol.writerFeatures[invariants]"].startswith("implied by the old versions")
    assert told["protocol.minWriterVersion"] == "needed by domainMetadata, rowTracking"
    assert told["configuration[delta.enableRowTracking]"] == "makes rowTracking active"


@pytest.mark.parametrize(
    ("features", "cost"),
    [
        ("deletionVectors", Cost.METADATA),
        ("columnMapping", Cost.METADATA),
        ("rowTracking", Cost.BACKFILL),
        ("rowTracking deletionVectors", Cost.BACKFILL),
    ],
)
def test_costs(features: str, cost: Cost) -> None:
    plan = plan_features(snapshot(), features.split())
    assert plan.cost is cost
    assert {one.cost for one in plan.changes} == {cost}


def test_support_alone_is_no_backfill() -> None:
    assert plan_features(snapshot(), ["rowTracking"], support_only=True).cost is Cost.METADATA


@pytest.mark.parametrize(
    ("plan", "note"),
    [
        (
            plan_features(
                snapshot((3, 7), {"delta.enableDeletionVectors": "true"}, **VECTORS),
                ["deletionVectors"],
            ),
            "deletionVectors is supported and active already.",
        ),
        (
            plan_features(snapshot((1, 4)), ["changeDataFeed"], support_only=True),
            "changeDataFeed is supported already.",
        ),
        (
            plan_features(snapshot(), ["v2Checkpoint"], support_only=True),
            "v2Checkpoint will be supported, and not active.",
        ),
        (
            plan_features(snapshot(), ["checkConstraints"]),
            (
                "checkConstraints becomes active with the first column, constraint or property "
                "that uses it."
            ),
        ),
        (
            plan_features(snapshot((3, 7), **WIDENING), ["typeWidening"]),
            (
                "typeWidening is not added, since the table has its other form, "
                "typeWidening-preview; --support-only adds it all the same."
            ),
        ),
        (
            plan_features(snapshot(), ["typeWidening", "typeWidening-preview"]),
            (
                "typeWidening is not added, since the table has its other form, "
                "typeWidening-preview; --support-only adds it all the same."
            ),
        ),
    ],
)
def test_notes(plan: Plan, note: str) -> None:
    assert plan.notes == (note,)


def test_cautions_come_with_the_plan() -> None:
    (note,) = plan_features(snapshot(), ["deletionVectors"]).notes
    assert note.startswith("deletionVectors: Readers that do not know deletion vectors")


@pytest.mark.parametrize(
    ("name", "error_class", "words"),
    [
        (
            "clustering",
            "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
            "alter --cluster-by",
        ),
        ("catalogManaged", None, "when the table is created in a catalog"),
        (
            "adaptiveMetadata-preview",
            "DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED",
            "when a table is created",
        ),
        ("collations", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "the client that knows it"),
        ("catalogOwned-preview", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "the client that knows"),
        ("rowTrakcing", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "Did you mean rowTracking?"),
        ("deletionvector", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "mean deletionVectors?"),
        ("frobnicate", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "deltaadm features"),
    ],
)
@pytest.mark.parametrize("support_only", [False, True], ids=["active", "support only"])
def test_refused_names(
    name: str, error_class: str | None, words: str, *, support_only: bool
) -> None:
    with pytest.raises(Refused) as caught:
        plan_features(snapshot(), [name], support_only=support_only)
    assert caught.value.delta_error_class == error_class
    assert words in caught.value.remedy


def test_iceberg_needs_column_mapping_first() -> None:
    with pytest.raises(Refused, match="needs column mapping") as caught:
        plan_features(snapshot(), ["icebergCompatV2"])
    assert "set-mapping-mode" in caught.value.remedy


ADDABLE = [one for one in FEATURES.values() if one.in_reference and not one.not_addable]


@pytest.mark.parametrize("feature", ADDABLE, ids=lambda one: one.name)
def test_every_feature_can_be_supported_and_then_is(feature: TableFeature) -> None:
    plan = plan_features(snapshot(), [feature.name], support_only=True)
    after = plan.after.protocol
    assert after.supports(feature.name)
    assert after.supported_features >= {"appendOnly", "invariants", *feature.requires}
    assert plan_features(plan.after, [feature.name], support_only=True).is_noop
