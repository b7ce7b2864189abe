# ruff: noqa: E501, S311, SLF001 -- rows; chance that is no secret; the inside of what is tested
"""Fuzz what reads the bytes of others, guided by coverage: after `pip install atheris`,

    python -m tools.fuzz 60 [TARGET ...]

gives each target a minute, and leaves in `build/fuzz/` its corpus, what it found, and `log.jsonl`;
with 0, it says how many lines the corpus reaches. An input may lead to an answer or an error of
deltaadm, within 5 seconds of processor time and 512 MB; `tests/test_fuzz.py` keeps what did not.
"""

import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from deltaadm import Detail, load_snapshot, open_store
from deltaadm.catalog_table import CatalogState
from deltaadm.domain import ddl
from deltaadm.domain.actions import decode_action
from deltaadm.domain.schema import StructType, primitive_types
from deltaadm.domain.snapshot import FileInfo, LogFile, LogListing
from deltaadm.domain.transaction.constraints import stored_expression
from deltaadm.errors import DeltaadmError, UsageError
from deltaadm.limits import LIMITS
from deltaadm.paths import normalized, path_flaw
from deltaadm.plans.document import saved_document, write_entry
from deltaadm.plans.repair.commits import right_name
from deltaadm.plans.reports import Entry
from deltaadm.plans.saved import read_plans
from deltaadm.replay import commits, parquet
from deltaadm.replay.reconcile import STATE
from deltaadm.runs.many_plans import Journal
from deltaadm.runs.settings import load_settings, rule_settings
from deltaadm.runs.settings_file import SettingsSources
from deltaadm.storage.store import require_no_secret, table_name
from deltaadm.storage.unity import RatifiedStore, UnityCatalog, _document
from tests.support import drift, mutations, oracle, plans, tables, unity
from tests.support.program import deltaadm
from tools.check_expressions import EXPRESSIONS
from tools.damage import flipped

ROOT = Path("build/fuzz")
SECONDS, MEGABYTES, LONGEST = 5, 512, 1 << 15

FILES = (f"{1:020}.json", f"{1:020}.checkpoint.parquet", "_last_checkpoint", f"{1:020}.crc",
         f"{0:020}.{1:020}.compacted.json", f"{1:020}.checkpoint.x.json")  # fmt: skip
PIECES = (b"\xef\xbb\xbf", b"\0", b"\r", b"`", b"'", b"[" * 3_000, b"9" * 5_000, b"\xff\xff\xff\x7f",
          b"NaN", b"1e999", b"\\ud800", b"(", b"<", b"/*", b"\xe2\x80\xae", b"..", b"%2f")  # fmt: skip


@cache
def scratch() -> tables.Table:
    """A table in a directory of this process, with its first commit."""
    directory = tempfile.TemporaryDirectory()
    scratch.directory = directory  # until the process ends
    return tables.table(Path(directory.name) / "t", tables.START_BODY)


def text_of(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


# What reads: for documented errors, an answer is as good


def read_commit(data: bytes) -> None:
    lines = commits.JsonLines("f", data)
    lines.provenance()
    with suppress(DeltaadmError):
        lines.changing_actions()
    actions = list(lines.actions())
    back = lines.actions_reversed()
    assert sorted(map(repr, back)) == sorted(map(repr, actions)), "backwards there are others"
    found = [pair for pair in lines.state_actions() if pair[0] in STATE]
    assert found == [pair for pair in actions if pair[0] in STATE], "the short way differs"
    for name, action in actions:
        decode_action(name, action)


def read_schema(data: bytes) -> None:
    schema = StructType.parse(text_of(data))
    primitive_types(text_of(data))
    written = StructType.parse(schema.to_json())
    assert list(written.walk()) == list(schema.walk()), "written, it has other columns"


def read_ddl(data: bytes) -> None:
    text = text_of(data)
    for read in (ddl.parse_type, ddl.parse_column_list, ddl.parse_move, ddl.parse_position,
                 ddl.parse_default, ddl.parse_columns, stored_expression):  # fmt: skip
        with suppress(DeltaadmError):
            read(text)
    found = ddl.parse_definitions(text)
    written = ", ".join(map(ddl.definition_sql, found))
    assert ddl.parse_definitions(written) == found, f"written, it is another: {written}"


def read_names(data: bytes) -> None:
    infos = {name[:1_000]: FileInfo(name[:1_000], size=1) for name in text_of(data).split("\n")}
    for name, info in infos.items():
        assert (LogFile.of(info).part is None) == (LogFile.of(info).parts is None)
        path_flaw(name), table_name(name)
        right = right_name(name)
        assert right is None or right_name(right) is None, "a name that was put right is wrong"
        assert normalized(normalized(name)) == normalized(name)
        with suppress(DeltaadmError):
            require_no_secret(name)
    listing = LogListing.of("t", infos)
    assert listing.checkpoints == LogListing.of("t", dict(reversed(infos.items()))).checkpoints
    listing.segment()


def read_hint(data: bytes) -> None:
    commits.json_object(data)
    scratch().write(FILES[0], tables.commit(tables.commit_info()))
    scratch().write("_last_checkpoint", data)
    load_snapshot(open_store(str(scratch().path)), detail=Detail.STATE)


def read_parquet(data: bytes) -> None:
    with suppress(parquet.DamagedFooterError, parquet.UnsupportedFileError):
        footer = parquet.read_footer(source := BytesIO(data))
        pages = parquet.Pages(source, footer, LIMITS)
        pages.check(footer.columns)
        pages.batch_rows(footer.names(), footer.groups, 1_000)
        parquet.rows(source, footer, ["protocol", "metaData", "txn", "domainMetadata", "add"])


def read_log(data: bytes) -> None:
    """The whole program on a log with a file, which the first byte names."""
    name = FILES[data[0] % len(FILES)] if data else FILES[0]
    scratch().write(FILES[0], tables.commit(tables.commit_info(), tables.add("f")))
    scratch().write(name, data[1:])
    for command in (("validate", "--deep", "--history"), ("inspect", "--files", "--columns")):
        done = deltaadm(command[0], scratch().path, *command[1:])
        assert done.code in {0, 1, 3}, done.err
    (scratch().log / name).unlink()


def read_plan(data: bytes) -> None:
    with suppress(DeltaadmError):
        read_plans(text_of(data))
    with suppress(ValueError, RecursionError):
        document = json.loads(data)
        sealed = plans.resealed(document) if isinstance(document, dict) else document
        for saved in read_plans(json.dumps(sealed)):
            saved.as_made()


def read_settings(data: bytes) -> None:
    file = scratch().path / "deltaadm.toml"
    file.write_bytes(data)
    sources = SettingsSources("validate", [str(file)])
    for read in (rule_settings, SettingsSources.aliases):
        with suppress(DeltaadmError, UsageError):
            read(sources)
    load_settings(sources).demands("a/b", "/a/b")


def read_journal(data: bytes) -> None:
    file, lines = scratch().path / "journal", data.splitlines(keepends=True)
    for number, line in enumerate(lines):
        with suppress(ValueError, KeyError, TypeError, RecursionError):  # none, which has no seal
            body = json.loads(line)
            entry = Entry(body["plan"], body["table"], body["event"], body["line"])
            lines[number] = write_entry(entry).encode()
    file.write_bytes(b"".join(lines))
    with Journal(file) as first:
        pass
    with Journal(file) as again:
        assert (first.begun, first.done) == (again.begun, again.done), "again, it says otherwise"


class Answers(UnityCatalog):
    """A catalog with prepared answers; the last one is repeated."""

    def __init__(self, lines: list[bytes], endpoints: frozenset[str]) -> None:
        super().__init__("https://c", "", token_names="")
        self._lines, self._endpoints = lines, {"c": endpoints}

    def _ask(self, *_: Any, **_named: Any) -> Any:
        return _document(self._lines.pop(0) if self._lines[1:] else self._lines[0]) or {}


def read_answers(data: bytes) -> None:
    name = ("c", "s", "t")
    state = CatalogState(name="c.s.t", catalog="c", location="s3://b/t")

    def load(catalog: UnityCatalog) -> None:
        if found := catalog.load_table(name)[1]:
            RatifiedStore(open_store(str(scratch().path)), found).list_log()

    for endpoints in (frozenset(), frozenset({unity.LOAD, f"{unity.LOAD}/credentials"})):
        for ask in (load, UnityCatalog.describe_access,
                    lambda catalog: catalog.list_tables("c.*.*"),
                    lambda catalog: catalog.credentials(state, name, "READ")):  # fmt: skip
            with suppress(DeltaadmError):
                ask(Answers(data.split(b"\n"), endpoints))


# Seeds


@cache
def logs() -> dict[str, list[bytes]]:
    """The files of recorded logs, by what their names end with."""
    found: dict[str, list[bytes]] = {}
    for name, body in oracle._archive().items():
        if "/_delta_log/" in name and len(body) < LONGEST:
            found.setdefault(re.split(r"[./]", name)[-1], []).append(body)
    return found


def schemas() -> set[bytes]:
    texts = re.findall(rb'"schemaString":("(?:[^"\\]|\\.)*")', b"\n".join(logs()["json"]))
    return {json.loads(text).encode() for text in texts}


def columns() -> Iterator[bytes]:
    for schema in schemas():
        yield ddl.columns_sql(StructType.parse(schema.decode())).encode()
    yield from (text.encode() for text in EXPRESSIONS)
    yield b"n INT COMMENT 'new' FIRST, i BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1)"
    yield b"g INT GENERATED ALWAYS AS (a + 1), d DECIMAL(9, 2) NOT NULL DEFAULT 1.5, `b``c`.d TIME"


def names() -> list[bytes]:
    odd = ("5.json", "00000000000000000005 (1).JSON", "s3a://b/x%2f..", "`a`.`b.c`", "file:/a",
           f"{1:020}.checkpoint.{1:010}.{1:010}.parquet", f"{2:020}.json", "delta.`/x`")  # fmt: skip
    return ["\n".join(some).encode() for some in (oracle._archive(), (*FILES, *odd), odd)]


def saved() -> Iterator[bytes]:
    from tests.documents.test_plan import PLANS

    return (json.dumps(saved_document(plan, "events")).encode() for plan in PLANS.values())


def entries() -> Iterator[bytes]:
    events = ("begun", "done", "failed")
    return (write_entry(Entry("d" * 64, "t", event, {"x": 1})).encode() for event in events)


def answers() -> Iterator[bytes]:
    """Answers of a catalog, each way that it has to tell of a table, one a line."""
    table = unity.Table("s3://b/t", [tables.column("a")], {"delta.feature.catalogManaged": "x"},
                        kind="MANAGED", latest=2, commits=[(2, f"{2:020}.x.json", 9)])  # fmt: skip
    server = unity.Unity(tables={"c.s.t": table})
    server.credentials = lambda *_: {"expires": 9, "key": "k", "secret": "s", "token": "t"}
    info, asked = server._info("c.s.t"), {"table_id": table.id, "operation": "READ"}
    older = server._older_commits({**asked, "table_uri": table.location, "start_version": 0})[1]
    listed = [{kind: [{"name": "s"}], "next_page_token": "x"} for kind in ("schemas", "catalogs")]
    for made in ([server._loaded("c.s.t")], [info, older], [*listed, {"tables": [info]}],
                 [server._credentials("c.s.t", "READ")[1]], [server._older_credentials(asked)[1]]):  # fmt: skip
        yield "\n".join(map(json.dumps, made)).encode()


def with_names() -> Iterator[bytes]:
    for number, name in enumerate(FILES):
        bodies = sorted(logs()[name.rpartition(".")[2]], key=len)
        yield from (bytes([number]) + body for body in bodies[:: 1 + len(bodies) // 6])


TARGETS: dict[str, tuple[Callable[[bytes], None], str, Callable[[], Iterable[bytes]]]] = {
    "commit": (read_commit, "replay/commits domain/actions domain/wire", lambda: logs()["json"]),
    "schema": (read_schema, "domain/schema", schemas),
    "ddl": (read_ddl, "domain/ddl domain/transaction/constraints", columns),
    "names": (read_names, "domain/snapshot paths plans/repair/commits", names),
    "hint": (read_hint, "replay/load replay/reconcile", lambda: logs()["_last_checkpoint"]),
    "parquet": (read_parquet, "replay/parquet", lambda: logs()["parquet"]),
    "plan": (read_plan, "plans/saved documents domain/steps/step", saved),
    "settings": (read_settings, "runs/settings", lambda: [drift.SETTINGS.encode()]),
    "journal": (read_journal, "runs/many_plans", entries),
    "catalog": (read_answers, "storage/unity", answers),
    "log": (read_log, "replay/checkpoints replay/examine replay/embedded facts", with_names),
}
"""What reads, its files of which the lines are counted, and seeds."""


# Inputs


def mutated(data: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    """*data* with something else in it: a bit, a piece, or a value where JSON has one."""
    kind, at, end = chance.randrange(7), *sorted(chance.randrange(len(data) + 1) for _ in "ab")
    if kind == 0 and data:
        return flipped(data, chance)
    if kind < 4:
        middle = (data[at:end] * 2, b"", chance.choice(PIECES), chance.choice(others)[at : end + 9])
        return data[:at] + middle[kind] + data[end:]
    lines = data.split(b"\n")
    which = chance.randrange(len(lines))
    with suppress(ValueError, RecursionError):
        document = json.loads(lines[which])
        if place := chance.choice([*mutations.places(document)] or [()]):
            holder = document
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = chance.choice(mutations.VALUES)
        lines[which] = json.dumps(document).encode()
        return b"\n".join(lines)
    return data[:at] + chance.choice(PIECES) + data[at:]


class Hang(BaseException):
    """The time is up, which nothing that is tested must catch."""


def _time_is_up(*_: object) -> None:
    raise Hang


def fault(target: str, data: bytes) -> str:
    """What an input leads to that it must not: a traceback; empty for an answer or an error."""
    signal.signal(signal.SIGVTALRM, _time_is_up)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        TARGETS[target][0](data)
    except (DeltaadmError, UsageError):
        pass
    except (Exception, Hang):  # noqa: BLE001 -- what is looked for
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return f"{more >> 10} MB" if more > MEGABYTES << 10 else ""


# Long runs, in which a process of atheris has a target


CHILD = """
import sys, atheris
with atheris.instrument_imports(include=["deltaadm"]):
    from tools import fuzz
    for seed in fuzz.TARGETS[sys.argv[1]][2]():  # which imports the rest
        fuzz.fault(sys.argv[1], seed)
fuzz.fuzz(atheris, *sys.argv[1:])
"""


def fuzz(atheris: Any, target: str, seconds: str) -> None:
    """Fuzz in this process, which ends then."""
    seeds, known, corpus, found = [*TARGETS[target][2]()], set(), ROOT / target, ROOT / "found"
    for directory in (corpus, found):
        directory.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (corpus / hashlib.sha256(seed).hexdigest()).write_bytes(seed)

    def one(data: bytes) -> None:
        why = fault(target, data)
        place = re.findall(r'File "[^"]*/((?:deltaadm|tools)/[^"]*", line \d+)', why)[-1:]
        if why and str(place) not in known:
            known.add(str(place))
            name = hashlib.sha256(str(place).encode()).hexdigest()[:10]
            (found / f"{target}-{name}").write_bytes(data)
            (found / f"{target}-{name}.txt").write_text(why[-4_000:])

    def change(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.5:
            return atheris.Mutate(data, most)
        return mutated(data, chance, seeds)[:most]

    options = (f"-max_total_time={seconds}", "-timeout=60", "-rss_limit_mb=6000", "-print_final_stats=1",
               "-use_value_profile=1", f"-max_len={LONGEST}", f"-artifact_prefix={found}/{target}-")  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


def run(target: str, seconds: int) -> dict[str, Any]:
    """Give *target* its time; how many executions there were, and what they reached."""
    command = [sys.executable, "-c", CHILD, target, str(seconds)]
    # Each error looks for secrets in all variables.
    few = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(command, check=False, capture_output=True, env=few)
    text = done.stderr.decode(errors="replace")
    count, edges = (
        int(([0, *re.findall(pattern, text)])[-1])
        for pattern in (r"number_of_executed_units: (\d+)", r"cov: (\d+)")
    )
    if not count:
        (ROOT / "found" / f"{target}-end.txt").write_text(text[-20_000:])
    entry = {"target": target, "seconds": seconds, "executions": count, "edges": edges}
    with (ROOT / "log.jsonl").open("a") as log:
        log.write(json.dumps(entry) + "\n")
    return entry


def reached(target: str) -> str:
    """The share of the lines of functions in the target's files that its corpus reaches."""
    package = Path(commits.__file__).parent.parent
    files = {str(package / f"{name}.py") for name in TARGETS[target][1].split()}
    lines: set[tuple[str, int]] = set()

    def line(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    sys.settrace(lambda frame, *_: line if frame.f_code.co_filename in files else None)
    for file in (ROOT / target).iterdir():
        fault(target, file.read_bytes())
    sys.settrace(None)
    every = {
        (file, number)
        for file in files
        for number in _lines(compile(Path(file).read_text(), file, "exec"))
    }
    return f"{target}: {len(lines & every)} of {len(every)} lines"


def _lines(code: CodeType) -> Iterator[int]:
    if code.co_flags & 2:  # of a function, not of a module or class
        yield from {at for *_, at in code.co_lines() if at and at > code.co_firstlineno}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


if __name__ == "__main__":
    for name in sys.argv[2:] or TARGETS:
        print(run(name, int(sys.argv[1])) if int(sys.argv[1]) else reached(name), flush=True)  # noqa: T201
