# ruff: noqa: E501, S311 -- rows; chance that is no secret
"""Plan random statements on random tables, have Delta Spark run them, and compare.

    python -m tools.differential SEED SECONDS [DISAGREEMENTS]

runs for so many seconds and prints how often protocol, metadata, domains, and the error class are
as predicted, by kind of statement. What differs is added to a file of JSON lines, with all that it
takes to repeat it. Tables have no rows, so that nothing is rewritten.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from deltaadm import Detail, Snapshot, evolve, load_snapshot, no_table, open_store, table
from deltaadm.domain import steps as kinds
from deltaadm.domain.ddl import Position, parse_definitions, parse_type, path_sql
from deltaadm.domain.features import FEATURES
from deltaadm.domain.properties import PROPERTIES
from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.transaction.constraints import unjudged_expressions
from deltaadm.errors import DeltaadmError, EngineError, NotYetError
from deltaadm.plans.alter import read_schema
from deltaadm.plans.diff import mismatches
from deltaadm.plans.plan import statement
from deltaadm.spark.errors import refusal
from deltaadm.spark.session import LITERAL_STATEMENTS, configured
from tests.support import tables
from tests.support.refusals import DEFAULTS, TYPES
from tests.support.spark_processes import MANY_STATEMENTS, local_session
from tests.support.statement_rows import STARTS
from tests.support.tables import commit
from tools.check_expressions import EXPRESSIONS
from tools.record_statements import FASTER, RESERVED, VALUES

Row = dict[str, Any]
Column = tuple[str, ...]
STEPS = 12
"""Statements that a table goes through."""

NAMES = ("a", "b", "c", "s", "l", "m", "n", "A", "x y", "p")
WIDENED = ("BIGINT", "DOUBLE", "DECIMAL(20,2)", "TIMESTAMP_NTZ", "STRING", "INT", "VARCHAR(9)")
_KEYS = [known.key for known in PROPERTIES.values()]
_MAPPED = {"delta.columnMapping.mode": "name"}
CONTAINERS = ("ARRAY<STRUCT<x: INT, y: INT>>", "MAP<STRING, STRUCT<x: INT>>")
CONDITIONS = ("a > 0", "b IS NOT NULL", "a", "nosuch > 0", "c = 'x'", "s.x > 0", "size(l.x) > 0")


class Wishes:
    """What somebody who may be mistaken wants of a table, drawn from *chance*."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._any = chance, chance.choice

    def step(self, before: Snapshot) -> kinds.Step:
        """One statement; most name what is there."""
        columns = [path for path, _ in before.metadata.schema.walk()] or [("a",)]
        supported = sorted(before.protocol.supported_features)
        weighed: dict[Callable[[], kinds.Step], int] = {
            lambda: kinds.SetProperties(self.properties()): 8,
            lambda: kinds.UnsetProperties(self._some(before.metadata.configuration, "x"), self._rarely()): 2,
            lambda: kinds.AddConstraint(self._any(("one", "Two")), self._any((*CONDITIONS, self._any(EXPRESSIONS)))): 3,
            lambda: kinds.DropConstraint(self._any(("one", "TWO", "x")), self._rarely()): 1,
            lambda: kinds.AddColumns(parse_definitions(self.new_columns(columns))): 5,
            lambda: self.changes(self._some(columns, ("x",))): 8,
            lambda: kinds.DropColumns(self._some(columns, ("x",)), self._rarely()): 2,
            lambda: kinds.RenameColumn(self._any(columns), self._any(NAMES)): 3,
            lambda: kinds.ClusterBy(self._some(columns, ("x",)) if self._often() else ()): 2,
            lambda: kinds.DropFeature(self._any([*supported, self._any([*FEATURES])]), self._rarely()): 3,
            lambda: self.creation(kinds.CreationMode.REPLACE): 1,
        }  # fmt: skip
        return self._chance.choices([*weighed], [*weighed.values()])[0]()

    def creation(self, mode: kinds.CreationMode) -> kinds.CreateTable:
        """A new table, or one in the place of another."""
        names = self._chance.sample(NAMES[:7], self._chance.randint(1, 4))
        columns = ", ".join(self.definition(name) for name in names)
        layout = self._chance.random()
        return kinds.CreateTable(
            mode=mode,
            schema=read_schema(columns),
            properties=self.properties() | (_MAPPED if self._chance.random() < 0.4 else {}),
            cluster_by=((self._any(names),),) if layout > 0.7 else (),
            partition_by=(self._any(names),) if layout < 0.2 else (),
        )

    def properties(self) -> dict[str, str]:
        """A few properties, some of them for features."""
        found = {}
        for _ in range(self._few()):
            key, feature = self._any([*_KEYS, *VALUES, "team"]), self._any([*FEATURES])
            values: Sequence[str] = VALUES.get(key) or ("true", "true", "false", "7 days", "x")
            if self._chance.random() < 0.2:
                key, values = f"delta.feature.{feature}", ("supported", "supported", "enabled", "x")
            elif self._chance.random() < 0.4:
                properties = FEATURES[feature].activation.properties
                key, value = self._any([*properties.items()] or [("delta.appendOnly", "true")])
                values = (value,)
            elif self._rarely():
                key = self._any([*RESERVED])
                values = RESERVED[key]
            found[key] = self._any(values)
        return found

    def definition(self, name: str) -> str:
        clauses = ("NOT NULL", "COMMENT 'new'", f"DEFAULT {self._any([*DEFAULTS])}")
        more = [clause for clause in clauses if self._rarely()]
        return f"{path_sql((name,))} {self._any((*TYPES, *CONTAINERS, 'INT', 'STRING'))} {' '.join(more)}"

    def new_columns(self, columns: Sequence[Column]) -> str:
        """Columns to add, in a struct perhaps, or at some place."""
        found = []
        for _ in range(self._few()):
            parent = f"{path_sql(self._any(columns))}." if self._rarely() else ""
            place = f" {self._any(('FIRST', 'AFTER a', 'AFTER b'))}" if self._rarely() else ""
            found.append(f"{parent}{self.definition(self._any(NAMES))}{place}")
        return ", ".join(found)

    def changes(self, columns: Sequence[Column]) -> kinds.ChangeColumns:
        """One for each column, of which one at most moves, as plans have it."""
        changes = [self.change(column) for column in columns]
        moves = [change for change in changes if change.position]
        return kinds.ChangeColumns(tuple(each for each in changes if each not in moves[1:]))

    def change(self, column: Column) -> kinds.ColumnChange:
        changes = (
            {"type": parse_type(self._any((*WIDENED, *TYPES)))}, {"comment": self._any(("", "why"))},
            {"nullable": self._often()}, {"default": self._any(("", *DEFAULTS))},
            {"position": Position(self._any((None, *NAMES)))},
        )  # fmt: skip
        return kinds.ColumnChange(column, **self._any(changes))

    def _some(self, among: Any, other: Any) -> tuple[Any, ...]:
        """A few, each once."""
        several = [*among]
        return tuple({self._any([*several, *several, other]): 0 for _ in range(self._few())})

    def _few(self) -> int:
        return self._any((1, 1, 1, 2, 3))

    def _rarely(self) -> bool:
        return self._chance.random() < 0.15

    def _often(self) -> bool:
        return self._chance.random() < 0.8


def state(root: str) -> Snapshot:
    return load_snapshot(open_store(root), detail=Detail.STATE)


def waits(before: Snapshot, step: kinds.Step) -> bool:
    """Whether *step* cannot be completed at once, for what it changes or for what history has."""
    if isinstance(step, kinds.DropFeature) and not step.waits(before):
        try:
            table(before.root).plan_drop(step.name, truncate_history=True)
        except NotYetError:
            return True
    return step.waits(before)


def compare(
    session: Any, settings: SessionSettings, before: Snapshot, step: kinds.Step
) -> tuple[str, Any, Any]:
    """What came of *step*: how it agrees, what was predicted, and what Delta did."""
    try:
        step.require_allowed()
        predicted: Any = evolve(before, step, settings)
    except DeltaadmError as error:
        predicted = error.delta_error_class or ""
    try:
        session.sql(statement(before.root, step))
        answer: Any = state(before.root)
    except Exception as error:
        found = refusal(error)
        if isinstance(found, EngineError):
            if "lacks a required class" not in found.message:  # as for coordinated commits of AWS
                raise
            return "left out: Spark lacks a class", "", ""
        if isinstance(found, NotYetError):
            agrees = isinstance(predicted, Snapshot) and waits(before, step)
            return ("both wait" if agrees else "DELTA WAITS"), "", ""
        answer = found.delta_error_class or ""
    if isinstance(predicted, Snapshot) and isinstance(answer, Snapshot):
        differ = mismatches(predicted, answer)
        return ("WRONG STATE" if differ else "both commit"), "", list(map(str, differ))
    if isinstance(predicted, Snapshot):
        told = isinstance(step, kinds.AddConstraint) or unjudged_expressions(
            before.metadata, predicted.metadata
        )
        return ("left to Spark, as planned" if told else "DELTA REFUSES"), "", answer
    if isinstance(answer, Snapshot):
        return "DELTA COMMITS", predicted, ""
    if isinstance(step, kinds.AddConstraint) and predicted != answer:
        return "left to Spark, both refuse", "", ""
    return ("both refuse" if predicted == answer else "OTHER ERROR CLASS"), predicted, answer


def differ(seed: str, session: Any, root: Path) -> Iterator[tuple[str, str, Row]]:
    """Take a table below *root* through statements: the kind and outcome of each, and a record."""
    settings = SessionSettings.from_conf(session.conf.getAll)
    chance, there = random.Random(seed), False
    wishes = Wishes(chance)
    for number in range(STEPS):
        if not there:  # one that was refused leaves something behind
            path = root / "-".join((*seed.split(), str(number)))
            there = chance.random() >= 0.5
            if there:  # written by hand
                tables.table(path, commit(*STARTS[chance.choice([*STARTS])]()))
        before = state(str(path)) if there else no_table(str(path))
        try:
            step = wishes.step(before) if there else wishes.creation(kinds.CreationMode.CREATE)
            sql = statement("t", step)
        except DeltaadmError:
            continue  # what cannot even be written down
        how, predicted, answer = compare(session, settings, before, step)
        wire = [before.protocol.to_wire(), before.metadata.to_wire()] if there else None
        yield step.kind, how, {
            "seed": seed, "how": how, "predicted": predicted, "delta": answer,
            "sql": sql, "before": wire,
        }  # fmt: skip
        there = any(path.glob("_delta_log/*.json"))


def main(seed: str, seconds: str, file: str = "disagreements.jsonl") -> None:
    """Compare until the time is up, and count."""
    counts: Counter[tuple[str, str]] = Counter()
    ends, number = monotonic() + float(seconds), 0
    with (
        tempfile.TemporaryDirectory() as directory,
        local_session(FASTER | MANY_STATEMENTS) as session,
        configured(session, LITERAL_STATEMENTS),
        Path(file).open("a", encoding="utf-8") as out,
    ):
        while monotonic() < ends:
            number += 1
            for kind, how, row in differ(f"{seed} {number}", session, Path(directory)):
                counts[kind, how] += 1
                if how.isupper():
                    print(json.dumps(row, default=str), file=out, flush=True)
    for (kind, how), count in sorted(counts.items()):
        print(f"{count:6}  {kind:20} {how}")  # noqa: T201
    comparable = sum(count for (_, how), count in counts.items() if "left" not in how)
    agreed = sum(count for (_, how), count in counts.items() if how.startswith("both"))
    print(f"{agreed} of {comparable} agree, {agreed / max(1, comparable):.2%}")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
