"""DL98x: tables that deltalake reads otherwise, or not at all."""

from pathlib import Path

from tests.support.rule_cases import breaks, respects
from tests.support.tables import add, commit, commit_info, metadata, protocol, remove, table

INFO = commit_info()
START = (INFO, protocol(), metadata())


@breaks("DL981", "DL105", depth="cross-check")
def a_commit_has_a_short_name(path: Path) -> None:
    table(path, commit(*START)).write("1.json", commit(INFO, add("a")))


@respects("DL981", "DL122", depth="cross-check")
def another_file_has_a_short_name(path: Path) -> None:
    table(path, commit(*START)).write("1.txt", commit(INFO, add("a")))


@breaks("DL982", "DL112", depth="cross-check")
def a_commit_has_two_protocols(path: Path) -> None:
    table(path, commit(*START, protocol(1, 1)))


@respects("DL982", depth="cross-check")
def two_commits_have_a_protocol_each(path: Path) -> None:
    table(path, commit(*START), commit(INFO, protocol(1, 3)))


@breaks("DL983", "DL112", depth="cross-check")
def a_commit_has_two_names(path: Path) -> None:
    table(path, commit(*START, metadata(name="other")))


@respects("DL983", depth="cross-check")
def a_later_commit_has_another_name(path: Path) -> None:
    table(path, commit(*START), commit(INFO, metadata(name="other", description="")))


@breaks("DL984", depth="cross-check")
def a_removed_path_is_escaped_otherwise(path: Path) -> None:
    table(path, commit(*START), commit(INFO, add("%c3%a9")), commit(INFO, remove("%C3%A9")))


@respects("DL984", depth="cross-check")
def a_removed_path_is_escaped_alike(path: Path) -> None:
    table(path, commit(*START), commit(INFO, add("a%20b")), commit(INFO, remove("a%20b")))


@breaks("DL985", depth="cross-check")
def a_property_is_null(path: Path) -> None:
    table(path, commit(INFO, protocol(), metadata({"owner": None})))


@respects("DL985", depth="cross-check")
def a_property_is_empty(path: Path) -> None:
    table(path, commit(INFO, protocol(), metadata({"owner": ""})))
