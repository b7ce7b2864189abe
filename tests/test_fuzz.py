"""What reads the bytes of others ends in an answer or an error: for inputs that once did not, and
for some mutations of each target's seeds. `tools/fuzz.py` looks for more."""

import json
import os
import random
from pathlib import Path

import pytest

from tools import fuzz

pytestmark = pytest.mark.slow

SEED = int(os.environ.get("DELTAADM_FUZZ_SEED", "1"))
ROUNDS = {"log": 12, "names": 20, "plan": 60, "hint": 60, "parquet": 60, "ddl": 60}
FOUND = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/fuzzed.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", FOUND, ids=lambda row: row["why"])
def test_what_was_found_is_mended(row: dict[str, str]) -> None:
    assert fuzz.fault(row["target"], bytes.fromhex(row["hex"])) == ""


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_no_mutation_surprises(target: str) -> None:
    seeds, chance = [*fuzz.TARGETS[target][2]()], random.Random(SEED)  # noqa: S311
    assert seeds
    for _ in range(ROUNDS.get(target, 200)):
        data = fuzz.mutated(chance.choice(seeds), chance, seeds)
        assert fuzz.fault(target, data) == "", data.hex()
