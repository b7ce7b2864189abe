"""Recorded operations as the steps they are, and recorded states as snapshots."""

import json
import re
from collections.abc import Callable
from typing import Any

from deltaadm.domain.actions import SingleAction
from deltaadm.domain.ddl import parse_column_list, parse_definitions, parse_type
from deltaadm.domain.protocol import Protocol
from deltaadm.domain.schema import Path
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    CreateTable,
    CreationMode,
    DropColumns,
    DropFeature,
    RenameColumn,
    SetProperties,
    Step,
    UnsetProperties,
)
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.domain.wire import CommitInfo, Metadata
from deltaadm.plans.alter import read_schema
from tests.support import oracle

_TEXT = r"'((?:[^'\\]|\\.)*)'"
_DATA = re.compile(r"(?:INSERT INTO|DELETE FROM|UPDATE|OPTIMIZE|VACUUM) .*", re.DOTALL)
_CREATE = re.compile(r"CREATE TABLE \{table\} .*?(?:TBLPROPERTIES \((.*)\))?", re.DOTALL)


def step_of(operation: dict[str, Any]) -> Step | None:
    """The step that *operation* is; None for any other kind of statement."""
    if "api" in operation:
        return _step_of_call(operation["api"], *operation.get("args", ()))
    found = re.fullmatch(r"ALTER TABLE \{table\} (.*)", operation.get("sql", ""), re.DOTALL)
    for pattern, make in _CLAUSES.items() if found else ():
        if clause := re.fullmatch(pattern, found[1], re.DOTALL):
            return make(clause)
    return None


_CLAUSES: dict[str, Callable[[re.Match[str]], Step]] = {
    r"SET TBLPROPERTIES \((.*)\)": lambda found: SetProperties(_properties(found[1])),
    r"UNSET TBLPROPERTIES (IF EXISTS )?\((.*)\)": lambda found: UnsetProperties(
        tuple(map(_unescaped, re.findall(_TEXT, found[2]))), bool(found[1])
    ),
    r"DROP FEATURE `?([\w.-]+)`?( TRUNCATE HISTORY)?": lambda found: DropFeature(
        found[1], bool(found[2])
    ),
    r"RENAME COLUMN (\w+) TO (\w+)": lambda found: RenameColumn((found[1],), found[2]),
    r"DROP COLUMNS? (IF EXISTS )?\(?([\w, ]+)\)?": lambda found: DropColumns(
        tuple((part.strip(),) for part in found[2].split(",")), bool(found[1])
    ),
    r"ADD COLUMNS \((.*)\)": lambda found: AddColumns(parse_definitions(found[1])),
    r"ALTER COLUMN (\S+) (.*)": lambda found: ChangeColumns(
        (_change(parse_column(found[1]), found[2]),)
    ),
    r"ADD CONSTRAINT (\w+) CHECK \((.*)\)": lambda found: AddConstraint(found[1], found[2]),
    r"CLUSTER BY \((.*)\)": lambda found: ClusterBy(tuple(parse_column_list(found[1]))),
}
"""What follows `ALTER TABLE {table}`."""


def _change(column: Path, clause: str) -> ColumnChange:
    kind, _, rest = clause.partition(" ")
    if kind == "TYPE":
        return ColumnChange(column, type=parse_type(rest))
    if kind == "COMMENT":
        return ColumnChange(column, comment=_unescaped(rest[1:-1]))
    if clause in ("SET NOT NULL", "DROP NOT NULL"):
        return ColumnChange(column, nullable=kind == "DROP")
    assert clause == "DROP DEFAULT" or clause.startswith("SET DEFAULT "), clause
    return ColumnChange(column, default=rest.removeprefix("DEFAULT").strip())


def _step_of_call(function: str, *arguments: Any) -> Step | None:
    if function == "upgradeTableProtocol":
        reader, writer = arguments
        return SetProperties(
            {"delta.minReaderVersion": str(reader), "delta.minWriterVersion": str(writer)}
        )
    if function == "addFeatureSupport":
        return SetProperties({f"delta.feature.{arguments[0]}": "supported"})
    return DropFeature(*arguments) if function == "dropFeatureSupport" else None


def changes_data(operation: dict[str, Any]) -> bool:
    """Whether *operation* leaves protocol and metadata alone: rows, files or a checkpoint."""
    sql = operation.get("sql", "")
    return operation.get("api") == "checkpoint" or _DATA.fullmatch(sql) is not None


def properties_of_create(sql: str) -> dict[str, str]:
    """The properties in a plain CREATE TABLE statement."""
    found = _CREATE.fullmatch(sql)
    assert found, sql
    return _properties(found[1] or "")


def _properties(listed: str) -> dict[str, str]:
    pairs = re.findall(rf"{_TEXT}\s*=\s*{_TEXT}", listed)
    rest = re.sub(rf"{_TEXT}\s*=\s*{_TEXT}", "", listed)
    assert not rest.strip(", \n"), f"not understood: {rest}"
    return {_unescaped(key): _unescaped(value) for key, value in pairs}


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def start_snapshot(case: oracle.Case) -> Snapshot:
    """
    The table before a case's operations.

    Where the engine could not load it, protocol and metadata are the last ones in the log.
    """
    start = case["start"]
    lines = _lines(start["files"])
    newest = [line.action for line in lines[-1]] if lines else []
    infos = [action for action in newest if isinstance(action, CommitInfo)]
    state = start["state"]
    if "error" in state:
        actions = [line.action for commit in lines for line in commit]
        protocol = [action for action in actions if isinstance(action, Protocol)][-1]
        metadata = [action for action in actions if isinstance(action, Metadata)][-1]
        version = len(lines) - 1
    else:
        protocol = Protocol.from_wire(state["protocol"])
        metadata = Metadata.from_wire(state["metadata"])
        version = state["version"]
    return Snapshot(
        root="table", version=version, protocol=protocol, metadata=metadata,
        commit_info=infos[-1] if infos else None,
    )  # fmt: skip


def _lines(files: list[dict[str, str]]) -> list[list[SingleAction]]:
    commits = sorted(
        (file["name"], file["text"])
        for file in files
        if re.fullmatch(r"\d{20}\.json", file["name"])
    )
    return [
        [SingleAction.from_json(line) for line in text.splitlines() if line.strip()]
        for _, text in commits
    ]


def schema_as_json(metadata: dict[str, Any]) -> dict[str, Any]:
    """
    A `metaData` object without its time, its schema parsed.

    The order of keys inside a field's metadata is an accident of Scala's hash maps.
    """
    schema = metadata.get("schemaString")
    fields = {key: value for key, value in metadata.items() if key != "createdTime"}
    return fields | {"schemaString": json.loads(schema) if schema else schema}


_CREATION = re.compile(
    r"(?P<verb>CREATE(?: OR REPLACE)?|REPLACE) TABLE \S+ (?:\((?P<columns>.*?)\) )?USING delta"
    r"(?: PARTITIONED BY \((?P<partitions>[^)]*)\))?(?: CLUSTER BY \((?P<clusters>[^)]*)\))?"
    r"(?: LOCATION '\{path\}')?(?: TBLPROPERTIES \((?P<properties>.*?)\))?(?: AS (?P<query>.*))?",
    re.DOTALL,
)
_QUERIED = "a INT, p STRING"
"""The columns of the one query that was recorded."""


def creation_of(sql: str) -> CreateTable:
    """The step that a recorded CREATE or REPLACE statement is."""
    found = _CREATION.fullmatch(sql)
    assert found, sql
    return CreateTable(
        mode=CreationMode(found["verb"].lower().replace(" ", "-")),
        schema=read_schema(found["columns"] or _QUERIED),
        partition_by=tuple(part.strip() for part in (found["partitions"] or "").split(",") if part),
        cluster_by=tuple(parse_column_list(found["clusters"])) if found["clusters"] else (),
        properties=_properties(found["properties"] or ""),
        query=found["query"],
    )
