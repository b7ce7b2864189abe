# ruff: noqa: S311 -- chance that is no secret
"""
Let random tables live whole lives, and hold what is planned, committed and said to the raw log.

    python -m tools.lives SEED ROUNDS

A life is one table, without Spark: deltaadm changes it with the embedded commit engine, and so do
others. Laws hold after each step; a life that breaks one is printed, and played again by its seed.
"""

import json
import random
import re
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from deltaadm.domain.features import FEATURES
from deltaadm.domain.schema import path_text
from deltaadm.plans.alter import read_schema
from tests.support.clients import ACCEPT_ALL
from tests.support.program import Result, deltaadm
from tests.support.tables import Action, Table, add, commit_info, metadata, protocol

COMMITTING = ("--apply", "--yes", "--commit-engine", "embedded", *ACCEPT_ALL)
NAMES = ("a", "b", "A", "x y", "d.t", "b`k", "ü", "s", "x", "element", "value", "o,p", "e=f")
TYPES = (
    "INT", "BIGINT", "STRING", "DATE", "DECIMAL(5,2)", "FLOAT", "STRUCT<x: INT, `A.b`: STRING>",
    "ARRAY<STRUCT<x: INT, y: STRING>>", "MAP<STRING, STRUCT<x: INT>>", "STRUCT<s: STRUCT<x: INT>>",
)  # fmt: skip
SWITCHES = "appendOnly", "enableTypeWidening", "enableDeletionVectors", "enableChangeDataFeed"
MODE, PHYSICAL = "delta.columnMapping.mode", "delta.columnMapping.physicalName"
PROPERTIES = (
    *(f"delta.{key}={value}" for key in SWITCHES for value in ("true", "false")), "team=web",
    f"{MODE}=name", f"{MODE}=none", "delta.checkpointPolicy=v2", "delta.checkpointInterval=2",
    "delta.enableInCommitTimestamps=true", "delta.enableIcebergCompatV2=true", "comment=why",
    "Team=x", "delta.dataSkippingStatsColumns=a", "delta.feature.clustering=supported",
)  # fmt: skip
ADAPTED = re.compile(r"protocol\.min|maxColumnId|nested\.ids|materialized|Enablement|Protection")
State, Path_ = dict[str, Any], tuple[str, ...]


def walk(kind: Any, path: Path_ = (), at: Path_ = ()) -> Iterator[tuple[Path_, Path_, Any]]:
    """Each column of a state, or a type, with its path, and that of its physical names."""
    if "metaData" in kind:  # of a state
        kind = json.loads(kind["metaData"]["schemaString"])
    if isinstance(kind, str):
        return
    for column in kind.get("fields", ()):
        here = (*path, column["name"]), (*at, column["metadata"].get(PHYSICAL, column["name"]))
        yield (*here, column)
        yield from walk(column["type"], *here)
    for part in ("element", "key", "value"):
        yield from walk(kind.get(f"{part}Type", ""), (*path, part), (*at, part))


def replayed(before: State, actions: list[Action]) -> State:
    """The actions that hold after more of them, without deltaadm."""
    after = dict(before)
    for key, body in (pair for action in actions for pair in action.items()):
        name = {"add": "path", "remove": "path", "domainMetadata": "domain"}.get(key, "")
        after.pop(f"add {body.get(name)}", None)
        if key != "remove":
            after[f"{key} {body[name]}" if name else key] = body
    return after


def facts(state: State) -> dict[str, Any]:
    """What plans are about, by places; columns by their physical names, whatever their name."""
    found = {key: body for key, body in state["metaData"].items() if key in {"id", "description"}}
    clustered = state.get("domainMetadata delta.clustering", {}).get("configuration", "{}")
    if columns := json.loads(clustered).get("clusteringColumns"):
        found["clusteringColumns"] = columns
    for key, body in state["protocol"].items():
        found |= {f"protocol.{key}": body} if key.startswith("min") else {}
        found |= {f"protocol.{key}[{name}]": name for name in body} if "Feat" in key else {}
    for key, body in state["metaData"]["configuration"].items():
        found[f"configuration[{key}]"] = body
    for path, at, column in walk(state):
        told = column["metadata"] | {"name": path[-1], "nullable": column["nullable"]}
        told |= {"type": column["type"]} if isinstance(column["type"], str) else {}
        found |= {f"{at}{key}": body for key, body in told.items()}
    return found


def differing(one: State, other: State) -> set[str]:
    first, second = facts(one), facts(other)
    return {key for key in first.keys() | second.keys() if first.get(key) != second.get(key)}


def told_as(places: set[str], told: Any) -> bool:
    """Whether all that has changed is among the subjects that are *told*, and columns at all."""
    return {place for place in places if place[0] != "("} <= {*told} and bool(places) <= bool(told)


class Life:
    """A table, what has happened to it, and its states: nothing, version 0, and so on."""

    def __init__(self, chance: random.Random, directory: Path, met: Counter[str]) -> None:
        self.chance, self.any, self.met = chance, chance.choice, met
        self.root, self.told, self.states = directory / "t", list[str](), [State()]
        self.saved: list[tuple[Path, State]] = []

    def run(self, *words: object) -> Result:
        """Run a command; only a bug ends with a traceback, and what fails writes no commit."""
        self.told.append(" ".join(str(word) for word in words if word not in COMMITTING[1:]))
        before = self.now
        done = deltaadm(*words, "--isolated", "--no-input")
        self.told[-1] += f" -> {done.code}"
        assert done.code in {0, 1, 2, 5, 7, 8}, done.out + done.err
        assert done.code in {0, 1} or self.now is before, "it failed, and has committed"
        return done

    @property
    def now(self) -> State:
        """The newest state, after what is new in the log."""
        log = self.root / "_delta_log"
        while (file := log / f"{len(self.states) - 1:020d}.json").exists():
            actions = [json.loads(line) for line in file.read_text().splitlines()]
            self.states.append(replayed(self.states[-1], actions))
        return self.states[-1]

    def fork(self) -> "Life":
        """The same table elsewhere, to see what would become of it."""
        other = Life(self.chance, Path(tempfile.mkdtemp(dir=self.root.parent)), self.met)
        other.told, _, other.states = self.told, self.now, [*self.states]
        shutil.copytree(self.root, other.root)
        return other

    def change(self, *words: str) -> None:
        """Plan a change, commit it, and hold the commit to the plan."""
        (name, *rest), before, first = words, self.now, len(self.states) - 1
        planned = self.run(name, self.root, *rest, "-o", "json")
        done = planned if planned.code else self.run(name, self.root, *rest, *COMMITTING)
        if done.code:
            assert planned.code or "embedded" in done.err or "Not applied" in done.err, done.err
            self.met[f"{name}: refused"] += 1
            return
        self.met[f"{name}: {'nothing to do' if self.now is before else 'committed'}"] += 1
        self.require_planned(planned.document, before)
        if self.now is not before:
            once = re.search(r"--(add|drop|rename|move|checkpoint)|^undo", " ".join(words))
            again = self.run(name, self.root, *rest, "--check")
            assert again.code == 0 or once, again.out + again.err
            if name != "undo" and first and self.chance.random() < 0.5:
                self.require_undone(self.any((first, len(self.states) - 2)))

    def require_planned(self, plan: Any, before: State) -> None:
        """The log has what the plan shows, and nothing else; no column gets rows of another one."""
        after, told = self.now, {each["subject"] for each in plan["changes"]}
        assert told_as(differing(before, after), told), (differing(before, after), told)
        for key, body in plan["after"]["metadata"].items():
            parts = re.escape(json.dumps(body, sort_keys=True)).split("<known\\ after\\ commit>")
            committed = json.dumps(after["metaData"].get(key), sort_keys=True)
            assert re.fullmatch(".+".join(parts), committed), (key, body, committed)
        assert {key for key in before if "add" in key} == {key for key in after if "add" in key}
        those = (self.states[1 : self.states.index(before)], [before], [after])
        ever, had, has = ({at for one in of for _, at, _ in walk(one)} for of in those)
        modes = {state["metaData"]["configuration"].get(MODE) for state in (before, after)}
        assert modes != {"name"} or not (has - had) & ever, f"reads again: {(has - had) & ever}"

    def require_healthy(self) -> None:
        """No rule finds an error, and reports tell what has happened."""
        found = self.run("validate", self.root, "--deep", "--history", "-o", "json").document
        assert not found["counts"]["error"], found["findings"]
        with suppress(DeltaError, OSError):  # of features that it does not know
            read = DeltaTable(self.root)
            assert read.version() == len(self.states) - 2
            assert len(read.file_uris()) == str([*self.now]).count("'add ")
        entries = self.run("history", self.root, "-o", "json").document["entries"]
        told = {each["version"]: {of["subject"] for of in each["changes"]} for each in entries}
        for version in range(1, len(self.states) - 1):
            places = differing(*self.states[version : version + 2])
            assert told_as(places, told.get(version, ())), (version, places, told)
        first = self.chance.randrange(len(self.states) - 1)
        compared = self.run("diff", f"{self.root}@{first}", self.root, "-o", "json").document
        subjects = [each["subject"] for each in compared["changes"]]
        assert told_as(differing(self.states[first + 1], self.now), subjects), (first, subjects)
        for each in self.run("inspect", self.root, "--why", "-o", "json").document["features"]:
            since, listed = (each["since"] or {}).get("version", 0), f"[{each['name']}]"
            assert since == 0 or listed not in str([*facts(self.states[since])]), each

    def require_undone(self, version: int) -> None:
        """To undo a version, on a copy, brings back what was, but for what notes name."""
        other = self.fork()
        shown = other.run("undo", other.root, version, "-o", "json")
        if shown.code == 0:
            other.change("undo", str(version))
            other.require_healthy()
        if shown.code == 0 and (shown.document["is_noop"] or other.now is not self.now):
            notes = " ".join(shown.document["notes"])
            was, had, has = map(facts, (self.states[version], self.now, other.now))
            changed = differing(*self.states[version : version + 2])
            for place in (*was, *had, *has):
                wanted = (was if place in changed else had).get(place)
                if has.get(place) != wanted and not ADAPTED.search(place):
                    told = r"schema\[|other ids" if place[0] == "(" else re.escape(place)
                    implied = "" if has["protocol.minWriterVersion"] < 7 else r"protocol\."
                    told += f"|{implied}" if place.startswith("protocol.") else ""
                    assert re.search(told, notes), (place, has.get(place), wanted, notes)
        shutil.rmtree(other.root.parent)

    def apply(self) -> None:
        """A saved plan makes what it shows of the state that it was made for, or is refused."""
        before, file = self.now, self.root.parent / f"{len(self.told)}.json"
        if not self.saved or self.chance.random() < 0.4:
            self.run("alter", self.root, *self.alteration()[1:], "--out", file)
            self.saved += [(file, before)] if file.exists() else []
            return
        file, then = self.any(self.saved)
        done = self.run("apply", file, *COMMITTING[1:])
        is_same = not differing(before, then)
        self.met[f"apply: {done.code}, {'as it was' if is_same else 'changed'}"] += 1
        assert done.code != 5 or not is_same, done.err
        if self.now is not before:
            self.require_planned(json.loads(file.read_text()), before)

    def converge(self) -> None:
        """A copy that was changed becomes again what a record says, but for what notes name."""
        record, other = self.root.parent / "record.json", self.fork()
        self.run("record", self.root, "--out", record)
        other.change(*other.alteration())
        compare = ("diff", record, other.root, "--only", "schema", "-o", "json")
        if (done := other.run(*compare, "--plan", *COMMITTING)).code in {0, 1}:
            left, notes = other.run(*compare).document["changes"], done.document["plan"]["notes"]
            assert all(each["subject"] in str(notes) for each in left), (left, notes)
        shutil.rmtree(other.root.parent)

    def ask(self) -> None:
        feature = self.any(sorted(FEATURES))
        self.change(*self.any([
            self.alteration(), self.alteration(), self.alteration(), self.alteration(),
            ("undo",), ("undo", str(self.chance.randrange(len(self.states) - 1))),
            ("enable-feature", feature), ("enable-feature", feature, "--support-only"),
            ("drop-feature", feature), ("set-mapping-mode", "name"), ("alter", "--checkpoint"),
            ("upgrade-protocol", "--minimum"), ("upgrade-protocol", "--writer", "5"),
        ]))  # fmt: skip

    def alteration(self) -> tuple[str, ...]:
        """One to three options of `alter`."""
        columns = [path for path, _, _ in walk(self.now)]

        def option() -> tuple[str, str]:
            column, name = self.any(columns), self.any(NAMES)
            near, place = path_text(self.any(columns)[-1:]), path_text(column)
            return self.any([
                ("--set", self.any(PROPERTIES)), ("--set", self.any(PROPERTIES)),
                ("--unset", self.any([*self.now["metaData"]["configuration"], "team"])),
                ("--add-column", f"{path_text((*column[:-1], name))} {self.any(TYPES)}"),
                ("--rename-column", f"{place}={name}"), ("--set-comment", f"{place}=why"),
                ("--drop-column", place), ("--set-default", f"{place}=7"), ("--cluster-by", place),
                ("--set-type", f"{place}={self.any(('BIGINT', 'DOUBLE', 'DECIMAL(20,5)'))}"),
                ("--move", f"{place} {self.any(('FIRST', f'AFTER {near}'))}"),
            ])  # fmt: skip

        return ("alter", *(word for _ in range(self.any((1, 1, 2, 3))) for word in option()))

    def others(self) -> None:
        """A commit as Spark writes it: many changes at once, or a file whose columns are null."""
        other, now = self.fork(), self.now
        for _ in range(self.any((0, 3))):
            other.change(*other.alteration())
        then, keys = other.now, ("protocol", "metaData", "domainMetadata delta.clustering")
        shutil.rmtree(other.root.parent)
        if any(word in str(then) for word in ("CommitTimestamp", "rowTracking", "Compat")):
            return
        actions = [{key.split()[0]: then[key]} for key in keys if then.get(key) != now.get(key)]
        if not actions:
            file = self.root / f"{len(self.states)}.parquet"
            pq.write_table(pa.table({"others": [1]}), file)
            physical = {path[0]: at[0] for path, at, _ in walk(now)}
            split = {physical[name]: None for name in now["metaData"]["partitionColumns"]}
            more = {"partitionValues": split, "stats": '{"numRecords": 1}'}
            actions = [add(file.name, file.stat().st_size, **more)]
        self.told.append(f"Spark: {json.dumps(actions)}")
        version = len(self.states) - 1
        Table(self.root).commit(version, commit_info(), *actions)
        self.require_undone(version)

    def live(self) -> None:
        """A table made by deltaadm, or an older one, and what happens to it."""
        names = self.chance.sample(NAMES, self.chance.randint(2, 5))
        columns = ", ".join(f"{path_text((name,))} {self.any(TYPES)}" for name in names)
        name, mapped = path_text((names[0],)), ("--property", f"{MODE}=name")
        layout = self.any(((), ("--partition-by", name), ("--cluster-by", name)))
        wanted = (*layout, *self.any(((), mapped)), "--property", self.any(PROPERTIES))
        if self.run("create", self.root, "--schema", columns, *wanted, *COMMITTING).code:
            reader, writer = self.any(((1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6), (1, 7)))
            started = protocol(reader, writer, None, ["invariants"] if writer == 7 else None)
            plain = read_schema("A INT, l ARRAY<STRUCT<x: INT>>, s STRUCT<b: STRING>").to_json()
            Table(self.root).commit(0, commit_info(), started, metadata(schemaString=plain))
        self.require_healthy()
        for _ in range(8):
            self.any((self.ask, self.ask, self.ask, self.apply, self.converge, self.others))()
            self.require_healthy()


def play(seed: int, met: Counter[str]) -> str:
    """Play a life; what is wrong with it, with the steps that led there."""
    with tempfile.TemporaryDirectory() as directory:
        life = Life(random.Random(seed), Path(directory), met)
        try:
            life.live()
        except Exception:  # noqa: BLE001 -- the others go on
            return "\n  ".join((f"life {seed} fails:", *life.told, traceback.format_exc()))
    return ""


def main(seed: int, rounds: int) -> None:
    met = Counter[str]()
    failed = [wrong for number in range(seed, seed + rounds) if (wrong := play(number, met))]
    sys.stdout.write("".join(failed))
    for name, count in sorted(met.items()):
        sys.stdout.write(f"{count:8}  {name}\n")
    sys.exit(f"{len(failed)} of {rounds} lives fail" if failed else 0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
