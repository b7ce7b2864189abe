"""One set of reports for every output format, and the strings that no format may obey."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from deltaadm.blocks import Check, Health
from deltaadm.catalog_table import CatalogTable
from deltaadm.clients import Access, parse_client
from deltaadm.documents import Failure, document
from deltaadm.domain.actions import CLUSTERING_DOMAIN
from deltaadm.domain.ddl import parse_definitions
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import FileFacts
from deltaadm.domain.steps import (
    ClusterBy,
    ColumnChange,
    CreateTable,
    CreationMode,
    SetProperties,
    Step,
)
from deltaadm.domain.steps.table import no_table
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.domain.transaction.removal import FeatureHistory
from deltaadm.domain.wire import CommitInfo, merged, writer_of
from deltaadm.errors import CommitError, RefusedError, StorageError, TableError
from deltaadm.plans.alter import TableChanges, plan_changes, read_schema
from deltaadm.plans.checkpoint import TableState
from deltaadm.plans.diff import Change, ChangeKind
from deltaadm.plans.features import DropReport, DropStatus, Phase, plan_features, plan_mapping_mode
from deltaadm.plans.foreign import plan_foreign_changes, plan_foreign_creation
from deltaadm.plans.goals import plan_for_clients as plan_goals
from deltaadm.plans.plan import Goal, propose
from deltaadm.plans.repair.repair import Repair, RepairOutcome, RepairPlan
from deltaadm.plans.reports import (
    ConcurrentChange,
    Entry,
    ForeignReport,
    JournalReport,
    Outcome,
    OutcomeReport,
    PlanReport,
    PlanState,
    PlanStatus,
    SavedPlanReport,
)
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.reports.catalogues import (
    ClientExplanation,
    FeatureExplanation,
    explain_client,
    explain_feature,
    forecast,
    list_clients,
    list_features,
)
from deltaadm.reports.diff import ComparedState, DiffReport, compare
from deltaadm.reports.explain import EngineMessage, explain, list_rules
from deltaadm.reports.history import (
    Clone,
    HistoryReport,
    Origin,
    RestorableReport,
    Section,
    Span,
    WritersReport,
    entries,
)
from deltaadm.reports.inspect import ClientView, TableReport, describe
from deltaadm.reports.installation import DoctorReport, SettingsReport, SettingValue
from deltaadm.reports.repair import UndoReport
from deltaadm.reports.validate import RuleCount, StatisticsReport
from deltaadm.reports.why import ForClientReport, WhyReport, explain_protocol, for_client
from deltaadm.rules.rule import Cause, Finding, Severity, Suppressed, ValidationReport
from deltaadm.storage.store import open_store
from tests.support import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deltaadm.blocks import Report
    from deltaadm.domain.snapshot import Snapshot

    _Make = TypeVar("_Make", bound=Callable[[Path], Iterable[Report]])

LOCATION: Final = "/data/events"


class Group(NamedTuple):
    """Sample reports, written below a directory, and their *kind*, whose formats show them."""

    kind: type[Report]
    make: Callable[[Path], Iterable[Report]]


GROUPS: Final[dict[str, Group]] = {}
"""What each format has shown is kept of every group, by the name of the function."""


def group(kind: type[Report]) -> Callable[[_Make], _Make]:
    """The function makes a group of samples of this *kind*."""

    def register(make: _Make) -> _Make:
        GROUPS[make.__name__.replace("_", " ")] = Group(kind, make)
        return make

    return register


def snapshot(path: Path, *actions: tables.Action, root: str = LOCATION) -> Snapshot:
    """The table that *actions* make, as if it were at *root*."""
    table = tables.Table(path)
    body = "\n".join(json.dumps(action) for action in actions)
    table.write(f"{0:020d}.json", body, modified=1_700_000_000_000)
    found = load_snapshot(open_store(str(path)), detail=Detail.STATE)
    return replace(found, root=root)


def column(name: str, number: int, kind: Any = "long") -> dict[str, Any]:
    mapping = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{name}"}
    return {"name": name, "type": kind, "nullable": True, "metadata": mapping}


def schema(*columns: dict[str, Any]) -> str:
    return json.dumps({"type": "struct", "fields": columns})


def events(path: Path) -> Snapshot:
    """A table with mapped columns, and a feature whose requirement the protocol lacks."""
    return snapshot(
        path,
        tables.protocol(
            3,
            7,
            ["columnMapping", "deletionVectors"],
            ["columnMapping", "deletionVectors", "icebergCompatV1", "rowTracking"],
        ),
        tables.metadata(
            {
                "delta.columnMapping.mode": "name",
                "delta.columnMapping.maxColumnId": "2",
                "delta.enableDeletionVectors": "true",
                "owner": "me",
            },
            name="events",
            description="What happened",
            partitionColumns=["day"],
            schemaString=schema(column("id", 1), column("day", 2, "date")),
        ),
        tables.add("day=1/a.parquet", 10, partitionValues={"col-day": "2026-11-21"}),
        tables.add("day=1/b.parquet", 20, partitionValues={"col-day": "2026-11-21"}),
    )


def orders(path: Path) -> Snapshot:
    """A table of the first protocol."""
    return snapshot(
        path,
        tables.protocol(1, 2),
        tables.metadata({"delta.appendOnly": "true"}),
        root="/data/orders",
    )


def finding(number: int, severity: Severity, message: str, **more: Any) -> Finding:
    given = {"name": "sample-rule", "remedy": "Mend it."} | more
    return Finding(code=f"DL99{number}", severity=severity, message=message, **given)


FINDINGS: Final = (
    finding(1, Severity.ERROR, "rowTracking requires domainMetadata, which the protocol lacks.",
        where="protocol.writerFeatures[domainMetadata]", remedy="Add the feature.",
        fix=(SetProperties({"delta.feature.domainMetadata": "supported"}),)),
    finding(2, Severity.ERROR, "Line 3 is no JSON.", where="_delta_log/00000000000000000002.json"),
    finding(3, Severity.WARNING, "No statistics.", where="day=1/a.parquet", remedy=""),
    finding(3, Severity.WARNING, "Odd.", where="schema[address.city]"),
    finding(3, Severity.WARNING, "Odd again.", where="schema[address.city]"),
    finding(4, Severity.INFO, "icebergCompatV1 is not used."),
)  # fmt: skip


@group(ValidationReport)
def validations(path: Path) -> tuple[Report, ...]:
    """A table with findings of every severity, one without, one that stops short, and none."""
    known = finding(5, Severity.ERROR, "Known for long.", where="configuration[owner]")
    return (
        ValidationReport(
            table="events",
            version=0,
            findings=FINDINGS,
            more={"DL993": 7},
            suppressed=(
                Suppressed(known, Cause.BASELINE),
                Suppressed(replace(known, where="id"), Cause.SETTINGS, "Told to the owner."),
            ),
            rules=177,
            depth=("history",),
            snapshot=events(path / "events"),
        ),
        ValidationReport(
            table="orders", version=0, findings=(), rules=177, snapshot=orders(path / "orders")
        ),
        ValidationReport(
            table="/data/broken",
            version=None,
            findings=(finding(6, Severity.ERROR, "Commit 3 is missing."),),
            stopped="Commit 3 is missing.",
            versions=(0, 2),
            rules=177,
        ),
        Failure("s3://bucket/none", StorageError("There is no such bucket.", remedy="Look.")),
    )


@group(WritersReport)
def writers(_: Path) -> tuple[Report, ...]:
    """Writers that are known, that tell no release and that do not say who they are, and none."""
    names = ["Apache-Spark/4.2.0 Delta-Lake/4.4.0", "Databricks-Runtime/<unknown>", "x/1", None]
    infos = [
        {"engineInfo": name, "operation": "WRITE", "timestamp": 1_700_000_000_000 + number}
        for number, name in enumerate(names)
    ]
    found = merged(writer_of([("commitInfo", info), ("txn", {"appId": "q1"})]) for info in infos)
    report = WritersReport("events", LOCATION, found)
    return (report, replace(report, writers=()))


@group(TableReport)
def inspections(path: Path) -> tuple[Report, ...]:
    """Tables as `inspect` shows them, and one that it cannot."""
    known = describe("events", events(path / "events"), columns=True)
    unread = replace(events(path / "advised"), files=None)
    advised = describe("advised", unread, advice=True, clients=ClientView.MATRIX)
    return (
        replace(known, clients=known.clients[:2]),  # what becomes known of others is not our matter
        replace(advised, clients=advised.clients[:8]),
        replace(describe("orders", replace(orders(path / "orders"), files=None)), clients=()),
        Failure("nowhere", TableError("There is no table at nowhere.", remedy="Check the path.")),
    )


def clustered(path: Path, *columns: str) -> Snapshot:
    """A mapped table that is clustered by *columns*, in their physical names."""
    domain = {
        "clusteringColumns": [column.split(".") for column in columns],
        "domainName": CLUSTERING_DOMAIN,
    }
    return snapshot(
        path,
        tables.protocol(3, 7, ["columnMapping"], ["columnMapping", "clustering", "domainMetadata"]),
        tables.metadata(
            {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"},
            schemaString=schema(column("id", 1), column("day", 2, "date")),
        ),
        tables.domain(CLUSTERING_DOMAIN, json.dumps(domain)),
        root="/data/visits",
    )


@group(PlanReport)
def plans_with_findings(path: Path) -> tuple[Report, ...]:
    """Plans that break clustering or keep it, and one for a table that has lost it."""
    whole = clustered(path / "whole", "col-id", "col-day")
    broken = clustered(path / "broken", "col-gone")
    breaking = propose("alter", whole, [SetProperties({"delta.dataSkippingNumIndexedCols": "0"})])
    repairing = propose("validate", broken, [ClusterBy((("day",),))])
    found = finding(1, Severity.ERROR, "It cannot be written.", where="schema[id]")
    return (
        PlanReport("visits", breaking),
        PlanReport("visits", replace(breaking, findings=(*breaking.findings, found, *FINDINGS))),
        PlanReport("visits", plan_mapping_mode(whole, ColumnMappingMode.NONE)),
        PlanReport("visits", repairing),
        OutcomeReport("visits", Outcome(plan=repairing, actual=repairing.after, versions=(1,))),
    )


@group(RepairPlan)
def repairs(_: Path) -> Iterator[Report]:
    """What is repaired, what is refused, what is only reported, and an outcome."""
    counts = {"add": 5, "protocol": 1, "metaData": 1, "txn": 2}
    after = TableState(7, dict.fromkeys(counts, "a"), counts, 1500)
    before = TableState(7, {**after.digests, "add": "b"}, {**counts, "add": 4}, 1200)
    wrong = Repair(
        kind="checkpoint",
        rule="DL609",
        wrong="The checkpoint of version 6 differs from the older files in add.",
        files={f"{6:020d}.checkpoint.parquet": 6},
        alters=("add",),
        effect="Of live files, readers will see 1 more and 0 fewer.",
        unproved=("That the checkpoint of version 3 is right.",),
    )
    torn = Repair(
        kind="checkpoint",
        rule="DL612",
        wrong="The checkpoint of version 3 cannot be read.",
        refusal="it is the only source of version 3",
        remedy="Restore it from a backup.",
    )
    orphan = Repair(kind="sidecar", rule="DL615", wrong="2 sidecars belong to no checkpoint.")
    journal = "_deltaadm_quarantine/20260101T000000Z-0a1b/journal.json"
    sound = RepairPlan(table="events", location=LOCATION, repairs=())
    yield sound
    plan = replace(sound, repairs=(wrong, torn, orphan), before=before, after=after)
    yield plan
    yield replace(plan, outcome=RepairOutcome(journal, after, proved=False))
    blocked = replace(sound, repairs=(wrong,), after=after, blocked="It has a gap.")
    yield blocked
    yield replace(blocked, outcome=RepairOutcome(journal, after, proved=True))


@group(PlanReport)
def plans(path: Path) -> tuple[Report, ...]:
    """A plan, an empty one, and outcomes with and without differences."""
    start = orders(path / "orders")
    plan = plan_features(start, ["rowTracking"])
    empty = plan_changes(start, TableChanges(set_properties={"delta.appendOnly": "true"}))
    change = Change(ChangeKind.SET, "configuration[owner]", "me", "you")
    done = Outcome(plan=plan, actual=plan.after, versions=(1,))
    others = ConcurrentChange(1, (change,)), ConcurrentChange(3, (change,))
    return (
        PlanReport("orders", plan),
        PlanReport("orders", empty),
        OutcomeReport("orders", done),
        OutcomeReport("orders", replace(done, mismatches=(change,))),
        OutcomeReport("orders", replace(done, versions=(2,), concurrent=others)),
    )


@group(PlanReport)
def plans_for_clients(path: Path) -> tuple[Report, ...]:
    """A plan for a client that can be reached and one that cannot, and one that renames."""
    properties = {f"team.property{number:02}": str(number) for number in range(12)}
    wide = snapshot(
        path / "wide",
        tables.protocol(3, 7, ["typeWidening", "timestampNtz"], ["typeWidening", "timestampNtz"]),
        tables.metadata({"delta.enableTypeWidening": "true", **properties}),
        root="/data/wide",
    )
    goals = (Goal(parse_client(name), Access.READ) for name in ("polars", "hive"))
    planned = plan_goals(wide, lambda _: FeatureHistory(first=0), goals, now=0)
    mapped = clustered(path / "clustered", "col-day")
    renamed = plan_changes(mapped, TableChanges(rename={("id",): "number"}))
    return PlanReport("wide", planned), PlanReport("visits", renamed)


@group(SavedPlanReport)
def saved_plans(path: Path) -> tuple[Report, ...]:
    """A plan that can be applied, one that is, one that cannot be any more, and a journal."""
    start = orders(path / "orders")
    planned = plan_features(start, ["deletionVectors"])
    small = plan_changes(start, TableChanges(set_properties={"team": "web"}))
    changed = Change(ChangeKind.SET, "configuration[delta.appendOnly]", "false", "true")
    moved = CommitError("The table has changed.", remedy="Plan again.")
    lost = TableError("There is no Delta table at /data/orders.", remedy="")
    statuses = (
        PlanStatus(PlanState.READY, 8),
        PlanStatus(PlanState.DONE, 9),
        PlanStatus(PlanState.OBSOLETE, 9, (changed,), moved),
        PlanStatus(PlanState.UNKNOWN, error=lost),
    )
    failed = document(Failure("t2", moved))
    lines = (
        Entry("5f", "t1", "begun", None),
        Entry("60", "t2", "failed", failed),
        Entry("61", "t3", "done", {"no": "outcome"}),
    )
    return (
        SavedPlanReport("orders", planned, statuses[0]),
        *(SavedPlanReport("orders", small, status) for status in statuses[1:]),
        JournalReport("plans.jsonl.journal", lines),
    )


@group(HistoryReport)
def histories(path: Path) -> tuple[Report, ...]:
    """A table's whole history, one that begins with a checkpoint and stops short, and none."""
    start, mapped = orders(path / "orders"), events(path / "events")
    info = CommitInfo(
        operation="SET TBLPROPERTIES", engine_info="Delta-Lake/4.4.0", user_name="ann"
    )
    later = replace(mapped, version=7, timestamp=1_700_000_060_000, commit_info=info)
    every = tuple(Section)
    whole = tuple(
        entries("t", no_table(start.root), [(no_table(start.root), start)], every, with_base=True)
    )
    short = tuple(entries("t", start, [(start, later)], every, with_base=True))
    report = HistoryReport(
        table="t", location=LOCATION, last=9, sections=every, entries=whole, stopped=None
    )
    return (
        report,
        replace(report, entries=short, stopped="The log file 8.json cannot be read."),
        replace(report, entries=(), sections=(Section.PROTOCOL, Section.FEATURES)),
        replace(short[1], changes=short[1].changes[:2]),
    )


@group(RestorableReport)
def horizons(_path: Path) -> tuple[Report, ...]:
    """Versions that are lost, limited and fine with a clone, and a table of which nobody knows."""
    spans = (
        Span(2, 3, opened=False, allowed=False, ending=False),
        Span(4, 5, opened=True, allowed=False, ending=True),
        Span(6, 9, opened=True, allowed=True, ending=False),
    )
    moments = {"cleaned_at": 1_700_000_000_000, "allowed_until": 1_700_000_060_000}
    found = RestorableReport(
        table="events", location=LOCATION, name=None, spans=spans, missing=2, outside=0,
        live=FileFacts(files=3, bytes=300), history=FileFacts(files=1_005, bytes=500_000),
        vacuum=FileFacts(files=1, bytes=100), cleaned_to=4, vacuum_at=1_700_000_120_000,
        clones=(Clone("clone", 4, 1), Clone("other", 1, 0)), unread=("x cannot be read.",),
        **moments,
    )  # fmt: skip
    unknown = (Span(0, 1, opened=None, allowed=True, ending=False),)
    rest = dict.fromkeys(("cleaned_at", "cleaned_to", "allowed_until", "vacuum_at"))
    none = FileFacts()
    return (
        found,
        replace(
            found, spans=unknown, outside=4, missing=0, vacuum=none, clones=(), unread=(), **rest
        ),
    )


@group(ForClientReport)
def uses(path: Path) -> tuple[Report, ...]:
    """Clients that can use a table, cannot, read it wrong, and of which nothing is known."""
    table = events(path / "events")
    clients = ("redshift", "delta-rs", "synapse", "athena")
    return tuple(
        for_client("events", table, parse_client(name), lambda _: FeatureHistory(first=0), now=0)
        for name in clients
    )


@group(WhyReport)
def explanations(path: Path) -> tuple[Report, ...]:
    """Why a table supports what it does, and why another one, of which the log has less."""
    mapped = replace(events(path / "events"), version=7, timestamp=1_700_000_060_000)
    start = orders(path / "orders")
    properties = json.dumps({"delta.feature.rowTracking": "supported"})
    info = CommitInfo(
        operation="SET TBLPROPERTIES",
        operation_parameters={"properties": properties},
        engine_info="Delta-Lake/4.4.0",
        user_name="ann",
    )
    changed = replace(mapped, commit_info=info)
    return (
        why("events", start, changed),
        why("events", mapped, words=("columnMapping", "reader", "v2Checkpoint")),
        why("orders", no_table(start.root), start, words=("appendOnly",)),
    )


def why(
    name: str, base: Snapshot, snapshot: Snapshot | None = None, words: Sequence[str] = ()
) -> WhyReport:
    """The report on *snapshot*, before which the table was as in *base*; without clients."""
    found = explain_protocol(
        name, snapshot or base, base, [(base, snapshot)] if snapshot else [],
        lambda _: FeatureHistory(first=0), words=words, now=0, session=SessionSettings(),
    )  # fmt: skip
    return replace(
        found,
        features=tuple(replace(feature, gains=feature.gains[:1]) for feature in found.features),
    )


@group(DiffReport)
def differences(path: Path) -> tuple[Report, ...]:
    """Two tables, two versions of one that are alike, and a table and a record of it."""
    first, second = orders(path / "orders"), events(path / "events")
    every = tuple(Section)
    old, new = ComparedState("orders", 0), ComparedState("events", 7)
    recorded = ComparedState("events", file="reference.json")
    return (
        DiffReport(
            before=old,
            after=new,
            sections=every,
            changes=compare(first, second, every, same_table=False),
        ),
        DiffReport(before=new, after=new, sections=every, changes=()),
        DiffReport(
            before=recorded,
            after=new,
            sections=(Section.CLUSTERING, Section.PROPERTIES),
            changes=(Change(ChangeKind.SET, "clusteringColumns", ["a"], ["a", "b"]),),
        ),
    )


@group(FeatureExplanation)
def feature(_: Path) -> tuple[Report, ...]:
    return (explain_feature("rowTracking"),)


@group(EngineMessage)
def engine_message(_: Path) -> tuple[Report, ...]:
    found = explain("Unsupported reader features required: [DeletionVectors, other]")
    return (cast("EngineMessage", found),)


@group(ClientExplanation)
def client(_: Path) -> tuple[Report, ...]:
    return (explain_client("hive"),)


@group(ForeignReport)
def other_provider(_: Path) -> Iterator[Report]:
    return foreign_creation()


@group(ForeignReport)
def other_provider_altered(_: Path) -> Iterator[Report]:
    return foreign_changes()


# hostile strings

HOSTILE: Final = {
    "terminal": "a\x00\x07\b\x0b\x1b[31mred\x1b]0;title\x07\x7f\x9b31m",
    "lines": "a\r\n::error::x\n##[error]x\n%0A::error::x\u2028\u2029\x85b",
    "command": "  ::add-mask::x,y:z%25%3A", "old-command": "a##[add-path]/evil",
    "html": "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": "\"'><svg/onload=alert(1)>&lt;&#106;",
    "style": "</style></title></pre></code></table>", "xml": "]]><!--<?x y?>&amp;&#0;<![CDATA[",
    "links": "[a](http://evil.example) ![i](http://evil.example/i.png) <http://evil.example>",
    "bare-links": "https://evil.example www.evil.example me@evil.example javascript:alert(1)",
    "mentions": "@user #1 :tada: $x$ GH-1 [^1]", "emphasis": "**b** _e_ ~~s~~ `c` ``d`` \\`e",
    "cells": "a | b \\| c || d |", "heading": "# a", "quote": "> a", "list": "- a",
    "number": "12. a", "rule": "---", "setext": "===", "fence": "```\na\n```",
    "bidi": "a\u202eb\u2066c\u200bd\ufeffe", "surrogates": "a\ud800b\udcffc",
    "noncharacters": "a\ufffe\uffff\ufdd0\U0001fffeb", "long": "x" * 5000, "empty": "",
}  # fmt: skip


def hostile_snapshot(path: Path, text: str) -> Snapshot:
    """A table all of whose names are *text*."""
    return snapshot(
        path,
        tables.protocol(3, 7, [text, "columnMapping"], [text, "columnMapping", "rowTracking"]),
        tables.metadata(
            {"delta.columnMapping.mode": text, text: text},
            id=text,
            name=text,
            description=text,
            partitionColumns=[text],
            schemaString=schema(column(text, 1)),
        ),
        tables.add(text),
        root=text,
    )


def hostile_history(found: Snapshot, text: str) -> HistoryReport:
    """What made such a table, in a commit that says so of everything."""
    before = no_table(found.root)
    made = entries(text, before, [(before, found)], tuple(Section), with_base=True)
    who = Origin(version=0, timestamp=0, operation=text, engine=text, user=text)
    shown = tuple(replace(entry, table=text, origin=who) for entry in made)
    return HistoryReport(
        table=text, location=text, last=0, sections=tuple(Section), entries=shown, stopped=text
    )


def hostile_reports(path: Path, text: str) -> Sequence[Report]:
    """Reports of each kind in which *text* stands wherever a table or a user can put it."""
    found = hostile_snapshot(path, text)
    fix: tuple[Step, ...] = (SetProperties({text or "key": text}),)
    bad = finding(1, Severity.ERROR, text, where=text, remedy=text, fix=fix)
    placed = finding(2, Severity.WARNING, f"{text} {text}", where=f"schema[{text}]")
    plan = plan_changes(
        orders(path.with_name("plain")), TableChanges(set_properties={"team": text})
    )
    error = TableError(text, remedy=text)
    return (
        ValidationReport(
            table=text,
            version=0,
            findings=(
                bad,
                bad,
                placed,
                finding(3, Severity.INFO, text, where=f"_delta_log/{text}"),
            ),
            suppressed=(Suppressed(placed, Cause.SETTINGS, text),),
            stopped=f"It stops at {text}",
            rules=177,
            snapshot=found,
        ),
        describe(text, found, columns=True),
        PlanReport(text, plan),
        OutcomeReport(
            text,
            Outcome(
                plan=plan,
                actual=plan.after,
                versions=(1,),
                mismatches=(Change(ChangeKind.SET, text, text, text),),
            ),
        ),
        Failure(text, error),
        hostile_history(found, text),
        RestorableReport(
            table=text,
            location=text,
            name=None,
            missing=0,
            outside=0,
            live=FileFacts(),
            spans=(Span(0, 0, True, True, False), Span(1, 1, True, True, True)),
            history=FileFacts(),
            vacuum=FileFacts(),
            cleaned_at=None,
            cleaned_to=None,
            allowed_until=None,
            vacuum_at=None,
            clones=(Clone(text, 1, 1),),
            unread=(text,),
        ),
        why(text, no_table(text), found),
        DiffReport(
            before=ComparedState(text, 0),
            after=ComparedState(text, file=text),
            sections=tuple(Section),
            changes=compare(no_table(text), found, tuple(Section), same_table=True),
        ),
        *foreign_creation(text, table=text, location=f"/data/{text}"),
        *foreign_changes(text, table=text, location=f"/data/{text}"),
    )


def foreign_creation(
    text: str = "since 2026", *, table: str = "shop.export", location: str = "/data/shop/export"
) -> Iterator[Report]:
    """A table of another provider: planned anew, planned in the place of another, and made."""
    step = CreateTable(
        mode=CreationMode.CREATE_OR_REPLACE,
        schema=read_schema("id BIGINT NOT NULL, day DATE"),
        partition_by=("day",), properties={"x": text}, write_options={"header": text}, comment=text,
        query="SELECT 1 AS id, DATE'2026-01-01' AS day",
    )  # fmt: skip
    old = CatalogTable("spark_catalog.shop.export", "orc", location, is_managed=True)
    for before in (None, old):
        plan = plan_foreign_creation(
            table, "spark_catalog.shop.export", step, provider="csv", location=location,
            before=before,
        )  # fmt: skip
        yield ForeignReport(plan)
    yield ForeignReport(plan, outcome=(("Provider", "csv"), ("Comment", text)))


def foreign_changes(
    text: str = "since 2026", *, table: str = "shop.export", location: str = "/data/shop/export"
) -> Iterator[Report]:
    before = CatalogTable("spark_catalog.shop.export", "csv", location, is_managed=True)
    changes = TableChanges(
        set_properties={"y": text, "comment": f"{text}!", "z": text},
        add=parse_definitions("country STRING, code INT DEFAULT 5"),
        change=[ColumnChange(("id",), comment=text)],
        unset=["x"],
    )
    for wanted in (changes, TableChanges(location=no_table("/elsewhere"))):
        plan = plan_foreign_changes(table, before, wanted.steps())
        yield ForeignReport(plan)
    yield ForeignReport(plan, outcome=(("Provider", "csv"), ("Comment", text)))


def every_kind(path: Path) -> Iterator[Report]:
    """Reports of every kind that there is."""
    for name, samples in GROUPS.items():
        yield from samples.make(path / name)
    yield from hostile_reports(path / "d" / "table", "\x1b</script>")
    yield DropReport(
        "t",
        3,
        (
            DropStatus(name="a", phase=Phase.WAITING, ready_at=1, work=("b",)),
            DropStatus(name="c", phase=Phase.BLOCKED, refusal=RefusedError("d", remedy="e")),
        ),
    )
    yield list_features()
    yield list_rules()
    yield list_clients()
    yield forecast("databricks@18.0", "17.3", [parse_client("presto"), parse_client("trino")])
    yield explain("DL101")
    yield explain("DELTA_VERSIONS_NOT_CONTIGUOUS")
    yield StatisticsReport(2, 0, (RuleCount("DL101", "gap-in-commits", "error", 3, 2),))
    yield SettingsReport(
        (
            SettingValue("jobs", None, "default", variable="DELTAADM_JOBS"),
            SettingValue("output", '"json"', "project file", "deltaadm.toml", "DELTAADM_OUTPUT"),
            SettingValue("validate.deep", "true", "environment", "DELTAADM_VALIDATE_DEEP"),
        ),
        with_origins=True,
    )
    yield UndoReport("t", "j", ("_last_checkpoint",), (), done=False)
    yield DoctorReport((Check("java", Health.FAILED, "none", remedy="Install it."),))
