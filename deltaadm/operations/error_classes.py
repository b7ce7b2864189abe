"""What Delta's error classes mean, and which command of deltaadm concerns them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class ErrorClass(NamedTuple):
    """An error class: its meaning, and the subcommands that explain or avoid it."""

    name: str
    meaning: str
    commands: tuple[str, ...]


@cache
def error_classes() -> Mapping[str, ErrorClass]:
    """
    The classes by their names, in alphabetical order; `CLASS.SUB` is explained as its class.

    `error_classes.txt` has for each its name, subcommands after a colon, and indented its meaning.
    """
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    found = {}
    for entry in re.split(r"\n(?=\w)", re.sub(r"(?m)^(#.*)?\n", "", text)):
        title, *meaning = map(str.strip, entry.splitlines())
        name, _, commands = title.partition(":")
        found[name] = ErrorClass(name, " ".join(meaning), tuple(re.findall(r"[\w-]+", commands)))
    return dict(sorted(found.items()))
