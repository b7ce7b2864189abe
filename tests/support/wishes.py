"""Tables, and what one may wish of them, for laws about plans."""

import itertools
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from deltaadm.domain.ddl import Position, parse_columns, parse_definitions, parse_type
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import ColumnChange, SetProperties, Step
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.transaction.columns import with_clustering
from deltaadm.errors import RefusedError
from deltaadm.plans.alter import TableChanges, plan_changes
from tests.support.plans import snapshot

MODE = "delta.columnMapping.mode"
COLUMNS = (
    "a INT", "b STRING COMMENT 'old'", "c INT NOT NULL", "s STRUCT<x: INT, y: STRING COMMENT 'y'>",
    "l ARRAY<STRUCT<z: INT>>", "d DATE",
)  # fmt: skip
FEATURES = ("allowColumnDefaults", "appendOnly", "checkConstraints", "invariants", "domainMetadata")
PROPERTIES = {
    "team": ("data", "web"), "delta.appendOnly": ("true", "false"),
    "delta.enableChangeDataFeed": ("true",),
    "delta.enableDeletionVectors": ("true", "false"),
    "delta.enableInCommitTimestamps": ("true",), "delta.enableTypeWidening": ("true",),
    "delta.enableRowTracking": ("true",), "delta.checkpointPolicy": ("v2", "classic"),
    "delta.dataSkippingNumIndexedCols": ("3", "32"),
    "delta.feature.vacuumProtocolCheck": ("supported",),
    "delta.minWriterVersion": ("4", "7"), MODE: ("name", "none"), "comment": ("what for",),
}  # fmt: skip
STORED = tuple(key for key in PROPERTIES if key.startswith(("team", "delta.a", "delta.enable")))


def filled(predicted: Snapshot) -> Snapshot:
    """The state that a commit might have come to where it was *predicted*."""
    numbers = itertools.count(predicted.version * 100)

    def chosen(text: str) -> str:
        head, *rest = text.split("<known after commit>")
        return head + "".join(f"{next(numbers)}{part}" for part in rest)

    metadata = predicted.metadata
    stored = {key: chosen(value) for key, value in metadata.configuration.items()}
    return replace(
        predicted,
        version=predicted.version + 1,
        metadata=replace(
            metadata, configuration=stored, schema_string=chosen(metadata.schema_string or "")
        ),
    )


def carried_out(before: Snapshot, steps: tuple[Step, ...]) -> list[Snapshot]:
    """The states before, between and after *steps*."""
    states = [before]
    for step in steps:
        states.append(filled(evolve(states[-1], step)))
    return states


@st.composite
def tables(draw: st.DrawFn) -> Snapshot:
    """A table with some columns, features and properties, mapped or not, clustered or not."""
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=2, unique=True))
    schema = parse_columns(", ".join(columns)).to_json()
    if draw(st.booleans()):
        made = snapshot((1, 7), {}, writer=[*FEATURES], schemaString=schema)
    else:
        made = snapshot((1, 2), {}, schemaString=schema)
    made = replace(made, domains={})
    stored = draw(st.lists(st.sampled_from(STORED), unique=True, max_size=2))
    wanted = {key: PROPERTIES[key][0] for key in stored}
    if draw(st.booleans()):
        wanted[MODE] = "name"
    if wanted:
        made = filled(evolve(made, SetProperties(wanted)))
    if made.protocol.supports("checkConstraints") and draw(st.booleans()):
        stored = {**made.metadata.configuration, "delta.constraints.one": "1 > 0"}
        made = replace(made, metadata=made.metadata.with_configuration(stored))
    first = columns[0].partition(" ")[0]
    can_be = first in {"a", "b", "c", "d"} and made.protocol.supports("domainMetadata")
    return with_clustering(made, [(first,)]) if can_be and draw(st.booleans()) else made


_ADDED = ("n INT", "n INT COMMENT 'new' FIRST", "m STRUCT<x: INT>", "s.n STRING", "m INT, n INT")
_CHANGES = (
    ColumnChange(("a",), type=parse_type("BIGINT")),
    ColumnChange(("a",), comment="why"),
    ColumnChange(("b",), comment=""),
    ColumnChange(("c",), nullable=True),
    ColumnChange(("a",), default="7"),
    ColumnChange(("a",), default=""),
    ColumnChange(("s", "x"), comment="inside"),
    *(ColumnChange((name,), position=Position(None if other == name else other)) for name in "abd"
        for other in "abcd"),
)  # fmt: skip
_RENAMED: dict[tuple[str, ...], str] = {
    ("a",): "a b", ("b",): "bb", ("s",): "t", ("s", "x"): "w", ("c",): "a2",
}  # fmt: skip


@st.composite
def wishes(draw: st.DrawFn) -> TableChanges:
    """Changes of several kinds, which a table may refuse."""
    keys = draw(st.lists(st.sampled_from(sorted(PROPERTIES)), unique=True, max_size=2))
    renamed = draw(st.lists(st.sampled_from(sorted(_RENAMED)), unique=True, max_size=2))
    seldom = st.integers(0, 3).map(lambda number: number == 0)
    return TableChanges(
        set_properties={key: draw(st.sampled_from(PROPERTIES[key])) for key in keys},
        drop_constraints=["one"] if draw(seldom) else [],
        add=[
            definition
            for text in draw(st.lists(st.sampled_from(_ADDED), max_size=1))
            for definition in parse_definitions(text)
        ],
        change=draw(st.lists(st.sampled_from(_CHANGES), unique_by=repr, max_size=4)),
        cluster_by=draw(st.sampled_from([None, None, None, (), [("a",)], [("b",), ("c",)]])),
        drop=[("d",)] if draw(seldom) else [],
        rename={name: _RENAMED[name] for name in renamed},
        add_constraints={"two": "1 > 0"} if draw(seldom) else {},
        unset=draw(st.lists(st.sampled_from(["team", "delta.appendOnly", MODE]), max_size=1)),
    )


def possible(table: Snapshot, wish: TableChanges) -> TableChanges:
    kept: dict[str, Any] = {}
    for field in fields(TableChanges):
        if getattr(wish, field.name) == getattr(TableChanges(), field.name):
            continue
        more = kept | {field.name: getattr(wish, field.name)}
        try:
            plan_changes(table, TableChanges(**more))
        except RefusedError:
            continue
        kept = more
    return TableChanges(**kept)
