"""Explain, change and check the protocol side of Delta Lake tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "Baseline": "deltaadm.operations.baseline",
    "CreateTable": "deltaadm.domain.steps",
    "CreationMode": "deltaadm.domain.steps",
    "Demands": "deltaadm.operations.validate",
    "Depth": "deltaadm.replay.examine",
    "Detail": "deltaadm.replay.engine",
    "Finding": "deltaadm.validation.finding",
    "Policy": "deltaadm.domain.facts.policy",
    "Protocol": "deltaadm.domain.model.protocol",
    "Rule": "deltaadm.validation.rule",
    "SessionSettings": "deltaadm.domain.model.session",
    "SetProperties": "deltaadm.domain.steps",
    "Severity": "deltaadm.validation.finding",
    "Snapshot": "deltaadm.domain.model.snapshot",
    "TableChanges": "deltaadm.operations.alter",
    "UnsetProperties": "deltaadm.domain.steps",
    "ValidationReport": "deltaadm.validation.finding",
    "WriteCheckpoint": "deltaadm.domain.steps",
    "choose_rules": "deltaadm.operations.validate",
    "describe": "deltaadm.operations.inspect",
    "evolve": "deltaadm.domain.steps.evolve",
    "examine": "deltaadm.replay.examine",
    "load_snapshot": "deltaadm.replay.load",
    "no_table": "deltaadm.domain.steps.create_table",
    "open_store": "deltaadm.storage.store",
    "plan_create": "deltaadm.operations.create",
    "plan_features": "deltaadm.operations.enable_feature",
    "plan_mapping_mode": "deltaadm.operations.set_mapping_mode",
    "plan_changes": "deltaadm.operations.alter",
    "plan_upgrade": "deltaadm.operations.upgrade_protocol",
    "validate": "deltaadm.operations.validate",
}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 -- the names are those of the mapping


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used."""
    if name not in _PLACES:
        raise AttributeError(f"module 'deltaadm' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
