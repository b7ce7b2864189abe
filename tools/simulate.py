"""
Schedules of faults over the code that commits, writes checkpoints and repairs, in memory.

A schedule follows from its number: which programs run, which of them is at work between any two
requests to the store, what other writers, checkpoints and clean-ups do meanwhile, which requests
fail, are carried out without an answer or late, which listings are behind, how clocks jump and who
is killed or interrupted. `python -m tools.simulate 10000` plays so many and says what was met;
`python -m tools.simulate 1 --seed 7 --trace` plays one again and shows its requests.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pyarrow as pa

from deltaadm.domain.actions import DomainMetadata
from deltaadm.domain.ddl import parse_definitions
from deltaadm.domain.protocol import Protocol, SessionSettings
from deltaadm.domain.snapshot import LogListing, Snapshot
from deltaadm.domain.steps import AddColumns, SetProperties, Step, UnsetProperties, WriteCheckpoint
from deltaadm.domain.steps.step import evolve
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, RefusedError, StorageError, UnknownWriteError
from deltaadm.limits import LIMITS, Limits
from deltaadm.plans.checkpoint import alone, state_of
from deltaadm.plans.diff import mismatches
from deltaadm.plans.embedded_executor import EmbeddedExecutor
from deltaadm.plans.plan import Plan, propose
from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.carry_out import carry_out
from deltaadm.plans.repair.repair import Case, RepairPlan
from deltaadm.plans.reports import committed_words
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.runs.context import RunContext
from deltaadm.runs.options import Engine
from deltaadm.runs.plan_run import execute
from deltaadm.runs.status import CommitStatus
from deltaadm.storage.object_store import LogCache, ObjectStore, _failure
from deltaadm.storage.store import ObjectStores
from tests.support import tables
from tests.support.tables import Action, add, commit, commit_info, domain, remove, txn

ROOT, LOG = "memory://simulated/t", "t/_delta_log/"
HINT = f"{LOG}_last_checkpoint"
START, DAY = 1_700_000_000_000, 86_400_000
_COMMIT = re.compile(rf"{LOG}(\d{{20}})\.json")
_MADE = re.compile(r"\bversions? ([\d, ]+) (?:was|were) committed")


class Killed(BaseException):
    """The end of a process: the store hears nothing of it from then on."""


class Interrupted(BaseException):
    """Ctrl-C, after which a process still looks up what it has done."""


class Thing(NamedTuple):
    """An object of the store."""

    body: bytes
    tag: int
    modified: int


class State(NamedTuple):
    """What a version is by its commits alone, folded in the simplest way."""

    protocol: Action
    metadata: Action
    files: Mapping[str, Action]
    domains: Mapping[str, Action]
    transactions: Mapping[str, Action]
    stamp: int | None

    def after(self, body: bytes) -> "State":
        """The state after a commit."""
        actions = [next(iter(json.loads(line).items())) for line in body.splitlines()]
        named = dict(actions)
        gone = {document["path"] for name, document in actions if name == "remove"}
        files = {path: document for path, document in self.files.items() if path not in gone}
        return State(
            named.get("protocol", self.protocol),
            named.get("metaData", self.metadata),
            files | {document["path"]: document for name, document in actions if name == "add"},
            self.domains | {d["domain"]: d for name, d in actions if name == "domainMetadata"},
            self.transactions | {t["appId"]: t for name, t in actions if name == "txn"},
            named.get("commitInfo", {}).get("inCommitTimestamp"),
        )

    def snapshot(self, version: int) -> Snapshot:
        """The same as `evolve` takes it."""
        domains = {name: DomainMetadata.from_wire(one) for name, one in self.domains.items()}
        metadata = Metadata.from_wire(self.metadata)
        protocol = Protocol.from_wire(self.protocol)
        return Snapshot(root=ROOT, version=version, protocol=protocol, metadata=metadata,
            domains=domains, timestamp=self.stamp)  # fmt: skip

    def actions(self) -> list[Action]:
        """The rows of a checkpoint."""
        rows = [{"protocol": self.protocol}, {"metaData": self.metadata}]
        for name in ("domains", "transactions", "files"):
            kind = {"domains": "domainMetadata", "transactions": "txn", "files": "add"}[name]
            rows += [{kind: document} for document in getattr(self, name).values()]
        return rows


_NOTHING = State({}, {}, {}, {}, {}, None)


@lru_cache(1 << 12)
def _checkpoint(rows: str) -> bytes:
    made = BytesIO()
    tables.write_parquet(made, json.loads(rows))
    return made.getvalue()


# The world


class World:
    """
    The store, what others do to it, and the truth about it.

    `commits` are all that ever were, with the `states` after them. `busy` is how much others do
    between two requests, `faulty` how often a request meets a fault.
    """

    def __init__(self, seed: int, log: Mapping[str, bytes], *, trace: bool = False) -> None:
        self.chance = random.Random(seed)  # noqa: S311 -- for schedules
        self.trace, self.met = trace, Counter[str]()
        self.objects: dict[str, Thing] = {}
        self.changes: list[tuple[str, Thing | None, str]] = []
        self.commits: list[bytes] = []
        self.states: list[State] = []
        self.late: list[Callable[[], object]] = []
        self.clock, self.tags = START, 0
        self.running: list[Client] = []
        self.gate = threading.Semaphore(0)
        self.events: Sequence[str] = ("append",)
        for path in sorted(log):
            self.put(path, log[path], "start")
        self.clock += DAY
        self.began = len(self.commits) - 1
        self.busy = self.chance.choice((0, 0.03, 0.12))
        self.faulty = self.chance.choice((0, 0.03, 0.12))
        self.switching = self.chance.choice((0.05, 0.3, 0.6))

    @property
    def newest(self) -> int:
        return len(self.commits) - 1

    def tell(self, what: str) -> None:
        if self.trace:
            sys.stdout.write(f"{what}\n")

    def put(self, path: str, body: bytes, author: str) -> None:
        """Write an object, whoever wants it."""
        self.changes.append((path, self.objects.get(path), author))
        self.tags += 1
        self.objects[path] = Thing(bytes(body), self.tags, self.clock)
        if found := _COMMIT.fullmatch(path):
            assert int(found[1]) == len(self.commits), f"{path} is replaced, or leaves a gap"
            self.commits.append(body)
            self.states.append((self.states[-1] if self.states else _NOTHING).after(body))

    def delete(self, path: str, author: str) -> None:
        """Delete an object."""
        if path in self.objects:
            assert author == "others" or not _COMMIT.fullmatch(path), f"{path} is removed"
            self.changes.append((path, self.objects.pop(path), author))

    def as_of(self, number: int) -> dict[str, Thing]:
        """The objects after so many changes."""
        objects = dict(self.objects)
        for path, before, _ in reversed(self.changes[number:]):
            objects.pop(path, None)
            if before is not None:
                objects[path] = before
        return objects

    # What others do

    def happen(self) -> None:
        """Let others do something, or nothing."""
        self.clock += 1
        while self.chance.random() < self.busy:
            name = self.chance.choice(self.events)
            self.met[f"others: {name}"] += 1
            getattr(self, f"_{name}")()

    def _commit(self, *actions: Action) -> None:
        state, version = self.states[-1], self.newest + 1
        stamped = state.metadata["configuration"].get("delta.enableInCommitTimestamps") == "true"
        stamp = {"inCommitTimestamp": max(self.clock, (state.stamp or 0) + 1)} if stamped else {}
        info = commit_info(**stamp, readVersion=version - 1, isBlindAppend=False)
        self.tell(f"others commit {version}: {[*map(next, map(iter, actions))]}")
        self.put(f"{LOG}{version:020d}.json", commit(info, *actions), "others")

    def _append(self) -> None:
        self._commit(*self._file())

    def _file(self) -> tuple[Action]:
        return (add(f"f{self.newest}", 1 << 10 + self.newest % 40),)

    def _rewrite(self) -> None:
        files = sorted(self.states[-1].files)
        path = self.chance.choice(files) if files else "none"
        self._commit(remove(path), *self._file(), txn("app", self.newest))

    def _domain(self) -> None:
        if "domainMetadata" in self.states[-1].protocol.get("writerFeatures", ()):
            self._commit(domain("mine", json.dumps({"v": self.newest})))

    def _property(self) -> None:
        metadata = self.states[-1].metadata
        stored = {**metadata["configuration"], self.chance.choice(("owner", "team")): "others"}
        self._commit({"metaData": {**metadata, "configuration": stored}})

    def _protocol(self) -> None:
        protocol = self.states[-1].protocol
        if features := protocol.get("writerFeatures"):
            listed = sorted({*features, "vacuumProtocolCheck"} - {"vacuumProtocolCheck"})
            more = sorted({*listed, "changeDataFeed"})
            self._commit({"protocol": {**protocol, "writerFeatures": more}})
        else:
            self._commit({"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}})

    def _checkpoint(self) -> None:
        """Perhaps without its last part, and perhaps without a pointer to it."""
        version = self.chance.randint(max(0, self.newest - 2), self.newest)
        rows = self.states[version].actions()
        parts = self.chance.choice((1, 1, 2))
        for part in range(parts if self.chance.random() < 0.8 else parts - 1):
            of = f".{part + 1:010d}.{parts:010d}" if parts > 1 else ""
            name = f"{LOG}{version:020d}.checkpoint{of}.parquet"
            self.put(name, _checkpoint(json.dumps(rows[part::parts])), "others")
            self.tell(f"others write {name}")
        if self.chance.random() < 0.7:
            pointer = {"version": version, "size": len(rows), **({"parts": 2} if parts > 1 else {})}
            self.put(HINT, json.dumps(pointer).encode(), "others")

    def _cleanup(self) -> None:
        """What is older than a checkpoint and than all who are at work, as far as it comes."""
        listing = LogListing.of(ROOT, Client(self, "others", quiet=True).store().list_log())
        if checkpoints := [found.version for found in listing.checkpoints]:
            limit = min(self.chance.choice(checkpoints), self.began)
            old = [p for p in sorted(self.objects) if p[len(LOG)].isdigit() and _version(p) < limit]
            for path in old[: self.chance.randint(0, len(old))]:
                self.tell(f"others remove {path}")
                self.delete(path, "others")

    def _clock(self) -> None:
        self.clock += self.chance.choice((1_000, DAY, 40 * DAY, -1_000, -DAY, -40 * DAY))

    def _arrival(self) -> None:
        if self.late:
            self.late.pop(self.chance.randrange(len(self.late)))()

    # Who is at work

    def play(self, works: Mapping[str, Callable[["Client"], None]]) -> None:
        """Let programs run at the same time, one of which goes on at a time."""
        clients = [Client(self, name) for name in works]
        if len(clients) == 1:
            works[clients[0].name](clients[0])
            return
        self.running = clients
        failures: list[BaseException] = []

        def run(client: Client) -> None:
            client.thread = threading.get_ident()
            client.gate.acquire()
            try:
                works[client.name](client)
            except BaseException as error:  # noqa: BLE001 -- raised again below
                failures.append(error)
            self.running.remove(client)
            (self.chance.choice(self.running) if self.running else self).gate.release()

        for client in clients:
            threading.Thread(target=run, args=(client,), daemon=True).start()
        self.chance.choice(clients).gate.release()
        self.gate.acquire()
        self.running = []
        if failures:
            raise failures[0]

    def switch(self, client: "Client") -> None:
        """Perhaps let another program go on."""
        others = [other for other in self.running if other is not client]
        if client in self.running and others and self.chance.random() < self.switching:
            self.chance.choice(others).gate.release()
            client.gate.acquire()

    def settle(self) -> None:
        """Whatever is still on its way arrives, or never does."""
        for arrive in self.late:
            if self.chance.random() < 0.5:
                arrive()
        self.late.clear()


def _version(path: str) -> int:
    return int(path[len(LOG) : len(LOG) + 20])


# Programs


class Answer(NamedTuple):
    """What a request came to, as `Pending` has it."""

    value: Any
    error: DeltaadmError | None

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


_READING = ("fails", "killed", "interrupted")
_WRITING = (
    "fails", "killed", "interrupted", "killed after", "interrupted after", "unheard",
    "unanswered", "unanswered", "late", "taken",
)  # fmt: skip


class Client:
    """A program as the store sees it, in the place of `Connections` and `Bucket`."""

    options: Mapping[str, str] = {}

    def __init__(self, world: World, name: str, *, quiet: bool = False) -> None:
        self.world, self.name, self.quiet = world, name, quiet
        self.gate = threading.Semaphore(0)
        self.cache = LogCache(1 << 20)
        self.ended, self.thread = False, threading.get_ident()
        self.known = self.trouble = 0
        self.skew = 0 if quiet else world.chance.choice((0, 0, 500, -DAY, DAY))

    def store(self) -> "Store":
        return Store(self, ROOT)

    def now(self) -> int:
        return self.world.clock + self.skew

    def bucket(self, _: str) -> "Client":
        return self

    def url(self, path: str) -> str:
        return f"memory://simulated/{path}"

    def require_exclusive_creation(self, _: str) -> None:
        """It is exclusive."""

    def _ask(self, what: str, path: str, act: Callable[[], Any]) -> Answer:
        if self.quiet:
            return _answer(act)
        if self.ended:
            raise Killed
        if self.thread == threading.get_ident():  # and not one of Arrow's, which it waits for
            self.world.happen()
            self.world.switch(self)
        writes = what not in {"get", "head", "list"}
        fate = ""
        often = 0.8 if self.trouble else self.world.faulty * (4 if writes else 1)
        self.trouble = max(0, self.trouble - 1)
        if self.world.chance.random() < often:
            if self.world.chance.random() < 0.2:  # trouble seldom comes alone
                self.trouble = self.world.chance.randint(1, 8)
            fate = self.world.chance.choice(_WRITING if writes else _READING)
            self.world.met[f"{fate}, {'writing' if writes else 'reading'}"] += 1
        self.world.tell(f"{self.name}: {what} {path} {fate}")
        if fate in {"fails", "unheard", "late"}:
            if fate == "late" and what != "delete":
                self.world.late.append(act)
            is_open = fate != "fails" and what in {"create", "replace"}
            return Answer(None, (UnknownWriteError if is_open else StorageError)("no answer"))
        self._stop(fate)
        answer = _answer(act)
        self._stop(fate.removesuffix(" after"))
        if writes:
            self.known = len(self.world.changes)
        if fate == "unanswered":
            is_open = what in {"create", "replace"}
            return Answer(None, (UnknownWriteError if is_open else StorageError)("no answer"))
        return Answer(False, None) if fate == "taken" and answer.value is True else answer

    def _stop(self, fate: str) -> None:
        if fate == "killed":
            self.ended = True
            raise Killed
        if fate == "interrupted":
            raise Interrupted

    # Requests

    def get(self, path: str, _: int) -> Answer:
        return self._ask("get", path, lambda: self._thing(path).body)

    def get_range(self, path: str, start: int, end: int, tag: str) -> Answer:
        def act() -> bytes:
            thing = self._thing(path)
            if str(thing.tag) != tag:
                raise StorageError(f"{path} has changed.")
            return thing.body[start:end]

        return self._ask("get", path, act)

    def _thing(self, path: str) -> Thing:
        if path not in self.world.objects:
            raise _failure(self.url(path), FileNotFoundError())
        return self.world.objects[path]

    def head(self, path: str) -> Answer:
        return self._ask("head", path, lambda: _meta(path, self.world.objects.get(path)))

    def first_page(self, prefix: str, offset: str | None = None) -> Answer:
        found = self.all_below(prefix, 0, offset)
        return found._replace(value=(found.value, True))

    def all_below(self, prefix: str, _: int, offset: str | None = None) -> Answer:
        begun = len(self.world.changes)

        def act() -> list[Any]:
            world, objects = self.world, self.world.objects
            if not self.quiet and len(world.changes) > self.known:
                if world.chance.random() < world.faulty:
                    # As it was at some time since this program saw it last.
                    since = world.chance.randint(self.known, len(world.changes))
                    objects = world.as_of(since)
                    world.met["a listing that is behind"] += since < len(world.changes)
                    self.known = since
                else:
                    objects = self._torn(begun)
                    self.known = len(world.changes)
            inside = (path for path in objects if path.startswith(f"{prefix}/"))
            return [_meta(path, objects[path]) for path in sorted(inside) if path > (offset or "")]

        return self._ask("list", prefix, act)

    def _torn(self, begun: int) -> Mapping[str, Thing]:
        """Of what changes while it is listed, it may have one and not the other."""
        world = self.world
        changed = sorted({path for path, _, _ in world.changes[begun:]})
        if not changed or world.chance.random() > world.faulty * 4:
            return world.objects
        before, objects = world.as_of(begun), dict(world.objects)
        for path in changed:
            if world.chance.random() < 0.5:
                objects.pop(path, None)
                if path in before:
                    objects[path] = before[path]
        world.met["a listing of a log that changes"] += 1
        return objects

    def put(self, path: str, body: bytes) -> Answer:
        return self._ask("put", path, lambda: self.world.put(path, body, self.name))

    def create(self, path: str, body: bytes) -> Answer:
        def act() -> bool:
            if path in self.world.objects:
                return False
            self.world.put(path, body, self.name)
            return True

        return self._ask("create", path, act)

    def replace(self, path: str, body: bytes, known: Mapping[str, Any]) -> Answer:
        def act() -> bool:
            thing = self.world.objects.get(path)
            if thing is None or str(thing.tag) != known["e_tag"]:
                return False
            self.world.put(path, body, self.name)
            return True

        return self._ask("replace", path, act)

    def delete(self, path: str) -> Answer:
        return self._ask("delete", path, lambda: self.world.delete(path, self.name))


def _answer(act: Callable[[], Any]) -> Answer:
    try:
        return Answer(act(), None)
    except DeltaadmError as error:
        return Answer(None, error)


def _meta(path: str, thing: Thing | None) -> Any:
    return thing and {
        "path": path, "size": len(thing.body), "e_tag": str(thing.tag), "version": None,
        "last_modified": datetime.fromtimestamp(thing.modified / 1000, UTC),
    }  # fmt: skip


class Store(ObjectStore):
    """The one of the product, without threads."""

    at_once = 1


class Stores(ObjectStores):
    """Those of one program."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def open(self, location: str, limits: Limits = LIMITS) -> Store:
        return Store(self._client, location, limits)  # type: ignore[arg-type]


# Tables, and what is done to them


def _log(writers: Sequence[str] = (), checksum: str = "", **properties: str) -> Mapping[str, bytes]:
    """The log of a small table: a legacy one, or one that lists these features of writers."""
    stored = {f"delta.{key}": value for key, value in properties.items()}
    listed = tables.protocol(1, 7, None, ["appendOnly", "invariants", *writers])
    begin = [listed if writers else tables.protocol(), tables.metadata(stored)]
    files: dict[str, bytes] = {}
    for version, actions in enumerate((begin, [add("a", 1)], [add("b", 2), txn("app", 1)])):
        stamp = {"inCommitTimestamp": START + version} if checksum == "stamped" else {}
        files[f"{LOG}{version:020d}.json"] = commit(commit_info(**stamp), *actions)
    if checksum:
        counts = {"tableSizeBytes": 3, "numFiles": 2, "numMetadata": 1, "numProtocol": 1}
        body = {**counts, **begin[0], "metadata": begin[1]["metaData"], "domainMetadata": []}
        files[f"{LOG}{2:020d}.crc"] = json.dumps(body).encode()
    return files


TABLES = {
    "legacy": _log(),
    "checksum": _log(checksum="plain"),
    "stamped": _log(["inCommitTimestamp"], "stamped", enableInCommitTimestamps="true"),
    "domains": _log(["domainMetadata", "clustering", "checkConstraints"]),
    "often": _log(checkpointInterval="2"),
}
CHANGES: Mapping[str, tuple[Step, ...]] = {
    "property": (SetProperties({"team": "web"}),),
    "another property": (SetProperties({"steward": "me"}),),
    "column": (AddColumns(parse_definitions("n INT")),),
    "protocol": (SetProperties({"delta.enableChangeDataFeed": "true"}),),
    "timestamps": (SetProperties({"delta.enableInCommitTimestamps": "true"}),),
    "two": (SetProperties({"team": "web"}), AddColumns(parse_definitions("n INT"))),
    "there and back": (SetProperties({"team": "web"}), UnsetProperties(("team",))),
    "with checkpoint": (SetProperties({"team": "web"}), WriteCheckpoint()),
    "checkpoint": (WriteCheckpoint(),),
}
OTHERS = (
    *("append",) * 8, *("rewrite",) * 3, *("property",) * 2, "protocol", "domain",
    *("clock",) * 2, *("arrival",) * 4,
)  # fmt: skip
"""What others do, by how often they do it."""


@lru_cache
def _plan(table: str, change: str) -> Plan:
    return _planned(Client(World(0, TABLES[table]), "planning", quiet=True), change)


def _planned(client: Client, change: str) -> Plan:
    step = CHANGES[change]
    detail = Detail.STATE if change == "column" else Detail.PROTOCOL
    return propose(change, load_snapshot(client.store(), detail=detail), step)


class Commit:
    """A program that carries out a plan, and what it says of it."""

    def __init__(self, plan: Plan, client: Client) -> None:
        self.plan, self.said, self.failed = plan, "", False
        self.mismatches: Sequence[object] = ()
        status, stores = CommitStatus(), Stores(client)
        context = RunContext(status, commit_engine=Engine.EMBEDDED, object_stores=stores)
        executor = EmbeddedExecutor(SessionSettings(), client.now, stores)
        self.own = executor.mark().user_metadata or ""
        try:
            outcome = execute(context, plan, executor, status.set)
            self.said, self.mismatches = committed_words(outcome.versions), outcome.mismatches
        except Interrupted:
            self.said = status.describe()
        except Killed:
            self.said = "killed"
        except DeltaadmError as error:
            self.said, self.failed = error.message, True
        client.world.tell(f"{client.name}: {self.said}")

    def versions(self, world: World) -> list[int]:
        """The versions that it has committed, as the log says."""
        mark = self.own.encode()
        return [number for number, body in enumerate(world.commits) if mark in body]

    def require_true(self, world: World) -> None:
        """What it said is true, and each version is what was planned, on what was there before."""
        own = self.versions(world)
        steps = [step for step in self.plan.steps if step.is_commit]
        assert len(own) <= len(steps), f"committed more than once: {own}"
        for number, step in zip(own, steps, strict=False):
            before, after = world.states[number - 1], world.states[number].snapshot(number)
            different = mismatches(evolve(before.snapshot(number - 1), step), after)
            assert not different, f"version {number} is not what was planned: {different}"
        said = _MADE.search(self.said)
        named = [int(number) for number in said[1].split(", ")] if said else []
        if self.said == "killed" or "it is unknown whether" in self.said:
            assert {*named} <= {*own}, (self.said, own)
        elif done := re.search(r"step (\d+) was carried out, but not compared", self.said):
            assert len(own) == sum(one.is_commit for one in self.plan.steps[: int(done[1])])
            assert named == own[: len(named)], (self.said, own)
        else:
            assert named == own, (self.said, own)
        assert not self.mismatches, self.mismatches
        world.met["commits"] += len(own)
        world.met[f"said: {_kind(self.said)}"] += 1


def _kind(said: str) -> str:
    """What was said, without what differs each time."""
    words = ("killed", "it is unknown whether", "not compared with the plan", "the plan is stale")
    known = [word for word in words if word in said.lower()]
    return known[0] if known else "committed" if _MADE.search(said) else "nothing was committed"


def require_sound(world: World, checksums: int = 0) -> None:
    """Nothing is lost, the table loads as its commits have it, and all checkpoints are right."""
    store = Client(world, "check", quiet=True).store()
    listing = LogListing.of(ROOT, store.list_log())
    for number, body in enumerate(world.commits):
        thing = world.objects.get(f"{LOG}{number:020d}.json")
        assert thing is None or thing.body == body
        assert thing is not None or number < world.began, f"version {number} is lost"
    snapshot = load_snapshot(store, detail=Detail.STATE)
    truth = world.states[-1]
    assert snapshot.version == world.newest
    expected = truth.snapshot(world.newest)
    assert snapshot.protocol == expected.protocol
    assert snapshot.metadata == expected.metadata
    assert dict(snapshot.domains or {}) == dict(expected.domains or {})
    sizes = [file["size"] for file in truth.files.values()]  # of which no two are the same
    assert snapshot.files is not None
    assert (snapshot.files.files, snapshot.files.bytes) == (len(sizes), sum(sizes))
    stamps = [state.stamp for state in world.states if state.stamp is not None]
    assert all(one < two for one, two in pairwise(stamps)), "timestamps"
    for path in filter(re.compile(rf"{LOG}\d{{20}}\.crc").fullmatch, world.objects):
        if _version(path) >= checksums:
            _require_checksum(world.states[_version(path)], json.loads(world.objects[path].body))
    if any(author not in {"others", "start"} and ".checkpoint." in path
        for path, _, author in world.changes):  # fmt: skip
        _require_checkpoints(world, store, listing)


def _require_checksum(state: State, found: Mapping[str, Any]) -> None:
    sizes = [file["size"] for file in state.files.values()]
    assert (found["numFiles"], found["tableSizeBytes"]) == (len(sizes), sum(sizes))
    assert found["protocol"] == state.protocol
    assert found["metadata"] == state.metadata


def _require_checkpoints(world: World, store: Store, listing: LogListing) -> None:
    whole = World(0, {f"{LOG}{n:020d}.json": body for n, body in enumerate(world.commits)})
    full = Client(whole, "check", quiet=True).store()
    commits = LogListing.of(ROOT, full.list_log())
    for checkpoint in listing.checkpoints:
        found = state_of(store, alone(checkpoint))
        expected = state_of(full, commits.segment(checkpoint.version, before=0))
        assert not expected.differences(found), f"the checkpoint of {checkpoint.version} is wrong"
        world.met["checkpoints compared"] += 1


def play_commits(seed: int, *, trace: bool = False) -> Counter[str]:
    """A schedule of one or two programs that change a table or write a checkpoint."""
    chance = random.Random(~seed)  # noqa: S311 -- for schedules
    table = chance.choices([*TABLES], (6, 5, 5, 4, 1))[0]
    weights = (6, 4, 5, 4, 4, 3, 2, 0.3, 0.7)
    changes = chance.choices([*CHANGES], weights, k=chance.choice((1, 1, 1, 2, 2, 3)))
    world = World(seed, TABLES[table], trace=trace)
    world.events = OTHERS
    if chance.random() < 0.3:  # since to read checkpoints takes long
        world.events = (*OTHERS, "checkpoint", "checkpoint", "cleanup")
    done: list[Commit] = []

    def work(change: str) -> Callable[[Client], None]:
        return lambda client: done.append(Commit(_plan(table, change), client))

    with patch("os.urandom", world.chance.randbytes):
        world.play({f"{number}, {change}": work(change) for number, change in enumerate(changes)})
        if world.chance.random() < 0.5:
            world.settle()
        again = world.chance.random() < 0.1
        if again:  # whatever became of it, who asks again in peace gets what was wished
            client = Client(world, "again", quiet=True)
            with suppress(RefusedError):  # of a column that is there
                done.append(Commit(_planned(client, changes[0]), client))
                assert not done[-1].failed, done[-1].said
        world.settle()
    for each in done:
        each.require_true(world)
    require_sound(world)
    return world.met


# Repairs


@lru_cache
def _damaged(number: int) -> tuple[str, Mapping[str, bytes], tuple[bytes, ...]]:
    """What is wrong with a log of eight versions, the log, and its commits as they were."""
    from tests.support.repairs import REPAIRED
    from tests.support.repairs import TABLES as MADE

    damages = [name for name in REPAIRED if "commit" not in name]
    name, table = damages[number % len(damages)], [*MADE][number // len(damages) % len(MADE)]
    with tempfile.TemporaryDirectory() as directory:
        log = MADE[table](Path(directory)).log
        bodies = tuple(
            file.read_bytes() for file in sorted(log.glob("*.json")) if file.stem.isdigit()
        )
        REPAIRED[name](log)
        files = {LOG + file.name: file.read_bytes() for file in log.iterdir() if file.is_file()}
    return f"{table}, {name}", files, bodies


class Repair:
    """A program that repairs, and what it says of it."""

    def __init__(self, client: Client) -> None:
        world = client.world
        before = dict(world.objects)
        begun = len(world.changes)
        try:
            plan = _repairs(client)
            self.said = "nothing to do" if plan.is_noop else "repaired"
            if not plan.is_noop:
                carry_out(client.store(), plan)
        except (Killed, Interrupted) as stop:
            self.said = type(stop).__name__.lower()
        except DeltaadmError as error:
            self.said = "taken back" if "was taken back" in error.message else "not complete"
            if self.said == "taken back":
                mine = {path for path, _, author in world.changes[begun:] if author == client.name}
                others = {path for path, _, author in world.changes[begun:] if author == "others"}
                for path in mine - others - {HINT}:
                    if path.startswith(LOG):
                        was, thing = before.get(path), world.objects.get(path)
                        assert (was and was.body) == (thing and thing.body), f"{path} is not back"
        world.met[f"repair: {self.said}"] += 1
        world.tell(f"{client.name}: {self.said}")


for _name in ("listing", "loaded"):  # Python 3.11 lets one object at a time work them out
    Case.__dict__[_name].lock = nullcontext()


def _repairs(client: Client) -> RepairPlan:
    return plan_repairs(Case(client.store(), client.world.clock, 0))


def play_repair(seed: int, *, trace: bool = False) -> Counter[str]:
    """A schedule of one or two repairs, beside which others append; a last one ends in peace."""
    chance = random.Random(~seed)  # noqa: S311 -- for schedules
    what, log, _ = _damaged(chance.randrange(1 << 16))
    world = World(seed, log, trace=trace)
    world.events = ["append", "append", "domain", "arrival", "arrival"]
    world.busy /= 4
    world.tell(what)
    with patch("os.urandom", world.chance.randbytes):
        names = ("one", "another")[: chance.choice((1, 1, 1, 2))]
        world.play(dict.fromkeys(names, Repair))  # type: ignore[arg-type]
        world.settle()
        client = Client(world, "again", quiet=True)
        if not (plan := _repairs(client)).is_noop:
            # Alone, and with all files listed, who says that it has repaired has left nothing.
            misled = len(names) == 2 or world.met["a listing that is behind"]
            left = [repair.wrong for repair in plan.planned]
            assert misled or not world.met["repair: repaired"], f"{what}: still {left}"
            carry_out(client.store(), plan)
        assert _repairs(client).is_noop, what
    # Of a version that is not the newest any more, nobody reads the numbers.
    require_sound(world, checksums=world.newest)
    return world.met


PLAYS = {"commits": play_commits, "repairs": play_repair}


def simulate(plays: str, seeds: range, *, trace: bool = False) -> tuple[Counter[str], list[int]]:
    """Play the schedules with these numbers; what was met, and the numbers of those that fail."""
    pa.set_cpu_count(1)  # what Arrow does in which order follows from the number, too
    met, failed = Counter[str](), list[int]()
    for seed in seeds:
        try:
            met += PLAYS[plays](seed, trace=trace)
        except Exception as error:  # noqa: BLE001 -- the others go on
            failed.append(seed)
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            line = place.tb_lineno if place else 0
            sys.stdout.write(f"{plays} {seed} fails at {line}: {type(error).__name__} {error}\n")
            sys.stdout.flush()
    return met, failed


def main() -> None:
    """Play schedules, and say what was met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("schedules", type=int)
    parser.add_argument("what", choices=[*PLAYS], default="commits", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trace", action="store_true")
    given = parser.parse_args()
    began = time.monotonic()
    seeds = range(given.seed, given.seed + given.schedules)
    met, failed = simulate(given.what, seeds, trace=given.trace)
    for name, count in sorted(met.items()):
        sys.stdout.write(f"{count:12,}  {name}\n")
    seconds = time.monotonic() - began
    words = f"schedules of {given.what}, of which {len(failed)} fail; {seconds:.0f} s"
    sys.stdout.write(f"{given.schedules:12,}  {words}\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
