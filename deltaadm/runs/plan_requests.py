"""What a run that plans changes is asked for, besides what `deltaadm.runs.requests` has."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from deltaadm.runs.requests import AccessRequest, Engine, OutputRequest, SparkRequest


class PlanRequest:
    """What becomes of a plan."""

    apply: bool = False
    check: bool = False
    out: Path | None = None


class ClientRequest:
    """Which programs must go on working."""

    for_client: list[str] | None = None
    for_client_writing: list[str] | None = None


class ConsentRequest:
    """What may be committed without asking."""

    yes: bool = False
    allow_backfill: bool = False
    allow_rewrite: bool = False
    accept_irreversible: list[str] | None = None
    accept_silently_wrong: list[str] | None = None
    accept_finding: list[str] | None = None


class CommitEngineRequest:
    """What commits; None leaves it to the settings."""

    commit_engine: Engine | None = None


class CommitRequest:
    """What goes with carrying out plans."""

    committing: CommitEngineRequest
    clients: ClientRequest
    consent: ConsentRequest
    access: AccessRequest
    spark: SparkRequest
    output: OutputRequest


class ChangeRequest:
    """What all commands have that plan changes."""

    planning: PlanRequest
    commit: CommitRequest
