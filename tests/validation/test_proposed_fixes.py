"""What rules propose as a fix, Delta accepts, and it fixes what was found."""

from dataclasses import replace
from pathlib import Path

import pytest

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.domain.steps import SetProperties, UnsetProperties
from deltaadm.domain.steps.evolve import evolve
from deltaadm.facts import SnapshotFacts
from deltaadm.replay.examine import examine
from deltaadm.rules.rule import RULES, Scope
from deltaadm.storage.store import open_store
from tests.support.cases import each
from tests.support.rule_cases import CASES, DEPTHS, NOW, Case, named

BROKEN = [case for case in CASES if case.breaks and RULES[case.code].scope is Scope.SNAPSHOT]


def snapshot_facts(case: Case, path: Path) -> SnapshotFacts:
    case.make(path)
    facts = examine(open_store(str(path)), DEPTHS[case.depth], now=NOW)
    return next(fact for fact in facts if isinstance(fact, SnapshotFacts))


@each("case", named(BROKEN))
def test_fix_fixes_the_finding(case: Case, tmp_path: Path) -> None:
    facts = snapshot_facts(case, tmp_path)
    check = RULES[case.code].check
    for problem in check(facts):
        after = facts.snapshot
        for step in problem.fix:
            if isinstance(step, SetProperties | UnsetProperties):
                after = evolve(after, step)
                remaining = {finding.message for finding in check(replace(facts, snapshot=after))}
                assert problem.message not in remaining


FIXABLE = {
    "DL206": {"orphaned_column_mapping"},
    "DL212": {"change_data_feed_at_writer_3", "in_commit_timestamps_at_writer_2",
        "invariant_at_writer_1"},
    "DL216": {"lists_that_a_version_implies", "lists_without_features",
        "reader_2_that_means_nothing"},
    "DL308": {"versions_among_the_properties", "version_that_is_no_number",
        "ignored_defaults_among_the_properties"},
    "DL310": {"interval_without_its_word", "boolean_in_capitals"},
    "DL402": {"name_mode_at_legacy_versions"},
    "DL407": {"maximum_is_missing"},
    "DL408": {"maximum_is_too_low", "maximum_is_below_a_nested_id"},
}  # fmt: skip
"""The cases for which there is a fix, for the rules that sometimes have one."""


@pytest.mark.parametrize("code", sorted(FIXABLE))
def test_rule_proposes_a_fix_where_there_is_one(code: str, tmp_path: Path) -> None:
    fixed = set()
    for case in (case_ for case_ in BROKEN if case_.code == code):
        facts = snapshot_facts(case, tmp_path / case.name)
        if all(problem.fix for problem in RULES[code].check(facts)):
            fixed.add(case.name)
    assert fixed == FIXABLE[code]
