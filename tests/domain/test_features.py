"""The registries of features and of properties, against those of the engine."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deltaadm.domain.features import (
    FEATURES,
    LEGACY,
    REFERENCE,
    Kind,
    Status,
    TableFeature,
    with_requirements,
)
from deltaadm.domain.properties import (
    PROPERTIES,
    interval_microseconds,
    is_protocol_property,
    is_true,
    normalized_key,
    validated,
)
from deltaadm.domain.protocol import supported_protocol
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError, did_you_mean
from tests.support import oracle
from tests.support.rows import with_rows

ENTRIES = {feature["name"]: feature for feature in oracle.feature_registry()["features"]}

PREVIEW_SETTING = {"variantShredding", "variantType-preview"}
"""Asked for by metadata in one state of a session's preview setting only, not the default one."""


def test_the_registry_has_exactly_the_features_of_the_engine():
    assert set(REFERENCE) == set(ENTRIES)
    assert len(ENTRIES) == 32


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_equals_that_of_the_engine(name: str):
    ours, theirs = FEATURES[name], ENTRIES[name]
    assert ours.versions == (theirs["minReaderVersion"], theirs["minWriterVersion"])
    assert ours.is_legacy == theirs["isLegacyFeature"]
    assert ours.is_reader == theirs["isReaderWriterFeature"]
    assert sorted(ours.requires) == theirs["requiredFeatures"]
    dependents = [feature.name for feature in REFERENCE.values() if name in feature.requires]
    assert sorted(dependents) == theirs["dependentFeatures"]


@pytest.mark.parametrize("name", ENTRIES)
def test_dropping_a_feature_equals_that_of_the_engine(name: str):
    removal, theirs = FEATURES[name].removal, ENTRIES[name]
    assert (removal is not None) == theirs["isRemovable"]
    if removal is not None:
        assert removal.keeps_history_out == theirs["requiresHistoryProtectionOnDrop"]
        assert sorted(removal.properties) == theirs["tablePropertiesRemovedOnDrop"]


@pytest.mark.parametrize("name", ENTRIES)
def test_automatic_support_equals_that_of_the_engine(name: str):
    ours, theirs = FEATURES[name], ENTRIES[name]
    asks = ours.activation.auto_enables or name in PREVIEW_SETTING
    assert asks == theirs["automaticallyEnabledByMetadata"]
    if asks:
        assert ours.auto_update == theirs["autoUpdateExistingTables"]


@pytest.mark.parametrize("one", FEATURES.values(), ids=lambda one: one.name)
def test_an_entry_makes_sense(one: TableFeature):
    assert FEATURES[one.name] is one
    assert one.section
    assert one.source
    assert set(one.requires) <= set(FEATURES)
    assert one.name not in with_requirements(one.requires)
    if one.twin is not None:
        assert FEATURES[one.twin].twin == one.name
        assert FEATURES[one.twin].kind is one.kind
    if one.is_reader:
        assert one.legacy is None or one.legacy[0] > 1
    else:
        assert one.versions[0] == 0
    if one.is_legacy:
        assert one.auto_update
        assert one.in_delta_spark
        assert one.status is Status.STABLE
    if one.not_addable or one.refusal:
        assert one.not_addable
    for key in one.activation.properties:
        assert key.lower() in PROPERTIES or not one.in_delta_spark


def test_names_are_unique_ignoring_case():
    assert len({name.lower() for name in FEATURES}) == len(FEATURES)


def test_names_are_in_alphabetical_order():
    assert list(FEATURES) == sorted(FEATURES, key=str.lower)


@pytest.mark.parametrize(
    "name", [n for n, feature in FEATURES.items() if not feature.in_delta_spark]
)
def test_what_delta_spark_does_not_know_has_a_source_and_counts_as_unsupported(name: str):
    one = FEATURES[name]
    assert one.status in {Status.RFC, Status.OTHER_CLIENTS, Status.TEST_ONLY}
    assert one.source != "Delta Spark 4.4.0"
    assert not supported_protocol().supports(name)
    assert name not in REFERENCE
    assert TableFeature.lookup(name) is one


def test_the_registry_has_the_features_that_others_know():
    assert {name for name, feature in FEATURES.items() if not feature.in_delta_spark} == {
        "adaptiveMetadata", "catalogOwned-preview", "collations", "collations-preview",
        "columnMappingUsageTracking", "icebergWriterCompatV1", "icebergWriterCompatV3",
        "redirectReaderWriter-preview", "redirectWriterOnly-preview", "timestampNanos",
        "timestampWithoutTimezone",
    }  # fmt: skip


def test_legacy_features_are_seven():
    assert {case.name: case.legacy for case in LEGACY} == {
        "appendOnly": (0, 2), "changeDataFeed": (0, 4), "checkConstraints": (0, 3),
        "columnMapping": (2, 5), "generatedColumns": (0, 4), "identityColumns": (0, 6),
        "invariants": (0, 2),
    }  # fmt: skip
    assert Counter(case.kind for case in LEGACY) == {Kind.WRITER: 6, Kind.READER_WRITER: 1}


@pytest.mark.parametrize("name", ["deletionVectors", "DELETIONVECTORS", "deletionvectors"])
def test_a_feature_is_found_in_any_case(name: str):
    found = TableFeature.lookup(name)
    assert found is FEATURES["deletionVectors"]
    assert TableFeature.find(name) is found


def test_a_name_from_the_future_is_no_feature():
    assert TableFeature.lookup("fromTheFuture") is None
    with pytest.raises(RefusedError) as caught:
        TableFeature.find("rowTraking")
    assert "rowTracking" in caught.value.remedy


NAMES = st.frozensets(st.sampled_from([*REFERENCE, "unheardOf"]), max_size=4)


@given(NAMES, NAMES)
def test_requirements_are_the_smallest_closed_set(names: frozenset[str], more: frozenset[str]):
    closed = {*with_requirements(names)}
    reached = set(names)
    while (
        wanted := {x for name in reached & {*REFERENCE} for x in REFERENCE[name].requires} - reached
    ):
        reached |= wanted
    assert closed == reached
    assert {*with_requirements(closed)} == closed <= {*with_requirements(names | more)}


@pytest.mark.parametrize(
    "one",
    [feature for feature in REFERENCE.values() if feature.activation.properties],
    ids=lambda one: one.name,
)
def test_its_own_properties_activate_a_feature(one: TableFeature):
    assert one.activation.evidence(Metadata(configuration=dict(one.activation.properties)))
    assert not one.activation.evidence(Metadata())


@pytest.mark.parametrize(
    "one",
    [feature for feature in FEATURES.values() if feature.activation.find is None],
    ids=lambda one: one.name,
)
def test_a_feature_that_is_active_when_supported_is_never_asked_for(one: TableFeature):
    assert not one.activation.auto_enables
    assert not one.activation.properties


# --- properties -------------------------------------------------------------------------------

KNOWN = {entry["key"]: entry for entry in oracle.property_registry()}


def test_the_properties_are_those_of_the_engine():
    assert {entry.key for entry in PROPERTIES.values()} == set(KNOWN)
    assert len(KNOWN) == 54
    assert all(value.key.lower() == key for key, value in PROPERTIES.items())


@pytest.mark.parametrize("key", KNOWN)
def test_a_property_equals_that_of_the_engine(key: str):
    ours, theirs = PROPERTIES[key.lower()], KNOWN[key]
    assert ours.default == theirs["defaultValue"]
    assert ours.editable == theirs["editable"]
    assert [alternate.removeprefix("delta.") for alternate in ours.alternates] == [
        key.removeprefix("delta.") for key in theirs["alternateKeys"]
    ]
    assert ours.help or not ours.editable


@pytest.mark.parametrize(
    "key", [entry.key for entry in PROPERTIES.values() if entry.editable and entry.default]
)
def test_a_default_is_a_legal_value(key: str):
    default = PROPERTIES[key.lower()].default
    assert default
    assert validated({key: default}) == {key: default}
    assert validated({key.upper(): default}) == {key: default}


@with_rows
def test_keys_get_the_spelling_of_the_registry(key: str, normal: str):
    assert normalized_key(key) == normal


@with_rows
def test_protocol_properties(key: str, answer: bool):
    assert is_protocol_property(key) is answer


@pytest.mark.parametrize(
    ("configuration", "answer"), [({}, True), ({"delta.enableExpiredLogCleanup": "False"}, False)]
)
def test_a_switch_has_its_default(configuration: dict[str, str], answer: bool):
    assert is_true(configuration, "delta.enableExpiredLogCleanup") is answer


@with_rows
def test_unknown_keys_are_for_other_programs_only(configuration: dict[str, str], allowed: bool):
    assert validated(configuration, allow_arbitrary=True) == configuration
    if allowed:
        assert validated(configuration) == configuration
        return
    with pytest.raises(RefusedError) as caught:
        validated(configuration)
    assert caught.value.delta_error_class == "DELTA_UNKNOWN_CONFIGURATION"


def test_a_misspelt_key_gets_a_suggestion():
    with pytest.raises(RefusedError) as caught:
        validated({"delta.apendOnly": "true"})
    assert "delta.appendOnly" in caught.value.remedy
    assert did_you_mean("zzzz", ["appendOnly"]) == ""


DAY = 86_400_000_000


@with_rows
def test_an_interval_has_a_length(text: str, length: int | None):
    assert interval_microseconds(text) == length


@with_rows
def test_what_is_no_interval_is_refused(text: str, refusal: str):
    with pytest.raises(RefusedError) as caught:
        interval_microseconds(text)
    assert caught.value.delta_error_class == refusal


KEYS = st.sampled_from(sorted(KNOWN)) | st.text().map(lambda rest: f"delta.{rest}") | st.text()
VALUES = (
    st.text()
    | st.sampled_from(
        ["true", "0", "-1", "interval 1 day", "{}", "[]", "none", "v2", "a,b", "null"]
    )
    | st.integers().map(str)
    | st.from_regex(r"[+-]?[0-9]{1,3} ?(day|week|month|second)s?", fullmatch=True)
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_properties_are_taken_in_the_spelling_of_the_registry_or_refused(wish: dict[str, str]):
    try:
        taken = validated(wish)
    except RefusedError:
        return
    assert set(taken) == {normalized_key(key) for key in wish}
    assert set(taken.values()) <= set(wish.values())
    assert validated(taken) == taken


@example("9" * 5000 + " days")
@given(st.text() | st.from_regex(r"(interval )?([+-]?\d{1,4}(\.\d+)? \w+ ?){1,3}"))
def test_any_text_is_an_interval_or_refused(text: str):
    try:
        length = interval_microseconds(text)
    except RefusedError:
        return
    assert length is None or interval_microseconds(f"interval {text.strip()} 1 day") == length + DAY
