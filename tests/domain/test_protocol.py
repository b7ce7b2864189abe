"""The protocol's algebra: known facts, and laws that hold for every protocol."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deltaadm.domain.described import check_protocol_requirements, for_table_feature
from deltaadm.domain.features import FEATURES, REFERENCE, with_requirements
from deltaadm.domain.protocol import (
    CLASSIC_ORDER,
    DEFAULTS_PREFIX,
    Protocol,
    SessionSettings,
    extract_automatically_enabled_features,
    for_new_table,
    minimum_required_versions,
    protocol_versions,
    supported_features_from_table_configs,
)
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import SetProperties
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError
from deltaadm.plans.diff import diff
from tests.support import oracle
from tests.support.rows import with_rows


def protocol(
    reader: int,
    writer: int,
    readers: Sequence[str] | None = None,
    writers: Sequence[str] | None = None,
) -> Protocol:
    return Protocol(
        reader,
        writer,
        None if readers is None else frozenset(readers),
        None if writers is None else frozenset(writers),
    )


def table(of: Protocol, configuration: dict[str, str] | None = None) -> Snapshot:
    schema = (
        '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}}]}'
    )
    metadata = Metadata(id="t", schema_string=schema, configuration=configuration or {})
    return Snapshot(root="t", version=0, protocol=of, metadata=metadata)


@with_rows
def test_versions_imply_features(versions: tuple[int, int], implied: Sequence[str]):
    one = Protocol.apply(*versions)
    assert one.implicit_features == one.supported_features == set(implied)
    for name in FEATURES:
        assert one.supports(name) == (name in implied)


DV = ("deletionVectors",)


@with_rows
def test_a_malformed_protocol_is_held_and_not_worked_with(shape: tuple, refusal: str | None):
    odd = protocol(*shape)
    assert odd.malformation is not None
    assert odd.malformation.delta_error_class == refusal
    assert odd.malformation.remedy
    assert odd.to_wire()["minReaderVersion"] == shape[0]
    for work in (
        odd.normalized,
        odd.denormalized,
        odd.denormalized_normalized,
        lambda: odd.merge(Protocol(1, 2)),
        lambda: Protocol(1, 2).merge(odd),
        lambda: odd.with_features(["appendOnly"]),
        lambda: odd.with_features([]),
        lambda: odd.without_feature("deletionVectors"),
    ):
        with pytest.raises(RefusedError):
            work()


@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 5), (1, 7, None, ()), (2, 7, None, ()), (3, 7, (), ())]
)
def test_a_legal_shape_is_not_malformed(shape: tuple):
    assert protocol(*shape).malformation is None


UNKNOWN = protocol(3, 7, ["fromTheFuture"], ["fromTheFuture", "appendOnly", "invariants"])


def test_an_unknown_feature_is_seen_kept_and_never_dropped():
    assert UNKNOWN.unknown_features == {"fromTheFuture"}
    assert UNKNOWN.supported_features == {"appendOnly", "invariants"}
    assert UNKNOWN.supports("fromTheFuture")
    assert UNKNOWN.with_features(["deletionVectors"]).unknown_features == {"fromTheFuture"}
    assert UNKNOWN.denormalized() == UNKNOWN
    for work in (
        UNKNOWN.normalized,
        UNKNOWN.denormalized_normalized,
        lambda: UNKNOWN.merge(Protocol(1, 2)),
        lambda: Protocol(1, 2).merge(UNKNOWN),
        lambda: UNKNOWN.without_feature("deletionVectors"),
    ):
        with pytest.raises(RefusedError) as caught:
            work()
        assert "fromTheFuture" in caught.value.message


def test_an_upgrade_never_loses_an_unknown_feature():
    assert not UNKNOWN.can_upgrade_to(protocol(1, 2))
    assert UNKNOWN.can_upgrade_to(UNKNOWN.with_feature("deletionVectors"))
    assert not UNKNOWN.can_downgrade_to(protocol(1, 2), "fromTheFuture")


def test_a_feature_of_another_client_counts_as_unknown():
    foreign = protocol(1, 7, None, ["collations"])
    assert foreign.unknown_features == {"collations"}
    assert foreign.supported_features == frozenset()
    assert not foreign.supported_for_write
    assert foreign.supported_for_read


def test_a_listed_name_is_recognised_in_any_case_and_supported_in_one():
    odd = protocol(3, 7, ["DELETIONVECTORS"], ["DELETIONVECTORS"])
    assert odd.supported_features == {"deletionVectors"}
    assert odd.unknown_features == frozenset()
    assert not odd.supported_for_read
    assert odd.normalized() == protocol(3, 7, DV, DV)


@pytest.mark.parametrize(
    "entry", oracle.feature_registry()["features"], ids=lambda one: one["name"]
)
def test_the_protocol_for_one_feature(entry: dict):
    assert for_table_feature(entry["name"]).to_wire() == entry["forTableFeature"]


@pytest.mark.parametrize(("configuration", "versions"), [
    ({}, (None, None)),
    ({"delta.minReaderVersion": "2"}, (2, None)),
    ({"delta.minReaderVersion": "+3", "delta.minWriterVersion": "007"}, (3, 7)),
])  # fmt: skip
def test_version_properties_are_read(configuration: dict[str, str], versions: tuple):
    assert protocol_versions(configuration) == versions


@pytest.mark.parametrize("text", ["", "two", "2.0", " 2", "1_0", "2²", "99999999999"])
def test_a_version_that_is_no_number_is_refused(text: str):
    with pytest.raises(RefusedError) as caught:
        protocol_versions({"delta.minWriterVersion": text})
    assert caught.value.delta_error_class == "DELTA_PROTOCOL_PROPERTY_NOT_INT"


@pytest.mark.parametrize(("configuration", "refusal"), [
    ({"delta.feature.deletionVectors": "disabled"}, "DELTA_UNSUPPORTED_FEATURE_STATUS"),
    ({"delta.feature.deletionVektors": "supported"}, "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"),
    ({"delta.feature.collations": "supported"}, "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"),
])  # fmt: skip
def test_a_wish_for_no_known_feature_is_refused(configuration: dict[str, str], refusal: str):
    with pytest.raises(RefusedError) as caught:
        supported_features_from_table_configs(configuration)
    assert caught.value.delta_error_class == refusal
    assert caught.value.remedy


def test_a_misspelt_feature_gets_a_suggestion():
    with pytest.raises(RefusedError) as caught:
        supported_features_from_table_configs({"delta.feature.deletionvektors": "supported"})
    assert "deletionVectors" in caught.value.remedy


def test_feature_properties_may_say_enabled_and_use_any_case():
    asked = {
        "delta.feature.APPENDONLY": "Enabled",
        "delta.feature.rowtracking": "SUPPORTED",
        "x": "1",
    }
    assert supported_features_from_table_configs(asked) == {"appendOnly", "rowTracking"}


@pytest.mark.parametrize(("feature", "supported"), [
    ("appendOnly", True), ("deletionVectors", True), ("DELETIONvectors", True), ("novel", True),
    ("collations", False), ("rowTracking", False), ("checkConstraints", False),
])  # fmt: skip
def test_a_feature_is_supported_in_any_spelling_that_delta_knows(feature: str, supported: bool):
    listed = protocol(3, 7, ("DELETIONvectors",), ("DELETIONvectors", "novel", "appendOnly"))
    assert listed.supports(feature) is supported
    assert Protocol(1, 3).supports(feature) is (feature in {"appendOnly", "checkConstraints"})


@pytest.mark.parametrize(
    "key", ["delta.minReaderVersion", "delta.feature.x", "delta.ignoreProtocolDefaults"]
)
def test_protocol_keys_must_not_be_stored(key: str):
    with pytest.raises(RefusedError) as caught:
        check_protocol_requirements(Metadata(configuration={key: "1"}), Protocol(1, 2))
    assert key in caught.value.message


def test_requirements_are_those_of_the_metadata():
    metadata = Metadata(configuration={"delta.enableDeletionVectors": "true"})
    needed = check_protocol_requirements(metadata, Protocol(1, 2))
    assert needed == protocol(3, 7, DV, ("appendOnly", *DV, "invariants"))
    assert needed is not None
    assert check_protocol_requirements(metadata, needed) is None


def test_the_classic_table_has_every_legacy_feature():
    assert set(CLASSIC_ORDER) == {
        feature.name for feature in REFERENCE.values() if feature.is_legacy
    }


def test_automatic_features_are_listed_active_and_required_ones():
    metadata = Metadata(configuration={"delta.enableRowTracking": "true"})
    listed = protocol(3, 7, DV, (*DV, "appendOnly", "collations", "unknownOne"))
    assert extract_automatically_enabled_features(metadata, listed) == {
        "appendOnly",
        "deletionVectors",
        "domainMetadata",
        "rowTracking",
    }
    assert extract_automatically_enabled_features(metadata) == {"domainMetadata", "rowTracking"}
    widening = Metadata(configuration={"delta.enableTypeWidening": "true"})
    preview = ("typeWidening-preview",)
    with_twin = extract_automatically_enabled_features(widening, protocol(3, 7, preview, preview))
    assert with_twin == {"typeWidening-preview"}
    assert extract_automatically_enabled_features(metadata, Protocol(1, 4)) == {
        "domainMetadata",
        "rowTracking",
    }


@with_rows
def test_a_new_table(configuration: dict[str, str], defaults: dict[str, str], result: tuple):
    session = SessionSettings(property_defaults=defaults)
    assert for_new_table(Metadata(configuration=configuration), session) == protocol(*result)


def test_settings_survive_spark_configuration():
    settings = SessionSettings(
        property_defaults={"appendOnly": "true"},
        allow_arbitrary_properties=True,
        allow_column_mapping_removal=False,
    )
    assert SessionSettings.from_conf(settings.to_conf()) == settings
    assert settings.to_conf()[f"{DEFAULTS_PREFIX}appendOnly"] == "true"
    assert SessionSettings.from_conf({"spark.other": "x"}) == SessionSettings()


# --- laws -------------------------------------------------------------------------------------

LEGACY_PROTOCOLS = st.builds(Protocol, st.integers(1, 2), st.integers(1, 6))
LISTED_PROTOCOLS = st.frozensets(st.sampled_from(sorted(REFERENCE)), max_size=6).map(
    lambda names: Protocol.apply().with_features(sorted(names))
)
PROTOCOLS = LEGACY_PROTOCOLS | LISTED_PROTOCOLS | LISTED_PROTOCOLS.map(lambda one: one.normalized())
WEAKEST = PROTOCOLS.map(lambda one: one.denormalized_normalized())
NAMES = st.frozensets(st.sampled_from(sorted(REFERENCE)), max_size=4)


@given(WEAKEST, WEAKEST, WEAKEST)
def test_merge_is_a_union(one: Protocol, two: Protocol, three: Protocol):
    assert one.merge(two).merge(three) == one.merge(two.merge(three)) == one.merge(two, three)
    assert one.merge(two) == two.merge(one)
    assert one.merge(one) == one.merge() == one


@given(WEAKEST, WEAKEST)
def test_merge_supports_what_both_do_and_what_that_requires(left: Protocol, right: Protocol):
    both = left.supported_features | right.supported_features
    merged = left.merge(right)
    assert merged.supported_features == set(with_requirements(both))
    assert left.can_upgrade_to(merged)
    assert right.can_upgrade_to(merged)


@given(PROTOCOLS)
def test_normal_forms_keep_the_features_and_are_their_own_repetition(one: Protocol):
    for form in (Protocol.normalized, Protocol.denormalized, Protocol.denormalized_normalized):
        made = form(one)
        assert made.supported_features == one.supported_features
        assert form(made) == made
        assert made.malformation is None


@given(PROTOCOLS)
def test_the_weakest_form_has_the_lowest_versions_for_its_features(one: Protocol):
    weakest = one.denormalized_normalized()
    versions = minimum_required_versions(one.supported_features)
    reader, writer = versions
    assert weakest.min_reader_version == reader
    assert weakest.min_writer_version in {writer, 7}
    if weakest.supports_writer_features and writer < 7:
        assert Protocol(*versions).supported_features != one.supported_features


@given(LISTED_PROTOCOLS, NAMES)
def test_with_features_only_adds(one: Protocol, names: frozenset[str]):
    after = one.with_features(sorted(names))
    assert after.supported_features == one.supported_features | set(with_requirements(names))
    assert (after.min_reader_version, after.min_writer_version) == (3, 7)
    assert (after.reader_features or frozenset()) <= (after.writer_features or frozenset())
    assert after.with_features(sorted(names)) == after
    assert after == one.with_features(sorted(names, reverse=True))


@given(WEAKEST, WEAKEST, WEAKEST)
def test_can_upgrade_to_is_a_preorder(one: Protocol, two: Protocol, three: Protocol):
    assert one.can_upgrade_to(one)
    if one.can_upgrade_to(two) and two.can_upgrade_to(three):
        assert one.can_upgrade_to(three)
    assert one.can_upgrade_to(two) == (one.merge(two) == two.denormalized_normalized())


@given(PROTOCOLS, st.sampled_from(sorted(REFERENCE)))
def test_dropping_a_feature_is_a_legal_downgrade(one: Protocol, name: str):
    assume(REFERENCE[name].removal is not None)
    needed = {x for x in one.supported_features if name in with_requirements([x])} - {name}
    assume(not needed)
    after = one.without_feature(name)
    assert after.supported_features == one.supported_features - {name}
    assert one.can_downgrade_to(after, name)
    assert one.can_upgrade_to(after) == (name not in one.supported_features)


VERSION_WISHES = st.fixed_dictionaries(
    {},
    optional={
        "delta.minReaderVersion": st.sampled_from(["1", "2", "3"]),
        "delta.minWriterVersion": st.sampled_from(["1", "2", "3", "4", "5", "6", "7"]),
    },
)
FEATURE_WISHES = NAMES.map(
    lambda names: {f"delta.feature.{name}": "supported" for name in names - {"clustering"}}
)
PROPERTY_WISHES = st.dictionaries(
    st.sampled_from(
        sorted({key for feature in REFERENCE.values() for key in feature.activation.properties})
    ),
    st.sampled_from(["true", "false", "v2", "classic", "name", "none"]),
    max_size=3,
)


@given(PROTOCOLS, VERSION_WISHES, FEATURE_WISHES, PROPERTY_WISHES)
def test_a_wish_only_adds_features_and_is_granted_once(
    start: Protocol, versions: dict[str, str], features: dict[str, str], properties: dict[str, str]
):
    before = table(start)
    step = SetProperties({**properties, **versions, **features})
    try:
        after = evolve(before, step)
    except RefusedError:
        return
    assert before.protocol.supported_features <= after.protocol.supported_features
    asked = {key.removeprefix("delta.feature.") for key in features}
    assert asked <= after.protocol.supported_features
    assert after.protocol.malformation is None
    assert not [key for key in after.metadata.configuration if key.startswith("delta.feature.")]
    again = replace(after, version=1)
    if len(versions) == 1:
        return  # the other version is the table's, which may be another by now
    assert diff(again, evolve(again, step)) == ()
