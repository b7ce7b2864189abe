"""The options that commands which plan changes share, in groups."""

from __future__ import annotations

from collections.abc import Sequence

from deltaadm.formats import formats_for
from deltaadm.runs.declare import COMMON, NEVER, Parameters, option
from deltaadm.runs.options import (
    FILE_HELP,
    AccessOptions,
    Engine,
    FleetOptions,
    ObservedOptions,
    SparkOptionGroup,
    TableOutputOptions,
    either,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path  # noqa: TC004 -- `convert` imports it where there is a path


PLAN_FORMATS_HELP = f"{either(formats_for('PlanReport'))}{FILE_HELP}"


class PlanOutputOptions(TableOutputOptions):
    """The form in which a plan is shown."""

    output: str = option("--output", "-o", "FORMAT[:FILE]", PLAN_FORMATS_HELP, default="text")
    shows = "PlanReport"


class PlanOptions(Parameters):
    """The use of a plan: shown, saved or applied."""

    heading = "Plan"
    scope = NEVER

    apply: bool = option("Apply the plan, which is otherwise only shown.")
    check: bool = option("Exit with 1 if there is anything to change.")
    out: Path | None = option(
        "FILE", "Save the plan for `deltaadm apply FILE` (- is standard output)."
    )


class ClientOptions(ObservedOptions):
    """The clients that must go on working."""

    # fmt: off
    for_client: list[str] | None = option("CLIENT",
        "NAME or NAME@VERSION must be able to read: changes that stop it are refused, `validate` "
        "reports it. Repeatable; the setting is `clients`.", scope=NEVER)
    for_client_writing: list[str] | None = option("CLIENT",
        "NAME or NAME@VERSION must be able to write, likewise. Repeatable; the setting is "
        "`writers`.", scope=NEVER)
    # fmt: on


class ConsentOptions(Parameters):
    """Consent to changes that are not committed without it."""

    heading = "Consent"
    scope = NEVER

    yes: bool = option("--yes", "-y", "Apply metadata-only changes without a prompt.")
    allow_backfill: bool = option("Allow rewriting file metadata in the log.")
    allow_rewrite: bool = option("Allow rewriting data files.")
    # fmt: off
    accept_irreversible: list[str] | None = option("FEATURE|TABLE",
        "Accept losing history or metadata domains to drop FEATURE, or dropping the non-Delta "
        "TABLE to replace it. Repeatable.")
    accept_silently_wrong: list[str] | None = option("CLIENT",
        "Accept that CLIENT will silently read or write wrong data. Repeatable.")
    accept_finding: list[str] | None = option("CODE",
        "Accept plans that break this rule, for example DL509. Repeatable.")
    # fmt: on


def split_words(words: Sequence[str | None], many: FleetOptions) -> tuple[list[str], list[str]]:
    """The table and what else the arguments say, which is all where options name tables."""
    requested = [word for word in words if word is not None]
    if many.names_tables:
        return [], requested
    many.require_any(requested)
    return requested[:1], requested[1:]


class CommitOptions(Parameters):
    """The options for applying plans."""

    # fmt: off
    commit_engine: Engine | None = option("ENGINE",
        "Committer: spark (default) or embedded (no JVM; metadata-only changes).", scope=COMMON)
    # fmt: on
    clients: ClientOptions
    consent: ConsentOptions
    access: AccessOptions
    spark: SparkOptionGroup
    output: PlanOutputOptions


class ChangeOptions(Parameters):
    """The options of all commands that plan changes."""

    planning: PlanOptions
    commit: CommitOptions


class RepairOptions(Parameters):
    """The use of the repairs."""

    heading = "Repair"
    scope = NEVER

    # fmt: off
    apply: bool = option("Repair the log; without it, the repairs are only shown.")
    check: bool = option("Exit with 1 if there is something to repair.")
    yes: bool = option("--yes", "-y", "Do not ask before the repair.")
    older_than: str = option("DURATION",
        "Leave files alone that changed within this time; a writer may still be at work.",
        default="10m")
    remove_missing_files: bool = option(
        "Look for every data file, and remove missing ones from the table.")
    accept_lost_files: int | None = option("NUMBER",
        "Accept losing the rows of NUMBER missing data files; one table only.")
    undo: str | None = option("JOURNAL",
        "Undo the repair that wrote this journal; one table only.")
    # fmt: on
