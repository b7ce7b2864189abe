"""What every kind of step says of itself, and that nothing else has to know the kinds."""

from typing import ClassVar

import pytest

from deltaadm.dataclass import dataclass, replace
from deltaadm.domain.features import Cost
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import KINDS, Step, read_step, step_document, step_types
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.update import prepare_commit
from deltaadm.domain.wire import CommitInfo, Metadata
from deltaadm.json_values import STRING, record
from deltaadm.plans.plan import propose, statement
from deltaadm.plans.undo import alter_command

TABLE = Snapshot(root="/t", version=3, protocol=Protocol(1, 2), metadata=Metadata(id="a"))


@dataclass(frozen=True, slots=True)
class Comment(Step):
    """A kind that deltaadm does not have."""

    text: str

    kind: ClassVar[str] = "comment"
    json = record(text=STRING)
    operations = frozenset({"COMMENT"})

    def after(self, snapshot: Snapshot, session: SessionSettings) -> Snapshot:  # noqa: ARG002
        metadata = replace(snapshot.metadata, description=self.text)
        return prepare_commit(snapshot, replace(snapshot, metadata=metadata))

    def _clause(self) -> str:
        return f"COMMENT '{self.text}'"


def test_planners_need_not_know_a_kind() -> None:
    step = Comment("new")
    plan = propose("test", TABLE, [step])
    assert plan.after == replace(evolve(TABLE, step), version=4)
    assert [planned.change.subject for planned in plan.changes] == ["description"]
    assert statement("/t", step) == "ALTER TABLE delta.`/t` COMMENT 'new'"
    assert alter_command(step) == "alter"
    assert step.is_made_by(CommitInfo(operation="COMMENT"))
    assert not step.is_made_by(CommitInfo(operation="WRITE"))
    assert step_document(step) == {"kind": "comment", "text": "new"}
    assert Comment.read({"text": "new"}) == step


def test_a_plan_of_many_steps_does_not_ask_all_for_the_cost_of_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[str]()

    def cost(step: Comment, before: Snapshot) -> Cost:  # noqa: ARG001
        asked.append(step.text)
        return Cost.BACKFILL

    monkeypatch.setattr(Comment, "cost", cost)
    steps = [Comment(str(number)) for number in range(20)]
    plan = propose("test", TABLE, steps, check_outcome=False)
    assert (plan.cost, plan.work) == (Cost.BACKFILL, "every data file")
    assert len(asked) <= 5 * len(steps)


def test_what_changes_nothing_is_no_stage() -> None:
    assert propose("test", TABLE, [Comment("new"), Comment("new")]).steps == (Comment("new"),)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_names_its_class(kind: str) -> None:
    found = step_types()[kind]
    assert (found.kind, found.__name__) == (kind, KINDS[kind].partition(".")[2])
    assert found.is_commit or not found.operations


@pytest.mark.parametrize("document", [{"kind": "comment"}, {"kind": "step"}])
def test_other_kinds_are_not_read(document: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=document["kind"]):
        read_step(document)
