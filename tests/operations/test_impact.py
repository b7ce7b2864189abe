"""What plans say that they interrupt is what came of it when Delta Spark carried out each step."""

from pathlib import Path

from deltaadm.plans.impact import TRIGGERS, Consequence, interruptions, rows
from deltaadm.plans.plan import propose
from tests.support import cases
from tests.support.program import deltaadm
from tests.support.tables import (
    Action,
    column,
    commit,
    commit_info,
    metadata,
    protocol,
    schema,
    table,
    txn,
)
from tools.record_impact import ALLOWED, CASES, Case, recorded

RECORDED = recorded()
CALLED = {
    "append": "open transactions",
    "update": "open transactions",
    "append afterwards": "batch writers of the earlier columns",
    "stream sink": "streams that write the earlier columns",
    "dataframe": "DataFrames made before",
    "change feed": "reads of changes across this version",
    "stream": "streams that read the table",
    "change feed stream": "streams that read changes",
    "stream with schemaTrackingLocation": "streams with schemaTrackingLocation",
}
"""What a plan calls each work that was recorded; it says nothing of other ones."""
READING = ("change feed", "change feed stream")
AT_ONCE = ("append", "update")
MADE_AGAIN = ("dataframe", *AT_ONCE)

Answer = tuple[Consequence, str] | None


def outcome(work: str, answer: str | list[str]) -> Answer:
    """What has come of a work, in the words of the program."""
    answers = [answer] if isinstance(answer, str) else answer
    if work == "stream sink":  # the first of its batches is an open transaction
        answers = answers[1:]
    errors = [each for each in answers if not each.endswith("ok")]
    if not errors:
        return None
    if answers[-1] == f"{ALLOWED}ok":
        return Consequence.CONSENT, errors[-1]
    goes_on = answers[-1] == "ok" or work in MADE_AGAIN
    return Consequence.ONCE if goes_on else Consequence.FAILS, errors[-1].removeprefix(ALLOWED)


def said(case: Case) -> dict[str, Answer]:
    plan = propose("alter", case.before, [case.step], check_outcome=False)
    return {row.work: (row.consequence, row.error_class) for row in interruptions(plan)}


@cases.each("name", [n for n in CASES if n in RECORDED])
def test_a_plan_says_what_came_of_each_work(name: str) -> None:
    row, without, with_feed = RECORDED[name], said(CASES[name]), said(CASES[name].with_feed)
    # To replace a table without any property by the same is nothing to deltaadm.
    without = without or with_feed if name == "replace table" else without
    for work, answer in row.items():
        told = with_feed if "change feed" in work else without
        found = outcome(work, answer)
        if work in {"time travel", "shallow clone"}:
            assert found is None
        elif work == "stream restarted":
            assert answer == ["ok"] or outcome("stream", answer) == told[CALLED["stream"]]
        elif work == "change feed stream":
            assert (told.get("streams that read changes") or told.get(CALLED["stream"])) == found
        else:
            assert told.get(CALLED[work]) == found, work
    assert row["stream sink"][0] == row.get("append", row["stream sink"][0])


def test_each_row_was_recorded_or_has_a_source() -> None:
    seen = {
        (CALLED.get(work), *(outcome(work, answer) or ()))
        for row in RECORDED.values()
        for work, answer in row.items()
    }
    for row in rows():
        assert row.when in TRIGGERS
        assert row.source or (row.work, row.consequence, row.error_class) in seen, row


MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}
NAMES = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "p"}


def lake(path: Path, *more: Action, **configuration: str) -> Path:
    described = metadata(MAPPED | configuration, schemaString=schema(column("a", **NAMES)))
    versions = protocol(2, 7, None, ["columnMapping", "icebergCompatV2"])
    first = versions if configuration else protocol(2, 5)
    table(path / "t", commit(commit_info(), first, described, *more))
    return path / "t"


def test_the_applications_that_wrote_are_named_where_the_state_was_loaded(tmp_path: Path) -> None:
    path = lake(tmp_path, *(txn(f"app-{number}", number) for number in range(5)))
    drop = ("drop-feature", path, "columnMapping")
    assert "by their ids: app-4, app-3, app-2 and 2 more" in " ".join(deltaadm(*drop).out.split())
    assert "app-0" in deltaadm(*drop, "-v").out
    assert "app-0" in deltaadm(*drop, "-o", "html").out
    assert len(deltaadm(*drop, "-o", "json").document["applications"]) == 5
    unloaded = ("alter", path, "--rename-column", "a=b")
    assert deltaadm(*unloaded, "-o", "json").document["applications"] is None
    assert "by their ids" not in deltaadm(*unloaded).out


def test_only_what_stops_is_shown_and_the_rest_with_details(tmp_path: Path) -> None:
    path = lake(tmp_path)
    rename = ("alter", path, "--rename-column", "a=b")
    short, full = deltaadm(*rename), deltaadm(*rename, "-v")
    assert "fail once: open transactions" in short.out
    assert "DELTA_METADATA_CHANGED" not in short.out
    assert "DELTA_METADATA_CHANGED" in full.out
    assert "reads of changes" not in full.out  # there is no change data feed
    assert "Interrupts" not in deltaadm("alter", path, "--set", "a=1", "--unset", "a").out
    new = deltaadm("create", tmp_path / "new", "--schema", "a INT", "-o", "json")
    assert new.document["interrupts"] == []


def test_what_is_known_from_documents_names_them(tmp_path: Path) -> None:
    iceberg = {"enableIcebergCompatV2": "true", "universalFormat.enabledFormats": "iceberg"}
    path = lake(tmp_path, **{f"delta.{key}": value for key, value in iceberg.items()})
    change = ("alter", path, "--add-column", "b INT")
    assert "Iceberg" not in deltaadm(*change).out
    assert "docs.delta.io/3.1.0/delta-uniform.html" in " ".join(deltaadm(*change, "-v").out.split())
