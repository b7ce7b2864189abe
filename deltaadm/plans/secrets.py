"""Masking of what looks like a secret in properties and texts, in reports and plans."""

from __future__ import annotations

from functools import partial
from operator import is_

from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.wire import Metadata
from deltaadm.errors import Refused
from deltaadm.json_values import compact
from deltaadm.limits import load_json
from deltaadm.masking import MASK, is_secret, masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Final

    from deltaadm.blocks import Report
    from deltaadm.domain.steps import Step
    from deltaadm.plans.diff import Change
    from deltaadm.plans.plan import Plan, Stage
    from deltaadm.rules.rule import Finding


def without_secrets(report: Report) -> Report:
    """*report* with masks for secrets; the same object where there are none."""
    mask = _MASKS.get(type(report).__name__)
    shown: Report = report if mask is None else mask(Masker(), report)
    return shown


def require_no_secrets(steps: Iterable[Step], settings: Mapping[str, str]) -> None:
    """
    Raise `Refused` where *steps* or *settings* set a secret: no plan file may hold one.

    So too where only its mask is left, which would become the value.
    """
    given = [getattr(step, name) for step in steps for name in step.secret_fields]
    for values in (*given, settings):
        for key, value in _entries(values):
            if isinstance(value, str) and (is_secret(key, value) or _is_mask(value)):
                raise Refused(
                    f"The plan sets {key}, which looks like a secret, and no plan file may hold "
                    "one.",
                    remedy="Carry it out as it is planned: with --apply, without --out, one table "
                    "at a time.",
                )


def _entries(values: Snapshot | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if not isinstance(values, Snapshot):
        yield from values.items()
        return
    yield from values.metadata.configuration.items()
    if values.metadata.format is not None:
        yield from (values.metadata.format.options or {}).items()


def _is_mask(value: str) -> bool:
    rest = value.removeprefix(MASK)
    return rest != value and (not rest or (rest[:2] == " (" and rest[2:-1].isdecimal()))


def _with(given: Any, **parts: Any) -> Any:
    """*given* with these *parts*; the same object where they are what it has."""
    same = all(part is getattr(given, name) for name, part in parts.items())
    return given if same else replace(given, **parts)


def _mask_each(mask: Callable[[Any], Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Apply *mask* to each item; return the same tuple if nothing changes."""
    masked = tuple(map(mask, given))
    return given if all(map(is_, masked, given)) else masked


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
        masked = {
            key: self.value(key, value) if isinstance(value, str) else value
            for key, value in given.items()
        }
        return given if masked == given else masked

    def texts(self, given: Any) -> Any:
        """Mask the texts in a JSON value."""
        if isinstance(given, str):
            shown = masked(given)
            return given if shown == given else shown
        if isinstance(given, dict):
            return {key: self.texts(value) for key, value in given.items()}
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
        """Mask what a commit says of itself."""
        names = ("operation", "engine", "user")
        return _with(given, **{name: self.texts(getattr(given, name)) for name in names})

    def metadata(self, given: Metadata) -> Metadata:
        """Mask properties, options of the format, name, description and comments."""
        form = given.format
        if form is not None and form.options:
            form = _with(form, options=self.entries(form.options))
        shown: Metadata = _with(
            given,
            name=self.texts(given.name),
            description=self.texts(given.description),
            schema_string=self.schema(given.schema_string),
            configuration=self.entries(given.configuration),
            format=form,
        )
        return shown

    def snapshot(self, given: Snapshot) -> Snapshot:
        """Mask the metadata."""
        masked: Snapshot = _with(given, metadata=self.metadata(given.metadata))
        return masked

    def step(self, given: Step) -> Step:
        """Mask the fields that may hold secrets."""
        masked: Step = _with(
            given, **{name: self._value(getattr(given, name)) for name in given.secret_fields}
        )
        return masked

    def _value(self, given: Any) -> Any:
        return self.snapshot(given) if isinstance(given, Snapshot) else self.entries(given)

    def change(self, given: Change) -> Change:
        """Its values."""
        place, _, key = given.subject.partition("[")
        before, after = (
            self._changed(place, key.removesuffix("]"), value)
            for value in (given.before, given.after)
        )
        return replace(given, before=before, after=after)

    def _changed(self, place: str, key: str, value: Any) -> Any:
        if place == "format" and isinstance(value, dict):
            return value | {"options": self.entries(value.get("options") or {})}
        in_properties = place == "configuration" and isinstance(value, str)
        return self.value(key, value) if in_properties else self.texts(value)

    def plan(self, given: Plan) -> Plan:
        """Its states, its steps and its settings."""
        settings = given.session
        masked: Plan = _with(
            given,
            before=self.snapshot(given.before),
            stages=_mask_each(self._stage, given.stages),
            session=_with(settings, property_defaults=self.entries(settings.property_defaults)),
            findings=_mask_each(self.finding, given.findings),
        )
        return masked

    def finding(self, given: Finding) -> Finding:
        """The steps that would fix it."""
        masked: Finding = _with(given, fix=_mask_each(self.step, given.fix))
        return masked

    def _stage(self, given: Stage) -> Stage:
        masked: Stage = _with(given, step=self.step(given.step), after=self.snapshot(given.after))
        return masked


def _outcome(masks: Masker, report: Any) -> Any:
    outcome = report.outcome
    masked = _with(
        outcome,
        plan=masks.plan(outcome.plan),
        actual=masks.snapshot(outcome.actual),
        mismatches=tuple(map(masks.change, outcome.mismatches)) or outcome.mismatches,
    )
    return _with(report, outcome=masked)


def _saved_plan(masks: Masker, report: Any) -> Any:
    changes = tuple(map(masks.change, report.status.changes))
    status = (
        report.status
        if changes == report.status.changes
        else replace(report.status, changes=changes)
    )
    return _with(report, plan=masks.plan(report.plan), status=status)


def _foreign(masks: Masker, report: Any) -> Any:
    outcome = report.outcome
    if outcome is not None:
        outcome = tuple((name, masked(value)) for name, value in outcome)
    plan = _with(report.plan, steps=_mask_each(masks.step, report.plan.steps))
    return _with(report, plan=plan, outcome=outcome)


def _validation(masks: Masker, report: Any) -> Any:
    def suppressed(entry: Any) -> Any:
        return _with(entry, finding=masks.finding(entry.finding))

    return _with(
        report,
        findings=_mask_each(masks.finding, report.findings),
        suppressed=_mask_each(suppressed, report.suppressed),
    )


def _failure(masks: Masker, report: Any) -> Any:
    metadata = report.error.established.get("metadata")
    if not isinstance(metadata, dict):
        return report
    masked = masks.metadata(Metadata.from_wire(metadata))
    known = report.error.established | {"metadata": masked.to_wire()}
    return replace(report, established=known)


def _history(masks: Masker, report: Any) -> Any:
    return _with(report, entries=_mask_each(partial(_entry, masks), report.entries))


def _entry(masks: Masker, report: Any) -> Any:
    return _with(_changes(masks, report), origin=masks.origin(report.origin))


def _why(masks: Masker, report: Any) -> Any:
    def dated(item: Any) -> Any:
        return item if item.since is None else _with(item, since=masks.origin(item.since))

    groups = ("versions", "features", "absent")
    return _with(report, **{name: _mask_each(dated, getattr(report, name)) for name in groups})


def _changes(masks: Masker, report: Any) -> Any:
    masked = tuple(map(masks.change, report.changes))
    return report if masked == report.changes else replace(report, changes=masked)


_MASKS: Final[Mapping[str, Callable[[Masker, Any], Any]]] = {
    "TableReport": lambda masks, report: _with(report, snapshot=masks.snapshot(report.snapshot)),
    "PlanReport": lambda masks, report: _with(report, plan=masks.plan(report.plan)),
    "OutcomeReport": _outcome,
    "SavedPlanReport": _saved_plan,
    "ForeignReport": _foreign,
    "HistoryReport": _history,
    "HistoryEntry": _entry,
    "WhyReport": _why,
    "DiffReport": _changes,
    "ValidationReport": _validation,
    "Failure": _failure,
}
"""The function that masks each kind of report that can hold secrets, by type name."""
