"""`clients CLIENT --defaults`: what tables get from a release, and whom that shuts out."""

import datetime as dt
import json
from pathlib import Path

import deltalake
import pytest

from deltaadm import load_snapshot, open_store
from deltaadm.clients import CLIENTS, parse_client
from deltaadm.clients.facts import version_key
from deltaadm.domain.features import FEATURES
from deltaadm.reports.defaults import defaults_of
from tests.support.program import deltaadm
from tools.record_defaults import DEFAULTS, SCRIPTS

ROWS = [json.loads(line) for line in DEFAULTS.read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['client']}-{row['action']}")
def test_every_row_has_a_source_and_names_what_is_known(row: dict[str, object]) -> None:
    client = CLIENTS[str(row["client"])]
    release = version_key(str(row["release"]))
    assert version_key(client.oldest) <= release <= version_key(client.newest)
    assert row["source"]
    assert dt.date.fromisoformat(str(row["date"])) <= dt.date(2026, 11, 27)
    assert ("refused" in row) is not ("protocol" in row)
    assert set(row.get("features", ())) <= FEATURES.keys()  # type: ignore[call-overload]


def forecast(*words: str) -> dict[str, dict[str, object]]:
    document = deltaadm("clients", *words, "--defaults", "-o", "json").document
    return {change["action"]: change for change in document["changes"]}


def test_what_is_tried_and_what_documents_say_is_told_apart() -> None:
    tried = forecast("delta-rs@1.6.6")["delta.enableDeletionVectors set"]["now"]
    assert isinstance(tried, dict)
    assert tried["tried"]
    assert tried["source"] == "tried with delta-rs 1.6.6"
    assert tried["features"] == ["appendOnly", "deletionVectors", "invariants", "variantType"]
    told = forecast("trino")["new table with timestamps without time zone"]["now"]
    assert isinstance(told, dict)
    assert not told["tried"]
    assert (told["reader_version"], told["writer_version"]) == (3, 7)
    assert "DeltaLakeMetadata.java" in str(told["source"])


def test_an_upgrade_shows_only_what_differs_and_whom_that_newly_shuts_out() -> None:
    changes = forecast("delta-rs@1.6.6", "--from", "1.5.0")
    assert changes.keys() == {
        "delta.columnMapping.mode=name set", "delta.enableDeletionVectors set",
    }  # fmt: skip
    vectors = changes["delta.enableDeletionVectors set"]
    assert vectors["before"]["features"] == ["deletionVectors"]  # type: ignore[index]
    shut_out = {each["client"]: each for each in vectors["shut_out"]}  # type: ignore[attr-defined]
    assert "hive" not in shut_out  # which could not read it before either
    assert shut_out["delta-sharing-server"]["because"][0]["subject"] == "variantType"
    assert deltaadm(
        "clients", "delta-rs@1.6.6", "--defaults", "--from", "delta-rs@1.6.6"
    ).out.count("Nothing that is known about new and altered tables differs.")


def test_a_release_is_as_the_newest_one_before_it_that_was_tried() -> None:
    assert forecast("delta-rs@1.6.5").keys() == forecast("delta-rs@1.6.3").keys()
    older = forecast("delta-rs@1.6.5")["delta.enableDeletionVectors set"]["now"]
    assert older["features"] == ["deletionVectors"]  # type: ignore[index]
    assert not forecast("delta-rs@0.1")


def test_only_the_users_own_clients_are_judged_if_there_are_some() -> None:
    asked = ("--config", 'clients=["hive"]')
    result = deltaadm("clients", "trino", "--defaults", *asked, "-o", "json").document
    judged = {each["client"] for change in result["changes"] for each in change["shut_out"]}
    assert judged == {"hive"}
    text = deltaadm("clients", "trino", "--defaults", *asked).out
    assert "cannot read: hive" in text
    assert "of your clients" in text


def test_what_nobody_knows_is_not_called_nothing() -> None:
    result = deltaadm("clients", "hive", "--defaults")
    assert result.code == 0
    assert "Nobody has tried what tables get from it" in result.out
    assert deltaadm("clients", "hive", "--defaults", "-o", "json").document["known"] is False


@pytest.mark.parametrize(("words", "code", "message"), [
    (("trino", "--from", "470"), 2, "goes with --defaults"),
    (("--defaults",), 2, "needs a CLIENT"),
    (("trino", "--defaults", "--from", "daft@0.7.26"), 7, "is not a release of Trino"),
    (("trinno", "--defaults"), 2, "Did you mean trino?"),
])  # fmt: skip
def test_mistakes_are_answered(words: tuple[str, ...], code: int, message: str) -> None:
    result = deltaadm("clients", *words)
    assert (result.code, message in result.err) == (code, True)


def test_delta_rs_still_makes_what_is_recorded(tmp_path: Path) -> None:
    release = parse_client(f"delta-rs@{deltalake.__version__}")
    script: dict[str, object] = {}
    exec(SCRIPTS["delta-rs"], script)  # noqa: S102 -- the recorder's own text
    actions = script["ACTIONS"]
    assert isinstance(actions, dict)
    recorded = defaults_of(release)
    for number, (action, do) in enumerate(actions.items()):
        path = str(tmp_path / str(number))
        if recorded[action].refused:
            with pytest.raises(Exception, match="not supported"):
                do(path)
            continue
        do(path)
        snapshot = load_snapshot(open_store(path))
        assert snapshot.protocol == recorded[action].protocol, action
        assert snapshot.metadata.configuration == recorded[action].metadata.configuration
