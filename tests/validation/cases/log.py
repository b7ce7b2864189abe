"""DL1xx: the structure of the log."""

from pathlib import Path

from tests.support.rule_cases import breaks, respects
from tests.support.tables import Table, add, commit_info, metadata, protocol, table
from tests.support.tables import commit as body

INFO = commit_info()
START = (INFO, protocol(), metadata())


@breaks("DL100")
def there_is_no_log(path: Path) -> None:
    (path / "data").mkdir()


@respects("DL100", "DL101")
def another_rule_names_the_cause(path: Path) -> None:
    a_commit_is_missing(path)


@breaks("DL101")
def a_commit_is_missing(path: Path) -> None:
    made = table(path, body(*START), body(INFO, add("a")))
    made.commit(3, INFO, add("b"))


@respects("DL101")
def a_commit_is_missing_below_the_checkpoint(path: Path) -> None:
    made = Table(path)
    made.commit(0, *START)
    made.checkpoint(2, [*START[1:], add("a")])
    made.last_checkpoint(2)
    made.commit(2, INFO, add("a"))
    made.commit(3, INFO, add("b"))


@breaks("DL112")
def a_commit_has_two_protocols(path: Path) -> None:
    table(path, body(*START, protocol(1, 1)))


@respects("DL112")
def two_commits_have_a_protocol_each(path: Path) -> None:
    table(path, body(*START), body(INFO, protocol(1, 3)))
