"""What the pages for programs show can be done, and gives what they say."""

import ast
import json
import re
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
    assert "To apply anyway: apply(..., allow_backfill=True)." in out
    assert "(1,)" in out
    assert len(blocks) >= 5


def test_the_notebook_runs_and_shows_pages() -> None:
    notebook = json.loads((ROOT / "docs/notebook.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    pages = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []  # they are made where it runs
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 -- our own page
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
            pages += 'class="deltaadm"' in getattr(value, "_repr_html_", str)()
    assert pages >= 3
