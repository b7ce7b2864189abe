"""Reports as JSON: one document, an array of them, or one a line."""

from __future__ import annotations

import json
from functools import lru_cache

from deltaadm import __version__
from deltaadm.domain.features import undo_feature
from deltaadm.operations.document import FORMAT_VERSION, protocol_document, verdict_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Final, TextIO

    from deltaadm.clients import ClientRelease, Verdict
    from deltaadm.domain.features import TableFeature
    from deltaadm.errors import DeltaadmError
    from deltaadm.operations.drop_feature import DropStatus
    from deltaadm.operations.inspect import FeatureReport, MappingReport, TableReport
    from deltaadm.operations.reports import (
        BestEffortReport,
        Check,
        DoctorReport,
        DropReport,
        ErrorClassExplanation,
        Failure,
        FeatureCatalogue,
        FeatureExplanation,
        OutcomeReport,
        ParentChangesReport,
        PlanReport,
        Report,
        RuleCatalogue,
        RuleExplanation,
    )
    from deltaadm.validation.finding import Finding, ValidationReport
    from deltaadm.validation.rule import Rule


def write_json(reports: Sequence[Report], out: TextIO) -> None:
    """One report as an object, several as an array."""
    documents = [document(one) for one in reports]
    json.dump(documents[0] if len(documents) == 1 else documents, out, indent=2)
    out.write("\n")


def write_jsonl(reports: Sequence[Report], out: TextIO) -> None:
    """One report a line, in order."""
    out.writelines(json.dumps(document(one), separators=(",", ":")) + "\n" for one in reports)


def document(report: Report) -> dict[str, Any]:
    """The JSON document of any report; docs/json.md describes them."""
    head = {"format_version": FORMAT_VERSION, "tool_version": __version__}
    return head | _BODIES[type(report).__name__](report)


def _plan(report: PlanReport) -> dict[str, Any]:
    from deltaadm.operations.plan_document import plan_document

    return plan_document(report.plan, report.table)


def _parent_plan(report: BestEffortReport | ParentChangesReport) -> dict[str, Any]:
    from deltaadm.operations.parent_document import parent_document

    return parent_document(report.plan, report.outcome)


def _failure(report: Failure) -> dict[str, Any]:
    return {"table": report.table} | dict(report.error.established) | _error(report.error)


def _catalogue(report: FeatureCatalogue) -> dict[str, Any]:
    return {"features": [_registered(one) for one in report.features]}


def _rules(report: RuleCatalogue) -> dict[str, Any]:
    return {"rules": [_rule(one) for one in report.rules]}


def _rule_explanation(report: RuleExplanation) -> dict[str, Any]:
    return _rule(report.rule) | {"documentation": report.rule.doc}


def _rule(one: Rule) -> dict[str, Any]:
    return {
        "code": one.code,
        "name": one.name,
        "severity": one.severity.value,
        "scope": one.scope.name.lower(),
        "summary": one.summary,
        "why_it_matters": one.section("Why it matters"),
        "remedy": one.advice,
        "source": one.section("Source"),
    }


def _error_class(report: ErrorClassExplanation) -> dict[str, Any]:
    one = report.error_class
    return {
        "delta_error_class": one.name,
        "meaning": one.meaning,
        "commands": list(one.commands),
        "rules": [_rule(each) for each in report.rules],
    }


def _explanation(report: FeatureExplanation) -> dict[str, Any]:
    return _registered(report.feature) | {"required_by": list(report.required_by)}


def _doctor(report: DoctorReport) -> dict[str, Any]:
    return {"checks": [_check(one) for one in report.checks]}


def _check(one: Check) -> dict[str, str]:
    return {
        "subject": one.subject,
        "health": one.health.value,
        "detail": one.detail,
        "remedy": one.remedy,
    }


def _drops(report: DropReport) -> dict[str, Any]:
    return {
        "table": report.table,
        "version": report.version,
        "features": [_drop(one) for one in report.features],
    }


def _drop(one: DropStatus) -> dict[str, Any]:
    from deltaadm.domain.instants import second

    return {
        "name": one.name,
        "phase": one.phase.value,
        "keeps_history": one.keeps_history,
        "truncates_history": one.truncates_history,
        "ready_at": None if one.ready_at is None else second(one.ready_at),
        "work": list(one.work),
        "refusal": None if one.refusal is None else _error(one.refusal)["error"],
    }


def _outcome(report: OutcomeReport) -> dict[str, Any]:
    from deltaadm.operations.plan_document import change_document, plan_document

    outcome = report.outcome
    return {
        "table": report.table,
        "plan": plan_document(outcome.plan, report.table),
        "outcome": {
            "version": outcome.actual.version,
            "versions": list(outcome.versions),
            "mismatches": [change_document(one) for one in outcome.mismatches],
        },
    }


def _validation(report: ValidationReport) -> dict[str, Any]:
    from deltaadm.validation.finding import Severity

    return {
        "table": report.table,
        "version": report.version,
        "stopped": report.stopped or None,
        "recreatable_versions": report.versions
        and {"first": report.versions[0], "last": report.versions[1]},
        "depth": list(report.depth),
        "rules": report.rules,
        "counts": {one.value: report.count(one) for one in Severity},
        "findings": [_finding(report.table, one) for one in report.findings],
        "more": dict(report.more),
        "suppressed": [
            {**_finding(report.table, one.finding), "by": one.by.value, "reason": one.reason}
            for one in report.suppressed
        ],
    }


def _finding(table: str, one: Finding) -> dict[str, Any]:
    from deltaadm.operations.mend import fix_command
    from deltaadm.operations.steps import step_document

    fix = {
        "command": fix_command(table, one.fix),
        "steps": [step_document(step) for step in one.fix],
    }
    return {
        "code": one.code,
        "name": one.name,
        "severity": one.severity.value,
        "message": one.message,
        "where": one.where,
        "remedy": one.remedy,
        "fix": fix if one.fix else None,
    }


def _error(error: DeltaadmError) -> dict[str, Any]:
    return {
        "error": {
            "kind": error.kind,
            "exit_code": error.exit_code,
            "message": error.message,
            "remedy": error.remedy,
            "delta_error_class": error.delta_error_class,
        }
    }


def _table(report: TableReport) -> dict[str, Any]:
    snapshot = report.snapshot
    return {
        "table": report.table,
        "location": snapshot.root,
        "version": snapshot.version,
        "timestamp": snapshot.timestamp,
        "protocol": protocol_document(snapshot.protocol),
        "metadata": snapshot.metadata.to_wire(),
        "features": [_feature(one) for one in report.features],
        "minimum_protocol": report.minimum_protocol and protocol_document(report.minimum_protocol),
        "classic_minimum_versions": report.classic_minimum_versions
        and dict(
            zip(
                ("minReaderVersion", "minWriterVersion"),
                report.classic_minimum_versions,
                strict=True,
            )
        ),
        "lowest_equivalent_protocol": report.lowest_equivalent_protocol
        and protocol_document(report.lowest_equivalent_protocol),
        "slack": list(report.slack),
        "column_mapping": _mapping(report.mapping),
        "clients": list(_clients(report.clients)),
        "clustering_columns": None
        if report.clustering_columns is None
        else [list(one) for one in report.clustering_columns],
        "files": None if snapshot.files is None else _files(report),
        "reference_client": {
            "reads": report.refused_to_read is None,
            "writes": report.refused_to_write is None,
            "delta_error_class": report.refused_to_write
            and report.refused_to_write.delta_error_class,
        },
        "warnings": list(report.warnings),
    }


def _feature(one: FeatureReport) -> dict[str, Any]:
    known = one.feature
    return {
        "name": one.name,
        "kind": known.kind.value if known else "unknown",
        "supported": one.supported,
        "active": one.active,
        "because": list(one.because),
        "status": known.status.value if known else "unknown",
        "requires": sorted(known.requires) if known else [],
        "undo": undo_feature(known),
    }


def _mapping(mapping: MappingReport) -> dict[str, Any]:
    return {
        "mode": mapping.mode,
        "supported": mapping.supported,
        "max_column_id": mapping.max_column_id,
        "columns": None
        if mapping.columns is None
        else [
            {"path": one.path, "id": one.id, "physical_name": one.physical_name, "type": one.type}
            for one in mapping.columns
        ],
    }


@lru_cache(maxsize=64)  # the tables of a fleet are much alike
def _clients(verdicts: tuple[Verdict, ...]) -> tuple[dict[str, Any], ...]:
    by_release: dict[ClientRelease, dict[str, Any]] = {}
    for one in verdicts:
        by_release.setdefault(one.release, {})[one.access.value] = verdict_document(one)
    return tuple(
        {
            "client": release.client.id,
            "name": release.client.name,
            "version": release.version,
            **documents,
        }
        for release, documents in by_release.items()
    )


def _files(report: TableReport) -> dict[str, Any]:
    files = report.snapshot.files
    assert files is not None  # noqa: S101 -- the caller has looked
    return {
        "files": files.files,
        "bytes": files.bytes,
        "with_deletion_vector": files.with_deletion_vector,
        "without_stats": files.without_stats,
        "without_num_records": files.without_num_records,
        "without_base_row_id": files.without_base_row_id,
        "partition_keys": sorted(list(keys) for keys in files.partition_keys),
    }


def _registered(feature: TableFeature) -> dict[str, Any]:
    return {
        "name": feature.name,
        "kind": feature.kind.value,
        "status": feature.status.value,
        "since": feature.since or None,
        "legacy_versions": list(feature.legacy) if feature.legacy else None,
        "requires": sorted(feature.requires),
        "twin": feature.twin,
        "activated_by": dict(feature.activation.properties),
        "added_to_existing_tables": feature.activation.asks and feature.auto_update,
        "not_addable": feature.not_addable or None,
        "undo": undo_feature(feature),
        "cost": feature.cost.value,
        "caution": feature.caution or None,
        "in_delta_spark": feature.in_reference,
        "section": feature.section,
        "source": feature.source,
    }


_BODIES: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "TableReport": _table,
    "PlanReport": _plan,
    "BestEffortReport": _parent_plan,
    "ParentChangesReport": _parent_plan,
    "OutcomeReport": _outcome,
    "ValidationReport": _validation,
    "Failure": _failure,
    "FeatureCatalogue": _catalogue,
    "FeatureExplanation": _explanation,
    "RuleCatalogue": _rules,
    "RuleExplanation": _rule_explanation,
    "ErrorClassExplanation": _error_class,
    "DoctorReport": _doctor,
    "DropReport": _drops,
}
"""What each report, by the name of its type, says beside the head that all documents share."""
