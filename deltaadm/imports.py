"""Importing a module by its name."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def import_module(name: str) -> Any:
    """
    The module called *name* in full.

    The standard library's function of this name does the same, but to import `importlib`, which
    imports `warnings`, takes a hundredth of the instructions of `inspect` on ten commits.
    """
    __import__(name)
    return sys.modules[name]
