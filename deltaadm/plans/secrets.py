"""Masking of what looks like a secret in properties and texts, in reports and plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import is_

from deltaadm.dataclass import replace
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
    from deltaadm.domain.wire import Writer
    from deltaadm.plans.diff import Change
    from deltaadm.plans.plan import Plan
    from deltaadm.rules.rule import Finding

    Value = TypeVar("Value")


def without_secrets(report: Report) -> Report:
    """*report* with masks for secrets; the same object where there are none."""
    parts = _PARTS.get(type(report).__name__)
    return report if parts is None else _masked(report, **parts(Masker(), report))


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
                    f"The plan sets {key}, which looks like a secret, and no plan file may hold "
                    "one.",
                    remedy="Carry it out as it is planned: with --apply, without --out, one table "
                    "at a time.",
                )


def _is_mask(value: str) -> bool:
    rest = value.removeprefix(MASK)
    return rest != value and (not rest or (rest[:2] == " (" and rest[2:-1].isdecimal()))


def _masked(given: Value, **masks: Callable[[Any], Any]) -> Value:
    """*given* with each of these parts masked; the same object where that changes none."""
    changed = {}
    for name, mask in masks.items():
        part = getattr(given, name)
        shown = mask(part)
        if shown is not part:
            changed[name] = shown
    instance: Any = given
    masked: Value = replace(instance, **changed) if changed else given
    return masked


def _each(mask: Callable[[Any], Any]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """*mask* for each item of a tuple, which stays the same object if nothing changes."""

    def masked_items(given: tuple[Any, ...]) -> tuple[Any, ...]:
        masked = tuple(map(mask, given))
        return given if all(map(is_, masked, given)) else masked

    return masked_items


class Masker:
    """
    Masks values of one report: of a property that has several, all but the first are numbered.

    So a change from one secret to another is seen as one.
    """

    def __init__(self) -> None:
        self._seen: dict[str, list[str]] = {}

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

    def texts(self, given: Any) -> Any:
        """Mask the texts in a JSON value."""
        if isinstance(given, str):
            shown = masked(given)
            return given if shown == given else shown
        if isinstance(given, dict):
            return {key: self.texts(value) for key, value in given.items()}
        if isinstance(given, tuple):
            return tuple(map(self.texts, given))
        return [self.texts(value) for value in given] if isinstance(given, list) else given

    def schema(self, text: str | None) -> str | None:
        """Mask comments, and what else users write into the JSON of a schema."""
        # Most columns have nothing, and to decode a schema takes its time.
        if not text or text.count('"metadata"') == text.count('"metadata":{}'):
            return text
        try:
            document = load_json(text)
            shown = self._fields(document)
        except (ValueError, RecursionError):
            return masked(text)
        return text if shown == document else compact(shown)

    def _fields(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {
                key: self.texts(value) if key == "metadata" else self._fields(value)
                for key, value in given.items()
            }
        return list(map(self._fields, given)) if isinstance(given, list) else given

    def origin(self, given: Any) -> Any:
        """Mask what a commit says of itself, if anything."""
        names = ("operation", "engine", "user")
        return given and _masked(given, **dict.fromkeys(names, self.texts))

    def metadata(self, given: Metadata) -> Metadata:
        """Mask properties, options of the format, name, description, comments, unknown fields."""
        return _masked(
            given,
            format=lambda form: form and _masked(form, options=self._value),
            name=self.texts,
            description=self.texts,
            schema_string=self.schema,
            configuration=self.entries,
            extra=self.unknown,
        )

    def unknown(self, given: Any) -> Any:
        """Mask what is said where Delta has no field, as in properties at any depth."""
        if isinstance(given, str):
            return self.texts(given)
        if isinstance(given, list):
            shown: Any = list(map(self.unknown, given))
        elif isinstance(given, dict):
            shown = {key: self.unknown(value) for key, value in self.entries(given).items()}
        else:
            return given
        return given if shown == given else shown

    def snapshot(self, given: Snapshot) -> Snapshot:
        """Mask the metadata, and what writers and streams say of themselves."""
        return _masked(
            given,
            metadata=self.metadata,
            writers=_each(self.writer),
            transactions=self.transactions,
        )

    def transactions(self, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Mask the names of streams, for which any program may take what it likes."""
        if given is None or given.keys() == set(map(self.texts, given)):
            return given
        return {
            self.texts(name): replace(txn, app_id=self.texts(name)) for name, txn in given.items()
        }

    def writer(self, given: Writer) -> Writer:
        """Mask what commits say of who wrote them."""
        return _masked(given, **dict.fromkeys(("engine", "operations", "applications"), self.texts))

    def step(self, given: Step) -> Step:
        """Mask the fields that may hold secrets."""
        return _masked(given, **dict.fromkeys(given.secret_fields, self._value))

    def _value(self, given: Any) -> Any:
        if isinstance(given, Snapshot):
            return self.snapshot(given)
        return given and self.entries(given)

    def changes(self, given: tuple[Change, ...]) -> tuple[Change, ...]:
        """Mask the values of changes."""
        masked = tuple(map(self.change, given))
        return given if masked == given else masked

    def change(self, given: Change) -> Change:
        """Its values."""
        place, _, rest = given.subject.partition("[")
        key = rest.removesuffix("]")

        def shown(value: Any) -> Any:
            if place == "format" and isinstance(value, dict):
                return value | {"options": self.entries(value.get("options") or {})}
            in_properties = place == "configuration" and isinstance(value, str)
            return self.value(key, value) if in_properties else self.texts(value)

        return replace(given, before=shown(given.before), after=shown(given.after))

    def plan(self, given: Plan) -> Plan:
        """Its states, its steps and its settings."""
        return _masked(
            given,
            before=self.snapshot,
            stages=_each(
                lambda stage: _masked(
                    stage, before=self.snapshot, step=self.step, after=self.snapshot
                )
            ),
            session=lambda session: _masked(session, property_defaults=self.entries),
            findings=_each(self.finding),
        )

    def finding(self, given: Finding) -> Finding:
        """The steps that would fix it."""
        return _masked(given, fix=_each(self.step))

    def entry(self, given: Any) -> Any:
        """What a version of the history has changed, and what it says of itself."""
        return _masked(given, changes=self.changes, origin=self.origin)


def _of_failure(masks: Masker, report: Any) -> dict[str, Callable[[Any], Any]]:
    known = report.error.established
    if not isinstance(known.get("metadata"), dict):
        return {}
    metadata = masks.metadata(Metadata.from_wire(known["metadata"])).to_wire()
    return {"established": lambda _: known | {"metadata": metadata}}


_PARTS: Final[Mapping[str, Callable[[Masker, Any], dict[str, Callable[[Any], Any]]]]] = {
    "TableReport": lambda masks, _: {"snapshot": masks.snapshot},
    "PlanReport": lambda masks, _: {"plan": masks.plan},
    "OutcomeReport": lambda masks, _: {
        "outcome": lambda outcome: _masked(
            outcome, plan=masks.plan, actual=masks.snapshot, mismatches=masks.changes
        )
    },
    "SavedPlanReport": lambda masks, _: {
        "status": lambda status: _masked(status, changes=masks.changes),
        "plan": masks.plan,
    },
    "ForeignReport": lambda masks, _: {
        "outcome": lambda rows: rows and tuple((name, masked(value)) for name, value in rows),
        "plan": lambda plan: _masked(plan, steps=_each(masks.step)),
    },
    "HistoryReport": lambda masks, _: {"entries": _each(masks.entry)},
    "WritersReport": lambda masks, _: {"writers": _each(masks.writer)},
    "HistoryEntry": lambda masks, _: {"changes": masks.changes, "origin": masks.origin},
    "WhyReport": lambda masks, _: dict.fromkeys(
        ("versions", "features", "absent"), _each(lambda item: _masked(item, since=masks.origin))
    ),
    "DiffReport": lambda masks, _: {"changes": masks.changes},
    "ValidationReport": lambda masks, _: {
        "findings": _each(masks.finding),
        "suppressed": _each(lambda entry: _masked(entry, finding=masks.finding)),
    },
    "Failure": _of_failure,
}
"""The parts of each kind of report that can hold secrets, by type name, and what masks them."""
