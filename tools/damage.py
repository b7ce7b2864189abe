"""
Damage tables at random, repair them, and hold what is read, found and said against before.

Two rounds of a hundred are `python -m tools.damage 1 100` and `... 2 100`. One or two files of the
log are damaged. That must be found by readers or by `validate`, or else change nothing for readers.
A repair brings back the state of before, or says what is lost or cannot be proved, or is refused
with the log as it was; what it calls proved is true. After it, nothing more is found or to be done,
and `--undo` leads back.
"""

import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from deltaadm.errors import DeltaadmError
from deltaadm.plans.checkpoint import TableState, read_state
from deltaadm.storage.store import open_store
from tests.support import tables
from tests.support.program import deltaadm
from tests.support.repairs import aged, by_delta_rs, contents, edited

Chance = random.Random
Action = tables.Action
MAPPING, TRACKING = "delta.columnMapping", "delta.rowTracking.materializedRow"
READERS = "columnMapping", "deletionVectors", "v2Checkpoint"
FEATURES = {
    "columnMapping": {f"{MAPPING}.mode": "name", f"{MAPPING}.maxColumnId": "2"},
    "deletionVectors": {"delta.enableDeletionVectors": "true"},
    "v2Checkpoint": {"delta.checkpointPolicy": "v2"},
    "inCommitTimestamp": {"delta.enableInCommitTimestamps": "true"},
    "rowTracking": {
        "delta.enableRowTracking": "true", f"{TRACKING}IdColumnName": "_id",
        f"{TRACKING}CommitVersionColumnName": "_version",
    },
}  # fmt: skip


def make_plain(table: Path, chance: Chance) -> None:
    """A table of delta-rs of some versions, with deletions, properties and checkpoints."""
    for number in range(chance.randint(3, 14)):
        if number and chance.random() < 0.2:
            DeltaTable(table).delete(f"a = {chance.randint(0, number)}")
        else:
            rows = pa.table({"a": [number, number + 100], "p": [str(number % 2)] * 2})
            write_deltalake(table, rows, mode="append", partition_by=["p"])
        if number and chance.random() < 0.3:
            DeltaTable(table).create_checkpoint()
        if number and chance.random() < 0.1:
            properties = {"delta.logRetentionDuration": f"interval {number + 30} days"}
            DeltaTable(table).alter.set_table_properties(properties)


def make_rich(table: Path, chance: Chance) -> None:
    """One with features, checksums, all kinds of checkpoints, compacted files and cleanups."""
    made, commits, state = tables.Table(table), list[list[Action]](), list[Action]()
    features = [name for name in FEATURES if chance.random() < 0.4]
    is_timed, is_v2 = "inCommitTimestamp" in features, "v2Checkpoint" in features
    write = made.v2_checkpoint if is_v2 else chance.choice([made.checkpoint, made.multipart])
    has_checksums, has_files = chance.random() < 0.7, chance.random() < 0.5
    for version in range(chance.randint(3, 12)):
        actions = [*about_table(features, version, chance)]
        actions += about_files(features, state, version, chance)
        for file in (action["add"] for action in actions if "add" in action):
            (table / file["path"]).write_bytes(bytes(file["size"]))
        info: Action = {"inCommitTimestamp": 1_000 + version} if is_timed else {}
        if chance.random() < 0.6:
            metrics = {"numRestoredFiles": sum("add" in action for action in actions)}
            info |= {"operation": "RESTORE", "operationMetrics": metrics}
        commits.append([tables.commit_info(**info), *actions])
        made.commit(version, *commits[-1])
        state = reconciled([state, actions])
        if has_checksums and chance.random() < 0.8:
            stamp = {"inCommitTimestampOpt": 1_000 + version} if is_timed else {}
            made.crc(version, [stamp, summed(state, has_files=has_files)])
        if chance.random() < 0.25:
            write(version, state)
            made.last_checkpoint(version)
        if version and chance.random() < 0.15:
            first = chance.randrange(version)
            made.compacted(first, version, *reconciled(commits[first:]))
    bases = [file.name[:20] for file in made.log.glob("*.checkpoint.*")]
    oldest = chance.choice(bases) if bases and chance.random() < 0.3 else ""
    for file in made.log.glob("0*"):
        if file.name[:20] < oldest:
            file.unlink()


def about_table(features: list[str], version: int, chance: Chance) -> Iterator[Action]:
    """What a commit says of anything but files."""
    stored = {key: text for name in features for key, text in FEATURES[name].items()}
    stored["delta.logRetentionDuration"] = f"interval {version + 30} days"
    fields = [tables.column("a"), tables.column("p", "string")]
    for number, field in enumerate(fields if "columnMapping" in features else (), 1):
        field["metadata"] = {f"{MAPPING}.id": number, f"{MAPPING}.physicalName": field["name"]}
    if version == 0:
        readers = [name for name in features if name in READERS]
        writers = [*features, "domainMetadata"]
        yield tables.protocol(3 if readers else 1, 7, readers or None, writers)
    if version == 0 or chance.random() < 0.1:
        yield tables.metadata(stored, schemaString=tables.schema(*fields), partitionColumns=["p"])
    if chance.random() < 0.3:
        yield tables.txn(chance.choice("xy"), version)
    if chance.random() < 0.2:
        yield tables.domain(chance.choice("xy"), str(version))
    if "rowTracking" in features:
        yield tables.domain("delta.rowTracking", f'{{"rowIdHighWaterMark":{9 * version + 8}}}')


def about_files(
    features: list[str], state: list[Action], version: int, chance: Chance
) -> Iterator[Action]:
    """What it adds, removes, and deletes rows of."""
    for old in (action["add"] for action in state if "add" in action):
        if chance.random() < 0.15:
            kept = {key: old[key] for key in old if key in {"size", "deletionVector"}}
            yield tables.remove(old["path"], **kept)
            if "deletionVectors" in features and "deletionVector" not in kept:
                vector = tables.deletion_vector("ab^-aqEH.-t@S}K{vb[*k^", version)
                yield {"add": {**old, "deletionVector": vector}}
    for number in range(chance.randint(1, 3)):
        told: Action = {"stats": '{"numRecords":1}', "partitionValues": {"p": chance.choice("xy")}}
        if "rowTracking" in features:
            told |= {"baseRowId": 9 * version + number, "defaultRowCommitVersion": version}
        yield tables.add(f"f{version}-{number}.parquet", 100 + version * number, **told)


NAMES = {"add": "path", "remove": "path", "domainMetadata": "domain", "txn": "appId"}


def reconciled(commits: Iterable[list[Action]]) -> list[Action]:
    """The newest action about everything; a state, where *commits* begin with one."""
    found = dict[tuple[Any, ...], Action]()
    for action in (action for actions in commits for action in actions):
        ((kind, body),) = action.items()
        about = "file" if kind in {"add", "remove"} else kind
        found[about, body.get(NAMES.get(kind)), str(body.get("deletionVector"))] = action
    return [action for action in found.values() if "commitInfo" not in action]


def summed(state: list[Action], *, has_files: bool) -> Action:
    """What a checksum says of a state."""
    said = {kind: [each[kind] for each in state if kind in each] for kind in (*NAMES, "metaData")}
    return {
        **state[0], "metadata": said["metaData"][0], "setTransactions": said["txn"],
        "domainMetadata": said["domainMetadata"], "numFiles": len(said["add"]),
        "tableSizeBytes": sum(file["size"] for file in said["add"]),
        **({"allFiles": said["add"]} if has_files else {}),
    }  # fmt: skip


def flipped(content: bytes, chance: Chance) -> bytes:
    """The content with one bit changed."""
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def row_lost(file: Path, chance: Chance) -> None:
    """Leave out an action."""
    if file.suffix == ".parquet":
        with suppress(pa.ArrowException, OSError):  # of one that is damaged
            edited(file, lambda rows: chance.sample(rows, max(0, len(rows) - 1)))
    elif lines := file.read_bytes().splitlines(keepends=True):
        lines.remove(chance.choice(lines))
        file.write_bytes(b"".join(lines))


def changed(pattern: str, new: str) -> Callable[[Path, Chance], object]:
    """Change one place of a text that matches."""

    def change(file: Path, chance: Chance) -> None:
        text = file.read_bytes().decode("latin1")
        if file.suffix != ".parquet" and (found := [*re.finditer(pattern, text)]):
            place = chance.choice(found)
            text = text[: place.start()] + place.expand(new) + text[place.end() :]
            file.write_bytes(text.encode("latin1"))

    return change


def copied_over(file: Path, chance: Chance) -> None:
    """Let another file of the kind take its place."""
    alike = [other for other in file.parent.iterdir() if kind_of(other) == kind_of(file)]
    file.write_bytes(chance.choice(alike).read_bytes())


DAMAGES: dict[str, Callable[[Path, Chance], object]] = {
    "cut": lambda file, chance: os.truncate(file, chance.randrange(file.stat().st_size)),
    "emptied": lambda file, _: file.write_bytes(b""),
    "bit flipped": lambda file, chance: file.write_bytes(flipped(file.read_bytes(), chance)),
    "removed": lambda file, _: file.unlink(),
    "replaced": copied_over,
    "copied": lambda file, _: shutil.copy(file, file.with_name(f"{file.stem} (1){file.suffix}")),
    "row lost": row_lost,
    "path changed": changed(r'("path": ?"[^"]*)(\.parquet)', r"\1z\2"),
    "number changed": changed(r'("(?:size|version|numFiles|baseRowId)": ?)(\d)', r"\g<1>1\2"),
    "partition changed": changed(r'("p": ?")\w', r"\1z"),
    "vector lost": changed(r'"deletionVector": ?\{[^}]*\},?', ""),
    "file unlisted": changed(r'\{"path": "[^}]*\}[^}]*\}, (?=\{"path)', ""),
}


def kind_of(file: Path) -> str:
    """What a file of the log is, by its name without numbers."""
    name = " ".join(re.sub(r"[\d.]+", " ", re.sub(r"[-\da-f]{36}", "", file.name)).split())
    return {"json": "commit", "parquet": "sidecar"}.get(name, name)


def damage(table: Path, chance: Chance) -> str:
    """Damage one file of the log; what was done."""
    found = defaultdict[str, list[Path]](list)
    for file in sorted((table / "_delta_log").rglob("*")):
        if file.is_file():
            found[kind_of(file)].append(file)
    kind, name = chance.choice([*found]), chance.choice([*DAMAGES])
    # The newest one is what programs leave torn.
    file = found[kind][-1] if chance.random() < 0.5 else chance.choice(found[kind])
    if file.stat().st_size:
        DAMAGES[name](file, chance)
    return f"{kind} {name}{' (newest)' if file == found[kind][-1] else ''}"


def findings(table: Path, least: str = "") -> Counter[str]:
    """What `validate` finds in the table, by codes; or that it cannot load it."""
    done = deltaadm("validate", table, "--deep", "--history", "-o", "json", "--isolated")
    found = done.document.get("findings", ()) if done.out else ()
    codes = Counter(each["code"] for each in found if least in {"", each["severity"]})
    return codes if found else Counter({f"exit {done.code}": 1})


def ours(table: Path) -> list[TableState | str]:
    """The states that deltaadm reads, or its errors: of the newest version, then from 0 on."""
    states, store = list[TableState | str](), open_store(str(table))
    for version in (None, *range(15)):
        try:
            states.append(read_state(store, version))
        except DeltaadmError as error:
            states.append(type(error).__name__)
    return states


def play(chance: Chance) -> tuple[str, str, str]:
    """What was done to a table, who noticed, and what came of repairing it."""
    with tempfile.TemporaryDirectory() as directory:
        table = Path(directory) / "t"
        table.mkdir()
        chance.choice([make_plain, make_rich, make_rich])(table, chance)
        before, truth, found = by_delta_rs(table), ours(table), findings(table)
        errors = findings(table, "error")
        done = " + ".join(damage(table, chance) for _ in range(chance.randint(1, 2)))
        damaged, shown, files = by_delta_rs(table), ours(table), contents(table)
        is_harmless = damaged == before and shown == truth
        is_found = isinstance(shown[0], str) or bool(findings(table) - found)
        noticed = "found" if is_found else "harmless" if is_harmless else "missed"
        aged(table)
        given = "repair", table, "--apply", "--yes", "-o", "json", "--isolated"
        repair, after = deltaadm(*given), ours(table)
        outcome = repair.document.get("outcome") if repair.out else None
        if outcome is None or contents(table) == files:
            if contents(table) != files or repair.code not in {0, 7}:
                return done, noticed, f"WRONG, exit {repair.code}: {repair.err}"
            return done, noticed, f"left alone, exit {repair.code}"
        frees, proved = "becomes free again" in repair.out, outcome["proved"]
        end = "as before" if after == truth else "as damaged" if after == shown else "other"
        # A repair answers for what it alters, and not for what it did not look at.
        altered = any(new not in of for new, *of in zip(after, truth, shown, strict=True))
        wrong = {
            "and called proved": altered and proved and not frees,
            "and was not before": noticed == "harmless" and after != truth,
            "for delta-rs": repair.code == 0
            and after == truth
            and by_delta_rs(table) != before,
            # Of a commit or an older checksum that can be read, nothing is repaired.
            "and found": not (repair.code or "commit" in done or "crc" in done)
            and bool(findings(table, "error") - errors),
        }  # fmt: skip
        aged(table)
        wrong["to be repaired again"] = not deltaadm(*given).document["is_noop"]
        undone = deltaadm("repair", table, "--undo", outcome["journal"], "--apply", "--yes")
        is_undone = undone.code == 0 and contents(table) == files
        wrong["undone to something else"] = not is_undone and "commit version" not in repair.out
        if any(wrong.values()):
            return done, noticed, f"WRONG: {', '.join(text for text in wrong if wrong[text])}"
        said = "proved" if proved else "said to be unproved"
        return done, noticed, f"{end}{', without the newest' if frees else ''}, {said}"


def main(seed: int, rounds: int) -> None:
    """Damage, repair, compare, and count."""
    results = Counter[tuple[str, str]]()
    for number in range(rounds):
        done, noticed, result = play(Chance(seed * 1_000_003 + number))
        results[noticed, result] += 1
        if result.startswith("WRONG") or (noticed == "missed" and "commit" not in done):
            sys.stdout.write(f"round {number} of seed {seed}: {done}, {noticed}, {result}\n")
            sys.stdout.flush()
    for (noticed, result), count in sorted(results.items()):
        sys.stdout.write(f"{count:5}  {noticed:10} {result}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
