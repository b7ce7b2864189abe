"""The kinds of damage that repairs mend, in the order in which they are looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from deltaadm.plans.repair.case import Case
from deltaadm.plans.repair.checkpoints import find_checkpoints, find_orphan_sidecars
from deltaadm.plans.repair.commits import find_commits, find_compactions
from deltaadm.plans.repair.data_files import find_missing_files
from deltaadm.plans.repair.hints import find_checksums, find_pointer
from deltaadm.plans.repair.names import find_names
from deltaadm.plans.repair.protocol import find_protocol
from deltaadm.plans.repair.repair import Repair

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
