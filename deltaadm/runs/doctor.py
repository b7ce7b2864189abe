"""The checks of `doctor` on the object store of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deltaadm.blocks import Check, Health
from deltaadm.errors import DeltaadmError
from deltaadm.runs.context import RunContext
from deltaadm.storage.store import ObjectStores, is_in_object_store

_NOTED: Final = 60
# S3 and Azure refuse requests that are more than fifteen minutes off.
_REFUSED: Final = 900
"""Seconds of difference between clocks that are worth a word, and that stores refuse."""


def store_checks(context: RunContext, location: str, *, writing: bool) -> Iterator[Check]:
    """
    Whether the store at *location* takes the credentials, lists, and tells the same time.

    With *writing* also whether it creates an object that is not there, and only then.
    """
    if context.hadoop is not None or not is_in_object_store(location):
        return
    from deltaadm.storage.probe import clock_skew, creates_once, list_objects

    stores = context.object_stores or ObjectStores()
    subject = f"listing {location}"
    try:
        listing = list_objects(stores.connections, location)
        yield Check(subject, Health.OK, f"{listing} in its log")
    except DeltaadmError as error:
        yield Check(subject, Health.FAILED, error.message, error.remedy)
    skew = clock_skew(location, stores.options_for(location))
    if skew is not None:
        yield _clock(f"clock of {location}", skew)
    if not writing:
        return
    if context.unity is not None:
        context.unity.allow_writing(location)
    subject = f"conditional put to {location}"
    try:
        once = creates_once(stores.connections, location)
    except DeltaadmError as error:
        yield Check(subject, Health.FAILED, error.message, error.remedy)
        return
    if once:
        yield Check(subject, Health.OK, "works, so that --commit-engine embedded can commit")
    else:
        yield Check(
            subject,
            Health.FAILED,
            "the store replaces an object that must not be there",
            "Let only one Spark write to the table, or use a store with conditional writes.",
        )


def _clock(subject: str, skew: float) -> Check:
    seconds = round(abs(skew))
    if seconds < _NOTED:
        return Check(subject, Health.OK, "agrees with this machine's")
    direction = "behind" if skew > 0 else "ahead of"
    return Check(
        subject,
        Health.FAILED if seconds >= _REFUSED else Health.WARNING,
        f"{seconds} seconds {direction} this machine's",
        "Set this machine's clock: stores refuse signatures of another time.",
    )
