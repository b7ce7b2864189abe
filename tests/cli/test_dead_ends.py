"""Tables whose protocol lacks what their metadata uses: neither Delta nor deltaadm changes them."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from deltalake import DeltaTable, TableFeatures
from deltalake.exceptions import DeltaError

from tests.support.program import deltaadm
from tests.support.tables import Action, Table, column, commit, metadata, protocol, schema, table

PROPOSED = re.compile(
    r"(?:`|deltaadm )(alter|enable-feature|drop-feature|set-mapping-mode|upgrade-protocol|validate"
    r" --fix)\b(?!\.)"
)
"""A change that somebody is told to make."""

MAPPED = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}
KIN: dict[str, tuple[Sequence[str], Action]] = {
    # what is missing; features that are listed, and metadata that uses the other one
    "ChangeDataFeed beside domainMetadata": (["domainMetadata"],
        metadata({"delta.enableChangeDataFeed": "true"})),
    "ChangeDataFeed": ([], metadata({"delta.enableChangeDataFeed": "true"})),
    "AppendOnly": (["invariants"], metadata({"delta.appendOnly": "true"})),
    "DeletionVectors": (["appendOnly"], metadata({"delta.enableDeletionVectors": "true"})),
    "RowTracking": (["appendOnly"], metadata({"delta.enableRowTracking": "true"})),
    "CheckConstraints": (["appendOnly"], metadata({"delta.constraints.c": "a > 0"})),
    "V2Checkpoint": (["rowTracking"], metadata({"delta.checkpointPolicy": "v2"})),
    "Invariants": (["appendOnly"], metadata(schemaString=schema(column("a", nullable=False)))),
    "GeneratedColumns": (["appendOnly"],
        metadata(schemaString=schema(column("a"),
        column("b", **{"delta.generationExpression": "a + 1"})))),
    "ColumnMapping": (["appendOnly"],
        metadata({"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"},
        schemaString=schema(column("a", **MAPPED)))),
    "TimestampWithoutTimezone": (["appendOnly"],
        metadata(schemaString=schema(column("a", "timestamp_ntz")))),
    "DomainMetadata": (["rowTracking"], metadata()),
}  # fmt: skip


@pytest.fixture(params=KIN)
def dead(request: pytest.FixtureRequest, tmp_path: Path) -> Table:
    """A table whose writer went from versions to a list and left a feature out."""
    listed, state = KIN[request.param]
    return table(
        tmp_path / "t", commit(protocol(1, 4), state), commit(protocol(1, 7, None, listed))
    )


CHANGES = (
    ["upgrade-protocol", "--minimum"],
    ["upgrade-protocol", "--reader", "3", "--writer", "7"],
    ["enable-feature", "changeDataFeed"],
    ["enable-feature", "deletionVectors", "--support-only"],
    ["drop-feature", "domainMetadata"],
    ["drop-feature", "rowTracking"],
    ["set-mapping-mode", "name"],
    ["alter", "--set", "team=web"],
    ["alter", "--unset", "delta.enableChangeDataFeed", "--commit-engine", "embedded"],
)


def test_no_message_proposes_what_is_refused(dead: Table) -> None:
    report = deltaadm("validate", dead.path, "--history", "-o", "json").document
    assert any(finding["severity"] == "error" for finding in report["findings"])
    for finding in report["findings"]:
        assert finding["fix"] is None, finding
        once = finding["remedy"].startswith("Once Delta Spark can change the table again: ")
        assert once or not PROPOSED.search(finding["remedy"]), finding
    for command, *arguments in CHANGES:
        done = deltaadm(command, dead.path, *arguments)
        assert done.code == 7 or "No changes." in done.out, (command, done.out)
        assert not PROPOSED.search(done.err.replace(str(dead.path), "")), done.err
    for command in (["inspect", dead.path, "--why"], ["drop-feature", dead.path]):
        done = deltaadm(*command)
        assert done.code == 0
        assert not PROPOSED.search(done.out), done.out


def test_who_asks_for_a_client_hears_of_the_repair(dead: Table) -> None:
    asked = deltaadm("inspect", dead.path, "--for-client", "delta-spark")
    assert f"\n  To do: deltaadm repair {dead.path}\n" in asked.out
    assert "No plan helps" not in asked.out
    planned = deltaadm("upgrade-protocol", dead.path, "--readable-by", "delta-spark")
    assert (planned.code, f"`deltaadm repair {dead.path}`" in planned.err) == (7, True)


def test_a_fix_that_leaves_an_error_is_none(dead: Table, tmp_path: Path) -> None:
    for more in ([], ["--check"], ["--apply", "--yes"], ["-o", "json"]):
        done = deltaadm("validate", dead.path, "--fix", *more)
        assert done.code == 1, (more, done.out, done.err)
    good = table(tmp_path / "good", commit(protocol(), metadata()))
    done = deltaadm("validate", good.path, dead.path, "--fix", "-o", "jsonl")
    assert (done.code, [line["unfixed"] > 0 for line in done.lines]) == (1, [False, True])
    assert deltaadm("validate", good.path, "--fix").code == 0


def test_delta_rs_adds_what_is_missing_where_it_is_said_to(dead: Table) -> None:
    report = deltaadm("inspect", dead.path, "-o", "json").document
    [verdict] = [one for one in report["clients"] if one["client"] == "delta-rs"]
    [missing] = [text for text in report["warnings"] if "lacks features" in text]
    names = missing.rpartition(": ")[2].rstrip(".").split(", ")
    other = {"timestampNtz": "TimestampWithoutTimezone"}
    features = [
        getattr(TableFeatures, other.get(name, name[0].upper() + name[1:])) for name in names
    ]

    def add() -> None:
        DeltaTable(dead.path).alter.add_feature(features, allow_protocol_versions_increase=True)

    if verdict["write"]["verdict"] == "works":
        add()
        found = deltaadm("validate", dead.path, "-o", "json").document["findings"]
        assert not {"DL210", "DL211", "DL402"} & {finding["code"] for finding in found}
    else:
        with pytest.raises(DeltaError):
            add()
