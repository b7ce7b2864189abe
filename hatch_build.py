"""The metadata that depends on where the repository is, which a release says by a variable."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "DELTAADM_REPOSITORY"
"""The URL of the repository, such as https://github.com/owner/deltaadm; without it links stay."""


class CustomMetadataHook(MetadataHookInterface):
    """The readme, whose links lead to the repository, and the links beside it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add what `dynamic` in pyproject.toml promises."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        url = os.environ.get(VARIABLE, "").rstrip("/")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, url, metadata["version"]) if url else text,
        }
        metadata["urls"] = {} if not url else {
            "Repository": url,
            "Changelog": f"{url}/blob/main/CHANGELOG.md",
            "Issues": f"{url}/issues",
        }  # fmt: skip


def absolute(text: str, url: str, version: str) -> str:
    """*text* with links to files of the release, and pictures as they are in it."""

    def link(found: re.Match[str]) -> str:
        picture, label, place = found.groups()
        if re.match(r"[a-z]+:|#", place):
            return found[0]
        return f"{picture}[{label}]({url}/{'raw' if picture else 'blob'}/v{version}/{place})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text)
