"""
The exception tree and the exit code of each branch.

```
DeltaadmError
├── SettingsError        2   deltaadm.toml or a baseline cannot be understood
├── ArgumentFileError    2   a file that the command line names does not exist
├── TableError           3   not a table, gap in the log, incomplete checkpoint, unreadable commit
├── StorageError         4   no access, no such bucket, timed out after retries
│   └── UnknownWriteError    the storage did not say whether it has written
├── CommitError          5   concurrent change, Delta's refusal, result differs from the prediction
├── EngineError          6   Spark, Java or an optional package missing
│   └── EngineLostError      Spark is gone, or no longer responds
├── RefusedError         7   the request is illegal, impossible or unsafe
│   └── UnknownNameError 2   there is no feature, client, property or column of that name
├── NotYetError          8   the second phase of a change cannot start yet
└── InternalError       70   one of many tables ran into a bug in deltaadm
```

`UsageError` (2) stands beside the tree: no command goes on after it, not even with other tables.
Anything else that is raised is a bug and keeps its traceback (exit code 70).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deltaadm.masking import masked, secrets_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar


class DeltaadmError(Exception):
    """
    An expected error: one readable sentence, and its remedy.

    Secrets in URLs, in settings and of the environment are masked in both.

    `delta_error_class` is the error class (with sub-class) that Delta on Spark reports in the
    same situation; None where its exception has none. `established` holds the parts of an
    inspection that were found before the error, in the field names of its JSON document.
    """

    exit_code: ClassVar[int] = 70
    kind: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        delta_error_class: str | None = None,
        established: Mapping[str, object] | None = None,
    ) -> None:
        self.message = masked(message, secrets_of_environment())
        super().__init__(self.message)
        self.remedy = masked(remedy)
        self.delta_error_class = delta_error_class
        self.established: Mapping[str, object] = established or {}


class UsageError(Exception):
    """
    The command line itself is wrong, independent of the tables (exit code 2).

    *option* is the option or argument that is wrong; without it the message is a whole sentence.
    *remedy* says what to do instead, where there is more to say than how the command is used.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, option: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.option = option
        self.remedy = remedy

    @property
    def sentence(self) -> str:
        """The whole sentence."""
        end = "" if self.message.endswith((".", "?", "!")) else "."
        return f"{self.option}: {self.message}{end}" if self.option else f"{self.message}{end}"


class SettingsError(DeltaadmError):
    """A settings file or a baseline cannot be understood."""

    exit_code = 2
    kind = "settings"


class ArgumentFileError(DeltaadmError):
    """The command line names a file that does not exist."""

    exit_code = 2
    kind = "usage"


class TableError(DeltaadmError):
    """The location holds no table, or its log cannot be replayed."""

    exit_code = 3
    kind = "table"


class MissingFileError(TableError):
    """A file of the table does not exist."""


class TooLargeError(TableError):
    """A file has more bytes than are read at once."""


class StorageError(DeltaadmError):
    """The storage does not respond, or denies access."""

    exit_code = 4
    kind = "storage"


class UnknownWriteError(StorageError):
    """The storage did not say whether it has written, and may still do so."""


class CommitError(DeltaadmError):
    """A commit did not happen, or its result is not what was planned."""

    exit_code = 5
    kind = "commit"


class EngineError(DeltaadmError):
    """A required program or package is missing, or does not start."""

    exit_code = 6
    kind = "engine"


class EngineLostError(EngineError):
    """Spark is gone, or no longer responds; it may still complete what it was asked to do."""


class RefusedError(DeltaadmError):
    """The request is illegal, impossible or unsafe; the remedy says what would be legal."""

    exit_code = 7
    kind = "refused"


class UnknownNameError(RefusedError):
    """There is nothing of the name that the request has; the remedy suggests another."""

    exit_code = 2
    kind = "usage"


class IllegalArgumentError(RefusedError):
    """
    What Delta reports as a plain `IllegalArgumentException`.

    It has no error class of its own; met by an ALTER statement, Spark reports it as
    `UNSUPPORTED_TABLE_CHANGE`.
    """


class NotYetError(DeltaadmError):
    """The second phase of a change cannot start yet; the message says when it can."""

    exit_code = 8
    kind = "not yet"


class InternalError(DeltaadmError):
    """A bug in deltaadm that one of many tables ran into; the others are not affected."""

    exit_code = 70
    kind = "bug"


def require_one_of(word: str, known: Iterable[str], option: str) -> None:
    """Raise `UsageError` for a *word* that is none of those that are *known*."""
    words = list(known)
    if word not in words:
        raise UsageError(f"{word!r} is not one of {', '.join(words)}", option=option)


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """A sentence with the nearest of *choices*, or nothing when none is near."""
    import difflib  # only a mistake pays for it

    spelled = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(word.lower(), spelled, n=2, cutoff=0.6)
    return f"Did you mean {' or '.join(spelled[name] for name in near)}?" if near else ""


def some_of(items: Iterable[str], most: int = 4, separator: str = ", ", *, of: int = 0) -> str:
    """The first of *items*, and how many more there are: *of* so many if not all are given."""
    listed = list(items)
    more = max(of, len(listed)) - most
    named = separator.join(listed[:most])
    return f"{named} and {more} more" if more > 0 else named
