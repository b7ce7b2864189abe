"""Every rule finds what it should, and nothing where nearly nothing is wrong."""

import pkgutil
from collections import Counter
from pathlib import Path

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm import rules
from deltaadm.reports.validate import choose_rules
from deltaadm.rules.rule import RULES
from tests.support.cases import each
from tests.support.rule_cases import CASES, UNREMARKABLE, Case, findings, named

QUOTED = "cannot open the table: "  # what follows is another program's text


@each("case", named(CASES))
def test_case(case: Case, tmp_path: Path) -> None:
    case.make(tmp_path)
    found = findings(tmp_path, case.depth, case.demands)
    expected = case.companions | ({case.code} if case.breaks else set())
    assert {finding.code for finding in found} - (UNREMARKABLE - expected - {case.code}) == expected
    texts = {text for finding in found for text in (finding.message, finding.remedy)}
    unfinished = {text for text in texts if not text.rstrip("`)").endswith((".", "?"))}
    assert [text for text in unfinished if QUOTED not in text] == []


def test_every_rule_is_tested_on_both_sides() -> None:
    broken = {case.code for case in CASES if case.breaks}
    respected = {case.code for case in CASES if not case.breaks}
    assert broken == respected == set(RULES) == {rule.code for rule in choose_rules()}


def test_every_rule_is_documented() -> None:
    titles = ("Why it matters", "What to do", "Source")
    assert [rule for rule in RULES.values() if not all(map(rule.section, titles))] == []
    assert [rule for rule in RULES.values() if not rule.summary] == []


def test_no_two_cases_of_a_rule_have_the_same_name() -> None:
    named = Counter((case.code, case.name) for case in CASES)
    assert [name for name, count in named.items() if count > 1] == []


def test_every_topic_is_among_all_rules() -> None:
    topics = {module.name for module in pkgutil.iter_modules(rules.__path__)}
    topics -= {"rule"}
    assert {rule.check.__module__.rpartition(".")[2] for rule in RULES.values()} == topics
