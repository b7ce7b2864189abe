"""The code base keeps its own rules."""

import ast
import inspect
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

import deltaadm
from deltaadm.cli.table import COMMANDS, Command
from tests.support.cases import each

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "deltaadm").rglob("*.py"))


def tracked_files() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in names.decode().split("\0") if name and (ROOT / name).is_file()]


def test_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


@each("module", [(str(module.relative_to(ROOT)), module) for module in MODULES])
def test_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@each("path", [f"{path}" for path in sorted(ROOT.glob("tools/*.py"))])
def test_what_only_developers_run_can_be_imported(path: str) -> None:
    import_module(f"tools.{Path(path).stem}")


@each("name", deltaadm.__all__)
def test_public_name_resolves(name: str) -> None:
    found = getattr(deltaadm, name)
    assert name in dir(deltaadm)
    assert inspect.getdoc(found) or not callable(found)


def test_type_checkers_know_the_public_names() -> None:
    stub = ast.parse((ROOT / "deltaadm/__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    known = {alias.asname: node.module for node in imports for alias in node.names}
    assert known == deltaadm._PLACES  # noqa: SLF001


def test_public_names_are_documented() -> None:
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert [name for name in deltaadm.__all__ if f"`{name}`" not in page] == []


def test_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = deltaadm.no_such_name


@pytest.mark.parametrize("name", COMMANDS)
def test_subcommand_explains_itself(name: str) -> None:
    assert (Command(name).parameters.__doc__ or "").strip()


def test_licence_is_apache_2() -> None:
    lines = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n")
    assert [line.strip() for line in lines[1:3]] == ["Apache License", "Version 2.0, January 2004"]
    assert "END OF TERMS AND CONDITIONS" in "\n".join(lines)


REGISTRIES = re.compile(
    r"pypi[.]org|pythonhosted[.]org|repo1?[.]maven|maven[.]org|npmjs[.]|golang[.]org|crates[.]io"
)
MACHINE_PATHS = re.compile(r"(?<![\w.*}])/(?:work|root|home|Users)\b")


def test_no_file_depends_on_one_machine_or_registry() -> None:
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(lines, 1)
            if REGISTRIES.search(line) or MACHINE_PATHS.search(line)
        ]
    assert found == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports within functions and for type checkers count as well."""
    graph = grimp.build_graph("deltaadm", cache_dir=None, exclude_type_checking_imports=False)
    above = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(above).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


MUTATORS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem"}
    | {"popleft", "remove", "set", "setdefault", "update"}
)
"""Methods that change what they are called on."""

FILLED_AT_IMPORT = {
    "deltaadm/domain/wire.py: cls.ENTRIES": "an action's entries are made with its class",
    "deltaadm/runs/declare.py: cls.fields": "a class of parameters is described as it is made",
    "deltaadm/dataclass.py: self.__class__.__init__": "compiled once there are many instances",
    "deltaadm/rules/rule.py: RULES": "rules register as their modules are imported",
}
"""What is written to by functions, and yet is the same in every run."""

BOUND_TO_A_BLOCK = {
    "deltaadm/runs/output.py: _ERASER": "what is drawn on the terminal is there for a block",
    "deltaadm/runs/output.py: _MESSAGES": "whatever shows a message asks how",
}


def test_no_state_of_a_run_is_kept_in_modules_or_classes() -> None:
    """Whatever changes during a run is passed on, so that runs in one process are strangers."""
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in MODULES
        for name in shared_state(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == FILLED_AT_IMPORT.keys() | BOUND_TO_A_BLOCK.keys()


@pytest.mark.parametrize(("body", "names"), [
    ("seen = {}\ndef f(x):\n    seen[x] = 1", {"seen"}),
    ("seen = []\ndef f(x):\n    seen.append(x)", {"seen"}),
    ("last = None\ndef f(x):\n    global last\n    last = x", {"last"}),
    ("class A:\n    last = None\ndef f(x):\n    A.last = x", {"A.last"}),
    ("class A:\n    seen = {}\ndef f(x):\n    A.seen |= x", {"A.seen"}),
    ("class A:\n    last = None\n    def f(self):\n        type(self).last = 1", {"last"}),
    ("class A:\n    @classmethod\n    def f(cls):\n        cls.last = 1", {"cls.last"}),
    ("from deltaadm.x import A\ndef f(x):\n    a, A.last = x", {"A.last"}),
    ("seen = {}\ndef f(x):\n    seen = {}\n    seen[x] = 1", set()),
    ("class A:\n    def f(self):\n        self.last = 1", set()),
    ("import os\ndef f(x):\n    os.environ[x] = '1'", set()),
])  # fmt: skip
def test_state_that_is_kept_is_found(body: str, names: set[str]) -> None:
    assert set(shared_state(ast.parse(body))) == names


def shared_state(module: ast.Module) -> Iterator[str]:
    """The globals and attributes of classes that the functions of *module* assign to or change."""
    shared = set(_bound_by(module.body))
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef):
            local = set(_bound_within(function))
            for node in ast.walk(function):
                if isinstance(node, ast.Global):
                    yield from node.names
                for changed in _changed(node):
                    if _is_shared(changed, shared - local):
                        yield _text(changed)


def _bound_by(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names of variables, classes and what is imported from deltaadm at the top of a module."""
    for statement in statements:
        match statement:
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign() | ast.AnnAssign():
                yield from (
                    node.id
                    for node in ast.walk(statement)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                )
            case ast.ImportFrom(module=str(module)) if module.startswith("deltaadm"):
                yield from (alias.asname or alias.name for alias in statement.names)


def _bound_within(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg) and node.arg != "cls":
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement or a call changes: the whole of `a.b[c]` where it assigns to that."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                yield from target.elts if isinstance(target, ast.Tuple) else [target]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield target
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in MUTATORS:
            yield ast.Subscript(value, ast.Constant(None))


def _is_shared(changed: ast.expr, shared: set[str]) -> bool:
    if not isinstance(changed, ast.Attribute | ast.Subscript):
        return False
    inner: ast.expr = changed
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Attribute) and inner.attr == "__class__":
            return True
        inner = inner.value
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
        return inner.func.id == "type"
    return isinstance(inner, ast.Name) and inner.id in {"cls", *shared}


def _text(changed: ast.expr) -> str:
    while isinstance(changed, ast.Subscript):
        changed = changed.value
    if isinstance(changed, ast.Attribute) and isinstance(changed.value, ast.Call):
        return changed.attr
    return ast.unparse(changed)
