"""Who is shut out: shown by `inspect`, named by plans, refused or agreed to on demand."""

from pathlib import Path

import pytest

from tests.cli.test_terminal import QUESTION, ended, terminal
from tests.support import tables
from tests.support.program import deltaadm
from tests.support.tables import Table, commit, metadata, protocol

MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def groups(text: str) -> dict[str, str]:
    kinds = ("wrong data", "cannot read", "cannot write", "no source", "read, write", "read only")
    lines = (line[2:] for line in text.splitlines())
    return {kind: line for line in lines for kind in kinds if line.startswith(f"{kind} ")}


@pytest.fixture
def mapped(tmp_path: Path) -> Table:
    return tables.table(tmp_path / "mapped", commit(protocol(2, 5), metadata(MAPPED)))


def test_no_client_is_in_two_groups(mapped: Table) -> None:
    found = "; ".join(groups(deltaadm("inspect", mapped.path).out).values())
    assert [found.count(name) for name in ("delta-rs ", "flink", "athena")] == [1, 1, 1]


def test_the_whole_detail_on_request(mapped: Table) -> None:
    result = deltaadm("inspect", mapped.path, "--client-sources")
    [line] = [line for line in result.out.splitlines() if line.startswith("  delta-rs@1.6.6  ")][:1]
    assert "reads wrong data silently" in line
    assert "to_pyarrow_table and to_pandas give nulls" in line
    assert "2026-11-21" in line


@pytest.mark.parametrize(("answer", "code"), [("delta-rs", 0), ("yes", 7), ("", 7)])
def test_at_a_terminal_the_name_must_be_typed(small: Table, answer: str, code: int) -> None:
    program = terminal(
        *("set-mapping-mode", small.path, "name", "--apply"),
        *("--accept-silently-wrong", "duckdb-delta"),
    )
    program.expect_exact(QUESTION)
    program.sendline("yes")
    program.expect_exact("Type 'delta-rs' to continue although ")
    program.expect_exact("would silently read wrong data after this change")
    program.sendline(answer)
    assert ended(program)[0] == code


def test_a_matrix_of_clients_and_the_features_of_a_table(mapped: Table) -> None:
    shown = deltaadm("inspect", mapped.path, "--clients").out.partition("r reads, w writes")[2]
    names = [line.split()[-1] for line in shown.splitlines() if line[:20].isspace()]
    assert names[:3] == ["table", "appendOnly", "changeDataFeed"]
    [trino] = [line for line in shown.splitlines() if line.startswith("  trino ")]
    assert trino.split()[1 + names.index("columnMapping")] == "rw"
    [delta_rs] = [line for line in shown.splitlines() if line.startswith("  delta-rs ")]
    assert delta_rs.split()[1 + names.index("columnMapping")].startswith("!")


def test_the_catalogue_of_clients() -> None:
    shown = deltaadm("clients").out
    assert " |  bigquery\n" in shown
    assert "2026" not in shown
    assert max(map(len, shown.splitlines()[1:])) <= 80
    page = deltaadm("clients", "-o", "markdown").out
    assert page.splitlines()[2].startswith("|  | athena | bigquery | clickhouse@26.9 |")
    found = {
        client["client"]: client for client in deltaadm("clients", "-o", "json").document["clients"]
    }
    features = {feature["feature"]: feature for feature in found["trino"]["features"]}
    assert features["deletionVectors"] == {
        "feature": "deletionVectors", "read": "works", "write": "works",
    }  # fmt: skip
    assert features["rowTracking"]["read"] is None
    assert features["rowTracking"]["write"] == "fails loudly"
