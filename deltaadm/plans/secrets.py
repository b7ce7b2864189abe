"""Masking of what looks like a secret in properties and texts, in reports and plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_

from deltaadm.dataclass import replace
from deltaadm.documents import Failure
from deltaadm.domain.schema import FieldKey
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import RefusedError
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.masking import MASK, is_secret, masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, TypeVar

    from deltaadm.blocks import Report
    from deltaadm.domain.steps import Step
    from deltaadm.plans.diff import Change

    Value = TypeVar("Value")


def without_secrets(report: Report) -> Report:
    """*report* with masks for secrets; the same object where there are none."""
    if isinstance(report, Failure) and isinstance(report.known.get("metadata"), dict):
        known: Any = report.known
        metadata = Masker().mask(Metadata.from_wire(known["metadata"])).to_wire()
        return replace(report, established={**known, "metadata": metadata})
    return Masker().mask(report)


def require_no_secrets(steps: Iterable[Step], settings: Mapping[str, str]) -> None:
    """
    Raise `RefusedError` where *steps* or *settings* set a secret: no plan file may hold one.

    So too where only its mask is left, which would become the value.
    """
    given = [getattr(step, name) for step in steps for name in step.secret_fields]
    for values in (*given, settings):
        entries: list[tuple[str, Any]] = []
        if isinstance(values, Snapshot):
            form = values.metadata.format
            entries += values.metadata.configuration.items()
            entries += ((form and form.options) or {}).items()
        else:
            entries += values.items()
        for key, value in entries:
            if isinstance(value, str) and (is_secret(key, value) or _is_mask(value)):
                raise RefusedError(
                    f"The plan sets {key}, which looks like a secret; no plan file may hold one.",
                    remedy="Carry it out as it is planned: with --apply, without --out, one table "
                    "at a time.",
                )


def _is_mask(value: str) -> bool:
    rest = value.removeprefix(MASK)
    return rest != value and (not rest or (rest[:2] == " (" and rest[2:-1].isdecimal()))


class Masker:
    """
    Masks values of one report: of a property that has several, all but the first are numbered.

    So a change from one secret to another is seen as one.
    """

    def __init__(self) -> None:
        self._seen: dict[str, list[str]] = {}
        self._schemas: dict[str, str] = {}
        """Those that were masked already: most states of a plan have the same."""

    def mask(self, given: Value) -> Value:
        """*given*, whatever it is, with its secrets masked; the same object without any."""
        shown: Any = given
        if isinstance(given, str):
            shown = masked(given)
        elif isinstance(given, Mapping):
            shown = self.entries(given)
        elif type(shown) is tuple:
            items: tuple[Any, ...] = shown
            shown = tuple(map(self.mask, items))
            return given if all(map(is_, shown, items)) else shown
        elif type(given).__name__ == "Change":
            shown = self.change(shown)
        else:
            changed = {}
            kept: Sequence[str] = getattr(given, "secret_fields", ())
            for name in _PARTS.get(type(given).__name__, kept):
                part = getattr(given, name)
                masked_part = _SPECIAL.get(name, Masker.mask)(self, part)
                if masked_part is not part:
                    changed[name] = masked_part
            return replace(shown, **changed) if changed else given
        return given if shown == given else shown

    def value(self, key: str, value: str | None) -> str | None:
        """Return the value of the property *key*, masked if secret; a mask stays as it is."""
        if value is None or not is_secret(key, value):
            return value
        seen = self._seen.setdefault(key, [])
        if value not in seen:
            # A mask takes its number as well, so that a secret that comes later has another one.
            seen.append(value)
        if _is_mask(value):
            return value
        number = seen.index(value) + 1
        return MASK if number == 1 else f"{MASK} ({number})"

    def entries(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return properties or options with their secrets masked."""
        changed = {}
        for key, value in given.items():
            shown = self.value(key, value) if isinstance(value, str) else value
            if shown != value:
                changed[key] = shown
        return {**given, **changed} if changed else given

    def schema(self, text: str | None) -> str | None:
        """Mask comments, and what else users write into the JSON of a schema."""
        # Most columns have nothing, and to decode a schema takes its time.
        if not text or text.count('"metadata"') == text.count('"metadata":{}'):
            return text
        if text not in self._schemas:
            try:
                document = load_json(text)
                shown = self._fields(document)
                self._schemas[text] = text if shown == document else compact(shown)
            except (ValueError, RecursionError):
                self._schemas[text] = masked(text)
        return self._schemas[text]

    def _fields(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {
                key: self.unknown(value) if key == "metadata" else self._fields(value)
                for key, value in given.items()
            }
        return list(map(self._fields, given)) if isinstance(given, list) else given

    def unknown(self, given: Any) -> Any:
        """Mask what is said where Delta has no field, as in properties at any depth."""
        shown: Any = given
        if isinstance(given, str):
            shown = masked(given)
        elif isinstance(given, list):
            shown = list(map(self.unknown, given))
        elif isinstance(given, dict):
            # Texts first: of a comment, only the secret in it is masked.
            shown = self.entries(
                {
                    key: value if key == FieldKey.COLLATIONS else self.unknown(value)  # by column
                    for key, value in given.items()
                }
            )
        return given if shown == given else shown

    def transactions(self, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Mask the names of streams, for which any program may take what it likes."""
        if given is None or given.keys() == set(map(masked, given)):
            return given
        return {masked(name): replace(txn, app_id=masked(name)) for name, txn in given.items()}

    def change(self, given: Change) -> Change:
        """Its values."""
        place, name = given.place, given.name

        def shown(value: Any) -> Any:
            if place == "format" and isinstance(value, dict):
                return value | {"options": self.entries(value.get("options") or {})}
            in_properties = place == "configuration" and isinstance(value, str)
            return self.value(name, value) if in_properties else self.unknown(value)

        return replace(given, before=shown(given.before), after=shown(given.after))


_PARTS: Final[Mapping[str, Sequence[str]]] = {
    # Reports
    "TableReport": ("snapshot",),
    "PlanReport": ("plan",),
    "OutcomeReport": ("outcome",),
    "SavedPlanReport": ("status", "plan"),
    "ForeignReport": ("outcome", "plan"),
    "HistoryReport": ("entries",),
    "WritersReport": ("writers",),
    "WhyReport": ("versions", "features", "absent"),
    "DiffReport": ("changes",),
    "ValidationReport": ("findings", "suppressed"),
    "RepairPlan": ("repairs", "blocked", "still_blocked"),
    # What they consist of
    "Plan": ("before", "stages", "session", "findings"),
    "Stage": ("before", "step", "after"),
    "SessionSettings": ("property_defaults",),
    "Outcome": ("plan", "actual", "mismatches", "concurrent"),
    "ConcurrentChange": ("changes",),
    "PlanStatus": ("changes",),
    "ForeignPlan": ("steps",),
    "Finding": ("fix",),
    "Repair": ("wrong", "effect", "refusal"),
    "Suppressed": ("finding",),
    "HistoryEntry": ("changes", "origin"),
    "VersionOrigin": ("since",),
    "FeatureOrigin": ("since",),
    "AbsentFeature": ("since",),
    "Origin": ("operation", "engine", "user"),
    "Snapshot": ("metadata", "writers", "transactions"),
    "Writer": ("engine", "operations", "applications"),
    "Metadata": ("format", "name", "description", "schema_string", "configuration", "extra"),
    "Format": ("options",),
}
"""The parts that can hold secrets, by type name; of steps they are `secret_fields`."""

_SPECIAL: Final[Mapping[str, Callable[[Masker, Any], Any]]] = {
    "schema_string": Masker.schema,
    "extra": Masker.unknown,
    "transactions": Masker.transactions,
}
"""How parts of these names are masked, which are no mere texts and properties."""
