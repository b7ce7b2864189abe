"""DL5xx: what features require."""

import json
from pathlib import Path
from typing import Any

from tests.support.rule_cases import breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    column,
    commit_info,
    deletion_vector,
    domain,
    draft,
    drafted,
    metadata,
    protocol,
    remove,
    schema,
    table,
)
from tests.support.tables import commit as body

INFO = commit_info()
RECORDS = json.dumps({"numRecords": 10})
VECTORED = json.dumps({"numRecords": 10, "tightBounds": False})
VECTOR = deletion_vector("ab^-aqEH.-t@S}K{vb[*k^")
ARRAY = {"type": "array", "elementType": "integer", "containsNull": True}


@drafted
def _table(path: Path, protocol: Action, metadata: Action, *more: Action) -> Table:
    return table(path, body(INFO, protocol, metadata, *more))


def _columns(*columns: Action, **more: Any) -> Action:
    settings = more.pop("configuration", {})
    return metadata(settings, schemaString=schema(*columns), **more)


# Row tracking

TRACKING = {
    "delta.enableRowTracking": "true",
    "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
    "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version-col-1",
}
TRACKED = protocol(1, 7, None, ["domainMetadata", "rowTracking"])


def _mark(value: Any) -> Action:
    return domain("delta.rowTracking", json.dumps({"rowIdHighWaterMark": value}))


def _numbered(path: str, first: int, **more: Any) -> Action:
    return add(path, stats=RECORDS, baseRowId=first, defaultRowCommitVersion=0, **more)


breaks("DL501", "a file lacks its base row id",
    _table(TRACKED, metadata(TRACKING), add("f", stats=RECORDS, defaultRowCommitVersion=0)))
breaks("DL501", "a file lacks its row commit version",
    _table(TRACKED, metadata(TRACKING), add("f", stats=RECORDS, baseRowId=0), _mark(9)))
respects("DL501", "every file has row ids",
    _table(TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(9)))
respects("DL501 DL217", "row tracking is not on yet",
    _table(TRACKED, metadata(), add("f", stats=RECORDS)))
respects("DL501 DL212", "row tracking is on without the feature",
    _table(protocol(), metadata(TRACKING), add("f", stats=RECORDS)))

breaks("DL502", "two files share a row id", _table(TRACKED, metadata(TRACKING), _numbered("f", 0),
    _numbered("g", 9), _numbered("h", 20), _mark(29)))
breaks("DL502", "a file has row ids within those of another",
    _table(TRACKED, metadata(TRACKING), add("f", stats='{"numRecords":100}', baseRowId=0,
        defaultRowCommitVersion=0), _numbered("g", 20), _numbered("h", 40), _mark(99)))
respects("DL502", "row ids go on where others end", _table(TRACKED, metadata(TRACKING),
    _numbered("f", 10), _numbered("g", 0), _numbered("h", 20), _mark(29)))
respects("DL502", "row ids of a removed file are used again", _table(TRACKED, metadata(TRACKING),
    _numbered("f", 0), _mark(9)).commit(1, INFO, remove("f"), _numbered("g", 5), _mark(14)))
respects("DL502", "row ids overlap without the feature",
    _table(protocol(), metadata(), _numbered("f", 0), _numbered("g", 5)))

breaks("DL503", "the mark is one below the last row",
    _table(TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(8)))
breaks("DL503", "there is no mark", _table(TRACKED, metadata(TRACKING), _numbered("f", 0)))
breaks("DL503", "the mark is no number",
    _table(TRACKED, metadata(TRACKING), _numbered("f", 0), _mark("9")))
breaks("DL503", "the mark is a truth value", _table(TRACKED, metadata(TRACKING),
    add("f", stats='{"numRecords":1}', baseRowId=0, defaultRowCommitVersion=0), _mark(True)))
respects("DL503", "the mark is the last row",
    _table(TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(9)))
respects("DL503", "there is no mark without files", _table(TRACKED, metadata(TRACKING)))
respects("DL503", "there is no mark without the feature",
    _table(protocol(), metadata(), _numbered("f", 0)))

breaks("DL504", "a name for row ids is missing",
    _table(TRACKED,
        metadata({key: value for key, value in TRACKING.items() if "RowId" not in key})))
breaks("DL504", "a column has the name for row ids",
    _table(TRACKED, _columns(column("_ROW-id-col-1"), configuration=TRACKING)))
breaks("DL504", "both names are the same",
    _table(TRACKED,
        metadata(TRACKING
        | {"delta.rowTracking.materializedRowCommitVersionColumnName": "_row-id-col-1"})))
respects("DL504", "an inner column has the name for row ids",
    _table(TRACKED, _columns(column("s", {"type": "struct", "fields": [column("_row-id-col-1")]}),
        configuration=TRACKING)))
respects("DL504 DL217", "a column has the name while row tracking is off",
    _table(TRACKED, _columns(column("_row-id-col-1"),
        configuration=(TRACKING | {"delta.enableRowTracking": "false"}))))

breaks("DL505", "row tracking is on and suspended",
    _table(TRACKED, metadata(TRACKING | {"delta.rowTrackingSuspended": "true"})))
respects("DL505", "row tracking is on and not suspended",
    _table(TRACKED, metadata(TRACKING | {"delta.rowTrackingSuspended": "false"})))
respects("DL505 DL217", "row tracking is suspended and not on",
    _table(TRACKED,
        metadata(TRACKING | {"delta.enableRowTracking": "false",
        "delta.rowTrackingSuspended": "true"})))


# Domains and clustering

DOMAINS = protocol(1, 7, None, ["domainMetadata"])
CLUSTERED = protocol(1, 7, None, ["clustering", "domainMetadata"])


def _by(*columns: Any) -> Action:
    return domain("delta.clustering", json.dumps({"clusteringColumns": list(columns)}))


breaks("DL506", "a domain is there without the feature",
    _table(protocol(), metadata(), domain("mine")))
respects("DL506", "a removed domain is there without the feature",
    _table(protocol(), metadata(), domain("mine", removed=True)))
respects("DL506", "a domain is there with the feature", _table(DOMAINS, metadata(), domain("mine")))

breaks("DL507", "a domain has a reserved name", _table(DOMAINS, metadata(), domain("delta.mine")))
respects("DL507", "a domain has nearly a reserved name",
    _table(DOMAINS, metadata(), domain("deltas.mine"), _by()))


def _parted() -> Action:
    return _columns(column("a"), column("p"), partitionColumns=["p"])


breaks("DL508", "a table is clustered and partitioned", _table(CLUSTERED, _parted(), _by(["a"])))
respects("DL508", "a partitioned table is clustered by none", _table(CLUSTERED, _parted(), _by()))
respects("DL508", "a table is clustered only", _table(CLUSTERED, metadata(), _by(["a"])))
respects("DL508", "a partitioned table has a domain of that name",
    _table(DOMAINS, _parted(), _by(["a"])))

breaks("DL509", "a clustering column does not exist", _table(CLUSTERED, metadata(), _by(["b"])))
breaks("DL509", "an inner clustering column does not exist",
    _table(CLUSTERED, metadata(), _by(["a", "b"])))
breaks("DL509", "a clustering column has no bounds",
    _table(CLUSTERED, _columns(column("a", "binary"), column("b")), _by(["a"])))
breaks("DL509", "a clustering column is an array",
    _table(CLUSTERED, _columns(column("a", ARRAY), column("b")), _by(["a"])))


MAPPED = protocol(2, 7, None, ["clustering", "columnMapping", "domainMetadata"])
MAPPING = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def _mapped(kind: Any = "integer", name: str = "col-1") -> Action:
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": name}
    return _columns(column("a", kind, **keys), configuration=MAPPING)


breaks("DL509", "a clustering column has its logical name under mapping",
    _table(MAPPED, _mapped(), _by(["a"])))
respects("DL509", "a clustering column has its physical name",
    _table(MAPPED, _mapped(), _by(["col-1"])))
respects("DL509", "a column that is gone is named without the feature",
    _table(DOMAINS, metadata(), _by(["gone"])))
respects("DL509", "clustering columns are inside structs or texts",
    _table(CLUSTERED,
        _columns(column("a", {"type": "struct", "fields": [column("b", "decimal(4,2)")]}),
        column("c")), _by(["a", "b"], "c")))


def _clustered_by(*columns: str, **more: Any) -> list[Any]:
    return [commit_info(operation="CLUSTER BY", **more), _by(*([column] for column in columns))]


AWAY = 'deltaadm/1.0 5f suspends {"clusteringColumns":[["a"]]}'


@drafted
def _suspended(path: Path, *later: list[Any], note: str = AWAY) -> None:
    _table(CLUSTERED, _columns(column("a"), column("b")), _by(["a"]))(path)
    made = Table(path)
    made.commit(1, *_clustered_by(userMetadata=note))
    for number, actions in enumerate(later, 2):
        made.commit(number, *actions)


breaks("DL535", "a run has taken clustering away and did not go on", _suspended())
breaks("DL535", "others have written since clustering was taken away",
    _suspended([commit_info()], [commit_info()]))
respects("DL535", "clustering was put back", _suspended(_clustered_by("a")))
respects("DL535", "clustering was taken away again on purpose",
    _suspended(_clustered_by("b"), _clustered_by()))
respects("DL535", "clustering was ended on purpose", _suspended(note="deltaadm/1.0 5f"))
respects("DL535", "a note about clustering is not of deltaadm",
    _suspended(note='mine suspends {"clusteringColumns":[["a"]]}'))


# In-commit timestamps and catalogs

STAMPED = protocol(1, 7, None, ["appendOnly", "inCommitTimestamp", "invariants"])
STAMPS = {"delta.enableInCommitTimestamps": "true"}
SINCE = {
    "delta.inCommitTimestampEnablementVersion": "1",
    "delta.inCommitTimestampEnablementTimestamp": "2000",
}


@drafted
def _stamped_later(path: Path, **changes: str) -> None:
    settings = STAMPS | {
        key: value for key, value in (SINCE | _keyed(changes)).items() if value is not None
    }
    info = commit_info(timestamp=2000, inCommitTimestamp=2000)
    made = table(path, body(commit_info(timestamp=1000), protocol(), metadata()))
    made.commit(1, info, STAMPED, metadata(settings))


def _keyed(changes: dict[str, Any]) -> dict[str, Any]:
    return {f"delta.inCommitTimestampEnablement{key}": value for key, value in changes.items()}


breaks("DL510", "the time of enablement is missing", _stamped_later(Timestamp=None))
breaks("DL510", "the version of enablement is missing", _stamped_later(Version=None))
breaks("DL510", "the version of enablement is yet to come", _stamped_later(Version="2"))
breaks("DL510", "the version of enablement is negative", _stamped_later(Version="-1"))
breaks("DL510", "the version of enablement is negative and timestamps are off",
    draft(body(commit_info(), protocol(),
        metadata({"delta.inCommitTimestampEnablementVersion": "-1"}))))
breaks("DL510", "the time of enablement is not that of its commit",
    _stamped_later(Timestamp="1999"))
respects("DL510", "the time of enablement is that of its commit", _stamped_later())
respects("DL510", "timestamps are on from the start",
    draft(body(commit_info(timestamp=2000, inCommitTimestamp=2000), STAMPED, metadata(STAMPS))))
respects("DL510", "timestamps begin with the first version", _stamped_later(Version="0"))


@respects("DL510")
def the_commit_of_enablement_is_gone(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, [STAMPED, metadata(STAMPS | SINCE)])
    made.last_checkpoint(2)
    made.commit(2, commit_info(timestamp=3000, inCommitTimestamp=3000))


CATALOG = ["catalogManaged", "vacuumProtocolCheck"]
MANAGED = protocol(3, 7, CATALOG, [*CATALOG, "inCommitTimestamp"])
RATIFIED = commit_info(timestamp=2000, inCommitTimestamp=2000, txnId="t")


breaks("DL511", "a catalog manages a table without timestamps",
    draft(body(RATIFIED, MANAGED, metadata())))
respects("DL511", "a catalog manages a table with timestamps",
    draft(body(RATIFIED, MANAGED, metadata(STAMPS))))


# Iceberg


def _compat(version: int, **settings: str) -> dict[str, str]:
    return MAPPING | {f"delta.enableIcebergCompatV{version}": "true"} | settings


def _iceberg(version: int, *more: str) -> Action:
    readers = [name for name in more if name == "deletionVectors"]
    names = ["columnMapping", f"icebergCompatV{version}", *more]
    if readers:
        return protocol(3, 7, ["columnMapping", *readers], names)
    return protocol(2, 7, None, names)


def _for_iceberg(version: int, kind: Any = "integer", **settings: str) -> Action:
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
    return _columns(column("a", kind, **keys), configuration=_compat(version, **settings))


breaks("DL512", "iceberg is on without mapping",
    _table(_iceberg(2), metadata({"delta.enableIcebergCompatV2": "true"})))
respects("DL512", "iceberg is on with mapping", _table(_iceberg(2), _for_iceberg(2)))
respects("DL512", "iceberg is off without mapping",
    _table(_iceberg(2), metadata({"delta.enableIcebergCompatV2": "false"})))

breaks("DL513", "a column is an array under the first iceberg",
    _table(_iceberg(1), _for_iceberg(1, ARRAY)))
respects("DL513", "a column is an array under the second iceberg",
    _table(_iceberg(2),
    _columns(column("a", ARRAY, **{"delta.columnMapping.id": 1,
    "delta.columnMapping.physicalName": "a", "delta.columnMapping.nested.ids": {"a.element": 2}}),
    configuration=(_compat(2) | {"delta.columnMapping.maxColumnId": "2"}))))

breaks("DL514 DL217", "the first iceberg is on where vectors are possible",
    _table(_iceberg(1, "deletionVectors"), _for_iceberg(1)))
breaks("DL514", "the second iceberg is on beside vectors", _table(_iceberg(2, "deletionVectors"),
    _for_iceberg(2, **{"delta.enableDeletionVectors": "true"})))
breaks("DL514", "the second iceberg is on and files have vectors",
    _table(_iceberg(2, "deletionVectors"), _for_iceberg(2),
        add("f", stats=VECTORED, deletionVector=VECTOR)))
respects("DL514 DL217", "the second iceberg is on where vectors are possible",
    _table(_iceberg(2, "deletionVectors"), _for_iceberg(2), add("f", stats=RECORDS)))


@respects("DL514")
def the_third_iceberg_is_on_beside_vectors(path: Path) -> None:
    settings = TRACKING | {"delta.enableDeletionVectors": "true"}
    names = "deletionVectors", "rowTracking", "domainMetadata"
    file = _numbered("f", 0, deletionVector=VECTOR)
    file["add"]["stats"] = VECTORED
    _table(_iceberg(3, *names), _for_iceberg(3, **settings), file, _mark(9))(path)


breaks("DL515", "a file for iceberg has no count",
    _table(_iceberg(2), _for_iceberg(2), add("f", stats="{}")))
respects("DL515", "a file for iceberg has a count",
    _table(_iceberg(2), _for_iceberg(2), add("f", stats=RECORDS)))
respects("DL515", "a file has no count while iceberg is off",
    _table(_iceberg(2), _for_iceberg(2, **{"delta.enableIcebergCompatV2": "false"}),
        add("f", stats="{}")))


@drafted
def _written_for_iceberg(path: Path, name: str, *, on: bool) -> None:
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": name}
    settings = _compat(2) | {"delta.enableIcebergWriterCompatV1": str(on).lower()}
    made = _columns(column("a", **keys), configuration=settings)
    _table(_iceberg(2, "icebergWriterCompatV1"), made)(path)


breaks("DL531 DL213", "a physical name is not its id", _written_for_iceberg("col-2", on=True))
respects("DL531 DL213", "a physical name is its id", _written_for_iceberg("col-1", on=True))


# Columns

WIDENED = protocol(3, 7, ["typeWidening"], ["typeWidening"])
WIDENING = {"delta.enableTypeWidening": "true"}


def _widened(kind: Any, *changes: tuple[str, ...]) -> Action:
    keys = ("fromType", "toType", "fieldPath")
    recorded = [dict(zip(keys, change, strict=False)) for change in changes]
    return column("a", kind, **{"delta.typeChanges": recorded})


@drafted
def _widened_table(path: Path, kind: Any, *changes: tuple[str, ...]) -> None:
    _table(WIDENED, _columns(_widened(kind, *changes), configuration=WIDENING))(path)


breaks("DL516", "a column was narrowed", _widened_table("short", ("integer", "short")))
breaks("DL516", "a decimal lost digits",
    _widened_table("decimal(10,4)", ("decimal(10,2)", "decimal(10,4)")))
breaks("DL516", "an integer became too small a decimal",
    _widened_table("decimal(10,1)", ("integer", "decimal(10,1)")))


@breaks("DL516")
def a_widening_is_not_for_iceberg(path: Path) -> None:
    keys = {
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
        "delta.typeChanges": [{"fromType": "integer", "toType": "double"}],
    }
    made = _columns(column("a", "double", **keys), configuration=_compat(2, **WIDENING))
    names = ["columnMapping", "typeWidening"]
    _table(protocol(3, 7, names, [*names, "icebergCompatV2"]), made)(path)


respects("DL516", "columns were widened", _widened_table("decimal(12,2)", ("byte", "short"),
    ("short", "integer"), ("integer", "decimal(12,2)")))


@respects("DL516")
def a_widening_is_for_iceberg_as_well(path: Path) -> None:
    keys = {
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
        "delta.typeChanges": [{"fromType": "integer", "toType": "long"}],
    }
    made = _columns(column("a", "long", **keys), configuration=_compat(2, **WIDENING))
    names = ["columnMapping", "typeWidening"]
    _table(protocol(3, 7, names, [*names, "icebergCompatV2"]), made)(path)


@respects("DL516")
def dates_and_fractions_were_widened(path: Path) -> None:
    columns = (
        ("b", "double", "float"),
        ("c", "double", "short"),
        ("d", "timestamp_ntz", "date"),
        ("e", "decimal(12,4)", "decimal(10,2)"),
    )
    made = [
        column(name, new, **{"delta.typeChanges": [{"fromType": old, "toType": new}]})
        for name, new, old in columns
    ]
    names = ["typeWidening", "timestampNtz"]
    _table(protocol(3, 7, names, names), _columns(*made, configuration=WIDENING))(path)


breaks("DL517", "a record ends with another type", _widened_table("long", ("short", "integer")))
breaks("DL517", "a record has a hole",
    _widened_table("long", ("byte", "short"), ("integer", "long")))
breaks("DL517", "a record is no list",
    _table(WIDENED, _columns(column("a", **{"delta.typeChanges": {}}), configuration=WIDENING)))
breaks("DL517", "a record has no types", _widened_table("long", ("integer",)))
breaks("DL517", "a record has no old type", _widened_table("long", ("", "long")))
breaks("DL517", "a record is for a place that is not there",
    _widened_table("long", ("integer", "long", "element")))
breaks("DL517", "a record is for a whole array", _widened_table(ARRAY, ("short", "integer")))
breaks("DL517", "a record is there without the feature",
    _table(protocol(), _columns(_widened("long", ("integer", "long")))))
respects("DL517", "a record is for the places of a map",
    _widened_table({"type": "map", "keyType": "long", "valueType": {"type": "array",
        "elementType": "double", "containsNull": True}, "valueContainsNull": True},
        ("integer", "long", "key"), ("float", "double", "value.element")))
respects("DL517 DL214", "a record is there with the preview",
    _table(protocol(3, 7, ["typeWidening-preview"], ["typeWidening-preview"]),
        _columns(_widened("long", ("integer", "long")), configuration=WIDENING)))

breaks("DL518", "a type is there without its feature",
    _table(protocol(), _columns(column("a", "timestamp_ntz"))))
breaks("DL518", "a type within an array is not listed", _table(protocol(1, 7, None, ["appendOnly"]),
    _columns(column("a", (ARRAY | {"elementType": "variant"})))))
respects("DL518", "a type is there with its feature",
    _table(protocol(3, 7, ["timestampNtz"], ["timestampNtz"]),
        _columns(column("a", "timestamp_ntz"))))
respects("DL518 DL214", "a type is there with the preview of its feature",
    _table(protocol(3, 7, ["variantType-preview"], ["variantType-preview"]),
        _columns(column("a", "variant"), column("b"))))


@drafted
def _variant(path: Path, *more: Action, **keys: Any) -> None:
    names = ["clustering", "domainMetadata", "variantType", "allowColumnDefaults"]
    made = _columns(column("a", "variant", **keys), column("b"))
    _table(protocol(3, 7, ["variantType"], names), made, *more)(path)


breaks("DL519", "a variant is used for clustering", _variant(_by(["a"])))
breaks("DL519", "a variant has a default", _variant(CURRENT_DEFAULT="parse_json('1')"))
breaks("DL519", "a variant has a number as default", _variant(CURRENT_DEFAULT=1))
respects("DL519", "a variant has null as default", _variant(_by(["b"]), CURRENT_DEFAULT=" NULL "))


IDENTITY = {
    "delta.identity.start": 10,
    "delta.identity.step": 5,
    "delta.identity.allowExplicitInsert": False,
}
COUNTED = protocol(1, 7, None, ["identityColumns"])


@drafted
def _counting(path: Path, kind: str = "long", *, parted: bool = False, **changes: Any) -> None:
    keys = IDENTITY | {f"delta.identity.{key}": value for key, value in changes.items()}
    one = column("i", kind, **{key: each for key, each in keys.items() if each is not None})
    made = _columns(one, column("a"), partitionColumns=["i"] if parted else [])
    _table(COUNTED, made)(path)


breaks("DL520", "an identity column stands still", _counting(step=0, highWaterMark=12))
breaks("DL520", "an identity column starts with a text", _counting(start="10", highWaterMark=12))
breaks("DL520", "an identity column is too short", _counting("integer"))
breaks("DL520", "an identity column is a partition column", _counting(parted=True))
breaks("DL520", "an identity column lacks a setting", _counting(allowExplicitInsert=None))
respects("DL520", "an identity column counts down", _counting(step=-1))
respects("DL520", "an identity column starts with zero", _counting(start=0))
respects("DL520 DL212", "an identity column means nothing without the feature",
    _table(protocol(), _columns(column("i", "integer", **IDENTITY), column("a"))))

breaks("DL521", "a mark is between two steps", _counting(highWaterMark=17))
breaks("DL521", "a mark is before the start", _counting(highWaterMark=5))
breaks("DL521", "a mark is above a start from which values fall",
    _counting(step=-5, highWaterMark=15))
respects("DL521", "a mark is the start", _counting(highWaterMark=10))
respects("DL521", "a mark is some steps down", _counting(step=-5, highWaterMark=0))


GENERATED = protocol(1, 7, None, ["generatedColumns", "identityColumns"])
GENERATION = "delta.generationExpression"


@drafted
def _generated(path: Path, expression: str, **more: Any) -> None:
    made = _columns(
        column("a"),
        column("g", **{GENERATION: "a + 1"}),
        column("h", "long", **{GENERATION: expression}, **more),
        column("i", "long", **IDENTITY),
    )
    _table(GENERATED, made)(path)


breaks("DL522", "a column is generated and counted", _generated("a", **IDENTITY))
breaks("DL522 DL304", "a column is generated beside one of its name in other letters",
    _table(GENERATED, _columns(column("g", **{GENERATION: "g + 1"}), column("G"))))
breaks("DL522", "a column is generated from a generated one", _generated("a + `G`"))
breaks("DL522", "a column is generated from a generated one in other letters", _generated("a + G"))
respects("DL522", "a column is generated from what only looks generated",
    _generated("g (a) + a.g + length('g') + length(\"g\")"))


FEED = {"delta.enableChangeDataFeed": "true"}


breaks("DL523", "a column has a name of the feed",
    _table(protocol(1, 4), _columns(column("_Change_Type"), configuration=FEED)))
respects("DL523", "a column has a name of the feed that is off",
    _table(protocol(1, 4), _columns(column("_change_type"))))
respects("DL523", "a column has nearly a name of the feed",
    _table(protocol(1, 4), _columns(column("_change_types"), configuration=FEED)))


GROWING = metadata({"delta.appendOnly": "true"})


breaks("DL524", "data leaves a table that only grows",
    _table(protocol(), GROWING, add("f")).commit(1, INFO, remove("f")))
breaks("DL524", "data leaves without saying so", _table(protocol(), GROWING, add("f"))
    .commit(1, INFO, {"remove": {"path": "f", "deletionTimestamp": 1}}))
respects("DL524", "files are compacted in a table that only grows",
    _table(protocol(), GROWING, add("f")).commit(1, INFO, remove("f", dataChange=False),
        add("g", dataChange=False)))
respects("DL524", "data leaves before the table only grows",
    _table(protocol(), metadata(), add("f")).commit(1, INFO, remove("f"), GROWING))
respects("DL524 DL212", "data leaves a table that should only grow without the feature",
    _table(protocol(1, 1), GROWING, add("f")).commit(1, INFO, remove("f")))
respects("DL524", "data leaves once the table need not only grow",
    _table(protocol(), GROWING, add("f")).commit(1, INFO, remove("f"), metadata()))
respects("DL524", "a table that only grows is made anew", _table(protocol(), GROWING, add("f"))
    .commit(1, commit_info(operation="CREATE OR REPLACE TABLE"), remove("f"), GROWING))

breaks("DL525", "a required column is not enforced",
    _table(protocol(1, 1), _columns(column("a", nullable=False))))
respects("DL525", "a required column is enforced",
    _table(protocol(1, 2), _columns(column("a", nullable=False))))
respects("DL525 DL211", "a required column is not listed",
    _table(protocol(1, 7, None, ["appendOnly"]), _columns(column("a", nullable=False))))


@drafted
def _invariant(path: Path, text: Any, *, nullable: bool = True) -> None:
    _table(protocol(), _columns(column("a", nullable=nullable, **{"delta.invariants": text})))(path)


breaks("DL526", "an invariant that nobody reads is bare sql", _invariant("a > 1", nullable=False))
breaks("DL526", "an invariant goes on after its end",
    _invariant('{"expression":{"expression":"a > 1"}} and more'))
respects("DL526", "an invariant that nobody reads is as described",
    _invariant('{"expression":{"expression":"a > 1"}}', nullable=False))
breaks("DL526", "an invariant is bare sql", _invariant("a > 1"))
breaks("DL526", "an invariant has no expression", _invariant('{"expression":"a > 1"}'))
breaks("DL526", "an invariant is a number", _invariant('{"expression":{"expression":1}}'))
breaks("DL526", "an invariant is a list", _invariant("[]"))
respects("DL526", "an invariant is as described",
    _invariant('{"expression":{"expression":"a > 1"}}'))

breaks("DL527", "a default is there without the feature",
    _table(protocol(), _columns(column("a", CURRENT_DEFAULT="1"))))
respects("DL527", "a default is there with the feature",
    _table(protocol(1, 7, None, ["allowColumnDefaults"]),
        _columns(column("a", CURRENT_DEFAULT="1"))))


GEOSPATIAL = protocol(3, 7, ["geospatial"], ["geospatial"])


breaks("DL303", "a column is a geometry",
    _table(GEOSPATIAL, _columns(column("a", "geometry(4326)"))))
breaks("DL303", "an array holds geographies",
    _table(GEOSPATIAL,
        _columns(column("a", {"type": "array", "elementType": "geography(4326)",
        "containsNull": True}))))
breaks("DL303 DL518", "a geometry is not even listed",
    _table(protocol(1, 7, None, ["appendOnly"]), _columns(column("a", "geometry(4326)"))))
respects("DL303 DL217", "the feature is there without a column",
    _table(GEOSPATIAL, _columns(column("a"))))
respects("DL303 DL518", "a table without lists is loaded with its geometry",
    _table(protocol(1, 2), _columns(column("a", "geometry(4326)"))))


# Checkpoint protection and deletion vectors

GUARDED = protocol(1, 7, None, ["checkpointProtection"])
GUARD = {"delta.requireCheckpointProtectionBeforeVersion": "3"}


breaks("DL528", "protection has no version", _table(GUARDED, metadata()))
breaks("DL528", "protection is asked for without the feature", _table(protocol(), metadata(GUARD)))
respects("DL528", "protection has a version", _table(GUARDED, metadata(GUARD)))
respects("DL528", "protection of nothing needs no feature",
    _table(protocol(), metadata(dict.fromkeys(GUARD, "0"))))


@drafted
def _cut(path: Path, first: int, settings: dict[str, str], protocol: Action) -> None:
    made = Table(path)
    made.checkpoint(first, [protocol, metadata(settings)])
    made.last_checkpoint(first)
    for version in range(first, 4):
        made.commit(version, INFO)


breaks("DL529", "guarded history is cut", _cut(2, GUARD, GUARDED))
respects("DL529", "guarded history is gone", _cut(3, GUARD, GUARDED))
respects("DL529", "guarded history is whole", _table(GUARDED, metadata(GUARD)).commit(1, INFO))
respects("DL529", "history that nobody guards is cut", _cut(2, {}, protocol()))
respects("DL529 DL528", "history is cut that only a property guards", _cut(2, GUARD, protocol()))
respects("DL529 DL528", "history is cut that is guarded up to nowhere", _cut(2, {}, GUARDED))


VECTORS = {"delta.enableDeletionVectors": "true"}
MANIFEST = {"delta.compatibility.symlinkFormatManifest.enabled": "true"}
DELETING = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])


breaks("DL530", "vectors are on beside manifests", _table(DELETING, metadata(VECTORS | MANIFEST)))
respects("DL530 DL217", "vectors are off beside manifests", _table(DELETING, metadata(MANIFEST)))
respects("DL530", "vectors are on without manifests", _table(DELETING, metadata(VECTORS)))


ADAPTIVE = ["catalogManaged", "columnMapping", "deletionVectors", "vacuumProtocolCheck"]
ADAPTIVE_ALSO = ["domainMetadata", "inCommitTimestamp", "rowTracking"]


@drafted
def _adaptive(
    path: Path, mode: str, *files: Action, name: str = "adaptiveMetadata-preview"
) -> None:
    names = [name, *ADAPTIVE]
    settings = MAPPING | STAMPS | TRACKING | VECTORS | {"delta.columnMapping.mode": mode}
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
    made = _columns(column("a", **keys), configuration=settings)
    table(path, body(RATIFIED, protocol(3, 7, names, [*names, *ADAPTIVE_ALSO]), made, *files))


PROPOSED = "adaptiveMetadata"
breaks("DL532 DL214", "adaptive metadata is mapped by name", _adaptive("name"))
breaks("DL532 DL213 DL411", "adaptive metadata as proposed is not mapped",
    _adaptive("none", name=PROPOSED))
respects("DL532 DL213", "adaptive metadata as proposed is mapped by name",
    _adaptive("name", name=PROPOSED))


@breaks("DL532 DL214")
def adaptive_metadata_has_a_vector_in_line(path: Path) -> None:
    text = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    vector = deletion_vector(text, None) | {"storageType": "i", "sizeInBytes": 40}
    file = _numbered("f", 0, deletionVector=vector) | {}
    file["add"]["stats"] = VECTORED
    _adaptive("id", file, _mark(9))(path)


@respects("DL532 DL214")
def adaptive_metadata_is_mapped_by_id(path: Path) -> None:
    file = _numbered("f", 0, deletionVector=VECTOR)
    file["add"]["stats"] = VECTORED
    _adaptive("id", file, _mark(9))(path)
