"""DL5xx: checkpoint protection and deletion vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.domain.steps import UnsetProperties
from deltaadm.domain.transaction.metadata_checks import check_property_constraints
from deltaadm.errors import Refused
from deltaadm.validation.fixes import accepted
from deltaadm.validation.rule import Problem, Scope, Severity, rule
from deltaadm.validation.states import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import SnapshotFacts

_PROTECTION: Final = "delta.requireCheckpointProtectionBeforeVersion"


@rule("DL528", Severity.WARNING, Scope.SNAPSHOT, shared=True)
def half_checkpoint_protection(table: SnapshotFacts) -> Iterator[Problem]:
    """
    The feature `checkpointProtection` is there without its property, or the property without it.

    Why it matters: without the property nothing is protected and some writers are shut out
    needlessly; without the feature no writer honours the property.

    What to do: drop the feature with TRUNCATE HISTORY, or unset the property.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    snapshot = table.snapshot
    supported = snapshot.protocol.supports("checkpointProtection")
    text = snapshot.metadata.configuration.get(_PROTECTION)
    # 0 is the default: there is no version before it to protect.
    if supported and not whole_number(text):
        yield Problem(
            f"The protocol has checkpointProtection, but {_PROTECTION} is not set.",
            f"configuration[{_PROTECTION}]",
        )
    elif whole_number(text) and not supported:
        yield Problem(
            f"{_PROTECTION} is {text}, but the protocol lacks checkpointProtection.",
            f"configuration[{_PROTECTION}]",
            fix=accepted(
                snapshot,
                UnsetProperties((_PROTECTION,)),
                lambda after: _PROTECTION not in after.metadata.configuration,
            ),
        )


@rule("DL529", Severity.WARNING, Scope.SNAPSHOT)
def protected_history_cut(table: SnapshotFacts) -> Iterator[Problem]:
    """
    A part of the history that checkpoint protection protects is gone, and a part is still there.

    Why it matters: protected history may only be removed all at once, since older commits may use
    features that have been dropped. A writer that supports all of them may truncate it; any other
    leaves versions that cannot be rebuilt, or checkpoints that lack something.

    What to do: find out what cleaned up the log. With ALTER TABLE … DROP FEATURE
    checkpointProtection TRUNCATE HISTORY the rest goes as well.

    Source: protocol_rfcs/checkpoint-protection.md.
    """
    snapshot = table.snapshot
    guarded = whole_number(snapshot.metadata.configuration.get(_PROTECTION))
    if guarded is None or not snapshot.protocol.supports("checkpointProtection"):
        return
    first = next((commit.version for commit in table.listing.commits), None)
    # From 0 nothing is gone; from the protected version on, all that is protected went at once.
    if first is not None and 0 < first < guarded:
        yield Problem(
            f"History is protected up to version {guarded}, but begins with version {first}.",
            "_delta_log",
        )


@rule("DL530", Severity.ERROR, Scope.SNAPSHOT, shared=True)
def deletion_vectors_where_excluded(table: SnapshotFacts) -> Iterator[Problem]:
    """
    Deletion vectors are on together with symlink manifests, or where the files are not Parquet.

    Why it matters: readers of manifests show deleted rows. Delta refuses every change of such a
    table.

    What to do: turn one of them off.

    Source: Delta Spark, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.
    """
    try:
        check_property_constraints(table.snapshot.metadata)
    except Refused as refusal:
        if (refusal.delta_error_class or "").startswith("DELTA_VIOLATE_TABLE_PROPERTY"):
            yield Problem(refusal.message, "configuration[delta.enableDeletionVectors]")
