"""Carrying a plan out on a table that lives in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from deltaadm.domain.column_mapping import ColumnMappingMode
from deltaadm.domain.evolve import evolve
from deltaadm.domain.session import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.table_changes import SetLocation, Step
from deltaadm.errors import CommitError, EngineError
from deltaadm.operations.alter import TableChanges, plan_changes
from deltaadm.operations.enable_feature import plan_features
from deltaadm.operations.plan import Outcome, Plan, carry_out, require_same_places
from deltaadm.operations.set_mapping_mode import plan_mapping_mode
from deltaadm.operations.upgrade_protocol import plan_upgrade
from tests.support.plans import committed, mapped, schema, snapshot, written

START = snapshot((1, 2), {"b": "1"})
TWO_STEPS = plan_changes(START, TableChanges(set_properties={"a": "1"}, unset=["b"]))


def unchanged(state: Snapshot) -> Snapshot:
    return state


@dataclass
class MemoryTable:
    """
    A table and the executor that writes it, as Delta would.

    `meanwhile` is what others do to the table before a step's commit, `result` what becomes of
    the commit; a step of the number `refused_at` is refused, after `backfills` commits.
    """

    state: Snapshot = START
    live: SessionSettings = field(default_factory=SessionSettings)
    meanwhile: Callable[[Snapshot], Snapshot] = unchanged
    result: Callable[[Snapshot], Snapshot] = unchanged
    refused_at: int | None = None
    backfills: int = 0
    steps: list[Step] = field(default_factory=list)
    own: list[int] = field(default_factory=list)

    def settings(self) -> SessionSettings:
        return self.live

    def apply(self, root: str, step: Step) -> None:
        assert root == self.state.root
        self.state = self.meanwhile(self.state)
        for _ in range(self.backfills):
            self.state = replace(self.state, version=self.state.version + 1)
            self.own.append(self.state.version)
        if len(self.steps) == self.refused_at:
            raise CommitError("Delta refuses.", delta_error_class="DELTA_SOME_CLASS")
        self.steps.append(step)
        after = committed(self.state, evolve(self.state, step, self.live))
        self.state = self.result(after)
        self.own.append(self.state.version)

    def versions(self, first: int, last: int, _: Step) -> tuple[int, ...]:
        return tuple(one for one in self.own if first <= one <= last)


def run(plan: Plan, table: MemoryTable) -> Outcome:
    return carry_out(plan, executor=table, load=lambda: table.state, committed=table.versions)


def appended(state: Snapshot) -> Snapshot:
    return replace(state, version=state.version + 1)


def test_every_step_in_order() -> None:
    table = MemoryTable()
    outcome = run(TWO_STEPS, table)
    assert tuple(table.steps) == TWO_STEPS.steps
    assert outcome.versions == (4, 5)
    assert outcome.mismatches == ()
    assert outcome.actual.metadata.configuration == {"a": "1"}


def test_nothing_to_do_starts_nothing() -> None:
    class Untouchable(MemoryTable):
        def settings(self) -> SessionSettings:
            raise EngineError("Spark was started.")

    outcome = run(plan_upgrade(START), Untouchable())
    assert outcome.versions == ()
    assert outcome.actual == START


def test_appends_before_the_first_step() -> None:
    outcome = run(TWO_STEPS, MemoryTable(replace(START, version=9)))
    assert outcome.versions == (10, 11)
    assert outcome.mismatches == ()


def test_appends_between_the_steps() -> None:
    outcome = run(TWO_STEPS, MemoryTable(meanwhile=appended))
    assert outcome.versions == (5, 7)
    assert outcome.mismatches == ()


@pytest.mark.parametrize("appends", [0, 1, 3])
def test_commit_timestamps_start_at_the_version_that_was_committed(appends: int) -> None:
    def busy(state: Snapshot) -> Snapshot:
        return replace(state, version=state.version + appends)

    plan = plan_features(START, ["inCommitTimestamp"])
    outcome = run(plan, MemoryTable(meanwhile=busy))
    assert outcome.mismatches == ()
    assert outcome.actual.metadata.configuration["delta.inCommitTimestampEnablementVersion"] == str(
        4 + appends
    )


def test_a_wrong_version_in_the_result_is_a_mismatch() -> None:
    def wrong(state: Snapshot) -> Snapshot:
        key = "delta.inCommitTimestampEnablementVersion"
        metadata = state.metadata.with_configuration({**state.metadata.configuration, key: "77"})
        return replace(state, metadata=metadata)

    outcome = run(plan_features(START, ["inCommitTimestamp"]), MemoryTable(result=wrong))
    assert [written(one) for one in outcome.mismatches] == [
        "~ configuration[delta.inCommitTimestampEnablementVersion] 4 -> 77"
    ]


def test_the_commits_of_a_backfill_are_its_own() -> None:
    plan = plan_features(START, ["rowTracking"])
    outcome = run(plan, MemoryTable(backfills=2))
    assert outcome.versions == (4, 5, 6)
    assert outcome.mismatches == ()


def test_a_different_result_is_told() -> None:
    plan = plan_upgrade(START, reader=2, writer=5)
    lower = snapshot((1, 4), {"b": "1"}).protocol
    outcome = run(plan, MemoryTable(result=lambda state: replace(state, protocol=lower)))
    assert [written(one) for one in outcome.mismatches] == [
        "~ protocol.minReaderVersion 2 -> 1",
        "~ protocol.minWriterVersion 5 -> 4",
    ]
    assert outcome.versions == (4,)


def test_after_a_different_result_no_step_follows() -> None:
    lower = snapshot((1, 1)).protocol
    table = MemoryTable(result=lambda state: replace(state, protocol=lower))
    with pytest.raises(CommitError, match="not taken; version 4 was committed"):
        run(TWO_STEPS, table)
    assert len(table.steps) == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param(
            MemoryTable(refused_at=0), "refuses; nothing was committed.", id="the first step"
        ),
        pytest.param(
            MemoryTable(refused_at=1), "refuses; version 4 was committed.", id="the second step"
        ),
        pytest.param(
            MemoryTable(refused_at=0, backfills=2),
            "refuses; versions 4, 5 were committed.",
            id="after a part of the step",
        ),
    ],
)
def test_a_refusal_names_what_was_committed(table: MemoryTable, words: str) -> None:
    with pytest.raises(CommitError) as caught:
        run(TWO_STEPS, table)
    assert words in caught.value.message
    assert caught.value.delta_error_class == "DELTA_SOME_CLASS"
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("now", "error_class"),
    [
        pytest.param(snapshot((1, 3), {"b": "1"}), "DELTA_PROTOCOL_CHANGED", id="protocol"),
        pytest.param(snapshot((1, 2), {"b": "2"}), "DELTA_METADATA_CHANGED", id="metadata"),
        pytest.param(replace(START, version=1), "DELTA_METADATA_CHANGED", id="version"),
    ],
)
def test_another_base_stops_it_before_anything(now: Snapshot, error_class: str) -> None:
    table = MemoryTable(now)
    with pytest.raises(CommitError, match="nothing was committed") as caught:
        run(TWO_STEPS, table)
    assert caught.value.delta_error_class == error_class
    assert table.steps == []


OWN = plan_changes(
    START,
    TableChanges(set_properties={"delta.own": "1"}),
    session=SessionSettings(allow_arbitrary_properties=True),
)
REMOVAL = plan_mapping_mode(mapped(), ColumnMappingMode.NONE)


def test_settings_that_lead_to_the_same_do_not_matter() -> None:
    live = SessionSettings(
        allow_arbitrary_properties=True, property_defaults={"appendOnly": "true"}
    )
    assert run(OWN, MemoryTable(live=live)).mismatches == ()


@pytest.mark.parametrize(
    ("plan", "live"),
    [
        pytest.param(OWN, SessionSettings(), id="a property becomes unknown"),
        pytest.param(
            REMOVAL,
            SessionSettings(allow_column_mapping_removal=False),
            id="a removal becomes forbidden",
        ),
    ],
)
def test_settings_that_change_the_result_stop_it(plan: Plan, live: SessionSettings) -> None:
    table = MemoryTable(plan.before, live=live)
    with pytest.raises(CommitError, match="session's settings") as caught:
        run(plan, table)
    assert "--spark-conf" in caught.value.remedy
    assert table.steps == []


NAMED = replace(START, name="s.t")
ELSEWHERE = replace(snapshot((1, 2), {"b": "2"}, id="other"), root="/other", version=9)
MOVING = plan_changes(NAMED, TableChanges(location=ELSEWHERE))


@dataclass
class MemoryCatalog:
    """A name that leads to a table, and the executor that sends it elsewhere."""

    state: Snapshot = NAMED
    live: SessionSettings = field(default_factory=SessionSettings)
    found: Snapshot | None = None

    def settings(self) -> SessionSettings:
        return self.live

    def apply(self, root: str, step: Step) -> None:
        assert root == self.state.root
        assert isinstance(step, SetLocation)
        self.state = replace(self.found or step.there, name="s.t")


def move(catalog: MemoryCatalog) -> Outcome:
    def none(first: int, last: int, step: Step) -> tuple[int, ...]:
        raise AssertionError((first, last, step))

    return carry_out(MOVING, executor=catalog, load=lambda: catalog.state, committed=none)


def test_a_name_leads_elsewhere_without_a_commit() -> None:
    outcome = move(MemoryCatalog())
    assert (outcome.versions, outcome.mismatches) == ((), ())
    assert outcome.actual == replace(ELSEWHERE, name="s.t")


@pytest.mark.parametrize(
    ("found", "subject"),
    [
        pytest.param(replace(ELSEWHERE, root="/third"), "location", id="place"),
        pytest.param(replace(ELSEWHERE, protocol=mapped().protocol), "protocol", id="protocol"),
    ],
)
def test_a_name_that_leads_to_something_else_than_planned_is_told(
    found: Snapshot, subject: str
) -> None:
    assert move(MemoryCatalog(found=found)).mismatches[0].subject.startswith(subject)


def test_a_table_that_has_changed_at_the_new_place_stops_the_plan() -> None:
    require_same_places(MOVING, lambda _: replace(ELSEWHERE, version=10))
    with pytest.raises(CommitError, match=r"The table at /other has changed .* configuration\[b\]"):
        require_same_places(MOVING, lambda _: replace(START, root="/other", version=10))


def test_settings_under_which_the_new_place_would_be_refused_stop_the_plan() -> None:
    wide = replace(snapshot((1, 2), schemaString=schema("more", "columns")), root="/other")
    plan = plan_changes(
        NAMED,
        TableChanges(location=wide),
        session=SessionSettings(bypass_location_schema_check=True),
    )
    catalog = MemoryCatalog()
    with pytest.raises(CommitError, match="session's settings"):
        carry_out(plan, executor=catalog, load=lambda: catalog.state, committed=lambda *_: ())
    assert catalog.state == NAMED
