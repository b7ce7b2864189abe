"""
Repairs of damaged logs: diagnosis, plan, carrying out and undoing.

`repair.py` has the log that is looked at and what a repair is, `carry_out.py` how it is done and
taken back. Each kind of damage is a function, which `KINDS` lists: it takes a `Case`, and yields a
`Repair` for everything that it finds.

A further kind is such a function and its entry in `KINDS`. It looks at `case.view`, the log as it
will be once the repairs before it are done, never at the store itself. Its repairs are made of
operations (`MoveAside`, `WriteFile` and the others in `repair.py`), which say what they do, foresee
the log after it, and do it. Rules of safety are nobody's task but theirs and `carry_out`'s: a copy
is in quarantine and read back before anything changes, what is younger than `--older-than` is left
alone, and the state of the table afterwards must be the foreseen one, or everything goes back. A
state that differs from what readers see now must be announced by `Repair.alters`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from deltaadm.plans.repair.checkpoints import (
    find_checkpoints,
    find_checksums,
    find_orphan_sidecars,
    find_pointer,
)
from deltaadm.plans.repair.commits import find_commits, find_compactions, find_names
from deltaadm.plans.repair.protocol import find_missing_files, find_protocol
from deltaadm.plans.repair.repair import Case, Repair

KINDS: Final[tuple[Callable[[Case], Iterator[Repair]], ...]] = (
    find_names,
    find_commits,
    find_compactions,
    find_checkpoints,
    find_protocol,
    find_missing_files,
    find_pointer,
    find_checksums,
    find_orphan_sidecars,
)
"""What makes the table loadable comes first, what hints at it last."""
