"""DL6xx: checkpoints and their sidecars."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.rule_cases import NOW, breaks, respects
from tests.support.tables import (
    Action,
    Table,
    add,
    commit_info,
    drafted,
    metadata,
    protocol,
    remove,
    table,
)
from tests.support.tables import commit as body

INFO = commit_info()
PLAIN = protocol()
WITH_V2 = protocol(3, 7, ["v2Checkpoint"], ["v2Checkpoint"])
DAY = 24 * 60 * 60 * 1000


def meta(used: Action, **settings: str) -> Action:
    """Metadata that makes v2Checkpoint active where the protocol has it."""
    has_v2 = "v2Checkpoint" in used["protocol"].get("writerFeatures", ())
    return metadata(settings | ({"delta.checkpointPolicy": "v2"} if has_v2 else {}))


@drafted
def start(path: Path, used: Action = PLAIN, commits: int = 2, **settings: str) -> Table:
    """A table whose commits after the first add a file each: f1, f2 and so on."""
    first = meta(used, **{key.replace("_", "."): value for key, value in settings.items()})
    made = table(path, body(INFO, used, first))
    for version in range(1, commits):
        made.commit(version, INFO, add(f"f{version}"))
    return made


def state(used: Action = PLAIN, files: int = 1) -> list[Action]:
    """What the checkpoint of the version after *files* commits holds."""
    return [used, meta(used), *(add(f"f{number}") for number in range(1, files + 1))]


@drafted
def v2(path: Path, kind: str = "json", files: int = 1) -> Table:
    """A table with a right V2 checkpoint of version 1."""
    made = start(WITH_V2)(path)
    made.v2_checkpoint(1, state(WITH_V2), kind, sidecars=files)
    made.last_checkpoint(1)
    return made


def sidecars(made: Table) -> list[Path]:
    return sorted((made.log / "_sidecars").iterdir())


def top_level(made: Table) -> Path:
    (found,) = made.log.glob("*.checkpoint.*.json")
    return found


def edit(made: Table, *lines: Action, without: str = "") -> None:
    """Add lines to a V2 checkpoint in JSON, or take those of an action away."""
    file = top_level(made)
    kept = [line for line in file.read_text().splitlines() if without not in json.loads(line)]
    file.write_text("\n".join([*kept, *map(json.dumps, lines)]) + "\n")
    made.last_checkpoint(1)


def point(made: Table, **claims: Any) -> None:
    made.write("_last_checkpoint", json.dumps({"version": 1, "size": 3} | claims))


@drafted
def classic(path: Path, actions: Sequence[Action], **settings: str) -> Table:
    """A table with a classic checkpoint of version 1 that holds *actions*."""
    made = start(**settings)(path)
    made.checkpoint(1, actions)
    made.last_checkpoint(1)
    return made


@breaks("DL604")
def a_v2_checkpoint_has_no_metadata_of_its_own(path: Path) -> None:
    edit(v2()(path), without="checkpointMetadata")


@breaks("DL604")
def a_v2_checkpoint_has_two_metadata_of_its_own(path: Path) -> None:
    edit(v2()(path), {"checkpointMetadata": {"version": 1}})


@breaks("DL604")
def a_v2_checkpoint_says_another_version(path: Path) -> None:
    edit(v2()(path), {"checkpointMetadata": {"version": 2}}, without="checkpointMetadata")


@breaks("DL607 DL609", depth="deep")
def a_v2_checkpoint_has_a_file_twice(path: Path) -> None:
    edit(v2()(path), add("f1"))


@breaks("DL607", depth="deep")
def a_v2_checkpoint_has_a_tombstone_beside_its_sidecar(path: Path) -> None:
    edit(v2()(path), remove("x"))


@respects("DL607", depth="deep")
def a_v2_checkpoint_has_its_files_inline(path: Path) -> None:
    made = start(WITH_V2)(path)
    made.v2_checkpoint(1, state(WITH_V2)[:2], sidecars=0)
    edit(made, add("f1"))


@breaks("DL608")
def a_sidecar_has_another_size(path: Path) -> None:
    made = v2()(path)
    name = sidecars(made)[0].name
    reference = {"sidecar": {"path": name, "sizeInBytes": 1, "modificationTime": 1}}
    edit(made, reference, without="sidecar")


@drafted
def _named_in(path: Path, directory: str) -> None:
    made = v2()(path)
    (one,) = sidecars(made)
    name = f"{directory or f'file:{one.parent}'}/{one.name}"
    reference = {"path": name, "sizeInBytes": one.stat().st_size, "modificationTime": 1}
    edit(made, {"sidecar": reference}, without="sidecar")


breaks("DL608", "a sidecar lies in a directory of its own", _named_in("more"))
breaks("DL608", "a sidecar is named from the log", _named_in("_sidecars"))
respects("DL608", "a sidecar is named by its full path", _named_in(""))
respects("DL608", "a sidecar is named by way of the log", _named_in("../_sidecars"))


@breaks("DL612")
def a_checkpoint_of_json_has_a_blank_line(path: Path) -> None:
    made = v2()(path)
    (file,) = made.log.glob("*.checkpoint.*.json")
    file.write_bytes(file.read_bytes() + b" \n")


@breaks("DL610")
def a_checkpoint_has_a_commit_info(path: Path) -> None:
    edit(v2()(path), INFO)


@breaks("DL612", depth="deep")
def a_checkpoint_is_damaged_inside(path: Path) -> None:
    made = classic([*state()[:2], *(add(f"f{number}" * 50) for number in range(500))])(path)
    file = made.log / f"{1:020d}.checkpoint.parquet"
    content = bytearray(file.read_bytes())
    content[200:4000] = b"\xff" * 3800
    file.write_bytes(content)


@breaks("DL612", depth="deep")
def a_sidecar_cannot_be_read(path: Path) -> None:
    made = v2()(path)
    (one,) = sidecars(made)
    one.write_bytes(b"\x00" * one.stat().st_size)


@breaks("DL612")
def a_part_is_empty(path: Path) -> None:
    start()(path).multipart(1, state())[1].write_bytes(b"")


@drafted
def with_statistics(
    path: Path, settings: Action, *columns: str, files: int = 1, **more: Any
) -> None:
    """A table whose checkpoint has those columns of statistics."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns_said = metadata(settings, **more)
    values = dict.fromkeys(more.get("partitionColumns", ()), "1")
    adds = [add(f"f{number}", partitionValues=values) for number in range(files)]
    made = table(path, body(INFO, PLAIN, columns_said), body(INFO, *adds))
    made.checkpoint(1, [PLAIN, columns_said, *adds])
    file = made.log / f"{1:020d}.checkpoint.parquet"
    whole = pq.read_table(file)
    rows = whole.column("add").to_pylist()
    kept = [field for field in whole.schema.field("add").type if field.name != "stats"]
    kinds = {"stats": pa.string(), "stats_parsed": pa.struct([("numRecords", pa.int64())])}
    made_of = pa.struct([*kept, *(pa.field(column, kinds[column]) for column in columns)])
    at = whole.schema.get_field_index("add")
    pq.write_table(whole.set_column(at, "add", pa.array(rows, made_of)), file)
    made.last_checkpoint(1)


AS_JSON = "delta.checkpoint.writeStatsAsJson"
AS_STRUCT = "delta.checkpoint.writeStatsAsStruct"


breaks("DL613", "statistics are missing", with_statistics({}))
breaks("DL613", "struct statistics are missing", with_statistics({AS_STRUCT: "true"}, "stats"))
respects("DL613", "statistics are switched off", with_statistics({AS_JSON: "false"}))
respects("DL613", "statistics are there in both forms",
    with_statistics({AS_STRUCT: "true"}, "stats", "stats_parsed"))
respects("DL613", "struct statistics are not asked for",
    with_statistics({AS_STRUCT: "false"}, "stats"))


@drafted
def orphan(path: Path, age: int) -> None:
    made = v2()(path)
    target = made.write("_sidecars/lost.parquet", b"PAR1")
    time = (NOW - age) * 1_000_000
    os.utime(target, ns=(time, time))


breaks("DL615", "a sidecar is left over for more than a day", orphan(DAY + 1), depth="deep")
respects("DL615", "a sidecar may belong to a checkpoint to come", orphan(DAY), depth="deep")


@respects("DL615", depth="deep")
def old_sidecars_belong_to_a_checkpoint(path: Path) -> None:
    for sidecar in sidecars(v2()(path)):
        os.utime(sidecar, (1, 1))


@respects("DL616", depth="deep")
def the_pointer_is_right_in_everything(path: Path) -> None:
    made = classic(state())(path)
    size = (made.log / f"{1:020d}.checkpoint.parquet").stat().st_size
    point(made, sizeInBytes=size, numOfAddFiles=1, parts=None)


@respects("DL616", depth="deep")
def the_pointer_counts_the_sidecars_content(path: Path) -> None:
    made = v2(files=2)(path)
    top = top_level(made)
    size = top.stat().st_size + sum(sidecar.stat().st_size for sidecar in sidecars(made))
    details = {"path": top.name}
    point(made, size=6, sizeInBytes=size, numOfAddFiles=1, v2Checkpoint=details)


respects("DL613 DL307", "statistics would be about partition columns only",
    with_statistics({}, partitionColumns=["a"]))
respects("DL613", "statistics would be about no file", with_statistics({}, files=0), depth="deep")


@respects("DL616", depth="deep")
def the_pointer_means_the_less_preferable_checkpoint(path: Path) -> None:
    made = classic(state())(path)
    made.multipart(1, state(), parts=3)
    size = (made.log / f"{1:020d}.checkpoint.parquet").stat().st_size
    point(made, sizeInBytes=size)


@respects("DL616", depth="deep")
def the_pointer_means_one_of_two_v2_checkpoints(path: Path) -> None:
    made = start(WITH_V2)(path)
    made.v2_checkpoint(1, state(WITH_V2), "json", sidecars=1)
    made.v2_checkpoint(1, state(WITH_V2), "parquet", sidecars=1)
    top = top_level(made)
    size = top.stat().st_size + sum(sidecar.stat().st_size for sidecar in sidecars(made))
    point(made, size=5, sizeInBytes=size, v2Checkpoint={"path": top.name})


breaks("DL613", "statistics of a whole checkpoint are missing", with_statistics({}), depth="deep")
