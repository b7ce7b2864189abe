# ruff: noqa: INP001 -- Sphinx's configuration, not a package
"""
How Sphinx makes the site: `python3 dev.py site`.

The pages are plain Markdown whose links also work on a forge, so the sources begin at the root of
the repository. What is in the navigation stands as a list of links in index.md, and there alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "deltaadm"
copyright = "the authors of deltaadm"  # noqa: A001 -- the name that Sphinx reads
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**.md", "benchmarks/*.md", "*.md"]
html_use_index = False
suppress_warnings = ["toc.not_included", "myst.header"]  # some headings of benchmarks skip a level

myst_heading_anchors = 4
myst_enable_extensions = ["strikethrough"]

html_theme = "furo"
html_title = "deltaadm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra/index.html"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_permalinks_icon = "#"
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "github-dark"

_SECTION = re.compile(r"^## (.*)\n((?:.*\n)*?)(?=^## |\Z)", re.MULTILINE)
_ENTRY = re.compile(r"^- \[(.*?)\]\((.*?)\.md\)", re.MULTILINE)


def navigation(text: str) -> str:
    """The tables of contents that the lists on the first page stand for."""
    return "\n".join(
        "\n".join((
            "```{toctree}",
            ":hidden:",
            f":caption: {title}",
            "",
            *(f"{name} <{target}>" for name, target in _ENTRY.findall(section)),
            "```",
        ))
        for title, section in _SECTION.findall(text)
    )  # fmt: skip


def _add_navigation(_: Sphinx, page: str, source: list[str]) -> None:
    if page == root_doc:
        source[0] += f"\n\n{navigation(source[0])}\n"


def setup(app: Sphinx) -> None:
    """Connect the navigation."""
    app.connect("source-read", _add_navigation)
