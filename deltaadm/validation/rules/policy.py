"""DL90x: what the settings demand of a table, beyond what the protocol does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.facts.policy import effective
from deltaadm.domain.model.features import lookup
from deltaadm.domain.model.properties import (
    COLUMN_MAPPING_MODE,
    FEATURE_PREFIX,
    PROPERTIES,
    spark_values,
)
from deltaadm.domain.steps import SetProperties
from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.domain.facts.facts import PolicyFacts
    from deltaadm.domain.facts.policy import ClientVerdict
    from deltaadm.domain.steps import Step


@rule("DL901", Severity.ERROR, Scope.POLICY)
def reader_version_above_policy(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol's reader version is higher than the settings allow.

    Why it matters: the limit was set because some readers support no higher version.

    What to do: drop the features that need the version, or raise `max-reader-version`.

    Source: deltaadm.toml, policy.
    """
    version, limit = facts.snapshot.protocol.min_reader_version, facts.policy.max_reader_version
    if limit is not None and version > limit:
        yield Problem(
            f"The reader version is {version}, but the policy allows at most {limit}.",
            "protocol.minReaderVersion",
        )


@rule("DL902", Severity.ERROR, Scope.POLICY)
def writer_version_above_policy(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol's writer version is higher than the settings allow.

    Why it matters: the limit was set because some writers support no higher version.

    What to do: drop the features that need the version, or raise `max-writer-version`.

    Source: deltaadm.toml, policy.
    """
    version, limit = facts.snapshot.protocol.min_writer_version, facts.policy.max_writer_version
    if limit is not None and version > limit:
        yield Problem(
            f"The writer version is {version}, but the policy allows at most {limit}.",
            "protocol.minWriterVersion",
        )


@rule("DL903", Severity.ERROR, Scope.POLICY)
def required_feature_missing(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol lacks a table feature that the settings require.

    Why it matters: the feature is required because something relies on what it guarantees.

    What to do: enable the feature with `deltaadm enable-feature`; where that refuses, it says what
    else can add it.

    Source: deltaadm.toml, policy.
    """
    for name in facts.policy.required_features:
        if not facts.snapshot.protocol.supports(name):
            known = lookup(name)
            fix: tuple[Step, ...] = (SetProperties({f"{FEATURE_PREFIX}{name}": "supported"}),)
            yield Problem(
                f"The policy requires the feature {name}, which the table does not support.",
                f"protocol.writerFeatures[{name}]",
                fix=fix if known is not None and not known.not_addable else (),
            )


@rule("DL904", Severity.ERROR, Scope.POLICY)
def forbidden_feature_supported(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol has a table feature that the settings forbid.

    Why it matters: the feature is forbidden because some clients cannot handle it.

    What to do: drop the feature with `deltaadm drop-feature TABLE FEATURE`, if it can be
    dropped; `deltaadm features NAME` says whether. Setting its property to false is not enough.

    Source: deltaadm.toml, policy.
    """
    for name in facts.policy.forbidden_features:
        if facts.snapshot.protocol.supports(name):
            yield Problem(
                f"The table supports the feature {name}, which the policy forbids.",
                f"protocol.writerFeatures[{name}]",
            )


@rule("DL905", Severity.ERROR, Scope.POLICY)
def mapping_mode_not_allowed(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The table's column mapping mode is not one that the settings allow.

    Why it matters: clients that ignore column mapping read only nulls; and without it
    columns can neither be renamed nor dropped.

    What to do: change it with `deltaadm set-mapping-mode`. An existing table can go from none to
    name, and back only by rewriting every file.

    Source: deltaadm.toml, policy.
    """
    allowed = facts.policy.mapping_modes
    mode = facts.snapshot.metadata.configuration.get(COLUMN_MAPPING_MODE, "none")
    if allowed and mode not in allowed:
        can_change = mode == "none" and "name" in allowed
        yield Problem(
            f"The column mapping mode is {mode!r}, but the policy allows only "
            f"{', '.join(allowed)}.",
            f"configuration[{COLUMN_MAPPING_MODE}]",
            fix=(SetProperties({COLUMN_MAPPING_MODE: "name"}),) if can_change else (),
        )


@rule("DL906", Severity.ERROR, Scope.POLICY)
def property_not_as_required(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A table property does not have the value that the settings require.

    A property that is not set has Delta's default.

    Why it matters: the value is required because something relies on it, for example on how long
    history is kept.

    What to do: set the property with `deltaadm alter`.

    Source: deltaadm.toml, policy.
    """
    configuration = facts.snapshot.metadata.configuration
    for key, requirement in sorted(facts.policy.properties.items()):
        value = effective(configuration, key)
        if not requirement.met_by(value, key):
            actual = "is not set" if value is None else f"is {value!r}"
            by_default = "" if key in configuration or value is None else " by default"
            known = PROPERTIES.get(key.lower())
            target = requirement.nearest if known is None or known.editable else None
            yield Problem(
                f"{key} {actual}{by_default}, but the policy requires {requirement}.",
                f"configuration[{key}]",
                fix=() if target is None else (SetProperties(spark_values({key: target})),),
            )


@rule("DL907", Severity.ERROR, Scope.POLICY)
def client_cannot_read(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A client that must be able to read the table cannot read it, or reads wrong data silently.

    Where nothing is known about the client and one of the table's features, that is a warning.

    Why it matters: the settings, or `--for-client`, name the client as one that uses the table.

    What to do: use a release of the client that knows the features, or drop them; the finding names
    them. `deltaadm features NAME` says how a feature can be dropped.

    Source: deltaadm.clients, which names the source of each verdict.
    """
    yield from _shut_out(facts, "read")


@rule("DL908", Severity.ERROR, Scope.POLICY)
def client_cannot_write(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A client that must be able to write the table cannot write it, or writes wrong data silently.

    Where nothing is known about the client and one of the table's features, that is a warning.

    Why it matters: the settings name the client as one that writes the table.

    What to do: use a release of the client that knows the features, or drop them; the finding names
    them. `deltaadm features NAME` says how a feature can be dropped.

    Source: deltaadm.clients, which names the source of each verdict.
    """
    yield from _shut_out(facts, "write")


def _shut_out(facts: PolicyFacts, access: str) -> Iterator[Problem]:
    for verdict in facts.verdicts:
        if verdict.access == access and verdict.outcome != "works":
            unknown = verdict.outcome == "unknown"
            yield Problem(
                _sentence(verdict),
                f"client[{verdict.client}]",
                severity=Severity.WARNING if unknown else None,
            )


def _sentence(verdict: ClientVerdict) -> str:
    subjects = ", ".join(obstacle.subject for obstacle in verdict.obstacles)
    statement = {
        "unknown": f"It is not known whether {verdict.client} can {verdict.access} it",
        "fails loudly": f"{verdict.client} cannot {verdict.access} it",
        "silently wrong": f"{verdict.client} {verdict.access}s wrong data silently",
    }[verdict.outcome]
    notes = dict.fromkeys(
        obstacle.note.rstrip(".") for obstacle in verdict.obstacles if obstacle.note
    )
    return f"{statement}, because of {subjects}{''.join(f' ({note})' for note in notes)}."


@rule("DL950", Severity.WARNING, Scope.POLICY)
def expired_ignore(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The settings ignore findings until a date that has passed, so they count again.

    Why it matters: the ignore was meant to be reviewed by that date.

    What to do: fix what is found, or set a later date; if nothing is found any more, remove the
    ignore.

    Source: deltaadm.toml, ignore.
    """
    for ignore in facts.expired:
        reason = f" ({ignore.reason})" if ignore.reason else ""
        yield Problem(
            f"{ignore.code} was ignored until {ignore.until}{reason}.",
            f"settings[{ignore.code}]",
        )
