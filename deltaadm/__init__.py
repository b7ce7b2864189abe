"""
Explain, change and check the protocol side of Delta Lake tables.

What can be imported from here is public, and imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


__version__ = "0.1.0"

_NAMES = {
    "deltaadm.domain.features": "FEATURES TableFeature",
    "deltaadm.domain.protocol": "Protocol SessionSettings",
    "deltaadm.domain.snapshot": "Snapshot",
    "deltaadm.domain.steps": (
        "CreateTable CreationMode SetProperties UnsetProperties WriteCheckpoint"
    ),
    "deltaadm.domain.steps.step": "evolve",
    "deltaadm.domain.steps.table": "no_table",
    "deltaadm.domain.transaction.column_mapping": "ColumnMappingMode",
    "deltaadm.domain.wire": "Metadata",
    "deltaadm.errors": (
        "ArgumentFileError CommitError DeltaadmError EngineError EngineLostError "
        "IllegalArgumentError InternalError MissingFileError NotYetError RefusedError "
        "SettingsError StorageError TableError TooLargeError UsageError"
    ),
    "deltaadm.facts": "Policy",
    "deltaadm.plans.alter": "TableChanges plan_changes plan_create",
    "deltaadm.plans.diff": "Change diff",
    "deltaadm.plans.features": (
        "plan_drop plan_features plan_mapping_mode plan_minimum plan_upgrade"
    ),
    "deltaadm.plans.plan": "Plan",
    "deltaadm.replay.examine": "Depth examine",
    "deltaadm.replay.load": "load_snapshot",
    "deltaadm.replay.reconcile": "Detail",
    "deltaadm.replay.timeline": "feature_history",
    "deltaadm.reports.inspect": "describe",
    "deltaadm.reports.validate": "Baseline Demands choose_rules validate",
    "deltaadm.rules.rule": "Finding Rule Severity ValidationReport",
    "deltaadm.runs.results": "OutcomeResult PlanResult Result",
    "deltaadm.runs.table": "Table table",
    "deltaadm.storage.store": "open_store",
}
"""The public names of each module; `__init__.pyi` says the same to type checkers."""

_PLACES = {name: place for place, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 -- the names are those of the mapping


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'deltaadm' has no attribute {name!r}")
    from importlib import import_module

    attribute = getattr(import_module(_PLACES[name]), name)
    if hasattr(attribute, "__code__"):  # functions; classes must stay what `isinstance` knows
        attribute = import_module("deltaadm.runs.table").checked(attribute)
    globals()[name] = attribute
    return attribute


def __dir__() -> list[str]:
    return sorted(__all__)
