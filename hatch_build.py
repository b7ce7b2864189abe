"""What a build adds: man pages, and the metadata that depends on where the repository is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "DELTAADM_REPOSITORY"
"""The URL of the repository, such as https://github.com/owner/deltaadm; without it links stay."""


class CustomBuildHook(BuildHookInterface[Any]):
    """The man pages, which the program writes from what its help is made of."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them, and put them into the wheel."""
        del version
        directory = Path(self.root) / "build" / "man"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        command = [sys.executable, "-m", "deltaadm.cli.help", str(directory)]
        subprocess.run(command, check=True, cwd=self.root)  # noqa: S603
        build_data["shared_data"][str(directory)] = "share/man/man1"


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
