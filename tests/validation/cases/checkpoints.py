"""DL6xx: checkpoints and their sidecars."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.rule_cases import NOW, breaks, respects
from tests.support.tables import (
    SCHEMA,
    Action,
    Table,
    add,
    commit_info,
    domain,
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


@breaks("DL601")
def a_part_is_missing_but_the_commits_are_there(path: Path) -> None:
    start()(path).multipart(1, state())[1].unlink()


@breaks("DL601 DL102")
def a_part_is_missing_and_so_are_the_commits(path: Path) -> None:
    made = start(commits=3)(path)
    made.multipart(1, state())[1].unlink()
    (made.log / f"{0:020d}.json").unlink()


@respects("DL601")
def all_parts_are_there(path: Path) -> None:
    start()(path).multipart(1, state(), parts=3)
    Table(path).last_checkpoint(1)


@breaks("DL602")
def a_v2_table_has_a_checkpoint_in_parts(path: Path) -> None:
    start(WITH_V2)(path).multipart(1, state(WITH_V2))
    Table(path).last_checkpoint(1)


respects("DL602", "the parts are older than the feature",
    start(protocol(1, 1)).multipart(1, state(protocol(1, 1))).commit(2, INFO, WITH_V2,
        meta(WITH_V2)).v2_checkpoint(2, state(WITH_V2)).last_checkpoint(2), depth="deep")


@respects("DL602")
def a_v2_table_has_a_single_classic_checkpoint(path: Path) -> None:
    start(WITH_V2)(path).checkpoint(1, state(WITH_V2))
    Table(path).last_checkpoint(1)


@breaks("DL603")
def a_v2_checkpoint_belongs_to_a_plain_table(path: Path) -> None:
    start()(path).v2_checkpoint(1, state())
    Table(path).last_checkpoint(1)


breaks("DL603", "a classic name hides a v2 checkpoint",
    classic([*state(), {"checkpointMetadata": {"version": 1}}]))
respects("DL603", "a v2 checkpoint belongs to a v2 table", v2("parquet", files=2))


@breaks("DL604")
def a_v2_checkpoint_has_no_metadata_of_its_own(path: Path) -> None:
    edit(v2()(path), without="checkpointMetadata")


@breaks("DL604")
def a_v2_checkpoint_has_two_metadata_of_its_own(path: Path) -> None:
    edit(v2()(path), {"checkpointMetadata": {"version": 1}})


@breaks("DL604")
def a_v2_checkpoint_says_another_version(path: Path) -> None:
    edit(v2()(path), {"checkpointMetadata": {"version": 2}}, without="checkpointMetadata")


respects("DL604", "a v2 checkpoint says its version", v2())
respects("DL604", "a classic checkpoint has no metadata of its own", classic(state()))

breaks("DL605", "a checkpoint lacks the protocol", classic(state()[1:]).commit(2, INFO, PLAIN))
breaks("DL605", "a checkpoint has metadata twice", classic([*state(), metadata()]))


@breaks("DL605 DL106")
def a_checkpoint_without_metadata_is_all_there_is(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, [PLAIN])
    made.last_checkpoint(1)
    made.commit(2, INFO)


@respects("DL605")
def parts_have_protocol_and_metadata_between_them(path: Path) -> None:
    start()(path).multipart(1, state(), parts=2)
    Table(path).last_checkpoint(1)


EMPTY_LISTS = protocol(1, 2, [], [])
LOST_LISTS = protocol(3, 7)


breaks("DL606 DL202 DL203 DL211", "a checkpoint lost the feature lists",
    start(WITH_V2).checkpoint(1, [LOST_LISTS, meta(WITH_V2), add("f1")]).last_checkpoint(1))
breaks("DL606 DL202 DL203", "a checkpoint has empty lists at legacy versions",
    classic(state(EMPTY_LISTS)))
respects("DL606", "a checkpoint lists features on both sides",
    start(WITH_V2).checkpoint(1, state(WITH_V2)).last_checkpoint(1))


@respects("DL606")
def a_checkpoint_lists_writer_features_only(path: Path) -> None:
    used = protocol(1, 7, None, ["appendOnly"])
    made = start(used, delta_appendOnly="true")(path)
    kept = metadata({"delta.appendOnly": "true"})
    made.checkpoint(1, [used, kept, add("f1")])
    made.last_checkpoint(1)


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
def a_sidecar_is_missing(path: Path) -> None:
    sidecars(v2()(path))[0].unlink()


@breaks("DL608")
def a_sidecar_is_missing_and_cannot_be_replaced(path: Path) -> None:
    made = v2()(path)
    sidecars(made)[0].unlink()
    (made.log / f"{0:020d}.json").unlink()


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


breaks("DL609", "a checkpoint lacks a file", classic([*state()[:2], add("other")]), depth="deep")
breaks("DL609", "a checkpoint brings a removed file back", start().commit(2, INFO, remove("f1"),
    add("f2")).checkpoint(2, state(files=2)).last_checkpoint(2), depth="deep")
breaks("DL609", "a checkpoint lost a property", classic(state(), k="v"), depth="deep")
breaks("DL609", "a checkpoint has an older protocol",
    start(protocol(1, 3)).checkpoint(1, state()).last_checkpoint(1), depth="deep")
breaks("DL609", "only the first of two checkpoints is wrong",
    start(commits=3).checkpoint(1, [*state()[:2], add("other")]).checkpoint(2, state(files=2))
        .last_checkpoint(2), depth="deep")


def transaction() -> Action:
    return {"txn": {"appId": "x", "version": 1}}


respects("DL609", "a checkpoint agrees with the commits", start().commit(2, INFO, remove("f1"),
    add("%c3%a9"), transaction()).checkpoint(2, [*state()[:2], add("%C3%A9"), remove("f1")])
    .last_checkpoint(2), depth="deep")
respects("DL609", "a checkpoint spells the schema with blanks",
    classic([PLAIN, metadata(schemaString=SCHEMA.replace(",", ", ").replace(":", ": ")),
        add("f1")]), depth="deep")


@respects("DL609", depth="deep")
def a_checkpoint_agrees_with_an_older_one(path: Path) -> None:
    made = Table(path)
    made.checkpoint(3, state(files=3))
    for version in (3, 4):
        made.commit(version, INFO, add(f"f{version}"))
    made.commit(5, INFO, add("f5"))
    made.multipart(5, state(files=5), parts=3)
    made.last_checkpoint(5)


@respects("DL609", depth="deep")
def nothing_is_left_to_compare_a_checkpoint_with(path: Path) -> None:
    made = Table(path)
    made.checkpoint(3, state(files=1))
    made.commit(3, INFO, add("f3"))
    made.last_checkpoint(3)


WITH_DOMAINS = protocol(3, 7, ["v2Checkpoint"], ["domainMetadata", "v2Checkpoint"])


@drafted
def with_domain(path: Path, *, removed: bool) -> None:
    made = start(WITH_DOMAINS)(path)
    made.commit(2, INFO, domain("x", removed=removed))
    made.v2_checkpoint(2, [*state(WITH_DOMAINS), domain("x", removed=removed)])
    made.last_checkpoint(2)


breaks("DL610", "a checkpoint keeps a removed domain", with_domain(removed=True))


@breaks("DL610")
def a_checkpoint_has_a_commit_info(path: Path) -> None:
    edit(v2()(path), INFO)


respects("DL610", "a checkpoint has a domain", with_domain(removed=False))


@breaks("DL611")
def an_older_checkpoints_commit_is_gone(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, state())
    made.checkpoint(3, state())
    made.commit(3, INFO)
    made.last_checkpoint(3)


@respects("DL611")
def an_older_checkpoints_commit_is_there(path: Path) -> None:
    made = Table(path)
    made.checkpoint(1, state())
    made.commit(1, INFO)
    made.checkpoint(3, state())
    made.commit(3, INFO)
    made.last_checkpoint(3)


breaks("DL612", "a checkpoint is empty", start().write(f"{1:020d}.checkpoint.parquet", b""))
breaks("DL612", "a checkpoint is no parquet file",
    start().write(f"{1:020d}.checkpoint.parquet", b"PAR1garbage").last_checkpoint(1))
breaks("DL612", "an older checkpoint cannot be read", start(commits=3).checkpoint(2, state(files=2))
    .write(f"{1:020d}.checkpoint.parquet", b"PAR1garbage").last_checkpoint(2), depth="deep")


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


respects("DL612", "a checkpoint can be read", classic(state()))


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
def _named(path: Path, *versions: int) -> Table:
    made = Table(path)
    for version in versions:
        made.v2_checkpoint(version, state(WITH_V2), sidecars=1)
        made.commit(version, INFO)
    made.last_checkpoint(versions[-1])
    return made


breaks("DL614", "v2 names span a hundred versions", _named(10, 110))
respects("DL614", "v2 names span less than a hundred versions", _named(10, 109))
respects("DL614", "a classic name stands between",
    _named(10, 110).checkpoint(100, state(WITH_V2)).commit(100, INFO))


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


@breaks("DL616")
def the_pointer_says_too_many_parts(path: Path) -> None:
    point(classic(state())(path), parts=2)


@breaks("DL616")
def the_pointer_forgets_the_parts(path: Path) -> None:
    start()(path).multipart(1, state())
    point(Table(path))


@breaks("DL616")
def the_pointer_says_another_size_in_bytes(path: Path) -> None:
    point(classic(state())(path), sizeInBytes=1)


@breaks("DL616", depth="deep")
def the_pointer_counts_other_actions(path: Path) -> None:
    point(classic(state())(path), size=4)


@breaks("DL616", depth="deep")
def the_pointer_counts_other_files(path: Path) -> None:
    point(classic(state())(path), numOfAddFiles=2)


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


@respects("DL616", depth="deep")
def the_pointer_means_the_other_checkpoint_of_its_version(path: Path) -> None:
    made = classic(state())(path)
    made.multipart(1, state(), parts=3)
    point(made, parts=3)


breaks("DL605", "a checkpoint without protocol is compared",
    classic(state()[1:]).commit(2, INFO, PLAIN), depth="deep")
breaks("DL605", "a checkpoint without metadata is compared",
    classic([PLAIN, add("f1")]).commit(2, INFO, metadata()), depth="deep")

breaks("DL609", "a checkpoint only lacks a file", classic(state()[:2]), depth="deep")
breaks("DL609", "a checkpoint only has a file too many",
    classic([*state(), add("other")]), depth="deep")

respects("DL613 DL307", "statistics would be about partition columns only",
    with_statistics({}, partitionColumns=["a"]))
respects("DL613", "statistics would be about no file", with_statistics({}, files=0), depth="deep")


@respects("DL616 DL109")
def a_stale_pointer_is_wrong_about_an_older_checkpoint(path: Path) -> None:
    made = start(commits=3)(path)
    made.checkpoint(1, state())
    made.checkpoint(2, state(files=2))
    point(made, parts=9)


@respects("DL616 DL109", depth="deep")
def a_stale_pointer_is_right_about_its_own_checkpoint(path: Path) -> None:
    made = start(commits=3)(path)
    made.checkpoint(1, state())
    made.checkpoint(2, state(files=2))
    point(made)


respects("DL616 DL107", "there is no pointer", start().checkpoint(1, state()))
respects("DL616 DL110", "the pointer cannot be used",
    classic(state()).write("_last_checkpoint", "[]"))


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
