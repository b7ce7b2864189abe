"""What a wish for features comes to."""

import re
from dataclasses import replace
from typing import Any

import pytest

from deltaadm.domain.features import FEATURES, Cost, TableFeature
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import SetProperties
from deltaadm.errors import RefusedError
from deltaadm.plans.features import plan_features
from deltaadm.plans.plan import Plan
from tests.support.cases import each
from tests.support.plans import changes, mapped, reasons, snapshot

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


@pytest.mark.parametrize(("table", "features", "expected"), [
    row("a property activates what old versions imply", snapshot(), "appendOnly",
        "+ configuration[delta.appendOnly] = true"),
    row("what it requires comes along", snapshot(), "rowTracking", *ROW_TRACKING),
    row("names in any case", snapshot(), "ROWTRACKING", *ROW_TRACKING),
    row("no property activates it", snapshot((1, 7), writer=[]), "domainMetadata",
        "+ protocol.writerFeatures[domainMetadata]"),
    row("an old feature keeps old versions", snapshot(), "checkConstraints",
        "~ protocol.minWriterVersion 2 -> 3"),
    row("supported already, now active", snapshot((3, 7), **VECTORS), "deletionVectors",
        "+ configuration[delta.enableDeletionVectors] = true"),
    row("active already", snapshot((3, 7), {"delta.enableDeletionVectors": "true"}, **VECTORS),
        "deletionVectors"),
    row("several at once, each needing the other", snapshot((2, 7), writer=["columnMapping"]),
        "icebergCompatV2 columnMapping", "+ protocol.writerFeatures[icebergCompatV2]",
        "+ configuration[delta.columnMapping.maxColumnId] = 1",
        "+ configuration[delta.columnMapping.mode] = name",
        "+ configuration[delta.enableIcebergCompatV2] = true",
        '~ schema[a] {} -> {"delta.columnMapping.id": 1, '
        '"delta.columnMapping.physicalName": "a", "delta.columnMapping.nested.ids": {}}'),
    row("the version that commits carry their time from",
        snapshot((1, 7), writer=["inCommitTimestamp"]), "inCommitTimestamp",
        "+ configuration[delta.enableInCommitTimestamps] = true",
        "+ configuration[delta.inCommitTimestampEnablementTimestamp] = <known after commit>",
        "+ configuration[delta.inCommitTimestampEnablementVersion] = 4"),
    row("final form where the property would choose the preview", snapshot((3, 7), reader=[],
        writer=[]), "variantShredding", "+ protocol.readerFeatures[variantShredding]",
        "+ protocol.readerFeatures[variantType]", "+ protocol.writerFeatures[variantShredding]",
        "+ protocol.writerFeatures[variantType]",
        "+ configuration[delta.enableVariantShredding] = true"),
    row("preview where the property would choose the final form", snapshot((3, 7), reader=[],
        writer=[]), "typeWidening-preview", "+ protocol.readerFeatures[typeWidening-preview]",
        "+ protocol.writerFeatures[typeWidening-preview]",
        "+ configuration[delta.enableTypeWidening] = true"),
    row("not beside its other form", snapshot((3, 7), {"delta.enableTypeWidening": "true"},
        **WIDENING), "typeWidening"),
    row("its other form becomes active", snapshot((3, 7), **WIDENING), "typeWidening",
        "+ configuration[delta.enableTypeWidening] = true"),
])  # fmt: skip
def test_active(table: Snapshot, features: list[str], expected: list[str]) -> None:
    assert changes(plan_features(table, features)) == expected


@pytest.mark.parametrize(("table", "features", "expected"), [
    row("without its property", snapshot(), "deletionVectors", "~ protocol.minReaderVersion 1 -> 3",
        "~ protocol.minWriterVersion 2 -> 7", "+ protocol.readerFeatures[deletionVectors]",
        "+ protocol.writerFeatures[appendOnly]", "+ protocol.writerFeatures[deletionVectors]",
        "+ protocol.writerFeatures[invariants]"),
    row("implied already", snapshot((1, 4)), "changeDataFeed"),
    row("beside its other form, if asked for", snapshot((3, 7), **WIDENING), "typeWidening",
        "+ protocol.readerFeatures[typeWidening]", "+ protocol.writerFeatures[typeWidening]"),
])  # fmt: skip
def test_support_only(table: Snapshot, features: list[str], expected: list[str]) -> None:
    assert changes(plan_features(table, features, support_only=True)) == expected


def test_reasons() -> None:
    found = reasons(plan_features(snapshot(), ["rowTracking"]))
    assert found["protocol.writerFeatures[rowTracking]"] == "requested"
    assert found["protocol.writerFeatures[domainMetadata]"] == "required by rowTracking"
    assert found["protocol.writerFeatures[invariants]"].startswith("implied so far")
    assert found["protocol.minWriterVersion"] == "needed by domainMetadata, rowTracking"
    assert found["configuration[delta.enableRowTracking]"] == "makes rowTracking active"


@pytest.mark.parametrize(("features", "cost"), [
    ("deletionVectors", Cost.METADATA),
    ("columnMapping", Cost.METADATA),
    ("rowTracking", Cost.BACKFILL),
    ("rowTracking deletionVectors", Cost.BACKFILL),
])  # fmt: skip
def test_costs(features: str, cost: Cost) -> None:
    plan = plan_features(snapshot(), features.split())
    assert plan.cost is cost
    assert {change.cost for change in plan.changes} == {cost}


def test_support_alone_is_no_backfill() -> None:
    assert plan_features(snapshot(), ["rowTracking"], support_only=True).cost is Cost.METADATA


@pytest.mark.parametrize(("plan", "note"), [
    (plan_features(snapshot((3, 7), {"delta.enableDeletionVectors": "true"}, **VECTORS),
        ["deletionVectors"]), "deletionVectors is already supported and active."),
    (plan_features(snapshot((1, 4)), ["changeDataFeed"], support_only=True),
        "changeDataFeed is already supported."),
    (plan_features(snapshot(), ["v2Checkpoint"], support_only=True),
        "v2Checkpoint will be supported but not active."),
    (plan_features(snapshot(), ["checkConstraints"]),
        ("checkConstraints becomes active with the first column, constraint or property "
        "that uses it.")),
    (plan_features(snapshot((3, 7), **WIDENING), ["typeWidening"]),
        ("typeWidening is not added because the table already has the other form of it, "
        "typeWidening-preview; --support-only adds it anyway.")),
    (plan_features(snapshot(), ["typeWidening", "typeWidening-preview"]),
        ("typeWidening is not added because the table already has the other form of it, "
        "typeWidening-preview; --support-only adds it anyway.")),
])  # fmt: skip
def test_notes(plan: Plan, note: str) -> None:
    assert plan.notes == (note,)


def test_cautions_come_with_the_plan() -> None:
    (note,) = plan_features(snapshot(), ["deletionVectors"]).notes
    assert note.startswith("deletionVectors: Readers without support for deletion vectors")


@pytest.mark.parametrize(("name", "error_class", "words"), [
    ("clustering", "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        "alter --cluster-by"),
    ("catalogManaged", None, "when the table is created in a catalog"),
    ("adaptiveMetadata-preview", "DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED",
        "when a table is created"),
    ("collations", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "the client that knows it"),
    ("catalogOwned-preview", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "the client that knows"),
    ("rowTrakcing", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "Did you mean rowTracking?"),
    ("deletionvector", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "mean deletionVectors?"),
    ("frobnicate", "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "deltaadm features"),
])  # fmt: skip
@pytest.mark.parametrize("support_only", [False, True], ids=["active", "support only"])
def test_refused_names(
    name: str, error_class: str | None, words: str, *, support_only: bool
) -> None:
    with pytest.raises(RefusedError) as caught:
        plan_features(snapshot(), [name], support_only=support_only)
    assert caught.value.delta_error_class == error_class
    assert words in caught.value.remedy


ICEBERG = [f"icebergCompatV{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("name", ICEBERG)
def test_what_must_be_active_as_well_comes_along(name: str) -> None:
    plan = plan_features(snapshot(), [name])
    assert plan.steps == (
        SetProperties(
            {"delta.columnMapping.mode": "name", f"delta.enable{name[0].upper()}{name[1:]}": "true"}
        ),
    )
    assert reasons(plan)["configuration[delta.columnMapping.mode]"] == f"needed by {name}"
    assert any(note.startswith("columnMapping: Readers without support") for note in plan.notes)


@pytest.mark.parametrize("mode", ["name", "id"])
def test_what_is_active_already_stays_as_it_is(mode: str) -> None:
    plan = plan_features(mapped(mode), ["icebergCompatV2"])
    assert plan.steps == (SetProperties({"delta.enableIcebergCompatV2": "true"}),)


def test_support_alone_activates_nothing_else() -> None:
    plan = plan_features(snapshot(), ["icebergCompatV2"], support_only=True)
    assert "delta.columnMapping.mode" not in plan.after.metadata.configuration


ADDABLE = [
    feature for feature in FEATURES.values() if feature.in_delta_spark and not feature.not_addable
]
TABLES = {
    "(1, 2)": snapshot(),
    "(2, 5)": snapshot((2, 5)),
    "(1, 7)": snapshot((1, 7), writer=[]),
    "(3, 7)": snapshot((3, 7), reader=[], writer=[]),
    "mapped": mapped(),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@each("feature", {feature.name: feature for feature in ADDABLE})
def test_every_feature_becomes_active_with_all_that_it_requires(
    feature: TableFeature, table: Snapshot
) -> None:
    after = plan_features(table, [feature.name]).after
    assert after.protocol.supported_features >= {feature.name, *feature.requires}
    for name in (feature.name, *feature.requires_active):
        activation = FEATURES[name].activation
        assert activation.evidence(after.metadata) or not activation.properties
    assert plan_features(after, [feature.name]).is_noop


FORBIDDEN = snapshot((3, 7), {"delta.enableDeletionVectors": "true"}, **VECTORS)


@pytest.mark.parametrize("name", ICEBERG[:2])
def test_what_a_feature_forbids_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="does not allow deletion vectors") as caught:
        plan_features(FORBIDDEN, [name])
    assert "Set delta.enableDeletionVectors to false" in caught.value.remedy


@pytest.mark.parametrize("feature", ADDABLE, ids=lambda feature: feature.name)
def test_every_feature_can_be_supported_and_then_is(feature: TableFeature) -> None:
    plan = plan_features(snapshot(), [feature.name], support_only=True)
    after = plan.after.protocol
    assert after.supports(feature.name)
    assert after.supported_features >= {"appendOnly", "invariants", *feature.requires}
    assert plan_features(plan.after, [feature.name], support_only=True).is_noop


def iceberg_table(version: int, *formats: str) -> Snapshot:
    """A table that Iceberg readers can read, without deletion vectors."""
    plain = mapped(versions=(2, 7), writer=["columnMapping", f"icebergCompatV{version}"])
    more = {f"delta.enableIcebergCompatV{version}": "true"}
    if formats:
        more["delta.universalFormat.enabledFormats"] = ",".join(formats)
    configuration = {**plain.metadata.configuration, **more}
    return replace(plain, metadata=plain.metadata.with_configuration(configuration))


@pytest.mark.parametrize("formats", [(), ("iceberg",)], ids=["compatible", "UniForm"])
@pytest.mark.parametrize("version", [1, 2])
def test_advice_is_about_what_is_set(version: int, formats: tuple[str, ...]) -> None:
    table = iceberg_table(version, *formats)
    with pytest.raises(RefusedError) as caught:
        plan_features(table, ["deletionVectors"])
    assert caught.value.delta_error_class is not None
    assert caught.value.delta_error_class.endswith("DELETION_VECTORS_SHOULD_BE_DISABLED")
    advised = set(re.findall(r"delta\.\w+(?:\.\w+)*", caught.value.remedy))
    assert advised
    assert advised <= table.metadata.configuration.keys()
    assert ("delta.universalFormat.enabledFormats" in advised) is bool(formats)


def test_what_is_set_is_advised_to_be_unset() -> None:
    vectors = {"delta.enableDeletionVectors": "true"}
    plain = mapped(
        versions=(3, 7),
        reader=["columnMapping", "deletionVectors"],
        writer=["columnMapping", "deletionVectors"],
    )
    configuration = {**plain.metadata.configuration, **vectors}
    table = replace(plain, metadata=plain.metadata.with_configuration(configuration))
    with pytest.raises(RefusedError) as caught:
        plan_features(table, ["icebergCompatV2"])
    assert "Set delta.enableDeletionVectors to false" in caught.value.remedy
