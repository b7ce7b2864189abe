"""Which client and release wrote a commit, over every commit of real tables."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from deltaadm.clients import ClientRelease, identified
from deltaadm.domain.wire import engine_of
from tests.support import oracle
from tests.support.cases import each
from tests.support.oracle import OracleTable

ROWS = [
    json.loads(line) for line in (oracle.ARCHIVE.parent / "engines.jsonl").read_text().splitlines()
]
"""
Each way in which commits of the corpus, and those of recorded tables and cases, name their engine,
with the client and release that a person read in it, and the number of commits that do.
"""
EXPECTED = {engine_of(row["info"]): (row["client"], row["version"]) for row in ROWS}
NAMELESS = {"", "<unknown>"}
"""What names no engine: nothing, and what Delta writes where nobody told it."""


def mapped(engine: str) -> tuple[str | None, str | None]:
    client, version = identified(engine)
    return client and client.id, version or None


@each("row", {json.dumps(row["info"]): row for row in ROWS})
def test_each_name_means_the_client_and_release_that_a_person_reads_in_it(row: Any) -> None:
    engine = engine_of(row["info"])
    assert mapped(engine) == (row["client"], row["version"])
    # Nothing is made up: what is shown as a release is in the name.
    assert (row["version"] or "") in engine


def shares(engines: Iterable[str]) -> tuple[float, float]:
    """Of commits that name an engine: the share with a client, and of those with a release."""
    named = [engine for engine in engines if engine not in NAMELESS]
    telling = [engine for engine in named if "<unknown>" not in engine]
    with_client = sum(mapped(engine)[0] is not None for engine in named)
    with_release = sum(mapped(engine)[1] is not None for engine in telling)
    return with_client / len(named), with_release / len(telling)


def test_nearly_all_commits_that_name_an_engine_are_told_by_client_and_release() -> None:
    for kind in ("tables", "cases"):
        engines = [engine_of(row["info"]) for row in ROWS for _ in range(row[kind])]
        assert min(shares(engines)) >= 0.95


def test_the_rows_are_all_that_recorded_tables_say(oracle_tables: dict[str, OracleTable]) -> None:
    found = [engine for table in oracle_tables.values() for engine in engines_of(table.path)]
    assert found
    assert set(found) <= EXPECTED.keys()


def test_the_share_over_every_commit_of_the_corpus() -> None:
    found = [engine for table in oracle.corpus() for engine in engines_of(table.path)]
    assert set(found) <= EXPECTED.keys(), "an engine that nobody has looked at"
    assert min(shares(found)) >= 0.95
    assert all(mapped(engine) == EXPECTED[engine] for engine in found)


def engines_of(table: Path) -> Iterator[str]:
    """What each commit of *table* calls its engine, read without deltaadm."""
    for path in sorted((table / "_delta_log").glob("*.json")):
        for line in path.read_text(errors="replace").splitlines():
            try:
                document = json.loads(line)
            except ValueError:
                continue
            info = document.get("commitInfo") if isinstance(document, dict) else None
            if isinstance(info, dict):
                yield engine_of(info)


def test_a_release_is_written_as_options_take_it() -> None:
    client, version = identified("Databricks-Runtime/16.4.x-scala2.12")
    assert client is not None
    assert str(ClientRelease(client, version)) == "databricks@16.4"
