"""Damage of `_last_checkpoint`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from deltaadm.domain.file_facts import checksums
from deltaadm.errors import FileMissing
from deltaadm.json_values import integer
from deltaadm.plans.checkpoint import HINT
from deltaadm.plans.repair.repair import MoveAside, Point, Repair, pointer_of
from deltaadm.replay.reconcile import UnreadableCheckpointError, hint_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.plans.repair.case import Case


def find_pointer(case: Case) -> Iterator[Repair]:
    """A pointer that is missing, cannot be read, or says what is not so."""
    checkpoints = case.listing.checkpoints
    newest = max((found.version for found in checkpoints), default=-1)
    if max(case.view.rebuilt, default=-1) > newest:
        return  # who writes the newest checkpoint has the pointer follow
    kept = "all commits and checkpoints; the file is a hint for readers"
    try:
        rule, wrong = _wrong(case)
    except FileMissing:
        if checkpoints:
            wrong = f"It is missing, although version {newest} has a checkpoint."
            yield Repair(
                kind="pointer", rule="DL107", wrong=wrong, operations=(Point(newest),), kept=kept
            )
        return
    if wrong:
        step = Point(newest) if checkpoints else MoveAside(HINT)
        yield Repair(kind="pointer", rule=rule, wrong=wrong, operations=(step,), kept=kept)


def _wrong(case: Case) -> tuple[str, str]:
    """The rule that the pointer breaks, and how; raises `FileMissing`."""
    body = case.view.read(HINT)
    hint, checkpoints = hint_of(body), case.listing.checkpoints
    version = integer(hint.get("version"))
    pointed = [found for found in checkpoints if found.version == version]
    checksum = hint.get("checksum")
    if version is None or version < 0:
        return "DL110", "It is not a JSON object that names a version."
    if not pointed:
        return "DL108", f"It points to version {version}, which has no complete checkpoint."
    if version != (newest := checkpoints[-1].version):
        return "DL109", f"It points to version {version}, but version {newest} has a checkpoint."
    if isinstance(checksum, str) and checksum not in checksums(body.decode(errors="replace")):
        return "DL111", "Its checksum does not match its content."
    with suppress(UnreadableCheckpointError):  # which is the damage of the checkpoint
        right = pointer_of(case.view, pointed[-1])
        for key, found in (("parts", right.parts), ("numOfAddFiles", right.adds)):
            stated = hint.get(key)
            if stated != found and (stated is not None or key == "parts"):
                return "", f"Its {key} is {stated}, but the checkpoint has {found}."
    return "", ""
