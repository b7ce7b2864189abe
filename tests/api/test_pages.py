"""What the pages for programs show can be done, and gives what they say."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    monkeypatch.chdir(tmp_path)


def test_the_page_on_python_can_be_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deltalake.write_deltalake(tmp_path / "events", pa.table({"id": [1]}))
    names: dict[str, object] = {}
    blocks = BLOCK.findall((ROOT / "docs/python.md").read_text(encoding="utf-8"))
    for block in blocks:
        code = compile(block.replace("/data/", f"{tmp_path}/"), "docs/python.md", "exec")
        if "spark" not in block:  # which takes a session, and stores that are not there
            exec(code, names)  # noqa: S102 -- our own page
    out = capsys.readouterr().out
    assert "Agree to it: allow_backfill=True." in out
    assert "(1,)" in out
    assert len(blocks) >= 5


def test_the_notebook_runs_and_shows_what_it_gives() -> None:
    committed = json.loads((ROOT / "docs/notebook.ipynb").read_text(encoding="utf-8"))
    generator = runpy.run_path(str(ROOT / "docs/generate_notebook.py"))
    assert texts(json.loads(generator["page"]())) == texts(committed)
    pages = [
        "".join(output["data"]["text/html"])
        for cell in committed["cells"]
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert len(pages) >= 3
    assert all('class="deltaadm"' in page for page in pages)


def texts(notebook: dict[str, list[dict[str, list[dict[str, object]]]]]) -> list[object]:
    """What each cell says in words; `dev.py docs` renews the pages beside them."""
    return [
        output.get("text") or output["data"]["text/plain"]  # type: ignore[index]
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
    ]
