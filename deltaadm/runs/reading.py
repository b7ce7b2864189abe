"""Files that the command line names to be read: plans, lists, options."""

from __future__ import annotations

from deltaadm.errors import MissingFile, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


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
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFile(
            f"The file {path} cannot be read: {error.strerror}.", remedy="Check its name."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refused(
            f"The file {path} cannot be read: {reason}.", remedy="Check its name."
        ) from error
