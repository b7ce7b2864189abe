"""
Damage tables of delta-rs at random, repair them, and hold what delta-rs reads against before.

Two rounds of a hundred are `python -m tools.damage 1 100` and `... 2 100`. Damage must be found by
readers or by `validate`, or else change nothing for readers. A repair must bring back the state of
before, or be refused with the log as it was; a lost newest version is told apart.
"""

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError, TableNotFoundError

from deltaadm.errors import DeltaadmError
from deltaadm.plans.checkpoint import TableState, read_state
from deltaadm.storage.store import open_store
from tests.support.program import deltaadm
from tests.support.repairs import aged, contents

Chance = random.Random


def make(table: Path, chance: Chance) -> None:
    """A table of some versions, with deletions, properties and checkpoints among them."""
    for number in range(chance.randint(3, 14)):
        if number and chance.random() < 0.2:
            DeltaTable(table).delete(f"a = {chance.randint(0, number)}")
        else:
            rows = pa.table({"a": [number, number + 100], "p": [str(number % 2)] * 2})
            write_deltalake(table, rows, mode="append", partition_by=["p"])
        if number and chance.random() < 0.3:
            DeltaTable(table).create_checkpoint()
        if number and chance.random() < 0.1:
            properties = {"delta.logRetentionDuration": f"interval {number + 30} days"}
            DeltaTable(table).alter.set_table_properties(properties)


def flipped(content: bytes, chance: Chance) -> bytes:
    """The content with one bit changed."""
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


DAMAGES: dict[str, Callable[[Path, Chance], object]] = {
    "cut": lambda file, chance: os.truncate(file, chance.randrange(file.stat().st_size)),
    "emptied": lambda file, _: file.write_bytes(b""),
    "bit flipped": lambda file, chance: file.write_bytes(flipped(file.read_bytes(), chance)),
    "removed": lambda file, _: file.unlink(),
    "replaced": lambda file, chance: file.write_bytes(
        chance.choice([other for other in file.parent.iterdir() if other.suffix == file.suffix])
        .read_bytes()
    ),
    "copied": lambda file, _: shutil.copy(file, file.with_name(f"{file.stem} (1){file.suffix}")),
}  # fmt: skip


def damage(table: Path, chance: Chance) -> str:
    """Damage one file of the log; what was done."""
    kind = chance.choice(["*.checkpoint.parquet", "0*.json", "_last_checkpoint"])
    files = sorted((table / "_delta_log").glob(kind))
    if not files:
        return ""
    # The newest commit is the one that programs leave torn.
    file = files[-1] if kind == "0*.json" and chance.random() < 0.5 else chance.choice(files)
    name = chance.choice([*DAMAGES])
    DAMAGES[name](file, chance)
    newest = " (newest)" if file is files[-1] else ""
    return f"{kind} {name}{newest}"


def state(table: Path) -> Any:
    """What delta-rs reads, or the error that it gives."""
    try:
        read = DeltaTable(table)
        rows = sorted(map(str, read.to_pyarrow_table().to_pylist()))
        return read.version(), sorted(read.file_uris()), read.metadata().configuration, rows
    except (DeltaError, TableNotFoundError, OSError) as error:
        return str(error)


def findings(table: Path) -> Counter[str]:
    """What `validate` finds in the table, by codes; or that it cannot load it."""
    done = deltaadm("validate", table, "--deep", "--history", "-o", "json", "--isolated")
    codes = Counter(each["code"] for each in done.document.get("findings", ()))
    return codes or Counter({f"exit {done.code}": 1})


def ours(table: Path) -> TableState | str:
    """The state that deltaadm reads, or the kind of its error."""
    try:
        return read_state(open_store(str(table)))
    except DeltaadmError as error:
        return type(error).__name__


def play(chance: Chance) -> tuple[str, str, str] | None:
    """What was done to a table, who noticed, and what came of repairing it."""
    with tempfile.TemporaryDirectory() as directory:
        table = Path(directory) / "t"
        make(table, chance)
        before, state_before, found_before = state(table), ours(table), findings(table)
        done = damage(table, chance)
        if not done:
            return None
        damaged, files = state(table), contents(table)
        is_harmless = damaged == before and ours(table) == state_before
        is_found = isinstance(ours(table), str) or bool(findings(table) - found_before)
        noticed = "found" if is_found else "harmless" if is_harmless else "missed"
        aged(table)
        repair = deltaadm("repair", table, "--apply", "--yes", "-o", "json", "--isolated")
        after, unchanged = state(table), contents(table) == files
        if after == before:
            return done, noticed, "as before"
        if unchanged and repair.code == 0 and after == damaged and isinstance(after, tuple):
            # Such as a lost newest commit.
            return done, noticed, "nothing that a reader could notice"
        if unchanged:
            return done, noticed, f"left alone, exit {repair.code}"
        if isinstance(after, tuple) and after[0] == before[0] - 1:
            assert "becomes free again" in repair.out
            return done, noticed, "without the newest version, which is said"
        return done, noticed, f"WRONG, exit {repair.code}"


def main(seed: int, rounds: int) -> None:
    """Damage, repair, compare, and count."""
    played = [play(Chance(seed * 1_000_003 + number)) for number in range(rounds)]
    for result, count in sorted(Counter(filter(None, played)).items()):
        sys.stdout.write("{:5}  {:40} {:10} {}\n".format(count, *result))
    for number, found in enumerate(played):
        if found and (found[2].startswith("WRONG") or found[1] == "missed"):
            sys.stdout.write(f"round {number} of seed {seed}: {', '.join(found)}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
