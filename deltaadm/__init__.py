"""
Explain, change and check the protocol side of Delta Lake tables.

What can be imported from here is public, and imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "Baseline": "deltaadm.operations.baseline",
    "Bug": "deltaadm.errors",
    "Change": "deltaadm.operations.diff",
    "ColumnMappingMode": "deltaadm.domain.transaction.column_mapping",
    "CommitError": "deltaadm.errors",
    "CreateTable": "deltaadm.domain.steps",
    "CreationMode": "deltaadm.domain.steps",
    "DeltaadmError": "deltaadm.errors",
    "Demands": "deltaadm.operations.validate",
    "Depth": "deltaadm.replay.examine",
    "Detail": "deltaadm.replay.engine",
    "EngineError": "deltaadm.errors",
    "EngineLost": "deltaadm.errors",
    "FEATURES": "deltaadm.domain.model.features",
    "FileMissing": "deltaadm.errors",
    "Finding": "deltaadm.validation.finding",
    "IllegalArgument": "deltaadm.errors",
    "Metadata": "deltaadm.domain.model.metadata",
    "MissingFile": "deltaadm.errors",
    "NotYet": "deltaadm.errors",
    "OutcomeResult": "deltaadm.api.results",
    "Plan": "deltaadm.operations.plan",
    "PlanResult": "deltaadm.api.results",
    "Policy": "deltaadm.domain.facts.policy",
    "Protocol": "deltaadm.domain.model.protocol",
    "Refused": "deltaadm.errors",
    "Result": "deltaadm.api.results",
    "Rule": "deltaadm.validation.rule",
    "SessionSettings": "deltaadm.domain.model.session",
    "SetProperties": "deltaadm.domain.steps",
    "SettingsError": "deltaadm.errors",
    "Severity": "deltaadm.validation.finding",
    "Snapshot": "deltaadm.domain.model.snapshot",
    "StorageError": "deltaadm.errors",
    "Table": "deltaadm.api.table",
    "TableChanges": "deltaadm.operations.alter",
    "TableError": "deltaadm.errors",
    "TableFeature": "deltaadm.domain.model.features",
    "TooLarge": "deltaadm.errors",
    "UnsetProperties": "deltaadm.domain.steps",
    "UsageError": "deltaadm.errors",
    "ValidationReport": "deltaadm.validation.finding",
    "WriteCheckpoint": "deltaadm.domain.steps",
    "choose_rules": "deltaadm.operations.validate",
    "describe": "deltaadm.operations.inspect",
    "diff": "deltaadm.operations.diff",
    "evolve": "deltaadm.domain.steps.evolve",
    "examine": "deltaadm.replay.examine",
    "feature_history": "deltaadm.replay.feature_history",
    "load_snapshot": "deltaadm.replay.load",
    "no_table": "deltaadm.domain.steps.create_table",
    "open_store": "deltaadm.storage.store",
    "plan_changes": "deltaadm.operations.alter",
    "plan_create": "deltaadm.operations.create",
    "plan_drop": "deltaadm.operations.drop_feature",
    "plan_features": "deltaadm.operations.enable_feature",
    "plan_mapping_mode": "deltaadm.operations.set_mapping_mode",
    "plan_minimum": "deltaadm.operations.upgrade_protocol",
    "plan_upgrade": "deltaadm.operations.upgrade_protocol",
    "table": "deltaadm.api.table",
    "validate": "deltaadm.operations.validate",
}
"""The module of each public name; `__init__.pyi` says the same to type checkers."""

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 -- the names are those of the mapping


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'deltaadm' has no attribute {name!r}")
    from importlib import import_module

    attribute = getattr(import_module(_PLACES[name]), name)
    if hasattr(attribute, "__code__"):  # functions; classes must stay what `isinstance` knows
        attribute = import_module("deltaadm.api.arguments").checked(attribute)
    globals()[name] = attribute
    return attribute


def __dir__() -> list[str]:
    return sorted(__all__)
