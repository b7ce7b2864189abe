# ruff: noqa: INP001 -- a script, not a package
"""Print docs/notebook.ipynb with the outputs that its cells have now; the cells are its source."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "notebook.ipynb"

ID = "893fd8d7-86d7-436b-b4c7-296b52e739db"
STEADY = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), ID),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z"), "2026-11-22 10:00:00.000Z"),
    (re.compile(time.strftime("%Y-%m-%d", time.gmtime())), "2026-11-22"),
)  # fmt: skip
"""What differs from run to run, and what stands for it."""


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """*notebook* with the outputs of its cells, which run one after the other, in this process."""
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = list(outputs("".join(cell["source"]), names, count))
    return notebook


def outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line, as Jupyter keeps them."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 -- that is what notebooks are for
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    found = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": lines(value._repr_html_()), **data}
        found.append(
            {
                "data": data,
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def lines(text: str) -> list[str]:
    """*text* as notebooks have it, without what differs from run to run."""
    here = str(Path.cwd())
    text = text.replace(here, "/data")
    text = text.replace(re.sub(r"/(?=\w)", "/<wbr/>", here), "/<wbr/>data")
    for pattern, steady in STEADY:
        text = pattern.sub(steady, text)
    anchors = dict.fromkeys(re.findall(r"(?<=report-)[0-9a-f]{12}", text))
    for number, anchor in enumerate(anchors, 1):
        text = text.replace(anchor, f"{number:012x}")
    return text.splitlines(keepends=True)


def page() -> str:
    """The notebook, run in a directory of its own."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="notebook-") as directory:
        os.chdir(directory)
        try:
            executed(notebook)
        finally:
            os.chdir(before)
    return json.dumps(notebook, indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
