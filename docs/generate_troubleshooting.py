# ruff: noqa: INP001 -- a script, not a package
"""
Print docs/troubleshooting.md: Delta's error classes, with what they say and mean, and what helps.

The messages are those of `error/delta-error-classes.json` in the jar of Delta Spark 4.4.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.operations.error_classes import ERROR_CLASSES
from deltaadm.operations.error_families import ERROR_FAMILIES
from deltaadm.operations.explain import rules_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deltaadm.operations.error_classes import ErrorClass
    from deltaadm.validation.rule import Rule

INTRODUCTION = """\
# Troubleshooting by error message

<!-- Written by `python3 dev.py docs` from deltaadm/operations/error_classes.py; do not edit. -->

Search this page for the name in brackets at the beginning of Delta's message, such as
`DELTA_UNSUPPORTED_FEATURES_FOR_READ`, or for words of the message; names in angle brackets stand
for what differs from case to case. The same is at hand in a terminal, where a whole message can be
pasted:

```console
$ deltaadm explain DELTA_UNSUPPORTED_FEATURES_FOR_READ
$ deltaadm explain '[DELTA_TRUNCATED_TRANSACTION_LOG] Unable to reconstruct state'
```

The messages are those of Delta Spark 4.4. None of the commands named here changes a table: those
that could show a plan first.
"""

MESSAGES: Final[dict[str, str]] = json.loads(
    Path(__file__).with_name("delta-error-messages.json").read_text(encoding="utf-8")
)

LOOKING: Final = ("doctor", "drop-feature", "history", "inspect", "upgrade-protocol", "validate")
"""Subcommands that say something about a table without further arguments."""


def page() -> str:
    """The page."""
    in_families = {name for family in ERROR_FAMILIES for name in family.names}
    single = [each for name, each in ERROR_CLASSES.items() if name not in in_families]
    sections = [INTRODUCTION, "## Of Delta, one by one\n"]
    sections += [_entry(each) for each in single if each.name in MESSAGES]
    sections.append("## Of Spark, met by statements on Delta tables\n")
    sections += [_entry(each) for each in single if each.name not in MESSAGES]
    sections.append("## Of Delta, in families\n")
    for family in ERROR_FAMILIES:
        sections.append(f"### {family.meaning.rstrip('.')}\n")
        sections.append(_help(family.commands, ()))
        sections += [_message(name, named=True) for name in sorted(family.names)]
    return "\n".join(filter(None, sections))


def _entry(error_class: ErrorClass) -> str:
    parts = (
        f"### {error_class.name}\n",
        _message(error_class.name),
        f"{error_class.meaning}\n",
        _help(error_class.commands, rules_on(error_class)),
    )
    return "\n".join(filter(None, parts))


def _message(name: str, *, named: bool = False) -> str:
    lines = list(_lines(name))
    if named and not lines:
        lines = [f"[{name}]"]
    return "```text\n" + "\n".join(lines) + "\n```\n" if lines else ""


def _lines(name: str) -> Iterator[str]:
    for each, text in MESSAGES.items():
        if each == name or each.startswith(f"{name}."):
            yield f"[{each}] {text}"


def _help(commands: Sequence[str], rules: Sequence[Rule]) -> str:
    said = []
    if commands:
        said.append("What helps: " + ", ".join(map(_command, commands)) + ".")
    if rules:
        links = (f"[{one.code}](rules.md#{one.code.lower()}-{one.name})" for one in rules)
        said.append("Rules that find its causes: " + ", ".join(links) + ".")
    return "\n".join(said) + "\n" if said else ""


def _command(name: str) -> str:
    line = f"deltaadm {name} TABLE" if name in LOOKING else f"deltaadm {name}"
    return f"[`{line}`](commands.md#deltaadm-{name})"


if __name__ == "__main__":
    sys.stdout.write(page())
