"""What the pages for people show is what the commands answer, on tables like those they tell of."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from deltaadm.cli.program import run
from tests.support import tables
from tests.support.program import LogWriter
from tests.support.tables import add, column, commit, commit_info, metadata, protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ANY_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z")
OF_SPARK = "Starting Spark on local[*] ...\n"


class Example(NamedTuple):
    """A command line, and what a page shows of its answer; `...` stands for lines left out."""

    command: str
    answer: str

    def holds_for(self, said: str) -> bool:
        parts = self.answer.replace(OF_SPARK, "").split("...\n")
        pattern = r"(?:.*\n)*".join(re.escape(_timeless(one)) for one in parts)
        return re.fullmatch(pattern, _timeless(said)) is not None


def _timeless(text: str) -> str:
    return ANY_TIME.sub("TIME", ANY_ID.sub("ID", text))


def examples(page: str) -> Iterator[Example]:
    """The commands on a page that are shown with their answers."""
    for block in CONSOLE.findall((ROOT / page).read_text(encoding="utf-8")):
        for text in block.split("$ ")[1:]:
            command, _, answer = text.partition("\n")
            if answer and command.startswith("deltaadm "):
                yield Example(command, answer)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that stands for /data, with what the pages say of its tables."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    monkeypatch.setattr("deltaadm.cli.sessions.executor", lambda *_: LogWriter())
    return tmp_path / "data"


def shown(command: str, data: Path) -> str:
    """Everything that *command* says, with the places of the page."""
    said = io.StringIO()
    arguments = shlex.split(command.replace("/data", str(data)))[1:]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        run(arguments)
    return said.getvalue().replace(str(data), "/data")


def test_readme(data: Path) -> None:
    columns = tables.schema(column("id", "long"), column("kind", "string"), column("day", "string"))
    partitioned = metadata(schemaString=columns, partitionColumns=["day"])
    days = [{"day": "2026-01-01"}, {"day": "2026-01-02"}]
    stats = json.dumps({"numRecords": 2})
    files = [add(f"p{one['day']}", 789, partitionValues=one, stats=stats) for one in days]
    tables.table(
        data / "events",
        commit(commit_info(), protocol(1, 2), partitioned),
        commit(commit_info(), files[0]),
        commit(commit_info(), files[1]),
    )
    orders = tables.table(data / "orders", tables.START_BODY)
    for version in (1, 2, 3):
        orders.commit(version, commit_info())
    orders.last_checkpoint(1)
    told = list(examples("README.md"))
    assert [one.command.split()[1] for one in told] == [
        "inspect", "enable-feature", "enable-feature", "enable-feature", "set-mapping-mode",
        "validate",
    ]  # fmt: skip
    for one in told:
        said = shown(one.command, data)
        assert one.holds_for(said), f"{one.command}\n{said}"


def test_many_tables(data: Path) -> None:
    starts = {
        "a/old": [protocol(1, 2), metadata()],
        "a/mapped": [protocol(2, 5), metadata({"delta.columnMapping.mode": "name"})],
        "b/new": [
            protocol(3, 7, ["deletionVectors"], ["deletionVectors", "appendOnly"]),
            metadata({"delta.enableDeletionVectors": "true"}),
        ],
    }
    for name, actions in starts.items():
        tables.table(data / name, commit(commit_info(), *actions))
    (data / "empty" / "_delta_log").mkdir(parents=True)
    [one] = examples("docs/fleets.md")
    said = shown(one.command, data)
    assert one.holds_for(said), said
