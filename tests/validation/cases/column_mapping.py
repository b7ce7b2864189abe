"""DL418: column mapping of data files."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.rule_cases import breaks, respects
from tests.support.schemas import mapped, one_commit, schema
from tests.support.tables import add, drafted, metadata, protocol


@drafted
def with_data(path: Path, ids: dict[str, int | None], mode: str = "id") -> None:
    """A table with columns `a` and `b`, and a Parquet file that has columns with these ids."""
    columns = [
        pa.field(
            name, pa.int32(), metadata=None if value is None else {"PARQUET:field_id": str(value)}
        )
        for name, value in ids.items()
    ]
    data = pa.Table.from_pylist([dict.fromkeys(ids, 1)], schema=pa.schema(columns))
    pq.write_table(data, path / "f")
    stats = json.dumps({"numRecords": 1, "minValues": {}, "maxValues": {}})
    configuration = {
        "delta.columnMapping.mode": mode,
        "delta.columnMapping.maxColumnId": "9",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
    }
    made = metadata(configuration, schemaString=schema(mapped("a", 1), mapped("b", 2)))
    file = add("f", size=(path / "f").stat().st_size, stats=stats)
    one_commit(protocol(2, 5), made, file)(path)


breaks("DL418", "columns of a file have no ids",
    with_data({"col-1": 1, "col-2": None}), depth="deep")
respects("DL418", "columns of a file have ids",
    with_data({"col-1": 1, "col-2": 2, "_row-id-col-1": None}), depth="deep")
respects("DL418", "files of an update with a change data feed",
    with_data({"col-1": 1, "_change_type": None, "__is_cdc": None}), depth="deep")
respects("DL418", "names find columns without ids",
    with_data({"col-1": None, "col-2": None}, mode="name"), depth="deep")
