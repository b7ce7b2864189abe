"""Explain, change and check the protocol side of Delta Lake tables."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "Detail": "deltaadm.replay.engine",
    "Protocol": "deltaadm.domain.protocol",
    "SessionSettings": "deltaadm.domain.session",
    "SetProperties": "deltaadm.domain.table_changes",
    "Snapshot": "deltaadm.domain.snapshot",
    "UnsetProperties": "deltaadm.domain.table_changes",
    "describe": "deltaadm.operations.inspect",
    "evolve": "deltaadm.domain.evolve",
    "load_snapshot": "deltaadm.replay.engine",
    "open_store": "deltaadm.storage.store",
    "plan_features": "deltaadm.operations.enable_feature",
    "plan_mapping_mode": "deltaadm.operations.set_mapping_mode",
    "plan_properties": "deltaadm.operations.alter",
    "plan_upgrade": "deltaadm.operations.upgrade_protocol",
}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 -- the names are those of the mapping


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'deltaadm' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
