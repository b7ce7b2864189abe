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
    "Baseline": "deltaadm.reports.validate",
    "Bug": "deltaadm.errors",
    "Change": "deltaadm.plans.diff",
    "ColumnMappingMode": "deltaadm.domain.transaction.column_mapping",
    "CommitError": "deltaadm.errors",
    "CreateTable": "deltaadm.domain.steps",
    "CreationMode": "deltaadm.domain.steps",
    "DeltaadmError": "deltaadm.errors",
    "Demands": "deltaadm.reports.validate",
    "Depth": "deltaadm.replay.examine",
    "Detail": "deltaadm.replay.reconcile",
    "EngineError": "deltaadm.errors",
    "EngineLost": "deltaadm.errors",
    "FEATURES": "deltaadm.domain.features",
    "FileMissing": "deltaadm.errors",
    "Finding": "deltaadm.rules.rule",
    "IllegalArgument": "deltaadm.errors",
    "Metadata": "deltaadm.domain.wire",
    "MissingFile": "deltaadm.errors",
    "NotYet": "deltaadm.errors",
    "OutcomeResult": "deltaadm.runs.results",
    "Plan": "deltaadm.plans.plan",
    "PlanResult": "deltaadm.runs.results",
    "Policy": "deltaadm.facts",
    "Protocol": "deltaadm.domain.protocol",
    "Refused": "deltaadm.errors",
    "Result": "deltaadm.runs.results",
    "Rule": "deltaadm.rules.rule",
    "SessionSettings": "deltaadm.domain.protocol",
    "SetProperties": "deltaadm.domain.steps",
    "SettingsError": "deltaadm.errors",
    "Severity": "deltaadm.rules.rule",
    "Snapshot": "deltaadm.domain.snapshot",
    "StorageError": "deltaadm.errors",
    "Table": "deltaadm.runs.table",
    "TableChanges": "deltaadm.plans.alter",
    "TableError": "deltaadm.errors",
    "TableFeature": "deltaadm.domain.features",
    "TooLarge": "deltaadm.errors",
    "UnsetProperties": "deltaadm.domain.steps",
    "UsageError": "deltaadm.errors",
    "ValidationReport": "deltaadm.rules.rule",
    "WriteCheckpoint": "deltaadm.domain.steps",
    "choose_rules": "deltaadm.reports.validate",
    "describe": "deltaadm.reports.inspect",
    "diff": "deltaadm.plans.diff",
    "evolve": "deltaadm.domain.steps.evolve",
    "examine": "deltaadm.replay.examine",
    "feature_history": "deltaadm.replay.timeline",
    "load_snapshot": "deltaadm.replay.load",
    "no_table": "deltaadm.domain.steps.table",
    "open_store": "deltaadm.storage.store",
    "plan_changes": "deltaadm.plans.alter",
    "plan_create": "deltaadm.plans.alter",
    "plan_drop": "deltaadm.plans.features",
    "plan_features": "deltaadm.plans.features",
    "plan_mapping_mode": "deltaadm.plans.features",
    "plan_minimum": "deltaadm.plans.features",
    "plan_upgrade": "deltaadm.plans.features",
    "table": "deltaadm.runs.table",
    "validate": "deltaadm.reports.validate",
}
"""The module of each public name; `__init__.pyi` says the same to type checkers."""

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 -- the names are those of the mapping


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'deltaadm' has no attribute {name!r}")
    from importlib import import_module

    attribute = getattr(import_module(_PLACES[name]), name)
    if hasattr(attribute, "__code__"):  # functions; classes must stay what `isinstance` knows
        attribute = import_module("deltaadm.runs.arguments").checked(attribute)
    globals()[name] = attribute
    return attribute


def __dir__() -> list[str]:
    return sorted(__all__)
