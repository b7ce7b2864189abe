"""Record what Delta on Spark answers to statements about properties, constraints and columns.

    python -m tools.record_statements [GROUP ...]

Writes `tests/data/statements.jsonl.xz`, the rows of which `tests.support.statement_rows` reads.
The groups in `RESUMED` go on where they stopped, the others are recorded anew. Each statement
runs against a fresh table whose log is written by hand, without data files.
Nothing is computed here: every outcome is an answer of the engine.
"""

import json
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from deltaadm.domain.features import FEATURES
from deltaadm.domain.properties import FOREIGN, PROPERTIES
from deltaadm.domain.steps import (
    AddConstraint,
    CreateTable,
    CreationMode,
    SetProperties,
    UnsetProperties,
)
from deltaadm.errors import CommitError, RefusedError
from deltaadm.plans.alter import read_schema
from deltaadm.plans.plan import statement
from deltaadm.spark.errors import refusal
from tests.support.spark_processes import local_session
from tests.support.statement_rows import (
    COLUMNS,
    CONSTRAINED,
    LISTED,
    RESUMED,
    STARTS,
    STORED,
    all_rows,
    question,
    save,
)
from tests.support.tables import commit, table
from tools.check_expressions import EXPRESSIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

Row = dict[str, Any]

VALUES = {
    "delta.castIcebergTimeType": ("true",), "delta.checkpointInterval": ("5", "0"),
    "delta.checkpointPolicy": ("v2", "v3"), "delta.columnMapping.maxColumnId": ("7",),
    "delta.columnMapping.mode": ("name", "id", "none", "NAME", "bogus"),
    "delta.coordinatedCommits.commitCoordinator-preview": ("in-memory", "nobody"),
    "delta.coordinatedCommits.commitCoordinatorConf-preview": ("{}", "x"),
    "delta.coordinatedCommits.tableConf-preview": ("{}", "x"),
    "delta.dataSkippingNumIndexedCols": ("0", "-2"),
    "delta.dataSkippingStatsColumns": ("a", "nosuch"),
    "delta.dataSkippingStringPrefixLength": ("5", "-1"),
    "delta.inCommitTimestampEnablementTimestamp": ("1", "x"),
    "delta.inCommitTimestampEnablementVersion": ("1", "x"),
    "delta.isolationLevel": ("Serializable", "WriteSerializable", "x"),
    "delta.minReaderVersion": ("2", "3", "4"), "delta.minWriterVersion": ("5", "7", "8"),
    "delta.parquet.format.version": ("2.12.0", "x"),
    "delta.randomPrefixLength": ("3", "0"),
    "delta.redirectReaderWriter-preview": ("{}", "x"),
    "delta.redirectWriterOnly-preview": ("{}", "x"),
    "delta.requireCheckpointProtectionBeforeVersion": ("1", "-1"),
    "delta.universalFormat.enabledFormats": ("iceberg", "hudi", "iceberg,hudi", "x"),
}  # fmt: skip
"""Values for the properties that are neither switches nor intervals."""

RESERVED = {
    "clusteringColumns": ("a", '[["a"]]'), "ClusteringColumns": ("a",), "clusteringcolumns": ("a",),
    "clusterByAuto": ("true",), "collation": ("UTF8_BINARY",), "comment": ("hello",),
    "Comment": ("hello",), "delta.CONSTRAINTS.C": ("a > 0",), "delta.checkpoint.x": ("1",),
    "delta.clustering.columns": ("a",), "delta.clusteringColumns": ("a",),
    "delta.constraints.": ("a > 0",),
    "delta.constraints.__CHAR_VARCHAR_STRING_LENGTH_CHECK__": ("a > 0",),
    "delta.constraints.c": ("a > 0", "nosuch > 0", "a", ""),
    "delta.domainMetadata.x": ("1",), "delta.feature.": ("supported",),
    "delta.feature": ("supported",), "delta.generationExpression": ("a",),
    "delta.identity.start": ("1",), "delta.invariants": ("a",), "delta.typeChanges": ("[]",),
    "delta.unknownProperty": ("1",),
    "delta.universalFormat.config.iceberg.x": ("1",),
    "external": ("true",), "is_managed_location": ("true",), "location": ("/nowhere",),
    "Location": ("/nowhere",), "my.property": ("1",), "option.x": ("1",),
    "option.delta.appendOnly": ("true",), "owner": ("me",), "path": ("/nowhere",),
    "provider": ("parquet",), "Provider": ("parquet",), "primary_key": ("a",),
    "spark.sql.sources.schema": ("x",), "spark.sql.statistics.numRows": ("1",),
    "table_type": ("EXTERNAL",), "transient_lastDdlTime": ("1",), "type": ("MANAGED",),
    "ucTableId": ("x",), "io.unitycatalog.tableId": ("x",), "view.x": ("1",),
}  # fmt: skip

COMBINATIONS: tuple[dict[str, str], ...] = (
    {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"},
    {"delta.constraints.c": "a > 0", "delta.feature.checkConstraints": "supported"},
    {"delta.constraints.c": "a > 0", "my.property": "1"},
    {"delta.enableDeletionVectors": "true", "delta.feature.clustering": "supported"},
    {"delta.enableIcebergCompatV1": "true", "delta.columnMapping.mode": "name"},
    {"delta.enableIcebergCompatV2": "true", "delta.columnMapping.mode": "name"},
    {"delta.enableIcebergCompatV3": "true", "delta.columnMapping.mode": "name"},
    {"delta.enableRowTracking": "true", "delta.rowTrackingSuspended": "true"},
    {"delta.enableDeletionVectors": "true", "delta.compatibility.symlinkFormatManifest.enabled":
        "true"},
    {"delta.coordinatedCommits.commitCoordinator-preview": "in-memory",
        "delta.coordinatedCommits.commitCoordinatorConf-preview": "{}"},
    {"delta.coordinatedCommits.commitCoordinator-preview": "nobody",
        "delta.coordinatedCommits.commitCoordinatorConf-preview": "{}",
        "delta.coordinatedCommits.tableConf-preview": "{}"},
    {"delta.coordinatedCommits.commitCoordinator-preview": "nobody",
        "delta.coordinatedCommits.commitCoordinatorConf-preview": "{}",
        "delta.enableInCommitTimestamps": "false"},
    {"delta.logRetentionDuration": "1 day", "delta.deletedFileRetentionDuration": "2 days"},
    {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"},
    {"delta.minReaderVersion": "1", "delta.minWriterVersion": "3"},
    {"delta.minReaderVersion": "3", "delta.minWriterVersion": "5"},
    {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2", "delta.appendOnly": "true"},
    {"delta.minReaderVersion": "1", "delta.minWriterVersion": "4", "delta.feature.checkConstraints":
        "supported"},
    {"delta.universalFormat.enabledFormats": "iceberg", "delta.enableIcebergCompatV2": "true"},
    {"delta.ignoreProtocolDefaults": "true", "delta.feature.deletionVectors": "supported"},
    {"delta.feature.adaptiveMetadata-preview": "supported", "delta.columnMapping.mode": "name"},
    {"delta.feature.catalogManaged": "supported", "delta.feature.clustering": "supported"},
    {"delta.feature.clustering": "supported", "delta.unknownProperty": "1"},
    {"delta.constraints.c": "a > 0", "delta.unknownProperty": "1"},
    {"clusteringColumns": "a", "delta.unknownProperty": "1"},
    {"clusteringColumns": "a", "delta.feature.clustering": "supported"},
    {"delta.constraints.c": "a > 0", "delta.feature.clustering": "supported"},
    {"clusteringColumns": "a", "delta.constraints.c": "a > 0"},
    {"delta.checkpointPolicy": "v3", "delta.feature.clustering": "supported"},
    *({"delta.coordinatedCommits.commitCoordinator-preview": "nobody", key: value} for key,
        value in (("delta.feature.clustering", "supported"), ("delta.feature.catalogManaged",
        "supported"), ("delta.feature.adaptiveMetadata-preview", "supported"),
        ("delta.constraints.c", ""), ("clusteringColumns", "a"), ("io.unitycatalog.tableId", "x"))),
    {"delta.feature.catalogManaged": "supported", "delta.constraints.c": ""},
    {"delta.feature.adaptiveMetadata-preview": "supported", "io.unitycatalog.tableId": "x"},
    {"Option.x": "1", "OPTION.y": "1", "Path": "x", "COMMENT": "x", "Owner": "x"},
    {"IO.unitycatalog.tableId": "x", "Clusteringcolumns": "1"},
)  # fmt: skip

COLUMN_LISTS = (
    "", " ", "a", " a ", "A", "a,b", "a, b", "a ,b", "a,\tb", "a\n,\nb", ",", ",a", "a,", "a,,b",
    "a, ,b", "a,b,", "a;b", "a b", "a b,b", "a.", ".a", "a..b", "s", "s.x", "S.X", "s . x", "s.x.",
    "s.x,s.y", "s,s.x", "s.z", "a.b", "a,a", "a,A", "`a`", "`a", "a`", "`a`,`b`", "`a``b`", "``",
    "` `", "'a'", '"a"', "(a)", "a,(b)", "*", "a.*", "1", "1a", "a1", "_a", "a-b", "a+b", "ä",
    "a,ä", "table", "select", "from", "null", "true", "a as b", "a -- c", "a /* x */, b", "a/b",
    "a:b", "a=b", "arr", "m", "arr.element", "m.key", "c", "bin", "p", "p,a", "dec", "ts", "v",
    "a,nosuch", "nosuch,", "nosuch,,a", "a,b,nosuch", "a\\,b", "a%", "a?", "a,`b", "a,b c", "-a",
    "@a", "#a", "a#", "a!", "a,1", "a,1a", "a.1", "s.1x", "s.`x`", "`s.x`", "`s`.`x`", "a,'b'",
    "a AND b", "a DESC", "a ASC, b", "a - b", "a -", "a -1", "a-1", "a-1a", "s.x-y", "a,b-c",
    "a,b -", "`a`-b", "NOT", "a,--", "a, -- b", "1.5", "a1.5", "order", "a,order",
)  # fmt: skip
"""Texts for delta.dataSkippingStatsColumns."""

REPLACED = (
    "a INT, b STRING", "a INT", "a BIGINT, b STRING", "b STRING, a INT", "a STRING, b STRING",
    "a INT COMMENT 'x', b STRING", "x INT", "a INT, b STRING, c INT", "a INT NOT NULL, b STRING",
    "c INT, a INT, b STRING", "A INT, b STRING", "a INT, b STRING, b INT",
    "a INT, b STRING, s STRUCT<x: INT, y: STRING>", "a INT, b STRING, s STRUCT<x: INT>",
    "b STRING, a INT, s STRUCT<x: INT, y: STRING>",
    "a INT, b STRING, s STRUCT<x: INT, y: STRING>, c INT",
    "a BIGINT, b STRING, s STRUCT<x: INT, y: STRING>",
    "a INT, b STRING COMMENT 'x', s STRUCT<x: INT, y: STRING>",
)  # fmt: skip
"""Columns for ALTER TABLE … REPLACE COLUMNS."""


def _values(key: str) -> tuple[str, ...]:
    if key in VALUES:
        return VALUES[key]
    duration = key.endswith("Duration")
    return ("interval 10 days", "3 monkeys", "") if duration else ("true", "false", "TRUE", "x")


def reserved_wishes() -> Iterator[dict[str, str]]:
    """Every reserved key and every feature, one at a time."""
    for key, values in RESERVED.items():
        yield from ({key: value} for value in values)
    for name in (*FEATURES, "nosuch"):
        yield {f"delta.feature.{name}": "supported"}


def combined_wishes() -> Iterator[dict[str, str]]:
    """Several properties together, and features in other spellings."""
    yield from COMBINATIONS
    for name in ("clustering", "deletionVectors", "catalogManaged", "adaptiveMetadata-preview"):
        yield {f"delta.feature.{name}": "enabled"}
        yield {f"delta.FEATURE.{name.upper()}": "supported"}
        yield {f"DELTA.feature.{name}": "supported"}


def _is_special(wish: Mapping[str, str]) -> bool:
    """Whether a wish is about a key that Delta or Spark keeps for something else."""
    words = ("constraints", "clustering", "catalog", "adaptive", "coordinated", "nosuch", "unknown")
    return any(key in RESERVED or any(word in key.lower() for word in words) for key in wish)


LAYOUTS: tuple[tuple[tuple[str, ...], tuple[str, ...], dict[str, str]], ...] = (
    (("a",), (), {}), (("B", "s.x"), (), {}), (("a", "A"), (), {}), (("nosuch",), (), {}),
    (("s",), (), {}), (("a", "b", "s.x", "s.y"), (), {}), (("a", "b", "s.x", "s.y", "a"), (), {}),
    (("a",), ("b",), {}), ((), ("b",), {}),
    (("b",), (), {"delta.dataSkippingNumIndexedCols": "1"}),
    (("a",), (), {"delta.dataSkippingNumIndexedCols": "0"}),
    (("a",), (), {"delta.dataSkippingNumIndexedCols": "-1"}),
    (("a",), (), {"delta.dataSkippingStatsColumns": "b"}),
    (("a",), (), {"delta.dataSkippingStatsColumns": "a"}),
    (("a",), (), {"delta.columnMapping.mode": "name"}),
    (("a",), (), {"delta.feature.clustering": "supported"}),
    (("a",), (), {"delta.feature.catalogManaged": "supported"}),
    (("a",), (), {"delta.feature.adaptiveMetadata-preview": "supported"}),
    (("a",), (), {"delta.constraints.c": "a > 0"}),
    (("a",), (), {"delta.constraints.c": ""}), (("a",), (), {"delta.unknownProperty": "1"}),
    (("a",), (), {"clusteringColumns": "a"}),
    (("a",), (), {"clusteringColumns": '[["b"]]'}),
    (("a",), (), {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}),
    (("a",), (), {"delta.ignoreProtocolDefaults": "true"}),
    (("a",), (), {"delta.enableIcebergCompatV2": "true"}),
    (("a",), (), {"delta.enableDeletionVectors": "false"}),
    (("a",), (), {"comment": "hello"}),
)  # fmt: skip
"""What CREATE and REPLACE lay a table out by: clustering, partitions, properties."""


def expressions() -> list[str]:
    """The CHECK expressions, in no certain order."""
    texts = list(EXPRESSIONS)
    random.Random(0).shuffle(texts)  # noqa: S311 -- an order, not a secret
    return texts


OPERANDS = (
    "a", "l", "d", "dec", "b", "c", "dt", "ts", "tn", "bin", "arr", "m", "s", "v", "NULL", "1",
    "1.5", "1e3", "'x'", "true", "DATE '2020-01-01'", "INTERVAL 1 DAY", "X'1F'",
)  # fmt: skip
OPERATORS = (
    "{} = {}", "{} <=> {}", "{} < {}", "{} AND {}", "{} + {}", "{} - {}", "{} * {}", "{} / {}",
    "{} % {}", "{} DIV {}", "{} & {}", "{} IN ({})", "{} BETWEEN {} AND NULL", "{} LIKE {}",
    "{} IS DISTINCT FROM {}", "{} || {}",
)  # fmt: skip
UNARY = ("NOT {}", "- {}", "+ {}", "~ {}", "{} IS NULL", "{} IS TRUE", "{} OR true", "{} IN (NULL)")


def typed_expressions() -> list[str]:
    """Every operator with operands of all types, in no certain order."""
    texts = [*OPERANDS, *(operator.format(left) for operator in UNARY for left in OPERANDS)]
    for operator in OPERATORS:
        texts += (operator.format(left, right) for left in OPERANDS for right in OPERANDS)
    random.Random(0).shuffle(texts)  # noqa: S311 -- an order, not a secret
    return texts


def read_type(columns: str) -> "StructType":
    """Columns as Spark's own type."""
    from pyspark.sql.types import StructType

    return StructType.fromJson(json.loads(read_schema(columns).to_json()))


FASTER = {
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
}

SECONDS = {
    "check": 230, "pair": 50, "property": 40, "combination": 60, "registered": 70, "unset": 90,
    "featured": 50, "layout": 50, "variant": 25, "column-list": 60, "replace-columns": 30,
}  # fmt: skip
"""How long a group is recorded at most; what is left over is not in the archive."""


class ClassMissingError(Exception):
    """Delta needs a class to judge a statement that is not among Spark's here."""


class Recorder:
    """Runs statements on fresh tables and notes the outcomes."""

    def __init__(self, session: "SparkSession", root: Path) -> None:
        self._session = session
        self._root = root
        self._count = 0
        self._untouched: dict[str, Path] = {}
        self._answered = {question(row) for row in all_rows() if row["group"] in RESUMED}

    def groups(self) -> dict[str, Callable[[], Iterator[Row]]]:
        """What makes the rows of each group."""
        return {
            "function": self.functions, "pair": self.pairs, "check": self.constraints,
            "property": self.properties, "unset": self.unset_properties, "layout": self.layouts,
            "combination": self.combinations, "featured": self.featured,
            "registered": self.registered, "variant": self.variants,
            "column-list": self.column_lists, "replace-columns": self.replaced_columns,
        }  # fmt: skip

    def properties(self) -> Iterator[Row]:
        """CREATE, SET and REPLACE for every reserved key and feature."""
        for wish in reserved_wishes():
            yield from self._ways(wish)

    def combinations(self) -> Iterator[Row]:
        """CREATE, SET and REPLACE for properties that depend on each other."""
        for wish in combined_wishes():
            yield from self._ways(wish)

    def featured(self) -> Iterator[Row]:
        """SET and REPLACE for special keys, on a table that has features."""
        for wish in filter(_is_special, (*reserved_wishes(), *combined_wishes())):
            yield from self._row("set", "featured", wish, SetProperties(wish))
            yield from self._create("featured", wish)

    def variants(self) -> Iterator[Row]:
        """CREATE for reserved keys where the table has a name, clusters or a query."""
        for key, values in RESERVED.items():
            wish = {key: values[0]}
            for variant in ("named", "query", "clustered"):
                step = _variant(variant, wish)
                yield from self._row("create", "none", wish, step, variant=variant)

    def registered(self) -> Iterator[Row]:
        """CREATE for several values of each registered property, and REPLACE for some."""
        for entry in PROPERTIES.values():
            values = _values(entry.key)
            upper = entry.key.upper().replace("DELTA.", "delta.")
            yield from self._create("none", {entry.key: values[0]})
            yield from self._create("none", {entry.key: values[-1]})
            yield from self._create("plain", {upper: values[0]})
        for entry in PROPERTIES.values():
            for value in _values(entry.key):
                yield from self._create("plain", {entry.key: value})
                yield from self._create("none", {entry.key: value})
        for foreign in FOREIGN.values():
            yield from self._create("none", {foreign.key: "x"})

    def unset_properties(self) -> Iterator[Row]:
        """UNSET for every reserved key and registered property, where it is set and where not."""
        for key in (*RESERVED, *(entry.key for entry in PROPERTIES.values())):
            starts = ("configured", "plain") if key in RESERVED else ("configured",)
            for start in starts:
                yield from self._unset(start, key)
        for key in ("delta.feature.deletionVectors", "delta.feature.clustering", "my.nosuch"):
            yield from self._unset("featured", key)
        for key in ("delta.columnMapping.mode", "delta.columnMapping.maxColumnId"):
            yield from self._unset("mapped", key)
        for key in ("delta.APPENDONLY", "DELTA.appendOnly", "delta.constraints.C"):
            yield from self._unset("configured", key)
        yield from self._unset("configured", *STORED)

    def layouts(self) -> Iterator[Row]:
        """CREATE and REPLACE with CLUSTER BY and PARTITIONED BY."""
        for start in ("none", "plain", "featured"):
            for clusters, partitions, wish in LAYOUTS:
                step = CreateTable(
                    mode=CreationMode.CREATE if start == "none" else CreationMode.REPLACE,
                    schema=read_schema(COLUMNS),
                    properties=wish,
                    cluster_by=tuple(tuple(path.split(".")) for path in clusters),
                    partition_by=partitions,
                )
                yield from self._row("create", start, wish, step)

    def _ways(self, wish: dict[str, str]) -> Iterator[Row]:
        yield from self._create("none", wish)
        yield from self._row("set", "plain", wish, SetProperties(wish))
        yield from self._create("plain", wish)

    def _unset(self, start: str, *keys: str) -> Iterator[Row]:
        step = UnsetProperties(keys)
        yield from self._row("unset", start, dict.fromkeys(keys, ""), step)

    def _create(self, start: str, wish: dict[str, str]) -> Iterator[Row]:
        mode = CreationMode.CREATE if start == "none" else CreationMode.REPLACE
        step = CreateTable(mode=mode, schema=read_schema(COLUMNS), properties=wish)
        yield from self._row("create", start, wish, step)

    def column_lists(self) -> Iterator[Row]:
        """Lists of columns with statistics."""
        for text in COLUMN_LISTS:
            wish = {"delta.dataSkippingStatsColumns": text}
            step = CreateTable(
                mode=CreationMode.CREATE,
                schema=read_schema(LISTED),
                partition_by=("p",),
                properties=wish,
            )
            yield from self._row("create", "none", wish, step)
            yield from self._row("set", "listed", wish, SetProperties(wish))

    def constraints(self) -> Iterator[Row]:
        """CHECK constraints on a table without rows."""
        path = self._table("constrained")
        for number, text in enumerate(expressions()):
            try:
                sql = statement(str(path), AddConstraint(f"c{number}", text))
            except RefusedError:
                sql = f"ALTER TABLE delta.`{path}` ADD CONSTRAINT c{number} CHECK ({text})"
            yield {"expression": text, **self._outcome(sql, None)}

    def pairs(self) -> Iterator[Row]:
        """The types of operators with operands of all types, which need no commit."""
        empty = self._session.createDataFrame([], read_type(CONSTRAINED))
        for text in typed_expressions():
            try:
                kind = empty.selectExpr(f"({text}) AS r").schema["r"].dataType.simpleString()
                yield {"expression": text, "type": kind}
            except Exception as error:  # noqa: BLE001 -- what Spark refuses is the answer
                yield {"expression": text, "refused": refusal(error).delta_error_class}

    def replaced_columns(self) -> Iterator[Row]:
        """ALTER TABLE … REPLACE COLUMNS."""
        for start in ("plain", "mapped"):
            for columns in REPLACED:
                path = self._table(start)
                sql = f"ALTER TABLE delta.`{path}` REPLACE COLUMNS ({columns})"
                row = {"start": start, "columns": columns}
                yield row | self._outcome(sql, path)

    def functions(self) -> Iterator[Row]:
        """Every function that Spark has built in, and whether a constraint may use it."""
        state = self._session._jsparkSession.sessionState()  # noqa: SLF001
        registry = state.functionRegistry()
        jvm = self._session._jvm  # noqa: SLF001
        allowed = jvm.org.apache.spark.sql.delta.AllowedUserProvidedExpressions.expressions()
        classes = {text.split()[-1] for text in _texts(allowed)}
        tables = {item.funcName() for item in _items(state.tableFunctionRegistry().listFunction())}
        for item in _items(registry.listFunction()):
            info = registry.lookupFunction(item).get()
            yield {
                "name": item.funcName(),
                "kind": info.getGroup(),
                "class": info.getClassName().rpartition(".")[2],
                "allowed": info.getClassName() in classes,
                "table": item.funcName() in tables,
            }

    def _row(
        self, group: str, start: str, wish: Mapping[str, str], step: Any, variant: str = ""
    ) -> Iterator[Row]:
        row: Row = {"statement": group, "start": start, "properties": dict(wish)}
        if variant:
            row["variant"] = variant
        if isinstance(step, CreateTable):
            layout = {
                "cluster_by": [list(path) for path in step.cluster_by],
                "partition_by": list(step.partition_by),
            }
            row |= {key: columns for key, columns in layout.items() if columns and not variant}
        if question(row) in self._answered:
            return
        path = self._table(start)
        name = f"t{self._count}" if variant == "named" else None
        sql = statement(str(path), step, name)
        if name:
            path = self._root / "warehouse" / name
        with suppress(ClassMissingError):
            yield row | self._outcome(sql, path)

    def _table(self, start: str) -> Path:
        """A table that is as it was at the start: one that has only refused things will do."""
        if start in self._untouched:
            return self._untouched[start]
        self._count += 1
        path = self._root / f"table{self._count}"
        if start != "none":
            self._untouched[start] = table(path, commit(*STARTS[start]())).path
        return path

    def _outcome(self, sql: str, path: Path | None) -> Row:
        try:
            self._session.sql(sql)
        except Exception as error:
            found = refusal(error)
            if not isinstance(found, CommitError):
                raise ClassMissingError(str(found)) from error
            words = re.sub(re.escape(str(self._root)) + r"/table\d+", "<TABLE>", found.message)
            return {"refused": found.delta_error_class, "message": words[:160]}
        if path is None:
            return {}
        self._untouched = {key: value for key, value in self._untouched.items() if value != path}
        commits = sorted((path / "_delta_log").glob("*.json"))
        state: Row = {"version": len(commits) - 1}
        for line in "".join(file.read_text(encoding="utf-8") for file in commits).splitlines():
            action = json.loads(line)
            if "protocol" in action:
                state["protocol"] = _sorted_protocol(action["protocol"])
            if "domainMetadata" in action:
                domain = action["domainMetadata"]
                state.setdefault("domains", {})[domain["domain"]] = domain["configuration"]
            if "metaData" in action:
                state["configuration"] = dict(sorted(action["metaData"]["configuration"].items()))
                state["description"] = action["metaData"].get("description")
        shutil.rmtree(path, ignore_errors=True)
        return state


def _variant(named: str, wish: Mapping[str, str]) -> CreateTable:
    return CreateTable(
        mode=CreationMode.CREATE,
        schema=read_schema("a INT, b STRING" if named == "query" else COLUMNS),
        properties=wish,
        cluster_by=(("a",),) if named == "clustered" else (),
        query="SELECT 1 AS a, 'x' AS b" if named == "query" else None,
    )


def _sorted_protocol(body: Row) -> Row:
    return {key: sorted(value) if isinstance(value, list) else value for key, value in body.items()}


def _texts(scala: Any) -> Sequence[str]:
    return str(scala.mkString("\n")).split("\n")


def _items(scala: Any) -> Iterator[Any]:
    iterator = scala.iterator()
    while iterator.hasNext():
        yield iterator.next()


def main(wanted: Sequence[str]) -> None:
    """Record the groups that are *wanted*, or all; the others stay in the archive."""
    root = Path(tempfile.mkdtemp(prefix="statements-"))
    with local_session(FASTER | {"spark.sql.warehouse.dir": str(root / "warehouse")}) as session:
        session.udf.register("my_python_function", lambda one: one, "boolean")
        session.sql("CREATE TEMPORARY FUNCTION my_sql_function(x INT) RETURNS BOOLEAN RETURN x > 0")
        for group, rows in Recorder(session, root).groups().items():
            if not wanted or group in wanted:
                kept = [row for row in all_rows() if group in RESUMED or row["group"] != group]
                made = list(_within(SECONDS.get(group, 60), rows()))
                save([*kept, *({"group": group, **row} for row in made)])
                print(group, len(made), datetime.now(UTC), flush=True)  # noqa: T201
    shutil.rmtree(root, ignore_errors=True)


def _within(seconds: float, rows: Iterator[Row]) -> Iterator[Row]:
    ends = monotonic() + seconds
    for row in rows:
        yield row
        if monotonic() > ends:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
