"""Columns, constraints and clustering: Delta commits or refuses what is predicted."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deltaadm import Detail, Snapshot, evolve, load_snapshot, open_store
from deltaadm.domain.sql.ddl import Position, parse_definitions, parse_type
from deltaadm.domain.steps import (
    AddColumns,
    AddConstraint,
    ChangeColumns,
    ClusterBy,
    ColumnChange,
    DropColumns,
    DropConstraint,
    RenameColumn,
    SetProperties,
    Step,
)
from deltaadm.domain.transaction.columns import parse_column
from deltaadm.errors import CommitError, DeltaadmError
from deltaadm.plans.diff import diff, mismatches
from deltaadm.spark.executor import SparkExecutor
from tests.support import oracle
from tests.support.provenance import versions_made_by
from tests.support.statements import step_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


VIOLATION = "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"


def add(text: str) -> AddColumns:
    return AddColumns(parse_definitions(text))


def widen(**types: str) -> ChangeColumns:
    return ChangeColumns(
        tuple(
            ColumnChange(parse_column(column.replace("__", ".")), type=parse_type(text))
            for column, text in types.items()
        )
    )


def change(column: str, **what: object) -> ChangeColumns:
    return ChangeColumns((ColumnChange(parse_column(column), **what),))  # type: ignore[arg-type]


def cluster(*columns: str) -> ClusterBy:
    return ClusterBy(tuple(map(parse_column, columns)))


def carry_out(executor: SparkExecutor, path: Path, step: Step) -> Snapshot:
    """Predict *step*, carry it out, and hold one against the other; the state afterwards."""
    store = open_store(str(path))
    before = load_snapshot(store, detail=Detail.STATE)
    predicted: Snapshot | str | None
    try:
        predicted = evolve(before, step)
    except DeltaadmError as error:
        predicted = error.delta_error_class
    refused: object = False
    try:
        executor.apply(str(path), step)
    except CommitError as error:
        refused = error.delta_error_class
    after = load_snapshot(store, detail=Detail.STATE)
    if isinstance(predicted, Snapshot):
        assert refused is False, f"{step}: predicted a commit; Delta refused with {refused}"
        assert mismatches(predicted, after) == (), step
        made = versions_made_by(store, before.version + 1, after.version, step)
        assert made == tuple(range(before.version + 1, after.version + 1)), step
        assert not diff(before, after) or len(made) == 1, step
    else:
        assert refused == predicted, step
        assert after.version == before.version
    return after


TABLES: dict[str, tuple[str, list[Step]]] = {
    "added columns": (("(a INT NOT NULL COMMENT 'c', b STRING, s STRUCT<x: INT NOT NULL, "
        "y: STRUCT<z: STRING>>, arr ARRAY<STRUCT<p: BIGINT>>, m MAP<STRING, STRUCT<q: INT>>)"),
        [add("n INT NOT NULL"), add("n STRUCT<q: INT NOT NULL>"),
        add("n ARRAY<STRUCT<q: INT NOT NULL>>"), add("n INT DEFAULT 5"), add("nope.x INT"),
        add("a.x INT"), add("arr.x INT"), add("s.X INT"), add("n INT AFTER nope"),
        add("s.n INT AFTER a"), add("n INT, N INT"), add("t STRUCT<u: INT>, t.v INT"),
        add("`x y` INT"), add("i INTERVAL DAY"), add("t TIME"), add("nt TIMESTAMP_NTZ"),
        add("n INT, o INT AFTER N"), add("S.n2 INT COMMENT 'hm' AFTER X, s.y.w DATE FIRST"),
        add("arr.element.r STRUCT<deep: INT COMMENT 'd'>, m.value.k DECIMAL(5, 2) FIRST"),
        add("c ARRAY<CHAR(3)>, v STRUCT<q: VARCHAR(3), r: BIGINT>, w VARCHAR(7), e VOID"),
        add("va VARIANT")]),
    "added to a mapped table":
        ("(a INT, `d.t` DATE) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        [add("`x y.z` STRUCT<`=`: ARRAY<STRUCT<k: INT>>> FIRST"), add("n STRING COLLATE UNICODE"),
        cluster("D.T", "a"), DropColumns((("a",),)), cluster("d.t"), cluster("`d.t`"), cluster(),
        cluster()]),
    "inside arrays and maps of a mapped table":
        (("(a INT, arr ARRAY<STRUCT<p: INT, q: INT, r: STRUCT<t: INT>>>, "
        "m MAP<STRUCT<k: INT, l: INT>, STRUCT<v: INT>>) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"),
        [RenameColumn(("arr", "element", "p"), "p 2"), RenameColumn(("m", "value", "v"), "w"),
        DropColumns((("arr", "element", "q"),)), DropColumns((("M", "KEY", "l"),)),
        DropColumns((("a", "x"),)), DropColumns((("M", "key", "l"), ("arr", "element", "r"))),
        add("arr.nope.n INT"), add("arr.ELEMENT.n INT"), add("m.value.nope.n INT"),
        change("a.x", comment="x"), change("arr.Element", nullable=True),
        DropColumns((("m", "value", "w"),)), DropColumns((("arr", "element"),)),
        RenameColumn(("arr", "element"), "x")]),
    "changed columns": (("(a INT NOT NULL, b STRING, s STRUCT<x: INT NOT NULL, y: INT>, "
        "arr ARRAY<STRUCT<p: INT>>, m MAP<STRING, INT>, v VARCHAR(5), c CHAR(3), e VOID)"),
        [change("nope", comment="x"), change("A", comment="it's\nnew"), change("s.X", comment="x"),
        change("arr.element.p", comment="x"), change("arr.element", comment="x"),
        change("m.value", comment="x"), change("b", nullable=False), change("a", nullable=False),
        change("b", nullable=True), change("m.key", nullable=True), change("a", nullable=True),
        change("s.x", nullable=True), change("a", nullable=False), change("b", position=Position()),
        change("b", position=Position("nope")), change("b", position=Position("B")),
        change("s.y", position=Position()), change("s.y", position=Position("a")),
        change("a", position=Position("M")), ChangeColumns((ColumnChange(("a",), comment="y"),
        ColumnChange(("b",), comment=""), ColumnChange(("s", "x"), position=Position()))),
        change("a", default="3"), change("a", default=""),
        SetProperties({"delta.feature.allowColumnDefaults": "supported"}),
        change("a", default="1 + 2"), change("a", comment="the default stays"),
        change("a", default=""), widen(a="INT"), widen(a="BIGINT"), widen(a="STRING"),
        widen(a="SMALLINT"), widen(a="ARRAY<INT>"), widen(s="STRUCT<x: INT>"), widen(s="INT"),
        widen(m="MAP<INT, INT>"), widen(e="INT"), widen(b="VARCHAR(3)"), widen(v="VARCHAR(4)"),
        widen(v="CHAR(9)"), widen(c="CHAR(4)"), widen(c="VARCHAR(3)"), widen(v="VARCHAR(9)"),
        widen(v="STRING")]),
    "widened columns":
        (("(by TINYINT, sh SMALLINT, i INT, l BIGINT, f FLOAT, d DECIMAL(5,2), d0 DECIMAL(5,0), "
        "dt DATE, bo BOOLEAN, ts TIMESTAMP, nt TIMESTAMP_NTZ, s STRUCT<x: INT>, "
        "m MAP<INT, INT>, vo VOID, g INT GENERATED ALWAYS AS (sh + 1), "
        "id BIGINT GENERATED ALWAYS AS IDENTITY, p INT) PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"),
        [*(widen(**{column: text}) for column, text in (("by", "DECIMAL(3,0)"),
        ("by", "DECIMAL(10,1)"), ("sh", "DECIMAL(5,0)"), ("i", "DECIMAL(9,0)"),
        ("l", "DECIMAL(19,0)"), ("l", "DOUBLE"), ("i", "FLOAT"), ("f", "DECIMAL(30,10)"),
        ("d", "DOUBLE"), ("d", "DECIMAL(7,3)"), ("d", "DECIMAL(6,3)"), ("d0", "BIGINT"),
        ("d0", "SMALLINT"), ("dt", "TIMESTAMP"), ("bo", "STRING"), ("bo", "INT"),
        ("ts", "TIMESTAMP_NTZ"), ("nt", "DATE"), ("l", "TINYINT"), ("dt", "TIMESTAMP_NTZ"),
        ("by", "DECIMAL(11,1)"), ("sh", "INT"), ("g", "BIGINT"), ("id", "DECIMAL(20,0)"),
        ("p", "BIGINT"), ("l", "DECIMAL(25,5)"))), widen(vo="DATE"), change("id", nullable=True),
        change("id", comment="x"), widen(f="DOUBLE", s__x="DOUBLE", m__key="BIGINT"),
        widen(i="BIGINT"), widen(i="DECIMAL(22,2)")]),
    "constraints": ("(a INT, b STRING, s STRUCT<x: INT>, arr ARRAY<STRUCT<p: BIGINT>>, `ü` INT)",
        [AddConstraint("C1",
        "a>0 and b!='x' AND b<>\"q\" and s.x>=1.5 and not(`b` = '')\n or arr[0].p "
        "between 1 AND 2L"), AddConstraint("c1", "a > 0"), AddConstraint("c2", "nope > 1"),
        AddConstraint("c2", "a >= 1e-3 /* why */ and ü<1.5e+3 -- so\n and .5 < 2. or a<=>9.5D"),
        AddConstraint("it's odd.", "b <> 'it''s' or b = r'\\d' or b||'é' = \"\"\"\" or a==1"),
        AddConstraint("c3", "cast(array(array(a)) as array<array<int>>)[0][0] = -1"),
        AddConstraint("__CHAR_VARCHAR_STRING_LENGTH_CHECK__", "true"), DropConstraint("nope"),
        DropConstraint("nope", if_exists=True), DropConstraint("IT'S ODD."), DropConstraint("c3"),
        widen(a="BIGINT"), DropColumns((("b",),))]),
    "clustering": (("(a INT, m MAP<INT, INT>, s STRUCT<x: INT, y: INT>, e STRING, bo BOOLEAN) "
        "TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '3')"), [cluster(), cluster("nope"),
        cluster("a", "A"), cluster("a", "s.x", "s.y", "e", "bo"), cluster("s"), cluster("m"),
        cluster("bo"), cluster("m.value"), cluster("e"), cluster("s.y"), cluster("S.X"),
        SetProperties({"delta.dataSkippingNumIndexedCols": "-1"}), cluster("e", "a"),
        cluster("e", "a"), SetProperties({"delta.dataSkippingNumIndexedCols": "1"}),
        change("e", position=Position()), cluster("a"), change("e", position=Position()),
        SetProperties({"delta.dataSkippingStatsColumns": "s"}), cluster("a"), cluster("s.y"),
        cluster()]),
    "partitions": ("(a INT, b INT) PARTITIONED BY (b)", [cluster(), cluster("nope"), cluster("a"),
        change("b", position=Position())]),
}  # fmt: skip


IN_MATRIX = {"added columns", "widened columns", "clustering"}
"""Most of what Delta says to these is recorded, and compared in `tests/domain`."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.matrix] * (name in IN_MATRIX)) for name in TABLES],
)
def test_changes_and_refusals_are_predicted(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, name: str
) -> None:
    columns, steps = TABLES[name]
    table, _, rest = columns.partition(") ")
    spark.sql(f"CREATE TABLE delta.`{tmp_path}` {table}{')' if rest else ''} USING delta {rest}")
    for step in steps:
        carry_out(executor, tmp_path, step)


def test_a_constraint_that_rows_violate_is_refused(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE delta.`{tmp_path}` USING delta AS SELECT 1 AS a UNION SELECT null")
    step = AddConstraint("positive", "a > 0")
    before = load_snapshot(open_store(str(tmp_path)))
    assert evolve(before, step).metadata.configuration["delta.constraints.positive"] == "a > 0"
    with pytest.raises(CommitError) as caught:
        executor.apply(str(tmp_path), step)
    assert caught.value.delta_error_class == VIOLATION
    carry_out(executor, tmp_path, AddConstraint("any", "a > 0 or a is null"))


def _recorded() -> Iterator[oracle.Case]:
    """The recorded cases that only change columns, constraints or clustering."""
    kinds = (AddColumns, AddConstraint, ChangeColumns, ClusterBy)
    for case in oracle.cases("e2e"):
        steps = [step_of(operation) for operation in case["ops"]]
        if all(steps) and any(isinstance(step, kinds) for step in steps):
            yield case


RECORDED = list(_recorded())


@pytest.mark.matrix
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in RECORDED])
def test_recorded_cases_are_committed_again(
    spark: "SparkSession", executor: SparkExecutor, tmp_path: Path, case: oracle.Case
) -> None:
    steps = [step_of(operation) for operation in case["ops"]]
    if case["start"]["kind"] == "sql" and any(isinstance(step, AddConstraint) for step in steps):
        for operation in case["start"]["ops"]:  # the rows will be read
            spark.sql(operation["sql"].replace("{table}", f"delta.`{tmp_path}`"))
    else:
        oracle.write_log(case["start"]["files"], tmp_path)
    for step, recorded in zip(steps, case["expected"]["ops"], strict=False):
        assert step is not None
        if recorded["ok"] or recorded["error"]["errorClass"] != VIOLATION:
            carry_out(executor, tmp_path, step)
            continue
        with pytest.raises(CommitError) as caught:
            executor.apply(str(tmp_path), step)
        assert caught.value.delta_error_class == VIOLATION
