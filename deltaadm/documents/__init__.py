"""The JSON documents that deltaadm writes and reads: a module each, with writer and schema."""

from __future__ import annotations

from deltaadm.imports import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def document(report: Any) -> dict[str, Any]:
    """
    The JSON document of a report; docs/json.md describes them.

    Its attribute `document` names the module, which is imported only then.
    """
    module = import_module(f"{__name__}.{report.document}")
    written: dict[str, Any] = module.DOCUMENT.write(report)
    return written
