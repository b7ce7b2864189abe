"""Requests of runs that plan changes, besides those of `deltaadm.runs.requests`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from deltaadm.runs.requests import AccessRequest, Engine, OutputRequest, SparkRequest


class PlanRequest:
    """The use of a plan: shown, saved or applied."""

    apply: bool = False
    check: bool = False
    out: Path | None = None


class ClientRequest:
    """The clients that must go on working."""

    for_client: list[str] | None = None
    for_client_writing: list[str] | None = None


class ConsentRequest:
    """Consent to changes that are not committed without it."""

    yes: bool = False
    allow_backfill: bool = False
    allow_rewrite: bool = False
    accept_irreversible: list[str] | None = None
    accept_silently_wrong: list[str] | None = None
    accept_finding: list[str] | None = None


class CommitEngineRequest:
    """The engine that commits; None leaves it to the settings."""

    commit_engine: Engine | None = None


class CommitRequest:
    """The options for applying plans."""

    committing: CommitEngineRequest
    clients: ClientRequest
    consent: ConsentRequest
    access: AccessRequest
    spark: SparkRequest
    output: OutputRequest


class ChangeRequest:
    """The options of all commands that plan changes."""

    planning: PlanRequest
    commit: CommitRequest
