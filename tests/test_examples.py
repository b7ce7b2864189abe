"""What the pages for people show is what the commands answer, on tables like those they tell of."""

import contextlib
import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from deltaadm.cli.program import run
from deltaadm.runs.sessions import executor
from tests.support import tables
from tests.support.program import LogWriter
from tests.support.schemas import mapped, schema, struct
from tests.support.tables import Table, add, column, commit, commit_info, metadata, protocol

ROOT = Path(__file__).parent.parent
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ANY_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d{3})?( UTC|Z))?")
EXECUTOR = executor
"""What `data` replaces, for pages that commit without Spark."""

OF_SPARK = "Starting Spark on local[*] ...\n"


class Example(NamedTuple):
    """A command line, and what a page shows of its answer; `...` stands for lines left out."""

    command: str
    answer: str

    def holds_for(self, output: str) -> bool:
        parts = self.answer.replace(OF_SPARK, "").split("...\n")
        pattern = r"(?:.*\n)*".join(re.escape(_timeless(part)) for part in parts)
        return re.fullmatch(pattern, _timeless(output)) is not None


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
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    monkeypatch.setattr("deltaadm.runs.sessions.executor", lambda *_, **__: LogWriter())
    return tmp_path / "data"


def answered(command: str, data: Path) -> tuple[str, int]:
    """Everything that *command* says, with the places of the page, and the exit code."""
    output = io.StringIO()
    arguments = shlex.split(command.replace("/data", str(data)))[1:]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = run(arguments)
    return output.getvalue().replace(str(data), "/data"), code


def workplace(data: Path, *, without: str = "") -> None:
    """Tables and files with which all is possible that pages propose; tables are made anew."""
    features = [
        "allowColumnDefaults", "checkConstraints", "clustering", "columnMapping",
        "deletionVectors", "domainMetadata", "invariants", "typeWidening",
    ]  # fmt: skip
    configuration = {
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "9",
        "delta.constraints.old_rule": "amount < 100",
        "delta.enableTypeWidening": "true",
    }
    columns = schema(
        mapped("id", 1), mapped("day", 2, "string", nullable=False),
        mapped("score", 3, CURRENT_DEFAULT="0"), mapped("amount", 4), mapped("notes", 5, "string"),
        mapped("address", 6, struct(mapped("zip", 7), mapped("x", 8))),
    )  # fmt: skip
    for name in ("events", "orders", "customers", "staging/events"):
        shutil.rmtree(data / name, ignore_errors=True)
        if name == without:
            continue
        start = [
            protocol(3, 7, ["columnMapping", "deletionVectors", "typeWidening"], features),
            metadata(configuration, schemaString=columns),
        ]
        for version, actions in enumerate([start, [], [], [], []]):
            moment = datetime(2026, 11, 20, tzinfo=UTC) + timedelta(hours=12 * version)
            modified = int(moment.timestamp() * 1000)
            Table(data / name).commit(version, commit_info(), *actions, modified=modified)
    (data / "columns.sql").write_text("id BIGINT, day DATE", encoding="utf-8")
    (data / "deltaadm.toml").write_text('[aliases]\nevents = "events"\n', encoding="utf-8")
    readers = "client,version,last_seen\ntrino,442,2026-11-20\n"
    (data / "readers.csv").write_text(readers, encoding="utf-8")
    (data / "tables.txt").write_text(f"{data / 'events'}\n", encoding="utf-8")


ELSEWHERE = re.compile(
    r"--remote|--engine spark|spark\.sql\.catalog| doctor|\b(main|sales)\.\w+|( \| | >> | < )"
)
"""What needs a cluster, a catalog, Java or a shell; that it can be parsed is tested as well."""


@pytest.mark.parametrize("page", ["docs/guide.md", "docs/fleets.md", "docs/formats.md"])
def test_what_a_page_proposes_can_be_done(
    page: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.mkdir()
    monkeypatch.chdir(data)
    monkeypatch.delenv("DELTAADM_ISOLATED")
    monkeypatch.setenv("DELTAADM_CONFIG", str(data / "deltaadm.toml"))
    text = (ROOT / page).read_text(encoding="utf-8")
    tried = 0
    for block in CONSOLE.findall(text):
        workplace(data, without="orders" if " create orders " in block else "")
        for line in re.findall(r"^\$ (deltaadm .*)$", block, re.MULTILINE):
            if not ELSEWHERE.search(line):
                changes = "apply" in line and "--yes" not in line
                output, code = answered(f"{line} --yes" if changes else line, data)
                may_find = "--check" in line or " diff " in line
                assert code == 0 or (code == 1 and may_find), f"{line}\n{output}"
                tried += 1
    assert tried >= text.count("\n$ deltaadm ") / 2


def test_the_guide_shows_lines_of_a_plan(data: Path) -> None:
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    [(block, lines)] = re.findall(r"```console\n([^`]*)```\n[^`]*```text\n([^`]*)```", text)
    tables.table(data / "events", commit(commit_info(), protocol(1, 2), metadata()))
    commands = block.replace("$ ", "").replace(" events", " /data/events").splitlines()
    assert any(lines in answered(command, data)[0] for command in commands)


def test_the_settings_of_the_guide_are_settings(tmp_path: Path) -> None:
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    [settings] = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    file = tmp_path / "deltaadm.toml"
    file.write_text(settings, encoding="utf-8")
    shown = answered(f"deltaadm config show --config {file}", tmp_path)[0]
    assert '["DL1", "DL2"]' in shown


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_first_page(page: str, data: Path) -> None:
    columns = tables.schema(column("id", "long"), column("kind", "string"), column("day", "string"))
    configuration = {"delta.enableDeletionVectors": "true"}
    partitioned = metadata(configuration, schemaString=columns, partitionColumns=["day"])
    features = ["appendOnly", "deletionVectors", "invariants"]
    start = [protocol(3, 7, ["deletionVectors"], features), partitioned]
    stats = json.dumps({"numRecords": 2})
    files = [
        add(f"p{day}", 789, partitionValues={"day": day}, stats=stats)
        for day in ("2026-01-01", "2026-01-02")
    ]
    tables.table(
        data / "events",
        commit(commit_info(), *start),
        commit(commit_info(), files[0]),
        commit(commit_info(), files[1]),
    )
    shown = list(examples(page))
    assert shown
    for example in shown:
        output, _ = answered(example.command, data)
        assert example.holds_for(output), f"{example.command}\n{output}"


def test_many_tables(data: Path) -> None:
    tables.lake(data)
    [one] = examples("docs/fleets.md")
    output, _ = answered(one.command, data)
    assert one.holds_for(output), output


@pytest.mark.parametrize("page", ["docs/quick-start.md", "docs/concepts.md"])
def test_a_page_can_be_followed_from_its_beginning(
    page: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.mkdir()
    monkeypatch.chdir(data)
    monkeypatch.setattr("deltaadm.runs.sessions.executor", EXECUTOR)
    for example in examples(page):
        output, _ = answered(example.command, data)
        assert example.holds_for(output), f"{example.command}\n{output}"


FOLLOWED = {"README.md", *(f"docs/{n}.md" for n in ("index", "fleets", "quick-start", "concepts"))}
"""Pages that show answers; the tests above compare each with what the program says."""


def test_no_page_shows_an_answer_that_is_not_compared() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    names = {str(page.relative_to(ROOT)) for page in pages}
    assert {name for name in names if any(examples(name))} == FOLLOWED
