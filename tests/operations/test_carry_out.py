"""Carrying a plan out on a table that lives in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import SetLocation, Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.domain.wire import CommitMark, Provenance
from deltaadm.errors import (
    CommitError,
    DeltaadmError,
    EngineError,
    EngineLostError,
    StorageError,
    TableError,
)
from deltaadm.plans.alter import TableChanges, plan_changes
from deltaadm.plans.carry_out import Progress, carry_out, look_up, require_same_places
from deltaadm.plans.diff import diff
from deltaadm.plans.features import plan_drop, plan_features, plan_mapping_mode, plan_upgrade
from deltaadm.plans.plan import Plan
from deltaadm.plans.reports import Outcome
from tests.support.plans import committed, mapped, schema, snapshot, written

START = snapshot((1, 2), {"b": "1"})
TWO_STEPS = plan_changes(START, TableChanges(set_properties={"a": "1"}, unset=["b"]))


REFUSAL = CommitError("Delta refuses.", delta_error_class="DELTA_SOME_CLASS")


def unchanged(state: Snapshot) -> Snapshot:
    return state


@dataclass
class MemoryTable:
    """
    A table and the executor that writes it, as Delta would.

    `meanwhile` is what others do to the table before a step's commit and `afterwards` what they do
    after it, `result` what becomes of the commit; a step of the number `refused_at` fails with
    `error`, after `backfills` commits. As a `TableLog` it knows all states that it had.
    """

    state: Snapshot = START
    live: SessionSettings = field(default_factory=SessionSettings)
    meanwhile: Callable[[Snapshot], Snapshot] = unchanged
    afterwards: Callable[[Snapshot], Snapshot] = unchanged
    result: Callable[[Snapshot], Snapshot] = unchanged
    refused_at: int | None = None
    error: DeltaadmError = REFUSAL
    backfills: int = 0
    outlives: bool = False
    steps: list[Step] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    history: dict[int, Snapshot] = field(default_factory=dict)

    def __setattr__(self, name: str, value: Any) -> None:
        """Every state is remembered, under the versions that it has had."""
        if name == "state":
            history = self.__dict__.setdefault("history", {})
            before = self.__dict__.get("state", value)
            history |= dict.fromkeys(range(before.version, value.version), before)
            history[value.version] = value
        if name != "history":
            object.__setattr__(self, name, value)

    def mark(self) -> CommitMark:
        return CommitMark()

    def may_still_commit(self, _root: str) -> bool:
        return self.outlives

    def load(self, version: int | None = None) -> Snapshot:
        return self.state if version is None else replace(self.history[version], version=version)

    def commits(self, first: int, last: int, _: Step) -> list[Provenance]:
        return [
            Provenance(
                version=number,
                is_own=number in self.own,
                changes_table=bool(
                    diff(*(MemoryTable.load(self, n) for n in (number - 1, number)))
                ),
            )
            for number in range(first, last + 1)
        ]

    def settings(self) -> SessionSettings:
        return self.live

    def check(self, before: Snapshot, step: Step) -> None:
        """Everything will do."""

    def apply(self, root: str, step: Step, _base: Snapshot | None = None) -> None:
        assert root == self.state.root
        self.state = self.meanwhile(self.state)
        for _ in range(self.backfills):
            self.state = replace(self.state, version=self.state.version + 1)
            self.own.append(self.state.version)
        if len(self.steps) == self.refused_at:
            raise self.error
        self.steps.append(step)
        after = committed(self.state, evolve(self.state, step, self.live))
        self.state = self.result(after)
        self.own.append(self.state.version)
        self.state = self.afterwards(self.state)


def run(plan: Plan, table: MemoryTable, *noted: list[Progress]) -> Outcome:
    return carry_out(
        plan,
        executor=table,
        log=table,
        note=lambda progress: [progresses.append(progress) for progresses in noted] and None,
    )


def appended(state: Snapshot) -> Snapshot:
    return replace(state, version=state.version + 1)


def test_every_step_in_order() -> None:
    table = MemoryTable()
    outcome = run(TWO_STEPS, table)
    assert tuple(table.steps) == TWO_STEPS.steps
    assert outcome.versions == (4, 5)
    assert outcome.mismatches == ()
    assert outcome.actual.metadata.configuration == {"a": "1"}


def test_all_steps_are_checked_before_the_first_one_is_taken() -> None:
    class Strict(MemoryTable):
        def check(self, before: Snapshot, step: Step) -> None:
            if step == TWO_STEPS.steps[1]:
                assert before.metadata.configuration == {"a": "1", "b": "1"}
                raise CommitError("No.", delta_error_class="DELTA_SOME_CLASS")

    table = Strict()
    with pytest.raises(CommitError, match="No"):
        run(TWO_STEPS, table)
    assert table.steps == []


def test_nothing_to_do_starts_nothing() -> None:
    class Untouchable(MemoryTable):
        def settings(self) -> SessionSettings:
            raise EngineError("Spark was started.")

    outcome = run(plan_upgrade(START), Untouchable())
    assert outcome.versions == ()
    assert outcome.actual == START


def test_a_domain_that_was_made_since_the_plan_is_not_deleted() -> None:
    empty = replace(snapshot((1, 7), writer=["domainMetadata"]), domains={})
    plan = plan_drop(empty, "domainMetadata", FeatureHistory(first=0), now=0)
    table = MemoryTable(replace(empty, domains={"my.app": DomainMetadata("my.app", "{}")}))
    with pytest.raises(CommitError, match=r"would delete my\.app"):
        run(plan, table)
    assert table.steps == []


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
    assert [written(mismatch) for mismatch in outcome.mismatches] == [
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
    assert [written(mismatch) for mismatch in outcome.mismatches] == [
        "~ protocol.minReaderVersion 2 -> 1",
        "~ protocol.minWriterVersion 5 -> 4",
    ]
    assert outcome.versions == (4,)


def test_after_a_different_result_no_step_follows() -> None:
    lower = snapshot((1, 1)).protocol
    table = MemoryTable(result=lambda state: replace(state, protocol=lower))
    with pytest.raises(CommitError, match="not carried out; version 4 was committed"):
        run(TWO_STEPS, table)
    assert len(table.steps) == 1


@pytest.mark.parametrize(("table", "words"), [
    pytest.param(MemoryTable(refused_at=0), "refuses; nothing was committed.", id="the first step"),
    pytest.param(MemoryTable(refused_at=1), "refuses; version 4 was committed.",
        id="the second step"),
    pytest.param(MemoryTable(refused_at=0, backfills=2), "refuses; versions 4, 5 were committed.",
        id="after a part of the step"),
])  # fmt: skip
def test_a_refusal_names_what_was_committed(table: MemoryTable, words: str) -> None:
    with pytest.raises(CommitError) as caught:
        run(TWO_STEPS, table)
    assert words in caught.value.message
    assert caught.value.delta_error_class == "DELTA_SOME_CLASS"
    assert caught.value.remedy


@pytest.mark.parametrize(("now", "error_class"), [
    pytest.param(snapshot((1, 3), {"b": "1"}), "DELTA_PROTOCOL_CHANGED", id="protocol"),
    pytest.param(snapshot((1, 2), {"b": "2"}), "DELTA_METADATA_CHANGED", id="metadata"),
    pytest.param(replace(START, version=1), "DELTA_METADATA_CHANGED", id="version"),
])  # fmt: skip
def test_another_base_stops_it_before_anything(now: Snapshot, error_class: str) -> None:
    table = MemoryTable(now)
    with pytest.raises(CommitError, match="nothing was committed") as caught:
        run(TWO_STEPS, table)
    assert caught.value.delta_error_class == error_class
    assert table.steps == []


# Changes by others meanwhile


def setting(**configuration: str) -> Callable[[Snapshot], Snapshot]:
    def commit(state: Snapshot) -> Snapshot:
        merged = {**state.metadata.configuration, **configuration}
        changed = replace(state, metadata=state.metadata.with_configuration(merged))
        return replace(changed, version=state.version + 1)

    return commit


ONE_STEP = plan_changes(START, TableChanges(set_properties={"a": "1"}))


def concurrent(outcome: Outcome) -> list[tuple[int, list[str]]]:
    return [(commit.version, list(map(written, commit.changes))) for commit in outcome.concurrent]


@pytest.mark.parametrize(("table", "versions", "others"), [
    pytest.param(MemoryTable(meanwhile=setting(k="1")), (5,), [(4, ["+ configuration[k] = 1"])],
        id="before the commit"),
    pytest.param(MemoryTable(afterwards=setting(k="1")), (4,), [(5, ["+ configuration[k] = 1"])],
        id="after it"),
    pytest.param(MemoryTable(meanwhile=setting(a="1")), (5,), [(4, ["+ configuration[a] = 1"])],
        id="the same before"),
    pytest.param(MemoryTable(afterwards=setting(a="2")), (4,), [(5, ["~ configuration[a] 1 -> 2"])],
        id="the contrary after it"),
    pytest.param(MemoryTable(meanwhile=setting(k="1"), afterwards=setting(b="2")), (5,),
        [(4, ["+ configuration[k] = 1"]), (6, ["~ configuration[b] 1 -> 2"])], id="on both sides"),
])  # fmt: skip
def test_changes_by_others_are_no_mismatch(
    table: MemoryTable, versions: tuple[int, ...], others: list[tuple[int, list[str]]]
) -> None:
    outcome = run(ONE_STEP, table)
    assert (outcome.versions, outcome.mismatches) == (versions, ())
    assert concurrent(outcome) == others


def test_a_statement_that_means_more_on_top_of_others_changes_is_a_mismatch() -> None:
    """The protocol that others have raised lists its features, so the statement adds one more."""

    def table_features(state: Snapshot) -> Snapshot:
        names = ["v2Checkpoint"]
        listed = snapshot((3, 7), {"b": "1"}, reader=names, writer=names).protocol
        return replace(state, protocol=listed, version=state.version + 1)

    plan = plan_changes(START, TableChanges(set_properties={"delta.appendOnly": "true"}))
    outcome = run(plan, MemoryTable(meanwhile=table_features))
    assert outcome.versions == (5,)
    assert list(map(written, outcome.mismatches)) == ["+ protocol.writerFeatures[appendOnly]"]


def test_a_wrong_result_on_top_of_others_changes_is_a_mismatch() -> None:
    table = MemoryTable(meanwhile=setting(k="1"), result=setting(a="2"))
    outcome = run(ONE_STEP, table)
    assert list(map(written, outcome.mismatches)) == ["~ configuration[a] 1 -> 2"]


@pytest.mark.parametrize("when", ["meanwhile", "afterwards"])
def test_after_changes_by_others_no_step_follows(when: str) -> None:
    table = MemoryTable(**{when: setting(k="1")})
    with pytest.raises(CommitError, match=r"in version . \(configuration\[k\]\), so .* committed"):
        run(TWO_STEPS, table)
    assert len(table.steps) == 1


@dataclass
class Forgetful(MemoryTable):
    """A log in which a version before our own is asked for in vain."""

    trouble: DeltaadmError = REFUSAL

    def load(self, version: int | None = None) -> Snapshot:
        if version is not None and version < START.version + 1:
            raise self.trouble
        return super().load(version)


def test_what_is_cleaned_up_before_our_own_commit_makes_no_mismatch() -> None:
    gone = TableError("It is gone.")
    outcome = run(ONE_STEP, Forgetful(afterwards=setting(k="1"), trouble=gone))
    assert (outcome.versions, outcome.mismatches) == ((4,), ())
    outcome = run(ONE_STEP, Forgetful(result=setting(a="2"), trouble=gone))
    assert outcome.mismatches


def test_a_store_that_fails_while_changes_are_compared_makes_no_mismatch() -> None:
    table = Forgetful(afterwards=setting(k="1"), trouble=StorageError("It does not answer."))
    with pytest.raises(StorageError, match="answer; step 1 was carried out, but not compared"):
        run(ONE_STEP, table)


@given(st.lists(st.sampled_from("abkn"), max_size=4), st.lists(st.sampled_from("abkn"), max_size=4))
def test_own_and_other_changes_are_told_apart(before: list[str], after: list[str]) -> None:
    """Whatever others do to properties before and after, the verdict is on our own commit."""

    def by_others(names: list[str]) -> Callable[[Snapshot], Snapshot]:
        def commit(_: Snapshot) -> Snapshot:
            for position, name in enumerate(names):
                table.state = setting(**({} if name == "n" else {name: f"{position}"}))(table.state)
            return table.state

        return commit

    table = MemoryTable(meanwhile=by_others(before), afterwards=by_others(after))
    outcome = run(ONE_STEP, table)
    assert outcome.versions == (START.version + len(before) + 1,)
    assert outcome.mismatches == ()
    theirs = {commit.version for commit in outcome.concurrent}
    assert theirs.isdisjoint(outcome.versions)
    changed = {
        number
        for number in range(START.version + 1, table.state.version + 1)
        if diff(table.load(number - 1), table.load(number))
    }
    assert theirs == changed - set(outcome.versions)


# Interruptions


def test_progress_is_noted_before_anything_is_sent_and_after_it() -> None:
    noted: list[Progress] = []
    run(TWO_STEPS, MemoryTable(), noted)
    unknown = "it is unknown whether step {} of 2 was committed: inspect the table"
    assert [progress.words for progress in noted] == [
        unknown.format(1),
        "version 4 was committed; 1 of 2 steps was not completed",
        f"version 4 was committed; {unknown.format(2)}",
        "versions 4, 5 were committed, which completes the plan",
    ]


SEVERAL_COMMITS = plan_features(START, ["rowTracking"])


@pytest.mark.parametrize(("plan", "own", "outlives", "words"), [
    pytest.param(ONE_STEP, [], False, "nothing was committed", id="nothing"),
    pytest.param(ONE_STEP, [], True,
        "it is unknown whether the change was committed: inspect the table",
        id="nothing yet, on a server"),
    pytest.param(ONE_STEP, [5], True, "version 5 was committed, which completes the plan",
        id="all, on a server"),
    pytest.param(TWO_STEPS, [5], False, "version 5 was committed; 1 of 2 steps was not completed",
        id="a step"),
    pytest.param(SEVERAL_COMMITS, [5], False,
        "version 5 was committed; the change was not completed", id="a part of a step"),
    pytest.param(SEVERAL_COMMITS, [5], True,
        "version 5 was committed; it is unknown whether the rest was: inspect the table",
        id="a part of a step, on a server"),
])  # fmt: skip
def test_an_interrupted_stage_is_looked_up(
    plan: Plan, own: list[int], *, outlives: bool, words: str
) -> None:
    table = MemoryTable(own=own, outlives=outlives)
    table.state = replace(START, version=5)
    begun = Progress(plan=plan, base=3)
    assert look_up(begun, table, table) == words


@pytest.mark.parametrize("outlives", [False, True])
def test_spark_that_is_lost_may_commit_later(*, outlives: bool) -> None:
    table = MemoryTable(refused_at=1, error=EngineLostError("Gone."), outlives=outlives)
    with pytest.raises(EngineLostError) as caught:
        run(TWO_STEPS, table)
    words = "it is unknown whether step 2 of 2" if outlives else "1 of 2 steps was not completed"
    assert caught.value.message.startswith(f"Gone; version 4 was committed; {words}")


def test_a_table_that_cannot_be_read_after_the_commit() -> None:
    class Unreadable(MemoryTable):
        def load(self, version: int | None = None) -> Snapshot:
            if len(self.steps) == 2:
                raise StorageError("The store does not answer.")
            return super().load(version)

    with pytest.raises(StorageError, match="answer; version 4 was committed; step 2 was carried"):
        run(TWO_STEPS, Unreadable())


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
class MemoryCatalog(MemoryTable):
    """A name that leads to a table, and the executor that sends it elsewhere."""

    state: Snapshot = NAMED
    found: Snapshot | None = None

    def apply(self, root: str, step: Step, _base: Snapshot | None = None) -> None:
        assert root == self.state.root
        assert isinstance(step, SetLocation)
        self.state = replace(self.found or step.there, name="s.t")


def move(catalog: MemoryCatalog) -> Outcome:
    return carry_out(MOVING, executor=catalog, log=catalog)


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
    with pytest.raises(CommitError, match=r"configuration\[b\] of the table at /other changed"):
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
        carry_out(plan, executor=catalog, log=catalog)
    assert catalog.state == NAMED
