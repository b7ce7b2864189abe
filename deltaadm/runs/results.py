"""Results of the Python API: a report, with all the forms in which it can be had."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from deltaadm.documents import document, kind_of_document
from deltaadm.formats import Style
from deltaadm.plans.diff import Change
from deltaadm.plans.plan import Plan, PlannedChange
from deltaadm.plans.reports import OutcomeReport, PlanReport, committed_words
from deltaadm.plans.secrets import without_secrets
from deltaadm.runs.files import save_plan
from deltaadm.runs.output import rendered

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# Rows


def _columns(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """The type of each field that is no object, by its path; None if it is given as JSON."""
    for name, field in schema["properties"].items():
        left = [each for each in field.get("anyOf", ()) if each != {"type": "null"}]
        known = left[0] if len(left) == 1 else field
        if known.get("type") == "object" and "properties" in known:
            yield from _columns(known, (*path, name))
        else:
            yield (*path, name), "string" if "enum" in known else _PLAIN.get(known.get("type", ""))


_PLAIN: Final = {"string": "string", "integer": "int64", "boolean": "bool"}
"""Arrow's names of types in schemas."""


# Results


R = TypeVar("R")


class Result(Generic[R]):
    """
    A `report`, which is a value, and what becomes of it: a dictionary, a table, text, a page.

    Attributes of the report are attributes of the result. Notebooks show the page's blocks. Secrets
    among the properties of a table are masked in all forms, except in the report itself, unless the
    table was opened with `show_secrets`.
    """

    def __init__(self, report: R, *, show_secrets: bool = False) -> None:
        self.report = report
        self._show_secrets = show_secrets

    @property
    def kind(self) -> str:
        """The name of its document, which docs/json.md describes and `deltaadm schema` knows."""
        name: str = self._shown.document
        return name.replace("_", "-")

    @property
    def _shown(self) -> Any:
        report: Any = self.report
        return report if self._show_secrets else without_secrets(report)

    def to_dict(self) -> dict[str, Any]:
        """The document that `-o json` writes."""
        parsed: dict[str, Any] = json.loads(self.to_json())
        return parsed

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(document(self._shown))

    def to_arrow(self) -> pa.Table:
        """
        Its rows: features, findings, entries, changes, whatever it is a list of.

        The columns are the fields of the document; what is an array or of several types is JSON.
        Raises `TypeError` for a result that is no list.
        """
        import pyarrow as pa

        kind = self._shown.document
        if kind not in _ROWS:
            raise TypeError(f"{self.kind} is not a list of rows; to_dict() has it all.")
        field, arrays, names = _ROWS[kind], [], []
        rows = self.to_dict()[field]
        for path, of in _columns(kind_of_document(kind).schema["properties"][field]["items"]):
            values = rows
            for name in path:
                values = [None if value is None else value.get(name) for value in values]
            if of is None:
                values = [None if value is None else json.dumps(value) for value in values]
            arrays.append(pa.array(values, of or "string"))
            names.append(".".join(path))
        return pa.table(arrays, names=names)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a DataFrame; raises `ImportError` without pandas."""
        if find_spec("pandas") is None:
            raise ImportError("to_pandas() requires pandas: pip install pandas")
        return self.to_arrow().to_pandas()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "report":  # copies and pickles have no report at first
            raise AttributeError(name)
        return getattr(self.report, name)

    def __dir__(self) -> list[str]:
        named = (name for name in dir(self.report) if not name.startswith("_"))
        return sorted({*super().__dir__(), *named})

    def __repr__(self) -> str:
        words = ", ".join(self._words())
        return f"<deltaadm {self.kind}: {words}>"

    def _words(self) -> list[str]:
        document = self.to_dict()
        words = [str(document["table"])] if "table" in document else []
        version = document.get("version")
        words += [f"version {version}"] if isinstance(version, int) else []
        rows = _ROWS.get(self._shown.document, "")
        if isinstance(document.get(rows), list):
            count = len(document[rows])
            one = "entry" if rows == "entries" else rows[:-1]
            words.append(f"{count} {one if count == 1 else rows}")
        return words

    def __str__(self) -> str:
        style = Style(color="never", show_secrets=self._show_secrets)
        return rendered("text", [self._shown], style).rstrip("\n")

    def _repr_html_(self) -> str:
        from deltaadm.formats.html import html_fragment

        return html_fragment(self._shown)


_ROWS: Final[Mapping[str, str]] = {
    "inspect": "features",
    "why": "features",
    "validate": "findings",
    "history": "entries",
    "restorable": "versions",
    "diff": "changes",
    "plan": "changes",
    "drop_feature": "features",
}
"""The field that makes a document a list, by the module of the document."""


class PlanResult(Result[PlanReport]):
    """A plan for a table, which `Table.apply` carries out."""

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        return self.report.plan

    @property
    def changes(self) -> tuple[PlannedChange, ...]:
        """Its changes; none where the table is already as requested."""
        return self.plan.changes

    @property
    def is_noop(self) -> bool:
        """Whether there is nothing to do."""
        return self.plan.is_noop

    @property
    def sql(self) -> str:
        """Its statements, as `-o sql` gives them."""
        return rendered("sql", [self._shown], Style(show_secrets=self._show_secrets))

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the plan for `deltaadm apply`; raises `RefusedError` for one that sets a secret."""
        save_plan(Path(file), self.plan, self.report.table)

    def _words(self) -> list[str]:
        return [*super()._words(), *(["nothing to do"] if self.is_noop else [self.plan.cost.value])]


class OutcomeResult(Result[OutcomeReport]):
    """The outcome of a plan."""

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that were committed."""
        return self.report.outcome.versions

    @property
    def mismatches(self) -> tuple[Change, ...]:
        """The differences of the table from the plan; there should be none."""
        return self.report.outcome.mismatches

    def _words(self) -> list[str]:
        different = ["the result differs from the plan"] if self.mismatches else []
        return [self.report.table, committed_words(self.versions), *different]
