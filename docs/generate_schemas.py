# ruff: noqa: INP001 -- a script, not a package
"""Write docs/schemas: the JSON Schema of every document that deltaadm writes, a file each."""

from __future__ import annotations

import json
from pathlib import Path

from deltaadm.documents.schemas import SCHEMAS

PLACE = Path(__file__).parent / "schemas"


def main() -> None:
    """Write them all, and leave nothing else there."""
    PLACE.mkdir(exist_ok=True)
    for old in PLACE.glob("*.json"):
        old.unlink()
    for name, one in SCHEMAS.items():
        text = json.dumps(one, indent=2) + "\n"
        (PLACE / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
