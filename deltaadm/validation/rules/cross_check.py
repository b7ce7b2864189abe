"""DL98x: what another implementation reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import CrossCheck


@rule("DL981", Severity.WARNING, Scope.CROSS_CHECK)
def other_version_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different version as the newest.

    Why it matters: two clients then work on two different tables, and what one commits, the
    other overwrites or never sees.

    What to do: look for files in `_delta_log` that only one of them counts as commits, such as
    names without twenty digits; the rules on the log name them.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "version")


@rule("DL982", Severity.WARNING, Scope.CROSS_CHECK)
def other_protocol_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different protocol from the newest version.

    Why it matters: clients then disagree about who may read and write the table.

    What to do: check the findings of the other rules on the protocol, the checkpoint and the
    checksum. A further commit with the right protocol makes it unambiguous again.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "protocol.")


@rule("DL983", Severity.WARNING, Scope.CROSS_CHECK)
def other_metadata_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different schema, partition columns or properties.

    Why it matters: clients then disagree about what the table holds.

    What to do: check the findings of the other rules on the metadata, the checkpoint and the
    checksum. A further commit with the right metadata makes it unambiguous again.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "metadata.")


@rule("DL984", Severity.WARNING, Scope.CROSS_CHECK)
def other_files_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation counts a different number of live files.

    Why it matters: the same query then gives different rows in different clients.

    What to do: check the findings of the other rules on added and removed files; paths that are
    spelled or escaped differently in add and remove are the usual cause.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "files")


@rule("DL985", Severity.WARNING, Scope.CROSS_CHECK)
def refused_by_other_implementation(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation cannot open the table.

    It is info where it lacks a feature of the table.

    Why it matters: unless a feature is the reason, the log contains something that not every
    client can handle.

    What to do: where a feature is the reason, nothing, unless such clients need to read the
    table. Otherwise check the findings of the other rules; the error says where.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    if check.refusal:
        # deltalake has no class of errors for it, so its words have to tell.
        lacks = any(word in check.refusal.lower() for word in _FEATURES)
        yield Problem(
            f"{check.program} cannot open the table: {check.refusal}",
            severity=Severity.INFO if lacks else None,
        )


_FEATURES = ("not supported", "unsupported", "catalog-managed")


def _differing(check: CrossCheck, prefix: str) -> Iterator[Problem]:
    for place, (ours, theirs) in check.differences.items():
        if place.startswith(prefix):
            yield Problem(f"The log has {ours!r}, but {check.program} reads {theirs!r}.", place)
