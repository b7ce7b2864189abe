"""The texts that users read are plain English: none has a turn that must be read twice."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "deltaadm"

BANNED = {
    "say requires": r"\btakes (more|no|several|some time|spark|two|the feature|a change)\b",
    "say accepts or reads": r"\b(Delta|Delta Spark|that it|which it) takes\b",
    "say for example": r"\bsuch as\b",
    "say is not a": r"(?<!here )\b(is|are) no (?!longer\b|more\b|other\b)[a-zA-Z]",
    "say if": (
        r"(?:^|[.;:] )Where (?!to\b|is\b|are\b|it comes)[a-z][^?]*$"
        r"|, where (it|they|the|there|that|nothing|one) "
    ),
    "say which": r"\bof which\b|\bof whose\b|\bof whom\b",
    "begin with the subject": (
        r"(?:^|[.;:] )(Of|To|By|With) what\b|[.;:] Of [a-z]"
        r"|(?:^|[.;] )(Who|Whoever|who|whoever) [^?]*$"
    ),
    "say in which state it is": r"\bbe being\b",
    "put the command in backticks": r": deltaadm [a-z-]+ [-A-Z][^`]*\.$",
    "put TABLE first": r"deltaadm [a-z-]+ -[^`]* TABLE\b|`deltaadm history` lists",
    "say that it matters not": r"\bof no account\b|\bis no secret\b",
}


def shown(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that users may see: no docstrings but those of rules and commands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        elif isinstance(node, ast.FunctionDef) and path.parent.name == "rules":
            if any(isinstance(each, ast.Call) for each in node.decorator_list):
                yield node.lineno, " ".join((ast.get_docstring(node) or "").split())
        elif isinstance(node, ast.ClassDef) and path.parent.name == "commands":
            yield node.lineno, " ".join((ast.get_docstring(node) or "").split())
        elif isinstance(node, ast.JoinedStr):
            silent.update(map(id, node.values))
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.lineno, node.value


def paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    """What a page says, without its code; of the changelog, what is not released yet."""
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = "\n## ".join(text.split("\n## ")[:2])
    text = re.sub(r"(?ms)^```.*?^```$", lambda code: "\n" * code[0].count("\n"), text)
    line = 1
    for part in re.split(r"(\n\s*\n|\n(?=\s*[-|#>] ?))", text):
        yield line, " ".join(part.split())
        line += part.count("\n")


PAGES = [*ROOT.glob("docs/*.md"), *(ROOT / name for name in ("README.md", "CHANGELOG.md"))]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.txt"), *PAGES])
}


QUOTED = {"needs to be provided as a calendar interval such as"}
"""What Delta says itself."""


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_has_to_be_read_twice(name: str) -> None:
    path = TEXTS[name]
    if path.suffix == ".txt":
        texts = list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    else:
        texts = list(shown(path) if path.suffix == ".py" else paragraphs(path))
    found = [
        f"{name}:{line}: {advice}: {text}"
        for line, text in texts
        if " " in text and not any(words in text for words in QUOTED)
        for advice, pattern in BANNED.items()
        if re.search(pattern, text)
    ]
    assert found == []
