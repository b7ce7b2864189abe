"""A round of the schedules that `tools.simulate` plays by the hundred thousand."""

import pytest

from deltaadm.plans import embedded_executor
from tools.simulate import simulate

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("what", "schedules"),
    [
        ("commits", range(120)),
        # Interrupted after a commit that the next listing does not show yet.
        ("commits", range(145_094, 145_095)),
        # The commit that has the in-commit timestamp cannot be read, only its checkpoint.
        ("commits", range(431_062, 431_063)),
        # A commit that is answered late, found to be there, and not listed yet.
        ("commits", range(970_780, 970_800)),
        ("repairs", range(6)),
    ],
)
def test_no_schedule_of_faults_does_harm(what: str, schedules: range) -> None:
    met, failed = simulate(what, schedules)
    assert not failed
    assert any(name.startswith("killed") for name in met)


def test_timestamps_that_follow_the_clock_alone_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness does notice."""
    monkeypatch.setattr(embedded_executor, "next_timestamp", lambda _, now: now)
    _, failed = simulate("commits", range(120))
    assert failed
