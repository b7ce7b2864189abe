"""What every executor must do: commit, for a recorded case, what Delta has committed there."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from deltaadm.domain.protocol import SessionSettings
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.steps import Step
from deltaadm.domain.steps.table import no_table
from deltaadm.errors import DeltaadmError, TableError
from deltaadm.plans.carry_out import Executor
from deltaadm.plans.embedded_executor import obstacles
from deltaadm.plans.plan import propose
from deltaadm.replay.load import load_snapshot
from deltaadm.replay.reconcile import Detail
from deltaadm.storage.store import ObjectStores, open_store
from tests.support import oracle
from tests.support.statements import creation_of, step_of

Commits = list[list[dict[str, Any]]]

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|<uuid-\d+>")
_TOLD = ("operation", "operationParameters", "readVersion", "isolationLevel", "isBlindAppend")
_SINCE = "delta.inCommitTimestampEnablementTimestamp"


def session_of(case: oracle.Case) -> SessionSettings:
    """The settings under which a case was recorded."""
    return SessionSettings.from_conf(case.get("conf") or {})


def state(root: str | Path, stores: ObjectStores | None = None) -> Snapshot:
    """The whole state of the table at *root*, a directory or a location in one of *stores*."""
    return load_snapshot(open_store(str(root), object_stores=stores), detail=Detail.STATE)


def verdict(case: oracle.Case) -> str:
    """Why the embedded engine has no part in a case, by what its statements are; or empty."""
    if "error" in (case["start"].get("state") or {}):
        return "a table that Delta does not load"
    if not all(_steps(case)):
        return "a statement about rows, or RESTORE"
    return ""


def carry_out_case(
    case: oracle.Case,
    root: str | Path,
    make: Callable[[SessionSettings], Executor],
    stores: ObjectStores | None = None,
) -> str:
    """
    Carry out the steps of a case on its log, written to *root*, one by one; what came of it.

    That is a directory, or a location in one of *stores*. A step that the embedded engine does not
    commit ends the case, as one that is refused does.
    """
    if case["start"]["kind"] != "none":
        if stores is None:
            oracle.write_log(case["start"]["files"], Path(root))
        else:
            store = stores.open(str(root))
            for name, body in oracle.log_files(case["start"]["files"]):
                store.overwrite(name, body)
    session = session_of(case)
    executor = make(session)
    for step, recorded in zip(_steps(case), case["expected"]["ops"], strict=False):
        assert step is not None
        before = _before(str(root), stores)
        try:
            plan = propose("", before, [step], session=session, check_outcome=False)
        except DeltaadmError:
            assert not recorded["ok"], "refused, and Delta commits it"
            return "refused as by Delta"
        found = next(obstacles(plan), "a step that changes nothing" if plan.is_noop else None)
        if found is not None:
            return re.sub(r"the (feature|step) [^ ,]+", r"the \1 …", found)
        if not recorded["ok"]:
            return "refused by Delta for what only Delta sees"
        executor.apply(str(root), step, before)
    return "committed"


def _before(root: str, stores: ObjectStores | None) -> Snapshot:
    try:
        return state(root, stores)
    except TableError as error:
        if error.delta_error_class != "DELTA_MISSING_DELTA_TABLE":
            raise
        return no_table(root)


def _steps(case: oracle.Case) -> list[Step | None]:
    return [
        creation_of(operation["sql"])
        if operation.get("sql", "").startswith("CREATE TABLE")
        else step_of(operation)
        for operation in case["ops"]
    ]


def new_commits(case: oracle.Case, root: str | Path, stores: ObjectStores | None = None) -> Commits:
    """The commits that *root* has beyond the log that the case starts with."""
    names = [file["name"] for file in case["start"].get("files") or ()]
    first = 1 + max((int(name[:20]) for name in names if name[20:] == ".json"), default=-1)
    store = open_store(str(root), object_stores=stores)
    with suppress(TableError):  # nothing was created
        names = [name for name in store.list_log() if re.fullmatch(r"\d{20}\.json", name)]
    new = sorted(name for name in names if name[20:] == ".json" and int(name[:20]) >= first)
    assert [int(name[:20]) for name in new] == list(range(first, first + len(new)))
    commits = [[json.loads(line) for line in store.read(name).splitlines()] for name in new]
    return comparable(commits, case)


def recorded_commits(case: oracle.Case) -> Commits:
    return comparable([commit["actions"] for commit in case["expected"]["commits"]], case)


def comparable(commits: Commits, case: oracle.Case) -> Commits:
    """*commits* without what differs each time, ids that are new among it."""
    known = set(_ID.findall(json.dumps(case["start"])))
    api = any("api" in operation for operation in case["ops"])

    def plain(action: dict[str, Any]) -> Any:
        ((name, body),) = action.items()
        body = dict(body)
        if name == "commitInfo":
            ours = bool(body.get("hasInCommitTimestamp") or "inCommitTimestamp" in body)
            body = {key: body.get(key) for key in _TOLD} | {"hasInCommitTimestamp": ours}
            if api:  # the methods of DeltaTable spell features in another way than SQL does
                del body["operationParameters"]
        elif name == "metaData":
            body.pop("createdTime", None)
            body["schemaString"] = json.loads(body["schemaString"])
            new = body["configuration"].get(_SINCE, "")
            if new == "<timestamp>" or new not in json.dumps(case["start"]):
                body["configuration"] = body["configuration"] | {_SINCE: "<timestamp>"}
        elif name == "protocol":
            for key in ("readerFeatures", "writerFeatures"):
                if key in body:
                    body[key] = sorted(body[key])
        text = json.dumps({name: body}, sort_keys=True)
        return json.loads(_ID.sub(lambda match: match[0] if match[0] in known else "<uuid>", text))

    return [[plain(action) for action in commit] for commit in commits]
