"""Suggestions for a path without a table: the tables on the file system that may be meant."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.log_segment import LOG_DIRECTORY
from deltaadm.domain.model.properties import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_NEIGHBOURS: Final = 200


def tables_nearby(path: str) -> Iterator[str]:
    """A sentence on the table that *path* is inside, or on its neighbours with a like name."""
    place = Path(path).absolute()
    for directory in place.parents:
        if _is_table(directory):
            yield f"The path is inside the table {directory}."
            return
    try:
        # A directory such as /tmp may have any number of entries, and this is only a hint.
        neighbours = list(islice(place.parent.iterdir(), _MOST_NEIGHBOURS))
    except OSError:
        return
    sentence = did_you_mean(
        place.name, (neighbour.name for neighbour in neighbours if _is_table(neighbour))
    )
    if sentence:
        yield sentence


def _is_table(directory: Path) -> bool:
    try:
        return (directory / LOG_DIRECTORY).is_dir()
    except OSError:
        return False
