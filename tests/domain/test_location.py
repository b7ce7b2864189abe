"""Another location for a name in a catalog: what Delta Spark 4.4 accepts and refuses."""

from dataclasses import replace

import pytest

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import CreateTable, CreationMode, SetLocation
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError
from deltaadm.plans.alter import read_schema
from tests.support.plans import protocol
from tests.support.rows import with_rows

BYPASSING = SessionSettings(bypass_location_schema_check=True)
NAME = {"delta.columnMapping.mode": "name"}


def table(
    columns: str, place: str = "/there", *, by: tuple[str, ...] = (), **properties: str
) -> Snapshot:
    step = CreateTable(
        mode=CreationMode.CREATE,
        schema=read_schema(columns),
        partition_by=by,
        properties={key.replace("_", "."): value for key, value in properties.items()},
    )
    return step.after(no_table(place), SessionSettings())


HERE = replace(table("a INT, b STRING, c INT", "/here", by=("b",)), name="main.sales.orders")


def moved(there: Snapshot, session: SessionSettings | None = None) -> Snapshot:
    return evolve(HERE, SetLocation(there), session)


@pytest.mark.parametrize("there", [
    pytest.param(table("a INT, b STRING, c INT", by=("b",)), id="the same"),
    pytest.param(table("a INT, b STRING, c INT", by=("B",)), id="partitions in another case"),
    pytest.param(table("a INT, b STRING, c INT", by=("b",), **NAME), id="column mapping"),
    pytest.param(table("a INT, b STRING, c INT", by=("b",), delta_appendOnly="true", x="1"),
        id="properties"),
])  # fmt: skip
def test_a_table_with_the_same_columns_and_partitions_is_taken_as_it_is(there: Snapshot) -> None:
    assert moved(there) == replace(there, name="main.sales.orders")


@with_rows
def test_other_columns_or_partitions_are_refused_unless_that_is_bypassed(
    columns: str, by: tuple[str, ...], properties: dict[str, str]
) -> None:
    there = table(columns, by=by, **properties)
    with pytest.raises(DeltaadmError, match="other columns or other partitions") as refused:
        moved(there)
    assert refused.value.delta_error_class == "DELTA_SET_LOCATION_SCHEMA_MISMATCH"
    assert "bypassSchemaCheck=true" in (refused.value.remedy or "")
    assert moved(there, BYPASSING).metadata == there.metadata


def test_the_order_of_partitions_counts() -> None:
    columns = "a INT, b INT, c INT"
    here = replace(table(columns, "/here", by=("a", "b")), name="s.t")
    with pytest.raises(DeltaadmError) as refused:
        evolve(here, SetLocation(table(columns, by=("b", "a"))))
    assert refused.value.delta_error_class == "DELTA_SET_LOCATION_SCHEMA_MISMATCH"


@pytest.mark.parametrize("session", [SessionSettings(), BYPASSING])
def test_what_delta_cannot_read_is_refused(session: SessionSettings) -> None:
    future = replace(HERE, root="/there", protocol=protocol((3, 7), ["not yet"], ["not yet"]))
    with pytest.raises(DeltaadmError) as refused:
        moved(future, session)
    assert refused.value.delta_error_class == "DELTA_UNSUPPORTED_FEATURES_FOR_READ"


@pytest.mark.parametrize("session", [SessionSettings(), BYPASSING])
def test_a_table_addressed_by_its_path_has_no_other_location(session: SessionSettings) -> None:
    with pytest.raises(DeltaadmError, match="addressed by its path") as refused:
        evolve(replace(HERE, name=None), SetLocation(replace(HERE, root="/there")), session)
    assert refused.value.delta_error_class == "DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER"
