"""DL97x: what the catalog says of the table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from deltaadm.domain.model.schema import parse_schema, path_text, type_name, walk
from deltaadm.errors import DeltaadmError
from deltaadm.masking import is_secret
from deltaadm.validation.rule import Problem, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.domain.facts.facts import CatalogFacts, LogFacts
    from deltaadm.domain.model.schema import StructType

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

    Why it matters: clients that ask the catalog and those that only list the log see two different
    tables. The catalog's word counts.

    What to do: find out which program has written the file; it has to publish a copy of the
    ratified one. Once the difference is understood, replace the published file by that copy.

    Source: PROTOCOL.md, Catalog-managed tables, Publishing Commits.
    """
    for version in catalog.differing:
        yield Problem(
            f"Commit {version} in the log is not what {catalog.state.catalog} has ratified.",
            f"{version:020d}.json",
        )


@rule("DL972", Severity.WARNING, Scope.CATALOG)
def other_columns_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has other columns, types or partition columns than the log.

    Why it matters: programs that plan queries by what the catalog says, and those who look for
    tables in it, go by a schema that the table does not have.

    What to do: let a client that is connected to the catalog commit a change of metadata, or
    repair the entry with its means, such as MSCK REPAIR TABLE ... SYNC METADATA on Databricks.

    Source: the REST interfaces of Unity Catalog.
    """
    yield from _columns(catalog)
    theirs, ours = catalog.state.partition_columns, catalog.snapshot.metadata.partition_columns
    # The older interface tells no partition columns of some tables that have them.
    if theirs and [name.lower() for name in theirs] != [name.lower() for name in ours]:
        yield _differs(catalog, "partitionColumns", ", ".join(ours), ", ".join(theirs))


@rule("DL973", Severity.WARNING, Scope.CATALOG)
def other_properties_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog has other Delta properties than the log.

    It is looked for where the catalog keeps any of them, and not among properties that the catalog
    derives itself.

    Why it matters: the catalog shows a configuration that no writer follows.

    What to do: let a client that is connected to the catalog commit a change of metadata, or
    repair the entry with the catalog's means.

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

    Why it matters: programs that decide by what the catalog says whether they can use the table
    decide wrongly.

    What to do: let a client that is connected to the catalog commit a change of metadata, or
    repair the entry with the catalog's means.

    Source: the REST interfaces of Unity Catalog.
    """
    properties, protocol = catalog.state.properties or {}, catalog.snapshot.protocol
    versions = (protocol.min_reader_version, protocol.min_writer_version)
    for (key, field), ours in zip(_VERSIONS.items(), versions, strict=True):
        if key in properties and properties[key] != str(ours):
            yield _differs(catalog, f"protocol.{field}", str(ours), properties[key])
    named = {
        key.removeprefix(_FEATURE).lower(): key.removeprefix(_FEATURE)
        for key in properties
        if key.startswith(_FEATURE)
    }
    supported = {name.lower(): name for name in protocol.explicit_names}
    # A catalog that has both versions has all features; otherwise what it lacks means nothing.
    every = _VERSIONS.keys() <= properties.keys()
    for key in sorted(
        named.keys() ^ supported.keys() if every else named.keys() - supported.keys()
    ):
        name, here = named.get(key) or supported[key], key in supported
        words = ("supported", "not supported")
        yield _differs(catalog, f"protocol.{name}", words[not here], words[here])


@rule("DL975", Severity.WARNING, Scope.CATALOG)
def newer_version_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The catalog knows of a version that the log does not have.

    Why it matters: commits may have been lost, by a restored backup or a deleted file, or the
    catalog's entry belongs to another table.

    What to do: compare with the history of the table, and restore what is missing.

    Source: the REST interfaces of Unity Catalog.
    """
    known, newest = catalog.state.metadata_version, catalog.snapshot.version
    if known is not None and known > newest:
        yield Problem(
            f"{catalog.state.catalog} has metadata of version {known}, but the newest version is "
            f"{newest}."
        )


@rule("DL976", Severity.WARNING, Scope.CATALOG)
def other_table_id_in_catalog(catalog: CatalogFacts) -> Iterator[Problem]:
    """
    The log says that the table has another identity in the catalog than the one it was found by.

    Why it matters: the files are those of another table, or a copy of them. A writer commits to
    the table whose identity it finds in the log.

    What to do: compare the location in the catalog with where the table should be.

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
    Commits that the catalog has ratified are not published in the log yet.

    Why it matters: that is how such tables work, and clients that ask the catalog see the commits.
    Those that only list the log see an older version, and checkpoints are made of published
    versions alone.

    What to do: nothing, unless they stay: the client that commits next publishes them.

    Source: PROTOCOL.md, Catalog-managed tables, Publishing Commits.
    """
    if not catalog.unpublished:
        return
    first, last = catalog.unpublished[0], catalog.unpublished[-1]
    which = f"Commit {first} is" if first == last else f"Commits {first} to {last} are"
    yield Problem(f"{which} ratified by {catalog.state.catalog}, and not published yet.")


@rule("DL978", Severity.INFO, Scope.LOG)
def catalog_not_asked(log: LogFacts) -> Iterator[Problem]:
    """
    A catalog manages the commits of the table, and was not asked for the newest ones.

    Why it matters: what was checked may not be the newest version, since commits are published
    in the log some time after the catalog has ratified them.

    What to do: name the catalog with --unity, and give the name of the table instead of its
    location.

    Source: PROTOCOL.md, Catalog-managed tables, Reading Catalog-managed Tables.
    """
    asked = log.catalog is not None and log.catalog.manages_commits
    if not asked and any(map(log.state.supports, _MANAGED)):
        yield Problem(
            f"There may be versions after {log.state.version}, known to the catalog alone."
        )


_MANAGED: Final = ("catalogManaged", "catalogOwned-preview")


def _differs(catalog: CatalogFacts, where: str, ours: str, theirs: str) -> Problem:
    return Problem(f"The log has {ours or 'none'}, {catalog.state.catalog} has {theirs}.", where)


def _shown(key: str, value: str | None) -> str:
    if value is None:
        return "nothing"
    return "another value" if is_secret(key, value) else repr(value)


# Columns


def _columns(catalog: CatalogFacts) -> Iterator[Problem]:
    if catalog.state.fields is None:
        return
    document = {"type": "struct", "fields": [*catalog.state.fields]}
    try:
        theirs = _flat(parse_schema(json.dumps(document)))
        ours = _flat(catalog.snapshot.metadata.schema)
    except DeltaadmError:
        return
    for key, (place, kind) in ours.items():
        other = theirs.get(key)
        if other is None or other[1] != kind:
            actual = "no such column" if other is None else other[1]
            yield _differs(catalog, f"schema[{place}]", kind, actual)
    for key, (place, kind) in theirs.items():
        if key not in ours:
            yield _differs(catalog, f"schema[{place}]", "no such column", kind)


def _flat(schema: StructType) -> Mapping[str, tuple[str, str]]:
    """The columns at every depth with their types, by their names in lower case."""
    flat: dict[str, tuple[str, str]] = {}
    for path, field in walk(schema):
        place = path_text(path)
        null = "" if field.nullable else " not null"
        flat[place.lower()] = place, f"{_plain(type_name(field.type))}{null}"
    return flat


def _plain(kind: str) -> str:
    """A type by the name that it has in the log, which keeps the length of texts elsewhere."""
    texts = re.sub(r"\b(?:var)?char\(\d+\)", "string", kind)
    return re.sub(r"\b(?:tinyint|smallint|int|bigint)\b", lambda found: _SQL[found[0]], texts)


_SQL: Final[Mapping[str, Any]] = {
    "tinyint": "byte", "smallint": "short", "int": "integer", "bigint": "long",
}  # fmt: skip
