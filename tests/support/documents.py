"""The reference documents that lie next to the repository, where they are present."""

import os
from pathlib import Path

import pytest

from tests.support.oracle import REPOSITORY


def document(name: str, directory: str = "system") -> str:
    """One document of *directory*; skips the test, with the reason, where there is none."""
    shared = Path(os.environ.get("DELTAADM_SHARED") or REPOSITORY.parent / "shared")
    path = shared / directory / name
    if not path.is_file():
        pytest.skip(f"no {path}: set DELTAADM_SHARED to where the documents are")
    return path.read_text(encoding="utf-8")
