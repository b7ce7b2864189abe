"""The same sample reports in every format, as they were when somebody last looked at them."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest

from deltaadm import __version__
from deltaadm.domain.model.features import FEATURES
from deltaadm.operations.client_catalogue import explain_client
from deltaadm.operations.compare import DiffReport
from deltaadm.operations.history import HistoryReport
from deltaadm.operations.inspect import TableReport
from deltaadm.operations.reports import (
    ClientExplanation,
    FeatureCatalogue,
    FeatureExplanation,
    ForeignReport,
    PlanReport,
    SavedPlanReport,
)
from deltaadm.operations.why import WhyReport
from deltaadm.render.formats import FORMATS, Style, formats_for, render
from deltaadm.validation.finding import ValidationReport
from tests.support import samples

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

GROUPS = {
    "validations": samples.validations,
    "inspections": samples.inspections,
    "plans": samples.plans,
    "plans with findings": samples.plans_with_findings,
    "plans for clients": samples.plans_for_clients,
    "feature": samples.features,
    "histories": samples.histories,
    "saved plans": samples.saved_plans,
    "client": lambda _: (explain_client("hive"),),
    "explanations": samples.explanations,
    "differences": samples.differences,
    "other provider": lambda _: samples.best_effort(),
    "other provider altered": lambda _: samples.foreign_changes(),
}
CASES = [
    pytest.param(name, group, id=f"{group}-{name}")
    for group, shows in (
        ("validations", ValidationReport),
        ("inspections", TableReport),
        ("plans", PlanReport),
        ("plans with findings", PlanReport),
        ("plans for clients", PlanReport),
        ("feature", FeatureExplanation),
        ("histories", HistoryReport),
        ("saved plans", SavedPlanReport),
        ("client", ClientExplanation),
        ("explanations", WhyReport),
        ("differences", DiffReport),
        ("other provider", ForeignReport),
        ("other provider altered", ForeignReport),
    )
    for name in formats_for(shows)
    if name not in {"jsonl", "yaml", "name"} or group == "validations"
]


def shown(name: str, group: str, path: Path, color: str = "never") -> str:
    out = StringIO()
    fitting = [
        report for report in GROUPS[group](path) if FORMATS[name].shows(type(report).__name__)
    ]
    render(name, fitting, out, Style(color=color, width=100))
    return out.getvalue().replace(__version__, "VERSION")


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize(("name", "group"), CASES)
def test_output_is_as_it_was(
    name: str, group: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert shown(name, group, tmp_path) == snapshot


@pytest.mark.parametrize("width", [100, 80, 70, 60, 40])
def test_narrow_terminals_show_columns_as_before(width: int, snapshot: SnapshotAssertion) -> None:
    names = ("appendOnly", "catalogOwned-preview", "columnMapping", "deletionVectors")
    out = StringIO()
    catalogue = FeatureCatalogue(tuple(FEATURES[name] for name in names))
    render("text", [catalogue], out, Style(color="never", width=width))
    assert out.getvalue() == snapshot


@pytest.mark.parametrize("group", ["validations", "plans"])
def test_coloured_text_is_as_it_was(
    group: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert shown("text", group, tmp_path, color="always") == snapshot
