"""What tests of several formats need."""

import json
import lzma
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

SARIF = Path(__file__).parent.parent / "data" / "sarif" / "sarif-schema-2.1.0.json.xz"


@pytest.fixture(scope="session")
def sarif_validator() -> Draft7Validator:
    """Judges whether a document is SARIF 2.1.0, by the published schema."""
    return Draft7Validator(json.loads(lzma.decompress(SARIF.read_bytes())))
