"""Files that the command line names to be read: plans, lists, options."""

from __future__ import annotations

import os
import stat

from deltaadm.errors import MissingFile, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Final

_MOST: Final = 1 << 28
"""Characters of what is no regular file."""


def read_input(path: Path) -> str:
    """The text at *path*, or of standard input for `-`; raises what `read_file` does."""
    if str(path) != "-":
        return read_file(path)
    import sys

    try:
        return sys.stdin.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(
            "Standard input cannot be read as text.", remedy="Save it to a file, and name that."
        ) from error


def read_file(path: Path) -> str:
    """
    The text of the file at *path*, BOM or not.

    Raises `MissingFile` where it is not there, and `Refused` where it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            # A pipe or device may have no end.
            text = file.read(-1 if is_regular else _MOST)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFile(
            f"The file {path} cannot be read: {error.strerror}.", remedy="Check its name."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refused(
            f"The file {path} cannot be read: {reason}.", remedy="Check its name."
        ) from error
    if len(text) == _MOST:
        raise Refused(f"{path} does not end.", remedy="Check its name.")
    return text
