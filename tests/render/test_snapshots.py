"""Sample reports in each format, as they were when somebody last looked at them."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import deltaadm
from deltaadm import __version__
from deltaadm.domain.features import FEATURES
from deltaadm.formats import FORMATS, Style, formats_for, render
from deltaadm.reports.catalogues import FeatureCatalogue
from tests.support.samples import GROUPS

FORMATS_HOME = Path(deltaadm.__file__).parent / "formats"
ENOUGH: dict[str, dict[str, Sequence[int]]] = {
    "json": {"uses": [0, 1], "plans": [0, 3, 4], "plans with findings": [1],
             "plans for clients": [0]},
    "markdown": {"validations": [0, 3], "inspections": [0, 1], "plans with findings": [1]},
    "yaml": {"validations": [2], "histories": [2]},
    "jsonl": {"validations": range(4)},
    "name": {"validations": range(4)},
}  # fmt: skip
"""
The samples, by their places in a group, that go every way through a writer.

Of other groups JSON is kept whole, and what follows it here not at all: a page of Markdown has the
blocks of one of HTML, and the other three have the documents of JSON or less.
"""

PAGES_LIKE_OTHERS = {
    "engine message", "feature", "other provider altered", "plans for clients", "writers",
}  # fmt: skip
"""The groups whose pages have the blocks of others, with what text shows of them."""

TELLING: dict[str, Sequence[str]] = {
    "plans with findings": ["findings", "changes"],
    "plans for clients": ["clients", "goals", "unreachable", "losses", "changes"],
    "saved plans": ["status", "file", "plans"],
    "other provider altered": ["before", "steps", "statements", "outcome"],
}
"""What documents of these groups say that no other group shows."""

CASES = [
    pytest.param(name, group, id=f"{group}-{name}")
    for group, samples in GROUPS.items()
    for name in formats_for(samples.kind)
    if name == "json" or group in ENOUGH.get(name, GROUPS)
    if name != "html" or group not in PAGES_LIKE_OTHERS
]


WIDTH = 120
"""How wide JSON in a snapshot may be."""


def shown(name: str, group: str, path: Path, color: str = "never") -> str:
    out = StringIO()
    reports = list(GROUPS[group].make(path))
    numbers = ENOUGH.get(name, {}).get(group, range(len(reports)))
    chosen = [reports[number] for number in numbers]
    fitting = [report for report in chosen if FORMATS[name].shows(type(report).__name__)]
    render(name, fitting, out, Style(color=color, width=100))
    return out.getvalue().replace(__version__, "VERSION")


def written(name: str, group: str, text: str) -> str:
    """*text* as a snapshot has it: JSON in fewer lines, and the styles of a page only once."""
    if name in {"json", "sarif", "gitlab"}:
        document = json.loads(text)
        assert text == json.dumps(document, indent=2) + "\n"
        if name == "json":
            several = isinstance(document, list)
            chosen = [
                {key: each[key] for key in TELLING.get(group, each) if key in each}
                for each in map(shortened, document if several else [document])
            ]
            document = chosen if several else chosen[0]
        return flowing(document)
    if name == "html":
        for file in ("page.css", "page.js"):  # which are files of their own
            text = text.replace((FORMATS_HOME / file).read_text(encoding="utf-8"), f"{file}\n")
        return text if group == "validations" else text[text.index("</head>") :]
    return text


def shortened(value: Any) -> Any:
    """A part of a document with the first object of each list; text shows what the others say."""
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict):
        return [shortened(value[0]), f"{len(value) - 1} more"]
    return [shortened(part) for part in value] if isinstance(value, list) else value


def flowing(
    value: Any, indent: str = "", seen: dict[str, str] | None = None, path: str = "$"
) -> str:
    """JSON with as much on each line as fits there; what is long and known names its place."""
    seen = {} if seen is None else seen
    line = json.dumps(value)
    if len(indent + line) <= WIDTH or not isinstance(value, dict | list):
        return line
    if line in seen:
        return f"(as {seen[line]})"
    seen[line] = path
    deeper = f"{indent}  "
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key)}: {flowing(part, deeper, seen, f'{path}.{key}')}"
            for key, part in value.items()
        ]
    else:
        parts = [flowing(part, deeper, seen, f"{path}[{n}]") for n, part in enumerate(value)]
    lines = [parts[0]]
    for part in parts[1:]:
        if "{" in part + lines[-1] or len(f"{deeper}{lines[-1]}, {part}") > WIDTH:
            lines.append(part)
        else:
            lines[-1] += f", {part}"
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n{deeper}" + f",\n{deeper}".join(lines) + f"\n{indent}{end}"


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize(("name", "group"), CASES)
def test_output_is_as_it_was(
    name: str, group: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert written(name, group, shown(name, group, tmp_path)) == snapshot


@pytest.mark.parametrize("width", [100, 60, 40])
def test_narrow_terminals_show_columns_as_before(width: int, snapshot: SnapshotAssertion) -> None:
    names = ("appendOnly", "catalogOwned-preview", "columnMapping", "deletionVectors")
    out = StringIO()
    catalogue = FeatureCatalogue(tuple(FEATURES[name] for name in names))
    render("text", [catalogue], out, Style(color="never", width=width))
    assert out.getvalue() == snapshot


@pytest.mark.parametrize("group", ["validations", "plans"])
def test_coloured_text_is_as_it_was(
    group: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert shown("text", group, tmp_path, color="always") == snapshot
