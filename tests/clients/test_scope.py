"""Whose clients matter: the declared, those that the log shows, or all."""

import pytest

from deltaadm.clients import CLIENTS, EVERYONE, Scope, newest_releases, parse_client
from deltaadm.domain.wire import CommitInfo

SPARK = "Apache-Spark/4.0.0 Delta-Lake"


@pytest.mark.parametrize(("document", "client"), [
    pytest.param({"engineInfo": f"{SPARK}/3.2.1"}, "delta-spark@3.2.1", id="Delta Spark"),
    pytest.param({"engineInfo": f"{SPARK}/4.0.0-SNAPSHOT"}, "delta-spark@4.0.0", id="a build"),
    pytest.param({"engineInfo": "Databricks-Runtime/13.3.x-scala"}, "databricks@13.3", id="DBR"),
    pytest.param({"engineInfo": "Databricks-Runtime/<unknown>"}, "databricks", id="some DBR"),
    pytest.param({"engineInfo": "delta-rs:py-1.5.0"}, "delta-rs@1.5.0", id="deltalake"),
    pytest.param({"clientVersion": "delta-rs.py-0.25.5"}, "delta-rs@0.25.5", id="older deltalake"),
    pytest.param({"clientVersion": "delta-rs.0.17.1"}, "delta-rs", id="the crate"),
    pytest.param({"engineInfo": "delta-rs:py-0.1.0"}, "delta-rs", id="a release nobody knows"),
    pytest.param({"clusterId": "trino-470-20a1"}, "trino@470", id="Trino"),
    pytest.param({"engineInfo": "frobnicate/1.0"}, None, id="nobody known"),
    pytest.param({}, None, id="nobody at all"),
])  # fmt: skip
def test_a_commit_shows_who_has_written_it(document: dict[str, str], client: str | None) -> None:
    observed = Scope.of(commits=[CommitInfo.from_wire(document), None]).observed
    assert observed == (() if client is None else (parse_client(client),))


def test_without_a_declaration_writers_come_first_and_nobody_is_left_out() -> None:
    scope = Scope.of(commits=[CommitInfo.from_wire({"engineInfo": "delta-rs:py-1.5.0"})])
    assert [str(release) for release in scope.releases[:2]] == ["delta-rs@1.5.0", "athena"]
    assert set(newest_releases()) <= set(scope.releases)
    assert (scope.own, scope.undeclared) == (scope.observed, 0)
    assert EVERYONE.releases == newest_releases()


def test_whoever_declares_clients_excludes_the_others() -> None:
    trino, delta_rs = parse_client("trino@480"), parse_client("delta-rs@1.5.0")
    written = CommitInfo.from_wire({"engineInfo": "delta-rs:py-1.5.0"})
    scope = Scope.of([trino, trino], [written])
    assert scope.releases == (trino,)
    assert scope.own == (trino, delta_rs)
    assert scope.undeclared == len(CLIENTS) - 1
