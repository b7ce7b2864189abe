# ruff: noqa: INP001 -- a script, not a package
"""
Build the site into build/site/, with warnings as errors, and check the links of what came out.

Its sources are copies of the pages in build/pages/, with the lists that `generate.py` makes.

Links inside the site must lead to a page and a place on it. Links elsewhere must be well formed
and are not followed. Nothing that a page loads may come from elsewhere.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
OPTIONS = ("--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--jobs", "auto")

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
"""Elements, with the attribute that names what a browser loads for them."""


class Page(HTMLParser):
    """The places on a page, what it links to and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = {"", "top"}
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element is good for."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif (tag, name) in LOADED and value:
                self.loads.add(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.add(value)


def main() -> int:
    """Build, check, and answer with an exit code."""
    from sphinx.cmd.build import main as sphinx

    write_pages(PAGES)
    arguments = ("-b", "html", "-c", ROOT / "docs", "-d", ROOT / "build" / "doctrees")
    if sphinx([*map(str, arguments), *OPTIONS, str(PAGES), str(SITE)]) != 0:
        return 1
    wrong = sorted(set(problems(SITE)))
    print("\n".join(wrong), end="\n" if wrong else "")  # noqa: T201 -- for whoever builds it
    return 1 if wrong else 0


def write_pages(directory: Path) -> None:
    """Write every page with its lists into *directory*, and what pages link to beside them."""
    from generate import filled, schemas

    shutil.rmtree(directory, ignore_errors=True)
    git = ("git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(git, check=True, capture_output=True, text=True).stdout  # noqa: S603
    for name in filter(None, names.split("\0")):
        source, target = ROOT / name, directory / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(filled(source.read_text(encoding="utf-8")), encoding="utf-8")
        elif not name.startswith(("tests/", "deltaadm/")):
            shutil.copyfile(source, target)
    schemas(directory / "docs" / "schemas")


def problems(site: Path) -> Iterator[str]:
    """What is wrong with the links of a site."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.loads | page.links:
            wrong = outside(link, loaded=link in page.loads)
            if wrong is None:
                wrong = inside(link, path, pages)
            if wrong:
                yield f"{path.relative_to(site)}: {link} {wrong}"


def outside(link: str, *, loaded: bool) -> str | None:
    """What is wrong with a link that leaves the site; None if it does not."""
    try:
        parts = urlsplit(link)
    except ValueError as error:
        return f"is no address: {error}"
    if not parts.scheme and not parts.netloc:
        return None
    if loaded:
        return "" if parts.scheme == "data" else "is loaded from elsewhere"
    well = parts.scheme == "mailto" or (parts.scheme in {"http", "https"} and parts.hostname)
    return "" if well and " " not in link else "is no address"


def inside(link: str, path: Path, pages: dict[Path, Page]) -> str:
    """What is wrong with a link from the page at *path* to the site."""
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return "leads nowhere"
    known = target not in pages or unquote(parts.fragment) in pages[target].places
    return "" if known else "is no place on that page"


if __name__ == "__main__":
    sys.exit(main())
