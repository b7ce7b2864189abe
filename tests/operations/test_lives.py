"""Random tables go through whole lives, in which what is said of them holds."""

from collections import Counter

import pytest

from deltaadm.plans import reversal
from tests.support.examples import TIMES
from tools.lives import play

pytestmark = pytest.mark.slow


def test_what_is_planned_committed_undone_and_said_agrees_all_life_long() -> None:
    met = Counter[str]()
    assert not [wrong for seed in range(6 * TIMES) if (wrong := play(seed, met))]
    assert met["alter: committed"]
    assert met["undo: committed"]


def test_columns_that_an_undo_drops_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lives do notice."""
    monkeypatch.setattr(reversal, "_inverse", lambda *_: ())
    assert any(play(seed, Counter()) for seed in range(6))
