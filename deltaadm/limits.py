"""Limits of the memory that reading a table takes, so that no log takes a gigabyte."""

from __future__ import annotations

import json
import re

from deltaadm.dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds on what a log makes deltaadm hold; beyond, it reads in pieces or says it stops."""

    # Bytes of one line of a commit, and of a file that is one JSON document. An object of three
    # bytes takes about seventy in memory, and real lines are far below a megabyte.
    line: int = 32 << 20
    marks: int = 1 << 21  # commas and opening brackets of a document, each of which is for a value
    # Bytes of a commit that is read at once; a larger one is read line by line, several times where
    # rules look at all of it.
    whole: int = 8 << 20
    piece: int = 1 << 20  # bytes of a larger commit that are read at a time
    files: int = 500_000  # objects in a log in an object store, each of about a kilobyte
    path: int = 1 << 16  # characters of a file's path, which stores limit to some thousand
    # Bytes of a page of a Parquet file once it is decompressed, and of one row with the texts of
    # its dictionaries. Writers make pages of about a megabyte.
    page: int = 64 << 20
    batch: int = 4 << 20  # bytes of the texts in rows that are read at once; one row may have more
    # Bytes of the actions of a checkpoint that are not about files, all together, which are held;
    # of a table's transactions and domains; and of the values of a Parquet file's footer.
    state: int = 256 << 20
    # Values of a column in a row group, which few bytes can repeat without end. Writers make row
    # groups of a million rows at most.
    values: int = 1 << 24
    footer: int = 32 << 20  # bytes of a Parquet file's footer
    address_space: int = 1 << 30  # which pyarrow needs to start threads, or it ends the process


LIMITS: Final = Limits()
"""The limits that apply by default."""


def load_json(text: Any, **hooks: Any) -> Any:
    """The value of `json.loads`, which raises `ValueError` also for too many values to hold."""
    require_few_values(text.decode(errors="replace") if isinstance(text, bytes) else text)
    if isinstance(text, str) and not hooks:
        try:
            value, end = _DECODER.raw_decode(text)
        except ValueError:
            end = -1
        # `loads` takes as long as half of the decoding to find out that there are no blanks around.
        if end == len(text):
            return value
    return json.loads(text, **hooks)


_DECODER: Final = json.JSONDecoder()


def require_few_values(text: Any) -> None:
    """Raise `ValueError` for JSON with more values than can be held."""
    if not isinstance(text, str) or len(text) <= LIMITS.marks or _marks(text) <= LIMITS.marks:
        return
    if _marks(re.sub(r'(?s)"(?:[^"\\]|\\.)*+"?', "", text)) > LIMITS.marks:
        raise ValueError(f"it has more than {LIMITS.marks:,} values")


def _marks(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")
