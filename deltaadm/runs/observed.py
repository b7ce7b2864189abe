"""The clients that were seen lately, and the readers that a file of access logs names."""

from __future__ import annotations

import json
from functools import lru_cache

from deltaadm.clients import ALIASES, CLIENTS, Observation
from deltaadm.domain.wire import Writer
from deltaadm.errors import RefusedError
from deltaadm.runs.context import answer_time
from deltaadm.runs.options import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Final


def observation(readers: Path | None = None, observed_for: str | None = None) -> Observation:
    """The clients seen in the last 30 days, or *observed_for*; raises as `read_file` does."""
    length, now = _WINDOW, answer_time()
    if observed_for is not None:
        from deltaadm.runs.deadline import seconds_of  # which most runs do without

        length = round(seconds_of(observed_for, "--observed-for") * 1000)
    found = () if readers is None else _readers(str(readers), read_file(readers))
    since = now - length
    return Observation(now, since, tuple(of for of in found if of.last is None or of.last >= since))


_WINDOW: Final = 30 * 86_400_000


@lru_cache(maxsize=1)  # the tables of a run have the same file
def _readers(path: str, text: str) -> tuple[Writer, ...]:
    import csv

    lines = [*filter(str.strip, text.splitlines())]
    try:
        is_json = lines and lines[0].lstrip().startswith("{")
        return tuple(map(_reader, map(json.loads, lines) if is_json else csv.DictReader(lines)))
    except (ValueError, AttributeError, TypeError, csv.Error) as error:
        raise RefusedError(
            f"{path} does not name readers: {error}.",
            remedy='Give each as {"client": "trino", "version": "480", "last_seen": "2026-11-21"}, '
            "or as CSV with these columns.",
        ) from error


def _reader(row: dict[str, Any]) -> Writer:
    from deltaadm.runs.history import iso_milliseconds

    row = {str(key).strip().lower().replace(" ", "_"): value for key, value in row.items()}
    values = map(row.get, ("client", "version", "last_seen"))
    client, version, seen = (of.strip() if isinstance(of, str) else of for of in values)
    at = seen if isinstance(seen, int) else iso_milliseconds(seen or None)
    if not client or (seen and at is None):
        raise ValueError(f"{seen!r} is not a time" if client else "a row has no client")
    known = str(client).lower()
    name = ALIASES.get(known, known if known in CLIENTS else client)
    return Writer(f"{name}@{version}" if version else str(name), 0, at, at, ("READ",))
