"""Every place in a JSON document, and values of many kinds to stand there instead."""

import copy
import os
import random
from collections.abc import Iterator, Sequence
from typing import Any

Document = dict[str, Any]
Place = tuple[str | int, ...]

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**400, 0.5, 1e999, "", "x", "/data/harmless", "\ud800", "\udcff",
    "a\0b", "\x1b]52;c;eA==\x07", "a" * 100_000, [], [None], ["x", 1], {}, {"x": 1}, {"kind": {}},
)  # fmt: skip
"""Of every kind that JSON has, and of the odd ones among them."""


def places(document: Any, start: Place = ()) -> Iterator[Place]:
    """Every place in *document*, that of the whole left out."""
    entries: Sequence[tuple[str | int, Any]] = ()
    if isinstance(document, dict):
        entries = list(document.items())
    elif isinstance(document, list):
        entries = list(enumerate(document))
    for key, value in entries:
        yield (*start, key)
        yield from places(value, (*start, key))


def mutations(document: Document, seed: int, sample: int) -> Iterator[tuple[str, Document]]:
    """
    *document* with one field changed or taken out, each with what was done to it.

    A *sample* of all that there are, drawn with *seed*; with DELTAADM_MUTATIONS=all in the
    environment it is every field with every value, which takes minutes.
    """
    every = [(place, value) for place in places(document) for value in (*VALUES, _GONE)]
    if os.environ.get("DELTAADM_MUTATIONS") != "all":
        every = random.Random(seed).sample(every, min(sample, len(every)))  # noqa: S311  # noqa: S311
    for place, value in every:
        changed = copy.deepcopy(document)
        holder: Any = changed
        for key in place[:-1]:
            holder = holder[key]
        if value is _GONE:
            del holder[place[-1]]
        else:
            holder[place[-1]] = value
        if changed != document:
            yield f"{place} = {str(value)[:40]!r}", changed


_GONE = object()
