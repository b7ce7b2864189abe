"""The map of Delta's own systems has no hole, and every place on it exists."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import document

PAGE = Path(__file__).parent.parent / "docs" / "system-map.md"


ITEMS = json.loads((Path(__file__).parent / "data/system_map.json").read_text("utf-8"))
"""Every item that a description heads, signs or, within its own classes, relies on."""


def _rows() -> list[tuple[frozenset[str], str, str]]:
    found = []
    documents: frozenset[str] = frozenset()
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            documents = frozenset(re.findall(r"`([\w-]+\.txt)`", line))
        row = re.match(r"\| ([^|`]+) \| `([^`|]+)` \| ", line)
        if row:
            found.append((documents, row[1], row[2]))
    return found


ROWS = _rows()


def _resolve(place: str) -> Any:
    """What a dotted path names; `[key]` at its end looks into a mapping."""
    path, _, key = place.removesuffix("]").partition("[")
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found[key] if key else found
    raise LookupError(place)


@pytest.mark.parametrize("place", sorted({place for _, _, place in ROWS}))
def test_every_place_exists(place: str):
    assert place.startswith("deltaadm.")
    assert _resolve(place) is not None


@pytest.mark.parametrize("name", ITEMS)
def test_the_map_has_no_hole(name: str):
    assert {item for documents, item, _ in ROWS if name in documents} == set(ITEMS[name])


def test_no_item_is_on_the_map_twice():
    assert len(ROWS) == len({(documents, item) for documents, item, _ in ROWS})
    assert len(ROWS) == 16 + 28 + 28 + 19


CAMEL = re.compile(r"(?<!^)(?=[A-Z])")


@pytest.mark.parametrize(
    ("item", "place"),
    [(item, place) for _, item, place in ROWS if re.fullmatch(r"[a-z]+([A-Z]\w+)?", item)],
)
def test_a_counterpart_has_the_name_in_python_spelling(item: str, place: str):
    renamed = {
        "json": "to_json", "getPhysicalName": "physical_name",
        "getColumnMappingMetadata": "column_mapping_metadata",
        "satisfyColumnMappingProtocol": "satisfies_column_mapping_protocol",
        "supportedProtocolVersion": "supported_protocol", "alterTable": "plan_changes",
        "createTable": "after", "createDeltaTable": "plan_create", "stageCreate": "CREATE",
        "stageCreateOrReplace": "CREATE_OR_REPLACE", "stageReplace": "REPLACE",
    }  # fmt: skip
    name = renamed.get(item) or CAMEL.sub("_", item).lower()
    assert place.rsplit(".", 1)[1] == name


@pytest.mark.parametrize("name", ITEMS)
def test_the_items_are_those_of_the_document(name: str):
    text = document(name)
    headings = re.findall(r"^(.+)¶$", text, re.MULTILINE)
    headings += [
        re.sub(r"<[^>]*>|\{[^}]*\}", "", line).strip()
        for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    ]
    signatures = re.findall(r"^(\w+)\($", text, re.MULTILINE)
    signatures += re.findall(r"^(\w+): \w+\[\w+\]$", text, re.MULTILINE)
    anchors = re.findall(r'<span id="(\w+)">', text)
    assert len(headings) > 7
    assert signatures
    demonstrated = {"assert"}
    assert {*headings, *signatures, *anchors} - demonstrated <= set(ITEMS[name])


def test_every_item_is_in_a_document():
    texts = {name: document(name) for name in ITEMS}
    for name, items in ITEMS.items():
        text = texts[name] if not name.startswith("protocol") else "\n".join(texts.values())
        absent = [item for item in items if item not in text and not _is_field(item)]
        assert absent == [], name


def _is_field(item: str) -> bool:
    """Fields that the description of `Protocol` tells in words."""
    return item in {"readerFeatures", "writerFeatures"}
