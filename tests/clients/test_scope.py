"""Whose clients matter: the declared, those that the log shows, or all."""

from typing import Any

import pytest

from deltaadm.clients import (
    CLIENTS,
    EVERYONE,
    Observation,
    Scope,
    newest_releases,
    parse_client,
)
from deltaadm.domain.writers import Writer, writer_of

SPARK = "Apache-Spark/4.0.0 Delta-Lake"


@pytest.mark.parametrize(("document", "client"), [
    pytest.param({"engineInfo": f"{SPARK}/3.2.1"}, "delta-spark@3.2.1", id="Delta Spark"),
    pytest.param({"engineInfo": f"{SPARK}/4.0.0-SNAPSHOT"}, "delta-spark@4.0.0", id="a build"),
    pytest.param({"engineInfo": f"{SPARK}/2.4.0.24"}, None, id="somebody's own release"),
    pytest.param({"engineInfo": "Databricks-Runtime/13.3.x-scala"}, "databricks@13.3", id="DBR"),
    pytest.param({"engineInfo": "Databricks-Runtime/<unknown>"}, "databricks", id="some DBR"),
    pytest.param({"engineInfo": "Databricks-Runtime/12.x-snapshot"}, "databricks", id="a DBR"),
    pytest.param({"engineInfo": "delta-rs:py-1.5.0"}, "delta-rs@1.5.0", id="deltalake"),
    pytest.param({"clientVersion": "delta-rs.py-0.25.5"}, "delta-rs@0.25.5", id="older deltalake"),
    pytest.param({"clientVersion": "delta-rs.0.17.1"}, "delta-rs", id="the crate"),
    pytest.param({"engineInfo": "delta-rs:0.32.1"}, "delta-rs", id="a newer crate"),
    pytest.param({"engineInfo": "delta-rs:py-0.1.0"}, "delta-rs", id="a release nobody knows"),
    pytest.param({"engineInfo": "x", "clientVersion": "delta-rs.py-1.5.0"}, None, id="a copy"),
    pytest.param({"clusterId": "trino-470-20a1"}, "trino@470", id="Trino"),
    pytest.param({"clusterId": "0416-131918-rebus430"}, None, id="a cluster"),
    pytest.param({"engineInfo": "flink-engine/1.16.1 flink-delta-connector/3.0.0"}, "flink@3.0.0",
                 id="Flink"),
    pytest.param({"engineInfo": "Kernel-4.4.0/Service"}, "delta-kernel-java@4.4.0", id="Kernel"),
    pytest.param({"engineInfo": "DuckDB"}, "duckdb", id="DuckDB"),
    pytest.param({"engineInfo": "DuckDB-exporter"}, None, id="not DuckDB"),
    pytest.param({"engineInfo": "frobnicate/1.0"}, None, id="nobody known"),
    pytest.param({"engineInfo": 7, "timestamp": "x", "operation": []}, None, id="other JSON"),
    pytest.param({}, None, id="nobody at all"),
])  # fmt: skip
def test_a_commit_shows_who_has_written_it(document: dict[str, Any], client: str | None) -> None:
    observed = Scope.of(writers=[writer_of([("commitInfo", document)])]).observed
    assert observed == (() if client is None else (parse_client(client),))


def delta_rs(at: int = 0) -> Writer:
    info = {"engineInfo": "delta-rs:py-1.5.0", "timestamp": at}
    return writer_of([("commitInfo", info)])


def test_without_a_declaration_writers_come_first_and_nobody_is_left_out() -> None:
    scope = Scope.of(writers=[delta_rs()])
    assert [str(release) for release in scope.releases[:2]] == ["delta-rs@1.5.0", "athena"]
    assert set(newest_releases()) <= set(scope.releases)
    assert (scope.own, scope.undeclared) == (scope.observed, 0)
    assert EVERYONE.releases == newest_releases()


def test_whoever_declares_clients_excludes_those_that_nobody_saw() -> None:
    trino = parse_client("trino@480")
    scope = Scope.of([trino, trino], [delta_rs()])
    assert scope.releases == (parse_client("delta-rs@1.5.0"), trino)
    assert scope.own == (trino, parse_client("delta-rs@1.5.0"))
    assert scope.undeclared == len(CLIENTS) - 2


def test_who_wrote_long_ago_counts_only_as_the_last_one() -> None:
    spark = writer_of([("commitInfo", {"engineInfo": f"{SPARK}/3.2.1", "timestamp": 5})])
    reader = Writer("trino@480", last=7)
    for since, expected in ((6, 1), (5, 2)):
        scope = Scope.of((), [delta_rs(4), spark], Observation(9, since, (reader,)))
        assert [*scope.wrote.values()] == [4, 5][:expected]
        assert scope.read == {parse_client("trino@480"): 7}
