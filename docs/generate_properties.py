# ruff: noqa: INP001 -- a script, not a package
"""Print docs/properties.md: which engine knows which table property, and who says so."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.domain.model.foreign_properties import FOREIGN
from deltaadm.domain.model.properties import PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Iterator

INTRODUCTION = """\
# Table properties

<!-- Written by `python3 dev.py docs` from deltaadm/domain/; do not edit. -->

Keys that begin with `delta.` are reserved. Delta Spark refuses to set one that it does not know,
and a value that it does not take; other engines know more of both. `validate` distinguishes them: a
key or a value that no engine is known to use is a mistake ([DL309](rules.md), [DL310](rules.md)),
one that another engine uses is not.
"""

DELTA_SPARK = """\
## Known to Delta Spark 4.4

`alter --set` and `create --property` take durations as people write them, `7d`, `1d12h`, `90min` or
`P7D`, and sizes, `256mb` or `1 GiB`; the plan shows the form of Spark's that the table gets.

As recorded from the running engine. `delta.constraints.*`, `delta.feature.*` and
`delta.universalFormat.config.*` are free.

| property | default | value |
|---|---|---|
"""

ELSEWHERE = """\
## Known elsewhere

A key that ends with `*` matches all that begin like it. *Values* are those that the engine takes
for a property that Delta Spark knows as well, in any case.

| property | engine | values | source |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    parts = (
        INTRODUCTION,
        DELTA_SPARK + "\n".join(_own()),
        ELSEWHERE + "\n".join(_foreign()),
    )
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _own() -> Iterator[str]:
    for one in PROPERTIES.values():
        default = "" if one.default is None else f"`{one.default}`" if one.default else "empty"
        value = one.help if one.editable else f"{one.help} Kept by Delta, not set by users."
        yield f"| `{one.key}` | {default} | {value.strip()} |"


def _foreign() -> Iterator[str]:
    for one in sorted(FOREIGN.values(), key=lambda each: each.key.lower()):
        key = f"{one.key}*" if one.key.endswith(".") else one.key
        values = ", ".join(f"`{word}`" for word in one.values)
        yield f"| `{key}` | {one.engine} | {values} | {one.source} |"


if __name__ == "__main__":
    sys.stdout.write(page())
