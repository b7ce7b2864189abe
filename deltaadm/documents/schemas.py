"""The JSON Schemas of the documents that deltaadm writes and reads."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

from deltaadm import documents
from deltaadm.documents.common import FORMAT_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.documents.common import Document
    from deltaadm.domain.model.json_values import Schema


def _documents() -> Iterator[tuple[str, Document]]:
    for name in sorted(module.name for module in iter_modules(documents.__path__)):
        module = import_module(f"{documents.__name__}.{name}")
        if hasattr(module, "DOCUMENT"):
            yield name.replace("_", "-"), module.DOCUMENT


SCHEMAS: Final[dict[str, Schema]] = {
    name: {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deltaadm:{name}:{FORMAT_VERSION}",
        "title": kind.title,
        **kind.schema,
    }
    for name, kind in _documents()
}
"""The schema of each kind of document, by its name."""
