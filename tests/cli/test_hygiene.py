"""Pay for what is used: which packages a command leaves alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.test_costs import with_checkpoint
from tests.support.oracle import OracleTable
from tests.support.program import deltaadm
from tests.support.tables import Table

pytestmark = pytest.mark.slow

PLANS = {"deltaadm.plans.plan", "deltaadm.domain.steps.step"} | {"deltaadm.runs.plan_options"}
"""What only commands that change something ask for."""

OTHER_STEPS = {
    "deltaadm.domain.steps.columns", "deltaadm.plans.carry_out", "deltaadm.plans.foreign",
}  # fmt: skip
"""What a plan that sets properties does not need: other steps, other tables, carrying it out."""

HEAVY = {"pyspark", "py4j", "pyarrow", "deltalake", "obstore", "pydantic", "numpy", "pandas"}

SLOW = {"typer", "rich", "typing", "dataclasses", "inspect", "signal", "pathlib"}
"""What takes longer to import than a table to be read."""

RARE = {"rich", "inspect", "uuid"}
"""What a terminal or a few tables need."""

ODD = {"pathlib", "urllib.parse", "ipaddress", "decimal", "shlex"}
"""What odd paths, decimal columns and commands to paste need."""

PROBE = """
import atexit, sys
from deltaadm.__main__ import main
sys.argv = ["deltaadm", *sys.argv[1:]]
tell = lambda: sys.stderr.write(" ".join(name for name, one in sys.modules.items() if one))
atexit.register(tell)
main()
"""


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], check=False, capture_output=True, text=True
    )
    assert done.returncode in {0, 1}
    return set(done.stderr.splitlines()[-1].split())


ELSEWHERE = {
    "deltaadm.runs.deadline", "deltaadm.runs.unity", "deltaadm.storage.object_store", "threading",
}  # fmt: skip
"""What only tables outside of this machine ask for."""

ARROW = HEAVY - {"pyarrow"}
"""What is left alone where the files of a checkpoint are looked at."""


@pytest.mark.parametrize(("arguments", "left_alone"), [
    pytest.param("--version", {"typer", "rich", "dataclasses", "json"}, id="version"),
    pytest.param("--help", {"rich", "importlib.metadata"}, id="help"),
    pytest.param("inspect --help", {"rich", "importlib.metadata"}, id="help of a command"),
    pytest.param("inspect T", SLOW | PLANS | ELSEWHERE, id="text"),
    pytest.param("inspect T -o json", SLOW | {"contextlib", "datetime"}, id="json"),
    pytest.param("inspect C -o json", SLOW | {"contextlib"}, id="checkpoint"),
    pytest.param("inspect T -o jsonl", SLOW - {"typing"}, id="jsonl"),
    pytest.param("features -o json", {"rich"} | PLANS, id="features"),
    pytest.param("validate T", RARE | ODD | {"hashlib", "deltaadm.runs.many_plans"}, id="validate"),
    pytest.param("alter T --set a=b -o sql", {"rich"}, id="plan"),
    pytest.param("enable-feature T deletionVectors", RARE | OTHER_STEPS, id="steps"),
    pytest.param(
        "alter T --set a=b --apply --yes --commit-engine embedded", RARE | ODD, id="commit"),
    pytest.param("upgrade-protocol T --check -o json", {"rich"}, id="check"),
])  # fmt: skip
def test_light_commands(small: Table, tmp_path: Path, arguments: str, left_alone: set[str]) -> None:
    with_checkpoint(tmp_path / "c", 1_000)
    tables = {"T": str(small.path), "C": str(tmp_path / "c")}
    given = [tables.get(word, word) for word in arguments.split()]
    assert not loaded(*given) & (HEAVY | left_alone)


@pytest.mark.parametrize("command", ["inspect --files", "validate"])
def test_nothing_needs_numpy(oracle_tables: dict[str, OracleTable], command: str) -> None:
    places = [str(table.path) for table in oracle_tables.values()]
    arguments = [*command.split(), "-o", "jsonl", *places]
    assert not loaded(*arguments) & ARROW
    alone = subprocess.run(
        [sys.executable, "-m", "deltaadm", *arguments], check=False, capture_output=True, text=True
    )
    assert alone.stdout == deltaadm(*arguments).out


@pytest.mark.parametrize("command", [
    "alter T --set delta.checkpointInterval=1 --apply --yes --commit-engine embedded",
    "repair T",
])  # fmt: skip
def test_no_checkpoint_needs_numpy(small: Table, command: str) -> None:
    arguments = [str(small.path) if word == "T" else word for word in command.split()]
    assert not loaded(*arguments) & ARROW
    written = bool(list(small.log.glob("*.checkpoint.parquet")))
    assert written == command.startswith("alter")
