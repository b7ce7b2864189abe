"""The kinds of damage that repairs mend, in the order in which they are looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.plans.repair.pointer import find_pointer
from deltaadm.plans.repair.protocol import find_protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deltaadm.plans.repair.case import Case
    from deltaadm.plans.repair.repair import Repair


KINDS: Final[tuple[Callable[[Case], Iterator[Repair]], ...]] = (
    find_protocol,
    find_pointer,
)
"""What makes the table loadable comes first, what hints at it last."""
