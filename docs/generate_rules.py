# ruff: noqa: INP001 -- a script, not a package
"""Print docs/rules.md: every rule of `validate` with its documentation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.operations.explain import FAMILIES, list_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.validation.rule import Rule, Scope

INTRODUCTION = """\
# Rules

<!-- Written by `python3 dev.py docs` from deltaadm/validation/rules/; do not edit. -->

Everything that `validate` looks for. `deltaadm rules` prints the same list,
`deltaadm explain DL101` one rule, and `-o json` gives both to programs. A rule can be named by
its code or its name, and a family by the beginning of its codes:
`deltaadm validate events --select DL4`.

An *error* is something that the protocol forbids or that Delta refuses, a *warning* is allowed and
likely to hurt, and *info* needs no action. A single finding may be more or less severe than its
rule, where the documentation says so.

*Looks at* says what a rule is given, and with that how far `validate` must look for it:

| looks at | when |
|---|---|
| log, snapshot, file, checksum, policy | always |
| checkpoint, compaction | always; completely with `--deep` |
| commit | the commits that make the newest version; with `--history` all that are still there |
| deep | with `--deep`: the data files themselves |
| cross-check | with `--cross-check` |
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for prefix, title in FAMILIES.items():
        rules = list_rules([prefix]).rules
        parts += [f"## {prefix}xx: {title}\n", "\n".join(_table(rules)), *map(_section, rules)]
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _table(rules: tuple[Rule, ...]) -> Iterator[str]:
    yield "| code | name | severity | looks at |"
    yield "|---|---|---|---|"
    for one in rules:
        link = f"[{one.code}](#{one.code.lower()}-{one.name})"
        yield f"| {link} | {one.name} | {one.severity.value} | {looks_at(one.scope)} |"


def looks_at(scope: Scope) -> str:
    """The scope in the words of this page."""
    return scope.name.lower().replace("_", "-")


def _section(rule: Rule) -> str:
    return f"### {rule.code} {rule.name}\n\n{rule.doc}\n"


if __name__ == "__main__":
    sys.stdout.write(page())
