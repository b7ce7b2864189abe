"""Whose a commit is, while others may change the table as well."""

from __future__ import annotations

from deltaadm.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CommitMark:
    """
    The `userMetadata` that the commits of a session have.

    `user_metadata` is None where that is not known. `is_unique` says that no other session's
    commits have the same, so that it alone tells whose a commit is.
    """

    user_metadata: str | None = None
    is_unique: bool = False

    def on(self, annotation: str) -> str | None:
        """Return the `userMetadata` of a commit; *annotation* is appended to a mark of our own."""
        if self.user_metadata is None or not self.is_unique:
            return self.user_metadata
        return self.user_metadata + annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """
    Whether a commit is our own, and whether it may change protocol, metadata or clustering.

    The latter also holds for a commit that writes the same again.
    """

    version: int
    is_own: bool
    changes_table: bool
