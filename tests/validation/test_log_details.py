"""What the rules about the log, checkpoints and checksums say, how bad it is, what fixes it."""

from pathlib import Path
from typing import Final

import pytest

import tests.validation.cases  # noqa: F401 -- registers every case
from deltaadm.domain.steps import WriteCheckpoint
from deltaadm.rules.rule import Finding
from tests.support.program import checkpoint_of
from tests.support.rule_cases import CASES, Case, findings

ROWS: Final = [
    ("DL101", "a_commit_is_missing", "error", "from version 1 to 3: 2 is missing"),
    ("DL101", "the_commits_after_the_checkpoint_begin_too_late", "error", "2 to 4: 3 is missing"),
    ("DL101", "a_commit_is_missing_right_after_the_checkpoint", "error", "2 to 4: 3 is missing"),
    ("DL101", "a_commit_is_there_twice", "error", "Two files have the version of commit 1"),
    ("DL101", "many_commits_are_missing", "error", "1 to 5: 2 to 4 is missing"),
    ("DL103", "a_line_has_no_action", "warning", "Line 4 has no action"),
    ("DL103", "a_line_has_two_actions", "error", "Line 4 has 2 actions: txn, domainMetadata"),
    ("DL103", "an_action_has_a_text_where_a_number_belongs", "error", 'add.size is "x"'),
    ("DL103", "a_commit_is_pretty_printed", "error", "spread over several lines"),
    ("DL106", "a_checkpoint_is_all_there_is", "error", "missing, and so is every later one"),
    ("DL106", "the_checkpoints_commit_was_cleaned_up", "warning", "whose commit is missing."),
    ("DL110", "the_pointer_has_no_size", "warning", "size"),
    ("DL113", "the_first_commit_lacks_the_protocol", "error", "no protocol action"),
    ("DL113", "the_first_commit_has_metadata_without_id", "error", "no usable metaData action"),
    ("DL114", "a_commit_adds_a_file_twice", "error", "2 actions for the file 'a'."),
    ("DL114", "a_commit_removes_a_vector_twice", "error", "'a' with deletion vector 'uv@1'."),
    ("DL117", "a_commit_has_a_sidecar", "error", "has a sidecar action"),
    ("DL118", "a_compacted_file_ends_before_it_starts", "warning", "replace commits 2 to 2"),
    ("DL118", "a_compacted_file_lacks_a_file", "error", "1 to 2: they differ in file f1"),
    ("DL119", "a_hundred_and_one_commits_have_no_checkpoint", "warning", "since the beginning"),
    ("DL119", "commits_exceed_ten_times_the_tables_own_interval", "warning",
        "11 commits since the checkpoint of version 0; the interval is 1"),
    ("DL120", "staged_commits_are_left_over", "info", "there is one"),
    ("DL121", "a_commit_has_an_unknown_action", "warning", "an action called 'adds'"),
    ("DL123", "a_commit_info_comes_too_late", "error", "begins with 'add'"),
    ("DL601", "a_part_is_missing_but_the_commits_are_there", "warning", "1 of the 2 parts"),
    ("DL601", "a_part_is_missing_and_so_are_the_commits", "error", "1 of the 2 parts"),
    ("DL606", "a_checkpoint_lost_the_feature_lists", "error", "lacks readerFeatures at version 3"),
    ("DL606", "a_checkpoint_has_empty_lists_at_legacy_versions", "error",
        "has readerFeatures at version 1"),
    ("DL609", "a_checkpoint_only_lacks_a_file", "error", "0 extra files and lacks 1"),
    ("DL609", "a_checkpoint_only_has_a_file_too_many", "error", "1 extra files and lacks 0"),
    ("DL610", "a_checkpoint_has_a_commit_info", "warning", "a commitInfo action"),
    ("DL801", "a_checksum_of_an_old_writer_has_no_protocol", "warning", "It has no metadata"),
    ("DL809", "a_histogram_of_deleted_rows_has_nine_bins", "warning", "does not have 10 numbers"),
    ("DL810", "only_an_older_version_has_a_checksum", "info", "Version 1 has no checksum"),
]  # fmt: skip
"""Code and case, how bad it is, and words of the first finding's message."""


def _case(code: str, name: str) -> Case:
    (found,) = (case for case in CASES if (case.code, case.name) == (code, name))
    return found


def _found(code: str, name: str, path: Path) -> list[Finding]:
    case = _case(code, name)
    case.make(path)
    return [finding for finding in findings(path, case.depth) if finding.code == code]


@pytest.mark.parametrize(("code", "name", "severity", "words"), ROWS, ids=lambda cell: cell)
def test_first_finding(tmp_path: Path, code: str, name: str, severity: str, words: str) -> None:
    first, *_ = _found(code, name, tmp_path)
    assert (first.severity.value, words in first.message) == (severity, True), first.message


@pytest.mark.parametrize(("code", "name"), [
    ("DL101", "a_commit_is_missing_right_after_the_checkpoint"),
    ("DL103", "the_newest_commit_has_a_broken_line_before_its_last"),
    ("DL103", "the_newest_commit_is_broken_in_the_middle_and_at_the_end"),
    ("DL609", "only_the_first_of_two_checkpoints_is_wrong"),
])  # fmt: skip
def test_one_thing_is_told_once(tmp_path: Path, code: str, name: str) -> None:
    assert len(_found(code, name, tmp_path)) == 1


MENDED: Final = [
    ("DL107", "nothing_points_to_the_checkpoint"),
    ("DL108", "the_checkpoint_was_deleted"),
    ("DL109", "a_newer_checkpoint_is_not_pointed_to"),
    ("DL110", "the_pointer_is_empty"), ("DL110", "the_pointer_has_a_key_twice"),
    ("DL110", "the_pointer_has_no_size"), ("DL111", "the_pointer_was_edited"),
    ("DL119", "a_hundred_and_one_commits_have_no_checkpoint"),
    ("DL616", "the_pointer_says_too_many_parts"), ("DL616", "the_pointer_forgets_the_parts"),
    ("DL616", "the_pointer_counts_other_actions"),
    ("DL616", "the_pointer_counts_other_files"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "name"), MENDED)
def test_a_new_checkpoint_fixes_the_pointer(tmp_path: Path, code: str, name: str) -> None:
    assert [finding.fix for finding in _found(code, name, tmp_path)] == [(WriteCheckpoint(),)]
    checkpoint_of(tmp_path)
    case = _case(code, name)
    assert [finding for finding in findings(tmp_path, case.depth) if finding.code == code] == []


def test_a_table_that_cannot_be_loaded_is_not_fixed(tmp_path: Path) -> None:
    made = _case("DL110", "the_pointer_is_empty")
    made.make(tmp_path)
    log = tmp_path / "_delta_log"
    for name in (f"{0:020d}.json", f"{1:020d}.checkpoint.parquet"):
        (log / name).unlink()
    (found,) = (finding for finding in findings(tmp_path) if finding.code == "DL110")
    assert found.fix == ()
