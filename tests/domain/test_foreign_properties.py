"""What other engines know of properties is told from mistakes, and makes nothing acceptable."""

from pathlib import Path

import pytest

from deltaadm.domain.properties import (
    FOREIGN,
    PROPERTIES,
    foreign,
    foreign_value,
    is_registered,
    similar_property,
    validated,
)
from deltaadm.errors import RefusedError
from deltaadm.rules.rule import Severity
from tests.support import tables
from tests.support.program import deltaadm
from tests.support.rule_cases import findings
from tests.support.tables import commit, commit_info, metadata, protocol

SHARED = {key: value for key, value in FOREIGN.items() if value.values}


def severities(path: Path, key: str, value: str) -> dict[str, Severity]:
    tables.table(path, commit(commit_info(), protocol(), metadata({key: value})))
    return {
        finding.code: finding.severity
        for finding in findings(path)
        if finding.code in {"DL309", "DL310"}
    }


@pytest.mark.parametrize("key", FOREIGN)
def test_every_entry_says_who_knows_it_and_where_that_is_said(key: str) -> None:
    one = FOREIGN[key]
    assert one.engine
    assert one.source
    assert is_registered(one.key)
    assert bool(one.values) is (key in PROPERTIES)
    assert all(word == word.lower() for word in one.values)


@pytest.mark.parametrize("key", FOREIGN)
def test_a_foreign_key_or_value_is_never_a_mistake(key: str, tmp_path: Path) -> None:
    one = FOREIGN[key]
    name = f"{one.key}x" if key.endswith(".") else one.key
    # Without Iceberg compatibility Delta refuses every change of a table with this value.
    values = {*one.values} - {"iceberg"} or {"x"}
    for number, value in enumerate(sorted(values)):
        found = severities(tmp_path / str(number), name, value)
        assert not found or found == {"DL310": Severity.INFO}


@pytest.mark.parametrize("key", SHARED)
def test_the_finding_names_the_engine_and_delta_spark_still_refuses(
    key: str, tmp_path: Path
) -> None:
    one = SHARED[key]
    plain = tables.table(tmp_path / "plain", commit(commit_info(), protocol(), metadata()))
    known = PROPERTIES[key]
    for number, value in enumerate(one.values):
        try:
            known.validate(value)
        except RefusedError:
            path = tmp_path / str(number)
            tables.table(path, commit(commit_info(), protocol(), metadata({one.key: value})))
            (found,) = [each for each in findings(path) if each.code == "DL310"]
            assert one.engine in found.message
            assert one.source in found.message
            assert deltaadm("alter", plain.path, "--set", f"{one.key}={value}").code == 7


@pytest.mark.parametrize("key", SHARED)
def test_a_value_that_nobody_takes_stays_an_error(key: str, tmp_path: Path) -> None:
    assert foreign_value(key, "chaos") is None
    assert severities(tmp_path, SHARED[key].key, "chaos") == {"DL310": Severity.ERROR}


EFFECTS = {
    ("delta.autoOptimize.autoCompact", "auto"): "reads: yes, writes: yes",
    ("delta.autoOptimize.autoCompact", "legacy"): "reads: yes, writes: yes",
    ("delta.isolationLevel", "WriteSerializable"): "reads: yes, writes: yes",
    ("delta.universalFormat.enabledFormats", "compatibility"): "reads: yes, writes: yes",
    ("delta.isolationLevel", "chaos"): "reads: yes, writes: no",
    ("delta.checkpointInterval", "auto"): "reads: yes, writes: no",
    ("delta.checkpointPolicy", "v3"): "reads: yes, writes: yes",
    ("delta.checkpointRetentionDuration", "auto"): "reads: yes, writes: yes",
    ("delta.logRetentionDuration", "auto"): "reads: yes, writes: yes",
    ("delta.dataSkippingNumIndexedCols", "auto"): "reads: yes, writes: no",
    ("delta.deletedFileRetentionDuration", "auto"): "reads: no, writes: no",
    ("delta.setTransactionRetentionDuration", "auto"): "reads: no, writes: no",
}
"""What Delta Spark 4.4 did with a table of protocol (1, 2) with the property: SELECT and INSERT."""


@pytest.mark.parametrize(("key", "value"), EFFECTS)
def test_delta_spark_uses_a_table_as_it_did(key: str, value: str, tmp_path: Path) -> None:
    made = tables.table(tmp_path, commit(commit_info(), protocol(), metadata({key: value})))
    effect = EFFECTS[key, value]
    spark = deltaadm("inspect", made.path, "-o", "json").document["reference_client"]
    yes_or_no = {key: "yes" if spark[key] else "no" for key in ("reads", "writes")}
    assert effect == "reads: {reads}, writes: {writes}".format_map(yes_or_no)
    reading = deltaadm("validate", made.path, "--for-client", "delta-spark@4.4.0")
    assert ("DL907" in reading.out) is ("reads: no" in effect)


def test_setting_a_foreign_key_is_refused_in_the_name_of_its_engine() -> None:
    with pytest.raises(RefusedError, match="Microsoft Fabric does") as caught:
        validated({"delta.parquet.vorder.enabled": "true"})
    assert caught.value.delta_error_class == "DELTA_UNKNOWN_CONFIGURATION"


def test_mistakes_are_led_to_the_keys_of_every_engine() -> None:
    assert "delta.targetFileSize" in similar_property("delta.targetFileSiz")
    assert foreign("delta.parquet.vorderly") is None
    assert foreign("DELTA.workloadbasedcolumns.x") is FOREIGN["delta.workloadbasedcolumns."]
