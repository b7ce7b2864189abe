"""What `explain` and `rules` know: every rule, every feature, every error class that we carry."""

import json
import re
from pathlib import Path

import pytest

import deltaadm
from deltaadm.domain.features import FEATURES
from deltaadm.errors import RefusedError
from deltaadm.reports.catalogues import ClientExplanation, FeatureExplanation
from deltaadm.reports.explain import (
    ErrorClassExplanation,
    RuleExplanation,
    error_classes,
    explain,
    list_rules,
)
from deltaadm.reports.validate import choose_rules
from tests.support import oracle
from tests.support.cases import each
from tests.support.rows import with_rows
from tests.support.statement_rows import all_rows

SOURCES = sorted(Path(deltaadm.__file__).parent.rglob("*.py"))
CARRIED = re.compile(
    r'"((?:DELTA|UNSUPPORTED|FAILED|INVALID)_[A-Z_]+[A-Z])(?:\.[A-Z_{}]*[a-z_}]*)?"'
    r'|delta_error_class="([A-Z_0-9]*[A-Z0-9])'
)
DELTA_S_OWN = Path(__file__).parents[2] / "docs" / "delta-error-messages.json"
"""From `error/delta-error-classes.json` of delta-spark 4.4.0."""
MADE = {
    *(f"DELTA_MISSING_COMMIT_{what}" for what in ("INFO", "TIMESTAMP")),
    *(f"DELTA_UNSUPPORTED_FEATURES_FOR_{what}" for what in ("READ", "WRITE")),
    *(f"DELTA_FEATURE_REQUIRES_HIGHER_{side}_VERSION" for side in ("READER", "WRITER")),
}


def carried() -> set[str]:
    """The classes that stand in the source as whole words, and those that are put together."""
    found = {
        name
        for path in SOURCES
        for pair in CARRIED.findall(path.read_text(encoding="utf-8"))
        for name in pair
        if name
    }
    beginnings = {
        name for name in found for other in error_classes() if other.startswith(f"{name}_")
    }
    return (found - beginnings) | MADE


def recorded() -> set[str]:
    """The classes with which the engine answered when it was recorded."""
    text = b"".join(body for name, body in oracle._archive().items() if name.endswith(".jsonl"))  # noqa: SLF001
    found = {name.decode() for name in re.findall(rb'"errorClass": ?"([A-Z_0-9]+)', text)}
    refused = {row["refused"] for row in all_rows() if row.get("refused")}
    return found | {name.partition(".")[0] for name in refused}


def test_every_class_that_we_carry_is_explained() -> None:
    assert len(carried()) > 40
    assert sorted(carried() - set(error_classes())) == []


@pytest.mark.parametrize(
    "message",
    ["[DELTA_VERSIONS_NOT_CONTIGUOUS]", "[DELTA_VERSIONS_NOT_CONTIGUOUS.SUB] Versions are not."],
)
def test_an_error_is_understood_as_delta_says_it(message: str) -> None:
    found = explain(message)
    assert isinstance(found, ErrorClassExplanation)
    assert found.error_class.name == "DELTA_VERSIONS_NOT_CONTIGUOUS"


def test_every_class_that_the_engine_answered_with_is_explained() -> None:
    assert sorted(recorded() - set(error_classes())) == []


def test_every_class_of_delta_is_called_as_delta_calls_it() -> None:
    messages = {name.partition(".")[0] for name in json.loads(DELTA_S_OWN.read_text("utf-8"))}
    explained = {name for name in error_classes() if name.startswith("DELTA_") or name in messages}
    of_older_releases = {"DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL"}
    assert explained == messages | of_older_releases


@each("name", list(error_classes()))
def test_a_class_names_commands_and_rules_that_exist(name: str) -> None:
    from deltaadm.cli.table import COMMANDS

    found = explain(name)
    assert isinstance(found, ErrorClassExplanation)
    assert found.error_class.name == name
    assert found.error_class.meaning.endswith(".")
    assert set(found.error_class.commands) <= set(COMMANDS)


def test_a_class_leads_to_the_rules_that_name_it() -> None:
    found = explain("DELTA_VERSIONS_NOT_CONTIGUOUS")
    assert isinstance(found, ErrorClassExplanation)
    assert "DL101" in [rule.code for rule in found.rules]


def test_a_sub_class_is_explained_as_its_class() -> None:
    assert explain("failed_read_file.no_hint") == explain("FAILED_READ_FILE")


@pytest.mark.parametrize("word", ["DL101", "dl101", "gap-in-commits", " DL101 "])
def test_a_rule_is_found_by_code_and_name(word: str) -> None:
    found = explain(word)
    assert isinstance(found, RuleExplanation)
    assert found.rule.code == "DL101"


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_is_found_in_any_case(name: str) -> None:
    found = explain(name.upper())
    assert isinstance(found, FeatureExplanation)
    assert found.feature.name == name


@with_rows
def test_anything_else_is_refused_with_a_suggestion(word: str, suggestion: str) -> None:
    with pytest.raises(RefusedError) as caught:
        explain(word)
    assert suggestion in caught.value.remedy


def test_rules_are_listed_by_family() -> None:
    assert list_rules().rules == tuple(choose_rules())
    assert {rule.code[:3] for rule in list_rules(["DL1", "DL6xx"]).rules} == {"DL1", "DL6"}
    with pytest.raises(RefusedError, match="There is no rule 'DL0'"):
        list_rules(["DL0"])


def test_a_client_and_a_property_that_activates_a_feature() -> None:
    assert isinstance(explain("trino@480"), ClientExplanation)
    assert explain("delta.enableDeletionVectors") == explain("deletionVectors")
