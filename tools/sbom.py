#!/usr/bin/env python3
"""
Print the software bill of materials of a lock, in CycloneDX's JSON.

    python3 tools/sbom.py requirements.lock > sbom.json
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sbom(lock: str, version: str) -> dict[str, object]:
    """What `deltaadm` of this *version* takes, at the versions and with the hashes of *lock*."""
    components = [
        {
            "type": "library",
            "name": name,
            "version": release,
            "purl": f"pkg:pypi/{name}@{release}",
            "hashes": [
                {"alg": "SHA-256", "content": digest}
                for digest in re.findall(r"--hash=sha256:(\w+)", rest)
            ],
        }
        for name, release, rest in re.findall(
            r"^([\w.-]+)==([^\s;]+)(.*(?:\n[ ]+.*)*)", lock, re.MULTILINE
        )
    ]
    program = {"type": "application", "name": "deltaadm", "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program | {"purl": f"pkg:pypi/deltaadm@{version}"}},
        "components": components,
    }


if __name__ == "__main__":
    found = re.search(
        r'^__version__ = "(.+)"', (ROOT / "deltaadm" / "__init__.py").read_text(), re.MULTILINE
    )
    assert found
    json.dump(sbom(Path(sys.argv[1]).read_text(), found[1]), sys.stdout, indent=2)
