"""
Commits whose process is killed at a random moment, and what must be true of the log then.

Run as a script, it goes on for as many rounds as it is told: `python -m tools.kills 500`.
With `programs` after that, checkpoints are in the mix, as they are with `s3`, `gcs` and `azure`.
With `repair`, `repair-s3` and so on what is killed are repairs, beside a writer.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import obstore

from deltaadm.plans.checkpoint import TableState
from deltaadm.runs import repair
from deltaadm.storage.store import LogStore, open_store
from tests.support.checkpoints import require_right
from tests.support.object_stores import PLACES
from tests.support.program import deltaadm
from tests.support.repairs import REPAIRED, TABLES, Watched, aged, every_version
from tests.support.tables import START_BODY, add, commit, metadata, protocol, table

EMBEDDED = ("--commit-engine", "embedded", "--apply", "--yes")


def kill_rounds(directory: Path, rounds: int, seed: int) -> Counter[str]:
    """
    Rounds on a local table: a commit whose process is killed, one that is not.

    How many processes were killed before their commit, after it, while there was a draft, or not
    at all.
    """
    chance = random.Random(seed)  # noqa: S311 -- for moments
    log = table(directory, START_BODY).log
    within = _usual_time(directory)
    found: Counter[str] = Counter()
    for number in range(rounds):
        before = _commits(log)
        child = _forked(directory, number)
        time.sleep(chance.uniform(within / 3, within))
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        after = _commits(log)
        drafts = [name for name in _names(log) if name.startswith(".")]
        assert after[: len(before)] == before
        assert len(after) <= len(before) + 1
        assert len(drafts) <= 1
        found["ended"] += not os.WIFSIGNALED(status)
        found["killed after the commit"] += os.WIFSIGNALED(status) and len(after) > len(before)
        found["killed before it"] += os.WIFSIGNALED(status) and len(after) == len(before)
        found["left a draft"] += len(drafts)
        if drafts:
            _require_next(directory, log)
    _require_next(directory, log)
    return found


def kill_programs(
    place: str, environment: Mapping[str, str], rounds: int, seed: int
) -> Counter[str]:
    """
    Likewise anywhere, where every process starts anew, and every other one writes a checkpoint.

    What was published stays, and is right, whatever became of the process.
    """
    chance = random.Random(seed)  # noqa: S311 -- for moments
    os.environ.update(environment)
    found: Counter[str] = Counter()
    usual = [0.0, 0.0]
    for number in range(rounds):
        store = open_store(place)
        before, published = _versions(store.list_log()), require_right(store)
        pointed = _pointed(store)
        change = ["--checkpoint"] if number % 2 else ["--set", f"n={number}"]
        child = subprocess.Popen(
            [sys.executable, "-m", "deltaadm", "alter", place, *change, *EMBEDDED],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        began = time.monotonic()
        if usual[number % 2]:  # as long as the last one took that was left alone
            time.sleep(chance.uniform(0.4, 1.1) * usual[number % 2])
            child.send_signal(chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
        code = child.wait()
        usual[number % 2] = time.monotonic() - began if code == 0 else usual[number % 2]
        store = open_store(place)
        names = store.list_log()
        after, now = _versions(names), require_right(store)
        assert after == list(range(len(after)))
        assert len(before) <= len(after) <= len(before) + 1
        assert published.items() <= now.items(), "a checkpoint is gone, or another one"
        assert _pointed(store) >= pointed, "the pointer was moved back"
        drafts = [name for name in names if name.startswith(".")]
        assert len(drafts) <= 1
        if after[-1]:
            _require_whole(store.read(f"{after[-1]:020d}.json"))
        what = "a checkpoint" if number % 2 else "a commit"
        changed = now != published if number % 2 else len(after) > len(before)
        ended = "ended" if code == 0 else f"killed {'after' if changed else 'before'}"
        found[f"{ended} {what}"] += 1
        found["left a draft"] += len(drafts)
    done = subprocess.run(
        [sys.executable, "-m", "deltaadm", "alter", place, "--checkpoint", *EMBEDDED], check=False
    )
    assert done.returncode == 0
    store = open_store(place)
    require_right(store)
    assert _pointed(store) == _versions(store.list_log())[-1]
    # What tried whether the store creates once is removed by a commit an hour later.
    left = [name for name in store.list_log() if name.startswith(".")]
    assert all(name.startswith(".deltaadm-doctor-") for name in left)
    return found


def kill_repairs(
    directory: Path, rounds: int, seed: int, upload: Callable[[Path, str], str] | None = None
) -> Counter[str]:
    """
    Repairs that are killed once or twice beside a writer, at any moment or next to a write.

    The table is no worse then, and nothing of it is gone; a further run finishes, or takes back
    what was done; no commit of the writer is lost. *upload* moves a table to where it is repaired.
    """
    chance, found, usual = random.Random(seed), Counter[str](), 0.1  # noqa: S311 -- for moments
    damages = REPAIRED | {"torn newest commit": _torn, "feature not listed": _unlisted}
    for number in range(rounds):
        path, damage = directory / f"t{number}", chance.choice([*damages])
        damages[damage](TABLES[chance.choice([*TABLES])](path).log)
        aged(path)
        before, copy = every_version(path), directory / f"copy{number}"
        shutil.copytree(path, copy)
        assert _run("repair", copy, "--apply") == 0, damage
        mended, place = every_version(copy), upload(path, path.name) if upload else str(path)
        files = _files(place)
        # A writer may see a shorter table, or write a checkpoint that is as wrong as the first.
        writes = damage not in ("all commits without padding", "checkpoint with a removed file")
        change = chance.choice(["", "--set", "--checkpoint"]) if writes else ""
        committed = 0
        for attempt in range(chance.randint(1, 2)):
            moment = chance.choice([0, chance.randint(1, 30)])
            began, child = _repairing(place, moment)
            timer = threading.Timer(chance.uniform(0, usual), child.kill)
            if not moment:
                timer.start()
            if change:
                value = [f"n={number}.{attempt}"] if change == "--set" else []
                code = _run("alter", place, change, *value, *EMBEDDED[:3])
                committed += len(value) if code == 0 else 0
            code = child.wait()
            timer.cancel()
            if code == 0 and not change:
                usual = min(2 * (time.monotonic() - began), 2)
            when = "at a write" if moment else "at any moment"
            found[f"killed {when}" if code == -signal.SIGKILL else f"ended with {code}"] += 1
            now, ours = _files(place), _committed(place, number)
            states = list(zip(every_version(place), before, mended, strict=True))
            for one, was, aim in states[: min(ours, default=8)]:
                # A name is there twice while Delta's readers know both; errors are names.
                worse = isinstance(was, TableState) and "padding" not in damage
                assert one in (was, aim) or (isinstance(one, str) and not worse), damage
            gone = {name for name in files if files[name] not in now.values()}
            # Which the writer replaces, too.
            assert not gone - ({"_delta_log/_last_checkpoint"} if change else set()), (damage, gone)
        if not change and damage != "feature not listed" and chance.random() < 0.3:
            journals = [name for name in now if name.endswith("/journal.json")]
            for name in sorted(journals, key=lambda name: json.loads(now[name])["begun"])[::-1]:
                assert _run("repair", place, "--undo", name, "--apply") == 0, damage
            assert _log(_files(place)) == _log(files), damage
            found["taken back"] += 1
        assert _run("repair", place, "--apply") == 0, damage
        assert _run("repair", place, "--check") == 0, damage
        ours = _committed(place, number)
        # Of a commit whose outcome cannot be read meanwhile, the writer says so by its exit code.
        assert committed <= len(ours), damage
        assert every_version(place)[: min(ours, default=8)] == mended[: min(ours, default=8)]
        found["commits beside a repair"] += committed
        shutil.rmtree(copy)
        shutil.rmtree(path)
    return found


_CHILD = "import sys; from tools.kills import repair_and_die; repair_and_die(*sys.argv[1:])"


def _repairing(place: str, moment: int) -> tuple[float, "subprocess.Popen[bytes]"]:
    """A process that repairs a table, and when it begins to write."""
    command = [sys.executable, "-c", _CHILD, place, str(moment)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return time.monotonic(), child


def repair_and_die(place: str, moment: str) -> None:
    """Repair, say when that begins to write, and end before or after the so many-th, if any."""
    calls = 0

    def hook(_operation: str, _path: str) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            os.write(1, b"begun\n")
        if calls == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(*given: Any, **more: Any) -> Any:
        return Watched(open_store(*given, **more), hook)

    repair.open_store = watched
    os._exit(_run("repair", place, "--apply"))


def _run(command: str, place: object, *arguments: str) -> int:
    given = [*arguments, "--isolated", *(["--yes"] if "--apply" in arguments else [])]
    given += ["--older-than", "0"] if command == "repair" else []
    return deltaadm(command, place, *given).code


def _torn(log: Path) -> None:
    file = log / f"{7:020d}.json"
    file.write_bytes(file.read_bytes()[:-9])


def _unlisted(log: Path) -> None:
    body = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}
    (log / f"{7:020d}.json").write_text(json.dumps({"protocol": {**body, "writerFeatures": []}}))


def _files(place: str) -> dict[str, bytes]:
    """All files of a table."""
    url = place if "://" in place else Path(place).as_uri()
    store: Any = obstore.store.from_url(url)
    names = [meta["path"] for page in obstore.list(store) for meta in page]
    return {name: bytes(obstore.get(store, name).bytes()) for name in names}


def _log(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of its log, without drafts."""
    return {name: files[name] for name in files if re.match(r"_delta_log/[^.]", name)}


def _committed(place: str, number: int) -> list[int]:
    """The versions that the writer of a round has committed."""
    files = _log(_files(place))
    return _versions(Path(name).name for name in files if f'"n":"{number}.'.encode() in files[name])


def _pointed(store: LogStore) -> int:
    from deltaadm.errors import MissingFileError
    from deltaadm.replay.commits import json_object

    try:
        return int((json_object(store.read("_last_checkpoint"))[0] or {})["version"])
    except MissingFileError:
        return -1


def _large(directory: Path) -> None:
    """A table whose checkpoints take a while, and which wants one every other commit."""
    often = metadata({"delta.checkpointInterval": "2"})
    files = (add(f"f{number:060d}", stats='{"numRecords":1}') for number in range(4_000))
    table(directory, commit(protocol(1, 2), often, *files))


def _forked(directory: Path, number: int) -> int:
    """A process that commits a change, forked once this one has imported everything."""
    if child := os.fork():
        return child
    os._exit(_changed(directory, number))


def _changed(directory: Path, number: int) -> int:
    return deltaadm("alter", directory, "--set", f"n={number}", *EMBEDDED).code


def _usual_time(directory: Path) -> float:
    """How long such a process takes."""
    assert _changed(directory, -1) == 0
    times = []
    for number in range(3):
        began = time.monotonic()
        assert os.waitpid(_forked(directory, -2 - number), 0)[1] == 0
        times.append(time.monotonic() - began)
    return 1.3 * max(times)


def _names(log: Path) -> list[str]:
    return [file.name for file in log.iterdir()]


def _commits(log: Path) -> list[bytes]:
    """The bodies of all commits, each whole, without a hole."""
    names = sorted(name for name in _names(log) if re.fullmatch(r"\d{20}\.json", name))
    assert [int(name[:20]) for name in names] == list(range(len(names)))
    bodies = [(log / name).read_bytes() for name in names]
    for body in bodies[1:]:
        _require_whole(body)
    return bodies


def _require_whole(body: bytes) -> None:
    actions = [json.loads(line) for line in body.splitlines()]
    assert body.endswith(b"\n")
    assert [next(iter(action)) for action in actions[:2]] == ["commitInfo", "metaData"]


def _require_next(directory: Path, log: Path) -> None:
    """The next commit succeeds, and takes away what a dead process has left."""
    before = len(_commits(log))
    assert os.waitpid(_forked(directory, -before), 0)[1] == 0
    assert len(_commits(log)) == before + 1
    assert not [name for name in _names(log) if name.startswith(".")]


def _versions(names: object) -> list[int]:
    return sorted(int(name[:20]) for name in names if re.fullmatch(r"\d{20}\.json", name))  # type: ignore[attr-defined]


def main() -> None:
    """Play rounds, and say what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int)
    stores = ("s3", "gcs", "azure")
    places = ("local", *stores, "programs", "repair", *(f"repair-{name}" for name in stores))
    parser.add_argument("where", choices=places, default="local", nargs="?")
    parser.add_argument("--seed", type=int, default=time.time_ns())
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="kills-"))
    began = time.monotonic()
    try:
        if given.where == "local":
            found = kill_rounds(directory / "t", given.rounds, given.seed)
        elif given.where == "programs":
            _large(directory / "t")
            found = kill_programs(str(directory / "t"), {}, given.rounds, given.seed)
        elif given.where == "repair":
            found = kill_repairs(directory, given.rounds, given.seed)
        elif given.where.startswith("repair-"):
            with PLACES[given.where.removeprefix("repair-")]() as lake:
                os.environ.update(lake.environment)
                found = kill_repairs(directory, given.rounds, given.seed, lake.upload)
        else:
            _large(directory / "t")
            with PLACES[given.where]() as lake:
                place = lake.upload(directory / "t", "kills/t")
                found = kill_programs(place, lake.environment, given.rounds, given.seed)
    finally:
        shutil.rmtree(directory)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{given.rounds} on {given.where}: {dict(found)}; {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
