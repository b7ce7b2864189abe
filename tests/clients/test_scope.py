"""Whose clients matter: the declared, those that the log shows, or all."""

from typing import Any

from deltaadm.clients import CLIENTS, EVERYONE, Observation, Scope, newest_releases, parse_client
from deltaadm.domain.wire import Writer, writer_of
from tests.support.rows import with_rows

SPARK = "Apache-Spark/4.0.0 Delta-Lake"


@with_rows
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
        assert scope.seen.read == {parse_client("trino@480"): 7}
