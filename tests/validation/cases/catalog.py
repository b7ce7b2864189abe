"""DL97x: tables of which their catalog says something else."""

import json
from pathlib import Path
from typing import Any

from tests.support.rule_cases import CATALOG, breaks, respects
from tests.support.tables import (
    Table,
    add,
    column,
    commit,
    commit_info,
    drafted,
    metadata,
    protocol,
    schema,
)

TIMED = {"delta.enableInCommitTimestamps": "true"}
FEATURES = ["catalogManaged", "vacuumProtocolCheck", "inCommitTimestamp"]
COLUMNS = [column("a")]
UUID = "016ae953-37a9-438e-8683-9a9a4a79a395"


def info(version: int) -> dict[str, Any]:
    return commit_info(inCommitTimestamp=1_700_000_000_000 + version, txnId=str(version))


@drafted
def managed(path: Path, *, published: int = 1, **changes: Any) -> Table:
    """A catalog-managed table with two commits, of which so many are published."""
    made = Table(path)
    changed = {"configuration": TIMED} | changes
    start = protocol(3, 7, FEATURES[:2], FEATURES), metadata(**changed)
    bodies = [commit(info(0), *start), commit(info(1), add("f1"))]
    for version, body in enumerate(bodies[:published]):
        made.write(f"{version:020d}.json", body)
    name = f"{1:020d}.{UUID}.json"
    made.write(f"_staged_commits/{name}", bodies[1])
    staged = {
        "version": 1, "timestamp": 1, "file-name": name, "file-size": len(bodies[1]),
        "file-modification-timestamp": 1,
    }  # fmt: skip
    say(path, commits=[staged], latest=1)
    return made


def say(
    path: Path,
    *,
    columns: list[dict[str, Any]] | None = None,
    commits: list[dict[str, Any]] | None = None,
    latest: int | None = None,
    **more: Any,
) -> None:
    answer: dict[str, Any] = {
        "metadata": {
            "etag": "x", "table-type": "EXTERNAL" if latest is None else "MANAGED",
            "table-uuid": UUID, "location": path.as_uri(), "created-time": 1, "updated-time": 1,
            "columns": {"type": "struct", "fields": COLUMNS if columns is None else columns},
            "properties": {}, **{key.replace("_", "-"): value for key, value in more.items()},
        }
    }  # fmt: skip
    if latest is not None:
        answer |= {"commits": commits or [], "latest-table-version": latest}
    (path / CATALOG).write_text(json.dumps(answer))


def plain(path: Path, *, configuration: Any = ..., **more: Any) -> Table:
    made = Table(path)
    made.commit(0, commit_info(), protocol(), metadata(configuration, **more))
    return made


breaks("DL971", "the published commit is another", managed().commit(1, info(1), add("f2")))
respects("DL971", "the published commit is a copy", managed(published=2))


@breaks("DL972")
def a_type_differs(path: Path) -> None:
    plain(path)
    say(path, columns=[column("a", "long")])


@breaks("DL972")
def a_partition_column_differs(path: Path) -> None:
    plain(path, schemaString=schema(column("a"), column("b")), partitionColumns=["a"])
    say(path, columns=[column("a"), column("b")], partition_columns=["b"])


@breaks("DL972")
def a_nested_column_is_missing(path: Path) -> None:
    inner = {"type": "struct", "fields": [column("x"), column("y")]}
    array = {"type": "array", "elementType": inner, "containsNull": True}
    plain(path, schemaString=schema(column("a", array)))
    theirs = {"type": "struct", "fields": [column("x")]}
    say(path, columns=[
        column("a", {"type": "array", "element-type": theirs, "contains-null": True})
    ])  # fmt: skip


@respects("DL972")
def keys_are_spelled_as_the_interface_has_them(path: Path) -> None:
    values = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": False}
    plain(path, schemaString=schema(column("A", values), column("b", "string")))
    theirs = {"type": "map", "key-type": "string", "value-type": "long"}
    say(path, columns=[
        column("a", theirs | {"value-contains-null": False}), column("b", "varchar(10)")
    ])  # fmt: skip


@breaks("DL973")
def a_property_differs(path: Path) -> None:
    plain(path, configuration={"delta.appendOnly": "false"})
    say(path, properties={"delta.appendOnly": "true", "owner": "me"})


@breaks("DL973")
def a_property_is_not_in_the_log(path: Path) -> None:
    plain(path)
    say(path, properties={"delta.appendOnly": "true"})


@respects("DL973")
def the_catalog_keeps_no_properties_of_delta(path: Path) -> None:
    plain(path, configuration={"delta.appendOnly": "false", "x": "y"})
    say(path, properties={"owner": "me"})


@respects("DL973")
def the_catalog_derives_properties(path: Path) -> None:
    plain(path)
    say(path, properties={"delta.lastUpdateVersion": "0", "delta.minReaderVersion": "1"})


@breaks("DL974")
def the_reader_version_differs(path: Path) -> None:
    plain(path)
    say(path, properties={"delta.minReaderVersion": "2"})


@breaks("DL974")
def a_feature_is_not_in_the_log(path: Path) -> None:
    plain(path)
    say(path, properties={"delta.feature.deletionVectors": "supported"})


@respects("DL974")
def the_protocol_is_the_same(path: Path) -> None:
    made = Table(path)
    made.commit(0, commit_info(), protocol(1, 7, None, ["appendOnly"]), metadata())
    versions = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "7"}
    say(path, properties=versions | {"delta.feature.appendonly": "supported"})


@breaks("DL975")
def the_catalog_is_ahead(path: Path) -> None:
    plain(path)
    say(path, last_commit_version=1)


@respects("DL975")
def the_catalog_is_at_the_same_version(path: Path) -> None:
    plain(path)
    say(path, last_commit_version=0)


@breaks("DL976")
def the_table_has_another_id(path: Path) -> None:
    plain(path, configuration={"io.unitycatalog.tableId": "another"})
    say(path)


@respects("DL976")
def the_table_has_the_same_id(path: Path) -> None:
    plain(path, configuration={"io.unitycatalog.tableId": UUID.upper()})
    say(path)


breaks("DL977", "a commit is not published", managed())
respects("DL977", "every commit is published", managed(published=2))


@breaks("DL978")
def the_table_was_found_by_its_location(path: Path) -> None:
    managed(published=2)(path)
    (path / CATALOG).unlink()


respects("DL978", "the catalog was asked", managed(published=2))
