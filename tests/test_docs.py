"""The pages for people agree with the code: commands, options, JSON fields, exit codes, links."""

import doctest
import json
import re
import runpy
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import deltaadm
from deltaadm.cli.help import help_asked_for
from deltaadm.cli.program import parse
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.clients import CLIENTS
from deltaadm.documents import schemas
from deltaadm.domain.features import FEATURES
from deltaadm.domain.properties import FOREIGN, PROPERTIES
from deltaadm.errors import DeltaadmError, UsageError
from deltaadm.reports.explain import error_classes
from deltaadm.reports.validate import choose_rules, families
from tests.support import oracle
from tests.support.cases import each

ROOT = Path(__file__).parent.parent
PACKAGE = Path(deltaadm.__file__).parent
PAGES = (
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")),
    *sorted((ROOT / "docs").glob("**/*.md")),
)
PAGE_NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = {"MODE": "name", "SHELL": "bash"}
"""What stands for a placeholder that not every word may replace."""


GENERATED = runpy.run_path(str(ROOT / "docs" / "generate.py"))


@cache
def text(page: Path) -> str:
    """The page as the site shows it, with its lists."""
    filled: str = GENERATED["filled"](page.read_text(encoding="utf-8"))
    return filled


def spans(page: Path) -> list[str]:
    """What stands in backticks outside of fenced blocks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCED.sub("", text(page)))


def command_lines(page: Path) -> Iterator[str]:
    """Whole command lines; a subcommand mentioned by its name alone is none."""
    for _, block in FENCED.findall(text(page)):
        yield from re.findall(r"^\$ (deltaadm .*)$", block, re.MULTILINE)
    for span in spans(page):
        if span.startswith("deltaadm ") and span.removeprefix("deltaadm ") not in COMMANDS:
            yield span


@pytest.mark.slow
@each(
    "name",
    [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in PACKAGE.rglob("*.py")
        if ">>> " in path.read_text()
    ],
)
def test_examples_in_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_command_lines_parse(page: Path) -> None:
    for line in command_lines(page):
        _, name, *arguments = shlex.split(line)
        if name.startswith("-"):
            assert name in {"--help", "--version"}, line
        elif name == "help":
            assert help_asked_for([name, *arguments]), line
        elif name not in COMMANDS:
            pytest.fail(f"{line}: there is no such command")
        else:
            words = [EXAMPLES.get(argument, argument) for argument in arguments]
            try:
                parse(Command(name), words)
            except UsageError as error:
                pytest.fail(f"{line}: {error}")


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_options_exist(page: Path) -> None:
    named = {
        span.partition(" ")[0].partition("=")[0] for span in spans(page) if span.startswith("--")
    }
    declared = (option for command in COMMANDS for option in Command(command).declared())
    known = {"--version"} | {name for option in declared for name in option.names}
    assert named <= known


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", text(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        if linked.parent.name == "schemas":  # which the site makes
            assert linked.stem in schemas(), target
            continue
        assert linked.exists(), target
        if anchor:
            assert anchor in set(anchors(linked)), target


def anchors(page: Path) -> Iterator[str]:
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", text(page)), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_every_subcommand_is_documented() -> None:
    for name in COMMANDS:
        assert f"deltaadm {name}" in text(ROOT / "docs" / "guide.md"), name
        assert f"`{name}`" in text(ROOT / "CHANGELOG.md"), name


def test_every_developer_command_exists() -> None:
    described = runpy.run_path(str(ROOT / "dev.py"))["__doc__"]
    for page in PAGES:
        for name in re.findall(r"\bdev\.py ([\w-]+)", text(page)):
            assert f"dev.py {name} " in described, (page.name, name)


def test_changelog_says_what_is_unreleased() -> None:
    headings = re.findall(r"^## (.*)$", text(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"


@pytest.mark.parametrize(("page", "heading", "names"), [
    ("features", "\n## {}\n", FEATURES),
    ("clients", "\n## {}\n", CLIENTS),
    ("commands", "\n## deltaadm {}\n", COMMANDS),
    ("properties", "\n| `{}", [entry.key for entry in (*PROPERTIES.values(), *FOREIGN.values())]),
    ("rules", "\n### {}\n", [f"{rule.code} {rule.name}" for rule in choose_rules()]),
    ("json", "\n| [`{}`](schemas/", schemas()),
], ids=lambda value: value if isinstance(value, str) and value.isalpha() else "")  # fmt: skip
def test_lists_are_complete(page: str, heading: str, names: Iterable[str]) -> None:
    filled = text(ROOT / "docs" / f"{page}.md")
    assert [name for name in names if heading.format(name) not in filled] == []
    assert "<!-- deltaadm:" not in filled


def test_error_classes_of_errors_are_known() -> None:
    sources = "".join(map(text, (ROOT / "deltaadm").rglob("*.py")))
    named = re.findall(r'delta_error_class="([A-Z_]*[A-Z])[."]', sources)
    assert len(named) > 50
    assert set(named) <= set(error_classes())


def test_error_classes_can_be_looked_up() -> None:
    page = text(ROOT / "docs" / "troubleshooting.md")
    assert set(error_classes()) <= set(re.findall(r"\b[A-Z0-9_]+\b", page))


def test_no_list_is_committed() -> None:
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    marked = [name for page in pages for name in GENERATED["MARK"].findall(page)]
    assert sorted(marked) == sorted(GENERATED["LISTS"])
    written = "".join(pages)
    assert [name for name in choose_rules() if f"\n### {name.code} " in written] == []


@pytest.mark.parametrize("name", ["algebra", "e2e", "odd-logs"])
def test_what_delta_was_recorded_to_say_can_be_looked_up(name: str) -> None:
    page = text(ROOT / "docs" / "troubleshooting.md")
    names = {error["errorClass"].partition(".")[0] for error in recorded_errors(oracle.cases(name))}
    missing = {name for name in names if f"\n### {name}\n" not in page}
    assert names
    assert not missing


def recorded_errors(value: Any) -> Iterator[dict[str, Any]]:
    """Every error in what was recorded that has a class of Delta."""
    if isinstance(value, dict):
        if str(value.get("errorClass", "")).startswith("DELTA_"):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from recorded_errors(each)


def test_exit_codes_of_errors_are_documented() -> None:
    codes = {error.exit_code for error in (DeltaadmError, *DeltaadmError.__subclasses__())}
    page = text(ROOT / "docs" / "exit-codes.md")
    assert codes <= set(map(int, re.findall(r"^\| (\d+) \|", page, re.MULTILINE)))


# JSON


def fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """The names of all fields in a JSON schema."""
    for name, field in schema.get("properties", {}).items():
        yield name
        yield from fields(field)
    for part in (schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())):
        if isinstance(part, dict):
            yield from fields(part)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    log = tmp_path / "events" / "_delta_log"
    log.mkdir(parents=True)
    column = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    metadata = {
        "id": "test",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": [column]}),
        "partitionColumns": [],
        "configuration": {"delta.appendOnly": "true"},
    }
    actions = ({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata})
    lines = "\n".join(map(json.dumps, actions))
    (log / f"{0:020}.json").write_text(lines, encoding="utf-8")
    return tmp_path / "events"


@pytest.mark.parametrize("name", sorted({*schemas()} - {"baseline", "journal"}))
def test_every_json_field_is_documented(name: str) -> None:
    documented = set(re.findall(r"`([\w.\[\]]+)`", text(ROOT / "docs" / "json.md")))
    documented |= {name.rpartition(".")[2] for name in documented}
    documented |= {name.partition(".")[0] for name in documented}
    assert set(fields(schemas()[name])) <= documented


def test_python_example_runs(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [example] = [
        block for kind, block in FENCED.findall(text(ROOT / "README.md")) if kind == "python"
    ]
    exec(example.replace("/data/events", str(table)), {})  # noqa: S102 -- our own page
    assert "protocol.writerFeatures[rowTracking]" in capsys.readouterr().out


def test_every_cell_of_the_comparison_says_where_it_comes_from() -> None:
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    )
    assert "Databricks" in head
    sourced = re.compile(r"\(\*tried\*\)|\[[^\]]+\]\[\w+\]|\*not known\*|^Databricks$")
    for name, own, *others in rows:
        assert own, name
        assert all(sourced.search(cell) for cell in others), name


def test_every_family_of_rules_has_a_title() -> None:
    assert tuple(GENERATED["FAMILIES"]) == families()
