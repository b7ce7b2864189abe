"""The embedded commit engine does in every object store what it does on a disk."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from deltaadm.domain.protocol import SessionSettings
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from deltaadm.runs.context import now
from tests.support import oracle
from tests.support.executors import carry_out_case, new_commits, recorded_commits, verdict
from tests.support.object_stores import PLACES, Place

pytestmark = pytest.mark.slow

CREATES = 64
CASES = [case for case in oracle.cases("e2e") if not verdict(case)]
SOME = {"memory": 10, "s3": 40}
"""Of so many recorded cases one is in the suite; all of them are in the matrix."""


def _places(*inside: str) -> list[Any]:
    """All stores, of which those *inside* the suite need nothing to be installed."""
    return [
        pytest.param(name, marks=() if name in inside else pytest.mark.matrix) for name in PLACES
    ]


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with PLACES[request.param]() as place:
        # The servers of one process may share what they have.
        yield place._replace(url=f"{place.url}/{uuid4()}")


@pytest.mark.parametrize("place", _places("memory", "s3", "gcs"), indirect=True)
def test_one_of_many_creates_a_file(place: Place) -> None:
    """The server honours the condition, which everything else rests on."""
    stores = place.stores

    def create(number: int) -> bool:
        return stores.open(f"{place.url}/t").create("x.json", b"%d\n" % number)

    with ThreadPoolExecutor(CREATES) as pool:
        won = list(pool.map(create, range(CREATES)))
    winners = [number for number, mine in enumerate(won) if mine]
    assert [stores.open(f"{place.url}/t").read("x.json")] == [
        b"%d\n" % winner for winner in winners
    ]


@pytest.mark.parametrize("place", _places("memory", "s3", "gcs"), indirect=True)
def test_a_log_is_listed_from_a_version_on(place: Place) -> None:
    """Azurite does not know how to start a list, as clients ask Azure."""
    store = place.stores.open(f"{place.url}/t")
    names = [f"{version:020d}.json" for version in range(12)]
    for name in names:
        assert store.create(name, b"{}")
    assert sorted(store.list_log()) == names
    for start in (1, 9, 10, 11, 12):
        assert sorted(store.list_log(start)) == names[start:]


@pytest.mark.parametrize("place", _places("memory", "s3", "gcs"), indirect=True)
def test_a_file_that_is_written_again_is_read_as_it_is(place: Place) -> None:
    store = place.stores.open(f"{place.url}/t")
    for body in (b"first", b"another"):
        assert store.create("x.json", body)
        with store.open("x.json") as file:
            assert file.read() == body
        store.remove("x.json")


def _cases() -> list[Any]:
    return [
        pytest.param(name, one_of, marks=() if one_of == SOME.get(name) else pytest.mark.matrix)
        for name in PLACES
        for one_of in sorted({1, SOME.get(name, 1)})
    ]


@pytest.mark.parametrize(("place", "one_of"), _cases(), indirect=["place"])
def test_commits_are_those_of_delta(place: Place, one_of: int) -> None:
    """As `test_embedded.py` has it on a disk."""
    stores, committed = place.stores, 0

    def engine(session: SessionSettings) -> EmbeddedExecutor:
        return EmbeddedExecutor(session, now, stores)

    for case in CASES[::one_of]:
        root = f"{place.url}/cases/{case['id']}"
        outcome = carry_out_case(case, root, engine, stores)
        made = new_commits(case, root, stores)
        assert made == recorded_commits(case)[: len(made)], case["id"]
        assert outcome != "committed" or len(made) == len(recorded_commits(case)), case["id"]
        committed += outcome == "committed"
    assert committed > len(CASES[::one_of]) / 3
