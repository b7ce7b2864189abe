"""DL9xx: what the catalog, another implementation and the settings say of the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain import steps as kinds
from deltaadm.domain.features import with_requirements
from deltaadm.domain.properties import PROPERTIES, Key, kept_for, portable, spark_values
from deltaadm.domain.protocol import CATALOG_MANAGED
from deltaadm.domain.schema import StructType, path_text, type_name
from deltaadm.domain.steps import Step
from deltaadm.domain.transaction.checks import RETENTION_KEYS, check_retention
from deltaadm.errors import DeltaadmError, some_of
from deltaadm.facts import CatalogFacts, CrossCheck, LogFacts, PolicyFacts, effective
from deltaadm.masking import is_secret
from deltaadm.rules.protocol import REFUSALS
from deltaadm.rules.rule import RULES, Problem, Scope, Severity, needed, rule

_FEATURE: Final = "delta.feature."
_VERSIONS: Final = {
    "delta.minReaderVersion": "minReaderVersion",
    "delta.minWriterVersion": "minWriterVersion",
}
_DERIVED: Final = frozenset({
    *_VERSIONS, "delta.clusteringColumns", "clusteringColumns",
    "delta.rowTracking.rowIdHighWaterMark", "delta.lastUpdateVersion", "delta.lastCommitTimestamp",
})  # fmt: skip
"""Properties that a catalog adds to those of the log."""

_TABLE_IDS: Final = ("io.unitycatalog.tableId", "ucTableId")


@rule("DL971", Severity.ERROR, Scope.CATALOG)
def published_commit_differs(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    A published commit is not the one that the catalog has ratified for its version.

    Why it matters: clients that ask the catalog see another table. The catalog is right.

    What to do: find the program that wrote the file, and replace it by a copy of the ratified one.

    Source: PROTOCOL.md, Catalog-managed tables, Publishing Commits.
    """
    for version in catalog.differing:
        message = f"Commit {version} in the log is not what {catalog.state.catalog} has ratified."
        yield Problem(message, f"{version:020d}.json")


@rule("DL972", Severity.WARNING, Scope.CATALOG)
def other_columns_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has other columns, types or partition columns than the log.

    Why it matters: engines and people that go by the catalog rely on a schema that the table lacks.

    What to do: commit a change of metadata with a client that is connected to the catalog, or
    repair the entry there: on Databricks, MSCK REPAIR TABLE ... SYNC METADATA.

    Source: the REST interfaces of Unity Catalog.
    """
    told, stored = catalog.state.partition_columns, catalog.snapshot.metadata.partition_columns
    # The older interface tells no partition columns of some tables that have them.
    if told and [name.lower() for name in told] != [name.lower() for name in stored]:
        yield _differs(catalog, "partitionColumns", ", ".join(stored), ", ".join(told))
    if catalog.state.fields is None:
        return
    document = {"type": "struct", "fields": [*catalog.state.fields]}
    try:
        theirs = _flat(StructType.parse(json.dumps(document)))
        ours = _flat(catalog.snapshot.metadata.schema)
    except DeltaadmError:
        return
    absent = ("", "no such column")
    for key in {**ours, **theirs}:
        (place, kind), (their_place, their_kind) = ours.get(key, absent), theirs.get(key, absent)
        if kind != their_kind:
            yield _differs(catalog, f"schema[{place or their_place}]", kind, their_kind)


@rule("DL973", Severity.WARNING, Scope.CATALOG)
def other_properties_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has other Delta properties than the log.

    Only catalogs that keep Delta properties are checked, without those that they derive themselves.

    Why it matters: the catalog shows a configuration that no writer follows.

    What to do: change the metadata with a client of the catalog, or repair the entry there.

    Source: the REST interfaces of Unity Catalog.
    """
    theirs = catalog.state.properties or {}
    ours = catalog.snapshot.metadata.configuration
    # A catalog that keeps none of them says nothing about any.
    if not any(key.startswith("delta.") for key in theirs):
        return
    for key in sorted({*ours, *(key for key in theirs if key.startswith("delta."))}):
        if key in _DERIVED or key.startswith(_FEATURE) or ours.get(key) == theirs.get(key):
            continue
        place = f"configuration[{key}]"
        yield _differs(catalog, place, _shown(key, ours.get(key)), _shown(key, theirs.get(key)))


@rule("DL974", Severity.WARNING, Scope.CATALOG)
def other_protocol_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has another protocol than the log.

    Why it matters: engines that go by it refuse a table that they can use, or the reverse.

    What to do: change the metadata with a client of the catalog, or repair the entry there.

    Source: the REST interfaces of Unity Catalog.
    """
    properties, protocol = catalog.state.properties or {}, catalog.snapshot.protocol
    versions = (protocol.min_reader_version, protocol.min_writer_version)
    for (key, field), ours in zip(_VERSIONS.items(), versions, strict=True):
        if key in properties and properties[key] != str(ours):
            yield _differs(catalog, f"protocol.{field}", str(ours), properties[key])
    listed = [key.removeprefix(_FEATURE) for key in properties if key.startswith(_FEATURE)]
    named, supported = (
        {name.lower(): name for name in names} for names in (listed, protocol.explicit_names)
    )
    # A catalog that has both versions has all features; otherwise what it lacks means nothing.
    if not _VERSIONS.keys() <= properties.keys():
        supported = {key: name for key, name in supported.items() if key in named}
    for key in sorted(named.keys() ^ supported.keys()):
        sides = ("supported", "not supported")[:: 1 if key in supported else -1]
        yield _differs(catalog, f"protocol.{(named | supported)[key]}", *sides)


@rule("DL975", Severity.WARNING, Scope.CATALOG)
def newer_version_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has a version that the log does not have.

    Why it matters: a restore or a deletion may have lost commits, or the entry is another table's.

    What to do: compare with the table's history, and restore what is missing.

    Source: the REST interfaces of Unity Catalog.
    """
    known, newest = catalog.state.metadata_version, catalog.snapshot.version
    if known is not None and known > newest:
        theirs = f"{catalog.state.catalog} has metadata of version {known}"
        yield Problem(f"{theirs}, but the newest version is {newest}.")


@rule("DL976", Severity.WARNING, Scope.CATALOG)
def other_table_id_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The table's id in the log is not the id that the catalog has for it.

    Why it matters: the entry leads to another table, or to a copy. Writers go by the log's id.

    What to do: check the location in the catalog.

    Source: the specification of Unity Catalog's managed tables.
    """
    configuration, theirs = catalog.snapshot.metadata.configuration, catalog.state.table_id
    for key in _TABLE_IDS:
        ours = configuration.get(key)
        if ours and theirs and ours.lower() != theirs.lower():
            yield _differs(catalog, f"configuration[{key}]", ours, theirs)


@rule("DL977", Severity.INFO, Scope.CATALOG)
def unpublished_commits(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has ratified commits that are not published in the log yet.

    Why it matters: clients that only list the log see an older version, normally for a short time.

    What to do: nothing, unless they stay: the client that commits next publishes them.

    Source: PROTOCOL.md, Catalog-managed tables, Publishing Commits.
    """
    if catalog.unpublished:
        versions = some_of([*map(str, catalog.unpublished)], 5)
        ratified = f"{catalog.state.catalog} has ratified versions"
        yield Problem(f"{ratified} that are not published yet: {versions}.")


@rule("DL978", Severity.INFO, Scope.LOG)
def catalog_not_asked(log: LogFacts) -> Iterator[Problem]:
    """
    A catalog manages the table's commits, but was not asked for the newest ones.

    Why it matters: the newest version may not have been checked: commits reach the log later.

    What to do: name the catalog with --unity, and give the table's name instead of its location.

    Source: PROTOCOL.md, Catalog-managed tables, Reading Catalog-managed Tables.
    """
    asked = log.catalog is not None and log.catalog.manages_commits
    if not asked and any(map(log.state.supports, CATALOG_MANAGED)):
        message = f"Only the catalog knows whether there are versions after {log.state.version}."
        yield Problem(message)


def _differs(catalog: CatalogFacts, where: str, ours: str, theirs: str) -> Problem:
    return Problem(f"The log has {ours or 'none'}, {catalog.state.catalog} has {theirs}.", where)


def _shown(key: str, value: str | None) -> str:
    if value is None:
        return "nothing"
    return "another value" if is_secret(key, value) else repr(value)


# Columns


def _flat(schema: StructType) -> Mapping[str, tuple[str, str]]:
    """The columns at every depth with their types, by their names in lower case."""
    flat: dict[str, tuple[str, str]] = {}
    for path, field in schema.walk():
        place = path_text(path)
        null = "" if field.nullable else " not null"
        # The log keeps the length of texts elsewhere.
        kind = re.sub(r"\b(?:var)?char\(\d+\)", "string", type_name(field.type))
        kind = re.sub(r"\b(?:tinyint|smallint|int|bigint)\b", lambda found: _SQL[found[0]], kind)
        flat[place.lower()] = place, f"{kind}{null}"
    return flat


_SQL: Final[Mapping[str, Any]] = {
    "tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long",
}  # fmt: skip


# What another implementation reads


@rule("DL981", Severity.WARNING, Scope.CROSS_CHECK)
def other_version_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different version as the newest.

    Why it matters: each client may overwrite or never see what the other commits.

    What to do: look at the findings on the log: a client does not see some file as a commit.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "version")


@rule("DL982", Severity.WARNING, Scope.CROSS_CHECK)
def other_protocol_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different protocol from the newest version.

    Why it matters: clients disagree about who may read and write the table.

    What to do: look at the other findings. Another commit with the right protocol settles it.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "protocol.")


@rule("DL983", Severity.WARNING, Scope.CROSS_CHECK)
def other_metadata_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation reads a different schema, partition columns or properties.

    Why it matters: clients disagree about what the table holds.

    What to do: look at the other findings. Another commit with the right metadata settles it.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "metadata.")


@rule("DL984", Severity.WARNING, Scope.CROSS_CHECK)
def other_files_read(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation counts a different number of live files.

    Why it matters: the same query returns different rows in different clients.

    What to do: look at the findings on files. Often add and remove spell a path differently.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    yield from _differing(check, "files")


@rule("DL985", Severity.WARNING, Scope.CROSS_CHECK)
def refused_by_other_implementation(check: CrossCheck) -> Iterator[Problem]:
    """
    Another implementation cannot open the table.

    It is info if the implementation lacks a feature of the table.

    Why it matters: unless a feature is the reason, not every client can handle the log.

    What to do: nothing, if no such client needs the table. Otherwise look at the other findings.

    Source: deltalake, which is built on delta-kernel-rs.
    """
    if check.refusal:
        # deltalake has no class of errors for it, so its words have to tell.
        words = ("not supported", "unsupported", "catalog-managed")
        lacks = any(word in check.refusal.lower() for word in words)
        message = f"{check.program} cannot open the table: {check.refusal}"
        yield Problem(message, severity=Severity.INFO if lacks else None)


def _differing(check: CrossCheck, prefix: str) -> Iterator[Problem]:
    for place, (ours, theirs) in check.differences.items():
        if place.startswith(prefix):
            yield Problem(f"The log has {ours!r}, but {check.program} reads {theirs!r}.", place)


# What the settings demand


@rule("DL901", Severity.ERROR, Scope.POLICY)
def reader_version_above_policy(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol's reader version is higher than the settings allow.

    Why it matters: the limit was set because some readers support no higher version.

    What to do: `deltaadm validate TABLE --fix` plans what to drop; or raise `max-reader-version`.

    Source: deltaadm.toml, policy.
    """
    version, limit = facts.snapshot.protocol.min_reader_version, facts.policy.max_reader_version
    yield from _above("Reader", version, limit)


@rule("DL902", Severity.ERROR, Scope.POLICY)
def writer_version_above_policy(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol's writer version is higher than the settings allow.

    Why it matters: the limit was set because some writers support no higher version.

    What to do: `deltaadm validate TABLE --fix` plans what to drop; or raise `max-writer-version`.

    Source: deltaadm.toml, policy.
    """
    version, limit = facts.snapshot.protocol.min_writer_version, facts.policy.max_writer_version
    yield from _above("Writer", version, limit)


def _above(who: str, version: int, limit: int | None) -> Iterator[Problem]:
    if limit is not None and version > limit:
        message = f"The {who.lower()} version is {version}, but the policy allows at most {limit}."
        yield Problem(message, f"protocol.min{who}Version")


@rule("DL903", Severity.ERROR, Scope.POLICY)
def required_feature_missing(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol lacks a table feature that the settings require.

    Why it matters: the feature is required because something relies on what it guarantees.

    What to do: `deltaadm enable-feature TABLE FEATURE`; a refusal says what else can add it.

    Source: deltaadm.toml, policy.
    """
    for name in facts.policy.required_features:
        if not facts.snapshot.protocol.supports(name):
            message = f"The policy requires the feature {name}, which the table does not support."
            step = kinds.SetProperties({f"{Key.FEATURE_PREFIX}{name}": "supported"})
            yield Problem(message, f"protocol.writerFeatures[{name}]", fix=(step,))


@rule("DL904", Severity.ERROR, Scope.POLICY)
def forbidden_feature_supported(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The protocol has a table feature that the settings forbid.

    One that a required feature needs does not count.

    Why it matters: the feature is forbidden because some clients cannot handle it.

    What to do: drop the feature, which `deltaadm validate TABLE --fix` plans, if it can be
    dropped; `deltaadm features NAME` says whether. Setting its property to false is not enough.

    Source: deltaadm.toml, policy.
    """
    required = facts.policy.required_features
    tolerated = set(with_requirements(required)).difference(required)
    for name in facts.policy.forbidden_features:
        if name not in tolerated and facts.snapshot.protocol.supports(name):
            message = f"The table supports the feature {name}, which the policy forbids."
            yield Problem(message, f"protocol.writerFeatures[{name}]")


@rule("DL905", Severity.ERROR, Scope.POLICY)
def mapping_mode_not_allowed(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The settings do not allow the table's column mapping mode.

    Why it matters: clients that ignore it read only nulls; without it, columns cannot be renamed.

    What to do: `deltaadm validate TABLE --fix` plans it; going back to none rewrites every file.

    Source: deltaadm.toml, policy.
    """
    key, allowed = Key.COLUMN_MAPPING_MODE, facts.policy.mapping_modes
    mode = facts.snapshot.metadata.configuration.get(key, "none")
    if allowed and mode not in allowed:
        can_change = mode == "none" and "name" in allowed
        fix = (kinds.SetProperties({key: "name"}),) if can_change else ()
        limit = f"the policy allows only {', '.join(allowed)}"
        message = f"The column mapping mode is {mode!r}, but {limit}."
        yield Problem(message, f"configuration[{key}]", fix=fix)


@rule("DL906", Severity.ERROR, Scope.POLICY)
def property_not_as_required(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A table property does not have the value that the settings require.

    A property that is not set has Delta's default. `delta.feature.…` and the minimum versions,
    which Delta does not store, count as the protocol has them.

    Why it matters: something relies on the value, for example on how long history is kept.

    What to do: set the property with `deltaadm alter TABLE --set KEY=VALUE`.

    Source: deltaadm.toml, policy.
    """
    configuration, protocol = facts.snapshot.metadata.configuration, facts.snapshot.protocol
    versions = {
        Key.MIN_READER_VERSION: str(protocol.min_reader_version),
        Key.MIN_WRITER_VERSION: str(protocol.min_writer_version),
    }
    for key, requirement in sorted(facts.policy.properties.items()):
        name = key.removeprefix(_FEATURE)
        value = versions.get(key) or effective(configuration, key)
        if name != key and protocol.supports(name):
            value = "supported"
        if not requirement.met_by(value, key):
            actual = "is not set" if value is None else f"is {value!r}"
            by_default = "" if key in configuration or value is None else " by default"
            targets = requirement.values
            if requirement.most and replace(requirement, most=None).met_by(value, key):
                targets = (requirement.most, *targets)
            targets = (*fitting(key, targets, configuration), *targets)[:1]
            fix = tuple(setting(key, target) for target in targets)
            message = f"{key} {actual}{by_default}, but the policy requires {requirement}."
            yield Problem(message, f"configuration[{key}]", fix=fix)


def fitting(key: str, values: Iterable[str], configuration: Mapping[str, str]) -> Iterator[str]:
    """Those of *values* for *key* with which deleted files of the table do not outlive its log."""
    for value in values:
        with suppress(DeltaadmError):  # one with which they do
            if key in RETENTION_KEYS:
                check_retention({**configuration, **spark_values({key: value})})
            yield value


def setting(key: str, value: str) -> Step:
    """The step that sets the property so that every client understands it."""
    stored, known = spark_values({key: value}), PROPERTIES.get(key.lower())
    with suppress(DeltaadmError):  # a value that Delta refuses
        if known is not None:
            stored[key] = portable(known, stored[key])
    return kinds.SetProperties(stored)


@rule("DL907", Severity.ERROR, Scope.POLICY)
def client_cannot_read(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A client that must be able to read the table cannot read it, or reads wrong data silently.

    It is a warning if no source says whether the client supports one of the table's features.

    Why it matters: the settings, or `--for-client`, name the client as one that uses the table.

    What to do: `deltaadm validate TABLE --fix` plans what lets it in, and
    `deltaadm inspect TABLE --for-client CLIENT` shows the price. A newer release may support the
    features; then name that release in the settings.

    Source: deltaadm.clients, which names the source of each verdict.
    """
    yield from _shut_out(facts, "DL907", "read")


@rule("DL908", Severity.ERROR, Scope.POLICY)
def client_cannot_write(facts: PolicyFacts) -> Iterator[Problem]:
    """
    A client that must be able to write the table cannot write it, or writes wrong data silently.

    It is a warning if no source says whether the client supports one of the table's features.

    Why it matters: the settings name the client as one that writes the table.

    What to do: `deltaadm validate TABLE --fix` plans what lets it in, and
    `deltaadm inspect TABLE --for-client CLIENT` shows the price. A newer release may support the
    features; then name that release in the settings.

    Source: deltaadm.clients, which names the source of each verdict.
    """
    yield from _shut_out(facts, "DL908", "write")


def _shut_out(facts: PolicyFacts, code: str, access: str) -> Iterator[Problem]:
    for verdict in facts.verdicts:
        outcome, client = verdict.compatibility.value, str(verdict.release)
        if verdict.access.value == access and outcome != "works":
            cells = verdict.responsible
            subjects = needed(facts.snapshot.protocol, (cell.subject for cell in cells))
            notes = dict.fromkeys(cell.note.rstrip(".") for cell in cells if cell.note)
            severity = Severity.WARNING if outcome == "unknown" else None
            statement = f"{client} {REFUSALS.get(outcome, '').format(access, s='s')}"
            if outcome == "unknown":
                doubt = f"No source says whether {client} can {access} the table. Assume that it"
                statement = f"{doubt} cannot: the table uses"
            message = f"{statement} {subjects}{''.join(f' ({note})' for note in notes)}."
            remedy = RULES[code].advice.replace("CLIENT", client)
            yield Problem(message, f"client[{client}]", remedy, severity)


@rule("DL909", Severity.WARNING, Scope.POLICY)
def retention_shorter_than_recovery(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The table keeps its log or deleted files for a shorter time than versions must be restorable.

    Why it matters: versions older than the shorter of the two can neither be read nor restored.

    What to do: `deltaadm alter TABLE --set KEY=VALUE` lengthens both, for what is still there.

    Source: deltaadm.toml, policy; delta-io/delta#5022.
    """
    wanted, configuration = facts.policy.recovery, facts.snapshot.metadata.configuration
    if wanted is None:
        return
    kept = {key: effective(configuration, key) or "" for key in RETENTION_KEYS}
    short = {key: value for key, value in kept.items() if kept_for(value) < kept_for(wanted)}
    if short:
        # Delta compares those that a command names, so the one that stays is named as well.
        stored = {key: configuration[key] for key in RETENTION_KEYS if key in configuration}
        lengthened = kinds.SetProperties({**stored, **dict.fromkeys(short, wanted)})
        actual = " and ".join(f"{key} is {value!r}" for key, value in short.items())
        message = f"{actual}, but the policy asks for recovery within {wanted!r}."
        yield Problem(message, f"configuration[{next(iter(short))}]", fix=(lengthened,))


@rule("DL950", Severity.WARNING, Scope.POLICY)
def expired_ignore(facts: PolicyFacts) -> Iterator[Problem]:
    """
    The settings ignored findings until a date that has passed, so the findings count again.

    Why it matters: the ignore was meant to be reviewed by that date.

    What to do: fix the findings, set a later date, or remove the entry if it is not needed.

    Source: deltaadm.toml, ignore.
    """
    for ignore in facts.expired:
        reason = f" ({ignore.reason})" if ignore.reason else ""
        message = f"{ignore.code} was ignored until {ignore.until}{reason}."
        yield Problem(message, f"settings[{ignore.code}]")
