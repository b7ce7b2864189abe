"""Which properties coordinated commits keep from being changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.model.properties import ICT_ENABLEMENT_TIMESTAMP, ICT_ENABLEMENT_VERSION
from deltaadm.domain.transaction.transaction import COORDINATOR, IN_COMMIT_TIMESTAMPS
from deltaadm.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Container

    from deltaadm.domain.model.metadata import Metadata

_TABLE: Final = "delta.coordinatedCommits.tableConf-preview"
COORDINATED_KEYS: Final = (*COORDINATOR, _TABLE)
ICT_KEYS: Final = (IN_COMMIT_TIMESTAMPS, ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP)


def check_new(properties: Container[str], *, replaces: bool) -> None:
    """
    Raise `Refused` unless a new table has a whole coordinator in *properties*, or nothing of one.

    One that *replaces* another cannot have any.
    """
    asked = [key for key in COORDINATED_KEYS if key in properties]
    if asked and replaces:
        raise _refusal("DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS", asked)
    _require_coordinator(asked)


def _require_coordinator(asked: list[str]) -> None:
    if _TABLE in asked:
        raise _refusal("DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND", asked)
    if asked and len(asked) < len(COORDINATOR):
        raise _refusal("DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND", asked)


def check_set(metadata: Metadata, properties: Container[str]) -> None:
    """Raise `Refused` where coordinated commits do not allow that *properties* are set."""
    asked = [key for key in COORDINATED_KEYS if key in properties]
    present = [key for key in COORDINATED_KEYS if key in metadata.configuration]
    touched = [key for key in ICT_KEYS if key in properties]
    # In Delta's order, as recorded: of several mistakes the first names the error class.
    if asked and present:
        raise _refusal("DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS", asked)
    if asked and touched:
        raise _refusal("DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES", touched)
    _require_coordinator(asked)
    if present and touched:
        raise _refusal("DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES", touched)


def check_unset(metadata: Metadata, gone: set[str]) -> None:
    """Raise `Refused` where coordinated commits do not allow that the properties are *gone*."""
    if any(key in metadata.configuration for key in COORDINATED_KEYS):
        if gone & set(COORDINATED_KEYS):
            raise _refusal("DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS", sorted(gone))
        if gone & set(ICT_KEYS):
            raise _refusal("DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES", sorted(gone))


def _refusal(error_class: str, keys: list[str]) -> Refused:
    return Refused(
        f"Coordinated commits do not allow this change of {', '.join(keys)}.",
        remedy="Set the coordinator's name and configuration together, on a table that has none; "
        "drop the feature coordinatedCommits-preview to remove them.",
        delta_error_class=error_class,
    )
