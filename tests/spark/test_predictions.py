"""
Prediction equals reality: evolve against what Delta then commits, for every feature and start.

The tables are logs without data files, so that each case costs one ALTER. A few of each kind
are in the suite; `tests/domain/test_evolve.py` compares with all recorded commits without Spark.
"""

from pathlib import Path
from typing import Any

import pytest

from deltaadm import Snapshot, evolve, load_snapshot, open_store
from deltaadm.domain.features import FEATURES, REFERENCE, TableFeature
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.steps import (
    AddConstraint,
    DropConstraint,
    SetProperties,
    Step,
    UnsetProperties,
    read_step,
)
from deltaadm.errors import CommitError, DeltaadmError
from deltaadm.plans.diff import mismatches
from deltaadm.spark.executor import SparkExecutor
from tests.support.cases import sampled
from tests.support.refusals import UNTOUCHED
from tests.support.rows import grouped
from tests.support.tables import Action, Table, metadata

STARTS = {
    "1,1": Protocol(1, 1),
    "1,2": Protocol(1, 2),
    "1,3": Protocol(1, 3),
    "1,4": Protocol(1, 4),
    "1,5": Protocol(1, 5),
    "1,6": Protocol(1, 6),
    "2,5": Protocol(2, 5),
    "1,7": Protocol(1, 7, None, frozenset({"appendOnly", "invariants"})),
    "2,7": Protocol(2, 7, None, frozenset({"columnMapping", "invariants"})),
    "3,7": Protocol(
        3, 7, frozenset({"deletionVectors"}), frozenset({"appendOnly", "deletionVectors"})
    ),
}

MAPPED_SCHEMA = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":'
    '{"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"a"}}]}'
)
MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
NTZ_SCHEMA = (
    '{"type":"struct","fields":[{"name":"a","type":"timestamp_ntz","nullable":true,"metadata":{}}]}'
)


def start(path: Path, protocol: Protocol, meta: Action | None = None) -> Snapshot:
    table = Table(path)
    table.commit(0, {"protocol": protocol.to_wire()}, meta or metadata())
    return load_snapshot(open_store(str(path)))


def assert_predicted(executor: SparkExecutor, before: Snapshot, step: Step) -> Snapshot:
    """Carry out *step*; Delta must answer what evolve says, result or refusal."""
    try:
        predicted: Snapshot | str | None = evolve(before, step)
    except DeltaadmError as error:
        predicted = error.delta_error_class
    try:
        executor.apply(before.root, step)
        refused: Any = False
    except CommitError as error:
        refused = error.delta_error_class
    after = load_snapshot(open_store(before.root))
    if isinstance(predicted, Snapshot):
        assert refused is False, f"predicted a commit; Delta refused with {refused}"
        assert mismatches(predicted, after) == ()
    else:
        assert refused == predicted, "predicted a refusal"
        assert after.version == before.version
    return after


def support(feature: TableFeature) -> SetProperties:
    return SetProperties({f"delta.feature.{feature.name}": "supported"})


FEATURES_AND_STARTS = sampled(
    (f"{name}-{start}", number % 3 == 0 and number // 3 % len(STARTS) == place, name, protocol)
    for number, name in enumerate(REFERENCE)
    for place, (start, protocol) in enumerate(STARTS.items())
)
"""Every feature on every start; outside the matrix each third once, the starts in turn."""


@pytest.mark.parametrize(("name", "protocol"), FEATURES_AND_STARTS)
def test_adding_a_feature(
    executor: SparkExecutor, tmp_path: Path, name: str, protocol: Protocol
) -> None:
    """Activated where a property can, else merely supported."""
    feature = FEATURES[name]
    step = SetProperties(dict(feature.activation.properties))
    if not step.properties:
        step = support(feature)
    assert_predicted(executor, start(tmp_path, protocol), step)


SWITCHED = [name for name, feature in REFERENCE.items() if feature.activation.properties]


@pytest.mark.parametrize(
    "name", sampled((name, number % 8 == 0, name) for number, name in enumerate(SWITCHED))
)
def test_supporting_a_feature_without_activating_it(
    executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    before = start(tmp_path, STARTS["1,2"])
    after = assert_predicted(executor, before, support(FEATURES[name]))
    assert_predicted(executor, after, SetProperties(dict(FEATURES[name].activation.properties)))


ICEBERG = sampled((f"icebergCompatV{n}", n == 3, f"icebergCompatV{n}") for n in (1, 2, 3))


@pytest.mark.parametrize("name", ICEBERG)
def test_iceberg_compatibility_on_a_mapped_table(
    executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    before = start(tmp_path, Protocol(2, 5), metadata(MAPPED, schemaString=MAPPED_SCHEMA))
    on = SetProperties(dict(FEATURES[name].activation.properties))
    after = assert_predicted(executor, before, on)
    off = UnsetProperties(tuple(on.properties))
    assert_predicted(executor, after, off)


WIDENED = MAPPED_SCHEMA.replace('"integer"', '"double"').replace(
    '"metadata":{', '"metadata":{"delta.typeChanges":[{"fromType":"integer","toType":"double"}],'
)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_iceberg_compatibility_after_a_type_change(
    executor: SparkExecutor, tmp_path: Path, version: int
) -> None:
    features = frozenset({"columnMapping", "typeWidening"})
    before = start(
        tmp_path, Protocol(3, 7, features, features), metadata(MAPPED, schemaString=WIDENED)
    )
    step = SetProperties({f"delta.enableIcebergCompatV{version}": "true"})
    assert_predicted(executor, before, step)


VERSION_WISHES = [(1, 2), (1, 4), (1, 7), (2, 5), (2, 6), (3, 7), (3, 5), (4, 7)]


@pytest.mark.parametrize(
    ("protocol", "reader", "writer"),
    sampled(
        (f"{name} to {wish}", (3 * start_number + number) % 20 == 0, protocol, *wish)
        for start_number, (name, protocol) in enumerate(STARTS.items())
        for number, wish in enumerate(VERSION_WISHES)
    ),
)
def test_raising_versions(
    executor: SparkExecutor, tmp_path: Path, protocol: Protocol, reader: int, writer: int
) -> None:
    """Every wish on every start; outside the matrix a few of them."""
    wish = {"delta.minReaderVersion": str(reader), "delta.minWriterVersion": str(writer)}
    assert_predicted(executor, start(tmp_path / "table", protocol), SetProperties(wish))


STEPS = {name: list(map(read_step, steps)) for name, steps in grouped(__file__, "STEPS").items()}


ONE_IDEA_EACH = {
    "timestamps on, off, on", "iceberg V1 to V2", "V3 and what it holds fast", "statistics columns",
}  # fmt: skip
"""What the suite tries; the others are variations of these, left to the matrix."""


@pytest.mark.parametrize(
    "steps", sampled((name, name in ONE_IDEA_EACH, steps) for name, steps in STEPS.items())
)
def test_several_steps(executor: SparkExecutor, tmp_path: Path, steps: list[Step]) -> None:
    state = start(tmp_path, STARTS["1,2"])
    for step in steps:
        state = assert_predicted(executor, state, step)


SCHEMAS = {
    "char": '"varchar(3)"', "interval": '"interval day to second"', "time": '"time(6)"',
    "decimal too wide": '"decimal(50,2)"', "no type": '"foo"', "geometry": '"geometry(OGC:CRS84)"',
    "void": '"void"', "timestamp_ntz": '"timestamp_ntz"', "variant": '"variant"',
}  # fmt: skip


@pytest.mark.parametrize(
    "type_name",
    sampled((name, name in {"char", "no type"}, text) for name, text in SCHEMAS.items()),
)
def test_any_change_on_a_table_with_an_odd_type(
    executor: SparkExecutor, tmp_path: Path, type_name: str
) -> None:
    schema = NTZ_SCHEMA.replace('"timestamp_ntz"', type_name)
    before = start(tmp_path, STARTS["1,2"], metadata(schemaString=schema))
    assert_predicted(executor, before, SetProperties({"x": "1"}))


STORED = {
    "a protocol key": {"delta.minReaderVersion": "2", "delta.feature.deletionVectors": "supported"},
    "an unknown key": {"delta.foo": "1"},
    "a boolean that is none": {"delta.appendOnly": "yes"},
    "a policy that is none": {"delta.checkpointPolicy": "v3"},
    "an interval that is none": {"delta.logRetentionDuration": "3 monkeys"},
    "a mode that is none": {"delta.columnMapping.mode": "bogus"},
    "a short log": {"delta.logRetentionDuration": "interval 1 day"},
}


@pytest.mark.parametrize(
    ("protocol", "configuration"),
    sampled(
        (f"{name}-{start}", start == "1,2" and number % 3 == 0, STARTS[start], stored)
        for start in ("1,2", "1,7")
        for number, (name, stored) in enumerate(STORED.items())
    ),
)
def test_any_change_on_a_table_with_odd_properties(
    executor: SparkExecutor, tmp_path: Path, configuration: dict[str, str], protocol: Protocol
) -> None:
    before = start(tmp_path, protocol, metadata(configuration))
    assert_predicted(executor, before, SetProperties({"x": "1"}))


def test_constraints_leave_the_rest_of_the_metadata_alone(
    executor: SparkExecutor, tmp_path: Path
) -> None:
    properties = {key: value for given in UNTOUCHED.values() for key, value in given.items()}
    before = start(tmp_path, Protocol(1, 3), metadata(properties))
    after = assert_predicted(executor, before, AddConstraint("c", "a > 1"))
    assert properties.items() < after.metadata.configuration.items()
    assert_predicted(executor, after, DropConstraint("c"))
