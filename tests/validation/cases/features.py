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


@breaks("DL501")
def a_file_lacks_its_base_row_id(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), add("f", stats=RECORDS, defaultRowCommitVersion=0))


@breaks("DL501")
def a_file_lacks_its_row_commit_version(path: Path) -> None:
    file = add("f", stats=RECORDS, baseRowId=0)
    _table(path, TRACKED, metadata(TRACKING), file, _mark(9))


@respects("DL501")
def every_file_has_row_ids(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(9))


@respects("DL501", "DL217")
def row_tracking_is_not_on_yet(path: Path) -> None:
    _table(path, TRACKED, metadata(), add("f", stats=RECORDS))


@respects("DL501", "DL212")
def row_tracking_is_on_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(TRACKING), add("f", stats=RECORDS))


@breaks("DL502")
def two_files_share_a_row_id(path: Path) -> None:
    files = _numbered("f", 0), _numbered("g", 9), _numbered("h", 20)
    _table(path, TRACKED, metadata(TRACKING), *files, _mark(29))


@breaks("DL502")
def a_file_has_row_ids_within_those_of_another(path: Path) -> None:
    wide = add("f", stats='{"numRecords":100}', baseRowId=0, defaultRowCommitVersion=0)
    files = wide, _numbered("g", 20), _numbered("h", 40)
    _table(path, TRACKED, metadata(TRACKING), *files, _mark(99))


@respects("DL502")
def row_ids_go_on_where_others_end(path: Path) -> None:
    files = _numbered("f", 10), _numbered("g", 0), _numbered("h", 20)
    _table(path, TRACKED, metadata(TRACKING), *files, _mark(29))


@respects("DL502")
def row_ids_of_a_removed_file_are_used_again(path: Path) -> None:
    made = _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(9))
    made.commit(1, INFO, remove("f"), _numbered("g", 5), _mark(14))


@respects("DL502")
def row_ids_overlap_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(), _numbered("f", 0), _numbered("g", 5))


@breaks("DL503")
def the_mark_is_one_below_the_last_row(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(8))


@breaks("DL503")
def there_is_no_mark(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0))


@breaks("DL503")
def the_mark_is_no_number(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0), _mark("9"))


@breaks("DL503")
def the_mark_is_a_truth_value(path: Path) -> None:
    file = add("f", stats='{"numRecords":1}', baseRowId=0, defaultRowCommitVersion=0)
    _table(path, TRACKED, metadata(TRACKING), file, _mark(True))


@respects("DL503")
def the_mark_is_the_last_row(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING), _numbered("f", 0), _mark(9))


@respects("DL503")
def there_is_no_mark_without_files(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING))


@respects("DL503")
def there_is_no_mark_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(), _numbered("f", 0))


@breaks("DL504")
def a_name_for_row_ids_is_missing(path: Path) -> None:
    rest = {key: value for key, value in TRACKING.items() if "RowId" not in key}
    _table(path, TRACKED, metadata(rest))


@breaks("DL504")
def a_column_has_the_name_for_row_ids(path: Path) -> None:
    _table(path, TRACKED, _columns(column("_ROW-id-col-1"), configuration=TRACKING))


@breaks("DL504")
def both_names_are_the_same(path: Path) -> None:
    key = "delta.rowTracking.materializedRowCommitVersionColumnName"
    _table(path, TRACKED, metadata(TRACKING | {key: "_row-id-col-1"}))


@respects("DL504")
def an_inner_column_has_the_name_for_row_ids(path: Path) -> None:
    inner = {"type": "struct", "fields": [column("_row-id-col-1")]}
    _table(path, TRACKED, _columns(column("s", inner), configuration=TRACKING))


@respects("DL504", "DL217")
def a_column_has_the_name_while_row_tracking_is_off(path: Path) -> None:
    settings = TRACKING | {"delta.enableRowTracking": "false"}
    _table(path, TRACKED, _columns(column("_row-id-col-1"), configuration=settings))


@breaks("DL505")
def row_tracking_is_on_and_suspended(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING | {"delta.rowTrackingSuspended": "true"}))


@respects("DL505")
def row_tracking_is_on_and_not_suspended(path: Path) -> None:
    _table(path, TRACKED, metadata(TRACKING | {"delta.rowTrackingSuspended": "false"}))


@respects("DL505", "DL217")
def row_tracking_is_suspended_and_not_on(path: Path) -> None:
    settings = TRACKING | {"delta.enableRowTracking": "false", "delta.rowTrackingSuspended": "true"}
    _table(path, TRACKED, metadata(settings))


# Domains and clustering

DOMAINS = protocol(1, 7, None, ["domainMetadata"])
CLUSTERED = protocol(1, 7, None, ["clustering", "domainMetadata"])


def _by(*columns: Any) -> Action:
    return domain("delta.clustering", json.dumps({"clusteringColumns": list(columns)}))


@breaks("DL506")
def a_domain_is_there_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(), domain("mine"))


@respects("DL506")
def a_removed_domain_is_there_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(), domain("mine", removed=True))


@respects("DL506")
def a_domain_is_there_with_the_feature(path: Path) -> None:
    _table(path, DOMAINS, metadata(), domain("mine"))


@breaks("DL507")
def a_domain_has_a_reserved_name(path: Path) -> None:
    _table(path, DOMAINS, metadata(), domain("delta.mine"))


@respects("DL507")
def a_domain_has_nearly_a_reserved_name(path: Path) -> None:
    _table(path, DOMAINS, metadata(), domain("deltas.mine"), _by())


def _parted() -> Action:
    return _columns(column("a"), column("p"), partitionColumns=["p"])


@breaks("DL508")
def a_table_is_clustered_and_partitioned(path: Path) -> None:
    _table(path, CLUSTERED, _parted(), _by(["a"]))


@respects("DL508")
def a_partitioned_table_is_clustered_by_none(path: Path) -> None:
    _table(path, CLUSTERED, _parted(), _by())


@respects("DL508")
def a_table_is_clustered_only(path: Path) -> None:
    _table(path, CLUSTERED, metadata(), _by(["a"]))


@respects("DL508")
def a_partitioned_table_has_a_domain_of_that_name(path: Path) -> None:
    _table(path, DOMAINS, _parted(), _by(["a"]))


@breaks("DL509")
def a_clustering_column_does_not_exist(path: Path) -> None:
    _table(path, CLUSTERED, metadata(), _by(["b"]))


@breaks("DL509")
def an_inner_clustering_column_does_not_exist(path: Path) -> None:
    _table(path, CLUSTERED, metadata(), _by(["a", "b"]))


@breaks("DL509")
def a_clustering_column_has_no_bounds(path: Path) -> None:
    _table(path, CLUSTERED, _columns(column("a", "binary"), column("b")), _by(["a"]))


@breaks("DL509")
def a_clustering_column_is_an_array(path: Path) -> None:
    _table(path, CLUSTERED, _columns(column("a", ARRAY), column("b")), _by(["a"]))


MAPPED = protocol(2, 7, None, ["clustering", "columnMapping", "domainMetadata"])
MAPPING = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def _mapped(kind: Any = "integer", name: str = "col-1") -> Action:
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": name}
    return _columns(column("a", kind, **keys), configuration=MAPPING)


@breaks("DL509")
def a_clustering_column_has_its_logical_name_under_mapping(path: Path) -> None:
    _table(path, MAPPED, _mapped(), _by(["a"]))


@respects("DL509")
def a_clustering_column_has_its_physical_name(path: Path) -> None:
    _table(path, MAPPED, _mapped(), _by(["col-1"]))


@respects("DL509")
def a_column_that_is_gone_is_named_without_the_feature(path: Path) -> None:
    _table(path, DOMAINS, metadata(), _by(["gone"]))


@respects("DL509")
def clustering_columns_are_inside_structs_or_texts(path: Path) -> None:
    inner = {"type": "struct", "fields": [column("b", "decimal(4,2)")]}
    _table(path, CLUSTERED, _columns(column("a", inner), column("c")), _by(["a", "b"], "c"))


def _clustered_by(*columns: str, **more: Any) -> list[Any]:
    return [commit_info(operation="CLUSTER BY", **more), _by(*([column] for column in columns))]


AWAY = 'deltaadm/1.0 5f suspends {"clusteringColumns":[["a"]]}'


def _suspended(path: Path, *later: list[Any], note: str = AWAY) -> None:
    _table(path, CLUSTERED, _columns(column("a"), column("b")), _by(["a"]))
    made = Table(path)
    made.commit(1, *_clustered_by(userMetadata=note))
    for number, actions in enumerate(later, 2):
        made.commit(number, *actions)


@breaks("DL535")
def a_run_has_taken_clustering_away_and_did_not_go_on(path: Path) -> None:
    _suspended(path)


@breaks("DL535")
def others_have_written_since_clustering_was_taken_away(path: Path) -> None:
    _suspended(path, [commit_info()], [commit_info()])


@respects("DL535")
def clustering_was_put_back(path: Path) -> None:
    _suspended(path, _clustered_by("a"))


@respects("DL535")
def clustering_was_taken_away_again_on_purpose(path: Path) -> None:
    _suspended(path, _clustered_by("b"), _clustered_by())


@respects("DL535")
def clustering_was_ended_on_purpose(path: Path) -> None:
    _suspended(path, note="deltaadm/1.0 5f")


@respects("DL535")
def a_note_about_clustering_is_not_of_deltaadm(path: Path) -> None:
    _suspended(path, note='mine suspends {"clusteringColumns":[["a"]]}')


# In-commit timestamps and catalogs

STAMPED = protocol(1, 7, None, ["appendOnly", "inCommitTimestamp", "invariants"])
STAMPS = {"delta.enableInCommitTimestamps": "true"}
SINCE = {
    "delta.inCommitTimestampEnablementVersion": "1",
    "delta.inCommitTimestampEnablementTimestamp": "2000",
}


def _stamped_later(path: Path, **changes: str) -> None:
    settings = STAMPS | {
        key: value for key, value in (SINCE | _keyed(changes)).items() if value is not None
    }
    info = commit_info(timestamp=2000, inCommitTimestamp=2000)
    made = table(path, body(commit_info(timestamp=1000), protocol(), metadata()))
    made.commit(1, info, STAMPED, metadata(settings))


def _keyed(changes: dict[str, Any]) -> dict[str, Any]:
    return {f"delta.inCommitTimestampEnablement{key}": value for key, value in changes.items()}


@breaks("DL510")
def the_time_of_enablement_is_missing(path: Path) -> None:
    _stamped_later(path, Timestamp=None)


@breaks("DL510")
def the_version_of_enablement_is_missing(path: Path) -> None:
    _stamped_later(path, Version=None)


@breaks("DL510")
def the_version_of_enablement_is_yet_to_come(path: Path) -> None:
    _stamped_later(path, Version="2")


@breaks("DL510")
def the_version_of_enablement_is_negative(path: Path) -> None:
    _stamped_later(path, Version="-1")


@breaks("DL510")
def the_version_of_enablement_is_negative_and_timestamps_are_off(path: Path) -> None:
    properties = {"delta.inCommitTimestampEnablementVersion": "-1"}
    table(path, body(commit_info(), protocol(), metadata(properties)))


@breaks("DL510")
def the_time_of_enablement_is_not_that_of_its_commit(path: Path) -> None:
    _stamped_later(path, Timestamp="1999")


@respects("DL510")
def the_time_of_enablement_is_that_of_its_commit(path: Path) -> None:
    _stamped_later(path)


@respects("DL510")
def timestamps_are_on_from_the_start(path: Path) -> None:
    info = commit_info(timestamp=2000, inCommitTimestamp=2000)
    table(path, body(info, STAMPED, metadata(STAMPS)))


@respects("DL510")
def timestamps_begin_with_the_first_version(path: Path) -> None:
    _stamped_later(path, Version="0")


@respects("DL510")
def the_commit_of_enablement_is_gone(path: Path) -> None:
    made = Table(path)
    made.checkpoint(2, [STAMPED, metadata(STAMPS | SINCE)])
    made.last_checkpoint(2)
    made.commit(2, commit_info(timestamp=3000, inCommitTimestamp=3000))


CATALOG = ["catalogManaged", "vacuumProtocolCheck"]
MANAGED = protocol(3, 7, CATALOG, [*CATALOG, "inCommitTimestamp"])
RATIFIED = commit_info(timestamp=2000, inCommitTimestamp=2000, txnId="t")


@breaks("DL511")
def a_catalog_manages_a_table_without_timestamps(path: Path) -> None:
    table(path, body(RATIFIED, MANAGED, metadata()))


@respects("DL511")
def a_catalog_manages_a_table_with_timestamps(path: Path) -> None:
    table(path, body(RATIFIED, MANAGED, metadata(STAMPS)))


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


@breaks("DL512")
def iceberg_is_on_without_mapping(path: Path) -> None:
    _table(path, _iceberg(2), metadata({"delta.enableIcebergCompatV2": "true"}))


@respects("DL512")
def iceberg_is_on_with_mapping(path: Path) -> None:
    _table(path, _iceberg(2), _for_iceberg(2))


@respects("DL512")
def iceberg_is_off_without_mapping(path: Path) -> None:
    _table(path, _iceberg(2), metadata({"delta.enableIcebergCompatV2": "false"}))


@breaks("DL513")
def a_column_is_an_array_under_the_first_iceberg(path: Path) -> None:
    _table(path, _iceberg(1), _for_iceberg(1, ARRAY))


@respects("DL513")
def a_column_is_an_array_under_the_second_iceberg(path: Path) -> None:
    nested = {"a.element": 2}
    keys = {
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
        "delta.columnMapping.nested.ids": nested,
    }
    settings = _compat(2) | {"delta.columnMapping.maxColumnId": "2"}
    _table(path, _iceberg(2), _columns(column("a", ARRAY, **keys), configuration=settings))


@breaks("DL514", "DL217")
def the_first_iceberg_is_on_where_vectors_are_possible(path: Path) -> None:
    _table(path, _iceberg(1, "deletionVectors"), _for_iceberg(1))


@breaks("DL514")
def the_second_iceberg_is_on_beside_vectors(path: Path) -> None:
    made = _for_iceberg(2, **{"delta.enableDeletionVectors": "true"})
    _table(path, _iceberg(2, "deletionVectors"), made)


@breaks("DL514")
def the_second_iceberg_is_on_and_files_have_vectors(path: Path) -> None:
    file = add("f", stats=VECTORED, deletionVector=VECTOR)
    _table(path, _iceberg(2, "deletionVectors"), _for_iceberg(2), file)


@respects("DL514", "DL217")
def the_second_iceberg_is_on_where_vectors_are_possible(path: Path) -> None:
    _table(path, _iceberg(2, "deletionVectors"), _for_iceberg(2), add("f", stats=RECORDS))


@respects("DL514")
def the_third_iceberg_is_on_beside_vectors(path: Path) -> None:
    settings = TRACKING | {"delta.enableDeletionVectors": "true"}
    names = "deletionVectors", "rowTracking", "domainMetadata"
    file = _numbered("f", 0, deletionVector=VECTOR)
    file["add"]["stats"] = VECTORED
    _table(path, _iceberg(3, *names), _for_iceberg(3, **settings), file, _mark(9))


@breaks("DL515")
def a_file_for_iceberg_has_no_count(path: Path) -> None:
    _table(path, _iceberg(2), _for_iceberg(2), add("f", stats="{}"))


@respects("DL515")
def a_file_for_iceberg_has_a_count(path: Path) -> None:
    _table(path, _iceberg(2), _for_iceberg(2), add("f", stats=RECORDS))


@respects("DL515")
def a_file_has_no_count_while_iceberg_is_off(path: Path) -> None:
    made = _for_iceberg(2, **{"delta.enableIcebergCompatV2": "false"})
    _table(path, _iceberg(2), made, add("f", stats="{}"))


def _written_for_iceberg(path: Path, name: str, *, on: bool) -> None:
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": name}
    settings = _compat(2) | {"delta.enableIcebergWriterCompatV1": str(on).lower()}
    made = _columns(column("a", **keys), configuration=settings)
    _table(path, _iceberg(2, "icebergWriterCompatV1"), made)


@breaks("DL531", "DL213")
def a_physical_name_is_not_its_id(path: Path) -> None:
    _written_for_iceberg(path, "col-2", on=True)


@respects("DL531", "DL213")
def a_physical_name_is_its_id(path: Path) -> None:
    _written_for_iceberg(path, "col-1", on=True)


# Columns

WIDENED = protocol(3, 7, ["typeWidening"], ["typeWidening"])
WIDENING = {"delta.enableTypeWidening": "true"}


def _widened(kind: Any, *changes: tuple[str, ...]) -> Action:
    keys = ("fromType", "toType", "fieldPath")
    recorded = [dict(zip(keys, change, strict=False)) for change in changes]
    return column("a", kind, **{"delta.typeChanges": recorded})


def _widened_table(path: Path, kind: Any, *changes: tuple[str, ...]) -> None:
    _table(path, WIDENED, _columns(_widened(kind, *changes), configuration=WIDENING))


@breaks("DL516")
def a_column_was_narrowed(path: Path) -> None:
    _widened_table(path, "short", ("integer", "short"))


@breaks("DL516")
def a_decimal_lost_digits(path: Path) -> None:
    _widened_table(path, "decimal(10,4)", ("decimal(10,2)", "decimal(10,4)"))


@breaks("DL516")
def an_integer_became_too_small_a_decimal(path: Path) -> None:
    _widened_table(path, "decimal(10,1)", ("integer", "decimal(10,1)"))


@breaks("DL516")
def a_widening_is_not_for_iceberg(path: Path) -> None:
    keys = {
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
        "delta.typeChanges": [{"fromType": "integer", "toType": "double"}],
    }
    made = _columns(column("a", "double", **keys), configuration=_compat(2, **WIDENING))
    names = ["columnMapping", "typeWidening"]
    _table(path, protocol(3, 7, names, [*names, "icebergCompatV2"]), made)


@respects("DL516")
def columns_were_widened(path: Path) -> None:
    changes = ("byte", "short"), ("short", "integer"), ("integer", "decimal(12,2)")
    _widened_table(path, "decimal(12,2)", *changes)


@respects("DL516")
def a_widening_is_for_iceberg_as_well(path: Path) -> None:
    keys = {
        "delta.columnMapping.id": 1,
        "delta.columnMapping.physicalName": "a",
        "delta.typeChanges": [{"fromType": "integer", "toType": "long"}],
    }
    made = _columns(column("a", "long", **keys), configuration=_compat(2, **WIDENING))
    names = ["columnMapping", "typeWidening"]
    _table(path, protocol(3, 7, names, [*names, "icebergCompatV2"]), made)


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
    _table(path, protocol(3, 7, names, names), _columns(*made, configuration=WIDENING))


@breaks("DL517")
def a_record_ends_with_another_type(path: Path) -> None:
    _widened_table(path, "long", ("short", "integer"))


@breaks("DL517")
def a_record_has_a_hole(path: Path) -> None:
    _widened_table(path, "long", ("byte", "short"), ("integer", "long"))


@breaks("DL517")
def a_record_is_no_list(path: Path) -> None:
    made = _columns(column("a", **{"delta.typeChanges": {}}), configuration=WIDENING)
    _table(path, WIDENED, made)


@breaks("DL517")
def a_record_has_no_types(path: Path) -> None:
    _widened_table(path, "long", ("integer",))


@breaks("DL517")
def a_record_has_no_old_type(path: Path) -> None:
    _widened_table(path, "long", ("", "long"))


@breaks("DL517")
def a_record_is_for_a_place_that_is_not_there(path: Path) -> None:
    _widened_table(path, "long", ("integer", "long", "element"))


@breaks("DL517")
def a_record_is_for_a_whole_array(path: Path) -> None:
    _widened_table(path, ARRAY, ("short", "integer"))


@breaks("DL517")
def a_record_is_there_without_the_feature(path: Path) -> None:
    _table(path, protocol(), _columns(_widened("long", ("integer", "long"))))


@respects("DL517")
def a_record_is_for_the_places_of_a_map(path: Path) -> None:
    kind = {
        "type": "map",
        "keyType": "long",
        "valueType": {"type": "array", "elementType": "double", "containsNull": True},
        "valueContainsNull": True,
    }
    changes = ("integer", "long", "key"), ("float", "double", "value.element")
    _widened_table(path, kind, *changes)


@respects("DL517", "DL214")
def a_record_is_there_with_the_preview(path: Path) -> None:
    names = ["typeWidening-preview"]
    made = _columns(_widened("long", ("integer", "long")), configuration=WIDENING)
    _table(path, protocol(3, 7, names, names), made)


@breaks("DL518")
def a_type_is_there_without_its_feature(path: Path) -> None:
    _table(path, protocol(), _columns(column("a", "timestamp_ntz")))


@breaks("DL518")
def a_type_within_an_array_is_not_listed(path: Path) -> None:
    kind = ARRAY | {"elementType": "variant"}
    _table(path, protocol(1, 7, None, ["appendOnly"]), _columns(column("a", kind)))


@respects("DL518")
def a_type_is_there_with_its_feature(path: Path) -> None:
    made = _columns(column("a", "timestamp_ntz"))
    _table(path, protocol(3, 7, ["timestampNtz"], ["timestampNtz"]), made)


@respects("DL518", "DL214")
def a_type_is_there_with_the_preview_of_its_feature(path: Path) -> None:
    names = ["variantType-preview"]
    _table(path, protocol(3, 7, names, names), _columns(column("a", "variant"), column("b")))


def _variant(path: Path, *more: Action, **keys: Any) -> None:
    names = ["clustering", "domainMetadata", "variantType", "allowColumnDefaults"]
    made = _columns(column("a", "variant", **keys), column("b"))
    _table(path, protocol(3, 7, ["variantType"], names), made, *more)


@breaks("DL519")
def a_variant_is_used_for_clustering(path: Path) -> None:
    _variant(path, _by(["a"]))


@breaks("DL519")
def a_variant_has_a_default(path: Path) -> None:
    _variant(path, CURRENT_DEFAULT="parse_json('1')")


@breaks("DL519")
def a_variant_has_a_number_as_default(path: Path) -> None:
    _variant(path, CURRENT_DEFAULT=1)


@respects("DL519")
def a_variant_has_null_as_default(path: Path) -> None:
    _variant(path, _by(["b"]), CURRENT_DEFAULT=" NULL ")


IDENTITY = {
    "delta.identity.start": 10,
    "delta.identity.step": 5,
    "delta.identity.allowExplicitInsert": False,
}
COUNTED = protocol(1, 7, None, ["identityColumns"])


def _counting(path: Path, kind: str = "long", *, parted: bool = False, **changes: Any) -> None:
    keys = IDENTITY | {f"delta.identity.{key}": value for key, value in changes.items()}
    one = column("i", kind, **{key: each for key, each in keys.items() if each is not None})
    made = _columns(one, column("a"), partitionColumns=["i"] if parted else [])
    _table(path, COUNTED, made)


@breaks("DL520")
def an_identity_column_stands_still(path: Path) -> None:
    _counting(path, step=0, highWaterMark=12)


@breaks("DL520")
def an_identity_column_starts_with_a_text(path: Path) -> None:
    _counting(path, start="10", highWaterMark=12)


@breaks("DL520")
def an_identity_column_is_too_short(path: Path) -> None:
    _counting(path, "integer")


@breaks("DL520")
def an_identity_column_is_a_partition_column(path: Path) -> None:
    _counting(path, parted=True)


@breaks("DL520")
def an_identity_column_lacks_a_setting(path: Path) -> None:
    _counting(path, allowExplicitInsert=None)


@respects("DL520")
def an_identity_column_counts_down(path: Path) -> None:
    _counting(path, step=-1)


@respects("DL520")
def an_identity_column_starts_with_zero(path: Path) -> None:
    _counting(path, start=0)


@respects("DL520", "DL212")
def an_identity_column_means_nothing_without_the_feature(path: Path) -> None:
    made = _columns(column("i", "integer", **IDENTITY), column("a"))
    _table(path, protocol(), made)


@breaks("DL521")
def a_mark_is_between_two_steps(path: Path) -> None:
    _counting(path, highWaterMark=17)


@breaks("DL521")
def a_mark_is_before_the_start(path: Path) -> None:
    _counting(path, highWaterMark=5)


@breaks("DL521")
def a_mark_is_above_a_start_from_which_values_fall(path: Path) -> None:
    _counting(path, step=-5, highWaterMark=15)


@respects("DL521")
def a_mark_is_the_start(path: Path) -> None:
    _counting(path, highWaterMark=10)


@respects("DL521")
def a_mark_is_some_steps_down(path: Path) -> None:
    _counting(path, step=-5, highWaterMark=0)


GENERATED = protocol(1, 7, None, ["generatedColumns", "identityColumns"])
GENERATION = "delta.generationExpression"


def _generated(path: Path, expression: str, **more: Any) -> None:
    made = _columns(
        column("a"),
        column("g", **{GENERATION: "a + 1"}),
        column("h", "long", **{GENERATION: expression}, **more),
        column("i", "long", **IDENTITY),
    )
    _table(path, GENERATED, made)


@breaks("DL522")
def a_column_is_generated_and_counted(path: Path) -> None:
    _generated(path, "a", **IDENTITY)


@breaks("DL522", "DL304")
def a_column_is_generated_beside_one_of_its_name_in_other_letters(path: Path) -> None:
    _table(path, GENERATED, _columns(column("g", **{GENERATION: "g + 1"}), column("G")))


@breaks("DL522")
def a_column_is_generated_from_a_generated_one(path: Path) -> None:
    _generated(path, "a + `G`")


@breaks("DL522")
def a_column_is_generated_from_a_generated_one_in_other_letters(path: Path) -> None:
    _generated(path, "a + G")


@respects("DL522")
def a_column_is_generated_from_what_only_looks_generated(path: Path) -> None:
    _generated(path, "g (a) + a.g + length('g') + length(\"g\")")


FEED = {"delta.enableChangeDataFeed": "true"}


@breaks("DL523")
def a_column_has_a_name_of_the_feed(path: Path) -> None:
    _table(path, protocol(1, 4), _columns(column("_Change_Type"), configuration=FEED))


@respects("DL523")
def a_column_has_a_name_of_the_feed_that_is_off(path: Path) -> None:
    _table(path, protocol(1, 4), _columns(column("_change_type")))


@respects("DL523")
def a_column_has_nearly_a_name_of_the_feed(path: Path) -> None:
    _table(path, protocol(1, 4), _columns(column("_change_types"), configuration=FEED))


GROWING = metadata({"delta.appendOnly": "true"})


@breaks("DL524")
def data_leaves_a_table_that_only_grows(path: Path) -> None:
    _table(path, protocol(), GROWING, add("f")).commit(1, INFO, remove("f"))


@breaks("DL524")
def data_leaves_without_saying_so(path: Path) -> None:
    gone = {"remove": {"path": "f", "deletionTimestamp": 1}}
    _table(path, protocol(), GROWING, add("f")).commit(1, INFO, gone)


@respects("DL524")
def files_are_compacted_in_a_table_that_only_grows(path: Path) -> None:
    moved = remove("f", dataChange=False), add("g", dataChange=False)
    _table(path, protocol(), GROWING, add("f")).commit(1, INFO, *moved)


@respects("DL524")
def data_leaves_before_the_table_only_grows(path: Path) -> None:
    made = _table(path, protocol(), metadata(), add("f"))
    made.commit(1, INFO, remove("f"), GROWING)


@respects("DL524", "DL212")
def data_leaves_a_table_that_should_only_grow_without_the_feature(path: Path) -> None:
    _table(path, protocol(1, 1), GROWING, add("f")).commit(1, INFO, remove("f"))


@respects("DL524")
def data_leaves_once_the_table_need_not_only_grow(path: Path) -> None:
    made = _table(path, protocol(), GROWING, add("f"))
    made.commit(1, INFO, remove("f"), metadata())


@respects("DL524")
def a_table_that_only_grows_is_made_anew(path: Path) -> None:
    made = _table(path, protocol(), GROWING, add("f"))
    made.commit(1, commit_info(operation="CREATE OR REPLACE TABLE"), remove("f"), GROWING)


@breaks("DL525")
def a_required_column_is_not_enforced(path: Path) -> None:
    _table(path, protocol(1, 1), _columns(column("a", nullable=False)))


@respects("DL525")
def a_required_column_is_enforced(path: Path) -> None:
    _table(path, protocol(1, 2), _columns(column("a", nullable=False)))


@respects("DL525", "DL211")
def a_required_column_is_not_listed(path: Path) -> None:
    _table(path, protocol(1, 7, None, ["appendOnly"]), _columns(column("a", nullable=False)))


def _invariant(path: Path, text: Any, *, nullable: bool = True) -> None:
    _table(path, protocol(), _columns(column("a", nullable=nullable, **{"delta.invariants": text})))


@breaks("DL526")
def an_invariant_that_nobody_reads_is_bare_sql(path: Path) -> None:
    _invariant(path, "a > 1", nullable=False)


@breaks("DL526")
def an_invariant_goes_on_after_its_end(path: Path) -> None:
    _invariant(path, '{"expression":{"expression":"a > 1"}} and more')


@respects("DL526")
def an_invariant_that_nobody_reads_is_as_described(path: Path) -> None:
    _invariant(path, '{"expression":{"expression":"a > 1"}}', nullable=False)


@breaks("DL526")
def an_invariant_is_bare_sql(path: Path) -> None:
    _invariant(path, "a > 1")


@breaks("DL526")
def an_invariant_has_no_expression(path: Path) -> None:
    _invariant(path, '{"expression":"a > 1"}')


@breaks("DL526")
def an_invariant_is_a_number(path: Path) -> None:
    _invariant(path, '{"expression":{"expression":1}}')


@breaks("DL526")
def an_invariant_is_a_list(path: Path) -> None:
    _invariant(path, "[]")


@respects("DL526")
def an_invariant_is_as_described(path: Path) -> None:
    _invariant(path, '{"expression":{"expression":"a > 1"}}')


@breaks("DL527")
def a_default_is_there_without_the_feature(path: Path) -> None:
    _table(path, protocol(), _columns(column("a", CURRENT_DEFAULT="1")))


@respects("DL527")
def a_default_is_there_with_the_feature(path: Path) -> None:
    made = _columns(column("a", CURRENT_DEFAULT="1"))
    _table(path, protocol(1, 7, None, ["allowColumnDefaults"]), made)


GEOSPATIAL = protocol(3, 7, ["geospatial"], ["geospatial"])


@breaks("DL303")
def a_column_is_a_geometry(path: Path) -> None:
    _table(path, GEOSPATIAL, _columns(column("a", "geometry(4326)")))


@breaks("DL303")
def an_array_holds_geographies(path: Path) -> None:
    array = {"type": "array", "elementType": "geography(4326)", "containsNull": True}
    _table(path, GEOSPATIAL, _columns(column("a", array)))


@breaks("DL303", "DL518")
def a_geometry_is_not_even_listed(path: Path) -> None:
    _table(path, protocol(1, 7, None, ["appendOnly"]), _columns(column("a", "geometry(4326)")))


@respects("DL303", "DL217")
def the_feature_is_there_without_a_column(path: Path) -> None:
    _table(path, GEOSPATIAL, _columns(column("a")))


@respects("DL303", "DL518")
def a_table_without_lists_is_loaded_with_its_geometry(path: Path) -> None:
    _table(path, protocol(1, 2), _columns(column("a", "geometry(4326)")))


# Checkpoint protection and deletion vectors

GUARDED = protocol(1, 7, None, ["checkpointProtection"])
GUARD = {"delta.requireCheckpointProtectionBeforeVersion": "3"}


@breaks("DL528")
def protection_has_no_version(path: Path) -> None:
    _table(path, GUARDED, metadata())


@breaks("DL528")
def protection_is_asked_for_without_the_feature(path: Path) -> None:
    _table(path, protocol(), metadata(GUARD))


@respects("DL528")
def protection_has_a_version(path: Path) -> None:
    _table(path, GUARDED, metadata(GUARD))


@respects("DL528")
def protection_of_nothing_needs_no_feature(path: Path) -> None:
    _table(path, protocol(), metadata(dict.fromkeys(GUARD, "0")))


def _cut(path: Path, first: int, settings: dict[str, str], protocol: Action) -> None:
    made = Table(path)
    made.checkpoint(first, [protocol, metadata(settings)])
    made.last_checkpoint(first)
    for version in range(first, 4):
        made.commit(version, INFO)


@breaks("DL529")
def guarded_history_is_cut(path: Path) -> None:
    _cut(path, 2, GUARD, GUARDED)


@respects("DL529")
def guarded_history_is_gone(path: Path) -> None:
    _cut(path, 3, GUARD, GUARDED)


@respects("DL529")
def guarded_history_is_whole(path: Path) -> None:
    made = _table(path, GUARDED, metadata(GUARD))
    made.commit(1, INFO)


@respects("DL529")
def history_that_nobody_guards_is_cut(path: Path) -> None:
    _cut(path, 2, {}, protocol())


@respects("DL529", "DL528")
def history_is_cut_that_only_a_property_guards(path: Path) -> None:
    _cut(path, 2, GUARD, protocol())


@respects("DL529", "DL528")
def history_is_cut_that_is_guarded_up_to_nowhere(path: Path) -> None:
    _cut(path, 2, {}, GUARDED)


VECTORS = {"delta.enableDeletionVectors": "true"}
MANIFEST = {"delta.compatibility.symlinkFormatManifest.enabled": "true"}
DELETING = protocol(3, 7, ["deletionVectors"], ["deletionVectors"])


@breaks("DL530")
def vectors_are_on_beside_manifests(path: Path) -> None:
    _table(path, DELETING, metadata(VECTORS | MANIFEST))


@respects("DL530", "DL217")
def vectors_are_off_beside_manifests(path: Path) -> None:
    _table(path, DELETING, metadata(MANIFEST))


@respects("DL530")
def vectors_are_on_without_manifests(path: Path) -> None:
    _table(path, DELETING, metadata(VECTORS))


ADAPTIVE = ["catalogManaged", "columnMapping", "deletionVectors", "vacuumProtocolCheck"]
ADAPTIVE_ALSO = ["domainMetadata", "inCommitTimestamp", "rowTracking"]


def _adaptive(path: Path, mode: str, *files: Action) -> None:
    names = ["adaptiveMetadata-preview", *ADAPTIVE]
    settings = MAPPING | STAMPS | TRACKING | VECTORS | {"delta.columnMapping.mode": mode}
    keys = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
    made = _columns(column("a", **keys), configuration=settings)
    table(path, body(RATIFIED, protocol(3, 7, names, [*names, *ADAPTIVE_ALSO]), made, *files))


@breaks("DL532", "DL214")
def adaptive_metadata_is_mapped_by_name(path: Path) -> None:
    _adaptive(path, "name")


@breaks("DL532", "DL214")
def adaptive_metadata_has_a_vector_in_line(path: Path) -> None:
    text = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
    vector = deletion_vector(text, None) | {"storageType": "i", "sizeInBytes": 40}
    file = _numbered("f", 0, deletionVector=vector) | {}
    file["add"]["stats"] = VECTORED
    _adaptive(path, "id", file, _mark(9))


@respects("DL532", "DL214")
def adaptive_metadata_is_mapped_by_id(path: Path) -> None:
    file = _numbered("f", 0, deletionVector=VECTOR)
    file["add"]["stats"] = VECTORED
    _adaptive(path, "id", file, _mark(9))
